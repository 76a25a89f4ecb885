//! The story as text: what is rare has its line, what is frequent is counted from time to time.
//!
//! A match of any length becomes a story of some hundred lines at most, unless all is asked for. Holds one tick and
//! the counts since the last sum. Tested in `arena/cli/tests/records/`.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use zappy_protocol::Tick;
use zappy_protocol::commentary::Remark;
use zappy_protocol::record::RESUMED_WORDS;
use zappy_protocol::text::{many, thousands};
use zappy_protocol::zappy::story::{Fate, Happening, Roster, TeamIndex, What, ended, name, named, say};
use zappy_protocol::zappy::{Level, PlayerId};

/// About how many sums a story has.
const SUMS: Tick = 10;
/// A player that joins within so many ticks of another, with no other news between, is told with it.
const CROWD_TICKS: Tick = 50;
/// Ticks between two sums at the least.
const LEAST_PERIOD: Tick = 200;
/// Players from which on the beginning of an incantation is told, and not only its end.
const GREAT_INCANTATION: usize = 4;
/// Columns of a sum, about; a longer one has several lines.
const SUM_COLUMNS: usize = 100;
/// Columns of the tick.
pub const TICK_COLUMNS: usize = 11;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Counted {
    Join,
    End,
    Beginning,
    Incantation,
    Failure,
    SmallIncantation,
    Remark,
    GreatPush,
    Push,
    EggLaid,
    EggHatched,
    EggLost,
    Broadcast,
    Refusal,
    Dropped,
    TooLong,
    Console,
    Server,
}

impl Counted {
    /// Lines of it between two sums; and the words for the others, which are counted: for one of them, and behind the number.
    const fn told(self) -> (u32, &'static str, &'static str) {
        match self {
            Counted::Join => (4, "", " more joined"),
            Counted::End => (8, "", " more ended"),
            Counted::Beginning => (8, "more great incantation", " began"),
            Counted::Incantation => (12, "more incantation", " succeeded"),
            Counted::Failure => (8, "more incantation", " failed"),
            Counted::SmallIncantation => (0, "incantation", " for level 2 succeeded"),
            Counted::Remark => (8, "more remark", ""),
            Counted::GreatPush => (4, "more push", " out of incantations"),
            Counted::Push => (0, "push", ""),
            Counted::EggLaid => (0, "egg", " laid"),
            Counted::EggHatched => (0, "egg", " hatched"),
            Counted::EggLost => (0, "egg", " destroyed"),
            Counted::Broadcast => (0, "broadcast", ""),
            Counted::Refusal => (0, "refusal", ""),
            Counted::Dropped => (0, "line", " dropped"),
            Counted::TooLong => (0, "line", " too long"),
            Counted::Console => (4, "more line", " from the console"),
            Counted::Server => (8, "more word", " from the server"),
        }
    }

    fn words(self, number: u64) -> String {
        let (_, one, rest) = self.told();
        if one.is_empty() { thousands(number) + rest } else { many(number, one) + rest }
    }
}

/// The team of players that ended alike, and how they ended.
type Alike = (Option<TeamIndex>, Option<Fate>, Option<String>);

#[derive(Debug, Default)]
pub struct Telling {
    all: bool,
    /// How the match ended, if its first place was drawn by lot, which no line of a record tells.
    drawn: Option<String>,
    period: Tick,
    sum_at: Tick,
    lines: BTreeMap<Counted, u32>,
    counts: BTreeMap<Counted, BTreeMap<Option<TeamIndex>, u64>>,
    tick: Tick,
    joined: Vec<(PlayerId, Option<TeamIndex>, Tick)>,
    gone: Vec<(PlayerId, Level, Alike)>,
}

impl Telling {
    /// A story of what happened between two ticks; of everything by itself if `all` is asked for.
    pub fn new(all: bool, drawn: Option<String>, from: Tick, to: Tick) -> Telling {
        let period = round_up((to.saturating_sub(from) / SUMS).max(LEAST_PERIOD));
        let sum_at = from.saturating_add(period);
        Telling { all, drawn, period, sum_at, tick: from, ..Telling::default() }
    }

