//! What each faction did in all, how bases fell, and the moments that decided a match, counted from what observers
//! read.
//!
//! Bounded: beyond `MOMENT_LIMIT` the oldest moments go. Must never guess what a unit did: only the report of its own
//! order says so. Tested in this module.

use std::collections::{BTreeMap, VecDeque};

use zappy_protocol::conquest::battles::Battle;
use zappy_protocol::conquest::constants::SIEGE_STRENGTH;
use zappy_protocol::conquest::mirror::Mirror;
use zappy_protocol::conquest::{Cause, FactionId, UnitId, UnitType};
use zappy_protocol::{Position, Tick};

use super::state::{Incident, IncidentKind, Slayer, TURN, is_alive};
use zappy_observer::led::decisive;
use zappy_observer::timeline::push_bounded;

/// Moments kept, the newest.
const MOMENT_LIMIT: usize = 5_000;
/// Two moments that are at most so many ticks apart belong to one story.
const STORY_TICKS: Tick = 2 * TURN;

/// What a faction did in all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FactionDeeds {
    /// Units that appeared for it.
    pub built: u32,
    /// Units that are gone, whatever ended them.
    pub gone: u32,
    /// Enemies that fell to its units and bombs, and those that it made change sides.
    pub won: u32,
    /// Units that fell to enemies, and those that were made to change sides.
    pub lost: u32,
    /// Bases that fell to its units, and neutral ones that became its own; the same fall counts once.
    pub bases_taken: u32,
    /// Bases that it had, and lost while it was in the match.
    pub bases_lost: u32,
    /// Tiles that became its own.
    pub land_taken: u32,
    /// Tiles that it had, and lost.
    pub land_lost: u32,
    /// Orders that the server took in and couldn't carry out.
    pub orders_lost: u32,
    /// Lines that the server refused; only records hold them.
    pub refused: u32,
}

/// How a faction lost a base.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fall {
    pub tick: Tick,
    pub at: Position,
    /// The faction that lost it.
    pub from: FactionId,
    /// The unit that took it or made it neutral, as far as that is known.
    pub by: Option<(FactionId, UnitId, UnitType)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MomentKind {
    /// A faction lost a base.
    Fell(Fall),
    /// A faction took a base that belonged to none.
    Took(FactionId),
    /// A faction is beaten, by the fall of its base as far as that is known.
    Beaten(FactionId, Option<Fall>),
    /// The base of a faction is under siege, with so much strength left.
    Siege(Option<FactionId>, u32),
    /// The base of a faction lost its fort, so the next blows take its strength.
    Bared(FactionId),
    /// The factions of a side have held the land that wins for so many turns.
    Dominion(Vec<FactionId>, u32),
    /// A faction couldn't pay its upkeep, though it could the turn before.
    Unpaid(FactionId),
    /// Units fell close to each other in this turn: a battle began or went on.
    Battle(Battle),
    /// A faction took the highest score, `true` if another one had it before.
    Leads(FactionId, bool),
    Over,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatchMoment {
    pub tick: Tick,
    /// Its tile, if it has one.
    pub at: Option<Position>,
    pub kind: MomentKind,
}

impl MatchMoment {
    /// How much it decides, compared with others: 12 to 205 points.
    pub fn score(&self) -> u32 {
        match &self.kind {
            // A defeat says more than that the match is over.
            MomentKind::Beaten(..) => 205,
            MomentKind::Over => 200,
            MomentKind::Fell(_) => 94,
            MomentKind::Leads(_, true) => 60,
            // A base that loses strength ranks above all that only endangers one.
            MomentKind::Siege(_, left) => 93 - left.min(&3),
            MomentKind::Bared(_) => 89,
            MomentKind::Dominion(_, turns) => 83 + turns.min(&6),
            MomentKind::Unpaid(_) => 24,
            MomentKind::Battle(battle) => (20 + 4 * battle.fallen()).min(82),
            MomentKind::Took(_) => 30,
            MomentKind::Leads(_, false) => 12,
        }
    }
}

/// What is counted of a match.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MatchTally {
    /// Each faction, by its number.
    pub deeds: Vec<FactionDeeds>,
    /// The moments that matter, the oldest first.
    pub moments: VecDeque<MatchMoment>,
    /// Bases that fell in the running turn, with the unit that took each once its order is reported.
    falls: Vec<Fall>,
    /// The faction that each base fell to last.
    last_taker: BTreeMap<Position, FactionId>,
    /// The factions that couldn't pay in the running turn, and those in the turn before.
    unpaid: [Vec<FactionId>; 2],
    leader: Option<FactionId>,
}

