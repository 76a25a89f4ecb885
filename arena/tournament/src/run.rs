//! Plays the matches of a plan that have no result yet, each in a process of its own.
//!
//! A child process plays one match at a time, since it adopts the processes that the bots leave behind. This process
//! starts the children, and if one is killed it ends the processes left behind. After any crash the next run goes on.
//! Decides nothing about a match. Tested in `arena/cli/tests/tournament/`.

use std::collections::{HashMap, HashSet, VecDeque};
use std::io::ErrorKind;
use std::path::PathBuf;
use std::process::{Command, ExitStatus};
use std::time::{Duration, Instant};

use zappy_play::Error as ArenaError;
use zappy_play::display::Display;
use zappy_play::local::many::cores;
use zappy_play::os::Pid;
use zappy_play::programs::contain::Orphans;
use zappy_play::programs::environment::Added;
use zappy_play::programs::sandbox::{Containment, Wish};
use zappy_play::programs::signals::Signals;
use zappy_play::proof::Suspicion;
use zappy_play::world::Games;
use zappy_protocol::text::many;

use super::Error;
use super::bots::Book;
use super::claim::{Claim, tidy};
use super::identity::Id;
use super::no_start;
pub use super::no_start::NoStart;
use super::outcome::Outcome;
pub use super::pairing::Shard;
use super::place::{Failure, Place};
use super::plan::Planned;
use super::reading::{checked_outcome, own_key};
use super::single::{self, Single};
use super::speed;
use super::worker::{self, Worker};

/// The exit code of a process that found no space on the disk.
pub const FULL: u8 = Single::Full as u8;
/// The exit code of a process that a signal has stopped.
pub const INTERRUPTED: u8 = Single::Interrupted as u8;
/// How often a match is tried if the arena fails or the match is disturbed.
const TRIES: u32 = 3;
/// How long a match is put off that another runner plays, or that the machine has no process or memory left to start.
const RETRY_DELAY: Duration = Duration::from_secs(1);
/// How often in a run a match may be put off because the machine has no process or memory left to start it.
const MOST_WAITS: u32 = 120;

/// A run that is to be made.
#[derive(Debug)]
pub struct Run {
    /// The games that can be played.
    pub games: Games,
    pub place: Place,
    /// How many matches are played at the same time.
    pub jobs: usize,
    /// The part of the plan that is played.
    pub shard: Shard,
    pub server: PathBuf,
    pub containment: Containment,
    /// Environment variables that the bots get besides the usual ones.
    pub added: Added,
    /// Whether matches that were disturbed are played once more.
    pub replay_disturbed: bool,
    /// Whether the run goes on if a bot could not be started in both matches of a pair.
    pub keep_going: bool,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunSummary {
    /// Matches that have a result now and had none before.
    pub played: usize,
    /// Matches that failed in every try.
    pub failed: usize,
    /// Matches that were disturbed in every try.
    pub disturbed: usize,
    /// Matches that no record proved in any try.
    pub unproved: usize,
    /// How long the run took.
    pub time: Duration,
    /// The bot that could not be started in a whole pair of matches, and the reason: the rest isn't played then.
    pub no_start: Option<NoStart>,
    /// Whether the operator ended the run.
    pub interrupted: bool,
}

/// A match that is to be played.
struct Waiting {
    planned: Planned,
    tries: u32,
    /// Whether the match has a result already, but was disturbed or is proved by no record.
    again: bool,
    containment: Containment,
    not_before: Instant,
    /// How often the machine had no process or memory left to start it.
    waits: u32,
}

impl Run {
    /// Plays until every match has a result or has failed, `watch` has seen enough, or the operator ends the run.
    ///
    /// # Errors
    /// The tournament can't be read, or a bot was changed since the plan was made; and the errors of `watch`.
    pub fn play(
        &self,
        signals: &mut Signals,
        display: &mut Display,
        watch: Option<&mut dyn Watch>,
    ) -> Result<RunSummary, ArenaError> {
        let orphans = Orphans::adopt().map_err(|error| ArenaError::System("can't adopt orphans", error))?;
        let mut bots = Bots { book: self.place.book()?, stamps: HashMap::new() };
        let plan = self.place.plan(|line| self.shard.has_line(line))?;
        let (total, played) = (plan.len(), self.place.played()?);
        tidy(&self.place);
        let start = Instant::now();
        let (mut waiting, key, containment) = (VecDeque::new(), own_key(), self.containment);
        for planned in plan {
            let again = played.contains(&planned.id);
            if again {
                let outcome = checked_outcome(&self.place, planned.id, key.as_ref())?;
                if !(outcome.is_unproved() || self.replay_disturbed && outcome.is_disturbed()) {
                    continue;
                }
            }
            planned.seats.iter().try_for_each(|id| bots.check(*id))?;
            waiting.push_back(Waiting { planned, tries: 0, again, containment, not_before: start, waits: 0 });
        }
        let (done, jobs) = (total - waiting.len(), self.jobs);
        let most = if watch.is_some() { "at most " } else { "" };
        let (matches, cores) = (many(total as u64, "match"), many(cores() as u64, "core"));
        log::info!("{most}{matches}, {done} of them played; {jobs} at a time on {cores}");
        let mut pool = Pool {
            run: self,
            bots,
            waiting,
            playing: Vec::new(),
            orphans,
            summary: RunSummary::default(),
            failed: HashSet::new(),
            pairs: HashMap::new(),
            retries_first: watch.is_some(),
            start,
            stops: 0,
        };
        pool.play(total, signals, display, watch)?;
        pool.summary.time = start.elapsed();
        Ok(pool.summary)
    }
}

/// Watches the results of a run as they come, and may end the run early.
pub trait Watch {
    /// Whether the results suffice; `failed` are the matches that this run won't play any more.
    ///
    /// # Errors
    /// The results can't be read, or make no sense.
    fn is_enough(&mut self, failed: &HashSet<Id>) -> Result<bool, ArenaError>;

