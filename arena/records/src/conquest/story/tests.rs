//! The story of conquest by its lines.

use super::*;

const DUMP: [&str; 15] = [
    "msz 20 20",
    "gam conquest 2 factions red,blue cities on rules classic mode concurrent turns 40 time 0 placement random alliances -",
    "tna red",
    "tna blue",
    "fac red 0 gold 500 food 3 wood 0 bombs 0 land 1 pop 2 cap 5 kills 0 score 0 upkeep 0 base 2 2 slot - 0",
    "fac blue 1 gold 500 food 3 wood 0 bombs 0 land 1 pop 1 cap 5 kills 0 score 0 upkeep 0 base 9 9 slot - 0",
    "loc 2 2 0 plain b--- -",
    "loc 9 9 1 plain b--- -",
    "unw #1 red fighter 7 9 6 -",
    "unw #2 red cleric 15 15 4 e",
    "unw #3 blue pioneer 15 16 3 -",
    "unw #4 blue worker 16 16 5 -",
    "unw #5 blue worker 17 16 5 -",
    "cit 2 2 2 0 2",
    "cit 9 9 2 0 2",
];

/// The story of a match with these messages and console lines in each turn. Console lines begin with `/`; a `?` says
/// that the line before it was refused.
fn story(dump: &[&str], turns: &[&[&str]]) -> Story {
    let mut story = Story::default();
    dump.iter().for_each(|line| story.restore(line.as_bytes()));
    for (turn, lines) in (1..).zip(turns) {
        let (begin, end) = (format!("trn {turn} 0 red blue"), format!("tnd {turn}"));
        for line in [&[&begin[..]], *lines, &[&end[..]]].concat() {
            match line.as_bytes() {
                b"?" => story.refuse_operator(),
                [b'/', ..] => story.operate(turn, line.as_bytes()),
                line => story.take(turn, line),
            }
        }
    }
    story.end();
    story
}

/// The lines of the story of a match that begins with [`DUMP`], each with its turn.
fn story_lines(turns: &[&[&str]]) -> Vec<String> {
    story_lines_of(&DUMP, turns)
}

fn story_lines_of(dump: &[&str], turns: &[&[&str]]) -> Vec<String> {
    let lines = story(dump, turns).finish().0;
    lines.into_iter().map(|line| format!("{} {}", line.turn, line.words)).collect()
}

/// The beginning of a match in which red and blue stand against green and grey, by the rules of the arena.
const ALLIES: [&str; 10] = [
    "msz 10 10",
    "gam conquest 2 factions red,blue,green,grey cities off rules arena mode concurrent turns 40 time 0 placement random alliances red,blue;green,grey",
    "tna red",
    "tna blue",
    "tna green",
    "tna grey",
    "loc 2 2 0 plain b--- -",
    "loc 9 9 1 plain b--- -",
    "loc 5 5 2 plain b--- -",
    "loc 7 7 3 plain b--- -",
];

fn fac(name: &str, land: u32, score: i64) -> String {
    format!(
        "fac {name} gold 0 food 0 wood 0 bombs 0 land {land} pop 1 cap 5 kills 0 score {score} upkeep 0 base - - slot - 0"
    )
}

#[test]
fn what_decides_a_match_is_shown_by_turns() {
    let fac = |name: &str, food: u32, score: i64, base: &str| {
        format!(
            "fac {name} gold 0 food {food} wood 0 bombs 0 land 1 pop 1 cap 5 kills 0 score {score} upkeep 0 \
             base {base} slot - 0"
        )
    };
    let (poor, best) = (fac("blue 1", 0, -75, "9 9"), fac("red 0", 3, 25, "2 2"));
    let lines = story_lines(&[
        &["upk blue", "lat blue", &poor],
        &["umv #1 8 9", "uat #1 #4", "udi #4 attack", "ucv #3 red", &best],
        &["upk blue", "umv #1 9 9", "udi #5 attack"],
        &["loc 9 9 - plain b--- -", "ord red #1 ok", "fde blue"],
        &["cit 9 9 2 0 2"],
    ]);
    let right = [
        "1 blue can't pay its upkeep for the first time",
        "1 blue's cities starve: no food is left",
        "2 blue's base at 9, 9 is in danger: red's fighter is there",
        "2 blue's pioneer #3 at 15, 16 goes over to red",
        "2 battle around 16, 16 in turns 2 to 3: blue loses 2 workers",
        "4 blue is beaten: its base at 9, 9 fell to red’s fighter #1",
    ];
    let mut sorted = [lines.clone(), right.map(str::to_owned).to_vec()];
    sorted.iter_mut().for_each(|lines| lines.sort());
    assert_eq!(sorted[0], sorted[1], "{lines:#?}");
    assert!(lines.is_sorted_by_key(|line| line.split(' ').next().map(str::to_owned)), "{lines:#?}");
}

