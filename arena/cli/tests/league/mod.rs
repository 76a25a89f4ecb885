//! Leagues from the outside: rounds, newcomers, new versions, kills, pairings, checks, and what is refused.

mod entry;
mod kills;
mod kinds;
mod rounds;
mod stage;
