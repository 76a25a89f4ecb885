//! Numbers over time, for the charts: sampled ever more sparsely, so that any match fits.
//!
//! Holds at most [`SAMPLE_LIMIT`] samples: when full, every second one goes and the interval doubles. Tested in
//! this module.

use zappy_protocol::Tick;
use zappy_protocol::zappy::mirror::Mirror;
use zappy_protocol::zappy::{Level, Resource};

use super::roster::{Roster, TeamIndex};

/// Samples kept: more than a chart has pixels to show.
pub const SAMPLE_LIMIT: usize = 2_048;
/// Ticks between two samples at first: that of the refill.
const FIRST_INTERVAL: Tick = 20;

/// How a team stands at a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Standing {
    /// Living players at each level; the first entry is level 1.
    pub levels: [u32; 8],
    /// Units of food its players carry.
    pub food: u32,
    /// Eggs that are known to be its own.
    pub eggs: u32,
}

impl Standing {
    /// Living players.
    #[must_use]
    pub fn alive(&self) -> u32 {
        self.levels.iter().sum()
    }

    /// The highest level that one of its living players has; 0 if nobody lives.
    #[must_use]
    pub fn highest(&self) -> u8 {
        (1..=8).rev().find(|&level| self.levels[usize::from(level) - 1] > 0).unwrap_or(0)
    }

    /// Living players at the highest level of the game.
    #[must_use]
    pub fn at_top(&self) -> u32 {
        self.levels[usize::from(Level::MAX.get()) - 1]
    }

    /// Orders teams as the end of a match by time does: who has more players at 8, then at 7, and so on.
    #[must_use]
    pub fn rank(&self) -> [u32; 8] {
        let mut rank = self.levels;
        rank.reverse();
        rank
    }
}

/// How each team stands, in the roster's order.
#[must_use]
pub fn standings(mirror: &Mirror, roster: &Roster) -> Vec<Standing> {
    let mut standings = vec![Standing::default(); roster.teams().len()];
    for (id, player) in &mirror.players {
        let Some(standing) = roster.team_of(*id).and_then(|TeamIndex(team)| standings.get_mut(team)) else {
            continue;
        };
        standing.levels[usize::from(player.level.get()) - 1] += 1;
        standing.food = standing.food.saturating_add(player.inventory.get(Resource::Food));
    }
    for egg in mirror.eggs.keys() {
        if let Some(standing) = roster.team_of_egg(*egg).and_then(|TeamIndex(team)| standings.get_mut(team)) {
            standing.eggs += 1;
        }
    }
    standings
}

/// The numbers of one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sample {
    /// When, in ticks.
    pub tick: Tick,
    /// Each team, in the roster's order; teams that were told of later are missing.
    pub teams: Vec<Standing>,
    /// Units of food on the ground.
    pub food_on_ground: u64,
}

/// Samples of a match, the oldest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Series {
    interval: Tick,
    samples: Vec<Sample>,
}

impl Default for Series {
    fn default() -> Series {
        Series { interval: FIRST_INTERVAL, samples: Vec::new() }
    }
}

impl Series {
    /// Takes a sample if one is due at that tick.
    pub fn note(&mut self, tick: Tick, mirror: &Mirror, roster: &Roster) {
        if self.samples.last().is_some_and(|last| tick < last.tick + self.interval) {
            return;
        }
        if self.samples.len() == SAMPLE_LIMIT {
            let mut keep = false;
            self.samples.retain(|_| {
                keep = !keep;
                keep
            });
            self.interval *= 2;
        }
        let food_on_ground = mirror.on_ground(Resource::Food);
        self.samples.push(Sample { tick, teams: standings(mirror, roster), food_on_ground });
    }

    /// The samples, the oldest first.
    #[must_use]
    pub fn samples(&self) -> &[Sample] {
        &self.samples
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use zappy_protocol::zappy::observer::Message;

    #[test]
    fn a_match_of_any_length_keeps_a_bounded_number_of_samples() {
        let (mirror, roster, mut series) = (Mirror::new(), Roster::new(), Series::default());
        for tick in (0..400_000).step_by(7) {
            series.note(tick, &mirror, &roster);
        }
        let samples = series.samples();
        assert!((SAMPLE_LIMIT / 2..=SAMPLE_LIMIT).contains(&samples.len()), "{}", samples.len());
        assert!(samples.windows(2).all(|pair| pair[0].tick < pair[1].tick));
        assert_eq!(samples[0].tick, 0);
        assert!(samples.last().unwrap().tick > 398_000);
    }

    #[test]
    fn more_players_higher_up_rank_before_more_players() {
        let few = Standing { levels: [0, 0, 1, 0, 0, 0, 0, 0], ..Standing::default() };
        let many = Standing { levels: [9, 5, 0, 0, 0, 0, 0, 0], ..Standing::default() };
        assert!(few.rank() > many.rank());
        assert_eq!((few.highest(), many.highest(), many.alive()), (3, 2, 14));
    }

    #[test]
    fn eggs_count_for_the_team_of_their_layer() {
        let (mut mirror, mut roster) = (Mirror::new(), Roster::new());
        for line in [
            "msz 3 3",
            "tna red",
            "pnw #0 0 0 1 2 red",
            "pin #0 0 0 4 0 0 0 0 0 0",
            "enw #0 #-1 1 1",
            "enw #1 #0 2 2",
        ] {
            let message = Message::parse(line.as_bytes()).unwrap();
            mirror.apply(&message).unwrap();
            roster.apply(0, &message);
        }
        let standings = standings(&mirror, &roster);
        assert_eq!(standings, [Standing { levels: [0, 1, 0, 0, 0, 0, 0, 0], food: 4, eggs: 1 }]);
    }
}
