//! Two bots meet on one seed, once in each seat: two matches, which are known by what is played in them.
//!
//! The seed depends on the two versions and on how often they have met, and on nothing that time brings: whenever the
//! meeting is planned, its matches are the same. Tested in this module.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::settings::Settings;
use crate::identity::Id;
use crate::plan::{Planned, Terms};
use crate::seeds::{Seed, seal};

/// What seeds are derived for.
const PURPOSE: &[u8] = b"zappy_arena league seed ";

/// Two bots on one seed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Meeting {
    /// The two, the smaller id first.
    pub bots: [Id; 2],
    /// Which of their seeds, from 0.
    pub seed: u32,
}

/// Two bots, whichever comes first.
pub fn pair(one: Id, other: Id) -> [Id; 2] {
    [one.min(other), one.max(other)]
}

#[derive(Debug)]
pub struct Dealer {
    pub settings: Settings,
    pub terms: Terms,
    pub secret: Vec<u8>,
}

impl Dealer {
    /// The two matches, and their seed if it is sealed.
    pub fn deal(&self, meeting: &Meeting) -> ([Planned; 2], Option<u64>) {
        let [one, other] = meeting.bots;
        let sealed = self.settings.first.is_none().then(|| self.derive(meeting));
        let seed = match (self.settings.first, sealed) {
            (Some(first), _) => Seed::Open(first.wrapping_add(meeting.seed.into())),
            (None, seed) => Seed::Sealed(seal(seed.unwrap_or_default())),
        };
        let Settings { rules_version, program, .. } = &self.settings;
        let parts = [seed.bytes(), one.bytes(), other.bytes(), rules_version.to_le_bytes().into()];
        let pair = Id::of(parts.into_iter().chain([program.clone().into_bytes()]));
        let matches = [vec![one, other], vec![other, one]];
        (matches.map(|seats| Planned::new(seats, pair, &seed, &self.terms)), sealed)
    }

    fn derive(&self, meeting: &Meeting) -> u64 {
        let mut hash = Sha256::new().chain_update(PURPOSE).chain_update(&self.secret);
        for id in meeting.bots {
            hash.update(id.to_string());
        }
        let hash = hash.chain_update(meeting.seed.to_le_bytes()).finalize();
        let mut first = [0; 8];
        first.copy_from_slice(&hash[..8]);
        u64::from_le_bytes(first)
    }
}

#[cfg(test)]
mod tests {
    use super::super::settings::{Checks, Pairing, Settings};
    use super::*;
    use zappy_play::world::Games;

    const GAMES: Games = Games { specs: zappy_server::games::GAMES, guests: &[] };

    fn id(number: u64) -> Id {
        Id::parse(&format!("{number:016x}")).unwrap()
    }

    fn dealer(first: Option<u64>, program: &str, secret: &[u8]) -> Dealer {
        let terms = Terms {
            world: GAMES.world(None, [], (10, 10)).unwrap(),
            max_ticks: 100,
            clock: "lockstep".to_owned(),
            freq: 100,
            think_time: 1_000,
            lobby_time: 30,
            max_late: 10,
        };
        let sample = Planned::new(Vec::new(), id(0), &Seed::Open(0), &terms);
        let program = program.to_owned();
        let settings = Settings {
            version: 1,
            pairing: Pairing::RoundRobin,
            against: Vec::new(),
            seeds: 1,
            first,
            checks: Checks::All,
            rules_version: 1,
            program,
            sample,
        };
        Dealer { settings, terms, secret: secret.to_vec() }
    }

    #[test]
    fn a_match_is_known_by_versions_seed_seat_and_program() {
        let dealt = |dealer: &Dealer, bots, seed| dealer.deal(&Meeting { bots, seed }).0;
        let sealed = dealer(None, "1", b"secret");
        let [one, two] = dealt(&sealed, [id(1), id(2)], 0);
        assert_eq!(one.seats, [id(1), id(2)]);
        assert_eq!(two.seats, [id(2), id(1)]);
        assert_eq!((one.pair, &one.seed_sha256), (two.pair, &two.seed_sha256));
        assert_eq!(dealt(&sealed, [id(1), id(2)], 0), [one.clone(), two.clone()]);
        let others = [
            dealt(&sealed, [id(1), id(3)], 0),
            dealt(&sealed, [id(1), id(2)], 1),
            dealt(&dealer(None, "2", b"secret"), [id(1), id(2)], 0),
            dealt(&dealer(None, "1", b"other"), [id(1), id(2)], 0),
        ];
        let mut ids: Vec<Id> =
            others.iter().flatten().chain([&one, &two]).map(|planned| planned.id).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), 10);
    }

    #[test]
    fn a_sealed_seed_is_that_of_its_hash_and_open_ones_follow_each_other() {
        let (matches, seed) = dealer(None, "1", b"s").deal(&Meeting { bots: [id(1), id(2)], seed: 0 });
        assert!(matches.iter().all(|planned| planned.seed.is_none() && planned.is_of_seed(seed.unwrap())));
        let open = dealer(Some(7), "1", b"");
        for number in 0..3 {
            let (matches, seed) = open.deal(&Meeting { bots: [id(1), id(2)], seed: number });
            assert_eq!((matches[0].seed, seed), (Some(7 + u64::from(number)), None));
        }
    }
}
