//! Players: a token with the team's shape and colour. It grows with its level and changes its silhouette on the way: a rim, a
//! toothed rim, a halo, gold. A crown marks the leading team in panels, and nothing in the world. Eyes look ahead; hunger takes
//! the colour away. Tested in `tests/world/`.

use zappy_protocol::zappy::constants::FOOD_TICKS;
use zappy_protocol::zappy::mirror::MirrorPlayer;
use zappy_protocol::zappy::{Level, PlayerId};

use super::{Scene, bright};
use crate::scene::{self, TokenPlace};
use crate::view::selected_player;
use zappy_observer::camera::shortest;
use zappy_observer::ink::{Anchor, Canvas, Color, Point, Style};
use zappy_observer::panels::marks::{dark, shape};
use zappy_observer::theme::{ASH, GOLD, NIGHT, TEXT, TeamLook, TeamShape};

/// A token's radius is no smaller than this, in points, however far away: it is to be seen.
const SMALLEST: f32 = 2.6;
/// And no smaller than this share of a tile, so that far away it is as large as its tile allows.
const SHARE_FAR: f32 = 0.46;
/// The radius of a dot, in points: the share of a tile is not exceeded beyond it.
const DOT: f32 = 3.4;
/// How much larger a dot of the highest level is.
const DOT_GROWN: f32 = 1.7;
/// From this radius on, in points, a token has a beak, a number and a shadow.
const TOKEN: f32 = 5.0;
/// From this radius on, in points, there is room for eyes.
const EYES: f32 = 8.0;
/// The first levels with a rim, with a toothed rim, with a halo, and all in gold.
const RIM: u8 = 2;
const TEETH: u8 = 4;
const HALO: u8 = 6;
const GOLDEN: u8 = 8;
/// A halo's radius at the least, in points: it is what is seen from afar.
const HALO_LEAST: f32 = 6.5;
/// Ticks left at which a player's colour begins to fade: four meals.
const HUNGRY: f32 = 4.0 * FOOD_TICKS as f32;
/// How much of its colour a starving player has lost.
const PALE: f32 = 0.85;
/// Ticks from blink to blink, and of a blink.
const BLINKS: (f64, f64) = (97.0, 4.0);
/// Ticks per second beyond which blinking would be flicker.
const CALM: f64 = 450.0;

/// How the eyes of a token are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Eyes {
    Open,
    Shut,
    /// Of a player that takes part in an incantation: all light.
    Rapt,
}

pub(super) struct Token {
    pub r: f32,
    pub look: TeamLook,
    /// Where it faces, in turns clockwise from north.
    pub turn: f32,
    pub level: Level,
    pub eyes: Eyes,
    /// How much of its colour hunger has taken, 0 to 1.
    pub pale: f32,
    /// How much longer than wide it is, as seen along where it faces.
    pub squash: f32,
}

/// A token's radius in points, of so many tiles at this scale.
pub(super) fn radius(scale: f32, tiles: f64) -> f32 {
    let grown = (tiles / scene::size_of(1.0)).clamp(1.0, f64::from(DOT_GROWN)) as f32;
    (scale * tiles as f32).max((scale * SHARE_FAR).min(DOT) * grown).max(SMALLEST * grown)
}

pub(super) fn draw(canvas: &mut Canvas, scene: &Scene<'_>) {
    // The higher ones lie above the lower ones, so that they are found in a crowd.
    let players = &scene.shown.state.mirror().players;
    let places = scene.cast.places();
    let mut all: Vec<_> =
        places.filter_map(|(player, place)| Some(((player, place), players.get(&player)?))).collect();
    all.sort_by_key(|(_, known)| known.level);
    for ((player, place), known) in all {
        let (token, lit) = (token(scene, player, known, place), scene.lit());
        if let Some((ghost, left)) = place.ghost {
            for middle in scene.seen(ghost, token.r * 2.0) {
                canvas.faded(left as f32, |canvas| body(canvas, middle, &token, false));
            }
        }
        let jolt = jolted(scene, place, token.r);
        for middle in scene.seen(place.point, token.r * 2.4) {
            canvas.faded(place.alpha as f32, |canvas| {
                body(canvas, middle + jolt, &token, lit.contains(middle));
            });
        }
    }
    if scene.camera.scale >= scene::FAR {
        // How many lie on a stack.
        for &(at, count) in &scene.cast.stacks {
            let (size, middle) = ((scene.camera.scale * 0.17).max(9.0), scene.once(scene::middle(at)));
            canvas.circle(middle, size * 0.95, NIGHT.alpha(0.92));
            canvas.ring(middle, size * 0.95, 1.0, TEXT.alpha(0.5));
            canvas.text(middle, Anchor::Centre, &format!("+{count}"), Style::strong(size * 0.86, TEXT));
        }
    }
    // No player and no stack hides the player that the camera follows.
    if let Some(player) = selected_player(scene.shown.view) {
        draw_again(canvas, scene, player, None);
    }
}

