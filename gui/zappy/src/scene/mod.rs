//! What is seen at a moment of game time: where each player is between two tiles, which effects run, and how much
//! detail there is.
//!
//! An effect lasts so many ticks, or longer while time runs fast, so that the eye catches it; never longer than
//! [`LOOKBACK`]. A pure function of [`Shown`]: no clock, no chance, nothing kept between frames, so that seeking to a
//! tick shows what playing up to it shows. Never draws. Tested in `tests/world/` and in its own modules.

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

/// Points per tile from which on each resource has its mark; below, a field of colour stands for all.
pub const MARKS_SCALE: f32 = 18.0;
/// Points per tile from which on amounts are numbers.
pub const NUMBERS_SCALE: f32 = 56.0;
/// Ticks in which a player that joined comes into sight.
const ARRIVAL_TICKS: f64 = 6.0;
/// Ticks in which a player grows to its new level.
const GROWTH_TICKS: f64 = 20.0;
/// Winners within so many tiles of the first of them are shown as one group.
pub const GROUP_TILES: f64 = 3.0;
/// Players farther away than so many tiles don't change where a player is drawn.
const NEIGHBOUR_TILES: u32 = 8;

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
        let marks = smooth(MARKS_SCALE * 0.78, MARKS_SCALE, scale);
        Detail {
            field: 1.0 - smooth(MARKS_SCALE * 0.9, MARKS_SCALE * 1.5, scale),
            tiles: smooth(MARKS_SCALE * 0.55, MARKS_SCALE, scale),
            marks,
            numbers: smooth(NUMBERS_SCALE * 0.86, NUMBERS_SCALE, scale),
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
    /// The tile point that it jumped from, and how much of it is still seen there, 1 to 0.
    pub ghost: Option<((f64, f64), f64)>,
    /// Whether it lies with others on a stack in the middle of its tile.
    pub stacked: bool,
    /// How far it has stepped onto an incantation's ring, 0 to 1.
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

    /// The place of each player that `wanted` accepts.
    fn among(shown: &Shown<'_>, wanted: impl Fn(&MirrorPlayer) -> bool) -> Cast {
        let mirror = shown.state.mirror();
        let Some(map) = mirror.size else { return Cast::default() };
        let on_map = |known: &MirrorPlayer| map.contains(known.at) && wanted(known);
        let growing = growing(shown);
        let glide = |(&player, known): (&PlayerId, &MirrorPlayer)| {
            let track = shown.state.track(player);
            let level = growing.get(&player).copied().unwrap_or(f64::from(known.level.get()));
            let glide = Glide::of(map, (known.at, known.orientation), track, shown.time.tick);
            (player, glide, growth(level))
        };
        let players = mirror.players.iter().filter(|(_, known)| on_map(known));
        let glides: Vec<(PlayerId, Glide, f64)> = players.map(glide).collect();
        let ring_places = rite::ring_places(shown);
        // Participants that stand on a ring leave their seats to others.
        let on_ring = |player: PlayerId, at: Position| {
            ring_places.get(&player).filter(|on_ring| on_ring.at == at).map_or(0.0, |on_ring| on_ring.share)
        };
        let crowd = Crowd::of(map, &glides, |player, at| 1.0 - on_ring(player, at));
        let place = |(player, glide, grown): &(PlayerId, Glide, f64)| {
            let joined = shown.state.track(*player).and_then(|track| track.joined_at);
            let age = |joined: Tick| (shown.time.tick - joined as f64) / ARRIVAL_TICKS;
            let arrived = joined.map_or(1.0, |joined| age(joined).clamp(0.0, 1.0));
            let mut place = placed(map, (&crowd, *grown), *player, glide, arrived);
            if let Some(on_ring) = ring_places.get(player) {
                let share_at = |at: Position, share: f64| if at == on_ring.at { share } else { 0.0 };
                let from = if glide.from == glide.to { 0.0 } else { share_at(glide.from, 1.0 - glide.share) };
                // It is between its seat and the ring, the nearer to the ring the more of it is on the ring's tile.
                let share = on_ring.share * (share_at(glide.to, glide.share) + from);
                let mix = |from: f64, to: f64| from + (to - from) * share;
                let (x, y) = (glide.point.0 + on_ring.dx, glide.point.1 + on_ring.dy);
                place.point = (mix(place.point.0, x), mix(place.point.1, y));
                (place.size, place.rite) = (mix(place.size, on_ring.size), share);
                place.stacked &= share < 0.5;
            }
            (*player, place)
        };
        Cast { places: glides.iter().map(place).collect(), stacks: crowd.stacks(map) }
    }

    pub fn place(&self, player: PlayerId) -> Option<&TokenPlace> {
        self.places.get(&player)
    }

    /// All players in the order of their numbers.
    pub fn places(&self) -> impl DoubleEndedIterator<Item = (PlayerId, &TokenPlace)> {
        self.places.iter().map(|(player, place)| (*player, place))
    }
}

/// The level by which each player that just rose or fell is drawn: between the two levels, or a little above.
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

/// A player's place between its seats on the two tiles of its glide; `arrived` is 1 from some ticks after it joined on.
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
        alpha: arrived * glide.alpha,
        jolt: glide.jolt,
        ghost: glide.ghost.map(|at| (middle(at), 1.0 - glide.alpha)),
        stacked: to.stacked,
        rite: 0.0,
    }
}

