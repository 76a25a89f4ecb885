//! The vertices that the one shader reads. Must never depend on what is drawn. The shader in `gui/app/src/window` knows
//! the same figures; it takes their numbers from this file.

/// One corner of a convex polygon.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub struct Vertex {
    /// Physical px from the top left of the screen.
    pub position: [f32; 2],
    /// How the fragment shader finds the coverage: a [`Figure`] as a number.
    pub kind: f32,
    /// Physical px in the shape's own frame; for glyphs, texels of the atlas.
    pub uv: [f32; 2],
    pub color: [u8; 4],
    /// The parameters that the figure needs, the same at all corners; [`Figure`] lists them.
    pub params: [f32; 4],
}

/// What a quad shows. `uv` is the place in the shape's own frame, in physical px.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Figure {
    /// Upright box with exact coverage: params = (half width, half height, 0, 0).
    Rect = 0,
    /// Box with round corners: params = (half width, half height, radius, width of the outline or 0 when filled).
    Round = 1,
    /// Blurred box: params = (half width, half height, radius, blur).
    Shadow = 2,
    /// Part of a ring around +v: params = (radius, half width, sine, cosine of half the opening).
    Arc = 3,
    /// The part of a shape that belongs to one of its edges: u = distance outwards from the edge, v = place along it
    /// from its middle; params = (half length, rounding, width of the outline or 0, 0).
    Edge = 4,
    /// Disc that fades outwards: params = (radius, 0, 0, 0).
    Glow = 5,
    /// Glyph: uv in texels of the atlas, params = (luminance of the colour, 0, 0, 0).
    Glyph = 6,
}

impl Figure {
    /// The number the shader compares with.
    pub const fn number(self) -> f32 {
        self as u8 as f32
    }
}
