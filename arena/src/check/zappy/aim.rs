//! Whether a bot takes where it saw something: one tile with something on it, beside the bot's line of sight, on an empty
//! map.
//!
//! A bot need not go there. Only one that takes beside it, again and again, or that goes elsewhere each time, and always to
//! one place for the left and to another one for the right, counts the tiles wrongly. Tested in `tests/check.rs`.

use zappy_protocol::zappy::Orientation;
use zappy_protocol::zappy::mirror::MirrorPlayer;
use zappy_protocol::zappy::player::{CommandKind, Response};
use zappy_protocol::{MapSize, Position};
use zappy_server::game::SeatId;

use super::Zappy;
use super::doing::{BAITS, MORE_BAITS};
use super::scene::Mischief;
use crate::check::seen::FaultKind;
use crate::check::stage::Stage;

/// So many takes beside what was seen, and none where it was, are no accident.
const MISSES: u32 = 3;
/// Steps from a bait to a place that isn't nearer to it than where the bot saw it.
const FAR: i32 = 2;
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
    /// Where it looked again without having gone there, ahead and to the right of where it had seen the bait: when that was
    /// on the left, and when it was on the right.
    strays: [Vec<(i32, i32)>; 2],
    /// Whether it ever stood on a bait.
    stood: bool,
    /// Whether it takes also where it saw nothing; then nothing can be said.
    gropes: bool,
}

impl Aim {
    /// Baits that it has had.
    fn count(&self) -> u32 {
        let strays = self.strays.iter().map(Vec::len).sum::<usize>();
        self.hits + self.misses + u32::try_from(strays).unwrap_or(u32::MAX)
    }

    /// Where it always goes when the bait is on the left, and where when it is on the right, if that is wrong. Not for a bot
    /// that stays, that goes the same way for both, that never turns aside, or that comes nearer on both sides.
    fn astray(&self) -> Option<[(i32, i32); 2]> {
        let [left, right] = &self.strays;
        let ends = [*left.first()?, *right.first()?];
        let always = self.strays.iter().zip(ends).all(|(strays, end)| strays.iter().all(|one| *one == end));
        let goes = ends[0] != ends[1] && !ends.contains(&(0, 0)) && ends.iter().any(|end| end.1 != 0);
        let far = ends.iter().zip([-1, 1]).any(|(end, side)| (end.0 - 1).abs() + (end.1 - side).abs() >= FAR);
        (always && goes && far && self.hits == 0 && !self.stood && !self.gropes).then_some(ends)
    }
}

impl Stage<'_, Zappy> {
    /// The bot looks: sees to it that there is one tile with something on it, ahead to the left or ahead to the right.
    pub(super) fn lay_bait(&mut self, seat: usize, player: &MirrorPlayer) {
        let looks = self.connections[seat].dialogue.waiting.front() == Some(&Some(CommandKind::Look));
        if !looks || std::mem::replace(&mut self.play.aim.looking, true) {
            return;
        }
        let size = self.map();
        let aim = &self.play.aim;
        let in_sight = [player.at, size.step(player.at, player.orientation)];
        if aim.bait.is_some_and(|(at, _)| in_sight.contains(&at)) {
            return;
        }
        self.take_bait_away(player.at);
        let left = self.play.aim.count().is_multiple_of(2);
        let (tile, side) =
            if left { (1, player.orientation.left()) } else { (3, player.orientation.right()) };
        let at = size.step(in_sight[1], side);
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

    /// The bot looks again, from there.
    fn take_bait_away(&mut self, from: Position) {
        let size = self.map();
        let aim = &mut self.play.aim;
        let Some((bait, tile)) = aim.bait.take() else { return };
        if let Some((at, way)) = aim.from.filter(|_| std::mem::take(&mut aim.shown)) {
            aim.strays[usize::from(tile > 1)].push(way.from_map(size.delta(at, from)));
            self.judge_strays();
        }
        self.put(bait, 0);
    }

    fn judge_strays(&mut self) {
        let aim = &self.play.aim;
        if let Some(ends) = aim.astray().filter(|_| aim.count() >= MORE_BAITS) {
            let [left, right] = ends.map(in_words);
            let [lefts, rights] = [0, 1].map(|side| aim.strays[side].len());
            let words = format!(
                "it saw food and linemate ahead to its left (tile 1 of its Look) {lefts} times, and each time went {left} \
                 before it looked again; ahead to its right (tile 3) {rights} times, and went {right}; so it never \
                 stood on the right tile"
            );
            self.fail(FaultKind::Misses, words);
        } else if aim.count() == BAITS && aim.hits + aim.misses == 0 && !aim.stood && aim.astray().is_none() {
            let words =
                "it never went where it saw something, so whether it counts the tiles well isn't known";
            self.seen.notes.push(words.into());
        }
    }

    fn map(&self) -> MapSize {
        MapSize::new(self.play.scene.side, self.play.scene.side).expect("a small map")
    }

    /// The bot's player stands there now.
    pub(super) fn note_step(&mut self, at: Position) {
        let aim = &mut self.play.aim;
        aim.stood |= aim.shown && aim.bait.is_some_and(|(bait, _)| bait == at);
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

    /// How many baits it has had: as many as are needed once it has shown that it counts well, and fewer while it seems not
    /// to.
    pub(super) fn aimed(&self) -> u32 {
        let aim = &self.play.aim;
        match aim.count() {
            _ if aim.hits >= HITS => BAITS,
            count if aim.astray().is_some() => count.min(BAITS - 1),
            count => count,
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_bot_that_goes_to_one_wrong_place_for_each_side_is_astray() {
        let astray = |left: &[(i32, i32)], right: &[(i32, i32)]| {
            Aim { strays: [left.to_vec(), right.to_vec()], ..Aim::default() }.astray().is_some()
        };
        assert!(astray(&[(1, 1), (1, 1)], &[(1, -1)]), "left for right");
        assert!(astray(&[(1, 0)], &[(2, -2), (2, -2)]), "one tile too far");
        for (left, right, why) in [
            (vec![(1, 1)], vec![], "only one side"),
            (vec![(1, 1), (1, 0)], vec![(1, -1)], "it strolls"),
            (vec![(1, 1)], vec![(1, 1)], "it goes its way"),
            (vec![(0, 0)], vec![(1, -1)], "it stays"),
            (vec![(1, 0)], vec![(3, 0)], "it goes straight on"),
            (vec![(0, -1)], vec![(0, 1)], "it looks again on the way"),
        ] {
            assert!(!astray(&left, &right), "{why}");
        }
        let strays = [vec![(1, 1)], vec![(1, -1)]];
        assert!(Aim { strays, stood: true, ..Aim::default() }.astray().is_none(), "it was there");
    }
}
