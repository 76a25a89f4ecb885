//! How a match stands, in sentences, as it goes on, and in the end why it was won: a fold over the messages to
//! observers.
//!
//! Each message is looked at before the mirror takes it in; sentences are made at the end of turns. Never says more
//! than the messages so far. Tested in this module.

use std::collections::{BTreeMap, BTreeSet};

use super::battles::{Battles, Death};
use super::constants::{DOMINION_TURNS, SIEGE_STRENGTH};
use super::geometry::reach;
use super::mirror::{Mirror, MirrorFaction};
use super::observer::Message;
use super::player::Actor;
use super::{Cause, FactionId};
use crate::commentary::{Remark, Remarks, is_round, place};
use crate::text::{listed, many, possessive, thousands};
use crate::types::{Position, Tick};

/// The most that a side's land may lack of the share that wins for a remark that it is near, in percent of the map.
const NEAR_PERCENT: u32 = 10;
/// The numbers of turns left at which a sentence says how the match stands.
const LAST_TURNS: [u32; 4] = [100, 50, 20, 10];
/// The turn before which the share of land that wins still counts as that of the beginning.
const EARLY_TURNS: u32 = 10;
/// The most changes of the lead that are each named by their turns; of more, only the first and the last are.
const NAMED_LEADS: usize = 4;

/// Sentences that might be said: the weight, the faction that the sentence is about, the sentence.
type Sayings = Vec<(u32, FactionId, String)>;

/// What is said of a match as it goes on.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Commentary {
    pub remarks: Remarks<FactionId>,
    pub battles: Battles,
    /// The changes of the lead: the turn, and the faction that has had the highest score since.
    leads: Vec<(u32, FactionId)>,
    /// The beaten factions: the turn, the faction, and how it was beaten, in a sentence.
    beaten: Vec<(u32, FactionId, String)>,
    /// The base that has just become neutral, and the faction that had it.
    neutral: Option<(Position, FactionId)>,
    /// How the base of each faction fell.
    fell: BTreeMap<FactionId, String>,
    /// The number of turns in which each faction couldn't pay its upkeep.
    unpaid: BTreeMap<FactionId, u32>,
    /// Factions of which it was said that they are near to winning by land.
    near: BTreeSet<FactionId>,
    /// The share of the land that wins, in percent, as the first messages had it; 0 once a remark said that less wins.
    need: u32,
}

/// A number that may be negative.
pub fn signed(number: i64) -> String {
    format!("{}{}", if number < 0 { "−" } else { "" }, thousands(number.unsigned_abs()))
}

fn name(mirror: &Mirror, faction: FactionId) -> String {
    mirror.name(faction).map_or_else(|| "no faction".to_owned(), ToString::to_string)
}

/// The names of a side's members, as a sentence lists them.
fn names(mirror: &Mirror, side: &[FactionId]) -> String {
    listed(&side.iter().map(|one| name(mirror, *one)).collect::<Vec<_>>())
}

/// The living factions, the highest score first; of equal scores the larger land first.
fn ranked(mirror: &Mirror) -> Vec<(FactionId, &MirrorFaction)> {
    let mut all: Vec<_> = mirror.living().collect();
    all.sort_by_key(|(_, known)| std::cmp::Reverse((known.holdings.score, known.holdings.land)));
    all
}

