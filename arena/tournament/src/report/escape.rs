//! Other people's words inside a page or an address, where they must stay words.
//!
//! Tested in this module.

use std::ffi::OsStr;
use std::fmt::Write as _;

pub use zappy_play::text::in_html;

/// A part of a path inside a link.
pub fn in_address(part: &OsStr) -> String {
    let mut out = String::with_capacity(part.len());
    for &byte in part.as_encoded_bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stay_words() {
        assert_eq!(
            in_html("<b a='\"'>&\u{202e}\u{1b}ö"),
            "&lt;b a=&#39;&quot;&#39;&gt;&amp;\u{fffd}\u{fffd}ö"
        );
        assert_eq!(in_address(OsStr::new("a b/ö\"#?")), "a%20b%2F%C3%B6%22%23%3F");
    }
}
