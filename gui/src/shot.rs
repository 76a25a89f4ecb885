//! Pictures of a record without anybody watching: one, or a sequence for a film.
//!
//! The same record, moment and choices give the same picture. Never knows a window: it paints canvases that
//! `window` makes pictures of. Tested in `tests/pictures.rs`.

use std::path::PathBuf;
use std::time::Instant;

use zappy_protocol::Position;

use crate::app::action::{Action, Selection};
use crate::app::{App, comfortable_scale};
use crate::ink::Canvas;

/// Frames of a film at most: a day and a half of one at 60 per second takes more disk than anybody has.
pub const FRAME_LIMIT: u64 = 1_000_000;

/// What is to be seen on every picture.
#[derive(Debug, Clone, Default)]
pub struct Pose {
    /// How much closer than the whole map.
    pub zoom: Option<f32>,
    /// The tile in the middle; else the selection's.
    pub look_at: Option<Position>,
    /// What is selected.
    pub select: Option<Selection>,
}

/// The size of text and panels for a picture of that many pixels.
#[must_use]
pub fn scale(width: u32, height: u32, asked: Option<f32>) -> f32 {
    asked.unwrap_or_else(|| comfortable_scale(width as f32, height as f32))
}

/// Paints the app at that moment, in ticks; beyond the end at the last one.
pub fn paint(app: &mut App, tick: f64, pose: &Pose, canvas: &mut Canvas) {
    app.view_mut().playing = false;
    app.seek(tick);
    app.view_mut().selection = pose.select;
    app.update(0.0, Instant::now());
    // A far moment, or a long dialogue, is read in several pieces.
    while app.is_moving() {
        app.update(0.0, Instant::now());
    }
    let area = canvas.area();
    app.arrange(area.w, area.h, 0.0);
    app.act(Action::Fit);
    app.open_with(pose.zoom, pose.look_at);
    app.come_closer();
    app.arrange(area.w, area.h, 0.0);
    app.paint(canvas);
}

/// The moments of a film and the files of its frames, from the first to the last tick.
pub fn frames(folder: PathBuf, from: f64, to: f64, every: f64) -> impl Iterator<Item = (f64, PathBuf)> {
    let count = ((to - from).max(0.0) / every).floor() as u64 + 1;
    (0..count.min(FRAME_LIMIT)).map(move |n| (from + n as f64 * every, folder.join(format!("{n:05}.png"))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_film_has_both_its_ends_and_no_more_than_the_limit() {
        let times =
            |from, to, every| frames(PathBuf::new(), from, to, every).map(|(t, _)| t).collect::<Vec<_>>();
        assert_eq!(times(10.0, 14.0, 2.0), [10.0, 12.0, 14.0]);
        assert_eq!(times(10.0, 13.9, 2.0), [10.0, 12.0]);
        assert_eq!(times(10.0, 3.0, 2.0), [10.0]);
        assert_eq!(frames(PathBuf::new(), 0.0, 1e12, 0.01).count() as u64, FRAME_LIMIT);
        let last = frames(PathBuf::from("film"), 0.0, 8.0, 4.0).last().unwrap().1;
        assert_eq!(last, PathBuf::from("film/00002.png"));
    }
}
