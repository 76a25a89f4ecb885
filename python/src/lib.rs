//! The games' rules for Python: matches in lockstep, and what their players know.
//!
//! Only the package `zappy_arena/` imports this module, and it checks what it passes: arguments are in their ranges,
//! arrays have the shapes that its `Settings` describe, where no caller can change them, and actions are in the action
//! space.

#![allow(clippy::needless_pass_by_value, reason = "what comes from Python comes by value")]

mod conquest;
mod matches;
mod memory;
mod rounds;
mod zappy;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};

use numpy::{PyReadonlyArray3, PyReadwriteArray2, PyReadwriteArray3};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use matches::{Match, Slice};
use memory::{Memory, Settings};
use zappy_ai::cli::levels_of;
use zappy_game::config::MatchConfig;
use zappy_game::{Line, MatchSpec, Report, find};
use zappy_protocol::{MapSize, TeamName};
use zappy_server::games::GAMES;
use zappy_server::record;

fn invalid(words: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(words.to_string())
}

/// What matches are played with; the seed is given when a match begins.
#[pyclass(frozen)]
#[derive(Clone)]
struct Setup {
    spec: MatchSpec,
    settings: Arc<Settings>,
}

#[pymethods]
impl Setup {
    /// `settings` is Python's `Settings`. Its `_declare` takes the map's width and height, whether the strict rules
    /// hold, and the levels of our client, and sets the attributes that are read afterwards.
    #[new]
    fn new(
        settings: Bound<'_, PyAny>,
        game: &str,
        teams: Vec<String>,
        size: (u16, u16),
        options: Vec<(String, String)>,
        max_ticks: Option<u64>,
    ) -> PyResult<Setup> {
        let game = find(GAMES, game).map_err(|error| invalid(format!("game: {error}")))?;
        let map = MapSize::new(size.0, size.1).ok_or_else(|| invalid("size: a side has 1 to 500 tiles"))?;
        let teams = teams.iter().map(|name| TeamName::parse(name.as_bytes())).collect::<Option<_>>();
        let teams = teams.ok_or_else(|| invalid("teams: a name is one word of 1 to 64 bytes"))?;
        let spec = MatchSpec::new(game, MatchConfig::new(map, teams));
        let mut spec = spec.with(options.iter().map(|(key, value)| (&**key, &**value))).map_err(invalid)?;
        let MatchSpec { config, options, .. } = &mut spec;
        let map = (game.map)(options).unwrap_or(map);
        config.map = map;
        config.max_ticks = max_ticks.or_else(|| Some((game.max_ticks)(options, config.teams.len())));
        spec.begin().map_err(invalid)?;
        let is_strict = spec.options.get("rules") == "strict";
        settings.call_method1("_declare", (map.width(), map.height(), is_strict, levels_of(game.name)))?;
        Ok(Setup { spec, settings: Arc::new(settings.extract()?) })
    }
}

/// The arrays of Python's `Board`, by match and row; a row is a place for one of the caller's players.
#[derive(FromPyObject)]
struct Board<'py> {
    observations: PyReadwriteArray3<'py, f32>,
    masks: PyReadwriteArray3<'py, i8>,
    rewards: PyReadwriteArray2<'py, f32>,
    states: PyReadwriteArray2<'py, i32>,
}

/// Ticks so far, why the match ended or `running`, whether there are winners, and the teams' ranks and scores.
type Standings = (u64, String, bool, Vec<(String, u32, i64)>);

/// Matches that are played side by side, a round of each at a time.
#[pyclass(frozen)]
struct Matches {
    /// Locked because Python may use the object from any thread; no thread ever waits for the lock.
    matches: Mutex<Vec<Match>>,
    pool: Option<ThreadPool>,
    /// How much greater the seed of the match that follows an ended one is, as [`Match::step`] takes it.
    next: Option<u64>,
}

#[pymethods]
impl Matches {
    #[new]
    fn new(
        py: Python<'_>,
        setup: &Setup,
        seeds: Vec<u64>,
        threads: usize,
        next: Option<u64>,
        record: Option<PathBuf>,
    ) -> PyResult<Matches> {
        let pool = || ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = (seeds.len() > 1 && threads != 1).then(pool).transpose().map_err(invalid)?;
        // Ctrl-C may interrupt between the beginnings of two matches.
        let begin = |seed| py.check_signals().and_then(|()| Match::begin(setup, seed, record.as_deref()));
        let matches = seeds.into_iter().map(begin);
        Ok(Matches { matches: Mutex::new(matches.collect::<PyResult<_>>()?), pool, next })
    }

