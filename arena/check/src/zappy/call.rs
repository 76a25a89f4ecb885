//! Whether a bot that follows sounds comes to the tile that they come from, and stays there: shouts from one tile,
//! until the bot stands on it.
//!
//! A bot need not follow; so only what it does close to the tile counts, once it has come there from afar. It is called
//! in words of its own, which it shouted in another scene, and in the words of the guide. Tested in
//! `arena/cli/tests/check.rs`.

use zappy_protocol::zappy::Orientation;
use zappy_protocol::zappy::mirror::MirrorPlayer;
use zappy_protocol::zappy::player::Command;
use zappy_protocol::{MapSize, Position};

use super::Zappy;
use super::scene::map_size;
use crate::seen::FaultKind;
use crate::stage::{Stage, TEAM};

/// Where the shouts come from, ahead and to the right of the bot: at least one of the two is odd, so that a bot that
/// walks two steps at a time never stops there.
const SOURCES: [(i32, i32); 4] = [(3, -2), (-4, 3), (1, 4), (-3, -2)];
/// How many of the bot's own words are tried.
const OWN_WORDS: usize = 2;
/// The most shouts in the same words from one place that the bot never comes close to.
const FAR_SHOUTS: u32 = 5;
/// The most shouts in the same words from one place that the bot has come close to.
const CLOSE_SHOUTS: u32 = 40;
/// Within how many steps of the place from which the shouts come a bot is close.
const CLOSE_STEPS: u32 = 2;
/// How many shouts close by, after each of which the bot moved without coming to stand on the place, make a place
/// passed.
const CIRCLING_MOVES: u32 = 10;
/// How many passed places are no accident.
const PASSED_SOURCES: u32 = 2;
/// How many times that the bot left the place at once are no accident.
const TIMES_LEFT: u32 = 3;
/// How many times the bot has to stay on a place, after which it is called from elsewhere.
const TIMES_STAYED: u32 = 2;
/// On how many places the bot has to stay before the scene is over.
const FOUND_SOURCES: u32 = 2;
/// A bot follows sounds if it went at least this many straight ways after shouts, and more than two of three of them
/// towards the sound.
const LEAST_STRAIGHT_WAYS: u32 = 8;
/// Eighths of a full turn.
const EIGHTHS: i32 = 8;

/// The shouts so far, and how the bot moved after them.
#[derive(Debug, Default)]
pub struct Call {
    /// The tile from which the shouts come.
    source: Option<Position>,
    /// The words that are tried, one after the other.
    pub words: Vec<String>,
    /// How many of the words were given up.
    tried: usize,
    /// How many sources there were so far.
    sources: usize,
    /// Shouts from this source.
    shouts: u32,
    /// How near the bot has come to this source, in steps.
    nearest: u32,
    /// Whether the running `Look` was handled.
    pub looking: bool,
    /// Whether there was a shout during the last `Look`.
    shouted: bool,
    /// Where the bot stood when it last heard a shout.
    heard_at: Option<Position>,
    /// Which way the bot faced when it last heard a shout.
    facing: Option<Orientation>,
    /// The direction from which the last shout came, as the bot read it: 0 to 8.
    pub direction: u8,
    /// How many straight ways the bot went after shouts.
    ways: u32,
    /// How many of those led towards the sound.
    towards: u32,
    /// How many times in a row the bot moved close to this source without coming to stand on it.
    circled: u32,
    /// How many times the bot left a source at once.
    left: u32,
    /// How many times the bot stayed on this source.
    stayed: u32,
    /// How many sources the bot stayed on.
    found: u32,
    /// How many sources the bot circled.
    passed: u32,
}

