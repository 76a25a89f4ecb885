//! What is shown as the arena's own, beside folders that imitate it.

use std::fs;
use std::path::Path;

use super::support::records::records;
use super::support::{Match, Stage, lay, until};
use serde_json::json;
use zappy_play::signature::{Key, Kind, List, SIGNATURE, hash, place_of, sign};

/// A page with a script in it, and what passes for a report with it.
const SCRIPT: &str = "<script>alert('the site is mine')</script>";

/// Lays what a submission may hold: all that the arena leaves, by the same names.
fn imitate(folder: &Path, full: &[u8]) {
    for at in ["", "merged/", "night/merged/"] {
        lay(folder, &format!("{at}index.html"), SCRIPT);
        lay(folder, &format!("{at}ranking.json"), "{}");
    }
    for at in ["match.zrec", "games/one/match.zrec", "night/matches/0123456789abcdef/match.zrec", "lone.zrec"]
    {
        lay(folder, at, full);
    }
    for at in ["result.json", "games/one/result.json", "night/plan.jsonl", "night/bots.json"] {
        lay(folder, at, "{}");
    }
}

/// The places in it that a spectator might ask for.
const IMITATED: [&str; 7] =
    ["", "/merged", "/night", "/night/merged", "/games/one", "/lone.zrec", "/night/matches/0123456789abcdef"];

/// That nothing below that place is listed or sent.
fn is_hidden(stage: &Stage, at: &str) {
    let overview = stage.get("/").text();
    assert!(!overview.contains(at), "{at}: {overview}");
    for below in IMITATED {
        for first in ["watch", "record", "folder", "live"] {
            let path = format!("/{first}/{at}{below}");
            let answer = stage.get(&path);
            assert!([404, 426].contains(&answer.status), "{path}: {} {}", answer.status, answer.text());
        }
        let page = stage.get(&format!("/report/{at}{below}/index.html"));
        assert_eq!(page.status, 404, "{at}{below}: {}", page.text());
    }
}

#[test]
fn a_submission_that_imitates_the_arena_is_not_shown() {
    let stage = Stage::new();
    let (_, full) = records();
    let at = |name: &str| stage.folder.path().join(name);
    imitate(&at("plain"), &full);
    // Another user's key, and a list that was copied from elsewhere.
    let data = tempfile::tempdir().unwrap();
    fs::write(data.path().join("key"), "5a".repeat(32) + "\n").unwrap();
    fs::set_permissions(data.path().join("key"), std::os::unix::fs::PermissionsExt::from_mode(0o600))
        .unwrap();
    let other = Key::read(&data.path().join("key")).unwrap();
    lay(&at("genuine"), "index.html", "<h1>the report</h1>");
    lay(&at("genuine"), "ranking.json", "{}");
    sign(&at("genuine"), Kind::Report, &["index.html", "ranking.json"]);
    imitate(&at("forged"), &full);
    imitate(&at("copied"), &full);
    for below in IMITATED.iter().filter(|below| !below.ends_with(".zrec")) {
        let files = [("index.html", SCRIPT.as_bytes()), ("ranking.json", b"{}"), ("match.zrec", &full)];
        let files = files.map(|(name, bytes)| (name.to_owned(), hash(bytes))).into();
        let kind = if below.ends_with("merged") { Kind::Report } else { Kind::Match };
        let below = below.trim_start_matches('/');
        fs::create_dir_all(at("forged").join(below)).unwrap();
        let place = place_of(&at("forged").join(below)).unwrap();
        lay(&at("forged").join(below), SIGNATURE, other.list(&List { kind, place, files }));
        fs::copy(at("genuine").join(SIGNATURE), at("copied").join(below).join(SIGNATURE)).unwrap();
    }
    assert_eq!(stage.get("/report/genuine/index.html").text(), "<h1>the report</h1>");
    for hidden in ["plain", "forged"] {
        is_hidden(&stage, hidden);
    }
    // A list that was copied lets nothing but the genuine files through.
    for below in ["", "/merged", "/night/merged"] {
        let page = stage.get(&format!("/report/copied{below}/index.html"));
        assert!(page.status == 404 && !page.text().contains("alert"), "{below}: {}", page.text());
    }
    for at in ["copied", "copied/games/one", "copied/lone.zrec"] {
        assert_eq!(stage.get(&format!("/record/{at}")).status, 404, "{at}");
    }
}

