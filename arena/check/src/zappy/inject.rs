//! What is done to a bot in a scene, by the console and by players of ours: so the rules answer for all that
//! it is told.
//!
//! Done between two ticks, when all was read and written. Tested in `arena/cli/tests/check.rs`.

use std::time::{Duration, Instant};

use zappy_game::{Input, SeatId};
use zappy_protocol::zappy::PlayerId;
use zappy_protocol::zappy::mirror::MirrorPlayer;
use zappy_protocol::zappy::player::CommandKind;
use zappy_protocol::{Position, Tick};

use super::Zappy;
use super::doing::{NOT_UTF8, WARM_UP, long_text};
use super::scene::Injected;
use crate::seen::FaultKind;
use crate::stage::{Stage, TEAM};

/// Ticks between two incantations of others.
const PEACE: Tick = 15;
/// What is shouted: others may say anything.
const SHOUTS: [&str; 4] = ["come here", "ok", "dead", "[ player food,,, ]"];
/// Shouts at once.
const BURST: usize = 60;
/// The part of a line that is sent before the connection ends.
const PART: &str = "[ player fo";
/// How long a bot has for reacting to a shout before its answer comes.
const REACTION: Duration = Duration::from_millis(15);
/// Shouts of a player of ours.
const ALOUD: u32 = 4;
/// How long an answer is held back: less than an incantation takes at the subject's frequency.
const LATE: Duration = Duration::from_millis(2_500);
/// How often an answer is held back.
const LATE_TIMES: u32 = 2;
/// Where the bot gets hungry, each so many looks the things that it saw are left to it.
const SPARED: u32 = 3;
/// After this many refusals of one thing in a row it is no longer bad luck.
const REFUSALS: u32 = 25;

