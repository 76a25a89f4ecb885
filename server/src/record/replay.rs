//! Plays the inputs of a record again, through any game that takes them.
//!
//! Drops the game's outputs: a caller that needs them wraps the game, for example in a recorder. Never panics on any
//! line. Tested in `tests/rules/records.rs`.

use std::collections::BTreeSet;
use std::fmt;

use zappy_protocol::Tick;
use zappy_protocol::record::{Entry, RESUMED, RecordLine, Seat};
use zappy_protocol::text::{many, thousands};

use super::BadMatch;
use zappy_game::config::MAX_TICKS;
use zappy_game::{Game, Input, Output, SeatId, SeatedPlayer, Stand};

/// How often something may be due while a record of any length is played again: hours of a match in which no player
/// says anything.
const FREE_STEPS: u64 = 10_000_000;
/// How often something may be due for each byte of a record, if that is more than [`FREE_STEPS`]. A line of the console
/// feeds a player that never says a word with 1,000 units of food, and what follows from a player's line is due within
/// a few ticks.
const STEPS_PER_BYTE: u64 = 100;
/// The console lines by which a match begins, goes on and ends. The arena's programs send them, too, so they count as
/// no interference.
const STEERING: [&[u8]; 3] = [b"/start", RESUMED, b"/quit"];

/// How an operator's console interfered with a match, beyond beginning it, ending it and going on with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Touched {
    /// The tick of its first line that interfered.
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

/// How far a match was played again from a record's inputs. A seat has the same number as in the record.
#[derive(Default)]
pub(super) struct Progress {
    /// Lines that came in.
    pub(super) inputs: usize,
    pub(super) stand: Stand,
    /// `None` if the console didn't interfere.
    pub(super) touched: Option<Touched>,
    /// Seats that send nothing more.
    ended: BTreeSet<SeatId>,
    /// Bytes of the record that were played.
    bytes: u64,
    /// How often something was due.
    steps: u64,
}

/// Plays the lines up to the first one after which `stop` is true, with a game that is new.
pub(super) fn play<'a, G: Game>(
    game: &mut G,
    lines: impl Iterator<Item = (&'a [u8], usize)>,
    stop: impl Fn(&G) -> bool,
) -> Result<Progress, BadMatch> {
    let mut progress = Progress::default();
    progress.drain(game);
    progress.play(game, lines, stop)?;
    Ok(progress)
}

/// Runs what is due at the tick at which a match stands. If the match isn't over then, marks in its record that it goes
/// on from this tick, by an input that changes nothing: so every record that is made from this one keeps the mark.
pub(super) fn mark_resumed<G: Game>(
    game: &mut G,
    stand: Stand,
    over: impl Fn(&G) -> bool,
) -> Result<Stand, BadMatch> {
    let tick = stand.tick;
    let mut progress = Progress { stand, ..Progress::default() };
    progress.drain(game);
    progress.advance(game, 0, tick)?;
    if !over(game) {
        progress.feed(game, 0, tick, &Entry::Received(Seat::Console, RESUMED.to_vec()))?;
    }
    Ok(progress.stand)
}

impl Progress {
    /// Plays the lines up to the first one after which `stop` is true.
    pub(super) fn play<'a, G: Game>(
        &mut self,
        game: &mut G,
        lines: impl Iterator<Item = (&'a [u8], usize)>,
        stop: impl Fn(&G) -> bool,
    ) -> Result<(), BadMatch> {
        for (text, line) in lines {
            match RecordLine::parse(text).map_err(|error| BadMatch::Line { line, error })? {
                RecordLine::Event(tick, entry) => {
                    Touched::note(&mut self.touched, tick, &entry);
                    self.feed(game, line, tick, &entry)?;
                }
                RecordLine::Keyframe(tick) | RecordLine::End(tick, ..) => self.advance(game, line, tick)?,
                RecordLine::Header(..)
                | RecordLine::Begin
                | RecordLine::Snapshot(_)
                | RecordLine::WithheldSnapshot(_)
                | RecordLine::Digest(_)
                | RecordLine::Index(..)
                | RecordLine::Check(..) => {}
            }
            self.bytes += text.len() as u64 + 1;
            if stop(game) {
                break;
            }
        }
        Ok(())
    }

