//! A section of the page for each bot: what went wrong in its matches, in words that help its writer.
//!
//! Says what happened and where to look, never why a program did it. Tested in `arena/cli/tests/merge/`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use maud::{Markup, PreEscaped, html};
use zappy_game::Advice;
use zappy_play::programs::said::lacks_memory;
use zappy_protocol::text::many;

use super::terminal::{times_words, unscored_remarks};
use super::{MOST_LISTED, TIMES, capital, links, list, place_words, share_cells, table, words};
use crate::bots::Bot;
use crate::identity::Id;
use crate::outcome::BotEnd;
use crate::plan::DEFAULT_RULES;
use crate::tally::{Match, Ranked, Tally};

/// A scored match of a bot, with its seat in it.
type Appearance<'a> = (&'a Match<'a>, usize);
/// The last lines of the programs in matches that went wrong.
type LastLines = BTreeMap<Id, Vec<String>>;

/// The section of a bot.
pub(super) struct Section<'a> {
    tally: &'a Tally<'a>,
    standing: &'a Ranked,
    appearances: Vec<Appearance<'a>>,
    /// The address of the folder of the matches.
    matches: &'a str,
    /// The last lines of its programs; `None` on a page of several bots.
    last_lines: Option<&'a LastLines>,
}

/// The section of one bot alone, for its own page, without its rank.
pub fn section_of(tally: &Tally<'_>, bot: usize, matches: &str, last_lines: &LastLines) -> Markup {
    html! {
        @for section in Section::all(tally, matches, Some(last_lines)).iter().filter(|one| one.standing.bot == bot) {
            h2 #bots { "What went wrong in its matches" }
            (section.faults_and_habits())
            p.faint { (known_as(&tally.book.bots[bot])) }
        }
    }
}

fn known_as(bot: &Bot) -> Markup {
    let command = words(&bot.command);
    html! { "In the files of this tournament its id is " code { (bot.id) } "; it is started by " code { (command) } }
}

