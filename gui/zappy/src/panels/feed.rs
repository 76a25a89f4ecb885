//! What happened, the newest first, with filters; each entry leads to its place and moment.
//!
//! Must never look at more than [`BUDGET`] entries of the chronicle for a frame. Tested in this module and in
//! `tests.rs`.

use zappy_protocol::text::clock;
use zappy_protocol::zappy::constants::FOOD_TICKS;
use zappy_protocol::zappy::story::{Fate, Happening, Roster, What};
use zappy_protocol::zappy::{EggId, Level, PlayerId};
use zappy_protocol::{Position, Tick};

use super::{Ui, words};
use crate::timeline::chronicle::{ChronicleEntry, Overview};
use crate::view::{Choice, Filter, Shown, Topic, ZappyChoice};
use zappy_observer::ink::Rect;
use zappy_observer::panels::feed::{self, FeedItem, Narrowing};
use zappy_observer::panels::kit::Label;
use zappy_observer::theme::{self, gap};

/// Entries of the chronicle that are searched for one frame at most.
pub const BUDGET: usize = 20_000;
/// Messages that belong together, such as an incantation's end and the levels it gave, are at most so many ticks apart:
/// live ticks are estimated.
const SAME_TIME_TICKS: Tick = 5;
/// Ticks after a player starved in which others of its team that starve are counted: twice what a unit of food lasts.
const FAMINE_TICKS: Tick = 2 * FOOD_TICKS;
/// Lines of an entry at most: as many as any needs where a list isn't narrow.
const LINE_LIMIT: usize = 3;
/// Lines of an entry at most in a narrow list, where its words need so many.
const NARROW_LINE_LIMIT: usize = 6;
/// Below this width a list is narrow, in points.
const NARROW_WIDTH: f32 = 240.0;

/// Whether the filter lets something through.
fn passes(filter: &Filter, roster: &Roster, happening: &Happening) -> bool {
    let what = &happening.what;
    filter.topics.contains(&Topic::of(what))
        && filter.team.is_none_or(|team| what.team(roster) == Some(team))
        && filter.player.is_none_or(|player| what.concerns(player))
}

/// Whether something is left out because it is counted elsewhere, or because another entry says it.
fn is_left_out(story: &Overview, filter: &Filter, happening: &Happening) -> bool {
    let (roster, tick, what) = (&story.roster, happening.tick, &happening.what);
    match what {
        // Births are listed only if eggs are, and an egg only when it has been laid.
        What::Joined(_) => !filter.topics.contains(&Topic::Eggs),
        What::Laying(_) => true,
        // A team that pushes its own players only makes room.
        What::Ejected { player, victims, .. } => {
            let own = |one: &PlayerId| roster.team_of(*one) == roster.team_of(*player);
            !victims.is_empty() && victims.iter().all(own)
        }
        // The end of an incantation says which players rose.
        What::Level { player, from, to } => {
            let rose = |other: &Happening| match &other.what {
                What::IncantationEnded { success: true, players, .. } => players.contains(player),
                _ => false,
            };
            to > from && near(story, tick).any(rose)
        }
        // Of a famine only a team's first player is listed.
        What::Gone { .. } if is_starved(what) => {
            let same =
                |other: &Happening| is_starved(&other.what) && other.what.team(roster) == what.team(roster);
            between(story, tick.saturating_sub(FAMINE_TICKS), tick.saturating_sub(1)).rev().any(same)
        }
        _ => false,
    }
}

/// Whether a player of the lowest level starved.
fn is_starved(what: &What) -> bool {
    match what {
        What::Gone { fate, last, .. } => *fate == Some(Fate::Starved) && last.level == Level::MIN,
        _ => false,
    }
}

/// What happened within a few ticks of that tick.
fn near(story: &Overview, tick: Tick) -> impl Iterator<Item = &Happening> {
    between(story, tick.saturating_sub(SAME_TIME_TICKS), tick.saturating_add(SAME_TIME_TICKS))
}

/// What happened from one tick to another.
fn between(story: &Overview, from: Tick, to: Tick) -> impl DoubleEndedIterator<Item = &Happening> {
    let all = &story.chronicle.entries;
    let start = all.partition_point(|noted| noted.happening.tick < from);
    let end = all.partition_point(|noted| noted.happening.tick <= to).max(start);
    all.range(start..end).map(|noted| &*noted.happening)
}

/// What happened on a tile within a few ticks of that tick.
fn on_tile(story: &Overview, at: Option<Position>, tick: Tick) -> impl Iterator<Item = &What> {
    let on_tile = near(story, tick).filter(move |happening| at.is_some() && happening.at == at);
    on_tile.map(|happening| &happening.what)
}

