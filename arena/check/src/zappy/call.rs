//! Whether a bot that follows sounds comes to where they come from, and stays there: shouts from one tile, until it stands on
//! it.
//!
//! A bot need not follow; so what it does close to the tile counts, once it has come there from afar, and ways that depend on
//! the K that it heard, but lead elsewhere: mirrored, or by the compass. It is called in words of its own, which it said in
//! another scene, and in those of the guide. Tested in this module and in `arena/cli/tests/check.rs`.

use std::collections::BTreeSet;

use zappy_protocol::zappy::Orientation;
use zappy_protocol::zappy::mirror::MirrorPlayer;
use zappy_protocol::zappy::player::Command;
use zappy_protocol::{MapSize, Position};

use super::Zappy;
use super::blame::remedy;
use crate::seen::FaultKind;
use crate::stage::{Stage, TEAM};

/// Where the shouts come from, ahead and to the right of the bot: at least one of the two is odd, so that a bot that walks two
/// steps at a time never stops there.
const SOURCES: [(i32, i32); 4] = [(3, -2), (-4, 3), (1, 4), (-3, -2)];
/// Words of the bot's that are tried.
const WORDS: usize = 2;
/// Shouts in the same words from one place, unless the bot comes nearer; and if it does.
const SHOUTS: u32 = 5;
const MORE_SHOUTS: u32 = 40;
/// Places from which the same words are tried if the bot seems to misread K.
const PLACES: usize = 3;
/// Steps that are close to where the shouts come from.
const CLOSE: u32 = 2;
/// So many shouts close by, after each of which the bot moved without coming to stand there, are no accident; and from so many
/// places.
const CIRCLES: u32 = 10;
const PASSED: u32 = 2;
/// So often it left the tile at once.
const LEFT: u32 = 3;
/// So often it stayed, after which it is called from elsewhere; and from so many places.
const STAYED: u32 = 2;
const FOUND: u32 = 2;

/// A bot follows sounds if of at least so many ways that it went after shouts the right reading of K explains more than two of
/// three.
const FOLLOWED: usize = 8;
/// Of one that doesn't, so many ways are suspect if a wrong reading explains all but one of them.
const WAYS: usize = 4;
/// That is no accident if it heard so many different K, counted once for each way that it faced, and if after so many of them
/// it didn't go straight ahead. A bot that walks at random or in circles hears the same K again and again.
const HEARD: usize = 11;
const TURNED: usize = 4;
/// Eighths of a full turn.
const EIGHTHS: i32 = 8;

/// The way that the bot went after a shout, in eighths of a turn, counter-clockwise.
#[derive(Debug, Clone, Copy)]
struct Way {
    /// K, less one: where the sound came from, counted from where the bot faced.
    heard: i32,
    /// Where it faced and where it went, counted from north.
    facing: i32,
    went: i32,
}

/// The shouts so far, and how the bot moved after them.
#[derive(Debug, Default)]
pub struct Call {
    source: Option<Position>,
    /// The words that are tried, and how many have been.
    pub words: Vec<String>,
    tried: usize,
    sources: usize,
    /// Shouts from this one, and how near the bot has come.
    shouts: u32,
    nearest: u32,
    /// Whether the running `Look` was handled, and whether there was a shout in it.
    pub looking: bool,
    shouted: bool,
    /// Where the bot stood when it last heard a shout, and the way that it faced.
    heard_at: Option<Position>,
    facing: Option<Orientation>,
    /// The K of the last shout.
    pub direction: u8,
    ways: Vec<Way>,
    circled: u32,
    left: u32,
    stayed: u32,
    /// Sources where it came to stand, and those that it circled.
    found: u32,
    passed: u32,
}

