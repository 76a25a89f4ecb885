//! A match that goes on from a record: its players wait, without a connection, for a client that takes over.
//!
//! Time stands still until each of them has one. The game hears nothing of all this: to it, those clients were only
//! slow. Tested in `tests/rules/resume.rs` and `tests/sockets.rs`.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use super::{Phase, Shell, Stream};
use crate::game::{Admission, Game, Input, SeatId, Stand};
use crate::net::connection::Key;
use crate::net::lockstep::Player;
use crate::net::lockstep_report::Thinking;

/// The console line that goes on without the players whose clients haven't come.
pub(super) const RESUME_LINE: &[u8] = b"/resume";

/// The players whose clients are waited for.
#[derive(Debug, Default)]
pub(super) struct Orphans {
    /// Their seats, with their groups and the names by which they were let in.
    waiting: BTreeMap<SeatId, (u32, String)>,
    /// The pace of time when they are all there.
    pub(super) rate: Option<NonZeroU32>,
}

impl Orphans {
    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }
}

impl<G: Game, S: Stream> Shell<'_, G, S> {
    /// Takes up a match where it stands.
    pub(super) fn resume(&mut self, stand: &Stand) {
        self.reached = stand.tick;
        self.gate = stand.gate;
        self.published = stand.published;
        for (number, player) in (0..).zip(&stand.players) {
            // Each of them was let in by such a line.
            let Admission::Plays(group) = self.game.admission(&player.name) else { continue };
            let name = String::from_utf8_lossy(player.name.trim_ascii()).into_owned();
            if let Some(rounds) = &mut self.rounds {
                rounds.report.thinking.push(Thinking::of(&name, group));
                rounds.admitted = number + 1;
            }
            if player.open {
                self.orphans.waiting.insert(SeatId(number), (group, name));
            }
            (self.admitted, self.next_seat) = (number + 1, number + 1);
        }
        if let Some(rounds) = &mut self.rounds {
            rounds.begun |= self.admitted > 0;
            rounds.report.add_cause(format!("it was resumed at tick {}", stand.tick));
        }
        self.set_rate(stand.rate);
        let orphans = self.orphans.waiting.len();
        log::info!(
            "the match goes on from tick {}; {orphans} players wait for their clients, and time for them; /resume goes on \
             without them",
            stand.tick
        );
    }

    /// Whether a connection that has said this name takes over a player that waits for a client.
    pub(super) fn takes_over(&mut self, key: Key, seat: SeatId, line: &[u8]) -> bool {
        match self.game.admission(line) {
            Admission::Plays(group) if !self.orphans.is_empty() => self.takes_over_in(group, key, seat),
            _ => false,
        }
    }

    /// Gives a connection the first player of that group that waits for a client; false if there is none.
    pub(super) fn takes_over_in(&mut self, group: u32, key: Key, seat: SeatId) -> bool {
        let mut waiting = self.orphans.waiting.iter();
        let Some((&orphan, (_, name))) = waiting.find(|(_, (there, _))| *there == group) else {
            return false;
        };
        let name = name.clone();
        self.orphans.waiting.remove(&orphan);
        // The seat that it came with was never let in, and leaves no trace.
        self.seats.remove(&seat);
        self.hand_in(seat, Input::Closed);
        let Some(connection) = self.connections.get_mut(&key) else { return true };
        connection.seat = Some(orphan);
        connection.fetched = None;
        let peer = connection.peer;
        log::info!("{peer}: takes over player #{} of {name}", orphan.0);
        self.seats.insert(orphan, key);
        self.set_phase(key, Phase::Player);
        self.seated.push((orphan.0, peer));
        if let Some(rounds) = &mut self.rounds {
            rounds.players.insert(orphan, Player::new(key, orphan.0, name, group, self.at));
        }
        let mut lines = Vec::new();
        self.game.welcome_back(orphan, &mut lines);
        lines.into_iter().for_each(|line| self.send(orphan, line));
        self.go_on_when_complete();
        true
    }

    /// The operator doesn't wait any longer: the players without a client have left.
    pub(super) fn go_on_without(&mut self) {
        for seat in std::mem::take(&mut self.orphans.waiting).into_keys() {
            self.hand_in(seat, Input::Closed);
        }
        self.go_on_when_complete();
    }

    fn go_on_when_complete(&mut self) {
        if self.orphans.is_empty() {
            log::info!("all players have their clients: time runs again");
            self.set_rate(self.orphans.rate);
        }
    }
}
