//! Conquest behind the seam: lines in, outputs out, ticks as the only time.
//!
//! Joins three parts that don't know of each other: the world with its rules, the turn engine, and the lobby with its seats. Its
//! only own rules are when a faction may log in, and how many lines it may send. Tested by the transcripts in
//! `conquest.md` and in `tests/conquest.rs`.

mod field;
mod operator;
mod players;
mod report;

use zappy_protocol::Tick;
use zappy_protocol::conquest::player::ServerLine;
use zappy_protocol::conquest::{FactionId, Placement};
use zappy_protocol::record::Fingerprint;

use super::options::{Grouping, Settings};
use super::scenarios::Scenario;
use super::world::World;
use field::{Field, line_of};
use zappy_game::config::{BadConfig, MatchConfig};
use zappy_game::lobby::Taken;
use zappy_game::{Admission, Game, Input, Line, Options, Output, Report, SCENARIO, SeatId};
use zappy_turns::engine::TurnEngine;
use zappy_turns::led::Led;

pub(super) use field::REASONS;
pub(super) use report::{ADVICE, COLUMNS, cells};

#[derive(Debug)]
pub struct Conquest {
    led: Led<Field>,
    grouping: Grouping,
}

impl Conquest {
    /// A match that is about to begin, with checked options.
    ///
    /// # Errors
    /// Values that don't go together.
    pub fn new(config: &MatchConfig, options: &Options) -> Result<Conquest, BadConfig> {
        let Settings { game, mut setting, grouping } = Settings::read(config, options)?;
        let drafts = game.placement == Placement::Draft;
        let scenario = Scenario::find(options.get(SCENARIO));
        let world = World::begin(config.map, config.seed, game, scenario)?;
        if drafts {
            setting.opening = world.draft_order().into_iter().map(FactionId::index).collect();
        }
        let led = Led::new(config, TurnEngine::new(setting), Field::new(config, world));
        Ok(Conquest { led, grouping })
    }

    /// Panics if an invariant doesn't hold, or other seats are open than these. `operated`: the operator has interfered.
    pub fn assert_invariants(&self, open: &std::collections::BTreeSet<SeatId>, operated: bool) {
        super::invariants::assert_invariants(&self.led.rules.world, operated);
        self.led.rules.seats.assert_invariants(open);
    }

    /// The world as observers should know it, but for turn, phase and winners.
    pub fn projection(&self) -> zappy_protocol::conquest::mirror::Mirror {
        self.led.rules.world.projection()
    }

    /// Lets a seat play for the faction with that index, or refuses it if the faction has its seat.
    fn log_in(&mut self, seat: SeatId, index: usize) {
        let Some(faction) = self.led.rules.id(index).filter(|_| self.room(index as u32) > 0) else {
            return self.led.rules.seats.lobby.refuse(seat, "the faction has its seat");
        };
        self.led.rules.admit(seat, faction);
        self.led.engine.connected.insert(index);
        if !self.led.rules.world.alive(faction) {
            self.led.rules.send(faction, &ServerLine::Dead);
        } else if self.led.engine.may_act(index) {
            let phase = self.led.engine.phase().cloned();
            phase.into_iter().for_each(|phase| self.led.rules.send_snapshot(faction, &phase));
        }
        self.led.begin_when_all_are_in();
    }
}

impl Game for Conquest {
    fn handle_input(&mut self, now: Tick, seat: SeatId, input: Input<'_>) {
        self.led.advance(now);
        if self.led.rules.seats.verdict.is_some() {
            return;
        }
        match self.led.rules.seats.lobby.take_in(seat, input) {
            Taken::Done => {}
            Taken::Login(seat, faction) => self.log_in(seat, faction),
            Taken::Player(_, index, input) => self.handle_player(index, input),
            Taken::Request(seat, line) => self.handle_request(seat, line),
            Taken::Console(line) => {
                self.handle_console(line);
                self.led.rules.publish_changes();
            }
        }
        self.led.tell_end();
    }

    fn handle_timeout(&mut self, now: Tick) {
        self.led.handle_timeout(now);
    }

    fn poll_timeout(&self) -> Option<Tick> {
        self.led.next_due()
    }

    fn poll_output(&mut self) -> Option<Output> {
        self.led.rules.seats.lobby.pop()
    }

    fn welcome_back(&self, seat: SeatId, out: &mut Vec<Line>) {
        let Some(index) = self.led.rules.seats.player(seat) else { return };
        let Some(faction) = self.led.rules.id(index) else { return };
        out.extend(self.led.rules.greeting(faction));
        if !self.led.rules.world.alive(faction) {
            out.push(line_of(&ServerLine::Dead));
        } else if let Some(phase) = self.led.engine.phase().filter(|_| self.led.engine.may_act(index)) {
            self.led.rules.before_acting(faction, phase, out);
        }
    }

    fn owing(&self, out: &mut Vec<SeatId>) {
        self.led.owing(out);
    }

    fn admission(&self, line: &[u8]) -> Admission {
        self.led.rules.seats.lobby.admission(line)
    }

    fn room(&self, group: u32) -> usize {
        self.led.rules.seats.room(group as usize)
    }

    fn snapshot(&self, _missed_from: Option<u64>, out: &mut Vec<Line>) {
        self.led.rules.dump(self.led.engine.phase(), out);
    }

    fn digest(&self) -> u64 {
        let mut print = Fingerprint::default();
        print.update_number(self.led.rules.world.digest());
        print.update_number(self.mode() as u64);
        print.value()
    }

    fn report(&self) -> Report {
        self.compose_report()
    }

    fn line_limit(&self, seat: SeatId) -> u32 {
        self.led.rules.seats.line_limit(seat)
    }
}
