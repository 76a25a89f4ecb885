//! Linux: answers at the server's door which connections may come in.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io::{self, ErrorKind, Read};
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;

use rustix::process::geteuid;
use zappy_protocol::OBSERVER_NAME;
use zappy_protocol::line::{Decoded, LineDecoder};

use super::{AtDoor, Door, Seated, Tally};
use crate::diag::{self, Peer};
use crate::guard::{Guard, Owner, Started, too_many_connections};
use crate::os::{self, Pid, Source};
use crate::programs::contain::root_of;
use crate::programs::process::SpawnOptions;
use crate::programs::sandbox::Containment;
use crate::relay::{MOST_CONNECTIONS, Relays, Voice};
use crate::setup::Setup;

/// Longer than any of the server's lines.
const LINE_LIMIT: usize = 256;
/// Bytes that are read at once.
const CHUNK: usize = 4096;
/// The most connections that aren't players yet, and players, of which the arena remembers which bot opened them.
const MOST_CAME: usize = 4_096;
const MOST_SEATED: usize = 100_000;
/// How often the process that holds a socket is looked for: tables change while they are read.
const LOOKS: usize = 3;
/// Where the system lists connections; a socket of the second kind may also be connected to an address of the first.
const TABLES: [&str; 2] = ["/proc/self/net/tcp", "/proc/self/net/tcp6"];

/// The connection to the server's door, and what is known of connections that aren't players yet.
#[derive(Debug)]
pub(super) struct Wire {
    stream: UnixStream,
    /// Whether the server has not closed it.
    open: bool,
    lines: LineDecoder,
    /// Connections that each team has opened without a relay.
    opened: Vec<u32>,
    /// Connections that came and aren't players yet, by their addresses: the order in which they came, and the bot's process.
    came: HashMap<SocketAddr, (u64, Option<Pid>)>,
    arrivals: u64,
}

impl Door {
    /// Both ends, the server's last; `None` where the system doesn't tell which process holds a connection.
    pub fn open(teams: Vec<AtDoor>) -> io::Result<Option<(Door, OwnedFd)>> {
        if fs::File::open(TABLES[0]).is_err() || fs::read_dir("/proc/self/fd").is_err() {
            log::warn!("this system doesn't tell whose a connection is; a bot may come in under any name");
            return Ok(None);
        }
        let (stream, other) = UnixStream::pair()?;
        stream.set_nonblocking(true)?;
        let (voice, opened) = (Voice::new(stream.try_clone()?), vec![0; teams.len()]);
        let lines = LineDecoder::new(LINE_LIMIT);
        let wire = Wire { stream, open: true, lines, opened, came: HashMap::new(), arrivals: 0 };
        let (seated, late, tally) = (Vec::new(), Vec::new(), Tally::default());
        Ok(Some((Door { voice, teams, seated, late, stands: None, tally, wire }, other.into())))
    }

