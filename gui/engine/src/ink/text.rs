//! Text: measuring, shortening, wrapping and drawing it.
//!
//! A run's glyphs stand on a baseline of whole px and at thirds of a px along it; sizes are whole px. There is no
//! kerning, so widths add up. Must never draw more than [`MAX_RUN_CHARS`] characters of a run. Tested in
//! `text/tests.rs`.

use std::borrow::Cow;

use super::canvas::{Canvas, Frame, TextRun};
use super::color::Color;
use super::font::{self, Face, Key};
use super::geometry::{Point, Rect};
use super::legible::legible;
use super::vertex::Figure;

#[cfg(test)]
mod tests;

/// The most characters of one run that are drawn; a line of a wide screen has a few hundred.
pub const MAX_RUN_CHARS: usize = 4096;
/// The most lines that [`Canvas::wrap`] makes; more than any panel shows.
pub const MAX_WRAPPED_LINES: usize = 1000;
/// The most text runs of a frame that are noted after [`Canvas::watch_text`].
const MAX_RUNS: usize = 100_000;
/// Letters larger than this many px are drawn at this size and stretched, so that few letters don't fill the atlas.
const MAX_PX: f32 = 160.0;
/// Letters of this many px or more stand at whole px, as a third of a px makes no difference.
const THIRDS_BELOW: u16 = 40;
/// The height of the line box at the size 1, as the typeface has it.
const LINE_HEIGHT: f32 = 1.3;
/// How far the baseline is below the top of the line box at the size 1, as the typeface has it.
const ASCENT: f32 = 1.025;

/// How a text is drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Style {
    pub face: Face,
    /// The size of the type, in points.
    pub size: f32,
    pub color: Color,
}

impl Style {
    pub const fn new(face: Face, size: f32, color: Color) -> Self {
        Self { face, size, color }
    }

    pub const fn regular(size: f32, color: Color) -> Self {
        Self::new(Face::Regular, size, color)
    }

    pub const fn strong(size: f32, color: Color) -> Self {
        Self::new(Face::Strong, size, color)
    }

    pub const fn mono(size: f32, color: Color) -> Self {
        Self::new(Face::Mono, size, color)
    }
}

/// Which place of the line box is at the given point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Anchor {
    TopLeft,
    Top,
    TopRight,
    Left,
    Centre,
    Right,
    BottomLeft,
    Bottom,
    BottomRight,
    /// Left end of the baseline.
    Baseline,
}

impl Anchor {
    /// The shares of the box that lie left of and above the point.
    fn shares(self) -> (f32, f32) {
        let x = match self {
            Self::TopLeft | Self::Left | Self::BottomLeft | Self::Baseline => 0.0,
            Self::Top | Self::Centre | Self::Bottom => 0.5,
            Self::TopRight | Self::Right | Self::BottomRight => 1.0,
        };
        let y = match self {
            Self::TopLeft | Self::Top | Self::TopRight => 0.0,
            Self::Left | Self::Centre | Self::Right => 0.5,
            Self::BottomLeft | Self::Bottom | Self::BottomRight => 1.0,
            Self::Baseline => ASCENT / LINE_HEIGHT,
        };
        (x, y)
    }
}

impl Canvas {
    /// Draws one line of text; returns its line box.
    pub fn text(&mut self, at: Point, anchor: Anchor, text: &str, style: Style) -> Rect {
        let text = &*legible(text, style.face);
        let px = self.text_px(style.size);
        let width = self.measure(text, style.face, style.size);
        let height = self.line_height(style.size);
        let (left, above) = anchor.shares();
        let rect = Rect::new(at.x - width * left, at.y - height * above, width, height);
        if self.notes_runs && self.runs.len() < MAX_RUNS {
            let Rect { x, y, w, h } = self.clip;
            let clip = Rect::new(x / self.scale, y / self.scale, w / self.scale, h / self.scale);
            let (visible, truncated) = (rect.intersect(clip), text.ends_with('…'));
            self.runs.push(TextRun { text: text.to_owned(), rect, visible, truncated });
        }
        let area = self.to_px(rect);
        // Glyphs may reach out of the line box a little.
        let reach = Rect::new(area.x - px, area.y - px, area.w + 2.0 * px, area.h + 2.0 * px);
        if style.color.0[3] > 0 && self.fade > 0.0 && self.clip.overlaps(reach) {
            let baseline = (area.y + ASCENT * px).round();
            self.glyphs(Point::new(area.x, baseline), text, px, style);
        }
        rect
    }