impl Commentary {
    /// Takes in a message, before `mirror` does.
    pub fn look(&mut self, tick: Tick, message: &Message, mirror: &Mirror) {
        let turn = mirror.turn;
        match message {
            Message::Gone { unit, cause: cause @ (Cause::Attack | Cause::Bomb | Cause::Unpaid) } => {
                if let Some(was) = mirror.units.get(unit) {
                    let deserts = *cause == Cause::Unpaid;
                    let death = Death { turn, tick, at: was.at, of: was.faction, kind: was.kind, deserts };
                    self.battles.add(death, mirror);
                }
            }
            Message::Unpaid(of) => {
                if let Some(of) = mirror.faction(of) {
                    *self.unpaid.entry(of).or_default() += 1;
                }
            }
            Message::Tile { at, tile } if tile.owner.is_none() => {
                let was = mirror.tile(*at).filter(|was| was.flags.base).and_then(|was| was.owner);
                let own = |of: &FactionId| mirror.factions.get(of.index())?.holdings.base;
                if let Some(of) = was.filter(|of| own(of) == Some(*at)) {
                    self.neutral = Some((*at, of));
                    self.fell.insert(of, format!("its base at {} fell", place(*at)));
                }
            }
            // What changed since the last `ord` message was done by the order of this one.
            Message::Ordered { faction, actor, outcome: Ok(()) } => {
                if let Some((at, of)) = self.neutral.take()
                    && let Actor::Unit(unit) = actor
                {
                    let kind = mirror.units.get(unit).map_or("unit", |unit| unit.kind.name());
                    let by = format!("{} {kind} #{unit}", possessive(faction.as_str()));
                    let to = format!("its base at {} fell to {by}", place(at));
                    self.fell.insert(of, to);
                }
            }
            Message::Beaten(of) => {
                if let Some(of) = mirror.faction(of) {
                    let how = self.fell.remove(&of);
                    let how = how.unwrap_or_else(|| "its base isn’t its own any more".to_owned());
                    self.beaten.push((turn, of, format!("{} is beaten: {how}", name(mirror, of))));
                }
            }
            _ => {}
        }
    }

    /// How a faction was beaten, if it was: `red is beaten: its base at 13, 13 fell to blue’s pioneer #219`.
    pub fn fall(&self, of: FactionId) -> Option<&str> {
        self.beaten.iter().rfind(|(_, faction, _)| *faction == of).map(|(.., how)| how.as_str())
    }

    /// Makes at most one remark at the end of a turn on how the match stands.
    pub fn turn(&mut self, tick: Tick, mirror: &Mirror) {
        let mut said = Sayings::new();
        let all = ranked(mirror);
        if let [(first, one), rest @ ..] = &all[..] {
            self.say_who_leads(mirror, (*first, one), rest.first().copied(), &mut said);
            if let Some((second, _)) = rest.first() {
                self.say_what_is_left(mirror, *first, *second, &mut said);
            }
            let need = mirror.dominion.as_ref().map_or(0, |dominion| dominion.need);
            if need < self.need {
                let says =
                    format!("From now on less and less land wins: {need} % for {DOMINION_TURNS} turns");
                said.push((76, *first, says));
                self.need = 0;
            } else if self.need == 0 && mirror.turn < EARLY_TURNS {
                self.need = need;
            }
        }
        for (faction, known) in &all {
            self.say_how_near(mirror, *faction, &mut said);
            self.say_what_threatens(mirror, *faction, known, &mut said);
        }
        said.sort_by_key(|(weight, ..)| std::cmp::Reverse(*weight));
        for (weight, team, says) in said {
            // One remark a turn.
            if self.remarks.say(Remark { tick, team: Some(team), weight, says }) {
                return;
            }
        }
    }

    /// Says which faction leads by score, and how it compares with the second in land, units and kills.
    fn say_who_leads(
        &mut self,
        mirror: &Mirror,
        (first, one): (FactionId, &MirrorFaction),
        second: Option<(FactionId, &MirrorFaction)>,
        said: &mut Sayings,
    ) {
        let Some((second, other)) = second else { return };
        let ([a, b], [has, had]) =
            ([first, second].map(|of| name(mirror, of)), [one.holdings, other.holdings]);
        let by = has.score - had.score;
        let before = self.leads.last().map(|(_, faction)| *faction);
        if by > 0 && before != Some(first) {
            self.leads.push((mirror.turn, first));
            if let Some(before) = before {
                let (from, turn) = (name(mirror, before), mirror.turn);
                said.push((60, first, format!("{a} takes the lead from {from} in turn {turn}")));
            }
        }
        let times = |one: u32, other: u32| {
            let known = [(3, "three times"), (2, "twice")];
            known.into_iter().find(|(times, _)| other > 0 && one >= times * other)
        };
        if let Some((times, word)) = times(has.land, had.land) {
            said.push((36 + times, first, format!("{a} has {word} the land of {b}, or more")));
        }
        if let Some((times, word)) = times(has.population, had.population).filter(|_| has.population > 6) {
            said.push((30 + times, first, format!("{a} has {word} as many units as {b}, or more")));
        }
        if is_round(has.kills) {
            let says = format!("{a} has killed {}, {b} {}", many(has.kills.into(), "unit"), had.kills);
            said.push((26, first, says));
        }
    }

