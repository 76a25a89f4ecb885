//! Holds teams to limits that the kernel doesn't enforce without privileges: how many processes and threads a team has,
//! and how much memory and disk these use together.
//!
//! Looks four times a second, so a team may use more than is allowed between two looks. If a look finds that, the whole
//! team is ended. A process belongs to the team of the program that it descends from, or descended from when it was
//! first seen. A process that forked away is recognised by its session or by its team's mark, which it can't exchange
//! for another. Never judges how a team plays. Tested in `arena/cli/tests/tournament/`.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use zappy_protocol::text::many;

use crate::code::Lookout;
use crate::diag::sockets;
use crate::os::{Pid, Signal, free_bytes, getpid, kill_process, page_size};
use crate::programs::contain::{Seen, own_processes, processes, see};
use crate::programs::group::Group;
use crate::programs::hold::Hold;
use crate::programs::limits::Limits;
use crate::programs::mark;
use crate::programs::sandbox::Containment;
use crate::relay::{MOST_CONNECTIONS, Relays};
use crate::setup::Entry;
use crate::weight::{InMemory, MOST_ENTRIES, Nameless, filled, held, in_memory, open_files};

/// How often the processes are looked at.
const LOOK: Duration = Duration::from_millis(250);
/// How often the folders are looked at; large ones less often.
const DISK_LOOK: Duration = Duration::from_secs(1);
/// The pause before the next look at the folders, as a multiple of the time that the last look took.
const DISK_PAUSE_FACTOR: u32 = 20;
/// How often one look kills processes and searches again: each round finds what forked before the last one's kill.
const KILL_ROUNDS: usize = 5;
/// The processes of the sandbox for each program in bubblewrap: bubblewrap's own, and the relay.
pub const SANDBOX_PROCESSES: usize = 2;
/// Threads that a team may have for each of its processes: far more than the usual runtimes start.
const THREADS_PER_PROCESS: u64 = 16;
/// Files and connections that a team may have open in all its processes; each has to be looked at. A team may have more
/// if a single process of it may.
const MOST_OPEN: usize = 4_096;
/// The most processes of no known team that bots may leave behind.
const MOST_STRAYS: usize = 64;

/// Bytes of disk that are kept free for the record, or a quarter of the space free at the start if that is less.
const RESERVE: u64 = 64 << 20;

/// What the guard knows of a team.
#[derive(Debug, Default)]
struct Team {
    limits: Limits,
    folder: Option<PathBuf>,
    /// The folder in memory that takes the place of `folder`.
    hold: Option<Arc<Hold>>,
    /// The control group with which the kernel limits the team's memory.
    group: Option<Arc<Group>>,
    /// Processes of the sandbox per program, which don't count as the team's.
    sandbox_processes: usize,
    /// Bytes in its folder before it began.
    bytes_before: u64,
    /// The sizes of its files without a name.
    nameless: Nameless,
    /// Bytes in its folder beyond `bytes_before`, and those of deleted files that it has open.
    disk_used: u64,
    /// The highest value of `disk_used` so far.
    most_disk_used: u64,
    /// The first limit that it broke, in words.
    breach: Option<String>,
    /// Whether the team is ended, for a breach or for another reason.
    ended: bool,
}

/// What a process belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// A process of a team.
    Team(usize),
    /// A process that descends from this arena but from no known team, or a process of another arena.
    Stray,
    /// A process of the arena, or one that it started for itself.
    Arena,
    /// A process of no match.
    Outside,
}

/// The processes that the arena has started.
#[derive(Debug, Clone, Default)]
pub struct Started {
    /// The programs of the teams, with their teams.
    pub roots: HashMap<Pid, usize>,
    /// The processes that belong to no team.
    pub of_arena: Vec<Pid>,
}

/// Watches the teams of a match.
#[derive(Debug)]
pub struct Guard {
    teams: Vec<Team>,
    /// The team of each living process seen so far, with its start time, since process numbers are used again.
    owners: HashMap<Pid, (u64, usize)>,
    /// The folder in which the record is written.
    record_folder: PathBuf,
    /// Bytes of disk that were free in that folder at the start.
    free_at_start: u64,
    next_look: Instant,
    next_disk_look: Instant,
    /// Looks for the client that comes with the arena among the teams' programs, where that is wanted.
    pub lookout: Option<Lookout>,
}

