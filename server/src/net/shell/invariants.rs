//! What must hold of the shell between two turns, for simulations.
//!
//! Panics with the invariant that is broken. Reads everything and changes nothing, except that the game is asked for a
//! snapshot. Called after every step of `tests/simulation.rs` and of the crate `simulation`.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::net::IpAddr;

use super::time::Clock;
use super::{Hosted, Phase, Shell, Stream};
use crate::net::connection::{Connection, Fetched, Key, Ready};
use crate::net::lockstep::Rounds;
use crate::net::outbox::LINE_WEIGHT;
use zappy_game::Line;

/// Bytes by which published lines may exceed their limit: a line that was begun is completed.
const LONGEST_LINE: usize = 16 << 10;
/// Bytes that the answer to one request may have besides a snapshot.
const ANSWER_BYTES: usize = 64 << 10;

impl<G: Hosted, S: Stream> Shell<G, S> {
    /// The stream of a connection.
    pub fn stream(&self, key: Key) -> Option<&S> {
        self.peers.get(key).map(|connection| &connection.stream)
    }

    /// How many connections there are.
    pub fn connected(&self) -> usize {
        self.peers.connections.len()
    }

    /// `(watches, sent_all)`: whether the connection is an observer's, and whether it was sent everything so far.
    pub fn watches(&self, key: Key) -> (bool, bool) {
        let watcher = self.peers.get(key).filter(|connection| connection.phase == Phase::Observer);
        let sent_all = watcher.is_some_and(|watcher| watcher.lag.is_none() && watcher.outbox.is_empty());
        (watcher.is_some(), sent_all && self.audience.gathered.is_empty())
    }

    /// Whether no time passes, however long the clients take.
    pub fn stands_still(&self) -> bool {
        match &self.clock {
            Clock::Real(clock, _) => clock.time_of(self.reached + 1).is_none(),
            Clock::Lockstep(rounds) => !rounds.runs,
        }
    }

    /// Whether the connection is a player's.
    pub fn plays(&self, key: Key) -> bool {
        self.peers.get(key).is_some_and(|connection| connection.phase == Phase::Player)
    }

    /// The connections of players that owe a line in lockstep, each with whether the line was fetched.
    pub fn owing(&self) -> BTreeMap<Key, bool> {
        let mut seats = Vec::new();
        if matches!(&self.clock, Clock::Lockstep(rounds) if rounds.begun) && !self.is_over() {
            self.game.owing(&mut seats);
        }
        let keys = seats.iter().filter_map(|seat| self.peers.seats.get(seat));
        let fetched =
            |key| self.peers.connections.get(key).is_some_and(|connection| connection.fetched.is_some());
        keys.map(|key| (*key, fetched(key))).collect()
    }

    /// The work that the shell still has to do, in words.
    pub fn unrest(&self) -> String {
        let phases = |keys: &mut dyn Iterator<Item = &Key>| {
            keys.filter_map(|&key| self.peers.get(key)).map(|there| there.phase).collect::<Vec<_>>()
        };
        format!(
            "to read {:?}, to write {:?}, to remove {:?}, to let in {}, next deadline {:?}, due {:?}",
            phases(&mut self.peers.ready.iter()),
            phases(&mut self.peers.dirty.iter()),
            phases(&mut self.peers.gone.iter()),
            self.entrance.opening.len(),
            self.peers.deadlines.next(),
            self.game.poll_timeout(),
        )
    }

    /// Whether a connection waits to be let in while the match goes on.
    pub fn keeps_waiting(&self) -> bool {
        !(self.is_over() || self.entrance.waiting.is_empty() && self.entrance.opening.is_empty())
    }

