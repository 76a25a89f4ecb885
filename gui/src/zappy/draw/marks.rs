//! The marks of resources and eggs, the same in the world and on panels.
//!
//! Shapes are sized so that all of one `r` look equally large. Must never depend on what is shown. Tested below.

use zappy_protocol::zappy::Resource;

use crate::ink::{Canvas, Color, Point};
use crate::panels::marks::{PLAIN_BELOW, dark};
use crate::theme::{NIGHT, TeamLook};
use crate::zappy::look::resource_color;

/// A resource's mark of radius `r` points.
pub fn resource(canvas: &mut Canvas, centre: Point, r: f32, resource: Resource) {
    let color = resource_color(resource);
    if r < PLAIN_BELOW {
        return gem(canvas, centre, r, resource, color);
    }
    gem(canvas, centre, r + (r * 0.14).clamp(0.7, 2.0), resource, NIGHT.alpha(0.55));
    gem(canvas, centre, r, resource, color);
    facet(canvas, centre, r, resource, color);
}

pub(super) fn gem(canvas: &mut Canvas, centre: Point, r: f32, resource: Resource, color: Color) {
    match resource {
        Resource::Food => canvas.circle(centre, r * 0.9, color),
        Resource::Linemate => {
            canvas.polygon(centre + Point::new(0.0, r * 0.18), r * 1.18, 3, 0.0, r * 0.12, color);
        }
        Resource::Deraumere => canvas.polygon(centre, r * 1.14, 4, 0.125, r * 0.1, color),
        Resource::Sibur => canvas.polygon(centre, r * 1.14, 4, 0.0, r * 0.06, color),
        Resource::Mendiane => canvas.polygon(centre, r * 1.06, 5, 0.0, r * 0.08, color),
        Resource::Phiras => canvas.polygon(centre, r * 1.02, 6, 0.0, r * 0.06, color),
        Resource::Thystame => canvas.star(centre, r * 1.26, 5, 0.45, 0.0, color),
    }
}

/// What makes a stone a cut stone, and food a fruit.
fn facet(canvas: &mut Canvas, centre: Point, r: f32, resource: Resource, color: Color) {
    let light = color.mix(Color::WHITE, 0.45);
    match resource {
        Resource::Food => {
            let stalk = centre + Point::new(r * 0.05, -r * 0.72);
            let leaf = stalk + Point::new(r * 0.5, -r * 0.34);
            canvas.line(stalk, leaf, r * 0.46, NIGHT.alpha(0.55));
            canvas.line(stalk, leaf, r * 0.32, light);
            canvas.circle(centre + Point::new(-r * 0.32, -r * 0.28), r * 0.2, light.alpha(0.8));
        }
        Resource::Linemate => {
            canvas.polygon(centre + Point::new(0.0, r * 0.18), r * 0.52, 3, 0.0, r * 0.04, light);
        }
        Resource::Thystame => canvas.star(centre, r * 0.62, 5, 0.45, 0.0, light),
        Resource::Deraumere => canvas.polygon(centre, r * 0.56, 4, 0.125, r * 0.04, light),
        Resource::Sibur => canvas.polygon(centre, r * 0.56, 4, 0.0, r * 0.04, light),
        Resource::Mendiane => canvas.polygon(centre, r * 0.54, 5, 0.0, r * 0.04, light),
        Resource::Phiras => canvas.polygon(centre, r * 0.54, 6, 0.0, r * 0.04, light),
    }
}

/// An egg of half height `r` points, with a belt in its team's colour; without one of an unknown team.
pub fn egg(canvas: &mut Canvas, centre: Point, r: f32, look: Option<TeamLook>) {
    let color = look.map_or(TeamLook::NOBODY.color, |look| look.color);
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
    use crate::ink::Figure;
    use crate::panels::marks::{emblem, shape};
    use crate::theme::Shape;

    fn drawn(draw: impl FnOnce(&mut Canvas)) -> Vec<(f32, [f32; 4])> {
        let mut canvas = Canvas::new();
        canvas.begin(100.0, 100.0, 1.0);
        draw(&mut canvas);
        canvas.vertices().iter().map(|vertex| (vertex.kind, vertex.params)).collect()
    }

    #[test]
    fn every_team_shape_and_every_resource_has_its_own_silhouette() {
        let at = Point::new(50.0, 50.0);
        let teams: Vec<_> = Shape::ALL
            .into_iter()
            .map(|kind| drawn(|canvas| shape(canvas, at, 9.0, kind, 0.0, Color::WHITE)))
            .collect();
        let things: Vec<_> = Resource::ALL
            .into_iter()
            .map(|kind| drawn(|canvas| gem(canvas, at, 9.0, kind, Color::WHITE)))
            .collect();
        for all in [teams, things] {
            for one in 0..all.len() {
                assert!((4..=36).contains(&all[one].len()), "{one}: {}", all[one].len());
                assert!((0..one).all(|other| all[one] != all[other]), "{one}");
            }
        }
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
        assert!(drawn(|canvas| emblem(canvas, at, 0.0, TeamLook::NOBODY)).is_empty());
    }
}
