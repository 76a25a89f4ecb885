//! The whole match at a glance: what the feed, the timeline's marks, the charts and the closing screen tell.
//!
//! A fold over all messages from the start. Bounded: of a match that is longer than the limits the oldest
//! entries go, numbers and firsts stay. Tested in `tests/chronicle.rs`.

use std::collections::VecDeque;
use std::sync::Arc;

use zappy_protocol::zappy::mirror::{Mirror, MirrorPlayer};
use zappy_protocol::zappy::observer::Message;
use zappy_protocol::zappy::story::{Deeds, Happening, Roster, TeamIndex, What, leader, strengths};
use zappy_protocol::zappy::{Level, PlayerId};
use zappy_protocol::{TeamName, Tick};

use super::series::Series;
use super::stage::{Stage, Told};
use crate::timeline::fold::{History, Odd, Role};

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

/// Which team leads from a tick on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lead {
    /// Since when, in ticks.
    pub since: Tick,
    /// The leading team; `None` while the first two are equal.
    pub team: Option<TeamIndex>,
}

/// What a timeline marks: small, so that a frame can look at all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// An incantation ended.
    Incantation {
        /// The level it was for; unknown if its beginning wasn't told.
        to: Option<Level>,
        /// The team that held it.
        team: Option<TeamIndex>,
        /// Whether its players rose.
        success: bool,
    },
    /// A player died or left.
    Death,
}

/// How a match ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finish {
    /// When, in ticks.
    pub tick: Tick,
    /// The reason in the record's word, if one was told: `elevation`, `time`, …
    pub reason: Option<String>,
    /// The winner; `None` if no team has won.
    pub winner: Option<TeamName>,
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
    deeds: Vec<Deeds>,
    series: Series,
    finish: Option<Finish>,
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

    /// Which team leads at that tick and since when; `None` before the first player joined.
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
    pub fn deeds(&self) -> &[Deeds] {
        &self.deeds
    }

    /// Numbers over time.
    #[must_use]
    pub fn series(&self) -> &Series {
        &self.series
    }

    /// How the match ended, if it did.
    #[must_use]
    pub fn finish(&self) -> Option<&Finish> {
        self.finish.as_ref()
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
            What::IncantationEnded { level, players, success, .. } => Mark::Incantation {
                to: level.and_then(Level::next),
                team: players.first().and_then(|player| roster.team_of(*player)),
                success: *success,
            },
            What::Gone { .. } => Mark::Death,
            _ => return,
        };
        if self.marks.len() == MARK_LIMIT {
            self.marks.pop_front();
        }
        self.marks.push_back((happening.tick, mark));
    }

    fn look_who_leads(&mut self, tick: Tick, stage: &Stage, roster: &Roster) {
        let teams = strengths(stage.mirror(), roster);
        if teams.iter().all(|team| team.alive() == 0) {
            return;
        }
        let team = leader(&teams);
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

/// What is told of a whole match, whichever tick is shown.
#[derive(Debug, Clone, Default)]
pub struct Overview {
    /// What stays true.
    pub roster: Roster,
    /// The match so far.
    pub chronicle: Chronicle,
}

/// Folds messages into the stage of the newest tick, the roster and the chronicle.
#[derive(Debug, Clone, Default)]
pub struct Chronicler {
    /// What is known at the newest tick.
    pub stage: Stage,
    /// What is told of the whole match.
    pub overview: Overview,
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
            self.overview.roster.apply(tick, message);
        }
        self.advance(tick);
        self.overview.chronicle.look_who_leads(tick, &self.stage, &self.overview.roster);
    }

    /// Lets time pass without news.
    pub fn advance(&mut self, tick: Tick) {
        if self.overview.chronicle.finish.is_some() {
            return;
        }
        self.stage.advance(tick);
        self.overview.chronicle.until = self.overview.chronicle.until.max(tick);
        if self.stage.mirror().size.is_some() {
            self.overview.chronicle.series.note(tick, self.stage.mirror(), &self.overview.roster);
        }
    }

    /// Takes one message of that tick in.
    pub fn take(&mut self, tick: Tick, message: &Message) -> Told {
        self.advance(tick);
        let told = self.stage.apply(tick, message);
        if told.beyond {
            return told;
        }
        self.overview.roster.apply(tick, message);
        if let Some(happening) = &told.happening {
            self.overview.chronicle.note(happening);
            self.overview.chronicle.mark(happening, &self.overview.roster);
            Deeds::count(&mut self.overview.chronicle.deeds, happening, &self.overview.roster);
            match &happening.what {
                What::Joined(_) | What::Gone { .. } | What::Level { .. } => {
                    self.overview.chronicle.look_who_leads(tick, &self.stage, &self.overview.roster);
                }
                What::Won(team) => {
                    let winner = Some(team.clone());
                    self.overview.chronicle.finish = Some(Finish { tick, reason: None, winner });
                }
                _ => {}
            }
        }
        told
    }

    /// A dump is over: its players didn't just join, but their team may lead.
    pub fn after_dump(&mut self, tick: Tick) {
        if self.overview.chronicle.finish.is_none() {
            self.overview.chronicle.look_who_leads(tick, &self.stage, &self.overview.roster);
        }
    }

    /// The match ended, as the record says.
    pub fn end(&mut self, tick: Tick, reason: &str, winner: Option<TeamName>) {
        self.overview.chronicle.until = self.overview.chronicle.until.max(tick);
        self.overview.chronicle.finish = Some(Finish { tick, reason: Some(reason.to_owned()), winner });
    }
}

