//! The story as text: rare happenings have a line each, frequent ones are counted in summaries.
//!
//! A match of any length becomes a story of some hundred lines at most, unless all is asked for. Holds one tick and
//! the counts since the last summary. Tested in `arena/cli/tests/records/`.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use zappy_protocol::Tick;
use zappy_protocol::commentary::Remark;
use zappy_protocol::record::RESUMED_WORDS;
use zappy_protocol::text::{many, thousands};
use zappy_protocol::zappy::story::{Fate, Happening, Roster, TeamIndex, What, ended, name, named, say};
use zappy_protocol::zappy::{Level, PlayerId};

/// About how many summaries a story has.
const SUMMARIES: Tick = 10;
/// Players that join within this many ticks of each other share a line, if no other line comes between.
const JOINED_TOGETHER: Tick = 50;
/// The fewest ticks between two summaries.
const LEAST_PERIOD: Tick = 200;
/// With this many players or more an incantation has a line for its beginning, too, not only for its end.
const GREAT_INCANTATION: usize = 4;
/// About how many columns a line of a summary has; a longer summary has several lines.
const SUMMARY_COLUMNS: usize = 100;
/// Columns that the tick takes at the beginning of each line.
pub const TICK_COLUMNS: usize = 11;

/// How happenings are counted between two summaries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Kind {
    /// Its place in a summary, from 0.
    place: u8,
    /// The most lines of this kind between two summaries; further happenings are only counted.
    lines: u32,
    /// The words by which a summary counts: the noun, which may be empty, and what follows it.
    noun: &'static str,
    rest: &'static str,
}

const JOIN: Kind = kind(0, 4, "", " more joined");
const END: Kind = kind(1, 8, "", " more ended");
const REMARK: Kind = kind(6, 8, "more remark", "");

const fn kind(place: u8, lines: u32, noun: &'static str, rest: &'static str) -> Kind {
    Kind { place, lines, noun, rest }
}

/// A team, and the fate and reason of some of its players: those for which all three are equal share a line.
type SameEnd = (Option<TeamIndex>, Option<Fate>, Option<String>);

/// Writes happenings as the lines of a story.
#[derive(Debug, Default)]
pub struct StoryText {
    /// Whether each happening has a line of its own.
    all: bool,
    /// How the match ended, if its first place was drawn by lot, which no line of a record says.
    words_of_draw: Option<String>,
    /// Ticks between two summaries.
    period: Tick,
    /// The tick of the next summary.
    summary_at: Tick,
    /// Lines since the last summary.
    lines: BTreeMap<Kind, u32>,
    /// Happenings without a line since the last summary, by team.
    counts: BTreeMap<Kind, BTreeMap<Option<TeamIndex>, u64>>,
    tick: Tick,
    /// Players that joined and have no line yet.
    joined: Vec<(PlayerId, Option<TeamIndex>, Tick)>,
    /// Players that ended at `tick` and have no line yet.
    gone: Vec<(PlayerId, Level, SameEnd)>,
}

impl StoryText {
    /// A story of what happened between two ticks, with a line for each happening if `all` says so. `words_of_draw`:
    /// how the match ended, if a lot decided.
    pub fn new(all: bool, words_of_draw: Option<String>, from: Tick, to: Tick) -> StoryText {
        let period = round_up((to.saturating_sub(from) / SUMMARIES).max(LEAST_PERIOD));
        let summary_at = from.saturating_add(period);
        StoryText { all, words_of_draw, period, summary_at, tick: from, ..StoryText::default() }
    }

