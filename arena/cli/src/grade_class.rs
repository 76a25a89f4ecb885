//! `grade --class`: every submission of a class, and the table of them.
//!
//! Each submission is graded by a process of this program that is called with the same flags. Tested in `tests/class/`.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use zappy_play::Error;
use zappy_play::display::Display;
use zappy_play::programs::missing;
use zappy_play::signature::{self, Key, Kind};
use zappy_play::world::Games;
use zappy_server::files;
use zappy_tournament::bots::{Book, Bot};
use zappy_tournament::grading::class::{ClassRun, claim, keep_terms};
use zappy_tournament::grading::report::{self, page_of};
use zappy_tournament::grading::result::{PAGE, State, StudentResult};
use zappy_tournament::grading::submission::scan;
use zappy_tournament::identity::Id;
use zappy_tournament::place::{Place, STUDENT, write_whole};
use zappy_tournament::plan::plan;
use zappy_tournament::run::INTERRUPTED;
use zappy_tournament::variants::terms_of;

use super::commands::{FAILED, REFUSED, catch_signals, print, warn_of_links};
use super::grade::GradeArgs;
use super::grade::GradebookArgs;

/// The flags that aren't handed on to the process of a submission; each takes a value.
const CLASS_FLAGS: [&str; 3] = ["--class", "--out", "--jobs"];

/// The file in the folder of a class with the salt of the pseudonyms.
const SALT: &str = "salt";

/// The longest page of a student that is read to be compared with the new one, in bytes.
const LONGEST_PAGE: u64 = 1 << 20;

/// Grades what isn't graded yet, and leaves the table; gives the exit code.
///
/// # Errors
/// The reason why it could not be done.
pub fn grade(args: &GradeArgs, folder: &Path, games: Games) -> Result<u8, Error> {
    let mut signals = catch_signals(None)?;
    let world = args.world(games)?;
    let opponents = args.opponents(&world)?.bots()?;
    args.situations(world.spec.game.name)?;
    let wrong = |words: String| Error::Flag(format!("--class {}: {words}", folder.display()));
    let class = scan(folder).map_err(|error| wrong(zappy_play::text::io_words(&error)))?;
    if class.submissions.is_empty() {
        return Err(wrong("there is no submission in it; give each student a folder there".to_owned()));
    }
    let mut book = args.gradebook.read(&class.submissions)?;
    let terms = terms(args, &opponents, games)?;
    let _claim = claim(&args.out)?;
    let real = |path: &Path| fs::canonicalize(path).map_err(|error| Error::Folder(args.out.clone(), error));
    let (out, class_folder) = (real(&args.out)?, real(folder)?);
    if out.starts_with(&class_folder) {
        let words = "--out lies in it and would be taken for a submission; choose another one";
        return Err(wrong(words.to_owned()));
    }
    keep_terms(&out, &terms)?;
    // Before the first match, so that no spectator sees it.
    signature::sign(&out, Kind::Class, &[]);
    // The same for all, so that equal bots come to equal points.
    Place::write_seeds(&out, &args.seeds_in(&out)?)?;
    if args.gradebook.leaderboard {
        let salt = out.join(SALT);
        book.salt = Some(Key::kept(&salt).map_err(|error| Error::File(salt, error))?);
    }
    for name in &class.left_out {
        log::warn!("{name} is left out: it is no folder, or its name begins with a dot");
    }
    // Warned of here once, and not by each process.
    warn_of_links(&opponents);
    missing::tell(args.playing.containment()?, &out);
    args.playing.added.values()?;
    let mut arguments = inherited(std::env::args_os().skip(2));
    for (flag, folder) in [("--of-class", &out), ("--hide", &out), ("--hide", &class_folder)] {
        arguments.extend([flag.into(), folder.into()]);
    }
    let run = ClassRun {
        out: &out,
        class,
        for_all: args.for_all(),
        jobs: args.playing.jobs(),
        program: zappy_tournament::worker::own_program()?,
        arguments,
        pass: args.pass.clone(),
        gradebook: book,
        accept_lookalikes: args.accept_lookalikes,
        write_table: &|result| {
            result.students.iter().try_for_each(|student| write_own_page(&out, student))?;
            let mut files = Vec::from(report::files(result));
            if args.gradebook.leaderboard {
                files.push((report::LEADERBOARD, report::leaderboard(result).into_bytes()));
            } else {
                let _ = fs::remove_file(out.join(report::LEADERBOARD));
            }
            files.iter().try_for_each(|(name, bytes)| write_whole(&out.join(name), bytes))?;
            let names: Vec<&str> = files.iter().map(|(name, _)| *name).collect();
            signature::sign(&out, Kind::Class, &names);
            Ok(())
        },
        opponents: opponents.iter().map(|bot| bot.name.clone()).collect(),
    };
    let (result, interrupted) = run.grade(&mut signals, &mut Display::new(args.playing.quiet))?;
    print(&format!("{}\nthe table is {}\n", report::render(&result), args.out.join("index.html").display()));
    if interrupted {
        log::warn!("interrupted; run it again and it goes on");
        return Ok(INTERRUPTED);
    }
    let misbehaved =
        |student: &StudentResult| student.state != State::Graded || !student.marks.faults.is_empty();
    Ok(match result.complete {
        false => FAILED,
        true if args.playing.strict && result.students.iter().any(misbehaved) => REFUSED,
        true => 0,
    })
}

