//! Running matches: one connection to a match's server, however many watch.
//!
//! A task reads the server as fast as it writes, so that spectators never hold it up; what it reads lies in one ring that
//! all spectators read at their own pace. A spectator that falls out of the ring, or comes late, gets a snapshot. Sends a
//! server nothing but `GRAPHIC`, and the request for what its rules don't publish. Tested in this module and in `tests/site/live.rs`.

use std::collections::{HashMap, VecDeque};
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::extract::ws::Utf8Bytes;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::task::spawn_blocking;
use tokio::time::{Instant, sleep_until, timeout};
use zappy_protocol::line::{Decoded, LineDecoder};
use zappy_protocol::{OBSERVER_NAME, Tick};

use crate::match_state::{MatchState, is_end};

/// The most matches that are watched at the same time.
pub const MATCHES: usize = 64;
/// The latest bytes of a match that are kept for its spectators; one that is further behind gets a snapshot.
const BACKLOG_BYTES: usize = 4 << 20;
/// The longest text that is sent at once, apart from a single longer line.
const CHUNK_BYTES: usize = 64 << 10;
/// Chunks that a spectator takes from the ring at once.
const TURN_CHUNKS: usize = 16;
/// Lines are gathered for so long before they are passed on.
const GATHER: Duration = Duration::from_millis(50);
/// The longest line of a server.
const LINE_BYTES: usize = 64 << 10;
/// A server has to be reached, and to greet, within this time.
const GREETING: Duration = Duration::from_secs(5);
/// How long a match is followed that has no spectators any more.
const UNWATCHED: Duration = Duration::from_secs(5);

/// Time between two requests for what a match's rules don't publish.
const QUESTION_PAUSE: Duration = Duration::from_secs(3);

/// Finds the request that the server is sent now and then, which may be empty; `None` while it isn't known yet.
pub type Question = Arc<dyn Fn() -> Option<&'static [u8]> + Send + Sync>;

/// Where a match's server listens, and the name of a team of the match; the name is empty if the server has one match.
pub type LiveServer = (SocketAddr, String);

/// How a live match ends for a spectator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    Over,
    /// The site can't follow the match any more; why, in words.
    Lost(&'static str),
}

/// What a spectator is to be sent.
#[derive(Debug, PartialEq, Eq)]
pub enum News {
    Lines(Vec<Utf8Bytes>),
    End(End),
}

/// The matches that are being watched, by their paths from the served folder.
#[derive(Debug, Default)]
pub struct Lives(Mutex<HashMap<PathBuf, Arc<Live>>>);

#[derive(Debug, Default)]
struct Live {
    state: Mutex<State>,
    /// Counts what was published; wakes spectators that wait.
    news: watch::Sender<u64>,
}

#[derive(Debug, Default)]
struct State {
    match_state: MatchState,
    ring: VecDeque<Utf8Bytes>,
    /// The number of the ring's first chunk.
    first: u64,
    bytes: usize,
    /// The latest snapshot: the number of the chunk that follows it, its own chunks, and the bytes that came since.
    snapshot: Option<(u64, Vec<Utf8Bytes>, usize)>,
    end: Option<End>,
    spectators: usize,
}

/// One that watches a match.
#[derive(Debug)]
pub struct Spectator {
    live: Arc<Live>,
    news: watch::Receiver<u64>,
    /// The number of the chunk that comes next; `None` before the first snapshot.
    next: Option<u64>,
    /// The tick that the match had reached when the spectator came, if known; the first snapshot names it.
    reached: Option<Tick>,
}

