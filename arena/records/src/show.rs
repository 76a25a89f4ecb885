//! Shows a record: the story of its match, or the dialogue of one player; as text, as JSON, or as a page.
//!
//! The room of the record's game shows what happened; `any_game` shows records of games without a room. Reads the
//! record once, from its beginning, and writes as it goes. Ends quietly when its output is closed. Tested in
//! `arena/cli/tests/records/`.

use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::Path;

use zappy_game::{GameSpec, Length};

use super::any_game;
use super::files;
use super::players::Programs;
use super::showing::{Faults, RecordRooms, ShowOutput, Showing, room};
use super::source::Source;
use super::viewer_page;
use super::{FAILED, FINE, ShowArgs, USAGE, complain};

/// Shows the record, and gives the exit code.
pub fn show(args: &ShowArgs, games: &'static [GameSpec], rooms: RecordRooms) -> u8 {
    let ticks = args.ticks();
    if ticks.is_empty() {
        let (from, to) = (ticks.start(), ticks.end());
        let words = format!("--from {from} --to {to}: nothing is between them; see zappy_arena show --help");
        let _ = writeln!(io::stderr(), "zappy_arena: {words}");
        return USAGE;
    }
    if let Some(page) = &args.html {
        return show_page(args, page, games);
    }
    let mut out = ShowOutput::new();
    let mut faults = Faults::default();
    let done =
        files::record_at(&args.file).and_then(|path| Source::open(&path, games)).and_then(|mut source| {
            let programs = Programs::beside(&source.path);
            let room = room(rooms, &source);
            let by_lot = programs.by_lot(source.header.seed, source.last_tick);
            let by_lot = by_lot.or_else(|| room.and_then(|room| (room.by_lot)(&source)));
            if let Some(end) = &mut source.end {
                end.by_lot = by_lot;
            }
            let (source, programs) = (&source, &programs);
            let showing = Showing { source, args, programs, out: &mut out, faults: &mut faults };
            match room {
                Some(room) => (room.show)(showing),
                None => any_game::show(showing, Length::Ticks(source.last_tick)),
            }
        });
    let said = out.finish();
    let error = match (done, said) {
        (_, Err(error)) if error.kind() == ErrorKind::BrokenPipe => return FINE,
        (Err(error), _) => Some(error.to_string()),
        (_, Err(error)) => Some(format!("can't write: {error}")),
        _ => faults.words(),
    };
    error.map_or(FINE, |error| complain(&args.file, error, FAILED))
}

/// Writes the page on which the match is watched.
fn show_page(args: &ShowArgs, page: &Path, games: &'static [GameSpec]) -> u8 {
    // Only an older page is ever replaced.
    let may_be_page = page.extension().is_some_and(|ending| ending == "html" || ending == "htm")
        && fs::symlink_metadata(page).map_or(true, |known| known.is_file());
    if !may_be_page {
        return complain(page, "--html wants a file that ends with .html", USAGE);
    }
    let viewer = match viewer_page::viewer() {
        Ok(viewer) => viewer,
        Err(place) => {
            let words = "there is no viewer, which is a part of each page; make web builds it";
            return complain(&place, words, USAGE);
        }
    };
    let done = files::record_at(&args.file)
        .and_then(|path| Source::open(&path, games))
        .and_then(|source| viewer_page::write_page(&source, &viewer, page));
    match done {
        Ok(words) => {
            let _ = io::stdout().write_all(words.as_bytes());
            FINE
        }
        Err(error) => complain(&args.file, error, FAILED),
    }
}

/// What the teams of a match were refused, in a line for each team with the command that shows more; empty if the
/// record can't be read, or holds no reasons.
pub fn refusals(folder: &Path, games: &'static [GameSpec], rooms: RecordRooms) -> String {
    let source =
        files::record_at(folder).and_then(|path| Source::open(&path, games)).ok().filter(Source::is_full);
    let lines = source.and_then(|source| Some((room(rooms, &source)?.refusals)(&source, folder)));
    lines.unwrap_or_default()
}
