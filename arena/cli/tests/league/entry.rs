//! What enters a league and what doesn't.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;
use std::time::{Duration, SystemTime};

use super::stage::League;
use crate::support::{Finished, client, run};

/// Plays what is missing in a league of Zappy whose bots must log in.
fn zappy(league: &League) -> Finished {
    league.zappy(&["--check", "login", "--sandbox", "none"])
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
        finished.stdout.contains("not in the league: mute: 0 of 1 situation passed"),
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
    let page = || fs::read_to_string(league.path("index.html")).unwrap();
    assert!(page().contains("<b>mute</b> is not in the league: 0 of 1"), "{}", page());
    for words in
        ["checking ada@1 (1 of 3)", "checking mute@1 (3 of 3)", "ada@1 passed", "mute@1 failed: 0 of 1"]
    {
        assert!(finished.stderr.contains(words), "{words}: {}", finished.stderr);
    }

    league.hand_in_script("mute", &format!("# mended\n{good}"));
    // Another one than mute's, of which it would be a copy.
    league.hand_in_script("ada", "exit 2");
    let finished = zappy(&league);
    assert_eq!(finished.code(), 0, "{}", finished.stderr);
    let mut order = league.order();
    order.sort();
    assert_eq!(order, ["ada@1", "bob@1", "mute@1"]);
    assert_eq!(league.played(), 6);
    // Of the older version that plays on it isn't said that it is out.
    assert!(
        finished
            .stdout
            .contains("ada's new version (2) did not enter, ada@1 plays on: 0 of 1 situation passed"),
        "{}",
        finished.stdout
    );
    let head = "ada's new version (2) did not enter the league; ada@1 plays on: it failed its check.\n";
    assert!(report("ada").starts_with(head), "{}", report("ada"));
    let begins = "<b>ada</b>'s new version (2) did not enter; <b>ada@1</b> plays on: ";
    assert!(page().contains(begins) && !page().contains("not in the league"), "{}", page());
    // What they must pass is written down.
    let other = league.zappy(&["--no-check", "--sandbox", "none"]);
    assert_eq!(other.code(), 2);
    assert!(other.stderr.contains("--check is login there, none here; leave the flags"), "{}", other.stderr);
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
    // One that reads elsewhere.
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
    assert_eq!(names, ["etc", "huge", "nosy", "pipe", "victim"], "{}", finished.stderr);
    assert!(refused[0].why.starts_with("it is a link, which may lead out"), "{}", refused[0].why);
    assert_eq!(fs::read_to_string(league.path("untouched")).unwrap(), "untouched");
    assert!(
        fs::read_to_string(bots.join("victim/check-report.txt")).unwrap().starts_with("This bot is not in")
    );
}

#[test]
fn the_author_plays_and_a_copy_is_refused_whatever_they_are_called() {
    let league = League::new();
    let age = |name: &str, seconds: u64| {
        let file = fs::File::open(league.path("bots").join(name).join("run.sh")).unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)).unwrap();
    };
    league.hand_in("Zoe Smith", 30);
    league.hand_in("aaron", 30);
    league.hand_in("bob", 20);
    age("Zoe Smith", 1_000);
    league.remove("aaron");
    league.once(&["--seeds", "1"]);
    league.hand_in("aaron", 30);
    age("aaron", 1);
    // How it is started makes no other bot of it.
    fs::write(
        league.path("bots/aaron/bot.toml"),
        "command = \"sh ./run.sh -p {port} -n {team} -h {host}\"\n",
    )
    .unwrap();
    let finished = league.once(&[]);
    assert_eq!(league.order(), ["Zoe_Smith@1", "bob@1"], "{}", finished.stderr);
    assert_eq!(league.standings().table[0].folder.as_deref(), Some("Zoe Smith"));
    assert!(fs::read_to_string(league.path("index.html")).unwrap().contains("Zoe Smith"));
    let refused = || league.standings().refused;
    assert!(matches!(&refused()[..], [one] if one.name == "aaron"), "{:?}", refused());
    assert!(refused()[0].why.starts_with("its files are Zoe_Smith's, to the byte"), "{:?}", refused());
    // It stays so when the copy claims to be older, and when the author is gone.
    age("aaron", 1);
    league.remove("Zoe Smith");
    league.hand_in("cyd", 10);
    league.once(&[]);
    assert_eq!(league.order(), ["bob@1", "cyd@1"]);
    assert!(refused()[0].why.starts_with("its files are Zoe_Smith's, to the byte"), "{:?}", refused());
}

