//! Zappy's situations: the rules, the bot's commands, and what is done to it by the console and by players of ours.
//!
//! `scene` lays out what surrounds the bot; `inject`, `aim`, `bag` and `call` do what is done to the bot, `input`
//! checks its commands, `blame` looks at what it was sent last, and `situations.toml` says which mistakes count in
//! which scene. Tested in `arena/cli/tests/check.rs`.

mod aim;
mod bag;
mod blame;
mod call;
mod inject;
mod input;
mod scene;

use std::time::Duration;

use zappy_game::config::{Clock, MatchConfig};
use zappy_game::{Game, Options, SeatId};
use zappy_game_zappy::{RuleSet, Zappy as Rules, ZappyOptions};
use zappy_protocol::zappy::constants::QUEUE_LIMIT;
use zappy_protocol::zappy::player::{Command, Response};
use zappy_protocol::{MapSize, TeamName};

use aim::{Aim, note_aim};
use bag::{Bag, note_bag};
use blame::{blame, remedy, slip};
use call::{Call, choose_words};
use inject::{Injection, WARM_UP, be_quicker, inject, shout_along};
use input::{Dialogue, check_command, note_death, note_waiting};
pub use scene::Scene;
use scene::{Injected, furnish, victim};

use super::connection::{Connection, Phase};
use super::scene::{Enough, PlayScene, Role, SceneSettings, Supplies};
use super::seen::{FaultKind, Remedy, Seen, shown};
use super::stage::{OTHERS, PUPPETS, Play, Stage, TEAM};

/// How long a client may take to hatch from an egg, besides what the bot takes to start.
const HATCH_LIMIT: Duration = Duration::from_secs(3);

/// The scenes and the situations.
pub const SITUATIONS: &str = include_str!("situations.toml");

#[derive(Debug)]
pub struct Zappy {
    scene: Scene,
    game: Rules,
    rules: RuleSet,
    /// The seat of each player, in the order of their numbers.
    seats: Vec<SeatId>,
    injection: Injection,
    aim: Aim,
    bag: Bag,
    call: Call,
    /// When an egg was laid that still waits for a client, by the fair clock, and how many players had joined by then.
    egg: Option<(Duration, usize)>,
    /// How many players had joined when the last `Fork` was sent.
    players_at_fork: usize,
    /// Whether a client has hatched from an egg.
    hatched: bool,
}

impl Zappy {
    fn new(scene: Scene, options: &Options) -> Zappy {
        let team = |name: &str| TeamName::parse(name.as_bytes()).expect("a good name");
        let size = MapSize::new(scene.side, scene.side).expect("a small map");
        // A line is taken when the bot owes one, as in the lockstep clock's rounds.
        let config = MatchConfig {
            seed: 42,
            clock: Clock::Lockstep,
            ..MatchConfig::new(size, vec![team(TEAM), team(OTHERS)])
        };
        let rules = RuleSet::parse(options.get("rules")).unwrap_or(RuleSet::SUBJECT);
        let options = ZappyOptions { slots: scene.slots, display_eggs: scene.eggs, rules };
        Zappy {
            scene,
            game: Rules::new(&config, options),
            rules,
            seats: Vec::new(),
            injection: Injection::default(),
            aim: Aim::default(),
            bag: Bag::default(),
            call: Call::default(),
            egg: None,
            players_at_fork: 0,
            hatched: false,
        }
    }
}

impl PlayScene for Scene {
    fn play(&self, settings: SceneSettings, supplies: Supplies<'_>) -> Seen {
        Stage::new(settings, Zappy::new(*self, supplies.options), supplies).play()
    }
}

impl Play for Zappy {
    type Dialogue = Dialogue;

    fn game(&mut self) -> &mut dyn Game {
        &mut self.game
    }

    fn begin(stage: &mut Stage<'_, Self>) {
        let scene = stage.play.scene;
        for i in 0..scene.others + if stage.settings.full { scene.slots } else { 0 } {
            stage.seat(SeatId(PUPPETS + i), if i < scene.others { OTHERS } else { TEAM });
        }
        furnish(stage);
        choose_words(stage);
    }

    fn take_line(stage: &mut Stage<'_, Self>, connection: usize, line: &[u8]) {
        check_command(stage, connection, line);
    }

    fn note_sent(stage: &mut Stage<'_, Self>, seat: SeatId, line: &[u8]) {
        let Ok(response) = Response::parse(line) else { return };
        let Some(connection) = stage.connections.get_mut(seat.0 as usize) else { return };
        if connection.phase != Phase::Playing {
            return;
        }
        let dialogue = &mut connection.dialogue;
        let waited = dialogue.waiting.len();
        dialogue.unasked.note(&response, line);
        let answered = dialogue.note_response(&response);
        if dialogue.waiting.len() < waited {
            dialogue.left_waiting = dialogue.waiting.len();
            dialogue.refused = answered.clone().filter(|_| response == Response::Ko);
            connection.last.1 = shown(line);
        }
        let (play, now) = (&mut stage.play, stage.clock.now());
        if answered == Some(Command::Fork) && response == Response::Ok {
            play.egg.get_or_insert((now, play.players_at_fork));
            stage.seen.occurrences += u32::from(stage.settings.enough == Enough::Hatched);
        }
        if let Response::Message { direction, .. } = response {
            play.call.direction = direction;
        }
        play.injection.note_answer(answered.as_ref(), &response);
        if play.scene.counts.matches_line(&response, line) {
            // How the bot goes on counts from the moment at which the line has come often enough.
            let before = stage.rhythm.steps_at_fault;
            stage.note_occurrences(stage.seen.occurrences + 1);
            if matches!(stage.settings.enough, Enough::Met(n, _) if stage.seen.occurrences > n) {
                stage.rhythm.steps_at_fault = before;
            }
        }
        note_bag(stage, seat, &response);
        note_aim(stage, seat, answered.as_ref(), &response);
        stage.play.call.looking &= answered != Some(Command::Look);
        if response == Response::Dead {
            note_death(stage, seat);
        }
    }

