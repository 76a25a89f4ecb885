//! A match that goes on from a record: its players wait, without a connection, for a client that takes over.
//!
//! Time stands still until each player has a client, or until the time for waiting is over. The game gets no input of
//! all this: as far as it can see, the clients were only slow. Tested in `tests/rules/resume.rs`, `tests/resume/` and
//! `tests/sockets.rs`.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::time::Clock;
use super::{Hosted, Phase, Shell, Stream};
use crate::net::connection::Key;
use crate::net::lockstep::Player;
use crate::net::lockstep_report::Thinking;
use zappy_game::{Admission, Input, SeatId, Stand};

/// The console line with which the match goes on without the missing clients. It isn't handed to the game, since in
/// records this line marks where a match was resumed.
pub(super) const RESUME_LINE: &[u8] = b"/resume";

/// Up to so many players are named one by one in the log.
const LOGGED_PLAYERS: usize = 8;

/// A player of a resumed match for which no client came.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MissingClient {
    pub player: u32,
    pub team: String,
}

/// The players of a resumed match that wait for a client.
#[derive(Debug, Default)]
pub(super) struct Orphans {
    /// Their seats, with their groups and the names by which they were let in.
    pub(super) waiting: BTreeMap<SeatId, (u32, String)>,
    /// Ticks per second once all clients are there; `None`: time stands still then, too.
    pub(super) rate: Option<NonZeroU32>,
    /// How long the match waits after the first client came; `None`: as long as it takes.
    pub(super) patience: Option<Duration>,
    /// When the wait ends; `None` before the first client came.
    until: Option<Duration>,
    /// The players that were ended because no client came for them.
    pub(super) missing: Vec<MissingClient>,
    /// Whether the game has ended a player without a client since [`Shell::drain`] looked last.
    pub(super) ended: bool,
}

impl Orphans {
    /// No players yet; `patience`: how long the match is to wait after the first client came.
    pub(super) fn new(patience: Option<Duration>) -> Orphans {
        Orphans { patience, ..Orphans::default() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// When the wait ends, if it has an end.
    pub(super) fn due(&self) -> Option<Duration> {
        self.until.filter(|_| !self.is_empty())
    }

    /// The seats that wait for a client.
    #[cfg(any(test, feature = "simulation"))]
    pub(super) fn seats(&self) -> impl Iterator<Item = SeatId> {
        self.waiting.keys().copied()
    }
}

pub(super) fn missing_client((&seat, (_, name)): (&SeatId, &(u32, String))) -> MissingClient {
    MissingClient { player: seat.0, team: name.clone() }
}

impl<G: Hosted, S: Stream> Shell<G, S> {
    /// Goes on with a match where its record ends.
    pub(super) fn resume(&mut self, stand: &Stand) {
        self.reached = stand.tick;
        self.entrance.gate = stand.gate;
        self.audience.lines = stand.published;
        for (number, player) in (0..).zip(&stand.players) {
            // `name` is the line that let this player in, so it always names a group.
            let Admission::Plays(group) = self.game.admission(&player.name) else { continue };
            let name = String::from_utf8_lossy(player.name.trim_ascii()).into_owned();
            if let Clock::Lockstep(rounds) = &mut self.clock {
                rounds.report.thinking.push(Thinking::of(&name, group));
                rounds.admitted = number + 1;
            }
            if player.open {
                self.orphans.waiting.insert(SeatId(number), (group, name));
            }
            (self.entrance.admitted, self.entrance.next_seat) = (number + 1, number + 1);
        }
        self.clock.resume(stand);
        self.set_rate(stand.rate);
        let (tick, orphans) = (stand.tick, self.orphans.waiting.len());
        match self.orphans.patience {
            _ if orphans == 0 => {
                log::info!("the match goes on from tick {tick}; no player waits for its client");
            }
            Some(patience) => log::info!(
                "the match goes on from tick {tick}; {orphans} players wait for their clients, and time for them, for \
                 {patience:?} after the first one comes; /resume goes on without them"
            ),
            None => log::info!(
                "the match goes on from tick {tick}; {orphans} players wait for their clients, and time for them; \
                 /resume goes on without them"
            ),
        }
    }

    /// The players for which no client has come, whether the match still waits for one or not.
    pub fn missing_clients(&self) -> Vec<MissingClient> {
        self.orphans.missing.iter().cloned().chain(self.orphans.waiting.iter().map(missing_client)).collect()
    }

    /// Gives a connection the first player of that group that waits for a client; false if no such player waits.
    pub(super) fn take_over(&mut self, group: u32, key: Key, seat: SeatId) -> bool {
        let mut waiting = self.orphans.waiting.iter();
        let Some((&orphan, (_, name))) = waiting.find(|(_, (there, _))| *there == group) else {
            return false;
        };
        let name = name.clone();
        self.orphans.waiting.remove(&orphan);
        self.orphans.until = self.orphans.until.or_else(|| self.turn.at.checked_add(self.orphans.patience?));
        // The connection's first seat was never let in, and leaves no trace.
        self.peers.seats.remove(&seat);
        self.hand_in(seat, Input::Closed);
        let Some(connection) = self.peers.get_mut(key) else { return true };
        connection.seat = Some(orphan);
        connection.fetched = None;
        let peer = connection.peer;
        log::info!("{peer}: takes over player #{} of {name}", orphan.0);
        self.peers.seats.insert(orphan, key);
        self.peers.set_phase(key, Phase::Player);
        self.entrance.news.seated.push((orphan.0, peer));
        if let Clock::Lockstep(rounds) = &mut self.clock {
            let player =
                Player { key, number: orphan.0, name, group, since: self.turn.at, ..Player::default() };
            rounds.players.insert(orphan, player);
        }
        let mut lines = Vec::new();
        self.game.welcome_back(orphan, &mut lines);
        lines.into_iter().for_each(|line| self.send(orphan, line));
        self.go_on_when_complete();
        true
    }

    /// Stops waiting: the players that are still without a client leave the match.
    pub(super) fn go_on_without(&mut self) {
        let left = std::mem::take(&mut self.orphans.waiting);
        self.orphans.missing.extend(left.iter().map(missing_client));
        left.into_keys().for_each(|seat| self.hand_in(seat, Input::Closed));
        self.go_on_when_complete();
    }

    /// Lets time run again if no player waits for a client any more.
    pub(super) fn go_on_when_complete(&mut self) {
        if !self.orphans.is_empty() || self.is_over() {
            return;
        }
        let time = if self.orphans.rate.is_some() { "runs again" } else { "stays paused until /pause" };
        match &self.orphans.missing[..] {
            [] => log::info!("all players have their clients: time {time}"),
            missing => {
                let named =
                    missing.iter().take(LOGGED_PLAYERS).map(|one| format!("#{} of {}", one.player, one.team));
                let named = named.collect::<Vec<_>>().join(", ");
                let more = missing.len().saturating_sub(LOGGED_PLAYERS);
                let more = if more > 0 { format!(" and {more} more") } else { String::new() };
                log::warn!("no client came for {named}{more}: time {time} without them");
            }
        }
        self.set_rate(self.orphans.rate);
    }
}