impl Guard {
    /// A guard for these teams; teams without limits aren't watched.
    pub fn new(entries: &[Entry], record_folder: &Path) -> Guard {
        let teams = entries.iter().map(|entry| Team {
            limits: entry.spawn.limits,
            folder: entry.spawn.folder.clone().filter(|_| entry.spawn.hold.is_none()),
            hold: entry.spawn.hold.clone(),
            group: entry.spawn.group.clone(),
            sandbox_processes: if entry.spawn.containment == Containment::Bubblewrap {
                SANDBOX_PROCESSES
            } else {
                0
            },
            bytes_before: entry.spawn.folder.as_deref().map_or(0, |folder| held(folder).bytes),
            ..Team::default()
        });
        let now = Instant::now();
        Guard {
            teams: teams.collect(),
            owners: HashMap::new(),
            record_folder: record_folder.to_path_buf(),
            free_at_start: free_bytes(record_folder),
            next_look: now,
            next_disk_look: now + DISK_LOOK,
            lookout: None,
        }
    }

    /// Looks at this process and all below it, and looks for the client that comes with the arena among the teams'
    /// programs. Gives the living processes as [`Guard::by_team`] does.
    pub fn look(&mut self, started: &Started) -> Vec<Vec<Seen>> {
        let found = self.by_team(own_processes(), started);
        if let Some(lookout) = &mut self.lookout {
            (0..self.teams.len()).for_each(|team| lookout.look(team, &found[team]));
        }
        found
    }

    /// Notes which teams the kernel has ended for their memory by now, since the last look may have been too early.
    pub fn note_out_of_memory(&mut self) {
        for (i, team) in self.teams.iter_mut().enumerate() {
            if team.group.as_ref().is_some_and(|group| group.ran_out()) {
                team.note(i, team.out_of_memory());
            }
        }
    }

    /// The limit that a team broke, in words.
    pub fn breach(&self, team: usize) -> Option<&str> {
        self.teams[team].breach.as_deref()
    }

    /// Looks at the teams if it is time to. Returns the teams found over a limit by this look; their processes are
    /// ended.
    pub fn enforce(&mut self, started: &Started, relays: Option<&Relays>) -> Vec<usize> {
        let now = Instant::now();
        let watched = self.teams.iter().any(|team| team.ended || team.limits != Limits::default());
        if now < self.next_look || started.roots.is_empty() || !watched {
            return Vec::new();
        }
        let found = self.look(started);
        let mut broken = self.judge(&found, &started.roots, relays);
        // Little space is left for the record.
        let scarce = free_bytes(&self.record_folder) < RESERVE.min(self.free_at_start / 4);
        if now >= self.next_disk_look || scarce {
            broken.extend(self.judge_disks(scarce));
            self.next_disk_look = Instant::now() + DISK_LOOK.max(now.elapsed() * DISK_PAUSE_FACTOR);
        }
        self.end_broken(found, started);
        self.next_look = Instant::now() + LOOK;
        broken
    }

    /// The team that used half or more of the disk that was free for the record, with words for it; `None` if no team
    /// did.
    pub fn largest_disk_user(&self) -> Option<(usize, String)> {
        let (team, most) =
            self.teams.iter().map(|team| team.most_disk_used).enumerate().max_by_key(|&(_, most)| most)?;
        let words =
            || format!("{} MiB of the {} MiB of disk that were free", most >> 20, self.free_at_start >> 20);
        (most > 0 && most >= self.free_at_start / 2).then(|| (team, words()))
    }

    /// Looks at the folders a last time, after all programs have ended.
    pub fn measure_disks(&mut self) {
        self.teams.iter_mut().for_each(|team| team.nameless = Nameless::default());
        self.judge_disks(false);
    }

    /// Notes a breach by a team, in words; returns the team if that is its first breach.
    pub fn note_breach(&mut self, team: usize, words: String) -> Option<usize> {
        self.teams[team].note(team, words)
    }

