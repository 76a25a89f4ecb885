//! How a match went for each faction, for results and tables.
//!
//! Reads the world and changes nothing. The keys are a contract with the programs that read results. Tested in
//! `tests/conquest.rs`.

use serde_json::{Map, Value, json};
use zappy_protocol::conquest::FactionId;

use super::Conquest;
use zappy_game::{Advice, Column, GameSpec, RUNNING, Report, TeamReport};

/// The faction's details that tournaments keep.
pub(in super::super) const COLUMNS: &[Column] = &[
    Column { key: "land", title: "land", listed: true, even: false },
    Column { key: "population", title: "population", listed: true, even: false },
    Column { key: "kills", title: "kills", listed: true, even: false },
    Column { key: "gold", title: "gold", listed: true, even: false },
    Column { key: "phases_late", title: "phases late", listed: true, even: false },
    Column { key: "turns", title: "turns", listed: false, even: false },
    Column { key: "fall", title: "fall", listed: false, even: false },
    Column { key: "beaten_in_turn", title: "beaten in turn", listed: false, even: false },
];

/// What it means that a column was 0.
pub(in super::super) const ADVICE: &[Advice] = &[
    Advice {
        column: "land",
        what: "The faction had lost its base at the end of",
        hint: "Keep a fighter next to the base, and look at the units that come near it.",
    },
    Advice {
        column: "kills",
        what: "The faction had killed no unit at the end of",
        hint: "Points and defence: fighters that attack what is next to them.",
    },
];

/// The cells of a faction in the table after a match: its score first, how it fell last.
pub(in super::super) fn cells(details: &Map<String, Value>) -> Vec<(String, String)> {
    let text = |key: &str| match details.get(key) {
        None | Some(Value::Null) => "-".to_owned(),
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
    };
    let mut cells = vec![("score".to_owned(), text("score"))];
    cells.extend(GameSpec::plain_cells(COLUMNS, details));
    cells.push(("fall".to_owned(), text("fall")));
    cells
}

impl Conquest {
    pub(super) fn compose_report(&self) -> Report {
        let field = &self.led.rules;
        let verdict = field.seats.verdict.clone().unwrap_or_else(|| field.judge(RUNNING, false));
        let team = |faction: FactionId| {
            let index = faction.index();
            let (holdings, beaten) = (field.world.holdings(faction), field.world.beaten(faction));
            let details: [(&str, Value); 12] = [
                ("land", json!(holdings.land)),
                ("population", json!(holdings.population)),
                ("kills", json!(holdings.kills)),
                ("gold", json!(holdings.gold)),
                ("food", json!(holdings.food)),
                ("wood", json!(holdings.wood)),
                ("bombs", json!(holdings.bombs)),
                ("upkeep", json!(holdings.upkeep)),
                ("phases_late", json!(field.seats.late[index])),
                ("beaten_in_turn", json!(beaten)),
                ("fall", json!(field.world.fall(faction))),
                ("turns", json!(field.world.turn())),
            ];
            let details: Map<String, Value> =
                details.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
            let team = field.world.options().factions[index].to_string();
            TeamReport { team, conduct: field.seats.conduct[index], details }
        };
        Report { ticks: self.led.engine.now, verdict, teams: field.world.ids().map(team).collect() }
    }
}
