//! The marks of teams, the same wherever a team is shown.
//!
//! Shapes with the same radius `r` are sized so that they look equally large. Must never depend on what is shown.
//! Tested with the marks of the games.

use crate::ink::{Canvas, Color, Point, Rect};
use crate::theme::{NIGHT, TeamLook, TeamShape};

/// Marks with a radius below this, in points, have neither outline nor facets: a plain spot is clearer.
pub const PLAIN_BELOW: f32 = 3.5;

/// Draws a team's mark of radius `r` points: its shape in its colour, pointing north.
pub fn emblem(canvas: &mut Canvas, centre: Point, r: f32, look: TeamLook) {
    if r >= PLAIN_BELOW {
        shape(canvas, centre, r, look.shape, 0.0, dark(look.color));
        shape(canvas, centre, r - (r * 0.16).clamp(0.8, 2.5), look.shape, 0.0, look.color);
    } else {
        shape(canvas, centre, r, look.shape, 0.0, look.color);
    }
}

/// A dark shade of a colour, for its outline.
pub fn dark(color: Color) -> Color {
    color.mix(NIGHT, 0.72)
}

/// Draws a team's shape, filled. Square, triangle and diamond turn with their player, by `turn` turns clockwise from
/// north; the other shapes don't.
pub fn shape(canvas: &mut Canvas, centre: Point, r: f32, shape: TeamShape, turn: f32, color: Color) {
    match shape {
        TeamShape::Circle => canvas.circle(centre, r * 0.94, color),
        TeamShape::Square => canvas.polygon(centre, r * 1.22, 4, turn + 0.125, r * 0.28, color),
        TeamShape::Triangle => canvas.polygon(centre, r * 1.34, 3, turn, r * 0.3, color),
        TeamShape::Diamond => canvas.polygon(centre, r * 1.2, 4, turn, r * 0.14, color),
        TeamShape::Star => canvas.star(centre, r * 1.34, 5, 0.52, 0.0, color),
        TeamShape::Cross => {
            let (long, wide) = (r * 2.1, r * 0.9);
            canvas.rect(Rect::around(centre, long, wide), color);
            let arm = Point::new(0.0, (long + wide) / 4.0);
            canvas.rect(Rect::around(centre - arm, wide, (long - wide) / 2.0), color);
            canvas.rect(Rect::around(centre + arm, wide, (long - wide) / 2.0), color);
        }
        TeamShape::Pill => canvas.round_rect(Rect::around(centre, r * 1.24, r * 2.3), r * 0.62, color),
        TeamShape::Spark => canvas.star(centre, r * 1.5, 4, 0.46, 0.0, color),
    }
}
