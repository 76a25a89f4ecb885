//! The card of a running incantation, in the lower third of the world: whose it is, what it needs, how long it takes, what
//! it brings, and how it ended.
//!
//! The two that decide most have one each. Cards stand where they cover least of what they tell about; one that the world
//! doesn't show has a small picture of its own above its card. Tested in this module and in `tests.rs`.

use zappy_protocol::zappy::Level;
use zappy_protocol::zappy::constants::INCANTATION_TICKS;

use super::{Ui, words};
use crate::camera::Camera;
use crate::ink::{Anchor, Color, Face, Point, Rect, Style};
use crate::panels::kit::{self, count};
use crate::panels::layout::Layout;
use crate::panels::marks::emblem;
use crate::theme::{self, gap, size};
use crate::torus::{Torus, middle};
use crate::zappy::app::shown::Shown;
use crate::zappy::draw::{self, Sign, sign};
pub use crate::zappy::scene::card::{Card, State, cards, flaw_words, possessive};
use crate::zappy::scene::rite;

/// Size of a card at its best, and the least width of use, in points.
const SIZE: (f32, f32) = (400.0, 84.0);
const LEAST_WIDTH: f32 = 250.0;
/// Characters of a team's name.
const NAME: usize = 18;
/// Height of the words below an incantation in the world, in points.
const WORDS: f32 = 30.0;
/// How much words count beside circles where cards look for their place.
const WORDS_WEIGHT: f32 = 0.2;
/// The share of a card's own size that it must cover less elsewhere before it leaves its usual place.
const STAYS: f32 = 0.03;
/// Height of a picture in the picture, in points: at least, and at most.
const INSET: (f32, f32) = (92.0, 168.0);
/// The share of the world's height that it takes.
const INSET_SHARE: f32 = 0.3;
/// How much wider than high it is: at best, and at the least.
const INSET_WIDE: [f32; 2] = [1.5, 1.05];
/// The share of an incantation's circle that is seen at the least, or it counts as hidden.
const SEEN: f32 = 0.75;

/// Where the cards are, and a picture in the picture.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Stand {
    /// The cards, in the order in which they are told; empty without room.
    pub cards: Vec<Rect>,
    /// The picture of the incantation that the world doesn't show: the number of its card, where, and its camera.
    pub inset: Option<(usize, Rect, Camera)>,
}

impl Stand {
    /// Everything that lies over the world.
    pub fn covers(&self) -> impl Iterator<Item = Rect> {
        self.cards.iter().copied().chain(self.inset.map(|(_, rect, _)| rect))
    }
}

/// The part of the world that stays free while a card lies over it.
pub fn free(layout: &Layout) -> Rect {
    let card = places(layout, 1, (false, 0.5));
    let free =
        Rect { h: card.first().map_or(layout.world.h, |card| card.y - layout.world.y), ..layout.world };
    if free.is_empty() { layout.world } else { free }
}

/// Cards side by side or one above the other, over the upper or the lower edge of the world; `across` is how far to the right
/// they stand, 0 to 1.
fn places(layout: &Layout, count: usize, (top, across): (bool, f32)) -> Vec<Rect> {
    let world = layout.world.inset_xy(gap::LARGE, 0.0);
    let bottom = if layout.status.is_empty() { world.bottom() } else { world.bottom().min(layout.status.y) }
        - gap::LARGE;
    let beside = count > 1 && world.w >= 2.0 * LEAST_WIDTH + gap::LARGE;
    let (columns, rows) = if beside { (count, 1) } else { (1, count) };
    let wide = ((world.w - gap::LARGE * (columns as f32 - 1.0)) / columns as f32).min(SIZE.0);
    let high = SIZE.1 * rows as f32 + gap::BODY * (rows as f32 - 1.0);
    if wide < LEAST_WIDTH * 0.8 || high > world.h * 0.5 {
        return Vec::new();
    }
    let all = wide * columns as f32 + gap::LARGE * (columns as f32 - 1.0);
    let left = world.x + (world.w - all) * across;
    // The upper right corner is the director's.
    let first = if top { world.y + kit::BUTTON + gap::LARGE } else { bottom - high };
    let place = |number: usize| {
        let (column, row) = if beside { (number, 0) } else { (0, number) };
        let y = first + (SIZE.1 + gap::BODY) * row as f32;
        Rect::new(left + (wide + gap::LARGE) * column as f32, y, wide, SIZE.1)
    };
    (0..count).map(place).collect()
}

