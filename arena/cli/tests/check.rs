//! `check`: the planted mistake of each faulty bot is named, good bots pass, and nothing outlives it.
//!
//! The bots are Python; where there is none, a line says so and their tests pass, unless `ZAPPY_PYTHON=required`.

mod support;
#[path = "check/trial.rs"]
mod trial;
#[path = "check/usage.rs"]
mod usage;

use std::collections::VecDeque;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;
use std::process::Command;
use std::sync::{Condvar, Mutex};
use std::time::Duration;

use rustix::process::{Signal, test_kill_process};
use serde_json::Value;
use support::{
    ARENA, Bench, DEADLINE, Finished, Running, assert_gone, client, python, quoted, run, wait_for,
};

/// A check by itself takes half a minute at the most; here many share the machine.
const WHOLE_CHECK: Duration = Duration::from_secs(360);
/// Checks at once, whichever tests begin them: they mostly wait, but a bot that spins takes a processor from all others, and a
/// bot that starts a program for each player must do so before it counts as silent.
const AT_ONCE: usize = 10;
/// How many of them may begin now.
static FREE: (Mutex<usize>, Condvar) = (Mutex::new(AT_ONCE), Condvar::new());

/// A game's faulty bots.
struct Game {
    name: &'static str,
    /// The folder below `tests` where they are.
    folder: &'static str,
    faulty: &'static [Faulty],
    /// What each of them is tried in besides: a mistake must not be seen where there is none.
    others: &'static [&'static str],
}

const GAMES: [Game; 2] = [
    Game {
        name: "zappy",
        folder: "faulty",
        faulty: ZAPPY,
        others: &["login", "slow-lines", "messages", "ejected", "closing"],
    },
    Game {
        name: "conquest",
        folder: "faulty/conquest",
        faulty: CONQUEST,
        others: &["login", "late", "over"],
    },
];

