//! What a bot's processes do while all its players wait for answers: a program that waits sleeps.
//!
//! Counts processor time against the time in which the bot could run, so that a busy machine makes no difference. Tested in
//! `arena/cli/tests/check.rs`.

use std::time::{Duration, Instant};

use super::machine::{IdleTime, SAMPLE_PAUSE};
use super::seen::FaultKind;
use super::stage::{Play, Stage};

/// How long a bot may still work once its answers are held back.
const SETTLING: Duration = Duration::from_millis(400);
/// How long it must have been able to run before the answers come, on a machine that keeps it from running.
const ENOUGH: Duration = Duration::from_millis(400);
/// How long answers are held back for that at most, by the clock on the wall.
const LONGEST: Duration = Duration::from_secs(10);
/// A bot that spends more than this share of the time it could run doesn't wait but works. A busy loop stays below the whole:
/// the host of a virtual machine may take processor time that the machine doesn't tell of.
const BURNING: f64 = 0.5;
/// The least processor time that says anything.
const LEAST: Duration = Duration::from_millis(150);

/// Measures the processor time that the bot spends in a wait, and notes the mistake when a wait is over.
pub fn look_at_rest<P: Play>(stage: &mut Stage<'_, P>) {
    let owing = stage.owing();
    let busy = stage.connections.iter().any(|connection| {
        (owing.contains(&connection.seat) && !connection.mute) || !connection.wire.is_empty()
    });
    if busy {
        // It may be thinking about its next line.
        (stage.rest.since, stage.rest.settled) = (None, None);
        return;
    }
    if let (Some(since), Some((fair, _))) = (stage.rest.since, stage.rest.settled)
        && stage.clock.now().saturating_sub(fair) < ENOUGH
        && since.elapsed() < LONGEST
    {
        stage.hold = stage.hold.max(Some(Instant::now() + SAMPLE_PAUSE));
    }
    if stage.is_held() {
        let since = *stage.rest.since.get_or_insert_with(Instant::now);
        if stage.rest.settled.is_none() && since.elapsed() > SETTLING {
            stage.rest.settled = Some((stage.clock.now(), stage.process_time()));
        }
        return;
    }
    stage.rest.since = None;
    let Some((fair, spent)) = stage.rest.settled.take() else { return };
    stage.rest.could_run += stage.clock.now().saturating_sub(fair);
    stage.rest.spent += stage.process_time().saturating_sub(spent);
    let IdleTime { could_run, spent, .. } = stage.rest;
    if spent >= LEAST && spent > could_run.mul_f64(BURNING) {
        let words = format!(
            "while it had nothing to do but wait for an answer, it spent {:.1} s of processor time in the {:.1} s in \
             which it could run",
            spent.as_secs_f64(),
            could_run.as_secs_f64()
        );
        stage.seen.fault(FaultKind::Burns, words);
    }
}
