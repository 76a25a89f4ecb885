//! A player of Zappy's memory: its last view, what it carries, what it heard, and its last answers.
//!
//! Counts ticks as a client can: by the costs of its own commands.

use zappy_protocol::zappy::constants::{BIRTH_FOOD, ELEVATIONS, FOOD_TICKS, INCANTATION_TICKS};
use zappy_protocol::zappy::geometry::{direction_offset, vision_offset};
use zappy_protocol::zappy::player::{Command, CommandKind, Response, Sight};
use zappy_protocol::zappy::{Level, Resource};

use crate::memory::{Core, Field, Memory, Shape};

const PARTS: [&str; 8] = ["rose", "ate", "took", "dropped", "laid", "died", "won", "lost"];
const ROSE: usize = 0;
const ATE: usize = 1;
const TOOK: usize = 2;
const DROPPED: usize = 3;
const LAID: usize = 4;
const DIED: usize = 5;

/// Rows and columns of a view, as far as a player of the highest level sees.
const ROWS: usize = Level::MAX.get() as usize + 1;
const COLUMNS: usize = 2 * ROWS - 1;
/// Sounds and answers that are remembered.
const REMEMBERED: usize = 4;
const COUNT: (f32, f32) = (0.0, 100_000.0);
/// The fields of an observation, by their places in [`shape`].
const LOOK: usize = 0;
const LOOK_AGE: usize = 1;
const OFFSET: usize = 2;
const INVENTORY: usize = 3;
const INVENTORY_AGE: usize = 4;
const LEVEL: usize = 5;
const SLOTS: usize = 6;
const MAP: usize = 7;
const INCANTATION: usize = 8;
const MESSAGES: usize = 9;
const MESSAGES_AGE: usize = 10;
const ANSWERS: usize = 11;
const EJECT: usize = 12;
const EJECT_AGE: usize = 13;
const AGE: usize = 14;

const QUESTIONS: [CommandKind; 3] = [CommandKind::Look, CommandKind::Inventory, CommandKind::ConnectNbr];
/// The places of `Incantation` and of the first `Set` among the actions: `wait`, the commands without an argument, `Take`
/// and `Set` of each resource.
const INCANT: usize = CommandKind::ALL.len() - 3;
const FIRST_SET: usize = INCANT + 1 + Resource::COUNT;

/// The observations and actions under these rules, with these texts.
pub fn shape(strict: bool, texts: &[String]) -> Shape {
    let simple = CommandKind::ALL.map(|kind| kind.name().to_owned());
    let simple = simple.into_iter().filter(|name| !["Broadcast", "Take", "Set"].contains(&name.as_str()));
    let with = |verb: &'static str| Resource::ALL.iter().map(move |one| format!("{verb} {}", one.name()));
    let texts = texts.iter().map(|text| format!("Broadcast {text}"));
    let actions = std::iter::once("wait".to_owned()).chain(simple).chain(with("Take")).chain(with("Set"));
    let actions: Vec<String> = actions.chain(texts).collect();
    let last = (0.0, actions.len() as f32);
    let fields = vec![
        Field::new("look", &[Resource::COUNT + 3, ROWS, COLUMNS], (0.0, 255.0)),
        Field::new("look_age", &[1], COUNT),
        Field::new("look_offset", &[3], (-255.0, 255.0)),
        Field::new("inventory", &[Resource::COUNT], COUNT),
        Field::new("inventory_age", &[1], COUNT),
        Field::new("level", &[1], (1.0, 8.0)),
        Field::new("slots", &[1], COUNT),
        Field::new("map", &[2], COUNT),
        Field::new("incantation", &[1], (0.0, 1.0)),
        Field::new("messages", &[REMEMBERED, 2], (-1.0, last.1.max(9.0))),
        Field::new("messages_age", &[REMEMBERED], COUNT),
        Field::new("answers", &[REMEMBERED, 2], last),
        Field::new("eject", &[1], (0.0, 8.0)),
        Field::new("eject_age", &[1], COUNT),
        Field::new("age", &[1], COUNT),
    ];
    Shape { is_zappy: true, strict, fields, components: vec![actions.len()], actions, parts: &PARTS }
}

pub struct Player {
    core: Core,
    /// The command that waits for its answer, and its action.
    pending: Option<(Command, usize)>,
    /// Whether it was let in, and whether it takes part in an incantation.
    plays: bool,
    frozen: bool,
    /// Whether its own command began that incantation, as far as the lines tell.
    initiates: bool,
}

