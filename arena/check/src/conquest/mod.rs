//! Plays conquest's scenes with a bot: hands its orders to the rules, and lets the console and factions of ours act on
//! it.
//!
//! `inject` acts on the bot, and `situations.toml` lays out each scene and says which mistakes count. The rules judge the bot's orders; this module only says which of their refusals are mistakes of the
//! program. Tested in this module and in `arena/cli/tests/check.rs`.

mod inject;

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Deserialize;
use zappy_game::config::{Clock, MatchConfig};
use zappy_game::{Game, MatchSpec, SeatId};
use zappy_game_conquest::{Conquest as Rules, SPEC};
use zappy_protocol::conquest::player::PlayerLine;
use zappy_protocol::{MapSize, TeamName};

use super::connection::{Connection, Phase};
use super::scene::{Enough, PlayScene, SceneSettings, Supplies};
use super::seen::{FaultKind, Seen, shown};
use super::stage::{OTHERS, PUPPETS, Play, Stage, TEAM};

/// How many units of an army stand in a row; one tile is free between neighbours.
const ROW_UNITS: u16 = 12;
/// The names of the factions, the bot's first.
const FACTIONS: [&str; 3] = [TEAM, OTHERS, "green"];

/// How long a match goes on after the bot was beaten, to see whether it still sends something.
const AFTERMATH: Duration = Duration::from_millis(300);
/// By the real clock a bot is judged late that was asked to act in this many phases, or in as many as the scene asks
/// for, if that is more, and ended fewer than the scene asks for.
const LATE_AFTER_PHASES: u64 = 12;
/// How many refusals of `Done` in a row are a mistake.
const REFUSALS: u32 = 20;
/// The refusals that show a mistake: a part of the reason, the mistake, and what it means.
const MISTAKES: [(&str, FaultKind, &str); 7] = [
    ("not your unit", FaultKind::Foreign, "that unit isn't its own"),
    (" can't ", FaultKind::Unable, "units of that type can't do this"),
    ("off the map", FaultKind::Invalid, "there is no such tile"),
    ("it is not your phase", FaultKind::Impatient, "it isn't its phase"),
    ("you are done already", FaultKind::AfterDone, "it has said Done in this phase"),
    ("over the budget", FaultKind::Flood, "that is more than a faction may send in a phase"),
    ("the match has not begun", FaultKind::Impatient, "it has read no `go` yet"),
];

/// The scenes and the situations.
pub const SITUATIONS: &str = include_str!("situations.toml");

/// The fault that is injected while a bot plays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Injected {
    None,
    /// The bot's phase ends before a byte of the snapshot has reached it.
    Late,
    /// The other faction takes its time.
    Thinks,
    /// One of the bot's units is taken away right after the snapshot, before the bot can order it.
    Vanishes,
    /// One of the bot's units changes sides.
    Converts,
    /// The bot loses its base; the match goes on without it for a while.
    Beats,
    /// The match is played to its last turn.
    Ends,
    /// The connection ends right after a whole line.
    Closes,
    /// The connection ends in the middle of a line.
    Breaks,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scene {
    /// The width and height of the map.
    pub sides: (u16, u16),
    /// How many factions there are; the bot's is the first.
    pub factions: usize,
    /// The options that differ from their defaults.
    pub options: BTreeMap<String, String>,
    /// The operator's lines that lay the map out before any faction is in, with `{bot}` and `{other}` for the names of
    /// both factions.
    pub field: Vec<String>,
    /// How many more units the bot has, placed in rows.
    pub army: u16,
    pub injected: Injected,
}

impl Scene {
    /// The lines of the field with the factions' names put in.
    pub fn lines(&self) -> impl Iterator<Item = String> {
        self.field.iter().map(|line| line.replace("{bot}", TEAM).replace("{other}", OTHERS))
    }
}

/// The state of a faction's dialogue with the server.
#[derive(Debug, Default)]
pub struct Dialogue {
    /// The turn of the last `go`.
    pub turn: u32,
    /// The faction's units in the last snapshot.
    pub units: Vec<u32>,
    /// Whether the faction's last line was `Done`, and waits for its answer.
    done: bool,
    /// Refusals of `Done` in a row.
    refused: u32,
}

/// A scene of conquest while it is played.
#[derive(Debug)]
pub struct Conquest {
    scene: Scene,
    game: Rules,
    /// For each of our factions, the turn of the last `go` that it was sent.
    last_go: BTreeMap<SeatId, u32>,
    /// Phases that the bot was asked to act in.
    phases: u64,
    /// The turn in which the fault was last injected.
    injected_turn: u32,
    /// When the bot was sent `dead`, by the fair clock.
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
            last_go: BTreeMap::new(),
            phases: 0,
            injected_turn: 0,
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

    fn game(&mut self) -> &mut dyn Game {
        &mut self.game
    }

    fn begin(stage: &mut Stage<'_, Self>) {
        let scene = stage.play.scene.clone();
        scene.lines().for_each(|line| stage.console(&line));
        for i in 0..scene.army {
            let (x, y) = (10 + i % ROW_UNITS * 2, 10 + i / ROW_UNITS * 2);
            stage.console(&format!("/unit new {TEAM} worker {x} {y} as {}", 100 + i));
        }
        // In a full scene a player of ours takes the place of the bot, too.
        let skipped = usize::from(!stage.settings.full);
        for (name, seat) in FACTIONS[..scene.factions].iter().zip(PUPPETS..).skip(skipped) {
            stage.seat(SeatId(seat), name);
        }
    }

