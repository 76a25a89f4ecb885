//! The scenes of conquest: the field on which a bot plays, and what is done to it there.
//!
//! Data only; the stage plays it and `inject` does what is done. Tested in `arena/cli/tests/check.rs`.

use std::time::Duration;

use crate::scene::{Enough, ORDINARY, Role, Terms};
use crate::stage::{OTHERS, TEAM};
use crate::wire::{APART, Manner};

/// What is done to a bot while it plays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Injected {
    None,
    /// Its time is over before a byte of the snapshot has reached it.
    Late,
    /// The other faction takes its time.
    Thinks,
    /// One of its units is gone when it orders.
    Vanishes,
    /// One of its units changes sides.
    Converts,
    /// It loses its base; the match goes on without it, and ends.
    Beats,
    /// The last turn is played.
    Ends,
    /// The connection ends behind a line.
    Closes,
    /// The connection ends in the middle of a line.
    Breaks,
}

#[derive(Debug, Clone, Copy)]
pub struct Scene {
    /// What the frame needs to know.
    pub terms: Terms,
    /// The width and height of the map.
    pub sides: (u16, u16),
    /// How many factions there are; the bot's is the first.
    pub factions: usize,
    /// The options that aren't as by default.
    pub options: &'static [(&'static str, &'static str)],
    /// The operator's lines that lay it out before any faction is in, with `{bot}` and `{other}` for the names of both sides.
    pub field: &'static [&'static str],
    /// Units more of its own, in rows.
    pub army: u16,
    pub injected: Injected,
    pub enough: Enough,
}

impl Scene {
    /// The lines that lay it out.
    pub fn lines(&self) -> impl Iterator<Item = String> + use<> {
        self.field.iter().map(|line| line.replace("{bot}", TEAM).replace("{other}", OTHERS))
    }
}

/// A base with two pioneers for each side, a resource between them, and a worker of the other side in sight.
const FIELD: &[&str] = &[
    "/empty",
    "/tile 5 5 owner {bot} base on",
    "/tile 4 5 owner {bot}",
    "/tile 6 5 owner {bot}",
    "/tile 7 7 resource on",
    "/faction {bot} base 5 5",
    "/unit new {bot} pioneer 4 5 as 0",
    "/unit new {bot} pioneer 6 5 as 1",
    "/tile 13 13 owner {other} base on",
    "/faction {other} base 13 13",
    "/unit new {other} pioneer 12 13 as 2",
    "/unit new {other} worker 7 4 as 3",
];

const BASE: Scene = Scene {
    terms: ORDINARY,
    sides: (18, 18),
    factions: 2,
    options: &[],
    field: FIELD,
    army: 0,
    injected: Injected::None,
    enough: Enough::Steps(6),
};

const fn terms(role: Role) -> Terms {
    Terms { role, ..BASE.terms }
}

const fn cut(manner: Manner) -> Terms {
    Terms { manner, ..BASE.terms }
}

pub static PLAIN: Scene = Scene { terms: terms(Role::Ordinary), enough: Enough::Steps(20), ..BASE };
/// The start of an ordinary match on a drawn map, to be played twice.
pub static AGAIN: Scene = Scene { terms: terms(Role::Twice), field: &[], enough: Enough::Steps(8), ..BASE };
/// The handshake, taking its time.
pub static LOGIN: Scene = Scene {
    terms: Terms { greeting: Duration::from_millis(300), ..terms(Role::Login) },
    enough: Enough::Steps(1),
    ..BASE
};
/// An ordinary match by the real clock; each phase lasts its whole time.
pub static REAL: Scene = Scene {
    terms: Terms { real: true, ..BASE.terms },
    options: &[("turn-time", "700"), ("fixed-length", "on")],
    enough: Enough::Steps(3),
    ..BASE
};
/// Bytes one by one.
pub static SLOW: Scene = Scene { terms: cut(Manner::Bytes), enough: Enough::Steps(2), ..BASE };
/// Lines cut in the middle.
pub static SPLIT: Scene = Scene { terms: cut(Manner::Halves), enough: Enough::Steps(3), ..BASE };
pub static APARTNESS: Scene = Scene {
    terms: Terms { role: Role::Apart, ..cut(Manner::Lines(APART)) },
    enough: Enough::Steps(4),
    ..BASE
};
/// Two snapshots at once, the first of which is over.
pub static LATE: Scene = Scene { injected: Injected::Late, enough: Enough::Met(2, 3), ..BASE };
/// A match that goes on from a scenario.
pub static LATER: Scene = Scene {
    field: &[
        "/turn 37",
        "/empty",
        "/tile 5 5 owner {bot} base on",
        "/faction {bot} base 5 5",
        "/unit new {bot} pioneer 6 5 as 70",
        "/tile 13 13 owner {other} base on",
        "/faction {other} base 13 13",
    ],
    enough: Enough::Steps(4),
    ..BASE
};
/// One faction after the other.
pub static PLAYERS: Scene =
    Scene { options: &[("mode", "players")], injected: Injected::Thinks, enough: Enough::Met(2, 3), ..BASE };
