//! Numbers over time, as small multiples that share their time.
//!
//! Lines carry their team's mark and value at their end; the cursor is the view's tick. Must never draw more than a
//! point per two points of width and line. Tested in this module and in `tests.rs`.

use zappy_protocol::Tick;
use zappy_protocol::zappy::story::{Strength, TeamIndex};

use super::Ui;
use crate::ink::{Anchor, Color, Face, Point, Rect, Style};
use crate::panels::kit::{self, number};
use crate::panels::marks::emblem;
use crate::theme::{self, gap, size};
use crate::zappy::app::action::{Choice, Panel};
use crate::zappy::app::shown::Shown;
use crate::zappy::look::resource_color;
use crate::zappy::timeline::series::Sample;

/// Room for values at the left of a chart and for marks at its right, in points.
const MARGINS: (f32, f32) = (26.0, 44.0);
/// Lines in a chart at most; more teams are a tangle, the best are seen.
const LINES: usize = 8;

/// What a chart shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// The mean level of a team's living players.
    Level,
    /// A team's living players.
    Population,
    /// Food that a team's players carry.
    FoodInHand,
    /// Food that lies on the map.
    FoodOnGround,
}

impl Measure {
    const ALL: [Measure; 4] =
        [Measure::Level, Measure::Population, Measure::FoodInHand, Measure::FoodOnGround];

    fn title(self) -> &'static str {
        match self {
            Measure::Level => "Mean level",
            Measure::Population => "Players alive",
            Measure::FoodInHand => "Food in hand",
            Measure::FoodOnGround => "Food on the map",
        }
    }

    fn of(self, team: &Strength) -> f32 {
        match self {
            Measure::Level => mean_level(team),
            Measure::Population => team.alive() as f32,
            Measure::FoodInHand => team.food as f32,
            Measure::FoodOnGround => 0.0,
        }
    }
}

/// The mean level of the living; 0 if no player lives.
fn mean_level(team: &Strength) -> f32 {
    let sum: u32 = team.levels.iter().zip(1..).map(|(players, level)| players * level).sum();
    if team.alive() == 0 { 0.0 } else { sum as f32 / team.alive() as f32 }
}

/// One line of a chart.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// The team; `None` for what lies on the map.
    pub team: Option<TeamIndex>,
    /// Ticks and values.
    pub points: Vec<(Tick, f32)>,
}

/// The lines of a measure: no more than [`LINES`], those that end highest, of at most `many` points each.
#[must_use]
pub fn lines(samples: &[Sample], measure: Measure, teams: usize, many: usize) -> Vec<Line> {
    let every = samples.len().div_ceil(many.max(2)).max(1);
    let last = samples.len().saturating_sub(1);
    let end = samples.last().filter(|_| !last.is_multiple_of(every));
    let kept = || samples.iter().step_by(every).chain(end);
    if measure == Measure::FoodOnGround {
        let points = kept().map(|sample| (sample.tick, sample.food_on_ground as f32)).collect();
        return vec![Line { team: None, points }];
    }
    let line = |team: usize| {
        let of = |sample: &Sample| sample.teams.get(team).map_or(0.0, |strength| measure.of(strength));
        let points = kept().map(|sample| (sample.tick, of(sample))).collect();
        Line { team: Some(TeamIndex(team)), points }
    };
    let mut lines: Vec<Line> = (0..teams).map(line).collect();
    let end = |line: &Line| line.points.last().map_or(0.0, |point| point.1);
    lines.sort_by(|one, other| end(other).total_cmp(&end(one)));
    lines.truncate(LINES);
    lines
}

/// A round number at or above the value: 1, 2, 4 or 5 times a power of ten.
#[must_use]
pub fn round_up(value: f32) -> f32 {
    if !value.is_finite() || value <= 1.0 {
        return 1.0;
    }
    let power = 10_f32.powf(value.log10().floor());
    let steps = [1.0, 2.0, 4.0, 5.0, 8.0, 10.0];
    steps.into_iter().map(|step| step * power).find(|top| *top >= value * 0.999).unwrap_or(10.0 * power)
}

/// Draws it.
pub fn draw(ui: &mut Ui<'_>, rect: Rect, shown: &Shown<'_>) {
    let inner = kit::panel(ui.canvas, ui.hits, rect);
    let body = kit::heading(ui.canvas, inner, "Over time");
    kit::close(ui, inner, Choice::Toggle(Panel::Charts));
    let (columns, rows) = grid(body);
    let (across, down) = (gap::LARGE, gap::BODY);
    let wide = (body.w - across * (columns - 1) as f32) / columns as f32;
    let high = (body.h - down * (rows - 1) as f32) / rows as f32;
    for (place, measure) in Measure::ALL.into_iter().enumerate().take(columns * rows) {
        let (column, row) = ((place % columns) as f32, (place / columns) as f32);
        let at = Rect::new(body.x + (wide + across) * column, body.y + (high + down) * row, wide, high);
        draw_chart(ui, at, measure, shown);
    }
}

