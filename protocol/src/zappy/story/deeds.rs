//! What a team did in all, and how strong it is at a moment: numbers alone.
//!
//! Tested in this module and by the programs that show them.

use super::happening::{Fate, Happening, What};
use super::roster::{Roster, TeamIndex};
use crate::types::Tick;
use crate::zappy::constants::WINNING_PLAYERS;
use crate::zappy::mirror::Mirror;
use crate::zappy::{Level, PlayerId, Resource};

/// What a team did in all.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Deeds {
    pub joined: u32,
    /// Players that died or left.
    pub died: u32,
    /// How many of them met each known fate, in the order of [`Fate::ALL`].
    pub fates: [u32; Fate::ALL.len()],
    /// Incantations it began that succeeded.
    pub won: u32,
    /// Incantations it began that failed.
    pub failed: u32,
    pub broadcasts: u32,
    pub pushes: u32,
    /// Times that one of its players was pushed.
    pub pushed: u32,
    /// How many players its pushes moved, of other teams and of its own; a player counts each time.
    pub shoved: [u32; 2],
    pub eggs: u32,
    pub meals: u32,
    /// Units of food eaten, as far as the reader of the match can tell.
    pub eaten: u32,
    /// Commands that were refused, as far as the reader of the match knows: records hold refusals, messages don't.
    pub refused: u32,
    pub stones: u32,
    /// The tick at which one of its players first reached a level; the first entry is level 1.
    pub first_at: [Option<Tick>; 8],
}

impl Deeds {
    /// Counts a happening for its team; a push also for the teams of the players that were pushed.
    pub fn count(all: &mut Vec<Deeds>, happening: &Happening, roster: &Roster) {
        if let What::Ejected { victims, .. } = &happening.what {
            for victim in victims {
                if let Some(deeds) = Deeds::of(all, *victim, roster) {
                    deeds.pushed = deeds.pushed.saturating_add(1);
                }
            }
            let pusher = happening.what.player();
            let own = pusher.and_then(|player| roster.team_of(player));
            let moved = victims.iter().map(|victim| roster.team_of(*victim) == own);
            if let Some(deeds) = pusher.and_then(|player| Deeds::of(all, player, roster)) {
                for own in moved {
                    let count = &mut deeds.shoved[usize::from(own)];
                    *count = count.saturating_add(1);
                }
            }
        }
        let Some(deeds) = happening.what.player().and_then(|player| Deeds::of(all, player, roster)) else {
            return;
        };
        let count = match &happening.what {
            What::Joined(_) => &mut deeds.joined,
            What::Gone { fate, .. } => {
                deeds.died = deeds.died.saturating_add(1);
                let Some(fate) = fate else { return };
                &mut deeds.fates[*fate as usize]
            }
            What::IncantationEnded { success: true, .. } => &mut deeds.won,
            What::IncantationEnded { success: false, .. } => &mut deeds.failed,
            What::Broadcast(..) => &mut deeds.broadcasts,
            What::Ejected { .. } => &mut deeds.pushes,
            What::EggLaid(..) => &mut deeds.eggs,
            What::Refused(..) => &mut deeds.refused,
            What::Took(_, Resource::Food) => &mut deeds.meals,
            What::Took(..) => &mut deeds.stones,
            What::Level { to, .. } => {
                deeds.reach(*to, happening.tick);
                return;
            }
            _ => return,
        };
        *count = count.saturating_add(1);
    }

    /// What the team of a player did; `None` for an unknown player.
    pub fn of<'a>(all: &'a mut Vec<Deeds>, player: PlayerId, roster: &Roster) -> Option<&'a mut Deeds> {
        let TeamIndex(team) = roster.team_of(player)?;
        if all.len() <= team {
            all.resize_with(team + 1, Deeds::default);
        }
        all.get_mut(team)
    }

    /// Notes that one of its players has that level, and returns whether it is the team's first one.
    pub fn reach(&mut self, level: Level, tick: Tick) -> bool {
        let first = &mut self.first_at[usize::from(level.get()) - 1];
        let is_news = first.is_none();
        first.get_or_insert(tick);
        is_news
    }
}

/// How strong a team is at a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Strength {
    /// Living players at each level; the first entry is level 1.
    pub levels: [u32; 8],
    /// Units of food its players carry.
    pub food: u32,
    /// Eggs that are known to be its own.
    pub eggs: u32,
}

