//! Turns a `result.json` into the outcome that a tournament keeps of a match.
//!
//! Uses nothing but the result, and no wall-clock time in it: in lockstep the same match gives the same bytes. Tested
//! in this module and in `arena/cli/tests/tournament/`.

use std::collections::BTreeMap;

use serde_json::Value;
use zappy_game::{Conduct, GameSpec};
use zappy_play::os::Signal;
use zappy_play::programs::limits::Limits;
use zappy_play::result::{ArenaResult, Ending, ProgramEnd, TeamPart};
use zappy_protocol::Tick;
use zappy_protocol::text::{many, thousands};
use zappy_server::result::{LockstepResult, MatchResult, TeamResult};

use super::blame;
use super::bots::Book;
use super::identity::Id;
use super::outcome::{BotEnd, Cause, Intervention, Outcome, Seat};
use super::plan::Planned;

/// A bot is unresponsive if its clients could act for so many ticks before its end and sent nothing: three times as
/// long as the longest command takes.
const UNRESPONSIVE_TICKS: Tick = 1_000;
/// The exit code with which the launcher reports a program that can't be run.
const NOT_RUN_CODE: i32 = 127;

/// The outcome of a match, from its `result.json`.
///
/// # Errors
/// In words, what `result.json` lacks.
pub fn outcome_of(
    result: &ArenaResult,
    game: &GameSpec,
    planned: &Planned,
    book: &Book,
) -> Result<Outcome, String> {
    let (Some(played), Some(arena)) = (result.played(), &result.arena) else {
        return Err("the server left no result".to_owned());
    };
    let is_known = game.reasons.iter().any(|(word, _)| *word == played.reason);
    let mut cause = match arena.outcome {
        Ending::TimedOut => Cause::Arena(Intervention::OutOfTime),
        Ending::Unproved => Cause::Arena(Intervention::Unproved),
        _ if is_known => Cause::Game(played.reason.clone()),
        _ => return Err(format!("the server gives {:?} as the reason for the match's end", played.reason)),
    };
    if [played.teams.len(), arena.teams.len()] != [planned.seats.len(); 2] {
        return Err("the server's result doesn't say how all teams did".to_owned());
    }
    let teams = planned.seats.iter().zip(played.teams.iter().zip(&arena.teams));
    let seat = |(&bot, (team, programs))| {
        let limits = book.bot(bot).map_or(Limits::DEFAULT, |bot| bot.limits.or(Limits::DEFAULT));
        seat(bot, game, team, programs, played.lockstep.as_ref(), limits)
    };
    let mut seats: Vec<Seat> = teams.map(seat).collect();
    let unproved = cause == Cause::Arena(Intervention::Unproved);
    let names = played.winners.iter().filter(|_| cause.counts());
    let mut winners: Vec<usize> =
        names.filter_map(|name| seats.iter().position(|seat| seat.team == *name)).collect();
    let stalled = match cause {
        Cause::Arena(Intervention::OutOfTime) => blame::punish_stalling(arena, played, &mut seats),
        _ => None,
    };
    if unproved {
        seats.iter_mut().for_each(|seat| seat.rank = 0);
    } else if let Some((intervention, winner)) = blame::punish_fouls(arena, &mut seats).or(stalled) {
        (cause, winners) = (Cause::Arena(intervention), winner.into_iter().collect());
    }
    Ok(Outcome {
        version: 1,
        id: planned.id,
        cause,
        ticks: played.ticks,
        seed: planned.seed_sha256.as_ref().map(|_| played.seed),
        winner: winners.first().copied(),
        winners: if winners.len() > 1 { winners } else { Vec::new() },
        by_lot: played.by_lot && !unproved,
        reproducible: played.reproducible,
        disturbed: disturbed(played, planned),
        seats,
        earlier: None,
        gained: Vec::new(),
        spoiled_by: if unproved { spoilers(result) } else { Vec::new() },
        verified: arena.record_verified,
        unproved: arena.error.clone().filter(|_| unproved),
        record_sha256: None,
        sha256: None,
    })
}

/// The seats of the teams that may have spoiled the match by a foul, or by using more of the machine than they may.
pub(super) fn spoilers(result: &ArenaResult) -> Vec<usize> {
    let teams = result.arena.iter().flat_map(|arena| arena.teams.iter().enumerate());
    teams.filter(|(_, team)| team.foul.is_some() || team.limit_broken.is_some()).map(|(i, _)| i).collect()
}

