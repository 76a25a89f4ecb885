//! The clock that a match runs by, and the flags of the lockstep clock.
//!
//! The server checks the values of the flags; only their combinations are checked here. Tested in
//! `arena/cli/tests/refusals.rs`.

use std::ffi::OsString;
use std::time::Duration;

use clap::{Args, value_parser};
use zappy_game::config::{Clock, MAX_FREQUENCY};
use zappy_protocol::Tick;

use crate::Error;

/// Seconds that programs may take to connect, instead of the server's own default: a language's virtual machine starts
/// slowly, and twelve of them more so.
const DEFAULT_LOBBY_TIME: u64 = 30;
/// Added to one and a half times what a match's ticks take, as its default timeout.
const SPARE_TIME: Duration = Duration::from_secs(60);

/// The flags of a match's clock.
#[derive(Debug, Clone, Args)]
pub struct ClockArgs {
    /// What makes time pass. real: wall time. lockstep: a tick passes when all players have acted, so that seed and
    /// programs alone decide the match, and it takes as long as they think [default: real]
    #[arg(long, value_name = "CLOCK", value_parser = clock)]
    pub clock: Option<Clock>,
    /// In lockstep: milliseconds a player is waited for before it is late [default: 1000]
    #[arg(long, value_name = "MS", value_parser = value_parser!(u64).range(1..=3_600_000))]
    think_time: Option<u64>,
    /// In lockstep: players that the match waits for before it begins [default: one for each slot]
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=100_000))]
    wait_players: Option<u32>,
    /// In lockstep, and with --resume by either clock: seconds to wait for the others after the first player [default:
    /// 30]
    #[arg(long, value_name = "SECONDS", value_parser = value_parser!(u64).range(1..=86_400))]
    lobby_time: Option<u64>,
    /// In lockstep: a player that is late more often than this is ended [default: 10]
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(0..=1_000_000_000))]
    max_late: Option<u32>,
    /// In lockstep: ticks per second at the most [default: unlimited; with --observer: --freq]
    #[arg(long, value_name = "F", value_parser = value_parser!(u32).range(1..=i64::from(MAX_FREQUENCY)))]
    pace: Option<u32>,
}

fn clock(text: &str) -> Result<Clock, String> {
    Clock::parse(text).ok_or_else(|| "the clocks are real and lockstep".to_owned())
}

/// A clock and its settings; what isn't set is the server's default.
#[derive(Debug, Clone)]
pub struct ClockSetup {
    pub clock: Clock,
    /// The most ticks per second, in lockstep; `None`: no such limit, or the real clock.
    pub pace: Option<u32>,
    /// How long programs may take to come in, in lockstep and in a match that is resumed; zero if there is no limit, or
    /// if no program is waited for.
    pub lobby_time: Duration,
    /// Whether --wait-players named how many players the match waits for.
    has_wait_players: bool,
    /// The server's flags with their values.
    flags: Vec<(&'static str, String)>,
}

/// The value of the server's flags that means that there is no limit.
const NO_LIMIT: &str = "none";
/// How long a player may think, in milliseconds, and how often it may be late, by default.
const DEFAULT_THINK: (u64, u32) = (1_000, 10);

impl ClockArgs {
    /// The first given flag that means something only in a match that waits for its players.
    pub fn first_waiting_flag(&self) -> Option<&'static str> {
        let given = [("--wait-players", self.wait_players.is_some()), ("--pace", self.pace.is_some())];
        self.first_limit().or_else(|| given.into_iter().find_map(|(flag, given)| given.then_some(flag)))
    }

    /// The clock that the flags ask for. `watched`: ticks per second for an observer, if one watches. `patience`: how
    /// long programs are waited for. `resumes`: the match goes on from a record, so programs are waited for by either
    /// clock.
    ///
    /// # Errors
    /// A flag that means nothing under the real clock, or a limit beside --debug or --step.
    pub fn setup(
        &self,
        watched: Option<u32>,
        patience: Patience,
        resumes: bool,
    ) -> Result<ClockSetup, Error> {
        let endless = matches!(patience, Patience::Unlimited(_));
        if let (Patience::Unlimited(unlimited), Some(limit)) = (patience, self.first_limit()) {
            let why = "the first waits for every program as long as it takes, in lockstep";
            return Err(Error::Contradiction(unlimited, limit, why));
        }
        let clock =
            self.clock.unwrap_or(if patience == Patience::Limited { Clock::Real } else { Clock::Lockstep });
        let lockstep = clock == Clock::Lockstep;
        let pace = self.pace.or(watched.filter(|_| lockstep));
        let has_lobby = lockstep || resumes;
        let endless_lobby = has_lobby && self.lobby_time.is_none() && patience != Patience::Limited;
        let lobby_time = self.lobby_time.or((has_lobby && !endless_lobby).then_some(DEFAULT_LOBBY_TIME));
        let no_limit_if = |yes: bool| yes.then(|| NO_LIMIT.to_owned());
        let flags: Vec<(&'static str, String)> = [
            ("--think-time", self.think_time.map(|ms| ms.to_string()).or(no_limit_if(endless))),
            ("--wait-players", self.wait_players.map(|count| count.to_string())),
            ("--lobby-time", lobby_time.map(|seconds| seconds.to_string()).or(no_limit_if(endless_lobby))),
            ("--max-late", self.max_late.map(|count| count.to_string())),
            ("--pace", pace.map(|pace| pace.to_string())),
        ]
        .into_iter()
        .filter_map(|(flag, value)| Some((flag, value?)))
        .collect();
        let needs_lockstep = flags.iter().find(|(flag, _)| !(resumes && *flag == "--lobby-time"));
        if let Some((flag, _)) = needs_lockstep.filter(|_| !lockstep) {
            return Err(Error::NeedsLockstep(flag));
        }
        let lobby_time = Duration::from_secs(lobby_time.unwrap_or(0));
        Ok(ClockSetup { clock, pace, lobby_time, has_wait_players: self.wait_players.is_some(), flags })
    }

