//! A folder that lost a file is refused or told of, and never taken for one in which nothing was played.

use std::fs;
use std::path::Path;
use std::process::Command;

use rustix::process::Signal;

use super::stage::{Stage, bot, knock, line, say};
use crate::support::run;

/// A folder in which one match was played.
fn played(stage: &Stage, name: &str, seed: u32) -> std::path::PathBuf {
    let (folder, list) = (stage.beside(name), stage.bench.path(&format!("list-{name}")));
    fs::write(&list, format!("{{\"bots\": [\"ada\", \"bob\"], \"seed\": {seed}}}\n")).unwrap();
    let flags = ["--port", "0", "--gather", "0", "--matches", list.to_str().unwrap()];
    let (host, port) = stage.host(&folder, &flags);
    let bots = stage.play(&["ada", "bob"], port);
    assert_eq!(host.finish().code(), 0);
    bots.into_iter().for_each(|bot| drop(bot.join()));
    folder
}

fn table(folder: &Path) -> String {
    fs::read_to_string(folder.join("ladder.json")).unwrap()
}

#[test]
fn a_lost_plan_is_refused_and_a_record_that_is_not_the_one_that_was_judged_is_named() {
    let stage = Stage::new(&["ada", "bob"]);
    let folder = played(&stage, "one", 1);
    let (before, plan) = (table(&folder), folder.join("plan.jsonl"));
    let kept = fs::read(&plan).unwrap();
    let tell = || run(&mut stage.command(&folder, &["--table"]));
    for empties in [false, true] {
        fs::remove_file(&plan).unwrap();
        if empties {
            fs::write(&plan, "").unwrap();
        }
        let refused = tell();
        assert_eq!(refused.code(), 2, "{}", refused.stderr);
        let words = ["plan.jsonl: it was lost or emptied, since ", ".json is there; put a copy of it back"];
        assert!(words.iter().all(|part| refused.stderr.contains(part)), "{}", refused.stderr);
        assert_eq!(table(&folder), before);
    }
    // Half of it is no lost one; where its end is missing nothing is.
    fs::write(&plan, &kept[..kept.len() / 2]).unwrap();
    let refused = tell().stderr;
    assert!(refused.contains("plan.jsonl: line 1: ") && !refused.contains("lost"), "{refused}");
    fs::write(&plan, kept.trim_ascii_end()).unwrap();
    assert_eq!((tell().code(), fs::read(&plan).unwrap()), (0, kept));
    for name in ["bots.json", "settings.json", "names.json"] {
        let (file, away) = (folder.join(name), stage.bench.path("away"));
        fs::rename(&file, &away).unwrap();
        let refused = tell();
        assert_eq!(refused.code(), 2, "{}", refused.stderr);
        let words = format!("{name}: it isn't there");
        assert!(
            refused.stderr.contains(&words) && !refused.stderr.contains("tournament"),
            "{}",
            refused.stderr
        );
        assert!(!file.exists());
        fs::rename(&away, &file).unwrap();
    }
    assert!(!tell().stderr.contains("match.zrec"));
    let record = Stage::only(&folder).join("match.zrec");
    fs::write(&record, "changed").unwrap();
    assert!(
        tell().stderr.contains("match.zrec: it was changed since the match was judged. The match counts all")
    );
    fs::remove_file(&record).unwrap();
    let told = tell();
    assert!(told.code() == 0 && told.stderr.contains("match.zrec: there is no such file"), "{}", told.stderr);
    assert_eq!(table(&folder), before);
}

#[test]
fn a_ladder_whose_matches_could_not_begin_is_refused_before_anything_is_written() {
    let stage = Stage::new(&[]);
    let flags = ["--port", "0", "--game", "conquest", "--teams", "8", "--scenario", "ring"];
    let refused = run(&mut stage.command(&stage.folder(), &flags));
    assert_eq!(refused.code(), 2, "{}", refused.stderr);
    assert!(refused.stderr.contains("no match can be played so: "), "{}", refused.stderr);
    assert!(!stage.folder().exists());
}

