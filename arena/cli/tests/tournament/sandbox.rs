//! Bubblewrap around bots, where it works; elsewhere a line says so.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use zappy_play::programs::bubblewrap::{Sandbox, first_hidden};
use zappy_play::programs::fence;
use zappy_play::programs::limits::Limits;
use zappy_play::programs::room::Room;

use super::stage::Stage;
use crate::support::{PYTHON, binary, client, names, python, quoted};

/// Whether it is there, works, and may read our client where that lies. `ZAPPY_SANDBOX=required` makes anything else a
/// failure.
pub fn works() -> bool {
    let needed = [binary("zappy-ai", "zappy_ai")];
    let room = Room {
        works_in: Path::new("/"),
        folder: None,
        hidden: &[],
        needed: &needed,
        limits: Limits::DEFAULT,
        drops: false,
    };
    let hidden = Sandbox::find()
        .and_then(Sandbox::try_out)
        .and_then(|sandbox| first_hidden(&sandbox.around(&room), &needed));
    let why = match hidden {
        Ok(None) => return true,
        Ok(Some(path)) => format!("bubblewrap may not read {}", path.display()),
        Err(why) => why,
    };
    let required = std::env::var_os("ZAPPY_SANDBOX").is_some_and(|value| value == "required");
    assert!(!required, "ZAPPY_SANDBOX=required, but {why}");
    eprintln!("{why}, so the sandbox is not tested");
    false
}

/// Whether the kernel has Landlock with all that is used of it. `ZAPPY_SANDBOX=required` makes anything else a failure.
pub fn has_landlock() -> bool {
    let holds = fence::find();
    let whole = holds.as_ref().is_ok_and(|holds| holds == "files, connections, signals");
    let required = std::env::var_os("ZAPPY_SANDBOX").is_some_and(|value| value == "required");
    assert!(whole || !required, "ZAPPY_SANDBOX=required, but Landlock holds {holds:?}");
    if !whole {
        eprintln!("Landlock holds {holds:?} here, so it is not tested");
    }
    whole
}

/// What a bot finds around it; then it plays.
fn looks_around(stage: &Stage) -> String {
    let bench = quoted(stage.bench.folder.path());
    [
        format!("[ -e {bench}/ada/bot ] && echo sees another bot"),
        format!("[ -e {bench}/night/plan.jsonl ] && echo sees the plan"),
        format!("[ -w {bench}/bob ] && echo writes to its source"),
        "[ -w /etc ] && echo writes to the system".to_owned(),
        // Outside, only root may do so.
        "[ -w /proc/sys/kernel/core_pattern ] && echo writes to the kernel".to_owned(),
        "[ $(ls /proc | grep -c '^[0-9]') -gt 9 ] && echo sees processes".to_owned(),
        "[ -w /tmp ] && : >here || echo writes nowhere".to_owned(),
        "setsid env -i sleep 600 >/dev/null 2>&1 &".to_owned(),
        format!("echo looked\nexec {} \"$@\"", client()),
    ]
    .join("\n")
}

#[test]
fn inside_a_bot_sees_itself_alone_and_plays_the_same() {
    if !works() {
        return;
    }
    let mut stage = Stage::new();
    stage.player("ada");
    let body = looks_around(&stage);
    stage.script("bob", &body, "");
    for out in ["night", "calm"] {
        stage.planned(out, &["--seeds", "1"]);
    }
    for (out, sandbox, told) in [("night", "bwrap", "looked\n"), ("calm", "none", "sees another bot")] {
        let finished = stage.run(out, &["--sandbox", sandbox]);
        assert_eq!(finished.code(), 0, "{}", finished.stderr);
        for id in names(&stage.out(out).join("matches")) {
            let log =
                fs::read_to_string(stage.out(out).join("matches").join(id).join("logs/bob-1.log")).unwrap();
            assert!(log.starts_with(told), "{log}");
        }
    }
    assert_eq!(stage.results("night"), stage.results("calm"));
    stage.assert_tidy("night");
}

#[test]
fn ends_inside_are_those_outside() {
    if !works() {
        return;
    }
    let mut stage = Stage::new();
    stage.player("ada");
    stage.script("cracks", "kill -SEGV $$", "");
    stage.script("burns", "while :; do :; done", "limits = { cpu_seconds = 1 }\n");
    let flags = ["--against", "ada", "--seeds", "1", "--lobby-time", "120"];
    stage.planned("night", &flags);
    stage.planned("calm", &flags);
    for (out, sandbox) in [("night", "bwrap"), ("calm", "none")] {
        assert_eq!(stage.run(out, &["--sandbox", sandbox, "--strict"]).code(), 3);
    }
    assert_eq!(stage.results("night"), stage.results("calm"));
    stage.assert_tidy("night");
}

