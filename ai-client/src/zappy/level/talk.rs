//! What players of `medium`, `hard` and `aggressor` shout: `zappylevel:TOKEN:COUNTER:KIND:LEVEL:CARRIES:CHECK`.
//!
//! A shout carries a counter of its speaker and a check that is made from the team's name, so that noise, strangers'
//! shouts and repetitions are ignored; a program that knows this source can forge one. A shout has no blanks, since
//! some servers refuse those, but blanks instead of colons are read as well. Reading takes any bytes. Tested in this
//! module.

use std::collections::BTreeMap;

use zappy_protocol::zappy::player::{Command, Sight};
use zappy_protocol::zappy::{Inventory, Level, Resource};
use zappy_protocol::{TeamName, Text};

use super::body::Body;
use crate::chance::mix;

/// What every shout begins with.
const MARK: &str = "zappylevel";
/// What separates the parts of a shout, and what separated them in an earlier version.
const SEPARATORS: [char; 2] = [':', ' '];
/// The longest text that is read as a shout, in bytes.
const LENGTH_LIMIT: usize = 200;
/// How many speakers are remembered; the shouts of further ones are ignored.
const SPEAKERS_LIMIT: usize = 256;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShoutKind {
    /// The speaker waits on its tile for mates to come.
    Call,
    /// The speaker has come to the caller's tile.
    Here,
    /// The speaker is at no meeting; the shout says what it carries.
    Have,
}

/// Each kind's word on the wire.
const KINDS: [(ShoutKind, &str); 3] =
    [(ShoutKind::Call, "call"), (ShoutKind::Here, "here"), (ShoutKind::Have, "have")];

/// A shout of a mate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shout {
    /// The number by which the speaker names itself.
    pub token: u32,
    pub kind: ShoutKind,
    pub level: Level,
    pub carried: Inventory,
}

/// Makes a player's shouts and reads its mates'.
#[derive(Debug)]
pub struct Talk {
    /// Made from the team's name; checks are made with it.
    key: u64,
    /// The number by which this player names itself; 0 before it has looked around.
    pub token: u32,
    /// How many shouts it has made.
    counter: u64,
    /// The counter of the last shout of each speaker, by token.
    last_counters: BTreeMap<u32, u64>,
}

impl Talk {
    /// For a player of `team`, which has no token before it has looked around.
    pub fn new(team: &TeamName) -> Talk {
        let key = mix(mix(0, MARK.as_bytes()), team.as_str().as_bytes());
        Talk { key, token: 0, counter: 0, last_counters: BTreeMap::new() }
    }

    /// Draws the token from the first look, which differs even between players with equal handshakes.
    pub fn draw_token(&mut self, body: &mut Body, sights: &[Sight]) {
        if self.token == 0 {
            let units = sights.iter().flat_map(|sight| sight.resources.amounts());
            let bytes: Vec<u8> = units.flat_map(|units| units.to_le_bytes()).collect();
            let drawn = mix(body.chance.next_u64(), &bytes);
            self.token = u32::try_from(drawn >> 32).unwrap_or(1).max(1);
        }
    }

    /// The broadcast of a shout of this kind.
    pub fn say(&mut self, kind: ShoutKind, body: &Body) -> Command {
        self.counter += 1;
        let kind = KINDS.into_iter().find(|(known, _)| *known == kind).map_or("", |(_, word)| word);
        let carries: Vec<String> = body.memory.carried().amounts().iter().map(ToString::to_string).collect();
        let (token, counter, level) = (self.token, self.counter, body.memory.level);
        let said = format!("{MARK}:{token:x}:{counter}:{kind}:{level}:{}", carries.join("."));
        let check = mix(self.key, said.as_bytes());
        Command::Broadcast(Text::new(format!("{said}:{check:016x}").as_bytes()))
    }

