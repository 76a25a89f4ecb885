//! How long a bot may think and keep silent, when a scene is over, and whether a bot sleeps while all its players wait.
//!
//! Counts processor time against the time in which the bot could run, so that a busy machine makes no difference.
//! Tested in `arena/cli/tests/check.rs`.

use std::time::{Duration, Instant};

use super::connection::{Connection, Phase};
use super::leave::{LOGIN_LIMIT, fault_of_end, fault_of_login, judge_leave, look_for_leave, note_unended};
use super::machine::{IdleTime, SAMPLE_PAUSE, is_runnable};
use super::seen::FaultKind;
use super::stage::{Play, Stage};

/// A scene's limit counts the time in which the bot could run. By the wall clock a scene may last this many times as
/// long.
const WALL_CLOCK_FACTOR: u32 = 10;
/// How long a bot may think before it counts as slow.
const SLOW_AFTER: Duration = Duration::from_secs(1);
/// How long a bot may be silent before it counts as stalled.
const STALLED_AFTER: Duration = Duration::from_millis(2_500);
/// How long a bot that has closed all its connections may still run.
const ALONE_LIMIT: Duration = Duration::from_secs(2);
/// How long the scene waits after a line of the bot for further lines, while the bot still runs.
const LINE_PAUSE: Duration = Duration::from_millis(50);
/// The most time that a scene waits for further lines in all.
const LINE_PAUSES_LIMIT: Duration = Duration::from_secs(1);
/// Time between two looks at whether the bot still runs.
const RECHECK_PAUSE: Duration = Duration::from_millis(1);

/// How long a bot may go on working after its answers were held back before its processor time is measured.
const SETTLING_TIME: Duration = Duration::from_millis(400);
/// Answers are held back until the bot could have run for this long: a busy machine may keep it from running.
const HOLD_TIME: Duration = Duration::from_millis(400);
/// Answers are held back no longer than this, by the wall clock.
const HOLD_LIMIT: Duration = Duration::from_secs(10);
/// A bot that uses more than this share of the time in which it could run doesn't wait but works. Even a busy loop uses
/// less than all: the host of a virtual machine may take processor time that the machine doesn't report.
const BURNING_SHARE: f64 = 0.5;
/// A bot that used less processor time than this isn't judged.
const LEAST_JUDGED: Duration = Duration::from_millis(150);

/// Checks all time limits. Ends the scene when a limit has passed or the game has seen enough.
pub fn check_limits<P: Play>(stage: &mut Stage<'_, P>) {
    stage.process.note_end();
    look_for_silence(stage);
    look_for_end(stage);
    let enough = P::is_over(stage);
    // The limit of a scene begins when the bot is in; starting has a limit of its own.
    let wall_limit = stage.settings.limit * WALL_CLOCK_FACTOR;
    let limit = if stage.entered.is_some() { wall_limit } else { wall_limit + LOGIN_LIMIT };
    let (entered, before) = stage.entered.unwrap_or((stage.begun, Duration::ZERO));
    // How long the bot could have run since it was let in.
    let bots_time = stage.clock.now().saturating_sub(before);
    if entered.elapsed() > limit && !stage.over {
        let words = format!(
            "the machine was too busy: in {} s the bot could run for {:.1} s, and its program hadn't ended; try \
             again when less runs beside it",
            limit.as_secs(),
            bots_time.as_secs_f64()
        );
        stage.seen.inconclusive = Some(words);
        stage.over = true;
    }
    if stage.entered.is_some() && bots_time > stage.settings.limit && !stage.over {
        let words =
            format!("only {} were played in {} s", P::progress(stage), stage.settings.limit.as_secs());
        stage.seen.notes.push(words);
        stage.over = true;
    }
    stage.over |= enough;
}

/// Looks at each connection for how long it has been silent, or hasn't read. A connection that is silent while others
/// play is set aside; otherwise its silence counts as slow after [`SLOW_AFTER`] and as stalled after [`STALLED_AFTER`],
/// which ends the scene.
fn look_for_silence<P: Play>(stage: &mut Stage<'_, P>) {
    let now = stage.clock.now();
    let awaits_answer = |one: &Connection<P::Dialogue>| {
        let waits = one.phase == Phase::Playing && one.idle_since.is_none();
        waits && !one.mute && !one.last.0.is_empty()
    };
    for i in 0..stage.connections.len() {
        // A team may have players that keep silent on purpose, as long as one plays.
        let others_play =
            stage.connections.iter().enumerate().any(|(other, one)| other != i && awaits_answer(one));
        let connection = &mut stage.connections[i];
        connection.stuck_since = connection.wire.stuck.then(|| connection.stuck_since.unwrap_or(now));
        let stopped_reading =
            connection.stuck_since.is_some_and(|since| now.saturating_sub(since) > STALLED_AFTER);
        if connection.mute {
            continue;
        }
        let Some(since) = connection.idle_since.filter(|_| connection.is_open()) else {
            if stopped_reading && !others_play {
                stage.fail(FaultKind::Stalled, "it doesn't read what is sent to it".into());
            }
            continue;
        };
        let idle = now.saturating_sub(since);
        let on_purpose = others_play && (stage.silent_by_habit || !P::is_disturbed(stage, i));
        if (idle > SLOW_AFTER && on_purpose) || (idle > STALLED_AFTER && !stage.settings.asks) {
            stage.seen.kept_silent |= on_purpose;
            stage.connections[i].mute = true;
        } else if idle > STALLED_AFTER {
            let connection = &stage.connections[i];
            let (rest, remedy) = (connection.pending().to_vec(), P::remedy(stage, i, ""));
            let words = P::silence_in_words(connection);
            let (words, remedy) = stage.fault_of_unended(&rest, "").unwrap_or((words, remedy));
            let words =
                format!("{words}; that was {:.1} s ago, and its program still runs", idle.as_secs_f64());
            // A bot that is stuck isn't reported as slow as well.
            stage.seen.faults.retain(|fault| fault.kind != FaultKind::Slow);
            stage.seen.fault_with(FaultKind::Stalled, words, remedy);
            stage.over = true;
        } else if idle > SLOW_AFTER && stage.settings.asks {
            let words = "it said nothing for more than a second though no command of its own was running";
            stage.seen.fault(FaultKind::Slow, words.into());
        }
    }
}

