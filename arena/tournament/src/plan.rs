//! The plan of a tournament: its matches, one JSON line each.
//!
//! The plan is a function of the bots and of what was asked for: planned again, it has the same lines. Every set of
//! bots meets on every seed in every rotation of its seats, so that no seat can favour a bot. Starts nothing. Tested in
//! this module.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use zappy_game::MatchSpec;
use zappy_play::text::json_words;
use zappy_play::world::{Games, World};
use zappy_protocol::{TeamName, Tick};

use super::Error;
use super::bots::Book;
use super::identity::{Id, IdHasher};
use super::pairing::sets;
pub use super::pairing::{MOST_MATCHES, Pairing, Terms};
use super::seeds::{Seed, Seeds, seal};

/// A plan that is asked for.
#[derive(Debug, Clone)]
pub struct Wish {
    pub pairing: Pairing,
    pub teams: usize,
    /// The seeds that each set of bots plays.
    pub seeds: Seeds,
    /// The terms, at least one, on each of which every set of bots plays every seed.
    pub variants: Vec<Terms>,
}

/// The options that are keys of their own in a line that names no game.
const SLOTS_KEY: &str = "clients";
const RULES_KEY: &str = "rules";
/// The name of the default rule set in lines, which was its first name, so that ids stay what they were.
pub const DEFAULT_RULES: &str = "reference";

/// A game as a line names it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NamedGame {
    pub name: String,
    /// The version of its rules.
    pub rules_version: u32,
    /// All its options, in their order.
    pub options: BTreeMap<String, String>,
}

/// One match of the plan. The keys stand in this order, since the id is a hash of the line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Planned {
    /// The hash of everything below.
    pub id: Id,
    /// The seed of all chance in the match; `None`: it is sealed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// The SHA-256 of a sealed seed; the result of the match tells the seed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed_sha256: Option<String>,
    /// The game; `None`: the first one, with the two options below and the defaults of the others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub game: Option<NamedGame>,
    /// Tiles from west to east.
    pub width: u16,
    /// Tiles from north to south.
    pub height: u16,
    /// Slots per team at the start; only if no game is named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clients: Option<u32>,
    /// The rule set, the default one being `reference`; only if no game is named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rules: Option<String>,
    /// The tick at which it ends.
    pub max_ticks: Tick,
    /// `lockstep` or `real`.
    pub clock: String,
    /// Ticks per second of the real clock.
    pub freq: u32,
    /// Milliseconds a player is waited for in lockstep.
    pub think_time: u64,
    /// Seconds in which programs may come in, in lockstep.
    pub lobby_time: u64,
    /// How often a player may be late.
    pub max_late: u32,
    /// The bots in the order of their teams.
    pub seats: Vec<Id>,
    /// The same for all matches that differ only in the rotation of the seats.
    pub pair: Id,
}

impl Planned {
    /// A match of these bots; `pair` is the same for all that differ only in the rotation of the seats.
    pub fn new(seats: Vec<Id>, pair: Id, seed: &Seed, terms: &Terms) -> Planned {
        let MatchSpec { game, config, options } = &terms.world.spec;
        let is_default = |key: &str| {
            game.options.iter().any(|option| option.key == key && option.default == options.get(key))
        };
        let (own, others): (Vec<&str>, Vec<&str>) =
            options.iter().map(|(key, _)| key).partition(|key| [SLOTS_KEY, RULES_KEY].contains(key));
        let has_own_keys = own.len() == 2;
        let is_unnamed = has_own_keys && others.into_iter().all(is_default);
        // Lines of a game with both keys have [`DEFAULT_RULES`] for its default; others have the name of the rule set.
        let rules =
            if has_own_keys && is_default(RULES_KEY) { DEFAULT_RULES } else { options.get(RULES_KEY) };
        let as_named = |(key, value): (&str, &str)| {
            let value = if key == RULES_KEY { rules } else { value };
            (key.to_owned(), value.to_owned())
        };
        let (name, rules_version) = (game.name.to_owned(), game.rules_version);
        let named = NamedGame { name, rules_version, options: options.iter().map(as_named).collect() };
        let mut planned = Planned {
            id: IdHasher::default().id(),
            seed: if let Seed::Open(seed) = seed { Some(*seed) } else { None },
            seed_sha256: if let Seed::Sealed(hash) = seed { Some(hash.clone()) } else { None },
            game: (!is_unnamed).then_some(named),
            width: config.map.width(),
            height: config.map.height(),
            clients: options.get(SLOTS_KEY).parse().ok().filter(|_| is_unnamed),
            rules: is_unnamed.then(|| rules.to_owned()),
            max_ticks: terms.max_ticks,
            clock: terms.clock.clone(),
            freq: terms.freq,
            think_time: terms.think_time,
            lobby_time: terms.lobby_time,
            max_late: terms.max_late,
            seats,
            pair,
        };
        planned.id = planned.hash();
        planned
    }

