//! Conquest behind the seam: lines in, outputs out, ticks as the only time.
//!
//! Joins what doesn't know each other: the world with its rules, the turn engine, and the lobby with its seats. Its
//! only own rules are when a faction may log in, and how many lines it may send. Tested by the transcripts in
//! `conquest.md` and in `tests/conquest.rs`.

mod ending;
mod field;
mod operator;
mod players;
mod report;

use zappy_protocol::Tick;
use zappy_protocol::conquest::player::ServerLine;
use zappy_protocol::conquest::{FactionId, Mode, Placement};
use zappy_protocol::record::Fingerprint;

use super::options::{Settings, told_mode};
use super::world::World;
use field::{Field, line_of};
use zappy_game::chance::rank;
use zappy_game::config::{BadConfig, Clock, MatchConfig};
use zappy_game::lobby::{Taken, welcome};
use zappy_game::{Admission, Game, Input, Line, Options, Output, Report, SeatId};
use zappy_turns::engine::{Ending, TurnEngine};

pub(super) use ending::REASONS;
pub(super) use report::{ADVICE, COLUMNS};

/// The purpose of the order in which factions are waited for. The world's own begin at 32.
const OWING: u64 = 16;
/// Lines beyond its budget that are taken from a faction in a phase of the lockstep clock: the first one over it, which
/// is refused, and `Done`.
const LINES_BEYOND: u32 = 2;

#[derive(Debug)]
pub struct Conquest {
    engine: TurnEngine,
    field: Field,
    config: MatchConfig,
    now: Tick,
    /// In lockstep, before all factions are in: when the match begins with those that have come.
    begins: Option<Tick>,
}

