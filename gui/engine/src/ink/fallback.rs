//! Further typefaces for characters that the bundled ones lack. The program hands in a function that finds them; it is
//! called when the first such character comes. Without it, and in every test, only the bundled typefaces exist.
//!
//! Must never fail on a typeface: one that can't be read has no glyphs. Tested in this module.

use std::sync::OnceLock;

use ab_glyph_rasterizer::{Point, Rasterizer, point};
use skrifa::{DrawMemory, Font, GlyphId, PathSink, ScalerFont};

/// The most typefaces that are used: the first of those handed in.
pub const TYPEFACES: usize = 8;
/// A glyph larger than this many times the size of the text counts as broken.
const MAX_GLYPH: f32 = 4.0;

/// A glyph drawn in px.
pub(super) struct Picture {
    pub width: usize,
    pub height: usize,
    /// px from the pen to the left edge.
    pub left: i32,
    /// px from the baseline to the top edge, negative upwards.
    pub top: i32,
    /// The coverage of each px, 0 to 255, row by row from the top.
    pub coverage: Vec<u8>,
}

/// Returns the bytes of typefaces, in the order in which they are searched for a character.
pub type Search = fn() -> Vec<Vec<u8>>;

static SEARCH: OnceLock<Search> = OnceLock::new();

/// Sets the function that finds typefaces for characters that the bundled ones lack. Only the first call counts.
pub fn search_typefaces_with(search: Search) {
    let _ = SEARCH.set(search);
}

/// The typefaces that the program handed in.
fn typefaces() -> &'static [Typeface] {
    static FOUND: OnceLock<Vec<Typeface>> = OnceLock::new();
    let Some(search) = SEARCH.get() else { return &[] };
    FOUND.get_or_init(|| search().into_iter().take(TYPEFACES).filter_map(Typeface::new).collect())
}

/// For a character that the bundled typefaces lack: the number of a typeface that has it, its glyph there, and the
/// glyph's width at the size 1.
pub(super) fn find(letter: char) -> Option<(u8, u16, f32)> {
    let mut all = (0..).zip(typefaces());
    all.find_map(|(number, typeface)| typeface.find(letter).map(|(glyph, width)| (number, glyph, width)))
}

/// Draws a glyph of the typeface `number`, moved `third` thirds of a px to the right of the pen.
pub(super) fn picture(number: u8, glyph: u16, px: f32, third: u8) -> Option<Picture> {
    typefaces().get(usize::from(number))?.picture(glyph, px, third)
}

/// A typeface that was handed in.
struct Typeface(Font);

impl Typeface {
    /// The first typeface in the bytes of a file; `None` if they hold none.
    fn new(bytes: Vec<u8>) -> Option<Typeface> {
        Font::new(bytes, 0).filter(|font| font.units_per_em() > 0).map(Typeface)
    }

    /// The glyph of a character and its width at the size 1.
    fn find(&self, letter: char) -> Option<(u16, f32)> {
        let glyph = self.0.charmap().map_unicode(letter).filter(|glyph| glyph.to_u32() > 0)?;
        let width = self.0.glyph_metrics().h_advance(glyph) / f32::from(self.0.units_per_em());
        let number = u16::try_from(glyph.to_u32()).ok()?;
        width.is_finite().then_some((number, width.clamp(0.0, MAX_GLYPH)))
    }

    fn picture(&self, glyph: u16, px: f32, third: u8) -> Option<Picture> {
        let scaler = ScalerFont::unhinted(self.0.clone(), Some(px));
        let mut path = Path::default();
        scaler.outline(GlyphId::new(glyph.into()))?.draw(DrawMemory::Scratch, &mut path).ok()?;
        path.filled(f32::from(third) / 3.0, px * MAX_GLYPH)
    }
}

/// A stroke of an outline, in px right of the pen and above the baseline.
enum Stroke {
    Line(Point, Point),
    Quad(Point, Point, Point),
    Cubic(Point, Point, Point, Point),
}

/// An outline, collected stroke by stroke.
#[derive(Default)]
struct Path {
    strokes: Vec<Stroke>,
    /// Where the present contour began.
    first: Point,
    /// Where the last stroke ended.
    last: Point,
}

impl Path {
    fn points(&self) -> impl Iterator<Item = Point> {
        self.strokes.iter().flat_map(|stroke| match *stroke {
            Stroke::Line(a, b) => [a, b, b, b],
            Stroke::Quad(a, b, c) => [a, b, c, c],
            Stroke::Cubic(a, b, c, d) => [a, b, c, d],
        })
    }

