//! The lockstep clock at work: the lobby, the gathering of lines, the rounds, and the next tick.
//!
//! A round takes admissions first and then one line from each player that owes one, in drawn order. It begins when each
//! of these players has sent a line, has ended or is late. So the match is a function of the seed and of what the
//! programs make of the lines they read. A player is never late once its line has arrived. Tested in `tests::lockstep`.

use std::collections::BTreeMap;
use std::time::Duration;

use zappy_protocol::text::{shortened, shown};

use super::entrance::team_of;
use super::time::Clock;
use super::{Hosted, Phase, Shell, Stream};
use crate::net::connection::{Fetched, Key};
use crate::net::lockstep::{Arrival, Bank, Player};
use crate::net::lockstep_report::Thinking;
use zappy_game::chance::{ADMISSION, Chance};
use zappy_game::{Input, SeatId, Tick};

/// Characters of a line that the log quotes.
const QUOTED_CHARACTERS: usize = 60;
/// The most late players that are reported to the program at the door at once.
const REPORTED_LATE_PLAYERS: usize = 4096;

impl<G: Hosted, S: Stream> Shell<G, S> {
    /// Plays as many rounds and ticks as can be played now, within the budget of a turn.
    pub(super) fn play_rounds(&mut self) {
        let rounds = self.clock.rounds();
        rounds.is_unfinished = false;
        rounds.charge();
        self.expire_thinking();
        let mut lines = self.turn.limits.all_turn_lines;
        for _ in 0..self.turn.limits.turn_rounds {
            let over = self.is_over();
            let rounds = self.clock.rounds();
            if !rounds.runs || over || !rounds.begun && !self.end_lobby() {
                return;
            }
            self.gather();
            let rounds = self.clock.rounds();
            let complete = rounds.complete();
            lines = lines.saturating_sub(rounds.gathering.owing.len());
            if !complete || !self.play_round() && !self.begin_tick() {
                return;
            }
            self.flush();
            if lines == 0 {
                break;
            }
        }
        // A player that opens a connection before the next turn must count as asked by then.
        if !self.is_over() {
            self.gather();
        }
        self.clock.rounds().is_unfinished = true;
    }

    /// Begins the match if it may begin: all expected players are there, or the lobby's time is over. False if it may
    /// not.
    fn end_lobby(&mut self) -> bool {
        let at = self.turn.at;
        let rounds = self.clock.rounds();
        let mut groups: BTreeMap<u32, usize> = BTreeMap::new();
        rounds.arrivals.iter().for_each(|arrival| *groups.entry(arrival.group).or_default() += 1);
        // Players for which their team has no room don't count: with them a team could begin the match before another
        // team is there.
        let placed: usize = groups.into_iter().map(|(group, count)| count.min(self.game.room(group))).sum();
        let wanted = rounds.report.settings.wait_players;
        if placed < wanted {
            let limit = rounds.report.settings.lobby_time;
            if rounds.arrivals.is_empty() || rounds.lobby_since.is_none_or(|since| at < since + limit) {
                return false;
            }
            let words = format!("{placed} of {wanted} players had come when the match began after {limit:?}");
            log::warn!("{words}");
            rounds.report.add_cause(words);
        }
        rounds.begun = true;
        let fair = rounds.fair();
        let newcomers: Vec<Key> = rounds.newcomers.keys().copied().collect();
        for key in newcomers {
            rounds.expect(key, fair);
        }
        if let Some(pace) = &mut rounds.pace {
            pace.set_back(at, self.reached);
        }
        log::info!("{placed} players are there: the match begins");
        true
    }

    /// Whether the match waits for its first players.
    pub fn is_in_lobby(&self) -> bool {
        matches!(&self.clock, Clock::Lockstep(rounds) if !rounds.begun)
    }

    /// From now on a bank bounds the think times of each team together, in lockstep.
    pub fn keep_bank(&mut self, bank: Bank) {
        if let Clock::Lockstep(rounds) = &mut self.clock {
            rounds.bank = Some(bank);
        }
    }

    /// Charges these teams for the time that the server waited to learn the teams of their connections.
    pub fn charge_door(&mut self, names: &[Vec<u8>], waited: Duration) {
        if let Clock::Lockstep(rounds) = &mut self.clock
            && rounds.begun
        {
            let teams: BTreeMap<_, _> = names.iter().filter_map(|name| team_of(name, &self.game)).collect();
            teams.into_iter().for_each(|(group, name)| rounds.note_wait(group, &name, waited));
        }
    }

