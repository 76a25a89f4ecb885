//! Where the camera goes by itself: to the moments that matter, for as long as they can be taken in.
//!
//! A game hands in its moments with their scores. From these a plan of shots is made; the plan gives the camera at any
//! tick, and the headline, so that the picture shows what the headline says. All are pure functions of the moments, the
//! pace and the tick, so that seeking and playing show the same. A shot depends on no moment that falls due after the
//! next shot, so a picture that was shown live stays as it was. Tested in this module.

use zappy_protocol::{MapSize, Position, Tick};

use crate::camera::{Camera, shortest};
use crate::ink::Rect;
use crate::queue::Queue;
use crate::torus::middle;

/// Seconds in which the camera goes from one place to the next.
pub const EASE: f64 = 0.7;
/// Seconds before a moment that is known beforehand at which the camera sets out.
pub const LEAD: f64 = 1.1;
/// Seconds for which a shot is held at the most, unless something more happens at its place.
const SHOT_HOLD: f64 = 4.0;
/// Seconds that a spectator needs to take in a picture.
const VIEWING_TIME: f64 = 2.0;
/// Seconds for which the whole map is shown between two places.
const WHOLE_MAP_TIME: f64 = 0.6;
/// Seconds for which a headline is shown at the least, though another one waits, and at the most.
pub const HEADLINE_TIME: [f64; 2] = [2.5, 3.5];
/// Seconds for which a remark, longer than a headline, is shown at the least and at the most.
pub const REMARK_TIME: [f64; 2] = [3.5, 5.0];
/// Seconds after a shot in which further moments at its place count half.
const SEEN_TIME: f64 = 5.0;
/// Tiles that a near shot shows from top to bottom.
const NEAR_SHOT_TILES: f32 = 9.0;
/// Points per tile of a near shot at the most.
const NEAR_SHOT_MAX_SCALE: f32 = 96.0;
/// How many times the scale of the whole map a near shot has at the least.
const NEAR_SHOT_MIN_ZOOM: f32 = 1.3;
/// How far from the middle of the picture a place may be and still be seen well, as a share of the map's side.
const INNER_SHARE: f64 = 0.25;
/// One shot shows two places that are at most this many tiles apart along each axis.
const ONE_SHOT_DISTANCE: u32 = 2;

/// Something that may be worth a look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cue {
    /// When it happens, in ticks.
    pub tick: Tick,
    /// Until when it is worth a look, in ticks.
    pub until: Tick,
    /// Where; `None` is the whole map.
    pub at: Option<Position>,
    /// How much it matters, compared with others; above 0.
    pub score: u32,
    /// Whether it is shown whatever else happens.
    pub always: bool,
    /// Its number in the game's own list.
    pub number: usize,
}

/// How time passes for the spectator.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ViewPace {
    /// Ticks per second of the spectator's time.
    pub rate: f64,
    /// Whether moments are known before they happen.
    pub foresees: bool,
    /// Whether the whole map is shown between two places; only with `foresees`.
    pub whole_between: bool,
    /// Whether motion is reduced: the camera cuts and doesn't fly.
    pub calm: bool,
}

impl ViewPace {
    /// The share of the camera's way that is done `ticks` after it set out, from 0 to 1.
    fn flown(self, ticks: f64) -> f64 {
        if self.calm && ticks >= 0.0 { 1.0 } else { eased(ticks / self.ticks(EASE)) }
    }

    /// `seconds` of the spectator's time in ticks.
    pub fn ticks(self, seconds: f64) -> f64 {
        seconds * if self.rate.is_finite() { self.rate.max(1.0) } else { 1.0 }
    }
}

/// A view that the camera takes from a tick on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shot {
    /// When the camera sets out, in ticks.
    pub start: f64,
    /// Where it goes; `None` is the whole map.
    pub at: Option<Position>,
}

/// The part of the window in which a shot is shown.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ShotFrame {
    /// The rectangle of the window in which the world is shown, in points.
    pub world: Rect,
    /// The part of `world` that no panel covers: a near shot has its place in the middle of this part.
    pub free: Rect,
    /// The camera that shows the whole map.
    pub whole: Camera,
}

