//! All rounds of a league together: which versions there are, how often each two have met, and which matches follow
//! from that.
//!
//! A function of the rounds' files. Tested in this module and with `run`, in `arena/cli/tests/league/`.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

use sha2::{Digest, Sha256};

use super::round::{Meeting, Round, Version};
use super::settings::Settings;
use crate::Error;
use crate::bots::Book;
use crate::identity::Id;
use crate::place::Place;
use crate::plan::{MOST_MATCHES, Planned, Terms};
use crate::seeds::{Seed, seal};

/// The purpose of the hash from which seeds are derived.
const PURPOSE: &[u8] = b"zappy_arena league seed ";

/// All rounds of a league.
#[derive(Debug, Default)]
pub(super) struct History {
    /// The rounds, in their order.
    pub(super) rounds: Vec<Round>,
    /// All versions, in the order in which they entered.
    pub(super) versions: Vec<Version>,
    /// On how many seeds two versions have met, by their ids, the smaller one first.
    pub(super) met: BTreeMap<[Id; 2], u32>,
    /// The matches in the order of the rounds.
    plan: Vec<Planned>,
    /// The seeds of the meetings, in the same order; none if all seeds are open.
    sealed: Vec<u64>,
    /// Of each match its meeting, and the round in which it was planned.
    pub(super) meetings: HashMap<Id, (Meeting, u32)>,
}

impl History {
    /// Reads all rounds.
    ///
    /// # Errors
    /// A round can't be read, or names a version that never entered.
    pub(super) fn read(league: &Path, dealer: &Dealer) -> Result<History, Error> {
        let mut history = History::default();
        for round in Round::read_all(league)? {
            history.add(round, dealer)?;
        }
        Ok(history)
    }

    /// Takes in one more round.
    ///
    /// # Errors
    /// It names a version that never entered, or there are too many matches.
    pub(super) fn add(&mut self, round: Round, dealer: &Dealer) -> Result<(), Error> {
        let wrong = |what: &str| Error::Plan(format!("round {} of the league: {what}", round.round));
        self.versions.extend_from_slice(&round.entered);
        let known: HashSet<Id> = self.versions.iter().map(|version| version.id).collect();
        let named = round.meetings.iter().flat_map(|meeting| &meeting.bots).chain(&round.field);
        if known.len() < self.versions.len() || named.into_iter().any(|id| !known.contains(id)) {
            return Err(wrong("its versions aren't those that entered; put the file back as it was"));
        }
        for meeting in &round.meetings {
            let (matches, sealed) = dealer.deal(meeting);
            let met = self.met.entry(meeting.bots).or_default();
            *met = (*met).max(meeting.seed + 1);
            self.sealed.extend(sealed);
            for planned in matches {
                self.meetings.insert(planned.id, (*meeting, round.round));
                self.plan.push(planned);
            }
        }
        if self.plan.len() > MOST_MATCHES || self.meetings.len() < self.plan.len() {
            let what = "there are more matches than a league holds; begin another one in another folder";
            return Err(wrong(what));
        }
        self.rounds.push(round);
        Ok(())
    }

    /// Lays out bots and matches as the tournament that is played.
    ///
    /// # Errors
    /// When it can't be written.
    pub(super) fn lay_out(&self, league: &Path) -> Result<Place, Error> {
        let bots = self.versions.iter().map(|version| version.bot(league)).collect();
        Place::update(league, &Book { version: 1, bots, hidden: Vec::new() }, &self.plan, &self.sealed)
    }

    /// The version of that id.
    pub(super) fn version(&self, id: Id) -> Option<&Version> {
        self.versions.iter().find(|version| version.id == id)
    }

    /// The versions in the field of the last round.
    pub(super) fn field(&self) -> Vec<&Version> {
        let field = self.rounds.last().map(|round| &round.field[..]).unwrap_or_default();
        field.iter().filter_map(|id| self.version(*id)).collect()
    }

    /// The matches of the last round.
    pub(super) fn last_matches(&self) -> impl Iterator<Item = Id> {
        let last = self.rounds.last().map_or(0, |round| 2 * round.meetings.len());
        self.plan[self.plan.len() - last..].iter().map(|planned| planned.id)
    }
}

/// Makes the two matches of a meeting: a function of the settings, the two versions and the number of their seed, so
/// that they are the same whenever the meeting is planned.
#[derive(Debug)]
pub struct Dealer {
    pub settings: Settings,
    pub terms: Terms,
    /// What sealed seeds are derived from; empty if seeds are open.
    pub secret: Vec<u8>,
}

impl Dealer {
    /// The two matches, in which the bots change seats, and their common seed if it is sealed.
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

    /// The sealed seed of a meeting.
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
    fn a_plan_has_the_hash_of_a_sealed_seed_and_open_seeds_follow_each_other() {
        let (matches, seed) = dealer(None, "1", b"s").deal(&Meeting { bots: [id(1), id(2)], seed: 0 });
        assert!(matches.iter().all(|planned| planned.seed.is_none() && planned.is_of_seed(seed.unwrap())));
        let open = dealer(Some(7), "1", b"");
        for number in 0..3 {
            let (matches, seed) = open.deal(&Meeting { bots: [id(1), id(2)], seed: number });
            assert_eq!((matches[0].seed, seed), (Some(7 + u64::from(number)), None));
        }
    }
}
