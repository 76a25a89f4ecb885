//! How a submission is built and started: what its own files say, or the grader for the whole class.
//!
//! Reads a few short files and runs nothing; a link is never followed. What lacks is said with the remedy, in words that can
//! be handed to the student. Tested in this module.

use std::fs;
use std::path::Path;

use serde::Deserialize;
use zappy_server::files;

use crate::os::is_executable;
use crate::text::toml_words;

/// The longest file that says how a bot is started, in bytes.
const LONGEST: u64 = 64 << 10;
/// What a student writes it into.
const BOT: &str = "bot.toml";
const COMMAND: &str = "COMMAND";
const SCRIPT: &str = "run.sh";
const MAKEFILES: [&str; 3] = ["GNUmakefile", "makefile", "Makefile"];
const MAKE: &str = "make";

/// How a submission is built and started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Its command; none: the program that the subject names, once it is built.
    pub command: Option<String>,
    /// How it is built, without a shell.
    pub build: Option<String>,
    /// How often the command is started; none: once for each slot.
    pub processes: Option<u32>,
    /// What said so.
    pub source: String,
}

/// What the grader says for all.
#[derive(Debug, Clone, Copy, Default)]
pub struct ForAll<'a> {
    /// The command; none: each submission says its own.
    pub command: Option<&'a str>,
    /// How each is built.
    pub build: Option<&'a str>,
    /// How often each command is started.
    pub processes: Option<u32>,
}

/// `bot.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    command: String,
    build: Option<String>,
    processes: Option<u32>,
}

/// How the submission in that folder is built and started; `program` is what the subject calls a client.
///
/// # Errors
/// Nothing says so, or what does can't be read for what it is; in words, with the remedy.
pub fn find(folder: &Path, program: &str, all: ForAll<'_>) -> Result<Found, String> {
    if let Some(command) = all.command {
        let build = all.build.map(str::to_owned);
        let command = Some(command.to_owned());
        return Ok(Found { command, build, processes: all.processes, source: "--command".to_owned() });
    }
    // A link may lead to what isn't the student's.
    let is_there = |name: &str| fs::symlink_metadata(folder.join(name)).is_ok_and(|meta| meta.is_file());
    if is_there(BOT) {
        return written(&read(folder, BOT)?, all);
    }
    let makefile = MAKEFILES.into_iter().find(|name| is_there(name));
    let build = makefile.map(|_| MAKE.to_owned());
    let found = |command: Option<String>, source: &str| {
        let source = makefile.map_or(source.to_owned(), |makefile| {
            if source == makefile { source.to_owned() } else { format!("{source}, built by {makefile}") }
        });
        Ok(Found { command, build: build.clone(), processes: all.processes, source })
    };
    if is_there(COMMAND) {
        let text = read(folder, COMMAND)?;
        let line = text.lines().map(str::trim).find(|line| !line.is_empty());
        let line =
            line.ok_or("its COMMAND is empty; write the command that starts the bot into its first line")?;
        return found(Some(line.to_owned()), COMMAND);
    }
    if is_there(SCRIPT) {
        let script = folder.join(SCRIPT);
        let runs = fs::symlink_metadata(&script).is_ok_and(|meta| is_executable(&meta));
        let begins = files::open(&script).is_ok_and(|mut file| {
            let mut head = [0; 2];
            std::io::Read::read_exact(&mut file, &mut head).is_ok() && &head == b"#!"
        });
        let command = if runs && begins { format!("./{SCRIPT}") } else { format!("sh {SCRIPT}") };
        return found(Some(command), SCRIPT);
    }
    if makefile.is_some() || is_there(program) {
        return found(None, makefile.unwrap_or(program));
    }
    Err(format!(
        "there is no {BOT}, no {COMMAND}, no {SCRIPT} and no Makefile in it; hand in a {BOT} with the line command = \"python3 \
         bot.py -p {{port}} -n {{team}} -h {{host}}\", or with the command that starts your bot"
    ))
}

fn read(folder: &Path, name: &str) -> Result<String, String> {
    let bytes = files::read(&folder.join(name), LONGEST).map_err(|error| format!("its {name}: {error}"))?;
    let text = String::from_utf8(bytes);
    text.map_err(|_| format!("its {name} is no text in UTF-8; write it anew with a text editor"))
}

fn written(text: &str, all: ForAll<'_>) -> Result<Found, String> {
    let Written { command, build, processes } = toml::from_str(text).map_err(|error| {
        format!("its {BOT}, {}; it takes command, build and processes", toml_words(&error, text))
    })?;
    if command.trim().is_empty() {
        return Err(format!("its {BOT} names an empty command; write the one that starts the bot"));
    }
    let processes = processes.or(all.processes);
    Ok(Found { command: Some(command), build, processes, source: BOT.to_owned() })
}

