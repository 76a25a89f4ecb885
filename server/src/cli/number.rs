//! Whole numbers on the command line, and seeds. Tested through `flags`.

use std::time::Duration;

use crate::net::ENDLESS;
use clap::builder::TypedValueParser;

/// A whole number in a range, its ends included.
#[derive(Debug, Clone, Copy)]
pub(super) struct Number(pub u64, pub u64);

impl TypedValueParser for Number {
    type Value = u64;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &std::ffi::OsStr,
    ) -> Result<u64, clap::Error> {
        let Number(least, most) = *self;
        let parse = move |text: &str| match text.parse::<u64>() {
            Ok(number) if (least..=most).contains(&number) => Ok(number),
            _ => Err(format!("the range is {least} to {most}")),
        };
        parse.parse_ref(command, argument, value)
    }
}

/// A limit of time, or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Limit {
    Of(u64),
    /// As long as it takes.
    None,
}

impl Limit {
    /// As a time, of which a unit lasts so long.
    pub(super) fn time(self, unit: impl FnOnce(u64) -> Duration) -> Duration {
        match self {
            Limit::Of(number) => unit(number),
            Limit::None => ENDLESS,
        }
    }
}

/// A whole number in a range, its ends included, or the word none.
#[derive(Debug, Clone, Copy)]
pub(super) struct OrNone(pub u64, pub u64);

impl TypedValueParser for OrNone {
    type Value = Limit;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &std::ffi::OsStr,
    ) -> Result<Limit, clap::Error> {
        if value == "none" {
            return Ok(Limit::None);
        }
        Number(self.0, self.1).parse_ref(command, argument, value).map(Limit::Of)
    }
}

/// Where the seed of a match stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Seed {
    Given(u64),
    /// In the first line on stdin.
    Handed,
}

impl Seed {
    /// What is known of it by now; 0 if it isn't.
    pub(super) fn given(self) -> u64 {
        match self {
            Seed::Given(seed) => seed,
            Seed::Handed => 0,
        }
    }
}

/// A number, or `-` for the first line on stdin.
pub(super) fn seed(text: &str) -> Result<Seed, String> {
    if text == "-" {
        return Ok(Seed::Handed);
    }
    text.parse().map(Seed::Given).map_err(|_| format!("the range is 0 to {}", u64::MAX))
}
