//! The operator's lines: they change the world, show it, or steer the match.
//!
//! Names and arguments are those of the official server. A bad line changes nothing, and its answer says what was
//! expected. The lines are inputs like any other, so a record plays them again. They may make states that no rule
//! would make, and each change that observers can see is an event. Tested by the transcripts `console*`.

use std::fmt::Write as _;
use std::num::NonZeroU32;

use zappy_protocol::zappy::observer::Message;
use zappy_protocol::zappy::player::BadCommand;
use zappy_protocol::zappy::{Level, PlayerId, Resource};
use zappy_protocol::{Position, Text};

use super::Zappy;
use super::event::{Event, Fate};
use super::options::MAX_SLOTS;
use zappy_game::config::MAX_FREQUENCY;
use zappy_game::lobby::{ConsoleAnswer, surplus};

/// The greatest quantity a console line sets, in units.
const MAX_QUANTITY: u32 = 1_000;

const HELP: &str = "\
/help                               this list
/clients                            the players, and how many observers watch
/map                                players (number) and eggs (e) on the map
/tile X Y                           what is on a tile
/clear                              clear the screen
/quit                               end the match in order
/pause                              stop time, or let it run again
/start                              let clients in after --auto-start off
/setTile RESOURCE QUANTITY X Y      set what lies on a tile
/setInventory ID RESOURCE QUANTITY  set what a player carries
/setLevel ID LEVEL                  set a player's level
/tp ID X Y                          put a player on a tile
/kill ID                            a player dies
/fork TEAM X Y                      lay an egg of the team
/setClientsNb N                     eggs for teams with fewer slots and players than N
/incantate LEVEL X Y                the players of that level there begin an incantation without stones
/broadcast \"TEXT\" X Y               every player hears a sound from a tile
/setFreq F                          ticks per second
/noFood true|false                  players lose no food, or lose it again
/noRefill true|false                the ground is not refilled, or is again
/send_ais TEXT                      a line to every player
/send_guis TEXT                     a line to every observer";

/// The line by which records keep the frequency that an observer asked for.
const REQUESTED_RATE: &str = "sst";

/// A console line: its name, the rest of the line, and the words of that rest.
struct Arguments<'a> {
    name: &'a str,
    all: &'a str,
    words: Vec<&'a str>,
}

impl<'a> Arguments<'a> {
    /// How the line is used, as [`HELP`] has it; `sst`, which operators don't type, stands in no help.
    fn expected(&self) -> String {
        let usage = HELP.lines().find(|line| line.split(' ').next() == Some(self.name));
        format!("expected {}", usage.map_or("sst F", |line| line.split("  ").next().unwrap_or(line)))
    }

    /// The words, if there are exactly `N`.
    fn exactly<const N: usize>(&self) -> Result<[&'a str; N], String> {
        self.words.clone().try_into().map_err(|_| self.expected())
    }

    /// The number of a word, before which a `#` may stand. `what` names it if it is out of its range.
    fn number(&self, word: &str, what: &str, least: u32, most: u32) -> Result<u32, String> {
        let number = word.strip_prefix('#').unwrap_or(word).parse().ok();
        number
            .filter(|n| (least..=most).contains(n))
            .ok_or_else(|| format!("{what} is {word:?}, the range is {least} to {most}; {}", self.expected()))
    }
}

impl Zappy {
    /// A line of the operator's; `None` if it was too long.
    pub(super) fn console(&mut self, line: Option<&[u8]>) {
        let Some(line) = line else {
            return self.lobby.answer_console(Err(BadCommand::TooLong.to_string()));
        };
        let line = String::from_utf8_lossy(line);
        let line = line.trim();
        if line.is_empty() {
            return;
        }
        let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        let arguments = Arguments { name, all: rest, words: rest.split_whitespace().collect() };
        let answer = self.lobby.steer(name, rest).unwrap_or_else(|| self.obey(&arguments));
        self.lobby.answer_console(answer);
    }

