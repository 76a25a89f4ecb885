//! A pump: carries bytes between pairs of streams, both ways and each way in order, as a relay needs it.
//!
//! Holds no more of a direction than it can hand on, tells the end of one direction and not of the other, and closes
//! both streams when one of them is gone. Never looks at what it carries. Tested in this module and in
//! `arena/cli/tests/tournament/sandbox.rs`.

use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::{Shutdown, shutdown};

/// Bytes of one direction that wait.
const CHUNK: usize = 16 * 1024;
/// Chunks of one direction that are carried in a turn, so that the other pairs have their turns, too.
const CHUNKS: usize = 8;

/// A socket that is read and written.
pub trait Stream: Read + Write + AsFd {}

impl<S: Read + Write + AsFd> Stream for S {}

#[derive(Debug, Default)]
struct Flow {
    waiting: Vec<u8>,
    ended: bool,
    /// Whether the target was told that its source has ended.
    told: bool,
}

impl Flow {
    /// Carries all that can be read, or what a single read gives. Fails if the target takes nothing more.
    fn carry(&mut self, from: &mut impl Stream, to: &mut impl Stream, all: bool) -> io::Result<()> {
        let (mut chunk, mut more) = ([0; CHUNK], true);
        for _ in 0..CHUNKS {
            while !self.waiting.is_empty() {
                match to.write(&self.waiting) {
                    Ok(0) => return Err(ErrorKind::WriteZero.into()),
                    Ok(count) => drop(self.waiting.drain(..count)),
                    Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    Err(error) => return Err(error),
                }
            }
            if self.ended {
                if !std::mem::replace(&mut self.told, true) {
                    // The stream may be gone.
                    let _ = shutdown(to, Shutdown::Write);
                }
                return Ok(());
            }
            if !std::mem::take(&mut more) {
                return Ok(());
            }
            match from.read(&mut chunk) {
                Ok(0) => (self.ended, more) = (true, true),
                Ok(count) => {
                    self.waiting.extend_from_slice(&chunk[..count]);
                    more = all || count == CHUNK;
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                // What was read before the end is handed on all the same.
                Err(_) => (self.ended, more) = (true, true),
            }
        }
        Ok(())
    }

    /// The events for which its source is polled.
    fn wants(&self) -> PollFlags {
        if self.ended || !self.waiting.is_empty() { PollFlags::empty() } else { PollFlags::IN }
    }

    /// The events for which its target is polled.
    fn offers(&self) -> PollFlags {
        let told_all = self.waiting.is_empty() && self.told == self.ended;
        if told_all { PollFlags::empty() } else { PollFlags::OUT }
    }
}

#[derive(Debug)]
struct Pair<A, B> {
    one: A,
    other: B,
    there: Flow,
    back: Flow,
    gone: bool,
}

impl<A: Stream, B: Stream> Pair<A, B> {
    /// Carries there, back, or both ways.
    fn turn(&mut self, [there, back]: [bool; 2], all: bool) {
        let Pair { one, other, .. } = self;
        let went = if there { self.there.carry(one, other, all) } else { Ok(()) };
        let came = if back { self.back.carry(other, one, all) } else { Ok(()) };
        self.gone |= went.and(came).is_err() || self.there.told && self.back.told;
    }

    /// Carries what the events of its streams allow.
    fn take(&mut self, found: [PollFlags; 2]) {
        let over = PollFlags::HUP | PollFlags::ERR;
        let [one, other] = found;
        let is = |from: PollFlags, to: PollFlags| {
            from.intersects(PollFlags::IN | over) || to.intersects(PollFlags::OUT | over)
        };
        self.turn([is(one, other), is(other, one)], false);
        for (found, from) in found.into_iter().zip([&self.there, &self.back]) {
            // The program at that end is gone, so nothing more can be written to it.
            self.gone |= from.ended && found.intersects(over);
        }
    }
}

#[derive(Debug)]
pub struct Pump<A, B>(Vec<Pair<A, B>>);

impl<A, B> Default for Pump<A, B> {
    fn default() -> Self {
        Pump(Vec::new())
    }
}

impl<A: Stream, B: Stream> Pump<A, B> {
    /// Carries between two more streams, neither of which blocks.
    pub fn add(&mut self, one: A, other: B) {
        self.0.push(Pair { one, other, there: Flow::default(), back: Flow::default(), gone: false });
    }

