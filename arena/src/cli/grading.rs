//! `grade`: one bot against a row of opponents, and a point for each that it beats.
//!
//! A tournament like every other one; what it comes to is a function of its results. Never a rank: a bot that is
//! handed in changes no other bot's points. Tested in `tests/tournament/grade.rs`.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::{Value, json};

use super::GradeArgs;
use super::commands::{play_through, print};
use crate::Error;
use crate::play::folder::log_name;
use crate::play::world::Games;
use crate::programs::signals::Signals;
use crate::text::align;
use crate::tournament::merge::{MERGED, Merge, REPLAYS};
use crate::tournament::outcome::BotEnd;
use crate::tournament::place::{Place, write_whole};
use crate::tournament::plan::plan;
use crate::tournament::reading::Tournament;
use crate::tournament::report::bots::capital;
use crate::tournament::report::escape::in_html;
use crate::tournament::report::html::Front;
use crate::tournament::report::{self, junit};
use crate::tournament::run::{INTERRUPTED, NoStart, Shard};
use crate::tournament::tally::{LEAST_DECIDED, Score, Tally};
use zappy_protocol::text::thousands;

/// What the table tells of each opponent.
const HEAD: [&str; 7] = ["opponent", "share", "95 %", "won", "drawn", "lost", "beaten"];
/// The bot that is graded comes first in its book.
const GRADED: usize = 0;

/// Plays what is missing and grades; gives the exit code.
///
/// # Errors
/// What kept it from being done.
pub fn grade(args: &GradeArgs, games: Games) -> Result<u8, Error> {
    // Before anything is started, so that no wish to stop is lost.
    let mut signals = Signals::install()?;
    let book = args.book(games)?;
    let wish = args.wish(&book, games)?;
    Place::lay_down(&args.out, &book, &plan(&book, &wish)?, &wish.seeds)?;
    let run = args.playing.run(Place::open(&args.out)?, Shard::default(), games)?;
    let (code, no_start) = play_through(&run, &args.playing, &mut signals)?;
    if code == INTERRUPTED {
        return Ok(code);
    }
    let graded = book.bots[GRADED].id;
    if let Some(NoStart { words, log, .. }) = no_start.as_ref().filter(|no_start| no_start.bot != graded) {
        let words = format!(
            "nothing is graded: the opponent {words} ({}). Mend that, remove {}, and grade again",
            log.display(),
            args.out.display()
        );
        return Err(crate::tournament::Error::NoStart(words).into());
    }
    let out = args.out.join(MERGED);
    let tournament =
        Tournament::read(&args.out, games).map_err(crate::tournament::merge::MergeError::from)?;
    let tally = Tally::new(&tournament);
    if let Some(why) = idle_opponent(&tally, &Place::open(&args.out)?) {
        return Err(crate::tournament::Error::Arena(why).into());
    }
    let mut grade = Grade::new(&tally, args.pass);
    grade.stopped = no_start.as_ref().map(|no_start| no_start.words.clone());
    let (folder, front) = (args.out.clone(), Some(grade.front()));
    Merge { games, folder, out: out.clone(), pass: args.pass, front, replays: REPLAYS }.run()?;
    leave(&args.out, "grade.json", &format!("{:#}\n", grade.json()))?;
    leave(&args.out, "grade.xml", &junit::render(&tally, GRADED..GRADED + 1, args.pass))?;
    if let Some(NoStart { log, .. }) = &no_start {
        print(&format!("\n{}; its log is {}\n", grade.stop().unwrap_or_default(), log.display()));
    }
    print(&format!("\n{}\nthe page is {}\n", grade.render(), out.join("index.html").display()));
    Ok(code)
}

/// No bot gets points from an opponent that wasn't there: the grader has to mend that first.
fn idle_opponent(tally: &Tally<'_>, place: &Place) -> Option<String> {
    let idle = |end: BotEnd| matches!(end, BotEnd::FailedToStart | BotEnd::NeverJoined);
    tally.matches.iter().find_map(|one| {
        let seats = one.played.seats.iter().zip(&one.seats);
        let (seat, &bot) = seats.into_iter().find(|&(seat, &bot)| bot != GRADED && idle(seat.end))?;
        let (name, id) = (tally.name(bot), one.planned.id);
        let log = log_name(&format!("{}-1", seat.team));
        let log = place.match_folder(id).join("logs").join(log);
        Some(format!(
            "nothing is graded: the opponent {name} {} in match {id} ({}). Mend that, remove {}, and grade again",
            seat.end.words(),
            log.display(),
            place.path().display()
        ))
    })
}

