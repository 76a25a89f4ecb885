//! Finds how a bot is built and started: by the files that its author handed in, or by the grader's flags for a whole class.
//!
//! The same folder is good for a class and for a league. Reads a few short files and runs nothing; a link is never followed.
//! Errors name the remedy, in words for the author. Tested in this module, and for each kind of folder in
//! `arena/cli/tests/class/kinds.rs` and `arena/cli/tests/league/kinds.rs`.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Component, Path};

use serde::{Deserialize, Serialize};
use toml::Spanned;
use zappy_play::os::{is_executable, open_plain};
use zappy_play::programs::command::split;
use zappy_play::setup::MAX_PROCESSES;
use zappy_play::text::{toml_line, toml_words};
use zappy_play::world::World;

/// The longest file that says how a bot is started, in bytes.
const LONGEST_FILE: u64 = 64 << 10;
/// The file with the command, the build and the number of processes.
pub const BOT: &str = "bot.toml";
/// The file with the command alone.
pub const COMMAND: &str = "COMMAND";
/// [`COMMAND`] as editors of Windows save it, which hide the end of the name.
const COMMAND_TXT: &str = "COMMAND.txt";
/// The files that say how a bot is started and nothing of what it does.
pub const STARTED_BY: [&str; 3] = [BOT, COMMAND, COMMAND_TXT];
/// The script that starts the bot.
const SCRIPT: &str = "run.sh";
/// The shells that can run a script with the line ends of Windows.
const SHELLS: [&str; 3] = ["sh", "bash", "dash"];
/// How many bytes of a script's first line the kernel reads.
const FIRST_LINE_BYTES: u64 = 256;
const MAKEFILES: [&str; 3] = ["GNUmakefile", "makefile", "Makefile"];
const MAKE: &str = "make";
/// The names of the starters' programs; the name of the game may stand in them in the place of `bot`.
const STARTERS: [&str; 5] = ["bot.py", "bot.js", "Bot.class", "Bot.java", PROGRAM];
/// The starters' program that no interpreter runs, and the client of a game if the arena knows no other name for it.
const PROGRAM: &str = "bot";
/// The flags that are added to these commands.
const FLAGS: &str = "-p {port} -n {team} -h {host}";

/// How a bot is built and started.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found {
    /// Its command; none: it is found after the build ([`command_after_build`]).
    pub command: Option<String>,
    /// The command that builds it, without a shell.
    pub build: Option<String>,
    /// How often the command is started; none: once for each slot.
    pub processes: Option<u32>,
    /// The file or flag that names the command.
    pub source: String,
    /// Links that are left out of the copy, since they lead out of the folder.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
}

/// The grader's flags for all submissions.
#[derive(Debug, Clone, Copy, Default)]
pub struct ForAll<'a> {
    /// The command; none: each folder says its own.
    pub command: Option<&'a str>,
    pub build: Option<&'a str>,
    /// How often each command is started.
    pub processes: Option<u32>,
}

/// The names of a game and of its client; files called like either start a bot.
#[derive(Debug, Clone, Copy)]
pub struct Names<'a> {
    pub game: &'a str,
    /// The program of its client.
    pub program: &'a str,
}

impl Names<'static> {
    /// The names for the game that is played in that world.
    pub fn of(world: &World) -> Names<'static> {
        Names { game: world.spec.game.name, program: world.guest.map_or(PROGRAM, |guest| guest.program) }
    }
}

/// Whether the folder has a file of that name; a link doesn't count, since it may lead to a file that isn't the
/// author's.
fn has_file(folder: &Path, name: &str) -> bool {
    fs::symlink_metadata(folder.join(name)).is_ok_and(|meta| meta.is_file())
}

