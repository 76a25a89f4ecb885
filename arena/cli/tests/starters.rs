//! The bots that students start from, in `ai-client/starters`: each passes `check`, plays the same match twice, lives
//! by both rule sets, and takes the options that its README tells. The programs in `docs/writing-a-client.md` do what is
//! said of them there. The second game's starters are tried in `starters/conquest.rs`.
//!
//! Where a language's tools are missing, a line says so and its bot is left out, unless `ZAPPY_STARTERS` names the
//! language: a list with blanks.

mod conquest;

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use crate::support::programs::{STARTERS, build, folder, is_there};
use crate::support::{ARENA, Finished, Running, assert_proven, interpreter, quoted, run, server, wait_for};
use serde_json::Value;

/// A check by itself takes half a minute; here several share the machine.
const LIMIT: Duration = Duration::from_secs(240);
/// Ticks after which each of them has reached level 2 and laid an egg.
const TICKS: &str = "2500";

/// The players of Zappy, built once.
fn starters() -> &'static [(&'static str, String)] {
    static BUILT: OnceLock<Vec<(&str, String)>> = OnceLock::new();
    BUILT.get_or_init(|| build("bot"))
}

fn each(work: impl Fn(usize, &str, &str) + Sync) {
    each_of(starters(), work);
}

fn each_of(starters: &[(&str, String)], work: impl Fn(usize, &str, &str) + Sync) {
    std::thread::scope(|scope| {
        for (i, (language, command)) in starters.iter().enumerate() {
            let work = &work;
            scope.spawn(move || work(i, language, command));
        }
    });
}

#[test]
fn every_folder_is_tried() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ai-client/starters");
    for name in crate::support::names(&folder).iter().filter(|name| folder.join(name).is_dir()) {
        assert!(STARTERS.iter().any(|starter| starter.language == name), "nobody plays {name}");
    }
}

/// A server that leaves `Elevation underway` out and sends no blank behind the comma of a message.
fn plain_server(language: &str, listener: &TcpListener) -> Vec<String> {
    let stream = wait_for("the bot", || listener.accept().ok()).0;
    stream.set_nonblocking(false).unwrap();
    stream.set_read_timeout(Some(LIMIT)).unwrap();
    let (mut lines, mut said) = (BufReader::new(&stream).lines(), Vec::new());
    (&stream).write_all(b"WELCOME\n").unwrap();
    assert_eq!(lines.next().unwrap().unwrap(), "red");
    (&stream).write_all(b"3\n10 10\n").unwrap();
    while said.len() < 12 {
        let line = lines.next().unwrap_or_else(|| panic!("{language} left after {said:?}")).unwrap();
        let answer = match line.as_str() {
            "Inventory" => "[ food 9, linemate 0, deraumere 0, sibur 0, mendiane 0, phiras 0, thystame 0 ]\n",
            "Look" => "[ player linemate,,, ]\n",
            "Incantation" => "message 4,text\nCurrent level: 2\n",
            "Connect_nbr" => "2\n",
            _ => "ok\n",
        };
        said.push(line);
        (&stream).write_all(answer.as_bytes()).unwrap();
    }
    said
}

/// A port that accepts without waiting, and a bot of the team red that is to connect there.
fn listen_to(bot: &str) -> (TcpListener, Running) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    let words = shlex::split(bot).unwrap();
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).args(["-p", &port, "-n", "red", "-h", "127.0.0.1"]);
    (listener, Running::start(&mut command))
}

#[test]
fn each_copes_with_servers_that_say_less() {
    each(|_, language, bot| {
        let (listener, running) = listen_to(bot);
        let said = plain_server(language, &listener);
        drop(running);
        let begin = ["Inventory", "Look", "Incantation", "Connect_nbr", "Inventory", "Look"];
        assert_eq!(said[..begin.len()], begin, "{language}");
        assert!(
            !said[begin.len()..].iter().any(|line| line == "Incantation"),
            "{language} missed its level: {said:?}"
        );
    });
}

#[test]
fn an_older_python_is_told_which_version_is_needed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ai-client/starters/python");
    if !is_there("python3") {
        return;
    }
    // What a Python of 2015 can't read would end it before it can say so.
    let script = "import ast, sys, runpy\nast.parse(open(sys.argv[1]).read(), feature_version=(3, 4))\n\
                  sys.version_info = (3, 4)\nrunpy.run_path(sys.argv[1])";
    for name in ["bot.py", "conquest.py"] {
        let output =
            Command::new("python3").args(["-B", "-c", script]).arg(folder.join(name)).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.starts_with(&format!("{name} needs Python 3.8 or later; this is ")), "{said}");
    }
}

