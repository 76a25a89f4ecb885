//! What teams and players did in all: numbers alone.
//!
//! Grows by one small entry per player, up to a limit that no real match comes near. Tested in `tests/records/`.

use std::collections::BTreeMap;

use zappy_protocol::Tick;
use zappy_protocol::zappy::PlayerId;

use super::happening::{Fate, TeamIndex};

/// Players that are noted at most.
pub const MOST_PLAYERS: usize = 500_000;
/// Different reasons that are counted per team; all others are one.
const MOST_REASONS: usize = 200;

/// What a team did.
#[derive(Debug, Clone, Default)]
pub struct Team {
    /// Its name.
    pub name: String,
    /// Living players at each level; the first entry is level 1.
    pub levels: [u32; 8],
    /// Players that came in.
    pub joined: u32,
    /// Players that ended, each way.
    pub gone: BTreeMap<Fate, u32>,
    /// Incantations it began that succeeded.
    pub rites_won: u32,
    /// Incantations it began that failed.
    pub rites_failed: u32,
    /// Eggs its players laid.
    pub eggs: u32,
    /// Pushes.
    pub pushes: u32,
    /// Broadcasts.
    pub broadcasts: u32,
    /// Lines that came from it.
    pub lines: u64,
    /// Refusals.
    pub refused: u64,
    /// Lines that were not taken.
    pub dropped: u64,
    /// Why, and how often.
    pub reasons: BTreeMap<String, u64>,
    /// The tick at which one of it first had a level; the first entry is level 1.
    pub first_at: [Option<Tick>; 8],
}

/// What a player did.
#[derive(Debug, Clone, Copy)]
pub struct Player {
    /// Its team.
    pub team: TeamIndex,
    /// Its level, the last one if it is gone.
    pub level: u8,
    /// When it joined, in ticks.
    pub joined: Tick,
    /// When and how it ended.
    pub ended: Option<(Tick, Fate)>,
    /// Lines that came from it.
    pub lines: u64,
    /// Refusals.
    pub refused: u64,
    /// Lines that were not taken.
    pub dropped: u64,
}

/// What all of them did.
#[derive(Debug, Clone, Default)]
pub struct Tally {
    /// The teams in the header's order.
    pub teams: Vec<Team>,
    /// Everybody who joined.
    pub players: BTreeMap<PlayerId, Player>,
}

impl Team {
    /// Living players.
    #[must_use]
    pub fn alive(&self) -> u32 {
        self.levels.iter().sum()
    }

    /// Orders teams as the end of a match by time does: who has more players at 8, then at 7, and so on.
    #[must_use]
    pub fn rank(&self) -> [u32; 8] {
        let mut rank = self.levels;
        rank.reverse();
        rank
    }

    /// The reasons, the most frequent first.
    #[must_use]
    pub fn ranked_reasons(&self) -> Vec<(&str, u64)> {
        let mut reasons: Vec<_> = self.reasons.iter().map(|(why, &count)| (why.as_str(), count)).collect();
        reasons.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
        reasons
    }

    fn count_reason(&mut self, why: &str) {
        let full = self.reasons.len() >= MOST_REASONS;
        if let Some(count) = self.reasons.get_mut(why) {
            *count += 1;
        } else {
            let why = if full { "other reasons" } else { why };
            *self.reasons.entry(why.to_owned()).or_default() += 1;
        }
    }
}

impl Tally {
    /// Nobody did anything yet.
    #[must_use]
    pub fn new(names: impl Iterator<Item = String>) -> Tally {
        let teams = names.map(|name| Team { name, ..Team::default() }).collect();
        Tally { teams, players: BTreeMap::new() }
    }

    /// The team of a player that is known.
    #[must_use]
    pub fn team_of(&self, player: PlayerId) -> Option<TeamIndex> {
        self.players.get(&player).map(|known| known.team)
    }