/// The shot that is on while a plan is made; times are in ticks.
struct Running {
    start: f64,
    until: f64,
    at: Option<Position>,
    /// When its first headline was read.
    read: f64,
    /// For each moment that it shows: until when it is news, and its score.
    shown: Vec<(f64, u32)>,
}

impl Running {
    /// The whole map from the tick `start` on, with nothing to be read.
    fn whole(start: f64) -> Running {
        Running { start, until: f64::NEG_INFINITY, at: None, read: start, shown: Vec::new() }
    }
}

/// The shots of a match, the first at its beginning.
#[derive(Debug, Clone, PartialEq)]
pub struct ShotPlan {
    /// The shots, the earliest first.
    pub shots: Vec<Shot>,
    headlines: Queue,
    pace: ViewPace,
}

impl ShotPlan {
    /// Plans shots for these moments, which come in the order of their ticks. A shot lasts at least until its headline
    /// was read.
    pub fn of(map: MapSize, cues: &[Cue], pace: ViewPace) -> ShotPlan {
        let lead = if pace.foresees { pace.ticks(LEAD) } else { 0.0 };
        // A shot that would begin later than this after it was due needs a moment that is still going on.
        let max_delay = if pace.foresees { lead } else { pace.ticks(HEADLINE_TIME[0]) };
        // For a moment of the whole map the camera doesn't set out before it happens.
        let due = |cue: &Cue| cue.tick as f64 - if cue.at.is_some() { lead } else { 0.0 };
        let news_until = |cue: &Cue| (cue.until as f64).min(cue.tick as f64 + pace.ticks(SHOT_HOLD));
        let shots = vec![Shot { start: f64::NEG_INFINITY, at: None }];
        let headlines = Queue::new(HEADLINE_TIME.map(|seconds| pace.ticks(seconds)), u32::MAX);
        let mut plan = ShotPlan { shots, headlines, pace };
        let mut now = Running::whole(f64::NEG_INFINITY);
        // Until when each place was shown, and the place.
        let mut seen: Vec<(f64, Option<Position>)> = Vec::new();
        for (number, cue) in cues.iter().enumerate() {
            let min_whole_map = if pace.foresees { pace.ticks(VIEWING_TIME) } else { 0.0 };
            if now.at.is_some() && due(cue) > now.until + min_whole_map {
                seen.push((now.until, now.at));
                plan.shots.push(Shot { start: now.until, at: None });
                now = Running::whole(now.until);
            }
            seen.retain(|(until, _)| until + pace.ticks(SEEN_TIME) > due(cue));
            let weight = |one: &Cue| {
                let was_seen = one.at.is_some() && seen.iter().any(|(_, at)| together(map, *at, one.at));
                if was_seen && !one.always { one.score.div_ceil(2) } else { one.score }
            };
            // Whether something of more weight than `own` happens at another place before the tick `read`, by which the
            // headline of this moment would be read.
            let outdone = |own: u32, read: f64| {
                let more =
                    |next: &Cue| (next.always || weight(next) > own) && !together(map, next.at, cue.at);
                let mut after = cues[number + 1..].iter().take_while(|next| due(next) < read);
                pace.foresees && !cue.always && after.any(more)
            };
            let free_from = plan.headlines.read_by(now.start.max(cue.tick as f64));
            if together(map, now.at, cue.at) && (now.at.is_some() || due(cue) <= now.until) {
                now.until = now.until.max(cue.until as f64);
                now.shown.push((news_until(cue), cue.score));
                if !outdone(cue.score, free_from + pace.ticks(HEADLINE_TIME[0])) {
                    plan.headlines.push(now.start.max(cue.tick as f64), cue.score, cue.number);
                }
                continue;
            }
            let own = weight(cue);
            // Another shot waits until this one shows no news of the same score or a higher one.
            let keeps = now.shown.iter().filter(|(until, of)| !cue.always && *of >= own && *until > due(cue));
            let free = keeps.map(|(until, _)| *until).fold(due(cue), f64::max);
            let start = plan.headlines.read_by(free.max(now.read));
            let goes_on = cue.always || start + pace.ticks(VIEWING_TIME) <= cue.until as f64;
            if start > due(cue) + max_delay && !goes_on {
                continue;
            }
            let read = start.max(cue.tick as f64) + pace.ticks(HEADLINE_TIME[0]);
            if outdone(own, read) {
                continue;
            }
            let until = (cue.until as f64).clamp(read, read.max(start + pace.ticks(SHOT_HOLD)));
            seen.push((start, now.at));
            let back = start - pace.ticks(EASE + WHOLE_MAP_TIME);
            if pace.whole_between && pace.foresees && now.at.is_some() && cue.at.is_some() && back > now.start
            {
                plan.shots.push(Shot { start: back, at: None });
            }
            plan.shots.push(Shot { start, at: cue.at });
            let shown = vec![(news_until(cue).max(read), own)];
            now = Running { start, until, at: cue.at, read, shown };
            plan.headlines.drop_from(start);
            plan.headlines.push(start.max(cue.tick as f64), cue.score, cue.number);
        }
        if now.at.is_some() {
            plan.shots.push(Shot { start: now.until, at: None });
        }
        // Two shots of the same place one after the other are one.
        plan.shots.dedup_by(|later, earlier| later.at == earlier.at);
        plan
    }

