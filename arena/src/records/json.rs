//! The same for programs: one JSON object per line. The names of the fields are a contract.
//!
//! Tested in `tests/records/`.

use serde_json::{Map, Value, json};
use zappy_protocol::TeamName;
use zappy_protocol::record::RecordLevel;
use zappy_protocol::zappy::PlayerId;

use super::dialogue::Spoken;
use super::happening::{Happening, TeamIndex, What};
use super::source::Source;
use super::story::Story;
use super::tally::{Player, Tally, Team};

/// The first object.
#[must_use]
pub fn head(source: &Source) -> Value {
    let header = &source.header;
    let end = source.end.as_ref();
    json!({
        "type": "head",
        "file": source.path.to_string_lossy(),
        "rules_version": header.rules_version,
        "rules": header.option("rules"),
        "seed": header.seed,
        "width": header.map.width(),
        "height": header.map.height(),
        "slots": header.number("clients"),
        "frequency": header.frequency,
        "clock": header.clock,
        "level": if header.level == RecordLevel::Full { "full" } else { "inputs" },
        "teams": header.teams.iter().map(TeamName::as_str).collect::<Vec<_>>(),
        "max_ticks": header.max_ticks,
        "last_tick": source.last_tick,
        "reason": end.map(|end| &end.reason),
        "winner": end.and_then(|end| end.winner.as_ref()),
        "complete": end.is_some(),
        "replayed": source.replayed,
        "note": source.note,
    })
}

/// Something that happened.
#[must_use]
pub fn happening(happening: &Happening, tally: &Tally) -> Value {
    let mut fields = Map::new();
    let (kind, about) = described(&happening.what, tally);
    fields.insert("type".to_owned(), kind.into());
    fields.insert("tick".to_owned(), happening.tick.into());
    if let Value::Object(about) = about {
        fields.extend(about);
    }
    Value::Object(fields)
}

fn described(what: &What, tally: &Tally) -> (&'static str, Value) {
    let team = |team: Option<TeamIndex>| team.and_then(|team| tally.teams.get(team)).map(|team| &team.name);
    match what {
        What::Joined { player, team: of, at } => (
            "joined",
            json!({ "player": player.0, "team": team(Some(*of)), "at": at.map(|at| [at.x, at.y]) }),
        ),
        What::Gone { player, team: of, level, fate, why } => (
            "gone",
            json!({ "player": player.0, "team": team(Some(*of)), "level": level, "fate": fate.word(), "why": why }),
        ),
        What::Level { player, team: of, from, to } => {
            ("level", json!({ "player": player.0, "team": team(Some(*of)), "from": from, "level": to }))
        }
        What::First { team: of, level, player, .. } => {
            ("first", json!({ "team": team(Some(*of)), "level": level, "player": player.0 }))
        }
        What::RiteBegan { team: of, at, to, players } => (
            "rite_began",
            json!({ "team": team(*of), "at": [at.x, at.y], "level": to, "players": numbers(players) }),
        ),
        What::RiteEnded(rite) => (
            "rite_ended",
            json!({
                "team": team(rite.team), "at": [rite.at.x, rite.at.y], "level": rite.to,
                "players": numbers(&rite.players), "began": rite.began, "success": rite.success, "why": rite.why,
            }),
        ),
        What::Lead { team: of, levels } => ("lead", json!({ "team": team(*of), "levels": levels })),
        What::Pushed { player, at, victims, out_of_rite } => (
            "pushed",
            json!({
                "player": player.0, "team": team(tally.team_of(*player)), "at": at.map(|at| [at.x, at.y]),
                "players": numbers(victims), "out_of_rite": out_of_rite,
            }),
        ),
        _ => described_deed(what, tally),
    }
}

