//! Which bots wait, which are paired, which connection goes where: a pure state machine without a socket and without a clock.
//!
//! The host reports to the lobby what happens and when, and carries out the lobby's errands. A bot takes part with all
//! its waiting connections: its first one waits for others for a while, then the bot can be paired. The bot that has
//! waited longest is paired with the opponents against which a match says most about its rating. Tested in this module.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::net::IpAddr;
use std::time::Duration;

use zappy_game::chance::Chance;
use zappy_tournament::identity::Id;
use zappy_tournament::league::pairing::information;
use zappy_tournament::rating::Rating;

/// The purpose by which the seats' lots are drawn from the seed.
const SEATS: u64 = 0x5ea7;
/// How long the answer to a wrong login is delayed, so that few logins can be tried on one connection.
const WRONG_LOGIN_PAUSE: Duration = Duration::from_secs(1);
/// How many wrong logins close a connection.
const MOST_WRONG_LOGINS: u32 = 3;
/// The most connections of one bot that wait.
const MOST_OF_BOT: usize = 64;

/// A connection without a match, by a number that is never used again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Caller(pub u64);

/// A match, by a number that is never used again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MatchNumber(pub u64);

/// The limits and times of a lobby.
#[derive(Debug, Clone, Default)]
pub struct Rules {
    /// Bots in a match.
    pub teams: usize,
    /// Connections of a bot that a match has room for when it begins.
    pub slots: usize,
    /// The most matches that a bot plays at the same time.
    pub at_once: usize,
    /// How long a bot's first connection waits for the bot's other ones, before the bot is paired.
    pub gather_time: Duration,
    /// How long a connection waits for a match, before it is sent away.
    pub wait_time: Duration,
    /// How long a connection may take to send its first line.
    pub login_time: Duration,
    /// The most connections that wait.
    pub most_waiting: usize,
    /// The most connections without a login from one address. Behind a proxy all bots have the same address.
    pub most_unnamed: usize,
    /// The seed of the lots for seats.
    pub seed: u64,
}

/// What the first line of a connection asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoginKind {
    /// To play for that bot, of which it has the token.
    Plays(Id),
    /// To watch that bot's match.
    Watches(Id),
    /// Nothing that there is, or its token is wrong.
    Wrong,
}

/// A match of a list that is played instead of the matches that the lobby would choose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fixture {
    /// The bots in the order of their seats.
    pub bots: Vec<Id>,
    pub seed: u64,
}

/// A step that the host is to carry out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Errand {
    /// The connection is answered `ko` and may try again.
    Refuse(Caller),
    /// The connection, for that bot if it has logged in, is answered `ko` and closed, for that reason.
    Dismiss(Caller, Option<Id>, &'static str),
    /// The connection is closed without an answer.
    Drop(Caller),
    /// A match begins between these bots, in the order of their seats; a fixture has its seed. The number is that of
    /// the [`Errand::Join`]s that follow at once.
    Begin(MatchNumber, Vec<Id>, Option<u64>, usize),
    /// The connection plays in that match for that bot.
    Join(Caller, MatchNumber, Id),
    /// The connection watches that match.
    Watch(Caller, MatchNumber),
}

/// How far the login of a connection is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LoginState {
    /// Its first line is awaited.
    Unnamed,
    /// Its login was wrong; it is answered after a pause, and not read before that.
    Wrong,
    /// It waits for a match of that bot.
    Waits(Id),
}

/// What the lobby knows of a connection.
#[derive(Debug)]
struct CallerEntry {
    address: IpAddr,
    login: LoginState,
    wrong_logins: u32,
    /// When the time for this step of the login is up.
    deadline: Duration,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Timer {
    /// A connection's deadline has come.
    Caller(Caller),
    /// The time in which a bot gathers its connections is over.
    Gathered,
}

/// What the lobby knows of a bot.
#[derive(Debug, Default)]
struct BotState {
    /// Its connections that wait, in the order in which they came.
    waiting: VecDeque<Caller>,
    /// When the first of these came.
    since: Duration,
    playing: BTreeSet<MatchNumber>,
    /// Its opponents in its last match.
    last_opponents: Vec<Id>,
    rating: Rating,
}

/// Connections, bots and matches between two events.
#[derive(Debug, Default)]
pub struct LadderLobby {
    rules: Rules,
    callers: BTreeMap<Caller, CallerEntry>,
    /// The connections without a valid login, by their addresses.
    unnamed: BTreeMap<IpAddr, BTreeSet<Caller>>,
    bots: BTreeMap<Id, BotState>,
    /// The bots of each running match.
    matches: BTreeMap<MatchNumber, Vec<Id>>,
    /// How many matches have begun, which is the number of the last one.
    begun: u64,
    /// How much more often the first of two bots had the first seat than the second one.
    seat_leads: BTreeMap<(Id, Id), i64>,
    /// The listed matches that haven't begun yet; `None`: there is no list, and the lobby chooses.
    pub fixtures: Option<Vec<Fixture>>,
    timers: BTreeSet<(Duration, Timer)>,
    errands: VecDeque<Errand>,
}

impl LadderLobby {
    /// An empty lobby. With `fixtures` these matches are played and no others.
    pub fn new(rules: Rules, fixtures: Option<Vec<Fixture>>) -> LadderLobby {
        LadderLobby { rules, fixtures, ..LadderLobby::default() }
    }

