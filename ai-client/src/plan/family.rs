//! A player's place among those whom one founder and its descendants laid, and when its children come in.
//!
//! Which of two connections that are opened at one moment gets which egg is a matter of luck, and children
//! differ by what they were told. So those who may lay at the same tick have moments of their own within it.
//! Knows nothing of the world. Tested here, and on whole matches in `tests/wins.rs`.

/// The moments of those who lay the core: at most four lay at once.
const CORE: Moments = Moments { first: 0, count: 4, own: 0, step: 1 };
/// Moments of a gatherer and its helpers, and how many of these lay at one tick without meeting.
const BRANCH: u32 = 2;
const BRANCHES: u32 = 2;
/// Gatherers of one leader keep the same hours, which differ by commands of seven ticks: more of them lay so many ticks
/// later, each at its own.
const SHIFTS: u32 = 7;
/// The place of the first gatherer of a brood.
const FIRST_GATHERER: u32 = 4;

/// A place in the family.
#[derive(Debug, Clone, Copy)]
pub struct Family {
    /// Founder 0 and all its descendants lay at the same time, and each generation doubles them.
    place: u32,
    generation: u32,
    moments: Moments,
    /// Its parent's moment.
    turn: u32,
    /// Its number among those who may lay for themselves.
    branch: u32,
}

/// The moments of a tick that belong to a brood, and whose turn is whose.
#[derive(Debug, Clone, Copy)]
struct Moments {
    first: u32,
    count: u32,
    own: u32,
    step: u32,
}

impl Default for Family {
    fn default() -> Family {
        Family { place: 0, generation: 0, moments: CORE, turn: 0, branch: 0 }
    }
}

impl Family {
    /// A place outside the founder's line, for who gathers and is the `index`-th of its kind.
    pub fn apart(index: u32) -> Family {
        Family { branch: index, ..Family::default() }
    }

    /// Moments that its parent lets pass before it is connected.
    pub fn turn(&self) -> u32 {
        self.turn
    }

    /// Its place, if it isn't one of the first two.
    pub fn birthplace(&self) -> Option<u32> {
        (self.place >= 2).then_some(self.place)
    }

    /// A leader that lays anew does so alone at first.
    pub fn begin_core(&mut self) {
        self.moments = CORE;
    }

    /// A gatherer and its helpers lay for themselves, while others may do so too; first it waits so many ticks.
    pub fn begin_branch(&mut self) -> u32 {
        let first = CORE.count + self.branch % BRANCHES * BRANCH;
        self.moments = Moments { first, count: BRANCH, own: 0, step: 1 };
        self.branch / BRANCHES % SHIFTS
    }

    /// The place of the next child.
    pub fn child(&mut self) -> Family {
        let place = self.place + 1u32.checked_shl(self.generation).unwrap_or(0);
        self.generation += 1;
        let turn = self.moments.turn();
        let moments = self.moments.divide();
        let branch = place.wrapping_sub(FIRST_GATHERER);
        Family { place, generation: self.generation, moments, turn, branch }
    }
}

impl Moments {
    fn turn(&self) -> u32 {
        self.first + self.own % self.count
    }

    /// What a child gets: all that lay at the same time have moments that differ.
    fn divide(&mut self) -> Moments {
        let own = self.own + self.step;
        self.step = (self.step * 2).min(self.count);
        Moments { own, ..*self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// When those lay who begin with this one, generation by generation.
    fn generations(family: Family, count: usize) -> Vec<Vec<u32>> {
        let mut line = vec![family];
        let mut lay = || {
            let children: Vec<Family> = line.iter_mut().map(Family::child).collect();
            let turns = children.iter().map(Family::turn).collect();
            line.extend(children);
            turns
        };
        (0..count).map(|_| lay()).collect()
    }

    #[test]
    fn all_who_lay_the_core_at_once_take_turns() {
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

    /// Those whom a leader sends out later, three at a time.
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
        assert_eq!(waits, [(2, 4), (3, 4), (6, 4)]);
    }
}