/// A unit that is gone.
pub static VANISHING: Scene = Scene { injected: Injected::Vanishes, enough: Enough::Met(2, 3), ..BASE };
/// A unit that has changed sides.
pub static CONVERTED: Scene = Scene { injected: Injected::Converts, enough: Enough::Met(1, 4), ..BASE };
pub static ARMY: Scene = Scene { sides: (40, 40), army: 60, enough: Enough::Steps(3), ..BASE };
/// Neither units nor gold, and a score below nothing.
pub static POOR: Scene = Scene {
    field: &[
        "/empty",
        "/tile 5 5 owner {bot} base on",
        "/faction {bot} base 5 5 gold 0 score -500",
        "/tile 13 13 owner {other} base on",
        "/faction {other} base 13 13",
    ],
    ..BASE
};
/// Enemies of every type and state, forts, a busy base, a second one.
pub static MIXED: Scene = Scene {
    field: &[
        "/empty",
        "/tile 5 5 owner {bot} base on fort on",
        "/tile 5 6 owner {bot} base on",
        "/tile 4 5 owner {bot} fort on resource on",
        "/tile 7 5 owner {other} fort on",
        "/faction {bot} base 5 5 slot fighter 0",
        "/unit new {bot} pioneer 5 5 as 10",
        "/unit 10 state -",
        "/unit new {other} fighter 7 4 as 11",
        "/unit 11 state d",
        "/unit new {other} cleric 7 5 as 12",
        "/unit 12 state e",
        "/unit new {other} sapper 7 6 as 13",
        "/unit 13 state de",
        "/unit new {other} worker 3 4 as 14",
        "/tile 13 13 owner {other} base on",
        "/faction {other} base 13 13",
    ],
    ..BASE
};
/// A base in the corner of a map that is wider than high.
pub static CORNER: Scene = Scene {
    sides: (14, 9),
    field: &[
        "/empty",
        "/tile 13 0 owner {bot} base on",
        "/tile 12 0 owner {bot}",
        "/tile 0 0 owner {bot}",
        "/faction {bot} base 13 0",
        "/unit new {bot} pioneer 12 0 as 0",
        "/unit new {bot} pioneer 0 8 as 1",
        "/tile 6 5 owner {other} base on",
        "/faction {other} base 6 5",
    ],
    ..BASE
};
pub static CITIES: Scene = Scene { options: &[("cities", "on")], field: &[], ..BASE };
pub static DRAFT: Scene =
    Scene { options: &[("placement", "draft")], field: &[], enough: Enough::Steps(4), ..BASE };
pub static FULL: Scene = Scene { terms: Terms { full: true, ..BASE.terms }, enough: Enough::End, ..BASE };
pub static DEFEAT: Scene = Scene {
    factions: 3,
    field: &[
        "/empty",
        "/tile 5 5 owner {bot} base on",
        "/faction {bot} base 5 5",
        "/unit new {bot} pioneer 6 5 as 0",
        "/tile 13 13 owner {other} base on",
        "/faction {other} base 13 13",
        "/tile 5 13 owner green base on",
        "/faction green base 5 13",
    ],
    injected: Injected::Beats,
    enough: Enough::End,
    ..BASE
};
/// The end of the match.
pub static ENDING: Scene =
    Scene { options: &[("turns", "4")], injected: Injected::Ends, enough: Enough::End, ..BASE };
pub static LOST: Scene = Scene { injected: Injected::Closes, enough: Enough::End, ..BASE };
/// The connection ends in the middle of a line.
pub static CUT: Scene = Scene { injected: Injected::Breaks, enough: Enough::End, ..BASE };
