//! Players: a token with the team's shape and colour. It grows with its level and changes its silhouette on the way: a
//! rim, a toothed rim, a halo, gold. A crown marks the leading team in panels, and nothing in the world. Eyes look
//! ahead; hunger takes the colour away. Tested in `tests/world/`.

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
const MIN_RADIUS: f32 = 2.6;
/// And no smaller than this share of a tile, up to the radius of a dot.
const DOT_SHARE: f32 = 0.46;
/// The radius of a dot at the lowest level, in points.
const DOT_RADIUS: f32 = 3.4;
/// How many times as large a dot of the highest level is.
const DOT_GROWTH: f32 = 1.7;
/// From this radius on, in points, a token has a beak, a number and a shadow.
const TOKEN_RADIUS: f32 = 5.0;
/// From this radius on, in points, there is room for eyes.
const EYES_RADIUS: f32 = 8.0;
/// The first levels with a rim, with a toothed rim, with a halo, and all in gold.
const RIM_LEVEL: u8 = 2;
const TEETH_LEVEL: u8 = 4;
const HALO_LEVEL: u8 = 6;
const GOLD_LEVEL: u8 = 8;
/// A halo's radius at the least, in points: it is what is seen from afar.
const MIN_HALO_RADIUS: f32 = 6.5;
/// Ticks left to live at which a player's colour begins to fade: four units of food.
const HUNGRY_TICKS: f32 = 4.0 * FOOD_TICKS as f32;
/// How much of its colour a starving player has lost, 0 to 1.
const MAX_PALE: f32 = 0.85;
/// Ticks from blink to blink, and of a blink.
const BLINK_TICKS: (f64, f64) = (97.0, 4.0);
/// Ticks per second from which on no token blinks, since it would be flicker.
const MAX_BLINK_PACE: f64 = 450.0;

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
    /// By how much it is stretched in the direction that it faces; 1 if it isn't.
    pub squash: f32,
}

/// A token's radius in points: so many `tiles` of `scale` points each, or that of a dot if it is larger.
pub(super) fn radius(scale: f32, tiles: f64) -> f32 {
    let growth = (tiles / scene::size_of(1.0)).clamp(1.0, f64::from(DOT_GROWTH)) as f32;
    (scale * tiles as f32).max((scale * DOT_SHARE).min(DOT_RADIUS) * growth).max(MIN_RADIUS * growth)
}

pub(super) fn draw(canvas: &mut Canvas, scene: &Scene<'_>) {
    // Players of higher levels are drawn above others, so that they are found in a crowd.
    let players = &scene.shown.state.mirror().players;
    let places = scene.cast.places();
    let mut all: Vec<_> =
        places.filter_map(|(player, place)| Some(((player, place), players.get(&player)?))).collect();
    all.sort_by_key(|(_, known)| known.level);
    for ((player, place), known) in all {
        let (token, lit) = (token(scene, player, known, place), scene.lit());
        if let Some((ghost, left)) = place.ghost {
            for middle in scene.seen(ghost, token.r * 2.0) {
                canvas.faded(left as f32, |canvas| draw_token(canvas, middle, &token, false));
            }
        }
        let jolt = jolted(scene, place, token.r);
        for middle in scene.seen(place.point, token.r * 2.4) {
            canvas.faded(place.alpha as f32, |canvas| {
                draw_token(canvas, middle + jolt, &token, lit.contains(middle));
            });
        }
    }
    if scene.camera.scale >= scene::MARKS_SCALE {
        // The number of players on each stack.
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

/// A player once more, over what hides it, and not on repeats of the world. With `from`, a tile point and its place in
/// the window, the player is drawn at its shortest distance from that.
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
            canvas.faded(place.alpha as f32, |canvas| draw_token(canvas, at, &token, true));
        }
    }
}

fn token(scene: &Scene<'_>, player: PlayerId, known: &MirrorPlayer, place: &TokenPlace) -> Token {
    let r = radius(scene.camera.scale, place.size);
    let eyes = if place.rite > 0.5 || scene.frozen.contains(&player) {
        Eyes::Rapt
    } else if scene.shown.time.pace < MAX_BLINK_PACE
        && (scene.shown.time.tick + f64::from(player.0 % 97) * 41.0).rem_euclid(BLINK_TICKS.0) < BLINK_TICKS.1
    {
        Eyes::Shut
    } else {
        Eyes::Open
    };
    let left = scene.shown.state.time_to_live(player).map_or(HUNGRY_TICKS, |left| left.ticks as f32);
    let pale = (1.0 - left / HUNGRY_TICKS).clamp(0.0, 1.0) * MAX_PALE;
    // A pushed player is flattened; one that pushes is stretched, then flattened; neither if motion is reduced.
    let flattened = 1.0 - 0.3 * (place.jolt * place.jolt) as f32;
    let lean = scene.pushing.get(&player).map_or(0.0, |&age| {
        0.45 * (age * 1.25 * std::f64::consts::TAU).cos() as f32 * (1.0 - age as f32).powi(2)
    });
    let look = scene.look(player);
    let squash = if scene.shown.pace.calm { 1.0 } else { flattened + lean };
    Token { r, look, turn: place.turn as f32, level: known.level, eyes, pale, squash }
}

/// How far a push shakes a token of radius `r` from its place, in points.
fn jolted(scene: &Scene<'_>, place: &TokenPlace, r: f32) -> Point {
    if place.jolt <= 0.0 || scene.shown.pace.calm {
        return Point::ZERO;
    }
    let shake = (place.jolt * place.jolt) as f32 * r * 0.22;
    Point::new(shake * ((scene.shown.time.tick * 2.4).sin() as f32), 0.0)
}

