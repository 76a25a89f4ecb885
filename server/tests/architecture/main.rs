//! Which module may name which, and what every module must have: walks the source files and fails on a breach.

mod benches;
mod documents;
mod imports;
mod limits;
mod mutants;
mod names;

use std::path::{Path, PathBuf};

use imports::Imports;

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// The lines of code that name anything: comments, strings' contents aside, are gone.
fn code(path: &Path) -> Vec<(usize, String)> {
    let text = std::fs::read_to_string(path).unwrap();
    let lines = text.lines().map(|line| line.split("//").next().unwrap_or_default().to_owned());
    (1..).zip(lines).collect()
}

/// Whether a line names a module or crate: as a word of its own, followed or preceded by `::`, or imported.
fn names(line: &str, word: &str) -> bool {
    let whole = |at: usize| {
        let edge = |c: Option<char>| !c.is_some_and(|c| c.is_alphanumeric() || c == '_');
        edge(line[..at].chars().next_back()) && edge(line[at + word.len()..].chars().next())
    };
    let mut places = line.match_indices(word).map(|(at, _)| at).filter(|&at| whole(at));
    places.any(|at| {
        line[at + word.len()..].starts_with("::")
            || line[..at].ends_with("::")
            || line.trim_start().starts_with("use ")
    })
}

fn breaches(folder: &str, forbidden: &[&str], except: &str) -> Vec<String> {
    let mut found = Vec::new();
    let files = sources(&root().join(folder));
    assert!(files.len() > 3, "{folder} is nearly empty");
    for path in files.iter().filter(|path| except.is_empty() || !path.to_string_lossy().contains(except)) {
        for (number, line) in code(path) {
            for word in forbidden.iter().filter(|word| names(&line, word)) {
                found.push(format!("{}:{number} names {word}: {}", path.display(), line.trim()));
            }
        }
    }
    found
}

