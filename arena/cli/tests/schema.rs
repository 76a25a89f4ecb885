//! The JSON schemas of results, grades and a league's standings: the published ones are those of the types, but for those of
//! Gradescope and GitHub Classroom, which are written by hand, and real results of every kind are what they say.
//!
//! `UPDATE_SCHEMA=1 cargo test -p zappy-arena --test schema` writes them anew.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::support::{ARENA, Bench, Running, example, run, server, wait_for};
use boon::{Compiler, Schemas};
use rustix::process::Signal;
use serde_json::Value;
use zappy_play::result::{ArenaResult, Ending, Told};
use zappy_tournament::grading::result::{ClassResult, GradeResult, StudentResult};
use zappy_tournament::ladder::LadderStandings;
use zappy_tournament::league::standings::Standings;

fn published(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../docs/schema/{name}.schema.json"))
}

/// What the published schema of that name has against a value; `None` if it is what the schema says.
fn against(name: &str, value: &Value) -> Option<String> {
    let schema: Value = serde_json::from_slice(&fs::read(published(name)).unwrap()).unwrap();
    let (mut schemas, mut compiler) = (Schemas::new(), Compiler::new());
    compiler.add_resource("this.schema.json", schema).unwrap();
    let compiled = compiler.compile("this.schema.json", &mut schemas).unwrap();
    schemas.validate(value, compiled).err().map(|error| format!("{error:#}"))
}

/// The same for a match's result.
fn complaint(value: &Value) -> Option<String> {
    against("result", value)
}

#[test]
fn the_published_schemas_are_those_of_the_types() {
    let schemas = [
        ("result", schemars::schema_for!(ArenaResult)),
        ("grade", schemars::schema_for!(GradeResult)),
        ("student", schemars::schema_for!(StudentResult)),
        ("class", schemars::schema_for!(ClassResult)),
        ("league", schemars::schema_for!(Standings)),
        ("ladder", schemars::schema_for!(LadderStandings)),
    ];
    for (name, schema) in schemas {
        let text = format!("{:#}\n", schema.to_value());
        if std::env::var_os("UPDATE_SCHEMA").is_some() {
            fs::write(published(name), &text).unwrap();
        }
        let there = fs::read_to_string(published(name)).unwrap_or_default();
        assert!(there == text, "docs/schema/{name}.schema.json is old; write it anew with UPDATE_SCHEMA=1");
    }
}

#[test]
fn grades_of_a_class_are_what_their_schemas_say() {
    let bench = Bench::new();
    let ours = crate::support::client();
    for (name, text) in [("ada", format!("exec {ours} \"$@\"\n")), ("bob", "exit 1\n".to_owned())] {
        fs::create_dir_all(bench.path("class").join(name)).unwrap();
        fs::write(bench.path("class").join(name).join("run.sh"), text).unwrap();
    }
    fs::write(bench.path("class/eve.zip"), "").unwrap();
    fs::write(bench.path("levels.toml"), format!("[[bot]]\nname = \"easy\"\ncommand = {ours:?}\n")).unwrap();
    let mut command = Command::new(ARENA);
    command.arg("grade").arg("--class").arg(bench.path("class")).arg("--out").arg(bench.path("out"));
    command.arg("--against").arg(bench.path("levels.toml")).args(["--sandbox", "none", "--check", "login"]);
    command.args(["--seeds", "1", "--width", "10", "--height", "10", "--clients", "1", "--max-ticks", "100"]);
    server();
    assert_eq!(run(command.args(["--think-time", "60000", "--lobby-time", "1"])).code(), 0);
    let class: Value = serde_json::from_slice(&fs::read(bench.path("out/class.json")).unwrap()).unwrap();
    assert_eq!(against("class", &class), None);
    let mut checked = 0;
    for student in class["students"].as_array().unwrap() {
        let place = [&student["key"], &student["submission"]].map(|part| part.as_str().unwrap());
        let folder = bench.path("out/students").join(place[0]).join(place[1]);
        let files = ["student.json", "gradescope.json", "classroom.json", "play/grade.json"];
        for (name, file) in ["student", "gradescope", "classroom", "grade"].into_iter().zip(files) {
            let Ok(bytes) = fs::read(folder.join(file)) else { continue };
            let value: Value = serde_json::from_slice(&bytes).unwrap();
            assert_eq!(against(name, &value), None, "{file} of {}", place[0]);
            checked += 1;
            let first = value.as_object().unwrap().keys().next().unwrap().clone();
            let mut bad = value;
            bad[first] = serde_json::json!({});
            assert!(against(name, &bad).is_some(), "{file} of {}", place[0]);
        }
    }
    assert_eq!(checked, 3 * 3 + 2);
}

/// Fails unless the result in that file is what the schema says, and comes back through the type as it was.
fn check(path: &Path) -> ArenaResult {
    let value: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    assert_eq!(complaint(&value), None, "{}", path.display());
    let result: ArenaResult = serde_json::from_value(value.clone()).unwrap();
    assert_eq!(serde_json::to_value(&result).unwrap(), value, "{}", path.display());
    result
}

