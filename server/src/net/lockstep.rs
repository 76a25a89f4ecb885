//! The state of the lockstep clock.
//!
//! Wall time doesn't count: a tick passes when every player that can act has acted. This module remembers which players
//! owe a line, since when, and which were late; `shell::rounds` plays the rounds. Knows neither sockets nor a game.
//! Tested in `shell::tests::lockstep`.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::time::Duration;

use super::clock::RealClock;
use super::connection::Key;
use super::deadlines::Deadlines;
use super::lockstep_report::{LateMoment, LatePlayer, Lockstep, LockstepReport, MOMENTS, TeamDelay};
use zappy_game::{Line, SeatId, Tick};
use zappy_protocol::text::{shortened, shown};

/// How long a round waits for a seat, by default: a player that thinks for long can't hold the match up.
pub const THINK_TIME: Duration = Duration::from_secs(1);
/// Stands for "no limit" where a duration is needed: longer than any machine runs.
pub const ENDLESS: Duration = Duration::from_secs(100 * 365 * 24 * 3600);
/// How often a seat may be late, by default: a player can't hold the match up again and again.
pub const MAX_LATE: u32 = 10;
/// How long the lobby waits, by default: a match doesn't wait for programs that never come.
pub const LOBBY_TIME: Duration = Duration::from_secs(600);
/// A player counts as silent after being late so often in a row without sending a line.
const SILENT_AFTER: u32 = 3;
/// The rounds wait for a silent player at most once in so many ticks, when it is sent something. A unit of food lasts
/// that long.
const SILENT_PAUSE: Tick = 126;
/// Characters that a report keeps of the line that a player was sent last.
const AFTER_CHARACTERS: usize = 120;

/// A player, as the lockstep clock knows it.
#[derive(Debug, Default)]
pub(super) struct Player {
    pub(super) key: Key,
    /// Its place in the order of admission.
    pub(super) number: u32,
    /// The line it was admitted with.
    pub(super) name: String,
    pub(super) group: u32,
    /// When its think time began: when it began to owe a line, or when it was last sent one.
    pub(super) since: Duration,
    /// How much of its think time was used up when its last line came.
    pub(super) thought: Duration,
    /// The number of the last gathering in which it owed a line.
    pub(super) gather: u64,
    /// Whether it is late. The rounds don't wait for it until a line is sent to it or comes from it.
    pub(super) late: bool,
    /// How often it was late since its last line, and the tick at which it was last late.
    pub(super) missed: (u32, Tick),
    /// Since when it has been asked for the line that it owes; `None` once the line has come.
    pub(super) asked_since: Option<Duration>,
    /// Lines taken from it at this tick.
    pub(super) taken: u32,
    /// Lines taken from it in all.
    pub(super) taken_in_all: u64,
    /// Lines that its connection had been sent before it was admitted.
    pub(super) read_before: u64,
}

/// The time for an answer once nothing is free any more and the bank is empty, so that a player that answers at once
/// isn't late.
const LEAST_FREE: Duration = Duration::from_millis(20);

/// A budget of thinking time for each team: the time that its players' answers take beyond a free allowance.
#[derive(Debug, Clone)]
pub struct Bank {
    /// The time that an answer may take without being charged.
    pub free: Duration,
    /// How much time beyond `free` all answers of a team may take together. Once that is spent, an answer that takes
    /// longer than `free` is late.
    pub budget: Duration,
    /// The time that all answers of a team may take in all before nothing is free any more: many short waits hold a
    /// match up as a long one does.
    pub free_in_all: Duration,
    /// By team: the time that was charged, and the time of all answers.
    pub(super) spent: BTreeMap<u32, (Duration, Duration)>,
}

impl Bank {
    /// A bank with the whole budget of each team.
    pub fn new(free: Duration, budget: Duration, free_in_all: Duration) -> Bank {
        Bank { free, budget, free_in_all, spent: BTreeMap::new() }
    }

    /// Charges a team for an answer.
    fn charge(&mut self, group: u32, took: Duration) {
        let (spent, all) = self.spent.entry(group).or_default();
        *all += took;
        *spent += took.saturating_sub(if *all > self.free_in_all { Duration::ZERO } else { self.free });
    }
}

/// A connection that asks to play.
#[derive(Debug, Clone, Copy)]
pub(super) struct Arrival {
    pub(super) key: Key,
    pub(super) group: u32,
    /// Whether the connection comes in at this round whatever the timing. That holds in the lobby; later it holds if
    /// the round waited for the connection's name and, when the connection was welcomed, also for a player of its
    /// group.
    pub(super) expected: bool,
}

