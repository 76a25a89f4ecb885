//! An observer that people watch with: started before the bots, waited for after the match, never a reason to
//! end it.

use std::fs;

use crate::support::{Bench, assert_gone, run};

#[test]
fn bots_come_when_the_observer_watches_and_the_arena_stays_until_it_is_closed() {
    let bench = Bench::new();
    let window = bench.bot(
        "window",
        "ls \"$here/bot.started\" 2>/dev/null; echo \"watching $@\"; until [ -e \"$here/out/result.json\" ]; do sleep 0.02; done; \
         echo closed",
    );
    let ender = bench.bot("ender", "touch \"$here/bot.started\"; echo >\"$here/end\"");
    let finished = run(bench.arena(&[("red", &ender)]).args(["--observer", &window]));
    assert_eq!(finished.code(), 0, "{}", finished.stderr);
    assert_eq!(bench.log("observer.log"), "watching -p 9 -h 127.0.0.1\nclosed\n");
    assert!(finished.stderr.contains("close the observer's window"), "{}", finished.stderr);
    assert_gone(&bench.pids("bots.pid", 2));
}

#[test]
fn a_match_goes_on_without_an_observer_that_fails() {
    let bench = Bench::new();
    let window = bench.bot("window", "echo no display >&2; exit 1");
    let ender = bench.bot("ender", "echo >\"$here/end\"");
    let finished = run(bench.arena(&[("red", &ender)]).args(["--observer", &window]));
    assert_eq!(finished.code(), 0, "{}", finished.stderr);
    assert!(finished.stderr.contains("the observer failed: exit code 1; see"), "{}", finished.stderr);
    assert_eq!(bench.result()["winner"], "red");
}

#[test]
fn an_observer_that_can_t_be_run_is_refused_before_anything_starts() {
    let bench = Bench::new();
    let finished = run(bench.arena(&[("red", "true")]).args(["--observer", "./no-such-window"]));
    assert_eq!(finished.code(), 2);
    assert!(finished.stderr.contains("--observer: there is no program"), "{}", finished.stderr);
    assert!(fs::metadata(bench.path("server.pid")).is_err());
}
