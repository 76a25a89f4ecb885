//! What is sent, and what isn't, of a folder with all that the arena leaves.

use std::fs::File;
use std::os::unix::fs::symlink;
use std::time::{Duration, UNIX_EPOCH};

use super::support::records::records;
use super::support::{Match, Stage, VIEWER, lay, until};
use serde_json::json;
use zappy_play::signature::Kind;

/// The result of a match without a server's part.
fn failed_between(teams: [&str; 2]) -> String {
    let team = |name| {
        json!({
            "team": name, "seed": 987_654_321, "command": "./secret-command", "started": 1, "limit_broken": null, "foul": null,
            "processes": []
        })
    };
    json!({
        "winner": null, "reason": "server_failed", "ticks": null, "seed": 123_456_789,
        "arena": {
            "version": "0.1.0", "outcome": "server_failed", "in_process": false, "error": "/home/grader/x failed",
            "leaving_seconds": 0.0, "server": null, "teams": teams.map(team), "connections_from_outside": 0,
            "connections_not_let_in": 0, "orphans_ended": 0, "orphans_left": 0
        }
    })
    .to_string()
}

#[test]
fn records_are_listed_and_sent_so_that_they_can_be_watched() {
    let (inputs, full) = records();
    let folder = tempfile::tempdir().unwrap();
    lay(folder.path(), "new one/lone.zrec", &inputs);
    let stage = Stage::start(folder, |setup| setup.trusted.push(setup.folder.join("new one/lone.zrec")));
    stage.lay_match("old/match.zrec", &full);
    let overview = stage.get("/").text();
    assert!(
        overview.contains("href=\"/watch/old\"") && overview.contains("href=\"/watch/new%20one/lone.zrec\""),
        "{overview}"
    );
    for at in ["old", "old/match.zrec", "new%20one/lone.zrec"] {
        let page = stage.get(&format!("/watch/{at}"));
        assert_eq!(page.status, 200, "{at}");
        assert!(page.text().contains(&format!("data-record=\"/record/{at}\"")), "{}", page.text());
        // Why it ended as it did also stands in the previews of its link.
        let about = page.text().split_once("og:description\" content=\"").map(|(_, rest)| rest.to_owned());
        assert!(about.is_some_and(|about| about.split('"').next().unwrap().contains("after 4 s")), "{at}");
        assert!(
            page.text().contains(&format!("og:image\" content=\"http://localhost/picture/{at}")),
            "{}",
            page.text()
        );
        let picture = stage.ask("GET", &format!("/picture/{at}"), &[]);
        assert_eq!((picture.status, picture.header("content-type")), (200, Some("image/png")), "{at}");
        assert!(picture.body.starts_with(b"\x89PNG") && picture.body.len() > 1_000, "{at}");
        let record = stage.get(&format!("/record/{at}"));
        assert_eq!((record.status, record.header("content-encoding")), (200, Some("gzip")));
        assert!(record.text().as_bytes() == full, "{at} is sent as a full record");
        let tag = record.header("etag").unwrap().to_owned();
        let same = stage.ask("GET", &format!("/record/{at}"), &[("if-none-match", &tag)]);
        assert_eq!((same.status, same.body.len()), (304, 0));
    }
    let plain = stage.ask("GET", "/record/old", &[]);
    assert_eq!(plain.status, 406, "it is sent compressed or not at all");
    let head = stage.ask("HEAD", "/record/old", &[("accept-encoding", "gzip")]);
    assert_eq!((head.status, head.body.len()), (200, 0));
    let saved = stage.get("/record/old?download");
    assert_eq!(saved.header("content-disposition"), Some("attachment; filename=\"match.zrec\""));
    assert_eq!(stage.get("/viewer.js").text(), VIEWER);
}

/// The result of a match that this team has won, or none.
fn played(winner: Option<&str>, scores: [i64; 2]) -> String {
    let conduct = json!({
        "joined": 1, "left": 0, "expelled": 0, "commands": 1, "unknown": 0, "refused": 0, "dropped": 0, "silence": 0
    });
    let team =
        |(name, score): (&str, i64)| json!({ "name": name, "rank": 1, "score": score, "conduct": conduct });
    json!({
        "server_version": "0.1.0", "game": "zappy", "rules_version": 3, "record_version": 3, "seed": 123_456_789,
        "configuration": {
            "width": 12, "height": 9, "frequency": 100, "max_frequency": 100_000, "auto_start": true, "max_ticks": 3000,
            "clock": "lockstep", "teams": ["red", "blue"]
        },
        "ticks": 3000, "winner": winner, "winners": winner.as_slice(), "reason": "time", "ranking": ["blue", "red"],
        "by_lot": false, "teams": [team(("red", scores[0])), team(("blue", scores[1]))], "reproducible": true,
        "not_reproducible": [], "lockstep": null, "record_complete": null,
        "lateness": { "ticks": 0, "p50_us": 0, "p99_us": 0, "max_us": 0 }
    })
    .to_string()
}

