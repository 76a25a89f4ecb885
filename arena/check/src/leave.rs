//! How a bot ends: of its own accord, when it is dead, when it isn't let in, when the match is over.
//!
//! Tells a program that hangs from one that spins by the processor time of its group. Tested in `arena/cli/tests/check.rs`.

use std::net::{Ipv4Addr, TcpListener};
use std::time::Duration;

use zappy_play::programs::process::Ended;
use zappy_play::programs::said::{last_lines, telling};

use super::connection::Phase;
use super::data::remedy;
use super::seen::{FaultKind, Remedy, shown};
use super::stage::{Play, Stage, TEAM};

/// How long a bot may take to log in: as long as in a match.
pub(super) const LOGIN_LIMIT: Duration = Duration::from_secs(30);
/// How long a bot may take to send the rest of a line.
const PART_LIMIT: Duration = Duration::from_secs(5);
/// How long a bot may stay when nothing is left to do.
const LEAVE_LIMIT: Duration = Duration::from_secs(2);
/// How much longer the port stays open, to see whether the bot connects again.
const AGAIN: Duration = Duration::from_millis(1_500);
/// How long a bot that isn't let in may take to see it.
const REFUSED_LIMIT: Duration = Duration::from_secs(3);
/// The share of a processor above which a bot loops and doesn't wait; it is low, since others may use the
/// processors, too.
const SPINNING: f64 = 0.1;
/// What runtimes write when a program has crashed.
const BROKEN: [&[u8]; 4] = [b"Traceback", b"panicked at", b"Segmentation", b"Unhandled exception"];

/// What stands, in small letters, in what a program says that doesn't take -h for the host.
const HELP: [&[u8]; 3] = [b"usage", b"argument -h", b"conflicting option string"];