impl Stage<'_, Zappy> {
    /// Injects the fault of the scene, before a tick passes.
    pub(super) fn inject(&mut self) {
        if self.play.scene.injected == Injected::None {
            return;
        }
        let silent = self.connections.iter().all(|connection| connection.mute || !connection.is_open());
        if self.rhythm.steps < WARM_UP && !silent {
            return;
        }
        let Some((id, seat, player)) = self.victim() else { return };
        if self.play.scene.level > 1 && self.educate(seat, &player) {
            return;
        }
        match self.play.scene.injected {
            Injected::None | Injected::ShoutsAlong | Injected::Bursts => {}
            Injected::Shouts => self.shout_between(seat),
            Injected::Pushes => self.push(&player),
            Injected::TakesStones => self.take_stones(seat, &player),
            Injected::Freezes => self.freeze(id, seat, &player),
            Injected::Raises => self.raise(seat, &player),
            Injected::Kills | Injected::Closes => self.end_it(),
            Injected::ShoutsBytes => self.shout_aloud(NOT_UTF8),
            Injected::ShoutsLong => self.shout_aloud(&long_text()),
            Injected::Refuses => self.put_back(seat),
            Injected::Delays => self.delay(seat),
            Injected::Calls => self.call(seat, &player),
            Injected::Fills => self.fill_bag(id, seat),
            Injected::Tempts => {
                self.lay_bait(seat, &player);
                let aimed = self.aimed();
                self.note_met(aimed);
            }
            Injected::Breaks => self.break_off(PART),
        }
    }

    fn shout(&mut self) {
        let times = if self.play.scene.injected == Injected::Bursts { BURST } else { 1 };
        for i in 0..times {
            let text = SHOUTS[(self.seen.met as usize + i) % SHOUTS.len()];
            self.console(&format!("/broadcast \"{text}\" 0 0"));
        }
        self.note_met(self.seen.met + 1);
    }

    /// Shouts once for each command.
    fn shout_between(&mut self, seat: usize) {
        let waits = self.connections[seat].dialogue.waiting.front().is_some();
        if waits && self.rhythm.marked < self.rhythm.steps && self.seen.met < 12 {
            self.shout();
            self.hold = Some(Instant::now() + REACTION);
        }
    }

    /// An answer is about to be sent: shouts, so that the shout and the next answer travel in one packet.
    pub(super) fn shout_along(&mut self, seat: SeatId) {
        let first = self.connections.iter().find(|connection| connection.is_open() && !connection.mute);
        let first = first.is_some_and(|connection| connection.seat == seat);
        if first && self.rhythm.marked < self.rhythm.steps && self.seen.met < 10 {
            self.shout();
        }
    }

    fn push(&mut self, victim: &MirrorPlayer) {
        let (id, seat) = self.puppet();
        if self.seen.met >= 8 {
            return;
        }
        self.console(&format!("/tp {} {} {}", id.0, victim.at.x, victim.at.y));
        if self.owing().contains(&seat) {
            self.hand_in(seat, Input::Line(b"Eject"));
        }
    }

    fn take_stones(&mut self, seat: usize, victim: &MirrorPlayer) {
        if !self.play.doing.laid {
            // The stones are laid out only when the bot's habits are known: its first incantation is the one
            // that fails.
            self.play.doing.laid = true;
            self.lay_out(1, 1);
        }
        if self.connections[seat].dialogue.frozen && self.play.doing.home.is_none() && self.seen.met < 2 {
            self.console(&format!("/setTile linemate 0 {} {}", victim.at.x, victim.at.y));
            self.play.doing.home = Some(victim.at);
            self.note_met(self.seen.met + 1);
        } else if !self.connections[seat].dialogue.frozen
            && let Some(at) = self.play.doing.home.take()
        {
            self.console(&format!("/setTile linemate 1 {} {}", at.x, at.y));
            self.rhythm.marked = self.rhythm.steps;
        }
    }

    fn freeze(&mut self, id: PlayerId, seat: usize, victim: &MirrorPlayer) {
        if self.connections[seat].dialogue.frozen {
            // While the bot is frozen it sees nothing: it is moved away, and moved back when the incantation
            // has failed.
            if self.play.doing.home.is_none() {
                self.play.doing.home = Some(victim.at);
                let x = (victim.at.x + 1) % self.play.scene.side;
                self.console(&format!("/tp {} {x} {}", id.0, victim.at.y));
            }
            self.play.doing.peace = self.seen.tick + PEACE;
            return;
        }
        if let Some(at) = self.play.doing.home.take() {
            self.console(&format!("/tp {} {} {}", id.0, at.x, at.y));
            self.rhythm.marked = self.rhythm.steps;
            return;
        }
        if self.seen.tick >= self.play.doing.peace && self.seen.met < 4 {
            self.note_met(self.seen.met + 1);
            self.console(&format!("/incantate {} {} {}", victim.level, victim.at.x, victim.at.y));
        }
    }

    fn raise(&mut self, seat: usize, victim: &MirrorPlayer) {
        if self.connections[seat].dialogue.frozen {
            self.play.doing.peace = self.seen.tick + PEACE;
            self.rhythm.marked = self.rhythm.steps;
            return;
        }
        if self.seen.tick >= self.play.doing.peace && self.seen.met < 3 {
            self.note_met(self.seen.met + 1);
            self.lift(victim);
        }
    }

    /// A player of ours begins an incantation where the bot stands.
    fn lift(&mut self, victim: &MirrorPlayer) {
        let (id, at) = (self.puppet().0.0, victim.at);
        self.console(&format!("/tp {id} {} {}", at.x, at.y));
        self.console(&format!("/setLevel {id} {}", victim.level));
        self.console(&format!("/incantate {} {} {}", victim.level, at.x, at.y));
    }

    /// Raises the bot to the scene's level, then takes our player away from it; true while that goes on.
    fn educate(&mut self, seat: usize, victim: &MirrorPlayer) -> bool {
        let scene = self.play.scene;
        if self.connections[seat].dialogue.frozen {
            self.play.doing.peace = self.seen.tick + PEACE;
            return true;
        }
        let (id, side) = (self.puppet().0, scene.side);
        if victim.level.get() < scene.level {
            if self.seen.tick >= self.play.doing.peace {
                self.lift(victim);
            }
            return true;
        }
        if self.play.game.projection().players.get(&id).is_some_and(|puppet| puppet.at == victim.at) {
            let Position { x, y } = victim.at;
            self.console(&format!("/tp {} {} {}", id.0, (x + side / 2) % side, (y + side / 2) % side));
        }
        false
    }

    /// Kills the bot's players, or has the server close all connections.
    fn end_it(&mut self) {
        if self.play.scene.injected == Injected::Closes {
            self.console("/quit");
        } else {
            let players = self.play.game.projection().players;
            for (id, _) in players.into_iter().filter(|(_, player)| player.team.as_str() == TEAM) {
                self.console(&format!("/kill {}", id.0));
            }
        }
        self.seen.met = 1;
        self.begin_finale();
    }

    /// A player of ours shouts the text whenever it can.
    pub(super) fn shout_aloud(&mut self, text: &[u8]) {
        let (_, seat) = self.puppet();
        if self.seen.met < ALOUD && self.owing().contains(&seat) {
            self.hand_in(seat, Input::Line(&[b"Broadcast ", text].concat()));
        }
    }

    /// The bot was told what it sees: takes that away before the bot can act.
    pub(super) fn be_quicker(&mut self) {
        if self.play.scene.injected != Injected::Refuses {
            return;
        }
        let looked = std::mem::take(&mut self.play.doing.looked);
        self.play.doing.looks += u32::from(looked);
        let spared = self.play.scene.hunger && self.play.doing.looks.is_multiple_of(SPARED);
        if looked && self.rhythm.steps >= WARM_UP && !spared {
            self.play.doing.emptied = true;
            self.lay_out(0, 0);
        }
        if self.play.doing.in_a_row >= REFUSALS {
            let words = format!(
                "what it wanted to take was gone, and it asked {REFUSALS} times in a row for what had been refused"
            );
            self.fail(FaultKind::Repeats, words);
        }
    }

    /// The bot looks again: puts everything back.
    pub(super) fn put_back(&mut self, seat: usize) {
        let refused = self.play.doing.refused;
        if self.seen.met < refused && self.seen.met < 6 {
            self.rhythm.marked = self.rhythm.steps;
        }
        self.seen.met = refused;
        let looks = self.connections[seat].dialogue.waiting.front() == Some(&Some(CommandKind::Look));
        if looks
            && std::mem::take(&mut self.play.doing.emptied)
            && let Some((food, linemate)) = self.play.scene.ground
        {
            self.lay_out(food, linemate);
        }
    }

    /// Stops time while the bot waits for an answer.
    pub(super) fn delay(&mut self, seat: usize) {
        let waits = !self.connections[seat].dialogue.waiting.is_empty();
        if waits && self.seen.met < LATE_TIMES && self.rhythm.steps > self.rhythm.marked + 2 {
            self.note_met(self.seen.met + 1);
            self.hold = Some(Instant::now() + LATE);
        }
    }
}
