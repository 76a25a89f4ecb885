//! Incantations: the map around them is dark, a column of light stands over the tile, the players that take part stand
//! on a ring, stones spiral in as time runs out. One that would fail shows it; one that fails shatters.
//!
//! Drawn once, where the world itself is seen, over everything else. Tested in `tests/world/`.

use crate::view::winner;
use zappy_protocol::Position;
use zappy_protocol::zappy::constants::INCANTATION_TICKS;
use zappy_protocol::zappy::mirror::MirrorIncantation;
use zappy_protocol::zappy::story::What;
use zappy_protocol::zappy::{Level, PlayerId};

use super::{Scene, bright, cross, ease_out, marks, players, swell};
use crate::scene::card::{self, CardState};
use crate::scene::{self, rite};
use crate::timeline::attempt::flaw;
use zappy_observer::director::eased;
use zappy_observer::ink::{Canvas, Color, Point, Rect};
use zappy_observer::theme::{ASH, NIGHT, TEXT};
use zappy_observer::torus::{hash, smooth};

/// Ticks in which the map around an incantation becomes dark, and light again.
const DIM_TICKS: f64 = 24.0;
/// A circle's radius at the least, in points: an incantation is seen from anywhere.
const CIRCLE_MIN: f32 = 8.0;
/// How high a column of light is, in tiles: a base, and so much more for each level.
const COLUMN: (f64, f64) = (1.9, 0.5);
/// The same in points at the least.
const COLUMN_MIN: (f32, f32) = (34.0, 7.0);
/// How far outside of the circle stones wait, in tiles.
const ORBIT: f64 = 0.3;
/// The share of an incantation's time that a stone takes to fall in.
const FALL: f64 = 0.24;
/// Pieces of a circle that breaks, and of its column.
const PIECES: u32 = 14;
const SHARDS: u32 = 26;
/// Rays of a circle that succeeds.
const RAYS: u32 = 16;
/// Ended incantations that stay on the map at a time at most.
const ENDED_LIMIT: usize = 12;

/// Makes everything that was drawn so far darker, the darker the higher the level.
pub(super) fn veil(canvas: &mut Canvas, scene: &Scene<'_>) {
    let (tick, state) = (scene.shown.time.tick, scene.shown.state);
    let dim = |level: Level, share: f64| (0.03 + 0.066 * f64::from(level.get())) * share;
    let risen = |began: u64| eased((tick - began as f64) / DIM_TICKS);
    let running = state.incantations().iter().map(|rite| dim(rite.level, rite.began.map_or(1.0, risen)));
    let recent = state.recent.iter().rev().take_while(|one| one.tick as f64 + DIM_TICKS > tick);
    let ended = recent.filter_map(|happening| match happening.what {
        What::IncantationEnded { level: Some(level), .. } => Some(dim(level, 1.0 - risen(happening.tick))),
        _ => None,
    });
    let dark = running.chain(ended).fold(0.0, f64::max) as f32;
    if dark > 0.0 {
        canvas.rect(scene.place, NIGHT.alpha(dark));
    }
}

/// Where an incantation is drawn, and how.
struct Site {
    at: Position,
    /// The middle of its circle on the window.
    middle: Point,
    /// The radius of the circle around the ring of players, in points.
    r: f32,
    color: Color,
    level: Level,
    /// Whether it fails as it stands.
    doomed: bool,
}

impl Site {
    /// The site of an incantation; `earlier` is how many others on its tile began before it.
    fn of(scene: &Scene<'_>, at: Position, (players, level): (&[PlayerId], Level), earlier: usize) -> Site {
        let color = players.first().map_or(TEXT, |&player| bright(scene.look(player).color));
        let reach = rite::reach(players.len(), level) + rite::RING_STEP * earlier as f64;
        let r = scene.tiles(reach).max(CIRCLE_MIN * (1.0 + 0.6 * earlier as f32));
        Site { at, middle: scene.once(scene::middle(at)), r, color, level, doomed: false }
    }

    /// Moves an incantation that fails aside and makes it small if others on its tile would succeed: those shall not
    /// look broken.
    fn beside(mut self, scene: &Scene<'_>) -> Site {
        let outermost = intact(scene, self.at).fold(0.0, f32::max);
        if outermost > 0.0 {
            self.r = (self.r * 0.4).min(scene.tiles(0.4)).max(CIRCLE_MIN);
            self.middle += Point::from_turn(0.375) * (outermost + self.r * 1.5);
        }
        self
    }

