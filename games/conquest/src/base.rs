//! What bases are ordered to do, and the units that they build.
//!
//! `check_base` decides and explains and changes nothing; `apply_base` relies on it. Tested in `tests`.

use zappy_protocol::Position;
use zappy_protocol::conquest::constants::{BOMB_GOLD, INCOME_GOLD};
use zappy_protocol::conquest::player::BaseOrder;
use zappy_protocol::conquest::{FactionId, Slot, UnitType};

use super::refusal::{Refusal, require, require_or_never};
use super::world::World;

impl World {
    /// Whether the faction's base may do this now.
    pub(super) fn check_base(&self, faction: FactionId, order: BaseOrder) -> Result<(), Refusal> {
        let owner = self.faction(faction);
        if let BaseOrder::Move(to) = order {
            require_or_never(self.size.contains(to), || format!("{to} is off the map"))?;
        }
        require(self.holds_base(faction), || "the base isn't your own")?;
        match order {
            BaseOrder::Income | BaseOrder::Idle => Ok(()),
            BaseOrder::Build(kind) => {
                if let Some(slot) = owner.slot {
                    return Err(Refusal::not_now(format!("the slot is busy with a {}", slot.kind)));
                }
                self.check_gold(faction, kind.numbers().gold)?;
                self.check_cap(faction)
            }
            BaseOrder::Continue => require(owner.slot.is_some(), || "the slot is empty"),
            BaseOrder::Bomb => self.check_gold(faction, BOMB_GOLD),
            BaseOrder::Move(to) => require(owner.bases.contains(&to), || "no base of your own stands there"),
        }
    }

    /// Whether the faction still owns the tile of its current base. Also true while it has no base yet.
    pub(super) fn holds_base(&self, faction: FactionId) -> bool {
        self.faction(faction).base.is_none_or(|at| self.tile(at).owner == Some(faction))
    }

    /// Carries out what `check_base` allowed.
    pub(super) fn apply_base(&mut self, faction: FactionId, order: BaseOrder) {
        let owner = self.faction_mut(faction);
        match order {
            BaseOrder::Income => self.earn(faction, INCOME_GOLD),
            BaseOrder::Build(kind) => {
                let numbers = kind.numbers();
                owner.gold -= numbers.gold;
                owner.slot = Some(Slot { kind, left: numbers.turns - 1 });
            }
            BaseOrder::Continue => {
                let Some(slot) = &mut owner.slot else { return };
                slot.left = slot.left.saturating_sub(1);
                let (slot, base) = (*slot, owner.base);
                if let Some(at) = base.filter(|&at| slot.left == 0 && self.site(at).unit.is_none()) {
                    self.faction_mut(faction).slot = None;
                    self.build(faction, slot.kind, at);
                }
            }
            BaseOrder::Bomb => {
                owner.gold -= BOMB_GOLD;
                owner.bombs = owner.bombs.saturating_add(1);
            }
            BaseOrder::Move(to) => (owner.base, owner.slot) = (Some(to), None),
            BaseOrder::Idle => {}
        }
    }

    /// Puts a finished or recruited unit on a free tile and counts its score.
    pub(super) fn build(&mut self, faction: FactionId, kind: UnitType, at: Position) {
        self.appear(faction, kind, at);
        self.faction_mut(faction).score += kind.numbers().build_score;
    }
}
