//! Follows a match as an observer does, to tell people what happens while it runs.
//!
//! Reads only now and then and drops what it doesn't show; a server doesn't wait for its observers. Whatever
//! goes wrong here ends the watching, never the match. Tested in this module.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use zappy_protocol::line::{Decoded, LineDecoder};
use zappy_protocol::zappy::PlayerId;
use zappy_protocol::zappy::mirror::Mirror;
use zappy_protocol::zappy::observer::Message;
use zappy_protocol::{TeamName, Tick};

const CONNECT_LIMIT: Duration = Duration::from_secs(1);
/// Longer messages than this are of no interest.
const LINE_LIMIT: usize = 4096;
/// Bytes taken at one go, before the logs have their turn again.
const READ_LIMIT: usize = 1 << 20;
const CHUNK: usize = 64 * 1024;
/// How many levels there are.
pub const LEVELS: usize = 8;

/// What is known of one team.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// The team.
    pub team: TeamName,
    /// Living players at each level.
    pub levels: [u32; LEVELS],
    /// The highest level any of its players reached.
    pub best: u8,
    /// Players that died or left.
    pub lost: u32,
}

impl Standing {
    /// Living players.
    #[must_use]
    pub fn alive(&self) -> u32 {
        self.levels.iter().sum()
    }
}

/// Something worth a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum News {
    /// A team has a player of this level for the first time.
    Reached(TeamName, u8),
    /// A team has won.
    Won(TeamName),
}

/// Whether the tick can be reckoned from the frequency that is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ticks {
    /// Time runs from the beginning.
    FromStart,
    /// Time stands still until the players come in.
    FromFirstPlayer,
    /// Time passes as it likes.
    Unknown,
}

/// The observer.
#[derive(Debug)]
pub struct Watch {
    stream: Option<TcpStream>,
    lines: LineDecoder,
    mirror: Mirror,
    standings: Vec<Standing>,
    /// When the frequency was last told, and the tick then as far as one can tell.
    anchor: Option<(Instant, f64)>,
    ticks: Ticks,
}

impl Watch {
    /// Sees nothing yet.
    #[must_use]
    pub fn new(teams: impl Iterator<Item = TeamName>, ticks: Ticks) -> Watch {
        let standing = |team| Standing { team, levels: [0; LEVELS], best: 1, lost: 0 };
        Watch {
            stream: None,
            lines: LineDecoder::new(LINE_LIMIT),
            mirror: Mirror::new(),
            standings: teams.map(standing).collect(),
            anchor: None,
            ticks,
        }
    }

    /// Logs in as an observer.
    pub fn connect(&mut self, address: SocketAddr) {
        let login = || -> std::io::Result<TcpStream> {
            let mut stream = TcpStream::connect_timeout(&address, CONNECT_LIMIT)?;
            writeln!(stream, "{}", zappy_protocol::OBSERVER_NAME)?;
            stream.set_nonblocking(true)?;
            Ok(stream)
        };
        match login() {
            Ok(stream) => self.stream = Some(stream),
            Err(error) => log::info!("can't watch the match, which goes on: {error}"),
        }
    }

