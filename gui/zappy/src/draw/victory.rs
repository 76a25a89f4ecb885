//! The end: losers fade, the winners stand in gold, and the world itself says which team has won. Must draw nothing before the
//! end is known. Tested in `tests/world/`.

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
/// Characters of the winner's name.
const NAME: usize = 24;

/// Where the best of the winners stand, as a tile point and on the window; the winners come with the highest last.
fn heart(scene: &Scene<'_>, winners: &[(PlayerId, Level)]) -> Option<((f64, f64), Point)> {
    let best = winners.last()?.1;
    let all = winners.iter().filter(|&&(_, level)| level == best).map(|&(player, _)| player);
    let from = scene.cast.place(all.clone().next()?)?.point;
    // The mean of those nearby, counted the shortest way.
    let (mut sum, mut count) = ((0.0, 0.0), 0.0);
    for place in all.filter_map(|player| scene.cast.place(player)) {
        let (dx, dy) = shortest(scene.map, from, place.point);
        if dx.hypot(dy) < scene::TOGETHER {
            sum = (sum.0 + dx, sum.1 + dy);
            count += 1.0;
        }
    }
    let heart = (from.0 + sum.0 / count, from.1 + sum.1 / count);
    Some((heart, scene.once(heart)))
}

/// Over the world of the losers: darkness, then gold, and the winners in it.
pub(super) fn draw(canvas: &mut Canvas, scene: &Scene<'_>) {
    let Some((team, ticks)) = winner(scene.shown) else { return };
    let (roster, mirror) = (&scene.shown.story.roster, scene.shown.state.mirror());
    let own = mirror.players.iter().filter(|(player, _)| roster.team_of(**player) == Some(team));
    let mut winners: Vec<(PlayerId, Level)> = own.map(|(&player, known)| (player, known.level)).collect();
    // The highest ones last, above the others.
    winners.sort_by_key(|&(player, level)| (level, player));
    let (place, ticks) = (scene.place, ticks as f32);
    let there = gold::unfolded(ticks);
    canvas.rect(place, NIGHT.alpha(DARK * there));
    gold::frame(canvas, place, there);
    let heart = heart(scene, &winners);
    if let Some((_, heart)) = heart {
        light(canvas, scene, (ticks, there), heart);
    }
    for (player, _) in winners {
        let Some(at) = scene.cast.place(player) else { continue };
        let r = players::radius(scene.camera.scale, at.size);
        canvas.glow(scene.once(at.point), (r * 2.6).max(9.0), GOLD.alpha(0.5 * there));
        // Those around the heart stay together, also across the seam.
        let near = heart.filter(|&(heart, _)| {
            let (dx, dy) = shortest(scene.map, heart, at.point);
            dx.hypot(dy) < scene::TOGETHER
        });
        players::draw_again(canvas, scene, player, near);
    }
    gold::confetti(canvas, place, (ticks, there));
    let name = short_name(roster.name(team), NAME);
    let free = (scene.free, scene.covered, heart.map(|(_, heart)| heart));
    gold::words(canvas, free, &[name.as_ref()], scene.shown.look(Some(team)));
}

/// Rays that turn slowly, and a sun under the winners; with the ticks since the end and how far the victory has unfolded.
fn light(canvas: &mut Canvas, scene: &Scene<'_>, (ticks, there): (f32, f32), heart: Point) {
    let reach = (scene.place.w.min(scene.place.h) * 0.42).max(scene.tiles(4.0)) * (0.7 + 0.3 * there);
    let turn = ticks / 1_400.0;
    for ray in 0..RAYS {
        let way = turn + ray as f32 / RAYS as f32;
        let long = reach * if ray % 2 == 0 { 1.0 } else { 0.72 };
        let half = 0.26 / RAYS as f32;
        let (one, two) = (Point::from_turn(way - half) * long, Point::from_turn(way + half) * long);
        canvas.ray(heart, heart + one, heart + two, GOLD.alpha(0.34 * there));
    }
    canvas.glow(heart, reach * 1.1, GOLD.alpha(0.4 * there));
    canvas.glow(heart, reach * 0.5, GOLD.mix(Color::WHITE, 0.4).alpha(0.45 * there));
    let ring = (scene.tiles(scene::rite::ring(6, Level::MAX).0 + 0.7)).max(14.0);
    canvas.ring(heart, ring, (ring * 0.05).max(2.0), GOLD.alpha(0.95 * there));
    // The wave of the victory goes out over the whole map.
    let out = (ticks / 90.0).min(1.0);
    if out < 1.0 {
        canvas.ring(heart, ring + reach * 2.0 * out, 6.0 * (1.0 - out) + 1.0, GOLD.alpha(0.8 * (1.0 - out)));
    }
}
