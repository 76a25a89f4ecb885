//! Taking what came: seats for connections that wait, lines from those that are ready, and the end of those that are
//! late or gone. Tested in `tests` and `simulation`.

use std::rc::Rc;

use super::{Phase, Shell, Stream};
use crate::net::connection::{Found, Key};
use crate::net::lockstep::Rounds;
use zappy_game::{Game, Input, SeatId};

impl<G: Game, S: Stream> Shell<'_, G, S> {
    /// Takes what connections have sent, within the budgets.
    pub fn serve(&mut self) {
        self.open_seats();
        self.expire();
        let mut left = self.limits.all_turn_lines;
        for _ in 0..self.ready.len() {
            if left == 0 {
                break;
            }
            let Some(key) = self.ready.pop_front() else { break };
            if let Some(connection) = self.connections.get_mut(&key) {
                connection.listed = false;
            }
            if self.take_from(key, &mut left) {
                self.list(key);
            }
        }
        self.bury();
        if self.rounds.is_some() && self.played.is_none() {
            self.play_rounds();
            self.bury();
        }
    }

    fn open_seats(&mut self) {
        if self.opening.is_empty() {
            return;
        }
        let asked = Rc::new(self.rounds.as_ref().map(Rounds::asked).unwrap_or_default());
        while self.gate && self.verdict.is_none() {
            let Some(key) = self.opening.pop_front() else { return };
            let Some(connection) = self.connections.get_mut(&key) else { continue };
            if connection.phase != Phase::Waiting {
                continue;
            }
            let seat = SeatId(self.next_seat);
            self.next_seat += 1;
            connection.seat = Some(seat);
            connection.phase = Phase::Handshake;
            log::debug!("{}: is {seat}", connection.peer);
            self.seats.insert(seat, key);
            if self.played.is_none() {
                self.deadlines.set(key, self.at + self.limits.handshake);
                self.hand_in(seat, Input::Open);
                self.expect_name(key, &asked);
            }
            self.list(key);
        }
    }

    fn expire(&mut self) {
        self.expire_orphans();
        while let Some(key) = self.deadlines.pop(self.at) {
            let Some(connection) = self.connections.get(&key) else { continue };
            if matches!(connection.phase, Phase::Player | Phase::Observer) {
                // It has waited for what it may be told, or send.
                self.list(key);
                self.mark_dirty(key);
                continue;
            }
            if connection.phase == Phase::Handshake
                && let Some(more) = self.notices.silent.due(self.at, self.limits.notice)
            {
                let limit = self.limits.handshake;
                log::warn!("{}: closed, it did not log in within {limit:?}{more}", connection.peer);
            }
            self.lose(key, "its time is up");
        }
    }

    /// Takes what one connection has; true if it may have more.
    fn take_from(&mut self, key: Key, left: &mut usize) -> bool {
        let mut bytes = self.limits.turn_bytes;
        for _ in 0..self.limits.turn_lines {
            let Some(connection) = self.connections.get_mut(&key) else { return false };
            let held = connection.held(self.limits.read_mark);
            let seat = match (connection.phase, connection.seat) {
                (Phase::Lingering, _) => return self.linger(key),
                (Phase::Handshake | Phase::Player | Phase::Observer, _) if self.played.is_some() => {
                    return self.linger(key);
                }
                (Phase::Handshake | Phase::Player, Some(_)) if self.rounds.is_some() => {
                    return self.fetch(key);
                }
                (Phase::Handshake | Phase::Player | Phase::Observer, Some(seat)) if !held => seat,
                _ => return false,
            };
            let (watches, plays) = (connection.phase == Phase::Observer, connection.phase == Phase::Player);
            let full = connection.paced.len() >= self.limits.paced_lines;
            if watches && self.delays_observer(key) || plays && (full || self.delays_player(key)) {
                return false;
            }
            if *left == 0 || watches && self.answered >= self.limits.turn_answers {
                return true;
            }
            *left -= 1;
            let Some(connection) = self.connections.get_mut(&key) else { return false };
            match connection.next(&mut self.line, &mut self.chunk, &mut bytes) {
                Found::Line => {
                    let line = std::mem::take(&mut self.line);
                    let newcomer = connection.phase == Phase::Handshake;
                    let foul = newcomer && self.is_foul(key, &line);
                    let waits = plays && self.waits_for_tick(key, &line);
                    if !(foul || waits || newcomer && self.takes_over(key, seat, &line)) {
                        self.hand_in(seat, Input::Line(&line));
                    }
                    self.line = line;
                }
                Found::Overflow => {
                    self.note_overlong(key);
                    self.hand_in(seat, Input::Overflow);
                }
                Found::End => {
                    connection.paced.clear();
                    self.hand_in(seat, Input::End);
                }
                Found::Nothing => return false,
                Found::Spent => return true,
                Found::Broken(error) => {
                    self.lose(key, &error.to_string());
                    return false;
                }
            }
        }
        true
    }

    pub(super) fn note_overlong(&mut self, key: Key) {
        if let Some(connection) = self.connections.get(&key)
            && let Some(more) = self.notices.overlong.due(self.at, self.limits.notice)
        {
            let limit = self.limits.line;
            log::warn!("{}: sent a line of more than {limit} bytes{more}", connection.peer);
        }
    }

    /// Waits for the peer to close, and closes in order where that wasn't done yet; true if it may have more to throw away.
    fn linger(&mut self, key: Key) -> bool {
        let Some(connection) = self.connections.get_mut(&key) else { return false };
        let mut bytes = self.limits.turn_bytes;
        let seat = connection.seat.filter(|_| connection.phase != Phase::Lingering);
        match (connection.discard(&mut self.chunk, &mut bytes), seat) {
            (Ok(false), _) => return connection.readable,
            (Ok(true), Some(seat)) => self.close(seat, "the match is over"),
            (Ok(true), None) => self.lose(key, "closed by both"),
            (Err(error), _) => self.lose(key, &error.to_string()),
        }
        false
    }

    /// Removes the connections that are gone, and tells the game of those that it didn't close itself.
    fn bury(&mut self) {
        while let Some(key) = self.gone.pop() {
            let Some(connection) = self.connections.remove(&key) else { continue };
            self.closed += 1;
            self.deadlines.clear(key);
            self.watchers.retain(|&watcher| watcher != key);
            let ip = connection.peer.ip();
            if let Some(count) = self.addresses.get_mut(&ip) {
                *count -= 1;
                if *count == 0 {
                    self.addresses.remove(&ip);
                }
            }
            let seat = connection.seat;
            drop(connection);
            self.forget(key, seat);
            if seat.is_none() {
                self.waiting.retain(|&waiting| waiting != key);
                self.opening.retain(|&waiting| waiting != key);
            }
            if let Some(seat) = seat.filter(|seat| self.seats.remove(seat).is_some()) {
                self.hand_in(seat, Input::Closed);
            }
        }
    }
}