impl MatchTally {
    /// The counts of a faction; zeros at its first deed.
    pub fn deeds_of(&mut self, faction: FactionId) -> &mut FactionDeeds {
        let place = faction.index();
        if self.deeds.len() <= place {
            self.deeds.resize_with(place + 1, FactionDeeds::default);
        }
        &mut self.deeds[place]
    }

    fn note_moment(&mut self, tick: Tick, at: Option<Position>, kind: MomentKind) {
        push_bounded(&mut self.moments, MOMENT_LIMIT, MatchMoment { tick, at, kind });
    }

    /// Counts an incident that `mirror` has applied already.
    pub fn count(&mut self, incident: &Incident, mirror: &Mirror) {
        let (tick, at) = (incident.tick, incident.at);
        match &incident.what {
            IncidentKind::Appeared(_, unit) => self.deeds_of(unit.faction).built += 1,
            IncidentKind::Gone { was, cause, by, .. } => {
                self.deeds_of(was.faction).gone += 1;
                if matches!(cause, Cause::Attack | Cause::Bomb) {
                    self.deeds_of(was.faction).lost += 1;
                }
                if let Some(Slayer::Unit(by, _) | Slayer::Bomb(by)) = by {
                    self.deeds_of(*by).won += 1;
                }
            }
            IncidentKind::Converted(_, was, to) => {
                self.deeds_of(was.faction).lost += 1;
                self.deeds_of(*to).won += 1;
            }
            IncidentKind::Land(before, tile) => {
                if let Some(before) = before {
                    self.deeds_of(*before).land_lost += 1;
                }
                if let Some(now) = tile.owner {
                    self.deeds_of(now).land_taken += 1;
                }
                if tile.flags.base {
                    self.base_changed_hands(tick, at, (*before, tile.owner), mirror);
                }
            }
            IncidentKind::Lost(faction, ..) => self.deeds_of(*faction).orders_lost += 1,
            IncidentKind::Beaten(faction) => {
                let fall = self.falls.iter().rfind(|fall| fall.from == *faction).copied();
                self.note_moment(tick, fall.map(|fall| fall.at).or(at), MomentKind::Beaten(*faction, fall));
            }
            IncidentKind::Siege(of, left) if *left < SIEGE_STRENGTH => {
                self.note_moment(tick, at, MomentKind::Siege(*of, *left));
            }
            IncidentKind::Fort(Some(of), false) => {
                let known = mirror.factions.get(of.index());
                if known.is_some_and(|known| known.alive && known.holdings.base == at) {
                    self.note_moment(tick, at, MomentKind::Bared(*of));
                }
            }
            IncidentKind::Dominion(side, turns) => {
                self.note_moment(tick, at, MomentKind::Dominion(side.clone(), *turns));
            }
            IncidentKind::Unpaid(faction) => {
                self.unpaid[0].push(*faction);
                if !self.unpaid[1].contains(faction) {
                    self.note_moment(tick, None, MomentKind::Unpaid(*faction));
                }
            }
            IncidentKind::Won(_) => self.note_end(tick),
            _ => {}
        }
    }

    /// Notes once that the match is over.
    pub fn note_end(&mut self, tick: Tick) {
        if self.moments.back().is_none_or(|last| last.kind != MomentKind::Over) {
            self.note_moment(tick, None, MomentKind::Over);
        }
    }

    /// Counts that a base went from the owner before to the one now; a faction that is beaten already loses none.
    fn base_changed_hands(
        &mut self,
        tick: Tick,
        at: Option<Position>,
        (before, now): (Option<FactionId>, Option<FactionId>),
        mirror: &Mirror,
    ) {
        if let Some(now) = now {
            // A base that a faction first made neutral and then its own counts once.
            let last_taker = at.and_then(|at| self.last_taker.remove(&at));
            self.deeds_of(now).bases_taken += u32::from(last_taker != Some(now));
            if let Some(at) = at.filter(|_| before.is_some()) {
                self.last_taker.insert(at, now);
            }
            if before.is_none() {
                self.note_moment(tick, at, MomentKind::Took(now));
            }
        }
        if let Some((from, at)) = before.filter(|before| is_alive(mirror, *before)).zip(at) {
            self.deeds_of(from).bases_lost += 1;
            let fall = Fall { tick, at, from, by: None };
            self.falls.push(fall);
            self.note_moment(tick, Some(at), MomentKind::Fell(fall));
        }
    }