    /// The next step for the host.
    pub fn next_errand(&mut self) -> Option<Errand> {
        self.errands.pop_front()
    }

    /// When [`LadderLobby::advance`] has to be called at the latest.
    pub fn next_deadline(&self) -> Option<Duration> {
        self.timers.first().map(|(at, _)| *at)
    }

    /// The bots that wait, each with the time at which its first connection came, the earliest first.
    pub fn waiting(&self) -> Vec<(Id, Duration)> {
        let waits = self.bots.iter().filter(|(_, state)| !state.waiting.is_empty());
        let mut waiting: Vec<(Id, Duration)> = waits.map(|(bot, state)| (*bot, state.since)).collect();
        waiting.sort_by_key(|(_, since)| *since);
        waiting
    }

    /// Whether the first line of a connection is to be read now.
    pub fn may_log_in(&self, caller: Caller) -> bool {
        self.callers.get(&caller).is_some_and(|entry| entry.login == LoginState::Unnamed)
    }

    /// Sets the rating of a bot.
    pub fn rate(&mut self, bot: Id, rating: Rating) {
        self.bot_state(bot).rating = rating;
    }

    /// Notes that two bots have met in these seats before.
    pub fn note_met(&mut self, bots: &[Id]) {
        if let [one, other] = *bots {
            *self.seat_leads.entry((one, other)).or_default() += 1;
            *self.seat_leads.entry((other, one)).or_default() -= 1;
        }
    }

    fn bot_state(&mut self, bot: Id) -> &mut BotState {
        let new = || BotState { rating: Rating::unknown(), ..BotState::default() };
        self.bots.entry(bot).or_insert_with(new)
    }

    /// Notes how far the login of a connection is, and when the time for that is up.
    fn set_login(&mut self, caller: Caller, login: LoginState, deadline: Duration) {
        let Some(entry) = self.callers.get_mut(&caller) else { return };
        self.timers.remove(&(entry.deadline, Timer::Caller(caller)));
        (entry.login, entry.deadline) = (login, deadline);
        self.timers.insert((deadline, Timer::Caller(caller)));
    }

    /// A connection came; the system has room for `room` in all. If too many wait, the oldest connection without a
    /// login is closed, or if there is none, the new one is sent away; then the reason is returned.
    pub fn arrive(
        &mut self,
        now: Duration,
        caller: Caller,
        address: IpAddr,
        room: usize,
    ) -> Option<&'static str> {
        let (count, same) = (self.callers.len(), self.unnamed.get(&address));
        let (oldest, why) = match same.filter(|same| same.len() >= self.rules.most_unnamed) {
            Some(same) => (same.first(), Some("too many of its address have said no name")),
            None if count < room.min(self.rules.most_waiting) => (None, None),
            None => {
                let descriptors = "this process may have no more descriptors; allow more with ulimit -n";
                let why = if count < room { "no more may wait" } else { descriptors };
                (self.unnamed.values().filter_map(BTreeSet::first).min(), Some(why))
            }
        };
        match (oldest.copied(), why) {
            (Some(oldest), _) => self.pass_on(oldest, Errand::Drop(oldest)),
            (None, Some(why)) => {
                self.errands.push_back(Errand::Dismiss(caller, None, why));
                return Some(why);
            }
            (None, None) => {}
        }
        let (deadline, login) = (now + self.rules.login_time, LoginState::Unnamed);
        self.callers.insert(caller, CallerEntry { address, login, wrong_logins: 0, deadline });
        self.unnamed.entry(address).or_default().insert(caller);
        self.timers.insert((deadline, Timer::Caller(caller)));
        why
    }