/// A bot, the situations that it may fail, the first of which it must, and what is said there.
struct Faulty(&'static str, &'static [&'static str], &'static str);

const ZAPPY: &[Faulty] = &[
    Faulty("always_red", &["login"], "it sent \"red\"; its team is \"Kestrel9\", as -n says"),
    Faulty("asks_again", &["late-answer"], "it asks again when an answer lets itself be waited for"),
    Faulty("breaks_on_eject", &["ejected"], "ValueError: unknown line 'eject: "),
    Faulty("counts_players", &["one-tile"], "ValueError: too many players"),
    Faulty("crashes_at_look", &["match"], "IndexError: list index out of range"),
    Faulty("early_name", &["login"], "it sent \"Kestrel9\\n\" before it had read WELCOME"),
    Faulty("ends_when_greeted", &["login"], "it ended before it had logged in: with exit code 1"),
    Faulty("floods", &["flood"], "it sent 51 lines that take no time"),
    Faulty("forgets_egg", &["egg"], "it laid an egg, but no new connection named the team"),
    Faulty("frozen_is_answer", &["frozen"], "it takes a line that it didn't ask for as the answer"),
    Faulty("gives_up_waiting", &["lobby"], "it ended before it had logged in"),
    Faulty("half_a_line_more", &["cut-off"], "the connection ended in the middle of a line, and 2 s later"),
    Faulty("hangs_after_close", &["closing"], "it still runs, waiting for something that won't come"),
    Faulty("ignores_ko", &["full-team"], "it was refused (ko) and tried again 16 times without a pause"),
    Faulty("impatient", &["late-answer"], "it ended in the middle of the match: with exit code 1"),
    Faulty("incantation_for_ever", &["failed-incantation"], "it says nothing more"),
    Faulty("lower_case", &["commands"], "capitals matter, the command is Forward"),
    Faulty("message_is_answer", &["messages"], "it takes a line that it didn't ask for as the answer"),
    Faulty("never_eats", &["food"], "its player starved at tick 1260"),
    Faulty("no_newline", &["login"], "it sent \"Kestrel9\" and never the \\n that ends the line"),
    Faulty(
        "no_newline_later",
        &["login"],
        "it sent \"Look\" and never the \\n that ends the line; that was ",
    ),
    Faulty("one_read_for_two", &["line-by-line", "slow-lines", "split-lines"], "IndexError"),
    // On a busy machine lines meet in one packet anywhere.
    Faulty(
        "one_line_per_packet",
        &["one-packet", "messages", "slow-lines", "ejected", "closing"],
        "it says nothing more",
    ),
    Faulty(
        "plays_after_ko",
        &["full-team"],
        "it was refused (ko) and sent \"Look\" as if it had been let in",
    ),
    Faulty(
        "recv_is_a_line",
        &["split-lines", "slow-lines", "messages", "ejected"],
        "it sent a command while ten waited",
    ),
    Faulty("short_buffer", &["long-look"], "OverflowError: buffer too small"),
    Faulty("short_queue", &["burst"], "it says nothing more"),
    Faulty("slow", &["in-time"], "it said nothing for more than a second"),
    Faulty("spins_after_close", &["closing"], "it still runs, in a busy loop"),
    Faulty("stays_when_dead", &["dead"], "its player was dead"),
    Faulty("takes_for_ever", &["refused"], "it asked 25 times in a row for what had been refused"),
    Faulty("twenty_at_once", &["ten-waiting"], "it sent a command while ten waited behind the running one"),
    Faulty("utf8_only", &["bytes"], "UnicodeDecodeError"),
    Faulty("waits_for_level", &["match"], "the last one was \"Incantation\", the last answer \"ko\""),
    Faulty("zero_is_refused", &["last-slot"], "the last line on its standard error: no place in the team"),
];

const CONQUEST: &[Faulty] = &[
    Faulty("always_red", &["login"], "it sent \"red\"; its team is \"Kestrel9\", as -n says"),
    Faulty("answers_come_next", &["late"], "ValueError: no answer: turn"),
    Faulty("breaks_on_ko", &["unit-gone"], "ValueError: an order was refused"),
    Faulty("chatty", &["output"], "it writes more than 1 MiB"),
    Faulty(
        "counts_turns",
        &["stale-done"],
        "it sent \"Done 1\", and the answer was \"ko turn 37 is running\"",
    ),
    Faulty("early_name", &["login"], "it sent \"Kestrel9\\n\" before it had read WELCOME"),
    Faulty("floods", &["budget"], "over the budget of 60 lines in a phase"),
    Faulty("foreign_units", &["own-units"], "it sent \"Unit 3 conquer\", and that unit isn't its own"),
    Faulty("fortifies", &["what-units-can"], "a pioneer can't fortify"),
    Faulty("half_a_line_more", &["cut-off"], "IndexError: list index out of range"),
    Faulty("hangs_after_over", &["over"], "it still runs, waiting for something that won't come"),
    Faulty("ignores_ko", &["taken"], "it was refused (ko) and tried again 16 times without a pause"),
    // On a busy machine it may have to wait anywhere; what it says then is a mistake only here.
    Faulty("impatient", &["one-by-one"], "it sent \"Base income\", and it isn't its phase"),
    Faulty("keeps_units", &["changed-sides"], "that unit isn't its own"),
    Faulty("knows_no_city", &["cities"], "ValueError: unknown line city"),
    Faulty("knows_three_states", &["every-type"], "ValueError: 'de' is not in list"),
    Faulty("leaves_early", &["match"], "it ended in the middle of the match: with exit code 0"),
    Faulty("lower_case", &["orders"], "a line begins with Base, Unit, City, Done or Place; case matters"),
    Faulty("needs_units", &["poor", "unit-gone"], "ValueError: min()"),
    Faulty("one_turn_behind", &["right-turn"], "is running"),
    Faulty("orders_after_done", &["done-once"], "it has said Done in this phase"),
    Faulty("plays_when_dead", &["beaten"], "it was sent `dead`, and sent \"Base income\" after it"),
    Faulty("recv_is_a_snapshot", &["line-by-line", "split-lines"], "says nothing"),
    Faulty("recv_is_lines", &["split-lines", "slow-lines"], "it ended in the middle of the match"),
    Faulty("short_buffer", &["many-units"], "OverflowError: buffer too small"),
    // On a busy machine it is silent for long anywhere.
    Faulty("short_wait", &["real-clock", "one-by-one", "login", "lobby", "late", "over"], ": timed out"),
    Faulty("slow", &["in-time"], "more than a second"),
    Faulty("spins_after_close", &["lost", "over"], "it still runs, in a busy loop"),
    Faulty("swaps_sides", &["corner"], "and there is no such tile"),
    Faulty("waits_for_turn", &["draft"], "it was let in and read `go 0`, and says nothing"),
];

fn check(game: &str, bot: &str, flags: &[&str]) -> Finished {
    let mut command = Command::new(ARENA);
    command.args(["check", bot, "--game", game]).args(flags);
    Running::start(&mut command).finish_within(WHOLE_CHECK)
}

fn in_json(finished: &Finished) -> Value {
    serde_json::from_str(&finished.stdout).unwrap_or_else(|e| panic!("{e}\n{}", finished.stderr))
}

/// Does it to all of them, several at once.
fn each<T: Send>(all: impl IntoIterator<Item = T>, work: impl Fn(T) + Sync) {
    let all: Mutex<VecDeque<T>> = Mutex::new(all.into_iter().collect());
    let next = || all.lock().unwrap().pop_front();
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some(one) = next() {
                    let (free, freed) = &FREE;
                    *freed.wait_while(free.lock().unwrap(), |free| *free == 0).unwrap() -= 1;
                    let done = catch_unwind(AssertUnwindSafe(|| work(one)));
                    *free.lock().unwrap() += 1;
                    freed.notify_one();
                    done.unwrap_or_else(|panic| resume_unwind(panic));
                }
            });
        }
    });
}

