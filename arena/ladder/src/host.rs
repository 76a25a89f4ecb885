//! The loop: the listener, the connections that wait, and the matches, all on one poll and in one thread.
//!
//! Carries out the lobby's errands, and decides nothing about matches itself. Tested in `arena/cli/tests/ladder/`.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::{self, ErrorKind};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use mio::event::Event;
use mio::{Events, Interest, Poll, Token};
use zappy_play::world::Games;
use zappy_protocol::OBSERVER_NAME;
use zappy_protocol::text::many;
use zappy_server::net::{Key, LatenessHistogram, Listener, Ready, raise_descriptor_limit};
use zappy_tournament::identity::Id;
use zappy_tournament::ladder::{LobbyState, id_of};
use zappy_tournament::plan::Planned;

use crate::bout::{Bout, BoutSettings, UNWRITTEN};
use crate::clerk::{Clerk, ClerkNote};
use crate::fixtures;
use crate::handed::HandedStream;
use crate::lobby::{Caller, Errand, Fixture, LadderLobby, LoginKind, MatchNumber, Rules};
use crate::names::{Login, Tokens, WrongLogin};
use crate::reception::{MATCH_DESCRIPTORS, Reception, Waiting, least_descriptors};
use crate::season::{ENDED, Season, try_disk};

const LISTENER: Token = Token(0);
/// A token of the poll has the number of the connection in this many low bits, and above them the number of its match;
/// 0 stands for the lobby.
const KEY_BITS: u32 = 40;
/// The most events taken from the system at once; further ones come with the next poll.
const EVENTS: usize = 4_096;
/// The pause between two looks at what the poll doesn't report: new names, new ratings, and whether the operator stops the host.
const LOOK_PAUSE: Duration = Duration::from_millis(200);
/// How many descriptors a host asks for, for matches and their records, besides those of waiting connections.
const MATCHES_DESCRIPTORS: usize = 16_384;

/// For each match the events of its connections.
type News = BTreeMap<MatchNumber, Vec<(Key, Ready)>>;

/// How a ladder is hosted.
#[derive(Debug)]
pub struct Hosting {
    pub rules: Rules,
    /// The file with the matches to be played instead of those that the lobby would choose.
    pub fixture_list: Option<PathBuf>,
    /// Whether running matches may be watched.
    pub is_watchable: bool,
    /// The least time between two tables.
    pub merge_every: Duration,
    /// How long the bots of matches that were running when the host ended have to come back.
    pub patience: Duration,
}

/// A ladder that is played.
pub struct Host {
    poll: Poll,
    /// The zero of the host's clock.
    start: Instant,
    /// The time of the start since 1970.
    start_since_1970: Duration,
    lobby: LadderLobby,
    names: Tokens,
    /// The time and length of the file of names when it was read.
    stamp: Option<(SystemTime, u64)>,
    /// The names of the bots that have logged in.
    logged_in: HashMap<Id, String>,
    settings: BoutSettings,
    reception: Reception,
    bouts: BTreeMap<MatchNumber, Bout>,
    /// When each match needs a turn at the latest.
    due: BTreeSet<(Duration, MatchNumber)>,
    clerk: Clerk,
    /// How many matches were played to their end.
    matches: u64,
    /// How many lines came for which matches in lockstep waited.
    answers: u64,
    /// The most matches that were played at the same time.
    most_at_once: usize,
    /// How long the host took for each turn of a match: to read, to play what could be played, to write.
    turns: LatenessHistogram,
    /// The state of the lobby that was published last.
    published: Option<LobbyState>,
    /// Whether a record couldn't be written; then the disk is tried before a match begins.
    is_full: bool,
}

fn failed(doing: &'static str) -> impl FnOnce(io::Error) -> zappy_play::Error {
    move |error| zappy_play::Error::System(doing, error)
}

