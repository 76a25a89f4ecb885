//! What is sent is compressed once, into a file without a name, however many ask for it.
//!
//! Memory holds none of it. Two threads at most compress at the same time; what was made stays until other things need the
//! room. Tested in this module and in `tests/site/pages.rs`.

use std::collections::HashMap;
use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::sync::{Arc, Mutex, PoisonError};

use axum::body::{Body, Bytes};
use flate2::Compression;
use flate2::write::GzEncoder;
use futures_util::stream::try_unfold;
use tokio::sync::{OnceCell, Semaphore};
use tokio::task::spawn_blocking;
use zappy_server::files::Bounded;

/// Threads that compress at the same time.
const THREADS: usize = 2;
/// Bytes of all compressed files that are kept; the file asked for longest ago goes first.
const KEPT_BYTES: u64 = 1 << 30;
/// Compressed files that are kept.
const KEPT_FILES: usize = 256;
/// The longest compressed file, in bytes; to make a longer one is an error.
const FILE_BYTES: u64 = 256 << 20;
/// Bytes of a file that are read at once.
const PIECE_BYTES: usize = 64 << 10;

/// A hash of what is to be sent and when that was last written. A changed file has another key.
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

/// A file without a name that holds what is sent, compressed or as it is.
#[derive(Debug, Clone)]
pub struct Packed {
    file: Arc<File>,
    /// In bytes.
    pub length: u64,
}

/// The content coding of a response.
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
    /// Each file, and the value of `clock` when it was last asked for.
    cells: HashMap<Key, (Cell, u64)>,
    /// Counts what was asked for.
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
    /// Those of `write`, or the disk is full, or the file would be longer than [`FILE_BYTES`].
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
                let mut file = Bounded::new(tempfile::tempfile()?, FILE_BYTES);
                if coding == Coding::Identity {
                    write(&mut file)?;
                } else {
                    let mut gzip = GzEncoder::new(&mut file, Compression::new(4));
                    write(&mut gzip)?;
                    gzip.finish()?;
                }
                Ok(Packed { length: file.written, file: Arc::new(file.out) })
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
        let bytes = |cells: &HashMap<Key, (Cell, u64)>| -> u64 {
            cells.values().filter_map(|(cell, _)| Some(cell.get()?.length)).sum()
        };
        while kept.cells.len() > KEPT_FILES || bytes(&kept.cells) > KEPT_BYTES && kept.cells.len() > 1 {
            let oldest = kept.cells.iter().min_by_key(|(_, (_, asked))| *asked).map(|(key, _)| key.clone());
            let Some(oldest) = oldest else { break };
            kept.cells.remove(&oldest);
        }
        cell
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