fn assert_named(game: &Game, &Faulty(name, situations, words): &Faulty, bot: &str) {
    let mut flags = vec!["--json"];
    let others = game.others.iter().filter(|other| !situations.contains(other));
    for situation in situations.iter().chain(others) {
        flags.extend(["--only", *situation]);
    }
    let finished = check(game.name, bot, &flags);
    let report = in_json(&finished);
    assert_eq!(finished.code(), 3, "{name}: {report:#}");
    let findings = report["findings"].as_array().unwrap();
    let failed = || findings.iter().filter(|finding| finding["verdict"] == "failed");
    for finding in failed() {
        assert!(situations.iter().any(|name| finding["name"] == *name), "{name}: {finding:#}");
    }
    let finding = failed().find(|finding| finding["name"] == situations[0]);
    let finding = finding.unwrap_or_else(|| panic!("{name}: {report:#}"));
    assert!(finding["words"].as_str().unwrap().contains(words), "{name}: {finding:#}");
    let transcript = finding["transcript"].as_array().unwrap();
    assert!((1..=14).contains(&transcript.len()), "{name}: {finding:#}");
    assert!(transcript.iter().all(|line| line.as_str().unwrap().len() < 200), "{name}: {finding:#}");
}

#[test]
fn each_planted_mistake_is_named() {
    let all = GAMES.iter().flat_map(|game| game.faulty.iter().map(move |faulty| (game, faulty)));
    each(all, |(game, faulty)| {
        let Some(bot) = python(game.folder, &format!("{}.py", faulty.0)) else { return };
        assert_named(game, faulty, &bot);
    });
}

#[test]
fn every_faulty_bot_is_tried() {
    for game in GAMES {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(game.folder);
        for name in support::names(&folder) {
            let Some(name) = name.strip_suffix(".py").filter(|name| *name != "good") else { continue };
            assert!(game.faulty.iter().any(|faulty| faulty.0 == name), "nobody checks {name}");
        }
    }
}

