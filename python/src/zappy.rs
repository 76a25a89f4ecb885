//! The memory of a player in Zappy: its last view, what it carries, what it heard, and the last answers to its
//! commands.
//!
//! Counts ticks as a client can: by the costs of its own commands.

use zappy_protocol::zappy::constants::{BIRTH_FOOD, ELEVATIONS, FOOD_TICKS, INCANTATION_TICKS};
use zappy_protocol::zappy::geometry::{direction_offset, vision_offset};
use zappy_protocol::zappy::player::{Command, CommandKind, Response, Sight};
use zappy_protocol::zappy::{Level, Resource};

use crate::memory::{Core, Memory};

/// Rows of an observed view, the player's own first: as many as a player of the highest level sees.
const ROWS: usize = Level::MAX.get() as usize + 1;
/// Columns of an observed view, the player's own in the middle.
const COLUMNS: usize = 2 * ROWS - 1;
/// Commands that are answered with data, never with `ok` or `ko`.
const QUESTIONS: [CommandKind; 3] = [CommandKind::Look, CommandKind::Inventory, CommandKind::ConnectNbr];

/// A player's memory of the lines that it has read and sent.
pub struct Player {
    core: Core,
    /// The command that waits for its answer, and the index of its action.
    pending: Option<(Command, usize)>,
    /// Whether it was admitted.
    plays: bool,
    /// Whether it takes part in an incantation.
    frozen: bool,
    /// Whether its own command began the incantation, judged by the lines.
    initiates: bool,
}

impl Player {
    pub fn new(mut core: Core) -> Player {
        core.get_mut("messages").fill(-1.0);
        ["inventory_age", "age"].into_iter().for_each(|field| core.get_mut(field)[0] = 0.0);
        let mut player = Player { core, pending: None, plays: false, frozen: false, initiates: false };
        player.add_to_inventory(Resource::Food, BIRTH_FOOD as f32, "born with");
        player
    }

    /// Adds units of a resource to the inventory (a negative number removes them), and earns that part of a reward, if
    /// there is one of that name. The strict rules count food in ticks.
    fn add_to_inventory(&mut self, resource: Resource, units: f32, part: &str) {
        let in_ticks = self.core.settings.strict && resource == Resource::Food;
        let had = &mut self.core.get_mut("inventory")[resource.index()];
        *had = (*had + if in_ticks { units * FOOD_TICKS as f32 } else { units }).max(0.0);
        self.core.earn(part, 1.0);
    }

    /// Writes a view into the observation: one plane of the view for each kind of thing.
    fn set_look(&mut self, sights: &[Sight]) {
        self.core.get_mut("look_offset").fill(0.0);
        self.core.get_mut("look_age")[0] = self.core.clock as f32;
        let look = self.core.get_mut("look");
        look.fill(0.0);
        for (tile, sight) in sights.iter().enumerate().take(ROWS * ROWS) {
            let (row, side) = vision_offset(tile);
            let place = row as usize * COLUMNS + (side + ROWS as i32 - 1) as usize;
            let amounts = sight.resources.amounts().iter().copied().chain([sight.players, sight.eggs, 1]);
            let planes = look[place..].iter_mut().step_by(ROWS * COLUMNS);
            planes.zip(amounts).for_each(|(number, amount)| *number = amount as f32);
        }
    }

    /// The player moved by these tiles ahead and to its right, and made `turned` quarter turns to the right: notes how
    /// far that is from where it looked last.
    fn moved(&mut self, ahead: i32, right: i32, turned: i32) {
        let offset = self.core.get_mut("look_offset");
        let turns = offset[2] as usize % 4;
        let (dx, dy) = [(ahead, right), (-right, ahead), (-ahead, -right), (right, -ahead)][turns];
        offset[0] += dx as f32;
        offset[1] += dy as f32;
        offset[2] = ((turns as i32 + turned) % 4) as f32;
    }

    /// Takes the answer to the pending command; `ok` is false for `ko`.
    fn answered(&mut self, ok: bool) {
        let Some((command, action)) = self.pending.take() else { return };
        if command != Command::Incantation {
            self.core.clock += command.kind().cost();
        }
        self.core.push("answers", &[action as f32, ok.into()]);
        match command {
            _ if !ok => {}
            Command::Forward => self.moved(1, 0, 0),
            Command::Right => self.moved(0, 0, 1),
            Command::Left => self.moved(0, 0, 3),
            Command::Fork => self.core.earn("laid", 1.0),
            Command::Take(Resource::Food) => self.add_to_inventory(Resource::Food, 1.0, "ate"),
            Command::Take(resource) => self.add_to_inventory(resource, 1.0, "took"),
            Command::Set(resource) => self.add_to_inventory(resource, -1.0, "dropped"),
            _ => {}
        }
    }

    /// Whether an incantation holds the player; under the strict rules it holds only its initiator.
    fn is_held(&self) -> bool {
        self.frozen && (!self.core.settings.strict || self.initiates)
    }