    /// Plays a round of each match and writes what came of it into the arrays; the first call only writes. Returns what
    /// [`Match::step`] returns, for each match.
    fn step(
        &self,
        py: Python<'_>,
        actions: PyReadonlyArray3<'_, i32>,
        board: Bound<'_, PyAny>,
    ) -> PyResult<Vec<[i32; 2]>> {
        let mut matches = self.lock()?;
        let mut board: Board<'_> = board.extract()?;
        let (observations, masks) = (board.observations.as_slice_mut()?, board.masks.as_slice_mut()?);
        let (rewards, states) = (board.rewards.as_slice_mut()?, board.states.as_slice_mut()?);
        // `n` matches, with `all` rows together.
        let (actions, n, all) = (actions.as_slice()?, matches.len(), states.len());
        let seen = observations.chunks_mut(observations.len() / all).zip(masks.chunks_mut(masks.len() / all));
        let row = |((observation, mask), (reward, state))| Slice { observation, mask, reward, state };
        let mut rows: Vec<_> = seen.zip(rewards.iter_mut().zip(states)).map(row).collect();
        let work = matches.iter_mut().zip(actions.chunks(actions.len() / n)).zip(rows.chunks_mut(all / n));
        let step = |((game, actions), rows): ((&mut Match, &[i32]), _)| game.step(actions, self.next, rows);
        py.detach(|| match &self.pool {
            Some(pool) => pool.install(|| work.collect::<Vec<_>>().into_par_iter().map(step).collect()),
            None => work.map(step).collect(),
        })
    }

    /// The lines that the player of a row of the first match has read since the last call.
    fn text(&self, row: usize) -> PyResult<Vec<u8>> {
        Ok(self.lock()?[0].memory(row).map(|one| std::mem::take(&mut one.core().text)).unwrap_or_default())
    }

    /// How the first match stands.
    fn standings(&self) -> PyResult<Standings> {
        let Report { ticks, verdict, .. } = self.lock()?[0].game.report();
        let teams = verdict.standings.into_iter().map(|team| (team.team, team.rank, team.score)).collect();
        Ok((ticks, verdict.reason.to_owned(), verdict.won, teams))
    }

    /// The lines that an observer of the first match would read now.
    fn snapshot(&self) -> PyResult<Vec<u8>> {
        let mut lines = Vec::new();
        self.lock()?[0].game.snapshot(None, &mut lines);
        Ok(lines.iter().flat_map(Line::bytes).copied().collect())
    }

    /// Ends the first match if it still goes on, so that its record is complete.
    fn end(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| self.lock().map(|mut matches| matches[0].end()))
    }
}

impl Matches {
    /// The matches; an error if another thread uses them.
    fn lock(&self) -> PyResult<MutexGuard<'_, Vec<Match>>> {
        let words = "another thread uses this environment: it belongs to one thread at a time";
        self.matches.try_lock().map_err(|_| PyRuntimeError::new_err(words))
    }
}

/// A player's memory without a match, for players over a network.
#[pyclass]
struct Reader(Box<dyn Memory>);

#[pymethods]
impl Reader {
    #[new]
    fn new(setup: &Setup) -> Reader {
        Reader(setup.settings.memory())
    }

    fn read(&mut self, line: &[u8]) {
        self.0.read(line);
    }

    /// The line that an action is, without its end; `None` for `wait`.
    fn act(&mut self, action: Vec<i32>) -> Option<Vec<u8>> {
        self.0.act(&action)
    }

    /// Writes what is known now into the arrays of one match with one row. Unlike in `step`, `rewards` holds one
    /// unweighted number for each part of the reward.
    fn observe(&mut self, mut board: Board<'_>) -> PyResult<()> {
        let (owes, core) = (self.0.owes(), self.0.core());
        core.changed = 0;
        core.observe(board.observations.as_slice_mut()?);
        board.rewards.as_slice_mut()?.copy_from_slice(&core.earned);
        core.earned.fill(0.0);
        board.states.as_slice_mut()?[0] = i32::from(!core.is_out) + i32::from(owes);
        self.0.write_mask(owes, board.masks.as_slice_mut()?);
        Ok(())
    }
}

/// Replays a record and compares every line: its ticks, and whether it is complete. An error if a line differs.
#[pyfunction]
fn verify(path: PathBuf) -> PyResult<(u64, bool)> {
    let verified = record::verify(&record::read_file(&path)?, GAMES).map_err(invalid)?;
    Ok((verified.ticks, verified.complete))
}

#[pymodule]
mod _core {
    #[pymodule_export]
    use super::{Matches, Reader, Setup, verify};
}