    /// Tells what happened next, as lines with their ends.
    pub fn tell(&mut self, happening: &Happening, roster: &Roster, out: &mut String) {
        let Happening { tick, what, .. } = happening;
        let drawn = self.drawn.as_ref().filter(|_| matches!(what, What::Ended(..)));
        let words = drawn.map_or_else(|| say(happening, roster), Clone::clone);
        if self.all {
            line(*tick, &words, out);
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
                line(*tick, &words, out);
            }
            what => {
                let number = if let What::Ignored(_, lines, _) = what { (*lines).into() } else { 1 };
                if is_always_told(what)
                    || counted(what).is_some_and(|counted| self.take_line(counted, what.team(roster), number))
                {
                    self.tell_joined(roster, out);
                    self.tell_gone(roster, out);
                    line(*tick, &words, out);
                }
            }
        }
    }

    /// Tells what is said of how it stands.
    pub fn remark(&mut self, remark: &Remark<TeamIndex>, roster: &Roster, out: &mut String) {
        if self.all || self.take_line(Counted::Remark, remark.team, 1) {
            self.make_way(remark.tick, roster, out);
            line(remark.tick, &remark.says, out);
        }
    }

    /// Tells all that waits, before the caller writes a line of `tick`.
    pub fn make_way(&mut self, tick: Tick, roster: &Roster, out: &mut String) {
        if tick > self.tick {
            self.advance(tick, roster, out);
        }
        self.tell_joined(roster, out);
        self.tell_gone(roster, out);
    }

    fn advance(&mut self, tick: Tick, roster: &Roster, out: &mut String) {
        if !self.gone.is_empty() {
            self.tell_joined(roster, out);
            self.tell_gone(roster, out);
        }
        if self.joined.last().is_some_and(|&(.., last)| tick - last > CROWD_TICKS) {
            self.tell_joined(roster, out);
        }
        if tick >= self.sum_at {
            self.tell_joined(roster, out);
            self.sum(self.sum_at.min(tick), roster, out);
            self.sum_at = (tick - tick % self.period).saturating_add(self.period);
        }
        self.tick = tick;
    }

    /// Tells what was only counted so far.
    pub fn finish(&mut self, roster: &Roster, out: &mut String) {
        self.tell_joined(roster, out);
        self.tell_gone(roster, out);
        self.sum(self.tick, roster, out);
    }

    /// Takes one of the lines that are left for this, or counts it.
    fn take_line(&mut self, counted: Counted, team: Option<TeamIndex>, number: u64) -> bool {
        let told = self.lines.entry(counted).or_default();
        if *told < counted.told().0 {
            *told += 1;
            return true;
        }
        *self.counts.entry(counted).or_default().entry(team).or_default() += number;
        false
    }

    /// Tells players that ended alike at one tick in one line.
    fn tell_gone(&mut self, roster: &Roster, out: &mut String) {
        let mut groups: BTreeMap<Alike, Vec<(PlayerId, Level)>> = BTreeMap::new();
        for (player, level, alike) in std::mem::take(&mut self.gone) {
            groups.entry(alike).or_default().push((player, level));
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
            if self.take_line(Counted::End, team, players.len() as u64) {
                line(self.tick, &words, out);
            }
        }
    }

    fn tell_joined(&mut self, roster: &Roster, out: &mut String) {
        let joined = std::mem::take(&mut self.joined);
        let (Some(&(player, team, since)), Some(&(.., until))) = (joined.first(), joined.last()) else {
            return;
        };
        let mut teams: BTreeMap<Option<TeamIndex>, u64> = BTreeMap::new();
        joined.iter().for_each(|(_, team, _)| *teams.entry(*team).or_default() += 1);
        let told = self.lines.entry(Counted::Join).or_default();
        if *told >= Counted::Join.told().0 {
            let counts = self.counts.entry(Counted::Join).or_default();
            teams.iter().for_each(|(team, number)| *counts.entry(*team).or_default() += number);
            return;
        }
        *told += 1;
        if joined.len() == 1 {
            return line(since, &format!("{player} joins {}", named_team(roster, team)), out);
        }
        let teams: Vec<String> =
            teams.iter().map(|(team, n)| format!("{n} {}", named_team(roster, *team))).collect();
        let until = if until > since { format!(" (until tick {})", thousands(until)) } else { String::new() };
        line(since, &format!("{} players join: {}{until}", joined.len(), teams.join(", ")), out);
    }

    fn sum(&mut self, tick: Tick, roster: &Roster, out: &mut String) {
        self.lines.clear();
        let parts: Vec<String> = std::mem::take(&mut self.counts)
            .into_iter()
            .map(|(counted, teams)| {
                let all = counted.words(teams.values().sum());
                let known: Vec<String> = teams
                    .iter()
                    .filter_map(|(team, number)| {
                        Some(format!("{} {}", name(roster, (*team)?), thousands(*number)))
                    })
                    .collect();
                if known.is_empty() { all } else { format!("{all} ({})", known.join(", ")) }
            })
            .collect();
        let mut words = String::new();
        for part in parts {
            if words.is_empty() {
                words = format!("  up to here: {part}");
            } else if words.chars().count() + part.chars().count() > SUM_COLUMNS {
                line(tick, &format!("{words};"), out);
                words = format!("    {part}");
            } else {
                words = format!("{words}; {part}");
            }
        }
        if !words.is_empty() {
            line(tick, &words, out);
        }
    }
}

