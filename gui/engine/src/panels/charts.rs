//! Numbers over time: small charts side by side over the same span of time.
//!
//! At its right a line has its team's mark and its value at the moment shown, which a cursor marks. Must never draw
//! more than one value for each two points of a line's width. Tested in this module and with the panels of the games.

use zappy_protocol::Tick;

use super::kit::{self, Ui, signed};
use super::marks::emblem;
use crate::app::action::{Choice, Panel};
use crate::ink::{Anchor, Color, Face, Point, Rect, Style};
use crate::theme::{self, TeamLook, gap, size};

/// Room in points: at the left of a chart for values, at least, and at its right for marks.
const MARGINS: (f32, f32) = (22.0, 44.0);
/// Lines in a chart at most: as many as teams have looks of their own.
pub const LINES: usize = 24;

/// One line of a chart.
#[derive(Debug, Clone, PartialEq)]
pub struct ChartLine {
    /// The team's index in the list of looks; `None` for what belongs to no team.
    pub team: Option<usize>,
    /// Ticks and values, in the order of the ticks.
    pub points: Vec<(Tick, f32)>,
}

impl ChartLine {
    /// The last value up to that moment, or else the first one after it; `None` without any.
    fn at(&self, now: f64) -> Option<f32> {
        let after = self.points.partition_point(|(tick, _)| *tick as f64 <= now);
        self.points.get(after.saturating_sub(1)).map(|(_, value)| *value)
    }

    /// Sets the value at a tick, in place of a sample's if there is one.
    fn put(&mut self, tick: Tick, value: f32) {
        let at = self.points.partition_point(|(known, _)| *known < tick);
        match self.points.get_mut(at).filter(|(known, _)| *known == tick) {
            Some(point) => point.1 = value,
            None => self.points.insert(at, (tick, value)),
        }
    }
}

/// The contents of the panel.
pub struct Charts<'a> {
    /// For each chart its title and the value of its upper edge; `None`: a round number above its values.
    pub titles: &'a [(&'static str, Option<f32>)],
    /// The lines of a chart, by its index; each has about as many points as the second number.
    pub lines: &'a dyn Fn(usize, usize) -> Vec<ChartLine>,
    pub looks: &'a [TeamLook],
    /// The colour of what belongs to no team.
    pub color: Color,
    /// The first and the last tick.
    pub span: (Tick, Tick),
    /// The moment shown, in ticks.
    pub now: f64,
    /// Ticks that are named below the charts, in increasing order, with their names.
    pub labels: &'a [(Tick, String)],
}

/// The line of a team through about `max_points` of the samples, and through the sample `now` of the moment shown;
/// `point` gives tick and value of a sample.
pub fn line<S>(
    (samples, now): (&[S], Option<&S>),
    max_points: usize,
    team: Option<usize>,
    point: impl Fn(&S) -> (Tick, f32),
) -> ChartLine {
    // Of many samples only each `every`th is drawn, and always the last one.
    let every = samples.len().div_ceil(max_points.max(2)).max(1);
    let last = samples.last().filter(|_| !(samples.len() - 1).is_multiple_of(every));
    let points = samples.iter().step_by(every).chain(last).map(&point).collect();
    let mut line = ChartLine { team, points };
    if let Some((tick, value)) = now.map(point) {
        line.put(tick, value);
    }
    line
}

/// The [`LINES`] lines that end highest, the highest first.
pub fn highest(mut lines: Vec<ChartLine>) -> Vec<ChartLine> {
    let end = |line: &ChartLine| line.points.last().map_or(0.0, |point| point.1);
    lines.sort_by(|one, other| end(other).total_cmp(&end(one)));
    lines.truncate(LINES);
    lines
}

/// Draws the charts side by side in a panel.
pub fn draw<S: Copy, O: Copy>(ui: &mut Ui<'_, Choice<S, O>>, rect: Rect, title: &str, charts: &Charts<'_>) {
    let inner = kit::panel(ui.canvas, ui.hits, rect);
    let body = kit::heading(ui.canvas, inner, title);
    kit::close(ui, inner, Choice::Toggle(Panel::Charts));
    draw_all(ui, body, charts);
}

