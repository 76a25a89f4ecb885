//! A dialect's messages as a table, from which the type, its parser and its printer are made.
//!
//! A dialect says by [`Carried`] how its lines carry each type of value. Takes any bytes. Tested through the dialects.

use crate::text::put_number;
use crate::types::{MapSize, Position, Text};
use crate::words::Words;

/// A value that lines of the dialect `D` carry, in one word or in several.
pub(crate) trait Carried<D>: Sized {
    fn read(words: &mut Words<'_>) -> Option<Self>;

    /// Appends the value, a blank before each of its words.
    fn print(&self, out: &mut Vec<u8>);
}

/// Implements [`Carried`] for a type of value: `by any` dialect, or by a single one.
macro_rules! carried {
    ($type:ty, by any: |$words:ident| $read:expr, |$value:ident, $out:ident| $print:expr) => {
        impl<D> $crate::messages::Carried<D> for $type {
            carried! { @ |$words| $read, |$value, $out| $print }
        }
    };
    ($type:ty, by $dialect:ty: |$words:ident| $read:expr, |$value:ident, $out:ident| $print:expr) => {
        impl $crate::messages::Carried<$dialect> for $type {
            carried! { @ |$words| $read, |$value, $out| $print }
        }
    };
    (@ |$words:ident| $read:expr, |$value:ident, $out:ident| $print:expr) => {
        fn read($words: &mut $crate::words::Words<'_>) -> Option<Self> {
            $read
        }

        fn print(&self, $out: &mut Vec<u8>) {
            let $value = self;
            $print;
        }
    };
}
pub(crate) use carried;

carried! { u32, by any: |words| words.number(), |number, out| put_number(*number, out) }
carried! { Position, by any: |words| words.position(), |at, out| at.put(out) }
carried! { MapSize, by any: |words| MapSize::new(words.number()?, words.number()?), |size, out| {
    put_number(size.width().into(), out);
    put_number(size.height().into(), out);
} }
// A text is the rest of the line.
carried! { Text, by any: |words| Some(Text::new(words.rest())), |text, out| {
    out.push(b' ');
    out.extend_from_slice(text.as_bytes());
} }

/// As many values as the rest of the line holds.
impl<D, T: Carried<D>> Carried<D> for Vec<T> {
    fn read(words: &mut Words<'_>) -> Option<Vec<T>> {
        let mut all = Vec::new();
        while !words.is_empty() {
            all.push(T::read(words)?);
        }
        Some(all)
    }

    fn print(&self, out: &mut Vec<u8>) {
        self.iter().for_each(|one| one.print(out));
    }
}

/// The lines of a dialect, each by its first word, a fixed second word if it has one, and the values behind them. Makes
/// the type with two inverse functions: `read` takes the first word and the rest, with an error of type `$bad`, and
/// `write`.
macro_rules! messages {
    (
        $(#[$about_type:meta])* $type:ident of $dialect:ty, else $bad:ident;
        $(
            $(#[$about:meta])* $word:literal $($second:literal)? => $variant:ident
            $(($value:ident: $whole:ty))?
            $({ $($(#[$about_field:meta])* $field:ident: $part:ty),+ $(,)? })?
        ),+ $(,)?
    ) => {
        $(#[$about_type])*
        pub enum $type {
            $($(#[$about])* $variant $(($whole))? $({ $($(#[$about_field])* $field: $part),+ })?),+
        }

        impl $type {
            fn read(word: &[u8], words: &mut $crate::words::Words<'_>) -> Result<$type, $bad> {
                let message = match word {
                    $($word => {
                        $(words.literal($second).ok_or($bad::Parameter)?;)?
                        $type::$variant
                            $((<$whole as Carried<$dialect>>::read(words).ok_or($bad::Parameter)?))?
                            $({ $($field: <$part as Carried<$dialect>>::read(words).ok_or($bad::Parameter)?),+ })?
                    })+
                    _ => return Err($bad::Unknown),
                };
                if words.is_empty() { Ok(message) } else { Err($bad::Parameter) }
            }

            /// Appends the line without its end.
            pub fn write(&self, out: &mut Vec<u8>) {
                match self {
                    $($type::$variant $(($value))? $({ $($field),+ })? => {
                        out.extend_from_slice($word);
                        $(
                            out.push(b' ');
                            out.extend_from_slice($second.as_bytes());
                        )?
                        $(<$whole as Carried<$dialect>>::print($value, out);)?
                        $($(<$part as Carried<$dialect>>::print($field, out);)+)?
                    })+
                }
            }
        }
    };
}
pub(crate) use messages;

/// The commands of a dialect, each a word with one argument or none. Makes two types: the kinds of commands, and the
/// commands with their arguments, for which `read` and `print_argument` are inverses.
macro_rules! commands {
    (
        $kind:ident, $about_kind:literal; $(#[$about_type:meta])* $type:ident of $dialect:ty;
        $($(#[$about:meta])* $variant:ident $(($value:ident: $argument:ty))? = $word:literal),+ $(,)?
    ) => {
        $crate::types::named! { $kind, $about_kind, $($(#[$about])* $variant = $word),+ }

        $(#[$about_type])*
        pub enum $type {
            $($(#[$about])* $variant $(($argument))?),+
        }

        impl $type {
            pub const fn kind(&self) -> $kind {
                match self {
                    $($type::$variant { .. } => $kind::$variant),+
                }
            }

            /// Reads the argument of a line of that kind.
            fn read(kind: $kind, words: &mut $crate::words::Words<'_>) -> Option<$type> {
                Some(match kind {
                    $($kind::$variant => $type::$variant $((<$argument as Carried<$dialect>>::read(words)?))?),+
                })
            }

            /// Appends the argument, if it has one, behind a blank.
            fn print_argument(&self, out: &mut Vec<u8>) {
                match self {
                    $($type::$variant $(($value))? => { $(<$argument as Carried<$dialect>>::print($value, out))? }),+
                }
            }
        }
    };
}
pub(crate) use commands;
