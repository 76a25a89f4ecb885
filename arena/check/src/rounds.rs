//! The loop of a scene: waits, reads, lets time pass, writes, and looks whether it is over.
//!
//! One loop on one thread waits for sockets, output, signals and deadlines; nothing in it waits without a limit. By the
//! lockstep clock a tick passes when every seat that owes a line has sent it and all output is written; by the real
//! clock time alone counts. Tested in `arena/cli/tests/check.rs`.

use std::net::Shutdown;
use std::time::{Duration, Instant};

use zappy_game::{Input, SeatId};
use zappy_play::os;
use zappy_protocol::Tick;

use super::connection::{Connection, Phase};
use super::input::listen;
use super::machine::is_own;
use super::patience::{check_limits, measure_idle_time, wait_for_more};
use super::scene::Role;
use super::seen::{FaultKind, SENT, Seen, shown};
use super::stage::{Play, Stage};

/// The most connections of a bot in a scene.
const SCENE_CONNECTIONS: usize = 200;
/// The most ticks that are run in one turn of the loop.
const MOST_TURN_TICKS: usize = 64;
/// The longest that one turn of the loop waits.
const LONGEST_WAIT: Duration = Duration::from_millis(10);

impl<P: Play> Stage<'_, P> {
    /// Plays the scene to its end.
    pub fn play(mut self) -> Seen {
        while !self.over {
            self.wait();
            self.clock.advance(Instant::now(), self.process.pid);
            measure_idle_time(&mut self);
            self.accept();
            self.greet();
            listen(&mut self);
            self.pass_time();
            self.write();
            check_limits(&mut self);
            self.process.trickle();
        }
        if let Some((entered, _)) = self.entered {
            (self.seen.login_time, self.seen.play_time) = (entered - self.begun, entered.elapsed());
        }
        self.process.read();
        if self.process.log.cut {
            self.seen.fault(
                FaultKind::Output,
                "it writes more than 1 MiB to its standard output and error; what is beyond is read slowly, so that \
                 it may block"
                    .into(),
            );
        }
        self.seen
    }

    fn wait(&mut self) {
        let now = Instant::now();
        self.hold = self.hold.filter(|hold| *hold > now);
        let mut until = now + LONGEST_WAIT;
        let moments = self.connections.iter().filter_map(|connection| connection.wire.due());
        for moment in moments.chain(self.hold) {
            until = until.min(moment);
        }
        let listener = self.listener.iter().map(os::source);
        let streams = self.connections.iter().filter(|c| c.phase != Phase::Gone && !c.ended);
        let sockets = listener.chain(streams.map(|connection| os::source(&connection.stream)));
        let all: Vec<_> =
            self.signals.pollables().into_iter().chain(sockets).chain(self.process.pollables()).collect();
        // An error means a signal interrupted the wait; everything is looked at anyway.
        let _ = os::wait(&all, until.saturating_duration_since(now));
        self.process.read();
        self.signals.child_ended();
        self.over |= self.signals.stops() > 0;
    }

    fn accept(&mut self) {
        let Some(listener) = &self.listener else { return };
        while self.connections.len() < SCENE_CONNECTIONS {
            let Ok((stream, peer)) = listener.accept() else { return };
            if !listener.local_addr().is_ok_and(|server| is_own(server, peer)) {
                self.strangers += 1;
                continue;
            }
            if let Some(returned) = &mut self.leave.returned {
                *returned = true;
                continue;
            }
            let n = self.connections.len();
            let name = if n == 0 { "bot".to_owned() } else { format!("bot/{}", n + 1) };
            let seat = SeatId(u32::try_from(n).unwrap_or(0));
            let (manner, now) = (self.settings.manner, Instant::now());
            if let Ok(connection) = Connection::new(seat, name, stream, manner, now) {
                self.seen.note_line(&connection.name, SENT, "(connects)");
                self.connections.push(connection);
            }
        }
        if self.listener.take().is_some() {
            self.fail(FaultKind::Flood, format!("it opened {SCENE_CONNECTIONS} connections"));
        }
    }

    /// Sends `WELCOME` to connections that have waited long enough, and notes the connections that spoke before it.
    fn greet(&mut self) {
        for i in 0..self.connections.len() {
            let connection = &mut self.connections[i];
            if connection.phase != Phase::Waiting {
                continue;
            }
            if !self.settings.greeting.is_zero() {
                connection.read();
                if !connection.pending().is_empty() {
                    let text = shown(connection.pending());
                    self.seen.note_line(&connection.name, SENT, &text);
                    let words = format!("it sent \"{text}\" before it had read WELCOME");
                    self.seen.fault(FaultKind::Early, words);
                    self.over = true;
                }
            }
            if connection.connected_at.elapsed() >= self.settings.greeting {
                connection.phase = Phase::Greeted;
                let seat = connection.seat;
                self.hand_in(seat, Input::Open);
            }
        }
    }

    /// Lets ticks pass: in lockstep until a seat can send a line, by the real clock up to the present.
    fn pass_time(&mut self) {
        if self.settings.real {
            self.note_owing();
            P::before_tick(self);
            let now = Tick::try_from(self.begun.elapsed().as_millis()).unwrap_or(Tick::MAX);
            while let Some(next) = self.play.game().poll_timeout().filter(|next| *next <= now && !self.over) {
                self.run(next);
                P::after_tick(self);
            }
            self.seen.tick = now;
            return;
        }
        for _ in 0..MOST_TURN_TICKS {
            let is_writing = self.connections.iter().any(|c| !c.wire.is_empty() && !c.wire.gathers());
            if self.is_held() || is_writing || self.over || self.leave.nothing_left.is_some() {
                return;
            }
            if self.note_owing()
                || !self.connections.iter().any(|c| c.phase == Phase::Playing)
                || wait_for_more(self)
            {
                return;
            }
            P::before_tick(self);
            if self.leave.nothing_left.is_some() || self.is_held() {
                return;
            }
            let Some(next) = self.play.game().poll_timeout() else { return };
            self.run(next);
            P::after_tick(self);
        }
    }

    /// Notes since when each of the bot's players has owed a line; returns whether any of them could send one.
    fn note_owing(&mut self) -> bool {
        let (owing, now, fair) = (self.owing(), Instant::now(), self.clock.now());
        for connection in self.connections.iter_mut().filter(|one| !owing.contains(&one.seat)) {
            connection.idle_since = None;
        }
        let mut any = false;
        for seat in owing {
            let has_gathered =
                self.connection_of(seat).is_some_and(|c| c.wire.gathers() && !c.wire.is_empty());
            if has_gathered {
                P::before_sending(self, seat);
            }
            let Some(connection) = self.connection_of(seat) else { continue };
            if connection.phase != Phase::Playing || connection.ended {
                continue;
            }
            any |= !connection.mute;
            if has_gathered {
                connection.wire.release(now);
            } else if connection.wire.is_empty() {
                connection.idle_since.get_or_insert(fair);
            }
        }
        any
    }

    fn write(&mut self) {
        let now = Instant::now();
        for connection in &mut self.connections {
            if connection.phase == Phase::Gone {
                continue;
            }
            let due = connection.wire.due().is_some_and(|due| due <= now);
            if due && self.settings.role == Role::Apart && connection.unread() > 0 {
                connection.wire.put_off(now);
            }
            if connection.wire.flush(&mut connection.stream, now).is_err() {
                connection.ended = true;
            }
            if connection.phase == Phase::Closing && connection.wire.is_empty() {
                // Shutting the connection down again has no effect.
                let _ = connection.stream.shutdown(Shutdown::Write);
            }
        }
    }
}
