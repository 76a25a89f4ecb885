//! How much world is taken in at most, so that no peer and no file can make a frame last for minutes or take all
//! memory.
//!
//! Far beyond every real match. What is beyond is left out like a message that doesn't fit. Tested in this module.

use zappy_protocol::zappy::mirror::Mirror;
use zappy_protocol::zappy::observer::Message;
use zappy_protocol::{MapSize, Text};

/// Tiles of a map: four times what our server offers. Several stages of it are held, each with all its tiles.
const TILES: u32 = 1_000_000;
/// Living players: all of them are looked at in each frame.
const PLAYERS: usize = 20_000;
/// Eggs on the map.
const EGGS: usize = 100_000;
/// Teams: a player's is looked for among all of them.
const TEAMS: usize = 1_000;
/// Incantations under way, and players in one: each new one is compared with all of them.
const RITES: usize = 1_000;
/// Bytes of what is said that are remembered: more than is ever shown. Tens of thousands of them are kept.
const TEXT_BYTES: usize = 2_048;

/// Whether a message keeps the world within the limits.
pub(super) fn hold(mirror: &Mirror, message: &Message) -> bool {
    match message {
        Message::MapSize(size) => MapSize::area(*size) <= TILES,
        Message::PlayerJoined { player, team, .. } => {
            (mirror.players.len() < PLAYERS || mirror.players.contains_key(player))
                && (mirror.teams.len() < TEAMS || mirror.teams.contains(team))
        }
        Message::EggLaid { egg, .. } => mirror.eggs.len() < EGGS || mirror.eggs.contains_key(egg),
        Message::Team(team) => mirror.teams.len() < TEAMS || mirror.teams.contains(team),
        Message::IncantationBegan { players, .. } => {
            mirror.incantations.len() < RITES && players.len() <= RITES
        }
        _ => true,
    }
}

/// What is remembered of a text.
pub(super) fn cut(text: &Text) -> Text {
    let bytes = text.as_bytes();
    Text::new(&bytes[..bytes.len().min(TEXT_BYTES)])
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;
    use crate::zappy::timeline::stage::Stage;

    fn told(lines: &str) -> (Stage, usize) {
        let mut stage = Stage::new();
        let beyond = lines
            .lines()
            .filter(|line| stage.apply(0, &Message::parse(line.as_bytes()).unwrap()).beyond)
            .count();
        (stage, beyond)
    }

    #[test]
    fn a_map_beyond_all_bounds_takes_no_memory() {
        let (stage, beyond) = told("msz 10000 10000\nmsz 500 500");
        assert_eq!((beyond, stage.mirror().tiles.len()), (1, 250_000));
        let huge = Message::parse(b"msz 10000 10000").unwrap();
        assert_eq!(Stage::restored(0, [&huge]).mirror().size, None);
    }

    #[test]
    fn rites_and_teams_without_end_are_left_out() {
        let mut lines = "msz 5 5\n".to_owned();
        for number in 0..RITES + 7 {
            writeln!(lines, "pic 1 1 1 #{number}\ntna t{number}").unwrap();
        }
        let (stage, beyond) = told(&lines);
        assert_eq!((stage.rites().len(), stage.mirror().teams.len(), beyond), (RITES, TEAMS, 14));
        let known = Message::parse(b"tna t3").unwrap();
        assert!(hold(stage.mirror(), &known));
    }

    #[test]
    fn who_is_known_may_go_on_when_there_are_too_many() {
        let mut lines = "msz 5 5\n".to_owned();
        for number in 0..=PLAYERS {
            writeln!(lines, "pnw #{number} 1 1 1 1 red").unwrap();
        }
        let (stage, beyond) = told(&(lines + "pnw #0 2 2 1 1 red\npdi #0\npnw #90000 1 1 1 1 red"));
        assert_eq!((stage.mirror().players.len(), beyond), (PLAYERS, 1));
    }

    #[test]
    fn endless_words_are_remembered_in_part() {
        let text = Text::new(&[b'x'; 60_000]);
        assert_eq!(cut(&text).as_bytes().len(), TEXT_BYTES);
        assert_eq!(cut(&Text::new(b"hello")), Text::new(b"hello"));
    }
}
