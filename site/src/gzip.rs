//! What is sent is compressed once, into a file without a name, however many ask for it.
//!
//! Memory holds none of it. Two threads at most compress at the same time; what was made stays until other things need the
//! room. Tested in this module and in `tests/pages.rs`.

use std::collections::HashMap;
use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use axum::body::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use hyper::body::{Body, Frame, SizeHint};
use tokio::sync::{OnceCell, Semaphore, mpsc};
use tokio::task::spawn_blocking;

/// Threads that compress.
const AT_ONCE: usize = 2;
/// All that is kept compressed; what was asked for longest ago goes first.
const KEPT_BYTES: u64 = 1 << 30;
/// How many files that may be.
const KEPT_FILES: usize = 256;
const FILE_BYTES: u64 = 256 << 20;
/// Bytes that are read of it at once, and how many such pieces wait to be sent.
const PIECE_BYTES: usize = 64 << 10;
const PIECES: usize = 2;

/// What is compressed, and when it was last written: something else if either differs.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Key(u64);

impl Key {
    /// Made of everything on which the content depends.
    pub fn new(of: impl Hash) -> Key {
        let mut hasher = DefaultHasher::new();
        of.hash(&mut hasher);
        Key(hasher.finish())
    }

    /// As a header writes it.
    #[must_use]
    pub fn tag(&self) -> String {
        format!("\"{:016x}\"", self.0)
    }
}

#[derive(Debug, Clone)]
pub struct Packed {
    file: Arc<File>,
    /// Its bytes.
    pub length: u64,
}

type Cell = Arc<OnceCell<Packed>>;

#[derive(Debug)]
pub struct Gzip {
    threads: Arc<Semaphore>,
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    cells: HashMap<Key, (Cell, u64)>,
    /// Counts the questions, to know which file was asked for last.
    clock: u64,
}

impl Gzip {
    /// Nothing is compressed yet.
    #[must_use]
    pub fn new() -> Gzip {
        Gzip { threads: Arc::new(Semaphore::new(AT_ONCE)), kept: Mutex::default() }
    }

    /// What `write` writes, compressed; written once for a key, however many ask for it meanwhile.
    ///
    /// # Errors
    /// Those of `write`, or the disk is full, or it is longer than what may be sent.
    pub async fn get(
        &self,
        key: Key,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()> + Send + 'static,
    ) -> io::Result<Packed> {
        let cell = self.cell(key);
        let threads = Arc::clone(&self.threads);
        cell.get_or_try_init(|| async move {
            let permit = threads.acquire_owned().await.map_err(io::Error::other)?;
            spawn_blocking(move || {
                let _permit = permit;
                compress(write)
            })
            .await?
        })
        .await
        .cloned()
    }

    fn cell(&self, key: Key) -> Cell {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.clock += 1;
        let now = kept.clock;
        let entry = kept.cells.entry(key).or_default();
        entry.1 = now;
        let cell = Arc::clone(&entry.0);
        kept.tidy();
        cell
    }
}

impl Kept {
    fn tidy(&mut self) {
        let bytes = |cells: &HashMap<Key, (Cell, u64)>| -> u64 {
            cells.values().filter_map(|(cell, _)| Some(cell.get()?.length)).sum()
        };
        while self.cells.len() > KEPT_FILES || bytes(&self.cells) > KEPT_BYTES && self.cells.len() > 1 {
            let oldest = self.cells.iter().min_by_key(|(_, (_, asked))| *asked).map(|(key, _)| key.clone());
            let Some(oldest) = oldest else { return };
            self.cells.remove(&oldest);
        }
    }
}

fn compress(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<Packed> {
    let mut file = Bounded { file: tempfile::tempfile()?, length: 0 };
    let mut gzip = GzEncoder::new(&mut file, Compression::new(4));
    write(&mut gzip)?;
    gzip.finish()?;
    Ok(Packed { length: file.length, file: Arc::new(file.file) })
}

struct Bounded {
    file: File,
    length: u64,
}

impl Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.length + bytes.len() as u64 > FILE_BYTES {
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, "it is longer than what is sent"));
        }
        let written = self.file.write(bytes)?;
        self.length += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Packed {
    /// Its content as an answer: read piece by piece as it is sent.
    #[must_use]
    pub fn body(self) -> Pieces {
        let (sender, pieces) = mpsc::channel(PIECES);
        let length = self.length;
        tokio::spawn(async move {
            let mut at = 0;
            while at < self.length {
                let file = Arc::clone(&self.file);
                let wanted = usize::try_from(self.length - at).unwrap_or(PIECE_BYTES).min(PIECE_BYTES);
                let read = spawn_blocking(move || {
                    let mut piece = vec![0; wanted];
                    file.read_exact_at(&mut piece, at).map(|()| Bytes::from(piece))
                });
                let piece = read.await.unwrap_or_else(|error| Err(error.into()));
                let failed = piece.is_err();
                // The spectator may have gone.
                if sender.send(piece).await.is_err() || failed {
                    return;
                }
                at += wanted as u64;
            }
        });
        Pieces { pieces, left: length }
    }
}

/// The body of an answer.
#[derive(Debug)]
pub struct Pieces {
    pieces: mpsc::Receiver<io::Result<Bytes>>,
    left: u64,
}

impl Body for Pieces {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        self.pieces.poll_recv(context).map(|piece| {
            piece.map(|piece| {
                let piece = piece?;
                self.left = self.left.saturating_sub(piece.len() as u64);
                Ok(Frame::data(piece))
            })
        })
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[tokio::test]
    async fn what_many_ask_for_is_compressed_once() {
        let gzip = Arc::new(Gzip::new());
        let made = Arc::new(AtomicUsize::new(0));
        let text = "0 * bct 1 1 0 0 0 0 0 0 0\n".repeat(10_000);
        let asked: Vec<_> = (0..20)
            .map(|_| {
                let (gzip, made, text) = (Arc::clone(&gzip), Arc::clone(&made), text.clone());
                tokio::spawn(async move {
                    let write = move |out: &mut dyn Write| {
                        made.fetch_add(1, Ordering::SeqCst);
                        out.write_all(text.as_bytes())
                    };
                    gzip.get(Key::new("a"), write).await.unwrap()
                })
            })
            .collect();
        let mut packed = None;
        for one in asked {
            packed = Some(one.await.unwrap());
        }
        assert_eq!(made.load(Ordering::SeqCst), 1);
        let packed = packed.unwrap();
        assert!(packed.length < text.len() as u64 / 10);
        let mut body = packed.body();
        let mut bytes = Vec::new();
        while let Some(piece) = body.pieces.recv().await {
            bytes.extend_from_slice(&piece.unwrap());
        }
        let mut back = String::new();
        flate2::read::GzDecoder::new(&bytes[..]).read_to_string(&mut back).unwrap();
        assert_eq!(back, text);
    }

    #[tokio::test]
    async fn a_failure_is_told_and_tried_again() {
        let gzip = Gzip::new();
        let fail = |_: &mut dyn Write| Err(io::Error::other("no"));
        assert_eq!(gzip.get(Key::new(1), fail).await.unwrap_err().to_string(), "no");
        assert!(gzip.get(Key::new(1), |out| out.write_all(b"x")).await.is_ok());
    }

    #[tokio::test]
    async fn no_more_files_are_kept_than_there_is_room_for() {
        let gzip = Gzip::new();
        for number in 0..=KEPT_FILES {
            gzip.get(Key::new(number), |out| out.write_all(b"x")).await.unwrap();
        }
        assert_eq!(gzip.kept.lock().unwrap().cells.len(), KEPT_FILES);
    }
}