fn leave(folder: &Path, name: &str, text: &str) -> Result<(), Error> {
    Ok(write_whole(&folder.join(name), &folder.join(format!(".{name}")), text.as_bytes())?)
}

/// What a bot's results against its opponents come to.
#[derive(Debug)]
pub struct Grade<'a> {
    tally: &'a Tally<'a>,
    /// The opponents by their places in the book, and how it went.
    opponents: Vec<(usize, Score)>,
    pass: f64,
    /// Why matches were left out, if the bot can't be started or never joins, in words.
    stopped: Option<String>,
}

impl<'a> Grade<'a> {
    /// Grades the first bot of the book.
    #[must_use]
    pub fn new(tally: &'a Tally<'a>, pass: f64) -> Grade<'a> {
        let mine = tally.pairs.range((GRADED, 0)..(GRADED + 1, 0));
        let opponents = mine.map(|(&(_, other), &score)| (other, score)).collect();
        Grade { tally, opponents, pass, stopped: None }
    }

    /// Matches against an opponent that aren't scored.
    fn missing(&self, other: usize) -> u64 {
        self.tally.missing.get(&(GRADED, other)).copied().unwrap_or_default()
    }

    /// Whether an opponent is beaten; no if nothing was played. Matches that aren't scored count as lost, so that no bot
    /// gains by a match that can't be scored.
    fn is_beaten(&self, other: usize, score: Score) -> bool {
        score.is_decided() && self.has_share(other, score)
    }

    fn has_share(&self, other: usize, score: Score) -> bool {
        let all = score.count() + self.missing(other);
        let of_all = |share: f64| share * score.count() as f64 / all as f64;
        score.share().is_some_and(|share| of_all(share) >= self.pass)
    }

    /// Whether chance leaves no doubt of that.
    fn is_clear(&self, score: Score) -> bool {
        let (low, high) = score.interval();
        self.stopped.is_some() || score.count() > 0 && !(low..=high).contains(&self.pass)
    }

    /// A point for each opponent beaten.
    #[must_use]
    pub fn points(&self) -> usize {
        self.opponents.iter().filter(|&&(other, score)| self.is_beaten(other, score)).count()
    }

    /// Why no further match was played.
    fn stop(&self) -> Option<String> {
        let why = self.stopped.as_ref()?;
        Some(format!("{why}. No further match was played, and all of them count as lost"))
    }

    /// For a terminal.
    #[must_use]
    pub fn render(&self) -> String {
        let head = HEAD.map(str::to_owned).to_vec();
        let rows: Vec<Vec<String>> = std::iter::once(head).chain(self.rows()).collect();
        let mut text = String::new();
        align(&rows, 1, &mut text);
        let _ = writeln!(text, "\n{}", self.mark());
        self.remarks().iter().for_each(|words| {
            let _ = writeln!(text, "{words}");
        });
        for (end, count) in self.faults() {
            let _ =
                writeln!(text, "{count} times it {}. {}", end.words(), end.advice(self.tally.game.manual));
        }
        text
    }

    /// The same for the page, on which what went wrong stands in a section of its own.
    #[must_use]
    pub fn front(&self) -> Front {
        let cells = |tag: &str, row: &[String]| {
            let cells = row.iter().map(|cell| format!("<{tag}>{}</{tag}>", in_html(cell)));
            format!("<tr>{}</tr>\n", cells.collect::<String>())
        };
        let mut html = format!("<p class=\"note\"><b>{}.</b></p>\n", in_html(&self.mark()));
        // It begins with the bot's name.
        let remarks = self.remarks();
        let remarks = remarks.iter().map(|words| capital(words));
        for words in self.stop().into_iter().chain(remarks) {
            let _ = writeln!(html, "<p class=\"note\">{}.</p>", in_html(&words));
        }
        html += "<div class=\"wide\"><table><thead>";
        html += &cells("th", &HEAD.map(str::to_owned));
        html += "</thead><tbody>\n";
        self.rows().for_each(|row| html += &cells("td", &row));
        html += "</tbody></table></div>\n<p class=\"faint\">Share: of the points against that opponent, 1 for a match that was \
            won and half for a draw; beside it where it lies in about 95 of 100 cases.</p>\n";
        Front { bot: GRADED, title: format!("Grade of {}", self.tally.name(GRADED)), html }
    }

    /// The cells of each opponent.
    fn rows(&self) -> impl Iterator<Item = Vec<String>> {
        self.opponents.iter().map(|&(other, score)| {
            let (low, high) = score.interval();
            // Of a bot that can't play nothing is open.
            let open = score.count() > 0 && self.stopped.is_none();
            vec![
                zappy_protocol::text::shown(self.tally.name(other).as_bytes()),
                score.share().map_or("-".to_owned(), |share| format!("{share:.3}")),
                if open { format!("{low:.2}..{high:.2}") } else { "-".to_owned() },
                score.wins.to_string(),
                score.draws.to_string(),
                score.losses.to_string(),
                self.verdict(other, score).to_owned(),
            ]
        })
    }

    /// Whether an opponent is beaten, in words.
    fn verdict(&self, other: usize, score: Score) -> &'static str {
        match (self.is_beaten(other, score), self.is_clear(score)) {
            _ if self.stopped.is_some() && score.count() == 0 => "no, not played",
            _ if self.stopped.is_some() => "no",
            _ if score.count() == 0 => "not played",
            (false, _) if self.has_share(other, score) => "not decided",
            (false, _) if score.share().is_some_and(|share| share >= self.pass) => "no, matches are missing",
            (true, true) => "yes",
            (true, false) => "yes, narrowly",
            (false, true) => "no",
            (false, false) => "no, narrowly",
        }
    }

    fn mark(&self) -> String {
        let (name, points, of) = (self.tally.name(GRADED), self.points(), self.opponents.len());
        let pass = self.pass;
        format!("{name}: {points} of {of} points; it beats an opponent with {pass} of the points or more")
    }

    /// What is to be known of the mark, each as a sentence without its full stop.
    fn remarks(&self) -> Vec<String> {
        let mut remarks = Vec::new();
        if self.stopped.is_some() {
            return remarks;
        }
        let open = self.undecided();
        if open > 0 {
            remarks.push(format!(
                "not decided: against {open} of them fewer than {:.0} of 100 matches were won by anybody, and draws alone bring \
                 no point. Let matches last longer: grade again with a higher --max-ticks and another --out; they ended at \
                 tick {} at the latest",
                LEAST_DECIDED * 100.0,
                thousands(self.longest()),
            ));
        }
        if self.opponents.iter().any(|&(_, score)| score.is_decided() && !self.is_clear(score)) {
            remarks.push("narrowly: more --seeds could turn it round".to_owned());
        }
        let missing: u64 = self.opponents.iter().map(|&(other, _)| self.missing(other)).sum();
        if missing > 0 {
            remarks.push(format!(
                "{missing} matches can't be scored and count as lost here; tournament status tells why"
            ));
        }
        remarks
    }

    /// Opponents that the share would beat if it came from more than draws.
    fn undecided(&self) -> usize {
        let open = |&&(other, score): &&(usize, Score)| !score.is_decided() && self.has_share(other, score);
        self.opponents.iter().filter(open).count()
    }

    /// The last tick of the longest match.
    fn longest(&self) -> u64 {
        self.tally.scored().map(|one| one.played.ticks).max().unwrap_or_default()
    }

    fn faults(&self) -> Vec<(BotEnd, u64)> {
        let graded = self.tally.standings.iter().find(|standing| standing.bot == GRADED);
        graded.map(|graded| graded.misdeeds().collect()).unwrap_or_default()
    }

    /// For programs.
    #[must_use]
    pub fn json(&self) -> Value {
        let opponent = |&(other, score): &(usize, Score)| {
            let mut opponent = report::json::opponent(self.tally, other, score);
            opponent["beaten"] = self.is_beaten(other, score).into();
            opponent["decided"] = score.is_decided().into();
            opponent["missing"] = self.missing(other).into();
            opponent["clear"] = self.is_clear(score).into();
            opponent
        };
        let opponents: Vec<Value> = self.opponents.iter().map(opponent).collect();
        let faults: serde_json::Map<String, Value> =
            self.faults().into_iter().map(|(end, count)| (end.word().to_owned(), count.into())).collect();
        let graded = &self.tally.book.bots[GRADED];
        json!({
            "version": 1, "id": graded.id, "name": graded.name, "pass": self.pass, "points": self.points(),
            "of": self.opponents.len(), "complete": self.tally.scored().count() == self.tally.planned,
            "opponents": opponents, "faults": faults,
        })
    }
}