    /// Ends all processes of a team, and those that it starts later.
    pub fn end(&mut self, team: usize, started: &Started) {
        self.teams[team].ended = true;
        let found = self.by_team(processes(), started);
        self.end_broken(found, started);
    }

    /// The owner of a process; `None` if it has ended and no look has seen it.
    pub fn owner(&mut self, pid: Pid, started: &Started) -> Option<Owner> {
        let known = started.roots.get(&pid).or_else(|| self.owners.get(&pid).map(|(_, team)| team)).copied();
        known.map(Owner::Team).or_else(|| {
            let owned = self.with_owners(processes(), started);
            owned.into_iter().find_map(|(seen, owner)| (seen.pid == pid).then_some(owner))
        })
    }

    /// The owner of each of these sockets, and the process that was seen to hold it. A socket is left out if no process
    /// is seen to hold it, or if several owners hold it.
    pub fn holders(
        &mut self,
        sockets_wanted: &HashSet<u64>,
        started: &Started,
    ) -> HashMap<u64, (Owner, Pid)> {
        let mut held: HashMap<u64, Option<(Owner, Pid)>> = HashMap::new();
        // The match's own processes are searched first, since mostly one of them holds the socket.
        for own in [true, false] {
            if sockets_wanted.iter().all(|socket| held.contains_key(socket)) {
                break;
            }
            let owned = self.with_owners(if own { own_processes() } else { processes() }, started);
            for &(seen, owner) in owned.iter().filter(|(_, owner)| own == (*owner != Owner::Outside)) {
                for socket in sockets(seen.pid).filter(|socket| sockets_wanted.contains(socket)) {
                    let other = owner == Owner::Outside && of_another_match(seen, &owned);
                    let owner = if other { Owner::Stray } else { owner };
                    let first = *held.entry(socket).or_insert(Some((owner, seen.pid)));
                    held.insert(socket, first.filter(|(first, _)| *first == owner));
                }
            }
        }
        held.into_iter().filter_map(|(socket, owner)| Some((socket, owner?))).collect()
    }

    /// The living ones among these processes by team; the last list holds those of no known team.
    fn by_team(&mut self, processes: Vec<Seen>, started: &Started) -> Vec<Vec<Seen>> {
        let mut found = vec![Vec::new(); self.teams.len() + 1];
        for (seen, owner) in self.with_owners(processes, started) {
            match owner {
                Owner::Team(team) => found[team].push(seen),
                Owner::Stray => found[self.teams.len()].push(seen),
                Owner::Arena | Owner::Outside => {}
            }
        }
        found
    }

    /// The living ones among these processes, each with its owner.
    fn with_owners(&mut self, processes: Vec<Seen>, started: &Started) -> Vec<(Seen, Owner)> {
        let table: HashMap<i32, Seen> =
            processes.into_iter().map(|seen| (seen.pid.as_raw_pid(), seen)).collect();
        let lives = |pid: Pid| table.get(&pid.as_raw_pid()).copied().or_else(|| see(pid));
        self.owners.retain(|pid, (start, _)| lives(*pid).is_some_and(|seen| seen.start == *start));
        let mut owned = Vec::new();
        for seen in table.values().filter(|seen| !seen.dead) {
            let owner = self.owner_of(seen, &table, started);
            if let Owner::Team(team) = owner {
                self.owners.insert(seen.pid, (seen.start, team));
            }
            owned.push((*seen, owner));
        }
        owned
    }

    /// The owner of a process, by its ancestors in `table`, which has all processes that were read, by their numbers.
    fn owner_of(&self, seen: &Seen, table: &HashMap<i32, Seen>, started: &Started) -> Owner {
        let own = getpid();
        let mut ancestor = *seen;
        // A chain of parents is never longer than the list of processes.
        for _ in 0..=table.len() {
            if ancestor.pid == own || started.of_arena.contains(&ancestor.pid) {
                return Owner::Arena;
            }
            let known = self.owners.get(&ancestor.pid).map(|&(_, team)| team);
            if let Some(team) = started.roots.get(&ancestor.pid).copied().or(known) {
                return Owner::Team(team);
            }
            // A process that forked away, which the arena has adopted.
            if ancestor.parent == own.as_raw_pid() {
                let led_by = |session: i32| started.roots.get(&Pid::from_raw(session)?).copied();
                let marked = || mark::of(ancestor.pid).filter(|team| *team < self.teams.len());
                return led_by(ancestor.session).or_else(marked).map_or(Owner::Stray, Owner::Team);
            }
            let Some(parent) = table.get(&ancestor.parent) else { break };
            ancestor = *parent;
        }
        Owner::Outside
    }

