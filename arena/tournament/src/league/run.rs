//! Runs a league, round after round: plays the planned matches, sums up the results, looks at the bots, plans the next round.
//!
//! Every step is a function of the files, and writes whole files only, so that a league which is killed at any moment goes on as
//! if it hadn't been. Tested in `arena/cli/tests/league/`.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use zappy_play::Error;
use zappy_play::display::Display;
use zappy_play::programs::signals::Signals;
use zappy_play::signature::{self, Kind};
use zappy_play::world::Games;
use zappy_protocol::text::many;

use super::field::{Field, Gate};
use super::history::{Dealer, History};
use super::intake::{BOTS, COPY, bot_name};
use super::page::{PAGE, page, terminal};
use super::pairing::{Cup, all_pairs, first_stage, next_stage, stage_meetings, swiss};
use super::round::{MOST_ROUNDS, ROUNDS, Round, Stage, VERSIONS, round_file};
use super::settings::{Pairing, Settings, Wish};
use super::standings::{STANDINGS, Snapshot, Standings};
use super::table::Table;
use super::trial::{SCRATCH, Trials};
use crate::claim::Claim;
use crate::identity::Id;
use crate::merge::{MERGED, Merge};
use crate::place::{self, Place, clear, read_json, write_json_line, write_pretty, write_whole};
use crate::rating::Rating;
use crate::reading::Tournament;
use crate::run::{Run, Watch};
use crate::tally::Tally;
use crate::worker;

/// The pause between two looks at the bots while nothing is played.
const BOTS_LOOK: Duration = Duration::from_secs(2);
/// The folder with a snapshot of the standings after each round.
const SNAPSHOTS: &str = "standings";
/// The longest snapshot, in bytes.
const LONGEST_SNAPSHOT: u64 = 16 << 20;
/// The files of a league's folder that are signed, since the site shows them.
const SIGNED: [&str; 2] = [place::BOTS, STANDINGS];
/// The pause between two renewals of the page is at least this many times as long as the last renewal took.
const LEAST_PAUSE_PER_RENEWAL: u32 = 10;

/// When a call of a league ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Until {
    /// When the operator stops it.
    Stopped,
    /// When no match is missing and no bot is new.
    Complete,
    /// When the next round is planned; nothing is played.
    Planned,
}

/// The state of a league at the end of a call.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// The table and remarks, for a terminal.
    pub text: String,
    /// Whether the operator ended the call.
    pub interrupted: bool,
    /// Matches that failed as often as they may, in all rounds of this call.
    pub failed: usize,
    /// Whether fewer than two bots are in the field, so that nothing can be played.
    pub alone: bool,
    /// Whether a bot did something other than play.
    pub misbehaved: bool,
}

/// A league in its folder.
#[derive(Debug)]
pub struct League {
    games: Games,
    folder: PathBuf,
    pub dealer: Dealer,
    history: History,
    /// The standings after each round that is over.
    snapshots: Vec<Snapshot>,
    gate: Gate,
    /// How many bots could enter at the last look.
    eligible: usize,
    settings: CallSettings,
    _claim: Claim,
}

/// The settings of one call; another call may have others.
#[derive(Debug, Clone, Copy)]
pub struct CallSettings {
    /// The pause between two renewals of the page while matches are played.
    pub merge_every: Duration,
    /// How long a bot's files must have been the same before it is taken, while the league goes on.
    pub settle: Duration,
    /// The most matches that can be watched from the tournament's page.
    pub replays: usize,
}