/// What disturbed the match, in words; empty if nothing did. In lockstep the server itself says why a match isn't
/// reproducible. Under the real clock a match is disturbed if more than one due tick in a hundred came half a
/// tick late.
fn disturbed(result: &MatchResult, planned: &Planned) -> Vec<String> {
    if planned.clock == "lockstep" {
        return result.not_reproducible.clone();
    }
    let half_tick_us = 500_000 / u64::from(planned.freq.max(1));
    let late = (result.lateness.p99_us > half_tick_us).then(|| "the server was late".to_owned());
    result.resumed.iter().map(|tick| format!("it was resumed at tick {tick}")).chain(late).collect()
}

/// The seat of a bot: `team` is what the server says of its team, `programs` what the arena says of its programs.
fn seat(
    bot: Id,
    game: &GameSpec,
    team: &TeamResult,
    programs: &TeamPart,
    lockstep: Option<&LockstepResult>,
    limits: Limits,
) -> Seat {
    let late = lockstep.map(|lockstep| &lockstep.late_players[..]).unwrap_or_default();
    let late = || late.iter().filter(|player| player.team == team.name);
    let expelled = late().filter(|player| player.expelled).count() as u64;
    let (end, end_detail) = judge(team.conduct, programs, expelled, limits);
    let value = |key: &str| team.details.get(key).cloned().unwrap_or(Value::Null);
    Seat {
        bot,
        team: team.name.clone(),
        rank: team.rank.into(),
        score: team.score,
        details: game.columns.iter().map(|column| (column.name(), value(column.key))).collect(),
        late: late().map(|player| u64::from(player.late)).sum(),
        refused: team.conduct.refused,
        dropped: team.conduct.dropped,
        end,
        end_detail,
    }
}

/// How a bot's programs ended the match, and more about that in words. `expelled`: how many of its players were removed
/// for being late too often.
fn judge(conduct: Conduct, programs: &TeamPart, expelled: u64, limits: Limits) -> (BotEnd, Option<String>) {
    // If the arena ended a program, its exit code or signal is no fault of the program.
    let ends = programs.processes.iter().filter_map(|process| process.end.as_ref());
    let exits: Vec<&ProgramEnd> = ends.filter(|end| !end.by_arena).collect();
    let is_bad = |end: &&ProgramEnd| end.signal.is_some() || end.code.is_some_and(|code| code != 0);
    let bad: Vec<&ProgramEnd> = exits.iter().copied().filter(is_bad).collect();
    if let Some(words) = &programs.foul {
        return (BotEnd::ProtocolViolation, Some(words.clone()));
    }
    let broken = programs.limit_broken.as_ref().map(|words| format!("it used {words}"));
    let has_signal = |end: &ProgramEnd, signal: Signal| end.signal == Some(signal.as_raw());
    // The kernel sends SIGXCPU first, and SIGKILL one second later if the process survived that.
    let used_up = |end: &ProgramEnd, limit: u64| {
        has_signal(end, Signal::XCPU) || has_signal(end, Signal::KILL) && end.seconds > limit as f64
    };
    let cpu = limits.cpu_seconds.filter(|&limit| bad.iter().any(|end| used_up(end, limit)));
    let cpu = cpu.map(|limit| format!("a process used more than {limit} s of a processor"));
    let disk = limits.disk_mib.filter(|_| bad.iter().any(|end| has_signal(end, Signal::XFSZ)));
    let disk = disk.map(|limit| format!("a process wrote a file of more than {limit} MiB"));
    if let Some(words) = broken.or(cpu).or(disk) {
        return (BotEnd::KilledByLimit, Some(words));
    }
    let (end, words) = if conduct.joined == 0 {
        if let Some(name) = &programs.misnamed {
            let words = "it named a team that doesn't exist here:";
            (BotEnd::NeverJoined, format!("{words} {name}; the team stands behind -n"))
        } else if exits.is_empty() {
            (BotEnd::NeverJoined, "it ran and nobody joined".to_owned())
        } else if exits.iter().all(|end| end.code == Some(NOT_RUN_CODE)) {
            (BotEnd::FailedToStart, "its program can't be run".to_owned())
        } else if programs.came {
            let words = "it came to the server and ended before anybody joined:";
            (BotEnd::NeverJoined, format!("{words} {}", exit_words(&exits)))
        } else {
            (BotEnd::FailedToStart, format!("it ended before anybody joined: {}", exit_words(&exits)))
        }
    } else if expelled > 0 {
        (BotEnd::Late, format!("{} ended for being late", many(expelled, "player")))
    } else if conduct.unknown > conduct.commands {
        let (unknown, lines) = (conduct.unknown, many(conduct.unknown + conduct.commands, "line"));
        (BotEnd::ProtocolViolation, format!("{unknown} of {lines} were no command"))
    } else if conduct.left > 0 && !bad.is_empty() {
        (BotEnd::Crashed, format!("{} left in the match: {}", many(conduct.left, "player"), exit_words(&bad)))
    } else if conduct.commands == 0 && conduct.silence > 0 {
        (BotEnd::Unresponsive, "it never sent a command".to_owned())
    } else if conduct.silence >= UNRESPONSIVE_TICKS {
        (BotEnd::Unresponsive, format!("it sent nothing in its last {} ticks", thousands(conduct.silence)))
    } else {
        return (BotEnd::Played, None);
    };
    (end, Some(words))
}