    fn glyphs(&mut self, start: Point, text: &str, px: f32, style: Style) {
        let drawn_px = px.min(MAX_PX);
        let stretch = px / drawn_px;
        let drawn_px = drawn_px as u16;
        let mut pen = start.x;
        for letter in text.chars().take(MAX_RUN_CHARS) {
            let advance = font::advance(style.face, letter);
            let thirds = if drawn_px < THIRDS_BELOW { (pen * 3.0).round() } else { pen.round() * 3.0 };
            let whole = (thirds / 3.0).floor();
            let third = (thirds - whole * 3.0) as u8;
            let key = Key { typeface: advance.typeface, glyph: advance.glyph, px: drawn_px, third };
            pen += advance.width * px;
            let Some(glyph) = self.atlas.glyph(key) else { continue };
            if glyph.w > 0.0 {
                let at = Point::new(whole + glyph.left * stretch, start.y + glyph.top * stretch);
                let texel = Rect::new(glyph.u, glyph.v, glyph.w, glyph.h);
                // In this frame u and v are the texels of the atlas.
                let (u, v) = (Point::new(stretch, 0.0), Point::new(0.0, stretch));
                let frame = Frame { at: at - texel.origin() * stretch, u, v };
                let params = [style.color.luminance(), 0.0, 0.0, 0.0];
                self.quad(Figure::Glyph, frame, texel, style.color, params);
            }
        }
    }

    /// Width of a text, in points.
    pub fn measure(&self, text: &str, face: Face, size: f32) -> f32 {
        let text = legible(text, face);
        let ems: f32 = text.chars().take(MAX_RUN_CHARS).map(|letter| font::advance(face, letter).width).sum();
        ems * self.text_px(size) / self.scale
    }

    /// Height of a line's box, in points.
    pub fn line_height(&self, size: f32) -> f32 {
        LINE_HEIGHT * self.text_px(size) / self.scale
    }

    /// A size in physical px, rounded to whole ones.
    fn text_px(&self, size: f32) -> f32 {
        let px = (size * self.scale).round();
        if px.is_nan() { 1.0 } else { px.clamp(1.0, 4096.0) }
    }

    /// The text, or as much of its beginning as fits in `width` with a `…`.
    pub fn ellipsis<'t>(&self, text: &'t str, face: Face, size: f32, width: f32) -> Cow<'t, str> {
        match legible(text, face) {
            Cow::Borrowed(text) => self.shortened(text, face, size, width),
            Cow::Owned(text) => Cow::Owned(self.shortened(&text, face, size, width).into_owned()),
        }
    }

    /// The text as it is drawn: with tags for words that no typeface can draw.
    pub fn legible<'t>(&self, text: &'t str, face: Face) -> Cow<'t, str> {
        legible(text, face)
    }

    fn shortened<'t>(&self, text: &'t str, face: Face, size: f32, width: f32) -> Cow<'t, str> {
        const DOTS: char = '…';
        let em = self.text_px(size) / self.scale;
        let dots = font::advance(face, DOTS).width * em;
        let (mut used, mut cut) = (0.0, 0);
        for (count, (at, letter)) in text.char_indices().enumerate() {
            if used + dots <= width {
                cut = at;
            }
            used += font::advance(face, letter).width * em;
            if used > width || count >= MAX_RUN_CHARS {
                let kept = text[..cut].trim_end();
                return Cow::Owned(if dots <= width { format!("{kept}{DOTS}") } else { String::new() });
            }
        }
        Cow::Borrowed(text)
    }

    /// Breaks a text into lines of at most `width`, at spaces where it can, within words where it must. Line feeds
    /// break, too. A line has at least one character, even if it doesn't fit; there are at most [`MAX_WRAPPED_LINES`]
    /// lines.
    pub fn wrap(&self, text: &str, face: Face, size: f32, width: f32) -> Vec<String> {
        let em = self.text_px(size) / self.scale;
        let mut lines = Vec::new();
        for paragraph in legible(text, face).split('\n') {
            let mut rest = paragraph;
            loop {
                if lines.len() >= MAX_WRAPPED_LINES {
                    return lines;
                }
                let (line, after) = break_line(rest, |letter| font::advance(face, letter).width * em, width);
                lines.push(line.to_owned());
                rest = after;
                if rest.is_empty() {
                    break;
                }
            }
        }
        lines
    }

    /// Sets whether every text run of a frame is noted, for tests.
    pub fn watch_text(&mut self, on: bool) {
        self.notes_runs = on;
    }

    /// The text runs of this frame, if they are noted.
    pub fn runs(&self) -> &[TextRun] {
        &self.runs
    }
}

/// The first line of a paragraph, and the text after it.
fn break_line(text: &str, advance: impl Fn(char) -> f32, width: f32) -> (&str, &str) {
    let (mut used, mut space) = (0.0, None);
    for (count, (at, letter)) in text.char_indices().enumerate() {
        used += advance(letter);
        if letter == ' ' {
            // A space may reach beyond the width, as it isn't seen.
            space = Some(at);
        } else if (used > width && at > 0) || count >= MAX_RUN_CHARS {
            let cut = space.filter(|&cut| cut > 0).unwrap_or(at);
            return (text[..cut].trim_end_matches(' '), text[cut..].trim_start_matches(' '));
        }
    }
    (text.trim_end_matches(' '), "")
}