    /// Whether a command of one of these kinds waits for its answer.
    fn awaits(&self, kinds: &[CommandKind]) -> bool {
        self.pending.as_ref().is_some_and(|(command, _)| kinds.contains(&command.kind()))
    }

    /// Takes the answer to a question of this kind, unless an earlier line was taken for it.
    fn question_answered(&mut self, kind: CommandKind) {
        if self.awaits(&[kind]) {
            self.answered(true);
        }
    }

    /// An incantation in which it takes part is over.
    fn incantation_over(&mut self, ok: bool) {
        if self.is_held() {
            self.core.clock += INCANTATION_TICKS;
        }
        self.frozen = false;
        self.core.get_mut("incantation")[0] = 0.0;
        if std::mem::take(&mut self.initiates) {
            self.answered(ok);
        }
    }
}

impl Memory for Player {
    fn core(&mut self) -> &mut Core {
        &mut self.core
    }

    fn read(&mut self, line: &[u8]) {
        let Ok(response) = Response::parse(line) else { return };
        let now = self.core.clock as f32;
        // Whether a `ko` ends an incantation. If the incantation doesn't hold the player, the `ko` may also answer a
        // command.
        let ko_ends_it = self.frozen && (self.is_held() || self.pending.is_none() || self.awaits(&QUESTIONS));
        match response {
            Response::Slots(slots) => {
                self.core.get_mut("slots")[0] = slots as f32;
                self.question_answered(CommandKind::ConnectNbr);
            }
            Response::MapSize(size) => {
                self.core.set("map", 0, &[size.width().into(), size.height().into()]);
                self.plays = true;
            }
            Response::Ko if ko_ends_it => self.incantation_over(false),
            Response::Ok | Response::Ko if !self.awaits(&QUESTIONS) => {
                self.answered(response == Response::Ok);
            }
            Response::Welcome | Response::Ok | Response::Ko => {}
            Response::Dead => self.core.die(),
            Response::Look(sights) => {
                self.question_answered(CommandKind::Look);
                self.set_look(&sights);
            }
            Response::Inventory(inventory) => {
                self.question_answered(CommandKind::Inventory);
                self.core.set("inventory", 0, &inventory.amounts().map(|units| units as f32));
                self.core.get_mut("inventory_age")[0] = self.core.clock as f32;
            }
            Response::Message { direction, text } => {
                let says_it = |line: &String| {
                    line.strip_prefix("Broadcast ").map(str::as_bytes) == Some(text.as_bytes())
                };
                let action = self.core.settings.actions.iter().position(says_it);
                self.core.push("messages", &[direction.into(), action.map_or(-1.0, |place| place as f32)]);
                self.core.push("messages_age", &[now]);
            }
            Response::Eject(from) => {
                let (ahead, right) = direction_offset(from).unwrap_or_default();
                self.moved(-ahead, -right, 0);
                self.core.get_mut("eject")[0] = from.into();
                self.core.get_mut("eject_age")[0] = now;
            }
            Response::ElevationUnderway => {
                (self.frozen, self.initiates) = (true, self.awaits(&[CommandKind::Incantation]));
                self.core.get_mut("incantation")[0] = 1.0;
            }
            Response::CurrentLevel(level) => {
                self.core.get_mut("level")[0] = level.get().into();
                self.core.earn("rose", 1.0);
                self.incantation_over(true);
            }
        }
    }

    fn act(&mut self, action: &[i32]) -> Option<Vec<u8>> {
        let action = usize::try_from(*action.first()?).ok().filter(|&action| action > 0)?;
        let line = self.core.settings.actions.get(action)?.as_bytes().to_vec();
        self.pending = Some((Command::parse(&line).ok()?, action));
        Some(line)
    }

    fn mask(&self, out: &mut [i8]) {
        let known = |field| self.core.get(field);
        let here = |plane: usize| known("look")[plane * ROWS * COLUMNS + ROWS - 1];
        let has_looked =
            known("look_age")[0] == self.core.clock as f32 && known("look_offset")[..2] == [0.0; 2];
        // Whether the player knows, from what it sees on its own tile now, that an incantation would be refused.
        let is_refused = ELEVATIONS.get(known("level")[0] as usize - 1).is_none_or(|needed| {
            let lacks = |stone: &Resource| here(stone.index()) < needed.stones.get(*stone) as f32;
            has_looked && (here(Resource::COUNT) < needed.players as f32 || Resource::ALL.iter().any(lacks))
        });
        let inventory = known("inventory");
        for (may, action) in out.iter_mut().zip(&self.core.settings.actions) {
            let set = action.strip_prefix("Set ").and_then(|name| Resource::parse(name.as_bytes()));
            // The player may carry more food than its last inventory told.
            let has_none =
                set.is_some_and(|stone| stone != Resource::Food && inventory[stone.index()] <= 0.0);
            *may = i8::from(!(has_none || is_refused && action == "Incantation"));
        }
    }

    fn owes(&self) -> bool {
        self.plays && !self.core.is_out && self.pending.is_none() && !self.is_held()
    }
}
