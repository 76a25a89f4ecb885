//! Matches that a team loses by a fault against the others, whatever the server's ranking is.
//!
//! Reads `result.json` alone. Tested in this module and in `arena/cli/tests/tournament/`.

use zappy_play::result::ArenaPart;
use zappy_server::result::MatchResult;

use super::outcome::{BotEnd, Intervention, Seat};

/// Ranks each team that the others waited for during half of the match or more behind the teams that aren't blamed,
/// which share rank 1: no team escapes a defeat by thinking until the match is cut off. Gives the cause, and the
/// winner's seat if only one team isn't blamed; `None` if no team kept the others waiting so long, or if all did.
pub(super) fn punish_stalling(
    arena: &ArenaPart,
    played: &MatchResult,
    seats: &mut [Seat],
) -> Option<(Intervention, Option<usize>)> {
    let half_match = arena.seconds? / 2.0;
    let waits = played.lockstep.as_ref().map(|lockstep| &lockstep.kept_waiting[..]).unwrap_or_default();
    let waited_for =
        |seat: &Seat| waits.iter().any(|wait| wait.team == seat.team && wait.seconds as f64 >= half_match);
    let blamed: Vec<bool> = seats.iter().map(waited_for).collect();
    let innocent = blamed.iter().filter(|&&blamed| !blamed).count();
    if innocent == 0 || innocent == seats.len() {
        return None;
    }
    for (seat, blamed) in seats.iter_mut().zip(&blamed) {
        if *blamed && seat.end == BotEnd::Played {
            seat.end = BotEnd::Late;
            seat.end_detail = Some("the others waited for it until the match was cut off".to_owned());
        }
    }
    Some((Intervention::Stalled, rank_behind(seats, &blamed)))
}

/// Ranks the teams that committed a foul (logged in under another name, or told a program to stop) behind the others,
/// which share rank 1. Gives the cause and the winner's seat, as [`rank_behind`] does; `None` if no team did.
pub(super) fn punish_fouls(arena: &ArenaPart, seats: &mut [Seat]) -> Option<(Intervention, Option<usize>)> {
    let blamed: Vec<bool> = arena.teams.iter().map(|team| team.foul.is_some()).collect();
    blamed.contains(&true).then(|| (Intervention::Foul, rank_behind(seats, &blamed)))
}

/// Ranks the blamed teams behind the others. Gives the winner's seat, if only one team isn't blamed. If all are blamed
/// the ranking stays, so that no losing team can make the match a draw by a foul.
fn rank_behind(seats: &mut [Seat], blamed: &[bool]) -> Option<usize> {
    let innocent = blamed.iter().filter(|&&blamed| !blamed).count();
    if innocent == 0 {
        let is_first = |seat: &Seat| seat.rank == 1;
        let is_sole = seats.iter().filter(|seat| is_first(seat)).count() == 1;
        return seats.iter().position(is_first).filter(|_| is_sole);
    }
    for (seat, &blamed) in seats.iter_mut().zip(blamed) {
        seat.rank = if blamed { innocent as u64 + 1 } else { 1 };
    }
    blamed.iter().position(|&blamed| !blamed).filter(|_| innocent == 1)
}

#[cfg(test)]
mod tests {
    use zappy_server::result::KeptWaiting;

    use super::*;
    use crate::identity::Id;
    use zappy_play::result::ArenaResult;

    fn team(name: &str, rank: u64) -> Seat {
        Seat {
            bot: Id::parse("0123456789abcdef").unwrap(),
            team: name.to_owned(),
            rank,
            score: 0,
            details: serde_json::Map::new(),
            late: 0,
            refused: 0,
            dropped: 0,
            end: BotEnd::Played,
            end_detail: None,
        }
    }

