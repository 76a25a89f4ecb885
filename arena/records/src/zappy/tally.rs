//! Counts of what came from players and how it was answered, which records hold beyond the messages to observers.
//!
//! Grows by one small entry per player. Tested in `arena/cli/tests/records/`.

use std::collections::BTreeMap;

use zappy_protocol::record::Header;
use zappy_protocol::zappy::observer::Message;
use zappy_protocol::zappy::story::{Deeds, Fate, Happening, Roster, TeamIndex, What};
use zappy_protocol::zappy::{Level, PlayerId};
use zappy_protocol::{Position, TeamName};

/// The most different reasons that are counted per team; all others count as one.
const MOST_REASONS: usize = 200;

/// Lines that came in, from one player or from a team.
#[derive(Debug, Clone, Copy, Default)]
pub struct Lines {
    pub lines: u64,
    pub refused: u64,
    /// Lines that the game dropped.
    pub dropped: u64,
}

/// What came from a team.
#[derive(Debug, Clone, Default)]
pub struct TeamTally {
    pub lines: Lines,
    reasons: BTreeMap<String, u64>,
}

/// What came from a player, and how it ended.
#[derive(Debug, Clone, Copy, Default)]
pub struct PlayerTally {
    pub lines: Lines,
    /// How the player ended, if it did.
    pub fate: Option<Fate>,
}

/// What teams and players did in all.
#[derive(Debug, Clone, Default)]
pub struct RecordTally {
    /// The teams in the header's order, and their players.
    pub roster: Roster,
    deeds: Vec<Deeds>,
    teams: BTreeMap<TeamIndex, TeamTally>,
    players: BTreeMap<PlayerId, PlayerTally>,
}

impl TeamTally {
    /// The reasons of refusals, the most frequent first.
    pub fn ranked_reasons(&self) -> Vec<(&str, u64)> {
        let mut reasons: Vec<_> = self.reasons.iter().map(|(why, &count)| (why.as_str(), count)).collect();
        reasons.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
        reasons
    }
}

/// The message that a player has joined, made of its admission alone: place and direction are made up.
pub fn joined(player: PlayerId, team: TeamName) -> Message {
    let orientation = zappy_protocol::zappy::Orientation::North;
    Message::PlayerJoined { player, at: Position::default(), orientation, level: Level::MIN, team }
}

impl RecordTally {
    /// The teams of that header, without any player.
    pub fn new(header: &Header) -> RecordTally {
        let mut tally = RecordTally::default();
        header.teams.iter().for_each(|team| tally.roster.apply(0, &Message::Team(team.clone())));
        tally
    }

    pub fn deeds(&self, team: TeamIndex) -> Deeds {
        self.deeds.get(team.0).cloned().unwrap_or_default()
    }

    /// What came from a team.
    pub fn team(&self, team: TeamIndex) -> TeamTally {
        self.teams.get(&team).cloned().unwrap_or_default()
    }

    /// What came from a player.
    pub fn player(&self, player: PlayerId) -> PlayerTally {
        self.players.get(&player).copied().unwrap_or_default()
    }

    /// The players of a team with refused commands: the number of refusals and the player, the most refusals first.
    pub fn most_refused(&self, team: &str) -> Vec<(u64, PlayerId)> {
        let members = self.roster.lives().filter(|(_, life)| self.roster.name(life.team) == team);
        let refused = members.map(|(player, _)| (self.player(player).lines.refused, player));
        let mut players: Vec<_> = refused.filter(|(refused, _)| *refused > 0).collect();
        players.sort_by_key(|&(refused, player)| (std::cmp::Reverse(refused), player));
        players
    }

    /// Counts a happening. If a player rose by it to a level as the first of its team, gives the team, the player and
    /// the level.
    pub fn count(&mut self, happening: &Happening) -> Option<(TeamIndex, PlayerId, Level)> {
        let mut first = None;
        let (Happening { tick, what, .. }, roster) = (happening, &self.roster);
        if let What::Joined(player) | What::Level { player, .. } = what
            && let Some(life) = roster.life(*player)
        {
            if self.deeds.len() <= life.team.0 {
                self.deeds.resize_with(life.team.0 + 1, Deeds::default);
            }
            let deeds = &mut self.deeds[life.team.0];
            match what {
                What::Level { to, .. } if deeds.reach(*to, *tick) => first = Some((life.team, *player, *to)),
                What::Level { .. } => {}
                _ => drop(deeds.reach(life.level, *tick)),
            }
        }
        Deeds::count(&mut self.deeds, happening, roster);
        if let What::Gone { player, fate: Some(fate), .. } = what {
            self.note_fate(*player, *fate);
        }
        first
    }

    /// Notes how a player ended.
    pub fn note_fate(&mut self, player: PlayerId, fate: Fate) {
        if self.roster.life(player).is_some() {
            self.players.entry(player).or_default().fate = Some(fate);
        }
    }

    /// Counts lines that came from a player.
    pub fn add_lines(&mut self, player: PlayerId, count: u32) {
        self.change_lines(player, |lines| lines.lines += u64::from(count));
    }

    /// Counts a refused command of a player, and its reason.
    pub fn refuse(&mut self, player: PlayerId, why: &str) {
        let Some(team) = self.change_lines(player, |lines| lines.refused += 1) else { return };
        let reasons = &mut team.reasons;
        let why =
            if reasons.contains_key(why) || reasons.len() < MOST_REASONS { why } else { "other reasons" };
        *reasons.entry(why.to_owned()).or_default() += 1;
    }

    /// Counts lines of a player that the game dropped.
    pub fn drop_lines(&mut self, player: PlayerId, count: u32) {
        self.change_lines(player, |lines| lines.dropped += u64::from(count));
    }

    fn change_lines(&mut self, player: PlayerId, change: impl Fn(&mut Lines)) -> Option<&mut TeamTally> {
        let team = self.roster.team_of(player)?;
        change(&mut self.players.entry(player).or_default().lines);
        let team = self.teams.entry(team).or_default();
        change(&mut team.lines);
        Some(team)
    }
}
