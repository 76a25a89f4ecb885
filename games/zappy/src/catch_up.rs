//! Brings an observer up to date: with the dump, and with what ended while the observer missed messages.
//!
//! Reads the world and changes nothing. What ended is remembered until no observer needs it, a few dozen bytes each.
//! Tested in this module, by the sessions in `protocol.md` and by the simulator, where lagging observers must end with
//! the same picture as the others.

use std::collections::{BTreeMap, VecDeque};

use zappy_protocol::zappy::observer::Message;
use zappy_protocol::zappy::{EggId, PlayerId};

use super::Zappy;
use super::encode::message_line;
use super::event::Event;
use super::seats::inventory_message;
use super::world::World;
use zappy_game::Line;

/// About how many bytes of tiles are sent as one block: a block for each tile would cost more than its bytes.
const BLOCK_BYTES: usize = 16 * 1024;
/// Things that ended and are remembered. An observer that fell further behind can't be brought up to date.
pub(super) const REMEMBERED: usize = 65_536;

/// Something that was announced and has ended.
#[derive(Debug)]
struct Gone {
    /// An observer that has got at least this many published lines knows of the thing, from its announcement or a dump.
    known_from: u64,
    /// How many lines were published before the message of its end.
    ended: u64,
    /// The message of its end.
    message: Message,
}

/// What was announced and still exists, each with its [`Gone::known_from`], and what has ended.
#[derive(Debug, Default)]
pub(super) struct CatchUp {
    players: BTreeMap<PlayerId, u64>,
    eggs: BTreeMap<EggId, u64>,
    incantations: BTreeMap<u32, u64>,
    gone: VecDeque<Gone>,
    /// The least number of published lines with which an observer can still be brought up to date.
    pub(super) since: u64,
}

impl CatchUp {
    /// Notes an event. `published`: how many lines were published before it; `publishing`: it is published, too.
    pub(super) fn note(&mut self, event: &Event, published: u64, publishing: bool) {
        let known_from = published + u64::from(publishing);
        let (message, number) = match event {
            Event::Published(message) => (message, None),
            Event::Incantation(number, message) => (message, Some(*number)),
            _ => return,
        };
        match (message, number) {
            (Message::EggLaid { egg, .. }, _) => _ = self.eggs.insert(*egg, known_from),
            (Message::PlayerJoined { player, .. }, _) => _ = self.players.insert(*player, known_from),
            (Message::IncantationBegan { .. }, Some(number)) => {
                self.incantations.insert(number, known_from);
            }
            _ => {}
        }
        let announced = match (message, number) {
            (Message::EggHatched(egg) | Message::EggDestroyed(egg), _) => self.eggs.remove(egg),
            (Message::Died(player), _) => self.players.remove(player),
            (Message::IncantationEnded { .. }, Some(number)) => self.incantations.remove(&number),
            _ => return,
        };
        if publishing {
            // If its beginning wasn't noted, it existed from the start, so every observer knows it.
            let (known_from, message) = (announced.unwrap_or(0), message.clone());
            self.gone.push_back(Gone { known_from, ended: published, message });
        }
        if self.gone.len() > REMEMBERED
            && let Some(oldest) = self.gone.pop_front()
        {
            self.since = oldest.ended + 1;
        }
    }

    /// Forgets what ended before `before` lines were published.
    pub(super) fn forget(&mut self, before: u64) {
        let first = self.gone.partition_point(|gone| gone.ended < before);
        self.gone.drain(..first);
        self.since = self.since.max(before);
    }

    /// The ends of things that an observer knows of but missed the end of, having got `from` published lines.
    fn missed(&self, from: u64) -> impl Iterator<Item = &Message> {
        debug_assert!(from >= self.since, "what ended after {from} lines is forgotten");
        let first = self.gone.partition_point(|gone| gone.ended < from);
        self.gone.range(first..).filter(move |gone| gone.known_from <= from).map(|gone| &gone.message)
    }
}

impl Zappy {
    /// Adds a dump, after the ends that the observer missed. `missed_from`: how many published lines it has got; `None`
    /// for a new observer.
    pub(super) fn bring_up_to_date(&self, missed_from: Option<u64>, out: &mut Vec<Line>) {
        if let Some(from) = missed_from {
            out.extend(self.catch_up.missed(from).map(message_line));
        }
        out.push(message_line(&Message::MapSize(self.world.map.size)));
        out.push(message_line(&Message::Rate(self.lobby.rate().get())));
        self.world.tile_lines(out);
        self.world.team_lines(out);
        let mut living: Vec<PlayerId> = self.world.living.iter().copied().collect();
        if self.world.rules().newest_first {
            living.reverse();
        }
        for id in living {
            let p = self.world.player(id);
            let (at, orientation, level) = (p.at, p.orientation, p.level);
            let team = self.world.teams[p.team].name.clone();
            let joined = Message::PlayerJoined { player: id, at, orientation, level, team };
            out.push(message_line(&joined));
            out.push(message_line(&inventory_message(id, p)));
            out.push(message_line(&Message::PlayerLevel { player: id, level }));
        }
        for (&egg, laid) in &self.world.eggs {
            out.push(message_line(&Message::EggLaid { egg, layer: None, at: laid.at }));
        }
        if self.world.rules().dumps_incantations {
            self.incantation_lines(out);
        }
        out.extend(self.winner().map(|team| message_line(&Message::Won(team.clone()))));
    }

    pub(super) fn incantation_lines(&self, out: &mut Vec<Line>) {
        for incantation in self.world.incantations.values() {
            let (at, level, players) = (incantation.at, incantation.level, incantation.players.clone());
            out.push(message_line(&Message::IncantationBegan { at, level, players }));
        }
    }
}

impl World {
    /// The resources on every tile.
    pub(super) fn tile_lines(&self, out: &mut Vec<Line>) {
        let mut block = Vec::with_capacity(BLOCK_BYTES + 128);
        for at in self.map.size.tiles() {
            if block.len() >= BLOCK_BYTES {
                out.push(Line::new(std::mem::take(&mut block)));
            }
            if !block.is_empty() {
                block.push(b'\n');
            }
            Message::Tile { at, resources: self.map.tile(at).resources }.write(&mut block);
        }
        out.push(Line::new(block));
    }

    pub(super) fn team_lines(&self, out: &mut Vec<Line>) {
        let name = |team: usize| self.teams[team].name.clone();
        out.extend(self.teams_in_order().map(|team| message_line(&Message::Team(name(team)))));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An egg that was never announced breaks, after `published` published lines.
    fn end(catch_up: &mut CatchUp, published: u64) {
        catch_up.note(&Event::Published(Message::EggDestroyed(EggId(0))), published, true);
    }

    #[test]
    fn what_every_observer_knows_is_forgotten_and_what_one_may_miss_is_not() {
        let mut catch_up = CatchUp::default();
        (0..10).for_each(|published| end(&mut catch_up, published));
        catch_up.forget(4);
        assert_eq!((catch_up.missed(4).count(), catch_up.since), (6, 4));
        catch_up.forget(10);
        assert_eq!((catch_up.gone.len(), catch_up.since), (0, 10));
    }

    #[test]
    fn no_more_is_remembered_than_the_limit() {
        let mut catch_up = CatchUp::default();
        let limit = REMEMBERED as u64;
        (0..limit + 3).for_each(|published| end(&mut catch_up, published));
        assert_eq!((catch_up.gone.len(), catch_up.since), (REMEMBERED, 3));
        assert_eq!(catch_up.missed(3).count(), REMEMBERED);
    }
}
