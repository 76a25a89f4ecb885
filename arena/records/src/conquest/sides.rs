//! Who stands where: the sides of a match, which of them leads, and the ranks as the rules give them.
//!
//! Reads the world as observers know it. Tested with `story` and `tables`.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use zappy_protocol::conquest::mirror::{Mirror, MirrorFaction};
use zappy_protocol::conquest::{Edition, FactionId};
use zappy_protocol::text::{listed, shown};

/// All factions by their numbers.
pub(super) fn factions(mirror: &Mirror) -> impl Iterator<Item = (FactionId, &MirrorFaction)> {
    (0..=u8::MAX).map(FactionId).zip(&mirror.factions)
}

/// A faction's name, as people read it.
pub(super) fn name(mirror: &Mirror, faction: FactionId) -> String {
    mirror.name(faction).map_or_else(|| "no faction".to_owned(), |name| shown(name.as_str().as_bytes()))
}

/// The members' names in a sentence, and whether they are several.
pub(super) fn named(mirror: &Mirror, members: &[FactionId]) -> (String, bool) {
    let names: Vec<String> = members.iter().map(|one| name(mirror, *one)).collect();
    (listed(&names), names.len() > 1)
}

/// The one of several that alone has the most.
fn alone<T>(all: impl Iterator<Item = (i64, T)>) -> Option<T> {
    let mut all: Vec<(i64, T)> = all.collect();
    all.sort_by_key(|(has, _)| Reverse(*has));
    let first = matches!(&all[..], [(most, _), (next, _), ..] if next < most);
    all.into_iter().next().filter(|_| first).map(|(_, one)| one)
}

/// The living faction that alone has the highest score; and where land decides, too, the side that alone has the most land.
pub(super) fn leaders(mirror: &Mirror) -> (Option<FactionId>, Option<Vec<FactionId>>) {
    let living = || factions(mirror).filter(|(_, known)| known.alive);
    let score = alone(living().map(|(one, known)| (known.holdings.score, one)));
    if mirror.options.as_ref().is_none_or(|options| options.rules != Edition::Arena) {
        return (score, None);
    }
    let mut sides: BTreeMap<Vec<FactionId>, i64> = BTreeMap::new();
    for (one, known) in living() {
        *sides.entry(mirror.side(one)).or_default() += i64::from(known.holdings.land);
    }
    (score, alone(sides.into_iter().map(|(side, land)| (land, side))))
}

/// All factions, the best first, with their ranks as the rules give them: the winners, the other survivors, then by score, land,
/// and the later of the turns in which each was `beaten`. Equals share a rank.
pub(super) fn ranks(mirror: &Mirror, beaten: &BTreeMap<FactionId, u32>) -> Vec<(usize, FactionId)> {
    let key = |one: FactionId, known: &MirrorFaction| {
        if mirror.winners.contains(&one) {
            return (2, 0, 0, None);
        }
        let has = known.holdings;
        let fell = beaten.get(&one).copied().filter(|_| !known.alive);
        (u8::from(known.alive), has.score, has.land, fell)
    };
    let mut order: Vec<_> = factions(mirror).map(|(one, known)| (key(one, known), one)).collect();
    order.sort_by_key(|(key, _)| Reverse(*key));
    let rank = |key| order.iter().position(|(other, _)| *other == key).unwrap_or_default() + 1;
    order.iter().map(|(key, one)| (rank(*key), *one)).collect()
}