#[test]
fn sieges_dominion_desertions_and_lost_bases_are_told() {
    let lines = story_lines(&[
        &["umv #1 9 9", "sie 9 9 2", "loc 12 12 1 plain b--- -", "dom 50 red 1"],
        &["udi #4 unpaid", "sie 9 9 1", "loc 12 12 - plain b--- -", "dom 50 red 2"],
        &["udi #5 unpaid", "sie 9 9 2", "dom 50 -"],
        // A siege gets no second line so soon; land that is held again does.
        &["sie 9 9 1", "dom 50 red 1"],
        &["dom 50 -"],
    ]);
    for right in [
        "1 blue's base at 9, 9 is besieged by red's fighter: 2 of 4 left",
        "2 blue's base at 9, 9 is besieged by red's fighter: 1 of 4 left",
        "1 red holds the 50 % of the land that dominion needs",
        "3 red no longer holds the land that dominion needs",
        "4 red holds the 50 % of the land that dominion needs",
        "5 red no longer holds the land that dominion needs",
        "2 blue loses a base that isn't its current one, at 12, 12",
        "2 blue loses 2 workers by desertion, unpaid, in turns 2 to 3",
    ] {
        assert!(lines.iter().any(|line| line == right), "{right} in {lines:#?}");
    }
    assert_eq!(
        lines.iter().filter(|line| line.contains("besieged") || line.contains("holds the")).count(),
        6
    );
}

#[test]
fn a_side_is_shown_by_its_members() {
    let (red, blue, green) = (fac("red 0", 30, 500), fac("blue 1", 31, 90), fac("green 2", 8, 1_200));
    let quiet: &[&str] = &[];
    let fifth: &[&str] = &[&red, &blue, &green, "dom 50 red 1"];
    // Which member the message names may change without any news.
    let lines =
        story_lines_of(&ALLIES, &[quiet, quiet, quiet, quiet, fifth, &["dom 50 blue 2"], &["dom 50 -"]]);
    for right in [
        "5 green leads with 1,200 points, red and blue with 61 % of the land",
        "5 red and blue hold the 50 % of the land that dominion needs",
        "5 red and blue win unless they lose land in the next 4 turns (turn 5)",
        "7 red and blue no longer hold the land that dominion needs",
    ] {
        assert!(lines.iter().any(|line| line == right), "{right} in {lines:#?}");
    }
    assert_eq!(lines.iter().filter(|line| line.contains("dominion needs")).count(), 2, "{lines:#?}");
}

#[test]
fn leads_are_told_with_the_land_once_in_five_turns() {
    let ahead = [fac("red 0", 31, 5_286), fac("blue 1", 10, 90)];
    let behind = [fac("red 0", 31, 5_286), fac("blue 1", 10, 6_000)];
    let all = [&ahead, &behind].map(|two| two.iter().map(String::as_str).collect::<Vec<_>>());
    let [ahead, behind] = [&all[0][..], &all[1][..]];
    let dump: Vec<&str> =
        DUMP.iter().map(|line| if line.starts_with("msz") { "msz 10 10" } else { line }).collect();
    let arena: Vec<String> = dump.iter().map(|line| line.replace("rules classic", "rules arena")).collect();
    let arena: Vec<&str> = arena.iter().map(String::as_str).collect();
    let turns = [ahead, &[], &[], &[], &[], behind, ahead, behind, behind, behind];
    let leads = |dump: &[&str]| -> Vec<String> {
        story_lines_of(dump, &turns).into_iter().filter(|line| line.contains("lead")).collect()
    };
    assert_eq!(
        leads(&arena),
        [
            "5 red leads with 5,286 points and 31 % of the land",
            "10 blue leads with 6,000 points, red with 31 % of the land"
        ]
    );
    assert_eq!(leads(&dump), ["5 red leads with 5,286 points", "10 blue leads with 6,000 points"]);
}

