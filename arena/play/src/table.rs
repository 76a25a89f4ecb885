//! The table at the end of a match, from its result.
//!
//! The game says which cells it has for a team. Tested in this module.

use std::fmt::Write as _;

use serde_json::Map;
use zappy_game::{Conduct, GameSpec, Length};
use zappy_protocol::text::{many, shortened, thousands};
use zappy_server::result::{LateMoment, LatePlayer, MatchResult, MissingClient, TeamResult};

use crate::result::{ArenaResult, Ending, ProgramPart, TeamPart, Told};
use crate::text::align;

/// Longer names are cut: the table shall fit an ordinary terminal.
const NAME_COLUMNS: usize = 20;
/// How many players of a program, players without a client, and late moments are named.
const MOST_NAMED: usize = 6;

/// How many characters are quoted of the line that a late player was sent last.
const MOST_QUOTED: usize = 60;

/// The verdict, the table of the teams, and what else is to be said of the match.
pub fn render(result: &ArenaResult, game: &GameSpec) -> String {
    let mut text = String::new();
    if let Some(played) = result.played() {
        let winner = match &played.winners[..] {
            [] => "no winner".to_owned(),
            teams if played.by_lot => drawn(teams),
            [team] => format!("winner: {team}"),
            teams => format!("winners: {}", teams.join(", ")),
        };
        let MatchResult { reason, seed, .. } = played;
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{winner} ({reason}) after {}, seed {seed}", length(played));
        let mut teams: Vec<&TeamResult> = played.teams.iter().collect();
        if !teams.is_empty() {
            // A match that was cut off while players were waited for says nothing about them.
            let outcome = result.arena.as_ref().map(|arena| arena.outcome);
            let ranked = outcome != Some(Ending::TimedOut) || played.missing_clients.is_empty();
            teams.sort_by_key(|team| if ranked { team.rank } else { 0 });
            let rows = teams.into_iter().map(|team| row(team, ranked, game));
            let own = (game.cells)(&Map::new()).into_iter().map(|(title, _)| title);
            let head = ["rank", "team"].into_iter().map(str::to_owned).chain(own);
            let head = head.chain(["commands", "refused", "dropped"].map(str::to_owned)).collect();
            let rows: Vec<Vec<String>> = std::iter::once(head).chain(rows).collect();
            text.push('\n');
            align(&rows, 1, &mut text);
            // Nothing else says that a team's programs ran but never joined.
            for team in played.teams.iter().filter(|team| team.conduct.joined == 0) {
                text.push_str(&never_joined(&team.name, result));
            }
        }
    } else if let Told::Nothing(nothing) = &result.told {
        let _ = writeln!(text, "no winner ({}), seed {}", nothing.reason, nothing.seed);
    }
    let unproved = result.arena.as_ref().filter(|arena| arena.outcome == Ending::Unproved);
    if let Some(why) = unproved.and_then(|arena| arena.error.as_ref()) {
        let _ = writeln!(text, "not to be scored: {why}");
    }
    if result.arena.as_ref().is_some_and(|arena| arena.debug) {
        text.push_str("played with --debug: programs could take as long as they liked; not to be graded\n");
    }
    let part = |part: fn(&MatchResult) -> String| result.played().map(part).unwrap_or_default();
    text +=
        &[part(resumed), programs(result), part(slowest), part(late), part(silent), fouls(result)].concat();
    text + &part(repeatable)
}

/// A line that says that no bot of a team ever joined, and as far as it is known why.
fn never_joined(team: &str, result: &ArenaResult) -> String {
    let part = result.arena.iter().flat_map(|arena| &arena.teams).find(|part| part.team == team);
    let why = match part.map(|part| (part.came, &part.misnamed)) {
        Some((_, Some(name))) => format!(": it named {name:?}, which is no team of this match"),
        Some((true, None)) => ": it connected, and sent no whole line with its team's name".to_owned(),
        _ => String::new(),
    };
    let log = part.and_then(|part| part.processes.first()?.log.as_deref()).unwrap_or("its logs");
    format!("no bot of {team} ever joined the match{why}; look into {log}\n")
}