/// A connection that has not said a name yet. The round waits for it.
#[derive(Debug, Clone)]
pub(super) struct Newcomer {
    /// The groups of the players that the round waited for when the connection was welcomed.
    pub(super) awaited_groups: Rc<BTreeSet<u32>>,
    /// The group and the name of the team that it belongs to, if that is known.
    pub(super) team: Option<(u32, String)>,
}

/// How long rounds have waited for the names of newcomers and for nothing else.
#[derive(Debug, Default)]
pub(super) struct NameWaits {
    /// Since when a round has been waiting like that; `None` if none is.
    since: Option<Duration>,
    /// How long earlier rounds have waited like that, all of them together.
    pub(super) before: Duration,
}

/// How long the server itself overslept.
#[derive(Debug, Default)]
pub(super) struct Overslept {
    in_all: Duration,
    /// How much of that time was since the last round, each delay counted for at most one think time.
    pub(super) of_round: Duration,
}

/// The gathering of the lines of a round.
#[derive(Debug, Default)]
pub(super) struct Gathering {
    /// Whether the gathering has begun and its round isn't played yet.
    pub(super) goes_on: bool,
    /// How many rounds were gathered.
    pub(super) count: u64,
    /// The seats that owe a line in this round, in drawn order.
    pub(super) owing: Vec<SeatId>,
    /// The seats among them that the round still waits for.
    pub(super) waiting: BTreeSet<SeatId>,
}

/// The state of the lockstep clock.
#[derive(Debug, Default)]
pub(super) struct Rounds {
    pub(super) report: LockstepReport,
    /// The time at which the running turn of the loop began.
    pub(super) at: Duration,
    /// The seed of the order in which connections are let in.
    pub(super) seed: u64,
    /// Whether the lobby is over.
    pub(super) begun: bool,
    /// When a connection first asked to play.
    pub(super) lobby_since: Option<Duration>,
    /// Whether the game lets time pass.
    pub(super) runs: bool,
    /// The bank that bounds the think times of each team together, if there is one.
    pub(super) bank: Option<Bank>,
    pub(super) players: BTreeMap<SeatId, Player>,
    /// How many players were admitted.
    pub(super) admitted: u32,
    /// The connections that have not said a name yet and that the round waits for.
    pub(super) newcomers: BTreeMap<Key, Newcomer>,
    pub(super) name_waits: NameWaits,
    /// The connections that are admitted in the next round.
    pub(super) arrivals: Vec<Arrival>,
    pub(super) gathering: Gathering,
    /// Waiting time is charged to teams up to this moment.
    pub(super) charged: Duration,
    /// The ends of the connections' think times, in fair time.
    pub(super) thinking: Deadlines,
    /// The seat with the line that is being handed in.
    pub(super) speaking: Option<SeatId>,
    /// How long the server itself overslept; that time is no player's think time.
    pub(super) overslept: Overslept,
    /// The clock that slows the match down, so that people can follow it.
    pub(super) pace: Option<RealClock>,
    /// The ticks that may begin, if each has to be allowed.
    pub(super) steps: Option<u64>,
    /// Whether a turn's budget was used up before all work was done.
    pub(super) is_unfinished: bool,
}

impl Rounds {
    pub(super) fn new(settings: Lockstep, seed: u64) -> Rounds {
        let pace = settings.pace.map(|rate| {
            let mut clock = RealClock::stopped();
            clock.set_rate(Duration::ZERO, 0, Some(rate));
            clock
        });
        let steps = settings.step.then_some(0);
        Rounds {
            report: LockstepReport { settings, ..LockstepReport::default() },
            seed,
            pace,
            steps,
            ..Rounds::default()
        }
    }

    /// Fair time: the time so far, less the time that the server overslept. Think times are measured in it.
    pub(super) fn fair(&self) -> Duration {
        self.at.saturating_sub(self.overslept.in_all)
    }

    /// Notes that the server stood still for that long, which isn't think time. When [`Rounds::patience`] is used up in
    /// a round such time counts as think time again, so that a program that keeps the machine busy can't hold the round
    /// up for ever.
    pub(super) fn oversleep(&mut self, gap: Duration) {
        if self.overslept.of_round < self.patience() {
            self.overslept.of_round += gap.min(self.report.settings.think_time);
            self.overslept.in_all += gap;
        }
    }

    /// Begins to wait for a connection, for the think time from `since` on.
    pub(super) fn expect(&mut self, key: Key, since: Duration) {
        self.thinking.set(key, since + self.report.settings.think_time);
    }

