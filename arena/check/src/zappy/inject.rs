//! What is done to a bot in a scene, by the console and by players of the check, so that every line that the bot is
//! sent is made by the rules.
//!
//! All of it is done between two ticks, when everything was read and written. Tested in `input` and in
//! `arena/cli/tests/check.rs`.

use std::time::{Duration, Instant};

use zappy_game::{Input, SeatId};
use zappy_protocol::zappy::mirror::MirrorPlayer;
use zappy_protocol::zappy::player::{Command, Response};
use zappy_protocol::zappy::{PlayerId, Resource};
use zappy_protocol::{Position, Tick};

use super::Zappy;
use super::aim::{aimed, lay_bait};
use super::bag::fill_bag;
use super::call::call_bot;
use super::scene::{Injected, NOT_UTF8, lay_out, long_text, puppet, victim};
use crate::seen::FaultKind;
use crate::stage::{Stage, TEAM};

/// How many commands a bot sends undisturbed at first, so that its habits are known: more than may wait at once, so
/// that commands which are dropped because a bot always sends too many are counted by then.
pub const WARM_UP: u64 = 24;
/// Ticks between two incantations of other players.
const PEACE_TICKS: Tick = 15;
/// The note if an incantation can't be injected: under `strict` it gathers idle players alone, and a bot is rarely
/// idle.
const NOT_TAKEN_ALONG: &str = "by these rules an incantation takes along only players that execute no command, so this wasn't tried; without \
     `--rules strict` it is";
/// The texts that are shouted: other players may shout anything.
const SHOUT_TEXTS: [&str; 4] = ["come here", "ok", "dead", "[ player food,,, ]"];
/// How many shouts come at once.
const BURST_SHOUTS: usize = 60;
/// The beginning of a line, after which the connection ends.
const PARTIAL_LINE: &str = "[ player fo";
/// How long a bot has for reacting to a shout before its answer comes.
const REACTION_TIME: Duration = Duration::from_millis(15);
/// How many times a player of ours shouts.
const MOST_ALOUD: u32 = 4;
/// How long an answer is held back: less than an incantation takes at the subject's frequency.
const LATE_TIME: Duration = Duration::from_millis(2_500);
/// How often an answer is held back.
const LATE_TIMES: u32 = 2;
/// In a scene with hunger, the things that the bot saw are left to it after every third of its looks.
const SPARED_LOOKS: u32 = 3;
/// How many refusals in a row are no longer bad luck.
const REFUSALS: u32 = 25;

/// How far the injected fault of a scene has come: what was counted of the bot, and what was done to it.
#[derive(Debug, Default)]
pub struct Injection {
    /// How many commands were dropped.
    pub dropped: u32,
    /// The most commands without an answer: before the fault was first injected, and since.
    pub waiting: [usize; 2],
    /// How many commands were dropped before the fault was first injected.
    pub dropped_before: u32,
    /// The tick from which other players may begin another incantation.
    pub peace: Tick,
    /// Where the bot stood before it was moved away.
    pub home: Option<Position>,
    /// Whether the stones for the bot's next incantation were laid out.
    pub laid: bool,
    /// Whether a `Look` of the bot was answered at this tick.
    pub looked: bool,
    /// How many times a `Look` was answered.
    pub looks: u32,
    /// Whether the things that the bot saw were taken away.
    pub emptied: bool,
    /// How many commands were refused after the things had been taken away.
    pub refused: u32,
    /// How many commands were refused in a row.
    pub refused_in_a_row: u32,
    /// How many `Take food` the bot sent.
    pub takes: u32,
    /// How many of those were refused.
    pub refusals: u32,
    /// How many times the bot asked for its `Inventory`.
    pub counts: u32,
}

impl Injection {
    /// Notes what a command asks for.
    pub fn note_command(&mut self, command: &Command) {
        self.takes += u32::from(*command == Command::Take(Resource::Food));
        self.counts += u32::from(*command == Command::Inventory);
    }

    /// Notes the answer to a command.
    pub fn note_answer(&mut self, command: Option<&Command>, response: &Response) {
        let refused = *response == Response::Ko;
        self.refusals += u32::from(command == Some(&Command::Take(Resource::Food)) && refused);
        match command {
            Some(Command::Take(_) | Command::Incantation) if refused => {
                self.refused += u32::from(self.emptied);
                self.refused_in_a_row += 1;
            }
            Some(Command::Look) => (self.looked, self.refused_in_a_row) = (true, 0),
            Some(_) => self.refused_in_a_row = 0,
            None => {}
        }
    }
}

