//! Each kind of folder that authors hand in, taken into one league, and its build within the walls that matches have. A class takes
//! the same ones: `tests/class/kinds.rs`.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use zappy_play::programs::bubblewrap::Sandbox;
use zappy_play::programs::fence;

use super::stage::League;
use crate::support::kinds::{kinds, write};
use crate::support::{Finished, client};

/// Plays what is missing in a league of Zappy, on seeds that every program may know.
fn once(league: &League, flags: &[&str]) -> Finished {
    let finished = league.zappy(&[&["--lobby-time", "5", "--first", "1"], flags].concat());
    assert_eq!(finished.code(), 0, "{}{}", finished.stdout, finished.stderr);
    finished
}

#[test]
fn each_kind_of_folder_enters_or_is_told_why_not() {
    let league = League::new();
    let builds = league.path("builds");
    let kinds = kinds(&builds);
    for kind in &kinds {
        write(&league.path("bots").join(kind.name), &kind.files);
    }
    let flags = ["--no-check", "--sandbox", "none", "--against", "toml"];
    once(&league, &flags);
    let standings = league.standings();
    for kind in &kinds {
        let report =
            || fs::read_to_string(league.path("bots").join(kind.name).join("check-report.txt")).unwrap();
        let refused = standings.refused.iter().find(|refused| refused.name == kind.name);
        let row = standings.table.iter().find(|row| row.name == kind.name);
        match (kind.becomes, refused, row) {
            (Ok(_), None, Some(row)) => assert!(row.matches > 0, "{}", kind.name),
            (Err((_, words)), Some(refused), None) => {
                assert!(refused.why.contains(words) && !refused.why.contains(".new-"), "{refused:?}");
                assert!(report().starts_with("This bot is not in the league: "), "{}", report());
                // The last lines of a build are its author's.
                assert!(kind.name != "not-built" || report().contains("\n  line 3: error\n"), "{}", report());
            }
            (_, refused, row) => panic!("{}: {refused:?} {row:?}", kind.name),
        }
    }
    // Nothing is built twice, whether it is in the field or was refused.
    let count = || fs::read_to_string(&builds).unwrap().lines().count();
    let built = kinds.iter().filter(|kind| kind.files.iter().any(|(_, text)| text.contains("echo built")));
    let (first, before) = (built.count(), league.files());
    assert_eq!(count(), first);
    once(&league, &flags);
    assert_eq!((count(), league.files() == before), (first, true));

    // What another folder is built into is known by its files: the same bot, or another author's.
    let toml = &kinds.iter().find(|kind| kind.name == "toml-built").unwrap().files;
    write(&league.path("bots/copy"), toml);
    let more = [("made", toml.iter().find(|(name, _)| *name == "source").unwrap().1.as_str())];
    write(&league.path("bots/copy"), &[("made", "#!/bin/sh\n# made anew\n")]);
    write(&league.path("bots/toml-built"), &more);
    once(&league, &flags);
    let standings = league.standings();
    let versions = standings.versions.iter().filter(|career| career.name == "toml-built");
    assert_eq!(versions.count(), 1, "the same bot is a new version");
    let copy = standings.refused.iter().find(|refused| refused.name == "copy").unwrap();
    assert!(copy.why.starts_with("it is the same bot as toml-built@1, to the byte"), "{copy:?}");
}

#[test]
fn versions_bear_no_rights_but_to_be_run_and_no_other_user_enters_them() {
    let league = League::new();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o7777;
    for name in ["ada", "bob"] {
        let (bot, play) = (league.path("bots").join(name), format!("# {name}\nexec {} \"$@\"\n", client()));
        let build = "command = \"sh a.sh -p {port} -n {team} -h {host}\"\nbuild = \"sh build.sh\"\n";
        let made = "cp a.sh s\nchmod 6755 s\n";
        write(&bot, &[("bot.toml", build), ("build.sh", made), ("a.sh", &play), ("handed", "#!/bin/sh\n")]);
        fs::set_permissions(bot.join("handed"), fs::Permissions::from_mode(0o6777)).unwrap();
    }
    once(&league, &["--no-check", "--sandbox", "none"]);
    let versions = league.path("versions");
    let files = zappy_tournament::identity::file_paths(&versions).unwrap();
    for name in ["s", "handed"] {
        let there: Vec<_> = files.iter().filter(|file| file.ends_with(name)).collect();
        assert!(there.len() == 2 && there.iter().all(|file| mode(file) & !0o755 == 0), "{files:?}");
    }
    for folder in [&versions, &league.path("matches")] {
        assert_eq!(mode(folder), 0o700, "{}", folder.display());
    }
}

/// Takes in, in that sandbox, a bot that is built with make, one whose build reaches for what it may not, and one whose build is a
/// crowd.
fn in_walls(sandbox: &str) {
    if Command::new("make").arg("--version").output().is_err() {
        return eprintln!("there is no make, so nothing is built with it");
    }
    let league = League::new();
    let ours = shlex::split(&client()).unwrap().remove(0);
    let hand_in = |name: &str, recipe: &str| {
        let folder = league.path("bots").join(name);
        write(&folder, &[("Makefile", format!("zappy_ai: ours\n\t{recipe}\n# {name}\n"))]);
        fs::copy(&ours, folder.join("ours")).unwrap();
    };
    let (secret, beside) = (league.path("secret-of-mine"), league.path("beside"));
    fs::write(&secret, "").unwrap();
    let alone = if sandbox == "bwrap" { "[ $$(grep -c : /proc/net/dev) = 1 ] && " } else { "" };
    let look =
        format!("{alone}! cat {} && ! touch {} && mv ours zappy_ai", secret.display(), beside.display());
    hand_in("ada", &look);
    hand_in("bob", "mv ours zappy_ai");
    hand_in("eve", "exec 3<>/dev/tcp/127.0.0.1/9 || head -c 900000000 /dev/zero >zappy_ai");
    let crowd = "i=0; while [ $$i -lt 200 ]; do sleep 600 & i=$$((i+1)); done; wait";
    hand_in("many", crowd);
    let finished = once(&league, &["--check", "login", "--sandbox", sandbox]);
    let mut order = league.order();
    order.sort();
    assert_eq!(order, ["ada@1", "bob@1"], "{}", finished.stderr);
    assert!(!beside.exists());
    let refused = league.standings().refused;
    let whys: Vec<(&str, &str)> = refused.iter().map(|refused| (&*refused.name, &*refused.why)).collect();
    assert!(
        matches!(whys[..], [("eve", eve), ("many", many)] if eve.starts_with("it isn't built: make: ")
            && many == "it isn't built: make: it used more than 64 processes at one time"),
        "{whys:?}"
    );
    assert!(league.path("bots/ada/ours").exists() && !league.path("bots/ada/zappy_ai").exists());
}

#[test]
fn a_build_is_held_by_bubblewrap() {
    match Sandbox::find().and_then(Sandbox::try_out) {
        Ok(_) => in_walls("bwrap"),
        Err(why) => eprintln!("{why}, so nothing is built in it"),
    }
}

#[test]
fn a_build_is_held_by_landlock() {
    match fence::find() {
        Ok(_) => in_walls("landlock"),
        Err(why) => eprintln!("{why}, so nothing is built in it"),
    }
}
