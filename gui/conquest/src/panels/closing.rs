//! The closing screen of conquest: which factions won and why, the moments that decided the match, what each did.
//!
//! Must never show before the end. Tested in `tests/conquest/`.

use zappy_protocol::conquest::FactionId;

use super::super::deeds::{FactionDeeds, MatchMoment};
use super::super::story::{Finish, ranked};
use super::super::view::Shown;
use super::super::words::{faction_of_moment, moment};
use super::Ui;
use zappy_observer::app::origin::Origin;
use zappy_observer::ink::Rect;
use zappy_observer::panels::closing::{self, ClosingTable, MatchEnd, Replay};
use zappy_observer::panels::kit::{number, signed};

/// The headings of the table's columns, and the hints that say what each counts.
const COLUMNS: [(&str, &str); 12] = [
    ("score", "The score in the end"),
    ("units built", "Units that appeared"),
    ("units gone", "Units that are gone: fallen, retired, or with their faction"),
    ("fights won", "Enemies that fell to its units and bombs, or changed sides to it"),
    ("fights lost", "Units that fell to enemies, or changed sides to them"),
    ("bases taken", "Bases that fell to its units, and neutral ones that became its own"),
    ("bases lost", "Bases that it lost while it was in the match"),
    ("land taken", "Tiles that became its own"),
    ("land lost", "Tiles that it had and lost"),
    ("land left", "Tiles that it has in the end"),
    ("orders lost", "Orders that were taken, and couldn’t be carried out"),
    ("lines refused", "Lines that the server answered with ko; only records tell them"),
];

/// Why the match ended as it did, in a few sentences, the most telling first.
pub fn why(shown: &Shown<'_>, finish: &Finish) -> Vec<String> {
    shown.story.commentary.why(&shown.state.mirror, finish.reason.as_deref(), &finish.winners)
}

pub fn draw(ui: &mut Ui<'_>, rect: Rect, behind: Rect, shown: &Shown<'_>) {
    let Some(finish) = &shown.story.finish else { return };
    // What each faction did in all, the winners first, the others as they ranked.
    let (story, mirror) = (shown.story, &shown.state.mirror);
    let is_record = matches!(shown.origin, Origin::Record { .. });
    let row = |faction: FactionId| {
        let did: FactionDeeds = story.tally.deeds.get(faction.index()).copied().unwrap_or_default();
        let has = mirror.factions[faction.index()].holdings;
        let counts = [
            did.built,
            did.gone,
            did.won,
            did.lost,
            did.bases_taken,
            did.bases_lost,
            did.land_taken,
            did.land_lost,
            has.land,
            did.orders_lost,
        ];
        let mut numbers = vec![signed(has.score)];
        numbers.extend(counts.map(number));
        numbers.push(if is_record { number(did.refused) } else { "–".to_owned() });
        (shown.look(Some(faction)), story.name(faction).to_owned(), numbers)
    };
    let mut order = ranked(mirror);
    order.sort_by_key(|faction| !finish.winners.contains(faction));
    let table = ClosingTable { columns: COLUMNS.to_vec(), rows: order.into_iter().map(row).collect() };
    let replay = |one: &MatchMoment| Replay {
        tick: one.tick,
        when: format!("T {}", story.turn(one.tick)),
        says: moment(one, story),
        look: faction_of_moment(one, story).map(|faction| shown.look(Some(faction))),
    };
    let moments: Vec<Replay> = story.tally.highlights().into_iter().map(replay).collect();
    let end = MatchEnd {
        winners: &story.names_of(&finish.winners),
        look: shown.look(finish.winners.first().copied()),
        why: &why(shown, finish),
        moments: &moments,
        table: &table,
    };
    closing::draw(ui, rect, behind, &end);
}
