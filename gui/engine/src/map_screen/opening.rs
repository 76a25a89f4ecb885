//! The opening: the first seconds of a match that is watched from its beginning show the teams, what wins, and the map.
//!
//! The picture is a function of the share of the opening that has passed. Tested in this module and with the games'
//! screens.

use zappy_protocol::{MapSize, TeamName};

use crate::camera::Camera;
use crate::director::eased;
use crate::ink::{Anchor, Canvas, Point, Style};
use crate::panels::kit;
use crate::panels::marks::emblem;
use crate::theme::{self, TeamLook};

/// The most teams that are named; further ones are only counted.
const NAMED_TEAMS: usize = 8;
/// The share of the opening after which the first of the three steps to victory appears.
const STEPS_BEGIN: f32 = 0.35;
/// The share of the opening between the beginnings of two steps.
const STEP_PAUSE: f32 = 0.12;
/// The share of the opening in which a step grows to its full size.
const STEP_GROWTH: f32 = 0.08;
/// The share of the opening after which everything fades.
const FADE_BEGINS: f32 = 0.9;

/// A step on the way to victory: a function that draws it around a point, with a radius in points, and what it is in a
/// few words.
pub type OpeningStep = (fn(&mut Canvas, Point, f32), &'static str);

/// The camera when `share` (0 to 1) of the opening has passed: it moves eastward over the map, closer than `whole`.
pub fn sweep(whole: Camera, size: MapSize, share: f32) -> Camera {
    let mut camera = Camera { scale: whole.scale * 1.5, ..whole };
    camera.x += f64::from(size.width()) * (eased(share.into()) - 0.5) / 3.0;
    camera.normalise(size);
    camera
}

/// Draws the opening over the picture, when `share` of it has passed.
pub fn draw(canvas: &mut Canvas, names: &[TeamName], looks: &[TeamLook], steps: &[OpeningStep], share: f32) {
    let area = canvas.area();
    let opacity = ((1.0 - share) / (1.0 - FADE_BEGINS)).min(1.0);
    canvas.rect(area, theme::NIGHT.alpha(0.6 * opacity));
    let (upper, lower) = area.cut_top(area.h * 0.56);
    // The names of the teams, one below the other.
    let (middle, named) = (upper.centre(), names.len().min(NAMED_TEAMS));
    let line = (upper.h * 0.86 / (named.max(1) as f32 + 1.0)).min(64.0);
    let top = middle.y - line * named.saturating_sub(1) as f32 / 2.0;
    for (place, (name, look)) in names.iter().zip(looks).take(named).enumerate() {
        let at = Point::new(middle.x, top + line * place as f32);
        let style = Style::strong((line * 0.62).round(), look.color.alpha(opacity));
        let drawn = kit::text(canvas, at, Anchor::Centre, upper.w * 0.8, name.as_str(), style);
        emblem(canvas, Point::new(drawn.x - line * 0.5, at.y), line * 0.28 * opacity, *look);
    }
    let says = match names.len() - named {
        0 => "against each other".to_owned(),
        more => format!("and {more} more, against each other"),
    };
    let below = Point::new(middle.x, top + line * named as f32);
    canvas.text(below, Anchor::Centre, &says, Style::regular(20.0, theme::TEXT_SOFT.alpha(opacity)));
    // What leads to victory, one step after the other.
    let column = (lower.w / 3.0).min(300.0);
    for (nth, (picture, says)) in (0_u8..).zip(steps) {
        let since = share - STEPS_BEGIN - STEP_PAUSE * f32::from(nth);
        let grown = (since / STEP_GROWTH).clamp(0.0, 1.0) * opacity;
        if grown <= 0.0 {
            continue;
        }
        let x = lower.centre().x + column * (f32::from(nth) - 1.0);
        let r = (lower.h * 0.2).min(column * 0.22);
        picture(canvas, Point::new(x, lower.y + lower.h * 0.3), r * grown);
        let style = Style::strong((r * 0.42).clamp(13.0, 20.0), theme::TEXT.alpha(grown));
        let lines = kit::lines_of(canvas, says, style, column * 0.9, 2);
        let step = canvas.line_height(style.size);
        for (line, words) in (0_u8..).zip(&lines) {
            let at = Point::new(x, lower.y + lower.h * 0.3 + r * 1.5 + step * (f32::from(line) + 0.5));
            canvas.text(at, Anchor::Centre, words, style);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::director::{ShotPlan, ViewPace};
    use crate::ink::Rect;

    const STEPS: [OpeningStep; 3] = [(|_, _, _| {}, "one"), (|_, _, _| {}, "two"), (|_, _, _| {}, "three")];

    fn written(share: f32) -> Vec<String> {
        let names = ["red", "blue"].map(|name| TeamName::parse(name.as_bytes()).unwrap());
        let mut canvas = Canvas::new();
        canvas.begin(390.0, 800.0, 1.0);
        canvas.watch_text(true);
        draw(&mut canvas, &names, &TeamLook::of_all(&names), &STEPS, share);
        let area = canvas.area();
        assert!(canvas.runs().iter().all(|run| area.encloses(run.rect, 1.5)), "{:?}", canvas.runs());
        canvas.runs().iter().map(|run| run.text.clone()).collect()
    }

    #[test]
    fn the_names_come_first_and_then_what_wins_step_by_step() {
        assert_eq!(written(0.1), ["red", "blue", "against each other"]);
        assert_eq!(written(0.5)[3..], ["one", "two"]);
        assert_eq!(written(0.8)[3..], ["one", "two", "three"]);
    }

    #[test]
    fn it_sweeps_over_the_map_and_the_whole_map_is_seen_between_two_places_of_turns() {
        let size = MapSize::new(30, 20).unwrap();
        let mut whole = Camera::default();
        whole.fit(Rect::new(0.0, 0.0, 800.0, 600.0), size);
        let at = [0.0, 0.5, 1.0].map(|share| sweep(whole, size, share).x);
        assert!((at[1] - whole.x).abs() < 1e-6 && (at[2] - at[0]).abs() > 5.0, "{at:?}");
        let cue = |tick, x| crate::director::Cue {
            tick,
            until: tick + 100,
            at: Some(zappy_protocol::Position { x, y: 5 }),
            score: 50,
            always: false,
            number: 0,
        };
        let pace = ViewPace { rate: 100.0, foresees: true, whole_between: true, calm: false };
        let plan = ShotPlan::of(size, &[cue(1_000, 3), cue(1_600, 20)], pace);
        let places: Vec<_> = plan.shots.iter().map(|shot| shot.at.map(|at| at.x)).collect();
        assert_eq!(places, [None, Some(3), None, Some(20), None]);
    }
}
