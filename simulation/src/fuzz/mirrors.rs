//! The world as an observer rebuilds it from any server's lines: no line breaks it, and its snapshot makes the same again.
//!
//! Run by `tests/corpus.rs`.

use zappy_protocol::conquest::{FactionId, mirror as land, observer as watching};
use zappy_protocol::zappy::observer;
use zappy_protocol::zappy::story::Observed;

use crate::fuzz::dialects::lines;
use crate::fuzz::lines::assert_plain;

/// Messages of Zappy's, in any order.
pub fn zappy(input: &[u8]) {
    let mut observed = Observed::new();
    for (message, tick) in lines(input).filter_map(|line| observer::Message::parse(line).ok()).zip(0..) {
        if let Some(misfit) = observed.apply(tick / 4, &message, &[]).misfit {
            assert_plain(&misfit);
        }
    }
    let mut mirror = observed.mirror().clone();
    // A snapshot has the running incantations, but not since when they run.
    mirror.incantations.iter_mut().for_each(|running| running.began = None);
    let again = Observed::restored(observed.tick(), &mirror.snapshot());
    assert_eq!(again.mirror(), &mirror, "a snapshot makes another mirror");
}

/// Messages of conquest's, in any order.
pub fn conquest(input: &[u8]) {
    let mut mirror = land::Mirror::new();
    for message in lines(input).filter_map(|line| watching::Message::parse(line).ok()) {
        if let Err(misfit) = mirror.apply(&message) {
            assert_plain(&misfit);
        }
    }
    let snapshot = mirror.snapshot();
    // While a snapshot is under way its map knows factions of the one before.
    let known = |faction: &FactionId| faction.index() < mirror.factions.len();
    let owners = mirror.tiles.iter().filter_map(|tile| tile.owner.as_ref());
    if !owners.chain(&mirror.acting).chain(&mirror.winners).all(known) {
        return;
    }
    let mut again = land::Mirror::new();
    for message in &snapshot {
        again.apply(message).unwrap_or_else(|misfit| panic!("{misfit}: {message:?}"));
    }
    assert_eq!(again, mirror, "a snapshot makes another mirror");
}
