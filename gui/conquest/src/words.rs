//! What happened in one plain line, and how important it is.
//!
//! Must never say more than was told. Tested in this module.

use zappy_protocol::conquest::constants::LATE_PENALTY;
use zappy_protocol::conquest::player::Actor;
use zappy_protocol::conquest::{Cause, FactionId, Unit};

use super::deeds::{Fall, Kind, Moment};
use super::state::{Happening, Slayer, What};
use super::story::Overview;
use zappy_observer::ink::Color;
use zappy_observer::panels::kit::count;
pub use zappy_observer::panels::kit::place;
use zappy_observer::theme;

/// The faction that it is about.
pub fn faction(what: &What) -> Option<FactionId> {
    match what {
        What::Appeared(_, unit)
        | What::Attacked(unit, _)
        | What::Healed(unit, _)
        | What::Changed(_, unit, _)
        | What::Gone { was: unit, .. } => Some(unit.faction),
        What::Converted(_, _, faction)
        | What::Bomb(faction, _)
        | What::Lost(faction, ..)
        | What::Late(faction)
        | What::Beaten(faction) => Some(*faction),
        What::Land(before, tile) => tile.owner.or(*before),
        What::Fort(faction, _) | What::Built(faction, _) | What::Won(faction) => *faction,
        What::Turn(_) | What::Moved(..) | What::Said(_) => None,
    }
}

/// How important it is to a spectator: 0 is never said by itself.
pub fn importance(what: &What) -> u32 {
    match what {
        What::Won(_) => 1_000,
        What::Beaten(_) => 500,
        What::Land(_, tile) if tile.flags.base => 200,
        What::Gone { cause: Cause::Attack | Cause::Bomb, .. } => 100,
        What::Converted(..) => 90,
        What::Said(_) => 80,
        What::Late(_) => 60,
        What::Appeared(..) | What::Built(..) => 30,
        What::Fort(..) | What::Bomb(..) => 25,
        What::Land(Some(_), _) => 20,
        What::Land(None, _) => 10,
        What::Gone { .. } => 8,
        What::Lost(..)
        | What::Turn(_)
        | What::Moved(..)
        | What::Attacked(..)
        | What::Healed(..)
        | What::Changed(..) => 0,
    }
}

/// The colour of what went well or badly; none of everything else.
pub fn tone(what: &What) -> Option<Color> {
    match what {
        What::Gone { .. } | What::Late(_) | What::Beaten(_) => Some(theme::BAD),
        What::Won(_) => Some(theme::ACCENT),
        What::Lost(..) => Some(theme::TEXT_SOFT),
        _ => None,
    }
}

/// A moment that decided the match, in a sentence.
pub fn moment(moment: &Moment, story: &Overview) -> String {
    let name = |faction: FactionId| story.name(faction);
    match &moment.kind {
        Kind::Fell(fall) => {
            let (whose, by) = (name(fall.from), by_words(fall, story));
            format!("{whose}’s base at {} falls{by}", place(fall.at))
        }
        Kind::Took(faction) => {
            let at = moment.at.map(|at| format!(" at {}", place(at))).unwrap_or_default();
            format!("{} takes a base that belonged to none{at}", name(*faction))
        }
        Kind::Beaten(faction, fall) => beaten(*faction, fall.as_ref(), story),
        Kind::Battle(turn, fell) => {
            let all = fell.iter().sum::<u32>();
            let of = (0..).map(FactionId).zip(fell).filter(|(_, fell)| **fell > 0);
            let of: Vec<String> = of.map(|(faction, fell)| format!("{fell} of {}", name(faction))).collect();
            let fall = if all == 1 { "falls" } else { "fall" };
            format!("{} {fall} in turn {turn}: {}", count(all, "unit", "units"), of.join(", "))
        }
        Kind::Leads(faction, true) => format!("{} takes the lead", name(*faction)),
        Kind::Leads(faction, false) => format!("{} is the first to lead", name(*faction)),
        Kind::Over => match story.finish.as_ref().map(|finish| &finish.winners[..]) {
            Some([winner, ..]) => format!("{} has won", name(*winner)),
            _ => "the match is over without a winner".to_owned(),
        },
    }
}

/// The faction that a moment is about.
pub fn moment_of(moment: &Moment, story: &Overview) -> Option<FactionId> {
    match &moment.kind {
        Kind::Fell(fall) => fall.by.map(|(by, ..)| by).or(Some(fall.from)),
        Kind::Took(faction) | Kind::Leads(faction, _) => Some(*faction),
        Kind::Beaten(faction, fall) => fall.and_then(|fall| fall.by).map(|(by, ..)| by).or(Some(*faction)),
        Kind::Battle(..) => None,
        Kind::Over => story.finish.as_ref().and_then(|finish| finish.winners.first().copied()),
    }
}

/// `red is beaten: its base at 13, 13 fell to blue’s pioneer #219`.
pub fn beaten(faction: FactionId, fall: Option<&Fall>, story: &Overview) -> String {
    let name = story.name(faction);
    match fall {
        Some(fall) => {
            format!("{name} is beaten: its base at {} fell{}", place(fall.at), by_words(fall, story))
        }
        None => format!("{name} is beaten: its base isn’t its own any more"),
    }
}

/// To which unit, as far as it was told.
fn by_words(fall: &Fall, story: &Overview) -> String {
    match fall.by {
        Some((by, unit, kind)) => format!(" to {}’s {kind} #{unit}", story.name(by)),
        None => String::new(),
    }
}

