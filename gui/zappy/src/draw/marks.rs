//! How resources, eggs and incantations are marked, the same in the world and on panels.
//!
//! Shapes are sized so that all of one `r` look equally large. Must never depend on a match's state. Tested below.

use zappy_protocol::zappy::Resource;

use zappy_observer::ink::{Canvas, Color, Point};
use zappy_observer::panels::marks::{PLAIN_BELOW, dark};
use zappy_observer::theme::{NIGHT, TeamLook};

/// A resource's colour; each has its own shape beside it.
pub const fn resource_color(resource: Resource) -> Color {
    match resource {
        Resource::Food => Color::hex(0x6e_96_48),
        Resource::Linemate => Color::hex(0x84_8e_9c),
        Resource::Deraumere => Color::hex(0x5c_7f_bd),
        Resource::Sibur => Color::hex(0x98_87_45),
        Resource::Mendiane => Color::hex(0x8c_74_b8),
        Resource::Phiras => Color::hex(0xad_71_4c),
        Resource::Thystame => Color::hex(0xb8_66_88),
    }
}

/// A resource's mark of radius `r` points: a cut gem, one family with a cut for each kind.
pub fn resource(canvas: &mut Canvas, centre: Point, r: f32, resource: Resource) {
    let color = resource_color(resource);
    if r < PLAIN_BELOW {
        return canvas.facets(centre, r, cut(resource), color);
    }
    canvas.facets(centre, r + (r * 0.16).clamp(0.7, 2.0), cut(resource), NIGHT.alpha(0.6));
    canvas.facets(centre, r, cut(resource), color);
    // The table of the stone, lit from the upper left.
    let table = centre - Point::new(r * 0.1, r * 0.14);
    canvas.facets(table, r * 0.5, cut(resource), color.mix(Color::WHITE, 0.32));
}

/// How an incantation stands, as a sign that is read without colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    /// Its team wins by it: a star.
    Decides,
    /// It would fail as it stands: a triangle with a stroke in it, as on a road.
    Doomed,
    /// It has failed: two strokes across each other.
    Broken,
    /// Its players rose: two chevrons.
    Risen,
}

/// A sign of radius `r` points.
pub fn sign(canvas: &mut Canvas, centre: Point, r: f32, sign: Sign, ink: Color) {
    let at = |x: f32, y: f32| centre + Point::new(x * r, y * r);
    let width = (r * 0.24).max(1.3);
    match sign {
        Sign::Decides => canvas.star(centre, r, 5, 0.45, 0.0, ink),
        Sign::Doomed => {
            canvas.polyline(&[at(0.0, -0.9), at(0.95, 0.75), at(-0.95, 0.75), at(0.0, -0.9)], width, ink);
            canvas.line(at(0.0, -0.3), at(0.0, 0.22), width, ink);
            canvas.circle(at(0.0, 0.5), width * 0.6, ink);
        }
        Sign::Broken => zappy_observer::torus::cross(canvas, centre, r * 0.75, width * 1.2, ink),
        Sign::Risen => {
            for y in [-0.1, 0.6] {
                canvas.polyline(&[at(-0.7, y), at(0.0, y - 0.65), at(0.7, y)], width * 1.1, ink);
            }
        }
    }
}

/// The corners of a resource's cut, clockwise around (0, 0): a shape that no team has.
fn cut(resource: Resource) -> &'static [(f32, f32)] {
    match resource {
        // A drop.
        Resource::Food => {
            &[(0.0, -1.1), (0.5, -0.3), (0.72, 0.32), (0.4, 0.9), (-0.4, 0.9), (-0.72, 0.32), (-0.5, -0.3)]
        }
        // A brilliant seen from the side.
        Resource::Linemate => &[(-0.55, -0.75), (0.55, -0.75), (1.0, -0.2), (0.0, 1.0), (-1.0, -0.2)],
        // A baguette.
        Resource::Deraumere => &[
            (-0.28, -1.1),
            (0.28, -1.1),
            (0.58, -0.8),
            (0.58, 0.8),
            (0.28, 1.1),
            (-0.28, 1.1),
            (-0.58, 0.8),
            (-0.58, -0.8),
        ],
        // A kite.
        Resource::Sibur => &[(0.0, -0.9), (0.75, -0.3), (0.0, 1.15), (-0.75, -0.3)],
        // A trilliant, its point below.
        Resource::Mendiane => {
            &[(-0.6, -0.85), (0.6, -0.85), (1.0, -0.35), (0.25, 0.95), (-0.25, 0.95), (-1.0, -0.35)]
        }
        // A marquise.
        Resource::Phiras => &[
            (0.0, -1.2),
            (0.5, -0.5),
            (0.62, 0.0),
            (0.5, 0.5),
            (0.0, 1.2),
            (-0.5, 0.5),
            (-0.62, 0.0),
            (-0.5, -0.5),
        ],
        // A heart's cut: two crowns, one point.
        Resource::Thystame => {
            &[(-0.55, -0.9), (0.0, -0.5), (0.55, -0.9), (1.0, -0.3), (0.0, 1.05), (-1.0, -0.3)]
        }
    }
}