/// Injects the fault of the scene, before a tick passes.
pub fn inject(stage: &mut Stage<'_, Zappy>) {
    if stage.play.scene.injected == Injected::None {
        return;
    }
    let silent = stage.connections.iter().all(|connection| connection.mute || !connection.is_open());
    if stage.rhythm.steps < WARM_UP && !silent {
        return;
    }
    let Some((id, seat, player)) = victim(stage) else { return };
    let scene = stage.play.scene;
    let takes_along =
        matches!(scene.injected, Injected::Freezes | Injected::Raises) || player.level.get() < scene.level;
    if takes_along && stage.play.rules.gathers_idle_only() {
        stage.seen.notes.push(NOT_TAKEN_ALONG.to_owned());
        stage.seen.occurrences = 1;
        stage.over = true;
        return;
    }
    if scene.level > 1 && educate(stage, seat, &player) {
        return;
    }
    match stage.play.scene.injected {
        Injected::None | Injected::ShoutsAlong | Injected::Bursts => {}
        // A shout for each command of the bot.
        Injected::Shouts => {
            let waits = stage.connections[seat].dialogue.waiting.front().is_some();
            if waits && stage.rhythm.steps_at_fault < stage.rhythm.steps && stage.seen.occurrences < 12 {
                shout(stage);
                stage.hold = Some(Instant::now() + REACTION_TIME);
            }
        }
        Injected::Pushes => push(stage, &player),
        Injected::TakesStones => take_stones(stage, seat, &player),
        Injected::Freezes => freeze(stage, id, seat, &player),
        Injected::Raises => raise(stage, seat, &player),
        Injected::Kills => {
            let players = stage.play.game.projection().players;
            for (id, _) in players.into_iter().filter(|(_, player)| player.team.as_str() == TEAM) {
                stage.console(&format!("/kill {}", id.0));
            }
            stage.begin_finale();
        }
        Injected::Closes => {
            stage.console("/quit");
            stage.begin_finale();
        }
        Injected::ShoutsBytes => shout_aloud(stage, NOT_UTF8),
        Injected::ShoutsLong => shout_aloud(stage, &long_text()),
        Injected::Refuses => put_back(stage, seat),
        Injected::Delays => delay(stage, seat),
        Injected::Calls => call_bot(stage, seat, &player),
        Injected::Fills => fill_bag(stage, id, seat),
        Injected::Tempts => {
            lay_bait(stage, seat, &player);
            let aimed = aimed(stage);
            stage.note_occurrences(aimed);
        }
        Injected::Breaks => stage.break_off(PARTIAL_LINE),
    }
}

fn shout(stage: &mut Stage<'_, Zappy>) {
    let times = if stage.play.scene.injected == Injected::Bursts { BURST_SHOUTS } else { 1 };
    for i in 0..times {
        let text = SHOUT_TEXTS[(stage.seen.occurrences as usize + i) % SHOUT_TEXTS.len()];
        stage.console(&format!("/broadcast \"{text}\" 0 0"));
    }
    stage.note_occurrences(stage.seen.occurrences + 1);
}

/// Shouts when an answer is about to be sent, so that the shout and the answer travel in one packet.
pub fn shout_along(stage: &mut Stage<'_, Zappy>, seat: SeatId) {
    let first = stage.connections.iter().find(|connection| connection.is_open() && !connection.mute);
    let first = first.is_some_and(|connection| connection.seat == seat);
    if first && stage.rhythm.steps_at_fault < stage.rhythm.steps && stage.seen.occurrences < 10 {
        shout(stage);
    }
}

fn push(stage: &mut Stage<'_, Zappy>, victim: &MirrorPlayer) {
    let (id, seat) = puppet(stage);
    if stage.seen.occurrences >= 8 {
        return;
    }
    stage.console(&format!("/tp {} {} {}", id.0, victim.at.x, victim.at.y));
    if stage.owing().contains(&seat) {
        stage.hand_in(seat, Input::Line(b"Eject"));
    }
}

fn take_stones(stage: &mut Stage<'_, Zappy>, seat: usize, victim: &MirrorPlayer) {
    if !stage.play.injection.laid {
        // The stones are laid out only when the bot's habits are known: its first incantation is the one
        // that fails.
        stage.play.injection.laid = true;
        lay_out(stage, 1, 1);
    }
    if stage.connections[seat].dialogue.frozen
        && stage.play.injection.home.is_none()
        && stage.seen.occurrences < 2
    {
        stage.console(&format!("/setTile linemate 0 {} {}", victim.at.x, victim.at.y));
        stage.play.injection.home = Some(victim.at);
        stage.note_occurrences(stage.seen.occurrences + 1);
    } else if !stage.connections[seat].dialogue.frozen
        && let Some(at) = stage.play.injection.home.take()
    {
        stage.console(&format!("/setTile linemate 1 {} {}", at.x, at.y));
        stage.rhythm.steps_at_fault = stage.rhythm.steps;
    }
}