/// The egg that a player hatched from: of the players that joined on that tile at that time, the first is from the
/// first egg that hatched, the second from the second, and so on.
fn egg_of(story: &Overview, happening: &Happening, player: PlayerId) -> Option<EggId> {
    let events = || on_tile(story, happening.at, happening.tick);
    let before = events().take_while(|what| **what != What::Joined(player));
    let before = before.filter(|what| matches!(what, What::Joined(_))).count();
    let mut hatched =
        events().filter_map(|what| if let What::EggHatched(egg) = what { Some(*egg) } else { None });
    hatched.nth(before)
}

/// Whether an egg hatches, and its player is listed: one line says both.
fn is_listed_as_a_player(story: &Overview, filter: &Filter, happening: &Happening) -> bool {
    let What::EggHatched(egg) = happening.what else { return false };
    on_tile(story, happening.at, happening.tick).any(|what| {
        let What::Joined(player) = what else { return false };
        let joined = Happening { tick: happening.tick, at: happening.at, what: what.clone() };
        passes(filter, &story.roster, &joined) && egg_of(story, &joined, *player) == Some(egg)
    })
}

/// What the feed lists up to that tick, the newest first. If the filter names a player, nothing is left out as counted
/// elsewhere.
pub fn entries<'a>(
    story: &'a Overview,
    filter: &'a Filter,
    until: Tick,
) -> impl Iterator<Item = &'a ChronicleEntry> + 'a {
    story.chronicle.backwards(until, BUDGET, move |happening| {
        passes(filter, &story.roster, happening)
            && (filter.player.is_some() || !is_left_out(story, filter, happening))
            && !is_listed_as_a_player(story, filter, happening)
    })
}

/// Tick and tile of the entry with that number; 0 is the newest that passes the filter.
pub fn entry(shown: &Shown<'_>, number: usize) -> Option<(Tick, Option<Position>)> {
    let noted = entries(shown.story, &shown.view.own.filter, shown.tick()).nth(number)?;
    Some((noted.happening.tick, noted.happening.at))
}

pub fn draw(ui: &mut Ui<'_>, rect: Rect, shown: &Shown<'_>) {
    let (filter, roster, tick) = (&shown.view.own.filter, &shown.story.roster, shown.tick());
    let player = filter.player.map(|player| format!("{player} ×"));
    let team = filter.team.map_or("all teams".to_owned(), |team| words::name(roster, team));
    let player = player.as_deref().map(|words| {
        let label = Label { words, key: "", hint: "Show everybody’s events" };
        (label, Some(52.0), true, ZappyChoice::FilterSelected)
    });
    let team = Label { words: &team, key: "G", hint: "Events of one team, the next one, all" };
    let team = (team, None, filter.team.is_some(), ZappyChoice::CycleTeam);
    let switches = Topic::ALL.map(|topic| {
        let (name, hint) = topic.label();
        // The first name is long and takes two cells.
        let cells = if topic == Topic::Incantations { 2 } else { 1 };
        (name, hint, filter.topics.contains(&topic), ZappyChoice::ToggleTopic(topic), cells)
    });
    let chips = player.into_iter().chain([team]).collect();
    let narrowing = Narrowing { chips, switches: &switches, columns: 4 };
    feed::draw(ui, rect, narrowing, shown.view.feed_at, &|| {
        let found = entries(shown.story, filter, tick);
        Box::new(found.map(|noted| item(noted, rect.w - 2.0 * gap::LARGE < NARROW_WIDTH, shown)))
    });
}

/// A happening in one line; of a birth also its egg.
fn line(story: &Overview, happening: &Happening) -> String {
    if let What::Joined(player) = happening.what
        && let (Some(team), Some(egg)) = (story.roster.team_of(player), egg_of(story, happening, player))
    {
        return format!("{player} joins {} from egg {egg}", words::name(&story.roster, team));
    }
    words::sentence(happening, story)
}

/// An entry of the list; `narrow`: the list leaves little room for words.
fn item(noted: &ChronicleEntry, narrow: bool, shown: &Shown<'_>) -> FeedItem<Choice> {
    let happening = &noted.happening;
    FeedItem {
        when: clock(happening.tick, shown.story.chronicle.rate()),
        look: happening.what.team(&shown.story.roster).map(|team| shown.look(Some(team))),
        words: line(shown.story, happening),
        ink: words::tone(&happening.what).unwrap_or(theme::TEXT),
        limit: match Topic::of(&happening.what) {
            // What programs say to each other is long and seldom for people.
            Topic::Words => 1,
            _ if narrow => NARROW_LINE_LIMIT,
            _ => LINE_LIMIT,
        },
        action: Choice::Visit(happening.tick, happening.at).into(),
    }
}

#[cfg(test)]
mod tests {
    use zappy_protocol::zappy::story::TeamIndex;

    use super::*;
    use crate::panels::testing::ScriptedMatch;

    fn listed(filter: &Filter) -> Vec<String> {
        let scene = ScriptedMatch::small_match();
        let chronicler = &scene.chronicler;
        let found = entries(&chronicler.overview, filter, 1_000);
        found.map(|noted| words::sentence(&noted.happening, &chronicler.overview)).collect()
    }