    /// Panics if the shell contradicts itself.
    pub fn assert_invariants(&self) {
        self.assert_seats();
        let watchers: BTreeSet<Key> = self.audience.watchers.iter().copied().collect();
        assert_eq!(watchers.len(), self.audience.watchers.len(), "an observer is listed twice");
        let ready: BTreeSet<Key> = self.peers.ready.iter().copied().collect();
        let dirty: BTreeSet<Key> = self.peers.dirty.iter().copied().collect();
        let seatless = self.entrance.waiting.iter().chain(&self.entrance.opening);
        let seatless: BTreeSet<Key> = seatless.copied().collect();
        for (key, connection) in &self.peers.connections {
            let watches = connection.phase == Phase::Observer;
            assert!(!watches || watchers.contains(key), "an observer isn't listed");
            assert_eq!(connection.listed, ready.contains(key), "{key:?} is to be read?");
            assert_eq!(connection.dirty, dirty.contains(key), "{key:?} is to be written?");
            assert!(connection.phase != Phase::Waiting || seatless.contains(key), "{key:?} is never let in");
            let gone = connection.phase == Phase::Gone;
            assert!(!gone || self.peers.gone.contains(key), "{key:?} is never removed");
        }
        let gone = watchers.iter().chain(&seatless).find(|&&key| self.peers.get(key).is_none());
        assert!(gone.is_none(), "{gone:?} is gone, and watches or waits for a seat");
        let keys: BTreeSet<Key> = self.peers.deadlines.keys().collect();
        let gone = keys.iter().find(|key| !self.peers.connections.contains_key(key));
        assert!(gone.is_none(), "{gone:?} is gone and has a deadline");
        let arrives = |key| matches!(&self.clock, Clock::Lockstep(rounds) if rounds.arrivals.iter().any(|there| there.key == key));
        for (key, connection) in &self.peers.connections {
            let limited = match connection.phase {
                Phase::Handshake => self.ending.played.is_none() && !arrives(*key),
                Phase::Closing | Phase::Lingering => true,
                Phase::Waiting | Phase::Player | Phase::Observer | Phase::Gone => false,
            };
            assert!(!limited || keys.contains(key), "{key:?} has no deadline: {:?}", connection.phase);
        }
        self.peers.connections.values().for_each(|connection| self.assert_weight(connection));
        let answers = self.operator.answers.weight();
        assert!(answers <= self.turn.limits.console_outbox + ANSWER_BYTES, "{answers} wait for the console");
        if let Clock::Lockstep(rounds) = &self.clock {
            self.assert_rounds(rounds);
        }
    }

    fn assert_seats(&self) {
        let over = self.ending.verdict.is_some();
        for (seat, key) in &self.peers.seats {
            let connection = self.peers.connections.get(key);
            let connection = connection.unwrap_or_else(|| panic!("{seat} has no connection"));
            assert_eq!(connection.seat, Some(*seat), "{seat} and its connection don't agree");
        }
        for (key, connection) in &self.peers.connections {
            let seated = connection.seat.is_some_and(|seat| self.peers.seats.get(&seat) == Some(key));
            match connection.phase {
                Phase::Handshake | Phase::Player | Phase::Observer => assert!(seated, "{key:?} has no seat"),
                Phase::Waiting => assert!(!seated, "{key:?} has a seat before it is let in"),
                Phase::Closing | Phase::Lingering => assert!(!seated || over, "{key:?} still has a seat"),
                Phase::Gone => {}
            }
            assert!(connection.lag.is_none() || connection.phase != Phase::Player, "a player lags");
        }
        for orphan in self.orphans.waiting.keys() {
            assert!(!self.peers.seats.contains_key(orphan), "{orphan} waits for a client and has one");
        }
        let mut addresses: HashMap<IpAddr, usize> = HashMap::new();
        for connection in self.peers.connections.values() {
            *addresses.entry(connection.peer.ip()).or_default() += 1;
        }
        assert_eq!(addresses, self.peers.addresses, "connections per address");
        assert!(self.peers.connections.len() <= self.turn.limits.connections, "too many connections");
    }

    fn assert_weight(&self, connection: &Connection<S>) {
        let (outbox, limits) = (&connection.outbox, &self.turn.limits);
        let most = match connection.phase {
            Phase::Handshake | Phase::Player => limits.player_outbox,
            Phase::Gone => 0,
            Phase::Observer => {
                let published = outbox.published_weight();
                assert!(published <= limits.observer_outbox + LONGEST_LINE, "{published} published");
                let rest = outbox.weight() - published;
                if rest <= limits.read_mark + ANSWER_BYTES {
                    return;
                }
                let mut snapshot = Vec::new();
                self.game.snapshot(Some(self.game.remembers_since()), &mut snapshot);
                let snapshot: usize =
                    snapshot.iter().map(|line: &Line| line.bytes().len() + LINE_WEIGHT).sum();
                limits.observer_outbox + limits.read_mark + 2 * snapshot + ANSWER_BYTES
            }
            Phase::Waiting | Phase::Closing | Phase::Lingering => return,
        };
        let (weight, phase) = (outbox.weight(), connection.phase);
        assert!(outbox.weight_but_last() <= most, "{weight} wait for a connection: {phase:?}");
    }

