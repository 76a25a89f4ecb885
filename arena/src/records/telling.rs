//! The story as text: what is rare has its line, what is frequent is counted from time to time.
//!
//! A match of any length becomes a story of some hundred lines at most, unless all is asked for. Holds one tick and
//! the counts since the last sum. Tested in `tests/records/`.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use zappy_protocol::Tick;
use zappy_protocol::zappy::PlayerId;

use super::happening::{Fate, Happening, TeamIndex, What};
use super::tally::Tally;
use super::words::{ended, many, name, named, say, thousands};

/// Sums of what is frequent in a story, about.
const SUMS: Tick = 10;
/// Who joins within so many ticks of another, with no other news between, is told with it.
const CROWD_TICKS: Tick = 50;
/// Ticks between two sums at the least.
const LEAST_PERIOD: Tick = 200;
/// Players from which on the beginning of a rite is told, and not only its end.
const GREAT_RITE: usize = 4;
/// Columns of a sum, about; a longer one has several lines.
const SUM_COLUMNS: usize = 100;
/// Columns of the tick.
pub const TICK_COLUMNS: usize = 11;

/// What is counted together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Join,
    End,
    RiteBegan,
    Rite,
    FailedRite,
    SmallRite,
    Lead,
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

impl Kind {
    /// Lines of it between two sums; the others are counted.
    const fn lines(self) -> u32 {
        match self {
            Kind::Rite => 12,
            Kind::End | Kind::FailedRite | Kind::RiteBegan | Kind::Server => 8,
            Kind::Join | Kind::Lead | Kind::GreatPush | Kind::Console => 4,
            Kind::SmallRite
            | Kind::Push
            | Kind::EggLaid
            | Kind::EggHatched
            | Kind::EggLost
            | Kind::Broadcast
            | Kind::Refusal
            | Kind::Dropped
            | Kind::TooLong => 0,
        }
    }

    fn words(self, number: u64) -> String {
        let number_of = |one: &str| many(number, one);
        let pushes =
            |one: &str| format!("{} {one}{}", thousands(number), if number == 1 { "" } else { "es" });
        match self {
            Kind::Join => format!("{} more joined", thousands(number)),
            Kind::End => format!("{} more ended", thousands(number)),
            Kind::RiteBegan => format!("{} began", number_of("more great rite")),
            Kind::Rite => format!("{} succeeded", number_of("more rite")),
            Kind::FailedRite => format!("{} failed", number_of("more rite")),
            Kind::SmallRite => format!("{} for level 2 succeeded", number_of("rite")),
            Kind::Lead => number_of("more change") + " of the lead",
            Kind::GreatPush => pushes("more push") + " out of rites",
            Kind::Push => pushes("push"),
            Kind::EggLaid => format!("{} laid", number_of("egg")),
            Kind::EggHatched => format!("{} hatched", number_of("egg")),
            Kind::EggLost => format!("{} destroyed", number_of("egg")),
            Kind::Broadcast => number_of("broadcast"),
            Kind::Refusal => number_of("refusal"),
            Kind::Dropped => format!("{} dropped", number_of("line")),
            Kind::TooLong => format!("{} too long", number_of("line")),
            Kind::Console => format!("{} from the console", number_of("more line")),
            Kind::Server => format!("{} from the server", number_of("more word")),
        }
    }
}

/// Whose players, and how they ended.
type Alike = (TeamIndex, Fate, Option<String>);

/// The story so far.
#[derive(Debug)]
pub struct Telling {
    all: bool,
    period: Tick,
    sum_at: Tick,
    lines: BTreeMap<Kind, u32>,
    counts: BTreeMap<Kind, BTreeMap<Option<TeamIndex>, u64>>,
    tick: Tick,
    joined: Vec<(PlayerId, TeamIndex, Tick)>,
    gone: Vec<(PlayerId, TeamIndex, u8, Fate, Option<String>)>,
}