    #[test]
    fn topics_teams_and_players_filter() {
        let all = listed(&Filter::default());
        assert!(all.len() > 5 && !all.iter().any(|line| line.contains("takes")), "{all:?}");
        let only = |topic| Filter { topics: [topic].into(), ..Filter::default() };
        assert_eq!(listed(&only(Topic::Words)), ["#1 says “over here”"]);
        assert_eq!(listed(&only(Topic::Items)).len(), 2);
        let blue = Filter { team: Some(TeamIndex(1)), ..Filter::default() };
        assert!(listed(&blue).iter().all(|line| !line.contains("#0")), "{:?}", listed(&blue));
        assert_eq!(listed(&blue)[0], "blue has won");
        let one = Filter { player: Some(PlayerId(2)), ..Filter::default() };
        assert_eq!(listed(&one), ["#2 of level 1 starved", "#2 joins blue at 3,\u{a0}3"]);
        assert!(listed(&Filter { topics: [].into(), ..Filter::default() }).is_empty());
    }

    #[test]
    fn a_birth_is_one_line() {
        let lines = [
            "0 msz 9 9",
            "0 tna red",
            "0 enw #3 #-1 2 2",
            "0 enw #4 #-1 2 2",
            "0 ppo #9 0 0 1",
            "5 pnw #0 2 2 1 1 red",
            "5 ebo #3",
            "5 pnw #1 2 2 1 1 red",
            "6 ebo #4",
            "20 pfk #0",
            "62 enw #5 #0 2 2",
            "90 ebo #5",
        ];
        let chronicler = ScriptedMatch::of(&lines).chronicler;
        let list = |filter: &Filter| -> Vec<String> {
            entries(&chronicler.overview, filter, 1_000)
                .map(|noted| line(&chronicler.overview, &noted.happening))
                .collect()
        };
        // No message says which player hatched from the last egg.
        let all = [
            "egg #5 hatches",
            "#0 lays egg #5 at 2,\u{a0}2",
            "#1 joins red from egg #4",
            "#0 joins red from egg #3",
        ];
        let births = Filter { topics: [Topic::Eggs, Topic::Lives].into(), ..Filter::default() };
        assert_eq!(list(&births), all);
        assert!(list(&Filter::default()).is_empty(), "they are counted");
        let eggs = Filter { topics: [Topic::Eggs].into(), ..Filter::default() };
        let alone = ["egg #5 hatches", "#0 lays egg #5 at 2,\u{a0}2", "egg #4 hatches", "egg #3 hatches"];
        assert_eq!(list(&eggs), alone);
    }

    #[test]
    fn of_a_famine_the_first_is_listed_and_the_rest_counted() {
        let mut lines: Vec<String> =
            ["0 msz 9 9", "0 tna red", "0 tna blue", "0 ppo #99 0 0 1"].map(str::to_owned).into();
        lines.extend((0..5).map(|n| format!("5 pnw #{n} 1 1 1 1 {}", if n == 4 { "blue" } else { "red" })));
        let dies = [(0, 1_300), (1, 1_310), (4, 1_320), (2, 1_500), (3, 2_000)];
        lines.extend(dies.map(|(player, tick)| format!("{tick} pdi #{player}")));
        let chronicler = ScriptedMatch::of(&lines.iter().map(String::as_str).collect::<Vec<_>>()).chronicler;
        let ticks = |filter: &Filter| -> Vec<Tick> {
            entries(&chronicler.overview, filter, 3_000).map(|noted| noted.happening.tick).collect()
        };
        assert_eq!(ticks(&Filter::default()), [2_000, 1_320, 1_300]);
        let one = Filter { player: Some(PlayerId(1)), ..Filter::default() };
        assert_eq!(ticks(&one)[0], 1_310, "what a player is in is listed for it");
    }

    #[test]
    fn an_incantation_tells_of_its_levels_itself_but_not_of_others() {
        let lines = [
            "0 msz 9 9",
            "0 tna red",
            "0 ppo #9 0 0 1",
            "1 pnw #0 1 1 1 1 red",
            "1 pnw #1 2 2 1 1 red",
            "5 pic 1 1 1 #0",
            "305 pie 1 1 1",
            "306 plv #0 2",
            "306 plv #1 2",
        ];
        let chronicler = ScriptedMatch::of(&lines).chronicler;
        let list = |filter: &Filter| -> Vec<String> {
            let found = entries(&chronicler.overview, filter, 1_000);
            found.take(2).map(|noted| words::sentence(&noted.happening, &chronicler.overview)).collect()
        };
        let succeeded = "incantation for level 2 succeeded at 1,\u{a0}1: 1 rises";
        assert_eq!(list(&Filter::default()), ["#1 rises to level 2", succeeded]);
        let one = Filter { player: Some(PlayerId(0)), ..Filter::default() };
        assert_eq!(list(&one), ["#0 rises to level 2", succeeded]);
    }
}
