//! Conquest through the server: sockets, both clocks, records of both levels, the operator, and clients that misbehave.

#[allow(dead_code, reason = "this test uses a part of it")]
mod process;

use std::io::Write;
use std::process::{Command, Stdio};

use process::{Client, Server};
use tempfile::TempDir;
use zappy_protocol::conquest::mirror::Mirror;
use zappy_protocol::conquest::observer::Message;
use zappy_protocol::record::{RecordLevel, read_head};
use zappy_server::games::GAMES;
use zappy_server::record::{expand, verify};
use zappy_server::result::MatchResult;

/// A command line without its record and result.
fn server(flags: &str) -> Command {
    let mut command = Command::new(process::BINARY);
    command.args("--game conquest -p 0 --bind 127.0.0.1 -x 12 -y 10 -n red blue".split(' '));
    command.args(flags.split_whitespace());
    command
}

/// Starts a match; its record and its result will lie in the folder.
fn start(flags: &str) -> (Server, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let mut command = server(flags);
    command.arg("--record").arg(folder.path().join("match.zrec"));
    command.arg("--result").arg(folder.path().join("result.json"));
    (Server::spawn(command.stdin(Stdio::piped())), folder)
}

/// A small player: its base builds and earns, its units walk east, conquer and earn. Gives all that it read.
fn play(mut client: Client) -> Vec<String> {
    let mut read: Vec<String> = Vec::new();
    let (mut you, mut units): (u8, Vec<(u32, u16, u16)>) = (0, Vec::new());
    while let Some(line) = client.next() {
        let words: Vec<&str> = line.split(' ').collect();
        match words[0] {
            "game" => you = words[5].parse().unwrap(),
            "turn" => units.clear(),
            "unit" if words[2] == you.to_string() => {
                units.push((words[1].parse().unwrap(), words[4].parse().unwrap(), words[5].parse().unwrap()));
            }
            "go" => {
                let turn: u32 = words[1].parse().unwrap();
                let base = ["build pioneer", "continue", "income"][turn as usize % 3];
                let mut text = format!("Base {base}\n");
                for &(unit, x, y) in &units {
                    let order = match (turn + unit) % 3 {
                        0 => format!("travel {} {y}", (x + 1) % 12),
                        1 => "conquer".to_owned(),
                        _ => format!("travel {x} {}", (y + 1) % 10),
                    };
                    text += &format!("Unit {unit} {order}\n");
                }
                client.send(&format!("{text}Done {turn}\n"));
            }
            _ => {}
        }
        read.push(line);
    }
    read
}

/// Plays a whole match between two such players; gives what both and an observer read, the record and the result.
fn whole_match(flags: &str) -> (Vec<Vec<String>>, Vec<u8>, MatchResult) {
    let (server, folder) = start(flags);
    let mut observer = server.enter("GRAPHIC");
    observer.expect("msz 12 10");
    let players = ["red", "blue"].map(|name| server.enter(name));
    let mut threads: Vec<_> = players.map(|client| std::thread::spawn(move || play(client))).into();
    threads.push(std::thread::spawn(move || observer.rest()));
    let read = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
    let (record, result) = server.record_and_result(folder.path());
    (read, record, result)
}

fn check(record: &[u8], result: &MatchResult, turns: u32) {
    let verified = verify(record, GAMES).unwrap();
    assert!(verified.complete);
    assert_eq!((result.game.as_str(), result.reason.as_str()), ("conquest", "turns"));
    assert_eq!(result.configuration.frequency, 1_000);
    assert_eq!(result.configuration.options["turns"], turns);
    for team in &result.teams {
        assert!(team.conduct.commands > u64::from(turns), "{team:?}");
        assert_eq!(team.details["phases_late"], 0);
    }
    let best = result.teams.iter().map(|team| team.score).max();
    assert_eq!(
        result.teams.iter().find(|team| Some(&team.name) == result.winner.as_ref()).map(|team| team.score),
        best
    );
    let head = read_head(record).unwrap().header;
    assert_eq!((head.game.as_str(), head.option("turns")), ("conquest", Some(turns.to_string().as_str())));
}

