//! Carrying out the game's outputs, writing what waits, and closing in order.
//!
//! Never calls the game's `handle_*`: a connection that is lost here is only marked, and [`super::inputs`] hands its
//! end to the game. Tested in `tests`.

use std::num::NonZeroU32;
use std::time::Duration;

use super::{Hosted, Phase, Shell, Stream};
use crate::net::connection::{Key, Lag};
use crate::net::outbox::{LINE_WEIGHT, Progress};
use zappy_game::{Line, Output, SeatId, Verdict, Words};

/// Up to so many players are named one by one in the log.
const LOGGED_PLAYERS: usize = 8;

impl<G: Hosted, S: Stream> Shell<G, S> {
    /// Carries out the game's outputs, and disconnects players that don't read what they are sent.
    pub(super) fn drain(&mut self) {
        while let Some(output) = self.game.poll_output() {
            self.carry_out(output);
        }
        while let Some(key) = self.peers.swollen.pop() {
            let Some(connection) = self.peers.get_mut(key) else { continue };
            if !matches!(connection.phase, Phase::Handshake | Phase::Player) {
                continue;
            }
            // One step may have many lines for a player, so they are written first. Only the bytes that the system
            // doesn't take count.
            if connection.writable {
                match connection.outbox.write_to(&mut connection.stream, usize::MAX) {
                    Ok(Progress::Blocked) => connection.writable = false,
                    Ok(Progress::Emptied | Progress::Spent) => {}
                    Err(error) => {
                        self.fail_write(key, &error.to_string());
                        continue;
                    }
                }
            }
            // A single line always fits, however long it is.
            if connection.outbox.weight_but_last() > self.turn.limits.player_outbox {
                if let Some(more) = self.turn.notices.slow.due(self.turn.at, self.turn.limits.notice) {
                    log::warn!("{}: closed, it does not read what it is sent{more}", connection.peer);
                }
                self.peers.mark_gone(key, "does not read");
            }
        }
        // Time runs again if the game has ended the last player that waited for a client.
        if std::mem::take(&mut self.orphans.ended) {
            self.go_on_when_complete();
        }
    }

    fn carry_out(&mut self, output: Output) {
        match output {
            Output::Send(SeatId::CONSOLE, line) => self.answer_console(line),
            Output::Send(seat, line) => {
                if self.heard == Some(seat) {
                    self.charge_player(seat);
                }
                self.send(seat, line);
            }
            Output::Admit(seat) => {
                let player = self.entrance.admitted;
                self.entrance.admitted += 1;
                if let Some(&key) = self.peers.seats.get(&seat)
                    && self.peers.set_phase(key, Phase::Player)
                {
                    let peer = self.peers.get(key).map(|connection| connection.peer);
                    self.entrance.news.seated.extend(peer.map(|peer| (player, peer)));
                }
            }
            Output::Subscribe(seat) => {
                if let Some(&key) = self.peers.seats.get(&seat)
                    && self.peers.set_phase(key, Phase::Observer)
                {
                    self.audience.watchers.push(key);
                    if let Some(connection) = self.peers.get_mut(key) {
                        connection.lag = Some(Lag::New);
                    }
                    self.peers.mark_dirty(key);
                }
            }
            Output::Publish(line) => self.audience.publish(&line, &mut self.turn, &mut self.peers),
            Output::Why(seat, words) => {
                // No line is being handled now, so the refused line had waited in the game.
                if self.heard.is_none() {
                    self.charge_player(seat);
                }
                self.note_reason(seat, words);
            }
            Output::Instead(seat, None) => self.charge_player(seat),
            Output::AsConsole(_) | Output::Instead(..) | Output::Withhold(_) => {}
            Output::Gate(open) => self.entrance.set_gate(open),
            Output::SetTickRate(rate) => self.set_rate(rate),
            Output::Close(seat, words) => self.close(seat, &words),
            Output::Finished(verdict) => self.finish(verdict),
        }
    }

