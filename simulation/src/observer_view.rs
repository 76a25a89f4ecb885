//! What an observer knows of the world, from lines alone: a game's mirror, or what any game publishes.
//!
//! Tested by the sessions in `tests`.

use zappy_protocol::published::Latest;
use zappy_protocol::zappy::mirror::Misfit;
use zappy_protocol::{conquest, zappy};

use zappy_game::{Game, Line};

/// The world as an observer knows it.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum ObserverView {
    Zappy(Box<zappy::mirror::Mirror>),
    Conquest(Box<conquest::mirror::Mirror>),
    /// For a game without a mirror.
    Plain(Latest),
}

impl ObserverView {
    /// The view of an observer of that game that has read nothing yet.
    pub(super) fn of(game: &str) -> ObserverView {
        match game {
            "zappy" => ObserverView::Zappy(Box::default()),
            "conquest" => ObserverView::Conquest(Box::default()),
            _ => ObserverView::Plain(Latest::default()),
        }
    }

    /// The view of an observer of that game that comes now; with `all` it also knows what the rules withhold.
    pub(super) fn snapshot(name: &str, game: &impl Game, all: bool) -> ObserverView {
        let (mut view, mut lines) = (ObserverView::of(name), Vec::new());
        game.snapshot(None, &mut lines);
        if all {
            game.withheld(&mut lines);
        }
        lines.iter().flat_map(Line::lines).for_each(|line| view.apply(line, |_| false));
        view
    }

    /// Applies a line. Panics if it is no message, or contradicts those before it and `excused` doesn't allow that.
    pub(super) fn apply(&mut self, line: &[u8], excused: impl Fn(Misfit) -> bool) {
        let text = line.escape_ascii();
        match self {
            ObserverView::Zappy(mirror) => {
                let message = zappy::observer::Message::parse(line);
                let message = message.unwrap_or_else(|error| panic!("{error}: {text}"));
                let misfit = mirror.apply(&message).err().filter(|misfit| !excused(*misfit));
                assert!(misfit.is_none(), "{misfit:?}: {text}");
            }
            ObserverView::Conquest(mirror) => {
                let message = conquest::observer::Message::parse(line);
                let message = message.unwrap_or_else(|error| panic!("{error}: {text}"));
                mirror.apply(&message).unwrap_or_else(|misfit| panic!("{misfit}: {text}"));
            }
            ObserverView::Plain(latest) => latest.apply(line),
        }
    }

    /// The view without what these rules withhold from observers.
    pub(super) fn without_withheld(mut self, rules: &str) -> ObserverView {
        if let ObserverView::Zappy(mirror) = &mut self
            && rules == "official"
        {
            mirror.tiles.clear();
            mirror.incantations.clear();
            mirror.rate = 0;
        }
        self
    }

    /// The view without the running incantations.
    pub(super) fn without_incantations(mut self) -> ObserverView {
        if let ObserverView::Zappy(mirror) = &mut self {
            mirror.incantations.clear();
        }
        self
    }

    /// Panics unless both show the same world, but for what snapshots don't have: the layers of eggs, and which players are
    /// laying. Of incantations only the tiles are compared: the message of an end names nothing else, and where a new
    /// frequency keeps seconds a later one may end first. `words`: the beginning of the panic's message.
    pub(super) fn assert_shows(&self, other: &ObserverView, words: &str) {
        let [mut one, mut other] = [self.clone(), other.clone()];
        for view in [&mut one, &mut other] {
            if let ObserverView::Zappy(mirror) = view {
                mirror.eggs.values_mut().for_each(|egg| egg.layer = None);
                mirror.players.values_mut().for_each(|player| player.laying = false);
                for incantation in &mut mirror.incantations {
                    (incantation.level, incantation.players) = (zappy::Level::MIN, Vec::new());
                }
                mirror.incantations.sort_by_key(|incantation| incantation.at);
            }
        }
        if one != other {
            let [one, other] = [one, other].map(|view| format!("{view:#?}"));
            let mut differs = one.lines().zip(other.lines()).filter(|(one, other)| one != other);
            panic!("{words}: {:?}", differs.next());
        }
    }
}
