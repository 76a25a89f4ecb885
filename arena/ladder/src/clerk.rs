//! Two threads beside the one of the lobby and the matches, so that neither a slow disk nor a large table delays a
//! match.
//!
//! The first one keeps each match as soon as it is over. The second one makes the table and the pages of all matches
//! that were kept, seldom enough to take a small part of the time. Tested in `arena/cli/tests/ladder/`.

use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use zappy_play::world::Games;
use zappy_tournament::Error;
use zappy_tournament::identity::Id;
use zappy_tournament::ladder::{LOBBY, LadderStandings, LobbyState, STANDINGS, page};
use zappy_tournament::merge::{LEAGUE_PAGE, MERGED, Merge};
use zappy_tournament::place::write_whole;
use zappy_tournament::plan::Planned;
use zappy_tournament::rating::Rating;
use zappy_tournament::reading::Tournament;
use zappy_tournament::tally::Tally;

use crate::season::{Finished, Season, publish};

/// The pause between two tables is at least this many times as long as the last table took.
const LEAST_PAUSE_PER_TABLE: u32 = 10;

/// A message from the thread of the matches to the one that keeps them.
pub enum ClerkNote {
    Over(Box<Finished>),
    /// A match that was running is void, for that reason.
    Void(Box<Planned>, &'static str),
    /// These names may play.
    Names(Vec<String>),
    /// Which bots wait and which matches are played has changed.
    Lobby(LobbyState),
}

/// The two threads, as the thread of the matches uses them.
pub struct Clerk {
    notes: Option<Sender<ClerkNote>>,
    ratings: Receiver<Vec<(Id, Rating)>>,
    threads: Vec<JoinHandle<()>>,
}

impl Clerk {
    /// Starts both; the least pause between two tables is `every`.
    pub fn start(season: Season, games: Games, every: Duration) -> Clerk {
        let ((notes, taken), (changed, changes), (rated, ratings)) = (channel(), channel(), channel());
        let season = Arc::new(Mutex::new(season));
        let kept = Arc::clone(&season);
        let keeper = std::thread::spawn(move || keep(&kept, &taken, &changed));
        let table_maker = std::thread::spawn(move || {
            let mut due = Instant::now();
            while changes.recv().is_ok() {
                // Changes until `due`, or until the end, are in the same table.
                while changes.recv_timeout(due.saturating_duration_since(Instant::now())).is_ok() {}
                let start = Instant::now();
                let (folder, played) = {
                    let season = locked(&season);
                    (season.place.path().to_path_buf(), season.tournament.clone())
                };
                match renew_pages(&folder, &played, games) {
                    Ok(ratings) => drop(rated.send(ratings)),
                    Err(error) => log::warn!("the table can't be renewed: {error}"),
                }
                due = Instant::now() + every.max(start.elapsed() * LEAST_PAUSE_PER_TABLE);
            }
        });
        Clerk { notes: Some(notes), ratings, threads: vec![keeper, table_maker] }
    }

    /// Sends a message to the thread that keeps matches, which takes one after the other.
    pub fn send(&self, note: ClerkNote) {
        // That thread ends before the caller's only if it has panicked.
        if self.notes.as_ref().is_none_or(|notes| notes.send(note).is_err()) {
            log::error!("what is over can't be kept any more; stop the ladder and start it again");
        }
    }

    /// The ratings of the latest table; `None` if there was no new table since the last call.
    pub fn ratings(&self) -> Option<Vec<(Id, Rating)>> {
        self.ratings.try_iter().last()
    }

    /// Waits until all matches are kept and in the table.
    pub fn finish(mut self) {
        self.notes = None;
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

fn locked(season: &Mutex<Season>) -> MutexGuard<'_, Season> {
    season.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Keeps what the notes report until the last one; sends `changed` after each that the table depends on.
fn keep(season: &Mutex<Season>, notes: &Receiver<ClerkNote>, changed: &Sender<()>) {
    for note in notes {
        let mut season = locked(season);
        let kept = match note {
            ClerkNote::Names(names) => season.note_names(&names),
            ClerkNote::Over(finished) => {
                let planned = finished.planned.clone();
                season.keep(*finished).or_else(|error| {
                    log::error!("match {} doesn't count: {error}", planned.id);
                    let why =
                        if error.is_full_disk() { "the host's disk was full" } else { "it couldn't be kept" };
                    season.void(&planned, why)
                })
            }
            ClerkNote::Void(planned, why) => season.void(&planned, why),
            ClerkNote::Lobby(state) => {
                if let Err(error) = publish(season.place.path(), LOBBY, &state) {
                    log::debug!("the state of the lobby isn't told: {error}");
                }
                continue;
            }
        };
        match kept {
            Ok(()) => drop(changed.send(())),
            Err(error) => log::error!("the disk doesn't take what the ladder is to keep: {error}"),
        }
    }
    let _ = std::fs::remove_file(locked(season).place.path().join(LOBBY));
}

/// Makes the table and the pages of the matches in `played`; gives the ratings.
///
/// # Errors
/// The files can't be written.
pub fn renew_pages(folder: &Path, played: &Tournament, games: Games) -> Result<Vec<(Id, Rating)>, Error> {
    let tally = Tally::new(played);
    let ratings = tally.standings.iter().map(|one| (played.book.bots[one.bot].id, one.rating)).collect();
    let standings = LadderStandings::new(&tally);
    publish(folder, STANDINGS, &standings)?;
    write_whole(&folder.join(LEAGUE_PAGE), page(&standings).as_bytes())?;
    if !played.plan.is_empty() {
        let (out, folder) = (folder.join(MERGED), folder.to_path_buf());
        Merge { games, folder, out, pass: 0.5, front: None, replays: 0, left_out: Default::default() }
            .write_report(tally)?;
    }
    Ok(ratings)
}
