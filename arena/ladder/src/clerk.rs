//! Keeps what is over, and sums it up: two threads beside that of the lobby and the matches, so that neither a disk nor a large
//! table holds a match up.
//!
//! One keeps each match as soon as it is over; the other makes the table and the pages of all that was kept, seldom enough to
//! take a small part of the time. Tested in `arena/cli/tests/ladder/`.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use zappy_play::signature::{self, Kind};
use zappy_play::world::Games;
use zappy_tournament::Error;
use zappy_tournament::bots::Book;
use zappy_tournament::ladder::page::page;
use zappy_tournament::ladder::standings::{LOBBY, LadderStandings, LobbyState, STANDINGS};
use zappy_tournament::merge::{LEAGUE_PAGE, MERGED, Merge};
use zappy_tournament::outcome::Outcome;
use zappy_tournament::place::{Failure, write_pretty, write_whole};
use zappy_tournament::plan::Planned;
use zappy_tournament::rating::Rating;
use zappy_tournament::reading::Tournament;
use zappy_tournament::tally::Tally;

use crate::season::{Finished, SIGNED, Season};

/// Between two tables lies at least this many times what the last one took.
const SELDOM: u32 = 10;
/// What the thread of the matches tells the one that keeps them.
enum Note {
    Over(Box<Finished>),
    Void(Box<Planned>, &'static str),
    Names(Vec<String>),
    Lobby(LobbyState),
}

/// What is new for the table.
enum News {
    Over(Planned, Box<Result<Outcome, Failure>>),
    Book(Book),
}

/// The two threads, as that of the matches sees them.
pub struct Clerk {
    notes: Option<Sender<Note>>,
    ratings: Receiver<Vec<(String, Rating)>>,
    threads: Vec<JoinHandle<()>>,
}

impl Clerk {
    /// Starts them; the table is made anew `every` so often at most.
    pub fn start(season: Season, games: Games, every: Duration) -> Clerk {
        let ((notes, noted), (news, heard), (rates, ratings)) = (channel(), channel(), channel());
        let renewal = Renewal { folder: season.path().to_path_buf(), games, every };
        let played = Tournament {
            game: season.tournament.game,
            book: season.tournament.book.clone(),
            plan: season.tournament.plan.clone(),
            results: season.tournament.results.clone(),
            failures: season.tournament.failures.clone(),
        };
        let keeper = std::thread::spawn(move || keep(season, &noted, &news));
        let teller = std::thread::spawn(move || renewal.go_on(played, &heard, &rates));
        Clerk { notes: Some(notes), ratings, threads: vec![keeper, teller] }
    }

    fn tell(&self, note: Note) {
        // It ends before this thread only if it has panicked.
        if self.notes.as_ref().is_none_or(|notes| notes.send(note).is_err()) {
            log::error!("what is over can't be kept any more; stop the ladder and start it again");
        }
    }

    /// A match is over.
    pub fn keep(&self, finished: Finished) {
        self.tell(Note::Over(Box::new(finished)));
    }

    /// A match that was running is void.
    pub fn void(&self, planned: Planned, why: &'static str) {
        self.tell(Note::Void(Box::new(planned), why));
    }

    /// These names may play.
    pub fn names(&self, names: Vec<String>) {
        self.tell(Note::Names(names));
    }

    /// Which bots wait and which matches are played.
    pub fn lobby(&self, lobby: LobbyState) {
        self.tell(Note::Lobby(lobby));
    }

    /// The ratings since the last call, if there are new ones.
    pub fn ratings(&self) -> Option<Vec<(String, Rating)>> {
        self.ratings.try_iter().last()
    }

    /// Waits until everything is kept and summed up.
    pub fn finish(mut self) {
        self.notes = None;
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

fn keep(mut season: Season, notes: &Receiver<Note>, news: &Sender<News>) {
    let lobby = season.path().join(LOBBY);
    for note in notes {
        let kept = match note {
            Note::Names(names) => {
                season.note_names(&names).map(|()| News::Book(season.tournament.book.clone()))
            }
            Note::Over(finished) => {
                let planned = finished.planned.clone();
                season.keep(*finished).map(|()| {
                    let outcome = season.tournament.results[&planned.id].clone();
                    News::Over(planned, Box::new(Ok(outcome)))
                })
            }
            Note::Void(planned, why) => {
                season.void(&planned, why).map(|failure| News::Over(*planned, Box::new(Err(failure))))
            }
            Note::Lobby(state) => {
                if let Err(error) = write_pretty(&lobby, &state) {
                    log::debug!("the state of the lobby isn't told: {error}");
                }
                signature::sign(season.path(), Kind::Ladder, &SIGNED);
                continue;
            }
        };
        match kept {
            Ok(told) => drop(news.send(told)),
            Err(error) => log::error!("a match doesn't count, or a name isn't known: {error}"),
        }
    }
    let _ = std::fs::remove_file(&lobby);
}

/// How the table and the pages are made anew.
struct Renewal {
    folder: PathBuf,
    games: Games,
    every: Duration,
}

impl Renewal {
    fn go_on(&self, mut played: Tournament, heard: &Receiver<News>, rates: &Sender<Vec<(String, Rating)>>) {
        let (mut due, mut new, mut goes_on) = (Instant::now(), true, true);
        while goes_on || new {
            let wait = match new {
                true => due.saturating_duration_since(Instant::now()),
                false => Duration::from_secs(3_600),
            };
            match heard.recv_timeout(wait) {
                Ok(News::Over(planned, came)) => {
                    played.add(planned, *came);
                    new = true;
                    continue;
                }
                Ok(News::Book(book)) => {
                    played.book = book;
                    new = true;
                    continue;
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => goes_on = false,
            }
            if !std::mem::take(&mut new) {
                continue;
            }
            let start = Instant::now();
            match renew(&self.folder, &played, self.games) {
                Ok(ratings) => drop(rates.send(ratings)),
                Err(error) => log::warn!("the table can't be renewed: {error}"),
            }
            due = Instant::now() + self.every.max(start.elapsed() * SELDOM);
        }
    }
}

/// Makes the table and the pages of what was played; the ratings.
///
/// # Errors
/// They can't be written.
pub fn renew(
    folder: &std::path::Path,
    played: &Tournament,
    games: Games,
) -> Result<Vec<(String, Rating)>, Error> {
    let tally = Tally::new(played);
    let ratings = tally.standings.iter().map(|one| (tally.name(one.bot).to_owned(), one.rating)).collect();
    let standings = LadderStandings::new(&tally);
    write_pretty(&folder.join(STANDINGS), &standings)?;
    signature::sign(folder, Kind::Ladder, &SIGNED);
    write_whole(&folder.join(LEAGUE_PAGE), page(&standings).as_bytes())?;
    if !played.plan.is_empty() {
        let (out, folder) = (folder.join(MERGED), folder.to_path_buf());
        Merge { games, folder, out, pass: 0.5, front: None, replays: 0, left_out: Default::default() }
            .tell(tally)?;
    }
    Ok(ratings)
}
