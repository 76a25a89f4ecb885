//! Matches watched in a real browser: pages from disk, and a match that comes live.
//!
//! Runs with `ZAPPY_BROWSER=required`, which `.ci/run` sets where it has installed a browser and made the viewer; else a
//! line says what isn't tested.

mod chromium;
mod picture;
#[path = "../support/mod.rs"]
mod support;

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

use fantoccini::key::Key;
use tungstenite::protocol::CloseFrame;
use tungstenite::protocol::frame::coding::CloseCode;
use tungstenite::{Message, WebSocket};

use chromium::{Browser, in_a_browser};
use support::{binary, client, run, with_viewer};

/// The match that comes with the observer; its first winner is decided long after tick 2,000.
fn sample() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../gui/assets/sample.zrec")
}

/// The viewer that `make web` has left beside the programs.
fn viewer() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../zappy_web/viewer.js");
    fs::read_to_string(path).expect("make web builds the viewer")
}

fn address(path: &Path) -> String {
    url::Url::from_file_path(path).unwrap().to_string()
}

#[test]
fn a_replay_page_from_disk_shows_a_linked_moment_and_obeys_keys_and_pointer() {
    in_a_browser(async |browser: &Browser, folder: &Path| {
        let arena = with_viewer(&folder.join("programs"), &viewer());
        let page = folder.join("replay.html");
        let made = run(Command::new(arena).arg("show").arg(sample()).arg("--html").arg(&page));
        assert_eq!(made.code(), 0, "{}", made.stderr);
        browser.open(&format!("{}#tick=1443&player=44&zoom=2.4", address(&page))).await;
        assert!(browser.client.title().await.unwrap().contains("wolves"));
        // The same moment as the desktop's golden picture, where no panel is in the way.
        let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../gui/tests/golden/push.png");
        browser.wait_for_picture(&picture::load(&fs::read(golden).unwrap())).await;
        let moment = browser.moment().await;
        assert!(moment.starts_with(&format!("{}#tick=1443&player=44&zoom=2.4", address(&page))), "{moment}");

        browser.keys(&[".", ".", "."]).await;
        browser.wait_for_moment("tick=1446&player=44").await;
        browser.keys(&[&Key::End]).await;
        browser.wait_for_moment("player=44").await;
        browser.keys(&[&Key::Home, &Key::Escape]).await;
        let start = browser.wait_for_moment("tick=0").await;
        assert!(!start.contains("player="), "nothing is selected: {start}");

        // Another link to the same page, then the pointer.
        browser.client.execute("location.hash = '#tick=2000&player=12&zoom=3'", vec![]).await.unwrap();
        browser.wait_for_moment("tick=2000&player=12&zoom=3").await;
        browser.keys(&[&Key::Escape]).await;
        browser.click(picture::MAP).await;
        let selected = browser.moment().await;
        assert!(selected.contains("&player=") || selected.contains("&tile="), "{selected}");
        // A press on the timeline seeks.
        browser.click((480.0, 485.0)).await;
        let sought = browser.moment().await;
        let tick = sought.split("tick=").nth(1).and_then(|rest| rest.split('&').next()).unwrap();
        assert!((1_000..2_500).contains(&tick.parse::<u32>().unwrap()) && tick != "2000", "{sought}");
    });
}

#[test]
fn a_tournaments_page_from_disk_leads_to_its_matches() {
    in_a_browser(async |browser: &Browser, folder: &Path| {
        let arena = with_viewer(&folder.join("programs"), &viewer());
        let bots = folder.join("bots.toml");
        let bot = client();
        let table = |name: &str, level: &str| {
            format!("[[bot]]\nname = {name:?}\ncommand = {:?}\n", format!("{bot} --level {level}"))
        };
        fs::write(&bots, [table("ada", "easy"), table("bo", "medium")].concat()).unwrap();
        let tournament = folder.join("tournament");
        let mut plan = Command::new(&arena);
        plan.args(["tournament", "plan", "--bots"]).arg(&bots).arg("--out").arg(&tournament);
        plan.args(["--seeds", "1", "--width", "8", "--height", "8", "--clients", "1", "--max-ticks", "300"]);
        assert_eq!(run(&mut plan).code(), 0);
        let mut play = Command::new(&arena);
        play.args(["tournament", "run"])
            .arg(&tournament)
            .arg("--server")
            .arg(binary("zappy-server", "zappy_server"));
        let played = run(&mut play);
        assert_eq!(played.code(), 0, "{}", played.stderr);
        assert_eq!(run(Command::new(&arena).args(["tournament", "merge"]).arg(&tournament)).code(), 0);
        let page = fs::read_to_string(tournament.join("merged/index.html")).unwrap();
        let link = page.split("href=\"").find_map(|rest| rest.strip_prefix("watch.html?match="));
        let id = link.and_then(|rest| rest.split('"').next()).expect("matches can be watched");
        let watched = address(&tournament.join("merged/watch.html"));
        browser.open(&format!("{watched}?match={id}#tick=77")).await;
        assert!(browser.moment().await.contains(&format!("match={id}#tick=77")));
    });
}

