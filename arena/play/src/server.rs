//! The server of a match: where its binary is, how it is started, where it listens, which result it left.
//!
//! Knows of the server only what its command line and its files promise. Tested in this module and in
//! `arena/cli/tests/refusals.rs`.

use std::env::consts::EXE_SUFFIX;
use std::ffi::OsString;
use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use zappy_game::{GameSpec, MatchSpec};
use zappy_protocol::Tick;
use zappy_protocol::record::last_tick;
use zappy_server::cli::read_scenario;
use zappy_server::files;
use zappy_server::result::MatchResult;

use crate::Error;
use crate::folder::Folder;
use crate::programs::command::is_program;
use crate::setup::{Entry, Setup};
use crate::text::json_words;

/// The largest result that is read, in bytes.
const RESULT_LIMIT: u64 = 64 << 20;
/// Bytes at a record's end in which its last tick is looked for.
const TAIL: u64 = 16 << 10;
/// How many characters of the server's last line an error repeats.
const QUOTE_LIMIT: usize = 300;

/// The server's binary: the one that was named, or the one beside the arena's own.
pub fn find(named: Option<&Path>, own: &Path) -> Result<PathBuf, Error> {
    let path =
        named.map_or_else(|| own.with_file_name(format!("zappy_server{EXE_SUFFIX}")), Path::to_path_buf);
    if !is_program(&path) {
        return Err(Error::NoServer(path));
    }
    Ok(std::path::absolute(&path).unwrap_or(path))
}

/// The flags that make the server play this match. `door`: whether the arena answers at the server's door.
pub fn arguments(setup: &Setup, folder: &Folder, door: bool) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = ["--bind", "127.0.0.1"].map(Into::into).into();
    if setup.resume.is_some() {
        arguments.extend(["-p".into(), setup.port.to_string().into()]);
        arguments.extend(setup.clock.flags());
        arguments.extend(["--resume".into(), folder.record().into()]);
    } else {
        arguments.push("-n".into());
        arguments.extend(setup.entries.iter().map(|entry| entry.team.as_str().into()));
        let MatchSpec { game, config, options } = &setup.world.spec;
        let numbers: [(&str, u64); 5] = [
            ("-p", setup.port.into()),
            ("-x", config.map.width().into()),
            ("-y", config.map.height().into()),
            ("-f", setup.freq.into()),
            ("--max-ticks", setup.max_ticks),
        ];
        for (flag, value) in numbers {
            arguments.extend([flag.into(), value.to_string().into()]);
        }
        // The server reads the seed from its stdin, since every program may read a command line.
        arguments.extend(["--seed", "-"].map(Into::into));
        arguments.extend(["--game".into(), game.name.into()]);
        for (key, value) in options.iter() {
            arguments.extend(["--option".into(), format!("{key}={value}").into()]);
        }
        arguments.extend(setup.clock.arguments());
        // In lockstep the server waits for one player for each slot, unless the operator gave a number or attaches players.
        if setup.clock.waits_for_all() && setup.has_attached() {
            let players = |entry: &Entry| entry.attached.map_or(setup.world.slots, |number| number as usize);
            let players: usize = setup.entries.iter().map(players).sum();
            arguments.extend(["--wait-players".into(), players.to_string().into()]);
        }
        arguments.extend(["--record".into(), folder.record().into()]);
        arguments.extend(setup.scenario.iter().flat_map(|path| ["--scenario".into(), path.into()]));
    }
    arguments.extend(["--record-level".into(), setup.record_level.name().into()]);
    if let Some(ticks) = setup.record_delay {
        arguments.extend(["--record-delay".into(), ticks.to_string().into()]);
    }
    arguments.extend(["--result".into(), folder.server_result().into()]);
    arguments.extend(door.then(|| "--door".into()));
    arguments.extend((setup.ticks_wait() && (door || setup.debugging.is_by_step())).then(|| "--step".into()));
    // No observer may change the speed.
    arguments.extend(["--observers".into(), "read-only".into()]);
    arguments.push(if door { "--no-console" } else { "--end-with-stdin" }.into());
    arguments
}

/// The address at which the server listens: the first one with a port in the whole lines of its output.
pub fn address(output: &[u8]) -> Option<SocketAddr> {
    let end = output.iter().rposition(|&b| b == b'\n')?;
    let text = String::from_utf8_lossy(&output[..end]);
    text.split_whitespace().find_map(|word| {
        let word = word.trim_matches(|c: char| !c.is_ascii_alphanumeric() && c != '[');
        word.parse::<SocketAddr>().ok().filter(|address| address.port() != 0)
    })
}

/// The last tick in the record that the server writes; `None` if it has none yet or can't be read.
pub fn reached(mut record: File) -> Option<Tick> {
    let end = record.seek(SeekFrom::End(0)).ok()?;
    record.seek(SeekFrom::Start(end.saturating_sub(TAIL))).ok()?;
    let mut tail = Vec::new();
    record.take(TAIL).read_to_end(&mut tail).ok()?;
    last_tick(&tail)
}

/// Refuses a scenario with lines that stop time or end the match: there is no console on which an operator could go on.
///
/// # Errors
/// The first such line, or why the file can't be read.
pub fn check_scenario(path: &Path, game: &GameSpec) -> Result<(), Error> {
    let lines = read_scenario(path, game).map_err(|error| Error::Flag(error.to_string()))?;
    let name = |line: &[u8]| String::from_utf8_lossy(line).split_whitespace().next().map(str::to_owned);
    let names = lines.iter().map(|line| name(line).unwrap_or_default());
    let stops = names.enumerate().find(|(_, name)| ["/pause", "/quit"].contains(&name.as_str()));
    stops.map_or(Ok(()), |(i, name)| {
        Err(Error::Flag(format!(
            "--scenario {}: line {}: {name} is for a server with a console, which a match has not; take the line out",
            path.display(),
            i + 1
        )))
    })
}

/// The result that the server left.
///
/// # Errors
/// In words, when there is no result or it can't be read.
pub fn read_result(path: &Path) -> Result<MatchResult, String> {
    let text = files::read(path, RESULT_LIMIT).map_err(|error| match error.kind() {
        ErrorKind::NotFound => "it left no result".to_owned(),
        _ => format!("its result: {error}"),
    })?;
    serde_json::from_slice(&text).map_err(|error| match error.is_data() {
        true => format!("its result is no match's: {}", json_words(&error)),
        false => format!("its result is not JSON: {}", json_words(&error)),
    })
}

/// The last line in the server's standard error, cut, and without control characters; `None` if all lines are empty.
pub fn last_words(stderr: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(stderr);
    let line = text.lines().rev().map(str::trim).find(|line| !line.is_empty())?;
    Some(line.chars().filter(|c| !c.is_control()).take(QUOTE_LIMIT).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_is_read_from_a_whole_line() {
        let address = |text: &str| address(text.as_bytes()).map(|address| address.port());
        assert_eq!(address("listening on 127.0.0.1:4242\n"), Some(4242));
        assert_eq!(address("127.0.0.1:42"), None, "the rest of the number may be on its way");
        assert_eq!(address("zappy 0.1.0, seed 12:30.\nready at (127.0.0.1:7)\n"), Some(7));
        assert_eq!(address("asked for 127.0.0.1:0, got [::1]:99,\n"), Some(99));
    }

    #[test]
    fn the_binary_lies_beside_our_own() {
        let error = find(None, Path::new("/nowhere/zappy_arena")).unwrap_err().to_string();
        assert!(error.starts_with("there is no server at /nowhere/zappy_server; build it"), "{error}");
    }
}