/// When the bot looks: notes what it did since the last shout, and shouts in every other `Look`, so that a bot that
/// moves twice after one shout shows it.
pub fn call_bot(stage: &mut Stage<'_, Zappy>, seat: usize, player: &MirrorPlayer) {
    let waiting = &stage.connections[seat].dialogue.waiting;
    let moves = |command: &Option<Command>| {
        matches!(command, Some(Command::Forward | Command::Left | Command::Right))
    };
    let looks = waiting.front() == Some(&Some(Command::Look)) && !waiting.iter().any(moves);
    if stage.seen.occurrences > 0 || !looks || std::mem::replace(&mut stage.play.call.looking, true) {
        return;
    }
    let size = map_size(stage);
    let call = &mut stage.play.call;
    if call.shouted {
        // The bot looks for the first time after it had heard a shout; here it stood on the source.
        if call.source.is_some() && call.heard_at == call.source {
            let stays = call.source == Some(player.at);
            call.stayed += u32::from(stays);
            call.left += u32::from(!stays);
        }
        if let Some(towards) = call.went_towards(player.at, size) {
            call.ways += 1;
            call.towards += u32::from(towards);
        }
    }
    call.shouted = !call.shouted;
    if !call.shouted {
        return;
    }
    if let Some(source) = call.source {
        let (distance, was_close) = (size.distance(source, player.at), call.nearest <= CLOSE_STEPS);
        call.nearest = call.nearest.min(distance);
        let moved = call.heard_at.is_some_and(|before| before != player.at);
        call.circled = match distance {
            0 => 0,
            1..=CLOSE_STEPS if was_close && moved => call.circled + 1,
            1..=CLOSE_STEPS if was_close => 0,
            _ => call.circled,
        };
    }
    let comes = call.nearest <= CLOSE_STEPS;
    if call.stayed >= TIMES_STAYED || call.circled >= CIRCLING_MOVES {
        call.found += u32::from(call.stayed >= TIMES_STAYED);
        call.passed += u32::from(call.stayed < TIMES_STAYED);
        call.source = None;
    } else if call.shouts >= if comes { CLOSE_SHOUTS } else { FAR_SHOUTS } {
        call.source = None;
        call.tried += 1;
    }
    if !judge_call(stage) {
        shout_from_afar(stage, player, size);
    }
}

/// Judges how the bot followed the shouts; returns whether nothing more is to be seen.
fn judge_call(stage: &mut Stage<'_, Zappy>) -> bool {
    let call = &stage.play.call;
    let (found, passed, left) = (call.found + call.stayed, call.passed, call.left);
    if call.ways < LEAST_STRAIGHT_WAYS || call.towards * 3 <= call.ways * 2 {
        // A bot that came there by chance makes no mistake there.
    } else if found == 0 && left >= TIMES_LEFT {
        let words = format!(
            "it followed a sound to its tile, read `message 0`, and left the tile at once; so it did {left} times"
        );
        stage.fail(FaultKind::Overruns, words);
    } else if passed >= PASSED_SOURCES && passed > 2 * found {
        let words = format!(
            "it followed a sound up to {CLOSE_STEPS} tiles, and then moved {CIRCLING_MOVES} times without ever stopping on its tile; \
             from {passed} places"
        );
        stage.fail(FaultKind::Overruns, words);
    }
    let call = &stage.play.call;
    if call.found >= FOUND_SOURCES || call.tried >= call.words.len() {
        stage.note_occurrences(1);
    }
    stage.seen.occurrences > 0 || stage.over
}

/// Shouts from a tile, which is full of food while the bot stands on it, so that the bot has no reason to leave.
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

/// Chooses the words in which the bot is called: some of its own, the latest first, and those of the guide.
pub fn choose_words(stage: &mut Stage<'_, Zappy>) {
    let own = stage.shouts.iter().rev().take(OWN_WORDS).cloned();
    stage.play.call.words = own.chain([format!("{TEAM}:come"), "come".to_owned()]).collect();
}

impl Call {
    /// Whether the bot went towards the last shout from where it heard it; `None` if it didn't go straight on the map.
    fn went_towards(&self, at: Position, size: MapSize) -> Option<bool> {
        let (from, facing) = (self.heard_at?, self.facing?);
        let (dx, dy) = size.delta(from, at);
        let went = Orientation::ALL.into_iter().find(|way| (dx.signum(), dy.signum()) == way.step())?;
        // Eighths of a turn, counter-clockwise, from the way that it went to the sound.
        let quarters = i32::from(went.number()) - i32::from(facing.number());
        let heard = i32::from(self.direction.checked_sub(1)?);
        Some(matches!((heard + 2 * quarters).rem_euclid(EIGHTHS), 0 | 1 | 7))
    }
}
