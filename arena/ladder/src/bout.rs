//! A match that is played: the server's shell over connections that logged in at the lobby, with its record.
//!
//! A match has no process and no port of its own. Its clock begins at zero. Tested through `host`, in
//! `arena/cli/tests/ladder/`.

use std::fmt::Display;
use std::fs::{self, File};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

use mio::net::TcpStream;
use zappy_game::config::{Clock, MatchConfig, Observers};
use zappy_game::{Game, MatchSpec, Stand};
use zappy_play::folder::{RECORD, announce};
use zappy_play::world::Games;
use zappy_protocol::record::RecordLevel;
use zappy_protocol::{TeamName, Tick};
use zappy_server::net::{Bank, Key, Limits, Lockstep, Ready, Setup, Shell};
use zappy_server::record::{self, RecordFile, Recorder, Resumed, header};
use zappy_server::result::MatchResult;
use zappy_tournament::Error;
use zappy_tournament::identity::Id;
use zappy_tournament::ladder::id_of;
use zappy_tournament::place::{Place, clear, write_json_line};
use zappy_tournament::plan::{Planned, Terms};
use zappy_tournament::seeds::{Seed, Seeds, seal};
use zappy_tournament::single::UNFINISHED;

use crate::handed::HandedStream;
use crate::season::{Finished, PLANNED, SCRATCH};

/// The most connections that watch a match.
const MOST_OBSERVERS: usize = 64;
/// The most connections from one address that watch a match.
const MOST_OBSERVERS_OF_ADDRESS: usize = 16;
/// Why a match is void if its record couldn't be written.
pub const UNWRITTEN: &str = "its record couldn't be written";
/// How long a match waits before its beginning for players that were lost since they connected.
const LOST_PLAYERS_TIME: Duration = Duration::from_secs(1);
/// The console line that ends a match; connections can't send console lines.
const STOP_LINE: &[u8] = b"/quit";

/// A match that is played.
pub struct Bout {
    pub planned: Planned,
    /// The names of the bots, in the order of their seats.
    pub names: Vec<String>,
    shell: Shell<Recorder<Box<dyn Game>, RecordFile>, HandedStream<TcpStream>>,
    spec: MatchSpec,
    unfinished: PathBuf,
    /// The host's time when the match began.
    began: Duration,
    /// How many connections of each bot joined since the last turn, in the order of seats.
    joined: Vec<usize>,
    /// How many connections were ever let in.
    admitted: u64,
    /// The connections that watch, with their addresses.
    observers: Vec<(Key, IpAddr)>,
    /// The ticks at which the match went on after its host had ended.
    resumed: Vec<Tick>,
    /// When the bots of a match that goes on have to be back; `None` once all are.
    return_deadline: Option<Duration>,
    /// The announcement of the match to the site, which may watch as long as this file is open.
    _live: Option<File>,
}

/// The settings of all matches that a host plays.
pub struct BoutSettings {
    pub place: Place,
    pub terms: Terms,
    pub bank: Bank,
    /// The host's port, at which the site watches.
    pub port: u16,
    /// Whether running matches may be watched.
    pub is_watchable: bool,
    /// How long the bots of a match that goes on have to come back after the host's start.
    pub patience: Duration,
}

impl Bout {
    /// Begins a match between bots of these names, in the order of their seats; without a `fixed_seed` the seed is
    /// drawn. `players` is the number of connections that will join at once.
    ///
    /// # Errors
    /// No such match can be played, or its record can't be written.
    pub fn begin(
        settings: &BoutSettings,
        names: &[String],
        fixed_seed: Option<u64>,
        players: usize,
        now: Duration,
    ) -> Result<Bout, Error> {
        let BoutSettings { place, terms, .. } = settings;
        let ids: Vec<Id> = names.iter().map(|name| id_of(name)).collect();
        let drawn = || Seeds::draw(1).map(|seeds| seeds.sealed()[0]);
        let seed = fixed_seed.map_or_else(drawn, Ok);
        let seed = seed.map_err(|error| Error::Plan(format!("no seed can be drawn: {error}")))?;
        let planned_seed = fixed_seed.map_or_else(|| Seed::Sealed(seal(seed)), Seed::Open);
        let mut pair: Vec<Vec<u8>> = ids.iter().map(|id| id.bytes()).collect();
        pair.sort();
        let pair = Id::of([planned_seed.bytes()].into_iter().chain(pair));
        let planned = Planned::new(ids, pair, &planned_seed, terms);
        let teams = names.iter().filter_map(|name| TeamName::parse(name.as_bytes())).collect();
        let spec = terms.world.game(teams);
        let config = MatchConfig {
            seed,
            clock: Clock::parse(&terms.clock).unwrap_or(Clock::Lockstep),
            frequency: NonZeroU32::new(terms.freq).unwrap_or(spec.config.frequency),
            max_ticks: Some(terms.max_ticks),
            observers: Observers::ReadOnly,
            auto_start: true,
            publish: false,
            ..spec.config
        };
        let spec = MatchSpec { config, ..spec };
        let game = spec.begin().map_err(|error| refuse(&planned, error))?;
        let folder = place.unfinished(planned.id);
        let path = folder.join(UNFINISHED).join(RECORD);
        let failed = |error| Error::File(path.clone(), error);
        let begun = write_json_line(&folder.join(PLANNED), &planned)
            .and_then(|()| fs::create_dir_all(folder.join(UNFINISHED)).map_err(failed))
            .and_then(|()| RecordFile::open(&path).map_err(failed));
        let file = begun.inspect_err(|_| drop(clear(&folder)))?;
        let recorder = Recorder::new(game, file, &header(&spec, RecordLevel::Inputs));
        Bout::host(settings, planned, (spec, recorder, None), players, now)
    }