/// The bot looks: notes what it did since the last shout, and shouts in every other `Look`, so that a bot that goes twice
/// by one shout does so.
pub fn call(stage: &mut Stage<'_, Zappy>, seat: usize, player: &MirrorPlayer) {
    let waiting = &stage.connections[seat].dialogue.waiting;
    let moves = |command: &Option<Command>| {
        matches!(command, Some(Command::Forward | Command::Left | Command::Right))
    };
    let looks = waiting.front() == Some(&Some(Command::Look)) && !waiting.iter().any(moves);
    if stage.seen.met > 0 || !looks || std::mem::replace(&mut stage.play.call.looking, true) {
        return;
    }
    let size = MapSize::new(stage.play.scene.side, stage.play.scene.side).expect("a small map");
    let call = &mut stage.play.call;
    // It looks for the first time after it had heard a shout on its own tile.
    if call.shouted && call.source.is_some() && call.heard_at == call.source {
        let stays = call.source == Some(player.at);
        call.stayed += u32::from(stays);
        call.left += u32::from(!stays);
    }
    if call.shouted
        && let Some(way) = call.way_to(player.at, size)
    {
        call.ways.push(way);
        if let Some(words) = misread(&call.ways).filter(|_| call.is_certain()) {
            stage.seen.fault_with(FaultKind::Overruns, words, Some(remedy("direction")));
            stage.over = true;
            return;
        }
    }
    let call = &mut stage.play.call;
    call.shouted = !call.shouted;
    if !call.shouted {
        return;
    }
    if let Some(source) = call.source {
        call.note_way(size.distance(source, player.at), player.at);
    }
    let comes = call.nearest <= CLOSE;
    if call.stayed >= STAYED || call.circled >= CIRCLES {
        call.found += u32::from(call.stayed >= STAYED);
        call.passed += u32::from(call.stayed < STAYED);
        call.source = None;
    } else if call.shouts >= if comes { MORE_SHOUTS } else { SHOUTS } {
        call.source = None;
        let more = misread(&call.ways).is_some() && !call.sources.is_multiple_of(PLACES);
        call.tried += usize::from(!more);
    }
    if !judge_call(stage) {
        shout_from_afar(stage, player, size);
    }
}

/// Whether nothing more is to be seen.
fn judge_call(stage: &mut Stage<'_, Zappy>) -> bool {
    let call = &stage.play.call;
    let (found, passed, left) = (call.found + call.stayed, call.passed, call.left);
    if !follows(&call.ways) {
        // What a bot does at the place to which chance led it tells nothing.
    } else if found == 0 && left >= LEFT {
        let words = format!(
            "it followed a sound to its tile, read `message 0`, and left the tile at once; so it did {left} times"
        );
        stage.fail(FaultKind::Overruns, words);
    } else if passed >= PASSED && passed > 2 * found {
        let words = format!(
            "it followed a sound up to {CLOSE} tiles, and then moved {CIRCLES} times without ever stopping on its tile; \
             from {passed} places"
        );
        stage.fail(FaultKind::Overruns, words);
    }
    let call = &stage.play.call;
    if call.found >= FOUND || call.tried >= call.words.len() {
        stage.note_met(1);
    }
    stage.seen.met > 0 || stage.over
}

/// Shouts from a tile, which is full of food while the bot stands on it, so that it has no reason to leave.
fn shout_from_afar(stage: &mut Stage<'_, Zappy>, player: &MirrorPlayer, size: MapSize) {
    let call = &mut stage.play.call;
    let Some(words) = call.words.get(call.tried).cloned() else { return };
    let afar = size.offset(player.at, player.orientation.to_map(SOURCES[call.sources % SOURCES.len()]));
    if call.source.is_none() {
        (call.sources, call.shouts, call.nearest, call.heard_at) = (call.sources + 1, 0, u32::MAX, None);
        (call.circled, call.stayed) = (0, 0);
    }
    let at = *call.source.get_or_insert(afar);
    call.shouts += 1;
    (call.heard_at, call.facing) = (Some(player.at), Some(player.orientation));
    let food = if at == player.at { 9 } else { 0 };
    stage.console(&format!("/setTile food {food} {} {}", at.x, at.y));
    stage.console(&format!("/broadcast \"{words}\" {} {}", at.x, at.y));
}

/// The words in which the bot is called: some of its own, the latest first, and those of the guide.
pub fn choose_words(stage: &mut Stage<'_, Zappy>) {
    let own = stage.words.iter().rev().take(WORDS).cloned();
    stage.play.call.words = own.chain([format!("{TEAM}:come"), "come".to_owned()]).collect();
}

/// How many of the ways a reading of K explains.
fn explained(ways: &[Way], reading: impl Fn(&Way) -> i32) -> usize {
    let fits = |way: &&Way| matches!((reading(way) - way.went).rem_euclid(EIGHTHS), 0 | 1 | 7);
    ways.iter().filter(fits).count()
}

/// Whether the bot goes where the sounds come from, most of the time: where it came to one, it was on purpose.
fn follows(ways: &[Way]) -> bool {
    ways.len() >= FOLLOWED && explained(ways, |way| way.facing + way.heard) * 3 > ways.len() * 2
}

