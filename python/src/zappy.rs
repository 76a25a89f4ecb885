//! A player of Zappy's memory: its last view, what it carries, what it heard, and its last answers.
//!
//! Counts ticks as a client can: by the costs of its own commands.

use zappy_protocol::zappy::constants::{BIRTH_FOOD, ELEVATIONS, FOOD_TICKS, INCANTATION_TICKS};
use zappy_protocol::zappy::geometry::{direction_offset, vision_offset};
use zappy_protocol::zappy::player::{Command, CommandKind, Response, Sight};
use zappy_protocol::zappy::{Level, Resource};

use crate::memory::{Core, Memory};

/// Rows and columns of the view that is observed, as far as a player of the highest level sees.
const ROWS: usize = Level::MAX.get() as usize + 1;
const COLUMNS: usize = 2 * ROWS - 1;
const QUESTIONS: [CommandKind; 3] = [CommandKind::Look, CommandKind::Inventory, CommandKind::ConnectNbr];

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
        core.of("messages").fill(-1.0);
        core.of("level")[0] = 1.0;
        ["inventory_age", "age"].into_iter().for_each(|field| core.of(field)[0] = 0.0);
        let mut player = Player { core, pending: None, plays: false, frozen: false, initiates: false };
        player.carry(Resource::Food, BIRTH_FOOD as f32);
        player
    }

    /// The player carries so many more units of a resource; the strict rules count food in ticks.
    fn carry(&mut self, resource: Resource, units: f32) {
        let counts = self.core.shape.strict && resource == Resource::Food;
        let had = &mut self.core.of("inventory")[resource.index()];
        *had = (*had + if counts { units * FOOD_TICKS as f32 } else { units }).max(0.0);
    }

    fn saw(&mut self, sights: &[Sight]) {
        self.core.of("look_offset").fill(0.0);
        self.core.of("look_age")[0] = self.core.clock as f32;
        let look = self.core.of("look");
        look.fill(0.0);
        for (tile, sight) in sights.iter().enumerate().take(ROWS * ROWS) {
            let (row, side) = vision_offset(tile);
            let place = row as usize * COLUMNS + (side + ROWS as i32 - 1) as usize;
            let amounts = sight.resources.amounts().iter().copied().chain([sight.players, sight.eggs, 1]);
            let planes = look[place..].iter_mut().step_by(ROWS * COLUMNS);
            planes.zip(amounts).for_each(|(number, amount)| *number = amount as f32);
        }
    }

    /// The player moved so many tiles ahead and to the right, seen as it faces, and turned so often to the right.
    fn moved(&mut self, ahead: i32, right: i32, turned: i32) {
        let offset = self.core.of("look_offset");
        let turns = offset[2] as usize % 4;
        let (dx, dy) = [(ahead, right), (-right, ahead), (-ahead, -right), (right, -ahead)][turns];
        offset[0] += dx as f32;
        offset[1] += dy as f32;
        offset[2] = ((turns as i32 + turned) % 4) as f32;
    }

    /// The command that waits is answered.
    fn answered(&mut self, ok: bool) {
        let Some((command, action)) = self.pending.take() else { return };
        if command != Command::Incantation {
            self.core.clock += command.kind().cost();
        }
        self.core.push("answers", &[action as f32, f32::from(u8::from(ok))]);
        if !ok {
            return;
        }
        match command {
            Command::Forward => self.moved(1, 0, 0),
            Command::Right => self.moved(0, 0, 1),
            Command::Left => self.moved(0, 0, 3),
            Command::Fork => {
                self.core.has_laid = true;
                self.core.earn("laid", 1.0);
            }
            Command::Take(resource) => {
                self.core.earn(if resource == Resource::Food { "ate" } else { "took" }, 1.0);
                self.carry(resource, 1.0);
            }
            Command::Set(resource) => {
                self.core.earn("dropped", 1.0);
                self.carry(resource, -1.0);
            }
            _ => {}
        }
    }

    /// Whether an incantation holds the player; under the strict rules it holds only its initiator.
    fn is_held(&self) -> bool {
        self.frozen && (!self.core.shape.strict || self.initiates)
    }

    /// Whether the command that waits for its answer is of one of these kinds. A question's answer is never `ok` or `ko`.
    fn asks(&self, kinds: &[CommandKind]) -> bool {
        self.pending.as_ref().is_some_and(|(command, _)| kinds.contains(&command.kind()))
    }

    /// The data that a question asks for came. The question may be answered already, if another line was taken for its answer.
    fn told(&mut self, kind: CommandKind) {
        if self.asks(&[kind]) {
            self.answered(true);
        }
    }

    /// An incantation in which it takes part is over.
    fn incantation_over(&mut self, ok: bool) {
        if self.is_held() {
            self.core.clock += INCANTATION_TICKS;
        }
        self.frozen = false;
        self.core.of("incantation")[0] = 0.0;
        if std::mem::take(&mut self.initiates) {
            self.answered(ok);
        }
    }

    /// Whether a view of this tick tells that an incantation would be refused.
    fn incantation_lacks(&self) -> bool {
        let known = |field| self.core.get(field);
        let Some(needed) = ELEVATIONS.get(known("level")[0] as usize - 1) else { return true };
        let here = |plane: usize| known("look")[plane * ROWS * COLUMNS + ROWS - 1];
        let lacks = |one: &Resource| here(one.index()) < needed.stones.get(*one) as f32;
        let looked = known("look_age")[0] == self.core.clock as f32 && known("look_offset")[..2] == [0.0; 2];
        looked && (here(Resource::COUNT) < needed.players as f32 || Resource::ALL.iter().any(lacks))
    }
}