    /// Compares what each team's processes use with its limits. Gives the teams that broke a limit for the first time.
    fn judge(
        &mut self,
        found: &[Vec<Seen>],
        roots: &HashMap<Pid, usize>,
        relays: Option<&Relays>,
    ) -> Vec<usize> {
        let page = page_size() as u64;
        let mut broken = Vec::new();
        for (i, (team, seen)) in self.teams.iter_mut().zip(found).enumerate() {
            let held: u64 = seen.iter().map(|seen| seen.pages.saturating_mul(page)).sum();
            let inside = if team.sandbox_processes > 0 { in_memory(seen) } else { InMemory::default() };
            let most_open = team.limits.files.map(|files| MOST_OPEN.max(files as usize));
            let open = open_files(seen, most_open, &inside);
            team.nameless = open.nameless;
            let held = held.saturating_add(open.nameless.memory).saturating_add(inside.bytes);
            let ran_out = team.group.as_ref().is_some_and(|group| group.ran_out());
            let programs = roots.values().filter(|&&team| team == i).count();
            let count = seen.len().saturating_sub(programs * team.sandbox_processes);
            let Limits { processes, files, team_memory_mib, .. } = team.limits;
            let threads: u64 = seen.iter().map(|seen| seen.threads).sum();
            let most_threads =
                processes.map_or(u64::MAX, |most| u64::from(most).saturating_mul(THREADS_PER_PROCESS));
            let words = match (processes, team_memory_mib) {
                (Some(most), _) if count > most as usize => {
                    format!("more than {} at one time", many(most.into(), "process"))
                }
                _ if threads > most_threads => {
                    format!("more than {most_threads} threads in all its processes")
                }
                (_, Some(most)) if ran_out || held > most.saturating_mul(1 << 20) => team.out_of_memory(),
                _ if most_open.is_some_and(|most| open.count > most) => {
                    format!("more than {} files and connections at one time", open.count - 1)
                }
                _ if inside.entries > MOST_ENTRIES => too_many_files(),
                _ if relays.is_some_and(|relays| relays.opened(i) > MOST_CONNECTIONS) => {
                    too_many_connections()
                }
                _ => match files.filter(|&most| match relays {
                    Some(relays) if team.sandbox_processes > 0 => relays.is_crowded(i),
                    // Processes that inherited a socket share it, so it counts once.
                    _ => open.sockets.len() > most as usize,
                }) {
                    Some(most) => format!("more than {} at one time", many(most.into(), "connection")),
                    None => continue,
                },
            };
            broken.extend(team.note(i, words));
        }
        broken
    }

    /// Looks at the folders, and at the files without a name that programs have open. If the disk is `scarce`, the team
    /// that used most of it is ended before the record suffers. Gives the teams that broke a limit for the first time.
    fn judge_disks(&mut self, scarce: bool) -> Vec<usize> {
        let mut broken = Vec::new();
        for (i, team) in self.teams.iter_mut().enumerate() {
            let Some(most) = team.limits.disk_mib else { continue };
            if let Some(hold) = &team.hold {
                // The size of a folder in memory is fixed, but empty files take none of it, so their number is limited.
                if filled(&hold.from_outside()).is_some_and(|filled| filled.entries > MOST_ENTRIES) {
                    broken.extend(team.note(i, too_many_files()));
                }
                continue;
            }
            let held = team.folder.as_deref().map(held).unwrap_or_default();
            team.disk_used = held.bytes.saturating_sub(team.bytes_before).saturating_add(team.nameless.disk);
            team.most_disk_used = team.most_disk_used.max(team.disk_used);
            if held.entries > MOST_ENTRIES || team.disk_used > most.saturating_mul(1 << 20) {
                broken.extend(team.note(i, format!("more than {most} MiB of disk")));
            }
        }
        if let Some((team, words)) = self.largest_disk_user().filter(|_| scarce)
            && self.teams[team].disk_used >= self.teams[team].most_disk_used / 2
        {
            broken.extend(self.note_breach(team, words));
        }
        broken
    }

