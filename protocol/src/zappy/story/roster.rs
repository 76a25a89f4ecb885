//! What messages have said so far of players, eggs and teams, kept also after these are gone.
//!
//! Numbers of players and eggs are never used again, so the team of a player and the layer of an egg are known at any
//! later tick. Grows by one small entry per player and egg, up to a limit that no real match comes near. Tested in this
//! module.

use std::collections::BTreeMap;

use crate::types::{TeamName, Tick};
use crate::zappy::observer::Message;
use crate::zappy::{EggId, Level, PlayerId};

/// The most players, and the most eggs, that are noted.
const MOST_LIVES: usize = 500_000;
/// The most teams that are noted; players of further teams count as those of the last team.
const MOST_TEAMS: usize = 1_000;

/// A team's index in the order in which messages first named the teams, from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct TeamIndex(pub usize);

/// What is known of a player, also after its end. Its team and first tick never change; its level and its end are the
/// latest that a message gave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Life {
    pub team: TeamIndex,
    /// The tick of the first message about the player.
    pub from: Tick,
    /// The tick at which the player died or left; `None` while it lives.
    pub until: Option<Tick>,
    /// The last level that a message gave it.
    pub level: Level,
}

/// The teams, all players that were ever named, and the layer of each egg.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Roster {
    teams: Vec<TeamName>,
    players: BTreeMap<PlayerId, Life>,
    layers: BTreeMap<EggId, PlayerId>,
}

impl Roster {
    /// A roster that no message has reached yet.
    pub fn new() -> Roster {
        Roster::default()
    }

    /// Takes in one message of that tick; most messages change nothing here.
    pub fn apply(&mut self, tick: Tick, message: &Message) {
        match message {
            Message::Team(team) => {
                self.index_or_add(team);
            }
            Message::PlayerJoined { player, team, level, .. } => {
                let team = self.index_or_add(team);
                if self.players.len() < MOST_LIVES || self.players.contains_key(player) {
                    let life = Life { team, from: tick, until: None, level: *level };
                    self.players.entry(*player).or_insert(life).level = *level;
                }
            }
            Message::PlayerLevel { player, level } => {
                if let Some(life) = self.players.get_mut(player) {
                    life.level = *level;
                }
            }
            Message::Died(player) => {
                if let Some(life) = self.players.get_mut(player) {
                    life.until = Some(tick);
                }
            }
            Message::EggLaid { egg, layer: Some(layer), .. } if self.layers.len() < MOST_LIVES => {
                self.layers.insert(*egg, *layer);
            }
            _ => {}
        }
    }

    /// The index of that team, which is added if it is new; beyond [`MOST_TEAMS`] the index of the last one.
    fn index_or_add(&mut self, team: &TeamName) -> TeamIndex {
        self.team(team).unwrap_or_else(|| {
            if self.teams.len() < MOST_TEAMS {
                self.teams.push(team.clone());
            }
            TeamIndex(self.teams.len() - 1)
        })
    }

    /// The teams in the order in which messages first named them.
    pub fn teams(&self) -> &[TeamName] {
        &self.teams
    }

    /// The index of the team of that name.
    pub fn team(&self, name: &TeamName) -> Option<TeamIndex> {
        self.teams.iter().position(|known| known == name).map(TeamIndex)
    }

    /// A team's name; `–` if the roster has no such team.
    pub fn name(&self, team: TeamIndex) -> &str {
        self.teams.get(team.0).map_or("–", TeamName::as_str)
    }

    /// What is known of a player.
    pub fn life(&self, player: PlayerId) -> Option<&Life> {
        self.players.get(&player)
    }

    pub fn team_of(&self, player: PlayerId) -> Option<TeamIndex> {
        self.life(player).map(|life| life.team)
    }

    /// The player that laid an egg, if a message named it.
    pub fn layer_of(&self, egg: EggId) -> Option<PlayerId> {
        self.layers.get(&egg).copied()
    }

    /// The team of an egg: its layer's. No message names the layer of an egg that was there from the start.
    pub fn team_of_egg(&self, egg: EggId) -> Option<TeamIndex> {
        self.layer_of(egg).and_then(|layer| self.team_of(layer))
    }

    /// All players that messages have ever named, in the order of their numbers.
    pub fn lives(&self) -> impl DoubleEndedIterator<Item = (PlayerId, &Life)> {
        self.players.iter().map(|(player, life)| (*player, life))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn teams_and_layers_outlive_their_players() {
        let mut roster = Roster::new();
        for (tick, line) in [
            (0, "tna red"),
            (0, "tna blue"),
            (1, "pnw #4 0 0 1 1 blue"),
            (9, "enw #7 #4 0 0"),
            (12, "pdi #4"),
        ] {
            roster.apply(tick, &Message::parse(line.as_bytes()).unwrap());
        }
        // A snapshot names no layer.
        roster.apply(20, &Message::parse(b"enw #7 #-1 0 0").unwrap());
        assert_eq!(roster.team_of_egg(EggId(7)).map(|team| roster.name(team)), Some("blue"));
        let life = Life { team: TeamIndex(1), from: 1, until: Some(12), level: Level::MIN };
        assert_eq!(roster.life(PlayerId(4)), Some(&life));
    }

    #[test]
    fn a_team_that_was_never_announced_is_taken_in_with_its_first_player() {
        let mut roster = Roster::new();
        roster.apply(3, &Message::parse(b"pnw 1 0 0 1 1 green").unwrap());
        assert_eq!(roster.team_of(PlayerId(1)).map(|team| roster.name(team)), Some("green"));
        assert_eq!(roster.name(TeamIndex(9)), "–");
        roster.apply(9, &Message::parse(b"seg nobody").unwrap());
        assert_eq!(roster.teams().len(), 1, "a name that wins and never played is no team");
    }
}
