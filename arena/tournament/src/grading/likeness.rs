//! Whether a graded bot is one of its opponents, or the client that comes with the arena, under another name.
//!
//! By content: the graded bot's command starts the opponent's program, to the byte, and all files of the opponent lie
//! beside it; or most of the code of our client lies somewhere in its files, or was seen to run in a match. By play: in
//! two matches on one seed, in which the two bots change seats and teams are called by their seats, every player of
//! each seat sends the same first lines, and the matches end alike. An honest bot that plays like another one for a
//! while isn't taken for it; a copy that was changed to play otherwise isn't recognised. Starts nothing and changes
//! nothing. Tested in `arena/cli/tests/tournament/likeness.rs`.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use zappy_play::code::Code;
use zappy_play::folder::RECORD;
use zappy_play::signature;
use zappy_protocol::Tick;
use zappy_protocol::record::{Entry, RecordLine, Seat, read_head, whole_lines};
use zappy_server::files;
use zappy_server::record::read_file;

use super::grade::GRADED;
use crate::Error;
use crate::bots::{Book, Bot};
use crate::identity::Id;
use crate::outcome::Outcome;
use crate::place::Place;
use crate::plan::{Planned, Terms};
use crate::seeds::Seed;

/// How many first lines of each player are compared.
const COMPARED_LINES: usize = 200;
/// The least number of compared lines of all players in a match that can show a likeness.
const LEAST_LINES: usize = 200;
/// The last tick of a match against a level of our client that is no opponent: by then enough lines were sent.
const SHORT_MATCH: Tick = 1_500;
/// The largest file that is compared, in bytes.
const LARGEST_FILE: u64 = 256 << 20;

/// The name of the opponent, or of the client that comes with the arena (`client`), of which the graded bot is a copy
/// by its files.
pub fn by_content(book: &Book, client: Option<&Path>) -> Option<String> {
    let (graded, opponents) = (&book.bots[GRADED], &book.bots[GRADED + 1..]);
    let (started, all) = (contents(&graded.command_files()), graded.files());
    if let Some(client) = client.filter(|client| Code::read(client).is_some_and(|client| client.is_in(&all)))
    {
        return name_of(client);
    }
    let hashes =
        |contents: Vec<Vec<u8>>| contents.iter().map(|bytes| signature::hash(bytes)).collect::<HashSet<_>>();
    let (started, all) = (hashes(started), hashes(contents(&all)));
    let same = |opponent: &&Bot| {
        let theirs = hashes(contents(&opponent.files()));
        !started.is_disjoint(&theirs) && theirs.is_subset(&all)
    };
    opponents.iter().find(same).map(|opponent| opponent.name.clone())
}

fn name_of(program: &Path) -> Option<String> {
    program.file_name().map(|name| name.to_string_lossy().into_owned())
}

/// The name of the client that comes with the arena, if the graded bot ran it in one of these matches.
pub fn by_running(place: &Place, book: &Book, plan: &[Planned], client: Option<&Path>) -> Option<String> {
    let graded = book.bots[GRADED].id;
    let ran = |planned: &Planned| {
        let teams = place.arena_result(planned.id).and_then(|result| result.arena).map(|arena| arena.teams);
        let mut teams = planned.seats.iter().zip(teams.into_iter().flatten());
        teams.any(|(seat, team)| *seat == graded && team.runs_client)
    };
    client.filter(|_| plan.iter().any(ran)).and_then(name_of)
}

fn contents(paths: &[PathBuf]) -> Vec<Vec<u8>> {
    paths.iter().filter_map(|path| files::read(path, LARGEST_FILE).ok()).collect()
}

