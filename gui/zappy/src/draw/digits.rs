//! The new level rises as a digit from the players that reached it.

use zappy_protocol::Position;
use zappy_protocol::zappy::Level;
use zappy_protocol::zappy::story::{TeamIndex, What};

use super::{Scene, bright, ease_out};
use crate::scene::{self, rite};
use zappy_observer::ink::{Anchor, Canvas, Color, Face, Point, Rect, Style};
use zappy_observer::theme::NIGHT;

/// Digits that rise at a time at most.
const DIGITS: usize = 32;

/// How much farther out than their circle players reach while they grow, in tiles.
const GROWING: f64 = 0.15;
/// Where players of a team rose to which level.
type Risen = (Position, Level, Option<TeamIndex>);

/// The new level rises as a digit from the players that reached it, in their team's colour.
pub(super) fn draw(canvas: &mut Canvas, scene: &Scene<'_>) {
    let mut rose: Vec<(Risen, f64, Color, usize)> = Vec::new();
    for effect in scene.effects.iter().rev() {
        let (What::Level { player, from, to }, Some(at)) = (&effect.happening.what, effect.happening.at)
        else {
            continue;
        };
        let key = (at, *to, scene.shown.roster.team_of(*player));
        if let Some((.., count)) =
            rose.iter_mut().find(|(known, age, ..)| *known == key && *age == effect.age)
        {
            *count += 1;
        } else if to > from && scene.map.contains(at) && rose.len() < DIGITS {
            rose.push((key, effect.age, bright(scene.look(*player).color), 1));
        }
    }
    if rose.is_empty() {
        return;
    }
    let figures = scene.figures();
    for ((at, level, _), age, color, count) in rose {
        let (out, left) = (ease_out(age), ((1.0 - age as f32) * 2.5).min(1.0));
        let great = 12.0 + f32::from(level.get());
        let size = (scene.camera.scale * 0.42).clamp(great, 46.0) * (0.7 + 0.3 * out);
        let text = if count > 1 { format!("{level}×{count}") } else { level.to_string() };
        let (wide, high) = (canvas.measure(&text, Face::Strong, size) + 4.0, size * 1.1);
        // Outside of the ring of those that rose, and over no other face.
        let ring = scene.tiles(rite::reach(count, level) + GROWING).max(12.0);
        let rest = scene.tiles(0.5).max(14.0) * out;
        let (up, aside) = (ring + high / 2.0 + rest, ring + wide / 2.0 + rest);
        let middle = scene.once(scene::middle(at));
        let ways = [
            (0.0, -up),
            (aside, 0.0),
            (-aside, 0.0),
            (0.0, up),
            (aside, -up),
            (-aside, -up),
            (0.0, -up * 1.5),
        ];
        let mut places = ways.map(|(x, y)| Rect::around(middle + Point::new(x, y), wide, high)).into_iter();
        let clear = |place: &Rect| {
            scene.has_room(*place)
                && !figures.iter().any(|&(figure, r)| place.nearest(figure).distance(figure) < r)
        };
        let Some(head) = places.find(clear).map(Rect::centre) else { continue };
        canvas.glow(head, size * 1.3, NIGHT.alpha(0.8 * left));
        for by in [Point::new(1.2, 1.2), Point::new(-1.2, 1.2)] {
            canvas.text(head + by, Anchor::Centre, &text, Style::strong(size, NIGHT.alpha(left)));
        }
        canvas.text(head, Anchor::Centre, &text, Style::strong(size, color.alpha(left)));
    }
}
