//! Parts of a plan that together are the whole and share no match, for machines that know nothing of each other.
//!
//! Tested in this module.

/// The most parts of a plan.
const MOST_SHARDS: usize = 100_000;

/// One of so many parts of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    index: usize,
    count: usize,
}

impl Default for Shard {
    fn default() -> Shard {
        Shard { index: 0, count: 1 }
    }
}

impl Shard {
    /// Reads `I/N`, with I from 1 to N.
    ///
    /// # Errors
    /// In words, when it isn't such.
    pub fn parse(text: &str) -> Result<Shard, String> {
        let parts = text.split_once('/').and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
        match parts {
            Some((i, count)) if (1..=count).contains(&i) && count <= MOST_SHARDS => {
                Ok(Shard { index: i - 1, count })
            }
            _ => Err(format!("write I/N, with I from 1 to N and N at most {MOST_SHARDS}")),
        }
    }

    /// Whether a line of the plan, counted from 0, belongs to it.
    pub fn takes(self, line: usize) -> bool {
        line % self.count == self.index
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_are_the_whole_plan_and_share_nothing() {
        let shards: Vec<Shard> =
            ["1/3", "2/3", "3/3"].iter().map(|text| Shard::parse(text).unwrap()).collect();
        for line in 0..20 {
            assert_eq!(shards.iter().filter(|shard| shard.takes(line)).count(), 1);
            assert!(Shard::default().takes(line));
        }
        for bad in ["0/3", "4/3", "1", "a/b", "1/0", "1/100001", "-1/2"] {
            assert!(Shard::parse(bad).is_err(), "{bad}");
        }
    }
}
