//! The moments that matter: what the director shows, what is heard, and what is replayed at the end.
//!
//! A score says how much a moment decides, compared with others: what may win and what prevents it before levels, high
//! levels before low ones. Never draws. Tested in this module.

use std::collections::VecDeque;
use std::sync::Arc;

use zappy_protocol::zappy::Level;
use zappy_protocol::zappy::constants::INCANTATION_TICKS;
use zappy_protocol::zappy::story::{Happening, TeamIndex};
use zappy_protocol::{MapSize, Position, Tick};

use super::attempt::AttemptOutcome;
use zappy_observer::director::Cue;
use zappy_observer::led::decisive;
use zappy_observer::sound::{CHANT_STEPS, Sound, SoundCue};

/// Moments on one tile belong to one story if at most so many ticks apart: an incantation, and what comes of it.
const STORY_TICKS: Tick = 330;
/// A moment without a tile, such as the end, belongs to the story of one at most so many ticks away.
const PLACELESS_TICKS: Tick = 60;
/// Ticks for which a moment is worth a look.
const LOOK: Tick = 120;
/// The least level of which a death matters.
const DEATH_LEVEL: u8 = 3;
/// How many pushed players add to a push's score at most, and what it adds that the incantation is broken.
const PUSHED_LIMIT: u32 = 12;
const BREAK_SCORE: u32 = 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MomentKind {
    /// An incantation for that level began; `true` if its team may win by it.
    Begins(Level, bool),
    Ends {
        /// The level that it was for.
        to: Level,
        outcome: AttemptOutcome,
        /// Whether its team wins by it, or would have won.
        wins: bool,
        /// Whether no team had reached the level before.
        first: bool,
    },
    /// Participants of an incantation were pushed away.
    Pushed {
        /// The level that it was for.
        to: Level,
        /// Whether its team might have won by it.
        wins: bool,
        /// Players that the push moved.
        moved: u32,
        /// Whether too few are left by this push.
        breaks: bool,
    },
    /// A player of that level died or left.
    Dies(Level),
    /// The lead went to that team; `true` if another one had it before.
    Leads(TeamIndex, bool),
    Over,
}

