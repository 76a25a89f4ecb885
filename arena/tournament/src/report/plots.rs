//! The page's pictures: ratings with their intervals, which bot beats which, how programs ended.
//!
//! SVG that takes its colours from the page's style. Horizontal positions are percentages of the width, so that a
//! picture fits a phone without its words shrinking. Tested in `arena/cli/tests/merge/`.

use maud::{Markup, PreEscaped, html};

use super::{cut, in_html, words};
use crate::bots::Bot;
use crate::outcome::BotEnd;
use crate::tally::{Ranked, Score, Tally};

/// The most bots in the table of pairs; with more, nothing can be seen in it.
pub const MOST_IN_TABLE: usize = 60;
/// The most characters of a name beside the table of pairs.
const NAME_MAX: usize = 20;

/// A scale of ratings that holds all intervals.
#[derive(Debug)]
pub struct Scale {
    low: f64,
    high: f64,
    /// The distance of its lines, in rating points.
    step: f64,
}

impl Scale {
    /// A scale that holds these intervals; without any, no rating can be placed on it.
    pub fn new(intervals: impl Iterator<Item = (f64, f64)>) -> Scale {
        let (low, high) =
            intervals.fold((f64::MAX, f64::MIN), |(low, high), (from, to)| (low.min(from), high.max(to)));
        let steps = [20.0, 50.0, 100.0, 200.0, 500.0, 1_000.0, 2_000.0];
        let step = steps.into_iter().find(|step| (high - low) / step <= 4.0).unwrap_or(5_000.0);
        Scale { low: (low / step).floor() * step, high: (high / step).ceil() * step, step }
    }

    /// Where a rating lies between the scale's ends, in percent.
    pub fn percent(&self, rating: f64) -> f64 {
        (rating - self.low) / (self.high - self.low) * 100.0
    }

    /// The ratings at which the scale has lines.
    pub fn marks(&self) -> impl Iterator<Item = f64> {
        let count = ((self.high - self.low) / self.step).round() as usize;
        (0..=count).map(|i| self.low + i as f64 * self.step)
    }

    /// A rating as a dot and its interval as a bar.
    pub fn picture(&self, name: &str, rating: f64, [low, high]: [f64; 2]) -> Markup {
        let line = |mark| {
            let at = self.percent(mark);
            format!("<line class=\"g\" x1=\"{at:.2}%\" x2=\"{at:.2}%\" y1=\"0\" y2=\"100%\"/>")
        };
        let (name, lines) = (in_html(name), self.marks().map(line).collect::<String>());
        let [at, from, to] = [rating, low, high].map(|rating| self.percent(rating));
        PreEscaped(format!(
            "<svg role=\"img\"><title>{name}: {rating:.0}, 95 % interval {low:.0} to {high:.0}</title>{lines}<line \
             class=\"bar\" x1=\"{from:.2}%\" x2=\"{to:.2}%\" y1=\"50%\" y2=\"50%\"/><circle class=\"dot\" \
             cx=\"{at:.2}%\" cy=\"50%\" r=\"4\"/></svg>"
        ))
    }

    /// A cell with a rating as a number and as a picture.
    pub(crate) fn cell(&self, name: &str, rating: f64, interval: [f64; 2]) -> Markup {
        let [low, high] = interval;
        html! {
            td.pic data-v=(rating) {
                (format!("{rating:.0} ±{:.0}", (high - low) / 2.0)) (self.picture(name, rating, interval))
            }
        }
    }
}

/// A row per bot: the rating as a dot, its interval as a bar.
pub fn ratings(tally: &Tally<'_>) -> Markup {
    let scale = Scale::new(tally.standings.iter().map(|standing| standing.rating.interval()));
    html! {
        @for standing in &tally.standings {
            @let (bot, rating) = (&tally.book.bots[standing.bot], standing.rating);
            div.row {
                (name_link(bot)) (scale.picture(&bot.name, rating.value, rating.interval().into()))
                span.v { (format!("{:.0} ±{:.0}", rating.value, rating.margin)) }
            }
        }
        div.row aria-hidden="true" {
            span {}
            svg {
                @for mark in scale.marks() {
                    text.t x=(format!("{:.2}%", scale.percent(mark))) y="14" text-anchor="middle" { (format!("{mark:.0}")) }
                }
            }
            span {}
        }
    }
}

/// A bot's name, as a link to its section.
fn name_link(bot: &Bot) -> Markup {
    let name = words(&bot.name);
    html! { a.n href={ "#b-" (bot.id) } title=(name) { (name) } }
}

