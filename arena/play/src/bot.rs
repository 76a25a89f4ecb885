//! The bots of a match: started together, watched, and ended whatever they do.
//!
//! Never judges what they play. Tested in `arena/cli/tests/containment.rs` and `arena/cli/tests/endings.rs`.

use std::net::SocketAddr;
use std::process::Stdio;

use crate::Error;
use crate::door::Seated;
use crate::folder::Folder;
use crate::notes::NOTES_VARIABLE;
use crate::os::Signal;
use crate::programs::command::Values;
use crate::programs::environment::HOME;
use crate::programs::environment::{GAME_VARIABLE, SEED_VARIABLE, bot_seed};
use crate::programs::process::{Process, SpawnOptions};
use crate::programs::room::{MayReach, TEMPORARY};
use crate::programs::sandbox::Containment;
use crate::relay::Relays;
use crate::setup::Setup;

/// One process of a team.
#[derive(Debug)]
pub struct Bot {
    /// The place of its team in the setup.
    pub team: usize,
    pub process: Process,
}

impl Bot {
    /// The path of its log from the match's folder.
    pub fn log(&self) -> Option<String> {
        self.process.log.path.file_name().map(|name| format!("logs/{}", name.to_string_lossy()))
    }

    /// The numbers of its own players among these, in the order in which their connections were opened.
    pub fn players(&self, seated: &[Seated]) -> Vec<u32> {
        let mut own: Vec<&Seated> =
            seated.iter().filter(|seated| seated.bot == Some(self.process.pid)).collect();
        own.sort_by_key(|seated| seated.arrival);
        own.into_iter().map(|seated| seated.player).collect()
    }
}

/// The name of the program that plays a player, and the player's place among those of that program, counted from 1;
/// `None` if no bot plays it.
pub fn program_of<'a>(player: u32, bots: &'a [Bot], seated: &[Seated]) -> Option<(&'a str, usize)> {
    let place = |bot: &Bot| bot.players(seated).iter().position(|own| *own == player);
    bots.iter().find_map(|bot| Some((bot.process.name(), place(bot)? + 1)))
}

/// The name of the `n`th process of a team, counted from 1.
pub fn name(team: &str, n: usize) -> String {
    format!("{team}-{n}")
}

/// Starts the `n`th process of a team, counted from 1.
///
/// # Errors
/// When the system can't start another process or make another file.
pub fn start(
    setup: &Setup,
    folder: &Folder,
    address: SocketAddr,
    relays: Option<&Relays>,
    (team, n): (usize, usize),
) -> Result<Bot, Error> {
    let entry = &setup.entries[team];
    let name = name(entry.team.as_str(), n);
    let log = folder.log(&name, entry.spawn.limits.log_bytes())?;
    let host = address.ip().to_string();
    let seed = bot_seed(setup.seed, team);
    let values = Values { host: &host, port: address.port(), team: Some(&entry.team), seed };
    let (program, arguments) = entry.command.fill(values);
    let mut spawn: SpawnOptions = entry.spawn.clone();
    if spawn.folder.is_none() {
        let home = match spawn.containment {
            // In the sandbox each program has a `/tmp` of its own.
            Containment::Bubblewrap => TEMPORARY.into(),
            _ => folder.home(team).map_err(|error| Error::Folder(folder.path().into(), error))?,
        };
        // First, so that a home that the grader gives wins.
        spawn.environment.insert(0, (HOME.to_owned(), home.display().to_string()));
    }
    // Last, so that no bot's environment hides them.
    spawn.environment.push((GAME_VARIABLE.to_owned(), setup.world.spec.game.name.to_owned()));
    spawn.environment.push((SEED_VARIABLE.to_owned(), seed.to_string()));
    if setup.notes {
        spawn
            .environment
            .push((NOTES_VARIABLE.to_owned(), folder.notes_file(&name, 1).display().to_string()));
    }
    spawn.team = Some(team);
    let launcher = &setup.launcher;
    let socket = relays.map(|relays| relays.socket(team)).unwrap_or_default();
    spawn.complete(launcher, &MayReach::Server { port: address.port(), socket: &socket });
    let process = Process::start(&name, launcher, &program, &arguments, &spawn, Stdio::null(), log)?;
    Ok(Bot { team, process })
}

/// Whether none of these bots runs any more; processes that they started may still run.
pub fn all_ended(bots: &[Bot]) -> bool {
    bots.iter().all(|bot| bot.process.ended.is_some())
}

/// Kills these bots with their process groups, and reaps them.
pub fn end(bots: &mut [Bot]) {
    // All at once first: one after the other they could start each other again.
    for bot in bots.iter_mut() {
        bot.process.signal(Signal::KILL);
    }
    for bot in bots {
        bot.process.reap();
    }
}
