//! What is selected, closely: a unit, a city, a tile or a faction.
//!
//! Must never say what a program plans, only what messages say of it. Tested in `tests/conquest/`.

use zappy_protocol::Position;
use zappy_protocol::conquest::constants::{DOMINION_TURNS, GOLD_UNIT, SIEGE_STRENGTH};
use zappy_protocol::conquest::player::Actor;
use zappy_protocol::conquest::production::{Production, production};
use zappy_protocol::conquest::{Building, FactionId, Tile, UnitId};

use super::super::pieces;
use super::super::state::{Incident, IncidentKind};
use super::super::story::plan;
use super::super::view::{Choice, Panel, Selection, Shown};
use super::super::words::{actor_name, faction, place, sentence};
use super::Ui;
use zappy_observer::ink::{Point, Rect, Style};
use zappy_observer::panels::flow::{Flow, cell, pair};
use zappy_observer::panels::kit::{self, Label, Tone, number, signed};
use zappy_observer::panels::marks::emblem;
use zappy_observer::theme::{self, gap, size};

/// The height of a line in points.
const LINE: f32 = 20.0;
/// Entries listed at most.
const PAST_LIMIT: usize = 12;
/// Entries that are searched at most for those about the selection.
const ENTRY_BUDGET: usize = 5_000;

/// The height that the panel needs, in points; 0 if nothing is selected.
pub fn height(shown: &Shown<'_>) -> f32 {
    match shown.view.selection {
        Some(Selection::Faction(id)) => {
            let noted = shown.notes.latest(&shown.story.seats(id), shown.tick());
            if noted.is_empty() { 470.0 } else { 640.0 }
        }
        Some(Selection::Unit(_)) => 470.0,
        Some(Selection::City(_)) => 400.0,
        Some(Selection::Tile(_)) => 330.0,
        None => 0.0,
    }
}

pub fn draw(ui: &mut Ui<'_>, rect: Rect, shown: &Shown<'_>) {
    let inner = kit::panel(ui.canvas, ui.hits, rect);
    kit::close(ui, inner, Choice::Escape);
    let mut flow = Flow { rest: inner };
    match shown.view.selection {
        Some(Selection::Unit(id)) => draw_unit(ui, &mut flow, id, shown),
        Some(Selection::City(at)) => draw_city(ui, &mut flow, at, shown),
        Some(Selection::Tile(at)) => draw_tile(ui, &mut flow, at, shown),
        Some(Selection::Faction(faction)) => draw_faction(ui, &mut flow, faction, shown),
        None => {}
    }
}

fn draw_title(
    ui: &mut Ui<'_>,
    flow: &mut Flow,
    words: &str,
    below: &str,
    owner: Option<FactionId>,
    shown: &Shown<'_>,
) {
    let Some(head) = flow.take(44.0, 0.0) else { return };
    emblem(ui.canvas, Point::new(head.x + 12.0, head.centre().y), 11.0, shown.look(owner));
    let (_, text) = head.cut_right(20.0).1.cut_left(34.0);
    let (top, bottom) = text.cut_top(26.0);
    kit::line(ui.canvas, top, words, Style::strong(20.0, theme::TEXT));
    kit::line(ui.canvas, bottom, below, Style::regular(size::SMALL, theme::TEXT_SOFT));
}

fn draw_pairs(ui: &mut Ui<'_>, flow: &mut Flow, rows: &[(&str, String)]) {
    for (left, right) in rows {
        if let Some(line) = flow.take(LINE, 0.0) {
            pair(ui, line, left, right);
        }
    }
}

/// Pairs in two columns, below a heading.
fn draw_grid(ui: &mut Ui<'_>, flow: &mut Flow, title: &str, rows: &[(&str, String)]) {
    let Some(body) = flow.section(ui, title, LINE * rows.len().div_ceil(2) as f32) else { return };
    for (nth, (left, right)) in rows.iter().enumerate() {
        pair(ui, cell(body, LINE, nth), left, right);
    }
}

