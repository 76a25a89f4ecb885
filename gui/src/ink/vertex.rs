//! What the one shader reads. Must never depend on who draws it. The shader of `window` knows the same kinds; its
//! numbers come from here.

/// One corner of a convex polygon.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub struct Vertex {
    /// Physical px from the top left of the screen.
    pub position: [f32; 2],
    /// How the fragment shader finds the coverage: a [`Kind`] as a number.
    pub kind: f32,
    /// Physical px in the shape's own frame; for glyphs, texels of the atlas.
    pub uv: [f32; 2],
    /// sRGB, straight alpha.
    pub color: [u8; 4],
    /// What the kind needs, the same at all corners.
    pub params: [f32; 4],
}

/// What a quad shows. `uv` is the place in the shape's own frame, in physical px.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Kind {
    /// Upright box with exact coverage: params = (half width, half height, 0, 0).
    Rect = 0,
    /// Box with round corners: params = (half width, half height, radius, width of the outline or 0 when filled).
    Round = 1,
    /// Blurred box: params = (half width, half height, radius, blur).
    Shadow = 2,
    /// Part of a ring around +v: params = (radius, half width, sine, cosine of half the opening).
    Arc = 3,
    /// Regular polygon with a corner at +v: params = (circumradius, sides, rounding, width of the outline or 0).
    Polygon = 4,
    /// Star with a point at +v: params = (circumradius, points, inner radius / circumradius, 0).
    Star = 5,
    /// Triangle with a corner at 0: params = (second corner, third corner).
    Triangle = 6,
    /// Disc that fades outwards: params = (radius, 0, 0, 0).
    Glow = 7,
    /// Glyph: uv in texels of the atlas.
    Glyph = 8,
}

impl Kind {
    /// The number the shader compares with.
    #[must_use]
    pub const fn number(self) -> f32 {
        self as u8 as f32
    }
}
