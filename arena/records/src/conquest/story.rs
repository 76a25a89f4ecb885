//! The story of a match by its turns: the messages to observers become lines, of which the less important ones are left
//! out.
//!
//! Keeps the world as observers know it, and the lines, each as words and as an object for programs. Tested in `tests`,
//! and in `arena/cli/tests/records/`.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use zappy_protocol::commentary::place;
use zappy_protocol::conquest::commentary::Commentary;
use zappy_protocol::conquest::constants::SIEGE_STRENGTH;
use zappy_protocol::conquest::geometry::reach;
use zappy_protocol::conquest::mirror::Mirror;
use zappy_protocol::conquest::observer::Message;
use zappy_protocol::conquest::{FactionId, UnitId, UnitType};
use zappy_protocol::text::{many, shortened, shown};
use zappy_protocol::{Position, TeamName, Tick};

use super::sides::name;
use super::tables::{Counts, Rows};

mod standing;

/// The most lines of a story, which then has fewer than two hundred with its head and its tables.
const MOST_LINES: usize = 120;
/// The most lines that are kept, those for programs alone included.
const MOST_KEPT_LINES: usize = 200_000;
/// The number of notes of bots that matter more than most of what happened; further notes matter least.
const MOST_NOTES: usize = 30;
/// The most lines of the operator that are shown; further ones are counted.
const MOST_OPERATED: usize = 20;
/// The number of factions that the table may list without making the story shorter.
const FREE_ROWS: usize = 20;
/// Turns for which a base that was in danger, or besieged, gets no further line when it is again.
const CALM_TURNS: u32 = 10;

/// The most characters that are shown of a line of the operator.
const OPERATOR_CHARACTERS: usize = 120;
/// The operator's commands that only ask.
const QUESTIONS: [&str; 3] = ["/help", "/state", "/map"];

/// How much a line matters: of a long story the lines that matter least are left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Weight {
    /// Only in the story's JSON.
    Silent,
    Death,
    Unpaid,
    Danger,
    City,
    Conversion,
    Lead,
    Battle,
    Dominion,
    Note,
    Operator,
    Fall,
}

/// A line of the story.
#[derive(Debug)]
pub(super) struct StoryLine {
    pub(super) turn: u32,
    pub(super) tick: Tick,
    weight: Weight,
    pub(super) words: String,
    /// The line for programs: its type, and what it is about.
    object: Value,
}

impl StoryLine {
    pub(super) fn json(mut self) -> Value {
        if self.object.get("tick").is_none() {
            self.object["tick"] = self.tick.into();
            self.object["text"] = self.words.into();
        }
        self.object["turn"] = self.turn.into();
        self.object
    }
}

/// The operator's lines so far.
#[derive(Debug, Default)]
struct Operator {
    /// The last line, until it has its place in the story or was refused.
    line: Option<String>,
    /// Whether what happens now is the effect of the operator's line.
    acts: bool,
    /// The factions that were beaten before one of them was made to live again, while the snapshot comes that says so.
    dead: Option<BTreeSet<TeamName>>,
    /// How many lines were obeyed before the first turn.
    before_start: usize,
    /// How many lines were obeyed from the first turn on.
    since_start: usize,
}

/// What happened so far, as lines, and the world as observers know it.
#[derive(Debug, Default)]
pub(super) struct Story {
    pub(super) mirror: Mirror,
    lines: Vec<StoryLine>,
    /// How many lines were not kept.
    not_kept: usize,
    /// The remarks on how the match stands, the battles, and how the match was won.
    pub(super) commentary: Commentary,
    pub(super) rows: Rows,
    operator: Operator,
    tick: Tick,
    /// The turn in which each base was last in danger.
    danger: BTreeMap<FactionId, u32>,
    /// The turn of the last line on a siege of each base, and the strength that was left then.
    sieges: BTreeMap<Position, (u32, u32)>,
    /// The leaders by score and by land in the last line on a lead, and its turn.
    lead: (Option<FactionId>, Option<Vec<FactionId>>, u32),
    /// The factions that have no food left.
    starving: BTreeSet<FactionId>,
    /// How many notes of bots were added.
    notes: usize,
    pub(super) counts: Counts,
}

impl Story {
    /// Takes a message of a snapshot.
    pub(super) fn restore(&mut self, line: &[u8]) {
        if let Ok(message) = Message::parse(line) {
            // A message that contradicts earlier ones is left out.
            let _ = self.mirror.apply(&message);
        }
    }

