//! `protocol.md` can't go stale: its examples are run, and its tables compared with the constants.
//!
//! `UPDATE_TRANSCRIPTS=1 cargo test -p zappy-server --test protocol_md` writes the examples anew from their
//! inputs; read the difference before you commit it.

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

/// Examples that are run; fewer means that the reader of the blocks has lost some.
const LEAST_TRANSCRIPTS: usize = 20;
const LEAST_SESSIONS: usize = 8;

fn path() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../protocol.md")
}

fn protocol_md() -> String {
    std::fs::read_to_string(path()).expect("protocol.md stands at the top of the repository")
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
        if let RecordLine::Event(tick, entry) = line
            && entry.is_input()
        {
            support::feed(&mut game, tick, &entry);
        }
    }
    let bytes = game.finish().1.expect("a vector takes everything");
    assert!(record::verify(&bytes, GAMES).expect("its own record verifies").complete, "the match has no end");
    String::from_utf8(bytes).expect("a record is text")
}

#[test]
fn every_example_is_what_the_rules_say() {
    let text = protocol_md();
    let mut updated = text.clone();
    let mut wrong = Vec::new();
    for Block { tag, line, body } in blocks(&text) {
        let Ok(found) = catch_unwind(|| again(tag, &body)) else {
            wrong.push(format!("the {tag} at line {line} could not be played, see above"));
            continue;
        };
        if let Some(found) = found.filter(|found| *found != body) {
            wrong.push(format!("the {tag} at line {line}: {}", support::first_difference(&body, &found)));
            updated = updated.replacen(&format!("```{tag}\n{body}```"), &format!("```{tag}\n{found}```"), 1);
        }
    }
    if std::env::var_os("UPDATE_TRANSCRIPTS").is_some() && updated != text {
        std::fs::write(path(), updated).unwrap();
        return;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_block_is_of_a_known_kind_and_no_example_is_lost() {
    let text = protocol_md();
    let blocks = blocks(&text);
    for block in &blocks {
        let known = ["transcript", "session", "record", "abnf", "vision", "sound", "sh"];
        assert!(known.contains(&block.tag), "line {}: no such kind of block: {:?}", block.line, block.tag);
    }
    let count = |tag| blocks.iter().filter(|block| block.tag == tag).count();
    assert!(count("transcript") >= LEAST_TRANSCRIPTS, "{} transcripts", count("transcript"));
    assert!(count("session") >= LEAST_SESSIONS, "{} sessions", count("session"));
    assert_eq!(count("record"), 1);
}

/// The anchor by which a link leads to a heading.
fn anchor(heading: &str) -> String {
    let words = heading.trim_start_matches('#').trim().to_lowercase().replace(' ', "-");
    words.chars().filter(|c| c.is_alphanumeric() || *c == '-').collect()
}

#[test]
fn every_link_leads_to_a_heading() {
    let text = protocol_md();
    let places: Vec<String> = text.lines().filter(|line| line.starts_with('#')).map(anchor).collect();
    let links: Vec<&str> = text.split("](#").skip(1).filter_map(|rest| rest.split(')').next()).collect();
    assert!(links.len() > 20);
    for link in links {
        assert!(places.iter().any(|place| place == link), "no heading for the link to #{link}");
    }
}
