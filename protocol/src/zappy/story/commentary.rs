//! How a match stands, in sentences, as it goes on: a fold over what happened and the world at that moment.
//!
//! Never says more than the messages so far. Tested in this module, and against a whole match in
//! `tests/remarks.rs`.

use std::collections::{BTreeMap, BTreeSet};

use super::deeds::{Strength, leader, strengths};
use super::happening::{Fate, Happening, What};
use super::roster::{Roster, TeamIndex};
use super::stake::{Stake, needed, present};
use super::words::name;
use crate::commentary::{Remark, Remarks, is_round};
use crate::text::{many, possessive};
use crate::types::{Position, Tick};
use crate::zappy::constants::{WINNING_PLAYERS, elevation};
use crate::zappy::mirror::Mirror;
use crate::zappy::{Inventory, Level, PlayerId, Resource};

/// The lowest level at which the loss of a player is worth a remark; incantations are from the next level on.
const HIGH_LEVEL: u8 = 4;
/// The lowest level that is worth a remark when a team reaches it.
const LEAST_LEVEL: u8 = 3;
/// The most changes of the lead that are kept.
const MOST_LEADS: usize = 10_000;
/// How many incantations have to fail in a row for a remark.
const FAILED_IN_A_ROW: u32 = 3;

/// The team that a sentence is about, the sentence's weight, and the sentence; `None`: nothing is to be said.
type Said = Option<(TeamIndex, u32, String)>;

/// What is counted of a team for the remarks about it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct TeamCounts {
    /// Incantations that failed since the last one that succeeded.
    failed: u32,
    starved: u32,
    /// How many players the team pushed: of other teams, and of its own.
    pushed: [u32; 2],
    /// How many of the team's incantations were broken by the pushes of each team.
    broken: BTreeMap<TeamIndex, u32>,
}

/// What is said of a match as it goes on.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Commentary {
    pub remarks: Remarks<TeamIndex>,
    /// The tick since which a team has led; `None` before a player has risen, and while the best teams are equal.
    pub(super) leads: Vec<(Tick, Option<TeamIndex>)>,
    teams: BTreeMap<TeamIndex, TeamCounts>,
    /// For each tile the team that has pushed so many players out of the incantation there that it must fail.
    breakers: BTreeMap<Position, TeamIndex>,
    /// The highest level that an incantation has led to; 0 before the first.
    highest: u8,
    /// Whether the match had begun before the first message: then no remark names a first time or a number of times.
    pub late: bool,
}

/// How strong each team is at the moment.
struct TeamStrengths<'a> {
    all: Vec<Strength>,
    roster: &'a Roster,
}

impl TeamStrengths<'_> {
    fn of(&self, team: TeamIndex) -> Strength {
        self.all.get(team.0).copied().unwrap_or_default()
    }

    /// The best of the other teams with living players.
    fn rival(&self, team: TeamIndex) -> Option<TeamIndex> {
        let others = (0..self.all.len()).map(TeamIndex).filter(|other| *other != team);
        others.filter(|other| self.of(*other).alive() > 0).max_by_key(|other| self.of(*other).rank())
    }

    fn name(&self, team: TeamIndex) -> String {
        name(self.roster, team)
    }
}

fn levels(number: u8) -> String {
    if number == 1 { "one level".to_owned() } else { format!("{number} levels") }
}

impl Commentary {
    /// Takes in what has just happened, after `mirror` and `roster`.
    pub fn take(&mut self, happening: &Happening, mirror: &Mirror, roster: &Roster) {
        let (tick, what) = (happening.tick, &happening.what);
        let teams = || TeamStrengths { all: strengths(mirror, roster), roster };
        let said = match what {
            What::IncantationBegan { .. } => {
                let running = mirror.incantations.iter().rfind(|one| Some(one.at) == happening.at);
                running.and_then(|one| {
                    say_beginning(Stake::of(mirror, roster, one)?, one.players.len(), &teams())
                })
            }
            What::IncantationEnded { level: Some(level), players, success, .. } => {
                let team = players.first().and_then(|player| roster.team_of(*player));
                let breaker = happening.at.and_then(|at| self.breakers.remove(&at));
                match (team, *success) {
                    (Some(team), true) => self.say_rise(tick, team, *level, &teams()),
                    (Some(team), false) => self.say_failure(team, breaker, roster),
                    (None, _) => None,
                }
            }
            What::Ejected { player, victims, out_of_incantation } => {
                let prevented =
                    out_of_incantation.then(|| self.say_break(happening, *player, victims, mirror, &teams()));
                prevented.flatten().or_else(|| self.say_pushes(*player, victims, roster))
            }
            What::Gone { last, fate, .. } => {
                let team = what.team(roster);
                team.and_then(|team| self.say_loss(team, last.level.get(), *fate, &teams()))
            }
            What::Joined(_) => what.team(roster).and_then(|team| say_growth(team, &teams())),
            _ => None,
        };
        if matches!(what, What::Gone { .. } | What::Level { .. }) {
            // Of several changes of the lead within a tick the last one counts.
            let team = leader(&teams().all);
            while self.leads.last().is_some_and(|(since, _)| *since == tick) {
                self.leads.pop();
            }
            if self.leads.last().map(|(_, team)| *team) != Some(team) && self.leads.len() < MOST_LEADS {
                self.leads.push((tick, team));
            }
        }
        if let Some((team, weight, says)) = said {
            self.remarks.say(Remark { tick, team: Some(team), weight, says });
        }
    }