impl<P: Play> Stage<'_, P> {
    /// Notes that the bot ended though its match went on.
    pub(super) fn fault_of_end(&mut self, ended: Ended, ever: bool) {
        let (how, last) = (self.end_in_words(ended), self.last_words());
        let kind = if ever { FaultKind::Gone } else { FaultKind::NoLogin };
        let (when, said, remedy) = if ever {
            let error = telling(self.process.stderr_tail()).unwrap_or_default();
            // What the latest connection was sent last tells most.
            let remedy = (0..self.connections.len()).rev().find_map(|i| P::remedy(self, i, &error));
            ("in the middle of the match", String::new(), remedy)
        } else {
            let (said, remedy) = self.first_words();
            ("before it had logged in", said, Some(remedy))
        };
        let after = ended.after.as_secs_f64();
        self.seen.fault_with(
            kind,
            format!("it ended {when}: {how}{said}{last} (after {after:.1} s)"),
            remedy,
        );
        let crash = self.crash(ended).filter(|_| ever);
        self.seen
            .faults
            .iter_mut()
            .filter(|fault| fault.kind == kind)
            .for_each(|fault| fault.crash = crash.clone());
        self.over = true;
    }

    /// How the program crashed, with the place in it if its standard error names one; `None` if it ended in another way.
    fn crash(&self, ended: Ended) -> Option<String> {
        let tail = self.process.stderr_tail();
        let is_frame = |line: &&str| {
            line.starts_with("File \"") || line.starts_with("at ") || line.contains("panicked at")
        };
        let lines = last_lines(tail);
        let frames: Vec<&str> = lines.iter().map(|line| line.trim()).filter(is_frame).collect();
        let own = |line: &&&str| !line.contains("/lib/python") && !line.contains("<frozen");
        // Python names the innermost frame last, other runtimes first.
        let place = match frames.iter().any(|line| line.starts_with("File \"")) {
            true => frames.iter().rev().find(own).or(frames.last()),
            false => frames.first(),
        };
        let how = self.end_in_words(ended);
        if ended.signal.is_some() {
            return Some(how);
        }
        let place = place.filter(|_| ended.code != Some(0))?;
        let error = telling(tail).filter(|error| !error.contains(place)).map(|error| format!(": {error}"));
        Some(format!("{place}{}", error.unwrap_or_default()))
    }

    pub(super) fn fault_of_login(&mut self) {
        let waited =
            format!("that is {:.1} s after its start, and it still runs", self.clock.now().as_secs_f64());
        let pending = self.connections.iter().find(|c| !c.pending().is_empty());
        let (words, remedy) = if let Some(connection) = pending {
            let text = shown(connection.pending());
            let words = format!("it sent \"{text}\" and never the \\n that ends the line; {waited}");
            self.seen.fault_with(FaultKind::LineEnd, words.clone(), Some(remedy("unended")));
            (words, Some(remedy("unended")))
        } else if self.connections.is_empty() {
            (format!("it never connected; {waited}"), Some(remedy("absent")))
        } else {
            (format!("it connected, but never sent the name of its team, \"{TEAM}\"; {waited}"), None)
        };
        let words = match self.strangers {
            0 => words,
            n => format!(
                "{words}; {n} connections came from programs that it hadn't started, and were not let in"
            ),
        };
        self.seen.unreached = true;
        self.seen.fault_with(FaultKind::NoLogin, words, remedy);
        self.over = true;
    }

    /// Whether the end of a line has been missing for too long.
    pub(super) fn is_cut(&mut self) -> bool {
        let now = self.clock.now();
        self.connections.iter_mut().any(|connection| {
            let cut = !connection.pending().is_empty() && connection.phase == Phase::Greeted;
            connection.cut = cut.then(|| connection.cut.unwrap_or(now));
            connection.cut.is_some_and(|since| now.saturating_sub(since) > PART_LIMIT)
        })
    }

    fn end_in_words(&self, ended: Ended) -> String {
        match (ended.code, ended.signal) {
            (_, Some(signal)) => format!("killed by signal {signal}, a crash"),
            (Some(0), _) => "with exit code 0, as if all were well".into(),
            _ => format!("with {ended}"),
        }
    }

    /// What a program said that ended at once, and what to do about it.
    fn first_words(&self) -> (String, Remedy) {
        let out = self.process.stdout_head().trim_ascii();
        let said = out.split(|&byte| byte == b'\n').next().filter(|line| !line.is_empty());
        let said = said.map_or_else(String::new, |line| format!("; it printed: {}", shown(line)));
        let all = [out, self.process.stderr_tail()].concat().to_ascii_lowercase();
        let help = HELP.iter().any(|words| all.windows(words.len()).any(|window| window == *words));
        let remedy = match self.connections.is_empty() {
            true if help => remedy("help-flag"),
            true if all.trim_ascii().is_empty() => remedy("ended-silently"),
            _ => remedy("ended-early"),
        };
        (said, remedy)
    }

    /// The last line on its standard error, or the one before it that tells of an error.
    fn last_words(&self) -> String {
        let tail = self.process.stderr_tail();
        let Some(line) = telling(tail) else { return String::new() };
        let is_last = last_lines(tail).last() == Some(&line);
        let which = if is_last { "the last line on" } else { "on" };
        format!("; {which} its standard error: {line}")
    }

    /// Waits for the end of a bot that has nothing left to do; one that was refused may try again now and then.
    pub(super) fn look_for_leave(&mut self) {
        if self.terms.full && self.seen.met > 0 && self.leave.since.is_none() {
            self.leave.since = Some((self.clock.now(), self.process_time()));
        }
        if let Some(ended) = self.process.ended() {
            self.over = true;
            return self.judge_leave(ended);
        }
        let Some((since, spent_before)) = self.leave.since else {
            if self.clock.now() > LOGIN_LIMIT || self.is_cut() {
                self.fault_of_login();
            }
            return;
        };
        let limit = if self.terms.full { REFUSED_LIMIT } else { LEAVE_LIMIT };
        let waited = self.clock.now().saturating_sub(since);
        if waited < limit {
            return;
        }
        if !self.terms.full && self.listener.is_none() && self.leave.returned.is_none() {
            // It still runs: the port is opened again, to see whether it connects.
            self.listener =
                self.leave.port.and_then(|port| TcpListener::bind((Ipv4Addr::LOCALHOST, port)).ok());
            self.listener.iter().for_each(|listener| drop(listener.set_nonblocking(true)));
            self.leave.returned = Some(false);
            return;
        }
        if self.leave.returned == Some(false) && waited < limit + AGAIN {
            return;
        }
        self.over = true;
        if self.terms.full && self.seen.met > 1 {
            self.seen.notes.push(format!("it tried {} times in {} s", self.seen.met, limit.as_secs()));
            return;
        }
        let spent = self.process_time().saturating_sub(spent_before);
        self.fault_of_stay(limit, spent);
    }

    /// Notes that the bot still runs so long after it had nothing left to do, with the processor time that it spent.
    fn fault_of_stay(&mut self, limit: Duration, spent: Duration) {
        let spins = spent > limit.mul_f64(SPINNING);
        let returns = self.leave.returned == Some(true);
        let how = if returns {
            "and connects again and again".to_owned()
        } else if spins {
            format!("in a busy loop, with {:.1} s of processor time", spent.as_secs_f64())
        } else {
            "waiting for something that won't come".into()
        };
        let what = self.what_happened();
        let words = format!("{what}, and {} s later it still runs, {how}", limit.as_secs());
        // A bot that had fallen silent before is stuck, and doesn't read that the connection has ended.
        let stuck = !self.connections.is_empty() && self.connections.iter().all(|one| one.mute);
        let kind = if stuck && !returns { FaultKind::Stalled } else { FaultKind::Lingers };
        self.seen.fault_with(kind, words, returns.then_some(remedy("returns")));
    }

    fn what_happened(&self) -> &'static str {
        if self.terms.full { "it was refused (ko)" } else { self.play.what_happened() }
    }

    pub(super) fn judge_leave(&mut self, ended: Ended) {
        let stderr = self.process.stderr_tail();
        let broken = BROKEN.iter().any(|word| stderr.windows(word.len()).any(|window| window == *word));
        let (how, last, what) = (self.end_in_words(ended), self.last_words(), self.what_happened());
        if ended.signal.is_some() || (broken && ended.code != Some(0)) {
            self.seen.fault(FaultKind::Broken, format!("{what}, and it broke rather than end: {how}{last}"));
        } else if self.terms.full && self.seen.met == 0 {
            let words = format!("it ended before it had logged in: {how}{last}");
            self.seen.fault_with(FaultKind::NoLogin, words, Some(remedy("ended-early")));
        } else if self.terms.full && ended.code == Some(0) {
            self.seen
                .notes
                .push("it ended with exit code 0; another one would tell that it never played".into());
        } else if !self.terms.full && ended.code != Some(0) {
            self.seen.notes.push(format!("it ended {how}; 0 would say that all is well"));
        }
    }
}