    /// The number of the moment that is the headline at that tick; `None` without news, and while the camera is already
    /// at another place than the last headline's.
    pub fn headline(&self, tick: f64) -> Option<usize> {
        let (since, number) = self.headlines.at(tick)?;
        let shot = self.shots[self.shot_at(tick)];
        (shot.at.is_none() || shot.start <= since).then_some(number)
    }

    /// The index of the shot that is on at that tick.
    fn shot_at(&self, tick: f64) -> usize {
        self.shots.partition_point(|shot| shot.start <= tick).max(1) - 1
    }

    /// The camera at that tick.
    pub fn camera(&self, tick: f64, picture: ShotFrame, map: MapSize) -> Camera {
        let number = self.shot_at(tick);
        let (shot, before) = (self.shots[number], self.shots[number.saturating_sub(1)]);
        let share = self.pace.flown(tick - shot.start);
        between(map, aim(before, picture, map), aim(shot, picture, map), share)
    }
}

/// Whether one shot shows both places.
fn together(map: MapSize, one: Option<Position>, other: Option<Position>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => {
            let (dx, dy) = map.delta(one, other);
            dx.unsigned_abs().max(dy.unsigned_abs()) <= ONE_SHOT_DISTANCE
        }
        (None, None) => true,
        _ => false,
    }
}

/// The camera of a shot once it has come to rest.
fn aim(shot: Shot, ShotFrame { world, free, whole }: ShotFrame, map: MapSize) -> Camera {
    let Some(at) = shot.at else { return whole.sane(map) };
    let scale = free.h.min(free.w) / NEAR_SHOT_TILES;
    let scale = scale.min(NEAR_SHOT_MAX_SCALE).max(whole.scale * NEAR_SHOT_MIN_ZOOM);
    let near = Camera { scale, ..whole }.sane(map);
    near.holding(world, middle(at), free.centre()).sane(map)
}

/// The tile point, east and south, in the middle of a picture of the whole map: a torus may be cut open anywhere.
///
/// `news` are the ticks and places of what decides the match, in the order of their ticks. The picture stays as it is
/// unless such a place is seen near the picture's edge; then, at that tick, the place eases into the middle along that
/// axis. The picture never moves for anything else, and doesn't go back, so it depends on nothing that comes later.
pub fn whole_map_middle(
    map: MapSize,
    news: impl Iterator<Item = (f64, Position)>,
    pace: ViewPace,
    tick: f64,
) -> (f64, f64) {
    let sides = (f64::from(map.width()), f64::from(map.height()));
    let start = (sides.0 / 2.0, sides.1 / 2.0);
    let (mut from, mut to, mut since) = (start, start, f64::NEG_INFINITY);
    let at = |from: (f64, f64), to: (f64, f64), since: f64, tick: f64| {
        let (share, (dx, dy)) = (pace.flown(tick - since), shortest(map, from, to));
        (from.0 + dx * share, from.1 + dy * share)
    };
    for (when, place) in news.take_while(|(when, _)| *when <= tick) {
        let (dx, dy) = shortest(map, to, middle(place));
        // The picture moves by whole tiles, so that none is cut at its edges.
        let along = |to: f64, by: f64, side: f64| {
            if by.abs() > side * INNER_SHARE { to + by.round() } else { to }
        };
        let next = (along(to.0, dx, sides.0), along(to.1, dy, sides.1));
        if next != to {
            (from, to, since) = (at(from, to, since, when), next, when);
        }
    }
    at(from, to, since, tick)
}

