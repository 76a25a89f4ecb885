//! The page's pictures: ratings with their intervals, which bot beats which, how programs ended.
//!
//! SVG that takes its colours from the page's style. Places across are shares of the width, so that a picture fits
//! a phone without its words shrinking. Tested in `arena/cli/tests/merge/`.

use std::fmt::Write as _;

use super::cut;
use super::escape::in_html;
use crate::outcome::BotEnd;
use crate::tally::{Ranked, Tally};

/// Bots in the table of pairs; a picture of more shows nothing.
pub const MOST_IN_TABLE: usize = 60;
/// Characters of a name beside that table.
const NAME: usize = 20;

/// A scale of ratings that holds all intervals.
#[derive(Debug)]
pub struct Scale {
    low: f64,
    high: f64,
    step: f64,
}

impl Scale {
    /// One that holds these; there is one at least.
    pub fn new(intervals: impl Iterator<Item = (f64, f64)>) -> Scale {
        let (low, high) =
            intervals.fold((f64::MAX, f64::MIN), |(low, high), (from, to)| (low.min(from), high.max(to)));
        let steps = [20.0, 50.0, 100.0, 200.0, 500.0, 1_000.0, 2_000.0];
        let step = steps.into_iter().find(|step| (high - low) / step <= 4.0).unwrap_or(5_000.0);
        Scale { low: (low / step).floor() * step, high: (high / step).ceil() * step, step }
    }

    /// How far across, in percent.
    #[must_use]
    pub fn at(&self, rating: f64) -> f64 {
        (rating - self.low) / (self.high - self.low) * 100.0
    }

    /// Where its lines are, as ratings.
    pub fn marks(&self) -> impl Iterator<Item = f64> {
        let count = ((self.high - self.low) / self.step).round() as usize;
        (0..=count).map(|i| self.low + i as f64 * self.step)
    }

    /// A rating as a dot and its interval as a bar; `name` is HTML.
    #[must_use]
    pub fn picture(&self, name: &str, rating: f64, (low, high): (f64, f64)) -> String {
        let mut lines = String::new();
        for mark in self.marks() {
            let at = self.at(mark);
            let _ = write!(lines, "<line class=\"g\" x1=\"{at:.2}%\" x2=\"{at:.2}%\" y1=\"0\" y2=\"100%\"/>");
        }
        let [at, from, to] = [rating, low, high].map(|rating| self.at(rating));
        format!(
            "<svg role=\"img\"><title>{name}: {rating:.0}, 95 % interval {low:.0} to {high:.0}</title>{lines}<line \
             class=\"bar\" x1=\"{from:.2}%\" x2=\"{to:.2}%\" y1=\"50%\" y2=\"50%\"/><circle class=\"dot\" \
             cx=\"{at:.2}%\" cy=\"50%\" r=\"4\"/></svg>"
        )
    }
}

/// A line per bot: the rating as a dot, its interval as a bar.
#[must_use]
pub fn ratings(tally: &Tally<'_>) -> String {
    let scale = Scale::new(tally.standings.iter().map(|standing| standing.rating.interval()));
    let mut out = String::new();
    for standing in &tally.standings {
        let (bot, rating) = (&tally.book.bots[standing.bot], standing.rating);
        let name = in_html(&bot.name);
        let _ = writeln!(
            out,
            "<div class=\"row\"><a class=\"n\" href=\"#b-{}\" title=\"{name}\">{name}</a>{}<span \
             class=\"v\">{:.0} ±{:.0}</span></div>",
            bot.id,
            scale.picture(&name, rating.value, rating.interval()),
            rating.value,
            rating.margin,
        );
    }
    let mut marks = String::new();
    for mark in scale.marks() {
        let _ = write!(
            marks,
            "<text class=\"t\" x=\"{:.2}%\" y=\"14\" text-anchor=\"middle\">{mark:.0}</text>",
            scale.at(mark)
        );
    }
    format!(
        "{out}<div class=\"row\" aria-hidden=\"true\"><span></span><svg>{marks}</svg><span></span></div>\n"
    )
}

