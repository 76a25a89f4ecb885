//! Matches between bots in this process, without sockets, threads of theirs, or a clock.
//!
//! `hall` plays one match with the same record to the byte as over sockets. `plan` says what is played, `many` spreads
//! matches over all cores, `series` leaves their results. `bot` is a team's command; `zappy` alone names a game, and
//! has what the arena has for it.

pub mod bot;
pub mod error;
pub mod hall;
pub mod many;
pub mod plan;
pub mod series;
pub mod zappy;

pub use error::Error;
