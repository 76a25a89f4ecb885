//! Matches to find out what a bot does: without limits, with programs that people start, tick by tick, twice, and with what
//! bots note.
//!
//! Where there is no Python a line says so, and tests that need its bots pass, unless `ZAPPY_PYTHON=required`.

mod call;
mod told;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use self::call::call;
use crate::support::{
    ARENA, Bench, Finished, Running, assert_proven, client, names, python, run, server, wait_for,
};
use serde_json::{Value, json};

/// A match takes a second or two; a busy machine takes longer.
const WHOLE_MATCH: Duration = Duration::from_secs(240);

/// A small match in lockstep into `out`, of `zappy_arena match` with these arguments.
fn small(bench: &Bench, out: &str, arguments: &[&str]) -> Command {
    assert!(server().exists());
    let mut command = Command::new(ARENA);
    // Three factions need more room than players.
    let side = if arguments.contains(&"conquest") { "12" } else { "8" };
    command.args(["match", "--seed", "3", "--width", side, "--height", side]);
    if !arguments.contains(&"--max-ticks") {
        command.args(["--max-ticks", "300"]);
    }
    command.args(arguments).arg("--out").arg(bench.path(out));
    command
}

fn played(command: &mut Command) -> Finished {
    let finished = Running::start(command).finish_within(WHOLE_MATCH);
    assert_eq!(finished.code(), 0, "{}", finished.stderr);
    finished
}

fn result(bench: &Bench, out: &str) -> Value {
    serde_json::from_slice(&fs::read(bench.path(out).join("result.json")).unwrap()).unwrap()
}

fn shown(out: &Path, arguments: &[&str]) -> String {
    let finished = run(Command::new(ARENA).arg("show").arg(out).args(arguments));
    assert_eq!(finished.code(), 0, "{}", finished.stderr);
    finished.stdout
}

/// A pipe that a bot waits at, until something is written into it.
fn pipe(bench: &Bench) -> PathBuf {
    let pipe = bench.path("go");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    pipe
}

#[test]
fn flags_that_contradict_each_other_are_refused_by_both_their_names() {
    let bench = Bench::new();
    let client = client();
    let bots = [format!("red={client}"), format!("blue={client}")];
    for (flags, parts) in [
        (&["--debug", "--timeout", "9"][..], &["--debug and --timeout", "leave one of them away"][..]),
        (&["--debug", "--think-time", "9"], &["--debug and --think-time", "leave one of them away"]),
        (&["--debug", "--lobby-time", "9"], &["--debug and --lobby-time"]),
        (&["--debug", "--max-late", "9"], &["--debug and --max-late"]),
        (&["--step", "--clock", "real"], &["--step and --clock real"]),
        (
            &["--clock", "lockstep", "--think-time", "60000", "--timeout", "60"],
            &["--timeout and --think-time", "give more seconds to --timeout"],
        ),
        (&["--twice"], &["--twice belongs to the lockstep clock; add --clock lockstep"]),
        (&["--in-process", "--debug"], &["--debug means nothing with --in-process"]),
        (&["--in-process", "--twice"], &["--twice means nothing with --in-process"]),
        (&["--bot", "green=@attach", "--twice"], &["--twice and @attach"]),
        (&["--bot", "green=@attach:0"], &["--bot green: write @attach, or @attach:N"]),
        (&["--bot", "green=@attached"], &["--bot green: write @attach, or @attach:N"]),
    ] {
        let arguments = [&["--bot", &bots[0], "--bot", &bots[1]], flags].concat();
        let finished = run(&mut small(&bench, "out", &arguments));
        assert_eq!(finished.code(), 2, "{}", finished.stderr);
        for part in parts {
            assert!(finished.error().contains(part), "{flags:?}: {}", finished.stderr);
        }
    }
    // What a player may take to think is no reason to cut the match off.
    let patient = [
        &["--clock", "lockstep", "--think-time", "60000", "--bot", &bots[0], "--bot", &bots[1]][..],
        &["--clients", "1"],
    ];
    let finished = played(&mut small(&bench, "patient", &patient.concat()));
    assert!(finished.stderr.contains("at most 300 ticks and 743 s"), "{}", finished.stderr);
    assert!(!bench.path("out").exists());
}