/// A square per pair, in the order of the ranking.
#[must_use]
pub fn head_to_head(tally: &Tally<'_>) -> String {
    let shown = &tally.standings[..tally.standings.len().min(MOST_IN_TABLE)];
    let size = match shown.len() {
        ..=12 => 44,
        13..=24 => 30,
        _ => 17,
    };
    let names: Vec<String> = shown.iter().map(|standing| cut(tally.name(standing.bot), NAME)).collect();
    let longest = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    let margin = 24 + 7 * longest;
    let side = margin + size * shown.len() + 4;
    let mut out = format!(
        "<div class=\"wide\"><svg width=\"{side}\" height=\"{side}\" viewBox=\"0 0 {side} {side}\" role=\"img\" \
         aria-label=\"Who beats whom; the same numbers stand in head_to_head.csv\">\n"
    );
    for (row, (standing, name)) in shown.iter().zip(&names).enumerate() {
        let middle = margin + row * size + size / 2;
        let name = in_html(name);
        let _ = writeln!(
            out,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{name}</text><text transform=\"translate({} {}) \
             rotate(-90)\">{name}</text>",
            margin - 6,
            middle + 4,
            middle + 4,
            margin - 6,
        );
        for (column, other) in shown.iter().enumerate() {
            out.push_str(&square(
                tally,
                standing.bot,
                other.bot,
                (margin + column * size, margin + row * size),
                size,
            ));
        }
        out.push('\n');
    }
    out + "</svg></div>\n"
}

fn square(tally: &Tally<'_>, one: usize, other: usize, (x, y): (usize, usize), size: usize) -> String {
    let Some(score) = tally.pairs.get(&(one, other)) else { return String::new() };
    let [name, opponent] = [one, other].map(|bot| in_html(tally.name(bot)));
    let rect = |class: &str, more: &str| {
        let side = size - 1;
        format!("<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{side}\" height=\"{side}\"{more}/>")
    };
    let Some(share) = score.share() else {
        return format!("<g><title>{name} against {opponent}: not played</title>{}</g>", rect("even", ""));
    };
    let (low, high) = score.interval();
    let class = if share < 0.5 { "lose" } else { "win" };
    let strength = format!(" fill-opacity=\"{:.2}\"", (share - 0.5).abs() * 2.0);
    let mut out = format!(
        "<g><title>{name} against {opponent}: {:.0} % of the points ({:.0} to {:.0} %), won {}, drawn {}, lost \
         {}</title>{}{}",
        share * 100.0,
        low * 100.0,
        high * 100.0,
        score.wins,
        score.draws,
        score.losses,
        rect("even", ""),
        rect(class, &strength),
    );
    if size >= 30 {
        let _ = write!(
            out,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{:.0}</text>",
            x + size / 2,
            y + size / 2 + 4,
            share * 100.0
        );
    }
    out + "</g>"
}

/// A bar for each bot with programs that did anything other than play.
#[must_use]
pub fn ends(tally: &Tally<'_>) -> String {
    let faulty: Vec<&Ranked> = tally.standings.iter().filter(|standing| standing.faults() > 0).collect();
    if faulty.is_empty() {
        return "<p>All programs played all their matches to the end.</p>\n".to_owned();
    }
    let mut out = String::from("<div class=\"key\">");
    for (i, end) in BotEnd::ALL.iter().enumerate() {
        if faulty.iter().any(|standing| standing.ends[i] > 0) {
            let _ = write!(out, "<span><i class=\"e{i}\"></i>{}</span>", end.words());
        }
    }
    out.push_str("</div>\n");
    for standing in &faulty {
        let bot = &tally.book.bots[standing.bot];
        let name = in_html(&bot.name);
        let _ = write!(
            out,
            "<div class=\"row\"><a class=\"n\" href=\"#b-{}\" title=\"{name}\">{name}</a><svg role=\"img\">",
            bot.id
        );
        let mut before = 0.0;
        for (i, (end, &count)) in
            BotEnd::ALL.iter().zip(&standing.ends).enumerate().filter(|(_, (_, n))| **n > 0)
        {
            let width = count as f64 / standing.matches as f64 * 100.0;
            let _ = write!(
                out,
                "<rect class=\"e{i}\" x=\"{before:.2}%\" y=\"15%\" width=\"{width:.2}%\" height=\"70%\"><title>{name} \
                 {}: {count} of {}</title></rect>",
                end.words(),
                standing.matches,
            );
            before += width;
        }
        let _ = writeln!(
            out,
            "</svg><span class=\"v\">{} of {}</span></div>",
            standing.faults(),
            standing.matches
        );
    }
    let others = tally.standings.len() - faulty.len();
    if others > 0 {
        let _ = writeln!(
            out,
            "<p class=\"faint\">The programs of the other {others} played to the end of each match.</p>"
        );
    }
    out
}
