//! One match of a plan, played by this process alone.
//!
//! The match's files appear as a whole: first its folder, then its result, which alone says that the match was played.
//! A result that exists is replaced only if that is asked for. Tested in `arena/cli/tests/tournament/`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use zappy_play::clock::ClockSetup;
use zappy_play::display::Display;
use zappy_play::folder::{Folder, RECORD, remove_folder};
use zappy_play::os;
use zappy_play::play;
use zappy_play::programs::command::Template;
use zappy_play::programs::group::Delegated;
use zappy_play::programs::process::SpawnOptions;
use zappy_play::programs::sandbox::Containment;
use zappy_play::programs::signals::Signals;
use zappy_play::proof::Suspicion;
use zappy_play::result::Ending;
use zappy_play::setup::{Debugging, Entry, Setup};
use zappy_play::signature;
use zappy_play::text::io_words;
use zappy_play::world::Games;
use zappy_protocol::TeamName;
use zappy_protocol::record::RecordLevel;
use zappy_server::record::read_file;

use super::Error;
use super::bots::{Book, Bot};
use super::claim::Claim;
use super::copies::copy;
use super::identity::Id;
use super::judge::{outcome_of, spoilers};
use super::outcome::Outcome;
use super::place::{Failure, Place, clear, write_whole};
use super::plan::Planned;
use super::team_sandbox::TeamSandbox;
use super::worker::own_program;

/// How the attempt to play a match ended: the exit code of the process that played it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Single {
    /// The match has a result, now or already.
    Played = 0,
    /// The match failed, and the reason is noted.
    Failed = 1,
    /// Another process plays it.
    Busy = 75,
    /// The match, which has a disturbed result, was disturbed again; nothing has changed.
    Disturbed = 76,
    /// Nothing proves how the match went: it isn't scored, and is to be played again.
    Unproved = 77,
    /// Something other than the arena ended the match, and that is noted: it is to be played again, contained.
    Killed = 78,
    /// There is no space on the disk.
    Full = 79,
    Interrupted = 130,
}

/// The folder in which a match is played; it is removed when this value is dropped.
struct Scratch(PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = remove_folder(&self.0);
    }
}

/// What matches are played with.
#[derive(Debug)]
pub struct Tools {
    /// The games that can be played.
    pub games: Games,
    pub server: PathBuf,
    /// The kind of sandbox around the bots.
    pub containment: Containment,
    /// Environment variables that the bots get besides the usual ones.
    pub environment: Vec<(String, String)>,
    /// Whether a match that was disturbed or isn't proved is played once more.
    pub again: bool,
}

/// The least free bytes of the disk with which a match can be played: its logs and its record take more.
const LEAST_FREE: u64 = 256 << 10;
/// The folder in which a match lies until it is over, below the folder in which it is played.
pub const UNFINISHED: &str = "match";

/// The path of a match's record while the match is played.
pub(super) fn unfinished_record(place: &Place, id: Id) -> PathBuf {
    place.unfinished(id).join(UNFINISHED).join(RECORD)
}

/// Plays a match.
///
/// # Errors
/// The arena failed, and nothing of the match counts. On a full disk the error says so, whatever failed because of it.
pub fn play_single(
    place: &Place,
    planned: &Planned,
    tools: &Tools,
    signals: &mut Signals,
) -> Result<Single, zappy_play::Error> {
    let (id, book) = (planned.id, place.book()?);
    let failed = |error| Error::File(place.path().to_path_buf(), error);
    os::close_folder(&place.matches()).map_err(failed)?;
    fs::create_dir_all(place.results()).map_err(failed)?;
    let Some(_claim) = Claim::take(place, id)? else { return Ok(Single::Busy) };
    let old = place.result(id).exists().then(|| place.outcome(id)).transpose()?;
    let unproved = old.as_ref().is_some_and(Outcome::is_unproved);
    if old.as_ref().is_some_and(|old| !(tools.again && (unproved || old.is_disturbed()))) {
        return Ok(Single::Played);
    }
    let scratch = Scratch(place.unfinished(id));
    clear(&scratch.0)?;
    os::close_folder(&scratch.0).map_err(failed)?;
    let played = play_in(&scratch.0, (place, planned, &book), tools, old.as_ref(), signals);
    // The files of the match still lie on the disk, so it is full now if they have filled it.
    let is_full = os::free_bytes(place.path()) < LEAST_FREE;
    match played {
        Err(error) if is_full || error.is_full_disk() => Err(Error::Full(place.path().to_path_buf()).into()),
        played => played,
    }
}