    /// Takes a message of something that happened.
    pub(super) fn take(&mut self, tick: Tick, line: &[u8]) {
        let Ok(message) = Message::parse(line) else { return };
        self.advance(tick);
        if matches!(message, Message::Game { .. }) && self.mirror.turn > 0 {
            // A `gam` within a match says that a faction was made to live again; a whole snapshot follows.
            let dead = self.mirror.factions.iter().filter(|known| !known.alive);
            self.operator.dead = Some(dead.map(|known| known.name.clone()).collect());
        }
        if self.operator.dead.is_some() && message.is_dump() {
            return self.restore(line);
        }
        self.end_dump();
        if let Message::Ordered { .. } = message {
            self.operator.acts = false;
        }
        if !(self.operator.acts && matches!(message, Message::Beaten(_))) {
            self.commentary.look(tick, &message, &self.mirror);
        }
        self.add_lines_on(&message);
        let _ = self.mirror.apply(&message);
        match message {
            Message::PhaseBegan { .. } => self.rows.begin(tick, &self.mirror),
            Message::TurnEnded(_) => standing::end_turn(self),
            Message::Moved { unit, .. } => self.add_dangers(unit),
            _ => {}
        }
    }

    /// A snapshot has ended: adds lines on the factions that live again.
    fn end_dump(&mut self) {
        let Some(dead) = self.operator.dead.take() else { return };
        let again = self.mirror.living().filter(|(_, known)| dead.contains(&known.name));
        for one in again.map(|(one, _)| one).collect::<Vec<_>>() {
            self.counts.beaten.remove(&one);
            let name = self.name(one);
            self.add(Weight::Fall, format!("{name} lives again"), json!({ "type": "revived", "team": name }));
        }
    }

    /// Takes a line of the operator's.
    pub(super) fn operate(&mut self, tick: Tick, line: &[u8]) {
        self.take_input(tick);
        let line = String::from_utf8_lossy(line.trim_ascii()).into_owned();
        let first = line.split_whitespace().next().unwrap_or_default();
        self.operator.acts = !line.is_empty() && !QUESTIONS.contains(&first);
        self.operator.line = self.operator.acts.then(|| shortened(&line, OPERATOR_CHARACTERS));
    }

    /// Notes that the operator's last line was refused.
    pub(super) fn refuse_operator(&mut self) {
        (self.operator.line, self.operator.acts) = (None, false);
    }

    /// Notes an input that isn't the operator's: what happens from now on is no effect of the operator's line.
    pub(super) fn take_input(&mut self, tick: Tick) {
        self.advance(tick);
        self.end_dump();
        self.operator.acts = false;
    }

    /// Lets time pass up to a tick. Since the operator's last line wasn't refused by now, it was obeyed.
    fn advance(&mut self, tick: Tick) {
        self.add_operator();
        if tick > self.tick {
            self.end_dump();
            (self.operator.acts, self.tick) = (false, tick);
        }
    }

    fn add_operator(&mut self) {
        let Some(line) = self.operator.line.take() else { return };
        let counts = &mut self.operator;
        let count = if self.mirror.turn == 0 { &mut counts.before_start } else { &mut counts.since_start };
        *count += 1;
        let is_shown = self.mirror.turn > 0 && *count <= MOST_OPERATED;
        let weight = if is_shown { Weight::Operator } else { Weight::Silent };
        let words = format!("the operator: {}", shown(line.as_bytes()));
        self.add(weight, words, json!({ "type": "operator", "line": line }));
    }

    /// A notice of how many lines of the operator the story doesn't show; empty if it shows all.
    pub(super) fn operator_notice(&self) -> String {
        let Operator { before_start, since_start, .. } = self.operator;
        let more = since_start.saturating_sub(MOST_OPERATED);
        let [early, late] = [before_start, more].map(|count| many(count as u64, "line"));
        let mut text = String::new();
        if before_start > 0 {
            text += &format!("\n{early} of the operator’s changed the match before its first turn\n");
        }
        if more > 0 {
            text += &format!("\n{late} more of the operator’s aren’t told; --json has them\n");
        }
        text
    }

    /// Adds a bot's note, in words and as an object for programs.
    pub(super) fn note(&mut self, words: String, object: Value) {
        self.notes += 1;
        self.add(if self.notes > MOST_NOTES { Weight::Death } else { Weight::Note }, words, object);
    }

    /// Adds a line on what happened in the running turn.
    fn add(&mut self, weight: Weight, words: String, object: Value) {
        self.push(StoryLine { turn: self.mirror.turn, tick: self.tick, weight, words, object });
    }

