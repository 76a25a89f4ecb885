//! The nouns that every game shares: time, the torus, names and texts.
//!
//! Plain values without behaviour beyond their own arithmetic, in integers; every value of these types can be
//! written on the wire. Tested in this module.

use std::fmt;

use crate::text::put_number;

/// The game's unit of time, counted from the start of the match.
pub type Tick = u64;

/// Ticks per second unless another frequency is asked for.
pub const DEFAULT_FREQUENCY: u32 = 100;
/// What an observer sends instead of a team name; no team may be called so.
pub const OBSERVER_NAME: &str = "GRAPHIC";

/// A closed set of values with a word for each: `ALL`, `name`, `parse` and `Display`.
macro_rules! named {
    ($type:ident, $doc:literal, $($(#[$meta:meta])* $variant:ident = $word:literal),+ $(,)?) => {
        #[doc = $doc]
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $type { $($(#[$meta])* $variant),+ }

        impl $type {
            /// All of them, in their order.
            pub const ALL: [$type; [$($word),+].len()] = [$($type::$variant),+];

            /// The word on the wire.
            pub const fn name(self) -> &'static str {
                match self { $($type::$variant => $word),+ }
            }

            /// The value of that word; case matters.
            pub fn parse(word: &[u8]) -> Option<$type> {
                $type::ALL.into_iter().find(|one| one.name().as_bytes() == word)
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}
pub(crate) use named;

/// A number by which lines name something, and how they write it.
macro_rules! numbered {
    ($type:ident($number:ty) as $format:literal, $doc:literal) => {
        #[doc = $doc]
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
        pub struct $type(pub $number);

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, $format, self.0)
            }
        }
    };
}
pub(crate) use numbered;

/// A team's name: 1 to [`TeamName::LIMIT`] bytes of text without control characters or blanks at its ends.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TeamName(Box<str>);

impl TeamName {
    /// The longest name, in bytes.
    pub const LIMIT: usize = 64;

    /// The name these bytes spell, if they may be one.
    pub fn parse(bytes: &[u8]) -> Option<TeamName> {
        let name = std::str::from_utf8(bytes).ok()?;
        let is_valid = !name.is_empty()
            && name.len() <= TeamName::LIMIT
            && name.trim() == name
            && !name.chars().any(char::is_control);
        is_valid.then(|| TeamName(name.into()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for TeamName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A text that a player or the server sends: any bytes but a line's end, without blanks at its ends.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Text(Box<[u8]>);

impl Text {
    /// The text in these bytes, without the blanks at its ends, and without the first line's end and all that follows
    /// it.
    pub fn new(bytes: &[u8]) -> Text {
        let line = bytes.split(|&b| b == b'\n').next().unwrap_or_default();
        Text(crate::text::trim(line).into())
    }

    /// The bytes as lines carry them.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Whether there is no text.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Display for Text {
    /// For people: bytes that aren't UTF-8 are replaced.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&String::from_utf8_lossy(&self.0))
    }
}

/// A tile: `x` grows east, `y` grows south, both from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Position {
    /// Tiles from the western edge of the map's drawing.
    pub x: u16,
    /// Tiles from the northern edge of the map's drawing.
    pub y: u16,
}

impl Position {
    /// Appends both numbers, a blank before each.
    pub(crate) fn put(self, out: &mut Vec<u8>) {
        put_number(self.x.into(), out);
        put_number(self.y.into(), out);
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.x, self.y)
    }
}

/// The size of the torus in tiles; neither side is 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct MapSize {
    width: u16,
    height: u16,
}

impl MapSize {
    /// The longest side the types here carry, in tiles.
    pub const LIMIT: u16 = 10_000;

    /// A map with sides of that many tiles; `None` unless both lie between 1 and [`MapSize::LIMIT`].
    pub fn new(width: u16, height: u16) -> Option<MapSize> {
        let range = 1..=MapSize::LIMIT;
        (range.contains(&width) && range.contains(&height)).then_some(MapSize { width, height })
    }

    /// Tiles from west to east.
    pub const fn width(self) -> u16 {
        self.width
    }

    /// Tiles from north to south.
    pub const fn height(self) -> u16 {
        self.height
    }

    pub const fn area(self) -> u32 {
        self.width as u32 * self.height as u32
    }

    /// Whether the tile is on the map.
    pub const fn contains(self, at: Position) -> bool {
        at.x < self.width && at.y < self.height
    }

    /// The tile's number, row by row.
    pub const fn index(self, at: Position) -> usize {
        at.y as usize * self.width as usize + at.x as usize
    }

    /// The tile of that number, row by row; numbers beyond the last tile begin again at the first.
    pub fn position(self, index: usize) -> Position {
        let index = index % self.area() as usize;
        let (x, y) = (index % usize::from(self.width), index / usize::from(self.width));
        Position { x: u16::try_from(x).unwrap_or(0), y: u16::try_from(y).unwrap_or(0) }
    }

    /// The tile `dx` east and `dy` south of `at`, around the edges.
    #[must_use]
    pub fn offset(self, at: Position, (dx, dy): (i32, i32)) -> Position {
        let wrap = |base: u16, delta: i32, side: u16| {
            let wrapped = (i64::from(base) + i64::from(delta)).rem_euclid(i64::from(side));
            u16::try_from(wrapped).unwrap_or(0)
        };
        Position { x: wrap(at.x, dx, self.width()), y: wrap(at.y, dy, self.height()) }
    }

    /// The shortest way between two tiles as `(dx, dy)`; where both ways round are equally long, the
    /// positive one (east, south).
    pub fn delta(self, from: Position, to: Position) -> (i32, i32) {
        let shortest = |from: u16, to: u16, side: u16| {
            let (from, to, side) = (i32::from(from), i32::from(to), i32::from(side));
            let east = (to - from).rem_euclid(side);
            if east * 2 <= side { east } else { east - side }
        };
        (shortest(from.x, to.x, self.width()), shortest(from.y, to.y, self.height()))
    }

    /// As [`MapSize::delta`], but where both ways round are equally long, the way that doesn't cross the map's edge.
    pub fn delta_within(self, from: Position, to: Position) -> (i32, i32) {
        let (dx, dy) = self.delta(from, to);
        let within = |delta: i32, from: u16, to: u16, side: u16| {
            if delta * 2 == i32::from(side) { i32::from(to) - i32::from(from) } else { delta }
        };
        (within(dx, from.x, to.x, self.width()), within(dy, from.y, to.y, self.height()))
    }

    /// Steps between two tiles: moves are along the axes.
    pub fn distance(self, from: Position, to: Position) -> u32 {
        let (dx, dy) = self.delta(from, to);
        dx.unsigned_abs() + dy.unsigned_abs()
    }

    /// Every tile, column by column: `x` in the outer loop, as an observer's snapshot lists them.
    pub fn tiles(self) -> impl Iterator<Item = Position> {
        (0..self.width).flat_map(move |x| (0..self.height).map(move |y| Position { x, y }))
    }
}

impl fmt::Display for MapSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.width, self.height)
    }
}

/// Why a line is no message to observers in a game's dialect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadMessage {
    /// The first word doesn't belong to the dialect.
    #[error("no message of the observers' dialect")]
    Unknown,
    /// The message exists, but not with these parameters.
    #[error("wrong, missing or surplus parameter")]
    Parameter,
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names_that_would_break_a_line_are_refused() {
        for bad in [&b""[..], b" red", b"red ", b"a\nb", b"a\x07", &[0xff], &[b'x'; 65]] {
            assert_eq!(TeamName::parse(bad), None, "{bad:?}");
        }
        assert_eq!(TeamName::parse("équipe".as_bytes()).unwrap().as_str(), "équipe");
    }

    #[test]
    fn a_text_never_holds_a_line_end() {
        assert_eq!(Text::new(b"  a  b \t").as_bytes(), b"a  b");
        assert_eq!(Text::new(b"a\nb").as_bytes(), b"a");
    }

    #[test]
    fn tiles_have_one_number_each() {
        let size = MapSize::new(3, 2).unwrap();
        let order: Vec<Position> = size.tiles().collect();
        assert_eq!(order[..3], [Position { x: 0, y: 0 }, Position { x: 0, y: 1 }, Position { x: 1, y: 0 }]);
        assert!(order.iter().all(|&at| size.position(size.index(at)) == at));
        assert_eq!(MapSize::new(0, 1), None);
    }

    proptest! {
        #[test]
        fn distance_is_symmetric(w in 1u16..60, h in 1u16..60, a in any::<[u16; 4]>()) {
            let size = MapSize::new(w, h).unwrap();
            let (from, to) = (Position { x: a[0] % w, y: a[1] % h }, Position { x: a[2] % w, y: a[3] % h });
            prop_assert_eq!(size.distance(from, to), size.distance(to, from));
            prop_assert_eq!(size.offset(from, size.delta(from, to)), to);
            prop_assert!(size.distance(from, to) <= u32::from(w / 2 + h / 2));
        }
    }
}
