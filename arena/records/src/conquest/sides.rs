//! Names of factions and sides as people read them, and the ranks as the rules give them.
//!
//! Reads the world as observers know it. Tested with `story` and `tables`.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use zappy_protocol::conquest::FactionId;
use zappy_protocol::conquest::mirror::{Mirror, MirrorFaction};
use zappy_protocol::text::{listed, shown};

/// A faction's name, as people read it.
pub(super) fn name(mirror: &Mirror, faction: FactionId) -> String {
    mirror.name(faction).map_or_else(|| "no faction".to_owned(), |name| shown(name.as_str().as_bytes()))
}

/// The members' names in a sentence, and whether they are several.
pub(super) fn named(mirror: &Mirror, members: &[FactionId]) -> (String, bool) {
    let names: Vec<String> = members.iter().map(|one| name(mirror, *one)).collect();
    (listed(&names), names.len() > 1)
}

/// All factions, the best first, each with its rank as the rules give it: the winners, the other survivors, then by
/// score, by land, and by the turn in which each was `beaten`, the later the better. Equals share a rank.
pub(super) fn ranks(mirror: &Mirror, beaten: &BTreeMap<FactionId, u32>) -> Vec<(usize, FactionId)> {
    let key = |one: FactionId, known: &MirrorFaction| {
        if mirror.winners.contains(&one) {
            return (2, 0, 0, None);
        }
        let has = known.holdings;
        let fell = beaten.get(&one).copied().filter(|_| !known.alive);
        (u8::from(known.alive), has.score, has.land, fell)
    };
    let mut order: Vec<_> = mirror.numbered().map(|(one, known)| (key(one, known), one)).collect();
    order.sort_by_key(|(key, _)| Reverse(*key));
    let rank = |key| order.iter().position(|(other, _)| *other == key).unwrap_or_default() + 1;
    order.iter().map(|(key, one)| (rank(*key), *one)).collect()
}
