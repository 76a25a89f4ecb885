//! Matches between bots in this process, without sockets, without threads for the bots, and without a clock.
//!
//! `in_process` plays one match; its record is the same, to the byte, as over sockets. `plan` says what is played,
//! `many` spreads matches over all cores, `series` writes their results. `bot` is a team's command, which must be our
//! client. Only `zappy` and `conquest` name a game; each has what the arena has for that game alone.

pub mod bot;
pub mod conquest;
pub mod in_process;
pub mod many;
pub mod plan;
pub mod series;
pub mod zappy;
