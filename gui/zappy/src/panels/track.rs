//! What the timeline marks: incantations, deaths and the end, gathered in buckets a few points wide to stay legible, and
//! the stretches in which a team leads.
//!
//! Where several incantations fall together, the success with the highest level is drawn, or a failure if none
//! succeeded; the tooltip counts them all. Buckets are made of the chronicle's marks and its finish alone, never of its
//! entries. Tested in this module.

use zappy_protocol::Tick;
use zappy_protocol::text::clock;
use zappy_protocol::zappy::story::TeamIndex;
use zappy_protocol::zappy::{Level, PlayerId};

use super::{Ui, scoreboard};
use crate::timeline::chronicle::{Chronicle, Mark};
use crate::view::{Choice, Shown, known_until};
use zappy_observer::ink::{Point, Rect};
use zappy_observer::panels::kit::count;
use zappy_observer::panels::transport::{self, Marks, Strip};
use zappy_observer::theme;
use zappy_observer::torus::cross;

/// The width of a bucket, in points.
const BUCKET: f32 = 3.0;

/// What falls together in a few points of the timeline.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Bucket {
    /// Incantations that succeeded.
    pub successes: u32,
    pub failures: u32,
    /// The highest level that an incantation led to.
    pub best_success: u8,
    /// The team of that incantation.
    pub team: Option<TeamIndex>,
    /// Players that died or left.
    pub deaths: u32,
    /// Whether the match ended here, won or not.
    pub ended: bool,
}

impl Bucket {
    /// What falls into it, in a few words; empty if nothing does.
    pub fn says(&self) -> String {
        let mut parts = Vec::new();
        if self.ended {
            parts.push("the end".to_owned());
        }
        if self.successes > 0 {
            let succeeded = count(self.successes, "incantation", "incantations");
            parts.push(format!("{succeeded} to level {}", self.best_success));
        }
        if self.failures > 0 {
            parts.push(format!("{} failed", count(self.failures, "incantation", "incantations")));
        }
        if self.deaths > 0 {
            parts.push(count(self.deaths, "death", "deaths"));
        }
        parts.join(", ")
    }
}

/// The marks from `first` to `last` in `number` buckets; nothing after the tick `known_until` is marked.
pub fn buckets(
    chronicle: &Chronicle,
    (first, last): (Tick, Tick),
    known_until: Tick,
    number: usize,
) -> Vec<Bucket> {
    let mut buckets = vec![Bucket::default(); number];
    if number == 0 {
        return buckets;
    }
    let is_known = |tick: Tick| (first..=last.min(known_until)).contains(&tick);
    for &(tick, mark) in chronicle.marks.iter().filter(|(tick, _)| is_known(*tick)) {
        let bucket = &mut buckets[bucket_index(tick, (first, last), number)];
        match mark {
            Mark::Death => bucket.deaths += 1,
            Mark::Incantation { success: false, .. } => bucket.failures += 1,
            Mark::Incantation { to, team, .. } => {
                bucket.successes += 1;
                let to = to.map_or(1, Level::get);
                if to > bucket.best_success {
                    (bucket.best_success, bucket.team) = (to, team);
                }
            }
        }
    }
    if let Some(ending) = chronicle.finish.as_ref().filter(|ending| is_known(ending.tick)) {
        buckets[bucket_index(ending.tick, (first, last), number)].ended = true;
    }
    buckets
}

/// The bucket of a tick.
pub fn bucket_index(tick: Tick, (first, last): (Tick, Tick), number: usize) -> usize {
    let span = last.saturating_sub(first).max(1);
    let share = tick.saturating_sub(first) as f64 / span as f64;
    // A cast from a float saturates.
    ((share * number as f64) as usize).min(number.saturating_sub(1))
}

/// The stretches of the timeline up to `known_until` in which a team leads: where each begins and ends, as shares of the
/// timeline from 0 to 1, and the team.
pub fn leads(
    chronicle: &Chronicle,
    (first, last): (Tick, Tick),
    known_until: Tick,
) -> Vec<(f32, f32, TeamIndex)> {
    let span = last.saturating_sub(first).max(1) as f64;
    let share = |tick: Tick| (tick.saturating_sub(first) as f64 / span).clamp(0.0, 1.0) as f32;
    let list = &chronicle.leads;
    let until = chronicle.until.min(last).min(known_until);
    let mut found: Vec<(f32, f32, TeamIndex)> = Vec::new();
    for (i, lead) in list.iter().enumerate() {
        let Some(team) = lead.team else { continue };
        let to = list.get(i + 1).map_or(until, |next| next.since.min(until));
        let (from, to) = (share(lead.since), share(to));
        if to > from {
            found.push((from, to, team));
        }
    }
    found
}

/// What hovering over the timeline says.
pub fn hover(tick: Tick, rate: u32, bucket: &Bucket) -> String {
    let says = bucket.says();
    let at = clock(tick, rate);
    if says.is_empty() { at } else { format!("{at}: {says}") }
}

/// The marks of this game on the timeline.
pub struct MatchMarks<'a>(pub &'a Shown<'a>);

impl MatchMarks<'_> {
    fn buckets(&self, strip: &Strip) -> Vec<Bucket> {
        // A cast from a float saturates.
        let many = (strip.rect.w / BUCKET).max(0.0) as usize;
        buckets(&self.0.story.chronicle, strip.span, known_until(self.0), many)
    }
}

