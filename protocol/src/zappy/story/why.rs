//! Why a match ended as it did, in a few sentences.
//!
//! Each sentence follows from the messages, none is guessed. Tested with the observer's closing screen.

use super::commentary::Commentary;
use super::deeds::{Deeds, Strength};
use super::roster::{Roster, TeamIndex};
use super::words;
use crate::text::{duration, listed, many, possessive, short_name, thousands};
use crate::types::{TeamName, Tick};
use crate::zappy::constants::WINNING_PLAYERS;

/// The most teams that a sentence names together.
const NAMED_TEAMS: usize = 3;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ZappyFinish {
    pub tick: Tick,
    /// The reason in the record's word, if it is known: `elevation`, `time`, …
    pub reason: Option<String>,
    /// The winner; `None` if no team has won.
    pub winner: Option<TeamName>,
    /// How strong each team was at the end, in the roster's order.
    pub teams: Vec<Strength>,
}

/// How a team has won, as far as it is known or can be counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Won {
    /// This many of its players stood at level 8, enough for the goal.
    Goal(u32),
    /// It was the best at the end.
    Best,
    /// Others were even with it at the end, but it had reached a higher level before, or the same level earlier.
    Further,
    /// Others were even with it in all that counts.
    Even,
}

/// `7 players at level 8 (6 needed)`.
pub fn at_top(players: u32) -> String {
    format!("{} at level 8 ({WINNING_PLAYERS} needed)", many(players.into(), "player"))
}

/// A match that is over, with all that explains its end.
#[derive(Debug, Clone, Copy)]
pub struct EndedMatch<'a> {
    pub finish: &'a ZappyFinish,
    pub commentary: &'a Commentary,
    pub deeds: &'a [Deeds],
    pub roster: &'a Roster,
    /// Ticks in a second, for the durations in the sentences.
    pub rate: u32,
}