impl Host {
    /// Opens a ladder to connections.
    ///
    /// # Errors
    /// The ladder's names can't be read, the list of matches has other names, or the system failed.
    pub fn open(
        season: Season,
        mut listener: Listener,
        hosting: Hosting,
        games: Games,
    ) -> Result<Host, zappy_play::Error> {
        let (place, terms, bank) = (season.place.clone(), season.terms.clone(), season.bank.clone());
        let (is_watchable, patience) = (hosting.is_watchable, hosting.patience);
        let settings =
            BoutSettings { place, terms, bank, port: listener.address().port(), is_watchable, patience };
        let names = Tokens::read(season.place.path())?;
        let stamp = Tokens::stamp(season.place.path());
        let list = hosting.fixture_list.as_deref();
        let fixtures = list.map(|path| fixtures::read(path, &names, &season)).transpose()?;
        let descriptors = raise_descriptor_limit(hosting.rules.most_waiting + MATCHES_DESCRIPTORS);
        let least = least_descriptors(season.teams * hosting.rules.slots);
        if descriptors < least {
            let what = "ulimit -n lets this process have";
            let what =
                format!("{what} {descriptors} open files, a match needs {least}; raise it to that or more");
            return Err(zappy_play::Error::Flag(what));
        }
        let mut lobby = LadderLobby::new(hosting.rules, fixtures);
        season.tournament.plan.iter().for_each(|planned| lobby.note_met(&planned.seats));
        let cut_off = season.cut_off.clone();
        let poll = Poll::new().map_err(failed("can't make a poll"))?;
        let registered = poll.registry().register(listener.socket(), LISTENER, Interest::READABLE);
        registered.map_err(failed("can't register the listener"))?;
        let clerk = Clerk::start(season, games, hosting.merge_every);
        clerk.send(ClerkNote::Names(names.iter().map(str::to_owned).collect()));
        let mut host = Host {
            poll,
            start: Instant::now(),
            start_since_1970: SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default(),
            lobby,
            names,
            stamp,
            logged_in: HashMap::new(),
            settings,
            reception: Reception::new(listener, descriptors),
            bouts: BTreeMap::new(),
            due: BTreeSet::new(),
            clerk,
            matches: 0,
            answers: 0,
            most_at_once: 0,
            turns: LatenessHistogram::default(),
            published: None,
            is_full: false,
        };
        cut_off.into_iter().for_each(|planned| host.resume(planned, games));
        Ok(host)
    }

    /// Goes on with a match that was running when the last host ended, or notes that it is void.
    fn resume(&mut self, planned: Planned, games: Games) {
        match Bout::resume(&self.settings, planned.clone(), games, self.start.elapsed()) {
            Ok(bout) => {
                log::info!("match {} waits for its bots: {}", planned.id, bout.names.join(", "));
                let number = self.lobby.add_match(&planned.seats);
                self.due.insert((self.start.elapsed(), number));
                self.bouts.insert(number, bout);
            }
            Err(error) => {
                log::error!("a match can't go on: {error}");
                self.void(planned, "it couldn't go on");
            }
        }
    }

    /// Notes that a match is void, for that reason; a listed match is played again.
    fn void(&mut self, planned: Planned, why: &'static str) {
        log::warn!("match {} is void: {why}", planned.id);
        if let Some(seed) = planned.seed {
            self.lobby.put_back(Fixture { bots: planned.seats.clone(), seed });
        }
        self.clerk.send(ClerkNote::Void(Box::new(planned), why));
    }