/// What an observer is told of the sample up to that tick: the snapshot, and the messages behind it.
fn told(until: u64) -> (String, Vec<String>) {
    let record = fs::read_to_string(sample()).unwrap();
    let (mut snapshot, mut messages) = (String::new(), Vec::new());
    for line in record.lines() {
        if let Some(told) = line.strip_prefix("= ").filter(|_| messages.is_empty()) {
            snapshot.push_str(&format!("{told}\n"));
        } else if let Some((tick, told)) = line.split_once(" * ")
            && tick.parse::<u64>().is_ok_and(|at| at <= until)
        {
            messages.push(format!("{told}\n"));
        }
    }
    (snapshot, messages)
}

#[test]
fn a_match_is_watched_live_over_a_lost_connection_and_a_second_snapshot_to_its_end() {
    in_a_browser(async |browser: &Browser, folder: &Path| {
        let site = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = site.local_addr().unwrap().port();
        let served = thread::spawn(move || serve(&site));
        let page = folder.join("live.html");
        fs::write(folder.join("viewer.js"), viewer()).unwrap();
        fs::write(
            &page,
            format!(
                "<!doctype html><title>live</title><style>html,body,canvas{{margin:0;width:100%;height:100%;display:block}}</style>\
                 <canvas></canvas><script src=\"viewer.js\"></script><script>ZappyViewer.start({{ canvas: \
                 document.querySelector('canvas'), live: 'ws://127.0.0.1:{port}/match' }})</script>"
            ),
        )
        .unwrap();
        browser.open(&address(&page)).await;
        // Players are known as soon as the first lines came; their numbers come from the site.
        browser.wait_for_selection().await;
        served.join().unwrap();
        // The match is over, and what was chosen stays.
        browser.wait_for_moment("player=").await;
    });
}

/// Serves one match: half a minute of it, a lost connection, the rest with a second snapshot in it, the end.
fn serve(site: &TcpListener) {
    let (snapshot, messages) = told(400);
    let welcome = || Message::text(format!("WELCOME\n{snapshot}"));
    let mut first = accept(site);
    first.send(welcome()).unwrap();
    let (some, rest) = messages.split_at(messages.len() / 2);
    first.send(Message::text(some.concat())).unwrap();
    let frame = CloseFrame { code: CloseCode::Away, reason: "the site is restarted".into() };
    first.close(Some(frame)).unwrap();
    drain(first);
    let mut second = accept(site);
    second.send(welcome()).unwrap();
    second.send(Message::text(some.concat())).unwrap();
    // This viewer lagged: everything from anew.
    second.send(welcome()).unwrap();
    second.send(Message::text(messages.concat())).unwrap();
    for message in rest {
        second.send(Message::text(message.clone())).unwrap();
    }
    second.send(Message::text("seg red\n")).unwrap();
    second.close(Some(CloseFrame { code: CloseCode::Normal, reason: "".into() })).unwrap();
    drain(second);
}

type Socket = WebSocket<std::net::TcpStream>;

fn accept(site: &TcpListener) -> Socket {
    let (stream, _) = site.accept().unwrap();
    stream.set_read_timeout(Some(support::DEADLINE)).unwrap();
    tungstenite::accept(stream).unwrap()
}

/// Until the other side has closed, too.
fn drain(mut socket: Socket) {
    while socket.read().is_ok() {}
}
