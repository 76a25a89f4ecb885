//! The story of a match by its turns: what observers were told becomes lines, the less important ones left out.
//!
//! Keeps the world as observers know it, and the lines. Tested in `arena/cli/tests/records/`.

use std::collections::{BTreeMap, BTreeSet};

use zappy_protocol::conquest::commentary::Commentary;
use zappy_protocol::conquest::constants::{DOMINION_TURNS, SIEGE_STRENGTH};
use zappy_protocol::conquest::geometry::reach;
use zappy_protocol::conquest::mirror::Mirror;
use zappy_protocol::conquest::observer::Message;
use zappy_protocol::conquest::{Dominion, FactionId, UnitId, UnitType};
use zappy_protocol::{Position, TeamName, Tick};

/// Lines of a story at most: with its head and its table it has fewer than two hundred.
const MOST: usize = 150;
/// Notes of bots that matter more than most of what happened.
const MOST_NOTES: usize = 30;
/// Factions of which the table has a line each beside so long a story.
const FEW: usize = 20;
/// The weight below which a remark goes with single deaths.
const LIGHT: u32 = 30;
/// Turns for which a base that was in danger is no news when it is again.
const CALM: u32 = 10;

/// How much a line matters: of a long story the least goes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Weight {
    Death,
    Unpaid,
    Danger,
    City,
    Conversion,
    Lead,
    Battle,
    Note,
    Fall,
}

/// A line of the story.
#[derive(Debug)]
pub(super) struct Told {
    pub(super) turn: u32,
    pub(super) tick: Tick,
    weight: Weight,
    pub(super) words: String,
}

/// What happened, as far as it was told.
#[derive(Debug)]
pub(super) struct Story {
    pub(super) mirror: Mirror,
    lines: Vec<Told>,
    /// What is said of how it stands, the battles, and how it was won.
    pub(super) commentary: Commentary,
    tick: Tick,
    /// The turn in which each base was last in danger.
    danger: BTreeMap<FactionId, u32>,
    /// The turn in which a siege of each base was last told, and the strength that was left then.
    sieges: BTreeMap<Position, (u32, u32)>,
    /// The turn in which it was last told that each side holds what dominion needs.
    holders: BTreeMap<TeamName, u32>,
    /// The factions that have no food left.
    starving: BTreeSet<FactionId>,
    notes: usize,
    /// How often each faction was late.
    pub(super) late: BTreeMap<TeamName, u64>,
    pub(super) unpaid: BTreeMap<TeamName, u64>,
}

impl Story {
    pub(super) fn new() -> Story {
        Story {
            mirror: Mirror::new(),
            lines: Vec::new(),
            commentary: Commentary::default(),
            tick: 0,
            danger: BTreeMap::new(),
            sieges: BTreeMap::new(),
            holders: BTreeMap::new(),
            starving: BTreeSet::new(),
            notes: 0,
            late: BTreeMap::new(),
            unpaid: BTreeMap::new(),
        }
    }

    /// A message that only says how it stands.
    pub(super) fn know(&mut self, line: &[u8]) {
        if let Ok(message) = Message::parse(line) {
            // What doesn't fit is no story.
            let _ = self.mirror.apply(&message);
        }
    }

    /// A message that tells what happened.
    pub(super) fn take(&mut self, tick: Tick, line: &[u8]) {
        self.tick = tick;
        let Ok(message) = Message::parse(line) else { return };
        self.commentary.look(tick, &message, &self.mirror);
        self.look(&message);
        let _ = self.mirror.apply(&message);
        match message {
            Message::TurnEnded(_) => self.end_turn(),
            Message::Moved { unit, .. } => self.watch_bases(unit),
            _ => {}
        }
    }

    /// What a bot noted for the timeline. Of one that notes much only the first lines matter.
    pub(super) fn note(&mut self, words: String) {
        self.notes += 1;
        self.tell(if self.notes > MOST_NOTES { Weight::Death } else { Weight::Note }, words);
    }

    /// A line that happened in the running turn.
    fn tell(&mut self, weight: Weight, words: String) {
        self.lines.push(Told { turn: self.mirror.turn, tick: self.tick, weight, words });
    }

    fn name(&self, faction: FactionId) -> String {
        self.mirror.name(faction).map_or_else(|| "no faction".to_owned(), ToString::to_string)
    }