    /// A match without bots that stands for all matches with these terms.
    pub fn sample(terms: &Terms) -> Planned {
        Planned::new(Vec::new(), IdHasher::default().id(), &Seed::Open(0), terms)
    }

    /// Reads a line of a plan, which must have the id of its content.
    ///
    /// # Errors
    /// In words, when it isn't the line of a match, or has another id.
    pub fn parse(line: &[u8]) -> Result<Planned, String> {
        let planned: Planned = serde_json::from_slice(line).map_err(|error| json_words(&error))?;
        planned.check()?;
        Ok(planned)
    }

    /// Whether this is the seed of the match, open or sealed.
    pub fn is_of_seed(&self, seed: u64) -> bool {
        self.seed == Some(seed) || self.seed_sha256.as_ref().is_some_and(|hash| *hash == seal(seed))
    }

    /// The name of its game; `None`: the first game of the table.
    pub fn game(&self) -> Option<&str> {
        self.game.as_ref().map(|game| game.name.as_str())
    }

    /// The options of its game that the line names.
    pub fn options(&self) -> BTreeMap<String, String> {
        let named = self.game.iter().flat_map(|game| game.options.clone());
        let own = [(SLOTS_KEY, self.clients.map(|slots| slots.to_string())), (RULES_KEY, self.rules.clone())];
        named.chain(own.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?)))).collect()
    }

    /// The game with its options, and the map.
    ///
    /// # Errors
    /// There is no such game in the table, its rules have another version, or it has no such options.
    pub fn world(&self, games: Games) -> Result<World, Error> {
        let refuse = |what: String| Error::Plan(format!("match {}: {what}", self.id));
        let mut options = self.options();
        options.retain(|key, value| self.game.is_some() || key != RULES_KEY || value != DEFAULT_RULES);
        let options = options.iter().map(|(key, value)| (key.as_str(), value.as_str()));
        let world = games.world(self.game(), options, (self.width, self.height));
        let world = world.map_err(|error| match error {
            zappy_play::Error::Config(error) => refuse(error.to_string()),
            error => refuse(error.to_string()),
        })?;
        let version = world.spec.game.rules_version;
        match &self.game {
            Some(game) if game.rules_version != version => Err(refuse(format!(
                "it is of version {} of the rules of {}, this program plays version {version}",
                game.rules_version, game.name
            ))),
            _ => Ok(world),
        }
    }

    /// The terms on which it is played.
    ///
    /// # Errors
    /// Those of [`Planned::world`].
    pub fn terms(&self, games: Games) -> Result<Terms, Error> {
        let Planned { max_ticks, freq, think_time, lobby_time, max_late, .. } = *self;
        let (world, clock) = (self.world(games)?, self.clock.clone());
        Ok(Terms { world, max_ticks, clock, freq, think_time, lobby_time, max_late })
    }

    /// The hash of all but the id.
    pub fn hash(&self) -> Id {
        let mut hasher = IdHasher::default();
        if let Some(hash) = &self.seed_sha256 {
            hasher.add(hash.as_bytes());
        }
        if let Some(game) = &self.game {
            hasher.add(game.name.as_bytes());
            hasher.add(&game.rules_version.to_le_bytes());
            for (key, value) in &game.options {
                hasher.add(key.as_bytes());
                hasher.add(value.as_bytes());
            }
        }
        for number in [
            self.seed.unwrap_or(0),
            self.width.into(),
            self.height.into(),
            self.clients.unwrap_or(0).into(),
            self.max_ticks,
            self.freq.into(),
            self.think_time,
            self.lobby_time,
            self.max_late.into(),
        ] {
            hasher.add(&number.to_le_bytes());
        }
        hasher.add(self.rules.as_deref().unwrap_or_default().as_bytes());
        hasher.add(self.clock.as_bytes());
        self.seats.iter().chain([&self.pair]).for_each(|id| hasher.add(&id.bytes()));
        hasher.id()
    }

    /// Checks that no key is missing or one too many, and that the id is that of the content.
    ///
    /// # Errors
    /// What is wrong, in words.
    fn check(&self) -> Result<(), String> {
        if self.game.is_none() && (self.clients.is_none() || self.rules.is_none()) {
            return Err(format!("it names no game, or lacks {SLOTS_KEY} or {RULES_KEY}"));
        }
        if self.seed.is_some() == self.seed_sha256.is_some() {
            return Err("it names no seed, or one and a hash beside it".to_owned());
        }
        if self.id != self.hash() {
            return Err(format!("the id {} isn't that of the match beside it, {}", self.id, self.hash()));
        }
        Ok(())
    }
}