#[test]
fn two_that_come_with_the_same_files_in_one_look_both_play_and_are_told() {
    let league = League::new();
    league.hand_in("ada", 30);
    league.hand_in("bob", 20);
    let bots = league.path("bots");
    let copied = Command::new("cp").args(["-r", "ada", "twin"]).current_dir(&bots).status().unwrap();
    assert!(copied.success());
    for name in ["ada", "bob", "twin"] {
        let file = fs::File::open(bots.join(name).join("run.sh")).unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(u64::from(name == "ada"))).unwrap();
    }
    let finished = league.once(&["--seeds", "1"]);
    let mut order = league.order();
    order.sort();
    assert_eq!(order, ["ada@1", "bob@1", "twin@1"], "{}", finished.stderr);
    assert_eq!((league.standings().refused.len(), league.played()), (0, 6));
    for (name, other) in [("ada", "twin"), ("twin", "ada")] {
        let words = format!("{name} came with the same files as {other} in the same look");
        assert!(finished.stderr.contains(&words), "{}", finished.stderr);
        let report = fs::read_to_string(bots.join(name).join("check-report.txt")).unwrap();
        assert!(report.contains(&words), "{report}");
    }
    // They stay in, and a later one is a copy of theirs.
    league.hand_in("eve", 30);
    league.once(&[]);
    assert_eq!(league.played(), 6);
    let refused = league.standings().refused;
    assert!(matches!(&refused[..], [one] if one.name == "eve"), "{refused:?}");
    assert!(refused[0].why.starts_with("its files are ada's and twin's, to the byte"), "{refused:?}");
}

#[test]
fn a_name_stays_with_the_folder_that_had_it_first() {
    let league = League::new();
    league.hand_in("Team One", 30);
    league.hand_in("bob", 20);
    league.once(&["--seeds", "1"]);
    let first = league.standings();
    league.hand_in("Team_One", 5);
    for _ in 0..2 {
        let finished = league.once(&[]);
        assert_eq!(league.order(), ["Team_One@1", "bob@1"], "{}", finished.stderr);
        let now = league.standings();
        assert_eq!((now.table[0].folder.as_deref(), league.played()), (Some("Team One"), 2));
        assert_eq!(now.table.len(), first.table.len());
        let why = "it would be called Team_One, and that name belongs to the folder \"Team One\", which had it first";
        assert!(matches!(&now.refused[..], [one] if one.name == "Team_One" && one.why.starts_with(why)));
        assert!(now.refused[0].plays_on.is_none());
        let words = "<b>Team_One</b> is not in the league: it would be called Team_One";
        let page = fs::read_to_string(league.path("index.html")).unwrap();
        assert!(page.contains(words), "{page}");
        let report = fs::read_to_string(league.path("bots/Team_One/check-report.txt")).unwrap();
        assert!(report.contains(why), "{report}");
    }
    // Also when it is gone.
    league.hand_in("cyd", 10);
    league.remove("Team One");
    league.once(&[]);
    assert_eq!(league.order(), ["bob@1", "cyd@1"]);
    assert_eq!(league.standings().refused.len(), 1);
}

#[test]
fn a_folder_without_bots_is_no_league_and_none_is_begun_there() {
    let league = League::new();
    fs::remove_dir(league.path("bots")).unwrap();
    let finished = run(&mut league.command(&["--once"]));
    assert_eq!(finished.code(), 2, "{}", finished.stderr);
    let words = format!("begin one with: mkdir -p {}", league.path("").join("bots").display());
    assert!(finished.stderr.contains(&words), "{}", finished.stderr);
    assert_eq!(fs::read_dir(league.path("")).unwrap().count(), 0);
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
    fs::create_dir(league.path("bots/eve")).unwrap();
    refuse(&["--once", "--seeds", "3"], 3, "a league takes two bots or more, and 0 could enter; put each");
    league.hand_in("ada", 1);
    refuse(&["--once"], 3, "a league takes two bots or more, and 1 could enter; put each");
    refuse(&["--once"], 3, "not in the league: eve: the folder is empty");
    refuse(&["--once", "--no-check"], 2, "league.json: --check is all situations there, none here; leave");
    refuse(&["--once", "--seeds", "4"], 2, "league.json: --seeds is 3 there, 4 here; leave the flags out");
    refuse(&["--once", "--max-ticks", "77"], 2, "league.json: --max-ticks is 10000 there, 77 here; leave");
    fs::write(league.path("league.json"), "{}").unwrap();
    refuse(&["--once"], 2, "league.json");
}
