//! How a match stands, in sentences, as it goes on: a fold over what happened and the world just then.
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

/// The least level of which players are few enough to be missed, and the least that a team is first at worth saying.
const HIGH: u8 = 4;
const FIRSTS: u8 = 3;
/// Changes of the lead that are kept.
const LEADS: usize = 10_000;
/// Incantations that fail one after the other before that is worth saying.
const ROW: u32 = 3;

/// What is to be said of a team, if anything, and the weight of it.
type Said = Option<(TeamIndex, u32, String)>;

/// What is counted of a team for what is said of it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Course {
    /// Incantations that failed since the last one that succeeded.
    failed: u32,
    starved: u32,
    /// Players of other teams, and its own, that it pushed.
    pushed: [u32; 2],
    /// Its incantations that pushes of each team broke.
    broken: BTreeMap<TeamIndex, u32>,
}

/// What is said of a match as it goes on.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Commentary {
    pub remarks: Remarks<TeamIndex>,
    /// From when on which team led; none while the first were equal.
    pub(super) leads: Vec<(Tick, Option<TeamIndex>)>,
    teams: BTreeMap<TeamIndex, Course>,
    /// The team that has pushed too many out of the incantation on a tile.
    breakers: BTreeMap<Position, TeamIndex>,
    highest: u8,
    /// Whether the match had begun before the first message: then no remark names a first time or a number of times.
    pub late: bool,
}

/// How two teams stand to each other.
struct Standing<'a> {
    all: Vec<Strength>,
    roster: &'a Roster,
}

