//! The flags of `league`, and what they start.
//!
//! Tested in `tests/league/`.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, value_parser};
use zappy_check::GAMES;
use zappy_play::Error;
use zappy_play::display::Display;
use zappy_play::programs::fence;
use zappy_play::programs::missing;
use zappy_play::programs::sandbox::Containment;
use zappy_play::world::Games;
use zappy_tournament::league::League;
use zappy_tournament::league::round::VERSIONS;
use zappy_tournament::league::run::{CallSettings, Until};
use zappy_tournament::league::settings::{Checks, Pairing, SETTINGS, Wish};
use zappy_tournament::merge::REPLAYS;
use zappy_tournament::run::{INTERRUPTED, Shard};

use super::commands::{FAILED, REFUSED, catch_signals, print};
use super::grade::KINDS;
use super::tournament::{PlayingArgs, TermArgs, plain_terms};

/// The end of the help.
pub(super) fn examples() -> String {
    EXAMPLES.replace("{KINDS}", KINDS)
}

const EXAMPLES: &str = "\
Each folder DIR/bots/NAME is a bot. How it is built and started is said by the first of:
{KINDS}
A folder whose name begins with a dot is still on its way there: copy to DIR/bots/.NAME, then rename it to
DIR/bots/NAME, or the league may take half of it. Blanks and @ in a name become _ in the bot's.

A new bot, or a new version of one (any file has changed), is copied, built in the walls
that matches have, checked as by zappy_arena check, and played against the field; what was played is never played again.
One that fails its check doesn't enter, and an older version of it plays on; the author finds the report in
the bot's folder, in check-report.txt. A bot whose folder is removed leaves.

Without --once it goes on until it is stopped (Ctrl-C) and looks for new versions after each
round. It may be killed at any time: call it again and it goes on.
What the first call says of matches, pairing and checks holds for the league; leave those flags away later.

Examples:
  Everybody against everybody, on and on:
    zappy_arena league season

  What is missing now, and no more; for cron:
    zappy_arena league season --once

  The bot of which least is known plays next:
    zappy_arena league season --pairing swiss --seeds 30

  A round on a cluster: plan it, play it in parts, plan the next one, which sums it up:
    zappy_arena league season --plan
    zappy_arena tournament run season --shard 2/4

What it leaves in DIR, which is a tournament's folder, too:
  index.html      the table: places, ratings, what changed and why, history
  standings.json  the same for programs
  merged/         the tournament's page: who beats whom, every match
  rounds/         what was planned, round by round; standings/: the table after each

Exit codes:
  0 nothing is missing, or it was stopped between two rounds    1 the arena failed    2 wrong usage
  3 fewer than two bots could enter, or with --strict: a bot misbehaved    130 stopped in a round";

#[derive(Debug, Args)]
pub struct LeagueArgs {
    /// The league's folder, with a folder bots in it
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Play what is missing and end, instead of going on until it is stopped
    #[arg(long)]
    once: bool,
    /// Sum up what was played and plan the next round, and play nothing
    #[arg(long, conflicts_with = "once")]
    plan: bool,
    /// Which bots meet [default: round-robin; with --against gauntlet]
    #[arg(long, value_name = "HOW", value_enum)]
    pairing: Option<Pairing>,
    /// All others meet the bots in the folders of these names, and no other bots; once per name
    #[arg(long, value_name = "NAME")]
    against: Vec<String>,
    /// Seeds that two bots play, each in both seats; with swiss, seeds that a version plays in all
    /// [default: 5; swiss 20, knockout 3]
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=100_000))]
    seeds: Option<u32>,
    /// The first of seeds that every program may know, for experiments [default: sealed seeds, told by the results
    /// alone]
    #[arg(long, value_name = "SEED")]
    first: Option<u64>,
    /// Seconds between two renewals of the page while matches are played
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = value_parser!(u64).range(1..=86_400))]
    merge_every: u64,
    /// Seconds for which a bot's files must have been the same before it is taken, while the league goes on
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = value_parser!(u64).range(0..=86_400))]
    settle: u64,
    /// How many matches can be watched from the tournament's page, the first ones, if make web has built the viewer
    #[arg(long, value_name = "N", default_value_t = REPLAYS)]
    replays: usize,
    /// What a new version must pass of zappy_arena check: only this situation; may be given several times [default: all]
    #[arg(long, value_name = "NAME")]
    check: Vec<String>,
    /// Let bots in without a check
    #[arg(long, conflicts_with = "check")]
    no_check: bool,
    #[command(flatten)]
    terms: TermArgs,
    #[command(flatten)]
    pub playing: PlayingArgs,
}