#[test]
fn a_list_that_was_copied_with_all_its_files_makes_no_other_folder_the_arenas() {
    let stage = Stage::new();
    let files = ["plan.jsonl", "bots.json", "league.json", "standings.json"];
    let copies = ["submissions/mallory", "night/bots/mallory", "grades/students/ada/0123456789abcdef/bot"];
    for folder in ["league"].iter().chain(&copies) {
        files.iter().for_each(|file| stage.lay(&format!("{folder}/{file}"), "{}"));
    }
    stage.sign("league", Kind::League, &files);
    stage.sign("night", Kind::Tournament, &[]);
    let at = |name: &str| stage.folder.path().join(name);
    for copy in copies {
        fs::copy(at("league").join(SIGNATURE), at(copy).join(SIGNATURE)).unwrap();
    }
    let overview = stage.get("/").text();
    assert!(overview.contains("/folder/league"), "{overview}");
    for copy in copies {
        assert!(!overview.contains(copy), "{copy}: {overview}");
        assert_eq!(stage.get(&format!("/folder/{copy}")).status, 404, "{copy}");
    }
    // The same folder under another name is still the arena's.
    fs::rename(at("league"), at("ours")).unwrap();
    until("it is shown under its new name", || stage.get("/folder/ours").status == 200);
}

#[test]
fn what_was_changed_after_it_was_signed_is_not_sent() {
    let stage = Stage::new();
    let (inputs, full) = records();
    for (at, file, good, bad) in [
        ("report", "index.html", &b"<h1>good</h1>"[..], SCRIPT.as_bytes()),
        ("record", "match.zrec", &full, &inputs),
    ] {
        for (name, content) in [("good", good), ("bad", bad)] {
            let folder = format!("{at}-{name}");
            stage.lay(&format!("{folder}/{file}"), good);
            let kind = if at == "report" { Kind::Report } else { Kind::Match };
            stage.sign(&folder, kind, &[file]);
            stage.lay(&format!("{folder}/{file}"), content);
            let below = if at == "report" { "/index.html" } else { "" };
            let answer = stage.get(&format!("/{at}/{folder}{below}"));
            assert_eq!(answer.status, if name == "good" { 200 } else { 404 }, "{folder}: {}", answer.text());
            // What was found out once counts for all that ask.
            assert_eq!(stage.get(&format!("/{at}/{folder}{below}")).status, answer.status);
        }
    }
    // What lies beside the files of the list is none of them.
    stage.lay("report-good/ranking.csv", "a,b\n");
    assert_eq!(stage.get("/report/report-good/ranking.csv").status, 404);
}

/// The folder of a class with a match of a student's that is over, and nothing that says so yet.
fn class(stage: &Stage, full: &[u8]) -> String {
    let student = "grades/students/ada/0123456789abcdef";
    let play = format!("{student}/play");
    stage.lay("grades/seeds", "7\n");
    stage.lay("grades/salt", "00\n");
    stage.lay("grades/index.html", "<h1>Grades of a class</h1>");
    stage.lay("grades/leaderboard.html", "<h1>Leaderboard</h1>");
    stage.sign("grades", Kind::Class, &["index.html", "leaderboard.html"]);
    stage.lay(&format!("{student}/submission"), "x");
    stage.lay(&format!("{student}/student.json"), "{}");
    stage.sign(student, Kind::Grade, &["index.html", "student.json"]);
    for name in ["plan.jsonl", "bots.json"] {
        stage.lay(&format!("{play}/{name}"), "{}");
    }
    stage.sign(&play, Kind::Grade, &["bots.json"]);
    stage.lay_match(&format!("{play}/matches/0123456789abcdef/match.zrec"), full);
    imitate(&stage.folder.path().join(student).join("bot"), full);
    student.to_owned()
}