    /// Goes on with a match that was running when the host ended. Its clock stands still until its bots are back.
    ///
    /// # Errors
    /// Its record holds no match that can go on, or can't be written anew.
    pub fn resume(
        settings: &BoutSettings,
        planned: Planned,
        games: Games,
        now: Duration,
    ) -> Result<Bout, Error> {
        let path = settings.place.unfinished(planned.id).join(UNFINISHED).join(RECORD);
        let failed = |error| Error::File(path.clone(), error);
        let bytes = record::read_file(&path).map_err(failed)?;
        let new = path.with_extension("new");
        let mut file = RecordFile::open(&new).map_err(failed)?;
        file.empty().map_err(failed)?;
        let resumed = record::resume(&bytes, games.specs, Observers::ReadOnly, file);
        let Resumed { spec, recorder, stand } = resumed.map_err(|error| refuse(&planned, error))?;
        let teams = spec.config.teams.iter().map(|team| id_of(team.as_str()));
        if stand.players.is_empty() || recorder.is_finished() || !teams.eq(planned.seats.iter().copied()) {
            return Err(refuse(&planned, "nothing of it is left to be played"));
        }
        fs::rename(&new, &path).map_err(failed)?;
        let mut bout = Bout::host(settings, planned, (spec, recorder, Some(stand)), 0, now)?;
        bout.return_deadline = Some(now + settings.patience);
        Ok(bout)
    }

    /// The match with its shell and its announcement to the site.
    fn host(
        settings: &BoutSettings,
        planned: Planned,
        (spec, recorder, stand): (MatchSpec, Recorder<Box<dyn Game>, RecordFile>, Option<Stand>),
        players: usize,
        now: Duration,
    ) -> Result<Bout, Error> {
        let BoutSettings { place, terms, bank, port, is_watchable, .. } = settings;
        let names: Vec<String> = spec.config.teams.iter().map(|team| team.as_str().to_owned()).collect();
        let unfinished = place.unfinished(planned.id).join(UNFINISHED);
        let scratch = unfinished.join(SCRATCH);
        fs::create_dir_all(&scratch).map_err(|error| Error::File(scratch.clone(), error))?;
        let live = || announce(&scratch, SocketAddr::from((Ipv4Addr::LOCALHOST, *port)), &names[0]);
        let live = is_watchable.then(live).transpose();
        let live = live.inspect_err(|error| log::debug!("the site can't watch it: {error}")).ok().flatten();
        let limits = Limits { per_address: usize::MAX, ..Limits::default() };
        let lockstep = (spec.config.clock == Clock::Lockstep).then(|| Lockstep {
            wait_players: players,
            lobby_time: LOST_PLAYERS_TIME,
            think_time: Duration::from_millis(terms.think_time),
            max_late: terms.max_late,
            pace: None,
            step: false,
            stop_line: STOP_LINE.to_vec(),
        });
        let resumed = stand.as_ref().map_or(Vec::new(), |stand| stand.resumed.clone());
        let setup = Setup { limits, seed: spec.config.seed, lockstep, stand, ..Setup::default() };
        let mut shell = Shell::new(recorder, &setup).map_err(|error| refuse(&planned, error))?;
        shell.keep_bank(bank.clone());
        let (began, joined) = (now, vec![0; names.len()]);
        Ok(Bout {
            planned,
            names,
            shell,
            spec,
            unfinished,
            began,
            joined,
            admitted: 0,
            observers: Vec::new(),
            resumed,
            return_deadline: None,
            _live: live,
        })
    }

