//! The order in which headlines and remarks are shown, each for as long as it takes to read it. Tested in this module
//! and with the director.

/// A text of the queue.
#[derive(Debug, Clone, Copy, PartialEq)]
struct News {
    /// The tick from which on it is shown.
    start: f64,
    score: u32,
    /// The number by which the caller knows the text.
    number: usize,
}

/// Texts that are shown one after the other, each for as long as it takes to read it.
#[derive(Debug, Clone, PartialEq)]
pub struct Queue {
    /// The texts in the order in which they are shown; the last one may still wait.
    news: Vec<News>,
    /// The ticks for which a text is shown at the least, though another one waits, and at the most.
    durations: (f64, f64),
    /// A text with this many times the score of the one that is being read takes its place at once.
    outweighs: u32,
}

impl Queue {
    /// An empty queue. A text is shown for `least` to `most` ticks. A text with `outweighs` times the score of the one
    /// that is being read takes its place at once, because it often contradicts that one.
    pub fn new([least, most]: [f64; 2], outweighs: u32) -> Queue {
        Queue { news: Vec::new(), durations: (least, most), outweighs }
    }

    /// Adds a text that comes at that tick. It waits until the one before it was read; of several texts that wait only
    /// the one with the highest score is kept.
    pub fn push(&mut self, tick: f64, score: u32, number: usize) {
        if let Some(waiting) = self.news.pop_if(|last| last.start > tick)
            && waiting.score >= score
        {
            return self.news.push(waiting);
        }
        let read = self.news.last().filter(|last| score < last.score.saturating_mul(self.outweighs));
        let start = read.map_or(tick, |last| tick.max(last.start + self.durations.0));
        self.news.push(News { start, score, number });
    }

    /// The text that is shown at that tick: since which tick, and its number.
    pub fn at(&self, tick: f64) -> Option<(f64, usize)> {
        let last = self.last_begun(tick)?;
        (tick < last.start + self.durations.1).then_some((last.start, last.number))
    }

    /// The tick at which the text that is shown at `tick` was read; `tick` itself if it was read before, or there is
    /// none.
    pub fn read_by(&self, tick: f64) -> f64 {
        self.last_begun(tick).map_or(tick, |last| tick.max(last.start + self.durations.0))
    }

    /// Drops the texts that would begin at that tick or later.
    pub fn drop_from(&mut self, tick: f64) {
        self.news.retain(|one| one.start < tick);
    }

    /// The text that began last, at that tick or before it.
    fn last_begun(&self, tick: f64) -> Option<News> {
        self.news[..self.news.partition_point(|one| one.start <= tick)].last().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_heavier_by_far_is_not_kept_waiting() {
        let shown = |outweighs: u32| {
            let mut queue = Queue::new([40.0, 90.0], outweighs);
            [(0.0, 12, 0), (10.0, 30, 1), (20.0, 60, 2)]
                .into_iter()
                .for_each(|(tick, score, number)| queue.push(tick, score, number));
            [9.0, 15.0, 25.0, 45.0].map(|tick| queue.at(tick).map(|(_, number)| number))
        };
        assert_eq!(shown(u32::MAX), [Some(0), Some(0), Some(0), Some(2)]);
        assert_eq!(shown(3), [Some(0), Some(0), Some(2), Some(2)]);
    }
}
