//! One thing that happened in a match: what stories list, feeds show and tables count.
//!
//! Holds what was known at that moment, so that nothing but names has to be looked up later. Tested through `story`.

use super::roster::{Roster, TeamIndex};
use crate::types::{Position, TeamName, Text, Tick};
use crate::zappy::mirror::MirrorPlayer;
use crate::zappy::{EggId, Level, PlayerId, Resource};

/// Something that happened at a tick.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Happening {
    pub tick: Tick,
    /// Where it happened, if it has a place.
    pub at: Option<Position>,
    pub what: What,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fate {
    /// It had no food left.
    Starved,
    /// Its client ended or its connection is gone.
    Left,
    Killed,
    /// The server disconnected its client: for another reason, or for one that isn't known.
    Disconnected,
}

impl Fate {
    pub const ALL: [Fate; 4] = [Fate::Starved, Fate::Left, Fate::Killed, Fate::Disconnected];

    pub const fn name(self) -> &'static str {
        ["starved", "left", "killed", "expelled"][self as usize]
    }

    /// How a player ended, by the reason with which the server closed its connection.
    pub fn of_reason(words: &str) -> Fate {
        match words {
            "it starved" => Fate::Starved,
            "its client left" => Fate::Left,
            "the console killed it" => Fate::Killed,
            _ => Fate::Disconnected,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    Joined(PlayerId),
    /// A player died or left.
    Gone {
        player: PlayerId,
        /// The player as it was before.
        last: Box<MirrorPlayer>,
        /// How it ended, as far as it is known: from messages alone only that a player without food starved.
        fate: Option<Fate>,
        /// The reason in the server's words, if the record has it.
        why: Option<String>,
    },
    Level {
        player: PlayerId,
        from: Level,
        to: Level,
    },
    /// A team has a player of this level for the first time.
    First {
        team: TeamIndex,
        level: Level,
        player: PlayerId,
        /// Whether an [`IncantationEnded`](What::IncantationEnded) of the same tick has the team in `first_of`, so that
        /// the level need not be listed twice.
        by_incantation: bool,
    },
    IncantationBegan {
        /// The level its players have.
        level: Level,
        /// The participants, the initiator first.
        players: Vec<PlayerId>,
    },
    IncantationEnded {
        /// The level its players had; `None` if there was no message about its beginning.
        level: Option<Level>,
        /// The participants, the initiator first; empty if there was no message about its beginning.
        players: Vec<PlayerId>,
        /// When it began, in ticks, if the reader saw it begin.
        began: Option<Tick>,
        success: bool,
        /// Why it failed, if the record says so.
        why: Option<String>,
        /// The teams that reached its level for the first time.
        first_of: Vec<TeamIndex>,
    },
    /// Another team leads; `None` while several teams are equally far. The levels are those of the teams in front.
    Lead {
        team: Option<TeamIndex>,
        /// Living players at each level; the first entry is level 1.
        levels: [u32; 8],
    },
    /// A player said something to all others.
    Broadcast(PlayerId, Text),
    /// A player pushed the others off its tile.
    Ejected {
        player: PlayerId,
        /// The players that were moved by it, as far as they are known.
        victims: Vec<PlayerId>,
        /// Whether one of them took part in an incantation there.
        out_of_incantation: bool,
    },
    /// A player began to lay an egg.
    Laying(PlayerId),
    /// An egg lies on the map; with the player that laid it, if the messages name one.
    EggLaid(EggId, Option<PlayerId>),
    /// A player came out of an egg, or is about to.
    EggHatched(EggId),
    EggDestroyed(EggId),
    /// A player picked one unit up.
    Took(PlayerId, Resource),
    /// A player put one unit down.
    Dropped(PlayerId, Resource),
    /// A player's command was answered `ko`, with the reason.
    Refused(PlayerId, String),
    /// The game dropped this many lines of a player in a row, with the reason.
    Ignored(PlayerId, u32, String),
    /// A player's line was too long.
    TooLong(PlayerId),
    /// The operator's line at the console.
    Console(String),
    /// The server runs at another frequency, in ticks per second.
    Rate(u32),
    /// A text of the server to all observers.
    ServerMessage(Text),
    Won(TeamName),
    /// The match ended, with the record's word for the reason, and the winner; `None`: no team has won.
    Ended(String, Option<String>),
}

impl What {
    /// The player that did it or that it happened to: of several players the first one.
    pub fn player(&self) -> Option<PlayerId> {
        match self {
            What::Joined(player)
            | What::Gone { player, .. }
            | What::Level { player, .. }
            | What::First { player, .. }
            | What::Broadcast(player, _)
            | What::Ejected { player, .. }
            | What::Laying(player)
            | What::Took(player, _)
            | What::Dropped(player, _)
            | What::Refused(player, _)
            | What::Ignored(player, ..)
            | What::TooLong(player) => Some(*player),
            What::IncantationBegan { players, .. } | What::IncantationEnded { players, .. } => {
                players.first().copied()
            }
            What::EggLaid(_, laid_by) => *laid_by,
            _ => None,
        }
    }

    /// The team that the happening is about.
    pub fn team(&self, roster: &Roster) -> Option<TeamIndex> {
        match self {
            What::Won(team) => roster.team(team),
            What::First { team, .. } => Some(*team),
            What::Lead { team, .. } => *team,
            What::EggLaid(egg, _) | What::EggHatched(egg) | What::EggDestroyed(egg) => {
                roster.team_of_egg(*egg)
            }
            _ => self.player().and_then(|player| roster.team_of(player)),
        }
    }

    /// Whether the player has a part in the happening.
    pub fn concerns(&self, player: PlayerId) -> bool {
        match self {
            What::IncantationBegan { players, .. } | What::IncantationEnded { players, .. } => {
                players.contains(&player)
            }
            What::Ejected { player: ejector, victims, .. } => *ejector == player || victims.contains(&player),
            _ => self.player() == Some(player),
        }
    }
}