impl<'a> Section<'a> {
    /// All sections, the best bot first.
    pub(super) fn all(
        tally: &'a Tally<'a>,
        matches: &'a str,
        last_lines: Option<&'a LastLines>,
    ) -> Vec<Section<'a>> {
        let mut appearances = vec![Vec::new(); tally.standings.len()];
        for scored in tally.scored() {
            scored.bots.iter().enumerate().for_each(|(seat, &bot)| appearances[bot].push((scored, seat)));
        }
        let section = |standing: &'a Ranked| {
            let appearances = std::mem::take(&mut appearances[standing.bot]);
            Section { tally, standing, appearances, matches, last_lines }
        };
        tally.standings.iter().map(section).collect()
    }

    /// The section as a part that can be unfolded, for the page of all bots.
    pub(super) fn render(&self) -> Markup {
        let Section { tally, standing, .. } = *self;
        let (bot, rating) = (&tally.book.bots[standing.bot], standing.rating);
        let place = place_words(Some(standing.rank), standing.tied);
        let rated = format!("place {place}, {:.0} ±{:.0}", rating.value, rating.margin);
        let score = |other: &Ranked| tally.pairs.get(&(standing.bot, other.bot));
        let met = tally.standings.iter().filter_map(|other| Some((other, score(other)?)));
        let opponents = met.clone().take(MOST_LISTED).map(|(other, score)| {
            html! {
                tr {
                    td.name { (words(tally.name(other.bot))) }
                    (share_cells(score.share(), score.by_seed.interval()))
                    td { (score.wins) } td { (score.draws) } td { (score.losses) }
                }
            }
        });
        html! {
            details #{ "b-" (bot.id) } {
                summary {
                    b { (words(&bot.name)) } " "
                    span.faint {
                        (rated)
                        @if standing.bad_ends() > 0 { ", something went wrong " (times_words(standing.bad_ends())) }
                    }
                }
                p.faint { (known_as(bot)) }
                h3 { "What went wrong in its matches" }
                @for remark in unscored_remarks(standing) { p { b { (words(&capital(&remark))) "." } } }
                (self.faults_and_habits())
                h3 { "Against each opponent" }
                (table(Some("sorts"), None, &["<Opponent", "Points", "95 %", "Won", "Drawn", "Lost"], opponents))
                @if met.count() > MOST_LISTED {
                    p.faint { "Those against the best " (MOST_LISTED) "; all are in head_to_head.csv." }
                }
            }
        }
    }

    /// Its faults, its habits that cost matches, and the link to its times.
    fn faults_and_habits(&self) -> Markup {
        let Section { tally, standing, .. } = *self;
        let id = tally.book.bots[standing.bot].id;
        html! {
            @if standing.matches == 0 { p { "None of its matches has been scored yet." } }
            @else if standing.bad_ends() == 0 { p { "None of its programs failed: all played to the end." } }
            @else {
                @for (end, count) in standing.bad_ends_by_kind() {
                    p {
                        b { (capital(&times_words(count))) " it " (end.words()) "." } " "
                        (PreEscaped(end.advice(tally.game.manual)))
                    }
                    (self.faults(end))
                }
            }
            @if standing.matches > 0 { (self.habits()) }
            p { a href={ (TIMES) "#b-" (id) } { "How long it took to answer" } }
        }
    }

    /// The matches in which the bot's programs ended in the way of `end`.
    fn faults(&self, end: BotEnd) -> Markup {
        let tally = self.tally;
        let ended_so = || self.appearances.iter().filter(|(one, seat)| one.played.seats[*seat].end == end);
        let mut quoted = BTreeSet::new();
        let items = ended_so().map(|&(one, seat)| {
            let others = one.bots.iter().filter(|&&bot| bot != one.bots[seat]).map(|&bot| tally.name(bot));
            let (others, all) = (others.collect::<Vec<_>>().join(", "), one.bots.len());
            let evidence = self.last_lines.map(|lines| evidence(tally, one, seat, lines, &mut quoted));
            html! {
                "against " (words(&others)) ", seed " (one.seed()) ", seat " (seat + 1) " of " (all)
                @if let Some(detail) = &one.played.seats[seat].end_detail { ": " (words(detail)) }
                ". " (links(one, self.matches))
                @if let Some(evidence) = evidence { (evidence) }
            }
        });
        list(items, ended_so().count(), ", in matches.csv")
    }

    /// The habits that cost a bot matches although its programs run.
    fn habits(&self) -> Markup {
        let Section { tally, standing, ref appearances, .. } = *self;
        let Ranked { matches, late, most_late, refused, dropped, marked, .. } = *standing;
        let per_match = refused as f64 / matches as f64;
        // For each column: in how many matches it is 0. Matches that ended badly have advice of their own.
        let zeros = |column: &str| {
            let seats = appearances.iter().map(|(one, seat)| &one.played.seats[*seat]);
            let completed = seats.filter(|seat| seat.end == BotEnd::Played);
            let details = completed.filter_map(|seat| seat.details.get(column)?.as_u64());
            details.filter(|value| *value == 0).count()
        };
        let mut causes = [
            (0, "this bot was late"),
            (0, "an opponent was late"),
            (0, "something else touched them, as the list of matches says"),
        ];
        for (one, seat) in appearances.iter().filter(|(one, _)| one.is_marked()) {
            let seats = &one.played.seats;
            let cause =
                if seats[*seat].late > 0 { 0 } else { 2 - usize::from(seats.iter().any(|one| one.late > 0)) };
            causes[cause].0 += 1;
        }
        let causes = causes.into_iter().filter(|(count, _)| *count > 0);
        let causes: Vec<String> =
            causes.map(|(count, words)| format!("in {} {words}", many(count, "match"))).collect();
        html! {
            @if late > 0 {
                p {
                    b { "Late " (times_words(late)) } ", at most " (many(most_late, "time")) " in one match. Who thinks for too long \
                     misses the moment, and a player that is late too often is removed."
                }
            }
            @if refused > 0 {
                p {
                    b { (many(refused, "command")) " refused" } (format!(", {per_match:.1} per match. "))
                    code { "zappy_arena show" } " with a record tells the reason of each."
                }
            }
            @if dropped > 0 {
                p {
                    b { (many(dropped, "command")) " dropped" } ": more were waiting than the server queues. Wait for answers \
                     before you send more."
                }
            }
            @for (Advice { what, hint, .. }, count) in tally.game.advice.iter().map(|one| (one, zeros(one.column))) {
                @if count > 0 { p { b { (what) " " (many(count as u64, "match")) "." } " " (PreEscaped(hint)) } }
            }
            @if marked > 0 {
                p.faint { "Marked " (times_words(marked)) ": played again, such a match may go otherwise. " (capital(&causes.join(", "))) "." }
            }
        }
    }
}