impl LeagueArgs {
    /// The settings that the flags ask for.
    fn wish(&self, games: Games) -> Result<Wish, Error> {
        let terms = self.terms.terms(games, 2, &[])?;
        let default = plain_terms(&["league", ".", "--game", terms.world.spec.game.name], games, 2)?;
        Ok(Wish {
            pairing: self.pairing,
            against: self.against.clone(),
            seeds: self.seeds,
            first: self.first,
            checks: self.checks()?,
            terms,
            default,
        })
    }

    /// The situations that bots must pass, if a flag names them.
    fn checks(&self) -> Result<Option<Checks>, Error> {
        let is_known =
            |name: &String| GAMES.iter().flat_map(|game| game.situations).any(|one| one.name == name);
        if let Some(name) = self.check.iter().find(|name| !is_known(name)) {
            let words = format!("there is no situation {name:?}; zappy_arena check --list names them");
            return Err(Error::Flag(format!("--check: {words}")));
        }
        let names: BTreeSet<String> = self.check.iter().cloned().collect();
        let only = (!names.is_empty()).then(|| Checks::Only(names.into_iter().collect()));
        Ok(if self.no_check { Some(Checks::None) } else { only })
    }
}

/// Plays a league; gives the exit code.
///
/// # Errors
/// The reason why it could not be done.
pub fn league(args: &LeagueArgs, games: Games) -> Result<u8, Error> {
    let mut signals = catch_signals(None)?;
    let wish = args.wish(games)?;
    let call = CallSettings {
        merge_every: Duration::from_secs(args.merge_every),
        settle: Duration::from_secs(args.settle),
        replays: args.replays,
    };
    // Tested before anything is written or played: without Landlock no bot could pass its check.
    let can_check = |checks: &Checks| {
        if *checks == Checks::None || args.playing.containment()? == Containment::None {
            return Ok(());
        }
        let remedy = "begin a league with --no-check, which lets them in";
        let words = |why| format!("--check: bots are checked in Landlock, and {why}; {remedy}");
        fence::find().map(|_| ()).map_err(|why| Error::Flag(words(why)))
    };
    if !args.folder.join(SETTINGS).exists() {
        can_check(&wish.checks.clone().unwrap_or_default())?;
    }
    let mut league = League::open(&args.folder, &wish, call, games)?;
    can_check(&league.dealer.settings.checks)?;
    let mut run = args.playing.run(league.place()?, Shard::default(), games)?;
    missing::tell(run.containment, &run.place.path().join(VERSIONS));
    // A bot that can't be started loses its matches, and the others go on playing.
    run.keep_going = true;
    let until = match (args.once, args.plan) {
        (true, _) => Until::Complete,
        (_, true) => Until::Planned,
        _ => Until::Stopped,
    };
    let mut display = Display::new(args.playing.quiet);
    let summary = league.play(&run, until, &mut signals, &mut display)?;
    drop(display);
    print(&summary.text);
    if summary.interrupted {
        log::warn!("interrupted; call it again and it goes on");
        return Ok(INTERRUPTED);
    }
    Ok(match summary.failed {
        0 if summary.alone && until != Until::Stopped => REFUSED,
        0 if args.playing.strict && summary.misbehaved => REFUSED,
        0 => 0,
        _ => FAILED,
    })
}
