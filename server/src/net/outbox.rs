//! The lines that wait to be written to one connection.
//!
//! Lines are shared, never copied. A line that was begun is always completed, and only published lines can be
//! dropped: how many answers and snapshots wait is limited by the shell. Tested in this module.

use std::collections::VecDeque;
use std::io::{self, ErrorKind, IoSlice, Write};

use zappy_game::Line;

/// How much a waiting line weighs beyond its bytes: its place in the queue and its shared block.
pub const LINE_WEIGHT: usize = 64;
/// Lines handed to the system in one call.
const BATCH_LINES: usize = 64;
/// Up to so many bytes of short lines are copied together for one write: that costs less than to have the system look
/// at each line.
const JOINED_BYTES: usize = 1_024;

/// How far a write got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    Emptied,
    /// The peer takes no more for now.
    Blocked,
    /// The budget is used up; the peer may take more.
    Spent,
}

#[derive(Debug)]
struct Waiting {
    line: Line,
    /// For published lines: how many were published before them; `None` for other lines.
    number: Option<u64>,
}

impl Waiting {
    fn weight(&self) -> usize {
        self.line.bytes().len() + LINE_WEIGHT
    }
}

/// A queue of lines with its weight.
#[derive(Debug, Default)]
pub struct Outbox {
    lines: VecDeque<Waiting>,
    /// Bytes of the first line that were written already.
    written: usize,
    /// The weight of all lines, and that of the published ones.
    weight: usize,
    published_weight: usize,
}

impl Outbox {
    /// Adds a line for this connection alone.
    pub fn push(&mut self, line: Line) {
        self.add(Waiting { line, number: None });
    }

    /// Adds published lines as one, before which `number` others were published.
    pub fn publish(&mut self, line: Line, number: u64) {
        self.add(Waiting { line, number: Some(number) });
    }

    fn add(&mut self, waiting: Waiting) {
        self.weight += waiting.weight();
        if waiting.number.is_some() {
            self.published_weight += waiting.weight();
        }
        self.lines.push_back(waiting);
    }

    /// Weight of all lines that wait; a line weighs its bytes and [`LINE_WEIGHT`].
    pub fn weight(&self) -> usize {
        self.weight
    }

    /// Weight of all lines that wait but the last one.
    pub fn weight_but_last(&self) -> usize {
        self.weight - self.lines.back().map_or(0, Waiting::weight)
    }

    /// Weight of the published lines that wait.
    pub fn published_weight(&self) -> usize {
        self.published_weight
    }

    /// How many lines were published before the first published line that waits; `None` if no published line waits.
    pub fn first_published(&self) -> Option<u64> {
        self.lines.iter().find_map(|waiting| waiting.number)
    }

    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    pub fn clear(&mut self) {
        *self = Outbox::default();
    }

    /// Drops the published lines, except a line that was begun; returns how many lines were published before the first
    /// one dropped, `None` if none was.
    pub fn drop_published(&mut self) -> Option<u64> {
        let begun = usize::from(self.written > 0);
        let first = self.lines.iter().skip(begun).find_map(|waiting| waiting.number);
        let mut place = 0;
        self.lines.retain(|waiting| {
            place += 1;
            place <= begun || waiting.number.is_none()
        });
        self.weight = self.lines.iter().map(Waiting::weight).sum();
        self.published_weight = self.lines.iter().filter(|w| w.number.is_some()).map(Waiting::weight).sum();
        first
    }

