//! What is seen at a moment of game time: where each player is between two tiles, and which effects run.
//!
//! A pure function of [`Shown`]: no clock, no chance, nothing kept between frames, so that seeking to a tick
//! shows what playing up to it shows. Never draws. Tested in `tests/world/` and in its own modules.

mod crowd;
mod detail;
mod effect;
mod glide;

use std::collections::BTreeMap;

use zappy_protocol::zappy::PlayerId;
use zappy_protocol::zappy::mirror::MirrorPlayer;
use zappy_protocol::{MapSize, Position, Tick};

pub use crate::torus::middle;
use crate::zappy::app::shown::Shown;
use crowd::Crowd;
pub use crowd::SEATS;
pub use detail::{Detail, FAR, NEAR};
pub use effect::{Effect, effects, facing_at, pulse, span, words};
use glide::Glide;
pub use glide::JUMP_TICKS;

/// Ticks in which a player that joined comes into sight.
const ARRIVAL_TICKS: f64 = 6.0;
/// Tiles around a player in which another player's place matters for its own.
const NEIGHBOURS: u32 = 8;

/// Where and how a player is drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Place {
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
}

/// The place of each player at a moment.
#[derive(Debug, Clone, Default)]
pub struct Cast {
    places: BTreeMap<PlayerId, Place>,
    stacks: Vec<(Position, usize)>,
}

impl Cast {
    /// The place of each player.
    pub fn of(shown: &Shown<'_>) -> Cast {
        Cast::among(shown, |_| true)
    }

    fn among(shown: &Shown<'_>, near: impl Fn(&MirrorPlayer) -> bool) -> Cast {
        let mirror = shown.stage.mirror();
        let Some(map) = mirror.size else { return Cast::default() };
        let on_map = |known: &MirrorPlayer| map.contains(known.at) && near(known);
        let glides: Vec<(PlayerId, Glide)> = mirror
            .players
            .iter()
            .filter(|(_, known)| on_map(known))
            .map(|(&player, known)| {
                let track = shown.stage.track(player);
                (player, Glide::of(map, (known.at, known.orientation), track, shown.time.tick))
            })
            .collect();
        let crowd = Crowd::of(map, &glides);
        let place = |(player, glide): &(PlayerId, Glide)| {
            let joined = shown.stage.track(*player).and_then(|track| track.joined_at);
            (*player, placed(map, &crowd, *player, glide, arrival(joined, shown.time.tick)))
        };
        Cast { places: glides.iter().map(place).collect(), stacks: crowd.stacks(map) }
    }

    /// A player's place.
    pub fn place(&self, player: PlayerId) -> Option<&Place> {
        self.places.get(&player)
    }

    /// All players in the order of their numbers, which is the order in which they are drawn.
    pub fn places(&self) -> impl DoubleEndedIterator<Item = (PlayerId, &Place)> {
        self.places.iter().map(|(player, place)| (*player, place))
    }

    /// Tiles with more players than have a seat of their own, and how many lie stacked there.
    pub fn stacks(&self) -> &[(Position, usize)] {
        &self.stacks
    }
}

/// How much of a player is there that joined at that tick.
fn arrival(joined: Option<Tick>, tick: f64) -> f64 {
    joined.map_or(1.0, |joined| ((tick - joined as f64) / ARRIVAL_TICKS).clamp(0.0, 1.0))
}

fn placed(map: MapSize, crowd: &Crowd, player: PlayerId, glide: &Glide, arrived: f64) -> Place {
    let (from, to) = (crowd.seat(map, glide.from, player), crowd.seat(map, glide.to, player));
    let mix = |from: f64, to: f64| from + (to - from) * glide.share;
    let point = (glide.point.0 + mix(from.dx, to.dx), glide.point.1 + mix(from.dy, to.dy));
    Place {
        point,
        turn: glide.turn,
        size: mix(from.size, to.size),
        alpha: arrived * glide.there,
        jolt: glide.jolt,
        ghost: glide.ghost.map(|at| (middle(at), 1.0 - glide.there)),
        stacked: to.stacked,
    }
}

/// Where a player is drawn; `None` if it is not on the map.
pub fn place_of(shown: &Shown<'_>, player: PlayerId) -> Option<Place> {
    let mirror = shown.stage.mirror();
    let (map, at) = (mirror.size?, mirror.players.get(&player)?.at);
    let cast = Cast::among(shown, |known| map.distance(known.at, at) <= NEIGHBOURS);
    cast.place(player).copied()
}
