//! The files of a merge are a function of the results: no order, no shard, no second time changes a byte.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use zappy_play::signature::{Kind, SIGNATURE};
use zappy_tournament::report::FILES;

use super::synthetic::Night;
use crate::support::{ARENA, signed};

pub fn merge(night: &Night, flags: &[&str]) -> Output {
    Command::new(ARENA).args(["tournament", "merge"]).arg(night.path()).args(flags).output().unwrap()
}

/// All files of a folder, hidden ones as well.
fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap().map(Result::unwrap);
    entries.map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap())).collect()
}

#[test]
fn neither_the_order_of_playing_nor_shards_change_a_byte() {
    let one = Night::new(&["ada", "bob", "eve", "kim"], 3, 9);
    one.play_by_strength(100.0);
    assert!(merge(&one, &[]).status.success());
    let mut expected = contents(&one.path().join("merged"));
    // It counts for its folder alone.
    let list = expected.remove(SIGNATURE);
    assert!(list.is_some() && expected.len() == FILES.len());
    let (kind, mut files) = signed(&one.path().join("merged"));
    let mut known = FILES.map(str::to_owned);
    files.sort();
    known.sort();
    assert_eq!((kind, &files[..]), (Kind::Report, &known[..]));
    assert!(FILES.iter().all(|file| expected[*file].len() > 100));
    for shards in [1, 2, 7] {
        let mut other = Night::new(&["ada", "bob", "eve", "kim"], 3, 9);
        // As machines that each take every so manieth match, the last one first.
        for shard in (0..shards).rev() {
            for planned in other.plan.iter().skip(shard).step_by(shards) {
                other.write(planned, &other.likely(planned, 100.0));
            }
        }
        other.plan.reverse();
        other.write_plan();
        fs::write(other.path().join("results/.half.json"), "{").unwrap();
        fs::write(other.path().join("results/half.tmp"), "{").unwrap();
        assert!(merge(&other, &[]).status.success());
        let mut merged = contents(&other.path().join("merged"));
        let other_list = merged.remove(SIGNATURE);
        assert!(merged == expected, "{shards} shards");
        assert!(other_list.is_some() && other_list != list && signed(&other.path().join("merged")).0 == kind);
    }
}

#[test]
fn an_earlier_merge_is_replaced_and_leaves_nothing() {
    let night = Night::new(&["ada", "bob"], 2, 4);
    let said = merge(&night, &[]);
    let text = String::from_utf8(said.stdout).unwrap();
    assert!(text.starts_with("0 of 8 played; the ranking is provisional\n"), "{text}");
    assert!(text.contains("more of it is in "), "{text}");
    let empty = contents(&night.path().join("merged"));
    // What a merge left behind that was killed.
    fs::create_dir(night.path().join(".merged-killed")).unwrap();
    fs::write(night.path().join(".merged-killed/ranking.csv"), "half").unwrap();
    night.play_by_strength(100.0);
    let said = merge(&night, &["--quiet"]);
    assert!(said.status.success() && said.stdout.is_empty() && said.stderr.is_empty());
    assert_ne!(contents(&night.path().join("merged")), empty);
    let mut left: Vec<_> =
        fs::read_dir(night.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, ["bots.json", "merged", "plan.jsonl", "results"]);
    let elsewhere = night.path().join("a/b c");
    assert!(merge(&night, &["--out", elsewhere.to_str().unwrap()]).status.success());
    assert_eq!(contents(&elsewhere)["ranking.csv"], contents(&night.path().join("merged"))["ranking.csv"]);
}