/// The book and the plan with a pair of matches on that seed for each of these opponents, and a short pair for each of
/// these levels of our client. In a pair the graded bot and the other one change seats. Teams are called by their
/// seats, so that equal programs are sent the same lines. No bot may see the files in `out`.
pub fn mirrored(
    book: &Book,
    opponents: &[Id],
    levels: &[Bot],
    (seed, terms): (&Seed, &Terms),
    out: &Path,
) -> (Book, Vec<Planned>) {
    let graded = book.bots[GRADED].id;
    let short = Terms { max_ticks: terms.max_ticks.min(SHORT_MATCH), ..terms.clone() };
    let met = book.bots.iter().filter(|bot| opponents.contains(&bot.id)).map(|bot| (bot, terms));
    // In a match of fewer ticks no player can send as many lines as are compared.
    let levels = levels
        .iter()
        .filter(|level| book.bot(level.id).is_none() && short.max_ticks > COMPARED_LINES as Tick);
    let met: Vec<(&Bot, &Terms)> = met.chain(levels.map(|level| (level, &short))).collect();
    let pair = |(other, terms): &(&Bot, &Terms)| {
        [[graded, other.id], [other.id, graded]]
            .map(|seats| Planned::new(seats.into(), other.id, seed, terms))
    };
    let plan = met.iter().flat_map(pair).collect();
    let named = |bot: &Bot| Bot { name: "team".to_owned(), ..bot.clone() };
    let bots = [&book.bots[GRADED]].into_iter().chain(met.iter().map(|(bot, _)| *bot)).map(named).collect();
    let hidden = book.hidden.iter().cloned().chain([out.to_path_buf()]).collect();
    (Book { version: 1, bots, hidden }, plan)
}

/// The id of the bot that plays as the graded one does in both matches of a [`mirrored`] pair; `None` if no bot does.
///
/// # Errors
/// A result can't be read.
pub fn by_matches(place: &Place, plan: &[Planned]) -> Result<Option<Id>, Error> {
    // A match that was disturbed shows no likeness.
    let certain =
        |outcome: &Outcome| outcome.reproducible && !outcome.is_disturbed() && outcome.cause.counts();
    let end = |outcome: &Outcome| (outcome.ticks, outcome.winner, outcome.winners.clone());
    let is_enough = |lines: &FirstLines| lines.iter().flatten().map(Vec::len).sum::<usize>() >= LEAST_LINES;
    for pair in plan.chunks_exact(2).filter(|pair| pair.iter().all(|one| place.result(one.id).exists())) {
        let outcomes = [place.outcome(pair[0].id)?, place.outcome(pair[1].id)?];
        if !outcomes.iter().all(certain) || end(&outcomes[0]) != end(&outcomes[1]) {
            continue;
        }
        let [one, other] = [0, 1].map(|i| first_lines(&place.match_folder(pair[i].id).join(RECORD)));
        if one.as_ref().is_some_and(is_enough) && one == other {
            return Ok(Some(pair[1].seats[0]));
        }
    }
    Ok(None)
}

/// For each team, in the order of seats, for each of its players the first lines that it sent.
type FirstLines = Vec<Vec<Vec<Vec<u8>>>>;

/// The first lines in a record; `None` if it can't be read.
fn first_lines(record: &Path) -> Option<FirstLines> {
    let bytes = read_file(record).ok()?;
    let head = read_head(&bytes).ok()?;
    let mut seats: Vec<(usize, Vec<Vec<u8>>)> = Vec::new();
    for line in whole_lines(&bytes[head.bytes..]) {
        match RecordLine::parse(line) {
            Ok(RecordLine::Event(_, Entry::Admitted(_, name))) => {
                let team = head.header.teams.iter().position(|team| team.as_str().as_bytes() == name);
                seats.push((team?, Vec::new()));
            }
            Ok(RecordLine::Event(_, Entry::Received(Seat::Number(number), line))) => {
                let (_, lines) = seats.get_mut(number as usize)?;
                if lines.len() < COMPARED_LINES {
                    lines.push(line);
                }
            }
            _ => {}
        }
    }
    let mut teams: FirstLines = vec![Vec::new(); head.header.teams.len()];
    seats.into_iter().for_each(|(team, lines)| teams[team].push(lines));
    // Which program of a team plays which player depends on chance, so the order of players is left out.
    teams.iter_mut().for_each(|team| team.sort());
    Some(teams)
}
