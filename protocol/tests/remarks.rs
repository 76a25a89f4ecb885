//! Each sentence of the commentary on a real match, counted anew from the world at its tick.

use std::collections::BTreeMap;

use zappy_protocol::record::{Entry, RecordLine};
use zappy_protocol::zappy::observer::Message;
use zappy_protocol::zappy::story::{Commentary, Observed, Roster};

const SAMPLE: &[u8] = include_bytes!("../../gui/assets/sample.zrec");

/// The words that stand for `{}` in a sentence of that form.
fn found<'t>(form: &str, mut text: &'t str) -> Option<Vec<&'t str>> {
    let mut parts = form.split("{}");
    text = text.strip_prefix(parts.next()?)?;
    let (mut words, mut parts) = (Vec::new(), parts.peekable());
    while let Some(part) = parts.next() {
        let end = if parts.peek().is_none() && part.is_empty() { text.len() } else { text.find(part)? };
        words.push(&text[..end]);
        text = &text[end + part.len()..];
    }
    text.is_empty().then_some(words)
}

/// A number in words or digits.
fn number(words: &str) -> u32 {
    let first = words.split(' ').next().unwrap_or_default();
    match first {
        "one" => 1,
        "none" => 0,
        digits => digits.parse().unwrap_or_else(|_| panic!("{words:?} is no number")),
    }
}

/// How many living players each team has at each level.
type World = BTreeMap<String, BTreeMap<u32, u32>>;

/// Whether the words that were found in a sentence are so.
type Check<'c> = &'c dyn Fn(&[&str]) -> bool;

fn holds(says: &str, world: &World, highest: u32) -> Option<bool> {
    let at = |team: &str, level: u32| {
        world.get(team).and_then(|levels| levels.get(&level)).copied().unwrap_or_default()
    };
    let best =
        |team: &str| world.get(team).and_then(|levels| levels.keys().next_back().copied()).unwrap_or(0);
    let alive = |team: &str| world.get(team).map_or(0, |levels| levels.values().sum::<u32>());
    let forms: [(&str, Check<'_>); 9] = [
        ("{} has {} of the 6 that win at level 8, {} {}", &|w| {
            at(w[0], 8) == number(w[1]) && at(w[2], 8) == number(w[3])
        }),
        ("{} was the first at level {}, {} ahead of {}", &|w| {
            let level = number(w[1]);
            best(w[0]) == level && best(w[3]) == level - number(w[2]) && highest < level
        }),
        ("{} reaches level {}, and {} is still {} ahead", &|w| {
            best(w[0]) == number(w[1]) && best(w[2]) == number(w[1]) + number(w[3])
        }),
        ("{} has caught up: {} is at level {}, too", &|w| {
            best(w[0]) == number(w[2]) && best(w[1]) == number(w[2])
        }),
        ("{} overtakes {} with {} at level {}", &|w| {
            at(w[0], number(w[3])) == number(w[2]) && best(w[1]) <= number(w[3])
        }),
        ("{} loses one of its best: it has {} of level {} left", &|w| at(w[0], number(w[2])) == number(w[1])),
        ("{} loses its last player of level {} and falls back to level {}", &|w| {
            at(w[0], number(w[1])) == 0 && best(w[0]) == number(w[2])
        }),
        ("{} has grown to {} players, {} has {}", &|w| {
            alive(w[0]) == number(w[1]) && alive(w[2]) == number(w[3])
        }),
        ("{} wins if this incantation holds; the best of {} are at level {}", &|w| {
            best(w[1]) == number(w[2])
        }),
    ];
    forms.iter().find_map(|(form, check)| found(form, says).map(|words| check(&words)))
}

#[test]
fn what_is_said_of_a_real_match_is_so_and_nothing_is_said_twice() {
    let (mut observed, mut roster, mut commentary) = (Observed::new(), Roster::new(), Commentary::default());
    let (mut checked, mut highest, mut told) = (0, 1, 0);
    for line in SAMPLE.split(|byte| *byte == b'\n') {
        let (tick, text) = match RecordLine::parse(line) {
            Ok(RecordLine::Snapshot(text)) => (0, text),
            Ok(RecordLine::Event(tick, Entry::Published(text))) => (tick, text),
            _ => continue,
        };
        let Ok(message) = Message::parse(&text) else { continue };
        roster.apply(tick, &message);
        let Some(happening) = observed.apply(tick, &message, &[]).happening else { continue };
        commentary.take(&happening, observed.mirror(), &roster);
        let mut world = World::new();
        for player in observed.mirror().players.values() {
            *world
                .entry(player.team.to_string())
                .or_default()
                .entry(player.level.get().into())
                .or_default() += 1;
        }
        for remark in &commentary.remarks.all()[told..] {
            let so = holds(&remark.says, &world, highest);
            assert_ne!(so, Some(false), "at {tick}: {} of {world:?}", remark.says);
            checked += u32::from(so.is_some());
        }
        told = commentary.remarks.all().len();
        // Players rise one message before their incantation is told to have worked.
        if !matches!(message, Message::PlayerLevel { .. }) {
            highest = highest.max(
                world.values().filter_map(|levels| levels.keys().next_back()).copied().max().unwrap_or(1),
            );
        }
    }
    let mut said: Vec<&str> = commentary.remarks.all().iter().map(|remark| &remark.says[..]).collect();
    assert!(checked >= 10 && checked * 2 > said.len() as u32, "{checked} of {said:#?}");
    let all = said.len();
    said.sort_unstable();
    said.dedup();
    assert_eq!(said.len(), all);
}
