//! `show`: what a story and a dialogue tell, as text and as JSON.

use std::fs;

use serde_json::Value;
use zappy_protocol::Tick;
use zappy_protocol::text::thousands;

use super::matches::{FULL, INPUTS, Shelf, even, forged, on, played, resumed, shown};

#[test]
fn the_story_tells_what_is_worth_telling() {
    let shelf = Shelf::new();
    let path = shelf.put("match.zrec", &played(1, FULL, 2_000));
    let story = shown(&path, &[]);
    let lines = [
        "end       red has won (time) at tick 2,000",
        "          0  4 players join: 2 red, 2 blue",
        "        305  red: incantation for level 2 succeeded at 1 1: #0 #2; red reaches level 2",
        "      2,000  red was the best when the time was over, after 20 s: 2 players at level 2",
        "      2,000  red took the lead after 3 s and was never overtaken",
        "        250  blue: #3 of level 1 left: connection closed",
        "        400  blue: #1 of level 1 was killed by the console",
        "        730  red: incantation for level 3 failed at 1 1: #0 #2 (an incantation at level 2 lacks 1 sibur on the tile)",
        "        800  #4 joins blue",
        "        950  blue: #4 of level 1 was ended by the server: it was late more than 3 times",
        "      2,000  red has won (time)",
        "red    .   2   .   .   .   .   .   .      2     2     0",
        "blue   .   .   .   .   .   .   .   .      0     3     3",
        "blue: 2 refusals for 17 lines, most of #1 (2)",
        "        1  no thystame lies here",
    ];
    for line in lines {
        assert!(story.lines().any(|told| told.starts_with(line)), "{line}\nin\n{story}");
    }
    for counted in
        ["1 egg laid (blue 1)", "1 push (blue 1)", "1 broadcast (blue 1)", "1 line dropped (blue 1)"]
    {
        assert!(story.contains(counted), "{counted}\nin\n{story}");
    }
    assert!(story.lines().count() < 80, "{story}");
    assert!(!story.contains('\u{1b}'));
}

#[test]
fn it_is_told_what_put_the_first_of_equal_teams_there() {
    let shelf = Shelf::new();
    for level in [FULL, INPUTS] {
        let path = shelf.put("later.zrec", &even(30, level));
        let story = shown(&path, &[]);
        let end = "        100  red has won (time)\n        100  equal levels: red reached level 1 first, at tick 0, blue \
                   at tick 30\n";
        assert!(
            story.contains(end) && story.contains("end       red has won (time) at tick 100\n"),
            "{story}"
        );
        // Nothing that a lone record holds says that only a lot decided, but all else is equal.
        let path = shelf.put("lot.zrec", &even(0, level));
        let story = shown(&path, &[]);
        assert!(story.contains(" first by lot (time) at tick 100\n"), "{story}");
        assert!(
            story.contains("        100  equal levels: nothing else decides either, so the lot did\n"),
            "{story}"
        );
        assert!(!story.contains("has won"), "{story}");
        let head: Value = serde_json::from_str(shown(&path, &["--json"]).lines().next().unwrap()).unwrap();
        assert_eq!(head["by_lot"], true);
    }
    // Where the levels decide, the tables say enough.
    assert!(!shown(&shelf.put("match.zrec", &played(1, FULL, 2_000)), &[]).contains("equal levels"));
}

/// The ticks in front of the lines.
fn ticks(text: &str) -> Vec<Tick> {
    let story = &text[..text.find("\nteam ").unwrap()];
    let lines = story.lines().filter(|line| line.starts_with("     ")).map(str::trim_start);
    lines.filter_map(|line| line.split_once("  ")?.0.replace(',', "").parse().ok()).collect()
}