impl Telling {
    /// A story of what happened between two ticks; of everything by itself if `all` is asked for.
    #[must_use]
    pub fn new(all: bool, from: Tick, to: Tick) -> Telling {
        let period = round((to.saturating_sub(from) / SUMS).max(LEAST_PERIOD));
        Telling {
            all,
            period,
            sum_at: from.saturating_add(period),
            lines: BTreeMap::new(),
            counts: BTreeMap::new(),
            tick: from,
            joined: Vec::new(),
            gone: Vec::new(),
        }
    }

    /// Tells what happened next, as lines with their ends.
    pub fn tell(&mut self, happening: &Happening, tally: &Tally, out: &mut String) {
        let Happening { tick, what } = happening;
        if self.all {
            line(*tick, &say(what, tally), out);
            return;
        }
        if *tick > self.tick {
            self.advance(*tick, tally, out);
        }
        match what {
            What::Joined { player, team, .. } => self.joined.push((*player, *team, *tick)),
            What::Gone { player, team, level, fate, why } => {
                self.gone.push((*player, *team, *level, *fate, why.clone()));
            }
            What::End { .. } => {
                self.finish(tally, out);
                line(*tick, &say(what, tally), out);
            }
            what => {
                if tells_all(what) || kind(what).is_some_and(|kind| self.has_line(kind, team(what, tally))) {
                    self.tell_joined(tally, out);
                    self.tell_gone(tally, out);
                    line(*tick, &say(what, tally), out);
                }
            }
        }
    }

    fn advance(&mut self, tick: Tick, tally: &Tally, out: &mut String) {
        if !self.gone.is_empty() {
            self.tell_joined(tally, out);
            self.tell_gone(tally, out);
        }
        if self.joined.last().is_some_and(|&(.., last)| tick - last > CROWD_TICKS) {
            self.tell_joined(tally, out);
        }
        if tick >= self.sum_at {
            self.tell_joined(tally, out);
            self.sum(self.sum_at.min(tick), tally, out);
            self.sum_at = (tick - tick % self.period).saturating_add(self.period);
        }
        self.tick = tick;
    }

    /// Tells what was only counted so far.
    pub fn finish(&mut self, tally: &Tally, out: &mut String) {
        self.tell_joined(tally, out);
        self.tell_gone(tally, out);
        self.sum(self.tick, tally, out);
    }

    /// Whether there is still room for such a line; else it is counted.
    fn has_line(&mut self, kind: Kind, team: Option<TeamIndex>) -> bool {
        let told = self.lines.entry(kind).or_default();
        if *told < kind.lines() {
            *told += 1;
            return true;
        }
        *self.counts.entry(kind).or_default().entry(team).or_default() += 1;
        false
    }

    /// Who ended at the same tick in the same way is told at once.
    fn tell_gone(&mut self, tally: &Tally, out: &mut String) {
        let mut groups: BTreeMap<Alike, Vec<(PlayerId, u8)>> = BTreeMap::new();
        for (player, team, level, fate, why) in std::mem::take(&mut self.gone) {
            groups.entry((team, fate, why)).or_default().push((player, level));
        }
        for ((team, fate, why), players) in groups {
            let how = ended(fate, why.as_deref());
            let of = name(tally, team);
            let words = match &players[..] {
                [(player, level)] => format!("{of}: {player} of level {level} {how}"),
                many => {
                    let best = many.iter().map(|(_, level)| *level).max().unwrap_or(1);
                    let numbers: Vec<PlayerId> = many.iter().map(|(player, _)| *player).collect();
                    let how = how.replacen("was ", "were ", 1).replacen("is ", "are ", 1);
                    let best = if best > 1 { format!(", up to level {best}") } else { String::new() };
                    format!("{of}: {} players {how}: {}{best}", many.len(), named(&numbers))
                }
            };
            if self.has_line(Kind::End, Some(team)) {
                line(self.tick, &words, out);
            }
        }
    }