impl Lives {
    /// A new spectator of the match at that path, which has `reached` that tick, if known; `None` if [`MATCHES`] others
    /// are being watched.
    pub fn join(
        self: &Arc<Self>,
        at: &Path,
        server: LiveServer,
        question: Question,
        reached: Option<Tick>,
    ) -> Option<Spectator> {
        let mut lives = lock(&self.0);
        if let Some(live) = lives.get(at) {
            return Some(live.join(reached));
        }
        if lives.len() >= MATCHES {
            return None;
        }
        let live: Arc<Live> = Arc::default();
        let spectator = live.join(reached);
        lives.insert(at.to_owned(), Arc::clone(&live));
        drop(lives);
        let (all, at) = (Arc::clone(self), at.to_owned());
        tokio::spawn(async move {
            // No spectator can come between the look and the removal: `join` needs the lock on the list, too.
            let unlist = || {
                let mut lives = lock(&all.0);
                let unwatched = lock(&live.state).spectators == 0;
                unwatched && lives.remove(&at).is_some()
            };
            let end = live.follow(server, question, unlist).await;
            let mut lives = lock(&all.0);
            if lives.get(&at).is_some_and(|listed| Arc::ptr_eq(listed, &live)) {
                lives.remove(&at);
            }
            drop(lives);
            log::info!("{}: {end:?}", at.display());
            lock(&live.state).end = Some(end);
            live.news.send_modify(|count| *count += 1);
        });
        Some(spectator)
    }

