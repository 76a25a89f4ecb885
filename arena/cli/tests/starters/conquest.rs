//! The factions that students start from: in each language they send the same lines, pass `check`, and take the options
//! that they tell. The programs in `docs/conquest-client.md` do what is said of them there.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::Shutdown;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use serde_json::Value;

use super::{LIMIT, build, each_of, folder, listen_to, takes_its_options};
use crate::support::{ARENA, Running, client, interpreter, quoted, server, wait_for};

/// All that can be played here, built once.
fn factions() -> &'static [(&'static str, String)] {
    static BUILT: OnceLock<Vec<(&str, String)>> = OnceLock::new();
    BUILT.get_or_init(|| build("conquest"))
}

#[test]
fn each_takes_the_options_it_tells() {
    each_of(factions(), takes_its_options);
}

#[test]
fn each_passes_the_check() {
    each_of(factions(), |_, language, bot| {
        let mut command = Command::new(ARENA);
        let finished =
            Running::start(command.args(["check", bot, "--game", "conquest", "--json"])).finish_within(LIMIT);
        let report: Value = serde_json::from_str(&finished.stdout)
            .unwrap_or_else(|error| panic!("{language}: {error}\n{}", finished.stderr));
        assert_eq!(finished.code(), 0, "{language}: {report:#}");
        assert_eq!(report["passed"], report["situations"], "{language}: {report:#}");
    });
}

/// What a server says at once, whatever it reads: a draft, CRLF, blanks, lines and words that a later version may bring, answers
/// of all kinds, units that can't be ordered, and an end in the middle of a line.
const SAID: &str = "\
WELCOME\r
0\r
 9   8 \r
game conquest version 2 you 1 factions blue,you cities off rules arena mode concurrent turns 9 time 0 later 1\r
start 4 1 1
start 2 5 5
go 0
ok
ko no free start 4; free are 2

turn 1
weather 3 3 rain
dominion 50 -
faction 0 gold alive land 3 pop 2 score -5
faction 1 you alive gold 400 food 0 wood 0 bombs 0 land 3 pop 4 cap 5 kills 0 score -25 upkeep 50 base 8 0 slot - later 1
unit 3 1 pioneer 8 0 3 - later
unit 5 1 worker 0 0 5 -
unit 6 1 cleric 0 1 4 -
unit 7 1 pioneer 7 0 3 c
unit 12 1 pioneer 7 7 3 -
tile 0 0 - plain ---- -
tile 7 7 - plain ---- -
tile 8 0 1 plain b-f- -
tile 0 7 0 plain -r-- -
tile 8 7 - plain -r-- -
siege 8 0 2
go 1\r
ok
maybe a unit stands there
ko it was converted
turn 3
did base ok
faction 1 you alive gold 90 food 0 wood 0 bombs 0 land 3 pop 5 cap 5 kills 0 score 0 upkeep 95 base 8 0 slot pioneer 1
unit 3 1 pioneer 8 0 3 -
unit 5 1 worker 8 7 5 -
unit 7 1 pioneer 0 1 3 -
unit 8 0 fighter 0 0 3 d
unit 12 1 pioneer 1 1 3 -
unit 13 1 pioneer 4 4 3 -
tile 8 7 1 plain -r-- -
tile 0 1 0 plain -r-- -
tile 1 1 1 plain ---- -
tile 4 4 1 plain ---- -
go 3
dead
over 1 gold 5 2 you -25
turn 4
go 4 and th";

/// What a faction answers: the guard makes room for a pioneer; two end the fighter beside them, and the others come to help; the
/// cleric and the unit that has changed sides get no orders; and what can't be paid isn't built.
const ANSWERED: &str = "\
red
Place 4
Done 0
Base build pioneer
Unit 3 travel 8 7
Unit 5 idle
Unit 12 conquer
Done 1
Base income
Unit 3 attack 8
Unit 5 gold
Unit 7 attack 8
Unit 12 travel 0 0
Unit 13 travel 3 3
Done 3
";

