//! What a faction is told of the world.

use zappy_protocol::conquest::geometry::reach;
use zappy_protocol::conquest::player::ServerLine;
use zappy_protocol::conquest::{FactionId, UnitType};

use crate::world::World;

/// Panics if a faction is told more or less than it may see.
pub fn assert_sight(world: &World, faction: FactionId, lines: &[ServerLine]) {
    let own = |kind: Option<UnitType>| {
        let units = world.units.values().filter(move |unit| unit.faction == faction);
        units.filter(move |unit| kind.is_none_or(|kind| unit.kind == kind)).map(|unit| unit.at)
    };
    let eyes: Vec<_> = own(None).chain(world.faction(faction).bases.iter().copied()).collect();
    let sappers: Vec<_> = own(Some(UnitType::Sapper)).collect();
    let sees = |eyes: &[_], at| eyes.iter().any(|&eye| reach(world.size, eye, at) <= 1);
    let mut told = Vec::new();
    let mut units = Vec::new();
    for line in lines {
        match line {
            ServerLine::Tile { at, tile } => {
                told.push(*at);
                let real = *world.tile(*at);
                let bomb = real.flags.bomb && sees(&sappers, *at);
                assert_eq!(tile.flags.bomb, bomb, "the bomb at {at}");
                assert_eq!((tile.owner, tile.building), (real.owner, real.building));
            }
            ServerLine::Unit { id, unit } => {
                assert_eq!(world.units[id], *unit);
                units.push(*id);
            }
            _ => {}
        }
    }
    let seen: Vec<_> = world.size.tiles().filter(|&at| sees(&eyes, at)).collect();
    assert_eq!(told, seen, "tiles in sight, sorted");
    let mut there: Vec<_> = seen.iter().filter_map(|&at| world.site(at).unit).collect();
    there.sort_unstable();
    assert_eq!(units, there, "units in sight, sorted");
}
