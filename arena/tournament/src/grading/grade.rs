//! What a bot's matches against its opponents come to: a point for each that it beats.
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
use crate::report::bots::capital;
use crate::report::html::Front;
use crate::report::terminal::by_variant;
use crate::report::{columns, table, words};
use crate::tally::{LEAST_DECIDED, Score, Tally};

/// What the table tells of each opponent.
const HEAD: [&str; 7] = ["opponent", "share", "95 %", "won", "drawn", "lost", "beaten"];
/// What stands behind a verdict that chance could turn round.
const NARROWLY: &str = "narrowly";
/// The bot that is graded comes first in its book.
pub const GRADED: usize = 0;

/// What a bot's results against its opponents come to.
pub struct Grade<'a> {
    /// The results, of the first bot of the book and its opponents.
    pub tally: &'a Tally<'a>,
    /// What the bot is called for people.
    pub name: &'a str,
    /// The shares of points with which an opponent brings points; of one half: more than that.
    pub pass: &'a Pass,
    /// Why matches were left out, if the bot can't be started or never joins, in words.
    pub stopped: Option<String>,
    /// The matches that are left out against an opponent, which the tally doesn't have.
    pub left_out: &'a dyn Fn(Id) -> Option<LeftOut>,
    /// What it looks like, and whether that is accepted.
    pub looks_like: (Option<String>, bool),
}

/// A row with its verdict behind its name: on a small window it is seen first.
fn verdict_second<T: Clone>(row: &[T]) -> Vec<T> {
    let last = row.len() - 1;
    [&row[..1], &row[last..], &row[1..last]].concat()
}

