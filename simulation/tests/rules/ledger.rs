//! Follows all resources by the messages alone: nothing appears or vanishes without a reason.
//!
//! Reasons are: picked up, put down, used up by an incantation, eaten, refilled, born with, gone with a player.
//! The order of the messages of one reason is checked too.

use zappy_protocol::zappy::constants::{BIRTH_FOOD, REFILL_TICKS};
use zappy_protocol::zappy::mirror::Mirror;
use zappy_protocol::zappy::observer::Message;
use zappy_protocol::zappy::{Inventory, PlayerId, Resource};
use zappy_protocol::{Position, Tick};

use zappy_game_zappy::RuleSet;

/// The message that must come next.
#[derive(Debug, Default, PartialEq)]
enum Expected {
    #[default]
    Nothing,
    /// `pin` after `pgt` or `pdr`, with that change in the player's hands.
    Hands(PlayerId, Resource, i64),
    /// `bct` after that `pin`, with that change on the ground.
    Ground(Position, Resource, i64),
    /// `bct` after a successful `pie`, less these stones.
    Stones(Position, Inventory),
    /// `pin` after `pnw`.
    Birth(PlayerId),
}

#[derive(Debug)]
pub(super) struct Ledger {
    expected: Expected,
    rules: RuleSet,
}

fn changes(before: &Inventory, after: &Inventory) -> [i64; Resource::COUNT] {
    std::array::from_fn(|i| i64::from(after.amounts()[i]) - i64::from(before.amounts()[i]))
}

fn only(resource: Resource, change: i64) -> [i64; Resource::COUNT] {
    let mut changes = [0; Resource::COUNT];
    changes[resource.index()] = change;
    changes
}

impl Ledger {
    pub(super) fn new(rules: RuleSet) -> Ledger {
        Ledger { expected: Expected::Nothing, rules }
    }

    /// Takes a message; `before` is the world according to the messages before it, `period` the ticks since refills
    /// were last begun anew.
    pub(super) fn take(&mut self, message: &Message, before: &Mirror, period: Tick) {
        match message {
            Message::Took { player, resource } => self.expect(Expected::Hands(*player, *resource, 1)),
            Message::Dropped { player, resource } => self.expect(Expected::Hands(*player, *resource, -1)),
            Message::PlayerJoined { player, .. } => self.expect(Expected::Birth(*player)),
            Message::IncantationEnded { at, success: true } => {
                let incantation = before.incantations.iter().find(|known| known.at == *at).unwrap();
                let stones = self.rules.elevation(incantation.level).unwrap().stones;
                self.expect(Expected::Stones(*at, stones));
            }
            Message::PlayerInventory { player, at, inventory } => {
                let changed = changes(&before.players[player].inventory, inventory);
                self.hands(*player, *at, changed);
            }
            Message::Tile { at, resources } => {
                let changed = changes(before.tile(*at).unwrap(), resources);
                self.ground(*at, changed, period);
            }
            _ => self.settle(),
        }
    }

    /// A free incantation of the console takes no stones, so its `pie` stands alone.
    fn settle(&mut self) {
        if !matches!(self.expected, Expected::Stones(..)) {
            assert_eq!(self.expected, Expected::Nothing, "something vanished or appeared");
        }
        self.expected = Expected::Nothing;
    }

    pub(super) fn end_step(&mut self) {
        self.settle();
    }

    fn expect(&mut self, expected: Expected) {
        self.settle();
        self.expected = expected;
    }

    fn hands(&mut self, player: PlayerId, at: Position, changed: [i64; Resource::COUNT]) {
        match std::mem::take(&mut self.expected) {
            Expected::Hands(expected, resource, change) => {
                assert_eq!((expected, changed), (player, only(resource, change)));
                self.expected = Expected::Ground(at, resource, -change);
            }
            Expected::Birth(expected) => {
                assert_eq!((expected, changed), (player, only(Resource::Food, BIRTH_FOOD.into())));
            }
            Expected::Nothing | Expected::Ground(..) | Expected::Stones(..) => {
                assert_eq!(
                    changed,
                    only(Resource::Food, -1),
                    "what {player} carries changed without a reason"
                );
            }
        }
    }

    fn ground(&mut self, at: Position, changed: [i64; Resource::COUNT], period: Tick) {
        match std::mem::take(&mut self.expected) {
            Expected::Ground(place, resource, change) => {
                assert_eq!((place, changed), (at, only(resource, change)));
            }
            Expected::Stones(place, stones) if place == at => {
                assert_eq!(changed, stones.amounts().map(|units| -i64::from(units)));
            }
            Expected::Nothing | Expected::Hands(..) | Expected::Stones(..) | Expected::Birth(_) => {
                assert_eq!(period % REFILL_TICKS, 0, "the ground changed between two refills");
                assert!(changed.iter().all(|change| *change >= 0), "a refill took something away");
            }
        }
    }
}
