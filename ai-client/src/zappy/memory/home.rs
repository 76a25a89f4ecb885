//! Where home lies: known by birth, or narrowed down from the sounds that come from there.
//!
//! Each sound rules out all tiles that would have been heard from another direction. A sound that rules out all tiles,
//! or two in a row that contradict the known home, make the player begin anew. Tested in this module.

use zappy_protocol::zappy::Orientation;

use super::torus::{Shape, Spot, Torus};

/// Sounds in a row that contradict the known home after which the player begins anew.
const DOUBTS_LIMIT: u32 = 2;
/// The largest map, in tiles, on which every tile is considered; on a larger one the player follows the last sound.
const AREA_LIMIT: i64 = 1_000_000;
/// How many tiles the player follows a sound when it knows nothing better.
const FOLLOWED_TILES: i32 = 5;

/// Where home lies, as far as a player knows.
#[derive(Debug)]
pub struct Home {
    belief: Belief,
    /// Sounds in a row that contradicted the belief.
    doubts: u32,
    /// The way towards the last sound, as `(dx, dy)` in tiles; `None` before the first.
    last_sound: Option<(i32, i32)>,
}

#[derive(Debug)]
enum Belief {
    Known(Spot),
    /// The tiles that agree with all sounds, for each possible shape of the world; empty if the world is too large for
    /// it.
    Open(Vec<Candidates>),
}

/// One bit per tile of one shape, and how many are set.
#[derive(Debug)]
struct Candidates {
    shape: Shape,
    bits: Vec<u64>,
    count: usize,
}

impl Candidates {
    fn all(shape: Shape) -> Candidates {
        let area = usize::try_from(shape.width * shape.height).unwrap_or(0);
        Candidates { shape, bits: vec![u64::MAX; area.div_ceil(64)], count: area }
    }

    /// The tiles whose bit is set, each with its index.
    fn spots(&self) -> impl Iterator<Item = (usize, Spot)> + '_ {
        let tiles = (0..self.shape.height).flat_map(|y| (0..self.shape.width).map(move |x| Spot { x, y }));
        tiles.enumerate().filter(|(i, _)| self.bits[i / 64] >> (i % 64) & 1 == 1)
    }

    /// Clears the bits of all tiles that don't agree.
    fn retain(&mut self, agrees: impl Fn(Shape, Spot) -> bool) {
        let wrong = |&(_, spot): &(usize, Spot)| !agrees(self.shape, spot);
        let gone: Vec<usize> = self.spots().filter(wrong).map(|(i, _)| i).collect();
        for i in gone {
            self.bits[i / 64] &= !(1 << (i % 64));
            self.count -= 1;
        }
    }
}

impl Home {
    /// Home is known to be this tile.
    pub fn known(spot: Spot) -> Home {
        Home { belief: Belief::Known(spot), doubts: 0, last_sound: None }
    }

    /// Home may be on any tile, in each shape of the world that is still possible.
    pub fn unknown(torus: &Torus) -> Home {
        let fits = |shape: &Shape| i64::from(shape.width) * i64::from(shape.height) <= AREA_LIMIT;
        let open = torus.shapes().filter(fits).map(Candidates::all).collect();
        Home { belief: Belief::Open(open), doubts: 0, last_sound: None }
    }

    /// The tile of home, if it is known.
    pub fn spot(&self) -> Option<Spot> {
        match &self.belief {
            Belief::Known(spot) => Some(*spot),
            Belief::Open(_) => None,
        }
    }

    /// The way to where the player looks for home next, as `(dx, dy)`; `None` before the first sound.
    pub fn way_from(&self, torus: &Torus, here: Spot) -> Option<(i32, i32)> {
        match &self.belief {
            Belief::Known(spot) => Some(torus.delta(here, *spot)),
            Belief::Open(open) => {
                self.last_sound?;
                let ways = open.iter().flat_map(|c| c.spots().map(|(_, spot)| c.shape.delta(here, spot)));
                ways.min_by_key(|(dx, dy)| dx.abs() + dy.abs()).or(self.last_sound)
            }
        }
    }