    /// The first given flag that is a limit on how long programs take.
    fn first_limit(&self) -> Option<&'static str> {
        let given = [
            ("--clock real", self.clock == Some(Clock::Real)),
            ("--think-time", self.think_time.is_some()),
            ("--lobby-time", self.lobby_time.is_some()),
            ("--max-late", self.max_late.is_some()),
        ];
        given.into_iter().find_map(|(flag, given)| given.then_some(flag))
    }

    /// How long a match may take: `given` seconds, or `default` and what a longer --think-time may add, once for each
    /// time that a player may be late.
    ///
    /// # Errors
    /// The match would be cut off while a player may still think.
    pub fn timeout(&self, given: Option<u64>, default: Duration) -> Result<Duration, Error> {
        let think = self.think_time.map(Duration::from_millis);
        match (given.map(Duration::from_secs), think) {
            (Some(given), Some(think)) if given <= think => Err(Error::Contradiction(
                "--timeout",
                "--think-time",
                "the match would be cut off while a player may still think; give more seconds to --timeout than --think-time has",
            )),
            (Some(given), _) => Ok(given),
            (None, think) => {
                let (usual, late) = DEFAULT_THINK;
                let more = think.unwrap_or_default().saturating_sub(Duration::from_millis(usual));
                Ok(default
                    .saturating_add(more.saturating_mul(self.max_late.unwrap_or(late).saturating_add(1))))
            }
        }
    }
}

/// How long programs are waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Patience {
    /// As long as the flags or their defaults say.
    Limited,
    /// Until they have come in, however long that takes: people start them.
    UnlimitedLobby,
    /// As long as anything takes, since they are debugged; this is the flag that asks for it.
    Unlimited(&'static str),
}

impl ClockSetup {
    /// The real clock: wall time.
    pub fn real() -> ClockSetup {
        ClockSetup {
            clock: Clock::Real,
            pace: None,
            lobby_time: Duration::ZERO,
            has_wait_players: false,
            flags: Vec::new(),
        }
    }

    /// The lockstep clock, with milliseconds to think, seconds for programs to come in, and how often a player may
    /// be late.
    pub fn lockstep(think_time: u64, lobby_time: u64, max_late: u32) -> ClockSetup {
        let flags =
            [("--think-time", think_time), ("--lobby-time", lobby_time), ("--max-late", max_late.into())];
        let flags = flags.map(|(flag, value)| (flag, value.to_string())).to_vec();
        let lobby_time = Duration::from_secs(lobby_time);
        ClockSetup { clock: Clock::Lockstep, pace: None, lobby_time, has_wait_players: false, flags }
    }

    /// Whether no tick passes before a player has come for each slot, or the lobby's time is over.
    pub fn waits_for_all(&self) -> bool {
        self.clock == Clock::Lockstep && !self.has_wait_players
    }

    pub fn arguments(&self) -> Vec<OsString> {
        let clock = ["--clock".into(), self.clock.name().into()];
        clock.into_iter().chain(self.flags()).collect()
    }

    /// The server's flags but for `--clock`, each followed by its value.
    pub fn flags(&self) -> impl Iterator<Item = OsString> {
        self.flags.iter().flat_map(|(flag, value)| [flag.into(), value.into()])
    }

    /// The clock in a few words.
    pub fn describe(&self, freq: u32) -> String {
        match (self.clock, self.pace) {
            (Clock::Real, _) => format!("{freq} ticks/s"),
            (Clock::Lockstep, None) => "in lockstep".to_owned(),
            (Clock::Lockstep, Some(pace)) => format!("in lockstep at {pace} ticks/s at most"),
        }
    }

    /// How long a match may take by default: one and a half times its ticks at the pace or at `freq`, a minute, and the
    /// time for programs to come in. In lockstep that is far more than punctual programs need.
    pub fn default_timeout(&self, max_ticks: Tick, freq: u32) -> Duration {
        let seconds = max_ticks / u64::from(self.pace.unwrap_or(freq).max(1));
        let spare = SPARE_TIME + self.lobby_time;
        Duration::from_secs(seconds.saturating_add(seconds / 2)).saturating_add(spare)
    }
}
