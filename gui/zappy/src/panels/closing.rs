//! The closing screen of Zappy: the winner, why it has won, the moments that decided the match, and what each team did.
//!
//! Must never show before the end. Tested in this module and in `tests.rs`.

use std::cmp::Reverse;

use zappy_protocol::TeamName;
use zappy_protocol::text::clock;
use zappy_protocol::zappy::story::{Deeds, Fate, Strength, TeamIndex};

use super::{Ui, words};
use crate::timeline::chronicle::ZappyFinish;
use crate::timeline::moments::highlights;
use crate::view::Shown;
use zappy_observer::app::origin::Origin;
use zappy_observer::ink::Rect;
use zappy_observer::panels::closing::{self, ClosingTable, MatchEnd, Replay};
use zappy_observer::panels::kit::number;

/// The headings of the table's columns, and the hints that say what each counts.
const COLUMNS: [(&str, &str); 11] = [
    ("players born", "Players that came in"),
    ("players starved", "Players that died without food"),
    ("players left", "Players with food whose program has gone"),
    ("players ended", "Players ended by the server or its console, or for a reason that wasn’t told"),
    ("incantations succeeded", "Incantations that its players began, and that raised a level"),
    ("incantations failed", "Incantations that its players began, and that raised nobody"),
    ("enemies pushed", "Players of other teams that its pushes moved off their tile, each counted each time"),
    ("own pushed", "Its own players that its pushes moved"),
    ("lost to pushes", "Its players that other teams’ pushes moved"),
    ("food eaten", "Units of food that its players have lived on"),
    ("commands refused", "Commands that the server answered with ko; only records tell them"),
];

/// What each team did in all, the winner first, the others by rank.
pub fn table(shown: &Shown<'_>, ending: &ZappyFinish) -> ClosingTable {
    let none = Deeds::default();
    let row = |place: usize| {
        let did = shown.story.chronicle.deeds.get(place).unwrap_or(&none);
        let fate = |fate: Fate| did.fates[fate as usize];
        let other = did.died.saturating_sub(fate(Fate::Starved)).saturating_sub(fate(Fate::Left));
        let mut numbers = vec![did.joined, fate(Fate::Starved), fate(Fate::Left), other, did.won, did.failed];
        let [enemies, own] = did.shoved;
        numbers.extend([enemies, own, did.pushed.saturating_sub(own), did.eaten]);
        let mut numbers: Vec<String> = numbers.into_iter().map(|n| number(u64::from(n))).collect();
        let is_record = matches!(shown.origin, Origin::Record { .. });
        numbers.push(if is_record { number(u64::from(did.refused)) } else { "–".to_owned() });
        let team = TeamIndex(place);
        (shown.look(Some(team)), words::short_name(shown.story.roster.name(team), 24), numbers)
    };
    let winner = ending.winner.as_ref().and_then(|winner| shown.story.roster.team(winner));
    let mut places: Vec<usize> = (0..shown.story.roster.teams().len()).collect();
    let rank = |place: usize| ending.teams.get(place).map(Strength::rank);
    places.sort_by_key(|&place| Reverse((winner == Some(TeamIndex(place)), rank(place))));
    ClosingTable { columns: COLUMNS.to_vec(), rows: places.into_iter().map(row).collect() }
}

