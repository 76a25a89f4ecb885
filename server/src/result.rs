//! The result of a match as a JSON file: what was played, how it ended, and what each team did.
//!
//! The field names are a contract with the programs that read results; fields are added, never renamed. The file
//! is written whole or not at all. Tested in this module and by the socket tests.

use std::collections::BTreeMap;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use zappy_protocol::Tick;
use zappy_protocol::record::FORMAT_VERSION;

use crate::net::{ENDLESS, LatenessHistogram, LockstepReport};
use zappy_game::config::{Clock, MAX_FREQUENCY};
use zappy_game::{Conduct, MatchSpec, Report};

mod file;
pub use crate::net::{LateMoment, LatePlayer, MissingClient};
pub use file::ResultFile;

/// Everything that the file `--result` says of a match.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MatchResult {
    pub server_version: String,
    pub game: String,
    /// The version of the game's rules.
    pub rules_version: u32,
    /// The version of the record format.
    pub record_version: u32,
    /// Where all chance came from.
    pub seed: u64,
    /// The map, the teams, the options and the limits of the match.
    pub configuration: Configuration,
    /// How many ticks were played.
    pub ticks: Tick,
    /// The winner, if there is one; of several the one that is first in the standings.
    pub winner: Option<String>,
    /// The teams that share the victory; empty if no team has won.
    pub winners: Vec<String>,
    /// Why the match ended, one word of the game's; `running` while the match goes on.
    pub reason: String,
    /// The teams' names, the best first.
    pub ranking: Vec<String>,
    /// Whether rank 1 was drawn by lot.
    pub by_lot: bool,
    /// The teams in the order of the command line.
    pub teams: Vec<TeamResult>,
    /// Whether the same programs play the same match again with the same seed, as far as the server can see. That holds in
    /// lockstep, if no player was late and every input came in its round. Whether each program does the same when it has
    /// read the same only a second match shows, if `cmp` finds both records equal; `zappy_arena match --twice` does that.
    pub reproducible: bool,
    /// The causes if the match isn't reproducible, in words; empty if it is.
    pub not_reproducible: Vec<String>,
    /// Which players were late, and the limits; `None` under the real clock, and of a match that had ended when its server was
    /// killed, so that its result was written by another one.
    pub lockstep: Option<LockstepResult>,
    /// How punctual the server was.
    pub lateness: Lateness,
    /// Whether the record is whole; `None` if no record was asked for.
    pub record_complete: Option<bool>,
    /// The ticks at which the match was resumed after its server had been killed; missing if it never was.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resumed: Vec<Tick>,
    /// The players for which no client came when it was resumed last; missing if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing_clients: Vec<MissingClient>,
}

/// The configuration of a match, as results tell it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Configuration {
    /// Tiles from west to east.
    pub width: u16,
    /// Tiles from north to south.
    pub height: u16,
    /// Ticks per second at the start.
    pub frequency: u32,
    /// The greatest frequency that may be asked for.
    pub max_frequency: u32,
    /// Whether clients were let in without `/start`.
    pub auto_start: bool,
    /// The tick at which the match ends by itself.
    pub max_ticks: Option<u64>,
    /// The clock by which the match ran.
    pub clock: String,
    /// The teams in their order.
    pub teams: Vec<String>,
    /// The game's own options, with `_` for `-` in their names.
    #[serde(flatten)]
    pub options: Map<String, Value>,
}

/// One team, as results tell it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TeamResult {
    pub name: String,
    /// Its rank, from 1; several teams may share one.
    pub rank: u32,
    /// Its score, in the game's own unit.
    pub score: i64,
    pub conduct: Conduct,
    /// What only this game tells.
    #[serde(flatten)]
    pub details: Map<String, Value>,
}

/// What a result tells of the lockstep clock.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LockstepResult {
    /// How long the server waited for a seat's line, in milliseconds; `None`: as long as it took.
    pub think_time_ms: Option<u64>,
    /// How many players the server waited for before the first tick.
    pub wait_players: usize,
    /// How often a seat could be late before it was ended.
    pub max_late: u32,
    /// How often players were late, in all.
    pub late: u32,
    /// The players that were late, in the order of joining.
    pub late_players: Vec<LatePlayer>,
    /// How long each team took to answer, in the order of the command line; none of a team that never played, and none at
    /// all where no time passes, in one process.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub think_times: Vec<TeamThinking>,
    /// The teams that the others waited for, if it was for 10 seconds or longer.
    pub kept_waiting: Vec<KeptWaiting>,
    /// Connections that did not say a name in time.
    pub silent_connections: u32,
    /// How often several connections of one team came in together after the beginning. Chance decides which of
    /// them gets which egg, so the match is reproducible only if they all play alike; the server can't see that.
    pub joint_admissions: u32,
}

/// The shortest wait that a result names, in seconds. Shorter waits are noise and would make equal matches differ.
const LONG_WAIT_SECONDS: u64 = 10;