    /// Takes a happening in, and appends the lines that can be written now.
    pub fn write_happening(&mut self, happening: &Happening, roster: &Roster, out: &mut String) {
        let Happening { tick, what, .. } = happening;
        let words_of_draw = self.words_of_draw.as_ref().filter(|_| matches!(what, What::Ended(..)));
        let words = words_of_draw.map_or_else(|| say(happening, roster), Clone::clone);
        if self.all {
            write_line(*tick, &words, out);
            return;
        }
        if *tick > self.tick {
            self.advance(*tick, roster, out);
        }
        match what {
            What::Joined(player) => self.joined.push((*player, what.team(roster), *tick)),
            What::Gone { player, last, fate, why } => {
                self.gone.push((*player, last.level, (what.team(roster), *fate, why.clone())));
            }
            What::Ended(..) => {
                self.finish(roster, out);
                write_line(*tick, &words, out);
            }
            what => {
                let number = if let What::Ignored(_, lines, _) = what { (*lines).into() } else { 1 };
                // Happenings that have a line however often they happen.
                let has_own_line = match what {
                    What::IncantationEnded { first_of, .. } => !first_of.is_empty(),
                    What::First { by_incantation, .. } => !by_incantation,
                    What::ServerMessage(text) => text.to_string() == RESUMED_WORDS,
                    _ => false,
                };
                if has_own_line
                    || kind_of(what).is_some_and(|kind| self.claim_line(kind, [(what.team(roster), number)]))
                {
                    self.write_waiting(*tick, roster, out);
                    write_line(*tick, &words, out);
                }
            }
        }
    }

    /// Appends a remark on how the match stands, or counts it.
    pub fn write_remark(&mut self, remark: &Remark<TeamIndex>, roster: &Roster, out: &mut String) {
        if self.all || self.claim_line(REMARK, [(remark.team, 1)]) {
            self.write_waiting(remark.tick, roster, out);
            write_line(remark.tick, &remark.says, out);
        }
    }

    /// Appends all that waits, before the caller writes a line of `tick`.
    pub fn write_waiting(&mut self, tick: Tick, roster: &Roster, out: &mut String) {
        if tick > self.tick {
            self.advance(tick, roster, out);
        }
        self.write_joined(roster, out);
        // A line for each group of players of a team that ended in the same way.
        let mut groups: BTreeMap<SameEnd, Vec<(PlayerId, Level)>> = BTreeMap::new();
        for (player, level, end) in std::mem::take(&mut self.gone) {
            groups.entry(end).or_default().push((player, level));
        }
        for ((team, fate, why), players) in groups {
            let how = ended(fate, why.as_deref());
            let of = named_team(roster, team);
            let words = match &players[..] {
                [(player, level)] => format!("{of}: {player} of level {level} {how}"),
                many => {
                    let best = many.iter().map(|(_, level)| *level).max().unwrap_or(Level::MIN);
                    let numbers: Vec<PlayerId> = many.iter().map(|(player, _)| *player).collect();
                    let how = match how.split_once(' ') {
                        Some(("was", rest)) => format!("were {rest}"),
                        Some(("is", rest)) => format!("are {rest}"),
                        _ => how,
                    };
                    let best =
                        if best > Level::MIN { format!(", up to level {best}") } else { String::new() };
                    format!("{of}: {} players {how}: {}{best}", many.len(), named(&numbers))
                }
            };
            if self.claim_line(END, [(team, players.len() as u64)]) {
                write_line(self.tick, &words, out);
            }
        }
    }

    fn advance(&mut self, tick: Tick, roster: &Roster, out: &mut String) {
        if !self.gone.is_empty() {
            self.write_waiting(self.tick, roster, out);
        }
        if self.joined.last().is_some_and(|&(.., last)| tick - last > JOINED_TOGETHER) {
            self.write_joined(roster, out);
        }
        if tick >= self.summary_at {
            self.write_joined(roster, out);
            self.write_summary(self.summary_at.min(tick), roster, out);
            self.summary_at = (tick - tick % self.period).saturating_add(self.period);
        }
        self.tick = tick;
    }

    /// Appends all that waits and a last summary.
    pub fn finish(&mut self, roster: &Roster, out: &mut String) {
        self.write_waiting(self.tick, roster, out);
        self.write_summary(self.tick, roster, out);
    }

    /// Takes a line of this kind if one is left before the next summary; if not, counts what happened for each team,
    /// and returns `false`.
    fn claim_line(&mut self, kind: Kind, teams: impl IntoIterator<Item = (Option<TeamIndex>, u64)>) -> bool {
        let lines = self.lines.entry(kind).or_default();
        if *lines < kind.lines {
            *lines += 1;
            return true;
        }
        let counts = self.counts.entry(kind).or_default();
        teams.into_iter().for_each(|(team, number)| *counts.entry(team).or_default() += number);
        false
    }