/// A player once more, over what hides it; only where the world itself is seen, or at its distance from a tile point that
/// is at a place of the window.
pub(super) fn draw_again(
    canvas: &mut Canvas,
    scene: &Scene<'_>,
    player: PlayerId,
    from: Option<((f64, f64), Point)>,
) {
    let known = scene.shown.state.mirror().players.get(&player);
    if let Some((known, place)) = known.zip(scene.cast.place(player)) {
        let token = token(scene, player, known, place);
        let beside = |(point, at): ((f64, f64), Point)| {
            let (dx, dy) = shortest(scene.map, point, place.point);
            at + Point::new(scene.tiles(dx), scene.tiles(dy))
        };
        let at = from.map_or_else(|| scene.once(place.point), beside) + jolted(scene, place, token.r);
        if scene.area.inset(-token.r * 3.0).contains(at) {
            canvas.faded(place.alpha as f32, |canvas| body(canvas, at, &token, true));
        }
    }
}

fn token(scene: &Scene<'_>, player: PlayerId, known: &MirrorPlayer, place: &TokenPlace) -> Token {
    let r = radius(scene.camera.scale, place.size);
    let eyes = if place.rite > 0.5 || scene.frozen.contains(&player) {
        Eyes::Rapt
    } else if scene.shown.time.pace < CALM
        && (scene.shown.time.tick + f64::from(player.0 % 97) * 41.0).rem_euclid(BLINKS.0) < BLINKS.1
    {
        Eyes::Shut
    } else {
        Eyes::Open
    };
    let left = scene.shown.state.time_to_live(player).map_or(HUNGRY, |left| left.ticks as f32);
    let pale = (1.0 - left / HUNGRY).clamp(0.0, 1.0) * PALE;
    // A pushed player gives way; one that pushes leans forward, then draws itself together; neither where motion is reduced.
    let give = 1.0 - 0.3 * (place.jolt * place.jolt) as f32;
    let lean = scene.pushing.get(&player).map_or(0.0, |&age| {
        0.45 * (age * 1.25 * std::f64::consts::TAU).cos() as f32 * (1.0 - age as f32).powi(2)
    });
    let look = scene.look(player);
    let squash = if scene.shown.pace.calm { 1.0 } else { give + lean };
    Token { r, look, turn: place.turn as f32, level: known.level, eyes, pale, squash }
}

/// How far a push shakes a token.
fn jolted(scene: &Scene<'_>, place: &TokenPlace, r: f32) -> Point {
    if place.jolt <= 0.0 || scene.shown.pace.calm {
        return Point::ZERO;
    }
    let shake = (place.jolt * place.jolt) as f32 * r * 0.22;
    Point::new(shake * ((scene.shown.time.tick * 2.4).sin() as f32), 0.0)
}

/// A token, from a dot to everything; with its number if it is `named`.
pub(super) fn body(canvas: &mut Canvas, at: Point, token: &Token, named: bool) {
    if (token.squash - 1.0).abs() < 0.01 {
        return upright(canvas, at, token, named);
    }
    let ahead = Point::from_turn(token.turn);
    canvas.squashed(at, ahead, token.squash, |canvas| upright(canvas, at, token, named));
}

fn upright(canvas: &mut Canvas, at: Point, token: &Token, named: bool) {
    let (r, kind, level) = (token.r, token.look.shape, token.level.get());
    let color = token.look.color.mix(ASH, token.pale);
    halo(canvas, at, token);
    if r < TOKEN {
        canvas.circle(at, r + 0.9, NIGHT.alpha(0.9));
        return shape(canvas, at, r, kind, token.turn, color);
    }
    canvas.glow(at + Point::new(0.0, r * 0.34), r * 1.6, Color::BLACK.alpha(0.6));
    let outline = (r * 0.1).clamp(1.0, 3.0);
    let rim = if level >= RIM { (r * (0.05 + 0.02 * f32::from(level))).max(1.0) } else { 0.0 };
    if level >= TEETH {
        teeth(canvas, at, r + rim, token, color);
    }
    beak(canvas, at, r + rim + outline, token.turn, dark(color));
    shape(canvas, at, r + rim + outline, kind, token.turn, dark(color));
    if rim > 0.0 {
        shape(canvas, at, r + rim, kind, token.turn, metal(token, color));
    }
    beak(canvas, at, r + rim * 0.5, token.turn, color.mix(Color::WHITE, 0.55));
    shape(canvas, at, r, kind, token.turn, color);
    let ahead = Point::from_turn(token.turn);
    let face = r >= EYES;
    if face {
        eyes(canvas, at, token, ahead);
    }
    if named {
        let share = if kind == TeamShape::Triangle { 0.82 } else { 0.95 };
        let (back, size) = if face { (r * 0.3, r * 0.86) } else { (0.0, r * share * 1.2) };
        canvas.text(at - ahead * back, Anchor::Centre, &token.level.to_string(), Style::strong(size, NIGHT));
    }
}

