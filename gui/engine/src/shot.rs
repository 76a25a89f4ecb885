//! Pictures of a record without a window: which moments a film has, and how large its text is.
//!
//! The same record, moment and choices give the same picture. Tested in this module and in `gui/app/tests/pictures.rs`.

use std::path::PathBuf;

use crate::app::watching::comfortable_scale;

/// Width and height of a picture at most, in px: what every OpenGL 3 card takes.
pub const MAX_EDGE: u32 = 8192;
/// Frames of a film at most: four and a half hours at 60 per second.
pub const FRAME_LIMIT: u64 = 1_000_000;

/// The size of text and panels for a picture of that many pixels.
pub fn scale(width: u32, height: u32, asked: Option<f32>) -> f32 {
    asked.unwrap_or_else(|| comfortable_scale(width as f32, height as f32))
}

/// The files of these moments.
pub fn frames(folder: PathBuf, moments: impl Iterator<Item = f64>) -> impl Iterator<Item = (f64, PathBuf)> {
    moments.enumerate().map(move |(n, tick)| (tick, folder.join(format!("{n:05}.png"))))
}

/// Seconds of a film of the moments that decided a match.
pub const HIGHLIGHTS_SECONDS: f64 = 60.0;
/// The share of a match that its best moments have at the most: what is shown whole has no highlights.
const BEST: f64 = 0.5;
/// The share of the time around a moment that lies before it.
const BEFORE: f64 = 0.6;

/// The stretches of a film around these moments, the earliest first, which together last for so many ticks: the same time
/// around each, but what overlaps is shown once, and nothing lies beyond the first and the last tick. Of a short match they
/// are the better half.
pub fn stretches(moments: &[f64], (first, last): (f64, f64), ticks: f64) -> Vec<(f64, f64)> {
    let ticks = ticks.min((last - first) * BEST);
    let around = |reach: f64| {
        let mut found: Vec<(f64, f64)> = Vec::new();
        for &moment in moments {
            let from = (moment - reach * BEFORE).clamp(first, last);
            let to = (moment + reach * (1.0 - BEFORE)).clamp(first, last);
            match found.last_mut() {
                Some(before) if before.1 >= from => before.1 = before.1.max(to),
                _ => found.push((from, to)),
            }
        }
        found
    };
    let length = |reach: f64| around(reach).iter().map(|(from, to)| to - from).sum::<f64>();
    let (mut short, mut long) = (0.0, 2.0 * (last - first).max(1.0));
    for _ in 0..60 {
        let middle = (short + long) / 2.0;
        if length(middle) < ticks { short = middle } else { long = middle }
    }
    around(long)
}

/// The moments of a film of several stretches, so many ticks apart.
pub fn moments(stretches: &[(f64, f64)], every: f64) -> impl Iterator<Item = f64> + use<> {
    let stretches = stretches.to_vec();
    let all = stretches.into_iter().flat_map(move |(from, to)| {
        let count = ((to - from).max(0.0) / every).floor() as u64 + 1;
        (0..count.min(FRAME_LIMIT)).map(move |n| from + n as f64 * every)
    });
    all.take(FRAME_LIMIT as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_grows_with_the_display() {
        for (size, least) in [
            ((1080, 600), 1.0),
            ((1280, 720), 1.18),
            ((1920, 1080), 1.3),
            ((2560, 1440), 1.75),
            ((3840, 2160), 2.6),
        ] {
            let found = scale(size.0, size.1, None);
            assert!((least..least + 0.1).contains(&found), "{size:?}: {found}");
        }
        assert!(scale(100_000, 100_000, None) <= 3.0);
        assert!((scale(2560, 1440, Some(0.5)) - 0.5).abs() < 1e-6, "what is asked for holds");
    }

    #[test]
    fn a_film_of_five_moments_lasts_for_a_minute() {
        let moments_at = [2_000.0, 4_000.0, 4_500.0, 9_000.0, 12_000.0];
        let found = stretches(&moments_at, (0.0, 12_300.0), 6_000.0);
        assert!((found.iter().map(|(from, to)| to - from).sum::<f64>() - 6_000.0).abs() < 1.0, "{found:?}");
        assert!(moments_at.iter().all(|at| found.iter().any(|(from, to)| (*from..=*to).contains(at))));
        assert!(found.windows(2).all(|pair| pair[0].1 < pair[1].0) && found.last().unwrap().1 <= 12_300.0);
        let frames = moments(&found, 4.0).count();
        assert!((1_500..=1_505).contains(&frames), "{frames}: a minute at 25 a second");
        let short = stretches(&[300.0, 900.0], (0.0, 1_000.0), 6_000.0);
        let long: f64 = short.iter().map(|(from, to)| to - from).sum();
        assert!((long - 500.0).abs() < 1.0 && short.len() == 2, "a short match isn’t shown whole: {short:?}");
        assert_eq!(stretches(&[], (0.0, 1_000.0), 6_000.0), []);
    }

    #[test]
    fn a_film_has_both_its_ends_and_no_more_than_the_limit() {
        let times = |from, to, every| moments(&[(from, to)], every).collect::<Vec<_>>();
        assert_eq!(times(10.0, 14.0, 2.0), [10.0, 12.0, 14.0]);
        assert_eq!(times(10.0, 13.9, 2.0), [10.0, 12.0]);
        assert_eq!(times(10.0, 3.0, 2.0), [10.0]);
        assert_eq!(moments(&[(0.0, 1e12)], 0.01).count() as u64, FRAME_LIMIT);
        let last = frames(PathBuf::from("film"), moments(&[(0.0, 8.0)], 4.0)).last().unwrap().1;
        assert_eq!(last, PathBuf::from("film/00002.png"));
    }
}