/// The plan: seed by seed, so that a tournament which is cut short has played all bots alike.
///
/// # Errors
/// When the wish can't be fulfilled, with the remedy.
pub fn plan(book: &Book, wish: &Wish) -> Result<Vec<Planned>, Error> {
    let sets = sets(book, &wish.pairing, wish.teams)?;
    for (set, terms) in sets.iter().flat_map(|set| wish.variants.iter().map(move |terms| (set, terms))) {
        let bots = set.iter().filter_map(|id| book.bot(*id));
        let teams = bots.filter_map(|bot| TeamName::parse(bot.name.as_bytes())).collect();
        terms.world.check(teams).map_err(|error| Error::Plan(error.to_string()))?;
    }
    let factors = [wish.seeds.count(), wish.teams as u64, wish.variants.len() as u64];
    let count = factors.into_iter().fold(sets.len() as u64, u64::saturating_mul);
    if count > MOST_MATCHES as u64 {
        return Err(Error::Plan(format!(
            "{count} matches are too many, the limit is {MOST_MATCHES}; lower --seeds or the bots"
        )));
    }
    let mut matches = Vec::with_capacity(count as usize);
    for seed in wish.seeds.iter() {
        let variants = wish.variants.iter().enumerate();
        for ((number, terms), set) in variants.flat_map(|one| sets.iter().map(move |set| (one, set))) {
            let bots = set.iter().map(|bot| bot.bytes());
            // The first variant isn't hashed, so its pairs have the ids that they have in a plan without variants.
            let variant = (number > 0).then(|| number.to_le_bytes().to_vec());
            let pair = Id::of([seed.bytes()].into_iter().chain(bots).chain(variant));
            for rotation in 0..set.len() {
                let mut seats = set.clone();
                seats.rotate_left(rotation);
                matches.push(Planned::new(seats, pair, &seed, terms));
            }
        }
    }
    Ok(matches)
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::super::bots::{Bot, Limits};
    use super::super::variants::Variants;
    use super::*;

    fn book(names: &[&str]) -> Book {
        let bot = |name: &&str| {
            let mut hasher = IdHasher::default();
            hasher.add(name.as_bytes());
            Bot {
                id: hasher.id(),
                name: (*name).to_owned(),
                command: "true".to_owned(),
                folder: None,
                environment: BTreeMap::new(),
                processes: None,
                limits: Limits::default(),
            }
        };
        Book { version: 1, bots: names.iter().map(bot).collect(), hidden: Vec::new() }
    }

    const GAMES: Games = Games { specs: zappy_server::games::GAMES, guests: &[] };

    fn wish_with(options: &[(&str, &str)]) -> Wish {
        let terms = Terms {
            world: GAMES.world(None, options.iter().copied(), (20, 20)).unwrap(),
            max_ticks: 10_000,
            clock: "lockstep".to_owned(),
            freq: 100,
            think_time: 1_000,
            lobby_time: 30,
            max_late: 10,
        };
        Wish { pairing: Pairing::RoundRobin, teams: 2, seeds: Seeds::Open(7..10), variants: vec![terms] }
    }

    fn wish() -> Wish {
        wish_with(&[])
    }

    #[test]
    fn every_pair_meets_on_every_seed_in_both_seats() {
        let book = book(&["a", "b", "c", "d"]);
        let matches = plan(&book, &wish()).unwrap();
        assert_eq!(matches.len(), 6 * 3 * 2);
        let seats: BTreeSet<(Option<u64>, Vec<Id>)> =
            matches.iter().map(|m| (m.seed, m.seats.clone())).collect();
        assert_eq!(seats.len(), matches.len());
        for one in &matches {
            let back = [one.seats[1], one.seats[0]];
            let other = matches.iter().find(|m| m.seats == back && m.seed == one.seed).unwrap();
            assert!(other.pair == one.pair && other.id != one.id && one.id == one.hash());
        }
        assert_eq!(matches[..12].iter().map(|m| m.seed).collect::<BTreeSet<_>>(), BTreeSet::from([Some(7)]));
        assert_eq!(plan(&book, &wish()).unwrap(), matches);
    }

    #[test]
    fn each_variant_has_pairs_of_its_own_and_the_first_those_of_a_plan_without() {
        let (book, one) = (book(&["a", "b"]), wish());
        let variants = vec![one.variants[0].clone(), wish_with(&[("clients", "3")]).variants.remove(0)];
        let both = plan(&book, &Wish { variants, ..wish() }).unwrap();
        let (first, second): (Vec<_>, Vec<_>) = both.iter().cloned().partition(|one| one.clients == Some(6));
        assert_eq!((first, second.len()), (plan(&book, &one).unwrap(), 6));
        let pairs: BTreeSet<Id> = both.iter().map(|one| one.pair).collect();
        assert_eq!(pairs.len(), 6, "three seeds, two variants");
        let names: BTreeSet<String> = both.iter().map(|one| Variants::of(&both).name(one)).collect();
        assert!(names.into_iter().eq(["clients 3", "clients 6"].map(str::to_owned)));
    }

    #[test]
    fn three_teams_sit_in_every_rotation() {
        let matches =
            plan(&book(&["a", "b", "c", "d"]), &Wish { teams: 3, seeds: Seeds::Open(7..8), ..wish() })
                .unwrap();
        assert_eq!(matches.len(), 4 * 3);
        for place in 0..3 {
            let seated: BTreeSet<Id> = matches[..3].iter().map(|m| m.seats[place]).collect();
            assert_eq!(seated.len(), 3);
        }
    }

    #[test]
    fn in_a_gauntlet_the_references_meet_all_but_each_other() {
        let book = book(&["a", "easy", "b", "hard"]);
        let pairing = Pairing::Gauntlet(vec!["easy".to_owned(), "hard".to_owned()]);
        let matches = plan(&book, &Wish { pairing, ..wish() }).unwrap();
        assert_eq!(matches.len(), 2 * 2 * 3 * 2);
        let references = [book.bots[1].id, book.bots[3].id];
        assert!(matches.iter().all(|m| m.seats.iter().filter(|id| references.contains(id)).count() == 1));
    }

    #[test]
    fn a_wish_that_makes_no_plan_is_refused_with_the_reason() {
        let book = book(&["a", "b", "c"]);
        let error = |wish: Wish| plan(&book, &wish).unwrap_err().to_string();
        assert_eq!(
            error(Wish { teams: 4, ..wish() }),
            "--teams is 4, the range is 2 to 3, the number of bots"
        );
        let against = |names: &[&str]| Pairing::Gauntlet(names.iter().map(|&n| n.to_owned()).collect());
        let unknown = error(Wish { pairing: against(&["z"]), ..wish() });
        assert_eq!(unknown, "--against: no bot is called z; there are a, b, c");
        assert!(
            error(Wish { pairing: against(&["a", "b", "c"]), ..wish() }).starts_with("nobody would meet")
        );
        assert!(
            error(Wish { seeds: Seeds::Open(0..u64::MAX), ..wish() })
                .contains("too many, the limit is 1000000")
        );
    }

    #[test]
    fn bots_that_the_options_do_not_fit_make_no_plan() {
        let planned = |alliance: &str| {
            let options = [("alliance", alliance), ("mode", "alliances")];
            let world = GAMES.world(Some("conquest"), options, (20, 20)).unwrap();
            let wish = wish();
            plan(
                &book(&["a", "b", "c"]),
                &Wish { teams: 3, variants: vec![Terms { world, ..wish.variants[0].clone() }], ..wish },
            )
        };
        assert_eq!(planned("b,c").unwrap().len(), 9);
        let words = "--alliance names \"d\", but there is no such faction; the factions are a, b, c";
        assert_eq!(planned("a,d").unwrap_err().to_string(), words);
    }

    #[test]
    fn a_line_comes_back_and_another_term_is_another_match() {
        let book = book(&["a", "b"]);
        let first = plan(&book, &wish()).unwrap().remove(0);
        let line = serde_json::to_string(&first).unwrap();
        assert!(line.starts_with("{\"id\":\""), "{line}");
        assert_eq!(serde_json::from_str::<Planned>(&line).unwrap(), first);
        let mut other = wish();
        other.variants[0].max_late = 3;
        assert_ne!(plan(&book, &other).unwrap()[0].id, first.id);
        let strict = plan(&book, &wish_with(&[("rules", "strict")])).unwrap().remove(0);
        assert_ne!(strict.id, first.id);
        assert_eq!(strict.world(GAMES).unwrap().spec.options.get("rules"), "strict");
        let unknown =
            Planned { rules: Some("lax".to_owned()), ..first }.world(GAMES).unwrap_err().to_string();
        assert!(
            unknown.ends_with("rules is \"lax\", the rule sets are subject, official and strict"),
            "{unknown}"
        );
    }

    #[test]
    fn lines_of_the_first_form_keep_their_bytes_and_ids() {
        let first = plan(&book(&["a", "b"]), &wish()).unwrap().remove(0);
        let line = "{\"id\":\"1a4adb0ce303e4bf\",\"seed\":7,\"width\":20,\"height\":20,\"clients\":6,\
                    \"rules\":\"reference\",\"max_ticks\":10000,\"clock\":\"lockstep\",\"freq\":100,\"think_time\":1000,\
                    \"lobby_time\":30,\"max_late\":10,\"seats\":[\"ae6121c88ba555f6\",\"1af4648d195dc1d3\"],\
                    \"pair\":\"8d64c01a037ba90b\"}";
        assert_eq!(serde_json::to_string(&first).unwrap(), line);
    }

    #[test]
    fn another_option_or_game_is_named_and_hashed() {
        let book = book(&["a", "b"]);
        let plain = plan(&book, &wish()).unwrap().remove(0);
        let eggs = plan(&book, &wish_with(&[("display-eggs", "on")])).unwrap().remove(0);
        let named = eggs.game.clone().unwrap();
        let first = GAMES.specs[0].name;
        assert_eq!((named.name.as_str(), named.options["display-eggs"].as_str()), (first, "on"));
        assert_eq!(named.options["rules"], "reference", "ids are hashes of its first name");
        assert_eq!(eggs.world(GAMES).unwrap().spec.options.get("rules"), "subject");
        assert!(
            eggs.clients.is_none() && eggs.rules.is_none() && eggs.id != plain.id && eggs.check() == Ok(())
        );
        let line = serde_json::to_string(&eggs).unwrap();
        assert_eq!(serde_json::from_str::<Planned>(&line).unwrap(), eggs);
        let change = |change: &dyn Fn(&mut NamedGame)| {
            let mut other = named.clone();
            change(&mut other);
            Planned { game: Some(other), ..eggs.clone() }
        };
        for other in [
            change(&|game| game.name = "tiny".to_owned()),
            change(&|game| game.rules_version += 1),
            change(&|game| game.options.clear()),
        ] {
            assert_ne!(other.hash(), eggs.id);
            let why = other.check().unwrap_err();
            assert!(why.contains("isn't that of the match beside it"), "{why}");
        }
        let unknown = change(&|game| game.name = "tiny".to_owned()).world(GAMES).unwrap_err().to_string();
        assert!(unknown.contains(&format!("there is no game tiny; the games are {first}, ")), "{unknown}");
        let newer = change(&|game| game.rules_version = 99).world(GAMES).unwrap_err().to_string();
        assert!(newer.contains(&format!("it is of version 99 of the rules of {first}")), "{newer}");
        let bare = Planned { clients: None, ..plain };
        assert!(bare.check().unwrap_err().starts_with("it names no game"));
    }
}
