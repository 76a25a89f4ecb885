//! Makes a full record from one that holds inputs alone, or the other way round.
//!
//! The new file appears when it is whole, and only if the given record verifies; an interruption leaves nothing.
//! Never replaces a file unless asked to. Tested in `arena/cli/tests/records/`.

use std::ffi::OsString;
use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use zappy_game::GameSpec;
use zappy_play::programs::signals::Signals;
use zappy_protocol::record::{RecordLevel, read_head};
use zappy_protocol::text::thousands;
use zappy_server::record::{self, BadMatch, Verified};

use super::files::{self, ENDING, Error};
use super::{ExpandArgs, FAILED, FINE, INTERRUPTED, complain};

const STDOUT: &str = "-";

/// Writes the record at the other level, and gives the exit code.
pub fn expand(args: &ExpandArgs, games: &'static [GameSpec]) -> u8 {
    let mut stopped = false;
    let path = match files::record_at(&args.file) {
        Ok(path) => path,
        Err(error) => return complain(&args.file, error, FAILED),
    };
    match expand_one(&path, args, games, &mut stopped) {
        Ok(()) => FINE,
        // A reader that closes the pipe has read enough.
        Err(Error::Bad(BadMatch::Write(error))) if error.kind() == ErrorKind::BrokenPipe => FINE,
        Err(_) if stopped => {
            let _ = writeln!(io::stderr(), "zappy_arena: interrupted; nothing was left");
            INTERRUPTED
        }
        Err(error) => complain(&path, error, FAILED),
    }
}

fn expand_one(
    path: &Path,
    args: &ExpandArgs,
    games: &'static [GameSpec],
    stopped: &mut bool,
) -> Result<(), Error> {
    let given = files::read(path)?;
    if read_head(&given).is_ok_and(|head| head.header.level == args.level) {
        return Err(Error::Words(format!("this record holds {} already", args.level.name())));
    }
    let to_stdout = args.out.as_deref() == Some(Path::new(STDOUT));
    if to_stdout {
        let verified = record::expand(&given, games, args.level, io::stdout().lock())?;
        warn_if_cut_off(path, &verified);
        return Ok(());
    }
    let target = args.out.clone().unwrap_or_else(|| new_name(path, args.level));
    let misplaced = |error| Error::Misplaced("--out", target.clone(), error);
    // Only files are ever replaced, and only if asked for: neither devices nor links.
    match fs::symlink_metadata(&target) {
        Ok(known) if !known.is_file() => {
            let words = "only a file can be replaced; name a new one, or - for standard output";
            return Err(misplaced(io::Error::other(words)));
        }
        Ok(_) if !args.force => return Err(Error::Exists(target)),
        _ => {}
    }
    let signals = Signals::install().map_err(|error| Error::System(io::Error::other(error)))?;
    let (verified, bytes) = files::write_whole(&target, ".expanding-", args.force, misplaced, |file| {
        Ok(record::expand(&given, games, args.level, Interruptible { out: file, signals, stopped })?)
    })?;
    warn_if_cut_off(path, &verified);
    let (target, ticks) = (target.display(), thousands(verified.ticks));
    let (from, to) = (thousands(given.len() as u64), thousands(bytes));
    let _ = writeln!(io::stdout(), "{target}: {ticks} ticks, {to} bytes made of {from}");
    Ok(())
}

fn warn_if_cut_off(path: &Path, verified: &Verified) {
    if !verified.complete {
        let (path, ticks) = (path.display(), thousands(verified.ticks));
        let _ = writeln!(io::stderr(), "{path}: cut off after tick {ticks}; so is what was made of it");
    }
}

/// `match.zrec` becomes `match.full.zrec`.
fn new_name(path: &Path, level: RecordLevel) -> PathBuf {
    let is_record = path.extension().is_some_and(|ending| ending == ENDING);
    let name = if is_record { path.file_stem() } else { path.file_name() };
    let mut name: OsString = name.unwrap_or_default().to_owned();
    name.push(format!(".{}.{ENDING}", level.name()));
    path.with_file_name(name)
}

/// A writer that fails once a signal asks to stop, so that the unfinished file is removed.
struct Interruptible<'a, W> {
    out: W,
    signals: Signals,
    stopped: &'a mut bool,
}

impl<W: Write> Write for Interruptible<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.signals.stops() > 0 {
            *self.stopped = true;
            return Err(io::Error::other("interrupted"));
        }
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_new_name_says_what_it_holds() {
        assert_eq!(new_name(Path::new("a/match.zrec"), RecordLevel::Full), Path::new("a/match.full.zrec"));
        assert_eq!(
            new_name(Path::new("match.full.zrec"), RecordLevel::Inputs),
            Path::new("match.full.inputs.zrec")
        );
        assert_eq!(new_name(Path::new("record.txt"), RecordLevel::Full), Path::new("record.txt.full.zrec"));
    }
}