impl Standing<'_> {
    fn of(&self, team: TeamIndex) -> Strength {
        self.all.get(team.0).copied().unwrap_or_default()
    }

    /// The best of the other teams that live.
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
    /// Takes in what happened just now, when the world knows it already.
    pub fn take(&mut self, happening: &Happening, mirror: &Mirror, roster: &Roster) {
        let (tick, what) = (happening.tick, &happening.what);
        let stands = || Standing { all: strengths(mirror, roster), roster };
        let said = match what {
            What::IncantationBegan { .. } => {
                let running = mirror.incantations.iter().rfind(|one| Some(one.at) == happening.at);
                running.and_then(|one| begun(Stake::of(mirror, roster, one)?, one.players.len(), &stands()))
            }
            What::IncantationEnded { level: Some(level), players, success, .. } => {
                let team = players.first().and_then(|player| roster.team_of(*player));
                let breaker = happening.at.and_then(|at| self.breakers.remove(&at));
                match (team, *success) {
                    (Some(team), true) => self.risen(tick, team, *level, &stands()),
                    (Some(team), false) => self.failed(team, breaker, roster),
                    (None, _) => None,
                }
            }
            What::Ejected { player, victims, out_of_incantation } => {
                let into =
                    out_of_incantation.then(|| self.broke(happening, *player, victims, mirror, &stands()));
                into.flatten().or_else(|| self.pushed(*player, victims, roster))
            }
            What::Gone { last, fate, .. } => {
                let team = what.team(roster);
                team.and_then(|team| self.gone(team, last.level.get(), *fate, &stands()))
            }
            What::Joined(_) => what.team(roster).and_then(|team| grown(team, &stands())),
            _ => None,
        };
        if matches!(what, What::Gone { .. } | What::Level { .. }) {
            self.look_who_leads(tick, &stands());
        }
        if let Some((team, weight, says)) = said {
            self.remarks.say(Remark { tick, team: Some(team), weight, says });
        }
    }

    fn course(&mut self, team: TeamIndex) -> &mut Course {
        self.teams.entry(team).or_default()
    }

    /// Who leads now; no team does before a player has risen. Within a tick only what stands at its end counts.
    fn look_who_leads(&mut self, tick: Tick, stands: &Standing<'_>) {
        let team = leader(&stands.all);
        while self.leads.last().is_some_and(|(since, _)| *since == tick) {
            self.leads.pop();
        }
        if self.leads.last().map(|(_, team)| *team) != Some(team) && self.leads.len() < LEADS {
            self.leads.push((tick, team));
        }
    }

    /// A team's incantation for the level above has worked.
    fn risen(&mut self, tick: Tick, team: TeamIndex, level: Level, stands: &Standing<'_>) -> Said {
        let to = level.next()?.get();
        self.course(team).failed = 0;
        let first = to > self.highest && !self.late;
        self.highest = self.highest.max(to);
        let (own, rival) = (stands.of(team), stands.rival(team)?);
        let (whose, other, theirs) = (stands.name(team), stands.name(rival), stands.of(rival));
        let (weight, gap) = (40 + 8 * u32::from(to), to.saturating_sub(theirs.highest()));
        let before = self.leads.iter().rev().filter(|(since, _)| *since < tick).find_map(|(_, team)| *team);
        let leads = leader(&stands.all) == Some(team);
        let says = if to == Level::MAX.get() && (own.at_top() as usize) < WINNING_PLAYERS {
            let has = if theirs.at_top() == 0 { "none".to_owned() } else { theirs.at_top().to_string() };
            format!(
                "{whose} has {} of the {WINNING_PLAYERS} that win at level 8, {other} {has}",
                own.at_top()
            )
        } else if to == Level::MAX.get() || to < FIRSTS || own.highest() != to {
            return None;
        } else if first && gap > 0 {
            format!("{whose} was the first at level {to}, {} ahead of {other}", levels(gap))
        } else if leads && before.is_some_and(|before| before != team) {
            let before = stands.name(before?);
            let best = many(own.levels[usize::from(to) - 1].into(), "player");
            format!("{whose} overtakes {before} with {best} at level {to}")
        } else if gap == 0 && theirs.highest() == to {
            format!("{whose} has caught up: {other} is at level {to}, too")
        } else if theirs.highest() > to {
            format!(
                "{whose} reaches level {to}, and {other} is still {} ahead",
                levels(theirs.highest() - to)
            )
        } else {
            return None;
        };
        Some((team, weight, says))
    }

    fn failed(&mut self, team: TeamIndex, breaker: Option<TeamIndex>, roster: &Roster) -> Said {
        let late = self.late;
        let course = self.course(team);
        course.failed += 1;
        let row = course.failed;
        if let Some(breaker) = breaker.filter(|breaker| *breaker != team) {
            let count = course.broken.entry(breaker).or_default();
            *count += 1;
            let (count, of) = (*count, possessive(&name(roster, team)));
            let says = format!("{} has broken {count} of {of} incantations", name(roster, breaker));
            return (count > 1 && !late).then_some((breaker, 70, says));
        }
        let says = format!("{row} of {} incantations in a row have failed", possessive(&name(roster, team)));
        (row >= ROW).then_some((team, 45, says))
    }

    /// Players were pushed out of an incantation; says what that prevents if too few are left by it.
    fn broke(
        &mut self,
        happening: &Happening,
        player: PlayerId,
        victims: &[PlayerId],
        mirror: &Mirror,
        stands: &Standing<'_>,
    ) -> Said {
        let running = mirror.incantations.iter().rfind(|one| Some(one.at) == happening.at)?;
        let gone = running.players.iter().filter(|one| victims.contains(one)).count();
        let (left, needed) = (present(mirror, running), needed(running.level));
        let (stake, by) = (Stake::of(mirror, stands.roster, running)?, stands.roster.team_of(player)?);
        if left >= needed || left + gone < needed || by == stake.team {
            return None;
        }
        self.breakers.insert(running.at, by);
        let (whose, other) = (stands.name(by), stands.name(stake.team));
        let (own, theirs) = (stands.of(by).highest(), stands.of(stake.team).highest());
        if stake.wins() {
            let says = format!("{whose} keeps the match open: {other} was one incantation from winning");
            return Some((by, 124, says));
        }
        let says = if own < theirs {
            format!(
                "{whose}, {} behind, holds {other} up on its way to level {}",
                levels(theirs - own),
                stake.to
            )
        } else if own > theirs {
            format!("{whose} is {} ahead and keeps {other} from level {}", levels(own - theirs), stake.to)
        } else {
            format!(
                "{whose} and {other} are both at level {own}, and {other} loses time on its way to {}",
                stake.to
            )
        };
        Some((by, 50 + 8 * u32::from(stake.to.get()), says))
    }

    /// Counts the players that were pushed: the pusher's mates apart from others.
    fn pushed(&mut self, player: PlayerId, victims: &[PlayerId], roster: &Roster) -> Said {
        let team = roster.team_of(player)?;
        let mut said = None;
        for victim in victims {
            let own = roster.team_of(*victim) == Some(team);
            let count = &mut self.course(team).pushed[usize::from(own)];
            *count = count.saturating_add(1);
            let (count, whose) = (*count, name(roster, team));
            if is_round(count) && !self.late {
                let of = if own { "of its own players aside" } else { "players of other teams away" };
                said =
                    Some((team, if own { 8 } else { 30 }, format!("{whose} has pushed {count} {of} so far")));
            }
        }
        said
    }

    fn gone(&mut self, team: TeamIndex, level: u8, fate: Option<Fate>, stands: &Standing<'_>) -> Said {
        let (own, whose) = (stands.of(team), stands.name(team));
        let starved = &mut self.course(team).starved;
        *starved += u32::from(fate == Some(Fate::Starved));
        let starved = *starved;
        let left = own.levels[usize::from(level) - 1];
        Some(if own.alive() == 0 {
            (team, 90, format!("{whose} has no player left"))
        } else if level >= HIGH && left == 0 && own.highest() < level {
            let says = format!(
                "{whose} loses its last player of level {level} and falls back to level {}",
                own.highest()
            );
            (team, 30 + 8 * u32::from(level), says)
        } else if level >= HIGH {
            let left = many(left.into(), "player");
            let says = format!("{whose} loses one of its best: it has {left} of level {level} left");
            (team, 20 + 8 * u32::from(level), says)
        } else if is_round(starved) && fate == Some(Fate::Starved) && !self.late {
            (team, 28, format!("Hunger has cost {whose} {starved} players so far"))
        } else {
            return None;
        })
    }

    /// The team whose pushes broke most of a team's incantations, and how many.
    pub(super) fn broken(&self, of: TeamIndex) -> Option<(u32, TeamIndex)> {
        let broken = self.teams.get(&of)?.broken.iter();
        broken.map(|(by, many)| (*many, *by)).max_by_key(|(many, by)| (*many, std::cmp::Reverse(*by)))
    }
}

