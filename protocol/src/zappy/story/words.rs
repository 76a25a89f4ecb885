//! Sentences: what happened, in one plain line.
//!
//! A sentence must never say more than the messages, nor hold a character that commands a terminal. Tested in this
//! module.

use super::happening::{Fate, Happening, What};
use super::roster::{Roster, TeamIndex};
use crate::text::{many, short_name, shortened, shown};
use crate::types::Text;
use crate::zappy::{Level, PlayerId};

/// The most characters of a text that a sentence quotes.
const QUOTED_CHARACTERS: usize = 120;
/// The most characters of a team's name within a sentence; names may have 64 bytes.
const NAME_CHARACTERS: usize = 24;
/// The most players that a sentence names; of further ones it says how many.
const NAMED_PLAYERS: usize = 8;
/// The most levels of the leading team that a sentence names.
const LEAD_LEVELS: usize = 3;

/// What happened, in one line that begins with the team, unless the sentence names it.
pub fn say(happening: &Happening, roster: &Roster) -> String {
    let what = &happening.what;
    let names_its_team = matches!(
        what,
        What::Joined(_) | What::First { .. } | What::Lead { .. } | What::Won(_) | What::Ended(..)
    );
    let team = what.team(roster).filter(|_| !names_its_team);
    let of = team.map(|team| format!("{}: ", name(roster, team))).unwrap_or_default();
    of + &sentence(happening, roster)
}

/// What happened, in one line.
pub fn sentence(happening: &Happening, roster: &Roster) -> String {
    let at = happening.at.map(|at| format!(" at {at}")).unwrap_or_default();
    match &happening.what {
        What::Joined(player) => match roster.team_of(*player) {
            Some(team) => format!("{player} joins {}{at}", name(roster, team)),
            None => format!("{player} joins{at}"),
        },
        What::Gone { player, last, fate, why } => {
            format!("{player} of level {} {}", last.level, ended(*fate, why.as_deref()))
        }
        What::Level { player, from, to } => {
            format!("{player} {} to level {to}", if to > from { "rises" } else { "falls" })
        }
        What::First { team, level, player, .. } => {
            format!("{} reaches level {level}: {player}", name(roster, *team))
        }
        What::IncantationBegan { level, players } => {
            let take = if players.len() == 1 { "takes" } else { "take" };
            format!("incantation for {} begins{at}: {} {take} part", next(*level), named(players))
        }
        What::IncantationEnded { level: None, success, .. } => {
            format!("an incantation {}{at}", if *success { "succeeded" } else { "failed" })
        }
        What::IncantationEnded { level: Some(level), players, success: true, first_of, .. } => {
            let teams: Vec<String> = first_of.iter().map(|team| name(roster, *team)).collect();
            let reach = if teams.len() == 1 { "reaches" } else { "reach" };
            let (next, players) = (next(*level), named(players));
            let first = match &teams[..] {
                [] => String::new(),
                teams => format!("; {} {reach} {next}", teams.join(" and ")),
            };
            format!("incantation for {next} succeeded{at}: {players}{first}")
        }
        What::IncantationEnded { level: Some(level), players, why, .. } => {
            let why = why.as_ref().map(|why| format!(" ({})", shown(why.as_bytes()))).unwrap_or_default();
            format!("incantation for {} failed{at}: {}{why}", next(*level), named(players))
        }
        What::Lead { team, levels } => {
            let best = (1..=8u8).rev().zip(levels.iter().rev()).filter(|(_, players)| **players > 0);
            let best: Vec<String> =
                best.take(LEAD_LEVELS).map(|(level, n)| format!("{n} at level {level}")).collect();
            let best = if best.is_empty() { "no player lives".to_owned() } else { best.join(", ") };
            match team {
                Some(team) => format!("{} leads: {best}", name(roster, *team)),
                None => format!("no team leads; the best have {best}"),
            }
        }
        What::Broadcast(player, text) => format!("{player} says {}", quoted(text)),
        What::Ejected { player, victims, out_of_incantation } => {
            let victims = if victims.is_empty() { "others".to_owned() } else { named(victims) };
            let out = if *out_of_incantation { ", out of an incantation" } else { "" };
            format!("{player} pushes {victims} away{at}{out}")
        }
        What::Laying(player) => format!("{player} begins to lay an egg"),
        What::EggLaid(egg, Some(layer)) => format!("{layer} lays egg {egg}{at}"),
        What::EggLaid(egg, None) => format!("egg {egg} lies{at}"),
        What::EggHatched(egg) => format!("egg {egg} hatches"),
        What::EggDestroyed(egg) => format!("egg {egg} is destroyed"),
        What::Took(player, resource) => format!("{player} takes {resource}"),
        What::Dropped(player, resource) => format!("{player} puts {resource} down"),
        What::Refused(player, why) => format!("{player} is refused: {}", shown(why.as_bytes())),
        What::Ignored(player, 1, why) => format!("a line of {player} is {}", shown(why.as_bytes())),
        What::Ignored(player, count, why) => {
            format!("{} of {player} are {}", many((*count).into(), "line"), shown(why.as_bytes()))
        }
        What::TooLong(player) => format!("{player} sends a line that is too long"),
        What::Console(line) => format!("the console says {line}"),
        What::Rate(rate) => format!("the server now runs {rate} ticks per second"),
        What::ServerMessage(text) => format!("the server says {}", quoted(text)),
        What::Won(team) => format!("{} has won", short_name(team.as_str(), NAME_CHARACTERS)),
        What::Ended(reason, Some(team)) => {
            format!("{} has won ({reason})", short_name(&shown(team.as_bytes()), NAME_CHARACTERS))
        }
        What::Ended(reason, None) => format!("the match ends without a winner ({reason})"),
    }
}

