//! A record's header: everything needed to play the match again, apart from its inputs.
//!
//! One `key value` per line in a fixed order, so that equal matches have equal headers. Tested in this module.

use super::{BadRecord, FORMAT_VERSION, RecordLine};
use crate::types::{MapSize, TeamName, Tick};
use crate::words::number;

/// How much of a match a record keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordLevel {
    /// What came in; enough to play the match again.
    Inputs,
    /// Also what went out and was published; enough to watch it without the rules.
    Full,
}

impl RecordLevel {
    /// Its name on the command line and in records.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            RecordLevel::Inputs => "inputs",
            RecordLevel::Full => "full",
        }
    }

    /// The level of that name.
    #[must_use]
    pub fn parse(name: &str) -> Option<RecordLevel> {
        [RecordLevel::Inputs, RecordLevel::Full].into_iter().find(|level| level.name() == name)
    }
}

/// Everything needed to play the match again, apart from its inputs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// The version of the rules.
    pub rules_version: u32,
    /// The rule set's name.
    pub rules: String,
    /// Where all chance of the match comes from.
    pub seed: u64,
    /// The map.
    pub size: MapSize,
    /// Slots per team at the start.
    pub slots: u32,
    /// Ticks per second at the start.
    pub frequency: u32,
    /// The greatest frequency that may be asked for.
    pub max_frequency: u32,
    /// Whether clients were let in without `/start`.
    pub auto_start: bool,
    /// Whether `Look` shows eggs.
    pub display_eggs: bool,
    /// The tick at which the match ends by itself.
    pub max_ticks: Option<Tick>,
    /// Which clock the match ran by.
    pub clock: String,
    /// What the record keeps.
    pub level: RecordLevel,
    /// The teams in their order.
    pub teams: Vec<TeamName>,
}

pub(super) const HEADER_KEYS: [&str; 15] = [
    "zrec",
    "rules-version",
    "rules",
    "seed",
    "width",
    "height",
    "slots",
    "frequency",
    "max-frequency",
    "auto-start",
    "display-eggs",
    "max-ticks",
    "clock",
    "level",
    "team",
];

impl Header {
    /// The header's lines in their order, `begin` included.
    pub fn lines(&self) -> impl Iterator<Item = RecordLine> {
        let on = |yes: bool| if yes { "on" } else { "off" }.to_owned();
        let mut values = vec![
            FORMAT_VERSION.to_string(),
            self.rules_version.to_string(),
            self.rules.clone(),
            self.seed.to_string(),
            self.size.width().to_string(),
            self.size.height().to_string(),
            self.slots.to_string(),
            self.frequency.to_string(),
            self.max_frequency.to_string(),
            on(self.auto_start),
            on(self.display_eggs),
            self.max_ticks.map_or_else(|| "none".to_owned(), |t| t.to_string()),
            self.clock.clone(),
            self.level.name().to_owned(),
        ];
        values.extend(self.teams.iter().map(ToString::to_string));
        let keys = HEADER_KEYS.into_iter().chain(std::iter::repeat("team"));
        let lines: Vec<RecordLine> =
            keys.zip(values).map(|(key, value)| RecordLine::Header(key.to_owned(), value)).collect();
        lines.into_iter().chain([RecordLine::Begin])
    }

    /// The header these lines spell; `lines` ends before `begin`.
    ///
    /// # Errors
    /// Names the first line that is missing, bad or in the wrong place.
    pub fn parse(lines: &[(String, String)]) -> Result<Header, BadRecord> {
        let mut lines = lines.iter();
        let mut value = |key: &'static str| match lines.next() {
            Some((found, value)) if found == key => Ok(value.as_str()),
            _ => Err(BadRecord::Header(key)),
        };
        let format = value("zrec").map_err(|_| BadRecord::Format("no such line".to_owned()))?;
        if format != FORMAT_VERSION.to_string() {
            return Err(BadRecord::Format(format!("zrec {format}")));
        }
        let rules_version = parsed("rules-version", value("rules-version")?)?;
        let rules = value("rules")?.to_owned();
        let seed = parsed("seed", value("seed")?)?;
        let (width, height) = (parsed("width", value("width")?)?, parsed("height", value("height")?)?);
        Ok(Header {
            rules_version,
            rules,
            seed,
            size: MapSize::new(width, height).ok_or(BadRecord::Header("width"))?,
            slots: parsed("slots", value("slots")?)?,
            frequency: parsed("frequency", value("frequency")?)?,
            max_frequency: parsed("max-frequency", value("max-frequency")?)?,
            auto_start: switch("auto-start", value("auto-start")?)?,
            display_eggs: switch("display-eggs", value("display-eggs")?)?,
            max_ticks: match value("max-ticks")? {
                "none" => None,
                ticks => Some(parsed("max-ticks", ticks)?),
            },
            clock: value("clock")?.to_owned(),
            level: RecordLevel::parse(value("level")?).ok_or(BadRecord::Header("level"))?,
            teams: teams(lines)?,
        })
    }
}

fn parsed<T: std::str::FromStr>(key: &'static str, value: &str) -> Result<T, BadRecord> {
    number(value.as_bytes()).ok_or(BadRecord::Header(key))
}

fn switch(key: &'static str, value: &str) -> Result<bool, BadRecord> {
    match value {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err(BadRecord::Header(key)),
    }
}

fn teams<'a>(lines: impl Iterator<Item = &'a (String, String)>) -> Result<Vec<TeamName>, BadRecord> {
    let name =
        |(key, name): &(String, String)| (key == "team").then(|| TeamName::parse(name.as_bytes())).flatten();
    lines.map(|line| name(line).ok_or(BadRecord::Header("team"))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header() -> Header {
        Header {
            rules_version: 1,
            rules: "reference".to_owned(),
            seed: 42,
            size: MapSize::new(20, 10).unwrap(),
            slots: 6,
            frequency: 100,
            max_frequency: 10_000,
            auto_start: true,
            display_eggs: false,
            max_ticks: Some(5000),
            clock: "real".to_owned(),
            level: RecordLevel::Full,
            teams: ["red", "équipe"].map(|n| TeamName::parse(n.as_bytes()).unwrap()).to_vec(),
        }
    }

    fn header_lines(header: &Header) -> Vec<(String, String)> {
        header
            .lines()
            .filter_map(|line| match RecordLine::parse(line.print().as_bytes()).unwrap() {
                RecordLine::Header(key, value) => Some((key, value)),
                _ => None,
            })
            .collect()
    }

    #[test]
    fn a_header_comes_back() {
        let lines = header_lines(&header());
        assert_eq!(Header::parse(&lines), Ok(header()));
        for missing in 0..lines.len() - header().teams.len() {
            let mut fewer = lines.clone();
            fewer.remove(missing);
            assert!(Header::parse(&fewer).is_err(), "without {:?}", lines[missing]);
        }
    }

    #[test]
    fn a_later_format_is_refused_with_a_clear_word() {
        let mut lines = header_lines(&header());
        lines[0].1 = "2".to_owned();
        let error = Header::parse(&lines).unwrap_err().to_string();
        assert_eq!(error, "no record of format 1: the first line must be \"zrec 1\", it is \"zrec 2\"");
    }
}
