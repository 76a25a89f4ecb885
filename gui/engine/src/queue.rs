//! Headlines and remarks, one after the other, each for as long as it takes to read it. Tested with the director.

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
}

impl Queue {
    /// Nothing is told yet.
    pub fn new([least, most]: [f64; 2]) -> Queue {
        Queue { news: Vec::new(), stands: (least, most) }
    }

    /// What comes at that tick waits until the one before it was read; of those that wait the heaviest is left.
    pub fn tell(&mut self, tick: f64, score: u32, number: usize) {
        let mut one = News { start: tick, score, number };
        if let Some(last) = self.news.last().copied() {
            let waits = last.start > tick;
            if waits && last.score >= score {
                return;
            }
            if waits {
                self.news.pop();
            }
            let before = self.news.last().map_or(f64::NEG_INFINITY, |last| last.start + self.stands.0);
            one.start = if waits { last.start } else { tick.max(before) };
        }
        self.news.push(one);
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