    /// Notes that no more players of a team come: the lobby doesn't wait for them.
    pub fn expect_no_more(&mut self, team: &[u8]) {
        let Some((group, _)) = team_of(team, &self.game) else { return };
        if !self.is_in_lobby() {
            return;
        }
        let room = self.game.room(group);
        let rounds = self.clock.rounds();
        let came = rounds.arrivals.iter().filter(|arrival| arrival.group == group).count();
        let wanted = &mut rounds.report.settings.wait_players;
        *wanted = wanted.saturating_sub(room.saturating_sub(came));
        rounds.is_unfinished = true;
    }

    /// Begins a gathering, unless one goes on: finds out which seats owe a line, and which of these lines have come.
    fn gather(&mut self) {
        let rounds = self.clock.rounds();
        if std::mem::replace(&mut rounds.gathering.goes_on, true) {
            return;
        }
        rounds.gathering.count += 1;
        rounds.gathering.waiting.clear();
        let mut owing = std::mem::take(&mut rounds.gathering.owing);
        owing.clear();
        self.game.owing(&mut owing);
        owing.retain(|seat| rounds.players.contains_key(seat));
        for &seat in &owing {
            let rounds = self.clock.rounds();
            let Some(key) = rounds.begin_owing(seat) else { continue };
            if self.peers.get(key).is_some_and(|connection| connection.fetched.is_some()) {
                rounds.note_line(seat);
                continue;
            }
            rounds.wait_for(seat);
            if self.fetch(key) {
                self.peers.queue_to_read(key);
            }
        }
        self.clock.rounds().gathering.owing = owing;
    }

    /// Plays one round: admissions, then lines; false if there were none.
    fn play_round(&mut self) -> bool {
        let rounds = self.clock.rounds();
        rounds.gathering.goes_on = false;
        rounds.overslept.of_round = Duration::ZERO;
        let owing = std::mem::take(&mut rounds.gathering.owing);
        let mut played = !rounds.arrivals.is_empty();
        if played {
            // The arrivals are let in, in an order drawn for this round. Connections of one team are interchangeable:
            // the order in which they came decides only which of them gets which place.
            let first = rounds.admitted == 0 && rounds.players.is_empty();
            let (seed, ordinal) = (rounds.seed, u64::from(rounds.admitted) + 1);
            let arrivals = std::mem::take(&mut rounds.arrivals);
            let chance = Chance::new(seed, ADMISSION, self.reached, ordinal);
            let room = |group| self.game.room(group);
            let placed = chance.order_of_admission(arrivals, |arrival| arrival.group, room);
            let mut admitted = BTreeMap::new();
            for Arrival { key, group, expected } in placed {
                if self.admit_arrival(key, group, expected) {
                    *admitted.entry(group).or_default() += 1;
                }
            }
            if !first {
                self.clock.rounds().report.joint +=
                    admitted.values().filter(|&&count: &&u32| count > 1).count() as u32;
            }
        }
        for &seat in &owing {
            if self.is_over() {
                break;
            }
            played |= self.take_line(seat);
        }
        self.clock.rounds().gathering.owing = owing;
        played
    }

    /// Hands in the line that has come from a seat that owes one; false if there is none.
    fn take_line(&mut self, seat: SeatId) -> bool {
        let rounds = self.clock.rounds();
        // The round waited for a player over its line limit as well, since it may have opened a connection before that
        // line.
        let limit = self.game.line_limit(seat);
        let Some(player) = rounds.players.get(&seat).filter(|player| player.taken < limit) else {
            return false;
        };
        let key = player.key;
        rounds.speaking = Some(seat);
        let taken = self.take_fetched(key, seat);
        let rounds = self.clock.rounds();
        rounds.speaking = None;
        if let Some(player) = rounds.players.get_mut(&seat).filter(|_| taken) {
            player.taken += 1;
            player.taken_in_all += 1;
        }
        taken
    }

    /// Lets a connection in; false if it found no room.
    fn admit_arrival(&mut self, key: Key, group: u32, expected: bool) -> bool {
        let at = self.turn.at;
        let Some(connection) = self.peers.get(key) else { return false };
        let (Some(seat), Some(Fetched::Line(line))) = (connection.seat, &connection.fetched) else {
            return false;
        };
        let name = String::from_utf8_lossy(line.trim_ascii()).into_owned();
        let read_before = connection.sent.0;
        self.take_fetched(key, seat);
        let plays = self.peers.get(key).is_some_and(|connection| connection.phase == Phase::Player);
        if !plays {
            // The connection was refused and may try again.
            self.peers.deadlines.set(key, at + self.turn.limits.handshake);
            return false;
        }
        let rounds = self.clock.rounds();
        let number = rounds.admitted;
        rounds.admitted += 1;
        if !expected {
            rounds.report.add_cause(format!("player #{number} of {name} came in at a time of its own"));
        }
        rounds.report.thinking.push(Thinking::of(&name, group));
        let player = Player { key, number, name, group, since: at, read_before, ..Player::default() };
        rounds.players.insert(seat, player);
        true
    }