#[test]
fn good_bots_pass() {
    let others = [("faulty", "good.py"), ("bots", "layer.py"), ("bots", "mute_connections.py")];
    let zappy = others.iter().filter_map(|(folder, name)| python(folder, name)).chain([client()]);
    let others = [("faulty/conquest", "good.py"), ("../../../ai-client/starters/python", "conquest.py")];
    let levels = ["easy", "medium", "hard", "expert"].map(|level| format!("{} --level {level}", client()));
    let conquest = others.iter().filter_map(|(folder, name)| python(folder, name)).chain(levels);
    let all = zappy.map(|bot| ("zappy", bot)).chain(conquest.map(|bot| ("conquest", bot)));
    each(all, |(game, bot)| {
        let finished = check(game, &bot, &["--json"]);
        let report = in_json(&finished);
        assert_eq!(finished.code(), 0, "{report:#}");
        assert_eq!(report["passed"], report["situations"]);
        assert!(report["passed"].as_u64().unwrap() > 30, "{report:#}");
    });
}

#[test]
fn under_the_official_rules_a_carriage_return_belongs_to_the_name() {
    let Some(bot) = python("bots", "carriage_return.py") else { return };
    for (rules, verdict) in [("subject", "passed"), ("official", "failed")] {
        let finished =
            check("zappy", &bot, &["--json", "--rules", rules, "--only", "login", "--only", "line-ends"]);
        let report = in_json(&finished);
        assert_eq!(report["findings"][0]["verdict"], verdict, "{report:#}");
        let note = report["findings"][1]["notes"][0].as_str().unwrap_or_default();
        assert_eq!(note.contains("17. Where servers differ"), rules == "subject", "{report:#}");
    }
    // All of it: what is to be mended is the line's end, which keeps it out, and not what is said when it is out.
    let text = check("zappy", &bot, &["--rules", "official"]).stdout;
    assert!(text.contains("Mend first: line-ends: end each line with \\n, and with nothing else."), "{text}");
    assert!(text.contains("likely for the same reason: login"), "{text}");
    assert!(text.contains(" --rules official --only line-ends\n"), "{text}");
    assert!(
        text.contains("it sent \"Kestrel9\\r\": the line ends with \\r\\n, which these rules don't take"),
        "{text}"
    );
    let unknown = check("zappy", &bot, &["--rules", "loose"]);
    assert!(
        unknown.code() == 2 && unknown.stderr.contains("subject, official and strict"),
        "{}",
        unknown.stderr
    );
}

#[test]
fn a_bot_that_stays_outside_is_told_so_once() {
    let outsider = "sh -c 'echo no such module >&2; exit 5'";
    let finished = check("zappy", outsider, &["--json"]);
    let report = in_json(&finished);
    assert_eq!((finished.code(), &report["mend_first"]), (3, &serde_json::json!(["login"])), "{report:#}");
    let findings = report["findings"].as_array().unwrap();
    let words = findings[0]["words"].as_str().unwrap();
    assert!(
        words.contains("exit code 5") && words.contains("standard error: no such module (after"),
        "{words}"
    );
    assert!(
        findings[0]["advice"].as_str().unwrap().starts_with("what it printed last says why"),
        "{report:#}"
    );
    let untold = |finding: &&Value| {
        finding["verdict"] == "untold" && finding["words"].as_str().unwrap().starts_with("not tried")
    };
    assert_eq!(findings.iter().filter(untold).count(), findings.len() - 1, "{report:#}");
    let text = check("conquest", outsider, &[]).stdout;
    let untold: Vec<&str> = text.lines().filter(|line| line.starts_with("untold")).collect();
    let conquest = zappy_check::GAMES.iter().find(|game| game.name == "conquest").unwrap();
    let more = format!("{} more", conquest.situations.len() - 2);
    let rest = format!("untold  {more:<18}  for the same reason");
    assert_eq!((untold.len(), untold[1]), (2, rest.as_str()), "{text}");
}

#[test]
fn a_crash_is_to_be_mended_first_at_its_place() {
    let Some(bot) = python("faulty", "crashes_at_look.py") else { return };
    // It also waits for ever where its team is full.
    let text = check("zappy", &bot, &["--only", "match", "--only", "rivals", "--only", "full-team"]).stdout;
    let first = text.lines().find(|line| line.starts_with("Mend first: ")).unwrap();
    let (start, end) =
        ("Mend first: match: it crashed, File \"", "IndexError: list index out of range; look at");
    assert!(first.starts_with(start) && first.contains(end), "{text}");
    assert!(first.contains("crashes_at_look.py\", line 14, in second_tile: "), "{text}");
}