    fn width(&self) -> f32 {
        (self.r * 0.055).clamp(2.0, 7.0)
    }

    fn is_seen(&self, scene: &Scene<'_>) -> bool {
        let reach = scene.tiles(8.0).max(90.0) + self.r * 2.0;
        scene.place.inset(-reach).contains(self.middle)
    }
}

/// The radii, in points, of the incantations on a tile that would succeed as it stands.
fn intact(scene: &Scene<'_>, at: Position) -> impl Iterator<Item = f32> {
    let state = scene.shown.state;
    let running = state.incantations();
    let sound =
        running.iter().enumerate().filter(move |(_, rite)| rite.at == at && flaw(state, rite).is_none());
    sound.map(move |(index, rite)| {
        Site::of(scene, at, (&rite.players, rite.level), rite::earlier(running, index)).r
    })
}

pub(super) fn draw(canvas: &mut Canvas, scene: &Scene<'_>) {
    // When a team has won, the others' incantations mean nothing any more.
    let won = winner(scene.shown).is_some();
    let running = if won { &[] } else { scene.shown.state.incantations() };
    let on_map = running.iter().enumerate().filter(|(_, running)| scene.map.contains(running.at));
    let sites = on_map.map(|(index, rite)| {
        let mut site = Site::of(scene, rite.at, (&rite.players, rite.level), rite::earlier(running, index));
        site.doomed = flaw(scene.shown.state, rite).is_some();
        (rite, if site.doomed { site.beside(scene) } else { site })
    });
    let sites: Vec<(&MirrorIncantation, Site)> = sites.filter(|(_, site)| site.is_seen(scene)).collect();
    if !won {
        draw_ended(canvas, scene);
    }
    // One that fails beside others that would succeed has a circle, but no column and no stones.
    let has_column = |site: &Site| !site.doomed || intact(scene, site.at).next().is_none();
    for (rite, site) in &sites {
        draw_circle(canvas, scene, rite, site);
        if has_column(site) {
            draw_column(canvas, scene, rite, site);
        }
    }
    draw_endings(canvas, scene, true);
    for (rite, site) in &sites {
        draw_players_again(canvas, scene, &rite.players, (rite.at, scene.once(scene::middle(rite.at))));
        if has_column(site) {
            draw_stones(canvas, scene, rite, site);
        }
    }
    draw_endings(canvas, scene, false);
    if won {
        return;
    }
    // The players that pushed others out of an incantation that has a card: corners around each.
    for player in card::cards(scene.shown).iter().filter_map(|card| card.culprit) {
        let Some(place) = scene.cast.place(player) else { continue };
        players::draw_again(canvas, scene, player, None);
        let middle = scene.once(place.point);
        let r = (players::radius(scene.camera.scale, place.size) * 1.3).max(8.0);
        let width = (r * 0.12).clamp(1.5, 4.0);
        for (ink, more) in [(NIGHT.alpha(0.8), 2.5), (TEXT, 0.0)] {
            for (x, y) in [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)] {
                let corner = middle + Point::new(x * r, y * r);
                let (along, down) = (Point::new(-x * r * 0.5, 0.0), Point::new(0.0, -y * r * 0.5));
                canvas.polyline(&[corner + along, corner, corner + down], width + more, ink);
            }
        }
    }
}

/// Players above everything else, each at its shortest distance from a tile, given with its middle on the window.
fn draw_players_again(
    canvas: &mut Canvas,
    scene: &Scene<'_>,
    players: &[PlayerId],
    (at, middle): (Position, Point),
) {
    let from = (scene::middle(at), middle);
    players.iter().for_each(|&player| players::draw_again(canvas, scene, player, Some(from)));
}

/// The share of an incantation's time that has passed; `None` if its beginning wasn't seen.
fn progress(scene: &Scene<'_>, rite: &MirrorIncantation) -> Option<f32> {
    let ticks = scene.shown.time.tick - rite.began? as f64;
    Some((ticks / INCANTATION_TICKS as f64).clamp(0.0, 1.0) as f32)
}

