//! What is seen at a moment of game time: where each player is between two tiles, which effects run, and how much detail there is.
//!
//! An effect lasts so many ticks, or longer while time runs fast, so that the eye catches it; never longer than a stage
//! remembers. A pure function of [`Shown`]: no clock, no chance, nothing kept between frames, so that seeking to a tick
//! shows what playing up to it shows. Never draws. Tested in `tests/world/` and in its own modules.

pub mod card;
mod crowd;
mod glide;
pub mod rite;

use std::collections::BTreeMap;

use zappy_protocol::zappy::mirror::MirrorPlayer;
use zappy_protocol::zappy::story::{Happening, What};
use zappy_protocol::zappy::{Orientation, PlayerId};
use zappy_protocol::{MapSize, Position, Tick};

use crate::timeline::state::LOOKBACK;
use crate::view::{Shown, winner};
use crowd::{Crowd, growth};
pub use crowd::{SEATS, size_of};
pub use glide::JUMP_TICKS;
use glide::{Glide, turn_of};
pub use zappy_observer::torus::middle;
use zappy_observer::torus::smooth;

/// Points per tile below which resources are a field of colour.
pub const FAR: f32 = 18.0;
/// Points per tile from which on amounts are numbers.
pub const NEAR: f32 = 56.0;
/// Ticks in which a player that joined comes into sight.
const ARRIVAL_TICKS: f64 = 6.0;
/// Ticks in which a player grows to its new level.
const GROWTH_TICKS: f64 = 20.0;
/// Winners stand together within so many tiles of their first.
pub const TOGETHER: f64 = 3.0;
/// Tiles around a player in which another player's place matters for its own.
const NEIGHBOURS: u32 = 8;

/// How much of each level of detail is seen, 0 to 1: they fade into one another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Detail {
    /// The field of colour that stands for what lies on the ground.
    pub field: f32,
    pub tiles: f32,
    pub marks: f32,
    pub numbers: f32,
}

impl Detail {
    /// What is seen at so many points per tile.
    pub fn of(scale: f32) -> Detail {
        let marks = smooth(FAR * 0.78, FAR, scale);
        Detail {
            field: 1.0 - smooth(FAR * 0.9, FAR * 1.5, scale),
            tiles: smooth(FAR * 0.55, FAR, scale),
            marks,
            numbers: smooth(NEAR * 0.86, NEAR, scale),
        }
    }
}

/// Where and how a player is drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TokenPlace {
    /// The middle of its token as a tile point; it may lie off the map while the player crosses the seam.
    pub point: (f64, f64),
    /// Where it faces, in turns clockwise from north.
    pub turn: f64,
    /// Its token's radius, in tiles.
    pub size: f64,
    /// 0 to 1: less while it appears.
    pub alpha: f64,
    /// 1 when it was pushed just now, 0 when it stands firmly again.
    pub jolt: f64,
    /// Where it was before it jumped, and how much of it is still seen there.
    pub ghost: Option<((f64, f64), f64)>,
    /// Whether it lies with others on a stack in the middle of its tile.
    pub stacked: bool,
    /// How much of it stands on an incantation's ring, 0 to 1.
    pub rite: f64,
}

/// The place of each player at a moment.
#[derive(Debug, Clone, Default)]
pub struct Cast {
    places: BTreeMap<PlayerId, TokenPlace>,
    /// Tiles with more players than have a seat of their own, and how many lie stacked there.
    pub stacks: Vec<(Position, usize)>,
}

impl Cast {
    /// The place of each player.
    pub fn of(shown: &Shown<'_>) -> Cast {
        Cast::among(shown, |_| true)
    }

    fn among(shown: &Shown<'_>, near: impl Fn(&MirrorPlayer) -> bool) -> Cast {
        let mirror = shown.state.mirror();
        let Some(map) = mirror.size else { return Cast::default() };
        let on_map = |known: &MirrorPlayer| map.contains(known.at) && near(known);
        let growing = growing(shown);
        let glide = |(&player, known): (&PlayerId, &MirrorPlayer)| {
            let track = shown.state.track(player);
            let level = growing.get(&player).copied().unwrap_or(f64::from(known.level.get()));
            let glide = Glide::of(map, (known.at, known.orientation), track, shown.time.tick);
            (player, glide, growth(level))
        };
        let there = mirror.players.iter().filter(|(_, known)| on_map(known));
        let glides: Vec<(PlayerId, Glide, f64)> = there.map(glide).collect();
        let stands = rite::stands(shown);
        // Participants that stand on a ring leave their seats to others.
        let on_ring = |player: PlayerId, at: Position| {
            stands.get(&player).filter(|stand| stand.at == at).map_or(0.0, |stand| stand.share)
        };
        let crowd = Crowd::of(map, &glides, |player, at| 1.0 - on_ring(player, at));
        let place = |(player, glide, grown): &(PlayerId, Glide, f64)| {
            let joined = shown.state.track(*player).and_then(|track| track.joined_at);
            let age = |joined: Tick| (shown.time.tick - joined as f64) / ARRIVAL_TICKS;
            let arrived = joined.map_or(1.0, |joined| age(joined).clamp(0.0, 1.0));
            let mut place = placed(map, (&crowd, *grown), *player, glide, arrived);
            if let Some(stand) = stands.get(player) {
                let near = |at: Position, share: f64| if at == stand.at { share } else { 0.0 };
                let from = if glide.from == glide.to { 0.0 } else { near(glide.from, 1.0 - glide.share) };
                // From its seat and around it to a participant's place, as far as that and the step say.
                let share = stand.share * (near(glide.to, glide.share) + from);
                let mix = |from: f64, to: f64| from + (to - from) * share;
                let (x, y) = (glide.point.0 + stand.dx, glide.point.1 + stand.dy);
                place.point = (mix(place.point.0, x), mix(place.point.1, y));
                (place.size, place.rite) = (mix(place.size, stand.size), share);
                place.stacked &= share < 0.5;
            }
            (*player, place)
        };
        Cast { places: glides.iter().map(place).collect(), stacks: crowd.stacks(map) }
    }

