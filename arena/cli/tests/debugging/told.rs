//! What is told of a match afterwards: where a player was late, what a bot printed, what it saw; and a match that is stepped
//! through from a pipe, and one that begins in a position.

use super::*;

/// The arena's own binary in a shell's words, with these arguments of a small match into `out`.
fn in_shell(bench: &Bench, out: &str, arguments: &[&str]) -> String {
    let command = small(bench, out, arguments);
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let quoted = words.map(|word| shlex::try_quote(word.to_str().unwrap()).unwrap().into_owned());
    quoted.collect::<Vec<_>>().join(" ")
}

#[test]
fn a_late_player_is_told_with_its_tick_the_line_and_the_thought() {
    let Some(noter) = python("bots", "noter.py") else { return };
    let bench = Bench::new();
    let gate = pipe(&bench);
    let (red, blue) = (format!("red={noter} --wait {}", gate.display()), format!("blue={}", client()));
    let bots =
        ["--clock", "lockstep", "--think-time", "3000", "--clients", "1", "--bot", &red, "--bot", &blue];
    let running = Running::start(&mut small(&bench, "out", &bots));
    let log = bench.path("out/logs/server.log");
    wait_for("the late player", || {
        fs::read_to_string(&log).ok().filter(|log| log.contains("is late at tick"))
    });
    // It goes on, and notes something after the same line as before.
    fs::write(&gate, "\n").unwrap();
    let finished = running.finish_within(WHOLE_MATCH);
    assert_eq!(finished.code(), 0, "{}", finished.stderr);
    let result = result(&bench, "out");
    let late = &result["lockstep"]["late_players"][0];
    let moment = &late["moments"][0];
    let (player, tick) = (&late["player"], moment["tick"].as_u64().unwrap());
    assert_eq!(moment["noted"], json!("marker waits"), "{late:#}");
    // Two commands; the slots, the map and two answers.
    assert_eq!((&moment["sent"], &moment["read"]), (&json!(2), &json!(4)), "{late:#}");
    let after = moment["after"].as_str().unwrap();
    let told = format!("#{player} of red was late at tick {tick} after {after:?}");
    assert!(finished.stdout.contains(told.split(" after").next().unwrap()), "{}", finished.stdout);
    assert!(finished.stdout.contains("; noted before: marker waits"), "{}", finished.stdout);
    assert!(result["not_reproducible"].to_string().contains(&format!("at tick {tick})")), "{result:#}");
    let log = fs::read_to_string(log).unwrap();
    assert!(log.contains(&format!("is late at tick {tick}: nothing came within 3s after")), "{log}");
    let dialogue = shown(&bench.path("out"), &["--player", &player.to_string()]);
    let lines: Vec<&str> = dialogue.lines().collect();
    let place = lines.iter().position(|line| line.contains("?         late: no line came")).unwrap();
    assert!(lines[place - 1].ends_with(":         marker waits"), "{dialogue}");
    assert!(lines[place + 1].ends_with(":         marker awake"), "{dialogue}");
    let answer = lines[..place].iter().rfind(|line| line.contains(" > "));
    assert!(answer.is_some_and(|line| line.contains(after)), "{dialogue}");
    assert!(shown(&bench.path("out"), &[]).contains(&format!("#{player} is late: no line came")));
}

