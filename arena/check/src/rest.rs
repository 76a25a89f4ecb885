//! What a bot's processes do while all its players wait for answers: a program that waits sleeps.
//!
//! Counts processor time against the time in which the bot could run, so that a busy machine makes no difference. Tested in
//! `arena/cli/tests/check.rs`.

use std::time::{Duration, Instant};

use super::machine::{LOOK, Rest};
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

impl<P: Play> Stage<'_, P> {
    /// Measures the processor time that the bot spends in a wait, and notes the mistake when a wait is over.
    pub(super) fn look_at_rest(&mut self) {
        let owing = self.owing();
        let busy = self.connections.iter().any(|connection| {
            (owing.contains(&connection.seat) && !connection.mute) || !connection.wire.is_empty()
        });
        if busy {
            // It may be thinking about its next line.
            (self.rest.since, self.rest.settled) = (None, None);
            return;
        }
        if let (Some(since), Some((fair, _))) = (self.rest.since, self.rest.settled)
            && self.clock.now().saturating_sub(fair) < ENOUGH
            && since.elapsed() < LONGEST
        {
            self.hold = self.hold.max(Some(Instant::now() + LOOK));
        }
        if self.is_held() {
            let since = *self.rest.since.get_or_insert_with(Instant::now);
            if self.rest.settled.is_none() && since.elapsed() > SETTLING {
                self.rest.settled = Some((self.clock.now(), self.process_time()));
            }
            return;
        }
        self.rest.since = None;
        let Some((fair, spent)) = self.rest.settled.take() else { return };
        self.rest.could += self.clock.now().saturating_sub(fair);
        self.rest.spent += self.process_time().saturating_sub(spent);
        let Rest { could, spent, .. } = self.rest;
        if spent >= LEAST && spent > could.mul_f64(BURNING) {
            let words = format!(
                "while it had nothing to do but wait for an answer, it spent {:.1} s of processor time in the {:.1} s in \
                 which it could run",
                spent.as_secs_f64(),
                could.as_secs_f64()
            );
            self.seen.fault(FaultKind::Burns, words);
        }
    }
}
