//! Command lines, right and wrong.

use super::*;
use crate::games::GAMES;
use crate::games::GameTable;
use zappy_game::{Form, OptionSpec};

fn run(line: &str) -> Result<(Action, LevelFilter), Stop> {
    run_with(line, GAMES)
}

fn run_with(line: &str, games: GameTable) -> Result<(Action, LevelFilter), Stop> {
    parse(std::iter::once("zappy_server").chain(line.split_whitespace()).map(OsString::from), games)
}

fn play(line: &str) -> Play {
    match run(line).unwrap().0 {
        Action::Play(play) => *play,
        Action::Verify(_) | Action::Resume(_) => panic!("{line}"),
    }
}

fn config(line: &str) -> MatchConfig {
    play(line).spec.config
}

fn error(line: &str) -> String {
    match run(line).unwrap_err() {
        Stop::Usage(text) => text.lines().next().unwrap().to_owned(),
        Stop::Help(text) => panic!("{text}"),
    }
}

#[test]
fn the_subjects_command_line_is_understood() {
    let spec = play("-p 4242 -x 20 -y 30 -n red blue -c 4 -f 10 -n green").spec;
    let (config, options) = (spec.config, spec.options);
    let teams: Vec<&str> = config.teams.iter().map(TeamName::as_str).collect();
    assert_eq!(teams, ["red", "blue", "green"]);
    assert_eq!((config.map.width(), config.map.height(), options.get("clients")), (20, 30, "4"));
    assert_eq!((config.frequency.get(), options.get("rules"), config.auto_start), (10, "subject", true));
    assert_eq!(play("-n red --option clients=4 --game zappy").spec.options.get("clients"), "4");
}

#[test]
fn the_official_servers_command_line_is_understood() {
    let options = |line: &str| play(line).spec.options;
    let line = "-n red -c 3 -f 10 --match_duration 60 -s on -e true";
    assert_eq!((config(line).max_ticks, config(line).auto_start), (Some(600), true));
    assert_eq!(options(line).get("display-eggs"), "on");
    assert!(!config("-n red -s off").auto_start && !config("-n red --auto_start false").auto_start);
    assert_eq!(options("-n red --display_eggs on").get("display-eggs"), "on");
    assert_eq!(options("-n red --rules reference").get("rules"), "subject");
    assert_eq!(play("-n red --stay").options.setup.stay.as_deref(), Some(STOP_LINE));
    assert_eq!(play("-n red").options.setup.stay, None);
}

#[test]
fn errors_name_flag_value_and_range() {
    for (line, expected) in [
        ("-n a -p 70000", "-p is \"70000\", the range is 0 to 65535"),
        ("-n a -x 0", "-x is \"0\", the range is 1 to 500"),
        ("-n a -y -3", "-y is \"-3\", the range is 1 to 500"),
        ("-n a -c many", "-c is \"many\", the range is 1 to 1000"),
        ("-n a -f 1.5", "-f is \"1.5\", the range is 1 to 100000"),
        ("-n a --rules loose", "--rules is \"loose\", the rule sets are subject, official and strict"),
        ("-n a --auto-start maybe", "-s is \"maybe\", the values are on and off"),
        ("-n a --observers some", "--observers is \"some\", the values are off, read-only and control"),
        ("-n a --record-level all", "--record-level is \"all\", the levels are inputs and full"),
        (
            "-n a --bind here",
            "--bind is \"here\", give an address of this machine, such as 127.0.0.1 or 0.0.0.0",
        ),
        ("-n a -p", "-p needs a value"),
        ("-n a -z", "-z is no flag of this program"),
        ("-n a --widht 5", "--widht is no flag of this program; did you mean --width?"),
        ("-p 4242", "-n: no team is given; name 1 to 100 of them, as in -n red blue"),
        ("-n a a", "-n: the team a is named twice; give each team a name of its own"),
        ("-n a --game chess", "--game: there is no game chess; the games are zappy, conquest"),
        ("-n a --option clients", "--option is \"clients\", write KEY=VALUE"),
        ("-n a --option clients=0", "-c is \"0\", the range is 1 to 1000"),
        (
            "-n a --option cities=on",
            "--cities: the game zappy has no option cities; its options are rules, clients, display-eggs",
        ),
        (
            "-n a b --game conquest -x 20 -y 20 -f 200",
            "-f is 200, but in the game conquest a second has 1000 ticks by its rules; leave -f away",
        ),
        (
            "-n red blue --game conquest -x 20 -y 20 --alliance red,pink",
            "--alliance names \"pink\", but there is no such faction; the factions are red, blue",
        ),
        ("-n a --clock sun", "--clock is \"sun\", the clocks are real and lockstep"),
        ("-n a --pace 50", "--pace belongs to the lockstep clock; add --clock lockstep"),
        ("-n a --clock lockstep --think-time 0", "--think-time is \"0\", the range is 1 to 3600000"),
        ("-n GRAPHIC", "-n: no team can be called GRAPHIC: that is how observers log in"),
    ] {
        assert_eq!(error(line), format!("zappy_server: {expected}"), "{line}");
    }
}

