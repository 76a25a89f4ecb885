//! Whether the bots of a tournament still are what was planned.
//!
//! Reads a bot's files anew only when their sizes or times have changed. Tested in `arena/cli/tests/tournament/runs.rs`.

use std::collections::BTreeMap;

use super::Error;
use super::bots::Book;
use super::identity::Id;

/// Whether bots still are what was planned.
#[derive(Debug)]
pub(super) struct Bots {
    pub(super) book: Book,
    /// What the file system told of the bots that were found unchanged.
    stamps: BTreeMap<Id, Id>,
}

impl Bots {
    pub(super) fn new(book: Book) -> Bots {
        Bots { book, stamps: BTreeMap::new() }
    }

    /// Checks that a bot's files are those that were planned.
    ///
    /// # Errors
    /// It isn't, or can't be looked at.
    pub(super) fn check(&mut self, id: Id) -> Result<(), Error> {
        let bot = self.book.known(id)?;
        let lost = |why| Error::Lost(bot.name.clone(), why);
        let stamp = bot.stamp().map_err(lost)?;
        if self.stamps.get(&id) == Some(&stamp) {
            return Ok(());
        }
        let now = bot.identify().map_err(lost)?;
        if now != id {
            return Err(Error::Changed { name: bot.name.clone(), planned: id, now });
        }
        self.stamps.insert(id, stamp);
        Ok(())
    }
}
