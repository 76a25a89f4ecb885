//! The flags of `ladder`, and what they start.
//!
//! Tested in `tests/ladder/`.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, value_parser};
use zappy_game::config::Clock;
use zappy_ladder::clerk::renew_pages;
use zappy_ladder::host::{Host, Hosting};
use zappy_ladder::lobby::Rules;
use zappy_ladder::names::Tokens;
use zappy_ladder::season::{Season, is_hosted, warn_of_results};
use zappy_ladder::settings::{SeasonWish, refuse_no_ladder};
use zappy_play::Error;
use zappy_play::world::Games;
use zappy_protocol::text::many;
use zappy_server::net;
use zappy_tournament::ladder::{STANDINGS, terminal};
use zappy_tournament::place::read_json;
use zappy_tournament::seeds::Seeds;
use zappy_tournament::variants::asked_otherwise;

use super::commands::{catch_signals, print};
use super::tournament::{TermArgs, plain_terms};

/// The longest table that is read, in bytes.
const LONGEST_TABLE: u64 = 16 << 20;
/// How long a connection may take to send its first line.
const LOGIN_TIME: Duration = Duration::from_secs(10);
/// The most connections that wait at the same time, whether they have logged in or not.
const MOST_WAITING: usize = 8_192;
/// The most connections from one address that haven't logged in: enough for a thousand bots with six connections each
/// behind one proxy.
const MOST_UNNAMED: usize = 6_144;

pub(super) const EXAMPLES: &str = "\
A bot runs where its author likes and connects with NAME:TOKEN as its team's name. It waits in the lobby until there
is an opponent, plays, and may come again. No code of a bot runs here, and every match leaves a record.

Examples:
  Tokens for two bots; each call prints a token, once:
    zappy_arena ladder --folder season --add ada
    zappy_arena ladder --folder season --add bob

  The host, on and on until it is stopped (Ctrl-C); it may be killed at any time and started again:
    zappy_arena ladder --folder season --port 4242

  A bot, on any machine; any program that speaks the protocol:
    ./zappy_ai -h arena.example.org -p 4242 -n ada:TOKEN

What it leaves in DIR, which is a tournament's folder, too:
  index.html   the table: places, ratings; ladder.json: the same for programs
  merged/      who beats whom, every match
  lobby.json   which bots wait and which matches are played, while it is hosted
  names.json   the names, with hashes of their tokens

Exit codes:
  0 it was stopped, or did what it was asked for    1 the arena failed    2 wrong usage";