    /// What a message tells, before it changes what is known.
    fn look(&mut self, message: &Message) {
        match message {
            Message::Tile { at, tile } => {
                let was = self.mirror.tile(*at).copied().filter(|was| was.flags.base && tile.owner.is_none());
                let owner = was.and_then(|was| was.owner);
                let base = |owner: &FactionId| {
                    self.mirror.factions.get(owner.index()).and_then(|one| one.holdings.base)
                };
                if let Some(owner) = owner.filter(|owner| base(owner) != Some(*at)) {
                    let words =
                        format!("{} loses a base that isn't its current one, at {at}", self.name(owner));
                    self.tell(Weight::City, words);
                }
            }
            Message::Beaten(name) => {
                let how = self.mirror.faction(name).and_then(|faction| self.commentary.fall(faction));
                let words = how.map_or_else(|| format!("{name} is beaten"), str::to_owned);
                self.tell(Weight::Fall, words);
            }
            Message::Converted { unit, faction } => {
                if let Some(was) = self.mirror.units.get(unit).copied() {
                    let (of, kind, at) = (self.name(was.faction), was.kind, was.at);
                    self.tell(
                        Weight::Conversion,
                        format!("{of}'s {kind} #{unit} at {at} goes over to {faction}"),
                    );
                }
            }
            Message::Siege { at, left } => self.tell_siege(*at, *left),
            Message::Dominion(dominion) => self.tell_dominion(dominion),
            Message::Unpaid(name) => {
                let times = self.unpaid.entry(name.clone()).or_default();
                *times += 1;
                if *times == 1 {
                    self.tell(Weight::Unpaid, format!("{name} can't pay its upkeep for the first time"));
                }
            }
            Message::Late(name) => *self.late.entry(name.clone()).or_default() += 1,
            Message::City { at, .. } if !self.mirror.cities.contains_key(at) && self.mirror.turn > 0 => {
                if let Some(owner) = self.mirror.tile(*at).and_then(|tile| tile.owner) {
                    let words = format!("{} has a city at {at}", self.name(owner));
                    self.tell(Weight::City, words);
                }
            }
            _ => {}
        }
    }

    /// Tells of a base that loses strength: once in a while, and whenever it has less than was told.
    fn tell_siege(&mut self, at: Position, left: u32) {
        let before = self.mirror.strength(at);
        let (turn, told) = (self.mirror.turn, self.sieges.get(&at));
        let is_news = told.is_none_or(|&(then, least)| turn > then + CALM || left < least);
        let Some(owner) =
            self.mirror.tile(at).and_then(|tile| tile.owner).filter(|_| left < before && is_news)
        else {
            return;
        };
        self.sieges.insert(at, (turn, left));
        let besieger = self.mirror.units.values().find(|unit| unit.at == at);
        let by = besieger
            .map_or_else(String::new, |unit| format!(" by {}'s {}", self.name(unit.faction), unit.kind));
        let words =
            format!("{}'s base at {at} is besieged{by}: {left} of {SIEGE_STRENGTH} left", self.name(owner));
        self.tell(Weight::Danger, words);
    }

    /// Tells which side begins to hold the land that dominion needs, or holds it no more.
    fn tell_dominion(&mut self, dominion: &Dominion) {
        let turn = self.mirror.turn;
        let held = self.mirror.dominion.iter().flat_map(|before| before.held.clone());
        let lost: Vec<TeamName> = held
            .map(|(name, _)| name)
            .filter(|name| dominion.held.iter().all(|(now, _)| now != name))
            .collect();
        for name in lost {
            // Only of what was told.
            if self.holders.get(&name).is_some_and(|then| turn <= then + DOMINION_TURNS) {
                self.tell(Weight::Lead, format!("{name} no longer holds the land that dominion needs"));
            }
        }
        for (name, turns) in &dominion.held {
            let is_news = self.holders.get(name).is_none_or(|then| turn > then + CALM);
            if *turns == 1 && is_news {
                self.holders.insert(name.clone(), turn);
                let words = format!("{name} holds the {} % of the land that dominion needs", dominion.need);
                self.tell(Weight::Lead, words);
            }
        }
    }

