//! What happened in one plain line, with places and numbers as all panels write them, and why it matters.
//!
//! One word each: players *take part* in an incantation from its beginning to its end, are *there* while they stand on its
//! tile, and are *needed* by the table.
//!
//! Must never say more than was told. Tested in this module.

use zappy_protocol::zappy::PlayerId;
use zappy_protocol::zappy::story::{self, Happening, Roster, What};

pub use zappy_protocol::text::{possessive, short_name};
pub use zappy_protocol::zappy::story::{ended, name, next, quoted};

pub use crate::scene::card::flaw_words;
use crate::timeline::attempt::{Attempt, AttemptOutcome, needed};
use crate::timeline::chronicle::Chronicle;
use zappy_observer::ink::{Canvas, Color, Style};
use zappy_observer::panels::kit::{count, number, place};
use zappy_observer::theme;

/// Characters at a name's end that stay when it is shortened.
const NAME_END: usize = 4;

/// What happened, with the team that it is about.
pub fn say(happening: &Happening, chronicle: &Chronicle, roster: &Roster) -> String {
    let what = &happening.what;
    let names_its_team = matches!(what, What::Joined(_) | What::Won(_) | What::Ended(..));
    let team = what.team(roster).filter(|_| !names_its_team);
    let of = team.map(|team| format!("{}: ", name(roster, team))).unwrap_or_default();
    of + &sentence(happening, chronicle, roster)
}

/// What happened: players by their number where there are many, so that every list is whole.
pub fn sentence(happening: &Happening, chronicle: &Chronicle, roster: &Roster) -> String {
    let at = happening.at.map(|at| format!(" at {}", place(at))).unwrap_or_default();
    match &happening.what {
        What::Joined(player) => match roster.team_of(*player) {
            Some(team) => format!("{player} joins {}{at}", name(roster, team)),
            None => format!("{player} joins{at}"),
        },
        What::IncantationBegan { level, players } => {
            let (many, take) = (players.len() as u64, if players.len() == 1 { "takes" } else { "take" });
            format!("incantation for {} begins{at}: {} {take} part", next(*level), number(many))
        }
        What::IncantationEnded { level, players, success, .. } => {
            let which =
                level.map_or("an incantation".to_owned(), |level| format!("incantation for {}", next(level)));
            let ended = if *success { "succeeded" } else { "failed" };
            format!("{which} {ended}{at}{}", outcome(attempt(chronicle, happening), players, roster))
        }
        What::Ejected { player, victims, out_of_incantation } => {
            let victims = match &victims[..] {
                [] => "others".to_owned(),
                [one] => one.to_string(),
                many => count(many.len() as u64, "player", "players"),
            };
            let out = if *out_of_incantation { ", out of an incantation" } else { "" };
            format!("{player} pushes {victims} away{at}{out}")
        }
        What::EggLaid(egg, Some(layer)) => format!("{layer} lays egg {egg}{at}"),
        What::EggLaid(egg, None) => format!("egg {egg} lies{at}"),
        _ => story::sentence(happening, roster),
    }
}

/// What is known of the incantation that ended there and then.
fn attempt<'a>(chronicle: &'a Chronicle, happening: &Happening) -> Option<&'a Attempt> {
    let all = &chronicle.attempts;
    let first = all.partition_point(|attempt| attempt.ended < happening.tick);
    let mut then = all.range(first..).take_while(|attempt| attempt.ended == happening.tick);
    then.find(|attempt| Some(attempt.running.at) == happening.at)
}

/// What an incantation gave, or why it failed, and with how many players.
fn outcome(attempt: Option<&Attempt>, players: &[PlayerId], roster: &Roster) -> String {
    let Some(attempt) = attempt else {
        let took = number(players.len() as u64);
        return if players.is_empty() { String::new() } else { format!(": {took} took part") };
    };
    match attempt.outcome {
        AttemptOutcome::Risen if attempt.present == 1 => ": 1 rises".to_owned(),
        AttemptOutcome::Risen => format!(": {} rise", number(attempt.present as u64)),
        AttemptOutcome::Failed(why) => {
            let why = why.map(|why| format!(": {}", flaw_words(why, roster))).unwrap_or_default();
            format!("{why} ({})", heads(attempt.present, needed(attempt.running.level)))
        }
    }
}