impl EndedMatch<'_> {
    /// How the match was won, why by this team, and how the lead changed; at most four sentences.
    pub fn why(&self) -> Vec<String> {
        let rival = self.winner().and_then(|winner| self.compare_incantations(winner));
        // In a match that was won at level 8, the list of moments beside these sentences names the first at each level.
        let first = if matches!(self.won(), Some(Won::Goal(_))) { None } else { self.first_to_rise() };
        [Some(self.ending()), rival, first, self.lead()].into_iter().flatten().collect()
    }

    fn winner(&self) -> Option<TeamIndex> {
        self.roster.team(self.finish.winner.as_ref()?)
    }

    fn name(&self, team: TeamIndex) -> String {
        words::name(self.roster, team)
    }

    /// `after 2 min 5 s`.
    fn after(&self, tick: Tick) -> String {
        format!("after {}", duration(tick, self.rate))
    }

    /// How the winner has won; `None` without a winner.
    pub fn won(&self) -> Option<Won> {
        let TeamIndex(winner) = self.winner()?;
        let finish = self.finish;
        let strength = |team: usize| finish.teams.get(team).copied().unwrap_or_default();
        let top = strength(winner).at_top();
        if finish.reason.as_deref() == Some("elevation") || top as usize >= WINNING_PLAYERS {
            return Some(Won::Goal(top.max(WINNING_PLAYERS as u32)));
        }
        let rank = |team: usize| strength(team).rank();
        let mut even = (0..finish.teams.len()).filter(|&team| team != winner && rank(team) == rank(winner));
        let furthest_level = |team: usize| {
            let first = self.deeds.get(team).map(|deeds| deeds.first_at).unwrap_or_default();
            let lives = self.roster.lives().filter(|(_, life)| life.team == TeamIndex(team));
            let joined = lives.map(|(_, life)| (0, life.from)).min();
            (1..8).rev().find_map(|level| Some((level, first[level]?))).or(joined)
        };
        Some(match even.next() {
            None => Won::Best,
            Some(one)
                if std::iter::once(one)
                    .chain(even)
                    .any(|other| furthest_level(other) == furthest_level(winner)) =>
            {
                Won::Even
            }
            Some(_) => Won::Further,
        })
    }

    /// Which team won, how and when.
    fn ending(&self) -> String {
        let (finish, after) = (self.finish, self.after(self.finish.tick));
        let Some(winner) = &finish.winner else {
            let why = match finish.reason.as_deref() {
                None => String::new(),
                Some("time") => ": the time was over".to_owned(),
                Some("extinction") => ": nobody was left alive".to_owned(),
                Some("stopped") => ": it was stopped".to_owned(),
                Some(reason) => format!(": {reason}"),
            };
            return format!("It ended {after}{why}");
        };
        let name = short_name(winner.as_str(), 24);
        match self.won() {
            Some(Won::Goal(top)) => format!("{name} had {} {after}", at_top(top)),
            Some(Won::Even) => {
                format!("{name} won {after}, though even with others: a lot, or their order, decided")
            }
            Some(Won::Further) => {
                format!("{name} won {after}, even with others but further up before, or there earlier")
            }
            Some(Won::Best) => {
                let best = self.winner().and_then(|TeamIndex(team)| finish.teams.get(team));
                let best = best.map(|best| {
                    let high = best.highest();
                    let there = best.levels.get(usize::from(high).wrapping_sub(1)).copied();
                    format!(": {} at level {high}", many(there.unwrap_or_default().into(), "player"))
                });
                let best = best.unwrap_or_default();
                let timed = finish.reason.as_deref() == Some("time");
                format!(
                    "{name} was the best {}{after}{best}",
                    if timed { "when the time was over, " } else { "" }
                )
            }
            None => format!("{name} won {after}"),
        }
    }

    /// How many incantations of the winner succeeded, and how many of the next best team.
    fn compare_incantations(&self, winner: TeamIndex) -> Option<String> {
        let tried = |TeamIndex(team): TeamIndex| {
            let (won, failed) = self.deeds.get(team).map_or((0, 0), |deeds| (deeds.won, deeds.failed));
            (won + failed, won)
        };
        let (all, won) = tried(winner);
        if all == 0 {
            return None;
        }
        let (won, of) = (thousands(won.into()), possessive(&self.name(winner)));
        let own = format!("{won} of {of} {} succeeded", many(all.into(), "incantation"));
        let teams = &self.finish.teams;
        let others = (0..teams.len()).filter(|&team| TeamIndex(team) != winner);
        let next = others.max_by_key(|&team| (teams[team].rank(), tried(TeamIndex(team)).0)).map(TeamIndex);
        let Some(next) = next else { return Some(own) };
        let (name, (all, won)) = (self.name(next), tried(next));
        if all == 0 {
            return Some(format!("{own}; {name} ended none"));
        }
        let broken = self.commentary.most_broken_by(next).map(|(count, by)| {
            format!(", {} broken by {} pushes", thousands(count.into()), possessive(&self.name(by)))
        });
        let (of, broken) = (possessive(&name), broken.unwrap_or_default());
        Some(format!("{own}; {} of {of} {}{broken}", thousands(won.into()), thousands(all.into())))
    }

    /// How often the lead changed hands, and from when on the last one held it.
    fn lead(&self) -> Option<String> {
        let mut holders: Vec<(Tick, TeamIndex)> = Vec::new();
        for (since, team) in &self.commentary.leads {
            if let Some(team) = team.filter(|team| holders.last().is_none_or(|(_, last)| last != team)) {
                holders.push((*since, team));
            }
        }
        let (since, team) = *holders.last()?;
        let name = self.name(team);
        let changes = (holders.len() - 1) as u64;
        let times = if changes == 1 { "once".to_owned() } else { format!("{} times", thousands(changes)) };
        let (last, leads) = *self.commentary.leads.last()?;
        Some(match (changes, leads) {
            (0, None) => format!("Only {name} ever led, first {}; in the end nobody did", self.after(since)),
            (0, Some(_)) => format!("{name} took the lead {} and was never overtaken", self.after(since)),
            (_, Some(_)) => {
                format!("The lead changed hands {times}; {name} took it for good {}", self.after(last))
            }
            (_, None) => format!("The lead changed hands {times}; in the end nobody had it"),
        })
    }

    /// The first teams at the highest level that was reached before the end.
    fn first_to_rise(&self) -> Option<String> {
        let firsts = |level: usize| {
            let reached = self.deeds.iter().enumerate().filter_map(|(team, done)| {
                done.first_at[level]
                    .filter(|tick| *tick < self.finish.tick)
                    .map(|tick| (tick, TeamIndex(team)))
            });
            let reached: Vec<(Tick, TeamIndex)> = reached.collect();
            let first = reached.iter().map(|(tick, _)| *tick).min()?;
            let those = reached.into_iter().filter(|(tick, _)| *tick == first);
            Some((first, those.map(|(_, team)| self.name(team)).collect::<Vec<_>>()))
        };
        let (level, (tick, names)) = (1..8).rev().find_map(|level| Some((level, firsts(level)?)))?;
        let (level, after) = (level + 1, self.after(tick));
        Some(match &names[..] {
            [name] => format!("{name} was the first to reach level {level}, {after}"),
            names if names.len() <= NAMED_TEAMS => {
                format!("{} were the first to reach level {level}, all {after}", listed(names))
            }
            many => format!("{} teams were the first to reach level {level}, all {after}", many.len()),
        })
    }
}