/// The entries that `wanted` accepts, the newest first; a click goes to the tick and tile of one.
fn draw_past(
    ui: &mut Ui<'_>,
    flow: &mut Flow,
    title: &str,
    shown: &Shown<'_>,
    wanted: impl Fn(&Incident) -> bool,
) {
    let end = shown.story.entries.partition_point(|entry| entry.tick <= shown.tick());
    let all = shown.story.entries.range(..end).rev().take(ENTRY_BUDGET);
    let found: Vec<&Incident> = all.map(AsRef::as_ref).filter(|one| wanted(one)).take(PAST_LIMIT).collect();
    if found.is_empty() {
        return;
    }
    let Some(mut line) = flow.section(ui, title, LINE) else { return };
    for entry in found {
        let action = Choice::Visit(entry.tick, entry.at);
        kit::row(ui, line.inset_xy(-6.0, 0.0), false, action, "Go there, then");
        let (when, words) = line.cut_left(46.0);
        let turn = format!("T {}", shown.story.turn(entry.tick));
        kit::line(ui.canvas, when, &turn, Style::regular(size::SMALL, theme::TEXT_FAINT));
        let soft = Style::regular(size::BODY, theme::TEXT_SOFT);
        // Without its faction, which is in the title, a lost order leaves more room for its reason.
        let says = match &entry.what {
            IncidentKind::Lost(_, actor, why) => format!("{}: {why}", actor_name(*actor)),
            _ => sentence(entry, shown.story),
        };
        kit::line(ui.canvas, words, &says, soft);
        let Some(next) = flow.take(LINE, 0.0) else { return };
        line = next;
    }
}

fn draw_unit(ui: &mut Ui<'_>, flow: &mut Flow, id: UnitId, shown: &Shown<'_>) {
    let Some(unit) = shown.state.mirror.units.get(&id).copied() else {
        draw_title(ui, flow, &format!("#{id}"), "Not here at this moment", None, shown);
        return draw_past(ui, flow, "What happened to it", shown, |entry| is_about(entry, id));
    };
    let owner = shown.story.name(unit.faction);
    let below = format!("{owner}, at {}", place(unit.at));
    draw_title(ui, flow, &format!("{} #{id}", unit.kind), &below, Some(unit.faction), shown);
    let numbers = unit.kind.numbers();
    let share = unit.health as f32 / numbers.health.max(1) as f32;
    let color = if unit.health * 3 <= numbers.health { theme::BAD } else { theme::GOOD };
    let health = format!("{} of {}", unit.health, numbers.health);
    flow.gauge(ui, ("Health", &health), Some((share, color)));
    let shield = match (unit.stance.defended, unit.stance.enlightened) {
        (false, false) => "nothing",
        (true, false) => "defends: the next hit is halved",
        (false, true) => "enlightened: no harm",
        (true, true) => "enlightened, then defends",
    };
    let rows = [
        ("Shield", shield.to_owned()),
        ("Damage", number(numbers.damage)),
        ("Upkeep", format!("{} gold a turn", number(numbers.upkeep))),
    ];
    draw_pairs(ui, flow, &rows);
    draw_past(ui, flow, "What happened to it", shown, |entry| is_about(entry, id));
}

/// Whether an entry is about that unit.
fn is_about(entry: &Incident, id: UnitId) -> bool {
    match &entry.what {
        IncidentKind::Appeared(unit, _)
        | IncidentKind::Converted(unit, ..)
        | IncidentKind::Gone { unit, .. }
        | IncidentKind::Lost(_, Actor::Unit(unit), _) => *unit == id,
        _ => false,
    }
}

