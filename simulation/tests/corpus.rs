//! Each target with its corpus, and with a bounded number of inputs made from it; `FUZZ_INPUTS` sets how many.
//!
//! A failure names target and input. The same targets are run by coverage with `make fuzz`.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};

use zappy_simulation::fuzz::{MAX_INPUT_BYTES, TARGETS, Target, mutate};

/// Inputs that are made for each target.
const INPUTS: u64 = 150;
/// The most bytes of a target's corpus.
const CORPUS_BYTES: usize = 16 << 10;

/// The corpus of a target, by the names of its files.
fn corpus(target: &Target) -> Vec<(String, Vec<u8>)> {
    let folder = target.corpus();
    let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut found: Vec<(String, Vec<u8>)> = entries
        .map(|entry| {
            let path = entry.unwrap().path();
            (path.file_name().unwrap().to_string_lossy().into_owned(), fs::read(&path).unwrap())
        })
        .collect();
    found.sort();
    found
}

fn inputs() -> u64 {
    std::env::var("FUZZ_INPUTS").map_or(INPUTS, |inputs| inputs.parse().expect("FUZZ_INPUTS is a number"))
}

/// The first input that breaks a target, in words.
fn broken(target: &Target) -> Option<String> {
    let corpus = corpus(target);
    assert!(!corpus.is_empty(), "{} has no corpus", target.name);
    let made = (0..inputs()).map(|seed| {
        let (_, input) = &corpus[seed as usize % corpus.len()];
        let (_, other) = &corpus[seed as usize / corpus.len() % corpus.len()];
        (format!("seed {seed}"), mutate::mutate(target.words, input, other, seed))
    });
    corpus.iter().cloned().chain(made).find_map(|(name, input)| {
        let checked = catch_unwind(AssertUnwindSafe(|| target.check(&input)));
        checked.is_err().then(|| format!("{} by {name}: \"{}\"", target.name, input.escape_ascii()))
    })
}

#[test]
fn what_must_hold_holds_for_the_corpus_and_for_what_is_made_of_it() {
    let broken: Vec<String> = TARGETS.iter().filter_map(broken).collect();
    assert!(broken.is_empty(), "see above; broken are\n{}", broken.join("\n"));
}

#[test]
fn the_corpus_is_small_and_each_part_of_it_has_a_target() {
    let root = TARGETS[0].corpus().parent().unwrap().to_owned();
    for entry in fs::read_dir(&root).unwrap() {
        let name = entry.unwrap().file_name().to_string_lossy().into_owned();
        // That target is one of guided runs alone.
        assert!(name == "loop" || Target::find(&name).is_some(), "{name} has a corpus and no target");
    }
    for target in TARGETS {
        let sizes: Vec<usize> = corpus(target).iter().map(|(_, input)| input.len()).collect();
        assert!(sizes.iter().all(|&size| size <= MAX_INPUT_BYTES), "{}: an input is cut", target.name);
        assert!(sizes.iter().sum::<usize>() <= CORPUS_BYTES, "{}: {sizes:?} bytes", target.name);
    }
}
