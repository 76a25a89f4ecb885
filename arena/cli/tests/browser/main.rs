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
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../gui/assets/sample.zrec");
    path.canonicalize().expect("it comes with the observer")
}

/// The viewer that `make web` has left beside the programs.
fn viewer() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../zappy_web/viewer.js");
    fs::read_to_string(path).expect("make web builds the viewer")
}

fn address(path: &Path) -> String {
    url::Url::from_file_path(path).unwrap().to_string()
}

#[test]
fn a_replay_page_from_disk_shows_a_linked_moment_and_obeys_keys_and_pointer() {
    in_a_browser(async |browser: &Browser, folder: &Path| {
        let page = page_of_the_sample(folder);
        browser.open(&format!("{page}#tick=1443&player=44&zoom=2.4")).await;
        assert!(browser.client.title().await.unwrap().contains("wolves"));
        // The same moment as the desktop's golden picture, where no panel is in the way.
        let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../gui/app/tests/golden/push.png");
        browser.wait_for_picture(&picture::load(&fs::read(golden).unwrap())).await;
        let moment = browser.moment().await;
        assert!(moment.starts_with(&format!("{page}#tick=1443&player=44&zoom=2.4")), "{moment}");

        browser.keys(&[".", ".", "."]).await;
        browser.wait_for_moment("tick=1446&player=44").await;
        browser.keys(&[&Key::End]).await;
        browser.wait_for_moment("player=44").await;
        browser.keys(&[&Key::Home, &Key::Escape]).await;
        let start = browser.wait_for_moment("tick=0").await;
        assert!(!start.contains("player="), "nothing is selected: {start}");

        // Another link to the same page, where no panel lies on the map, then the pointer.
        let hash = "location.hash = '#tick=2000&player=12&zoom=3&show=world'";
        browser.client.execute(hash, vec![]).await.unwrap();
        browser.wait_for_moment("tick=2000&player=12&zoom=3").await;
        browser.click(picture::MAP).await;
        browser
            .wait_for("the click selects what is there", async || {
                let selected = browser.moment().await;
                let other = !selected.contains("player=12");
                if other && (selected.contains("&player=") || selected.contains("&tile=")) {
                    Ok(())
                } else {
                    Err(selected)
                }
            })
            .await;
        browser.keys(&["x"]).await;
        browser
            .wait_for("a press on the timeline seeks", async || {
                browser.click((480.0, 485.0)).await;
                let sought = browser.moment().await;
                let tick = number(&sought, "tick=");
                if tick != 2_000.0 && (1_000.0..2_500.0).contains(&tick) { Ok(()) } else { Err(sought) }
            })
            .await;
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

/// A page of the sample in that folder.
fn page_of_the_sample(folder: &Path) -> String {
    let arena = with_viewer(&folder.join("programs"), &viewer());
    let page = folder.join("replay.html");
    let made = run(Command::new(arena).arg("show").arg(sample()).arg("--html").arg(&page));
    assert_eq!(made.code(), 0, "{}", made.stderr);
    address(&page)
}

/// The number behind a word of a moment's address.
fn number(moment: &str, word: &str) -> f64 {
    let rest = moment.split(word).nth(1).unwrap_or_else(|| panic!("{moment} has no {word}"));
    rest.split(['&', ',']).next().unwrap().parse().unwrap()
}

#[test]
fn fingers_move_and_pinch_and_the_page_follows_its_size_and_density() {
    in_a_browser(async |browser: &Browser, folder: &Path| {
        // No panel lies on the map.
        let page = page_of_the_sample(folder);
        browser.open(&format!("{page}#tick=1443&zoom=2&at=5,5&show=world")).await;
        let before = browser.wait_for_moment("zoom=2.00&at=5,5").await;
        // Where fingers do nothing yet, as on a page that is still busy, they try again.
        let (x, y) = picture::MAP;
        browser
            .wait_for("one finger moves the world", async || {
                browser.fingers(&[((x, y), (-90.0, 0.0))]).await;
                let moved = browser.moment().await;
                if moved != before && moved.contains("zoom=2.00&at=") { Ok(()) } else { Err(moved) }
            })
            .await;
        browser
            .wait_for("two fingers zoom, and select nothing", async || {
                browser.fingers(&[((x - 20.0, y), (-60.0, 0.0)), ((x + 20.0, y), (60.0, 0.0))]).await;
                let closer = browser.moment().await;
                let selected = closer.contains("player=") || closer.contains("tile=");
                if number(&closer, "zoom=") > 3.0 && !selected { Ok(()) } else { Err(closer) }
            })
            .await;
        // On a window of another size, and with pixels of another size, the pointer finds the timeline.
        browser.keys(&["x"]).await;
        for (size, density) in [((700, 500), 2), ((1100, 620), 1)] {
            browser.resize(size, density).await;
            browser
                .wait_for("the click seeks to the middle", async || {
                    browser.click((f64::from(size.0) / 2.0, f64::from(size.1) - 55.0)).await;
                    let sought = browser.moment().await;
                    if (1_000.0..2_500.0).contains(&number(&sought, "tick=")) { Ok(()) } else { Err(sought) }
                })
                .await;
            browser.keys(&[&Key::Home]).await;
            browser.wait_for_moment("tick=0").await;
        }
    });
}

#[test]
fn a_page_is_heard_from_its_first_click_on_and_not_while_it_is_muted() {
    in_a_browser(async |browser: &Browser, folder: &Path| {
        browser.open(&page_of_the_sample(folder)).await;
        // Counts the sounds that the page is told, and those that it plays and that are no silence.
        let script = "window.counts = [0, 0]; const data = AudioBuffer.prototype.getChannelData; \
                      AudioBuffer.prototype.getChannelData = function (...at) { \
                        window.counts[0] += 1; return data.apply(this, at); }; \
                      const start = AudioBufferSourceNode.prototype.start; \
                      AudioBufferSourceNode.prototype.start = function () { start.call(this); \
                        window.counts[1] += data.call(this.buffer, 0).some((sample) => Math.abs(sample) > 0.2); };";
        browser.client.execute(script, vec![]).await.unwrap();
        let counts = async || {
            let counts = browser.client.execute("return window.counts", vec![]).await.unwrap();
            [0, 1].map(|number| counts[number].as_u64().unwrap())
        };
        let more = async |which: usize, than: u64| {
            let found = counts().await;
            if found[which] > than { Ok(found) } else { Err(format!("{found:?}")) }
        };
        let silent = browser.wait_for("the page is told of sounds", async || more(0, 1).await).await;
        assert_eq!(silent[1], 0, "no page may be heard before it is clicked");
        browser.click(picture::MAP).await;
        browser.wait_for("it is heard", async || more(1, 0).await).await;
        browser.keys(&["M"]).await;
        let (muted, before) = (number(&browser.moment().await, "tick="), counts().await);
        browser
            .wait_for("the match goes on", async || {
                let tick = number(&browser.moment().await, "tick=");
                if tick > muted + 200.0 { Ok(()) } else { Err(tick.to_string()) }
            })
            .await;
        assert_eq!(counts().await, before, "it is muted");
        browser.keys(&["M"]).await;
        browser.wait_for("it is heard again", async || more(1, before[1]).await).await;
    });
}

#[test]
fn the_sites_own_page_gives_the_viewer_the_window() {
    in_a_browser(async |browser: &Browser, folder: &Path| {
        let site = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../site/assets/site.css");
        fs::copy(site, folder.join("site.css")).unwrap();
        fs::write(folder.join("viewer.js"), viewer()).unwrap();
        let html = "<!doctype html><title>watch</title><link rel=\"stylesheet\" href=\"site.css\"><body class=\"watch\">\
                    <header><a href=\"/\">Zappy Arena</a></header><canvas id=\"view\"></canvas><script \
                    src=\"viewer.js\"></script><script>ZappyViewer.start({ canvas: document.querySelector('canvas') })</script>";
        fs::write(folder.join("watch.html"), html).unwrap();
        browser.open(&address(&folder.join("watch.html"))).await;
        let script = "const box = document.querySelector('canvas').getBoundingClientRect(); \
                      return [box.width - innerWidth, box.bottom - innerHeight, box.top]";
        let edges = browser.client.execute(script, vec![]).await.unwrap();
        let edge = |number: usize| edges[number].as_f64().unwrap();
        assert!(edge(0).abs() < 1.0 && edge(1).abs() < 1.0 && edge(2) < 60.0, "{edges}");
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
        browser.wait_for_selection("player=").await;
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
