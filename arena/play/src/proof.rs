//! Whether a match's record proves its result: it is whole, of this very match, and the same when it is played again.
//! And which teams stood behind, by the record, when something else than the arena ended the match.
//!
//! Reads the record and nothing else. Tested in `arena/cli/tests/endings.rs`, `arena/cli/tests/tournament/proof.rs` and
//! `arena/cli/tests/tournament/signals.rs`.

use std::path::Path;

use zappy_game::Report;
use zappy_protocol::record::{Header, read_head};
use zappy_server::games::GameTable;
use zappy_server::record::{Verified, judge, match_of, read_file, standings};
use zappy_server::result::MatchResult;

/// A match that something else than the arena ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suspicion {
    /// What happened, in words for people.
    pub why: String,
    /// The indices of the teams that stood behind and so gained by the end; empty if all teams were contained.
    pub gained: Vec<usize>,
}

impl Suspicion {
    /// `how`: what happened, in words. Teams that gained are looked for in the record only if bots were `uncontained`,
    /// so that they could have ended the match.
    pub fn new(how: &str, uncontained: bool, record: &Path, games: GameTable) -> Suspicion {
        let report = || standings(&read(record).ok()?, games).ok();
        let Some(report) = uncontained.then(report).flatten() else {
            let suspects = if uncontained { ", as any of its teams could" } else { "" };
            return Suspicion { why: format!("{how}{suspects}"), gained: Vec::new() };
        };
        let teams: Vec<&str> = report.teams.iter().map(|team| team.team.as_str()).collect();
        // Two teams between which a lot decides stand level: neither of them is behind.
        let even = if report.verdict.by_lot { 2 } else { 1 };
        let behind = report.verdict.standings.iter().filter(|standing| standing.rank > even);
        let mut gained: Vec<usize> =
            behind.filter_map(|standing| teams.iter().position(|team| *team == standing.team)).collect();
        gained.sort_unstable();
        let names: Vec<&str> = gained.iter().map(|&team| teams[team]).collect();
        let who = if names.is_empty() { "none of them".to_owned() } else { names.join(" and ") };
        let (could, ticks) = (teams.join(" or "), report.ticks);
        let gain = if names.is_empty() { "" } else { ", and gained by it" };
        let why = format!("{how}, as {could} could; {who} stood behind at tick {ticks}{gain}");
        Suspicion { why, gained }
    }
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    read_file(path).map_err(|error| format!("can't be read: {error}"))
}

/// Whether the record proves that result: it is whole, of this very match, and the same when it is played again.
///
/// # Errors
/// Why it doesn't, in words that go on after "its record".
pub fn prove(path: &Path, games: GameTable, result: &MatchResult) -> Result<(), String> {
    replay(&read(path)?, games, result).map(|_| ())
}

/// Plays the record of that result again. Gives its header, what the replay has verified, and the game's report.
fn replay(
    bytes: &[u8],
    games: GameTable,
    result: &MatchResult,
) -> Result<(Header, Verified, Report), String> {
    let header = read_head(bytes).map_err(|error| format!("is none: {error}"))?.header;
    if header.seed != result.seed || header.game != result.game {
        return Err("is that of another match".to_owned());
    }
    let (verified, report) = judge(bytes, games).map_err(|error| format!("doesn't verify: {error}"))?;
    if !verified.complete || result.record_complete == Some(false) || verified.ticks != result.ticks {
        return Err(format!("ends at tick {} of {}", verified.ticks, result.ticks));
    }
    Ok((header, verified, report))
}

/// As [`prove`], for a record's bytes; also compares each part of the result that the record can tell. Teams for which
/// `guilty` holds haven't won, whatever they reached. Gives what the replay has verified.
///
/// # Errors
/// As for [`prove`].
pub fn prove_bytes(
    bytes: &[u8],
    games: GameTable,
    result: &MatchResult,
    guilty: &dyn Fn(&str) -> bool,
) -> Result<Verified, String> {
    let (header, verified, report) = replay(bytes, games, result)?;
    let spec = match_of(&header, games).map_err(|error| format!("can't be played: {error}"))?;
    let mut replayed = MatchResult::new(&spec, report, None, result.lateness);
    replayed.winner = replayed.winner.filter(|team| !guilty(team));
    replayed.winners.retain(|team| !guilty(team));
    let differences = [
        ("a reason", replayed.reason != result.reason),
        ("winners", replayed.winners != result.winners || replayed.winner != result.winner),
        ("a ranking", replayed.ranking != result.ranking || replayed.by_lot != result.by_lot),
        ("teams", replayed.teams != result.teams),
    ];
    match differences.iter().find(|(_, differs)| *differs) {
        Some((what, _)) => Err(format!("tells {what} that the result doesn't")),
        None => Ok(verified),
    }
}