#[test]
fn a_result_of_the_server_alone() {
    for (program, game) in [(server(), "zappy"), (example("zappy-server", "tiny_server"), "tiny")] {
        let folder = tempfile::tempdir().unwrap();
        let result = folder.path().join("result.json");
        let mut command = Command::new(program);
        command.args(["--game", game, "-p", "0", "--bind", "127.0.0.1", "-n", "red", "blue", "-f", "1000"]);
        command.args(["--max-ticks", "20", "--no-console", "--result"]).arg(&result);
        assert!(
            command
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status()
                .unwrap()
                .success()
        );
        let result = check(&result);
        assert_eq!((result.arena.as_ref(), result.played().unwrap().game.as_str()), (None, game));
    }
}

#[test]
fn results_of_matches_over_sockets_and_in_one_process() {
    let bench = Bench::new();
    let ours = crate::support::binary("zappy-ai", "zappy_ai").display().to_string();
    let tiny = example("zappy-arena", "tiny_arena");
    let caller = format!("{} bot 7", tiny.display());
    let small = ["--clients", "1", "--max-ticks", "200"];
    for (name, program, server, bot, flags) in [
        ("zappy", Path::new(ARENA), server(), &ours, &small[..]),
        ("tiny", &tiny, example("zappy-server", "tiny_server"), &caller, &["--game", "tiny"]),
    ] {
        let mut command = Command::new(program);
        command.args(["match", "--clock", "lockstep", "--think-time", "60000", "--server"]).arg(server);
        command.args(["--bot", &format!("red={bot}"), "--bot", &format!("blue={bot} --nonsense")]);
        let finished = run(command.args(flags).args(["--lobby-time", "3", "--out"]).arg(bench.path(name)));
        assert_eq!(finished.code(), 0, "{}", finished.stderr);
        assert_eq!(check(&bench.path(name).join("result.json")).played().unwrap().game, name);
    }
    let mut command = Command::new(ARENA);
    command.args(["match", "--in-process", "--bot", "red=zappy_ai", "--bot", "blue=zappy_ai"]).args(small);
    assert_eq!(run(command.arg("--out").arg(bench.path("here"))).code(), 0);
    assert!(check(&bench.path("here/result.json")).arena.unwrap().in_process);
}

#[test]
fn results_of_matches_that_were_interrupted_or_failed() {
    let bench = Bench::new();
    let bot = bench.bot("bot", "exec sleep 600");
    let arena = Running::start(&mut bench.arena(&[("red", &bot)]));
    wait_for("the bot", || bench.path("bots.pid").exists().then_some(()));
    arena.signal(Signal::INT);
    assert_eq!(arena.finish().code(), 130);
    assert_eq!(check(&bench.path("out/result.json")).arena.unwrap().outcome, Ending::Interrupted);

    let bench = Bench::new();
    bench.script("server", "exit 84");
    assert_eq!(run(&mut bench.arena(&[("red", "true")])).code(), 1);
    let result = check(&bench.path("out/result.json"));
    let Told::Nothing(nothing) = result.told else { panic!("{result:?}") };
    assert_eq!((nothing.reason, nothing.seed), (Ending::ServerFailed, 5));
}

#[test]
fn what_is_no_result_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(ARENA);
    command.args(["match", "--in-process", "--bot", "red=zappy_ai", "--clients", "1", "--max-ticks", "50"]);
    assert_eq!(run(command.args(["--force", "--out"]).arg(folder.path())).code(), 0);
    let good: Value = serde_json::from_slice(&fs::read(folder.path().join("result.json")).unwrap()).unwrap();
    assert_eq!(complaint(&good), None);
    for (pointer, value) in [
        ("/seed", "x".into()),
        ("/teams/0/rank", (-1).into()),
        ("/arena/outcome", "lost".into()),
        ("/ticks", Value::Null),
    ] {
        let mut bad = good.clone();
        *bad.pointer_mut(pointer).unwrap() = value;
        assert!(complaint(&bad).is_some(), "{pointer}");
    }
}

#[test]
fn the_standings_of_a_league_are_what_the_schema_says() {
    let bench = Bench::new();
    let client = crate::support::client();
    for (name, level) in [("ada", "easy"), ("bob", "hard")] {
        let bot = bench.path("league/bots").join(name);
        fs::create_dir_all(&bot).unwrap();
        fs::write(bot.join("run.sh"), format!("exec {client} --level {level} \"$@\"\n")).unwrap();
        fs::write(bot.join("COMMAND"), "sh run.sh -p {port} -n {team} -h {host}").unwrap();
    }
    fs::create_dir(bench.path("league/bots/none")).unwrap();
    let mut command = Command::new(ARENA);
    command.args([
        "league",
        "--once",
        "--seeds",
        "1",
        "--sandbox",
        "none",
        "--no-check",
        "--pairing",
        "knockout",
    ]);
    command.args(["--width", "10", "--height", "10", "--clients", "1", "--max-ticks", "100"]);
    command.args(["--think-time", "60000", "--server"]).arg(server());
    let finished = run(command.arg(bench.path("league")));
    assert_eq!(finished.code(), 0, "{}", finished.stderr);
    let good: Value =
        serde_json::from_slice(&fs::read(bench.path("league/standings.json")).unwrap()).unwrap();
    assert_eq!(against("league", &good), None);
    assert_eq!(
        serde_json::to_value(serde_json::from_value::<Standings>(good.clone()).unwrap()).unwrap(),
        good
    );
    for (pointer, value) in
        [("/table/0/rating", "high".into()), ("/pairing", "lots".into()), ("/refused/0/why", Value::Null)]
    {
        let mut bad = good.clone();
        *bad.pointer_mut(pointer).unwrap() = value;
        assert!(against("league", &bad).is_some(), "{pointer}");
    }
}