/// A square per pair of bots, in the order of the ranking.
pub fn head_to_head(tally: &Tally<'_>) -> Markup {
    let shown = &tally.standings[..tally.standings.len().min(MOST_IN_TABLE)];
    let size = match shown.len() {
        ..=12 => 44,
        13..=24 => 30,
        _ => 17,
    };
    let names: Vec<String> = shown.iter().map(|standing| cut(tally.name(standing.bot), NAME_MAX)).collect();
    let longest = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    let (margin, edge) = (24 + 7 * longest, 18 + 7 * longest);
    let side = margin + size * shown.len() + 4;
    let label = "Who beats whom; the same numbers stand in head_to_head.csv";
    html! {
        div.wide {
            svg width=(side) height=(side) viewBox={ "0 0 " (side) " " (side) } role="img" aria-label=(label) {
                @for (row, (standing, name)) in shown.iter().zip(&names).enumerate() {
                    @let (middle, name) = (margin + row * size + size / 2 + 4, words(name));
                    text x=(edge) y=(middle) text-anchor="end" { (name) }
                    text transform={ "translate(" (middle) " " (edge) ") rotate(-90)" } { (name) }
                    @for (column, other) in shown.iter().enumerate() {
                        (square(tally, standing.bot, other.bot, (margin + column * size, margin + row * size), size))
                    }
                }
            }
        }
    }
}

/// The square of bot `one` against bot `other`: its left upper corner at `(x, y)`, its side `size`, in pixels.
fn square(tally: &Tally<'_>, one: usize, other: usize, (x, y): (usize, usize), size: usize) -> Markup {
    let Some(score) = tally.pairs.get(&(one, other)) else { return PreEscaped(String::new()) };
    let (low, high) = score.by_seed.interval();
    let [share, low, high] = [score.share().unwrap_or(0.5), low, high].map(|share| share * 100.0);
    let Score { wins, draws, losses, .. } = *score;
    let (side, played) = (size - 1, score.count() > 0);
    html! {
        g {
            title {
                (words(tally.name(one))) " against " (words(tally.name(other))) ": "
                @if played {
                    (format!("{share:.0} % of the points ({low:.0} to {high:.0} %), won {wins}, drawn {draws}, lost {losses}"))
                } @else { "not played" }
            }
            rect.even x=(x) y=(y) width=(side) height=(side) {}
            @if played {
                @let (class, strength) = (if share < 50.0 { "lose" } else { "win" }, (share - 50.0).abs() / 50.0);
                rect class=(class) x=(x) y=(y) width=(side) height=(side) fill-opacity=(format!("{strength:.2}")) {}
                @if size >= 30 {
                    text x=(x + size / 2) y=(y + size / 2 + 4) text-anchor="middle" { (format!("{share:.0}")) }
                }
            }
        }
    }
}

/// A bar for each bot of which a program ended in another way than by playing to the end.
pub fn ends(tally: &Tally<'_>) -> Markup {
    let faulty: Vec<&Ranked> = tally.standings.iter().filter(|standing| standing.bad_ends() > 0).collect();
    let kinds = BotEnd::ALL.iter().enumerate();
    let kinds = kinds.filter(|(i, _)| faulty.iter().any(|standing| standing.ends[*i] > 0));
    let others = tally.standings.len() - faulty.len();
    html! {
        @if faulty.is_empty() { p { "All programs played all their matches to the end." } } @else {
            div.key { @for (i, end) in kinds { span { i class={ "e" (i) } {} (end.words()) } } }
            @for standing in &faulty {
                div.row {
                    (name_link(&tally.book.bots[standing.bot]))
                    svg role="img" { (bar(standing, tally.name(standing.bot))) }
                    span.v { (standing.bad_ends()) " of " (standing.matches) }
                }
            }
            @if others > 0 { p.faint { "The programs of the other " (others) " played to the end of each match." } }
        }
    }
}

/// The parts of a bot's bar, one for each kind of end.
fn bar(standing: &Ranked, name: &str) -> Markup {
    let percent = |counts: &[u64]| {
        format!("{:.2}%", counts.iter().sum::<u64>() as f64 / standing.matches as f64 * 100.0)
    };
    let ends = BotEnd::ALL.iter().zip(standing.ends).enumerate().filter(|(_, (_, count))| *count > 0);
    html! {
        @for (i, (end, count)) in ends {
            rect class={ "e" (i) } x=(percent(&standing.ends[..i])) y="15%" width=(percent(&[count])) height="70%" {
                title { (words(name)) " " (end.words()) ": " (count) " of " (standing.matches) }
            }
        }
    }
}