    /// Whether a match needn't be begun at all.
    fn is_left_out(&self, _planned: &Planned) -> bool {
        false
    }

    /// How far the run is, in one line.
    fn progress(&self) -> String;
}

/// The bots of the plan, which must not change while they play.
struct Bots {
    book: Book,
    /// For each bot that was found unchanged: the sizes and times of its files at that moment, hashed.
    stamps: HashMap<Id, Id>,
}

impl Bots {
    /// Checks that a bot's files are those that were planned. Reads them anew only when their sizes or times have changed.
    ///
    /// # Errors
    /// The files were changed or can't be read.
    fn check(&mut self, id: Id) -> Result<(), Error> {
        let bot = self.book.known(id)?;
        let stamp = bot.stamp().map_err(|why| bot.unplayable(&why))?;
        if self.stamps.get(&id) == Some(&stamp) {
            return Ok(());
        }
        let now = bot.identify().map_err(|why| bot.unplayable(&why))?;
        if now != id {
            return Err(bot.unplayable(&format!(
                "its files are not those that were planned ({id}, now {now}); put them back, or plan another tournament"
            )));
        }
        self.stamps.insert(id, stamp);
        Ok(())
    }
}

/// The matches of a run. Fields are dropped in this order: first the processes, then what they leave behind.
struct Pool<'a> {
    run: &'a Run,
    bots: Bots,
    waiting: VecDeque<Waiting>,
    playing: Vec<(Waiting, Worker)>,
    orphans: Orphans,
    summary: RunSummary,
    /// Matches that failed in every try.
    failed: HashSet<Id>,
    /// For each pair of which this run has played a part: the outcomes in which a bot could not be started.
    pairs: HashMap<Id, Vec<Outcome>>,
    /// Whether a match that is tried again comes before all others.
    retries_first: bool,
    start: Instant,
    /// How many of the operator's stop signals were passed on to the processes.
    stops: usize,
}

