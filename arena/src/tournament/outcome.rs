//! What came of a match: how it ended, and how each bot did and behaved, from a closed list.
//!
//! Made of `result.json` alone, and holds no time of any clock: in lockstep the same match gives the same bytes.
//! Tested in this module and in `tests/tournament/`.

use std::collections::BTreeMap;

use rustix::process::Signal;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use zappy_protocol::Tick;

use super::blame;
use super::bots::Book;
use super::identity::Id;
use super::plan::Planned;
use crate::play::result::Outcome as Over;
use crate::programs::limits::Limits;

/// What the launcher reports for a program that can't be run.
const NOT_RUN: i64 = 127;

/// How a match ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// A team reached the top.
    Elevation,
    /// Its ticks were over.
    Time,
    /// Nobody was left alive.
    Extinction,
    /// No bot was left.
    Stopped,
    /// It took too long by the clock on the wall.
    OutOfTime,
    /// It took too long because a team kept the others waiting.
    Stalled,
    /// A team came as what it isn't.
    Foul,
}

/// How a bot came through a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// As it should.
    Played,
    /// Its programs ended before any player of it had joined.
    FailedToStart,
    /// A program ended badly and took players with it.
    Crashed,
    /// Players were ended for being late too often.
    Late,
    /// It said more lines that are no command than commands, or a name that isn't its own.
    ProtocolViolation,
    /// A program used more than it was allowed.
    KilledByLimit,
    /// Its programs ran, but no player joined.
    NeverJoined,
}

impl End {
    /// Its word in results.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            End::Played => "played",
            End::FailedToStart => "failed_to_start",
            End::Crashed => "crashed",
            End::Late => "late",
            End::ProtocolViolation => "protocol_violation",
            End::KilledByLimit => "killed_by_limit",
            End::NeverJoined => "never_joined",
        }
    }
}

/// One team.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seat {
    /// Who it was.
    pub bot: Id,
    /// What it was called.
    pub team: String,
    /// Its place, from 1; 0 if there is no ranking.
    pub rank: u64,
    /// Living players on each level at the end, from 1 to 8.
    pub levels: [u64; 8],
    /// The highest level any of its players reached.
    pub highest: u64,
    /// Players who joined.
    pub born: u64,
    /// Players alive at the end.
    pub alive: u64,
    /// How often its players were late.
    pub late: u64,
    /// Commands refused.
    pub refused: u64,
    /// Lines dropped because ten commands waited.
    pub dropped: u64,
    /// How it came through.
    pub end: End,
    /// More about that, in words.
    pub end_detail: Option<String>,
}

/// One match.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// The format's version.
    pub version: u32,
    /// The match.
    pub id: Id,
    /// How it ended.
    pub outcome: Ending,
    /// Ticks played.
    pub ticks: Tick,
    /// The seat that won.
    pub winner: Option<usize>,
    /// Whether the first place was drawn by lot.
    pub by_lot: bool,
    /// Whether the same bots play it again so.
    pub reproducible: bool,
    /// Why something that depends on time touched it, in words.
    pub disturbed: Vec<String>,
    /// The teams in their order.
    pub seats: Vec<Seat>,
    /// Whether its record was played again and proved; none if that wasn't tried.
    pub verified: Option<bool>,
}

impl Outcome {
    /// Whether something that depends on time touched it.
    #[must_use]
    pub fn is_disturbed(&self) -> bool {
        !self.disturbed.is_empty()
    }
}