    /// Notes that a line was sent to a seat: its think time begins anew. An answer to the line that is being handed in
    /// doesn't give it more time, and a silent player isn't waited for more often than [`SILENT_PAUSE`] says.
    pub(super) fn note_sent(&mut self, seat: SeatId, tick: Tick) {
        let fair = self.fair();
        let speaking = self.speaking == Some(seat);
        let Some(player) = self.players.get_mut(&seat) else { return };
        if player.missed.0 >= SILENT_AFTER && tick < player.missed.1 + SILENT_PAUSE {
            return;
        }
        player.late = false;
        if !speaking {
            (player.since, player.thought) = (fair, Duration::ZERO);
        }
    }

    /// Notes that a seat owes a line in this gathering, and returns its connection. If the seat owed a line in the last
    /// gathering as well, its think time goes on from there; the time that the round spent waiting for others isn't
    /// counted.
    pub(super) fn begin_owing(&mut self, seat: SeatId) -> Option<Key> {
        let (fair, gather) = (self.fair(), self.gathering.count);
        let player = self.players.get_mut(&seat)?;
        if player.gather + 1 != gather {
            player.thought = Duration::ZERO;
        }
        if !player.late {
            player.since = fair.saturating_sub(player.thought);
            player.asked_since = Some(fair);
        }
        player.gather = gather;
        Some(player.key)
    }

    /// Holds the round until that seat has sent a line, has ended or is late.
    pub(super) fn wait_for(&mut self, seat: SeatId) {
        if let Some(&Player { key, since, group, late: false, .. }) = self.players.get(&seat) {
            self.gathering.waiting.insert(seat);
            let time = self.bank.as_ref().map_or(ENDLESS, |bank| {
                let (spent, all) = bank.spent.get(&group).copied().unwrap_or_default();
                let free = if all > bank.free_in_all { LEAST_FREE } else { bank.free };
                free + bank.budget.saturating_sub(spent)
            });
            self.thinking.set(key, since + time.min(self.report.settings.think_time));
        }
    }

    /// Charges the time since the last call to the teams of the players and of the newcomers that the round waits for.
    pub(super) fn charge(&mut self) {
        let fair = self.fair();
        let passed = fair.saturating_sub(self.charged);
        self.charged = fair;
        if passed.is_zero() {
            return;
        }
        let awaited = self.gathering.waiting.iter().filter_map(|seat| self.players.get(seat));
        for player in awaited.clone() {
            if let Some(thinking) = self.report.thinking.get_mut(player.number as usize) {
                thinking.waited += passed;
            }
        }
        let awaited = awaited.map(|player| (player.group, player.name.clone()));
        // In the lobby no round waits for newcomers.
        let newcomers = self.newcomers.values().filter(|_| self.begun);
        let newcomers = newcomers.filter_map(|newcomer| newcomer.team.clone());
        for (group, name) in newcomers.chain(awaited).collect::<BTreeMap<_, _>>() {
            self.note_wait(group, &name, passed);
        }
    }

    /// Notes that the others waited that long for a team.
    pub(super) fn note_wait(&mut self, group: u32, name: &str, time: Duration) {
        let kept = self.report.kept_waiting.entry(group);
        let kept = kept.or_insert_with(|| TeamDelay { name: name.to_owned(), time: Duration::ZERO });
        kept.time += time;
    }

    /// Notes that a seat that owes a line has sent it.
    pub(super) fn note_line(&mut self, seat: SeatId) {
        self.charge();
        let fair = self.fair();
        if let Some(player) = self.players.get_mut(&seat) {
            if std::mem::take(&mut player.late) {
                player.since = fair;
            }
            if std::mem::take(&mut player.missed).0 > 0
                && let Some(late) = self.report.late.iter_mut().find(|late| late.player == player.number)
            {
                late.silent = false;
                self.report.spoke.insert(player.number);
            }
            note_answer(&mut self.report, self.bank.as_mut(), player, fair);
            player.thought = fair.saturating_sub(player.since);
            self.thinking.clear(player.key);
        }
        self.gathering.waiting.remove(&seat);
    }

    /// Removes a connection that has no part in the match any more.
    pub(super) fn forget(&mut self, key: Key, seat: Option<SeatId>) {
        self.thinking.clear(key);
        self.newcomers.remove(&key);
        self.arrivals.retain(|arrival| arrival.key != key);
        if let Some(seat) = seat {
            self.players.remove(&seat);
            self.gathering.waiting.remove(&seat);
        }
    }

    /// Stops waiting for the name of a connection. Gives the groups that the round waited for when the connection
    /// was welcomed; `None` if the round didn't wait for its name.
    pub(super) fn stop_expecting(&mut self, key: Key) -> Option<Rc<BTreeSet<u32>>> {
        self.charge();
        self.thinking.clear(key);
        self.newcomers.remove(&key).map(|newcomer| newcomer.awaited_groups)
    }

