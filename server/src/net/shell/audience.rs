//! The observers: the lines published for them, the lines that they missed, and how much they may be sent.
//!
//! Tested in `tests/observers.rs`.

use std::collections::BTreeSet;
use std::time::Duration;

use super::{Hosted, Phase, Shell, Stream, Turn};
use crate::net::connection::{Key, Lag};
use crate::net::limits::Limits;
use crate::net::outbox::LINE_WEIGHT;
use zappy_game::Line;

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
    /// Removes an observer.
    pub(super) fn leave(&mut self, key: Key) {
        self.watchers.retain(|&watcher| watcher != key);
    }

    /// When the observers are to be handed what was published; `None` if there is nothing new.
    pub(super) fn hands_out_at(&self, limits: &Limits) -> Option<Duration> {
        let others = u32::try_from(self.watchers.len().saturating_sub(1)).unwrap_or(u32::MAX);
        let pause = limits.observer_pause.saturating_mul(others).min(limits.observer_pause_most);
        (!self.gathered.is_empty()).then(|| self.handed_at + pause)
    }
}

impl<G: Hosted, S: Stream> Shell<G, S> {
    /// Keeps a published line until the observers are handed it.
    pub(super) fn publish(&mut self, line: &Line) {
        let number = self.audience.lines;
        self.audience.lines += 1;
        if self.audience.watchers.is_empty() {
            return;
        }
        let most = GATHERED_BYTES.min(self.turn.limits.observer_outbox / 4);
        if self.audience.gathered.len() + line.bytes().len() > most {
            self.hand_out();
        }
        if self.audience.gathered.is_empty() {
            self.audience.gathered_from = number;
        }
        self.audience.gathered.extend_from_slice(line.bytes());
    }

    /// Hands all observers what was published since the last time, as one text that they share.
    pub(super) fn hand_out(&mut self) {
        let Shell { audience, turn, peers, .. } = self;
        if audience.gathered.is_empty() {
            return;
        }
        audience.handed_at = turn.at;
        let lines = Line::together(&audience.gathered);
        audience.gathered.clear();
        for &key in &audience.watchers {
            let Some(connection) = peers.get_mut(key) else { continue };
            if connection.lag.is_some() || connection.phase != Phase::Observer {
                continue;
            }
            connection.outbox.publish(lines.clone(), audience.gathered_from);
            if connection.outbox.published_weight() > turn.limits.observer_outbox {
                let missed = connection.outbox.drop_published().unwrap_or(audience.lines);
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
    pub(super) fn serve_audience(&mut self) {
        if !self.audience.postponed.is_empty() && self.audience_weight() < self.turn.limits.all_observers {
            let postponed = std::mem::take(&mut self.audience.postponed);
            postponed.into_iter().for_each(|key| self.peers.mark_dirty(key));
        }
        if self.audience.hands_out_at(&self.turn.limits).is_some_and(|due| due <= self.turn.at) {
            self.hand_out();
        }
        let Shell { audience, peers, game, .. } = self;
        if audience.lines >= audience.forgets_at {
            let watchers = audience.watchers.iter().filter_map(|&key| peers.get(key));
            let missing = watchers.filter_map(|watcher| match watcher.lag {
                Some(Lag::Missed(from)) => Some(from),
                Some(Lag::New) => None,
                None => watcher.outbox.first_published(),
            });
            let gathered = (!audience.gathered.is_empty()).then_some(audience.gathered_from);
            game.forget(missing.chain(gathered).min().unwrap_or(audience.lines));
            audience.forgets_at = audience.lines + FORGET_LINES;
        }
    }

    /// The weight of all observers' outboxes.
    pub(super) fn audience_weight(&self) -> usize {
        let watchers = self.audience.watchers.iter().filter_map(|&key| self.peers.get(key));
        watchers.map(|connection| connection.outbox.weight()).sum()
    }

    /// Charges an observer, and all observers together, for a snapshot or an answer of that weight: with the time in
    /// which that much may be sent.
    pub(super) fn charge_observer(&mut self, key: Key, weight: usize) {
        let Turn { at, limits, .. } = &self.turn;
        let time = |rate: usize| Duration::from_micros(weight as u64 * 1_000_000 / rate.max(1) as u64);
        self.audience.spent_until = self.audience.spent_until.max(*at) + time(limits.observers_rate);
        if let Some(connection) = self.peers.get_mut(key) {
            connection.spent_until = connection.spent_until.max(*at) + time(limits.observer_rate);
        }
    }

    /// Sends an observer a snapshot, unless this turn has no snapshot left.
    pub(super) fn bring_up_to_date(&mut self, key: Key, lag: Lag) {
        if matches!(lag, Lag::Missed(from) if from < self.game.remembers_since()) {
            return self.peers.mark_gone(key, "fell too far behind to be brought up to date");
        }
        // A snapshot holds what was published before it.
        self.hand_out();
        if let Some(connection) = self.peers.get_mut(key)
            && self.audience.snapshots_left > 0
        {
            self.audience.snapshots_left -= 1;
            connection.lag = None;
            let missed_from = match lag {
                Lag::New => None,
                Lag::Missed(from) => Some(from),
            };
            // The game stands between two steps.
            let mut lines = Vec::new();
            self.game.snapshot(missed_from, &mut lines);
            let weight = lines.iter().map(|line| line.bytes().len() + LINE_WEIGHT).sum();
            lines.into_iter().for_each(|line| connection.outbox.push(line));
            self.charge_observer(key, weight);
            // The observer's requests were held back until now.
            self.peers.queue_to_read(key);
        }
        // The snapshot is written in the next turn, or made if there was no budget for it.
        self.peers.mark_dirty(key);
    }
}
