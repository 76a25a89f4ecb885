//! A record's header: everything needed to play the match again, apart from its inputs.
//!
//! One `key value` per line in a fixed order, so that equal matches have equal headers. Tested in this module.

use super::{BadRecord, FORMAT_VERSION, RecordLine};
use crate::text::number;
use crate::types::{MapSize, TeamName, Tick, named};

named! { RecordLevel, "How much of a match a record keeps.",
    /// The inputs; enough to play the match again.
    Inputs = "inputs",
    /// Also the outputs and published lines; enough to watch the match without the rules.
    Full = "full",
}

/// Everything needed to play the match again, apart from its inputs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// The version of the format in which these lines are written, 1 to [`FORMAT_VERSION`].
    pub format: u32,
    pub game: String,
    /// The version of the game's rules.
    pub rules_version: u32,
    /// The seed of the match's chance.
    pub seed: u64,
    pub map: MapSize,
    /// Ticks per second at the start.
    pub frequency: u32,
    /// The greatest frequency that may be asked for, in ticks per second.
    pub max_frequency: u32,
    /// Whether clients were let in without `/start`.
    pub auto_start: bool,
    /// The tick at which the match ends by itself; `None`: no tick.
    pub max_ticks: Option<Tick>,
    /// The clock by which the match ran.
    pub clock: String,
    pub level: RecordLevel,
    /// The teams in their order.
    pub teams: Vec<TeamName>,
    /// The game's own options, as key and value, in the game's order.
    pub options: Vec<(String, String)>,
}

/// The keys of all formats.
pub(super) const HEADER_KEYS: &str = "zrec game seed map frequency max-frequency auto-start max-ticks clock level team \
     option rules-version rules width height slots display-eggs";

/// The only game that records of format 1 know.
const FORMAT_1_GAME: &str = "zappy";
/// The game's options in format 1 by their later keys: format 1 calls them `rules`, `slots` and `display-eggs`.
const FORMAT_1_OPTIONS: [&str; 3] = ["rules", "clients", "display-eggs"];

fn owned<'a>(options: impl Iterator<Item = (&'a str, &'a str)>) -> Vec<(String, String)> {
    options.map(|(key, value)| (key.to_owned(), value.to_owned())).collect()
}

impl Header {
    /// The value of one of the game's options.
    pub fn option(&self, key: &str) -> Option<&str> {
        self.options.iter().find(|(known, _)| known == key).map(|(_, value)| value.as_str())
    }

    /// The value of one of the game's options as a number; `None` if it is no number.
    pub fn number(&self, key: &str) -> Option<u64> {
        number(self.option(key)?.as_bytes())
    }

    /// The header's lines in the order of its format, with `begin`.
    pub fn lines(&self) -> impl Iterator<Item = RecordLine> {
        let option = |key| self.option(key).unwrap_or_default().to_owned();
        let is_format_1 = self.format == 1;
        let mut lines = vec![("zrec", self.format.to_string())];
        if is_format_1 {
            lines.push(("rules-version", self.rules_version.to_string()));
            lines.push(("rules", option("rules")));
        } else {
            lines.push(("game", format!("{} {}", self.game, self.rules_version)));
        }
        lines.push(("seed", self.seed.to_string()));
        if is_format_1 {
            lines.push(("width", self.map.width().to_string()));
            lines.push(("height", self.map.height().to_string()));
            lines.push(("slots", option("clients")));
        } else {
            lines.push(("map", self.map.to_string()));
        }
        lines.push(("frequency", self.frequency.to_string()));
        lines.push(("max-frequency", self.max_frequency.to_string()));
        lines.push(("auto-start", if self.auto_start { "on" } else { "off" }.to_owned()));
        lines.extend(is_format_1.then(|| ("display-eggs", option("display-eggs"))));
        lines.push(("max-ticks", self.max_ticks.map_or("none".to_owned(), |tick| tick.to_string())));
        lines.push(("clock", self.clock.clone()));
        lines.push(("level", self.level.to_string()));
        lines.extend(self.teams.iter().map(|team| ("team", team.to_string())));
        let options = self.options.iter().filter(|_| !is_format_1);
        lines.extend(options.map(|(key, value)| ("option", format!("{key} {value}"))));
        let lines = lines.into_iter().map(|(key, value)| RecordLine::Header(key.to_owned(), value));
        lines.chain([RecordLine::Begin])
    }

    /// Reads a header from its lines, without `begin`.
    ///
    /// # Errors
    /// The first line that is missing, bad or in the wrong place.
    pub fn parse(lines: &[(String, String)]) -> Result<Header, BadRecord> {
        let mut values = Values(lines);
        let format = Header::known_format(lines)?;
        values.take("zrec")?;
        let is_format_1 = format == 1;
        let (game, version) = if is_format_1 {
            (FORMAT_1_GAME, values.take("rules-version")?)
        } else {
            values.take("game")?.split_once(' ').ok_or(BadRecord::Header("game"))?
        };
        let rules_version = parsed(if is_format_1 { "rules-version" } else { "game" }, version)?;
        let rules = values.take_if(is_format_1, "rules")?;
        let seed = parsed("seed", values.take("seed")?)?;
        let map = if is_format_1 {
            size("width", values.take("width")?, values.take("height")?)?
        } else {
            let (width, height) = values.take("map")?.split_once(' ').ok_or(BadRecord::Header("map"))?;
            size("map", width, height)?
        };
        let slots = values.take_if(is_format_1, "slots")?;
        slots.map(|slots| parsed::<u32>("slots", slots)).transpose()?;
        let frequency = parsed("frequency", values.take("frequency")?)?;
        let max_frequency = parsed("max-frequency", values.take("max-frequency")?)?;
        let auto_start = switch("auto-start", values.take("auto-start")?)?;
        let display_eggs = values.take_if(is_format_1, "display-eggs")?;
        display_eggs.map(|shown| switch("display-eggs", shown)).transpose()?;
        let format_1_options = FORMAT_1_OPTIONS.into_iter().zip([rules, slots, display_eggs]);
        let format_1_options = format_1_options.map(|(key, value)| (key, value.unwrap_or_default()));
        let header = Header {
            format,
            game: game.to_owned(),
            rules_version,
            seed,
            map,
            frequency,
            max_frequency,
            auto_start,
            max_ticks: max_ticks(values.take("max-ticks")?)?,
            clock: values.take("clock")?.to_owned(),
            level: RecordLevel::parse(values.take("level")?.as_bytes()).ok_or(BadRecord::Header("level"))?,
            teams: values.teams()?,
            options: if is_format_1 { owned(format_1_options) } else { values.options()? },
        };
        // The first line that is left over is out of place.
        values.0.first().map_or(Ok(header), |(key, _)| Err(BadRecord::Surplus(key.clone())))
    }

