//! The whole map, small: where things and players are, what happens, and which part the camera shows.

use zappy_protocol::zappy::story::{TeamIndex, What};
use zappy_protocol::{MapSize, Position};

use super::{bright, field, incantations, swell};
use crate::camera::Camera;
use crate::ink::{Canvas, Color, Point, Rect};
use crate::theme::{ACCENT, BAD, GOOD, GROUND, NIGHT, PANEL_LINE, TEXT};
use crate::zappy::app::action::Selection;
use crate::zappy::app::shown::Shown;
use crate::zappy::scene;

/// Cells of the ground along one side at most.
const CELLS: u16 = 40;
/// Tiles that speak for a cell along one side at most.
const SAMPLES: u16 = 2;

/// Where the map lies within its panel: as large as its shape allows, in the middle.
fn area(place: Rect, map: MapSize) -> Option<(Rect, f32)> {
    let (w, h) = (f32::from(map.width()), f32::from(map.height()));
    let scale = (place.w / w).min(place.h / h);
    let area = Rect::around(place.centre(), w * scale, h * scale);
    (scale.is_finite() && !area.is_empty()).then_some((area, scale))
}

/// The tile point that is at a place of the minimap; nothing beside the map.
pub fn minimap_tile(place: Rect, shown: &Shown<'_>, at: Point) -> Option<(f64, f64)> {
    let (area, scale) = area(place, shown.stage.mirror().size?)?;
    let from = at - area.origin();
    area.contains(at).then(|| (f64::from(from.x / scale), f64::from(from.y / scale)))
}

/// Draws the whole map into `place`; `world` is where the world is drawn, whose frame is marked.
pub fn minimap(canvas: &mut Canvas, place: Rect, shown: &Shown<'_>, world: Rect) {
    let Some(map) = shown.stage.mirror().size else { return };
    let Some((area, scale)) = area(place, map) else { return };
    canvas.clipped(place, |canvas| {
        canvas.rect(area, GROUND);
        let chart = Chart { shown, map, area, scale };
        chart.ground(canvas);
        canvas.clipped(area, |canvas| {
            chart.events(canvas);
            chart.players(canvas);
            chart.frame(canvas, world);
        });
        canvas.outline(area, 0.0, canvas.hairline(), PANEL_LINE);
    });
}

struct Chart<'a> {
    shown: &'a Shown<'a>,
    map: MapSize,
    area: Rect,
    scale: f32,
}

