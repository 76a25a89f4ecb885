//! A match that is over: whether its record proves its result, whether something else than the arena ended the server
//! or told the arena to stop, and its result, composed of the server's result and of what the arena saw.
//!
//! Without the server's result the match has no winner, and its reason is how the arena ended it. Tested in
//! `arena/cli/tests/endings.rs`, `arena/cli/tests/tournament/proof.rs` and `arena/cli/tests/tournament/signals.rs`.

use zappy_game::config::Clock;
use zappy_server::result::MatchResult;

use super::Match;
use crate::bot::Bot;
use crate::door::AtDoor;
use crate::folder::remove_folder;
use crate::os::Signal;
use crate::programs::environment::bot_seed;
use crate::programs::limits::Limits;
use crate::programs::process::SpawnOptions;
use crate::programs::sandbox::Containment;
use crate::proof::{Suspicion, prove};
use crate::result::{
    ArenaPart, ArenaResult, Ending, HeldBy, Holder, Nothing, ProgramPart, SeedKind, ServerPart, TeamPart,
    Told, describe_end,
};
use crate::setup::Debugging;

/// The reason that a server gives in its result when it was told to stop.
const STOPPED: &str = "stopped";
/// Signals that say nothing about what the program did: another program sent them, or the system when it had no memory
/// left.
const FROM_OUTSIDE: [Signal; 4] = [Signal::HUP, Signal::INT, Signal::KILL, Signal::TERM];

fn is_from_outside(signal: i32) -> bool {
    FROM_OUTSIDE.iter().any(|known| known.as_raw() == signal)
}

