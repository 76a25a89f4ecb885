//! The nouns of the game: resources, inventories, directions, levels, names, places.
//!
//! Plain values without behaviour beyond their own arithmetic; none of them can hold a value the dialects
//! could not carry. Tested in this module.

use std::fmt;

/// The game's unit of time, counted from the start of the match.
pub type Tick = u64;

/// What lies on the ground and what players carry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Resource {
    /// Number 0; keeps players alive.
    Food,
    /// Number 1, a stone.
    Linemate,
    /// Number 2, a stone.
    Deraumere,
    /// Number 3, a stone.
    Sibur,
    /// Number 4, a stone.
    Mendiane,
    /// Number 5, a stone.
    Phiras,
    /// Number 6, the rarest stone.
    Thystame,
}

impl Resource {
    /// How many kinds there are.
    pub const COUNT: usize = 7;
    /// All kinds in the order of their numbers.
    pub const ALL: [Resource; Resource::COUNT] = [
        Resource::Food,
        Resource::Linemate,
        Resource::Deraumere,
        Resource::Sibur,
        Resource::Mendiane,
        Resource::Phiras,
        Resource::Thystame,
    ];

    /// The number on the wire, 0 to 6.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The word on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        ["food", "linemate", "deraumere", "sibur", "mendiane", "phiras", "thystame"][self as usize]
    }

    /// The resource of that name; case matters.
    #[must_use]
    pub fn parse(word: &[u8]) -> Option<Resource> {
        Resource::ALL.into_iter().find(|r| r.name().as_bytes() == word)
    }
}

impl fmt::Display for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Units of each resource: on a tile, in a player's hands, or asked for by an elevation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct Inventory([u32; Resource::COUNT]);

impl Inventory {
    /// Amounts in the order of the resources' numbers.
    #[must_use]
    pub const fn new(amounts: [u32; Resource::COUNT]) -> Inventory {
        Inventory(amounts)
    }

    /// Units of one resource.
    #[must_use]
    pub const fn get(&self, resource: Resource) -> u32 {
        self.0[resource.index()]
    }

    /// Sets the units of one resource.
    pub fn set(&mut self, resource: Resource, units: u32) {
        self.0[resource.index()] = units;
    }

    /// Adds units; stays at the greatest number when there would be more.
    pub fn add(&mut self, resource: Resource, units: u32) {
        let slot = &mut self.0[resource.index()];
        *slot = slot.saturating_add(units);
    }

    /// Takes one unit away if there is one, and says whether there was.
    pub fn take_one(&mut self, resource: Resource) -> bool {
        let slot = &mut self.0[resource.index()];
        let there = *slot > 0;
        *slot = slot.saturating_sub(1);
        there
    }

    /// Whether at least as much of everything is here as in `other`.
    #[must_use]
    pub fn covers(&self, other: &Inventory) -> bool {
        self.0.iter().zip(other.0).all(|(have, need)| *have >= need)
    }

    /// Removes what `other` holds, as far as it is there.
    pub fn subtract(&mut self, other: &Inventory) {
        for (have, gone) in self.0.iter_mut().zip(other.0) {
            *have = have.saturating_sub(gone);
        }
    }

    /// Amounts in the order of the resources' numbers.
    #[must_use]
    pub const fn amounts(&self) -> &[u32; Resource::COUNT] {
        &self.0
    }

    /// Each resource with its units, in the order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (Resource, u32)> + '_ {
        Resource::ALL.into_iter().map(|r| (r, self.get(r)))
    }
}

/// The way a player faces. `y` grows south.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Orientation {
    /// 1 on the wire, towards smaller `y`.
    North,
    /// 2 on the wire, towards greater `x`.
    East,
    /// 3 on the wire, towards greater `y`.
    South,
    /// 4 on the wire, towards smaller `x`.
    West,
}

impl Orientation {
    /// All four, clockwise from north.
    pub const ALL: [Orientation; 4] =
        [Orientation::North, Orientation::East, Orientation::South, Orientation::West];

    /// The number on the wire, 1 to 4.
    #[must_use]
    pub const fn number(self) -> u8 {
        self as u8 + 1
    }

    /// The orientation of that number, 1 to 4.
    #[must_use]
    pub fn from_number(number: u8) -> Option<Orientation> {
        Orientation::ALL.get(usize::from(number).checked_sub(1)?).copied()
    }

    /// A quarter turn clockwise.
    #[must_use]
    pub const fn right(self) -> Orientation {
        Orientation::ALL[(self as usize + 1) % 4]
    }

    /// A quarter turn counter-clockwise.
    #[must_use]
    pub const fn left(self) -> Orientation {
        Orientation::ALL[(self as usize + 3) % 4]
    }

    /// The other way.
    #[must_use]
    pub const fn opposite(self) -> Orientation {
        Orientation::ALL[(self as usize + 2) % 4]
    }

    /// One step this way, as `(dx, dy)`.
    #[must_use]
    pub const fn step(self) -> (i32, i32) {
        [(0, -1), (1, 0), (0, 1), (-1, 0)][self as usize]
    }
}

/// A player's level, 1 to 8.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Level(u8);

impl Level {
    /// Where everybody begins.
    pub const MIN: Level = Level(1);
    /// The highest one.
    pub const MAX: Level = Level(8);