/// Says at which ticks the match went on after its server had been killed, and which players were missing then.
fn resumed(result: &MatchResult) -> String {
    let at: Vec<String> = result.resumed.iter().map(|&tick| thousands(tick)).collect();
    if at.is_empty() {
        return String::new();
    }
    let missing = missing_clients(result);
    let missing = missing.map(|players| format!("no client came for {players}\n")).unwrap_or_default();
    format!("resumed at tick {}: its server had been killed\n{missing}", at.join(", "))
}

/// The first players of a resumed match for which no client came, and how many more; `None` if there are none.
pub fn missing_clients(result: &MatchResult) -> Option<String> {
    let missing = &result.missing_clients;
    let named = |one: &MissingClient| format!("#{} of {}", one.player, one.team);
    (!missing.is_empty()).then(|| first_few(missing, named, ", "))
}

/// The first six of these, and how many more there are.
fn first_few<T>(all: &[T], named: impl Fn(&T) -> String, between: &str) -> String {
    let first = all.iter().take(MOST_NAMED).map(named).collect::<Vec<_>>().join(between);
    let more = all.len().saturating_sub(MOST_NAMED);
    if more > 0 { format!("{first} and {more} more") } else { first }
}

/// A line for each team that says which players have their output in which log.
fn programs(result: &ArenaResult) -> String {
    let teams = result.arena.iter().flat_map(|arena| &arena.teams);
    let line = |team: &TeamPart| {
        let logs: Vec<String> = team.processes.iter().filter_map(program).collect();
        (!logs.is_empty()).then(|| format!("players of {}: {}\n", team.team, logs.join(", ")))
    };
    teams.filter_map(line).collect()
}

fn program(program: &ProgramPart) -> Option<String> {
    let log = program.log.as_ref().filter(|_| !program.players.is_empty())?;
    Some(format!("{} in {log}", first_few(&program.players, |player| format!("#{player}"), " ")))
}

/// Which team the others waited for longest, and how long it took to answer.
fn slowest(result: &MatchResult) -> String {
    let times = result.lockstep.iter().flat_map(|lockstep| &lockstep.think_times);
    let Some(team) = times.max_by_key(|team| team.all.waited_ms).filter(|team| team.all.waited_ms > 0) else {
        return String::new();
    };
    let millis = |micros: u64| format!("{:.1} ms", micros as f64 / 1000.0);
    let most = team.players.iter().max_by_key(|one| one.times.waited_ms);
    let most = most.filter(|_| team.players.len() > 1).map(|one| format!(", most for #{}", one.player));
    format!(
        "the others waited longest for {}: {:.1} s in all{}; half of its answers took at most {}, 99 of 100 {}, one {}\n",
        team.team,
        team.all.waited_ms as f64 / 1000.0,
        most.unwrap_or_default(),
        millis(team.all.p50_us),
        millis(team.all.p99_us),
        millis(team.all.max_us),
    )
}

/// A line for each late player and moment, six at the most; empty if none was late.
fn late(result: &MatchResult) -> String {
    let players = result.lockstep.iter().flat_map(|lockstep| &lockstep.late_players);
    let moments = players.flat_map(|player| player.moments.iter().map(move |moment| (player, moment)));
    let line = |(player, moment): (&LatePlayer, &LateMoment)| {
        let after = moment.after.as_ref().map(|line| format!(" after {:?}", shortened(line, MOST_QUOTED)));
        let noted = moment.noted.as_ref().map(|noted| format!("; noted before: {noted}")).unwrap_or_default();
        let (tick, after) = (thousands(moment.tick), after.unwrap_or_default());
        format!("#{} of {} was late at tick {tick}{after}{noted}\n", player.player, player.team)
    };
    let lines: String = moments.clone().take(MOST_NAMED).map(line).collect();
    let more = moments.count().saturating_sub(MOST_NAMED);
    if more > 0 {
        format!("{lines}{} more; result.json tells of each\n", many(more as u64, "time"))
    } else {
        lines
    }
}

