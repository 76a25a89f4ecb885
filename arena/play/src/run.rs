//! One match from the server's start to `result.json`.
//!
//! One loop on one thread, in `wait`, waits for all programs and does everything between two waits. Every program that
//! was started is ended when [`Match`] is dropped, also on a panic. Decides nothing about the game. Tested in
//! `arena/cli/tests/endings.rs`, `arena/cli/tests/containment.rs` and `arena/cli/tests/real_server.rs`.

mod attach;
mod entrance;
mod followed;
mod over;
mod step;
mod wait;

use std::time::{Duration, Instant};

use zappy_server::result::MatchResult;

use self::step::Steps;
use self::wait::{Absent, LoopState, WaitResult};
use crate::Error;
use crate::bot::{self, Bot};
use crate::code::{Code, Lookout};
use crate::display::Display;
use crate::door::Door;
use crate::folder::Folder;
use crate::guard::Guard;
use crate::notes;
use crate::programs::contain::Orphans;
use crate::programs::logfile::SERVER_LOG_LIMIT;
use crate::programs::process::{Process, SpawnOptions};
use crate::programs::signals::Signals;
use crate::proof::Suspicion;
use crate::relay::Relays;
use crate::result::{ArenaPart, ArenaResult, DIGITS, Ending};
use crate::server;
use crate::setup::Setup;
use crate::table;
use crate::text::round;
use crate::watch::Watch;

/// How long a server may take until it listens.
const START_LIMIT: Duration = Duration::from_secs(10);
/// How long a server may take until it listens if it first plays a record again, of up to two gigabytes.
const RESUME_LIMIT: Duration = Duration::from_secs(600);
/// How long the server may go on after the last bot has ended: in that time it may end the match itself.
const DESERTED_LIMIT: Duration = Duration::from_secs(3);

/// How a match went, with its result.
#[derive(Debug)]
pub struct Played {
    /// How the match was ended.
    pub ending: Ending,
    pub result: ArenaResult,
    /// Why the match was not played to its end; `None` if it was.
    pub error: Option<Error>,
    /// The suspicion that something other than the arena ended the match.
    pub suspicion: Option<Suspicion>,
}

/// Plays a match and leaves its folder complete.
///
/// # Errors
/// The match could not be begun, or its result not written.
pub fn play(
    setup: &Setup,
    folder: &Folder,
    signals: &mut Signals,
    display: &mut Display,
) -> Result<Played, Error> {
    let mut running = Match::begin(setup, folder, signals, display)?;
    let (ending, error) = match running.run() {
        Ok(Ending::TimedOut) => (Ending::TimedOut, Some(running.cut_off())),
        Ok(ending) => (ending, None),
        Err(error @ Error::Server { .. }) => (Ending::ServerFailed, Some(error)),
        Err(error) => (Ending::ArenaFailed, Some(error)),
    };
    running.end_server();
    let seconds = running.began.elapsed().as_secs_f64();
    let ended = Instant::now();
    let swept = running.end_bots();
    let leaving = ended.elapsed().as_secs_f64();
    let attached = running.attached();
    let notes = running.keep_notes(&attached);
    running.clear_folders();
    let (ending, error, mut result) = running.read_result(ending, error);
    result.iter_mut().for_each(|result| notes::quote(result, &notes, &running.thoughts));
    let error = match (error, result.as_ref().and_then(table::missing_clients)) {
        (Some(Error::TimedOut(seconds)), Some(missing)) => Some(Error::MissingClients(seconds, missing)),
        (error, _) => error,
    };
    let proved = running.prove(ending, result.as_ref());
    let verified = proved.as_ref().map(Result::is_ok);
    let (ending, error) = match proved {
        Some(Err(why)) => (Ending::Unproved, Some(Error::Unproved(why))),
        _ => (ending, error),
    };
    running.guard.note_out_of_memory();
    if matches!(ending, Ending::Unproved | Ending::ServerFailed | Ending::ArenaFailed)
        && let Some((team, words)) = running.guard.largest_disk_user()
    {
        running.guard.note_breach(team, words);
    }
    let arena = ArenaPart {
        outcome: ending,
        error: error.as_ref().map(ToString::to_string),
        record_verified: verified,
        seconds: Some(round(seconds, DIGITS)),
        leaving_seconds: round(leaving, DIGITS),
        orphans_ended: swept.ended,
        orphans_left: swept.left,
        ..running.arena_part(&attached)
    };
    let result = running.compose(result, arena);
    folder.write_result(&result)?;
    if let Some(played) = result.played() {
        running.display.tell(&table::ending(played));
    }
    running.wait_for_observer();
    let suspicion = running.suspicion.take();
    Ok(Played { ending, result, error, suspicion })
}

/// What looks for the arena's own client among the bots' programs. `None` if the bots' folders weren't copied, since
/// such bots aren't other people's, or if the client can't be read.
fn lookout(setup: &Setup) -> Option<Lookout> {
    let client = setup.launcher.with_file_name(setup.world.guest.filter(|_| setup.copied)?.program);
    Some(Lookout::new(Code::read(&client)?, setup.entries.len()))
}

/// A match that runs. Fields are dropped in this order: first the programs, then the processes that they left behind.
struct Match<'a> {
    server: Process,
    bots: Vec<Bot>,
    observer: Option<Process>,
    orphans: Orphans,
    relays: Option<Relays>,
    setup: &'a Setup,
    folder: &'a Folder,
    signals: &'a mut Signals,
    display: &'a mut Display,
    watch: Watch,
    guard: Guard,
    door: Option<Door>,
    began: Instant,
    loop_state: LoopState,
    absent: Absent,
    /// The suspicion that something other than the arena ended the match.
    suspicion: Option<Suspicion>,
    /// The last notes of late players, read at the moments when they were late.
    thoughts: notes::Thoughts,
    /// Allows ticks to begin, if the server asks about each.
    steps: Steps,
}