    /// A sound from home was heard from that direction; 0 means the player's own tile.
    pub fn heard(&mut self, torus: &mut Torus, here: Spot, facing: Orientation, direction: u8) {
        let (ahead, right) = zappy_protocol::zappy::geometry::direction_offset(direction).unwrap_or((0, 0));
        self.last_sound = Some(facing.to_map((ahead * FOLLOWED_TILES, right * FOLLOWED_TILES)));
        if direction == 0 {
            self.belief = Belief::Known(torus.normal(here));
            self.doubts = 0;
            return;
        }
        let agrees = |shape: Shape, spot| shape.may_sound(here, facing, spot, direction);
        let is_possible = match &mut self.belief {
            Belief::Known(spot) => torus.shapes().any(|shape| agrees(shape, *spot)),
            Belief::Open(open) => {
                open.iter_mut().for_each(|c| c.retain(agrees));
                open.is_empty() || open.iter().any(|c| c.count > 0)
            }
        };
        self.doubts = if is_possible { 0 } else { self.doubts + 1 };
        let contradicted = matches!(self.belief, Belief::Open(_)) && !is_possible;
        if contradicted || self.doubts >= DOUBTS_LIMIT {
            *self = Home { last_sound: self.last_sound, ..Home::unknown(torus) };
            if let Belief::Open(open) = &mut self.belief {
                open.iter_mut().for_each(|c| c.retain(agrees));
            }
        }
        // A single shape that is left is the world's, a single tile is home.
        let Belief::Open(open) = &mut self.belief else { return };
        open.retain(|c| c.count > 0);
        if let [only] = open.as_slice() {
            torus.settle(only.shape);
            let single = if only.count == 1 { only.spots().next() } else { None };
            if let Some((_, spot)) = single {
                self.belief = Belief::Known(spot);
            }
        }
    }

    /// Only one shape of the world is left: home gets its final coordinates.
    pub fn normalise(&mut self, torus: &Torus) {
        if let Belief::Known(spot) = &mut self.belief {
            *spot = torus.normal(*spot);
        }
    }

    /// Home is at this tile, whatever was believed.
    pub fn confirm(&mut self, spot: Spot) {
        *self = Home::known(spot);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use zappy_protocol::MapSize;
    use zappy_protocol::zappy::geometry::sound_direction;

    impl Home {
        /// How many tiles may still be home.
        fn possible(&self) -> usize {
            match &self.belief {
                Belief::Known(_) => 1,
                Belief::Open(open) => open.iter().map(|c| c.count).sum(),
            }
        }
    }

    /// What a listener knows after walking about and hearing sounds from home; the world's shape, and the tile of home.
    /// `turned` makes width and height change places.
    fn walk(width: u16, height: u16, target: (i32, i32), turned: bool) -> (Home, Torus, Spot) {
        let mut torus = Torus::new(MapSize::new(width, height).unwrap());
        let real = torus.shapes().nth(usize::from(turned)).unwrap_or(torus.shapes().next().unwrap());
        let mut home = Home::unknown(&torus);
        let target = real.normal(Spot { x: target.0, y: target.1 });
        let mut here = Spot::default();
        for i in 0..60 {
            let facing = Orientation::ALL[i % 4];
            here = here.plus(facing.step()).plus((1, i32::from(i % 3 == 0)));
            here = torus.normal(here);
            let k = sound_direction(real.delta(here, target), facing);
            home.heard(&mut torus, here, facing, k);
            here = torus.normal(here);
        }
        (home, torus, target)
    }

    proptest! {
        #[test]
        fn sounds_lead_home(w in 10u16..43, h in 10u16..43, x in 0i32..43, y in 0i32..43, turned: bool) {
            let (home, torus, target) = walk(w, h, (x, y), turned);
            let spot = home.spot().map(|s| torus.normal(s));
            prop_assert!(spot == Some(torus.normal(target)) || home.possible() <= 12, "{home:?}");
        }
    }

    #[test]
    fn one_contradiction_is_doubted_and_two_are_believed() {
        let mut torus = Torus::new(MapSize::new(20, 20).unwrap());
        let mut home = Home::known(Spot { x: 5, y: 0 });
        home.heard(&mut torus, Spot::default(), Orientation::North, 3);
        assert_eq!(home.spot(), Some(Spot { x: 5, y: 0 }));
        home.heard(&mut torus, Spot::default(), Orientation::North, 3);
        assert_eq!(home.spot(), None);
        home.heard(&mut torus, Spot { x: 3, y: 3 }, Orientation::North, 0);
        assert_eq!(home.spot(), Some(Spot { x: 3, y: 3 }));
    }

    #[test]
    fn a_huge_map_is_followed_by_ear() {
        let mut torus = Torus::new(MapSize::new(9_000, 9_000).unwrap());
        let mut home = Home::unknown(&torus);
        assert_eq!(home.way_from(&torus, Spot::default()), None);
        home.heard(&mut torus, Spot::default(), Orientation::North, 2);
        assert_eq!(home.way_from(&torus, Spot::default()), Some((-5, -5)));
    }
}