/// Plays a match in the folder `scratch`; `old` is the outcome that the new one replaces.
fn play_in(
    scratch: &Path,
    (place, planned, book): (&Place, &Planned, &Book),
    tools: &Tools,
    old: Option<&Outcome>,
    signals: &mut Signals,
) -> Result<Single, zappy_play::Error> {
    let (id, unproved) = (planned.id, old.is_some_and(Outcome::is_unproved));
    let setup = setup(planned, book, place, tools, scratch)?;
    let out = scratch.join(UNFINISHED);
    let folder = Folder::prepare(&out, false)?;
    let played = play(&setup, &folder, signals, &mut Display::new(true))?;
    drop(folder);
    if played.ending == Ending::Interrupted {
        let Some(suspicion) = played.suspicion else { return Ok(Single::Interrupted) };
        place.note_failure(Failure::suspicious(id, suspicion, Vec::new()))?;
        return Ok(Single::Killed);
    }
    let failed = matches!(played.ending, Ending::ServerFailed | Ending::ArenaFailed);
    // A team that filled the disk was ended for it, and has that in its result.
    let teams = played.result.arena.iter().flat_map(|arena| &arena.teams);
    let no_limit_broken = teams.into_iter().all(|team| team.limit_broken.is_none());
    if (failed || played.ending == Ending::Unproved)
        && no_limit_broken
        && os::free_bytes(scratch) < LEAST_FREE
    {
        return Err(Error::Full(place.path().to_path_buf()).into());
    }
    let outcome = outcome_of(&played.result, setup.world.spec.game, planned, book).map_err(Error::Arena);
    if old.is_some() {
        let is_in_vain = |outcome: &Outcome| outcome.is_unproved() || outcome.is_disturbed() && !unproved;
        if failed || outcome.as_ref().is_ok_and(is_in_vain) {
            return Ok(if unproved { Single::Unproved } else { Single::Disturbed });
        }
        // The old result is removed first: if this process is killed at any moment, what is left belongs
        // together.
        fs::remove_file(place.result(id)).map_err(|error| Error::File(place.result(id), error))?;
    }
    let folder = place.match_folder(id);
    clear(&folder)?;
    fs::rename(&out, &folder).map_err(|error| Error::File(folder.clone(), error))?;
    if failed {
        let why = played.error.map_or_else(|| played.ending.to_string(), |error| error.to_string());
        // The files that the reason names have moved.
        let why = why.replace(&out.display().to_string(), &folder.display().to_string());
        let spoilers = spoilers(&played.result);
        let Some(suspicion) = played.suspicion else {
            place.note_failure(Failure::new(id, why, spoilers))?;
            return Ok(Single::Failed);
        };
        place.note_failure(Failure::suspicious(id, Suspicion { why, ..suspicion }, spoilers))?;
        return Ok(Single::Killed);
    }
    let mut outcome = outcome?;
    let old_reason = old.and_then(|old| old.earlier.clone().or_else(|| old.unproved.clone()));
    let earlier = place.earlier_tries(id);
    outcome.gained = earlier.as_ref().map_or_else(Vec::new, |earlier| earlier.gained.clone());
    outcome.earlier = earlier.map(|earlier| earlier.why).or(old_reason);
    outcome.record_sha256 = read_file(&folder.join(RECORD)).ok().map(|bytes| signature::hash(&bytes));
    let outcome = outcome.sealed();
    let mut bytes = serde_json::to_vec(&outcome).map_err(|error| Error::Arena(error.to_string()))?;
    bytes.push(b'\n');
    write_whole(&place.result(id), &bytes)?;
    let failure = place.failure(id);
    let _ = fs::remove_file(&failure);
    // Removes the folder of failures if it is empty, and fails otherwise.
    let _ = failure.parent().map(fs::remove_dir);
    Ok(if outcome.is_unproved() { Single::Unproved } else { Single::Played })
}

