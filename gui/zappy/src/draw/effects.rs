//! Draws what just happened, each kind with its own sign. Tested in `tests/world/`.

use zappy_protocol::Position;
use zappy_protocol::zappy::mirror::MirrorPlayer;
use zappy_protocol::zappy::story::What;
use zappy_protocol::zappy::{PlayerId, Resource};

use super::marks::resource_color;
use super::players::{self, Token};
use super::{Scene, bright, cross, ease_out, ground, marks, swell};
use crate::scene::{self, Effect};
use crate::timeline::state::LOOKBACK;
use zappy_observer::camera::shortest;
use zappy_observer::ink::{Canvas, Color, Point, Rect};
use zappy_observer::panels::marks::shape;
use zappy_observer::theme::{ASH, NIGHT, TEXT, TeamLook};

/// Waves drawn at most: those of the newest broadcasts.
const WAVE_LIMIT: usize = 16;
/// Up to so many waves have all their rings; of more, each has one.
const FULL_WAVES: usize = 5;
/// Rings of a wave: how far each is behind its front, in tiles, and how opaque it is, 0 to 1.
const RINGS: [(f64, f32); 3] = [(0.0, 0.6), (0.55, 0.34), (1.1, 0.17)];
/// A token's radius where no player stands, in tiles.
const DEFAULT_RADIUS: f64 = 0.3;
/// How far a taken thing moves towards the middle of the player's token, as a share of the way.
const CARRY_SHARE: f64 = 0.72;
/// A dying token is at least so large, in points: a death is seen from anywhere.
const MIN_DEATH_RADIUS: f32 = 5.5;
/// Ticks it takes to lay an egg.
const LAYING_TICKS: f64 = zappy_protocol::zappy::constants::FORK_TICKS as f64;

/// Effects below the players: broadcasts, gravestones, deaths, arrivals, and eggs that are being laid.
pub(super) fn under(canvas: &mut Canvas, scene: &Scene<'_>) {
    let broadcast = |effect: &&Effect<'_>| matches!(effect.happening.what, What::Broadcast(..));
    let waves: Vec<&Effect<'_>> = scene.effects.iter().rev().filter(broadcast).take(WAVE_LIMIT).collect();
    // The more waves there are, the fainter each is.
    let dim = 1.0 / (waves.len().max(1) as f32).sqrt();
    let rings = if waves.len() > FULL_WAVES { &RINGS[..1] } else { &RINGS[..] };
    for effect in waves.into_iter().rev() {
        wave(canvas, scene, effect, (dim, rings));
    }
    // Where a player died lies a small stone with a cross in its team's colour, for a while.
    let r = scene.tiles(0.12).clamp(2.6, 12.0);
    for happening in &scene.shown.state.recent {
        let What::Gone { player, last, .. } = &happening.what else { continue };
        let age = (scene.shown.time.tick - happening.tick as f64) / LOOKBACK as f64;
        if !(0.0..1.0).contains(&age) || !scene.map.contains(last.at) {
            continue;
        }
        let alpha = ((1.0 - age) * 2.5).min(1.0) as f32;
        let color = scene.look(*player).color.mix(ASH, 0.3);
        let (x, y) = scene::middle(last.at);
        for middle in scene.seen((x, y + 0.2), r * 3.0) {
            canvas.glow(middle + Point::new(0.0, r * 0.9), r * 1.4, Color::BLACK.alpha(0.6 * alpha));
            let slab = Rect::around(middle, r * 1.7, r * 2.1);
            canvas.round_rect(slab.inset(-1.0), r * 0.85, NIGHT.alpha(0.85 * alpha));
            canvas.round_rect(slab, r * 0.8, ASH.alpha(alpha));
            let (up, side) = (Point::new(0.0, r * 0.62), Point::new(r * 0.42, 0.0));
            let bar = middle - Point::new(0.0, r * 0.2);
            canvas.line(middle - up, middle + up, (r * 0.26).max(1.0), color.alpha(alpha));
            canvas.line(bar - side, bar + side, (r * 0.26).max(1.0), color.alpha(alpha));
        }
    }
    for effect in &scene.effects {
        let Some(at) = effect.happening.at.filter(|&at| scene.map.contains(at)) else { continue };
        match &effect.happening.what {
            What::Gone { player, last: known, .. } => death(canvas, scene, (*player, known), effect.age),
            What::Joined(player) => arrival(canvas, scene, *player, at, effect.age),
            _ => {}
        }
    }
    laying(canvas, scene);
}

