//! Matches that are lost by what a team did to the others, whatever the server's ranking says.
//!
//! Reads `result.json` alone. Tested in this module and in `tests/tournament/`.

use serde_json::Value;

use super::outcome::{End, Ending, Seat};

/// Nobody escapes a defeat by thinking for as long as it may until the match is cut off: whoever was waited for
/// during half of it or more ranks behind those who weren't, and among these nothing is decided. None if that is
/// true of nobody, or of all.
pub(super) fn stalled(result: &Value, seats: &mut [Seat]) -> Option<(Ending, Option<usize>)> {
    let half = result["arena"]["seconds"].as_f64()? / 2.0;
    let kept = || result["lockstep"]["kept_waiting"].as_array().into_iter().flatten();
    let waited_for = |seat: &Seat| {
        let own = kept().find(|kept| kept["team"].as_str() == Some(&seat.team));
        own.and_then(|kept| kept["seconds"].as_f64()).is_some_and(|seconds| seconds >= half)
    };
    let blamed: Vec<bool> = seats.iter().map(waited_for).collect();
    let innocent = blamed.iter().filter(|&&blamed| !blamed).count();
    if innocent == 0 || innocent == seats.len() {
        return None;
    }
    for (seat, _) in
        seats.iter_mut().zip(&blamed).filter(|(seat, blamed)| **blamed && seat.end == End::Played)
    {
        seat.end = End::Late;
        seat.end_detail = Some("the others waited for it until the match was cut off".to_owned());
    }
    Some((Ending::Stalled, put_behind(seats, &blamed)))
}

/// Who came as what it isn't ranks behind those who didn't, and among these nothing is decided. None if nobody did.
pub(super) fn foul(result: &Value, seats: &mut [Seat]) -> Option<(Ending, Option<usize>)> {
    let fouls = (0..seats.len()).map(|place| result["arena"]["teams"][place]["foul"].is_string());
    let blamed: Vec<bool> = fouls.collect();
    blamed.contains(&true).then(|| (Ending::Foul, put_behind(seats, &blamed)))
}

/// Ranks those who are blamed behind the others. Gives the winner, if there is only one of the others.
fn put_behind(seats: &mut [Seat], blamed: &[bool]) -> Option<usize> {
    let innocent = blamed.iter().filter(|&&blamed| !blamed).count();
    for (seat, &blamed) in seats.iter_mut().zip(blamed) {
        seat.rank = if blamed { innocent as u64 + 1 } else { 1 };
    }
    blamed.iter().position(|&blamed| !blamed).filter(|_| innocent == 1)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::tournament::identity::Id;

    fn team(name: &str, rank: u64) -> Seat {
        Seat {
            bot: Id::parse("0123456789abcdef").unwrap(),
            team: name.to_owned(),
            rank,
            levels: [6, 0, 0, 0, 0, 0, 0, 0],
            highest: 1,
            born: 6,
            alive: 6,
            late: 0,
            refused: 0,
            dropped: 0,
            end: End::Played,
            end_detail: None,
        }
    }

    #[test]
    fn who_kept_the_others_waiting_until_the_match_was_cut_off_ranks_behind_them() {
        let cut_off = |waits: &[(&str, u64)]| {
            let waits: Value = waits.iter().map(|(team, s)| json!({ "team": team, "seconds": s })).collect();
            let result = json!({ "arena": { "seconds": 100.5 }, "lockstep": { "kept_waiting": waits } });
            let mut seats = vec![team("ada", 1), team("bob", 2), team("eve", 3)];
            let over = stalled(&result, &mut seats);
            (over, seats.iter().map(|seat| (seat.rank, seat.end)).collect::<Vec<_>>())
        };
        let (over, seats) = cut_off(&[("ada", 60)]);
        assert_eq!(over, Some((Ending::Stalled, None)));
        assert_eq!(seats, [(3, End::Late), (1, End::Played), (1, End::Played)]);
        let (over, seats) = cut_off(&[("ada", 60), ("eve", 99)]);
        assert_eq!(over, Some((Ending::Stalled, Some(1))));
        assert_eq!(seats, [(2, End::Late), (1, End::Played), (2, End::Late)]);
        for nobody in [&[][..], &[("bob", 50)], &[("ada", 60), ("bob", 60), ("eve", 60)]] {
            let (over, seats) = cut_off(nobody);
            let as_they_were: Vec<(u64, End)> = (1..=3).map(|rank| (rank, End::Played)).collect();
            assert_eq!((over, seats), (None, as_they_were), "{nobody:?}");
        }
    }

    #[test]
    fn who_came_as_what_it_is_not_ranks_behind_the_others() {
        let judged = |fouls: [Option<&str>; 3]| {
            let teams: Value = fouls.iter().map(|foul| json!({ "foul": foul })).collect();
            let mut seats = vec![team("ada", 1), team("bob", 2), team("eve", 3)];
            let over = foul(&json!({ "arena": { "teams": teams } }), &mut seats);
            (over, seats.iter().map(|seat| seat.rank).collect::<Vec<_>>())
        };
        let said = Some("a program of it said that it was of bob");
        assert_eq!(judged([None; 3]), (None, vec![1, 2, 3]));
        assert_eq!(judged([said, None, None]), (Some((Ending::Foul, None)), vec![3, 1, 1]));
        assert_eq!(judged([said, None, said]), (Some((Ending::Foul, Some(1))), vec![2, 1, 2]));
        assert_eq!(judged([said; 3]), (Some((Ending::Foul, None)), vec![1, 1, 1]));
    }
}
