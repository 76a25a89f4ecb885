//! One client of a session: its end of the wire, what it has said, and what it makes of what it reads.
//!
//! Tested by the sessions in `tests`.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::Duration;

use zappy_protocol::zappy::mirror::Misfit;

use super::lines::{Draws, conquest_order, request, zappy_command};
use super::observer_view::ObserverView;
use zappy_game::{GameSpec, MatchSpec, Tick};
use zappy_server::net::testing::Wire;

/// What is known of a player that owes a line in lockstep.
#[derive(Debug, Clone, Copy)]
pub(super) struct Owed {
    /// The time since which every look found that it owes one, counted from the start of the server.
    pub(super) since: Duration,
    /// The tick of the last turn.
    pub(super) tick: Tick,
    /// Whether the server waited for it at that turn's end.
    pub(super) asked: bool,
}

#[derive(Debug)]
pub(super) struct Client {
    pub(super) wire: Rc<RefCell<Wire>>,
    pub(super) peer: SocketAddr,
    /// All bytes that it has said so far, also those under way.
    pub(super) said: Vec<u8>,
    /// The bytes that are still on their way.
    under_way: VecDeque<u8>,
    /// Whether it sends nothing after the bytes under way.
    pub(super) ends: bool,
    /// The number of its player, once it has one.
    pub(super) number: Option<u32>,
    /// The only name under which it may come in.
    pub(super) held_to: Option<Vec<u8>>,
    /// What it knows of the world; `None` if it doesn't watch.
    pub(super) view: Option<ObserverView>,
    /// How many of the bytes that it was sent it has read.
    pub(super) read_bytes: usize,
    /// The turn of the last snapshot that it has read.
    turn: String,
    /// Set while it owes a line.
    pub(super) owed: Option<Owed>,
    /// Whether it was late with a line, and hasn't sent anything since.
    pub(super) late: bool,
    /// How many bytes have arrived, and how many had arrived at the last look.
    pub(super) arrived: (usize, usize),
}

impl Client {
    /// A client that is about to connect from there.
    pub(super) fn new(peer: SocketAddr) -> Client {
        Client {
            wire: Rc::new(RefCell::new(Wire { room: usize::MAX, ..Wire::default() })),
            peer,
            said: Vec::new(),
            under_way: VecDeque::new(),
            ends: false,
            number: None,
            held_to: None,
            view: None,
            read_bytes: 0,
            turn: "1".to_owned(),
            owed: None,
            late: false,
            arrived: (0, 0),
        }
    }

    /// Whether the server still has its end of the wire.
    pub(super) fn is_served(&self) -> bool {
        !self.wire.borrow().dropped
    }

    pub(super) fn say(&mut self, bytes: &[u8]) {
        let wire = self.wire.borrow();
        if !(self.ends || wire.dropped || wire.ended || wire.reset || wire.broke_off) {
            self.said.extend_from_slice(bytes);
            self.under_way.extend(bytes);
        }
    }

    pub(super) fn say_line(&mut self, line: &str) {
        self.say(line.as_bytes());
        self.say(b"\n");
    }

    /// Says what a client of its kind says.
    pub(super) fn say_something(&mut self, game: &GameSpec, draws: &mut Draws) {
        let line = match game.name {
            _ if self.view.is_some() => request(draws),
            "zappy" => zappy_command(draws),
            "conquest" => conquest_order(draws, &self.turn),
            _ => draws.pick(game.samples).to_owned(),
        };
        self.say_line(&line);
    }

    /// At most `count` bytes arrive, and after the last one the end if the client has ended; false if nothing arrives.
    pub(super) fn arrive(&mut self, count: usize) -> bool {
        let mut wire = self.wire.borrow_mut();
        if wire.reset || wire.broke_off || wire.dropped {
            return false;
        }
        let count = count.min(self.under_way.len());
        wire.to_server.extend(self.under_way.drain(..count));
        self.arrived.0 += count;
        let ends = self.ends && self.under_way.is_empty() && !wire.ended;
        wire.ended |= ends;
        ends || count > 0
    }

    /// Whether anything has come from it, or may have, since `arrived` was looked at last.
    pub(super) fn has_sent(&self) -> bool {
        let wire = self.wire.borrow();
        self.arrived.0 > self.arrived.1
            || !wire.to_server.is_empty()
            || wire.ended
            || wire.reset
            || wire.broke_off
    }

    /// Reads the whole lines that came; false if there were none. `watches`: the server counts it as an observer.
    pub(super) fn read(&mut self, watches: bool, spec: &MatchSpec) -> bool {
        let lenient = spec.options.get("rules") == "official";
        let wire = self.wire.borrow();
        let fresh = &wire.to_client[self.read_bytes..];
        let whole = fresh.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        for line in fresh[..whole].split_inclusive(|&byte| byte == b'\n') {
            let line = &line[..line.len() - 1];
            if watches && self.view.is_none() && line != b"WELCOME" && line != b"ko" {
                self.view = Some(ObserverView::of(spec.game.name));
            }
            if let Some(view) = &mut self.view {
                view.apply(line, |misfit| match misfit {
                    // Snapshots lack running incantations, so an observer that came meanwhile can't place their ends.
                    Misfit::NoIncantation(_) => lenient,
                    // The player that was asked about may have been announced in lines that were dropped.
                    Misfit::NoPlayer(_) => {
                        [b"pin ", b"ppo ", b"plv "].iter().any(|word| line.starts_with(*word))
                    }
                    _ => false,
                });
            } else if let Some(turn) = line.strip_prefix(b"go ") {
                self.turn = String::from_utf8_lossy(turn).into_owned();
            }
        }
        self.read_bytes += whole;
        whole > 0
    }
}
