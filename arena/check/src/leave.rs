//! How a bot ends: of its own accord, when it is dead, when it isn't let in, when the match is over.
//!
//! The processor time of its group shows whether a program hangs or spins. Tested in `arena/cli/tests/check.rs`.

use std::net::{Ipv4Addr, TcpListener};
use std::time::Duration;

use zappy_play::programs::process::Ended;
use zappy_play::programs::said::{error_line, last_lines};

use super::connection::Phase;
use super::data::remedy;
use super::seen::{FaultKind, shown};
use super::stage::{Play, Stage, TEAM};

/// How long a bot may take to log in: as long as in a match.
pub(super) const LOGIN_LIMIT: Duration = Duration::from_secs(30);
/// How long a bot may take to send the rest of a line.
const PART_LIMIT: Duration = Duration::from_secs(5);
/// How long a bot may stay when nothing is left to do.
const LEAVE_LIMIT: Duration = Duration::from_secs(2);
/// How long the port is open again for a bot that stays, to see whether the bot connects again.
const REOPEN_TIME: Duration = Duration::from_millis(1_500);
/// How long a bot that isn't let in may take to notice and to end.
const REFUSED_LIMIT: Duration = Duration::from_secs(3);
/// The share of a processor above which a bot loops and doesn't wait; it is low, since other programs may use the
/// processors, too.
const SPINNING_SHARE: f64 = 0.1;
/// Words that runtimes write when a program has crashed.
const CRASH_WORDS: [&[u8]; 4] = [b"Traceback", b"panicked at", b"Segmentation", b"Unhandled exception"];

/// Words, in small letters, in the output of a program that takes -h for a wish for help and not for the host.
const HELP_WORDS: [&[u8]; 3] = [b"usage", b"argument -h", b"conflicting option string"];

/// Notes that the bot ended though its match went on, or before it had begun.
pub fn fault_of_end<P: Play>(stage: &mut Stage<'_, P>, ended: Ended) {
    let logged_in = stage.seen.logged_in;
    let (how, last) = (end_in_words(ended), last_words(stage));
    let kind = if logged_in { FaultKind::Gone } else { FaultKind::NoLogin };
    let (when, said, remedy) = if logged_in {
        let error = error_line(&stage.process.stderr.tail).unwrap_or_default();
        // The last lines of the latest connection say most about the reason.
        let remedy = (0..stage.connections.len()).rev().find_map(|i| P::remedy(stage, i, &error));
        ("in the middle of the match", String::new(), remedy)
    } else {
        let out = stage.process.stdout.head.trim_ascii();
        let printed = out.split(|&byte| byte == b'\n').next().filter(|line| !line.is_empty());
        let said = printed.map_or_else(String::new, |line| format!("; it printed: {}", shown(line)));
        let all = [out, &stage.process.stderr.tail[..]].concat().to_ascii_lowercase();
        let is_help = HELP_WORDS.iter().any(|words| all.windows(words.len()).any(|window| window == *words));
        let remedy = match stage.connections.is_empty() {
            true if is_help => remedy("help-flag"),
            true if all.trim_ascii().is_empty() => remedy("ended-silently"),
            _ => remedy("ended-early"),
        };
        ("before it had logged in", said, Some(remedy))
    };
    let after = ended.after.as_secs_f64();
    stage.seen.fault_with(kind, format!("it ended {when}: {how}{said}{last} (after {after:.1} s)"), remedy);
    let crash = crash(stage, ended).filter(|_| logged_in);
    for fault in stage.seen.faults.iter_mut().filter(|fault| fault.kind == kind) {
        fault.crash.clone_from(&crash);
    }
    stage.over = true;
}

/// How the program crashed, with the place in it if its standard error names one; `None` if it ended in another way.
fn crash<P: Play>(stage: &Stage<'_, P>, ended: Ended) -> Option<String> {
    let tail = &stage.process.stderr.tail;
    let is_frame =
        |line: &&str| line.starts_with("File \"") || line.starts_with("at ") || line.contains("panicked at");
    let lines = last_lines(tail);
    let frames: Vec<&str> = lines.iter().map(|line| line.trim()).filter(is_frame).collect();
    let own = |line: &&&str| !line.contains("/lib/python") && !line.contains("<frozen");
    // Python names the innermost frame last, other runtimes first.
    let place = match frames.iter().any(|line| line.starts_with("File \"")) {
        true => frames.iter().rev().find(own).or(frames.last()),
        false => frames.first(),
    };
    let how = end_in_words(ended);
    if ended.signal.is_some() {
        return Some(how);
    }
    let place = place.filter(|_| ended.code != Some(0))?;
    let error = error_line(tail).filter(|error| !error.contains(place)).map(|error| format!(": {error}"));
    Some(format!("{place}{}", error.unwrap_or_default()))
}

/// Notes that the bot hasn't logged in within its time, and ends the scene.
pub fn fault_of_login<P: Play>(stage: &mut Stage<'_, P>) {
    let waited =
        format!("that is {:.1} s after its start, and it still runs", stage.clock.now().as_secs_f64());
    let rest = stage.connections.iter().map(|c| c.pending().to_vec()).find(|rest| !rest.is_empty());
    let unended = stage.fault_of_unended(&rest.unwrap_or_default(), &format!("; {waited}"));
    let (words, remedy) = if let Some(found) = unended {
        found
    } else if stage.connections.is_empty() {
        // The bot may only be slow to start, which is no mistake.
        let absent = remedy("absent");
        let words = format!("it never connected; {waited}; it may need longer to start, or: {}", absent.mend);
        stage.seen.inconclusive = Some(words.clone());
        (words, Some(absent))
    } else {
        (format!("it connected, but never sent the name of its team, \"{TEAM}\"; {waited}"), None)
    };
    let words = match stage.strangers {
        0 => words,
        n => {
            format!("{words}; {n} connections came from programs that it hadn't started, and were not let in")
        }
    };
    stage.seen.never_connected = true;
    stage.seen.fault_with(FaultKind::NoLogin, words, remedy);
    stage.over = true;
}

