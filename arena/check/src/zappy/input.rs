//! The commands of a player of Zappy and their answers: the commands that wait, and the mistakes in them.
//!
//! Knows the dialect, not the rules: the game says which seat owes a line. Tested in `arena/cli/tests/check.rs`.

use std::collections::VecDeque;
use std::time::Duration;

use zappy_game::SeatId;
use zappy_protocol::zappy::player::{BadCommand, Command, CommandKind, Response};

use super::Zappy;
use super::blame::{Unasked, remedy, slip};
use super::inject::Injection;
use super::scene::Injected;
use crate::scene::Enough;
use crate::seen::{FaultKind, shown};
use crate::stage::{Stage, TEAM};

/// With more lines that take no time than this at one tick a connection floods.
const FREE_LINES: usize = 50;
/// With more lines of any kind than this at one tick a connection floods.
const TICK_LINES: usize = 400;

/// If this many more commands wait for answers than before the fault, the bot is confused and doesn't just send ahead
/// by habit.
const EXCESS: usize = 4;
/// As [`EXCESS`], in the scene in which answers are only late.
const LATE_EXCESS: usize = 2;
/// The number of `Take food` from which on it is known how a bot looks for food.
const LEAST_TAKES: u32 = 4;
/// A line that comes sooner than this after the bot's last one was sent ahead, and isn't a reaction to waiting.
const SENT_AHEAD_GAP: Duration = Duration::from_millis(300);

/// The state of a player's dialogue with the server.
#[derive(Debug, Default)]
pub struct Dialogue {
    /// The commands without an answer, the oldest first; a bad command is `None`.
    pub waiting: VecDeque<Option<Command>>,
    /// How many commands were still waiting after the last answer.
    pub left_waiting: usize,
    /// Whether the player takes part in an incantation.
    pub frozen: bool,
    /// The command that was refused, if nothing was sent or answered since.
    pub refused: Option<Command>,
    /// Whether the last line was no command.
    pub is_bad: bool,
    /// Lines that the player was sent and that answer no command.
    pub unasked: Unasked,
    /// How many lines the player sent at this tick, and how many of them take no time.
    pub at_tick: (usize, usize),
}

impl Dialogue {
    /// Notes that the bot was sent this response. Gives the command that it answers, if it answers one.
    pub fn note_response(&mut self, response: &Response) -> Option<Command> {
        let is_own = self.waiting.front() == Some(&Some(Command::Incantation));
        match response {
            Response::Message { .. } | Response::Eject(_) | Response::Dead | Response::Welcome => None,
            Response::ElevationUnderway => {
                self.frozen = true;
                None
            }
            Response::CurrentLevel(_) | Response::Ko if self.frozen => {
                self.frozen = false;
                if is_own { self.waiting.pop_front().flatten() } else { None }
            }
            // The official server answers this question ahead of commands that wait.
            Response::Slots(_) => {
                let asked = |command: &Option<Command>| *command == Some(Command::ConnectNbr);
                let place = self.waiting.iter().position(asked).unwrap_or(0);
                self.waiting.remove(place).flatten()
            }
            _ => self.waiting.pop_front().flatten(),
        }
    }

    /// Notes a command that the bot sent; a bad command is `None`.
    pub fn note_command(&mut self, command: Option<&Command>) {
        let kind = command.map(Command::kind);
        self.unasked.note_command();
        (self.refused, self.is_bad) = (None, kind.is_none());
        self.waiting.push_back(command.cloned());
        self.at_tick.0 += 1;
        self.at_tick.1 += usize::from(kind.is_none_or(|kind| kind.cost() == 0));
    }
}

pub fn check_command(stage: &mut Stage<'_, Zappy>, i: usize, line: &[u8]) {
    stage.rhythm.steps += 1;
    let command = stage.play.rules.command(line);
    if let Err(bad) = &command {
        let words = format!("it sent \"{}\": {}", shown(line), why(bad, line));
        stage.seen.fault_with(FaultKind::Invalid, words, Some(slip(stage, remedy("spelling"), true)));
    } else if line.trim_ascii() != line {
        stage.seen.note_elsewhere(
            FaultKind::Invalid,
            "there are blanks around its commands; every server of ours passes over them (protocol.md, 15. Bad input and \
             limits), but others may take them for a part of the command",
        );
    }
    let command = command.ok();
    let kind = command.as_ref().map(Command::kind);
    if let Some(command) = &command {
        stage.play.injection.note_command(command);
        stage.play.bag.note_command(command);
    }
    if let Some(Command::Broadcast(text)) = &command {
        stage.seen.keep_shout(text.as_bytes());
    }
    if kind == Some(CommandKind::Fork) {
        stage.play.players_at_fork = stage.play.seats.len();
    }
    let dialogue = &mut stage.connections[i].dialogue;
    dialogue.note_command(command.as_ref());
    // A bot may send many commands at once on purpose, so what counts is how many still waited after the last answer.
    let waiting = if stage.play.scene.injected == Injected::Delays {
        dialogue.waiting.len()
    } else {
        dialogue.left_waiting
    };
    if i == 0 {
        stage.seen.keep_command(line);
    }
    note_waiting(stage, waiting);
    if stage.settings.enough == Enough::End {
        stage.rhythm.steps_at_fault = stage.rhythm.steps;
    }
    let Dialogue { at_tick: (lines, free), is_bad, .. } = stage.connections[i].dialogue;
    let words = if free > FREE_LINES {
        format!("it sent {free} lines that take no time (Connect_nbr, bad commands) within one tick")
    } else if lines > TICK_LINES {
        format!("it sent {lines} lines within one tick")
    } else {
        return;
    };
    stage.seen.fault_with(FaultKind::Flood, words, is_bad.then_some(remedy("spelling")));
    stage.over = true;
}