impl Strength {
    /// How many players of the team are alive.
    pub fn alive(&self) -> u32 {
        self.levels.iter().sum()
    }

    /// The highest level that one of its living players has; 0 if none lives.
    pub fn highest(&self) -> u8 {
        (1..=8).rev().find(|&level| self.levels[usize::from(level) - 1] > 0).unwrap_or(0)
    }

    /// Living players at the highest level of the game.
    pub fn at_top(&self) -> u32 {
        self.levels[usize::from(Level::MAX.get()) - 1]
    }

    /// The levels that each of the team's best six players has risen, from 0 to 7, the most first.
    pub fn levels_risen(&self) -> [u8; WINNING_PLAYERS] {
        let mut levels = [0; WINNING_PLAYERS];
        let best = (0u8..8)
            .zip(self.levels)
            .rev()
            .flat_map(|(risen, many)| std::iter::repeat_n(risen, many as usize));
        for (place, risen) in levels.iter_mut().zip(best) {
            *place = risen;
        }
        levels
    }

    /// How far the team is on its way to victory, in thousandths: the levels that its best six players have risen, of
    /// all that they have to rise.
    pub fn progress(&self) -> u32 {
        let levels: u32 = self.levels_risen().into_iter().map(u32::from).sum();
        levels * 1_000 / (WINNING_PLAYERS as u32 * u32::from(Level::MAX.get() - 1))
    }

    /// Orders teams as the end of a match by time does: more players at 8 come first, then more at 7, and so on.
    pub fn rank(&self) -> [u32; 8] {
        let mut rank = self.levels;
        rank.reverse();
        rank
    }
}

/// How strong each team is, in the roster's order.
pub fn strengths(mirror: &Mirror, roster: &Roster) -> Vec<Strength> {
    let mut all = vec![Strength::default(); roster.teams().len()];
    for (id, player) in &mirror.players {
        let Some(team) = roster.team_of(*id).and_then(|TeamIndex(team)| all.get_mut(team)) else { continue };
        team.levels[usize::from(player.level.get()) - 1] += 1;
        team.food = team.food.saturating_add(player.inventory.get(Resource::Food));
    }
    for egg in mirror.eggs.keys() {
        if let Some(team) = roster.team_of_egg(*egg).and_then(|TeamIndex(team)| all.get_mut(team)) {
            team.eggs += 1;
        }
    }
    all
}

/// The one team that is better than all others; `None` while the first are equal or no player has risen.
pub fn leader(teams: &[Strength]) -> Option<TeamIndex> {
    let best = teams.iter().map(Strength::rank).max().filter(|rank| rank[..7].iter().any(|&n| n > 0))?;
    let mut leaders = (0..teams.len()).filter(|&team| teams[team].rank() == best);
    let first = leaders.next().map(TeamIndex);
    if leaders.next().is_some() { None } else { first }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::zappy::observer::Message;

    #[test]
    fn more_players_higher_up_rank_before_more_players() {
        let few = Strength { levels: [0, 0, 1, 0, 0, 0, 0, 0], ..Strength::default() };
        let many = Strength { levels: [9, 5, 0, 0, 0, 0, 0, 0], ..Strength::default() };
        assert!(few.rank() > many.rank());
        assert_eq!((few.highest(), many.highest(), many.alive()), (3, 2, 14));
        assert_eq!(leader(&[many, few]), Some(TeamIndex(1)));
        assert_eq!((leader(&[few, many, few]), leader(&[Strength::default()])), (None, None));
    }

    #[test]
    fn a_teams_way_is_that_of_its_best_six() {
        let of = |levels: [u32; 8]| Strength { levels, ..Strength::default() }.progress();
        assert_eq!(of([9, 0, 0, 0, 0, 0, 0, 0]), 0);
        assert_eq!(of([0, 0, 0, 0, 0, 0, 0, 6]), 1_000);
        assert_eq!(of([0, 0, 0, 0, 0, 0, 0, 20]), 1_000, "no more than the whole way");
        assert_eq!(of([5, 0, 0, 0, 0, 0, 0, 3]), 500);
        assert_eq!(of([50, 7, 0, 0, 0, 0, 0, 0]), 6 * 1_000 / 42);
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
        let expected = [Strength { levels: [0, 1, 0, 0, 0, 0, 0, 0], food: 4, eggs: 1 }];
        assert_eq!(strengths(&mirror, &roster), expected);
    }
}
