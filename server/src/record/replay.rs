//! Plays the inputs of a record again, through any game that takes them.
//!
//! Drops what the game says: a caller that needs the outputs wraps the game, for example in a recorder. Never
//! panics on any line. Tested in `tests/rules/records.rs`.

use std::collections::BTreeSet;
use std::fmt;

use zappy_protocol::Tick;
use zappy_protocol::record::{Entry, RESUMED, RecordLine, Seat};
use zappy_protocol::text::{many, thousands};

use super::BadMatch;
use zappy_game::config::MAX_TICKS;
use zappy_game::{Game, Input, Output, SeatId, SeatedPlayer, Stand};

/// How often something may be due in a record of any length: hours of a match in which no player says anything.
const FREE_STEPS: u64 = 10_000_000;
/// And how often for each of its bytes. A player that never says a word is fed by the console for 1,000 units of food a
/// line, and what follows from a player's line is due within a few ticks.
const STEPS_PER_BYTE: u64 = 100;
/// The lines by which a match begins, goes on and ends. The arena says them, too.
const STEERING: [&[u8]; 3] = [b"/start", RESUMED, b"/quit"];

/// How far a match was played again.
pub(super) struct Played {
    pub(super) inputs: usize,
    pub(super) stand: Stand,
    /// What the console did to it.
    pub(super) touched: Option<Touched>,
}

/// What an operator's console did to a match, beyond beginning it, ending it and going on with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Touched {
    /// The tick of its first such line.
    pub first: Tick,
    pub lines: u64,
}

impl fmt::Display for Touched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (first, lines) = (thousands(self.first), many(self.lines, "line"));
        write!(f, "touched by the console at tick {first} ({lines} in all)")
    }
}

impl Touched {
    /// Counts an entry of that tick.
    pub(super) fn note(touched: &mut Option<Touched>, tick: Tick, entry: &Entry) {
        let by_console = match entry {
            Entry::Received(Seat::Console, line) => !STEERING.contains(&&line[..]),
            Entry::Overflow(seat) => *seat == Seat::Console,
            _ => false,
        };
        if by_console {
            touched.get_or_insert(Touched { first: tick, lines: 0 }).lines += 1;
        }
    }
}

/// Plays the lines up to the first one after which `stop` is true.
pub(super) fn play<'a, G: Game>(
    game: &mut G,
    lines: impl Iterator<Item = (&'a [u8], usize)>,
    stop: impl Fn(&G) -> bool,
) -> Result<Played, BadMatch> {
    let mut progress = Progress::default();
    let mut replay = Replay { game, progress: &mut progress };
    replay.drain();
    let (inputs, touched) = replay.play(lines, stop)?;
    Ok(Played { inputs, stand: progress.stand, touched })
}

/// Runs what is due where a match stands. If it isn't over then, marks that it goes on there, by an input that changes
/// nothing: so whatever is made of its record keeps the mark.
pub(super) fn mark_resumed<G: Game>(
    game: &mut G,
    stand: Stand,
    over: impl Fn(&G) -> bool,
) -> Result<Stand, BadMatch> {
    let tick = stand.tick;
    let mut progress = Progress { stand, ..Progress::default() };
    let mut replay = Replay { game, progress: &mut progress };
    replay.drain();
    replay.advance(0, tick)?;
    if !over(replay.game) {
        replay.feed(0, tick, &Entry::Received(Seat::Console, RESUMED.to_vec()))?;
    }
    Ok(progress.stand)
}

/// How far a match was played from a record's inputs, one seat id for each number.
#[derive(Default)]
pub(super) struct Progress {
    stand: Stand,
    ended: BTreeSet<SeatId>,
    /// Bytes of the record that were played.
    bytes: u64,
    /// How often something was due.
    steps: u64,
}

pub(super) struct Replay<'a, G> {
    pub(super) game: &'a mut G,
    pub(super) progress: &'a mut Progress,
}

