//! How a match stands at the end of a turn: what is remarked, who leads, which side holds what dominion needs, and who starves.
//!
//! Tested with the story.

use std::collections::BTreeSet;

use serde_json::json;
use zappy_protocol::conquest::{Dominion, FactionId};
use zappy_protocol::text::thousands;

use super::super::sides::{all, leaders, named, share, side};
use super::{Story, Weight};

/// The weight below which a remark goes with single deaths.
const LIGHT: u32 = 30;
/// Turns before which no lead is told, and between two leads that are.
const LEADS: u32 = 5;

impl Story {
    /// A turn is over: tells how it stands.
    pub(super) fn end_turn(&mut self) {
        self.rows.end_turn(self.tick, &self.mirror);
        let said = self.commentary.remarks.all().len();
        self.commentary.turn(self.tick, &self.mirror);
        for remark in self.commentary.remarks.all()[said..].to_vec() {
            // Who leads is told here with the land.
            if !remark.says.contains(" takes the lead from ") && !remark.says.contains(" leads; ") {
                let what = json!({ "type": "remark", "team": remark.team.map(|team| self.name(team)) });
                self.tell(
                    if remark.weight < LIGHT { Weight::Death } else { Weight::Lead },
                    remark.says,
                    what,
                );
            }
        }
        self.tell_lead();
        self.watch_food();
    }

    /// Tells which cities have begun to starve.
    fn watch_food(&mut self) {
        if !self.mirror.options.as_ref().is_some_and(|options| options.cities) {
            return;
        }
        let living = all(&self.mirror).filter(|(_, known)| known.alive);
        let living: Vec<FactionId> = living.map(|(faction, _)| faction).collect();
        for faction in living {
            let empty = self.mirror.factions[faction.index()].holdings.food == 0;
            if !empty {
                self.starving.remove(&faction);
            } else if self.starving.insert(faction) {
                let of = self.name(faction);
                let what = json!({ "type": "starving", "team": of });
                self.tell(Weight::City, format!("{of}'s cities starve: no food is left"), what);
            }
        }
    }

    /// The sides that hold what dominion needs, each by its first member: which member the message names may change.
    pub(super) fn holding(&self, dominion: &Dominion) -> BTreeSet<FactionId> {
        let factions = dominion.held.iter().filter_map(|(name, _)| self.mirror.faction(name));
        factions.filter_map(|one| side(&self.mirror, one).first().copied()).collect()
    }

    /// Tells which side begins to hold the land that dominion needs, or holds it no more.
    pub(super) fn tell_dominion(&mut self, dominion: &Dominion) {
        let now = self.holding(dominion);
        let before = std::mem::replace(&mut self.holders, now.clone());
        for one in before.symmetric_difference(&now) {
            let (members, holds) = (side(&self.mirror, *one), now.contains(one));
            let (who, several) = named(&self.mirror, &members);
            let words = match (holds, several) {
                (true, false) => {
                    format!("{who} holds the {} % of the land that dominion needs", dominion.need)
                }
                (true, true) => format!("{who} hold the {} % of the land that dominion needs", dominion.need),
                (false, false) => format!("{who} no longer holds the land that dominion needs"),
                (false, true) => format!("{who} no longer hold the land that dominion needs"),
            };
            let names: Vec<String> = members.iter().map(|one| self.name(*one)).collect();
            let what = json!({ "type": "dominion", "teams": names, "holds": holds, "need": dominion.need });
            self.tell(Weight::Dominion, words, what);
        }
    }

    /// Tells who leads, by score and where land decides by land, when that has changed.
    fn tell_lead(&mut self) {
        let (turn, (score, land)) = (self.mirror.turn, leaders(&self.mirror));
        let (told, held, then) = &self.lead;
        let changed = score.is_some() && *told != score || land.is_some() && *held != land;
        if turn < LEADS || !changed || (told.is_some() && turn < then + LEADS) {
            return;
        }
        let Some(first) = score else { return };
        let points = self.mirror.factions[first.index()].holdings.score;
        let (sign, amount) = (if points < 0 { "−" } else { "" }, thousands(points.unsigned_abs()));
        let mut words = format!("{} leads with {sign}{amount} points", self.name(first));
        let (mut teams, mut percent) = (Vec::new(), None);
        if let Some(members) = &land {
            let part = share(&self.mirror, members);
            let who = if *members == [first] {
                String::new()
            } else {
                format!("{} with ", named(&self.mirror, members).0)
            };
            let joint = if who.is_empty() { " and " } else { ", " };
            words += &format!("{joint}{who}{part} % of the land");
            percent = Some(part);
            teams = members.iter().map(|one| self.name(*one)).collect();
        }
        let what = json!({
            "type": "lead", "team": self.name(first), "score": points, "land_teams": teams, "land_percent": percent,
        });
        self.lead = (score, land, turn);
        self.tell(Weight::Lead, words, what);
    }
}
