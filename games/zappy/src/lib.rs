//! The rules of Zappy behind the seam: lines in, outputs out, ticks as the only time.
//!
//! Never names a socket, a clock, a log, a file or a thread; a test in `server/tests/architecture/` sees to that.
//! The same configuration and inputs give the same outputs, to the byte. [`Zappy`] knows the seat of each player;
//! [`world::World`] knows the inhabitants and nothing of seats. Tested by transcripts, by the simulator and
//! in the modules.
//!
//! A match needs no socket. Here one player joins, walks a step, and is answered after seven ticks:
//!
//! ```
//! use zappy_game::config::MatchConfig;
//! use zappy_game::{Game, Input, Output, SeatId};
//! use zappy_game_zappy::{Zappy, ZappyOptions};
//! use zappy_protocol::{MapSize, TeamName};
//!
//! let teams = vec![TeamName::parse(b"red").unwrap()];
//! let config = MatchConfig { seed: 42, ..MatchConfig::new(MapSize::new(10, 10).unwrap(), teams) };
//! let mut game = Zappy::new(&config, ZappyOptions::default());
//! let seat = SeatId(0);
//! game.handle_input(0, seat, Input::Open);
//! game.handle_input(0, seat, Input::Line(b"red"));
//! game.handle_input(0, seat, Input::Line(b"Forward"));
//! assert_eq!(game.poll_timeout(), Some(7));
//! while game.poll_output().is_some() {}
//! game.handle_timeout(7);
//! let Some(Output::Send(to, line)) = game.poll_output() else { panic!("no answer") };
//! assert_eq!((to, line.text()), (seat, &b"ok"[..]));
//! ```

mod catch_up;
mod commands;
mod console;
mod encode;
mod event;
mod incantation;
mod invariants;
mod map;
mod options;
mod player;
mod projection;
mod queue;
mod report;
mod rules;
mod schedule;
mod seats;
mod spawn;
mod spec;
mod verdict;
mod world;

use zappy_protocol::Tick;
use zappy_protocol::zappy::constants::QUEUE_LIMIT;
use zappy_protocol::zappy::player::CommandKind;

use catch_up::CatchUp;
use schedule::Due;
use world::World;
use zappy_game::config::MatchConfig;
use zappy_game::lobby::Lobby;
use zappy_game::{Admission, Game, Input, Line, MatchSpec, Output, Report, SeatId, Verdict};
use zappy_protocol::zappy::PlayerId;

pub use event::Fate;
pub use options::{DEFAULT_SLOTS, MAX_SLOTS, ZappyOptions};
pub use rules::RuleSet;
pub use spec::SPEC;
pub use verdict::reason;

/// Outputs after which a step ends, although more is due at its tick: a crowd in which all speak at once would fill the
/// memory with what each of them hears.
const STEP_OUTPUTS: usize = 4_096;

#[derive(Debug)]
pub struct Zappy {
    world: World,
    lobby: Lobby<PlayerId>,
    /// The seat of each player, by number.
    seats: Vec<SeatId>,
    catch_up: CatchUp,
    verdict: Option<Verdict>,
    /// Lines are written into it before they go out.
    buffer: Vec<u8>,
}

impl Zappy {
    /// A match that is about to begin. `config` has to be valid: nothing of it is checked here.
    pub fn new(config: &MatchConfig, options: ZappyOptions) -> Zappy {
        Zappy {
            world: World::new(config, options),
            lobby: Lobby::new(config),
            seats: Vec::new(),
            catch_up: CatchUp::default(),
            verdict: None,
            buffer: Vec::new(),
        }
    }

    /// The match that a specification describes.
    pub fn of(spec: &MatchSpec) -> Zappy {
        Zappy::new(&spec.config, ZappyOptions::read(&spec.options))
    }

    /// The tick the match has reached.
    pub const fn now(&self) -> Tick {
        self.world.now
    }

    /// The verdict, once the match has ended.
    pub const fn verdict(&self) -> Option<&Verdict> {
        self.verdict.as_ref()
    }