#[test]
fn what_the_operator_did_is_shown_and_nothing_else_is_laid_at_its_door() {
    let again =
        [&["/faction red dead -"], &DUMP[..], &["fde blue", "/map", "/tile 999 1 owner red", "?"]].concat();
    let lines = story_lines(&[
        &["/mode players", "loc 9 9 - plain b--- -", "ord red #1 ok", "fde blue"],
        &["/faction red dead 3", "fde red"],
        &again,
    ]);
    let right = [
        "1 the operator: /mode players",
        "1 blue is beaten: its base at 9, 9 fell to red’s fighter #1",
        "2 the operator: /faction red dead 3",
        "2 red is beaten, by the operator",
        "3 the operator: /faction red dead -",
        "3 red lives again",
    ];
    assert_eq!(lines, right, "{lines:#?}");
}

#[test]
fn lines_of_the_operator_beyond_a_limit_are_counted() {
    let many = vec!["/faction red gold 5"; MOST_OPERATED + 7];
    let mut crowded = story(&DUMP, &[&many]);
    assert_eq!(crowded.operator_notice(), "\n7 lines more of the operator’s aren’t told; --json has them\n");
    assert_eq!(crowded.finish().0.len(), MOST_OPERATED);
    let mut early = Story::default();
    early.operate(0, b"/faction red gold 5");
    early.end();
    assert_eq!(
        early.operator_notice(),
        "\n1 line of the operator’s changed the match before its first turn\n"
    );
    assert_eq!(early.finish().0.len(), 0);
}

#[test]
fn programs_are_told_the_same_with_what_it_is_about() {
    let turns: [&[&str]; 3] = [
        &["/pause", "upk blue", "dom 50 red 1", "udi #4 attack", "umv #1 8 9"],
        &["upk blue", "udi #5 unpaid"],
        &["loc 9 9 - plain b--- -", "ord red #1 ok", "fde blue"],
    ];
    let all: Vec<Value> = story(&DUMP, &turns).everything().into_iter().map(StoryLine::json).collect();
    let of = |kind: &str| all.iter().filter(|one| one["type"] == kind).cloned().collect::<Vec<_>>();
    assert_eq!(
        of("dominion"),
        [json!({ "type": "dominion", "tick": 1, "turn": 1, "teams": ["red"], "holds": true, "need": 50,
                 "text": "red holds the 50 % of the land that dominion needs" })]
    );
    assert_eq!(of("operator")[0]["line"], "/pause");
    assert_eq!(of("unpaid").iter().map(|one| one["times"].clone()).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(
        (&of("battle")[0]["lost"], &of("battle")[0]["until"]),
        (&json!({ "blue": { "worker": 1 } }), &1.into())
    );
    assert_eq!(of("desertion")[0]["lost"], json!({ "blue": { "worker": 1 } }));
    assert_eq!((&of("danger")[0]["team"], &of("fallen")[0]["team"]), (&"blue".into(), &"blue".into()));
    assert_eq!(of("turn")[0]["teams"][1]["team"], "blue");
}

#[test]
fn of_a_long_story_what_matters_least_is_left_out() {
    let mut story = Story::default();
    DUMP.iter().for_each(|line| story.restore(line.as_bytes()));
    let near = |story: &mut Story| story.add(Weight::Danger, "a unit comes near".to_owned(), Value::Null);
    (0..MOST_LINES + 40).for_each(|_| near(&mut story));
    (0..MOST_NOTES).for_each(|_| story.note("a bot notes".to_owned(), Value::Null));
    story.add(Weight::Fall, "red is beaten".to_owned(), Value::Null);
    let (lines, left_out) = story.finish();
    assert_eq!((lines.len(), left_out), (MOST_LINES, 71));
    assert_eq!(lines.iter().filter(|line| line.words == "a bot notes").count(), MOST_NOTES);
    assert!(lines.iter().any(|line| line.words == "red is beaten"));
    // A hundred factions fill the table, and the story is shorter.
    let names: Vec<String> = (0..100).map(|number| format!("f{number}")).collect();
    let options = format!(
        "gam conquest 2 factions {} cities off rules arena mode concurrent turns 40 time 0 placement random alliances -",
        names.join(",")
    );
    story.restore(options.as_bytes());
    names.iter().for_each(|name| story.restore(format!("tna {name}").as_bytes()));
    (0..MOST_LINES).for_each(|_| near(&mut story));
    assert_eq!(story.finish().0.len(), MOST_LINES - 80);
}
