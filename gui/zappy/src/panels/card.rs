//! The card of an incantation, over the lower edge of the world: its team, what it needs, how long it takes, what it
//! brings, and how it ended.
//!
//! The two incantations that decide most have a card each; `stand` says where. Tested in this module and in `tests.rs`.

use zappy_protocol::zappy::Level;
use zappy_protocol::zappy::constants::INCANTATION_TICKS;

use super::{Ui, stand, words};
use crate::draw::{self, Sign, sign};
pub use crate::scene::card::{Card, CardState};
use crate::view::Shown;
use zappy_observer::ink::{Anchor, Color, Face, Point, Rect, Style};
use zappy_observer::panels::kit;
use zappy_observer::panels::layout::Layout;
use zappy_observer::panels::marks::emblem;
use zappy_observer::theme::{self, gap, size};

/// Characters of a team's name at most.
const NAME_LIMIT: usize = 18;

pub fn draw(ui: &mut Ui<'_>, layout: &Layout, shown: &Shown<'_>) {
    let (cards, stand) = stand::standing(layout, shown);
    if let Some((number, rect, camera)) = stand.inset {
        let look = look_of(&cards[number], shown);
        ui.hits.cover(rect);
        ui.canvas.shadow(rect, gap::RADIUS, 16.0, Color::BLACK.alpha(0.7));
        draw::inset(ui.canvas, rect, camera, shown);
        ui.canvas.outline(rect.inset(-1.5), 4.0, 4.0, theme::NIGHT);
        ui.canvas.outline(rect.inset(-1.5), 4.0, 2.0, look.color);
    }
    for (card, place) in cards.iter().zip(stand.cards) {
        let (look, (ink, kind, says)) = (look_of(card, shown), status(card));
        ui.hits.cover(place);
        ui.canvas.shadow(place, gap::RADIUS, 16.0, Color::BLACK.alpha(0.6));
        ui.canvas.round_rect(place, gap::RADIUS, theme::PANEL.alpha(0.96));
        draw_edge(ui, place, card, look.color);
        let inner = place.inset_xy(gap::LARGE, gap::BODY);
        let (head, rest) = inner.cut_top(24.0);
        draw_head(ui, head, card, shown);
        let (pips, mut rest) = rest.cut_top(20.0);
        draw_players(ui, pips, card, look.color);
        if let Some(kind) = kind {
            let (mark, words) = rest.cut_left(20.0);
            sign(ui.canvas, Point::new(mark.x + 7.0, mark.centre().y), 7.0, kind, ink);
            rest = words;
        }
        kit::line(ui.canvas, rest, &says, Style::strong(size::BODY, ink));
    }
}

fn look_of(card: &Card, shown: &Shown<'_>) -> theme::TeamLook {
    shown.look(card.initiator.and_then(|player| shown.story.roster.team_of(player)))
}

/// The state of a card's incantation: a colour, a sign that is read without colours, and words.
fn status(card: &Card) -> (Color, Option<Sign>, String) {
    match &card.state {
        CardState::Running if card.wins => (theme::ACCENT, Some(Sign::Decides), card.brings.clone()),
        CardState::Running => (theme::TEXT_SOFT, None, card.brings.clone()),
        CardState::Risen => (theme::GOOD, Some(Sign::Risen), format!("RISEN: {}", risen(card))),
        CardState::Doomed(why) => (theme::BAD, Some(Sign::Doomed), format!("DOOMED: {why}")),
        CardState::Over(word, why) => {
            let says = if why.is_empty() { (*word).to_owned() } else { format!("{word}: {why}") };
            (theme::BAD, Some(Sign::Broken), says)
        }
    }
}

