//! What a grader says besides matches: due dates and attempts. It changes points, costs no match, and each student's page
//! tells it of that one alone.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use serde_json::{Value, json};
use zappy_play::signature::{Kind, sign};
use zappy_tournament::place::STUDENT;

use super::room::{Room, json as read, student};

/// A class of three that have a point of one each, and one that can't be started.
fn graded() -> Room {
    let room = Room::new();
    ["ada", "bob", "cat"].iter().for_each(|name| room.player(name, "easy"));
    room.hand_in("dan", &[("COMMAND", "./nowhere\n")]);
    let finished = room.grade("out", &[]);
    assert_eq!(finished.code(), 0, "{}", finished.stderr);
    for name in ["ada", "bob", "cat"] {
        let folder = room.out("out").join(place(&room, name));
        let mut grade = read(&folder.join(STUDENT));
        grade["points"] = 1.into();
        fs::write(folder.join(STUDENT), grade.to_string()).unwrap();
        sign(&folder, Kind::Grade, &[STUDENT]);
    }
    assert_eq!(room.grade("out", &[]).code(), 0);
    room
}

/// Where the grade of a student lies.
fn place(room: &Room, name: &str) -> String {
    let class = room.class("out");
    let [key, id] =
        ["key", "submission"].map(|part| student(&class, name)[part].as_str().unwrap().to_owned());
    format!("students/{key}/{id}")
}

/// The points of these students after a run with these flags, none of which plays a match.
fn points(room: &Room, names: &[&str], flags: &[&str]) -> Vec<Value> {
    let starts = room.starts();
    let finished = room.grade("out", flags);
    assert_eq!((finished.code(), room.starts()), (0, starts), "{}{}", finished.stdout, finished.stderr);
    let class = room.class("out");
    names.iter().map(|name| student(&class, name)["points"].clone()).collect()
}

fn page(room: &Room, name: &str) -> Option<String> {
    fs::read_to_string(room.out("out").join(place(room, name)).join("index.html")).ok()
}

/// The rows of the leaderboard: place, pseudonym and points.
fn board(page: &str) -> Vec<[String; 3]> {
    let rows = page.split("<tr><td>").skip(1);
    let cells = |row: &str| -> Vec<String> {
        let plain = row.split('<').filter_map(|part| part.rsplit('>').next().map(str::to_owned));
        plain.filter(|cell| !cell.is_empty()).take(3).collect()
    };
    rows.map(|row| cells(row).try_into().unwrap_or_else(|row| panic!("{row:?}"))).collect()
}

#[test]
fn the_leaderboard_tells_nobody_who_is_who() {
    let room = graded();
    let (file, salt) = (room.out("out/leaderboard.html"), room.out("out/salt"));
    assert!(!file.exists() && !salt.exists());
    let adjust = room.out("adjust.csv");
    fs::write(&adjust, "student,points,comment\nbob,-0.5,copied\n").unwrap();
    let flags = ["--leaderboard", "--adjust", &adjust.display().to_string()];
    let all = ["ada", "bob", "cat", "dan"];
    let wanted = [json!(1), json!(0.5), json!(1), json!(0)];
    let run = || {
        assert_eq!(points(&room, &all, &flags), wanted);
        fs::read_to_string(&file).unwrap()
    };
    let first = run();
    assert_eq!(run(), first, "a second run keeps the pseudonyms");
    assert_eq!(fs::metadata(&salt).unwrap().permissions().mode() & 0o777, 0o600);

    // With this salt the order of the pseudonyms isn't that of the names.
    fs::write(&salt, "07".repeat(32)).unwrap();
    let page = run();
    let class = room.class("out");
    let called = all.map(|name| student(&class, name)["pseudonym"].as_str().unwrap().to_owned());
    let rows = board(&page);
    assert_eq!(
        rows.iter().map(|[place, _, points]| format!("{place} {points}")).collect::<Vec<_>>(),
        ["1 1", "1 1", "1 1", "4 0"]
    );
    let mut tied = called[..3].to_vec();
    tied.sort_unstable();
    assert_ne!(tied, called[..3], "the salt is to be one that changes the order");
    let told: Vec<&String> = rows.iter().map(|[_, pseudonym, _]| pseudonym).collect();
    assert_eq!(told, [&tied[0], &tied[1], &tied[2], &called[3]]);
    assert!(board(&first).iter().all(|[_, pseudonym, _]| !called.contains(pseudonym)), "the salt counts");

    let words: Vec<&str> = page.split(|c: char| !c.is_ascii_alphanumeric()).collect();
    for (name, pseudonym) in all.iter().zip(&called) {
        assert!(!words.contains(name) && !page.contains(&place(&room, name)), "{page}");
        let submission = student(&class, name)["submission"].as_str().unwrap();
        assert!(!page.contains(submission), "{page}");
        let own = self::page(&room, name).unwrap();
        let others = called.iter().filter(|other| *other != pseudonym);
        assert!(own.contains(pseudonym) && !others.clone().any(|other| own.contains(other)), "{own}");
    }
    assert!(!page.contains("href") && !page.contains("students") && !page.contains("copied"), "{page}");

    // Without the flag all is as before.
    assert_eq!(points(&room, &all, &[]), [json!(1), json!(1), json!(1), json!(0)]);
    assert!(!file.exists() && self::page(&room, "bob").is_none());
    assert!(room.class("out")["students"][0].get("pseudonym").is_none());
}

