//! The story and the dialogues for programs: one JSON object per line. The names of the fields are a contract.
//!
//! Tested in `arena/cli/tests/records/`.

use serde_json::{Map, Value, json};
use zappy_protocol::zappy::story::{Fate, Happening, Life, Roster, What};
use zappy_protocol::zappy::{EggId, Level, PlayerId};

use super::dialogue::Answer;
use super::story::{Story, Team};
use super::tally::{PlayerTally, RecordTally};
use crate::heading::{json_head_with, merged};
use crate::source::{End, Source};

/// The object on the first line of output.
pub fn head(source: &Source) -> Value {
    let header = &source.header;
    json_head_with(source, json!({ "rules": header.option("rules"), "slots": header.number("clients") }))
}

/// The word for what happened, and its fields. Programs read them, so older words stay: a rite is an incantation.
pub fn happening(happening: &Happening, roster: &Roster) -> Value {
    let what = &happening.what;
    let team = what.team(roster).map(|team| roster.name(team));
    let at = happening.at.map(|at| [at.x, at.y]);
    let next = |level: &Level| level.get() + 1;
    let layer = |egg: &EggId| roster.layer_of(*egg).map(|layer| layer.0);
    let of_player =
        |player: &PlayerId, more: Value| merged(json!({ "player": player.0, "team": team }), more);
    let (kind, about) = match what {
        What::Joined(player) => ("joined", of_player(player, json!({ "at": at }))),
        What::Gone { player, last, fate, why } => {
            let (level, fate) = (last.level.get(), fate.map(Fate::name));
            ("gone", of_player(player, json!({ "level": level, "fate": fate, "why": why })))
        }
        What::Level { player, from, to } => {
            ("level", of_player(player, json!({ "from": from.get(), "level": to.get() })))
        }
        What::First { level, player, .. } => {
            ("first", json!({ "team": team, "level": level.get(), "player": player.0 }))
        }
        What::IncantationBegan { level, players } => (
            "rite_began",
            json!({ "team": team, "at": at, "level": next(level), "players": numbers(players) }),
        ),
        What::IncantationEnded { level, players, began, success, why, .. } => (
            "rite_ended",
            json!({
                "team": team, "at": at, "level": level.as_ref().map(next), "players": numbers(players),
                "began": began, "success": success, "why": why,
            }),
        ),
        What::Lead { levels, .. } => ("lead", json!({ "team": team, "levels": levels })),
        What::Ejected { player, victims, out_of_incantation } => {
            let more = json!({ "at": at, "players": numbers(victims), "out_of_rite": out_of_incantation });
            ("pushed", of_player(player, more))
        }
        What::EggLaid(egg, layer) => {
            let layer = layer.map(|layer| layer.0);
            ("egg_laid", json!({ "egg": egg.0, "player": layer, "team": team, "at": at }))
        }
        What::EggHatched(egg) => ("egg_hatched", json!({ "egg": egg.0, "player": layer(egg) })),
        What::EggDestroyed(egg) => ("egg_destroyed", json!({ "egg": egg.0, "player": layer(egg) })),
        What::Broadcast(player, text) => {
            ("broadcast", of_player(player, json!({ "text": text.to_string() })))
        }
        What::Refused(player, why) => ("refused", of_player(player, json!({ "why": why }))),
        What::Ignored(player, lines, why) => {
            ("dropped", of_player(player, json!({ "lines": lines, "why": why })))
        }
        What::TooLong(player) => ("too_long", of_player(player, json!({}))),
        What::Took(player, resource) => {
            ("took", of_player(player, json!({ "resource": resource.to_string() })))
        }
        What::Dropped(player, resource) => {
            ("put", of_player(player, json!({ "resource": resource.to_string() })))
        }
        What::Laying(player) => ("laying", of_player(player, json!({}))),
        What::Console(line) => ("console", json!({ "text": line })),
        What::Rate(rate) => ("rate", json!({ "rate": rate })),
        What::ServerMessage(text) => ("server", json!({ "text": text.to_string() })),
        What::Won(_) => ("won", json!({ "team": team })),
        What::Ended(reason, winner) => ("ended", json!({ "reason": reason, "winner": winner })),
    };
    merged(json!({ "type": kind, "tick": happening.tick }), about)
}

fn numbers(players: &[PlayerId]) -> Vec<u32> {
    players.iter().map(|player| player.0).collect()
}

/// The last object of a story.
pub fn end(source: &Source, story: &Story) -> Value {
    let (tally, end) = (&story.tally, source.end.as_ref());
    json!({
        "type": "end",
        "tick": story.tick,
        "reason": end.map(|end| &end.reason),
        "winner": end.and_then(End::winner),
        "resumed": story.resumed,
        "teams": story.teams().iter().map(team).collect::<Vec<_>>(),
        "players": tally.roster.lives().map(|(id, life)| player(id, life, tally)).collect::<Vec<_>>(),
    })
}

fn team(team: &Team<'_>) -> Value {
    let Team { name, strength, deeds, tally } = team;
    let fates: Map<String, Value> =
        Fate::ALL.iter().map(|fate| (fate.name().to_owned(), deeds.fates[*fate as usize].into())).collect();
    let reasons = tally.ranked_reasons();
    json!({
        "team": name,
        "levels": strength.levels,
        "alive": strength.alive(),
        "born": deeds.joined,
        "gone": fates,
        "rites": deeds.won,
        "rites_failed": deeds.failed,
        "eggs": deeds.eggs,
        "pushes": deeds.pushes,
        "broadcasts": deeds.broadcasts,
        "lines": tally.lines.lines,
        "refused": tally.lines.refused,
        "dropped": tally.lines.dropped,
        "first_at": deeds.first_at,
        "reasons": reasons.iter().map(|(why, count)| json!({ "why": why, "count": count })).collect::<Vec<_>>(),
    })
}

fn player(number: PlayerId, life: &Life, tally: &RecordTally) -> Value {
    let PlayerTally { lines, fate } = tally.player(number);
    json!({
        "player": number.0,
        "team": tally.roster.name(life.team),
        "level": life.level.get(),
        "joined": life.from,
        "ended": life.until,
        "fate": fate.map_or("alive", Fate::name),
        "lines": lines.lines,
        "refused": lines.refused,
        "dropped": lines.dropped,
    })
}

/// The last object of a dialogue.
pub fn dialogue_end(source: &Source, number: u32, tally: &RecordTally) -> Value {
    let life = tally.roster.life(PlayerId(number));
    let about = life.map_or(Value::Null, |life| player(PlayerId(number), life, tally));
    merged(json!({ "type": "end", "tick": source.last_tick }), about)
}

/// A line of a dialogue.
pub fn spoken(player: u32, line: &Answer) -> Value {
    let Answer { spoken, answers, of_others } = line;
    json!({
        "type": "line",
        "tick": spoken.tick,
        "player": player,
        "way": spoken.speech.name(),
        "text": spoken.text,
        "answers": answers.as_ref().map(|(command, _)| command),
        "asked_at": answers.as_ref().map(|(_, tick)| tick),
        "after": answers.as_ref().map(|(_, tick)| spoken.tick.saturating_sub(*tick)),
        "of_others": of_others,
        "why": spoken.why,
    })
}
