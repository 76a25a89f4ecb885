//! Follows the voice of one player: the directions it was heard from narrow down where it stands.
//!
//! Tested in this module. `memory::home` rules the tiles out, and tests that.

use zappy_protocol::Tick;

use crate::zappy::memory::{Home, Memory, Torus};

/// Where a voice comes from, as far as this player knows.
#[derive(Debug)]
pub struct Voice {
    home: Home,
    torus: Torus,
    heard: Tick,
}

impl Voice {
    /// A voice that may come from any tile.
    pub fn anywhere(memory: &Memory) -> Voice {
        Voice { home: Home::unknown(&memory.torus), torus: memory.torus.clone(), heard: memory.clock }
    }

    /// This player's own voice, from its tile.
    pub fn own(memory: &Memory) -> Voice {
        Voice { home: Home::known(memory.here), ..Voice::anywhere(memory) }
    }

    /// The voice was heard from that direction.
    pub fn heard(&mut self, memory: &Memory, direction: u8) {
        self.heard = memory.clock;
        self.home.heard(&mut self.torus, memory.here, memory.facing, direction);
    }

    /// The way to its tile, or to the nearest that may be it; `None` before it was heard.
    pub fn way(&self, memory: &Memory) -> Option<(i32, i32)> {
        self.home.way(&self.torus, memory.here)
    }

    /// Whether this player stands on its tile.
    pub fn is_here(&self, memory: &Memory) -> bool {
        self.home.spot().is_some() && self.way(memory) == Some((0, 0))
    }

    /// Ticks since the voice was heard.
    pub fn silence(&self, memory: &Memory) -> Tick {
        memory.clock.saturating_sub(self.heard)
    }

    /// Counts the silence from now on: until now the speaker could not speak.
    pub fn excuse(&mut self, memory: &Memory) {
        self.heard = memory.clock;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use zappy_protocol::MapSize;
    use zappy_protocol::zappy::player::Command;

    #[test]
    fn it_is_followed_to_where_it_is_and_walked_back_to_after_a_push() {
        let mut memory = Memory::new(MapSize::new(10, 10).unwrap(), false);
        let mut voice = Voice::anywhere(&memory);
        assert_eq!(voice.way(&memory), None);
        voice.heard(&memory, 1);
        let (dx, dy) = voice.way(&memory).unwrap();
        assert!(dx == 0 && dy < 0, "north: {dx} {dy}");
        memory.done(&Command::Forward, true);
        voice.heard(&memory, 0);
        assert!(voice.is_here(&memory));
        memory.pushed(5);
        assert_eq!(voice.way(&memory), Some((0, 1)));
        assert_eq!(voice.silence(&memory), 0);
    }
}
