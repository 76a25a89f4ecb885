//! One submission: built, checked and graded within each kind of walls, with what Gradescope and GitHub Classroom read.

use std::fs;
use std::path::Path;
use std::process::Command;

use zappy_play::programs::bubblewrap::Sandbox;
use zappy_play::programs::fence;

use super::room::{Room, WHOLE, json, student};
use crate::support::{ARENA, Running, client, server, with_viewer};

/// A bot that is built with make: the program that the subject names, which starts our client.
fn handed_in(room: &Room, name: &str, recipe: &str) -> std::path::PathBuf {
    // Our client lies where no sandbox shows it.
    let folder = room.hand_in(name, &[("Makefile", &format!("zappy_ai: ours\n\t{recipe}\n"))]);
    fs::copy(shlex::split(&client()).unwrap().remove(0), folder.join("ours")).unwrap();
    folder
}

fn is_there(tool: &str) -> bool {
    let there = Command::new(tool).arg("--version").output().is_ok();
    if !there {
        eprintln!("there is no {tool}, so nothing is built with it");
    }
    there
}

/// Grades in that sandbox a bot that is built with make, and one whose build reaches for what it may not.
fn in_walls(sandbox: &str) {
    if !is_there("make") {
        return;
    }
    let room = Room::new();
    let secret = room.out("secret");
    fs::write(&secret, "").unwrap();
    let beside = room.out("beside");
    let alone = if sandbox == "bwrap" { "[ $$(grep -c : /proc/net/dev) = 1 ] && " } else { "" };
    let look =
        format!("{alone}! cat {} && ! touch {} && mv ours zappy_ai", secret.display(), beside.display());
    let ada = handed_in(&room, "ada", &look);
    let mut command = room.command(&ada, "ada", &["--sandbox", sandbox, "--check", "login"]);
    let finished = Running::start(&mut command).finish_within(WHOLE);
    let log = fs::read_to_string(room.out("ada/build.log")).unwrap_or_default();
    assert_eq!(finished.code(), 0, "{}{}{log}", finished.stdout, finished.stderr);
    let ada = json(&room.out("ada/student.json"));
    assert_eq!((&ada["state"], &ada["found_in"]), (&"graded".into(), &"Makefile".into()), "{ada:#}{log}");
    assert_eq!((&ada["command"], &ada["faults"]), (&"./zappy_ai".into(), &serde_json::json!({})), "{ada:#}");
    let passed = ada["checked"]["passed"] == 1;
    assert!(passed || ada["checked"]["untried"].is_string() && fence::find().is_err(), "{ada:#}");
    assert!(!room.out("submissions/ada/zappy_ai").exists(), "it was built where it was handed in");
    assert!(!beside.exists(), "{log}");

    let eve =
        handed_in(&room, "eve", "exec 3<>/dev/tcp/127.0.0.1/9 || head -c 100000000 /dev/zero >zappy_ai");
    let mut command = room.command(&eve, "eve", &["--sandbox", sandbox]);
    assert_eq!(Running::start(&mut command).finish_within(WHOLE).code(), 0);
    let eve = json(&room.out("eve/student.json"));
    assert_eq!(eve["state"], "not_built", "{eve:#}");
}

#[test]
fn in_bubblewrap() {
    if let Err(why) = Sandbox::find().and_then(Sandbox::try_out) {
        eprintln!("{why}, so nothing is built in it");
        return;
    }
    in_walls("bwrap");
}

#[test]
fn in_landlock() {
    if let Err(why) = fence::find() {
        eprintln!("{why}, so nothing is built in it");
        return;
    }
    in_walls("landlock");
}

