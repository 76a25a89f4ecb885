//! The answers to `Look` and `Inventory`, in both spellings.
//!
//! Parsing takes either spelling; printing gives the exact bytes. Tested in this module and in `tests/roundtrip.rs`.

use crate::text::{number, push_number, split_first, words};
use crate::zappy::{Inventory, Resource};

/// How lists in brackets are spelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ListStyle {
    /// `[ player food, linemate,, ]`: blanks at the brackets, none before an empty tile.
    #[default]
    Padded,
    /// `[player food, linemate, , ]`: tiles are separated by a comma and a blank.
    Joined,
}

/// What one tile of a `Look` shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sight {
    /// Players on the tile, the one that looks included.
    pub players: u32,
    pub resources: Inventory,
    /// Eggs, if the server shows them.
    pub eggs: u32,
}

impl ListStyle {
    const fn brackets(self) -> [&'static [u8]; 2] {
        match self {
            ListStyle::Padded => [b"[ ", b" ]"],
            ListStyle::Joined => [b"[", b"]"],
        }
    }

    /// Appends the answer to `Look`: `[ player food, linemate,, deraumere ]`, or `[player food, linemate, ,
    /// deraumere]`.
    pub fn write_look(self, tiles: impl Iterator<Item = Sight>, out: &mut Vec<u8>) {
        let ([open, close], padded) = (self.brackets(), self == ListStyle::Padded);
        out.extend_from_slice(open);
        for (i, tile) in tiles.enumerate() {
            if i > 0 {
                out.extend_from_slice(if padded { b"," } else { b", " });
            }
            let mut is_first = i == 0 || !padded;
            let resources = tile.resources.iter().map(|(resource, units)| (resource.name(), units));
            let names = [("player", tile.players)].into_iter().chain(resources).chain([("egg", tile.eggs)]);
            for (name, count) in names {
                for _ in 0..count {
                    if !std::mem::take(&mut is_first) {
                        out.push(b' ');
                    }
                    out.extend_from_slice(name.as_bytes());
                }
            }
        }
        out.extend_from_slice(close);
    }

    /// Appends the answer to `Inventory`: `[ food 9, linemate 0 … ]`, or `[food 9, linemate 0 …]`.
    pub fn write_inventory(self, inventory: &Inventory, out: &mut Vec<u8>) {
        let [open, close] = self.brackets();
        out.extend_from_slice(open);
        for (i, (resource, units)) in inventory.iter().enumerate() {
            if i > 0 {
                out.extend_from_slice(b", ");
            }
            out.extend_from_slice(resource.name().as_bytes());
            out.push(b' ');
            push_number(units, out);
        }
        out.extend_from_slice(close);
    }
}

/// The inventory between the brackets.
pub(super) fn read_inventory(inside: &[u8]) -> Option<Inventory> {
    let mut inventory = Inventory::default();
    for part in inside.split(|&b| b == b',') {
        let (name, units) = split_first(part);
        inventory.set(Resource::parse(name)?, number(units)?);
    }
    Some(inventory)
}

/// The tiles between the brackets.
pub(super) fn read_look(inside: &[u8]) -> Option<Vec<Sight>> {
    let sight = |part: &[u8]| {
        let mut sight = Sight::default();
        for word in words(part) {
            match word {
                b"player" => sight.players += 1,
                b"egg" => sight.eggs += 1,
                _ => sight.resources.add(Resource::parse(word)?, 1),
            }
        }
        Some(sight)
    };
    inside.split(|&b| b == b',').map(sight).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sight(players: u32, resources: [u32; 7], eggs: u32) -> Sight {
        Sight { players, resources: Inventory::new(resources), eggs }
    }

    /// Both spellings of a look, each of which is read as what was written.
    fn looks(tiles: &[Sight]) -> [String; 2] {
        [ListStyle::Padded, ListStyle::Joined].map(|style| {
            let mut out = Vec::new();
            style.write_look(tiles.iter().copied(), &mut out);
            assert_eq!(read_look(&out[1..out.len() - 1]).as_deref(), Some(tiles));
            String::from_utf8(out).unwrap()
        })
    }

    #[test]
    fn a_look_is_exact_to_the_blank() {
        let none = sight(0, [0; 7], 0);
        let alone = [sight(1, [0; 7], 0), none, none, none];
        assert_eq!(looks(&alone), ["[ player,,, ]", "[player, , , ]"]);
        let rich = [
            sight(1, [1, 0, 0, 0, 0, 0, 0], 0),
            sight(0, [0, 1, 0, 0, 0, 0, 0], 0),
            none,
            sight(0, [0, 0, 1, 0, 0, 0, 0], 0),
        ];
        let spellings = ["[ player food, linemate,, deraumere ]", "[player food, linemate, , deraumere]"];
        assert_eq!(looks(&rich), spellings);
        let eggs = [sight(2, [2, 0, 0, 0, 0, 0, 0], 1)];
        assert_eq!(looks(&eggs), ["[ player player food food egg ]", "[player player food food egg]"]);
    }

    #[test]
    fn an_inventory_is_exact_to_the_blank() {
        let inventory = Inventory::new([9, 0, 0, 0, 0, 0, 0]);
        let inside = "food 9, linemate 0, deraumere 0, sibur 0, mendiane 0, phiras 0, thystame 0";
        let spellings = [format!("[ {inside} ]"), format!("[{inside}]")];
        for (style, spelling) in [ListStyle::Padded, ListStyle::Joined].into_iter().zip(spellings) {
            let mut out = Vec::new();
            style.write_inventory(&inventory, &mut out);
            assert_eq!(String::from_utf8_lossy(&out), spelling);
            assert_eq!(read_inventory(&out[1..out.len() - 1]), Some(inventory));
        }
    }
}
