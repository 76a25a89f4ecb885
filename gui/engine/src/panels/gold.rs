//! Gold over the world of a match that was won, the same in every game.
//!
//! A function of the ticks since the end. Must never know the game. Tested with the pictures of the games.

use super::marks::emblem;
use crate::ink::{Anchor, Canvas, Color, Face, Point, Rect, Style};
use crate::theme::{GOLD, NIGHT, TEXT, TeamLook};
use crate::torus::smooth;

/// The opacity of the night over the losers' part of the world, once the victory has unfolded.
pub const DARK: f32 = 0.62;
/// Ticks after the end in which the victory unfolds.
const UNFOLD_TICKS: f32 = 60.0;
/// How far the victory has unfolded at the tick of the end already, as a record may stop there.
const UNFOLDED_AT_END: f32 = 0.55;
/// Pieces of gold that rain.
const CONFETTI: u32 = 90;

/// The size of the words: as a share of the free part's height, the least in points, and the most in points.
const WORDS_SIZE: (f32, f32, f32) = (0.1, 20.0, 64.0);

/// The winners' names, and the verb that follows them. All other sentences about a victory are made of these two.
pub fn parts<N: AsRef<str>>(winners: &[N]) -> (String, &'static str) {
    let names: Vec<&str> = winners.iter().map(AsRef::as_ref).collect();
    match names[..] {
        [] => ("Nobody".to_owned(), "has won"),
        [one] => (one.to_owned(), "has won"),
        _ => (names.join(" and "), "have won"),
    }
}

/// Which team has won, in a sentence.
pub fn victory<N: AsRef<str>>(winners: &[N]) -> String {
    let (names, verb) = parts(winners);
    format!("{names} {verb}")
}

/// Draws words such as `blue has won`, as large as there is room, in the half of the free part where `heart`, the point
/// of the winners, isn't, and beside the rectangles that are covered.
pub fn words(
    canvas: &mut Canvas,
    (free, covered, heart): (Rect, &[Rect], Option<Point>),
    winners: &[&str],
    look: TeamLook,
) {
    let ((names, verb), says) = (parts(winners), victory(winners));
    let wanted = (free.h * WORDS_SIZE.0).clamp(WORDS_SIZE.1, WORDS_SIZE.2);
    let wide = |canvas: &Canvas, size: f32| canvas.measure(&says, Face::Strong, size) + size * 2.6;
    let size = wanted * ((free.w * 0.94) / wide(canvas, wanted)).min(1.0);
    if size < WORDS_SIZE.1 * 0.5 || free.is_empty() {
        return;
    }
    let (wide, high) = (wide(canvas, size), size * 1.5);
    let down = heart.is_some_and(|heart| heart.y < free.y + free.h * 0.42);
    let y = if down { free.bottom() - free.h * 0.2 } else { free.y + free.h * 0.14 };
    let mut plate = Rect::around(Point::new(free.centre().x, y), wide, high);
    // A card may cover that place.
    if let Some(card) = covered.iter().find(|card| card.overlaps(plate) && free.encloses(**card, 1.0)) {
        plate.y = if down { card.y - high - 8.0 } else { card.bottom() + 8.0 };
    }
    canvas.shadow(plate, high / 2.0, size * 0.6, NIGHT.alpha(0.8));
    canvas.round_rect(plate, high / 2.0, NIGHT.alpha(0.82));
    canvas.outline(plate, high / 2.0, (size * 0.06).max(1.5), GOLD);
    emblem(canvas, Point::new(plate.x + size * 1.05, plate.centre().y), size * 0.42, look);
    let at = Point::new(plate.x + size * 1.75, plate.centre().y);
    let drawn = canvas.text(at, Anchor::Left, &names, Style::strong(size, look.color));
    let verb = format!(" {verb}");
    canvas.text(Point::new(drawn.right(), at.y), Anchor::Left, &verb, Style::strong(size, TEXT));
}

/// How far the victory has unfolded so many ticks after the end, 0 to 1.
pub fn unfolded(since: f32) -> f32 {
    UNFOLDED_AT_END + (1.0 - UNFOLDED_AT_END) * smooth(0.0, UNFOLD_TICKS, since)
}

/// Draws gold at the edges of the view; `unfolded` is how far the victory has unfolded, 0 to 1.
pub fn frame(canvas: &mut Canvas, place: Rect, unfolded: f32) {
    let (deep, clear) = (place.w.min(place.h) * 0.16, GOLD.alpha(0.0));
    let gold = GOLD.alpha(0.2 * unfolded);
    canvas.gradient(Rect::new(place.x, place.y, place.w, deep), gold, clear);
    canvas.gradient(Rect::new(place.x, place.bottom() - deep, place.w, deep), clear, gold);
    canvas.blend(Rect::new(place.x, place.y, deep, place.h), [gold, clear, clear, gold]);
    canvas.blend(Rect::new(place.right() - deep, place.y, deep, place.h), [clear, gold, gold, clear]);
}

/// Draws pieces of gold that rain, each in its own way, `ticks` after the end; `unfolded` as for [`frame`].
pub fn confetti(canvas: &mut Canvas, place: Rect, (ticks, unfolded): (f32, f32)) {
    for piece in 0..CONFETTI {
        // A number from 0 to 1 that looks random, always the same for this piece.
        let random = |salt: u32| {
            let mixed = (piece + 1).wrapping_mul(0x9e37_79b1).wrapping_add(salt.wrapping_mul(0x85eb_ca77));
            (mixed.wrapping_mul(mixed >> 7 | 1) >> 12 & 0xfff) as f32 / 4_095.0
        };
        let (x, y, pace, turn) = (random(1), random(2), random(3), random(4));
        let fallen = (y + ticks * (0.0016 + 0.0024 * pace)).rem_euclid(1.0);
        let sway = ((ticks * 0.05 + turn * 40.0).sin()) * 9.0;
        let at = Point::new(place.x + place.w * x + sway, place.y + place.h * fallen);
        let flat = ((ticks * (0.06 + 0.05 * pace) + x * 20.0).sin()).abs().max(0.2);
        let size = 2.2 + 2.6 * pace;
        let ink = GOLD.mix(Color::WHITE, turn * 0.5).alpha((0.35 + 0.45 * pace) * unfolded);
        canvas.facets(at, size, &[(-1.0, -flat), (0.8, -flat * 0.8), (1.0, flat), (-0.8, flat * 0.8)], ink);
    }
}