/// While the scene learns the bot's habits it waits a little after each line, in case more is coming: a busy machine
/// may delay the rest, and lines that come later would look like another habit. Returns whether it waits.
pub fn wait_for_more<P: Play>(stage: &mut Stage<'_, P>) -> bool {
    let Some(since) = stage
        .rhythm
        .may_send_since
        .filter(|_| stage.rhythm.line_pauses < LINE_PAUSES_LIMIT && P::learns_habits(stage))
    else {
        return false;
    };
    let waited = stage.clock.now().saturating_sub(since);
    if waited < LINE_PAUSE && is_runnable(stage.process.pid) {
        stage.hold = Some(Instant::now() + RECHECK_PAUSE);
        return true;
    }
    (stage.rhythm.may_send_since, stage.rhythm.line_pauses) = (None, stage.rhythm.line_pauses + waited);
    false
}

/// Ends the scene when the program has ended, hasn't logged in in time, or runs on without a connection.
fn look_for_end<P: Play>(stage: &mut Stage<'_, P>) {
    let is_playing = stage.connections.iter().any(|c| c.phase == Phase::Playing);
    if stage.leave.nothing_left.is_some() || stage.settings.full {
        return look_for_leave(stage);
    }
    if stage.play.may_leave() {
        if let Some(ended) = stage.process.ended {
            stage.over = true;
            judge_leave(stage, ended);
        }
        return;
    }
    if let Some(ended) = stage.process.ended
        && !is_playing
    {
        // Judged only when all connections have ended: lines may still be on their way.
        if stage.connections.iter().all(|c| c.ended || c.phase == Phase::Gone) {
            fault_of_end(stage, ended);
        }
        return;
    }
    if !stage.seen.logged_in
        && (stage.clock.now() > LOGIN_LIMIT + stage.settings.greeting + stage.settings.answer
            || note_unended(stage))
    {
        fault_of_login(stage);
    }
    if stage.seen.logged_in && !is_playing {
        let now = stage.clock.now();
        let since = *stage.leave.unconnected_since.get_or_insert(now);
        if now.saturating_sub(since) > ALONE_LIMIT {
            stage.fail(FaultKind::Gone, "it closed its connection, but goes on running".into());
        }
    } else {
        stage.leave.unconnected_since = None;
    }
}

/// Measures the processor time that the bot spends in a wait, and notes the mistake when a wait is over.
pub fn measure_idle_time<P: Play>(stage: &mut Stage<'_, P>) {
    let owing = stage.owing();
    let may_be_thinking = stage.connections.iter().any(|connection| {
        (owing.contains(&connection.seat) && !connection.mute) || !connection.wire.is_empty()
    });
    if may_be_thinking {
        (stage.idle_time.since, stage.idle_time.settled) = (None, None);
        return;
    }
    if let (Some(since), Some((fair, _))) = (stage.idle_time.since, stage.idle_time.settled)
        && stage.clock.now().saturating_sub(fair) < HOLD_TIME
        && since.elapsed() < HOLD_LIMIT
    {
        stage.hold = stage.hold.max(Some(Instant::now() + SAMPLE_PAUSE));
    }
    if stage.is_held() {
        let since = *stage.idle_time.since.get_or_insert_with(Instant::now);
        if stage.idle_time.settled.is_none() && since.elapsed() > SETTLING_TIME {
            stage.idle_time.settled = Some((stage.clock.now(), stage.process_time()));
        }
        return;
    }
    stage.idle_time.since = None;
    let Some((fair, spent)) = stage.idle_time.settled.take() else { return };
    stage.idle_time.could_run += stage.clock.now().saturating_sub(fair);
    stage.idle_time.spent += stage.process_time().saturating_sub(spent);
    let IdleTime { could_run, spent, .. } = stage.idle_time;
    if spent >= LEAST_JUDGED && spent > could_run.mul_f64(BURNING_SHARE) {
        let words = format!(
            "while it had nothing to do but wait for an answer, it spent {:.1} s of processor time in the {:.1} s in \
             which it could run",
            spent.as_secs_f64(),
            could_run.as_secs_f64()
        );
        stage.seen.fault(FaultKind::Burns, words);
    }
}
