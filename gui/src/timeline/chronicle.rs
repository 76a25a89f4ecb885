//! The whole match at a glance: what the feed, the timeline's marks, the charts and the closing screen tell.
//!
//! A fold over all messages from the start. Bounded: of a match that is longer than the limits the oldest
//! entries go, numbers and firsts stay. Tested in `tests/chronicle.rs`.

use std::collections::VecDeque;
use std::sync::Arc;

use zappy_protocol::zappy::observer::Message;
use zappy_protocol::zappy::{Level, PlayerId};
use zappy_protocol::{TeamName, Tick};

use super::happening::{Happening, What};
use super::roster::{Roster, TeamIndex};
use super::series::{Series, Standing, standings};
use super::stage::{Stage, Told};

/// Entries kept apart from broadcasts and items.
const ENTRY_LIMIT: usize = 100_000;
/// Broadcasts kept; they come by the thousand and would push everything else out.
const WORD_LIMIT: usize = 50_000;
/// Items kept that were taken or put down.
const ITEM_LIMIT: usize = 50_000;
/// Marks of the timeline kept.
const MARK_LIMIT: usize = 100_000;
/// Changes of the lead kept.
const LEAD_LIMIT: usize = 10_000;

/// Who leads from a tick on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lead {
    /// Since when, in ticks.
    pub since: Tick,
    /// Who; nobody while the first two are equal.
    pub team: Option<TeamIndex>,
}

/// What a timeline marks: small, so that a frame can look at all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// A rite ended.
    Rite {
        /// The level it was for; unknown if its beginning wasn't told.
        to: Option<Level>,
        /// Whose it was.
        team: Option<TeamIndex>,
        /// Whether its players rose.
        success: bool,
    },
    /// A player died or left.
    Death,
}

/// How a match ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ending {
    /// When, in ticks.
    pub tick: Tick,
    /// The reason in the record's word, if one was told: `elevation`, `time`, …
    pub reason: Option<String>,
    /// Who has won.
    pub winner: Option<TeamName>,
}

/// What a team did in all.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tally {
    /// Players that came in.
    pub joined: u32,
    /// Players that died or left.
    pub died: u32,
    /// Incantations it began that succeeded.
    pub rites_won: u32,
    /// Incantations it began that failed.
    pub rites_failed: u32,
    /// Broadcasts.
    pub words: u32,
    /// Pushes.
    pub pushes: u32,
    /// Eggs its players laid.
    pub eggs: u32,
    /// Units of food taken.
    pub meals: u32,
    /// Stones taken.
    pub stones: u32,
    /// The tick at which one of it first reached a level; the first entry is level 1.
    pub first_at: [Option<Tick>; 8],
}

/// An entry of the chronicle: what happened, and its place among all of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Noted {
    /// Counts all entries from 0; orders those of one tick.
    pub number: u64,
    /// What happened.
    pub happening: Arc<Happening>,
}

/// The whole match at a glance.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Chronicle {
    entries: VecDeque<Noted>,
    words: VecDeque<Noted>,
    items: VecDeque<Noted>,
    noted: u64,
    marks: VecDeque<(Tick, Mark)>,
    leads: VecDeque<Lead>,
    tallies: Vec<Tally>,
    series: Series,
    ending: Option<Ending>,
    until: Tick,
}

impl Chronicle {
    /// Entries apart from broadcasts and items, the oldest first.
    #[must_use]
    pub fn entries(&self) -> &VecDeque<Noted> {
        &self.entries
    }

    /// Broadcasts, the oldest first.
    #[must_use]
    pub fn words(&self) -> &VecDeque<Noted> {
        &self.words
    }

    /// Items taken and put down, the oldest first.
    #[must_use]
    pub fn items(&self) -> &VecDeque<Noted> {
        &self.items
    }

