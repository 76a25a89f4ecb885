//! Linux: the arena's end of the server's door.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io::{self, ErrorKind, Read};
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;

use rustix::process::geteuid;
use zappy_protocol::line::{Decoded, LineDecoder};
use zappy_protocol::{OBSERVER_NAME, Tick};

use super::{AtDoor, Seated, Tally};
use crate::diag::{self, Peer};
use crate::guard::{Guard, Known, Owner};
use crate::os::{self, Pid, Source};
use crate::programs::contain::root_of;
use crate::programs::process::SpawnOptions;
use crate::programs::sandbox::Containment;
use crate::relay::{MOST_CONNECTIONS, Relays, Voice};
use crate::setup::Setup;

/// Longer than any of the server's lines.
const LINE_LIMIT: usize = 256;
/// What is read at one go.
const CHUNK: usize = 4096;
/// The most connections that aren't players yet, and players, of which the arena remembers which bot opened them.
const MOST_CAME: usize = 4_096;
const MOST_SEATED: usize = 100_000;
/// How often the holder of a socket is looked for: tables change while they are read.
const LOOKS: usize = 3;
/// Where the system lists connections; a socket of the second kind may also be connected to an address of the first.
const TABLES: [&str; 2] = ["/proc/self/net/tcp", "/proc/self/net/tcp6"];

