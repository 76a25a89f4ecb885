//! The whole match at a glance: what the feed, the timeline's marks, the charts and the closing screen show.
//!
//! A fold over all messages from the start. Bounded: of a match that is longer than the limits the oldest
//! entries go, numbers and firsts stay. Tested in `tests/chronicle.rs`.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use zappy_protocol::published::NO_WINNER;
use zappy_protocol::text::shown;
use zappy_protocol::zappy::mirror::MirrorPlayer;
use zappy_protocol::zappy::observer::Message;
pub use zappy_protocol::zappy::story::ZappyFinish;
use zappy_protocol::zappy::story::{
    Commentary, Deeds, EndedMatch, Fate, Happening, Roster, TeamIndex, What, leader, strengths,
};
use zappy_protocol::zappy::{Level, Orientation, PlayerId};
use zappy_protocol::{DEFAULT_FREQUENCY, Position, TeamName, Tick};

use super::attempt::{self, Attempt, AttemptOutcome, Stake};
use super::moments::{MatchMoment, MomentKind};
use super::series::Series;
use super::state::ZappyState;
use zappy_observer::timeline::fold::{Fold as _, History, Odd, Role};
use zappy_observer::timeline::push_bounded;

/// Entries kept apart from broadcasts and items.
const ENTRY_LIMIT: usize = 100_000;
/// Broadcasts kept; they come by the thousand and would push everything else out.
const WORD_LIMIT: usize = 50_000;
/// Items kept that were taken or put down.
const ITEM_LIMIT: usize = 50_000;
/// Marks of the timeline kept.
const MARK_LIMIT: usize = 100_000;
/// Births of players kept.
const BIRTH_LIMIT: usize = 100_000;
/// Moments that matter kept, and as many incantations that ended.
const MOMENT_LIMIT: usize = 20_000;
/// How many of the newest entries are searched for a player's end when its seat closes.
const CLOSE_BUDGET: usize = 4_096;
/// Changes of the lead kept.
const LEAD_LIMIT: usize = 10_000;

/// Which team leads from a tick on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lead {
    pub since: Tick,
    /// The leading team; `None` while the first two are equal.
    pub team: Option<TeamIndex>,
}

/// What a timeline marks: small, so that a frame can look at all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    Incantation {
        /// The level it was for; `None` if its beginning wasn't seen.
        to: Option<Level>,
        /// The team that held it.
        team: Option<TeamIndex>,
        success: bool,
    },
    /// A player died or left.
    Death,
}

/// An entry of the chronicle: what happened, and its place among all of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChronicleEntry {
    /// Counts all entries from 0; orders those of one tick.
    pub number: u64,
    pub happening: Arc<Happening>,
}

/// The whole match at a glance.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Chronicle {
    /// Entries apart from broadcasts and items, the oldest first.
    pub entries: VecDeque<ChronicleEntry>,
    /// Broadcasts, the oldest first.
    pub words: VecDeque<ChronicleEntry>,
    /// Items taken and put down, the oldest first.
    pub items: VecDeque<ChronicleEntry>,
    /// How many entries were noted, also those that aren't kept any more.
    noted: u64,
    /// What a timeline marks, with its tick, the oldest first.
    pub marks: VecDeque<(Tick, Mark)>,
    /// The commentator's remarks on the match as it goes on.
    pub commentary: Commentary,
    /// Ticks per second; 0 while unknown.
    rate: u32,
    /// Every change of the lead, the oldest first.
    pub leads: VecDeque<Lead>,
    /// What each team did in all, in the roster's order; teams that did nothing may be missing.
    pub deeds: Vec<Deeds>,
    /// The moments that matter, the oldest first.
    pub moments: VecDeque<MatchMoment>,
    /// Incantations that ended, the oldest first.
    pub attempts: VecDeque<Attempt>,
    /// The highest level that an incantation has led to.
    highest: Option<Level>,
    pub series: Series,
    /// How the match ended, if it did.
    pub finish: Option<ZappyFinish>,
    /// The last tick that is known.
    pub until: Tick,
    /// The tile and the direction of each player's birth, from which its bot counts tiles.
    pub births: BTreeMap<PlayerId, (Position, Orientation)>,
}