/// A line for each player that the server waited for more seldom, since it was silent after having been late.
fn silent(result: &MatchResult) -> String {
    let late = result.lockstep.iter().flat_map(|lockstep| &lockstep.late_players);
    let line = |player: &LatePlayer| {
        format!(
            "#{} of {} was late three times and then silent to its end: it was waited for once in 126 ticks at most\n",
            player.player, player.team
        )
    };
    late.filter(|player| player.silent).map(line).collect()
}

/// Whether the same programs would play the same match again, and if not why; nothing under the real clock.
fn repeatable(result: &MatchResult) -> String {
    let Some(lockstep) = &result.lockstep else { return String::new() };
    if result.reproducible {
        let late = if lockstep.late_players.is_empty() {
            "no player was late"
        } else {
            "no player that was late said anything afterwards"
        };
        return match lockstep.joint_admissions {
            0 => format!(
                "reproducible, as far as the server can see: {late} and nothing came at a time of its own\n"
            ),
            joint => format!(
                "reproducible if bots of one team that came in together are alike (joint admissions: {joint})\n"
            ),
        };
    }
    let causes: String = result.not_reproducible.iter().map(|cause| format!("  {cause}\n")).collect();
    format!("not reproducible:\n{causes}")
}

/// The teams that were ended for what they did at the server's door, and the connections that were no team's.
fn fouls(result: &ArenaResult) -> String {
    let Some(arena) = &result.arena else { return String::new() };
    let fouls = arena.teams.iter().filter_map(|team| Some((&team.team, team.foul.as_ref()?)));
    let mut text: String =
        fouls.map(|(team, words)| format!("{team} was ended and can't win: {words}\n")).collect();
    for (count, what) in [
        (arena.connections_from_outside, "came from programs that are none of any match's"),
        (arena.connections_not_let_in, "were not let in: nobody who may come in was seen to hold them"),
    ] {
        if let Some(count @ 1..) = count {
            let _ = writeln!(text, "connections that {what}: {count}");
        }
    }
    text
}

/// How the match ended, and when, in a line.
pub fn ending(result: &MatchResult) -> String {
    let how = match &result.winners[..] {
        [] => "the match ends without a winner".to_owned(),
        teams if result.by_lot => drawn(teams),
        [team] => format!("{team} has won"),
        teams => format!("{} have won", teams.join(" and ")),
    };
    format!("{}: {how} ({})", length(result).moment(), result.reason)
}

fn drawn(first: &[String]) -> String {
    format!("a draw, {} first by lot", first.join(", "))
}

/// How long the match lasted.
pub fn length(result: &MatchResult) -> Length {
    Length::played(result.teams.first().map(|team| &team.details), result.ticks)
}

