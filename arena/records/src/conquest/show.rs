//! Shows a record of conquest: the story of its match by turns, with tables of the factions; as text or as JSON.
//!
//! Tested in `arena/cli/tests/records/`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::RangeInclusive;

use serde_json::{Value, json};
use zappy_game::Length;
use zappy_protocol::Tick;
use zappy_protocol::conquest::observer::Message;
use zappy_protocol::record::{Entry, RecordLine, Seat};
use zappy_protocol::text::{many, shown};

use super::sides::{named, ranks};
use super::story::Story;
use super::tables;
use crate::ShowArgs;
use crate::annotations::Annotations;
use crate::any_game;
use crate::files::Error;
use crate::heading::{nothing_from, resumed};
use crate::showing::{Faults, ShowOutput, Showing};
use crate::source::{End, Source};

/// Columns that the turn takes at the beginning of each line.
const TURN_COLUMNS: usize = 11;

/// Shows what is asked for: the story, if the record holds one and nothing else is wanted.
///
/// # Errors
/// The record can't be read on, or no player is one that is asked for.
pub(super) fn show(showing: Showing<'_>) -> Result<(), Error> {
    let Showing { source, args: by_turns, programs, out, faults } = showing;
    // The tick at which each turn began, as far as the record says.
    let mut began = BTreeMap::<u64, Tick>::new();
    source.read(&mut |_, text| {
        if let Ok(RecordLine::Event(tick, Entry::Published(line))) = RecordLine::parse(text)
            && let Ok(Message::PhaseBegan { turn, .. }) = Message::parse(&line)
        {
            began.entry(turn.into()).or_insert(tick);
        }
        true
    })?;
    // The same flags with the ticks of the turns that they name.
    let mut args = by_turns.clone();
    if !began.is_empty() {
        let first = |turn: u64| began.range(turn..).next().map(|(_, tick)| *tick);
        args.from = args.from.map(|turn| first(turn).unwrap_or(source.last_tick + 1));
        args.to = args.to.map(|turn| first(turn.saturating_add(1)).unwrap_or(source.last_tick));
    }
    let args = &args;
    let last = began.last_key_value().map(|(turn, _)| Length::Turns(*turn));
    let length = last.unwrap_or(Length::Ticks(source.last_tick));
    if args.all || args.look.is_some() || args.player.is_some() || args.team.is_some() || !source.is_full() {
        return any_game::show(Showing { source, args, programs, out, faults }, length);
    }
    let annotations = Annotations::read(&source.path, args, None, programs);
    let mut reader = StoryReader { story: Story::default(), resumptions: Vec::new(), annotations };
    reader.read(source, args, faults)?;
    reader.story.end();
    if args.json {
        reader.put_json(source, args, &by_turns.ticks(), out);
    } else {
        let text = reader.text(source, args, &by_turns.ticks());
        out.put(&text);
    }
    Ok(())
}

/// Reads a record into its story.
struct StoryReader {
    story: Story,
    /// The ticks at which the match was resumed.
    resumptions: Vec<Tick>,
    annotations: Annotations,
}

impl StoryReader {
    fn read(&mut self, source: &Source, args: &ShowArgs, faults: &mut Faults) -> Result<(), Error> {
        let mut names = BTreeMap::new();
        source.read(&mut |number, text| {
            for (_, noted) in self.annotations.lines_before(text, args) {
                noted.lines().for_each(|line| self.note(line, &names, args));
            }
            let story = &mut self.story;
            match RecordLine::parse(text) {
                Ok(RecordLine::Snapshot(line)) => story.restore(&line),
                Ok(RecordLine::Event(tick, entry)) if entry.is_resumption() => self.resumptions.push(tick),
                Ok(RecordLine::Event(tick, Entry::Published(line))) => story.take(tick, &line),
                Ok(RecordLine::Event(tick, Entry::Received(Seat::Console, line))) => {
                    story.operate(tick, &line);
                }
                Ok(RecordLine::Event(_, Entry::Why(Seat::Console, _))) => story.refuse_operator(),
                Ok(RecordLine::Event(tick, Entry::Received(..) | Entry::Gone(_) | Entry::Expelled(..))) => {
                    story.take_input(tick);
                }
                Ok(RecordLine::Event(tick, Entry::Admitted(Seat::Number(seat), name))) => {
                    story.take_input(tick);
                    names.insert(format!("#{seat}"), shown(&name));
                }
                Ok(_) => {}
                Err(error) => faults.note(number, &error),
            }
            true
        })
    }

