//! The players of a record that belong to a team or to a program, and the log of each program.
//!
//! The `result.json` beside a record names the programs, if the match has left one; without it players are known by
//! their numbers and teams alone. Tested in `arena/cli/tests/records/` and in `arena/cli/tests/lockstep.rs`.

use std::path::Path;

use zappy_play::result::{ArenaResult, ProgramPart};
use zappy_play::setup::{PlayerName, log_name};
use zappy_protocol::record::{Entry, RecordLine, Seat};
use zappy_protocol::text::shown;
use zappy_protocol::{TeamName, Tick};
use zappy_server::result::LatePlayer;

use super::args::ShowArgs;
use super::files::Error;
use super::source::Source;

/// The longest `result.json` that is read, in bytes.
const RESULT_BYTES: u64 = 64 << 20;
/// The most teams, and players of each, that an error names.
const MOST_NAMED: usize = 100;
/// The file with the result beside a record.
const RESULT_FILE: &str = "result.json";

/// The programs of a match, and its result's facts about their players.
#[derive(Debug, Default)]
pub struct Programs {
    /// The logs of the programs that have one.
    logs: Vec<Log>,
    /// The players that were late.
    pub late: Vec<LatePlayer>,
    /// The seed of the match, its ticks, and whether its first place was drawn by lot.
    verdict: Option<(u64, Tick, bool)>,
}

/// The log of a program.
#[derive(Debug)]
pub struct Log {
    /// Its path, relative to the folder of the match.
    pub path: String,
    pub players: Vec<u32>,
    /// How many bytes the program had printed, and the tick at which it had, in order.
    pub ticks: Vec<(u64, Tick)>,
}

impl Programs {
    /// The programs of the match with this record; none if no result lies beside it.
    pub fn beside(record: &Path) -> Programs {
        let bytes =
            zappy_server::files::read(&record.with_file_name(RESULT_FILE), RESULT_BYTES).unwrap_or_default();
        let result = serde_json::from_slice::<ArenaResult>(&bytes).ok();
        let Some(result) = result else { return Programs::default() };
        let played = result.played();
        let verdict = played.map(|played| (played.seed, played.ticks, played.by_lot));
        let lockstep = played.and_then(|played| played.lockstep.as_ref());
        let late = lockstep.map(|lockstep| lockstep.late_players.clone()).unwrap_or_default();
        let teams = result.arena.map(|arena| arena.teams).unwrap_or_default();
        let programs = teams.into_iter().flat_map(|team| team.processes);
        let log = |program: ProgramPart| {
            Some(Log { path: program.log?, players: program.players, ticks: program.log_ticks })
        };
        Programs { logs: programs.filter_map(log).collect(), late, verdict }
    }

    /// Whether the first place of the match with that seed, which ended at that tick, was drawn by lot; `None` if the
    /// result is another match's, or isn't there.
    pub fn by_lot(&self, seed: u64, tick: Tick) -> Option<bool> {
        self.verdict.filter(|&(of, at, _)| (of, at) == (seed, tick)).map(|(.., by_lot)| by_lot)
    }

    /// The log of a player's program.
    pub fn log(&self, player: u32) -> Option<&Log> {
        self.logs.iter().find(|log| log.players.contains(&player))
    }

    /// The players with that number, or of the program with that log.
    ///
    /// # Errors
    /// There is no such program, or it had no player.
    pub fn players(&self, player: &PlayerName) -> Result<Vec<u32>, Error> {
        let name = match player {
            PlayerName::Number(number) => return Ok(vec![*number]),
            PlayerName::Log(name) => name,
        };
        match self.logs.iter().find(|log| log_name(&log.path) == name) {
            Some(log) if !log.players.is_empty() => Ok(log.players.clone()),
            Some(log) => Err(Error::Words(format!("{name} had no player; look into {}", log.path))),
            None if self.logs.is_empty() => Err(Error::Words(format!(
                "which players {name} had stands in the {RESULT_FILE} beside the record, which isn't there or doesn't tell; give a \
                 number, or --team TEAM"
            ))),
            None => {
                let all: Vec<&str> = self.logs.iter().map(|log| log_name(&log.path)).collect();
                Err(Error::Words(format!("there was no program {name}; there were {}", all.join(" "))))
            }
        }
    }
}

/// The players of the dialogues that the arguments ask for; `None` if the arguments ask for the story.
pub fn wanted(source: &Source, args: &ShowArgs, programs: &Programs) -> Result<Option<Vec<u32>>, Error> {
    if let Some(player) = &args.player {
        return programs.players(player).map(Some);
    }
    let Some(team) = &args.team else { return Ok(None) };
    let members = players_by_team(source)?.into_iter().find(|(name, _)| name == team);
    let known: Vec<&str> = source.header.teams.iter().map(TeamName::as_str).collect();
    members.map(|(_, players)| Some(players)).ok_or_else(|| {
        Error::Words(if known.contains(&team.as_str()) {
            format!("no player of {team} ever joined; look into its logs")
        } else {
            format!("there was no team {team}; there were {}", known.join(" "))
        })
    })
}

/// The players of each team in the order of joining, the teams in the header's order.
fn players_by_team(source: &Source) -> Result<Vec<(String, Vec<u32>)>, Error> {
    let known = source.header.teams.iter().map(|team| (team.to_string(), Vec::new()));
    let mut teams: Vec<(String, Vec<u32>)> = known.collect();
    source.read(&mut |_, text| {
        // Few lines are admissions, which have the mark + after the tick.
        if text.split(|&byte| byte == b' ').nth(1) == Some(b"+")
            && let Ok(RecordLine::Event(_, Entry::Admitted(Seat::Number(player), name))) =
                RecordLine::parse(text)
        {
            let name = String::from_utf8_lossy(name.trim_ascii());
            match teams.iter_mut().find(|(team, _)| *team == name) {
                Some((_, players)) => players.push(player),
                None => teams.push((name.into_owned(), vec![player])),
            }
        }
        true
    })?;
    teams.retain(|(_, players)| !players.is_empty());
    Ok(teams)
}

/// Refuses a player if none with its number ever joined.
pub fn check_joined(source: &Source, wanted: &[u32]) -> Result<(), Error> {
    let teams = players_by_team(source)?;
    let has = |player: &u32| teams.iter().any(|(_, players)| players.contains(player));
    let Some(&missing) = wanted.iter().find(|player| !has(player)) else { return Ok(()) };
    let had = teams.iter().take(MOST_NAMED).map(|(team, players)| {
        let named: Vec<String> = players.iter().take(MOST_NAMED).map(|player| format!("#{player}")).collect();
        let more = players.len().saturating_sub(MOST_NAMED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!("{} had {}{more}", shown(team.as_bytes()), named.join(" "))
    });
    let had: Vec<String> = had.collect();
    let had = if had.is_empty() { "no player ever joined".to_owned() } else { had.join("; ") };
    Err(Error::Words(format!("there was no player #{missing}; {had}")))
}
