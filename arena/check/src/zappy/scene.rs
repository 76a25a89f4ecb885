//! The scenes: what surrounds a bot, and what is done to it there.
//!
//! Data only; the stage plays it and `inject` does what is done. Tested in `arena/cli/tests/check.rs`.

use std::time::Duration;

use zappy_protocol::Tick;
use zappy_protocol::zappy::player::Response;

use super::doing::{NOT_UTF8, long_text};

use crate::scene::{Enough, ORDINARY, Role, Terms};
use crate::wire::Manner;

/// What is done to a bot while it plays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Injected {
    None,
    /// A player shouts while the bot waits for an answer.
    Shouts,
    /// A player shouts whenever the bot's answer is about to go, so that both go together.
    ShoutsAlong,
    /// A player shouts a great deal whenever the bot's answer is about to go.
    Bursts,
    /// A player shouts bytes that are no UTF-8.
    ShoutsBytes,
    /// A player shouts as long a text as there can be.
    ShoutsLong,
    /// A player stands on the bot's tile and pushes.
    Pushes,
    /// What the bot saw is gone when it comes to take it.
    Refuses,
    /// Time stands still, so that the bot has to wait for its answer.
    Delays,
    /// Something lies ahead to its left or right, and nowhere else.
    Tempts,
    /// It is called from a tile, again and again.
    Calls,
    /// It carries more food than one digit tells, and less.
    Fills,
    /// The stones of its own incantation vanish.
    TakesStones,
    /// Others' incantations take it along, and fail.
    Freezes,
    /// Others' incantations take it along, and raise it.
    Raises,
    Kills,
    /// The server closes the connection.
    Closes,
    /// The connection ends in the middle of a line.
    Breaks,
}

#[derive(Debug, Clone, Copy)]
pub struct Scene {
    /// A side of the map.
    pub side: u16,
    /// Slots of the bot's team.
    pub slots: u32,
    /// What the frame needs to know.
    pub terms: Terms,
    /// Ticks at the most.
    pub ticks: Tick,
    pub enough: Enough,
    pub injected: Injected,
    /// Players of other teams, which do nothing by themselves.
    pub others: u32,
    /// Units of food and of linemate on each tile; none: as the rules have it.
    pub ground: Option<(u32, u32)>,
    /// Whether eggs lie about and are seen.
    pub eggs: bool,
    /// Food that the bot carries at the start; none: as the rules have it, and it may starve.
    pub food: Option<u32>,
    pub hunger: bool,
    /// The level to which others' incantations raise it before anything else is done.
    pub level: u8,
    /// Tells whether a line that the bot is sent is one that the scene is about.
    pub counts: fn(&Response, &[u8]) -> bool,
}

fn nothing(_: &Response, _: &[u8]) -> bool {
    false
}

/// A `Look` without anything in it.
fn is_bare(response: &Response, _: &[u8]) -> bool {
    matches!(response, Response::Look(tiles) if tiles.iter().all(|tile| tile.resources.iter().all(|(_, n)| n == 0)))
}

fn is_long_look(response: &Response, line: &[u8]) -> bool {
    matches!(response, Response::Look(_)) && line.len() > BUFFER
}

fn has_eggs(response: &Response, _: &[u8]) -> bool {
    matches!(response, Response::Look(tiles) if tiles.iter().any(|tile| tile.eggs > 0))
}

fn is_push(response: &Response, _: &[u8]) -> bool {
    matches!(response, Response::Eject(_))
}

/// A message that is no UTF-8, or as long as can be.
fn is_odd(response: &Response, line: &[u8]) -> bool {
    matches!(response, Response::Message { .. }) && (line.ends_with(NOT_UTF8) || line.ends_with(&long_text()))
}

