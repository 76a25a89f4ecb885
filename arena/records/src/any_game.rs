//! What every record has, whatever its game: the head, the lines as they were said, the end.
//!
//! For records of games without a room, a module of their own in this crate. Tested in `arena/cli/tests/tiny.rs`.

use serde_json::{Value, json};
use zappy_game::Length;
use zappy_protocol::record::dialogue::Speech;
use zappy_protocol::record::{RecordLine, Seat, escaped};
use zappy_protocol::text::shown;

use super::annotations::Annotations;
use super::files::Error;
use super::players;
use super::showing::Showing;
use super::source::{End, Source};
use super::{ShowArgs, heading};

/// Shows what every record has, of a match that lasted for `length`.
///
/// # Errors
/// The record can't be read on, or no player is one that is asked for.
pub fn show(showing: Showing<'_>, length: Length) -> Result<(), Error> {
    let Showing { source, args, programs, out, faults } = showing;
    if args.look.is_some() {
        return Err(Error::Words(format!("what players of {} see isn't drawn", source.header.game)));
    }
    let players = players::wanted(source, args, programs)?;
    let players = players.as_deref();
    if let Some(players) = players {
        players::check_joined(source, players)?;
    }
    if args.json {
        out.put_json(&json_head(source));
    } else {
        out.put(&format!("{}\n", head(source, length)));
    }
    let mut annotations = Annotations::read(&source.path, args, players, programs);
    let mut ticks = Vec::new();
    source.read(&mut |number, text| match RecordLine::parse(text) {
        Ok(parsed) => {
            if let RecordLine::Event(tick, entry) = &parsed
                && entry.is_resumption()
            {
                ticks.push(*tick);
            }
            out.put(&annotations.text_before(text, args))
                && line(&parsed, args, players).is_none_or(|line| out.put(&line))
        }
        Err(error) => {
            faults.note(number, &error);
            true
        }
    })?;
    out.put(&annotations.unplaced(args));
    let end = source.end.as_ref();
    if args.json {
        let (reason, winner) = (end.map(|end| &end.reason), end.and_then(End::winner));
        out.put_json(&json!({
            "type": "end", "tick": source.last_tick, "reason": reason, "winner": winner, "resumed": ticks,
        }));
    } else {
        if args.from.is_some_and(|from| from > source.last_tick) {
            out.put(&heading::nothing_from(length));
        }
        if end.is_none() {
            out.put("\nthe record is cut off here\n");
        }
        out.put(&heading::resumed(&ticks));
    }
    Ok(())
}

/// The object on the first line of output.
pub(crate) fn json_head(source: &Source) -> Value {
    let header = &source.header;
    let options = header.options.iter().map(|(key, value)| (key.clone(), value.clone().into()));
    let own = json!({ "game": header.game, "options": Value::Object(options.collect()) });
    heading::json_head_with(source, own)
}

/// The match in a few lines.
pub(crate) fn head(source: &Source, length: Length) -> String {
    let header = &source.header;
    let game = format!("{}, version {} of its rules", shown(header.game.as_bytes()), header.rules_version);
    let option = |(key, value): &(String, String)| {
        ("option", format!("{} {}", shown(key.as_bytes()), shown(value.as_bytes())))
    };
    let own = std::iter::once(("game", game)).chain(header.options.iter().map(option));
    heading::head_with(source, "", own.collect(), length)
}

/// What the line says, if it is an event at a tick that is wanted. With `players`: only what those seats and the server
/// said to each other.
fn line(line: &RecordLine, args: &ShowArgs, players: Option<&[u32]>) -> Option<String> {
    let RecordLine::Event(tick, entry) = line else { return None };
    if !args.ticks().contains(tick) {
        return None;
    }
    let (mark, seats, text) = entry.parts();
    let text = text.unwrap_or_default();
    let kind = match mark {
        '?' => "why",
        '*' => "told",
        'w' => "withheld",
        mark => Speech::ALL.into_iter().find(|speech| speech.mark() == mark).map_or("", Speech::name),
    };
    // The same signs as in a dialogue of Zappy.
    let sign = if matches!(mark, '<' | '>' | '?') { mark.to_string() } else { kind.to_owned() };
    let of_player = |seat: &&Seat| {
        players.is_none_or(|players| matches!(seat, Seat::Number(player) if players.contains(player)))
    };
    let said = |seat: Option<&Seat>| match (seat, args.json) {
        (_, true) => {
            let seat = seat.map(Seat::to_string);
            let line =
                json!({ "type": "line", "tick": tick, "way": kind, "seat": seat, "text": shown(&text) });
            format!("{line}\n")
        }
        (Some(seat), _) => format!("{tick:>11}  {sign:<9}{:>4}  {}\n", seat.to_string(), escaped(&text)),
        (None, _) => format!("{tick:>11}  {sign:<9}   *  {}\n", escaped(&text)),
    };
    let to_all = seats.is_empty() && players.is_none();
    let lines: String = seats.iter().filter(of_player).map(|seat| said(Some(seat))).collect();
    if to_all { Some(said(None)) } else { Some(lines).filter(|lines| !lines.is_empty()) }
}
