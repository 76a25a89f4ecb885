//! The glyph atlas: one texture with the coverage of every glyph that was needed lately, packed in rows called shelves.
//!
//! The atlas begins at [`FIRST_SIZE`]² texels and grows to [`MAX_SIZE`]². If it is nearly full when a frame begins it
//! is emptied, so that no quad ever shows another glyph's texels. Must never move a glyph within a frame. Tested below.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::ops::Range;

use super::font::{self, Key};

/// Edge of a new atlas, in texels.
const FIRST_SIZE: usize = 1024;
/// Edge of the largest atlas, in texels: what every OpenGL 2 card takes.
const MAX_SIZE: usize = 2048;
/// Rows of texels that must be free when a frame begins, so that it doesn't run out of room halfway.
const SPARE_ROWS: usize = MAX_SIZE / 4;
/// Empty texels around a glyph, so that filtering never shows its neighbour.
const GAP: usize = 1;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Glyph {
    /// Column of its top left texel in the atlas.
    pub u: f32,
    /// Row of its top left texel in the atlas.
    pub v: f32,
    /// Width in texels; 0 for a blank glyph such as the space.
    pub w: f32,
    /// Height in texels; 0 for a blank glyph.
    pub h: f32,
    /// px from the pen to its left edge.
    pub left: f32,
    /// px from the baseline to its top edge (negative upwards).
    pub top: f32,
}

/// A row of glyphs of about the same height, in texels.
#[derive(Clone, Copy)]
struct Shelf {
    top: usize,
    height: usize,
    /// The width that glyphs take up, from the left.
    used: usize,
}

/// Hashes packed keys fast. The program makes the keys itself, so no input can choose keys that collide.
#[derive(Default)]
struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }
    fn write_u64(&mut self, value: u64) {
        let mixed = (self.0 ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ (mixed >> 32);
    }
}

/// Coverage of glyphs, one byte per texel.
pub struct Atlas {
    size: usize,
    /// Coverage, row by row from the top, `size()` bytes each.
    pub pixels: Vec<u8>,
    shelves: Vec<Shelf>,
    glyphs: HashMap<u64, Glyph, BuildHasherDefault<KeyHasher>>,
    /// Changes whenever the texture has to be made anew: the atlas began afresh, or grew.
    pub generation: u64,
    /// Rows that changed since the window's graphics code last uploaded them; empty when none did.
    pub dirty: Range<usize>,
    /// Whether a glyph of this frame found no room; the next frame has room again.
    pub is_full: bool,
}

impl Atlas {
    pub(super) fn new() -> Self {
        Self {
            size: FIRST_SIZE,
            pixels: vec![0; FIRST_SIZE * FIRST_SIZE],
            shelves: Vec::new(),
            glyphs: HashMap::default(),
            generation: 1,
            dirty: 0..FIRST_SIZE,
            is_full: false,
        }
    }

    /// Width and height in texels.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Notes that the present pixels were uploaded.
    pub fn uploaded(&mut self) {
        self.dirty = 0..0;
    }

    /// Begins a frame; empties the atlas if there isn't enough room left.
    pub(super) fn begin(&mut self) {
        if self.is_full || (self.size == MAX_SIZE && self.used_rows() + SPARE_ROWS > MAX_SIZE) {
            self.pixels.fill(0);
            self.shelves.clear();
            self.glyphs.clear();
            self.generation += 1;
            self.dirty = 0..self.size;
            self.is_full = false;
        }
    }

    fn used_rows(&self) -> usize {
        self.shelves.last().map_or(0, |shelf| shelf.top + shelf.height)
    }

    /// A glyph's place; draws it into the atlas when it is not there yet. `None` when there is no room.
    pub(super) fn glyph(&mut self, key: Key) -> Option<Glyph> {
        if let Some(glyph) = self.glyphs.get(&key.packed()) {
            return Some(*glyph);
        }
        let picture = font::picture(key);
        let mut glyph = Glyph {
            u: 0.0,
            v: 0.0,
            w: picture.width as f32,
            h: picture.height as f32,
            left: picture.left as f32,
            top: picture.top as f32,
        };
        if picture.width > 0 && picture.height > 0 {
            let Some((x, y)) = self.place(picture.width, picture.height) else {
                self.is_full = true;
                return None;
            };
            for (row, texels) in picture.coverage.chunks_exact(picture.width).enumerate() {
                let at = (y + row) * self.size + x;
                self.pixels[at..at + picture.width].copy_from_slice(texels);
            }
            let rows = y..y + picture.height;
            self.dirty = if self.dirty.is_empty() {
                rows
            } else {
                self.dirty.start.min(rows.start)..self.dirty.end.max(rows.end)
            };
            (glyph.u, glyph.v) = (x as f32, y as f32);
        }
        self.glyphs.insert(key.packed(), glyph);
        Some(glyph)
    }

