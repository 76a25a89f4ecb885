//! A match between bots that return goes on after its host was killed; where one of them stays away it is void, and the table says so.

use std::fs;
use std::path::Path;
use std::process::Command;

use rustix::process::Signal;

use super::stage::{Stage, knock, line, say};
use crate::support::{ARENA, run, wait_for};

/// The commands that are played before the host is killed.
const PLAYED: [&str; 3] = ["Forward", "Right", "Inventory"];

fn table(folder: &Path) -> String {
    fs::read_to_string(folder.join("ladder.json")).unwrap_or_default()
}

/// A host of one match in that folder that is killed in the middle of it.
fn killed(stage: &Stage, folder: &Path, list: &str) {
    let (host, port) = stage.host(folder, &["--port", "0", "--gather", "0", "--matches", list]);
    let mut bots = ["ada", "bob"].map(|name| {
        let bot = knock(port);
        say(&bot, &stage.logins[name]);
        bot
    });
    for bot in &mut bots {
        assert_eq!([line(bot), line(bot)], ["0", "10 10"]);
    }
    for command in PLAYED {
        bots.iter().for_each(|bot| say(bot, command));
        bots.iter_mut().for_each(|bot| assert_ne!(line(bot), ""));
    }
    let record = Stage::only(folder).join("match/match.zrec");
    wait_for("the record", || fs::read_to_string(&record).ok()?.contains(PLAYED[2]).then_some(()));
    host.signal(Signal::KILL);
    host.finish();
}

#[test]
fn a_match_of_bots_that_return_goes_on_after_a_kill() {
    let stage = Stage::with(&["ada", "bob"], &["--returns"]);
    let (folder, list) = (stage.folder(), stage.bench.path("list"));
    fs::write(&list, "{\"bots\": [\"ada\", \"bob\"], \"seed\": 1}\n").unwrap();
    let list = list.to_str().unwrap();
    killed(&stage, &folder, list);
    // A look at the table leaves the match as it is.
    assert_eq!(run(&mut stage.command(&folder, &["--table"])).code(), 0);
    let (host, port) = stage.host(&folder, &["--port", "0", "--gather", "0", "--matches", list]);
    let bots = stage.play(&["ada", "bob"], port);
    let finished = host.finish();
    assert_eq!(finished.code(), 0, "{}", finished.stderr);
    bots.into_iter().for_each(|bot| drop(bot.join()));
    assert_eq!(Stage::results(&folder).len(), 1);
    assert!(table(&folder).contains("ada, bob: it was resumed at tick"), "{}", table(&folder));
    assert!(finished.stdout.contains("it was resumed at tick"), "{}", finished.stdout);
    let record = String::from_utf8(Stage::record(&folder)).unwrap();
    assert!(PLAYED.iter().all(|command| record.contains(command)), "{record}");
    let verified = run(Command::new(ARENA).arg("verify").arg(folder.join("matches")));
    assert_eq!(verified.code(), 0, "{}", verified.stderr);
    stage.assert_no_token(&folder, &finished.stderr);
}

#[test]
fn a_match_is_void_if_one_of_its_bots_stays_away_or_does_not_return() {
    for (flags, why) in [(&["--returns"][..], "not all of its bots came back"), (&[], "the host ended")] {
        let stage = Stage::with(&["ada", "bob"], flags);
        let (folder, list) = (stage.folder(), stage.bench.path("list"));
        fs::write(&list, "{\"bots\": [\"ada\", \"bob\"], \"seed\": 1}\n").unwrap();
        let list = list.to_str().unwrap();
        killed(&stage, &folder, list);
        let flags = ["--port", "0", "--gather", "0", "--return", "1", "--matches", list];
        let (host, port) = stage.host(&folder, &flags);
        let mut bots = stage.play(&["ada"], port);
        let void = format!("ada, bob: void, {why}");
        wait_for("the table", || table(&folder).contains(&void).then_some(()));
        let page = folder.join("index.html");
        wait_for("the page", || fs::read_to_string(&page).ok()?.contains(&void).then_some(()));
        // It is paired again, and counts.
        bots.extend(stage.play(&["bob"], port));
        let finished = host.finish();
        assert_eq!(finished.code(), 0, "{}", finished.stderr);
        bots.into_iter().for_each(|bot| drop(bot.join()));
        assert_eq!(Stage::results(&folder).len(), 1);
        assert!(table(&folder).contains("\"interrupted\": []"), "{}", table(&folder));
    }
}