    /// Ends the processes of ended teams, and all processes of no known team if there are too many.
    fn end_broken(&mut self, mut found: Vec<Vec<Seen>>, started: &Started) {
        for _ in 0..KILL_ROUNDS {
            let ended = self.teams.iter().map(|team| team.ended);
            let crowded = found.last().is_some_and(|strays| strays.len() > MOST_STRAYS);
            let doomed = found.iter().zip(ended.chain([crowded])).filter(|(_, end)| *end);
            let doomed: Vec<&Seen> = doomed.flat_map(|(seen, _)| seen).collect();
            if doomed.is_empty() {
                return;
            }
            let groups = self.teams.iter().filter(|team| team.ended).filter_map(|team| team.group.as_ref());
            groups.for_each(|group| group.end());
            for seen in doomed {
                // An error means that it has already ended by itself.
                let _ = kill_process(seen.pid, Signal::KILL);
            }
            found = self.by_team(processes(), started);
        }
    }
}

impl Team {
    fn out_of_memory(&self) -> String {
        let most = self.limits.team_memory_mib.unwrap_or_default();
        format!("more than {most} MiB of memory in all its processes")
    }

    /// Notes a breach, in words, by this team, which has that index. Gives the index if it is the team's first breach.
    fn note(&mut self, index: usize, words: String) -> Option<usize> {
        let first = self.breach.is_none();
        self.breach.get_or_insert(words);
        self.ended = true;
        first.then_some(index)
    }
}

/// Whether the process descends from a process of the arena's program that isn't this one.
fn of_another_match(seen: Seen, all: &[(Seen, Owner)]) -> bool {
    let program = |pid: Pid| fs::read_link(format!("/proc/{pid}/exe")).ok();
    let parents: HashMap<Pid, Pid> =
        all.iter().filter_map(|(seen, _)| Some((seen.pid, Pid::from_raw(seen.parent)?))).collect();
    let own = program(getpid());
    let up = std::iter::successors(parents.get(&seen.pid).copied(), |pid| parents.get(pid).copied());
    own.is_some() && up.take(all.len()).any(|pid| program(pid) == own)
}

/// The breach of a team with too many files in its folders in memory, in words.
fn too_many_files() -> String {
    format!("more than {MOST_ENTRIES} files and folders")
}

/// The breach of a team that opened too many connections, in words.
pub fn too_many_connections() -> String {
    format!("more than {MOST_CONNECTIONS} connections in the match")
}

#[cfg(target_os = "linux")]
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_team_that_the_kernel_ended_for_its_memory_broke_that_limit_however_late_it_is_asked() {
        let folder = tempfile::tempdir().unwrap();
        let team = |name: &str, kills: u64| {
            let group = folder.path().join(name);
            fs::create_dir(&group).unwrap();
            fs::write(group.join("memory.events"), format!("max 9\noom 1\noom_kill {kills}\n")).unwrap();
            Team {
                limits: Limits { team_memory_mib: Some(300), ..Limits::default() },
                group: Some(Arc::new(Group::at(&group))),
                ..Team::default()
            }
        };
        let teams = vec![team("eats", 2), team("plays", 0)];
        let (record_folder, now) = (folder.path().to_path_buf(), Instant::now());
        let mut guard = Guard {
            teams,
            owners: HashMap::new(),
            record_folder,
            free_at_start: 0,
            next_look: now,
            next_disk_look: now,
            lookout: None,
        };
        assert_eq!([guard.breach(0), guard.breach(1)], [None; 2]);
        guard.note_out_of_memory();
        guard.note_out_of_memory();
        let breaches = [guard.breach(0), guard.breach(1)];
        assert_eq!(breaches, [Some("more than 300 MiB of memory in all its processes"), None]);
        // The kernel removes a group with all its files.
        for name in ["eats", "plays"] {
            fs::remove_dir_all(folder.path().join(name)).unwrap();
        }
    }
}
