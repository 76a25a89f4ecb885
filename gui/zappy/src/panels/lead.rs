//! The lead over time: how far each team is on its way to six players at level 8, one above the other.
//!
//! What stands on the map, and no probability of anything. Knows nothing of later where it shall not. Tested in this module.

use zappy_protocol::Tick;
use zappy_protocol::zappy::constants::WINNING_PLAYERS;
use zappy_protocol::zappy::story::{Strength, TeamIndex, strengths};

use super::{Ui, words};
use crate::shown::{Shown, known_until};
use crate::timeline::series::Sample;
use zappy_observer::ink::{Anchor, Point, Rect, Style};
use zappy_observer::panels::kit;
use zappy_observer::panels::marks::emblem;
use zappy_observer::panels::transport::Strip;
use zappy_observer::theme::{self, gap, size};

/// Points of the area that share their numbers.
const COLUMN: f32 = 3.0;
/// Levels that a team's best six have to rise in all.
const WAY: u32 = WINNING_PLAYERS as u32 * 7;
/// Teams that hovering names; of the others it tells the most that one has made.
const NAMED: usize = 4;
/// What the area is, in full and where there isn't room for that.
const TITLES: [&str; 2] = ["Lead: way to 6 at level 8", "Lead"];
/// Characters of a team's name in the legend.
const LEGEND_NAME: usize = 14;
/// Width of a team's mark with the distance behind it, in points.
const MARK: f32 = 11.0;

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
    let samples = &shown.story.chronicle.series.samples;
    let after = samples.partition_point(|sample| sample.tick <= tick.min(known_until(shown)));
    after.checked_sub(1).map(|index| &samples[index])
}

/// The most that all teams together have made, as far as it may be known.
fn most(shown: &Shown<'_>) -> f32 {
    let known =
        shown.story.chronicle.series.samples.iter().take_while(|sample| sample.tick <= known_until(shown));
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
    let until = shown.story.chronicle.until.min(known_until(shown));
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
    draw_legend(ui, area, shown);
}

/// The title of the area, and each team's colour with the share of its way made at the moment shown, where there is room.
fn draw_legend(ui: &mut Ui<'_>, area: Rect, shown: &Shown<'_>) {
    let teams: Vec<(TeamIndex, f32)> = strengths(shown.state.mirror(), &shown.story.roster)
        .iter()
        .enumerate()
        .map(|(n, team)| (TeamIndex(n), progress(team)))
        .collect();
    let titles = TITLES.map(str::to_owned);
    let style = Style::regular(size::SMALL, theme::TEXT);
    let strong = Style::strong(size::SMALL, theme::TEXT_SOFT);
    let name = |team: TeamIndex| words::short_name(shown.story.roster.name(team), LEGEND_NAME);
    let told: [Vec<String>; 3] = [
        teams.iter().map(|&(team, made)| format!("{} {}", name(team), percent(made))).collect(),
        teams.iter().map(|&(team, _)| name(team)).collect(),
        Vec::new(),
    ];
    let wide = |words: &[String]| -> f32 {
        words.iter().map(|words| ui.canvas.measure(words, style.face, style.size) + MARK + gap::BODY).sum()
    };
    let title_of = |left: f32| kit::fitting(ui.canvas, &titles, strong, left - 2.0 * gap::BODY);
    let fits = told.iter().find(|words| {
        let title = ui.canvas.measure(&titles[1], strong.face, strong.size);
        title + 2.0 * gap::BODY + wide(words) <= area.w
    });
    let words = fits.unwrap_or(&told[2]);
    let title = title_of(area.w - wide(words)).to_owned();
    let high = ui.canvas.line_height(size::SMALL).min(area.h);
    let title_wide = ui.canvas.measure(&title, strong.face, strong.size);
    let all = Rect::new(area.x, area.y, title_wide + gap::BODY + wide(words), high);
    // The area may reach up to here.
    ui.canvas.round_rect(all.inset_xy(-3.0, 0.0), 4.0, theme::PANEL.alpha(0.82));
    let middle = all.centre().y;
    kit::text(ui.canvas, Point::new(all.x + 2.0, middle), Anchor::Left, title_wide + 2.0, &title, strong);
    let mut x = all.x + title_wide + 2.0 + gap::BODY;
    for (words, (team, _)) in words.iter().zip(&teams) {
        let look = shown.look(Some(*team));
        emblem(ui.canvas, Point::new(x + 4.0, middle), 4.0, look);
        let drawn = ui.canvas.text(
            Point::new(x + MARK, middle),
            Anchor::Left,
            words,
            Style { color: look.color, ..style },
        );
        x = drawn.right() + gap::BODY;
    }
}

