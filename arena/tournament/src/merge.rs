//! `tournament merge`: from a tournament's folder to its ranking, for people and for programs.
//!
//! The files are a function of bots, plan and results: no time, no order of playing, no name of a machine gets
//! into them. They appear all at once or not at all. Tested in `arena/cli/tests/merge/`.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use zappy_play::os;
use zappy_play::signature::{Key, Kind, List, SIGNATURE, hash, place_of};
use zappy_play::world::Games;
use zappy_protocol::text::many;
use zappy_records::viewer_page;

use super::Error;
use super::identity::Id;
pub use super::place::MERGED;
use super::place::Place;
use super::reading::{Tournament, altered, own_key};
use super::report::html::Front;
use super::report::{self, FILES, REPLAY, VIEWER, WATCH};
use super::tally::{Match, Tally};

/// How many matches can be watched from the page by default. Each costs about a second once, in which its record is
/// played again, and as much of the disk as a picture.
pub const REPLAYS: usize = 500;
/// The file with the settings of a league; a league's folder is also the folder of a tournament.
pub const LEAGUE: &str = "league.json";
/// The page of a league.
pub const LEAGUE_PAGE: &str = "index.html";
/// The prefix of the folders in which files are made ready.
const SCRATCH_PREFIX: &str = ".merged-";
/// The record in a match's folder.
pub(super) const RECORD: &str = "match.zrec";

/// The tournament that is to be merged, and the report that is to be made of it.
#[derive(Debug, Clone)]
pub struct Merge {
    /// The games that are known.
    pub games: Games,
    /// The folder of the tournament.
    pub folder: PathBuf,
    /// The folder of the report.
    pub out: PathBuf,
    /// The share of points against an opponent, from 0 to 1, with which a bot passes.
    pub pass: f64,
    /// The beginning of the page of one bot; `None`: the page begins with the ranking.
    pub front: Option<Front>,
    /// How many matches can be watched from the page, if the viewer is installed: the first by their ids, and on the
    /// page of one bot those that it has lost before the others.
    pub replays: usize,
    /// The matches that don't count.
    pub left_out: HashSet<Id>,
}

impl Merge {
    /// Reads, sums up and writes; gives the table for people.
    ///
    /// # Errors
    /// The tournament is wrong, or the report can't be written; then nothing has changed.
    pub fn run(&self) -> Result<String, Error> {
        let mut tournament = Tournament::read(&self.folder, self.games)?;
        tournament.leave_out(&self.left_out);
        self.write_report(Tally::new(&tournament))
    }

    /// Writes the report of a ranking of the folder; gives the table for people.
    ///
    /// # Errors
    /// The report can't be written; then nothing has changed.
    pub fn write_report(&self, mut tally: Tally<'_>) -> Result<String, Error> {
        let (matches, league) = (self.address("matches"), self.address(LEAGUE_PAGE));
        let league = self.folder.join(LEAGUE).is_file().then_some(&*league);
        let place = Place::open(&self.folder)?;
        let viewer = viewer_page::viewer().ok().filter(|_| self.replays > 0);
        if viewer.is_some() {
            // Beside the record of each match its script is written, unless an earlier merge has left it there.
            let script = |one: &Match<'_>| place.match_folder(one.planned.id).join(REPLAY);
            let mut wanted: Vec<usize> = (0..tally.matches.len()).collect();
            if let Some(front) = &self.front {
                wanted.sort_by_key(|&number| !tally.matches[number].is_lost_by(front.bot));
            }
            wanted.truncate(self.replays);
            let missing = wanted.iter().filter(|&&number| !script(&tally.matches[number]).is_file()).count();
            // A league merges again and again, and adds a few replays each time.
            let level = if missing == wanted.len() { log::Level::Info } else { log::Level::Debug };
            if missing > 0 {
                let (matches, aim) = (many(missing as u64, "match"), "so that the page can show it");
                log::log!(level, "for {matches} the record is expanded into a replay, {aim}");
            }
            for number in wanted {
                let one = &mut tally.matches[number];
                let (id, script) = (one.planned.id, script(one));
                let record = place.match_folder(id).join(RECORD);
                one.replay = script.is_file()
                    || viewer_page::write_script(&record, self.games.specs, &id.to_string(), &script)
                        .inspect_err(|why| log::debug!("{} has no replay: {why}", record.display()))
                        .is_ok();
            }
        }
        let mut files = report::files(&tally, self.pass, (&matches, league), self.front.as_ref());
        if let Some(viewer) = viewer {
            files.push((VIEWER, viewer.into_bytes()));
            files.push((WATCH, report::watch_page(&matches).into_bytes()));
        }
        let times = report::times::page(&tally, &matches, |id| place.arena_result(id));
        files.push((report::TIMES, times.into_bytes()));
        self.write_files(&files)?;
        Ok(report::terminal::render(&tally))
    }

