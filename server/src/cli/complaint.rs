//! What is wrong with a command line, in the words of this program.
//!
//! Tested in `flags`.

use clap::error::{ContextKind, ContextValue, ErrorKind};

/// The flag as people type it, from the way the library prints it.
pub(super) fn flag(printed: &str, command: &clap::Command) -> String {
    let argument = command.get_arguments().find(|argument| argument.to_string() == printed);
    match argument.map(|argument| (argument.get_short(), argument.get_long())) {
        Some((Some(short), Some(_))) => format!("-{short}"),
        Some((None, Some(long))) => format!("--{long}"),
        _ => printed.to_owned(),
    }
}

/// The help that was asked for, or what is wrong.
pub(super) fn said(error: &clap::Error, command: &clap::Command) -> Result<String, String> {
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        return Ok(error.to_string());
    }
    let context = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    let name = context(ContextKind::InvalidArg).map(|printed| flag(printed, command));
    let value = context(ContextKind::InvalidValue).unwrap_or("");
    let cause = std::error::Error::source(error).map(ToString::to_string);
    Err(match (error.kind(), name, cause) {
        (ErrorKind::ValueValidation, Some(name), Some(cause)) => format!("{name} is {value:?}, {cause}"),
        (ErrorKind::InvalidValue, Some(name), _) if value.is_empty() => format!("{name} needs a value"),
        (ErrorKind::UnknownArgument, Some(name), _) => match context(ContextKind::SuggestedArg) {
            Some(near) => format!("{name} is no flag of this program; did you mean {near}?"),
            None => format!("{name} is no flag of this program"),
        },
        _ => {
            let text = error.to_string();
            let first = text.lines().next().unwrap_or("the command line is wrong");
            first.trim_start_matches("error: ").to_owned()
        }
    })
}