/// Columns and rows: four beside one another where they are not taller than wide.
fn grid(body: Rect) -> (usize, usize) {
    let quarter = body.w / 4.0;
    match () {
        () if quarter >= 160.0 && quarter >= body.h * 0.9 => (4, 1),
        () if body.w >= 300.0 && body.h >= 150.0 => (2, 2),
        () if body.w >= 300.0 => (2, 1),
        () => (1, 1),
    }
}

fn draw_chart(ui: &mut Ui<'_>, place: Rect, measure: Measure, shown: &Shown<'_>) {
    let (head, rest) = kit::cut_top(place, 18.0);
    kit::line(ui.canvas, head, measure.title(), Style::regular(size::SMALL, theme::TEXT_SOFT));
    let (foot, plot) = kit::cut_bottom(rest, 16.0);
    let plot = kit::cut_right(kit::cut_left(plot, MARGINS.0).1, MARGINS.1).1.inset_xy(0.0, 4.0);
    if plot.h < 20.0 || plot.w < 40.0 {
        return;
    }
    // A cast from a float saturates.
    let many = (plot.w / 2.0) as usize;
    let lines = lines(shown.chronicle.series().samples(), measure, shown.roster.teams().len(), many);
    let values = lines.iter().flat_map(|line| line.points.iter().map(|point| point.1));
    let top = round_up(values.fold(1.0, f32::max));
    let top = if measure == Measure::Level { 8.0 } else { top };
    let span = (shown.first, shown.last.max(shown.first + 1));
    let x_of = |tick: f64| {
        plot.x + plot.w * ((tick - span.0 as f64) / (span.1 - span.0) as f64).clamp(0.0, 1.0) as f32
    };
    draw_axes(ui, plot, foot, top, span);
    for line in lines.iter().rev() {
        let at = |&(tick, value): &(Tick, f32)| {
            Point::new(x_of(tick as f64), plot.bottom() - plot.h * value / top)
        };
        let points: Vec<Point> = line.points.iter().map(at).collect();
        let all_teams = resource_color(zappy_protocol::zappy::Resource::Food);
        let color = line.team.map_or(all_teams, |team| shown.look(Some(team)).color);
        ui.canvas.polyline(&points, 1.5, color);
    }
    let x = x_of(shown.time.tick);
    ui.canvas.rect(Rect::new(x - 0.5, plot.y - 3.0, 1.0, plot.h + 6.0), theme::ACCENT);
    draw_ends(ui, plot, &lines, top, shown);
    ui.hits.seek(plot.inset_xy(0.0, -4.0), span.0, span.1);
}

/// Few round ticks: nothing and the top at the left, the first and the last tick below.
fn draw_axes(ui: &mut Ui<'_>, plot: Rect, foot: Rect, top: f32, span: (Tick, Tick)) {
    let faint = Style::regular(size::SMALL, theme::TEXT_FAINT);
    let line = |ui: &mut Ui<'_>, y: f32, color: Color| {
        let line = ui.canvas.snap(Rect::new(plot.x, y, plot.w, 1.0));
        ui.canvas.rect(Rect::new(line.x, line.y, line.w, ui.canvas.hairline()), color);
    };
    line(ui, plot.y, theme::PANEL_LINE.alpha(0.6));
    line(ui, plot.centre().y, theme::PANEL_LINE.alpha(0.6));
    line(ui, plot.bottom(), theme::PANEL_LINE);
    let left = plot.x - gap::SMALL;
    let name = |value: f32| {
        if value >= 10_000.0 { format!("{}k", (value / 1000.0).round()) } else { format!("{value}") }
    };
    kit::text(ui.canvas, Point::new(left, plot.y), Anchor::Right, MARGINS.0, &name(top), faint);
    if plot.h > 44.0 && top >= 2.0 {
        kit::text(
            ui.canvas,
            Point::new(left, plot.centre().y),
            Anchor::Right,
            MARGINS.0,
            &name(top / 2.0),
            faint,
        );
    }
    kit::text(ui.canvas, Point::new(left, plot.bottom()), Anchor::Right, MARGINS.0, "0", faint);
    let step = time_step(span.1 - span.0);
    let mut free = plot.x - MARGINS.0;
    for tick in (span.0.div_ceil(step)..=span.1 / step).map(|nth| nth * step) {
        let x = plot.x + plot.w * ((tick - span.0) as f64 / (span.1 - span.0) as f64) as f32;
        let words = number(tick);
        let half = ui.canvas.measure(&words, Face::Regular, size::SMALL) / 2.0;
        if x - half < free || x + half > plot.right() + MARGINS.1 / 2.0 {
            continue;
        }
        ui.canvas.rect(Rect::new(x - 0.5, plot.bottom(), 1.0, 3.0), theme::PANEL_LINE);
        ui.canvas.text(Point::new(x, foot.centre().y + 1.0), Anchor::Centre, &words, faint);
        free = x + half + gap::BODY;
    }
}