#[test]
fn in_lockstep_a_whole_match_leaves_the_same_record_twice() {
    let flags = "--clock lockstep --seed 5 --turns 40 --no-console";
    let (read, record, result) = whole_match(flags);
    assert!(result.reproducible, "{:?}", result.not_reproducible);
    check(&record, &result, 40);
    assert_eq!(read[0].last().map(|line| line.starts_with("over 1 ")), Some(true), "{:?}", read[0].last());
    assert_eq!(read[2].iter().filter(|line| line.starts_with("tnd ")).count(), 40);
    assert_eq!(whole_match(flags).1, record);
}

#[test]
fn what_an_observer_reads_is_what_the_record_has() {
    let (read, record, _) = whole_match("--clock lockstep --seed 6 --turns 20 --no-console --cities on");
    let text = String::from_utf8(record).unwrap();
    let published: Vec<&str> =
        text.lines().filter_map(|line| line.split_once(" * ")).map(|(_, message)| message).collect();
    let dump = read[2].len() - published.len();
    assert_eq!(read[2][dump..], published);
    let mut mirror = Mirror::new();
    for line in ["msz 12 10".to_owned()].iter().chain(&read[2]) {
        mirror
            .apply(&Message::parse(line.as_bytes()).unwrap())
            .unwrap_or_else(|error| panic!("{error}: {line}"));
    }
    assert_eq!((mirror.turn, mirror.over), (20, true));
}

#[test]
fn a_record_of_inputs_expands_to_the_full_one() {
    let flags = "--clock lockstep --seed 5 --turns 15 --no-console --mode players --order continue";
    let (_, full, result) = whole_match(flags);
    check(&full, &result, 15);
    let (_, inputs, _) = whole_match(&format!("{flags} --record-level inputs"));
    let mut expanded = Vec::new();
    expand(&inputs, GAMES, RecordLevel::Full, &mut expanded).unwrap();
    assert_eq!(expanded, full);
}

#[test]
fn by_the_real_clock_a_turn_ends_early_when_all_are_done() {
    // Sixty turns of a week each would last for more than a year.
    let (_, record, result) = whole_match("--seed 3 --turns 60 --turn-time 604800000 --no-console");
    check(&record, &result, 60);
    assert!(!result.reproducible);
    let (_, record, result) = whole_match("--seed 3 --turns 12 --placement draft --turn-time 0 --no-console");
    check(&record, &result, 12);
}

#[test]
fn by_the_real_clock_silent_factions_are_late() {
    let (server, folder) = start("--turns 3 --turn-time 30 --no-console");
    let (red, blue) = (server.enter("red"), server.enter("blue"));
    assert!(red.rest().iter().any(|line| line == "over 1 red -300 1 blue -300"));
    drop(blue);
    let (record, result) = server.record_and_result(folder.path());
    assert!(verify(&record, GAMES).unwrap().complete);
    let late: Vec<_> = result.teams.iter().map(|team| team.details["phases_late"].clone()).collect();
    assert_eq!((late, result.winners.len()), (vec![3.into(), 3.into()], 2));
}

#[test]
fn in_lockstep_a_faction_that_is_not_done_within_the_think_time_is_late() {
    let (server, folder) = start("--clock lockstep --think-time 200 --turns 2 --no-console");
    let (red, mut blue) = (server.enter("red"), server.enter("blue"));
    let red = std::thread::spawn(move || play(red));
    blue.skip_to("go 1");
    blue.send("Base income\n");
    blue.skip_to("go 2");
    blue.send("Done 2\n");
    assert!(
        red.join()
            .unwrap()
            .iter()
            .any(|line| line.starts_with("faction 1 blue alive") && line.contains("score -100"))
    );
    let (record, result) = server.record_and_result(folder.path());
    assert!(verify(&record, GAMES).unwrap().complete);
    assert_eq!(result.teams[1].details["phases_late"], 1);
    assert!(!result.reproducible);
    assert_eq!(result.lockstep.unwrap().late, 1);
}

