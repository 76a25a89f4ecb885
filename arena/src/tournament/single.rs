//! One match of a plan, played by this process and nobody else.
//!
//! What it leaves appears whole: first the folder of the match, then its result, which alone says that it was
//! played. Never touches a result that is there. Tested in `tests/tournament/`.

use std::fs;
use std::path::{Path, PathBuf};

use zappy_protocol::TeamName;
use zappy_protocol::record::RecordLevel;

use super::Error;
use super::bots::{Book, Bot};
use super::claim::Claim;
use super::copies::copy;
use super::identity::Id;
use super::outcome::distil;
use super::place::{Place, write_whole};
use super::plan::Planned;
use crate::clock::ClockSetup;
use crate::display::Display;
use crate::folder::Folder;
use crate::play::play;
use crate::process::Means;
use crate::result::Outcome as Over;
use crate::setup::{Entry, Setup};
use crate::signals::Signals;

/// What came of the wish to play a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Single {
    /// It has a result, now or already.
    Played,
    /// Somebody else plays it.
    Busy,
    /// The operator ended it.
    Interrupted,
}

/// The folder in which a match is played; goes when this does.
struct Scratch(PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Plays a match with that server.
///
/// # Errors
/// When the arena failed; nothing of it counts then.
pub fn play_single(
    place: &Place,
    id: Id,
    server: &Path,
    signals: &mut Signals,
) -> Result<Single, crate::Error> {
    let (planned, book) = (place.planned(id)?, place.book()?);
    for folder in [place.matches(), place.results()] {
        fs::create_dir_all(&folder).map_err(|error| Error::File(folder, error))?;
    }
    let Some(_claim) = Claim::take(place, id)? else { return Ok(Single::Busy) };
    if place.result(id).exists() {
        return Ok(Single::Played);
    }
    let scratch = Scratch(place.unfinished(id));
    for old in [&scratch.0, &place.match_folder(id)] {
        if old.exists() {
            fs::remove_dir_all(old).map_err(|error| Error::File(old.clone(), error))?;
        }
    }
    let setup = setup(&planned, &book, server, &scratch.0)?;
    let out = scratch.0.join("match");
    let folder = Folder::prepare(&out, false)?;
    let played = play(&setup, &folder, signals, &mut Display::new(true))?;
    drop(folder);
    if played.outcome == Over::Interrupted {
        return Ok(Single::Interrupted);
    }
    let there = place.match_folder(id);
    fs::rename(&out, &there).map_err(|error| Error::File(there.clone(), error))?;
    if matches!(played.outcome, Over::ServerFailed | Over::ArenaFailed) {
        let why = played.error.map_or_else(|| played.outcome.name().to_owned(), |error| error.to_string());
        // What it left has moved.
        let why = why.replace(&out.display().to_string(), &there.display().to_string());
        return Err(Error::Arena(why).into());
    }
    let outcome = distil(&played.result, played.outcome, &planned, &book).map_err(Error::Arena)?;
    let mut bytes = serde_json::to_vec(&outcome).map_err(|error| Error::Arena(error.to_string()))?;
    bytes.push(b'\n');
    write_whole(&place.result(id), &scratch.0.join("outcome.json"), &bytes)?;
    place.forget_failure(id);
    Ok(Single::Played)
}

/// How it is played; the bots' files are copied below `scratch`.
fn setup(planned: &Planned, book: &Book, server: &Path, scratch: &Path) -> Result<Setup, crate::Error> {
    let launcher =
        std::env::current_exe().map_err(|error| crate::Error::System("can't find this program", error))?;
    let mut entries: Vec<Entry> = Vec::new();
    for (place, id) in planned.seats.iter().enumerate() {
        let unknown = || Error::Arena(format!("bots.json names no bot {id}; plan another tournament"));
        let bot = book.bot(*id).ok_or_else(unknown)?;
        let team = team(&bot.name, &entries)?;
        entries.push(entry(bot, team, &scratch.join(format!("bot-{}", place + 1)))?);
    }
    let clock = if planned.clock == "lockstep" {
        ClockSetup::lockstep(planned.think_time, planned.lobby_time, planned.max_late)
    } else {
        ClockSetup::real()
    };
    let setup = Setup {
        entries,
        seed: planned.seed,
        width: planned.width,
        height: planned.height,
        clients: planned.clients,
        procs: planned.clients as usize,
        freq: planned.freq,
        timeout: clock.default_timeout(planned.max_ticks, planned.freq),
        clock,
        record_level: RecordLevel::Inputs,
        max_ticks: planned.max_ticks,
        observer: None,
        server: server.to_path_buf(),
        launcher,
    };
    setup.validate()?;
    Ok(setup)
}

fn entry(bot: &Bot, team: TeamName, copied: &Path) -> Result<Entry, Error> {
    let lost = |why: String| Error::Lost(bot.name.clone(), why);
    let folder = match &bot.folder {
        Some(folder) => {
            copy(folder, copied).map_err(|error| lost(error.to_string()))?;
            Some(copied.to_path_buf())
        }
        None => None,
    };
    let environment = bot.environment.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
    Ok(Entry {
        team,
        command: bot.template(folder.as_deref()).map_err(lost)?,
        procs: bot.processes.map(|count| count as usize),
        means: Means { folder, environment, limits: bot.limits },
    })
}

/// The bot's name, or the first of name-2, name-3 and so on that is free.
fn team(name: &str, entries: &[Entry]) -> Result<TeamName, Error> {
    let free = |name: &String| entries.iter().all(|entry| entry.team.as_str() != *name);
    let names = std::iter::once(name.to_owned()).chain((2..).map(|n| format!("{name}-{n}")));
    let name = names.take(entries.len() + 1).find(free).unwrap_or_default();
    TeamName::parse(name.as_bytes()).ok_or_else(|| Error::Arena(format!("no team can be called {name:?}")))
}