/// The circle of an incantation in the world, as the rectangle around it.
fn circle(layout: &Layout, shown: &Shown<'_>, card: &Card) -> Option<Rect> {
    let map = shown.stage.mirror().size.filter(|map| map.contains(card.at))?;
    let torus = Torus::new(layout.scenery(), shown.view.camera, map, 0);
    let r = torus.tiles(rite::reach(card.participants, card.level));
    Some(Rect::around(torus.once(middle(card.at)), 2.0 * r, 2.0 * r))
}

fn area(rect: Rect) -> f32 {
    if rect.is_empty() { 0.0 } else { rect.w * rect.h }
}

/// Where these cards stand: over the world's lower edge in the middle, unless they cover less of what they tell about
/// elsewhere.
pub fn stand(layout: &Layout, shown: &Shown<'_>, cards: &[Card]) -> Stand {
    let circles: Vec<Option<Rect>> = cards.iter().map(|card| circle(layout, shown, card)).collect();
    // What decides must be seen before anything else, faces before words.
    let weight = |card: &Card| match card {
        Card { wins: true, .. } => 8.0,
        Card { left: Some(_), .. } => 2.0,
        _ => 1.0,
    };
    let told = cards.iter().zip(&circles).filter_map(|(card, circle)| Some(((*circle)?, weight(card))));
    let told: Vec<(Rect, f32)> = told.collect();
    let covered = |(number, places): &(usize, Vec<Rect>)| -> f32 {
        let of = |place: &Rect, (circle, weight): &(Rect, f32)| {
            let words = Rect { y: circle.bottom(), h: WORDS, ..*circle };
            weight * (area(circle.intersect(*place)) + WORDS_WEIGHT * area(words.intersect(*place)))
        };
        let all = places.iter().flat_map(|place| told.iter().map(move |told| of(place, told))).sum::<f32>();
        // Where it makes little difference they stay in their usual place.
        all + if *number > 0 { STAYS * places.iter().copied().map(area).sum::<f32>() } else { 0.0 }
    };
    let ways = [(false, 0.5), (false, 0.0), (false, 1.0), (true, 0.5), (true, 0.0), (true, 1.0)];
    let stands = (0..).zip(ways.map(|way| places(layout, cards.len(), way)));
    let Some((number, places)) = stands.min_by(|one, other| covered(one).total_cmp(&covered(other))) else {
        return Stand::default();
    };
    let top = ways[number].0;
    let inset =
        inset(layout, &circles, &places, top).zip(shown.stage.mirror().size).and_then(|(found, map)| {
            let ((number, rect), card) = (found, cards.get(found.0)?);
            let r = rite::reach(card.participants, card.level) as f32;
            let (x, y) = middle(card.at);
            // A little above the middle: the light stands there.
            let camera = Camera { x, y: y - 0.25, scale: rect.h / (2.0 * r + 1.3) };
            Some((number, rect, camera.sane(map)))
        });
    Stand { cards: places, inset }
}

/// A picture in the picture: of two incantations the one that the world doesn't show, above its card or below it, as long as
/// it hides nothing of the other one.
fn inset(layout: &Layout, circles: &[Option<Rect>], cards: &[Rect], top: bool) -> Option<(usize, Rect)> {
    let &[one, other] = circles else { return None };
    let clear = |rect: Rect| {
        let hidden: f32 = cards.iter().map(|card| area(card.intersect(rect))).sum();
        area(rect.intersect(layout.world)) - hidden >= area(rect) * SEEN
    };
    let seen = [one, other].map(|circle| circle.is_some_and(clear));
    let number = seen.iter().position(|seen| !seen)?;
    let (card, stacked) = (cards.get(number)?, cards.first()?.y != cards.last()?.y);
    if stacked {
        return None;
    }
    let highest = (layout.world.h * INSET_SHARE).min(INSET.1);
    let sizes =
        [highest, highest * 0.75, INSET.0].into_iter().filter(|high| (INSET.0..=highest).contains(high));
    let sizes = sizes.flat_map(|high| INSET_WIDE.map(|share| ((high * share).min(card.w), high)));
    let rects = sizes.map(|(wide, high)| {
        // At the outer end, away from the middle.
        let x = if card.centre().x < layout.world.centre().x { card.x } else { card.right() - wide };
        let y = if top { card.bottom() + gap::SMALL } else { card.y - gap::SMALL - high };
        Rect::new(x, y, wide, high)
    });
    let hides = |rect: &Rect| {
        let mut shown = circles.iter().flatten().zip(seen).filter(|(_, seen)| *seen);
        shown.any(|(circle, _)| rect.nearest(circle.centre()).distance(circle.centre()) < circle.w / 2.0)
    };
    let mut fitting = rects.filter(|rect| layout.world.encloses(*rect, 0.0) && !hides(rect));
    fitting.next().map(|rect| (number, rect))
}