    pub fn place(&self, player: PlayerId) -> Option<&TokenPlace> {
        self.places.get(&player)
    }

    /// All players in the order of their numbers, which is the order in which they are drawn.
    pub fn places(&self) -> impl DoubleEndedIterator<Item = (PlayerId, &TokenPlace)> {
        self.places.iter().map(|(player, place)| (*player, place))
    }
}

/// The level that players look like which rose or fell just now.
fn growing(shown: &Shown<'_>) -> BTreeMap<PlayerId, f64> {
    let mut growing = BTreeMap::new();
    for happening in shown.state.recent.iter().rev() {
        let age = (shown.time.tick - happening.tick as f64) / GROWTH_TICKS;
        if age >= 1.0 {
            break;
        }
        if let What::Level { player, from, to } = happening.what {
            let (from, to) = (f64::from(from.get()), f64::from(to.get()));
            // A little too large on the way, so that the eye catches it.
            let level = from + (to - from) * age + (age * std::f64::consts::PI).sin();
            growing.entry(player).or_insert(level.clamp(1.0, 9.0));
        }
    }
    growing
}

fn placed(
    map: MapSize,
    (crowd, grown): (&Crowd, f64),
    player: PlayerId,
    glide: &Glide,
    arrived: f64,
) -> TokenPlace {
    let seat = |at: Position| crowd.seat(map, at, player, grown);
    let (from, to) = (seat(glide.from), seat(glide.to));
    let mix = |from: f64, to: f64| from + (to - from) * glide.share;
    let point = (glide.point.0 + mix(from.dx, to.dx), glide.point.1 + mix(from.dy, to.dy));
    TokenPlace {
        point,
        turn: glide.turn,
        size: mix(from.size, to.size),
        alpha: arrived * glide.there,
        jolt: glide.jolt,
        ghost: glide.ghost.map(|at| (middle(at), 1.0 - glide.there)),
        stacked: to.stacked,
        rite: 0.0,
    }
}

/// Where a player is drawn; `None` if it is not on the map.
pub fn place_of(shown: &Shown<'_>, player: PlayerId) -> Option<TokenPlace> {
    let mirror = shown.state.mirror();
    let (map, at) = (mirror.size?, mirror.players.get(&player)?.at);
    let cast = Cast::among(shown, |known| map.distance(known.at, at) <= NEIGHBOURS);
    cast.place(player).copied()
}

/// Where the best of the winners stand, once they are known: the middle of those around the first of them.
pub fn winners(shown: &Shown<'_>) -> Option<Position> {
    let ((team, _), mirror) = (winner(shown)?, shown.state.mirror());
    let map = mirror.size?;
    let own = |player: &PlayerId| shown.story.roster.team_of(*player) == Some(team);
    let all = || mirror.players.iter().filter(|(player, known)| own(player) && map.contains(known.at));
    let best = all().map(|(_, known)| known.level).max()?;
    let from = all().find(|(_, known)| known.level == best)?.1.at;
    let near = all().filter(|(_, known)| known.level == best).map(|(_, known)| map.delta(from, known.at));
    let near: Vec<(i32, i32)> =
        near.filter(|&(dx, dy)| f64::from(dx).hypot(f64::from(dy)) < TOGETHER).collect();
    let mean = |sum: i32| (f64::from(sum) / near.len() as f64).round() as i32;
    Some(map.offset(from, (mean(near.iter().map(|by| by.0).sum()), mean(near.iter().map(|by| by.1).sum()))))
}

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
pub fn broadcasts<'a>(shown: &Shown<'a>) -> Vec<(PlayerId, Effect<'a>)> {
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
    fn far_is_a_field_the_middle_has_marks_and_near_has_numbers() {
        let far = Detail::of(8.0);
        assert_eq!((far.field, far.tiles, far.marks, far.numbers), (1.0, 0.0, 0.0, 0.0));
        let middle = Detail::of(32.0);
        assert_eq!((middle.field, middle.tiles, middle.marks, middle.numbers), (0.0, 1.0, 1.0, 0.0));
        let near = Detail::of(NEAR);
        assert_eq!((near.field, near.marks, near.numbers), (0.0, 1.0, 1.0));
        assert_eq!(Detail::of(FAR).marks, 1.0);
    }

    #[test]
    fn levels_fade_into_one_another() {
        let mut before = Detail::of(1.0);
        for step in 1..3200 {
            let now = Detail::of(1.0 + step as f32 * 0.05);
            let steps = [now.field - before.field, now.marks - before.marks, now.numbers - before.numbers];
            assert!(steps.iter().all(|step| step.abs() < 0.05), "{now:?}");
            before = now;
        }
    }

    #[test]
    fn an_effect_is_long_enough_to_be_seen_and_short_enough_to_be_remembered() {
        assert_eq!(span(9.0, 0.0), 9.0);
        assert_eq!(span(9.0, 100.0), 35.0);
        assert_eq!(span(9.0, 6400.0), LONGEST);
    }
}
