//! What files of a submission, and what its build leaves, may be: no way to the grader's rights.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use rustix::process::geteuid;
use zappy_play::programs::bubblewrap::Sandbox;
use zappy_play::programs::fence;
use zappy_tournament::identity::file_paths;

use super::room::{Room, WHOLE, student};
use crate::support::{Running, client};

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

/// Grades, in that sandbox, a class of one whose build makes a program that would run as its owner, and who hands in another.
fn in_sandbox(sandbox: &str) {
    let room = Room::new();
    let toml = "command = \"./made\"\nbuild = \"sh build.sh\"\n";
    let build = "id -u\necho token: $GITHUB_TOKEN, given: $GIVEN\ncp /bin/sh s\nchmod 6755 s\nmkdir d\ncp s d/s\nln -s /etc/passwd d/way\nchmod 4777 d/s\nchmod 7777 d\n\
        printf '#!/bin/sh\\nexec ./ours \"$@\"\\n' >made\nchmod 755 made\n";
    let ada = room.hand_in("ada", &[("bot.toml", toml), ("build.sh", build), ("handed", "#!/bin/sh\n")]);
    fs::copy(shlex::split(&client()).unwrap().remove(0), ada.join("ours")).unwrap();
    symlink("/etc/shadow", ada.join("shadow")).unwrap();
    symlink("handed", ada.join("again")).unwrap();
    symlink("../../out", ada.join("up")).unwrap();
    fs::set_permissions(ada.join("handed"), fs::Permissions::from_mode(0o4755)).unwrap();
    let mut command =
        room.command(&room.out("submissions"), "out", &["--sandbox", sandbox, "--env", "GIVEN"]);
    let finished = Running::start(command.env("GITHUB_TOKEN", "secret-1").env("GIVEN", "given-1"));
    let finished = finished.finish_within(WHOLE);
    assert_eq!(finished.code(), 0, "{}{}", finished.stdout, finished.stderr);
    let ada = student(&room.class("out"), "ada").clone();
    assert_eq!((&ada["state"], &ada["faults"]), (&"graded".into(), &serde_json::json!({})), "{ada:#}");

    let out = room.out("out");
    let all = file_paths(&out).unwrap();
    let bot = all.iter().find(|file| file.ends_with("bot/s")).unwrap();
    assert!(bot.with_file_name("handed").exists() && bot.with_file_name("d").join("s").exists());
    // What a packer would follow out of the folder is told, and isn't there.
    let kept =
        ["again", "shadow", "up", "d/way"].map(|link| fs::symlink_metadata(bot.with_file_name(link)).is_ok());
    assert_eq!(
        (kept, &ada["left_out"]),
        ([true, false, false, false], &serde_json::json!(["d/way", "shadow", "up"]))
    );
    for path in all.iter().flat_map(|file| file.ancestors()).filter(|path| path.starts_with(&out)) {
        assert_eq!(mode(path) & 0o7022, 0, "{sandbox}: {} {:o}", path.display(), mode(path));
    }
    // No other user comes so far, neither now nor while it was built beside.
    let ways = [&out, &out.join("students"), bot.parent().unwrap(), bot.ancestors().nth(2).unwrap()];
    for way in ways {
        assert_eq!(mode(way), 0o700, "{}", way.display());
    }
    let log = fs::read_to_string(bot.ancestors().nth(2).unwrap().join("build.log")).unwrap();
    assert!(log.contains("token: , given: given-1\n"), "{log}");
    let as_root = log.starts_with("0\n");
    assert_eq!(as_root, geteuid().is_root() && sandbox == "none", "{sandbox}: {log}");
}

#[test]
fn no_file_bears_another_users_rights_out_of_bubblewrap() {
    match Sandbox::find().and_then(Sandbox::try_out) {
        Ok(_) => in_sandbox("bwrap"),
        Err(why) => eprintln!("{why}, so nothing is built in it"),
    }
}

#[test]
fn no_file_bears_another_users_rights_out_of_landlock() {
    match fence::find() {
        Ok(_) => in_sandbox("landlock"),
        Err(why) => eprintln!("{why}, so nothing is built in it"),
    }
}

#[test]
fn no_file_bears_another_users_rights_without_a_sandbox() {
    in_sandbox("none");
}
