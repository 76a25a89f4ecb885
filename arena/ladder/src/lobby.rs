//! Which bots wait, which are paired, which connection goes where: a pure state machine without a socket and without a clock.
//!
//! The host reports what happens and when, and takes errands from it. A bot takes part with all its connections that wait: its
//! first one waits for others for a while, then the bot can be paired. The bot that has waited longest is paired with the
//! opponents against which a match says most about its rating. Tested in this module.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::net::IpAddr;
use std::time::Duration;

use zappy_game::chance::Chance;
use zappy_tournament::identity::Id;
use zappy_tournament::league::pairing::information;
use zappy_tournament::rating::Rating;

/// The stream of the generator that draws lots for seats.
const SEATS: u64 = 0x5ea7;
/// The answer to a wrong login comes after this time, so that few can be tried on one connection.
const WRONG_PAUSE: Duration = Duration::from_secs(1);
/// The wrong login of a connection that closes it.
const MOST_WRONG: u32 = 3;
/// Connections of one name that wait.
const MOST_OF_NAME: usize = 64;

/// A connection, by a number that is never used again.
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
    /// Matches that a bot plays at the same time.
    pub at_once: usize,
    /// How long a bot's first connection waits for others of it, before the bot is paired.
    pub gather: Duration,
    /// How long a connection waits for a match.
    pub wait: Duration,
    /// How long a connection may take to say its name.
    pub login: Duration,
    /// Connections that may wait in all.
    pub most: usize,
    /// Connections without a login that may wait from one address. Behind a proxy all bots have the same address.
    pub unnamed: usize,
    /// The seed of the lots for seats.
    pub seed: u64,
}

/// The first line of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Said {
    /// It has the token of that bot.
    Plays(Id),
    /// It watches that bot's match.
    Watches(Id),
    Wrong,
}

/// A match of a list that is played instead of those that the lobby would choose.
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
    /// The connection, of that bot if it is known, is answered `ko` and closed; and why.
    Dismiss(Caller, Option<Id>, &'static str),
    /// The connection is closed.
    Drop(Caller),
    /// A match begins between these bots, in the order of their seats; a list's match has the seed of the list. So many
    /// connections of the bots follow.
    Begin(MatchNumber, Vec<Id>, Option<u64>, usize),
    /// The connection plays in that match for that bot.
    Join(Caller, MatchNumber, Id),
    /// The connection watches that match.
    Watch(Caller, MatchNumber),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Unnamed,
    /// Its login was wrong, and it isn't read again before it is answered.
    Wrong,
    Waits(Id),
}

#[derive(Debug)]
struct Visitor {
    address: IpAddr,
    state: State,
    wrong: u32,
    deadline: Duration,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Timer {
    /// The time of a connection is up.
    Caller(Caller),
    /// A bot has gathered its connections.
    Gathered,
}

#[derive(Debug, Default)]
struct Player {
    /// In the order in which they came.
    waiting: VecDeque<Caller>,
    /// When the first of them came.
    since: Duration,
    playing: BTreeSet<MatchNumber>,
    /// The others in its last match.
    last: Vec<Id>,
    rating: Rating,
}

/// The state between two events.
#[derive(Debug, Default)]
pub struct LadderLobby {
    rules: Rules,
    visitors: BTreeMap<Caller, Visitor>,
    /// The connections without a good login, by their addresses.
    unnamed: BTreeMap<IpAddr, BTreeSet<Caller>>,
    players: BTreeMap<Id, Player>,
    matches: BTreeMap<MatchNumber, Vec<Id>>,
    begun: u64,
    /// By how much the first of two bots sat before the second more often than behind it.
    ahead: BTreeMap<(Id, Id), i64>,
    /// The matches that haven't begun of those that are played instead of what the lobby would choose.
    pub fixtures: Option<Vec<Fixture>>,
    timers: BTreeSet<(Duration, Timer)>,
    errands: VecDeque<Errand>,
}

impl LadderLobby {
    /// An empty lobby. With `fixtures` these matches are played, and no others.
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
        let waits = self.players.iter().filter(|(_, player)| !player.waiting.is_empty());
        let mut waiting: Vec<(Id, Duration)> = waits.map(|(bot, player)| (*bot, player.since)).collect();
        waiting.sort_by_key(|(_, since)| *since);
        waiting
    }

    /// Whether the first line of a connection is to be read now.
    pub fn may_log_in(&self, guest: Caller) -> bool {
        self.visitors.get(&guest).is_some_and(|visitor| visitor.state == State::Unnamed)
    }

    pub fn rate(&mut self, bot: Id, rating: Rating) {
        self.player(bot).rating = rating;
    }

    /// Notes that two bots have met in these seats before.
    pub fn note_met(&mut self, bots: &[Id]) {
        if let [one, other] = *bots {
            *self.ahead.entry((one, other)).or_default() += 1;
            *self.ahead.entry((other, one)).or_default() -= 1;
        }
    }

    fn player(&mut self, bot: Id) -> &mut Player {
        let new = || Player { rating: Rating::unknown(), ..Player::default() };
        self.players.entry(bot).or_insert_with(new)
    }