    /// The number of spectators of the match at that path.
    #[must_use]
    pub fn spectators(&self, at: &Path) -> usize {
        lock(&self.0).get(at).map_or(0, |live| lock(&live.state).spectators)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Live {
    fn join(self: &Arc<Self>, reached: Option<Tick>) -> Spectator {
        lock(&self.state).spectators += 1;
        Spectator { live: Arc::clone(self), news: self.news.subscribe(), next: None, reached }
    }

    /// Reads the server to its end, or until there were no spectators for [`UNWATCHED`]. `unlist` takes the match off the list,
    /// unless it has a spectator again, and gives whether it did.
    async fn follow(&self, server: LiveServer, question: Question, unlist: impl Fn() -> bool) -> End {
        let Ok(Ok(mut stream)) = timeout(GREETING, greet(server)).await else {
            return End::Lost("the match's server doesn't answer; it may be over");
        };
        let mut decoder = LineDecoder::new(LINE_BYTES);
        let (mut chunk, mut gathered, mut is_over) = (vec![0; CHUNK_BYTES], Vec::new(), false);
        let mut publish_at: Option<Instant> = None;
        let mut unwatched: Option<Instant> = None;
        let (mut asked, mut request) = (Instant::now(), None);
        loop {
            let wake = publish_at.unwrap_or_else(|| Instant::now() + UNWATCHED / 5);
            tokio::select! {
                read = stream.read(&mut chunk) => match read {
                    Ok(count) if count > 0 => {
                        decoder.push(&chunk[..count]);
                        is_over |= self.take_in(&mut decoder, &mut gathered);
                        if !gathered.is_empty() {
                            publish_at = publish_at.or(Some(Instant::now() + GATHER));
                        }
                    }
                    Ok(_) | Err(_) => {
                        self.publish(&mut gathered);
                        return if is_over { End::Over } else { End::Lost("the match's server is gone") };
                    }
                },
                () = sleep_until(wake) => {}
            }
            if publish_at.is_some_and(|time| time <= Instant::now()) {
                self.publish(&mut gathered);
                publish_at = None;
            }
            if asked.elapsed() >= QUESTION_PAUSE {
                asked = Instant::now();
                if request.is_none() {
                    let find = Arc::clone(&question);
                    request = spawn_blocking(move || find()).await.ok().flatten();
                }
                if let Some(request) = request.filter(|request| !request.is_empty()) {
                    // A server that doesn't read now is asked again after the next pause.
                    let _ = stream.try_write(request);
                }
            }
            if lock(&self.state).spectators > 0 {
                unwatched = None;
            } else if unwatched.get_or_insert_with(Instant::now).elapsed() >= UNWATCHED && unlist() {
                return End::Lost("the match wasn't watched any more");
            }
        }
    }

    /// Moves the decoder's whole lines to `gathered`; gives whether one of them says that the match is over.
    fn take_in(&self, decoder: &mut LineDecoder, gathered: &mut Vec<u8>) -> bool {
        let mut is_over = false;
        while let Some(line) = decoder.next_line() {
            let Decoded::Line(line) = line else { continue };
            if line == b"WELCOME" {
                continue;
            }
            is_over |= is_end(line);
            gathered.extend_from_slice(line);
            gathered.push(b'\n');
            if gathered.len() >= CHUNK_BYTES {
                self.publish(gathered);
            }
        }
        is_over
    }

    /// Adds the gathered lines to the state of the match and to the ring; lines that say nothing new stay out of the
    /// ring.
    fn publish(&self, gathered: &mut Vec<u8>) {
        if gathered.is_empty() {
            return;
        }
        let mut state = lock(&self.state);
        let mut news = Vec::with_capacity(gathered.len());
        for line in gathered.split_inclusive(|&byte| byte == b'\n') {
            if state.match_state.apply(line.strip_suffix(b"\n").unwrap_or(line)) {
                news.extend_from_slice(line);
            }
        }
        gathered.clear();
        if news.is_empty() {
            return;
        }
        state.push(text(news));
        drop(state);
        self.news.send_modify(|count| *count += 1);
    }
}

/// Bytes as text. Players may send bytes that aren't UTF-8; marks replace these, since browsers take only text.
fn text(bytes: Vec<u8>) -> Utf8Bytes {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
        .into()
}

/// Connects to a server as an observer and waits for its greeting.
async fn greet((server, of): LiveServer) -> io::Result<TcpStream> {
    let mut stream = TcpStream::connect(server).await?;
    stream.write_all(format!("{}\n", format!("{OBSERVER_NAME} {of}").trim_end()).as_bytes()).await?;
    // The greeting is the first thing that a server sends.
    stream.readable().await?;
    Ok(stream)
}

impl State {
    fn push(&mut self, chunk: Utf8Bytes) {
        self.bytes += chunk.len();
        if let Some((.., since)) = &mut self.snapshot {
            *since += chunk.len();
        }
        self.ring.push_back(chunk);
        while self.bytes > BACKLOG_BYTES {
            let Some(oldest) = self.ring.pop_front() else { break };
            self.bytes -= oldest.len();
            self.first += 1;
        }
    }

    /// The number that the next chunk will have.
    fn head(&self) -> u64 {
        self.first + self.ring.len() as u64
    }

    /// The number of the chunk that follows a snapshot, and the snapshot's own chunks. A snapshot is used for many
    /// spectators, until more than a quarter of the ring has come since.
    fn snapshot(&mut self) -> (u64, Vec<Utf8Bytes>) {
        let head = self.head();
        if let Some((next, chunks, since)) = &self.snapshot
            && *next >= self.first
            && *since <= BACKLOG_BYTES / 4
        {
            return (*next, chunks.clone());
        }
        let mut lines = self.match_state.snapshot();
        let mut chunks = Vec::new();
        while lines.len() > CHUNK_BYTES {
            let Some(end) = lines[..CHUNK_BYTES].iter().rposition(|&byte| byte == b'\n') else { break };
            let rest = lines.split_off(end + 1);
            chunks.push(text(std::mem::replace(&mut lines, rest)));
        }
        chunks.push(text(lines));
        self.snapshot = Some((head, chunks.clone(), 0));
        (head, chunks)
    }
}

impl Spectator {
    /// Waits for what comes next. If it is cancelled, nothing is lost.
    pub async fn next(&mut self) -> News {
        loop {
            self.news.borrow_and_update();
            if let Some(news) = self.ready() {
                return news;
            }
            if self.news.changed().await.is_err() {
                return News::End(End::Lost("the site stops"));
            }
        }
    }

    /// What can be sent at once; `None` if nothing is new.
    fn ready(&mut self) -> Option<News> {
        let mut state = lock(&self.live.state);
        let (first, head) = (state.first, state.head());
        match self.next.filter(|&next| next >= first) {
            Some(next) if next < head => {
                let from = usize::try_from(next - first).unwrap_or(usize::MAX);
                let chunks: Vec<_> = state.ring.iter().skip(from).take(TURN_CHUNKS).cloned().collect();
                self.next = Some(next + chunks.len() as u64);
                Some(News::Lines(chunks))
            }
            Some(_) => state.end.clone().map(News::End),
            None if head == 0 => state.end.clone().map(News::End),
            None => {
                let (next, mut chunks) = state.snapshot();
                self.next = Some(next);
                let welcome = self.reached.take().map_or_else(String::new, |tick| format!(" {tick}"));
                if let Some(first) = chunks.first_mut() {
                    *first = format!("WELCOME{welcome}\n{first}").into();
                }
                Some(News::Lines(chunks))
            }
        }
    }
}

impl Drop for Spectator {
    fn drop(&mut self) {
        lock(&self.live.state).spectators -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(spectator: &mut Spectator) -> String {
        let mut all = String::new();
        while let Some(News::Lines(chunks)) = spectator.ready() {
            chunks.iter().for_each(|chunk| all.push_str(chunk.as_str()));
        }
        all
    }

    fn say(live: &Live, lines: &str) {
        live.publish(&mut lines.as_bytes().to_vec());
    }

    #[test]
    fn a_late_spectator_gets_a_snapshot_and_what_follows() {
        let live: Arc<Live> = Arc::default();
        let mut early = live.join(None);
        assert_eq!(early.ready(), None, "nothing is known yet");
        say(&live, "msz 1 1\nsgt 7\nbct 0 0 1 0 0 0 0 0 0\ntna red\n");
        say(&live, "pnw #1 0 0 1 1 red\n");
        let snapshot = lines(&mut early);
        assert!(snapshot.starts_with("WELCOME\nmsz 1 1\nsgt 7\n"), "{snapshot}");
        say(&live, "pdi #1\n");
        assert_eq!(lines(&mut early), "pdi #1\n");
        // The earlier snapshot is used again, followed by what came since.
        let with_tick = snapshot.replacen("WELCOME", "WELCOME 18832", 1) + "pdi #1\n";
        assert_eq!(lines(&mut live.join(None)), snapshot + "pdi #1\n");
        assert_eq!(lines(&mut live.join(Some(18_832))), with_tick);
        assert_eq!(lock(&live.state).spectators, 1);
    }

    #[test]
    fn the_ring_is_bounded_and_a_spectator_that_falls_out_of_it_is_caught_up() {
        let live: Arc<Live> = Arc::default();
        let mut slow = live.join(None);
        say(&live, "msz 1 1\nsgt 7\nbct 0 0 1 0 0 0 0 0 0\ntna red\npnw #1 0 0 1 1 red\n");
        assert!(lines(&mut slow).contains("pnw #1"));
        let noise = format!("pbc #1 {}\n", "x".repeat(1000)).repeat(60);
        for _ in 0..100 {
            say(&live, &noise);
        }
        say(&live, "pdi #1\n");
        let state = lock(&live.state);
        assert!(state.bytes <= BACKLOG_BYTES && state.first > 0);
        drop(state);
        let caught_up = lines(&mut slow);
        assert!(caught_up.starts_with("WELCOME\nmsz 1 1\n"), "{}", &caught_up[..40]);
        assert!(!caught_up.contains("#1"), "it isn't told what is over");
    }

    #[test]
    fn a_large_snapshot_is_cut_between_lines_and_bytes_that_are_no_text_are_marked() {
        let live: Arc<Live> = Arc::default();
        say(&live, "msz 100 100\nsgt 7\ntna red\n");
        let mut spectator = live.join(None);
        let Some(News::Lines(chunks)) = spectator.ready() else { panic!("a snapshot") };
        assert!(chunks.len() > 1 && chunks.iter().all(|one| one.len() <= CHUNK_BYTES && one.ends_with('\n')));
        live.publish(&mut b"smg a\xff\n".to_vec());
        assert_eq!(lines(&mut spectator), "smg a\u{fffd}\n");
    }
}
