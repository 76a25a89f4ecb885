//! What is done to the bot's faction in a scene, by the console and by factions of the check, so that every line that
//! the bot is sent is made by the rules.
//!
//! All of it is done between two ticks, when everything was read and written. Tested in `arena/cli/tests/check.rs`.

use std::time::{Duration, Instant};

use zappy_game::{Game, Input};

use super::{Conquest, Injected};
use crate::stage::{OTHERS, PUPPETS, Stage};

/// How many phases a bot plays undisturbed at first.
const WARM_UP: u64 = 2;
/// How long another faction takes in the scene in which it thinks.
const THINK_TIME: Duration = Duration::from_millis(1_200);
/// The beginning of a line, after which the connection ends.
const PARTIAL_LINE: &str = "tile 1";

/// Ends the phases of our factions, or lets one of them think first.
pub fn end_phases(stage: &mut Stage<'_, Conquest>) {
    for seat in stage.owing().into_iter().filter(|seat| seat.0 >= PUPPETS) {
        let Some(turn) = stage.play.last_go.get(&seat).copied() else { continue };
        if stage.play.scene.injected == Injected::Thinks
            && stage.play.injected_turn < turn
            && stage.seen.occurrences < 2
        {
            stage.note_occurrences(stage.seen.occurrences + 1);
            (stage.play.injected_turn, stage.hold) = (turn, Some(Instant::now() + THINK_TIME));
            return;
        }
        stage.hand_in(seat, Input::Line(format!("Done {turn}").as_bytes()));
    }
}

/// Injects the fault of the scene, before a tick passes.
pub fn inject(stage: &mut Stage<'_, Conquest>) {
    let turn = last_turn(stage);
    if stage.rhythm.steps < WARM_UP || stage.play.injected_turn >= turn || stage.seen.occurrences > 0 {
        return;
    }
    match stage.play.scene.injected {
        Injected::None | Injected::Late | Injected::Thinks | Injected::Vanishes | Injected::Ends => {
            return;
        }
        Injected::Converts => {
            let Some(unit) = last_unit(stage) else { return };
            stage.console(&format!("/unit {unit} gone"));
            stage.console(&format!("/unit new {OTHERS} pioneer 8 8 as {unit}"));
            stage.console(&format!("/unit new {OTHERS} pioneer 3 7 as {}", unit + 50));
        }
        Injected::Beats => stage.console(&format!("/tile 5 5 owner {OTHERS}")),
        Injected::Closes => return stage.break_off(""),
        Injected::Breaks => return stage.break_off(PARTIAL_LINE),
    }
    stage.play.injected_turn = turn;
    stage.note_occurrences(stage.seen.occurrences + 1);
}

/// Injects a fault that comes right after a snapshot was sent, before the bot can act on it.
pub fn be_quicker(stage: &mut Stage<'_, Conquest>) {
    let (turn, injected) = (last_turn(stage), stage.play.scene.injected);
    let new = stage.play.phases > stage.rhythm.steps && stage.play.injected_turn + 1 < turn;
    if stage.rhythm.steps < WARM_UP || !new || stage.seen.occurrences >= 2 {
        return;
    }
    match injected {
        Injected::Late => {
            // The phase's time is over before anything was written.
            stage.play.injected_turn = turn;
            end_phases(stage);
            if let Some(due) = stage.play.game.poll_timeout() {
                stage.note_occurrences(stage.seen.occurrences + 1);
                stage.run(due);
            }
        }
        Injected::Vanishes => {
            if let Some(unit) = last_unit(stage) {
                stage.play.injected_turn = turn;
                stage.console(&format!("/unit {unit} gone"));
                stage.note_occurrences(stage.seen.occurrences + 1);
            }
        }
        _ => {}
    }
}

/// The turn of the last snapshot.
fn last_turn(stage: &Stage<'_, Conquest>) -> u32 {
    stage.connections.first().map_or(0, |connection| connection.dialogue.turn)
}

/// The bot's last unit in the last snapshot.
fn last_unit(stage: &Stage<'_, Conquest>) -> Option<u32> {
    stage.connections.first()?.dialogue.units.last().copied()
}
