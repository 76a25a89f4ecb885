//! Thirty submissions, twenty good ones and bad ones of each kind: graded in one go, and killed on the way and resumed, with the
//! same results to the byte.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use rustix::process::Signal;
use zappy_play::signature::Kind;

use super::room::{Room, json, student};

use crate::support::{names, signed, wait_for};

/// The bad ones, and what is said of them.
const BAD: [(&str, &str, &str); 10] = [
    ("bad-archive.zip", "unfit", "it is no folder"),
    ("bad-build", "not_built", "it ended with exit code 3"),
    ("bad-command", "cant_start", "there is no program \"./nowhere\""),
    ("bad-empty", "no_command", "the folder is empty"),
    ("bad-fills", "not_built", "it ended with"),
    ("bad-forks", "not_built", "it used more than 32 processes at one time"),
    ("bad-hangs", "never_played", "never joins"),
    ("bad-link", "unfit", "it is a link"),
    ("bad-noise", "never_played", "cut by the arena"),
    ("bad-syntax", "never_played", "it said: syntax error"),
];

fn thirty() -> Room {
    let room = Room::new();
    for number in 0..20 {
        room.player(&format!("good-{number:02}"), ["easy", "medium", "hard", "expert"][number % 4]);
    }
    let toml = |build: &str| format!("command = \"./bot\"\nbuild = \"{build}\"\n");
    fs::write(room.out("submissions/bad-archive.zip"), "").unwrap();
    room.hand_in(
        "bad-build",
        &[("bot.toml", &toml("sh build.sh")), ("build.sh", "echo no compiler >&2; exit 3")],
    );
    room.hand_in("bad-command", &[("COMMAND", "./nowhere\n")]);
    room.hand_in("bad-empty", &[]);
    room.hand_in(
        "bad-fills",
        &[("bot.toml", &toml("sh fill.sh")), ("fill.sh", "exec cat /dev/zero >filled")],
    );
    let forks = "i=0; while [ $i -lt 100 ]; do sleep 600 & i=$((i+1)); done; wait";
    room.hand_in("bad-forks", &[("bot.toml", &toml("sh forks.sh")), ("forks.sh", forks)]);
    room.hand_in("bad-hangs", &[("run.sh", "exec sleep 600\n")]);
    symlink("/etc", room.out("submissions/bad-link")).unwrap();
    room.hand_in("bad-noise", &[("run.sh", "exec yes\n")]);
    room.hand_in("bad-syntax", &[("run.sh", "echo syntax error >&2\nexit 1\n")]);
    room
}

/// All files that results are in, by their paths; what depends on time is in none of them.
fn results(out: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut take = |path: &Path| {
        let name = path.strip_prefix(out).unwrap().to_str().unwrap().to_owned();
        found.insert(name, fs::read(path).unwrap());
    };
    let table = ["class.csv", "class.json", "class.xml", "index.html"].map(str::to_owned);
    assert_eq!(signed(out), (Kind::Class, table.into()));
    for name in ["class.json", "class.csv", "class.xml", "index.html", "terms.json"] {
        take(&out.join(name));
    }
    for key in names(&out.join("students")) {
        let key = out.join("students").join(key);
        for id in names(&key) {
            let folder = key.join(id);
            for name in ["student.json", "gradescope.json", "classroom.json"] {
                take(&folder.join(name));
            }
            if json(&folder.join("student.json"))["state"] == "graded" {
                for name in names(&folder.join("play/results")) {
                    take(&folder.join("play/results").join(name));
                }
                take(&folder.join("play/grade.json"));
                take(&folder.join("play/merged/index.html"));
            }
        }
    }
    found
}

#[test]
fn a_class_of_thirty_is_graded_and_one_that_was_killed_comes_to_the_same() {
    let room = thirty();
    let finished = room.grade("one", &["--jobs", "4"]);
    assert_eq!(finished.code(), 0, "{}{}", finished.stdout, finished.stderr);
    let class = room.class("one");
    assert_eq!(
        (class["students"].as_array().unwrap().len(), &class["complete"]),
        (30, &true.into()),
        "{class:#}"
    );
    for (name, state, why) in BAD {
        let bad = student(&class, name);
        assert_eq!((&bad["state"], &bad["points"]), (&state.into(), &0.into()), "{bad:#}");
        assert!(bad["why"].as_str().unwrap().contains(why), "{bad:#}");
    }
    for number in 0..20 {
        let good = student(&class, &format!("good-{number:02}"));
        assert_eq!((&good["state"], &good["faults"]), (&"graded".into(), &serde_json::json!({})), "{good:#}");
        assert_eq!(good["opponents"].as_array().unwrap().len(), 1, "{good:#}");
    }

    // Killed by force, with a part of it done.
    let running = room.start("two", &["--jobs", "2"]);
    let done = || {
        let keys = fs::read_dir(room.out("two/students")).into_iter().flatten().flatten();
        let ids = keys.flat_map(|key| fs::read_dir(key.path()).into_iter().flatten().flatten());
        ids.filter(|id| id.path().join("student.json").exists()).count()
    };
    wait_for("some students", || (done() >= 8).then_some(()));
    running.signal(Signal::KILL);
    running.finish();
    assert_eq!(room.class("two")["complete"], false, "it was not killed on the way");
    let resumed = room.grade("two", &["--jobs", "3"]);
    assert_eq!(resumed.code(), 0, "{}{}", resumed.stdout, resumed.stderr);
    let before: usize = {
        let (_, words) = resumed.stderr.split_once("submissions, ").unwrap();
        words.split(' ').next().unwrap().parse().unwrap()
    };
    assert!((8..30).contains(&before), "{}", resumed.stderr);
    let (one, two) = (results(&room.out("one")), results(&room.out("two")));
    let only = |these: &BTreeMap<String, Vec<u8>>, those: &BTreeMap<String, Vec<u8>>| -> Vec<String> {
        those.keys().filter(|name| !these.contains_key(*name)).cloned().collect()
    };
    assert_eq!((only(&one, &two), only(&two, &one)), (vec![], vec![]));
    for (name, bytes) in &one {
        let [one, two] = [bytes, &two[name]].map(|bytes| String::from_utf8_lossy(bytes));
        assert!(one == two, "{name} differs:\n{one}\n{two}");
    }

    // What is graded is graded once; what has changed is graded, and nothing else.
    let starts = room.starts();
    assert_eq!(room.grade("two", &[]).code(), 0);
    assert_eq!((room.starts(), results(&room.out("two")) == two), (starts, true));
    room.player("good-07", "easy");
    room.hand_in("good-07", &[("notes", "a new version")]);
    assert_eq!(room.grade("two", &[]).code(), 0);
    assert_eq!(room.starts(), starts + 2, "one pair of matches");
    let versions = names(&room.out("two/students/good-07"));
    assert_eq!(versions.len(), 2, "the version before is kept");
    let now = room.class("two");
    assert_ne!(student(&now, "good-07")["submission"], student(&class, "good-07")["submission"]);

    // Other terms need another folder, another --pass doesn't.
    let other = room.grade("two", &["--seeds", "2"]);
    assert_eq!(other.code(), 2, "{}", other.stderr);
    assert!(other.error().contains("a class was graded there on other terms (seeds)"), "{}", other.stderr);
    assert_eq!(room.grade("two", &["--pass", "0"]).code(), 0);
    assert_eq!((room.class("two")["pass"].as_f64(), room.starts()), (Some(0.0), starts + 2));
}