fn described_deed(what: &What, tally: &Tally) -> (&'static str, Value) {
    let of = |player: &PlayerId| tally.team_of(*player).map(|team| &tally.teams[team].name);
    let by = |layer: &Option<PlayerId>| layer.map(|layer| layer.0);
    match what {
        What::EggLaid { egg, layer, at } => (
            "egg_laid",
            json!({ "egg": egg.0, "player": by(layer), "team": layer.as_ref().and_then(of), "at": [at.x, at.y] }),
        ),
        What::EggHatched { egg, layer } => ("egg_hatched", json!({ "egg": egg.0, "player": by(layer) })),
        What::EggLost { egg, layer } => ("egg_destroyed", json!({ "egg": egg.0, "player": by(layer) })),
        What::Said { player, text } => {
            ("broadcast", json!({ "player": player.0, "team": of(player), "text": text.to_string() }))
        }
        What::Refused { player, why } => {
            ("refused", json!({ "player": player.0, "team": of(player), "why": why }))
        }
        What::Dropped { player, why } => {
            ("dropped", json!({ "player": player.0, "team": of(player), "why": why }))
        }
        What::TooLong { player } => ("too_long", json!({ "player": player.0, "team": of(player) })),
        What::Took { player, resource } => {
            ("took", json!({ "player": player.0, "team": of(player), "resource": resource.to_string() }))
        }
        What::Put { player, resource } => {
            ("put", json!({ "player": player.0, "team": of(player), "resource": resource.to_string() }))
        }
        What::Console { line } => ("console", json!({ "text": line })),
        What::Server { text } => ("server", json!({ "text": text.to_string() })),
        What::End { reason, winner } => ("ended", json!({ "reason": reason, "winner": winner })),
        _ => ("unknown", json!({})),
    }
}

fn numbers(players: &[PlayerId]) -> Vec<u32> {
    players.iter().map(|player| player.0).collect()
}

/// The last object of a story.
#[must_use]
pub fn end(source: &Source, story: &Story) -> Value {
    let (tally, end) = (&story.tally, source.end.as_ref());
    json!({
        "type": "end",
        "tick": story.tick(),
        "reason": end.map(|end| &end.reason),
        "winner": end.and_then(|end| end.winner.as_ref()),
        "teams": tally.teams.iter().map(team).collect::<Vec<_>>(),
        "players": tally.players.iter().map(|(id, known)| player(*id, known, tally)).collect::<Vec<_>>(),
    })
}

fn team(team: &Team) -> Value {
    let reasons = team.ranked_reasons();
    let fates: Map<String, Value> =
        team.gone.iter().map(|(fate, number)| (fate.word().to_owned(), (*number).into())).collect();
    json!({
        "team": team.name,
        "levels": team.levels,
        "alive": team.alive(),
        "born": team.joined,
        "gone": fates,
        "rites": team.rites_won,
        "rites_failed": team.rites_failed,
        "eggs": team.eggs,
        "pushes": team.pushes,
        "broadcasts": team.broadcasts,
        "lines": team.lines,
        "refused": team.refused,
        "dropped": team.dropped,
        "first_at": team.first_at,
        "reasons": reasons.iter().map(|(why, count)| json!({ "why": why, "count": count })).collect::<Vec<_>>(),
    })
}

fn player(number: PlayerId, player: &Player, tally: &Tally) -> Value {
    json!({
        "player": number.0,
        "team": tally.teams[player.team].name,
        "level": player.level,
        "joined": player.joined,
        "ended": player.ended.map(|(tick, _)| tick),
        "fate": player.ended.map_or("alive", |(_, fate)| fate.word()),
        "lines": player.lines,
        "refused": player.refused,
        "dropped": player.dropped,
    })
}

/// A line of a dialogue.
#[must_use]
pub fn spoken(spoken: &Spoken) -> Value {
    json!({
        "type": "line",
        "tick": spoken.tick,
        "way": spoken.speech.word(),
        "text": spoken.text,
        "answers": spoken.answers.as_ref().map(|(command, _)| command),
        "asked_at": spoken.answers.as_ref().map(|(_, tick)| tick),
        "after": spoken.answers.as_ref().map(|(_, tick)| spoken.tick.saturating_sub(*tick)),
        "of_others": spoken.of_others,
        "why": spoken.why,
    })
}