impl<'a> Match<'a> {
    fn begin(
        setup: &'a Setup,
        folder: &'a Folder,
        signals: &'a mut Signals,
        display: &'a mut Display,
    ) -> Result<Match<'a>, Error> {
        let orphans = Orphans::adopt().map_err(|error| Error::System("can't adopt orphans", error))?;
        let log = folder.log("server", SERVER_LOG_LIMIT)?;
        if setup.notes {
            folder.make_notes_folder().map_err(|error| Error::Folder(folder.path().into(), error))?;
        }
        let (door, stdin, leash) = entrance::open(setup)?;
        let arguments = server::arguments(setup, folder, door.is_some());
        let (launcher, spawn) = (&setup.launcher, SpawnOptions { trusted: true, ..SpawnOptions::default() });
        let mut server = Process::start("server", launcher, &setup.server, &arguments, &spawn, stdin, log)?;
        server.leash = leash;
        let now = Instant::now();
        let mut guard = Guard::new(&setup.entries, folder.path());
        guard.lookout = lookout(setup);
        Ok(Match {
            server,
            bots: Vec::new(),
            observer: None,
            orphans,
            relays: None,
            setup,
            folder,
            watch: Watch::new(setup.follow(), setup.ticks()),
            guard,
            door,
            began: now,
            loop_state: LoopState::new(now),
            signals,
            display,
            absent: Absent::default(),
            suspicion: None,
            thoughts: notes::Thoughts::new(),
            steps: Steps::new(&setup.debugging),
        })
    }

    /// Plays until the match is over; gives how it was ended.
    fn run(&mut self) -> Result<Ending, Error> {
        let ready = |m: &mut Match<'_>| m.server.ended.is_some() || m.address().is_some();
        let limit = if self.setup.resume.is_some() { RESUME_LIMIT } else { START_LIMIT };
        match self.wait(limit, ready) {
            WaitResult::Interrupted => return Ok(Ending::Interrupted),
            WaitResult::TimedOut => {
                let limit = limit.as_secs();
                return Err(self.server_failed(&format!("it did not say where it listens within {limit} s")));
            }
            WaitResult::Done => {}
        }
        let Some(address) = self.address() else {
            return Err(self.server_failed("it ended before it listened"));
        };
        log::info!("the server listens on {address}");
        self.folder.announce(address);
        if self.start_observer(address)? == WaitResult::Interrupted {
            return Ok(Ending::Interrupted);
        }
        // While our client is looked for, relays don't announce their connections: the server then asks about each, so
        // the process that opened it still runs when it is looked at.
        let door = self.door.as_ref().filter(|_| self.guard.lookout.is_none());
        self.relays = entrance::relays(self.setup, self.folder, address, door)?;
        if self.admit_attached(address)? == WaitResult::Interrupted {
            return Ok(Ending::Interrupted);
        }
        for which in self.setup.starts() {
            self.bots.push(bot::start(self.setup, self.folder, address, self.relays.as_ref(), which)?);
        }
        self.watch.connect(address);
        let over = |m: &mut Match<'_>| m.server.ended.is_some() || m.is_deserted();
        Ok(match self.wait(self.setup.timeout, over) {
            WaitResult::Interrupted => Ending::Interrupted,
            WaitResult::TimedOut => Ending::TimedOut,
            WaitResult::Done if self.server.ended.is_some() => Ending::Ended,
            // No bot is left: often the server ends the match by itself then.
            WaitResult::Done => match self.wait(DESERTED_LIMIT, |m| m.server.ended.is_some()) {
                WaitResult::Done => Ending::Ended,
                WaitResult::Interrupted => Ending::Interrupted,
                WaitResult::TimedOut => {
                    log::info!("no bot is left; ending the match");
                    Ending::Deserted
                }
            },
        })
    }

    /// An error of the server, with how it ended and the last line that it printed.
    fn server_failed(&self, what: &str) -> Error {
        let mut what = what.to_string();
        if let Some(ended) = self.server.ended {
            what = format!("{what} ({ended})");
        }
        what += &self.disk_use_words();
        if let Some(words) = server::last_words(&self.server.stderr.tail) {
            what = format!("{what}: {words}");
        }
        Error::Server { what, log: self.server.log.path.to_path_buf() }
    }

    /// The server's result, with the ending and the error that it leads to.
    fn read_result(
        &mut self,
        ending: Ending,
        error: Option<Error>,
    ) -> (Ending, Option<Error>, Option<MatchResult>) {
        let result = server::read_result(&self.folder.server_result());
        self.suspicion = self.suspicion(ending, result.as_ref().ok());
        if let Some(found) = self.suspicion.as_ref().filter(|_| ending != Ending::Interrupted) {
            return (Ending::ServerFailed, Some(self.server_failed(&found.why)), result.ok());
        }
        let bad_end = self.server.ended.is_none_or(|ended| ended.code != Some(0));
        // If the arena ended the server early, a bad exit code says nothing about the server.
        let must_be_good = error.is_none() && ending != Ending::Interrupted;
        match result {
            _ if must_be_good && bad_end => {
                let error = self.server_failed("it ended badly");
                (Ending::ServerFailed, Some(error), result.ok())
            }
            Err(what) if must_be_good => (Ending::ServerFailed, Some(self.server_failed(&what)), None),
            result => (ending, error, result.ok()),
        }
    }
}