pub fn draw(ui: &mut Ui<'_>, layout: &Layout, shown: &Shown<'_>) {
    let cards = cards(shown);
    let stand = stand(layout, shown, &cards);
    if let Some((number, rect, camera)) = stand.inset {
        let look = look_of(&cards[number], shown);
        ui.hits.cover(rect);
        ui.canvas.shadow(rect, gap::RADIUS, 16.0, Color::BLACK.alpha(0.7));
        draw::inset(ui.canvas, rect, camera, shown);
        ui.canvas.outline(rect.inset(-1.5), 4.0, 4.0, theme::NIGHT);
        ui.canvas.outline(rect.inset(-1.5), 4.0, 2.0, look.color);
    }
    for (card, place) in cards.iter().zip(stand.cards) {
        draw_card(ui, place, card, shown);
    }
}

fn look_of(card: &Card, shown: &Shown<'_>) -> theme::TeamLook {
    shown.look(card.initiator.and_then(|player| shown.roster.team_of(player)))
}

/// How it stands, as a sign that is read without colours.
fn sign_of(card: &Card) -> Option<Sign> {
    match card.state {
        State::Running => card.wins.then_some(Sign::Decides),
        State::Doomed(_) => Some(Sign::Doomed),
        State::Risen => Some(Sign::Risen),
        State::Over(..) => Some(Sign::Broken),
    }
}

fn draw_card(ui: &mut Ui<'_>, rect: Rect, card: &Card, shown: &Shown<'_>) {
    let look = look_of(card, shown);
    let ink = match &card.state {
        State::Running if card.wins => theme::ACCENT,
        State::Running => theme::TEXT_SOFT,
        State::Risen => theme::GOOD,
        State::Doomed(_) | State::Over(..) => theme::BAD,
    };
    ui.hits.cover(rect);
    ui.canvas.shadow(rect, gap::RADIUS, 16.0, Color::BLACK.alpha(0.6));
    ui.canvas.round_rect(rect, gap::RADIUS, theme::PANEL.alpha(0.96));
    edge(ui, rect, card, look.color);
    let inner = rect.inset_xy(gap::LARGE, gap::BODY);
    let (head, rest) = kit::cut_top(inner, 24.0);
    draw_head(ui, head, card, shown);
    let (pips, rest) = kit::cut_top(rest, 20.0);
    draw_players(ui, pips, card, look.color);
    let line = Style::strong(size::BODY, ink);
    let says = match &card.state {
        State::Running => card.brings.clone(),
        State::Doomed(why) => format!("DOOMED: {why}"),
        State::Risen => format!("RISEN: {}", risen(card)),
        State::Over(word, why) if why.is_empty() => (*word).to_owned(),
        State::Over(word, why) => format!("{word}: {why}"),
    };
    let mut rest = rest;
    if let Some(kind) = sign_of(card) {
        let (place, words) = kit::cut_left(rest, 20.0);
        sign(ui.canvas, Point::new(place.x + 7.0, place.centre().y), 7.0, kind, ink);
        rest = words;
    }
    kit::line(ui.canvas, rest, &says, line);
}

/// The line around a card is its team's; what fails is broken, as its circle in the world.
fn edge(ui: &mut Ui<'_>, rect: Rect, card: &Card, color: Color) {
    if !matches!(card.state, State::Doomed(_) | State::Over(..)) {
        let wide = if card.wins { 2.5 } else { 1.5 };
        return ui.canvas.outline(rect, gap::RADIUS, wide, color);
    }
    ui.canvas.outline(rect, gap::RADIUS, 1.0, color.mix(theme::PANEL, 0.6));
    let (dash, step) = (7.0, 12.0);
    let line = rect.inset(0.75);
    let steps = |from: f32, to: f32| {
        (0..((to - from) / step).max(0.0) as u16).map(move |n| from + f32::from(n) * step)
    };
    for x in steps(line.x + gap::RADIUS, line.right() - gap::RADIUS) {
        for y in [line.y, line.bottom()] {
            ui.canvas.line(Point::new(x, y), Point::new(x + dash, y), 2.5, color);
        }
    }
    for y in steps(line.y + gap::RADIUS, line.bottom() - gap::RADIUS) {
        for x in [line.x, line.right()] {
            ui.canvas.line(Point::new(x, y), Point::new(x, y + dash), 2.5, color);
        }
    }
}

