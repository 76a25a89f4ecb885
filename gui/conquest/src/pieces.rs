//! The marks of conquest, the same on the map and on panels: units, bases, what lies and stands on tiles.
//!
//! A unit's shape and colour are its faction's, the sign on it is its type's. Must never depend on a match's state.

use zappy_protocol::conquest::{Building, Stance, UnitType};

use zappy_observer::ink::{Anchor, Canvas, Color, Point, Rect, Style};
use zappy_observer::panels::marks::{dark, shape};
use zappy_observer::theme::{ACCENT, BAD, GOOD, NIGHT, TEXT, TeamLook};

/// From this radius on, in points, a unit bears its type's sign.
const SIGN_RADIUS: f32 = 4.0;
/// From this radius on, in points, a building bears its letter.
const LETTER_RADIUS: f32 = 5.0;
/// From this radius on, in points, there is room for a unit's health.
const HEALTH_RADIUS: f32 = 9.0;

/// A unit's radius in tiles, and the least in points.
const UNIT_RADIUS: (f32, f32) = (0.27, 2.4);

/// A unit's radius in points, of `scale` points per tile: on small tiles up to 0.42 of a tile or 3.2 points.
pub fn radius(scale: f32) -> f32 {
    (scale * UNIT_RADIUS.0).max((scale * 0.42).min(3.2)).max(UNIT_RADIUS.1)
}

/// Places points of a mark, which reach from -1 to 1, around its centre.
fn around(centre: Point, r: f32) -> impl Fn(f32, f32) -> Point {
    move |x, y| centre + Point::new(x * r, y * r)
}

/// The sign of a unit's type within the radius `r`.
pub fn sign(canvas: &mut Canvas, centre: Point, r: f32, kind: UnitType, ink: Color) {
    let (at, width) = (around(centre, r), (r * 0.24).max(1.0));
    match kind {
        UnitType::Pioneer => {
            canvas.line(at(-0.35, -0.7), at(-0.35, 0.75), width, ink);
            canvas.triangle(at(-0.3, -0.75), at(0.65, -0.35), at(-0.3, 0.1), ink);
        }
        UnitType::Worker => {
            canvas.line(at(-0.5, 0.65), at(0.25, -0.3), width, ink);
            canvas.polyline(&[at(-0.4, -0.55), at(0.3, -0.4), at(0.65, 0.3)], width * 1.2, ink);
        }
        UnitType::Fighter => {
            canvas.line(at(-0.35, 0.35), at(0.6, -0.6), width * 1.2, ink);
            canvas.line(at(-0.6, 0.05), at(-0.05, 0.6), width, ink);
            canvas.line(at(-0.35, 0.35), at(-0.65, 0.65), width, ink);
        }
        UnitType::Cleric => {
            canvas.line(at(0.0, -0.65), at(0.0, 0.65), width * 1.4, ink);
            canvas.line(at(-0.5, -0.15), at(0.5, -0.15), width * 1.4, ink);
        }
        UnitType::Sapper => {
            canvas.circle(at(-0.08, 0.15), r * 0.46, ink);
            canvas.polyline(&[at(0.2, -0.2), at(0.4, -0.55), at(0.7, -0.6)], width * 0.8, ink);
        }
    }
}

/// A unit of radius `r` points: its faction's shape, its type's sign, what shields it, and its health below it; `None`
/// for a unit that has fallen.
pub fn unit(
    canvas: &mut Canvas,
    at: Point,
    r: f32,
    look: TeamLook,
    (kind, health, stance): (UnitType, Option<u32>, Stance),
) {
    if r < SIGN_RADIUS {
        canvas.circle(at, r + 0.9, NIGHT.alpha(0.9));
        return shape(canvas, at, r, look.shape, 0.0, look.color);
    }
    let rim = (r * 0.13).clamp(1.0, 3.0);
    canvas.glow(at + Point::new(0.0, r * 0.38), r * 1.75, Color::BLACK.alpha(0.62));
    if stance.defended {
        // A shield: two arcs around the lower half.
        canvas.arc(at, r * 1.38, (r * 0.2).max(1.5), 0.28, 0.72, NIGHT.alpha(0.8));
        canvas.arc(at, r * 1.38, (r * 0.13).max(1.0), 0.28, 0.72, TEXT);
    }
    if stance.enlightened {
        let halo = at - Point::new(0.0, r * 1.25);
        canvas.ring(halo, r * 0.42, (r * 0.2).max(1.5), NIGHT.alpha(0.8));
        canvas.ring(halo, r * 0.42, (r * 0.13).max(1.0), ACCENT);
    }
    shape(canvas, at, r + rim, look.shape, 0.0, dark(look.color));
    shape(canvas, at, r, look.shape, 0.0, look.color);
    sign(canvas, at, r * 0.62, kind, NIGHT);
    if let Some(health) = health.filter(|_| r >= HEALTH_RADIUS) {
        let full = kind.numbers().health.max(1);
        let (wide, high) = (r * 1.9, (r * 0.22).max(2.0));
        let bar = Rect::around(at + Point::new(0.0, r * 1.42), wide, high);
        canvas.rect(bar.inset(-1.0), NIGHT.alpha(0.85));
        let color = if health * 3 <= full { BAD } else { GOOD };
        let step = wide / full as f32;
        for point in 0..health.min(full) {
            canvas.rect(Rect::new(bar.x + step * point as f32, bar.y, step - 0.8, high), color);
        }
    }
}