/// How the bot in that folder is built and started.
///
/// # Errors
/// No file says how, or a file that does is wrong; in words, with the remedy.
pub fn find(folder: &Path, names: Names<'_>, all: ForAll<'_>) -> Result<Found, String> {
    if let Some(command) = all.command {
        let (command, build) = (Some(command.to_owned()), all.build.map(str::to_owned));
        let (processes, source) = (all.processes, "--command".to_owned());
        return Ok(Found { command, build, processes, source, ..Found::default() });
    }
    let found = find_in_files(folder, names, all)?;
    // A command may name programs of the system and files of the bot alone: the sandbox would let the bot see any other
    // file that it names.
    let leads_out =
        |part: &&Path| part.is_absolute() || part.components().any(|part| part == Component::ParentDir);
    for (which, command) in [("its command", &found.command), ("its build", &found.build)] {
        let Some(command) = command else { continue };
        let words = split(which, command).map_err(|error| error.to_string())?;
        let mut parts = words.iter().flat_map(|word| word.split(['=', ':', ','])).map(Path::new);
        if let Some(part) = parts.find(leads_out) {
            return Err(format!(
                "{which} names {:?}; name programs of the system without a path, and files by their path from the bot's folder",
                part.display().to_string()
            ));
        }
    }
    Ok(found)
}

/// How the bot is built and started by the files in its folder.
fn find_in_files(folder: &Path, names: Names<'_>, all: ForAll<'_>) -> Result<Found, String> {
    if has_file(folder, BOT) {
        return parse_bot_toml(&read(folder, BOT)?, all);
    }
    let makefile = MAKEFILES.into_iter().find(|name| has_file(folder, name));
    let found = |command: Option<String>, source: &str| {
        let source = makefile.map_or(source.to_owned(), |makefile| {
            if source == makefile { source.to_owned() } else { format!("{source}, built by {makefile}") }
        });
        let build = makefile.map(|_| MAKE.to_owned());
        Ok(Found { command, build, processes: all.processes, source, ..Found::default() })
    };
    if let Some(file) = [COMMAND, COMMAND_TXT].into_iter().find(|name| has_file(folder, name)) {
        let text = read(folder, file)?;
        let line = text.lines().map(str::trim).find(|line| !line.is_empty()).ok_or_else(|| {
            format!("its {file} is empty; write the command that starts the bot into its first line")
        })?;
        return found(Some(line.to_owned()), file);
    }
    if has_file(folder, SCRIPT) {
        return found(Some(script_command(folder)?), SCRIPT);
    }
    if let Some(makefile) = makefile {
        return found(None, makefile);
    }
    match find_candidate(folder, names)? {
        Some((file, command)) => found(Some(command), &file),
        None => Err(too_deep_words(folder, names).unwrap_or_else(|| no_command_words(folder))),
    }
}

/// The complaint that no file says how the bot is started, with a line that would: for the only script there, if there
/// is one.
fn no_command_words(folder: &Path) -> String {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let names: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    if names.iter().all(|name| name.starts_with('.')) {
        return "the folder is empty; hand in all files of the bot".to_owned();
    }
    let script_command = |name: &String| {
        let (_, end) = name.rsplit_once('.')?;
        let (_, program) =
            [("py", "python3"), ("js", "node")].into_iter().find(|(known, _)| *known == end)?;
        Some(format!("{program} {name}")).filter(|_| !name.contains(char::is_whitespace))
    };
    let mut scripts = names.iter().filter_map(script_command);
    let only = scripts.next().filter(|_| scripts.next().is_none());
    let command = only.unwrap_or_else(|| "python3 my_bot.py".to_owned());
    format!(
        "nothing says how it is started; hand in a file {COMMAND} with the line {command} {FLAGS}, or with the command that starts \
         your bot"
    )
}

