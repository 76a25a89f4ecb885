//! How a match stands at the end of a turn: remarks, the lead, the sides with the land that dominion needs, starving
//! cities.
//!
//! Tested with the story.

use std::collections::BTreeSet;

use serde_json::json;
use zappy_protocol::conquest::commentary::signed;
use zappy_protocol::conquest::{Dominion, Edition, FactionId};

use super::super::sides::named;
use super::{Story, Weight};

/// The weight below which a remark matters no more than a single death.
const LIGHT_WEIGHT: u32 = 30;
/// The first turn in which a lead has a line, and the fewest turns between two such lines.
const LEAD_TURNS: u32 = 5;

/// Adds lines at the end of a turn on how the match stands.
pub(super) fn end_turn(story: &mut Story) {
    story.rows.end_turn(story.tick, &story.mirror);
    let earlier = story.commentary.remarks.all().len();
    story.commentary.turn(story.tick, &story.mirror);
    let news = story.commentary.remarks.all()[earlier..].to_vec();
    for remark in news {
        // `add_lead` adds a line on the lead that also names the land, and `add_siege` one that also names the
        // besieger.
        if [" takes the lead from ", " stand at "].iter().any(|part| remark.says.contains(part)) {
            continue;
        }
        let object = json!({ "type": "remark", "team": remark.team.map(|team| story.name(team)) });
        let weight = if remark.weight < LIGHT_WEIGHT { Weight::Death } else { Weight::Lead };
        story.add(weight, remark.says, object);
    }
    add_lead(story);
    // Adds lines on factions with cities that have begun to starve.
    if !story.mirror.options.as_ref().is_some_and(|options| options.cities) {
        return;
    }
    let living: Vec<_> =
        story.mirror.living().map(|(faction, known)| (faction, known.holdings.food)).collect();
    for (faction, food) in living {
        if food > 0 {
            story.starving.remove(&faction);
        } else if story.starving.insert(faction) {
            let of = story.name(faction);
            let object = json!({ "type": "starving", "team": of });
            story.add(Weight::City, format!("{of}'s cities starve: no food is left"), object);
        }
    }
}

/// The sides that hold the land that dominion needs, each by its first member, since which member the message names may
/// change.
fn holding(story: &Story, dominion: &Dominion) -> BTreeSet<FactionId> {
    let factions = dominion.held.iter().filter_map(|(name, _)| story.mirror.faction(name));
    factions.filter_map(|one| story.mirror.side(one).first().copied()).collect()
}

/// Adds a line on each side that begins to hold the land that dominion needs, or no longer holds it.
pub(super) fn add_dominion(story: &mut Story, dominion: &Dominion) {
    let now = holding(story, dominion);
    let before = story.mirror.dominion.as_ref().map(|before| holding(story, before)).unwrap_or_default();
    for one in before.symmetric_difference(&now) {
        let (members, holds) = (story.mirror.side(*one), now.contains(one));
        let (name, several) = named(&story.mirror, &members);
        let words = match (holds, several) {
            (true, false) => {
                format!("{name} holds the {} % of the land that dominion needs", dominion.need)
            }
            (true, true) => format!("{name} hold the {} % of the land that dominion needs", dominion.need),
            (false, false) => format!("{name} no longer holds the land that dominion needs"),
            (false, true) => format!("{name} no longer hold the land that dominion needs"),
        };
        let names: Vec<String> = members.iter().map(|one| story.name(*one)).collect();
        let object = json!({ "type": "dominion", "teams": names, "holds": holds, "need": dominion.need });
        story.add(Weight::Dominion, words, object);
    }
}

/// Adds a line on a change of the lead: by score, and by land under rules by which land wins.
fn add_lead(story: &mut Story) {
    let is_contested = story.mirror.living().count() > 1;
    let (turn, score) = (story.mirror.turn, story.mirror.leader().filter(|_| is_contested));
    let land_wins = story.mirror.options.as_ref().is_some_and(|options| options.rules == Edition::Arena);
    let land = story.mirror.widest_side().filter(|_| land_wins);
    let (last_score, last_land, last_turn) = &story.lead;
    let changed = score.is_some() && *last_score != score || land.is_some() && *last_land != land;
    if turn < LEAD_TURNS || !changed || (last_score.is_some() && turn < last_turn + LEAD_TURNS) {
        return;
    }
    let Some(first) = score else { return };
    let points = story.mirror.factions[first.index()].holdings.score;
    let mut words = format!("{} leads with {} points", story.name(first), signed(points));
    let (mut teams, mut percent) = (Vec::new(), None);
    if let Some(members) = &land {
        let part = story.mirror.share(members);
        let name = if *members == [first] {
            String::new()
        } else {
            format!("{} with ", named(&story.mirror, members).0)
        };
        let joint = if name.is_empty() { " and " } else { ", " };
        words += &format!("{joint}{name}{part} % of the land");
        percent = Some(part);
        teams = members.iter().map(|one| story.name(*one)).collect();
    }
    let object = json!({
        "type": "lead", "team": story.name(first), "score": points, "land_teams": teams, "land_percent": percent,
    });
    story.lead = (score, land, turn);
    story.add(Weight::Lead, words, object);
}
