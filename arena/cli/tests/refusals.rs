//! What the arena refuses: the texts, the exit codes, and that nothing was touched.

use std::fs;
use std::process::Command;

use crate::support::{ARENA, Bench, names, run};

/// The exit code and the error of a match with these arguments after the usual ones.
fn refused(bench: &Bench, bots: &[(&str, &str)], arguments: &[&str]) -> (i32, String) {
    let finished = run(bench.arena(bots).args(arguments));
    (finished.code(), finished.error().to_string())
}

/// A bot with its team, one more argument with its value, and how the error begins.
const USAGE: [(&str, &str, &[&str], &str); 8] = [
    ("GRAPHIC", "true", &[], "--bot: no team can be called GRAPHIC"),
    ("a b", "true", &[], "--bot: \"a b\" can't be a team's name"),
    ("red", "true 'x", &[], "--bot red: a quote in \"true 'x\" is never closed"),
    ("red", "no-such-bot", &[], "--bot red: there is no program \"no-such-bot\""),
    ("red", "/etc/passwd", &[], "--bot red: \"/etc/passwd\" is not executable"),
    ("red", " ", &[], "--bot red: the command is empty"),
    ("red", "true", &["--width", "0"], "invalid value '0' for '--width <WIDTH>': 0 is not in 1..=500"),
    ("red", "true", &["--no-such-flag"], "unexpected argument '--no-such-flag' found"),
];

#[test]
fn usage_errors_are_one_line_and_leave_nothing() {
    let bench = Bench::new();
    for (team, bot, arguments, text) in USAGE {
        let (code, error) = refused(&bench, &[(team, bot)], arguments);
        assert_eq!(code, 2, "{error}");
        assert!(error.starts_with(text), "{error}\nexpected {text}");
    }
    let (code, error) = refused(&bench, &[("red", "true"), ("red", "true")], &[]);
    assert_eq!((code, error.starts_with("--bot: the team red is named twice")), (2, true), "{error}");
    let (code, error) = refused(&bench, &[], &[]);
    let text = "the following required arguments were not provided: --bot <TEAM=COMMAND>; see";
    assert_eq!((code, error.starts_with(text)), (2, true), "{error}");
    assert!(!bench.path("out").exists());
    for (word, near) in [("macht", "; did you mean match?"), ("lauch", "; see zappy_arena --help")] {
        let finished = run(Command::new(ARENA).arg(word));
        assert!(finished.code() == 2 && finished.error().contains(near), "{}", finished.stderr);
    }
}

#[test]
fn a_mistyped_action_is_answered_with_those_that_are_for_people() {
    let mistyped = run(Command::new(ARENA).args(["tournament", "plna"]));
    let error = mistyped.error();
    assert!(
        error.contains("did you mean plan?") && !error.contains("play") && !error.contains("one-match"),
        "{error}"
    );
}

#[test]
fn options_that_do_not_fit_the_teams_are_refused_before_anything_is_started() {
    let bench = Bench::new();
    let missing = "but there is no such faction; the factions are red, blue";
    for (flags, text) in [
        (
            &["--alliance", "red,pink"][..],
            &format!("this can't be played: --alliance names \"pink\", {missing}"),
        ),
        (
            &["--order", "custom:pink,red"],
            &format!("this can't be played: --order names \"pink\", {missing}"),
        ),
        (&["--freq", "200"], &"--freq: in the game conquest a second has 1000 ticks by its rules".to_owned()),
    ] {
        let flags = [&["--game", "conquest"][..], flags].concat();
        let (code, error) = refused(&bench, &[("red", "true"), ("blue", "true")], &flags);
        assert_eq!((code, error.starts_with(text)), (2, true), "{error}\nexpected {text}");
        let bots = ["--in-process", "--bot", "red=zappy_ai", "--bot", "blue=zappy_ai"];
        let finished =
            run(Command::new(ARENA).arg("match").args(bots).args(&flags).arg("--out").arg(bench.path("out")));
        assert_eq!(finished.code(), 2, "{}", finished.stderr);
        assert!(finished.error().starts_with(text), "{}\nexpected {text}", finished.stderr);
    }
    assert!(!bench.path("out").exists());
}

#[test]
fn too_many_processes_are_refused() {
    let bench = Bench::new();
    let mut command = Command::new(ARENA);
    command.args(["match", "--clients", "501", "--bot", "red=true"]);
    let finished = run(command.arg("--server").arg(bench.path("server")).arg("--out").arg(bench.path("out")));
    assert_eq!(finished.code(), 2);
    assert!(finished.error().starts_with("--procs: 501 bot processes are too many"), "{}", finished.stderr);
}

#[test]
fn a_missing_server_is_an_arena_failure_with_its_remedy() {
    let bench = Bench::new();
    fs::remove_file(bench.path("server")).unwrap();
    let (code, error) = refused(&bench, &[("red", "true")], &[]);
    assert_eq!(code, 1);
    assert!(error.ends_with("build it with `make`, or name it with --server PATH"), "{error}");
    assert!(!bench.path("out").exists());
}

#[test]
fn an_earlier_match_stays_unless_forced_and_other_files_stay_always() {
    let bench = Bench::new();
    let out = bench.path("out");
    fs::create_dir(&out).unwrap();
    fs::write(out.join("result.json"), "old").unwrap();
    let (code, error) = refused(&bench, &[("red", "true")], &[]);
    assert_eq!(code, 2);
    assert!(error.ends_with("choose another folder, or replace it with --force"), "{error}");
    fs::write(out.join("notes.txt"), "mine").unwrap();
    let (code, error) = refused(&bench, &[("red", "true")], &["--force"]);
    assert_eq!(code, 2);
    assert!(error.contains("\"notes.txt\" in there is not the arena's"), "{error}");
    assert_eq!(names(&out), ["notes.txt", "result.json"]);
    assert_eq!(fs::read_to_string(out.join("result.json")).unwrap(), "old");
}

#[test]
fn help_teaches() {
    let finished = run(Command::new(ARENA).args(["match", "--help"]));
    assert_eq!(finished.code(), 0);
    for word in
        ["Examples:", "{host}, {port}, {team} and {seed}", "[default: 50000; of a game in", "130 interrupted"]
    {
        assert!(finished.stdout.contains(word), "{word} in {}", finished.stdout);
    }
}
