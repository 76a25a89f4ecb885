//! The rules of conquest: the world, what orders do to it, and the messages about it.
//!
//! Pure: no socket, clock, log, file, thread or float; all chance comes from `chance` with the purposes in `map`.
//! [`World`] knows factions, never seats. Connections, `Done` marks, phases, time and the lobby belong to the game
//! behind the seam, which calls it like this:
//!
//! ```text
//! World::new                                   the drawn map; under draft no faction has a start
//! draft: draft_order, starts, choose, settle   turn 0, one faction after another
//! each turn:  begin_turn
//!   each phase: begin_phase(its factions)      sieges, upkeep; factions without their base are beaten
//!               snapshot(each of them)         the lines from `turn` to `go`
//!               submit(each order)             answered at once, changes nothing but the order
//!               late(each that isn't done)
//!               resolve(its factions in the drawn sequence)
//!   end_turn                                   largest land, production of the cities, dominion
//! over: ranking, winners
//! ```
//!
//! After each of these calls, and after [`World::operate`], [`World::burst`] sends observers what happened in its order, then
//! what changed of factions and cities. [`World::hush`] drops that while there is no observer. [`World::dump`] is what an
//! observer reads at its login, but for `trn`. Tested in `tests`.

mod base;
mod cities;
mod city;
mod console;
mod dominion;
mod encode;
mod game;
mod invariants;
mod map;
mod options;
mod projection;
mod ranking;
mod refusal;
mod rules;
mod scenarios;
mod setup;
mod siege;
mod snapshot;
mod spec;
mod state;
#[cfg(test)]
mod tests;
mod turn;
mod units;
mod world;

pub use city::City;
pub use console::HELP;
pub use game::Conquest;
pub use ranking::Rank;
pub use refusal::{Answer, Refusal};
pub use spec::SPEC;
pub use world::World;
pub use zappy_protocol::conquest::production::{Balance, CityPlan, Production, production};