/// The complaint that the bot lies one folder too deep, if exactly one folder in this one has a file that says how a
/// bot is started.
fn too_deep_words(folder: &Path, names: Names<'_>) -> Option<String> {
    let sources = [BOT, COMMAND, SCRIPT].into_iter().chain(MAKEFILES).map(str::to_owned);
    let sources: Vec<String> = sources.chain(candidates(names)).collect();
    let entries = fs::read_dir(folder).ok()?.flatten();
    let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    let mut deeper = folders.filter_map(|entry| {
        let name = entry.file_name().into_string().ok().filter(|name| !name.starts_with('.'))?;
        Some((name, sources.iter().find(|file| has_file(&entry.path(), file))?))
    });
    let (name, source) = deeper.next().filter(|_| deeper.next().is_none())?;
    Some(format!(
        "it is one folder too deep: nothing says here how it is started, but its folder {name:?} has a {source}; hand in what \
         lies in {name:?}"
    ))
}

/// The command for [`SCRIPT`], also if it isn't executable or has the line ends of Windows.
fn script_command(folder: &Path) -> Result<String, String> {
    let can_run = fs::symlink_metadata(folder.join(SCRIPT)).is_ok_and(|meta| is_executable(&meta));
    let failed = |error: io::Error| format!("its {SCRIPT}: {error}");
    let mut head = Vec::new();
    open(folder, SCRIPT)
        .and_then(|file| file.take(FIRST_LINE_BYTES).read_to_end(&mut head))
        .map_err(failed)?;
    let first = head.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let names_program = first.starts_with(b"#!");
    if !first.ends_with(b"\r") {
        return Ok(match String::from_utf8_lossy(first).strip_prefix("#!").map(str::trim) {
            None | Some("") => format!("sh {SCRIPT}"),
            Some(_) if can_run => format!("./{SCRIPT}"),
            // The system would run the program that the line names; a command names it without a path.
            Some(line) => {
                let (program, arguments) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
                let words = [program.rsplit('/').next().unwrap_or(program), arguments.trim(), SCRIPT];
                words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
            }
        });
    }
    let first = String::from_utf8_lossy(first);
    let shell = first.trim_end().rsplit(['/', ' ']).next().filter(|_| names_program).unwrap_or("sh");
    if !SHELLS.contains(&shell) {
        return Err(format!(
            "its {SCRIPT} has the line ends of Windows (\\r\\n), with which its first line names no program; save it with \
             those of Unix: sed -i 's/\\r$//' {SCRIPT}"
        ));
    }
    // A shell takes the `\r` at the end of a line for a part of the line's last word, so it is removed before.
    Ok(format!("{shell} -c 'eval \"$(tr -d \"\\r\" <{SCRIPT})\"' {SCRIPT}"))
}

/// The names of files that start a bot if no other file says how, in the order in which they are looked for.
fn candidates(names: Names<'_>) -> Vec<String> {
    let (first, rest) = names.game.split_at_checked(1).unwrap_or_default();
    let class = first.to_uppercase() + rest;
    let of_game = STARTERS.map(|file| file.replace(PROGRAM, names.game).replace("Bot", &class));
    // If no client of the game is known, its name is that of the starters' program, which comes last.
    let program = Some(names.program.to_owned()).filter(|program| program != PROGRAM);
    program.into_iter().chain(of_game).chain(STARTERS.map(str::to_owned)).collect()
}

/// The first of the [`candidates`] that is in the folder, and the command for it.
fn find_candidate(folder: &Path, names: Names<'_>) -> Result<Option<(String, String)>, String> {
    let Some(file) = candidates(names).into_iter().find(|file| has_file(folder, file)) else {
        return Ok(None);
    };
    let command = match file.rsplit_once('.') {
        Some((_, "py")) => format!("python3 {file} {FLAGS}"),
        Some((_, "js")) => format!("node {file} {FLAGS}"),
        Some((class, "class")) => format!("java -cp . {class} {FLAGS}"),
        Some((_, "java")) => format!("java {file} {FLAGS}"),
        _ if fs::symlink_metadata(folder.join(&file)).is_ok_and(|meta| is_executable(&meta)) => {
            format!("./{file}")
        }
        _ => {
            let words = "is no program that can be run; try chmod +x, or name the command in a";
            return Err(format!("its {file} {words} {BOT}"));
        }
    };
    Ok(Some((file, command)))
}