    /// Hosts the ladder until `stop` gives true, or until all listed matches are over. Matches that are running then
    /// are void, unless all their bots can return to the next host.
    ///
    /// # Errors
    /// The system failed.
    pub fn run(mut self, mut stop: impl FnMut() -> bool) -> Result<(), zappy_play::Error> {
        let mut events = Events::with_capacity(EVENTS);
        let mut next_look = LOOK_PAUSE;
        let all_begun = |lobby: &LadderLobby| lobby.fixtures.as_ref().is_some_and(Vec::is_empty);
        while !(stop() || all_begun(&self.lobby) && self.bouts.is_empty()) {
            let now = self.start.elapsed();
            let due = self.due.first().map(|(at, _)| *at);
            let next = [due, self.lobby.next_deadline(), self.reception.listener.next(now), Some(next_look)];
            let next = next.into_iter().flatten().min().unwrap_or(now);
            match self.poll.poll(&mut events, Some(next.saturating_sub(now))) {
                Err(error) if error.kind() == ErrorKind::Interrupted => events.clear(),
                polled => polled.map_err(failed("can't wait for sockets"))?,
            }
            let now = self.start.elapsed();
            let mut news = News::new();
            let mut readable = Vec::new();
            events.iter().for_each(|event| self.sort_event(event, &mut news, &mut readable));
            self.accept(now, &mut readable);
            self.lobby.advance(now);
            readable.into_iter().for_each(|caller| self.read_logins(now, caller));
            self.carry_out(now);
            self.take_turns(now, &news);
            self.reception.close_expired(now);
            if now >= next_look {
                next_look = now + LOOK_PAUSE;
                self.refresh();
            }
        }
        for Bout { planned, names, .. } in std::mem::take(&mut self.bouts).into_values() {
            if !names.iter().all(|name| self.names.can_return(name)) {
                self.clerk.send(ClerkNote::Void(Box::new(planned), ENDED));
            }
        }
        self.clerk.finish();
        self.reception.log_all_unlogged();
        if self.matches > 0 {
            let Host { answers, most_at_once: most, .. } = self;
            let (matches, time) = (many(self.matches, "match"), self.start.elapsed());
            let [median, slow] = [50.0, 99.0].map(|share| self.turns.percentile(share));
            let took = format!("{median:?} (median), {slow:?} (99 of 100) for a turn of one");
            log::info!(
                "{matches} in {time:.0?}, {most} at once at the most, {answers} answers; the host took {took}"
            );
        }
        Ok(())
    }

    /// Sorts an event of the poll: a new connection, news of a match, or a connection of the lobby that has sent
    /// something, which goes into `readable`.
    fn sort_event(&mut self, event: &Event, news: &mut News, readable: &mut Vec<Caller>) {
        let Token(token) = event.token();
        let (number, key) = (token >> KEY_BITS, token & ((1 << KEY_BITS) - 1));
        let (ended, broken) = (event.is_read_closed(), event.is_error() || event.is_write_closed());
        if event.token() == LISTENER {
            return self.reception.listener.note_ready();
        }
        if number > 0 {
            let ready = Ready { readable: event.is_readable(), writable: event.is_writable(), ended, broken };
            news.entry(MatchNumber(number as u64)).or_default().push((Key(key), ready));
            return;
        }
        let caller = Caller(key as u64);
        let Some(waiting) = self.reception.callers.get_mut(&caller) else { return };
        // A connection that has left must not be paired.
        if ended && !self.lobby.may_log_in(caller) || broken {
            self.drop_caller(caller);
        } else {
            waiting.readable |= event.is_readable();
            readable.push(caller);
        }
    }

    fn drop_caller(&mut self, caller: Caller) {
        self.lobby.leave(caller);
        self.reception.close(caller);
    }

    fn accept(&mut self, now: Duration, readable: &mut Vec<Caller>) {
        let playing = self.bouts.values().map(|bout| bout.open_connections() + MATCH_DESCRIPTORS).sum();
        let room = self.reception.room(playing);
        for (caller, peer) in self.reception.accept(now, self.poll.registry()) {
            if let Some(why) = self.lobby.arrive(now, caller, peer.ip(), room) {
                self.reception.note_full(now, peer, why);
            }
            readable.push(caller);
        }
    }

