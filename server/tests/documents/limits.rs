//! `docs/limits.md` is made from the constants of the sources and their comments: name, value, and what the comment's first
//! sentence says before a colon or a "so that", behind which stands the reason.
//!
//! `UPDATE_LIMITS=1 cargo test -p zappy-server --test documents limits` writes it anew. Constants are found by name
//! in a section's folders, wherever they lie there. Reads the sources as text and compiles nothing.

use std::fmt::Write;
use std::path::Path;

use crate::texts::{root, texts};

/// A part of the page.
struct Section {
    title: &'static str,
    /// Those that don't exist are passed over.
    folders: &'static [&'static str],
    /// Whether every constant that is called a limit is listed.
    all: bool,
    /// Further constants: `NAME`, or `file::NAME` where a folder has several of that name.
    names: &'static [&'static str],
}

const SECTIONS: [Section; 4] = [
    Section {
        title: "The server and the games",
        folders: &["protocol", "games", "server"],
        all: true,
        names: &["THINK_TIME", "LOBBY_TIME", "BACKLOG_BYTES", "BACKLOG_TICKS", "REMEMBERED", "NOTES_BYTES"],
    },
    Section {
        title: "The arena",
        folders: &["arena"],
        all: false,
        names: &[
            "MAX_PROCESSES MAX_ATTACHED START_LIMIT RESUME_LIMIT wait::LEAVE_LIMIT BOT_LOG_LIMIT SERVER_LOG_LIMIT",
            "MOST_OPEN MOST_CONNECTIONS MOST_IN_MEMORY MAX_SEEDS MAX_JOBS MAX_PROCS MAX_TIMEOUT MOST_PAIRS",
            "bots::MOST_BOTS pairing::MOST_MATCHES MOST_SHARDS copies::MOST_FILES copies::MOST_BYTES",
            "MOST_STUDENTS BUILD_LIMIT MAX_BUILD MAX_BUDGET intake::MOST_BOTS MOST_VERSIONS MOST_ROUNDS",
            "HANDED_FILES HANDED_BYTES HANDED_DEPTH CHECK_LIMIT LOGIN_LIMIT",
            "NAME_LIMIT MOST_OF_BOT ladder::MOST_WAITING MOST_UNNAMED OWN_DESCRIPTORS LOGIN_TIME LOGIN_BYTES MOST_WRONG_LOGINS WRONG_LOGIN_PAUSE MOST_OBSERVERS",
        ],
    },
    Section {
        title: "The observer and the client",
        folders: &["gui", "ai-client/src"],
        all: false,
        names: &["MAX_EDGE FRAME_LIMIT MAX_PLAYERS client::CONNECTIONS"],
    },
    Section {
        title: "The site",
        folders: &["site"],
        all: false,
        names: &["CONNECTIONS PER_ADDRESS live::MATCHES RECORD_BYTES INPUTS_BYTES"],
    },
];

/// A constant, or a field of a default `Limits`.
struct Constant {
    /// The file without its ending, or the folder of a `mod.rs`.
    file: String,
    name: String,
    value: String,
    comment: String,
}

impl Constant {
    fn is_called_a_limit(&self) -> bool {
        let name = self.name.rsplit("::").next().unwrap_or_default();
        name.starts_with("MAX_") || name.starts_with("MOST_") || name.ends_with("LIMIT")
    }
}

/// The constants of a file and the fields of its `Limits`, tests aside.
fn constants_in(file: &str, text: &str) -> Vec<Constant> {
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let (mut found, mut comment, mut owner) = (Vec::new(), String::new(), String::new());
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let bare = line.trim();
        if let Some(words) = bare.strip_prefix("///") {
            comment += words;
            continue;
        }
        let plain = bare
            .strip_prefix("pub")
            .map_or(bare, |rest| rest.split_once(") ").map_or(rest, |(_, rest)| rest));
        if let Some(block) = line.strip_prefix("impl ").or_else(|| line.strip_prefix("pub struct ")) {
            owner = block.split([' ', '<']).next().unwrap_or_default().to_owned();
        } else if line == "}" {
            owner.clear();
        } else if let Some((name, mut value)) =
            plain.trim_start().strip_prefix("const ").and_then(declaration)
        {
            while !value.ends_with(';') {
                value = format!("{value} {}", lines.next().unwrap_or(";").trim());
            }
            let name = if owner.is_empty() { name } else { format!("{owner}::{name}") };
            found.push(Constant {
                file: file.to_owned(),
                name,
                value: shown(value.trim_end_matches(';').trim()),
                comment,
            });
            comment = String::new();
        } else if let Some((name, _)) = bare.strip_prefix("pub ").and_then(|field| field.split_once(": "))
            && let Some(value) = (owner == "Limits").then(|| default_of(text, name)).flatten()
        {
            found.push(Constant { file: file.to_owned(), name: name.to_owned(), value, comment });
            comment = String::new();
        }
        if !bare.starts_with("#[") {
            comment.clear();
        }
    }
    found
}

/// Name and beginning of the value of `NAME: type = value;`.
fn declaration(text: &str) -> Option<(String, String)> {
    let (head, value) = text.split_once('=')?;
    let (name, _) = head.split_once(": ")?;
    Some((name.to_owned(), value.trim().to_owned()))
}

/// The value of a field in the `Limits` that stands as the default.
fn default_of(text: &str, field: &str) -> Option<String> {
    let starts = ["fn default() -> Limits {", "const DEFAULT: Limits ="];
    let literal = starts.iter().find_map(|start| text.split_once(start))?.1.split_once("Limits {")?.1;
    let mut fields = literal.split_once('}')?.0.split(',').filter_map(|field| field.trim().split_once(": "));
    fields.find(|(name, _)| *name == field).map(|(_, value)| shown(value))
}

