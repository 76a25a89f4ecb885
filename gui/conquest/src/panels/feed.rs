//! What happened, the newest first, with filters; each entry leads to its place and moment.
//!
//! Must never look at more than [`BUDGET`] entries for a frame.

use zappy_protocol::conquest::Cause;
use zappy_protocol::{Position, Tick};

use super::super::state::{Incident, IncidentKind};
use super::super::topic::Topic;
use super::super::view::{Choice, ConquestChoice, Shown};
use super::super::words::{faction, sentence, tone};
use super::Ui;
use zappy_observer::ink::{Face, Rect};
use zappy_observer::panels::feed::{self, FeedItem};
use zappy_observer::panels::kit::{self, Label};
use zappy_observer::theme::{self, gap, size};

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
    let inner = kit::panel(ui.canvas, ui.hits, rect);
    // The newest entry stands at the top.
    ui.hits.scroll(rect, |up| Choice::FeedMove(-up));
    let rest = kit::heading(ui.canvas, inner, "Events");
    let name = shown.view.own.faction.map_or("all factions", |faction| shown.story.name(faction));
    let wide = ui.canvas.measure(name, Face::Regular, size::SMALL) + 30.0;
    let row = Rect::new(inner.x + 60.0, inner.y - 3.0, inner.w - 60.0, kit::CHIP);
    let label = Label { words: name, key: "G", hint: "Events of one faction, the next one, all" };
    let chip = row.cut_right(wide.min(row.w)).0;
    kit::chip(ui, chip, label, shown.view.own.faction.is_some(), Choice::Own(ConquestChoice::CycleFaction));
    let switches = Topic::ALL.map(|topic| {
        let (name, hint) = topic.says();
        (
            name,
            hint,
            shown.view.own.topics.contains(&topic),
            Choice::Own(ConquestChoice::ToggleTopic(topic)),
            1,
        )
    });
    let rest = feed::draw_switches(ui, rest, &switches, 3);
    let (_, list) = rest.cut_top(gap::SMALL + 2.0);
    let item = |entry: &Incident| FeedItem {
        when: format!("T {}", shown.story.turn(entry.tick)),
        look: faction(&entry.what).map(|faction| shown.look(Some(faction))),
        words: sentence(entry, shown.story),
        ink: tone(&entry.what).unwrap_or(theme::TEXT),
        limit: 2,
        action: Choice::Visit(entry.tick, entry.at).into(),
    };
    feed::draw_list(ui, list, shown.view.feed_at, &|| Box::new(entries(shown).map(item)));
}
