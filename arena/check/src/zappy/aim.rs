//! Whether a bot takes where it saw something: one tile with something on it, beside the bot's line of sight, on an
//! empty map.
//!
//! A bot need not go there. What counts is the tile on which it first takes or looks again. A bot counts the tiles
//! wrongly only if it takes in vain again and again, or if it always looks again on a wrong tile, which is wrong in the
//! same way for several tiles of the row; and only if it never comes to a right tile in that row. Tested in this module
//! and in `arena/cli/tests/check.rs`.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use zappy_game::SeatId;
use zappy_protocol::Position;
use zappy_protocol::zappy::Orientation;
use zappy_protocol::zappy::geometry::{vision_offset, vision_tiles};
use zappy_protocol::zappy::mirror::MirrorPlayer;
use zappy_protocol::zappy::player::{Command, Response};

use super::Zappy;
use super::scene::{Injected, map_size, victim};
use crate::seen::FaultKind;
use crate::stage::Stage;

/// The most baits that a bot gets for one row of tiles, as a rule; it gets fewer if it comes to right tiles sooner.
const ROW_BAITS: usize = 8;
/// The most baits for one row if the bot goes astray in the same way each time; a bot that strolls hardly does so as
/// often.
const MORE_BAITS: usize = 12;
/// How many takes on wrong tiles, with none on a right tile, are no accident.
const MISSES: usize = 3;
/// How many times on the right tile show that the bot counts well.
const HITS: usize = 2;
/// For how many tiles of a row a bot has to be wrong in the same way, so that it is no accident.
const SAME_ERRORS: usize = 3;
/// By how many tiles a bot may be off to the side, or in the order of `Look`, so that its error is recognised.
const SHIFTS: RangeInclusive<i8> = -3..=3;
/// By row, the tiles that get baits in turn: left and right, never in the middle, where both sides are one.
const BAIT_TILES: [&[usize]; 4] = [&[], &[1, 3], &[4, 8, 5, 7], &[9, 15, 10, 14, 11, 13]];

/// A place by tiles ahead and to the right of where the bot looked.
type Place = (i32, i32);

/// Something that lies in sight.
#[derive(Debug, Clone, Copy)]
struct Bait {
    /// The number of its tile in the `Look`.
    tile: usize,
    /// Where it lies on the map.
    at: Position,
    /// Where the bot stood and which way it faced when it looked.
    from: (Position, Orientation),
    /// Whether the bot has looked again on the way, so that it saw the bait in another row.
    looked_again: bool,
    /// Whether the bot has read where the bait lies.
    is_read: bool,
    /// Whether the bot's move for the bait was counted; then the bait counts no more, even if it still lies there.
    tried: bool,
}

/// Where the bot went after it had seen a bait.
#[derive(Debug, Clone, Copy)]
struct Try {
    tile: usize,
    /// Where the bot first took, or looked again; `None` if it had looked on the way.
    end: Option<Place>,
    took: bool,
}

/// The bait that lies in sight, and where the bot went for earlier baits.
#[derive(Debug, Default)]
pub struct Aim {
    bait: Option<Bait>,
    /// Whether a bait was laid for the running `Look`.
    looking: bool,
    /// All places where there was a bait: the bot may remember them.
    baited: Vec<Position>,
    /// The index of the row that is tried, in the list of rows.
    row: usize,
    /// The bot's moves for the baits of that row.
    tries: Vec<Try>,
    /// Whether the bot ever came to a right tile.
    reached: bool,
    /// Whether the bot takes also where it saw nothing, so that its takes don't show what it aims at.
    takes_unseen: bool,
}

impl Try {
    fn is_hit(&self) -> bool {
        self.end == Some(vision_offset(self.tile))
    }
}

