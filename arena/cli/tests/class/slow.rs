//! A submission that takes long plays last, and the table tells of the others from the first graded one on.

use std::fs;

use super::room::{Room, WHOLE, student};
use crate::support::{client, wait_for};

/// The seconds of a turn, as the flag says them; a slow bot's first match takes longer, a quick one's both take far less.
const TURN: &str = "8";

#[test]
fn a_slow_submission_plays_last_and_the_table_is_current_from_the_first_graded_one_on() {
    let room = Room::new();
    // Its name comes first. In the match after its turn it waits until the test has seen the table without it.
    let here = room.out("").display().to_string();
    let slow = format!(
        "echo a-slow >>'{here}starts'\n\
         if mkdir '{here}first' 2>/dev/null; then sleep 9; else until [ -e '{here}seen' ]; do sleep 0.05; done; fi\n\
         exec {} --level easy \"$@\"\n",
        client()
    );
    room.hand_in("a-slow", &[("run.sh", &slow)]);
    room.player("bob", "easy");
    room.player("cat", "medium");
    let running = room.start("out", &["--jobs", "1", "--turn", TURN, "--lobby-time", "60"]);

    let states = || {
        let class: serde_json::Value =
            serde_json::from_slice(&fs::read(room.out("out/class.json")).ok()?).ok()?;
        Some(["a-slow", "bob", "cat"].map(|name| student(&class, name)["state"].as_str().unwrap().to_owned()))
    };
    let first = wait_for("a table", states);
    assert_eq!((first[0].as_str(), first[1].as_str()), ("not_graded", "graded"), "from the first one on");
    wait_for("the others' grades in the table", || {
        (states()? == ["not_graded", "graded", "graded"]).then_some(())
    });
    let csv = wait_for("the others' grades in class.csv", || {
        let csv = fs::read_to_string(room.out("out/class.csv")).ok()?;
        csv.contains("\ncat,cat,graded,").then_some(csv)
    });
    assert!(csv.contains("\nbob,bob,graded,") && csv.contains("\na-slow,a-slow,not_graded,"), "{csv}");
    let page = wait_for("the others' grades in index.html", || {
        let page = fs::read_to_string(room.out("out/index.html")).ok()?;
        page.contains("2 graded").then_some(page)
    });
    assert!(page.contains("1 not graded") && page.contains("its turn will come"), "{page}");
    fs::write(room.out("seen"), "").unwrap();

    let finished = running.finish_within(WHOLE);
    assert_eq!(finished.code(), 0, "{}{}", finished.stdout, finished.stderr);
    let class = room.class("out");
    let all = ["a-slow", "bob", "cat"].map(|name| student(&class, name)["state"] == "graded");
    assert_eq!((all, &class["complete"]), ([true; 3], &true.into()), "{class:#}");
    let starts = fs::read_to_string(room.out("starts")).unwrap();
    let starts: Vec<&str> = starts.lines().collect();
    assert_eq!((starts.first(), starts.last()), (Some(&"a-slow"), Some(&"a-slow")), "{starts:?}");
    assert_eq!(
        starts.iter().filter(|name| **name == "a-slow").count(),
        2,
        "no match is played twice: {starts:?}"
    );
}