/// Writes a student's own page, unless it is there with the same content. A student has such a page if something
/// besides matches counts, or if the bot didn't play; otherwise an older page is removed.
fn write_own_page(out: &Path, student: &StudentResult) -> Result<(), Error> {
    if !student.is_final() {
        return Ok(());
    }
    let folder = student.place();
    let path = out.join(&folder).join(PAGE);
    if student.entry.report.is_none() && out.join(&student.page) != path {
        let _ = fs::remove_file(path);
        return Ok(());
    }
    let page = page_of(student);
    if files::read(&path, LONGEST_PAGE).map_or(true, |kept| kept != page.as_bytes()) {
        write_whole(&path, page.as_bytes())?;
        signature::sign(&out.join(folder), Kind::Grade, &[PAGE, STUDENT]);
    }
    Ok(())
}

/// The arguments for the process of a submission: all but the flags of the class.
fn inherited(words: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut kept = Vec::new();
    let class_flags: Vec<(String, bool)> =
        CLASS_FLAGS.map(|flag| (flag.to_owned(), true)).into_iter().chain(GradebookArgs::flags()).collect();
    let mut words = words.peekable();
    while let Some(word) = words.next() {
        let joined = |(flag, _): &(String, bool)| {
            word.as_encoded_bytes().strip_prefix(flag.as_bytes()).is_some_and(|rest| rest.starts_with(b"="))
        };
        if let Some((_, has_value)) = class_flags.iter().find(|(flag, _)| word == OsStr::new(flag)) {
            if *has_value {
                words.next();
            }
        } else if !class_flags.iter().any(joined) {
            kept.push(word);
        }
    }
    kept
}

/// The terms of the class that a grade depends on, as they are kept in the folder of the grades.
fn terms(args: &GradeArgs, opponents: &[Bot], games: Games) -> Result<Value, Error> {
    let any = Bot { id: Id::of(["any bot"]), name: "student".to_owned(), ..opponents[0].clone() };
    let met = Bot { name: "opponent".to_owned(), ..opponents[0].clone() };
    let book = Book { version: 1, bots: vec![any, met], hidden: Vec::new() };
    let mut planned = Vec::new();
    for one in plan(&book, &args.wish(&book, Path::new(""), games)?)? {
        let terms = Value::from(terms_of(Some(&one)));
        if !planned.contains(&terms) {
            planned.push(terms);
        }
    }
    // If all matches have the same terms, they aren't put into a list.
    let planned = if planned.len() == 1 { planned.swap_remove(0) } else { planned.into() };
    let opponents: Vec<Value> =
        opponents.iter().map(|bot| json!({ "id": bot.id, "name": bot.name })).collect();
    Ok(json!({
        "against": opponents, "match": planned, "seeds": args.seeds, "first": args.first, "check": args.check,
        "build_time": args.build_time, "common_seeds": true, "budget": args.budget, "all_matches": args.all_matches,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_of_a_submission_is_called_with_the_other_flags() {
        let words =
            ["--class", "a", "--seeds", "3", "--out=b", "-q", "--jobs", "2", "--pass=0.5", "--jobs=3"];
        let words = words.into_iter().chain(["--adjust", "c", "--leaderboard", "--late-cost=1"]);
        let kept = inherited(words.map(OsString::from));
        assert_eq!(kept, ["--seeds", "3", "-q", "--pass=0.5"]);
    }
}
