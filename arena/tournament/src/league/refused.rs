//! What isn't in a league as it lies in the folder of the bots: in plain values, and in words that say what plays on.
//!
//! If an older version of a bot is in the field, the words say that this version plays on. Tested in `arena/cli/tests/league/`.

use std::collections::BTreeMap;

use super::history::History;
use super::round::Version;
use crate::identity::Id;

/// A bot that isn't in the field, or not as it lies there now.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Refused {
    /// What its folder is called.
    pub name: String,
    /// Why, with the remedy.
    pub why: String,
    /// Which of its bot's versions it would have been.
    pub number: u32,
    /// The bot's older version that is in the field, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plays_on: Option<String>,
}

impl Refused {
    /// One of which no version is known.
    pub(super) fn new(name: String, why: String) -> Refused {
        Refused { name, why, number: 1, plays_on: None }
    }

    /// What isn't in the league and what plays on, in words.
    pub fn words(&self) -> String {
        let Refused { name, why, number, plays_on } = self;
        match plays_on {
            Some(label) => format!("{name}'s new version ({number}) did not enter, {label} plays on: {why}"),
            None => format!("not in the league: {name}: {why}"),
        }
    }
}

/// What is known of a bot before its files are taken in.
pub(super) struct Before {
    /// Which of its versions they would be.
    pub(super) number: u32,
    /// The version that plays on if they aren't.
    pub(super) plays_on: Option<String>,
}

impl Before {
    /// What the rounds and the field tell of the bot of that name.
    pub(super) fn of(history: &History, field: &BTreeMap<String, Id>, name: &str) -> Before {
        let earlier = history.versions.iter().filter(|version| version.name == name).count();
        let on = field.get(name).and_then(|id| history.version(*id));
        Before { number: earlier as u32 + 1, plays_on: on.map(Version::label) }
    }

    /// What its author is told first if they aren't.
    pub(super) fn head(&self, name: &str) -> String {
        match &self.plays_on {
            Some(label) => {
                format!("{name}'s new version ({}) did not enter the league; {label} plays on", self.number)
            }
            None => "This bot is not in the league".to_owned(),
        }
    }
}