    /// Reserves room for a glyph: on a shelf that is not much higher, on a new shelf, or in a larger atlas. Returns
    /// column and row of its top left texel; `None` when the largest atlas is full.
    fn place(&mut self, width: usize, height: usize) -> Option<(usize, usize)> {
        let (need_w, need_h) = (width + GAP, height + GAP);
        if need_w > MAX_SIZE || need_h > MAX_SIZE {
            return None;
        }
        loop {
            let size = self.size;
            let fits = |shelf: &&mut Shelf| {
                need_h <= shelf.height
                    && shelf.height <= need_h + need_h / 4 + 2
                    && shelf.used + need_w <= size
            };
            if let Some(shelf) = self.shelves.iter_mut().find(fits) {
                let x = shelf.used;
                shelf.used += need_w;
                return Some((x, shelf.top));
            }
            let top = self.used_rows();
            if need_w <= size && top + need_h <= size {
                self.shelves.push(Shelf { top, height: need_h, used: need_w });
                return Some((0, top));
            }
            if size == MAX_SIZE {
                return None;
            }
            self.grow();
        }
    }

    /// Doubles the atlas; every glyph keeps its texels.
    fn grow(&mut self) {
        let size = self.size * 2;
        let mut pixels = vec![0; size * size];
        for (to, from) in pixels.chunks_exact_mut(size).zip(self.pixels.chunks_exact(self.size)) {
            to[..self.size].copy_from_slice(from);
        }
        (self.size, self.pixels) = (size, pixels);
        self.generation += 1;
        self.dirty = 0..size;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ink::font::{Face, Typeface};

    fn key(glyph: u16, px: u16) -> Key {
        Key { typeface: Typeface::Bundled(Face::Regular), glyph, px, third: 0 }
    }

    #[test]
    fn a_glyph_is_drawn_once() {
        let mut atlas = Atlas::new();
        atlas.uploaded();
        let first = atlas.glyph(key(40, 20));
        assert!(first.is_some() && !atlas.dirty.is_empty());
        atlas.uploaded();
        assert_eq!(atlas.glyph(key(40, 20)), first);
        assert!(atlas.dirty.is_empty());
        assert_ne!(atlas.glyph(key(40, 21)), first);
    }

    #[test]
    fn glyphs_share_no_texel() {
        let mut atlas = Atlas::new();
        let mut taken: Vec<Glyph> = Vec::new();
        for glyph in 1..200 {
            let new = atlas.glyph(key(glyph, 12 + glyph % 30)).expect("room");
            for old in taken.iter().filter(|old| old.w > 0.0 && new.w > 0.0) {
                let apart = old.u + old.w < new.u + 1e-3
                    || new.u + new.w < old.u + 1e-3
                    || old.v + old.h < new.v + 1e-3
                    || new.v + new.h < old.v + 1e-3;
                assert!(apart, "{old:?} {new:?}");
            }
            taken.push(new);
        }
    }

    #[test]
    fn it_grows_then_runs_short_then_begins_anew() {
        let mut atlas = Atlas::new();
        let first = atlas.glyph(key(40, 20));
        let mut px = 100;
        while !atlas.is_full {
            for glyph in 30..80 {
                atlas.glyph(key(glyph, px));
            }
            px += 1;
            assert!(px < 250, "the atlas never ends");
        }
        assert_eq!(atlas.size(), MAX_SIZE);
        assert_eq!(atlas.glyph(key(40, 20)), first, "growing moves nothing");
        let generation = atlas.generation;
        atlas.begin();
        assert!(atlas.generation > generation && !atlas.is_full);
        assert!(atlas.glyph(key(60, 90)).is_some());
    }

    #[test]
    fn a_nearly_full_atlas_is_renewed_before_a_frame_only() {
        let mut atlas = Atlas::new();
        let mut px = 100;
        while atlas.size() < MAX_SIZE || atlas.used_rows() + SPARE_ROWS <= MAX_SIZE {
            for glyph in 30..80 {
                atlas.glyph(key(glyph, px));
            }
            px += 1;
        }
        assert!(!atlas.is_full);
        let generation = atlas.generation;
        atlas.begin();
        assert_eq!(atlas.generation, generation + 1);
        atlas.begin();
        assert_eq!(atlas.generation, generation + 1);
    }
}