impl Aim {
    /// The tiles of the row, at least three, or two of the first row, for which the bot always went to a place that is
    /// wrong in the same way: mirrored, some tiles beside, or some tiles further in the order of `Look`; with these
    /// places. The bot may overlook what is on the other tiles.
    fn astray(&self) -> Option<BTreeMap<usize, Place>> {
        // All places where the bot went for each tile.
        let mut ends: BTreeMap<usize, BTreeSet<Place>> = BTreeMap::new();
        for (tile, end) in self.tries.iter().filter_map(|one| Some((one.tile, one.end?))) {
            ends.entry(tile).or_default().insert(end);
        }
        let wrong = |place: &dyn Fn(usize) -> Place| {
            let is_wrong = |tile| place(tile) != vision_offset(tile);
            let always = |(tile, places): (&usize, &BTreeSet<Place>)| {
                (is_wrong(*tile) && *places == BTreeSet::from([place(*tile)])).then(|| (*tile, place(*tile)))
            };
            let found: BTreeMap<usize, Place> = ends.iter().filter_map(always).collect();
            (found.len() >= ends.len().clamp(2, SAME_ERRORS)).then_some(found)
        };
        let beside = |tile, by| (vision_offset(tile).0, vision_offset(tile).1 + i32::from(by));
        let further = |tile: usize, by| vision_offset(tile.checked_add_signed(by).unwrap_or(tile));
        let mirrored = wrong(&|tile| (vision_offset(tile).0, -vision_offset(tile).1));
        mirrored.or_else(|| {
            SHIFTS.into_iter().find_map(|by| {
                wrong(&|tile| beside(tile, by)).or_else(|| wrong(&|tile| further(tile, by.into())))
            })
        })
    }

    fn misses(&self) -> usize {
        self.tries.iter().filter(|one| one.took && !one.is_hit()).count()
    }

    fn hits(&self) -> usize {
        self.tries.iter().filter(|one| one.is_hit()).count()
    }

    /// Whether this row has shown all that it can.
    fn is_settled(&self) -> bool {
        let astray = self.hits() == 0 && !self.takes_unseen && self.astray().is_some();
        self.hits() >= HITS || self.tries.len() >= if astray { MORE_BAITS } else { ROW_BAITS }
    }

    /// The mistake that the bot's moves in this row show, in words.
    fn mistake(&self) -> Option<String> {
        if self.hits() > 0 || self.takes_unseen {
            return None;
        }
        let place = |tile: usize| in_words(vision_offset(tile));
        let last = self.tries.last().filter(|last| last.took && self.misses() >= MISSES);
        if let Some((Try { tile, .. }, end)) = last.and_then(|last| Some((last, last.end?))) {
            return Some(format!(
                "it saw food and linemate on tile {tile} of its Look, {}, and took {}, where nothing lay; so it went {} times, \
                 and never to that tile",
                place(*tile),
                in_words(end),
                self.misses()
            ));
        }
        // A bot that mostly looks again on its way only strolls.
        let ended = self.tries.iter().filter(|one| one.end.is_some()).count();
        let ends = self.astray().filter(|_| self.tries.len() >= MORE_BAITS && ended >= MORE_BAITS / 2)?;
        let went = |(tile, end): (&usize, &Place)| {
            format!(
                "on tile {tile} of its Look, {}, and each time went {} before it looked again",
                place(*tile),
                in_words(*end)
            )
        };
        let went: Vec<String> = ends.iter().take(2).map(went).collect();
        Some(format!(
            "it saw food and linemate {}; so it went {} times, and never to such a tile",
            went.join("; "),
            self.tries.len()
        ))
    }
}

