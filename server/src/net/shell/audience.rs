//! The observers: the lines published for them, the lines that they missed, and how much they may be sent.
//!
//! Tested in `tests/observers.rs`.

use std::collections::BTreeSet;
use std::time::Duration;

use super::peers::Peers;
use super::{Phase, Stream, Turn};
use crate::net::connection::{Key, Lag};
use crate::net::limits::Limits;
use crate::net::outbox::LINE_WEIGHT;
use zappy_game::{Game, Line};

/// Bytes of published lines that are handed to observers as one text.
const GATHERED_BYTES: usize = 8 << 10;
/// Published lines after which the game may forget anew the lines that every observer has.
const FORGET_LINES: u64 = 1_024;

/// The observers, and what they are sent together.
#[derive(Debug, Default)]
pub(super) struct Audience {
    /// The connections of the observers.
    pub(super) watchers: Vec<Key>,
    /// Lines published since the match began.
    pub(super) lines: u64,
    /// The published lines that the observers weren't handed yet, as one text.
    pub(super) gathered: Vec<u8>,
    /// How many lines were published before that text.
    gathered_from: u64,
    /// When observers were handed lines last.
    handed_at: Duration,
    /// The number of published lines at which the game may next forget lines.
    forgets_at: u64,
    /// Snapshots that may be made in this turn.
    pub(super) snapshots_left: usize,
    /// Observers that wait for a snapshot, since all outboxes together hold too much for now.
    pub(super) postponed: BTreeSet<Key>,
    /// Bytes of answers that observers were given in this turn.
    pub(super) answer_bytes: usize,
    /// The time up to which the observers together have spent what they may be sent.
    pub(super) spent_until: Duration,
}

impl Audience {
    pub(super) fn leave(&mut self, key: Key) {
        self.watchers.retain(|&watcher| watcher != key);
    }

    /// When the observers are to be handed what was published; `None` if there is nothing new.
    pub(super) fn hands_out_at(&self, limits: &Limits) -> Option<Duration> {
        let others = u32::try_from(self.watchers.len().saturating_sub(1)).unwrap_or(u32::MAX);
        let pause = limits.observer_pause.saturating_mul(others).min(limits.observer_pause_most);
        (!self.gathered.is_empty()).then(|| self.handed_at + pause)
    }

    /// Keeps a published line until the observers are handed it.
    pub(super) fn publish<S: Stream>(&mut self, line: &Line, turn: &mut Turn, peers: &mut Peers<S>) {
        let number = self.lines;
        self.lines += 1;
        if self.watchers.is_empty() {
            return;
        }
        let most = GATHERED_BYTES.min(turn.limits.observer_outbox / 4);
        if self.gathered.len() + line.bytes().len() > most {
            self.hand_out(turn, peers);
        }
        if self.gathered.is_empty() {
            self.gathered_from = number;
        }
        self.gathered.extend_from_slice(line.bytes());
    }

    /// Hands all observers what was published since the last time, as one text that they share.
    pub(super) fn hand_out<S: Stream>(&mut self, turn: &mut Turn, peers: &mut Peers<S>) {
        if self.gathered.is_empty() {
            return;
        }
        self.handed_at = turn.at;
        let lines = Line::together(&self.gathered);
        self.gathered.clear();
        for &key in &self.watchers {
            let Some(connection) = peers.get_mut(key) else { continue };
            if connection.lag.is_some() || connection.phase != Phase::Observer {
                continue;
            }
            connection.outbox.publish(lines.clone(), self.gathered_from);
            if connection.outbox.published_weight() > turn.limits.observer_outbox {
                let missed = connection.outbox.drop_published().unwrap_or(self.lines);
                connection.lag = Some(Lag::Missed(missed));
                if let Some(more) = turn.notices.lagging.due(turn.at, turn.limits.notice) {
                    log::warn!("{}: falls behind and will be sent a snapshot{more}", connection.peer);
                }
            }
            peers.mark_dirty(key);
        }
    }

    /// Goes on with snapshots, hands out what was published if it is time, and lets the game forget the lines that
    /// every observer has.
    pub(super) fn serve<S: Stream>(&mut self, game: &mut impl Game, turn: &mut Turn, peers: &mut Peers<S>) {
        if !self.postponed.is_empty() && self.weight(peers) < turn.limits.all_observers {
            let postponed = std::mem::take(&mut self.postponed);
            postponed.into_iter().for_each(|key| peers.mark_dirty(key));
        }
        if self.hands_out_at(&turn.limits).is_some_and(|due| due <= turn.at) {
            self.hand_out(turn, peers);
        }
        if self.lines >= self.forgets_at {
            let watchers = self.watchers.iter().filter_map(|&key| peers.get(key));
            let missing = watchers.filter_map(|watcher| match watcher.lag {
                Some(Lag::Missed(from)) => Some(from),
                Some(Lag::New) => None,
                None => watcher.outbox.first_published(),
            });
            let gathered = (!self.gathered.is_empty()).then_some(self.gathered_from);
            game.forget(missing.chain(gathered).min().unwrap_or(self.lines));
            self.forgets_at = self.lines + FORGET_LINES;
        }
    }

    /// The weight of all observers' outboxes.
    pub(super) fn weight<S: Stream>(&self, peers: &Peers<S>) -> usize {
        let watchers = self.watchers.iter().filter_map(|&key| peers.get(key));
        watchers.map(|connection| connection.outbox.weight()).sum()
    }

    /// Charges an observer, and all observers together, for a snapshot or an answer of that weight: with the time in
    /// which that much may be sent.
    pub(super) fn charge<S: Stream>(&mut self, key: Key, weight: usize, turn: &Turn, peers: &mut Peers<S>) {
        let Turn { at, limits, .. } = turn;
        let time = |rate: usize| Duration::from_micros(weight as u64 * 1_000_000 / rate.max(1) as u64);
        self.spent_until = self.spent_until.max(*at) + time(limits.observers_rate);
        if let Some(connection) = peers.get_mut(key) {
            connection.spent_until = connection.spent_until.max(*at) + time(limits.observer_rate);
        }
    }

    /// Sends an observer a snapshot, unless this turn has no snapshot left.
    pub(super) fn bring_up_to_date<S: Stream>(
        &mut self,
        key: Key,
        lag: Lag,
        game: &mut impl Game,
        turn: &mut Turn,
        peers: &mut Peers<S>,
    ) {
        if matches!(lag, Lag::Missed(from) if from < game.remembers_since()) {
            return peers.mark_gone(key, "fell too far behind to be brought up to date");
        }
        // A snapshot holds what was published before it.
        self.hand_out(turn, peers);
        if let Some(connection) = peers.get_mut(key)
            && self.snapshots_left > 0
        {
            self.snapshots_left -= 1;
            connection.lag = None;
            let missed_from = match lag {
                Lag::New => None,
                Lag::Missed(from) => Some(from),
            };
            // The game stands between two steps.
            let mut lines = Vec::new();
            game.snapshot(missed_from, &mut lines);
            let weight = lines.iter().map(|line| line.bytes().len() + LINE_WEIGHT).sum();
            lines.into_iter().for_each(|line| connection.outbox.push(line));
            self.charge(key, weight, turn, peers);
            // The observer's requests were held back until now.
            peers.queue_to_read(key);
        }
        // The snapshot is written in the next turn, or made if there was no budget for it.
        peers.mark_dirty(key);
    }
}