impl Chronicle {
    /// Ticks in a second at the match's own speed; the default frequency while that is unknown.
    pub fn rate(&self) -> u32 {
        if self.rate == 0 { DEFAULT_FREQUENCY } else { self.rate }
    }

    /// Everything noted up to that tick that passes, the newest first; looks at no more than `budget` entries.
    pub fn backwards<'a>(
        &'a self,
        until: Tick,
        budget: usize,
        passes: impl Fn(&Happening) -> bool + 'a,
    ) -> impl Iterator<Item = &'a ChronicleEntry> + 'a {
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
    pub fn last_words(&self, player: PlayerId, until: Tick) -> Option<&Arc<Happening>> {
        let end = self.words.partition_point(|noted| noted.happening.tick <= until);
        let said = |noted: &&ChronicleEntry| matches!(noted.happening.what, What::Broadcast(who, _) if who == player);
        self.words.range(..end).rev().take(WORD_LIMIT / 5).find(said).map(|noted| &noted.happening)
    }

    /// Which team leads at that tick and since when; `None` before the first player joined.
    pub fn lead(&self, tick: Tick) -> Option<Lead> {
        let after = self.leads.partition_point(|lead| lead.since <= tick);
        after.checked_sub(1).map(|index| self.leads[index])
    }

    fn note(&mut self, happening: &Arc<Happening>) {
        let (list, limit) = match happening.what {
            What::Broadcast(..) => (&mut self.words, WORD_LIMIT),
            What::Took(..) | What::Dropped(..) => (&mut self.items, ITEM_LIMIT),
            _ => (&mut self.entries, ENTRY_LIMIT),
        };
        push_bounded(list, limit, ChronicleEntry { number: self.noted, happening: Arc::clone(happening) });
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
        push_bounded(&mut self.marks, MARK_LIMIT, (happening.tick, mark));
    }

    /// Notes a moment, if it matters.
    fn note_moment(&mut self, kind: MomentKind, happening: &Arc<Happening>, at: Option<Position>) {
        if kind.score() > 0 {
            let moment = MatchMoment { kind, happening: Arc::clone(happening), at };
            push_bounded(&mut self.moments, MOMENT_LIMIT, moment);
        }
    }

    /// Notes the moment in a happening, if it matters; `attempt` is the incantation that it ended, if it did.
    fn weigh(
        &mut self,
        happening: &Arc<Happening>,
        attempt: Option<Attempt>,
        state: &ZappyState,
        roster: &Roster,
    ) {
        let at = happening.at;
        let incantation = || {
            let running = state.incantations().iter().rfind(|running| Some(running.at) == at)?;
            Some((running, Stake::of(state.mirror(), roster, running)?))
        };
        match &happening.what {
            What::IncantationBegan { .. } => {
                if let Some((_, stake)) = incantation() {
                    self.note_moment(MomentKind::Begins(stake.to, stake.wins()), happening, at);
                }
            }
            What::IncantationEnded { .. } => {
                let Some(attempt) = attempt else { return };
                if let Some(stake) = attempt.stake {
                    let first = attempt.outcome == AttemptOutcome::Risen && self.highest < Some(stake.to);
                    self.highest = if first { Some(stake.to) } else { self.highest };
                    let (to, outcome, wins) = (stake.to, attempt.outcome, stake.wins());
                    self.note_moment(MomentKind::Ends { to, outcome, wins, first }, happening, at);
                }
                push_bounded(&mut self.attempts, MOMENT_LIMIT, attempt);
            }
            What::Ejected { out_of_incantation: true, victims, player } => {
                let Some((running, stake)) = incantation() else { return };
                let pushed = running.players.iter().filter(|one| victims.contains(one)).count();
                let (left, needed) =
                    (attempt::present(state.mirror(), running), attempt::needed(running.level));
                let breaks = left < needed && left + pushed >= needed;
                let (moved, to, wins) = (victims.len() as u32, stake.to, stake.wins());
                // A team that only makes room among its own is no news.
                let own = |one: &PlayerId| roster.team_of(*one) == roster.team_of(*player);
                if breaks || !victims.iter().all(own) {
                    self.note_moment(MomentKind::Pushed { to, wins, moved, breaks }, happening, at);
                }
            }
            What::Gone { last, .. } => self.note_moment(MomentKind::Dies(last.level), happening, at),
            What::Won(_) => self.note_moment(MomentKind::Over, happening, None),
            _ => {}
        }
    }

    /// Notes whether another team leads, and if so since what happened.
    fn note_lead(&mut self, tick: Tick, state: &ZappyState, roster: &Roster, why: Option<&Arc<Happening>>) {
        let teams = strengths(state.mirror(), roster);
        if teams.iter().all(|team| team.alive() == 0) {
            return;
        }
        let team = leader(&teams);
        if self.leads.back().is_some_and(|lead| lead.team == team) {
            return;
        }
        if let Some((team, why)) = team.zip(why) {
            let before = self.leads.iter().rev().find_map(|lead| lead.team);
            if before != Some(team) {
                self.note_moment(MomentKind::Leads(team, before.is_some()), why, why.at);
            }
        }
        // Within a tick only what stands at its end counts.
        if self.leads.back().is_some_and(|lead| lead.since == tick) {
            self.leads.pop_back();
            if self.leads.back().is_some_and(|lead| lead.team == team) {
                return;
            }
        }
        push_bounded(&mut self.leads, LEAD_LIMIT, Lead { since: tick, team });
    }
}