    fn obey(&mut self, args: &Arguments<'_>) -> ConsoleAnswer {
        let name = args.name;
        if ["/help", "/clients", "/map", "/clear", "/quit"].contains(&name) && !args.all.is_empty() {
            return Err(surplus(name, args.all));
        }
        match name {
            "/help" => Ok(HELP.to_owned()),
            "/clients" => Ok(self.list_clients()),
            "/map" => Ok(self.draw_map()),
            "/tile" => {
                let [x, y] = args.exactly()?;
                let tile = self.world.map.tile(self.position(args, x, y)?);
                let resources = tile.resources.iter().map(|(resource, units)| format!("{resource} {units}"));
                let players = tile.players.iter().map(|id| format!("player {id}"));
                let eggs = tile.eggs.iter().map(|id| format!("egg {id}"));
                Ok(resources.chain(players).chain(eggs).collect::<Vec<_>>().join(", "))
            }
            "/clear" => Ok("\x1b[2J\x1b[H".to_owned()),
            "/quit" => {
                self.world.stop();
                Ok("the match ends".to_owned())
            }
            "/setTile" => self.set_tile(args),
            "/setClientsNb" => self.set_clients(args),
            "/broadcast" => self.sound_from(args),
            "/setFreq" => self.set_frequency(args, true),
            REQUESTED_RATE => self.set_frequency(args, false),
            "/noFood" => self.switch(args, |zappy, on| {
                zappy.world.no_food = on;
                if !on {
                    zappy.world.end_fast();
                }
            }),
            "/noRefill" => self.switch(args, |zappy, on| zappy.world.set_no_refill(on)),
            "/send_ais" => {
                let text = Zappy::text_of(args)?;
                let listeners = self.world.living.iter().map(|&player| (player, 0)).collect();
                self.world.emit(Event::Heard { text, listeners });
                Ok("every player read it".to_owned())
            }
            "/send_guis" => {
                let text = Zappy::text_of(args)?;
                self.world.publish(Message::Server(text));
                Ok("every observer read it".to_owned())
            }
            _ => self.change_players(args),
        }
    }

    /// Carries out the lines that change players, lay an egg or begin an incantation.
    fn change_players(&mut self, args: &Arguments<'_>) -> ConsoleAnswer {
        match args.name {
            "/setInventory" => {
                let [id, resource, units] = args.exactly()?;
                let id = self.player_named(args, id)?;
                let resource = Zappy::resource_named(args, resource)?;
                let units = args.number(units, "the quantity", 0, MAX_QUANTITY)?;
                self.world.player_mut(id).inventory.set(resource, units);
                self.world.emit_inventory(id);
                Ok(format!("{id} carries {units} {resource}"))
            }
            "/setLevel" => {
                let [id, level] = args.exactly()?;
                let (id, level) = (self.player_named(args, id)?, Zappy::level_named(args, level)?);
                self.world.player_mut(id).level = level;
                self.world.note_level(self.world.player(id).team, level);
                self.world.publish(Message::PlayerLevel { player: id, level });
                self.world.look_for_winner(&[id], None);
                Ok(format!("{id} stands on level {level}"))
            }
            "/tp" => {
                let [id, x, y] = args.exactly()?;
                let (id, at) = (self.player_named(args, id)?, self.position(args, x, y)?);
                self.world.move_player(id, at);
                self.world.emit_position(id);
                Ok(format!("{id} stands at {at}"))
            }
            "/kill" => {
                let [id] = args.exactly()?;
                let id = self.player_named(args, id)?;
                self.world.remove_player(id, Fate::Killed);
                Ok(format!("{id} is dead"))
            }
            "/fork" => {
                let [team, x, y] = args.exactly()?;
                let at = self.position(args, x, y)?;
                let index = self.world.teams.iter().position(|known| known.name.as_str() == team);
                let index = index.ok_or_else(|| format!("no team {team:?}; {}", args.expected()))?;
                let egg = self.world.lay(index, None, at);
                Ok(format!("egg {egg} of {team} lies at {at}"))
            }
            "/incantate" => {
                let [level, x, y] = args.exactly()?;
                let (level, at) = (Zappy::level_named(args, level)?, self.position(args, x, y)?);
                self.world.begin_incantation(at, level, None)?;
                Ok(format!("an incantation at level {level} began at {at}"))
            }
            name => Err(format!("no such command: {name}; /help lists them")),
        }
    }

    /// Sets the frequency of the match.
    pub(super) fn set_rate(&mut self, rate: NonZeroU32, by_console: bool) {
        self.world.change_rate(self.lobby.rate().get(), rate.get());
        let published = !by_console || self.world.rules().publishes_console_rate;
        self.world.publish_if(published, Message::Rate(rate.get()));
        self.lobby.set_rate(rate);
    }

    fn list_clients(&self) -> String {
        let (alive, observers) = (self.world.living.len(), self.lobby.observers());
        let mut out = format!("{alive} players alive, {observers} observers, tick {}", self.world.now);
        for &id in &self.world.living {
            let player = self.world.player(id);
            let team = &self.world.teams[player.team].name;
            // Writing to a string cannot fail.
            let _ = write!(out, "\n{id} {team} level {} at {}", player.level, player.at);
        }
        out
    }

