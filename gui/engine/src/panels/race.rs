//! The race: how far each team is on its way to the goal, with a thick bar for each across the top of every window and
//! film.
//!
//! Tested in this module and with the panels of the games.

use super::kit::{self, Ui};
use super::marks::emblem;
use crate::ink::{Anchor, Canvas, Face, Point, Rect, Style};
use crate::theme::{self, TeamLook, gap, size};

/// Height of a row, in points.
const ROW_HEIGHT: f32 = 34.0;
/// The least width of a team's bar, in points.
const MIN_BAR: f32 = 150.0;
/// The most of a window's height that the rows take together, as a share; one row is always shown.
const MAX_SHARE: f32 = 0.11;
/// Seconds of the spectator's time for which a change is lit.
const PULSE_TIME: f64 = 1.0;

/// How brightly a change is lit `age` ticks after it, from 1 down to 0; `rate` is ticks per second of the spectator's
/// time.
pub fn pulse(age: f64, rate: f64) -> f32 {
    if age < 0.0 { 0.0 } else { (1.0 - age / (PULSE_TIME * rate.max(1.0))).max(0.0) as f32 }
}

/// A team in the race.
#[derive(Debug, Clone, PartialEq)]
pub struct Racer {
    pub name: String,
    pub look: TeamLook,
    /// The parts of its way to the goal, each with the share that is done, 0 to 1; each part has a bar.
    pub way: Vec<f32>,
    /// How far the team is, from the longest wording to the shortest; the first that has room is shown.
    pub says: Vec<String>,
    /// The strength that its base has left, and its full strength; `None` in games without bases.
    pub base: Option<(u32, u32)>,
    pub leads: bool,
    /// What it is about to lose, in a few words.
    pub danger: Option<&'static str>,
    /// How brightly a change is lit, from 1 down to 0.
    pub pulse: f32,
    /// Whether the team is out of the match.
    pub out: bool,
}

/// How many bars stand side by side in a window of that size, and how many rows there are.
fn grid(width: f32, height: f32, teams: usize) -> (usize, usize) {
    // The casts saturate.
    let most = ((width / MIN_BAR) as usize).clamp(1, teams.max(1));
    let rows = teams.div_ceil(most).min(((height * MAX_SHARE / ROW_HEIGHT) as usize).max(1));
    (teams.div_ceil(rows.max(1)).clamp(1, most), rows)
}

/// The height that so many teams take in a window of that size, in points; 0 where there is no room.
pub fn height((width, height): (f32, f32), teams: usize) -> f32 {
    if teams == 0 || width < MIN_BAR || height < 5.0 * ROW_HEIGHT {
        0.0
    } else {
        ROW_HEIGHT * grid(width, height, teams).1 as f32
    }
}

/// Draws a bar for each team, in the order in which the match named them; `window` is the window's height in points.
pub fn draw<C>(ui: &mut Ui<'_, C>, rect: Rect, window: f32, racers: &[Racer]) {
    ui.hits.cover(rect);
    ui.canvas.rect(rect, theme::PANEL.alpha(0.97));
    let line = Rect::new(rect.x, rect.bottom() - ui.canvas.hairline(), rect.w, ui.canvas.hairline());
    ui.canvas.rect(line, theme::PANEL_LINE);
    let (columns, rows) = grid(rect.w, window, racers.len());
    let room = columns * rows;
    let hidden = racers.len().saturating_sub(room);
    // If not all teams have room, those that are furthest on their way are shown.
    let mut shown: Vec<&Racer> = racers.iter().collect();
    if hidden > 0 {
        shown.sort_by(|one, other| progress(other).total_cmp(&progress(one)));
    }
    let wide = rect.w / columns as f32;
    for (place, racer) in shown.into_iter().take(room).enumerate() {
        let more = (hidden > 0 && place + 1 == room).then_some(hidden);
        let (column, row) = ((place % columns) as f32, (place / columns) as f32);
        let place = Rect::new(rect.x + wide * column, rect.y + ROW_HEIGHT * row, wide, ROW_HEIGHT)
            .inset_xy(gap::BODY, 3.0);
        draw_racer(ui, place, racer, more);
    }
}

/// The share of its whole way that a team has done, 0 to 1.
fn progress(racer: &Racer) -> f32 {
    racer.way.iter().sum::<f32>() / racer.way.len().max(1) as f32
}

