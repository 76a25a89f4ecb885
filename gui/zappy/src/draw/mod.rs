//! The world as ink: ground, things, players, incantations, effects, the small map, and the marks that panels share.
//!
//! Draws what `scene` says on a [`Canvas`], in points. Must never keep anything between frames: the same
//! [`Shown`] gives the same vertices. Tested in `tests/world/`.

mod choice;
mod effects;
mod ground;
mod incantations;
mod marks;
mod players;
mod speech;
mod victory;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Deref;

use zappy_protocol::Position;
use zappy_protocol::zappy::PlayerId;
use zappy_protocol::zappy::story::What;

use crate::scene::card::{self, CardState};
use crate::scene::{self, Cast, Detail, Effect};
use crate::view::{Shown, ZappyMap, look_of, selected_player};
pub use choice::{on_tile, pick};
pub use marks::{Sign, egg, resource, resource_color, sign};
use zappy_observer::camera::Camera;
use zappy_observer::ink::{Anchor, Canvas, Rect, Style};
use zappy_observer::map_screen::MapGame as _;
use zappy_observer::panels::marks::shape;
use zappy_observer::small_map::SmallMap;
use zappy_observer::theme::{ACCENT, GROUND, NIGHT, TEXT, TeamLook};
use zappy_observer::timeline::notes::WORDS;
use zappy_observer::torus::{TorusView, bright, cross, ease_out, swell};

/// What every part of the world needs to be drawn.
struct Scene<'a> {
    shown: &'a Shown<'a>,
    torus: TorusView,
    detail: Detail,
    cast: Cast,
    effects: Vec<Effect<'a>>,
    /// Players that take part in an incantation and cannot act.
    frozen: BTreeSet<PlayerId>,
    /// Players that push just now, and how far each push has got, 0 to 1.
    pushing: BTreeMap<PlayerId, f64>,
    /// The part of the place that no panel covers.
    free: Rect,
    /// The rectangles of cards over that part: words keep away from them.
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

    fn look(&self, player: PlayerId) -> TeamLook {
        look_of(self.shown, player)
    }

    /// The tile point of a player, or the middle of the tile `otherwise` if it has no place.
    fn whereabouts(&self, player: PlayerId, otherwise: Position) -> (f64, f64) {
        self.cast.place(player).map_or(scene::middle(otherwise), |place| place.point)
    }
}

/// Draws the world, which repeats until `place` is full, and nothing beside `place`.
pub fn world(canvas: &mut Canvas, place: Rect, shown: &Shown<'_>) {
    canvas.clipped(place, |canvas| {
        canvas.rect(place, NIGHT);
        let Some(scene) = Scene::of(shown, place, shown.view.camera) else { return };
        draw_state(canvas, &scene);
        victory::draw(canvas, &scene);
        choice::over(canvas, &scene);
        if shown.view.notes {
            draw_notes(canvas, &scene);
        }
        speech::draw(canvas, &scene);
        // The middle and the radius of each token in sight, in points.
        let figures = scene.cast.places().flat_map(|(_, place)| {
            let r = players::radius(scene.camera.scale, place.size);
            scene.seen(place.point, r).map(move |at| (at, r))
        });
        scene.labels(canvas, scene.free, &figures.collect::<Vec<_>>());
    });
}

/// A second view of the world in `place`, through its own camera, without what the spectator chose.
pub fn inset(canvas: &mut Canvas, place: Rect, camera: Camera, shown: &Shown<'_>) {
    canvas.clipped(place, |canvas| {
        canvas.rect(place, NIGHT);
        if let Some(scene) = Scene::of(shown, place, camera) {
            draw_state(canvas, &scene);
        }
    });
}

/// Ground, things, players and what they do.
fn draw_state(canvas: &mut Canvas, scene: &Scene<'_>) {
    ground::draw(canvas, scene);
    if scene.detail.marks > 0.0 {
        canvas.faded(scene.detail.marks, |canvas| ground::draw_resources(canvas, scene));
    }
    ground::draw_eggs(canvas, scene);
    choice::under(canvas, scene);
    effects::under(canvas, scene);
    players::draw(canvas, scene);
    effects::over(canvas, scene);
    scene.shade(canvas);
    incantations::veil(canvas, scene);
    incantations::draw(canvas, scene);
}