impl History for Chronicler {
    type Fold = Stage;
    type Overview = Overview;

    fn newest(&self) -> &Stage {
        &self.stage
    }

    fn overview(&self) -> &Overview {
        &self.overview
    }

    fn restore(&mut self, tick: Tick, snapshot: &[Message]) {
        Chronicler::restore(self, tick, snapshot);
    }

    fn take(&mut self, tick: Tick, message: &Message) -> Result<(), Odd> {
        let told = Chronicler::take(self, tick, message);
        match told.misfit {
            Some(misfit) => Err(Odd::Misfit(misfit.to_string())),
            None if told.beyond => Err(Odd::Beyond),
            None => Ok(()),
        }
    }

    fn advance(&mut self, tick: Tick) {
        Chronicler::advance(self, tick);
    }

    fn end(&mut self, tick: Tick, reason: &str, winners: &[TeamName]) {
        Chronicler::end(self, tick, reason, winners.first().cloned());
    }

    fn role(message: &Message) -> Role {
        match message {
            Message::Rate(rate) => Role::Rate(*rate),
            Message::MapSize(_)
            | Message::Tile { .. }
            | Message::Team(_)
            | Message::PlayerJoined { .. }
            | Message::PlayerInventory { .. }
            | Message::PlayerLevel { .. }
            | Message::EggLaid { .. }
            | Message::IncantationBegan { .. } => Role::Dump,
            Message::Won(_) => Role::End,
            _ => Role::News,
        }
    }

    fn is_told(&self) -> bool {
        self.stage.mirror().size.is_some()
    }

    fn after_dump(&mut self, tick: Tick) {
        Chronicler::after_dump(self, tick);
    }

    fn resume(&mut self, tick: Tick, before: &Stage) -> bool {
        let (before, now) = (before.mirror(), self.stage.mirror());
        if !is_same_match(&self.overview.roster, before, now) {
            return false;
        }
        for player in before.players.keys().filter(|player| !now.players.contains_key(player)) {
            self.overview.roster.apply(tick, &Message::Died(*player));
        }
        true
    }
}

/// Whether this is still the match of `before`. Within a match numbers rise and are never used again: a
/// player that was known must still be in its team and not lower; a player that wasn't must have a higher
/// number than all of `before`, and must not be known as dead.
fn is_same_match(roster: &Roster, before: &Mirror, now: &Mirror) -> bool {
    let newest = before.players.keys().next_back();
    let fits = |(player, found): (&PlayerId, &MirrorPlayer)| match before.players.get(player) {
        Some(old) => old.team == found.team && old.level <= found.level,
        None => newest < Some(player) && roster.life(*player).is_none_or(|life| life.until.is_none()),
    };
    before.winner.is_none()
        && (before.size, &before.teams) == (now.size, &now.teams)
        && now.players.iter().all(fits)
}