    /// Says how many turns and factions are left.
    fn say_what_is_left(&self, mirror: &Mirror, first: FactionId, second: FactionId, said: &mut Sayings) {
        let [a, b] = [first, second].map(|of| name(mirror, of));
        let score = |of: FactionId| mirror.factions[of.index()].holdings.score;
        let turns = mirror.options.as_ref().map_or(0, |options| options.turns);
        let left = turns.saturating_sub(mirror.turn);
        if LAST_TURNS.contains(&left) {
            let by = many((score(first) - score(second)).unsigned_abs(), "point");
            said.push((66, first, format!("the last {left} turns begin with {b} {by} behind {a}")));
        }
        let living = mirror.factions.iter().filter(|known| known.alive).count();
        if living < mirror.factions.len()
            && self.beaten.last().is_some_and(|(turn, ..)| turn + 1 >= mirror.turn)
        {
            let says = match living {
                2 => format!("{a} and {b} alone are left"),
                _ => format!("{living} of {} factions are left; {a} leads", mirror.factions.len()),
            };
            said.push((80, first, says));
        }
    }

    /// Says how near a faction's side is to winning by its land.
    fn say_how_near(&mut self, mirror: &Mirror, faction: FactionId, said: &mut Sayings) {
        let Some(dominion) = &mirror.dominion else { return };
        let (side, need) = (mirror.side(faction), dominion.need);
        let (who, several) = (names(mirror, &side), side.len() > 1);
        let share = mirror.share(&side);
        let held = dominion
            .held
            .iter()
            .find(|(name, _)| mirror.faction(name).is_some_and(|one| side.contains(&one)));
        if let Some((_, turns)) = held {
            // Said after the first turn only; the observer's scoreboard counts the turns from then on.
            if *turns == 1 {
                let (wins, loses) = if several { ("win", "they lose") } else { ("wins", "it loses") };
                let left = many((DOMINION_TURNS - 1).into(), "turn");
                let says =
                    format!("{who} {wins} unless {loses} land in the next {left} (turn {})", mirror.turn);
                said.push((86, faction, says));
            }
        } else if share + u64::from(NEAR_PERCENT) >= need.into()
            && share < need.into()
            && self.near.insert(side[0])
        {
            let (has, turn) = (if several { "have" } else { "has" }, mirror.turn);
            let says = format!(
                "{who} {has} {share} % of the land; {need} % for {DOMINION_TURNS} turns win (turn {turn})"
            );
            said.push((70, faction, says));
        }
    }

    /// Says whether a faction can't pay its units, or enemies stand at its base.
    fn say_what_threatens(
        &self,
        mirror: &Mirror,
        faction: FactionId,
        known: &MirrorFaction,
        said: &mut Sayings,
    ) {
        let (who, has) = (&known.name, known.holdings);
        let unpaid = self.unpaid.get(&faction).copied().unwrap_or_default();
        if unpaid > 0 && has.upkeep > has.gold {
            let says = format!("{who} couldn’t pay all its units, and loses points");
            said.extend((unpaid == 1).then_some((40, faction, says)));
        }
        if unpaid == 3 || is_round(unpaid) {
            said.push((42, faction, format!("{who} has failed to pay its units in {unpaid} turns so far")));
        }
        let Some((base, size)) = has.base.zip(mirror.size) else { return };
        let strength = mirror.strength(base);
        let enemy = |of: FactionId| of != faction && !mirror.allied(of, faction);
        let enemies =
            mirror.units.values().filter(|unit| enemy(unit.faction) && reach(size, base, unit.at) <= 1);
        let enemies = enemies.count() as u64;
        if strength < SIEGE_STRENGTH && enemies > 1 {
            let of = possessive(who.as_str());
            let says = format!(
                "{enemies} enemies stand at {of} base, which has {strength} of {SIEGE_STRENGTH} left"
            );
            said.push((90 - strength, faction, says));
        }
    }

