//! Follows the voice of one player: the directions from which it was heard narrow down where the player stands.
//!
//! Tested in this module. `memory::home` rules the tiles out, and tests that.

use zappy_protocol::Tick;

use crate::zappy::memory::{Home, Memory, Torus};

/// Where a voice comes from, as far as this player knows.
#[derive(Debug)]
pub struct Voice {
    /// The speaker's tile, narrowed down in the way of a home.
    home: Home,
    torus: Torus,
    /// When it was last heard.
    pub heard_at: Tick,
}

impl Voice {
    /// A voice that may come from any tile.
    pub fn anywhere(memory: &Memory) -> Voice {
        Voice { home: Home::unknown(&memory.torus), torus: memory.torus.clone(), heard_at: memory.clock }
    }

    /// This player's own voice, from its tile.
    pub fn own(memory: &Memory) -> Voice {
        Voice { home: Home::known(memory.here), ..Voice::anywhere(memory) }
    }

    /// The voice was heard from that direction.
    pub fn heard(&mut self, memory: &Memory, direction: u8) {
        self.heard_at = memory.clock;
        self.home.heard(&mut self.torus, memory.here, memory.facing, direction);
    }

    /// The way to the speaker's tile, or to the nearest that may be it, as `(dx, dy)`; `None` before the voice was
    /// heard.
    pub fn way_to_speaker(&self, memory: &Memory) -> Option<(i32, i32)> {
        self.home.way_from(&self.torus, memory.here)
    }

    /// Whether this player stands on the speaker's tile.
    pub fn is_here(&self, memory: &Memory) -> bool {
        self.home.spot().is_some() && self.way_to_speaker(memory) == Some((0, 0))
    }

    /// Ticks since the voice was heard.
    pub fn silence(&self, memory: &Memory) -> Tick {
        memory.clock.saturating_sub(self.heard_at)
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
        assert_eq!(voice.way_to_speaker(&memory), None);
        voice.heard(&memory, 1);
        let (dx, dy) = voice.way_to_speaker(&memory).unwrap();
        assert!(dx == 0 && dy < 0, "north: {dx} {dy}");
        memory.answered(&Command::Forward, true);
        voice.heard(&memory, 0);
        assert!(voice.is_here(&memory));
        memory.pushed(5);
        assert_eq!(voice.way_to_speaker(&memory), Some((0, 1)));
        assert_eq!(voice.silence(&memory), 0);
    }
}
