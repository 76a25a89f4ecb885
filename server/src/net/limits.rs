//! Every limit of the shell, with its unit and its reason.
//!
//! Tested where each is enforced.

use std::time::Duration;

/// What the shell bounds. `Limits::default()` is what a server runs with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a line that comes in. Commands need twenty; a broadcast carries a message of its sender's
    /// making, and each is multiplied by the number of players.
    pub line: usize,
    /// Bytes taken from one connection in one turn, so that nobody who floods keeps others waiting.
    pub turn_bytes: usize,
    /// Lines taken from one connection in one turn, for the same reason: as many as may wait in the game.
    pub turn_lines: usize,
    /// Lines taken from all connections in one turn: a few milliseconds of work between two looks at the clock.
    pub all_turn_lines: usize,
    /// Bytes written to one connection in one turn: a fast reader of a large snapshot keeps nobody waiting.
    pub turn_written: usize,
    /// Connections accepted in one turn.
    pub turn_accepts: usize,
    /// Due ticks run in one turn before sockets are looked at again.
    pub turn_ticks: usize,
    /// Rounds played in one turn in lockstep, for the same reason.
    pub turn_rounds: usize,
    /// Bytes of answers to observers in one turn, after which no more requests are taken: an `mct` of the
    /// largest map is several megabytes.
    pub turn_answers: usize,
    /// Snapshots made for observers, new ones and those that lag, in one turn; one of the largest map takes
    /// some forty milliseconds.
    pub turn_snapshots: usize,
    /// Connections in all, those waiting at the gate included: more than any match has seats, and bounded
    /// memory.
    pub connections: usize,
    /// Connections from one address. Loopback is exempt: tournaments run there.
    pub per_address: usize,
    /// From the seat being opened to the end of the handshake. Long enough for a person who types.
    pub handshake: Duration,
    /// Weight waiting for a player, above which it is disconnected. The kernel holds megabytes before
    /// anything waits here, so whoever gets this far has stopped reading.
    pub player_outbox: usize,
    /// Weight of published lines waiting for an observer, above which they are dropped and it is given a
    /// snapshot once it has read what is left.
    pub observer_outbox: usize,
    /// Weight waiting for all observers together above which no further snapshot is made.
    pub all_observers: usize,
    /// Weight waiting for a seat above which no more lines are taken from it: who doesn't read answers may
    /// not ask.
    pub read_mark: usize,
    /// Weight of the answers waiting for the console, above which further ones are dropped.
    pub console_outbox: usize,
    /// How late due ticks may run before the clock is set back instead of being caught up with: after a stop
    /// or under overload a match slows down rather than racing.
    pub slip: Duration,
    /// How much later than planned a turn may begin in lockstep; what is beyond is nobody's think time.
    pub oversleep: Duration,
    /// To write what waits for a seat that the game closed.
    pub close_flush: Duration,
    /// For the peer to close after all was written: closing earlier can destroy what is on its way.
    pub linger: Duration,
    /// To write what waits for anybody once the match is over.
    pub shutdown_flush: Duration,
    /// Between two attempts to accept when descriptors have run out.
    pub accept_retry: Duration,
    /// Between two log lines about the same misbehaviour; what happens in between is counted.
    pub notice: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            line: 4 << 10,
            turn_bytes: 16 << 10,
            turn_lines: 10,
            all_turn_lines: 1_024,
            turn_written: 256 << 10,
            turn_accepts: 64,
            turn_ticks: 4_096,
            turn_rounds: 256,
            turn_answers: 256 << 10,
            turn_snapshots: 1,
            connections: 4_096,
            per_address: 512,
            handshake: Duration::from_secs(60),
            player_outbox: 256 << 10,
            observer_outbox: 1 << 20,
            all_observers: 256 << 20,
            read_mark: 64 << 10,
            console_outbox: 1 << 20,
            slip: Duration::from_secs(1),
            oversleep: Duration::from_millis(100),
            close_flush: Duration::from_secs(5),
            linger: Duration::from_secs(1),
            shutdown_flush: Duration::from_secs(3),
            accept_retry: Duration::from_millis(100),
            notice: Duration::from_secs(10),
        }
    }
}