    /// Why the match ended as it did, in a few sentences, the most telling first; none is guessed. `reason` is the
    /// record's word for it, `None` if it isn't known.
    pub fn why(&self, mirror: &Mirror, reason: Option<&str>, winners: &[FactionId]) -> Vec<String> {
        let (turn, mut why) = (mirror.turn, Vec::new());
        let mut lost = self.beaten.iter().rev();
        match reason {
            Some(word @ ("turns" | "time")) => {
                let over = if word == "time" { "Time was over" } else { "The last turn was over" };
                let best = ranked(mirror).into_iter().take(2);
                let best: Vec<String> = best
                    .map(|(_, known)| format!("{} {}", known.name, signed(known.holdings.score)))
                    .collect();
                why.push(format!("{over} in turn {turn}; the best score wins: {}", best.join(" before ")));
            }
            Some("stopped") => why.push(format!("The operator ended the match in turn {turn}")),
            Some("dominion") => {
                why.push(format!(
                    "{} held enough of the land at the end of {DOMINION_TURNS} turns in a row, the last one turn {turn}",
                    names(mirror, winners)
                ));
            }
            Some("extinction") => why.push(format!("No faction was left in turn {turn}")),
            _ => why.push(match lost.next() {
                Some((turn, _, how)) => format!("In turn {turn} {how}"),
                None => format!("It ended in turn {turn}"),
            }),
        }
        let before: Vec<String> =
            lost.map(|(turn, of, _)| format!("{} in turn {turn}", name(mirror, *of))).collect();
        if !before.is_empty() {
            why.push(format!("Beaten before: {}", before.join(", ")));
        }
        if let Some((since, leader)) = self.leads.last() {
            let turns: Vec<String> = self.leads[1..].iter().map(|(turn, _)| turn.to_string()).collect();
            let times = match &turns[..] {
                [] => "was never overtaken".to_owned(),
                [turn] => format!("the lead changed once, in turn {turn}"),
                turns if turns.len() <= NAMED_LEADS => format!("the lead changed in turns {}", listed(turns)),
                [first, .., last] => {
                    format!("the lead changed {} times, from turn {first} to turn {last}", turns.len())
                }
            };
            why.push(format!("{} led by score from turn {since} on; {times}", name(mirror, *leader)));
        }
        why
    }
}

