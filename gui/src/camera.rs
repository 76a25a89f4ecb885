//! Which part of the torus is shown, and how large.
//!
//! The world has no edge, so the middle of the view is any point of the plane that repeats it. Tested in this
//! module.

/// Which part of the torus is shown.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Camera {
    /// Tiles east of the map's origin, at the middle of the world's place on the window.
    pub x: f64,
    /// Tiles south of the map's origin, at the middle of the world's place on the window.
    pub y: f64,
    /// Points per tile.
    pub scale: f32,
}

impl Default for Camera {
    fn default() -> Camera {
        Camera { x: 0.0, y: 0.0, scale: 32.0 }
    }
}
