//! The lead over time: how far each team is on its way to six players at level 8, one above the other.
//!
//! What stands on the map, and no probability of anything. Knows nothing of later where it shall not. Tested in this module.

use zappy_protocol::Tick;
use zappy_protocol::zappy::constants::WINNING_PLAYERS;
use zappy_protocol::zappy::story::{Strength, TeamIndex};

use super::{Ui, words};
use crate::ink::{Anchor, Point, Rect, Style};
use crate::panels::kit;
use crate::panels::transport::Strip;
use crate::theme::{self, size};
use crate::zappy::app::shown::Shown;
use crate::zappy::timeline::series::Sample;

/// Points of the area that share their numbers.
const COLUMN: f32 = 3.0;
/// Levels that a team's best six have to rise in all.
const WAY: u32 = WINNING_PLAYERS as u32 * 7;
/// Teams that hovering names.
const NAMED: usize = 4;

/// The share of its way that a team has made, from 0 to 1: of the levels that its best six players have to rise.
pub fn progress(team: &Strength) -> f32 {
    let (mut left, mut risen) = (WINNING_PLAYERS as u32, 0);
    for (above, &players) in team.levels.iter().enumerate().rev() {
        let counted = players.min(left);
        risen += counted * above as u32;
        left -= counted;
    }
    risen as f32 / WAY as f32
}

/// The newest sample up to that tick.
fn sample<'a>(shown: &Shown<'a>, tick: Tick) -> Option<&'a Sample> {
    let samples = shown.chronicle.series.samples();
    let after = samples.partition_point(|sample| sample.tick <= tick.min(shown.known_until()));
    after.checked_sub(1).map(|index| &samples[index])
}

/// The most that all teams together have made, as far as it may be known.
fn most(shown: &Shown<'_>) -> f32 {
    let known =
        shown.chronicle.series.samples().iter().take_while(|sample| sample.tick <= shown.known_until());
    known.map(|sample| sample.teams.iter().map(progress).sum()).fold(0.2, f32::max)
}

/// Draws the area above the timeline.
pub fn draw(ui: &mut Ui<'_>, strip: &Strip, shown: &Shown<'_>) {
    let area = strip.area;
    if area.h < 10.0 || area.w < 40.0 {
        return;
    }
    let (scale, columns) = ((area.h - 2.0) / most(shown), (area.w / COLUMN) as usize);
    let (first, last) = strip.span;
    let until = shown.chronicle.until.min(shown.known_until());
    for column in 0..columns {
        let share = column as f64 / columns as f64;
        let tick = first + ((last - first) as f64 * share) as Tick;
        if tick > until {
            break;
        }
        let Some(sample) = sample(shown, tick) else { continue };
        let mut y = area.bottom();
        for (team, strength) in sample.teams.iter().enumerate() {
            let high = progress(strength) * scale;
            if high <= 0.0 {
                continue;
            }
            let color = shown.look(Some(TeamIndex(team))).color;
            let alpha = if share as f32 <= strip.now { 0.85 } else { 0.3 };
            let slice = Rect::new(area.x + COLUMN * column as f32, y - high, COLUMN, high);
            // Neighbours meet at whole pixels, so that no seam is seen.
            let snapped = ui.canvas.snap(slice);
            ui.canvas.rect(Rect { x: snapped.x, w: snapped.w, ..slice }, color.alpha(alpha));
            y -= high;
        }
    }
    let at = Point::new(area.x + 2.0, area.y);
    kit::text(ui.canvas, at, Anchor::TopLeft, 60.0, "Lead", Style::strong(size::SMALL, theme::TEXT_SOFT));
}

/// What the area says at a tick: `lead: red 43 %, blue 12 %`; nothing where nothing is known.
pub fn hover(shown: &Shown<'_>, tick: Tick) -> String {
    if tick > shown.known_until() {
        return String::new();
    }
    let Some(sample) = sample(shown, tick) else { return String::new() };
    let mut teams: Vec<(f32, usize)> = sample.teams.iter().map(progress).zip(0..).collect();
    teams.sort_by(|one, other| other.0.total_cmp(&one.0));
    let said = |(made, team): &(f32, usize)| {
        format!("{} {} %", words::name(shown.roster, TeamIndex(*team)), (made * 100.0).round())
    };
    let named: Vec<String> = teams.iter().take(NAMED).map(said).collect();
    format!("on the way to {WINNING_PLAYERS} at level 8: {}", named.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::zappy::panels::testing::Scene;

    #[test]
    fn a_teams_way_is_that_of_its_best_six() {
        let of = |levels: [u32; 8]| progress(&Strength { levels, ..Strength::default() });
        assert_eq!(of([9, 0, 0, 0, 0, 0, 0, 0]), 0.0);
        assert_eq!(of([0, 0, 0, 0, 0, 0, 0, 6]), 1.0);
        assert_eq!(of([0, 0, 0, 0, 0, 0, 0, 20]), 1.0, "no more than the whole way");
        assert_eq!(of([5, 0, 0, 0, 0, 0, 0, 3]), 0.5);
        assert!((of([50, 7, 0, 0, 0, 0, 0, 0]) - 6.0 / 42.0).abs() < 1e-6);
    }

    #[test]
    fn the_pointer_reads_it_and_nothing_of_later_where_that_is_hidden() {
        let mut scene = Scene::told(&[
            "0 msz 9 9",
            "0 tna red",
            "0 tna blue",
            "0 ppo #9 0 0 1",
            "5 pnw #0 1 1 1 8 red",
            "6 pnw #1 1 1 1 2 blue",
            "30 ppo #9 0 0 1",
            "100 plv #1 8",
            "200 ppo #9 0 0 1",
        ]);
        let says = "on the way to 6 at level 8: red 17 %, blue 2 %";
        scene.show(60.0, |shown| assert_eq!(hover(shown, 60), says));
        scene.show(60.0, |shown| assert!(hover(shown, 200).contains("blue 17 %")));
        scene.view.unspoiled = true;
        scene.show(60.0, |shown| {
            assert_eq!((hover(shown, 60).as_str(), hover(shown, 200).as_str()), (says, ""));
        });
    }
}