fn named_team(roster: &Roster, team: Option<TeamIndex>) -> String {
    team.map(|team| name(roster, team)).unwrap_or_default()
}

/// Whether this is told however often it happens.
fn is_always_told(what: &What) -> bool {
    match what {
        What::IncantationEnded { first_of, .. } => !first_of.is_empty(),
        What::First { by_incantation, .. } => !by_incantation,
        What::ServerMessage(text) => text.to_string() == RESUMED_WORDS,
        _ => false,
    }
}

/// The count that it belongs to; `None` if it isn't counted.
fn counted(what: &What) -> Option<Counted> {
    Some(match what {
        What::IncantationEnded { success: false, .. } => Counted::Failure,
        What::IncantationEnded { level: Some(Level::MIN), .. } => Counted::SmallIncantation,
        What::IncantationEnded { .. } => Counted::Incantation,
        What::IncantationBegan { players, .. } if players.len() >= GREAT_INCANTATION => Counted::Beginning,
        What::Ejected { out_of_incantation: true, .. } => Counted::GreatPush,
        What::Ejected { .. } => Counted::Push,
        What::EggLaid(..) => Counted::EggLaid,
        What::EggHatched(_) => Counted::EggHatched,
        What::EggDestroyed(_) => Counted::EggLost,
        What::Broadcast(..) => Counted::Broadcast,
        What::Refused(..) => Counted::Refusal,
        What::Ignored(..) => Counted::Dropped,
        What::TooLong(_) => Counted::TooLong,
        What::Console(_) => Counted::Console,
        What::ServerMessage(_) => Counted::Server,
        What::IncantationBegan { .. }
        | What::Joined(_)
        | What::Gone { .. }
        | What::Level { .. }
        | What::First { .. }
        | What::Lead { .. }
        | What::Laying(_)
        | What::Took(..)
        | What::Dropped(..)
        | What::Rate(_)
        | What::Won(_)
        | What::Ended(..) => return None,
    })
}

/// A line with its tick in front.
pub fn line(tick: Tick, words: &str, out: &mut String) {
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
    fn sums_come_at_round_distances() {
        assert_eq!([200, 214, 3_333, 99_999].map(round_up), [200, 300, 4_000, 100_000]);
        assert_eq!(round_up(Tick::MAX), Tick::MAX);
    }
}
