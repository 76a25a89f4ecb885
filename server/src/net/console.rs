//! The operator's console: lines from stdin, answers to stdout, without ever waiting for either.
//!
//! Neither is put into non-blocking mode, because other programs that share the stream would get it, too. A pipe or a
//! terminal is read or written only after the system said that it would not block; a file never blocks. Tested in
//! `tests/sockets.rs`.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::{AsFd, AsRawFd};

use mio::unix::SourceFd;
use mio::{Interest, Registry, Token};
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use zappy_protocol::line::{Decoded, LineDecoder};

use super::outbox::Outbox;

/// Bytes read at once. Console lines are typed, or come from a small script.
const CHUNK: usize = 4 << 10;
/// Bytes written at once: a writable pipe takes at least this many without blocking.
const SLICE: usize = 4 << 10;

/// The operator's stdin and stdout.
#[derive(Debug)]
pub struct Console {
    input: Option<InputEnd>,
    output: Option<OutputEnd>,
}

#[derive(Debug)]
struct InputEnd {
    file: File,
    decoder: LineDecoder,
    /// Whether it is in the poll; a file isn't.
    polled: bool,
    ready: bool,
}

#[derive(Debug)]
struct OutputEnd {
    file: File,
    polled: bool,
    ready: bool,
}

impl Console {
    /// A console without stdin and stdout.
    pub fn none() -> Console {
        Console { input: None, output: None }
    }

    /// Opens stdin and stdout, and registers them with the poll where it takes them.
    pub fn open(registry: &Registry, input: Token, output: Token, line_limit: usize) -> io::Result<Console> {
        let file = File::from(io::stdin().as_fd().try_clone_to_owned()?);
        let polled = join(registry, &file, input, Interest::READABLE)?;
        // A stream that can't be polled and isn't a file is /dev/null or the like: it has ended.
        let ended = !polled && !file.metadata()?.is_file();
        let decoder = LineDecoder::new(line_limit);
        let input = (!ended).then_some(InputEnd { file, decoder, polled, ready: true });
        let file = File::from(io::stdout().as_fd().try_clone_to_owned()?);
        let polled = join(registry, &file, output, Interest::WRITABLE)?;
        Ok(Console { input, output: Some(OutputEnd { file, polled, ready: true }) })
    }

    pub fn note_readable(&mut self) {
        if let Some(input) = &mut self.input {
            input.ready = true;
        }
    }

    pub fn note_writable(&mut self) {
        if let Some(output) = &mut self.output {
            output.ready = true;
        }
    }

    /// Whether there is something to do without waiting for the poll.
    pub fn busy(&self, answers: &Outbox) -> bool {
        self.input.as_ref().is_some_and(|input| input.ready)
            || (!answers.is_empty() && self.output.as_ref().is_some_and(|output| output.ready))
    }

    /// Reads once and hands each whole line to `take`; `None` stands for a line that was too long.
    pub fn read(&mut self, registry: &Registry, mut take: impl FnMut(Option<&[u8]>)) {
        let Some(input) = self.input.as_mut().filter(|input| input.ready) else { return };
        let open = input.read();
        while let Some(line) = input.decoder.next_line() {
            match line {
                Decoded::Line(line) => take(Some(line)),
                Decoded::Overflow => take(None),
            }
        }
        if let Err(error) = open {
            log::debug!("the console's input has ended: {error}");
            leave(registry, self.input.take().filter(|input| input.polled).map(|input| input.file));
        }
    }

    /// Writes what fits. If stdout is closed, the answers are dropped.
    pub fn write(&mut self, answers: &mut Outbox, budget: usize) {
        match self.output.as_mut() {
            Some(output) if !answers.is_empty() => {
                if let Err(error) = answers.write_to(output, budget) {
                    log::debug!("the console's output has ended: {error}");
                    self.output = None;
                }
            }
            Some(_) => {}
            None => answers.clear(),
        }
    }

    /// Takes stdin and stdout out of the poll.
    pub fn close(&mut self, registry: &Registry) {
        leave(registry, self.input.take().filter(|input| input.polled).map(|input| input.file));
        leave(registry, self.output.take().filter(|output| output.polled).map(|output| output.file));
    }
}

impl InputEnd {
    /// Reads once if that doesn't block; an error means that the input has ended.
    fn read(&mut self) -> io::Result<()> {
        if self.polled && !would_not_block(&self.file, PollFlags::POLLIN)? {
            self.ready = false;
            return Ok(());
        }
        let mut chunk = [0; CHUNK];
        match self.file.read(&mut chunk) {
            Ok(0) => Err(ErrorKind::UnexpectedEof.into()),
            Ok(count) => {
                self.decoder.push(&chunk[..count]);
                Ok(())
            }
            Err(error) if matches!(error.kind(), ErrorKind::Interrupted | ErrorKind::WouldBlock) => Ok(()),
            // The terminal belongs to another job for now.
            Err(error) if error.raw_os_error() == Some(Errno::EIO as i32) && self.polled => {
                self.ready = false;
                Ok(())
            }
            Err(error) => Err(error),
        }
    }
}

impl Write for OutputEnd {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.polled && !would_not_block(&self.file, PollFlags::POLLOUT)? {
            self.ready = false;
            return Err(ErrorKind::WouldBlock.into());
        }
        self.file.write(&bytes[..bytes.len().min(SLICE)])
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Registers a stream with the poll; false if the poll can't take it, as with files.
fn join(registry: &Registry, file: &File, token: Token, interest: Interest) -> io::Result<bool> {
    match registry.register(&mut SourceFd(&file.as_raw_fd()), token, interest) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::PermissionDenied => Ok(false),
        Err(error) => Err(error),
    }
}

/// Takes a stream out of the poll. Closing our copy isn't enough, because the standard stream itself stays open.
fn leave(registry: &Registry, file: Option<File>) {
    if let Some(file) = file {
        let _ = registry.deregister(&mut SourceFd(&file.as_raw_fd()));
    }
}

fn would_not_block(file: &File, flags: PollFlags) -> io::Result<bool> {
    let mut polled = [PollFd::new(file.as_fd(), flags)];
    let count = poll(&mut polled, PollTimeout::ZERO).map_err(io::Error::from)?;
    Ok(count > 0)
}
