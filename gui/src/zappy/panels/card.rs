//! The card of a running incantation, in the lower third of the world: whose it is, what it needs, how long it takes, what
//! it brings, and how it ended.
//!
//! The two that decide most have one each. A card says that an incantation is doomed from the moment at which it is.
//! Tested in this module and in `tests.rs`.

use zappy_protocol::Position;
use zappy_protocol::zappy::constants::{INCANTATION_TICKS, WINNING_PLAYERS};
use zappy_protocol::zappy::mirror::MirrorIncantation;
use zappy_protocol::zappy::{Level, PlayerId};

use super::Ui;
use super::words::{self, flaw_words};
use crate::ink::{Anchor, Color, Face, Point, Rect, Style};
use crate::panels::kit::{self, count};
use crate::panels::layout::Layout;
use crate::panels::marks::emblem;
use crate::theme::{self, gap, size};
use crate::zappy::app::shown::Shown;
use crate::zappy::timeline::attempt::{self, Flaw, Outcome, Stake};

/// Cards at the same time.
const CARDS: usize = 2;
/// Size of a card at its best, and the least width of use, in points.
const SIZE: (f32, f32) = (400.0, 84.0);
const LEAST_WIDTH: f32 = 250.0;
/// Ticks for which an end is told, and seconds at the pace of the view if that is longer.
const TOLD: (f64, f64) = (150.0, 1.5);
/// The part of that time after which an end makes room for what is still under way.
const FRESH: f64 = 3.0;
/// Characters of a team's name.
const NAME: usize = 18;

/// How it stands with an incantation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// All is there, or it isn't known what is not.
    Running,
    /// It fails if nothing changes; why.
    Doomed(String),
    /// Its players rose.
    Risen,
    /// It has failed; in capitals how, and why as far as it was seen.
    Over(&'static str, String),
}

/// What a card says.
#[derive(Debug, Clone, PartialEq)]
pub struct Card {
    /// Where it is held.
    pub at: Position,
    /// The level that its players have.
    pub level: Level,
    /// The player that began it; its team's look and name are the card's.
    pub initiator: Option<PlayerId>,
    /// Participants on the tile, and players that it needs.
    pub players: (usize, usize),
    /// Ticks to its end, if its beginning was seen.
    pub left: Option<f64>,
    /// What it brings if it works.
    pub brings: String,
    /// Whether its team wins by it.
    pub wins: bool,
    /// How it stands.
    pub state: State,
}

/// The cards of the moment, those that decide most, the one that began first at the left.
pub fn cards(shown: &Shown<'_>) -> Vec<Card> {
    let tick = shown.time.tick;
    let told = TOLD.0.max(TOLD.1 * shown.time.pace);
    let attempts = &shown.chronicle.attempts;
    let before = attempts.partition_point(|attempt| attempt.ended as f64 <= tick);
    let ended = attempts.range(..before).rev().take_while(|attempt| attempt.ended as f64 + told > tick);
    let ended = ended.map(|attempt| {
        let state = match attempt.outcome {
            Outcome::Risen => State::Risen,
            Outcome::Failed(why) => {
                let word = if matches!(why, Some(Flaw::Pushed { .. } | Flaw::Gone(_))) {
                    "BROKEN"
                } else {
                    "FAILED"
                };
                State::Over(word, why.map(|flaw| flaw_words(flaw, shown.roster)).unwrap_or_default())
            }
        };
        let fresh = attempt.ended as f64 + told / FRESH > tick;
        (fresh, card(&attempt.running, attempt.stake, attempt.present, state))
    });
    // After the end nothing is under way any more.
    let over = shown.chronicle.finish.as_ref().is_some_and(|finish| tick >= finish.tick as f64);
    let running = shown.stage.incantations().iter().filter(|_| !over).map(|running| {
        let flaw = attempt::flaw(shown.stage, running).map(|flaw| flaw_words(flaw, shown.roster));
        let stake = Stake::of(shown.stage.mirror(), shown.roster, running);
        let there = attempt::present(shown.stage.mirror(), running);
        let card = card(running, stake, there, flaw.map_or(State::Running, State::Doomed));
        let left = running.began.map(|began| ((began + INCANTATION_TICKS) as f64 - tick).max(0.0));
        (true, Card { left, ..card })
    });
    let mut found: Vec<(bool, Card)> = running.chain(ended).collect();
    found.sort_by_key(|(fresh, card)| std::cmp::Reverse((card.wins, *fresh, card.level, card.players.1)));
    // What ended a while ago is told as long as there is nothing else to tell.
    if found.first().is_some_and(|(fresh, _)| *fresh) {
        found.retain(|(fresh, _)| *fresh);
    }
    found.truncate(CARDS);
    let mut found: Vec<Card> = found.into_iter().map(|(_, card)| card).collect();
    found.sort_by(|one, other| one.left.unwrap_or(0.0).total_cmp(&other.left.unwrap_or(0.0)));
    found
}

