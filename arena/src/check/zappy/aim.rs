//! Whether a bot takes where it saw something: one tile with something on it, beside the bot's line of sight, on an empty
//! map.
//!
//! A bot need not go there. Only one that takes beside it, again and again, counts the tiles wrongly. Tested in
//! `tests/check.rs`.

use zappy_protocol::zappy::Orientation;
use zappy_protocol::zappy::mirror::MirrorPlayer;
use zappy_protocol::zappy::player::{CommandKind, Response};
use zappy_protocol::{MapSize, Position};
use zappy_server::game::SeatId;

use super::Zappy;
use super::doing::BAITS;
use super::scene::Mischief;
use crate::check::seen::FaultKind;
use crate::check::stage::Stage;

/// So many takes beside what was seen, and none where it was, are no accident.
const MISSES: u32 = 3;
/// So many takes where it was show that the bot counts well.
const HITS: u32 = 2;

/// What lies in sight, and what became of it.
#[derive(Debug, Default)]
pub struct Aim {
    /// Where the bait lies, if there is one, and the number that its tile had in the `Look`.
    bait: Option<(Position, usize)>,
    /// Where the bot stood and which way it faced when it looked.
    from: Option<(Position, Orientation)>,
    /// Whether the running `Look` was seen to.
    looking: bool,
    /// Whether the bot has read where the bait is.
    shown: bool,
    /// All places where there was a bait: the bot may remember them.
    baited: Vec<Position>,
    hits: u32,
    misses: u32,
    /// How often it went elsewhere.
    strays: u32,
    /// Whether it takes also where it saw nothing; then nothing can be said.
    gropes: bool,
}

impl Stage<'_, Zappy> {
    /// The bot looks: sees to it that there is one tile with something on it, ahead to the left or ahead to the right.
    pub(super) fn lay_bait(&mut self, seat: usize, player: &MirrorPlayer) {
        let looks = self.connections[seat].dialogue.waiting.front() == Some(&Some(CommandKind::Look));
        if !looks || std::mem::replace(&mut self.play.aim.looking, true) {
            return;
        }
        let size = MapSize::new(self.play.scene.side, self.play.scene.side).expect("a small map");
        let aim = &self.play.aim;
        let in_sight = [player.at, size.step(player.at, player.orientation)];
        if aim.bait.is_some_and(|(at, _)| in_sight.contains(&at)) {
            return;
        }
        let left = (aim.hits + aim.misses + aim.strays).is_multiple_of(2);
        let (tile, side) =
            if left { (1, player.orientation.left()) } else { (3, player.orientation.right()) };
        let at = size.step(in_sight[1], side);
        self.take_bait_away();
        let aim = &mut self.play.aim;
        (aim.bait, aim.from) = (Some((at, tile)), Some((player.at, player.orientation)));
        aim.baited.push(at);
        self.put(at, 1);
    }

    fn put(&mut self, at: Position, quantity: u32) {
        for resource in ["food", "linemate"] {
            self.console(&format!("/setTile {resource} {quantity} {} {}", at.x, at.y));
        }
    }

    fn take_bait_away(&mut self) {
        let Some((at, _)) = self.play.aim.bait.take() else { return };
        let strayed = std::mem::take(&mut self.play.aim.shown);
        self.play.aim.strays += u32::from(strayed);
        self.put(at, 0);
    }

    /// The bot's first player was answered.
    pub(super) fn note_aim(&mut self, seat: SeatId, command: Option<CommandKind>, response: &Response) {
        if self.play.scene.mischief != Mischief::Tempts {
            return;
        }
        // Another player of the bot's has its own view.
        let Some((_, first, MirrorPlayer { at, .. })) = self.victim() else { return };
        if first != seat.0 as usize {
            return;
        }
        let aim = &mut self.play.aim;
        match (command, response) {
            (Some(CommandKind::Look), _) => {
                aim.looking = false;
                aim.shown = aim.bait.is_some();
            }
            (Some(CommandKind::Take), Response::Ok) if aim.shown => {
                (aim.hits, aim.shown) = (aim.hits + 1, false);
            }
            (Some(CommandKind::Take), Response::Ko) if !aim.baited.contains(&at) => self.note_miss(at),
            _ => {}
        }
    }

    fn note_miss(&mut self, at: Position) {
        let aim = &mut self.play.aim;
        let (Some((bait, tile)), Some((from, way))) = (aim.bait, aim.from) else {
            aim.gropes = true;
            return;
        };
        // The rest of a plan may take more at the same wrong place.
        if !std::mem::take(&mut aim.shown) {
            return;
        }
        aim.misses += 1;
        if aim.misses < MISSES || aim.hits > 0 || aim.gropes {
            return;
        }
        let size = MapSize::new(self.play.scene.side, self.play.scene.side).expect("a small map");
        let place = |at| in_words(way.from_map(size.delta(from, at)));
        let words = format!(
            "it saw food and linemate on tile {tile} of its Look, {}, and took {}, where nothing lay; so it went {} times, and \
             never to the right tile",
            place(bait),
            place(at),
            aim.misses
        );
        self.fail(FaultKind::Misses, words);
    }

    /// How many baits it has had, or as many as are needed once it has shown that it counts well.
    pub(super) fn aimed(&mut self) -> u32 {
        let aim = &self.play.aim;
        if aim.hits >= HITS { BAITS } else { aim.hits + aim.misses + aim.strays }
    }
}

/// Where a tile is from where the bot stood and faced.
fn in_words((ahead, right): (i32, i32)) -> String {
    if (ahead, right) == (0, 0) {
        return "on its own tile".to_owned();
    }
    let side = if right < 0 { "left" } else { "right" };
    let lengthwise = match ahead {
        0 => String::new(),
        1.. => format!("{ahead} ahead"),
        _ => format!("{} behind", -ahead),
    };
    let across = if right == 0 { String::new() } else { format!("{} to the {side}", right.abs()) };
    [lengthwise, across].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" and ")
}
