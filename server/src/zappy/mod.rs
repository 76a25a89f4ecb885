//! The rules of Zappy behind the seam: lines in, outputs out, ticks as the only time.
//!
//! Never names a socket, a clock, a log, a file or a thread; `tests/architecture.rs` walks the `use` lines.
//! The same configuration and inputs give the same outputs, to the byte. [`Zappy`] knows who sits where;
//! [`world::World`] knows the inhabitants and nothing of seats. Tested by transcripts, by the simulator and
//! in the modules.

mod catch_up;
mod commands;
mod console;
mod encode;
mod event;
mod incantation;
mod map;
mod player;
mod projection;
mod queue;
pub mod report;
mod schedule;
mod seats;
#[cfg(test)]
mod simulation;
mod spawn;
mod verdict;
mod world;

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use zappy_protocol::constants::OBSERVER_NAME;
use zappy_protocol::{TeamName, Tick};

use crate::config::GameConfig;
use crate::game::{Admission, Game, Input, Line, Output, SeatId, Verdict, Words};
use catch_up::CatchUp;
use encode::Encoder;
use event::Event;
use schedule::Due;
use seats::Role;
use world::World;

pub use event::Ending;
pub use verdict::reason;

/// A match of Zappy.
#[derive(Debug)]
pub struct Zappy {
    world: World,
    encoder: Encoder,
    /// Who sits where; a seat that is gone is gone from here.
    seats: BTreeMap<SeatId, Role>,
    observers: usize,
    rate: NonZeroU32,
    paused: bool,
    started: bool,
    catch_up: CatchUp,
    /// Why the shell ends the seat that it is ending.
    expulsion: Option<Words>,
    verdict: Option<Verdict>,
}

impl Zappy {
    /// A match that is about to begin. The configuration counts as validated.
    #[must_use]
    pub fn new(config: &GameConfig) -> Zappy {
        let mut encoder = Encoder::default();
        encoder.publishing = config.always_publish;
        encoder.push(Output::Gate(config.auto_start));
        encoder.push(Output::SetTickRate(config.auto_start.then_some(config.frequency)));
        Zappy {
            world: World::new(config),
            encoder,
            seats: BTreeMap::new(),
            observers: 0,
            rate: config.frequency,
            paused: false,
            started: config.auto_start,
            catch_up: CatchUp::default(),
            expulsion: None,
            verdict: None,
        }
    }

    /// The tick the match has reached.
    #[must_use]
    pub const fn now(&self) -> Tick {
        self.world.now
    }

    /// How the match ended, once it has.
    #[must_use]
    pub const fn verdict(&self) -> Option<&Verdict> {
        self.verdict.as_ref()
    }

    /// The team that has won, if one has.
    fn winner(&self) -> Option<&TeamName> {
        let name = self.verdict.as_ref()?.winner.as_ref()?;
        self.world.teams.iter().map(|team| &team.name).find(|team| team.as_str() == name)
    }

    fn begin_step(&mut self, now: Tick, due: bool) {
        self.world.now = now.max(self.world.now);
        self.world.in_due = due;
    }

    /// Tells what happened in the last piece of a step.
    fn settle(&mut self) {
        self.world.plan_refill();
        let mut just_over = false;
        while let Some(event) = self.world.next_event() {
            self.catch_up.note(&event, self.encoder.published, self.encoder.publishing);
            let mut left = None;
            match &event {
                Event::Gone { player, how } => {
                    let seat = self.encoder.seats[player.0 as usize];
                    // A connection that is gone already needs no closing.
                    let words = self.expulsion.take().unwrap_or_else(|| how.words().into());
                    left = self.seats.remove(&seat).map(|_| Output::Close(seat, words));
                }
                Event::Over { verdict, .. } => {
                    self.verdict = Some(verdict.clone());
                    just_over = true;
                }
                _ => {}
            }
            self.encoder.encode(event);
            left.into_iter().for_each(|output| self.encoder.push(output));
        }
        if just_over {
            self.dismiss();
        }
    }

    /// The match is over: players are disconnected, and the shell learns how it ended.
    fn dismiss(&mut self) {
        let Some(verdict) = self.verdict.clone() else { return };
        for player in &self.world.living {
            let seat = self.encoder.seats[player.0 as usize];
            self.seats.remove(&seat);
            self.encoder.push(Output::Close(seat, "the match is over".into()));
        }
        self.encoder.push(Output::Finished(verdict));
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
        }
    }

    fn poll_timeout(&self) -> Option<Tick> {
        if self.world.over { None } else { self.world.schedule.next_tick() }
    }

    fn poll_output(&mut self) -> Option<Output> {
        self.encoder.pop()
    }

    fn owing(&self, out: &mut Vec<SeatId>) {
        let world = &self.world;
        let mut free: Vec<_> = world
            .living
            .iter()
            .copied()
            .filter(|&id| world.player(id).free() && !world.player(id).leaving)
            .collect();
        free.sort_by_key(|&id| (world.rank(world.now, id), id));
        out.extend(free.into_iter().map(|id| self.encoder.seats[id.0 as usize]));
    }

    fn admission(&self, line: &[u8]) -> Admission {
        let name = line.trim_ascii();
        if name == OBSERVER_NAME.as_bytes() {
            return Admission::Watches;
        }
        let team = self.world.teams.iter().zip(0..).find(|(team, _)| team.name.as_str().as_bytes() == name);
        team.map_or(Admission::Refused, |(_, index)| Admission::Plays(index))
    }

    fn room(&self, group: u32) -> usize {
        self.world.free_slots(group as usize) as usize
    }

    fn snapshot(&self, missed_from: Option<u64>, out: &mut Vec<Line>) {
        self.bring_up_to_date(missed_from, out);
    }

    fn digest(&self) -> u64 {
        self.fingerprint()
    }
}
