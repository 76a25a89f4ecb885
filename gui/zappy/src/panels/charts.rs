//! A team's levels, players and food over time. Tested in this module and in `tests.rs`.

use zappy_protocol::text::clock;
use zappy_protocol::zappy::Resource;

use super::Ui;
use crate::draw::resource_color;
use crate::timeline::series::Sample;
use crate::view::{Shown, known_until, span};
use zappy_observer::ink::Rect;
use zappy_observer::panels::charts::{self, ChartLine, Charts, highest, time_step};

/// The value of a team, by its number, that a chart shows of a sample.
type Measure = fn(&Sample, usize) -> f32;

const TITLES: [(&str, Option<f32>); 4] =
    [("Mean level", Some(8.0)), ("Players alive", None), ("Food in hand", None), ("Food on the map", None)];
const MEASURES: [Measure; TITLES.len()] = [
    // The mean of the living; 0 if no player lives.
    |sample, team| {
        sample.teams.get(team).filter(|team| team.alive() > 0).map_or(0.0, |team| {
            let sum: u32 = team.levels.iter().zip(1..).map(|(players, level)| players * level).sum();
            sum as f32 / team.alive() as f32
        })
    },
    |sample, team| sample.teams.get(team).map_or(0.0, |team| team.alive() as f32),
    |sample, team| sample.teams.get(team).map_or(0.0, |team| team.food as f32),
    |sample, _| sample.food_on_ground as f32,
];
/// The chart that belongs to no team.
const ON_THE_MAP: usize = 3;

/// The lines of a chart, those that end highest, of at most `many` points each, and one of the moment shown.
fn lines(
    (samples, now): (&[Sample], Option<&Sample>),
    chart: usize,
    teams: usize,
    many: usize,
) -> Vec<ChartLine> {
    let line = |team: Option<usize>| {
        let point = |sample: &Sample| (sample.tick, MEASURES[chart](sample, team.unwrap_or(0)));
        charts::line((samples, now), many, team, point)
    };
    match chart {
        ON_THE_MAP => vec![line(None)],
        _ => highest((0..teams).map(|team| line(Some(team))).collect()),
    }
}

pub fn draw(ui: &mut Ui<'_>, rect: Rect, shown: &Shown<'_>) {
    let (first, last) = span(shown);
    let span = (first, last.max(first + 1));
    let step = time_step(span.1 - span.0);
    let rate = shown.story.chronicle.rate();
    let ticks = (span.0.div_ceil(step)..=span.1 / step).map(|nth| nth * step);
    let (samples, teams) = (&shown.story.chronicle.series.samples, shown.story.roster.teams().len());
    let samples = &samples[..samples.partition_point(|sample| sample.tick <= known_until(shown))];
    // The lines end with the moment shown, which all other panels count as well.
    let now = Sample::of(shown.tick().min(span.1), shown.state.mirror(), &shown.story.roster);
    let charts = Charts {
        titles: &TITLES,
        lines: &|chart, many| lines((samples, Some(&now)), chart, teams, many),
        looks: shown.looks,
        color: resource_color(Resource::Food),
        span,
        now: shown.time.tick,
        labels: &ticks.map(|tick| (tick, clock(tick, rate))).collect::<Vec<_>>(),
    };
    charts::draw(ui, rect, "Over time", &charts);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::panels::testing::ScriptedMatch;
    use zappy_observer::panels::charts::LINES;
    use zappy_observer::panels::kit::number;
    use zappy_protocol::Tick;
    use zappy_protocol::zappy::story::Strength;
    use zappy_protocol::zappy::story::strengths;

    #[test]
    fn lines_are_thinned_and_keep_their_end() {
        let standing = |food| Strength { food, levels: [1, 0, 1, 0, 0, 0, 0, 0], eggs: 0 };
        let sample =
            |tick: Tick| Sample { tick, teams: vec![standing(3), standing(tick as u32)], food_on_ground: 9 };
        let samples: Vec<Sample> = (0..1_000).map(sample).collect();
        let found = lines((&samples, None), 2, 2, 100);
        assert_eq!(found[0].team, Some(1), "the highest at the end comes first");
        assert!(found[0].points.len() <= 102);
        assert_eq!(found[0].points.last(), Some(&(999, 999.0)));
        assert_eq!(lines((&samples, None), 0, 2, 10)[0].points[0].1, 2.0);
        assert_eq!(lines((&samples, None), 1, 30, 10).len(), LINES);
        assert_eq!(lines((&[], None), ON_THE_MAP, 0, 0)[0].points, []);
    }

    #[test]
    fn charts_and_scoreboard_count_the_same_food() {
        let scene = ScriptedMatch::of(&[
            "0 msz 9 9",
            "0 tna red",
            "0 ppo #9 0 0 1",
            "5 pnw #0 1 1 1 1 red",
            "5 pin #0 1 1 9 0 0 0 0 0 0",
            "20 pin #0 1 1 8 0 0 0 0 0 0",
            "27 pin #0 1 1 7 0 0 0 0 0 0",
            "60 ppo #0 1 1 2",
        ]);
        for tick in [20.0, 26.0, 30.0] {
            let said = scene.show(tick, |shown| {
                let mut canvas = zappy_observer::ink::Canvas::new();
                canvas.begin(700.0, 240.0, 1.0);
                canvas.watch_text(true);
                let mut hits = zappy_observer::panels::Hits::default();
                let mut ui = Ui { canvas: &mut canvas, hits: &mut hits, mouse: None };
                draw(&mut ui, Rect::new(0.0, 0.0, 700.0, 240.0), shown);
                let food = strengths(shown.state.mirror(), &shown.story.roster)[0].food;
                let said: Vec<String> = canvas.runs().iter().map(|run| run.text.clone()).collect();
                (number(food), said)
            });
            assert!(said.1.contains(&said.0), "{tick}: {said:?}");
        }
    }
}