#[test]
fn each_copes_with_what_a_server_may_say() {
    each_of(factions(), |_, language, bot| {
        let (listener, running) = listen_to(bot);
        let mut stream = wait_for("the bot", || listener.accept().ok()).0;
        stream.set_nonblocking(false).unwrap();
        stream.set_read_timeout(Some(LIMIT)).unwrap();
        stream.write_all(SAID.as_bytes()).unwrap();
        stream.shutdown(Shutdown::Write).unwrap();
        let mut answered = String::new();
        stream.read_to_string(&mut answered).unwrap();
        assert_eq!(answered, ANSWERED, "{language}");
        let finished = running.finish_within(LIMIT);
        assert_eq!(finished.code(), 0, "{language}: {}", finished.stderr);
        assert_eq!(finished.stderr, "dead\nover 1 gold 5 2 you -25\nthe match is over\n", "{language}");
    });
}

/// Plays a match, with `--rules` and whatever else in `flags`; its folder.
fn play(red: &str, level: &str, name: &str, flags: &[&str]) -> PathBuf {
    let out = folder("conquest").join(name);
    let mut command = Command::new(ARENA);
    command.args(["match", "--game", "conquest", "--clock", "lockstep", "--think-time", "60000", "--force"]);
    command.args(flags).arg("--server").arg(server()).arg("--bot").arg(format!("red={red}"));
    command.arg("--bot").arg(format!("blue={} --level {level}", client())).arg("--out").arg(&out);
    let finished = Running::start(&mut command).finish_within(LIMIT);
    assert_eq!(finished.code(), 0, "{red}: {}", finished.stderr);
    let logs = fs::read_to_string(out.join("logs/red-1.log")).unwrap();
    assert!(!logs.contains("Traceback"), "{red}: {logs}");
    out
}

fn result(out: &Path) -> Value {
    let result: Value = serde_json::from_slice(&fs::read(out.join("result.json")).unwrap()).unwrap();
    assert_eq!((&result["reproducible"], &result["teams"][0]["phases_late"]), (&true.into(), &0.into()));
    result
}

/// A match is a function of the lines that are sent, and its record holds them.
#[test]
fn all_send_the_same_lines() {
    let matches: [&[&str]; 2] = [
        &["--seed", "5", "--rules", "classic", "--turns", "90", "--width", "24", "--height", "24"],
        &["--seed", "9", "--rules", "arena", "--turns", "90", "--mode", "players", "--placement", "draft"],
    ];
    for (i, flags) in matches.iter().enumerate() {
        let first = OnceLock::new();
        for (language, bot) in factions() {
            let out = play(bot, "easy", &format!("same-{i}-{language}"), flags);
            let record = fs::read_to_string(out.join("match.zrec")).unwrap();
            assert!(result(&out)["teams"][0]["land"].as_u64().unwrap() > 20, "{language} took no land");
            assert!(!record.contains(" ko expected"), "{language} sends what is no order");
            let (other, same) = first.get_or_init(|| (out.clone(), record.clone()));
            assert!(*same == record, "cmp {} {}", other.display(), out.display());
        }
    }
}

#[test]
fn the_guide_leads_to_a_bot_that_beats_easy() {
    let Some((_, starter)) = factions().iter().find(|(language, _)| *language == "python") else { return };
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/conquest-client.md");
    let guide = fs::read_to_string(guide).unwrap();
    let first = guide.split("```python\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let file = folder("conquest").join("first.py");
    fs::write(&file, first).unwrap();
    let first = format!("{} -B {} {{port}} {{team}}", interpreter().unwrap(), quoted(&file));
    let size = ["--width", "24", "--height", "24", "--seed"];
    let first = play(&first, "easy", "first", &[&size[..], &["1", "--turns", "5"]].concat());
    assert_eq!(result(&first)["reason"], "turns");
    for rules in ["classic", "arena"] {
        for seed in ["1", "2"] {
            let flags = [&size[..], &[seed, "--rules", rules]].concat();
            let won = result(&play(starter, "easy", &format!("{rules}-{seed}"), &flags));
            assert_eq!(won["winner"], "red", "{won:#}");
        }
    }
}
