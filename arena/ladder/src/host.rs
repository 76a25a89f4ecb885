//! The loop: the listener, the connections that wait, and the matches, all on one poll and in one thread.
//!
//! Does the lobby's errands, and decides nothing itself. Tested in `arena/cli/tests/ladder/`.

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
use crate::lobby::{Caller, Errand, Fixture, LadderLobby, MatchNumber, Rules, Said};
use crate::names::{Login, Tokens, WrongLogin};
use crate::reception::{MATCH_DESCRIPTORS, Reception, Waiting, least_descriptors};
use crate::season::{ENDED, Season, try_disk};

const LISTENER: Token = Token(0);
/// A token of the poll has the number of a match, 0 for the lobby, in front of this many bits with the number of the connection.
const KEY_BITS: u32 = 40;
/// Events taken from the system at once; the rest comes with the next poll.
const EVENTS: usize = 4_096;
/// The pause between two looks at what the poll doesn't report: new names, new ratings, and whether the operator stops the host.
const LOOK: Duration = Duration::from_millis(200);
/// Descriptors that a host wants besides those of waiting connections: of matches with their records.
const OTHER_DESCRIPTORS: usize = 16_384;
/// For each match the events of its connections.
type News = BTreeMap<MatchNumber, Vec<(Key, Ready)>>;

/// How a ladder is hosted.
#[derive(Debug)]
pub struct Hosting {
    pub rules: Rules,
    /// The file with the matches to be played instead of those that the lobby would choose.
    pub list: Option<PathBuf>,
    /// Whether running matches may be watched.
    pub shown: bool,
    /// Between two tables at least.
    pub merge_every: Duration,
    /// How long the bots of matches that were running when the host ended have to come back.
    pub patience: Duration,
}

/// A ladder that is played.
pub struct Host {
    poll: Poll,
    start: Instant,
    /// The time of the start since 1970.
    began: Duration,
    lobby: LadderLobby,
    names: Tokens,
    /// Changes whenever the file of the names does.
    stamp: Option<(SystemTime, u64)>,
    /// The names of the bots that have logged in.
    logged_in: HashMap<Id, String>,
    settings: BoutSettings,
    reception: Reception,
    bouts: BTreeMap<MatchNumber, Bout>,
    due: BTreeSet<(Duration, MatchNumber)>,
    clerk: Clerk,
    /// Matches that were played to their end.
    matches: u64,
    /// Lines that matches in lockstep waited for and that came.
    answers: u64,
    /// The most matches at the same time.
    most: usize,
    /// How long the host itself took for a turn of a match: to read, to play what could be played, to write.
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
    /// Its names can't be read, a list of matches names others, or the system failed.
    pub fn open(
        season: Season,
        mut listener: Listener,
        hosting: Hosting,
        games: Games,
    ) -> Result<Host, zappy_play::Error> {
        let (place, terms, bank) = (season.place.clone(), season.terms.clone(), season.bank.clone());
        let (port, patience, shown) = (listener.address().port(), hosting.patience, hosting.shown);
        let settings = BoutSettings { place, terms, bank, port, shown, patience };
        let names = Tokens::read(season.place.path())?;
        let stamp = Tokens::stamp(season.place.path());
        let list = hosting.list.as_deref();
        let fixtures = list.map(|path| fixtures::read(path, &names, &season)).transpose()?;
        let descriptors = raise_descriptor_limit(hosting.rules.most + OTHER_DESCRIPTORS);
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
        clerk.tell(ClerkNote::Names(names.iter().map(str::to_owned).collect()));
        let mut host = Host {
            poll,
            start: Instant::now(),
            began: SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default(),
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
            most: 0,
            turns: LatenessHistogram::default(),
            published: None,
            is_full: false,
        };
        cut_off.into_iter().for_each(|planned| host.go_on(planned, games));
        Ok(host)
    }

    /// Takes up a match that was running when the host ended.
    fn go_on(&mut self, planned: Planned, games: Games) {
        match Bout::go_on(&self.settings, planned.clone(), games, self.start.elapsed()) {
            Ok(bout) => {
                log::info!("match {} waits for its bots: {}", planned.id, bout.names.join(", "));
                let number = self.lobby.go_on(&planned.seats);
                self.due.insert((self.start.elapsed(), number));
                self.bouts.insert(number, bout);
            }
            Err(error) => {
                log::error!("a match can't go on: {error}");
                self.void(planned, "it couldn't go on");
            }
        }
    }

