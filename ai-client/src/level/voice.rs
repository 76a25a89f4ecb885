//! Somebody whose voice is followed: where it stands, narrowed down from the directions it was heard from.
//!
//! Tested in this module; how the tiles are ruled out, in `memory::home`.

use zappy_protocol::Tick;

use crate::memory::{Home, Memory, Torus};

/// Where a voice comes from, as far as one knows.
#[derive(Debug)]
pub struct Voice {
    home: Home,
    torus: Torus,
    heard: Tick,
}

impl Voice {
    /// One that comes from anywhere.
    pub fn anywhere(memory: &Memory) -> Voice {
        Voice { home: Home::unknown(&memory.torus), torus: memory.torus.clone(), heard: memory.clock }
    }

    /// One's own, from where one stands.
    pub fn own(memory: &Memory) -> Voice {
        Voice { home: Home::known(memory.here), ..Voice::anywhere(memory) }
    }

    /// It was heard from that direction.
    pub fn heard(&mut self, memory: &Memory, direction: u8) {
        self.heard = memory.clock;
        self.home.heard(&mut self.torus, memory.here, memory.facing, direction);
    }

    /// The way there, or to where it may be; nothing before it was heard.
    pub fn way(&self, memory: &Memory) -> Option<(i32, i32)> {
        self.home.way(&self.torus, memory.here)
    }

    /// Whether one stands where it comes from.
    pub fn is_here(&self, memory: &Memory) -> bool {
        self.home.spot().is_some() && self.way(memory) == Some((0, 0))
    }

    /// Ticks since it was heard.
    pub fn silence(&self, memory: &Memory) -> Tick {
        memory.clock.saturating_sub(self.heard)
    }

    /// It would have been heard if there had been something to say.
    pub fn excuse(&mut self, memory: &Memory) {
        self.heard = memory.clock;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use zappy_protocol::MapSize;
    use zappy_protocol::player::Command;

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