fn draw_all<C>(ui: &mut Ui<'_, C>, body: Rect, charts: &Charts<'_>) {
    let (columns, rows) = grid(body, charts.titles.len());
    let (across, down) = (gap::LARGE, gap::BODY);
    let wide = (body.w - across * (columns - 1) as f32) / columns as f32;
    let high = (body.h - down * (rows - 1) as f32) / rows as f32;
    for place in 0..charts.titles.len().min(columns * rows) {
        let (column, row) = ((place % columns) as f32, (place / columns) as f32);
        let at = Rect::new(body.x + (wide + across) * column, body.y + (high + down) * row, wide, high);
        draw_chart(ui, at, place, charts);
    }
}

/// Columns and rows for `count` charts: one row if each is then about as wide as it is high. In a small panel some
/// charts have no place.
fn grid(body: Rect, count: usize) -> (usize, usize) {
    let (each, half) = (body.w / count as f32, count.div_ceil(2));
    match (body.w >= 300.0, body.h >= 150.0) {
        _ if each >= 160.0 && each >= body.h * 0.9 => (count, 1),
        (_, true) if body.w >= 150.0 * half as f32 => (half, 2),
        (true, true) => (2, 2),
        (true, false) => (2, 1),
        (false, _) => (1, 1),
    }
}

fn draw_chart<C>(ui: &mut Ui<'_, C>, place: Rect, chart: usize, charts: &Charts<'_>) {
    let (title, top) = charts.titles[chart];
    let (head, rest) = place.cut_top(18.0);
    kit::line(ui.canvas, head, title, Style::regular(size::SMALL, theme::TEXT_SOFT));
    let (foot, body) = rest.cut_bottom(16.0);
    // The cast saturates.
    let lines = (charts.lines)(chart, (body.w / 2.0) as usize);
    let values = || lines.iter().flat_map(|line| line.points.iter().map(|point| point.1));
    let top = top.unwrap_or_else(|| round_up(values().fold(1.0, f32::max)));
    let lowest = values().fold(0.0, f32::min);
    let low = if lowest < 0.0 { -round_up(-lowest) } else { 0.0 };
    let names = axis(body.h, (low, top));
    let wide = |words: &String| ui.canvas.measure(words, Face::Regular, size::SMALL);
    let margin = names.iter().map(|(_, words)| wide(words) + gap::SMALL + 2.0).fold(MARGINS.0, f32::max);
    let plot = body.cut_left(margin).1.cut_right(MARGINS.1).1.inset_xy(0.0, 4.0);
    if plot.h < 20.0 || plot.w < 40.0 {
        return;
    }
    let y_of = |value: f32| plot.bottom() - plot.h * (value - low) / (top - low);
    let span = (charts.span.0, charts.span.1.max(charts.span.0 + 1));
    let share = |tick: f64| ((tick - span.0 as f64) / (span.1 - span.0) as f64) as f32;
    let x_of = |tick: f64| plot.x + plot.w * share(tick).clamp(0.0, 1.0);
    // Horizontal lines, and the values at the left.
    for (y, alpha) in [(plot.y, 0.6), (plot.centre().y, 0.6), (plot.bottom(), 1.0)] {
        let line = ui.canvas.snap(Rect::new(plot.x, y, plot.w, 1.0));
        let line = Rect { h: ui.canvas.hairline(), ..line };
        ui.canvas.rect(line, theme::PANEL_LINE.alpha(alpha));
    }
    for (share, words) in &names {
        let at = Point::new(plot.x - gap::SMALL, plot.bottom() - plot.h * share);
        ui.canvas.text(at, Anchor::Right, words, Style::regular(size::SMALL, theme::TEXT_FAINT));
    }
    let labels = charts.labels.iter().map(|(tick, name)| (plot.x + plot.w * share(*tick as f64), name));
    draw_time(ui, plot, foot, labels);
    for line in lines.iter().rev() {
        let at = |&(tick, value): &(Tick, f32)| Point::new(x_of(tick as f64), y_of(value));
        let points: Vec<Point> = line.points.iter().map(at).collect();
        let look = line.team.and_then(|team| charts.looks.get(team));
        let color = look.map_or(charts.color, |look| look.color);
        // The part after the moment shown is fainter: the values at the right are those of the moment.
        let shown = line.points.partition_point(|(tick, _)| *tick as f64 <= charts.now);
        ui.canvas.polyline(&points[shown.saturating_sub(1)..], 1.5, color.alpha(0.35));
        ui.canvas.polyline(&points[..shown], 1.5, color);
        if let Some(point) = points[..shown].last() {
            ui.canvas.circle(*point, 2.5, color);
        }
    }
    let x = x_of(charts.now);
    ui.canvas.rect(Rect::new(x - 0.5, plot.y - 3.0, 1.0, plot.h + 6.0), theme::ACCENT);
    let now = |line: &ChartLine| line.at(charts.now);
    let ends = lines.iter().filter_map(|line| now(line).map(|value| (y_of(value), line, value)));
    draw_ends(ui, plot, ends.collect(), charts.looks);
    ui.hits.seek(plot.inset_xy(0.0, -4.0), span.0, span.1);
}

