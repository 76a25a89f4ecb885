//! The grade of a bot by its matches against its opponents: a point for each that it beats.
//!
//! A function of a tournament's results; the bot comes first in its book. Tested in `arena/cli/tests/tournament/grade.rs`.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use maud::html;
use zappy_game::Length;
use zappy_play::text::round;
use zappy_protocol::text::{many, shown};

use super::points::{Pass, Points};
use super::result::{GradeMarks, GradeResult, LeftOut, OpponentResult, Unplayed};
use crate::identity::Id;
use crate::outcome::BotEnd;
use crate::report::html::Front;
use crate::report::terminal::by_variant;
use crate::report::{self, capital, share_words, table, text_table, words};
use crate::tally::{LEAST_DECIDED, Score, Tally};

/// The titles of the table of opponents.
const HEAD: [&str; 7] = ["opponent", "share", "95 %", "won", "drawn", "lost", "beaten"];
/// The word in a verdict that could be the opposite on other seeds.
const NARROWLY: &str = "narrowly";
/// The place of the graded bot in its book: the first.
pub const GRADED: usize = 0;

/// The grade of a bot by its results against its opponents.
pub struct Grade<'a> {
    /// The results of the graded bot and its opponents.
    pub tally: &'a Tally<'a>,
    /// The bot's name for people.
    pub name: &'a str,
    /// The shares of the points against an opponent that bring points; a share of 0.5 must be exceeded.
    pub pass: &'a Pass,
    /// Why no further match was played, if the bot can't be started or never joins, in words.
    pub stopped: Option<String>,
    /// The matches against an opponent that are left out, and so aren't in `tally`.
    pub left_out: &'a dyn Fn(Id) -> Option<LeftOut>,
    /// The bot that the graded one looks like, if there is one, and whether that is accepted.
    pub looks_like: (Option<String>, bool),
}

/// A row with the verdict, its last cell, moved behind the name: on a small window the first cells are seen first.
fn verdict_second<T: Clone>(row: &[T]) -> Vec<T> {
    let last = row.len() - 1;
    [&row[..1], &row[last..], &row[1..last]].concat()
}