#[test]
fn the_rules_know_no_socket_no_clock_and_no_log() {
    let forbidden = [
        "mio",
        "log",
        "env_logger",
        "signal_hook",
        "libc",
        "clap",
        "anyhow",
        "std::io",
        "std::net",
        "std::time",
        "std::thread",
        "std::fs",
        "std::env",
        "std::process",
        "HashMap",
        "HashSet",
        "zappy_server",
        "f32",
        "f64",
    ];
    // The simulator is a test and reads one environment variable.
    let rooms = ["games/game/src", "games/zappy/src", "games/conquest/src", "games/turns/src"];
    let mut found: Vec<String> =
        rooms.iter().flat_map(|room| breaches(room, &forbidden, "simulation")).collect();
    found.retain(|line| !line.contains("mod simulation"));
    for path in rooms
        .iter()
        .flat_map(|room| sources(&root().join(room)))
        .filter(|p| !p.to_string_lossy().contains("simulation"))
    {
        for (number, line) in code(&path) {
            if line.contains("HashMap")
                || line.contains(": f64")
                || line.contains("Instant")
                || line.contains("SystemTime")
            {
                found.push(format!("{}:{number}: {line}", path.display()));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn the_shell_knows_no_rules() {
    let found = breaches(
        "server/src/net",
        &[
            "zappy",
            "conquest",
            "turns",
            "zappy_protocol::zappy::player",
            "zappy_protocol::zappy::observer",
            "config",
            "record",
        ],
        "",
    );
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn the_arena_knows_a_game_only_in_its_room() {
    let rooms = ["arena/play/src", "arena/tournament/src", "arena/cli/src"];
    let rules = ["zappy_game_zappy", "zappy_protocol::zappy", "zappy_ai::zappy"];
    let mut found: Vec<String> = rooms.iter().flat_map(|room| breaches(room, &rules, "")).collect();
    assert!(!found.is_empty(), "the room of Zappy was not looked at");
    found.retain(|line| !line.contains("arena/play/src/local/zappy/") && !line.contains("/tests.rs:"));
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn only_the_window_knows_the_window_library() {
    let found = breaches("gui/engine/src", &["macroquad", "miniquad"], "gui/app/src/window");
    assert!(found.is_empty(), "{}", found.join("\n"));
    for panels in ["gui/engine/src/panels", "gui/zappy/src/panels"] {
        let drawn = breaches(panels, &["crate::window", "crate::source", "crate::app::session"], "");
        assert!(drawn.is_empty(), "{}", drawn.join("\n"));
    }
}

#[test]
fn in_the_observer_a_game_is_named_in_its_own_room_in_the_table_and_by_the_binary_alone() {
    let mut found = breaches("gui/engine/src", &["zappy"], "gui/zappy/src");
    found.retain(|line| !line.contains("gui/engine/src/games.rs") && !line.contains("gui/app/src/cli/"));
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn the_site_knows_a_game_only_in_its_picture_and_writes_no_file() {
    let rules = [
        "zappy",
        "conquest",
        "OpenOptions",
        "std::fs::write",
        "std::fs::create_dir_all",
        "std::fs::remove_file",
    ];
    let found = breaches("site/src", &rules, "site/src/picture.rs");
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// The folders of the workspace's crates.
const CRATES: [&str; 15] = [
    "protocol",
    "games/game",
    "games/turns",
    "games/zappy",
    "games/conquest",
    "server",
    "simulation",
    "ai-client",
    "arena/play",
    "arena/records",
    "arena/check",
    "arena/tournament",
    "arena/cli",
    "gui",
    "site",
];

/// The crates of the workspace each crate may depend on, tests aside.
const ALLOWED: [(&str, &[&str]); 15] = [
    ("protocol", &[]),
    ("games/game", &["zappy-protocol"]),
    ("games/turns", &["zappy-protocol", "zappy-game"]),
    ("games/zappy", &["zappy-protocol", "zappy-game"]),
    ("games/conquest", &["zappy-protocol", "zappy-game", "zappy-turns"]),
    ("server", &["zappy-protocol", "zappy-game", "zappy-game-zappy", "zappy-game-conquest"]),
    (
        "simulation",
        &[
            "zappy-protocol",
            "zappy-game",
            "zappy-game-zappy",
            "zappy-game-conquest",
            "zappy-server",
            "zappy-play",
            "zappy-tournament",
        ],
    ),
    ("ai-client", &["zappy-protocol"]),
    ("gui", &["zappy-protocol"]),
    (
        "arena/play",
        &[
            "zappy-protocol",
            "zappy-game",
            "zappy-game-zappy",
            "zappy-game-conquest",
            "zappy-server",
            "zappy-ai",
        ],
    ),
    ("arena/records", &["zappy-protocol", "zappy-game", "zappy-game-zappy", "zappy-server", "zappy-play"]),
    (
        "arena/check",
        &["zappy-protocol", "zappy-game", "zappy-game-zappy", "zappy-game-conquest", "zappy-play"],
    ),
    ("arena/tournament", &["zappy-protocol", "zappy-game", "zappy-server", "zappy-play", "zappy-records"]),
    (
        "arena/cli",
        &[
            "zappy-protocol",
            "zappy-game",
            "zappy-server",
            "zappy-play",
            "zappy-records",
            "zappy-check",
            "zappy-tournament",
        ],
    ),
    ("site", &["zappy-protocol", "zappy-game", "zappy-server", "zappy-play", "zappy-tournament"]),
];

#[test]
fn crates_depend_only_on_crates_that_they_may_know() {
    for (folder, allowed) in ALLOWED {
        let Ok(manifest) = std::fs::read_to_string(root().join(folder).join("Cargo.toml")) else {
            assert!(!root().join(folder).join("src").exists(), "{folder} has no manifest");
            continue;
        };
        let section =
            manifest.split("\n[").find(|part| part.starts_with("dependencies]")).unwrap_or_default();
        for line in section.lines().filter(|line| line.starts_with("zappy-")) {
            let name = line.split(['.', ' ', '=']).next().unwrap_or_default();
            assert!(allowed.contains(&name), "{folder} depends on {name}");
        }
    }
}

#[test]
fn every_module_says_what_it_is() {
    for folder in CRATES {
        let folder = root().join(folder);
        if !folder.join("Cargo.toml").exists() {
            continue;
        }
        for part in ["src", "tests", "benches"] {
            let part = folder.join(part);
            for path in if part.exists() { sources(&part) } else { Vec::new() } {
                let text = std::fs::read_to_string(&path).unwrap();
                assert!(text.starts_with("//!"), "{} does not open with //!", path.display());
                let lines = text.lines().count();
                assert!(lines <= 500, "{} has {lines} lines: two rooms behind one door?", path.display());
            }
        }
    }
}

/// Folders whose comments name the thing that they speak of.
const PLAIN: [&str; 8] =
    ["protocol", "games", "server", "simulation", "ai-client/src", "gui", "arena", "site"];

#[test]
fn comments_name_the_thing_that_they_speak_of() {
    // A socket, a seat, a file or a process is none of these.
    let vague = ["whoever", "nobody", "somebody", "anybody", "everybody", "whom"];
    let mut found = Vec::new();
    for path in PLAIN.iter().flat_map(|folder| sources(&root().join(folder))) {
        let text = std::fs::read_to_string(&path).unwrap();
        for (line, number) in text.lines().zip(1..) {
            let comment = line.split_once("//").map_or("", |(_, comment)| comment).to_lowercase();
            let mut words = comment.split(|c: char| !c.is_alphabetic());
            if let Some(word) = words.find(|word| vague.contains(word)) {
                found.push(format!("{}:{number} says {word}", path.display()));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn the_walk_finds_what_it_looks_for() {
    assert!(names("use std::net::TcpStream;", "std::net"));
    assert!(names("    let now = std::time::Instant::now();", "std::time"));
    assert!(names("    log::info!(\"x\");", "log"));
    assert!(names("use crate::{net, game};", "net"));
    assert!(!names("    let login = catalog(internet);", "log"));
    assert!(!names("    fn log_in(&mut self) {}", "log"));
}

#[test]
fn no_files_name_each_other_in_a_circle() {
    for folder in CRATES {
        let source = root().join(folder).join("src");
        let imports = Imports::read(&source, &sources(&source));
        assert!(imports.named.len() > 5, "{folder} is nearly empty");
        assert_eq!(imports.circles(), [[""; 0]; 0], "circles between files of {folder}");
        assert_eq!(imports.room_circles(), [[""; 0]; 0], "circles between rooms of {folder}");
    }
}