impl Chart<'_> {
    fn at(&self, (x, y): (f64, f64)) -> Point {
        let wrap = |value: f64, side: u16| value.rem_euclid(f64::from(side)) as f32;
        let (x, y) = (wrap(x, self.map.width()), wrap(y, self.map.height()));
        self.area.origin() + Point::new(x * self.scale, y * self.scale)
    }

    fn ground(&self, canvas: &mut Canvas) {
        let cut = |side: u16| -> Vec<(u16, u16)> {
            let cells = side.min(CELLS);
            let border =
                |cell: u16| u16::try_from(u32::from(cell) * u32::from(side) / u32::from(cells.max(1)));
            (0..cells).map(|cell| (border(cell).unwrap_or(0), border(cell + 1).unwrap_or(side))).collect()
        };
        let rows = cut(self.map.height());
        for (left, right) in cut(self.map.width()) {
            for &(top, bottom) in &rows {
                let from = self.area.origin() + Point::new(f32::from(left), f32::from(top)) * self.scale;
                let size = Point::new(f32::from(right - left), f32::from(bottom - top)) * self.scale;
                let cell = canvas.snap(Rect::new(from.x, from.y, size.x, size.y));
                canvas.rect(cell, self.cell((left, right), (top, bottom)));
            }
        }
    }

    fn cell(&self, (left, right): (u16, u16), (top, bottom): (u16, u16)) -> Color {
        let some = |from: u16, to: u16| (from..to).step_by(usize::from((to - from).div_ceil(SAMPLES).max(1)));
        let tiles = some(left, right).flat_map(|x| some(top, bottom).map(move |y| Position { x, y }));
        field::tint_of(tiles.filter_map(|at| self.shown.stage.mirror().tile(at)))
    }

    fn events(&self, canvas: &mut Canvas) {
        let of_player = |player| self.shown.look(self.shown.roster.team_of(player)).color;
        let colour = |incantation: &zappy_protocol::zappy::mirror::MirrorIncantation| {
            incantation.players.first().map_or(TEXT, |&player| bright(of_player(player)))
        };
        let beat = scene::pulse(self.shown, 90.0);
        for (at, color) in incantations::sites(colour, self.shown.stage.incantations()) {
            let middle = self.at(scene::middle(at));
            canvas.glow(middle, 9.0, color.alpha(0.5));
            canvas.ring(middle, 3.5 + 3.5 * beat, 1.5, color.alpha(1.0 - beat));
            canvas.ring(middle, 4.0, 1.5, color);
        }
        for effect in scene::effects(self.shown) {
            let Some(at) = effect.happening.at else { continue };
            let (color, r) = match &effect.happening.what {
                What::Broadcast(player, _) => (bright(of_player(*player)), 14.0),
                What::Gone { .. } => (BAD, 8.0),
                What::IncantationEnded { success, .. } => (if *success { GOOD } else { BAD }, 14.0),
                _ => continue,
            };
            let middle = self.at(scene::middle(at));
            canvas.ring(middle, 2.0 + r * effect.age as f32, 1.5, color.alpha(swell(effect.age, 0.05)));
        }
    }

    fn players(&self, canvas: &mut Canvas) {
        let r = (self.scale * 0.42).clamp(1.4, 4.0);
        for (player, known) in &self.shown.stage.mirror().players {
            let team: Option<TeamIndex> =
                self.shown.roster.team_of(*player).or_else(|| self.shown.roster.team(&known.team));
            let middle = self.at(scene::middle(known.at));
            canvas.circle(middle, r + 0.7, NIGHT.alpha(0.85));
            canvas.circle(middle, r, self.shown.look(team).color);
        }
        let chosen = match self.shown.view.selection {
            Some(Selection::Player(player)) => self.shown.stage.mirror().players.get(&player).map(|p| p.at),
            Some(Selection::Egg(egg)) => self.shown.stage.mirror().eggs.get(&egg).map(|egg| egg.at),
            Some(Selection::Tile(at)) => Some(at),
            None => None,
        };
        if let Some(at) = chosen {
            canvas.ring(self.at(scene::middle(at)), r + 3.0, 1.5, ACCENT);
        }
    }

    /// The camera's frame, in as many pieces as the seam cuts it into.
    fn frame(&self, canvas: &mut Canvas, world: Rect) {
        let Camera { x, y, scale } = self.shown.view.camera.sane(self.map);
        let (w, h) = (f32::from(self.map.width()), f32::from(self.map.height()));
        let (wide, high) = (world.w / scale, world.h / scale);
        let middle = self.at((x, y));
        // What shows everything has no edge there.
        let size =
            |seen: f32, side: f32| if seen >= side { side * self.scale + 6.0 } else { seen * self.scale };
        let (width, height) = (size(wide, w), size(high, h));
        let centre = Point::new(
            if wide >= w { self.area.centre().x } else { middle.x },
            if high >= h { self.area.centre().y } else { middle.y },
        );
        let turns = |all: bool| if all { 0..=0 } else { -1..=1 };
        for column in turns(wide >= w) {
            for row in turns(high >= h) {
                let by = Point::new(column as f32 * self.area.w, row as f32 * self.area.h);
                let rect = canvas.snap(Rect::around(centre + by, width.max(6.0), height.max(6.0)));
                canvas.outline(rect.inset(-1.0), 2.0, 3.0, NIGHT.alpha(0.6));
                canvas.outline(rect, 1.5, 1.5, TEXT);
            }
        }
    }
}