    /// A unit's order was carried out: the bases that fell at this tick, since the order before it, fell to that unit.
    pub fn note_order(&mut self, tick: Tick, by: (FactionId, UnitId, UnitType)) {
        let mut fell = Vec::new();
        for fall in self.falls.iter_mut().filter(|fall| fall.tick == tick && fall.by.is_none()) {
            fall.by = Some(by);
            fell.push((fall.at, fall.from));
        }
        for (at, _) in fell.into_iter().filter(|(_, from)| *from != by.0) {
            if self.last_taker.insert(at, by.0) != Some(by.0) {
                self.deeds_of(by.0).bases_taken += 1;
            }
        }
        for moment in self.moments.iter_mut().rev().take_while(|moment| moment.tick == tick) {
            if let MomentKind::Fell(fall @ Fall { by: None, .. }) = &mut moment.kind {
                fall.by = Some(by);
            }
        }
    }

    /// A turn has ended: `leader` alone has the highest score then, and units fell in `battles` during it.
    pub fn note_turn_end<'b>(
        &mut self,
        tick: Tick,
        leader: Option<FactionId>,
        battles: impl Iterator<Item = &'b Battle>,
    ) {
        for battle in battles.filter(|battle| !battle.first.deserts) {
            let last_fall = battle.newest;
            self.note_moment(last_fall.tick, Some(last_fall.at), MomentKind::Battle(battle.clone()));
        }
        self.unpaid.rotate_right(1);
        self.unpaid[0].clear();
        self.falls.clear();
        if let Some(leader) = leader.filter(|leader| self.leader != Some(*leader)) {
            let before = self.leader.replace(leader).is_some();
            self.note_moment(tick, None, MomentKind::Leads(leader, before));
        }
    }

    /// The moments that decided the match, in their order; of one story only the one that decides most, of equal ones
    /// the latest.
    pub fn highlights(&self) -> Vec<&MatchMoment> {
        let one_story = |one: &MatchMoment, other: &MatchMoment| match (&one.kind, &other.kind) {
            (MomentKind::Battle(one), MomentKind::Battle(other)) if one.first == other.first => true,
            _ => one.tick.abs_diff(other.tick) <= STORY_TICKS,
        };
        decisive(&self.moments, |moment| (moment.score(), moment.tick), one_story)
    }
}

#[cfg(test)]
mod tests {
    use zappy_protocol::conquest::observer::Message;

    use super::*;
    use crate::story::{ConquestStory, crowned, leader};
    use crate::words::moment;
    use zappy_observer::map_screen::MapGame as _;
    use zappy_observer::timeline::fold::History as _;

    /// A match of red and blue from an opening, followed by these lines: a tick and a message each.
    fn story_of(lines: &[&str]) -> ConquestStory {
        let opening = [
            "0 msz 10 9",
            "0 gam conquest 1 factions red,blue cities off rules classic mode concurrent turns 9 time 0 placement random alliances -",
            "0 tna red",
            "0 tna blue",
            "0 fac red 0 gold 0 food 0 wood 0 bombs 0 land 1 pop 1 cap 5 kills 0 score 0 upkeep 0 base 3 7 slot - 0",
            "0 fac blue 1 gold 0 food 0 wood 0 bombs 0 land 1 pop 1 cap 5 kills 0 score 0 upkeep 0 base 8 8 slot - 0",
            "0 loc 3 7 0 plain b--- -",
            "0 loc 8 8 1 plain b--- -",
            "0 unw #219 blue pioneer 3 3 6 -",
            "0 unw #4 red fighter 3 4 6 -",
            "0 trn 1 0 red blue",
        ];
        let mut story = ConquestStory::default();
        for line in opening.iter().chain(lines) {
            let (tick, message) = line.split_once(' ').unwrap();
            let message = Message::parse(message.as_bytes()).unwrap_or_else(|_| panic!("{line}"));
            story.take(tick.parse().unwrap(), &message).unwrap_or_else(|odd| panic!("{line}: {odd:?}"));
        }
        story
    }