/// An egg of half height `r` points, with a belt in its team's colour; without a belt if the team is unknown.
pub fn egg(canvas: &mut Canvas, centre: Point, r: f32, look: Option<TeamLook>) {
    let color = look.map_or(TeamLook::NEUTRAL.color, |look| look.color);
    let shell = color.mix(Color::WHITE, 0.62);
    if r < PLAIN_BELOW {
        return oval(canvas, centre, r, color.mix(Color::WHITE, 0.35));
    }
    oval(canvas, centre, r + (r * 0.14).clamp(0.7, 2.0), dark(color));
    oval(canvas, centre, r, shell);
    if look.is_some() {
        let half = r * 0.6;
        let belt = centre + Point::new(0.0, r * 0.2);
        canvas.line(belt - Point::new(half, 0.0), belt + Point::new(half, 0.0), r * 0.42, color);
    }
    canvas.circle(centre + Point::new(-r * 0.2, -r * 0.42), r * 0.16, Color::WHITE.alpha(0.85));
}

/// Two discs and what joins them: broad below, narrow above.
fn oval(canvas: &mut Canvas, centre: Point, r: f32, color: Color) {
    let (low, high) = (r * 0.72, r * 0.5);
    let below = centre + Point::new(0.0, r - low);
    let above = centre - Point::new(0.0, r - high);
    canvas.circle(above, high, color);
    let middle = above.lerp(below, 0.5);
    canvas.circle(middle, (low + high) * 0.515, color);
    canvas.circle(below, low, color);
}

#[cfg(test)]
mod tests {
    use super::*;
    use zappy_observer::ink::Figure;
    use zappy_observer::panels::marks::{emblem, shape};
    use zappy_observer::theme::{PANEL, PANEL_RAISED, TEAM_COLORS, TeamShape};

    fn drawn(draw: impl FnOnce(&mut Canvas)) -> Vec<(f32, [f32; 4])> {
        let mut canvas = Canvas::new();
        canvas.begin(100.0, 100.0, 1.0);
        draw(&mut canvas);
        canvas.vertices().iter().map(|vertex| (vertex.kind, vertex.params)).collect()
    }

    #[test]
    fn gems_are_one_family_apart_from_every_teams_shape() {
        let at = Point::new(50.0, 50.0);
        // Corners around the middle: where they are is a silhouette.
        let outline = |draw: &dyn Fn(&mut Canvas)| {
            let mut canvas = Canvas::new();
            canvas.begin(100.0, 100.0, 1.0);
            draw(&mut canvas);
            let mut corners: Vec<_> =
                canvas.vertices().iter().map(|v| v.position.map(|place| place.round() as i32)).collect();
            corners.sort_unstable();
            corners.dedup();
            corners
        };
        let mut all: Vec<_> = Resource::ALL
            .into_iter()
            .map(|kind| outline(&|canvas| canvas.facets(at, 9.0, cut(kind), Color::WHITE)))
            .collect();
        let turns = [0.0, 0.125, 0.25, 0.5].into_iter();
        all.extend(turns.flat_map(|turn| {
            TeamShape::ALL.map(|kind| outline(&|canvas| shape(canvas, at, 9.0, kind, turn, Color::WHITE)))
        }));
        for one in 0..Resource::COUNT {
            assert!((4..=27).contains(&all[one].len()), "{one}: {}", all[one].len());
            assert!(
                all.iter().enumerate().all(|(other, outline)| one == other || *outline != all[one]),
                "{one}"
            );
        }
    }

    #[test]
    fn signs_differ_without_their_colours() {
        let signs = [Sign::Decides, Sign::Doomed, Sign::Broken, Sign::Risen];
        let shapes = signs.map(|kind| {
            let mut canvas = Canvas::new();
            canvas.begin(100.0, 100.0, 1.0);
            sign(&mut canvas, Point::new(50.0, 50.0), 7.0, kind, Color::WHITE);
            canvas.vertices().iter().map(|vertex| vertex.position.map(f32::to_bits)).collect::<Vec<_>>()
        });
        assert!((0..4).all(|one| (0..one).all(|other| shapes[one] != shapes[other])));
        assert!(shapes.iter().all(|shape| !shape.is_empty()));
    }

    #[test]
    fn small_marks_are_cheap_and_nothing_is_drawn_of_no_size() {
        let at = Point::new(50.0, 50.0);
        for kind in Resource::ALL {
            assert!((4..=30).contains(&drawn(|canvas| resource(canvas, at, 2.0, kind)).len()), "{kind}");
            assert!(drawn(|canvas| resource(canvas, at, 0.0, kind)).is_empty());
            assert!(
                drawn(|canvas| resource(canvas, at, f32::NAN, kind))
                    .iter()
                    .all(|v| v.0 >= Figure::Rect.number())
            );
        }
        assert!(drawn(|canvas| egg(canvas, at, 0.0, None)).is_empty());
        assert!(drawn(|canvas| emblem(canvas, at, 0.0, TeamLook::NEUTRAL)).is_empty());
    }

    #[test]
    fn every_resource_is_seen_on_every_panel() {
        for ground in [PANEL, PANEL_RAISED, NIGHT] {
            for resource in Resource::ALL {
                assert!(resource_color(resource).contrast(ground) >= 3.0, "{resource}");
            }
        }
    }

    #[test]
    fn resources_are_duller_than_players() {
        let faintest = TEAM_COLORS.iter().map(|color| color.luminance()).fold(f32::MAX, f32::min);
        for resource in Resource::ALL {
            let [red, green, blue, _] = resource_color(resource).0;
            let strong = red.max(green).max(blue) - red.min(green).min(blue);
            assert!(resource_color(resource).luminance() < faintest && strong < 110, "{resource}");
        }
    }
}
