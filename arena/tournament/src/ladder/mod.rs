//! A ladder as a tournament: bots that are known by their names, matches that were played as the bots came, and the table that
//! comes of them.
//!
//! A ladder's folder is a tournament's; `standings` is its table as plain values, `page` the same for people. Bots run elsewhere,
//! so all that is known of one is its name. Tested in the modules and in `arena/cli/tests/ladder/`.

pub mod page;
pub mod standings;

use std::collections::{BTreeMap, BTreeSet};

use crate::bots::{Book, Bot, Limits};
use crate::identity::Id;

/// What the id of a ladder's bot is the hash for.
const PURPOSE: &str = "ladder";

/// What a bot of that name is known by.
pub fn id_of(name: &str) -> Id {
    Id::of([PURPOSE, name])
}

/// The bots of these names, in the order of the names.
pub fn book<'a>(names: impl IntoIterator<Item = &'a str>) -> Book {
    let names: BTreeSet<&str> = names.into_iter().collect();
    let bot = |name: &str| Bot {
        id: id_of(name),
        name: name.to_owned(),
        command: String::new(),
        folder: None,
        environment: BTreeMap::new(),
        processes: None,
        limits: Limits::default(),
    };
    Book { version: 1, bots: names.into_iter().map(bot).collect(), hidden: Vec::new() }
}
