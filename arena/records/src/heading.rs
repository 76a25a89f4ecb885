//! The heading of everything that is shown of a match, as text and as JSON, and the notices at its end.
//!
//! Tested in `arena/cli/tests/records/`.

use serde_json::{Value, json};
use zappy_game::Length;
use zappy_protocol::record::RecordLevel;
use zappy_protocol::text::{many, shown, thousands};
use zappy_protocol::{TeamName, Tick};

use super::source::{End, Source};

/// The match in a few lines: `of_teams` is said behind the teams, `own` are the game's own lines, as key and text.
pub(crate) fn head_with(source: &Source, of_teams: &str, own: Vec<(&str, String)>, length: Length) -> String {
    let header = &source.header;
    let teams: Vec<String> = header.teams.iter().map(|team| shown(team.as_str().as_bytes())).collect();
    let (clock, rate) = (shown(header.clock.as_bytes()), many(header.frequency.into(), "tick"));
    // A game in turns is limited in turns, not in ticks.
    let limit = header.max_ticks.filter(|_| matches!(length, Length::Ticks(_)));
    let limit = limit.map(|ticks| format!(", {} at most", many(ticks, "tick"))).unwrap_or_default();
    let level = match (header.level, source.replayed) {
        (RecordLevel::Full, _) => "full",
        (RecordLevel::Inputs, true) => "inputs alone, the rest played again",
        (RecordLevel::Inputs, false) => "inputs alone",
    };
    let mut lines = vec![
        ("record", format!("{}, {level}", source.path.display())),
        ("teams", teams.join(", ") + of_teams),
        ("map", format!("{}x{}, seed {}", header.map.width(), header.map.height(), header.seed)),
    ];
    lines.extend(own);
    lines.push(("clock", format!("{clock}, {rate} per second at the start{limit}")));
    let moment = length.moment();
    let cut_off = if source.complete { "" } else { "; the record is cut off after that" };
    lines.push(match &source.end {
        Some(end) => ("end", format!("{} at {moment}{cut_off}", end.words())),
        None => ("end", format!("cut off after {moment}: how it went on is not known")),
    });
    lines.extend(source.note.clone().map(|note| ("note", note)));
    lines.iter().map(|(key, words)| format!("{key:<9} {words}\n")).collect()
}

/// The first object of output, with the game's own fields. The names of the fields are a contract.
pub(crate) fn json_head_with(source: &Source, own: Value) -> Value {
    let (header, end) = (&source.header, source.end.as_ref());
    let head = json!({
        "type": "head",
        "file": source.path.to_string_lossy(),
        "rules_version": header.rules_version,
        "seed": header.seed,
        "width": header.map.width(),
        "height": header.map.height(),
        "frequency": header.frequency,
        "clock": header.clock,
        "level": header.level.name(),
        "teams": header.teams.iter().map(TeamName::as_str).collect::<Vec<_>>(),
        "max_ticks": header.max_ticks,
        "last_tick": source.last_tick,
        "reason": end.map(|end| &end.reason),
        "winner": end.and_then(End::winner),
        "winners": end.map(|end| &end.winners),
        "by_lot": end.and_then(|end| end.by_lot),
        "complete": source.complete,
        "replayed": source.replayed,
        "note": source.note,
    });
    merged(head, own)
}

/// An object with the fields of another one behind its own.
pub(crate) fn merged(mut object: Value, more: Value) -> Value {
    if let (Value::Object(fields), Value::Object(more)) = (&mut object, more) {
        fields.extend(more);
    }
    object
}

/// The notice that `--from` lies behind the record's end.
pub(crate) fn nothing_from(length: Length) -> String {
    format!("there is nothing so late: the record ends at {}\n", length.moment())
}

/// A notice of the ticks at which the match was resumed; empty if it wasn't.
pub(crate) fn resumed(ticks: &[Tick]) -> String {
    let ticks: Vec<String> = ticks.iter().map(|&tick| thousands(tick)).collect();
    if ticks.is_empty() {
        return String::new();
    }
    format!("\nthe match was resumed at tick {}, after its server had been killed\n", ticks.join(", "))
}
