//! What must hold for any input, as one function per target: a parser, a mirror, a record.
//!
//! A target panics when a promise is broken, and does nothing else. The same function is called with the corpus and with
//! inputs made from it by `cargo test` (`tests/corpus.rs`), and with inputs that a fuzzer finds by coverage by `make fuzz`
//! (`../guided.rs`). `mutate` makes inputs from inputs for both. Nothing here writes a file outside of a temporary folder, or
//! reads one that an input names. `TARGETS` lists the targets, `docs/fuzzing.md` tells how they are run.

mod dialects;
mod files;
mod lines;
mod mirrors;
pub mod mutate;
pub(super) mod record;
mod words;

use std::path::{Path, PathBuf};

/// The longest input that a target looks at, in bytes; the rest of a longer one doesn't count.
pub const MAX_INPUT_BYTES: usize = 16 << 10;

/// Something that takes input from outside.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// Its name, which is that of its folder in the corpus.
    pub name: &'static str,
    /// Words that get far into it, for [`mutate::mutate`].
    pub words: &'static str,
    /// Panics when something that must hold doesn't.
    check: fn(&[u8]),
}

pub const TARGETS: &[Target] = &[
    Target { name: "lines", words: "", check: lines::decoder },
    Target { name: "text", words: "", check: lines::text },
    Target { name: "zappy", words: words::ZAPPY, check: dialects::zappy },
    Target { name: "conquest", words: words::CONQUEST, check: dialects::conquest },
    Target { name: "zappy-mirror", words: words::ZAPPY, check: mirrors::zappy },
    Target { name: "conquest-mirror", words: words::CONQUEST, check: mirrors::conquest },
    Target { name: "record", words: words::RECORD, check: record::check },
    // The shell around the games, over a network and a clock in memory. What is made of its inputs plays for minutes, so
    // tests play sessions of seeds instead.
    #[cfg(feature = "guided")]
    Target { name: "loop", words: "", check: |input| _ = crate::play_bytes(input) },
    Target { name: "bots", words: words::FILES, check: files::bots },
    Target { name: "submission", words: words::FILES, check: files::submission },
];

impl Target {
    /// The target of that name.
    pub fn find(name: &str) -> Option<&'static Target> {
        TARGETS.iter().find(|target| target.name == name)
    }

    /// Looks whether all that must hold holds for this input.
    ///
    /// # Panics
    /// When it doesn't.
    pub fn check(&self, input: &[u8]) {
        (self.check)(&input[..input.len().min(MAX_INPUT_BYTES)]);
    }

    /// The folder of its corpus: inputs that get far into it, and those that once broke it.
    pub fn corpus(&self) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(self.name)
    }
}