#[test]
fn in_lockstep_the_match_goes_on_without_a_client_that_is_lost() {
    let (server, folder) = start("--clock lockstep --turns 9 --no-console");
    let (red, mut blue) = (server.enter("red"), server.enter("blue"));
    let red = std::thread::spawn(move || play(red));
    blue.skip_to("go 1");
    blue.send("Done 1\n");
    blue.skip_to("go 2");
    drop(blue);
    let read = red.join().unwrap();
    assert!(read.iter().any(|line| line == "go 9"));
    assert!(read.last().unwrap().ends_with(" 2 blue -800"), "late in turns 2 to 9: {:?}", read.last());
    let (record, result) = server.record_and_result(folder.path());
    assert!(verify(&record, GAMES).unwrap().complete);
    assert_eq!((result.teams[1].details["phases_late"].clone(), result.teams[1].conduct.left), (8.into(), 1));
    assert_eq!(result.lockstep.unwrap().late, 0, "only a client that is there is waited for");
}

#[test]
fn with_everybody_gone_a_lockstep_match_plays_to_its_limit_at_once() {
    let (server, folder) = start("--clock lockstep --turns 400 --no-console");
    for mut client in [server.enter("red"), server.enter("blue")] {
        client.send("Done 1\n");
        client.half_close();
    }
    let (record, result) = server.record_and_result(folder.path());
    assert!(verify(&record, GAMES).unwrap().complete);
    assert_eq!((result.reason.as_str(), result.ticks), ("turns", 400 * 1_001));
}

#[test]
fn the_operator_changes_the_time_between_two_turns_and_the_record_replays_it() {
    let (mut server, folder) = start("--turns 4 --turn-time 604800000");
    let (mut red, blue) = (server.enter("red"), server.enter("blue"));
    let blue = std::thread::spawn(move || play(blue));
    red.skip_to("go 1");
    server.console("/turn-time 30");
    server.expect_answer("30 milliseconds a phase from the next turn on");
    // The first turn ends since all are done; in the others red is late.
    red.send("Done 1\n");
    red.skip_to("go 4");
    assert!(blue.join().unwrap().iter().any(|line| line == "go 4"));
    let (record, result) = server.record_and_result(folder.path());
    assert!(verify(&record, GAMES).unwrap().complete);
    assert_eq!(result.teams[0].details["phases_late"], 3);
}

#[test]
fn floods_junk_and_lines_for_others_cost_nobody_else_anything() {
    let (server, folder) = start("--turns 30 --turn-time 3600000 --no-console");
    let red = server.enter("red");
    let mut blue = server.enter("blue");
    let red = std::thread::spawn(move || play(red));
    blue.skip_to("go 1");
    let mut junk = String::new();
    for number in 0..500 {
        junk += &format!("Unit {number} retire\n\u{7f}\\ {number}\n");
    }
    blue.send(&junk);
    blue.send(&format!("{}\nDone 1\n", "x".repeat(10_000)));
    let answers: Vec<String> =
        std::iter::from_fn(|| blue.next()).take_while(|line| line != "turn 2").collect();
    // 40 lines and 10 for each of two units, one that is over, and Done.
    assert_eq!(answers.len(), 62);
    assert_eq!(answers.iter().filter(|line| line.starts_with("ko not your unit")).count(), 28);
    assert_eq!(answers[60], "ko over the budget of 60 lines in a phase; Done is still taken");
    assert_eq!(answers[61], "ok");
    blue.skip_to("go 2");
    drop(blue);
    let mut again = server.enter("blue");
    // The server may not have noticed yet that the seat is free.
    while again.line() == "ko" {
        again.send("blue\n");
    }
    assert!(play(again).iter().any(|line| line == "go 30"));
    assert!(red.join().unwrap().iter().any(|line| line == "go 30"));
    let (record, result) = server.record_and_result(folder.path());
    assert!(verify(&record, GAMES).unwrap().complete);
    let text = String::from_utf8(record).unwrap();
    let counted =
        text.lines().filter_map(|line| line.split_once(" # 1 ")?.1.parse::<u32>().ok()).sum::<u32>();
    assert_eq!(counted, 1_001 - 61, "what is over the budget is counted, whatever it said");
    assert_eq!(result.teams[0].conduct.refused, 0);
    assert_eq!((result.teams[1].conduct.dropped, result.teams[1].conduct.joined), (1_001 - 61, 2));
}