/// Light on the ground, the circle, and how much of the time is over.
fn draw_circle(canvas: &mut Canvas, scene: &Scene<'_>, rite: &MirrorIncantation, site: &Site) {
    let (middle, r, width) = (site.middle, site.r, site.width());
    let beat = (scene::pulse(scene.shown, 90.0) * std::f32::consts::TAU).sin() * 0.5 + 0.5;
    let color = if site.doomed { site.color.mix(ASH, 0.45) } else { site.color };
    let strong = 0.16 + 0.035 * f32::from(site.level.get());
    canvas.glow(middle, r * (1.75 + 0.15 * beat), color.alpha(strong + 0.1 * beat));
    if r >= 16.0 {
        // A figure that turns, with a corner for each player that takes part.
        let sides = u32::try_from(rite.players.len().clamp(3, 8)).unwrap_or(3);
        let turn = scene::pulse(scene.shown, 480.0);
        let line = (r * 0.022).max(1.0);
        for (turn, alpha) in [(turn, 0.5), (-turn + 0.5 / sides as f32, 0.3)] {
            canvas.regular(middle, r * 0.97, (sides, turn, 0.0, line), color.alpha(alpha));
        }
    }
    canvas.ring(middle, r, width + 2.5, NIGHT.alpha(0.75));
    if site.doomed {
        // Pieces that shake, each a little off its place.
        for piece in 0..PIECES {
            let turn = piece as f32 / PIECES as f32;
            let shake = 0.06 * r * (random_share(rite.at, piece) - 0.5);
            let at = middle + Point::from_turn(turn) * shake;
            canvas.arc(at, r, width, turn, turn + 0.62 / PIECES as f32, color.alpha(0.8));
        }
        draw_cracks(canvas, site, 1.0);
        return;
    }
    canvas.ring(middle, r, width, color.alpha(0.28));
    match progress(scene, rite) {
        Some(done) => canvas.arc(middle, r, width, 0.0, done, color),
        None => {
            let turn = scene::pulse(scene.shown, 120.0);
            canvas.arc(middle, r, width, turn, turn + 0.3, color);
        }
    }
}

/// A column of light, the higher the level the higher and the brighter; of one that would fail a flicker is left.
fn draw_column(canvas: &mut Canvas, scene: &Scene<'_>, rite: &MirrorIncantation, site: &Site) {
    let level = f32::from(site.level.get());
    let grown =
        rite.began.map_or(1.0, |began| smooth(0.0, 16.0, (scene.shown.time.tick - began as f64) as f32));
    let done = progress(scene, rite).unwrap_or(0.5);
    let (high, wide) = column_size(scene, site);
    // The light of a doomed incantation flickers.
    let steady = if site.doomed {
        let step = (scene.shown.time.tick / 5.0).floor() as u32;
        0.14 + 0.3 * random_share(rite.at, step % 64)
    } else {
        1.0
    };
    let color = if site.doomed { ASH } else { site.color };
    let strength = (0.2 + 0.03 * level + 0.16 * done) * steady;
    for (w, h, white, share) in [(1.0, 0.8, 0.0, 0.7), (0.5, 0.92, 0.3, 0.9), (0.16, 1.0, 0.85, 1.0)] {
        let (w, h, light) = (wide * w, high * h * grown, color.mix(Color::WHITE, white));
        let beam = Rect::new(site.middle.x - w / 2.0, site.middle.y - h, w, h);
        canvas.beam(beam, w * 0.42, light.alpha(0.0), light.alpha(strength * share));
        // The foot is round.
        canvas.glow(site.middle, w * 0.9, light.alpha(strength * share));
    }
}

/// A column's height and width, in points.
fn column_size(scene: &Scene<'_>, site: &Site) -> (f32, f32) {
    let level = f32::from(site.level.get());
    let high = scene.tiles(COLUMN.0 + COLUMN.1 * f64::from(level)).max(COLUMN_MIN.0 + COLUMN_MIN.1 * level);
    (high, scene.tiles(0.95).max(9.0))
}

