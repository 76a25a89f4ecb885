//! `match --resume`: a match that goes on from a record that was cut off.
//!
//! What is played stands in the record; the command line says which programs go on. Tested in `tests/resume.rs`.

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

/// A match that was cut off.
pub(super) struct CutOff {
    pub(super) record: PathBuf,
    pub(super) world: World,
    /// The teams, each with the players that wait for a client, and the slots of a match that hasn't begun.
    teams: Vec<(TeamName, usize)>,
    /// No server and no other arena goes on with it meanwhile.
    _held: File,
}

impl CutOff {
    /// Plays it again up to where its record ends.
    ///
    /// # Errors
    /// The record can't be read, or nothing is left to be played.
    pub(super) fn read(path: &Path, out: &Path, games: Games) -> Result<CutOff, Error> {
        let wrong = |why: String| Error::Flag(format!("--resume {}: {why}", path.display()));
        // Under whatever names.
        let whole = |path: &Path| std::fs::canonicalize(path).ok();
        if whole(out).is_some_and(|out| whole(path).is_some_and(|path| path.starts_with(out))) {
            let why = "it lies in the folder that --out names, which is emptied; give --out another one";
            return Err(wrong(why.to_owned()));
        }
        let held = files::hold(path).map_err(|error| match error.kind() {
            ErrorKind::ResourceBusy => {
                wrong("a server is writing it, or goes on with it; let that end first".to_owned())
            }
            _ => wrong(io_words(&error)),
        })?;
        let bytes = record::read_file(path).map_err(|error| wrong(io_words(&error)))?;
        let resumed = record::resume(&bytes, games.specs, Observers::Off, std::io::sink());
        let record::Resumed { spec, recorder: game, stand } =
            resumed.map_err(|error| wrong(error.to_string()))?;
        if game.is_finished() {
            let why = format!(
                "the match has ended, and nothing but the end of its record is missing, which zappy_server --resume {} writes",
                path.display()
            );
            return Err(wrong(why));
        }
        let mut teams: Vec<(TeamName, usize)> =
            spec.config.teams.iter().cloned().map(|team| (team, 0)).collect();
        for player in stand.players.iter().filter(|player| player.open) {
            if let Admission::Plays(group) = game.admission(&player.name)
                && let Some((_, waiting)) = teams.get_mut(group as usize)
            {
                *waiting += 1;
            }
        }
        if stand.tick == 0 {
            // Programs that had not come in yet come again.
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
        let record = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
        Ok(CutOff { record, world: World::new(spec, guest), teams, _held: held })
    }

    /// The teams in the record's order; the command of each is started as often as players wait for a client.
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
        let names: Vec<&str> = self.teams.iter().map(|(team, _)| team.as_str()).collect();
        Err(Error::Flag(format!(
            "--bot: give a command for each team of the record, which are {}",
            names.join(", ")
        )))
    }
}
