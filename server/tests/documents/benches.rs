//! Benches are run by `cargo test` with its arguments: each takes them, and runs only when it is asked for.

#[path = "../../benches/support/mod.rs"]
mod support;

use support::asked;

#[test]
fn a_bench_takes_the_arguments_of_cargo_test() {
    let answer = |arguments: &str| {
        let words: Vec<String> = arguments.split_whitespace().map(str::to_owned).collect();
        asked("load", &words)
    };
    for runs in [
        "",
        "--nocapture",
        "load",
        "oa",
        "other load",
        "--exact load",
        "--bench",
        "--test-threads 2",
        "-q --skip x",
    ] {
        assert_eq!(answer(runs), (true, None), "{runs}");
    }
    for other in
        ["the_transcripts", "--exact loa", "--skip load", "--ignored", "--list x", "--list --ignored"]
    {
        assert_eq!(answer(other), (false, None), "{other}");
    }
    for list in ["--list", "--list --format terse", "--exact load --list"] {
        assert_eq!(answer(list), (false, Some("load: test".to_owned())), "{list}");
    }
    assert!(!support::leaves_out("benches") || std::env::args().count() > 1);
}