/// Notes since when each connection's line lacks its end; returns whether a line has lacked it for too long.
pub fn note_unended<P: Play>(stage: &mut Stage<'_, P>) -> bool {
    let now = stage.clock.now();
    stage.connections.iter_mut().any(|connection| {
        let pending = connection.pending();
        let is_unended =
            !pending.is_empty() && !pending.contains(&b'\n') && connection.phase == Phase::Greeted;
        connection.unended_since = is_unended.then(|| connection.unended_since.unwrap_or(now));
        connection.unended_since.is_some_and(|since| now.saturating_sub(since) > PART_LIMIT)
    })
}

fn end_in_words(ended: Ended) -> String {
    match (ended.code, ended.signal) {
        (_, Some(signal)) => format!("killed by signal {signal}, a crash"),
        (Some(0), _) => "with exit code 0, as if all were well".into(),
        _ => format!("with {ended}"),
    }
}

/// The last line on the bot's standard error, or an earlier line that names an error, as a part of a sentence.
fn last_words<P: Play>(stage: &Stage<'_, P>) -> String {
    let tail = &stage.process.stderr.tail;
    let Some(line) = error_line(tail) else { return String::new() };
    let is_last = last_lines(tail).last() == Some(&line);
    let which = if is_last { "the last line on" } else { "on" };
    format!("; {which} its standard error: {line}")
}

/// Waits for the end of a bot that has nothing left to do; a bot that was refused may try again now and then.
pub fn look_for_leave<P: Play>(stage: &mut Stage<'_, P>) {
    if stage.settings.full && stage.seen.occurrences > 0 && stage.leave.nothing_left.is_none() {
        stage.leave.nothing_left = Some((stage.clock.now(), stage.process_time()));
    }
    if let Some(ended) = stage.process.ended {
        stage.over = true;
        return judge_leave(stage, ended);
    }
    let Some((since, spent_before)) = stage.leave.nothing_left else {
        if stage.clock.now() > LOGIN_LIMIT || note_unended(stage) {
            fault_of_login(stage);
        }
        return;
    };
    let limit = if stage.settings.full { REFUSED_LIMIT } else { LEAVE_LIMIT };
    let waited = stage.clock.now().saturating_sub(since);
    if waited < limit {
        return;
    }
    if !stage.settings.full && stage.listener.is_none() && stage.leave.returned.is_none() {
        // The bot still runs: the port is opened again, to see whether it connects.
        stage.listener =
            stage.leave.port.and_then(|port| TcpListener::bind((Ipv4Addr::LOCALHOST, port)).ok());
        stage.listener.iter().for_each(|listener| drop(listener.set_nonblocking(true)));
        stage.leave.returned = Some(false);
        return;
    }
    if stage.leave.returned == Some(false) && waited < limit + REOPEN_TIME {
        return;
    }
    stage.over = true;
    if stage.settings.full && stage.seen.occurrences > 1 {
        stage.seen.notes.push(format!("it tried {} times in {} s", stage.seen.occurrences, limit.as_secs()));
        return;
    }
    let spent = stage.process_time().saturating_sub(spent_before);
    let spins = spent > limit.mul_f64(SPINNING_SHARE);
    let returns = stage.leave.returned == Some(true);
    let how = if returns {
        "and connects again and again".to_owned()
    } else if spins {
        format!("in a busy loop, with {:.1} s of processor time", spent.as_secs_f64())
    } else {
        "waiting for something that won't come".into()
    };
    let what = what_happened(stage);
    let words = format!("{what}, and {} s later it still runs, {how}", limit.as_secs());
    // A bot that had fallen silent before is stuck, and doesn't read that the connection has ended.
    let stuck = !stage.connections.is_empty() && stage.connections.iter().all(|one| one.mute);
    let kind = if stuck && !returns { FaultKind::Stalled } else { FaultKind::Lingers };
    stage.seen.fault_with(kind, words, returns.then_some(remedy("returns")));
}

fn what_happened<P: Play>(stage: &Stage<'_, P>) -> &'static str {
    if stage.settings.full { "it was refused (ko)" } else { stage.play.what_happened() }
}

/// Judges how the bot ended after it had nothing left to do.
pub fn judge_leave<P: Play>(stage: &mut Stage<'_, P>, ended: Ended) {
    let stderr = &stage.process.stderr.tail;
    let crashed = CRASH_WORDS.iter().any(|word| stderr.windows(word.len()).any(|window| window == *word));
    let (how, last, what) = (end_in_words(ended), last_words(stage), what_happened(stage));
    if ended.signal.is_some() || (crashed && ended.code != Some(0)) {
        stage.seen.fault(FaultKind::Broken, format!("{what}, and it broke rather than end: {how}{last}"));
    } else if stage.settings.full && stage.seen.occurrences == 0 {
        let words = format!("it ended before it had logged in: {how}{last}");
        stage.seen.fault_with(FaultKind::NoLogin, words, Some(remedy("ended-early")));
    } else if stage.settings.full && ended.code == Some(0) {
        let words = "it ended with exit code 0; another one would tell that it never played";
        stage.seen.notes.push(words.to_owned());
    } else if !stage.settings.full && ended.code != Some(0) {
        stage.seen.notes.push(format!("it ended {how}; 0 would say that all is well"));
    }
}
