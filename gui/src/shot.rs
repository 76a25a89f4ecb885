//! Pictures of a record without a window: which moments a film has, and how large its text is.
//!
//! The same record, moment and choices give the same picture. Tested in this module and in `tests/pictures.rs`.

use std::path::PathBuf;

use crate::app::watching::comfortable_scale;

/// Frames of a film at most: four and a half hours at 60 per second.
pub const FRAME_LIMIT: u64 = 1_000_000;

/// The size of text and panels for a picture of that many pixels.
pub fn scale(width: u32, height: u32, asked: Option<f32>) -> f32 {
    asked.unwrap_or_else(|| comfortable_scale(width as f32, height as f32))
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
    fn text_grows_with_the_display() {
        for (size, least) in
            [((1280, 720), 1.0), ((1920, 1080), 1.3), ((2560, 1440), 1.75), ((3840, 2160), 2.6)]
        {
            let found = scale(size.0, size.1, None);
            assert!((least..least + 0.1).contains(&found), "{size:?}: {found}");
        }
        assert!(scale(100_000, 100_000, None) <= 3.0);
        assert!((scale(2560, 1440, Some(0.5)) - 0.5).abs() < 1e-6, "what is asked for holds");
    }

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
