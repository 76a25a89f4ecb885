//! The ranking for a terminal: at most a hundred columns wide.
//!
//! Nothing that a bot is called or says commands the terminal. Tested in `tests/merge/`.

use std::fmt::Write as _;

use crate::text::align;
use crate::tournament::outcome::BotEnd;
use crate::tournament::tally::{Ranked, Tally};
use zappy_protocol::text::shown;

/// Longer names are cut.
const NAME_COLUMNS: usize = 20;
/// Matches that are named as not scored; the others stand in `matches.csv`.
const NAMED: usize = 10;

/// The ranking, what went wrong, and what was not scored.
#[must_use]
pub fn render(tally: &Tally<'_>) -> String {
    let head =
        ["place", "bot", "rating", "95 %", "points", "95 %", "won", "drawn", "lost", "marked", "faults"];
    let head = head.map(str::to_owned).to_vec();
    let rows = tally.standings.iter().map(|standing| row(tally, standing));
    let rows: Vec<Vec<String>> = std::iter::once(head).chain(rows).collect();
    let mut text = format!("{}\n\n", tally.progress());
    align(&rows, 1, &mut text);
    text.push_str(&faults(tally));
    text.push_str(&unscored(tally));
    text
}

fn row(tally: &Tally<'_>, standing: &Ranked) -> Vec<String> {
    let (low, high) = standing.interval();
    let share = standing.share();
    vec![
        place(standing),
        name(tally.name(standing.bot)),
        format!("{:.0}", standing.rating.value),
        format!("±{:.0}", standing.rating.margin),
        share.map_or("-".to_owned(), |share| format!("{share:.3}")),
        share.map_or("-".to_owned(), |_| format!("{low:.2}..{high:.2}")),
        standing.score.wins.to_string(),
        standing.score.draws.to_string(),
        standing.score.losses.to_string(),
        standing.marked.to_string(),
        standing.faults().to_string(),
    ]
}

/// A place that others have, too, says so.
#[must_use]
pub fn place(standing: &Ranked) -> String {
    format!("{}{}", standing.place, if standing.tied { "=" } else { "" })
}

fn name(name: &str) -> String {
    let name = shown(name.as_bytes());
    if name.chars().count() <= NAME_COLUMNS {
        return name;
    }
    name.chars().take(NAME_COLUMNS - 1).chain(['…']).collect()
}

/// What each bot did other than play, and how often.
fn faults(tally: &Tally<'_>) -> String {
    let mut text = String::new();
    for standing in tally.standings.iter().filter(|standing| standing.faults() > 0) {
        let told: Vec<String> = BotEnd::ALL
            .iter()
            .zip(standing.ends)
            .skip(1)
            .filter(|&(_, count)| count > 0)
            .map(|(end, count)| format!("{} {}", times(count), end.words()))
            .collect();
        let _ = writeln!(text, "  {}: {}", name(tally.name(standing.bot)), told.join("; "));
    }
    if text.is_empty() { text } else { format!("\nwhat went wrong:\n{text}") }
}

fn unscored(tally: &Tally<'_>) -> String {
    let mut text = String::new();
    for one in tally.unscored().take(NAMED) {
        let _ = writeln!(text, "  {}: {}", one.planned.id, one.end());
    }
    match tally.unscored().count() {
        0 => text,
        count if count > NAMED => format!("\nnot scored:\n{text}  and {} more\n", count - NAMED),
        _ => format!("\nnot scored:\n{text}"),
    }
}

/// `once`, `3 times`.
#[must_use]
pub fn times(count: u64) -> String {
    if count == 1 { "once".to_owned() } else { format!("{count} times") }
}