#[test]
fn what_a_bot_printed_stands_beside_its_dialogue_and_what_it_saw_is_drawn() {
    let Some(noter) = python("bots", "noter.py") else { return };
    let bench = Bench::new();
    let (red, blue) = (format!("red={noter} --print on"), format!("blue={}", client()));
    let bots = ["--clients", "1", "--debug", "--bot", &red, "--bot", &blue];
    played(&mut small(&bench, "out", &bots));
    let player = result(&bench, "out")["arena"]["teams"][0]["processes"][0]["players"][0].to_string();
    let dialogue = shown(&bench.path("out"), &["--player", &player]);
    let lines: Vec<&str> = dialogue.lines().collect();
    let mut seen = 0;
    for (place, line) in lines.iter().enumerate() {
        let Some((tick, view)) = line.split_once(" |         sees ") else { continue };
        let answer =
            lines[..place].iter().rfind(|line| line.contains(" > ") && line.contains(" [ player")).unwrap();
        assert!(answer.ends_with(view) && answer.trim_start().starts_with(tick.trim()), "{answer} | {line}");
        seen += 1;
    }
    assert!(seen > 3, "{dialogue}");
    // The same is told to programs, and of the whole team.
    let json = shown(&bench.path("out"), &["--team", "red", "--json"]);
    assert_eq!(json.matches("\"type\":\"printed\"").count(), seen, "{json}");
    let look = lines.iter().find(|line| line.contains(" > ") && line.contains(" [ player")).unwrap();
    let tick = look.split_whitespace().next().unwrap();
    let map = shown(&bench.path("out"), &["--look", &format!("{player}@{tick}")]);
    assert!(map.starts_with(&format!("#{player} of red, level 1, stood at ")), "{map}");
    assert!(map.contains(&format!("answered at tick {tick}\n")) && map.contains("\n+1 "), "{map}");
    assert!(map.lines().any(|line| line.starts_with("+0 ") && line.contains('P')), "{map}");
    assert_eq!(shown(&bench.path("out"), &["--look", &format!("red-1@{tick}")]), map);
    for (look, words) in [
        ("99@5", "there was no player #99"),
        ("x@5", "a player is a number, such as 3 or '#3', or the name of its log"),
        ("red-9@5", "there was no program red-9; there were red-1 blue-1"),
        ("red-1", "give a player and a tick with @ between them"),
        (&*format!("{player}@0"), "had read no answer"),
    ] {
        let finished = run(Command::new(ARENA).arg("show").arg(bench.path("out")).args(["--look", look]));
        assert!(finished.code() > 0 && finished.error().contains(words), "{look}: {}", finished.stderr);
    }
}

#[test]
fn a_story_with_notes_is_in_order_of_ticks() {
    let Some(noter) = python("bots", "noter.py") else { return };
    let bench = Bench::new();
    let (red, blue) = (format!("red={noter}"), format!("blue={}", client()));
    played(&mut small(&bench, "out", &["--debug", "--clients", "3", "--bot", &red, "--bot", &blue]));
    for flags in [&[][..], &["--all"]] {
        let story = shown(&bench.path("out"), flags);
        assert!(story.contains(" notes: "), "{story}");
        let mut last = 0;
        // A line of the story has its tick in eleven columns.
        for line in story.lines().filter(|line| line.get(10..13).is_some_and(|end| end.trim().len() == 1)) {
            let Ok(tick) = line[..11].trim().replace(',', "").parse::<u64>() else { continue };
            assert!(last <= tick || line[13..].starts_with("  "), "{line} after {last}:\n{story}");
            last = tick;
        }
    }
}

#[test]
fn a_pipe_steps_prompt_by_prompt_and_lets_the_match_go_on_at_its_end() {
    let bench = Bench::new();
    let (red, blue) = (format!("red={}", client()), format!("blue={}", client()));
    let bots = ["--step", "--clients", "1", "--bot", &red, "--bot", &blue];
    let piped = |typed: &str, out: &str, more: &[&str]| {
        let line = format!("printf '{typed}' | {}", in_shell(&bench, out, &[&bots[..], more].concat()));
        Running::start(Command::new("sh").args(["-c", &line])).finish_within(WHOLE_MATCH)
    };
    let stops = |finished: &Finished| {
        let ticks = finished.stderr.lines().filter_map(|line| line.strip_prefix("tick "));
        ticks.map(|line| line.split(' ').next().unwrap().parse().unwrap()).collect::<Vec<u64>>()
    };
    let finished = piped("3\\n\\n", "on", &[]);
    assert_eq!(finished.code(), 0, "{}", finished.stderr);
    let at = stops(&finished);
    assert!(at.len() == 3 && at[0] == 0 && (3..10).contains(&at[1]) && at[1] < at[2], "{at:?}");
    assert_eq!(result(&bench, "on")["ticks"], json!(300));
    // What is typed behind a number waits for its own prompt.
    let finished = piped("2\\nq\\n", "quit", &["--player", "0"]);
    // By the name of its program's log a player is found as well.
    let named = piped("2\\nq\\n", "named", &["--player", "red-1"]);
    let result = result(&bench, "named");
    let [own, other] = [0, 1].map(|team| &result["arena"]["teams"][team]["processes"][0]["players"][0]);
    assert!(named.stderr.contains("        0 <  ") && own != other, "{}", named.stderr);
    let at = stops(&finished);
    assert_eq!((finished.code(), at.len()), (130, 2), "{}", finished.stderr);
    let (before, after) = finished.stderr.split_once(&format!("\ntick {}", at[1])).unwrap();
    assert!(before.contains("        0 <  ") && !after.contains(" <  "), "{}", finished.stderr);
    assert_eq!(before.matches("        0 +  ").count(), 1, "each line is shown once: {before}");
    assert!(bench.path("quit/result.json").exists());
    let refused = run(&mut small(&bench, "not", &["--player", "0", "--bot", &red, "--bot", &blue]));
    assert!(refused.code() == 2 && refused.error().contains("--step"), "{}", refused.stderr);
}

