//! Carrying out the game's outputs.
//!
//! Never calls the game's `handle_*`: a connection that is lost here is only marked, and [`super::serve`] tells the
//! game. Tested in `tests` and `simulation`.

use std::num::NonZeroU32;
use std::time::Duration;

use super::{Phase, Shell, Stream};
use crate::net::connection::{Key, Lag};
use crate::net::outbox::{LINE_WEIGHT, Progress};
use zappy_game::{Game, Line, Output, SeatId, Verdict, Words};

/// Bytes of published lines that are handed to observers as one text.
const GATHERED_BYTES: usize = 8 << 10;

/// What was published, for observers.
#[derive(Debug, Default)]
pub(super) struct Published {
    /// Lines since the match began.
    pub(super) lines: u64,
    /// The text of those that the observers weren't handed yet.
    pub(super) gathered: Vec<u8>,
    /// How many lines came before that text.
    pub(super) gathered_from: u64,
    /// When observers were handed lines last.
    handed_at: Duration,
    /// How many lines there are to be before the game is told which ones no observer misses.
    pub(super) forgets_at: u64,
}

impl<G: Game, S: Stream> Shell<'_, G, S> {
    pub(super) fn drain(&mut self) {
        while let Some(output) = self.game.poll_output() {
            self.carry_out(output);
        }
        while let Some(key) = self.swollen.pop() {
            self.check_weight(key);
        }
        self.look_for_orphans();
    }

    /// Disconnects a player that doesn't read. One step may say much to a player, so its outbox is offered to the
    /// system first, and only what stays counts.
    fn check_weight(&mut self, key: Key) {
        let Some(connection) = self.connections.get_mut(&key) else { return };
        if !matches!(connection.phase, Phase::Handshake | Phase::Player) {
            return;
        }
        if connection.writable {
            match connection.outbox.write_to(&mut connection.stream, usize::MAX) {
                Ok(Progress::Blocked) => connection.writable = false,
                Ok(Progress::Emptied | Progress::Spent) => {}
                Err(error) => return self.fail_write(key, &error.to_string()),
            }
        }
        // A single line always fits, however long it is.
        if connection.outbox.weight_but_last() > self.limits.player_outbox {
            if let Some(more) = self.notices.slow.due(self.at, self.limits.notice) {
                log::warn!("{}: closed, it does not read what it is sent{more}", connection.peer);
            }
            self.lose(key, "does not read");
        }
    }

    fn carry_out(&mut self, output: Output) {
        match output {
            Output::Send(SeatId::CONSOLE, line) => self.answer(line),
            Output::Send(seat, line) => {
                if self.heard == Some(seat) {
                    self.charge_player(seat);
                }
                self.send(seat, line);
            }
            Output::Admit(seat) => {
                let player = self.admitted;
                self.admitted += 1;
                if let Some(&key) = self.seats.get(&seat)
                    && self.set_phase(key, Phase::Player)
                {
                    let peer = self.connections.get(&key).map(|connection| connection.peer);
                    self.seated.extend(peer.map(|peer| (player, peer)));
                }
            }
            Output::Subscribe(seat) => self.subscribe(seat),
            Output::Publish(line) => self.publish(&line),
            Output::Why(seat, words) => {
                // A line that waited is refused.
                if self.heard.is_none() {
                    self.charge_player(seat);
                }
                self.why(seat, words);
            }
            Output::Instead(seat, None) => self.charge_player(seat),
            Output::AsConsole(_) | Output::Instead(..) | Output::Withhold(_) => {}
            Output::Gate(open) => self.set_gate(open),
            Output::SetTickRate(rate) => self.set_rate(rate),
            Output::Close(seat, words) => self.close(seat, &words),
            Output::Finished(verdict) => self.finish(verdict),
        }
    }

    /// Sets the pace of time, once all players of a resumed match are back.
    pub(super) fn set_rate(&mut self, rate: Option<NonZeroU32>) {
        self.orphans.rate = rate;
        let rate = rate.filter(|_| self.orphans.is_empty());
        match &mut self.rounds {
            Some(rounds) => rounds.runs = rate.is_some(),
            None => self.clock.set_rate(self.at, self.reached, rate),
        }
    }

    pub(super) fn answer(&mut self, line: Line) {
        if self.answers.weight() < self.limits.console_outbox {
            self.answers.push(line);
        } else if let Some(more) = self.notices.console.due(self.at, self.limits.notice) {
            log::warn!("stdout is not read: an answer is dropped{more}");
        }
    }

    pub(super) fn send(&mut self, seat: SeatId, line: Line) {
        let Some(&key) = self.seats.get(&seat) else { return };
        let Some(connection) = self.connections.get_mut(&key) else { return };
        log::trace!("tick {}, {seat} > {}", self.reached, line.text().escape_ascii());
        if connection.phase == Phase::Observer {
            // What was published before the answer comes before it.
            self.hand_out();
            self.answered += line.bytes().len();
            self.charge_observer(key, line.bytes().len() + LINE_WEIGHT);
        }
        let Some(connection) = self.connections.get_mut(&key) else { return };
        if connection.phase == Phase::Gone || connection.deaf {
            return;
        }
        if self.rounds.is_some() {
            connection.told = (connection.told.0 + line.lines().count() as u64, Some(line.clone()));
        }
        connection.outbox.push(line);
        if connection.outbox.weight() > self.limits.player_outbox && self.swollen.last() != Some(&key) {
            self.swollen.push(key);
        }
        if let Some(rounds) = &mut self.rounds {
            rounds.delivered(seat, self.at, self.reached);
        }
        self.mark_dirty(key);
    }

    /// Counts what an observer is told for asking or for coming, in the time that it has to wait for.
    pub(super) fn charge_observer(&mut self, key: Key, weight: usize) {
        let time = |rate: usize| Duration::from_micros(weight as u64 * 1_000_000 / rate.max(1) as u64);
        self.told_until = self.told_until.max(self.at) + time(self.limits.observers_rate);
        if let Some(connection) = self.connections.get_mut(&key) {
            connection.told_until = connection.told_until.max(self.at) + time(self.limits.observer_rate);
        }
    }

    /// Whether an observer was told so much, or all of them were, that it has to wait; then it is looked at again later.
    pub(super) fn delays_observer(&mut self, key: Key) -> bool {
        let Some(connection) = self.connections.get(&key).filter(|_| self.verdict.is_none()) else {
            return false;
        };
        let until = connection.told_until.max(self.told_until).saturating_sub(self.limits.observer_credit);
        if until > self.at {
            self.deadlines.set(key, until);
        }
        until > self.at
    }

    fn subscribe(&mut self, seat: SeatId) {
        let Some(&key) = self.seats.get(&seat) else { return };
        if self.set_phase(key, Phase::Observer) {
            self.watchers.push(key);
            if let Some(connection) = self.connections.get_mut(&key) {
                connection.lag = Some(Lag::New);
            }
            self.mark_dirty(key);
        }
    }

    /// Ends a handshake; false if the connection is lost already.
    pub(super) fn set_phase(&mut self, key: Key, phase: Phase) -> bool {
        let Some(connection) = self.connections.get_mut(&key) else { return false };
        if connection.phase != Phase::Handshake {
            return false;
        }
        connection.phase = phase;
        let does = if phase == Phase::Observer { "watches" } else { "plays" };
        log::debug!("{}: {does}", connection.peer);
        self.deadlines.clear(key);
        true
    }

    fn publish(&mut self, line: &Line) {
        let number = self.published.lines;
        self.published.lines += 1;
        if self.watchers.is_empty() {
            return;
        }
        let most = GATHERED_BYTES.min(self.limits.observer_outbox / 4);
        if self.published.gathered.len() + line.bytes().len() > most {
            self.hand_out();
        }
        if self.published.gathered.is_empty() {
            self.published.gathered_from = number;
        }
        self.published.gathered.extend_from_slice(line.bytes());
    }

    /// When the observers are to be handed what was published; `None` if there is nothing new.
    pub(super) fn hands_out_at(&self) -> Option<Duration> {
        let others = u32::try_from(self.watchers.len().saturating_sub(1)).unwrap_or(u32::MAX);
        let pause = self.limits.observer_pause.saturating_mul(others).min(self.limits.observer_pause_most);
        (!self.published.gathered.is_empty()).then(|| self.published.handed_at + pause)
    }

    /// Hands all observers what was published since the last time, as one text that they share.
    pub(super) fn hand_out(&mut self) {
        if self.published.gathered.is_empty() {
            return;
        }
        self.published.handed_at = self.at;
        let (lines, number) = (Line::together(&self.published.gathered), self.published.gathered_from);
        self.published.gathered.clear();
        for i in 0..self.watchers.len() {
            let key = self.watchers[i];
            let Some(connection) = self.connections.get_mut(&key) else { continue };
            if connection.lag.is_some() || connection.phase != Phase::Observer {
                continue;
            }
            connection.outbox.publish(lines.clone(), number);
            if connection.outbox.published_weight() > self.limits.observer_outbox {
                let missed = connection.outbox.drop_published().unwrap_or(self.published.lines);
                connection.lag = Some(Lag::Missed(missed));
                if let Some(more) = self.notices.lagging.due(self.at, self.limits.notice) {
                    log::warn!("{}: falls behind and will be sent a snapshot{more}", connection.peer);
                }
            }
            self.mark_dirty(key);
        }
    }

    fn why(&mut self, seat: SeatId, words: Words) {
        log::debug!("tick {}, {seat}: {words}", self.reached);
        if seat == SeatId::CONSOLE {
            self.console_refusal = Some(words);
            return;
        }
        // A connection that isn't admitted isn't in the record, so the log alone tells the reason.
        let connection = self.seats.get(&seat).and_then(|key| self.connections.get(key));
        if let Some(connection) = connection.filter(|connection| connection.phase == Phase::Handshake)
            && let Some(more) = self.notices.login.due(self.at, self.limits.notice)
        {
            log::info!("{}: login refused, {words}{more}", connection.peer);
        }
    }

    fn set_gate(&mut self, open: bool) {
        self.gate = open;
        if !open {
            return;
        }
        let mut waiting = std::mem::take(&mut self.waiting);
        self.chance.shuffle(&mut waiting);
        self.opening.extend(waiting);
    }

    pub(super) fn close(&mut self, seat: SeatId, words: &str) {
        let Some(key) = self.seats.remove(&seat) else { return self.forget_orphan(seat) };
        let Some(connection) = self.connections.get_mut(&key) else { return };
        log::debug!("{} ({seat}): closed, {words}", connection.peer);
        let watched = connection.phase == Phase::Observer;
        if watched {
            self.hand_out();
        }
        let Some(connection) = self.connections.get_mut(&key) else { return };
        if connection.phase == Phase::Gone {
            return;
        }
        connection.seat = None;
        connection.lag = None;
        connection.phase = Phase::Closing;
        self.watchers.retain(|&watcher| watcher != key);
        if let Some(rounds) = &mut self.rounds {
            rounds.forget(key, Some(seat));
        }
        self.deadlines.set(key, self.at + self.limits.close_flush);
        self.mark_dirty(key);
    }

    /// Whether the match is over, although the server may run on and connections be written to.
    pub fn is_over(&self) -> bool {
        self.verdict.is_some() || self.played.is_some()
    }

    pub(super) fn finish(&mut self, verdict: Verdict) {
        let mut keys: Vec<Key> = self.connections.keys().copied().collect();
        keys.sort_unstable();
        if self.stay.is_some() {
            log::info!("the match is over: {}; the server runs on", verdict.reason);
            self.played = Some(verdict);
            // Those that have ended are closed.
            return keys.into_iter().for_each(|key| self.list(key));
        }
        self.hand_out();
        self.verdict = Some(verdict);
        self.shutdown_at = self.at + self.limits.shutdown_flush;
        for key in keys {
            self.deadlines.set(key, self.shutdown_at);
            if let Some(connection) = self.connections.get_mut(&key)
                && !matches!(connection.phase, Phase::Gone | Phase::Lingering)
            {
                connection.phase = Phase::Closing;
            }
            self.mark_dirty(key);
        }
    }

    /// A connection can't be written any more. In lockstep the lines that its program sent before still count,
    /// its team's name included, whenever the failure is noticed.
    pub(super) fn fail_write(&mut self, key: Key, why: &str) {
        let takes_part = |phase| matches!(phase, Phase::Handshake | Phase::Player);
        match self.connections.get_mut(&key) {
            Some(connection)
                if self.rounds.is_some() && self.played.is_none() && takes_part(connection.phase) =>
            {
                connection.deaf = true;
                connection.readable = true;
                connection.outbox.clear();
                self.list(key);
            }
            _ => self.lose(key, why),
        }
    }

    /// Marks a connection that is to be removed.
    pub(super) fn lose(&mut self, key: Key, why: &str) {
        let Some(connection) = self.connections.get_mut(&key) else { return };
        if connection.phase != Phase::Gone {
            log::debug!("{}: gone, {why}", connection.peer);
            connection.phase = Phase::Gone;
            connection.outbox.clear();
            self.gone.push(key);
        }
    }
}
