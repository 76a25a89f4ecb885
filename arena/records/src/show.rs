//! Shows a record: the story of its match, or the dialogue of one player; as text or as JSON.
//!
//! Reads the record once, from its beginning, and writes as it goes. Ends quietly when its output is closed. Tested in
//! `arena/cli/tests/records/`.

use std::collections::VecDeque;
use std::io::{self, BufWriter, ErrorKind, Read, Seek, StdoutLock, Write};
use std::path::Path;

use serde_json::Value;
use zappy_game::GameSpec;
use zappy_protocol::Tick;
use zappy_protocol::record::{BadRecord, RecordLine};
use zappy_protocol::text::{shown, shown_json, thousands};
use zappy_protocol::zappy::story::Happening;

use super::annotations::Beside;
use super::ending;
use super::files::{self, Trouble};
use super::json;
use super::plain;
use super::replay;
use super::source::{End, Source, bad_line};
use super::whose::{self, Programs};
use super::zappy::dialogue::{Answer, Dialogue};
use super::zappy::sight;
use super::zappy::story::Story;
use super::zappy::telling::{Telling, line};
use super::{FAILED, FINE, ShowArgs, USAGE};

/// Bytes of a dialogue that wait in memory for its head; what is longer waits in a temporary file.
const WAITING_BYTES: usize = 8 << 20;
const BUFFER_BYTES: usize = 64 * 1024;
/// The one game that `show` has a story for.
pub(super) const TOLD: &str = zappy_game_zappy::SPEC.name;

/// Does what was asked for, and says how it ended, as an exit code.
#[must_use]
pub fn show(args: &ShowArgs, games: &'static [GameSpec]) -> u8 {
    let (from, to) = (args.from.unwrap_or(0), args.to.unwrap_or(Tick::MAX));
    if from > to {
        let words =
            format!("--from {from} --to {to}: there is no tick between them; see zappy_arena show --help");
        let _ = writeln!(io::stderr(), "zappy_arena: {words}");
        return USAGE;
    }
    if let Some(page) = &args.html {
        return show_page(args, page, games);
    }
    let mut out = Out::new();
    let mut faults = Faults::default();
    let done = files::one(&args.file).and_then(|path| Source::open(&path, games)).and_then(|mut source| {
        let programs = Programs::beside(&source.path);
        if let Some(end) = &mut source.end {
            end.by_lot = programs.by_lot(source.header.seed, source.last_tick);
        }
        if let Some((who, tick)) = &args.look {
            if source.header.game != TOLD {
                return Err(Trouble::NoPlayers(format!("in {} nobody looks", source.header.game)));
            }
            let views = programs.players(who)?.into_iter().map(|player| sight::draw(&source, player, *tick));
            let (views, without): (Vec<_>, Vec<_>) = views.partition(Result::is_ok);
            if let Some(trouble) = without.into_iter().next().filter(|_| views.is_empty()) {
                return trouble.map(|_| ());
            }
            // Of a program's players those are drawn that have seen something.
            out.put(&views.into_iter().flatten().collect::<Vec<_>>().join("\n"));
            return Ok(());
        }
        match whose::players(&source, args, &programs)? {
            players if source.header.game != TOLD => {
                show_plain(&source, args, (players.as_deref(), &programs), &mut out, &mut faults)
            }
            Some(players) => show_dialogues(&source, &players, &programs, args, &mut out, &mut faults),
            None => show_story(&source, &programs, args, &mut out, &mut faults),
        }
    });
    let said = out.finish();
    let trouble = match (done, said) {
        (_, Err(error)) if error.kind() == ErrorKind::BrokenPipe => return FINE,
        (Err(trouble), _) => Some(trouble.to_string()),
        (_, Err(error)) => Some(format!("can't write: {error}")),
        _ => faults.words(),
    };
    let Some(trouble) = trouble else { return FINE };
    let _ = writeln!(io::stderr(), "zappy_arena: {}: {trouble}", args.file.display());
    FAILED
}

/// Writes the page on which the match is watched.
fn show_page(args: &ShowArgs, page: &Path, games: &'static [GameSpec]) -> u8 {
    let complain = |what: &Path, words: &str, code: u8| {
        let _ = writeln!(io::stderr(), "zappy_arena: {}: {words}", what.display());
        code
    };
    if !replay::may_be_page(page) {
        return complain(page, "--html wants a file that ends with .html", USAGE);
    }
    let Some(viewer) = replay::viewer() else {
        return complain(
            &replay::place(),
            "there is no viewer, which is a part of each page; make web builds it",
            USAGE,
        );
    };
    let done = files::one(&args.file)
        .and_then(|path| Source::open(&path, games))
        .and_then(|source| replay::page(&source, &viewer, page));
    match done {
        Ok(words) => {
            let _ = io::stdout().write_all(words.as_bytes());
            FINE
        }
        Err(trouble) => complain(&args.file, &trouble.to_string(), FAILED),
    }
}

/// Standard output, buffered, until it fails.
struct Out {
    to: BufWriter<StdoutLock<'static>>,
    failed: Option<io::Error>,
}