/// What `result.json` says of a match that was over in that way.
///
/// # Errors
/// In words, when it doesn't say enough.
pub fn distil(
    result: &Map<String, Value>,
    over: Over,
    planned: &Planned,
    book: &Book,
) -> Result<Outcome, String> {
    let result = &Value::Object(result.clone());
    let missing = |what: &str| format!("the server's result doesn't say {what}");
    let outcome = match (over, result["reason"].as_str()) {
        (Over::TimedOut, _) => Ending::OutOfTime,
        (_, Some("elevation")) => Ending::Elevation,
        (_, Some("time")) => Ending::Time,
        (_, Some("extinction")) => Ending::Extinction,
        (_, Some("stopped")) => Ending::Stopped,
        (_, reason) => return Err(format!("the server gives {reason:?} as the reason for the match's end")),
    };
    let ticks = result["ticks"].as_u64().ok_or_else(|| missing("how many ticks it took"))?;
    let teams = result["teams"].as_array().filter(|teams| teams.len() == planned.seats.len());
    let teams = teams.ok_or_else(|| missing("how all teams did"))?;
    let seats = planned.seats.iter().zip(teams).enumerate();
    let mut seats: Vec<Seat> = seats
        .map(|(place, (&bot, team))| {
            let limits = book.bot(bot).map_or(Limits::DEFAULT, |bot| bot.limits.or(Limits::DEFAULT));
            seat(bot, team, &result["arena"]["teams"][place], &result["lockstep"], limits)
        })
        .collect();
    let winner = result["winner"].as_str().filter(|_| outcome != Ending::OutOfTime);
    let winner = winner.and_then(|name| seats.iter().position(|seat| seat.team == name));
    let stalled = (outcome == Ending::OutOfTime).then(|| blame::stalled(result, &mut seats)).flatten();
    let (outcome, winner) = blame::foul(result, &mut seats).or(stalled).unwrap_or((outcome, winner));
    Ok(Outcome {
        version: 1,
        id: planned.id,
        outcome,
        ticks,
        winner,
        by_lot: result["by_lot"].as_bool().unwrap_or(false),
        reproducible: result["reproducible"].as_bool().unwrap_or(false),
        disturbed: disturbed(result, planned),
        seats,
        verified: None,
    })
}

/// In lockstep the server says itself why a match isn't reproducible. By the wall's clock none is, and one is
/// disturbed in which more than one due tick in a hundred came half a tick late.
fn disturbed(result: &Value, planned: &Planned) -> Vec<String> {
    if planned.clock == "lockstep" {
        let causes = result["not_reproducible"].as_array().into_iter().flatten();
        return causes.filter_map(Value::as_str).map(str::to_owned).collect();
    }
    let late = result["lateness"]["p99_us"].as_u64().unwrap_or(0);
    let half_tick = 500_000 / u64::from(planned.freq.max(1));
    if late > half_tick { vec!["the server was late".to_owned()] } else { Vec::new() }
}

fn seat(bot: Id, team: &Value, seen: &Value, lockstep: &Value, limits: Limits) -> Seat {
    let name = team["name"].as_str().unwrap_or_default();
    let players = || team["players"].as_array().into_iter().flatten();
    let sum = |key: &str| players().filter_map(|player| player[key].as_u64()).sum();
    let late_players = || {
        let all = lockstep["late_players"].as_array().into_iter().flatten();
        all.filter(|player| player["team"].as_str() == Some(name))
    };
    let mut levels = [0; 8];
    for (level, count) in levels.iter_mut().zip(team["levels"].as_array().into_iter().flatten()) {
        *level = count.as_u64().unwrap_or(0);
    }
    let born = team["born"].as_u64().unwrap_or(0);
    let processes: Vec<Process> =
        seen["processes"].as_array().into_iter().flatten().map(Process::read).collect();
    let count = |fate: &str| players().filter(|player| player["fate"].as_str() == Some(fate)).count();
    let commands = players().filter_map(|player| player["commands"].as_object());
    let commands: u64 = commands.flat_map(Map::values).filter_map(Value::as_u64).sum();
    let behaviour = Behaviour {
        born,
        left: count("left"),
        expelled: late_players().filter(|player| player["expelled"].as_bool() == Some(true)).count(),
        unknown: sum("unknown"),
        commands,
        broken: seen["limit_broken"].as_str().map(str::to_owned),
        foul: seen["foul"].as_str().map(str::to_owned),
        limits,
    };
    let (end, end_detail) = behaviour.judge(&processes);
    Seat {
        bot,
        team: name.to_owned(),
        rank: team["rank"].as_u64().unwrap_or(0),
        levels,
        highest: team["highest_level"].as_u64().unwrap_or(0),
        born,
        alive: team["alive"].as_u64().unwrap_or(0),
        late: late_players().filter_map(|player| player["late"].as_u64()).sum(),
        refused: sum("refused"),
        dropped: sum("dropped"),
        end,
        end_detail,
    }
}