/// Effects above the players: what they take, put down and push, levels that rise, and eggs that hatch or break.
pub(super) fn over(canvas: &mut Canvas, scene: &Scene<'_>) {
    for effect in &scene.effects {
        let Some(at) = effect.happening.at.filter(|&at| scene.map.contains(at)) else { continue };
        match &effect.happening.what {
            What::Took(player, resource) | What::Dropped(player, resource) => {
                let taken = matches!(effect.happening.what, What::Took(..));
                carry(canvas, scene, (*player, at), *resource, (effect.age, taken));
            }
            What::Level { player, from, to } if to > from => rise(canvas, scene, (*player, at), effect.age),
            What::EggHatched(egg) => {
                let look =
                    scene.shown.story.roster.team_of_egg(*egg).map(|team| scene.shown.look(Some(team)));
                hatch(canvas, scene, at, look, effect.age);
            }
            What::Ejected { player, .. } => push(canvas, scene, (*player, at), effect),
            What::EggDestroyed(_) => shards(canvas, scene, at, effect.age),
            _ => {}
        }
    }
}

/// Rings that grow over the torus the shortest way: each repeat of the speaker has the part that is nearest to
/// it, so that the wave meets itself on the far side.
fn wave(canvas: &mut Canvas, scene: &Scene<'_>, effect: &Effect<'_>, (dim, rings): (f32, &[(f64, f32)])) {
    let (What::Broadcast(player, _), Some(at)) = (&effect.happening.what, effect.happening.at) else {
        return;
    };
    let (w, h) = (f64::from(scene.map.width()), f64::from(scene.map.height()));
    let (width, height) = (scene.tiles(w), scene.tiles(h));
    let front = w.hypot(h) / 2.0 * effect.age;
    let color = bright(scene.look(*player).color);
    let left = (1.0 - effect.age as f32).sqrt();
    let thick = (scene.camera.scale * 0.06).clamp(1.5, 5.0);
    for middle in scene.seen(scene::middle(at), width.max(height) / 2.0) {
        canvas.clipped(Rect::around(middle, width, height), |canvas| {
            for &(behind, share) in rings {
                let r = scene.tiles(front - behind);
                if r > 0.0 {
                    canvas.ring(middle, r, thick, color.alpha(share * left * dim));
                }
            }
        });
        let glow = swell(effect.age, 0.1);
        canvas.glow(middle, scene.tiles(0.75).max(8.0), color.alpha(0.4 * glow * dim));
    }
}

fn push(canvas: &mut Canvas, scene: &Scene<'_>, (player, at): (PlayerId, Position), effect: &Effect<'_>) {
    let (out, left) = (ease_out(effect.age), 1.0 - effect.age as f32);
    let r = scene.tiles(0.2 + 0.45 * f64::from(out)).max(5.0);
    let color = bright(scene.look(player).color);
    let turn = scene::facing_at(scene.shown, player, effect.happening.tick);
    for middle in scene.seen(scene::middle(at), scene.tiles(2.0).max(12.0)) {
        canvas.ring(middle, r, (scene.tiles(0.05) * left).max(1.5), Color::WHITE.alpha(0.8 * left));
        let Some(turn) = turn else { continue };
        let ahead = Point::from_turn(turn as f32);
        for row in 0..3 {
            let distance = scene.tiles(0.4 + 0.2 * f64::from(row) + 0.5 * f64::from(out));
            let lit = swell((effect.age * 1.4 - f64::from(row) * 0.14).clamp(0.0, 1.0), 0.25);
            let (tip, r, ink) = (middle + ahead * distance, scene.tiles(0.2).max(3.0), color.alpha(lit));
            let (side, back) = (ahead.quarter() * r, ahead * (r * 0.55));
            let (points, width) = ([tip + side - back, tip, tip - side - back], (r * 0.3).max(1.5));
            let fade = f32::from(ink.0[3]) / 255.0;
            canvas.polyline(&points, width + 2.0, NIGHT.alpha(0.7 * fade));
            canvas.polyline(&points, width, ink);
        }
    }
}