/// How the bot seems to misread K: it goes where a wrong reading leads, and not where the right one does.
fn misread(ways: &[Way]) -> Option<String> {
    if ways.len() < WAYS || follows(ways) {
        return None;
    }
    let explains = |reading: &dyn Fn(&Way) -> i32| explained(ways, reading) + 1 >= ways.len();
    if explains(&|way| way.facing - way.heard) {
        return Some(format!(
            "it followed {} sounds to the other side: it went to its right where they came from its left",
            ways.len()
        ));
    }
    let norths = (0..EIGHTHS).step_by(2);
    let by_compass = |north: i32| explains(&|way| north + way.heard) || explains(&|way| north - way.heard);
    norths.into_iter().any(by_compass).then(|| {
        format!(
            "it followed {} sounds as if K were a point of the compass: for the same K it went the same way on the map, \
             whichever way it faced",
            ways.len()
        )
    })
}

impl Call {
    /// Whether so many different K were heard that its ways are no accident.
    fn is_certain(&self) -> bool {
        let different = |turned: bool| {
            let counted = self.ways.iter().filter(|way| !turned || way.went != way.facing);
            counted.map(|way| (way.heard, way.facing)).collect::<BTreeSet<_>>().len()
        };
        different(false) >= HEARD && different(true) >= TURNED
    }

    /// The way from where the bot heard the last shout to where it stands now, if that is straight on the map.
    fn way_to(&self, at: Position, size: MapSize) -> Option<Way> {
        let (from, facing) = (self.heard_at?, self.facing?);
        let (dx, dy) = size.delta(from, at);
        let went = Orientation::ALL.into_iter().find(|way| (dx.signum(), dy.signum()) == way.step())?;
        let turned = |way: Orientation| 2 * (1 - i32::from(way.number())).rem_euclid(4);
        let heard = i32::from(self.direction).checked_sub(1).filter(|heard| *heard >= 0)?;
        Some(Way { heard, facing: turned(facing), went: turned(went) })
    }

    /// The bot hears the next shout, so far away.
    fn note_way(&mut self, distance: u32, at: Position) {
        let moved = self.heard_at.is_some_and(|before| before != at);
        let was_close = self.nearest <= CLOSE;
        self.nearest = self.nearest.min(distance);
        self.circled = match distance {
            0 => 0,
            1..=CLOSE if was_close && moved => self.circled + 1,
            1..=CLOSE if was_close => 0,
            _ => self.circled,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ways after sounds from all sides to a bot that faces all ways.
    fn ways(went: impl Fn(i32, i32) -> i32) -> Vec<Way> {
        let all = (0..EIGHTHS).flat_map(|heard| [0, 2, 4, 6].map(|facing| (heard, facing)));
        all.map(|(heard, facing)| Way { heard, facing, went: went(heard, facing).rem_euclid(EIGHTHS) })
            .collect()
    }

    #[test]
    fn only_a_bot_whose_ways_follow_a_wrong_reading_misreads() {
        let misread = |ways: Vec<Way>| {
            let words = misread(&ways);
            words.filter(|_| Call { ways, ..Call::default() }.is_certain())
        };
        // A way is along an axis; diagonals are half of each.
        let axis = |eighths: i32| eighths / 2 * 2;
        assert_eq!(misread(ways(|heard, facing| facing + axis(heard))), None, "as it should");
        assert_eq!(misread(ways(|_, facing| facing)), None, "straight ahead, whatever it hears");
        assert_eq!(misread(ways(|heard, facing| 3 * heard + 5 * facing)), None, "anywhere");
        let mirrored = misread(ways(|heard, facing| facing - axis(heard))).unwrap();
        assert!(mirrored.contains("to the other side"), "{mirrored}");
        let compass = misread(ways(|heard, _| 2 + axis(heard))).unwrap();
        assert!(compass.contains("compass"), "{compass}");
        let few = ways(|heard, facing| facing - axis(heard)).into_iter().take(HEARD - 1);
        assert_eq!(misread(few.cycle().take(100).collect()), None, "often, but always the same");
        let ahead = ways(|_, facing| facing).into_iter();
        let ahead: Vec<Way> = ahead
            .filter(|way| matches!((way.facing - 2 - way.heard).rem_euclid(EIGHTHS), 0 | 1 | 7))
            .collect();
        assert_eq!(misread(ahead), None, "straight ahead, where that happens to be by the compass");
    }
}
