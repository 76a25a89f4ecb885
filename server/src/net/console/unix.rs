//! Unix: stdin and stdout in the poll.
//!
//! Neither is put into non-blocking mode, because other programs that share the stream would get it, too. A pipe or a
//! terminal is read or written only after the system said that it would not block; a file never blocks.
//! Tested in `tests/sockets.rs`.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::AsFd;

use mio::{Interest, Token};
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use zappy_protocol::line::LineDecoder;

use crate::net::system::Wakes;

/// Bytes read at once. Console lines are typed, or come from a small script.
const CHUNK: usize = 4 << 10;
/// Bytes written at once: a writable pipe takes at least this many without blocking.
const SLICE: usize = 4 << 10;

#[derive(Debug)]
pub struct InputEnd {
    end: End,
    /// Whether there may be something to read.
    pub ready: bool,
}

#[derive(Debug)]
pub struct OutputEnd {
    end: End,
    /// Whether it may be possible to write.
    pub ready: bool,
}

#[derive(Debug)]
struct End {
    file: File,
    /// Whether it is in the poll; a regular file isn't.
    polled: bool,
}

impl InputEnd {
    /// Stdin, in the poll if that takes it; `None` if it has ended.
    ///
    /// # Errors
    /// The system's.
    pub fn open(wakes: &Wakes, token: Token) -> io::Result<Option<InputEnd>> {
        let end = End::open(wakes, &io::stdin(), token, Interest::READABLE)?;
        // A stream that can't be polled and isn't a file is /dev/null or the like: it has ended.
        let ended = !end.polled && !end.file.metadata()?.is_file();
        Ok((!ended).then_some(InputEnd { end, ready: true }))
    }

    /// Reads once if that doesn't block; an error means that the input has ended.
    pub fn read(&mut self, decoder: &mut LineDecoder) -> io::Result<()> {
        let InputEnd { end, ready } = self;
        if end.polled && !would_not_block(&end.file, PollFlags::POLLIN)? {
            *ready = false;
            return Ok(());
        }
        let mut chunk = [0; CHUNK];
        match end.file.read(&mut chunk) {
            Ok(0) => Err(ErrorKind::UnexpectedEof.into()),
            Ok(count) => {
                decoder.push(&chunk[..count]);
                Ok(())
            }
            Err(error) if matches!(error.kind(), ErrorKind::Interrupted | ErrorKind::WouldBlock) => Ok(()),
            // The terminal belongs to another job for now.
            Err(error) if error.raw_os_error() == Some(Errno::EIO as i32) && end.polled => {
                *ready = false;
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    /// Takes it out of the poll.
    pub fn close(self, wakes: &Wakes) {
        self.end.close(wakes);
    }
}

impl OutputEnd {
    /// Stdout, in the poll if that takes it.
    ///
    /// # Errors
    /// The system's.
    pub fn open(wakes: &Wakes, token: Token) -> io::Result<OutputEnd> {
        Ok(OutputEnd { end: End::open(wakes, &io::stdout(), token, Interest::WRITABLE)?, ready: true })
    }

    /// Takes it out of the poll.
    pub fn close(self, wakes: &Wakes) {
        self.end.close(wakes);
    }
}

impl Write for OutputEnd {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let OutputEnd { end, ready } = self;
        if end.polled && !would_not_block(&end.file, PollFlags::POLLOUT)? {
            *ready = false;
            return Err(ErrorKind::WouldBlock.into());
        }
        end.file.write(&bytes[..bytes.len().min(SLICE)])
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl End {
    fn open(wakes: &Wakes, stream: &impl AsFd, token: Token, interest: Interest) -> io::Result<End> {
        let file = File::from(stream.as_fd().try_clone_to_owned()?);
        let polled = match wakes.join(&file, token, interest) {
            Ok(()) => true,
            // The poll can't take it, as with files.
            Err(error) if error.kind() == ErrorKind::PermissionDenied => false,
            Err(error) => return Err(error),
        };
        Ok(End { file, polled })
    }

    fn close(self, wakes: &Wakes) {
        if self.polled {
            wakes.leave(&self.file);
        }
    }
}

fn would_not_block(file: &File, flags: PollFlags) -> io::Result<bool> {
    let mut polled = [PollFd::new(file.as_fd(), flags)];
    let count = poll(&mut polled, PollTimeout::ZERO).map_err(io::Error::from)?;
    Ok(count > 0)
}