/// A token that loses its colour and sinks, with a cross where the number was.
fn death(canvas: &mut Canvas, scene: &Scene<'_>, (player, known): (PlayerId, &MirrorPlayer), age: f64) {
    let left = 1.0 - age as f32;
    let size = scene::size_of(f64::from(known.level.get()));
    let r = players::radius(scene.camera.scale, size).max(MIN_DEATH_RADIUS) * (1.0 - 0.25 * age as f32);
    let look = scene.look(player);
    let fall = scene.tiles(0.16 * age);
    for middle in scene.seen(scene::middle(known.at), r * 3.0) {
        let at = middle + Point::new(0.0, fall);
        let flash = (1.0 - age as f32 * 4.0).max(0.0);
        let out = r * (1.2 + 1.6 * ease_out(age));
        canvas.glow(middle, out * 1.5, ASH.alpha(0.5 * left * left));
        // Pieces that fly apart, white, since no team is.
        for piece in 0..8 {
            let from = piece as f32 / 8.0;
            canvas.arc(middle, out, (r * 0.14).max(1.5), from, from + 0.07, TEXT.alpha(0.9 * left));
        }
        canvas.faded(flash, |canvas| {
            let (level, turn) = (known.level, f32::from(known.orientation.number() - 1) / 4.0);
            let token = Token { r, look, turn, level, eyes: players::Eyes::Shut, pale: 0.8, squash: 1.0 };
            players::draw_token(canvas, at, &token, false);
        });
        canvas.faded(left * (1.0 - flash), |canvas| {
            shape(canvas, at, r, look.shape, 0.0, look.color);
            shape(canvas, at, r * 0.82, look.shape, 0.0, NIGHT.mix(look.color, 0.12));
            cross(canvas, at, r * 0.4, (r * 0.17).max(1.5), look.color);
        });
    }
}

fn arrival(canvas: &mut Canvas, scene: &Scene<'_>, player: PlayerId, at: Position, age: f64) {
    let r = players::radius(scene.camera.scale, DEFAULT_RADIUS);
    let (out, left) = (ease_out(age), 1.0 - age as f32);
    let color = bright(scene.look(player).color);
    for middle in scene.seen(scene.whereabouts(player, at), r * 4.0) {
        canvas.glow(middle, r * 2.4, color.alpha(0.5 * left));
        canvas.ring(middle, r * (3.0 - 1.6 * out), (r * 0.12).max(1.0), color.alpha(left));
    }
}

/// The mark of a resource on its way from the ground to the player that took it, or back if it was put down.
fn carry(
    canvas: &mut Canvas,
    scene: &Scene<'_>,
    (player, at): (PlayerId, Position),
    resource: Resource,
    (age, taken): (f64, bool),
) {
    // Far away the ground is a field; a mark for each unit would be noise.
    if scene.detail.marks <= 0.0 {
        return;
    }
    let ((x, y), (dx, dy)) = (scene::middle(at), ground::spot(scene, resource));
    let ground = (x + f64::from(dx), y + f64::from(dy));
    let hand = scene.whereabouts(player, at);
    let (dx, dy) = shortest(scene.map, ground, hand);
    // Between the ground and the token's edge, so that the number in the token stays readable.
    let done = 1.0 - (1.0 - age) * (1.0 - age);
    let share = CARRY_SHARE * if taken { done } else { 1.0 - done };
    let lift = scene.tiles(0.2) * (share * std::f64::consts::PI).sin() as f32;
    let r =
        ground::mark_radius(scene) * if taken { 1.3 - 0.8 * age as f32 } else { 1.0 + 0.3 * share as f32 };
    let left = if taken { ((1.0 - age as f32) * 2.5).min(1.0) } else { 1.0 - (age as f32).powi(3) };
    canvas.faded(left * scene.detail.marks, |canvas| {
        for middle in scene.seen(ground, scene.tiles(1.5)) {
            let mark = middle + Point::new(scene.tiles(dx * share), scene.tiles(dy * share) - lift);
            if !taken {
                let splash = r * (1.0 + 1.6 * ease_out(age));
                canvas.ring(middle, splash, 1.2, resource_color(resource));
            }
            marks::resource(canvas, mark, r, resource);
        }
    });
}

