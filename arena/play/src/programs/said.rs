//! The last lines of a program's log, and the one among them that names its error.
//!
//! Other lines often follow the error: the version of the runtime, a stack, where a report was left. Bytes of
//! other people are shown escaped and cut. Decides nothing. Tested in this module.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use zappy_protocol::text::{shortened, shown};

/// The end of a log that is looked at, in bytes.
const TAIL: u64 = 4096;
/// The number of last lines that are shown, and the characters of each.
const LINES: usize = 12;
const LINE: usize = 200;
/// Words in a line that says that memory has run out.
const NO_MEMORY: [&str; 5] =
    ["insufficient memory", "OutOfMemoryError", "heap out of memory", "MemoryError", "bad_alloc"];
/// Words with which a compiler's message begins.
const COMPILER: [&str; 2] = [": error: ", "error[E"];

/// Names of errors of which the line doesn't say where in the program they are.
const PLACELESS: [&str; 3] = ["SyntaxError", "IndentationError", "TabError"];
/// Perl's last line when it can't compile a script; the reason and its place stand in the first line, which is long where a
/// module is missing.
const ABORTED: [&str; 3] =
    ["aborted due to compilation errors", "BEGIN failed--compilation aborted", "had too many errors"];

/// The end of a file; nothing if it can't be read.
pub fn tail(log: &Path) -> Vec<u8> {
    let read = || {
        let mut file = File::open(log)?;
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(TAIL)))?;
        let mut tail = Vec::new();
        file.take(TAIL).read_to_end(&mut tail)?;
        Ok::<_, std::io::Error>(tail)
    };
    read().unwrap_or_default()
}

/// The last lines of a text that aren't empty, at most twelve.
pub fn last_lines(text: &[u8]) -> Vec<String> {
    let lines: Vec<&[u8]> = text.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii_end).collect();
    let lines: Vec<&[u8]> = lines.into_iter().filter(|line| !line.is_empty()).collect();
    let last = &lines[lines.len().saturating_sub(LINES)..];
    let spaced =
        |line: &[u8]| line.iter().map(|&byte| if byte == b'\t' { b' ' } else { byte }).collect::<Vec<u8>>();
    last.iter().map(|line| shortened(&shown(&spaced(line)), LINE)).collect()
}

/// The line among the last ones that tells of an error; the last one that says anything if none does.
pub fn error_line(text: &[u8]) -> Option<String> {
    let lines = last_lines(text);
    // Not a frame of a stack, nor what runtimes print after an error without naming it.
    let says_something = |line: &String| {
        let is_frame = line.starts_with([' ', '\t']) && line.trim_start().starts_with("at ");
        let is_after =
            ["Node.js v", "Picked up JAVA", "note: run with"].iter().any(|words| line.starts_with(words));
        !is_frame && !is_after && line.contains(char::is_alphanumeric)
    };
    let is_aborted = lines.iter().any(|line| has(line, &ABORTED));
    let at = (lines.iter().position(|line| has(line, &NO_MEMORY)))
        .or_else(|| lines.iter().rposition(|line| is_error(line)))
        .or_else(|| lines.iter().position(|line| has(line, &COMPILER)))
        .or_else(|| lines.iter().position(|line| is_aborted && has(line, &[" line ", "t locate "])))
        .or_else(|| lines.iter().rposition(says_something))
        .or(lines.len().checked_sub(1))?;
    let line = &lines[at];
    // Python and Node.js name the place alone in an earlier line.
    let is_place = |line: &&str| {
        let numbered = |(file, number): (&str, &str)| !file.is_empty() && number.parse::<u32>().is_ok();
        line.starts_with("File \"") || line.rsplit_once(':').is_some_and(numbered)
    };
    if PLACELESS.iter().any(|name| line.starts_with(name))
        && let Some(place) = lines[..at].iter().rev().map(|line| line.trim()).find(is_place)
    {
        return Some(format!("{place}: {line}"));
    }
    let more = lines.get(at + 1).filter(|_| line.contains("panicked at") && line.ends_with(':'));
    let line = line.trim_start_matches(['#', ' ', '\t']);
    Some(more.map_or(line.to_owned(), |more| format!("{line} {}", more.trim())))
}

fn has(line: &str, words: &[&str]) -> bool {
    words.iter().any(|word| line.contains(word))
}

/// Whether one of these lines says that memory has run out.
pub fn lacks_memory(lines: &[String]) -> bool {
    lines.iter().any(|line| has(line, &NO_MEMORY))
}

