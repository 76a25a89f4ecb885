//! What is sent is compressed once, into a file without a name, however many ask for it.
//!
//! Memory holds none of it. Two threads at most compress at the same time; what was made stays until other things need the
//! room. Tested in this module and in `tests/site/pages.rs`.

use std::collections::HashMap;
use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::FileExt;
use std::sync::{Arc, Mutex, PoisonError};

use axum::body::{Body, Bytes};
use flate2::Compression;
use flate2::write::GzEncoder;
use futures_util::stream::try_unfold;
use tokio::sync::{OnceCell, Semaphore};
use tokio::task::spawn_blocking;

const THREADS: usize = 2;
/// All that is kept compressed; what was asked for longest ago goes first.
const KEPT_BYTES: u64 = 1 << 30;
/// How many files that may be.
const KEPT_FILES: usize = 256;
const FILE_BYTES: u64 = 256 << 20;
/// Bytes that are read of it at once.
const PIECE_BYTES: usize = 64 << 10;

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
    pub length: u64,
}

/// How an answer is sent, in the words of HTTP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coding {
    Gzip,
    /// As it is, for what is compressed by its own format.
    Identity,
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
    #[must_use]
    pub fn new() -> Gzip {
        Gzip { threads: Arc::new(Semaphore::new(THREADS)), kept: Mutex::default() }
    }

    /// What `write` writes in that coding; written once for a key, however many ask for it meanwhile.
    ///
    /// # Errors
    /// Those of `write`, or the disk is full, or it is longer than what may be sent.
    pub async fn get(
        &self,
        key: Key,
        coding: Coding,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()> + Send + 'static,
    ) -> io::Result<Packed> {
        let cell = self.cell(key);
        let threads = Arc::clone(&self.threads);
        cell.get_or_try_init(|| async move {
            let permit = threads.acquire_owned().await.map_err(io::Error::other)?;
            spawn_blocking(move || {
                let _permit = permit;
                compress(coding, write)
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

fn compress(coding: Coding, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<Packed> {
    let mut file = Bounded { out: tempfile::tempfile()?, written_bytes: 0, most_bytes: FILE_BYTES };
    if coding == Coding::Identity {
        write(&mut file)?;
    } else {
        let mut gzip = GzEncoder::new(&mut file, Compression::new(4));
        write(&mut gzip)?;
        gzip.finish()?;
    }
    Ok(Packed { length: file.written_bytes, file: Arc::new(file.out) })
}

/// Passes on at most so many bytes, and fails beyond.
pub struct Bounded<W> {
    pub out: W,
    pub written_bytes: u64,
    pub most_bytes: u64,
}

impl<W: Write> Write for Bounded<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.written_bytes + bytes.len() as u64 > self.most_bytes {
            return Err(io::Error::new(ErrorKind::FileTooLarge, "it is longer than what is sent"));
        }
        let written = self.out.write(bytes)?;
        self.written_bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl Packed {
    /// Its content as an answer: read piece by piece as it is sent.
    pub fn body(self) -> Body {
        let Packed { file, length } = self;
        Body::from_stream(try_unfold(0, move |at| {
            let file = Arc::clone(&file);
            async move {
                let wanted = usize::try_from(length - at).unwrap_or(PIECE_BYTES).min(PIECE_BYTES);
                if wanted == 0 {
                    return Ok::<_, io::Error>(None);
                }
                let read = spawn_blocking(move || {
                    let mut piece = vec![0; wanted];
                    file.read_exact_at(&mut piece, at).map(|()| Bytes::from(piece))
                });
                Ok(Some((read.await??, at + wanted as u64)))
            }
        }))
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
                    gzip.get(Key::new("a"), Coding::Gzip, write).await.unwrap()
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
        let bytes = axum::body::to_bytes(packed.body(), usize::MAX).await.unwrap();
        let mut back = String::new();
        flate2::read::GzDecoder::new(&bytes[..]).read_to_string(&mut back).unwrap();
        assert_eq!(back, text);
    }

    #[tokio::test]
    async fn a_failure_is_told_and_tried_again() {
        let gzip = Gzip::new();
        let fail = |_: &mut dyn Write| Err(io::Error::other("no"));
        assert_eq!(gzip.get(Key::new(1), Coding::Gzip, fail).await.unwrap_err().to_string(), "no");
        assert!(gzip.get(Key::new(1), Coding::Gzip, |out| out.write_all(b"x")).await.is_ok());
    }

    #[tokio::test]
    async fn no_more_files_are_kept_than_there_is_room_for() {
        let gzip = Gzip::new();
        for number in 0..=KEPT_FILES {
            gzip.get(Key::new(number), Coding::Gzip, |out| out.write_all(b"x")).await.unwrap();
        }
        assert_eq!(gzip.kept.lock().unwrap().cells.len(), KEPT_FILES);
    }
}
