//! What a player was sent before it ended or fell silent, and what that tells of the mistake.
//!
//! A program that ends at a line it doesn't know is told what that line is. Tested in `arena/cli/tests/check.rs`.

use std::collections::VecDeque;

use zappy_protocol::zappy::player::{CommandKind, Response};

use super::Zappy;
use super::scene::Injected;
use crate::seen::{Cause, FaultKind, Remedy};
use crate::stage::Stage;
use crate::wire::Manner;

/// Lines without a question that are remembered.
const KEPT: usize = 8;
/// Letters of a line that stand in a program's own words if it speaks of that line.
const QUOTED: usize = 6;

const MESSAGE: Remedy = Remedy::sure(
    Cause::Message,
    "`message K, TEXT` is what another player shouted; it may come at any time and answers nothing: pass over it",
);
const TEXT: Remedy = Remedy::sure(
    Cause::Message,
    "`message K, TEXT` may come at any time and answers nothing, and TEXT may be anything, also from strangers: look at the \
     line's first word, and take the text apart so that nothing in it can end you",
);
const PUSH: Remedy = Remedy::sure(
    Cause::Push,
    "`eject: K` says that another player pushed you; it may come at any time and answers nothing; you stand on another \
     tile now",
);
const UNDERWAY: Remedy = Remedy::sure(
    Cause::Incantation,
    "`Elevation underway` says that an incantation has begun, yours or another player's: nothing you send runs until \
     `Current level: K`, which is your level from then on, or `ko` ends it, 300 ticks later",
);
const LEVEL: Remedy = Remedy::sure(
    Cause::Incantation,
    "`Current level: K` ends an incantation, yours or another player's: take the level; it is the second line of an \
     `Incantation` and answers nothing else",
);
const REFUSED_RITE: Remedy = Remedy::sure(
    Cause::Incantation,
    "an `Incantation` without what it needs is answered by `ko` at once: then neither `Elevation underway` nor `Current \
     level` comes",
);
const REFUSED: Remedy =
    Remedy::sure(Cause::Refusal, "`ko` is an answer, too: that command did nothing; go on with the next one");
/// What to do about commands that were dropped.
pub const QUEUE: Remedy = Remedy::sure(
    Cause::Queue,
    "what is sent while ten wait is dropped and never answered: count what you sent and what was answered, and never let \
     more than ten be unanswered",
);
/// What to do about what is no command.
pub const SPELLING: Remedy = Remedy::sure(
    Cause::Spelling,
    "spell each command as the table has it, capitals too, with as many words as it takes",
);
/// What to do about food that is looked for on wrong tiles.
pub const BESIDE: Remedy = Remedy::sure(
    Cause::Sight,
    "`Look` names the tiles row by row, each from left to right: 0 is your own, 1 2 3 the row ahead, 4 to 8 the next; so tile \
     3 is Forward, Right, Forward",
);
const BEGIN: Remedy = Remedy::sure(
    Cause::Login,
    "after the number of slots and the size of the map nothing comes by itself: send the first command",
);

/// What a connection was sent without having asked for it: the line, and whether it has said nothing since.
#[derive(Debug, Default)]
pub struct Unasked(VecDeque<(Vec<u8>, bool)>);

impl Unasked {
    pub fn note(&mut self, response: &Response, line: &[u8]) {
        if meaning(response).is_some() {
            if self.0.len() == KEPT {
                self.0.pop_front();
            }
            self.0.push_back((line.to_vec(), true));
        }
    }

    pub fn note_command(&mut self) {
        self.0.iter_mut().for_each(|(_, fresh)| *fresh = false);
    }

    fn latest(&self, wanted: impl Fn(&[u8], bool) -> bool) -> Option<Remedy> {
        let (line, _) = self.0.iter().rev().find(|(line, fresh)| wanted(line, *fresh))?;
        meaning(&Response::parse(line).ok()?)
    }
}

/// The meaning of a line that answers no command by itself.
fn meaning(response: &Response) -> Option<Remedy> {
    match response {
        Response::Message { .. } => Some(MESSAGE),
        Response::Eject(_) => Some(PUSH),
        Response::ElevationUnderway => Some(UNDERWAY),
        Response::CurrentLevel(_) => Some(LEVEL),
        _ => None,
    }
}

impl Stage<'_, Zappy> {
    /// What to do about that mistake in a command; less is certain where a bot may be confused by what is done to it.
    pub(super) fn slip(&self, meant: Remedy, ordinary: bool) -> Remedy {
        Remedy { sure: ordinary && self.terms.manner == Manner::Whole, ..meant }
    }

    /// What to do about a connection that ended or says nothing more; `error` is what its program said last.
    pub(super) fn blame(&self, i: usize, error: &str) -> Option<Remedy> {
        let connection = &self.connections[i];
        let unasked = &connection.dialogue.unasked;
        let quoted = |line: &[u8], _| {
            let line = String::from_utf8_lossy(line);
            error.contains(line.chars().take(QUOTED).collect::<String>().as_str())
        };
        if let Some(meant) = unasked.latest(quoted).filter(|_| !error.is_empty()) {
            return Some(meant);
        }
        if connection.dialogue.is_bad {
            return Some(SPELLING);
        }
        let (command, answer) = &connection.last;
        let refused = match connection.dialogue.refused {
            Some(CommandKind::Incantation) => Some(REFUSED_RITE),
            Some(_) => Some(REFUSED),
            None => None,
        };
        let mut words = error.split(|letter: char| !letter.is_alphanumeric());
        if let Some(meant) = refused.filter(|_| words.any(|word| word.eq_ignore_ascii_case("ko"))) {
            return Some(meant);
        }
        let mut unanswered = unasked.latest(|_, fresh| fresh);
        if connection.ended && unanswered == Some(LEVEL) {
            // A program that ends at the first of an incantation's two lines may take until the second to be gone.
            unanswered = unasked.latest(|line, fresh| fresh && line == b"Elevation underway").or(unanswered);
        }
        let shouts = matches!(self.play.scene.injected, Injected::Shouts | Injected::Calls);
        let shouted = shouts && unanswered == Some(MESSAGE);
        if shouted && connection.ended {
            return Some(TEXT);
        }
        let found = if self.seen.has(FaultKind::Dropped) {
            Some(QUEUE)
        } else if command.is_empty() && answer.is_empty() && !connection.ended {
            Some(BEGIN)
        } else {
            unanswered.or(refused)
        };
        found.map(|found| Remedy { sure: found == BEGIN, ..found })
    }
}
