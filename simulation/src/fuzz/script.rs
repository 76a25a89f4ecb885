//! A match as a text that people can read and a fuzzer can change: what is played, then what comes from connections, from
//! the operator and from the clock, line by line, with the marks of a record.
//!
//! ```text
//! game zappy            or conquest
//! seed 7
//! map 5 4
//! teams 2               called t0, t1 and so on
//! clock lockstep        or real
//! auto-start off
//! max-ticks 300
//! option rules official
//! begin
//! + t0                  a seat is opened and says t0
//! < 0 Forward           seat 0 says something
//! # 0 20 Look           it says it twenty times
//! ~ 0                   it sends a line that is too long
//! . 0                   it sends nothing more
//! - 0                   its connection is gone
//! ! 0 late              the shell ends it
//! c /tp 0 1 1           the operator says something
//! wait 7                so many ticks pass
//! ```
//!
//! Any text is a script: what makes no sense is left out. Numbers are cut to what a session has time for.
//! Run by `tests/corpus.rs`.

use std::num::NonZeroU32;

use zappy_game::config::{Clock, MatchConfig};
use zappy_game::{MatchSpec, find};
use zappy_protocol::text::trim;
use zappy_protocol::{MapSize, TeamName};

use crate::guest::WATCHED;

/// The longest side of a map, in tiles: the world is looked at whole after each step.
const MAX_SIDE: u16 = 16;
const MAX_TEAMS: u8 = 4;
/// The most slots of a team.
const MAX_SLOTS: u32 = 12;
/// The most times that a line of a script repeats its text.
const MAX_FLOOD: usize = 64;
/// The most steps of a script that are played.
const MAX_STEPS: usize = 400;

#[derive(Debug, Clone, Copy)]
pub enum Step<'a> {
    /// A connection comes, with its first line.
    Open(&'a [u8]),
    /// A connection says a line so often.
    Say(usize, usize, &'a [u8]),
    /// It sends a line that is too long.
    Long(usize),
    End(usize),
    Close(usize),
    Expel(usize, &'a str),
    /// The operator says a line.
    Console(&'a [u8]),
    Wait(u64),
}

/// The match that a script begins with, its game under the eyes of its warden, and the text behind that; `None` if no such
/// match can be played.
pub fn head(input: &[u8]) -> Option<(MatchSpec, &[u8])> {
    let text = input.split_inclusive(|&byte| byte == b'\n');
    let head = text.clone().take_while(|line| trim(line.trim_ascii_end()) != b"begin").count();
    let bytes: usize = text.clone().take(head + 1).map(<[u8]>::len).sum();
    let (mut game, mut options) = ("zappy", Vec::new());
    let mut config = MatchConfig { publish: true, ..MatchConfig::new(MapSize::new(12, 10)?, teams(2)) };
    for line in text.take(head).filter_map(|line| std::str::from_utf8(line).ok()) {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["game", name] => game = name,
            ["seed", seed] => config.seed = seed.parse().unwrap_or_default(),
            ["map", width, height] => {
                let side = |text: &str| text.parse().unwrap_or(1).clamp(1, MAX_SIDE);
                config.map = MapSize::new(side(width), side(height))?;
            }
            ["teams", count] => config.teams = teams(count.parse().unwrap_or(2).clamp(1, MAX_TEAMS)),
            ["clock", name] => config.clock = Clock::parse(name).unwrap_or(Clock::Real),
            ["frequency", rate] => config.frequency = NonZeroU32::new(rate.parse().unwrap_or(100))?,
            ["auto-start", word] => config.auto_start = word != "off",
            ["max-ticks", ticks] => config.max_ticks = ticks.parse().ok(),
            ["option", "clients", count] if count.parse().is_ok_and(|count: u32| count > MAX_SLOTS) => {}
            ["option", key, value] => options.push((key, value)),
            _ => {}
        }
    }
    let spec = MatchSpec::new(find(&WATCHED[..2], game).ok()?, config).with(options).ok()?;
    Some((spec, &input[bytes..]))
}

fn teams(count: u8) -> Vec<TeamName> {
    (0..count).filter_map(|index| TeamName::parse(format!("t{index}").as_bytes())).collect()
}

/// What happens, up to a limit.
pub fn steps(text: &[u8]) -> impl Iterator<Item = Step<'_>> {
    text.split(|&byte| byte == b'\n').filter_map(step).take(MAX_STEPS)
}

/// The first word of a text, and what is behind the blank after it.
fn word(text: &[u8]) -> (&[u8], &[u8]) {
    let end = text.iter().position(|&byte| byte == b' ').unwrap_or(text.len());
    (&text[..end], text.get(end + 1..).unwrap_or_default())
}

fn number(text: &[u8]) -> Option<usize> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

fn step(line: &[u8]) -> Option<Step<'_>> {
    let (mark, rest) = word(line);
    let (first, behind) = word(rest);
    let seat = number(first);
    Some(match mark {
        b"+" => Step::Open(rest),
        b"<" => Step::Say(seat?, 1, behind),
        b"#" => {
            let (count, text) = word(behind);
            Step::Say(seat?, number(count)?.min(MAX_FLOOD), text)
        }
        b"~" => Step::Long(seat?),
        b"." => Step::End(seat?),
        b"-" => Step::Close(seat?),
        b"!" => Step::Expel(seat?, std::str::from_utf8(behind).unwrap_or("late")),
        b"c" => Step::Console(rest),
        b"wait" => Step::Wait(seat? as u64),
        _ => return None,
    })
}
