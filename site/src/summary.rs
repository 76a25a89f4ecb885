//! The result of a match in a line, read from the files that the arena and its server left.
//!
//! Reads a bounded part of each file, and leaves out what it can't read. Never shows a seed, a command or a path.
//! Tested in `tests/site/pages.rs`.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use zappy_game::Length;
use zappy_game::config::Clock;
use zappy_play::folder::{RECORD, RECORDS, RESULT, RESULTS};
use zappy_play::result::{ArenaResult, Told};
use zappy_play::server;
use zappy_play::signature::Hash;
use zappy_protocol::commentary::Retells;
use zappy_protocol::record::{HEAD_BYTES, Header, RecordLevel, RecordLine, read_footer, read_head};
use zappy_protocol::text::{duration, many};
use zappy_protocol::{DEFAULT_FREQUENCY, Tick};
use zappy_server::files::Bounded;
use zappy_server::games::GameTable;
use zappy_server::record;
use zappy_server::result::Configuration;
use zappy_tournament::bots::Book;
use zappy_tournament::identity::Id;
use zappy_tournament::ladder::{self, LadderStandings, LobbyState};
use zappy_tournament::league::standings::{STANDINGS, Standings};
use zappy_tournament::place::BOTS;

use crate::league;
use crate::match_state;
use crate::root::{Facts, Root};
use crate::trust::{self, RECORD_EXTENSION};

/// The longest result of a match that is read.
const RESULT_BYTES: u64 = 4 << 20;
/// The longest record that is retold for its page.
pub const RETOLD_BYTES: u64 = 16 << 20;
/// The longest record that is sent.
const RECORD_BYTES: u64 = 512 << 20;
/// The longest record of inputs that is played again.
const INPUTS_BYTES: u64 = 64 << 20;
/// The longest results of a series that are read.
const SERIES_BYTES: u64 = 64 << 20;
/// Matches of a series that are shown.
const SERIES_MATCHES: usize = 1_000;
/// The longest list of a tournament's bots that is read.
const BOOK_BYTES: u64 = 16 << 20;
/// The longest standings of a league that are read.
const STANDINGS_BYTES: u64 = 32 << 20;

/// What came of a match.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Summary {
    /// The game, and how large its map was.
    pub game: String,
    /// The teams, the best first.
    pub teams: Vec<Team>,
    /// Why it is over, in words.
    pub how: String,
    /// Whether a lot put the first team before the second, since nothing else did: a draw.
    pub by_lot: bool,
    /// How long it lasted, in words; empty if that isn't known.
    pub length: String,
    /// Whether it can be watched.
    pub has_record: bool,
}

/// A team of a match, or its bot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Team {
    pub name: String,
    pub won: bool,
    /// Its score in the game's own unit, if it is known.
    pub score: Option<i64>,
}

impl Team {
    /// A team of which only the name is known.
    pub fn named(name: &impl ToString) -> Team {
        Team { name: name.to_string(), won: false, score: None }
    }
}

/// What came of the match in a folder, by its result, or by its record if there is no result.
#[must_use]
pub fn of_match(root: &Root, games: GameTable, at: &Path) -> Summary {
    let result = root.read_own(at, RESULT, RESULT_BYTES).ok();
    let result: Option<ArenaResult> = result.and_then(|text| serde_json::from_slice(&text).ok());
    let summary = result.map_or_else(|| of_record(root, games, at), |result| of_result(games, &result));
    Summary { has_record: has_record(root, at), ..summary }
}

fn has_record(root: &Root, at: &Path) -> bool {
    root.record(at).is_some_and(|(path, _)| root.has_file(&path))
}

fn of_result(games: GameTable, result: &ArenaResult) -> Summary {
    match &result.told {
        Told::Whole(played) => {
            let team = |name: &String| Team {
                name: name.clone(),
                won: played.winners.contains(name) && !played.by_lot,
                score: played.teams.iter().find(|team| team.name == *name).map(|team| team.score),
            };
            let Configuration { clock, frequency, .. } = &played.configuration;
            Summary {
                game: game_and_map(&played.game, played.configuration.width, played.configuration.height),
                teams: played.ranking.iter().map(team).collect(),
                how: reason(games, &played.game, &played.reason),
                by_lot: played.by_lot && !played.winners.is_empty(),
                length: length(zappy_play::table::length(played), clock, *frequency),
                has_record: false,
            }
        }
        Told::Nothing(nothing) => {
            let teams = result.arena.iter().flat_map(|arena| &arena.teams);
            Summary {
                teams: teams.map(|team| Team::named(&team.team)).collect(),
                how: nothing.reason.to_string().replace('_', " "),
                ..Summary::default()
            }
        }
    }
}

