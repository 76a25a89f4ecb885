//! What is written to a bot, cut and delayed as a network may do it.
//!
//! Never changes, drops or swaps bytes: only packets and moments differ. Tested in this module and in
//! `arena/cli/tests/check.rs`.

use std::collections::VecDeque;
use std::io::{self, ErrorKind, Write};
use std::time::{Duration, Instant};

use serde::{Deserialize, Deserializer};

/// How lines are cut into packets, and when those are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Manner {
    /// All that is to be written at once, as servers do.
    Whole,
    /// Each line in a packet of its own, this long after the packet before.
    Lines(#[serde(deserialize_with = "millis")] Duration),
    /// Each byte in a packet of its own.
    Bytes,
    /// Each line in two packets, cut in its middle.
    Halves,
    /// All lines that wait in one packet, which is sent when the bot waits for nothing else.
    Together,
}

/// The pause before the rest of a packet is written that wasn't taken whole.
const RETRY_PAUSE: Duration = Duration::from_millis(2);
/// The time between two packets of a byte each.
const BYTE_GAP: Duration = Duration::from_millis(1);
/// The time between the two halves of a line.
const HALF_GAP: Duration = Duration::from_millis(8);
/// How long packets may be put off in all, so that a program that never reads doesn't hold its scene up.
const PUT_OFF_LIMIT: Duration = Duration::from_secs(5);
/// How long a packet is put off each time.
const PUT_OFF_STEP: Duration = Duration::from_millis(1);
/// How long lines that travel together wait for each other.
const TOGETHER_LIMIT: Duration = Duration::from_millis(100);

/// A time in the data, which is in milliseconds.
pub fn millis<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
    u64::deserialize(from).map(Duration::from_millis)
}

/// The sending half of a connection.
#[derive(Debug)]
pub struct Wire {
    manner: Manner,
    /// What is still to be written.
    pub packets: VecDeque<Vec<u8>>,
    /// When the next packet may go.
    next: Instant,
    /// How much longer packets may be put off.
    put_off_left: Duration,
    /// Whether the bot takes no more bytes.
    pub stuck: bool,
}

impl Wire {
    pub fn new(manner: Manner, now: Instant) -> Wire {
        Wire { manner, packets: VecDeque::new(), next: now, put_off_left: PUT_OFF_LIMIT, stuck: false }
    }

    pub fn is_empty(&self) -> bool {
        self.packets.is_empty()
    }

    /// Whether lines wait for others to be sent in one packet; ticks may pass meanwhile.
    pub fn gathers(&self) -> bool {
        self.manner == Manner::Together
    }

    /// Adds a line without its end.
    pub fn push(&mut self, line: &[u8], now: Instant) {
        let mut bytes = line.to_vec();
        bytes.push(b'\n');
        if self.packets.is_empty() && self.gathers() {
            self.next = now + TOGETHER_LIMIT;
        }
        match self.manner {
            Manner::Lines(_) => self.packets.push_back(bytes),
            Manner::Bytes => self.packets.extend(bytes.into_iter().map(|byte| vec![byte])),
            Manner::Halves => {
                let end = bytes.split_off(bytes.len() / 2);
                self.packets.extend([bytes, end]);
            }
            Manner::Whole | Manner::Together => match self.packets.front_mut() {
                Some(packet) => packet.extend(bytes),
                None => self.packets.push_back(bytes),
            },
        }
    }

    /// Lets the lines that were gathered go now.
    pub fn release(&mut self, now: Instant) {
        self.next = self.next.min(now);
    }

    /// Puts off the next packet a little, if that is still allowed, since the bot would read it together with the
    /// packet before.
    pub fn put_off(&mut self, now: Instant) {
        if let Some(left) = self.put_off_left.checked_sub(PUT_OFF_STEP) {
            (self.put_off_left, self.next) = (left, now + PUT_OFF_STEP);
        }
    }

    /// When the next packet may go.
    pub fn due(&self) -> Option<Instant> {
        (!self.is_empty()).then_some(self.next)
    }

    /// The time between two packets.
    fn gap(&self) -> Duration {
        match self.manner {
            Manner::Lines(gap) => gap,
            Manner::Bytes => BYTE_GAP,
            Manner::Halves => HALF_GAP,
            Manner::Whole | Manner::Together => Duration::ZERO,
        }
    }

    /// Writes a packet if one is due.
    ///
    /// # Errors
    /// When the connection is gone.
    pub fn flush(&mut self, out: &mut impl Write, now: Instant) -> io::Result<()> {
        let Some(packet) = self.packets.front_mut().filter(|_| self.next <= now) else { return Ok(()) };
        match out.write(packet) {
            Ok(n) if n == packet.len() => {
                self.packets.pop_front();
                self.stuck = false;
                self.next = now + self.gap();
                Ok(())
            }
            Ok(n) => {
                packet.drain(..n);
                self.next = now + RETRY_PAUSE;
                Ok(())
            }
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {
                self.stuck = true;
                self.next = now + RETRY_PAUSE;
                Ok(())
            }
            Err(error) => Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Packets(Vec<String>);

    impl Write for Packets {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.push(String::from_utf8(bytes.to_vec()).unwrap());
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn packets(manner: Manner) -> Vec<String> {
        let mut now = Instant::now();
        let (mut wire, mut out) = (Wire::new(manner, now), Packets::default());
        wire.push(b"ok", now);
        wire.push(b"10 10", now);
        while let Some(due) = wire.due() {
            now = due.max(now);
            wire.flush(&mut out, now).unwrap();
        }
        out.0
    }

    #[test]
    fn lines_are_cut_in_each_manner_and_nothing_is_lost() {
        assert_eq!(packets(Manner::Lines(RETRY_PAUSE)), ["ok\n", "10 10\n"]);
        assert_eq!(packets(Manner::Halves), ["o", "k\n", "10 ", "10\n"]);
        assert_eq!(packets(Manner::Bytes).len(), 9);
        assert_eq!(packets(Manner::Together), ["ok\n10 10\n"]);
        assert_eq!(packets(Manner::Whole), ["ok\n10 10\n"]);
        assert_eq!(packets(Manner::Bytes).concat(), "ok\n10 10\n");
    }

    #[test]
    fn a_packet_waits_for_its_moment() {
        let now = Instant::now();
        let (mut wire, mut out) = (Wire::new(Manner::Halves, now), Packets::default());
        wire.push(b"ok", now);
        wire.flush(&mut out, now).unwrap();
        wire.flush(&mut out, now).unwrap();
        assert_eq!((out.0.len(), wire.due()), (1, Some(now + HALF_GAP)));
    }

    #[test]
    fn a_packet_is_put_off_for_so_long_and_no_longer() {
        let begun = Instant::now();
        let (mut wire, mut out) = (Wire::new(Manner::Lines(RETRY_PAUSE), begun), Packets::default());
        wire.push(b"ok", begun);
        let mut now = begun;
        while out.0.is_empty() {
            wire.put_off(now);
            wire.flush(&mut out, now).unwrap();
            now = now.max(wire.due().unwrap_or(now));
        }
        assert_eq!((out.0, now - begun), (vec!["ok\n".to_owned()], PUT_OFF_LIMIT));
    }
}
