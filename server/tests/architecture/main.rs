//! What Cargo can't refuse: names that a room must not use, and circles within a crate.
//!
//! Reads the sources as text and compiles nothing.

mod circles;
#[path = "../texts/mod.rs"]
mod texts;

use circles::Sources;
use texts::{crates, root};
use zappy_server::games::GAMES;

/// Rooms, and names that their code doesn't use, beside those of the games, which are pure. What follows `but` in a room's
/// place is left out.
const FORBIDDEN: [(&str, &str); 5] = [
    ("protocol/src", "std::net std::time std::thread std::env std::process f32 f64"),
    ("server/src/net", "config record result cli"),
    ("gui/app/src but gui/app/src/window", "macroquad miniquad"),
    ("gui/engine/src/panels", "crate::source crate::app::session"),
    ("site/src", "OpenOptions std::fs::write std::fs::create_dir_all std::fs::remove_file"),
];
const PURE: &str = "std::io std::net std::time std::thread std::fs std::env std::process HashMap HashSet Instant SystemTime f32 f64";

/// Where games' names may stand besides their own rooms: a table per program, and the crate that tests them.
const TABLES: [&str; 8] = [
    "server/src/games.rs",
    "gui/app/src/games.rs",
    "arena/check/src/games.rs",
    "arena/cli/src/main.rs",
    "ai-client/src/cli.rs",
    "simulation/src/",
    "site/src/match_state.rs",
    // Records of format 1 name no game: they are all of one.
    "protocol/src/record/header.rs",
];

/// Whether a line of code has these words, and neither as a part of longer ones nor of a program's name.
fn names(line: &str, words: &str) -> bool {
    let edge = |c: Option<char>| !c.is_some_and(|c| c.is_alphanumeric() || "_-".contains(c));
    let whole = |(at, _): (usize, &str)| {
        edge(line[..at].chars().next_back()) && edge(line[at + words.len()..].chars().next())
    };
    line.match_indices(words).any(whole)
}

#[test]
fn no_room_uses_a_name_that_is_not_for_it() {
    let sources = Sources::read();
    let mut found = Vec::new();
    let games = crates().into_iter().filter(|folder| folder.starts_with("games/"));
    let games: Vec<String> = games.map(|folder| folder + "/src/").collect();
    assert!(games.len() > 4, "only {games:?} are games");
    let pure = games.iter().map(|room| (room.as_str(), PURE));
    for (place, words) in FORBIDDEN.into_iter().chain(pure) {
        let (room, left_out) = place.split_once(" but ").unwrap_or((place, "/src/tests/"));
        let of_room = sources.files().filter(|file| file.path.starts_with(room));
        let files: Vec<_> = of_room.filter(|file| !file.path.contains(left_out)).collect();
        assert!(!files.is_empty() && (words == PURE || files.len() > 3), "{room} is nearly empty");
        for file in files {
            let paths: Vec<String> = file.paths.iter().map(|path| path.join("::")).collect();
            let is_type =
                |word: &str| word.starts_with(char::is_uppercase) || word.starts_with("f3") || word == "f64";
            let used = |word: &&str| {
                paths.iter().any(|path| names(path, word)) || is_type(word) && names(&file.code, word)
            };
            found.extend(words.split(' ').filter(used).map(|word| format!("{} names {word}", file.path)));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn games_observers_and_clients_know_neither_the_server_nor_the_arena() {
    let mut found = Vec::new();
    for folder in crates() {
        let allowed = match folder.split('/').next().unwrap_or_default() {
            "protocol" => "",
            "games" => "protocol game turns",
            "gui" => "protocol observer screen-zappy screen-conquest",
            "ai-client" => "protocol",
            _ => continue,
        };
        let manifest = std::fs::read_to_string(root().join(&folder).join("Cargo.toml")).unwrap();
        let tables = manifest.split("\n[").filter(|table| table.starts_with("dependencies]"));
        let names = tables
            .flat_map(str::lines)
            .filter_map(|line| line.split(['.', ' ']).next()?.strip_prefix("zappy-"));
        let foreign = names.filter(|name| !allowed.split(' ').any(|one| one == *name));
        found.extend(foreign.map(|name| format!("{folder} depends on zappy-{name}")));
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn a_game_is_named_in_its_own_rooms_and_in_one_table_per_program() {
    let games: Vec<&str> = GAMES.iter().map(|game| game.name).collect();
    let is_left_out = |path: &str| path.split(['/', '.']).any(|part| games.contains(&part));
    let stands = |line: &str| {
        let declares = line.trim_start_matches("pub").trim_start().starts_with("mod ");
        !declares
            && games.iter().any(|game| names(line, game) || line.contains(&format!("zappy_game_{game}")))
    };
    let mut found = Vec::new();
    let is_table = |path: &str| TABLES.iter().any(|place| path.starts_with(place));
    for file in Sources::read().files().filter(|file| !is_left_out(&file.path) && !is_table(&file.path)) {
        // Strings count: a game's name is one.
        let line = file.text.lines().find(|line| stands(line.split("//").next().unwrap_or_default()));
        found.extend(line.map(|line| format!("{}: {}", file.path, line.trim())));
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn the_walk_finds_what_it_looks_for() {
    assert!(names("use std::net::TcpStream;", "std::net") && names("log::info!(\"x\");", "log"));
    assert!(
        names("game == \"zappy\"", "zappy")
            && !names("\"zappy-team-\"", "zappy")
            && !names("zappy_ai", "zappy")
    );
    assert!(!names("let login = catalog(internet);", "log") && !names("fn log_in(&mut self) {}", "log"));
}