/// A value in thousands, such as `1.4k`; from ten thousand on without a decimal place, as there is no room for more
/// digits.
fn thousands(value: f32) -> String {
    let places = if value.abs() < 10_000.0 { 10.0 } else { 1.0 };
    format!("{}k", (value * places / 1_000.0).round() / places)
}

/// The values at the axis of a chart of that height in points: the lowest, the middle if there is room, and the
/// highest; each with its share of the height, from the bottom.
fn axis(height: f32, (low, top): (f32, f32)) -> Vec<(f32, String)> {
    let name = |share: f32| {
        let value = low + (top - low) * share;
        (share, if value.abs() >= 1_000.0 { thousands(value) } else { format!("{value}") })
    };
    let middle = (height > 52.0 && top - low >= 2.0).then_some(0.5);
    [Some(1.0), middle, Some(0.0)].into_iter().flatten().map(name).collect()
}

/// Draws the labels below a chart, each with its x; one that would touch the label before it is left out.
fn draw_time<'a, C>(
    ui: &mut Ui<'_, C>,
    plot: Rect,
    foot: Rect,
    labels: impl Iterator<Item = (f32, &'a String)>,
) {
    let mut free_from = foot.x;
    for (x, words) in labels {
        let half = ui.canvas.measure(words, Face::Regular, size::SMALL) / 2.0;
        if x - half < free_from || x + half > plot.right() + MARGINS.1 / 2.0 {
            continue;
        }
        ui.canvas.rect(Rect::new(x - 0.5, plot.bottom(), 1.0, 3.0), theme::PANEL_LINE);
        let at = Point::new(x, foot.centre().y + 1.0);
        ui.canvas.text(at, Anchor::Centre, words, Style::regular(size::SMALL, theme::TEXT_FAINT));
        free_from = x + half + gap::BODY;
    }
}

/// A round number at or above the value: 1, 2, 4, 5 or 8 times a power of ten; at least 1.
pub fn round_up(value: f32) -> f32 {
    if !value.is_finite() || value <= 1.0 {
        return 1.0;
    }
    let power = 10_f32.powf(value.log10().floor());
    let steps = [1.0, 2.0, 4.0, 5.0, 8.0, 10.0];
    steps.into_iter().map(|step| step * power).find(|top| *top >= value * 0.999).unwrap_or(10.0 * power)
}

/// The distance between two labels of a span of time: a round number of at most a third of it.
pub fn time_step(span: u64) -> u64 {
    let third = (span / 3).max(1);
    let power = 10_u64.saturating_pow(third.ilog10());
    [5, 2, 1].into_iter().map(|step| power.saturating_mul(step)).find(|step| *step <= third).unwrap_or(1)
}