/// Maps 0..=1 to 0..=1, slowly at both ends (smoothstep).
pub fn eased(share: f64) -> f64 {
    let share = share.clamp(0.0, 1.0);
    share * share * (3.0 - 2.0 * share)
}

/// The camera after a share (0 to 1) of the shortest way from one to the other; the scale changes by equal factors.
fn between(map: MapSize, from: Camera, to: Camera, share: f64) -> Camera {
    let (dx, dy) = shortest(map, (from.x, from.y), (to.x, to.y));
    let scale = f64::from(from.scale) * (f64::from(to.scale) / f64::from(from.scale)).powf(share);
    Camera { x: from.x + dx * share, y: from.y + dy * share, scale: scale as f32 }.sane(map)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const RECORD: ViewPace = ViewPace { rate: 100.0, foresees: true, whole_between: false, calm: false };
    const LIVE: ViewPace = ViewPace { foresees: false, ..RECORD };
    const WORLD: Rect = Rect::new(0.0, 0.0, 800.0, 600.0);

    /// A picture with panels over the lower part of the world and over its right.
    fn picture() -> ShotFrame {
        let mut whole = Camera::default();
        whole.fit(WORLD, map());
        ShotFrame { world: WORLD, free: Rect::new(0.0, 0.0, 700.0, 480.0), whole }
    }

    fn map() -> MapSize {
        MapSize::new(30, 20).unwrap()
    }

    fn cue(tick: Tick, x: u16, score: u32) -> Cue {
        Cue { tick, until: tick + 100, at: Some(Position { x, y: 5 }), score, always: false, number: 0 }
    }

    fn starts(cues: &[Cue], pace: ViewPace) -> Vec<(f64, Option<u16>)> {
        ShotPlan::of(map(), cues, pace).shots.iter().skip(1).map(|s| (s.start, s.at.map(|at| at.x))).collect()
    }

    #[test]
    fn a_record_is_there_before_the_moment_and_a_live_match_within_half_a_second() {
        let cues = [cue(1_000, 3, 50)];
        let plan = ShotPlan::of(map(), &cues, RECORD);
        let there = plan.camera(1_000.0, picture(), map());
        let seen = there.to_window(WORLD, (3.5, 5.5));
        assert!(seen.distance(picture().free.centre()) < 0.01, "in the middle of what stays free: {seen:?}");
        assert_eq!(plan.camera(960.0, picture(), map()), there, "some time before it happens");
        let live = ShotPlan::of(map(), &cues, LIVE);
        let whole = live.camera(0.0, picture(), map());
        assert_eq!(live.camera(1_000.0, picture(), map()), whole, "it knows nothing of what comes");
        assert_ne!(live.camera(1_050.0, picture(), map()), whole, "half a second later it is on its way");
    }

    #[test]
    fn what_matters_more_is_waited_for_and_what_matters_less_is_left() {
        assert_eq!(starts(&[cue(1_000, 3, 10), cue(1_120, 20, 50)], RECORD)[0], (1_010.0, Some(20)));
        assert_eq!(starts(&[cue(1_000, 3, 50), cue(1_120, 20, 10)], RECORD)[0], (890.0, Some(3)));
        assert_eq!(starts(&[cue(1_000, 3, 10), cue(1_150, 20, 50)], LIVE)[1], (1_250.0, Some(20)));
    }

    #[test]
    fn what_happens_at_the_same_place_is_one_shot() {
        let found = starts(&[cue(1_000, 3, 10), cue(1_200, 4, 50), cue(1_450, 3, 10)], RECORD);
        assert_eq!(found, [(890.0, Some(3)), (1_550.0, None)]);
    }

    #[test]
    fn a_place_where_much_happened_does_not_keep_the_camera_from_what_happens_elsewhere() {
        let long = |tick, x, score| Cue { until: tick + 420, ..cue(tick, x, score) };
        let busy = [long(1_000, 3, 60), long(1_350, 3, 20), long(1_700, 3, 20), cue(1_800, 20, 50)];
        assert_eq!(starts(&busy, RECORD)[..2], [(890.0, Some(3)), (1_690.0, Some(20))]);
        assert_eq!(
            starts(&busy, LIVE)[..2],
            [(1_000.0, Some(3)), (1_950.0, Some(20))],
            "when the last was read"
        );
    }

    #[test]
    fn what_breaks_is_always_shown_and_a_place_that_was_shown_counts_half() {
        let breaks = Cue { always: true, ..cue(1_120, 20, 50) };
        assert_eq!(starts(&[cue(1_000, 3, 52), breaks], RECORD)[0], (1_010.0, Some(20)));
        let long = Cue { until: 1_400, ..cue(1_000, 3, 90) };
        assert!(
            starts(&[long, breaks], LIVE).contains(&(1_250.0, Some(20))),
            "it waits for the reader alone"
        );
        let again = [cue(1_000, 3, 60), cue(1_300, 20, 40), cue(1_700, 3, 60), cue(1_720, 9, 31)];
        let found = starts(&again, RECORD);
        assert!(found.contains(&(1_610.0, Some(9))), "half of 60 is less: {found:?}");
    }

    #[test]
    fn a_headline_stands_until_it_was_read_and_the_heaviest_that_waits_comes_next() {
        let numbered = |number, cue: Cue| Cue { number, until: cue.tick + 400, ..cue };
        let cues: Vec<Cue> = [cue(1_000, 3, 60), cue(1_020, 3, 50), cue(1_040, 4, 80), cue(1_060, 3, 70)]
            .into_iter()
            .enumerate()
            .map(|(number, cue)| numbered(number, cue))
            .collect();
        let plan = ShotPlan::of(map(), &cues, RECORD);
        let headlines = [999.0, 1_000.0, 1_249.0, 1_250.0, 1_599.0, 1_600.0].map(|tick| plan.headline(tick));
        assert_eq!(headlines, [None, Some(0), Some(0), Some(2), Some(2), None]);
    }

    #[test]
    fn the_way_between_two_places_is_the_shortest_one() {
        let plan = ShotPlan::of(map(), &[cue(1_000, 2, 10), cue(1_150, 27, 50)], LIVE);
        let middle = plan.camera(1_285.0, picture(), map());
        assert!(!(6.0..27.0).contains(&middle.x), "{middle:?}");
        let cuts = ShotPlan { pace: ViewPace { calm: true, ..LIVE }, ..plan };
        let at = |tick| cuts.camera(tick, picture(), map());
        assert!(at(1_249.0) == at(1_010.0) && at(1_300.0) == at(1_370.0) && at(1_249.0) != at(1_300.0));
    }

    #[test]
    fn the_whole_map_is_laid_anew_only_for_what_decides_at_its_edge() {
        let at = |x, y| Position { x, y };
        let middle_at =
            |news: &[(f64, Position)], tick| whole_map_middle(map(), news.iter().copied(), RECORD, tick);
        let start = (15.0, 10.0);
        assert_eq!(middle_at(&[], 5_000.0), start);
        assert_eq!(middle_at(&[(1_000.0, at(17, 8))], 5_000.0), start, "it is seen well where it is");
        let edge = [(1_000.0, at(29, 9)), (2_000.0, at(1, 10)), (3_000.0, at(2, 0))];
        assert_eq!(middle_at(&edge, 999.0), start, "it knows nothing of what comes");
        let there = middle_at(&edge, 1_100.0);
        let (dx, _) = shortest(map(), there, (29.5, 9.5));
        assert!(dx.abs() < 1.0 && there.1 == start.1, "{there:?}: along the axis alone that asks for it");
        assert_eq!(there.0.fract(), 0.0, "no tile is cut at the edge");
        assert_eq!(middle_at(&edge, 2_500.0), there, "what is seen well by now moves nothing");
        let last = middle_at(&edge, 4_000.0);
        assert!(last.0 == there.0 && shortest(map(), last, (2.5, 0.5)).1.abs() < 1.0, "{last:?}");
        let mut before = start;
        for tick in 0..400 {
            let now = middle_at(&edge, 900.0 + 10.0 * f64::from(tick));
            let (dx, dy) = shortest(map(), before, now);
            assert!(dx.hypot(dy) < 4.0, "{tick}: it eases");
            before = now;
        }
    }

    fn any_cues() -> impl Strategy<Value = Vec<Cue>> {
        let one = (0u64..600, 0u16..30, 1u32..100, 50u64..400);
        proptest::collection::vec(one, 0..40).prop_map(|all| {
            let mut tick = 200;
            let cue = |(pause, x, score, lasts)| {
                tick += pause;
                Cue { until: tick + lasts, ..cue(tick, x, score) }
            };
            all.into_iter().map(cue).collect()
        })
    }

    proptest! {
        #[test]
        fn a_shot_stands_until_its_headline_was_read(cues in any_cues()) {
            for pace in [LIVE, RECORD] {
                let plan = ShotPlan::of(map(), &cues, pace);
                for pair in plan.shots[1..].windows(2) {
                    let stood = pair[1].start - pair[0].start;
                    prop_assert!(pair[0].at.is_none() || stood >= pace.ticks(HEADLINE_TIME[0]) - 1e-6, "{pair:?}");
                }
            }
        }

        #[test]
        fn each_headline_stands_its_time_and_the_picture_shows_its_place(mut cues in any_cues()) {
            (0..).zip(&mut cues).for_each(|(number, cue)| cue.number = number);
            for pace in [LIVE, RECORD] {
                let plan = ShotPlan::of(map(), &cues, pace);
                let (mut last, mut since) = (None, 0u32);
                for tick in 0..30_000u32 {
                    let now = plan.headline(f64::from(tick));
                    if now != last {
                        prop_assert!(last.is_none() || tick - since >= 250, "{last:?} from {since} to {tick}");
                        (last, since) = (now, tick);
                    }
                    let shot = plan.shots[plan.shot_at(f64::from(tick))];
                    let there = now.is_none_or(|now| together(map(), shot.at, cues[now].at));
                    prop_assert!(there || shot.at.is_none(), "{now:?}: {shot:?}");
                }
            }
        }

        #[test]
        fn what_was_shown_live_stays_as_it_was(cues in any_cues(), known in 0usize..40) {
            let known = known.min(cues.len());
            let all = ShotPlan::of(map(), &cues, LIVE);
            let some = ShotPlan::of(map(), &cues[..known], LIVE);
            let until = cues.get(known).map_or(100_000.0, |next| next.tick as f64 - 0.5);
            for tick in (0..300).map(|step| until - f64::from(step) * 7.0) {
                prop_assert_eq!(all.camera(tick, picture(), map()), some.camera(tick, picture(), map()));
                prop_assert_eq!(all.headline(tick), some.headline(tick));
            }
        }

        #[test]
        fn it_moves_without_a_leap(cues in any_cues()) {
            let plan = ShotPlan::of(map(), &cues, RECORD);
            let mut before = plan.camera(0.0, picture(), map());
            for tick in 1..2_000 {
                let now = plan.camera(f64::from(tick), picture(), map());
                let (dx, dy) = shortest(map(), (before.x, before.y), (now.x, now.y));
                prop_assert!(dx.hypot(dy) < 0.6 && (now.scale / before.scale - 1.0).abs() < 0.1);
                before = now;
            }
        }
    }
}