fn freeze(stage: &mut Stage<'_, Zappy>, id: PlayerId, seat: usize, victim: &MirrorPlayer) {
    if stage.connections[seat].dialogue.frozen {
        // While the bot is frozen it sees nothing: it is moved away, and moved back when the incantation
        // has failed.
        if stage.play.injection.home.is_none() {
            stage.play.injection.home = Some(victim.at);
            let x = (victim.at.x + 1) % stage.play.scene.side;
            stage.console(&format!("/tp {} {x} {}", id.0, victim.at.y));
        }
        stage.play.injection.peace = stage.seen.tick + PEACE_TICKS;
        return;
    }
    if let Some(at) = stage.play.injection.home.take() {
        stage.console(&format!("/tp {} {} {}", id.0, at.x, at.y));
        stage.rhythm.steps_at_fault = stage.rhythm.steps;
        return;
    }
    if stage.seen.tick >= stage.play.injection.peace && stage.seen.occurrences < 4 {
        stage.note_occurrences(stage.seen.occurrences + 1);
        stage.console(&format!("/incantate {} {} {}", victim.level, victim.at.x, victim.at.y));
    }
}

fn raise(stage: &mut Stage<'_, Zappy>, seat: usize, victim: &MirrorPlayer) {
    if stage.connections[seat].dialogue.frozen {
        stage.play.injection.peace = stage.seen.tick + PEACE_TICKS;
        stage.rhythm.steps_at_fault = stage.rhythm.steps;
        return;
    }
    if stage.seen.tick >= stage.play.injection.peace && stage.seen.occurrences < 3 {
        stage.note_occurrences(stage.seen.occurrences + 1);
        lift(stage, victim);
    }
}

/// Lets a player of ours begin an incantation where the bot stands.
fn lift(stage: &mut Stage<'_, Zappy>, victim: &MirrorPlayer) {
    let (id, at) = (puppet(stage).0.0, victim.at);
    stage.console(&format!("/tp {id} {} {}", at.x, at.y));
    stage.console(&format!("/setLevel {id} {}", victim.level));
    stage.console(&format!("/incantate {} {} {}", victim.level, at.x, at.y));
}

/// Raises the bot to the scene's level, then takes our player away from it; returns whether that still goes on.
fn educate(stage: &mut Stage<'_, Zappy>, seat: usize, victim: &MirrorPlayer) -> bool {
    let scene = stage.play.scene;
    if stage.connections[seat].dialogue.frozen {
        stage.play.injection.peace = stage.seen.tick + PEACE_TICKS;
        return true;
    }
    let (id, side) = (puppet(stage).0, scene.side);
    if victim.level.get() < scene.level {
        if stage.seen.tick >= stage.play.injection.peace {
            lift(stage, victim);
        }
        return true;
    }
    if stage.play.game.projection().players.get(&id).is_some_and(|puppet| puppet.at == victim.at) {
        let Position { x, y } = victim.at;
        stage.console(&format!("/tp {} {} {}", id.0, (x + side / 2) % side, (y + side / 2) % side));
    }
    false
}

/// Lets a player of ours shout the text whenever it can.
pub fn shout_aloud(stage: &mut Stage<'_, Zappy>, text: &[u8]) {
    let (_, seat) = puppet(stage);
    if stage.seen.occurrences < MOST_ALOUD && stage.owing().contains(&seat) {
        stage.hand_in(seat, Input::Line(&[b"Broadcast ", text].concat()));
    }
}

/// After the answer to a `Look`: takes away what the bot saw, before the bot can act.
pub fn be_quicker(stage: &mut Stage<'_, Zappy>) {
    if stage.play.scene.injected != Injected::Refuses {
        return;
    }
    let looked = std::mem::take(&mut stage.play.injection.looked);
    stage.play.injection.looks += u32::from(looked);
    let spared = stage.play.scene.hunger && stage.play.injection.looks.is_multiple_of(SPARED_LOOKS);
    if looked && stage.rhythm.steps >= WARM_UP && !spared {
        stage.play.injection.emptied = true;
        lay_out(stage, 0, 0);
    }
    if stage.play.injection.refused_in_a_row >= REFUSALS {
        let words = format!(
            "what it wanted to take was gone, and it asked {REFUSALS} times in a row for what had been refused"
        );
        stage.fail(FaultKind::Repeats, words);
    }
}

/// Puts everything back when the bot looks again.
pub fn put_back(stage: &mut Stage<'_, Zappy>, seat: usize) {
    let refused = stage.play.injection.refused;
    if stage.seen.occurrences < refused && stage.seen.occurrences < 6 {
        stage.rhythm.steps_at_fault = stage.rhythm.steps;
    }
    stage.seen.occurrences = refused;
    let looks = stage.connections[seat].dialogue.waiting.front() == Some(&Some(Command::Look));
    if looks
        && std::mem::take(&mut stage.play.injection.emptied)
        && let Some((food, linemate)) = stage.play.scene.ground
    {
        lay_out(stage, food, linemate);
    }
}

/// Stops the ticks for [`LATE_TIME`] while the bot waits for an answer.
pub fn delay(stage: &mut Stage<'_, Zappy>, seat: usize) {
    let waits = !stage.connections[seat].dialogue.waiting.is_empty();
    if waits && stage.seen.occurrences < LATE_TIMES && stage.rhythm.steps > stage.rhythm.steps_at_fault + 2 {
        stage.note_occurrences(stage.seen.occurrences + 1);
        stage.hold = Some(Instant::now() + LATE_TIME);
    }
}