    /// The shout in a text; `None` if the text isn't a new shout of a mate.
    pub fn hear(&mut self, text: &Text) -> Option<Shout> {
        let text = text.as_bytes();
        (text.len() <= LENGTH_LIMIT).then_some(())?;
        let (said, check) = std::str::from_utf8(text).ok()?.rsplit_once(SEPARATORS)?;
        (u64::from_str_radix(check, 16).ok()? == mix(self.key, said.as_bytes())).then_some(())?;
        let mut parts = said.split(SEPARATORS);
        (parts.next()? == MARK).then_some(())?;
        let token = u32::from_str_radix(parts.next()?, 16).ok()?;
        let counter: u64 = parts.next()?.parse().ok()?;
        let kind = parts.next()?;
        let kind = KINDS.into_iter().find(|(_, word)| *word == kind)?.0;
        let level = Level::new(parts.next()?.parse().ok()?)?;
        let mut carried = Inventory::default();
        let mut units = parts.next()?.split('.');
        for resource in Resource::ALL {
            carried.set(resource, units.next()?.parse().ok()?);
        }
        (parts.next().is_none() && units.next().is_none()).then_some(())?;
        let last_counter = self.last_counters.get(&token);
        let is_new = last_counter.map_or(self.last_counters.len() < SPEAKERS_LIMIT, |&last| counter > last);
        (is_new && token != self.token).then_some(())?;
        self.last_counters.insert(token, counter);
        Some(Shout { token, kind, level, carried })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use zappy_protocol::MapSize;

    fn talk(team: &str, chance: u64) -> (Talk, Body) {
        let mut talk = Talk::new(&TeamName::parse(team.as_bytes()).unwrap());
        let mut body = Body::new(MapSize::new(10, 10).unwrap(), chance);
        talk.draw_token(&mut body, &[Sight::default()]);
        (talk, body)
    }

    fn text(command: Command) -> Text {
        if let Command::Broadcast(text) = command { text } else { panic!("{command:?}") }
    }

    #[test]
    fn a_mate_understands_and_believes_it_once() {
        let ((mut a, _), (mut b, mut body)) = (talk("red", 1), talk("red", 2));
        body.memory.saw_inventory(Inventory::new([9, 0, 1, 2, 3, 4, 5]));
        let said = text(b.say(ShoutKind::Call, &body));
        assert!(said.as_bytes().len() <= LENGTH_LIMIT && !said.as_bytes().contains(&b' '));
        let shout = a.hear(&said).unwrap();
        let carried = body.memory.carried();
        assert_eq!(shout, Shout { token: b.token, kind: ShoutKind::Call, level: Level::MIN, carried });
        assert_eq!(a.hear(&said), None, "a repetition");
        assert!(a.hear(&text(b.say(ShoutKind::Here, &body))).is_some());
        let own = text(b.say(ShoutKind::Have, &body));
        assert_eq!(b.hear(&own), None, "an echo");
    }

    #[test]
    fn strangers_and_changed_words_are_passed_over() {
        let ((mut a, _), (mut b, body)) = (talk("red", 1), talk("blue", 2));
        assert_eq!(a.hear(&text(b.say(ShoutKind::Call, &body))), None);
        let (mut c, body) = talk("red", 3);
        let mut bytes = text(c.say(ShoutKind::Call, &body)).as_bytes().to_vec();
        bytes[MARK.len() + 2] ^= 1;
        assert_eq!(a.hear(&Text::new(&bytes)), None);
    }

    #[test]
    fn what_was_seen_first_tells_twins_apart() {
        let (a, mut body) = talk("red", 1);
        body.chance = crate::chance::Chance::new(1);
        let mut twin = Talk::new(&TeamName::parse(b"red").unwrap());
        twin.draw_token(&mut body, &[Sight { resources: Inventory::new([1; 7]), ..Sight::default() }]);
        assert_ne!(a.token, twin.token);
    }

    proptest! {
        #[test]
        fn any_bytes_are_passed_over(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            prop_assert_eq!(talk("red", 1).0.hear(&Text::new(&bytes)), None);
        }
    }
}