/// The text of a file in that folder. Errors are in words.
fn read(folder: &Path, name: &str) -> Result<String, String> {
    let mut bytes = Vec::new();
    let read = open(folder, name).and_then(|file| file.take(LONGEST_FILE + 1).read_to_end(&mut bytes));
    read.map_err(|error| format!("its {name}: {error}"))?;
    if bytes.len() as u64 > LONGEST_FILE {
        return Err(format!("its {name}: it is longer than {} KiB", LONGEST_FILE >> 10));
    }
    let text = String::from_utf8(bytes)
        .map_err(|_| format!("its {name} is no text in UTF-8; write it anew with a text editor"))?;
    // Editors of Windows put a byte order mark ahead.
    Ok(text.strip_prefix('\u{feff}').map_or(text.clone(), str::to_owned))
}

/// Opens a file in that folder; if a link has taken its place meanwhile, that is an error.
fn open(folder: &Path, name: &str) -> io::Result<File> {
    open_plain(&folder.join(name))?.ok_or_else(|| io::ErrorKind::NotFound.into())
}

/// Parses `bot.toml`.
///
/// # Errors
/// Everything that is wrong with it, each with its line, and the remedy.
pub fn parse_bot_toml(text: &str, all: ForAll<'_>) -> Result<Found, String> {
    let example = format!("command = \"python3 my_bot.py {FLAGS}\"");
    let refused = |what: &str| format!("its {BOT}, {what}; a good one has the line {example}");
    let keys: BTreeMap<Spanned<String>, Spanned<toml::Value>> =
        toml::from_str(text).map_err(|error| refused(&toml_words(&error, text)))?;
    let (mut command, mut build, mut processes) = (None, None, all.processes);
    let (mut wrong, most) = (Vec::new(), MAX_PROCESSES as i64);
    for (key, value) in &keys {
        use toml::Value::{Integer, String as Text};
        match (key.get_ref().as_str(), value.get_ref()) {
            ("command", Text(words)) if !words.trim().is_empty() => command = Some(words.clone()),
            ("build", Text(words)) => build = Some(words.clone()),
            ("processes", Integer(n)) if (1..=most).contains(n) => processes = u32::try_from(*n).ok(),
            (other, value) => {
                let what = match other {
                    "command" if value.is_str() => "names an empty command".to_owned(),
                    "command" | "build" => format!("{other} takes text between quotation marks"),
                    "processes" => format!("processes takes a number from 1 to {most}"),
                    _ => format!("there is no key {other:?}; there are command, build and processes"),
                };
                wrong.push((toml_line(key.span().start, text), what));
            }
        }
    }
    wrong.sort();
    let mut wrong: Vec<String> =
        wrong.into_iter().map(|(line, what)| format!("line {line}: {what}")).collect();
    if !keys.keys().any(|key| key.get_ref() == "command") {
        wrong.push("it lacks the line that begins with command =".to_owned());
    }
    match command.filter(|_| wrong.is_empty()) {
        command @ Some(_) => {
            Ok(Found { command, build, processes, source: BOT.to_owned(), ..Found::default() })
        }
        None => Err(refused(&wrong.join("; "))),
    }
}

