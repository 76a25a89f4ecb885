//! Sentences: what happened, in one plain line, in the words of the observer's feed.
//!
//! Must never say more than the record does, and nothing that commands a terminal. Tested in this module and in
//! `tests/records/`.

use zappy_protocol::Text;
use zappy_protocol::zappy::PlayerId;

use super::happening::{Fate, Rite, TeamIndex, What};
use super::source::shown;
use super::tally::Tally;

/// Characters of what was said that a sentence quotes at most.
const QUOTED: usize = 120;
/// Players that a sentence names; of more it says how many.
const NAMED: usize = 8;
/// Levels that are told of who leads.
const LEAD_LEVELS: usize = 3;

/// What happened, in one line.
#[must_use]
pub fn say(what: &What, tally: &Tally) -> String {
    match what {
        What::Joined { player, team, at: Some(at) } => {
            format!("{player} joins {} at {at}", name(tally, *team))
        }
        What::Joined { player, team, at: None } => format!("{player} joins {}", name(tally, *team)),
        What::Gone { player, team, level, fate, why } => {
            format!("{}: {player} of level {level} {}", name(tally, *team), ended(*fate, why.as_deref()))
        }
        What::Level { player, team, from, to } => {
            let verb = if to > from { "rises" } else { "falls" };
            format!("{}: {player} {verb} to level {to}", name(tally, *team))
        }
        What::First { team, level, player, .. } => {
            format!("{} reaches level {level}: {player}", name(tally, *team))
        }
        What::RiteBegan { team, at, to, players } => {
            let (of, takes) = (of_team(tally, *team), take_part(players.len()));
            format!("{of}rite for level {to} begins at {at}: {} {takes}", named(players))
        }
        What::RiteEnded(rite) => rite_ended(rite, tally),
        What::Lead { team, levels } => lead(tally, *team, levels),
        What::Pushed { player, at, victims, out_of_rite } => {
            let at = at.map(|at| format!(" at {at}")).unwrap_or_default();
            let victims = if victims.is_empty() { "others".to_owned() } else { named(victims) };
            let rite = if *out_of_rite { ", out of a rite" } else { "" };
            format!("{}{player} pushes {victims} away{at}{rite}", of_player(tally, *player))
        }
        _ => say_deed(what, tally),
    }
}

fn say_deed(what: &What, tally: &Tally) -> String {
    match what {
        What::EggLaid { egg, layer: Some(layer), at } => {
            format!("{}{layer} lays egg {egg} at {at}", of_player(tally, *layer))
        }
        What::EggLaid { egg, layer: None, at } => format!("egg {egg} lies at {at}"),
        What::EggHatched { egg, .. } => format!("egg {egg} hatches"),
        What::EggLost { egg, layer: Some(layer) } => {
            format!("{}egg {egg} is destroyed", of_player(tally, *layer))
        }
        What::EggLost { egg, layer: None } => format!("egg {egg} is destroyed"),
        What::Said { player, text } => format!("{}{player} says {}", of_player(tally, *player), quoted(text)),
        What::Refused { player, why } => {
            format!("{}{player} is refused: {}", of_player(tally, *player), shown(why.as_bytes()))
        }
        What::Dropped { player, why } => {
            format!("{}a line of {player} is {}", of_player(tally, *player), shown(why.as_bytes()))
        }
        What::TooLong { player } => {
            format!("{}{player} sends a line that is too long", of_player(tally, *player))
        }
        What::Took { player, resource } => format!("{}{player} takes {resource}", of_player(tally, *player)),
        What::Put { player, resource } => {
            format!("{}{player} puts {resource} down", of_player(tally, *player))
        }
        What::Console { line } => format!("the console says {line}"),
        What::Server { text } => format!("the server says {}", quoted(text)),
        What::End { reason, winner: Some(team) } => format!("{team} has won ({reason})"),
        What::End { reason, winner: None } => format!("the match ends without a winner ({reason})"),
        // All others have been said.
        _ => String::new(),
    }
}

/// A team's name.
#[must_use]
pub fn name(tally: &Tally, team: TeamIndex) -> String {
    tally.teams.get(team).map_or_else(|| "nobody".to_owned(), |team| shown(team.name.as_bytes()))
}