/// A team that the others waited for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct KeptWaiting {
    pub team: String,
    /// For how many seconds in all.
    pub seconds: u64,
}

/// How long a team took to answer: from when a player owed a line, having been sent its answers, to that line. A player
/// that was late counts with the time for which it was waited for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TeamThinking {
    pub team: String,
    #[serde(flatten)]
    /// The think times of all its players together.
    pub all: ThinkTimes,
    /// The think times of each of its players, in the order of joining.
    pub players: Vec<PlayerThinking>,
}

/// How long a player took to answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlayerThinking {
    pub player: u32,
    #[serde(flatten)]
    pub times: ThinkTimes,
}

/// Think times in microseconds, each rounded up by at most a quarter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ThinkTimes {
    /// Lines that were asked for.
    pub answers: u64,
    /// The time that half of them didn't exceed.
    pub p50_us: u64,
    /// The time that 99 of 100 of them didn't exceed.
    pub p99_us: u64,
    /// The greatest time, as it was.
    pub max_us: u64,
    /// For how many milliseconds the others waited in all. Of a team, time in which they waited for several of its
    /// players counts once.
    pub waited_ms: u64,
}

impl ThinkTimes {
    fn new(times: &LatenessHistogram, waited: Duration) -> ThinkTimes {
        let Lateness { ticks: answers, p50_us, p99_us, max_us } = times.into();
        let waited_ms = u64::try_from(waited.as_millis()).unwrap_or(u64::MAX);
        ThinkTimes { answers, p50_us, p99_us, max_us, waited_ms }
    }
}

/// How long each team took to answer, in the order of the groups; teams that never answered are left out.
fn think_times(report: &LockstepReport) -> Vec<TeamThinking> {
    let mut teams: BTreeMap<u32, (String, LatenessHistogram, Vec<PlayerThinking>)> = BTreeMap::new();
    for (thinking, player) in report.thinking.iter().zip(0..) {
        let (_, all, players) = teams
            .entry(thinking.group)
            .or_insert_with(|| (thinking.name.clone(), LatenessHistogram::default(), Vec::new()));
        all.merge(&thinking.times);
        players.push(PlayerThinking { player, times: ThinkTimes::new(&thinking.times, thinking.waited) });
    }
    let teams = teams.into_iter().filter(|(_, (_, all, _))| all.worst() > Duration::ZERO);
    let teams = teams.map(|(group, (team, all, players))| {
        let waited = report.kept_waiting.get(&group).map_or(Duration::ZERO, |kept| kept.time);
        TeamThinking { team, all: ThinkTimes::new(&all, waited), players }
    });
    teams.collect()
}

impl LockstepResult {
    /// The part of a result that the shell's report makes.
    pub fn new(report: &LockstepReport) -> LockstepResult {
        let kept_waiting = report.kept_waiting.values();
        let kept_waiting =
            kept_waiting.map(|kept| KeptWaiting { team: kept.name.clone(), seconds: kept.time.as_secs() });
        LockstepResult {
            think_time_ms: Some(report.settings.think_time)
                .filter(|time| *time < ENDLESS)
                .map(|time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX)),
            wait_players: report.settings.wait_players,
            max_late: report.settings.max_late,
            late: report.late.iter().map(|player| player.late).sum(),
            late_players: report.late.clone(),
            think_times: think_times(report),
            kept_waiting: kept_waiting.filter(|kept| kept.seconds >= LONG_WAIT_SECONDS).collect(),
            silent_connections: report.silent,
            joint_admissions: report.joint,
        }
    }
}

/// How late due ticks were run, in microseconds of the real clock.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Lateness {
    /// Ticks at which something was due.
    pub ticks: u64,
    /// The delay that half of these ticks didn't exceed.
    pub p50_us: u64,
    /// The delay that 99 of 100 of these ticks didn't exceed.
    pub p99_us: u64,
    /// The longest delay, in microseconds.
    pub max_us: u64,
}

impl From<&LatenessHistogram> for Lateness {
    fn from(lateness: &LatenessHistogram) -> Lateness {
        let micros = |time: Duration| u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        Lateness {
            ticks: lateness.total(),
            p50_us: micros(lateness.percentile(50.0)),
            p99_us: micros(lateness.percentile(99.0)),
            max_us: micros(lateness.worst()),
        }
    }
}

impl Configuration {
    /// The configuration of a match, for its result.
    pub fn new(spec: &MatchSpec) -> Configuration {
        let config = &spec.config;
        // A number or a switch where the text is one.
        let value = |text: &str| match text {
            "on" => true.into(),
            "off" => false.into(),
            text => text.parse::<u64>().map_or_else(|_| text.into(), Value::from),
        };
        Configuration {
            width: config.map.width(),
            height: config.map.height(),
            frequency: config.frequency.get(),
            max_frequency: MAX_FREQUENCY,
            auto_start: config.auto_start,
            max_ticks: config.max_ticks,
            clock: config.clock.name().to_owned(),
            teams: config.teams.iter().map(ToString::to_string).collect(),
            options: spec.options.iter().map(|(key, text)| (key.replace('-', "_"), value(text))).collect(),
        }
    }
}

