//! A section of the page for each bot: what went wrong in its matches, in words that help its writer.
//!
//! Says what happened and where to look, never why a program did it. Tested in `arena/cli/tests/merge/`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use serde_json::Value;
use zappy_game::Advice;
use zappy_play::programs::said::lacks_memory;
use zappy_protocol::text::{many, thousands};

use super::escape::in_html;
use super::terminal::{missing, place, times};
use super::{links, share_cells};
use crate::bots::Bot;
use crate::identity::Id;
use crate::outcome::{BotEnd, Seat};
use crate::plan::DEFAULT_RULES;
use crate::tally::{Match, Ranked, Tally};

/// Matches and opponents that are listed of each kind; the others are counted.
pub const MOST_LISTED: usize = 50;

/// For each bot the matches that are scored, with its seat.
fn played<'a>(tally: &'a Tally<'a>) -> Vec<Vec<(&'a Match<'a>, usize)>> {
    let mut played = vec![Vec::new(); tally.standings.len()];
    for one in tally.scored() {
        one.seats.iter().enumerate().for_each(|(seat, &bot)| played[bot].push((one, seat)));
    }
    played
}

/// That of one bot alone, without any rank; `said` are the last lines of its programs in matches that went wrong.
#[must_use]
pub fn section_of(tally: &Tally<'_>, bot: usize, matches: &str, said: &BTreeMap<Id, Vec<String>>) -> String {
    let Some(standing) = tally.standings.iter().find(|standing| standing.bot == bot) else {
        return String::new();
    };
    let mut out = String::from("<h2 id=\"bots\">What went wrong in your matches</h2>\n");
    let played = &played(tally)[bot];
    out.push_str(&faults_of(tally, standing, played, matches, Some(said)));
    out.push_str(&habits(tally, standing, played));
    let bot = &tally.book.bots[bot];
    let (id, command) = (bot.id, in_html(&bot.command));
    let _ = writeln!(
        out,
        "<p><a href=\"times.html#b-{id}\">How long it took to answer</a></p>\n<p class=\"faint\">Its files are known as \
         <code>{id}</code>; it is started by <code>{command}</code></p>"
    );
    out
}

/// All sections, the best bot first.
#[must_use]
pub fn sections(tally: &Tally<'_>, matches: &str) -> String {
    let played = played(tally);
    let mut out = String::from("<h2 id=\"bots\">Each bot</h2>\n");
    for standing in &tally.standings {
        out.push_str(&section(tally, standing, &played[standing.bot], matches));
    }
    out
}

fn section(tally: &Tally<'_>, standing: &Ranked, played: &[(&Match<'_>, usize)], matches: &str) -> String {
    let bot = &tally.book.bots[standing.bot];
    let faults = match standing.faults() {
        0 => String::new(),
        count => format!(", something went wrong {}", times(count)),
    };
    let mut out = format!(
        "<details id=\"b-{0}\"><summary><b>{1}</b> <span class=\"faint\">place {2}, {3:.0} \
         ±{4:.0}{faults}</span></summary>\n<p class=\"faint\">Its files are known as <code>{0}</code>; it is started by \
         <code>{5}</code></p>\n<h3>What went wrong in your matches</h3>\n",
        bot.id,
        in_html(&bot.name),
        place(standing),
        standing.rating.value,
        standing.rating.margin,
        in_html(&bot.command),
    );
    for words in missing(standing) {
        let _ = writeln!(out, "<p><b>{}.</b></p>", in_html(&capital(&words)));
    }
    out.push_str(&faults_of(tally, standing, played, matches, None));
    out.push_str(&habits(tally, standing, played));
    let _ = writeln!(out, "<p><a href=\"times.html#b-{}\">How long it took to answer</a></p>", bot.id);
    out.push_str("<h3>Against each opponent</h3>\n");
    out.push_str(&opponents(tally, standing));
    out + "</details>\n"
}