impl Marks<Choice> for MatchMarks<'_> {
    fn draw(&self, ui: &mut Ui<'_>, strip: &Strip) {
        let (shown, base) = (self.0, strip.base);
        for (from, to, team) in leads(&shown.story.chronicle, strip.span, known_until(shown)) {
            let color = shown.look(Some(team)).color;
            let part =
                |from: f32, to: f32| Rect::new(base.x + base.w * from, base.y, base.w * (to - from), base.h);
            ui.canvas.rect(part(from, to.min(strip.now).max(from)), color);
            ui.canvas.rect(part(from.max(strip.now).min(to), to), color.alpha(0.38));
        }
        for (i, bucket) in self.buckets(strip).iter().enumerate() {
            // Above the line: a stick, the higher the better the level, or a cross if all incantations failed. Below: deaths.
            let x = strip.rect.x + BUCKET * i as f32 + BUCKET / 2.0;
            let foot = strip.rect.y + 18.0;
            let stick = |high: f32| Rect::new(x - 1.0, foot - high, 2.0, high);
            if bucket.successes > 0 {
                ui.canvas
                    .rect(stick(3.0 + f32::from(bucket.best_success) * 1.6), shown.look(bucket.team).color);
            } else if bucket.failures > 0 {
                // A cross, since a failure told by red alone could be taken for the orange of a team.
                cross(ui.canvas, Point::new(x, foot - 3.5), 2.2, 1.5, theme::BAD);
            }
            if bucket.deaths > 0 {
                let high = (2.0 + bucket.deaths as f32).min(6.0);
                ui.canvas.rect(Rect::new(x - 1.0, strip.rect.y + 27.5, 2.0, high), theme::TEXT_SOFT);
            }
            if bucket.ended {
                transport::draw_end(ui, strip, x);
            }
        }
        let team = |player| shown.look(shown.story.roster.team_of(PlayerId(player)));
        transport::draw_notes(ui, strip, shown.notes, |player| team(player).color);
    }

    fn hover(&self, strip: &Strip, tick: Tick) -> String {
        let buckets = self.buckets(strip);
        // Neighbouring buckets count as well, because three points are hard to hit with a mouse.
        let at = bucket_index(tick, strip.span, buckets.len());
        let near = [at, at.saturating_sub(1), at + 1];
        let nearest =
            near.into_iter().filter_map(|i| buckets.get(i)).find(|bucket| !bucket.says().is_empty());
        let mut says = hover(tick, self.0.story.chronicle.rate(), nearest.unwrap_or(&Bucket::default()));
        let lead = scoreboard::hover(self.0, tick);
        if !lead.is_empty() {
            says = format!("{says} · {lead}");
        }
        transport::with_notes(says, strip, self.0.notes, tick)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::panels::testing::ScriptedMatch;

    #[test]
    fn nothing_important_is_lost_however_narrow_the_timeline() {
        let mut lines = vec!["0 msz 9 9".to_owned(), "0 tna red".to_owned(), "0 ppo #9 0 0 1".to_owned()];
        for player in 0..40 {
            lines.push(format!("{} pnw #{player} 1 1 1 1 red", player + 1));
            lines.push(format!("{} pic 1 1 {} #{player}", player + 100, player % 7 + 1));
            lines.push(format!("{} pie 1 1 {}", player + 400, player % 2));
            lines.push(format!("{} pdi #{player}", player + 500));
        }
        lines.push("900 seg red".to_owned());
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let scene = ScriptedMatch::of(&lines);
        let chronicler = &scene.chronicler;
        for many in [1, 2, 3, 50, 1_000] {
            let all = buckets(&chronicler.overview.chronicle, (0, 900), Tick::MAX, many);
            let sum = |of: fn(&Bucket) -> u32| all.iter().map(of).sum::<u32>();
            assert_eq!((sum(|b| b.successes), sum(|b| b.failures), sum(|b| b.deaths)), (20, 20, 40));
            assert!(all.last().unwrap().ended);
            assert_eq!(all.iter().map(|bucket| bucket.best_success).max(), Some(8));
        }
        assert!(buckets(&chronicler.overview.chronicle, (0, 900), Tick::MAX, 0).is_empty());
        let early = buckets(&chronicler.overview.chronicle, (0, 900), 100, 50);
        assert!(early.iter().all(|bucket| bucket.says().is_empty()), "nothing of later is known");
    }

    #[test]
    fn hovering_says_the_time_and_what_is_there() {
        let bucket = Bucket { successes: 2, best_success: 4, deaths: 1, ..Bucket::default() };
        assert_eq!(hover(4_000, 100, &bucket), "40.0 s: 2 incantations to level 4, 1 death");
        assert_eq!(hover(4_000, 100, &Bucket::default()), "40.0 s");
    }

    #[test]
    fn leads_tell_who_leads_when() {
        let scene = ScriptedMatch::small_match();
        let stretches = leads(&scene.chronicler.overview.chronicle, (0, 950), Tick::MAX);
        assert!(stretches.windows(2).all(|pair| pair[0].1 <= pair[1].0 + 1e-6), "{stretches:?}");
        assert_eq!(stretches.last().map(|(_, to, team)| (*to, team.0)), Some((1.0, 1)));
    }
}
