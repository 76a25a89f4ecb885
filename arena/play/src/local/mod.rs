//! Matches between bots in this process, without sockets, threads of theirs, or a clock.
//!
//! `in_process` plays one match with the same record to the byte as over sockets. `plan` says what is played, `many` spreads
//! matches over all cores, `series` leaves their results. `bot` is a team's command, our client. `zappy` and `conquest`
//! alone name a game, and have what the arena has for it.

pub mod bot;
pub mod conquest;
pub mod in_process;
pub mod many;
pub mod plan;
pub mod series;
pub mod zappy;
