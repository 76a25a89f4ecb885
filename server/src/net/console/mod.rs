//! The operator's console: lines from stdin, answers to stdout, without ever waiting for either.
//!
//! Both ends are the system's: `unix` reads and writes when the poll says that it would not block, `windows` leaves
//! that to two threads. Tested in `tests/sockets.rs`.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

use std::io;

use mio::Token;
use zappy_protocol::line::{Decoded, LineDecoder};

use super::outbox::Outbox;
use super::system::Wakes;
#[cfg(unix)]
use unix::{InputEnd, OutputEnd};
#[cfg(windows)]
use windows::{InputEnd, OutputEnd};

/// The operator's stdin and stdout; by default neither is open.
#[derive(Debug, Default)]
pub struct Console {
    /// `None`: stdin has ended, or was never open.
    pub(super) input: Option<(InputEnd, LineDecoder)>,
    output: Option<OutputEnd>,
}

impl Console {
    /// Opens stdin, and stdout if `output` is given; each wakes the loop by its token.
    pub fn open(
        wakes: &Wakes,
        input: Token,
        output: Option<Token>,
        line_limit: usize,
    ) -> io::Result<Console> {
        let input = InputEnd::open(wakes, input)?.map(|input| (input, LineDecoder::new(line_limit)));
        Ok(Console { input, output: output.map(|output| OutputEnd::open(wakes, output)).transpose()? })
    }

    pub fn note_readable(&mut self) {
        if let Some((input, _)) = &mut self.input {
            input.ready = true;
        }
    }

    pub fn note_writable(&mut self) {
        if let Some(output) = &mut self.output {
            output.ready = true;
        }
    }

    /// Whether there is something to do without waiting for the poll.
    pub fn is_busy(&self, answers: &Outbox) -> bool {
        self.input.as_ref().is_some_and(|(input, _)| input.ready)
            || (!answers.is_empty() && self.output.as_ref().is_some_and(|output| output.ready))
    }

    /// Reads once and hands each whole line to `take`; `None` stands for a line that was too long.
    pub fn read(&mut self, wakes: &Wakes, mut take: impl FnMut(Option<&[u8]>)) {
        let Some((input, decoder)) = self.input.as_mut().filter(|(input, _)| input.ready) else {
            return;
        };
        let open = input.read(decoder);
        while let Some(line) = decoder.next_line() {
            match line {
                Decoded::Line(line) => take(Some(line)),
                Decoded::Overflow => take(None),
            }
        }
        if let Err(error) = open {
            log::debug!("the console's input has ended: {error}");
            self.close_input(wakes);
        }
    }

    /// Writes up to `budget` bytes, as far as stdout takes them. If stdout is closed, the answers are dropped.
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

    /// Lets go of stdin and stdout.
    pub fn close(&mut self, wakes: &Wakes) {
        self.close_input(wakes);
        if let Some(output) = self.output.take() {
            output.close(wakes);
        }
    }

    fn close_input(&mut self, wakes: &Wakes) {
        if let Some((input, _)) = self.input.take() {
            input.close(wakes);
        }
    }
}
