//! Conquest in the table of games: its name, its options as text, and the columns of tables.
//!
//! Tested in this module and in `tests/conquest.rs`.

use zappy_protocol::Tick;
use zappy_protocol::conquest::constants::{
    DEFAULT_TURN_TIME, DEFAULT_TURNS, RULES_VERSION, TICKS_PER_SECOND,
};

use super::game::{ADVICE, COLUMNS, Conquest, REASONS, cells};
use super::options::OPTIONS;
use super::scenarios::Scenario;
use zappy_game::{GameSpec, Options, SCENARIO};

/// Conquest in the table of games.
pub const SPEC: GameSpec = GameSpec {
    name: "conquest",
    about: "in turns: build units, take land, run cities, and hold the base until the others have lost theirs",
    rules_version: RULES_VERSION,
    manual: "conquest.md",
    rate: std::num::NonZeroU32::new(TICKS_PER_SECOND),
    options: OPTIONS,
    columns: COLUMNS,
    cells,
    reasons: REASONS,
    advice: ADVICE,
    samples: &[
        "Base income",
        "Base build pioneer",
        "Unit 0 conquer",
        "Unit 1 travel 3 3",
        "Unit 2 retire",
        "City 1 1 recruit worker",
        "Place 0",
        "Done 1",
    ],
    slots: |_| 1,
    map: |options| Scenario::find(options.get(SCENARIO))?.size(),
    max_ticks,
    begin: |config, options| Ok(Box::new(Conquest::new(config, options)?)),
};

/// The ticks that all turns take, and a draft before them, if each faction has a phase of its own.
fn max_ticks(options: &Options, teams: usize) -> Tick {
    let number =
        |key: &str, default: u32| -> Tick { options.get(key).parse::<u32>().unwrap_or(default).into() };
    let time = match number("turn-time", DEFAULT_TURN_TIME) {
        // By the real clock a phase without a limit may take any time; the default stands for it.
        0 => Tick::from(DEFAULT_TURN_TIME),
        time => time,
    };
    (number("turns", DEFAULT_TURNS) + 1) * (time + 1) * Tick::try_from(teams).unwrap_or(Tick::MAX).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use zappy_game::config::MatchConfig;
    use zappy_game::{Line, MatchSpec};
    use zappy_protocol::{MapSize, TeamName};

    fn begin(pairs: &[(&str, &str)]) -> Result<String, String> {
        let teams = ["red", "blue", "green"].map(|name| TeamName::parse(name.as_bytes()).unwrap());
        let config = MatchConfig::new(MapSize::new(12, 10).unwrap(), teams.to_vec());
        let spec =
            MatchSpec::new(&SPEC, config).with(pairs.iter().copied()).map_err(|error| error.to_string())?;
        let mut game = spec.begin().map_err(|error| error.to_string())?;
        let mut lines = Vec::new();
        game.snapshot(None, &mut lines);
        assert!(game.poll_output().is_some());
        let lines = lines.iter().flat_map(Line::lines).map(|line| String::from_utf8_lossy(line).into_owned());
        Ok(lines.into_iter().find(|line| line.starts_with("gam ")).unwrap())
    }

    #[test]
    fn options_are_read_as_they_are_written() {
        let sent = "gam conquest 2 factions red,blue,green cities off rules arena mode concurrent turns 400 time 1000 placement \
                    random alliances -";
        assert_eq!(begin(&[]).unwrap(), sent);
        let pairs = [
            ("cities", "true"),
            ("rules", "classic"),
            ("mode", "alliances"),
            ("order", "custom:green,red,blue"),
            ("alliance", "green,red"),
            ("turns", "7"),
            ("turn-time", "0"),
            ("placement", "draft"),
        ];
        let sent = "gam conquest 2 factions red,blue,green cities on rules classic mode alliances turns 7 time 0 placement draft \
                    alliances red,green";
        assert_eq!(begin(&pairs).unwrap(), sent);
    }

    #[test]
    fn what_can_not_be_played_is_refused_by_name() {
        let places = "--order custom: names every faction once, as in custom:blue,red";
        let names = "but there is no such faction; the factions are red, blue, green";
        for (key, value, words) in [
            ("turns", "0", "turns is \"0\", the range is 1 to 100000".to_owned()),
            ("cities", "maybe", "cities is \"maybe\", the values are on and off".to_owned()),
            ("order", "custom:red,blue", places.to_owned()),
            ("order", "custom:red,red,blue,green", places.to_owned()),
            ("order", "custom:pink,red,blue", format!("--order names \"pink\", {names}")),
            ("alliance", "red,pink", format!("--alliance names \"pink\", {names}")),
            (
                "alliance",
                "red",
                "--alliance: an alliance needs two factions, as in --alliance red,blue".to_owned(),
            ),
        ] {
            assert_eq!(begin(&[(key, value)]).unwrap_err(), words, "{key} {value}");
        }
        assert!(begin(&[("order", "custom_from:gold")]).unwrap_err().contains("custom_from:land"));
        assert!(
            begin(&[("alliance", "red,blue;blue,green")])
                .unwrap_err()
                .contains("--alliance names blue twice")
        );
    }
}
