//! Draws what is known of a player. Tested in `panels/tests.rs`.

use zappy_protocol::zappy::constants::{BIRTH_FOOD, FOOD_TICKS};
use zappy_protocol::zappy::mirror::MirrorPlayer;
use zappy_protocol::zappy::{Inventory, PlayerId, Resource};

use super::facts::{compass, deeds, died, doing, how_it_ended, known, last_words, lives};
use crate::draw as marks;
use crate::panels::needs::{Needs, Stone};
use crate::panels::{Ui, words};
use crate::view::Shown;
use zappy_observer::ink::{Anchor, Face, Point, Rect, Style};
use zappy_observer::panels::flow::{Flow, cell};
use zappy_observer::panels::kit::{self, number};
use zappy_observer::panels::marks::emblem;
use zappy_observer::theme::{self, gap, size};

/// Ticks below which a player's life is in danger: an incantation would kill it.
const DANGER: u64 = 300;
/// Size of the text of its level.
const LEVEL: f32 = 28.0;
/// Height of a line of a list.
const LINE: f32 = 18.0;
/// Height of a line of stones.
const STONE: f32 = 20.0;

pub fn draw(ui: &mut Ui<'_>, flow: &mut Flow, player: PlayerId, shown: &Shown<'_>) {
    let (mirror, known) = (shown.state.mirror(), known(shown, player));
    let alive = mirror.players.contains_key(&player);
    draw_head(ui, flow, (player, known), shown);
    if !alive && let Some(place) = flow.take(20.0, gap::BODY) {
        let words = match (died(shown, player), known) {
            (Some(tick), Some(last)) => how_it_ended(tick, last.inventory.get(Resource::Food)),
            (Some(tick), None) => format!("Died or left at tick {}", number(tick)),
            (None, _) => "Not here at this tick".to_owned(),
        };
        kit::line(ui.canvas, place, &words, Style::strong(size::BODY, theme::BAD));
    }
    if let Some(ttl) = shown.state.time_to_live(player) {
        let full = FOOD_TICKS * u64::from(BIRTH_FOOD + 1);
        let color = if ttl.ticks < DANGER { theme::BAD } else { theme::GOOD };
        flow.gauge(ui, ("Time to live", &lives(ttl)), Some((ttl.ticks as f32 / full as f32, color)));
    }
    if let Some((words, progress)) = doing(shown, player) {
        let left = progress.map_or(String::new(), |(_, left)| kit::count(left, "tick", "ticks"));
        let full = if left.is_empty() { String::new() } else { format!("{left} to go") };
        let wide = |words: &str| ui.canvas.measure(words, Face::Regular, size::BODY);
        let left = if wide(&words) + wide(&full) + gap::BODY <= flow.rest.w { full } else { left };
        flow.gauge(ui, (&words, &left), progress.map(|(share, _)| (share, theme::ACCENT)));
    }
    let noted = shown.notes.latest(&[player.0], shown.tick());
    flow.notes(ui, &noted, (3, LINE), |tick| [number(tick), number(tick)]);
    if let Some(needs) = Needs::of_player(mirror, player) {
        draw_needs(ui, flow, &needs);
    }
    if let Some(known) = known {
        draw_hands(ui, flow, if alive { "In hand" } else { "Last in hand" }, &known.inventory);
    }
    if let Some((tick, words)) = last_words(shown, player) {
        flow.words(ui, &format!("Last words · {}", number(tick)), &words, (2, theme::TEXT));
    }
    let deeds = deeds(shown, player).into_iter().map(|(tick, says)| (number(tick), says));
    flow.list(ui, "Last actions", LINE, &deeds.collect::<Vec<_>>());
}

/// The height for a player that is gone, in points: with room for what it said last, if it said anything.
pub(super) fn gone_height(shown: &Shown<'_>, player: PlayerId) -> f32 {
    let notes = shown.notes.latest(&[player.0], shown.tick()).len();
    let noted = if notes > 0 { LINE * notes as f32 + 96.0 } else { 0.0 };
    noted
        + match died(shown, player) {
            Some(_) if last_words(shown, player).is_some() => 268.0,
            Some(_) => 198.0,
            // Not there yet: nothing is known of it.
            None => 140.0,
        }
}