/// Ticks between two labels of the time: a round number, about a third of the span.
#[must_use]
pub fn time_step(span: Tick) -> Tick {
    let third = (span / 3).max(1);
    let power = 10_u64.saturating_pow(third.ilog10());
    [5, 2, 1].into_iter().map(|step| power.saturating_mul(step)).find(|step| *step <= third).unwrap_or(1)
}

/// Each line's mark and value at its end, pushed apart.
fn draw_ends(ui: &mut Ui<'_>, plot: Rect, lines: &[Line], top: f32, shown: &Shown<'_>) {
    let step = ui.canvas.line_height(size::SMALL);
    // A cast from a float saturates.
    let fit = (((plot.h + 8.0) / step).floor().max(1.0)) as usize;
    let ends: Vec<(f32, &Line, f32)> = lines
        .iter()
        .filter_map(|line| {
            line.points.last().map(|point| (plot.bottom() - plot.h * point.1 / top, line, point.1))
        })
        .take(fit)
        .collect();
    let low = plot.bottom() + 4.0 - step / 2.0;
    for (place, &(_, line, value)) in apart(&ends, step, low).into_iter().zip(&ends) {
        let mark = Point::new(plot.right() + 9.0, place);
        if line.team.is_some() {
            emblem(ui.canvas, mark, 4.0, shown.look(line.team));
        }
        let words = if value.fract() == 0.0 { number(value as u64) } else { format!("{value:.1}") };
        let at = Point::new(plot.right() + if line.team.is_some() { 17.0 } else { 6.0 }, place);
        kit::text(
            ui.canvas,
            at,
            Anchor::Left,
            MARGINS.1 - 16.0,
            &words,
            Style::regular(size::SMALL, theme::TEXT),
        );
    }
}

/// Heights at least a step apart, in the order given, the last no lower than `low`.
fn apart(ends: &[(f32, &Line, f32)], step: f32, low: f32) -> Vec<f32> {
    let mut places: Vec<f32> = ends.iter().map(|end| end.0).collect();
    for place in 1..places.len() {
        places[place] = places[place].max(places[place - 1] + step);
    }
    let mut limit = low;
    for place in places.iter_mut().rev() {
        *place = place.min(limit);
        limit = *place - step;
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_end_at_round_numbers() {
        let rounded: Vec<f32> = [0.0, 1.0, 3.0, 7.0, 12.0, 41.0, 99.0, 800.0].map(round_up).to_vec();
        assert_eq!(rounded, [1.0, 1.0, 4.0, 8.0, 20.0, 50.0, 100.0, 800.0]);
        assert_eq!(round_up(f32::NAN), 1.0);
    }

    #[test]
    fn lines_are_thinned_and_keep_their_end() {
        let standing = |food| Strength { food, levels: [1, 0, 1, 0, 0, 0, 0, 0], eggs: 0 };
        let sample =
            |tick: Tick| Sample { tick, teams: vec![standing(3), standing(tick as u32)], food_on_ground: 9 };
        let samples: Vec<Sample> = (0..1_000).map(sample).collect();
        let found = lines(&samples, Measure::FoodInHand, 2, 100);
        assert_eq!(found[0].team, Some(TeamIndex(1)), "the highest at the end comes first");
        assert!(found[0].points.len() <= 102);
        assert_eq!(found[0].points.last(), Some(&(999, 999.0)));
        assert_eq!(lines(&samples, Measure::Level, 2, 10)[0].points[0].1, 2.0);
        assert_eq!(lines(&samples, Measure::Population, 30, 10).len(), LINES);
        assert_eq!(lines(&[], Measure::FoodOnGround, 0, 0)[0].points, []);
    }

    #[test]
    fn time_is_labelled_at_round_ticks() {
        assert_eq!([0, 1, 10, 2_600, 3_100, 90_000].map(time_step), [1, 1, 2, 500, 1_000, 20_000]);
        assert!(time_step(u64::MAX) > 0);
    }

    #[test]
    fn labels_stand_apart() {
        let line = Line { team: None, points: Vec::new() };
        let ends = [(10.0, &line, 0.0), (11.0, &line, 0.0), (50.0, &line, 0.0), (50.0, &line, 0.0)];
        let places = apart(&ends, 14.0, 60.0);
        assert!(places.windows(2).all(|pair| pair[1] - pair[0] >= 13.99), "{places:?}");
        assert!(places[3] <= 60.0);
    }
}