    /// Notes that a match is void; one of a list is played again.
    fn void(&mut self, planned: Planned, why: &'static str) {
        log::warn!("match {} is void: {why}", planned.id);
        if let Some(seed) = planned.seed {
            self.lobby.put_back(Fixture { bots: planned.seats.clone(), seed });
        }
        self.clerk.tell(ClerkNote::Void(Box::new(planned), why));
    }

    /// Hosts the ladder until `stop` says so, or until all matches of its list are over. Matches that are running then are void,
    /// unless their bots return.
    ///
    /// # Errors
    /// The system failed.
    pub fn run(mut self, mut stop: impl FnMut() -> bool) -> Result<(), zappy_play::Error> {
        let mut events = Events::with_capacity(EVENTS);
        let mut looked = Duration::ZERO;
        let all_begun = |lobby: &LadderLobby| lobby.fixtures.as_ref().is_some_and(Vec::is_empty);
        while !(stop() || all_begun(&self.lobby) && self.bouts.is_empty()) {
            let now = self.start.elapsed();
            let due = self.due.first().map(|(at, _)| *at);
            let next =
                [due, self.lobby.next_deadline(), self.reception.listener.next(now), Some(looked + LOOK)];
            let next = next.into_iter().flatten().min().unwrap_or(now);
            match self.poll.poll(&mut events, Some(next.saturating_sub(now))) {
                Err(error) if error.kind() == ErrorKind::Interrupted => events.clear(),
                polled => polled.map_err(failed("can't wait for sockets"))?,
            }
            let now = self.start.elapsed();
            let mut news = News::new();
            let mut spoke = Vec::new();
            events.iter().for_each(|event| self.sort_event(event, &mut news, &mut spoke));
            self.accept(now, &mut spoke);
            self.lobby.advance(now);
            spoke.into_iter().for_each(|guest| self.read_logins(now, guest));
            self.carry_out(now);
            self.take_turns(now, &news);
            self.reception.close_expired(now);
            if now >= looked + LOOK {
                looked = now;
                self.refresh();
            }
        }
        for Bout { planned, names, .. } in std::mem::take(&mut self.bouts).into_values() {
            if !names.iter().all(|name| self.names.returns(name)) {
                self.clerk.tell(ClerkNote::Void(Box::new(planned), ENDED));
            }
        }
        self.clerk.finish();
        self.reception.log_the_rest();
        if self.matches > 0 {
            let Host { answers, most, .. } = self;
            let (matches, time) = (many(self.matches, "match"), self.start.elapsed());
            let [median, slow] = [50.0, 99.0].map(|share| self.turns.percentile(share));
            let took = format!("{median:?} (median), {slow:?} (99 of 100) for a turn of one");
            log::info!(
                "{matches} in {time:.0?}, {most} at once at the most, {answers} answers; the host took {took}"
            );
        }
        Ok(())
    }

    /// Notes an event of the poll: a new connection, news of a match, or a connection of the lobby that has sent something.
    fn sort_event(&mut self, event: &Event, news: &mut News, spoke: &mut Vec<Caller>) {
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
        let guest = Caller(key as u64);
        let Some(waiting) = self.reception.guests.get_mut(&guest) else { return };
        // A bot that has left is paired with no other.
        if ended && !self.lobby.may_log_in(guest) || broken {
            self.drop_guest(guest);
        } else {
            waiting.readable |= event.is_readable();
            spoke.push(guest);
        }
    }

    fn drop_guest(&mut self, guest: Caller) {
        self.lobby.leave(guest);
        self.reception.close(guest);
    }

    fn accept(&mut self, now: Duration, spoke: &mut Vec<Caller>) {
        let playing: usize = self.bouts.values().map(|bout| bout.open() + MATCH_DESCRIPTORS).sum();
        let room = self.reception.room(playing);
        for (guest, peer) in self.reception.accept(now, self.poll.registry()) {
            if let Some(why) = self.lobby.arrive(now, guest, peer.ip(), room) {
                self.reception.note_full(now, peer, why);
            }
            spoke.push(guest);
        }
    }

    /// Reads a connection's first line, and the next ones as long as they are refused.
    fn read_logins(&mut self, now: Duration, guest: Caller) {
        while self.lobby.may_log_in(guest) {
            let line = match self.reception.read_line(guest) {
                Ok(Some(line)) => line,
                Ok(None) => return,
                Err(_) => return self.drop_guest(guest),
            };
            let said = match self.names.login(&line) {
                Ok(Login::Plays(name, token)) => {
                    if let Some(waiting) = self.reception.guests.get_mut(&guest) {
                        waiting.token = token.into();
                    }
                    self.logged_in.entry(id_of(name)).or_insert_with(|| name.to_owned());
                    Said::Plays(id_of(name))
                }
                Ok(Login::Watches(name)) if self.settings.shown => Said::Watches(id_of(name)),
                Ok(Login::Watches(name)) => {
                    self.reception.note_refused(now, guest, Some(name), "--no-watching");
                    Said::Wrong
                }
                Err(WrongLogin { name, why }) => {
                    self.reception.note_refused(now, guest, name, why);
                    Said::Wrong
                }
            };
            let bouts = &self.bouts;
            let room = |number, bot| bouts.get(&number).is_some_and(|bout: &Bout| bout.has_room(bot));
            self.lobby.log_in(now, guest, said, room);
            // Whether it finds room depends on those before it.
            self.carry_out(now);
        }
    }