#[test]
fn the_usage_is_that_of_the_game() {
    let usage = |line: &str| match run(line).unwrap_err() {
        Stop::Usage(text) => text.lines().nth(1).unwrap().to_owned(),
        Stop::Help(text) => panic!("{text}"),
    };
    let sides = "-p PORT -x WIDTH -y HEIGHT -n TEAM...";
    let conquest = format!("usage: zappy_server --game conquest {sides} [OPTIONS]");
    assert_eq!(usage("-n a -c 0"), format!("usage: zappy_server {sides} -c CLIENTS -f FREQ [OPTIONS]"));
    assert_eq!(usage("-n a --game conquest -c 3"), conquest);
    assert_eq!(usage("--game conquest -n a -x many"), conquest);
    assert_eq!(config("-n a b --game conquest -x 20 -y 20 -f 1000").frequency.get(), 1_000);
}

#[test]
fn observers_of_a_server_by_hand_have_control() {
    assert_eq!(config("-n a").observers, Observers::Control);
    assert_eq!(config("-n a --observers read-only").observers, Observers::ReadOnly);
}

#[test]
fn the_last_of_a_repeated_flag_counts() {
    assert_eq!(config("-n a -f 5 -f 7").frequency.get(), 7);
}

#[test]
fn the_earlier_end_counts() {
    assert_eq!(config("-n a").max_ticks, None);
    assert_eq!(config("-n a -f 10 -t 60").max_ticks, Some(600));
    assert_eq!(config("-n a -f 10 --game-duration 60 --max-ticks 500").max_ticks, Some(500));
    assert_eq!(config("-n a -f 10 --match-duration 6 --max-ticks 500").max_ticks, Some(60));
}

#[test]
fn seeds_are_drawn_unless_given() {
    assert_eq!(config("-n a --seed 9").seed, 9);
    assert_ne!(config("-n a").seed, config("-n a").seed);
    assert!(play("-n a --seed -").seed_on_stdin && !play("-n a --seed 9").seed_on_stdin);
}

#[test]
fn the_lockstep_clock_waits_for_every_slot_unless_told_otherwise() {
    let lockstep = |line: &str| play(line).options.setup.lockstep;
    assert_eq!(lockstep("-n a b -c 4"), None);
    let settings = lockstep("-n a b -c 4 --clock lockstep").unwrap();
    assert_eq!((settings.wait_players, settings.max_late, settings.pace), (8, 10, None));
    assert_eq!(settings.think_time, Duration::from_secs(1));
    let settings = lockstep("-n a --clock lockstep --wait-players 3 --max-late 0 --pace 50").unwrap();
    assert_eq!((settings.wait_players, settings.max_late), (3, 0));
    assert_eq!(settings.pace, NonZeroU32::new(50));
}

#[test]
fn help_is_no_error_and_verify_needs_no_team() {
    assert!(matches!(run("-h"), Err(Stop::Help(_))));
    assert!(matches!(run("--help"), Err(Stop::Help(text)) if text.contains("Examples")));
    assert!(matches!(run("--verify a.zrec"), Ok((Action::Verify(_), LevelFilter::Info))));
    assert_eq!(run("-n a -vv").unwrap().1, LevelFilter::Trace);
    assert_eq!(run("-n a -q").unwrap().1, LevelFilter::Warn);
}

const fn option(key: &'static str, help: &'static str, default: &'static str) -> OptionSpec {
    let (form, short, value_name) = (Form::Value, None, "NUMBER");
    OptionSpec { key, form, short, value_name, help, default, read: |text| Ok(text.to_owned()) }
}

/// The games, with one that shares an option's key with conquest, and one with a flag's name for an option.
static WITH_GUESTS: &[GameSpec] = &[
    zappy_game_zappy::SPEC,
    zappy_game_conquest::SPEC,
    GameSpec {
        name: "snakes",
        options: &[option("turns", "Moves of a match", "77")],
        ..zappy_game_zappy::SPEC
    },
    GameSpec { name: "broken", options: &[option("width", "Its own width", "5")], ..zappy_game_zappy::SPEC },
];

#[test]
fn options_belong_to_their_game() {
    let turns = |line: &str| match run_with(line, WITH_GUESTS).unwrap().0 {
        Action::Play(play) => play.spec.options.get("turns").to_owned(),
        action => panic!("{action:?}"),
    };
    assert_eq!(turns("-n red blue --game snakes"), "77");
    assert_eq!(turns("-n red blue --game=snakes --turns many"), "many");
    assert_eq!(turns("-n red blue --game conquest -x 20 -y 20"), "400");
    let help = |line: &str| match run_with(line, WITH_GUESTS) {
        Err(Stop::Help(text)) => text.split_whitespace().collect::<Vec<_>>().join(" "),
        other => panic!("{other:?}"),
    };
    let own = "Options of the game snakes: --turns <NUMBER> Moves of a match [default: 77]";
    assert!(help("--game snakes --help").contains(own), "{}", help("--game snakes --help"));
    assert!(!help("--game conquest --help").contains("Moves of a match"));
}

#[test]
fn an_option_with_the_name_of_a_flag_harms_its_own_game_alone() {
    assert!(run_with("-n red", WITH_GUESTS).is_ok());
    let Err(Stop::Usage(text)) = run_with("-n red blue --game broken", WITH_GUESTS) else {
        panic!("it runs")
    };
    let expected = "zappy_server: --game broken: its option width has the name of another flag of this program; rename the option";
    assert_eq!(text.lines().next(), Some(expected));
}

#[test]
fn no_option_has_the_name_of_a_flag() {
    for game in GAMES {
        game_flags::add(Flags::command(), game, GAMES).unwrap();
    }
}
