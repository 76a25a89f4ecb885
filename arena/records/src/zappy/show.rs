//! Shows a record of Zappy: the story of its match, the dialogues of players, or what one of them saw.
//!
//! Tested in `arena/cli/tests/records/`.

use std::collections::VecDeque;
use std::io::{Seek, Write};

use zappy_game::Length;
use zappy_game::config::Clock;
use zappy_protocol::record::RecordLine;
use zappy_protocol::text::{shown, shown_json, thousands};
use zappy_protocol::zappy::story::{Happening, What};
use zappy_protocol::{DEFAULT_FREQUENCY, Tick};

use super::dialogue::{Answer, Dialogue};
use super::story::Story;
use super::story_text::{StoryText, write_line};
use super::{json, sight, tables, verdict};
use crate::annotations::Annotations;
use crate::files::Error;
use crate::heading::{nothing_from, resumed};
use crate::players;
use crate::showing::{Faults, ShowOutput, Showing};
use crate::source::{End, Source};

/// The most bytes of a dialogue that wait in memory for its head; a longer dialogue waits in a temporary file.
const WAITING_BYTES: usize = 8 << 20;

/// Shows what is asked for.
///
/// # Errors
/// The record can't be read on, or no player is one that is asked for.
pub fn show(showing: Showing<'_>) -> Result<(), Error> {
    let Showing { source, args, programs, .. } = showing;
    if let Some((who, tick)) = &args.look {
        let views = programs.players(who)?.into_iter().map(|player| sight::draw(source, player, *tick));
        let (views, without): (Vec<_>, Vec<_>) = views.partition(Result::is_ok);
        if let Some(error) = without.into_iter().next().filter(|_| views.is_empty()) {
            return error.map(|_| ());
        }
        // If a program had several players, only those that have seen something are drawn.
        showing.out.put(&views.into_iter().flatten().collect::<Vec<_>>().join("\n"));
        return Ok(());
    }
    let Some(players) = players::wanted(source, args, programs)? else { return show_story(showing) };
    // One dialogue after another, each read from the record anew, so that never more than one is held.
    for (place, &player) in players.iter().enumerate() {
        // Bad lines are the same in each reading of the record, and are reported once.
        let mut again = Faults::default();
        let faults = if place == 0 { &mut *showing.faults } else { &mut again };
        let before = match (args.json, place) {
            (true, 0) => format!("{}\n", shown_json(&json::head(source).to_string())),
            (true, _) => String::new(),
            (false, 0) => tables::head(source),
            (false, _) => "\n".to_owned(),
        };
        let out = &mut *showing.out;
        show_dialogue(Showing { source, args, programs, out, faults }, player, &before)?;
    }
    Ok(())
}

/// Whether a line has no part in the story, as far as its beginning shows without parsing it.
fn is_irrelevant(line: &[u8]) -> bool {
    let rest = line.iter().position(|&byte| byte == b' ').map_or(&[][..], |space| &line[space + 1..]);
    match rest {
        [b'*', b' ', message @ ..] => message.starts_with(b"bct ") || message.starts_with(b"pin "),
        [b'>', b' ', answer @ ..] => {
            let words = answer.splitn(2, |&byte| byte == b' ').nth(1).unwrap_or_default();
            !words.starts_with(b"eject: ")
        }
        _ => false,
    }
}

/// Notes, with their ticks, that wait until everything is written that happened before them.
type Waiting = VecDeque<(Tick, String)>;