    /// A connection has sent its first line, which asks for `login`. `has_room` says whether a match has a free slot
    /// for a bot.
    pub fn log_in(
        &mut self,
        now: Duration,
        caller: Caller,
        login: LoginKind,
        has_room: impl Fn(MatchNumber, Id) -> bool,
    ) {
        if !self.may_log_in(caller) {
            return;
        }
        match login {
            LoginKind::Wrong => self.set_login(caller, LoginState::Wrong, now + WRONG_LOGIN_PAUSE),
            LoginKind::Watches(bot) => match self.bot_state(bot).playing.first().copied() {
                Some(number) => self.pass_on(caller, Errand::Watch(caller, number)),
                None => self.set_login(caller, LoginState::Wrong, now + WRONG_LOGIN_PAUSE),
            },
            LoginKind::Plays(bot) => {
                let free = self.bot_state(bot).playing.iter().copied().find(|number| has_room(*number, bot));
                if let Some(number) = free {
                    return self.pass_on(caller, Errand::Join(caller, number, bot));
                }
                let gather_time = self.rules.gather_time;
                let state = self.bot_state(bot);
                if state.waiting.len() >= MOST_OF_BOT {
                    let why = "too many connections of it wait";
                    return self.pass_on(caller, Errand::Dismiss(caller, Some(bot), why));
                }
                state.waiting.push_back(caller);
                if state.waiting.len() == 1 {
                    state.since = now;
                    self.timers.insert((now + gather_time, Timer::Gathered));
                }
                self.set_login(caller, LoginState::Waits(bot), now + self.rules.wait_time);
                self.note_named(caller);
                self.pair(now);
            }
        }
    }

    /// Forgets a connection, and leaves it to the host, which does with it what the errand says.
    fn pass_on(&mut self, caller: Caller, errand: Errand) {
        self.leave(caller);
        self.errands.push_back(errand);
    }

    /// Takes a connection from those without a valid login.
    fn note_named(&mut self, caller: Caller) {
        if let Some(address) = self.callers.get(&caller).map(|entry| entry.address)
            && let Some(same) = self.unnamed.get_mut(&address)
        {
            same.remove(&caller);
            if same.is_empty() {
                self.unnamed.remove(&address);
            }
        }
    }

    /// Forgets a connection that is gone, or is handed on.
    pub fn leave(&mut self, caller: Caller) {
        self.note_named(caller);
        let Some(entry) = self.callers.remove(&caller) else { return };
        self.timers.remove(&(entry.deadline, Timer::Caller(caller)));
        if let LoginState::Waits(bot) = entry.login {
            self.bot_state(bot).waiting.retain(|waiting| *waiting != caller);
        }
    }

    /// A bot was removed or has another token: its connections that wait are sent away.
    pub fn remove(&mut self, bot: Id) {
        for caller in self.bot_state(bot).waiting.clone() {
            self.pass_on(caller, Errand::Dismiss(caller, Some(bot), "its token was taken from it"));
        }
    }

    /// Notes that a match is over for its bots.
    pub fn end(&mut self, now: Duration, number: MatchNumber) {
        let Some(bots) = self.matches.remove(&number) else { return };
        let (plays_one, gather_time) = (self.rules.at_once == 1, self.rules.gather_time);
        for bot in bots {
            let state = self.bot_state(bot);
            state.playing.remove(&number);
            // Connections that came during the match wait again: the bot's other ones come only now, after it.
            if plays_one && !state.waiting.is_empty() {
                state.since = now;
                self.timers.insert((now + gather_time, Timer::Gathered));
            }
        }
        self.pair(now);
    }

    /// Does what is due by now.
    pub fn advance(&mut self, now: Duration) {
        while let Some(&(at, timer)) = self.timers.first()
            && at <= now
        {
            self.timers.pop_first();
            match timer {
                Timer::Caller(caller) => self.expire(now, caller),
                Timer::Gathered => self.pair(now),
            }
        }
    }

    /// The deadline of a connection has come.
    fn expire(&mut self, now: Duration, caller: Caller) {
        let Some(entry) = self.callers.get_mut(&caller) else { return };
        match entry.login {
            LoginState::Unnamed => self.pass_on(caller, Errand::Drop(caller)),
            LoginState::Waits(bot) => {
                let why = "no opponent came while it could wait";
                self.pass_on(caller, Errand::Dismiss(caller, Some(bot), why));
            }
            LoginState::Wrong => {
                entry.wrong_logins += 1;
                if entry.wrong_logins >= MOST_WRONG_LOGINS {
                    return self.pass_on(caller, Errand::Dismiss(caller, None, "too many wrong logins"));
                }
                self.errands.push_back(Errand::Refuse(caller));
                self.set_login(caller, LoginState::Unnamed, now + self.rules.login_time);
            }
        }
    }

