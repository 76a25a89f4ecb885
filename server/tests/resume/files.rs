//! The files of a match that goes on: what is kept, what is replaced, and which server may write them.

use std::process::Command;

use zappy_server::games::GAMES;
use zappy_server::record::verify;

use super::process::BINARY;
use super::{ZAPPY, assert_refused, ends, left_alone, result, said, server};

#[cfg(unix)]
#[test]
fn a_record_stays_where_the_new_one_finds_no_room() {
    let (folder, record) = left_alone("-n red blue -c 2 -f 100");
    let before = std::fs::read(&record).unwrap();
    // Unused lines, so that it is longer than what may be written.
    let longer = [&before[..], &b"0 < c /clients\n".repeat(2_000)[..]].concat();
    let longer = String::from_utf8(longer).unwrap().replace("\n0 < c", "\n999 < c").into_bytes();
    std::fs::write(&record, &longer).unwrap();
    let mut command = Command::new("sh");
    command.args(["-c", "trap '' XFSZ; ulimit -f 4; exec \"$@\"", "sh", BINARY, "-p", "0", "--resume"]);
    let (text, code) = ends(command.arg(&record));
    assert!(code == Some(1) && text.contains("the new record can't be written"), "{text}");
    assert!(std::fs::read(&record).unwrap() == longer, "the record has changed");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "something is left over");
}

#[test]
fn no_other_file_of_a_match_takes_the_place_of_its_record() {
    let (folder, record) = left_alone("-n red blue -c 2 -f 100");
    let path = record.display();
    let words = "--resume and --result name the same file; give each a file of its own";
    assert_refused(&format!("--result {path} --resume"), &record, 84, words);
    let other = folder.path().join(".").join("match.zrec");
    assert_refused(&format!("--result {} --resume", other.display()), &record, 84, words);
    // The result's own file, while it isn't whole.
    let partial = folder.path().join("match.partial");
    std::fs::rename(&record, &partial).unwrap();
    let other = folder.path().join("match");
    assert_refused(&format!("--result {} --resume", other.display()), &partial, 84, words);
    std::fs::rename(&partial, &record).unwrap();
    let words = "--record and --result name the same file";
    assert_refused(&format!("-n red --result {path} --record"), &record, 84, words);
    let words = "--record and --scenario name the same file";
    assert_refused(&format!("-n red --scenario {path} --record"), &record, 84, words);
    #[cfg(unix)]
    {
        let words = "--resume and --result name the same file";
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(&record, &link).unwrap();
        assert_refused(&format!("--result {} --resume", link.display()), &record, 84, words);
        assert_refused(&format!("--result {path} --resume"), &link, 84, words);
        std::fs::remove_file(&link).unwrap();
        std::fs::hard_link(&record, &link).unwrap();
        assert_refused(&format!("--result {} --resume", link.display()), &record, 84, words);
    }
}

#[test]
fn a_record_has_one_server_from_the_first_line_to_the_last() {
    let words = "another server is writing it; let that end first, or give another file";
    let (folder, record) = left_alone("-n red blue -c 2 -f 100");
    let mut resumed = server("--resume", &record);
    assert_refused("--resume", &record, 84, words);
    assert_refused("-n red --record", &record, 84, words);
    // Anyone may read it meanwhile.
    assert!(!verify(&std::fs::read(&record).unwrap(), GAMES).unwrap().complete);
    resumed.console("/quit");
    assert!(resumed.ended().0.success());
    assert!(verify(&std::fs::read(&record).unwrap(), GAMES).unwrap().complete);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "something is left over");

    let mut running = server("-n red blue --record", &record);
    running.expect_log("listening");
    assert_refused("--resume", &record, 84, words);
    assert_refused("-n red --record", &record, 84, words);
    running.console("/quit");
    assert!(running.ended().0.success());
    assert!(verify(&std::fs::read(&record).unwrap(), GAMES).unwrap().complete);
}