/// The side with the most land, by its first member, and what it still lacks for victory by land: `red to victory: 63
/// tiles more, held for 5 turns`.
pub fn lacks(mirror: &Mirror) -> Option<(FactionId, String)> {
    let dominion = mirror.dominion.as_ref()?;
    let side = mirror.widest_side()?;
    let most = Some(mirror.land(&side)).filter(|most| *most > 0)?;
    let needed = (mirror.tiles.len() as u64 * u64::from(dominion.need)).div_ceil(100);
    let more = needed.checked_sub(most).filter(|more| *more > 0)?;
    let who = names(mirror, &side);
    Some((
        *side.first()?,
        format!("{who} to victory: {} more, held for {DOMINION_TURNS} turns", many(more, "tile")),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fac(name: &str, number: u8, land: u32, score: i64, more: &str) -> String {
        let base = if number == 0 { "2 2" } else { "9 9" };
        let more = if more.is_empty() { "gold 500" } else { more };
        let pop = if more.starts_with("gold 5 ") { 8 } else { 2 };
        let gold = more.trim_end_matches(" poor");
        format!(
            "fac {name} {number} {gold} food 0 wood 0 bombs 0 land {land} pop {pop} cap 5 kills 0 score {score} upkeep 40 base {base} slot - 0"
        )
    }

    /// The remarks on a match with these lines in each turn, its commentary, and the world at the end.
    fn remarks_after(turns: &[&[String]]) -> (Vec<String>, Commentary, Mirror) {
        let (mut commentary, mut mirror) = (Commentary::default(), Mirror::new());
        let dump = [
            "msz 20 20".to_owned(),
            "gam conquest 2 factions red,blue cities off rules arena mode concurrent turns 40 time 0 placement random alliances -".to_owned(),
            "tna red".to_owned(),
            "tna blue".to_owned(),
            fac("red", 0, 10, 0, ""),
            fac("blue", 1, 9, 0, ""),
            "loc 2 2 0 plain b--- -".to_owned(),
            "loc 9 9 1 plain b--- -".to_owned(),
            "unw #1 red fighter 8 9 6 -".to_owned(),
            "unw #2 red fighter 8 8 6 -".to_owned(),
        ];
        for line in &dump {
            mirror.apply(&Message::parse(line.as_bytes()).unwrap_or_else(|_| panic!("{line}"))).unwrap();
        }
        for (turn, lines) in (1_u32..).zip(turns) {
            let began = format!("trn {turn} 0 red blue");
            for line in std::iter::once(&began).chain(*lines).chain([&format!("tnd {turn}")]) {
                let message = Message::parse(line.as_bytes()).unwrap_or_else(|_| panic!("{line}"));
                commentary.look(turn.into(), &message, &mirror);
                mirror.apply(&message).unwrap();
            }
            commentary.turn(turn.into(), &mirror);
        }
        (commentary.remarks.all().iter().map(|one| one.says.clone()).collect(), commentary, mirror)
    }

    fn line(text: &str) -> String {
        text.to_owned()
    }

    #[test]
    fn each_sentence_stands_for_what_was_counted_and_comes_once() {
        let a = [fac("red", 0, 10, 50, "")];
        let b = [fac("blue", 1, 9, 80, "")];
        let c = [fac("red", 0, 30, 90, "")];
        let d = [line("upk red"), fac("red", 0, 30, 90, "gold 5 poor")];
        let e = [line("sie 9 9 2")];
        let f = [line("dom 50 red 1")];
        let (said, mut commentary, mut mirror) = remarks_after(&[&a, &b, &c, &c, &d, &e, &e, &f]);
        assert_eq!(
            said,
            [
                "blue takes the lead from red in turn 2",
                "red takes the lead from blue in turn 3",
                "red has three times the land of blue, or more",
                "red couldn’t pay all its units, and loses points",
                "2 enemies stand at blue’s base, which has 2 of 4 left",
                "red has three times as many units as blue, or more",
                "red wins unless it loses land in the next 4 turns (turn 8)",
            ]
        );
        assert_eq!(lacks(&mirror).unwrap().1, "red to victory: 170 tiles more, held for 5 turns");
        let why = commentary.why(&mirror, Some("turns"), &[FactionId(0)]);
        assert_eq!(
            why,
            [
                "The last turn was over in turn 8; the best score wins: red 90 before blue 80",
                "red led by score from turn 3 on; the lead changed in turns 2 and 3",
            ]
        );
        mirror.options.as_mut().unwrap().alliances = vec![vec![FactionId(0), FactionId(1)]];
        commentary.turn(9, &mirror);
        let last = &commentary.remarks.all().last().unwrap().says;
        assert_eq!(last, "red and blue win unless they lose land in the next 4 turns (turn 8)");
        assert_eq!(lacks(&mirror).unwrap().1, "red and blue to victory: 161 tiles more, held for 5 turns");
    }

    #[test]
    fn who_is_left_who_has_time_and_how_a_base_fell_are_told() {
        let none: [String; 0] = [];
        let mut turns: Vec<&[String]> = vec![&none; 30];
        let fell = [line("loc 2 2 - plain b--- -"), line("ord blue #1 ok"), line("fde red")];
        let near = [fac("blue", 1, 170, 9, ""), line("dom 50 -")];
        let less = [line("dom 49 -")];
        (turns[4], turns[20], turns[22]) = (&near, &less, &less);
        turns[30 - 1] = &fell;
        let (said, commentary, mirror) = remarks_after(&turns);
        assert_eq!(said[0], "blue has 42 % of the land; 50 % for 5 turns win (turn 5)");
        let less: Vec<&String> = said.iter().filter(|says| says.contains("less land")).collect();
        assert_eq!(less, ["From now on less and less land wins: 49 % for 5 turns"]);
        assert!(said.contains(&line("the last 20 turns begin with red 9 points behind blue")), "{said:?}");
        let how = "red is beaten: its base at 2,\u{a0}2 fell to blue’s fighter #1";
        assert_eq!(commentary.fall(FactionId(0)), Some(how));
        assert_eq!(
            commentary.why(&mirror, Some("conquest"), &[FactionId(1)])[0],
            format!("In turn 30 {how}")
        );
    }
}
