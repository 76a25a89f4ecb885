//! The lines that a player was sent before it ended or fell silent, and the remedy that they suggest.
//!
//! If a program ends at a line that it doesn't know, the remedy says what that line means. Tested in
//! `arena/cli/tests/check.rs`.

use std::collections::{BTreeMap, VecDeque};
use std::sync::LazyLock;

use zappy_protocol::zappy::player::{Command, Response};

use super::scene::Injected;
use super::{SITUATIONS, Zappy};
use crate::data::{GameData, from_text};
use crate::seen::{FaultKind, Remedy};
use crate::stage::Stage;
use crate::wire::Manner;

/// The most lines that are remembered which answer no command.
const KEPT_LINES: usize = 8;
/// How many letters from the beginning of a line a program's error has to hold to be about that line.
const QUOTED_LETTERS: usize = 6;

static REMEDIES: LazyLock<BTreeMap<String, Remedy>> =
    LazyLock::new(|| from_text::<GameData>(SITUATIONS).remedies);

/// The remedy of that name among Zappy's.
pub fn remedy(name: &str) -> Remedy {
    REMEDIES[name]
}

/// Lines that a connection was sent without having asked for them, each with whether it has sent nothing since.
#[derive(Debug, Default)]
pub struct Unasked(VecDeque<(Vec<u8>, bool)>);

impl Unasked {
    pub fn note(&mut self, response: &Response, line: &[u8]) {
        if meaning(response).is_some() {
            if self.0.len() == KEPT_LINES {
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
        Response::Message { .. } => Some(remedy("message")),
        Response::Eject(_) => Some(remedy("push")),
        Response::ElevationUnderway => Some(remedy("underway")),
        Response::CurrentLevel(_) => Some(remedy("level")),
        _ => None,
    }
}

/// The remedy for a mistake in a command; it isn't certain where the injected fault may have confused the bot.
pub fn slip(stage: &Stage<'_, Zappy>, meant: Remedy, ordinary: bool) -> Remedy {
    Remedy { sure: ordinary && stage.settings.manner == Manner::Whole, ..meant }
}

/// The remedy for a connection that ended or fell silent; `error` is the last error of its program.
pub fn blame(stage: &Stage<'_, Zappy>, i: usize, error: &str) -> Option<Remedy> {
    let connection = &stage.connections[i];
    let unasked = &connection.dialogue.unasked;
    let quoted = |line: &[u8], _| {
        let line = String::from_utf8_lossy(line);
        error.contains(line.chars().take(QUOTED_LETTERS).collect::<String>().as_str())
    };
    if let Some(meant) = unasked.latest(quoted).filter(|_| !error.is_empty()) {
        return Some(meant);
    }
    if connection.dialogue.is_bad {
        return Some(remedy("spelling"));
    }
    let (command, answer) = &connection.last;
    let refused = match &connection.dialogue.refused {
        Some(Command::Incantation) => Some(remedy("refused-incantation")),
        Some(_) => Some(remedy("refused")),
        None => None,
    };
    let mut words = error.split(|letter: char| !letter.is_alphanumeric());
    if let Some(meant) = refused.filter(|_| words.any(|word| word.eq_ignore_ascii_case("ko"))) {
        return Some(meant);
    }
    let mut unanswered = unasked.latest(|_, fresh| fresh);
    if connection.ended && unanswered == Some(remedy("level")) {
        // A program that ends at the first of an incantation's two lines may take until the second to be gone.
        unanswered = unasked.latest(|line, fresh| fresh && line == b"Elevation underway").or(unanswered);
    }
    let shouts = matches!(stage.play.scene.injected, Injected::Shouts | Injected::Calls);
    let shouted = shouts && unanswered == Some(remedy("message"));
    if shouted && connection.ended {
        return Some(remedy("text"));
    }
    let certain = [remedy("begin"), remedy("last-slot")];
    let found = if stage.seen.has(FaultKind::Dropped) {
        Some(remedy("queue"))
    } else if command.is_empty() && connection.ended && stage.play.scene.slots == 1 {
        Some(remedy("last-slot"))
    } else if command.is_empty() && answer.is_empty() && !connection.ended {
        Some(remedy("begin"))
    } else {
        unanswered.or(refused)
    };
    found.map(|found| Remedy { sure: certain.contains(&found), ..found })
}