impl Grade<'_> {
    /// The opponents by their places in the book, and how it went.
    fn opponents(&self) -> impl ExactSizeIterator<Item = (usize, Score)> {
        let mine = self.tally.pairs.range((GRADED, 0)..(GRADED + 1, 0));
        mine.map(|(&(_, other), &score)| (other, score)).collect::<Vec<_>>().into_iter()
    }

    /// The matches that are left out against an opponent.
    fn left_out(&self, other: usize) -> Option<LeftOut> {
        (self.left_out)(self.tally.book.bots[other].id)
    }

    /// Matches that are left out against an opponent and count as lost.
    fn late(&self, other: usize) -> u64 {
        let late = self.left_out(other).filter(|left_out| left_out.why == Unplayed::LostByTime);
        late.map_or(0, |late| late.matches)
    }

    /// What it looks like, if that costs it its points.
    fn likeness(&self) -> Option<&str> {
        self.looks_like.0.as_deref().filter(|_| !self.looks_like.1)
    }

    /// Matches against an opponent that aren't scored.
    fn missing(&self, other: usize) -> u64 {
        self.tally.missing.get(&(GRADED, other)).copied().unwrap_or_default()
    }

    /// Whether an opponent is beaten; no if nothing was played. Matches that aren't scored count as lost, so that no bot
    /// gains by a match that can't be scored.
    fn is_beaten(&self, other: usize, score: Score) -> bool {
        self.brings(other, score) == Points::whole(1)
    }

    fn brings(&self, other: usize, score: Score) -> Points {
        if self.likeness().is_some() || !score.is_decided() {
            return Points(0);
        }
        self.pass.points(|share| score.passes(self.missing(other) + self.late(other), share))
    }

    /// Whether draws alone keep it from having beaten an opponent, or from being known to have not.
    fn is_open(&self, other: usize, score: Score) -> bool {
        let all = score.count() + self.missing(other) + self.late(other);
        let share = (2 * score.wins + score.draws) as f64 / (2 * all.max(1)) as f64;
        score.count() > 0 && !score.is_decided() && self.pass.shares().any(|least| share >= least)
    }

    /// Whether chance leaves no doubt of that.
    fn is_clear(&self, score: Score) -> bool {
        let (low, high) = score.by_seed.interval();
        self.stopped.is_some()
            || score.count() > 0 && !self.pass.shares().any(|share| (low..=high).contains(&share))
    }

    /// A point for each opponent beaten, and the parts that others bring.
    pub fn points(&self) -> Points {
        self.opponents().map(|(other, score)| self.brings(other, score)).sum()
    }

    /// The opponents that the bot may be, since it is about as strong; none if it has no point to lose.
    pub fn equals(&self) -> Vec<Id> {
        let about = |score: Score| {
            let (low, high) = score.by_seed.interval();
            score.share().is_some_and(|share| (0.2..=0.8).contains(&share) || (low..=high).contains(&0.5))
        };
        let some = self.opponents().filter(|_| self.points() > Points(0));
        let some = some.filter(|&(other, score)| about(score) && self.late(other) == 0);
        some.map(|(other, _)| self.tally.book.bots[other].id).collect()
    }

    /// Why no further match was played.
    pub fn stop(&self) -> Option<String> {
        let why = self.stopped.as_ref()?;
        Some(format!("{why}. No further match was played, and all of them count as lost"))
    }

    pub fn render(&self) -> String {
        let mut text = columns(&HEAD, self.rows(), 1);
        text.push_str(&by_variant(self.tally));
        let _ = writeln!(text, "\n{}", self.mark());
        // What a grader can do about it is nothing to a student.
        for (words, remedy) in self.remarks() {
            let _ = writeln!(text, "{words}; {remedy}");
        }
        for (end, count) in self.faults() {
            let (times, advice) = (many(count, "time"), end.advice(self.tally.game.manual));
            let _ = writeln!(text, "{times} it {}. {advice}", end.words());
        }
        text
    }

    /// The same for the page, on which what went wrong stands in a section of its own; what else is to be said comes `first`,
    /// each as a sentence without its full stop, and what a check has `seen` behind it, in lines. The page quotes what the bot
    /// `said` in matches.
    pub fn front(&self, first: &[String], seen: Option<&str>, said: BTreeMap<Id, Vec<String>>) -> Front {
        // It begins with the bot's name.
        let remarks = self.remarks();
        let remarks = remarks.iter().map(|(words, _)| capital(words));
        let first = first.iter().map(|words| capital(words));
        let row =
            |row: Vec<String>| html! { tr { @for cell in verdict_second(&row) { td { (words(&cell)) } } } };
        let html = html! {
            p.note { b { (words(&self.mark())) "." } }
            @for note in self.stop().into_iter().chain(first).chain(remarks) { p.note { (words(&note)) "." } }
            @if let Some(seen) = seen { details { summary { "What the check saw" } "\n" pre { (words(seen)) } } }
            (table(None, None, &verdict_second(&HEAD), self.rows().map(row)))
            p.faint {
                "Share: of the points against that opponent, 1 for a match that was won and half for a draw; beside it where \
                 it lies in about 95 of 100 cases."
            }
        };
        Front { bot: GRADED, title: format!("Grade of {}", self.name), html, said }
    }

    /// The cells of each opponent.
    fn rows(&self) -> impl Iterator<Item = Vec<String>> {
        self.opponents().map(|(other, score)| {
            let (low, high) = score.by_seed.interval();
            // Of a bot that can't play nothing is open.
            let open = score.count() > 0 && self.stopped.is_none();
            vec![
                shown(self.tally.name(other).as_bytes()),
                score.share().map_or("-".to_owned(), |share| format!("{share:.3}")),
                if open { format!("{low:.2}..{high:.2}") } else { "-".to_owned() },
                score.wins.to_string(),
                score.draws.to_string(),
                score.losses.to_string(),
                self.told(other, score),
            ]
        })
    }

    /// Whether an opponent is beaten, in words, and the part of its point that it brings if not.
    fn told(&self, other: usize, score: Score) -> String {
        let (verdict, brings) = (self.verdict(other, score), self.brings(other, score));
        let part = brings > Points(0) && brings < Points::whole(1);
        if part { format!("{verdict}, {brings} of a point") } else { verdict.to_owned() }
    }

    /// Whether an opponent is beaten, in words.
    fn verdict(&self, other: usize, score: Score) -> &'static str {
        match (self.is_beaten(other, score), self.is_clear(score)) {
            _ if self.stopped.is_some() && score.count() == 0 => "no, not played",
            _ if self.stopped.is_some() => "no",
            _ if self.likeness().is_some() => "no, looks like another",
            _ if score.count() == 0 => "not played",
            (false, _) if self.is_open(other, score) => "not decided",
            (false, _) if score.passes(self.late(other), self.pass.pass) => "no, matches are missing",
            (false, _) if score.passes(0, self.pass.pass) => "no, out of time",
            (true, true) => "yes",
            (true, false) => "yes, narrowly",
            (false, false) if score.share().is_some_and(|share| share > 0.0) => "no, narrowly",
            (false, _) => "no",
        }
    }

    fn mark(&self) -> String {
        let (name, points, of) = (self.name, self.points(), many(self.opponents().len() as u64, "point"));
        format!("{name}: {points} of {of}; it beats an opponent with {}", self.pass.words())
    }

    /// What is to be known of the mark, and what the grader can do about it, each as a sentence without its full stop.
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
        // Opponents that the share would beat if it came from more than draws.
        let open = self.opponents().filter(|&(other, score)| self.is_open(other, score)).count();
        if open > 0 {
            let longest = self.tally.scored().map(|one| one.played.length()).max();
            let longest = longest.unwrap_or(Length::Ticks(0));
            let words = format!(
                "not decided: against {open} of them fewer than {:.0} of 100 matches were won by anybody, and draws alone bring \
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
        if self.opponents().any(|(other, score)| self.verdict(other, score).ends_with(NARROWLY)) {
            let words = format!("{NARROWLY}: on other seeds it could go the other way");
            remarks.push((words, "more --seeds make it clearer"));
        }
        let missing: u64 = self.opponents().map(|(other, _)| self.missing(other)).sum();
        if missing > 0 {
            let words = format!("not scored, and counted as lost here: {}", many(missing, "match"));
            remarks.push((words, "tournament status tells why"));
        }
        for one in self.result().marks.opponents {
            let remedy = match one.left_out_why {
                Some(Unplayed::Decided) => "--all-matches plays them all the same",
                _ => "--budget gives more minutes, for another --out",
            };
            remarks.extend(one.left_out_words().map(|words| (words, remedy)));
        }
        remarks
    }

    fn faults(&self) -> Vec<(BotEnd, u64)> {
        let graded = self.tally.standings.iter().find(|standing| standing.bot == GRADED);
        graded.map(|graded| graded.bad_ends_by_kind().collect()).unwrap_or_default()
    }

    pub fn result(&self) -> GradeResult {
        let opponent = |(other, score): (usize, Score)| {
            let book = &self.tally.book.bots[other];
            let (low, high) = score.by_seed.interval();
            OpponentResult {
                id: book.id.to_string(),
                name: book.name.clone(),
                wins: score.wins,
                draws: score.draws,
                losses: score.losses,
                share: score.share().map(|share| round(share, 4)),
                interval: score.share().map(|_| [round(low, 4), round(high, 4)]),
                beaten: self.is_beaten(other, score),
                decided: score.is_decided(),
                missing: self.missing(other),
                clear: self.is_clear(score),
                points: self.brings(other, score),
                verdict: self.told(other, score),
                left_out: self.left_out(other).map_or(0, |left_out| left_out.matches),
                left_out_why: self.left_out(other).map(|left_out| left_out.why),
            }
        };
        let faults = self.faults().into_iter().map(|(end, count)| (end.word().to_owned(), count));
        let marks = GradeMarks {
            pass: self.pass.clone(),
            points: self.points(),
            of: self.opponents().len() as u64,
            complete: self.tally.scored().count() == self.tally.planned,
            opponents: self.opponents().map(opponent).collect(),
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
