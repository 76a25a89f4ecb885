//! Points, in hundredths, and the shares for which an opponent brings them.
//!
//! Points are added and compared as whole hundredths, never as floats. Tested in this module, in `arena/cli/tests/tournament/pace.rs`
//! and in `arena/cli/tests/class/`.

use std::borrow::Cow;
use std::fmt;
use std::iter::Sum;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::verdict::needed;

/// Points, counted in hundredths of a point.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Points(pub i64);

/// How many hundredths a point has.
const POINT: i64 = 100;
/// The most points that are read, added or taken off.
const MOST_POINTS: i64 = 1_000_000;

impl Points {
    pub fn whole(count: u64) -> Points {
        Points(i64::try_from(count).unwrap_or(MOST_POINTS) * POINT)
    }

    /// The number of points in words: `1 point`, `0.25 points`.
    pub fn words(self) -> String {
        format!("{self} point{}", if self == Points::whole(1) { "" } else { "s" })
    }

    /// The number of points, for formats that know floats alone.
    pub fn as_f64(self) -> f64 {
        self.0 as f64 / POINT as f64
    }
}

impl Sum for Points {
    fn sum<I: Iterator<Item = Points>>(all: I) -> Points {
        Points(all.map(|points| points.0).sum())
    }
}

impl fmt::Display for Points {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (sign, all) = (if self.0 < 0 { "-" } else { "" }, self.0.unsigned_abs());
        let text = format!("{sign}{}.{:02}", all / POINT.unsigned_abs(), all % POINT.unsigned_abs());
        f.write_str(text.trim_end_matches('0').trim_end_matches('.'))
    }
}

impl FromStr for Points {
    type Err = String;

    /// A number such as `2`, `0.25`, `+1` or `-0.5`.
    fn from_str(text: &str) -> Result<Points, String> {
        let wrong = || {
            let most = MOST_POINTS;
            format!(
                "{text:?} are no points; write a number with at most two digits behind the point, up to {most}"
            )
        };
        let plain = text.strip_prefix(['+', '-']).unwrap_or(text);
        let (whole, part) = plain.split_once('.').unwrap_or((plain, "0"));
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        if !digits(whole) || !digits(part) || part.len() > 2 {
            return Err(wrong());
        }
        let hundredths = format!("{whole}{part:0<2}").parse().ok().filter(|all| *all <= MOST_POINTS * POINT);
        let hundredths: i64 = hundredths.ok_or_else(wrong)?;
        Ok(Points(if text.starts_with('-') { -hundredths } else { hundredths }))
    }
}

impl Serialize for Points {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 % POINT {
            0 => serializer.serialize_i64(self.0 / POINT),
            _ => serializer.serialize_f64(self.as_f64()),
        }
    }
}

impl<'de> Deserialize<'de> for Points {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Points, D::Error> {
        serde_json::Number::deserialize(deserializer)?.to_string().parse().map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for Points {
    fn schema_name() -> Cow<'static, str> {
        "Points".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "number" })
    }
}

/// A part of an opponent's point.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Part {
    /// The share of the points against it that is needed.
    pub share: f64,
    /// What that brings, less than 1.
    pub points: Points,
}

/// For which shares an opponent brings points.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Pass {
    /// The share of the points with which an opponent is beaten.
    pub pass: f64,
    /// Smaller shares that bring a part of its point, in ascending order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<Part>,
}

impl Pass {
    /// All shares that change the points, in ascending order.
    pub fn shares(&self) -> impl Iterator<Item = f64> {
        self.parts.iter().map(|part| part.share).chain([self.pass])
    }

    /// The points that an opponent brings; `reached` says whether a share was reached.
    pub fn points(&self, reached: impl Fn(f64) -> bool) -> Points {
        if reached(self.pass) {
            return Points::whole(1);
        }
        self.parts.iter().rfind(|part| reached(part.share)).map_or(Points(0), |part| part.points)
    }

