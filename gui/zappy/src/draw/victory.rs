//! The end: losers fade, the winners stand in gold, and the winning team's name is over the world. Must draw nothing
//! before the end is known. Tested in `tests/world/`.

use zappy_protocol::text::short_name;
use zappy_protocol::zappy::{Level, PlayerId};

use super::{Scene, players};
use crate::scene;
use crate::view::winner;
use zappy_observer::camera::shortest;
use zappy_observer::ink::{Canvas, Color, Point};
use zappy_observer::panels::gold::{self, DARK};
use zappy_observer::theme::{GOLD, NIGHT};

/// Rays of the light around the winners.
const RAYS: u32 = 18;
/// Characters of the winner's name at most.
const NAME_LIMIT: usize = 24;

/// The middle of the group of the best winners, as a tile point and as a point of the window; `winners` are in the
/// order of their levels, the highest last.
fn group_middle(scene: &Scene<'_>, winners: &[(PlayerId, Level)]) -> Option<((f64, f64), Point)> {
    let best = winners.last()?.1;
    let all = winners.iter().filter(|&&(_, level)| level == best).map(|&(player, _)| player);
    let from = scene.cast.place(all.clone().next()?)?.point;
    // The mean of those nearby, counted the shortest way.
    let (mut sum, mut count) = ((0.0, 0.0), 0.0);
    for place in all.filter_map(|player| scene.cast.place(player)) {
        let (dx, dy) = shortest(scene.map, from, place.point);
        if dx.hypot(dy) < scene::GROUP_TILES {
            sum = (sum.0 + dx, sum.1 + dy);
            count += 1.0;
        }
    }
    let middle = (from.0 + sum.0 / count, from.1 + sum.1 / count);
    Some((middle, scene.once(middle)))
}

/// Darkness over the whole world, then golden light and the winners in it.
pub(super) fn draw(canvas: &mut Canvas, scene: &Scene<'_>) {
    let Some((team, ticks)) = winner(scene.shown) else { return };
    let (roster, mirror) = (&scene.shown.story.roster, scene.shown.state.mirror());
    let own = mirror.players.iter().filter(|(player, _)| roster.team_of(**player) == Some(team));
    let mut winners: Vec<(PlayerId, Level)> = own.map(|(&player, known)| (player, known.level)).collect();
    // Winners of higher levels are drawn later, above others.
    winners.sort_by_key(|&(player, level)| (level, player));
    let (place, ticks) = (scene.place, ticks as f32);
    let unfolded = gold::unfolded(ticks);
    canvas.rect(place, NIGHT.alpha(DARK * unfolded));
    gold::frame(canvas, place, unfolded);
    let group = group_middle(scene, &winners);
    if let Some((_, middle)) = group {
        // Rays that turn slowly, and a sun under the winners.
        let reach = (place.w.min(place.h) * 0.42).max(scene.tiles(4.0)) * (0.7 + 0.3 * unfolded);
        for ray in 0..RAYS {
            let turn = ticks / 1_400.0 + ray as f32 / RAYS as f32;
            let long = reach * if ray % 2 == 0 { 1.0 } else { 0.72 };
            let half = 0.26 / RAYS as f32;
            let (one, two) = (Point::from_turn(turn - half) * long, Point::from_turn(turn + half) * long);
            canvas.ray(middle, middle + one, middle + two, GOLD.alpha(0.34 * unfolded));
        }
        canvas.glow(middle, reach * 1.1, GOLD.alpha(0.4 * unfolded));
        canvas.glow(middle, reach * 0.5, GOLD.mix(Color::WHITE, 0.4).alpha(0.45 * unfolded));
        let ring = (scene.tiles(scene::rite::ring(6, Level::MAX).0 + 0.7)).max(14.0);
        canvas.ring(middle, ring, (ring * 0.05).max(2.0), GOLD.alpha(0.95 * unfolded));
        // The wave of the victory goes out over the whole map.
        let out = (ticks / 90.0).min(1.0);
        if out < 1.0 {
            let (r, width) = (ring + reach * 2.0 * out, 6.0 * (1.0 - out) + 1.0);
            canvas.ring(middle, r, width, GOLD.alpha(0.8 * (1.0 - out)));
        }
    }
    for (player, _) in winners {
        let Some(at) = scene.cast.place(player) else { continue };
        let r = players::radius(scene.camera.scale, at.size);
        canvas.glow(scene.once(at.point), (r * 2.6).max(9.0), GOLD.alpha(0.5 * unfolded));
        // Winners of the group are drawn together, also across the map's edge.
        let near = group.filter(|&(middle, _)| {
            let (dx, dy) = shortest(scene.map, middle, at.point);
            dx.hypot(dy) < scene::GROUP_TILES
        });
        players::draw_again(canvas, scene, player, near);
    }
    gold::confetti(canvas, place, (ticks, unfolded));
    let name = short_name(roster.name(team), NAME_LIMIT);
    let free = (scene.free, scene.covered, group.map(|(_, middle)| middle));
    gold::words(canvas, free, &[name.as_ref()], scene.shown.look(Some(team)));
}