#[test]
fn matches_in_the_list_can_be_told_apart_the_newest_first() {
    let stage = Stage::new();
    let (_, full) = records();
    stage.lay_match("first/result.json", played(Some("blue"), [7, 24]));
    stage.lay_match("second/result.json", played(None, [-3, -3]));
    stage.lay_match("third/match.zrec", &full);
    let by_lot = played(Some("red"), [5, 5]).replace("\"by_lot\":false", "\"by_lot\":true");
    stage.lay_match("fourth/result.json", by_lot);
    stage.lay_match("ancient/result.json", failed_between(["red", "blue"]));
    let date = |seconds| UNIX_EPOCH + Duration::from_secs(seconds);
    let moments = [
        ("first/result.json", date(1_790_000_000)),
        ("second/result.json", date(1_790_000_100)),
        ("third/match.zrec", date(1_790_000_200)),
        ("fourth/result.json", date(1_780_000_000)),
        ("ancient/result.json", UNIX_EPOCH),
    ];
    for (file, moment) in moments {
        let file = File::options().write(true).open(stage.folder.path().join(file)).unwrap();
        file.set_modified(moment).unwrap();
    }
    let page = stage.get("/").text();
    let rows: Vec<&str> = page.split("<tr><td class=\"picture\">").skip(1).collect();
    for (row, told) in rows.iter().zip([
        &["zappy, 5 by 5 tiles · third", "blue won: time was over", "Mon, 21 Sep 2026 14:16:40 GMT"][..],
        &["zappy, 12 by 9 tiles · second", ">-3</span>", "no team won: time was over", ">30 s<"],
        &[
            "zappy, 12 by 9 tiles · first",
            "blue</b> <span class=\"faint\" title=\"its score\">24</span>",
            "red <span",
            ">7</span>",
            "blue won: time was over",
            "Mon, 21 Sep 2026 14:13:20 GMT",
        ],
        &["blue <span", "red <span", "zappy, 12 by 9 tiles · fourth", "a draw: time was over"],
        &["red <i>vs</i> blue", "no team won: server failed"],
    ]) {
        assert!(told.iter().all(|part| row.contains(part)), "{told:?}: {row}");
    }
    assert_eq!(rows.len(), 5);
    assert!(!rows[3].contains("class=\"won\""), "{}", rows[3]);
}

/// Files that are the grader's alone.
const UNSEEN: [&str; 25] = [
    "one/logs/red-1.log",
    "one/notes/red-1.txt",
    "one/result.json",
    "one/again.zrec.txt",
    "night/plan.jsonl",
    "night/bots.json",
    "night/seeds",
    "night/results/0123456789abcdef.json",
    "night/failed/0123456789abcdef.json",
    "bots/bot.py",
    "index.html",
    "one/index.html",
    ".hidden/index.html",
    ".hidden/ranking.json",
    "merged/notes.html",
    "merged/seeds",
    "graded/grade.json",
    "graded/merged/index.html",
    "graded/merged/ranking.json",
    "season/plan.jsonl",
    "season/bots.json",
    "season/secret",
    "season/index.html",
    "season/bots/ada/check-report.txt",
    "season/checked/0123456789abcdef",
];