/// An incantation has begun; says what it would bring if that is much.
fn begun(stake: Stake, players: usize, stands: &Standing<'_>) -> Said {
    let (rival, whose) = (stands.rival(stake.team)?, stands.name(stake.team));
    let (other, theirs, to) = (stands.name(rival), stands.of(rival).highest(), stake.to.get());
    if stake.wins() {
        let says =
            format!("{whose} wins if this incantation holds; the best of {other} are at level {theirs}");
        return Some((stake.team, 122, says));
    }
    let says = match to.checked_sub(theirs)? {
        0 => format!("With this incantation {whose} would catch up with {other} at level {to}"),
        gap => format!("With this incantation {whose} would be {} ahead of {other}", levels(gap)),
    };
    let is_news = to > stands.of(stake.team).highest() && to > HIGH && players > 1;
    is_news.then_some((stake.team, 30 + 8 * u32::from(to), says))
}

/// A player more: how large its team is where that is much.
fn grown(team: TeamIndex, stands: &Standing<'_>) -> Said {
    let (own, rival) = (stands.of(team).alive(), stands.rival(team)?);
    let theirs = stands.of(rival).alive();
    let says =
        format!("{} has grown to {own} players, {} has {theirs}", stands.name(team), stands.name(rival));
    (own > theirs && is_round(own)).then_some((team, 16, says))
}

/// What the leading team still lacks for its next step, and whether it is far: `blue to level 8: 3 thystame, 1 player`.
/// Stones count that its players of that level have in hand or stand on, and players wherever they are.
pub fn lacks(mirror: &Mirror, roster: &Roster) -> Option<(TeamIndex, String)> {
    let all = strengths(mirror, roster);
    let team = leader(&all)?;
    let (own, whose) = (all[team.0], name(roster, team));
    let level = Level::new(own.highest())?;
    if level == Level::MAX {
        let more = WINNING_PLAYERS.checked_sub(own.at_top() as usize).filter(|more| *more > 0)?;
        return Some((team, format!("{whose} to victory: {} more at level 8", many(more as u64, "player"))));
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
    Some((team, format!("{whose} to level {to}: {lacking}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::zappy::observer::Message;
    use crate::zappy::story::Observed;

    /// What is said of a match of red, blue and wolves in which these lines come, each at its tick; and what the leader lacks.
    fn told(lines: &[String]) -> (Vec<String>, Option<String>) {
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

    /// So many players of a team and level on that tile, numbered from the first on.
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
        told(&parts.concat()).0
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
        assert_eq!(told(&lines).1.as_deref(), Some("red to level 8: 4 players of level 7"));
        lines.push("7 bct 1 1 0 0 0 0 0 0 0".to_owned());
        assert_eq!(told(&lines).1.as_deref(), Some("red to level 8: 1 thystame, 4 players of level 7"));
        assert_eq!(
            told(&crowd(0, 2, 8, "red", 1)).1.as_deref(),
            Some("red to victory: 4 players more at level 8")
        );
        assert_eq!(told(&[]).1, None);
    }
}
