//! What the inspector says of a player, and its drawing.
//!
//! Must never say more than is known at the tick shown. Tested in this module and in `panels/tests.rs`.

use std::cmp::Reverse;

use zappy_protocol::Tick;
use zappy_protocol::zappy::constants::{BIRTH_FOOD, FOOD_TICKS, FORK_TICKS, INCANTATION_TICKS};
use zappy_protocol::zappy::mirror::MirrorPlayer;
use zappy_protocol::zappy::story::{Happening, What};
use zappy_protocol::zappy::{Orientation, PlayerId, Resource};

use crate::draw as marks;
use crate::panels::needs::{Needs, Stone};
use crate::panels::{Ui, words};
use crate::timeline::state::TimeToLive;
use crate::timeline::track::{Movement, TrackStep};
use crate::view::Shown;
use zappy_observer::ink::{Anchor, Face, Point, Rect, Style};
use zappy_observer::panels::flow::{Flow, cell};
use zappy_observer::panels::kit::{self, number, place};
use zappy_observer::panels::marks::emblem;
use zappy_observer::theme::{self, gap, size};

/// Actions that are listed at most.
const ACTION_LIMIT: usize = 20;
/// Happenings that are searched for a player's last actions: as many as a state remembers at most.
const BUDGET: usize = 8_192;
/// Entries of the chronicle that are searched for how a player died.
const DEATH_BUDGET: usize = 20_000;
/// Ticks to live below which a player is in danger: it wouldn't outlive an incantation.
const DANGER_TICKS: u64 = 300;
/// Size of the text of its level, in points.
const LEVEL_SIZE: f32 = 28.0;
/// Height of a line of a list, in points.
const LINE: f32 = 18.0;
/// Height of a line of stones, in points.
const STONE_LINE: f32 = 20.0;