impl Player {
    pub fn new(mut core: Core) -> Player {
        core.fill(MESSAGES, -1.0);
        core.set(LEVEL, 0, &[1.0]);
        let mut player = Player { core, pending: None, plays: false, frozen: false, initiates: false };
        player.carry(Resource::Food, BIRTH_FOOD as f32);
        player.core.set(INVENTORY_AGE, 0, &[0.0]);
        player.core.set(AGE, 0, &[0.0]);
        player
    }

    /// It has so many more units of it, of food under the strict rules in ticks.
    fn carry(&mut self, resource: Resource, units: f32) {
        let counts = self.core.shape.strict && resource == Resource::Food;
        let units = if counts { units * FOOD_TICKS as f32 } else { units };
        let had = self.core.of(INVENTORY)[resource.index()];
        self.core.set(INVENTORY, resource.index(), &[had + units]);
    }

    fn saw(&mut self, sights: &[Sight]) {
        self.core.fill(LOOK, 0.0);
        self.core.set(OFFSET, 0, &[0.0; 3]);
        self.core.set(LOOK_AGE, 0, &[self.core.clock as f32]);
        for (tile, sight) in sights.iter().enumerate().take(ROWS * ROWS) {
            let (row, side) = vision_offset(tile);
            let column = side + ROWS as i32 - 1;
            let amounts = sight.resources.amounts().iter().copied().chain([sight.players, sight.eggs, 1]);
            for (plane, amount) in amounts.enumerate() {
                let place = (plane * ROWS + row as usize) * COLUMNS + column as usize;
                self.core.set(LOOK, place, &[amount as f32]);
            }
        }
    }

    /// It moved so far ahead and to the right, as it faces, and turned so often to the right.
    fn moved(&mut self, ahead: i32, right: i32, turned: i32) {
        let offset = self.core.of(OFFSET);
        let turns = offset[2] as i32;
        let (dx, dy) =
            [(ahead, right), (-right, ahead), (-ahead, -right), (right, -ahead)][turns as usize % 4];
        let offset = [offset[0] + dx as f32, offset[1] + dy as f32, ((turns + turned) % 4) as f32];
        self.core.set(OFFSET, 0, &offset);
    }

    /// The command that waits is answered.
    fn answered(&mut self, ok: bool) {
        let Some((command, action)) = self.pending.take() else { return };
        if command != Command::Incantation {
            self.core.clock += command.kind().cost();
        }
        self.core.push(ANSWERS, &[action as f32, f32::from(u8::from(ok))]);
        match command {
            _ if !ok => {}
            Command::Forward => self.moved(1, 0, 0),
            Command::Right => self.moved(0, 0, 1),
            Command::Left => self.moved(0, 0, 3),
            Command::Fork => {
                self.core.has_laid = true;
                self.core.earned[LAID] += 1.0;
            }
            Command::Take(resource) => {
                self.core.earned[if resource == Resource::Food { ATE } else { TOOK }] += 1.0;
                self.carry(resource, 1.0);
            }
            Command::Set(resource) => {
                self.core.earned[DROPPED] += 1.0;
                self.carry(resource, -1.0);
            }
            _ => {}
        }
    }

    /// Whether an incantation holds it: the strict ones hold their initiator alone.
    fn is_held(&self) -> bool {
        self.frozen && (!self.core.shape.strict || self.initiates)
    }

    /// Whether what waits for its answer is a question: its answer says what it is, and is never `ko`.
    fn asks(&self, kinds: &[CommandKind]) -> bool {
        self.pending.as_ref().is_some_and(|(command, _)| kinds.contains(&command.kind()))
    }

    /// Data came: the answer to such a question, unless the player took a line for an answer that was none.
    fn told(&mut self, kind: CommandKind) {
        if self.asks(&[kind]) {
            self.answered(true);
        }
    }

    fn freeze(&mut self, frozen: bool) {
        if self.is_held() && !frozen {
            self.core.clock += INCANTATION_TICKS;
        }
        (self.frozen, self.initiates) =
            (frozen, if frozen { self.asks(&[CommandKind::Incantation]) } else { self.initiates });
        self.core.set(INCANTATION, 0, &[f32::from(u8::from(frozen))]);
    }

