//! The whole map, small: where things and players are, what happens, and which part the camera shows.

use zappy_protocol::Position;
use zappy_protocol::zappy::story::{TeamIndex, What};

use super::{bright, field, incantations, swell};
use crate::ink::{Canvas, Color, Point, Rect};
use crate::panels::marks::shape;
use crate::theme::{ACCENT, BAD, GOOD, GROUND, NIGHT, TEXT};
use crate::torus::SmallMap;
use crate::zappy::app::action::Selection;
use crate::zappy::app::shown::Shown;
use crate::zappy::scene;

/// Cells of the ground along one side at most.
const CELLS: u16 = 40;
/// Tiles that speak for a cell along one side at most.
const SAMPLES: u16 = 2;

/// The tile point that is at a place of the minimap; nothing beside the map.
pub fn minimap_tile(place: Rect, shown: &Shown<'_>, at: Point) -> Option<(f64, f64)> {
    SmallMap::new(place, shown.stage.mirror().size?)?.tile_point(at)
}

/// Draws the whole map into `place`; `world` is where the world is drawn, whose frame is marked.
pub fn minimap(canvas: &mut Canvas, place: Rect, shown: &Shown<'_>, world: Rect) {
    let Some(map) = shown.stage.mirror().size else { return };
    let Some(small) = SmallMap::new(place, map) else { return };
    canvas.clipped(place, |canvas| {
        canvas.rect(small.area, GROUND);
        small.ground(canvas, CELLS, |columns, rows| cell(shown, columns, rows));
        canvas.clipped(small.area, |canvas| {
            let chart = Chart { shown, small };
            chart.events(canvas);
            chart.players(canvas);
            small.frame(canvas, shown.view.camera, world);
        });
        small.edge(canvas);
    });
}

fn cell(shown: &Shown<'_>, (left, right): (u16, u16), (top, bottom): (u16, u16)) -> Color {
    let some = |from: u16, to: u16| (from..to).step_by(usize::from((to - from).div_ceil(SAMPLES).max(1)));
    let tiles = some(left, right).flat_map(|x| some(top, bottom).map(move |y| Position { x, y }));
    field::tint_of(tiles.filter_map(|at| shown.stage.mirror().tile(at)))
}

struct Chart<'a> {
    shown: &'a Shown<'a>,
    small: SmallMap,
}

impl Chart<'_> {
    fn events(&self, canvas: &mut Canvas) {
        let of_player = |player| self.shown.look(self.shown.roster.team_of(player)).color;
        let colour = |incantation: &zappy_protocol::zappy::mirror::MirrorIncantation| {
            incantation.players.first().map_or(TEXT, |&player| bright(of_player(player)))
        };
        let beat = scene::pulse(self.shown, 90.0);
        for (at, color) in incantations::sites(colour, self.shown.stage.incantations()) {
            let middle = self.small.at(scene::middle(at));
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
            let middle = self.small.at(scene::middle(at));
            canvas.ring(middle, 2.0 + r * effect.age as f32, 1.5, color.alpha(swell(effect.age, 0.05)));
        }
    }

    fn players(&self, canvas: &mut Canvas) {
        let r = (self.small.scale * 0.42).clamp(2.2, 4.2);
        for (player, known) in &self.shown.stage.mirror().players {
            let team: Option<TeamIndex> =
                self.shown.roster.team_of(*player).or_else(|| self.shown.roster.team(&known.team));
            let middle = self.small.at(scene::middle(known.at));
            let look = self.shown.look(team);
            canvas.circle(middle, r + 0.9, NIGHT.alpha(0.85));
            shape(canvas, middle, r, look.shape, 0.0, look.color);
        }
        let chosen = match self.shown.view.selection {
            Some(Selection::Player(player)) => self.shown.stage.mirror().players.get(&player).map(|p| p.at),
            Some(Selection::Egg(egg)) => self.shown.stage.mirror().eggs.get(&egg).map(|egg| egg.at),
            Some(Selection::Tile(at)) => Some(at),
            None => None,
        };
        if let Some(at) = chosen {
            canvas.ring(self.small.at(scene::middle(at)), r + 3.0, 1.5, ACCENT);
        }
    }
}