/// What rims are made of: silver in the team's light, gold at the top.
fn metal(token: &Token, color: Color) -> Color {
    if token.level.get() >= GOLDEN { GOLD } else { color.mix(Color::WHITE, 0.62) }
}

/// What points ahead, half of it hidden by the body.
fn beak(canvas: &mut Canvas, at: Point, r: f32, turn: f32, color: Color) {
    let ahead = Point::from_turn(turn);
    let side = ahead.quarter() * (r * 0.5);
    let root = at + ahead * (r * 0.78);
    canvas.triangle(at + ahead * (r * 1.36), root + side, root - side, color);
}

/// Around the highest levels, never smaller than the eye catches: so the leaders are found from afar.
fn halo(canvas: &mut Canvas, at: Point, token: &Token) {
    let level = token.level.get();
    // On an incantation's ring the column of light says more, and halos would overlap.
    if level < HALO || (token.eyes == Eyes::Rapt && token.r >= EYES) {
        return;
    }
    let golden = level >= GOLDEN;
    let color = if golden { GOLD } else { bright(token.look.color) };
    let r = (token.r * 1.42).max(HALO_LEAST);
    let width = (r * 0.1).max(1.4);
    canvas.glow(at, r * if golden { 2.3 } else { 1.9 }, color.alpha(if golden { 0.6 } else { 0.4 }));
    canvas.ring(at, r, width + 1.6, NIGHT.alpha(0.6));
    canvas.ring(at, r, width, color.alpha(0.95));
    if level > HALO {
        canvas.ring(at, r + width * 2.2, width * 0.7, color.alpha(0.8));
    }
    if golden {
        for ray in 0..8 {
            let way = Point::from_turn(ray as f32 / 8.0);
            canvas.line(at + way * (r + width * 3.2), at + way * (r * 1.75), width * 0.9, GOLD.alpha(0.9));
        }
    }
}

/// Teeth all around, as of a cogwheel: more of them one level higher.
fn teeth(canvas: &mut Canvas, at: Point, r: f32, token: &Token, color: Color) {
    let many = if token.level.get() > TEETH { 12 } else { 8 };
    let half = 0.3 / many as f32;
    for (ink, more) in [(dark(color), (r * 0.08).clamp(0.8, 2.0)), (metal(token, color), 0.0)] {
        for tooth in 0..many {
            // None in front of the beak.
            let turn = token.turn + (tooth as f32 + 0.5) / many as f32;
            let (root, tip) = (r * 0.95, r * 1.18 + more);
            let side = Point::from_turn(turn).quarter() * (r * half * std::f32::consts::TAU + more);
            let out = Point::from_turn(turn);
            canvas.triangle(at + out * tip, at + out * root + side, at + out * root - side, ink);
        }
    }
}

fn eyes(canvas: &mut Canvas, at: Point, token: &Token, ahead: Point) {
    let r = token.r;
    for side in [-1.0, 1.0] {
        let eye = at + ahead * (r * 0.44) + ahead.quarter() * (side * r * 0.33);
        match token.eyes {
            Eyes::Open => {
                canvas.circle(eye, r * 0.235, Color::WHITE);
                canvas.circle(eye + ahead * (r * 0.08), r * 0.135, NIGHT);
            }
            Eyes::Shut => {
                let lid = ahead.quarter() * (r * 0.2);
                canvas.line(eye - lid, eye + lid, (r * 0.08).max(1.0), NIGHT);
            }
            Eyes::Rapt => {
                canvas.glow(eye, r * 0.55, Color::WHITE.alpha(0.8));
                canvas.circle(eye, r * 0.2, Color::WHITE);
            }
        }
    }
}