#[derive(Debug, Args)]
#[command(mut_arg("think_time", |flag| flag.default_value("2000")), mut_arg("lobby_time", |flag| flag.hide(true)))]
pub struct LadderArgs {
    /// The ladder's folder; it is made if it isn't there
    #[arg(long, value_name = "DIR")]
    folder: PathBuf,
    /// Add a bot of this name and print its token, which is told this once
    #[arg(long, value_name = "NAME", group = "task")]
    add: Option<String>,
    /// With --add and --import: such a bot can go on in the middle of a match, with a connection for each player that it had, so a
    /// match between such bots outlives the host
    #[arg(long, requires = "task", conflicts_with_all = ["remove", "list", "table", "merge"])]
    returns: bool,
    /// Remove the bot of this name; its results stay
    #[arg(long, value_name = "NAME", group = "task")]
    remove: Option<String>,
    /// Add the bots that are named first in the lines of this file, and write names and tokens to FILE.tokens
    #[arg(long, value_name = "FILE", group = "task")]
    import: Option<PathBuf>,
    /// List the names
    #[arg(long, group = "task")]
    list: bool,
    /// Print the table and make the pages anew, and host nothing
    #[arg(long, group = "task")]
    table: bool,
    /// Take in what was played in this folder of another host, with its records, make the pages, and host nothing; once per folder
    #[arg(long, value_name = "DIR", group = "task")]
    merge: Vec<PathBuf>,
    /// The port to listen on; 0 takes a free one
    #[arg(short, long, value_name = "PORT", default_value_t = 4242)]
    port: u16,
    /// The address to listen on; 127.0.0.1 for bots on this machine alone
    #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::UNSPECIFIED), value_parser =
          |text: &str| text.parse::<IpAddr>()
              .map_err(|_| "it is no address; 127.0.0.1 is this machine alone, 0.0.0.0 all it has"))]
    bind: IpAddr,
    /// Seconds that a bot's first connection waits for its others, before the bot is paired
    #[arg(long, value_name = "SECONDS", default_value_t = 2.0, value_parser =
          |text: &str| text.parse::<f64>().ok().filter(|number| (0.0..=3_600.0).contains(number))
              .ok_or("the range is 0 to 3600"))]
    gather: f64,
    /// Seconds that a connection waits for a match; after that it is sent away
    #[arg(long, value_name = "SECONDS", default_value_t = 600, value_parser = value_parser!(u64).range(1..=86_400))]
    wait: u64,
    /// Seconds after the start in which the bots of a match that was running have to come back, if they were added with --returns;
    /// after that it is void
    #[arg(long = "return", value_name = "SECONDS", default_value_t = 60, value_parser = value_parser!(u64).range(1..=86_400))]
    patience: u64,
    /// Matches of one bot at the same time; more than one needs a game with one connection per bot
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = value_parser!(u32).range(1..=1_000))]
    at_once: u32,
    /// Bots in a match [default: 2]
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(2..=100))]
    teams: Option<u64>,
    /// In lockstep: seconds that the answers of a bot may take in a match, all together and beyond what is free [default: 120]
    #[arg(long, value_name = "SECONDS", value_parser = value_parser!(u64).range(0..=86_400))]
    bank: Option<u64>,
    /// In lockstep: milliseconds that each answer may take at no cost; with an empty bank a later one is late [default: 500]
    #[arg(long, value_name = "MS", value_parser = value_parser!(u64).range(1..=3_600_000))]
    free: Option<u64>,
    /// Matches can be watched only when they are over: a watcher sees all of the map, and could tell a bot
    #[arg(long)]
    no_watching: bool,
    /// Play the matches of this file and end: a line each, such as {"bots": ["ada", "bob"], "seed": 1}, the bots in the order
    /// of their seats
    #[arg(long, value_name = "FILE")]
    matches: Option<PathBuf>,
    /// Seconds between two tables at least
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = value_parser!(u64).range(1..=86_400))]
    merge_every: u64,
    /// Say more: connections that come and go
    #[arg(short, long, action = clap::ArgAction::Count)]
    pub verbose: u8,
    /// Say nothing but warnings
    #[arg(short, long)]
    pub quiet: bool,
    #[command(flatten)]
    terms: TermArgs,
}

impl LadderArgs {
    /// The settings that the flags ask for.
    fn wish(&self, games: Games) -> Result<SeasonWish, Error> {
        let teams = self.teams.map_or(2, |teams| teams as usize);
        let (terms, flags) = (self.terms.terms(games, teams, &[])?, [self.teams, self.bank, self.free]);
        let game = terms.world.spec.game.name;
        let default = plain_terms(&["ladder", "--folder", ".", "--game", game], games, teams)?;
        let refuse = |what: &str| Err(Error::Flag(what.to_owned()));
        if terms.clock == Clock::Real.name() && flags[1..].iter().any(Option::is_some) {
            return refuse("--bank and --free belong to --clock lockstep; leave them out");
        }
        if self.gather >= self.wait as f64 {
            let what = "--gather isn't shorter than --wait, so that no bot would ever be paired";
            return refuse(&format!("{what}; say --wait with more"));
        }
        Ok(SeasonWish { terms, default, flags, at_once: self.at_once as usize })
    }

