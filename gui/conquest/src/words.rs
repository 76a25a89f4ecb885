//! What happened in one plain line, and how important it is.
//!
//! Must never say more than messages did. Tested in this module.

use zappy_protocol::Position;
use zappy_protocol::conquest::constants::{DOMINION_TURNS, LATE_PENALTY, SIEGE_STRENGTH, UNPAID_PENALTY};
use zappy_protocol::conquest::player::Actor;
use zappy_protocol::conquest::{Cause, FactionId, Unit};
use zappy_protocol::text::listed;

use super::deeds::{MatchMoment, MomentKind};
use super::state::{Incident, IncidentKind, Slayer};
use super::story::Overview;
use zappy_observer::ink::Color;
use zappy_observer::panels::gold;
pub use zappy_observer::panels::kit::place;
use zappy_observer::theme;

/// The faction that an incident with a topic is about; `None` if it is about no single one.
pub fn faction(what: &IncidentKind) -> Option<FactionId> {
    match what {
        IncidentKind::Appeared(_, unit) | IncidentKind::Gone { was: unit, .. } => Some(unit.faction),
        IncidentKind::Converted(_, _, faction)
        | IncidentKind::Bomb(faction, _)
        | IncidentKind::Lost(faction, ..)
        | IncidentKind::Late(faction)
        | IncidentKind::Unpaid(faction)
        | IncidentKind::Beaten(faction) => Some(*faction),
        IncidentKind::Dominion(side, _) => side.first().copied(),
        IncidentKind::Land(before, tile) => tile.owner.or(*before),
        IncidentKind::Fort(faction, _)
        | IncidentKind::Siege(faction, _)
        | IncidentKind::Built(faction, _)
        | IncidentKind::Won(faction) => *faction,
        _ => None,
    }
}

/// How important an incident is to a spectator, compared with others; 0 for what is no key moment.
pub fn importance(what: &IncidentKind) -> u32 {
    match what {
        IncidentKind::Won(_) => 1_000,
        IncidentKind::Beaten(_) => 500,
        IncidentKind::Land(_, tile) if tile.flags.base => 200,
        IncidentKind::Siege(..) | IncidentKind::Dominion(..) => 150,
        IncidentKind::Gone { cause: Cause::Attack | Cause::Bomb, .. } => 100,
        IncidentKind::Converted(..) => 90,
        _ => 0,
    }
}

/// The colour of what went well or badly; `None` for everything else.
pub fn tone(what: &IncidentKind) -> Option<Color> {
    match what {
        IncidentKind::Gone { .. }
        | IncidentKind::Late(_)
        | IncidentKind::Unpaid(_)
        | IncidentKind::Beaten(_) => Some(theme::BAD),
        IncidentKind::Won(_) => Some(theme::ACCENT),
        IncidentKind::Lost(..) => Some(theme::TEXT_SOFT),
        _ => None,
    }
}

/// A moment that decided the match, in a sentence.
pub fn moment(moment: &MatchMoment, story: &Overview) -> String {
    let name = |faction: FactionId| story.name(faction);
    match &moment.kind {
        MomentKind::Fell(fall) => {
            // To which unit, as far as that is known.
            let by = fall.by.map(|(by, unit, kind)| format!(" to {}’s {kind} #{unit}", name(by)));
            let (loser, by) = (name(fall.from), by.unwrap_or_default());
            format!("{loser}’s base at {} falls{by}", place(fall.at))
        }
        MomentKind::Siege(of, left) => siege(of.map_or("nobody", name), *left, moment.at),
        MomentKind::Bared(of) => {
            format!("{}’s base loses its fort: the next blows take its strength", name(*of))
        }
        MomentKind::Dominion(side, turns) => dominion(side, *turns, story),
        MomentKind::Unpaid(faction) => format!("{} couldn’t pay all its units", name(*faction)),
        MomentKind::Took(faction) => {
            let at = moment.at.map(|at| format!(" at {}", place(at))).unwrap_or_default();
            format!("{} takes a base that belonged to none{at}", name(*faction))
        }
        MomentKind::Beaten(faction, _) => beaten(*faction, story),
        MomentKind::Battle(battle) => battle.words(|faction| name(faction).to_owned()),
        MomentKind::Leads(faction, true) => format!("{} takes the lead", name(*faction)),
        MomentKind::Leads(faction, false) => format!("{} is the first to lead", name(*faction)),
        MomentKind::Over => match story.finish.as_ref().map(|finish| &finish.winners[..]) {
            Some(winners) => gold::victory(&story.names_of(winners)),
            None => gold::victory::<&str>(&[]),
        },
    }
}

