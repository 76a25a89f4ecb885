//! What happens in a match, from an observer's messages: one fold, one count, one wording.
//!
//! `observed` takes messages in and says what each one adds to what was known, as a `happening`. `roster` keeps what
//! stays true of players, eggs and teams, `deeds` counts what each team did, `words` says a happening in one line,
//! `commentary` how the match stands, `stake` what an incantation brings, `why` how the match was won. Happenings also
//! carry what a record knows beyond the messages: reasons, refusals, how a player ended; a reader of records fills that
//! in. No input or output, no clock; takes any messages; everything is bounded. Tested in the modules, and by the
//! programs that show stories.

mod commentary;
mod deeds;
mod happening;
mod observed;
mod roster;
mod stake;
mod why;
mod words;

pub use commentary::{Commentary, lacks};
pub use deeds::{Deeds, Strength, leader, strengths};
pub use happening::{Fate, Happening, What};
pub use observed::{Applied, LOOKBACK, Observed};
pub use roster::{Life, Roster, TeamIndex};
pub use stake::{Stake, needed, present};
pub use why::{EndedMatch, Won, ZappyFinish, at_top};
pub use words::{ended, name, named, next, quoted, say, sentence};