/// What bots noted on tiles: of the selected player, or of all if none is selected. A bot counts tiles from where its
/// player was born, in the direction that the player faced there.
fn draw_notes(canvas: &mut Canvas, scene: &Scene<'_>) {
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

/// Cells of the small map along one side at most.
const CELLS: u16 = 40;
/// A cell's colour is the mean of at most so many times so many of its tiles.
const SAMPLES: u16 = 2;

/// Draws the whole map into `place`, with the frame of what the camera shows of `world`.
pub fn minimap(canvas: &mut Canvas, place: Rect, shown: &Shown<'_>, world: Rect) {
    let mirror = shown.state.mirror();
    let Some(map) = mirror.size else { return };
    let cell = |(left, right): (u16, u16), (top, bottom): (u16, u16)| {
        let each = |from: u16, to: u16| (from..to).step_by(usize::from((to - from).div_ceil(SAMPLES).max(1)));
        let tiles = each(left, right).flat_map(|x| each(top, bottom).map(move |y| Position { x, y }));
        // The mean of what lies there is fainter than in the field: players matter more here.
        GROUND.mix(ground::tint(ground::mean(tiles.filter_map(|at| mirror.tile(at)))), 0.6)
    };
    let things = |canvas: &mut Canvas, small: &SmallMap| {
        draw_small_events(canvas, small, shown);
        let r = (small.scale * 0.42).clamp(2.2, 4.2);
        for (player, known) in &mirror.players {
            let (middle, look) = (small.at(scene::middle(known.at)), look_of(shown, *player));
            canvas.circle(middle, r + 0.9, NIGHT.alpha(0.85));
            shape(canvas, middle, r, look.shape, 0.0, look.color);
        }
        let chosen = shown.view.selection.and_then(|chosen| ZappyMap::place(shown.state, chosen));
        if let Some(at) = chosen {
            canvas.ring(small.at(scene::middle(at)), r + 3.0, 1.5, ACCENT);
        }
    };
    // The incantations that have a card: the level that each is for, or how it ended, in a ring of its team's colour;
    // one that may win is larger and pulses.
    let over = |canvas: &mut Canvas, small: &SmallMap| {
        let beat = scene::pulse(shown, 90.0);
        for card in card::cards(shown) {
            let team = card.initiator.and_then(|player| shown.story.roster.team_of(player));
            let (color, at) = (bright(shown.look(team).color), small.at(scene::middle(card.at)));
            let r = if card.wins { 9.5 } else { 7.0 };
            // At the edge it is moved inwards, so that all of it is seen.
            let at = small.area.inset(r + 1.0).nearest(at);
            if card.wins {
                canvas.glow(at, r * 2.6, color.alpha(0.6));
                canvas.ring(at, r * (1.1 + 1.2 * beat), 2.0, TEXT.alpha(1.0 - beat));
            }
            canvas.circle(at, r + 1.0, NIGHT.alpha(0.92));
            canvas.ring(at, r, 2.0, color);
            match card.state {
                CardState::Over(..) => sign(canvas, at, r * 0.65, Sign::Broken, TEXT),
                CardState::Doomed(_) => sign(canvas, at, r * 0.65, Sign::Doomed, TEXT),
                CardState::Running | CardState::Risen => {
                    let level = (card.level.get() + 1).to_string();
                    canvas.text(at, Anchor::Centre, &level, Style::strong(r * 1.25, TEXT));
                }
            }
        }
    };
    SmallMap::draw(canvas, (place, map), (CELLS, cell), (shown.view.camera, world), (things, over));
}

/// Running incantations on the small map, and the deaths, broadcasts and ends of incantations that happened just now.
fn draw_small_events(canvas: &mut Canvas, small: &SmallMap, shown: &Shown<'_>) {
    let first_color =
        |players: &[PlayerId]| players.first().map_or(TEXT, |&player| bright(look_of(shown, player).color));
    for running in shown.state.incantations() {
        let (middle, color) = (small.at(scene::middle(running.at)), first_color(&running.players));
        canvas.glow(middle, 9.0, color.alpha(0.5));
        canvas.ring(middle, 4.0, 1.5, color);
    }
    for effect in scene::effects(shown) {
        let Some(middle) = effect.happening.at.map(|at| small.at(scene::middle(at))) else { continue };
        let age = effect.age as f32;
        let color = match &effect.happening.what {
            What::Gone { .. } => {
                sign(canvas, middle, 5.0, Sign::Broken, TEXT.alpha(1.0 - age));
                continue;
            }
            What::Broadcast(player, _) => first_color(&[*player]),
            What::IncantationEnded { players, .. } => first_color(players),
            _ => continue,
        };
        canvas.ring(middle, 2.0 + 14.0 * age, 1.5, color.alpha(swell(effect.age, 0.05)));
    }
}