#[test]
fn a_program_in_a_hidden_place_is_found_also_through_a_link() {
    if !works() {
        return;
    }
    let mut stage = Stage::new();
    stage.player("ada");
    let client = binary("zappy-ai", "zappy_ai");
    symlink(&client, stage.out("linked")).unwrap();
    fs::copy(&client, stage.out("copied")).unwrap();
    for name in ["linked", "copied"] {
        stage.add(name, &format!("{} --seed 7", quoted(&stage.out(name))), "");
    }
    stage.planned("night", &["--against", "ada", "--seeds", "1"]);
    let finished = stage.run("night", &["--sandbox", "bwrap", "--strict"]);
    assert_eq!(finished.code(), 0, "{} {}", finished.stdout, finished.stderr);
}

#[test]
fn what_belongs_to_a_bot_is_in_sight_at_any_place() {
    if !works() {
        return;
    }
    let mut stage = Stage::new();
    stage.player("ada");
    let path = |name: &str| stage.out(name).display().to_string();
    for folder in ["ein Ort für Bots", "ein Ort für Bots/bin", "values", "behind", "tools"] {
        fs::create_dir(stage.out(folder)).unwrap();
    }
    let play = format!("exec {} \"$@\"", client());
    stage.bench.script("tools/shell", "exec sh \"$@\"\n");
    stage.bench.script("values/play", &play);
    stage.bench.script("ein Ort für Bots/play", &play);
    // One looks for what lies beside it, one for what its environment names, one needs an interpreter.
    let beside = stage.bench.script("ein Ort für Bots/bin/bot", ". \"$(dirname \"$0\")/../play\"\n");
    let interpreted = stage.bench.script("ein Ort für Bots/interpreted", &play);
    let first_line = format!("1s|.*|#!{}|", path("tools/shell"));
    assert!(Command::new("sed").args(["-i", &first_line]).arg(&interpreted).status().unwrap().success());
    symlink("../ein Ort für Bots", stage.out("behind/a link")).unwrap();
    symlink(stage.out("behind/a link"), stage.out("linked")).unwrap();
    let listed = format!("sh -c 'list=$1; shift; . \"${{list#*:}}\"' sh none:{}", path("values/play"));
    let linked = quoted(&stage.out("linked/bin/bot"));
    stage.add("beside", &quoted(&beside), "");
    stage.add("linked", &linked, "processes = 1");
    stage.add("interpreted", &quoted(&interpreted), "");
    stage.add("listed", &listed, "");
    stage.planned("night", &["--against", "ada", "--seeds", "1"]);
    let finished = stage.run("night", &["--sandbox", "bwrap", "--strict"]);
    assert_eq!(finished.code(), 0, "{} {}", finished.stdout, finished.stderr);
}

/// The failure of each match of a bot, by what is told of it.
fn failures(stage: &Stage, out: &str) -> Vec<String> {
    let failed = stage.status(out)["failed"].clone();
    let why = |failure: &serde_json::Value| failure["why"].as_str().unwrap().to_owned();
    failed.as_array().unwrap().iter().map(why).collect()
}

#[test]
fn a_file_that_the_sandbox_hides_is_no_mistake_of_the_bot_if_its_command_names_it() {
    if !works() {
        return;
    }
    let mut stage = Stage::new();
    stage.player("ada");
    // Inside, no process has a number as high as ours, and none is to be seen.
    let shell = format!("/proc/{}/root/bin/sh", std::process::id());
    stage.add("program", &format!("{shell} -c 'exit 1'"), "");
    stage.script("secret", "exit 1", "");
    stage.add("named", "./bot --book=/etc/shadow", "folder = \"secret\"");
    let seeds = stage.out("night/plan.jsonl").display().to_string();
    stage.add("plan", &format!("./bot {}", quoted(&stage.out("night/plan.jsonl"))), "folder = \"secret\"");
    stage.script("interpreter", "", "");
    let script = format!("printf '#!{shell}\\nexit 1\\n' >\"$0\"");
    let made = Command::new("sh").args(["-c", &script]).arg(stage.out("interpreter/bot")).status();
    assert!(made.unwrap().success());
    let matches = stage.planned("night", &["--against", "ada", "--seeds", "1", "--lobby-time", "15"]);
    let finished = stage.run("night", &["--sandbox", "bwrap"]);
    // A bot's own files make no match fail: that of `interpreter` and that of `secret` are lost.
    assert_eq!((finished.code(), stage.played("night")), (1, matches * 2 / 5), "{}", finished.stdout);
    let told = |path: &str, bot: &str| {
        format!(
            "the sandbox hides {path} from bot {bot}; move it to where every user may read, or play with --sandbox none"
        )
    };
    let wanted = [told(&shell, "program"), told("/etc/shadow", "named"), told(&seeds, "plan")];
    for why in failures(&stage, "night") {
        assert!(wanted.contains(&why), "{why}");
    }
    for result in stage.results("night").values() {
        assert!(result.contains("\"failed_to_start\""), "{result}");
    }
}