/// Addresses at which nothing of theirs is.
const REFUSED: [&str; 53] = [
    "one/logs/red-1.log",
    "one/logs/",
    "one/notes/red-1.txt",
    "one/result.json",
    "night/plan.jsonl",
    "night/seeds",
    "night/bots.json",
    "night/results/0123456789abcdef.json",
    "night/failed/0123456789abcdef.json",
    "bots/bot.py",
    "index.html",
    "one/index.html",
    ".hidden/index.html",
    "merged/notes.html",
    "merged/seeds",
    "merged/junit.xml",
    "merged/matches.csv",
    "merged",
    "merged/",
    "graded/grade.json",
    "graded/merged/index.html",
    "graded",
    "graded/match.zrec",
    ".hidden",
    ".hidden/match.zrec",
    "season/secret",
    "season/league.json",
    "season/bots/ada",
    "season/bots/ada/match.zrec",
    "season/bots/ada/index.html",
    "season/bots/ada/check-report.txt",
    "season/versions/0123456789abcdef/match.zrec",
    "season/checked/ada/match.zrec",
    "cut",
    "cut/match.zrec",
    "link",
    "link/match.zrec",
    "link/index.html",
    "linked.zrec",
    "merged/../merged/index.html",
    "..",
    "../../etc/passwd",
    "%2e%2e/%2e%2e/etc/passwd",
    "..%2f..%2fetc%2fpasswd",
    "/etc/passwd",
    "%2fetc%2fpasswd",
    "merged%2findex.html",
    "merged/index.html%00",
    "merged\\index.html",
    "merged/./index.html",
    "merged//index.html",
    "%",
    "%zz",
];

#[test]
fn what_is_no_spectators_business_is_not_sent() {
    let stage = Stage::new();
    let (_, full) = records();
    let secret = "the secret";
    for file in UNSEEN {
        stage.lay(file, secret);
    }
    stage.lay("merged/index.html", "<h1>the report</h1>");
    stage.lay("merged/ranking.json", "{}");
    for at in ["graded", ".hidden"] {
        stage.lay_match(&format!("{at}/match.zrec"), &full);
        stage.sign(&format!("{at}/merged"), Kind::Report, &["index.html", "ranking.json"]);
    }
    stage.lay("season/league.json", "{}");
    stage.sign("graded", Kind::Grade, &["index.html"]);
    stage.sign("season", Kind::League, &["bots.json"]);
    stage.sign("night", Kind::Tournament, &["bots.json"]);
    stage.sign("one", Kind::Match, &["result.json"]);
    stage.sign("merged", Kind::Report, &["index.html", "ranking.json"]);
    for own in ["bots/ada", "versions/0123456789abcdef", "checked/ada"] {
        stage.lay_match(&format!("season/{own}/match.zrec"), &full);
        stage.lay(&format!("season/{own}/index.html"), secret);
        stage.lay(&format!("season/{own}/ranking.json"), secret);
    }
    // A match that runs, or was killed: its first lines hold the seed.
    stage.lay_match("cut/match.zrec", &full[..full.len() / 2]);
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("match.zrec"), &full).unwrap();
    std::fs::write(outside.path().join("index.html"), secret).unwrap();
    symlink(outside.path(), stage.folder.path().join("link")).unwrap();
    symlink(outside.path().join("match.zrec"), stage.folder.path().join("linked.zrec")).unwrap();
    symlink(outside.path().join("index.html"), stage.folder.path().join("merged/junit.xml")).unwrap();
    let pipe = stage.folder.path().join("merged/matches.csv");
    rustix::fs::mknodat(rustix::fs::CWD, pipe, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();

    assert_eq!(stage.get("/report/merged/index.html").text(), "<h1>the report</h1>");
    let outside = outside.path().display().to_string();
    let long = ["a/".repeat(900), "x".repeat(1500), outside];
    for at in REFUSED.into_iter().chain(long.iter().map(String::as_str)) {
        for first in ["report", "record", "watch", "folder", "live", "", "viewer.js"] {
            let path = format!("/{first}/{at}");
            let answer = stage.get(&path);
            let refused = [400, 404, 426].contains(&answer.status);
            let text = answer.text();
            let shown = !refused && path != "/folder/night";
            assert!(!shown && !text.contains(secret), "{path}: {} {text}", answer.status);
        }
    }
    let overview = stage.get("/").text();
    for unseen in ["graded", "hidden", "/link", "linked", "bots/", "versions/", "checked/"] {
        assert!(!overview.contains(unseen), "{unseen}: {overview}");
    }
}