    /// Begins all matches that can begin.
    fn pair(&mut self, now: Duration) {
        loop {
            // Bots that wait and may play one more match.
            let is_free = |one: &BotState| !one.waiting.is_empty() && one.playing.len() < self.rules.at_once;
            let free = self.bots.iter().filter(|(_, state)| is_free(state));
            let free: Vec<Id> = free.map(|(bot, _)| *bot).collect();
            let has_gathered = |bot: &Id| now >= self.bots[bot].since + self.rules.gather_time;
            let mut ready: Vec<Id> = free.iter().copied().filter(has_gathered).collect();
            ready.sort_by_key(|bot| (self.bots[bot].since, *bot));
            let next = match &mut self.fixtures {
                Some(list) => {
                    let playable = |fixture: &Fixture| fixture.bots.iter().all(|bot| ready.contains(bot));
                    let fixture = list.iter().position(playable).map(|place| list.remove(place));
                    fixture.map(|fixture| (fixture.bots, Some(fixture.seed)))
                }
                None => self.choose(now, &free, &ready).map(|mut bots| {
                    // Seats go by lot, but two bots that have met before change them.
                    Chance::new(self.rules.seed, SEATS, self.begun, 0).shuffle(&mut bots);
                    if let [one, other] = bots[..]
                        && self.seat_leads.get(&(one, other)).is_some_and(|lead| *lead > 0)
                    {
                        bots.reverse();
                    }
                    (bots, None)
                }),
            };
            let Some((bots, seed)) = next else { return };
            let (number, slots) = (self.add_match(&bots), self.rules.slots);
            let count = bots.iter().map(|bot| self.bots[bot].waiting.len().min(slots)).sum();
            self.errands.push_back(Errand::Begin(number, bots.clone(), seed, count));
            for bot in bots {
                let chosen: Vec<Caller> = self.bots[&bot].waiting.iter().copied().take(slots).collect();
                chosen.into_iter().for_each(|caller| self.pass_on(caller, Errand::Join(caller, number, bot)));
            }
        }
    }

    /// The bots that meet next, of the `free` ones: of the `ready` ones, which have gathered, the one that has waited
    /// longest, and those against which a match says most about its rating. The opponents of its last match come only
    /// if there are too few others. While others still gather it waits for them, but only once: such a bot may leave
    /// and come again.
    fn choose(&self, now: Duration, free: &[Id], ready: &[Id]) -> Option<Vec<Id>> {
        let others = self.rules.teams - 1;
        ready.iter().enumerate().find_map(|(place, &first)| {
            let state = &self.bots[&first];
            let met_last = |bot: &Id| state.last_opponents.contains(bot);
            let waits_for_others = now < state.since + 2 * self.rules.gather_time;
            let fresh = if waits_for_others { free } else { ready };
            let fresh = fresh.iter().filter(|bot| **bot != first && !met_last(bot)).count();
            let mut choice: Vec<Id> = ready[place + 1..].to_vec();
            choice.extend(&ready[..place]);
            choice.retain(|bot| fresh < others || !met_last(bot));
            let gain = |bot: &Id| information(state.rating, self.bots[bot].rating);
            choice.sort_by(|a, b| met_last(a).cmp(&met_last(b)).then(gain(b).total_cmp(&gain(a))));
            choice.truncate(others);
            (choice.len() == others).then(|| [&[first][..], &choice].concat())
        })
    }

    /// Adds a match between these bots, which begins now or goes on: further connections of theirs join it.
    pub fn add_match(&mut self, bots: &[Id]) -> MatchNumber {
        self.begun += 1;
        let number = MatchNumber(self.begun);
        self.note_met(bots);
        for &bot in bots {
            let state = self.bot_state(bot);
            state.playing.insert(number);
            state.last_opponents = bots.iter().copied().filter(|other| *other != bot).collect();
        }
        self.matches.insert(number, bots.to_vec());
        number
    }

    /// Puts a match back into the list of fixtures, since it is to be played again.
    pub fn put_back(&mut self, fixture: Fixture) {
        if let Some(list) = &mut self.fixtures {
            list.push(fixture);
        }
    }
}

#[cfg(test)]
mod tests;