    /// Runs the next tick at which something is due; false if nothing is due, or the tick may not begin yet.
    fn begin_tick(&mut self) -> bool {
        let Some(due) = self.game.poll_timeout() else { return false };
        let rounds = self.clock.rounds();
        if due > self.reached && rounds.steps == Some(0) {
            rounds.gathering.goes_on = true;
            return false;
        }
        if due > self.reached
            && let Some(pace) = &mut rounds.pace
        {
            let Some(time) = pace.time_of(due).filter(|&time| time <= self.turn.at) else {
                rounds.gathering.goes_on = true;
                return false;
            };
            // After a long think time the match goes on at its pace and doesn't catch up.
            if self.turn.at - time > self.turn.limits.oversleep {
                pace.set_back(self.turn.at, due);
            }
        }
        if due > self.reached {
            rounds.begin_tick();
            rounds.steps = rounds.steps.map(|left| left.saturating_sub(1));
        }
        self.run_due(due);
        true
    }

    /// The tick at which the match stands, if everything up to it is played and the next tick has to be allowed.
    pub fn stands(&self) -> Option<Tick> {
        let Clock::Lockstep(rounds) = &self.clock else { return None };
        let idle =
            rounds.gathering.waiting.is_empty() && rounds.newcomers.is_empty() && !rounds.is_unfinished;
        let stands = rounds.steps == Some(0) && rounds.begun && rounds.gathering.goes_on && idle;
        (stands && !self.is_over()).then_some(self.reached)
    }

    /// Allows so many more ticks to begin, where each has to be allowed.
    pub fn allow(&mut self, ticks: u64) {
        if let Clock::Lockstep(rounds) = &mut self.clock
            && let Some(steps) = rounds.steps.as_mut().filter(|_| ticks > 0)
        {
            *steps = steps.saturating_add(ticks);
            rounds.is_unfinished = true;
        }
    }

    /// Marks players as late when their think time is over, unless their lines have come and were not read yet.
    fn expire_thinking(&mut self) {
        loop {
            let rounds = self.clock.rounds();
            if !rounds.begun {
                return;
            }
            let fair = rounds.fair();
            let Some(key) = rounds.thinking.pop(fair) else { return };
            if let Some(connection) = self.peers.get_mut(key) {
                connection.readable = true;
            }
            self.fetch(key);
            let Some(connection) = self.peers.get(key).filter(|c| c.fetched.is_none()) else {
                continue;
            };
            let (phase, seat, peer) = (connection.phase, connection.seat, connection.peer);
            match (phase, seat) {
                (Phase::Handshake, _) => {
                    let rounds = self.clock.rounds();
                    if rounds.stop_expecting(key).is_some() {
                        rounds.report.silent += 1;
                        log::warn!(
                            "{peer}: the match goes on without it, it said no name within the think time"
                        );
                    }
                }
                (Phase::Player, Some(seat)) => self.note_late(seat),
                _ => {}
            }
        }
    }

    fn note_late(&mut self, seat: SeatId) {
        let rounds = self.clock.rounds();
        let Some(player) = rounds.players.get(&seat) else { return };
        let (number, name, key) = (player.number, player.name.clone(), player.key);
        let (think_time, max_late) = (rounds.report.settings.think_time, rounds.report.settings.max_late);
        let lines = self.peers.get(key).map(|connection| connection.sent.clone()).unwrap_or_default();
        let after = lines.1.as_ref().map(|line| shortened(&shown(line.last()), QUOTED_CHARACTERS));
        let after = after.map(|line| format!(" after {line:?}")).unwrap_or_default();
        let expelled = rounds.note_late(seat, self.reached, lines);
        let late = &mut self.entrance.news.late;
        if late.len() < REPORTED_LATE_PLAYERS {
            late.push((number, self.reached));
        }
        if let Some(more) = self.turn.notices.late_player.due(self.turn.at, self.turn.limits.notice) {
            let tick = self.reached;
            log::warn!(
                "player #{number} of {name} is late at tick {tick}: nothing came within {think_time:?}{after}{more}"
            );
        }
        if expelled {
            log::warn!("player #{number} of {name} is ended: it was late more than {max_late} times");
            let words = format!("it was late more than {max_late} times");
            self.hand_in(seat, Input::Expelled(&words));
            self.peers.mark_dirty(key);
        }
    }
}