fn rise(canvas: &mut Canvas, scene: &Scene<'_>, (player, at): (PlayerId, Position), age: f64) {
    let size = scene.cast.place(player).map_or(DEFAULT_RADIUS, |place| place.size);
    let r = players::radius(scene.camera.scale, size);
    let (out, left) = (ease_out(age), swell(age, 0.06));
    for middle in scene.seen(scene.whereabouts(player, at), r * 4.0) {
        let up = Point::new(0.0, r * 0.7 * out);
        let color = bright(scene.look(player).color);
        canvas.ring(middle - up, r * (1.2 + 0.6 * out), (r * 0.1).max(1.5), color.alpha(left));
    }
}

fn hatch(canvas: &mut Canvas, scene: &Scene<'_>, at: Position, look: Option<TeamLook>, age: f64) {
    let (out, left) = (ease_out(age), 1.0 - age as f32);
    let color = look.unwrap_or(TeamLook::NEUTRAL).color;
    let (point, half) = ground::egg_place(0, 1, at);
    let r = scene.tiles(half).max(2.5);
    for middle in scene.seen(point, r * 6.0) {
        canvas.glow(middle, r * 3.2, bright(color).alpha(0.6 * left));
        for piece in 0..8 {
            let direction = Point::from_turn(piece as f32 / 8.0 + 0.05);
            let from = middle + direction * (r * (0.5 + 2.2 * out));
            canvas.line(from, from + direction * (r * 0.5), (r * 0.3).max(1.2), bright(color).alpha(left));
        }
        // The two halves of the shell move apart.
        for side in [-1.0, 1.0] {
            let apart = Point::new(side * r * out * 1.1, r * 0.3 * out);
            let tilt = side * 0.12 * out;
            let from = if side < 0.0 { 0.5 } else { 0.0 } + tilt;
            canvas.arc(middle + apart, r * 0.6, r * 0.35, from, from + 0.5, Color::WHITE.alpha(0.9 * left));
        }
    }
}

fn shards(canvas: &mut Canvas, scene: &Scene<'_>, at: Position, age: f64) {
    let (out, left) = (ease_out(age), 1.0 - age as f32);
    let (point, half) = ground::egg_place(0, 1, at);
    let r = scene.tiles(half).max(3.0);
    for middle in scene.seen(point, r * 5.0) {
        for piece in 0..6 {
            let direction = Point::from_turn(piece as f32 / 6.0 + 0.03);
            let shard = middle + direction * (r * (0.4 + 1.5 * out));
            let turn = piece as f32 * 0.21 + out * 0.4;
            canvas.polygon(shard, r * 0.34, 3, turn, 0.0, Color::WHITE.alpha(0.8 * left));
        }
        cross(canvas, middle, r * 0.7, (r * 0.28).max(1.5), TEXT.alpha(left));
    }
}

/// An egg in the making: its outline fills.
fn laying(canvas: &mut Canvas, scene: &Scene<'_>) {
    for (player, place) in scene.cast.places() {
        let since = scene.shown.state.track(player).and_then(|track| track.laying_since);
        let Some(since) = since else { continue };
        let ticks = scene.shown.time.tick - since as f64;
        if !(0.0..=LAYING_TICKS * 1.5).contains(&ticks) {
            continue;
        }
        let age = (ticks / LAYING_TICKS).min(1.0) as f32;
        let color = bright(scene.look(player).color);
        let r = players::radius(scene.camera.scale, place.size) * 1.5;
        let beat = (scene::pulse(scene.shown, 28.0) * std::f32::consts::TAU).sin() * 0.5 + 0.5;
        for middle in scene.seen(place.point, r * 2.0) {
            canvas.glow(middle, r * (1.2 + 0.3 * beat), color.alpha(0.4));
            canvas.ring(middle, r, (r * 0.07).max(1.0), color.alpha(0.25));
            canvas.arc(middle, r, (r * 0.1).max(1.5), 0.0, age, color.alpha(0.9));
            if scene.camera.scale >= scene::MARKS_SCALE {
                let nest = middle + Point::new(r * 0.75, r * 0.75);
                marks::egg(canvas, nest, r * (0.2 + 0.16 * age), Some(scene.look(player)));
            }
        }
    }
}
