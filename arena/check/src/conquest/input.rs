//! What a faction says and is answered: its orders, and the mistakes that the answers show.
//!
//! The rules judge; this only says which of their refusals are a mistake of the program's. Tested in `arena/cli/tests/check.rs`.

use zappy_game::SeatId;
use zappy_protocol::conquest::player::PlayerLine;

use super::Conquest;
use crate::connection::Phase;
use crate::seen::{FaultKind, shown};
use crate::stage::Stage;

/// After this many refusals of `Done` in a row it is no longer a slip.
const REFUSALS: u32 = 20;
/// The refusals that show a mistake: a part of the reason, the mistake, and what it means.
const MISTAKES: [(&str, FaultKind, &str); 7] = [
    ("not your unit", FaultKind::Foreign, "that unit isn't its own"),
    (" can't ", FaultKind::Unable, "units of that type can't do this"),
    ("off the map", FaultKind::Invalid, "there is no such tile"),
    ("it is not your phase", FaultKind::Impatient, "it isn't its phase"),
    ("you are done already", FaultKind::AfterDone, "it has said Done in this phase"),
    ("over the budget", FaultKind::Flood, "that is more than a faction may send in a phase"),
    ("the match has not begun", FaultKind::Impatient, "it has read no `go` yet"),
];

/// What is remembered of what a connection says.
#[derive(Debug, Default)]
pub struct Dialogue {
    /// The turn of the last `go`.
    pub turn: u32,
    /// Its units, as the last snapshot had them.
    pub units: Vec<u32>,
    /// Whether the line that was said last was `Done`.
    done: bool,
    /// Refusals of `Done` in a row.
    refused: u32,
}

pub fn look_at_line(stage: &mut Stage<'_, Conquest>, i: usize, line: &[u8]) {
    if i == 0 {
        stage.seen.keep(line);
    }
    let said = PlayerLine::parse(line);
    stage.connections[i].dialogue.done = matches!(said, Ok(PlayerLine::Done(_)));
    if let Err(why) = said {
        stage.seen.fault(FaultKind::Invalid, format!("it sent \"{}\": {why}", shown(line)));
    }
    if stage.play.beaten.is_some() {
        let words = format!("it was sent `dead`, and sent \"{}\" after it", shown(line));
        stage.seen.fault(FaultKind::Ghost, words);
    }
}

/// A connection of the bot's was sent this line.
pub fn look_at_answer(stage: &mut Stage<'_, Conquest>, seat: SeatId, line: &[u8]) {
    let Some(connection) = stage.connections.get_mut(seat.0 as usize) else { return };
    if connection.phase != Phase::Playing {
        return;
    }
    let text = String::from_utf8_lossy(line);
    let words: Vec<&str> = text.split(' ').collect();
    let dialogue = &mut connection.dialogue;
    match words[..] {
        ["turn", _] => dialogue.units.clear(),
        ["unit", number, "0", ..] => dialogue.units.extend(number.parse::<u32>()),
        ["go", turn] => {
            dialogue.turn = turn.parse().unwrap_or_default();
            stage.play.phases += 1;
        }
        ["dead"] => stage.play.beaten = Some(stage.clock.now()),
        ["ok"] if std::mem::take(&mut dialogue.done) => {
            dialogue.refused = 0;
            stage.rhythm.steps += 1;
        }
        ["ok" | "maybe" | "ko", ..] => {}
        _ => return,
    }
    if ["ok", "maybe", "ko"].contains(&words[0]) {
        connection.last.1 = shown(line);
    }
    if words[0] == "ko" {
        look_at_refusal(stage, seat, &text);
    }
}

fn look_at_refusal(stage: &mut Stage<'_, Conquest>, seat: SeatId, answer: &str) {
    let Some(connection) = stage.connection_of(seat) else { return };
    let line = connection.last.0.clone();
    let said_done = std::mem::take(&mut connection.dialogue.done);
    connection.dialogue.refused += u32::from(said_done);
    let refused = connection.dialogue.refused;
    if said_done && answer.ends_with("is running") {
        stage.seen.fault(FaultKind::Stale, format!("it sent \"{line}\", and the answer was \"{answer}\""));
    }
    if refused >= REFUSALS {
        let words = format!(
            "{refused} times in a row its `Done` was refused; the last one was \"{line}\", \
                             the answer \"{answer}\""
        );
        stage.fail(FaultKind::Repeats, words);
    }
    if let Some((_, kind, words)) = MISTAKES.iter().find(|(part, ..)| answer.contains(part)) {
        let words = format!("it sent \"{line}\", and {words}; the answer was \"{answer}\"");
        stage.seen.fault(*kind, words);
        // A program that floods may wait for answers that never come.
        stage.over |= *kind == FaultKind::Flood;
    }
}
