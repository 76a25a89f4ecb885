//! The table at the end of a match, from its result.
//!
//! Shows what is there and a dash for what isn't: the result may be another version's, or that of a match that
//! failed. Tested in this module.

use std::fmt::Write as _;

use serde_json::{Map, Value};

use crate::play::watch::LEVELS;
pub(crate) use crate::text::align;

/// Longer names are cut: the table shall fit an ordinary terminal.
const NAME_COLUMNS: usize = 20;

/// The verdict, and the table below it if there is anything to put in.
#[must_use]
pub fn render(result: &Map<String, Value>) -> String {
    let mut text = verdict(result);
    text.push('\n');
    let mut teams: Vec<&Value> =
        result.get("teams").and_then(Value::as_array).into_iter().flatten().collect();
    if !teams.is_empty() {
        teams.sort_by_key(|team| team["rank"].as_u64().unwrap_or(u64::MAX));
        let rows: Vec<Vec<String>> = std::iter::once(head()).chain(teams.into_iter().map(row)).collect();
        text.push('\n');
        align(&rows, 1, &mut text);
        text.push_str(&absent(result));
    }
    text.push_str(&fouls(result));
    text.push_str(&repeatable(result));
    text
}

/// Whether the same programs would play it again, if the clock allows that at all.
fn repeatable(result: &Map<String, Value>) -> String {
    if result.get("lockstep").is_none_or(Value::is_null) {
        return String::new();
    }
    if result.get("reproducible").and_then(Value::as_bool) == Some(true) {
        let joint = result["lockstep"]["joint_admissions"].as_u64().unwrap_or(0);
        return match joint {
            0 => "reproducible: the same seed and programs play it again, to the byte\n".to_owned(),
            _ => format!(
                "reproducible if bots of one team that came in together are alike (joint admissions: {joint})\n"
            ),
        };
    }
    let causes = result.get("not_reproducible").and_then(Value::as_array).into_iter().flatten();
    let causes: String = causes.filter_map(Value::as_str).map(|cause| format!("  {cause}\n")).collect();
    format!("not reproducible:\n{causes}")
}

/// Who came in, or wanted to, as what it isn't.
fn fouls(result: &Map<String, Value>) -> String {
    let arena = result.get("arena").unwrap_or(&Value::Null);
    let teams = arena["teams"].as_array().into_iter().flatten();
    let fouls = teams.filter_map(|team| Some((team["team"].as_str()?, team["foul"].as_str()?)));
    let mut text: String =
        fouls.map(|(team, words)| format!("{team} was ended and can't win: {words}\n")).collect();
    for (key, what) in [
        ("connections_from_outside", "came from programs that are none of any match's"),
        ("connections_not_let_in", "were not let in: nobody who may come in was seen to hold them"),
    ] {
        if let Some(count @ 1..) = arena[key].as_u64() {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "connections that {what}: {count}");
        }
    }
    text
}

/// Nothing else says so when a team's programs run but never get in.
fn absent(result: &Map<String, Value>) -> String {
    let teams = result.get("teams").and_then(Value::as_array).into_iter().flatten();
    let absent =
        teams.filter(|team| team["born"].as_u64() == Some(0)).filter_map(|team| team["name"].as_str());
    absent.map(|team| format!("no bot of {team} ever joined the match; look into its logs\n")).collect()
}

fn verdict(result: &Map<String, Value>) -> String {
    let word = |key: &str| result.get(key).and_then(Value::as_str);
    let number = |key: &str| result.get(key).filter(|value| value.is_number());
    let mut text = word("winner").map_or("no winner".into(), |team| format!("winner: {team}"));
    // Writing to a string cannot fail.
    let _ = write!(text, " ({})", word("reason").unwrap_or("no reason given"));
    if let Some(ticks) = number("ticks") {
        let _ = write!(text, " after {ticks} ticks");
    }
    if let Some(seed) = number("seed") {
        let _ = write!(text, ", seed {seed}");
    }
    let by_lot = result.get("by_lot").and_then(Value::as_bool) == Some(true);
    if by_lot && word("winner").is_some() {
        text.push_str(", drawn by lot");
    }
    text
}

fn head() -> Vec<String> {
    let levels = (1..=LEVELS).map(|level| format!("L{level}"));
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_string()).collect::<Vec<_>>();
    [
        names(&["rank", "team"]),
        levels.collect(),
        names(&["alive", "born", "died", "commands", "refused", "dropped"]),
    ]
    .concat()
}

