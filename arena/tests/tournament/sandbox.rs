//! Bubblewrap around bots, where it works; elsewhere a line says so.

use std::fs;

use zappy_arena::programs::sandbox::Sandbox;

use crate::stage::Stage;
use crate::support::{binary, names};

/// Whether it is there and works.
pub fn works() -> bool {
    match Sandbox::find().and_then(Sandbox::try_out) {
        Ok(_) => true,
        Err(why) => {
            eprintln!("{why}, so it is not tested");
            false
        }
    }
}

/// What a bot finds around it; then it plays.
fn looks_around(stage: &Stage) -> String {
    let (bench, client) = (stage.bench.folder.path().display(), binary("zappy-ai", "zappy_ai"));
    [
        format!("[ -e {bench}/ada/bot ] && echo sees another bot"),
        format!("[ -e {bench}/night/plan.jsonl ] && echo sees the plan"),
        format!("[ -w {bench}/bob ] && echo writes to its source"),
        "[ -w /etc ] && echo writes to the system".to_owned(),
        // Nobody but root may do so anywhere.
        "[ -w /proc/sys/kernel/core_pattern ] && echo writes to the kernel".to_owned(),
        "[ $(ls /proc | grep -c '^[0-9]') -gt 9 ] && echo sees processes".to_owned(),
        "[ -w /tmp ] && : >here || echo writes nowhere".to_owned(),
        "setsid env -i sleep 600 >/dev/null 2>&1 &".to_owned(),
        format!("echo looked\nexec {} \"$@\"", client.display()),
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
    let flags = ["--against", "ada", "--seeds", "1", "--lobby-time", "15"];
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
    std::os::unix::fs::symlink(&client, stage.out("linked")).unwrap();
    fs::copy(&client, stage.out("copied")).unwrap();
    for name in ["linked", "copied"] {
        stage.add(name, &format!("{} --seed 7", stage.out(name).display()), "");
    }
    stage.planned("night", &["--against", "ada", "--seeds", "1"]);
    let finished = stage.run("night", &["--sandbox", "bwrap", "--strict"]);
    assert_eq!(finished.code(), 0, "{} {}", finished.stdout, finished.stderr);
}