    fn write_joined(&mut self, roster: &Roster, out: &mut String) {
        let joined = std::mem::take(&mut self.joined);
        let (Some(&(player, team, since)), Some(&(.., until))) = (joined.first(), joined.last()) else {
            return;
        };
        let mut teams: BTreeMap<Option<TeamIndex>, u64> = BTreeMap::new();
        joined.iter().for_each(|(_, team, _)| *teams.entry(*team).or_default() += 1);
        if !self.claim_line(JOIN, teams.clone()) {
            return;
        }
        if joined.len() == 1 {
            return write_line(since, &format!("{player} joins {}", named_team(roster, team)), out);
        }
        let teams: Vec<String> =
            teams.iter().map(|(team, n)| format!("{n} {}", named_team(roster, *team))).collect();
        let until = if until > since { format!(" (until tick {})", thousands(until)) } else { String::new() };
        write_line(since, &format!("{} players join: {}{until}", joined.len(), teams.join(", ")), out);
    }

    fn write_summary(&mut self, tick: Tick, roster: &Roster, out: &mut String) {
        self.lines.clear();
        let of_team = |(team, number): (&Option<TeamIndex>, &u64)| {
            Some(format!("{} {}", name(roster, (*team)?), thousands(*number)))
        };
        let mut words = String::new();
        for (kind, teams) in std::mem::take(&mut self.counts) {
            let (Kind { noun, rest, .. }, number) = (kind, teams.values().sum());
            let all = if noun.is_empty() { thousands(number) } else { many(number, noun) } + rest;
            let known: Vec<String> = teams.iter().filter_map(of_team).collect();
            let part = if known.is_empty() { all } else { format!("{all} ({})", known.join(", ")) };
            if words.is_empty() {
                words = format!("  up to here: {part}");
            } else if words.chars().count() + part.chars().count() > SUMMARY_COLUMNS {
                write_line(tick, &format!("{words};"), out);
                words = format!("    {part}");
            } else {
                words = format!("{words}; {part}");
            }
        }
        if !words.is_empty() {
            write_line(tick, &words, out);
        }
    }
}

fn named_team(roster: &Roster, team: Option<TeamIndex>) -> String {
    team.map(|team| name(roster, team)).unwrap_or_default()
}

/// How a happening is counted; `None`: it isn't.
fn kind_of(what: &What) -> Option<Kind> {
    Some(match what {
        What::IncantationBegan { players, .. } if players.len() >= GREAT_INCANTATION => {
            kind(2, 8, "more great incantation", " began")
        }
        What::IncantationEnded { success: false, .. } => kind(4, 8, "more incantation", " failed"),
        What::IncantationEnded { level: Some(Level::MIN), .. } => {
            kind(5, 0, "incantation", " for level 2 succeeded")
        }
        What::IncantationEnded { .. } => kind(3, 12, "more incantation", " succeeded"),
        What::Ejected { out_of_incantation: true, .. } => kind(7, 4, "more push", " out of incantations"),
        What::Ejected { .. } => kind(8, 0, "push", ""),
        What::EggLaid(..) => kind(9, 0, "egg", " laid"),
        What::EggHatched(_) => kind(10, 0, "egg", " hatched"),
        What::EggDestroyed(_) => kind(11, 0, "egg", " destroyed"),
        What::Broadcast(..) => kind(12, 0, "broadcast", ""),
        What::Refused(..) => kind(13, 0, "refusal", ""),
        What::Ignored(..) => kind(14, 0, "line", " dropped"),
        What::TooLong(_) => kind(15, 0, "line", " too long"),
        What::Console(_) => kind(16, 4, "more line", " from the console"),
        What::ServerMessage(_) => kind(17, 8, "more word", " from the server"),
        _ => return None,
    })
}

/// A line with its tick in front.
pub fn write_line(tick: Tick, words: &str, out: &mut String) {
    // Writing to a string cannot fail.
    let _ = writeln!(out, "{:>TICK_COLUMNS$}  {words}", thousands(tick));
}

/// Rounds up to one significant digit, which is easier to read as a distance.
fn round_up(ticks: Tick) -> Tick {
    let mut unit: Tick = 1;
    while unit.checked_mul(10).is_some_and(|next| next <= ticks) {
        unit *= 10;
    }
    ticks.div_ceil(unit).saturating_mul(unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summaries_come_at_round_distances() {
        assert_eq!([200, 214, 3_333, 99_999].map(round_up), [200, 300, 4_000, 100_000]);
        assert_eq!(round_up(Tick::MAX), Tick::MAX);
    }
}
