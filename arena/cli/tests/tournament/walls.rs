//! What the kernel refuses to bots in each sandbox, and what it doesn't refuse to usual runtimes. Where this machine has no
//! sandbox of a kind, a line says so.

use std::fs;
use std::net::TcpListener;
use std::path::Path;

use super::sandbox::works;
use super::stage::Stage;
use crate::support::{PYTHON, client, names, python};

/// Plays a bot that tries all walls before it plays.
fn assert_no_hole(sandbox: &str) {
    if python("bots", "walls.py").is_none() {
        return;
    }
    let mut stage = Stage::new();
    stage.player("ada");
    let other = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = other.local_addr().unwrap().port();
    stage.script("bob", &format!("{PYTHON} walls.py {port}\nexec {} \"$@\"", client()), "");
    let look = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bots/walls.py");
    fs::copy(look, stage.out("bob/walls.py")).unwrap();
    stage.planned("night", &["--seeds", "1"]);
    let finished = stage.run("night", &["--sandbox", sandbox, "--strict"]);
    assert_eq!(finished.code(), 0, "{} {}", finished.stdout, finished.stderr);
    let matches = stage.out("night").join("matches");
    for id in names(&matches) {
        let log = fs::read_to_string(matches.join(id).join("logs/bob-1.log")).unwrap();
        assert!(log.starts_with("open: \nbroken: \n"), "{sandbox}: {log}");
    }
    stage.assert_tidy("night");
}

#[test]
fn in_bubblewrap_no_wall_has_a_hole() {
    if works() {
        assert_no_hole("bwrap");
    }
}

#[test]
fn in_landlock_no_wall_has_a_hole() {
    if super::sandbox::has_landlock() {
        assert_no_hole("landlock");
    }
}