    /// Reads a connection's first line, and further ones as long as they are refused.
    fn read_logins(&mut self, now: Duration, caller: Caller) {
        while self.lobby.may_log_in(caller) {
            let line = match self.reception.read_line(caller) {
                Ok(Some(line)) => line,
                Ok(None) => return,
                Err(_) => return self.drop_caller(caller),
            };
            let login = match self.names.login(&line) {
                Ok(Login::Plays(name, token)) => {
                    if let Some(waiting) = self.reception.callers.get_mut(&caller) {
                        waiting.token = token.into();
                    }
                    self.logged_in.entry(id_of(name)).or_insert_with(|| name.to_owned());
                    LoginKind::Plays(id_of(name))
                }
                Ok(Login::Watches(name)) if self.settings.is_watchable => LoginKind::Watches(id_of(name)),
                Ok(Login::Watches(name)) => {
                    self.reception.note_refused(now, caller, Some(name), "--no-watching");
                    LoginKind::Wrong
                }
                Err(WrongLogin { name, why }) => {
                    self.reception.note_refused(now, caller, name, why);
                    LoginKind::Wrong
                }
            };
            let bouts = &self.bouts;
            let has_room = |number, bot| bouts.get(&number).is_some_and(|bout: &Bout| bout.has_room(bot));
            self.lobby.log_in(now, caller, login, has_room);
            // At once, since whether the next connection finds room depends on it.
            self.carry_out(now);
        }
    }

    /// Carries out all errands of the lobby.
    fn carry_out(&mut self, now: Duration) {
        while let Some(errand) = self.lobby.next_errand() {
            match errand {
                Errand::Refuse(caller) => {
                    self.reception.say_ko(caller);
                    self.read_logins(now, caller);
                }
                Errand::Dismiss(caller, bot, why) => {
                    let name = bot.map(|bot| self.logged_in[&bot].as_str());
                    self.reception.dismiss(now, caller, name, why);
                }
                Errand::Drop(caller) => self.reception.close(caller),
                Errand::Begin(number, bots, seed, players) => self.begin(now, number, bots, seed, players),
                Errand::Join(caller, number, bot) => self.hand_over(now, caller, number, Some(bot)),
                Errand::Watch(caller, number) => self.hand_over(now, caller, number, None),
            }
        }
    }

    fn begin(
        &mut self,
        now: Duration,
        number: MatchNumber,
        bots: Vec<Id>,
        seed: Option<u64>,
        players: usize,
    ) {
        let names: Vec<String> = bots.iter().map(|bot| self.logged_in[bot].clone()).collect();
        let disk = if self.is_full { try_disk(&self.settings.place) } else { Ok(()) };
        match disk.and_then(|()| Bout::begin(&self.settings, &names, seed, players, now)) {
            Ok(bout) => {
                self.is_full = false;
                log::info!("match {} begins: {}", bout.planned.id, names.join(", "));
                self.bouts.insert(number, bout);
                self.most_at_once = self.most_at_once.max(self.bouts.len());
            }
            Err(error) => {
                log::error!("{} can't meet: {error}", names.join(", "));
                if let Some(seed) = seed {
                    self.lobby.put_back(Fixture { bots, seed });
                }
                self.lobby.end(now, number);
            }
        }
    }

    /// Hands a connection to a match, in which it plays for the bot `plays` or watches. If the match couldn't begin,
    /// the connection is closed without a `ko`, since nothing is wrong with its login.
    fn hand_over(&mut self, now: Duration, caller: Caller, number: MatchNumber, plays: Option<Id>) {
        let Some(bout) = self.bouts.get_mut(&number) else { return self.drop_caller(caller) };
        let Some(peer) = self.reception.callers.get(&caller).map(|waiting| waiting.peer) else { return };
        let name = plays.map_or(OBSERVER_NAME, |bot| &self.logged_in[&bot]);
        let Some(key) = bout.admit(peer, plays.is_some()) else {
            let why = match plays {
                Some(_) => "its match has no room for one more connection",
                None => "too many watch that match, or too many of its address do",
            };
            return self.reception.dismiss(now, caller, plays.map(|_| name), why);
        };
        let Some(Waiting { mut stream, unread, token, .. }) = self.reception.callers.remove(&caller) else {
            return;
        };
        let both = Interest::READABLE | Interest::WRITABLE;
        let code = Token((number.0 as usize) << KEY_BITS | key.0);
        if let Err(error) = self.poll.registry().reregister(&mut stream, code, both) {
            log::warn!("{peer}: lost, {error}");
            return;
        }
        let handed = HandedStream::new(stream, format!("{name}\n").as_bytes(), &unread, &token);
        bout.join(now, (key, peer), handed, plays);
        self.due.insert((now, number));
    }

