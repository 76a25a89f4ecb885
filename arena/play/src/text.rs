//! Tables for a terminal, rounded numbers, text in HTML, and words for errors of the system and of files in TOML or
//! JSON. Other numbers and quotes are in `zappy_protocol::text`.
//!
//! Tested in this module and by the tables that are made of it.

use std::io::{self, ErrorKind};

use unicode_width::UnicodeWidthStr;
use zappy_protocol::text::shown;

/// Appends rows in columns: the column with the index `names` is aligned to the left, the others to the right. Letters
/// count as wide as terminals draw them.
pub fn align(rows: &[Vec<String>], names: usize, text: &mut String) {
    let columns = rows.first().map_or(0, Vec::len);
    let width = |column: usize| rows.iter().map(|row| row[column].width()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    for row in rows {
        let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, width))| {
            let blank = " ".repeat(width - cell.width());
            if column == names { format!("{cell}{blank}") } else { format!("{blank}{cell}") }
        });
        text.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
        text.push('\n');
    }
}

/// A number rounded to so many digits behind the point, so that results are the same on all machines; never `-0`.
pub fn round(number: f64, digits: i32) -> f64 {
    let scale = 10f64.powi(digits);
    (number * scale).round() / scale + 0.0
}

/// In which line a file in TOML is wrong, counted from 1, and what is wrong. What the message repeats of the file is
/// escaped, so that it can't control a terminal.
pub fn toml_words(error: &toml::de::Error, text: &str) -> String {
    let line = error.span().map_or(1, |span| toml_line(span.start, text));
    format!("line {line}: {}", shown(error.message().trim().as_bytes()))
}

/// What is wrong in a line of JSON, and in which column. What the message repeats of the line is escaped, so that it
/// can't control a terminal.
pub fn json_words(error: &serde_json::Error) -> String {
    let (words, column) = (error.to_string(), error.column());
    // An error in a nested value names its place twice, and the caller names the line.
    let words = words.replace(&format!(" at line {} column {column}", error.line()), "");
    shown(format!("{words} (column {column})").as_bytes())
}

/// The line of a text that has the byte at that index, counted from 1.
pub fn toml_line(at: usize, text: &str) -> usize {
    text.bytes().take(at).filter(|&byte| byte == b'\n').count() + 1
}

/// What the system refused, with the remedy.
pub fn io_words(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "there is no such file or folder; look at how it is spelt".to_owned(),
        ErrorKind::PermissionDenied => {
            "permission denied; name what you may read and write, or give yourself the right (chmod)"
                .to_owned()
        }
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            "no space is left there; free some and run it again".to_owned()
        }
        ErrorKind::AlreadyExists | ErrorKind::NotADirectory => {
            "a file is there where a folder must be; name another folder, or move the file away".to_owned()
        }
        _ => error.to_string(),
    }
}

/// Text escaped for HTML, between tags or between the quotation marks of an attribute. A character that can't be seen,
/// or that turns the direction of what follows, becomes U+FFFD.
pub fn in_html(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\u{200e}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
                out.push('\u{fffd}');
            }
            c if c.is_control() && c != '\n' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_stand_under_each_other_whatever_script_a_name_is_in() {
        let rows = [["place", "bot", "points"], ["1", "日本", "10"], ["22", "ünïe\u{301}", "9"]];
        let rows: Vec<Vec<String>> = rows.iter().map(|row| row.map(str::to_owned).to_vec()).collect();
        let mut text = String::new();
        align(&rows, 1, &mut text);
        assert_eq!(text, "place  bot   points\n    1  日本      10\n   22  ünïe\u{301}       9\n");
    }
}