pub fn draw(ui: &mut Ui<'_>, rect: Rect, behind: Rect, shown: &Shown<'_>) {
    let Some(ending) = shown.story.chronicle.finish.as_ref() else { return };
    let winner = ending.winner.as_ref();
    let look = shown.look(winner.and_then(|winner| shown.story.roster.team(winner)));
    let why = shown.story.ended().map(|ended| ended.why()).unwrap_or_default();
    let rate = shown.story.chronicle.rate();
    let moments: Vec<Replay> = highlights(&shown.story.chronicle.moments)
        .into_iter()
        .map(|moment| Replay {
            tick: moment.tick(),
            when: clock(moment.tick(), rate),
            says: words::moment(moment, shown.story),
            look: words::moment_team(moment, &shown.story.roster).map(|team| shown.look(Some(team))),
        })
        .collect();
    let table = table(shown, ending);
    let winners = winner.map(TeamName::as_str);
    let end = MatchEnd { winners: winners.as_slice(), look, why: &why, moments: &moments, table: &table };
    closing::draw(ui, rect, behind, &end);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::panels::testing::ScriptedMatch;

    #[test]
    fn the_final_table_counts_what_each_team_did() {
        let scene = ScriptedMatch::of(&[
            "0 msz 9 9",
            "0 tna red",
            "0 tna blue",
            "0 smg go",
            "1 pnw #0 1 1 1 1 red",
            "1 pnw #1 1 1 2 1 blue",
            "2 pin #0 1 1 5 0 0 0 0 0 0",
            "128 pin #0 1 1 4 0 0 0 0 0 0",
            "130 pnw #2 2 2 1 1 red",
            "140 pic 1 1 1 #0",
            "150 ppo #0 2 1 1",
            "150 pex #1",
            "155 ppo #2 2 1 1",
            "160 ppo #0 2 0 1",
            "160 pex #2",
            "440 pie 1 1 0",
            "500 pdi #2",
            "600 seg blue",
        ]);
        scene.show(600.0, |shown| {
            let table = table(shown, shown.story.chronicle.finish.as_ref().unwrap());
            let rows: Vec<_> = table.rows.into_iter().map(|(_, name, row)| (name, row.join(" "))).collect();
            let red = ("red".to_owned(), "2 1 0 0 0 1 0 1 1 1 0".to_owned());
            let blue = ("blue".to_owned(), "1 0 0 0 0 0 1 0 0 0 0".to_owned());
            assert_eq!(rows, [blue, red], "the winner stands first");
            assert_eq!(table.columns[6].0, "enemies pushed", "its own don’t count for that");
            assert!(rows.iter().all(|(_, row)| row.split(' ').count() == table.columns.len()));
        });
    }

    /// Why the match of these lines ended as it did.
    fn why(lines: &[&str]) -> Vec<String> {
        ScriptedMatch::of(lines).chronicler.overview.ended().map(|ended| ended.why()).unwrap_or_default()
    }

    #[test]
    fn a_known_match_is_explained_by_what_was_counted() {
        let overview = ScriptedMatch::small_match().chronicler.overview;
        assert_eq!(
            overview.ended().unwrap().why(),
            [
                "blue was the best after 9 s: 1 player at level 3",
                "blue was the first to reach level 3, after 9 s",
                "The lead changed hands once; blue took it for good after 9 s",
            ]
        );
        assert!(why(&[]).is_empty() && why(&["0 msz 9 9", "0 tna red", "5 pnw #0 1 1 1 1 red"]).is_empty());
    }

    #[test]
    fn the_cause_is_told_by_the_incantations_of_winner_and_rival() {
        let mut lines: Vec<String> = (0..7).map(|n| format!("5 pnw #{n} 1 1 1 7 blue")).collect();
        lines.extend((10..12).map(|n| format!("5 pnw #{n} 5 5 1 2 red")));
        lines.push("5 pnw #26 4 5 2 2 wolves".to_owned());
        lines.extend(["100 pic 5 5 2 #10 #11", "150 ppo #26 5 5 2", "200 ppo #10 6 5 1"].map(str::to_owned));
        lines.extend(
            ["200 pex #26", "400 pie 5 5 0", "500 pic 1 1 7 #0 #1 #2 #3 #4 #5 #6"].map(str::to_owned),
        );
        lines.extend((0..7).map(|n| format!("800 plv #{n} 8")));
        lines.extend(["800 pie 1 1 1", "800 seg blue"].map(str::to_owned));
        let before = ["0 msz 9 9", "0 tna red", "0 tna blue", "0 tna wolves", "0 bct 5 5 0 9 9 9 9 9 9"];
        let all: Vec<&str> =
            before.into_iter().chain(["0 ppo #99 0 0 1"]).chain(lines.iter().map(String::as_str)).collect();
        let said = why(&all);
        assert_eq!(said[0], "blue had 7 players at level 8 (6 needed) after 8 s");
        assert_eq!(said[1], "1 of blue’s 1 incantation succeeded; 0 of red’s 1, 1 broken by wolves’ pushes");
        assert_eq!(said.len(), 3, "{said:?}");
    }

    #[test]
    fn a_lead_that_was_lost_is_not_told_as_kept_and_the_level_that_won_is_told_once() {
        let lines = ["0 msz 9 9", "0 tna red", "0 tna blue", "0 ppo #9 0 0 1", "5 pnw #0 1 1 1 1 red"];
        let lost = ["9 pnw #1 2 2 1 1 blue", "500 plv #0 2", "700 plv #1 2", "900 seg red"];
        let lead = "Only red ever led, first after 5 s; in the end nobody did".to_owned();
        assert!(why(&[&lines[..], &lost].concat()).contains(&lead));
        let up = ["700 plv #0 6", "700 plv #0 7", "900 plv #0 8", "900 seg red"];
        let first = "red was the first to reach level 7, after 7 s".to_owned();
        assert!(why(&[&lines[..], &up].concat()).contains(&first));
    }
}
