//! Pictures of a record without a window: which moments a film shows, with which sounds, and how large its text is.
//!
//! The same record, moment and choices give the same picture. Tested in this module and in `gui/app/tests/pictures.rs`.

use std::path::PathBuf;

use zappy_protocol::Tick;

use crate::app::watching::{MOST_HEARD, OPENING, comfortable_scale};
use crate::led::LedTime;
use crate::sound::SoundCue;

/// Width and height of a picture at most, in px: what every OpenGL 3 card takes.
pub const MAX_EDGE: u32 = 8192;
/// Frames in a second of a film.
pub const FRAMES_PER_SECOND: u32 = 25;
/// Frames of a film at most: eleven hours.
pub const FRAME_LIMIT: u64 = 1_000_000;

/// The factor on text and panels for a picture of that size in pixels: the one that was asked for, or a comfortable
/// one.
pub fn scale(width: u32, height: u32, asked: Option<f32>) -> f32 {
    asked.unwrap_or_else(|| comfortable_scale(width as f32, height as f32))
}

/// Each of these moments, in ticks, with the file for its picture.
pub fn frames(folder: PathBuf, moments: impl Iterator<Item = f64>) -> impl Iterator<Item = (f64, PathBuf)> {
    moments.enumerate().map(move |(n, tick)| (tick, folder.join(format!("{n:05}.png"))))
}

/// Frames of the opening before a film that is led in time.
const OPENING_FRAMES: usize = OPENING as usize * FRAMES_PER_SECOND as usize;
/// Frames of the closing table after such a film.
const CLOSING_FRAMES: usize = 4 * FRAMES_PER_SECOND as usize;

/// The tick of each frame of a film that is led in time and shows these shots, each from and to a second. Before them
/// comes the opening, in which a tick below 0 stands for the seconds of the opening that are left; after them the
/// closing table, which is shown at the `last` tick.
pub fn led(led: &LedTime, shots: &[(f64, f64)], last: Tick) -> Vec<f64> {
    let rate = f64::from(FRAMES_PER_SECOND);
    let mut ticks: Vec<f64> = (0..OPENING_FRAMES).map(|frame| (frame as f64) / rate - OPENING).collect();
    ticks.extend(moments(shots, 1.0 / rate).map(|seconds| led.tick(seconds).max(0.0)));
    ticks.extend([last as f64; CLOSING_FRAMES]);
    ticks
}

/// The moments of a film of several stretches, `step` apart, each with its first moment; in ticks or in seconds, as the
/// stretches are.
pub fn moments(stretches: &[(f64, f64)], step: f64) -> impl Iterator<Item = f64> + use<> {
    let stretches = stretches.to_vec();
    let all = stretches.into_iter().flat_map(move |(from, to)| {
        let count = ((to - from).max(0.0) / step).floor() as u64 + 1;
        (0..count.min(FRAME_LIMIT)).map(move |n| from + n as f64 * step)
    });
    all.take(FRAME_LIMIT as usize)
}

/// The sounds of each frame of a film with a frame at each of these ticks: those since the frame before, or none if the
/// film, led in time by `led`, jumps to the frame. `heard` gives the sounds after the first of two ticks, up to and at
/// the second.
pub fn sounds(
    ticks: &[f64],
    led: Option<&LedTime>,
    heard: impl Fn((Tick, Tick)) -> Vec<SoundCue>,
) -> Vec<Vec<SoundCue>> {
    let jumps = |from, to| led.is_some_and(|led| led.seconds(to) - led.seconds(from) > MOST_HEARD);
    let mut last = f64::INFINITY;
    let frame = |&tick: &f64| {
        let before = std::mem::replace(&mut last, tick);
        if before >= tick || jumps(before, tick) { Vec::new() } else { heard((before as Tick, tick as Tick)) }
    };
    ticks.iter().map(frame).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::director::Cue;
    use crate::sound::Sound;

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
    fn highlights_are_five_shots_of_at_most_eight_seconds_with_a_title_before_and_the_table_after() {
        let decisive: Vec<Tick> = vec![300, 1_500, 2_400, 3_300, 4_000];
        let cue = |tick| Cue { tick, until: tick + 9, at: None, score: 50, always: false, number: 0 };
        let cues: Vec<Cue> = decisive.iter().copied().map(cue).collect();
        let map = LedTime::of((0, 4_000), 0, 100.0, &cues, decisive.clone());
        let shots = map.shots(4_300);
        assert!(shots.len() == 5 && shots.iter().all(|(from, to)| to - from <= 8.0), "{shots:?}");
        let ticks = led(&map, &shots, 4_300);
        assert!(ticks.len() <= 60 * FRAMES_PER_SECOND as usize, "a minute at most: {}", ticks.len());
        assert!(ticks[..OPENING_FRAMES].iter().all(|tick| *tick < 0.0) && ticks[OPENING_FRAMES] >= 0.0);
        assert!(
            ticks[ticks.len() - CLOSING_FRAMES..].iter().all(|tick| tick.to_bits() == 4_300_f64.to_bits())
        );
        for tick in decisive {
            assert!(ticks.iter().any(|shown| (shown - tick as f64).abs() < 4.0), "{tick} is shown");
        }
    }

    #[test]
    fn a_film_is_heard_frame_by_frame_and_not_where_it_jumps() {
        let map = LedTime::of((0, 20_000), 0, 100.0, &[], Vec::new());
        let heard = |(from, to): (Tick, Tick)| {
            let cue = |tick| SoundCue { tick, sound: Sound::Push, pan: 0.0 };
            (from + 1..=to).map(cue).collect::<Vec<_>>()
        };
        let ticks = [-0.04, 0.0, 2.5, 3.0, 3.5, 9_000.0, 9_001.0, 20_000.0, 20_000.0];
        let counts = |led| sounds(&ticks, led, heard).iter().map(Vec::len).collect::<Vec<_>>();
        assert_eq!(counts(Some(&map)), [0, 0, 2, 1, 0, 0, 1, 0, 0]);
        assert_eq!(counts(None), [0, 0, 2, 1, 0, 8_997, 1, 10_999, 0], "without jumps all ticks are heard");
    }

    #[test]
    fn a_film_has_both_its_ends_and_no_more_than_the_limit() {
        let times = |from, to, step| moments(&[(from, to)], step).collect::<Vec<_>>();
        assert_eq!(times(10.0, 14.0, 2.0), [10.0, 12.0, 14.0]);
        assert_eq!(times(10.0, 13.9, 2.0), [10.0, 12.0]);
        assert_eq!(times(10.0, 3.0, 2.0), [10.0]);
        assert_eq!(moments(&[(0.0, 1e12)], 0.01).count() as u64, FRAME_LIMIT);
        let last = frames(PathBuf::from("film"), moments(&[(0.0, 8.0)], 4.0)).last().unwrap().1;
        assert_eq!(last, PathBuf::from("film/00002.png"));
    }
}