fn faults_of(
    tally: &Tally<'_>,
    standing: &Ranked,
    played: &[(&Match<'_>, usize)],
    matches: &str,
    said: Option<&BTreeMap<Id, Vec<String>>>,
) -> String {
    if standing.matches == 0 {
        return "<p>None of its matches has been scored yet.</p>\n".to_owned();
    }
    if standing.faults() == 0 {
        return "<p>No program of it failed: all played to the end.</p>\n".to_owned();
    }
    let mut out = String::new();
    for (end, count) in standing.misdeeds() {
        let _ = writeln!(
            out,
            "<p><b>{} it {}.</b> {}</p><ul>",
            capital(&times(count)),
            end.words(),
            end.advice(tally.game.manual)
        );
        let those = played.iter().filter(|(one, seat)| one.played.seats[*seat].end == end);
        let mut quoted = BTreeSet::new();
        for (one, seat) in those.take(MOST_LISTED) {
            let others = one.seats.iter().filter(|&&bot| bot != standing.bot);
            let others: Vec<String> = others.map(|&bot| in_html(tally.name(bot))).collect();
            let detail = one.played.seats[*seat].end_detail.as_deref();
            let detail = detail.map(|detail| format!(": {}", in_html(detail))).unwrap_or_default();
            let _ = writeln!(
                out,
                "<li>against {}, seed {}, seat {} of {}{detail}. {}{}</li>",
                others.join(", "),
                one.seed(),
                seat + 1,
                one.seats.len(),
                links(one, matches),
                said.map(|said| evidence(tally, one, *seat, said, &mut quoted)).unwrap_or_default(),
            );
        }
        if count > MOST_LISTED as u64 {
            let _ = writeln!(out, "<li>and {} more, in matches.csv</li>", count - MOST_LISTED as u64);
        }
        out.push_str("</ul>\n");
    }
    out
}

/// What a program of the bot said last in a match, unless that was `quoted` before, and how its writer plays the match again.
fn evidence<'a>(
    tally: &Tally<'_>,
    one: &Match<'_>,
    seat: usize,
    said: &'a BTreeMap<Id, Vec<String>>,
    quoted: &mut BTreeSet<&'a [String]>,
) -> String {
    let Some(lines) = said.get(&one.planned.id) else { return String::new() };
    if !quoted.insert(lines) {
        return "<br>It said the same as above.".to_owned();
    }
    let mut out = String::from("<br>It said nothing.");
    if !lines.is_empty() {
        out = format!("<br>It said last:<pre>{}</pre>", in_html(&lines.join("\n")));
    }
    if lacks_memory(lines) {
        let most = tally.book.bots[one.seats[seat]].limits.or_default(1).memory_mib.unwrap_or_default();
        let words = "It got no more memory than a process may have, which is";
        let _ = write!(out, "<b>{words} {most} MiB of address space.</b><br>");
    }
    let _ = write!(
        out,
        "To see it again, in a folder with what both are started by:<pre>{}</pre>",
        in_html(&again(tally, one))
    );
    out
}

/// The command that plays a match again by hand.
fn again(tally: &Tally<'_>, one: &Match<'_>) -> String {
    let planned = one.planned;
    let mut words: Vec<String> =
        ["zappy_arena", "match", "--clock", &planned.clock].map(str::to_owned).into();
    for (flag, value) in [
        ("--seed", one.seed()),
        ("--width", planned.width.to_string()),
        ("--height", planned.height.to_string()),
        ("--max-ticks", planned.max_ticks.to_string()),
        ("--out", "again".to_owned()),
    ] {
        words.extend([flag.to_owned(), value]);
    }
    let option = |key: &str, value: &str| ["--option".to_owned(), format!("{key}={value}")];
    if let Some(game) = &planned.game {
        words.extend(["--game".to_owned(), game.name.clone()]);
        game.options.iter().for_each(|(key, value)| words.extend(option(key, value)));
    }
    words.extend(planned.clients.into_iter().flat_map(|slots| option("clients", &slots.to_string())));
    words.extend(
        planned.rules.iter().filter(|rules| *rules != DEFAULT_RULES).flat_map(|rules| option("rules", rules)),
    );
    for &bot in &one.seats {
        let bot = &tally.book.bots[bot];
        words.extend(["--bot".to_owned(), format!("{}={}", bot.name, here(bot))]);
    }
    shlex::try_join(words.iter().map(String::as_str)).unwrap_or_default()
}

/// A bot's command as it is called where its program lies: where that is here says nothing to others.
fn here(bot: &Bot) -> String {
    let words = shlex::split(&bot.command).filter(|_| bot.folder.is_none());
    let Some(mut words) = words else { return bot.command.clone() };
    for word in words.iter_mut().filter(|word| word.starts_with('/')) {
        let name = Path::new(&*word).file_name().unwrap_or_default().to_string_lossy();
        *word = format!("./{name}");
    }
    shlex::try_join(words.iter().map(String::as_str)).unwrap_or_default()
}

/// What costs a bot matches although its programs run.
fn habits(tally: &Tally<'_>, standing: &Ranked, played: &[(&Match<'_>, usize)]) -> String {
    let Some(matches) = Some(standing.matches).filter(|&matches| matches > 0) else { return String::new() };
    let mut out = String::new();
    if standing.late > 0 {
        let worst = many(standing.most_late, "time");
        let _ = writeln!(
            out,
            "<p><b>Late {}</b>, at most {worst} in one match. Who thinks for too long misses the moment, and who is late too \
             often is ended.</p>",
            times(standing.late),
        );
    }
    if standing.refused > 0 {
        let each = standing.refused as f64 / matches as f64;
        let _ = writeln!(
            out,
            "<p><b>{} refused</b>, {each:.1} per match. <code>zappy_arena show</code> with a record tells the reason of \
             each.</p>",
            many(standing.refused, "command"),
        );
    }
    if standing.dropped > 0 {
        let _ = writeln!(
            out,
            "<p><b>{} dropped</b>: more were waiting than the server queues. Wait for answers before you send more.</p>",
            many(standing.dropped, "command"),
        );
    }
    for Advice { column, what, hint } in tally.game.advice {
        let is_nought = |value: Option<&Value>| value.and_then(Value::as_u64) == Some(0);
        // What ended otherwise has other troubles.
        let came = |seat: &Seat| seat.end == BotEnd::Played;
        let seats = played.iter().map(|(one, seat)| &one.played.seats[*seat]);
        let those = seats.filter(|seat| came(seat) && is_nought(seat.details.get(*column)));
        let count = those.count();
        if count > 0 {
            let _ = writeln!(out, "<p><b>{what} {}.</b> {hint}</p>", matches_of(count));
        }
    }
    if standing.marked > 0 {
        let _ = writeln!(
            out,
            "<p class=\"faint\">Marked {}: played again, such a match may go otherwise. {}</p>",
            times(standing.marked),
            marks(played)
        );
    }
    out
}