    /// Writes until nothing waits, the peer takes no more, or `budget` bytes are written.
    ///
    /// # Errors
    /// What the stream says, other than that it would block.
    pub fn write_to(&mut self, to: &mut impl Write, budget: usize) -> io::Result<Progress> {
        let mut spent = 0;
        while !self.lines.is_empty() {
            if spent >= budget {
                return Ok(Progress::Spent);
            }
            match self.write_batch(to) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(count) => {
                    spent += count;
                    self.written += count;
                    while let Some(head) = self.lines.front()
                        && let length = head.line.bytes().len()
                        && self.written >= length
                    {
                        self.written -= length;
                        self.weight -= head.weight();
                        if head.number.is_some() {
                            self.published_weight -= head.weight();
                        }
                        self.lines.pop_front();
                    }
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(Progress::Blocked),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(Progress::Emptied)
    }

    fn write_batch(&self, to: &mut impl Write) -> io::Result<usize> {
        let mut unwritten = self.lines.iter().enumerate().map(|(place, waiting)| {
            let skipped = if place == 0 { self.written } else { 0 };
            &waiting.line.bytes()[skipped..]
        });
        if self.lines.len() == 1 {
            return unwritten.next().map_or(Ok(0), |line| to.write(line));
        }
        if self.weight <= JOINED_BYTES + self.lines.len() * LINE_WEIGHT {
            let (mut together, mut length) = ([0; JOINED_BYTES], 0);
            for line in unwritten {
                together[length..length + line.len()].copy_from_slice(line);
                length += line.len();
            }
            return to.write(&together[..length]);
        }
        let mut slices = [IoSlice::new(&[]); BATCH_LINES];
        let mut count = 0;
        for (slice, line) in slices.iter_mut().zip(unwritten) {
            *slice = IoSlice::new(line);
            count += 1;
        }
        to.write_vectored(&slices[..count])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Takes `room` bytes, `step` at a time, then would block.
    struct Narrow {
        taken: Vec<u8>,
        room: usize,
        step: usize,
    }

    impl Write for Narrow {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let count = bytes.len().min(self.room).min(self.step);
            if count == 0 {
                return Err(ErrorKind::WouldBlock.into());
            }
            self.taken.extend_from_slice(&bytes[..count]);
            self.room -= count;
            Ok(count)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn line(text: &str) -> Line {
        Line::new(text.as_bytes().to_vec())
    }

    #[test]
    fn a_begun_line_is_completed_when_the_backlog_is_dropped() {
        let mut outbox = Outbox::default();
        outbox.publish(line("first"), 7);
        outbox.publish(line("second"), 8);
        outbox.push(line("answer"));
        let mut peer = Narrow { taken: Vec::new(), room: 3, step: 9 };
        assert_eq!(outbox.write_to(&mut peer, 100).unwrap(), Progress::Blocked);
        assert_eq!(outbox.drop_published(), Some(8));
        peer.room = 100;
        assert_eq!(outbox.write_to(&mut peer, 100).unwrap(), Progress::Emptied);
        assert_eq!(peer.taken, b"first\nanswer\n");
        assert_eq!((outbox.weight(), outbox.published_weight()), (0, 0));
    }

    #[test]
    fn a_whole_line_before_the_cut_is_not_begun() {
        let mut outbox = Outbox::default();
        outbox.publish(line("ab"), 0);
        outbox.publish(line("cd"), 1);
        let mut peer = Narrow { taken: Vec::new(), room: 3, step: 9 };
        outbox.write_to(&mut peer, 100).unwrap();
        assert_eq!(outbox.drop_published(), Some(1));
        assert!(outbox.is_empty());
    }

    #[test]
    fn a_budget_ends_a_write_that_could_go_on() {
        let mut outbox = Outbox::default();
        (0..200).for_each(|_| outbox.push(line("0123456789")));
        let mut peer = Narrow { taken: Vec::new(), room: 10_000, step: 10_000 };
        assert_eq!(outbox.write_to(&mut peer, 50).unwrap(), Progress::Spent);
        assert!(peer.taken.len() < 2_200);
        assert_eq!(outbox.write_to(&mut peer, 10_000).unwrap(), Progress::Emptied);
        assert_eq!(peer.taken.len(), 2_200);
    }

    proptest! {
        #[test]
        fn any_reader_gets_every_byte_in_order(
            texts in proptest::collection::vec("[a-z]{0,9}", 0..150),
            rooms in proptest::collection::vec((0usize..40, 1usize..9), 0..40),
        ) {
            let mut outbox = Outbox::default();
            texts.iter().for_each(|text| outbox.push(line(text)));
            let mut peer = Narrow { taken: Vec::new(), room: 0, step: 1 };
            for (room, step) in rooms {
                (peer.room, peer.step) = (room, step);
                outbox.write_to(&mut peer, 30).unwrap();
                let left: usize = outbox.lines.iter().map(Waiting::weight).sum();
                prop_assert_eq!(outbox.weight(), left);
            }
            (peer.room, peer.step) = (usize::MAX, 50);
            outbox.write_to(&mut peer, usize::MAX).unwrap();
            let whole: String = texts.iter().map(|text| format!("{text}\n")).collect();
            prop_assert_eq!(peer.taken, whole.into_bytes());
        }
    }
}
