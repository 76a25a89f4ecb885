//! What happened in a match, said once: the unit of the story, as text or as JSON.
//!
//! Made by `story`, in the words of the game and without any of people's.

use zappy_protocol::zappy::{EggId, PlayerId, Resource};
use zappy_protocol::{Position, Text, Tick};

/// A team's place in the header.
pub type TeamIndex = usize;

/// Something that happened at a tick.
#[derive(Debug, Clone)]
pub struct Happening {
    /// When, in ticks.
    pub tick: Tick,
    /// What.
    pub what: What,
}

/// How a player ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fate {
    /// It had no food left.
    Starved,
    /// Its client ended or its connection is gone.
    Left,
    /// The console did it.
    Killed,
    /// The server ended it for another reason.
    Expelled,
}

/// The reason with which a match's end closes every connection: nobody's fate.
pub const MATCH_OVER: &str = "the match is over";

impl Fate {
    /// How somebody ended whose connection the server closed with this reason.
    #[must_use]
    pub fn of_reason(words: &str) -> Fate {
        match words {
            "it starved" => Fate::Starved,
            "its client left" => Fate::Left,
            "the console killed it" => Fate::Killed,
            _ => Fate::Expelled,
        }
    }

    /// The word for it, in JSON too.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Fate::Starved => "starved",
            Fate::Left => "left",
            Fate::Killed => "killed",
            Fate::Expelled => "expelled",
        }
    }
}

/// What happened.
#[derive(Debug, Clone)]
pub enum What {
    /// A player came in.
    Joined { player: PlayerId, team: TeamIndex, at: Option<Position> },
    /// A player died or left.
    Gone { player: PlayerId, team: TeamIndex, level: u8, fate: Fate, why: Option<String> },
    /// A player's level changed.
    Level { player: PlayerId, team: TeamIndex, from: u8, to: u8 },
    /// A team has a player of this level for the first time; the end of a rite may say so, too.
    First { team: TeamIndex, level: u8, player: PlayerId, by_rite: bool },
    /// An incantation began, for this level.
    RiteBegan { team: Option<TeamIndex>, at: Position, to: u8, players: Vec<PlayerId> },
    /// An incantation ended.
    RiteEnded(Box<Rite>),
    /// Another team leads; nobody while the first are equal.
    Lead { team: Option<TeamIndex>, levels: [u32; 8] },
    /// A player pushed others off its tile.
    Pushed { player: PlayerId, at: Option<Position>, victims: Vec<PlayerId>, out_of_rite: bool },
    /// An egg lies on the map.
    EggLaid { egg: EggId, layer: Option<PlayerId>, at: Position },
    /// A player came out of an egg.
    EggHatched { egg: EggId, layer: Option<PlayerId> },
    /// An egg was destroyed.
    EggLost { egg: EggId, layer: Option<PlayerId> },
    /// A player said something to everybody.
    Said { player: PlayerId, text: Text },
    /// A player was refused something.
    Refused { player: PlayerId, why: String },
    /// A player's line was not even taken.
    Dropped { player: PlayerId, why: String },
    /// A player's line was too long.
    TooLong { player: PlayerId },
    /// A player picked one unit up.
    Took { player: PlayerId, resource: Resource },
    /// A player put one unit down.
    Put { player: PlayerId, resource: Resource },
    /// The operator said something.
    Console { line: String },
    /// The server said something to observers.
    Server { text: Text },
    /// The match ended.
    End { reason: String, winner: Option<String> },
}

/// An incantation that ended.
#[derive(Debug, Clone)]
pub struct Rite {
    /// Whose: the initiator's team.
    pub team: Option<TeamIndex>,
    /// Where.
    pub at: Position,
    /// The level it was for; unknown if its beginning isn't told.
    pub to: Option<u8>,
    /// Who took part, the initiator first.
    pub players: Vec<PlayerId>,
    /// When it began, in ticks.
    pub began: Option<Tick>,
    /// Whether its players rose.
    pub success: bool,
    /// Why not.
    pub why: Option<String>,
    /// Teams that had nobody of this level before.
    pub first_of: Vec<TeamIndex>,
}