#[test]
fn links_in_a_bots_folder_and_other_peoples_folders_open_nothing() {
    let mut sandboxes = Vec::new();
    sandboxes.extend(works().then_some("bwrap"));
    sandboxes.extend(fence::find().is_ok().then_some("landlock"));
    let mut stage = Stage::new();
    stage.player("ada");
    fs::create_dir(stage.out("others")).unwrap();
    fs::write(stage.out("others/work"), "of a student who plays no match").unwrap();
    let others = quoted(&stage.out("others/work"));
    let body = format!(
        "cat book ./-n {others} 2>/dev/null\necho looked\n[ \"$1\" = book ] && shift\nexec {} \"$@\"",
        client()
    );
    // The words of its command are names of links, too.
    stage.script("bob", &body, "");
    symlink(stage.out("night/plan.jsonl"), stage.out("bob/book")).unwrap();
    symlink(stage.out("ada/bot"), stage.out("bob/-n")).unwrap();
    stage.add("eve", "./bot book -n {team} -p {port} -h {host}", "folder = \"bob\"");
    for sandbox in sandboxes {
        let planned = stage.plan("night", &["--against", "ada", "--seeds", "1"]);
        let words =
            "eve: left out of the copy that plays: -n and 1 more, a link that may lead out of the folder";
        assert!(planned.code() == 0 && planned.stderr.contains(words), "{}", planned.stderr);
        let finished = stage.run("night", &["--sandbox", sandbox]);
        assert_eq!(finished.code(), 0, "{} {}", finished.stdout, finished.stderr);
        for id in names(&stage.out("night").join("matches")) {
            for log in names(&stage.out("night").join("matches").join(&id).join("logs")) {
                let path = stage.out("night").join("matches").join(&id).join("logs").join(&log);
                let said = fs::read_to_string(path).unwrap();
                assert!(
                    !(log.starts_with("bob") || log.starts_with("eve")) || said.starts_with("looked\n"),
                    "{sandbox} {log}: {said}"
                );
            }
        }
        fs::remove_dir_all(stage.out("night")).unwrap();
    }
}

#[test]
fn connections_without_end_cost_the_team_its_match_and_nobody_else_anything() {
    if !works() || python("bots", "spends.py").is_none() {
        return;
    }
    let mut stage = Stage::new();
    stage.player("ada");
    stage.script("bob", &format!("exec {PYTHON} spends.py \"$@\""), "");
    let bot = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bots/spends.py");
    fs::copy(bot, stage.out("bob/spends.py")).unwrap();
    stage.planned("night", &["--seeds", "1"]);
    let finished = stage.run("night", &["--sandbox", "bwrap"]);
    assert_eq!(finished.code(), 0, "{} {}", finished.stdout, finished.stderr);
    for result in stage.results("night").values() {
        let result: serde_json::Value = serde_json::from_str(result).unwrap();
        let seats = result["seats"].as_array().unwrap();
        let bob = seats.iter().find(|seat| seat["team"] == "bob").unwrap();
        let told = "it used more than 1000 connections in the match";
        assert_eq!(
            (&bob["end"], &bob["end_detail"]),
            (&"killed_by_limit".into(), &told.into()),
            "{result:#}"
        );
        assert_eq!(
            result["outcome"].as_str().filter(|outcome| *outcome == "out_of_time"),
            None,
            "{result:#}"
        );
    }
}

/// What a bot says of the world outside of it, with a server there that isn't its own.
fn outside(sandbox: &str) -> Option<Vec<String>> {
    python("bots", "outside.py")?;
    let mut stage = Stage::new();
    stage.player("ada");
    let victim = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = victim.local_addr().unwrap().port();
    let body = format!(
        "{PYTHON} outside.py {port} {}\nexec {} \"$@\"",
        quoted(&stage.out("night/plan.jsonl")),
        client()
    );
    stage.script("bob", &body, "");
    let look = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bots/outside.py");
    fs::copy(look, stage.out("bob/outside.py")).unwrap();
    stage.planned("night", &["--seeds", "1"]);
    let finished = stage.run("night", &["--sandbox", sandbox, "--strict"]);
    assert_eq!(finished.code(), 0, "{} {}", finished.stdout, finished.stderr);
    let matches = stage.out("night").join("matches");
    let first = |id: String| {
        let log = fs::read_to_string(matches.join(id).join("logs/bob-1.log")).unwrap();
        log.lines().next().unwrap_or_default().to_owned()
    };
    let said = names(&matches).into_iter().map(first).collect();
    // The match itself is the same in every containment.
    stage.planned("calm", &["--seeds", "1"]);
    assert_eq!(stage.run("calm", &["--sandbox", "none"]).code(), 0);
    assert_eq!(stage.results("night"), stage.results("calm"));
    Some(said)
}

#[test]
fn in_bubblewrap_there_is_no_network_but_the_server() {
    if works()
        && let Some(said) = outside("bwrap")
    {
        assert!(said.iter().all(|said| said == "tcp no, udp no, plan no, signal no"), "{said:?}");
    }
}

#[test]
fn in_landlock_there_is_no_other_server_and_no_other_file() {
    let Ok(holds) = fence::find() else {
        return eprintln!("this kernel has no Landlock, so it is not tested");
    };
    let Some(said) = outside("landlock") else { return };
    let no = |what: &str| if holds.contains(what) { "no" } else { "yes" };
    let wanted = format!("tcp {}, udp no, plan no, signal {}", no("connections"), no("signals"));
    assert!(said.iter().all(|said| *said == wanted), "{said:?}");
}