impl Pool<'_> {
    fn play(
        &mut self,
        total: usize,
        signals: &mut Signals,
        display: &mut Display,
        mut watch: Option<&mut dyn Watch>,
    ) -> Result<(), ArenaError> {
        loop {
            while self.stops < signals.stops() {
                self.stops += 1;
                self.playing.iter().for_each(|(_, worker)| worker.interrupt());
            }
            for (waiting, status) in worker::ended(&mut self.playing)? {
                self.handle_end(waiting, status)?;
            }
            let mut enough = self.summary.no_start.is_some();
            if let Some(watch) = &mut watch {
                enough |= watch.is_enough(&self.failed)?;
                self.waiting.retain(|waiting| !watch.is_left_out(&waiting.planned));
            }
            if enough {
                // Dropping the workers ends their matches in an orderly way.
                self.playing.clear();
                return Ok(());
            }
            while self.stops == 0 && self.playing.len() < self.run.jobs && self.begin_next()? {}
            if self.playing.is_empty() && (self.waiting.is_empty() || self.stops > 0) {
                self.summary.interrupted = self.stops > 0 && !self.waiting.is_empty();
                return Ok(());
            }
            display
                .progress(|| watch.as_ref().map_or_else(|| self.progress(total), |watch| watch.progress()));
            worker::wait(signals);
        }
    }

    /// Begins the next match that can be begun; false if there is none.
    fn begin_next(&mut self) -> Result<bool, ArenaError> {
        let now = Instant::now();
        let Some(next) = self.waiting.iter().position(|waiting| waiting.not_before <= now) else {
            return Ok(false);
        };
        let Some(mut waiting) = self.waiting.remove(next) else { return Ok(false) };
        let id = waiting.planned.id;
        if !waiting.again && self.run.place.result(id).exists() {
            return Ok(true);
        }
        if self.run.place.matches().is_dir() && Claim::take(&self.run.place, id)?.is_none() {
            self.postpone(waiting);
            return Ok(true);
        }
        if let Err(error) = waiting.planned.seats.iter().try_for_each(|bot| self.bots.check(*bot)) {
            // The other matches can be played all the same.
            log::warn!("match {id}: {error}");
            self.run.place.note_failure(Failure::new(id, error.to_string(), Vec::new()))?;
            self.give_up(id);
            return Ok(true);
        }
        match self.begin(&waiting) {
            Ok(worker) => self.playing.push((waiting, worker)),
            // The machine has no process left, perhaps by a bot's fault. When another match ends, its processes are
            // free again.
            Err(ArenaError::Spawn(what, error))
                if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::OutOfMemory)
                    && waiting.waits < MOST_WAITS =>
            {
                log::warn!("{what} can't be started by now: {error}; it waits");
                waiting.waits += 1;
                self.postpone(waiting);
            }
            Err(error) => return Err(error),
        }
        Ok(true)
    }

    /// Starts the process that plays a match.
    fn begin(&self, waiting: &Waiting) -> Result<Worker, ArenaError> {
        // Plain values can always be written.
        let line = serde_json::to_string(&waiting.planned).unwrap_or_default();
        let mut command = Command::new(worker::own_program()?);
        command
            .args(["tournament", "one-match"])
            .arg(self.run.place.path())
            .args([&line, "--kept-by", &std::process::id().to_string(), "--server"])
            .arg(&self.run.server)
            .args(["--sandbox", &waiting.containment.to_string()])
            .args(waiting.again.then_some("--again"))
            .args(self.run.added.arguments());
        Worker::start(&mut command, &format!("match {}", waiting.planned.id))
    }

    /// Counts or repeats a match by how its process has ended.
    fn handle_end(&mut self, mut waiting: Waiting, status: ExitStatus) -> Result<(), ArenaError> {
        let (id, place) = (waiting.planned.id, &self.run.place);
        let ended = |end: Single| status.code() == Some(i32::from(end as u8));
        if ended(Single::Busy) {
            self.postpone(waiting);
            return Ok(());
        }
        if ended(Single::Disturbed) {
            waiting.tries += 1;
            if waiting.tries < TRIES {
                self.waiting.push_back(waiting);
            } else {
                self.summary.disturbed += 1;
            }
            return Ok(());
        }
        if ended(Single::Unproved) {
            waiting.again = true;
            if self.try_again(waiting) > 0 {
                log::warn!("match {id}: nothing proves it, and it is played again");
            } else {
                self.failed.insert(id);
                self.summary.unproved += 1;
            }
            return Ok(());
        }
        if ended(Single::Played) && place.result(id).exists() {
            self.summary.played += 1;
            return self.look_for_no_start(&waiting.planned);
        }
        if ended(Single::Full) {
            return Err(Error::Full(place.path().to_path_buf()).into());
        }
        // The process was interrupted before it had begun the match, and so before it listened to signals.
        let never_began = self.stops > 0 && !place.unfinished(id).exists();
        if status.code().is_none() && !never_began {
            // The killed process could not end the processes that its bots had left behind, so this process does.
            let known: HashSet<Pid> = self.playing.iter().map(|(_, worker)| worker.pid).collect();
            self.orphans.sweep(&known);
            let how = format!("the process that played it was killed ({status})");
            let is_open = waiting.containment == Containment::None;
            let record = single::unfinished_record(place, id);
            let suspicion = Suspicion::new(&how, is_open, &record, self.run.games.specs);
            place.note_failure(Failure::suspicious(id, suspicion, Vec::new()))?;
        }
        if self.stops > 0 {
            self.waiting.push_back(waiting);
            return Ok(());
        }
        if status.code().is_none() || ended(Single::Killed) || ended(Single::Interrupted) {
            // A program that isn't contained may have sent the signal.
            waiting.containment = self.containment_after_kill(id, waiting.containment);
        }
        let left = self.try_again(waiting);
        log::warn!("match {id} failed, tries left: {left}; zappy_arena tournament status tells why");
        if left == 0 {
            self.give_up(id);
        }
        Ok(())
    }

    /// Puts a match off for [`RETRY_DELAY`].
    fn postpone(&mut self, mut waiting: Waiting) {
        waiting.not_before = Instant::now() + RETRY_DELAY;
        self.waiting.push_back(waiting);
    }

    /// Lets a match wait for another try, if one is left; gives the number of tries that are left.
    fn try_again(&mut self, mut waiting: Waiting) -> u32 {
        waiting.tries += 1;
        let left = TRIES - waiting.tries;
        if left > 0 {
            let place = if self.retries_first { 0 } else { self.waiting.len() };
            self.waiting.insert(place, waiting);
        }
        left
    }

    /// The containment with which a match is played again after another program has ended the server or the arena.
    fn containment_after_kill(&self, id: Id, containment: Containment) -> Containment {
        if containment != Containment::None {
            return containment;
        }
        let ended = format!("match {id}: somebody ended the server or the arena");
        let better = Wish::Auto.settle();
        match &better {
            Ok(_) => log::warn!("{ended}; it is played again in a sandbox"),
            Err(why) => log::warn!("{ended}, and nothing contains bots here: {why}"),
        }
        better.unwrap_or(containment)
    }

    /// Looks for a bot that could not be started in any match of this match's pair.
    fn look_for_no_start(&mut self, planned: &Planned) -> Result<(), ArenaError> {
        let outcome = self.run.place.outcome(planned.id)?;
        if self.run.keep_going || no_start::absent_seats(&outcome).next().is_none() {
            return Ok(());
        }
        let pair = self.pairs.entry(planned.pair).or_default();
        pair.push(outcome);
        if pair.len() == planned.seats.len() {
            self.summary.no_start = no_start::in_pair(pair, &self.bots.book, &self.run.place);
        }
        Ok(())
    }

    fn give_up(&mut self, id: Id) {
        self.failed.insert(id);
        self.summary.failed += 1;
    }

    fn progress(&self, total: usize) -> String {
        let (left, failed) = (self.waiting.len() + self.playing.len(), self.summary.failed);
        let mut text = format!("{} of {}", total.saturating_sub(left + failed), many(total as u64, "match"));
        if failed > 0 {
            text += &format!(", {failed} failed");
        }
        if let Some(forecast) = speed::forecast(self.summary.played, self.start.elapsed(), left) {
            text += &format!(", {forecast}");
        }
        text
    }
}