    /// The format that the first line names.
    pub(super) fn known_format(lines: &[(String, String)]) -> Result<u32, BadRecord> {
        let unknown = |what: &str| BadRecord::Format(what.to_owned());
        let format = Values(lines).take("zrec").map_err(|_| unknown("no such line"))?;
        let known = (1..=FORMAT_VERSION).find(|known| known.to_string() == format);
        known.ok_or_else(|| unknown(&format!("zrec {format}")))
    }
}

/// The lines of a header that were not read yet, as key and value.
struct Values<'a>(&'a [(String, String)]);

impl<'a> Values<'a> {
    fn take(&mut self, key: &'static str) -> Result<&'a str, BadRecord> {
        match self.0 {
            [(found, value), rest @ ..] if found == key => {
                self.0 = rest;
                Ok(value)
            }
            _ => Err(BadRecord::Header(key)),
        }
    }

    fn take_if(&mut self, is_expected: bool, key: &'static str) -> Result<Option<&'a str>, BadRecord> {
        is_expected.then(|| self.take(key)).transpose()
    }

    /// The values of the next lines, as long as they have that key.
    fn all(&mut self, key: &'static str) -> impl Iterator<Item = &'a str> {
        let count = self.0.iter().take_while(|(found, _)| found == key).count();
        let (these, rest) = self.0.split_at(count);
        self.0 = rest;
        these.iter().map(|(_, value)| value.as_str())
    }

    fn teams(&mut self) -> Result<Vec<TeamName>, BadRecord> {
        let name = |text: &str| TeamName::parse(text.as_bytes()).ok_or(BadRecord::Header("team"));
        self.all("team").map(name).collect()
    }

    fn options(&mut self) -> Result<Vec<(String, String)>, BadRecord> {
        let pair = |text: &'a str| text.split_once(' ').ok_or(BadRecord::Header("option"));
        Ok(owned(self.all("option").map(pair).collect::<Result<Vec<_>, _>>()?.into_iter()))
    }
}

fn parsed<T: std::str::FromStr>(key: &'static str, value: &str) -> Result<T, BadRecord> {
    number(value.as_bytes()).ok_or(BadRecord::Header(key))
}

fn size(key: &'static str, width: &str, height: &str) -> Result<MapSize, BadRecord> {
    MapSize::new(parsed(key, width)?, parsed(key, height)?).ok_or(BadRecord::Header(key))
}

fn max_ticks(value: &str) -> Result<Option<Tick>, BadRecord> {
    if value == "none" { Ok(None) } else { parsed("max-ticks", value).map(Some) }
}

fn switch(key: &'static str, value: &str) -> Result<bool, BadRecord> {
    match value {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err(BadRecord::Header(key)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(format: u32) -> Header {
        let options = [("rules", "strict"), ("clients", "6"), ("display-eggs", "off")];
        Header {
            format,
            game: "zappy".to_owned(),
            rules_version: 1,
            seed: 42,
            map: MapSize::new(20, 10).unwrap(),
            frequency: 100,
            max_frequency: 10_000,
            auto_start: true,
            max_ticks: Some(5000),
            clock: "real".to_owned(),
            level: RecordLevel::Full,
            teams: ["red", "équipe"].map(|n| TeamName::parse(n.as_bytes()).unwrap()).to_vec(),
            options: options.map(|(key, value)| (key.to_owned(), value.to_owned())).to_vec(),
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
    fn headers_of_all_formats_come_back() {
        for format in 1..=FORMAT_VERSION {
            let header = header(format);
            let lines = header_lines(&header);
            assert_eq!(Header::parse(&lines), Ok(header));
            let needed = lines.iter().position(|(key, _)| key == "team").unwrap();
            for missing in 0..needed {
                let mut fewer = lines.clone();
                fewer.remove(missing);
                assert!(Header::parse(&fewer).is_err(), "without {:?}", lines[missing]);
            }
            let mut more = lines.clone();
            more.push(("seed".to_owned(), "1".to_owned()));
            assert_eq!(Header::parse(&more), Err(BadRecord::Surplus("seed".to_owned())));
        }
    }

    #[test]
    fn a_later_format_is_refused_with_a_clear_message() {
        let mut lines = header_lines(&header(2));
        lines[0].1 = "4".to_owned();
        let error = Header::parse(&lines).unwrap_err().to_string();
        assert_eq!(error, "no record of format 1 to 3: the first line must be \"zrec 3\", it is \"zrec 4\"");
    }
}
