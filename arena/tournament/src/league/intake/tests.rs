//! What becomes of what lies in a league's folder of bots.

use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;

use super::*;
use crate::grading::command::{BOT, COMMAND};

const NAMES: Names<'_> = Names { game: "zappy", program: "zappy_ai" };

fn league(fill: impl FnOnce(&Path)) -> (TempDir, Look) {
    let league = tempfile::tempdir().unwrap();
    let bots = league.path().join(BOTS);
    fs::create_dir(&bots).unwrap();
    fill(&bots);
    let look = look(&league);
    (league, look)
}

fn look(league: &TempDir) -> Look {
    Intake::default().look(league.path(), NAMES, None, &|_| None, &|_| "No".to_owned()).unwrap()
}

fn write(bots: &Path, name: &str, file: &str, text: &str) {
    fs::create_dir_all(bots.join(name)).unwrap();
    fs::write(bots.join(name).join(file), text).unwrap();
}

#[test]
fn a_version_is_known_by_its_files_and_a_report_changes_nothing() {
    let (league, first) = league(|bots| write(bots, "ada", "COMMAND", "sh -c true"));
    let bots = league.path().join(BOTS);
    let id = first.found[0].version.id;
    write(&bots, "ada", REPORT, "words");
    let same = look(&league);
    assert_eq!(same.found[0].version.id, id);
    write(&bots, "ada", "notes", "more");
    let other = look(&league);
    assert_ne!(other.found[0].version.id, id);
    let kept = first.found.into_iter().next().unwrap().keep(league.path()).unwrap();
    assert_eq!(kept.bot(league.path()).identify().unwrap(), id);
    drop((same, other));
    // Copies that aren't kept are removed.
    assert_eq!(fs::read_dir(league.path().join(VERSIONS)).unwrap().count(), 1);
}

#[test]
fn a_name_of_two_words_becomes_one_and_the_folder_keeps_its_own() {
    assert_eq!(["ada", "Zoe Smith", "-x@2", "é\t"].map(bot_name), ["ada", "Zoe_Smith", "_x_2", "é_"]);
    let (_league, look) = league(|bots| write(bots, "Zoe Smith", "COMMAND", "true"));
    let version = &look.found[0].version;
    assert_eq!((&*version.name, version.folder.as_deref()), ("Zoe_Smith", Some("Zoe Smith")));
}

#[test]
fn what_an_author_wrote_is_known_without_how_it_is_started() {
    let (league, first) = league(|bots| {
        write(bots, "zoe", "a.sh", "exit");
        write(bots, "zoe", COMMAND, "sh a.sh");
        write(bots, "aaron", "a.sh", "exit");
        write(bots, "aaron", BOT, "command = \"sh ./a.sh\"");
        write(bots, "bob", COMMAND, "true");
        write(bots, "cyd", COMMAND, "true x");
    });
    let [aaron, bob, cyd, zoe] = &first.found[..] else { panic!("{first:?}") };
    assert_eq!(aaron.content, zoe.content);
    // If there is nothing but the command, the command is the bot.
    assert_ne!(bob.content, cyd.content);
    assert!(aaron.version.id != zoe.version.id && league.path().exists());
}

#[test]
fn a_folder_is_taken_once_it_has_been_the_same_in_two_looks_and_for_the_time_asked() {
    let league = tempfile::tempdir().unwrap();
    write(&league.path().join(BOTS), "ada", COMMAND, "true");
    let mut intake = Intake::default();
    let mut look = |least: u64| {
        let least = Some(Duration::from_secs(least));
        let look = intake.look(league.path(), NAMES, least, &|_| None, &|_| String::new()).unwrap();
        (look.found.len(), look.unsettled)
    };
    assert_eq!([look(3_600), look(3_600), look(0)], [(0, true), (0, true), (1, false)]);
    write(&league.path().join(BOTS), "ada", COMMAND, "true x");
    assert_eq!([look(0), look(0)], [(0, true), (1, false)]);
}