/// A token, as a dot or with all that its radius allows; with its level as a number if it is `numbered`.
pub(super) fn draw_token(canvas: &mut Canvas, at: Point, token: &Token, numbered: bool) {
    if (token.squash - 1.0).abs() < 0.01 {
        return draw_unstretched(canvas, at, token, numbered);
    }
    let ahead = Point::from_turn(token.turn);
    canvas.squashed(at, ahead, token.squash, |canvas| draw_unstretched(canvas, at, token, numbered));
}

/// A token that isn't stretched.
fn draw_unstretched(canvas: &mut Canvas, at: Point, token: &Token, numbered: bool) {
    let (r, kind, level) = (token.r, token.look.shape, token.level.get());
    let color = token.look.color.mix(ASH, token.pale);
    draw_halo(canvas, at, token);
    if r < TOKEN_RADIUS {
        canvas.circle(at, r + 0.9, NIGHT.alpha(0.9));
        return shape(canvas, at, r, kind, token.turn, color);
    }
    canvas.glow(at + Point::new(0.0, r * 0.34), r * 1.6, Color::BLACK.alpha(0.6));
    let outline = (r * 0.1).clamp(1.0, 3.0);
    let rim = if level >= RIM_LEVEL { (r * (0.05 + 0.02 * f32::from(level))).max(1.0) } else { 0.0 };
    if level >= TEETH_LEVEL {
        // Teeth all around, as of a cogwheel: eight at the first level with teeth, twelve above.
        let (r, many) = (r + rim, if level > TEETH_LEVEL { 12 } else { 8 });
        let half = 0.3 / many as f32;
        for (ink, margin) in [(dark(color), (r * 0.08).clamp(0.8, 2.0)), (rim_color(token, color), 0.0)] {
            for tooth in 0..many {
                // The beak is between two teeth.
                let out = Point::from_turn(token.turn + (tooth as f32 + 0.5) / many as f32);
                let (root, tip) = (r * 0.95, r * 1.18 + margin);
                let side = out.quarter() * (r * half * std::f32::consts::TAU + margin);
                canvas.triangle(at + out * tip, at + out * root + side, at + out * root - side, ink);
            }
        }
    }
    draw_beak(canvas, at, r + rim + outline, token.turn, dark(color));
    shape(canvas, at, r + rim + outline, kind, token.turn, dark(color));
    if rim > 0.0 {
        shape(canvas, at, r + rim, kind, token.turn, rim_color(token, color));
    }
    draw_beak(canvas, at, r + rim * 0.5, token.turn, color.mix(Color::WHITE, 0.55));
    shape(canvas, at, r, kind, token.turn, color);
    let ahead = Point::from_turn(token.turn);
    let has_eyes = r >= EYES_RADIUS;
    if has_eyes {
        draw_eyes(canvas, at, token, ahead);
    }
    if numbered {
        let share = if kind == TeamShape::Triangle { 0.82 } else { 0.95 };
        let (back, size) = if has_eyes { (r * 0.3, r * 0.86) } else { (0.0, r * share * 1.2) };
        canvas.text(at - ahead * back, Anchor::Centre, &token.level.to_string(), Style::strong(size, NIGHT));
    }
}

/// The colour of rims and teeth: the team's, lightened; gold at the highest level.
fn rim_color(token: &Token, color: Color) -> Color {
    if token.level.get() >= GOLD_LEVEL { GOLD } else { color.mix(Color::WHITE, 0.62) }
}

/// The beak points where the token faces; the token hides half of it.
fn draw_beak(canvas: &mut Canvas, at: Point, r: f32, turn: f32, color: Color) {
    let ahead = Point::from_turn(turn);
    let side = ahead.quarter() * (r * 0.5);
    let root = at + ahead * (r * 0.78);
    canvas.triangle(at + ahead * (r * 1.36), root + side, root - side, color);
}

/// A halo around players of high levels, large enough to be seen from afar.
fn draw_halo(canvas: &mut Canvas, at: Point, token: &Token) {
    let level = token.level.get();
    // On an incantation's ring the column of light says more, and halos would overlap.
    if level < HALO_LEVEL || (token.eyes == Eyes::Rapt && token.r >= EYES_RADIUS) {
        return;
    }
    let golden = level >= GOLD_LEVEL;
    let color = if golden { GOLD } else { bright(token.look.color) };
    let r = (token.r * 1.42).max(MIN_HALO_RADIUS);
    let width = (r * 0.1).max(1.4);
    canvas.glow(at, r * if golden { 2.3 } else { 1.9 }, color.alpha(if golden { 0.6 } else { 0.4 }));
    canvas.ring(at, r, width + 1.6, NIGHT.alpha(0.6));
    canvas.ring(at, r, width, color.alpha(0.95));
    if level > HALO_LEVEL {
        canvas.ring(at, r + width * 2.2, width * 0.7, color.alpha(0.8));
    }
    if golden {
        for ray in 0..8 {
            let out = Point::from_turn(ray as f32 / 8.0);
            canvas.line(at + out * (r + width * 3.2), at + out * (r * 1.75), width * 0.9, GOLD.alpha(0.9));
        }
    }
}

fn draw_eyes(canvas: &mut Canvas, at: Point, token: &Token, ahead: Point) {
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