/// How a program ended by itself; one that was told to is no news.
#[derive(Debug, Clone, Default)]
struct Process {
    code: Option<i64>,
    signal: Option<i64>,
    seconds: f64,
}

impl Process {
    fn read(process: &Value) -> Process {
        let end = &process["end"];
        if end["by_arena"].as_bool() != Some(false) {
            return Process::default();
        }
        let seconds = end["seconds"].as_f64().unwrap_or(0.0);
        Process { code: end["code"].as_i64(), signal: end["signal"].as_i64(), seconds }
    }

    fn ended(&self) -> bool {
        self.code.is_some() || self.signal.is_some()
    }

    fn ended_badly(&self) -> bool {
        self.signal.is_some() || self.code.is_some_and(|code| code != 0)
    }

    fn used_up(&self, cpu_seconds: u64) -> bool {
        let is = |signal: Signal| self.signal == Some(signal.as_raw().into());
        // One that doesn't care for the first signal gets another a second later.
        is(Signal::XCPU) || is(Signal::KILL) && self.seconds > cpu_seconds as f64
    }

    fn words(&self) -> String {
        match (self.code, self.signal) {
            (Some(code), _) => format!("exit code {code}"),
            (_, Some(signal)) => format!("signal {signal}"),
            _ => "still running".to_owned(),
        }
    }
}

/// What is judged.
struct Behaviour {
    born: u64,
    left: usize,
    expelled: usize,
    unknown: u64,
    commands: u64,
    /// The limit that the whole team broke.
    broken: Option<String>,
    /// What it did wrong at the server's door.
    foul: Option<String>,
    limits: Limits,
}

impl Behaviour {
    /// The limit of the kernel's for which a process was ended.
    fn limited(&self, bad: &[&Process]) -> Option<String> {
        let Limits { cpu_seconds, disk_mib, .. } = self.limits;
        let cpu = cpu_seconds.filter(|&limit| bad.iter().any(|process| process.used_up(limit)));
        let xfsz = Some(Signal::XFSZ.as_raw().into());
        let disk = disk_mib.filter(|_| bad.iter().any(|process| process.signal == xfsz));
        let cpu = cpu.map(|limit| format!("a process used more than {limit} s of a processor"));
        cpu.or_else(|| disk.map(|limit| format!("a process wrote a file of more than {limit} MiB")))
    }

    fn judge(&self, processes: &[Process]) -> (End, Option<String>) {
        let bad: Vec<&Process> = processes.iter().filter(|process| process.ended_badly()).collect();
        if let Some(words) = &self.foul {
            return (End::ProtocolViolation, Some(words.clone()));
        }
        let broken = self.broken.as_ref().map(|words| format!("it used {words}"));
        if let Some(words) = broken.or_else(|| self.limited(&bad)) {
            return (End::KilledByLimit, Some(words));
        }
        let (end, words) = if self.born == 0 {
            let ends: Vec<&Process> = processes.iter().filter(|process| process.ended()).collect();
            match &ends[..] {
                [] => (End::NeverJoined, "it ran and nobody joined".to_owned()),
                ends if ends.iter().all(|end| end.code == Some(NOT_RUN)) => {
                    (End::FailedToStart, "its program can't be run".to_owned())
                }
                ends => (End::FailedToStart, format!("it ended before anybody joined: {}", tell(ends))),
            }
        } else if self.expelled > 0 {
            (End::Late, format!("{} ended for being late", players(self.expelled)))
        } else if self.unknown > self.commands {
            let Behaviour { unknown, commands, .. } = self;
            (End::ProtocolViolation, format!("{unknown} lines that are no command, {commands} commands"))
        } else if self.left > 0 && !bad.is_empty() {
            (End::Crashed, format!("{} left in the match: {}", players(self.left), tell(&bad)))
        } else {
            return (End::Played, None);
        };
        (end, Some(words))
    }
}

fn players(count: usize) -> String {
    format!("{count} player{}", if count == 1 { "" } else { "s" })
}