/// The arena's end of it.
#[derive(Debug)]
pub struct Door {
    stream: UnixStream,
    voice: Voice,
    /// Connections that each team has opened without a relay.
    opened: Vec<u32>,
    /// Whether the server has not closed it.
    open: bool,
    lines: LineDecoder,
    teams: Vec<AtDoor>,
    tally: Tally,
    /// Connections that came and aren't players yet, by their addresses: the order in which they came, and the bot's process.
    came: HashMap<SocketAddr, (u64, Option<Pid>)>,
    arrivals: u64,
    seated: Vec<Seated>,
    /// The players that were late since these were last asked for, with the ticks at which they were.
    late: Vec<(u32, Tick)>,
    /// The tick at which the match stands until it is told to go on.
    stands: Option<Tick>,
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
        let (lines, tally) = (LineDecoder::new(LINE_LIMIT), Tally::default());
        let (voice, opened) = (Voice::new(stream.try_clone()?), vec![0; teams.len()]);
        let door = Door {
            stream,
            voice,
            opened,
            open: true,
            lines,
            teams,
            tally,
            came: HashMap::new(),
            arrivals: 0,
            seated: Vec::new(),
            late: Vec::new(),
            stands: None,
        };
        Ok(Some((door, other.into())))
    }

    /// Says the server something before it asks.
    pub fn say(&self, line: &str) -> io::Result<()> {
        self.voice.say(line)
    }

    /// What others speak to the server with.
    pub fn voice(&self) -> Voice {
        self.voice.clone()
    }

    /// What to wait for; nothing once the server has closed it.
    pub fn pollable(&self) -> Option<Source<'_>> {
        self.open.then(|| os::source(&self.stream))
    }

    pub fn teams(&self) -> &[AtDoor] {
        &self.teams
    }

    /// The players, in the order of their admission.
    pub fn seated(&self) -> &[Seated] {
        &self.seated
    }

    /// The players that were late since the last call, with the ticks at which they were.
    pub fn late(&mut self) -> Vec<(u32, Tick)> {
        std::mem::take(&mut self.late)
    }

    /// The tick at which the match stands, told once.
    pub fn stands(&mut self) -> Option<Tick> {
        self.stands.take()
    }

    /// Connections that are no team's.
    pub fn tally(&self) -> Tally {
        self.tally
    }

    /// Answers whatever the server asks. Gives the teams that did something wrong for the first time, or opened too many
    /// connections.
    pub fn answer(
        &mut self,
        setup: &Setup,
        server: Option<SocketAddr>,
        relays: Option<&Relays>,
        guard: &mut Guard,
        known: &Known,
    ) -> Vec<usize> {
        let (mut came, mut guilty) = (Vec::new(), Vec::new());
        let seated = self.seated.len();
        for line in self.read() {
            match line.split(' ').collect::<Vec<_>>()[..] {
                ["came", number, peer] => came.push((number.to_owned(), peer.parse().ok())),
                ["seated", peer, number] => self.seat(peer.parse().ok(), number.parse().ok(), relays, known),
                ["late", number, tick] => self.late.extend(number.parse().ok().zip(tick.parse().ok())),
                ["stands", tick] => self.stands = tick.parse().ok(),
                ["foul", name, said] => guilty.extend(self.note(setup, name, said)),
                ["unknown", name, ref said @ ..] => {
                    if let Some(team) = team_of(setup, name) {
                        self.teams[team].misnamed.get_or_insert(said.join(" "));
                    }
                }
                ["signal", signal, pid] => {
                    let pid = pid.parse().ok().and_then(Pid::from_raw);
                    let what = format!("the server signal {signal}");
                    guilty.extend(self.meddled(setup, guard, known, pid, &what));
                }
                _ => log::error!("the server says at its door what nobody understands: {line}"),
            }
        }
        // One that has just come is there for sure, since the server waits.
        if !came.is_empty() || self.seated.len() > seated {
            guard.recognise(known);
        }
        if !came.is_empty() {
            let peers: Vec<SocketAddr> = came.iter().filter_map(|(_, peer)| *peer).collect();
            // What came through a relay needn't be looked for.
            let carried =
                |peer: &SocketAddr| Some((*peer, (Owner::Team(relays?.connection(peer)?.team), None)));
            let mut owners: HashMap<SocketAddr, (Owner, Option<Pid>)> =
                peers.iter().filter_map(carried).collect();
            let others: Vec<SocketAddr> =
                peers.into_iter().filter(|peer| !owners.contains_key(peer)).collect();
            if let Some(server) = server.filter(|_| !others.is_empty()) {
                owners.extend(self::owners(server, &others, guard, known));
            }
            let mut answers = String::new();
            for (number, peer) in &came {
                let found = peer.as_ref().and_then(|peer| owners.get(peer)).copied();
                let owner = found.map(|(owner, _)| owner);
                if let Some((peer, (_, pid))) = peer.zip(found) {
                    let bot = pid.and_then(|pid| root_of(pid, &known.roots));
                    self.arrivals += 1;
                    if self.came.len() < MOST_CAME {
                        self.came.insert(peer, (self.arrivals, bot));
                    }
                }
                self.tally.count(owner);
                answers += &match owner {
                    Some(Owner::Team(team)) if self.has_left(setup, relays, team) => {
                        self.teams[team].came = true;
                        format!("{number} in {}\n", setup.entries[team].team)
                    }
                    Some(Owner::Team(team)) => {
                        guilty.extend(guard.exhaust(team));
                        format!("{number} out\n")
                    }
                    Some(Owner::Apart | Owner::Outside) => format!("{number} in\n"),
                    Some(Owner::Stray) | None => format!("{number} out\n"),
                };
            }
            // A server that has ended needs none; nor may one that doesn't read keep the arena.
            let _ = self.voice.say(&answers);
        }
        guilty
    }

    fn seat(
        &mut self,
        peer: Option<SocketAddr>,
        player: Option<u32>,
        relays: Option<&Relays>,
        known: &Known,
    ) {
        let Some((peer, player)) = peer.zip(player) else { return };
        let carried = || {
            let there = relays?.connection(&peer)?;
            Some((there.arrival, root_of(there.relay?, &known.roots)))
        };
        // The server may have asked about one that a relay carries before it heard of it.
        let came = self.came.remove(&peer);
        let (arrival, bot) = carried().or(came).unwrap_or((u64::MAX, None));
        if self.seated.len() < MOST_SEATED {
            self.seated.push(Seated { arrival, player, bot });
        }
    }

    /// Counts a connection of a team; whether it may still open one. Relays count theirs.
    fn has_left(&mut self, setup: &Setup, relays: Option<&Relays>, team: usize) -> bool {
        let SpawnOptions { limits, containment, .. } = &setup.entries[team].spawn;
        if limits.files.is_none() || relays.is_some() && *containment == Containment::Bubblewrap {
            return true;
        }
        self.opened[team] = self.opened[team].saturating_add(1);
        self.opened[team] <= MOST_CONNECTIONS
    }

    fn read(&mut self) -> Vec<String> {
        let (mut chunk, mut lines) = ([0; CHUNK], Vec::new());
        loop {
            let count = match self.stream.read(&mut chunk) {
                Ok(count @ 1..) => count,
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => break,
                Ok(_) | Err(_) => {
                    self.open = false;
                    break;
                }
            };
            self.lines.push(&chunk[..count]);
            while let Some(line) = self.lines.next_line() {
                if let Decoded::Line(line) = line {
                    lines.push(String::from_utf8_lossy(line).into_owned());
                }
            }
        }
        lines
    }

    /// Notes that this process sent something that would have ended the match. Gives its team, if it is one's and this
    /// is the first that it did wrong.
    pub fn meddled(
        &mut self,
        setup: &Setup,
        guard: &mut Guard,
        known: &Known,
        pid: Option<Pid>,
        what: &str,
    ) -> Option<usize> {
        match pid.and_then(|pid| guard.owner(pid, known)) {
            Some(Owner::Team(team)) => self.blame(setup, team, format!("a program of it sent {what}")),
            _ => {
                let from = pid.map_or_else(String::new, |pid| format!(" (process {pid})"));
                log::warn!("a program that is no team's, or has ended since{from}, sent {what}");
                None
            }
        }
    }

    fn note(&mut self, setup: &Setup, name: &str, said: &str) -> Option<usize> {
        let team = team_of(setup, name)?;
        let words = match said {
            OBSERVER_NAME => "a program of it wanted to watch as an observer".to_owned(),
            _ => format!("a program of it said that it was of {said}"),
        };
        self.blame(setup, team, words)
    }

    fn blame(&mut self, setup: &Setup, team: usize, words: String) -> Option<usize> {
        if self.teams[team].foul.is_some() {
            return None;
        }
        let name = setup.entries[team].team.as_str();
        log::warn!("{name} broke the rules and was ended: {words}");
        self.teams[team].foul = Some(words);
        Some(team)
    }
}

impl Tally {
    fn count(&mut self, owner: Option<Owner>) {
        match owner {
            Some(Owner::Team(_) | Owner::Apart) => {}
            Some(Owner::Outside) => self.outside += 1,
            Some(Owner::Stray) | None => {
                if self.unheld == 0 {
                    // It is said once: the result has their number, and a bot could cause this line without
                    // end.
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

/// The owner of each connection; a connection is left out if nothing sure can be said of it.
fn owners(
    server: SocketAddr,
    peers: &[SocketAddr],
    guard: &mut Guard,
    known: &Known,
) -> HashMap<SocketAddr, (Owner, Option<Pid>)> {
    let mut found = HashMap::new();
    for _ in 0..LOOKS {
        let missing: HashSet<SocketAddr> =
            peers.iter().copied().filter(|peer| !found.contains_key(peer)).collect();
        if missing.is_empty() {
            break;
        }
        let sockets = ends(server, &missing);
        let wanted = sockets.values().map(|socket| socket.inode).collect();
        let holders = guard.holders(&wanted, known);
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