    fn result(fouls: [Option<&str>; 3], waits: &[(&str, u64)]) -> (ArenaPart, MatchResult) {
        let team = |foul: &Option<&str>| {
            serde_json::json!({
                "team": "", "seed": 1, "command": "", "started": 0, "limit_broken": null, "foul": foul, "processes": [],
            })
        };
        let result = serde_json::json!({
            "server_version": "0", "game": "zappy", "rules_version": 1, "record_version": 2, "seed": 7,
            "configuration": {
                "width": 5, "height": 5, "frequency": 100, "max_frequency": 100, "auto_start": true,
                "max_ticks": null, "clock": "lockstep", "teams": [],
            },
            "ticks": 900, "winner": null, "winners": [], "reason": "stopped", "ranking": [],
            "by_lot": false, "teams": [], "reproducible": false, "not_reproducible": [], "lockstep": {
                "think_time_ms": 1, "wait_players": 2, "max_late": 10, "late": 0, "late_players": [],
                "kept_waiting": [], "silent_connections": 0, "joint_admissions": 0,
            },
            "lateness": { "ticks": 0, "p50_us": 0, "p99_us": 0, "max_us": 0 }, "record_complete": true,
            "arena": {
                "version": "0", "outcome": "timed_out", "in_process": false, "error": null, "seconds": 100.5,
                "leaving_seconds": 0.0, "server": null, "teams": fouls.iter().map(team).collect::<Vec<_>>(),
                "connections_from_outside": 0, "connections_not_let_in": 0, "orphans_ended": 0, "orphans_left": 0,
            },
        });
        let result: ArenaResult = serde_json::from_value(result).unwrap();
        let mut played = result.played().unwrap().clone();
        let waits = waits.iter().map(|&(team, seconds)| KeptWaiting { team: team.to_owned(), seconds });
        played.lockstep.as_mut().unwrap().kept_waiting = waits.collect();
        (result.arena.unwrap(), played)
    }

    #[test]
    fn who_kept_the_others_waiting_until_the_match_was_cut_off_ranks_behind_them() {
        let cut_off = |waits: &[(&str, u64)]| {
            let (arena, played) = result([None; 3], waits);
            let mut seats = vec![team("ada", 1), team("bob", 2), team("eve", 3)];
            let blamed = punish_stalling(&arena, &played, &mut seats);
            (blamed, seats.iter().map(|seat| (seat.rank, seat.end)).collect::<Vec<_>>())
        };
        let (blamed, seats) = cut_off(&[("ada", 60)]);
        assert_eq!(blamed, Some((Intervention::Stalled, None)));
        assert_eq!(seats, [(3, BotEnd::Late), (1, BotEnd::Played), (1, BotEnd::Played)]);
        let (blamed, seats) = cut_off(&[("ada", 60), ("eve", 99)]);
        assert_eq!(blamed, Some((Intervention::Stalled, Some(1))));
        assert_eq!(seats, [(2, BotEnd::Late), (1, BotEnd::Played), (2, BotEnd::Late)]);
        for waits in [&[][..], &[("bob", 50)], &[("ada", 60), ("bob", 60), ("eve", 60)]] {
            let (blamed, seats) = cut_off(waits);
            let as_they_were: Vec<(u64, BotEnd)> = (1..=3).map(|rank| (rank, BotEnd::Played)).collect();
            assert_eq!((blamed, seats), (None, as_they_were), "{waits:?}");
        }
    }

    #[test]
    fn a_team_under_another_name_ranks_behind_the_others() {
        let judged = |fouls: [Option<&str>; 3]| {
            let mut seats = vec![team("ada", 1), team("bob", 2), team("eve", 3)];
            let blamed = punish_fouls(&result(fouls, &[]).0, &mut seats);
            (blamed, seats.iter().map(|seat| seat.rank).collect::<Vec<_>>())
        };
        let said = Some("a program of it said that it was of bob");
        assert_eq!(judged([None; 3]), (None, vec![1, 2, 3]));
        assert_eq!(judged([said, None, None]), (Some((Intervention::Foul, None)), vec![3, 1, 1]));
        assert_eq!(judged([said, None, said]), (Some((Intervention::Foul, Some(1))), vec![2, 1, 2]));
        assert_eq!(judged([said; 3]), (Some((Intervention::Foul, Some(0))), vec![1, 2, 3]), "no draw");
    }
}
