//! A live match that is watched: the connection, and what its lines make known.

use std::io::Write as _;
use std::time::Duration;

use crate::app::origin::Origin;
use crate::instant::Instant;
use crate::source::feed::Feed;
use crate::source::live::{Live, SourceNews, SourceState};
use crate::timeline::fold::{Fold as _, History};

/// Bytes of news taken in one frame; what is left waits for the next frame.
const NEWS_BYTES: usize = 2 << 20;
/// Bytes that each piece of news counts for in addition to its lines.
const NEWS_WEIGHT: usize = 64;

/// A frequency that the server hasn't confirmed within this time counts as refused.
const ANSWER_TIME: Duration = Duration::from_secs(3);
/// The pause between two requests for what a server sends only when it is asked.
const QUESTION_PAUSE: Duration = Duration::from_secs(3);

/// A connection on which no screen has taken in anything yet.
#[derive(Debug)]
pub struct NewLive {
    pub(super) live: Live,
    /// The game that the server named; `None` before its first line, and if that names none.
    pub game: Option<String>,
    /// When the server began to send that game's lines, if it did and no session has taken them in.
    began: Option<Instant>,
    /// Whether the program has printed `watching …`; also `true` in a page, where it doesn't print.
    announced: bool,
}

impl NewLive {
    /// Begins to connect.
    ///
    /// # Errors
    /// When the system can't start a thread.
    pub fn connect(host: &str, port: u16) -> std::io::Result<NewLive> {
        Ok(NewLive { live: Live::connect(host, port)?, game: None, began: None, announced: false })
    }

    /// A match of which a page hands over the lines.
    pub fn of(live: Live) -> NewLive {
        NewLive { live, game: None, began: None, announced: true }
    }
}

/// A live match that is watched.
#[derive(Debug)]
pub struct LiveSession<H: History> {
    /// The connection, with the game that this session is for.
    pub(super) connection: NewLive,
    pub(super) feed: Feed<H>,
    /// The moment that counts as now, in ticks.
    pub(super) head: f64,
    /// Ticks that passed since the running part of a turn began.
    pub(super) since_part: f64,
    /// A frequency that was asked for, the server's frequency at that time, and when that was.
    pub(super) asked: Option<(u32, u32, Instant)>,
    /// When the server was last asked for what it sends only then.
    questioned_at: Option<Instant>,
    /// Whether the server plays another game now, named by `connection`; its lines are for another session.
    pub(super) other_game: bool,
}

impl<H: History> LiveSession<H> {
    /// Watches the game that the connection names.
    pub fn of(mut connection: NewLive) -> LiveSession<H> {
        let mut feed = Feed::new(Instant::now());
        if let Some(at) = connection.began.take() {
            feed.begin(at);
        }
        let (asked, questioned_at, other_game) = (None, None, false);
        LiveSession { connection, feed, head: 0.0, since_part: 0.0, asked, questioned_at, other_game }
    }

    /// Takes in what came; returns whether another match began, so that nothing shown before holds.
    pub fn update(&mut self, now: Instant) -> bool {
        let matches = self.feed.matches;
        // The feed's time is set to the last news taken, not to `now`: the news that waits still has earlier times.
        let (mut budget, mut taken_at) = (NEWS_BYTES, now);
        while !self.other_game {
            if budget == 0 {
                self.feed.tend(taken_at);
                break;
            }
            budget = budget.saturating_sub(NEWS_WEIGHT);
            match self.connection.live.poll() {
                Some(SourceNews::State(SourceState::Lost { .. })) => self.feed.lose(now),
                Some(SourceNews::State(_)) => {}
                Some(SourceNews::Began(at, game)) => {
                    // The program that started this one begins the match only after it has read this line.
                    if !std::mem::replace(&mut self.connection.announced, true) {
                        // A closed pipe is no reason not to watch.
                        let _ = writeln!(std::io::stdout(), "watching {}", self.connection.live.place);
                    }
                    if game == self.connection.game {
                        self.feed.begin(at);
                    } else {
                        self.other_game = true;
                        (self.connection.game, self.connection.began) = (game, Some(at));
                    }
                }
                Some(SourceNews::Reached(at, tick)) => self.feed.reach(tick, at),
                Some(SourceNews::Lines(batch)) => {
                    budget = budget.saturating_sub(batch.text.len());
                    taken_at = batch.at;
                    self.feed.take(&batch);
                }
                None => {
                    self.feed.tend(now);
                    break;
                }
            }
        }
        if let Some(question) = self.feed.history.question()
            && self.questioned_at.is_none_or(|asked| now.duration_since(asked) >= QUESTION_PAUSE)
        {
            self.questioned_at = Some(now);
            self.connection.live.ask(question);
        }
        self.head = match H::Fold::TURN {
            0 => self.feed.clock.live_head(now),
            _ => self.feed.last_tick() as f64,
        };
        self.since_part = self.feed.since_part(now).max(0.0);
        let rate = self.feed.clock.rate;
        self.asked =
            self.asked.filter(|&(_, before, at)| rate == before && now.duration_since(at) < ANSWER_TIME);
        self.feed.matches != matches && matches > 0
    }

    /// Where the match comes from, with what is wrong.
    pub fn origin(&self) -> Origin {
        let live = &self.connection.live;
        let trouble = match &live.state {
            SourceState::Resolving | SourceState::Connecting => Some(format!("connecting to {}", live.place)),
            SourceState::Greeting => Some(format!("{} is there; saying hello", live.place)),
            SourceState::Lost { why, .. } => Some(why.to_string()),
            SourceState::Watching | SourceState::Ended => None,
        };
        Origin::Live {
            address: live.place.to_owned(),
            trouble,
            connected: self.is_connected(),
            rate: self.feed.clock.rate,
            can_ask: live.can_ask,
            asked: self.asked.map(|(rate, ..)| rate),
        }
    }

    pub fn is_connected(&self) -> bool {
        self.connection.live.state == SourceState::Watching
    }
}
