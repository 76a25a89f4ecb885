//! Sessions of many seeds. A failure names its seed, and the shortest script that fails as well.
//!
//! `SIMULATION_SEEDS` sets how many are played, `SIMULATION_SEED` the first one, `SIMULATION_SCRIPT` a script in
//! hexadecimal digits that is played instead; with `SIMULATION_SHRINK=off` no shorter script is looked for.

use std::fmt::Write as _;
use std::panic::{catch_unwind, set_hook, take_hook};

use crate::plan::Plan;
use crate::script::Script;
use crate::session::Session;
use crate::{play, play_script};

/// Sessions that are played by default, in a few seconds.
const SEEDS: u64 = 150;
/// Scripts that are tried to find a shorter one.
const TRIES: u32 = 600;

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name)
        .map_or(default, |text| text.parse().unwrap_or_else(|_| panic!("{name}={text} is no number")))
}

fn fails(script: &Script) -> bool {
    catch_unwind(|| play_script(script)).is_err()
}

/// Says how the shortest script like this one fails, and fails.
fn explain(script: &Script) -> ! {
    // The failures of the scripts that are tried say nothing new.
    let hook = take_hook();
    set_hook(Box::new(|_| {}));
    let shrunk = script.shrunk(TRIES, fails);
    set_hook(hook);
    let hex = shrunk.bytes().iter().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    });
    let mut text =
        format!("seed {} fails; its shortest script has {} steps:\n", script.seed, shrunk.steps.len());
    for step in &shrunk.steps {
        let _ = writeln!(text, "  {:?} {} {}", step.kind, step.which, step.how);
    }
    let Plan { spec, setup, .. } = Session::new(&shrunk).plan;
    let _ = writeln!(text, "of {}, {:?}, {:?}", spec.game.name, spec.config, spec.options);
    let _ = writeln!(text, "with {setup:?}");
    eprintln!("{text}play it again with SIMULATION_SCRIPT={hex}; it fails like this:");
    play_script(&shrunk);
    panic!("seed {} fails, and doesn't fail again", script.seed);
}

fn scripts() -> Vec<Script> {
    let Ok(hex) = std::env::var("SIMULATION_SCRIPT") else {
        let first = number("SIMULATION_SEED", 0);
        return (first..first + number("SIMULATION_SEEDS", SEEDS)).map(Script::of_seed).collect();
    };
    let digit = |at| u8::from_str_radix(hex.get(at..at + 2).unwrap_or_default(), 16);
    let bytes: Result<Vec<u8>, _> = (0..hex.len()).step_by(2).map(digit).collect();
    vec![Script::of_bytes(&bytes.unwrap_or_else(|error| panic!("SIMULATION_SCRIPT: {error}")))]
}

#[test]
fn nothing_is_wrong_in_random_sessions() {
    if let Some(script) = scripts().iter().find(|script| fails(script)) {
        let shrinks = std::env::var("SIMULATION_SHRINK").map_or(true, |word| word != "off");
        if !shrinks {
            eprintln!("seed {} fails", script.seed);
            panic!("it isn't shrunk");
        }
        explain(script);
    }
}

#[test]
fn the_same_seed_gives_the_same_session() {
    for seed in 1_000..1_004 {
        assert_eq!(play(seed), play(seed), "seed {seed}");
    }
    assert_ne!(play(1_000), play(1_001));
}