fn risen(card: &Card) -> String {
    if card.wins {
        return card.brings.clone();
    }
    let level = card.level.get() + 1;
    let players = words::players(u32::try_from(card.players.0).unwrap_or(u32::MAX));
    if card.level.next() == Some(Level::MAX) {
        format!("{players}; {}", card.brings)
    } else {
        format!("{players} at level {level}")
    }
}

/// Team and level at the left, the countdown at the right.
fn draw_head(ui: &mut Ui<'_>, head: Rect, card: &Card, shown: &Shown<'_>) {
    let team = card.initiator.and_then(|player| shown.roster.team_of(player));
    let look = look_of(card, shown);
    emblem(ui.canvas, Point::new(head.x + 8.0, head.centre().y), 8.0, look);
    let (_, rest) = kit::cut_left(head, 24.0);
    let left = match (&card.state, card.left) {
        (State::Running | State::Doomed(_), Some(left)) => count(left.ceil() as u64, "tick", "ticks"),
        _ => String::new(),
    };
    let wide = ui.canvas.measure(&left, Face::Strong, size::LARGE);
    kit::line_right(ui.canvas, rest, &left, Style::strong(size::LARGE, theme::TEXT));
    let rest = kit::cut_right(rest, wide + gap::BODY).1;
    let to = format!(" to {}", words::next(card.level));
    let room = rest.w - ui.canvas.measure(&to, Face::Strong, size::LARGE);
    let name = team.map(|team| words::short_name(shown.roster.name(team), NAME)).unwrap_or_default();
    let style = Style::strong(size::LARGE, look.color);
    let name = words::fitting_name(ui.canvas, &name, style, room.max(0.0));
    let drawn =
        kit::text(ui.canvas, Point::new(rest.x, rest.centre().y), Anchor::Left, room.max(0.0), &name, style);
    let after = kit::cut_left(rest, drawn.w).1;
    kit::line(ui.canvas, after, &to, Style::strong(size::LARGE, theme::TEXT));
}