impl MomentKind {
    /// How much it decides, above 0; 0 for what isn't worth a look.
    pub fn score(self) -> u32 {
        let by = |base: u32, each: u32, level: Level| base + each * u32::from(level.get());
        match self {
            MomentKind::Over => 200,
            MomentKind::Ends { wins: true, outcome: AttemptOutcome::Risen, .. } => 210,
            MomentKind::Ends { wins: true, .. } => 130,
            MomentKind::Pushed { wins: true, .. } => 125,
            MomentKind::Begins(_, true) => 120,
            MomentKind::Pushed { to, moved, breaks, .. } => {
                (by(22, 8, to) + 2 * moved.min(PUSHED_LIMIT) + if breaks { BREAK_SCORE } else { 0 }).min(118)
            }
            MomentKind::Ends { outcome: AttemptOutcome::Risen, to, first, .. } => {
                by(if first { 24 } else { 8 }, 8, to)
            }
            MomentKind::Ends { to, .. } => by(6, 7, to),
            MomentKind::Begins(level, false) => by(4, 6, level),
            MomentKind::Dies(level) if level.get() < DEATH_LEVEL => 0,
            MomentKind::Dies(level) => by(6, 8, level),
            MomentKind::Leads(_, true) => 40,
            MomentKind::Leads(_, false) => 12,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatchMoment {
    pub kind: MomentKind,
    /// What happened, as messages said it.
    pub happening: Arc<Happening>,
    /// Where the camera looks; `None` is the whole map.
    pub at: Option<Position>,
}

impl MatchMoment {
    pub fn tick(&self) -> Tick {
        self.happening.tick
    }

    /// Whether an incantation is broken by it.
    pub fn breaks(&self) -> bool {
        matches!(self.kind, MomentKind::Pushed { breaks: true, .. })
    }

    /// The director's cue for it; `number` is its place among the match's moments.
    pub fn cue(&self, number: usize) -> Cue {
        let after = if matches!(self.kind, MomentKind::Begins(..)) { INCANTATION_TICKS + LOOK } else { LOOK };
        let score = self.kind.score();
        Cue {
            tick: self.tick(),
            until: self.tick() + after,
            at: self.at,
            score,
            always: self.breaks(),
            number,
        }
    }
}

/// Whether both belong to one story.
fn one_story(one: &MatchMoment, other: &MatchMoment) -> bool {
    let apart = one.tick().abs_diff(other.tick());
    let nowhere = one.at.is_none() || other.at.is_none();
    apart <= if nowhere { PLACELESS_TICKS } else { STORY_TICKS } && (one.at == other.at || nowhere)
}

/// The moments that decided the match.
pub fn highlights(moments: &VecDeque<MatchMoment>) -> Vec<&MatchMoment> {
    decisive(moments, |moment| (moment.kind.score(), moment.tick()), one_story)
}

/// The sounds after the first tick, up to the second one: those of moments, and a chant while an incantation runs by
/// which a team may win, or reach a level that none has.
pub fn sounds(
    moments: &VecDeque<MatchMoment>,
    size: Option<MapSize>,
    (after, until): (Tick, Tick),
) -> Vec<SoundCue> {
    let from = moments.partition_point(|one| one.tick() + INCANTATION_TICKS <= after);
    let to = moments.partition_point(|one| one.tick() <= until);
    let first = |one: &MatchMoment| match one.kind {
        MomentKind::Ends { to, first: true, .. } => Some(to),
        _ => None,
    };
    let mut highest = moments.range(..from).rev().find_map(first);
    let mut cues = Vec::new();
    for (number, one) in (from..to).map(|number| (number, &moments[number])) {
        let mut hear = |tick: Tick, sound| {
            if after < tick && tick <= until {
                cues.push(SoundCue::at(tick, sound, one.at, size));
            }
        };
        match one.kind {
            MomentKind::Begins(level, wins) if wins || highest < Some(level) => {
                let over = |later: &&MatchMoment| match later.kind {
                    MomentKind::Ends { .. } | MomentKind::Pushed { breaks: true, .. } => later.at == one.at,
                    kind => kind == MomentKind::Over,
                };
                let end = moments.range(number + 1..).find(over).map_or(Tick::MAX, MatchMoment::tick);
                for step in 0..CHANT_STEPS {
                    let tick = one.tick() + INCANTATION_TICKS * Tick::from(step) / Tick::from(CHANT_STEPS);
                    if tick < end {
                        hear(tick, Sound::Chant(step));
                    }
                }
            }
            MomentKind::Ends { to, outcome: AttemptOutcome::Risen, .. } => {
                hear(one.tick(), Sound::Chord(to.get()));
            }
            MomentKind::Ends { .. } => hear(one.tick(), Sound::Shatter),
            MomentKind::Pushed { .. } => hear(one.tick(), Sound::Push),
            MomentKind::Dies(_) => hear(one.tick(), Sound::Death),
            MomentKind::Leads(_, true) => hear(one.tick(), Sound::Lead),
            MomentKind::Over => hear(one.tick(), Sound::Fanfare),
            MomentKind::Begins(..) | MomentKind::Leads(_, false) => {}
        }
        highest = first(one).or(highest);
    }
    cues
}

#[cfg(test)]
mod tests {
    use super::*;
    use zappy_protocol::zappy::story::What;

    fn level(level: u8) -> Level {
        Level::new(level).unwrap()
    }

    fn pushed(to: u8, wins: bool, moved: u32, breaks: bool) -> MomentKind {
        MomentKind::Pushed { to: level(to), wins, moved, breaks }
    }

    fn moment(tick: Tick, x: u16, kind: MomentKind) -> MatchMoment {
        let at = Some(Position { x, y: 1 });
        MatchMoment { kind, happening: Arc::new(Happening { tick, at, what: What::Rate(1) }), at }
    }

    #[test]
    fn what_decides_more_has_the_higher_score() {
        let ends = |to, wins, outcome| MomentKind::Ends { to: level(to), outcome, wins, first: false };
        let order = [
            ends(8, true, AttemptOutcome::Risen),
            MomentKind::Over,
            ends(8, true, AttemptOutcome::Failed(None)),
            pushed(8, true, 1, false),
            MomentKind::Begins(level(8), true),
            pushed(8, false, 12, true),
            pushed(8, false, 1, false),
            pushed(2, false, 12, true),
            ends(8, false, AttemptOutcome::Risen),
            MomentKind::Dies(level(7)),
            MomentKind::Dies(level(5)),
            ends(2, false, AttemptOutcome::Risen),
            MomentKind::Dies(level(2)),
        ];
        let scores: Vec<u32> = order.iter().map(|kind| kind.score()).collect();
        assert!(scores.windows(2).all(|pair| pair[0] > pair[1]), "{scores:?}");
        assert_eq!(MomentKind::Dies(level(2)).score(), 0);
    }

    #[test]
    fn each_moment_is_heard_from_its_side_and_a_chant_rises_until_its_incantation_is_over() {
        let ends = |to, outcome, first| MomentKind::Ends { to: level(to), outcome, wins: false, first };
        let (risen, failed) = (AttemptOutcome::Risen, AttemptOutcome::Failed(None));
        let all = VecDeque::from([
            moment(100, 0, MomentKind::Begins(level(2), false)),
            moment(250, 9, MomentKind::Begins(level(3), false)),
            moment(330, 9, pushed(3, false, 2, true)),
            moment(400, 0, ends(2, risen, true)),
            moment(400, 0, MomentKind::Leads(TeamIndex(1), true)),
            moment(450, 0, MomentKind::Begins(level(2), false)),
            moment(550, 9, ends(3, failed, false)),
            moment(600, 5, MomentKind::Dies(level(3))),
            moment(610, 5, MomentKind::Begins(level(2), true)),
            moment(660, 5, MomentKind::Over),
        ]);
        let heard = |after, until| {
            let mut cues = sounds(&all, MapSize::new(10, 10), (after, until));
            cues.sort_by_key(|cue| cue.tick);
            cues.iter().map(|cue| format!("{} {:?} {:.2}", cue.tick, cue.sound, cue.pan)).collect::<Vec<_>>()
        };
        let expected = [
            "100 Chant(0) -0.63",
            "130 Chant(1) -0.63",
            "160 Chant(2) -0.63",
            "190 Chant(3) -0.63",
            "220 Chant(4) -0.63",
            "250 Chant(5) -0.63",
            "250 Chant(0) 0.63",
            "280 Chant(6) -0.63",
            "280 Chant(1) 0.63",
            "310 Chant(7) -0.63",
            "310 Chant(2) 0.63",
            "330 Push 0.63",
            "340 Chant(8) -0.63",
            "370 Chant(9) -0.63",
            "400 Chord(2) -0.63",
            "400 Lead -0.63",
            "550 Shatter 0.63",
            "600 Death 0.07",
            "610 Chant(0) 0.07",
            "640 Chant(1) 0.07",
            "660 Fanfare 0.07",
        ];
        assert_eq!(heard(0, 1_000), expected);
        let piece_by_piece: Vec<String> = (0..100).flat_map(|n| heard(7 * n, 7 * n + 7)).collect();
        assert_eq!(piece_by_piece, expected, "however short a frame is");
    }

    #[test]
    fn five_moments_of_five_stories_tell_the_match() {
        let mut all: VecDeque<MatchMoment> =
            (1..=8).map(|n| moment(1_000 * u64::from(n), 2, MomentKind::Dies(level(n.max(3))))).collect();
        all.push_back(moment(8_100, 2, pushed(8, true, 1, true)));
        let found: Vec<(Tick, u32)> = highlights(&all).iter().map(|m| (m.tick(), m.kind.score())).collect();
        assert_eq!(
            found.iter().map(|(tick, _)| *tick).collect::<Vec<_>>(),
            [4_000, 5_000, 6_000, 7_000, 8_100]
        );
        assert!(highlights(&VecDeque::new()).is_empty());
    }
}
