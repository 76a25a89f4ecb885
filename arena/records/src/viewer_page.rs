//! Pages on which a match can be watched in any browser: one page with the viewer and the record in it, or the record
//! as a script for a page that many matches share.
//!
//! The viewer is the script that `make web` leaves beside this program. The record is compressed while it is read; one
//! that holds inputs alone is played again for it. A file appears when it is whole. Tested in
//! `arena/cli/tests/records/` and, in a browser, in `arena/cli/tests/browser/`.

use std::env;
use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use base64::engine::general_purpose::STANDARD;
use base64::write::EncoderWriter;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::json;
use zappy_game::GameSpec;
use zappy_play::text::in_html;
use zappy_protocol::record::RecordLevel;
use zappy_protocol::text::thousands;
use zappy_server::record;

use super::files::{self, Error, refused};
use super::source::Source;

/// Where `make web` leaves the viewer, beside the programs.
const VIEWER: &str = "zappy_web/viewer.js";
/// The largest viewer that is read, in bytes; the real one is far smaller.
const VIEWER_BYTES: u64 = 64 << 20;

/// The style of every page with the viewer: the canvas fills the window.
pub const STYLE: &str =
    "html,body,canvas{margin:0;width:100%;height:100%;display:block;overflow:hidden;background:#0b0f18}";

/// The viewer's script.
///
/// # Errors
/// The place beside this program at which `make web` has left no viewer.
pub fn viewer() -> Result<String, PathBuf> {
    let beside = env::current_exe().ok().and_then(|exe| exe.parent().map(Path::to_owned));
    let path = beside.unwrap_or_default().join(VIEWER);
    let is_usable = fs::metadata(&path).is_ok_and(|data| data.is_file() && data.len() <= VIEWER_BYTES);
    is_usable.then(|| fs::read_to_string(&path).ok()).flatten().ok_or(path)
}

/// Writes one page with the viewer and the match in it, and says what was written.
pub(super) fn write_page(source: &Source, viewer: &str, out: &Path) -> Result<String, Error> {
    let teams: Vec<String> = source.header.teams.iter().map(ToString::to_string).collect();
    let title = in_html(&format!("{} – Zappy Arena", teams.join(", ")));
    let name = source.path.file_name().unwrap_or(source.path.as_os_str()).to_string_lossy();
    let bytes = write_file(out, |file| {
        write!(
            file,
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
             content=\"width=device-width, initial-scale=1\">\n<meta http-equiv=\"Content-Security-Policy\" \
             content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline' 'wasm-unsafe-eval'\">\n\
             <title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<canvas></canvas>\n<script>\n"
        )?;
        // HTML ends a script at `</script`, even inside a string.
        file.write_all(viewer.replace("</script", "<\\/script").as_bytes())?;
        file.write_all(b"</script>\n<script>\n")?;
        write_record_call(source, &name, file)?;
        let start = json!({ "name": name }).to_string().replace('<', "\\u003c");
        write!(
            file,
            "ZappyViewer.start(Object.assign({{ canvas: document.querySelector(\"canvas\") }}, {start}));\n</script>\n</body>\n</html>\n"
        )?;
        Ok(())
    })?;
    let (out, bytes) = (out.display(), thousands(bytes));
    Ok(format!(
        "{out}: {bytes} bytes; open it in a browser, at a moment with its tick: {out}#tick=100 (Y copies the \
         address of the one shown)\n"
    ))
}

/// Writes a script that hands the record to the viewer under that name.
///
/// # Errors
/// The record can't be read or watched, or the script can't be written; then there is no file.
pub fn write_script(record: &Path, games: &'static [GameSpec], name: &str, out: &Path) -> Result<(), Error> {
    let source = Source::open(record, games)?;
    write_file(out, |file| write_record_call(&source, name, file)).map(drop)
}

/// Writes the call that hands the record to the viewer.
fn write_record_call(source: &Source, name: &str, out: &mut dyn Write) -> Result<(), Error> {
    if !source.is_full() {
        return Err(Error::Words(source.note.clone().unwrap_or_default()));
    }
    let name = json!(name).to_string().replace('<', "\\u003c");
    write!(out, "ZappyViewer.record({name}, \"")?;
    let mut text = EncoderWriter::new(&mut *out, &STANDARD);
    let mut packed = GzEncoder::new(&mut text, Compression::best());
    if source.replayed {
        record::expand(&files::read(&source.path)?, source.games, RecordLevel::Full, &mut packed)?;
    } else {
        io::copy(&mut zappy_server::files::open(&source.path).map_err(refused)?, &mut packed)?;
    }
    packed.finish()?;
    text.finish()?;
    drop(text);
    out.write_all(b"\");\n")?;
    Ok(())
}

fn write_file(path: &Path, write: impl FnOnce(&mut dyn Write) -> Result<(), Error>) -> Result<u64, Error> {
    let misplaced = |error| Error::Misplaced("--html", path.to_owned(), error);
    files::write_whole(path, ".replay-", true, misplaced, |file| {
        let mut out = BufWriter::new(file);
        write(&mut out)?;
        out.flush().map_err(misplaced)
    })
    .map(|((), bytes)| bytes)
}
