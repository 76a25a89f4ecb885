//! What happened, the newest first, with filters; each entry leads to its place and moment.
//!
//! Must never look at more than [`BUDGET`] entries for a frame.

use zappy_protocol::conquest::Cause;
use zappy_protocol::{Position, Tick};

use super::super::state::{Incident, IncidentKind, Topic};
use super::super::view::{Choice, ConquestChoice, Shown};
use super::super::words::{faction, sentence, tone};
use super::Ui;
use zappy_observer::ink::Rect;
use zappy_observer::panels::feed::{self, FeedItem, Narrowing};
use zappy_observer::panels::kit::Label;
use zappy_observer::theme;

/// Entries that are looked at for a frame.
const BUDGET: usize = 20_000;

fn entries<'a>(shown: &Shown<'a>) -> impl Iterator<Item = &'a Incident> + use<'a> {
    let (view, until) = (shown.view, shown.tick());
    let all = &shown.story.entries;
    let end = all.partition_point(|entry| entry.tick <= until);
    all.range(..end).rev().take(BUDGET).map(AsRef::as_ref).filter(|entry| {
        // The line that a faction is beaten stands for the loss of its units as well.
        !matches!(entry.what, IncidentKind::Gone { cause: Cause::Beaten, .. })
            && Topic::of(&entry.what).is_some_and(|topic| view.own.topics.contains(&topic))
            && view.own.faction.is_none_or(|wanted| faction(&entry.what) == Some(wanted))
    })
}

/// Tick and place of an entry, counted from the newest that passes the filters.
pub fn entry(shown: &Shown<'_>, number: usize) -> Option<(Tick, Option<Position>)> {
    entries(shown).nth(number).map(|entry| (entry.tick, entry.at))
}

pub fn draw(ui: &mut Ui<'_>, rect: Rect, shown: &Shown<'_>) {
    let (own, story) = (&shown.view.own, shown.story);
    let words = own.faction.map_or("all factions", |faction| story.name(faction));
    let label = Label { words, key: "G", hint: "Events of one faction, the next one, all" };
    let switches = Topic::ALL.map(|topic| {
        let (name, hint) = topic.label();
        (name, hint, own.topics.contains(&topic), ConquestChoice::ToggleTopic(topic), 1)
    });
    let chips = vec![(label, None, own.faction.is_some(), ConquestChoice::CycleFaction)];
    let item = |entry: &Incident| FeedItem {
        when: format!("T {}", story.turn(entry.tick)),
        look: faction(&entry.what).map(|faction| shown.look(Some(faction))),
        words: sentence(entry, story),
        ink: tone(&entry.what).unwrap_or(theme::TEXT),
        limit: 2,
        action: Choice::Visit(entry.tick, entry.at).into(),
    };
    let narrowing = Narrowing { chips, switches: &switches, columns: 3 };
    feed::draw(ui, rect, narrowing, shown.view.feed_at, &|| Box::new(entries(shown).map(item)));
}