    fn push(&mut self, mut line: StoryLine) {
        // A protected blank would puzzle terminals and `grep`.
        line.words = line.words.replace('\u{a0}', " ");
        if self.lines.len() < MOST_KEPT_LINES {
            self.lines.push(line);
        } else {
            self.not_kept += 1;
        }
    }

    fn name(&self, faction: FactionId) -> String {
        name(&self.mirror, faction)
    }

    /// Adds the lines on a message, before it changes the mirror.
    fn add_lines_on(&mut self, message: &Message) {
        match message {
            Message::Tile { at, tile } if tile.owner.is_none() => {
                let was = self.mirror.tile(*at).filter(|was| was.flags.base).and_then(|was| was.owner);
                // The fall of a faction's current base has no line of its own: the faction falls with it.
                let base = |owner: &FactionId| self.mirror.factions.get(owner.index())?.holdings.base;
                if let Some(owner) = was.filter(|owner| base(owner) != Some(*at)) {
                    let of = self.name(owner);
                    let words = format!("{of} loses a base that isn't its current one, at {}", place(*at));
                    let object = json!({ "type": "lost_base", "team": of, "at": [at.x, at.y] });
                    self.add(Weight::City, words, object);
                }
            }
            Message::Beaten(name) => self.add_fall(name),
            Message::Converted { unit, faction } => {
                if let Some(was) = self.mirror.units.get(unit).copied() {
                    let (of, kind, at) = (self.name(was.faction), was.kind, was.at);
                    let words = format!("{of}'s {kind} #{unit} at {} goes over to {faction}", place(at));
                    let object = json!({ "type": "converted", "team": of, "unit": unit.0, "kind": kind.name(), "at": [at.x, at.y],
                                       "to": faction.as_str() });
                    self.add(Weight::Conversion, words, object);
                }
            }
            Message::Siege { at, left } => self.add_siege(*at, *left),
            Message::Dominion(dominion) => standing::add_dominion(self, dominion),
            Message::Unpaid(name) => {
                let times = self.counts.unpaid.entry(name.clone()).or_default();
                *times += 1;
                let (weight, which) = match times {
                    1 => (Weight::Unpaid, " for the first time"),
                    _ => (Weight::Silent, ""),
                };
                let object = json!({ "type": "unpaid", "team": name.as_str(), "times": times });
                self.add(weight, format!("{name} can't pay its upkeep{which}"), object);
            }
            Message::Late(name) => *self.counts.late.entry(name.clone()).or_default() += 1,
            Message::City { at, .. } if !self.mirror.cities.contains_key(at) && self.mirror.turn > 0 => {
                if let Some(owner) = self.mirror.tile(*at).and_then(|tile| tile.owner) {
                    let name = self.name(owner);
                    let object = json!({ "type": "city", "team": name, "at": [at.x, at.y] });
                    self.add(Weight::City, format!("{name} has a city at {}", place(*at)), object);
                }
            }
            _ => {}
        }
    }

    fn add_fall(&mut self, name: &TeamName) {
        let faction = self.mirror.faction(name);
        if let Some(one) = faction {
            self.counts.beaten.insert(one, self.mirror.turn);
        }
        let by_operator = self.operator.acts;
        let how = faction.and_then(|faction| self.commentary.fall(faction)).filter(|_| !by_operator);
        let words = match how {
            Some(how) => how.to_owned(),
            None if by_operator => format!("{name} is beaten, by the operator"),
            None => format!("{name} is beaten"),
        };
        let object = json!({ "type": "fallen", "team": name.as_str(), "by_operator": by_operator });
        self.add(Weight::Fall, words, object);
    }

    /// Adds a line on a base that loses strength, if it has less than in the last line on it, or if that line is long
    /// ago.
    fn add_siege(&mut self, at: Position, left: u32) {
        let before = self.mirror.strength(at);
        let (turn, last_line) = (self.mirror.turn, self.sieges.get(&at));
        let is_news = last_line.is_none_or(|&(then, least)| turn > then + CALM_TURNS || left < least);
        let Some(owner) =
            self.mirror.tile(at).and_then(|tile| tile.owner).filter(|_| left < before && is_news)
        else {
            return;
        };
        self.sieges.insert(at, (turn, left));
        let besieger = self.mirror.units.values().find(|unit| unit.at == at).copied();
        let by = besieger
            .map_or_else(String::new, |unit| format!(" by {}'s {}", self.name(unit.faction), unit.kind));
        let of = self.name(owner);
        let words = format!("{of}'s base at {} is besieged{by}: {left} of {SIEGE_STRENGTH} left", place(at));
        let by = besieger.map(|unit| self.name(unit.faction));
        let object = json!({ "type": "siege", "team": of, "at": [at.x, at.y], "by": by, "left": left });
        self.add(Weight::Danger, words, object);
    }

