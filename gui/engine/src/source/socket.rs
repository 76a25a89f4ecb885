//! A live match over a WebSocket of the page: the events of the socket become the news of a [`Live`].
//!
//! The page opens and closes the socket; this module decides when, and decodes what comes through it. Reads no clock
//! and no socket itself, never waits. The site sends published lines, with a line `WELCOME` at the beginning of each
//! connection and of each new snapshot; nothing is sent to it. Tested in this module.

use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use zappy_protocol::types::Tick;

use super::control::ReaderControl;
use super::decoder::NewsDecoder;
use super::live::Live;
use super::news::{ConnectionWaits, SourceNews, SourceState};
use super::reader::LONGEST_PAUSE;
use super::trouble::{SourceTrouble, cut};
use crate::instant::Instant;

/// The first line of a connection and of a new snapshot; a blank and the tick that the match has reached may follow.
const WELCOME: &[u8] = b"WELCOME";
/// The code with which a site closes the socket after the end of a match.
const MATCH_OVER: u16 = 1000;

/// An event of the page's socket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FromPage<'a> {
    Opened,
    /// Whole lines came. If a snapshot is among them, it comes first.
    Lines(&'a [u8]),
    /// The socket is closed, with this code and reason.
    Closed(u16, &'a str),
}

/// The page's side of a live match.
#[derive(Debug)]
pub struct Socket {
    control: Arc<ReaderControl>,
    news: Sender<SourceNews>,
    place: String,
    patience: ConnectionWaits,
    /// Decodes the lines; `None` before the first snapshot of a connection.
    decoder: Option<NewsDecoder>,
    /// The pause before the next try.
    pause: Duration,
    /// When the socket was opened; `None` before.
    opened: Option<Instant>,
    /// When the page is to connect; `None` while it does or is connected, and after the end.
    pub connect_at: Option<Instant>,
    /// Whether the match is over.
    over: bool,
}

impl Socket {
    /// A match that the page watches at `place`, an address for people; the page is to connect at once.
    pub fn of(place: &str, now: Instant) -> (Live, Socket) {
        let control = Arc::new(ReaderControl::default());
        // The channel needs no bound: the page hands over a bounded piece per frame, and the frame takes it.
        let (sender, news) = channel();
        let patience = ConnectionWaits::default();
        let socket = Socket {
            control: Arc::clone(&control),
            news: sender,
            place: place.to_owned(),
            patience,
            decoder: None,
            pause: patience.pause,
            opened: None,
            connect_at: Some(now),
            over: false,
        };
        (Live::of(place, news, control), socket)
    }

    /// Whether the match is still watched; if not, the page is to close the socket.
    pub fn is_wanted(&self) -> bool {
        !self.control.lock().stop
    }

    /// Whether the page is to open the socket now; `true` only once per connection.
    pub fn wants_connection(&mut self, now: Instant) -> bool {
        let retried =
            std::mem::take(&mut self.control.lock().retry) && (self.over || self.connect_at.is_some());
        let due = retried || self.connect_at.is_some_and(|at| at <= now);
        if due {
            (self.connect_at, self.over, self.opened, self.decoder) = (None, false, None, None);
            self.tell(SourceNews::State(SourceState::Connecting));
        }
        due
    }

    /// Takes in what happened to the socket.
    pub fn hear(&mut self, event: FromPage<'_>, now: Instant) {
        match event {
            FromPage::Opened => {
                self.opened = Some(now);
                self.tell(SourceNews::State(SourceState::Greeting));
            }
            FromPage::Lines(mut lines) => {
                // A site begins with a snapshot again when it had to drop lines.
                if let Some((reached, news)) = welcome(lines) {
                    lines = news;
                    self.decoder = Some(NewsDecoder::new());
                    if let Some(tick) = reached {
                        self.tell(SourceNews::Reached(now, tick));
                    }
                }
                match self.decoder.as_mut().map(|decoder| decoder.decode(lines, now)) {
                    Some(news) => news.into_iter().for_each(|news| self.tell(news)),
                    None => {
                        let why = SourceTrouble::NoZappy { at: self.place.clone(), said: cut(lines) };
                        self.lose(why, now);
                    }
                }
            }
            FromPage::Closed(code, reason) => self.close(code, reason, now),
        }
    }

    fn close(&mut self, code: u16, reason: &str, now: Instant) {
        if self.connect_at.is_some() || self.over {
            return;
        }
        if code == MATCH_OVER || self.decoder.as_ref().is_some_and(|decoder| decoder.over) {
            self.over = true;
            return self.tell(SourceNews::State(SourceState::Ended));
        }
        let error = match (reason, self.opened) {
            ("", None) => "there is no connection; is the site still running?",
            ("", Some(_)) => "the connection was lost",
            (reason, _) => reason,
        };
        let why = SourceTrouble::Other { at: self.place.clone(), error: error.to_owned() };
        self.lose(why, now);
    }

    fn lose(&mut self, why: SourceTrouble, now: Instant) {
        // Only a connection that lasted resets the pause, not one that was closed soon.
        if self.opened.is_some_and(|at| now.duration_since(at) >= self.patience.steady) {
            self.pause = self.patience.pause;
        }
        let retry_at = now + self.pause;
        (self.connect_at, self.decoder) = (Some(retry_at), None);
        self.pause = (self.pause * 2).min(LONGEST_PAUSE);
        self.tell(SourceNews::State(SourceState::Lost { why, retry_at }));
    }

    fn tell(&self, news: SourceNews) {
        // Fails when the news are not wanted any more; then the page closes the socket.
        let _ = self.news.send(news);
    }
}

/// If the lines begin with a `WELCOME`: the tick that it names, if any, and the lines after it.
fn welcome(lines: &[u8]) -> Option<(Option<Tick>, &[u8])> {
    let end = lines.iter().position(|&byte| byte == b'\n')?;
    let reached = match lines[..end].strip_prefix(WELCOME)? {
        b"" => None,
        tick => Some(str::from_utf8(tick.strip_prefix(b" ")?).ok()?.parse().ok()?),
    };
    Some((reached, &lines[end + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::live::NewsBatch;

    const fn ms(number: u64) -> Duration {
        Duration::from_millis(number)
    }

    fn states(live: &mut Live) -> Vec<SourceNews> {
        std::iter::from_fn(|| live.poll()).collect()
    }

    /// A match with its socket, which is open.
    fn open(now: Instant) -> (Live, Socket) {
        let (mut live, mut socket) = Socket::of("hall/match", now);
        assert!(socket.wants_connection(now) && !socket.wants_connection(now + ms(60_000)), "once");
        socket.hear(FromPage::Opened, now);
        assert_eq!(
            states(&mut live),
            [SourceNews::State(SourceState::Connecting), SourceNews::State(SourceState::Greeting)]
        );
        (live, socket)
    }

    #[test]
    fn what_comes_is_heard_like_a_connection_over_tcp_and_each_welcome_begins_anew() {
        let now = Instant::now();
        let (mut live, mut socket) = open(now);
        socket.hear(FromPage::Lines(b"WELCOME\nmsz 3 3\nsgt 10\ntna red\n"), now);
        let began = SourceNews::Began(now, None);
        let lines = |text: &[u8]| SourceNews::Lines(NewsBatch::new(now, text.to_vec()));
        assert_eq!(states(&mut live), [began.clone(), lines(b"msz 3 3\nsgt 10\ntna red\n")]);
        assert_eq!(live.state, SourceState::Watching);
        socket.hear(FromPage::Lines(b"pdi #1\n"), now);
        socket.hear(FromPage::Lines(b"WELCOME 18832\nmsz 3 3\ntna red\n"), now);
        let reached = SourceNews::Reached(now, 18_832);
        assert_eq!(states(&mut live), [lines(b"pdi #1\n"), reached, began, lines(b"msz 3 3\ntna red\n")]);
        socket.hear(FromPage::Lines(b"seg red\n"), now);
        socket.hear(FromPage::Closed(1000, ""), now);
        assert_eq!(states(&mut live), [lines(b"seg red\n"), SourceNews::State(SourceState::Ended)]);
        assert_eq!((socket.connect_at, socket.wants_connection(now + ms(60_000))), (None, false));
    }

    #[test]
    fn a_lost_connection_is_tried_again_with_growing_pauses_and_says_why() {
        let start = Instant::now();
        let (mut live, mut socket) = open(start);
        socket.hear(FromPage::Closed(1001, "the site is going away"), start);
        let SourceNews::State(SourceState::Lost { why, retry_at }) = live.poll().unwrap() else {
            panic!("lost")
        };
        assert_eq!(
            (why.to_string().as_str(), retry_at),
            ("hall/match: the site is going away", start + ms(500))
        );
        let (mut now, mut pauses) = (start, Vec::new());
        for _ in 0..6 {
            let at = socket.connect_at.unwrap();
            assert!(!socket.wants_connection(now), "not yet");
            pauses.push(at.duration_since(now).as_millis());
            assert!(socket.wants_connection(at));
            now = at;
            socket.hear(FromPage::Closed(1006, ""), now);
        }
        assert_eq!(pauses, [500, 1_000, 2_000, 4_000, 8_000, 8_000]);
        assert!(live.poll().is_some(), "all of this is news");
        live.retry_now();
        assert!(socket.wants_connection(now), "a try was asked for");
        // Lines for long enough: pauses begin anew.
        socket.hear(FromPage::Opened, now);
        socket.hear(FromPage::Lines(b"WELCOME\nmsz 3 3\n"), now);
        socket.hear(FromPage::Closed(1006, ""), now + ms(20_000));
        assert_eq!(socket.connect_at, Some(now + ms(20_500)));
    }

    #[test]
    fn a_stranger_is_told_apart_and_a_match_that_is_not_watched_any_more_is_left() {
        let now = Instant::now();
        let (mut live, mut socket) = open(now);
        socket.hear(FromPage::Lines(b"hello\n"), now);
        let SourceNews::State(SourceState::Lost { why, .. }) = live.poll().unwrap() else { panic!("lost") };
        assert!(why.to_string().contains("hello"), "{why}");
        assert!(socket.is_wanted());
        drop(live);
        assert!(!socket.is_wanted());
    }
}