#[test]
fn a_leaderboard_grows_with_what_is_graded() {
    let room = Room::new();
    room.hand_in("dan", &[("COMMAND", "./nowhere\n")]);
    assert_eq!(room.grade("out", &["--leaderboard"]).code(), 0);
    let page = || fs::read_to_string(room.out("out/leaderboard.html")).unwrap();
    let (first, text) = (board(&page()), page());
    assert!(text.contains("1 of 1 submission done"), "{text}");
    room.hand_in("eve", &[("COMMAND", "./nowhere\n")]);
    assert_eq!(room.grade("out", &["--leaderboard"]).code(), 0);
    let (both, text) = (board(&page()), page());
    assert!(text.contains("2 of 2 submissions done") && both.len() == 2, "{text}");
    assert!(both.iter().any(|row| row[1] == first[0][1]), "{both:?}");
}

fn refused(room: &Room, flag: &str, text: &[u8], more: &[&str], words: &str) {
    let file = room.out("wrong.csv");
    fs::write(&file, text).unwrap();
    let before = fs::read(room.out("out/class.json")).unwrap();
    let file = file.display().to_string();
    let finished = room.grade("out", &[&[flag, file.as_str()], more].concat());
    assert_eq!(finished.code(), 2, "{words}: {}{}", finished.stdout, finished.stderr);
    assert!(
        finished.stderr.contains(words) && !finished.stderr.contains('\x1b'),
        "{words}: {}",
        finished.stderr
    );
    assert!(fs::read(room.out("out/class.json")).unwrap() == before, "it changed the table");
}

#[test]
fn what_is_handed_in_late_costs_what_the_grader_says() {
    let room = graded();
    let before = room.class("out");
    let csv = room.out("times.csv");
    let text = "\u{feff}student,handed_in\r\nada,2026-11-24T18:00:00Z\r\n\r\nbob,2026-11-20T08:00:00Z\r\n\
                bob,2026-11-24T19:00:01+01:00\r\ncat,2026-11-26T18:00:00.5Z\r\n";
    fs::write(&csv, text).unwrap();
    let csv = csv.display().to_string();
    let due = ["--handed-in", &csv, "--due", "2026-11-24T18:00:00+00:00"];
    let all = ["ada", "bob", "cat", "dan"];
    for (more, wanted) in [
        (&[][..], [json!(1), json!(1), json!(1), json!(0)]),
        (&["--late-cost", "33%"], [json!(1), json!(0.67), json!(0.01), json!(0)]),
        (&["--late-cost", "0.4"], [json!(1), json!(0.6), json!(0), json!(0)]),
        (&["--late-days", "2"], [json!(1), json!(1), json!(0), json!(0)]),
        (&["--attempts", "1"], [json!(1), json!(0), json!(1), json!(0)]),
        (&["--late-cost=0.25", "--late-days=3"], [json!(1), json!(0.75), json!(0.25), json!(0)]),
    ] {
        assert_eq!(points(&room, &all, &[&due[..], more].concat()), wanted, "{more:?}");
    }
    let class = room.class("out");
    let bob = student(&class, "bob");
    assert_eq!(
        (&bob["earned"], &bob["handed_in"]["days_late"], &bob["handed_in"]["attempt"]),
        (&json!(1), &json!(1), &json!(2))
    );
    let words = "handed in at 2026-11-24T19:00:01+01:00, which is on day 1 after the due date; that costs 0.25 of 1 point";
    assert_eq!(bob["handed_in"]["why"], words);
    let csv_text = fs::read_to_string(room.out("out/class.csv")).unwrap();
    assert!(
        csv_text.contains(",1,2026-11-24T18:00:01Z,2,1,0.25") && csv_text.contains("handed in at"),
        "{csv_text}"
    );
    let table = fs::read_to_string(room.out("out/index.html")).unwrap();
    let report = format!("{}/index.html", place(&room, "bob"));
    assert!(
        table.contains(&format!("href=\"{report}\"")) && table.contains("on day 1 after the due date"),
        "{table}"
    );
    let own = page(&room, "bob").unwrap();
    assert!(
        own.contains("0.75 of 1 point")
            && own.contains("on day 1 after")
            && own.contains("play/merged/index.html"),
        "{own}"
    );
    assert!(!own.contains("2026-11-26"), "another one's: {own}");
    assert!(page(&room, "dan").unwrap().contains("isn&#39;t known"));

    // Without the file all is as before.
    assert_eq!(points(&room, &all, &[]), [json!(1), json!(1), json!(1), json!(0)]);
    assert_eq!(room.class("out"), before);
    assert!(page(&room, "bob").is_none() && !page(&room, "dan").unwrap().contains("known when"));
}