    fn set(&mut self, guest: Caller, state: State, deadline: Duration) {
        let Some(visitor) = self.visitors.get_mut(&guest) else { return };
        self.timers.remove(&(visitor.deadline, Timer::Caller(guest)));
        (visitor.state, visitor.deadline) = (state, deadline);
        self.timers.insert((deadline, Timer::Caller(guest)));
    }

    /// A connection came; `room`: how many the system has room for. If too many wait, the oldest one without a login makes room, else
    /// the new one is sent away; then this says why.
    pub fn arrive(
        &mut self,
        now: Duration,
        guest: Caller,
        address: IpAddr,
        room: usize,
    ) -> Option<&'static str> {
        let (there, same) = (self.visitors.len(), self.unnamed.get(&address));
        let (oldest, why) = match same.filter(|same| same.len() >= self.rules.unnamed) {
            Some(same) => (same.first(), Some("too many of its address have said no name")),
            None if there < room.min(self.rules.most) => (None, None),
            None => {
                let descriptors = "this process may have no more descriptors; allow more with ulimit -n";
                let why = if there < room { "no more may wait" } else { descriptors };
                (self.unnamed.values().filter_map(BTreeSet::first).min(), Some(why))
            }
        };
        match (oldest.copied(), why) {
            (Some(oldest), _) => self.hand(oldest, Errand::Drop(oldest)),
            (None, Some(why)) => {
                self.errands.push_back(Errand::Dismiss(guest, None, why));
                return Some(why);
            }
            (None, None) => {}
        }
        let deadline = now + self.rules.login;
        self.visitors.insert(guest, Visitor { address, state: State::Unnamed, wrong: 0, deadline });
        self.unnamed.entry(address).or_default().insert(guest);
        self.timers.insert((deadline, Timer::Caller(guest)));
        why
    }

    /// A connection has sent its first line. `room` says whether a bot's match has a free slot for it.
    pub fn log_in(
        &mut self,
        now: Duration,
        guest: Caller,
        said: Said,
        room: impl Fn(MatchNumber, Id) -> bool,
    ) {
        if !self.may_log_in(guest) {
            return;
        }
        match said {
            Said::Wrong => self.set(guest, State::Wrong, now + WRONG_PAUSE),
            Said::Watches(bot) => match self.player(bot).playing.first().copied() {
                Some(number) => self.hand(guest, Errand::Watch(guest, number)),
                None => self.set(guest, State::Wrong, now + WRONG_PAUSE),
            },
            Said::Plays(bot) => {
                let free = self.player(bot).playing.iter().copied().find(|number| room(*number, bot));
                if let Some(number) = free {
                    return self.hand(guest, Errand::Join(guest, number, bot));
                }
                let gather = self.rules.gather;
                let player = self.player(bot);
                if player.waiting.len() >= MOST_OF_NAME {
                    let why = "too many connections of it wait";
                    return self.hand(guest, Errand::Dismiss(guest, Some(bot), why));
                }
                player.waiting.push_back(guest);
                if player.waiting.len() == 1 {
                    player.since = now;
                    self.timers.insert((now + gather, Timer::Gathered));
                }
                self.set(guest, State::Waits(bot), now + self.rules.wait);
                self.note_named(guest);
                self.pair(now);
            }
        }
    }

    /// Leaves a connection to the host, which does with it what the errand says.
    fn hand(&mut self, guest: Caller, errand: Errand) {
        self.leave(guest);
        self.errands.push_back(errand);
    }

    /// A connection counts no longer as one without a good login.
    fn note_named(&mut self, guest: Caller) {
        if let Some(address) = self.visitors.get(&guest).map(|visitor| visitor.address)
            && let Some(same) = self.unnamed.get_mut(&address)
        {
            same.remove(&guest);
            if same.is_empty() {
                self.unnamed.remove(&address);
            }
        }
    }

    /// Forgets a connection that is gone, or is handed on.
    pub fn leave(&mut self, guest: Caller) {
        self.note_named(guest);
        let Some(visitor) = self.visitors.remove(&guest) else { return };
        self.timers.remove(&(visitor.deadline, Timer::Caller(guest)));
        if let State::Waits(bot) = visitor.state {
            self.player(bot).waiting.retain(|waiting| *waiting != guest);
        }
    }

    /// A bot was removed or has another token: its connections that wait are sent away.
    pub fn remove(&mut self, bot: Id) {
        for guest in self.player(bot).waiting.clone() {
            self.hand(guest, Errand::Dismiss(guest, Some(bot), "its token was taken from it"));
        }
    }

    /// Notes that a match is over for its bots.
    pub fn end(&mut self, now: Duration, number: MatchNumber) {
        let Some(bots) = self.matches.remove(&number) else { return };
        let (alone, gather) = (self.rules.at_once == 1, self.rules.gather);
        for bot in bots {
            let player = self.player(bot);
            player.playing.remove(&number);
            // Its connections that waited meanwhile wait for the others of the bot, which only come now.
            if alone && !player.waiting.is_empty() {
                player.since = now;
                self.timers.insert((now + gather, Timer::Gathered));
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
                Timer::Caller(guest) => self.expire(now, guest),
                Timer::Gathered => self.pair(now),
            }
        }
    }

    fn expire(&mut self, now: Duration, guest: Caller) {
        let Some(visitor) = self.visitors.get_mut(&guest) else { return };
        match visitor.state {
            State::Unnamed => self.hand(guest, Errand::Drop(guest)),
            State::Waits(bot) => {
                self.hand(guest, Errand::Dismiss(guest, Some(bot), "no opponent came while it could wait"));
            }
            State::Wrong => {
                visitor.wrong += 1;
                if visitor.wrong >= MOST_WRONG {
                    return self.hand(guest, Errand::Dismiss(guest, None, "too many wrong logins"));
                }
                self.errands.push_back(Errand::Refuse(guest));
                self.set(guest, State::Unnamed, now + self.rules.login);
            }
        }
    }

    /// Begins the matches that can begin.
    fn pair(&mut self, now: Duration) {
        loop {
            // Bots that wait and may play one more match.
            let is_free = |one: &Player| !one.waiting.is_empty() && one.playing.len() < self.rules.at_once;
            let free = self.players.iter().filter(|(_, player)| is_free(player));
            let free: Vec<Id> = free.map(|(bot, _)| *bot).collect();
            let gathered = |bot: &Id| now >= self.players[bot].since + self.rules.gather;
            let mut ready: Vec<Id> = free.iter().copied().filter(gathered).collect();
            ready.sort_by_key(|bot| (self.players[bot].since, *bot));
            let next = match &mut self.fixtures {
                Some(list) => {
                    let playable = |fixture: &Fixture| fixture.bots.iter().all(|bot| ready.contains(bot));
                    let fixture = list.iter().position(playable).map(|place| list.remove(place));
                    fixture.map(|fixture| (fixture.bots, Some(fixture.seed)))
                }
                None => self.choose(now, &free, &ready).map(|bots| (self.seat(bots), None)),
            };
            let Some((bots, seed)) = next else { return };
            let (number, slots) = (self.go_on(&bots), self.rules.slots);
            let count = bots.iter().map(|bot| self.players[bot].waiting.len().min(slots)).sum();
            self.errands.push_back(Errand::Begin(number, bots.clone(), seed, count));
            for bot in bots {
                let guests: Vec<Caller> = self.players[&bot].waiting.iter().copied().take(slots).collect();
                guests.into_iter().for_each(|guest| self.hand(guest, Errand::Join(guest, number, bot)));
            }
        }
    }

    /// The bots that meet next: the one that has waited longest, and those that tell most of it. The same don't meet again
    /// while others wait; for others that still gather it is waited once, since such a bot may leave and come again.
    fn choose(&self, now: Duration, free: &[Id], ready: &[Id]) -> Option<Vec<Id>> {
        let others = self.rules.teams - 1;
        ready.iter().enumerate().find_map(|(place, &first)| {
            let player = &self.players[&first];
            let again = |bot: &Id| player.last.contains(bot);
            let others_gather = now < player.since + 2 * self.rules.gather;
            let fresh = if others_gather { free } else { ready };
            let fresh = fresh.iter().filter(|bot| **bot != first && !again(bot)).count();
            let mut choice: Vec<Id> = ready[place + 1..].to_vec();
            choice.extend(&ready[..place]);
            // The last opponents are met again only where there are too few others.
            choice.retain(|bot| fresh < others || !again(bot));
            let tells = |bot: &Id| information(player.rating, self.players[bot].rating);
            choice.sort_by(|a, b| again(a).cmp(&again(b)).then(tells(b).total_cmp(&tells(a))));
            choice.truncate(others);
            (choice.len() == others).then(|| [&[first][..], &choice].concat())
        })
    }

    /// The same bots in the order of their seats: by lot, but two that have met before change seats.
    fn seat(&self, mut bots: Vec<Id>) -> Vec<Id> {
        Chance::new(self.rules.seed, SEATS, self.begun, 0).shuffle(&mut bots);
        if let [one, other] = bots[..]
            && self.ahead.get(&(one, other)).is_some_and(|ahead| *ahead > 0)
        {
            bots.reverse();
        }
        bots
    }

    /// A match between these bots that began before goes on: their connections go there.
    pub fn go_on(&mut self, bots: &[Id]) -> MatchNumber {
        self.begun += 1;
        let number = MatchNumber(self.begun);
        self.note_met(bots);
        for &bot in bots {
            let player = self.player(bot);
            player.playing.insert(number);
            player.last = bots.iter().copied().filter(|other| *other != bot).collect();
        }
        self.matches.insert(number, bots.to_vec());
        number
    }

    /// Puts a match of the list back, since it is to be played again.
    pub fn put_back(&mut self, fixture: Fixture) {
        if let Some(list) = &mut self.fixtures {
            list.push(fixture);
        }
    }
}

#[cfg(test)]
mod tests;