fn row(team: &TeamResult, ranked: bool, game: &GameSpec) -> Vec<String> {
    let rank = if ranked { team.rank.to_string() } else { "-".to_owned() };
    let name = team.name.chars().take(NAME_COLUMNS).collect();
    let mut details = team.details.clone();
    details.insert("score".to_owned(), team.score.into());
    let own = (game.cells)(&details).into_iter().map(|(_, text)| text).collect();
    let Conduct { commands, refused, dropped, .. } = team.conduct;
    let counts = [commands, refused, dropped].map(|count| count.to_string()).to_vec();
    [vec![rank, name], own, counts].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};
    use zappy_server::games::GAMES;

    fn team(name: &str, rank: u32, levels: [u64; 8], (alive, born): (u64, u64), counts: [u64; 3]) -> Value {
        let [commands, refused, dropped] = counts;
        let conduct = json!({
            "joined": born, "left": 0, "expelled": 0, "commands": commands, "unknown": 0, "refused": refused,
            "dropped": dropped,
        });
        json!({
            "name": name, "rank": rank, "score": 0, "conduct": conduct, "levels": levels, "alive": alive, "born": born,
        })
    }

    /// A result of that winner, with these values instead of the usual ones.
    fn table(change: Value) -> String {
        let mut result = json!({
            "server_version": "0", "game": "zappy", "rules_version": 1, "record_version": 2, "seed": 7,
            "configuration": {
                "width": 5, "height": 5, "frequency": 100, "max_frequency": 100, "auto_start": true,
                "max_ticks": null, "clock": "real", "teams": ["red", "blue"],
            },
            "ticks": 900, "winner": "blue", "winners": ["blue"], "reason": "elevation", "ranking": ["blue", "red"],
            "by_lot": false, "teams": [], "reproducible": false, "not_reproducible": [], "lockstep": null,
            "lateness": { "ticks": 0, "p50_us": 0, "p99_us": 0, "max_us": 0 }, "record_complete": true,
        });
        let Value::Object(change) = change else { panic!("an object") };
        result.as_object_mut().unwrap().extend(change);
        let game = GAMES.iter().find(|game| result["game"] == game.name).unwrap();
        render(&serde_json::from_value(result).unwrap(), game)
    }

    #[test]
    fn teams_stand_in_their_rank() {
        let text = table(json!({ "teams": [
            team("red", 2, [1, 0, 0, 0, 0, 0, 0, 0], (1, 3), [4, 2, 5]),
            team("blue", 1, [0, 0, 0, 0, 0, 0, 0, 6], (6, 6), [0; 3]),
        ] }));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "winner: blue (elevation) after 900 ticks, seed 7");
        assert_eq!(
            lines[2],
            "rank  team  L1  L2  L3  L4  L5  L6  L7  L8  alive  born  died  commands  refused  dropped"
        );
        assert_eq!(
            lines[3],
            "   1  blue   .   .   .   .   .   .   .   6      6     6     0         0        0        0"
        );
        assert_eq!(
            lines[4],
            "   2  red    1   .   .   .   .   .   .   .      1     3     2         4        2        5"
        );
    }

    #[test]
    fn a_match_in_turns_is_counted_in_turns_and_tells_scores_and_falls() {
        let faction = |name, rank, score, fall: Value| {
            let own = json!({
                "score": score, "land": 3, "population": 2, "kills": 1, "gold": 90, "phases_late": 0, "turns": 36,
                "fall": fall,
            });
            let mut team = team(name, rank, [0; 8], (1, 1), [4, 2, 5]);
            team.as_object_mut().unwrap().extend(own.as_object().unwrap().clone());
            team
        };
        let fall = "base fell to blue's fighter in turn 36";
        let teams = [faction("red", 2, 45, json!(fall)), faction("blue", 1, -30, Value::Null)];
        let text = table(json!({
            "game": "conquest", "reason": "conquest", "ticks": 36_036, "teams": teams,
        }));
        let lines: Vec<String> =
            text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
        assert_eq!(lines[0], "winner: blue (conquest) after 36 turns, seed 7");
        assert_eq!(
            lines[2..5],
            [
                "rank team score land population kills gold phases late fall commands refused dropped"
                    .to_owned(),
                "1 blue -30 3 2 1 90 0 - 4 2 5".to_owned(),
                format!("2 red 45 3 2 1 90 0 {fall} 4 2 5"),
            ]
        );
        assert!(!text.contains("tick"), "{text}");
    }

    #[test]
    fn what_is_missing_is_a_dash_and_a_failed_match_says_so() {
        let mut bare = team("red", 1, [0; 8], (0, 0), [0; 3]);
        ["levels", "alive", "born"].iter().for_each(|key| {
            bare.as_object_mut().unwrap().remove(*key);
        });
        let text = table(json!({ "winner": null, "winners": [], "teams": [bare] }));
        assert!(text.starts_with("no winner (elevation) after 900 ticks, seed 7\n"), "{text}");
        assert!(text.contains("   1  red    -") && text.contains("no bot of red ever joined"), "{text}");
        let text = table(json!({ "by_lot": true, "reason": "time" }));
        assert!(text.starts_with("a draw, blue first by lot (time) after 900 ticks, seed 7\n"), "{text}");
        let failed = json!({ "winner": null, "reason": "server_failed", "ticks": null, "seed": 5 });
        let text = render(&serde_json::from_value(failed).unwrap(), &GAMES[0]);
        assert_eq!(text, "no winner (server_failed), seed 5\n");
        let half = json!({ "winner": null, "reason": "elevation", "ticks": 3, "seed": 5 });
        assert!(serde_json::from_value::<ArenaResult>(half).is_err(), "a part of a result is none");
    }

    #[test]
    fn a_match_is_called_repeatable_only_as_far_as_it_is() {
        let last = |result| table(result).lines().last().unwrap_or_default().to_owned();
        let lockstep = |joint| {
            json!({
                "think_time_ms": 1, "wait_players": 2, "max_late": 10, "late": 0, "late_players": [],
                "kept_waiting": [], "silent_connections": 0, "joint_admissions": joint,
            })
        };
        let good = |joint| json!({ "reproducible": true, "lockstep": lockstep(joint) });
        assert!(last(good(0)).starts_with("reproducible, as far as the server can see: no player was late"));
        assert!(
            last(good(2)).starts_with("reproducible if bots of one team that came in together are alike")
        );
        let late = json!({ "not_reproducible": ["late"], "lockstep": lockstep(0) });
        assert_eq!(last(late), "  late");
    }

    #[test]
    fn which_log_is_whose_and_which_team_was_slow_are_told() {
        let times = |waited: u64, most: u64| {
            json!({
                "answers": 9, "p50_us": 1_500, "p99_us": 20_000, "max_us": most, "waited_ms": waited,
            })
        };
        let team = |name: &str, waited: u64| {
            let mut team = times(waited, 900_000);
            let mut player = times(waited, 900_000);
            player["player"] = json!(3);
            team["team"] = json!(name);
            team["players"] = json!([player.clone(), player]);
            team
        };
        let program = |log: &str, players: Vec<u32>| {
            json!({
                "log": log, "players": players, "log_cut": false, "end": null,
            })
        };
        let text = table(json!({
            "winner": null, "winners": [], "reproducible": true, "lockstep": {
                "think_time_ms": 1, "wait_players": 2, "max_late": 10, "late": 3, "kept_waiting": [],
                "late_players": [{ "player": 3, "team": "red", "late": 3, "expelled": false, "silent": true }],
                "silent_connections": 0, "joint_admissions": 0, "think_times": [team("blue", 20), team("red", 3_400)],
            },
            "arena": {
                "version": "0", "outcome": "ended", "in_process": false, "error": null, "leaving_seconds": 0.0,
                "server": null, "connections_from_outside": 0, "connections_not_let_in": 0, "orphans_ended": 0,
                "orphans_left": 0, "teams": [{
                    "team": "red", "seed": 1, "command": "bot", "started": 3, "limit_broken": null, "foul": null,
                    "processes": [
                        program("logs/red-1.log", vec![4]),
                        program("logs/red-2.log", Vec::new()),
                        program("logs/red-3.log", (10..18).collect()),
                    ],
                }],
            },
        }));
        assert_eq!(
            text.lines().skip(1).collect::<Vec<_>>(),
            [
                "players of red: #4 in logs/red-1.log, #10 #11 #12 #13 #14 #15 and 2 more in logs/red-3.log",
                "the others waited longest for red: 3.4 s in all, most for #3; half of its answers took at most 1.5 ms, 99 of \
                 100 20.0 ms, one 900.0 ms",
                "#3 of red was late three times and then silent to its end: it was waited for once in 126 ticks at most",
                "reproducible, as far as the server can see: no player that was late said anything afterwards and nothing \
                 came at a time of its own",
            ]
        );
    }

    #[test]
    fn who_came_as_what_it_is_not_is_named() {
        let part = |team: &str, foul: Option<&str>| {
            json!({
                "team": team, "seed": 1, "command": "bot", "started": 1, "limit_broken": null, "foul": foul,
                "processes": [],
            })
        };
        let text = table(json!({ "winner": null, "winners": [], "arena": {
            "version": "0", "outcome": "ended", "in_process": false, "error": null, "leaving_seconds": 0.0,
            "server": null, "teams": [part("red", Some("a program of it said that it was of blue")), part("blue", None)],
            "connections_from_outside": 0, "connections_not_let_in": 2, "orphans_ended": 0, "orphans_left": 0,
        } }));
        assert_eq!(
            text,
            "no winner (elevation) after 900 ticks, seed 7\nred was ended and can't win: a program of it said that it \
             was of blue\nconnections that were not let in: nobody who may come in was seen to hold them: 2\n"
        );
    }
}