#[test]
fn a_league_is_listed_with_its_table_its_rounds_and_its_matches() {
    let stage = Stage::new();
    let rated = |value: f64| (value, [value - 100.0, value + 100.0]);
    let rows = [("ada", 1, 1600.0), ("bob", 2, 1400.0)].map(|(name, place, value)| {
        let (rating, interval) = rated(value);
        json!({
            "place": place, "tied": false, "name": name, "number": 1, "id": "0123456789abcdef", "rating": rating,
            "interval": interval, "matches": 2, "points": 0.5, "wins": 1, "draws": 0, "losses": 1, "faults": 0, "not_scored": 0,
            "place_before": null, "rating_change": null, "why": null
        })
    });
    let careers = [("ada", 1, 1600.0), ("bob", 2, 1400.0)].map(|(name, place, value)| {
        let (rating, interval) = rated(value);
        json!({
            "name": name, "number": 1, "id": "0123456789abcdef", "entered": 1, "in_field": true, "rating": rating,
            "interval": interval,
            "history": [{ "round": 1, "place": place, "rating": rating, "interval": interval, "matches": 2 }]
        })
    });
    let standings = json!({
        "version": 1, "game": "zappy", "pairing": "round-robin", "round": 1, "complete": true, "planned": 2, "scored": 2,
        "table": rows, "versions": careers, "refused": [{ "name": "eve", "number": 1, "why": "it crashed" }]
    });
    for (file, text) in [("plan.jsonl", ""), ("bots.json", "{}"), ("league.json", "{}")] {
        stage.lay(&format!("season/{file}"), text);
    }
    stage.lay("season/standings.json", standings.to_string());
    for file in ["index.html", "ranking.json"] {
        stage.lay(&format!("season/merged/{file}"), "{}");
    }
    stage.sign("season", Kind::League, &["bots.json", "standings.json"]);
    stage.sign("season/merged", Kind::Report, &["index.html", "ranking.json"]);
    let id = "0123456789abcdef";
    let mut game = Match::begin(&stage.folder.path().join(format!("season/matches/.{id}.tmp/match")));
    let overview = stage.get("/").text();
    assert!(overview.contains("<a href=\"/folder/season\">League <b>season</b></a>"), "{overview}");
    assert!(!overview.contains("/report/"), "it is found on the league's page: {overview}");
    let page = stage.get("/folder/season").text();
    for told in [
        "zappy, round-robin, round 1: 2 of 2 matches count, all played",
        "<b>ada@1</b>",
        "1600 ±100",
        "<li>Round 1: <b>ada@1</b> led; new: ada@1, bob@1</li>",
        "href=\"/report/season/merged/index.html\"",
        &format!("href=\"/watch/season/matches/{id}\""),
    ] {
        assert!(page.contains(told), "{told}: {page}");
    }
    assert!(!page.contains("eve") && !page.contains("crashed"), "{page}");
    game.end();
    // What isn't a league's is left out, and the rest stands.
    stage.lay(
        "season/standings.json",
        standings.to_string().replace("1500", "1e300").replace("1600.0", "1e300"),
    );
    until("the page is renewed", || {
        let page = stage.get("/folder/season").text();
        page.contains("League season") && page.contains("0 bots") && !page.contains("Round 1")
    });
}

#[test]
fn a_ladder_that_is_the_folder_shown_has_a_page() {
    let stage = Stage::new();
    for (file, text) in [("plan.jsonl", ""), ("bots.json", "{}")] {
        stage.lay(file, text);
    }
    let row = json!({
        "place": 1, "tied": false, "name": "ada", "id": "0123456789abcdef", "rating": 1512.0, "interval": [1400.0, 1620.0],
        "matches": 1, "points": 1.0, "wins": 1, "draws": 0, "losses": 0, "faults": 0
    });
    let told = json!({ "id": "fedcba9876543210", "void": true, "told": "ada, bob: void, the host ended" });
    let standings =
        json!({ "version": 1, "game": "zappy", "scored": 1, "table": [row], "interrupted": [told] });
    stage.lay("ladder.json", standings.to_string());
    stage.sign(".", Kind::Ladder, &["bots.json", "ladder.json"]);
    let overview = stage.get("/").text();
    assert!(overview.contains("<a href=\"/folder\">Ladder"), "{overview}");
    let page = stage.get("/folder").text();
    assert!(page.contains("1512 ±110") && page.contains("ada, bob: void, the host ended"), "{page}");
}

#[test]
fn the_record_of_a_match_that_runs_is_not_sent() {
    let stage = Stage::new();
    let game = Match::begin(&stage.folder.path().join("again"));
    let (_, full) = records();
    stage.lay("again/match.zrec", &full);
    stage.lay("again/result.json", "{}");
    stage.sign("again", Kind::Match, &["match.zrec", "result.json"]);
    assert_eq!(stage.get("/record/again").status, 404);
    let page = stage.get("/watch/again").text();
    assert!(page.contains("data-live=\"/live/again\"") && !page.contains("/record/"), "{page}");
    game.folder.retract();
    assert_eq!(stage.get("/record/again").status, 200);
}