/// Mark, number, team; at the right the level.
fn draw_head(
    ui: &mut Ui<'_>,
    flow: &mut Flow,
    (player, known): (PlayerId, Option<&MirrorPlayer>),
    shown: &Shown<'_>,
) {
    let Some(place) = flow.take(44.0, 0.0) else { return };
    let team = shown.story.roster.team_of(player);
    let look = shown.look(team);
    emblem(ui.canvas, Point::new(place.x + 14.0, place.centre().y), 14.0, look);
    let (level, rest) = place.cut_right(74.0);
    let (_, words) = rest.cut_left(38.0);
    let (top, bottom) = words.cut_top(26.0);
    let name = kit::line(ui.canvas, top, &player.to_string(), Style::strong(20.0, theme::TEXT));
    let at = Point::new(name.right() + gap::BODY, top.centre().y + 1.0);
    let room = top.right() - at.x;
    let style = Style::strong(size::BODY, look.color);
    let team = team.map_or("no team that is known", |team| shown.story.roster.name(team));
    let team = words::fitting_name(ui.canvas, team, style, room);
    kit::text(ui.canvas, at, Anchor::Left, room, &team, style);
    let place_words = known.map_or("not on the map".to_owned(), |known| {
        format!("at {} facing {}", kit::place(known.at), compass(known.orientation))
    });
    kit::line(ui.canvas, bottom, &place_words, Style::regular(size::SMALL, theme::TEXT_SOFT));
    let Some(known) = known else { return };
    let at = Point::new(level.right(), level.y + 27.0);
    let number = known.level.to_string();
    let style = Style::strong(LEVEL, theme::TEXT);
    let wide = ui.canvas.measure(&number, style.face, style.size);
    ui.canvas.text(Point::new(at.x - wide, at.y), Anchor::Baseline, &number, style);
    let faint = Style::regular(size::SMALL, theme::TEXT_FAINT);
    let foot = Point::new(level.right(), place.bottom());
    kit::text(ui.canvas, foot, Anchor::BottomRight, level.w, "level", faint);
}

/// What the next level lacks: a sentence, players, and each stone as here of needed.
fn draw_needs(ui: &mut Ui<'_>, flow: &mut Flow, needs: &Needs) {
    let before = flow.rest.h;
    let ink = if needs.met() { theme::GOOD } else { theme::TEXT };
    flow.words(ui, &format!("For level {}", needs.to), &needs.sentence(), (3, ink));
    if flow.rest.h == before {
        return;
    }
    let cells = needs.stones.len() + 1;
    let rows = cells.div_ceil(2);
    let Some(grid) = flow.take(STONE * rows as f32, gap::SMALL) else { return };
    let players = needs.players_here.min(99);
    draw_need(ui, cell(grid, STONE, 0), None, (players as u32, needs.players as u32), 0);
    for (place, stone) in needs.stones.iter().enumerate() {
        let Stone { resource, needed, here, hand } = *stone;
        draw_need(ui, cell(grid, STONE, place + 1), Some(resource), (here, needed), hand);
    }
}

/// `sibur 1/2 +1`: on the tile, needed, in hand.
fn draw_need(ui: &mut Ui<'_>, cell: Rect, stone: Option<Resource>, (here, needed): (u32, u32), hand: u32) {
    let mark = Point::new(cell.x + 6.0, cell.centre().y);
    match stone {
        Some(stone) => marks::resource(ui.canvas, mark, 5.5, stone),
        None => {
            ui.canvas.circle(mark - Point::new(0.0, 2.5), 2.6, theme::TEXT_SOFT);
            ui.canvas.round_rect(Rect::around(mark + Point::new(0.0, 3.5), 9.0, 5.0), 2.5, theme::TEXT_SOFT);
        }
    }
    let name = stone.map_or("players", Resource::name);
    let ok = here >= needed;
    let says = format!("{here}/{needed}");
    let ink = if ok { theme::GOOD } else { theme::BAD };
    let carried = if hand > 0 && !ok { format!(" +{hand}") } else { String::new() };
    let extra = ui.canvas.measure(&carried, Face::Regular, size::SMALL);
    let at = Point::new(cell.right() - extra, cell.centre().y);
    let drawn = ui.canvas.text(at, Anchor::Right, &says, Style::strong(size::BODY, ink));
    ui.canvas.text(at, Anchor::Left, &carried, Style::regular(size::SMALL, theme::TEXT_SOFT));
    let from = cell.x + 16.0;
    let style = Style::regular(size::SMALL, theme::TEXT_SOFT);
    kit::text(ui.canvas, Point::new(from, cell.centre().y), Anchor::Left, drawn.x - from - 4.0, name, style);
}

/// What a player carries: every resource, so that places stay the same.
fn draw_hands(ui: &mut Ui<'_>, flow: &mut Flow, title: &str, hands: &Inventory) {
    let Some(place) = flow.section(ui, title, 34.0) else { return };
    let wide = place.w / Resource::COUNT as f32;
    for (resource, units) in hands.iter() {
        let x = place.x + wide * (resource.index() as f32 + 0.5);
        let alpha = if units == 0 { 0.35 } else { 1.0 };
        let at = Point::new(x, place.y + 9.0);
        ui.canvas.faded(alpha, |canvas| marks::resource(canvas, at, 7.0, resource));
        let ink = if units == 0 { theme::TEXT_FAINT } else { theme::TEXT };
        let at = Point::new(x, place.bottom());
        kit::text(ui.canvas, at, Anchor::Bottom, wide, &number(units), Style::regular(size::SMALL, ink));
        let cell = Rect::new(x - wide / 2.0, place.y, wide, place.h);
        ui.hits.name(cell, resource.name());
    }
}
