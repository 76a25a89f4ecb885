//! The games' rules for Python: matches in lockstep, and what their players know.
//!
//! What is wrong is a `ValueError` that names it. The classes that people use are in `zappy_arena/`, which alone names
//! this module and checks what it hands in: arrays have the sizes that a [`Setup`] describes, and actions are in its space.

#![allow(clippy::needless_pass_by_value, reason = "what comes from Python comes by value")]

mod conquest;
mod matches;
mod memory;
mod rounds;
mod zappy;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use numpy::{PyArray1, PyArrayMethods as _, PyReadonlyArray1, PyReadwriteArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use matches::{Arrays, Match, Settings};
use memory::{Memory, Shape};
use rounds::{Player, Seat};
use zappy_game::config::MatchConfig;
use zappy_game::{Line, MatchSpec, find};
use zappy_protocol::{MapSize, TeamName};
use zappy_server::games::GAMES;
use zappy_server::record;

fn wrong(words: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(words.to_string())
}

/// What matches are played with, but for the seed.
#[pyclass(frozen)]
struct Setup(Arc<Settings>);

#[pymethods]
impl Setup {
    /// `declare` tells, for a map's width and height, what `_spaces` has of the game.
    #[new]
    #[allow(clippy::too_many_arguments, reason = "each is an argument of the environments")]
    fn new(
        game: &str,
        teams: Vec<String>,
        size: (u16, u16),
        options: Vec<(String, String)>,
        max_ticks: Option<u64>,
        max_players: usize,
        opponents: Vec<String>,
        auto_join: bool,
        keeps_text: bool,
        declare: Bound<'_, PyAny>,
    ) -> PyResult<Setup> {
        let spec = find(GAMES, game).map_err(|error| wrong(format!("game: {error}")))?;
        let map = MapSize::new(size.0, size.1).ok_or_else(|| wrong("size: a side has 1 to 500 tiles"))?;
        let teams = teams.iter().map(|name| TeamName::parse(name.as_bytes())).collect::<Option<Vec<_>>>();
        let teams = teams.ok_or_else(|| wrong("teams: a name is one word of 1 to 64 bytes"))?;
        let spec = MatchSpec::new(spec, MatchConfig::new(map, teams));
        let mut spec = spec.with(options.iter().map(|(key, value)| (&**key, &**value))).map_err(wrong)?;
        spec.config.map = (spec.game.map)(&spec.options).unwrap_or(map);
        let until =
            max_ticks.unwrap_or_else(|| (spec.game.max_ticks)(&spec.options, spec.config.teams.len()));
        spec.config.max_ticks = Some(until);
        spec.begin().map_err(wrong)?;
        let is_zappy = spec.game.name == zappy_game_zappy::SPEC.name;
        let strict = spec.options.get("rules") == "strict";
        let map = (spec.config.map.width(), spec.config.map.height());
        let (fields, actions, components, parts) = declare.call1(map)?.extract()?;
        let shape = Arc::new(Shape { is_zappy, strict, fields, actions, components, parts });
        Ok(Setup(Arc::new(Settings { spec, shape, opponents, max_players, auto_join, keeps_text })))
    }
}

/// Matches side by side. Arrays are flat: match after match, and of each match row after row.
#[pyclass]
struct Matches {
    settings: Arc<Settings>,
    /// Locked because Python may use the object from any thread; no thread ever waits for the lock.
    matches: Mutex<Vec<Match>>,
    pool: Option<ThreadPool>,
    weights: Vec<f32>,
    /// Rounds after which a match is cut off.
    max_rounds: u64,
    /// Whether a match that has ended begins anew, with the next seed.
    again: bool,
}

#[pymethods]
impl Matches {
    #[new]
    fn new(
        setup: &Setup,
        seeds: Vec<u64>,
        threads: usize,
        weights: Vec<f32>,
        max_rounds: u64,
        again: bool,
        record: Option<PathBuf>,
    ) -> PyResult<Matches> {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = (seeds.len() > 1 && threads != 1).then_some(pool).transpose().map_err(wrong)?;
        let settings = setup.0.clone();
        let matches = seeds.into_iter().map(|seed| Match::begin(&settings, seed, record.as_deref()));
        let matches = Mutex::new(matches.collect::<PyResult<_>>()?);
        Ok(Matches { settings, matches, pool, weights, max_rounds, again })
    }

