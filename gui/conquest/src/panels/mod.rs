//! Everything around the world of conquest, as ink.
//!
//! Must never keep anything between frames, and never change anything: what can be clicked comes back as hits. Tested
//! in `tests/conquest/`.

mod closing;
mod help;
mod inspector;
pub mod scoreboard;
mod time;

use zappy_protocol::conquest::Cause;
use zappy_protocol::record::dialogue::Spoken;

use super::state::{Incident, IncidentKind, Topic};
use super::view::{Choice, ConquestChoice, Shown};
use super::words::{faction, sentence, tone};
use super::{ConquestMap, draw};
use zappy_observer::ink::Rect;
use zappy_observer::map_screen::Destination;
use zappy_observer::map_screen::panels::Panels;
use zappy_observer::panels::dialogue::{self, Says};
use zappy_observer::panels::feed::{self, FeedItem, Narrowing};
use zappy_observer::panels::kit::{self, Label};
use zappy_observer::theme;

/// Entries of the feed that are searched for one frame at most.
const ENTRY_BUDGET: usize = 20_000;

/// What the panels draw with.
pub type Ui<'a> = kit::Ui<'a, Choice>;

const ABOUT: &str = "Factions take the land of a world without edges turn by turn: they build units, conquer, fight and \
                     lay bombs, and are out when their base falls. Here you watch them.";

pub const PANELS: Panels<ConquestMap> = Panels {
    about: |_| ABOUT,
    world: draw::world,
    minimap: draw::minimap,
    over: |_, _, _| {},
    headline: time::headline,
    unit: "turns",
    scoreboard: scoreboard::draw,
    rows: scoreboard::ROWS,
    feed,
    inspector: inspector::draw,
    inspector_height: inspector::height,
    charts: scoreboard::draw_charts,
    dialogue,
    transport: time::draw_transport,
    race: scoreboard::race,
    steps: &help::STEPS,
    help: help::draw,
    closing: closing::draw,
};

/// What the selected faction and the server said to each other: its orders, what was answered, what became of them.
fn dialogue(ui: &mut Ui<'_>, rect: Rect, shown: &Shown<'_>) {
    let chosen = shown.view.selection.and_then(|chosen| chosen.faction(&shown.state.mirror));
    let says = Says {
        speaker: chosen.map(|faction| shown.story.name(faction).to_owned()),
        origin: shown.origin,
        spoken: shown.dialogue,
        behind: shown.view.dialogue_at,
        missing: [
            "Nothing was said up to this moment.",
            "Select a faction, or something of it, to read what it ordered and what became of it.",
        ],
        when: &|tick| format!("T {}", shown.story.turn(tick)),
        // Whether an order was refused, doubted or lost.
        refused: |Spoken { text, .. }| {
            let lost = || text.strip_prefix("did ").is_some_and(|outcome| outcome.contains(" ko "));
            text.starts_with("ko ") || text.starts_with("maybe ") || lost()
        },
        switch: None,
    };
    dialogue::draw(ui, rect, says);
}

/// What passes the filters of the feed, the newest first.
fn entries<'a>(shown: &Shown<'a>) -> impl Iterator<Item = &'a Incident> + use<'a> {
    let (view, until) = (shown.view, shown.tick());
    let all = &shown.story.entries;
    let end = all.partition_point(|entry| entry.tick <= until);
    all.range(..end).rev().take(ENTRY_BUDGET).map(AsRef::as_ref).filter(|entry| {
        // Units that go with a beaten faction are left out: the line of its defeat says enough.
        !matches!(entry.what, IncidentKind::Gone { cause: Cause::Beaten, .. })
            && Topic::of(&entry.what).is_some_and(|topic| view.own.topics.contains(&topic))
            && view.own.faction.is_none_or(|wanted| faction(&entry.what) == Some(wanted))
    })
}

/// Tick and tile of the entry with that number; 0 is the newest that passes the filters.
pub(super) fn entry(shown: &Shown<'_>, number: usize) -> Option<Destination> {
    entries(shown).nth(number).map(|entry| (entry.tick, entry.at))
}

/// What happened, the newest first, with filters; each entry leads to its place and moment.
fn feed(ui: &mut Ui<'_>, rect: Rect, shown: &Shown<'_>) {
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
