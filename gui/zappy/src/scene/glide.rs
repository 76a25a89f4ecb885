//! Where a player is between two tiles.
//!
//! Messages say what a command did when it ends; so a player glides to its new tile over the ticks that its next
//! command takes, and walking on and on is one even glide. Follows the known steps, never a straight line across
//! several. Tested below and in `tests/world/`.

use zappy_protocol::zappy::Orientation;
use zappy_protocol::zappy::constants::ACTION_TICKS;
use zappy_protocol::{MapSize, Position};

use crate::timeline::track::{Movement, Track, TrackStep};

/// Ticks from tile to tile.
const WALK_TICKS: f64 = ACTION_TICKS as f64;
/// Ticks of a quarter turn, or of half a turn.
const TURN_TICKS: f64 = 5.0;
/// Ticks of a slide after a push.
const SLIDE_TICKS: f64 = 4.0;
/// Ticks in which a pushed player stands firm again.
const JOLT_TICKS: f64 = 10.0;
/// Ticks in which a player fades at the tile it left for no visible reason, and appears at the other.
pub const JUMP_TICKS: f64 = 7.0;

/// A player between two tiles.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Glide {
    /// The tile it comes from.
    pub from: Position,
    /// The next tile on its way.
    pub to: Position,
    /// How much of the way between them it went; 1 at rest.
    pub share: f64,
    /// Where the player is drawn, in tiles, on the line between the tiles' middles; counted on over the map's
    /// edge from the tile where it ends.
    pub point: (f64, f64),
    /// Where it faces, in turns clockwise from north.
    pub turn: f64,
    /// How freshly it was pushed, 1 to 0.
    pub jolt: f64,
    /// How much of it is seen on its tile after a jump, 0 to 1.
    pub alpha: f64,
    /// The tile it jumped away from.
    pub ghost: Option<Position>,
}

/// A distance, in tiles or turns, that is worked off from a tick on, evenly or ever more slowly.
#[derive(Clone, Copy)]
struct Remainder {
    from: f64,
    since: f64,
    ticks: f64,
    eases: bool,
}

impl Remainder {
    const NONE: Remainder = Remainder { from: 0.0, since: 0.0, ticks: 1.0, eases: false };

    /// What is left of it at a tick.
    fn at(self, tick: f64) -> f64 {
        let left = 1.0 - ((tick - self.since) / self.ticks).clamp(0.0, 1.0);
        self.from * if self.eases { left * left } else { left }
    }

    /// Adds `by` to what is left. A remainder of more than one tile is worked off faster, so that the picture
    /// doesn't fall behind.
    fn plus(self, by: f64, tick: f64, ticks: f64, eases: bool) -> Remainder {
        let from = self.at(tick) + by;
        Remainder { from, since: tick, ticks: ticks / from.abs().max(1.0), eases }
    }
}

impl Glide {
    /// Where a player is seen at a tick; `now` is the tile on which the mirror has it, and where it faces.
    pub(super) fn of(map: MapSize, now: (Position, Orientation), track: Option<&Track>, tick: f64) -> Glide {
        let (at, turn) = (now.0, turn_of(now.1));
        let point = super::middle(at);
        let mut glide =
            Glide { from: at, to: at, share: 1.0, point, turn, jolt: 0.0, alpha: 1.0, ghost: None };
        let Some(last) = track.and_then(|track| track.steps.back()) else { return glide };
        let age = tick - last.tick as f64;
        if last.to != at || age >= JOLT_TICKS.max(WALK_TICKS) {
            return glide;
        }
        let steps = track.map(|track| chain(track)).unwrap_or_default();
        // The tiles that are left of the way, and the turns clockwise from where the player will face.
        let (mut tiles, mut turn) = (Remainder::NONE, Remainder::NONE);
        for step in &steps {
            let at = step.tick as f64;
            match step.movement {
                Movement::Walked => tiles = tiles.plus(1.0, at, WALK_TICKS, false),
                Movement::Pushed => tiles = tiles.plus(1.0, at, SLIDE_TICKS, true),
                Movement::Jumped => tiles = Remainder::NONE,
                Movement::Turned => {}
            }
            if step.turned_from != step.facing && step.movement != Movement::Jumped {
                let left = turn.at(at) + (turn_of(step.turned_from) - turn_of(step.facing));
                // The shorter way, clockwise if both are equally long.
                let shorter = left - (left - 1e-9).round();
                turn = Remainder { from: shorter, since: at, ticks: TURN_TICKS, eases: false };
            }
        }
        glide.turn += turn.at(tick);
        let mut tiles = tiles.at(tick);
        // Back from the last tile by the tiles that are left of the way.
        for step in steps.iter().rev().filter(|step| step.from != step.to) {
            if tiles <= 0.0 || step.movement == Movement::Jumped {
                break;
            }
            let (dx, dy) = step.tiles(map);
            let back = tiles.min(1.0);
            glide.point.0 -= f64::from(dx) * back;
            glide.point.1 -= f64::from(dy) * back;
            (glide.from, glide.to, glide.share) = (step.from, step.to, 1.0 - back);
            tiles -= 1.0;
        }
        if let Some(push) = steps.iter().rev().find(|step| step.movement == Movement::Pushed) {
            glide.jolt = 1.0 - ((tick - push.tick as f64) / JOLT_TICKS).clamp(0.0, 1.0);
        }
        if let Some(jump) = steps.iter().find(|step| step.movement == Movement::Jumped) {
            glide.alpha = ((tick - jump.tick as f64) / JUMP_TICKS).clamp(0.0, 1.0);
            glide.ghost = (glide.alpha < 1.0).then_some(jump.from);
        }
        glide
    }
}

