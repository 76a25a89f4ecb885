//! The maps that come with the game, by name: their starts, what lies around them, and what belongs to each start.
//!
//! Each is a text file with one or two drawings of the map, one letter a tile. The first shows what lies there: a start
//! (its digit), a resource `*`, a forest `f`, a fort `F`, a base `b`. The second shows which start owns the tile (its
//! digit) or the bomb on it (`a` for start 0 and so on). A changed map alters matches: it raises the version of the
//! rules. Tested in `tests/scenarios.rs`.

use std::collections::BTreeMap;

use zappy_protocol::{MapSize, Position};

use super::map::{Belongings, Drawn};

/// The option's value for a map that is drawn from the seed.
pub(super) const DRAWN: &str = "drawn";

/// The maps by name, each with the text of its drawings.
pub(super) const SCENARIOS: &[(&str, &str)] = &[
    ("straits", include_str!("scenarios/straits.txt")),
    ("ring", include_str!("scenarios/ring.txt")),
    ("islands", include_str!("scenarios/islands.txt")),
    ("centre", include_str!("scenarios/centre.txt")),
    ("uneven", include_str!("scenarios/uneven.txt")),
];

/// A map that comes with the game.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scenario {
    pub(super) name: &'static str,
    text: &'static str,
}

impl Scenario {
    /// The map of that name, if there is one.
    pub(super) fn find(name: &str) -> Option<Scenario> {
        let found = SCENARIOS.iter().find(|(known, _)| *known == name);
        found.map(|&(name, text)| Scenario { name, text })
    }

    /// The rows of the first drawing (`number` 0), or of the second (1).
    fn drawing(self, number: usize) -> impl Iterator<Item = &'static str> {
        let lines = self.text.lines().filter(|line| !line.starts_with('#'));
        let mut drawings = 0;
        lines.filter(move |line| {
            drawings += usize::from(line.is_empty());
            !line.is_empty() && drawings == number
        })
    }

    /// The size of the map; `None` if the first drawing isn't that of a map.
    pub(super) fn size(self) -> Option<MapSize> {
        let side = |count: usize| u16::try_from(count).ok();
        let width = self.drawing(0).next().map_or(0, str::len);
        MapSize::new(side(width)?, side(self.drawing(0).count())?)
    }

    /// The tiles of a drawing, each with its letter; `number` as for [`Scenario::drawing`].
    fn tiles(self, number: usize) -> impl Iterator<Item = (Position, char)> {
        let rows = (0..).zip(self.drawing(number));
        rows.flat_map(|(y, row)| (0..).zip(row.chars()).map(move |(x, letter)| (Position { x, y }, letter)))
    }

    /// How many factions can play on it.
    pub(super) fn starts(self) -> usize {
        self.tiles(0).filter(|(_, letter)| letter.is_ascii_digit()).count()
    }

    /// The map for so many factions, which take its first starts. What belongs to the other starts is neutral.
    pub(super) fn draw(self, factions: usize, cities: bool) -> Drawn {
        let all = |wanted: char| self.tiles(0).filter(move |&(_, letter)| letter == wanted).map(|(at, _)| at);
        let own = |wanted: char| self.tiles(1).filter(move |&(_, letter)| letter == wanted).map(|(at, _)| at);
        let forts: Vec<Position> = all('F').collect();
        let (mut starts, mut belongings) = (Vec::new(), BTreeMap::new());
        for (digit, bomb) in ('0'..='9').zip('a'..='j').take(factions) {
            let land: Vec<Position> = own(digit).collect();
            let forts = forts.iter().copied().filter(|at| land.contains(at)).collect();
            let Some(start) = all(digit).next() else { continue };
            starts.push(start);
            belongings.insert(start, Belongings { land, forts, bombs: own(bomb).collect() });
        }
        let forests = if cities { all('f').collect() } else { Vec::new() };
        Drawn { starts, resources: all('*').collect(), forests, bases: all('b').collect(), belongings }
    }
}