#[test]
fn all_of_the_story_can_be_told_or_a_part_of_it() {
    let shelf = Shelf::new();
    let path = shelf.put("match.zrec", &played(1, FULL, 2_000));
    let story = shown(&path, &[]);
    let all = shown(&path, &["--all"]);
    for line in [
        "          5  red: incantation for level 2 begins at 1 1: #0 #2 take part",
        "         17  blue: #1 is refused: no thystame lies here",
        "         20  blue: #1 sends a line that is too long",
        "         37  blue: #3 says “hello \\x1b[2J there”",
        "        192  blue: #3 lays egg #6 at 4 4",
        "        207  blue: #3 pushes #1 away at 4 4",
        "        410  red: #0 is refused: an incantation at level 2 lacks",
        "        900  red: #2 is refused: no such command",
        "        500  the console says /setTile sibur 0 1 1",
    ] {
        assert!(all.lines().any(|told| told.starts_with(line)), "{line}\nin\n{all}");
    }
    for text in [&story, &all] {
        assert!(ticks(text).is_sorted(), "{text}");
    }
    let part = shown(&path, &["--all", "--from", "150", "--to", "250"]);
    assert!(part.contains("\nfrom the start up to tick 250:\n"), "{part}");
    let within = ticks(&part);
    assert!(within.first() == Some(&192) && within.last() == Some(&250), "{part}");
}

#[test]
fn a_dialogue_gives_each_answer_its_command_and_each_refusal_its_reason() {
    let shelf = Shelf::new();
    let path = shelf.put("match.zrec", &played(1, FULL, 1_000));
    let victim = shown(&path, &["--player", "1"]);
    for text in [
        "player    #1 of blue, joined at tick 0, level 1 at last, was killed by the console at tick 400\n",
        "dialogue  14 lines from it, 2 refusals, 1 line dropped\n",
        "       10 <         Take thystame\n       17 >     +7  ko                        Take thystame\n       17 ?         no thystame lies here\n",
        "       20 ~         a line that was too long\n       20 >     +0  ko                        a line that was too long\n",
        "       40 #         1 line\n       40 ?         dropped: 10 commands wait already\n",
        "       47 >     +7  ok                        Right\n",
        "      117 >    +77  ok                        Right\n",
        "      207 >         eject: ",
        "      400 >         dead\n      400 x         the server closes the connection\n      400 ?         the console killed it\n",
    ] {
        assert!(victim.contains(text), "{text}\nin\n{victim}");
    }
    let initiator = shown(&path, &["--player", "#0"]);
    for text in [
        "        5 >     +0  Elevation underway        Incantation\n",
        "      305 >   +300  Current level: 2          Incantation\n",
        "      312 >   +306  [ player player",
        "      730 >   +300  ko                        Incantation\n      730 ?         an incantation at level 2 lacks 1 sibur on the tile\n",
        "level 2 at last, alive at the end\n",
    ] {
        assert!(initiator.contains(text), "{text}\nin\n{initiator}");
    }
    let other = shown(&path, &["--player", "2"]);
    for text in [
        "        5 >         Elevation underway        (another player's incantation)\n",
        "      305 >         Current level: 2          (another player's incantation)\n",
        "      900 >     +0  ko                        forward\n",
    ] {
        assert!(other.contains(text), "{text}\nin\n{other}");
    }
    let expelled = shown(&path, &["--player", "4"]);
    let end = "      950 !         the server ends it\n      950 ?         it was late more than 3 times\n";
    assert!(expelled.contains(end) && expelled.contains("was ended by the server"), "{expelled}");
    let part = shown(&path, &["--player", "1", "--from", "20", "--to", "39"]);
    assert!(part.contains(" 20 ~ ") && !part.contains(" 17 > ") && !part.contains(" 40 < "), "{part}");
    let nobody = on("show", &path, &["--player", "77"]);
    assert_eq!((nobody.code(), &nobody.stdout[..]), (1, ""));
    assert!(
        nobody.stderr.ends_with("there was no player #77; red had #0 #2; blue had #1 #3 #4\n"),
        "{}",
        nobody.stderr
    );
}

/// Each line as an object, and the lines of a type.
pub fn objects(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error} in {line}")))
        .collect()
}