/// Draws each line's mark and value at the moment shown, the highest value first, pushed apart. `ends` are the y of a
/// value, its line and the value.
fn draw_ends<C>(ui: &mut Ui<'_, C>, plot: Rect, mut ends: Vec<(f32, &ChartLine, f32)>, looks: &[TeamLook]) {
    ends.sort_by(|one, other| other.2.total_cmp(&one.2));
    let step = ui.canvas.line_height(size::SMALL);
    // The cast saturates.
    let room = (((plot.h + 8.0) / step).floor().max(1.0)) as usize;
    let mut low = plot.bottom() + 4.0 - step / 2.0;
    if ends.len() > room {
        let named = room.max(2) - 1;
        let more = format!("+{}", ends.len() - named);
        let at = Point::new(plot.right() + 6.0, low);
        ui.canvas.text(at, Anchor::Left, &more, Style::regular(size::SMALL, theme::TEXT_FAINT));
        ends.truncate(named);
        low -= step;
    }
    let (style, room) = (Style::regular(size::SMALL, theme::TEXT), MARGINS.1 - 16.0);
    for (place, &(_, line, value)) in apart(&ends, step, low).into_iter().zip(&ends) {
        let mut at = Point::new(plot.right() + 6.0, place);
        if let Some(look) = line.team.and_then(|team| looks.get(team)) {
            emblem(ui.canvas, Point::new(plot.right() + 9.0, place), 4.0, *look);
            at.x = plot.right() + 17.0;
        }
        let whole = value < 0.0 || value.fract() == 0.0;
        let words = if whole { signed(value as i64) } else { format!("{value:.1}") };
        let fits = ui.canvas.measure(&words, Face::Regular, size::SMALL) <= room;
        let words = if fits { words } else { thousands(value) };
        kit::text(ui.canvas, at, Anchor::Left, room, &words, style);
    }
}

