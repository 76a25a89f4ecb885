//! What just happened and is still to be seen.
//!
//! An effect lasts so many ticks, or longer while time runs fast, so that the eye catches it; never longer than
//! a stage remembers. Tested below.

use zappy_protocol::Tick;
use zappy_protocol::zappy::story::{Happening, What};
use zappy_protocol::zappy::{Orientation, PlayerId};

use super::glide::turn_of;
use crate::timeline::state::LOOKBACK;
use crate::view::Shown;

/// Seconds for which an effect is seen at the least.
const VISIBLE: f64 = 0.35;
/// Seconds for which words can be read at the least.
const READABLE: f64 = 2.0;
/// Ticks for which words stand at the speaker.
const WORDS: f64 = 80.0;
/// Ticks that any effect may last.
const LONGEST: f64 = LOOKBACK as f64;
/// Ticks that the marks of taken things may last: they come by the thousand.
const LONGEST_ITEM: f64 = 40.0;
/// Seconds of a pulse at the least: faster, it would flicker.
const CALM: f64 = 0.8;

/// Something that is still seen.
#[derive(Debug, Clone, Copy)]
pub struct Effect<'a> {
    pub happening: &'a Happening,
    /// 0 when it begins, 1 when it is over.
    pub age: f64,
}

/// Ticks that an effect of `base` ticks lasts at the view's pace.
pub fn span(base: f64, pace: f64) -> f64 {
    base.max(VISIBLE * pace).min(LONGEST)
}

/// Where a pulse of `base` ticks stands, in turns; slower while time runs fast.
pub fn pulse(shown: &Shown<'_>, base: f64) -> f32 {
    let period = base.max(CALM * shown.time.pace);
    (shown.time.tick / period).rem_euclid(1.0) as f32
}

/// Ticks for which an effect of this kind lasts at the view's pace; `None` if it is shown in another way.
fn lasts(what: &What, pace: f64) -> Option<f64> {
    Some(match what {
        What::Took(..) | What::Dropped(..) => span(9.0, pace).min(LONGEST_ITEM),
        What::Ejected { .. } | What::EggLaid(..) => span(14.0, pace),
        What::Joined(_) | What::EggHatched(_) | What::EggDestroyed(_) => span(20.0, pace),
        What::Level { .. } | What::IncantationEnded { .. } => span(36.0, pace),
        What::Gone { .. } => span(42.0, pace),
        What::Broadcast(..) => span(48.0, pace),
        _ => return None,
    })
}

/// All effects of the moment, the oldest first.
pub fn effects<'a>(shown: &Shown<'a>) -> impl DoubleEndedIterator<Item = Effect<'a>> + use<'a> {
    let (tick, pace) = (shown.time.tick, shown.time.pace);
    let recent = &shown.state.recent;
    // The past is long, what is still seen is not.
    let oldest = recent.partition_point(|happening| happening.tick as f64 + LONGEST <= tick);
    recent.range(oldest..).filter_map(move |happening| {
        let age = (tick - happening.tick as f64) / lasts(&happening.what, pace)?;
        (0.0..1.0).contains(&age).then_some(Effect { happening, age })
    })
}

/// What is being said, the newest first, one per speaker; with the age from 0 to 1.
pub fn words<'a>(shown: &Shown<'a>) -> Vec<(PlayerId, Effect<'a>)> {
    let lasts = WORDS.max(READABLE * shown.time.pace).min(LONGEST);
    let mut said: Vec<(PlayerId, Effect<'a>)> = Vec::new();
    for happening in shown.state.recent.iter().rev() {
        let age = (shown.time.tick - happening.tick as f64) / lasts;
        if age >= 1.0 {
            break;
        }
        let What::Broadcast(player, _) = &happening.what else { continue };
        if age >= 0.0 && said.iter().all(|(speaker, _)| speaker != player) {
            said.push((*player, Effect { happening, age }));
        }
    }
    said
}

/// Where a player faced at that tick, in turns clockwise from north.
pub fn facing_at(shown: &Shown<'_>, player: PlayerId, tick: Tick) -> Option<f64> {
    let steps = shown.state.track(player).map(|track| &track.steps);
    let before = steps.and_then(|steps| steps.iter().rev().find(|step| step.tick <= tick));
    let after = steps.and_then(|steps| steps.iter().find(|step| step.tick > tick));
    let now = || shown.state.mirror().players.get(&player).map(|known| known.orientation);
    let facing: Option<Orientation> =
        before.map(|step| step.facing).or(after.map(|step| step.turned_from)).or_else(now);
    facing.map(turn_of)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_effect_is_long_enough_to_be_seen_and_short_enough_to_be_remembered() {
        assert_eq!(span(9.0, 0.0), 9.0);
        assert_eq!(span(9.0, 100.0), 35.0);
        assert_eq!(span(9.0, 6400.0), LONGEST);
    }
}