#[test]
fn json_says_the_same() {
    let shelf = Shelf::new();
    let path = shelf.put("match.zrec", &played(1, FULL, 1_000));
    let story = objects(&shown(&path, &["--json"]));
    let (head, end) = (story.first().unwrap(), story.last().unwrap());
    assert_eq!(
        (&head["type"], &head["winner"], &head["last_tick"]),
        (&"head".into(), &"red".into(), &1_000.into())
    );
    assert_eq!((&end["type"], &end["teams"][1]["gone"]["killed"]), (&"end".into(), &1.into()));
    let of = |kind: &str| story.iter().filter(|object| object["type"] == kind).collect::<Vec<_>>();
    let refused: Vec<&str> = of("refused").iter().map(|object| object["why"].as_str().unwrap()).collect();
    assert_eq!(refused[0], "no thystame lies here");
    let total: u64 =
        end["teams"].as_array().unwrap().iter().map(|team| team["refused"].as_u64().unwrap()).sum();
    assert_eq!(total, refused.len() as u64);
    let rites = of("rite_ended");
    assert_eq!((rites.len(), &rites[0]["success"], &rites[1]["success"]), (2, &true.into(), &false.into()));
    assert_eq!(rites[1]["why"], "an incantation at level 2 lacks 1 sibur on the tile");
    assert_eq!((&rites[1]["began"], &rites[1]["players"]), (&430.into(), &serde_json::json!([0, 2])));
    for kind in
        ["joined", "gone", "first", "rite_began", "lead", "pushed", "egg_laid", "egg_hatched", "broadcast"]
    {
        assert!(!of(kind).is_empty(), "no {kind}");
    }
    assert_eq!((of("dropped").len(), of("too_long").len(), of("ended").len()), (1, 1, 1));

    let dialogue = objects(&shown(&path, &["--json", "--player", "1"]));
    let refusal = dialogue.iter().find(|object| object["why"] == "no thystame lies here").unwrap();
    assert_eq!((&refusal["answers"], &refusal["asked_at"]), (&"Take thystame".into(), &10.into()));
    assert_eq!((&refusal["after"], &refusal["way"]), (&7.into(), &"out".into()));
    let end = dialogue.last().unwrap();
    assert_eq!((&end["fate"], &end["ended"], &end["team"]), (&"killed".into(), &400.into(), &"blue".into()));
}

#[test]
fn a_record_of_inputs_shows_all_that_the_full_one_does() {
    let shelf = Shelf::new();
    let [inputs, full] =
        [INPUTS, FULL].map(|level| shelf.put(&format!("{level:?}.zrec"), &played(3, level, 3_000)));
    let without_head = |text: String| text.split_once('\n').unwrap().1.to_owned();
    for arguments in [&[][..], &["--all"], &["--json"], &["--player", "0"], &["--from", "100", "--to", "900"]]
    {
        let [inputs, full] = [&inputs, &full].map(|path| without_head(shown(path, arguments)));
        assert!(inputs.lines().count() > 20, "{inputs}");
        assert_eq!(inputs, full, "{arguments:?}");
    }
    let record = fs::read(&inputs).unwrap();
    fs::write(&inputs, forged(&record, "410 < 0 Incantation", "410 < 0 Forward")).unwrap();
    let lie = on("show", &inputs, &[]);
    assert_eq!(lie.code(), 1);
    assert!(lie.stderr.contains(" differs: the record says \"digest "), "{}", lie.stderr);
}

