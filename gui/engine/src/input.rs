//! The user's input as plain data. Points are in logical px of the window. Must never name a window library.

use std::path::PathBuf;

use crate::ink::Point;

/// A key, named by what a US keyboard prints on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[rustfmt::skip]
pub enum Keycap {
    A, B, C, D, E, F, G, H, I, J, K, L, M, N, O, P, Q, R, S, T, U, V, W, X, Y, Z,
    Digit0, Digit1, Digit2, Digit3, Digit4, Digit5, Digit6, Digit7, Digit8, Digit9,
    Left, Right, Up, Down,
    Space, Enter, Escape, Tab, Backspace, Delete, Insert, Home, End, PageUp, PageDown,
    F1, F2, F3, F4, F5, F6, F7, F8, F9, F10, F11, F12,
    Plus, Minus, Equal, Comma, Period, Slash, Backslash, Semicolon, Apostrophe, Grave, LeftBracket, RightBracket,
}

/// The modifier keys that are held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Mods {
    pub shift: bool,
    pub ctrl: bool,
    pub alt: bool,
}

impl Mods {
    pub const NONE: Self = Self { shift: false, ctrl: false, alt: false };
    pub const SHIFT: Self = Self { shift: true, ..Self::NONE };
    pub const CTRL: Self = Self { ctrl: true, ..Self::NONE };
}

/// A button of the mouse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Button {
    Left,
    Middle,
    Right,
}

/// Something that happened to the window.
#[derive(Debug, Clone, PartialEq)]
pub enum InputEvent {
    /// A key went down, or is held and repeats.
    Key { key: Keycap, mods: Mods },
    /// The pointer moved to this point.
    Moved(Point),
    /// A finger touched the window; comes before the events that move the pointer to it and press the button.
    Touched,
    /// A button went down at this point.
    Pressed(Button, Point),
    /// A button came up at this point, or the pointer left the window there while the button was held.
    Released(Button, Point),
    /// The wheel turned by so many notches, positive away from the user.
    Wheel(f32, Point),
    /// Two fingers moved; the press that the first finger sent was no click.
    Pinched {
        /// How far their middle moved.
        by: Point,
        /// Their distance as a multiple of what it was before.
        factor: f32,
        /// Their middle.
        at: Point,
    },
    /// A file was dropped onto the window.
    Dropped(PathBuf),
    /// The pointer or the keyboard focus left the window.
    Left,
}