/// The stones that an incantation takes: they wait on an orbit and fall in one after the other, the last at its end.
fn draw_stones(canvas: &mut Canvas, scene: &Scene<'_>, rite: &MirrorIncantation, site: &Site) {
    let all: Vec<_> = rite::stones(rite.level).collect();
    let (done, tick) = (progress(scene, rite).map_or(0.0, f64::from), scene.shown.time.tick);
    let size = scene.tiles(0.13).max(2.4);
    let orbit = site.r + scene.tiles(ORBIT).max(5.0);
    let mut fallen = 0.0;
    for (number, stone) in all.iter().enumerate() {
        let arrives = (number + 1) as f64 / all.len() as f64;
        let fall = ((done - arrives + FALL) / FALL).clamp(0.0, 1.0);
        if fall >= 1.0 {
            fallen += 1.0;
            continue;
        }
        let turn = number as f64 / all.len() as f64 - tick / 420.0 - fall * fall * 1.1;
        let out = orbit * (1.0 - fall * fall) as f32;
        let at = site.middle + Point::from_turn(turn.rem_euclid(1.0) as f32) * out;
        let tail = Point::from_turn((turn + 0.035).rem_euclid(1.0) as f32) * (out + size * 0.6);
        let light = marks::resource_color(*stone).mix(Color::WHITE, 0.35);
        canvas.line(at, site.middle + tail, size * 0.5, light.alpha(if site.doomed { 0.12 } else { 0.4 }));
        canvas.glow(at, size * 2.6, light.alpha(if site.doomed { 0.1 } else { 0.45 }));
        marks::resource(canvas, at, size, *stone);
    }
    // Stones that have fallen in glow in the middle.
    if fallen > 0.0 && !site.doomed {
        let share = fallen / all.len() as f32;
        canvas.glow(site.middle, site.r * (0.25 + 0.4 * share), Color::WHITE.alpha(0.35 + 0.5 * share));
    }
}

/// Strokes across the circle of an incantation that fails.
fn draw_cracks(canvas: &mut Canvas, site: &Site, alpha: f32) {
    for crack in 0..3 {
        let turn = crack as f32 / 3.0 + 0.1 * random_share(site.at, crack + 7);
        let (out, side) = (Point::from_turn(turn), Point::from_turn(turn).quarter());
        let point = |along: f32, aside: f32| site.middle + out * (site.r * along) + side * (site.r * aside);
        let points = [point(1.22, 0.05), point(1.06, -0.07), point(0.94, 0.08), point(0.74, 0.0)];
        let width = site.width().min(4.0) * 0.6;
        canvas.polyline(&points, width + 2.5, NIGHT.alpha(0.8 * alpha));
        canvas.polyline(&points, width, TEXT.alpha(alpha));
    }
}

/// An incantation that has ended stays on the map as long as it may have a card: as a circle in pieces with cracks if
/// it failed, or a whole one. It isn't drawn if another one runs on its tile, unless that one would succeed.
fn draw_ended(canvas: &mut Canvas, scene: &Scene<'_>) {
    let mut drawn: Vec<Position> = Vec::new();
    for (_, card) in card::ended(scene.shown).take(ENDED_LIMIT) {
        let mut running = scene.shown.state.incantations().iter();
        let runs = running.any(|running| running.at == card.at) && intact(scene, card.at).next().is_none();
        if !scene.map.contains(card.at) || runs || drawn.contains(&card.at) {
            continue;
        }
        drawn.push(card.at);
        let color = card.initiator.map_or(TEXT, |player| bright(scene.look(player).color));
        let r = scene.tiles(rite::reach(card.participants, card.level)).max(CIRCLE_MIN);
        let middle = scene.once(scene::middle(card.at));
        let site = Site { at: card.at, middle, r, color, level: card.level, doomed: false };
        if !matches!(card.state, CardState::Over(..)) {
            canvas.ring(site.middle, r, (site.width() * 0.6).max(1.5), color.alpha(0.7));
            continue;
        }
        let site = site.beside(scene);
        let width = (site.width() * 0.6).max(1.5);
        for piece in 0..PIECES {
            let turn = piece as f32 / PIECES as f32;
            canvas.arc(site.middle, site.r, width, turn, turn + 0.5 / PIECES as f32, color.mix(ASH, 0.4));
        }
        draw_cracks(canvas, &site, 0.8);
    }
}

/// The incantations that just succeeded, or those that just failed.
fn draw_endings(canvas: &mut Canvas, scene: &Scene<'_>, succeeded: bool) {
    for effect in &scene.effects {
        let (What::IncantationEnded { success, players, level, .. }, Some(at)) =
            (&effect.happening.what, effect.happening.at.filter(|&at| scene.map.contains(at)))
        else {
            continue;
        };
        let site = Site::of(scene, at, (players, level.unwrap_or(Level::MIN)), 0);
        if *success != succeeded || !site.is_seen(scene) {
            continue;
        }
        if *success {
            draw_success(canvas, scene, &site, effect.age);
        }
        draw_players_again(canvas, scene, players, (at, site.middle));
        if !*success {
            draw_failure(canvas, scene, &site.beside(scene), effect.age);
        }
    }
}