    /// Gives a turn to each match that is due or of which there is news.
    fn take_turns(&mut self, now: Duration, news: &News) {
        let mut touched: BTreeSet<MatchNumber> = news.keys().copied().collect();
        while self.due.first().is_some_and(|(at, _)| *at <= now) {
            touched.extend(self.due.pop_first().map(|(_, number)| number));
        }
        for number in touched {
            let Some(bout) = self.bouts.get_mut(&number) else { continue };
            let start = Instant::now();
            bout.turn(now, news.get(&number).map(Vec::as_slice).unwrap_or_default());
            self.turns.add(start.elapsed());
            let (is_over, void_reason) = (bout.is_over(), bout.void_reason(now));
            self.is_full |= void_reason == Some(UNWRITTEN);
            if let Some(why) = void_reason
                && let Some(Bout { planned, .. }) = self.bouts.remove(&number)
            {
                self.void(planned, why);
            }
            if void_reason.is_some() || is_over {
                self.lobby.end(now, number);
                self.carry_out(now);
            }
            let Some(bout) = self.bouts.get(&number) else { continue };
            if bout.is_done() {
                self.finish(now, number);
            } else if let Some(at) = bout.next_turn() {
                self.due.insert((at, number));
            }
        }
    }

    /// Ends a match of which all lines are sent, and has it kept.
    fn finish(&mut self, now: Duration, number: MatchNumber) {
        let Some(bout) = self.bouts.remove(&number) else { return };
        let (planned, names) = (bout.planned.clone(), bout.names.join(", "));
        let Some(finished) = bout.finish(now) else {
            self.is_full = true;
            return self.void(planned, UNWRITTEN);
        };
        let times = finished.result.lockstep.iter().flat_map(|lockstep| &lockstep.think_times);
        self.answers += times.map(|team| team.all.answers).sum::<u64>();
        self.matches += 1;
        let words = match finished.result.winner.as_deref() {
            Some(first) if finished.result.by_lot => format!("drawn, {first} is first by lot"),
            Some(winner) => format!("{winner} has won"),
            None => "no winner".to_owned(),
        };
        log::info!("match {} is over: {names}: {words}", finished.planned.id);
        self.clerk.send(ClerkNote::Over(Box::new(finished)));
    }

    /// Takes in new ratings and names, which the poll doesn't report, and publishes the state of the lobby if it has
    /// changed.
    fn refresh(&mut self) {
        for (bot, rating) in self.clerk.ratings().unwrap_or_default() {
            self.lobby.rate(bot, rating);
        }
        let stamp = Tokens::stamp(self.settings.place.path());
        if stamp != self.stamp {
            self.stamp = stamp;
            match Tokens::read(self.settings.place.path()) {
                Ok(names) => {
                    for (bot, name) in &self.logged_in {
                        if !names.has_token_of(&self.names, name) {
                            self.lobby.remove(*bot);
                        }
                    }
                    self.clerk.send(ClerkNote::Names(names.iter().map(str::to_owned).collect()));
                    self.names = names;
                }
                Err(error) => log::error!("the names stay as they were: {error}"),
            }
        }
        // Which bots wait, since when, and which matches are played.
        let waiting = self.lobby.waiting().into_iter();
        let waiting = waiting
            .map(|(bot, since)| (self.logged_in[&bot].clone(), (self.start_since_1970 + since).as_secs()));
        let playing = self.bouts.values().map(|bout| (bout.planned.id.to_string(), bout.names.clone()));
        let lobby = LobbyState { waiting: waiting.collect(), playing: playing.collect() };
        if self.published.as_ref() != Some(&lobby) {
            self.clerk.send(ClerkNote::Lobby(lobby.clone()));
            self.published = Some(lobby);
        }
    }

    pub fn address(&self) -> SocketAddr {
        self.reception.listener.address()
    }
}