/// Without a note, too: it laid an egg, began an incantation, took things, and ended as it should.
#[test]
fn each_passes_the_check() {
    each(|_, language, bot| {
        let begun = Instant::now();
        let finished =
            Running::start(Command::new(ARENA).args(["check", bot, "--json"])).finish_within(LIMIT);
        let report: Value = serde_json::from_str(&finished.stdout)
            .unwrap_or_else(|error| panic!("{language}: {error}\n{}", finished.stderr));
        assert_eq!(finished.code(), 0, "{language}: {report:#}");
        assert_eq!(report["passed"], report["situations"], "{language}: {report:#}");
        for finding in report["findings"].as_array().unwrap() {
            // A busy machine plays fewer ticks; all else that is noted is something it never did.
            let mut notes = finding["notes"].as_array().into_iter().flatten().filter_map(Value::as_str);
            let note = notes.find(|note| !note.starts_with("only "));
            assert_eq!(note, None, "{language}: {finding:#}");
        }
        eprintln!("{language}: all passed in {:.0} s", begun.elapsed().as_secs_f64());
    });
}

/// The official server answers `Connect_nbr` at once, before an incantation that was sent earlier.
#[test]
fn each_takes_answers_out_of_order() {
    each(|_, language, bot| {
        let options = ["--rules", "official", "--only", "rivals"];
        let finished =
            Running::start(Command::new(ARENA).args(["check", bot]).args(options)).finish_within(LIMIT);
        assert_eq!(finished.code(), 0, "{language}: {}{}", finished.stdout, finished.stderr);
    });
}

fn play(red: &str, blue: &str, out: &Path) -> Finished {
    play_for("subject", red, blue, out, [TICKS, "2"])
}

fn play_for(rules: &str, red: &str, blue: &str, out: &Path, [ticks, clients]: [&str; 2]) -> Finished {
    if out.exists() {
        std::fs::remove_dir_all(out).unwrap();
    }
    let mut command = Command::new(ARENA);
    command.arg("match").arg("--server").arg(server()).args(["--clock", "lockstep", "--rules", rules]);
    command.args(["--think-time", "60000"]);
    command.args([
        "--width",
        "10",
        "--height",
        "10",
        "--clients",
        clients,
        "--seed",
        "42",
        "--max-ticks",
        ticks,
    ]);
    command.arg("--bot").arg(format!("red={red}")).arg("--bot").arg(format!("blue={blue}"));
    Running::start(command.arg("--out").arg(out)).finish_within(LIMIT)
}

#[test]
fn a_match_of_two_is_the_same_twice() {
    let all = starters();
    each(|i, language, red| {
        let (other, blue) = &all[(i + 1) % all.len()];
        let [first, second] =
            ["first", "second"].map(|name| folder("matches").join(format!("{language}-{name}")));
        for out in [&first, &second] {
            let finished = play(red, blue, out);
            assert_eq!(finished.code(), 0, "{language}, {other}: {}", finished.stderr);
        }
        let read = |out: &Path, name: &str| std::fs::read(out.join(name)).unwrap();
        let same = read(&first, "match.zrec") == read(&second, "match.zrec");
        assert!(same, "{language} against {other}: cmp {} {}", first.display(), second.display());
        assert_proven(&first);
        let result: Value = serde_json::from_slice(&read(&first, "result.json")).unwrap();
        assert_eq!(result["reproducible"], true, "{result:#}");
        assert_eq!(result["lockstep"]["late"], 0, "{result:#}");
        let record = String::from_utf8(read(&first, "match.zrec")).unwrap();
        let lines = |part: &str| record.lines().filter(|line| line.contains(part)).count();
        // Each of the four has laid its egg, a player has hatched from each, and none sent what is no command.
        assert_eq!((lines(" * pfk "), lines(" + ")), (4, 8), "{language} against {other}");
        assert!(lines("Current level: 2") >= 4 && lines(":at:") > 0, "{language} against {other}");
        assert_eq!(
            lines(" dead") + lines("dropped:") + lines("unknown command"),
            0,
            "{language} against {other}"
        );
    });
}

/// There `Inventory` tells food in ticks. A bot that takes them for units eats only when the last unit has been begun.
#[test]
fn each_lives_and_rises_by_the_strict_rules() {
    each(|_, language, bot| {
        let out = folder("matches").join(format!("{language}-strict"));
        let finished = play_for("strict", bot, bot, &out, [TICKS, "2"]);
        assert_eq!(finished.code(), 0, "{language}: {}", finished.stderr);
        let record = std::fs::read_to_string(out.join("match.zrec")).unwrap();
        assert!(record.contains("\noption rules strict\n"), "{language}: {record:.200}");
        let lines = |part: &str| record.lines().filter(|line| line.contains(part)).count();
        assert_eq!((lines(" * pfk "), lines(" + "), lines(" dead")), (4, 8, 0), "{language}");
        assert!(lines("Current level: 2") >= 4, "{language}");
        assert_eq!(lines("[food 0,"), 0, "{language}: somebody let it come to the last unit");
        assert!(lines("[food 1134,") >= 4, "{language}: food isn't told in ticks");
    });
}

#[test]
fn each_takes_the_options_it_tells() {
    each(takes_its_options);
}

