//! The loop of a match: waits for output, signals and ended programs, tells the server of teams that are absent, and
//! ends all programs when the match is over.
//!
//! No call waits without a limit. Tested in `arena/cli/tests/endings.rs` and `arena/cli/tests/containment.rs`.

use std::collections::{BTreeSet, HashSet};
use std::io::{self, Write};
use std::time::{Duration, Instant};

use zappy_protocol::text::many;

use super::Match;
use crate::bot;
use crate::door::Door;
use crate::os::{self, Pid, Signal, Source};
use crate::programs::contain::Swept;
use crate::programs::process::Process;
use crate::programs::said::error_line;

/// How long a server may take to end in order, its record and result included.
const SERVER_GRACE: Duration = Duration::from_secs(10);
/// How long bots may take to see that the match is over.
const LEAVE_LIMIT: Duration = Duration::from_secs(2);
/// How long bots may take to end after they were told to.
const BOT_GRACE: Duration = Duration::from_secs(2);
/// The time between two calls of [`Match::beat`].
const BEAT: Duration = Duration::from_millis(50);

/// The time between two searches of the process table for what bots left behind.
const LOOK: Duration = Duration::from_millis(500);

/// How long after the end of all its programs a team isn't called absent yet: a player's login may still be on its way.
const ABSENT_LIMIT: Duration = Duration::from_secs(3);

/// Teams of which all programs ended before the match began.
#[derive(Default)]
pub(super) struct Absent {
    /// The teams for which the server was told not to wait.
    pub(super) teams: BTreeSet<usize>,
    /// Since when the server has been waiting for other such teams; `None` if it isn't waiting for any.
    since: Option<Instant>,
}

/// What the loop has seen, and when it looks again.
pub(super) struct LoopState {
    /// How many of the operator's requests to end the match were handled. Begins at 0, so that a request made before
    /// the loop isn't lost.
    stops: usize,
    next_beat: Instant,
    next_look: Instant,
    children_ended: bool,
}

impl LoopState {
    pub(super) fn new(now: Instant) -> LoopState {
        LoopState { stops: 0, next_beat: now, next_look: now, children_ended: false }
    }
}

/// Why a wait is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WaitResult {
    Done,
    TimedOut,
    Interrupted,
}

impl<'a> Match<'a> {
    /// Whether all bots and all processes that they started have ended.
    pub(super) fn is_deserted(&mut self) -> bool {
        if self.setup.has_attached()
            || !bot::all_ended(&self.bots)
            || Instant::now() < self.loop_state.next_look
        {
            return false;
        }
        self.loop_state.next_look = Instant::now() + LOOK;
        !self.orphans.any(&self.children())
    }

    /// The processes that the arena itself started: its other children are those that bots left behind.
    pub(super) fn children(&self) -> HashSet<Pid> {
        let bots = self.bots.iter().map(|bot| &bot.process);
        bots.chain([&self.server]).chain(&self.observer).map(|process| process.pid).collect()
    }

    /// Tells the server to end, and kills it if it takes too long.
    pub(super) fn end_server(&mut self) {
        self.folder.retract();
        if self.server.ended.is_none() {
            self.server.signal(Signal::TERM);
            self.wait(SERVER_GRACE, |m| m.server.ended.is_some());
        }
        self.server.reap();
        self.answer_door();
        self.read_news();
        self.tell_absence("ever played", "those that did");
        self.display.finish(&mut *self.watch.game);
    }

    /// Waits for the bots to end. A bot that doesn't end by itself is told to end, and killed if it still runs after
    /// that.
    pub(super) fn end_bots(&mut self) -> Swept {
        let all_ended = |m: &mut Match<'_>| bot::all_ended(&m.bots);
        if self.wait(LEAVE_LIMIT, all_ended) != WaitResult::Done {
            self.bots.iter_mut().for_each(|bot| bot.process.signal(Signal::TERM));
            self.wait(BOT_GRACE, all_ended);
        }
        bot::end(&mut self.bots);
        self.setup
            .entries
            .iter()
            .filter_map(|entry| entry.spawn.group.as_ref())
            .for_each(|group| group.end());
        let swept = self.orphans.sweep(&self.observer.iter().map(|process| process.pid).collect());
        if swept.ended > 0 {
            log::warn!("bots had left {} behind, ended now", many(swept.ended as u64, "process"));
        }
        if swept.left > 0 {
            log::error!("{} of the bots can't be ended; look after them", many(swept.left as u64, "process"));
        }
        swept
    }

    /// Waits and handles what comes until `done` holds, the limit is over, or the operator wants the match to end.
    pub(super) fn wait(&mut self, limit: Duration, done: impl Fn(&mut Match<'a>) -> bool) -> WaitResult {
        let deadline = Instant::now().checked_add(limit);
        loop {
            if done(self) {
                return WaitResult::Done;
            }
            let stops = self.signals.stops();
            if stops > self.loop_state.stops {
                self.loop_state.stops = stops;
                return WaitResult::Interrupted;
            }
            if std::mem::take(&mut self.steps.quit) {
                return WaitResult::Interrupted;
            }
            if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                // The last round may have taken long, so that the match was over before the deadline.
                self.server.note_end();
                return if done(self) { WaitResult::Done } else { WaitResult::TimedOut };
            }
            self.wait_once(deadline);
        }
    }