/// How they ended, each way once with how often; in no order of time.
fn tell(ends: &[&Process]) -> String {
    let mut ways: BTreeMap<String, usize> = BTreeMap::new();
    ends.iter().for_each(|end| *ways.entry(end.words()).or_default() += 1);
    let ways = ways.into_iter();
    let told = ways.map(|(way, n)| if n == 1 { way } else { format!("{way} ({n} times)") });
    told.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// How a team is judged whose players and processes these are, with a limit of 5 s.
    fn judged(players: &Value, ends: &[Value], late: &Value) -> (End, Option<String>) {
        let born = players.as_array().unwrap().len();
        let team = json!({ "name": "ada", "born": born, "players": players });
        let processes: Value = ends.iter().map(|end| json!({ "end": end })).collect();
        let seen = json!({ "processes": processes, "limit_broken": null });
        let limits = Limits { cpu_seconds: Some(5), disk_mib: Some(1), ..Limits::default() };
        let lockstep = json!({ "late_players": late });
        let seat = seat(Id::parse("0123456789abcdef").unwrap(), &team, &seen, &lockstep, limits);
        (seat.end, seat.end_detail)
    }

    fn player(fate: &str, commands: u64, unknown: u64) -> Value {
        json!({ "fate": fate, "commands": { "Look": commands }, "unknown": unknown })
    }

    fn end(code: Option<i64>, signal: Option<i64>, by_arena: bool) -> Value {
        json!({ "code": code, "signal": signal, "seconds": 6.5, "by_arena": by_arena })
    }

    #[test]
    fn every_end_has_its_signs() {
        let (alive, left) = (player("alive", 9, 0), player("left", 9, 0));
        let (ok, bad, told) =
            (end(Some(0), None, false), end(Some(1), None, false), end(None, Some(15), true));
        let late = json!([{ "team": "ada", "late": 11, "expelled": true }]);
        let forgiven = json!([{ "team": "ada", "late": 1, "expelled": false }]);
        let none = || json!([]);
        for (players, ends, late, wanted) in [
            (json!([alive]), vec![told.clone()], none(), End::Played),
            (json!([alive]), vec![bad.clone()], none(), End::Played),
            (json!([player("starved", 9, 3)]), vec![bad.clone()], forgiven, End::Played),
            (json!([left]), vec![ok.clone()], none(), End::Played),
            (json!([left, alive]), vec![ok.clone(), bad.clone()], none(), End::Crashed),
            (json!([left]), vec![end(None, Some(11), false)], none(), End::Crashed),
            (json!([left]), vec![end(None, Some(24), false)], none(), End::KilledByLimit),
            (json!([left]), vec![end(None, Some(9), false)], none(), End::KilledByLimit),
            (json!([]), vec![end(None, Some(25), false)], none(), End::KilledByLimit),
            (json!([player("expelled", 9, 0)]), vec![bad.clone()], late, End::Late),
            (json!([player("alive", 1, 2)]), vec![told.clone()], none(), End::ProtocolViolation),
            (json!([]), vec![ok, bad], none(), End::FailedToStart),
            (json!([]), vec![end(Some(127), None, false)], none(), End::FailedToStart),
            (json!([]), vec![told], none(), End::NeverJoined),
        ] {
            let (found, detail) = judged(&players, &ends, &late);
            assert_eq!(found, wanted, "{detail:?}");
            assert_eq!(detail.is_some(), found != End::Played);
            assert_eq!(serde_json::to_value(found).unwrap(), json!(found.word()));
        }
    }

    #[test]
    fn the_ways_programs_ended_are_counted() {
        let [one, two] = [1, 2].map(|code| end(Some(code), None, false));
        let (_, detail) = judged(&json!([player("left", 1, 0)]), &[two, one.clone(), one], &json!([]));
        assert_eq!(detail.unwrap(), "1 player left in the match: exit code 1 (2 times), exit code 2");
    }

    #[test]
    fn a_name_that_is_not_its_own_comes_before_all_else() {
        let said = Some("a program of it said that it was of bob");
        let seen = json!({ "processes": [], "foul": said, "limit_broken": "more" });
        let (id, left) = (Id::parse("0123456789abcdef").unwrap(), json!({ "born": 1, "players": [] }));
        let seat = seat(id, &left, &seen, &Value::Null, Limits::default());
        assert_eq!((seat.end, seat.end_detail.as_deref()), (End::ProtocolViolation, said));
    }
}