/// A game and the size of its map, in words.
fn game_and_map(game: &str, width: u16, height: u16) -> String {
    format!("{game}, {width} by {height} tiles")
}

/// Why a match ended, in the words of its game; `word` itself if the game isn't known.
fn reason(games: GameTable, game: &str, word: &str) -> String {
    games.iter().find(|known| known.name == game).map_or(word, |game| game.reason(word)).to_owned()
}

/// How long a match lasted, for people: its turns, or the time that its ticks take, in lockstep at the default
/// frequency.
fn length(played: Length, clock: &str, frequency: u32) -> String {
    let Length::Ticks(ticks) = played else { return played.to_string() };
    let rate = if clock == Clock::Lockstep.name() { DEFAULT_FREQUENCY } else { frequency };
    duration(ticks, rate)
}

/// What a record says of its match.
#[must_use]
pub fn of_record(root: &Root, games: GameTable, at: &Path) -> Summary {
    let Some((path, _)) = root.record(at) else { return Summary::default() };
    let Some((file, facts)) = open(root, &path) else { return Summary::default() };
    let Some(header) = header(&file) else { return Summary::default() };
    let footer = footer(&file, facts).ok().flatten();
    let winners = footer.as_ref().map_or(&[][..], |footer| &footer.winners);
    let by_ticks = !games.iter().any(|game| game.name == header.game && game.rate.is_some());
    let team = |team| Team { won: winners.contains(team), ..Team::named(team) };
    Summary {
        teams: header.teams.iter().map(team).collect(),
        how: footer.as_ref().map_or_else(String::new, |footer| reason(games, &header.game, &footer.reason)),
        // A record's footer names the last tick, and a turn may take any number of ticks.
        length: footer.as_ref().filter(|_| by_ticks).map_or_else(String::new, |footer| {
            length(Length::Ticks(footer.tick), &header.clock, header.frequency)
        }),
        game: game_and_map(&header.game, header.map.width(), header.map.height()),
        has_record: footer.is_some(),
        by_lot: false,
    }
}

/// Why a match ended as it did, in a few sentences; empty if it hasn't, or if its record has more than
/// [`RETOLD_BYTES`].
#[must_use]
pub fn why(root: &Root, at: &Path) -> Vec<String> {
    let record = root.record(at).and_then(|(path, _)| root.read(&path, RETOLD_BYTES).ok());
    record
        .and_then(|record| retell(&record, |_, _, _| ()))
        .map(|retelling| retelling.why())
        .unwrap_or_default()
}

/// Retells a match that is over; `look` is called after each event, with its tick and the last tick of the match.
/// `None` if the record has no end, or its game can't be retold.
pub fn retell(record: &[u8], mut look: impl FnMut(&dyn Retells, Tick, Tick)) -> Option<Box<dyn Retells>> {
    let head = read_head(&record[..record.len().min(HEAD_BYTES)]).ok()?;
    let part = |from: u64, to: u64| Ok::<_, io::Error>(record[from as usize..to as usize].to_vec());
    let end = read_footer(record.len() as u64, part).ok()??.tick;
    let mut retelling = match_state::retelling(&head.header)?;
    for line in record.split(|&byte| byte == b'\n') {
        let Ok(line) = RecordLine::parse(line) else { continue };
        let tick = if let RecordLine::Event(tick, _) = line { Some(tick) } else { None };
        retelling.take(line);
        if let Some(tick) = tick {
            look(&*retelling, tick, end);
        }
    }
    Some(retelling)
}

fn open(root: &Root, at: &Path) -> Option<(File, Facts)> {
    Some((root.file(at).ok()?, root.facts(at).ok()?))
}

/// The header in the record of a match that runs; `None` as long as it isn't written.
#[must_use]
pub fn running_header(root: &Root, folder: &Path) -> Option<Header> {
    header(&root.file(&folder.join(RECORD)).ok()?)
}

/// The last tick in the growing record of a match that is being played, if there is one yet.
pub fn reached(root: &Root, folder: &Path) -> Option<Tick> {
    server::reached(root.file(&folder.join(RECORD)).ok()?)
}

fn header(file: &File) -> Option<Header> {
    let mut head = Vec::new();
    file.take(HEAD_BYTES as u64).read_to_end(&mut head).ok()?;
    Some(read_head(&head).ok()?.header)
}

fn footer(file: &File, facts: Facts) -> io::Result<Option<zappy_protocol::record::Footer>> {
    read_footer(facts.length, |from, to| {
        let mut bytes = vec![0; usize::try_from(to - from).unwrap_or(0)];
        file.read_exact_at(&mut bytes, from)?;
        Ok(bytes)
    })
}

