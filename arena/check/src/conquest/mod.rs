//! Conquest's situations: the rules, the bot's orders, and what is done to it by the console and by factions of ours.
//!
//! `scene` says what surrounds the bot, `inject` does what is done to it, `input` looks at its lines and at their
//! answers, and `situations.toml` says what counts where. Tested in `arena/cli/tests/check.rs`.

mod inject;
mod input;
mod scene;

use std::collections::BTreeMap;
use std::time::Duration;

use zappy_game::config::{Clock, MatchConfig};
use zappy_game::{Game, MatchSpec, SeatId};
use zappy_game_conquest::{Conquest as Rules, SPEC};
use zappy_protocol::{MapSize, TeamName};

use input::Dialogue;
use scene::Injected;
pub use scene::Scene;

use super::connection::Connection;
use super::scene::{PlayScene, SceneSettings, Supplies};
use super::seen::Seen;
use super::stage::{OTHERS, PUPPETS, Play, Stage, TEAM};

/// Units of an army in a row, two steps from each other.
const ROW: u16 = 12;
/// The names of the factions, the bot's first.
const FACTIONS: [&str; 3] = [TEAM, OTHERS, "green"];

/// The scenes and the situations.
pub const SITUATIONS: &str = include_str!("situations.toml");

#[derive(Debug)]
pub struct Conquest {
    scene: Scene,
    game: Rules,
    /// The turn in which each of our factions still has to end its phase.
    asked: BTreeMap<SeatId, u32>,
    /// Phases that the bot was asked to act in.
    phases: u64,
    /// The turn in which the fault was last injected.
    turn: u32,
    /// By the fair clock, when the bot was told that it is beaten.
    beaten: Option<Duration>,
}

impl Conquest {
    fn new(scene: Scene, real: bool) -> Conquest {
        let team = |name: &&str| TeamName::parse(name.as_bytes()).expect("a good name");
        let size = MapSize::new(scene.sides.0, scene.sides.1).expect("a small map");
        let clock = if real { Clock::Real } else { Clock::Lockstep };
        let teams = FACTIONS[..scene.factions].iter().map(team).collect();
        let config = MatchConfig { seed: 42, clock, ..MatchConfig::new(size, teams) };
        let spec = MatchSpec::new(&SPEC, config)
            .with(scene.options.iter().map(|(key, value)| (key.as_str(), value.as_str())))
            .expect("good options");
        Conquest {
            scene,
            game: Rules::new(&spec.config, &spec.options).expect("options that go together"),
            asked: BTreeMap::new(),
            phases: 0,
            turn: 0,
            beaten: None,
        }
    }
}

impl PlayScene for Scene {
    fn play(&self, settings: SceneSettings, supplies: Supplies<'_>) -> Seen {
        Stage::new(settings, Conquest::new(self.clone(), settings.real), supplies).play()
    }
}

impl Play for Conquest {
    type Dialogue = Dialogue;

    fn game(&self) -> &dyn Game {
        &self.game
    }

    fn game_mut(&mut self) -> &mut dyn Game {
        &mut self.game
    }

    fn begin(stage: &mut Stage<'_, Self>) {
        let scene = stage.play.scene.clone();
        scene.lines().for_each(|line| stage.console(&line));
        for i in 0..scene.army {
            let (x, y) = (10 + i % ROW * 2, 10 + i / ROW * 2);
            stage.console(&format!("/unit new {TEAM} worker {x} {y} as {}", 100 + i));
        }
        let first = usize::from(!stage.settings.full);
        for (name, seat) in FACTIONS[..scene.factions].iter().zip(PUPPETS..).skip(first) {
            stage.seat(SeatId(seat), name);
        }
    }

    fn hear(stage: &mut Stage<'_, Self>, connection: usize, line: &[u8]) {
        input::look_at_line(stage, connection, line);
    }

    fn told(stage: &mut Stage<'_, Self>, seat: SeatId, line: &[u8]) {
        if seat.0 >= PUPPETS && seat != SeatId::CONSOLE {
            let turn =
                line.strip_prefix(b"go ").and_then(|turn| std::str::from_utf8(turn).ok()?.parse().ok());
            stage.play.asked.extend(turn.map(|turn| (seat, turn)));
        } else if stage.connection_of(seat).is_some() {
            input::look_at_answer(stage, seat, line);
        }
    }

    fn before_tick(stage: &mut Stage<'_, Self>) {
        inject::inject(stage);
        if !stage.over && stage.leave.since.is_none() {
            inject::end_phases(stage);
        }
    }

    fn after_tick(stage: &mut Stage<'_, Self>) {
        inject::be_quicker(stage);
    }

    fn look(stage: &mut Stage<'_, Self>) -> bool {
        inject::look_for_the_end(stage);
        stage.is_through()
    }

    /// The think time counts from the snapshot; neither an order nor its answer renews it.
    fn renews(line: Option<&[u8]>) -> bool {
        line.is_some_and(|line| line.starts_with(b"go "))
    }

    fn silence(connection: &Connection<Dialogue>) -> String {
        let (turn, (line, answer)) = (connection.dialogue.turn, &connection.last);
        if line.is_empty() {
            return format!("it was let in and read `go {turn}`, and says nothing, not even `Done {turn}`");
        }
        format!(
            "it read `go {turn}` and doesn't say `Done {turn}`; its last line was \"{line}\", the answer to it \"{answer}\""
        )
    }

    fn progress(stage: &Stage<'_, Self>) -> String {
        format!("{} phases", stage.play.phases)
    }

    fn may_leave(&self) -> bool {
        self.beaten.is_some()
    }

    fn what_happened(&self) -> &'static str {
        match self.scene.injected {
            Injected::Beats => "it was beaten (it was sent `dead`, and the match ended)",
            Injected::Breaks => "the connection ended in the middle of a line",
            Injected::Closes => "the server closed the connection",
            _ => "the match ended (it was sent `over`, and the server closed the connection)",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{from_text, scenes};
    use zappy_game::{Input, Output};

    #[test]
    fn every_line_that_lays_out_a_field_is_taken() {
        for (settings, scene, _) in scenes::<Scene>(from_text(SITUATIONS)) {
            let mut play = Conquest::new(scene.clone(), settings.real);
            for line in scene.lines() {
                play.game.handle_input(0, SeatId::CONSOLE, Input::Line(line.as_bytes()));
                while let Some(output) = play.game.poll_output() {
                    assert!(!matches!(output, Output::Why(..)), "{line}: {output:?}");
                }
            }
        }
    }
}