/// Participants on an incantation's tile, and players that it needs.
pub fn heads(there: usize, needed: usize) -> String {
    format!("{there} there, {needed} needed")
}

/// The colour of what went well or badly; none of everything else.
pub fn tone(what: &What) -> Option<Color> {
    match what {
        What::IncantationEnded { success: true, .. } | What::Level { .. } => Some(theme::GOOD),
        What::IncantationEnded { success: false, .. } | What::Gone { .. } | What::EggDestroyed(_) => {
            Some(theme::BAD)
        }
        What::Won(_) | What::IncantationBegan { .. } => Some(theme::ACCENT),
        _ => None,
    }
}

/// A name that fits into so many points, its end kept.
pub fn fitting_name(canvas: &Canvas, name: &str, style: Style, width: f32) -> String {
    let name = &*canvas.legible(name, style.face);
    let all = name.chars().count();
    if all <= NAME_END || canvas.measure(name, style.face, style.size) <= width {
        return name.to_owned();
    }
    let start: String = name.chars().take(all - NAME_END).collect();
    let end: String = name.chars().skip(all - NAME_END).collect();
    let room = width - canvas.measure(&end, style.face, style.size);
    let start = canvas.ellipsis(&start, style.face, style.size, room.max(0.0)).into_owned();
    if start.chars().count() < 2 { name.to_owned() } else { format!("{start}{end}") }
}

pub fn players(number: u32) -> String {
    count(number, "player", "players")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::panels::testing::ToldMatch;

    #[test]
    fn long_names_keep_their_ends_apart() {
        let name = |number: u32| format!("a_team_with_a_very_long_name_{number}");
        let canvas = Canvas::new();
        let style = Style::strong(13.0, theme::TEXT);
        let fits = |number| fitting_name(&canvas, &name(number), style, 100.0);
        assert!(fits(12).ends_with("e_12") && fits(12).contains('…') && fits(12) != fits(13));
        assert!(canvas.measure(&fits(12), style.face, style.size) <= 100.0);
        assert_eq!(fitting_name(&canvas, "wolves", style, 100.0), "wolves");
    }

    #[test]
    fn an_incantation_is_counted_in_the_same_words_from_its_beginning_to_its_end() {
        let mut lines: Vec<String> = (0..8).map(|n| format!("5 pnw #{n} 5 2 1 2 red")).collect();
        lines.push("5 pnw #26 4 2 2 2 wolves".to_owned());
        lines.push("9 ppo #26 5 2 2".to_owned());
        lines.push("100 pic 5 2 2 #0 #1 #2 #3 #4 #5 #6 #7".to_owned());
        lines.extend((0..8).map(|n| format!("200 ppo #{n} 6 2 1")));
        lines.extend(["200 pex #26".to_owned(), "400 pie 5 2 0".to_owned()]);
        let before = ["0 msz 9 9", "0 tna red", "0 tna wolves", "0 bct 5 2 0 9 9 9 9 9 9", "0 ppo #9 0 0 1"];
        let all: Vec<&str> = before.into_iter().chain(lines.iter().map(String::as_str)).collect();
        let scene = ToldMatch::told(&all);
        let overview = &scene.chronicler.overview;
        let said: Vec<String> = overview
            .chronicle
            .entries
            .iter()
            .filter(|noted| noted.happening.tick >= 100)
            .map(|noted| say(&noted.happening, &overview.chronicle, &overview.roster))
            .collect();
        assert_eq!(
            said,
            [
                "red: incantation for level 3 begins at 5,\u{a0}2: 8 take part",
                "wolves: #26 pushes 8 players away at 5,\u{a0}2, out of an incantation",
                "red: incantation for level 3 failed at 5,\u{a0}2: pushed by wolves’ #26 (0 there, 2 needed)",
            ]
        );
    }
}
