//! `grade`: one bot against a row of opponents, and a point for each that it beats.
//!
//! The matches are those of a tournament, and the grade is a function of its results. It is never a rank: a bot that is
//! handed in changes no other bot's points. Tested in `tests/tournament/grade.rs`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use zappy_play::Error;
use zappy_play::display::Display;
use zappy_play::folder::log_file_name;
use zappy_play::programs::missing;
use zappy_play::programs::said::{error_line, last_lines, tail};
use zappy_play::programs::signals::Signals;
use zappy_play::result::ProgramEnd;
use zappy_play::signature::{self, Kind};
use zappy_play::world::Games;
use zappy_tournament::bots::Book;
use zappy_tournament::grading::class::LATER;
use zappy_tournament::grading::formats;
use zappy_tournament::grading::grade::{GRADED, Grade};
use zappy_tournament::grading::likeness::{by_content, by_matches, by_running, mirrored};
use zappy_tournament::grading::pace::Pace;
use zappy_tournament::grading::points::Points;
use zappy_tournament::grading::result::{GradeResult, State, StudentResult};
use zappy_tournament::identity::Id;
use zappy_tournament::merge::{MERGED, Merge, REPLAYS};
use zappy_tournament::no_start;
use zappy_tournament::outcome::BotEnd;
use zappy_tournament::place::{BOTS, Place, clear, write_pretty, write_whole};
use zappy_tournament::plan::plan;
use zappy_tournament::reading::Tournament;
use zappy_tournament::report::junit;
use zappy_tournament::run::{INTERRUPTED, NoStart, Shard};
use zappy_tournament::tally::Tally;

use super::commands::{catch_signals, play_through, print, warn_of_links};
use super::grade::GradeArgs;

/// In how many matches of each kind of bad end the page quotes the bot's log.
const MOST_QUOTED: usize = 3;
/// The folder of the matches in which the graded bot and an opponent change seats, with teams called by their seats, to see
/// whether they are the same program.
const LIKENESS: &str = "likeness";

/// The words for the beginning of a bot's page.
pub(super) struct PageWords<'a> {
    pub(super) name: &'a str,
    /// Remarks, each a sentence without its full stop.
    pub(super) first: &'a [String],
    /// A check's transcript of the first situation that the bot failed.
    pub(super) seen: Option<&'a str>,
}

/// Plays what is missing and grades; gives the exit code.
///
/// # Errors
/// The reason why it could not be done.
pub fn grade(args: &GradeArgs, games: Games) -> Result<u8, Error> {
    let mut signals = catch_signals(None)?;
    let book = args.book(games)?;
    warn_of_links(&book.bots);
    let words = PageWords { name: &args.name, first: &[], seen: None };
    let (code, grade) = play_book(args, &args.out, &book, &words, games, &mut signals)?;
    if let Some(grade) = grade {
        let (command, submission) = (Some(book.bots[GRADED].command.clone()), grade.id.clone());
        write_formats(args, &StudentResult { command, submission, ..student_of(grade) })?;
    }
    Ok(code)
}

/// A grade in the form that tables of students and services for autograding use.
pub(super) fn student_of(grade: GradeResult) -> StudentResult {
    let GradeResult { name, stopped: why, mut marks, .. } = grade;
    let state = if why.is_none() { State::Graded } else { State::NeverPlayed };
    if state == State::NeverPlayed {
        // No player of such a bot ever joined: how far its matches got and how they ended is no part of its mark.
        (marks.complete, marks.opponents, marks.said) = (true, Vec::new(), None);
        marks.faults.clear();
    }
    let (student, page) = (name.clone(), page(Path::new("")));
    StudentResult { version: 1, student, key: name, state, why, marks, page, ..StudentResult::default() }
}

/// The path of the page of a grade in that folder.
pub(super) fn page(folder: &Path) -> String {
    folder.join(MERGED).join("index.html").to_string_lossy().into_owned()
}

/// Writes the files for Gradescope and GitHub Classroom that the flags ask for.
pub(super) fn write_formats(args: &GradeArgs, student: &StudentResult) -> Result<(), Error> {
    if let Some(path) = &args.gradescope {
        write_pretty(path, &formats::gradescope(student))?;
    }
    if let Some(path) = &args.classroom {
        write_pretty(path, &formats::classroom(student))?;
    }
    Ok(())
}