/// Bytes of the buffer that many programs read lines into.
const BUFFER: usize = 4096;
/// Baits of a row that a bot gets, unless it comes to a right one sooner.
pub const BAITS: usize = 8;
/// How long the scene with rivals may take once the bot is in, in time in which the bot could run.
const RIVALS_LIMIT: Duration = Duration::from_secs(36);
/// Commands that show that a bot goes on.
const GOES_ON: u64 = 15;

const BASE: Scene = Scene {
    side: 6,
    slots: 6,
    terms: ORDINARY,
    ticks: 1_500,
    enough: Enough::Ticks,
    injected: Injected::None,
    others: 0,
    ground: None,
    eggs: false,
    food: None,
    hunger: false,
    level: 1,
    counts: nothing,
};

pub static PLAIN: Scene =
    Scene { terms: Terms { role: Role::Ordinary, ..ORDINARY }, side: 10, ticks: 2_000, hunger: true, ..BASE };
/// The start of an ordinary match, to be played twice.
pub static AGAIN: Scene = Scene { terms: Terms { role: Role::Twice, ..ORDINARY }, ticks: 400, ..PLAIN };
/// The handshake, taking its time.
pub static LOGIN: Scene = Scene {
    terms: Terms { role: Role::Login, greeting: Duration::from_millis(300), ..ORDINARY },
    enough: Enough::Steps(4),
    ..BASE
};
/// Each line by itself, those of the handshake too.
pub static APARTNESS: Scene = Scene {
    terms: Terms { role: Role::Apart, manner: Manner::Lines(Duration::from_millis(50)), ..ORDINARY },
    enough: Enough::Steps(10),
    ..BASE
};
/// Bytes one by one.
pub static SLOW: Scene =
    Scene { terms: Terms { manner: Manner::Bytes, ..ORDINARY }, enough: Enough::Steps(25), ..BASE };
/// Lines cut in the middle.
pub static SPLIT: Scene =
    Scene { terms: Terms { manner: Manner::Halves, ..ORDINARY }, enough: Enough::Steps(50), ..BASE };
/// Many lines in one packet.
pub static TOGETHER: Scene = Scene {
    terms: Terms { manner: Manner::Together, ..ORDINARY },
    injected: Injected::ShoutsAlong,
    enough: Enough::Met(10, GOES_ON),
    ..BASE
};
/// Shouts between command and answer.
pub static SHOUTS: Scene = Scene { injected: Injected::Shouts, enough: Enough::Met(12, GOES_ON), ..BASE };
/// Many shouts in one packet: more than a small buffer or a short queue holds.
pub static BURSTS: Scene = Scene { injected: Injected::Bursts, enough: Enough::Met(3, GOES_ON), ..TOGETHER };
pub static BYTES: Scene = Scene {
    injected: Injected::ShoutsBytes,
    counts: is_odd,
    others: 1,
    enough: Enough::Met(4, GOES_ON),
    ..BASE
};
pub static LONG: Scene = Scene { injected: Injected::ShoutsLong, ..BYTES };
/// Another player is always quicker. The rest of the commands shows whether the bot asks for ever.
pub static REFUSED: Scene =
    Scene { injected: Injected::Refuses, enough: Enough::Met(6, 40), ground: Some((1, 1)), ..BASE };
/// Food wherever it looks, but for two of three times another player is quicker; for longer than a full bag lasts.
pub static RIVALS: Scene = Scene {
    terms: Terms { limit: RIVALS_LIMIT, ..ORDINARY },
    ticks: 4_000,
    injected: Injected::Refuses,
    ground: Some((1, 0)),
    food: Some(9),
    hunger: true,
    ..BASE
};
pub static LATE: Scene = Scene { injected: Injected::Delays, enough: Enough::Met(2, GOES_ON), ..BASE };
/// One tile, and company on it.
pub static TINY: Scene = Scene { side: 1, others: 3, enough: Enough::Steps(40), ..BASE };
/// The last slot of the team.
pub static LAST: Scene = Scene { slots: 1, enough: Enough::Steps(10), ..BASE };
/// Pushes between command and answer.
pub static PUSHES: Scene =
    Scene { injected: Injected::Pushes, counts: is_push, others: 1, enough: Enough::Met(8, GOES_ON), ..BASE };