/// What is known of a whole match, whichever tick is shown.
#[derive(Debug, Clone, Default)]
pub struct Overview {
    pub roster: Roster,
    pub chronicle: Chronicle,
}

impl Overview {
    /// The match as it ended, if it did.
    pub fn ended(&self) -> Option<EndedMatch<'_>> {
        let Overview { roster, chronicle } = self;
        let (commentary, deeds, rate) = (&chronicle.commentary, &chronicle.deeds[..], chronicle.rate());
        Some(EndedMatch { finish: chronicle.finish.as_ref()?, commentary, deeds, roster, rate })
    }
}

/// Folds messages into the state of the newest tick, the roster and the chronicle.
#[derive(Debug, Clone, Default)]
pub struct Chronicler {
    /// What is known at the newest tick.
    pub state: ZappyState,
    /// What is known of the whole match.
    pub overview: Overview,
    /// Whether a player took a resource of which its tile had none, as far as messages said: then resources grow again
    /// without a message.
    grows_silently: bool,
}

impl Chronicler {
    /// Notes that the match ended at that tick, with the teams as the state has them.
    fn finish(&mut self, tick: Tick, reason: Option<&str>, winner: Option<TeamName>) {
        let Overview { roster, chronicle } = &mut self.overview;
        let teams = strengths(self.state.mirror(), roster);
        chronicle.finish = Some(ZappyFinish { tick, reason: reason.map(str::to_owned), winner, teams });
    }
}

impl History for Chronicler {
    type Fold = ZappyState;
    type Overview = Overview;

    fn newest(&self) -> &ZappyState {
        &self.state
    }

    fn overview(&self) -> &Overview {
        &self.overview
    }

    fn finished(overview: &Overview) -> Option<Tick> {
        overview.chronicle.finish.as_ref().map(|finish| finish.tick)
    }