/// Plays the missing matches in the folder `out`, grades the first bot of the book, and writes its page; gives the exit
/// code and the grade. There is no grade if the operator interrupted the call, or if its turn in a class is over.
pub(super) fn play_book(
    args: &GradeArgs,
    out: &Path,
    book: &Book,
    words: &PageWords<'_>,
    games: Games,
    signals: &mut Signals,
) -> Result<(u8, Option<GradeResult>), Error> {
    let wish = args.wish(book, out, games)?;
    Place::create(out, book, &plan(book, &wish)?, &wish.seeds)?;
    // Before the first match, so that no spectator sees it.
    signature::sign(out, Kind::Grade, &[BOTS]);
    let run = args.playing.run(Place::open(out)?, Shard::default(), games)?;
    if args.kept_by.is_none() {
        // For a class this is logged once for all submissions.
        missing::tell(run.containment, out);
    }
    let plan = run.place.plan(|_| true)?;
    let world = args.world(games)?;
    let limits = (&args.pass, Duration::from_secs(60 * args.budget), args.all_matches);
    let pace = || Pace::new(&run.place, (book, &plan, world.spec.game), limits);
    let mut watch = pace();
    watch.turn = args.kept_by.map(|_| Duration::from_secs(args.turn));
    let (code, no_start) = play_through(&run, &args.playing, signals, Some(&mut watch))?;
    if code == INTERRUPTED {
        return Ok((code, None));
    }
    if watch.is_unfinished() {
        return Ok((LATER, None));
    }
    // If an earlier run was killed after the first pair, this run hasn't seen that the bot never started: the results
    // are searched for that, so that the grade is the same.
    let no_start = match args.submission {
        Some(_) if !run.keep_going => no_start::find(&run.place, book)?,
        _ => no_start,
    };
    let graded = book.bots[GRADED].id;
    if let Some(NoStart { words, log, .. }) = no_start.as_ref().filter(|no_start| no_start.bot != graded) {
        return Err(unfit_opponent(words, log, out));
    }
    let merged = out.join(MERGED);
    let mut tournament = Tournament::read(out, games)?;
    let mut pace = pace();
    let unproved = tournament.results.values().filter(|played| played.is_unproved()).map(|played| played.id);
    pace.count_results(&tournament.failures.iter().map(|failure| failure.id).chain(unproved).collect())?;
    tournament.leave_out(&pace.left_out);
    let tally = Tally::new(&tournament);
    if let Some((words, log)) = absent_opponent(&tally, &run.place) {
        return Err(unfit_opponent(&words, &log, out));
    }
    let stopped = no_start.as_ref().map(|no_start| no_start.words.clone());
    let client = args.client(&world);
    let looks_like = (by_content(book, client.as_deref()), args.accept_lookalikes);
    let left_out = |opponent| pace.left_out_against(opponent);
    let (tally, name, pass, left_out) = (&tally, words.name, &args.pass, &left_out);
    let mut grade = Grade { tally, name, pass, stopped, left_out, looks_like };
    if grade.looks_like.0.is_none() {
        let Some(found) = by_mirror(args, out, book, &grade, games, signals)? else {
            return Ok((INTERRUPTED, None));
        };
        grade.looks_like.0 = found.or_else(|| by_running(&run.place, book, &plan, client.as_deref()));
    }
    let said = last_words(tally, &run.place);
    let (folder, front) = (out.to_path_buf(), Some(grade.front(words.first, words.seen, said.lines)));
    // By default none for a submission: each page has a viewer of its own, and each match that can be watched is played
    // again.
    let replays = args.replays.unwrap_or(if args.submission.is_some() { 0 } else { REPLAYS });
    let left_out = pace.left_out.clone();
    Merge { games, folder, out: merged.clone(), pass: args.pass.pass, front, replays, left_out }.run()?;
    let mut result = grade.result();
    result.marks.said = said.first;
    write_pretty(&out.join("grade.json"), &result)?;
    let junit = junit::render(tally, GRADED..GRADED + 1, args.pass.pass);
    write_whole(&out.join("grade.xml"), junit.as_bytes())?;
    if let Some(NoStart { log, .. }) = &no_start {
        print(&format!("\n{}; its log is {}\n", grade.stop_words().unwrap_or_default(), log.display()));
    }
    print(&format!("\n{}\nthe page is {}\n", grade.render(), merged.join("index.html").display()));
    Ok((code, Some(result)))
}

