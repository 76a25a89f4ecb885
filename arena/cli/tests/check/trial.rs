//! The bots in `tests/students`: the mistakes that students make are named with their remedy, and what is only done in
//! another way is never blamed.
//!
//! In short in each run of the tests; the whole trial, with all situations, many good bots, and beside busy loops, takes
//! half an hour and ends with a table:
//! `ZAPPY_BOTS= ZAPPY_LOADS='0 8' ZAPPY_RUNS=3 cargo test -p zappy-arena --test check trial::trial -- --nocapture`.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::time::Instant;

use serde_json::Value;

use super::support::{client, names, python, quoted};
use super::{check, each, in_json};

/// A bot with a mistake, the situation that is named first, and a part of what is said there.
struct Classic(&'static str, &'static str, &'static str);

const CLASSIC: &[Classic] = &[
    Classic("help_clash.py", "login", "add_help=False"),
    Classic("wrong_team.py", "login", "send the name of your team alone"),
    Classic("no_newline.py", "line-ends", "end each line with \\n"),
    Classic("waits_for_begin.py", "login", "nothing comes by itself: send the first command"),
    Classic("one_line_per_recv.py", "login", "take the lines one by one, and keep the rest"),
    // It reads later than lines come that are sent a moment apart, as all do on a busy machine.
    Classic("one_line_per_slow_recv.py", "login", "take the lines one by one, and keep the rest"),
    Classic("off_by_one.py", "aim", "row by row, each from left to right"),
    Classic("busy_loop.py", "idle", "a read that blocks"),
    Classic("ignores_dead.py", "dead", "after `dead` nothing more comes"),
    Classic("message_is_answer.py", "messages", "`message` may come at any time"),
    Classic("too_many.py", "ten-waiting", "never let more than ten be unanswered"),
    Classic("knows_no_ko.py", "refused", "after a `ko`, look again and decide anew"),
    Classic("knows_no_elevation.py", "match", "`Elevation underway` says that an incantation has begun"),
    Classic("counts_refusals.py", "rivals", "go by `Inventory`, not by a count of your own"),
    Classic("mirrored_rows.py", "aim-far", "4 to 8 are the row two ahead"),
    Classic("shifted_row.py", "aim-far", "9 to 15 the next one"),
    Classic("starter_mirrored_row.py", "aim-far", "9 to 15 the next one"),
    Classic("starter_shifted_row.py", "aim-far", "9 to 15 the next one"),
    Classic("zero_is_eight.py", "sound", "K 0 is your own tile"),
    Classic("two_steps.py", "sound", "take one step for each `message`"),
    Classic("one_digit.py", "two-digits", "`food 12` is twelve"),
    Classic("starter_one_digit.py", "two-digits", "`food 12` is twelve"),
    Classic("returns.py", "dead", "don't connect again"),
    Classic("stuck_after_rite.py", "match", "`Current level: K` ends an incantation"),
    Classic("silent_egg.py", "egg", "open another connection with the same team"),
    Classic("twelve_ahead.py", "ten-waiting", "never let more than ten be unanswered"),
    Classic("mirrored.py", "aim", "row by row, each from left to right"),
    Classic("shifted.py", "aim", "row by row, each from left to right"),
    Classic("small_letters.py", "commands", "spell each command as the table has it"),
    Classic("waits_for_look.py", "commands", "spell each command as the table has it"),
    Classic("takes_two.py", "commands", "with as many words as it takes"),
    Classic("forty_ahead.py", "ten-waiting", "never let more than ten be unanswered"),
    Classic("hangs.py", "match", "look at its last commands"),
    Classic("ends_at_ko.py", "refused", "`ko` is an answer, too"),
    Classic("parses_strangers.py", "messages", "TEXT may be anything, also from strangers"),
    Classic("knows_no_push.py", "ejected", "`eject: K` may come at any time and answers nothing"),
];

/// Those with a mistake are tried in these, too.
const ALSO: [&str; 5] = ["login", "last-slot", "match", "ejected", "dead"];
/// The good ones are tried in these in each run of the tests.
const SOME: [&str; 9] =
    ["match", "one-packet", "idle", "aim", "aim-far", "sound", "two-digits", "rivals", "dead"];

/// The command of a bot in `tests/students`; none where its language isn't there.
fn student(name: &str) -> Option<String> {
    if name.ends_with(".py") {
        return python("students", name);
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/students").join(name);
    let there = Command::new("bash").arg("--version").stdout(Stdio::null()).status();
    there.is_ok_and(|status| status.success()).then(|| format!("bash {}", quoted(&path)))
}

/// Those without a mistake.
fn good() -> impl Iterator<Item = String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/students");
    let is_bot = |name: &String| name.ends_with(".py") || name.ends_with(".sh");
    let is_good = |name: &String| CLASSIC.iter().all(|classic| classic.0 != name);
    names(&folder).into_iter().filter(is_bot).filter(is_good)
}

/// What is wrong with what was said of a bot with a mistake.
fn misjudged(report: &Value, &Classic(_, situation, words): &Classic) -> Option<String> {
    let first = report["mend_first"].as_array().unwrap();
    if *first != [situation] {
        return Some(format!("{situation} is to be mended first and alone, not {first:?}"));
    }
    let finding =
        report["findings"].as_array().unwrap().iter().find(|finding| finding["name"] == situation)?;
    let advice = finding["advice"].as_str().unwrap_or_default();
    (!advice.contains(words)).then(|| format!("{words:?} is not in {advice:?}"))
}

#[test]
fn a_mistake_that_students_make_is_named_alone_with_its_remedy() {
    each(CLASSIC, |classic| {
        let Some(bot) = student(classic.0) else { return };
        let flags: Vec<&str> =
            ALSO.iter().chain([&classic.1]).flat_map(|situation| ["--only", situation]).collect();
        let report = in_json(&check("zappy", &bot, &[&["--json"], &flags[..]].concat()));
        let wrong = misjudged(&report, classic);
        assert!(wrong.is_none(), "{}: {}: {report:#}", classic.0, wrong.unwrap_or_default());
    });
}

#[test]
fn what_is_done_in_another_way_is_not_blamed() {
    let flags: Vec<&str> = SOME.iter().flat_map(|situation| ["--only", situation]).collect();
    each(good(), |name| {
        let Some(bot) = student(&name) else { return };
        let finished = check("zappy", &bot, &[&["--json"], &flags[..]].concat());
        assert_eq!(finished.code(), 0, "{name}: {}", finished.stdout);
    });
}

/// A program that never sleeps, in a session of its own as another user's would be.
struct BusyLoop(Child);

impl BusyLoop {
    fn start() -> BusyLoop {
        BusyLoop(Command::new("setsid").args(["sh", "-c", "while :; do :; done"]).spawn().unwrap())
    }
}

impl Drop for BusyLoop {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Good bots of all kinds: game, name, command.
fn all_good() -> Vec<(&'static str, String, String)> {
    let students = good().filter_map(|name| Some(("zappy", name.clone(), student(&name)?)));
    let others = [
        ("zappy", "faulty", "good.py"),
        ("zappy", "bots", "layer.py"),
        ("zappy", "bots", "mute_connections.py"),
        ("zappy", "../../../ai-client/starters/python", "bot.py"),
        ("conquest", "faulty/conquest", "good.py"),
        ("conquest", "../../../ai-client/starters/python", "conquest.py"),
    ];
    let others = others.iter().filter_map(|(game, folder, name)| {
        Some((*game, format!("{folder}/{name}").replace("../", ""), python(folder, name)?))
    });
    let levels = ["zappy", "conquest"].into_iter().flat_map(|game| {
        ["easy", "medium", "hard", "expert"].map(|level| {
            let name = format!("zappy_ai --level {level}");
            (game, name.clone(), name.replacen("zappy_ai", &client(), 1))
        })
    });
    let starters = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ai-client/starters");
    let node = format!("node {}", quoted(&starters.join("javascript/bot.js")));
    let java = format!("java {}", quoted(&starters.join("java/Bot.java")));
    let tools = [("node", "bot.js", node), ("java", "Bot.java", java)].into_iter().filter(|(tool, ..)| {
        let there = Command::new(tool).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        there.is_ok_and(|status| status.success())
    });
    let tools = tools.map(|(_, name, command)| ("zappy", name.to_owned(), command));
    students.chain(others).chain(levels).chain(tools).collect()
}

#[test]
fn trial() {
    let number = |name: &str, other: &str| std::env::var(name).unwrap_or_else(|_| other.to_owned());
    let runs: usize = number("ZAPPY_RUNS", "1").parse().unwrap();
    let only = number("ZAPPY_BOTS", "selects");
    let mut bad = 0;
    for load in number("ZAPPY_LOADS", "0").split_whitespace() {
        let loops: Vec<BusyLoop> = (0..load.parse().unwrap()).map(|_| BusyLoop::start()).collect();
        let good = all_good().into_iter().map(|(game, name, command)| (game, name, command, None));
        let classic = CLASSIC
            .iter()
            .filter_map(|classic| Some(("zappy", classic.0.to_owned(), student(classic.0)?, Some(classic))));
        let all: Vec<_> = good.chain(classic).filter(|(_, name, ..)| name.contains(&only)).collect();
        let rows = Mutex::new(Vec::new());
        let jobs = all.iter().flat_map(|bot| (0..runs).map(move |_| bot));
        each(jobs, |(game, name, command, classic)| {
            let begun = Instant::now();
            let report = in_json(&check(game, command, &["--json"]));
            let wrong = match classic {
                Some(classic) => misjudged(&report, classic),
                None => (!report["mend_first"].as_array().unwrap().is_empty())
                    .then(|| format!("blamed for {}", report["mend_first"])),
            };
            let told = format!("{} of {}", report["passed"], report["situations"]);
            let verdict = wrong.clone().unwrap_or_else(|| "right".to_owned());
            println!(
                "{load:>4}  {game:<8}  {name:<42}  {told:<8}  {:>5.0} s  {verdict}",
                begun.elapsed().as_secs_f64()
            );
            rows.lock().unwrap().push(wrong.is_none());
        });
        drop(loops);
        let rows = rows.into_inner().unwrap();
        let right = rows.iter().filter(|right| **right).count();
        println!("{load} busy loops: {right} of {} checks right", rows.len());
        bad += rows.len() - right;
    }
    assert_eq!(bad, 0, "checks that were wrong");
}
