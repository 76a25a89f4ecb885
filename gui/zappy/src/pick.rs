//! What is under a place of the window, and what is on a tile.
//!
//! Players are where they are drawn, not where the rules have them. Must never change anything. Tested in
//! `tests/world/`.

use zappy_protocol::Position;

use crate::action::Selection;
use crate::draw::{egg_spots, token_radius};
use crate::scene::Cast;
use crate::shown::Shown;
use crate::timeline::state::ZappyState;
use zappy_observer::camera::shortest;
use zappy_observer::ink::{Point, Rect};

/// How far from the middle of something one may click, in points: small things are to be hit, too.
const REACH: f32 = 7.0;

/// What is at a place of the window, the topmost first: players, eggs, then the tile. Nothing outside of the
/// world's `place`.
pub fn at(place: Rect, shown: &Shown<'_>, point: Point) -> Vec<Selection> {
    let Some(map) = shown.state.mirror().size.filter(|_| place.contains(point)) else { return Vec::new() };
    let camera = shown.view.camera.sane(map);
    let here = camera.to_tiles(place, point);
    let away = |there: (f64, f64)| {
        let (dx, dy) = shortest(map, here, there);
        dx.hypot(dy) as f32 * camera.scale
    };
    // What is hit comes before what is only near; of what is hit, what was drawn last.
    let cast = Cast::of(shown);
    let (mut hit, mut near) = (Vec::new(), Vec::new());
    // The higher ones are drawn above the lower ones.
    let players = &shown.state.mirror().players;
    let mut places: Vec<_> = cast.places().collect();
    places.sort_by_key(|(player, _)| players.get(player).map(|known| known.level));
    for (player, seat) in places {
        let (far, r) = (away(seat.point), token_radius(camera.scale, seat.size));
        if far <= r {
            hit.push(Selection::Player(player));
        } else if far <= REACH {
            near.push((far, Selection::Player(player)));
        }
    }
    hit.reverse();
    near.sort_by(|one, other| one.0.total_cmp(&other.0));
    hit.extend(near.into_iter().map(|(_, player)| player));
    let spots = egg_spots(shown).into_iter().rev();
    let eggs = spots.filter(|&(_, spot, half)| away(spot) <= (half as f32 * camera.scale).max(REACH));
    hit.extend(eggs.map(|(egg, ..)| Selection::Egg(egg)));
    hit.push(Selection::Tile(camera.tile_at(place, point, map)));
    hit
}

/// What is on a tile: players and eggs in the order of their numbers, then the tile itself.
pub fn on_tile(state: &ZappyState, at: Position) -> Vec<Selection> {
    let mirror = state.mirror();
    let players = mirror.players.iter().filter(|(_, known)| known.at == at);
    let eggs = mirror.eggs.iter().filter(|(_, known)| known.at == at);
    let mut there: Vec<Selection> = players.map(|(&player, _)| Selection::Player(player)).collect();
    there.extend(eggs.map(|(&egg, _)| Selection::Egg(egg)));
    there.push(Selection::Tile(at));
    there
}