    fn assert_rounds(&self, rounds: &Rounds) {
        let thinking: BTreeSet<Key> = rounds.thinking.keys().collect();
        for (seat, player) in &rounds.players {
            let connection = self.peers.get(player.key).filter(|connection| connection.seat == Some(*seat));
            assert!(connection.is_some(), "{seat} plays without a connection");
        }
        for seat in &rounds.gathering.waiting {
            let player = rounds.players.get(seat);
            let player = player.unwrap_or_else(|| panic!("a round waits for {seat}, which doesn't play"));
            assert!(thinking.contains(&player.key), "a round waits for {seat} without a limit");
        }
        for key in rounds.newcomers.keys().chain(&thinking) {
            assert!(self.peers.connections.contains_key(key), "{key:?} is gone, and a round waits for it");
        }
        for arrival in &rounds.arrivals {
            let connection = self.peers.connections.get(&arrival.key);
            let fetched = connection.and_then(|connection| connection.fetched.as_ref());
            assert!(matches!(fetched, Some(Fetched::Line(_))), "an arrival that has said no name");
        }
        assert!(rounds.begun || self.reached == 0 || self.is_over(), "time passes before the match begins");
    }

    /// Panics if anything is left of connections, once all of them are gone.
    pub fn assert_drained(&self) {
        let Shell { peers, entrance, audience, .. } = self;
        assert_eq!(peers.connections.len(), 0, "connections are left");
        assert!(peers.seats.is_empty() && peers.addresses.is_empty(), "seats or addresses are left");
        assert!(entrance.waiting.is_empty() && entrance.opening.is_empty(), "connections wait for a seat");
        assert!(peers.gone.is_empty() && audience.watchers.is_empty(), "connections are still to be removed");
        assert!(
            peers.swollen.is_empty() && audience.postponed.is_empty(),
            "connections are still to be checked"
        );
        assert_eq!(peers.deadlines.keys().count(), 0, "deadlines are left");
        if let Clock::Lockstep(rounds) = &self.clock {
            assert!(
                rounds.players.is_empty() && rounds.gathering.waiting.is_empty(),
                "the rounds keep a player"
            );
            assert!(rounds.newcomers.is_empty() && rounds.arrivals.is_empty(), "the rounds keep a newcomer");
            assert_eq!(rounds.thinking.keys().count(), 0, "think times are left");
        }
    }

    /// Panics if something waits on the network and the shell doesn't know of it. `state`: what the system knows of a
    /// stream. Called when the shell has nothing to do until its next deadline and no further report of the system will
    /// come.
    pub fn assert_nothing_forgotten(&self, state: impl Fn(&S) -> Ready) {
        let limited: BTreeSet<Key> = self.peers.deadlines.keys().collect();
        for (key, connection) in &self.peers.connections {
            let wire = state(&connection.stream);
            let phase = connection.phase;
            let delayed = limited.contains(key) || !self.audience.postponed.is_empty();
            let unwritten = !connection.outbox.is_empty() && wire.writable && !connection.deaf;
            assert!(!unwritten || phase == Phase::Lingering, "{key:?} isn't written to: {phase:?}");
            let lags = connection.lag.is_some() && connection.outbox.is_empty() && wire.writable;
            assert!(!lags || delayed, "{key:?} is never brought up to date");
            let unread = wire.readable || wire.ended && !connection.end_is_found();
            let reads = match phase {
                Phase::Handshake | Phase::Player if self.clock.is_lockstep() => connection.fetched.is_none(),
                Phase::Handshake | Phase::Lingering => true,
                Phase::Player => !delayed && connection.paced.len() < self.turn.limits.paced_lines,
                Phase::Observer => !delayed,
                Phase::Waiting | Phase::Closing | Phase::Gone => false,
            };
            let held = connection.is_held(self.turn.limits.read_mark) && phase != Phase::Lingering;
            assert!(!unread || !reads || held || self.is_over(), "{key:?} isn't read: {phase:?}");
        }
    }
}
