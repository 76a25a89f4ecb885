//! What is due, and at which tick: a heap of entries in the order of the rules.
//!
//! Within a tick incantations end first, in the order in which they began; then commands end, in the order
//! drawn for the tick; then come hunger, the refill and the end of the match. An entry that no longer counts stays
//! in the heap; its generation shows it when it is taken out. Tested in this module and by the transcripts.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use zappy_protocol::Tick;
use zappy_protocol::zappy::PlayerId;

/// What is due. The order of the variants is the order within a tick.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Due {
    /// The incantation of that number ends.
    Incantation(u32),
    /// The player's command ends, or it may begin its next one.
    Command(PlayerId),
    /// The player has used up a unit of food.
    Hunger(PlayerId),
    /// What is missing on the ground comes back.
    Refill,
    /// The match ends, if its time is over or no player and no egg is left.
    End,
}

impl Due {
    /// The place of its kind within a tick.
    const fn phase(self) -> u8 {
        match self {
            Due::Incantation(_) => 0,
            Due::Command(_) => 1,
            Due::Hunger(_) => 2,
            Due::Refill => 3,
            Due::End => 4,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    tick: Tick,
    phase: u8,
    rank: u64,
    due: Due,
    generation: u32,
}

#[derive(Debug, Default)]
pub(super) struct Schedule {
    heap: BinaryHeap<Reverse<Entry>>,
}

impl Schedule {
    /// Plans something. At one tick the smaller rank of a phase comes first.
    pub(super) fn push(&mut self, tick: Tick, due: Due, rank: u64, generation: u32) {
        self.heap.push(Reverse(Entry { tick, phase: due.phase(), rank, due, generation }));
    }

    /// The next tick at which something is due.
    pub(super) fn next_tick(&self) -> Option<Tick> {
        self.heap.peek().map(|Reverse(entry)| entry.tick)
    }

    /// Takes out the first entry that is due at `now` or before, with its generation.
    pub(super) fn pop(&mut self, now: Tick) -> Option<(Due, u32)> {
        if self.next_tick()? > now {
            return None;
        }
        self.heap.pop().map(|Reverse(entry)| (entry.due, entry.generation))
    }

    /// Moves entries to other ticks: `moved` gives the tick and the rank for an entry that is due at a tick.
    pub(super) fn retime(&mut self, moved: impl Fn(Due, Tick, u64) -> (Tick, u64)) {
        for Reverse(entry) in self.heap.drain().collect::<Vec<_>>() {
            let (tick, rank) = moved(entry.due, entry.tick, entry.rank);
            self.heap.push(Reverse(Entry { tick, rank, ..entry }));
        }
    }

    /// How many entries there are, including those that no longer count; for the invariants of tests.
    pub(super) fn len(&self) -> usize {
        self.heap.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tick_runs_in_the_order_of_the_rules() {
        let mut schedule = Schedule::default();
        let (one, two) = (PlayerId(1), PlayerId(2));
        schedule.push(7, Due::End, 0, 0);
        schedule.push(7, Due::Refill, 0, 0);
        schedule.push(7, Due::Hunger(one), 9, 0);
        schedule.push(7, Due::Command(one), 9, 3);
        schedule.push(7, Due::Command(two), 4, 0);
        schedule.push(7, Due::Incantation(1), 1, 0);
        schedule.push(7, Due::Incantation(0), 0, 0);
        schedule.push(6, Due::End, 0, 0);
        let order: Vec<Due> = std::iter::from_fn(|| schedule.pop(7).map(|(due, _)| due)).collect();
        let expected = [
            Due::End,
            Due::Incantation(0),
            Due::Incantation(1),
            Due::Command(two),
            Due::Command(one),
            Due::Hunger(one),
            Due::Refill,
            Due::End,
        ];
        assert_eq!(order, expected);
    }

    #[test]
    fn moved_entries_are_due_at_their_new_ticks() {
        let mut schedule = Schedule::default();
        schedule.push(7, Due::Refill, 0, 0);
        schedule.push(7, Due::Hunger(PlayerId(1)), 5, 0);
        schedule.retime(|due, tick, rank| if due == Due::Refill { (tick, rank) } else { (3, 0) });
        assert_eq!(schedule.pop(9), Some((Due::Hunger(PlayerId(1)), 0)));
        assert_eq!((schedule.next_tick(), schedule.len()), (Some(7), 1));
    }

    #[test]
    fn nothing_runs_before_its_tick() {
        let mut schedule = Schedule::default();
        schedule.push(7, Due::Refill, 0, 0);
        assert_eq!((schedule.pop(6), schedule.next_tick(), schedule.len()), (None, Some(7), 1));
    }
}