    fn counts_of(&mut self, team: TeamIndex) -> &mut TeamCounts {
        self.teams.entry(team).or_default()
    }

    /// A team's incantation for the level above has worked.
    fn say_rise(&mut self, tick: Tick, team: TeamIndex, level: Level, teams: &TeamStrengths<'_>) -> Said {
        let to = level.next()?.get();
        self.counts_of(team).failed = 0;
        let first = to > self.highest && !self.late;
        self.highest = self.highest.max(to);
        let (own, rival) = (teams.of(team), teams.rival(team)?);
        let (who, other, theirs) = (teams.name(team), teams.name(rival), teams.of(rival));
        let (weight, gap) = (40 + 8 * u32::from(to), to.saturating_sub(theirs.highest()));
        let before = self.leads.iter().rev().filter(|(since, _)| *since < tick).find_map(|(_, team)| *team);
        let leads = leader(&teams.all) == Some(team);
        let says = if to == Level::MAX.get() && (own.at_top() as usize) < WINNING_PLAYERS {
            let has = if theirs.at_top() == 0 { "none".to_owned() } else { theirs.at_top().to_string() };
            format!("{who} has {} of the {WINNING_PLAYERS} that win at level 8, {other} {has}", own.at_top())
        } else if to == Level::MAX.get() || to < LEAST_LEVEL || own.highest() != to {
            return None;
        } else if first && gap > 0 {
            format!("{who} was the first at level {to}, {} ahead of {other}", levels(gap))
        } else if leads && before.is_some_and(|before| before != team) {
            let before = teams.name(before?);
            let best = many(own.levels[usize::from(to) - 1].into(), "player");
            format!("{who} overtakes {before} with {best} at level {to}")
        } else if gap == 0 && theirs.highest() == to {
            format!("{who} has caught up: {other} is at level {to}, too")
        } else if theirs.highest() > to {
            format!("{who} reaches level {to}, and {other} is still {} ahead", levels(theirs.highest() - to))
        } else {
            return None;
        };
        Some((team, weight, says))
    }

    fn say_failure(&mut self, team: TeamIndex, breaker: Option<TeamIndex>, roster: &Roster) -> Said {
        let late = self.late;
        let counts = self.counts_of(team);
        counts.failed += 1;
        let in_a_row = counts.failed;
        if let Some(breaker) = breaker.filter(|breaker| *breaker != team) {
            let count = counts.broken.entry(breaker).or_default();
            *count += 1;
            let (count, of) = (*count, possessive(&name(roster, team)));
            let says = format!("{} has broken {count} of {of} incantations", name(roster, breaker));
            return (count > 1 && !late).then_some((breaker, 70, says));
        }
        let says =
            format!("{in_a_row} of {} incantations in a row have failed", possessive(&name(roster, team)));
        (in_a_row >= FAILED_IN_A_ROW).then_some((team, 45, says))
    }

