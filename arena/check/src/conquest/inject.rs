//! What is done to a faction in a scene, by the console and by factions of ours: so the rules answer for all that it
//! is told.
//!
//! Done between two ticks, when all was read and written. Tested in `arena/cli/tests/check.rs`.

use std::time::{Duration, Instant};

use zappy_game::{Game, Input};

use super::Conquest;
use super::scene::Injected;
use crate::connection::Phase;
use crate::scene::Enough;
use crate::seen::FaultKind;
use crate::stage::{OTHERS, PUPPETS, Stage};

/// Phases that a bot plays undisturbed at first.
const WARM_UP: u64 = 2;
/// How long another faction thinks.
const THOUGHT: Duration = Duration::from_millis(1_200);
/// How long a beaten bot has for a mistake before the match ends.
const AFTERMATH: Duration = Duration::from_millis(300);
/// By the real clock a bot is late on purpose if it ended fewer phases than asked for in so many.
const REAL_PHASES: u64 = 12;
/// The part of a line that is sent before the connection ends.
const PART: &str = "tile 1";

/// Our factions end the phases that they act in.
pub fn end_phases(stage: &mut Stage<'_, Conquest>) {
    for seat in stage.owing().into_iter().filter(|seat| seat.0 >= PUPPETS) {
        let Some(turn) = stage.play.asked.get(&seat).copied() else { continue };
        if stage.play.scene.injected == Injected::Thinks && stage.play.turn < turn && stage.seen.met < 2 {
            stage.note_met(stage.seen.met + 1);
            (stage.play.turn, stage.hold) = (turn, Some(Instant::now() + THOUGHT));
            return;
        }
        stage.hand_in(seat, Input::Line(format!("Done {turn}").as_bytes()));
    }
}

/// Injects the fault of the scene, before a tick passes.
pub fn inject(stage: &mut Stage<'_, Conquest>) {
    let turn = turn(stage);
    if stage.rhythm.steps < WARM_UP || stage.play.turn >= turn || stage.seen.met > 0 {
        return;
    }
    match stage.play.scene.injected {
        Injected::None | Injected::Late | Injected::Thinks | Injected::Vanishes | Injected::Ends => {
            return;
        }
        Injected::Converts => {
            let Some(unit) = unit(stage) else { return };
            stage.console(&format!("/unit {unit} gone"));
            stage.console(&format!("/unit new {OTHERS} pioneer 8 8 as {unit}"));
            stage.console(&format!("/unit new {OTHERS} pioneer 3 7 as {}", unit + 50));
        }
        Injected::Beats => stage.console(&format!("/tile 5 5 owner {OTHERS}")),
        Injected::Closes => return stage.break_off(""),
        Injected::Breaks => return stage.break_off(PART),
    }
    stage.play.turn = turn;
    stage.note_met(stage.seen.met + 1);
}

/// Does what is done right after a snapshot was sent, before the bot can act on it.
pub fn be_quicker(stage: &mut Stage<'_, Conquest>) {
    let (turn, injected) = (turn(stage), stage.play.scene.injected);
    let new = stage.play.phases > stage.rhythm.steps && stage.play.turn + 1 < turn;
    if stage.rhythm.steps < WARM_UP || !new || stage.seen.met >= 2 {
        return;
    }
    match injected {
        Injected::Late => {
            // The phase's time is over before anything was written.
            stage.play.turn = turn;
            end_phases(stage);
            if let Some(due) = stage.play.game.poll_timeout() {
                stage.note_met(stage.seen.met + 1);
                stage.run(due);
            }
        }
        Injected::Vanishes => {
            if let Some(unit) = unit(stage) {
                stage.play.turn = turn;
                stage.console(&format!("/unit {unit} gone"));
                stage.note_met(stage.seen.met + 1);
            }
        }
        _ => {}
    }
}

/// The turn of the last snapshot.
fn turn(stage: &Stage<'_, Conquest>) -> u32 {
    stage.connections.first().map_or(0, |connection| connection.dialogue.turn)
}

/// A unit of the bot's, the last one of the last snapshot.
fn unit(stage: &Stage<'_, Conquest>) -> Option<u32> {
    stage.connections.first()?.dialogue.units.last().copied()
}

/// Looks whether the match is over, or the bot has had its time after its defeat.
pub fn look_for_the_end(stage: &mut Stage<'_, Conquest>) {
    if stage.leave.since.is_some() || stage.over {
        return;
    }
    let (phases, done) = (stage.play.phases, stage.rhythm.steps);
    if let Enough::Steps(n) = stage.settings.enough
        && stage.settings.real
        && phases >= REAL_PHASES.max(n)
        && done < n
    {
        let words = format!("in {phases} phases it was done {done} times before the time was over");
        return stage.fail(FaultKind::Late, words);
    }
    if stage.play.beaten.is_some_and(|beaten| stage.clock.now().saturating_sub(beaten) > AFTERMATH) {
        stage.console("/quit");
    }
    let over = stage.play.game.poll_timeout().is_none();
    if over && stage.settings.enough == Enough::End {
        stage.seen.met = 1;
        stage.begin_finale();
    } else if over {
        // It won before the scene was through, or lost: that is no mistake.
        stage.over = true;
    }
    let gone = stage.connections.iter().all(|connection| connection.phase == Phase::Gone);
    if stage.play.beaten.is_some() && gone && stage.leave.since.is_none() && !stage.connections.is_empty() {
        stage.begin_finale();
    }
}