/// Light in the team's colour that spreads outwards around the players, and never over them.
fn draw_success(canvas: &mut Canvas, scene: &Scene<'_>, site: &Site, age: f64) {
    let (out, left) = (ease_out(age), 1.0 - age as f32);
    let (middle, r, color) = (site.middle, site.r.max(12.0), site.color);
    let (high, wide) = column_size(scene, site);
    let (half, tall) = (wide * left, high * (1.0 + out));
    let beam = Rect::new(middle.x - half, middle.y - tall, 2.0 * wide * left, tall);
    canvas.beam(beam, wide * left * 0.6, color.alpha(0.0), color.mix(Color::WHITE, 0.5).alpha(0.75 * left));
    canvas.glow(middle, r * (1.5 + 1.0 * out), color.alpha(0.6 * left));
    for (ring, late) in [(1.05, 0.0), (1.0, 0.16)] {
        let out = ease_out((age - late).max(0.0));
        canvas.ring(middle, r * (ring + 0.9 * out), (r * 0.09 * left).max(1.5), color.alpha(left));
    }
    for ray in 0..RAYS {
        let direction = Point::from_turn(ray as f32 / RAYS as f32);
        let (from, to) = (1.15 + 0.6 * out, 1.35 + 1.0 * out);
        let light = if ray % 2 == 0 { color } else { color.mix(Color::WHITE, 0.6) };
        let (from, to) = (middle + direction * (r * from), middle + direction * (r * to));
        canvas.line(from, to, (r * 0.045).max(1.5), light.alpha(left));
    }
}

/// A number from 0 to 1 that looks random, always the same one for a piece of what breaks on a tile.
fn random_share(at: Position, piece: u32) -> f32 {
    let of = Position { x: at.x.wrapping_add((piece * 7) as u16), y: at.y.wrapping_add((piece * 13) as u16) };
    (hash(of) >> 8 & 0xffff) as f32 / 65_535.0
}

/// The circle flies apart, and the column comes down in splinters.
fn draw_failure(canvas: &mut Canvas, scene: &Scene<'_>, site: &Site, age: f64) {
    let (out, left) = (ease_out(age), swell(age, 0.04));
    let (at, middle, r, width) = (site.at, site.middle, site.r.max(11.0), site.width());
    let flash = (1.0 - age as f32 * 5.0).max(0.0);
    canvas.glow(middle, r * 3.0, Color::WHITE.alpha(0.7 * flash));
    let ashen = site.color.mix(ASH, 0.25 + 0.6 * age as f32);
    for piece in 0..PIECES {
        let (turn, luck) = (piece as f32 / PIECES as f32, random_share(at, piece));
        let apart = Point::from_turn(turn) * (r * (0.25 + 0.8 * luck) * out);
        let fall = Point::new(0.0, r * 0.5 * (age * age) as f32);
        let (half, spin) = (0.36 / PIECES as f32, (luck - 0.5) * 0.2 * out);
        let ink = if piece % 3 == 0 { TEXT } else { ashen };
        canvas.arc(middle + apart + fall, r, width, turn - half + spin, turn + half + spin, ink.alpha(left));
    }
    let (high, wide) = column_size(scene, site);
    for shard in 0..SHARDS {
        let (one, two) = (random_share(at, shard + 40), random_share(at, shard + 90));
        let from = Point::new((one - 0.5) * wide, -two * high * 0.9);
        let aside = Point::new((one - 0.5) * wide * 3.2, -high * 0.12 * two) * out;
        let fall = Point::new(0.0, (two * high + r * 0.8) * (age * age) as f32);
        let size = (r * 0.15).max(2.4) * (0.6 + two) * (1.0 - 0.5 * age as f32);
        let place = middle + from + aside + fall;
        let corners = [(0.0, -1.5), (0.55, 0.1), (0.0, 1.1), (-0.45, -0.1)];
        let spin = Point::from_turn(one + age as f32 * (two - 0.5) * 3.0);
        let turned = corners.map(|(x, y): (f32, f32)| {
            let corner = spin.quarter() * x - spin * y;
            (corner.x, corner.y)
        });
        let ink = if shard % 3 == 0 { TEXT } else { ashen.mix(Color::WHITE, 0.3 * two) };
        canvas.facets(place, size, &turned, ink.alpha(left * 0.95));
    }
    cross(canvas, middle, (r * 0.4).max(5.0), width.max(2.5) + 3.0, NIGHT.alpha(0.8 * left));
    cross(canvas, middle, (r * 0.4).max(5.0), width.max(2.5), TEXT.alpha(left));
}
