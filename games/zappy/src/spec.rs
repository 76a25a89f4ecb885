//! Zappy in the table of games: its name, its options as text, and the columns of tables.
//!
//! Options are checked here and become plain values. Tested in this module.

use zappy_protocol::Tick;
use zappy_protocol::zappy::constants::RULES_VERSION;

use super::options::{DEFAULT_SLOTS, MAX_SLOTS, ZappyOptions};
use super::rules::RuleSet;
use super::{Zappy, report, verdict};
use zappy_game::config::{BadConfig, MatchConfig};
use zappy_game::{GameSpec, MatchSpec, OptionSpec, Options};

/// A match between teams of which none wins ends at this tick.
const MAX_TICKS: Tick = 50_000;

/// Zappy in the table of games.
pub const SPEC: GameSpec = GameSpec {
    name: "zappy",
    about: "look, gather, talk and rise through incantations until six of a team reach level 8",
    rules_version: RULES_VERSION,
    manual: "protocol.md",
    rate: None,
    options: &[
        OptionSpec {
            key: "rules",
            value_name: "RULES",
            help: "Rule set: subject, official (as the official server 3.0.1 plays) or strict",
            default: "subject",
            read: |text| {
                let known = RuleSet::parse(text).ok_or("the rule sets are subject, official and strict")?;
                Ok(known.name().to_owned())
            },
            ..OptionSpec::VALUE
        },
        OptionSpec {
            key: "clients",
            short: Some('c'),
            value_name: "CLIENTS",
            help: "Clients per team at the start, 1 to 1000",
            default: "6",
            read: |text| OptionSpec::number(text, 1, MAX_SLOTS),
            ..OptionSpec::VALUE
        },
        OptionSpec {
            key: "display-eggs",
            short: Some('e'),
            help: "Whether Look shows eggs: on or off",
            ..OptionSpec::SWITCH
        },
    ],
    columns: report::COLUMNS,
    cells: report::cells,
    reasons: verdict::REASONS,
    advice: report::ADVICE,
    samples: &["Forward", "Look", "Inventory", "Broadcast a b", "Fork", "Incantation", "Take food", "Eject"],
    slots: |options| ZappyOptions::read(options).slots as usize,
    map: |_| None,
    max_ticks: |_, _| MAX_TICKS,
    begin: |config, options| Ok(Box::new(Zappy::new(config, ZappyOptions::read(options)))),
};

impl ZappyOptions {
    /// Reads options that [`SPEC`] has checked.
    pub fn read(options: &Options) -> ZappyOptions {
        ZappyOptions {
            rules: RuleSet::parse(options.get("rules")).unwrap_or(RuleSet::SUBJECT),
            slots: options.get("clients").parse().unwrap_or(DEFAULT_SLOTS),
            display_eggs: options.get("display-eggs") == "on",
        }
    }

    /// A match with these options.
    ///
    /// # Errors
    /// When a value is out of its range.
    pub fn spec(self, config: MatchConfig) -> Result<MatchSpec, BadConfig> {
        let clients = self.slots.to_string();
        let eggs = if self.display_eggs { "on" } else { "off" };
        let options = [("rules", self.rules.name()), ("clients", clients.as_str()), ("display-eggs", eggs)];
        MatchSpec::new(&SPEC, config).with(options)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use zappy_protocol::MapSize;

    #[test]
    fn options_are_read_as_they_are_written() {
        let config = MatchConfig::new(MapSize::new(10, 10).unwrap(), Vec::new());
        let plain = MatchSpec::new(&SPEC, config);
        let read = |pairs: &[(&'static str, &'static str)]| {
            plain.clone().with(pairs.iter().copied()).map(|spec| ZappyOptions::read(&spec.options))
        };
        assert_eq!(read(&[]), Ok(ZappyOptions::default()));
        let strict = ZappyOptions { rules: RuleSet::STRICT, slots: 3, display_eggs: true };
        assert_eq!(read(&[("clients", "3"), ("rules", "strict"), ("display-eggs", "true")]), Ok(strict));
        assert_eq!(read(&[("rules", "reference")]), Ok(ZappyOptions::default()), "the first name");
        let said = |key, value| read(&[(key, value)]).unwrap_err().to_string();
        assert_eq!(said("clients", "0"), "clients is \"0\", the range is 1 to 1000");
        assert_eq!(
            said("rules", "loose"),
            "rules is \"loose\", the rule sets are subject, official and strict"
        );
        assert_eq!(
            said("cities", "on"),
            "the game zappy has no option cities; its options are rules, clients, display-eggs"
        );
    }
}