#[test]
fn what_is_graded_knows_neither_debugging_nor_programs_that_people_start() {
    let client = client();
    for command in [
        &["compare", "--debug", &client, &client][..],
        &["grade", "--debug"],
        &["tournament", "run", "--step", "x"],
    ] {
        let finished = run(Command::new(ARENA).args(command));
        assert_eq!(finished.code(), 2, "{}", finished.stderr);
        assert!(
            finished.error().contains("is for zappy_arena match alone: what is graded has limits"),
            "{}",
            finished.stderr
        );
    }
    let folder = tempfile::tempdir().unwrap();
    let bots = folder.path().join("bots.toml");
    fs::write(
        &bots,
        "[[bot]]\nname = \"mine\"\ncommand = \"@attach\"\n[[bot]]\nname = \"other\"\ncommand = \"true\"\n",
    )
    .unwrap();
    let plan = Command::new(ARENA)
        .args(["tournament", "plan", "--seeds", "1", "--bots"])
        .arg(&bots)
        .arg("--out")
        .arg(folder.path().join("out"))
        .output()
        .unwrap();
    assert_eq!(plan.status.code(), Some(2));
    let said = String::from_utf8_lossy(&plan.stderr).into_owned();
    assert!(said.contains("@attach stands for a program that you start yourself"), "{said}");
}

#[test]
fn a_bot_that_stands_at_a_breakpoint_costs_nothing_and_the_match_goes_on() {
    let Some(noter) = python("bots", "noter.py") else { return };
    let bench = Bench::new();
    let go = pipe(&bench);
    let red = format!("red={noter} --wait {}", crate::support::quoted(&go));
    let blue = format!("blue={}", client());
    let match_of = small(&bench, "out", &["--debug", "--clients", "1", "--bot", &red, "--bot", &blue]);
    let mut command = match_of;
    let running = Running::start(&mut command);
    // It has noted that it stands, and its note is read while the match waits.
    let notes = bench.path("out/notes/red-1.txt");
    wait_for("the breakpoint", || {
        fs::read_to_string(&notes).ok().filter(|text| text.contains("2/4 marker waits\n"))
    });
    fs::write(&go, "\n").unwrap();
    let finished = running.finish_within(WHOLE_MATCH);
    assert_eq!(finished.code(), 0, "{}", finished.stderr);
    let result = result(&bench, "out");
    assert_eq!(
        (&result["arena"]["debug"], &result["reproducible"], &result["lockstep"]["late"], &result["ticks"]),
        (&json!(true), &json!(true), &json!(0), &json!(300))
    );
    assert_eq!(result["lockstep"]["think_time_ms"], Value::Null);
    assert!(finished.stdout.contains("not to be graded"), "{}", finished.stdout);
    assert_proven(&bench.path("out"));
}

#[test]
fn programs_that_people_start_play_and_are_told_apart() {
    let program = crate::support::binary("zappy-ai", "zappy_ai");
    for (game, flags) in [
        ("zappy", &["--debug", "--clients", "1"][..]),
        ("zappy", &["--clients", "1"]),
        ("conquest", &["--debug"]),
    ] {
        let bench = Bench::new();
        let blue = format!("blue={}", client());
        let bots = ["--game", game, "--bot", "red=@attach", "--bot", &blue, "--bot", "green=@attach"];
        let ticks: &[&str] = if game == "conquest" { &["--turns", "4", "--max-ticks", "9000"] } else { &[] };
        let running = Running::start(&mut small(&bench, "out", &[flags, &bots, ticks].concat()));
        let mut programs: Vec<_> = ["red", "green"]
            .into_iter()
            .map(|team| {
                let call = wait_for("the call", || call(&running.said(), team));
                let mut command = Command::new(&program);
                command
                    .args(&call.arguments)
                    .envs(call.variables.iter().cloned())
                    .stdin(Stdio::null())
                    .stderr(Stdio::null());
                assert_eq!(call.variables[0], ("ZAPPY_GAME".to_owned(), game.to_owned()));
                let notes = &call.variables[2];
                assert_eq!(notes.0, "ZAPPY_NOTES");
                fs::write(&notes.1, format!("0 I am {team}\n")).unwrap();
                (command.spawn().unwrap(), call)
            })
            .collect();
        let finished = running.finish_within(WHOLE_MATCH);
        assert_eq!(finished.code(), 0, "{}", finished.stderr);
        for (program, _) in &mut programs {
            program.wait().unwrap();
        }
        let result = result(&bench, "out");
        let team = |place: usize| &result["arena"]["teams"][place];
        for (place, (_, call)) in [0, 2].into_iter().zip(&programs) {
            let told = &team(place)["attached"][0];
            let name = team(place)["team"].as_str().unwrap();
            let notes = fs::read_to_string(bench.path("out/notes").join(format!("{name}-1.txt"))).unwrap();
            assert_eq!(notes, format!("# player {told}\n# team {name}\n0 I am {name}\n"));
            assert_eq!(call.variables[1], ("ZAPPY_SEED".to_owned(), team(place)["seed"].to_string()));
            let dialogue = shown(&bench.path("out"), &["--player", &told.to_string()]);
            assert!(dialogue.contains(&format!("I am {name}")) && dialogue.contains(name), "{dialogue}");
        }
        let players = team(1)["processes"][0]["players"].as_array().unwrap();
        assert!(team(1)["attached"].is_null() && !players.is_empty());
        let attached = [0, 2].map(|place| team(place)["attached"][0].clone());
        assert!(players.iter().all(|player| !attached.contains(player)), "{players:?} {attached:?}");
        assert_eq!(result["reproducible"], json!(false));
        assert!(
            result["not_reproducible"].to_string().contains("which program of green was attached"),
            "{result:#}"
        );
        assert_eq!(result["arena"].get("debug").is_some(), flags[0] == "--debug");
        assert!(result["arena"]["connections_from_outside"].as_u64().unwrap() >= 2);
        assert_proven(&bench.path("out"));
    }
}