pub fn draw(ui: &mut Ui<'_>, flow: &mut Flow, player: PlayerId, shown: &Shown<'_>) {
    let (mirror, known) = (shown.state.mirror(), known(shown, player));
    let alive = mirror.players.contains_key(&player);
    draw_head(ui, flow, (player, known), shown);
    if !alive && let Some(place) = flow.take(20.0, gap::BODY) {
        let words = match (gone_since(shown, player), known) {
            (Some(tick), Some(last)) => how_it_ended(tick, last.inventory.get(Resource::Food)),
            (Some(tick), None) => format!("Died or left at tick {}", number(tick)),
            (None, _) => "Not here at this tick".to_owned(),
        };
        kit::line(ui.canvas, place, &words, Style::strong(size::BODY, theme::BAD));
    }
    if let Some(ttl) = shown.state.time_to_live(player) {
        let full = FOOD_TICKS * u64::from(BIRTH_FOOD + 1);
        let color = if ttl.ticks < DANGER_TICKS { theme::BAD } else { theme::GOOD };
        flow.gauge(ui, ("Time to live", &ttl_words(ttl)), Some((ttl.ticks as f32 / full as f32, color)));
    }
    if let Some((words, progress)) = occupation(shown, player) {
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
    let in_hand = if alive { "In hand" } else { "Last in hand" };
    if let Some(known) = known
        && let Some(place) = flow.section(ui, in_hand, 34.0)
    {
        // All resources, also those that it has none of, so that each keeps its place.
        let wide = place.w / Resource::COUNT as f32;
        for (resource, units) in known.inventory.iter() {
            let x = place.x + wide * (resource.index() as f32 + 0.5);
            let (alpha, ink) = if units == 0 { (0.35, theme::TEXT_FAINT) } else { (1.0, theme::TEXT) };
            let at = Point::new(x, place.y + 9.0);
            ui.canvas.faded(alpha, |canvas| marks::resource(canvas, at, 7.0, resource));
            let (at, style) = (Point::new(x, place.bottom()), Style::regular(size::SMALL, ink));
            kit::text(ui.canvas, at, Anchor::Bottom, wide, &number(units), style);
            ui.hits.name(Rect::new(x - wide / 2.0, place.y, wide, place.h), resource.name());
        }
    }
    if let Some((tick, words)) = last_words(shown, player) {
        flow.words(ui, &format!("Last words · {}", number(tick)), &words, (2, theme::TEXT));
    }
    let last_actions = last_actions(shown, player).into_iter().map(|(tick, says)| (number(tick), says));
    flow.list(ui, "Last actions", LINE, &last_actions.collect::<Vec<_>>());
}

/// The height for a player that is gone, in points: with room for what it said last, if it said anything.
pub(super) fn gone_height(shown: &Shown<'_>, player: PlayerId) -> f32 {
    let notes = shown.notes.latest(&[player.0], shown.tick()).len();
    let noted = if notes > 0 { LINE * notes as f32 + 96.0 } else { 0.0 };
    noted
        + match gone_since(shown, player) {
            Some(_) if last_words(shown, player).is_some() => 268.0,
            Some(_) => 198.0,
            // Nothing is known of a player that hasn't joined yet.
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
    let where_it_is = known.map_or("not on the map".to_owned(), |known| {
        format!("at {} facing {}", kit::place(known.at), compass(known.orientation))
    });
    kit::line(ui.canvas, bottom, &where_it_is, Style::regular(size::SMALL, theme::TEXT_SOFT));
    let Some(known) = known else { return };
    let at = Point::new(level.right(), level.y + 27.0);
    let number = known.level.to_string();
    let style = Style::strong(LEVEL_SIZE, theme::TEXT);
    let wide = ui.canvas.measure(&number, style.face, style.size);
    ui.canvas.text(Point::new(at.x - wide, at.y), Anchor::Baseline, &number, style);
    let faint = Style::regular(size::SMALL, theme::TEXT_FAINT);
    let foot = Point::new(level.right(), place.bottom());
    kit::text(ui.canvas, foot, Anchor::BottomRight, level.w, "level", faint);
}

/// What the next level needs: a sentence, and how many of the needed players and stones are there.
fn draw_needs(ui: &mut Ui<'_>, flow: &mut Flow, needs: &Needs) {
    let before = flow.rest.h;
    let ink = if needs.met() { theme::GOOD } else { theme::TEXT };
    flow.words(ui, &format!("For level {}", needs.to), &needs.sentence(), (3, ink));
    if flow.rest.h == before {
        return;
    }
    let cells = needs.stones.len() + 1;
    let rows = cells.div_ceil(2);
    let Some(grid) = flow.take(STONE_LINE * rows as f32, gap::SMALL) else { return };
    let players = needs.players_here.min(99);
    draw_need(ui, cell(grid, STONE_LINE, 0), None, (players as u32, needs.players as u32), 0);
    for (place, stone) in needs.stones.iter().enumerate() {
        let Stone { resource, needed, here, hand } = *stone;
        draw_need(ui, cell(grid, STONE_LINE, place + 1), Some(resource), (here, needed), hand);
    }
}

/// `sibur 1/2 +1`: on the tile, needed, in hand; players without a stone.
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

/// What a player does at the moment, as far as messages say: in words, and, if its beginning was seen, the share that
/// is done and the ticks to go.
type Occupation = (String, Option<(f32, Tick)>);

/// The tick at which a player died or left, if it has by the tick shown.
fn gone_since(shown: &Shown<'_>, player: PlayerId) -> Option<Tick> {
    shown.story.roster.life(player)?.until.filter(|until| *until <= shown.tick())
}

/// A player as it is at the tick shown; one that is gone as it was last.
fn known<'a>(shown: &Shown<'a>, player: PlayerId) -> Option<&'a MirrorPlayer> {
    let last = || {
        gone_since(shown, player)?;
        let ends =
            move |one: &Happening| matches!(one.what, What::Gone { player: gone, .. } if gone == player);
        let mut ended = shown.story.chronicle.backwards(shown.tick(), DEATH_BUDGET, ends);
        ended.find_map(|noted| match &noted.happening.what {
            What::Gone { last, .. } => Some(last.as_ref()),
            _ => None,
        })
    };
    shown.state.mirror().players.get(&player).or_else(last)
}

/// What a player said last, and when.
fn last_words(shown: &Shown<'_>, player: PlayerId) -> Option<(Tick, String)> {
    let happening = shown.story.chronicle.last_words(player, shown.tick())?;
    let What::Broadcast(_, text) = &happening.what else { return None };
    Some((happening.tick, words::quoted(text)))
}

