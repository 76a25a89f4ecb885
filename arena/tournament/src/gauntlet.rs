//! A bot that is to be graded, and the row of its opponents.
//!
//! Starts nothing. Mistakes of the opponents, which the grader has to mend, have other errors than those of the bot, which its
//! author has to mend. Tested in `arena/cli/tests/tournament/grade.rs` and `arena/cli/tests/class/`.

use std::path::{Path, PathBuf};

use zappy_play::world::Guest;

use super::Error;
use super::bots::{
    Book, Bot, BotSpec, BotsFile, Limits, NAME_REMEDY, check_bot, decode, is_name, load, make_absolute,
};

/// The bots that a graded one meets.
#[derive(Debug)]
pub struct Opponents {
    /// The file that names them, or words for our own bots; errors begin with it.
    path: PathBuf,
    file: BotsFile,
    /// The folder to which their paths are relative.
    beside: PathBuf,
}

impl Opponents {
    /// Reads the opponents from the file `against`. If `against` names levels of the game's own client `guest` instead,
    /// with commas between them, or is `None`, the opponents are that client at these levels, or at all; its program
    /// lies in the folder `ours`. A file that is called like a level is written `./NAME`.
    ///
    /// # Errors
    /// No opponent is named, or the file can't be read for what it is.
    pub fn read(
        against: Option<&Path>,
        (game, guest): (&str, Option<&Guest>),
        ours: &Path,
    ) -> Result<Opponents, Error> {
        let guest = guest.filter(|guest| !guest.levels.is_empty());
        let at_levels = |guest: &Guest, levels: &[&str]| {
            let bot = |level: &&str| {
                let (name, command) = ((*level).to_owned(), format!("./{} --level {level}", guest.program));
                BotSpec { name, command, ..BotSpec::default() }
            };
            let file = BotsFile { limits: Limits::default(), bot: levels.iter().map(bot).collect() };
            Opponents { path: "our own bots".into(), file, beside: ours.into() }
        };
        let named: Vec<&str> = against.and_then(Path::to_str).unwrap_or_default().split(',').collect();
        let opponents = match (against, guest) {
            (Some(_), Some(guest)) if named.iter().all(|name| guest.levels.contains(name)) => {
                at_levels(guest, &named)
            }
            (Some(path), _) => {
                let (text, beside) = load("--against", path)?;
                Opponents { path: path.into(), file: decode(path, &text)?, beside }
            }
            (None, Some(guest)) => at_levels(guest, guest.levels),
            (None, None) => {
                let words = "we have no opponents of our own for it; name a file of them with --against";
                return Err(Error::Plan(format!("--game {game}: {words}")));
            }
        };
        if opponents.file.bot.is_empty() {
            let path = opponents.path.display();
            let what = format!("--against {path}: it names no bot; give each opponent a [[bot]]");
            return Err(Error::Plan(what));
        }
        Ok(opponents)
    }

    /// The limits of the graded bot, and of every opponent that has none of its own.
    pub fn limits(&self) -> Limits {
        self.file.limits
    }

    /// Whether an opponent has this name.
    pub fn has(&self, name: &str) -> bool {
        self.file.bot.iter().any(|bot| bot.name == name)
    }

    /// The opponents alone.
    ///
    /// # Errors
    /// The first mistake of the first opponent that can't play.
    pub fn bots(&self) -> Result<Vec<Bot>, Error> {
        let all = (1..).zip(&self.file.bot);
        all.map(|(number, bot)| check_bot(&self.path, number, bot.clone(), self.file.limits, &self.beside))
            .collect()
    }

    /// The book of the graded bot and, after it, its opponents.
    ///
    /// # Errors
    /// The first thing that is wrong. If [`Opponents::bots`] gave no error, the mistake is the graded bot's.
    pub fn book_with(mut self, graded: BotSpec) -> Result<Book, Error> {
        let here = std::env::current_dir().map_err(|error| Error::File(".".into(), error))?;
        if let Some(folder) = graded.folder.as_ref().filter(|folder| !folder.is_dir()) {
            let words = if folder.exists() {
                "that is a file; give the folder that holds the bot's files"
            } else {
                "there is no folder of that name; give that of the bot's files, from here or from /"
            };
            return Err(Error::Plan(format!("--folder {}: {words}", folder.display())));
        }
        if !is_name(&graded.name) {
            return Err(Error::Plan(format!("--name {:?}: {}", graded.name, NAME_REMEDY)));
        }
        let folder = graded.folder.map(|folder| here.join(folder));
        // The bot's paths are relative to the current folder, those of the opponents to the file that names them.
        let is_file = |word: &str| here.join(word).is_file();
        let command = make_absolute(graded.command, folder.is_none().then_some(&here), is_file);
        let BotSpec { name, processes, .. } = graded;
        if self.has(&name) {
            let words = "an opponent is called so; give the bot another name, or the opponent in";
            return Err(Error::Plan(format!("--name {name}: {words} {}", self.path.display())));
        }
        let limits = self.file.limits;
        let bot = BotSpec { name, command, folder, processes, limits, ..BotSpec::default() };
        // No file names the bot, so its errors begin with these words.
        check_bot(Path::new("the bot to grade"), 1, bot.clone(), limits, &here)?;
        self.file.bot.insert(0, bot);
        Book::check_all(&self.path, self.file, 0, &self.beside)
    }
}