impl<G: Game> Replay<'_, G> {
    /// Plays the lines up to the first one after which `stop` is true; gives how many lines came in, and what the console did.
    pub(super) fn play<'b>(
        &mut self,
        lines: impl Iterator<Item = (&'b [u8], usize)>,
        stop: impl Fn(&G) -> bool,
    ) -> Result<(usize, Option<Touched>), BadMatch> {
        let (mut inputs, mut touched) = (0, None);
        for (text, line) in lines {
            match RecordLine::parse(text).map_err(|error| BadMatch::Line { line, error })? {
                RecordLine::Event(tick, entry) => {
                    Touched::note(&mut touched, tick, &entry);
                    inputs += self.feed(line, tick, &entry)?;
                }
                RecordLine::Keyframe(tick) | RecordLine::End(tick, ..) => self.advance(line, tick)?,
                RecordLine::Header(..)
                | RecordLine::Begin
                | RecordLine::Snapshot(_)
                | RecordLine::WithheldSnapshot(_)
                | RecordLine::Digest(_)
                | RecordLine::Index(..)
                | RecordLine::Check(..) => {}
            }
            self.progress.bytes += text.len() as u64 + 1;
            if stop(self.game) {
                break;
            }
        }
        Ok((inputs, touched))
    }

    /// Hands an entry in if it is an input, and says how many lines it stands for.
    fn feed(&mut self, line: usize, tick: Tick, entry: &Entry) -> Result<usize, BadMatch> {
        self.advance(line, tick)?;
        if entry.is_resumption() {
            self.progress.stand.resumed.push(tick);
        }
        let (seat, input) = match entry {
            Entry::Admitted(seat, name) => {
                if !self.progress.stand.gate {
                    return Err(BadMatch::Impossible { line, what: "a player is let in before the start" });
                }
                if seat_id(*seat).0 as usize != self.progress.stand.players.len() {
                    return Err(BadMatch::Impossible { line, what: "a player is let in out of turn" });
                }
                self.hand_in(line, seat_id(*seat), Input::Open)?;
                self.progress.stand.players.push(SeatedPlayer { name: name.clone(), open: true });
                (seat, Input::Line(name))
            }
            Entry::Received(seat, bytes) => (seat, Input::Line(bytes)),
            Entry::Overflow(seat) => (seat, Input::Overflow),
            // Whatever they said, they were dropped; a game that takes them says so, and the record differs.
            Entry::Dropped(seat, count) => {
                let any = self.game.stand_in();
                (0..*count).try_for_each(|_| self.hand_in(line, seat_id(*seat), Input::Line(any)))?;
                return Ok(*count as usize);
            }
            Entry::Ended(seat) => (seat, Input::End),
            Entry::Gone(seat) => (seat, Input::Closed),
            Entry::Expelled(seat, why) => (seat, Input::Expelled(why)),
            Entry::Sent(..)
            | Entry::SentTo(..)
            | Entry::Why(..)
            | Entry::Closed(..)
            | Entry::Published(_)
            | Entry::Withheld(_) => return Ok(0),
        };
        self.hand_in(line, seat_id(*seat), input)?;
        Ok(1)
    }

    fn hand_in(&mut self, line: usize, seat: SeatId, input: Input<'_>) -> Result<(), BadMatch> {
        let what = match input {
            Input::Line(bytes) if bytes.contains(&b'\n') => Some("a line holds a line's end"),
            Input::Line(_) | Input::Overflow if self.progress.ended.contains(&seat) => {
                Some("a line comes after the last")
            }
            _ => None,
        };
        if let Some(what) = what {
            return Err(BadMatch::Impossible { line, what });
        }
        if input == Input::End {
            self.progress.ended.insert(seat);
        }
        self.game.handle_input(self.progress.stand.tick, seat, input);
        // After its end a seat hears no further client, even if the game hasn't closed it yet.
        if matches!(input, Input::Closed | Input::End) {
            self.close(seat);
        }
        self.drain();
        Ok(())
    }

    /// Runs everything that is due up to a tick.
    fn advance(&mut self, line: usize, tick: Tick) -> Result<(), BadMatch> {
        let impossible = |what| Err(BadMatch::Impossible { line, what });
        if tick < self.progress.stand.tick {
            return impossible("time goes back");
        }
        if tick > self.progress.stand.tick && self.progress.stand.rate.is_none() {
            return impossible("time passes while it stands still");
        }
        if tick > MAX_TICKS {
            return impossible("no match lasts so long");
        }
        while let Some(due) = self.game.poll_timeout().filter(|&due| due <= tick) {
            self.progress.steps += 1;
            if self.progress.steps > FREE_STEPS.max(self.progress.bytes.saturating_mul(STEPS_PER_BYTE)) {
                return impossible("more happens than in any match with so few lines");
            }
            self.game.handle_timeout(due);
            self.drain();
        }
        self.progress.stand.tick = tick;
        Ok(())
    }

    fn close(&mut self, seat: SeatId) {
        if let Some(player) = self.progress.stand.players.get_mut(seat.0 as usize) {
            player.open = false;
        }
    }

    pub(super) fn drain(&mut self) {
        while let Some(output) = self.game.poll_output() {
            match output {
                Output::Gate(open) => self.progress.stand.gate = open,
                Output::SetTickRate(rate) => self.progress.stand.rate = rate,
                Output::Publish(_) => self.progress.stand.published += 1,
                Output::Close(seat, _) => self.close(seat),
                _ => {}
            }
        }
    }
}

fn seat_id(seat: Seat) -> SeatId {
    match seat {
        Seat::Console => SeatId::CONSOLE,
        Seat::Number(number) => SeatId(number),
    }
}