/// Lays a bait on a tile beside the bot's line of sight when the bot looks, unless the last bait stays.
pub fn lay_bait(stage: &mut Stage<'_, Zappy>, seat: usize, player: &MirrorPlayer) {
    let looks = stage.connections[seat].dialogue.waiting.front() == Some(&Some(Command::Look));
    if !looks || std::mem::replace(&mut stage.play.aim.looking, true) {
        return;
    }
    let pose = (player.at, player.orientation);
    if let Some(Bait { at, from, is_read, tried, .. }) = stage.play.aim.bait {
        let awaited = is_read && !tried;
        let size = map_size(stage);
        let place = |(stands, way): (Position, Orientation), to| way.from_map(size.delta(stands, to));
        let seen = (0..vision_tiles(player.level.get())).any(|tile| vision_offset(tile) == place(pose, at));
        let (to, by) = (place(from, at), place(from, pose.0));
        // Whether a bot on its way to the bait may come by here.
        let within = |to: i32, by: i32| by.signum() * to.signum() >= 0 && by.abs() <= to.abs();
        let on_the_way = by != (0, 0) && by != to && within(to.0, by.0) && within(to.1, by.1);
        if awaited && seen && on_the_way {
            stage.play.aim.bait.iter_mut().for_each(|bait| (bait.from, bait.looked_again) = (pose, true));
            return;
        }
        note_try(stage, pose.0, false);
        if by == to && awaited {
            return;
        }
        stage.play.aim.bait = None;
        set_bait(stage, at, 0);
    }
    let Some(row) = rows(stage).get(stage.play.aim.row).copied() else { return };
    let tiles = BAIT_TILES[row];
    let tile = tiles[stage.play.aim.tries.len() % tiles.len()];
    let at = map_size(stage).offset(pose.0, pose.1.to_map(vision_offset(tile)));
    let aim = &mut stage.play.aim;
    aim.bait = Some(Bait { tile, at, from: pose, looked_again: false, is_read: false, tried: false });
    aim.baited.push(at);
    set_bait(stage, at, 1);
}

/// Puts `quantity` units of food and of linemate on a tile: 1 lays a bait, 0 takes it away.
fn set_bait(stage: &mut Stage<'_, Zappy>, at: Position, quantity: u32) {
    for resource in ["food", "linemate"] {
        stage.console(&format!("/setTile {resource} {quantity} {} {}", at.x, at.y));
    }
}