    /// Players were pushed out of an incantation; says what that prevents if too few are left by it.
    fn say_break(
        &mut self,
        happening: &Happening,
        player: PlayerId,
        victims: &[PlayerId],
        mirror: &Mirror,
        teams: &TeamStrengths<'_>,
    ) -> Said {
        let running = mirror.incantations.iter().rfind(|one| Some(one.at) == happening.at)?;
        let gone = running.players.iter().filter(|one| victims.contains(one)).count();
        let (left, needed) = (present(mirror, running), needed(running.level));
        let (stake, by) = (Stake::of(mirror, teams.roster, running)?, teams.roster.team_of(player)?);
        if left >= needed || left + gone < needed || by == stake.team {
            return None;
        }
        self.breakers.insert(running.at, by);
        let (who, other) = (teams.name(by), teams.name(stake.team));
        let (own, theirs) = (teams.of(by).highest(), teams.of(stake.team).highest());
        if stake.wins() {
            let says = format!("{who} keeps the match open: {other} was one incantation from winning");
            return Some((by, 124, says));
        }
        let says = if own < theirs {
            format!(
                "{who}, {} behind, holds {other} up on its way to level {}",
                levels(theirs - own),
                stake.to
            )
        } else if own > theirs {
            format!("{who} is {} ahead and keeps {other} from level {}", levels(own - theirs), stake.to)
        } else {
            format!(
                "{who} and {other} are both at level {own}, and {other} loses time on its way to {}",
                stake.to
            )
        };
        Some((by, 50 + 8 * u32::from(stake.to.get()), says))
    }

    /// Counts the players that were pushed: the pusher's mates apart from others.
    fn say_pushes(&mut self, player: PlayerId, victims: &[PlayerId], roster: &Roster) -> Said {
        let team = roster.team_of(player)?;
        let mut said = None;
        for victim in victims {
            let own = roster.team_of(*victim) == Some(team);
            let count = &mut self.counts_of(team).pushed[usize::from(own)];
            *count = count.saturating_add(1);
            let (count, who) = (*count, name(roster, team));
            if is_round(count) && !self.late {
                let of = if own { "of its own players aside" } else { "players of other teams away" };
                said =
                    Some((team, if own { 8 } else { 30 }, format!("{who} has pushed {count} {of} so far")));
            }
        }
        said
    }

    fn say_loss(
        &mut self,
        team: TeamIndex,
        level: u8,
        fate: Option<Fate>,
        teams: &TeamStrengths<'_>,
    ) -> Said {
        let (own, who) = (teams.of(team), teams.name(team));
        let starved = &mut self.counts_of(team).starved;
        *starved += u32::from(fate == Some(Fate::Starved));
        let starved = *starved;
        let left = own.levels[usize::from(level) - 1];
        Some(if own.alive() == 0 {
            (team, 90, format!("{who} has no player left"))
        } else if level >= HIGH_LEVEL && left == 0 && own.highest() < level {
            let says = format!(
                "{who} loses its last player of level {level} and falls back to level {}",
                own.highest()
            );
            (team, 30 + 8 * u32::from(level), says)
        } else if level >= HIGH_LEVEL {
            let left = many(left.into(), "player");
            let says = format!("{who} loses one of its best: it has {left} of level {level} left");
            (team, 20 + 8 * u32::from(level), says)
        } else if is_round(starved) && fate == Some(Fate::Starved) && !self.late {
            (team, 28, format!("Hunger has cost {who} {starved} players so far"))
        } else {
            return None;
        })
    }

    /// How many incantations of a team were broken by the team that broke most of them, and that team.
    pub(super) fn most_broken_by(&self, of: TeamIndex) -> Option<(u32, TeamIndex)> {
        let broken = self.teams.get(&of)?.broken.iter();
        broken.map(|(by, many)| (*many, *by)).max_by_key(|(many, by)| (*many, std::cmp::Reverse(*by)))
    }
}

/// Says what an incantation that has begun would bring, if that is much.
fn say_beginning(stake: Stake, players: usize, teams: &TeamStrengths<'_>) -> Said {
    let (rival, who) = (teams.rival(stake.team)?, teams.name(stake.team));
    let (other, theirs, to) = (teams.name(rival), teams.of(rival).highest(), stake.to.get());
    if stake.wins() {
        let says = format!("{who} wins if this incantation holds; the best of {other} are at level {theirs}");
        return Some((stake.team, 122, says));
    }
    let says = match to.checked_sub(theirs)? {
        0 => format!("With this incantation {who} would catch up with {other} at level {to}"),
        gap => format!("With this incantation {who} would be {} ahead of {other}", levels(gap)),
    };
    let is_news = to > teams.of(stake.team).highest() && to > HIGH_LEVEL && players > 1;
    is_news.then_some((stake.team, 30 + 8 * u32::from(to), says))
}