/// A share in hundredths: `43 %`.
fn percent(share: f32) -> String {
    format!("{} %", (share * 100.0).round())
}

/// What the area says at a tick: `lead: red 43 %, blue 12 %`; nothing where nothing is known.
pub fn hover(shown: &Shown<'_>, tick: Tick) -> String {
    if tick > known_until(shown) {
        return String::new();
    }
    let Some(sample) = sample(shown, tick) else { return String::new() };
    let mut teams: Vec<(f32, usize)> = sample.teams.iter().map(progress).zip(0..).collect();
    teams.sort_by(|one, other| other.0.total_cmp(&one.0));
    let said = |(made, team): &(f32, usize)| {
        format!("{} {}", words::name(&shown.story.roster, TeamIndex(*team)), percent(*made))
    };
    let mut named: Vec<String> = teams.iter().take(NAMED).map(said).collect();
    // The order is that of their ways, so that the first of the others has made the most of them.
    if let Some((most, _)) = teams.get(NAMED) {
        named.push(format!("the other {} at most {}", teams.len() - NAMED, percent(*most)));
    }
    format!("on the way to {WINNING_PLAYERS} at level 8: {}", named.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::panels::testing::ToldMatch;

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
        let mut scene = ToldMatch::told(&[
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
        scene.view.own.unspoiled = true;
        scene.show(60.0, |shown| {
            assert_eq!((hover(shown, 60).as_str(), hover(shown, 200).as_str()), (says, ""));
        });
    }

    #[test]
    fn the_legend_says_what_it_is_and_whose_is_which_within_its_height() {
        let scene = ToldMatch::told(&[
            "0 msz 9 9",
            "0 tna red",
            "0 tna blue",
            "0 ppo #9 0 0 1",
            "5 pnw #0 1 1 1 8 red",
            "6 pnw #1 1 1 1 2 blue",
            "60 ppo #9 0 0 1",
        ]);
        for (width, wanted) in [
            (900.0, vec!["Lead: way to 6 at level 8", "red 17 %", "blue 2 %"]),
            (180.0, vec!["Lead", "red 17 %", "blue 2 %"]),
            (130.0, vec!["Lead", "red", "blue"]),
        ] {
            let said = scene.show(60.0, |shown| {
                let mut canvas = zappy_observer::ink::Canvas::new();
                canvas.begin(1_000.0, 100.0, 1.0);
                canvas.watch_text(true);
                let mut hits = zappy_observer::panels::Hits::default();
                let area = Rect::new(10.0, 10.0, width, 34.0);
                let base = Rect::new(10.0, 60.0, width, 5.0);
                let strip =
                    Strip { rect: Rect::new(10.0, 44.0, width, 30.0), base, area, span: (0, 60), now: 1.0 };
                draw(&mut Ui { canvas: &mut canvas, hits: &mut hits, mouse: None }, &strip, shown);
                assert!(canvas.runs().iter().all(|run| area.encloses(run.rect, 1.5)), "{:?}", canvas.runs());
                canvas.runs().iter().map(|run| run.text.clone()).collect::<Vec<_>>()
            });
            assert_eq!(said, wanted);
        }
    }

    #[test]
    fn of_many_teams_no_value_is_left_out_under_the_pointer() {
        let mut lines: Vec<String> = (0..9).map(|n| format!("0 tna t{n}")).collect();
        lines.push("0 ppo #99 0 0 1".to_owned());
        lines.extend((0..9).map(|n| format!("5 pnw #{n} 1 1 1 {} t{n}", n % 8 + 1)));
        lines.push("60 ppo #99 0 0 1".to_owned());
        let all: Vec<&str> = ["0 msz 9 9"].into_iter().chain(lines.iter().map(String::as_str)).collect();
        ToldMatch::told(&all).show(60.0, |shown| {
            let says = "t7 17 %, t6 14 %, t5 12 %, t4 10 %, the other 5 at most 7 %";
            assert!(hover(shown, 60).ends_with(says), "{}", hover(shown, 60));
        });
    }
}
