//! A player's place among the descendants of one founder, and when its children are connected.
//!
//! When two connections are opened at once, luck decides which of them gets which egg, and children differ by what
//! their parents handed to them. So players that may lay at the same tick have different *moments* within it: a moment
//! is the time of one question that costs no ticks (`Connect_nbr`) and its answer, and a parent lets its own number of
//! them pass before it connects a child. Knows nothing of the world. Tested in this module, and on whole matches in
//! `tests/wins.rs`.

/// The moments of the players that lay the core: at most four lay at once.
const CORE_MOMENTS: Moments = Moments { first: 0, count: 4, own: 0, laying: 1 };
/// The moments that a gatherer and its helpers need.
const MOMENTS_PER_GATHERER: u32 = 2;
/// How many gatherers with their helpers fit into one tick without sharing moments.
const GATHERERS: u32 = 2;
/// Gatherers that are laid later wait 0 to 6 ticks before they lay helpers. Most commands take seven ticks, so those
/// that wait differently never lay at the same tick.
const SHIFTS: u32 = 7;
/// The place of the first gatherer of a brood.
const FIRST_GATHERER: u32 = 4;

/// A place in the family.
#[derive(Debug, Clone, Copy)]
pub struct Family {
    /// 0 for the founder. A child's place is its parent's plus 2 to the power of the generation, since all descendants
    /// lay at the same time.
    place: u32,
    /// How many rounds of laying it has seen or was born after; in a round all descendants lay one child each.
    generation: u32,
    moments: Moments,
    /// Moments that its parent lets pass before it connects this player.
    pub turn: u32,
    /// Its number among the gatherers that lay helpers of their own; it means nothing for the core.
    branch: u32,
    /// Whether the founder's brood has one gatherer instead of two. A sole gatherer has the moments of two, and lays as
    /// many helpers as two would.
    pub sole: bool,
}

/// The moments of a tick that belong to a brood, `first` and as many as `count` says.
#[derive(Debug, Clone, Copy)]
struct Moments {
    first: u32,
    count: u32,
    /// This player's moment, counted from the first.
    own: u32,
    /// How many players of the brood lay at the same tick by now.
    laying: u32,
}

impl Default for Family {
    fn default() -> Family {
        Family { place: 0, generation: 0, moments: CORE_MOMENTS, turn: 0, branch: 0, sole: false }
    }
}

impl Family {
    /// The place of the gatherer with this index that came in through a free slot, not through an egg of the founder's
    /// line.
    pub fn from_free_slot(index: u32) -> Family {
        Family { branch: index, ..Family::default() }
    }

    /// Its place; `None` for the first two players, which have the places 0 and 1.
    pub fn later_place(&self) -> Option<u32> {
        (self.place >= 2).then_some(self.place)
    }

    /// The number of gatherers that share the laying of helpers in its brood. Gatherers that the leader lays later
    /// always share.
    pub fn gatherers(&self) -> u32 {
        if self.sole && self.is_of_first_brood() { 1 } else { GATHERERS }
    }

    /// Takes the core's moments again, for a leader that lays anew, at first alone.
    pub fn begin_core(&mut self) {
        self.moments = CORE_MOMENTS;
    }

    /// Takes a gatherer's moments, before it lays helpers, maybe at the same ticks as others. Returns the ticks that it
    /// has to wait first.
    pub fn begin_branch(&mut self) -> u32 {
        let count = GATHERERS * MOMENTS_PER_GATHERER / self.gatherers();
        // Numbers of a parent and its child differ in one bit, so their counts of bits are odd and even.
        let first = CORE_MOMENTS.count + self.branch.count_ones() % self.gatherers() * count;
        self.moments = Moments { first, count, own: 0, laying: 1 };
        self.branch / GATHERERS % SHIFTS
    }

    /// Whether it is one of the first gatherers, which never have to wait.
    pub fn is_of_first_brood(&self) -> bool {
        self.branch < GATHERERS
    }

    /// The place of the next child, with its part of the moments: all that lay at the same time have different ones.
    pub fn child(&mut self) -> Family {
        let place = self.place + 1u32.checked_shl(self.generation).unwrap_or(0);
        self.generation += 1;
        let mine = &mut self.moments;
        let turn = mine.first + mine.own % mine.count;
        // As many players as `laying` says have moments; the child takes the next one that none of them has.
        let own = mine.own + mine.laying;
        mine.laying = (mine.laying * 2).min(mine.count);
        let moments = Moments { own, ..*mine };
        let branch = place.wrapping_sub(FIRST_GATHERER);
        Family { place, generation: self.generation, moments, turn, branch, ..*self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The moments in which this player and its descendants lay, generation by generation.
    fn generations(family: Family, count: usize) -> Vec<Vec<u32>> {
        let mut line = vec![family];
        let mut lay = || {
            let children: Vec<Family> = line.iter_mut().map(Family::child).collect();
            let turns = children.iter().map(|child| child.turn).collect();
            line.extend(children);
            turns
        };
        (0..count).map(|_| lay()).collect()
    }

    #[test]
    fn all_that_lay_the_core_at_once_take_turns() {
        let turns = [vec![0], vec![0, 1], vec![0, 1, 2, 3]];
        assert_eq!(generations(Family::default(), 3), turns);
        let mut leader = Family::default();
        for _ in 0..3 {
            leader.child();
        }
        leader.begin_core();
        assert_eq!(generations(leader, 3), turns, "and again for those it replaces");
    }

    #[test]
    fn neither_branch_shares_a_moment_with_another_or_with_the_core() {
        let mut moments = generations(Family::default(), 3).pop().unwrap();
        for place in [4, 5] {
            let mut gatherer = Family { branch: place - FIRST_GATHERER, ..Family::default() };
            assert_eq!(gatherer.begin_branch(), 0);
            moments.extend(generations(gatherer, 2).pop().unwrap());
        }
        assert_eq!(moments, [0, 1, 2, 3, 4, 5, 6, 7], "and all of them fit into a tick");
    }

    #[test]
    fn one_gatherer_has_moments_for_the_helpers_of_two() {
        let mut gatherer = Family { branch: 1, sole: true, ..Family::default() };
        assert_eq!(gatherer.begin_branch(), 0);
        assert_eq!(generations(gatherer, 3), [vec![4], vec![4, 5], vec![4, 5, 6, 7]]);
    }

    /// A leader sends out gatherers later, three at a time.
    #[test]
    fn gatherers_that_are_laid_later_wait_different_times() {
        let mut leader = Family::default();
        (0..3).for_each(|_| _ = leader.child());
        let mut first = leader.child();
        let mut waits = [first.child(), leader.child(), first].map(|mut family| {
            let wait = family.begin_branch();
            (wait, family.moments.first)
        });
        waits.sort_unstable();
        assert_eq!(waits, [(2, 6), (3, 4), (6, 4)]);
    }
}