/// What touched the matches that are marked, as far as it was one of the bots.
fn marks(played: &[(&Match<'_>, usize)]) -> String {
    let (mut own, mut others, mut rest) = (0, 0, 0);
    for (one, seat) in played.iter().filter(|(one, _)| one.is_marked()) {
        let late = |place: usize| one.played.seats[place].late > 0;
        let other = (0..one.played.seats.len()).any(|place| place != *seat && late(place));
        *(if late(*seat) {
            &mut own
        } else if other {
            &mut others
        } else {
            &mut rest
        }) += 1;
    }
    let words = [
        (own, "this bot was late"),
        (others, "an opponent was late"),
        (rest, "something else touched it, which stands at the match"),
    ];
    let words = words.into_iter().filter(|(count, _)| *count > 0);
    let words: Vec<String> =
        words.map(|(count, words)| format!("in {} {words}", matches_of(count))).collect();
    format!("{}.", capital(&words.join(", ")))
}

fn opponents(tally: &Tally<'_>, standing: &Ranked) -> String {
    let mut out = String::from(
        "<div class=\"wide\"><table class=\"sorts\"><thead><tr><th class=\"l\">Opponent</th><th>Points</th><th>95 \
         %</th><th>Won</th><th>Drawn</th><th>Lost</th></tr></thead><tbody>\n",
    );
    let met = tally
        .standings
        .iter()
        .filter_map(|other| Some((other, tally.pairs.get(&(standing.bot, other.bot))?)));
    for (other, score) in met.clone().take(MOST_LISTED) {
        let share = share_cells(score.share(), score.interval());
        let _ = writeln!(
            out,
            "<tr><td class=\"name\">{}</td>{share}<td>{}</td><td>{}</td><td>{}</td></tr>",
            in_html(tally.name(other.bot)),
            score.wins,
            score.draws,
            score.losses,
        );
    }
    out.push_str("</tbody></table></div>\n");
    if met.count() > MOST_LISTED {
        let _ = writeln!(
            out,
            "<p class=\"faint\">Those against the best {MOST_LISTED}; all are in head_to_head.csv.</p>"
        );
    }
    out
}

#[must_use]
pub fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

#[must_use]
pub fn matches_of(count: usize) -> String {
    if count == 1 { "1 match".to_owned() } else { format!("{} matches", thousands(count as u64)) }
}