#[test]
fn nothing_of_a_class_is_shown_unless_grades_are_asked_for() {
    let (_, full) = records();
    for grades in [false, true] {
        let stage = Stage::start(tempfile::tempdir().unwrap(), |setup| setup.grades = grades);
        let student = class(&stage, &full);
        let played = format!("{student}/play/matches/0123456789abcdef");
        let runs = format!("{student}/play/matches/fedcba9876543210");
        let hidden = format!("{student}/play/matches/.fedcba9876543210.tmp/match");
        let game = Match::begin(&stage.folder.path().join(hidden));
        let overview = stage.get("/").text();
        assert_eq!(overview.contains("grades"), grades, "{overview}");
        assert_eq!(overview.contains(&runs), grades, "{overview}");
        let status = if grades { 200 } else { 404 };
        for path in [
            format!("/record/{played}"),
            format!("/watch/{played}"),
            format!("/watch/{runs}"),
            format!("/folder/{student}/play"),
            "/report/grades/index.html".to_owned(),
            "/report/grades/leaderboard.html".to_owned(),
        ] {
            let answer = stage.get(&path);
            assert_eq!(answer.status, status, "{path}: {}", answer.text());
        }
        assert_eq!(stage.watch(&format!("/live/{runs}")).err(), (!grades).then_some(404));
        is_hidden(&stage, &format!("{student}/bot"));
        let own = ["submission", "student.json"].map(|name| format!("{student}/{name}"));
        for secret in ["grades/seeds", "grades/salt", "grades/class.json", &own[0], &own[1]] {
            assert_eq!(stage.get(&format!("/report/{secret}")).status, 404, "{secret}");
        }
        drop(game);
    }
}

#[test]
fn a_note_of_a_match_that_runs_must_be_signed() {
    let stage = Stage::new();
    let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    stage.lay("mallory/.arena-x/live", format!("{}\n", server.local_addr().unwrap()));
    let note = fs::File::open(stage.folder.path().join("mallory/.arena-x/live")).unwrap();
    note.lock().unwrap();
    assert!(!stage.get("/").text().contains("mallory"));
    assert_eq!(stage.watch("/live/mallory").err(), Some(404));
    // The same place with a note of the arena's.
    let _game = Match::begin(&stage.folder.path().join("ada"));
    until("it is listed", || stage.get("/").text().contains("/watch/ada"));
    assert!(stage.watch("/live/ada").is_ok());
}

#[test]
fn what_the_arena_leaves_of_a_match_is_shown_at_once() {
    let stage = Stage::new();
    let (_, full) = records();
    let mut game = Match::begin(&stage.folder.path().join("one"));
    fs::write(game.folder.record(), &full).unwrap();
    game.folder.write_result(&json!({})).unwrap();
    game.end();
    assert!(stage.get("/").text().contains("href=\"/watch/one\""));
    assert_eq!(stage.get("/record/one").text().as_bytes(), full);
}

#[test]
fn what_is_named_is_shown_without_a_signature() {
    let (inputs, full) = records();
    // A match, or a record, that is itself what the site is asked to show.
    for (file, at) in [("match.zrec", "match.zrec"), ("a record.zrec", "a%20record.zrec")] {
        let folder = tempfile::tempdir().unwrap();
        lay(folder.path(), file, &inputs);
        let stage = Stage::start(folder, |setup| {
            if file != "match.zrec" {
                setup.folder.push(file);
            }
        });
        assert_eq!(stage.get(&format!("/record/{at}")).text().as_bytes(), full, "{file}");
        assert_eq!(stage.get(&format!("/watch/{at}")).status, 200, "{file}");
    }
    // Old outputs beside submissions.
    let folder = tempfile::tempdir().unwrap();
    imitate(&folder.path().join("mallory"), &full);
    imitate(&folder.path().join("old"), &full);
    lay(folder.path(), "old/night/bots/mallory/match.zrec", &full);
    let stage = Stage::start(folder, |setup| setup.trusted.push(setup.folder.join("old/night")));
    let overview = stage.get("/").text();
    assert!(overview.contains("/folder/old/night"), "{overview}");
    assert_eq!(stage.get("/record/old/night/matches/0123456789abcdef").status, 200);
    assert_eq!(stage.get("/record/old/night/bots/mallory").status, 404);
    let report = stage.get("/report/old/night/merged/index.html");
    assert_eq!(report.status, 200);
    let policy = report.header("content-security-policy").unwrap();
    assert!(policy.contains("script-src 'sha256-") && !policy.contains("unsafe"), "{policy}");
    is_hidden(&stage, "mallory");
    for path in ["/record/old", "/record/old/games/one", "/report/old/merged/index.html"] {
        assert_eq!(stage.get(path).status, 404, "{path}");
    }
}