/// A value as people write it: `10 s`, `4 Ki`, `1,000`; what is none of these stands as code.
fn shown(value: &str) -> String {
    let inside = |text: &str, start: &str| Some(text.strip_prefix(start)?.strip_suffix(')')?.to_owned());
    if let Some(value) = inside(value, "Some(") {
        return shown(&value);
    }
    let units = [("from_secs(", "s"), ("from_millis(", "ms"), ("from_micros(", "us")];
    for (start, unit) in units {
        if let Some(count) = inside(value, &format!("Duration::{start}")) {
            return format!("{} {unit}", shown(&count));
        }
    }
    for (shift, unit) in [(" << 10", "Ki"), (" * 1024", "Ki"), (" << 20", "Mi"), (" << 30", "Gi")] {
        if let Some(count) = value.strip_suffix(shift) {
            return format!("{count} {unit}");
        }
    }
    let digits = value.replace('_', "");
    if !digits.chars().all(|c| c.is_ascii_digit()) {
        return format!("`{value}`");
    }
    let groups: Vec<&[u8]> = digits.as_bytes().rchunks(3).rev().collect();
    String::from_utf8(groups.join(&b',')).expect("digits")
}

/// The constants of a section, each under one name.
fn constants(section: &Section) -> Vec<Constant> {
    let folders = section.folders.iter().map(Path::new).filter(|folder| root().join(folder).exists());
    let mut found = Vec::new();
    for (path, text) in folders.flat_map(|folder| texts(folder, &[".rs"])) {
        let parts: Vec<&str> = path.split('/').collect();
        if parts.iter().any(|part| part.contains("test") || *part == "target" || *part == "benches") {
            continue;
        }
        // A seam to the operating system has a file for each.
        let bodies = ["mod.rs", "unix.rs", "linux.rs", "windows.rs", "elsewhere.rs"];
        let at = parts.len() - if bodies.contains(&parts[parts.len() - 1]) { 2 } else { 1 };
        found.extend(constants_in(parts[at].trim_end_matches(".rs"), &text));
    }
    let names: Vec<&str> = section.names.iter().flat_map(|names| names.split(' ')).collect();
    for name in &names {
        let count = found.iter().filter(|one| is_named(one, name)).count();
        assert_eq!(count, 1, "constants called {name} below {:?}", section.folders);
    }
    found.retain(|one| {
        let is_field = one.name.starts_with(|c: char| c.is_lowercase());
        is_field || section.all && one.is_called_a_limit() || names.iter().any(|name| is_named(one, name))
    });
    // What a comment says may refer to the constant before, so a file's order stays.
    found.sort_by(|one, other| one.file.cmp(&other.file));
    found
}

fn is_named(constant: &Constant, name: &str) -> bool {
    name.split_once("::")
        .map_or(constant.name == name, |(file, name)| constant.file == file && constant.name == name)
}

fn page() -> String {
    let mut page = "# Limits\n\nEverything that could grow has a limit. This page is made from the constants in the sources \
                    and their comments, which also have the reasons; names in small letters are fields of `Limits`. Ki \
                    is 1,024, Mi 1,024 Ki, Gi 1,024 Mi; a *turn* is one round of the server's loop. What happens at a \
                    limit that a client can reach stands in [protocol.md](../protocol.md#15-bad-input-and-limits).\n"
        .to_owned();
    for section in &SECTIONS {
        let _ = write!(page, "\n## {}\n\n| limit | value | what it bounds |\n|---|---|---|\n", section.title);
        for Constant { name, value, comment, .. } in constants(section) {
            let first = [". ", ": ", ", so that "].iter().fold(comment.as_str(), |comment, end| {
                comment.split_once(end).map_or(comment, |(before, _)| before)
            });
            let comment = first.trim().trim_end_matches('.').replace("[`", "`").replace("`]", "`");
            let _ = writeln!(page, "| `{name}` | {value} | {comment} |");
        }
    }
    page
}

#[test]
fn the_page_of_limits_is_what_the_constants_say() {
    let (path, right) = (root().join("docs/limits.md"), page());
    if std::env::var_os("UPDATE_LIMITS").is_some() {
        std::fs::write(&path, &right).unwrap();
    }
    let said = std::fs::read_to_string(&path).unwrap_or_default();
    for (said, right) in said.lines().zip(right.lines()) {
        assert_eq!(said, right, "UPDATE_LIMITS=1 writes the page anew");
    }
    assert_eq!(said, right, "UPDATE_LIMITS=1 writes the page anew");
}

#[test]
fn constants_are_read_with_their_comments() {
    let text = "/// Lines\n/// at most.\npub(super) const A: u64 =\n    4 << 10;\nimpl Name {\n    /// B.\n    pub const LIMIT: usize = 1_000;\n}\n\
                pub struct Limits {\n    /// C.\n    #[arg(long)]\n    pub c: Option<u64>,\n}\nimpl Limits {\n    const DEFAULT: Limits = Limits { c: Some(3) };\n}\n\
                const D: Duration = Duration::from_millis(1_500);\n";
    let found = constants_in("x", text);
    let told = |one: &Constant| format!("{} {} {}", one.name, one.value, one.comment.trim());
    let right = ["A 4 Ki Lines at most.", "Name::LIMIT 1,000 B.", "c 3 C.", "D 1,500 ms "];
    let found: Vec<String> = found.iter().filter(|one| !one.name.ends_with("DEFAULT")).map(told).collect();
    assert_eq!(found, right);
    assert_eq!(shown("24 * 3600"), "`24 * 3600`");
}