#[test]
fn a_game_in_turns_is_stepped_by_turns() {
    let bench = Bench::new();
    let body = format!(
        "printf '0 I begin\\n0 tile 3 3 goal\\n0 marker start\\n' >\"$ZAPPY_NOTES\"\nexec {} \"$@\"\n",
        client()
    );
    let noting = bench.script("noting", &body);
    let red = format!("red={}", shlex::try_quote(noting.to_str().unwrap()).unwrap());
    let blue = format!("blue={}", client());
    let bots = ["--game", "conquest", "--turns", "9", "--max-ticks", "9000", "--bot", &red, "--bot", &blue];
    let line = in_shell(&bench, "out", &[&["--step", "--player", "red-1"], &bots[..]].concat());
    let line = format!("printf '\\n3\nq\n' | {line}");
    let finished = Running::start(Command::new("sh").args(["-c", &line])).finish_within(WHOLE_MATCH);
    let stops: Vec<&str> = finished.stderr.lines().filter(|line| line.starts_with("tick ")).collect();
    assert!(stops.len() == 3 && stops[0].contains("a number: so many turns;"), "{}", finished.stderr);
    let turn = |stop: &str| stop.split(", turn ").nth(1)?.split(' ').next()?.parse::<u64>().ok();
    assert_eq!(turn(stops[2]), turn(stops[1]).map(|turn| turn + 3), "{stops:#?}");
    assert!(stops[1].contains(" | red: score "), "{stops:#?}");
    // What the program of the followed faction noted stands there once.
    for note in [" :  I begin\n", " :  tile 3 3 goal\n"] {
        assert_eq!(finished.stderr.matches(note).count(), 1, "{}", finished.stderr);
    }
    let story = shown(&bench.path("out"), &[]);
    assert!(story.contains("  red notes: marker start\n"), "{story}");
}

#[test]
fn a_match_begins_in_the_position_of_a_scenario() {
    let bench = Bench::new();
    let (red, blue) = (format!("red={}", client()), format!("blue={}", client()));
    let bots = ["--clock", "lockstep", "--clients", "1", "--bot", &red, "--bot", &blue];
    let position = bench.path("position.txt");
    fs::write(&position, "# much of it\n/setTile food 9 3 4\n").unwrap();
    let path = position.to_str().unwrap();
    played(&mut small(&bench, "out", &[&bots[..], &["--scenario", path]].concat()));
    let record = fs::read_to_string(bench.path("out/match.zrec")).unwrap();
    assert!(record.contains("0 < c /setTile food 9 3 4"), "it is in the record");
    assert_proven(&bench.path("out"));
    // As editors of Windows write it.
    fs::write(&position, "\u{feff}# much of it\r\n/setTile food 9 3 4\r\n").unwrap();
    played(&mut small(&bench, "marked", &[&bots[..], &["--scenario", path]].concat()));
    assert_eq!(fs::read_to_string(bench.path("marked/match.zrec")).unwrap(), record);
    fs::write(&position, b"\xff\xfe#\0\n\0").unwrap();
    let finished = run(&mut small(&bench, "wide", &[&bots[..], &["--scenario", path]].concat()));
    assert!(finished.code() != 0 && finished.error().contains("save it as UTF-8"), "{}", finished.stderr);
    fs::write(&position, "/nonsense\n").unwrap();
    let finished = run(&mut small(&bench, "bad", &[&bots[..], &["--scenario", path]].concat()));
    assert!(finished.code() != 0 && finished.error().contains("position.txt"), "{}", finished.stderr);
    fs::write(&position, "/setTile food 9 3 4\n/pause\n").unwrap();
    let finished = run(&mut small(&bench, "paused", &[&bots[..], &["--scenario", path]].concat()));
    assert!(
        finished.code() == 2 && finished.error().contains("line 2: /pause is for"),
        "{}",
        finished.stderr
    );
    let inside = ["--in-process", "--scenario", path, "--bot", "red=zappy_ai", "--bot", "blue=zappy_ai"];
    let finished = run(&mut small(&bench, "inside", &inside));
    assert!(finished.code() == 2 && finished.error().contains("--scenario means nothing with --in-process"));
}
