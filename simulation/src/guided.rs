//! One target under libFuzzer, which keeps the inputs that reach new code and goes on from them.
//!
//! The environment names the target, since libFuzzer reads the command line. Started by `simulation/fuzz.sh`.

#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};
use zappy_simulation::fuzz::{Target, mutate};

static TARGET: LazyLock<&Target> = LazyLock::new(|| {
    let name = std::env::var("ZAPPY_FUZZ_TARGET").unwrap_or_default();
    Target::find(&name).unwrap_or_else(|| panic!("ZAPPY_FUZZ_TARGET={name}: there is no such target"))
});

fuzz_target!(|input: &[u8]| TARGET.check(input));

// Half of the inputs are libFuzzer's own, which knows what comparisons looked for; the others are made of lines and words.
fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    if seed.is_multiple_of(2) {
        return fuzzer_mutate(data, size, max_size);
    }
    let made = mutate::mutate(TARGET.words, &data[..size], &[], seed.into());
    let length = made.len().min(max_size);
    data[..length].copy_from_slice(&made[..length]);
    length
});