#[test]
fn a_bot_that_takes_the_host_for_a_wish_for_help_is_told_so() {
    let helper = "sh -c 'echo \"usage: bot [-h] [-p PORT]\"'";
    let finished = check("zappy", helper, &["--only", "login"]);
    assert_eq!(finished.code(), 3, "{}", finished.stderr);
    for words in [
        "with exit code 0",
        "it printed: usage: bot [-h] [-p PORT] (after ",
        "Mend first: login: -h is followed",
        "add_help=False",
    ] {
        assert!(finished.stdout.contains(words), "{words} in {}", finished.stdout);
    }
}

#[test]
fn a_bot_that_ends_without_a_word_is_not_told_of_flags() {
    let text = check("zappy", "sh -c 'exit 0'", &["--only", "login"]).stdout;
    assert!(
        text.contains("Mend first: login: it ended before it had connected, and printed nothing"),
        "{text}"
    );
}

#[test]
fn what_is_about_to_be_tried_is_said() {
    let some = check("zappy", "sh -c 'exit 1'", &["--only", "login", "--only", "food"]).stdout;
    let all = check("conquest", "sh -c 'exit 1'", &[]).stdout;
    let said = |text: &str| text.lines().nth(1).unwrap_or_default().to_owned();
    assert_eq!(said(&some), "Situations: 2 of 42: login, food.");
    assert!(said(&all).contains(", in about half a minute; 240 s at the most"), "{all}");
}

#[test]
fn a_stranger_is_not_taken_for_the_bot() {
    for game in ["zappy", "conquest"] {
        let bench = Bench::new();
        let told = "echo $2 >\"$here/port.new\"; mv \"$here/port.new\" \"$here/port\"";
        let waits = "until [ -e \"$here/seen\" ]; do sleep 0.02; done";
        let bot = bench.bot("bot", &format!("{told}; {waits}; exec {} \"$@\"", client()));
        let mut command = Command::new(ARENA);
        let arena = Running::start(command.args(["check", &bot, "--game", game, "--only", "login"]));
        let port = wait_for("the port", || std::fs::read_to_string(bench.path("port")).ok());
        let stranger = TcpStream::connect(("127.0.0.1", port.trim().parse().unwrap())).unwrap();
        stranger.set_read_timeout(Some(DEADLINE)).unwrap();
        // It may be refused before it has said that.
        let _ = (&stranger).write_all(b"GRAPHIC\n");
        let mut read = Vec::new();
        let _ = (&stranger).read_to_end(&mut read);
        assert_eq!(String::from_utf8_lossy(&read), "", "it was greeted");
        std::fs::write(bench.path("seen"), "").unwrap();
        let finished = arena.finish_within(WHOLE_CHECK);
        assert_eq!(finished.code(), 0, "{}{}", finished.stdout, finished.stderr);
    }
}

#[test]
fn what_to_mend_first_stands_at_the_end() {
    let Some(bot) = python("faulty", "recv_is_a_line.py") else { return };
    let finished = check("zappy", &bot, &["--only", "split-lines", "--only", "food"]);
    assert_eq!(finished.code(), 3, "{}", finished.stderr);
    let text = &finished.stdout;
    assert!(text.contains("\nFAILED  split-lines  "), "{text}");
    assert!(text.contains("bot   -> Look") && text.contains("bot   <- [ player"), "{text}");
    assert!(text.contains("read: protocol.md, 3. Connecting\n"), "{text}");
    let end = &text[text.find("\n0 of 2").unwrap()..];
    let lines: Vec<&str> = end.lines().skip(1).take(5).collect();
    assert_eq!(lines[0], "0 of 2 situations passed, 2 failed for 2 reasons.");
    assert!(
        lines[1].starts_with("Mend first: split-lines: a read may end in the middle of a line"),
        "{text}"
    );
    assert_eq!(
        lines[2],
        format!("Try again:  zappy_arena check {} --only split-lines", quoted(Path::new(&bot)))
    );
    assert_eq!(lines[3..], ["", "1. split-lines: reads lines that come in two packets"]);
    assert!(end.contains("\n2. food: ") && end.contains("\n   mend: `Look` names the tiles"), "{text}");
}