    /// Plays a round of each match, or shows what is there if there are no actions.
    #[allow(clippy::too_many_arguments, reason = "an argument for each array")]
    fn step(
        &mut self,
        py: Python<'_>,
        actions: Option<PyReadonlyArray1<'_, i32>>,
        mut observations: PyReadwriteArray1<'_, f32>,
        mut masks: PyReadwriteArray1<'_, i8>,
        mut rewards: PyReadwriteArray1<'_, f32>,
        mut states: PyReadwriteArray1<'_, i32>,
        mut ends: PyReadwriteArray1<'_, i32>,
    ) -> PyResult<()> {
        let Matches { settings, matches, pool, weights, max_rounds, again } = self;
        let matches = matches.get_mut().unwrap_or_else(PoisonError::into_inner);
        let n = matches.len();
        let actions = actions.as_ref().map(|actions| actions.as_slice()).transpose()?;
        let (observations, masks) = (observations.as_slice_mut()?, masks.as_slice_mut()?);
        let (rewards, states, ends) = (rewards.as_slice_mut()?, states.as_slice_mut()?, ends.as_slice_mut()?);
        let (size, values, rows) = (observations.len() / n, masks.len() / n, states.len() / n);
        let shown = observations.chunks_mut(size).zip(masks.chunks_mut(values));
        let told = rewards.chunks_mut(rows).zip(states.chunks_mut(rows)).zip(ends.chunks_mut(2));
        let parts = shown.zip(told).map(|((observations, masks), ((rewards, states), end))| Arrays {
            observations,
            masks,
            rewards,
            states,
            end,
        });
        let step = |(place, (one, mut arrays)): (usize, (&mut Match, Arrays<'_>))| {
            let Some(actions) = actions else {
                one.show(weights, true, &mut arrays);
                return Ok(());
            };
            let size = actions.len() / n;
            one.step(&actions[place * size..][..size], weights, *max_rounds, &mut arrays);
            if *again && arrays.end[0] != 0 {
                let rewards = arrays.rewards.to_vec();
                *one = Match::begin(settings, one.seed.wrapping_add(n as u64), None)?;
                one.show(weights, true, &mut arrays);
                arrays.rewards.copy_from_slice(&rewards);
            }
            Ok(())
        };
        let mut work = matches.iter_mut().zip(parts).enumerate();
        py.detach(|| match pool {
            Some(pool) => {
                let work: Vec<_> = work.collect();
                pool.install(|| work.into_par_iter().try_for_each(step))
            }
            None => work.try_for_each(step),
        })
    }

    /// The lines that a row of the first match has read since they were last asked for.
    fn text(&mut self, row: usize) -> Vec<u8> {
        match self.first().seat(row) {
            Some(Seat { player: Player::Caller { text: Some(text), .. }, .. }) => std::mem::take(text),
            _ => Vec::new(),
        }
    }

    /// Of the first match: ticks so far, why it ended or `running`, whether there are winners, each team's rank and score.
    fn standings(&mut self) -> (u64, String, bool, Vec<(String, u32, i64)>) {
        let report = self.first().game.report();
        let verdict = report.verdict;
        let teams = verdict.standings.into_iter().map(|one| (one.team, one.rank, one.score)).collect();
        (report.ticks, verdict.reason.to_owned(), verdict.won, teams)
    }

    /// The lines that an observer of the first match would read now.
    fn snapshot(&mut self) -> Vec<u8> {
        let mut lines = Vec::new();
        self.first().game.snapshot(None, &mut lines);
        lines.iter().flat_map(Line::bytes).copied().collect()
    }

    /// Ends the first match, so that its record is whole.
    fn end(&mut self, py: Python<'_>) {
        py.detach(|| self.first().end());
    }
}

impl Matches {
    fn first(&mut self) -> &mut Match {
        &mut self.matches.get_mut().unwrap_or_else(PoisonError::into_inner)[0]
    }
}

type Array<'py, T> = Bound<'py, PyArray1<T>>;

/// A player's memory without a match, for players over a network: it reads lines and turns actions into lines.
#[pyclass]
struct Reader(Box<dyn Memory>);

#[pymethods]
impl Reader {
    #[new]
    fn new(setup: &Setup) -> Reader {
        Reader(setup.0.shape.memory())
    }

    fn read(&mut self, line: &[u8]) {
        self.0.read(line);
    }

    /// The line that an action is, without its end; `None` for `wait`.
    fn act(&mut self, action: Vec<i32>) -> Option<Vec<u8>> {
        self.0.act(&action)
    }

    /// What is known, and the mask.
    fn observe<'py>(&mut self, py: Python<'py>) -> PyResult<(Array<'py, f32>, Array<'py, i8>)> {
        let (owes, core) = (self.0.owes(), self.0.core());
        core.changed = 0;
        let observation = PyArray1::zeros(py, core.known.len(), false);
        let mask = PyArray1::zeros(py, core.shape.components.iter().sum::<usize>(), false);
        core.observe(observation.readwrite().as_slice_mut()?);
        self.0.write_mask(owes, mask.readwrite().as_slice_mut()?);
        Ok((observation, mask))
    }

    /// Whether the match waits for a line of its own, whether it is out, and whether an egg of its own waits; asked once.
    fn state(&mut self) -> (bool, bool, bool) {
        let (owes, core) = (self.0.owes(), self.0.core());
        (owes, core.is_out, std::mem::take(&mut core.has_laid))
    }
}

/// Plays a record again; the ticks that it has and whether it is whole.
#[pyfunction]
fn verify(path: PathBuf) -> PyResult<(u64, bool)> {
    let named = |error: &dyn std::fmt::Display| wrong(format!("{}: {error}", path.display()));
    let bytes = record::read_file(&path).map_err(|error| named(&error))?;
    let verified = record::verify(&bytes, GAMES).map_err(|error| named(&error))?;
    Ok((verified.ticks, verified.complete))
}

#[pymodule]
mod _core {
    #[pymodule_export]
    use super::{Matches, Reader, Setup, verify};
}
