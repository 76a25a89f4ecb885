//! Windows: a thread reads stdin, another one writes stdout, and both wake the loop.
//!
//! Between them and the loop there is room for a few chunks. Neither thread can be stopped while it waits for its
//! stream; it ends with the process. Tried by `arena/windows/smoke.sh`.

use std::io::{self, ErrorKind, Read, Write};
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, TrySendError, sync_channel};
use std::thread::Builder;
use std::time::Duration;

use mio::Token;
use zappy_protocol::line::LineDecoder;

use crate::net::system::Wakes;

/// Bytes read or written at once.
const CHUNK: usize = 4 << 10;
/// Chunks that wait for the loop, or for stdout.
const CHUNKS: usize = 4;
/// How long the last answers may take to be written.
const LAST_ANSWERS_TIME: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub struct InputEnd {
    chunks: Receiver<io::Result<Vec<u8>>>,
    /// Whether there may be something to read.
    pub ready: bool,
}

#[derive(Debug)]
pub struct OutputEnd {
    chunks: SyncSender<Vec<u8>>,
    ended: Receiver<()>,
    /// Whether it may be possible to write.
    pub ready: bool,
}

impl InputEnd {
    /// Begins to read stdin.
    ///
    /// # Errors
    /// There is no thread left.
    pub fn open(wakes: &Wakes, _token: Token) -> io::Result<Option<InputEnd>> {
        let ((sender, chunks), wakes) = (sync_channel(CHUNKS), wakes.clone());
        let read = move || {
            loop {
                let mut chunk = vec![0; CHUNK];
                let read = match io::stdin().read(&mut chunk) {
                    Ok(0) => Err(ErrorKind::UnexpectedEof.into()),
                    Ok(count) => {
                        chunk.truncate(count);
                        Ok(chunk)
                    }
                    Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                    Err(error) => Err(error),
                };
                let open = read.is_ok();
                let heard = sender.send(read).is_ok();
                wakes.ring();
                if !(open && heard) {
                    return;
                }
            }
        };
        Builder::new().name("stdin".to_owned()).spawn(read)?;
        Ok(Some(InputEnd { chunks, ready: true }))
    }

    /// Takes one chunk if there is one; an error means that the input has ended.
    pub fn read(&mut self, decoder: &mut LineDecoder) -> io::Result<()> {
        match self.chunks.try_recv() {
            Ok(chunk) => decoder.push(&chunk?),
            Err(TryRecvError::Empty) => self.ready = false,
            Err(TryRecvError::Disconnected) => return Err(ErrorKind::UnexpectedEof.into()),
        }
        Ok(())
    }

    /// Takes no more chunks; the thread ends with the process.
    pub fn close(self, _wakes: &Wakes) {}
}

impl OutputEnd {
    /// Begins to write stdout.
    ///
    /// # Errors
    /// There is no thread left.
    pub fn open(wakes: &Wakes, _token: Token) -> io::Result<OutputEnd> {
        let ((chunks, receiver), wakes) = (sync_channel::<Vec<u8>>(CHUNKS), wakes.clone());
        let (end, ended) = sync_channel(1);
        let write = move || {
            for chunk in receiver {
                let mut stdout = io::stdout().lock();
                if stdout.write_all(&chunk).and_then(|()| stdout.flush()).is_err() {
                    break;
                }
                drop(stdout);
                wakes.ring();
            }
            let _ = end.send(());
        };
        Builder::new().name("stdout".to_owned()).spawn(write)?;
        Ok(OutputEnd { chunks, ended, ready: true })
    }

    /// Waits up to [`LAST_ANSWERS_TIME`] until all answers are written.
    pub fn close(self, _wakes: &Wakes) {
        drop(self.chunks);
        if self.ended.recv_timeout(LAST_ANSWERS_TIME).is_err() {
            log::debug!("stdout took the last answers too slowly");
        }
    }
}

impl Write for OutputEnd {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let slice = &bytes[..bytes.len().min(CHUNK)];
        match self.chunks.try_send(slice.to_vec()) {
            Ok(()) => Ok(slice.len()),
            Err(TrySendError::Full(_)) => {
                self.ready = false;
                Err(ErrorKind::WouldBlock.into())
            }
            Err(TrySendError::Disconnected(_)) => Err(ErrorKind::BrokenPipe.into()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