    /// Tells of enemies that come next to a base and can take it.
    fn watch_bases(&mut self, id: UnitId) {
        let (Some(unit), Some(size)) = (self.mirror.units.get(&id).copied(), self.mirror.size) else {
            return;
        };
        if !matches!(unit.kind, UnitType::Pioneer | UnitType::Fighter) {
            return;
        }
        let threatens = |&(faction, base): &(FactionId, Position)| {
            !self.mirror.allied(faction, unit.faction) && reach(size, base, unit.at) <= 1
        };
        let living = (0..=u8::MAX).map(FactionId).zip(&self.mirror.factions).filter(|(_, known)| known.alive);
        let bases = living.filter_map(|(faction, known)| Some((faction, known.holdings.base?)));
        let threatened: Vec<_> = bases.filter(threatens).collect();
        for (faction, base) in threatened {
            let turn = self.mirror.turn;
            let before = self.danger.insert(faction, turn);
            if before.is_none_or(|before| turn > before + CALM) {
                let (of, by) = (self.name(faction), self.name(unit.faction));
                self.tell(
                    Weight::Danger,
                    format!("{of}'s base at {base} is in danger: {by}'s {} is there", unit.kind),
                );
            }
        }
    }

    fn end_turn(&mut self) {
        let said = self.commentary.remarks.all().len();
        self.commentary.turn(self.tick, &self.mirror);
        let new = self.commentary.remarks.all()[said..].iter();
        let told: Vec<(u32, String)> = new.map(|remark| (remark.weight, remark.says.clone())).collect();
        for (weight, says) in told {
            self.tell(if weight < LIGHT { Weight::Death } else { Weight::Lead }, says);
        }
        if !self.mirror.options.as_ref().is_some_and(|options| options.cities) {
            return;
        }
        let all = (0..=u8::MAX).map(FactionId).zip(&self.mirror.factions);
        let living: Vec<FactionId> =
            all.filter(|(_, known)| known.alive).map(|(faction, _)| faction).collect();
        for faction in living {
            let empty = self.mirror.factions[faction.index()].holdings.food == 0;
            if !empty {
                self.starving.remove(&faction);
            } else if self.starving.insert(faction) {
                let words = format!("{}'s cities starve: no food is left", self.name(faction));
                self.tell(Weight::City, words);
            }
        }
    }

