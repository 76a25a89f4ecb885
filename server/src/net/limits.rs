//! The limits of the shell's loop, each with its unit and its reason.
//!
//! Each is tested where it is enforced; `docs/limits.md` is made of them.

use std::time::Duration;

/// The shell's limits. A server runs with `Limits::default()`, apart from its flags.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// The longest line that comes in, in bytes. Commands need twenty; a broadcast carries a text of the sender's
    /// choice and is sent to every player.
    pub line: usize,
    /// Bytes taken from one connection in one turn, so that a flood doesn't keep the others waiting.
    pub turn_bytes: usize,
    /// Lines taken from one connection in one turn: a flood doesn't keep the others waiting, and as many lines may wait
    /// in the game.
    pub turn_lines: usize,
    /// Lines taken from all connections in one turn: a few milliseconds of work between two looks at the clock.
    pub all_turn_lines: usize,
    /// Bytes written to one connection in one turn: a fast reader of a large snapshot doesn't keep the others
    /// waiting.
    pub turn_written: usize,
    /// Connections accepted in one turn.
    pub turn_accepts: usize,
    /// Due ticks run in one turn; then the sockets have their turn.
    pub turn_ticks: usize,
    /// Rounds played in one turn in lockstep; then the sockets have their turn.
    pub turn_rounds: usize,
    /// Bytes of answers to observers in one turn; then no more requests are taken. An `mct` of the largest map is
    /// several megabytes.
    pub turn_answers: usize,
    /// The weight of answers and snapshots that one observer is sent per second. An observer that asks for more is
    /// heard later.
    pub observer_rate: usize,
    /// The weight that all observers together are sent per second. A snapshot of the largest map weighs seven
    /// megabytes, and makes the players wait for some ten milliseconds.
    pub observers_rate: usize,
    /// How far an observer may be ahead of these rates, so that a few questions at once are answered at once.
    pub observer_credit: Duration,
    /// Lines of one player per second of the real clock that bring nothing, being answered without taking time, or
    /// dropped; as many as there are ticks, if that is more. A player that sends more is heard later: otherwise a flood
    /// would fill the record.
    pub idle_lines: u32,
    /// How many such lines of one player are taken at once before it is heard later.
    pub idle_credit: u32,
    /// Lines of one player that wait for a tick of their own, where rules take one at a tick; then no more are read.
    pub paced_lines: usize,
    /// Snapshots made for observers in one turn, for new ones and for those that lag. One of the largest map takes
    /// some forty milliseconds.
    pub turn_snapshots: usize,
    /// Connections in all, including those that wait at the gate: more than any match has seats, and few enough
    /// to bound the memory.
    pub connections: usize,
    /// Connections from one address. Loopback is exempt: tournaments run over it.
    pub per_address: usize,
    /// The time from the opening of the seat to the end of the handshake: long enough for a person to type a team's
    /// name.
    pub handshake: Duration,
    /// The most weight that may wait for a player; above it the player is disconnected. The kernel holds megabytes
    /// before anything waits in the outbox, so a client that gets this far has stopped reading.
    pub player_outbox: usize,
    /// The most weight of published lines that may wait for an observer. Above it they are dropped, and the
    /// observer is sent a snapshot when it has read the rest.
    pub observer_outbox: usize,
    /// The time between two moments at which observers are handed what was published, for each observer but one:
    /// writing to a connection costs far more than the lines, so many observers are served less often, and cost no more
    /// than a few.
    pub observer_pause: Duration,
    /// The longest time between two moments at which observers are handed what was published: people hardly see it.
    pub observer_pause_most: Duration,
    /// The most weight that may wait for all observers together; above it no further snapshot is made.
    pub all_observers: usize,
    /// The most weight that may wait for a seat before its lines stay unread: a client that doesn't read its
    /// answers can't ask for more.
    pub read_mark: usize,
    /// The most weight of answers that may wait for the console; above it further answers are dropped.
    pub console_outbox: usize,
    /// How late a due tick may run. Above it the clock is set back: after a stop or under overload a match goes on
    /// slowly instead of racing.
    pub slip: Duration,
    /// How much later than planned a turn may begin in lockstep. A longer delay counts as no player's think time.
    pub oversleep: Duration,
    /// How long a seat that the game closed may take to read what waits for it.
    pub close_flush: Duration,
    /// How long the peer may take to close after everything is written. Closing earlier can destroy bytes that are
    /// on their way.
    pub linger: Duration,
    /// How long the connections may take to read what waits for them when the match is over.
    pub shutdown_flush: Duration,
    /// How long what was noted of the match may wait to be written to its record: little is lost when the server is
    /// killed, also while time stands still.
    pub record_pause: Duration,
    /// The time between two attempts to accept when descriptors have run out.
    pub accept_retry: Duration,
    /// The least time between two log lines about the same misbehaviour; the cases in between are counted.
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
            observer_rate: 2 << 20,
            observers_rate: 8 << 20,
            observer_credit: Duration::from_millis(100),
            idle_lines: 100,
            idle_credit: 1_000,
            paced_lines: 64,
            turn_snapshots: 1,
            connections: 4_096,
            per_address: 512,
            handshake: Duration::from_secs(60),
            player_outbox: 256 << 10,
            observer_outbox: 1 << 20,
            observer_pause: Duration::from_micros(500),
            observer_pause_most: Duration::from_millis(50),
            all_observers: 256 << 20,
            read_mark: 64 << 10,
            console_outbox: 1 << 20,
            slip: Duration::from_secs(1),
            oversleep: Duration::from_millis(100),
            close_flush: Duration::from_secs(5),
            linger: Duration::from_secs(1),
            shutdown_flush: Duration::from_secs(3),
            record_pause: Duration::from_secs(1),
            accept_retry: Duration::from_millis(100),
            notice: Duration::from_secs(10),
        }
    }
}
