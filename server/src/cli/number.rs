//! Whole numbers on the command line. Tested through `flags`.

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
