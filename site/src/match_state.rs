//! The state of a match, folded from its messages, and the lines that bring a late spectator up to date.
//!
//! The only file of the site that names a game. Of a game without a mirror it keeps the lines that any game may
//! publish. Takes any bytes. Tested in this module.

use zappy_protocol::commentary::Retells;
use zappy_protocol::conquest::retelling::ConquestRetelling;
use zappy_protocol::published::{Latest, NO_WINNER, Published};
use zappy_protocol::record::Header;
use zappy_protocol::zappy::Inventory;
use zappy_protocol::zappy::observer::Message;
use zappy_protocol::zappy::retelling::ZappyRetelling;
use zappy_protocol::{conquest, zappy};

/// Lines that are kept while it isn't known yet which game they belong to.
const UNKNOWN_LINES: usize = 1_000;

#[derive(Debug)]
pub enum MatchState {
    /// The lines so far, of which none has shown which game it is.
    Unknown(Vec<Vec<u8>>),
    /// Zappy; its servers name no game.
    Zappy(zappy::mirror::Mirror),
    Conquest(Box<conquest::mirror::Mirror>),
    /// Any other game: the latest line of each kind.
    Plain(Latest),
}

impl Default for MatchState {
    fn default() -> MatchState {
        MatchState::Unknown(Vec::new())
    }
}

impl MatchState {
    /// Takes a line in; gives whether it may say something that wasn't known.
    pub fn apply(&mut self, line: &[u8]) -> bool {
        match self {
            MatchState::Unknown(lines) => {
                let is_of_any_game = line.starts_with(b"msz ") || line.starts_with(b"sgt ");
                if is_of_any_game && lines.len() < UNKNOWN_LINES {
                    lines.push(line.to_vec());
                    return true;
                }
                let known = std::mem::take(lines);
                *self = match Published::parse(line) {
                    Some(Published::Game { name: "conquest", .. }) => MatchState::Conquest(Box::default()),
                    Some(Published::Game { .. }) => MatchState::Plain(Latest::default()),
                    _ => MatchState::Zappy(zappy::mirror::Mirror::new()),
                };
                for line in known {
                    self.apply(&line);
                }
                self.apply(line);
            }
            // A line that isn't understood is passed on, and leaves the mirror as it is.
            MatchState::Zappy(mirror) => {
                let Ok(message) = Message::parse(line) else { return true };
                if let (Message::Tile { at, resources }, Some(size)) = (&message, mirror.size)
                    && size.contains(*at)
                    && mirror.tiles.get(size.index(*at)) == Some(resources)
                {
                    return false;
                }
                let _ = mirror.apply(&message);
            }
            MatchState::Conquest(mirror) => {
                let _ = conquest::observer::Message::parse(line).map(|message| mirror.apply(&message));
            }
            MatchState::Plain(latest) => latest.apply(line),
        }
        true
    }

    /// The lines that describe the state of the match, each with its end, as a server sends them to a new observer.
    #[must_use]
    pub fn snapshot(&self) -> Vec<u8> {
        let mut out = Vec::new();
        match self {
            MatchState::Unknown(lines) => lines.iter().for_each(|line| push_line(&mut out, line)),
            MatchState::Zappy(mirror) => {
                let mut write = |message: &Message| {
                    message.write(&mut out);
                    out.push(b'\n');
                };
                mirror.snapshot().iter().for_each(&mut write);
                // A spectator that knows an older state learns which tiles are bare now.
                if let Some(size) = mirror.size {
                    let bare = Inventory::default();
                    let tiles = mirror.tiles.iter().enumerate().filter(|(_, tile)| **tile == bare);
                    tiles.for_each(|(i, _)| write(&Message::Tile { at: size.position(i), resources: bare }));
                }
            }
            MatchState::Conquest(mirror) => {
                for message in mirror.snapshot() {
                    message.write(&mut out);
                    out.push(b'\n');
                }
            }
            MatchState::Plain(latest) => latest.lines().for_each(|line| push_line(&mut out, line)),
        }
        out
    }
}

fn push_line(out: &mut Vec<u8>, line: &[u8]) {
    out.extend_from_slice(line);
    out.push(b'\n');
}

/// The request that a server must be sent now and then in a match with this header, since its rules don't publish where
/// Zappy's resources have grown again. Empty where the rules publish everything.
#[must_use]
pub fn question(header: &Header) -> &'static [u8] {
    let is_official = |(key, value): &(String, String)| (&**key, &**value) == ("rules", "official");
    if header.game == "zappy" && header.options.iter().any(is_official) { b"mct\n" } else { b"" }
}

/// Whether a line says that the match is over.
#[must_use]
pub fn is_end(line: &[u8]) -> bool {
    line.starts_with(b"seg ")
        || line.strip_prefix(b"smg ").is_some_and(|text| text.starts_with(NO_WINNER.as_bytes()))
}

/// What retells a match with that header, if its game can be retold.
pub fn retelling(header: &Header) -> Option<Box<dyn Retells>> {
    match &header.game[..] {
        "zappy" => Some(Box::new(ZappyRetelling::new(header))),
        "conquest" => Some(Box::new(ConquestRetelling::default())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn after(lines: &str) -> String {
        let mut state = MatchState::default();
        for line in lines.lines() {
            state.apply(line.as_bytes());
        }
        String::from_utf8(state.snapshot()).unwrap()
    }

    #[test]
    fn a_snapshot_tells_each_game_as_it_stands() {
        let zappy = "msz 2 1\nsgt 100\nbct 0 0 3 0 0 0 0 0 0\ntna red\npnw #0 0 0 2 1 red\npin #0 0 0 9 0 0 0 0 0 0\n";
        let snapshot = after(&format!("{zappy}bct 1 0 1 0 0 0 0 0 0\nbct 1 0 0 0 0 0 0 0 0\nrubbish\n"));
        assert_eq!(snapshot, format!("{zappy}bct 1 0 0 0 0 0 0 0 0\n"));
        let conquest = after(
            "msz 9 8\nsgt 1000\ngam conquest 1 factions red cities on rules classic mode concurrent turns 40 time 0 placement random \
             alliances -\ntna red\nunw #3 red cleric 4 6 4 de\n",
        );
        assert!(conquest.contains("\nunw #3 red cleric 4 6 4 de\n"), "{conquest}");
        let snakes = "gam snakes 1\nbrd 9 9\n";
        let moved = format!("{snakes}cel 1 1 @ red\ncel 1 2 *\ncel 1 1 .\ncel 2 1 @ red\n");
        assert_eq!(after(&moved), format!("{snakes}cel 1 2 *\ncel 2 1 @ red\n"));
        assert_eq!(after(&format!("{moved}brd 9 9\n")), snakes);
        let tiny = "gam tiny 1\nsgt 10\ntna red\ntrn 2\nsco red 5\n";
        assert_eq!(after(&format!("sgt 20\n{tiny}what 1\nsco red 4\nsco red 5\n")), tiny);
    }

    #[test]
    fn the_end_is_told() {
        assert!(is_end(b"seg red") && is_end(b"smg the match ended without a winner: time"));
        assert!(!is_end(b"smg seg red") && !is_end(b"pnw #0"));
    }

    proptest! {
        #[test]
        fn any_lines_are_taken(lines in proptest::collection::vec(any::<Vec<u8>>(), 0..20)) {
            let mut state = MatchState::default();
            for line in &lines {
                state.apply(line);
            }
            let _ = state.snapshot();
        }
    }
}
