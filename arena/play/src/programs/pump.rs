//! A pump: carries bytes between pairs of sockets, both ways and each way in order, as a relay needs it.
//!
//! Keeps at most one chunk of each direction, passes on the end of one direction without ending the other, and closes
//! both sockets when one of them is gone. Never looks at what it carries. Tested in this module and in
//! `arena/cli/tests/tournament/sandbox.rs`.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, read};
use rustix::net::{SendFlags, Shutdown, send, shutdown};

/// The most bytes of one direction that wait in the pump.
const CHUNK: usize = 16 * 1024;
/// Chunks of one direction that are carried in a turn, so that the other pairs have their turns, too.
const CHUNKS: usize = 8;

/// One direction of a pair, from its source to its target.
#[derive(Debug, Default)]
struct Flow {
    /// Bytes that were read from the source and that the target hasn't taken yet.
    waiting: Vec<u8>,
    /// Whether the source has sent its last byte.
    ended: bool,
    /// Whether the target was shut down for that.
    closed: bool,
}

impl Flow {
    /// Carries at most [`CHUNKS`] chunks: if `all`, until nothing more can be read; otherwise until a read doesn't fill
    /// a chunk. Fails if the target takes nothing more.
    fn carry(&mut self, source: &OwnedFd, target: &OwnedFd, all: bool) -> rustix::io::Result<()> {
        let (mut chunk, mut more) = ([0; CHUNK], true);
        for _ in 0..CHUNKS {
            while !self.waiting.is_empty() {
                match send(target, &self.waiting, SendFlags::NOSIGNAL) {
                    Ok(count) => drop(self.waiting.drain(..count)),
                    Err(Errno::AGAIN) => return Ok(()),
                    Err(Errno::INTR) => {}
                    Err(error) => return Err(error),
                }
            }
            if self.ended && !std::mem::replace(&mut self.closed, true) {
                // The socket may be closed already.
                let _ = shutdown(target, Shutdown::Write);
            }
            if self.ended || !std::mem::take(&mut more) {
                return Ok(());
            }
            match read(source, &mut chunk) {
                Ok(count @ 1..) => {
                    self.waiting.extend_from_slice(&chunk[..count]);
                    more = all || count == CHUNK;
                }
                Err(Errno::AGAIN) => return Ok(()),
                Err(Errno::INTR) => {}
                // After an error, too, what was read before it is handed on.
                Ok(_) | Err(_) => (self.ended, more) = (true, true),
            }
        }
        Ok(())
    }
}

#[derive(Debug)]
struct Pair {
    sockets: [OwnedFd; 2],
    /// From the first socket to the second, and back.
    flows: [Flow; 2],
    /// Whether a socket is gone, or both directions have ended.
    gone: bool,
}

impl Pair {
    /// Carries in the directions of `flows` for which `which` is true.
    fn carry(&mut self, which: [bool; 2], all: bool) {
        let Pair { sockets: [one, other], flows: [there, back], gone } = self;
        let went = if which[0] { there.carry(one, other, all) } else { Ok(()) };
        let came = if which[1] { back.carry(other, one, all) } else { Ok(()) };
        *gone |= went.and(came).is_err() || there.closed && back.closed;
    }

    /// Carries what the events of its sockets allow.
    fn handle(&mut self, events: [PollFlags; 2]) {
        let over = PollFlags::HUP | PollFlags::ERR;
        let may_carry = |source: usize| {
            events[source].intersects(PollFlags::IN | over)
                || events[1 - source].intersects(PollFlags::OUT | over)
        };
        self.carry([may_carry(0), may_carry(1)], false);
        for (events, flow) in events.into_iter().zip(&self.flows) {
            // The program at that end is gone, so nothing more can be written to it.
            self.gone |= flow.ended && events.intersects(over);
        }
    }
}

/// Pairs of sockets between which bytes are carried.
#[derive(Debug, Default)]
pub struct Pump(Vec<Pair>);

impl Pump {
    /// Carries between two more sockets, neither of which blocks.
    pub fn add(&mut self, one: impl Into<OwnedFd>, other: impl Into<OwnedFd>) {
        self.0.push(Pair { sockets: [one.into(), other.into()], flows: Default::default(), gone: false });
    }

    /// Waits until a pair can carry something, or one of the other descriptors can be read, for at most `limit` if
    /// there is one. Carries, and says of each of the others whether it can be read.
    pub fn wait(&mut self, others: &[BorrowedFd<'_>], limit: Option<Duration>) -> io::Result<Vec<bool>> {
        let mut fds: Vec<PollFd<'_>> =
            others.iter().map(|fd| PollFd::from_borrowed_fd(*fd, PollFlags::IN)).collect();
        let mut places = Vec::new();
        for (i, Pair { sockets, flows, .. }) in self.0.iter().enumerate() {
            for (side, socket) in sockets.iter().enumerate() {
                let (from, to) = (&flows[side], &flows[1 - side]);
                let mut flags = PollFlags::empty();
                flags.set(PollFlags::IN, !from.ended && from.waiting.is_empty());
                flags.set(PollFlags::OUT, !to.waiting.is_empty() || to.closed != to.ended);
                // A socket with nothing to be polled for is left out, unless it has sent all: its error ends the pair.
                if !flags.is_empty() || from.ended {
                    fds.push(PollFd::from_borrowed_fd(socket.as_fd(), flags));
                    places.push((i, side));
                }
            }
        }
        let limit = limit.and_then(|limit| Timespec::try_from(limit).ok());
        match poll(&mut fds, limit.as_ref()) {
            Err(Errno::INTR) => return Ok(vec![false; others.len()]),
            result => result?,
        };
        let ready = fds[..others.len()].iter().map(|fd| !fd.revents().is_empty()).collect();
        let mut events = vec![[PollFlags::empty(); 2]; self.0.len()];
        for (fd, (i, side)) in fds[others.len()..].iter().zip(places) {
            events[i][side] = fd.revents();
        }
        drop(fds);
        self.0.iter_mut().zip(events).for_each(|(pair, events)| pair.handle(events));
        self.0.retain(|pair| !pair.gone);
        Ok(ready)
    }

    /// How many pairs there are.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Carries once more what the first socket of each pair has sent.
    pub fn flush(&mut self) {
        self.0.iter_mut().for_each(|pair| pair.carry([true, false], true));
    }
}

#[cfg(test)]
mod tests {
    use std::io::{ErrorKind, Read, Write};
    use std::os::unix::net::UnixStream;

    use super::*;

    /// The far ends of two streams, with a pump between their near ends.
    fn pumped() -> (Pump, UnixStream, UnixStream) {
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