#[test]
fn a_list_of_which_nothing_is_left_says_so() {
    let stage = Stage::new(&["ada", "bob"]);
    let (folder, list) = (played(&stage, "one", 1), stage.bench.path("list-one"));
    let text = fs::read_to_string(&list).unwrap();
    for (text, what) in [
        (format!("\u{feff}{text}"), "all its matches were played before, so nothing"),
        (String::new(), "no match stands in it, so nothing"),
    ] {
        fs::write(&list, text).unwrap();
        let (host, _) = stage.host(&folder, &["--port", "0", "--matches", list.to_str().unwrap()]);
        let finished = host.finish();
        assert!(finished.code() == 0 && finished.stderr.contains(what), "{}", finished.stderr);
    }
}

#[test]
fn a_merge_takes_in_all_or_nothing_and_tells_of_void_matches() {
    let stage = Stage::new(&["ada", "bob"]);
    let (one, other) = (played(&stage, "one", 1), played(&stage, "other", 2));
    let all = stage.bench.path("all");
    let merge = |into: &Path, from: &[&Path]| {
        let flags: Vec<&str> = from.iter().flat_map(|from| ["--merge", from.to_str().unwrap()]).collect();
        run(&mut stage.command(into, &flags))
    };
    let itself = merge(&one, &[&one]);
    assert!(
        itself.code() == 2 && itself.stderr.contains("the ladder of --folder itself"),
        "{}",
        itself.stderr
    );
    // The second one lacks its record, or has an emptied one.
    let (record, away) = (Stage::only(&other).join("match.zrec"), stage.bench.path("away"));
    fs::rename(&record, &away).unwrap();
    for empties in [false, true] {
        if empties {
            fs::write(&record, "").unwrap();
        }
        let refused = merge(&all, &[&one, &other]);
        assert!(
            refused.code() != 0 && refused.stderr.contains(record.to_str().unwrap()),
            "{}",
            refused.stderr
        );
        assert_eq!((Stage::results(&all).len(), fs::read_dir(all.join("matches")).unwrap().count()), (0, 0));
    }
    fs::rename(&away, &record).unwrap();
    // A match of the first one is void.
    let void = Stage::only(&one);
    let id = void.file_name().unwrap().to_str().unwrap().to_owned();
    fs::remove_file(one.join(format!("results/{id}.json"))).unwrap();
    fs::create_dir_all(one.join("failed")).unwrap();
    let failed = format!("{{\"id\": \"{id}\", \"why\": \"ada, bob: void, the host ended\"}}");
    fs::write(one.join(format!("failed/{id}.json")), failed).unwrap();
    for _ in 0..2 {
        let merged = merge(&all, &[&one, &other]);
        assert_eq!(merged.code(), 0, "{}", merged.stderr);
        assert!(merged.stdout.contains("ada, bob: void, the host ended"), "{}", merged.stdout);
        assert_eq!(Stage::results(&all).len(), 1);
    }
}

#[test]
fn a_merge_refuses_a_match_that_ended_in_two_ways_and_warns_of_a_name_with_two_tokens() {
    let stage = Stage::new(&["ada", "bob"]);
    let one = played(&stage, "one", 1);
    let [other, all] = ["other", "all"].map(|name| stage.bench.path(name));
    assert!(Command::new("cp").arg("-r").args([&one, &other]).status().unwrap().success());
    for name in ["ada", "bob"] {
        assert_eq!(run(&mut stage.command(&other, &["--remove", name])).code(), 0);
        assert_eq!(run(&mut stage.command(&other, &["--add", name])).code(), 0);
    }
    let merge =
        |into: &Path, from: &Path| run(&mut stage.command(into, &["--merge", from.to_str().unwrap()]));
    let merged = merge(&one, &other);
    assert!(merged.code() == 0 && merged.stderr.contains("ada has another token in"), "{}", merged.stderr);
    assert_eq!(merge(&all, &one).code(), 0);
    // The same match ended at another tick there.
    let id = Stage::only(&other).file_name().unwrap().to_str().unwrap().to_owned();
    let result = other.join(format!("results/{id}.json"));
    let mut outcome: serde_json::Value = serde_json::from_slice(&fs::read(&result).unwrap()).unwrap();
    outcome["ticks"] = (outcome["ticks"].as_u64().unwrap() + 1).into();
    outcome.as_object_mut().unwrap().remove("sha256");
    fs::write(&result, format!("{outcome}\n")).unwrap();
    let refused = merge(&all, &other);
    assert!(refused.code() == 2 && refused.stderr.contains("ended in two ways"), "{}", refused.stderr);
    assert!(refused.stderr.contains(result.to_str().unwrap()), "{}", refused.stderr);
}