#[test]
fn a_faulty_line_of_hand_ins_is_refused_with_its_number() {
    let room = graded();
    for (text, words) in [
        (
            "student,handed_in\nada,2026-11-24T18:00:00Z\n\nbob,yesterday\n",
            "line 4: \"yesterday\" is no time; write it as",
        ),
        ("student,handed_in\r\nada,2026-11-24T18:00:00\r\n", "line 2: \"2026-11-24T18:00:00\" is no time"),
        ("student,handed_in\neve,2026-11-24T18:00:00Z\n", "line 2: there is no submission of \"eve\""),
        ("student,handed_in\n\"ada,2026\"\n", "line 2: it has more or fewer cells"),
        ("student,handed_in,attempt\nada,2026-11-24T18:00:00Z,0\n", "line 2: attempt \"0\" is no number"),
        ("student,time\nada,2026-11-24T18:00:00Z\n", "line 1: there is no column \"time\""),
        ("student\nada\n", "line 1: the column handed_in isn't there"),
        ("student,handed_in\n\x1b[2J,x\n", "line 2: there is no submission"),
    ] {
        refused(&room, "--handed-in", text.as_bytes(), &[], words);
    }
    refused(&room, "--handed-in", b"student,handed_in\nada,\xff\n", &[], "line 2: it isn't UTF-8");
    let good = b"student,handed_in\nada,2026-11-24T18:00:00Z\n";
    refused(&room, "--handed-in", good, &["--due", "today"], "\"today\" is no time");
    refused(&room, "--handed-in", good, &["--late-cost", "1"], "--due");
    refused(
        &room,
        "--handed-in",
        good,
        &["--due", "2026-11-24T18:00:00Z", "--late-cost", "101%"],
        "0% to 100%",
    );
}

#[test]
fn points_by_hand_survive_a_new_run_with_their_comments() {
    let room = graded();
    let csv = room.out("adjust.csv");
    fs::write(
        &csv,
        "student,points,comment\nada,0.5,a clear design\nbob,-3,copied\ndan,+0.25,<b>good</b> notes\nada,-0.25,\"no tests, alas\"\n",
    )
    .unwrap();
    let csv = csv.display().to_string();
    let wanted = [json!(1.25), json!(0), json!(1), json!(0.25)];
    let all = ["ada", "bob", "cat", "dan"];
    for _ in 0..2 {
        assert_eq!(points(&room, &all, &["--adjust", &csv]), wanted);
    }
    let class = room.class("out");
    let adjusted = json!({"points": 0.25, "comments": ["a clear design", "no tests, alas"]});
    assert_eq!(student(&class, "ada")["adjusted"], adjusted);
    let told = fs::read_to_string(room.out("out/class.csv")).unwrap();
    assert!(told.contains("points by the grader: -3 (copied)"), "{told}");
    assert!(page(&room, "ada").unwrap().contains("0.25 (a clear design; no tests, alas)"));
    assert!(page(&room, "dan").unwrap().contains("&lt;b&gt;good&lt;/b&gt; notes"));
    assert_eq!(points(&room, &all, &[]), [json!(1), json!(1), json!(1), json!(0)]);

    for (text, words) in [
        ("student,points,comment\nada,much,x\n", "line 2: \"much\" are no points"),
        ("student,points,comment\nada,1,\n", "line 2: a comment must say why"),
        ("student,points,comment\neve,1,x\n", "line 2: there is no submission of \"eve\""),
        ("student,points\nada,1\n", "line 1: the column comment isn't there"),
    ] {
        refused(&room, "--adjust", text.as_bytes(), &[], words);
    }
}
