//! How the factions stand: in rows by rank, with the order in which they act; in the race, by how near each is to
//! winning; and in charts over the turns.
//!
//! Rows become lower with more factions, and at last the lowest ranks are only counted. Tested in `tests/conquest/`.

use zappy_protocol::conquest::constants::{DOMINION_NEED, DOMINION_TURNS, SIEGE_STRENGTH};
use zappy_protocol::conquest::mirror::MirrorFaction;
use zappy_protocol::conquest::{FactionId, Holdings};

use super::super::state::{IncidentKind, TURN};
use super::super::story::{Sample, acting, crowned, ranked, threatened};
use super::super::view::{Choice, Selection, Shown};
use super::Ui;
use zappy_observer::ink::{Anchor, Face, Point, Rect, Style};
use zappy_observer::panels::charts::{self, Charts, highest, time_step};
use zappy_observer::panels::kit::{self, count, number, signed};
use zappy_observer::panels::marks::emblem;
use zappy_observer::panels::race::{Racer, pulse};
use zappy_observer::panels::ranks::{self, Rows};
use zappy_observer::theme::{self, gap, size};

/// Heights of a row, from the roomiest to the tightest, in points.
pub const ROWS: Rows = Rows(&[64.0, 46.0, 23.0, 18.0]);

/// `1st`, `2nd` and so on.
fn ordinal(number: usize) -> String {
    let ending = match (number % 10, number % 100) {
        (1, hundred) if hundred != 11 => "st",
        (2, hundred) if hundred != 12 => "nd",
        (3, hundred) if hundred != 13 => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}

/// How a match is won, by its rules: in full, and in short for where that has no room.
fn rule(shown: &Shown<'_>) -> [String; 2] {
    match shown.state.mirror.dominion.as_ref().map(|dominion| dominion.need) {
        Some(need) => {
            let sinks = if need < DOMINION_NEED { " (sinking)" } else { "" };
            [
                format!(
                    "Last base standing, {need} % of the land{sinks} for {DOMINION_TURNS} turns, or best score"
                ),
                format!("Last base, {need} %{sinks} for {DOMINION_TURNS} turns, or score"),
            ]
        }
        None => ["Last base standing, or best score", "Last base, or best score"].map(str::to_owned),
    }
}

pub fn draw(ui: &mut Ui<'_>, rect: Rect, shown: &Shown<'_>) {
    let (_, rest) = ranks::draw_head(ui, rect, "Factions", &rule(shown));
    let ranked = ranked(&shown.state.mirror);
    let rows = (&ranked[..], ("more faction", "more factions"));
    ranks::draw(ui, (rect, rest), (ROWS, shown.view.board_at), rows, |ui, place, faction| {
        draw_row(ui, place, *faction, shown);
    });
}

fn draw_row(ui: &mut Ui<'_>, place: Rect, faction: FactionId, shown: &Shown<'_>) {
    let mirror = &shown.state.mirror;
    let Some(known) = mirror.factions.get(faction.index()) else { return };
    let (has, look) = (&known.holdings, shown.look(Some(faction)));
    let selection = Selection::Faction(faction);
    let chosen = shown.view.selection == Some(selection);
    let hint = "What it has, and its lost orders";
    kit::row(ui, place.inset_xy(-6.0, 1.0), chosen, Choice::Select(selection), hint);
    let (head, rest) = place.inset_xy(0.0, 2.0).cut_top(if place.h < 30.0 { place.h } else { 24.0 });
    let middle = head.centre().y;
    emblem(ui.canvas, Point::new(head.x + 8.0, middle), 8.0, look);
    let large = if place.h < 30.0 { size::BODY } else { size::LARGE };
    let score = Style::strong(large, theme::TEXT);
    let drawn = kit::line_right(ui.canvas, head, &signed(has.score), score);
    let mut x = head.x + 24.0;
    if crowned(mirror) == Some(faction) {
        kit::crown(ui.canvas, Point::new(x + 6.0, middle), 6.5);
        x += 19.0;
    }
    let room = drawn.x - x - gap::BODY;
    let ink = if known.alive { look.color } else { theme::TEXT_FAINT };
    let (at, style) = (Point::new(x, middle), Style::strong(large, ink));
    let name = kit::text(ui.canvas, at, Anchor::Left, room, known.name.as_str(), style);
    let acting = acting(mirror);
    let turn = acting.iter().position(|acting| *acting == faction);
    let says = match (known.alive, turn) {
        (false, _) => "beaten".to_owned(),
        (true, Some(nth)) if acting.len() > 1 => format!("{} to move", ordinal(nth + 1)),
        (true, Some(_)) => "moves now".to_owned(),
        (true, None) => String::new(),
    };
    let faint = Style::regular(size::SMALL, theme::TEXT_FAINT);
    if ui.canvas.measure(&says, Face::Regular, size::SMALL) + gap::BODY <= drawn.x - name.right() - gap::BODY
    {
        kit::text(ui.canvas, Point::new(drawn.x - gap::BODY, middle), Anchor::Right, 90.0, &says, faint);
    }
    // A beaten faction can't use what it had.
    if rest.h < 16.0 || !known.alive {
        return;
    }
    let (line, rest) = rest.cut_top(17.0);
    let soft = Style::regular(size::SMALL, theme::TEXT_SOFT);
    let words = [
        count(has.land, "tile", "tiles"),
        format!("{}/{} units", number(has.population), number(has.cap)),
        format!("{} gold", number(has.gold)),
    ];
    let step = line.w / 3.0;
    for (nth, words) in words.iter().enumerate() {
        let at = Point::new(line.x + step * nth as f32, line.centre().y);
        kit::text(ui.canvas, at, Anchor::Left, step - 4.0, words, soft);
    }
    if rest.h >= 17.0 {
        let (line, _) = rest.cut_top(17.0);
        let slot = has.slot.map_or("builds no unit".to_owned(), |slot| match slot.left {
            0 => format!("{} is ready", slot.kind),
            left => format!("{} comes in {}", slot.kind, count(left, "turn", "turns")),
        });
        kit::line(ui.canvas, line, &format!("upkeep {} · {slot}", number(has.upkeep)), soft);
    }
}

/// The value of a faction, by its number, that a chart shows of a sample.
type Measure = fn(&Sample, usize) -> f32;

const TITLES: [&str; 7] = ["Score", "Land", "Gold", "Population", "Upkeep", "Kills", "Made by cities"];
const MEASURES: [Measure; TITLES.len()] = [
    |sample, faction| holdings(sample, faction).score as f32,
    |sample, faction| holdings(sample, faction).land as f32,
    |sample, faction| holdings(sample, faction).gold as f32,
    |sample, faction| holdings(sample, faction).population as f32,
    |sample, faction| holdings(sample, faction).upkeep as f32,
    |sample, faction| holdings(sample, faction).kills as f32,
    |sample, faction| sample.made.get(faction).map_or(0.0, |made| *made as f32),
];

fn holdings(sample: &Sample, faction: usize) -> Holdings {
    sample.factions.get(faction).copied().unwrap_or_default()
}

/// What the factions had, over the turns.
pub fn draw_charts(ui: &mut Ui<'_>, rect: Rect, shown: &Shown<'_>) {
    let (samples, factions) = (&shown.story.samples, shown.story.names.len());
    // The lines end with the moment shown, which all other panels count as well.
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

/// Hundredths of the map that have to change hands within a turn for a bar to pulse.
const PULSE_HUNDREDTHS: usize = 1;

/// The factions in the race, by their numbers.
pub fn race(shown: &Shown<'_>) -> Vec<Racer> {
    let mirror = &shown.state.mirror;
    let first = crowned(mirror);
    let racer = |(number, known): (u8, &MirrorFaction)| {
        let (faction, has) = (FactionId(number), &known.holdings);
        let hundredths = (has.land as f32 / mirror.tiles.len().max(1) as f32 * 100.0).floor();
        let says = match &mirror.dominion {
            _ if !known.alive => vec!["beaten".to_owned(), "out".to_owned()],
            Some(dominion) => {
                let held = dominion.held.iter().find(|(name, _)| *name == known.name);
                let wins = match held {
                    Some((_, turns)) => format!("{turns} of {DOMINION_TURNS} turns held"),
                    None => format!("{} % wins", dominion.need),
                };
                vec![format!("{hundredths} % land, {wins}"), format!("{hundredths} %")]
            }
            None => vec![format!("{} points, {hundredths} % land", signed(has.score)), signed(has.score)],
        };
        let base = has.base.filter(|_| known.alive && mirror.dominion.is_some());
        Racer {
            name: known.name.as_str().to_owned(),
            look: shown.look(Some(faction)),
            way: vec![mirror.progress(faction) as f32 / 1_000.0],
            says,
            base: base.map(|at| (mirror.strength(at), SIEGE_STRENGTH)),
            leads: first == Some(faction),
            danger: threatened(mirror, faction).then_some("base in danger"),
            pulse: freshness(shown, faction),
            out: !known.alive,
        }
    };
    (0..).zip(&mirror.factions).map(racer).collect()
}

/// How recent the last large change of a faction's land, or any of its base's strength, is: 1 to 0.
fn freshness(shown: &Shown<'_>, faction: FactionId) -> f32 {
    let tick = shown.tick();
    let last_turn = shown.state.recent.iter().rev().take_while(|one| one.tick + TURN >= tick);
    let (mut land, mut last) = (0, None);
    for one in last_turn {
        match &one.what {
            IncidentKind::Land(before, now) if now.owner == Some(faction) || *before == Some(faction) => {
                // A base counts as the whole map, so that it always pulses.
                land += if now.flags.base { shown.state.mirror.tiles.len() } else { 1 };
                last = last.max(Some(one.tick));
            }
            IncidentKind::Siege(of, _) if *of == Some(faction) => {
                return pulse(shown.since(one.tick), shown.pace.rate);
            }
            _ => {}
        }
    }
    let is_large = land * 100 >= PULSE_HUNDREDTHS * shown.state.mirror.tiles.len().max(1);
    last.filter(|_| is_large).map_or(0.0, |last| pulse(shown.since(last), shown.pace.rate))
}