#[test]
fn a_bot_does_not_come_in_as_a_team_whose_program_people_start() {
    let Some(impostor) = python("bots", "impostor.py") else { return };
    let bench = Bench::new();
    let blue = format!("blue={impostor} --name red");
    let running = Running::start(&mut small(
        &bench,
        "out",
        &["--clients", "1", "--bot", "red=@attach", "--bot", &blue],
    ));
    running.wait_for_line("blue broke the rules and was ended");
    drop(running);
}

#[test]
fn each_tick_waits_for_the_operator() {
    let bench = Bench::new();
    let client = client();
    let bots =
        ["--step", "--clients", "1", "--bot", &format!("red={client}"), "--bot", &format!("blue={client}")];
    let mut running = Running::start_typing(&mut small(&bench, "out", &bots));
    running.wait_for_line(
        "tick 0 (Enter: the next stop; a number: so many ticks; c: on without stopping; q: end the match) | ",
    );
    running.type_in("\n");
    running.wait_for_line("\ntick 1 | ");
    running.type_in("what?\n3\n");
    running.wait_for_line("warning: \"what?\" isn't understood; Enter: the next stop;");
    wait_for("three ticks more", || {
        let said = running.said();
        let last =
            said.lines().rfind(|line| line.starts_with("tick "))?.split(' ').nth(1)?.parse::<u64>().ok()?;
        (last > 3).then_some(())
    });
    running.type_in("c\n");
    let finished = running.finish_within(WHOLE_MATCH);
    assert_eq!(finished.code(), 0, "{}", finished.stderr);
    let result = result(&bench, "out");
    assert_eq!(
        (&result["ticks"], &result["arena"]["debug"], &result["reproducible"]),
        (&json!(300), &json!(true), &json!(true))
    );
    // A player that never comes is told of at once, and again when it can't come any more.
    let told = played(small(&bench, "never", &bots).args(["--player", "77"])).stderr;
    let (before, after) = told.split_once("\ntick 0 ").unwrap();
    assert!(before.contains("warning: no player 77 plays yet; those that do: 0, 1"), "{told}");
    assert!(after.contains("warning: no player 77 ever played; those that did: 0, 1"), "{told}");
    // The end of the input lets it go on, and q ends it.
    let told = played(small(&bench, "ended", &bots).args(["--player", "0"])).stderr;
    assert!(told.contains("        0 >  8 8\n        0 <  Inventory\ntick 0 "), "{told}");
    let mut running = Running::start_typing(small(&bench, "quit", &bots).args(["--player", "red-7"]));
    running.wait_for_line("no program's log is called \"red-7\"; there are red-1, blue-1");
    running.wait_for_line("tick 0 (Enter");
    running.type_in("q\n");
    let finished = running.finish_within(WHOLE_MATCH);
    assert_eq!(
        (finished.code(), finished.error()),
        (130, "interrupted; the match was not played to its end")
    );
}