fn occupation(shown: &Shown<'_>, player: PlayerId) -> Option<Occupation> {
    let progress = |began: Tick, lasts: Tick| {
        let done = shown.tick().saturating_sub(began).min(lasts);
        (done as f32 / lasts as f32, lasts - done)
    };
    let mut running = shown.state.incantations().iter();
    if let Some(incantation) = running.find(|incantation| incantation.players.contains(&player)) {
        let here = shown.state.mirror().players.get(&player).is_none_or(|known| known.at == incantation.at);
        // A player that was pushed away takes no part any more, but can't act before the incantation is over.
        let says = if here {
            format!("Incantation for {}", words::next(incantation.level))
        } else {
            "Frozen: pushed off its tile".to_owned()
        };
        return Some((says, incantation.began.map(|began| progress(began, INCANTATION_TICKS))));
    }
    let since = shown.state.track(player).and_then(|track| track.laying_since)?;
    Some(("Lays an egg".to_owned(), Some(progress(since, FORK_TICKS))))
}

/// What a player did lately: steps and happenings together, the newest first.
fn last_actions(shown: &Shown<'_>, player: PlayerId) -> Vec<(Tick, String)> {
    let tick = shown.tick();
    let recent = shown.state.recent.iter().rev().take(BUDGET);
    let own = recent.filter(|happening| happening.tick <= tick && happening.what.concerns(player));
    let says = |what: &What| match what {
        What::Joined(_) => "joins".to_owned(),
        What::Gone { .. } => "dies".to_owned(),
        What::Level { to, .. } => format!("rises to level {to}"),
        What::IncantationBegan { level, players } => {
            let role = if players.first() == Some(&player) { "begins" } else { "takes part in" };
            format!("{role} an incantation for {}", words::next(*level))
        }
        What::IncantationEnded { success: true, .. } => "its incantation succeeds".to_owned(),
        What::IncantationEnded { success: false, .. } => "its incantation fails".to_owned(),
        What::Broadcast(_, text) => format!("says {}", words::quoted(text)),
        What::Ejected { player: ejector, victims, .. } if *ejector == player => {
            format!("pushes {} away", kit::count(victims.len() as u64, "player", "players"))
        }
        What::Ejected { player: ejector, .. } => format!("is pushed away by {ejector}"),
        What::Laying(_) => "begins to lay an egg".to_owned(),
        What::EggLaid(egg, _) => format!("laid egg {egg}"),
        What::Took(_, resource) => format!("takes {resource}"),
        What::Dropped(_, resource) => format!("puts {resource} down"),
        _ => String::new(),
    };
    let mut last_actions: Vec<_> =
        own.take(ACTION_LIMIT).map(|happening| (happening.tick, says(&happening.what))).collect();
    if let Some(track) = shown.state.track(player) {
        let steps = track.steps.iter().rev().filter(|step| step.tick <= tick).take(ACTION_LIMIT);
        let says = |step: &TrackStep| match step.movement {
            Movement::Walked => format!("goes {} to {}", compass(step.facing), place(step.to)),
            Movement::Turned => format!("turns {}", compass(step.facing)),
            Movement::Pushed => format!("is pushed to {}", place(step.to)),
            Movement::Jumped => format!("is at {} now", place(step.to)),
        };
        last_actions.extend(steps.map(|step| (step.tick, says(step))));
    }
    last_actions.sort_by_key(|(tick, _)| Reverse(*tick));
    last_actions.truncate(ACTION_LIMIT);
    last_actions
}

/// North, east, south or west.
fn compass(facing: Orientation) -> &'static str {
    match facing {
        Orientation::North => "north",
        Orientation::East => "east",
        Orientation::South => "south",
        Orientation::West => "west",
    }
}

/// How and when a player's life ended, by the food that was left.
fn how_it_ended(tick: Tick, food: u32) -> String {
    let tick = number(tick);
    if food == 0 { format!("Starved at tick {tick}") } else { format!("Left at tick {tick}, with food") }
}