    fn draw_map(&self) -> String {
        let (map, size) = (&self.world.map, self.world.map.size);
        let sign = |at: Position| match (map.tile(at).players.len(), map.tile(at).eggs.is_empty()) {
            (0, true) => '.',
            (0, false) => 'e',
            (n @ 1..=9, _) => char::from(b'0' + u8::try_from(n).unwrap_or(9)),
            _ => '+',
        };
        let row = |y| (0..size.width()).map(|x| sign(Position { x, y })).collect::<String>();
        (0..size.height()).map(row).collect::<Vec<String>>().join("\n")
    }

    fn position(&self, args: &Arguments<'_>, x: &str, y: &str) -> Result<Position, String> {
        let size = self.world.map.size;
        let coordinate = |word, what, side: u16| {
            args.number(word, what, 0, u32::from(side) - 1).map(|n| u16::try_from(n).unwrap_or(0))
        };
        Ok(Position { x: coordinate(x, "x", size.width())?, y: coordinate(y, "y", size.height())? })
    }

    fn player_named(&self, args: &Arguments<'_>, word: &str) -> Result<PlayerId, String> {
        let id = PlayerId(args.number(word, "the id", 0, u32::MAX)?);
        self.world.living_player(id).map(|_| id).ok_or_else(|| format!("no player {id} lives"))
    }

    fn resource_named(args: &Arguments<'_>, word: &str) -> Result<Resource, String> {
        Resource::parse(word.as_bytes()).ok_or_else(|| format!("no resource {word:?}; {}", args.expected()))
    }

    fn level_named(args: &Arguments<'_>, word: &str) -> Result<Level, String> {
        let number = args.number(word, "the level", 1, Level::MAX.get().into())?;
        u8::try_from(number).ok().and_then(Level::new).ok_or_else(|| args.expected())
    }

    fn set_tile(&mut self, args: &Arguments<'_>) -> ConsoleAnswer {
        let [resource, units, x, y] = args.exactly()?;
        let at = self.position(args, x, y)?;
        let resource = Zappy::resource_named(args, resource)?;
        let units = args.number(units, "the quantity", 0, MAX_QUANTITY)?;
        self.world.map.set_units(at, resource, units);
        self.world.emit_tile(at);
        Ok(format!("{units} {resource} at {at}"))
    }

    fn set_clients(&mut self, args: &Arguments<'_>) -> ConsoleAnswer {
        let [wanted] = args.exactly()?;
        let wanted = args.number(wanted, "the number of clients", 1, MAX_SLOTS)?;
        for team in 0..self.world.teams.len() {
            let living = self.world.living.iter().filter(|&&id| self.world.player(id).team == team).count();
            let have = self.world.free_slots(team).saturating_add(u32::try_from(living).unwrap_or(u32::MAX));
            self.world.scatter_eggs(team, wanted.saturating_sub(have));
        }
        Ok(format!("every team has at least {wanted} slots and players"))
    }

    fn sound_from(&mut self, args: &Arguments<'_>) -> ConsoleAnswer {
        let [.., x, y] = args.words[..] else { return Err(args.expected()) };
        let at = self.position(args, x, y)?;
        let text = args.all.strip_suffix(y).unwrap_or(args.all).trim_end();
        let text = text.strip_suffix(x).unwrap_or(text).trim();
        let text = match text.strip_prefix('"') {
            Some(quoted) => quoted.strip_suffix('"').ok_or_else(|| args.expected())?,
            None => text,
        };
        let text = Text::new(text.as_bytes());
        if text.is_empty() {
            return Err(args.expected());
        }
        self.world.sound(at, None, &text);
        self.world.publish(Message::Server(text));
        Ok(format!("every player heard it from {at}"))
    }

    fn set_frequency(&mut self, args: &Arguments<'_>, by_console: bool) -> ConsoleAnswer {
        let [rate] = args.exactly()?;
        let rate = args.number(rate, "the frequency", 1, MAX_FREQUENCY)?;
        self.set_rate(NonZeroU32::new(rate).ok_or_else(|| args.expected())?, by_console);
        Ok(format!("{rate} ticks per second"))
    }

    /// Reads `true` or `false`, and hands it to `set`.
    fn switch(&mut self, args: &Arguments<'_>, set: fn(&mut Zappy, bool)) -> ConsoleAnswer {
        let on = match args.exactly()? {
            ["true"] => true,
            ["false"] => false,
            _ => return Err(args.expected()),
        };
        set(self, on);
        Ok(format!("{} {on}", args.name))
    }

    fn text_of(args: &Arguments<'_>) -> Result<Text, String> {
        let text = Text::new(args.all.as_bytes());
        if text.is_empty() { Err(args.expected()) } else { Ok(text) }
    }
}