    /// Waits once, at most until the next beat, and handles what came.
    fn wait_once(&mut self, deadline: Option<Instant>) {
        let until =
            deadline.map_or(self.loop_state.next_beat, |deadline| deadline.min(self.loop_state.next_beat));
        let ready = self.poll(until.saturating_duration_since(Instant::now()));
        for (process, ready) in self.processes().zip(ready) {
            if ready {
                process.read();
            }
        }
        self.answer_door();
        self.allow_steps();
        if self.signals.child_ended() {
            self.loop_state.children_ended = true;
            self.server.note_end();
            for bot in &mut self.bots {
                if !bot.process.note_end() {
                    continue;
                }
                let Some(ended) = bot.process.ended else { continue };
                let (name, after) = (bot.process.name(), ended.after.as_secs_f64());
                if ended.code == Some(0) || ended.told {
                    log::debug!("{name} ended after {after:.1} s: {ended}");
                } else {
                    let log = bot.process.log.path.display();
                    let said = error_line(&bot.process.stderr.tail)
                        .map_or(String::new(), |line| format!("; it said: {line}"));
                    log::warn!("{name} failed after {after:.1} s: {ended}{said}; see {log}");
                }
            }
            // The match doesn't depend on its observer, so one that fails is only logged.
            if let Some(observer) = &mut self.observer
                && observer.note_end()
                && let Some(ended) = observer.ended.filter(|ended| ended.code != Some(0) && !ended.told)
            {
                log::warn!("the observer failed: {ended}; see {}", observer.log.path.display());
            }
        }
        if Instant::now() >= self.loop_state.next_beat {
            self.loop_state.next_beat = Instant::now() + BEAT;
            self.beat();
        }
    }

    fn processes(&mut self) -> impl Iterator<Item = &mut Process> {
        let bots = self.bots.iter_mut().map(|bot| &mut bot.process);
        std::iter::once(&mut self.server).chain(bots).chain(&mut self.observer)
    }

    /// For each process, the server first, whether its output can be read.
    fn poll(&self, timeout: Duration) -> Vec<bool> {
        let bots = self.bots.iter().map(|bot| &bot.process);
        let processes = std::iter::once(&self.server).chain(bots).chain(&self.observer);
        let mut sources: Vec<Source<'_>> = self.signals.pollables();
        let first = sources.len();
        let mut owners = Vec::new();
        for (i, process) in processes.enumerate() {
            for source in process.pollables() {
                sources.push(source);
                owners.push(i);
            }
        }
        sources.extend(self.door.as_ref().and_then(Door::pollable));
        let operator = io::stdin();
        sources.extend(os::typed(&operator).filter(|_| self.steps.listens()));
        let mut ready = vec![!os::POLLS_PIPES; self.bots.len() + 2];
        // An error means a signal interrupted the wait; the signal's pipe is read anyway.
        if let Ok(came) = os::wait(&sources, timeout) {
            for (came, owner) in came[first..].iter().zip(owners) {
                ready[owner] |= came;
            }
        }
        ready
    }

    /// Does what needn't be done at once: reads on at full logs, enforces limits, takes the server's messages.
    fn beat(&mut self) {
        for process in self.processes() {
            process.trickle();
        }
        let started = self.started();
        for broken in self.guard.enforce(&started, self.relays.as_ref()) {
            log::warn!("{} used too much and was ended", self.setup.entries[broken].team);
            self.kill_programs(broken);
        }
        self.read_news();
        self.tell_absent();
        if self.server.ended.is_none() && !self.bots.is_empty() && self.display.is_due() {
            let tick = self.tick();
            let most = self.setup.world.max_length(self.setup.max_ticks, self.setup.entries.len());
            self.display.update(tick, most, &mut *self.watch.game);
        }
        // Only this process can reap orphans that have ended, and bots may leave many behind.
        if self.loop_state.children_ended && Instant::now() >= self.loop_state.next_look {
            self.loop_state.children_ended = false;
            self.loop_state.next_look = Instant::now() + LOOK;
            let children = self.children();
            self.orphans.reap_dead(&children);
        }
    }

    /// Tells the server not to wait for teams of which all programs have ended, if in lockstep others wait for them.
    fn tell_absent(&mut self) {
        let setup = self.setup;
        // If the game's messages don't tell whether it has begun, only the lobby's time limit ends the wait.
        if self.watch.game.has_begun() != Some(false)
            || !setup.clock.waits_for_all()
            // A resumed match has begun before its resumption, though no message may have said so yet.
            || setup.resume.is_some()
            || setup.has_attached()
        {
            return;
        }
        let living: BTreeSet<usize> =
            self.bots.iter().filter(|bot| bot.process.ended.is_none()).map(|bot| bot.team).collect();
        let ended: Vec<usize> = (0..setup.entries.len()).filter(|team| !living.contains(team)).collect();
        if living.is_empty() || ended.iter().all(|team| self.absent.teams.contains(team)) {
            self.absent.since = None;
            return;
        }
        let since = *self.absent.since.get_or_insert_with(Instant::now);
        if since.elapsed() < ABSENT_LIMIT || self.orphans.any(&self.children()) {
            return;
        }
        for team in ended.into_iter().filter(|&team| self.absent.teams.insert(team)) {
            let name = &setup.entries[team].team;
            log::warn!("all programs of {name} have ended; the match begins without");
            let line = format!("absent {name}\n");
            // An error means that the server has ended, and needs no line.
            let _ = match (&self.door, &mut self.server.leash) {
                (Some(door), _) => door.voice.say(&line),
                (None, Some(leash)) => leash.write_all(line.as_bytes()),
                (None, None) => Ok(()),
            };
        }
    }
}
