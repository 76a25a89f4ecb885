//! Values of flags that aren't a game's: text in, the value out or what is expected instead.
//!
//! Reads nothing but its arguments. Tested through `flags`.

use std::ffi::OsStr;
use std::time::Duration;

use crate::net::ENDLESS;
use clap::builder::TypedValueParser;
use clap::{Arg, Command, Error};

/// A parser of what `read` understands; `expected` is the error for any other text.
pub(super) fn value<T: Clone + Send + Sync + 'static>(
    read: fn(&str) -> Option<T>,
    expected: &'static str,
) -> impl TypedValueParser<Value = T> {
    move |text: &str| read(text).ok_or(expected)
}

/// A whole number from the first value to the second.
#[derive(Debug, Clone, Copy)]
pub(super) struct Number(pub u64, pub u64);

impl TypedValueParser for Number {
    type Value = u64;

    fn parse_ref(&self, command: &Command, argument: Option<&Arg>, value: &OsStr) -> Result<u64, Error> {
        let Number(least, most) = *self;
        let parse = move |text: &str| match text.parse::<u64>() {
            Ok(number) if (least..=most).contains(&number) => Ok(number),
            _ => Err(format!("the range is {least} to {most}")),
        };
        parse.parse_ref(command, argument, value)
    }
}

/// A limit of time: a whole number from the first value to the second, made a duration by the function; or the word
/// none.
#[derive(Debug, Clone, Copy)]
pub(super) struct OrNone(pub u64, pub u64, pub fn(u64) -> Duration);

impl TypedValueParser for OrNone {
    type Value = Duration;

    fn parse_ref(&self, command: &Command, argument: Option<&Arg>, value: &OsStr) -> Result<Duration, Error> {
        if value == "none" {
            return Ok(ENDLESS);
        }
        Number(self.0, self.1).parse_ref(command, argument, value).map(self.2)
    }
}

/// Where the seed of a match comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Seed {
    /// The command line.
    Given(u64),
    /// The first line on stdin.
    Handed,
}

/// A number, or `-` for the first line on stdin.
pub(super) fn seed(text: &str) -> Result<Seed, String> {
    if text == "-" {
        return Ok(Seed::Handed);
    }
    text.parse().map(Seed::Given).map_err(|_| format!("the range is 0 to {}", u64::MAX))
}