    fn take_line(stage: &mut Stage<'_, Self>, connection: usize, line: &[u8]) {
        if connection == 0 {
            stage.seen.keep_command(line);
        }
        let parsed = PlayerLine::parse(line);
        stage.connections[connection].dialogue.done = matches!(parsed, Ok(PlayerLine::Done(_)));
        if let Err(why) = parsed {
            stage.seen.fault(FaultKind::Invalid, format!("it sent \"{}\": {why}", shown(line)));
        }
        if stage.play.beaten.is_some() {
            let words = format!("it was sent `dead`, and sent \"{}\" after it", shown(line));
            stage.seen.fault(FaultKind::Ghost, words);
        }
    }

    fn note_sent(stage: &mut Stage<'_, Self>, seat: SeatId, line: &[u8]) {
        if seat.0 >= PUPPETS && seat != SeatId::CONSOLE {
            let turn =
                line.strip_prefix(b"go ").and_then(|turn| std::str::from_utf8(turn).ok()?.parse().ok());
            stage.play.last_go.extend(turn.map(|turn| (seat, turn)));
            return;
        }
        let Some(connection) = stage.connections.get_mut(seat.0 as usize) else { return };
        if connection.phase != Phase::Playing {
            return;
        }
        let text = String::from_utf8_lossy(line);
        let words: Vec<&str> = text.split(' ').collect();
        let dialogue = &mut connection.dialogue;
        match words[..] {
            ["turn", _] => dialogue.units.clear(),
            // Faction 0 is the bot's: it is the first of the match.
            ["unit", number, "0", ..] => dialogue.units.extend(number.parse::<u32>()),
            ["go", turn] => {
                dialogue.turn = turn.parse().unwrap_or_default();
                stage.play.phases += 1;
            }
            ["dead"] => stage.play.beaten = Some(stage.clock.now()),
            ["ok" | "maybe" | "ko", ..] => {
                connection.last.1 = shown(line);
                let done = std::mem::take(&mut dialogue.done);
                if words[0] == "ko" {
                    look_at_refusal(stage, seat, &text, done);
                } else if words == ["ok"] && done {
                    dialogue.refused = 0;
                    stage.rhythm.steps += 1;
                }
            }
            _ => {}
        }
    }

    fn before_tick(stage: &mut Stage<'_, Self>) {
        inject::inject(stage);
        if !stage.over && stage.leave.nothing_left.is_none() {
            inject::end_phases(stage);
        }
    }

    fn after_tick(stage: &mut Stage<'_, Self>) {
        inject::be_quicker(stage);
    }

    fn is_over(stage: &mut Stage<'_, Self>) -> bool {
        if stage.leave.nothing_left.is_some() || stage.over {
            return stage.is_through();
        }
        let (phases, done) = (stage.play.phases, stage.rhythm.steps);
        if let Enough::Steps(n) = stage.settings.enough
            && stage.settings.real
            && phases >= LATE_AFTER_PHASES.max(n)
            && done < n
        {
            let words = format!("in {phases} phases it said Done in time only {done} times");
            stage.fail(FaultKind::Late, words);
            return true;
        }
        let beaten = stage.play.beaten;
        if beaten.is_some_and(|beaten| stage.clock.now().saturating_sub(beaten) > AFTERMATH) {
            stage.console("/quit");
        }
        let mut all = stage.connections.iter();
        let all_gone = !stage.connections.is_empty() && all.all(|connection| connection.phase == Phase::Gone);
        let has_ended = stage.play.game.poll_timeout().is_none();
        if has_ended && stage.settings.enough == Enough::End || beaten.is_some() && all_gone {
            stage.begin_finale();
        }
        // A match that has ended earlier was won before the scene was through, or lost: that is no mistake.
        stage.is_through() || has_ended && stage.settings.enough != Enough::End
    }

    /// The think time counts from the snapshot; neither an order nor its answer renews it.
    fn renews_think_time(line: Option<&[u8]>) -> bool {
        line.is_some_and(|line| line.starts_with(b"go "))
    }

    fn silence_in_words(connection: &Connection<Dialogue>) -> String {
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

/// Looks for a mistake in the refusal of a connection's last line; `done`: that line was `Done`.
fn look_at_refusal(stage: &mut Stage<'_, Conquest>, seat: SeatId, answer: &str, done: bool) {
    let Some(connection) = stage.connection_of(seat) else { return };
    let line = connection.last.0.clone();
    connection.dialogue.refused += u32::from(done);
    let refused = connection.dialogue.refused;
    if done && answer.ends_with("is running") {
        stage.seen.fault(FaultKind::Stale, format!("it sent \"{line}\", and the answer was \"{answer}\""));
    }
    if refused >= REFUSALS {
        let words = format!(
            "{refused} times in a row its `Done` was refused; the last one was \"{line}\", the answer \"{answer}\""
        );
        stage.fail(FaultKind::Repeats, words);
    }
    if let Some((_, kind, words)) = MISTAKES.iter().find(|(part, ..)| answer.contains(part)) {
        let words = format!("it sent \"{line}\", and {words}; the answer was \"{answer}\"");
        stage.seen.fault(*kind, words);
        // A program that floods may wait for answers that never come.
        stage.over |= *kind == FaultKind::Flood;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{from_text, scenes};
    use zappy_game::{Input, Output};

    #[test]
    fn every_line_that_lays_out_a_field_is_taken() {
        for (settings, scene, _) in scenes::<Scene>(&from_text(SITUATIONS)) {
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