    /// An incantation in which it takes part is over.
    fn incantation_over(&mut self, ok: bool) {
        self.freeze(false);
        if std::mem::take(&mut self.initiates) {
            self.answered(ok);
        }
    }

    /// Whether, as far as a view of this very tick tells, an incantation would be refused.
    fn incantation_lacks(&self) -> bool {
        let Some(needed) = ELEVATIONS.get(self.core.of(LEVEL)[0] as usize - 1) else { return true };
        let looked =
            self.core.of(LOOK_AGE)[0] == self.core.clock as f32 && self.core.of(OFFSET)[..2] == [0.0; 2];
        let here = |plane: usize| self.core.of(LOOK)[plane * ROWS * COLUMNS + ROWS - 1];
        let lacks = |one: &Resource| here(one.index()) < needed.stones.get(*one) as f32;
        looked && (here(Resource::COUNT) < needed.players as f32 || Resource::ALL.iter().any(lacks))
    }
}

impl Memory for Player {
    fn core(&self) -> &Core {
        &self.core
    }

    fn core_mut(&mut self) -> &mut Core {
        &mut self.core
    }

    fn read(&mut self, line: &[u8]) {
        let Ok(response) = Response::parse(line) else { return };
        match response {
            Response::Welcome => {}
            Response::Slots(slots) => {
                self.core.set(SLOTS, 0, &[slots as f32]);
                self.told(CommandKind::ConnectNbr);
            }
            Response::MapSize(size) => {
                self.core.set(MAP, 0, &[size.width().into(), size.height().into()]);
                self.plays = true;
            }
            // A command that is not held may be what the `ko` answers.
            Response::Ko
                if self.frozen && (self.is_held() || self.pending.is_none() || self.asks(&QUESTIONS)) =>
            {
                self.incantation_over(false);
            }
            Response::Ok | Response::Ko if self.asks(&QUESTIONS) => {}
            Response::Ok | Response::Ko => self.answered(response == Response::Ok),
            Response::Dead => {
                self.core.is_out = true;
                self.core.earned[DIED] += 1.0;
            }
            Response::Look(sights) => {
                self.told(CommandKind::Look);
                self.saw(&sights);
            }
            Response::Inventory(inventory) => {
                self.told(CommandKind::Inventory);
                self.core.set(INVENTORY, 0, &inventory.amounts().map(|units| units as f32));
                self.core.set(INVENTORY_AGE, 0, &[self.core.clock as f32]);
            }
            Response::Message { direction, text } => {
                let said = |action: &String| {
                    action.strip_prefix("Broadcast ").is_some_and(|known| known.as_bytes() == text.as_bytes())
                };
                let action = self.core.shape.actions.iter().position(said);
                let action = action.map_or(-1.0, |place| place as f32);
                self.core.push(MESSAGES, &[direction.into(), action]);
                self.core.push(MESSAGES_AGE, &[self.core.clock as f32]);
            }
            Response::Eject(from) => {
                let (ahead, right) = direction_offset(from).unwrap_or_default();
                self.moved(-ahead, -right, 0);
                self.core.set(EJECT, 0, &[from.into()]);
                self.core.set(EJECT_AGE, 0, &[self.core.clock as f32]);
            }
            Response::ElevationUnderway => self.freeze(true),
            Response::CurrentLevel(level) => {
                self.core.set(LEVEL, 0, &[level.get().into()]);
                self.core.earned[ROSE] += 1.0;
                self.incantation_over(true);
            }
        }
    }

    fn act(&mut self, action: &[i32]) -> Option<Vec<u8>> {
        let action = usize::try_from(*action.first()?).ok().filter(|&action| action > 0)?;
        let line = self.core.shape.actions.get(action)?.as_bytes().to_vec();
        self.pending = Some((Command::parse(&line).ok()?, action));
        Some(line)
    }

    fn mask(&self, out: &mut [i8]) {
        out[INCANT] = i8::from(!self.incantation_lacks());
        // Of food it may have more than it knows.
        for (may, units) in out[FIRST_SET..].iter_mut().zip(self.core.of(INVENTORY)).skip(1) {
            *may = i8::from(*units > 0.0);
        }
    }

    fn owes(&self) -> bool {
        self.plays && !self.core.is_out && self.pending.is_none() && !self.is_held()
    }
}
