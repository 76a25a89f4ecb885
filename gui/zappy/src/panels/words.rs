//! What happened in one plain line, with places and numbers as all panels write them, and the moments that decided a
//! match.
//!
//! Each word means one thing: players *take part* in an incantation from its beginning to its end, are *there* while
//! they stand on its tile, and are *needed* by the table.
//!
//! Must never say more than messages did. Tested in this module.

use zappy_protocol::zappy::PlayerId;
use zappy_protocol::zappy::constants::WINNING_PLAYERS;
use zappy_protocol::zappy::story::{Happening, Roster, TeamIndex, What};

pub use zappy_protocol::text::{possessive, short_name};
use zappy_protocol::zappy::story::sentence as protocol_sentence;
pub use zappy_protocol::zappy::story::{ended, name, next, quoted};

pub use crate::scene::card::flaw_words;
use crate::timeline::attempt::{Attempt, AttemptOutcome, needed};
use crate::timeline::chronicle::Overview;
use crate::timeline::moments::{MatchMoment, MomentKind};
use zappy_observer::ink::{Canvas, Color, Style};
use zappy_observer::panels::kit::{count, number, place};
use zappy_observer::theme;

/// Characters at a name's end that stay when it is shortened.
const NAME_END: usize = 4;

/// What happened, in one line that begins with the team unless the sentence names it.
pub fn say(happening: &Happening, story: &Overview) -> String {
    let (what, roster) = (&happening.what, &story.roster);
    let names_its_team = matches!(what, What::Joined(_) | What::Won(_) | What::Ended(..));
    let team = what.team(roster).filter(|_| !names_its_team);
    let of = team.map(|team| format!("{}: ", name(roster, team))).unwrap_or_default();
    of + &sentence(happening, story)
}

/// What happened, in a sentence; of many players only their number, so that no list is cut off.
pub fn sentence(happening: &Happening, story: &Overview) -> String {
    let roster = &story.roster;
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
            let verb = if *success { "succeeded" } else { "failed" };
            format!("{which} {verb}{at}{}", outcome(attempt(story, happening), players, roster))
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
        _ => protocol_sentence(happening, roster),
    }
}

/// The incantation that a happening ended, if it is known.
fn attempt<'a>(story: &'a Overview, happening: &Happening) -> Option<&'a Attempt> {
    let all = &story.chronicle.attempts;
    let first = all.partition_point(|attempt| attempt.ended < happening.tick);
    let mut ended_then = all.range(first..).take_while(|attempt| attempt.ended == happening.tick);
    ended_then.find(|attempt| Some(attempt.running.at) == happening.at)
}

/// The rest of a sentence about an incantation that has ended: how many rose, or why it failed and how many were there
/// and needed; how many took part if no more is known.
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
            format!("{why} ({})", there_and_needed(attempt.present, needed(attempt.running.level)))
        }
    }
}

/// How many participants are on an incantation's tile, and how many it needs, in words.
pub fn there_and_needed(present: usize, needed: usize) -> String {
    format!("{present} there, {needed} needed")
}

/// The colour of what went well, went badly, or is worth a look; `None` for everything else.
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

/// The name, shortened before its last characters if it is wider than `width` points; whole if too little of its start
/// would be left.
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

/// The team that a moment is about.
pub fn moment_team(moment: &MatchMoment, roster: &Roster) -> Option<TeamIndex> {
    match moment.kind {
        MomentKind::Leads(team, _) => Some(team),
        _ => moment.happening.what.team(roster),
    }
}