    /// The lines in the order of the turns; and how many that matter less were left out.
    pub(super) fn finish(&mut self) -> (Vec<Told>, usize) {
        for battle in &self.commentary.battles.all {
            let weight = if battle.fallen() > 1 { Weight::Battle } else { Weight::Death };
            let words = battle.words(|faction| self.name(faction));
            let first = battle.first;
            self.lines.push(Told { turn: first.turn, tick: first.tick, weight, words });
        }
        let mut lines = std::mem::take(&mut self.lines);
        // Each faction has a line in the table.
        let most = MOST.saturating_sub(self.mirror.factions.len().saturating_sub(FEW));
        let left_out = lines.len().saturating_sub(most);
        // What matters least goes first, the later before the earlier.
        lines.sort_by_key(|line| (std::cmp::Reverse(line.weight), line.turn));
        lines.truncate(most);
        lines.sort_by_key(|line| line.turn);
        (lines, left_out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DUMP: [&str; 15] = [
        "msz 20 20",
        "gam conquest 2 factions red,blue cities on rules classic mode concurrent turns 40 time 0 placement random alliances -",
        "tna red",
        "tna blue",
        "fac red 0 gold 500 food 3 wood 0 bombs 0 land 1 pop 2 cap 5 kills 0 score 0 upkeep 0 base 2 2 slot - 0",
        "fac blue 1 gold 500 food 3 wood 0 bombs 0 land 1 pop 1 cap 5 kills 0 score 0 upkeep 0 base 9 9 slot - 0",
        "loc 2 2 0 plain b--- -",
        "loc 9 9 1 plain b--- -",
        "unw #1 red fighter 7 9 6 -",
        "unw #2 red cleric 15 15 4 e",
        "unw #3 blue pioneer 15 16 3 -",
        "unw #4 blue worker 16 16 5 -",
        "unw #5 blue worker 17 16 5 -",
        "cit 2 2 2 0 2",
        "cit 9 9 2 0 2",
    ];

    /// The lines of a story in which each of these turns brings these messages.
    fn told(turns: &[&[&str]]) -> Vec<String> {
        let mut story = Story::new();
        DUMP.iter().for_each(|line| story.know(line.as_bytes()));
        for (turn, lines) in (1..).zip(turns) {
            let (begin, end) = (format!("trn {turn} 0 red blue"), format!("tnd {turn}"));
            for line in [&[&begin[..]], *lines, &[&end[..]]].concat() {
                story.take(turn, line.as_bytes());
            }
        }
        story.finish().0.into_iter().map(|line| format!("{} {}", line.turn, line.words)).collect()
    }

    #[test]
    fn what_decides_a_match_is_told_by_turns() {
        let fac = |name: &str, food: u32, score: i64, base: &str| {
            format!(
                "fac {name} gold 0 food {food} wood 0 bombs 0 land 1 pop 1 cap 5 kills 0 score {score} upkeep 0 \
                 base {base} slot - 0"
            )
        };
        let (poor, best) = (fac("blue 1", 0, -75, "9 9"), fac("red 0", 3, 25, "2 2"));
        let lines = told(&[
            &["upk blue", "lat blue", &poor],
            &["umv #1 8 9", "uat #1 #4", "udi #4 attack", "ucv #3 red", &best],
            &["upk blue", "umv #1 9 9", "udi #5 attack"],
            &["loc 9 9 - plain b--- -", "ord red #1 ok", "fde blue"],
            &["cit 9 9 2 0 2"],
        ]);
        let right = [
            "1 blue can't pay its upkeep for the first time",
            "1 blue's cities starve: no food is left",
            "2 blue's base at 9 9 is in danger: red's fighter is there",
            "2 blue's pioneer #3 at 15 16 goes over to red",
            "2 battle around 16,\u{a0}16 until turn 3: blue loses 2 workers",
            "4 blue is beaten: its base at 9,\u{a0}9 fell to red’s fighter #1",
        ];
        let mut sorted = [lines.clone(), right.map(str::to_owned).to_vec()];
        sorted.iter_mut().for_each(|lines| lines.sort());
        assert_eq!(sorted[0], sorted[1], "{lines:#?}");
        assert!(lines.is_sorted_by_key(|line| line.split(' ').next().map(str::to_owned)), "{lines:#?}");
    }

    #[test]
    fn sieges_dominion_desertions_and_lost_bases_are_told() {
        let lines = told(&[
            &["umv #1 9 9", "sie 9 9 2", "loc 12 12 1 plain b--- -", "dom 50 red 1"],
            &["udi #4 unpaid", "sie 9 9 1", "loc 12 12 - plain b--- -", "dom 50 red 2"],
            &["udi #5 unpaid", "sie 9 9 2", "dom 50 -"],
            // What was told lately is no news.
            &["sie 9 9 1", "dom 50 red 1"],
            &["dom 50 -"],
        ]);
        for right in [
            "1 blue's base at 9 9 is besieged by red's fighter: 2 of 4 left",
            "2 blue's base at 9 9 is besieged by red's fighter: 1 of 4 left",
            "1 red holds the 50 % of the land that dominion needs",
            "3 red no longer holds the land that dominion needs",
            "5 red no longer holds the land that dominion needs",
            "2 blue loses a base that isn't its current one, at 12 12",
            "2 blue loses 2 workers by desertion, unpaid, until turn 3",
        ] {
            assert!(lines.iter().any(|line| line == right), "{right} in {lines:#?}");
        }
        assert_eq!(
            lines.iter().filter(|line| line.contains("besieged") || line.contains("holds the")).count(),
            5
        );
    }

    #[test]
    fn of_a_long_story_what_matters_least_is_left_out() {
        let mut story = Story::new();
        DUMP.iter().for_each(|line| story.know(line.as_bytes()));
        (0..MOST + 40).for_each(|_| story.tell(Weight::Danger, "a unit comes near".to_owned()));
        (0..MOST_NOTES).for_each(|_| story.note("a bot notes".to_owned()));
        story.tell(Weight::Fall, "red is beaten".to_owned());
        let (lines, left_out) = story.finish();
        assert_eq!((lines.len(), left_out), (MOST, 71));
        assert_eq!(lines.iter().filter(|line| line.words == "a bot notes").count(), MOST_NOTES);
        assert!(lines.iter().any(|line| line.words == "red is beaten"));
        // A hundred factions fill the table, and the story is shorter.
        let names: Vec<String> = (0..100).map(|number| format!("f{number}")).collect();
        let options = format!(
            "gam conquest 2 factions {} cities off rules arena mode concurrent turns 40 time 0 placement random alliances -",
            names.join(",")
        );
        story.know(options.as_bytes());
        names.iter().for_each(|name| story.know(format!("tna {name}").as_bytes()));
        (0..MOST).for_each(|_| story.tell(Weight::Danger, "a unit comes near".to_owned()));
        assert_eq!(story.finish().0.len(), MOST - 80);
    }
}
