//! A live match that is watched: the connection, and what its lines make known.

use std::time::Duration;

use crate::app::origin::Origin;
use crate::instant::Instant;
use crate::source::feed::Feed;
use crate::source::live::{Live, SourceNews, SourceState};
use crate::timeline::fold::{Fold as _, History};

/// Bytes of news taken in one frame; the rest waits for the next one.
const NEWS_BYTES: usize = 2 << 20;
/// What a piece of news weighs beyond its lines.
const NEWS_WEIGHT: usize = 64;

/// A frequency that the server hasn't confirmed within this time counts as refused.
const ANSWER_TIME: Duration = Duration::from_secs(3);
/// The pause between two requests for what a server's rules don't send by themselves.
const AGAIN: Duration = Duration::from_secs(3);

/// A connection on which no screen has taken in anything yet.
#[derive(Debug)]
pub struct NewLive {
    live: Live,
    /// The game that the server named; `None` before it said anything, and if it names none.
    pub game: Option<String>,
    /// When the server began to tell, if it did.
    began: Option<Instant>,
    /// Whether the program said already that it watches.
    told: bool,
}

impl NewLive {
    /// Begins to connect.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn connect(host: &str, port: u16) -> std::io::Result<NewLive> {
        Ok(NewLive { live: Live::connect(host, port)?, game: None, began: None, told: false })
    }

    /// What is told of a match through a page.
    pub fn of(live: Live) -> NewLive {
        NewLive { live, game: None, began: None, told: true }
    }
}

/// A live match that is watched.
#[derive(Debug)]
pub struct LiveSession<H: History> {
    live: Live,
    pub(super) feed: Feed<H>,
    /// The moment that counts as now, in ticks.
    pub(super) head: f64,
    /// Ticks that passed since the running part of a turn began.
    pub(super) since_part: f64,
    /// A rate that was asked for, the rate that the server told at that time, and when that was.
    asked: Option<(u32, u32, Instant)>,
    /// When the server was last asked for what its rules leave untold.
    asked_untold: Option<Instant>,
    told: bool,
    /// The game that this session is for.
    game: Option<String>,
    /// The other game that the server plays now, and since when; nothing of it was taken in, and nothing more is heard.
    pub(super) other: Option<(Option<String>, Instant)>,
}

impl<H: History> LiveSession<H> {
    /// Watches the game that the connection names.
    pub fn of(new: NewLive) -> LiveSession<H> {
        let NewLive { live, game, began, told } = new;
        let mut feed = Feed::new(Instant::now());
        if let Some(at) = began {
            feed.begin(at);
        }
        LiveSession {
            live,
            feed,
            head: 0.0,
            since_part: 0.0,
            asked: None,
            asked_untold: None,
            told,
            game,
            other: None,
        }
    }

    /// Gives the connection up to a session for the other game.
    pub fn into_new(self) -> NewLive {
        let (game, began) = self.other.map_or((self.game, None), |(game, at)| (game, Some(at)));
        NewLive { live: self.live, game, began, told: self.told }
    }

    /// Takes in what came; says whether another match began, so that nothing shown before holds.
    pub fn update(&mut self, now: Instant) -> bool {
        let matches = self.feed.matches;
        // Time passes up to what was taken: what waits still has its own moments.
        let (mut left, mut taken) = (NEWS_BYTES, now);
        while self.other.is_none() {
            if left == 0 {
                self.feed.tend(taken);
                break;
            }
            left = left.saturating_sub(NEWS_WEIGHT);
            match self.live.poll() {
                Some(SourceNews::State(SourceState::Lost { .. })) => self.feed.lose(now),
                Some(SourceNews::State(_)) => {}
                Some(SourceNews::Began(at, game)) => {
                    self.tell_that_we_watch();
                    if game == self.game {
                        self.feed.begin(at);
                    } else {
                        self.other = Some((game, at));
                    }
                }
                Some(SourceNews::Reached(at, tick)) => self.feed.reach(tick, at),
                Some(SourceNews::Lines(batch)) => {
                    left = left.saturating_sub(batch.bytes());
                    taken = batch.at;
                    self.feed.take(&batch);
                }
                None => {
                    self.feed.tend(now);
                    break;
                }
            }
        }
        if let Some(question) = self.feed.history.question()
            && self.asked_untold.is_none_or(|asked| now.duration_since(asked) >= AGAIN)
        {
            self.asked_untold = Some(now);
            self.live.ask(question);
        }
        self.head = match H::Fold::TURN {
            0 => self.feed.clock.live_head(now),
            _ => self.feed.last_tick() as f64,
        };
        self.since_part = self.feed.since_part(now).max(0.0);
        let told = self.rate_told();
        self.asked =
            self.asked.filter(|&(_, before, at)| told == before && now.duration_since(at) < ANSWER_TIME);
        self.feed.matches != matches && matches > 0
    }

    /// The program that started this one begins the match only after it has read this line.
    fn tell_that_we_watch(&mut self) {
        if !std::mem::replace(&mut self.told, true) {
            use std::io::Write as _;
            // A closed pipe is no reason not to watch.
            let _ = writeln!(std::io::stdout(), "watching {}", self.live.place);
        }
    }

    /// Where it comes from, with what is wrong.
    pub fn origin(&self) -> Origin {
        let trouble = match &self.live.state {
            SourceState::Resolving | SourceState::Connecting => {
                Some(format!("connecting to {}", self.live.place))
            }
            SourceState::Greeting => Some(format!("{} is there; saying hello", self.live.place)),
            SourceState::Lost { why, .. } => Some(why.to_string()),
            SourceState::Watching | SourceState::Ended => None,
        };
        Origin::Live {
            address: self.live.place.to_owned(),
            trouble,
            connected: self.live.state == SourceState::Watching,
            rate: self.rate_told(),
            asks: self.live.asks,
            asked: self.asked.map(|(rate, ..)| rate),
        }
    }

    /// The server's frequency as it told it last, in ticks per second; 0 before.
    pub fn rate_told(&self) -> u32 {
        self.feed.clock.rate()
    }

    /// Ticks per second of the match, as it is shown.
    pub fn rate(&self) -> f64 {
        if H::Fold::TURN > 0 { H::Fold::RECORD_RATE } else { f64::from(self.rate_told()) }
    }

    pub fn ask_rate(&mut self, rate: u32) {
        if self.live.state == SourceState::Watching && rate != self.rate_told() {
            self.asked = Some((rate, self.rate_told(), Instant::now()));
            self.live.ask_rate(rate);
        }
    }

    pub fn retry(&self) {
        if self.live.state != SourceState::Watching {
            self.live.retry_now();
        }
    }
}