/// The command of a submission that names none, now that it is built.
///
/// # Errors
/// The program that the subject names isn't there; in words, with the remedy.
pub fn built(folder: &Path, program: &str) -> Result<String, String> {
    let meta = fs::symlink_metadata(folder.join(program));
    match meta {
        Ok(meta) if meta.is_file() && is_executable(&meta) => Ok(format!("./{program}")),
        Ok(_) => Err(format!(
            "its {program} is no program that can be run; try chmod +x, or name the command in a {BOT}"
        )),
        Err(_) => Err(format!(
            "there is a Makefile in it, but {MAKE} left no {program}; let it make one, or name the command in a {BOT}"
        )),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    /// What is found in a folder with these files.
    fn found(files: &[(&str, &str)], all: ForAll<'_>) -> Result<Found, String> {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            fs::write(folder.path().join(name), text).unwrap();
        }
        find(folder.path(), "zappy_ai", all)
    }

    fn short(files: &[(&str, &str)]) -> (Option<String>, Option<String>, String) {
        let Found { command, build, source, .. } = found(files, ForAll::default()).unwrap();
        (command, build, source)
    }

    #[test]
    fn the_most_explicit_file_says_how_a_bot_is_started() {
        let toml = "command = \"./a\"\nbuild = \"cc a.c -o a\"\nprocesses = 1\n";
        let told = |command: Option<&str>, build: Option<&str>, source: &str| {
            (command.map(str::to_owned), build.map(str::to_owned), source.to_owned())
        };
        let (run, make) = (("run.sh", "exit"), ("Makefile", "all:\n"));
        let command = ("COMMAND", "\r\n  python3 a.py\r\nmore\n");
        assert_eq!(
            short(&[("bot.toml", toml), command, run, make]),
            told(Some("./a"), Some("cc a.c -o a"), "bot.toml")
        );
        assert_eq!(short(&[command, run]), told(Some("python3 a.py"), None, "COMMAND"));
        assert_eq!(
            short(&[command, make]),
            told(Some("python3 a.py"), Some("make"), "COMMAND, built by Makefile")
        );
        assert_eq!(short(&[run]), told(Some("sh run.sh"), None, "run.sh"));
        assert_eq!(short(&[make]), told(None, Some("make"), "Makefile"));
        let all = ForAll { command: Some("python3 main.py"), build: None, processes: Some(2) };
        let all = found(&[("bot.toml", "nonsense"), make], all).unwrap();
        assert_eq!(
            (all.command.as_deref(), all.build, all.processes),
            (Some("python3 main.py"), None, Some(2))
        );
    }

    #[test]
    fn what_lacks_is_said_with_the_remedy() {
        let long = "x".repeat(usize::try_from(LONGEST).unwrap() + 1);
        for (files, words) in [
            (vec![], "there is no bot.toml, no COMMAND, no run.sh and no Makefile"),
            (vec![("bot.toml", "command = 1")], "its bot.toml, line 1: invalid type"),
            (vec![("bot.toml", "\nbuild = \"make\"")], "missing field `command`"),
            (vec![("bot.toml", "comand = \"x\"")], "unknown field `comand`"),
            (vec![("bot.toml", "command = \" \"")], "names an empty command"),
            (vec![("COMMAND", "\n \n")], "its COMMAND is empty"),
            (vec![("COMMAND", &long)], "it is longer than"),
        ] {
            let why = found(&files, ForAll::default()).unwrap_err();
            assert!(why.contains(words), "{words}: {why}");
        }
        let folder = tempfile::tempdir().unwrap();
        symlink("/etc/passwd", folder.path().join("COMMAND")).unwrap();
        assert!(find(folder.path(), "zappy_ai", ForAll::default()).is_err(), "a link was read");
    }

    #[test]
    fn what_make_left_is_the_command() {
        let folder = tempfile::tempdir().unwrap();
        assert!(built(folder.path(), "zappy_ai").unwrap_err().contains("left no zappy_ai"));
        fs::write(folder.path().join("zappy_ai"), "").unwrap();
        assert!(built(folder.path(), "zappy_ai").unwrap_err().contains("no program that can be run"));
        fs::set_permissions(folder.path().join("zappy_ai"), fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(built(folder.path(), "zappy_ai").unwrap(), "./zappy_ai");
    }
}