/// A dot for each player that it needs, full for those that are there, over the bar of its time.
fn draw_players(ui: &mut Ui<'_>, place: Rect, card: &Card, color: Color) {
    let (there, needed) = card.players;
    let says = if there > needed {
        format!("{there} players ({needed} needed)")
    } else {
        format!("{there} of {}", count(needed as u64, "player", "players"))
    };
    let at = Point::new(place.x, place.centre().y);
    let short = there < needed;
    let ink = if short { theme::BAD } else { theme::TEXT };
    let drawn = kit::text(ui.canvas, at, Anchor::Left, place.w * 0.5, &says, Style::regular(size::BODY, ink));
    let mut x = drawn.right() + gap::LARGE;
    for number in 0..needed {
        let centre = Point::new(x + 5.0, place.centre().y);
        if number < there {
            ui.canvas.circle(centre, 5.0, color);
        } else {
            ui.canvas.ring(centre, 4.5, 1.5, theme::BAD);
        }
        x += 14.0;
    }
    let bar = Rect::new(x + gap::BODY, place.centre().y - 3.0, (place.right() - x - gap::BODY).max(0.0), 6.0);
    if bar.w < 20.0 {
        return;
    }
    ui.canvas.round_rect(bar, 3.0, theme::PANEL_RAISED);
    let share = match (&card.state, card.left) {
        (State::Running | State::Doomed(_), Some(left)) => 1.0 - left / INCANTATION_TICKS as f64,
        (State::Running | State::Doomed(_), None) => 0.0,
        _ => 1.0,
    };
    let full = Rect { w: bar.w * share.clamp(0.0, 1.0) as f32, ..bar };
    if full.w <= 1.0 {
        return;
    }
    if !matches!(card.state, State::Doomed(_) | State::Over(..)) {
        return ui.canvas.round_rect(full, 3.0, color);
    }
    // Hatched: it runs to no end.
    ui.canvas.round_rect(full, 3.0, color.mix(theme::PANEL, 0.65));
    ui.canvas.clipped(full, |canvas| {
        for stroke in 0..=(full.w / 7.0) as u16 {
            let x = full.x + f32::from(stroke) * 7.0;
            canvas.line(
                Point::new(x - 3.0, full.bottom() + 1.0),
                Point::new(x + 5.0, full.y - 1.0),
                2.0,
                color,
            );
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::zappy::panels::testing::Scene;

    const OPENING: [&str; 10] = [
        "0 msz 9 9",
        "0 tna red",
        "0 tna wolves",
        "0 smg go",
        "1 bct 1 1 0 1 1 1 0 0 0",
        "5 pnw #0 1 1 1 2 red",
        "5 pnw #1 1 1 1 2 red",
        "5 pnw #26 2 1 4 1 wolves",
        "9 ppo #26 1 1 2",
        "100 pic 1 1 2 #0 #1",
    ];

    /// Two incantations: red's at 1 1 that may win nothing, blue's at 7 7, both seen at 50.
    const TWO: [&str; 8] = [
        "0 msz 20 20",
        "0 tna red",
        "0 tna blue",
        "0 smg go",
        "1 pnw #0 1 1 1 4 red",
        "1 pnw #1 12 12 1 3 blue",
        "10 pic 1 1 4 #0",
        "20 pic 12 12 3 #1",
    ];

    /// How the cards of [`TWO`] stand while the camera looks there.
    fn stands(camera: Camera) -> (Layout, Stand, Vec<Rect>) {
        let mut scene = Scene::told(&TWO);
        scene.view.camera = camera;
        scene.show(50.0, |shown| {
            let layout = crate::zappy::panels::layout(1280.0, 720.0, shown);
            let cards = cards(shown);
            let circles = cards.iter().filter_map(|card| circle(&layout, shown, card)).collect();
            let stand = stand(&layout, shown, &cards);
            (layout, stand, circles)
        })
    }

    #[test]
    fn cards_stand_where_they_hide_nothing_of_what_they_tell() {
        // The whole map, one circle after the other at each of its edges.
        for (x, y) in [(7.0, 7.0), (1.5, 14.0), (1.5, 9.0), (5.0, 3.0), (6.0, 17.0)] {
            let (layout, stand, circles) = stands(Camera { x, y, scale: 24.0 });
            assert_eq!(stand.cards.len(), 2);
            for card in &stand.cards {
                assert!(layout.world.encloses(*card, 0.5), "{card:?}");
                assert!(
                    circles.iter().all(|circle| !circle.overlaps(*card)),
                    "{x} {y}: {card:?} {circles:?}"
                );
            }
        }
    }

    #[test]
    fn an_incantation_that_the_world_does_not_show_has_a_picture_above_its_card() {
        let whole = stands(Camera { x: 7.0, y: 7.0, scale: 22.0 }).1;
        assert_eq!(whole.inset, None, "both are seen");
        for (near, unseen, at) in [((1.5, 1.5), 1, (12.5, 12.5)), ((12.5, 12.5), 0, (1.5, 1.5))] {
            let (layout, stand, circles) = stands(Camera { x: near.0, y: near.1, scale: 70.0 });
            let (number, rect, camera) = stand.inset.expect("a picture in the picture");
            assert_eq!(number, unseen);
            let middle = camera.to_window(rect, at);
            assert!(rect.inset(rect.h * 0.3).contains(middle), "it is in the middle of it: {middle:?}");
            let (card, other) = (stand.cards[number], circles[1 - number]);
            assert!(rect.x >= card.x - 0.5 && rect.right() <= card.right() + 0.5, "at its card");
            assert!(!rect.overlaps(card) && !rect.overlaps(stand.cards[1 - number]));
            assert!(rect.nearest(other.centre()).distance(other.centre()) >= other.w / 2.0);
            assert!(layout.world.encloses(rect, 0.5));
        }
    }

    #[test]
    fn what_fails_is_told_by_a_sign_and_a_broken_line_besides_its_colour() {
        let lines = |more: &[&'static str]| OPENING.iter().chain(more).copied().collect::<Vec<_>>();
        let drawn = |lines: &[&str]| {
            Scene::told(lines).show(250.0, |shown| {
                let (mut canvas, mut hits) = (crate::ink::Canvas::new(), crate::panels::Hits::default());
                canvas.begin(1280.0, 720.0, 1.0);
                let card = cards(shown).remove(0);
                let mut ui = Ui { canvas: &mut canvas, hits: &mut hits, mouse: None };
                let rect = Rect::new(300.0, 300.0, 400.0, 84.0);
                edge(&mut ui, rect, &card, Color::WHITE);
                (sign_of(&card), canvas.vertices().len())
            })
        };
        let (running, line) = drawn(&lines(&[]));
        let (doomed, pieces) = drawn(&lines(&["200 pdi #1"]));
        assert_eq!((running, doomed), (None, Some(Sign::Doomed)));
        assert!(pieces > line * 20, "{line} {pieces}");
    }

    /// The only card at a tick of a match that goes on like that.
    fn only(more: &[&str], tick: f64) -> Card {
        let lines: Vec<&str> = OPENING.iter().chain(more).copied().collect();
        let found = Scene::told(&lines).show(tick, cards);
        assert_eq!(found.len(), 1, "{found:?}");
        found[0].clone()
    }

    #[test]
    fn a_running_incantation_says_what_it_needs_and_how_long_it_takes() {
        let card = only(&[], 180.5);
        assert_eq!((card.players, card.left, &card.state), ((2, 2), Some(219.5), &State::Running));
        assert_eq!((card.brings.as_str(), card.wins), ("6 at level 8 win", false));
        Scene::told(&OPENING).show(50.0, |shown| assert_eq!(cards(shown), []));
    }

    #[test]
    fn a_doomed_one_is_told_as_one_from_the_moment_it_is_and_broken_in_the_end() {
        let push = ["200 ppo #0 2 1 1", "200 ppo #1 2 1 1", "200 pex #26", "400 pie 1 1 0"];
        assert_eq!(only(&push, 199.0).state, State::Running);
        let why = "pushed by wolves’ #26".to_owned();
        assert_eq!(only(&push, 200.0).state, State::Doomed(why.clone()));
        assert_eq!(only(&push, 400.0).state, State::Over("BROKEN", why));
        assert_eq!(only(&push, 400.0).players, (0, 2), "as many as were left in the end");
        let gone = ["300 pdi #1", "400 pie 1 1 0"];
        assert_eq!(only(&gone, 450.0).state, State::Over("BROKEN", "#1 is gone".to_owned()));
    }

    #[test]
    fn one_that_fails_says_what_was_short_and_one_that_works_that_it_did() {
        let taken = ["350 bct 1 1 0 1 1 0 0 0 0", "400 pie 1 1 0"];
        assert_eq!(only(&taken, 360.0).state, State::Doomed("1 sibur short".to_owned()));
        assert_eq!(only(&taken, 410.0).state, State::Over("FAILED", "1 sibur short".to_owned()));
        let risen = ["400 plv #0 3", "400 plv #1 3", "400 pie 1 1 1"];
        assert_eq!(only(&risen, 410.0).state, State::Risen);
        assert_eq!(super::risen(&only(&risen, 410.0)), "2 players at level 3");
        let scene = Scene::told(&OPENING.iter().chain(&risen).copied().collect::<Vec<_>>());
        scene.show(900.0, |shown| assert_eq!(cards(shown), [], "an end is told for a while only"));
        let over: Vec<&str> = OPENING.iter().chain(&["200 seg red"]).copied().collect();
        Scene::told(&over).show(200.0, |shown| assert_eq!(cards(shown), [], "nothing runs after the end"));
    }

    #[test]
    fn of_many_incantations_the_two_that_decide_most_are_told() {
        let mut lines = vec!["0 msz 9 9".to_owned(), "0 tna red".to_owned(), "0 smg go".to_owned()];
        for (number, level) in [2, 7, 1, 5].into_iter().enumerate() {
            lines.push(format!("1 pnw #{number} {number} 1 1 {level} red"));
            lines.push(format!("{} pic {number} 1 {level} #{number}", 10 + number));
        }
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let levels = Scene::told(&lines)
            .show(50.0, |shown| cards(shown).iter().map(|card| card.level.get()).collect::<Vec<_>>());
        assert_eq!(levels, [7, 5]);
    }

    #[test]
    fn what_is_under_way_comes_before_what_ended_a_while_ago() {
        let mut lines = vec!["0 msz 9 9".to_owned(), "0 tna red".to_owned(), "0 smg go".to_owned()];
        for (number, level) in [5, 5, 2, 3].into_iter().enumerate() {
            lines.push(format!("1 pnw #{number} {number} 1 1 {level} red"));
            lines.push(format!("{} pic {number} 1 {level} #{number}", 10 + number));
        }
        lines.extend(["100 pie 0 1 0", "100 pie 1 1 0"].map(str::to_owned));
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let scene = Scene::told(&lines);
        let levels = |tick| {
            scene.show(tick, |shown| cards(shown).iter().map(|card| card.level.get()).collect::<Vec<_>>())
        };
        assert_eq!(levels(110.0), [5, 5], "at first what broke is the news");
        assert_eq!(levels(190.0), [2, 3]);
    }
}