/// Draws a team; `more` is how many further teams are hidden, if it is the last one shown.
fn draw_racer<C>(ui: &mut Ui<'_, C>, place: Rect, racer: &Racer, more: Option<usize>) {
    let (head, bar) = place.cut_top(16.0);
    let middle = head.centre().y;
    let ink = if racer.out { theme::TEXT_FAINT } else { racer.look.color };
    emblem(ui.canvas, Point::new(head.x + 6.0, middle), 5.5, racer.look);
    let mut x = head.x + 16.0;
    if racer.leads {
        kit::crown(ui.canvas, Point::new(x + 6.0, middle), 6.0);
        x += 16.0;
    }
    let mut right = head.right();
    if racer.danger.is_some() {
        sign(ui.canvas, Point::new(right - 6.0, middle));
        right -= 16.0;
    }
    if let Some((left, of)) = racer.base.filter(|_| more.is_none()) {
        for nth in 0..of {
            let at = Point::new(right - 4.0 - 9.0 * (of - 1 - nth) as f32, middle);
            let color = if nth < left { theme::TEXT } else { theme::PANEL_LINE };
            ui.canvas.rect(Rect::around(at, 6.0, 8.0), color);
        }
        right -= 9.0 * of as f32 + gap::SMALL;
        // The battlements of a keep: the sign for the strength of a base.
        let keep = Point::new(right - 5.0, middle);
        ui.canvas.rect(Rect::around(keep + Point::new(0.0, 1.5), 10.0, 6.0), theme::TEXT_SOFT);
        for x in [-4.0, 0.0, 4.0] {
            ui.canvas.rect(Rect::around(keep + Point::new(x, -3.0), 2.0, 3.0), theme::TEXT_SOFT);
        }
        right -= 12.0 + gap::SMALL;
    }
    let soft = Style::strong(size::BODY, theme::TEXT);
    let more = more.map(|more| format!("+{more} more"));
    let warned = |danger: &'static str| racer.says.iter().map(move |says| format!("{danger} · {says}"));
    let name = ui.canvas.measure(&racer.name, Face::Strong, size::BODY);
    let room = right - x - gap::BODY;
    let fits =
        |words: &String| ui.canvas.measure(words, Face::Strong, size::BODY) + name.min(room * 0.5) <= room;
    let says = racer.danger.into_iter().flat_map(warned).chain(racer.says.iter().cloned());
    let says = more.into_iter().chain(says).find(fits);
    if let Some(says) = says {
        let drawn = ui.canvas.text(Point::new(right, middle), Anchor::Right, &says, soft);
        right = drawn.x - gap::BODY;
    }
    let (at, style) = (Point::new(x, middle), Style::strong(size::BODY, ink));
    kit::text(ui.canvas, at, Anchor::Left, right - x, &racer.name, style);
    let step = gap::SMALL / 2.0;
    let parts = racer.way.len().max(1) as f32;
    let wide = (bar.w - step * (parts - 1.0)) / parts;
    for (nth, share) in racer.way.iter().enumerate() {
        let part = Rect::new(bar.x + (wide + step) * nth as f32, bar.y + 1.0, wide, bar.h - 3.0);
        ui.canvas.round_rect(part, 3.0, theme::PANEL_RAISED);
        let filled = Rect { w: part.w * share.clamp(0.0, 1.0), ..part };
        if filled.w > 0.5 {
            ui.canvas.round_rect(filled, 3.0, ink.mix(theme::TEXT, 0.7 * racer.pulse));
        }
    }
    if racer.pulse > 0.0 {
        ui.canvas.outline(bar.inset(-1.0), 4.0, 1.5, theme::TEXT.alpha(racer.pulse));
    }
}

/// Draws the sign for danger: a triangle with an exclamation mark.
pub fn sign(canvas: &mut Canvas, at: Point) {
    let to = |x: f32, y: f32| at + Point::new(x, y);
    canvas.triangle(to(0.0, -6.0), to(6.5, 5.5), to(-6.5, 5.5), theme::BAD);
    canvas.rect(Rect::around(to(0.0, 0.5), 1.6, 5.0), theme::NIGHT);
    canvas.rect(Rect::around(to(0.0, 4.0), 1.6, 1.4), theme::NIGHT);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::panels::Hits;

    fn racer(name: &str, way: &[f32]) -> Racer {
        Racer {
            name: name.to_owned(),
            look: TeamLook::NEUTRAL,
            way: way.to_vec(),
            says: vec!["31 % of 50 %".to_owned(), "31 %".to_owned()],
            base: Some((2, 3)),
            leads: true,
            danger: Some("base in danger"),
            pulse: 0.5,
            out: false,
        }
    }

    /// What is written for these teams in a window of that size.
    fn written((width, high): (f32, f32), racers: &[Racer]) -> Vec<String> {
        let (mut canvas, mut hits) = (Canvas::new(), Hits::<()>::default());
        canvas.begin(width, high, 1.0);
        canvas.watch_text(true);
        let rect = Rect::new(0.0, 0.0, width, height((width, high), racers.len()));
        draw(&mut Ui { canvas: &mut canvas, hits: &mut hits, mouse: None }, rect, high, racers);
        assert!(canvas.runs().iter().all(|run| rect.encloses(run.rect, 1.5)), "{:?}", canvas.runs());
        canvas.runs().iter().map(|run| run.text.clone()).collect()
    }

    #[test]
    fn each_team_has_its_bar_also_on_a_phone_and_of_too_many_the_first_are_seen() {
        let two = [racer("red", &[0.5; 6]), racer("blue", &[0.2; 6])];
        let words = "base in danger · 31 % of 50 %";
        assert_eq!(written((1_280.0, 720.0), &two), [words, "red", words, "blue"]);
        let phone = written((390.0, 800.0), &two);
        assert!(phone.contains(&"red".to_owned()) && phone.contains(&"blue".to_owned()), "{phone:?}");
        let many: Vec<Racer> = (0..20).map(|n| racer(&format!("t{n}"), &[n as f32 / 20.0])).collect();
        let said = written((390.0, 800.0), &many);
        assert!(said.contains(&"t19".to_owned()) && said.contains(&"+16 more".to_owned()), "{said:?}");
        assert!(height((1_280.0, 720.0), 2) > 0.0 && height((100.0, 720.0), 2) == 0.0);
    }
}
