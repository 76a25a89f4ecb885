//! The closing screen of Zappy: the winner, the moments that decided the match, what each team did, and five facts.
//!
//! Must never show before the end. Tested in `tests.rs`; the facts in `facts`.

use zappy_protocol::TeamName;
use zappy_protocol::zappy::story::{Deeds, Fate, TeamIndex};

use super::facts::facts;
use super::{Ui, moments, words};
use crate::app::origin::Origin;
use crate::ink::Rect;
use crate::panels::closing::{self, End, Replay, Table};
use crate::panels::kit::{self, number};
use crate::zappy::app::action::{Choice, Panel};
use crate::zappy::app::shown::Shown;
use crate::zappy::timeline::moments::highlights;

/// Whether the match has ended at the view's tick.
pub fn wanted(shown: &Shown<'_>) -> bool {
    shown.chronicle.finish.as_ref().is_some_and(|ending| kit::whole(shown.time.tick) >= ending.tick)
}

/// The size that it would like, in points.
pub fn size(shown: &Shown<'_>) -> (f32, f32) {
    (920.0, 560.0 + 18.0 * shown.roster.teams().len().min(8) as f32)
}

/// What each team did in all, in the order of their names' telling.
pub fn table(shown: &Shown<'_>) -> Table {
    let none = Deeds::default();
    let row = |(place, name): (usize, &TeamName)| {
        let did = shown.chronicle.deeds.get(place).unwrap_or(&none);
        let fate = |fate: Fate| did.fates[fate as usize];
        let other = did.died.saturating_sub(fate(Fate::Starved)).saturating_sub(fate(Fate::Left));
        let mut numbers = vec![did.joined, fate(Fate::Starved), fate(Fate::Left), other, did.won, did.failed];
        numbers.extend([did.pushes, did.pushed, did.eaten]);
        let mut numbers: Vec<String> = numbers.into_iter().map(|n| number(u64::from(n))).collect();
        let told = matches!(shown.origin, Origin::Record { .. });
        numbers.push(if told { number(u64::from(did.refused)) } else { "–".to_owned() });
        (shown.look(Some(TeamIndex(place))), words::short_name(name.as_str(), 24), numbers)
    };
    let columns = vec![
        "births",
        "deaths starved",
        "deaths left",
        "deaths ended",
        "incantations succeeded",
        "incantations failed",
        "pushes given",
        "pushes taken",
        "food eaten",
        "refusals",
    ];
    Table { columns, rows: shown.roster.teams().iter().enumerate().map(row).collect() }
}

pub fn draw(ui: &mut Ui<'_>, rect: Rect, behind: Rect, shown: &Shown<'_>) {
    let Some(ending) = shown.chronicle.finish.as_ref() else { return };
    let winner = ending.winner.as_ref();
    let look = shown.look(winner.and_then(|winner| shown.roster.team(winner)));
    let facts = facts(shown.chronicle, shown.roster);
    let moments: Vec<Replay<Choice>> = highlights(&shown.chronicle.moments)
        .into_iter()
        .map(|moment| Replay {
            when: number(moment.tick()),
            says: moments::sentence(moment, shown.roster),
            look: moments::team(moment, shown.roster).map(|team| shown.look(Some(team))),
            action: Choice::Replay(moment.tick()).into(),
        })
        .collect();
    let table = table(shown);
    let end =
        End { moments: &moments, table: &table, winner: winner.map(TeamName::as_str), look, facts: &facts };
    closing::draw(ui, rect, behind, &end, Choice::Toggle(Panel::Closing).into());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::zappy::panels::testing::Scene;

    #[test]
    fn the_final_table_counts_what_each_team_did() {
        let scene = Scene::told(&[
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
            "440 pie 1 1 0",
            "500 pdi #2",
            "600 seg blue",
        ]);
        scene.show(600.0, |shown| {
            let rows: Vec<_> =
                table(shown).rows.into_iter().map(|(_, name, row)| (name, row.join(" "))).collect();
            let red = ("red".to_owned(), "2 1 0 0 0 1 0 1 1 0".to_owned());
            let blue = ("blue".to_owned(), "1 0 0 0 0 0 1 0 0 0".to_owned());
            assert_eq!(rows, [red, blue]);
            assert_eq!(table(shown).columns.len(), 10);
        });
    }
}