    /// Everything noted up to that tick that passes, the newest first; looks at no more than `budget` entries.
    pub fn backwards<'a>(
        &'a self,
        until: Tick,
        budget: usize,
        passes: impl Fn(&Happening) -> bool + 'a,
    ) -> impl Iterator<Item = &'a Noted> + 'a {
        let lists = [&self.entries, &self.words, &self.items];
        let mut ends = lists.map(|list| list.partition_point(|noted| noted.happening.tick <= until));
        let newest = std::iter::from_fn(move || {
            let last = |list: usize| ends[list].checked_sub(1).map(|index| &lists[list][index]);
            let list = (0..lists.len()).max_by_key(|&list| last(list).map(|noted| noted.number))?;
            let noted = last(list)?;
            ends[list] -= 1;
            Some(noted)
        });
        newest.take(budget).filter(move |noted| passes(&noted.happening))
    }

    /// The last thing a player said up to that tick.
    #[must_use]
    pub fn last_words(&self, player: PlayerId, until: Tick) -> Option<&Arc<Happening>> {
        let end = self.words.partition_point(|noted| noted.happening.tick <= until);
        let said = |noted: &&Noted| matches!(noted.happening.what, What::Broadcast(who, _) if who == player);
        self.words.range(..end).rev().take(WORD_LIMIT / 5).find(said).map(|noted| &noted.happening)
    }

    /// Who leads at that tick and since when; nothing before anybody joined.
    #[must_use]
    pub fn lead(&self, tick: Tick) -> Option<Lead> {
        let after = self.leads.partition_point(|lead| lead.since <= tick);
        after.checked_sub(1).map(|index| self.leads[index])
    }

    /// What a timeline marks, with its tick, the oldest first.
    #[must_use]
    pub fn marks(&self) -> &VecDeque<(Tick, Mark)> {
        &self.marks
    }

    /// Every change of the lead, the oldest first.
    #[must_use]
    pub fn leads(&self) -> &VecDeque<Lead> {
        &self.leads
    }

    /// What each team did in all, in the roster's order; teams that did nothing may be missing.
    #[must_use]
    pub fn tallies(&self) -> &[Tally] {
        &self.tallies
    }

    /// Numbers over time.
    #[must_use]
    pub fn series(&self) -> &Series {
        &self.series
    }

    /// How the match ended, if it did.
    #[must_use]
    pub fn ending(&self) -> Option<&Ending> {
        self.ending.as_ref()
    }

    /// The last tick that was told of.
    #[must_use]
    pub fn until(&self) -> Tick {
        self.until
    }

    fn note(&mut self, happening: &Arc<Happening>) {
        let (list, limit) = match happening.what {
            What::Broadcast(..) => (&mut self.words, WORD_LIMIT),
            What::Took(..) | What::Dropped(..) => (&mut self.items, ITEM_LIMIT),
            _ => (&mut self.entries, ENTRY_LIMIT),
        };
        if list.len() == limit {
            list.pop_front();
        }
        list.push_back(Noted { number: self.noted, happening: Arc::clone(happening) });
        self.noted += 1;
    }

    fn mark(&mut self, happening: &Happening, roster: &Roster) {
        let mark = match &happening.what {
            What::RiteEnded { level, players, success, .. } => Mark::Rite {
                to: level.and_then(Level::next),
                team: players.first().and_then(|player| roster.team_of(*player)),
                success: *success,
            },
            What::Died(..) => Mark::Death,
            _ => return,
        };
        if self.marks.len() == MARK_LIMIT {
            self.marks.pop_front();
        }
        self.marks.push_back((happening.tick, mark));
    }

    fn tally(&mut self, happening: &Happening, roster: &Roster) {
        let Some(TeamIndex(team)) = happening.what.player().and_then(|player| roster.team_of(player)) else {
            return;
        };
        if self.tallies.len() <= team {
            self.tallies.resize_with(team + 1, Tally::default);
        }
        let tally = &mut self.tallies[team];
        let count = match &happening.what {
            What::Joined(_) => &mut tally.joined,
            What::Died(..) => &mut tally.died,
            What::RiteEnded { success: true, .. } => &mut tally.rites_won,
            What::RiteEnded { success: false, .. } => &mut tally.rites_failed,
            What::Broadcast(..) => &mut tally.words,
            What::Ejected { .. } => &mut tally.pushes,
            What::EggLaid(..) => &mut tally.eggs,
            What::Took(_, zappy_protocol::zappy::Resource::Food) => &mut tally.meals,
            What::Took(..) => &mut tally.stones,
            What::Level { to, .. } => {
                let first = &mut tally.first_at[usize::from(to.get()) - 1];
                *first = first.or(Some(happening.tick));
                return;
            }
            _ => return,
        };
        *count = count.saturating_add(1);
    }

    fn look_who_leads(&mut self, tick: Tick, stage: &Stage, roster: &Roster) {
        let ranks: Vec<_> = standings(stage.mirror(), roster).iter().map(Standing::rank).collect();
        let Some(best) = ranks.iter().max().filter(|rank| rank.iter().any(|&n| n > 0)) else { return };
        let mut leaders = (0..ranks.len()).filter(|&team| ranks[team] == *best);
        let first = leaders.next().map(TeamIndex);
        let team = if leaders.next().is_some() { None } else { first };
        if self.leads.back().is_some_and(|lead| lead.team == team) {
            return;
        }
        // Within a tick only what stands at its end counts.
        if self.leads.back().is_some_and(|lead| lead.since == tick) {
            self.leads.pop_back();
            if self.leads.back().is_some_and(|lead| lead.team == team) {
                return;
            }
        }
        if self.leads.len() == LEAD_LIMIT {
            self.leads.pop_front();
        }
        self.leads.push_back(Lead { since: tick, team });
    }
}

