//! The games' rules for Python: matches in lockstep, and what their players know.
//!
//! Everything that Python hands in is checked here; what is wrong is a `ValueError` that names it. The classes that
//! people use are in `zappy_arena/`, which alone names this module.

#![allow(clippy::needless_pass_by_value, reason = "what comes from Python comes by value")]

mod conquest;
mod matches;
mod memory;
mod zappy;

use std::path::PathBuf;
use std::sync::Arc;

use numpy::{PyArray1, PyArrayMethods as _, PyReadonlyArray1, PyReadwriteArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use matches::{Match, MatchError, Player, Settings};
use memory::{Core, Memory};
use zappy_game::config::MatchConfig;
use zappy_game::{Line, MatchSpec, find};
use zappy_protocol::{MapSize, TeamName};
use zappy_server::games::GAMES;
use zappy_server::record;

/// Players of a team, matches at once, and texts that can be broadcast, at most.
const MOST: usize = 10_000;
/// The longest text, in bytes.
const TEXT_BYTES: usize = 512;

fn wrong(words: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(words.to_string())
}

impl From<MatchError> for PyErr {
    fn from(error: MatchError) -> PyErr {
        wrong(error)
    }
}

/// What matches are played with, but for the seed.
#[pyclass(frozen)]
struct Setup(Arc<Settings>);

/// Name, shape, lowest and highest number of each field; the actions; the values of each of their components; the parts of
/// rewards; rows per team, and slots per team at the start.
type Description =
    (Vec<(&'static str, Vec<usize>, f32, f32)>, Vec<String>, Vec<usize>, Vec<&'static str>, usize, usize);

#[pymethods]
impl Setup {
    #[new]
    #[allow(clippy::too_many_arguments, reason = "each is an argument of the environments")]
    fn new(
        game: &str,
        teams: Vec<String>,
        size: (u16, u16),
        options: Vec<(String, String)>,
        max_ticks: Option<u64>,
        max_players: usize,
        texts: Vec<String>,
        crews: Vec<Option<String>>,
        auto_join: bool,
        keeps_text: bool,
    ) -> PyResult<Setup> {
        let spec = find(GAMES, game).map_err(|error| wrong(format!("game: {error}")))?;
        let map = MapSize::new(size.0, size.1).ok_or_else(|| wrong("size: a side has 1 to 500 tiles"))?;
        let name = |name: &String| TeamName::parse(name.as_bytes());
        let teams: Option<Vec<TeamName>> = teams.iter().map(name).collect();
        let teams = teams.ok_or_else(|| wrong("teams: a name is one word of 1 to 64 bytes"))?;
        let spec = MatchSpec::new(spec, MatchConfig::new(map, teams));
        let mut spec = spec.with(options.iter().map(|(key, value)| (&**key, &**value))).map_err(wrong)?;
        spec.config.map = (spec.game.map)(&spec.options).unwrap_or(map);
        let until = max_ticks.unwrap_or_else(|| (spec.game.max_ticks)(&spec.options, crews.len()));
        spec.config.max_ticks = Some(until);
        spec.begin().map_err(wrong)?;
        if !(1..=MOST).contains(&max_players) {
            return Err(wrong(format!("max_players is {max_players}, the range is 1 to {MOST}")));
        }
        if crews.len() != spec.config.teams.len() || !crews.contains(&None) {
            return Err(wrong(
                "opponents: one team or more is yours, and each other one has at most one opponent",
            ));
        }
        let good = |text: &String| {
            (1..=TEXT_BYTES).contains(&text.len()) && text.trim() == text && !text.contains('\n')
        };
        if texts.len() > MOST || !texts.iter().all(good) {
            return Err(wrong(format!(
                "texts: a text has 1 to {TEXT_BYTES} bytes, no line end, and no blanks at its ends"
            )));
        }
        let is_zappy = spec.game.name == zappy_game_zappy::SPEC.name;
        let shape = match is_zappy {
            true => zappy::shape(spec.options.get("rules") == "strict", &texts),
            false => conquest::shape(spec.config.map, crews.len()),
        };
        let max_players = if is_zappy { max_players } else { 1 };
        Ok(Setup(Arc::new(Settings {
            spec,
            shape: Arc::new(shape),
            crews,
            max_players,
            auto_join,
            keeps_text,
        })))
    }

    fn describe(&self) -> Description {
        let shape = &self.0.shape;
        let fields = shape.fields.iter().map(|one| (one.name, one.shape.clone(), one.low, one.high));
        let slots = (self.0.spec.game.slots)(&self.0.spec.options);
        let (actions, components) = (shape.actions.clone(), shape.components.clone());
        (fields.collect(), actions, components, shape.parts.to_vec(), self.0.max_players, slots)
    }
}

struct One {
    game: Match,
    seed: u64,
    steps: u64,
}

/// Matches side by side. Arrays are flat: match after match, and of each match row after row.
#[pyclass]
struct Matches {
    settings: Arc<Settings>,
    matches: Vec<One>,
    pool: Option<ThreadPool>,
    weights: Vec<f32>,
    /// Rounds after which a match is cut off.
    max_steps: u64,
    /// Whether a match that has ended begins anew, with the next seed.
    again: bool,
    record: Option<PathBuf>,
}

/// What one match has of the arrays.
struct Part<'a> {
    observations: &'a mut [f32],
    masks: &'a mut [i8],
    rewards: &'a mut [f32],
    /// Per row: 0 not there, 1 there, 2 and more asked, in drawn order.
    states: &'a mut [i32],
    /// 0 goes on, 1 over, 2 cut off; and the place of the caller's team that won, or -1.
    end: &'a mut [i32],
}

#[pymethods]
impl Matches {
    #[new]
    #[allow(clippy::too_many_arguments, reason = "each is an argument of the environments")]
    fn new(
        setup: &Setup,
        seeds: Vec<u64>,
        threads: usize,
        weights: Vec<f32>,
        max_steps: u64,
        again: bool,
        record: Option<PathBuf>,
    ) -> PyResult<Matches> {
        if !(1..=MOST).contains(&seeds.len()) {
            return Err(wrong(format!("n is {}, the range is 1 to {MOST}", seeds.len())));
        }
        let pool = ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = (seeds.len() > 1 && threads != 1).then_some(pool).transpose().map_err(wrong)?;
        let settings = setup.0.clone();
        let begin =
            |seed| Ok(One { game: Match::begin(settings.clone(), seed, record.as_deref())?, seed, steps: 0 });
        let matches = seeds.into_iter().map(begin).collect::<Result<_, MatchError>>()?;
        Ok(Matches { settings, matches, pool, weights, max_steps, again, record })
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
        let shape = self.settings.shape.clone();
        let rows = self.matches[0].game.rows();
        let (size, mask, action) =
            (shape.size(), shape.components.iter().sum::<usize>(), shape.components.len());
        let actions = actions.as_ref().map(|actions| actions.as_slice()).transpose().map_err(wrong)?;
        let (observations, masks) =
            (observations.as_slice_mut().map_err(wrong)?, masks.as_slice_mut().map_err(wrong)?);
        let (rewards, states) =
            (rewards.as_slice_mut().map_err(wrong)?, states.as_slice_mut().map_err(wrong)?);
        let ends = ends.as_slice_mut().map_err(wrong)?;
        let all = rows * self.matches.len();
        let fits = [observations.len(), masks.len(), rewards.len(), states.len(), ends.len()];
        if fits != [all * size, all * mask, all, all, 2 * self.matches.len()]
            || actions.is_some_and(|actions| actions.len() != all * action)
        {
            return Err(wrong("actions: one is needed for each row of each match, as in the action space"));
        }
        let in_space = |row: &[i32]| {
            row.iter().zip(&shape.components).all(|(&one, &most)| (0..most as i32).contains(&one))
        };
        if let Some(row) = actions.and_then(|actions| actions.chunks(action).find(|row| !in_space(row))) {
            return Err(wrong(format!(
                "action: {row:?} isn't in the action space, 0 up to without {:?}",
                shape.components
            )));
        }
        let (settings, weights, most, again) = (&self.settings, &self.weights, self.max_steps, self.again);
        let rest = observations.chunks_mut(rows * size).zip(masks.chunks_mut(rows * mask));
        let rest = rest.zip(rewards.chunks_mut(rows).zip(states.chunks_mut(rows)).zip(ends.chunks_mut(2)));
        let mut parts = self.matches.iter_mut().zip(rest).enumerate();
        let work =
            |(place, (one, ((observations, masks), ((rewards, states), end)))): (usize, (&mut One, _))| {
                let mut part = Part { observations, masks, rewards, states, end };
                let of_match = actions.map(|actions| &actions[place * rows * action..][..rows * action]);
                one.step(of_match, &mut part, weights, most);
                if again && part.end[0] != 0 {
                    one.seed = one.seed.wrapping_add((all / rows) as u64);
                    (one.game, one.steps) = (Match::begin(settings.clone(), one.seed, None)?, 0);
                    let rewards = part.rewards.to_vec();
                    one.show(&mut part, weights, true);
                    part.rewards.copy_from_slice(&rewards);
                }
                Ok(())
            };
        py.detach(|| match &self.pool {
            Some(pool) => {
                let parts: Vec<_> = parts.collect();
                pool.install(|| parts.into_par_iter().map(work).collect::<Result<(), MatchError>>())
            }
            None => parts.try_for_each(work),
        })?;
        Ok(())
    }

    /// The lines that a row of the first match has read since they were last asked for.
    fn text(&mut self, row: usize) -> Vec<u8> {
        match self.matches[0].game.player(row) {
            Some(Player::Caller { text: Some(text), .. }) => std::mem::take(text),
            _ => Vec::new(),
        }
    }

    /// Of the first match: ticks so far, why it ended or `running`, whether there are winners, each team's rank and score.
    fn standings(&self) -> (u64, String, bool, Vec<(String, u32, i64)>) {
        let report = self.matches[0].game.game().report();
        let verdict = report.verdict;
        let teams = verdict.standings.into_iter().map(|one| (one.team, one.rank, one.score)).collect();
        (report.ticks, verdict.reason.to_owned(), verdict.won, teams)
    }

    /// The lines that an observer of the first match would read now.
    fn snapshot(&self) -> Vec<u8> {
        let mut lines = Vec::new();
        self.matches[0].game.game().snapshot(None, &mut lines);
        lines.iter().flat_map(Line::bytes).copied().collect()
    }

    /// Ends the first match, so that its record is whole.
    fn end(&mut self, py: Python<'_>) -> PyResult<()> {
        let Some(record) = self.record.as_ref().map(|path| path.display().to_string()) else { return Ok(()) };
        Ok(py.detach(|| self.matches[0].game.end(&record))?)
    }
}

impl One {
    fn step(&mut self, actions: Option<&[i32]>, part: &mut Part<'_>, weights: &[f32], most: u64) {
        let Some(actions) = actions else { return self.show(part, weights, true) };
        let size = actions.len() / part.states.len();
        for row in self.game.asked().to_vec() {
            self.game.act(row, &actions[row * size..][..size]);
        }
        self.game.play();
        self.steps += 1;
        self.show(part, weights, false);
        let lives = part.states.iter().any(|&state| state > 0);
        part.end[0] = if lives { 2 * i32::from(self.steps >= most) } else { 1 };
        part.end[1] = self.game.winner();
    }

    /// Writes the rows that have changed, or all of them.
    fn show(&mut self, part: &mut Part<'_>, weights: &[f32], all: bool) {
        part.rewards.fill(0.0);
        let rows = part.rewards.len();
        let parts = part.observations.chunks_mut(part.observations.len() / rows);
        let parts =
            parts.zip(part.masks.chunks_mut(part.masks.len() / rows)).zip(&mut *part.rewards).enumerate();
        for (row, ((observation, mask), reward)) in parts {
            let (_, lives) = self.game.lives(row);
            let asked = self.game.asked().iter().position(|&asked| asked == row);
            let state = i32::from(lives) + asked.map_or(0, |place| place as i32 + 1);
            let changed = std::mem::replace(&mut part.states[row], state) != state;
            match self.game.player(row) {
                Some(Player::Caller { memory, has_news, .. }) => {
                    if std::mem::take(has_news) || all {
                        let core = memory.core_mut();
                        core.changed = if all { 0 } else { core.changed };
                        core.observe(observation);
                        let earned = &mut core.earned;
                        *reward = earned.iter().zip(weights).map(|(part, weight)| part * weight).sum();
                        earned.fill(0.0);
                        Core::mask(&**memory, asked.is_some(), mask);
                    } else if changed {
                        Core::mask(&**memory, asked.is_some(), mask);
                    }
                }
                _ if all => {
                    observation.fill(0.0);
                    mask.fill(0);
                    mask[0] = 1;
                }
                _ => {}
            }
        }
    }
}

type Known<'py> = Bound<'py, PyArray1<f32>>;

/// A player's memory alone: lines in, observations out, actions to lines. What plays over a network.
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

    fn observe<'py>(&mut self, py: Python<'py>) -> PyResult<(Known<'py>, Bound<'py, PyArray1<i8>>)> {
        let shape = self.0.core().shape.clone();
        let observation = PyArray1::zeros(py, shape.size(), false);
        let mask = PyArray1::zeros(py, shape.components.iter().sum::<usize>(), false);
        self.0.core_mut().changed = 0;
        self.0.core_mut().observe(observation.readwrite().as_slice_mut().map_err(wrong)?);
        Core::mask(&*self.0, self.0.owes(), mask.readwrite().as_slice_mut().map_err(wrong)?);
        Ok((observation, mask))
    }

    /// Whether the match waits for a line of its own, whether it is out, and whether an egg of its own waits; asked once.
    fn state(&mut self) -> (bool, bool, bool) {
        let laid = std::mem::take(&mut self.0.core_mut().has_laid);
        (self.0.owes(), self.0.core().is_out, laid)
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