#[test]
fn what_a_bot_notes_lies_beside_its_match_and_is_shown_in_its_place() {
    let Some(noter) = python("bots", "noter.py") else { return };
    let bench = Bench::new();
    let bots = [
        "--debug",
        "--clients",
        "2",
        "--bot",
        &format!("red={noter}"),
        "--bot",
        &format!("blue={}", client()),
    ];
    played(&mut small(&bench, "one", &bots));
    played(&mut small(&bench, "two", &bots));
    let files = names(&bench.path("one/notes"));
    assert_eq!(files, ["red-1.txt", "red-2.txt"]);
    let result = result(&bench, "one");
    let texts = |out: &str| {
        let mut texts: Vec<String> = files
            .iter()
            .map(|file| fs::read_to_string(bench.path(out).join("notes").join(file)).unwrap())
            .collect();
        // Processes of a team are interchangeable: which of them gets which player hangs on who came first.
        texts.iter_mut().for_each(|text| {
            *text = text
                .lines()
                .filter(|line| !line.starts_with("# log"))
                .map(|line| format!("{line}\n"))
                .collect();
        });
        texts.sort();
        texts
    };
    assert_eq!(texts("one"), texts("two"), "no clock is in them");
    for place in 0..2 {
        let process = &result["arena"]["teams"][0]["processes"][place];
        let player = &process["players"][0];
        let text = fs::read_to_string(bench.path("one/notes").join(&files[place])).unwrap();
        let head = format!("# player {player}\n# team red\n# log {}\n", process["log"].as_str().unwrap());
        assert!(text.starts_with(&head), "{text}");
        let dialogue = shown(&bench.path("one"), &["--player", &player.to_string()]);
        let lines: Vec<&str> = dialogue.lines().collect();
        let look = lines.iter().position(|line| line.contains("< ") && line.ends_with(" Look")).unwrap();
        // The command, its answer, what was noted of it, and then the next command, at the same tick.
        let answer = lines[look + 1].split_once('[').unwrap().1;
        assert_eq!(lines[look + 2].split_once("saw [").unwrap().1, answer, "{dialogue}");
        assert!(lines[look + 3].ends_with(":         tile 0 -1 ahead"), "{dialogue}");
        assert!(lines[look + 4].ends_with(":         marker logged in"), "{dialogue}");
        assert!(lines[look + 5].contains(" < "), "{dialogue}");
        let json = shown(&bench.path("one"), &["--player", &player.to_string(), "--json"]);
        let note = json
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap())
            .find(|line| line["kind"] == "tile")
            .unwrap();
        assert_eq!(
            (&note["type"], &note["at"], &note["text"], &note["sent"]),
            (&json!("note"), &json!([0, -1]), &json!("ahead"), &json!(1))
        );
    }
    let story = shown(&bench.path("one"), &[]);
    assert_eq!(story.matches("notes: marker logged in").count(), 2, "{story}");
    assert!(!story.contains("saw [") && shown(&bench.path("one"), &["--all"]).contains("notes: saw ["));
}

#[test]
fn bad_notes_cost_nothing_and_are_told_once() {
    let Some(noter) = python("bots", "noter.py") else { return };
    let bench = Bench::new();
    let bots: Vec<String> =
        ["garbage", "fifo", "link", "folder"].iter().map(|way| format!("{way}={noter} --as {way}")).collect();
    let flags: Vec<&str> = bots.iter().flat_map(|bot| ["--bot", bot]).collect();
    let arguments = [&["--debug", "--clients", "1"][..], &flags].concat();
    let finished = played(&mut small(&bench, "out", &arguments));
    let told: Vec<&str> = finished
        .stderr
        .lines()
        .filter(|line| line.contains("of what bots noted something was left out"))
        .collect();
    assert!(told.len() == 1 && told[0].ends_with("; and of 3 more"), "{}", finished.stderr);
    let result = result(&bench, "out");
    assert_eq!((&result["reproducible"], &result["ticks"]), (&json!(true), &json!(300)));
    for name in names(&bench.path("out/notes")) {
        let text = fs::read_to_string(bench.path("out/notes").join(&name)).unwrap();
        assert!(
            text.lines().all(|line| line.starts_with("# ")) && text.contains("# left-out "),
            "{name}: {text}"
        );
        assert!(!text.contains("root:"), "{text}");
    }
    assert_eq!(names(&bench.path("out/notes")).len(), 4);
    let player = result["arena"]["teams"][0]["processes"][0]["players"][0].to_string();
    assert!(
        shown(&bench.path("out"), &["--player", &player]).contains("was left out: all beyond 20000 notes")
    );
    // The folder is the arena's own, so that it can be played into again.
    played(small(&bench, "out", &arguments).arg("--force"));
}