    /// Whether a bot has a slot for one more connection.
    pub fn has_room(&self, bot: Id) -> bool {
        let Some(seat) = self.planned.seats.iter().position(|one| *one == bot) else { return false };
        let missing = self.return_deadline.map_or(Vec::new(), |_| self.shell.missing_clients());
        let missing = missing.iter().filter(|one| one.team == self.names[seat]).count();
        !self.shell.is_over() && missing + self.shell.room(seat as u32) > self.joined[seat]
    }

    /// Why the match is void, if it is: it went on and its bots weren't back in time, or its record couldn't be
    /// written.
    pub fn void_reason(&self, now: Duration) -> Option<&'static str> {
        let is_late = self.return_deadline.is_some_and(|deadline| deadline <= now);
        let unwritten = self.shell.game.has_failed().then_some(UNWRITTEN);
        is_late.then_some("not all of its bots came back").or(unwritten)
    }

    /// A key for one more connection, which plays or watches; `None` if there is no room. Observers have limits of
    /// their own, so they can't keep players out.
    pub fn admit(&mut self, peer: SocketAddr, plays: bool) -> Option<Key> {
        self.observers.retain(|(key, _)| self.shell.holds(*key));
        let same = self.observers.iter().filter(|(_, address)| *address == peer.ip()).count();
        if !plays && (self.observers.len() >= MOST_OBSERVERS || same >= MOST_OBSERVERS_OF_ADDRESS) {
            return None;
        }
        let key = self.shell.admit(peer).ok()?;
        self.admitted += 1;
        if !plays {
            self.observers.push((key, peer.ip()));
        }
        Some(key)
    }

    /// How many of its connections are open.
    pub fn open_connections(&self) -> usize {
        self.admitted.saturating_sub(self.shell.closed()) as usize
    }

    /// Takes in a connection, which plays for the bot `plays`; `None`: it watches.
    pub fn join(
        &mut self,
        now: Duration,
        (key, peer): (Key, SocketAddr),
        stream: HandedStream<TcpStream>,
        plays: Option<Id>,
    ) {
        if let Some(seat) = self.planned.seats.iter().position(|one| Some(*one) == plays) {
            self.joined[seat] += 1;
        }
        self.shell.advance(now - self.began);
        self.shell.accept(key, stream, peer);
    }

    /// Takes in what the poll reported (`news`), plays on, and sends the answers.
    pub fn turn(&mut self, now: Duration, news: &[(Key, Ready)]) {
        self.shell.advance(now - self.began);
        news.iter().for_each(|&(key, ready)| self.shell.note_ready(key, ready));
        self.shell.serve();
        self.shell.flush();
        self.joined.fill(0);
        self.return_deadline = self.return_deadline.filter(|_| !self.shell.missing_clients().is_empty());
    }

    /// When its next turn has to begin at the latest, by the host's clock.
    pub fn next_turn(&self) -> Option<Duration> {
        self.shell.next_turn().map(|at| at + self.began).into_iter().chain(self.return_deadline).min()
    }

    /// Whether it is over for its bots, although lines may still be on their way.
    pub fn is_over(&self) -> bool {
        self.shell.is_over()
    }

    /// Whether it is over and all lines are sent.
    pub fn is_done(&self) -> bool {
        self.shell.finished().is_some()
    }

    /// Its result; `None` if its record couldn't be written.
    pub fn finish(self, now: Duration) -> Option<Finished> {
        let Bout { planned, mut shell, spec, unfinished, began, resumed, .. } = self;
        shell.log_remaining();
        let (lockstep, late) = (shell.lockstep().cloned(), (&shell.lateness).into());
        let (game, record) = shell.game.finish();
        let result = MatchResult::new(&spec, game.report(), lockstep.as_ref(), late);
        let result = MatchResult { record_complete: Some(record.is_ok()), ..result.resumed(resumed, &[]) };
        let record = record
            .inspect_err(|error| log::error!("match {}: it doesn't count, {error}", planned.id))
            .ok()?;
        Some(Finished { planned, result, record, unfinished, seconds: (now - began).as_secs_f64() })
    }
}

/// The error that this match can't be played.
fn refuse(planned: &Planned, why: impl Display) -> Error {
    Error::Plan(format!("match {}: {why}", planned.id))
}