    /// Takes what has come.
    pub fn read(&mut self) -> Vec<News> {
        let mut news = Vec::new();
        let mut chunk = [0; CHUNK];
        let mut taken = 0;
        while let Some(stream) = self.stream.as_mut().filter(|_| taken < READ_LIMIT) {
            match stream.read(&mut chunk) {
                Ok(0) => self.stream = None,
                Ok(n) => {
                    taken += n;
                    self.take(&chunk[..n], &mut news);
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => self.stream = None,
            }
        }
        news
    }

    fn take(&mut self, bytes: &[u8], news: &mut Vec<News>) {
        self.lines.push(bytes);
        loop {
            let message = match self.lines.next_line() {
                // Most of the traffic, and nothing that is shown.
                Some(Decoded::Line(line)) if is_dull(line) => continue,
                Some(Decoded::Line(line)) => Message::parse(line),
                Some(Decoded::Overflow) => continue,
                None => return,
            };
            if let Ok(message) = message {
                self.apply(&message, news);
            }
        }
    }

    fn apply(&mut self, message: &Message, news: &mut Vec<News>) {
        match message {
            Message::Died(player) => {
                self.count(*player, |standing, level| {
                    standing.lost += 1;
                    standing.levels[level] = standing.levels[level].saturating_sub(1);
                });
            }
            Message::Rate(_) => self.anchor = Some((Instant::now(), self.exact_tick())),
            Message::Won(team) => news.push(News::Won(team.clone())),
            Message::PlayerLevel { player, .. } => {
                self.count(*player, |standing, level| {
                    standing.levels[level] = standing.levels[level].saturating_sub(1);
                });
            }
            _ => {}
        }
        let first = matches!(message, Message::PlayerJoined { .. }) && self.mirror.players.is_empty();
        if first && self.ticks == Ticks::FromFirstPlayer && self.standings.iter().all(|s| s.lost == 0) {
            self.anchor = Some((Instant::now(), 0.0));
        }
        let known = matches!(message, Message::PlayerJoined { player, .. } if self.mirror.players.contains_key(player));
        // What doesn't fit was missed while the server had no time for us.
        let _ = self.mirror.apply(message);
        match message {
            Message::PlayerLevel { player, .. } => self.rise(*player, news),
            Message::PlayerJoined { player, .. } if !known => self.rise(*player, news),
            _ => {}
        }
    }

    /// Counts a player at the level it has now.
    fn rise(&mut self, player: PlayerId, news: &mut Vec<News>) {
        self.count(player, |standing, level| {
            standing.levels[level] += 1;
            let number = u8::try_from(level + 1).unwrap_or(u8::MAX);
            if number > standing.best {
                standing.best = number;
                news.push(News::Reached(standing.team.clone(), number));
            }
        });
    }

    /// Hands over the standing of a living player's team and the place of its level.
    fn count(&mut self, player: PlayerId, change: impl FnOnce(&mut Standing, usize)) {
        let Some(known) = self.mirror.players.get(&player) else { return };
        let level = usize::from(known.level.get()) - 1;
        if let Some(standing) = self.standings.iter_mut().find(|standing| standing.team == known.team) {
            change(standing, level);
        }
    }

    fn exact_tick(&self) -> f64 {
        let Some((since, tick)) = self.anchor else { return 0.0 };
        tick + since.elapsed().as_secs_f64() * f64::from(self.mirror.rate)
    }

    /// The tick it should be by now: observers aren't told. None if it can't be reckoned.
    #[must_use]
    pub fn about_tick(&self) -> Option<Tick> {
        (self.ticks != Ticks::Unknown).then(|| self.exact_tick() as Tick)
    }

    /// The teams in the order of the setup.
    #[must_use]
    pub fn standings(&self) -> &[Standing] {
        &self.standings
    }
}

fn is_dull(line: &[u8]) -> bool {
    [&b"bct "[..], b"pin ", b"ppo ", b"pbc "].iter().any(|name| line.starts_with(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn team(name: &str) -> TeamName {
        TeamName::parse(name.as_bytes()).unwrap()
    }

    fn watch() -> Watch {
        Watch::new(["red", "blue"].into_iter().map(team), Ticks::FromStart)
    }

    fn told(lines: &str) -> (Watch, Vec<News>) {
        let (mut watch, mut news) = (watch(), Vec::new());
        watch.take(lines.as_bytes(), &mut news);
        (watch, news)
    }

    #[test]
    fn players_are_counted_at_their_levels() {
        let (watch, news) = told(
            "WELCOME\nmsz 2 2\nsgt 100\ntna red\ntna blue\npnw #0 0 0 1 1 red\npnw #1 0 0 1 1 red\n\
             pnw #2 0 0 1 3 blue\nplv #0 2\nplv #0 2\nplv #1 2\npdi #1\npnw #0 0 0 1 2 red\nseg red\n",
        );
        let [red, blue] = watch.standings() else { panic!("two teams") };
        assert_eq!((red.levels[..3].to_vec(), red.alive(), red.lost, red.best), (vec![0, 1, 0], 1, 1, 2));
        assert_eq!((blue.levels[2], blue.alive(), blue.lost), (1, 1, 0));
        assert_eq!(
            news,
            [News::Reached(team("blue"), 3), News::Reached(team("red"), 2), News::Won(team("red"))]
        );
    }

    #[test]
    fn junk_is_passed_over() {
        let (watch, news) = told("pnw\nplv #7 2\npdi #9\n\u{0}\nnonsense\npnw #1 0 0 1 1 green\nplv #1 4\n");
        assert!(news.is_empty());
        assert!(watch.standings().iter().all(|standing| standing.alive() == 0));
    }

    #[test]
    fn a_server_that_is_not_there_is_no_harm() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        drop(listener);
        let mut watch = watch();
        watch.connect(address);
        assert!(watch.read().is_empty());
    }
}