#[test]
fn a_match_is_played_twice_and_the_first_difference_is_told() {
    let bench = Bench::new();
    let blue = format!("blue={}", client());
    let red = format!("red={}", client());
    let finished = played(&mut small(
        &bench,
        "same",
        &["--debug", "--twice", "--clients", "1", "--bot", &red, "--bot", &blue],
    ));
    assert!(
        finished.stdout.ends_with("played twice: the records are equal, to the byte\n"),
        "{}",
        finished.stdout
    );
    assert_eq!(names(&bench.path("same")), ["logs", "match.zrec", "result.json"]);
    // Without it, the command that proves it is told; it can be copied.
    let finished =
        played(&mut small(&bench, "once", &["--debug", "--clients", "1", "--bot", &red, "--bot", &blue]));
    let proof: String = finished
        .stdout
        .lines()
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .map(|line| format!("{line}\n"))
        .collect();
    assert!(
        finished.stdout.contains("as far as the server can see") && proof.contains("cmp "),
        "{}",
        finished.stdout
    );
    let copied = Command::new("sh").args(["-e", "-c", &proof]).stdin(Stdio::null()).output().unwrap();
    assert!(copied.status.success(), "{proof}{}", String::from_utf8_lossy(&copied.stderr));
    // Its end is told by its tick, also where time doesn't pass.
    assert!(finished.stderr.lines().any(|line| line.contains("s  tick 300: ")), "{}", finished.stderr);
    let Some(noter) = python("bots", "noter.py") else { return };
    let red = format!("red={noter} --dice on");
    let finished = Running::start(&mut small(
        &bench,
        "out",
        &["--debug", "--twice", "--clients", "1", "--bot", &red, "--bot", &blue],
    ))
    .finish_within(WHOLE_MATCH);
    assert_eq!(
        (finished.code(), finished.error()),
        (3, "played twice, the records differ"),
        "{}",
        finished.stdout
    );
    assert!(
        finished.stdout.contains("said something else after having read the same: it is its program"),
        "{}",
        finished.stdout
    );
    assert!(bench.path("out/again.zrec").exists());
}

/// The commands of the guide's section do what it says.
#[test]
fn the_guide_to_debugging_can_be_followed_word_by_word() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let guide = fs::read_to_string(root.join("docs/writing-a-client.md")).unwrap();
    let section = guide.split("\n## Debugging\n").nth(1).unwrap().split("\n## ").next().unwrap();
    let Some(python) = python("../../../ai-client/starters/python", "bot.py") else { return };
    let bench = Bench::new();
    let folder = format!("{}/", bench.path("matches").display());
    // They lie where no name has a blank, as the guide's do.
    let (mine, ours) = (bench.path("bot.py"), bench.path("zappy_ai"));
    fs::copy(root.join("ai-client/starters/python/bot.py"), &mine).unwrap();
    std::os::unix::fs::symlink(&shlex::split(&client()).unwrap()[0], &ours).unwrap();
    let python = format!("{} {}", shlex::split(&python).unwrap()[0], mine.display());
    let commands =
        section.split("```sh\n").skip(1).flat_map(|block| block.split("```").next().unwrap().lines());
    let mut tried = 0;
    for line in commands {
        let line = line.split("  # ").next().unwrap().trim();
        let mine =
            line.replace("python3 my_bot/bot.py", &python).replace("./zappy_ai", &ours.display().to_string());
        let mine = mine.replace("matches/", &folder).replace("--port 4242 ", "");
        let words = shlex::split(&mine).unwrap();
        let mut command = Command::new(ARENA);
        command.args(&words[1..]);
        if line.contains("--clock lockstep") {
            // A busy machine shall make no program late.
            command.args(["--think-time", "60000"]);
        }
        tried += 1;
        match (words[0].as_str(), line.contains("@attach")) {
            ("./zappy_gui", _) => assert!(Path::new(&words[2]).exists(), "{line}"),
            (_, true) => {
                let running = Running::start(&mut command);
                let call = wait_for("the call", || call(&running.said(), "red"));
                let bot = shlex::split(&python).unwrap();
                let mut bot = Command::new(&bot[0])
                    .args(&bot[1..])
                    .args(&call.arguments)
                    .envs(call.variables)
                    .stderr(Stdio::null())
                    .spawn()
                    .unwrap();
                let finished = running.insist_when(|| {
                    fs::read_to_string(bench.path("matches/debug/notes/red-1.txt"))
                        .is_ok_and(|text| text.contains("wants"))
                });
                bot.wait().unwrap();
                assert_eq!(finished.code(), 130, "{line}: {}", finished.stderr);
            }
            _ => assert_eq!(Running::start(&mut command).finish_within(WHOLE_MATCH).code(), 0, "{line}"),
        }
    }
    assert_eq!(tried, 7, "{section}");
    let story = shown(&bench.path("matches/notes"), &[]);
    assert!(story.contains("notes: marker level 2"), "{story}");
}