/// Whether a line begins with the name of an error, as those of Python, Java and JavaScript do, or is of a panic of Rust's.
fn is_error(line: &str) -> bool {
    let line = line.strip_prefix("Uncaught ").unwrap_or(line);
    let line = line
        .strip_prefix("Exception in thread ")
        .map_or(line, |rest| rest.split_once(' ').map_or(rest, |(_, error)| error));
    let name = line.split([':', ' ']).next().unwrap_or_default();
    line.contains("panicked at") || ["Error", "Exception"].iter().any(|end| name.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_that_tells_of_the_error_is_found() {
        for (text, line) in [
            (
                "Can't locate A/B.pm in @INC (you may need to install the A::B module)\nBEGIN failed--compilation aborted at \
                 b.pl line 1.\n",
                "Can't locate A/B.pm in @INC (you may need to install the A::B module)",
            ),
            ("hello\nno place in the team\n", "no place in the team"),
            ("Traceback (most recent call last):\n  File \"b.py\", line 3\nValueError: x\n", "ValueError: x"),
            (
                "/tmp/b.js:3\nthrow new TypeError('x')\n^\n\nTypeError: x is no function\n    at f (/tmp/b.js:3:7)\n    at \
                 node:internal/main:28\n\nNode.js v20.20.2\n",
                "TypeError: x is no function",
            ),
            (
                "Error [ERR_X]: no\n    at f (b.js:1:1) {\n  code: 'ERR_X'\n}\n\nNode.js v20.20.2\n",
                "Error [ERR_X]: no",
            ),
            (
                "Exception in thread \"main\" java.lang.RuntimeException: x\n\tat Bot.main(Bot.java:5)\n",
                "Exception in thread \"main\" java.lang.RuntimeException: x",
            ),
            ("Bot.java:5: error: ';' expected\n  x\n   ^\n1 error\n", "Bot.java:5: error: ';' expected"),
            (
                "#\n# There is insufficient memory for the Java Runtime Environment to continue.\n# /tmp/hs_err_pid2.log\n#\n# \
                 Compiler replay data is saved as:\n# /tmp/replay_pid2.log\n",
                "There is insufficient memory for the Java Runtime Environment to continue.",
            ),
            (
                "thread 'main' panicked at src/main.rs:2:5:\nindex out of bounds\nnote: run with `RUST_BACKTRACE=1`\n",
                "thread 'main' panicked at src/main.rs:2:5: index out of bounds",
            ),
            (
                "  File \"/tmp/b.py\", line 3\n    def f(:\n          ^\nSyntaxError: invalid syntax\n",
                "File \"/tmp/b.py\", line 3: SyntaxError: invalid syntax",
            ),
            (
                "/tmp/b.js:3\n  let = ;\n        ^\n\nSyntaxError: Unexpected token ';'\n    at wrap (node:vm:73:18)\n\nNode.js \
                 v20.20.2\n",
                "/tmp/b.js:3: SyntaxError: Unexpected token ';'",
            ),
            (
                "syntax error at bot.pl line 3, near \"my \"\nGlobal symbol \"$x\" requires explicit package name at bot.pl line \
                 4.\nExecution of bot.pl aborted due to compilation errors.\n",
                "syntax error at bot.pl line 3, near \"my \"",
            ),
            ("goodbye\n\tat a.b(C.java)\nNode.js v20\n", "goodbye"),
            ("}\n", "}"),
        ] {
            assert_eq!(error_line(text.as_bytes()).as_deref(), Some(line));
        }
        assert_eq!(error_line(b" \n\n"), None);
        assert!(lacks_memory(&last_lines(b"java.lang.OutOfMemoryError: x\nbye\n")));
        assert!(!lacks_memory(&last_lines(b"what I remember\n")));
    }

    #[test]
    fn what_is_told_is_bounded_and_escaped() {
        let many: String = (0..100).map(|i| format!("\x1b[2J{i} {}\n", "x".repeat(300))).collect();
        let lines = last_lines(many.as_bytes());
        assert_eq!(lines.len(), LINES);
        assert!(
            lines.iter().all(|line| line.chars().count() <= LINE + 1 && !line.contains('\x1b')),
            "{lines:?}"
        );
        assert!(lines[LINES - 1].starts_with("\\x1b[2J99 "), "{lines:?}");
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("a.log");
        std::fs::write(&log, &many).unwrap();
        assert_eq!((tail(&log).len() as u64, last_lines(&tail(&log)).len()), (TAIL, LINES));
        assert_eq!(tail(&folder.path().join("none")), b"");
    }
}