impl Match<'_> {
    /// The suspicion that a program other than the arena ended the server, or told the arena to stop and couldn't be
    /// found. The kernel doesn't tell which process sent a `SIGKILL`; a program that isn't contained can send one.
    pub(super) fn suspicion(&self, outcome: Ending, result: Option<&MatchResult>) -> Option<Suspicion> {
        let how = if outcome == Ending::Interrupted {
            let words = "a program that had ended when it was looked for told the arena to stop";
            self.signals.doubtful.then(|| words.to_owned())?
        } else {
            let ended = self.server.ended.filter(|ended| !ended.told)?;
            match ended.signal {
                Some(signal) if is_from_outside(signal) => {
                    format!("somebody, or the system for want of memory, ended it by signal {signal}")
                }
                None if result.is_some_and(|result| result.reason == STOPPED) => {
                    "somebody told it to stop".to_owned()
                }
                _ => return None,
            }
        };
        let uncontained = self.setup.entries.iter().any(|entry| entry.spawn.containment == Containment::None);
        Some(Suspicion::new(&how, uncontained, &self.folder.record(), self.setup.games))
    }

    /// Measures a tournament's copies of the bots' folders, and removes them before the result is written, so that what
    /// bots left in them doesn't take the disk that the result needs.
    pub(super) fn clear_folders(&mut self) {
        if !self.setup.copied {
            return;
        }
        self.guard.measure_disks();
        for folder in self.setup.entries.iter().filter_map(|entry| entry.spawn.folder.as_deref()) {
            if let Err(error) = remove_folder(folder) {
                log::warn!("{} can't be removed: {error}", folder.display());
            }
        }
    }

    /// Plays the record again. The error says in words why it doesn't prove the result, and which team used most of the
    /// disk. `None` if there is no result, or if the match was interrupted or has failed.
    pub(super) fn prove(&self, outcome: Ending, result: Option<&MatchResult>) -> Option<Result<(), String>> {
        let over = matches!(outcome, Ending::Ended | Ending::Deserted | Ending::TimedOut);
        let result = result.filter(|_| over)?;
        Some(
            prove(&self.folder.record(), self.setup.games, result)
                .map_err(|why| why + &self.disk_use_words()),
        )
    }

    /// Words that end an error with the team that used half of the free disk or more; empty if no team did.
    pub(super) fn disk_use_words(&self) -> String {
        let words =
            |(team, words): (usize, String)| format!("; {} used {words}", self.setup.entries[team].team);
        self.guard.largest_disk_user().map(words).unwrap_or_default()
    }

    /// What the arena saw of the programs; the caller adds how the match ended. `attached`: for each team the players
    /// that people started themselves.
    pub(super) fn arena_part(&self, attached: &[Option<Vec<u32>>]) -> ArenaPart {
        let (setup, at_door, tally) = (self.setup, self.at_door(), self.door.as_ref().map(|door| door.tally));
        let teams = setup.entries.iter().enumerate().map(|(team, entry)| {
            let processes = self.bots.iter().filter(|bot| bot.team == team).map(|bot| ProgramPart {
                log: bot.log(),
                players: bot.players(self.seated()),
                log_cut: bot.process.log.cut,
                log_ticks: bot.process.log.ticks.clone(),
                end: bot.process.ended.map(describe_end),
            });
            let processes: Vec<ProgramPart> = processes.collect();
            let AtDoor { foul, came, misnamed, runs_client } = at_door.get(team).cloned().unwrap_or_default();
            TeamPart {
                team: entry.team.to_string(),
                seed: bot_seed(setup.seed, team),
                command: entry.command.text().to_owned(),
                started: processes.len(),
                user: entry.spawn.user,
                held_by: held_by(&entry.spawn),
                limit_broken: self.guard.breach(team).map(str::to_owned),
                foul,
                came,
                misnamed,
                runs_client,
                attached: attached[team].clone(),
                processes,
            }
        });
        ArenaPart {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            debug: setup.debugging != Debugging::No,
            seed_kind: if setup.sealed { SeedKind::Sealed } else { SeedKind::Open },
            containment: setup.entries.first().map(|entry| entry.spawn.containment).unwrap_or_default(),
            server: Some(ServerPart { path: setup.server.clone(), end: self.server.ended.map(describe_end) }),
            teams: teams.collect(),
            connections_from_outside: tally.map(|tally| tally.outside),
            connections_not_let_in: tally.map(|tally| tally.unheld),
            ..ArenaPart::default()
        }
    }

    /// Joins the server's result, if it left one, and what the arena saw.
    pub(super) fn compose(&self, played: Option<MatchResult>, arena: ArenaPart) -> ArenaResult {
        let mut causes = match self.setup.clock.clock {
            Clock::Real => Vec::new(),
            Clock::Lockstep => self.interventions(&arena.teams),
        };
        let touched = !causes.is_empty();
        let told = match played {
            Some(mut result) => {
                result.reproducible &= !touched;
                if result.teams.iter().all(|team| team.conduct.joined == 0) {
                    // The server knows only that it was told to stop.
                    let words = match arena.outcome {
                        Ending::TimedOut => Some("it was cut off before any bot had logged in"),
                        Ending::Deserted => Some("nobody joined: all programs of the bots had ended before"),
                        _ => None,
                    };
                    result.not_reproducible =
                        words.map_or(result.not_reproducible, |words| vec![words.to_owned()]);
                }
                result.not_reproducible.append(&mut causes);
                let guilty =
                    |name: &String| arena.teams.iter().any(|team| team.foul.is_some() && team.team == *name);
                result.winner = result.winner.filter(|team| !guilty(team));
                result.winners.retain(|team| !guilty(team));
                Told::Whole(Box::new(result))
            }
            None => Told::Nothing(Nothing {
                winner: None,
                reason: arena.outcome,
                ticks: None,
                seed: self.setup.seed,
                reproducible: touched.then_some(false),
                not_reproducible: causes,
            }),
        };
        ArenaResult { told, arena: Some(arena) }
    }

    /// Reasons why a match in lockstep isn't reproducible that the server can't know, in words.
    fn interventions(&self, teams: &[TeamPart]) -> Vec<String> {
        let killed = |bot: &&Bot| {
            let end = bot.process.ended.filter(|end| !end.told);
            end.and_then(|end| end.signal).is_some_and(is_from_outside)
        };
        let names = self.bots.iter().filter(killed).map(|bot| bot.process.name());
        let mut causes: Vec<String> =
            names.map(|name| format!("somebody ended {name} by a signal")).collect();
        let broken = teams.iter().filter_map(|team| Some((&team.team, team.limit_broken.as_ref()?)));
        causes.extend(broken.map(|(team, limit)| format!("{team} used {limit}")));
        let fouls = teams.iter().filter_map(|team| Some((&team.team, team.foul.as_ref()?)));
        causes.extend(fouls.map(|(team, foul)| format!("{team} was ended: {foul}")));
        let attached = teams.iter().filter(|team| team.attached.is_some()).map(|team| &team.team);
        causes.extend(
            attached.map(|team| format!("the arena doesn't know which program of {team} was attached")),
        );
        let absent = self.absent.teams.iter().map(|&team| &teams[team].team);
        let words = "ended before the match could begin, and it was played without";
        causes.extend(absent.map(|team| format!("all programs of {team} {words}")));
        causes
    }
}

/// What holds the programs of a team, taken together, to each of its limits.
fn held_by(spawn: &SpawnOptions) -> HeldBy {
    let limit = |limited: bool, holder| if limited { holder } else { Holder::None };
    let grouped = |otherwise| if spawn.group.is_some() { Holder::Cgroup } else { otherwise };
    let Limits { team_memory_mib, processes, disk_mib, .. } = spawn.limits;
    // Without a folder of its own a contained team writes into folders in memory alone.
    let inside = spawn.containment == Containment::Bubblewrap && spawn.folder.is_none();
    let in_memory = spawn.hold.is_some() || inside;
    HeldBy {
        memory: limit(team_memory_mib.is_some(), grouped(Holder::Guard)),
        processes: limit(processes.is_some(), Holder::Guard),
        tasks: limit(processes.is_some(), grouped(Holder::None)),
        disk: limit(disk_mib.is_some(), if in_memory { Holder::Tmpfs } else { Holder::Guard }),
        processors: limit(spawn.group.as_ref().is_some_and(|group| group.shares()), Holder::Cgroup),
    }
}