/// Finds the command of a bot after its Makefile has run, if its folder named none before.
///
/// # Errors
/// There is no file by which it could be started; in words, with the remedy.
pub fn command_after_build(folder: &Path, names: Names<'_>) -> Result<String, String> {
    let found = find_candidate(folder, names)?.map(|(_, command)| command);
    found.ok_or_else(|| {
        let all = candidates(names).join(", no ");
        format!("{MAKE} left no {all}; let the Makefile make one of them, or name the command in a {BOT}")
    })
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    const NAMES: Names<'_> = Names { game: "tiny", program: "zappy_ai" };

    /// What is found in a folder with these files.
    fn found(files: &[(&str, &str)], all: ForAll<'_>) -> Result<Found, String> {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            fs::write(folder.path().join(name), text).unwrap();
        }
        find(folder.path(), NAMES, all)
    }

    /// The command, the build and the source that are found in a folder with these files.
    fn parts(files: &[(&str, &str)]) -> (Option<String>, Option<String>, String) {
        let Found { command, build, source, .. } = found(files, ForAll::default()).unwrap();
        (command, build, source)
    }

    #[test]
    fn the_most_explicit_file_says_how_a_bot_is_started() {
        let toml = "command = \"./a\"\nbuild = \"cc a.c -o a\"\nprocesses = 1\n";
        let expected = |command: Option<&str>, build: Option<&str>, source: &str| {
            (command.map(str::to_owned), build.map(str::to_owned), source.to_owned())
        };
        let (run, make) = (("run.sh", "exit"), ("Makefile", "all:\n"));
        let command = ("COMMAND", "\r\n  python3 a.py\r\nmore\n");
        assert_eq!(
            parts(&[("bot.toml", toml), command, run, make]),
            expected(Some("./a"), Some("cc a.c -o a"), "bot.toml")
        );
        assert_eq!(parts(&[command, run]), expected(Some("python3 a.py"), None, "COMMAND"));
        assert_eq!(parts(&[("COMMAND.txt", "./a"), run]), expected(Some("./a"), None, "COMMAND.txt"));
        assert_eq!(
            parts(&[command, make]),
            expected(Some("python3 a.py"), Some("make"), "COMMAND, built by Makefile")
        );
        assert_eq!(parts(&[run]), expected(Some("sh run.sh"), None, "run.sh"));
        // A script that isn't executable, as from an archive that keeps no rights.
        for (first, command) in [
            ("#!/bin/bash", "bash run.sh"),
            ("#! /usr/bin/env python3", "env python3 run.sh"),
            ("#!/usr/bin/env -S node --no-opt", "env -S node --no-opt run.sh"),
            ("#!", "sh run.sh"),
        ] {
            assert_eq!(
                parts(&[("run.sh", &format!("{first}\nexit\n"))]),
                expected(Some(command), None, "run.sh")
            );
        }
        assert_eq!(parts(&[make]), expected(None, Some("make"), "Makefile"));
        let python = "python3 bot.py -p {port} -n {team} -h {host}";
        assert_eq!(parts(&[("bot.py", "")]), expected(Some(python), None, "bot.py"));
        assert_eq!(parts(&[("bot.py", ""), make]), expected(None, Some("make"), "Makefile"));
        for (file, runs) in [("tiny.py", "python3"), ("tiny.js", "node"), ("Tiny.java", "java")] {
            let of_game = python.replace("python3 bot.py", &format!("{runs} {file}"));
            assert_eq!(parts(&[("bot.py", ""), (file, "")]), expected(Some(&of_game), None, file));
        }
        assert_eq!(
            parts(&[("Bot.java", ""), ("Bot.class", "")]),
            expected(Some("java -cp . Bot -p {port} -n {team} -h {host}"), None, "Bot.class")
        );
        let all = ForAll { command: Some("python3 main.py"), build: None, processes: Some(2) };
        let all = found(&[("bot.toml", "nonsense"), make], all).unwrap();
        assert_eq!(
            (all.command.as_deref(), all.build, all.processes),
            (Some("python3 main.py"), None, Some(2))
        );
    }

    #[test]
    fn what_is_missing_or_wrong_is_said_with_the_remedy() {
        let long = "x".repeat(usize::try_from(LONGEST_FILE).unwrap() + 1);
        for (files, words) in [
            (vec![], "the folder is empty; hand in all files of the bot"),
            (
                vec![("notes", "")],
                "nothing says how it is started; hand in a file COMMAND with the line python3 my_bot.py -p {port} -n",
            ),
            (
                vec![("notes", ""), ("main.js", "")],
                "with the line node main.js -p {port} -n {team} -h {host}, or",
            ),
            (vec![("bot", "")], "its bot is no program that can be run; try chmod +x"),
            (
                vec![("bot.toml", "command = 1")],
                "its bot.toml, line 1: command takes text between quotation marks; a good one",
            ),
            (vec![("bot.toml", "command = python3 bot.py")], "its bot.toml, line 1: "),
            (
                vec![("bot.toml", "command = python3 bot.py")],
                "a good one has the line command = \"python3 my_bot.py -p {port} -n {team} -h {host}\"",
            ),
            (vec![("bot.toml", "\nbuild = \"make\"")], "it lacks the line that begins with command ="),
            (
                vec![("bot.toml", "comand = \"x\"")],
                "line 1: there is no key \"comand\"; there are command, build and processes; it lacks the line",
            ),
            (
                vec![("bot.toml", "\nproceses = 1\ncommand = 2\nbiuld = \"\"")],
                "line 2: there is no key \"proceses\"",
            ),
            (
                vec![("bot.toml", "\nproceses = 1\ncommand = 2\nbiuld = \"\"")],
                "; line 3: command takes text between quotation marks; line 4: there is no key \"biuld\"",
            ),
            (vec![("bot.toml", "command = \" \"")], "names an empty command"),
            (
                vec![("bot.toml", "command = \"true\"\nlimits = { memory_mib = 9 }")],
                "line 2: there is no key \"limits\"",
            ),
            (
                vec![("bot.toml", "command = \"true\"\nprocesses = 501")],
                "line 2: processes takes a number from 1 to 500",
            ),
            (vec![("bot.toml", "command = \"true\"\nbuild = \"sh ../b.sh\"")], "its build names \"../b.sh\""),
            (vec![("COMMAND", "cat --file=/etc/passwd")], "its command names \"/etc/passwd\"; name programs"),
            (vec![("COMMAND", "../good/bot")], "its command names \"../good/bot\""),
            (vec![("COMMAND", "sh 'x")], "a quote in"),
            (vec![("COMMAND", "\n \n")], "its COMMAND is empty"),
            (vec![("COMMAND.txt", "")], "its COMMAND.txt is empty"),
            (
                vec![("COMMAND", "python3 bot.py –p {port}")],
                "its command: –p has the quotes or dashes of a word processor; write -p, in a plain text editor",
            ),
            (
                vec![("COMMAND", "“my bot” {port}")],
                "its command: “my has the quotes or dashes of a word processor; write \"my,",
            ),
            (
                vec![("COMMAND", r"python3 src\bot.py")],
                r"its command: src\bot.py has the \ of paths in Windows; write src/bot.py",
            ),
            (vec![("COMMAND", r".\bot.exe")], "write ./bot.exe"),
            (
                vec![("COMMAND", "python3 bot.py 2>/dev/null")],
                "its command: 2>/dev/null is for a shell, and no shell reads the command; leave it out",
            ),
            (vec![("COMMAND", "cd src && python3 bot.py")], "its command: && is for a shell"),
            (vec![("COMMAND", &long)], "it is longer than"),
        ] {
            let why = found(&files, ForAll::default()).unwrap_err();
            assert!(why.contains(words), "{words}: {why}");
        }
        let folder = tempfile::tempdir().unwrap();
        symlink("/etc/passwd", folder.path().join("COMMAND")).unwrap();
        assert!(find(folder.path(), NAMES, ForAll::default()).is_err(), "a link was read");
    }

    #[test]
    fn what_make_left_is_the_command() {
        let folder = tempfile::tempdir().unwrap();
        let built = || command_after_build(folder.path(), NAMES);
        assert!(built().unwrap_err().contains("make left no zappy_ai, no tiny.py, no tiny.js, "));
        fs::write(folder.path().join("Bot.class"), "").unwrap();
        assert_eq!(built().unwrap(), "java -cp . Bot -p {port} -n {team} -h {host}");
        fs::write(folder.path().join("zappy_ai"), "").unwrap();
        assert!(built().unwrap_err().contains("no program that can be run"));
        fs::set_permissions(folder.path().join("zappy_ai"), fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(built().unwrap(), "./zappy_ai");
    }
}