    /// The address of an entry of the tournament's folder, relative to the report's folder.
    fn address(&self, name: &str) -> String {
        let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.into());
        let (folder, out) = (absolute(&self.folder), absolute(&self.out));
        let shared = folder.components().zip(out.components()).take_while(|(a, b)| a == b).count();
        let up = std::iter::repeat_n("..".to_owned(), out.components().count() - shared);
        let down = folder.components().skip(shared);
        let down = down.map(|part| report::in_address(part.as_os_str()));
        up.chain(down).chain([name.to_owned()]).collect::<Vec<_>>().join("/")
    }

    /// Replaces the report's folder by one with these files.
    fn write_files(&self, files: &[(&'static str, Vec<u8>)]) -> Result<(), Error> {
        let failed = |error| Error::Merged(self.out.clone(), error);
        let entries = match fs::read_dir(&self.out) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            entries => Some(entries.map_err(failed)?),
        };
        let exists = entries.is_some();
        for entry in entries.into_iter().flatten() {
            let name = entry.map_err(failed)?.file_name();
            if !FILES.iter().chain(&[WATCH, VIEWER, SIGNATURE]).any(|file| name == *file) {
                return Err(Error::Foreign(self.out.clone(), name, "not of an earlier merge"));
            }
        }
        for (path, what) in altered(&self.out, own_key().as_ref(), |_| true) {
            log::warn!("{}: {what}; it is made anew", path.display());
        }
        let out = std::path::absolute(&self.out).map_err(failed)?;
        let beside = out.parent().unwrap_or(Path::new("/"));
        fs::create_dir_all(beside).map_err(failed)?;
        let (new, _lock) = scratch_folder(beside).map_err(failed)?;
        for (name, content) in files {
            fs::write(new.path().join(name), content).map_err(failed)?;
        }
        let files = files.iter().map(|(name, content)| ((*name).to_owned(), hash(content))).collect();
        match Key::own() {
            Ok(key) => {
                let place = place_of(new.path()).map_err(failed)?;
                let list = key.list(&List { kind: Kind::Report, place, files });
                fs::write(new.path().join(SIGNATURE), list).map_err(failed)?;
            }
            Err(error) => log::info!("the report isn't signed, and zappy_site won't show it: {error}"),
        }
        if exists {
            // The old folder takes the temporary one's place, and is removed with it.
            return os::exchange(new.path(), &out).map_err(failed);
        }
        fs::rename(new.path(), &out).map_err(failed)?;
        // The temporary folder has become the result and must not be removed.
        let _ = new.keep();
        Ok(())
    }
}

/// Makes a new folder in which files are made ready, and locks it; `None`: this system has no such locks. Removes the
/// folders of killed processes, which aren't locked.
fn scratch_folder(beside: &Path) -> io::Result<(TempDir, Option<os::FolderLock>)> {
    for entry in fs::read_dir(beside)?.flatten() {
        if entry.file_name().to_string_lossy().starts_with(SCRATCH_PREFIX)
            && let Ok(Some(_lock)) = os::lock_folder(&entry.path())
        {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
    loop {
        let (mut builder, rights) = (tempfile::Builder::new(), os::rights(0o777));
        builder.prefix(SCRATCH_PREFIX);
        rights.map(|rights| builder.permissions(rights));
        let new = builder.tempdir_in(beside)?;
        let lock = os::lock_folder(new.path());
        // Another process may have removed it before it was locked.
        if new.path().exists() {
            return Ok((new, lock?));
        }
    }
}