    #[test]
    fn a_base_falls_to_the_unit_of_the_order_that_is_reported_behind_it() {
        let story = story_of(&[
            "500 loc 5 5 0 plain ---- -",
            "500 ord red #4 ok",
            "500 loc 3 7 - plain b--- -",
            "500 ord blue #219 ok",
            "500 ord red #4 ok",
            "500 fde red",
            "500 loc 5 5 - plain ---- -",
            "500 tnd 1",
            "500 seg blue",
        ]);
        let tally = &story.overview.tally;
        let by = Some((FactionId(1), UnitId(219), UnitType::Pioneer));
        let fall = Fall { tick: 500, at: Position { x: 3, y: 7 }, from: FactionId(0), by };
        let best = tally.highlights();
        assert_eq!(best.len(), 1, "{best:?}");
        assert_eq!(best[0].kind, MomentKind::Beaten(FactionId(0), Some(fall)));
        let (red, blue) = (tally.deeds[0], tally.deeds.get(1).copied().unwrap_or_default());
        assert_eq!((red.bases_lost, red.land_taken, red.land_lost), (1, 1, 2));
        let took = FactionDeeds { bases_taken: 1, ..FactionDeeds::default() };
        assert_eq!(blue, took, "the base fell to its unit; neutral land belongs to none");
    }

    #[test]
    fn a_base_is_taken_once_by_the_faction_that_it_fell_to() {
        let fell = ["500 loc 3 7 - plain b--- -", "500 ord blue #219 ok"];
        let taken = |more: &[&str]| {
            let story = story_of(&fell.iter().chain(more).copied().collect::<Vec<_>>());
            let deeds = &story.overview.tally.deeds;
            (deeds[0].bases_taken, deeds[1].bases_taken)
        };
        assert_eq!(taken(&[]), (0, 1));
        assert_eq!(taken(&["600 loc 3 7 1 plain b--- -", "600 ord blue #219 ok"]), (0, 1));
        assert_eq!(taken(&["600 loc 3 7 0 plain b--- -", "600 ord red #4 ok"]), (1, 1));
        let across = ["600 loc 8 8 0 plain b--- -", "600 ord red #4 ok"];
        assert_eq!(taken(&across), (1, 1), "from hand to hand");
    }

    #[test]
    fn units_and_orders_are_counted_and_a_turn_of_many_falls_is_a_battle() {
        let mut lines: Vec<String> =
            (10..14).map(|n| format!("100 unw #{n} red fighter {} 1 6 -", n - 9)).collect();
        lines.push("100 unw #20 blue fighter 1 2 6 -".to_owned());
        lines.extend((10..13).flat_map(|n| [format!("900 uat #20 #{n}"), format!("900 udi #{n} attack")]));
        lines.extend(
            ["900 ucv #13 blue", "900 ord red base ko not enough gold", "900 udi #4 retired", "900 tnd 1"]
                .map(str::to_owned),
        );
        let story = story_of(&lines.iter().map(String::as_str).collect::<Vec<_>>());
        let (red, blue) = (story.overview.tally.deeds[0], story.overview.tally.deeds[1]);
        assert_eq!((red.built, red.gone, red.won, red.lost, red.orders_lost), (4, 4, 0, 4, 1));
        assert_eq!((blue.built, blue.gone, blue.won, blue.lost), (1, 0, 4, 0));
        let kinds: Vec<&MomentKind> =
            story.overview.tally.moments.iter().map(|moment| &moment.kind).collect();
        let [MomentKind::Battle(battle)] = kinds[..] else { panic!("{kinds:?}") };
        assert_eq!((battle.fallen(), battle.gate), (3, Some(FactionId(0))));
    }

    #[test]
    fn five_moments_of_five_stories_tell_a_match() {
        let mut tally = MatchTally::default();
        for turn in 1..=9_u64 {
            tally.note_moment(10_000 * turn, None, MomentKind::Took(FactionId(0)));
            tally.note_moment(10_000 * turn + 300, None, MomentKind::Leads(FactionId(0), turn > 3));
        }
        tally.note_end(99_000);
        let found: Vec<(Tick, u32)> = tally.highlights().iter().map(|one| (one.tick, one.score())).collect();
        assert_eq!(found, [(60_300, 60), (70_300, 60), (80_300, 60), (90_300, 60), (99_000, 200)]);
    }