impl Out {
    fn new() -> Out {
        Out { to: BufWriter::with_capacity(BUFFER_BYTES, io::stdout().lock()), failed: None }
    }

    /// Writes, and says whether more can be written.
    fn put(&mut self, text: &str) -> bool {
        if self.failed.is_none() {
            self.failed = self.to.write_all(text.as_bytes()).err();
        }
        self.failed.is_none()
    }

    fn put_json(&mut self, value: &Value) -> bool {
        self.put(&format!("{}\n", shown_json(&value.to_string())))
    }

    fn finish(mut self) -> io::Result<()> {
        let flushed = self.to.flush();
        self.failed.map_or(flushed, Err)
    }
}

/// Lines that make no sense: the first of them, and how many.
#[derive(Default)]
struct Faults {
    first: Option<String>,
    more: usize,
}

impl Faults {
    fn note(&mut self, number: usize, error: &BadRecord) {
        match self.first {
            None => self.first = Some(bad_line(number, error)),
            Some(_) => self.more += 1,
        }
    }

    fn words(self) -> Option<String> {
        let more = match self.more {
            0 => "it was left out".to_owned(),
            more => format!("it and {more} more bad lines were left out"),
        };
        self.first.map(|first| format!("{first}; {more}"))
    }
}

/// Whether nothing of the story is in the line: told apart without reading it whole.
fn is_dull(line: &[u8]) -> bool {
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

/// What was noted and is not told yet, with its ticks.
type Waiting = VecDeque<(Tick, String)>;

fn show_story(
    source: &Source,
    programs: &Programs,
    args: &ShowArgs,
    out: &mut Out,
    faults: &mut Faults,
) -> Result<(), Trouble> {
    let (from, to) = (args.from.unwrap_or(0), args.to.unwrap_or(Tick::MAX));
    let mut story = Story::new(&source.header, source.is_full());
    let drawn = source.end.as_ref().filter(|end| end.by_lot == Some(true)).map(End::words);
    let mut telling = Telling::new(args.all, drawn, from, to.min(source.last_tick));
    if args.json {
        out.put_json(&json::head(source));
    } else {
        out.put(&format!("{}\n", ending::head(source)));
    }
    // What was noted waits until all is told that happened before.
    let mut noted = Waiting::new();
    let mut tell =
        |happening: Option<&Happening>, tick, story: &Story, noted: &mut Waiting, out: &mut Out| {
            let (roster, mut text) = (&story.tally.roster, String::new());
            while noted.front().is_some_and(|(at, _)| *at < tick) {
                let Some((at, words)) = noted.pop_front() else { break };
                if !args.json {
                    telling.make_way(at, roster, &mut text);
                }
                text.push_str(&words);
            }
            match happening.filter(|happening| (from..=to).contains(&happening.tick)) {
                Some(happening) if args.json => {
                    return out.put(&text) && out.put_json(&json::happening(happening, roster));
                }
                Some(happening) => telling.tell(happening, roster, &mut text),
                None => {}
            }
            out.put(&text)
        };
    let mut beside = Beside::read(&source.path, args, None, programs);
    source.read(&mut |number, text| {
        noted.extend(beside.told(text, args));
        if is_dull(text) {
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
        happened.iter().all(|happening| tell(Some(happening), happening.tick, &story, &mut noted, out))
            && tell(None, story.tick(), &story, &mut noted, out)
    })?;
    let happened = story.finish();
    happened.iter().for_each(|happening| {
        tell(Some(happening), happening.tick, &story, &mut noted, out);
    });
    tell(None, Tick::MAX, &story, &mut noted, out);
    out.put(&beside.rest(args));
    if args.json {
        out.put_json(&json::end(source, &story));
    } else {
        let mut text = String::new();
        telling.finish(&story.tally.roster, &mut text);
        text += &ending_of(source, &story, to);
        out.put(&text);
    }
    Ok(())
}

fn ending_of(source: &Source, story: &Story, to: Tick) -> String {
    let mut text = String::new();
    let whole = to >= source.last_tick;
    let winner = source.end.as_ref().and_then(|end| end.winner.as_deref()).filter(|_| whole);
    if whole && source.end.is_none() {
        line(story.tick(), "the record is cut off here", &mut text);
    }
    if !whole {
        let tick = thousands(to);
        text += &format!("\nfrom the start up to tick {tick}:\n");
    }
    text + &resumed(story.resumed()) + &ending::tables(story, winner, source.is_full())
}

fn resumed(ticks: &[Tick]) -> String {
    let ticks: Vec<String> = ticks.iter().map(|&tick| thousands(tick)).collect();
    if ticks.is_empty() {
        return String::new();
    }
    format!("\nthe match was resumed at tick {}, after its server had been killed\n", ticks.join(", "))
}

/// Shows what every record has.
fn show_plain(
    source: &Source,
    args: &ShowArgs,
    (players, programs): (Option<&[u32]>, &Programs),
    out: &mut Out,
    faults: &mut Faults,
) -> Result<(), Trouble> {
    if args.json {
        out.put_json(&plain::json_head(source));
    } else {
        out.put(&format!("{}\n", plain::head(source)));
    }
    let mut beside = Beside::read(&source.path, args, players, programs);
    let mut ticks = Vec::new();
    source.read(&mut |number, text| match RecordLine::parse(text) {
        Ok(parsed) => {
            if let RecordLine::Event(tick, entry) = &parsed
                && entry.is_resumption()
            {
                ticks.push(*tick);
            }
            out.put(&beside.before(text, args))
                && plain::line(&parsed, args, players).is_none_or(|line| out.put(&line))
        }
        Err(error) => {
            faults.note(number, &error);
            true
        }
    })?;
    out.put(&beside.rest(args));
    let end = source.end.as_ref();
    if args.json {
        let (reason, winner) = (end.map(|end| &end.reason), end.and_then(|end| end.winner.as_ref()));
        out.put_json(&serde_json::json!({
            "type": "end", "tick": source.last_tick, "reason": reason, "winner": winner, "resumed": ticks,
        }));
    } else {
        if end.is_none() {
            out.put("\nthe record is cut off here\n");
        }
        out.put(&resumed(&ticks));
    }
    Ok(())
}

/// Shows the dialogues one after another, each read from the record anew, so that never more than one is held.
fn show_dialogues(
    source: &Source,
    players: &[u32],
    programs: &Programs,
    args: &ShowArgs,
    out: &mut Out,
    faults: &mut Faults,
) -> Result<(), Trouble> {
    for (place, &player) in players.iter().enumerate() {
        // Bad lines are the record's, and are told once.
        let mut again = Faults::default();
        let faults = if place == 0 { &mut *faults } else { &mut again };
        let before = match (args.json, place) {
            (true, 0) => format!("{}\n", shown_json(&json::head(source).to_string())),
            (true, _) => String::new(),
            (false, 0) => ending::head(source),
            (false, _) => "\n".to_owned(),
        };
        show_dialogue(source, player, (&before, programs), args, out, faults)?;
    }
    Ok(())
}

/// Shows one, after what comes `before` it and with what its program noted and printed.
fn show_dialogue(
    source: &Source,
    player: u32,
    (before, programs): (&str, &Programs),
    args: &ShowArgs,
    out: &mut Out,
    faults: &mut Faults,
) -> Result<(), Trouble> {
    let (from, to) = (args.from.unwrap_or(0), args.to.unwrap_or(Tick::MAX));
    let mut dialogue = Dialogue::new(&source.header, player, source.is_full());
    // Its head says how the player ended, which comes last.
    let mut waiting = tempfile::spooled_tempfile(WAITING_BYTES);
    let mut failed = None;
    let mut beside = Beside::read(&source.path, args, Some(&[player]), programs);
    // What stands between that line and the next, for which a line's reason has still to come.
    let mut noted = String::new();
    let mut tell = |dialogue: &mut Dialogue, line: &Answer, noted: &mut String| {
        let mut text = String::new();
        if (from..=to).contains(&line.spoken.tick) {
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
        let next = beside.before(text, args);
        match dialogue.take(text) {
            Ok(line) => {
                // A line comes back with the next one of this player, before which it has its notes.
                noted.push_str(&next);
                line.is_none_or(|line| tell(&mut dialogue, &line, &mut noted))
            }
            Err(error) => {
                faults.note(number, &error);
                true
            }
        }
    })?;
    if let Some(line) = dialogue.finish() {
        noted.push_str(&beside.rest(args));
        tell(&mut dialogue, &line, &mut noted);
    }
    if let Some(error) = failed {
        return Err(error.into());
    }
    let head = dialogue.head().ok_or_else(|| Trouble::NoPlayer(player, dialogue.others()))?;
    out.put(before);
    if !args.json {
        let log = programs
            .log(player)
            .map(|log| format!("log       {}\n", shown(log.as_bytes())))
            .unwrap_or_default();
        out.put(&format!("{head}{log}\n"));
    }
    waiting.rewind()?;
    copy(&mut waiting, out)?;
    put_end(source, player, &dialogue, args.json, out);
    Ok(())
}

fn copy(from: &mut impl Read, out: &mut Out) -> io::Result<()> {
    let mut chunk = vec![0; BUFFER_BYTES];
    while out.failed.is_none() {
        let taken = from.read(&mut chunk)?;
        if taken == 0 {
            break;
        }
        out.failed = out.to.write_all(&chunk[..taken]).err();
    }
    Ok(())
}

fn put_end(source: &Source, player: u32, dialogue: &Dialogue, as_json: bool, out: &mut Out) {
    if as_json {
        out.put_json(&json::dialogue_end(source, player, &dialogue.tally));
        return;
    }
    let mut text = String::new();
    if let Some(words) = dialogue.unanswered() {
        text = format!("\n{words}\n");
    }
    if source.end.is_none() {
        text += "\nthe record is cut off here\n";
    }
    out.put(&text);
}