/// Others have taken the only slot.
pub static FULL: Scene =
    Scene { slots: 1, terms: Terms { full: true, ..ORDINARY }, enough: Enough::End, ..BASE };
/// Enough food and time to lay an egg.
pub static NURSERY: Scene =
    Scene { slots: 1, ticks: 2_500, food: Some(60), enough: Enough::Hatched, ground: Some((2, 0)), ..BASE };
/// An incantation that loses its stones.
pub static THEFT: Scene = Scene {
    injected: Injected::TakesStones,
    enough: Enough::Met(2, GOES_ON),
    ground: Some((1, 0)),
    food: Some(60),
    ..BASE
};
/// Incantations of others that fail.
pub static FREEZES: Scene =
    Scene { injected: Injected::Freezes, enough: Enough::Met(4, GOES_ON), ground: Some((1, 0)), ..BASE };
/// Incantations of others that succeed. The bot takes the last slot of its team, so that it has a reason to shout.
pub static RAISES: Scene = Scene {
    terms: Terms { role: Role::Words, ..ORDINARY },
    slots: 1,
    injected: Injected::Raises,
    others: 1,
    enough: Enough::Met(3, GOES_ON),
    ..FREEZES
};
/// Little food in the bag and much around; a player that doesn't eat is dead after a third of the scene.
pub static HUNGRY: Scene = Scene { ticks: 600, food: Some(1), hunger: true, ground: Some((2, 0)), ..BASE };
/// One thing to be had, beside the line of sight, and little food in the bag, so that it tempts.
pub static BAIT: Scene = Scene {
    side: 10,
    injected: Injected::Tempts,
    enough: Enough::Met(BAITS as u32, 0),
    ground: Some((0, 0)),
    food: Some(2),
    ..BASE
};
/// The same, in the second and third row of a player of level 3.
pub static FAR_BAIT: Scene =
    Scene { side: 14, others: 1, level: 3, ticks: 4_000, enough: Enough::Met(2 * BAITS as u32, 0), ..BAIT };
/// A mate calls, for those that come. At level 1 many have something else to do.
pub static CALLED: Scene = Scene {
    terms: Terms { role: Role::Echo, ..ORDINARY },
    side: 14,
    others: 1,
    level: 2,
    ticks: 4_000,
    injected: Injected::Calls,
    enough: Enough::Met(1, 0),
    ground: Some((0, 0)),
    food: Some(60),
    ..BASE
};
/// Food and a linemate everywhere, and a bag that holds now more food than one digit tells, now less.
pub static BAG: Scene = Scene {
    ticks: 4_000,
    injected: Injected::Fills,
    enough: Enough::Met(1, 0),
    ground: Some((1, 1)),
    food: Some(12),
    ..BASE
};
/// Death, which asks for no answer.
pub static DEATH: Scene = Scene {
    terms: Terms { asks: false, ..ORDINARY },
    injected: Injected::Kills,
    enough: Enough::End,
    ..BASE
};
/// The end of the match.
pub static CLOSING: Scene = Scene { injected: Injected::Closes, ..DEATH };
/// The connection ends in the middle of a line.
pub static CUT: Scene = Scene { injected: Injected::Breaks, ..DEATH };
/// So much on each tile that a `Look` is longer than any buffer of 4,096 bytes.
pub static CROWDED: Scene =
    Scene { side: 3, counts: is_long_look, ground: Some((700, 1)), enough: Enough::Met(3, GOES_ON), ..BASE };
pub static EMPTY: Scene =
    Scene { counts: is_bare, ground: Some((0, 0)), enough: Enough::Met(3, GOES_ON), ..BASE };
pub static EGGS: Scene =
    Scene { counts: has_eggs, side: 3, eggs: true, enough: Enough::Met(3, GOES_ON), ..BASE };