fn takes_its_options(_: usize, language: &str, bot: &str) {
    let words = shlex::split(bot).unwrap();
    let with = |arguments: &[&str]| run(Command::new(&words[0]).args(&words[1..]).args(arguments));
    let help = with(&["--help"]);
    assert_eq!(help.code(), 0, "{language}: {}", help.stderr);
    for part in ["-p PORT", "-n TEAM", "-h HOST", "--help"] {
        assert!(help.stdout.contains(part), "{language}: no {part} in {}", help.stdout);
    }
    for wrong in [&["-n", "red"][..], &["-p", "4242"], &["-x"], &["-p", "4242", "-n"]] {
        let refused = with(wrong);
        assert_eq!(refused.code(), 2, "{language} {wrong:?}: {}", refused.stderr);
        assert!(refused.stderr.contains("-p PORT"), "{language} {wrong:?}: {}", refused.stderr);
    }
    // A port that was free a moment ago: no server listens there.
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port().to_string();
    let alone = with(&["-p", &free, "-n", "red", "-h", "127.0.0.1"]);
    assert_eq!(alone.code(), 1, "{language}: {}", alone.stderr);
    assert!(alone.stderr.contains(&format!("no server on 127.0.0.1:{free}")), "{language}: {}", alone.stderr);
    let ladder = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = ladder.local_addr().unwrap().port().to_string();
    let refuses = std::thread::spawn(move || {
        let (mut stream, _) = ladder.accept().unwrap();
        stream.write_all(b"WELCOME\n").unwrap();
        let mut said = String::new();
        BufReader::new(&stream).read_line(&mut said).unwrap();
        stream.write_all(b"ko\n").unwrap();
        said
    });
    let refused = with(&["-p", &port, "-n", "ada:0123", "-h", "127.0.0.1"]);
    assert_eq!(refuses.join().unwrap(), "ada:0123\n");
    assert_eq!(refused.code(), 1, "{language}: {}", refused.stderr);
    let told = refused.stderr.contains(" ada: no such ") && refused.stderr.contains("no or a wrong token");
    assert!(told && !refused.stderr.contains("0123"), "{language}: {}", refused.stderr);
}

/// The programs of the guide, beside a copy of the starter that they continue; by their names.
fn steps(bot: &Path) -> Vec<(String, String)> {
    let here = folder("steps");
    std::fs::copy(bot, here.join("bot.py")).unwrap();
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/writing-a-client.md");
    let guide = std::fs::read_to_string(guide).unwrap();
    let programs = guide.split("```python\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    // Programs say in their first line how they are called; other pieces of code are parts of one.
    let programs = programs.filter(|program| program.starts_with("# step"));
    let named = |program: &str| {
        let name = program.trim_start_matches("# ").split(':').next().unwrap();
        std::fs::write(here.join(name), program).unwrap();
        name.to_owned()
    };
    let mut names: Vec<String> = programs.map(named).collect();
    for name in ["step4.py", "step5.py"] {
        let program =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ai-client/starters/python/steps").join(name);
        std::fs::copy(program, here.join(name)).unwrap();
        names.push(name.to_owned());
    }
    let step = |name: String| {
        let command = format!("{} -B {}", interpreter().unwrap(), quoted(&here.join(&name)));
        (name, command)
    };
    names.into_iter().map(step).collect()
}

#[test]
fn each_step_of_the_guide_runs() {
    let Some((_, bot)) = starters().iter().find(|(language, _)| *language == "python") else { return };
    let steps = steps(Path::new(shlex::split(bot).unwrap().last().unwrap()));
    let names: Vec<&str> = steps.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["step1.py", "step2.py", "step4.py", "step5.py"]);
    std::thread::scope(|scope| {
        for (name, step) in &steps {
            scope.spawn(move || take_step(name, step, bot));
        }
    });
}

fn take_step(name: &str, step: &str, bot: &str) {
    let out = folder("matches").join(name);
    let length = if name == "step5.py" { ["15000", "6"] } else { ["2000", "2"] };
    let finished = play_for("subject", step, bot, &out, length);
    assert_eq!(finished.code(), 0, "{name}: {}", finished.stderr);
    let result: Value = serde_json::from_slice(&std::fs::read(out.join("result.json")).unwrap()).unwrap();
    let record = std::fs::read_to_string(out.join("match.zrec")).unwrap();
    let logs = std::fs::read_to_string(out.join("logs/red-1.log")).unwrap();
    assert!(!logs.contains("Traceback"), "{name}: {logs}");
    assert_eq!(result["reproducible"], true, "{name}: {result:#}");
    match name {
        "step1.py" => assert!(logs.contains("10 10") && logs.contains("[ player"), "{logs}"),
        "step2.py" => assert!(logs.contains("Forward -> ok\nInventory -> [ food 9, "), "{logs}"),
        "step4.py" => assert!(record.contains(" message 0, red:come"), "nobody met"),
        _ => {
            assert_eq!(
                (&result["winner"], &result["reason"]),
                (&"red".into(), &"elevation".into()),
                "{result:#}"
            );
        }
    }
}