fn row(team: &Value) -> Vec<String> {
    let cell = |value: Option<u64>| value.map_or("-".into(), |number| number.to_string());
    let (alive, born) = (team["alive"].as_u64(), team["born"].as_u64());
    let died = born.zip(alive).map(|(born, alive)| born.saturating_sub(alive));
    let name = team["name"].as_str().unwrap_or("-").chars().take(NAME_COLUMNS).collect();
    let tallied = |key: &str| sum(team, |player| player[key].as_u64());
    let mut row = vec![cell(team["rank"].as_u64()), name];
    row.extend((0..LEVELS).map(|level| match team["levels"][level].as_u64() {
        // Where nobody is, nothing shall catch the eye.
        Some(0) => ".".into(),
        players => cell(players),
    }));
    row.extend([alive, born, died, sum(team, commands), tallied("refused"), tallied("dropped")].map(cell));
    row
}

/// Over all players of a team; nothing if nobody says anything.
fn sum(team: &Value, of: impl Fn(&Value) -> Option<u64>) -> Option<u64> {
    let players = team["players"].as_array()?;
    Some(players.iter().filter_map(of).sum())
}

fn commands(player: &Value) -> Option<u64> {
    Some(player["commands"].as_object()?.values().filter_map(Value::as_u64).sum())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn table(result: Value) -> String {
        let Value::Object(result) = result else { panic!("an object") };
        render(&result)
    }

    #[test]
    fn teams_stand_in_their_rank() {
        let text = table(json!({
            "winner": "blue", "reason": "elevation", "ticks": 900, "seed": 7, "by_lot": false,
            "teams": [
                { "name": "red", "rank": 2, "levels": [1, 0, 0, 0, 0, 0, 0, 0], "alive": 1, "born": 3,
                  "players": [{ "commands": { "Look": 3, "Fork": 1 }, "refused": 2, "dropped": 5 }] },
                { "name": "blue", "rank": 1, "levels": [0, 0, 0, 0, 0, 0, 0, 6], "alive": 6, "born": 6,
                  "players": [] }
            ]
        }));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "winner: blue (elevation) after 900 ticks, seed 7");
        assert_eq!(
            lines[2],
            "rank  team  L1  L2  L3  L4  L5  L6  L7  L8  alive  born  died  commands  refused  dropped"
        );
        assert_eq!(
            lines[3],
            "   1  blue   .   .   .   .   .   .   .   6      6     6     0         0        0        0"
        );
        assert_eq!(
            lines[4],
            "   2  red    1   .   .   .   .   .   .   .      1     3     2         4        2        5"
        );
    }

    #[test]
    fn what_is_missing_is_a_dash() {
        let text =
            table(json!({ "winner": null, "reason": "server_failed", "teams": [{ "name": "red" }, 3] }));
        assert!(text.starts_with("no winner (server_failed)\n"), "{text}");
        assert!(text.contains("   -  red    -"), "{text}");
        assert_eq!(table(json!({})), "no winner (no reason given)\n");
    }

    #[test]
    fn a_match_is_called_repeatable_only_as_far_as_it_is() {
        let last = |result| table(result).lines().last().unwrap_or_default().to_owned();
        let lockstep = |joint| json!({ "reproducible": true, "lockstep": { "joint_admissions": joint } });
        assert_eq!(last(lockstep(0)), "reproducible: the same seed and programs play it again, to the byte");
        assert!(
            last(lockstep(2)).starts_with("reproducible if bots of one team that came in together are alike")
        );
        let late = json!({ "reproducible": false, "not_reproducible": ["late"], "lockstep": {} });
        assert_eq!(last(late), "  late");
    }

    #[test]
    fn who_came_as_what_it_is_not_is_named() {
        let teams = json!([{ "team": "red", "foul": "a program of it said that it was of blue" }, { "team": "blue", "foul": null }]);
        let text = table(
            json!({ "arena": { "teams": teams, "connections_from_outside": 0, "connections_not_let_in": 2 } }),
        );
        assert_eq!(
            text,
            "no winner (no reason given)\nred was ended and can't win: a program of it said that it was of blue\n\
             connections that were not let in: nobody who may come in was seen to hold them: 2\n"
        );
    }
}