fn draw_tile(ui: &mut Ui<'_>, flow: &mut Flow, at: Position, shown: &Shown<'_>) {
    let mirror = &shown.state.mirror;
    let Some(tile) = mirror.tile(at) else { return };
    let owner = tile.owner.map_or("neutral".to_owned(), |owner| format!("of {}", shown.story.name(owner)));
    let below = format!("{}, {owner}", tile.terrain);
    draw_title(ui, flow, &format!("Tile {}", place(at)), &below, tile.owner, shown);
    let flags =
        [(tile.flags.base, "a base"), (tile.flags.resource, "a resource"), (tile.flags.fort, "a fort")];
    let mut found: Vec<String> =
        flags.into_iter().filter(|(there, _)| *there).map(|(_, what)| what.to_owned()).collect();
    let recruited = if mirror.used_camps.contains(&at) { " that has recruited in this turn" } else { "" };
    found.extend(tile.building.map(|building| format!("a {building}{recruited}")));
    let found = if found.is_empty() { "nothing stands here".to_owned() } else { found.join(", ") };
    flow.words(ui, "What is here", &found, (2, theme::TEXT));
    let bomb = mirror.bombs.get(&at).map(|owner| ("Bomb", format!("of {}", shown.story.name(*owner))));
    let left = |left| ("Strength of the base", format!("{left} of {SIEGE_STRENGTH} left; it falls at 0"));
    let city = mirror.assigned.get(&at).map(|city| ("Works for the city at", place(*city)));
    let rows = [bomb, mirror.sieges.get(&at).map(left), city];
    draw_pairs(ui, flow, &rows.into_iter().flatten().collect::<Vec<_>>());
    if let Some((&id, unit)) = mirror.units.iter().find(|(_, unit)| unit.at == at)
        && let Some(line) = flow.take(26.0, gap::SMALL)
    {
        kit::row(ui, line.inset_xy(-6.0, 0.0), false, Choice::Select(Selection::Unit(id)), "Select");
        let look = shown.look(Some(unit.faction));
        let centre = Point::new(line.x + 10.0, line.centre().y - 2.0);
        pieces::unit(ui.canvas, centre, 8.0, look, (unit.kind, Some(unit.health), unit.stance));
        let words = format!("{}’s {} #{id}", shown.story.name(unit.faction), unit.kind);
        let (_, rest) = line.cut_left(28.0);
        pair(ui, rest, &words, &format!("health {}", unit.health));
    }
    if mirror.cities.contains_key(&at)
        && let Some(line) = flow.take(LINE, gap::SMALL)
    {
        kit::row(ui, line.inset_xy(-6.0, 0.0), false, Choice::Select(Selection::City(at)), "Select");
        kit::line(ui.canvas, line, "A city: select it", Style::regular(size::BODY, theme::TEXT));
    }
    draw_past(ui, flow, "What happened here", shown, |entry| entry.at == Some(at));
}

fn draw_city(ui: &mut Ui<'_>, flow: &mut Flow, at: Position, shown: &Shown<'_>) {
    let mirror = &shown.state.mirror;
    let owner = mirror.tile(at).and_then(|tile| tile.owner);
    let name = owner.map_or("nobody", |owner| shown.story.name(owner));
    draw_title(ui, flow, &format!("City {}", place(at)), &format!("of {name}"), owner, shown);
    let Some(city) = mirror.cities.get(&at) else {
        return flow.words(ui, "What is here", "no city at this moment", (1, theme::TEXT_SOFT));
    };
    let people = [
        ("Citizens", number(city.citizens)),
        ("Workers", number(city.workers)),
        ("Merchants", number(city.merchants)),
    ];
    draw_grid(ui, flow, "People", &people);
    let assigned = mirror.assigned.iter().filter(|(_, of)| **of == at);
    let tiles: Vec<(Position, &Tile)> =
        assigned.filter_map(|(&at, _)| Some((at, mirror.tile(at)?))).collect();
    let row = |building: Building| {
        let with = || tiles.iter().filter(|(_, tile)| tile.building == Some(building));
        let used = with().filter(|(at, _)| mirror.used_camps.contains(at)).count();
        let many = number(with().count() as u64);
        let words = if used > 0 { format!("{many}, {used} recruited") } else { many };
        with().next().map(|_| (building.name(), words))
    };
    let mut rows: Vec<(&str, String)> = Building::ALL.into_iter().filter_map(row).collect();
    let worked = tiles.iter().filter(|(_, tile)| tile.building.is_none()).count();
    rows.push(("workers’ tiles", number(worked as u64)));
    draw_grid(ui, flow, "Assigned tiles", &rows);
    let Production { total, balance } = production(&plan(mirror, at));
    let rows = [
        ("Food", format!("{} ({:+})", number(total.food), balance.food)),
        ("Wood", format!("{} ({:+})", number(total.wood), balance.wood)),
        ("Gold", number(total.gold * GOLD_UNIT)),
    ];
    draw_grid(ui, flow, "Makes each turn (what is left of it)", &rows);
    if let Some(has) = owner.and_then(|owner| mirror.factions.get(owner.index())).map(|known| &known.holdings)
    {
        let rows = [("Food", number(has.food)), ("Wood", number(has.wood)), ("Gold", number(has.gold))];
        draw_grid(ui, flow, "Its faction’s stocks", &rows);
    }
}

