//! What the game is told: the ticks that are due, seats that are given and ended, and the lines that were read.
//!
//! Each call of the game's `handle_*` stands here, and carries out the outputs before the next one. Tested in `tests`.

use std::ops::ControlFlow;
use std::rc::Rc;

use super::entrance::team_of;
use super::time::Clock;
use super::{Hosted, MissingClient, Phase, Shell, Stream};
use crate::net::connection::{Fetched, Found, Key};
use crate::net::lockstep::{Arrival, Newcomer, Player};
use crate::net::lockstep_report::Thinking;
use zappy_game::{Admission, Input, SeatId, Stand, Tick};

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
                let client = MissingClient { player: number, team: name };
                self.orphans.waiting.insert(SeatId(number), (group, client));
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

    /// Runs what is due in the game at that tick.
    pub(super) fn run_due(&mut self, tick: Tick) {
        debug_assert!(tick >= self.reached, "due at {tick}, but {} is reached", self.reached);
        // An input may make something due at the tick that is reached already; that isn't late.
        if let Clock::Real(clock, _) = &mut self.clock
            && let Some(due) = clock.time_of(tick).filter(|_| tick > self.reached)
        {
            let late = self.turn.at.saturating_sub(due);
            self.lateness.add(late);
            if late > self.turn.limits.slip {
                clock.set_back(self.turn.at, tick);
                if let Some(more) =
                    self.turn.notices.clock_set_back.due(self.turn.at, self.turn.limits.notice)
                {
                    log::warn!("tick {tick} runs {late:?} late; the clock is set back{more}");
                }
            }
        }
        self.reached = self.reached.max(tick);
        self.game.handle_timeout(self.reached);
        self.drain();
    }

    /// Hands an input to the game at the tick reached, after running what is due at that tick.
    pub(super) fn hand_in(&mut self, seat: SeatId, input: Input<'_>) {
        while let Some(tick) = self.game.poll_timeout().filter(|&tick| tick <= self.reached) {
            if self.is_over() {
                break;
            }
            self.run_due(tick);
        }
        if !self.is_over() {
            if let Input::Line(line) = input {
                log::trace!("tick {}, {seat} < {}", self.reached, line.escape_ascii());
            }
            self.heard = Some(seat);
            self.game.handle_input(self.reached, seat, input);
            self.drain();
            self.heard = None;
        }
    }

    /// Takes the next line of each player that has one waiting, at that tick.
    pub(super) fn take_paced(&mut self, tick: Tick) {
        self.reached = self.reached.max(tick);
        let Clock::Real(_, pace) = &mut self.clock else { return };
        for key in pace.begin(self.reached) {
            let Clock::Real(_, pace) = &mut self.clock else { return };
            let connection = self.peers.get_mut(key);
            let taken = connection.and_then(|connection| pace.take(key, connection));
            let Some((seat, line)) = taken else { continue };
            // The connection may have been left unread because too many of its lines waited.
            self.peers.queue_to_read(key);
            self.hand_in(seat, Input::Line(&line));
        }
    }

    /// Gives seats to the connections that are let in next.
    pub(super) fn open_seats(&mut self) {
        if self.entrance.opening.is_empty() {
            return;
        }
        let awaited_groups = Rc::new(self.clock.awaited_groups());
        while self.entrance.gate && self.ending.verdict.is_none() {
            let Some(key) = self.entrance.opening.pop_front() else { return };
            let Some(connection) = self.peers.get_mut(key) else { continue };
            if connection.phase != Phase::Waiting {
                continue;
            }
            let seat = SeatId(self.entrance.next_seat);
            self.entrance.next_seat += 1;
            connection.seat = Some(seat);
            connection.phase = Phase::Handshake;
            log::debug!("{}: is {seat}", connection.peer);
            self.peers.seats.insert(seat, key);
            if self.ending.played.is_none() {
                self.peers.deadlines.set(key, self.turn.at + self.turn.limits.handshake);
                self.hand_in(seat, Input::Open);
                // A player that the round waits for may have started the program behind this connection, and send no
                // line before that program is welcomed. So the connection is kept with the groups that the round waited
                // for then.
                if let Clock::Lockstep(rounds) = &mut self.clock
                    && rounds.name_waits.before < rounds.patience()
                {
                    let name = self.peers.get(key).and_then(|connection| connection.held_to.as_deref());
                    let team = name.and_then(|name| team_of(name, &self.game));
                    rounds.charge();
                    rounds
                        .newcomers
                        .insert(key, Newcomer { awaited_groups: Rc::clone(&awaited_groups), team });
                    rounds.expect(key, rounds.fair());
                }
            }
            self.peers.queue_to_read(key);
        }
    }

    /// Ends what has reached its deadline: the wait for clients, handshakes, and connections that are being closed.
    pub(super) fn expire(&mut self) {
        let due = self.orphans.due().is_some_and(|due| due <= self.turn.at);
        if let Some(patience) = self.orphans.patience.filter(|_| due) {
            log::warn!("the clients that haven't come {patience:?} after the first one aren't waited for");
            self.go_on_without();
        }
        while let Some(key) = self.peers.deadlines.pop(self.turn.at) {
            let Some(connection) = self.peers.get(key) else { continue };
            if matches!(connection.phase, Phase::Player | Phase::Observer) {
                // A player may send more now, or an observer be sent more.
                self.peers.queue_to_read(key);
                self.peers.mark_dirty(key);
                continue;
            }
            if connection.phase == Phase::Handshake
                && let Some(more) = self.turn.notices.silent.due(self.turn.at, self.turn.limits.notice)
            {
                let limit = self.turn.limits.handshake;
                log::warn!("{}: closed, it did not log in within {limit:?}{more}", connection.peer);
            }
            self.peers.mark_gone(key, "its time is up");
        }
    }

    /// Takes what one connection has sent, at most `lines_left` lines; true if there may be more.
    pub(super) fn take_from(&mut self, key: Key, lines_left: &mut usize) -> bool {
        let mut bytes = self.turn.limits.turn_bytes;
        for _ in 0..self.turn.limits.turn_lines {
            let Some(connection) = self.peers.get_mut(key) else { return false };
            let held = connection.is_held(self.turn.limits.read_mark);
            let seat = match (connection.phase, connection.seat) {
                (Phase::Lingering, _) => return self.linger(key),
                (Phase::Handshake | Phase::Player | Phase::Observer, _) if self.ending.played.is_some() => {
                    return self.linger(key);
                }
                (Phase::Handshake | Phase::Player, Some(_)) if self.clock.is_lockstep() => {
                    return self.fetch(key);
                }
                (Phase::Handshake | Phase::Player | Phase::Observer, Some(seat)) if !held => seat,
                _ => return false,
            };
            let (watches, plays) = (connection.phase == Phase::Observer, connection.phase == Phase::Player);
            let full = connection.paced.len() >= self.turn.limits.paced_lines;
            if watches && self.delays_observer(key) || plays && (full || self.delays_player(key)) {
                return false;
            }
            if *lines_left == 0 || watches && self.audience.answer_bytes >= self.turn.limits.turn_answers {
                return true;
            }
            *lines_left -= 1;
            match self.read(key, &mut bytes) {
                ControlFlow::Break(more) => return more,
                ControlFlow::Continue(Fetched::Line(line)) => {
                    // A player's line that has to wait for a tick of its own is kept until that tick.
                    let waits = plays
                        && self.game.is_paced(&line)
                        && match (&mut self.clock, self.peers.get_mut(key)) {
                            (Clock::Real(_, pace), Some(connection)) => {
                                pace.hold_back(key, connection, &line, self.reached)
                            }
                            _ => false,
                        };
                    let may_take_over = !(plays || watches || self.orphans.is_empty());
                    let taken_over = may_take_over
                        && matches!(
                            self.game.admission(&line),
                            Admission::Plays(group) if self.take_over(group, key, seat)
                        );
                    if !(waits || taken_over) {
                        self.hand_in(seat, Input::Line(&line));
                    }
                    self.line = line;
                }
                ControlFlow::Continue(fetched) => {
                    if let (Fetched::End, Some(connection)) = (&fetched, self.peers.get_mut(key)) {
                        connection.paced.clear();
                    }
                    self.hand_in(seat, fetched.input());
                }
            }
        }
        true
    }

    /// Whether a player has to wait because it sent many lines that took no time or were dropped; then a deadline is
    /// set to read on.
    fn delays_player(&mut self, key: Key) -> bool {
        let (limits, at) = (&self.turn.limits, self.turn.at);
        let Some(connection) = self.peers.get(key) else { return false };
        let credit = self.clock.idle_time(limits.idle_credit, limits.idle_lines);
        let until = connection.spent_until.saturating_sub(credit);
        if until <= at {
            return false;
        }
        if let Some(more) = self.turn.notices.idle.due(at, limits.notice) {
            let lines = limits.idle_credit;
            log::warn!(
                "{}: heard later, {lines} of its lines took no time or were dropped{more}",
                connection.peer
            );
        }
        self.peers.deadlines.set(key, until);
        true
    }

    /// Reads the next line of a connection, or its end. `Break` if there is none now, with `true` if there may be one
    /// in the next turn.
    fn read(&mut self, key: Key, bytes: &mut usize) -> ControlFlow<bool, Fetched> {
        let Some(connection) = self.peers.get_mut(key) else { return ControlFlow::Break(false) };
        let newcomer = connection.phase == Phase::Handshake;
        let fetched = match connection.next(&mut self.line, &mut self.chunk, bytes) {
            Found::Input(fetched) => fetched,
            // Whether a program's connection ends in order or by a reset depends on how much the program has read, and
            // so on time: in lockstep both count as its end.
            Found::Broken(_) if self.clock.is_lockstep() && connection.phase != Phase::Observer => {
                Fetched::End
            }
            Found::Nothing => return ControlFlow::Break(false),
            Found::Spent => return ControlFlow::Break(true),
            Found::Broken(error) => {
                self.peers.mark_gone(key, &error.to_string());
                return ControlFlow::Break(false);
            }
        };
        match &fetched {
            Fetched::Line(line) if newcomer && self.entrance.is_foul(connection, line, &self.game) => {
                self.peers.mark_gone(key, "it said a name that isn't its own");
                return ControlFlow::Break(false);
            }
            Fetched::Overflow => {
                if let Some(more) = self.turn.notices.overlong.due(self.turn.at, self.turn.limits.notice) {
                    let limit = self.turn.limits.line;
                    log::warn!("{}: sent a line of more than {limit} bytes{more}", connection.peer);
                }
            }
            Fetched::Line(_) | Fetched::End => {}
        }
        ControlFlow::Continue(fetched)
    }

    /// Reads one line from a connection and keeps it for its round; true if the connection has to be read again. A
    /// connection that says a player's name waits for the next round; with any other name it has no part in it.
    pub(super) fn fetch(&mut self, key: Key) -> bool {
        let mut bytes = self.turn.limits.turn_bytes;
        let Some(connection) = self.peers.get_mut(key) else { return false };
        let takes_part = matches!(connection.phase, Phase::Handshake | Phase::Player);
        let done = connection.fetched.is_some() || connection.end_is_found();
        if !takes_part || done || connection.is_held(self.turn.limits.read_mark) {
            return false;
        }
        let fetched = match self.read(key, &mut bytes) {
            ControlFlow::Continue(fetched) => fetched,
            ControlFlow::Break(more) => return more,
        };
        let Some(connection) = self.peers.get_mut(key) else { return false };
        let group = match &fetched {
            Fetched::Line(line) if connection.phase == Phase::Handshake => team_of(line, &self.game),
            _ => None,
        };
        let group = group.map(|(group, _)| group);
        connection.fetched = Some(fetched);
        let Some(seat) = connection.seat else { return false };
        if connection.phase == Phase::Player {
            self.clock.rounds().note_line(seat);
            return false;
        }
        let awaited_groups = self.clock.rounds().stop_expecting(key);
        if group.is_some_and(|group| self.take_over(group, key, seat)) {
            return true;
        }
        if let Some(group) = group {
            let rounds = self.clock.rounds();
            let expected = !rounds.begun || awaited_groups.is_some_and(|groups| groups.contains(&group));
            rounds.arrivals.push(Arrival { key, group, expected });
            rounds.lobby_since.get_or_insert(rounds.at);
            self.peers.deadlines.clear(key);
            return false;
        }
        // A refused connection may try again, but no round waits for it.
        self.take_fetched(key, seat);
        true
    }

    /// Hands the line that was fetched to the game; false if there is none.
    pub(super) fn take_fetched(&mut self, key: Key, seat: SeatId) -> bool {
        let connection = self.peers.get_mut(key);
        let Some(fetched) = connection.and_then(|connection| connection.fetched.take()) else { return false };
        self.hand_in(seat, fetched.input());
        if let Fetched::Line(line) = fetched {
            self.line = line;
        }
        self.peers.queue_to_read(key);
        true
    }

    /// Gives a connection the first player of that group that waits for a client; false if no such player waits.
    fn take_over(&mut self, group: u32, key: Key, seat: SeatId) -> bool {
        let mut waiting = self.orphans.waiting.iter();
        let Some((&orphan, (_, client))) = waiting.find(|(_, (there, _))| *there == group) else {
            return false;
        };
        let name = client.team.clone();
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
        self.orphans.missing.extend(left.values().map(|(_, client)| client.clone()));
        left.into_keys().for_each(|seat| self.hand_in(seat, Input::Closed));
        self.go_on_when_complete();
    }

    /// Throws away what comes until the peer closes, and then closes this side as well, if that is still open; true if
    /// there may be more to throw away.
    fn linger(&mut self, key: Key) -> bool {
        let Some(connection) = self.peers.get_mut(key) else { return false };
        let mut bytes = self.turn.limits.turn_bytes;
        let seat = connection.seat.filter(|_| connection.phase != Phase::Lingering);
        match (connection.discard(&mut self.chunk, &mut bytes), seat) {
            (Ok(false), _) => return connection.readable,
            (Ok(true), Some(seat)) => self.close(seat, "the match is over"),
            (Ok(true), None) => self.peers.mark_gone(key, "closed by both"),
            (Err(error), _) => self.peers.mark_gone(key, &error.to_string()),
        }
        false
    }

    /// Removes the connections that are gone. The game is handed the end of those that it didn't close itself.
    pub(super) fn bury(&mut self) {
        while let Some(key) = self.peers.gone.pop() {
            let Some(seat) = self.peers.remove(key) else { continue };
            self.audience.leave(key);
            self.clock.lose(key, seat);
            match seat {
                None => self.entrance.leave(key),
                Some(seat) if self.peers.seats.remove(&seat).is_some() => self.hand_in(seat, Input::Closed),
                Some(_) => {}
            }
        }
    }
}
