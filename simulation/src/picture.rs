//! What an observer knows: the mirror of a game, or what any game publishes, built from lines alone.
//!
//! Tested by the sessions in `tests`.

use zappy_protocol::published::Latest;
use zappy_protocol::zappy::mirror::Misfit;
use zappy_protocol::{conquest, zappy};

/// The mirror of a game.
#[derive(Debug, Clone)]
pub(super) enum Picture {
    Zappy(Box<zappy::mirror::Mirror>),
    Conquest(Box<conquest::mirror::Mirror>),
    /// Of a game without a mirror.
    Plain(Latest),
}

impl Picture {
    /// An empty one, of the game of that name.
    pub(super) fn of(game: &str) -> Picture {
        match game {
            "zappy" => Picture::Zappy(Box::default()),
            "conquest" => Picture::Conquest(Box::default()),
            _ => Picture::Plain(Latest::default()),
        }
    }

    /// Takes a line. Panics if it is no message, or doesn't fit what was told before, unless that is `excused`.
    pub(super) fn take(&mut self, line: &[u8], excused: impl Fn(Misfit) -> bool) {
        let text = line.escape_ascii();
        match self {
            Picture::Zappy(mirror) => {
                let message = zappy::observer::Message::parse(line);
                let message = message.unwrap_or_else(|error| panic!("{error}: {text}"));
                let misfit = mirror.apply(&message).err().filter(|misfit| !excused(*misfit));
                assert!(misfit.is_none(), "{misfit:?}: {text}");
            }
            Picture::Conquest(mirror) => {
                let message = conquest::observer::Message::parse(line);
                let message = message.unwrap_or_else(|error| panic!("{error}: {text}"));
                mirror.apply(&message).unwrap_or_else(|misfit| panic!("{misfit}: {text}"));
            }
            Picture::Plain(latest) => latest.apply(line),
        }
    }

    /// Leaves out what these rules withhold from observers.
    pub(super) fn without_withheld(mut self, rules: &str) -> Picture {
        if let Picture::Zappy(mirror) = &mut self
            && rules == "official"
        {
            mirror.tiles.clear();
            mirror.incantations.clear();
            mirror.rate = 0;
        }
        self
    }

    /// Whether two incantations run on one tile, so that the message of an end doesn't say which one has ended.
    pub(super) fn has_two_incantations_on_a_tile(&self) -> bool {
        let Picture::Zappy(mirror) = self else { return false };
        let mut tiles: Vec<_> = mirror.incantations.iter().map(|incantation| incantation.at).collect();
        tiles.sort_unstable();
        tiles.windows(2).any(|two| two[0] == two[1])
    }

    /// Leaves out which incantations run.
    pub(super) fn without_incantations(mut self) -> Picture {
        if let Picture::Zappy(mirror) = &mut self {
            mirror.incantations.clear();
        }
        self
    }

    /// Panics unless both show the same world.
    pub(super) fn assert_shows(&self, other: &Picture, words: &str) {
        let [one, other] = [self, other].map(|picture| picture.clone().plain());
        let same = match (&one, &other) {
            (Picture::Zappy(one), Picture::Zappy(other)) => one == other,
            (Picture::Conquest(one), Picture::Conquest(other)) => one == other,
            (Picture::Plain(one), Picture::Plain(other)) => one == other,
            _ => false,
        };
        if !same {
            let [one, other] = [one, other].map(|picture| format!("{picture:#?}"));
            let mut differs = one.lines().zip(other.lines()).filter(|(one, other)| one != other);
            panic!("{words}: {:?}", differs.next());
        }
    }

    /// Without what snapshots don't tell: the layers of eggs, and which players are laying. Of incantations only the tiles are
    /// kept: the message of an end names no more, and where a new frequency keeps seconds a later one may end first.
    fn plain(mut self) -> Picture {
        if let Picture::Zappy(mirror) = &mut self {
            mirror.eggs.values_mut().for_each(|egg| egg.layer = None);
            mirror.players.values_mut().for_each(|player| player.laying = false);
            for incantation in &mut mirror.incantations {
                (incantation.level, incantation.players) = (zappy::Level::MIN, Vec::new());
            }
            mirror.incantations.sort_by_key(|incantation| incantation.at);
        }
        self
    }
}