    /// The shares that are needed to beat an opponent and for parts of its point, in words.
    pub fn words(&self) -> String {
        let part = |part: &Part| format!(", {} of a point with {}", part.points, needed(part.share));
        let parts: String = self.parts.iter().rev().map(part).collect();
        format!("{} of the points{parts}", needed(self.pass))
    }
}

impl FromStr for Pass {
    type Err = String;

    /// The share for the whole point, and before it, if wanted, smaller shares with the points that they bring:
    /// `0.25:0.4,0.5`.
    fn from_str(text: &str) -> Result<Pass, String> {
        let share = |text: &str| {
            let share = text.trim().parse().ok().filter(|share| (0.0..=1.0).contains(share));
            share.ok_or_else(|| format!("{text:?} is no share of the points; the range is 0 to 1"))
        };
        let (parts, whole) =
            text.rsplit_once(',').map_or((None, text), |(parts, whole)| (Some(parts), whole));
        let mut pass = Pass { pass: share(whole)?, parts: Vec::new() };
        for part in parts.into_iter().flat_map(|parts| parts.split(',')) {
            let (least, points) = part.split_once(':').ok_or_else(|| {
                format!("{part:?} has no points; write SHARE:POINTS, and the share for the whole point last")
            })?;
            let part = Part { share: share(least)?, points: points.trim().parse()? };
            if part.points <= Points(0) || part.points >= Points::whole(1) {
                return Err(format!("{points:?} is no part of a point; give more than 0 and less than 1"));
            }
            pass.parts.push(part);
        }
        let shares: Vec<f64> = pass.shares().collect();
        let ascends = shares.windows(2).all(|two| two[0] < two[1])
            && pass.parts.windows(2).all(|two| two[0].points < two[1].points);
        if ascends {
            Ok(pass)
        } else {
            Err("a larger share brings more points; put them in that order".to_owned())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_read_and_written_without_any_loss() {
        for (text, hundredths, shown) in [
            ("2", 200, "2"),
            ("+0.5", 50, "0.5"),
            ("-1.25", -125, "-1.25"),
            ("0.07", 7, "0.07"),
            ("10", 1000, "10"),
        ] {
            let points: Points = text.parse().unwrap();
            assert_eq!((points, points.to_string()), (Points(hundredths), shown.to_owned()));
            let json = serde_json::to_string(&points).unwrap();
            assert_eq!((json.as_str(), serde_json::from_str(&json).unwrap()), (shown, points));
        }
        for text in
            ["", "x", ".5", "1.", "1e3", "0.125", "1,5", "--1", "1000001", "99999999999999999999", "NaN"]
        {
            assert!(text.parse::<Points>().unwrap_err().contains("two digits"), "{text}");
        }
    }

    #[test]
    fn parts_ascend_to_the_whole_point() {
        let pass: Pass = "0.1:0.25,0.4:0.5,0.5".parse().unwrap();
        assert_eq!(pass.shares().collect::<Vec<_>>(), [0.1, 0.4, 0.5]);
        for (share, hundredths) in [(0.0, 0), (0.1, 25), (0.4, 50), (0.6, 100)] {
            assert_eq!(pass.points(|least| share >= least), Points(hundredths), "{share}");
        }
        assert_eq!(
            pass.words(),
            "more than half of the points, 0.5 of a point with 0.4 or more, 0.25 of a point with 0.1 or more"
        );
        for (text, words) in [
            ("2", "range"),
            ("0.5,0.6", "has no points"),
            ("0.5:0.5", "no share"),
            ("0.4:1,0.5", "no part"),
            ("0.4:0.333,0.5", "two digits"),
            ("0.6:0.5,0.5", "in that order"),
            ("0.3:0.5,0.4:0.5,0.5", "in that order"),
        ] {
            let wrong = text.parse::<Pass>().unwrap_err();
            assert!(wrong.contains(words), "{text}: {wrong}");
        }
    }
}