    /// What to wait for; nothing once the server has closed it.
    pub fn pollable(&self) -> Option<Source<'_>> {
        self.wire.open.then(|| os::source(&self.wire.stream))
    }

    /// Answers whatever the server asks. Gives the teams that did something wrong for the first time, or opened too many
    /// connections.
    pub fn answer(
        &mut self,
        setup: &Setup,
        server: Option<SocketAddr>,
        relays: Option<&Relays>,
        guard: &mut Guard,
        started: &Started,
    ) -> Vec<usize> {
        let (mut came, mut guilty) = (Vec::new(), Vec::new());
        let seated = self.seated.len();
        for line in self.wire.read() {
            match line.split(' ').collect::<Vec<_>>()[..] {
                ["came", number, peer] => came.push((number.to_owned(), peer.parse().ok())),
                ["seated", peer, number] => {
                    if let (Ok(peer), Ok(number)) = (peer.parse(), number.parse()) {
                        self.seat(peer, number, relays, started);
                    }
                }
                ["late", number, tick] => self.late.extend(number.parse().ok().zip(tick.parse().ok())),
                ["stands", tick] => self.stands = tick.parse().ok(),
                ["foul", name, said] => {
                    let words = match said {
                        OBSERVER_NAME => "a program of it wanted to watch as an observer".to_owned(),
                        _ => format!("a program of it said that it was of {said}"),
                    };
                    guilty.extend(team_of(setup, name).and_then(|team| self.blame(setup, team, words)));
                }
                ["unknown", name, ref said @ ..] => {
                    if let Some(team) = team_of(setup, name) {
                        self.teams[team].misnamed.get_or_insert(said.join(" "));
                    }
                }
                ["signal", signal, pid] => {
                    let pid = pid.parse().ok().and_then(Pid::from_raw);
                    let what = format!("the server signal {signal}");
                    guilty.extend(self.meddled(setup, guard, started, pid, &what));
                }
                _ => log::error!("the server says at its door what nobody understands: {line}"),
            }
        }
        // A process that has just connected still runs for sure, since the server waits.
        if guard.lookout.is_some() && (!came.is_empty() || self.seated.len() > seated) {
            guard.look(started);
        }
        if !came.is_empty() {
            let peers: Vec<SocketAddr> = came.iter().filter_map(|(_, peer)| *peer).collect();
            let owners = owners(server, &peers, relays, guard, started);
            let mut answers = String::new();
            for (number, peer) in &came {
                let found = peer.as_ref().and_then(|peer| owners.get(peer)).copied();
                let owner = found.map(|(owner, _)| owner);
                if let Some((peer, (_, pid))) = peer.zip(found) {
                    let bot = pid.and_then(|pid| root_of(pid, &started.roots));
                    self.wire.arrivals += 1;
                    if self.wire.came.len() < MOST_CAME {
                        self.wire.came.insert(peer, (self.wire.arrivals, bot));
                    }
                }
                self.tally.count(owner);
                answers += &match owner {
                    Some(Owner::Team(team)) if self.may_have_more(setup, relays, team) => {
                        self.teams[team].came = true;
                        format!("{number} in {}\n", setup.entries[team].team)
                    }
                    Some(Owner::Team(team)) => {
                        guilty.extend(guard.note_breach(team, too_many_connections()));
                        format!("{number} out\n")
                    }
                    Some(Owner::Arena | Owner::Outside) => format!("{number} in\n"),
                    Some(Owner::Stray) | None => format!("{number} out\n"),
                };
            }
            // A server that has ended needs none; nor may one that doesn't read keep the arena.
            let _ = self.voice.say(&answers);
        }
        guilty
    }

    /// Notes which bot plays a player that has just been admitted.
    fn seat(&mut self, peer: SocketAddr, player: u32, relays: Option<&Relays>, started: &Started) {
        let carried = || {
            let there = relays?.connection(&peer)?;
            Some((there.arrival, root_of(there.relay?, &started.roots)))
        };
        // The server may have asked about a connection of a relay before it heard of it.
        let came = self.wire.came.remove(&peer);
        let (arrival, bot) = carried().or(came).unwrap_or((u64::MAX, None));
        if self.seated.len() < MOST_SEATED {
            self.seated.push(Seated { arrival, player, bot });
        }
    }

    /// Counts a connection of a team; whether the team may still have one more. Relays count theirs.
    fn may_have_more(&mut self, setup: &Setup, relays: Option<&Relays>, team: usize) -> bool {
        let SpawnOptions { limits, containment, .. } = &setup.entries[team].spawn;
        if limits.files.is_none() || relays.is_some() && *containment == Containment::Bubblewrap {
            return true;
        }
        let opened = &mut self.wire.opened[team];
        *opened = opened.saturating_add(1);
        *opened <= MOST_CONNECTIONS
    }

    /// Notes that this process sent something that would have ended the match. Gives its team, if it is one's and this
    /// is the first that it did wrong.
    pub fn meddled(
        &mut self,
        setup: &Setup,
        guard: &mut Guard,
        started: &Started,
        pid: Option<Pid>,
        what: &str,
    ) -> Option<usize> {
        match pid.and_then(|pid| guard.owner(pid, started)) {
            Some(Owner::Team(team)) => self.blame(setup, team, format!("a program of it sent {what}")),
            _ => {
                let from = pid.map_or_else(String::new, |pid| format!(" (process {pid})"));
                log::warn!("a program that is no team's, or has ended since{from}, sent {what}");
                None
            }
        }
    }

    /// Notes what a team did wrong. Gives the team if it is the first time.
    fn blame(&mut self, setup: &Setup, team: usize, words: String) -> Option<usize> {
        if self.teams[team].foul.is_some() {
            return None;
        }
        log::warn!("{} broke the rules and was ended: {words}", setup.entries[team].team);
        self.teams[team].foul = Some(words);
        Some(team)
    }
}

