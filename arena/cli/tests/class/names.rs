//! Names and words of students in the tables and pages: escaped by each form's rules, and none on another student's page.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;

use super::room::{Room, student};
use crate::support::{client, run};

#[test]
fn hostile_names_harm_no_table_and_no_page() {
    let room = Room::new();
    let hostile: [&[u8]; 6] = [
        b"=cmd|' C calc'!A0",
        b"-rf",
        b"\xff\xfe",
        b"<script>alert(1)<",
        b"a\nb\x1b[2J",
        "Zoë \u{202e}\"".as_bytes(),
    ];
    for name in hostile {
        room.hand_in(OsStr::from_bytes(name), &[("COMMAND", "./nowhere <b>\n")]);
    }
    room.player("good", "easy");
    fs::write(room.out("submissions/.DS_Store"), "").unwrap();
    let finished = room.grade("out", &[]);
    assert_eq!(finished.code(), 0, "{}{}", finished.stdout, finished.stderr);
    assert!(!finished.stdout.contains('\x1b'), "{}", finished.stdout);
    let class = room.class("out");
    assert_eq!(
        (class["students"].as_array().unwrap().len(), &class["left_out"][0]),
        (7, &".DS_Store".into())
    );
    assert_eq!(class["same"].as_array().unwrap()[0].as_array().unwrap().len(), 6, "{class:#}");
    for name in ["=cmd|' C calc'!A0", "-rf", "\\xff\\xfe", "<script>alert(1)<", "a\\x0ab\\x1b[2J"] {
        assert_eq!(student(&class, name)["state"], "cant_start", "{name}");
    }
    let csv = fs::read_to_string(room.out("out/class.csv")).unwrap();
    assert!(csv.contains("\n'=cmd|' C calc'!A0,") && csv.contains("\n'-rf,"), "{csv}");
    assert_eq!(csv.lines().count(), 8, "{csv}");
    let table = fs::read_to_string(room.out("out/index.html")).unwrap();
    assert!(table.contains("&lt;script&gt;alert(1)&lt;") && !table.contains("<script>alert"), "{table}");
    let junit = fs::read_to_string(room.out("out/class.xml")).unwrap();
    let junit = roxmltree::Document::parse(&junit).unwrap();
    assert_eq!(junit.descendants().filter(|node| node.has_tag_name("testsuite")).count(), 7);
    // Each page is there, and shows its own student alone.
    for one in class["students"].as_array().unwrap() {
        let page = fs::read_to_string(room.out("out").join(one["page"].as_str().unwrap())).unwrap();
        assert!(page.contains("Grade of"), "{page}");
        assert!(page.contains("good") == (one["student"] == "good"), "{page}");
        assert!(!page.contains("<b>\n") && !page.contains("<script>alert"), "{page}");
    }
}

#[test]
fn what_is_no_class_is_refused_before_anything_is_started() {
    let room = Room::new();
    let refused = |flags: &[&str], words: &str| {
        let refused = room.grade("out", flags);
        assert_eq!(refused.code(), 2, "{}", refused.stderr);
        assert!(refused.error().contains(words), "{words}: {}", refused.stderr);
        assert!(!room.out("out/students").exists());
    };
    refused(&[], "there is no submission in it");
    room.player("ada", "easy");
    let missing = room.out("missing.toml").display().to_string();
    refused(&["--against", &missing], "there is no such file");
    refused(&["--check", "nonsense"], "--check: there is no situation \"nonsense\"");
    refused(&["--build", "make"], "--command");
    refused(&["--name", "ada"], "cannot be used with");
    refused(&["--gradescope", "x"], "cannot be used with");
    let inside = room.grade("submissions/out", &[]);
    assert!(inside.error().contains("would be taken for a submission"), "{}", inside.stderr);
    // An opponent that can't play is the grader's to mend, and no student's grade.
    let absent = "[[bot]]\nname = \"absent\"\ncommand = \"sleep 600\"\n";
    fs::write(room.out("absent.toml"), absent).unwrap();
    let absent = room.out("absent.toml").display().to_string();
    let stopped = room.grade("other", &["--against", &absent]);
    assert_eq!(stopped.code(), 1, "{}", stopped.stderr);
    assert!(stopped.error().contains("nothing is graded: the opponent absent"), "{}", stopped.stderr);
    // Whatever the table tells by then, it is no grade of a bot that was to play.
    let table = fs::read_to_string(room.out("other/class.json")).unwrap_or_default();
    assert!(!table.contains("\"state\": \"graded\""), "{table}");
}

#[test]
fn one_command_for_all_and_the_same_bot_as_an_opponent() {
    let room = Room::new();
    let bot = format!("exec {} --level easy \"$@\"\n", client());
    room.hand_in("ada", &[("main.sh", &bot), ("bot.toml", "nonsense")]);
    room.hand_in("bob", &[("other.sh", &bot)]);
    let folder = room.hand_in("eve", &[("main.sh", "exit 1\n")]);
    let opponent = format!("[[bot]]\nname = \"eve\"\ncommand = \"sh main.sh\"\nfolder = {folder:?}\n");
    let easy = fs::read_to_string(room.out("levels.toml")).unwrap();
    fs::write(room.out("both.toml"), format!("{easy}{opponent}")).unwrap();
    let both = room.out("both.toml").display().to_string();
    let mut command = room.command(&room.out("submissions/eve"), "alone", &["--against", &both]);
    assert_eq!(run(command.args(["--command", "sh main.sh"])).code(), 0);
    let alone = super::room::json(&room.out("alone/student.json"));
    assert_eq!((&alone["state"], &alone["points"]), (&"unfit".into(), &0.into()), "{alone:#}");
    assert!(alone["why"].as_str().unwrap().starts_with("it is the opponent eve, to the byte"), "{alone:#}");
    let finished = room.grade("out", &["--command", "sh main.sh", "--strict"]);
    assert_eq!(finished.code(), 3, "{}{}", finished.stdout, finished.stderr);
    let class = room.class("out");
    assert_eq!(student(&class, "ada")["state"], "graded");
    assert_eq!(student(&class, "ada")["found_in"], "--command");
    let bob = student(&class, "bob");
    assert!(bob["why"].as_str().unwrap().contains("there is no script \"main.sh\""), "{bob:#}");
    assert_eq!(student(&class, "eve")["state"], "never_played");
}