#[test]
fn a_match_that_lost_its_result_is_named_by_each_that_reads_it() {
    let stage = Stage::new(&["ada", "bob"]);
    let folder = played(&stage, "one", 1);
    let result = folder.join("results").join(Stage::results(&folder).keys().next().unwrap());
    fs::remove_file(&result).unwrap();
    let words = format!("{}: it isn't there, though its match was played", result.display());
    let from = folder.to_str().unwrap();
    for (into, flags) in [(folder.clone(), vec!["--table"]), (stage.bench.path("all"), vec!["--merge", from])]
    {
        let told = run(&mut stage.command(&into, &flags)).stderr;
        assert_eq!(told.matches(&words).count(), 1, "{told}");
    }
    let (host, _) = stage.host(&folder, &["--port", "0"]);
    let told = host.insist(Signal::INT).stderr;
    assert_eq!(told.matches(&words).count(), 1, "{told}");
    // Its folder was moved away, as the words have it.
    fs::remove_dir_all(Stage::only(&folder)).unwrap();
    assert!(!run(&mut stage.command(&folder, &["--table"])).stderr.contains(&words));
}

#[test]
fn a_match_that_the_disk_does_not_take_is_told_as_that_and_no_name_is_refused_for_it() {
    let stage = Stage::new(&["ada", "bob"]);
    let (folder, list) = (stage.folder(), stage.bench.path("list"));
    fs::write(&list, "{\"bots\": [\"ada\", \"bob\"], \"seed\": 1}\n").unwrap();
    let (host, port) =
        stage.host(&folder, &["--port", "0", "--gather", "0", "--matches", list.to_str().unwrap()]);
    // No result can be written there.
    fs::write(folder.join("results"), "").unwrap();
    let bots = stage.play(&["ada", "bob"], port);
    let finished = host.finish();
    bots.into_iter().for_each(|bot| drop(bot.join()));
    assert!(finished.stdout.contains("ada, bob: void, it couldn't be kept"), "{}", finished.stdout);
    assert!(finished.stderr.contains(" doesn't count: "), "{}", finished.stderr);
    fs::remove_file(folder.join("results")).unwrap();
    let (host, port) = stage.host(&folder, &["--port", "0", "--gather", "0"]);
    fs::remove_dir_all(folder.join("matches")).unwrap();
    fs::write(folder.join("matches"), "").unwrap();
    let bots = ["ada", "bob"].map(|name| {
        let bot = knock(port);
        say(&bot, &stage.logins[name]);
        bot
    });
    // The end, and no `ko`.
    assert_eq!(bots.map(|mut bot| line(&mut bot)), ["", ""]);
    let said = host.insist(Signal::INT).stderr;
    assert!(said.contains(" can't meet: "), "{said}");
}

#[test]
fn a_match_is_void_as_soon_as_its_record_cannot_be_written_and_none_begins_on_a_full_disk() {
    let stage = Stage::new(&["ada", "bob"]);
    // No file may be longer, as if the disk were full.
    let (host, port) = stage.limited_host("trap '' XFSZ; ulimit -f 8", &["--free", "60000"]);
    let bots = ["ada", "bob"].map(|name| bot(port, &stage.logins[name], name.len()));
    let heard = bots.map(|bot| bot.join().unwrap());
    // They are cut off in the middle of the match.
    assert!(heard.iter().flatten().all(|line| line != "dead"), "{heard:?}");
    let bots = ["ada", "bob"].map(|name| bot(port, &stage.logins[name], name.len()));
    assert!(bots.map(|bot| bot.join().unwrap()).iter().all(Vec::is_empty));
    let said = host.insist(Signal::INT).stderr;
    assert_eq!(said.matches(" is void: its record couldn't be written").count(), 1, "{said}");
    assert!(said.contains(" can't meet: ") && !said.contains(" is over: "), "{said}");
    assert!(!stage.folder().join("matches/.room").exists());
}