/// By itself a JVM reserves more address space than a process may have, on a machine with much memory.
#[test]
fn the_starter_in_java_plays_within_the_limits() {
    if !is_there("javac") || !is_there("java") {
        return;
    }
    let room = Room::new();
    let starter = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ai-client/starters/java/Bot.java");
    let bot = fs::read_to_string(starter).unwrap();
    room.hand_in("ada", &[("Bot.java", &bot)]);
    let makefile = "Bot.class: Bot.java\n\tjavac Bot.java\n";
    room.hand_in("bob", &[("Bot.java", &bot), ("Makefile", makefile)]);
    let finished = room.grade("out", &["--lobby-time", "120", "--check", "login"]);
    assert_eq!(finished.code(), 0, "{}{}", finished.stdout, finished.stderr);
    let class = room.class("out");
    for (name, command) in [("ada", "java Bot.java "), ("bob", "java -cp . Bot ")] {
        let student = student(&class, name);
        if name == "bob" && !is_there("make") {
            continue;
        }
        assert_eq!(
            (&student["state"], &student["faults"]),
            (&"graded".into(), &serde_json::json!({})),
            "{student:#}"
        );
        assert!(student["command"].as_str().unwrap().starts_with(command), "{student:#}");
        assert_eq!(student["checked"]["passed"], 1, "{student:#}");
    }
}

#[test]
fn what_services_read_is_left_whatever_was_handed_in() {
    let room = Room::new();
    room.player("ada", "expert");
    room.hand_in(
        "bob",
        &[("bot.toml", "command = \"./x\"\nbuild = \"sh b.sh\"\n"), ("b.sh", "echo line 3: error\nexit 1")],
    );
    for (name, status, of_test) in
        [("ada", "", ""), ("bob", "error", "not built: sh b.sh: it ended with exit code 1")]
    {
        let scope = room.out(&format!("{name}-results.json")).display().to_string();
        let classroom = room.out(&format!("{name}-classroom.json")).display().to_string();
        let flags = ["--gradescope", &scope, "--classroom", &classroom];
        let folder = room.out("submissions").join(name);
        let finished = Running::start(&mut room.command(&folder, name, &flags)).finish_within(WHOLE);
        assert_eq!(finished.code(), 0, "{}{}", finished.stdout, finished.stderr);
        let (scope, classroom) = (json(Path::new(&scope)), json(Path::new(&classroom)));
        assert_eq!(scope["score"], json(&room.out(name).join("student.json"))["points"].as_f64().unwrap());
        assert_eq!(
            (scope["tests"][0]["max_score"].as_f64(), classroom["max_score"].as_f64()),
            (Some(1.0), Some(1.0))
        );
        if !status.is_empty() {
            assert_eq!(classroom["status"], status, "{classroom:#}");
            let output = scope["tests"][0]["output"].as_str().unwrap();
            assert!(output.contains(of_test) && output.contains("line 3: error"), "{output}");
        }
    }
    // Another submission needs another folder.
    let bob = room.out("submissions/bob");
    let refused = Running::start(&mut room.command(&bob, "ada", &[])).finish_within(WHOLE);
    assert_eq!(refused.code(), 2, "{}", refused.stderr);
    assert!(refused.error().contains("another submission was graded there"), "{}", refused.stderr);
    // A bot without a folder, as before.
    let scope = room.out("results.json");
    let mut command = Command::new(ARENA);
    command.args(["grade", &client(), "--out"]).arg(room.out("bot")).arg("--gradescope").arg(&scope);
    command.arg("--against").arg(room.out("levels.toml"));
    command.args(["--width", "10", "--height", "10", "--clients", "1", "--max-ticks", "30", "--seeds", "1"]);
    command.args(["--sandbox", "none", "--think-time", "60000"]);
    assert_eq!(Running::start(&mut command).finish_within(WHOLE).code(), 0);
    assert_eq!(json(&scope)["tests"][0]["name"], "beats easy");
}

