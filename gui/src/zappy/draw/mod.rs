//! The world as ink: ground, things, players, incantations, effects, the minimap, and the marks that panels share.
//!
//! Draws what `scene` says on a [`Canvas`], in points. Must never keep anything between frames: the same
//! [`Shown`] gives the same vertices. Tested in `tests/world/`.

mod choice;
mod effects;
mod field;
mod ground;
mod incantations;
mod labels;
mod marks;
mod minimap;
mod players;
mod speech;
mod things;

use std::collections::BTreeSet;

use zappy_protocol::zappy::PlayerId;
use zappy_protocol::{MapSize, Position};

use crate::camera::Camera;
use crate::ink::{Canvas, Color, Point, Rect};
use crate::theme::{NIGHT, TeamLook};
use crate::zappy::app::shown::Shown;
use crate::zappy::scene::{self, Cast, Detail, Effect};

pub use marks::{egg, resource};
pub use minimap::{minimap, minimap_tile};
pub(crate) use players::radius as token_radius;
pub(crate) use things::spots as egg_spots;

/// What every part of the world needs to be drawn.
struct Scene<'a> {
    shown: &'a Shown<'a>,
    place: Rect,
    /// Where players, eggs and effects are drawn: everywhere, unless the map is seen too often.
    area: Rect,
    camera: Camera,
    map: MapSize,
    detail: Detail,
    cast: Cast,
    effects: Vec<Effect<'a>>,
    /// Players that take part in an incantation and cannot act.
    frozen: BTreeSet<PlayerId>,
}

/// Players, eggs and effects drawn at most, counting repeats; but each is drawn once, however many there are.
const DRAWN_LIMIT: f32 = 4_000.0;

impl<'a> Scene<'a> {
    fn of(shown: &'a Shown<'a>, place: Rect, map: MapSize) -> Scene<'a> {
        let camera = shown.view.camera.sane(map);
        let effects: Vec<Effect<'a>> = scene::effects(shown).collect();
        let mirror = shown.stage.mirror();
        let load = mirror.players.len() + mirror.eggs.len() + effects.len();
        let turns = (DRAWN_LIMIT / load.max(1) as f32).sqrt().floor().max(1.0) * camera.scale;
        let (w, h) = (f32::from(map.width()) * turns, f32::from(map.height()) * turns);
        let area = Rect::around(place.centre(), w, h).intersect(place);
        let frozen = shown
            .stage
            .incantations()
            .iter()
            .flat_map(|incantation| incantation.players.iter().copied())
            .collect();
        let (detail, cast) = (Detail::of(camera.scale), Cast::of(shown));
        Scene { shown, place, area, camera, map, detail, cast, effects, frozen }
    }

    /// Tiles in points.
    fn tiles(&self, tiles: f64) -> f32 {
        tiles as f32 * self.camera.scale
    }

    /// Everywhere a tile point is seen; what is drawn there reaches `margin` points far.
    fn seen(&self, at: (f64, f64), margin: f32) -> impl Iterator<Item = Point> + use<> {
        self.camera.places(self.area, self.map, at, margin)
    }

    /// The rectangle of a tile around its middle, `share` of its full size.
    fn tile_rect(&self, middle: Point, share: f32) -> Rect {
        let side = self.camera.scale * share;
        Rect::around(middle, side, side)
    }

    /// So many tiles around the middle of the view.
    fn tiles_around(&self, wide: f32, high: f32) -> Rect {
        Rect::around(self.place.centre(), wide * self.camera.scale, high * self.camera.scale)
    }

    fn look(&self, player: PlayerId) -> TeamLook {
        let known = self.shown.roster.team_of(player);
        let told = || {
            let player = self.shown.stage.mirror().players.get(&player)?;
            self.shown.roster.team(&player.team)
        };
        self.shown.look(known.or_else(told))
    }

    /// A player's place, or the middle of the tile where something happened to it.
    fn whereabouts(&self, player: PlayerId, otherwise: Position) -> (f64, f64) {
        self.cast.place(player).map_or(scene::middle(otherwise), |place| place.point)
    }
}

/// The world, everywhere in `place` and nowhere else.
pub fn world(canvas: &mut Canvas, place: Rect, shown: &Shown<'_>) {
    canvas.clipped(place, |canvas| {
        canvas.rect(place, NIGHT);
        let Some(map) = shown.stage.mirror().size.filter(|_| !place.is_empty()) else { return };
        let scene = Scene::of(shown, place, map);
        ground::draw(canvas, &scene);
        things::draw(canvas, &scene);
        choice::under(canvas, &scene);
        incantations::draw(canvas, &scene);
        effects::under(canvas, &scene);
        players::draw(canvas, &scene);
        effects::over(canvas, &scene);
        ground::shade(canvas, &scene);
        choice::over(canvas, &scene);
        labels::draw(canvas, &scene);
        speech::draw(canvas, &scene);
    });
}

/// From 0 to 1 quickly, then slower.
fn ease_out(t: f64) -> f32 {
    let rest = 1.0 - t.clamp(0.0, 1.0) as f32;
    1.0 - rest * rest * rest
}

/// Up to 1 within the first share of an effect, down to 0 towards its end.
fn swell(age: f64, rise: f64) -> f32 {
    let (up, down) = ((age / rise).min(1.0), ((1.0 - age) / (1.0 - rise)).min(1.0));
    (up.min(down) as f32).clamp(0.0, 1.0)
}

/// A colour one can write on the ground with.
fn bright(color: Color) -> Color {
    color.mix(Color::WHITE, 0.3)
}