/// The y of each of the ends, moved so that two are at least `step` apart, in the order given, and the last is at most
/// `low`.
fn apart(ends: &[(f32, &ChartLine, f32)], step: f32, low: f32) -> Vec<f32> {
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
    fn time_is_labelled_at_round_ticks() {
        assert_eq!([0, 1, 10, 2_600, 3_100, 90_000].map(time_step), [1, 1, 2, 500, 1_000, 20_000]);
        assert!(time_step(u64::MAX) > 0);
    }

    #[test]
    fn values_at_the_axis_are_whole_and_all_lines_are_drawn_or_counted() {
        let mut canvas = crate::ink::Canvas::new();
        let looks = TeamLook::of_all(
            &(0..20)
                .map(|n| zappy_protocol::TeamName::parse(format!("t{n}").as_bytes()).unwrap())
                .collect::<Vec<_>>(),
        );
        let line = |team: usize| ChartLine {
            team: Some(team),
            points: vec![(0, 0.0), (900, 250_000.0 - team as f32)],
        };
        let charts = Charts {
            titles: &[("Gold", None)],
            lines: &|_, _| highest((0..20).map(line).collect()),
            looks: &looks,
            color: theme::TEXT,
            span: (0, 900),
            now: 900.0,
            labels: &[],
        };
        for height in [90.0, 140.0, 400.0] {
            canvas.begin(300.0, 400.0, 1.0);
            canvas.watch_text(true);
            let (mut hits, body) = (crate::panels::Hits::<()>::default(), Rect::new(0.0, 0.0, 300.0, height));
            draw_all(&mut Ui { canvas: &mut canvas, hits: &mut hits, mouse: None }, body, &charts);
            let runs = canvas.runs();
            assert!(runs.iter().all(|run| !run.truncated && body.encloses(run.rect, 1.5)), "{runs:?}");
            assert!(runs.iter().any(|run| run.text == "400k"), "{runs:?}");
            let named = runs.iter().filter(|run| run.text == "250k" || run.text == "249k").count();
            let more = runs.iter().find_map(|run| run.text.strip_prefix('+')?.parse::<usize>().ok());
            assert_eq!(named + more.unwrap_or(0), 20, "{height}: {runs:?}");
            for look in &looks {
                let drawn = canvas.vertices().iter().any(|vertex| vertex.color == look.color.0);
                assert!(drawn, "{look:?} has no line");
            }
        }
    }

    #[test]
    fn values_that_are_left_out_are_counted() {
        let counted = |value: fn(usize) -> f32| {
            let (mut canvas, mut hits) = (crate::ink::Canvas::new(), crate::panels::Hits::<()>::default());
            canvas.begin(300.0, 200.0, 1.0);
            canvas.watch_text(true);
            let lines: Vec<ChartLine> =
                (0..20).map(|_| ChartLine { team: None, points: Vec::new() }).collect();
            let ends = lines.iter().enumerate().map(|(n, line)| (50.0 - value(n), line, value(n))).collect();
            let mut ui = Ui { canvas: &mut canvas, hits: &mut hits, mouse: None };
            draw_ends(&mut ui, Rect::new(0.0, 0.0, 200.0, 60.0), ends, &[]);
            let words = canvas.runs().iter().map(|run| run.text.clone());
            words.filter(|words| words.contains('+')).collect::<Vec<_>>()
        };
        let (same, rising) = (counted(|_| 1.0), counted(|n| n as f32));
        assert!(same.len() == 1 && same[0].starts_with('+'), "they may be even: {same:?}");
        assert_eq!(same, rising);
    }

    #[test]
    fn a_line_is_read_at_the_moment_shown() {
        let line = ChartLine { team: None, points: vec![(10, 1.0), (20, 2.0), (30, 9.0)] };
        assert_eq!(
            [0.0, 10.0, 29.9, 30.0, 99.0].map(|now| line.at(now)),
            [1.0, 1.0, 2.0, 9.0, 9.0].map(Some)
        );
        assert_eq!(ChartLine { team: None, points: Vec::new() }.at(5.0), None);
    }

    #[test]
    fn the_value_of_the_moment_shown_isnt_that_of_a_sample_beside_it() {
        let mut line = ChartLine { team: None, points: vec![(10, 1.0), (20, 2.0), (30, 9.0)] };
        line.put(25, 4.0);
        line.put(30, 8.0);
        assert_eq!([24.9, 25.0, 29.0, 30.0].map(|now| line.at(now)), [2.0, 4.0, 4.0, 8.0].map(Some));
    }

    #[test]
    fn values_stand_in_the_order_of_the_moment_shown() {
        let mut canvas = crate::ink::Canvas::new();
        canvas.begin(300.0, 200.0, 1.0);
        canvas.watch_text(true);
        let mut hits = crate::panels::Hits::<()>::default();
        let line = |team: usize, now: f32, end: f32| ChartLine {
            team: Some(team),
            points: vec![(0, now), (90, end)],
        };
        let charts = Charts {
            titles: &[("Gold", None)],
            lines: &|_, _| highest(vec![line(0, 30.0, 90.0), line(1, 60.0, 50.0)]),
            looks: &[],
            color: theme::TEXT,
            span: (0, 90),
            now: 10.0,
            labels: &[],
        };
        draw_all(
            &mut Ui { canvas: &mut canvas, hits: &mut hits, mouse: None },
            Rect::new(0.0, 0.0, 300.0, 200.0),
            &charts,
        );
        let y = |text: &str| canvas.runs().iter().find(|run| run.text == text).unwrap().rect.y;
        assert!(y("60") < y("30"));
    }

    #[test]
    fn thousands_have_few_digits() {
        assert_eq!(
            [1_000.0, 1_440.0, -2_500.0, 16_940.0, 250_000.0].map(thousands),
            ["1k", "1.4k", "-2.5k", "17k", "250k"]
        );
    }

    #[test]
    fn labels_stand_apart() {
        let line = ChartLine { team: None, points: Vec::new() };
        let ends = [(10.0, &line, 0.0), (11.0, &line, 0.0), (50.0, &line, 0.0), (50.0, &line, 0.0)];
        let places = apart(&ends, 14.0, 60.0);
        assert!(places.windows(2).all(|pair| pair[1] - pair[0] >= 13.99), "{places:?}");
        assert!(places[3] <= 60.0);
    }
}