#[test]
fn what_changes_after_the_class_was_looked_at_is_told_and_graded_by_the_next_run() {
    let room = Room::new();
    room.player("bob", "easy");
    let bob = room.out("submissions/bob/run.sh").display().to_string();
    let toml = "command = \"./x\"\nbuild = \"sh b.sh\"\n";
    room.hand_in(
        "ada",
        &[
            ("bot.toml", toml),
            ("b.sh", &format!("grep -q more '{bob}' || echo '# more' >>'{bob}'\nexit 1\n")),
        ],
    );
    let first = room.grade("out", &["--jobs", "1"]);
    assert_eq!(first.code(), 1, "{}{}", first.stdout, first.stderr);
    let class = room.class("out");
    let found = student(&class, "bob");
    assert_eq!(found["state"], "not_graded", "{found:#}");
    assert_eq!(found["why"], "it changed while it was copied; run it again");
    assert_eq!(student(&class, "ada")["state"], "not_built");
    let second = room.grade("out", &["--jobs", "1"]);
    assert_eq!(second.code(), 0, "{}{}", second.stdout, second.stderr);
    assert_eq!(student(&room.class("out"), "bob")["state"], "graded");
    // By another pass mark points are counted anew, which is told as what it is.
    let again = room.grade("out", &["--jobs", "1", "--pass", "0.9"]);
    let words = "2 submissions, 2 of them graded before (2 of these are counted anew)";
    assert!(again.code() == 0 && again.stderr.contains(words), "{}", again.stderr);
}

#[test]
fn a_failed_check_is_told_with_its_first_remedy() {
    let room = Room::new();
    // It names another team, which the check says first.
    let run = format!("exec {} -p \"$2\" -n red -h 127.0.0.1\n", client());
    let ada = room.hand_in("ada", &[("run.sh", &run)]);
    let finished = Running::start(&mut room.command(&ada, "ada", &["--check", "login"])).finish_within(WHOLE);
    assert_eq!(finished.code(), 0, "{}{}", finished.stdout, finished.stderr);
    let ada = json(&room.out("ada/student.json"));
    assert_eq!(
        (&ada["checked"]["passed"], &ada["checked"]["mend"][0]),
        (&0.into(), &"login".into()),
        "{ada:#}"
    );
    let page = fs::read_to_string(room.out("ada/play/merged/index.html")).unwrap();
    assert!(page.contains("0 of 1 situation passed; mend first: login: "), "{page}");
}

#[test]
fn lost_matches_lead_to_their_replays_if_that_is_asked_for() {
    let room = Room::new();
    room.player("ada", "easy");
    let expert =
        format!("[[bot]]\nname = \"expert\"\ncommand = {:?}\n", format!("{} --level expert", client()));
    fs::write(room.out("levels.toml"), expert).unwrap();
    let flags = ["--clients", "3", "--max-ticks", "3000"];
    let page = |out: &str, name: &str| {
        let class = room.class(out);
        let page = room.out(out).join(student(&class, "ada")["page"].as_str().unwrap());
        fs::read_to_string(page.with_file_name(name))
    };
    assert_eq!(room.grade("plain", &flags).code(), 0);
    let plain = page("plain", "index.html").unwrap();
    let lost = plain.split("id=\"lost\"").nth(1).unwrap().split("id=\"matches\"").next().unwrap();
    assert!(
        lost.starts_with(">Lost: 2 matches") && lost.matches("/match.zrec\">record</a>").count() == 2,
        "{lost}"
    );
    assert!(lost.contains("--html match.html") && !plain.contains("watch.html"), "{lost}");

    let arena = with_viewer(&room.out("programs"), "const viewer = 1;\n");
    let own = room.command(&room.out("submissions"), "watched", &[&flags[..], &["--replays", "1"]].concat());
    let mut command = Command::new(arena);
    command.args(own.get_args()).arg("--server").arg(server());
    assert_eq!(Running::start(&mut command).finish_within(WHOLE).code(), 0);
    let watched = page("watched", "index.html").unwrap();
    let lost = watched.split("id=\"lost\"").nth(1).unwrap().split("id=\"matches\"").next().unwrap();
    assert_eq!(lost.matches("<a href=\"watch.html?match=").count(), 1, "{lost}");
    assert_eq!(page("watched", "viewer.js").unwrap(), "const viewer = 1;\n");
}
