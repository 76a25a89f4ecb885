//! The ranking for a terminal: at most a hundred columns wide.
//!
//! Names and texts of bots are escaped, so that they can't control the terminal. Tested in `arena/cli/tests/merge/`.

use zappy_protocol::text::{many, shown};

use super::{cut, not_scored, place_words, share_words, text_table};
use crate::identity::Id;
use crate::outcome::BotEnd;
use crate::status;
use crate::tally::{Ranked, Tally};

/// The most characters of a bot's name.
const NAME_COLUMNS: usize = 20;
/// The most bots in the table of variants, so that it isn't too wide.
const VARIANT_BOTS: usize = 3;
/// The most characters of a variant's name.
const VARIANT_COLUMNS: usize = 32;
/// The most lines of a list, of matches that aren't scored say; the others stand in the report's files.
const MOST_LINES: usize = 10;
/// The remark on neighbours in the ranking between which all results went one way.
pub const ONE_SIDED: &str =
    "one-sided: none below took a point off any above, so how far these lie apart is a guess";

/// The ranking, what went wrong, and what was not scored.
pub fn render(tally: &Tally<'_>) -> String {
    let head = [
        "place", "bot", "rating", "95 %", "points", "95 %", "won", "drawn", "lost", "unscored", "marked",
        "faults",
    ];
    let rows = tally.standings.iter().map(|standing| {
        let (low, high) = standing.by_seed.interval();
        let share = standing.share();
        vec![
            place_words(Some(standing.rank), standing.tied),
            short_name(tally.name(standing.bot)),
            format!("{:.0}", standing.rating.value),
            format!("±{:.0}", standing.rating.margin),
            share_words(share),
            share.map_or("-".to_owned(), |_| format!("{low:.2}..{high:.2}")),
            standing.score.wins.to_string(),
            standing.score.draws.to_string(),
            standing.score.losses.to_string(),
            standing.unscored.to_string(),
            standing.marked.to_string(),
            standing.bad_ends().to_string(),
        ]
    });
    let line =
        |(id, _, why): (Id, _, &str)| format!("  {id}: {}{}\n", shown(why.as_bytes()), lost_by(tally, id));
    [
        format!("{}\n\n{}", tally.progress(), text_table(&head, rows, 1)),
        by_variant(tally),
        outclassed(tally),
        faults(tally),
        remarks(tally).map(|words| format!("\n{words}\n")).collect(),
        listed("not scored", &not_scored(tally).map(line).collect::<Vec<_>>()),
    ]
    .concat()
}

/// The points per match of the best bots in each variant of the game that was played.
pub fn by_variant(tally: &Tally<'_>) -> String {
    let variants = tally.variants();
    let best = || tally.standings.iter().take(VARIANT_BOTS);
    let names: Vec<String> = best().map(|standing| short_name(tally.name(standing.bot))).collect();
    let head: Vec<&str> = ["points by variant"].into_iter().chain(names.iter().map(String::as_str)).collect();
    let rows = variants.iter().map(|variant| {
        let shares = best().map(|standing| share_words(tally.share_in(variant, standing.bot)));
        [cut(&shown(variant.as_bytes()), VARIANT_COLUMNS)].into_iter().chain(shares).collect()
    });
    if variants.is_empty() { String::new() } else { format!("\n{}", text_table(&head, rows, 1)) }
}

/// The remarks on bots that gained when something outside the arena ended a match, on matches that can't be scored, and on
/// results without a hash, of which a change wouldn't be seen.
pub fn remarks(tally: &Tally<'_>) -> impl Iterator<Item = String> {
    let suspicious =
        tally.suspicious.iter().map(|(&bot, &count)| status::suspicion(&short_name(tally.name(bot)), count));
    let unscored = tally.standings.iter().flat_map(|standing| {
        unscored_remarks(standing).map(|words| format!("{}: {words}", short_name(tally.name(standing.bot))))
    });
    let unsealed = tally.matches.iter().filter(|one| one.played.sha256.is_none()).count();
    suspicious.chain(unscored).chain(status::unsealed(unsealed))
}

/// The remarks on a bot's matches that were tried and can't be scored: they count for nothing, or as lost.
pub fn unscored_remarks(standing: &Ranked) -> impl Iterator<Item = String> {
    let alone = if standing.matches == 0 { " (no other is scored: its place says nothing)" } else { "" };
    let counts = [
        (standing.unscored, format!("for nothing{alone}")),
        (standing.forfeited, "as lost, since it spoiled them".to_owned()),
    ];
    let some = counts.into_iter().filter(|&(count, _)| count > 0);
    some.map(|(count, how)| format!("not scored, and counted {how}: {}", many(count, "match")))
}

/// The bots that lose a match although it can't be scored, in words; empty without any.
pub fn lost_by(tally: &Tally<'_>, id: Id) -> String {
    let lost = tally.forfeits.get(&id).into_iter().flatten();
    let names: Vec<String> = lost.map(|&bot| short_name(tally.name(bot))).collect();
    if names.is_empty() { String::new() } else { format!("; counts as lost by {}", names.join(", ")) }
}

fn short_name(name: &str) -> String {
    cut(&shown(name.as_bytes()), NAME_COLUMNS)
}

/// The neighbours in the ranking between which all results went one way.
fn outclassed(tally: &Tally<'_>) -> String {
    let names = |place: usize| short_name(tally.name(tally.standings[place].bot));
    let places = (1..tally.standings.len()).filter(|&place| tally.standings[place].outclassed);
    let line = |place: usize| format!("  {}, and from {} on down\n", names(place - 1), names(place));
    listed(ONE_SIDED, &places.map(line).collect::<Vec<_>>())
}

/// The first of these lines below a head; empty without lines.
fn listed(head: &str, lines: &[String]) -> String {
    let first = lines[..lines.len().min(MOST_LINES)].concat();
    match lines.len() {
        0 => first,
        count if count > MOST_LINES => format!("\n{head}:\n{first}  and {} more\n", count - MOST_LINES),
        _ => format!("\n{head}:\n{first}"),
    }
}

/// The faults of each bot, with their counts.
fn faults(tally: &Tally<'_>) -> String {
    let line = |standing: &Ranked| {
        let words = |(end, count): (BotEnd, u64)| format!("{} {}", times_words(count), end.words());
        let ends: Vec<String> = standing.bad_ends_by_kind().map(words).collect();
        format!("  {}: {}\n", short_name(tally.name(standing.bot)), ends.join("; "))
    };
    let faulty = tally.standings.iter().filter(|standing| standing.bad_ends() > 0);
    let text: String = faulty.map(line).collect();
    if text.is_empty() { text } else { format!("\nwhat went wrong:\n{text}") }
}

pub fn times_words(count: u64) -> String {
    if count == 1 { "once".to_owned() } else { format!("{count} times") }
}