    /// The team of that name.
    #[must_use]
    pub fn index(&self, name: &str) -> Option<TeamIndex> {
        self.teams.iter().position(|team| team.name == name)
    }

    /// A player came in; not if it is known, or if there are too many.
    pub fn join(&mut self, tick: Tick, player: PlayerId, team: TeamIndex, level: u8) -> bool {
        if self.players.len() >= MOST_PLAYERS
            || self.players.contains_key(&player)
            || team >= self.teams.len()
        {
            return false;
        }
        let (joined, ended) = (tick, None);
        self.players.insert(player, Player { team, level, joined, ended, lines: 0, refused: 0, dropped: 0 });
        self.teams[team].joined += 1;
        self.teams[team].levels[place(level)] += 1;
        true
    }

    /// A player that lived is gone; which team's, and of which level, it was.
    pub fn end(&mut self, tick: Tick, player: PlayerId, fate: Fate) -> Option<(TeamIndex, u8)> {
        let known = self.players.get_mut(&player).filter(|known| known.ended.is_none())?;
        known.ended = Some((tick, fate));
        let team = &mut self.teams[known.team];
        let living = &mut team.levels[place(known.level)];
        *living = living.saturating_sub(1);
        *team.gone.entry(fate).or_default() += 1;
        Some((known.team, known.level))
    }

    /// How a player ended is known better now.
    pub fn correct(&mut self, player: PlayerId, fate: Fate) {
        let Some(known) = self.players.get_mut(&player) else { return };
        let Some((_, was)) = known.ended.as_mut() else { return };
        let gone = &mut self.teams[known.team].gone;
        if let Some(count) = gone.get_mut(was) {
            *count = count.saturating_sub(1);
        }
        *gone.entry(fate).or_default() += 1;
        *was = fate;
    }

    /// A living player's level changed; which team's it is and what the level was.
    pub fn rise(&mut self, player: PlayerId, to: u8) -> Option<(TeamIndex, u8)> {
        let known = self.players.get_mut(&player).filter(|known| known.ended.is_none())?;
        let from = std::mem::replace(&mut known.level, to);
        let levels = &mut self.teams[known.team].levels;
        levels[place(from)] = levels[place(from)].saturating_sub(1);
        levels[place(to)] += 1;
        Some((known.team, from))
    }

    /// A line came from a player.
    pub fn line(&mut self, player: PlayerId) {
        let Some(known) = self.players.get_mut(&player) else { return };
        known.lines += 1;
        self.teams[known.team].lines += 1;
    }

    /// A player was refused something.
    pub fn refuse(&mut self, player: PlayerId, why: &str) {
        let Some(known) = self.players.get_mut(&player) else { return };
        known.refused += 1;
        self.teams[known.team].refused += 1;
        self.teams[known.team].count_reason(why);
    }

    /// A player's line was not taken.
    pub fn drop_line(&mut self, player: PlayerId) {
        let Some(known) = self.players.get_mut(&player) else { return };
        known.dropped += 1;
        self.teams[known.team].dropped += 1;
    }

    /// Notes the tick if nobody of the team had that level before, and says so.
    pub fn first(&mut self, tick: Tick, team: TeamIndex, level: u8) -> bool {
        let first = &mut self.teams[team].first_at[place(level)];
        let news = first.is_none();
        first.get_or_insert(tick);
        news
    }

    /// Who leads; nobody while the first are equal or nobody has risen: who has more players of level 1 changes with
    /// everybody who joins.
    #[must_use]
    pub fn leader(&self) -> Option<TeamIndex> {
        let best = self.teams.iter().map(Team::rank).max().filter(|rank| rank[..7].iter().any(|&n| n > 0))?;
        let mut leaders = (0..self.teams.len()).filter(|&team| self.teams[team].rank() == best);
        let first = leaders.next();
        if leaders.next().is_some() { None } else { first }
    }
}

/// A level's place in a table.
pub fn place(level: u8) -> usize {
    usize::from(level.clamp(1, 8)) - 1
}