    /// Sets the pace of time, once all players of a resumed match are back.
    pub(super) fn set_rate(&mut self, rate: Option<NonZeroU32>) {
        self.orphans.rate = rate;
        let rate = rate.filter(|_| self.orphans.is_empty());
        self.clock.set_rate(self.turn.at, self.reached, rate);
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

    pub(super) fn answer_console(&mut self, line: Line) {
        if self.operator.answers.weight() < self.turn.limits.console_outbox {
            self.operator.answers.push(line);
        } else if let Some(more) = self.turn.notices.console.due(self.turn.at, self.turn.limits.notice) {
            log::warn!("stdout is not read: an answer is dropped{more}");
        }
    }

    pub(super) fn send(&mut self, seat: SeatId, line: Line) {
        let Some(&key) = self.peers.seats.get(&seat) else { return };
        let Some(connection) = self.peers.get_mut(key) else { return };
        log::trace!("tick {}, {seat} > {}", self.reached, line.text().escape_ascii());
        if connection.phase == Phase::Observer {
            // Lines that were published before the answer are sent before it.
            self.audience.hand_out(&mut self.turn, &mut self.peers);
            self.audience.answer_bytes += line.bytes().len();
            let weight = line.bytes().len() + LINE_WEIGHT;
            self.audience.charge(key, weight, &self.turn, &mut self.peers);
        }
        let Some(connection) = self.peers.get_mut(key) else { return };
        if connection.phase == Phase::Gone || connection.deaf {
            return;
        }
        if self.clock.is_lockstep() {
            connection.sent = (connection.sent.0 + line.lines().count() as u64, Some(line.clone()));
        }
        connection.outbox.push(line);
        if connection.outbox.weight() > self.turn.limits.player_outbox
            && self.peers.swollen.last() != Some(&key)
        {
            self.peers.swollen.push(key);
        }
        self.clock.note_sent(seat, self.reached);
        self.peers.mark_dirty(key);
    }

    /// Charges a player for a line that took no time or was dropped: after many such lines the player has to wait.
    fn charge_player(&mut self, seat: SeatId) {
        let player = self.peers.seats.get(&seat).and_then(|key| self.peers.connections.get_mut(key));
        if let Some(player) = player.filter(|connection| connection.phase == Phase::Player) {
            let time = self.clock.idle_time(1, self.turn.limits.idle_lines);
            player.spent_until = player.spent_until.max(self.turn.at) + time;
        }
    }

    /// Whether an observer has to wait because it, or all observers together, were sent so much; then a deadline is set
    /// to go on with it. Once the match is over no observer waits.
    pub(super) fn delays_observer(&mut self, key: Key) -> bool {
        let Some(connection) = self.peers.get(key) else { return false };
        let spent_until = connection.spent_until.max(self.audience.spent_until);
        let until = spent_until.saturating_sub(self.turn.limits.observer_credit);
        let waits = self.ending.verdict.is_none() && until > self.turn.at;
        if waits {
            self.peers.deadlines.set(key, until);
        }
        waits
    }

    /// Logs why a seat was refused something or was ended, and keeps it for the operator.
    fn note_reason(&mut self, seat: SeatId, words: Words) {
        log::debug!("tick {}, {seat}: {words}", self.reached);
        if seat == SeatId::CONSOLE {
            self.operator.refusal = Some(words);
            return;
        }
        // A connection that isn't admitted isn't in the record, so the reason stands in the log alone.
        let connection = self.peers.seats.get(&seat).and_then(|key| self.peers.connections.get(key));
        if let Some(connection) = connection.filter(|connection| connection.phase == Phase::Handshake)
            && let Some(more) = self.turn.notices.login.due(self.turn.at, self.turn.limits.notice)
        {
            log::info!("{}: login refused, {words}{more}", connection.peer);
        }
    }

    pub(super) fn close(&mut self, seat: SeatId, words: &str) {
        let Some(key) = self.peers.seats.remove(&seat) else {
            // A player without a client has ended. Time may run again once all outputs of the game's step are carried
            // out.
            if let Some((_, client)) = self.orphans.waiting.remove(&seat) {
                self.orphans.missing.push(client);
                self.orphans.ended = true;
            }
            return;
        };
        let Some(connection) = self.peers.get_mut(key) else { return };
        log::debug!("{} ({seat}): closed, {words}", connection.peer);
        if connection.phase == Phase::Observer {
            self.audience.hand_out(&mut self.turn, &mut self.peers);
        }
        let Some(connection) = self.peers.get_mut(key) else { return };
        if connection.phase == Phase::Gone {
            return;
        }
        connection.seat = None;
        connection.lag = None;
        connection.phase = Phase::Closing;
        self.audience.leave(key);
        self.clock.close(key, seat);
        self.peers.deadlines.set(key, self.turn.at + self.turn.limits.close_flush);
        self.peers.mark_dirty(key);
    }

    /// Whether the match is over, although the server may run on and connections be written to.
    pub fn is_over(&self) -> bool {
        self.ending.verdict.is_some() || self.ending.played.is_some()
    }

    pub(super) fn finish(&mut self, verdict: Verdict) {
        let mut keys: Vec<Key> = self.peers.connections.keys().copied().collect();
        keys.sort_unstable();
        if self.ending.stay.is_some() {
            log::info!("the match is over: {}; the server runs on", verdict.reason);
            self.ending.played = Some(verdict);
            // Reading the connections closes those that have ended.
            return keys.into_iter().for_each(|key| self.peers.queue_to_read(key));
        }
        self.audience.hand_out(&mut self.turn, &mut self.peers);
        self.ending.verdict = Some(verdict);
        self.ending.shutdown_at = self.turn.at + self.turn.limits.shutdown_flush;
        for key in keys {
            self.peers.deadlines.set(key, self.ending.shutdown_at);
            if let Some(connection) = self.peers.get_mut(key)
                && !matches!(connection.phase, Phase::Gone | Phase::Lingering)
            {
                connection.phase = Phase::Closing;
            }
            self.peers.mark_dirty(key);
        }
    }

    /// Notes that a connection can't be written to any more. In lockstep the lines that its program sent before still
    /// count, its team's name included, whenever the failure is noticed.
    pub(super) fn fail_write(&mut self, key: Key, why: &str) {
        let takes_part = |phase| matches!(phase, Phase::Handshake | Phase::Player);
        match self.peers.get_mut(key) {
            Some(connection)
                if self.clock.is_lockstep()
                    && self.ending.played.is_none()
                    && takes_part(connection.phase) =>
            {
                connection.deaf = true;
                connection.readable = true;
                connection.outbox.clear();
                self.peers.queue_to_read(key);
            }
            _ => self.peers.mark_gone(key, why),
        }
    }

    /// Writes once to every connection that has lines waiting and is writable.
    pub fn flush(&mut self) {
        self.audience.serve(&mut self.game, &mut self.turn, &mut self.peers);
        let due = self.writes_backlog_at();
        if due.is_some_and(|due| due <= self.turn.at) {
            self.game.write_backlog();
        }
        let since = self.backlog_since.filter(|_| due.is_some_and(|due| due > self.turn.at));
        self.backlog_since = self.game.has_backlog().then(|| since.unwrap_or(self.turn.at));
        for key in std::mem::take(&mut self.peers.dirty) {
            let Some(connection) = self.peers.get_mut(key) else { continue };
            connection.dirty = false;
            if matches!(connection.phase, Phase::Gone | Phase::Lingering) {
                continue;
            }
            let read_mark = self.turn.limits.read_mark;
            let held = connection.is_held(read_mark);
            match connection.outbox.write_to(&mut connection.stream, self.turn.limits.turn_written) {
                Ok(Progress::Emptied) => self.handle_emptied(key),
                Ok(Progress::Blocked) => connection.writable = false,
                Ok(Progress::Spent) => self.peers.mark_dirty(key),
                Err(error) => {
                    self.fail_write(key, &error.to_string());
                    continue;
                }
            }
            if held && self.peers.get(key).is_some_and(|now| !now.is_held(read_mark)) {
                self.peers.queue_to_read(key);
            }
        }
    }

    /// When the notes of the match have waited long enough and are to be written. This goes by the clock on the wall,
    /// since the match's own time may stand still.
    pub(super) fn writes_backlog_at(&self) -> Option<Duration> {
        self.backlog_since.map(|since| since + self.turn.limits.record_pause)
    }

    /// An outbox is empty: brings its observer up to date if that lags, or goes on closing its connection.
    fn handle_emptied(&mut self, key: Key) {
        let Some(connection) = self.peers.get_mut(key) else { return };
        if let Some(lag) = connection.lag {
            // While the observers' outboxes hold much, a snapshot has to wait.
            if self.audience.weight(&self.peers) >= self.turn.limits.all_observers {
                self.audience.postponed.insert(key);
            } else if !self.delays_observer(key) {
                let Shell { audience, game, turn, peers, .. } = self;
                audience.bring_up_to_date(key, lag, game, turn, peers);
            }
        } else if connection.phase == Phase::Closing {
            connection.phase = Phase::Lingering;
            if let Err(error) = connection.stream.shutdown_write() {
                return self.peers.mark_gone(key, &error.to_string());
            }
            let until = (self.turn.at + self.turn.limits.linger).min(self.ending.shutdown_at);
            self.peers.deadlines.set(key, until);
            self.peers.queue_to_read(key);
        }
    }
}