impl Wire {
    /// The whole lines that have come.
    fn read(&mut self) -> Vec<String> {
        let (mut chunk, mut lines) = ([0; CHUNK], Vec::new());
        loop {
            match self.stream.read(&mut chunk) {
                Ok(count @ 1..) => self.lines.push(&chunk[..count]),
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => break,
                Ok(_) | Err(_) => {
                    self.open = false;
                    break;
                }
            }
            while let Some(line) = self.lines.next_line() {
                if let Decoded::Line(line) = line {
                    lines.push(String::from_utf8_lossy(line).into_owned());
                }
            }
        }
        lines
    }
}

impl Tally {
    fn count(&mut self, owner: Option<Owner>) {
        match owner {
            Some(Owner::Team(_) | Owner::Arena) => {}
            Some(Owner::Outside) => self.outside += 1,
            Some(Owner::Stray) | None => {
                if self.unheld == 0 {
                    // Only once: the result has their number, and a bot could cause this line without end.
                    log::warn!("a connection was not let in: nobody who may come in is seen to hold it");
                }
                self.unheld += 1;
            }
        }
    }
}

fn team_of(setup: &Setup, name: &str) -> Option<usize> {
    setup.entries.iter().position(|entry| entry.team.as_str() == name)
}

/// The owner of each connection, and the process that holds it, if it was looked for; a connection is left out if nothing
/// sure can be said of it.
fn owners(
    server: Option<SocketAddr>,
    peers: &[SocketAddr],
    relays: Option<&Relays>,
    guard: &mut Guard,
    started: &Started,
) -> HashMap<SocketAddr, (Owner, Option<Pid>)> {
    // A connection that came through a relay needn't be looked for.
    let carried = |peer: &SocketAddr| Some((*peer, (Owner::Team(relays?.connection(peer)?.team), None)));
    let mut found: HashMap<_, _> = peers.iter().filter_map(carried).collect();
    let Some(server) = server else { return found };
    for _ in 0..LOOKS {
        let missing: HashSet<SocketAddr> =
            peers.iter().copied().filter(|peer| !found.contains_key(peer)).collect();
        if missing.is_empty() {
            break;
        }
        let sockets = ends(server, &missing);
        let wanted = sockets.values().map(|socket| socket.inode).collect();
        let holders = guard.holders(&wanted, started);
        for (peer, socket) in sockets {
            // Root sees all descriptors; another user those of its own programs.
            let foreign = !geteuid().is_root() && socket.user != geteuid().as_raw();
            let holder = holders.get(&socket.inode).map(|&(owner, pid)| (owner, Some(pid)));
            let owner = holder.or(foreign.then_some((Owner::Outside, None)));
            found.extend(owner.map(|owner| (peer, owner)));
        }
    }
    found
}

/// The sockets at the other end of connections to the server, as far as a process still has them open.
fn ends(server: SocketAddr, peers: &HashSet<SocketAddr>) -> HashMap<SocketAddr, Peer> {
    let asked: Vec<SocketAddr> = peers.iter().copied().collect();
    match diag::ends(server, &asked) {
        Ok(found) => asked.into_iter().zip(found).filter_map(|(peer, end)| Some((peer, end?))).collect(),
        Err(_) => listed(server, peers),
    }
}

