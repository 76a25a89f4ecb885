//! The flags of `check`.
//!
//! Tested in `tests/check.rs`.

use std::path::Path;

use clap::Args;
use zappy_check::{Check, CheckedGame, FIRST_GAME, GAMES, Situation};
use zappy_play::Error;
use zappy_play::programs::command::Template;
use zappy_play::programs::environment::Added;
use zappy_play::programs::process::SpawnOptions;
use zappy_play::world::Games;
use zappy_tournament::grading::command::{ForAll, Names, command_after_build, find};
use zappy_tournament::grading::situations::{RULES, check_of};

pub(super) const EXAMPLES: &str = "\
Starts one process of the bot in crafted situations, one after the other, under the
rules of the real server and the lockstep clock: lines that come byte by byte, shouts
between a command and its answer, incantations that fail, a server that closes. What it
does wrong is said in words, with what was said last and the chapter of the manual that
explains it. A situation is `untold` when something else went wrong in it first. What the
bot never does (lay an egg, say) is no mistake: it passes, with a note.

A pass means that none of these mistakes was seen. It doesn't mean that the bot plays well.

In a transcript, `bot -> Look` is what the bot sent and `bot <- ok` what it was sent; bot/2 is
its second connection; `bot ?  no food lies here` tells you, not the bot, why a `ko` came.

The command is what `match` takes, without the team: {host}, {port}, {team} and {seed} in
it are filled in; without the first three, -p PORT -n TEAM -h HOST is appended.

Examples:
  Everything:
    zappy_arena check 'python3 my_bot.py'

  A folder as it would be handed in, which says itself how its bot is started:
    zappy_arena check ./my_bot_folder

  What failed, again, while you mend it:
    zappy_arena check './my_bot -p {port} -n {team}' --only messages --only ejected

  What there is:
    zappy_arena check --list

  A bot that plays another game:
    zappy_arena check --game NAME ./my_bot

  As the official server plays, which takes one word from a Broadcast and keeps a \r:
    zappy_arena check ./my_bot --rules official

  For a program to read:
    zappy_arena check ./my_bot --json

Exit codes:
  0 all passed    1 the arena failed    2 wrong usage
  3 the bot failed a situation, or couldn't be judged in one    130 interrupted";

/// Width and height, in tiles, of a map that fits any game; each situation has a map of its own.
const SIDES: (u16, u16) = (20, 20);

#[derive(Debug, Args)]
pub struct CheckArgs {
    /// The command of the bot: as one word, or as several if none of them is a flag; or the folder that would be handed in
    #[arg(value_name = "BOT", required_unless_present = "list")]
    bot: Vec<String>,
    /// Only this situation; may be given several times
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
    /// The game to be played
    #[arg(long, value_name = "GAME", default_value = FIRST_GAME)]
    game: String,
    /// Which rules are played; of Zappy: subject; official, as the official server 3.0.1 plays; strict; of conquest: classic; arena
    #[arg(long)]
    rules: Option<String>,
    /// Name the situations and what each asks for, and check nothing
    #[arg(long)]
    pub list: bool,
    #[command(flatten)]
    added: Added,
    /// Say it as JSON
    #[arg(long)]
    pub json: bool,
    /// Also say how long each situation took, and what was said before one couldn't be judged
    #[arg(short, long)]
    pub verbose: bool,
    /// The process that stands by
    #[arg(long, value_name = "PID", hide = true)]
    pub kept_by: Option<i32>,
}

impl CheckArgs {
    /// The game that is asked for, with its situations.
    ///
    /// # Errors
    /// There is no such game.
    pub fn checked_game(&self) -> Result<&'static CheckedGame, Error> {
        let names: Vec<&str> = GAMES.iter().map(|game| game.name).collect();
        GAMES.iter().find(|game| game.name == self.game).ok_or_else(|| {
            Error::Flag(format!("--game: bots are checked for {}, not for {:?}", names.join(", "), self.game))
        })
    }

    /// The check that the flags ask for.
    ///
    /// # Errors
    /// The first thing that is wrong, with its remedy.
    pub fn check(&self, games: Games) -> Result<Check, Error> {
        let launcher = zappy_tournament::worker::own_program()?;
        let game = self.checked_game()?;
        let is_known = |name: &String| game.situations.iter().any(|situation| situation.name == name);
        if let Some(name) = self.only.iter().find(|name| !is_known(name)) {
            return Err(Error::NoSituation(name.clone(), self.game.clone()));
        }
        let is_wanted = |situation: &&Situation| {
            self.only.is_empty() || self.only.iter().any(|name| name == situation.name)
        };
        let bot = match &self.bot[..] {
            [command] => command.clone(),
            words => shlex::try_join(words.iter().map(String::as_str)).unwrap_or_default(),
        };
        let rules = self.rules.iter().map(|rules| (RULES, rules.as_str()));
        let world = games.world(Some(game.name), rules, SIDES);
        let world = world.map_err(|error| Error::Flag(format!("--rules: {error}")))?;
        let names = Names::of(&world);
        let folder = Some(Path::new(&bot)).filter(|folder| folder.is_dir()).map(std::path::absolute);
        let folder = folder.transpose().map_err(|error| Error::File(bot.clone().into(), error))?;
        let spawn = SpawnOptions { environment: self.added.values()?, folder, ..SpawnOptions::default() };
        let bot = match &spawn.folder {
            Some(folder) => {
                let wrong = |what: String| Error::Flag(format!("{}: {what}", folder.display()));
                let found = find(folder, names, ForAll::default()).map_err(wrong)?;
                let ready = found.command.map_or_else(|| command_after_build(folder, names), Ok).and_then(
                    |command| {
                        let bot = Template::parse_in("its command", &command, folder);
                        let bot = bot.and_then(|bot| bot.with_script("its command", folder));
                        bot.map_err(|error| error.to_string())
                    },
                );
                // A build isn't run here: its results must be there.
                let unbuilt = |what| match &found.build {
                    Some(build) => wrong(format!("{what}; if it isn't built yet, run {build} there first")),
                    None => wrong(what),
                };
                ready.map_err(unbuilt)?.written(&bot)
            }
            None => Template::parse("BOT", &bot)?.with_script("BOT", Path::new(""))?,
        };
        let situations = game.situations.iter().filter(is_wanted).collect();
        Ok(check_of((bot, spawn), launcher, &world, situations))
    }
}