    /// The level of that number, if it lies between 1 and 8.
    #[must_use]
    pub fn new(number: u8) -> Option<Level> {
        (Level::MIN.0..=Level::MAX.0).contains(&number).then_some(Level(number))
    }

    /// Its number, 1 to 8.
    #[must_use]
    pub const fn get(self) -> u8 {
        self.0
    }

    /// The next level; none above the highest.
    #[must_use]
    pub fn next(self) -> Option<Level> {
        Level::new(self.0 + 1)
    }

    /// All levels from the lowest to the highest.
    pub fn all() -> impl DoubleEndedIterator<Item = Level> {
        (Level::MIN.0..=Level::MAX.0).map(Level)
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A team's name: 1 to [`TeamName::LIMIT`] bytes of text without control characters or blanks at its ends.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TeamName(Box<str>);

impl TeamName {
    /// The longest name, in bytes.
    pub const LIMIT: usize = 64;

    /// The name these bytes spell, if they may be one.
    #[must_use]
    pub fn parse(bytes: &[u8]) -> Option<TeamName> {
        let name = std::str::from_utf8(bytes).ok()?;
        let good = !name.is_empty()
            && name.len() <= TeamName::LIMIT
            && name.trim() == name
            && !name.chars().any(char::is_control);
        good.then(|| TeamName(name.into()))
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for TeamName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What somebody said: any bytes but a line's end, without blanks at its ends.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Text(Box<[u8]>);

impl Text {
    /// The text in these bytes: blanks at the ends go, and so does all from the first line's end on.
    #[must_use]
    pub fn new(bytes: &[u8]) -> Text {
        let line = bytes.split(|&b| b == b'\n').next().unwrap_or_default();
        Text(crate::words::trim(line).into())
    }

    /// The bytes as they travel.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Whether nothing was said.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Display for Text {
    /// For people: bytes that are no text are replaced.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&String::from_utf8_lossy(&self.0))
    }
}

/// A player's number, from 0 up in the order of joining, never used again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PlayerId(pub u32);

impl fmt::Display for PlayerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.0)
    }
}

/// An egg's number, from 0 up, never used again; players count by themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EggId(pub u32);

impl fmt::Display for EggId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.0)
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

    /// A map of that many tiles; both sides lie between 1 and [`MapSize::LIMIT`].
    #[must_use]
    pub fn new(width: u16, height: u16) -> Option<MapSize> {
        let range = 1..=MapSize::LIMIT;
        (range.contains(&width) && range.contains(&height)).then_some(MapSize { width, height })
    }

    /// Tiles from west to east.
    #[must_use]
    pub const fn width(self) -> u16 {
        self.width
    }

    /// Tiles from north to south.
    #[must_use]
    pub const fn height(self) -> u16 {
        self.height
    }

    /// Tiles in all.
    #[must_use]
    pub const fn area(self) -> u32 {
        self.width as u32 * self.height as u32
    }

    /// Whether the tile is on the map.
    #[must_use]
    pub const fn contains(self, at: Position) -> bool {
        at.x < self.width && at.y < self.height
    }

    /// The tile's number, row by row.
    #[must_use]
    pub const fn index(self, at: Position) -> usize {
        at.y as usize * self.width as usize + at.x as usize
    }

    /// The tile of that number, row by row; numbers beyond the map begin again.
    #[must_use]
    pub fn position(self, index: usize) -> Position {
        let index = index % self.area() as usize;
        let (x, y) = (index % usize::from(self.width), index / usize::from(self.width));
        Position { x: u16::try_from(x).unwrap_or(0), y: u16::try_from(y).unwrap_or(0) }
    }

    /// Every tile, column by column: `x` in the outer loop, as an observer's dump lists them.
    pub fn tiles(self) -> impl Iterator<Item = Position> {
        (0..self.width).flat_map(move |x| (0..self.height).map(move |y| Position { x, y }))
    }
}

impl fmt::Display for MapSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.width, self.height)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_names_come_back() {
        for resource in Resource::ALL {
            assert_eq!(Resource::parse(resource.name().as_bytes()), Some(resource));
            assert_eq!(Resource::ALL[resource.index()], resource);
        }
        for orientation in Orientation::ALL {
            assert_eq!(Orientation::from_number(orientation.number()), Some(orientation));
            assert_eq!(orientation.right().left(), orientation);
            assert_eq!(orientation.right().right(), orientation.opposite());
        }
        assert_eq!(Orientation::from_number(0), None);
        assert_eq!(Orientation::from_number(5), None);
    }

    #[test]
    fn levels_end_at_eight() {
        assert_eq!(Level::new(0), None);
        assert_eq!(Level::new(9), None);
        assert_eq!(Level::MAX.next(), None);
        assert_eq!(Level::all().count(), 8);
    }

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

    #[test]
    fn inventories_neither_wrap_nor_go_below_nothing() {
        let mut inventory = Inventory::default();
        assert!(!inventory.take_one(Resource::Food));
        inventory.add(Resource::Food, u32::MAX);
        inventory.add(Resource::Food, 1);
        assert_eq!(inventory.get(Resource::Food), u32::MAX);
        assert!(inventory.covers(&Inventory::new([5, 0, 0, 0, 0, 0, 0])));
        assert!(!inventory.covers(&Inventory::new([0, 1, 0, 0, 0, 0, 0])));
    }
}