    #[test]
    fn a_beaten_faction_leads_nothing_and_has_no_gold() {
        let rich = "500 fac red 0 gold 900 food 0 wood 0 bombs 0 land 1 pop 1 cap 5 kills 0 score 900 upkeep 0 base 3 7 slot - 0";
        let lead = story_of(&[rich, "500 tnd 1"]).overview.samples[0].clone();
        assert_eq!((lead.leads, lead.factions[0].gold), (Some(FactionId(0)), 900));
        let beaten = story_of(&[rich, "500 fde red", "500 tnd 1"]).overview.samples[0].clone();
        assert_eq!((beaten.leads, beaten.factions[0].gold), (Some(FactionId(1)), 0));
    }

    #[test]
    fn what_matters_is_heard_from_its_side_each_time_once() {
        let rich = |name: &str, score: u32| {
            format!(
                "900 fac {name} 0 gold 0 food 0 wood 0 bombs 0 land 1 pop 1 cap 5 kills 0 score {score} upkeep 0 base 3 7 slot - 0"
            )
        };
        let (red, blue) = (
            rich("red", 9),
            rich("blue", 99).replace("900", "1500").replace("blue 0", "blue 1").replace("3 7", "8 8"),
        );
        let story = story_of(&[
            "500 sie 3 7 2",
            "500 upk red",
            "500 dom 50 blue 1",
            "900 unw #9 red fighter 8 3 6 -",
            "900 udi #9 attack",
            &red,
            "900 tnd 1",
            "1500 dom 50 blue 2",
            &blue,
            "1500 tnd 2",
            "1900 loc 3 7 - plain b--- -",
            "1900 fde red",
            "1900 seg blue",
        ]);
        let heard = |ticks| {
            let cues = crate::ConquestMap::sounds(&story.overview, story.state.mirror.size, ticks);
            cues.iter().map(|cue| format!("{} {:?} {:.2}", cue.tick, cue.sound, cue.pan)).collect::<Vec<_>>()
        };
        let all = [
            "500 Siege -0.21",
            "500 Unpaid 0.00",
            "500 Hold(1) 0.00",
            "900 Battle 0.49",
            "1500 Hold(2) 0.00",
            "1500 Lead 0.00",
            "1900 Fall -0.21",
            "1900 Fall -0.21",
            "1900 Fanfare 0.00",
        ];
        assert_eq!(heard((0, 2_000)), all);
        assert_eq!([heard((0, 899)), heard((899, 900)), heard((900, 1_900))].concat(), all);
    }

    #[test]
    fn who_leads_has_no_crown_while_its_base_is_in_danger() {
        let rich = "500 fac red 0 gold 0 food 0 wood 0 bombs 0 land 1 pop 1 cap 5 kills 0 score 900 upkeep 0 base 3 7 slot - 0";
        let crown = |lines: &[&str]| {
            let story = story_of(&[&[rich], lines].concat());
            (leader(&story.state.mirror), crowned(&story.state.mirror))
        };
        let red = Some(FactionId(0));
        assert_eq!(crown(&[]), (red, red));
        assert_eq!(crown(&["500 umv #219 3 6"]), (red, None), "an enemy stands beside it");
        assert_eq!(crown(&["600 sie 3 7 2"]), (red, None));
    }

    #[test]
    fn sieges_dominion_and_the_first_unpaid_turn_matter_and_falls_far_apart_are_two_battles() {
        let story = story_of(&[
            "500 sie 3 7 2",
            "500 upk red",
            "500 dom 50 blue 1",
            "500 udi #4 unpaid",
            "500 tnd 1",
            "900 trn 2 0 red blue",
            "900 unw #9 red fighter 8 3 6 -",
            "900 unw #10 red fighter 3 3 6 -",
            "900 sie 3 7 4",
            "900 upk red",
            "900 udi #9 attack",
            "900 udi #10 attack",
            "900 tnd 2",
            "1300 tnd 3",
            "1700 upk red",
            "1700 tnd 4",
        ]);
        let says: Vec<String> =
            story.overview.tally.moments.iter().map(|one| moment(one, &story.overview)).collect();
        assert_eq!(
            says,
            [
                "red’s base at 3,\u{a0}7 is under siege: 2 of 4 left",
                "red couldn’t pay all its units",
                "blue has held enough land to win for 1 of 5 turns",
                "red loses 1 fighter at blue’s gate",
                "red loses 1 fighter at red’s gate",
                "red couldn’t pay all its units",
            ]
        );
    }
}