/// How long a player lives without another meal, in words.
fn ttl_words(ttl: TimeToLive) -> String {
    let at_least = if ttl.exact { "" } else { "≥ " };
    format!("{at_least}{} ticks", number(ttl.ticks))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::panels::testing::ScriptedMatch;
    use zappy_protocol::Position;
    use zappy_protocol::zappy::Level;

    const LINES: [&str; 12] = [
        "0 msz 9 9",
        "0 tna red",
        "0 ppo #9 0 0 1",
        "5 pnw #0 1 1 1 1 red",
        "5 pin #0 1 1 9 0 0 0 0 0 0",
        "12 ppo #0 1 0 1",
        "19 ppo #0 1 0 2",
        "26 pgt #0 1",
        "27 pbc #0 ho there",
        "40 pfk #0",
        "82 enw #0 #0 1 0",
        "100 pic 1 0 1 #0",
    ];

    #[test]
    fn a_card_tells_what_was_done_and_said() {
        ScriptedMatch::of(&LINES).show(60.0, |shown| {
            let says: Vec<_> = last_actions(shown, PlayerId(0)).into_iter().map(|(_, says)| says).collect();
            let wanted = [
                "begins to lay an egg",
                "says “ho there”",
                "takes linemate",
                "turns east",
                "goes north to 1,\u{a0}0",
                "joins",
            ];
            assert_eq!(says, wanted);
            assert_eq!(last_words(shown, PlayerId(0)), Some((27, "“ho there”".to_owned())));
            let (says, progress) = occupation(shown, PlayerId(0)).unwrap();
            assert_eq!(says, "Lays an egg");
            assert!(matches!(progress, Some((share, 22)) if (share - 20.0 / 42.0).abs() < 1e-3));
            let left = shown.state.time_to_live(PlayerId(0));
            assert_eq!(left.map(ttl_words).as_deref(), Some("1\u{2009}205 ticks"));
        });
    }

    #[test]
    fn what_its_bot_had_noted_by_then_is_shown() {
        let mut scene = ScriptedMatch::of(&LINES);
        let noted = |lines: &str| zappy_protocol::record::notes::Notes::written(lines.as_bytes()).notes;
        scene.notes.add(0, (19, 0), &noted("2 looking for food\n2 tile 1 -2 food\n"));
        scene.notes.add(0, (90, 0), &noted("9 later"));
        scene.notes.add(1, (19, 0), &noted("1 another's"));
        scene.show(60.0, |shown| {
            let latest = shown.notes.latest(&[0], shown.tick());
            let says: Vec<_> = latest.iter().map(|note| (note.tick, note.what.to_string())).collect();
            let wanted = [(19, "looking for food".to_owned()), (19, "tile 1 -2 food".to_owned())];
            assert_eq!(says, wanted);
        });
    }

    #[test]
    fn an_incantation_shows_its_progress() {
        ScriptedMatch::of(&LINES).show(250.0, |shown| {
            assert_eq!(
                occupation(shown, PlayerId(0)),
                Some(("Incantation for level 2".to_owned(), Some((0.5, 150))))
            );
        });
    }

    #[test]
    fn who_was_pushed_off_an_incantation_is_said_to_be() {
        let mut lines = LINES.to_vec();
        lines.push("150 ppo #0 2 0 2");
        ScriptedMatch::of(&lines).show(250.0, |shown| {
            assert_eq!(
                occupation(shown, PlayerId(0)),
                Some(("Frozen: pushed off its tile".to_owned(), Some((0.5, 150))))
            );
        });
    }

    #[test]
    fn how_a_player_ended_depends_on_its_food() {
        assert_eq!(how_it_ended(12_345, 0), "Starved at tick 12\u{2009}345");
        assert_eq!(how_it_ended(7, 3), "Left at tick 7, with food");
    }

    #[test]
    fn a_dead_player_is_shown_as_it_was_last() {
        let mut lines = LINES.to_vec();
        lines.push("130 pdi #0");
        ScriptedMatch::of(&lines).show(200.0, |shown| {
            let mirror = shown.state.mirror();
            assert!(!mirror.players.contains_key(&PlayerId(0)));
            assert_eq!(gone_since(shown, PlayerId(0)), Some(130));
            let last = known(shown, PlayerId(0)).unwrap();
            assert_eq!((Some(last.level), last.at), (Level::new(1), Position { x: 1, y: 0 }));
            let needs = Needs::of_player(mirror, PlayerId(0));
            assert_eq!((needs, shown.state.time_to_live(PlayerId(0))), (None, None));
        });
    }

    #[test]
    fn nothing_is_known_of_a_player_that_never_joined() {
        ScriptedMatch::of(&LINES).show(60.0, |shown| {
            assert!(known(shown, PlayerId(77)).is_none() && last_actions(shown, PlayerId(77)).is_empty());
        });
    }
}