/// `blue’s base at 4, 5 is under siege: 1 of 4 left`.
fn siege(owner: &str, left: u32, at: Option<Position>) -> String {
    let at = at.map(|at| format!(" at {}", place(at))).unwrap_or_default();
    match left {
        SIEGE_STRENGTH.. => format!("{owner}’s base{at} has its strength again"),
        left => format!("{owner}’s base{at} is under siege: {left} of {SIEGE_STRENGTH} left"),
    }
}

/// How long a side has held the land that wins.
pub fn dominion(side: &[FactionId], turns: u32, story: &Overview) -> String {
    let names: Vec<String> = side.iter().map(|one| story.name(*one).to_owned()).collect();
    let (names, has) = (listed(&names), if side.len() == 1 { "has" } else { "have" });
    format!("{names} {has} held enough land to win for {turns} of {DOMINION_TURNS} turns")
}

/// The faction that a moment is about: of a base that fell, the one that it fell to, as far as that is known.
pub fn faction_of_moment(moment: &MatchMoment, story: &Overview) -> Option<FactionId> {
    match &moment.kind {
        MomentKind::Fell(fall) => fall.by.map(|(by, ..)| by).or(Some(fall.from)),
        MomentKind::Took(faction)
        | MomentKind::Bared(faction)
        | MomentKind::Leads(faction, _)
        | MomentKind::Unpaid(faction) => Some(*faction),
        MomentKind::Siege(faction, _) => *faction,
        MomentKind::Dominion(side, _) => side.first().copied(),
        MomentKind::Beaten(faction, fall) => {
            fall.and_then(|fall| fall.by).map(|(by, ..)| by).or(Some(*faction))
        }
        MomentKind::Battle(..) => None,
        MomentKind::Over => story.finish.as_ref().and_then(|finish| finish.winners.first().copied()),
    }
}

/// `red is beaten: its base at 13, 13 fell to blue’s pioneer #219`.
fn beaten(faction: FactionId, story: &Overview) -> String {
    let with_cause = story.commentary.fall(faction).map(str::to_owned);
    with_cause.unwrap_or_else(|| format!("{} is beaten", story.name(faction)))
}

/// An incident with a topic as a sentence without its full stop; empty for one without a topic.
pub fn sentence(incident: &Incident, story: &Overview) -> String {
    let name = |faction: FactionId| story.name(faction);
    let of = |faction: Option<FactionId>| faction.map_or("nobody", name);
    let unit = |unit: &Unit| format!("{}’s {}", name(unit.faction), unit.kind);
    let at = incident.at.map(place).unwrap_or_default();
    match &incident.what {
        IncidentKind::Appeared(id, known) => format!("{} #{id} appears at {at}", unit(known)),
        IncidentKind::Converted(_, was, to) => {
            format!("{} at {at} changes sides to {}", unit(was), name(*to))
        }
        IncidentKind::Gone { was, cause, by, .. } => {
            let fallen = unit(was);
            match (cause, by) {
                (_, Some(Slayer::Unit(by, kind))) => {
                    format!("{fallen} falls to {}’s {kind} at {at}", name(*by))
                }
                (_, Some(Slayer::Bomb(by))) => format!("{fallen} falls to {}’s bomb at {at}", name(*by)),
                (Cause::Attack, None) => format!("{fallen} falls at {at}"),
                (Cause::Bomb, None) => format!("{fallen} falls to a bomb at {at}"),
                (Cause::Retired, None) => format!("{fallen} retires at {at}"),
                (Cause::Beaten, None) => format!("{fallen} at {at} is gone with its faction"),
                (Cause::Unpaid, None) => format!("{fallen} leaves at {at}: its upkeep wasn’t paid"),
                (Cause::Operator, None) => format!("the operator takes {fallen} away at {at}"),
            }
        }
        IncidentKind::Land(before, tile) => {
            let what = if tile.flags.base { "the base" } else { "the tile" };
            let extra = if tile.flags.resource { ", a resource" } else { "" };
            match (before, tile.owner) {
                (Some(before), Some(now)) => {
                    format!("{} takes {what} at {at} from {}{extra}", name(now), name(*before))
                }
                (None, Some(now)) => format!("{} conquers {what} at {at}{extra}", name(now)),
                (before, None) => format!("{} loses {what} at {at}{extra}", of(*before)),
            }
        }
        IncidentKind::Fort(owner, true) => format!("{} has a fort at {at}", of(*owner)),
        IncidentKind::Fort(owner, false) => format!("{}’s fort at {at} is gone", of(*owner)),
        IncidentKind::Built(owner, building) => format!("{} builds a {building} at {at}", of(*owner)),
        IncidentKind::Bomb(owner, true) => format!("{} lays a bomb at {at}", name(*owner)),
        IncidentKind::Bomb(owner, false) => format!("{}’s bomb at {at} is gone", name(*owner)),
        IncidentKind::Lost(by, actor, why) => {
            format!("{}: {}’s order lost: {why}", name(*by), actor_name(*actor))
        }
        IncidentKind::Unpaid(faction) => {
            format!("{} can't pay its upkeep: {UNPAID_PENALTY} points lost", name(*faction))
        }
        IncidentKind::Late(late) => format!("{} is late: {LATE_PENALTY} points lost", name(*late)),
        IncidentKind::Beaten(faction) => beaten(*faction, story),
        IncidentKind::Said(text) => format!("the server says: {text}"),
        IncidentKind::Siege(owner, left) => siege(of(*owner), *left, incident.at),
        IncidentKind::Dominion(side, turns) => dominion(side, *turns, story),
        IncidentKind::Won(winner) => gold::victory(winner.map(name).as_slice()),
        _ => String::new(),
    }
}