    /// Adds a bot's note to the story: `line` is text, or an object with `--json`.
    fn note(&mut self, line: &str, names: &BTreeMap<String, String>, args: &ShowArgs) {
        if args.json {
            return self.story.note(String::new(), serde_json::from_str(line).unwrap_or_default());
        }
        // The line begins with the note's tick, which is left out: the story counts turns.
        let words = line.trim_start().split_once("  ").map_or(line, |(_, words)| words);
        // A faction has one player, and people know it by its name.
        let (player, rest) = words.split_once(' ').unwrap_or((words, ""));
        let words = names.get(player).map_or(words.to_owned(), |name| format!("{name} {rest}"));
        self.story.note(words, Value::Null);
    }

    /// The story as text, with the heading before it and the tables after it.
    fn text(&mut self, source: &Source, args: &ShowArgs, turns: &RangeInclusive<u64>) -> String {
        let (lines, left_out) = self.story.finish();
        let (story, is_wanted) = (&self.story, |turn: u32| turns.contains(&turn.into()));
        let length = Length::Turns(story.mirror.turn.into());
        let mut text = any_game::head(source, length);
        text.push('\n');
        let line = |turn: u32, words: &str, text: &mut String| {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{turn:>TURN_COLUMNS$}  {words}");
        };
        let wanted = lines.iter().filter(|line| is_wanted(line.turn));
        wanted.for_each(|wanted| line(wanted.turn, &wanted.words, &mut text));
        if *turns.start() > story.mirror.turn.into() {
            text += &nothing_from(length);
        }
        match &source.end {
            Some(end) => {
                let words = std::iter::once(end.words()).chain(why(story, end));
                words.for_each(|words| line(story.mirror.turn, &words, &mut text));
            }
            None => text += "\nthe record is cut off here\n",
        }
        if left_out > 0 {
            let left_out = many(left_out as u64, "line");
            text += &format!("\n{left_out} that matter less were left out; --all shows every line\n");
        }
        text += &story.operator_notice();
        text += &self.annotations.unplaced(args);
        text += &resumed(&self.resumptions);
        text += &story.rows.table(&story.mirror, &ranks(&story.mirror, &story.counts.beaten), is_wanted);
        text + &tables::faction_table(&story.mirror, &story.counts)
    }

    /// Writes the story and what stands around it for programs, one object per line.
    fn put_json(
        &mut self,
        source: &Source,
        args: &ShowArgs,
        turns: &RangeInclusive<u64>,
        out: &mut ShowOutput,
    ) {
        let (lines, is_wanted) = (self.story.everything(), |turn: u32| turns.contains(&turn.into()));
        let story = &self.story;
        let (turn, tick, end) = (story.mirror.turn, source.last_tick, source.end.as_ref());
        let (reason, winner) = (end.map(|end| &end.reason), end.and_then(End::winner));
        let winners = end.map(|end| &end.winners);
        out.put_json(&any_game::json_head(source));
        for line in lines.into_iter().filter(|line| is_wanted(line.turn)) {
            if !out.put_json(&line.json()) {
                return;
            }
        }
        out.put(&self.annotations.unplaced(args));
        if let Some(end) = end.filter(|_| is_wanted(turn)) {
            if !end.winners.is_empty() {
                out.put_json(&json!({ "type": "won", "tick": tick, "turn": turn, "teams": winners }));
            }
            let why = why(story, end);
            out.put_json(&json!({
                "type": "ended", "tick": tick, "turn": turn, "reason": reason, "winner": winner, "winners": winners, "why": why,
            }));
        }
        out.put_json(&json!({
            "type": "end", "tick": tick, "turn": turn, "reason": reason, "winner": winner, "winners": winners,
            "resumed": self.resumptions, "teams": tables::ranked_json(&story.mirror, &story.counts),
        }));
    }
}

/// Why the match ended as it did, in a few sentences.
fn why(story: &Story, end: &End) -> Vec<String> {
    let winners = &story.mirror.winners;
    let mut why = story.commentary.why(&story.mirror, Some(&end.reason), winners);
    if winners.len() > 1
        && matches!(&end.reason[..], "turns" | "time")
        && let Some(first) = why.first_mut()
    {
        let (names, turn) = (named(&story.mirror, winners).0, story.mirror.turn);
        *first = format!("It was over in turn {turn}; {names} have the same score and as much land");
    }
    why
}