/// What happened, as a sentence without its end.
pub fn sentence(happening: &Happening, story: &Overview) -> String {
    let name = |faction: FactionId| story.name(faction);
    let of = |faction: Option<FactionId>| faction.map_or("nobody", name);
    let unit = |unit: &Unit| format!("{}’s {}", name(unit.faction), unit.kind);
    let at = happening.at.map(place).unwrap_or_default();
    match &happening.what {
        What::Turn(turn) => format!("turn {turn} begins"),
        What::Appeared(id, known) => format!("{} #{id} appears at {at}", unit(known)),
        What::Moved(id, from, _) => format!("#{id} goes from {} to {at}", place(*from)),
        What::Attacked(one, other) => format!("{} attacks {} at {at}", unit(one), unit(other)),
        What::Healed(one, other) => format!("{} heals {} at {at}", unit(one), unit(other)),
        What::Changed(_, now, by) => format!("{} at {at}: {by:+} health", unit(now)),
        What::Converted(_, was, to) => format!("{} at {at} changes sides to {}", unit(was), name(*to)),
        What::Gone { was, cause, by, .. } => {
            let who = unit(was);
            match (cause, by) {
                (_, Some(Slayer::Unit(by, kind))) => format!("{who} falls to {}’s {kind} at {at}", name(*by)),
                (_, Some(Slayer::Bomb(by))) => format!("{who} falls to {}’s bomb at {at}", name(*by)),
                (Cause::Attack, None) => format!("{who} falls at {at}"),
                (Cause::Bomb, None) => format!("{who} falls to a bomb at {at}"),
                (Cause::Retired, None) => format!("{who} retires at {at}"),
                (Cause::Beaten, None) => format!("{who} at {at} is gone with its faction"),
                (Cause::Operator, None) => format!("the operator takes {who} away at {at}"),
            }
        }
        What::Land(before, tile) => {
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
        What::Fort(owner, true) => format!("{} has a fort at {at}", of(*owner)),
        What::Fort(owner, false) => format!("{}’s fort at {at} is gone", of(*owner)),
        What::Built(owner, building) => format!("{} builds a {building} at {at}", of(*owner)),
        What::Bomb(owner, true) => format!("{} lays a bomb at {at}", name(*owner)),
        What::Bomb(owner, false) => format!("{}’s bomb at {at} is gone", name(*owner)),
        What::Lost(by, actor, why) => format!("{}: {}’s order lost: {why}", name(*by), actor_name(*actor)),
        What::Late(late) => format!("{} is late: {LATE_PENALTY} points lost", name(*late)),
        What::Beaten(faction) => {
            let then = story.tally.moments.iter().rev().find_map(|moment| match &moment.kind {
                Kind::Beaten(of, fall) if of == faction && moment.tick == happening.tick => fall.as_ref(),
                _ => None,
            });
            beaten(*faction, then, story)
        }
        What::Said(text) => format!("the server says: {text}"),
        What::Won(Some(winner)) => format!("{} has won", name(*winner)),
        What::Won(None) => "the match is over without a winner".to_owned(),
    }
}

/// What an order was for.
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
    use crate::state::ConquestState;
    use zappy_protocol::TeamName;
    use zappy_protocol::conquest::observer::Message;

    fn said(lines: &[&str]) -> Vec<String> {
        let (mut state, mut found) = (ConquestState::default(), Vec::new());
        let names = ["red", "blue"].map(|name| TeamName::parse(name.as_bytes()).unwrap());
        let mut story = Overview::default();
        story.names = names.to_vec();
        let world = [
            "msz 10 9",
            "gam conquest 1 factions red,blue cities off mode concurrent turns 9 time 0 placement random alliances -",
            "tna red",
            "tna blue",
            "loc 4 7 0 plain ---- -",
            "bom 4 7 red",
            "unw #3 blue fighter 3 7 6 -",
            "unw #4 red fighter 3 6 6 -",
            "trn 1 0 red blue",
        ];
        for (number, line) in world.iter().chain(lines).enumerate() {
            let (happenings, misfit) = state.tell(5, &Message::parse(line.as_bytes()).unwrap());
            assert_eq!(misfit, None, "{line}");
            if number >= world.len() {
                found.extend(happenings.iter().map(|happening| sentence(happening, &story)));
            }
        }
        found
    }

    #[test]
    fn a_unit_falls_to_what_can_be_seen() {
        assert_eq!(
            said(&["umv #3 4 7", "udi #3 bomb"]),
            ["#3 goes from 3,\u{a0}7 to 4,\u{a0}7", "blue’s fighter falls to red’s bomb at 4,\u{a0}7"]
        );
        assert_eq!(said(&["udi #3 bomb"]), ["blue’s fighter falls to red’s bomb at 3,\u{a0}7"]);
        let fight = said(&["uat #4 #3", "uhp #3 3 -", "uat #4 #3", "udi #3 attack"]);
        assert_eq!(fight.last().unwrap(), "blue’s fighter falls to red’s fighter at 3,\u{a0}7");
        assert_eq!(said(&["udi #3 attack", "udi #4 retired"])[1], "red’s fighter retires at 3,\u{a0}6");
    }

    #[test]
    fn land_that_changes_hands_and_orders_that_are_lost_are_told() {
        assert_eq!(said(&["loc 4 7 - plain -r-- -"]), ["red loses the tile at 4,\u{a0}7, a resource"]);
        assert_eq!(
            said(&["loc 2 2 1 plain b-f- -"]),
            ["blue conquers the base at 2,\u{a0}2", "blue has a fort at 2,\u{a0}2"]
        );
        assert_eq!(
            said(&["ord red #4 ko a unit stands there"]),
            ["red: #4’s order lost: a unit stands there"]
        );
        assert_eq!(said(&["seg -", "lat blue"])[0], "the match is over without a winner");
    }
}
