//! What happened in a match: a fold over the lines of its record.
//!
//! `zappy::story` of the protocol makes happenings of messages; this module adds what only a record knows: reasons,
//! refusals, lost connections. Holds the tally, and the happenings of one tick, since their reasons come after them.
//! Takes any lines; what contradicts earlier lines is passed over. Bounded whatever stands in a file. Tested in
//! `arena/cli/tests/records/`.

use std::collections::{BTreeMap, BTreeSet};

use zappy_protocol::record::{Entry, Header, RESUMED_WORDS, RecordLine, Seat};
use zappy_protocol::text::shown;

use zappy_protocol::zappy::observer::Message;
use zappy_protocol::zappy::story::{
    Commentary, Deeds, EndedMatch, Fate, Happening, Observed, Strength, TeamIndex, What, ZappyFinish, leader,
    strengths,
};
use zappy_protocol::zappy::{Level, PlayerId};
use zappy_protocol::{TeamName, Text, Tick};

use super::tally::{RecordTally, TeamTally, joined};
use crate::source::Source;

/// The most happenings of one tick that wait for their reasons.
const MOST_WAITING: usize = 10_000;
/// The most victims of one push that are kept: far more than in any real match.
const MOST_PUSHED: usize = 1_000;
/// The beginning of the reason that the rules give for a line that they drop.
const DROPPED: &str = "dropped";

#[derive(Debug, Default)]
pub struct Story {
    /// What teams and players did.
    pub tally: RecordTally,
    /// The remarks on how the match stands.
    pub commentary: Commentary,
    pub observed: Observed,
    /// Whether messages to observers are among the lines.
    full: bool,
    begun: bool,
    /// The ticks at which the match went on after its server had been killed.
    pub resumed: Vec<Tick>,
    /// The tick that was reached.
    pub tick: Tick,
    /// The happenings of this tick, which may still get reasons.
    waiting: Vec<Happening>,
    /// Happenings that are complete and were not handed out yet.
    ready: Vec<Happening>,
    /// This tick's reasons of refusals, by player.
    whys: BTreeMap<PlayerId, String>,
    /// The players that lost their connections in this tick.
    left: BTreeSet<PlayerId>,
    /// Players that were sent `eject` since the last push.
    pushed: Vec<PlayerId>,
    lead: Option<TeamIndex>,
    /// Whether a level or a team's number of players changed since the lead was looked at.
    levels_changed: bool,
}

/// All that is known of a team.
#[derive(Debug)]
pub struct Team<'a> {
    pub name: &'a str,
    /// How strong the team is at the last tick.
    pub strength: Strength,
    pub deeds: Deeds,
    pub tally: TeamTally,
}

impl Story {
    pub fn new(header: &Header, full: bool) -> Story {
        Story { tally: RecordTally::new(header), full, ..Story::default() }
    }

    /// The story of a whole record; `None` if it can't be read to its end.
    pub fn of(source: &Source) -> Option<Story> {
        let mut story = Story::new(&source.header, source.is_full());
        let read = source.read(&mut |_, text| {
            if let Ok(line) = RecordLine::parse(text) {
                story.take(line);
            }
            true
        });
        story.finish();
        read.ok().map(|()| story)
    }

    /// Why the match ended as it did, in a few sentences; `rate` is in ticks per second.
    pub fn why(&self, reason: &str, winner: Option<&str>, rate: u32) -> Vec<String> {
        let teams = strengths(self.observed.mirror(), &self.tally.roster);
        let winner = winner.and_then(|name| TeamName::parse(name.as_bytes()));
        let deeds: Vec<Deeds> = (0..teams.len()).map(|team| self.tally.deeds(TeamIndex(team))).collect();
        let finish = ZappyFinish { tick: self.tick, reason: Some(reason.to_owned()), winner, teams };
        let (commentary, roster) = (&self.commentary, &self.tally.roster);
        EndedMatch { finish: &finish, commentary, deeds: &deeds, roster, rate }.why()
    }

