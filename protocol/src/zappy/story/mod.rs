//! What happens in a match, from an observer's messages: one fold, one count, one wording.
//!
//! `observed` takes messages in and says what each one adds to what was known, as a `happening`. `roster` keeps what
//! stays true of players, eggs and teams, `deeds` counts what each team did, `words` says a happening in one line.
//! Happenings also carry what a record knows beyond the messages: reasons, refusals, how a player ended; a reader of
//! records fills that in. No input or output, no clock; takes any messages; everything is bounded. Tested in the modules,
//! and by the programs that tell matches.

mod deeds;
mod happening;
mod observed;
mod roster;
mod words;

pub use deeds::{Deeds, Strength, leader, strengths};
pub use happening::{Fate, Happening, What};
pub use observed::{LOOKBACK, Observed, Told};
pub use roster::{Life, Roster, TeamIndex};
pub use words::{ended, name, named, next, quoted, say, sentence};
