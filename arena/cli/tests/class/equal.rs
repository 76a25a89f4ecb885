//! Equal programs come to equal points in a class, copies are found whatever says how they are started, and each student is told why.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::Value;

use super::room::{Room, json, student};
use crate::support::{client, names};

/// The seeds that a student played, and what each match came to for the seats.
fn played(room: &Room, student: &Value) -> BTreeSet<(u64, u64, String)> {
    let place = ["key", "submission"].map(|part| student[part].as_str().unwrap());
    let results = room.out("out/students").join(place[0]).join(place[1]).join("play/results");
    let told = |name: &String| {
        let result = json(&results.join(name));
        let seats = result["seats"].as_array().unwrap();
        let graded = seats
            .iter()
            .position(|seat| ![Value::from("easy"), Value::from("house")].contains(&seat["team"]))
            .unwrap() as u64;
        let ranks: Vec<&Value> = seats.iter().flat_map(|seat| [&seat["rank"], &seat["score"]]).collect();
        (result["seed"].as_u64().unwrap(), graded, format!("{} {ranks:?}", result["ticks"]))
    };
    names(&results).iter().map(told).collect()
}

#[test]
fn equal_bots_come_to_equal_points_and_copies_are_found() {
    let room = Room::new();
    let bot = format!("exec {} --level hard \"$@\"\n", client());
    let toml = "command = \"sh run.sh -p {port} -n {team} -h {host}\"\n";
    room.hand_in("ada", &[("run.sh", &bot)]);
    room.hand_in("bob", &[("run.sh", &bot), ("bot.toml", toml)]);
    room.hand_in("cat", &[("run.sh", &bot)]);
    let copied =
        room.hand_in("eve", &[("main.sh", &bot), ("COMMAND", "sh main.sh -p {port} -n {team} -h {host}\n")]);
    fs::write(room.out("submissions/readme.txt"), "hello").unwrap();
    let opponent = room.out("opponent");
    fs::create_dir(&opponent).unwrap();
    fs::copy(copied.join("main.sh"), opponent.join("main.sh")).unwrap();
    let easy = fs::read_to_string(room.out("levels.toml")).unwrap();
    let easy = format!("{easy}[[bot]]\nname = \"house\"\ncommand = \"sh main.sh\"\nfolder = \"opponent\"\n");
    fs::write(room.out("levels.toml"), easy).unwrap();
    let finished = room.grade_sealed("out");
    assert_eq!(finished.code(), 0, "{}{}", finished.stdout, finished.stderr);
    assert!(finished.stderr.contains("readme.txt is left out"), "{}", finished.stderr);
    let class = room.class("out");
    assert_eq!(class["left_out"], serde_json::json!(["readme.txt"]));
    assert_eq!(class["same"], serde_json::json!([["ada", "bob", "cat"]]), "{class:#}");
    let [ada, bob, cat] = ["ada", "bob", "cat"].map(|name| student(&class, name));
    assert_eq!(ada["opponents"], cat["opponents"], "{class:#}");
    assert_eq!(ada["opponents"], bob["opponents"], "{class:#}");
    let seeds = |one: &Value| played(&room, one).into_iter().map(|(seed, ..)| seed).collect::<BTreeSet<_>>();
    assert_eq!(seeds(ada).len(), 1, "one seed in both seats against each opponent");
    assert_eq!((seeds(ada), played(&room, ada)), (seeds(cat), played(&room, cat)));
    assert_eq!(seeds(ada), seeds(bob));
    let kept = room.out("out/seeds");
    let drawn: BTreeSet<u64> =
        fs::read_to_string(&kept).unwrap().lines().map(|line| line.parse().unwrap()).collect();
    assert_eq!((&drawn, fs::metadata(&kept).unwrap().permissions().mode() & 0o777), (&seeds(ada), 0o600));
    let eve = student(&class, "eve");
    assert_eq!(eve["state"], "unfit", "{eve:#}");
    assert!(
        eve["why"].as_str().unwrap().starts_with("it is the opponent house, to the byte but for"),
        "{eve:#}"
    );

    // What is handed in later meets the same seeds.
    room.hand_in("zoe", &[("run.sh", &bot), ("notes", "mine")]);
    assert_eq!(room.grade_sealed("out").code(), 0);
    let class = room.class("out");
    assert_eq!(
        (seeds(student(&class, "zoe")), &student(&class, "ada")["opponents"]),
        (drawn, &ada["opponents"])
    );
}

#[test]
fn a_student_reads_the_error_and_how_to_see_it_again() {
    let room = Room::new();
    let trace = "echo 'TypeError: x is <no> function' >&2\necho '    at f (bot.js:3:7)' >&2\necho >&2\necho 'Node.js v20.20.2' >&2\n";
    room.hand_in("ada", &[("run.sh", &format!("{trace}exit 1\n"))]);
    room.hand_in("bob", &[("run.sh", "echo '# There is insufficient memory for the Java Runtime Environment to continue.' >&2\necho '# /tmp/replay_pid2.log' >&2\nexit 1\n")]);
    let run = format!("exec {} -p \"$2\" -n red -h 127.0.0.1\n", client());
    room.hand_in("eve", &[("run.sh", &run)]);
    let finished = room.grade("out", &["--check", "login"]);
    assert_eq!(finished.code(), 0, "{}{}", finished.stdout, finished.stderr);
    let class = room.class("out");
    let told = |name: &str, why: &str, page: &[&str]| {
        let student = student(&class, name);
        assert!(student["why"].as_str().unwrap().contains(why), "{student:#}");
        assert!(finished.stdout.contains(why), "{}", finished.stdout);
        let text = fs::read_to_string(room.out("out").join(student["page"].as_str().unwrap())).unwrap();
        for words in page {
            assert!(text.contains(words), "{words} isn't in {text}");
        }
        assert!(!text.contains("alive at the end"), "{text}");
        let body = &text[text.find("<body>").unwrap()..text.find("<script>").unwrap()];
        let body = body.replace(" hidden>", " hidden=\"\"/>").replace("<br>", "<br/>") + "</body>";
        roxmltree::Document::parse(&body).unwrap_or_else(|error| panic!("{error}: {text}"));
    };
    let again = [
        ", seat 1 of 2",
        ", seat 2 of 2",
        "zappy_arena match --clock lockstep --seed 1 ",
        "It said the same as above.",
    ];
    told(
        "ada",
        "it said: TypeError: x is <no> function",
        &[&again[..], &["TypeError: x is &lt;no&gt; function\n    at f (bot.js:3:7)\nNode.js"]].concat(),
    );
    told(
        "bob",
        "it said: There is insufficient memory for the Java",
        &["It asked for more memory than a process may have, which is 4096 MiB of address space."],
    );
    let seen = ["What the check saw", "Try again:  zappy_arena check", "--only login", "read: protocol.md"];
    told("eve", "it named a team that doesn't exist here: red", &seen);
}
