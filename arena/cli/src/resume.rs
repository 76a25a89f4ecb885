//! `match --resume`: a match that goes on from a record that was cut off.
//!
//! The record says what is played; the command line says which programs go on. Tested in `tests/resume.rs`.

use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use zappy_game::config::Observers;
use zappy_game::{Admission, Game};
use zappy_play::Error;
use zappy_play::setup::{Entry, MAX_PROCESSES};
use zappy_play::text::io_words;
use zappy_play::world::{Games, World};
use zappy_protocol::TeamName;
use zappy_server::files;
use zappy_server::record;

/// A match of which the record was cut off.
pub(super) struct CutOff {
    pub(super) record: PathBuf,
    pub(super) world: World,
    /// The teams, each with the number of programs to start: one for each player that waits for a client and, in a
    /// match that hasn't begun, for each free slot.
    teams: Vec<(TeamName, usize)>,
    /// The lock that keeps servers and other arenas from going on with the record meanwhile.
    _held: File,
}

impl CutOff {
    /// Plays the match again up to the end of its record.
    ///
    /// # Errors
    /// The record can't be read, or no tick is left to be played.
    pub(super) fn read(path: &Path, out: &Path, games: Games) -> Result<CutOff, Error> {
        let wrong = |why: String| Error::Flag(format!("--resume {}: {why}", path.display()));
        // Either path may contain links.
        let real = |path: &Path| std::fs::canonicalize(path).ok();
        if real(out).is_some_and(|out| real(path).is_some_and(|path| path.starts_with(out))) {
            let why = "it lies in the folder that --out names, which is emptied; give --out another one";
            return Err(wrong(why.to_owned()));
        }
        let held = files::hold(path).map_err(|error| match error.kind() {
            ErrorKind::ResourceBusy => {
                "a server is writing it, or goes on with it; let that end first".to_owned()
            }
            _ => io_words(&error),
        });
        let held = held.map_err(wrong)?;
        let bytes = record::read_file(path).map_err(|error| wrong(io_words(&error)))?;
        let resumed = record::resume(&bytes, games.specs, Observers::Off, std::io::sink());
        let record::Resumed { spec, recorder: game, stand } =
            resumed.map_err(|error| wrong(error.to_string()))?;
        if game.is_finished() {
            return Err(wrong(format!(
                "the match has ended, and nothing but the end of its record is missing, which zappy_server --resume {} writes",
                path.display()
            )));
        }
        let teams = spec.config.teams.iter();
        let mut teams: Vec<(TeamName, usize)> = teams.map(|team| (team.clone(), 0)).collect();
        for player in stand.players.iter().filter(|player| player.open) {
            if let Admission::Plays(group) = game.admission(&player.name)
                && let Some((_, waiting)) = teams.get_mut(group as usize)
            {
                *waiting += 1;
            }
        }
        if stand.tick == 0 {
            // Programs that hadn't connected yet are started, too.
            (0..).zip(&mut teams).for_each(|(group, (_, waiting))| *waiting += game.room(group));
        }
        let programs = teams.iter().map(|(_, waiting)| waiting).sum::<usize>();
        if programs > MAX_PROCESSES {
            return Err(wrong(format!(
                "{programs} players lived, and the arena starts {MAX_PROCESSES} programs at most; go on with zappy_server \
                 --resume and start them yourself"
            )));
        }
        let guest = games.guest(spec.game);
        let world = World::new(spec, guest);
        let record = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
        Ok(CutOff { record, world, teams, _held: held })
    }

    /// The given teams in the record's order, the command of each to be started as often as the record asks for.
    ///
    /// # Errors
    /// The teams aren't those of the record.
    pub(super) fn entries(&self, mut given: Vec<Entry>) -> Result<Vec<Entry>, Error> {
        let mut entries = Vec::new();
        for (team, waiting) in &self.teams {
            if let Some(place) = given.iter().position(|entry| entry.team == *team) {
                let entry = given.remove(place);
                let procs = if entry.attached.is_some() { entry.procs } else { Some(*waiting) };
                entries.push(Entry { procs, ..entry });
            }
        }
        if entries.len() == self.teams.len() && given.is_empty() {
            return Ok(entries);
        }
        let names = self.teams.iter().map(|(team, _)| team.as_str()).collect::<Vec<_>>().join(", ");
        Err(Error::Flag(format!("--bot: give a command for each team of the record, which are {names}")))
    }
}