    /// Does what the lobby wants.
    fn carry_out(&mut self, now: Duration) {
        while let Some(action) = self.lobby.next_errand() {
            match action {
                Errand::Refuse(guest) => {
                    self.reception.say_ko(guest);
                    self.read_logins(now, guest);
                }
                Errand::Dismiss(guest, bot, why) => {
                    let name = bot.map(|bot| self.logged_in[&bot].as_str());
                    self.reception.dismiss(now, guest, name, why);
                }
                Errand::Drop(guest) => self.reception.close(guest),
                Errand::Begin(number, bots, seed, players) => self.begin(now, number, bots, seed, players),
                Errand::Join(guest, number, bot) => self.hand_over(now, guest, number, Some(bot)),
                Errand::Watch(guest, number) => self.hand_over(now, guest, number, None),
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
        let room = if self.is_full { try_disk(&self.settings.place) } else { Ok(()) };
        match room.and_then(|()| Bout::begin(&self.settings, &names, seed, players, now)) {
            Ok(bout) => {
                self.is_full = false;
                log::info!("match {} begins: {}", bout.planned.id, names.join(", "));
                self.bouts.insert(number, bout);
                self.most = self.most.max(self.bouts.len());
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

    /// Hands a connection to a match. Where that couldn't begin it is closed without an answer, since nothing is wrong with its name.
    fn hand_over(&mut self, now: Duration, guest: Caller, number: MatchNumber, plays: Option<Id>) {
        let Some(bout) = self.bouts.get_mut(&number) else { return self.drop_guest(guest) };
        let Some(peer) = self.reception.guests.get(&guest).map(|waiting| waiting.peer) else { return };
        let name = plays.map_or(OBSERVER_NAME, |bot| &self.logged_in[&bot]);
        let Some(key) = bout.admit(peer, plays.is_some()) else {
            let why = match plays {
                Some(_) => "its match has no room for one more connection",
                None => "too many watch that match, or too many of its address do",
            };
            return self.reception.dismiss(now, guest, plays.map(|_| name), why);
        };
        let Some(Waiting { mut stream, unread, token, .. }) = self.reception.guests.remove(&guest) else {
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

    /// Lets the matches go on of which there is news, or which are due.
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
            let (is_over, void) = (bout.is_over(), bout.void(now));
            self.is_full |= void == Some(UNWRITTEN);
            if let Some(why) = void
                && let Some(Bout { planned, .. }) = self.bouts.remove(&number)
            {
                self.void(planned, why);
            }
            if void.is_some() || is_over {
                self.lobby.end(now, number);
                self.carry_out(now);
            }
            let Some(bout) = self.bouts.get(&number) else { continue };
            if bout.is_done() {
                self.finish(now, number);
            } else if let Some(at) = bout.next() {
                self.due.insert((at, number));
            }
        }
    }

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
        self.clerk.tell(ClerkNote::Over(Box::new(finished)));
    }

    /// Takes in new ratings and names, which the poll doesn't report, and publishes the state of the lobby.
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
                    self.clerk.tell(ClerkNote::Names(names.iter().map(str::to_owned).collect()));
                    self.names = names;
                }
                Err(error) => log::error!("the names stay as they were: {error}"),
            }
        }
        // Which bots wait, since when, and which matches are played.
        let waiting = self.lobby.waiting().into_iter();
        let waiting =
            waiting.map(|(bot, since)| (self.logged_in[&bot].clone(), (self.began + since).as_secs()));
        let playing = self.bouts.values().map(|bout| (bout.planned.id.to_string(), bout.names.clone()));
        let lobby = LobbyState { waiting: waiting.collect(), playing: playing.collect() };
        if self.published.as_ref() != Some(&lobby) {
            self.clerk.tell(ClerkNote::Lobby(lobby.clone()));
            self.published = Some(lobby);
        }
    }

    pub fn address(&self) -> SocketAddr {
        self.reception.listener.address()
    }
}
