//! The contracts, `protocol.md`, `conquest.md` and what `docs/` has of them, can't go stale: their examples are run, and their tables compared with the constants.
//!
//! `UPDATE_TRANSCRIPTS=1 cargo test -p zappy-server --test protocol_md` writes the examples anew from their
//! inputs; read the difference before you commit it.

#[path = "protocol_md/conquest.rs"]
mod conquest;
#[path = "protocol_md/grammar.rs"]
mod grammar;
#[path = "protocol_md/session.rs"]
mod session;
#[path = "rules/support.rs"]
mod support;
#[path = "protocol_md/tables.rs"]
mod tables;

use std::panic::catch_unwind;
use std::path::PathBuf;

use zappy_protocol::record::RecordLine;
use zappy_server::games::GAMES;
use zappy_server::record::{self, Recorder};

/// The documents, how many transcripts and sessions each has at least, and whole records.
const DOCUMENTS: [(&str, usize, usize, usize); 4] = [
    ("protocol.md", 20, 7, 0),
    ("docs/console.md", 0, 1, 0),
    ("docs/record-format.md", 0, 0, 1),
    ("conquest.md", 0, 12, 1),
];

fn path(document: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..").join(document)
}

fn read(document: &str) -> String {
    std::fs::read_to_string(path(document)).unwrap_or_else(|error| panic!("{document}: {error}"))
}

fn protocol_md() -> String {
    read("protocol.md")
}

/// A fenced block.
struct Block<'a> {
    tag: &'a str,
    /// Where its fence stands, from 1.
    line: usize,
    body: String,
}

/// The text cut into what stands outside of blocks, fences included, and the blocks' insides.
fn blocks(text: &str) -> Vec<Block<'_>> {
    let mut found: Vec<Block<'_>> = Vec::new();
    let mut inside = false;
    for (line, number) in text.lines().zip(1..) {
        match (line.strip_prefix("```"), inside) {
            (Some(tag), false) => {
                found.push(Block { tag, line: number, body: String::new() });
                inside = true;
            }
            (Some(rest), true) => {
                assert_eq!(rest, "", "line {number}: the end of a block");
                inside = false;
            }
            (None, true) => found.last_mut().expect("a block has begun").body += &format!("{line}\n"),
            (None, false) => {}
        }
    }
    assert!(!inside, "the last block has no end");
    found
}

/// The block as it should read; `None` if the tests can't run that kind of block.
fn again(tag: &str, body: &str) -> Option<String> {
    match tag {
        "transcript" => Some(support::replay(body)),
        "session" => Some(session::replay(body)),
        "record" => Some(play_record(body)),
        _ => None,
    }
}

/// Plays the inputs of a record again, whatever its last lines say.
fn play_record(text: &str) -> String {
    let (header, lines) = record::parse(text.as_bytes()).expect("a record");
    let spec = record::match_of(&header, GAMES).expect("a record of this version");
    let header = record::header(&spec, header.level);
    let mut game = Recorder::new(spec.begin().expect("a match"), Vec::new(), &header);
    for (_, line) in lines {
        match line {
            RecordLine::Event(tick, entry) if entry.is_input() => {
                support::feed(&mut game, tick, &entry);
            }
            RecordLine::End(tick, ..) => support::advance(&mut game, tick),
            _ => {}
        }
    }
    let bytes = game.finish().1.expect("a vector takes everything");
    assert!(record::verify(&bytes, GAMES).expect("its own record verifies").complete, "the match has no end");
    String::from_utf8(bytes).expect("a record is text")
}

#[test]
fn every_example_is_what_the_rules_say() {
    for (document, ..) in DOCUMENTS {
        check_examples(document);
    }
}

fn check_examples(document: &str) {
    let text = read(document);
    let mut updated = text.clone();
    let mut wrong = Vec::new();
    for Block { tag, line, body } in blocks(&text) {
        let Ok(found) = catch_unwind(|| again(tag, &body)) else {
            wrong.push(format!("{document}: the {tag} at line {line} could not be played, see above"));
            continue;
        };
        if let Some(found) = found.filter(|found| *found != body) {
            wrong.push(format!(
                "{document}: the {tag} at line {line}: {}",
                support::first_difference(&body, &found)
            ));
            updated = updated.replacen(&format!("```{tag}\n{body}```"), &format!("```{tag}\n{found}```"), 1);
        }
    }
    if std::env::var_os("UPDATE_TRANSCRIPTS").is_some() && updated != text {
        std::fs::write(path(document), updated).unwrap();
        return;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_block_is_of_a_known_kind_and_no_example_is_lost() {
    for (document, transcripts, sessions, records) in DOCUMENTS {
        let text = read(document);
        let blocks = blocks(&text);
        for Block { tag, line, .. } in &blocks {
            let known = ["transcript", "session", "record", "abnf", "vision", "sound", "sh", "text"];
            assert!(known.contains(tag), "{document}, line {line}: no such kind of block: {tag:?}");
        }
        let count = |tag| blocks.iter().filter(|block| block.tag == tag).count();
        assert!(count("transcript") >= transcripts, "{document}: {} transcripts", count("transcript"));
        assert!(count("session") >= sessions, "{document}: {} sessions", count("session"));
        assert_eq!(count("record"), records, "{document}: whole records");
    }
}