#[test]
fn a_damaged_file_is_shown_as_far_as_it_goes() {
    let shelf = Shelf::new();
    let record = played(1, FULL, 2_000);
    let line = |text: &str| String::from_utf8_lossy(&record).find(text).unwrap();
    let cut = shelf.put("cut.zrec", &record[..line("400 x 1 the console") + 8]);
    let story = shown(&cut, &[]);
    assert!(story.contains("cut off after tick 400: how it went on is not known"), "{story}");
    assert!(story.contains("        400  the record is cut off here\n"), "{story}");
    assert!(shown(&cut, &["--player", "1"]).ends_with("the record is cut off here\n"));
    let head = &objects(&shown(&cut, &["--json"]))[0];
    assert_eq!((&head["complete"], &head["last_tick"]), (&false.into(), &400.into()));
    // The end is told as soon as its line is there.
    for cut in [FULL, INPUTS].map(|level| played(1, level, 2_000)) {
        let cut = shelf.put("footer.zrec", &cut[..cut.len() - 30]);
        let story = shown(&cut, &[]);
        assert!(story.contains("(time) at tick 2,000; the record is cut off after that\n"), "{story}");
        let lines = objects(&shown(&cut, &["--json"]));
        assert_eq!((&lines[0]["complete"], &lines[0]["reason"]), (&false.into(), &"time".into()));
    }
    assert_eq!(on("show", &shelf.put("head.zrec", &record[..60]), &[]).code(), 1);

    let number = String::from_utf8_lossy(&record).lines().position(|line| line == "17 > 1 ko").unwrap() + 1;
    let text = String::from_utf8(record.clone()).unwrap().replacen("17 > 1 ko\n", "17 = 1 ko\n", 1);
    let broken = shelf.put("broken.zrec", text.as_bytes());
    for arguments in [&[][..], &["--player", "1"]] {
        let finished = on("show", &broken, arguments);
        assert_eq!(finished.code(), 1);
        let words = format!("line {number}: \"17 = 1 ko\" is no line of a record; it was left out\n");
        assert!(finished.stderr.ends_with(&words), "{}", finished.stderr);
        assert!(finished.stdout.contains("400"), "{}", finished.stdout);
    }
}

#[test]
fn where_a_match_was_resumed_is_shown_and_verified() {
    let shelf = Shelf::new();
    let (inputs, tick) = resumed(1, 2_000);
    let path = shelf.put("inputs.zrec", &inputs);
    let expanded = shelf.path("full.zrec");
    assert_eq!(on("expand", &path, &["--out", expanded.to_str().unwrap()]).code(), 0);
    for path in [&path, &expanded] {
        let story = shown(path, &[]);
        let at = thousands(tick);
        let words = "the server says “the match was resumed here, after its server had been killed”";
        assert_eq!(story.matches(&format!("{at:>11}  {words}\n")).count(), 1, "{story}");
        let words = format!("\nthe match was resumed at tick {at}, after its server had been killed\n");
        assert!(story.contains(&words), "{story}");
        assert_eq!(objects(&shown(path, &["--json"])).pop().unwrap()["resumed"], serde_json::json!([tick]));
        let verified = on("verify", path, &["-v"]).stdout;
        assert!(verified.contains(" inputs, resumed 1 time, touched by the console at tick 0"), "{verified}");
        assert!(verified.contains("; 1 of them resumed after a server had been killed"), "{verified}");
    }
    // Of rules that can't be played again the inputs are shown as they are.
    let other = forged(&inputs, "\ngame zappy 3\n", "\ngame zappy 1\n");
    let story = shown(&shelf.put("other.zrec", &other), &[]);
    assert!(story.contains("the match was resumed here") && story.contains("resumed at tick"), "{story}");
}

#[test]
fn rubbish_is_shown_or_refused_and_never_fatal() {
    let shelf = Shelf::new();
    let record = played(1, FULL, 1_000);
    for round in 0..40usize {
        let mut bytes = record.clone();
        for blow in 0..1 + round {
            let at = (round * 7_919 + blow * 104_729) % bytes.len();
            match blow % 3 {
                0 => bytes[at] = b"0123456789#-+ <>*?x\n"[(round + blow) % 20],
                1 => drop(bytes.splice(at..(at + 40).min(bytes.len()), *b"9 * pie 1 1 1\n")),
                _ => bytes.extend_from_within(at..(at + 200).min(bytes.len())),
            }
        }
        let path = shelf.put("rubbish.zrec", &bytes);
        for arguments in [&["--all"][..], &[], &["--json"], &["--player", "1"]] {
            let finished = on("show", &path, arguments);
            assert!((0..=1).contains(&finished.code()), "round {round} {arguments:?}: {}", finished.stderr);
        }
    }
}