/// A record that can be watched.
#[derive(Debug)]
pub struct Watchable {
    pub path: PathBuf,
    pub level: RecordLevel,
    /// Its hash; `None` if the operator vouches for it.
    pub hash: Option<Hash>,
}

impl Watchable {
    /// Writes the full record: one of inputs is played again by the rules, which proves it.
    ///
    /// # Errors
    /// The record is too long, has another hash, or can't be read or played again, or `out` fails.
    pub fn write(self, file: File, games: GameTable, out: &mut dyn Write) -> io::Result<()> {
        if self.level == RecordLevel::Full {
            return trust::copy((file, self.hash), RECORD_BYTES, out);
        }
        let mut inputs = Vec::new();
        trust::copy((file, self.hash), INPUTS_BYTES, &mut inputs)?;
        let out = Bounded::new(out, RECORD_BYTES);
        record::expand(&inputs, games, RecordLevel::Full, out).map(|_| ()).map_err(io::Error::other)
    }
}

/// The record of a match that can be watched; `None` before the match is over, since the record's first lines hold the
/// seed.
#[must_use]
pub fn watchable(root: &Root, at: &Path) -> Option<Watchable> {
    let (path, hash) = root.record(at)?;
    let (file, facts) = open(root, &path)?;
    let is_over = footer(&file, facts).ok()?.is_some()
        || path.file_name().is_some_and(|name| name == RECORD) && root.has_file(&path.with_file_name(RESULT));
    let level = is_over.then(|| header(&file)).flatten()?.level;
    Some(Watchable { path, level, hash })
}

/// The matches of a series, as the path of each record and what came of it; and whether there are more than are read.
#[must_use]
pub fn of_series(root: &Root, games: GameTable, at: &Path) -> (Vec<(PathBuf, Summary)>, bool) {
    let Ok(results) = root.read_own(at, RESULTS, SERIES_BYTES) else { return (Vec::new(), true) };
    let mut lines = results.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
    let matches = lines.by_ref().take(SERIES_MATCHES).filter_map(|line| {
        let result: ArenaResult = serde_json::from_slice(line).ok()?;
        let record = at.join(RECORDS).join(format!("{}.{RECORD_EXTENSION}", result.played()?.seed));
        let has_record = has_record(root, &record);
        Some((record, Summary { has_record, ..of_result(games, &result) }))
    });
    (matches.collect(), lines.next().is_some())
}

/// A league's standings; `None` if it has written none that can be drawn.
#[must_use]
pub fn of_league(root: &Root, at: &Path) -> Option<Standings> {
    let text = root.read_own(at, STANDINGS, STANDINGS_BYTES).ok()?;
    serde_json::from_slice(&text).ok().filter(league::is_sound)
}

/// A ladder's table and its lobby, as its host wrote them last; `None` without a table. A lobby without a file is
/// empty.
#[must_use]
pub fn of_ladder(root: &Root, at: &Path) -> Option<(LadderStandings, LobbyState)> {
    let read = |name| root.read_own(at, name, STANDINGS_BYTES).ok();
    let standings = serde_json::from_slice(&read(ladder::STANDINGS)?).ok()?;
    let lobby = read(ladder::LOBBY).and_then(|text| serde_json::from_slice(&text).ok());
    Some((standings, lobby.unwrap_or_default()))
}

/// What the pages show of a tournament.
#[derive(Debug)]
pub struct Tournament {
    /// Its matches that have a result, as their folders with the moments of their results, the newest first.
    pub matches: Vec<(SystemTime, PathBuf)>,
    /// How many bots it has; 0 if their list can't be read.
    pub bots: usize,
}

impl Tournament {
    /// Reads the tournament in a folder, as far as it can be read.
    #[must_use]
    pub fn read(root: &Root, at: &Path) -> Tournament {
        let book: Option<Book> =
            root.read_own(at, BOTS, BOOK_BYTES).ok().and_then(|text| serde_json::from_slice(&text).ok());
        let folder = at.join("results");
        let results = root.list(&folder).unwrap_or_default();
        let matches = results.iter().filter_map(|entry| {
            let id = Id::parse(entry.name.to_str()?.strip_suffix(".json")?)?;
            let when = root.facts(&folder.join(&entry.name)).ok().filter(|facts| !facts.is_folder)?.when;
            Some((when, at.join("matches").join(id.to_string())))
        });
        let mut matches: Vec<_> = matches.collect();
        matches.sort_by(|a, b| b.cmp(a));
        Tournament { matches, bots: book.map_or(0, |book| book.bots.len()) }
    }

    /// How many bots it has and how many matches were played, in words.
    #[must_use]
    pub fn progress(&self) -> String {
        format!("{}, {} played", many(self.bots as u64, "bot"), many(self.matches.len() as u64, "match"))
    }
}