/// A moment that matters, in a sentence.
pub fn moment(moment: &MatchMoment, story: &Overview) -> String {
    let (what, roster) = (&moment.happening.what, &story.roster);
    let team = moment_team(moment, roster).map_or_else(|| "a team".to_owned(), |team| name(roster, team));
    let participants = match what {
        What::IncantationBegan { players, .. } | What::IncantationEnded { players, .. } => players.len(),
        _ => 0,
    };
    let players = count(participants as u64, "player", "players");
    match (moment.kind, what) {
        (MomentKind::Begins(to, true), _) => {
            format!("{team}: {players} begin the incantation for level {to}, which may win")
        }
        (MomentKind::Begins(to, false), _) => {
            format!("{team}: {players} begin an incantation for level {to}")
        }
        (MomentKind::Ends { to, outcome: AttemptOutcome::Risen, wins: true, .. }, _) => {
            format!("{team}: {players} reach level {to} ({WINNING_PLAYERS} needed): it has won")
        }
        (MomentKind::Ends { to, outcome: AttemptOutcome::Risen, first: true, .. }, _) => {
            format!("{team}: {players} at level {to}, the first in the match")
        }
        (MomentKind::Ends { to, outcome: AttemptOutcome::Risen, .. }, _) => {
            format!("{team}: {players} at level {to}")
        }
        (MomentKind::Ends { to, outcome: AttemptOutcome::Failed(why), wins, .. }, _) => {
            let why = why.map(|why| format!(": {}", flaw_words(why, roster))).unwrap_or_default();
            let win = if wins { ", which would have won," } else { "" };
            format!("{} incantation for level {to}{win} fails{why}", possessive(&team))
        }
        (MomentKind::Pushed { to, wins, breaks, .. }, What::Ejected { player, victims, .. }) => {
            let (team, moved) = (possessive(&team), count(victims.len() as u64, "player", "players"));
            let effect = if breaks { "away and breaks" } else { "out of" };
            let win = if wins { " that might have won" } else { "" };
            format!("{team} {player} pushes {moved} {effect} an incantation for level {to}{win}")
        }
        (MomentKind::Dies(level), What::Gone { player, fate, why, .. }) => {
            format!("{} {player} of level {level} {}", possessive(&team), ended(*fate, why.as_deref()))
        }
        (MomentKind::Leads(_, true), _) => format!("{team} takes the lead"),
        (MomentKind::Leads(_, false), _) => format!("{team} is the first to lead"),
        _ => say(&moment.happening, story),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::panels::testing::ScriptedMatch;
    use crate::timeline::moments::highlights;

    #[test]
    fn long_names_keep_their_ends_and_stay_distinct() {
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
        let scene = ScriptedMatch::of(&all);
        let overview = &scene.chronicler.overview;
        let said: Vec<String> = overview
            .chronicle
            .entries
            .iter()
            .filter(|noted| noted.happening.tick >= 100)
            .map(|noted| say(&noted.happening, overview))
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

    #[test]
    fn each_moment_is_a_plain_sentence_and_five_of_this_match_are_highlights() {
        let mut lines = vec![
            "0 msz 30 9".to_owned(),
            "0 tna red".to_owned(),
            "0 tna wolves".to_owned(),
            "0 smg go".to_owned(),
            "1 bct 1 1 0 2 2 2 2 2 1".to_owned(),
            "1 pnw #26 2 1 4 6 wolves".to_owned(),
        ];
        lines.extend((0..6).map(|n| format!("1 pnw #{n} 1 1 1 7 red")));
        let more = [
            "100 pic 1 1 7 #0 #1 #2 #3 #4 #5",
            "150 ppo #26 1 1 2",
            "200 ppo #0 2 1 1",
            "200 pex #26",
            "400 pie 1 1 0",
            "1000 pnw #30 9 1 1 7 wolves",
            "1000 pdi #30",
            "2000 ppo #26 20 1 2",
            "2000 pdi #26",
            "3000 ppo #0 1 1 2",
            "3000 pic 1 1 7 #0 #1 #2 #3 #4 #5",
        ];
        lines.extend(more.map(str::to_owned));
        lines.extend((0..6).map(|n| format!("3300 plv #{n} 8")));
        lines.extend(["3300 pie 1 1 1".to_owned(), "3300 seg red".to_owned()]);
        let scene = ScriptedMatch::of(&lines.iter().map(String::as_str).collect::<Vec<_>>());
        let overview = &scene.chronicler.overview;
        let found: Vec<String> =
            highlights(&overview.chronicle.moments).into_iter().map(|m| moment(m, overview)).collect();
        assert_eq!(
            found,
            [
                "red takes the lead",
                "red’s incantation for level 8, which would have won, fails: pushed by wolves’ #26",
                "wolves’ #30 of level 7 starved",
                "wolves’ #26 of level 6 starved",
                "red: 6 players reach level 8 (6 needed): it has won",
            ]
        );
        let all = overview.chronicle.moments.iter();
        let all: Vec<String> = all.map(|one| moment(one, overview)).collect();
        for part in [
            "red: 6 players begin the incantation for level 8, which may win",
            "wolves’ #26 pushes 1 player away and breaks an incantation for level 8 that might have won",
            "red has won",
        ] {
            assert!(all.iter().any(|said| said == part), "{part}: {all:#?}");
        }
    }
}