impl Grade<'_> {
    /// How the bot fared against each opponent, in the order of the book, with shares that aren't rounded.
    fn opponents(&self) -> impl Iterator<Item = OpponentResult> {
        report::opponents(self.tally, GRADED).map(|(other, score)| {
            let bot = &self.tally.book.bots[other];
            let left_out = (self.left_out)(bot.id);
            let (low, high) = score.by_seed.interval();
            let is_clear =
                score.count() > 0 && !self.pass.shares().any(|share| (low..=high).contains(&share));
            let mut one = OpponentResult {
                id: bot.id.to_string(),
                name: bot.name.clone(),
                wins: score.wins,
                draws: score.draws,
                losses: score.losses,
                share: score.share(),
                interval: score.share().map(|_| [low, high]),
                beaten: false,
                points: Points(0),
                decided: score.is_decided(),
                missing: self.tally.missing.get(&(GRADED, other)).copied().unwrap_or_default(),
                clear: self.stopped.is_some() || is_clear,
                verdict: String::new(),
                left_out: left_out.map_or(0, |left_out| left_out.matches),
                left_out_why: left_out.map(|left_out| left_out.why),
            };
            // Matches that aren't scored count as lost, so that no bot gains by a match that can't be scored.
            if !self.is_barred() && one.decided {
                one.points = self.pass.points(|share| score.passes(one.missing + one.lost_unplayed(), share));
            }
            one.beaten = one.points == Points::whole(1);
            let verdict = self.verdict(&one, score);
            let has_part = one.points > Points(0) && !one.beaten;
            let part = if has_part { format!(", {} of a point", one.points) } else { String::new() };
            one.verdict = format!("{verdict}{part}");
            one
        })
    }

    /// Whether the bot has no point since it looks like another bot.
    fn is_barred(&self) -> bool {
        self.looks_like.0.is_some() && !self.looks_like.1
    }

    /// Whether the share against an opponent is enough for points, but doesn't count since too many matches were drawn.
    fn is_undecided(&self, one: &OpponentResult) -> bool {
        let all = one.wins + one.draws + one.losses + one.missing + one.lost_unplayed();
        let share = (2 * one.wins + one.draws) as f64 / (2 * all.max(1)) as f64;
        one.share.is_some() && !one.decided && self.pass.shares().any(|least| share >= least)
    }

    /// Whether an opponent is beaten, in words.
    fn verdict(&self, one: &OpponentResult, score: Score) -> &'static str {
        match (one.beaten, one.clear) {
            _ if self.stopped.is_some() && one.share.is_none() => "no, not played",
            _ if self.stopped.is_some() => "no",
            _ if self.is_barred() => "no, looks like another",
            _ if one.share.is_none() => "not played",
            (false, _) if self.is_undecided(one) => "not decided",
            (false, _) if score.passes(one.lost_unplayed(), self.pass.pass) => "no, matches are missing",
            (false, _) if score.passes(0, self.pass.pass) => "no, out of time",
            (true, true) => "yes",
            (true, false) => "yes, narrowly",
            (false, false) if one.share > Some(0.0) => "no, narrowly",
            (false, _) => "no",
        }
    }

    /// The points of the bot: one for each opponent beaten, and parts of a point for others.
    pub fn points(&self) -> Points {
        self.opponents().map(|one| one.points).sum()
    }

    /// The opponents that are about as strong as the bot, so that it may be one of them; none if it has no point to
    /// lose.
    pub fn equally_strong(&self) -> Vec<Id> {
        let has_points = self.points() > Points(0);
        let is_equal = |one: &OpponentResult| {
            let even = one.interval.is_some_and(|[low, high]| (low..=high).contains(&0.5));
            even || one.share.is_some_and(|share| (0.2..=0.8).contains(&share))
        };
        let equals = self.opponents().filter(|one| has_points && one.lost_unplayed() == 0 && is_equal(one));
        equals.filter_map(|one| Id::parse(&one.id)).collect()
    }

    /// Why no further match was played, in two sentences without the last full stop.
    pub fn stop_words(&self) -> Option<String> {
        let why = self.stopped.as_ref()?;
        Some(format!("{why}. No further match was played, and all of them count as lost"))
    }

    /// The grade for a terminal.
    pub fn render(&self) -> String {
        let mut text = text_table(&HEAD, self.opponent_rows(), 1);
        text.push_str(&by_variant(self.tally));
        let _ = writeln!(text, "\n{}", self.mark_words());
        // The remedies are for the grader; the student's page doesn't have them.
        for (words, remedy) in self.remarks() {
            let _ = writeln!(text, "{words}; {remedy}");
        }
        for (end, count) in self.faults() {
            let (times, advice) = (many(count, "time"), end.advice(self.tally.game.manual));
            let _ = writeln!(text, "{times} it {}. {advice}", end.words());
        }
        text
    }

    /// The grade as the beginning of the bot's page, which has a section of its own for faults. `first` are further
    /// remarks, each a sentence without its full stop; `seen` is the transcript of a check, in lines; `last_lines` are
    /// what the bot's programs printed last in matches that went wrong, by the match.
    pub fn front(
        &self,
        first: &[String],
        seen: Option<&str>,
        last_lines: BTreeMap<Id, Vec<String>>,
    ) -> Front {
        let remarks = self.remarks();
        let remarks = remarks.iter().map(|(words, _)| capital(words));
        let first = first.iter().map(|words| capital(words));
        let row =
            |row: Vec<String>| html! { tr { @for cell in verdict_second(&row) { td { (words(&cell)) } } } };
        let html = html! {
            p.note { b { (words(&self.mark_words())) "." } }
            @for note in self.stop_words().into_iter().chain(first).chain(remarks) { p.note { (words(&note)) "." } }
            @if let Some(seen) = seen { details { summary { "What the check saw" } "\n" pre { (words(seen)) } } }
            (table(None, None, &verdict_second(&HEAD), self.opponent_rows().map(row)))
            p.faint {
                "Share: of the points against that opponent, 1 for a match that was won and half for a draw; beside it where \
                 it lies in about 95 of 100 cases."
            }
        };
        Front { bot: GRADED, title: format!("Grade of {}", self.name), html, last_lines }
    }

    /// For each opponent the cells under [`HEAD`].
    fn opponent_rows(&self) -> impl Iterator<Item = Vec<String>> {
        self.opponents().map(|one| {
            // The share of a bot that can't play is certain.
            let interval = one.interval.filter(|_| self.stopped.is_none());
            vec![
                shown(one.name.as_bytes()),
                share_words(one.share),
                interval.map_or("-".to_owned(), |[low, high]| format!("{low:.2}..{high:.2}")),
                one.wins.to_string(),
                one.draws.to_string(),
                one.losses.to_string(),
                one.verdict,
            ]
        })
    }

    fn mark_words(&self) -> String {
        let (name, points, of) = (self.name, self.points(), many(self.opponents().count() as u64, "point"));
        format!("{name}: {points} of {of}; it beats an opponent with {}", self.pass.words())
    }

    /// Remarks on the points, each a sentence without its full stop, and what the grader can do about the remark.
    fn remarks(&self) -> Vec<(String, &'static str)> {
        let mut remarks = Vec::new();
        if self.stopped.is_some() {
            return remarks;
        }
        if let (Some(name), accepted) = &self.looks_like {
            let points = if *accepted { "that was accepted" } else { "so it has no point" };
            let words = format!(
                "looks like {name}: it is that program, or ran it, or said the same as that in both seats of a pair of matches; {points}"
            );
            remarks.push((words, "--accept-lookalikes gives it its points"));
        }
        let undecided = self.opponents().filter(|one| self.is_undecided(one)).count();
        if undecided > 0 {
            let longest = self.tally.scored().map(|one| one.played.length()).max();
            let longest = longest.unwrap_or(Length::Ticks(0));
            let words = format!(
                "not decided: against {undecided} of them fewer than {:.0} of 100 matches were won by anybody, and draws alone bring \
                 no point; matches ended at {} at the latest",
                LEAST_DECIDED * 100.0,
                longest.moment(),
            );
            let remedy = match longest {
                Length::Turns(_) => "let them last longer: grade again with more --turns and another --out",
                Length::Ticks(_) => {
                    "let them last longer: grade again with a higher --max-ticks and another --out"
                }
            };
            remarks.push((words, remedy));
        }
        if self.opponents().any(|one| one.verdict.contains(NARROWLY)) {
            let words = format!("{NARROWLY}: on other seeds it could go the other way");
            remarks.push((words, "more --seeds make it clearer"));
        }
        let missing: u64 = self.opponents().map(|one| one.missing).sum();
        if missing > 0 {
            let words = format!("not scored, and counted as lost here: {}", many(missing, "match"));
            remarks.push((words, "tournament status tells why"));
        }
        for one in self.opponents() {
            let remedy = match one.left_out_why {
                Some(Unplayed::Decided) => "--all-matches plays them all the same",
                _ => "--budget gives more minutes, for another --out",
            };
            remarks.extend(one.left_out_words().map(|words| (words, remedy)));
        }
        remarks
    }

    /// In how many matches the bot's programs ended badly, by the kind of end.
    fn faults(&self) -> Vec<(BotEnd, u64)> {
        let graded = self.tally.standings.iter().find(|standing| standing.bot == GRADED);
        graded.map(|graded| graded.bad_ends_by_kind().collect()).unwrap_or_default()
    }

    /// The grade as `grade.json` has it, with shares rounded to four digits.
    pub fn result(&self) -> GradeResult {
        let rounded = |one: OpponentResult| OpponentResult {
            share: one.share.map(|share| round(share, 4)),
            interval: one.interval.map(|ends| ends.map(|end| round(end, 4))),
            ..one
        };
        let faults = self.faults().into_iter().map(|(end, count)| (end.word().to_owned(), count));
        let marks = GradeMarks {
            pass: self.pass.clone(),
            points: self.points(),
            of: self.opponents().count() as u64,
            complete: self.tally.scored().count() == self.tally.planned,
            opponents: self.opponents().map(rounded).collect(),
            faults: faults.collect(),
            said: None,
            looks_like: self.looks_like.0.clone(),
            likeness_accepted: self.looks_like.0.is_some() && self.looks_like.1,
        };
        GradeResult {
            version: 1,
            id: self.tally.book.bots[GRADED].id.to_string(),
            name: self.name.to_owned(),
            marks,
            stopped: self.stopped.clone(),
        }
    }
}
