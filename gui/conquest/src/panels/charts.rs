//! What the factions had, over the turns.

use zappy_protocol::conquest::Holdings;

use super::super::story::Sample;
use super::super::view::Shown;
use super::Ui;
use zappy_observer::ink::Rect;
use zappy_observer::panels::charts::{self, Charts, highest, time_step};
use zappy_observer::theme;

/// What a chart shows of a faction.
type Measure = fn(&Sample, usize) -> f32;

const TITLES: [&str; 7] = ["Score", "Land", "Gold", "Population", "Upkeep", "Kills", "Made by cities"];
const MEASURES: [Measure; TITLES.len()] = [
    |sample, faction| has(sample, faction).score as f32,
    |sample, faction| has(sample, faction).land as f32,
    |sample, faction| has(sample, faction).gold as f32,
    |sample, faction| has(sample, faction).population as f32,
    |sample, faction| has(sample, faction).upkeep as f32,
    |sample, faction| has(sample, faction).kills as f32,
    |sample, faction| sample.made.get(faction).map_or(0.0, |made| *made as f32),
];

fn has(sample: &Sample, faction: usize) -> Holdings {
    sample.factions.get(faction).copied().unwrap_or_default()
}

pub fn draw(ui: &mut Ui<'_>, rect: Rect, shown: &Shown<'_>) {
    let (samples, factions) = (&shown.story.samples, shown.story.names.len());
    // At the moment shown it is what all other panels count.
    let now = Sample::of(shown.tick().min(shown.range.1), &shown.state.mirror);
    let lines = |chart: usize, many: usize| {
        let line = |faction: usize| {
            let point = |sample: &Sample| (sample.tick, MEASURES[chart](sample, faction));
            charts::line((samples, Some(&now)), many, Some(faction), point)
        };
        highest((0..factions).map(line).collect())
    };
    let cities = shown.state.mirror.options.as_ref().is_some_and(|options| options.cities);
    let last = shown.story.turns().next_back().map_or(1, |(_, turn)| turn);
    let step = u32::try_from(time_step(u64::from(last))).unwrap_or(1);
    let round = shown.story.turns().filter(|(_, turn)| turn % step == 0);
    let charts = Charts {
        titles: &TITLES.map(|title| (title, None))[..TITLES.len() - usize::from(!cities)],
        lines: &lines,
        looks: shown.looks,
        color: theme::TEXT,
        span: (shown.range.0, shown.range.1.max(shown.range.0 + 1)),
        now: shown.time.tick,
        labels: &round.map(|(tick, turn)| (tick, turn.to_string())).collect::<Vec<_>>(),
    };
    charts::draw(ui, rect, "Over the turns", &charts);
}