    fn note_admitted(stage: &mut Stage<'_, Self>, seat: SeatId) {
        let player = stage.play.seats.len();
        stage.play.seats.push(seat);
        if let Some(food) = stage.play.scene.food.filter(|_| stage.connection_of(seat).is_some()) {
            stage.console(&format!("/setInventory {player} food {food}"));
        }
    }

    fn note_refusal(stage: &mut Stage<'_, Self>, seat: SeatId, words: &str) {
        let Some(connection) = stage.connection_of(seat).filter(|_| words.starts_with("dropped")) else {
            return;
        };
        // The dropped command will never be answered.
        connection.dialogue.waiting.pop_back();
        let words = "it sent a command while ten waited behind the running one; that command was dropped and will \
                     never be answered";
        let scene = &stage.play.scene;
        let ordinary = scene.injected == Injected::None && scene.ground.is_none() && !scene.eggs;
        stage.seen.fault_with(FaultKind::Dropped, words.into(), Some(slip(stage, remedy("queue"), ordinary)));
        stage.play.injection.dropped += 1;
        // After an injected line, a dropped command is a sign of confusion, and is reported as that.
        note_waiting(stage, QUEUE_LIMIT + 1);
    }

    fn before_sending(stage: &mut Stage<'_, Self>, seat: SeatId) {
        shout_along(stage, seat);
    }

    fn before_tick(stage: &mut Stage<'_, Self>) {
        inject(stage);
    }

    fn after_tick(stage: &mut Stage<'_, Self>) {
        stage.connections.iter_mut().for_each(|connection| connection.dialogue.at_tick = (0, 0));
        be_quicker(stage);
    }

    fn is_over(stage: &mut Stage<'_, Self>) -> bool {
        if let Some((laid, before)) = stage.play.egg {
            let waited = stage.clock.now().saturating_sub(laid);
            let start = stage.entered.map_or(Duration::ZERO, |(_, start)| start);
            if stage.play.seats.len() > before {
                (stage.play.egg, stage.play.hatched) = (None, true);
            } else if waited > HATCH_LIMIT + start {
                let words = format!(
                    "it laid an egg, but no new connection named the team within {} s; so no player hatches from it",
                    HATCH_LIMIT.as_secs()
                );
                stage.seen.fault(FaultKind::Unhatched, words);
                stage.play.egg = None;
                stage.over |= stage.settings.enough == Enough::Hatched;
            }
        }
        let is_late = stage.seen.tick >= stage.play.scene.ticks && stage.leave.nothing_left.is_none();
        let is_over = match stage.settings.enough {
            Enough::Hatched => stage.play.hatched,
            Enough::Ticks => is_late,
            _ => stage.is_through(),
        };
        // A client that is on its way to its egg is waited for.
        is_over || is_late && stage.play.egg.is_none()
    }

    fn learns_habits(stage: &Stage<'_, Self>) -> bool {
        stage.settings.role == Role::Ordinary || stage.rhythm.steps < WARM_UP
    }

    /// Every line that the bot sends or is sent gives it something new to think about.
    fn renews_think_time(_line: Option<&[u8]>) -> bool {
        true
    }

    fn is_disturbed(stage: &Stage<'_, Self>, connection: usize) -> bool {
        use Injected as M;
        // Messages, pushes and incantations disturb the player into which they are injected, the other faults none.
        let injects_nothing = matches!(stage.play.scene.injected, M::None | M::Tempts | M::Fills | M::Delays);
        !injects_nothing
            && stage.seen.occurrences > 0
            && victim(stage).is_none_or(|(_, seat, _)| seat == connection)
    }

    fn silence_in_words(connection: &Connection<Dialogue>) -> String {
        let (command, answer) = &connection.last;
        if answer.is_empty() {
            return "it says nothing more: it was let in, and waits without having sent a command".to_owned();
        }
        format!(
            "it says nothing more: every command it sent was answered, and it waits; the last one was \
             \"{command}\", the last answer \"{answer}\""
        )
    }

    fn remedy(stage: &Stage<'_, Self>, connection: usize, error: &str) -> Option<Remedy> {
        blame(stage, connection, error)
    }

    fn progress(stage: &Stage<'_, Self>) -> String {
        format!("{} ticks", stage.seen.tick)
    }

    fn what_happened(&self) -> &'static str {
        match self.scene.injected {
            Injected::Kills => "its player was dead (it was sent `dead`, and the connection was closed)",
            Injected::Breaks => "the connection ended in the middle of a line",
            _ => "the server closed the connection",
        }
    }
}