/// A team's name, short enough for a sentence.
pub fn name(roster: &Roster, team: TeamIndex) -> String {
    short_name(roster.name(team), NAME_CHARACTERS)
}

/// How a player ended, as the rest of a sentence: `starved`. For several players the caller makes `was` and `is`
/// plural.
pub fn ended(fate: Option<Fate>, why: Option<&str>) -> String {
    match (fate, why) {
        (Some(Fate::Starved), _) => "starved".to_owned(),
        (Some(Fate::Killed), _) => "was killed by the console".to_owned(),
        (Some(Fate::Left), Some(_)) => "left, sending nothing more".to_owned(),
        (Some(Fate::Left), None) => "left: connection closed".to_owned(),
        (Some(Fate::Disconnected), Some(why)) => {
            format!("was ended by the server: {}", shown(why.as_bytes()))
        }
        (Some(Fate::Disconnected) | None, _) => "is gone".to_owned(),
    }
}

/// Players by their numbers; of more than eight the rest as `and 3 more`.
pub fn named(players: &[PlayerId]) -> String {
    let shown: Vec<String> = players.iter().take(NAMED_PLAYERS).map(ToString::to_string).collect();
    let rest = players.len().saturating_sub(NAMED_PLAYERS);
    if rest == 0 { shown.join(" ") } else { format!("{} and {rest} more", shown.join(" ")) }
}

/// A text between quotation marks, shortened.
pub fn quoted(text: &Text) -> String {
    format!("“{}”", shortened(&shown(text.as_bytes()), QUOTED_CHARACTERS))
}

/// The level that an incantation of players of this level leads to: `level 3`.
#[must_use]
pub fn next(level: Level) -> String {
    level.next().map_or_else(|| "nothing higher".to_owned(), |next| format!("level {next}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::zappy::observer::Message;
    use crate::zappy::story::Observed;

    /// What the newest of these lines says.
    fn said(lines: &[&str]) -> String {
        let (mut observed, mut roster) = (Observed::new(), Roster::new());
        let before = ["msz 9 9", "tna red", "tna blue", "smg go", "pnw #4 1 1 1 2 red", "pnw #7 1 2 1 2 red"];
        let mut last = String::new();
        for line in before.iter().chain(lines) {
            let message = Message::parse(line.as_bytes()).unwrap();
            let applied = observed.apply(9, &message, &[]);
            roster.apply(9, &message);
            if let Some(happening) = applied.happening {
                last = say(&happening, &roster);
            }
        }
        last
    }

    #[test]
    fn every_happening_is_a_plain_sentence() {
        assert_eq!(said(&[]), "#7 joins red at 1 2");
        assert_eq!(said(&["pdi #4"]), "red: #4 of level 2 starved");
        assert_eq!(said(&["pin #4 1 1 3 0 0 0 0 0 0", "pdi #4"]), "red: #4 of level 2 is gone");
        assert_eq!(said(&["plv #4 3"]), "red: #4 rises to level 3");
        assert_eq!(said(&["plv #4 1"]), "red: #4 falls to level 1");
        assert_eq!(said(&["pic 1 1 2 #4 #7"]), "red: incantation for level 3 begins at 1 1: #4 #7 take part");
        let failed = said(&["pic 1 1 2 #4 #7", "pie 1 1 0"]);
        assert_eq!(failed, "red: incantation for level 3 failed at 1 1: #4 #7");
        let succeeded = said(&["pic 1 1 2 #4", "pie 1 1 1"]);
        assert_eq!(succeeded, "red: incantation for level 3 succeeded at 1 1: #4");
        assert_eq!(said(&["pie 1 1 1"]), "an incantation succeeded at 1 1");
        assert_eq!(said(&["pbc #7 come here"]), "red: #7 says “come here”");
        assert_eq!(said(&["pfk #7"]), "red: #7 begins to lay an egg");
        assert_eq!(said(&["enw #3 #7 1 2"]), "red: #7 lays egg #3 at 1 2");
        assert_eq!(said(&["enw #3 #-1 1 2"]), "egg #3 lies at 1 2");
        assert_eq!(said(&["enw #3 #7 1 2", "ebo #3"]), "red: egg #3 hatches");
        assert_eq!(said(&["pgt #7 0"]), "red: #7 takes food");
        assert_eq!(said(&["sgt 5", "sgt 7"]), "the server now runs 7 ticks per second");
        assert_eq!(said(&["seg blue"]), "blue has won");
        let none = "the match ends without a winner (the server names “nobody”, which is no team)";
        assert_eq!(said(&["seg nobody"]), none);
        assert_eq!(said(&["pex #4"]), "red: #4 pushes others away at 1 1");
    }

    #[test]
    fn crowds_and_speeches_are_shortened() {
        let crowd: Vec<PlayerId> = (0..11).map(PlayerId).collect();
        assert_eq!(named(&crowd), "#0 #1 #2 #3 #4 #5 #6 #7 and 3 more");
        assert_eq!(quoted(&Text::new(&[b'a'; 500])).chars().count(), QUOTED_CHARACTERS + 3);
        assert_eq!(quoted(&Text::new(b"\x1b[2J")), "“\\x1b[2J”");
    }
}