/// How the match is played; the bots' files are copied below `scratch`.
fn setup(
    planned: &Planned,
    book: &Book,
    place: &Place,
    tools: &Tools,
    scratch: &Path,
) -> Result<Setup, zappy_play::Error> {
    let world = planned.world(tools.games)?;
    let launcher = own_program()?;
    let mut entries: Vec<Entry> = Vec::new();
    // What bots must not see: each other, and the results.
    let mut hidden = vec![place.path().to_path_buf()];
    hidden.extend(book.bots.iter().filter_map(|bot| fs::canonicalize(bot.folder.as_ref()?).ok()));
    hidden.extend(book.hidden.iter().filter_map(|folder| fs::canonicalize(folder).ok()));
    hidden.extend(signature::key_folder());
    // The root folder can't be hidden.
    hidden.retain(|folder| folder.parent().is_some());
    hidden.sort();
    hidden.dedup();
    let delegated =
        Delegated::find().inspect_err(|why| log::debug!("teams have no control groups: {why}")).ok();
    // Only before the first match is what this machine lacks logged as a warning.
    let is_first = fs::read_dir(place.results()).is_ok_and(|mut results| results.next().is_none());
    let sandbox = TeamSandbox {
        log_level: if is_first { log::Level::Warn } else { log::Level::Info },
        containment: tools.containment,
        launcher: &launcher,
        hidden: &hidden,
        delegated: delegated.as_ref(),
    };
    for (seat, (id, team)) in planned.seats.iter().zip(book.teams(&planned.seats)?).enumerate() {
        let bot = book.known(*id)?;
        let mut entry = entry(bot, team, world.slots, &scratch.join(format!("bot-{}", seat + 1)))?;
        // Of two values of a variable the later one wins, so the bot's own come last.
        entry.spawn.environment.splice(0..0, tools.environment.iter().cloned());
        sandbox.contain(&bot.name, seat, entry.procs.unwrap_or(world.slots), &mut entry)?;
        entries.push(entry);
    }
    let clock = if planned.clock == "lockstep" {
        ClockSetup::lockstep(planned.think_time, planned.lobby_time, planned.max_late)
    } else {
        ClockSetup::real()
    };
    let setup = Setup {
        entries,
        seed: place.seed(planned)?,
        resume: None,
        sealed: planned.seed.is_none(),
        games: tools.games.specs,
        copied: true,
        procs: world.slots,
        world,
        freq: planned.freq,
        timeout: clock.default_timeout(planned.max_ticks, planned.freq),
        clock,
        record_level: RecordLevel::Inputs,
        record_delay: None,
        max_ticks: planned.max_ticks,
        debugging: Debugging::No,
        scenario: None,
        port: 0,
        notes: false,
        observer: None,
        server: tools.server.clone(),
        launcher,
    };
    setup.validate()?;
    Ok(setup)
}

/// The bot as a team of the match; its folder is copied to `copied`.
fn entry(bot: &Bot, team: TeamName, slots: usize, copied: &Path) -> Result<Entry, Error> {
    if let Some(folder) = &bot.folder {
        // A link to the folder is the grader's, and is followed; links in the folder are the bot's, and aren't.
        let real = fs::canonicalize(folder);
        real.and_then(|real| copy(&real, copied)).map_err(|error| match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Error::Full(copied.to_path_buf()),
            _ => bot.unplayable(&io_words(&error)),
        })?;
    }
    let folder = bot.folder.as_ref().map(|_| copied.to_path_buf());
    let environment = bot.environment.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
    // A program that is missing in the copy can't be run, which is the bot's mistake and costs it the match.
    let missing =
        |why| folder.as_deref().and_then(|folder| Template::unfound(&bot.command, folder)).ok_or(why);
    Ok(Entry {
        team,
        command: bot.template(folder.as_deref()).or_else(missing).map_err(|why| bot.unplayable(&why))?,
        procs: bot.processes.map(|count| count as usize),
        attached: None,
        spawn: SpawnOptions {
            folder,
            environment,
            limits: bot.limits.or_default(bot.processes.unwrap_or(u32::try_from(slots).unwrap_or(u32::MAX))),
            ..SpawnOptions::default()
        },
    })
}