    /// Adds a line on enemies that come next to a base and can take it.
    fn add_dangers(&mut self, id: UnitId) {
        let (Some(unit), Some(size)) = (self.mirror.units.get(&id).copied(), self.mirror.size) else {
            return;
        };
        if !matches!(unit.kind, UnitType::Pioneer | UnitType::Fighter) {
            return;
        }
        let threatens = |&(faction, base): &(FactionId, Position)| {
            !self.mirror.allied(faction, unit.faction) && reach(size, base, unit.at) <= 1
        };
        let bases = self.mirror.living().filter_map(|(faction, known)| Some((faction, known.holdings.base?)));
        let threatened: Vec<_> = bases.filter(threatens).collect();
        for (faction, base) in threatened {
            let turn = self.mirror.turn;
            let before = self.danger.insert(faction, turn);
            if before.is_none_or(|before| turn > before + CALM_TURNS) {
                let (of, by) = (self.name(faction), self.name(unit.faction));
                let words =
                    format!("{of}'s base at {} is in danger: {by}'s {} is there", place(base), unit.kind);
                let object = json!({ "type": "danger", "team": of, "at": [base.x, base.y], "by": by, "unit": unit.kind.name() });
                self.add(Weight::Danger, words, object);
            }
        }
    }

    /// Adds the lines that are known only when the match is over: on what each faction had, and on battles.
    pub(super) fn end(&mut self) {
        self.add_operator();
        self.end_dump();
        self.rows.finish(self.tick, &self.mirror);
        for object in self.rows.json(&self.mirror) {
            let (turn, tick) = (object["turn"].as_u64(), object["tick"].as_u64());
            let turn = turn.and_then(|turn| u32::try_from(turn).ok()).unwrap_or_default();
            let (weight, words) = (Weight::Silent, String::new());
            self.push(StoryLine { turn, tick: tick.unwrap_or_default(), weight, words, object });
        }
        let units = |kinds: &BTreeMap<UnitType, u32>| -> BTreeMap<&str, u32> {
            kinds.iter().map(|(kind, count)| (kind.name(), *count)).collect()
        };
        for battle in std::mem::take(&mut self.commentary.battles.all) {
            let weight = if battle.fallen() > 1 { Weight::Battle } else { Weight::Death };
            let words = battle.words(|faction| self.name(faction));
            let lost: BTreeMap<String, _> =
                battle.lost.iter().map(|(of, kinds)| (self.name(*of), units(kinds))).collect();
            let (first, until) = (battle.first, battle.newest.turn);
            let object = if first.deserts {
                json!({ "type": "desertion", "until": until, "lost": lost })
            } else {
                let (at, gate) = (first.at, battle.gate.map(|of| self.name(of)));
                json!({ "type": "battle", "until": until, "at": [at.x, at.y], "base_of": gate, "goes_on": battle.goes_on,
                        "lost": lost })
            };
            self.push(StoryLine { turn: first.turn, tick: first.tick, weight, words, object });
        }
    }

    /// All lines in their order.
    pub(super) fn everything(&mut self) -> Vec<StoryLine> {
        let mut lines = std::mem::take(&mut self.lines);
        // A turn's resolution and the beginning of the next turn share a tick.
        lines.sort_by_key(|line| (line.turn, line.tick));
        lines
    }

    /// The lines of a story of reasonable length in their order, and how many were left out because they matter less.
    pub(super) fn finish(&mut self) -> (Vec<StoryLine>, usize) {
        let mut lines = self.everything();
        lines.retain(|line| line.weight > Weight::Silent);
        // Each faction has a line in the table below the story.
        let most = MOST_LINES.saturating_sub(self.mirror.factions.len().saturating_sub(FREE_ROWS));
        let left_out = lines.len().saturating_sub(most) + self.not_kept;
        // The lines that matter least are left out, of equal ones the later.
        let mut lines: Vec<(usize, StoryLine)> = lines.into_iter().enumerate().collect();
        lines.sort_by_key(|(place, line)| (std::cmp::Reverse(line.weight), *place));
        lines.truncate(most);
        lines.sort_by_key(|(place, _)| *place);
        (lines.into_iter().map(|(_, line)| line).collect(), left_out)
    }
}

#[cfg(test)]
mod tests;