/// Notes how many commands wait for an answer, and whether that is the bot's habit or its confusion.
pub fn note_waiting(stage: &mut Stage<'_, Zappy>, waiting: usize) {
    let injected = stage.play.scene.injected;
    use Injected as M;
    if matches!(injected, M::None | M::ShoutsAlong | M::Bursts | M::Refuses | M::Tempts | M::Calls | M::Fills)
    {
        return;
    }
    let begun = usize::from(stage.seen.occurrences > 0);
    // A bot that asks again because its answer is late does so after a pause. A bot that sends without a pause only
    // sends ahead, and may send more than before.
    if injected == M::Delays && begun == 1 && stage.rhythm.last_gap < SENT_AHEAD_GAP {
        return;
    }
    stage.play.injection.waiting[begun] = stage.play.injection.waiting[begun].max(waiting);
    if begun == 0 {
        stage.play.injection.dropped_before = stage.play.injection.dropped;
    }
    let [before, since] = stage.play.injection.waiting;
    let lost = stage.play.injection.dropped_before == 0 && stage.play.injection.dropped > 0;
    let late = injected == Injected::Delays;
    let excess = if late { LATE_EXCESS } else { EXCESS };
    if begun == 1 && (since >= before + excess || lost) {
        let what = if late {
            "it asks again when an answer lets itself be waited for"
        } else {
            "it takes a line that it didn't ask for as the answer to its command"
        };
        let words = format!(
            "{what}: at first it left at most {before} commands unanswered when it sent the next one, now {since}"
        );
        stage.fail(FaultKind::Confused, words);
    }
}

/// Notes a mistake if a player of the bot, which was sent `dead`, starved through the bot's fault.
pub fn note_death(stage: &mut Stage<'_, Zappy>, seat: SeatId) {
    let alive = stage.play.game.projection().players.values().any(|player| player.team.as_str() == TEAM);
    // In a scene with little in the bag the first player counts alone; later players may have eaten too much. A player
    // that keeps silent may starve on purpose.
    let mute = stage.connections.first().is_none_or(|connection| connection.mute);
    // In the scene with rivals the bot's own players are rivals, too, so any one may be unlucky: only all of them
    // count.
    let scene = &stage.play.scene;
    let first = scene.food.is_some() && scene.injected == Injected::None && seat == SeatId(0) && !mute;
    if stage.play.scene.hunger && (!alive || first) {
        let Injection { takes, refusals, counts, .. } = stage.play.injection;
        let words = format!(
            "its player starved at tick {}: of its {takes} `Take food` {refusals} were refused, and it asked for its \
             `Inventory` {counts} times",
            stage.seen.tick
        );
        // No rival took the food first, so what is refused was asked for on the wrong tile.
        let beside =
            stage.play.scene.injected == Injected::None && takes >= LEAST_TAKES && refusals * 2 > takes;
        stage.seen.fault_with(FaultKind::Starved, words, beside.then_some(remedy("beside")));
        stage.over = true;
    }
}

/// What is wrong with a bad command.
fn why(bad: &BadCommand, line: &[u8]) -> String {
    let word = line.split(u8::is_ascii_whitespace).find(|word| !word.is_empty()).unwrap_or_default();
    let known = CommandKind::ALL
        .into_iter()
        .find(|kind| kind.name().as_bytes().eq_ignore_ascii_case(word) && kind.name().as_bytes() != word);
    match known {
        Some(kind) => format!("capitals matter, the command is {}", kind.name()),
        None => bad.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use zappy_protocol::zappy::Resource;

    use super::*;

    #[test]
    fn of_what_was_refused_only_food_is_told_of_a_player_that_starved() {
        let (mut dialogue, mut injection) = (Dialogue::default(), Injection::default());
        for resource in [Resource::Linemate, Resource::Food, Resource::Sibur] {
            let command = Command::Take(resource);
            dialogue.note_command(Some(&command));
            injection.note_command(&command);
            let answered = dialogue.note_response(&Response::Ko);
            injection.note_answer(answered.as_ref(), &Response::Ko);
        }
        assert_eq!((injection.takes, injection.refusals), (1, 1));
    }
}
