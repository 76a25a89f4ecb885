//! Every transcript in `tests/transcripts/` is what the rules say, to the byte.
//!
//! `UPDATE_TRANSCRIPTS=1 cargo test -p zappy-server --test rules` writes them anew from their inputs;
//! read the difference before you commit it.

use crate::support;

use std::path::Path;

#[test]
fn every_transcript_is_what_the_rules_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/transcripts");
    let update = std::env::var_os("UPDATE_TRANSCRIPTS").is_some();
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(!paths.is_empty(), "no transcripts found");
    let mut wrong = Vec::new();
    for path in paths {
        let text = std::fs::read_to_string(&path).unwrap();
        let Ok(again) = std::panic::catch_unwind(|| support::replay(&text)) else {
            wrong.push(format!("{}: could not be played, see above", path.display()));
            continue;
        };
        if again == text {
            continue;
        }
        if update {
            std::fs::write(&path, again).unwrap();
        } else {
            wrong.push(format!("{}: {}", path.display(), support::first_difference(&text, &again)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