    /// Begins a step at `now`. `due`: the step runs what is due; otherwise it handles an input.
    fn begin_step(&mut self, now: Tick, due: bool) {
        self.world.now = now.max(self.world.now);
        self.world.in_due = due;
    }

    /// Turns the events since the last call into outputs.
    fn settle(&mut self) {
        self.world.plan_refill();
        let was_over = self.verdict.is_some();
        while let Some(event) = self.world.events.pop_front() {
            self.catch_up.note(&event, self.lobby.published(), self.lobby.publishing());
            self.encode(event);
        }
        if !was_over && let Some(verdict) = self.verdict.clone() {
            for player in &self.world.living {
                self.lobby.close(self.seats[player.0 as usize], "the match is over");
            }
            self.lobby.push(Output::Finished(verdict));
        }
    }
}

impl Game for Zappy {
    fn handle_input(&mut self, now: Tick, seat: SeatId, input: Input<'_>) {
        self.begin_step(now, false);
        if !self.world.over {
            self.take_in(seat, input);
        }
        self.settle();
    }

    fn handle_timeout(&mut self, now: Tick) {
        self.begin_step(now, true);
        while let Some((due, generation)) = self.world.schedule.pop(now) {
            if self.world.over {
                break;
            }
            match due {
                Due::Incantation(number) => self.world.end_incantation(number),
                Due::Command(player) => self.world.command_due(player, generation),
                Due::Hunger(player) => self.world.hunger(player),
                Due::Refill => self.world.refill(),
                Due::End => self.world.end_due(),
            }
            self.settle();
            if self.lobby.waiting() >= STEP_OUTPUTS {
                break;
            }
        }
    }

    fn poll_timeout(&self) -> Option<Tick> {
        if self.world.over { None } else { self.world.schedule.next_tick() }
    }

    fn poll_output(&mut self) -> Option<Output> {
        self.lobby.pop()
    }

    fn owing(&self, out: &mut Vec<SeatId>) {
        let world = &self.world;
        let is_free = |id: &PlayerId| world.player(*id).is_free() && !world.player(*id).leaving;
        let mut free: Vec<_> = world.living.iter().copied().filter(is_free).collect();
        free.sort_by_key(|&id| (world.rank(world.now, id), id));
        out.extend(free.into_iter().map(|id| self.seat(id)));
    }

    fn admission(&self, line: &[u8]) -> Admission {
        self.lobby.admission(line)
    }

    fn room(&self, group: u32) -> usize {
        self.world.free_slots(group as usize) as usize
    }

    fn welcome_back(&self, seat: SeatId, out: &mut Vec<Line>) {
        if let Some(player) = self.seats.iter().position(|&of_player| of_player == seat) {
            let team = self.world.players[player].team;
            out.extend(self.greeting(team));
        }
    }

    fn snapshot(&self, missed_from: Option<u64>, out: &mut Vec<Line>) {
        self.bring_up_to_date(missed_from, out);
    }

    fn forget(&mut self, before: u64) {
        self.catch_up.forget(before);
    }

    fn remembers_since(&self) -> u64 {
        self.catch_up.since
    }

    fn withheld(&self, out: &mut Vec<Line>) {
        if !self.world.rules().dumps_incantations {
            self.incantation_lines(out);
        }
    }

    fn digest(&self) -> u64 {
        self.fingerprint()
    }

    fn report(&self) -> Report {
        self.compose_report()
    }

    /// As many lines as the queue holds: further ones could only wait, and many that take no time would hold up a tick.
    fn line_limit(&self, _seat: SeatId) -> u32 {
        QUEUE_LIMIT as u32
    }

    fn keeps_returns(&self) -> bool {
        self.world.rules().keeps_returns
    }

    /// `Inventory` takes time under all rule sets, so it waits in the queue, and is dropped when the queue is full.
    fn stand_in(&self) -> &'static [u8] {
        CommandKind::Inventory.name().as_bytes()
    }

    fn is_paced(&self, line: &[u8]) -> bool {
        let rules = self.world.rules();
        rules.one_line_per_tick && !rules.takes_no_time(&rules.command(line))
    }
}