    /// Hands an entry in if it is an input.
    fn feed(&mut self, game: &mut impl Game, line: usize, tick: Tick, entry: &Entry) -> Result<(), BadMatch> {
        self.advance(game, line, tick)?;
        if entry.is_resumption() {
            self.stand.resumed.push(tick);
        }
        let (seat, input) = match entry {
            Entry::Admitted(seat, name) => {
                if !self.stand.gate {
                    return Err(BadMatch::Impossible { line, what: "a player is let in before the start" });
                }
                if seat_id(*seat).0 as usize != self.stand.players.len() {
                    return Err(BadMatch::Impossible { line, what: "a player is let in out of turn" });
                }
                self.hand_in(game, line, seat_id(*seat), Input::Open)?;
                self.stand.players.push(SeatedPlayer { name: name.clone(), open: true });
                (seat, Input::Line(name))
            }
            Entry::Received(seat, bytes) => (seat, Input::Line(bytes)),
            Entry::Overflow(seat) => (seat, Input::Overflow),
            // What these lines said isn't known: they were dropped. If the game takes one now, its outputs differ from
            // the record.
            Entry::Dropped(seat, count) => {
                let stand_in = game.stand_in();
                self.inputs += *count as usize;
                return (0..*count)
                    .try_for_each(|_| self.hand_in(game, line, seat_id(*seat), Input::Line(stand_in)));
            }
            Entry::Ended(seat) => (seat, Input::End),
            Entry::Gone(seat) => (seat, Input::Closed),
            Entry::Expelled(seat, why) => (seat, Input::Expelled(why)),
            Entry::Sent(..)
            | Entry::SentTo(..)
            | Entry::Why(..)
            | Entry::Closed(..)
            | Entry::Published(_)
            | Entry::Withheld(_) => return Ok(()),
        };
        self.inputs += 1;
        self.hand_in(game, line, seat_id(*seat), input)
    }

    fn hand_in(
        &mut self,
        game: &mut impl Game,
        line: usize,
        seat: SeatId,
        input: Input<'_>,
    ) -> Result<(), BadMatch> {
        let what = match input {
            Input::Line(bytes) if bytes.contains(&b'\n') => Some("a line holds a line's end"),
            Input::Line(_) | Input::Overflow if self.ended.contains(&seat) => {
                Some("a line comes after the last")
            }
            _ => None,
        };
        if let Some(what) = what {
            return Err(BadMatch::Impossible { line, what });
        }
        if input == Input::End {
            self.ended.insert(seat);
        }
        game.handle_input(self.stand.tick, seat, input);
        // After its end a seat takes no further client, even if the game hasn't closed it yet.
        if matches!(input, Input::Closed | Input::End) {
            self.close(seat);
        }
        self.drain(game);
        Ok(())
    }

    /// Runs everything that is due up to a tick.
    fn advance(&mut self, game: &mut impl Game, line: usize, tick: Tick) -> Result<(), BadMatch> {
        let impossible = |what| Err(BadMatch::Impossible { line, what });
        if tick < self.stand.tick {
            return impossible("time goes back");
        }
        if tick > self.stand.tick && self.stand.rate.is_none() {
            return impossible("time passes while it stands still");
        }
        if tick > MAX_TICKS {
            return impossible("no match lasts so long");
        }
        while let Some(due) = game.poll_timeout().filter(|&due| due <= tick) {
            self.steps += 1;
            if self.steps > FREE_STEPS.max(self.bytes.saturating_mul(STEPS_PER_BYTE)) {
                return impossible("more happens than in any match with so few lines");
            }
            game.handle_timeout(due);
            self.drain(game);
        }
        self.stand.tick = tick;
        Ok(())
    }

    /// Notes that no client may take that seat over any more.
    fn close(&mut self, seat: SeatId) {
        if let Some(player) = self.stand.players.get_mut(seat.0 as usize) {
            player.open = false;
        }
    }

    pub(super) fn drain(&mut self, game: &mut impl Game) {
        while let Some(output) = game.poll_output() {
            match output {
                Output::Gate(open) => self.stand.gate = open,
                Output::SetTickRate(rate) => self.stand.rate = rate,
                Output::Publish(_) => self.stand.published += 1,
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
