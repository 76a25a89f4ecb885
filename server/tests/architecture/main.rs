//! What Cargo can't refuse: names that a room must not use, circles within a crate, and what every file must have.
//!
//! Reads the sources as text and compiles nothing.

mod circles;

use std::path::Path;

use circles::{Sources, crates, root, texts};
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

/// The crates of the workspace that each of them may depend on, tests aside. A manifest could allow more.
const DEPENDENCIES: [(&str, &str); 20] = [
    ("protocol", ""),
    ("games/game", "protocol"),
    ("games/turns", "protocol game"),
    ("games/zappy", "protocol game"),
    ("games/conquest", "protocol game turns"),
    ("games/snakes", "protocol game turns"),
    ("server", "protocol game game-zappy game-conquest"),
    ("simulation", "protocol game game-zappy game-conquest game-snakes server play tournament"),
    ("gui/engine", "protocol"),
    ("gui/zappy", "protocol observer"),
    ("gui/conquest", "protocol observer"),
    ("gui/app", "protocol observer screen-zappy screen-conquest"),
    ("ai-client", "protocol"),
    ("arena/play", "protocol game game-zappy game-conquest server ai"),
    ("arena/records", "protocol game game-zappy game-conquest server play"),
    ("arena/check", "protocol game game-zappy game-conquest server play"),
    ("arena/tournament", "protocol game server play records"),
    ("arena/ladder", "protocol game server play tournament"),
    ("arena/cli", "protocol game server ai play records check tournament ladder"),
    ("site", "protocol game server play records tournament"),
];

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
fn crates_depend_only_on_crates_that_they_may_know() {
    let mut found = Vec::new();
    assert_eq!(crates().len(), DEPENDENCIES.len(), "a crate is missing in the list");
    for (folder, allowed) in DEPENDENCIES {
        let manifest = std::fs::read_to_string(root().join(folder).join("Cargo.toml")).unwrap();
        let tables = manifest.split("\n[").filter(|table| {
            table.starts_with("dependencies")
                || table.starts_with("target") && !table.contains("dev-dependencies]")
        });
        for line in tables.flat_map(str::lines) {
            let name = line.split(['.', ' ']).next().and_then(|name| name.strip_prefix("zappy-"));
            found.extend(
                name.filter(|name| !allowed.split(' ').any(|one| one == *name))
                    .map(|name| format!("{folder} depends on zappy-{name}")),
            );
        }
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
    for file in Sources::read().files().filter(|file| !is_left_out(&file.path)) {
        // Strings count: a game's name is one.
        let Some(line) = file.text.lines().find(|line| stands(line.split("//").next().unwrap_or_default()))
        else {
            continue;
        };
        if !TABLES.iter().any(|place| file.path.starts_with(place)) {
            found.push(format!("{}: {}", file.path, line.trim()));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn every_file_says_what_it_is_and_what_it_speaks_of() {
    // A socket, a seat, a file or a process is none of these.
    let vague = ["whoever", "nobody", "somebody", "anybody", "everybody", "whom"];
    let mut found = Vec::new();
    for (path, text) in crates().iter().flat_map(|folder| texts(Path::new(folder), &[".rs"])) {
        if !text.starts_with("//!") {
            found.push(format!("{path} does not open with //!"));
        }
        let lines = text.lines().count();
        if lines > 500 {
            found.push(format!("{path} has {lines} lines"));
        }
        for (line, number) in text.lines().zip(1..) {
            let comment = line.split_once("//").map_or("", |(_, comment)| comment).to_lowercase();
            let mut words = comment.split(|c: char| !c.is_alphabetic());
            found.extend(
                words
                    .find(|word| vague.contains(word) && !path.contains("starters"))
                    .map(|word| format!("{path}:{number} says {word}")),
            );
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn no_file_names_a_folder_of_a_machine() {
    let own = root().to_string_lossy().into_owned();
    let places = [own.as_str(), concat!("/Us", "ers/"), concat!("C:\\", "Users")];
    let mut endings =
        vec!["Makefile", "Dockerfile", ".md", ".rs", ".toml", ".sh", ".py", ".yml", ".txt", ".json"];
    endings.extend([".html", ".js", ".c", ".java", ".zrec", ".ci/run"]);
    let files = texts(Path::new(""), &endings);
    assert!(files.len() > 1000, "only {} files were read", files.len());
    for (path, text) in files {
        let line = text.lines().find(|line| places.iter().any(|place| line.contains(place)));
        assert_eq!(line, None, "{path}");
    }
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