    /// The groups of the players that the round waits for.
    pub(super) fn awaited_groups(&self) -> BTreeSet<u32> {
        self.gathering
            .waiting
            .iter()
            .filter_map(|seat| self.players.get(seat))
            .map(|player| player.group)
            .collect()
    }

    /// How long newcomers may hold up the match in all, and a busy machine each round: as long as a single player could
    /// by being late once more than allowed.
    pub(super) fn patience(&self) -> Duration {
        self.report.settings.think_time.saturating_mul(self.report.settings.max_late.saturating_add(1))
    }

    /// Whether the round waits for no seat and no connection any more. Stops waiting for newcomers when the patience
    /// with them is used up.
    pub(super) fn complete(&mut self) -> bool {
        self.charge();
        let at = self.fair();
        if self.gathering.waiting.is_empty() && !self.newcomers.is_empty() {
            let since = *self.name_waits.since.get_or_insert(at);
            if self.name_waits.before + (at - since) < self.patience() {
                return false;
            }
            let count = self.newcomers.len();
            for key in std::mem::take(&mut self.newcomers).into_keys() {
                self.thinking.clear(key);
            }
            self.report.silent += u32::try_from(count).unwrap_or(u32::MAX);
            self.report
                .add_cause("connections that don't say who they are aren't waited for any more".to_owned());
        }
        if let Some(since) = self.name_waits.since.take() {
            self.name_waits.before += at - since;
        }
        self.gathering.waiting.is_empty()
    }

    /// Notes that a seat was late; true if it was late more often than it may be. The lateness of a silent player isn't
    /// counted. `lines`: how many its connection was sent, and the last one.
    pub(super) fn note_late(&mut self, seat: SeatId, tick: Tick, lines: (u64, Option<Line>)) -> bool {
        self.gathering.waiting.remove(&seat);
        let fair = self.fair();
        let Some(player) = self.players.get_mut(&seat) else { return false };
        player.late = true;
        player.missed = (player.missed.0 + 1, tick);
        note_answer(&mut self.report, self.bank.as_mut(), player, fair);
        if player.missed.0 > SILENT_AFTER {
            return false;
        }
        let all = &mut self.report.late;
        let place = all.binary_search_by_key(&player.number, |late| late.player).unwrap_or_else(|place| {
            let (team, moments) = (player.name.clone(), Vec::new());
            let new =
                LatePlayer { player: player.number, team, late: 0, moments, expelled: false, silent: false };
            all.insert(place, new);
            place
        });
        let late = &mut all[place];
        late.late += 1;
        if late.moments.len() < MOMENTS {
            let read = lines.0.saturating_sub(player.read_before);
            let after = lines.1.map(|line| shortened(&shown(line.last()), AFTER_CHARACTERS));
            late.moments.push(LateMoment { tick, sent: player.taken_in_all, read, after, noted: None });
        }
        late.silent = player.missed.0 == SILENT_AFTER;
        late.expelled = late.late > self.report.settings.max_late;
        late.expelled
    }

    /// A tick begins: each player may send as many lines as at the tick before.
    pub(super) fn begin_tick(&mut self) {
        self.players.values_mut().for_each(|player| player.taken = 0);
    }

    /// When the lockstep clock needs a turn at the latest; `due` is the game's next tick.
    pub(super) fn next_turn(&self, due: Option<Tick>) -> Option<Duration> {
        if self.is_unfinished {
            return Some(self.at);
        }
        if !self.begun {
            // While time stands still the match doesn't begin, however long the lobby has waited.
            let since = self.lobby_since.filter(|_| self.runs && !self.arrivals.is_empty());
            return since.map(|since| since + self.report.settings.lobby_time);
        }
        let thinking = self.thinking.next().map(|until| until + self.overslept.in_all);
        let patience = self.patience().saturating_sub(self.name_waits.before);
        let names = self.name_waits.since.map(|since| since + patience + self.overslept.in_all);
        // The pace doesn't matter while a tick waits to be allowed.
        let idle = self.gathering.waiting.is_empty() && self.newcomers.is_empty() && self.steps != Some(0);
        let paced = self.pace.as_ref().filter(|_| self.runs && idle);
        let paced = paced.and_then(|clock| clock.time_of(due?));
        thinking.into_iter().chain(names).chain(paced).min()
    }
}

/// Notes how long a player took, if it was asked for a line.
fn note_answer(report: &mut LockstepReport, bank: Option<&mut Bank>, player: &mut Player, fair: Duration) {
    let Some(since) = player.asked_since.take() else { return };
    let took = fair.saturating_sub(since);
    if let Some(thinking) = report.thinking.get_mut(player.number as usize) {
        thinking.times.add(took);
    }
    if let Some(bank) = bank {
        bank.charge(player.group, took);
    }
}