/// The name of the opponent, or of the level of our client, that the graded bot plays like in a mirrored pair of
/// matches. The inner `None`: it has no point, or plays like none of them; the outer `None`: the operator ended the
/// call.
fn by_mirror(
    args: &GradeArgs,
    out: &Path,
    book: &Book,
    grade: &Grade<'_>,
    games: Games,
    signals: &mut Signals,
) -> Result<Option<Option<String>>, Error> {
    let wish = args.wish(book, out, games)?;
    let terms = &wish.variants[0];
    let levels = args.levels(&terms.world);
    let Some(seed) = wish.seeds.iter().next().filter(|_| grade.points() > Points(0)) else {
        return Ok(Some(None));
    };
    let (mirror, plan) = mirrored(book, &grade.equally_strong(), &levels, (&seed, terms), out);
    if plan.is_empty() {
        return Ok(Some(None));
    }
    let place = out.join(LIKENESS);
    if Place::create(&place, &mirror, &plan, &wish.seeds).is_err() {
        // With other flags other opponents may be about as strong: then the earlier matches are of no use.
        clear(&place)?;
        Place::create(&place, &mirror, &plan, &wish.seeds)?;
    }
    let run = args.playing.run(Place::open(&place)?, Shard::default(), games)?;
    if run.play(signals, &mut Display::new(args.playing.quiet), None)?.interrupted {
        return Ok(None);
    }
    let found = by_matches(&run.place, &plan)?;
    let opponent = found.and_then(|id| book.bot(id)).map(|bot| bot.name.clone());
    let level = levels.iter().find(|level| Some(level.id) == found);
    let program = terms.world.guest.map_or("", |guest| guest.program);
    Ok(Some(opponent.or(level.map(|level| format!("{program} --level {}", level.name)))))
}

/// What the graded bot's programs printed last in matches that they ended badly.
#[derive(Default)]
struct LastWords {
    /// The line about the error in the first such match.
    first: Option<String>,
    /// The last lines in the first matches of each kind of end, by the match.
    lines: BTreeMap<Id, Vec<String>>,
}

/// Reads the last lines from the logs of the graded bot's programs.
fn last_words(tally: &Tally<'_>, place: &Place) -> LastWords {
    let (mut said, mut quoted) = (LastWords::default(), BTreeMap::<&str, usize>::new());
    for one in tally.scored() {
        let Some(seat) = one.bots.iter().position(|&bot| bot == GRADED) else { continue };
        let end = one.played.seats[seat].end;
        let count = quoted.entry(end.word()).or_default();
        if end == BotEnd::Played || *count == MOST_QUOTED {
            continue;
        }
        *count += 1;
        let arena = place.arena_result(one.planned.id).and_then(|result| result.arena);
        let Some(team) = arena.as_ref().and_then(|arena| arena.teams.get(seat)) else { continue };
        let is_bad = |end: ProgramEnd| {
            !end.by_arena && (end.signal.is_some() || end.code.is_some_and(|code| code != 0))
        };
        let bad = team.processes.iter().find(|program| program.end.is_some_and(is_bad));
        let program = bad.or(team.processes.first());
        let Some(log) = program.and_then(|program| program.log.as_ref()) else { continue };
        let text = tail(&place.match_folder(one.planned.id).join(log));
        said.first = said.first.or_else(|| error_line(&text));
        said.lines.insert(one.planned.id, last_lines(&text));
    }
    said
}

/// The error that an opponent can't be started or never joined, which the grader has to mend.
fn unfit_opponent(words: &str, log: &Path, out: &Path) -> Error {
    let (words, log, place) = (words.to_owned(), log.to_path_buf(), out.to_path_buf());
    zappy_tournament::Error::Opponent { words, log, place }.into()
}

/// An opponent of which no player joined a match, in words, and the path of its log; `None` if there is none.
fn absent_opponent(tally: &Tally<'_>, place: &Place) -> Option<(String, PathBuf)> {
    tally.matches.iter().find_map(|one| {
        let seats = one.played.seats.iter().zip(&one.bots);
        let (seat, &bot) = seats.into_iter().find(|&(seat, &bot)| bot != GRADED && seat.end.is_absent())?;
        let (name, id) = (tally.name(bot), one.planned.id);
        let log = log_file_name(&format!("{}-1", seat.team));
        let log = place.match_folder(id).join("logs").join(log);
        Some((format!("{name} {} in match {id}", seat.end.words()), log))
    })
}
