//! Leagues from the outside: rounds, newcomers, new versions, kills, pairings, checks, and what is refused.

#[path = "../support/mod.rs"]
mod support;

mod entry;
mod kills;
mod kinds;
mod rounds;
mod stage;
