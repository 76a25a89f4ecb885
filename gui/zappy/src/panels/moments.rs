//! The moments that decided a match, in a sentence each.
//!
//! Must never say more than was told. Tested in this module.

use zappy_protocol::zappy::constants::WINNING_PLAYERS;
use zappy_protocol::zappy::story::{Roster, TeamIndex, What};

use super::words::{self, ended, flaw_words, name, possessive, say};
use crate::timeline::attempt::AttemptOutcome;
use crate::timeline::chronicle::Chronicle;
use crate::timeline::moments::{MatchMoment, MomentKind};
use zappy_observer::panels::kit::count;

/// The team that it is about.
pub fn team(moment: &MatchMoment, roster: &Roster) -> Option<TeamIndex> {
    match moment.kind {
        MomentKind::Leads(team, _) => Some(team),
        _ => moment.happening.what.team(roster),
    }
}

/// What happened, and why it matters.
pub fn sentence(moment: &MatchMoment, chronicle: &Chronicle, roster: &Roster) -> String {
    let what = &moment.happening.what;
    let whose = team(moment, roster).map_or_else(|| "a team".to_owned(), |team| name(roster, team));
    let players = match what {
        What::IncantationBegan { players, .. } | What::IncantationEnded { players, .. } => players.len(),
        _ => 0,
    };
    let players = words::players(u32::try_from(players).unwrap_or(u32::MAX));
    match (moment.kind, what) {
        (MomentKind::Begins(to, true), _) => format!("{whose}: {players} begin what may win, level {to}"),
        (MomentKind::Begins(to, false), _) => {
            format!("{whose}: {players} begin an incantation for level {to}")
        }
        (MomentKind::Ends { to, outcome: AttemptOutcome::Risen, wins: true, .. }, _) => {
            format!("{whose}: {players} reach level {to} ({WINNING_PLAYERS} needed): it has won")
        }
        (MomentKind::Ends { to, outcome: AttemptOutcome::Risen, first: true, .. }, _) => {
            format!("{whose}: {players} at level {to}, the first in the match")
        }
        (MomentKind::Ends { to, outcome: AttemptOutcome::Risen, .. }, _) => {
            format!("{whose}: {players} at level {to}")
        }
        (MomentKind::Ends { to, outcome: AttemptOutcome::Failed(why), wins, .. }, _) => {
            let why = why.map(|why| format!(": {}", flaw_words(why, roster))).unwrap_or_default();
            let win = if wins { ", which would have won," } else { "" };
            format!("{} incantation for level {to}{win} fails{why}", possessive(&whose))
        }
        (MomentKind::Pushed { to, wins, breaks, .. }, What::Ejected { player, victims, .. }) => {
            let (whose, moved) = (possessive(&whose), count(victims.len() as u64, "player", "players"));
            let way = if breaks { "away and breaks" } else { "out of" };
            let win = if wins { " that might have won" } else { "" };
            format!("{whose} {player} pushes {moved} {way} an incantation for level {to}{win}")
        }
        (MomentKind::Dies(level), What::Gone { player, fate, why, .. }) => {
            format!("{} {player} of level {level} {}", possessive(&whose), ended(*fate, why.as_deref()))
        }
        (MomentKind::Leads(_, true), _) => format!("{whose} takes the lead"),
        (MomentKind::Leads(_, false), _) => format!("{whose} is the first to lead"),
        _ => say(&moment.happening, chronicle, roster),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::panels::testing::ToldMatch;
    use crate::timeline::moments::highlights;

    #[test]
    fn each_moment_is_a_plain_sentence_and_a_match_has_five() {
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
        let scene = ToldMatch::told(&lines.iter().map(String::as_str).collect::<Vec<_>>());
        let overview = &scene.chronicler.overview;
        let found: Vec<String> = highlights(&overview.chronicle.moments)
            .into_iter()
            .map(|m| sentence(m, &overview.chronicle, &overview.roster))
            .collect();
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
        let all: Vec<String> =
            all.map(|moment| sentence(moment, &overview.chronicle, &overview.roster)).collect();
        for part in [
            "red: 6 players begin what may win, level 8",
            "wolves’ #26 pushes 1 player away and breaks an incantation for level 8 that might have won",
            "red has won",
        ] {
            assert!(all.iter().any(|said| said == part), "{part}: {all:#?}");
        }
    }
}
