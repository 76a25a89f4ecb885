//! Headlines and remarks, one after the other, each for as long as it takes to read it. Tested in this module and with the
//! director.

/// An entry of the queue, which is shown from a tick on.
#[derive(Debug, Clone, Copy, PartialEq)]
struct News {
    start: f64,
    score: u32,
    number: usize,
}

/// Texts that are shown one after the other, each for as long as it takes to read it.
#[derive(Debug, Clone, PartialEq)]
pub struct Queue {
    news: Vec<News>,
    /// Ticks for which each text stands at the least, and after which it is no news any more.
    stands: (f64, f64),
    /// A text with so many times the score of the one that is being read takes its place at once.
    outweighs: u32,
}

impl Queue {
    /// An empty queue. A text with `outweighs` times the score of the one that is being read takes its place at once: it
    /// often contradicts that one.
    pub fn new([least, most]: [f64; 2], outweighs: u32) -> Queue {
        Queue { news: Vec::new(), stands: (least, most), outweighs }
    }

    /// Adds a text that comes at that tick. It waits until the one before it was read; of several that wait only the one with
    /// the highest score is kept.
    pub fn push(&mut self, tick: f64, score: u32, number: usize) {
        if let Some(waiting) = self.news.pop_if(|last| last.start > tick)
            && waiting.score >= score
        {
            return self.news.push(waiting);
        }
        let read = self.news.last().filter(|last| score < last.score.saturating_mul(self.outweighs));
        let start = read.map_or(tick, |last| tick.max(last.start + self.stands.0));
        self.news.push(News { start, score, number });
    }

    /// The text that is shown at that tick: since when, and its number.
    pub fn at(&self, tick: f64) -> Option<(f64, usize)> {
        let last = self.begun(tick)?;
        (tick < last.start + self.stands.1).then_some((last.start, last.number))
    }

    /// The tick from `tick` on by which the text that is shown then was read.
    pub fn read_by(&self, tick: f64) -> f64 {
        self.begun(tick).map_or(tick, |last| tick.max(last.start + self.stands.0))
    }

    /// Drops the texts that would begin at that tick or later.
    pub fn drop_from(&mut self, tick: f64) {
        self.news.retain(|one| one.start < tick);
    }

    /// The text that began last, at that tick or before it.
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
                .for_each(|(tick, score, number)| queue.push(tick, score, number));
            [9.0, 15.0, 25.0, 45.0].map(|tick| queue.at(tick).map(|(_, number)| number))
        };
        assert_eq!(told(u32::MAX), [Some(0), Some(0), Some(0), Some(2)]);
        assert_eq!(told(3), [Some(0), Some(0), Some(2), Some(2)]);
    }
}
