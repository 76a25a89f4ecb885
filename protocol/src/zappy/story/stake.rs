//! What an incantation needs, and what it brings if it succeeds. Tested in this module.

use super::roster::{Roster, TeamIndex};
use crate::zappy::constants::{WINNING_PLAYERS, elevation};
use crate::zappy::mirror::{Mirror, MirrorIncantation, MirrorPlayer};
use crate::zappy::{Level, PlayerId};

/// What an incantation brings if it succeeds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stake {
    /// The team of the incantation's initiator.
    pub team: TeamIndex,
    /// The level that its players reach.
    pub to: Level,
    /// Players of the team at level 8 afterwards.
    pub at_top: usize,
}

impl Stake {
    /// What the incantation brings if all its participants rise; a participant that has already risen by it counts
    /// once. `None` if its team isn't known, or if no level is higher.
    pub fn of(mirror: &Mirror, roster: &Roster, running: &MirrorIncantation) -> Option<Stake> {
        let team = roster.team_of(*running.players.first()?)?;
        let to = running.level.next()?;
        let own = |id: &PlayerId| roster.team_of(*id) == Some(team);
        let rises = |id: &PlayerId| to == Level::MAX && running.players.contains(id);
        let top =
            |(id, known): &(&PlayerId, &MirrorPlayer)| known.level == Level::MAX && !rises(id) && own(id);
        let rising = running.players.iter().filter(|id| to == Level::MAX && own(id)).count();
        Some(Stake { team, to, at_top: mirror.players.iter().filter(top).count() + rising })
    }

    /// What the incantation has brought, once it has succeeded.
    pub fn reached(self, mirror: &Mirror, roster: &Roster) -> Stake {
        let top = mirror.players.iter().filter(|(_, known)| known.level == Level::MAX);
        Stake { at_top: top.filter(|(id, _)| roster.team_of(**id) == Some(self.team)).count(), ..self }
    }

    /// Whether the team wins if the incantation succeeds.
    pub fn wins(&self) -> bool {
        self.to == Level::MAX && self.at_top >= WINNING_PLAYERS
    }
}

/// How many participants are still on the incantation's tile.
pub fn present(mirror: &Mirror, running: &MirrorIncantation) -> usize {
    let there = |id: &&PlayerId| mirror.players.get(id).is_some_and(|known| known.at == running.at);
    running.players.iter().filter(there).count()
}

/// How many players an incantation of that level needs by the published table; 0 at the highest level.
pub fn needed(level: Level) -> usize {
    elevation(level).map_or(0, |row| row.players)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Position;
    use crate::zappy::observer::Message;

    #[test]
    fn six_at_the_top_win() {
        let (mut mirror, mut roster) = (Mirror::new(), Roster::new());
        let players = (0..7).map(|n| format!("pnw #{n} 1 1 1 {} red", if n == 6 { 8 } else { 7 }));
        for line in ["msz 9 9".to_owned(), "pnw #9 1 1 1 7 blue".to_owned()].into_iter().chain(players) {
            let message = Message::parse(line.as_bytes()).unwrap();
            mirror.apply(&message).unwrap();
            roster.apply(0, &message);
        }
        let of = |players: &[u32]| {
            let players = players.iter().copied().map(PlayerId).collect();
            let at = Position { x: 1, y: 1 };
            let level = Level::new(7).unwrap();
            Stake::of(&mirror, &roster, &MirrorIncantation { at, level, players, began: None }).unwrap()
        };
        assert_eq!((of(&[0, 1, 2, 3, 9]).at_top, of(&[0, 1, 2, 3, 9]).wins()), (5, false));
        assert!(of(&[0, 1, 2, 3, 4, 9]).wins());
        assert!(!of(&[9, 0, 1, 2, 3, 4]).wins(), "blue has one");
    }
}
