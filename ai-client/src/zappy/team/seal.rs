//! What the words of a team are sealed with: only a player that knows a key can mark a word with it.
//!
//! A word has two marks. The first takes what the whole team knows: the seed that all players were given, or else
//! only the team's name. The second takes the speaker's own seed, so only *kin*, players of the same seed, can make
//! it. In a team that was given a seed all mates are kin. Keys never leave a player, and the marks and tokens that do
//! don't reveal what they were made from. Tested in this module.

use std::fmt;

use sha2::{Digest as _, Sha256};
use zappy_protocol::TeamName;

/// What is hashed first, one for each purpose, so that no key equals another key or a token.
const TEAM: &[u8] = b"zappy2 team ";
const KIN: &[u8] = b"zappy2 kin ";
const NAME: &[u8] = b"zappy2 name ";

/// The bytes of a key.
type Key = [u8; 32];

/// What a player seals its words with.
#[derive(Clone, Default)]
pub struct Seal {
    /// The key of the first mark; the whole team knows it.
    team: Key,
    /// The key of the second mark; only kin know it.
    kin: Key,
    /// Whether all mates are kin.
    pub shared: bool,
}

/// The speaker of a word, as far as its marks tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speaker {
    /// A player with the same seed.
    Kin,
    /// A player that knows the team's name: a mate, or a program that knows this source.
    Claimant,
}

impl Seal {
    /// The seal of a player with that seed; `shared` if all players of the team were given it.
    pub fn new(team: &TeamName, seed: u64, shared: bool) -> Seal {
        let name = team.as_str().as_bytes();
        let kin = hash(&[KIN, &seed.to_le_bytes(), name]);
        Seal { team: if shared { kin } else { hash(&[TEAM, name]) }, kin, shared }
    }

    /// The marks of a text.
    pub fn marks(&self, said: &str) -> String {
        format!("{}:{}", mark(&self.team, said), mark(&self.kin, said))
    }

    /// The kind of player that made these marks; `None` if no player of the team did.
    pub fn speaker(&self, said: &str, of_team: &str, of_kin: &str) -> Option<Speaker> {
        (of_team == mark(&self.team, said)).then_some(())?;
        Some(if of_kin == mark(&self.kin, said) { Speaker::Kin } else { Speaker::Claimant })
    }
}

impl fmt::Debug for Seal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Seal").field("shared", &self.shared).finish_non_exhaustive()
    }
}

/// The token of a player that drew this number by lot; it doesn't reveal the number.
pub fn token_of(drawn: u64) -> u32 {
    let [a, b, c, d, ..] = hash(&[NAME, &drawn.to_le_bytes()]);
    u32::from_le_bytes([a, b, c, d]).max(1)
}

/// 64 bits of a hash as hexadecimal digits: too many to guess, and too few to let a forger append to the hashed text.
fn mark(key: &Key, said: &str) -> String {
    let [a, b, c, d, e, f, g, h, ..] = hash(&[key, said.as_bytes()]);
    format!("{:016x}", u64::from_be_bytes([a, b, c, d, e, f, g, h]))
}

fn hash(parts: &[&[u8]]) -> Key {
    let mut hash = Sha256::new();
    parts.iter().for_each(|part| hash.update(part));
    hash.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seal(team: &str, seed: u64, shared: bool) -> Seal {
        Seal::new(&TeamName::parse(team.as_bytes()).unwrap(), seed, shared)
    }

    fn check(speaker: &Seal, listener: &Seal, expected: Option<Speaker>) {
        let marks = speaker.marks("x");
        let (of_team, of_kin) = marks.split_once(':').unwrap();
        assert_eq!(listener.speaker("x", of_team, of_kin), expected, "{speaker:?} {listener:?}");
        assert_eq!(listener.speaker("y", of_team, of_kin), None);
    }

    #[test]
    fn a_shared_seed_shuts_out_players_without_it() {
        check(&seal("red", 1, true), &seal("red", 1, true), Some(Speaker::Kin));
        check(&seal("red", 2, true), &seal("red", 1, true), None);
        check(&seal("red", 1, false), &seal("red", 1, true), None);
        check(&seal("blue", 1, true), &seal("red", 1, true), None);
    }

    #[test]
    fn without_one_kin_can_be_told_from_claimants() {
        check(&seal("red", 1, false), &seal("red", 1, false), Some(Speaker::Kin));
        check(&seal("red", 2, false), &seal("red", 1, false), Some(Speaker::Claimant));
        check(&seal("blue", 1, false), &seal("red", 1, false), None);
    }

    #[test]
    fn a_seal_keeps_its_keys_to_itself() {
        assert_eq!(format!("{:?}", seal("red", 1, true)), "Seal { shared: true, .. }");
    }
}
