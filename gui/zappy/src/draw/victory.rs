//! The end: losers fade, the winners stand in gold, and the world itself says which team has won. Says nothing before the
//! end was told.

use zappy_protocol::text::short_name;
use zappy_protocol::zappy::story::TeamIndex;
use zappy_protocol::zappy::{Level, PlayerId};

use super::{Scene, players};
use crate::scene;
use crate::shown::{Shown, winner};
use zappy_observer::ink::{Canvas, Color, Point};
use zappy_observer::panels::gold::{self, DARK};
use zappy_observer::theme::{GOLD, NIGHT};

/// Rays of the light around the winners.
const RAYS: u32 = 18;
/// Characters of the winner's name.
const NAME: usize = 24;

/// The players of the team that has won, and how far the victory has unfolded, 0 to 1.
struct Victory {
    team: TeamIndex,
    players: Vec<(PlayerId, Level)>,
    ticks: f32,
    there: f32,
}

impl Victory {
    fn of(shown: &Shown<'_>) -> Option<Victory> {
        let (mirror, (team, since)) = (shown.state.mirror(), winner(shown)?);
        let since = since as f32;
        let of_team = |player: &PlayerId| shown.story.roster.team_of(*player) == Some(team);
        let winners = mirror.players.iter().filter(|(player, _)| of_team(player));
        let mut players: Vec<(PlayerId, Level)> = winners.map(|(&p, known)| (p, known.level)).collect();
        // The highest ones last, above the others.
        players.sort_by_key(|&(player, level)| (level, player));
        Some(Victory { team, players, ticks: since, there: gold::unfolded(since) })
    }

    /// Where the best of the winners stand, as a tile point and on the window.
    fn heart(&self, scene: &Scene<'_>) -> Option<((f64, f64), Point)> {
        let best = self.players.last()?.1;
        let first = self.players.iter().find(|&&(_, level)| level == best)?.0;
        let from = scene.cast.place(first)?.point;
        // The mean of those nearby, counted the shortest way.
        let near = self.players.iter().filter(|&&(_, level)| level == best).filter_map(|&(player, _)| {
            let (dx, dy) = zappy_observer::camera::shortest(scene.map, from, scene.cast.place(player)?.point);
            (dx.hypot(dy) < scene::TOGETHER).then_some((dx, dy))
        });
        let (mut sum, mut count) = ((0.0, 0.0), 0.0);
        for (dx, dy) in near {
            sum = (sum.0 + dx, sum.1 + dy);
            count += 1.0;
        }
        let heart = (from.0 + sum.0 / count, from.1 + sum.1 / count);
        Some((heart, scene.once(heart)))
    }
}

/// Over the world of the losers: darkness, then gold, and the winners in it.
pub(super) fn draw(canvas: &mut Canvas, scene: &Scene<'_>) {
    let Some(victory) = Victory::of(scene.shown) else { return };
    let (place, there) = (scene.place, victory.there);
    canvas.rect(place, NIGHT.alpha(DARK * there));
    gold::frame(canvas, place, there);
    let heart = victory.heart(scene);
    if let Some((_, heart)) = heart {
        light(canvas, scene, &victory, heart);
    }
    for &(player, _) in &victory.players {
        let Some(at) = scene.cast.place(player) else { continue };
        let r = players::radius(scene.camera.scale, at.size);
        canvas.glow(scene.once(at.point), (r * 2.6).max(9.0), GOLD.alpha(0.5 * there));
        // Those around the heart stay together, also across the seam.
        let near = heart.filter(|&(heart, _)| {
            let (dx, dy) = zappy_observer::camera::shortest(scene.map, heart, at.point);
            dx.hypot(dy) < scene::TOGETHER
        });
        players::again(canvas, scene, player, near);
    }
    gold::confetti(canvas, place, (victory.ticks, there));
    let name = short_name(scene.shown.story.roster.name(victory.team), NAME);
    let free = (scene.free, scene.covered, heart.map(|(_, heart)| heart));
    gold::words(canvas, free, &[name.as_ref()], scene.shown.look(Some(victory.team)));
}

/// Rays that turn slowly, and a sun under the winners.
fn light(canvas: &mut Canvas, scene: &Scene<'_>, victory: &Victory, heart: Point) {
    let there = victory.there;
    let reach = (scene.place.w.min(scene.place.h) * 0.42).max(scene.tiles(4.0)) * (0.7 + 0.3 * there);
    let turn = victory.ticks / 1_400.0;
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
    let out = (victory.ticks / 90.0).min(1.0);
    if out < 1.0 {
        canvas.ring(heart, ring + reach * 2.0 * out, 6.0 * (1.0 - out) + 1.0, GOLD.alpha(0.8 * (1.0 - out)));
    }
}