/// A base: a wall with battlements.
pub fn base(canvas: &mut Canvas, centre: Point, r: f32, look: Option<TeamLook>) {
    let color = look.map_or(TeamLook::NEUTRAL.color, |look| look.color);
    let at = around(centre, r);
    for (grow, ink) in [((r * 0.1).clamp(0.8, 2.5), dark(color)), (0.0, color.mix(Color::WHITE, 0.15))] {
        let mut part = |x: f32, y: f32, w: f32, h: f32| {
            canvas.rect(Rect::between(at(x, y), at(x + w, y + h)).inset(-grow), ink);
        };
        part(-0.9, -0.35, 1.8, 1.2);
        for x in [-0.9, -0.25, 0.4] {
            part(x, -0.8, 0.5, 0.5);
        }
    }
    canvas.rect(Rect::between(at(-0.22, 0.25), at(0.22, 0.85)), dark(color));
}

/// The flag on the base that a faction lives by.
pub fn flag(canvas: &mut Canvas, centre: Point, r: f32, look: TeamLook) {
    let at = around(centre, r);
    canvas.line(at(0.72, -0.3), at(0.72, -1.75), (r * 0.12).max(1.4), NIGHT);
    canvas.line(at(0.72, -0.3), at(0.72, -1.75), (r * 0.08).max(1.0), TEXT);
    canvas.triangle(at(0.72, -1.8), at(1.6, -1.45), at(0.72, -1.1), NIGHT);
    canvas.triangle(at(0.76, -1.74), at(1.48, -1.45), at(0.76, -1.16), look.color);
}

/// A fort: a wall around the tile, with a tower at each corner; `half` is half its side.
pub fn fort(canvas: &mut Canvas, centre: Point, half: f32, color: Color) {
    let width = (half * 0.12).max(1.0);
    let wall = Rect::around(centre, 2.0 * half, 2.0 * half);
    canvas.outline(wall.inset(-1.0), 0.0, width + 2.0, NIGHT.alpha(0.7));
    canvas.outline(wall, 0.0, width, color.mix(Color::WHITE, 0.4));
    for (x, y) in [(-1.0, -1.0), (1.0, -1.0), (-1.0, 1.0), (1.0, 1.0)] {
        let tower = Rect::around(centre + Point::new(x * half, y * half), half * 0.36, half * 0.36);
        canvas.rect(tower.inset(-1.0), NIGHT.alpha(0.7));
        canvas.rect(tower, color.mix(Color::WHITE, 0.4));
    }
}

/// A resource: a cut stone.
pub fn resource(canvas: &mut Canvas, centre: Point, r: f32) {
    canvas.polygon(centre, r * 1.2, 6, 0.0, 0.0, NIGHT.alpha(0.7));
    canvas.polygon(centre, r, 6, 0.0, 0.0, ACCENT);
    canvas.polygon(centre, r * 0.5, 6, 0.0, 0.0, ACCENT.mix(Color::WHITE, 0.5));
}

pub fn forest(canvas: &mut Canvas, centre: Point, r: f32) {
    let (at, leaves) = (around(centre, r), Color::hex(0x4f_9a_5e));
    for x in [-0.45, 0.45] {
        canvas.triangle(at(x, -0.8), at(x - 0.5, 0.6), at(x + 0.5, 0.6), leaves);
        canvas.line(at(x, 0.6), at(x, 0.95), (r * 0.16).max(1.0), Color::hex(0x8a_6a_48));
    }
}

/// A bomb with a ring in its owner's colour, and its owner's shape within.
pub fn bomb(canvas: &mut Canvas, centre: Point, r: f32, look: TeamLook) {
    let at = around(centre, r);
    canvas.polyline(&[at(0.5, -0.6), at(0.8, -1.0), at(1.15, -1.0)], (r * 0.2).max(1.0), TEXT);
    canvas.circle(centre, r, NIGHT);
    canvas.ring(centre, r, (r * 0.24).max(1.0), look.color);
    shape(canvas, centre, r * 0.45, look.shape, 0.0, look.color);
}

/// A building: a roofed house with its letter; a camp is a tent with its type's sign.
pub fn building(canvas: &mut Canvas, centre: Point, r: f32, building: Building) {
    let (at, wall) = (around(centre, r), Color::hex(0xd8_c6_a4));
    if let Building::Camp(kind) = building {
        canvas.triangle(at(0.0, -1.15), at(-1.2, 1.05), at(1.2, 1.05), NIGHT.alpha(0.8));
        canvas.triangle(at(0.0, -1.0), at(-1.05, 0.95), at(1.05, 0.95), wall);
        return sign(canvas, at(0.0, 0.4), r * 0.5, kind, NIGHT);
    }
    let letter = match building {
        Building::Mill => "M",
        Building::Sawmill => "S",
        Building::Market => "K",
        Building::Bakery => "B",
        Building::Factory => "F",
        Building::Bank => "$",
        Building::House | Building::Camp(_) => "",
    };
    canvas.rect(Rect::between(at(-0.9, -0.25), at(0.9, 1.0)).inset(-1.0), NIGHT.alpha(0.8));
    canvas.rect(Rect::between(at(-0.9, -0.25), at(0.9, 1.0)), wall);
    canvas.triangle(at(0.0, -1.1), at(-1.15, -0.2), at(1.15, -0.2), Color::hex(0xb4_6a_4a));
    if r >= LETTER_RADIUS {
        canvas.text(at(0.0, 0.4), Anchor::Centre, letter, Style::strong(r * 1.2, NIGHT));
    }
}