/// Folds messages into the stage of the newest tick, the roster and the chronicle.
#[derive(Debug, Clone, Default)]
pub struct Chronicler {
    /// What is known at the newest tick.
    pub stage: Stage,
    /// What stays true.
    pub roster: Roster,
    /// The match so far.
    pub chronicle: Chronicle,
}

impl Chronicler {
    /// Nothing was told yet.
    #[must_use]
    pub fn new() -> Chronicler {
        Chronicler::default()
    }

    /// Takes a whole snapshot of that tick in: nothing of it happened just now.
    pub fn restore(&mut self, tick: Tick, snapshot: &[Message]) {
        self.stage = Stage::restored(tick, snapshot);
        for message in snapshot {
            self.roster.apply(tick, message);
        }
        self.advance(tick);
        self.chronicle.look_who_leads(tick, &self.stage, &self.roster);
    }

    /// Lets time pass without news.
    pub fn advance(&mut self, tick: Tick) {
        if self.chronicle.ending.is_some() {
            return;
        }
        self.stage.advance(tick);
        self.chronicle.until = self.chronicle.until.max(tick);
        if self.stage.mirror().size.is_some() {
            self.chronicle.series.note(tick, self.stage.mirror(), &self.roster);
        }
    }

    /// Takes one message of that tick in.
    pub fn take(&mut self, tick: Tick, message: &Message) -> Told {
        self.advance(tick);
        let told = self.stage.apply(tick, message);
        if told.beyond {
            return told;
        }
        self.roster.apply(tick, message);
        if let Some(happening) = &told.happening {
            self.chronicle.note(happening);
            self.chronicle.mark(happening, &self.roster);
            self.chronicle.tally(happening, &self.roster);
            match &happening.what {
                What::Joined(_) | What::Died(..) | What::Level { .. } => {
                    self.chronicle.look_who_leads(tick, &self.stage, &self.roster);
                }
                What::Won(team) => {
                    let winner = Some(team.clone());
                    self.chronicle.ending = Some(Ending { tick, reason: None, winner });
                }
                _ => {}
            }
        }
        told
    }

    /// A dump is over: who stands in it didn't just join, but may lead.
    pub fn after_dump(&mut self, tick: Tick) {
        if self.chronicle.ending.is_none() {
            self.chronicle.look_who_leads(tick, &self.stage, &self.roster);
        }
    }

    /// The match ended, as the record says.
    pub fn end(&mut self, tick: Tick, reason: &str, winner: Option<TeamName>) {
        self.chronicle.until = self.chronicle.until.max(tick);
        self.chronicle.ending = Some(Ending { tick, reason: Some(reason.to_owned()), winner });
    }
}