/// The same from the table of all connections.
fn listed(server: SocketAddr, peers: &HashSet<SocketAddr>) -> HashMap<SocketAddr, Peer> {
    let texts = TABLES.iter().filter_map(|table| fs::read_to_string(table).ok());
    let mut found = HashMap::new();
    for text in texts {
        let rows = text.lines().skip(1).filter_map(row);
        let ours = rows.filter(|(own, other, _)| *other == server && peers.contains(own));
        found.extend(ours.filter(|(.., socket)| socket.inode != 0).map(|(own, _, socket)| (own, socket)));
    }
    found
}

/// A line of the system's table: an end's own address, the other end's, and the socket.
fn row(line: &str) -> Option<(SocketAddr, SocketAddr, Peer)> {
    let mut fields = line.split_ascii_whitespace();
    let (own, other) = (address(fields.nth(1)?)?, address(fields.next()?)?);
    let (_, unread) = fields.nth(1)?.split_once(':')?;
    let unread = u32::from_str_radix(unread, 16).ok()?;
    let user = fields.nth(2)?.parse().ok()?;
    let inode = fields.nth(1)?.parse().ok()?;
    Some((own, other, Peer { inode, user, unread }))
}

/// `0100007F:1092`: words of 32 bits as they lie in memory, then the port.
fn address(text: &str) -> Option<SocketAddr> {
    let (host, port) = text.split_once(':')?;
    let words: Option<Vec<[u8; 4]>> = (0..host.len())
        .step_by(8)
        .map(|at| Some(u32::from_str_radix(host.get(at..at + 8)?, 16).ok()?.to_ne_bytes()))
        .collect();
    let bytes = words?.concat();
    let ip = match <[u8; 4]>::try_from(&bytes[..]) {
        Ok(four) => IpAddr::from(four),
        Err(_) => Ipv6Addr::from(<[u8; 16]>::try_from(&bytes[..]).ok()?).to_canonical(),
    };
    Some(SocketAddr::new(ip, u16::from_str_radix(port, 16).ok()?))
}

#[cfg(test)]
mod tests {
    use std::net::{TcpListener, TcpStream};
    use std::thread;
    use std::time::{Duration, Instant};

    use rustix::process::getpid;

    use super::*;

    #[test]
    fn addresses_of_both_kinds_are_read() {
        let little = cfg!(target_endian = "little");
        let text = if little { "0100007F:1092" } else { "7F000001:1092" };
        assert_eq!(address(text), Some("127.0.0.1:4242".parse().unwrap()));
        let mapped = if little {
            "0000000000000000FFFF00000100007F:0050"
        } else {
            "00000000000000000000FFFF7F000001:0050"
        };
        assert_eq!(address(mapped), Some("127.0.0.1:80".parse().unwrap()));
        assert!(["", ":", "01:1", "0100007F", "0100007F:x"].iter().all(|text| address(text).is_none()));
    }

    #[test]
    fn the_other_end_is_found_as_long_as_somebody_has_it() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let server = listener.local_addr().unwrap();
        let client = TcpStream::connect(server).unwrap();
        let peer = client.local_addr().unwrap();
        let accepted = listener.accept().unwrap();
        if fs::File::open(TABLES[0]).is_err() {
            return;
        }
        let asked = HashSet::from([peer, server]);
        let socket = listed(server, &asked)[&peer];
        assert_eq!((listed(server, &asked).len(), socket.user), (1, geteuid().as_raw()));
        assert_eq!(ends(server, &asked), HashMap::from([(peer, socket)]), "both ways tell the same");
        assert!(diag::sockets(getpid()).any(|inode| inode == socket.inode));
        drop(client);
        // A process that another test is starting has the socket, too, until it becomes another program.
        let deadline = Instant::now() + Duration::from_secs(30);
        while !listed(server, &asked).is_empty() && Instant::now() < deadline {
            thread::yield_now();
        }
        assert_eq!(listed(server, &asked), HashMap::new(), "{:?}", accepted.1);
        assert_eq!(ends(server, &asked), HashMap::new());
    }
}