impl League {
    /// Opens the league in that folder, or begins it there if bots are handed in to it.
    ///
    /// # Errors
    /// There is no folder for bots, another process plays it, or something else is asked for than lies there.
    pub fn open(folder: &Path, wish: &Wish, call: CallSettings, games: Games) -> Result<League, Error> {
        use crate::Error as Wrong;
        if !folder.join(BOTS).is_dir() {
            let (shown, bots) = (folder.display(), folder.join(BOTS));
            let what =
                "no league, since it has no folder of bots; name the league's folder, or begin one with";
            return Err(Wrong::Plan(format!("{shown}: it is {what}: mkdir -p {}", bots.display())).into());
        }
        let folder = fs::canonicalize(folder).map_err(|error| Wrong::File(folder.into(), error))?;
        let claim = Claim::of(folder.join(".league.lock"))?.ok_or_else(|| {
            let what = "another process plays this league; end that, or wait for it";
            Wrong::Plan(format!("{}: {what}", folder.display()))
        })?;
        // Copies of bots and folders of checks that killed calls have left.
        for (folder, prefix) in [(folder.join(VERSIONS), COPY), (folder.clone(), SCRATCH)] {
            for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
                if entry.file_name().as_encoded_bytes().starts_with(prefix.as_bytes()) {
                    let _ = clear(&entry.path());
                }
            }
        }
        let settings = Settings::open(&folder, wish, games)?;
        let (terms, secret) = (settings.sample.terms(games)?, settings.secret(&folder)?);
        let dealer = Dealer { settings, terms, secret };
        let history = History::read(&folder, &dealer)?;
        // The tournament's plan is missing if a call was killed before it wrote the plan.
        history.lay_out(&folder)?;
        signature::sign(&folder, Kind::League, &SIGNED);
        let snapshots =
            (1..).map(|round| round_file(&folder, SNAPSHOTS, round)).take_while(|path| path.exists());
        let snapshots: Result<_, Wrong> = snapshots.map(|path| read_json(&path, LONGEST_SNAPSHOT)).collect();
        let gate = Gate::open(&folder, &dealer.settings)?;
        let (snapshots, settings, eligible) = (snapshots?, call, 0);
        Ok(League { games, dealer, history, snapshots, gate, eligible, settings, _claim: claim, folder })
    }

    /// Its folder as a tournament's.
    ///
    /// # Errors
    /// The folder holds no tournament.
    pub fn place(&self) -> Result<Place, Error> {
        Ok(Place::open(&self.folder)?)
    }

    /// Plays rounds until the end that `until` names.
    ///
    /// # Errors
    /// When the arena failed, or the bots can't be looked at.
    pub fn play(
        &mut self,
        run: &Run,
        until: Until,
        signals: &mut Signals,
        display: &mut Display,
    ) -> Result<Summary, Error> {
        // Matches that failed in an earlier call are tried again at once, those that fail in this call with the next
        // round.
        let (mut failed, mut is_first, mut last_words) = (0, true, String::new());
        let patience = (until == Until::Stopped).then_some(self.settings.settle);
        loop {
            let (mut missing, mut interrupted) = (0, false);
            if until == Until::Planned {
                missing = self.count_missing(&run.place)?;
            } else {
                let (failures, is_stopped) =
                    self.play_round(run, std::mem::take(&mut is_first), signals, display)?;
                failed += failures;
                interrupted = is_stopped;
            }
            if interrupted || missing > 0 {
                return self.summary(run, failed, missing, interrupted);
            }
            self.write_snapshots()?;
            let before = std::mem::take(&mut self.gate.refused);
            let (world, checks) = (&self.dealer.terms.world, &self.dealer.settings.checks);
            let trials = Trials { run, world, checks };
            let Some(field) = self.gate.look(&self.history, trials, patience, signals)? else {
                return self.summary(run, failed, 0, true);
            };
            if before != self.gate.refused {
                self.gate.refused.iter().for_each(|refused| log::warn!("{}", refused.words()));
            }
            let unsettled = field.unsettled;
            self.eligible = field.ids.len();
            if let Some(round) = self.next_round(field)? {
                self.begin_round(round)?;
                last_words.clear();
                if until != Until::Planned {
                    continue;
                }
                let missing = self.count_missing(&run.place)?;
                return self.summary(run, failed, missing, false);
            }
            self.renew_pages();
            if until == Until::Stopped {
                let words = self.waiting_words(unsettled);
                if last_words != words {
                    log::warn!("{words}");
                    last_words = words;
                }
            } else if !unsettled {
                return self.summary(run, failed, 0, false);
            }
            let deadline = Instant::now() + BOTS_LOOK;
            while signals.stops() == 0 && Instant::now() < deadline {
                worker::wait(signals);
            }
            if signals.stops() > 0 {
                return self.summary(run, failed, 0, until != Until::Stopped);
            }
        }
    }

    /// Plays the planned matches that are missing; gives how many of them failed, and whether the operator ended the
    /// call. The `is_first` round of a call also plays matches that failed in an earlier call.
    fn play_round(
        &self,
        run: &Run,
        is_first: bool,
        signals: &mut Signals,
        display: &mut Display,
    ) -> Result<(usize, bool), Error> {
        let has_failures = is_first && !run.place.failures()?.is_empty();
        if !has_failures && self.count_missing(&run.place)? == 0 {
            return Ok((0, signals.stops() > 0));
        }
        let mut renewal = Renewal {
            league: self,
            place: &run.place,
            last: Instant::now(),
            pause: self.settings.merge_every,
        };
        let report = run.play(signals, display, Some(&mut renewal))?;
        if report.interrupted {
            self.renew_pages();
        }
        Ok((report.failed + report.unproved, report.interrupted))
    }

    /// How many matches of the last round have neither a result nor a note on their failure.
    fn count_missing(&self, place: &Place) -> Result<usize, Error> {
        let is_over = |id: &Id| place.result(*id).exists() || place.failure(*id).exists();
        Ok(self.history.last_matches().filter(|id| !is_over(id)).count())
    }

    /// Writes the snapshots of the standings that are missing, for the rounds that are over.
    fn write_snapshots(&mut self) -> Result<(), Error> {
        let missing = self.history.rounds.get(self.snapshots.len()..).unwrap_or_default();
        if missing.is_empty() {
            return Ok(());
        }
        let snapshots = self.with_table(|table| {
            let snapshot = |round: &Round| Some((round.round, table?.snapshot(round)));
            missing.iter().filter_map(snapshot).collect::<Vec<_>>()
        })?;
        for (round, snapshot) in snapshots {
            write_json_line(&round_file(&self.folder, SNAPSHOTS, round), &snapshot)?;
            self.snapshots.push(snapshot);
        }
        Ok(())
    }

    /// The next round; `None` if all meetings of the field were played.
    fn next_round(&self, field: Field) -> Result<Option<Round>, Error> {
        let Field { ids, entered, .. } = field;
        let (last, met) = (self.history.rounds.last(), &self.history.met);
        let Settings { pairing, ref against, seeds, .. } = self.dealer.settings;
        let round = last.map_or(0, |last| last.round) + 1;
        if round > MOST_ROUNDS {
            let what = format!("it has had {MOST_ROUNDS} rounds; begin another league in another folder");
            return Err(crate::Error::Plan(format!("{}: {what}", self.folder.display())).into());
        }
        if last.is_none() && ids.len() < 2 {
            return Ok(None);
        }
        let mut stage = None;
        let meetings = match pairing {
            _ if ids.len() < 2 => Vec::new(),
            Pairing::RoundRobin => all_pairs(&ids, None, met, seeds),
            Pairing::Gauntlet => {
                let named = |name: &str| against.iter().any(|against| bot_name(against) == name);
                let versions = entered.iter().chain(&self.history.versions);
                let all_meet = versions.filter(|one| ids.contains(&one.id) && named(&one.name));
                let all_meet: Vec<Id> = all_meet.map(|version| version.id).collect();
                if all_meet.is_empty() {
                    let names = against.join(", ");
                    log::warn!("no bot is called as --against says ({names}), so nothing is played");
                }
                all_pairs(&ids, Some(&all_meet), met, seeds)
            }
            Pairing::Swiss => self.with_table(|table| {
                let rating = |id: Id| table.map_or_else(Rating::unknown, |table| table.rating(id));
                swiss(&ids.iter().map(|&id| (id, rating(id))).collect::<Vec<_>>(), met, seeds)
            })?,
            Pairing::Knockout => {
                stage = self.with_table(|table| self.cup_stage(&ids, table))?;
                stage.iter().flat_map(|stage| stage_meetings(stage, met)).collect()
            }
        };
        if meetings.is_empty() && stage.is_none() && last.is_some_and(|last| last.field == ids) {
            return Ok(None);
        }
        Ok(Some(Round { version: 1, round, entered, field: ids, meetings, stage }))
    }

    /// The next stage of the cup that is played, or the first stage of a new cup if the field has changed since the
    /// last cup began; `None`: the last cup is over and the field is the same.
    fn cup_stage(&self, ids: &[Id], table: Option<&Table<'_>>) -> Option<Stage> {
        let seeds = self.dealer.settings.seeds;
        let stages = self.history.rounds.iter().filter_map(|round| Some((round, round.stage.as_ref()?)));
        let last = stages.clone().next_back().map(|(_, stage)| stage);
        if let (Some(stage), Some(table)) = (last, table)
            && let Cup::Next(next) =
                next_stage(stage, seeds, |one, other, seeds| table.lead(one, other, seeds))
        {
            return Some(next);
        }
        let number = last.map_or(0, |stage| stage.cup);
        let first = stages.rev().take_while(|(_, stage)| stage.cup == number).last();
        if first.is_some_and(|(round, _)| round.field == ids) {
            return None;
        }
        let ranked = table.map_or_else(|| ids.to_vec(), |table| table.ranking(ids));
        Some(first_stage(number + 1, &ranked, seeds))
    }

    /// Calls `evaluate` with the table of all results so far; with `None` before the first round.
    fn with_table<T>(&self, evaluate: impl FnOnce(Option<&Table<'_>>) -> T) -> Result<T, Error> {
        if self.history.rounds.is_empty() {
            return Ok(evaluate(None));
        }
        let tournament = Tournament::read(&self.folder, self.games)?;
        let tally = Tally::new(&tournament);
        Ok(evaluate(Some(&Table::new(&self.history, &tally))))
    }

    /// Writes the round's file, and then the tournament's plan with its matches.
    fn begin_round(&mut self, round: Round) -> Result<(), Error> {
        round.entered.iter().for_each(|version| log::info!("{} enters", version.label()));
        let (matches, bots) = (2 * round.meetings.len() as u64, round.field.len() as u64);
        let (matches, bots) = (many(matches, "match"), many(bots, "bot"));
        log::info!("round {}: {matches} between {bots}", round.round);
        write_json_line(&round_file(&self.folder, ROUNDS, round.round), &round)?;
        self.history.add(round, &self.dealer)?;
        self.history.lay_out(&self.folder)?;
        signature::sign(&self.folder, Kind::League, &SIGNED);
        Ok(())
    }

    /// The standings now; `None` before the first match is planned.
    fn standings(&self) -> Result<Option<Standings>, Error> {
        if self.history.meetings.is_empty() {
            return Ok(None);
        }
        let (settings, refused) = (&self.dealer.settings, &self.gate.refused);
        self.with_table(|table| table.map(|table| table.standings(settings, &self.snapshots, refused)))
    }

    /// Writes the standings and the pages anew; an error goes into the log, and the league goes on.
    fn renew_pages(&self) {
        let renew = || -> Result<(), Error> {
            let Some(standings) = self.standings()? else { return Ok(()) };
            write_pretty(&self.folder.join(STANDINGS), &standings)?;
            signature::sign(&self.folder, Kind::League, &SIGNED);
            write_whole(&self.folder.join(PAGE), page(&standings).as_bytes())?;
            let (games, replays, left_out) = (self.games, self.settings.replays, Default::default());
            let (folder, out) = (self.folder.clone(), self.folder.join(MERGED));
            Merge { games, folder, out, pass: 0.5, front: None, replays, left_out }.run()?;
            Ok(())
        };
        if let Err(error) = renew() {
            log::warn!("the page can't be renewed: {error}");
        }
    }

    fn summary(&self, run: &Run, failed: usize, missing: usize, interrupted: bool) -> Result<Summary, Error> {
        self.renew_pages();
        let standings = self.standings()?;
        let mut text = standings.as_ref().map(terminal).unwrap_or_default();
        let folder = self.folder.display();
        if missing > 0 {
            let round = self.history.rounds.len();
            text += &format!(
                "round {round} lacks {}; play on with: zappy_arena tournament run {folder}\n",
                many(missing as u64, "match")
            );
        } else if standings.is_none() {
            self.gate.refused.iter().for_each(|refused| text += &format!("{}\n", refused.words()));
        }
        let alone = missing == 0 && !interrupted && self.eligible < 2;
        if alone {
            text += &format!("{}\n", self.too_few_words());
        }
        let misbehaved = standings.iter().flat_map(|standings| &standings.table).any(|row| row.faults > 0);
        log::debug!("{} bots in the field, played with {:?}", self.history.field().len(), run.containment);
        Ok(Summary { text, interrupted, failed, alone, misbehaved })
    }

    /// What the league waits for, in words.
    fn waiting_words(&self, unsettled: bool) -> String {
        let seconds = self.settings.settle.as_secs();
        match unsettled {
            true => format!("it waits until the bots' files have been the same for {seconds} s (--settle)"),
            false if self.eligible < 2 => format!("{}; it waits for them", self.too_few_words()),
            false => format!(
                "nothing is missing; it waits for new versions below {}/{BOTS} until it is stopped (Ctrl-C)",
                self.folder.display()
            ),
        }
    }

    fn too_few_words(&self) -> String {
        let (count, folder) = (self.eligible, self.folder.display());
        format!(
            "a league takes two bots or more, and {count} could enter; put each into a folder below {folder}/{BOTS}"
        )
    }
}

/// Renews the page while a round is played.
struct Renewal<'a> {
    league: &'a League,
    place: &'a Place,
    /// When the last renewal ended.
    last: Instant,
    pause: Duration,
}

impl Watch for Renewal<'_> {
    fn is_enough(&mut self, _: &HashSet<Id>) -> Result<bool, Error> {
        if self.last.elapsed() >= self.pause {
            let start = Instant::now();
            self.league.renew_pages();
            self.pause = self.league.settings.merge_every.max(start.elapsed() * LEAST_PAUSE_PER_RENEWAL);
            self.last = Instant::now();
        }
        Ok(false)
    }

    fn progress(&self) -> String {
        let round = self.league.history.rounds.len();
        let missing = self.league.count_missing(self.place).unwrap_or_default();
        let all = self.league.history.last_matches().count();
        format!("round {round}: {} of {}", all - missing, many(all as u64, "match"))
    }
}
