//! Reads a bot's lines, checks each as a strict server would, and hands it to the rules unchanged.
//!
//! Tested in `arena/cli/tests/check.rs`.

use std::time::{Duration, Instant};

use zappy_game::Input;

use super::connection::Phase;
use super::data::remedy;
use super::seen::{FaultKind, SENT, shown};
use super::stage::{Play, Stage, TEAM};

/// The longest line that a bot may send, in bytes.
const LINE_LIMIT: usize = 4096;
/// The most lines taken from a connection in one turn.
const TURN_LINES: usize = 64;
/// The most lines after the end of a connection that a transcript shows.
const SHOWN_AFTERWARDS: usize = 3;
/// After more refused names than this a bot no longer tries, but floods the server.
const MOST_NAMES: u32 = 15;

/// The fault of a line that ends in `\r\n` under rules that take the `\r` for a part of it.
const CARRIAGE_RETURN: &str =
    "the line ends with \\r\\n, which these rules don't take (protocol.md, 17. Where servers differ)";

/// Reads what has come on each connection.
pub fn listen<P: Play>(stage: &mut Stage<'_, P>) {
    for i in 0..stage.connections.len() {
        if matches!(stage.connections[i].phase, Phase::Waiting | Phase::Gone) || stage.over {
            continue;
        }
        if !stage.connections[i].ended {
            stage.connections[i].read();
        }
        let (settings, connection) = (&stage.settings, &stage.connections[i]);
        let waits = connection.phase == Phase::Greeted
            && connection.connected_at.elapsed() < settings.greeting + settings.answer;
        for _ in 0..if waits { 0 } else { TURN_LINES } {
            let Some(line) = stage.connections[i].line() else { break };
            take_line(stage, i, &line);
        }
        let is_taken = waits || !stage.connections[i].pending().contains(&b'\n');
        let connection = &mut stage.connections[i];
        if !connection.ended || !is_taken {
            continue;
        }
        let was_closing = std::mem::replace(&mut connection.phase, Phase::Gone) == Phase::Closing;
        let (seat, rest) = (connection.seat, connection.pending().to_vec());
        stage.seen.note_line(&connection.name, SENT, "(closes the connection)");
        if !was_closing {
            stage.fault_of_unended(&rest, "");
        }
        stage.hand_in(seat, Input::Closed);
    }
}

fn take_line<P: Play>(stage: &mut Stage<'_, P>, i: usize, raw: &[u8]) {
    let connection = &mut stage.connections[i];
    let (seat, phase, name) = (connection.seat, connection.phase, connection.name.clone());
    if P::renews_think_time(None) {
        connection.idle_since = None;
    }
    connection.mute = false;
    connection.afterwards += usize::from(phase == Phase::Closing);
    // People want to see the end of the match, not what a loop sends after it.
    if connection.afterwards <= SHOWN_AFTERWARDS {
        stage.seen.note_line(&name, SENT, &shown(raw));
    }
    if phase == Phase::Closing {
        return;
    }
    let line = raw.strip_suffix(b"\r").unwrap_or(raw);
    if raw.len() > line.len() && !stage.play.game().keeps_returns() {
        stage.seen.note_elsewhere(
            FaultKind::LineEnd,
            "its lines end with \\r\\n; the \\r is dropped here, but there are servers that keep it as a part of the line: \
             read protocol.md, 17. Where servers differ",
        );
    } else if raw.len() > line.len() || line.contains(&0) {
        let nul = "there is a NUL byte in the line, which is the end of a C string";
        let words = if raw.len() > line.len() { CARRIAGE_RETURN } else { nul };
        let words = format!("it sent \"{}\": {words}", shown(raw));
        stage.seen.fault_with(FaultKind::LineEnd, words, Some(remedy("unended")));
    }
    if phase == Phase::Greeted {
        check_name(stage, raw, line);
    } else {
        stage.seen.spoke = true;
        let before = stage.rhythm.last_line_at.replace(Instant::now());
        stage.rhythm.last_gap = before.map_or(Duration::MAX, |before| before.elapsed());
        stage.rhythm.may_send_since = Some(stage.clock.now());
        stage.connections[i].last.0 = shown(line);
        P::take_line(stage, i, line);
    }
    let taken = if stage.play.game().keeps_returns() { raw } else { line };
    let input = if taken.len() > LINE_LIMIT { Input::Overflow } else { Input::Line(taken) };
    stage.hand_in(seat, input);
}

fn check_name<P: Play>(stage: &mut Stage<'_, P>, raw: &[u8], line: &[u8]) {
    let shown = shown(line);
    if stage.settings.full {
        stage.seen.occurrences += 1;
        if line.trim_ascii() != TEAM.as_bytes() {
            let words = format!("it was refused (ko) and sent \"{shown}\" as if it had been let in");
            stage.seen.fault(FaultKind::Name, words);
        }
        if stage.seen.occurrences > MOST_NAMES {
            let words = format!(
                "it was refused (ko) and tried again {} times without a pause",
                stage.seen.occurrences
            );
            stage.fail(FaultKind::Flood, words);
        }
    } else if line == TEAM.as_bytes() && raw.len() > line.len() && stage.play.game().keeps_returns() {
        let words = format!(
            "after WELCOME it sent \"{shown}\\r\": {CARRIAGE_RETURN}, and \\r is taken for a part of the name"
        );
        stage.seen.fault_with(FaultKind::Name, words, Some(remedy("unended")));
    } else if line != TEAM.as_bytes() {
        let words = format!("after WELCOME it sent \"{shown}\"; its team is \"{TEAM}\", as -n says");
        stage.seen.fault_with(FaultKind::Name, words, Some(remedy("team-name")));
    }
}