/// What a program of the bot printed last in a match, unless that is in `quoted` already, and the command by which its
/// author plays the match again.
fn evidence<'a>(
    tally: &Tally<'_>,
    one: &Match<'_>,
    seat: usize,
    last_lines: &'a LastLines,
    quoted: &mut BTreeSet<&'a [String]>,
) -> Markup {
    let Some(lines) = last_lines.get(&one.planned.id) else { return html! {} };
    let limits = tally.book.bots[one.bots[seat]].limits.or_default(1);
    let planned = one.planned;
    let mut flags = vec![
        ("--clock", planned.clock.clone()),
        ("--seed", one.seed()),
        ("--width", planned.width.to_string()),
        ("--height", planned.height.to_string()),
        ("--max-ticks", planned.max_ticks.to_string()),
        ("--out", "again".to_owned()),
    ];
    if let Some(game) = &planned.game {
        flags.push(("--game", game.name.clone()));
        flags.extend(game.options.iter().map(|(key, value)| ("--option", format!("{key}={value}"))));
    }
    flags.extend(planned.clients.map(|slots| ("--option", format!("clients={slots}"))));
    let rules = planned.rules.iter().filter(|rules| *rules != DEFAULT_RULES);
    flags.extend(rules.map(|rules| ("--option", format!("rules={rules}"))));
    // Each absolute path becomes `./name`, since the paths of this machine mean nothing to the bot's author.
    let portable = |bot: &Bot| {
        let words = shlex::split(&bot.command).filter(|_| bot.folder.is_none());
        let Some(mut words) = words else { return bot.command.clone() };
        for word in words.iter_mut().filter(|word| word.starts_with('/')) {
            let name = Path::new(&*word).file_name().unwrap_or_default().to_string_lossy();
            *word = format!("./{name}");
        }
        shlex::try_join(words.iter().map(String::as_str)).unwrap_or_default()
    };
    let bots = one.bots.iter().map(|&bot| &tally.book.bots[bot]);
    flags.extend(bots.map(|bot| ("--bot", format!("{}={}", bot.name, portable(bot)))));
    let flags = flags.iter().flat_map(|(flag, value)| [*flag, value]);
    let command = shlex::try_join(["zappy_arena", "match"].into_iter().chain(flags)).unwrap_or_default();
    html! {
        @if !quoted.insert(lines) { br; "It said the same as above." } @else {
            @if lines.is_empty() { br; "It said nothing." } @else { br; "It said last:" pre { (words(&lines.join("\n"))) } }
            @if lacks_memory(lines) {
                b {
                    "It asked for more memory than a process may have, which is " (limits.memory_mib.unwrap_or_default())
                    " MiB of address space."
                }
                br;
            }
            "To play it again, run this in a folder that holds the programs of all its bots:" pre { (words(&command)) }
        }
    }
}