/// The line around a card, in its team's colour; in pieces if the incantation fails, like its circle in the world.
fn draw_edge(ui: &mut Ui<'_>, rect: Rect, card: &Card, color: Color) {
    if !matches!(card.state, CardState::Doomed(_) | CardState::Over(..)) {
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

/// What an incantation that succeeded has brought.
fn risen(card: &Card) -> String {
    if card.wins {
        return card.brings.clone();
    }
    let level = card.level.get() + 1;
    let players = kit::count(card.players.0 as u64, "player", "players");
    if card.level.next() == Some(Level::MAX) {
        format!("{players}; {}", card.brings)
    } else {
        format!("{players} at level {level}")
    }
}

/// Team and level at the left, the countdown at the right.
fn draw_head(ui: &mut Ui<'_>, head: Rect, card: &Card, shown: &Shown<'_>) {
    let team = card.initiator.and_then(|player| shown.story.roster.team_of(player));
    let look = look_of(card, shown);
    emblem(ui.canvas, Point::new(head.x + 8.0, head.centre().y), 8.0, look);
    let (_, rest) = head.cut_left(24.0);
    let left = match (&card.state, card.left) {
        (CardState::Running | CardState::Doomed(_), Some(left)) => {
            format!("{:.1} s", left / f64::from(shown.story.chronicle.rate()))
        }
        _ => String::new(),
    };
    let wide = ui.canvas.measure(&left, Face::Strong, size::LARGE);
    kit::line_right(ui.canvas, rest, &left, Style::strong(size::LARGE, theme::TEXT));
    let rest = rest.cut_right(wide + gap::BODY).1;
    let to = format!(" to {}", words::next(card.level));
    let room = rest.w - ui.canvas.measure(&to, Face::Strong, size::LARGE);
    let name =
        team.map(|team| words::short_name(shown.story.roster.name(team), NAME_LIMIT)).unwrap_or_default();
    let style = Style::strong(size::LARGE, look.color);
    let name = words::fitting_name(ui.canvas, &name, style, room.max(0.0));
    let drawn =
        kit::text(ui.canvas, Point::new(rest.x, rest.centre().y), Anchor::Left, room.max(0.0), &name, style);
    let after = rest.cut_left(drawn.w).1;
    kit::line(ui.canvas, after, &to, Style::strong(size::LARGE, theme::TEXT));
}

/// A dot for each player that the incantation needs, full if it is there, and the bar of its time while it runs.
fn draw_players(ui: &mut Ui<'_>, place: Rect, card: &Card, color: Color) {
    let (present, needed) = card.players;
    let over = matches!(card.state, CardState::Risen | CardState::Over(..));
    let says = match present {
        _ if !over => words::there_and_needed(present, needed),
        1 => format!("1 was there, {needed} needed"),
        _ => format!("{present} were there, {needed} needed"),
    };
    let at = Point::new(place.x, place.centre().y);
    let ink = if present < needed { theme::BAD } else { theme::TEXT };
    let drawn = kit::text(ui.canvas, at, Anchor::Left, place.w * 0.5, &says, Style::regular(size::BODY, ink));
    let mut x = drawn.right() + gap::LARGE;
    for number in 0..needed {
        let centre = Point::new(x + 5.0, place.centre().y);
        if number < present {
            ui.canvas.circle(centre, 5.0, color);
        } else {
            ui.canvas.ring(centre, 4.5, 1.5, theme::BAD);
        }
        x += 14.0;
    }
    let bar = Rect::new(x + gap::BODY, place.centre().y - 3.0, (place.right() - x - gap::BODY).max(0.0), 6.0);
    // An incantation that is over has no time left to show.
    if over || bar.w < 20.0 {
        return;
    }
    ui.canvas.round_rect(bar, 3.0, theme::PANEL_RAISED);
    let share = card.left.map_or(0.0, |left| 1.0 - left / INCANTATION_TICKS as f64);
    let full = Rect { w: bar.w * share.clamp(0.0, 1.0) as f32, ..bar };
    if full.w <= 1.0 {
        return;
    }
    if !matches!(card.state, CardState::Doomed(_)) {
        return ui.canvas.round_rect(full, 3.0, color);
    }
    // Hatched, since the incantation fails.
    ui.canvas.round_rect(full, 3.0, color.mix(theme::PANEL, 0.65));
    ui.canvas.clipped(full, |canvas| {
        for stroke in 0..=(full.w / 7.0) as u16 {
            let x = full.x + f32::from(stroke) * 7.0;
            let (foot, top) = (Point::new(x - 3.0, full.bottom() + 1.0), Point::new(x + 5.0, full.y - 1.0));
            canvas.line(foot, top, 2.0, color);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::panels::testing::ScriptedMatch;
    use crate::scene::card::cards;

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

    #[test]
    fn what_fails_is_told_by_a_sign_and_a_broken_line_besides_its_colour() {
        let lines = |more: &[&'static str]| OPENING.iter().chain(more).copied().collect::<Vec<_>>();
        let drawn = |lines: &[&str]| {
            ScriptedMatch::of(lines).show(250.0, |shown| {
                let (mut canvas, mut hits) =
                    (zappy_observer::ink::Canvas::new(), zappy_observer::panels::Hits::default());
                canvas.begin(1280.0, 720.0, 1.0);
                let card = cards(shown).remove(0);
                let mut ui = Ui { canvas: &mut canvas, hits: &mut hits, mouse: None };
                let rect = Rect::new(300.0, 300.0, 400.0, 84.0);
                draw_edge(&mut ui, rect, &card, Color::WHITE);
                (status(&card).1, canvas.vertices().len())
            })
        };
        let (running, line) = drawn(&lines(&[]));
        let (doomed, pieces) = drawn(&lines(&["200 pdi #1"]));
        assert_eq!((running, doomed), (None, Some(Sign::Doomed)));
        assert!(pieces > line * 20, "{line} {pieces}");
    }

    #[test]
    fn a_card_of_what_is_over_says_so_and_has_no_bar() {
        let drawn = |lines: &[&'static str], tick: f64| {
            let lines: Vec<&str> = OPENING.iter().chain(lines).copied().collect();
            ScriptedMatch::of(&lines).show(tick, |shown| {
                let (mut canvas, mut hits) =
                    (zappy_observer::ink::Canvas::new(), zappy_observer::panels::Hits::default());
                canvas.begin(1280.0, 720.0, 1.0);
                canvas.watch_text(true);
                let card = cards(shown).remove(0);
                let mut ui = Ui { canvas: &mut canvas, hits: &mut hits, mouse: None };
                draw_players(&mut ui, Rect::new(0.0, 0.0, 400.0, 20.0), &card, Color::WHITE);
                let far = canvas.vertices().iter().any(|vertex| vertex.position[0] > 300.0);
                (canvas.runs()[0].text.clone(), far)
            })
        };
        assert_eq!(drawn(&[], 200.0), ("2 there, 2 needed".to_owned(), true));
        let gone = ["300 pdi #1", "400 pie 1 1 0"];
        assert_eq!(drawn(&gone, 350.0), ("1 there, 2 needed".to_owned(), true));
        assert_eq!(drawn(&gone, 410.0), ("1 was there, 2 needed".to_owned(), false));
        let risen = ["400 plv #0 3", "400 plv #1 3", "400 pie 1 1 1"];
        assert_eq!(drawn(&risen, 410.0), ("2 were there, 2 needed".to_owned(), false));
    }

    /// The only card at a tick of the match that goes on with these lines.
    fn only(more: &[&str], tick: f64) -> Card {
        let lines: Vec<&str> = OPENING.iter().chain(more).copied().collect();
        let found = ScriptedMatch::of(&lines).show(tick, cards);
        assert_eq!(found.len(), 1, "{found:?}");
        found[0].clone()
    }

    #[test]
    fn a_running_incantation_says_what_it_needs_and_how_long_it_takes() {
        let card = only(&[], 180.5);
        assert_eq!((card.players, card.left, &card.state), ((2, 2), Some(219.5), &CardState::Running));
        assert_eq!((card.brings.as_str(), card.wins), ("6 at level 8 win", false));
        ScriptedMatch::of(&OPENING).show(50.0, |shown| assert_eq!(cards(shown), []));
    }

    #[test]
    fn a_doomed_one_is_told_as_one_from_the_moment_it_is_and_broken_in_the_end() {
        let push = ["200 ppo #0 2 1 1", "200 ppo #1 2 1 1", "200 pex #26", "400 pie 1 1 0"];
        assert_eq!(only(&push, 199.0).state, CardState::Running);
        let why = "pushed by wolves’ #26".to_owned();
        assert_eq!(only(&push, 200.0).state, CardState::Doomed(why.clone()));
        assert_eq!(only(&push, 400.0).state, CardState::Over("BROKEN", why));
        assert_eq!(only(&push, 400.0).players, (0, 2), "as many as were left in the end");
        let gone = ["300 pdi #1", "400 pie 1 1 0"];
        assert_eq!(only(&gone, 450.0).state, CardState::Over("BROKEN", "#1 is gone".to_owned()));
    }

    #[test]
    fn one_that_fails_says_what_was_short_and_one_that_works_that_it_did() {
        let taken = ["350 ppo #26 1 1 1", "350 pgt #26 3", "350 bct 1 1 0 1 1 0 0 0 0", "400 pie 1 1 0"];
        assert_eq!(only(&taken, 360.0).state, CardState::Doomed("1 sibur short".to_owned()));
        assert_eq!(only(&taken, 410.0).state, CardState::Over("FAILED", "1 sibur short".to_owned()));
        let untold = ["350 bct 1 1 0 1 1 0 0 0 0", "400 pie 1 1 0"];
        assert_eq!(
            only(&untold, 410.0).state,
            CardState::Over("FAILED", String::new()),
            "no server says why"
        );
        let risen = ["400 plv #0 3", "400 plv #1 3", "400 pie 1 1 1"];
        assert_eq!(only(&risen, 410.0).state, CardState::Risen);
        assert_eq!(super::risen(&only(&risen, 410.0)), "2 players at level 3");
        let scene = ScriptedMatch::of(&OPENING.iter().chain(&risen).copied().collect::<Vec<_>>());
        scene.show(900.0, |shown| assert_eq!(cards(shown), [], "an end is told for a while only"));
        let over: Vec<&str> = OPENING.iter().chain(&["200 seg red"]).copied().collect();
        ScriptedMatch::of(&over)
            .show(200.0, |shown| assert_eq!(cards(shown), [], "nothing runs after the end"));
    }

    #[test]
    fn of_many_incantations_the_two_that_decide_most_are_told() {
        let mut lines = vec!["0 msz 9 9".to_owned(), "0 tna red".to_owned(), "0 smg go".to_owned()];
        for (number, level) in [2, 7, 1, 5].into_iter().enumerate() {
            lines.push(format!("1 pnw #{number} {number} 1 1 {level} red"));
            lines.push(format!("{} pic {number} 1 {level} #{number}", 10 + number));
        }
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let levels = ScriptedMatch::of(&lines)
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
        let scene = ScriptedMatch::of(&lines);
        let levels = |tick| {
            scene.show(tick, |shown| cards(shown).iter().map(|card| card.level.get()).collect::<Vec<_>>())
        };
        assert_eq!(levels(110.0), [5, 3], "what broke is the news, beside the first that runs");
        assert_eq!(levels(190.0), [2, 3]);
    }
}