#[test]
fn a_scenario_sets_up_a_position_and_state_brings_it_back() {
    let folder = tempfile::tempdir().unwrap();
    let scenario = folder.path().join("position.txt");
    let state = |lines: &str| {
        std::fs::write(&scenario, lines).unwrap();
        let mut command = server("--turns 5 --cities on --scenario");
        command.arg(&scenario).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(b"/state\n/quit\n").unwrap();
        let out = child.wait_with_output().unwrap();
        assert!(out.status.success());
        let said = String::from_utf8(out.stdout).unwrap();
        said.strip_suffix("the match ends\n").unwrap().trim_end().to_owned()
    };
    let lines = "# A position\n/empty\n/tile 3 3 owner red base on fort on\n/tile 4 3 owner red building camp-sapper\n\
                 /tile 8 8 owner blue base on\n/faction red base 3 3 gold 77 score -5\n/faction blue base 8 8 dead 3\n\
                 /unit new red cleric 4 4 as 9\n/unit 9 state de\n/city 3 3 citizens 4 assign 4 3\n\
                 /turn 7 next-unit 12\n/mode players\n";
    let first = state(lines);
    assert!(first.contains("/unit 9 ") && first.contains("/city 3 3 citizens 4 assign 4 3"), "{first}");
    // The answers of the scenario itself come first.
    let printed: Vec<&str> = first.lines().collect();
    let begins = printed.iter().rposition(|line| !line.starts_with('/')).map_or(0, |place| place + 1);
    let printed = printed[begins..].join("\n");
    let again = state(&format!("/empty\n{printed}\n"));
    assert!(again.ends_with(&printed), "{again}\n\n{printed}");
}

#[test]
fn wrong_command_lines_are_usage_errors() {
    let said = |arguments: &str| {
        let out = server(arguments).output().unwrap();
        assert_eq!(out.status.code(), Some(84), "{arguments}");
        String::from_utf8_lossy(&out.stderr).lines().next().unwrap_or_default().to_owned()
    };
    for (arguments, words) in [
        ("--turns 0", "zappy_server: --turns is \"0\", the range is 1 to 100000"),
        ("--turn-time 604800001", "zappy_server: --turn-time is \"604800001\", the range is 0 to 604800000"),
        ("--mode solo", "zappy_server: --mode is \"solo\", the modes are concurrent, players and alliances"),
        ("-x 7", "zappy_server: width is 7, the range is 8 to 500"),
        ("--clients 3", "zappy_server: -c: the game conquest has no option clients; its options are cities,"),
        ("--alliance red,red", "zappy_server: --alliance names red twice; name each faction once"),
        ("--order custom:red", "zappy_server: --order custom: names every faction once"),
    ] {
        let found = said(arguments);
        assert!(found.starts_with(words), "{found}\nexpected {words}");
    }
}

#[test]
fn switches_stand_alone_and_alliances_are_listed() {
    let flags = "--fixed-length --wait-for-absent --turns 1 --turn-time 1 --no-console -n green pink \
                 --alliance red,blue --alliance pink,green";
    let (server, folder) = start(flags);
    for name in ["red", "blue", "green", "pink"] {
        let mut client = server.enter(name);
        client.expect("0");
        client.expect("12 10");
        assert!(client.line().ends_with(" alliances red,blue;green,pink"));
        std::thread::spawn(move || client.rest());
    }
    let (_, result) = server.record_and_result(folder.path());
    assert_eq!(result.configuration.options["fixed_length"], true);
    assert_eq!(result.configuration.options["alliance"], "red,blue;pink,green");
}