#[test]
fn what_is_built_is_known_by_what_was_handed_in() {
    let (league, first) = league(|bots| {
        write(bots, "ada", "Makefile", "zappy_ai:\n\tcp ours zappy_ai\n");
        write(bots, "bob", "bot.toml", "command = \"./x\"\nbuild = \"sh build.sh\"\n");
    });
    let [ada, bob] = &first.found[..] else { panic!("{first:?}") };
    assert_eq!((ada.build.as_deref(), &*ada.version.command), (Some("make"), ""));
    assert_eq!((bob.build.as_deref(), &*bob.version.command), (Some("sh build.sh"), "./x"));
    let source = ada.version.source.unwrap();
    assert_ne!(Some(source), bob.version.source);
    write(&league.path().join(BOTS), "ada", "Makefile", "zappy_ai:\n\tcp mine zappy_ai\n");
    let other = look(&league);
    assert_ne!(other.found[0].version.source, Some(source));
    // The version's id is that of the built files, its folder is named after the source.
    fs::write(ada.files().join("zappy_ai"), "").unwrap();
    assert!(identified(&ada.version, ada.files(), NAMES).unwrap_err().contains("try chmod +x"));
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(ada.files().join("zappy_ai"), mode).unwrap();
    let built = identified(&ada.version, ada.files(), NAMES).unwrap();
    assert_eq!((&*built.command, built.handed_in()), ("./zappy_ai", source));
    assert_ne!(built.id, source);
    let to = built.place(league.path());
    let ada = Found { version: built.clone(), ..first.found.into_iter().next().unwrap() };
    ada.keep(league.path()).unwrap();
    assert_eq!(built.bot(league.path()).identify().unwrap(), built.id);
    assert!(to.ends_with(source.to_string()));
}

#[test]
fn what_is_wrong_is_said_with_the_remedy_and_affects_no_other_bot() {
    let (league, look) = league(|bots| {
        write(bots, "good", "COMMAND", "sh -c true");
        write(bots, "nothing", "readme", "");
        write(bots, "typo", "bot.toml", "\ncomand = \"x\"\n");
        write(bots, "nosy", "COMMAND", "cat --file=/etc/passwd");
        write(bots, "lost", "COMMAND", "./bot");
        write(bots, "script", "COMMAND", "sh bot.sh");
        write(bots, &"a".repeat(57), "COMMAND", "true");
        write(bots, "GRAPHIC", "COMMAND", "true");
        write(bots, "good@", "COMMAND", "true");
        write(bots, "good ", "COMMAND", "true");
        write(bots, ".upload", "COMMAND", "true");
        fs::create_dir(bots.join(OsStr::from_bytes(b"\xff"))).unwrap();
        fs::write(bots.join("file"), "").unwrap();
        symlink(bots.join("good"), bots.join("twin")).unwrap();
        fs::create_dir(bots.join("linked")).unwrap();
        symlink("/etc/passwd", bots.join("linked/COMMAND")).unwrap();
    });
    let found: Vec<(&str, &str)> =
        look.found.iter().map(|found| (&*found.folder_name, &*found.version.name)).collect();
    assert_eq!(found, [("good", "good"), ("good ", "good_")]);
    let long = "a".repeat(57);
    let refused: Vec<(&str, &str)> =
        look.refused.iter().map(|refused| (&*refused.name, &*refused.why)).collect();
    assert_eq!(refused.len(), 12, "{refused:?}");
    for (name, words) in [
        ("nothing", "hand in a file COMMAND with the line python3 my_bot.py -p"),
        ("typo", "its bot.toml, line 2: there is no key \"comand\"; there are command, build and processes"),
        ("nosy", "its command names \"/etc/passwd\"; name programs"),
        ("lost", "there is no program \"./bot\""),
        ("script", "there is no script \"bot.sh\" in /"),
        (&*long, "has 57 bytes, and 56 at most"),
        ("GRAPHIC", "no bot can be called \"GRAPHIC\""),
        ("good@", "it would be called good_, as the bot in the folder \"good \" is; rename"),
        ("file", "it is no folder; put each bot into a folder of its own"),
        ("twin", "it is a link, which may lead out"),
        ("linked", "; left out of the copy that plays: COMMAND, a link"),
    ] {
        let why = refused.iter().find(|(folder, _)| *folder == name).unwrap().1;
        assert!(why.contains(words) && !why.contains(".new-"), "{name}: {why}");
    }
    assert!(refused.iter().any(|(_, why)| why.contains("isn't UTF-8")));
    let report = fs::read_to_string(league.path().join("bots/lost").join(REPORT)).unwrap();
    assert!(report.starts_with("No: its command: there is no program"), "{report}");
}

#[test]
fn a_link_that_leads_out_is_left_out_of_what_plays_and_the_note_says_so() {
    let (_league, look) = league(|bots| {
        write(bots, "ada", COMMAND, "true");
        symlink("/etc/passwd", bots.join("ada/book")).unwrap();
        symlink(COMMAND, bots.join("ada/own")).unwrap();
    });
    let found = &look.found[0];
    let there = |name| fs::symlink_metadata(found.files().join(name)).is_ok();
    assert!(!there("book") && there("own"));
    assert!(found.note.starts_with("left out of the copy that plays: book, "), "{}", found.note);
}