impl Memory for Player {
    fn core(&mut self) -> &mut Core {
        &mut self.core
    }

    fn read(&mut self, line: &[u8]) {
        let Ok(response) = Response::parse(line) else { return };
        let now = self.core.clock as f32;
        match response {
            Response::Welcome => {}
            Response::Slots(slots) => {
                self.core.of("slots")[0] = slots as f32;
                self.told(CommandKind::ConnectNbr);
            }
            Response::MapSize(size) => {
                self.core.set("map", 0, &[size.width().into(), size.height().into()]);
                self.plays = true;
            }
            // Unless the incantation holds the player, the `ko` may also answer its command.
            Response::Ko
                if self.frozen && (self.is_held() || self.pending.is_none() || self.asks(&QUESTIONS)) =>
            {
                self.incantation_over(false);
            }
            Response::Ok | Response::Ko if self.asks(&QUESTIONS) => {}
            Response::Ok | Response::Ko => self.answered(response == Response::Ok),
            Response::Dead => {
                self.core.is_out = true;
                self.core.earn("died", 1.0);
            }
            Response::Look(sights) => {
                self.told(CommandKind::Look);
                self.saw(&sights);
            }
            Response::Inventory(inventory) => {
                self.told(CommandKind::Inventory);
                self.core.set("inventory", 0, &inventory.amounts().map(|units| units as f32));
                self.core.of("inventory_age")[0] = self.core.clock as f32;
            }
            Response::Message { direction, text } => {
                let said =
                    |action: &String| action.as_bytes().strip_prefix(b"Broadcast ") == Some(text.as_bytes());
                let action = self.core.shape.actions.iter().position(said);
                self.core.push("messages", &[direction.into(), action.map_or(-1.0, |place| place as f32)]);
                self.core.push("messages_age", &[now]);
            }
            Response::Eject(from) => {
                let (ahead, right) = direction_offset(from).unwrap_or_default();
                self.moved(-ahead, -right, 0);
                self.core.of("eject")[0] = from.into();
                self.core.of("eject_age")[0] = now;
            }
            Response::ElevationUnderway => {
                (self.frozen, self.initiates) = (true, self.asks(&[CommandKind::Incantation]));
                self.core.of("incantation")[0] = 1.0;
            }
            Response::CurrentLevel(level) => {
                self.core.of("level")[0] = level.get().into();
                self.core.earn("rose", 1.0);
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
        let (lacks, inventory) = (self.incantation_lacks(), self.core.get("inventory"));
        for (may, action) in out.iter_mut().zip(&self.core.shape.actions) {
            let set = action.strip_prefix("Set ").and_then(|name| Resource::parse(name.as_bytes()));
            // The player may carry more food than its last inventory told.
            let has_none = set.is_some_and(|one| one != Resource::Food && inventory[one.index()] <= 0.0);
            *may = i8::from(!(has_none || lacks && action == "Incantation"));
        }
    }

    fn owes(&self) -> bool {
        self.plays && !self.core.is_out && self.pending.is_none() && !self.is_held()
    }
}