    fn restore(&mut self, tick: Tick, snapshot: &[Message]) {
        self.state = ZappyState::restored(tick, snapshot);
        for message in snapshot {
            self.overview.roster.apply(tick, message);
        }
        self.advance(tick);
        self.overview.chronicle.note_lead(tick, &self.state, &self.overview.roster, None);
        self.note_late_start();
    }

    fn take(&mut self, tick: Tick, message: &Message) -> Result<(), Odd> {
        self.advance(tick);
        let attempt = self.attempt(tick, message);
        if let Message::Took { player, resource } = message {
            let mirror = self.state.mirror();
            let tile = mirror.players.get(player).and_then(|known| mirror.tile(known.at));
            self.grows_silently |= tile.is_some_and(|tile| tile.get(*resource) == 0);
        }
        let outcome = self.state.observe(tick, message).ok_or(Odd::Beyond)?;
        let Overview { roster, chronicle } = &mut self.overview;
        roster.apply(tick, message);
        if chronicle.rate == 0 {
            chronicle.rate = self.state.mirror().rate;
        }
        if let Message::PlayerJoined { player, at, orientation, .. } = message
            && chronicle.births.len() < BIRTH_LIMIT
        {
            chronicle.births.entry(*player).or_insert((*at, *orientation));
        }
        if let Some(deeds) = outcome.ate.and_then(|player| Deeds::of(&mut chronicle.deeds, player, roster)) {
            deeds.eaten = deeds.eaten.saturating_add(1);
        }
        if let Some(happening) = &outcome.happening {
            chronicle.note(happening);
            chronicle.mark(happening, roster);
            Deeds::count(&mut chronicle.deeds, happening, roster);
            chronicle.weigh(happening, attempt, &self.state, roster);
            chronicle.commentary.take(happening, self.state.mirror(), roster);
            match &happening.what {
                What::Joined(_) | What::Gone { .. } | What::Level { .. } => {
                    chronicle.note_lead(tick, &self.state, roster, Some(happening));
                }
                What::Won(team) => self.finish(tick, None, Some(team.clone())),
                What::Ended(reason, _) => self.finish(tick, Some(reason), None),
                What::ServerMessage(text) => {
                    if let Some(reason) = text.as_bytes().strip_prefix(NO_WINNER.as_bytes()) {
                        self.finish(tick, Some(&shown(reason)), None);
                    }
                }
                _ => {}
            }
        }
        outcome.misfit.map_or(Ok(()), |misfit| Err(Odd::Misfit(misfit.to_string())))
    }

    fn refused(&mut self, seat: u32) {
        let Overview { roster, chronicle } = &mut self.overview;
        if let Some(deeds) = Deeds::of(&mut chronicle.deeds, PlayerId(seat), roster) {
            deeds.refused = deeds.refused.saturating_add(1);
        }
    }

    /// Counts anew why a player is gone: messages alone don't say it of one that had food left.
    fn closed(&mut self, seat: u32, why: &str) {
        let Overview { roster, chronicle } = &mut self.overview;
        let gone = |noted: &ChronicleEntry| match &noted.happening.what {
            What::Gone { player, fate, .. } if *player == PlayerId(seat) => Some(*fate),
            _ => None,
        };
        let counted = chronicle.entries.iter().rev().take(CLOSE_BUDGET).find_map(gone);
        if let Some(counted) = counted
            && let Some(deeds) = Deeds::of(&mut chronicle.deeds, PlayerId(seat), roster)
        {
            if let Some(fate) = counted {
                deeds.fates[fate as usize] = deeds.fates[fate as usize].saturating_sub(1);
            }
            let fate = &mut deeds.fates[Fate::of_reason(why) as usize];
            *fate = fate.saturating_add(1);
        }
    }

    fn advance(&mut self, tick: Tick) {
        let Overview { roster, chronicle } = &mut self.overview;
        if chronicle.finish.is_some() {
            return;
        }
        self.state.advance(tick);
        chronicle.until = chronicle.until.max(tick);
        if self.state.mirror().size.is_some() {
            chronicle.series.note(tick, self.state.mirror(), roster);
        }
    }