    /// Waits until a pair can carry something, or one of the other descriptors can be read. Carries, and says which of the others
    /// can be read.
    pub fn wait(&mut self, others: &[BorrowedFd<'_>], limit: Option<Duration>) -> io::Result<Vec<bool>> {
        let mut fds: Vec<PollFd<'_>> =
            others.iter().map(|fd| PollFd::from_borrowed_fd(*fd, PollFlags::IN)).collect();
        let mut places = Vec::new();
        for (i, pair) in self.0.iter().enumerate() {
            let Pair { one, other, there, back, .. } = pair;
            let sides = [(one.as_fd(), there, back), (other.as_fd(), back, there)];
            for (side, (fd, from, to)) in sides.into_iter().enumerate() {
                let flags = from.wants() | to.offers();
                // A stream that has nothing to be polled for, and may still send, is left out.
                if !flags.is_empty() || from.ended {
                    fds.push(PollFd::from_borrowed_fd(fd, flags));
                    places.push((i, side));
                }
            }
        }
        let limit = limit.and_then(|limit| Timespec::try_from(limit).ok());
        match poll(&mut fds, limit.as_ref()) {
            Err(rustix::io::Errno::INTR) => return Ok(vec![false; others.len()]),
            result => result?,
        };
        let ready = fds[..others.len()].iter().map(|fd| !fd.revents().is_empty()).collect();
        let mut found = vec![[PollFlags::empty(); 2]; self.0.len()];
        for (fd, (i, side)) in fds[others.len()..].iter().zip(places) {
            found[i][side] = fd.revents();
        }
        drop(fds);
        for (pair, found) in self.0.iter_mut().zip(found) {
            pair.take(found);
        }
        self.0.retain(|pair| !pair.gone);
        Ok(ready)
    }

    /// How many pairs there are.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Carries once more what the first stream of each pair has sent.
    pub fn flush(&mut self) {
        self.0.iter_mut().for_each(|pair| pair.turn([true, false], true));
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixStream;

    use super::*;

    /// The far ends of two streams, with a pump between their near ends.
    fn pumped() -> (Pump<UnixStream, UnixStream>, UnixStream, UnixStream) {
        let mut pump = Pump::default();
        let [(one, near), (other, far)] = [(), ()].map(|()| UnixStream::pair().unwrap());
        near.set_nonblocking(true).unwrap();
        far.set_nonblocking(true).unwrap();
        other.set_nonblocking(true).unwrap();
        pump.add(near, far);
        (pump, one, other)
    }

    #[test]
    fn all_of_it_comes_in_its_order_however_much() {
        let (mut pump, mut one, mut other) = pumped();
        let sent: Vec<u8> = (0..3_000_000_u32).map(|i| (i / 7) as u8).collect();
        let bytes = sent.clone();
        let writer = std::thread::spawn(move || {
            one.write_all(&bytes).unwrap();
            one.shutdown(std::net::Shutdown::Write).unwrap();
            let mut answer = String::new();
            one.read_to_string(&mut answer).unwrap();
            answer
        });
        let (mut got, mut chunk) = (Vec::new(), [0; 5_000]);
        loop {
            pump.wait(&[], Some(Duration::from_millis(10))).unwrap();
            match other.read(&mut chunk) {
                Ok(0) => break,
                Ok(count) => got.extend_from_slice(&chunk[..count]),
                Err(error) => assert_eq!(error.kind(), ErrorKind::WouldBlock),
            }
        }
        assert!(got == sent);
        // The other direction is still open.
        other.write_all(b"late").unwrap();
        drop(other);
        while pump.count() > 0 {
            pump.wait(&[], None).unwrap();
        }
        assert_eq!(writer.join().unwrap(), "late");
    }

    #[test]
    fn a_stream_that_is_gone_takes_the_other_with_it() {
        let (mut pump, one, mut other) = pumped();
        drop(one);
        while pump.count() > 0 {
            pump.wait(&[], None).unwrap();
        }
        assert_eq!(other.read(&mut [0; 8]).unwrap(), 0);
        assert_eq!(other.write(b"x").unwrap_err().kind(), ErrorKind::BrokenPipe);
    }
}