impl MatchResult {
    /// The result of a match of which no record was asked for.
    pub fn new(
        spec: &MatchSpec,
        report: Report,
        lockstep: Option<&LockstepReport>,
        lateness: Lateness,
    ) -> MatchResult {
        let not_reproducible = match (lockstep, spec.config.clock) {
            (Some(report), _) => report.causes(),
            (None, Clock::Real) => vec![format!("it was played by the {} clock", Clock::Real.name())],
            (None, Clock::Lockstep) => {
                vec!["its server was killed and didn't say whether all players were in time".to_owned()]
            }
        };
        let winners: Vec<String> = report.verdict.winners().map(str::to_owned).collect();
        let standings = &report.verdict.standings;
        let standing = |team: &str| standings.iter().find(|standing| standing.team == team);
        let teams = report.teams.into_iter().map(|team| TeamResult {
            rank: standing(&team.team).map_or(0, |standing| standing.rank),
            score: standing(&team.team).map_or(0, |standing| standing.score),
            name: team.team,
            conduct: team.conduct,
            details: team.details,
        });
        MatchResult {
            server_version: env!("CARGO_PKG_VERSION").to_owned(),
            game: spec.game.name.to_owned(),
            rules_version: spec.game.rules_version,
            record_version: FORMAT_VERSION,
            seed: spec.config.seed,
            configuration: Configuration::new(spec),
            ticks: report.ticks,
            winner: winners.first().cloned(),
            winners,
            reason: report.verdict.reason.to_owned(),
            ranking: standings.iter().map(|standing| standing.team.clone()).collect(),
            by_lot: report.verdict.by_lot,
            teams: teams.collect(),
            reproducible: not_reproducible.is_empty(),
            not_reproducible,
            lockstep: lockstep.map(LockstepResult::new),
            lateness,
            record_complete: None,
            resumed: Vec::new(),
            missing_clients: Vec::new(),
        }
    }

    /// The result of a match that was resumed at these ticks, the last time without clients for these players.
    #[must_use]
    pub fn resumed(mut self, ticks: Vec<Tick>, missing: &[MissingClient]) -> MatchResult {
        // In lockstep these causes are among those of the clock.
        if self.lockstep.is_none() {
            self.not_reproducible.extend(ticks.iter().map(|tick| format!("it was resumed at tick {tick}")));
        }
        (self.resumed, self.missing_clients) = (ticks, missing.to_vec());
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::GAMES;
    use zappy_game::config::MatchConfig;
    use zappy_game::{Input, SeatId};
    use zappy_protocol::{MapSize, TeamName};

    #[test]
    fn a_result_says_what_each_player_did_and_comes_back() {
        let teams = vec![TeamName::parse(b"red").unwrap()];
        let config = MatchConfig { seed: 7, ..MatchConfig::new(MapSize::new(5, 4).unwrap(), teams) };
        let spec = MatchSpec::new(&GAMES[0], config);
        let mut game = spec.begin().unwrap();
        let lines: [&[u8]; 6] = [b"red", b"Forward", b"Forward", b"oops", b"Take gold", b"Look"];
        game.handle_input(0, SeatId(0), Input::Open);
        lines.iter().for_each(|line| game.handle_input(10, SeatId(0), Input::Line(line)));
        for tick in [17, 24, 31, 38, 136, 262] {
            game.handle_timeout(tick);
        }
        let result = MatchResult::new(&spec, game.report(), None, Lateness::default());
        let text = serde_json::to_vec(&result).unwrap();
        assert_eq!(serde_json::from_slice::<MatchResult>(&text).unwrap(), result);
        let json: Value = serde_json::from_slice(&text).unwrap();
        assert_eq!(
            (&json["seed"], &json["configuration"]["width"], &json["ticks"]),
            (&7.into(), &5.into(), &262.into())
        );
        assert_eq!(
            (&json["configuration"]["clients"], &json["configuration"]["display_eggs"]),
            (&6.into(), &false.into())
        );
        let player = &json["teams"][0]["players"][0];
        assert_eq!(player["commands"], serde_json::json!({"Forward": 2, "Look": 1, "Take": 1}));
        assert_eq!(
            (&player["unknown"], &player["refused"], &player["food"]),
            (&1.into(), &2.into(), &7.into())
        );
        assert_eq!(player["longest_silence"], 262 - 38);
        let conduct = Conduct {
            joined: 1,
            commands: 4,
            unknown: 1,
            refused: 2,
            silence: 262 - 38,
            ..Conduct::default()
        };
        assert_eq!(result.teams[0].conduct, conduct);
        assert_eq!(json["winner"], Value::Null);
    }
}