    fn end(&mut self, tick: Tick, reason: &str, winners: &[TeamName]) {
        let chronicle = &mut self.overview.chronicle;
        chronicle.until = chronicle.until.max(tick);
        let winner = winners.first().cloned();
        if chronicle.moments.back().is_none_or(|last| last.kind != MomentKind::Over) {
            let what = What::Ended(reason.to_owned(), winner.as_ref().map(ToString::to_string));
            chronicle.note_moment(MomentKind::Over, &Arc::new(Happening { tick, at: None, what }), None);
        }
        self.finish(tick, Some(reason), winner);
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
            Message::Server(text) if text.as_bytes().starts_with(NO_WINNER.as_bytes()) => Role::End,
            _ => Role::News,
        }
    }

    fn is_told(&self) -> bool {
        self.state.mirror().size.is_some()
    }

    fn question(&self) -> Option<&'static [u8]> {
        (self.grows_silently && self.overview.chronicle.finish.is_none()).then_some(b"mct\n")
    }

    /// The players of the dump didn't join just now, but their team may lead.
    fn after_dump(&mut self, tick: Tick) {
        if self.overview.chronicle.finish.is_none() {
            self.overview.chronicle.note_lead(tick, &self.state, &self.overview.roster, None);
        }
        self.note_late_start();
    }

    fn resume(&mut self, tick: Tick, before: &ZappyState) -> bool {
        let (before, now) = (before.mirror(), self.state.mirror());
        // Within a match numbers rise and are never used again: a player that was known must still be in its team and
        // not lower; a player that wasn't must have a higher number than all of `before`, and not be known as dead.
        // Eggs are compared in the same way, by where they lie: while no player lives, nothing else can be.
        let newest = before.players.keys().next_back();
        let roster = &self.overview.roster;
        let fits = |(player, found): (&PlayerId, &MirrorPlayer)| match before.players.get(player) {
            Some(old) => old.team == found.team && old.level <= found.level,
            None => newest < Some(player) && roster.life(*player).is_none_or(|life| life.until.is_none()),
        };
        let is_same_match = before.winner.is_none()
            && (before.size, &before.teams) == (now.size, &now.teams)
            && now.players.iter().all(fits)
            && now.eggs.iter().all(|(egg, found)| match before.eggs.get(egg) {
                Some(old) => old.at == found.at,
                None => before.eggs.keys().next_back() < Some(egg),
            });
        if !is_same_match {
            return false;
        }
        for player in before.players.keys().filter(|player| !now.players.contains_key(player)) {
            self.overview.roster.apply(tick, &Message::Died(*player));
        }
        true
    }
}

impl Chronicler {
    /// If the match was seen from its middle on, the commentary shall count nothing that may have begun before.
    fn note_late_start(&mut self) {
        let mut players = self.state.mirror().players.values();
        self.overview.chronicle.commentary.late |= players.any(|player| player.level > Level::MIN);
    }

    /// The incantation that a message ends, before the state applies it.
    fn attempt(&self, tick: Tick, message: &Message) -> Option<Attempt> {
        let Message::IncantationEnded { at, success } = message else { return None };
        // Of several on a tile the oldest ends.
        let running = self.state.incantations().iter().find(|running| running.at == *at)?.clone();
        let flaw = || attempt::flaw(&self.state, &running);
        let outcome = if *success { AttemptOutcome::Risen } else { AttemptOutcome::Failed(flaw()) };
        let (mirror, roster) = (self.state.mirror(), &self.overview.roster);
        let stake = Stake::of(mirror, roster, &running);
        let stake = if *success { stake.map(|stake| stake.reached(mirror, roster)) } else { stake };
        Some(Attempt { present: attempt::present(mirror, &running), ended: tick, outcome, stake, running })
    }
}
