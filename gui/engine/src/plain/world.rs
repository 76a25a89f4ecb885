//! The grid that a game publishes, as ink: each cell with its sign in the colour of its team.
//!
//! Whether a grid goes on beyond its edge isn't known, so it is drawn once. Must never keep anything between frames. Tested in
//! `gui/app/tests/plain/`.

use zappy_protocol::{Position, TeamName};

use super::Shown;
use crate::camera::wrapped;
use crate::ink::{Canvas, Color, Point, Rect, Style};
use crate::panels::kit;
use crate::small_map::SmallMap;
use crate::theme::{ACCENT, GROUND, NIGHT, PANEL_LINE, TEXT, TEXT_SOFT, size};
use crate::timeline::notes::WORDS;
use crate::torus::{TorusView, middle};

/// From this side on a cell shows its sign, in points.
const SIGN_FROM: f32 = 9.0;

/// The colour of a team's cells; `None` for those of no team.
fn color(shown: &Shown<'_>, team: Option<&TeamName>) -> Option<Color> {
    let number = shown.story.teams.iter().position(|one| Some(one) == team)?;
    Some(shown.look(Some(number)).color)
}

/// Where the grid is seen in `place`; `None` without a grid.
fn torus(place: Rect, shown: &Shown<'_>) -> Option<TorusView> {
    let grid = shown.state.grid.as_ref().filter(|_| !place.is_empty())?;
    let torus = TorusView::new(place, shown.view.camera, grid.size, grid.cells.len());
    Some(TorusView { area: torus.lit().intersect(place), ..torus })
}

pub fn world(canvas: &mut Canvas, place: Rect, shown: &Shown<'_>) {
    canvas.rect(place, NIGHT);
    let Some((torus, grid)) = torus(place, shown).zip(shown.state.grid.as_ref()) else { return };
    canvas.clipped(torus.area, |canvas| {
        canvas.rect(torus.area, GROUND);
        for (at, (sign, team)) in &grid.cells {
            for centre in torus.seen(middle(*at), torus.camera.scale) {
                draw_cell(canvas, torus.tile_rect(centre, 1.0), *sign, color(shown, team.as_ref()));
            }
        }
        torus.seam(canvas, &torus.camera.visible(torus.area, torus.map));
        torus.hover(canvas, shown.view.pointer.at);
        if let Some(at) = shown.view.selection.filter(|at| torus.map.contains(*at)) {
            torus.frame(canvas, at, ACCENT, 2.0);
        }
        let players = shown.notes.players().filter(|_| shown.view.notes);
        let noted = players.flat_map(|seat| shown.notes.tiles(seat, shown.tick()));
        for ((x, y), word) in noted.take(WORDS) {
            torus.word(canvas, wrapped(torus.map, x.into(), y.into()), word, TEXT_SOFT);
        }
    });
    canvas.outline(torus.lit(), 0.0, canvas.hairline(), PANEL_LINE);
    torus.labels(canvas, shown.view.free, &[]);
}

fn draw_cell(canvas: &mut Canvas, cell: Rect, sign: char, color: Option<Color>) {
    if let Some(color) = color {
        canvas.rect(cell, color.alpha(0.35));
    }
    let ink = color.unwrap_or(TEXT);
    // Where a sign can't be read the colour says enough.
    if cell.w >= SIGN_FROM {
        let style = Style::strong((cell.w * 0.7).min(size::HUGE), ink);
        kit::line_centre(canvas, cell, sign.encode_utf8(&mut [0; 4]), style);
    } else {
        canvas.rect(cell, ink);
    }
}

/// The cell at a place of the window.
pub fn pick(place: Rect, shown: &Shown<'_>, at: Point) -> Option<Position> {
    let torus = torus(place, shown).filter(|torus| torus.area.contains(at))?;
    Some(torus.camera.tile_at(place, at, torus.map))
}

/// Draws the whole grid into `place`; `world` is where the world is drawn: the part of the grid in it is marked.
pub fn minimap(canvas: &mut Canvas, place: Rect, shown: &Shown<'_>, world: Rect) {
    let Some(grid) = &shown.state.grid else { return };
    let things = |canvas: &mut Canvas, small: &SmallMap| {
        for (at, (_, team)) in &grid.cells {
            let side = small.scale.max(1.5);
            let ink = color(shown, team.as_ref()).unwrap_or(TEXT);
            canvas.rect(Rect::around(small.at(middle(*at)), side, side), ink);
        }
    };
    let ground = (1, |_: (u16, u16), _: (u16, u16)| GROUND);
    let camera = (shown.view.camera, world);
    SmallMap::draw(canvas, (place, grid.size), ground, camera, (things, |_: &mut Canvas, _: &SmallMap| {}));
}