fn of_team(tally: &Tally, team: Option<TeamIndex>) -> String {
    team.map(|team| format!("{}: ", name(tally, team))).unwrap_or_default()
}

fn of_player(tally: &Tally, player: PlayerId) -> String {
    of_team(tally, tally.team_of(player))
}

/// How somebody ended.
#[must_use]
pub fn ended(fate: Fate, why: Option<&str>) -> String {
    match (fate, why) {
        (Fate::Starved, _) => "starved".to_owned(),
        (Fate::Killed, _) => "was killed by the console".to_owned(),
        (Fate::Left, Some(_)) => "left: its client sends nothing more".to_owned(),
        (Fate::Left, None) => "left: its connection is gone".to_owned(),
        (Fate::Expelled, Some(why)) => format!("was ended by the server: {}", shown(why.as_bytes())),
        (Fate::Expelled, None) => "is gone".to_owned(),
    }
}

fn rite_ended(rite: &Rite, tally: &Tally) -> String {
    let of = of_team(tally, rite.team);
    let Some(to) = rite.to else {
        let how = if rite.success { "succeeded" } else { "failed" };
        return format!("a rite {how} at {}", rite.at);
    };
    let at = rite.at;
    let who = named(&rite.players);
    if rite.success {
        let first: Vec<String> = rite.first_of.iter().map(|team| name(tally, *team)).collect();
        let first = match &first[..] {
            [] => String::new(),
            [team] => format!("; {team} reaches level {to}"),
            teams => format!("; {} reach level {to}", teams.join(" and ")),
        };
        return format!("{of}rite for level {to} succeeded at {at}: {who}{first}");
    }
    let why = rite.why.as_ref().map(|why| format!(" ({why})")).unwrap_or_default();
    format!("{of}rite for level {to} failed at {at}: {who}{why}")
}

fn lead(tally: &Tally, team: Option<TeamIndex>, levels: &[u32; 8]) -> String {
    let best = (1..=8u8).rev().zip(levels.iter().rev()).filter(|(_, players)| **players > 0);
    let best: Vec<String> =
        best.take(LEAD_LEVELS).map(|(level, n)| format!("{n} at level {level}")).collect();
    let best = if best.is_empty() { "nobody lives".to_owned() } else { best.join(", ") };
    match team {
        Some(team) => format!("{} leads: {best}", name(tally, team)),
        None => format!("nobody leads; the best have {best}"),
    }
}

/// Players by their numbers, not all of too many.
#[must_use]
pub fn named(players: &[PlayerId]) -> String {
    let shown: Vec<String> = players.iter().take(NAMED).map(ToString::to_string).collect();
    let rest = players.len().saturating_sub(NAMED);
    if rest == 0 { shown.join(" ") } else { format!("{} and {rest} more", shown.join(" ")) }
}

fn take_part(players: usize) -> &'static str {
    if players == 1 { "takes part" } else { "take part" }
}

/// What was said, between quotation marks.
#[must_use]
pub fn quoted(text: &Text) -> String {
    let text = shown(text.as_bytes());
    match text.char_indices().nth(QUOTED) {
        Some((cut, _)) => format!("“{}…”", text[..cut].trim_end()),
        None => format!("“{text}”"),
    }
}

/// A number with its thousands set apart.
#[must_use]
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// So many of them: `1 tick`, `12,000 ticks`.
#[must_use]
pub fn many(number: u64, one: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {one}{plural}", thousands(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_easy_to_read() {
        assert_eq!([0, 999, 1_000, 1_234_567].map(thousands), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!([many(1, "tick"), many(2_000, "tick")], ["1 tick", "2,000 ticks"]);
    }

    #[test]
    fn crowds_and_speeches_are_shortened() {
        let crowd: Vec<PlayerId> = (0..11).map(PlayerId).collect();
        assert_eq!(named(&crowd), "#0 #1 #2 #3 #4 #5 #6 #7 and 3 more");
        assert_eq!(quoted(&Text::new(&[b'a'; 500])).chars().count(), QUOTED + 3);
        assert_eq!(quoted(&Text::new(b"\x1b[2J")), "“\\x1b[2J”");
    }
}