    fn tell_joined(&mut self, tally: &Tally, out: &mut String) {
        let joined = std::mem::take(&mut self.joined);
        let (Some(&(player, team, since)), Some(&(.., until))) = (joined.first(), joined.last()) else {
            return;
        };
        let mut teams: BTreeMap<TeamIndex, u64> = BTreeMap::new();
        joined.iter().for_each(|(_, team, _)| *teams.entry(*team).or_default() += 1);
        let told = self.lines.entry(Kind::Join).or_default();
        if *told >= Kind::Join.lines() {
            let counts = self.counts.entry(Kind::Join).or_default();
            teams.iter().for_each(|(team, number)| *counts.entry(Some(*team)).or_default() += number);
            return;
        }
        *told += 1;
        if joined.len() == 1 {
            return line(since, &format!("{player} joins {}", name(tally, team)), out);
        }
        let teams: Vec<String> =
            teams.iter().map(|(team, n)| format!("{n} {}", name(tally, *team))).collect();
        let until = if until > since { format!(" (until tick {})", thousands(until)) } else { String::new() };
        line(since, &format!("{} players join: {}{until}", joined.len(), teams.join(", ")), out);
    }

    fn sum(&mut self, tick: Tick, tally: &Tally, out: &mut String) {
        self.lines.clear();
        let parts: Vec<String> = std::mem::take(&mut self.counts)
            .into_iter()
            .map(|(kind, teams)| {
                let all = kind.words(teams.values().sum());
                let known: Vec<String> = teams
                    .iter()
                    .filter_map(|(team, number)| {
                        Some(format!("{} {}", name(tally, (*team)?), thousands(*number)))
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

/// What is told however often it happens.
fn tells_all(what: &What) -> bool {
    match what {
        What::RiteEnded(rite) => !rite.first_of.is_empty(),
        What::First { by_rite, .. } => !by_rite,
        _ => false,
    }
}

/// As what it is counted; nothing for what another line says better.
fn kind(what: &What) -> Option<Kind> {
    Some(match what {
        What::RiteEnded(rite) if !rite.success => Kind::FailedRite,
        What::RiteEnded(rite) if rite.to == Some(2) => Kind::SmallRite,
        What::RiteEnded(_) => Kind::Rite,
        What::RiteBegan { players, .. } if players.len() >= GREAT_RITE => Kind::RiteBegan,
        What::Lead { .. } => Kind::Lead,
        What::Pushed { out_of_rite: true, .. } => Kind::GreatPush,
        What::Pushed { .. } => Kind::Push,
        What::EggLaid { .. } => Kind::EggLaid,
        What::EggHatched { .. } => Kind::EggHatched,
        What::EggLost { .. } => Kind::EggLost,
        What::Said { .. } => Kind::Broadcast,
        What::Refused { .. } => Kind::Refusal,
        What::Dropped { .. } => Kind::Dropped,
        What::TooLong { .. } => Kind::TooLong,
        What::Console { .. } => Kind::Console,
        What::Server { .. } => Kind::Server,
        _ => return None,
    })
}

/// The team it is about.
fn team(what: &What, tally: &Tally) -> Option<TeamIndex> {
    match what {
        What::RiteEnded(rite) => rite.team,
        What::RiteBegan { team, .. } => *team,
        What::Pushed { player, .. }
        | What::Said { player, .. }
        | What::Refused { player, .. }
        | What::Dropped { player, .. }
        | What::TooLong { player } => tally.team_of(*player),
        What::EggLaid { layer, .. } | What::EggHatched { layer, .. } | What::EggLost { layer, .. } => {
            layer.and_then(|layer| tally.team_of(layer))
        }
        _ => None,
    }
}

/// A line with its tick in front.
pub fn line(tick: Tick, words: &str, out: &mut String) {
    // Writing to a string cannot fail.
    let _ = writeln!(out, "{:>TICK_COLUMNS$}  {words}", thousands(tick));
}

/// The next number above with one digit that isn't zero: easier to read as a distance.
fn round(ticks: Tick) -> Tick {
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
        assert_eq!([200, 214, 3_333, 99_999].map(round), [200, 300, 4_000, 100_000]);
        assert_eq!(round(Tick::MAX), Tick::MAX);
    }
}
