//! Shows a record of conquest: the story of its match by turns, with a table of the factions.
//!
//! Tested in `arena/cli/tests/records/`.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use zappy_game::Length;
use zappy_play::text::align;
use zappy_protocol::Tick;
use zappy_protocol::conquest::observer::Message;
use zappy_protocol::record::{Entry, RecordLine, Seat};
use zappy_protocol::text::{many, shown, thousands};

use super::story::Story;
use crate::ShowArgs;
use crate::annotations::Beside;
use crate::ending::resumed;
use crate::files::Trouble;
use crate::plain;
use crate::showing::Showing;
use crate::source::Source;

const TURN_COLUMNS: usize = 11;

/// Shows what is asked for: the story, if it can be told and nothing else is wanted.
///
/// # Errors
/// The record can't be read on, or no player is one that is asked for.
pub(super) fn show(showing: Showing<'_>) -> Result<(), Trouble> {
    let Showing { source, args, programs, out, faults } = showing;
    let began = turns(source)?;
    let args = &in_ticks(args, &began, source.last_tick);
    let other = args.json || args.all || args.look.is_some() || args.player.is_some() || args.team.is_some();
    if other || !source.is_full() {
        let last = began.last_key_value().map(|(turn, _)| Length::Turns(*turn));
        let length = last.unwrap_or(Length::Ticks(source.last_tick));
        return plain::show_of(Showing { source, args, programs, out, faults }, length);
    }
    let (mut story, mut resumptions) = (Story::new(), Vec::new());
    let mut names = BTreeMap::new();
    let mut beside = Beside::read(&source.path, args, None, programs);
    source.read(&mut |number, text| {
        for (_, noted) in beside.told(text, args) {
            for line in noted.lines() {
                // A note names its tick; the story has turns.
                let words = line.trim_start().split_once("  ").map_or(line, |(_, words)| words);
                // A faction has one player, and people know it by its name.
                let (player, rest) = words.split_once(' ').unwrap_or((words, ""));
                story.note(names.get(player).map_or(words.to_owned(), |name| format!("{name} {rest}")));
            }
        }
        match RecordLine::parse(text) {
            Ok(RecordLine::Snapshot(line)) => story.know(&line),
            Ok(RecordLine::Event(tick, Entry::Published(line))) => story.take(tick, &line),
            Ok(RecordLine::Event(_, Entry::Admitted(Seat::Number(seat), name))) => {
                names.insert(format!("#{seat}"), shown(&name));
            }
            Ok(RecordLine::Event(tick, entry)) if entry.is_resumption() => resumptions.push(tick),
            Ok(_) => {}
            Err(error) => faults.note(number, &error),
        }
        true
    })?;
    let (lines, left_out) = story.finish();
    let turn = u64::from(story.mirror.turn);
    let mut text = plain::head(source, Length::Turns(turn));
    text.push('\n');
    for told in lines.iter().filter(|told| args.ticks().contains(&told.tick)) {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{:>TURN_COLUMNS$}  {}", told.turn, told.words);
    }
    match &source.end {
        Some(end) => {
            let winners: Vec<_> = story.mirror.winners.clone();
            let why = story.commentary.why(&story.mirror, Some(&end.reason), &winners);
            for words in std::iter::once(end.words()).chain(why) {
                let _ = writeln!(text, "{turn:>TURN_COLUMNS$}  {words}");
            }
        }
        None => text += "\nthe record is cut off here\n",
    }
    if left_out > 0 {
        let _ = writeln!(
            text,
            "\n{} that matter less were left out; --all shows every line",
            many(left_out as u64, "line")
        );
    }
    text += &beside.rest(args);
    text += &resumed(&resumptions);
    out.put(&(text + &table(&story)));
    Ok(())
}

/// The tick at which each turn began, as far as the record tells.
fn turns(source: &Source) -> Result<BTreeMap<u64, Tick>, Trouble> {
    let mut began = BTreeMap::new();
    source.read(&mut |_, text| {
        if let Ok(RecordLine::Event(tick, Entry::Published(line))) = RecordLine::parse(text)
            && let Ok(Message::PhaseBegan { turn, .. }) = Message::parse(&line)
        {
            began.entry(turn.into()).or_insert(tick);
        }
        true
    })?;
    Ok(began)
}

/// The same flags with the ticks of the turns that they name.
fn in_ticks(args: &ShowArgs, began: &BTreeMap<u64, Tick>, last: Tick) -> ShowArgs {
    if began.is_empty() {
        return args.clone();
    }
    let first = |turn: u64| began.range(turn..).next().map(|(_, tick)| *tick);
    let from = args.from.map(|turn| first(turn).unwrap_or(last + 1));
    let to = args.to.map(|turn| first(turn.saturating_add(1)).unwrap_or(last));
    ShowArgs { from, to, ..args.clone() }
}

/// The factions, the best score first.
fn table(story: &Story) -> String {
    let head = ["faction", "score", "land", "units", "kills", "gold", "unpaid", "late"].map(str::to_owned);
    let mut factions: Vec<_> = story.mirror.factions.iter().collect();
    factions.sort_by_key(|known| (!known.alive, std::cmp::Reverse(known.holdings.score)));
    let rows = factions.into_iter().map(|known| {
        let has = known.holdings;
        let count =
            |counts: &BTreeMap<_, u64>| counts.get(&known.name).copied().unwrap_or_default().to_string();
        vec![
            shown(known.name.as_str().as_bytes()),
            has.score.to_string(),
            has.land.to_string(),
            has.population.to_string(),
            has.kills.to_string(),
            thousands(has.gold),
            count(&story.unpaid),
            count(&story.late),
        ]
    });
    let rows: Vec<Vec<String>> = std::iter::once(head.to_vec()).chain(rows).collect();
    let mut text = "\n".to_owned();
    align(&rows, 0, &mut text);
    text
}