/// Why a match can't go on from a checkpoint.
#[derive(Debug, thiserror::Error)]
pub enum BadCheckpoint {
    /// The match that it belongs to can't be played.
    #[error(transparent)]
    Config(#[from] BadConfig),
    /// Its first line is no engine's.
    #[error("line 1: {0}")]
    Engine(#[from] serde_json::Error),
    /// A later line is refused.
    #[error("line {line}: {words}")]
    World {
        /// Which line, from 1.
        line: usize,
        words: String,
    },
}

impl Conquest {
    /// A match that is about to begin, with checked options.
    ///
    /// # Errors
    /// Values that don't go together.
    pub fn new(config: &MatchConfig, options: &Options) -> Result<Conquest, BadConfig> {
        let Settings { told, mut setting } = Settings::read(config, options)?;
        let drafts = told.placement == Placement::Draft;
        let world = World::new(config.map, config.seed, told)?;
        if drafts {
            setting.draft = world.draft_order().into_iter().map(FactionId::index).collect();
        }
        let (engine, field, config) = (TurnEngine::new(setting), Field::new(config, world), config.clone());
        Ok(Conquest { engine, field, config, now: 0, begins: None })
    }

    /// A match that goes on from a checkpoint, at tick 0 of a new clock and with no faction connected.
    ///
    /// # Errors
    /// The checkpoint doesn't fit.
    pub fn resume(
        config: &MatchConfig,
        options: &Options,
        checkpoint: &str,
    ) -> Result<Conquest, BadCheckpoint> {
        let mut game = Conquest::new(config, options)?;
        let (engine, lines) = checkpoint.split_once('\n').unwrap_or((checkpoint, ""));
        game.engine = TurnEngine::resume(game.engine.setting().clone(), engine, 0)?;
        let turn = game.engine.turn();
        for (line, number) in ["/empty"].into_iter().chain(lines.lines()).zip(1..) {
            let done = game.field.world.operate(line).unwrap_or_else(|| Err("no line of a world".to_owned()));
            done.map_err(|words| BadCheckpoint::World { line: number, words })?;
        }
        game.engine.set_turn(turn);
        game.field.world.hush();
        Ok(game)
    }

    /// The last checkpoint, written: a line for the engine, then the world's. `None` before the first one.
    #[must_use]
    pub fn checkpoint(&self) -> Option<String> {
        let (engine, world) = &**self.field.checkpoint.as_ref()?;
        let lines: Vec<String> = engine.write().into_iter().chain(world.state()).collect();
        Some(lines.join("\n"))
    }

    /// Panics if an invariant doesn't hold, or other seats are open than these. `operated`: the operator has interfered.
    pub fn assert_invariants(&self, open: &std::collections::BTreeSet<SeatId>, operated: bool) {
        super::invariants::assert_invariants(&self.field.world, operated);
        self.field.lobby.assert_invariants(open);
        for seat in self.field.seats.iter().flatten() {
            assert!(open.contains(seat), "a faction's {seat} isn't open");
        }
    }

    /// What observers should know of the world, but for turn, phase and winners.
    pub fn projection(&self) -> zappy_protocol::conquest::mirror::Mirror {
        self.field.world.projection()
    }

    fn begin(&mut self) {
        self.begins = None;
        self.engine.start(&mut self.field);
    }

    /// The mode from the next turn on.
    fn mode(&self) -> Mode {
        told_mode(self.engine.coming_mode())
    }

    fn over(&self) -> bool {
        self.field.verdict.is_some()
    }

    fn log_in(&mut self, seat: SeatId, index: usize) {
        let Some(faction) = self.field.id(index).filter(|_| self.room(index as u32) > 0) else {
            return self.field.lobby.refuse(seat, "the faction has its seat");
        };
        self.field.admit(seat, faction);
        self.engine.set_connected(index, true);
        if !self.field.world.alive(faction) {
            self.field.send(faction, &ServerLine::Dead);
        } else if self.engine.may_act(index) {
            let phase = self.engine.phase().cloned();
            phase.into_iter().for_each(|phase| self.field.send_snapshot(faction, &phase));
        }
        if self.engine.has_begun() {
        } else if self.field.seats.iter().all(Option::is_some) {
            self.begin();
        } else if self.config.clock == Clock::Lockstep {
            // All that have come are admitted in one round; the next tick begins without the others.
            self.begins.get_or_insert(self.now + 1);
        }
    }

    /// Tells the end if this step has brought it, after everything else that the step says.
    fn tell_end(&mut self) {
        if let Some(verdict) = self.field.verdict.clone() {
            self.field.lobby.push(Output::Finished(verdict));
        }
    }

    /// What is to be done at this tick.
    fn run_due(&mut self) {
        if self.now >= self.config.last_tick() {
            self.engine.stop(&mut self.field, Ending::Time);
        } else if self.begins.is_some_and(|begins| begins <= self.now) {
            self.begin();
        } else {
            self.engine.look(&mut self.field);
        }
    }
}

impl Game for Conquest {
    fn handle_input(&mut self, now: Tick, seat: SeatId, input: Input<'_>) {
        self.now = now.max(self.now);
        self.engine.advance(self.now);
        if self.over() {
            return;
        }
        match self.field.lobby.take_in(seat, input) {
            Taken::Done => {}
            Taken::Login(seat, faction) => self.log_in(seat, faction),
            Taken::Player(_, faction, input) => self.player(faction, input),
            Taken::Request(seat, line) => self.request(seat, line),
            Taken::Console(line) => {
                self.console(line);
                self.field.tell();
            }
        }
        self.tell_end();
    }

    fn handle_timeout(&mut self, now: Tick) {
        self.now = now.max(self.now);
        self.engine.advance(self.now);
        if !self.over() {
            self.run_due();
            self.tell_end();
        }
    }

    fn poll_timeout(&self) -> Option<Tick> {
        if self.over() {
            return None;
        }
        let due = self.engine.due(&self.field).into_iter().chain(self.begins);
        due.chain([self.config.last_tick()]).min()
    }

    fn poll_output(&mut self) -> Option<Output> {
        self.field.lobby.pop()
    }

    fn welcome_back(&self, seat: SeatId, out: &mut Vec<Line>) {
        let Some(index) = self.field.seats.iter().position(|&there| there == Some(seat)) else { return };
        let Some(faction) = self.field.id(index) else { return };
        out.extend(welcome(0, self.field.world.size()));
        out.push(line_of(&self.field.world.game_line(faction)));
        if !self.field.world.alive(faction) {
            out.push(line_of(&ServerLine::Dead));
        } else if let Some(phase) = self.engine.phase().filter(|_| self.engine.may_act(index)) {
            self.field.before_acting(faction, phase, out);
        }
    }

    fn owing(&self, out: &mut Vec<SeatId>) {
        if self.over() {
            return;
        }
        let mut owing: Vec<usize> = self.engine.owing(&self.field).collect();
        owing.sort_by_key(|&faction| rank(self.config.seed, OWING, self.now, faction as u64));
        out.extend(owing.into_iter().filter_map(|faction| self.field.seats[faction]));
    }

    fn admission(&self, line: &[u8]) -> Admission {
        self.field.lobby.admission(line)
    }

    fn room(&self, group: u32) -> usize {
        let index = group as usize;
        let replaced = self.config.clock == Clock::Real || self.field.conduct[index].joined == 0;
        usize::from(self.field.seats[index].is_none() && replaced)
    }

    fn snapshot(&self, _missed_from: Option<u64>, out: &mut Vec<Line>) {
        self.field.dump(self.engine.phase(), out);
    }

    fn digest(&self) -> u64 {
        let mut print = Fingerprint::default();
        print.update_number(self.field.world.digest());
        print.update_number(self.mode() as u64);
        print.value()
    }

    fn report(&self) -> Report {
        self.compose_report()
    }

    fn line_limit(&self, seat: SeatId) -> u32 {
        let faction = self.field.seats.iter().position(|known| *known == Some(seat));
        faction.map_or(1, |faction| self.field.budgets[faction].saturating_add(LINES_BEYOND))
    }
}