/// The last steps that still matter: before them the player stood still, or jumped from elsewhere.
fn chain(track: &Track) -> Vec<&TrackStep> {
    let settles = WALK_TICKS.max(TURN_TICKS) as u64;
    let mut steps: Vec<&TrackStep> = Vec::new();
    for step in track.steps.iter().rev() {
        if steps.last().is_some_and(|next| next.tick - step.tick.min(next.tick) >= settles) {
            break;
        }
        steps.push(step);
        if step.movement == Movement::Jumped {
            break;
        }
    }
    steps.reverse();
    steps
}

/// A direction in turns clockwise from north.
pub(super) fn turn_of(facing: Orientation) -> f64 {
    f64::from(facing.number() - 1) / 4.0
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAP: (u16, u16) = (10, 8);

    fn at(x: u16, y: u16) -> Position {
        Position { x, y }
    }

    fn walked(steps: &[(u64, Position, Orientation)]) -> (MapSize, (Position, Orientation), Track) {
        let map = MapSize::new(MAP.0, MAP.1).unwrap();
        let mut track = Track::default();
        for pair in steps.windows(2) {
            track.moved(map, pair[1].0, (pair[0].1, pair[0].2), (pair[1].1, pair[1].2));
        }
        let last = steps[steps.len() - 1];
        (map, (last.1, last.2), track)
    }

    #[test]
    fn a_step_across_the_seam_is_one_tile_long() {
        let east = Orientation::East;
        let (map, now, track) = walked(&[(0, at(9, 3), east), (20, at(0, 3), east)]);
        for quarter in 0..=4 {
            let tick = 20.0 + 7.0 * f64::from(quarter) / 4.0;
            let glide = Glide::of(map, now, Some(&track), tick);
            assert!((glide.point.0 - (-0.5 + f64::from(quarter) / 4.0)).abs() < 1e-9, "{glide:?}");
            assert_eq!(glide.point.1, 3.5);
        }
    }

    #[test]
    fn walking_on_is_one_even_glide() {
        let east = Orientation::East;
        let steps: Vec<_> = (0..6).map(|n| (u64::from(n) * 7, at(n, 3), east)).collect();
        for tick in 70..350 {
            let tick = f64::from(tick) / 10.0;
            let known: Vec<_> = steps.iter().copied().filter(|step| step.0 as f64 <= tick).collect();
            let (map, now, track) = walked(&known);
            let glide = Glide::of(map, now, Some(&track), tick);
            assert!((glide.point.0 - (tick / 7.0 - 0.5)).abs() < 1e-9, "{tick}: {glide:?}");
        }
    }

    #[test]
    fn a_burst_of_steps_is_followed_around_the_corner() {
        let (east, south) = (Orientation::East, Orientation::South);
        let (map, now, track) = walked(&[
            (0, at(2, 2), east),
            (10, at(3, 2), east),
            (10, at(3, 2), south),
            (10, at(3, 3), south),
        ]);
        let mut last = Glide::of(map, now, Some(&track), 10.0).point;
        assert_eq!(last, (2.5, 2.5));
        for step in 1..=70 {
            let point = Glide::of(map, now, Some(&track), 10.0 + f64::from(step) / 10.0).point;
            assert!(point.0 == 3.5 || point.1 == 2.5, "{point:?}");
            assert!((point.0 - last.0).hypot(point.1 - last.1) < 0.06);
            last = point;
        }
        assert_eq!(last, (3.5, 3.5));
    }

    #[test]
    fn it_turns_along_the_shorter_way() {
        let (map, now, track) =
            walked(&[(0, at(2, 2), Orientation::North), (10, at(2, 2), Orientation::West)]);
        let half = Glide::of(map, now, Some(&track), 12.5);
        assert!((half.turn.rem_euclid(1.0) - 0.875).abs() < 1e-9, "{half:?}");
        assert_eq!(Glide::of(map, now, Some(&track), 15.0).turn, 0.75);
    }

    #[test]
    fn a_jump_leaves_a_ghost() {
        let (map, now, track) =
            walked(&[(0, at(2, 2), Orientation::North), (10, at(7, 6), Orientation::North)]);
        let glide = Glide::of(map, now, Some(&track), 10.0 + JUMP_TICKS / 4.0);
        assert_eq!((glide.point, glide.alpha, glide.ghost), ((7.5, 6.5), 0.25, Some(at(2, 2))));
    }
}
