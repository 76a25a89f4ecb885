//! The typeface: widths of characters, and pictures of glyphs.
//!
//! Must never fail on a character: one that a face lacks, or that must not be obeyed (control characters, marks that
//! turn the direction of text), is shown as a visible replacement. Tested in `text`.

use std::{collections::HashMap, sync::OnceLock};

use fontdue::{Font, FontSettings};

use super::fallback::{self, Picture};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Face {
    Regular,
    /// For headings and what matters.
    Strong,
    /// For what was said on the wire; all characters are equally wide.
    Mono,
}

/// Where a glyph comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Typeface {
    /// One of the bundled typefaces.
    Bundled(Face),
    /// The typeface of that number among those that the program handed in.
    Other(u8),
}

/// A character's glyph and its width at the size 1.
#[derive(Debug, Clone, Copy)]
pub(super) struct Advance {
    pub typeface: Typeface,
    pub glyph: u16,
    pub width: f32,
}

/// A bundled typeface with the advances of its characters.
struct Loaded {
    font: Option<Font>,
    /// For the characters below [`LATIN_END`], by code.
    latin: Vec<Advance>,
    others: HashMap<char, Advance>,
    /// For characters that can't be shown.
    replacement: Advance,
}

/// Characters below this code have their advances in an array, which is faster than a map.
const LATIN_END: u32 = 0x180;

fn loaded(face: Face) -> &'static Loaded {
    static FACES: [OnceLock<Loaded>; 3] = [OnceLock::new(), OnceLock::new(), OnceLock::new()];
    let bytes: &[u8] = match face {
        Face::Regular => include_bytes!("../../../assets/fonts/IBMPlexSans-Regular.ttf"),
        Face::Strong => include_bytes!("../../../assets/fonts/IBMPlexSans-SemiBold.ttf"),
        Face::Mono => include_bytes!("../../../assets/fonts/IBMPlexMono-Regular.ttf"),
    };
    FACES[face as usize].get_or_init(|| load(face, bytes))
}

fn load(face: Face, bytes: &[u8]) -> Loaded {
    // The bytes are part of the program; a test ensures that they are a font.
    let font = Font::from_bytes(bytes, FontSettings::default()).ok();
    let advance = |glyph: u16| {
        let width = font.as_ref().map_or(0.5, |font| font.metrics_indexed(glyph, 1.0).advance_width);
        Advance { typeface: Typeface::Bundled(face), glyph, width }
    };
    let glyphs = font.as_ref().map(Font::chars);
    let glyph = |letter: char| glyphs.and_then(|glyphs| glyphs.get(&letter)).map(|glyph| glyph.get());
    let replacement = advance(glyph('\u{fffd}').unwrap_or(0));
    let shown = |letter: char| glyph(letter).filter(|_| !is_control(letter));
    let latin = |code| char::from_u32(code).and_then(shown).map_or(replacement, advance);
    let latin = (0..LATIN_END).map(latin).collect();
    let letters = glyphs.into_iter().flat_map(|glyphs| glyphs.keys().copied());
    let others = letters.filter_map(|letter| Some((letter, advance(shown(letter)?)))).collect();
    Loaded { latin, others, replacement, font }
}

/// Whether a character would steer the text instead of being seen.
pub(super) fn is_control(letter: char) -> bool {
    letter.is_control()
        || matches!(letter, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// Identifies a drawn glyph: its typeface, its size in px and its shift.
#[derive(Debug, Clone, Copy)]
pub(super) struct Key {
    pub typeface: Typeface,
    pub glyph: u16,
    pub px: u16,
    /// Thirds of a px to the right, 0..3.
    pub third: u8,
}

impl Key {
    /// The whole key in one number.
    pub fn packed(self) -> u64 {
        u64::from(self.glyph)
            | u64::from(self.px) << 16
            | u64::from(self.third) << 32
            | match self.typeface {
                Typeface::Bundled(face) => (face as u64) << 40,
                Typeface::Other(number) => 1 << 48 | u64::from(number) << 40,
            }
    }
}

/// Glyph and width of a character.
pub(super) fn advance(face: Face, letter: char) -> Advance {
    let loaded = loaded(face);
    let code = letter as u32;
    let found = if code < LATIN_END { loaded.latin.get(code as usize) } else { loaded.others.get(&letter) };
    let other = || {
        let (number, glyph, width) = fallback::find(letter).filter(|_| !is_control(letter))?;
        Some(Advance { typeface: Typeface::Other(number), glyph, width })
    };
    found.copied().or_else(other).unwrap_or(loaded.replacement)
}

/// Whether the bundled typeface has a character, or shows its replacement for it.
pub(super) fn is_bundled(face: Face, letter: char) -> bool {
    (letter as u32) < LATIN_END || loaded(face).others.contains_key(&letter)
}

/// Whether some typeface has a character.
pub(super) fn is_known(face: Face, letter: char) -> bool {
    is_bundled(face, letter) || !is_control(letter) && fallback::find(letter).is_some()
}

/// Draws a glyph, moved `key.third` thirds of a px to the right of the pen.
pub(super) fn picture(key: Key) -> Picture {
    let nothing = Picture { width: 0, height: 0, left: 0, top: 0, coverage: Vec::new() };
    let px = f32::from(key.px);
    let face = match key.typeface {
        Typeface::Bundled(face) => face,
        Typeface::Other(number) => {
            return fallback::picture(number, key.glyph, px, key.third).unwrap_or(nothing);
        }
    };
    let Some(font) = loaded(face).font.as_ref() else { return nothing };
    // With three samples to the px one drawing can be shifted by thirds of a px.
    let (metrics, samples) = font.rasterize_indexed_subpixel(key.glyph, px);
    if metrics.width == 0 || metrics.height == 0 {
        return nothing;
    }
    // A glyph that begins a fraction f of a px after a whole px must be shifted by 3f samples; fontdue shifts it by f
    // samples only, so the missing 2f are added.
    let missing = (metrics.bounds.xmin.rem_euclid(1.0) * 2.0).round() as usize;
    let shift = usize::from(key.third % 3) + missing.min(2);
    let width = metrics.width + shift.div_ceil(3);
    let mut coverage = Vec::with_capacity(width * metrics.height);
    for row in samples.chunks_exact(metrics.width * 3) {
        let sample =
            |at: usize| at.checked_sub(shift).and_then(|at| row.get(at)).map_or(0, |&value| u16::from(value));
        let mean = |at: usize| ((sample(at) + sample(at + 1) + sample(at + 2) + 1) / 3) as u8;
        coverage.extend((0..width * 3).step_by(3).map(mean));
    }
    let height = metrics.height;
    Picture { width, height, left: metrics.xmin, top: -metrics.ymin - height as i32, coverage }
}