fn show_story(Showing { source, args, programs, out, faults }: Showing<'_>) -> Result<(), Error> {
    let (from, to) = args.ticks().into_inner();
    let mut story = Story::new(&source.header, source.is_full());
    let drawn = source.end.as_ref().filter(|end| end.by_lot == Some(true)).map(End::words);
    let mut story_text = StoryText::new(args.all, drawn, from, to.min(source.last_tick));
    if args.json {
        out.put_json(&json::head(source));
    } else {
        out.put(&format!("{}\n", tables::head(source)));
    }
    // Ticks per second, for durations in text; the lockstep clock has no rate of its own.
    let lockstep = source.header.clock == Clock::Lockstep.name();
    let rate = if lockstep { DEFAULT_FREQUENCY } else { source.header.frequency };
    // The notes that wait, and how many remarks were written.
    let (mut noted, mut remarked) = (Waiting::new(), 0);
    let mut write =
        |happening: Option<&Happening>, tick, story: &Story, noted: &mut Waiting, out: &mut ShowOutput| {
            let (roster, mut text) = (&story.tally.roster, String::new());
            let said = story.commentary.remarks.all()[remarked..].iter();
            for remark in said.take_while(|remark| remark.tick < tick) {
                remarked += 1;
                if !args.json && (from..=to).contains(&remark.tick) {
                    story_text.write_remark(remark, roster, &mut text);
                }
            }
            while noted.front().is_some_and(|(at, _)| *at < tick) {
                let Some((at, words)) = noted.pop_front() else { break };
                if !args.json {
                    story_text.write_waiting(at, roster, &mut text);
                }
                text.push_str(&words);
            }
            match happening.filter(|happening| (from..=to).contains(&happening.tick)) {
                Some(happening) if args.json => {
                    return out.put(&text) && out.put_json(&json::happening(happening, roster));
                }
                Some(happening) => {
                    story_text.write_happening(happening, roster, &mut text);
                    if let What::Ended(reason, winner) = &happening.what {
                        let why = story.why(reason, winner.as_deref(), rate);
                        let why = verdict::tie_break(source, story).into_iter().chain(why);
                        why.for_each(|why| write_line(happening.tick, &why, &mut text));
                    }
                }
                None => {}
            }
            out.put(&text)
        };
    let mut annotations = Annotations::read(&source.path, args, None, programs);
    source.read(&mut |number, text| {
        noted.extend(annotations.lines_before(text, args));
        if is_irrelevant(text) {
            return true;
        }
        let parsed = match RecordLine::parse(text) {
            Ok(parsed) => parsed,
            Err(error) => {
                faults.note(number, &error);
                return true;
            }
        };
        if let RecordLine::Event(tick, _) | RecordLine::Keyframe(tick) | RecordLine::End(tick, ..) = &parsed
            && *tick > to
        {
            return false;
        }
        let happened = story.take(parsed);
        happened.iter().all(|happening| write(Some(happening), happening.tick, &story, &mut noted, out))
            && write(None, story.tick, &story, &mut noted, out)
    })?;
    let happened = story.finish();
    happened.iter().for_each(|happening| {
        write(Some(happening), happening.tick, &story, &mut noted, out);
    });
    write(None, Tick::MAX, &story, &mut noted, out);
    out.put(&annotations.unplaced(args));
    if args.json {
        out.put_json(&json::end(source, &story));
    } else {
        let mut text = String::new();
        story_text.finish(&story.tally.roster, &mut text);
        if from > source.last_tick {
            text += &nothing_from(Length::Ticks(source.last_tick));
        }
        text += &ending_of(source, &story, to);
        out.put(&text);
    }
    Ok(())
}

fn ending_of(source: &Source, story: &Story, to: Tick) -> String {
    let mut text = String::new();
    let whole = to >= source.last_tick;
    let winner = source.end.as_ref().and_then(End::winner).filter(|_| whole);
    if whole && source.end.is_none() {
        write_line(story.tick, "the record is cut off here", &mut text);
    }
    if !whole {
        let tick = thousands(to);
        text += &format!("\nfrom the start up to tick {tick}:\n");
    }
    text + &resumed(&story.resumed) + &tables::tables(story, winner, source.is_full())
}

/// Shows the dialogue of a player behind the text `before`, with what the player's program noted and printed.
fn show_dialogue(showing: Showing<'_>, player: u32, before: &str) -> Result<(), Error> {
    let Showing { source, args, programs, out, faults } = showing;
    let wanted = args.ticks();
    let mut dialogue = Dialogue::new(&source.header, player, source.is_full());
    // The dialogue waits for its head, which says how the player ended and so is known last.
    let mut waiting = tempfile::spooled_tempfile(WAITING_BYTES);
    let mut failed = None;
    let mut annotations = Annotations::read(&source.path, args, Some(&[player]), programs);
    // The notes that stand between the dialogue's last line, which may still get a reason, and the next line.
    let mut noted = String::new();
    let mut write = |dialogue: &mut Dialogue, line: &Answer, noted: &mut String| {
        let mut text = String::new();
        if wanted.contains(&line.spoken.tick) {
            if args.json {
                text = format!("{}\n", shown_json(&json::spoken(player, line).to_string()));
            } else {
                dialogue.write(line, &mut text);
            }
        }
        text.push_str(&std::mem::take(noted));
        if failed.is_none() {
            failed = waiting.write_all(text.as_bytes()).err();
        }
        failed.is_none()
    };
    source.read(&mut |number, text| {
        let next = annotations.text_before(text, args);
        match dialogue.take(text) {
            Ok(line) => {
                // A line comes back when the player's next line is taken; the notes in between are written behind it.
                noted.push_str(&next);
                line.is_none_or(|line| write(&mut dialogue, &line, &mut noted))
            }
            Err(error) => {
                faults.note(number, &error);
                true
            }
        }
    })?;
    if let Some(line) = dialogue.last.take() {
        noted.push_str(&annotations.unplaced(args));
        write(&mut dialogue, &line, &mut noted);
    }
    if let Some(error) = failed {
        return Err(error.into());
    }
    let Some(head) = dialogue.head() else { return players::check_joined(source, &[player]) };
    out.put(before);
    if !args.json {
        let log = programs.log(player).map(|log| format!("log       {}\n", shown(log.path.as_bytes())));
        let log = log.unwrap_or_default();
        out.put(&format!("{head}{log}\n"));
    }
    waiting.rewind()?;
    out.copy(&mut waiting)?;
    if args.json {
        out.put_json(&json::dialogue_end(source, player, &dialogue.tally));
        return Ok(());
    }
    let mut text = dialogue.unanswered().map(|words| format!("\n{words}\n")).unwrap_or_default();
    if source.end.is_none() {
        text += "\nthe record is cut off here\n";
    }
    out.put(&text);
    Ok(())
}