/// The unit, base or city that an order was for.
pub fn actor_name(actor: Actor<()>) -> String {
    match actor {
        Actor::Base => "the base".to_owned(),
        Actor::City(()) => "a city".to_owned(),
        Actor::Unit(unit) => format!("#{unit}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::{ConquestState, Topic};
    use zappy_protocol::TeamName;
    use zappy_protocol::conquest::observer::Message;

    /// The sentences of what these messages report, in a small world of red and blue.
    fn said(lines: &[&str]) -> Vec<String> {
        let (mut state, mut found) = (ConquestState::default(), Vec::new());
        let names = ["red", "blue"].map(|name| TeamName::parse(name.as_bytes()).unwrap());
        let mut story = Overview::default();
        story.names = names.to_vec();
        let world = [
            "msz 10 9",
            "gam conquest 1 factions red,blue cities off rules classic mode concurrent turns 9 time 0 placement random alliances -",
            "tna red",
            "tna blue",
            "loc 4 7 0 plain ---- -",
            "bom 4 7 red",
            "unw #3 blue fighter 3 7 6 -",
            "unw #4 red fighter 3 6 6 -",
            "trn 1 0 red blue",
        ];
        for (number, line) in world.iter().chain(lines).enumerate() {
            let (incidents, misfit) = state.observe(5, &Message::parse(line.as_bytes()).unwrap());
            assert_eq!(misfit, None, "{line}");
            if number >= world.len() {
                let with_topic = incidents.iter().filter(|incident| Topic::of(&incident.what).is_some());
                found.extend(with_topic.map(|incident| sentence(incident, &story)));
            }
        }
        found
    }

    #[test]
    fn a_unit_falls_to_what_can_be_seen() {
        assert_eq!(said(&["umv #3 4 7", "udi #3 bomb"]), ["blue’s fighter falls to red’s bomb at 4,\u{a0}7"]);
        assert_eq!(said(&["udi #3 bomb"]), ["blue’s fighter falls to red’s bomb at 3,\u{a0}7"]);
        let fight = said(&["uat #4 #3", "uhp #3 3 -", "uat #4 #3", "udi #3 attack"]);
        assert_eq!(fight.last().unwrap(), "blue’s fighter falls to red’s fighter at 3,\u{a0}7");
        assert_eq!(said(&["udi #3 attack", "udi #4 retired"])[1], "red’s fighter retires at 3,\u{a0}6");
    }

    #[test]
    fn land_that_changes_hands_and_orders_that_are_lost_have_sentences() {
        assert_eq!(said(&["loc 4 7 - plain -r-- -"]), ["red loses the tile at 4,\u{a0}7, a resource"]);
        assert_eq!(
            said(&["loc 2 2 1 plain b-f- -"]),
            ["blue conquers the base at 2,\u{a0}2", "blue has a fort at 2,\u{a0}2"]
        );
        assert_eq!(
            said(&["ord red #4 ko a unit stands there"]),
            ["red: #4’s order lost: a unit stands there"]
        );
        assert_eq!(said(&["seg -", "lat blue"])[0], "Nobody has won");
        let says = said(&["sie 4 7 2", "sie 4 7 2", "dom 50 red 1", "dom 50 red 2", "dom 50 -", "upk red"]);
        assert_eq!(
            says,
            [
                "red’s base at 4,\u{a0}7 is under siege: 2 of 4 left",
                "red has held enough land to win for 1 of 5 turns",
                "red has held enough land to win for 2 of 5 turns",
                "red can't pay its upkeep: 75 points lost",
            ]
        );
        let allied = "gam conquest 1 factions red,blue cities off rules arena mode concurrent turns 9 time 0 placement random alliances red,blue";
        let says = said(&[allied, "tna red", "tna blue", "trn 1 0 red blue", "dom 50 red 3"]);
        let both = "red and blue have held enough land to win for 3 of 5 turns";
        assert_eq!(says.last().map(String::as_str), Some(both));
    }
}
