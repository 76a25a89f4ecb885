//! Headlines and remarks, one after the other, each for as long as it takes to read it. Tested in this module and with the
//! director.

/// From a tick on something is told.
#[derive(Debug, Clone, Copy, PartialEq)]
struct News {
    start: f64,
    score: u32,
    number: usize,
}

/// What is told one after the other, each for as long as it takes to read it.
#[derive(Debug, Clone, PartialEq)]
pub struct Queue {
    news: Vec<News>,
    /// Ticks for which each stands at the least, and after which it is no news any more.
    stands: (f64, f64),
    /// How many times as heavy as what is being read something has to be to take its place at once.
    outweighs: u32,
}

impl Queue {
    /// Nothing is told yet. What is so many times as heavy as what is being read takes its place at once, which it often
    /// contradicts.
    pub fn new([least, most]: [f64; 2], outweighs: u32) -> Queue {
        Queue { news: Vec::new(), stands: (least, most), outweighs }
    }

    /// What comes at that tick waits until the one before it was read; of those that wait the heaviest is left.
    pub fn tell(&mut self, tick: f64, score: u32, number: usize) {
        if let Some(waiting) = self.news.pop_if(|last| last.start > tick)
            && waiting.score >= score
        {
            return self.news.push(waiting);
        }
        let read = self.news.last().filter(|last| score < last.score.saturating_mul(self.outweighs));
        let start = read.map_or(tick, |last| tick.max(last.start + self.stands.0));
        self.news.push(News { start, score, number });
    }

    /// Since when something is told at that tick, and its number.
    pub fn at(&self, tick: f64) -> Option<(f64, usize)> {
        let last = self.begun(tick)?;
        (tick < last.start + self.stands.1).then_some((last.start, last.number))
    }

    /// That tick, or the later one by which what is told then was read.
    pub fn read_by(&self, tick: f64) -> f64 {
        self.begun(tick).map_or(tick, |last| tick.max(last.start + self.stands.0))
    }

    /// Drops what would begin at that tick or later.
    pub fn drop_from(&mut self, tick: f64) {
        self.news.retain(|one| one.start < tick);
    }

    /// What began last, at that tick or before it.
    fn begun(&self, tick: f64) -> Option<News> {
        self.news[..self.news.partition_point(|one| one.start <= tick)].last().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_heavier_by_far_is_not_kept_waiting() {
        let told = |outweighs: u32| {
            let mut queue = Queue::new([40.0, 90.0], outweighs);
            [(0.0, 12, 0), (10.0, 30, 1), (20.0, 60, 2)]
                .into_iter()
                .for_each(|(tick, score, number)| queue.tell(tick, score, number));
            [9.0, 15.0, 25.0, 45.0].map(|tick| queue.at(tick).map(|(_, number)| number))
        };
        assert_eq!(told(u32::MAX), [Some(0), Some(0), Some(0), Some(2)]);
        assert_eq!(told(3), [Some(0), Some(0), Some(2), Some(2)]);
    }
}