    /// The coverage of the outline, moved to the right by `right` px; `None` if it is empty or reaches beyond `limit`
    /// px.
    fn filled(&self, right: f32, limit: f32) -> Option<Picture> {
        if self.points().any(|at| !(at.x.abs() <= limit && at.y.abs() <= limit)) {
            return None;
        }
        let least = |value: fn(Point) -> f32| self.points().map(value).fold(f32::INFINITY, f32::min);
        let most = |value: fn(Point) -> f32| self.points().map(value).fold(f32::NEG_INFINITY, f32::max);
        let left = (least(|at| at.x) + right).floor();
        let top = most(|at| at.y).ceil();
        let (wide, tall) = ((most(|at| at.x) + right).ceil() - left, top - least(|at| at.y).floor());
        // The casts saturate: an outline without strokes gets the size 0.
        let (width, height) = (wide as usize, tall as usize);
        if !(wide.is_finite() && tall.is_finite()) || width == 0 || height == 0 {
            return None;
        }
        let mut raster = Rasterizer::new(width, height);
        let at = |at: Point| point(at.x + right - left, top - at.y);
        for stroke in &self.strokes {
            match *stroke {
                Stroke::Line(a, b) => raster.draw_line(at(a), at(b)),
                Stroke::Quad(a, b, c) => raster.draw_quad(at(a), at(b), at(c)),
                Stroke::Cubic(a, b, c, d) => raster.draw_cubic(at(a), at(b), at(c), at(d)),
            }
        }
        let mut coverage = vec![0; width * height];
        raster.for_each_pixel(|index, share| {
            if let Some(texel) = coverage.get_mut(index) {
                *texel = (share.clamp(0.0, 1.0) * 255.0 + 0.5) as u8;
            }
        });
        Some(Picture { width, height, left: left as i32, top: -top as i32, coverage })
    }

    /// Makes this the end of the last stroke; returns the stroke's beginning and its end.
    fn advance_to(&mut self, x: f32, y: f32) -> (Point, Point) {
        let from = std::mem::replace(&mut self.last, point(x, y));
        (from, self.last)
    }
}

impl PathSink for Path {
    fn move_to(&mut self, x: f32, y: f32) {
        self.close();
        (self.first, self.last) = (point(x, y), point(x, y));
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let (from, to) = self.advance_to(x, y);
        self.strokes.push(Stroke::Line(from, to));
    }

    fn quad_to(&mut self, cx: f32, cy: f32, x: f32, y: f32) {
        let (from, to) = self.advance_to(x, y);
        self.strokes.push(Stroke::Quad(from, point(cx, cy), to));
    }

    fn curve_to(&mut self, cx: f32, cy: f32, dx: f32, dy: f32, x: f32, y: f32) {
        let (from, to) = self.advance_to(x, y);
        self.strokes.push(Stroke::Cubic(from, point(cx, cy), point(dx, dy), to));
    }

    fn close(&mut self) {
        let first = self.first;
        if first != self.last {
            self.line_to(first.x, first.y);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ink::font::{self, Face, Key};

    const REGULAR: &[u8] = include_bytes!("../../../assets/fonts/IBMPlexSans-Regular.ttf");

    /// How much ink is in a picture, in whole px.
    fn ink(picture: &Picture) -> f32 {
        picture.coverage.iter().map(|&share| f32::from(share) / 255.0).sum()
    }

    #[test]
    fn a_typeface_gives_the_letters_that_the_bundled_reader_gives() {
        let typeface = Typeface::new(REGULAR.to_vec()).expect("a typeface");
        for letter in ['A', 'g', '8', 'é', 'Ж', '→'] {
            let bundled = font::advance(Face::Regular, letter);
            let (glyph, width) = typeface.find(letter).expect("it has it");
            assert!((width - bundled.width).abs() < 1e-3, "{letter}: {width} {}", bundled.width);
            let key = Key { typeface: bundled.typeface, glyph: bundled.glyph, px: 40, third: 0 };
            let (one, other) = (typeface.picture(glyph, 40.0, 0).expect("ink"), font::picture(key));
            assert!((one.left - other.left).abs() <= 1 && (one.top - other.top).abs() <= 1, "{letter}");
            assert!((ink(&one) / ink(&other) - 1.0).abs() < 0.05, "{letter}: {} {}", ink(&one), ink(&other));
            let moved = typeface.picture(glyph, 40.0, 2).expect("ink");
            assert!((ink(&moved) - ink(&one)).abs() < 0.5, "{letter}");
        }
        assert_eq!(typeface.find('日'), None);
        assert!(typeface.picture(typeface.find(' ').expect("a space").0, 20.0, 0).is_none());
    }

    #[test]
    fn what_is_no_typeface_or_is_cut_off_has_no_glyphs_and_breaks_nothing() {
        assert!(Typeface::new(b"no typeface".to_vec()).is_none());
        for length in (0..REGULAR.len()).step_by(7_919) {
            let Some(typeface) = Typeface::new(REGULAR[..length].to_vec()) else { continue };
            for letter in ['A', 'é', '→'] {
                if let Some((glyph, _)) = typeface.find(letter) {
                    typeface.picture(glyph, 20.0, 1);
                }
            }
        }
    }

    #[test]
    fn without_a_search_there_is_nothing_beyond_the_bundled_typefaces() {
        assert_eq!((find('日'), find('A')), (None, None));
    }
}
