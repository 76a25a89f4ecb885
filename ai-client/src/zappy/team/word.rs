//! The words of a team as they travel: `zappy2:TOKEN:COUNTER:KIND:LEVEL:MARK:MARK`.
//!
//! A word holds no blank: some servers answer `ko` to a broadcast of more than one word. Blanks instead of colons are
//! read as well. Reading takes any bytes; a text that isn't a word of this team is `None`. Tested in this module.

use zappy_protocol::Text;
use zappy_protocol::zappy::Level;

use super::seal::{Seal, Speaker};

/// What each word begins with; words of another version aren't understood.
const VERSION: &str = "zappy2";
/// What separates the parts of a word, and what separated them in an earlier version.
const SEPARATORS: [char; 2] = [':', ' '];
/// The longest text that is read as a word, in bytes.
const LENGTH_LIMIT: usize = 100;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Saying {
    /// The leader is at the nest and ready.
    Lead {
        /// Of two leaders the one of lower rank is followed.
        rank: u8,
    },
    /// The speaker is at the nest and ready.
    Here,
    /// The speaker isn't ready any more.
    Away,
    /// The speaker is at the nest for a moment: mates that look for the nest hear where it is.
    Home,
    /// The leader leaves the nest for good, and will speak from another tile.
    Move,
    /// Like `Away`, because of a push.
    Pushed,
    /// Some players that were thought to be ready seem to be missing: all that are ready say so again.
    Roll,
    /// The speaker is about to come home: guards shall let it in.
    Knock,
    /// The speaker stands guard on its tile.
    Post,
    /// The speaker is a new guard: the other guards shall say where they stand.
    Posts,
    /// The speaker came in at the start, and gathers.
    Start,
    /// Means nothing to the team: strangers that follow voices shall hear one far from the nest.
    Lure,
}

/// All sayings without a rank: all but `Lead`.
const PLAIN: [Saying; 11] = {
    use Saying::{Away, Here, Home, Knock, Lure, Move, Post, Posts, Pushed, Roll, Start};
    [Here, Away, Home, Move, Lure, Knock, Post, Posts, Pushed, Roll, Start]
};

impl Saying {
    fn name(self) -> &'static str {
        match self {
            Saying::Lead { .. } => "lead",
            Saying::Here => "here",
            Saying::Away => "away",
            Saying::Home => "home",
            Saying::Move => "move",
            Saying::Lure => "lure",
            Saying::Knock => "knock",
            Saying::Post => "post",
            Saying::Posts => "posts",
            Saying::Pushed => "pushed",
            Saying::Roll => "roll",
            Saying::Start => "start",
        }
    }
}

/// A word of the team.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word {
    /// The number by which the speaker names itself.
    pub token: u32,
    /// Grows with every word of that speaker.
    pub counter: u64,
    pub kind: Saying,
    pub level: Level,
}

impl Word {
    /// Writes the text that is broadcast.
    pub fn write(&self, seal: &Seal) -> Text {
        let Word { token, counter, kind, level } = self;
        let rank = if let Saying::Lead { rank } = kind { rank.to_string() } else { String::new() };
        let said = format!("{VERSION}:{token:x}:{counter}:{}{rank}:{level}", kind.name());
        Text::new(format!("{said}:{}", seal.marks(&said)).as_bytes())
    }

    /// The word in a text, and the kind of its speaker; `None` if the text isn't a word of the team with that seal.
    pub fn read(seal: &Seal, text: &[u8]) -> Option<(Word, Speaker)> {
        if text.len() > LENGTH_LIMIT {
            return None;
        }
        let (rest, of_kin) = std::str::from_utf8(text).ok()?.rsplit_once(SEPARATORS)?;
        let (said, of_team) = rest.rsplit_once(SEPARATORS)?;
        let word = Word::parse(said)?;
        Some((word, seal.speaker(said, of_team, of_kin)?))
    }

    fn parse(said: &str) -> Option<Word> {
        let mut parts = said.split(SEPARATORS);
        (parts.next()? == VERSION).then_some(())?;
        let token = u32::from_str_radix(parts.next()?, 16).ok()?;
        let counter = parts.next()?.parse().ok()?;
        let name = parts.next()?;
        let lead = || Some(Saying::Lead { rank: name.strip_prefix("lead")?.parse().ok()? });
        let kind = PLAIN.into_iter().find(|kind| kind.name() == name).or_else(lead)?;
        let level = Level::new(parts.next()?.parse().ok()?)?;
        parts.next().is_none().then_some(Word { token, counter, kind, level })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use zappy_protocol::TeamName;

    fn seal(seed: u64) -> Seal {
        Seal::new(&TeamName::parse(b"red").unwrap(), seed, true)
    }

    proptest! {
        #[test]
        fn words_come_back(token: u32, counter: u64, kind in 0usize..14, level in 1u8..=8) {
            let kind = PLAIN.get(kind).copied().unwrap_or(Saying::Lead { rank: kind as u8 });
            let word = Word { token, counter, kind, level: Level::new(level).unwrap() };
            let text = word.write(&seal(5));
            prop_assert!(text.as_bytes().len() <= LENGTH_LIMIT && !text.as_bytes().contains(&b' '));
            prop_assert_eq!(Word::read(&seal(5), text.as_bytes()), Some((word, Speaker::Kin)));
            prop_assert_eq!(Word::read(&seal(6), text.as_bytes()), None);
        }

        #[test]
        fn any_bytes_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            prop_assert_eq!(Word::read(&seal(5), &bytes), None);
        }
    }

    #[test]
    fn a_word_of_an_older_mate_has_blanks() {
        let said = "zappy2 7 1 here 1";
        let text = format!("{said} {}", seal(5).marks(said).replace(':', " "));
        let word = Word { token: 7, counter: 1, kind: Saying::Here, level: Level::MIN };
        assert_eq!(Word::read(&seal(5), text.as_bytes()), Some((word, Speaker::Kin)));
    }

    #[test]
    fn a_changed_byte_is_noticed() {
        let word = Word { token: 7, counter: 1, kind: Saying::Here, level: Level::MIN };
        let mut bytes = word.write(&seal(5)).as_bytes().to_vec();
        bytes[9] ^= 1;
        assert_eq!(Word::read(&seal(5), &bytes), None);
    }
}
