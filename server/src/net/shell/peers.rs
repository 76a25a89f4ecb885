//! The connections by their keys, and the lists of those that are to be read, written, checked or removed.
//!
//! Never calls the game. Tested in `tests`.

use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;

use foldhash::fast::FixedState;

use super::{Phase, Stream};
use crate::net::connection::{Connection, Key};
use crate::net::deadlines::Deadlines;
use zappy_game::SeatId;

/// A map with a fast hash, which is safe as the server itself hands out the keys: no client can make them collide. The
/// order of its entries means nothing.
type FastMap<K, V> = HashMap<K, V, FixedState>;

pub(super) struct Peers<S> {
    pub(super) connections: FastMap<Key, Connection<S>>,
    pub(super) seats: FastMap<SeatId, Key>,
    /// How many connections each address has.
    pub(super) addresses: HashMap<IpAddr, usize>,
    pub(super) next_key: usize,
    /// Connections to be read, in this order.
    pub(super) ready: VecDeque<Key>,
    /// Connections that have something to be written.
    pub(super) dirty: Vec<Key>,
    /// Connections to be removed.
    pub(super) gone: Vec<Key>,
    /// Connections with outboxes that got longer in this step and have to be checked after it.
    pub(super) swollen: Vec<Key>,
    pub(super) deadlines: Deadlines,
    /// How many connections were removed so far.
    pub(super) closed: u64,
}

impl<S> Default for Peers<S> {
    fn default() -> Peers<S> {
        Peers {
            connections: FastMap::default(),
            seats: FastMap::default(),
            addresses: HashMap::new(),
            next_key: 0,
            ready: VecDeque::new(),
            dirty: Vec::new(),
            gone: Vec::new(),
            swollen: Vec::new(),
            deadlines: Deadlines::default(),
            closed: 0,
        }
    }
}

impl<S: Stream> Peers<S> {
    pub(super) fn get(&self, key: Key) -> Option<&Connection<S>> {
        self.connections.get(&key)
    }

    pub(super) fn get_mut(&mut self, key: Key) -> Option<&mut Connection<S>> {
        self.connections.get_mut(&key)
    }

    /// Puts a connection on the list of those to be read, unless it is on the list already.
    pub(super) fn queue_to_read(&mut self, key: Key) {
        if let Some(connection) = self.get_mut(key)
            && !std::mem::replace(&mut connection.listed, true)
        {
            self.ready.push_back(key);
        }
    }

    /// Puts a connection on the list of those to be written, unless it is on the list already or can't be written to
    /// now.
    pub(super) fn mark_dirty(&mut self, key: Key) {
        if let Some(connection) = self.get_mut(key)
            && connection.writable
            && !std::mem::replace(&mut connection.dirty, true)
        {
            self.dirty.push(key);
        }
    }

    /// Ends a connection's handshake with this phase; false if it isn't in its handshake any more.
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

    /// Marks a connection that is to be removed.
    pub(super) fn mark_gone(&mut self, key: Key, why: &str) {
        let Some(connection) = self.connections.get_mut(&key) else { return };
        if connection.phase != Phase::Gone {
            log::debug!("{}: gone, {why}", connection.peer);
            connection.phase = Phase::Gone;
            connection.outbox.clear();
            self.gone.push(key);
        }
    }

    /// Removes a connection that is gone. Returns its seat, if it has one; `None` if there is no such connection.
    pub(super) fn remove(&mut self, key: Key) -> Option<Option<SeatId>> {
        let connection = self.connections.remove(&key)?;
        self.closed += 1;
        self.deadlines.clear(key);
        let ip = connection.peer.ip();
        if let Some(count) = self.addresses.get_mut(&ip) {
            *count -= 1;
            if *count == 0 {
                self.addresses.remove(&ip);
            }
        }
        Some(connection.seat)
    }
}