/// Says how large a team is that a player has joined, if that is a round number and more than its rival has.
fn say_growth(team: TeamIndex, teams: &TeamStrengths<'_>) -> Said {
    let (own, rival) = (teams.of(team).alive(), teams.rival(team)?);
    let theirs = teams.of(rival).alive();
    let says = format!("{} has grown to {own} players, {} has {theirs}", teams.name(team), teams.name(rival));
    (own > theirs && is_round(own)).then_some((team, 16, says))
}

/// The leading team, and what it still lacks for its next level or for victory: `blue to level 8: 3 thystame, 1
/// player`. Stones count that its players of the level below carry or stand on, and players wherever they are.
pub fn lacks(mirror: &Mirror, roster: &Roster) -> Option<(TeamIndex, String)> {
    let all = strengths(mirror, roster);
    let team = leader(&all)?;
    let (own, who) = (all[team.0], name(roster, team));
    let level = Level::new(own.highest())?;
    if level == Level::MAX {
        let more = WINNING_PLAYERS.checked_sub(own.at_top() as usize).filter(|more| *more > 0)?;
        return Some((team, format!("{who} to victory: {} more at level 8", many(more as u64, "player"))));
    }
    let row = elevation(level)?;
    let (mut has, mut tiles) = (Inventory::default(), BTreeSet::new());
    let mates =
        mirror.players.iter().filter(|(id, one)| one.level == level && roster.team_of(**id) == Some(team));
    for (_, mate) in mates {
        let ground = mirror.tile(mate.at).filter(|_| tiles.insert(mate.at));
        for resource in Resource::ALL {
            has.add(resource, mate.inventory.get(resource));
            has.add(resource, ground.map_or(0, |ground| ground.get(resource)));
        }
    }
    let stones = has.short_of(&row.stones);
    let mut lacking: Vec<String> = stones.map(|(resource, short)| format!("{short} {resource}")).collect();
    let short = row.players.saturating_sub(own.levels[usize::from(level.get()) - 1] as usize);
    if short > 0 {
        lacking.push(format!("{} of level {level}", many(short as u64, "player")));
    }
    let to = level.next()?;
    let lacking = if lacking.is_empty() { "all is at hand".to_owned() } else { lacking.join(", ") };
    Some((team, format!("{who} to level {to}: {lacking}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::zappy::observer::Message;
    use crate::zappy::story::Observed;

    /// The remarks on a match of red, blue and wolves with these lines, each with its tick; and what the leader lacks.
    fn remarks_after(lines: &[String]) -> (Vec<String>, Option<String>) {
        let (mut observed, mut roster, mut commentary) =
            (Observed::new(), Roster::new(), Commentary::default());
        let before = ["0 msz 9 9", "0 tna red", "0 tna blue", "0 tna wolves", "0 smg go"].map(str::to_owned);
        for line in before.iter().chain(lines) {
            let (tick, text) = line.split_once(' ').unwrap();
            let (tick, message) = (tick.parse().unwrap(), Message::parse(text.as_bytes()).unwrap());
            roster.apply(tick, &message);
            if let Some(happening) = observed.apply(tick, &message, &[]).happening {
                commentary.take(&happening, observed.mirror(), &roster);
            }
        }
        let says = commentary.remarks.all().iter().map(|remark| remark.says.clone()).collect();
        (says, lacks(observed.mirror(), &roster).map(|(_, says)| says))
    }

    /// `many` players of a team and level on a tile, numbered from `first` on.
    fn crowd(first: u32, many: u32, level: u8, team: &str, x: u16) -> Vec<String> {
        (first..first + many).map(|number| format!("5 pnw #{number} {x} 1 1 {level} {team}")).collect()
    }

    fn rises(at: Tick, first: u32, many: u32, level: u8, x: u16) -> Vec<String> {
        let who: Vec<String> = (first..first + many).map(|number| format!("#{number}")).collect();
        let mut lines = vec![format!("{at} pic {x} 1 {level} {}", who.join(" "))];
        lines.extend(who.iter().map(|who| format!("{} plv {who} {}", at + 300, level + 1)));
        lines.push(format!("{} pie {x} 1 1", at + 300));
        lines
    }

    fn said(parts: &[Vec<String>]) -> Vec<String> {
        remarks_after(&parts.concat()).0
    }

    #[test]
    fn each_rise_is_told_by_how_the_teams_stand_and_nothing_is_said_twice() {
        let both =
            [crowd(0, 4, 3, "red", 1), crowd(10, 4, 2, "blue", 4), crowd(30, 1, 1, "wolves", 7)].concat();
        let red = rises(100, 0, 2, 3, 1);
        assert_eq!(
            said(&[both.clone(), red.clone()]),
            ["red was the first at level 4, 2 levels ahead of blue"]
        );
        let blue = [rises(500, 10, 4, 2, 4), rises(900, 10, 4, 3, 4), rises(1_300, 10, 4, 4, 4)].concat();
        assert_eq!(
            said(&[both.clone(), red.clone(), blue.clone()])[1..],
            [
                "blue reaches level 3, and red is still one level ahead",
                "blue overtakes red with 4 players at level 4",
                "With this incantation blue would be one level ahead of red",
                "blue was the first at level 5, one level ahead of red",
            ]
        );
        let again = rises(1_700, 2, 2, 3, 1);
        assert_eq!(
            said(&[both, red, blue, again]).last().unwrap(),
            "red reaches level 4, and blue is still one level ahead"
        );
    }

    #[test]
    fn what_may_win_and_who_prevents_it_is_told_and_how_often() {
        let teams = [crowd(0, 6, 7, "red", 1), crowd(20, 1, 4, "wolves", 4)].concat();
        let broken = |at: Tick| {
            let mut lines =
                vec![format!("{} ppo #20 1 1 2", at), format!("{at} pic 1 1 7 #0 #1 #2 #3 #4 #5")];
            lines.extend([format!("{} ppo #0 2 1 1", at + 50), format!("{} pex #20", at + 50)]);
            lines.extend([format!("{} pie 1 1 0", at + 300), format!("{} ppo #0 1 1 1", at + 310)]);
            lines
        };
        assert_eq!(
            said(&[teams.clone(), broken(100), broken(500)]),
            [
                "red wins if this incantation holds; the best of wolves are at level 4",
                "wolves keeps the match open: red was one incantation from winning",
                "wolves has broken 2 of red’s incantations",
            ]
        );
        let fails = |at: Tick| vec![format!("{at} pic 1 1 7 #0"), format!("{} pie 1 1 0", at + 9)];
        let row = said(&[teams, fails(100), fails(200), fails(300), fails(400)]);
        assert_eq!(
            row,
            ["3 of red’s incantations in a row have failed", "4 of red’s incantations in a row have failed"]
        );
    }

    #[test]
    fn losses_growth_and_pushes_are_counted() {
        let teams = [crowd(0, 2, 4, "red", 1), crowd(10, 2, 2, "blue", 4)].concat();
        assert_eq!(
            said(&[teams.clone(), vec!["9 pdi #0".to_owned()], vec!["10 pdi #1".to_owned()]]),
            ["red loses one of its best: it has 1 player of level 4 left", "red has no player left"]
        );
        let many = crowd(40, 8, 1, "blue", 4);
        assert_eq!(said(&[teams.clone(), many]), ["blue has grown to 10 players, red has 2"]);
        let push = |n: u32| {
            vec![
                format!("{} ppo #10 1 1 1", 10 + n),
                format!("{} ppo #0 2 1 1", 10 + n),
                format!("{} pex #10", 10 + n),
                format!("{} ppo #0 1 1 1", 10 + n),
            ]
        };
        let pushes: Vec<Vec<String>> = std::iter::once(teams).chain((0..12).map(push)).collect();
        assert_eq!(said(&pushes), ["blue has pushed 10 players of other teams away so far"]);
    }

    #[test]
    fn what_the_leader_still_lacks_is_counted_in_hands_and_under_feet() {
        let mut lines = crowd(0, 2, 7, "red", 1);
        lines.extend(["6 pin #0 1 1 9 2 2 2 2 2 0", "6 bct 1 1 0 0 0 0 0 0 1"].map(str::to_owned));
        assert_eq!(remarks_after(&lines).1.as_deref(), Some("red to level 8: 4 players of level 7"));
        lines.push("7 bct 1 1 0 0 0 0 0 0 0".to_owned());
        assert_eq!(
            remarks_after(&lines).1.as_deref(),
            Some("red to level 8: 1 thystame, 4 players of level 7")
        );
        assert_eq!(
            remarks_after(&crowd(0, 2, 8, "red", 1)).1.as_deref(),
            Some("red to victory: 4 players more at level 8")
        );
        assert_eq!(remarks_after(&[]).1, None);
    }
}
