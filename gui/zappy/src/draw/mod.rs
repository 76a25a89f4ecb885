//! The world as ink: ground, things, players, incantations, effects, the minimap, and the marks that panels share.
//!
//! Draws what `scene` says on a [`Canvas`], in points. Must never keep anything between frames: the same
//! [`Shown`] gives the same vertices. Tested in `tests/world/`.

mod choice;
mod effects;
mod ground;
mod incantations;
mod marks;
mod minimap;
mod players;
mod speech;
mod things;
mod victory;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Deref;

use zappy_protocol::Position;
use zappy_protocol::zappy::PlayerId;
use zappy_protocol::zappy::story::What;

use crate::scene::{self, Cast, Detail, Effect};
use crate::view::{Shown, look_of, selected_player};
use zappy_observer::camera::Camera;
use zappy_observer::ink::{Canvas, Point, Rect};
use zappy_observer::theme::{NIGHT, TeamLook};
use zappy_observer::timeline::notes::WORDS;
use zappy_observer::torus::{TorusView, bright, cross, ease_out, swell};

pub use choice::{on_tile, pick};
pub use marks::{Sign, egg, resource, resource_color, sign};
pub use minimap::minimap;

/// What every part of the world needs to be drawn.
struct Scene<'a> {
    shown: &'a Shown<'a>,
    torus: TorusView,
    detail: Detail,
    cast: Cast,
    effects: Vec<Effect<'a>>,
    /// Players that take part in an incantation and cannot act.
    frozen: BTreeSet<PlayerId>,
    /// Players that push just now, and how far that is, 0 to 1.
    pushing: BTreeMap<PlayerId, f64>,
    /// The part of the place that no panel covers.
    free: Rect,
    /// What lies over that part: words keep away from it.
    covered: &'a [Rect],
}

impl Deref for Scene<'_> {
    type Target = TorusView;

    fn deref(&self) -> &TorusView {
        &self.torus
    }
}

impl<'a> Scene<'a> {
    /// What is seen in that place through that camera; `None` without a map or without room.
    fn of(shown: &'a Shown<'a>, place: Rect, camera: Camera) -> Option<Scene<'a>> {
        let mirror = shown.state.mirror();
        let map = mirror.size.filter(|_| !place.is_empty())?;
        let effects: Vec<Effect<'a>> = scene::effects(shown).collect();
        let things = mirror.players.len() + mirror.eggs.len() + effects.len();
        let torus = TorusView::new(place, camera, map, things);
        let running = shown.state.incantations().iter();
        let frozen = running.flat_map(|incantation| incantation.players.iter().copied()).collect();
        let push = |effect: &Effect<'_>| match effect.happening.what {
            What::Ejected { player, .. } => Some((player, effect.age)),
            _ => None,
        };
        let pushing = effects.iter().filter_map(push).collect();
        let (detail, cast) = (Detail::of(torus.camera.scale), Cast::of(shown));
        let free = if shown.view.free.is_empty() { place } else { shown.view.free.intersect(place) };
        let covered = &shown.view.own.covered;
        Some(Scene { shown, torus, detail, cast, effects, frozen, pushing, free, covered })
    }

    /// The tokens of all players that are in sight: the middle and the radius of each.
    fn figures(&self) -> Vec<(Point, f32)> {
        let of = |(_, place): (PlayerId, &scene::TokenPlace)| {
            let r = players::radius(self.camera.scale, place.size);
            self.seen(place.point, r).map(move |at| (at, r))
        };
        self.cast.places().flat_map(of).collect()
    }

    fn look(&self, player: PlayerId) -> TeamLook {
        look_of(self.shown, player)
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
        let Some(scene) = Scene::of(shown, place, shown.view.camera) else { return };
        state(canvas, &scene);
        victory::draw(canvas, &scene);
        choice::over(canvas, &scene);
        if shown.view.notes {
            notes(canvas, &scene);
        }
        speech::draw(canvas, &scene);
        scene.labels(canvas, scene.free, &scene.figures());
    });
}

/// A second look at the world, as small as `place`: what happens there, without what the spectator chose.
pub fn inset(canvas: &mut Canvas, place: Rect, camera: Camera, shown: &Shown<'_>) {
    canvas.clipped(place, |canvas| {
        canvas.rect(place, NIGHT);
        if let Some(scene) = Scene::of(shown, place, camera) {
            state(canvas, &scene);
        }
    });
}

/// Ground, things, players and what they do.
fn state(canvas: &mut Canvas, scene: &Scene<'_>) {
    ground::draw(canvas, scene);
    things::draw(canvas, scene);
    choice::under(canvas, scene);
    effects::under(canvas, scene);
    players::draw(canvas, scene);
    effects::over(canvas, scene);
    scene.shade(canvas);
    incantations::veil(canvas, scene);
    incantations::draw(canvas, scene);
}

/// What bots noted on tiles: of the selected player, or of all if none is selected. A bot doesn't know where it is and counts
/// from its birth, so a tile is found from where and how its player was born.
fn notes(canvas: &mut Canvas, scene: &Scene<'_>) {
    let (shown, chosen) = (scene.shown, selected_player(scene.shown.view));
    let players = shown.notes.players().map(PlayerId);
    let words = players.filter(|player| chosen.is_none_or(|chosen| chosen == *player)).flat_map(|player| {
        let birth = shown.story.chronicle.births.get(&player);
        let tiles = shown.notes.tiles(player.0, shown.tick());
        birth
            .into_iter()
            .flat_map(move |birth| tiles.clone().into_iter().map(move |(at, word)| (player, birth, at, word)))
    });
    for (player, (birth, facing), (x, y), word) in words.take(WORDS) {
        let at = scene.map.offset(*birth, facing.to_map((y.saturating_neg(), x)));
        scene.word(canvas, at, word, bright(scene.look(player).color));
    }
}
