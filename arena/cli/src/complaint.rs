//! What is wrong with a command line, in one line with its remedy.
//!
//! Tested in `tests/refusals.rs`.

use clap::CommandFactory;
use clap::error::{ContextKind, ContextValue};

use super::Cli;

/// What is to be known of a command that was taken for several words.
pub(crate) const IN_QUOTES: &str =
    "put a command of several words between quotes, as in 'python3 bot.py -p {port} -n {team} -h {host}'";

/// What clap has to say, in one line.
pub fn one_line(error: &clap::Error) -> String {
    let text = error.to_string();
    let lines = text.lines().map(str::trim).take_while(|line| !line.is_empty());
    let text = lines.collect::<Vec<_>>().join(" ");
    let command = Cli::command();
    let visible = |command: &&clap::Command| !command.is_hide_set();
    let known: Vec<&str> = command.get_subcommands().filter(visible).map(clap::Command::get_name).collect();
    let inner = command.get_subcommands().flat_map(clap::Command::get_subcommands).filter(visible);
    let inner: Vec<&str> = inner.map(clap::Command::get_name).collect();
    let is_known = |near: &&String| [&known, &inner].iter().any(|names| names.contains(&near.as_str()));
    let asked = std::env::args_os().nth(1).and_then(|asked| asked.into_string().ok());
    let asked = asked.filter(|asked| known.contains(&asked.as_str()));
    let of = asked.map(|asked| format!("{asked} ")).unwrap_or_default();
    // The library's words for a number with a minus, and for nothing between quotes, name no remedy.
    let text = text.replace("invalid digit found in string", "give a whole number without a sign");
    let text = text
        .replace("but none was supplied", "and what was given is empty; give one, or leave the flag away");
    let only =
        ["--debug", "--step"].iter().find(|flag| text.contains(&format!("unexpected argument '{flag}'")));
    let only = only.map(|flag| format!("; {flag} is for zappy_arena match alone: what is graded has limits"));
    let near =
        [ContextKind::SuggestedArg, ContextKind::SuggestedSubcommand].map(|kind| match error.get(kind) {
            Some(ContextValue::String(near)) => Some(near.clone()),
            // The nearest comes last, and the commands that the arena gives itself are among them.
            Some(ContextValue::Strings(near)) => {
                near.iter().rfind(|near| near.starts_with('-') || is_known(near)).cloned()
            }
            _ => None,
        });
    let near = near.into_iter().flatten().next().map(|near| format!("; did you mean {near}?"));
    let words = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(word)) if error.kind() == clap::error::ErrorKind::UnknownArgument => {
            let in_command =
                ["-p", "-n"].contains(&word.as_str()) || of == "check " && !word.starts_with("--");
            !word.starts_with('-') || in_command
        }
        _ => false,
    };
    let words = words.then(|| format!("; {IN_QUOTES}"));
    let more = only.or(near).or(words).unwrap_or_default();
    format!("{}{more}; see zappy_arena {of}--help", text.trim_start_matches("error: "))
}
