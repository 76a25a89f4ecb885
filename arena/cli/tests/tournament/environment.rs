//! What of the grader's environment reaches other people's programs: in a match, in a check, and in each sandbox of a tournament.

use std::fs;
use std::process::Command;

use super::sandbox::{has_landlock, works};
use super::stage::Stage;
use crate::support::{ARENA, Bench, Running, client, names};

/// Prints the environment as a program gets it; a shell adds what it uses itself.
const SAY: &str = "echo begin; env; [ -d \"$HOME\" ] && echo its home is there; echo end";

/// The arena, called in an environment with a secret.
fn call(command: &mut Command) -> &mut Command {
    command
        .env("GITHUB_TOKEN", "secret-1")
        .env("LC_TIME", "C")
        .env("GIVEN", "given-1")
        .env("JAVA_HOME", "/jvm")
}

/// Fails unless the program got what it needs and what was given, and nothing else.
fn assert_clean(said: &str, what: &str) {
    let said = said
        .split("begin\n")
        .nth(1)
        .and_then(|rest| rest.split("end\n").next())
        .unwrap_or_else(|| panic!("{what}: {said}"));
    assert!(!said.contains("secret-1"), "{what}: {said}");
    for line in ["LC_TIME=C", "GIVEN=given-1", "WITH=a=b", "JAVA_HOME=/jvm", "its home is there"] {
        assert!(said.lines().any(|other| other == line), "{what}: {line}: {said}");
    }
    let home = std::env::var("HOME").unwrap();
    assert!(!said.lines().any(|line| line == format!("HOME={home}")), "{what}: {said}");
    let passed = |name: &str| {
        ["PATH", "HOME", "LANG", "LANGUAGE", "TZ", "TERM", "GIVEN", "WITH", "PWD", "OLDPWD", "SHLVL", "_"]
            .contains(&name)
            || [
                "LC_",
                "ZAPPY_",
                "JAVA_",
                "PYENV_",
                "PYTHON",
                "RUSTUP_",
                "CARGO_",
                "RBENV_",
                "TEST_MARK",
                "MALLOC_",
            ]
            .iter()
            .any(|first| name.starts_with(first))
            || ["GOROOT", "DOTNET_ROOT"].contains(&name)
    };
    let runtimes = [
        "_JAVA_OPTIONS",
        "JDK_JAVA_OPTIONS",
        "GOMEMLIMIT",
        "GOMAXPROCS",
        "DOTNET_GCHeapHardLimit",
        "OPENBLAS_NUM_THREADS",
        "OMP_NUM_THREADS",
    ];
    for name in said.lines().filter_map(|line| Some(line.split_once('=')?.0)) {
        assert!(passed(name) || runtimes.contains(&name), "{what}: {name}");
    }
}

#[test]
fn a_match_and_a_check_pass_on_what_is_needed_and_what_is_given_alone() {
    let bench = Bench::new();
    let bot = bench
        .bot("bot", &format!("{{ {SAY}; }} >\"$here/said.$$\"\necho said >>\"$here/all\"\nexec sleep 600"));
    let mut command = bench.arena(&[("red", &bot), ("blue", &bot)]);
    let running = Running::start(call(&mut command).args(["--env", "GIVEN", "--env", "WITH=a=b"]));
    let pids = bench.pids("bots.pid", 2);
    let all = || fs::read_to_string(bench.path("all")).is_ok_and(|text| text.lines().count() == 2);
    crate::support::wait_for("what both say", || all().then_some(()));
    running.insist(rustix::process::Signal::INT);
    for pid in pids {
        assert_clean(&fs::read_to_string(bench.path(&format!("said.{pid}"))).unwrap(), "match");
    }
    // The server is the arena's own.
    let mut command = Command::new(ARENA);
    let said = bench.script("said", &format!("{{ {SAY}; }} >\"$(dirname \"$0\")/of-check\"\nexit 1\n"));
    command.args(["check", said.to_str().unwrap(), "--only", "login", "--env", "GIVEN", "--env=WITH=a=b"]);
    Running::start(call(&mut command)).finish();
    assert_clean(&fs::read_to_string(bench.path("of-check")).unwrap(), "check");

    let mut command = bench.arena(&[("red", &bot), ("blue", &bot)]);
    let refused = Running::start(command.args(["--env", "NOT_SET_ANYWHERE", "--force"])).finish();
    assert_eq!(refused.code(), 2, "{}", refused.stderr);
    assert!(refused.error().contains("--env NOT_SET_ANYWHERE: it isn't set here"), "{}", refused.stderr);
}

#[test]
fn no_sandbox_of_a_tournament_passes_on_a_secret() {
    let mut stage = Stage::new();
    for name in ["ada", "bob"] {
        stage.script(name, &format!("{SAY}\nexec {} \"$@\" # {name}", client()), "");
    }
    for sandbox in ["none", "bwrap", "landlock"] {
        if sandbox == "bwrap" && !works() || sandbox == "landlock" && !has_landlock() {
            continue;
        }
        stage.planned(sandbox, &["--seeds", "1"]);
        let mut command = Command::new(ARENA);
        command.args(["tournament", "run", "--sandbox", sandbox, "--env", "GIVEN", "--env", "WITH=a=b"]);
        let finished =
            Running::start(call(&mut command).arg(stage.out(sandbox))).finish_within(super::stage::WHOLE);
        assert_eq!(finished.code(), 0, "{}", finished.stderr);
        let matches = stage.out(sandbox).join("matches");
        for (id, bot) in names(&matches).into_iter().flat_map(|id| [(id.clone(), "ada"), (id, "bob")]) {
            let log = fs::read_to_string(matches.join(id).join(format!("logs/{bot}-1.log"))).unwrap();
            assert_clean(&log, sandbox);
        }
    }
}