/// How programs ended, in words: each exit code or signal once, with the number of its programs, whatever the order in
/// time.
fn exit_words(exits: &[&ProgramEnd]) -> String {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for end in exits {
        let way = match (end.code, end.signal) {
            (Some(code), _) => format!("exit code {code}"),
            (_, Some(signal)) => format!("signal {signal}"),
            _ => "no exit code".to_owned(),
        };
        *counts.entry(way).or_default() += 1;
    }
    let ways = counts.into_iter().map(|(way, n)| if n == 1 { way } else { format!("{way} ({n} times)") });
    ways.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use zappy_server::result::LatePlayer;

    use super::*;
    use zappy_play::result::{HeldBy, ProgramPart};

    /// The end of a team, given its conduct, the ends of its processes and how late its player was, with a limit of 5 s.
    fn judged(conduct: Conduct, ends: &[ProgramEnd], late: Option<(u32, bool)>) -> (BotEnd, Option<String>) {
        let seat = seat_of(conduct, ends, late, None);
        (seat.end, seat.end_detail)
    }

    fn team_part_of(ends: &[ProgramEnd], foul: Option<&str>) -> TeamPart {
        let process = |&end: &ProgramEnd| ProgramPart {
            log_ticks: Vec::new(),
            log: None,
            players: Vec::new(),
            log_cut: false,
            end: Some(end),
        };
        TeamPart {
            attached: None,
            team: "ada".to_owned(),
            seed: 1,
            command: "bot".to_owned(),
            started: ends.len(),
            user: None,
            held_by: HeldBy::default(),
            limit_broken: foul.map(|_| "more".to_owned()),
            foul: foul.map(str::to_owned),
            came: false,
            misnamed: None,
            runs_client: false,
            processes: ends.iter().map(process).collect(),
        }
    }

    fn seat_of(
        conduct: Conduct,
        ends: &[ProgramEnd],
        late_by: Option<(u32, bool)>,
        foul: Option<&str>,
    ) -> Seat {
        let details =
            serde_json::from_str("{\"levels\":[1,0],\"highest_level\":3,\"alive\":1,\"more\":7}").unwrap();
        let team = TeamResult { name: "ada".to_owned(), rank: 1, score: 5, conduct, details };
        let late = |(late, expelled)| LatePlayer {
            moments: Vec::new(),
            player: 0,
            team: "ada".to_owned(),
            late,
            expelled,
            silent: false,
        };
        let lockstep = LockstepResult {
            think_time_ms: Some(1),
            wait_players: 1,
            max_late: 10,
            late: 0,
            late_players: late_by.map(late).into_iter().collect(),
            think_times: Vec::new(),
            kept_waiting: Vec::new(),
            silent_connections: 0,
            joint_admissions: 0,
        };
        let limits = Limits { cpu_seconds: Some(5), disk_mib: Some(1), ..Limits::default() };
        let (id, game) = (Id::parse("0123456789abcdef").unwrap(), &zappy_server::games::GAMES[0]);
        seat(id, game, &team, &team_part_of(ends, foul), Some(&lockstep), limits)
    }

    fn end(code: Option<i32>, signal: Option<i32>, by_arena: bool) -> ProgramEnd {
        ProgramEnd { code, signal, seconds: 6.5, by_arena }
    }

    const NONE: Conduct = Conduct {
        joined: 0,
        left: 0,
        expelled: 0,
        commands: 0,
        unknown: 0,
        refused: 0,
        dropped: 0,
        silence: 0,
    };
    const ALIVE: Conduct = Conduct { joined: 1, commands: 9, ..NONE };
    const LEFT: Conduct = Conduct { left: 1, ..ALIVE };

    #[test]
    fn every_end_has_its_signs() {
        let (ok, bad, stopped) =
            (end(Some(0), None, false), end(Some(1), None, false), end(None, Some(15), true));
        let noisy = |commands, unknown| Conduct { commands, unknown, ..ALIVE };
        for (conduct, ends, late, wanted) in [
            (ALIVE, vec![stopped], None, BotEnd::Played),
            (ALIVE, vec![bad], None, BotEnd::Played),
            (noisy(9, 3), vec![bad], Some((1, false)), BotEnd::Played),
            (LEFT, vec![ok], None, BotEnd::Played),
            (Conduct { joined: 2, ..LEFT }, vec![ok, bad], None, BotEnd::Crashed),
            (LEFT, vec![end(None, Some(11), false)], None, BotEnd::Crashed),
            (LEFT, vec![end(None, Some(24), false)], None, BotEnd::KilledByLimit),
            (LEFT, vec![end(None, Some(9), false)], None, BotEnd::KilledByLimit),
            (NONE, vec![end(None, Some(25), false)], None, BotEnd::KilledByLimit),
            (Conduct { expelled: 1, ..ALIVE }, vec![bad], Some((11, true)), BotEnd::Late),
            (noisy(1, 2), vec![stopped], None, BotEnd::ProtocolViolation),
            (Conduct { silence: 999, ..ALIVE }, vec![stopped], None, BotEnd::Played),
            (Conduct { silence: 1_000, ..ALIVE }, vec![stopped], None, BotEnd::Unresponsive),
            (Conduct { commands: 0, silence: 1, ..ALIVE }, vec![stopped], None, BotEnd::Unresponsive),
            (Conduct { commands: 0, silence: 1, ..LEFT }, vec![bad], None, BotEnd::Crashed),
            (Conduct { commands: 0, ..ALIVE }, vec![stopped], None, BotEnd::Played),
            (Conduct { silence: 5_000, ..ALIVE }, vec![stopped], Some((11, true)), BotEnd::Late),
            (NONE, vec![ok, bad], None, BotEnd::FailedToStart),
            (NONE, vec![end(Some(127), None, false)], None, BotEnd::FailedToStart),
            (NONE, vec![stopped], None, BotEnd::NeverJoined),
        ] {
            let (found, detail) = judged(conduct, &ends, late);
            assert_eq!(found, wanted, "{detail:?}");
            assert_eq!(detail.is_some(), found != BotEnd::Played);
            assert_eq!(serde_json::to_value(found).unwrap(), found.word());
        }
    }

    #[test]
    fn what_came_to_the_server_could_be_started() {
        let judged = |came, misnamed: Option<&str>| {
            let misnamed = misnamed.map(str::to_owned);
            let seen = TeamPart { came, misnamed, ..team_part_of(&[end(Some(1), None, false)], None) };
            judge(NONE, &seen, 0, Limits::default())
        };
        let words = |text: &str| Some(text.to_owned());
        assert_eq!(
            judged(false, None),
            (BotEnd::FailedToStart, words("it ended before anybody joined: exit code 1"))
        );
        let came = words("it came to the server and ended before anybody joined: exit code 1");
        assert_eq!(judged(true, None), (BotEnd::NeverJoined, came));
        let misnamed = words("it named a team that doesn't exist here: red; the team stands behind -n");
        assert_eq!(judged(true, Some("red")), (BotEnd::NeverJoined, misnamed));
    }

    #[test]
    fn the_ways_programs_ended_are_counted() {
        let [one, two] = [1, 2].map(|code| end(Some(code), None, false));
        let (_, detail) = judged(LEFT, &[two, one, one], None);
        assert_eq!(detail.unwrap(), "1 player left in the match: exit code 1 (2 times), exit code 2");
    }

    #[test]
    fn a_name_that_is_not_its_own_comes_before_all_else() {
        let said = Some("a program of it said that it was of bob");
        let seat = seat_of(LEFT, &[], None, said);
        assert_eq!((seat.end, seat.end_detail.as_deref()), (BotEnd::ProtocolViolation, said));
    }

    #[test]
    fn a_seat_keeps_the_columns_of_its_game_and_comes_back() {
        let text = serde_json::to_string(&seat_of(ALIVE, &[], None, None)).unwrap();
        let columns =
            "\"rank\":1,\"score\":5,\"levels\":[1,0],\"highest\":3,\"born\":null,\"alive\":1,\"late\":0,";
        assert!(text.contains(columns) && !text.contains("more"), "{text}");
        assert_eq!(serde_json::to_string(&serde_json::from_str::<Seat>(&text).unwrap()).unwrap(), text);
    }

    #[test]
    fn the_words_of_the_arena_and_of_games_come_back() {
        for (word, cause) in [
            ("\"out_of_time\"", Cause::Arena(Intervention::OutOfTime)),
            ("\"elevation\"", Cause::Game("elevation".to_owned())),
        ] {
            assert_eq!(serde_json::from_str::<Cause>(word).unwrap(), cause);
            assert_eq!(serde_json::to_string(&cause).unwrap(), word);
        }
        let words = zappy_server::games::GAMES.iter().flat_map(|game| game.reasons).map(|(word, _)| *word);
        for word in words {
            assert_eq!(serde_json::from_value::<Cause>(word.into()).unwrap(), Cause::Game(word.to_owned()));
        }
    }
}
