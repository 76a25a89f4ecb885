//! What enters a league and what doesn't.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use crate::stage::{League, WHOLE};
use crate::support::{ARENA, Finished, Running, client, run, server};

/// Plays what is missing in a league of Zappy whose bots must log in.
fn zappy(league: &League) -> Finished {
    let mut command = Command::new(ARENA);
    command.arg("league").arg(league.path("")).args([
        "--once",
        "--check",
        "login",
        "--sandbox",
        "none",
        "--seeds",
        "1",
    ]);
    command.args([
        "--width",
        "10",
        "--height",
        "10",
        "--clients",
        "1",
        "--max-ticks",
        "100",
        "--think-time",
        "60000",
    ]);
    Running::start(command.arg("--server").arg(server())).finish_within(WHOLE)
}

#[test]
fn a_bot_that_fails_its_check_does_not_enter_and_an_older_version_plays_on() {
    let (league, good) = (League::new(), format!("exec {} \"$@\"", client()));
    league.hand_in_script("ada", &good);
    league.hand_in_script("bob", &format!("# bob\n{good}"));
    league.hand_in_script("mute", "exit 1");
    let finished = zappy(&league);
    assert_eq!(finished.code(), 0, "{}", finished.stderr);
    assert!(
        finished.stdout.contains("not in the league: mute: 0 of 1 situations passed"),
        "{}",
        finished.stdout
    );
    let report =
        |name: &str| fs::read_to_string(league.path("bots").join(name).join("check-report.txt")).unwrap();
    assert!(
        report("mute").starts_with("This bot is not in the league: it failed its check.\n"),
        "{}",
        report("mute")
    );
    assert!(report("mute").contains("Mend first: login"), "{}", report("mute"));
    assert!(
        report("ada").starts_with("This bot is in the league: it passed its check.\n"),
        "{}",
        report("ada")
    );
    assert_eq!((league.standings().table.len(), league.played()), (2, 2));
    assert_eq!(league.standings().refused.len(), 1);
    assert!(fs::read_to_string(league.path("index.html")).unwrap().contains("Not in the league"));

    league.hand_in_script("mute", &format!("# mended\n{good}"));
    league.hand_in_script("ada", "exit 1");
    let finished = zappy(&league);
    assert_eq!(finished.code(), 0, "{}", finished.stderr);
    let mut order = league.order();
    order.sort();
    assert_eq!(order, ["ada@1", "bob@1", "mute@1"]);
    assert_eq!(league.played(), 6);
    // Seeds are sealed, and each is told by its result alone.
    let plan = fs::read_to_string(league.path("plan.jsonl")).unwrap();
    assert!(plan.lines().all(|line| line.contains("seed_sha256") && !line.contains("\"seed\":")));
    let seeds = fs::read_to_string(league.path("seeds")).unwrap();
    assert_eq!(seeds.lines().collect::<std::collections::BTreeSet<_>>().len(), 3, "{seeds}");
}

#[test]
fn hostile_folders_cost_no_other_bot_anything() {
    let league = League::new();
    [("ada", 30), ("bob", 20)].iter().for_each(|(name, number)| league.hand_in(name, *number));
    let bots = league.path("bots");
    // The same bot under another name, and one that reads elsewhere.
    Command::new("cp").args(["-r", "ada", "twin"]).current_dir(&bots).status().unwrap();
    fs::create_dir(bots.join("nosy")).unwrap();
    fs::write(bots.join("nosy/COMMAND"), "cat /etc/passwd").unwrap();
    fs::create_dir(bots.join("pipe")).unwrap();
    assert!(Command::new("mkfifo").arg(bots.join("pipe/bot.toml")).status().unwrap().success());
    fs::create_dir(bots.join("huge")).unwrap();
    fs::File::create(bots.join("huge/bot")).unwrap().set_len(1 << 40).unwrap();
    symlink("/etc", bots.join("etc")).unwrap();
    fs::create_dir(bots.join("victim")).unwrap();
    fs::write(league.path("untouched"), "untouched").unwrap();
    symlink(league.path("untouched"), bots.join("victim/check-report.txt")).unwrap();
    let finished = league.once(&["--seeds", "1"]);
    assert_eq!(league.order(), ["ada@1", "bob@1"]);
    let refused = league.standings().refused;
    let names: Vec<&str> = refused.iter().map(|refused| &*refused.name).collect();
    assert_eq!(names, ["etc", "huge", "nosy", "pipe", "twin", "victim"], "{}", finished.stderr);
    assert!(refused[4].why.starts_with("it is the same bot as ada@1, to the byte"), "{refused:?}");
    assert_eq!(fs::read_to_string(league.path("untouched")).unwrap(), "untouched");
    assert!(
        fs::read_to_string(bots.join("victim/check-report.txt")).unwrap().starts_with("This bot is not in")
    );
}

#[test]
fn what_makes_no_league_is_refused_with_the_remedy() {
    let league = League::new();
    let refuse = |flags: &[&str], code: i32, words: &str| {
        let finished = run(&mut league.command(flags));
        let said = format!("{}{}", finished.stdout, finished.stderr);
        assert_eq!(finished.code(), code, "{said}");
        assert!(said.contains(words), "{said}");
    };
    refuse(&["--once", "--pairing", "gauntlet"], 2, "say whom all bots meet with --against NAME");
    refuse(
        &["--once", "--pairing", "swiss", "--against", "ada"],
        2,
        "--against belongs to --pairing gauntlet, not to swiss",
    );
    refuse(
        &["--once", "--check", "nothing"],
        2,
        "there is no situation \"nothing\"; zappy_arena check --list",
    );
    refuse(&["--once", "--plan"], 2, "cannot be used with");
    refuse(&["--once", "--seeds", "3"], 0, "a league takes two bots or more; put each into a folder below");
    refuse(&["--once", "--seeds", "4"], 2, "league.json: --seeds is 3 there, 4 here; leave the flags away");
    refuse(&["--once", "--max-ticks", "77"], 2, "max_ticks is ");
    fs::write(league.path("league.json"), "{}").unwrap();
    refuse(&["--once"], 2, "league.json");
}