/// The rows that are tried at the bot's level.
fn rows(stage: &Stage<'_, Zappy>) -> &'static [usize] {
    if stage.play.scene.level > 1 { &[2, 3] } else { &[1] }
}

/// Notes an answer to the bot's first player.
pub fn note_aim(stage: &mut Stage<'_, Zappy>, seat: SeatId, command: Option<&Command>, response: &Response) {
    if stage.play.scene.injected != Injected::Tempts {
        return;
    }
    // Other players of the bot see something else.
    let Some((_, first, MirrorPlayer { at, .. })) = victim(stage) else { return };
    if first != seat.0 as usize {
        return;
    }
    let aim = &mut stage.play.aim;
    match (command, response) {
        (Some(Command::Look), _) => {
            aim.looking = false;
            aim.bait.iter_mut().for_each(|bait| bait.is_read = true);
        }
        (Some(Command::Take(_)), Response::Ok) => note_try(stage, at, true),
        (Some(Command::Take(_)), Response::Ko) if !aim.baited.contains(&at) => {
            aim.takes_unseen |= aim.bait.is_none();
            note_try(stage, at, true);
        }
        _ => {}
    }
}

/// Counts the bot's move for a bait by the tile on which it first took or looked again. Later takes don't count: a plan
/// may take several times at the same place.
fn note_try(stage: &mut Stage<'_, Zappy>, stands: Position, took: bool) {
    let size = map_size(stage);
    let Some(row) = rows(stage).get(stage.play.aim.row).copied() else { return };
    let aim = &mut stage.play.aim;
    let Some(bait) = aim.bait.as_mut().filter(|bait| bait.is_read && !bait.tried) else { return };
    bait.tried = true;
    let (tile, (stood, way)) = (bait.tile, bait.from);
    let end = match bait.looked_again {
        false => Some(way.from_map(size.delta(stood, stands))),
        // It saw the bait in another row, too, which says nothing about this row, unless this is the first row.
        true => Some(vision_offset(tile)).filter(|_| row == 1 && stands == bait.at),
    };
    aim.reached |= stands == bait.at;
    aim.tries.push(Try { tile, end, took: took && end.is_some() });
    if let Some(words) = aim.mistake() {
        stage.fail(FaultKind::Misses, words);
    } else if aim.is_settled() {
        aim.row += 1;
        aim.tries.clear();
        if aim.row == rows(stage).len() && !stage.play.aim.reached && !stage.play.aim.takes_unseen {
            let words =
                "it never went where it saw something, so whether it counts the tiles well isn't known";
            stage.seen.notes.push(words.into());
        }
    }
}

/// How many baits the bot has had: as many as are needed once all rows were tried, and fewer until then.
pub fn aimed(stage: &Stage<'_, Zappy>) -> u32 {
    let (rows, aim) = (rows(stage).len(), &stage.play.aim);
    let (all, had) = (rows * ROW_BAITS, aim.row * ROW_BAITS + aim.tries.len());
    u32::try_from(if aim.row >= rows { all } else { had.min(all - 1) }).unwrap_or(u32::MAX)
}

/// A place in words, as the bot sees it: `2 ahead and 1 to the left`.
fn in_words((ahead, right): Place) -> String {
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

    /// The moves of a bot that always looks again at these places.
    fn looks_again(ends: &[(usize, &[Place])]) -> Aim {
        let tries = ends.iter().flat_map(|(tile, ends)| {
            ends.iter().map(|end| Try { tile: *tile, end: Some(*end), took: false }).collect::<Vec<_>>()
        });
        Aim { tries: tries.collect(), ..Aim::default() }
    }

    #[test]
    fn only_a_bot_that_goes_to_another_wrong_place_for_each_tile_is_astray() {
        let near = |left: &[Place], right: &[Place]| looks_again(&[(1, left), (3, right)]).astray().is_some();
        assert!(near(&[(1, 1), (1, 1)], &[(1, -1)]), "left for right");
        assert!(near(&[(1, 0)], &[(2, -2), (2, -2)]), "one tile too far");
        assert!(looks_again(&[(4, &[(2, 2)]), (7, &[(2, -1)])]).astray().is_some(), "row 2 mirrored");
        assert!(
            looks_again(&[(9, &[(3, -2)]), (14, &[(3, 3)])]).astray().is_some(),
            "row 3 shifted to the right"
        );
        for (left, right, why) in [
            (vec![(1, 1)], vec![], "only one side"),
            (vec![(1, 1), (1, 0)], vec![(1, -1)], "it strolls"),
            (vec![(1, 1)], vec![(1, 1)], "it goes its way"),
            (vec![(0, 0)], vec![(1, -1)], "it stays"),
            (vec![(1, 0)], vec![(3, 0)], "it goes straight on"),
            (vec![(0, -1)], vec![(0, 1)], "it looks again on the way"),
        ] {
            assert!(!near(&left, &right), "{why}");
        }
        assert!(
            looks_again(&[(9, &[(3, 0)]), (14, &[(3, 1)])]).astray().is_none(),
            "it looks again on the way"
        );
        assert!(
            looks_again(&[(4, &[(1, 0), (1, 0)]), (5, &[(0, -1)]), (7, &[(0, -1)])]).astray().is_none(),
            "it looks again after each step"
        );
        assert!(
            looks_again(&[(9, &[(3, 3)]), (15, &[(3, 0), (3, 1)]), (10, &[(3, 2)])]).astray().is_none(),
            "wrong for two tiles of three"
        );
        assert!(
            looks_again(&[(11, &[(3, 0)]), (15, &[(3, 0)]), (13, &[(3, 2)]), (14, &[(3, 3)])])
                .astray()
                .is_some(),
            "one tile too far to the right, and blind for the last"
        );
    }
}