#[test]
fn a_match_that_had_ended_gets_the_end_of_its_record_back() {
    for flags in ["--record-level inputs", "--record-level full", "--clock lockstep --record-level inputs"] {
        let folder = tempfile::tempdir().unwrap();
        let (record, json) = (folder.path().join("match.zrec"), folder.path().join("result.json"));
        let mut whole = server(&format!("-n red blue -c 1 {flags} --record"), &record);
        let clients = ZAPPY.play_both(&whole, 1);
        whole.console("/quit");
        assert!(whole.ended().0.success());
        drop(clients);
        let bytes = std::fs::read(&record).unwrap();
        let end = bytes.windows(5).rposition(|window| window == b" end ").unwrap();
        let level = flags.split_whitespace().last().unwrap();
        for cut in [end + 3, end + 20, bytes.len() - 30, bytes.len() - 1] {
            std::fs::write(&record, &bytes[..cut]).unwrap();
            let flags = format!("--result {} --record-level {level} --resume", json.display());
            let (text, code) = said(&flags, &record);
            assert!(code == Some(0) && text.contains("had ended before its server was killed"), "{text}");
            assert!(std::fs::read(&record).unwrap() == bytes, "cut at {cut}, it isn't as it was");
            let result = result(&json);
            assert_eq!((&result["reason"], &result["record_complete"]), (&"stopped".into(), &true.into()));
            assert_eq!((result.get("resumed"), &result["reproducible"]), (None, &false.into()));
        }
        assert_refused("--resume", &record, 1, "the match has ended; there is nothing to go on with");
        // The server was killed after it had closed the record, and before it wrote the result.
        std::fs::remove_file(&json).unwrap();
        let (text, code) = said(&format!("--result {} --resume", json.display()), &record);
        assert!(code == Some(0) && text.contains("its match's result was written"), "{text}");
        assert!(std::fs::read(&record).unwrap() == bytes, "it has changed");
        let result = result(&json);
        assert_eq!((&result["reason"], &result["record_complete"]), (&"stopped".into(), &true.into()));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2, "something is left over");
    }
}

#[test]
fn a_new_match_puts_a_record_aside_that_was_cut_off() {
    let (folder, record) = left_alone("-n red blue -c 2 -f 100");
    let before = std::fs::read(&record).unwrap();
    let aside = folder.path().join("match.zrec.cut-off-1");
    for _ in 0..2 {
        let mut other = server("-n red blue --record", &record);
        other.console("/quit");
        let (status, log) = other.ended();
        assert!(status.success() && verify(&std::fs::read(&record).unwrap(), GAMES).unwrap().complete);
        // The second time the record is whole, and is replaced.
        assert!(std::fs::read(&aside).unwrap() == before, "{log:#?}");
    }
    // Another one doesn't take its place.
    std::fs::copy(&aside, &record).unwrap();
    let mut other = server("-n red blue --record", &record);
    other.console("/quit");
    assert!(other.ended().0.success());
    assert!(std::fs::read(folder.path().join("match.zrec.cut-off-2")).unwrap() == before);
    let mut resumed = server("--resume", &aside);
    resumed.expect_log("players wait for their clients");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 3, "something is left over");
}

#[test]
fn a_result_has_one_server_that_writes_it() {
    let folder = tempfile::tempdir().unwrap();
    let (record, json) = (folder.path().join("match.zrec"), folder.path().join("result.json"));
    let flags = format!("-n red blue --result {} --record", json.display());
    let mut running = server(&flags, &record);
    running.expect_log("listening");
    let words = "another server is writing it; let that end first, or give another file";
    let (text, code) = said(&flags, &folder.path().join("other.zrec"));
    assert!(code == Some(84) && text.contains(words), "{text}");
    running.console("/quit");
    assert!(running.ended().0.success());
    assert_eq!(result(&json)["reason"], "stopped");
}