fn card(running: &MirrorIncantation, stake: Option<Stake>, there: usize, state: State) -> Card {
    let wins = stake.is_some_and(|stake| stake.wins());
    let brings = match stake {
        Some(stake) if wins => format!("{} at level 8 ({WINNING_PLAYERS} needed): it wins", stake.at_top),
        Some(stake) if stake.to == Level::MAX => format!("{} of {WINNING_PLAYERS} at level 8", stake.at_top),
        _ => format!("{WINNING_PLAYERS} at level 8 win"),
    };
    let needed = attempt::needed(running.level);
    Card {
        at: running.at,
        level: running.level,
        initiator: running.players.first().copied(),
        players: (there, needed),
        left: None,
        brings,
        wins,
        state,
    }
}

/// Where the cards are: over the lower edge of the world, side by side or one above the other.
pub fn places(layout: &Layout, count: usize) -> Vec<Rect> {
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
    let left = world.centre().x - (wide * columns as f32 + gap::LARGE * (columns as f32 - 1.0)) / 2.0;
    let place = |number: usize| {
        let (column, row) = if beside { (number, 0) } else { (0, number) };
        let y = bottom - high + (SIZE.1 + gap::BODY) * row as f32;
        Rect::new(left + (wide + gap::LARGE) * column as f32, y, wide, SIZE.1)
    };
    (0..count).map(place).collect()
}

pub fn draw(ui: &mut Ui<'_>, layout: &Layout, shown: &Shown<'_>) {
    let cards = cards(shown);
    for (card, place) in cards.iter().zip(places(layout, cards.len())) {
        draw_card(ui, place, card, shown);
    }
}

fn draw_card(ui: &mut Ui<'_>, rect: Rect, card: &Card, shown: &Shown<'_>) {
    let team = card.initiator.and_then(|player| shown.roster.team_of(player));
    let look = shown.look(team);
    let (edge, ink) = match &card.state {
        State::Running if card.wins => (theme::ACCENT, theme::ACCENT),
        State::Running => (look.color, theme::TEXT_SOFT),
        State::Risen => (theme::GOOD, theme::GOOD),
        State::Doomed(_) | State::Over(..) => (theme::BAD, theme::BAD),
    };
    ui.hits.cover(rect);
    ui.canvas.shadow(rect, gap::RADIUS, 16.0, Color::BLACK.alpha(0.6));
    ui.canvas.round_rect(rect, gap::RADIUS, theme::PANEL.alpha(0.96));
    ui.canvas.outline(rect, gap::RADIUS, 1.5, edge);
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
    kit::line(ui.canvas, rest, &says, line);
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
    let look = shown.look(team);
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
    let says = words::heads(there, needed);
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
    let ink = match card.state {
        State::Running => color,
        State::Risen => theme::GOOD,
        State::Doomed(_) | State::Over(..) => theme::BAD,
    };
    let full = Rect { w: bar.w * share.clamp(0.0, 1.0) as f32, ..bar };
    if full.w > 1.0 {
        ui.canvas.round_rect(full, 3.0, ink);
    }
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
        assert_eq!(risen_words(&only(&risen, 410.0)), "2 players at level 3");
        let scene = Scene::told(&OPENING.iter().chain(&risen).copied().collect::<Vec<_>>());
        scene.show(900.0, |shown| assert_eq!(cards(shown), [], "an end is told for a while only"));
        let over: Vec<&str> = OPENING.iter().chain(&["200 seg red"]).copied().collect();
        Scene::told(&over).show(200.0, |shown| assert_eq!(cards(shown), [], "nothing runs after the end"));
    }

    fn risen_words(card: &Card) -> String {
        risen(card)
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