fn draw_faction(ui: &mut Ui<'_>, flow: &mut Flow, id: FactionId, shown: &Shown<'_>) {
    let Some(known) = shown.state.mirror.factions.get(id.index()) else { return };
    let has = &known.holdings;
    let below = match (known.alive, has.base) {
        (true, Some(base)) => format!("base at {}", place(base)),
        (true, None) => "without a base yet".to_owned(),
        (false, _) => "beaten".to_owned(),
    };
    draw_title(ui, flow, known.name.as_str(), &below, Some(id), shown);
    let rows = [
        ("Score", signed(has.score)),
        ("Land", number(has.land)),
        ("Gold", number(if known.alive { has.gold } else { 0 })),
        ("Upkeep", number(has.upkeep)),
        ("Units", format!("{} of {}", number(has.population), number(has.cap))),
        ("Kills", number(has.kills)),
        ("Bombs", number(has.bombs)),
        ("Food, wood", format!("{}, {}", number(has.food), number(has.wood))),
    ];
    draw_grid(ui, flow, "What it has", &rows);
    let slot = has.slot.map_or("empty".to_owned(), |slot| match slot.left {
        0 => format!("a {}, as soon as the base is free", slot.kind),
        left => format!("a {} in {left} more", slot.kind),
    });
    draw_pairs(ui, flow, &[("Slot", slot)]);
    if let Some(dominion) = &shown.state.mirror.dominion
        && let Some((_, turns)) = dominion.held.iter().find(|(name, _)| *name == known.name)
    {
        let words = format!("{turns} of {DOMINION_TURNS} turns with {} % of the land", dominion.need);
        draw_pairs(ui, flow, &[("Dominion", words)]);
    }
    if let Some(line) = flow.take(kit::BUTTON + gap::SMALL, gap::SMALL) {
        let label = Label { words: "Dialogue", key: "D", hint: "What it and the server said" };
        let tone = if shown.view.shows(Panel::Dialogue) { Tone::On } else { Tone::Plain };
        let place = Rect { h: kit::BUTTON, ..line };
        kit::button(ui, place, label, tone, Choice::Toggle(Panel::Dialogue));
    }
    let noted = shown.notes.latest(&shown.story.seats(id), shown.tick());
    flow.notes(ui, &noted, (2, LINE), |tick| {
        let turn = shown.story.turn(tick);
        [format!("turn {turn}"), format!("T {turn}")]
    });
    draw_past(ui, flow, "Orders that were lost", shown, |entry| {
        matches!(entry.what, IncidentKind::Lost(..) | IncidentKind::Late(_) | IncidentKind::Unpaid(_))
            && faction(&entry.what) == Some(id)
    });
}
