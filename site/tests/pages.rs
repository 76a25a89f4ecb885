//! What is sent, and what isn't, of a folder with all that the arena leaves.

mod support;

use std::os::unix::fs::symlink;

use serde_json::json;
use support::{Match, Stage, VIEWER};
use zappy_protocol::record::RecordLevel;
use zappy_protocol::{MapSize, TeamName, Tick};
use zappy_server::config::MatchConfig;
use zappy_server::game::{Game, Input, SeatId};
use zappy_server::record::{Recorder, header};
use zappy_server::zappy::{Zappy, ZappyOptions};

fn advance(game: &mut impl Game, tick: Tick) {
    while let Some(due) = game.poll_timeout().filter(|&due| due <= tick) {
        game.handle_timeout(due);
        while game.poll_output().is_some() {}
    }
}

/// A record of a short match, of inputs and in full.
fn records() -> (Vec<u8>, Vec<u8>) {
    let teams = ["red", "blue"].map(|name| TeamName::parse(name.as_bytes()).unwrap()).to_vec();
    let config = MatchConfig::new(MapSize::new(5, 5).unwrap(), teams);
    let config = MatchConfig { seed: 7, max_ticks: Some(400), publish: true, ..config };
    let spec = ZappyOptions { slots: 3, ..ZappyOptions::default() }.spec(config).unwrap();
    let records = [RecordLevel::Inputs, RecordLevel::Full].map(|level| {
        let mut game = Recorder::new(Zappy::of(&spec), Vec::new(), &header(&spec, level));
        for (tick, seat, line) in
            [(0, 0, "red"), (0, 1, "blue"), (5, 0, "Forward"), (9, 1, "Broadcast hello")]
        {
            advance(&mut game, tick);
            if tick == 0 {
                game.handle_input(tick, SeatId(seat), Input::Open);
            }
            game.handle_input(tick, SeatId(seat), Input::Line(line.as_bytes()));
            while game.poll_output().is_some() {}
        }
        advance(&mut game, 400);
        game.finish().1.unwrap()
    });
    records.into()
}

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
    let stage = Stage::new();
    let (inputs, full) = records();
    stage.lay("old/match.zrec", &full);
    stage.lay("new one/lone.zrec", &inputs);
    let overview = stage.get("/").text();
    assert!(
        overview.contains("href=\"/watch/old\"") && overview.contains("href=\"/watch/new%20one/lone.zrec\""),
        "{overview}"
    );
    for at in ["old", "old/match.zrec", "new%20one/lone.zrec"] {
        let page = stage.get(&format!("/watch/{at}"));
        assert_eq!(page.status, 200, "{at}");
        assert!(page.text().contains(&format!("data-record=\"/record/{at}\"")), "{}", page.text());
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

/// Files that are the grader's alone.
const UNSEEN: [&str; 19] = [
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
    stage.lay("graded/match.zrec", &full);
    stage.lay(".hidden/match.zrec", &full);
    // A match that runs, or was killed: its first lines hold the seed.
    stage.lay("cut/match.zrec", &full[..full.len() / 2]);
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
    for at in [
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
        &outside,
        &"a/".repeat(900),
        &"x".repeat(1500),
    ] {
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
    for unseen in ["graded", "hidden", "/link", "linked", "bots/"] {
        assert!(!overview.contains(unseen), "{unseen}: {overview}");
    }
}

#[test]
fn the_record_of_a_match_that_runs_is_not_sent() {
    let stage = Stage::new();
    let game = Match::begin(&stage.folder.path().join("again"));
    let (_, full) = records();
    stage.lay("again/match.zrec", &full);
    stage.lay("again/result.json", "{}");
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
    stage.lay("a\"><img src=x onerror=alert(2)>/result.json", failed_between([evil, "\u{202e}\"'&"]));
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
        assert_eq!(policy.contains("'unsafe-inline'"), path.starts_with("/report/"), "{path}: {policy}");
    }
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
        stage.lay(&format!("m{number:02}/result.json"), failed_between(["red", "blue"]));
    }
    let rows = |path: &str| stage.get(path).text().matches("<tr><td>").count();
    assert_eq!((rows("/"), rows("/?page=2")), (50, 10));
    for none in ["/?page=3", "/?page=0", "/?page=99999999999999999999"] {
        let answer = stage.get(none);
        assert!(answer.status == 404 || none.len() > 10, "{none}: {}", answer.status);
    }
}