    /// The teams in the header's order.
    pub fn teams(&self) -> Vec<Team<'_>> {
        let roster = &self.tally.roster;
        let all = strengths(self.observed.mirror(), roster).into_iter().enumerate();
        let team = |(index, strength)| {
            let index = TeamIndex(index);
            let (deeds, tally) = (self.tally.deeds(index), self.tally.team(index));
            Team { name: roster.name(index), strength, deeds, tally }
        };
        all.map(team).collect()
    }

    /// Takes a line in; gives the happenings that have become complete.
    pub fn take(&mut self, line: RecordLine) -> Vec<Happening> {
        match line {
            RecordLine::Event(tick, entry) => {
                self.begun = true;
                self.advance(tick);
                if !entry.is_resumption() {
                    self.take_entry(entry);
                } else {
                    if self.resumed.len() < MOST_WAITING {
                        self.resumed.push(tick);
                    }
                    // In a full record the server's next message to observers says that the match was resumed.
                    if !self.full {
                        self.note(What::ServerMessage(Text::new(RESUMED_WORDS.as_bytes())));
                    }
                }
            }
            RecordLine::Snapshot(text) if !self.begun && !is_about_things(&text) => {
                if let Ok(message) = Message::parse(&text) {
                    self.tally.roster.apply(self.tick, &message);
                    self.observed.restore(&message);
                }
            }
            RecordLine::Keyframe(tick) => self.advance(tick),
            RecordLine::End(tick, reason, winners) => {
                self.advance(tick);
                self.note(What::Ended(reason, winners.first().map(ToString::to_string)));
            }
            _ => {}
        }
        std::mem::take(&mut self.ready)
    }

    /// Completes the last tick, after the last line; gives its happenings.
    pub fn finish(&mut self) -> Vec<Happening> {
        self.settle();
        std::mem::take(&mut self.ready)
    }

    fn note(&mut self, what: What) {
        self.push(Happening { tick: self.tick, at: None, what });
    }

    fn push(&mut self, happening: Happening) {
        if self.waiting.len() >= MOST_WAITING {
            self.release();
        }
        self.waiting.push(happening);
    }

    fn advance(&mut self, tick: Tick) {
        if tick > self.tick {
            self.settle();
            self.tick = tick;
        }
    }

    /// Ends a tick: its happenings are complete.
    fn settle(&mut self) {
        if std::mem::take(&mut self.levels_changed) {
            let teams = strengths(self.observed.mirror(), &self.tally.roster);
            // No team leads before a player has risen: which team has more players of level 1 changes with every
            // player that joins.
            let team = leader(&teams).filter(|team| teams[team.0].levels[1..].iter().any(|&n| n > 0));
            if team != self.lead {
                self.lead = team;
                let best = team
                    .map(|team| teams[team.0])
                    .or_else(|| teams.iter().copied().max_by_key(Strength::rank));
                let levels = best.map(|best| best.levels).unwrap_or_default();
                // The end of the match stays the last happening.
                let end = matches!(self.waiting.last(), Some(Happening { what: What::Ended(..), .. }));
                let place = self.waiting.len() - usize::from(end);
                let what = What::Lead { team, levels };
                self.waiting.insert(place, Happening { tick: self.tick, at: None, what });
            }
        }
        self.whys.clear();
        self.left.clear();
        self.pushed.clear();
        self.release();
    }

    /// Counts the happenings that wait, adds those of a team's first player at a level, and makes all of them ready.
    fn release(&mut self) {
        let mut complete: Vec<Happening> = Vec::with_capacity(self.waiting.len());
        for mut happening in std::mem::take(&mut self.waiting) {
            let first = self.tally.count(&happening);
            if let What::IncantationEnded { level, players, first_of, .. } = &mut happening.what {
                for earlier in &mut complete {
                    if let What::First { team, level: reached, player, by_incantation } = &mut earlier.what
                        && level.and_then(Level::next) == Some(*reached)
                        && players.contains(player)
                    {
                        *by_incantation = true;
                        first_of.push(*team);
                    }
                }
            }
            let first = first.map(|(team, player, level)| Happening {
                what: What::First { team, level, player, by_incantation: false },
                at: None,
                ..happening
            });
            complete.push(happening);
            complete.extend(first);
        }
        self.ready.append(&mut complete);
    }

    fn take_entry(&mut self, entry: Entry) {
        match entry {
            Entry::Admitted(Seat::Number(seat), name) if !self.full => {
                let team = TeamName::parse(name.trim_ascii());
                let team = team.filter(|team| self.tally.roster.team(team).is_some());
                if let Some(team) = team {
                    self.take_message(&joined(PlayerId(seat), team), None);
                }
            }
            Entry::Received(Seat::Number(seat), _) => self.tally.add_lines(PlayerId(seat), 1),
            Entry::Received(Seat::Console, line) => self.note(What::Console(shown(&line))),
            Entry::Overflow(Seat::Number(seat)) => {
                self.tally.add_lines(PlayerId(seat), 1);
                self.note(What::TooLong(PlayerId(seat)));
            }
            Entry::Dropped(Seat::Number(seat), count) => {
                self.tally.add_lines(PlayerId(seat), count);
                self.drop_lines(PlayerId(seat), count, DROPPED.to_owned());
            }
            Entry::Ended(Seat::Number(seat)) if !self.full => self.end_player(PlayerId(seat), Fate::Left),
            // The message that the player is gone comes next.
            Entry::Gone(Seat::Number(seat)) if self.full => {
                self.left
                    .extend(Some(PlayerId(seat)).filter(|&player| self.tally.roster.life(player).is_some()));
            }
            Entry::Gone(Seat::Number(seat)) => self.end_player(PlayerId(seat), Fate::Left),
            Entry::Expelled(Seat::Number(seat), why) if !self.full => {
                self.end_player(PlayerId(seat), Fate::Disconnected);
                self.explain_end(PlayerId(seat), &why);
            }
            // Only the victims are sent `eject`; the message to observers comes after them.
            Entry::Sent(Seat::Number(seat), text)
                if text.starts_with(b"eject: ") && self.pushed.len() < MOST_PUSHED =>
            {
                self.pushed.push(PlayerId(seat));
            }
            Entry::Why(Seat::Number(seat), why) => self.refuse(PlayerId(seat), why),
            Entry::Closed(Seat::Number(seat), why) => self.explain_end(PlayerId(seat), &why),
            Entry::Published(text) | Entry::Withheld(text) if !is_about_things(&text) => {
                if let Ok(message) = Message::parse(&text) {
                    self.take_message(&message, None);
                }
            }
            _ => {}
        }
    }

    fn end_player(&mut self, player: PlayerId, fate: Fate) {
        self.take_message(&Message::Died(player), Some(fate));
    }

    fn take_message(&mut self, message: &Message, known: Option<Fate>) {
        if !self.observed.holds(message) {
            return;
        }
        let pushed =
            if let Message::Ejected(_) = message { std::mem::take(&mut self.pushed) } else { Vec::new() };
        let began = match message {
            Message::IncantationEnded { at, .. } => {
                let mut running = self.observed.mirror().incantations.iter();
                running.find(|running| running.at == *at).and_then(|running| running.began)
            }
            _ => None,
        };
        self.tally.roster.apply(self.tick, message);
        let Some(mut happening) = self.observed.apply(self.tick, message, &pushed).happening else { return };
        self.commentary.take(&happening, self.observed.mirror(), &self.tally.roster);
        match &mut happening.what {
            What::Joined(_) if !self.full => happening.at = None,
            What::Gone { player, fate, .. } => {
                let left = if self.left.contains(player) { Fate::Left } else { Fate::Disconnected };
                *fate = Some(known.unwrap_or(left));
            }
            What::IncantationEnded { players, success, began: shown, why, .. } => {
                *shown = began;
                if !*success {
                    // Every participant that lives was sent the reason.
                    let lives = |player: &PlayerId| self.observed.mirror().players.contains_key(player);
                    let none_lives = !players.is_empty() && !players.iter().any(lives);
                    let otherwise = none_lives.then(|| "no participant lives any more".to_owned());
                    *why = players.iter().find_map(|player| self.whys.get(player).cloned()).or(otherwise);
                }
            }
            // The end of the record names the winner and the reason.
            What::Laying(_) | What::Rate(_) | What::Won(_) => return,
            _ => {}
        }
        self.levels_changed |=
            matches!(happening.what, What::Joined(_) | What::Gone { .. } | What::Level { .. });
        self.push(happening);
    }

    fn refuse(&mut self, player: PlayerId, why: String) {
        if why.starts_with(DROPPED) {
            // The reason of lines that were counted comes after them; up to format 2 it stands for a line.
            return match self.waiting.last_mut().map(|last| &mut last.what) {
                Some(What::Ignored(of, _, words)) if *of == player && words == DROPPED => *words = why,
                _ => self.drop_lines(player, 1, why),
            };
        }
        self.tally.refuse(player, &why);
        if self.tally.roster.life(player).is_some() {
            self.whys.insert(player, why.clone());
        }
        self.note(What::Refused(player, why));
    }

    fn drop_lines(&mut self, player: PlayerId, count: u32, why: String) {
        self.tally.drop_lines(player, count);
        self.note(What::Ignored(player, count, why));
    }

    /// Adds the reason to the end of a player, which stands before it in the record.
    fn explain_end(&mut self, player: PlayerId, words: &str) {
        let mut ends = self.waiting.iter_mut().rev().map(|happening| &mut happening.what);
        let end = ends.find_map(|what| match what {
            What::Gone { player: gone, fate, why, .. } if *gone == player => Some((fate, why)),
            _ => None,
        });
        if let Some((fate, why)) = end {
            (*fate, *why) = (Some(Fate::of_reason(words)), Some(words.to_owned()));
        }
    }
}

/// Whether a message is about what lies on a tile or what a player carries: most are, and have no part in the story.
fn is_about_things(message: &[u8]) -> bool {
    message.starts_with(b"bct ") || message.starts_with(b"pin ")
}