/// Where a player is drawn; `None` if it is not on the map.
pub fn place_of(shown: &Shown<'_>, player: PlayerId) -> Option<TokenPlace> {
    let mirror = shown.state.mirror();
    let (map, at) = (mirror.size?, mirror.players.get(&player)?.at);
    let cast = Cast::among(shown, |known| map.distance(known.at, at) <= NEIGHBOUR_TILES);
    cast.place(player).copied()
}

/// The tile in the middle of the winners of the highest level, of those near the first of them; `None` before the end.
pub fn winners(shown: &Shown<'_>) -> Option<Position> {
    let ((team, _), mirror) = (winner(shown)?, shown.state.mirror());
    let map = mirror.size?;
    let has_won = |player: &PlayerId| shown.story.roster.team_of(*player) == Some(team);
    let all = || mirror.players.iter().filter(|(player, known)| has_won(player) && map.contains(known.at));
    let best = all().map(|(_, known)| known.level).max()?;
    let from = all().find(|(_, known)| known.level == best)?.1.at;
    let near = all().filter(|(_, known)| known.level == best).map(|(_, known)| map.delta(from, known.at));
    let near: Vec<(i32, i32)> =
        near.filter(|&(dx, dy)| f64::from(dx).hypot(f64::from(dy)) < GROUP_TILES).collect();
    let mean = |sum: i32| (f64::from(sum) / near.len() as f64).round() as i32;
    Some(map.offset(from, (mean(near.iter().map(|by| by.0).sum()), mean(near.iter().map(|by| by.1).sum()))))
}

/// Seconds for which an effect is seen at the least.
const MIN_EFFECT_SECONDS: f64 = 0.35;
/// Seconds for which words are seen at the least, so that they can be read.
const MIN_WORDS_SECONDS: f64 = 2.0;
/// Ticks for which words stand at the speaker.
const WORDS_TICKS: f64 = 80.0;
/// Ticks that any effect may last.
const MAX_EFFECT_TICKS: f64 = LOOKBACK as f64;
/// Ticks that the marks of taken things may last: they come by the thousand.
const MAX_ITEM_TICKS: f64 = 40.0;
/// Seconds of a pulse at the least: faster, it would flicker.
const MIN_PULSE_SECONDS: f64 = 0.8;

/// Something that is still seen.
#[derive(Debug, Clone, Copy)]
pub struct Effect<'a> {
    pub happening: &'a Happening,
    /// 0 when it begins, 1 when it is over.
    pub age: f64,
}

/// Ticks that an effect of `base` ticks lasts at a pace of so many ticks a second.
pub fn visible_ticks(base: f64, pace: f64) -> f64 {
    base.max(MIN_EFFECT_SECONDS * pace).min(MAX_EFFECT_TICKS)
}

/// How far a pulse of `base` ticks has got, 0 to 1; slower while time runs fast.
pub fn pulse(shown: &Shown<'_>, base: f64) -> f32 {
    let period = base.max(MIN_PULSE_SECONDS * shown.time.pace);
    (shown.time.tick / period).rem_euclid(1.0) as f32
}

/// Ticks for which an event's effect lasts at a pace of so many ticks a second; `None` if it has no effect.
fn effect_ticks(what: &What, pace: f64) -> Option<f64> {
    Some(match what {
        What::Took(..) | What::Dropped(..) => visible_ticks(9.0, pace).min(MAX_ITEM_TICKS),
        What::Ejected { .. } | What::EggLaid(..) => visible_ticks(14.0, pace),
        What::Joined(_) | What::EggHatched(_) | What::EggDestroyed(_) => visible_ticks(20.0, pace),
        What::Level { .. } | What::IncantationEnded { .. } => visible_ticks(36.0, pace),
        What::Gone { .. } => visible_ticks(42.0, pace),
        What::Broadcast(..) => visible_ticks(48.0, pace),
        _ => return None,
    })
}

/// All effects of the moment, the oldest first.
pub fn effects<'a>(shown: &Shown<'a>) -> impl DoubleEndedIterator<Item = Effect<'a>> + use<'a> {
    let (tick, pace) = (shown.time.tick, shown.time.pace);
    let recent = &shown.state.recent;
    // Skips what is too old to be seen.
    let oldest = recent.partition_point(|happening| happening.tick as f64 + MAX_EFFECT_TICKS <= tick);
    recent.range(oldest..).filter_map(move |happening| {
        let age = (tick - happening.tick as f64) / effect_ticks(&happening.what, pace)?;
        (0.0..1.0).contains(&age).then_some(Effect { happening, age })
    })
}

/// The broadcasts that are still seen, the newest first, only the last one of each speaker.
pub fn broadcasts<'a>(shown: &Shown<'a>) -> Vec<(PlayerId, Effect<'a>)> {
    let lasts = WORDS_TICKS.max(MIN_WORDS_SECONDS * shown.time.pace).min(MAX_EFFECT_TICKS);
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
        let near = Detail::of(NUMBERS_SCALE);
        assert_eq!((near.field, near.marks, near.numbers), (0.0, 1.0, 1.0));
        assert_eq!(Detail::of(MARKS_SCALE).marks, 1.0);
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
        assert_eq!(visible_ticks(9.0, 0.0), 9.0);
        assert_eq!(visible_ticks(9.0, 100.0), 35.0);
        assert_eq!(visible_ticks(9.0, 6400.0), MAX_EFFECT_TICKS);
    }
}