#[test]
fn a_transcript_tells_why_the_rules_refused() {
    let Some(bot) = python("faulty", "takes_for_ever.py") else { return };
    let report = in_json(&check("zappy", &bot, &["--json", "--only", "refused"]));
    let transcript = report["findings"][0]["transcript"].as_array().unwrap();
    assert!(
        transcript.iter().any(|line| line.as_str().unwrap().contains(" ?  no food lies here")),
        "{report:#}"
    );
}

#[test]
fn what_is_worth_knowing_of_a_scene_is_told_once() {
    let Some(bot) = python("bots", "slow.py") else { return };
    let bot = bot + " --every 1 --nap 0.3";
    let only = ["match", "commands", "line-ends", "output"].map(|name| ["--only", name]);
    let report = in_json(&check("zappy", &bot, &[&["--json"], only.as_flattened()].concat()));
    let findings = report["findings"].as_array().unwrap();
    let notes = findings.iter().filter_map(|finding| finding["notes"].as_array()).flatten();
    let short = notes.filter(|note| note.as_str().unwrap().contains("ticks were played in 12 s")).count();
    assert_eq!(short, 1, "{report:#}");
}

#[test]
fn a_bot_that_never_comes_is_ended_with_all_it_started() {
    let Some(bot) = python("bots", "clinging.py") else { return };
    let bench = Bench::new();
    let mut command = Command::new(ARENA);
    command.args(["check", &bot, "--only", "login", "--env", "PIDS"]).env("PIDS", bench.path("pids"));
    let finished = Running::start(&mut command).finish_within(WHOLE_CHECK);
    assert_eq!(finished.code(), 3, "{}", finished.stderr);
    let untold = "untold  login               couldn't be judged: it never connected; that is 30.";
    assert!(finished.stdout.contains(untold), "{}", finished.stdout);
    assert!(finished.stdout.contains("connect to the port behind -p"), "{}", finished.stdout);
    assert!(finished.stdout.contains("s after its start, and it still runs"), "{}", finished.stdout);
    assert_gone(&bench.pids("pids", 2));
}

#[test]
fn killing_the_check_leaves_nobody() {
    let Some(bot) = python("bots", "clinging.py") else { return };
    let bench = Bench::new();
    let mut command = Command::new(ARENA);
    command.args(["check", &bot, "--only", "login", "--env", "PIDS"]).env("PIDS", bench.path("pids"));
    let arena = Running::start(&mut command);
    let pids = bench.pids("pids", 2);
    arena.signal(Signal::KILL);
    wait_for("the end of all", || pids.iter().all(|pid| test_kill_process(*pid).is_err()).then_some(()));
}

#[test]
fn an_interrupted_check_says_so() {
    let Some(bot) = python("bots", "clinging.py") else { return };
    let bench = Bench::new();
    let mut command = Command::new(ARENA);
    command.args(["check", &bot, "--env", "PIDS"]).env("PIDS", bench.path("pids"));
    let arena = Running::start(&mut command);
    let pids = bench.pids("pids", 2);
    let finished = arena.insist(Signal::INT);
    assert_eq!(finished.code(), 130, "{}", finished.stderr);
    assert_gone(&pids);
}

#[test]
fn the_list_names_every_situation() {
    for game in zappy_check::GAMES.iter() {
        let finished = run(Command::new(ARENA).args(["check", "--list", "--game", game.name]));
        assert_eq!(finished.code(), 0, "{}", finished.stderr);
        let listed: Vec<&str> = finished.stdout.lines().filter_map(|line| line.split(' ').next()).collect();
        assert_eq!(listed, game.situations.iter().map(|situation| situation.name).collect::<Vec<_>>());
    }
}