#[test]
fn what_bots_and_files_say_stands_as_text_and_no_seed_or_command_is_told() {
    let stage = Stage::new();
    let evil = "<script>alert(1)</script>";
    stage.lay_match("a\"><img src=x onerror=alert(2)>/result.json", failed_between([evil, "\u{202e}\"'&"]));
    let page = stage.get("/").text();
    assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"), "{page}");
    assert!(!page.contains("<script>") && !page.contains("<img") && !page.contains('\u{202e}'), "{page}");
    for secret in ["123456789", "987654321", "secret-command", "/home/grader"] {
        assert!(!page.contains(secret), "{secret}: {page}");
    }
    assert!(page.contains("server failed"), "{page}");
}

#[test]
fn every_answer_bears_the_headers_and_a_report_its_own_policy() {
    let stage = Stage::new();
    stage.lay("merged/index.html", "<script>x</script>");
    stage.lay("merged/ranking.json", "{}");
    stage.sign("merged", Kind::Report, &["index.html", "ranking.json"]);
    let overview = stage.get("/").text();
    assert!(overview.contains("href=\"/report/merged/index.html\""), "{overview}");
    for path in [
        "/",
        "/none",
        "/site.css",
        "/site.js",
        "/watch.js",
        "/icon.svg",
        "/viewer.js",
        "/report/merged/index.html",
        "/live/x",
    ] {
        let answer = stage.get(path);
        for (name, value) in [
            ("x-content-type-options", "nosniff"),
            ("x-frame-options", "DENY"),
            ("referrer-policy", "no-referrer"),
            ("cross-origin-resource-policy", "same-origin"),
        ] {
            assert_eq!(answer.header(name), Some(value), "{path} {name}");
        }
        let policy = answer.header("content-security-policy").unwrap();
        assert!(
            policy.starts_with("default-src 'none'") && policy.contains("frame-ancestors 'none'"),
            "{path}: {policy}"
        );
        assert_eq!(policy.contains("'sha256-"), path.starts_with("/report/"), "{path}: {policy}");
        assert!(!policy.contains("'unsafe-inline'"), "{path}: {policy}");
    }
    let report = "/report/merged/index.html";
    let tag = stage.get(report).header("etag").unwrap().to_owned();
    let same = stage.ask("GET", report, &[("if-none-match", &tag)]);
    let policy = same.header("content-security-policy").unwrap();
    assert!(same.status == 304 && policy.contains("'sha256-"), "{policy}");
    for method in ["POST", "PUT", "DELETE", "OPTIONS", "TRACE", "BREW"] {
        assert_eq!(stage.ask(method, "/", &[]).status, 405, "{method}");
    }
    let click = stage.ask(
        "GET",
        "/report/night/matches/0123456789abcdef/match.zrec",
        &[("sec-fetch-dest", "document")],
    );
    assert_eq!(click.header("location"), Some("/watch/night/matches/0123456789abcdef"));
    // So does the page that a report brings for disks, which needs scripts that the site doesn't send.
    let link = stage.ask("GET", "/report/night/merged/watch.html?match=0123456789abcdef", &[]);
    assert_eq!(link.header("location"), Some("/watch/night/matches/0123456789abcdef"));
    for bad in ["watch.html", "watch.html?match=../x", "watch.html?match=", "watch.html?game=1"] {
        assert_eq!(stage.get(&format!("/report/night/merged/{bad}")).status, 404, "{bad}");
    }
}

#[test]
fn long_lists_have_pages() {
    let stage = Stage::new();
    for number in 0..60 {
        stage.lay_match(&format!("m{number:02}/result.json"), failed_between(["red", "blue"]));
    }
    let rows = |path: &str| stage.get(path).text().matches("<tr><td class=\"picture\">").count();
    assert_eq!((rows("/"), rows("/?page=2")), (50, 10));
    for none in ["/?page=3", "/?page=0", "/?page=99999999999999999999"] {
        let answer = stage.get(none);
        assert!(answer.status == 404 || none.len() > 10, "{none}: {}", answer.status);
    }
}