    /// Changes or lists the names, if a flag asks for that; false if none does. Flags that say what is played are
    /// refused with such a flag, since they would have no effect.
    fn change_names(&self, games: Games) -> Result<bool, Error> {
        let folder = &self.folder;
        if self.add.is_some() || self.remove.is_some() || self.import.is_some() || self.list {
            let SeasonWish { terms, default, flags, .. } = self.wish(games)?;
            let is_first = games.find(None).is_ok_and(|game| game.name == terms.world.spec.game.name);
            let asked = asked_otherwise(&default, &terms, None, games);
            if !is_first || !asked.is_empty() || flags.iter().any(Option::is_some) {
                let what = "what is played is told to the host";
                let remedy = "leave --game and its flags away where names are changed";
                return Err(Error::Flag(format!("{what}; {remedy}")));
            }
        }
        if let Some(name) = &self.add {
            print(&format!("{name}:{}\n", Tokens::add(folder, name, self.returns)?));
        } else if let Some(name) = &self.remove {
            refuse_no_ladder(folder)?;
            Tokens::remove(folder, name)?;
        } else if let Some(file) = &self.import {
            let (out, count) = Tokens::import(folder, file, self.returns)?;
            let count = many(count as u64, "name");
            print(&format!("{count} added; {} has the tokens, for your eyes alone\n", out.display()));
        } else if self.list {
            refuse_no_ladder(folder)?;
            let names = Tokens::read(folder)?;
            names.iter().for_each(|name| print(&format!("{name}\n")));
            self.warn_without_names(&names);
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    fn warn_without_names(&self, names: &Tokens) {
        if names.iter().next().is_none() {
            let folder = self.folder.display();
            let remedy = format!("zappy_arena ladder --folder {folder} --add NAME adds one");
            log::warn!("no bot has a name in {folder} yet; {remedy}");
        }
    }
}

/// Hosts a ladder, or changes its names; gives the exit code.
///
/// # Errors
/// The reason why it could not be done.
pub fn ladder(args: &LadderArgs, games: Games) -> Result<u8, Error> {
    if args.change_names(games)? {
        return Ok(0);
    }
    let mut signals = catch_signals(None)?;
    if let Some(first) = args.merge.first() {
        Season::begin_like(&args.folder, first)?;
    }
    if args.table {
        refuse_no_ladder(&args.folder)?;
        if is_hosted(&args.folder)? {
            log::info!("the ladder is hosted now; this is the table that its host made last");
            return print_table(&args.folder);
        }
    }
    let wish = args.wish(games)?;
    // Listens before the folder is changed, which stays as it is if that fails.
    let is_host = !args.table && args.merge.is_empty();
    let listen = || net::bind(SocketAddr::new(args.bind, args.port));
    let listener =
        is_host.then(listen).transpose().map_err(|error| Error::Flag(format!("--port: {error}")))?;
    let mut season = Season::open(&args.folder, &wish, games)?;
    let names = Tokens::read(&args.folder)?;
    season.note_names(&names.iter().map(str::to_owned).collect::<Vec<_>>())?;
    warn_of_results(&season.place, &season.tournament);
    let Some(listener) = listener else {
        if !args.table {
            let count = season.merge(&args.merge, games)?;
            log::info!("{} taken in", many(count as u64, "match"));
        }
        season.warn_of_records();
        renew_pages(season.place.path(), &season.tournament, games)?;
        return print_table(season.place.path());
    };
    args.warn_without_names(&names);
    let drawn = Seeds::draw(1).map_err(|error| Error::System("can't draw a seed", error))?;
    let rules = Rules {
        teams: season.teams,
        slots: season.terms.world.slots,
        at_once: wish.at_once,
        gather_time: Duration::from_secs_f64(args.gather),
        wait_time: Duration::from_secs(args.wait),
        login_time: LOGIN_TIME,
        most_waiting: MOST_WAITING,
        most_unnamed: MOST_UNNAMED,
        seed: drawn.sealed()[0],
    };
    let [merge_every, patience] = [args.merge_every, args.patience].map(Duration::from_secs);
    let (fixture_list, is_watchable) = (args.matches.clone(), !args.no_watching);
    let hosting = Hosting { rules, fixture_list, is_watchable, merge_every, patience };
    let host = Host::open(season, listener, hosting, games)?;
    log::info!("listening on {}", host.address());
    print(&format!("listening on {}\n", host.address()));
    host.run(|| signals.stops() > 0)?;
    print_table(&args.folder)
}

/// Prints the table that lies in the folder; gives the exit code.
fn print_table(folder: &Path) -> Result<u8, Error> {
    print(&terminal(&read_json(&folder.join(STANDINGS), LONGEST_TABLE)?));
    Ok(0)
}
