//! What the inspector says of a player, before it is drawn.
//!
//! Must never say more than is known at the view's tick. Tested in this module.

use std::cmp::Reverse;

use zappy_protocol::zappy::constants::{FORK_TICKS, INCANTATION_TICKS};
use zappy_protocol::zappy::story::{Happening, TeamIndex, What};
use zappy_protocol::zappy::{Inventory, Level, Orientation, PlayerId};
use zappy_protocol::{Position, Tick};

use crate::panels::needs::Needs;
use crate::panels::words;
use crate::shown::Shown;
use crate::timeline::state::TimeToLive;
use crate::timeline::track::{Movement, TrackStep};
use zappy_observer::panels::kit::{self, number, place};
use zappy_observer::timeline::notes::PlacedNote;

/// Actions that are listed at most.
const DEEDS: usize = 20;
/// Happenings that are searched for a player's last actions: what a stage remembers at most.
const BUDGET: usize = 8_192;
/// Entries of the chronicle that are searched for how a player died.
const LAST_BUDGET: usize = 20_000;

/// What a player did, and when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deed {
    pub tick: Tick,
    pub says: String,
}

/// What a player does at the moment, as far as one can see: in words, and the share that is done with the ticks to go, if its
/// beginning was seen.
pub type Occupation = (String, Option<(f32, Tick)>);

/// What the inspector says of a player.
#[derive(Debug, Clone, PartialEq)]
pub struct PlayerFacts {
    pub player: PlayerId,
    pub team: Option<TeamIndex>,
    pub team_name: String,
    /// Where it is, or last was.
    pub at: Option<Position>,
    pub facing: Option<Orientation>,
    /// Its level, or the last one.
    pub level: Option<Level>,
    /// What it carries, or last carried.
    pub hands: Inventory,
    /// When it died or left.
    pub died: Option<Tick>,
    /// Whether it is there at the view's tick.
    pub alive: bool,
    /// What its next level lacks.
    pub needs: Option<Needs>,
    /// How long it lives without another meal.
    pub time_to_live: Option<TimeToLive>,
    pub doing: Option<Occupation>,
    /// What it did, the newest first.
    pub deeds: Vec<Deed>,
    /// What it said last, and when.
    pub words: Option<(Tick, String)>,
    /// What its bot noted for its author, the newest first.
    pub notes: Vec<Deed>,
}

/// What is known of a player at the view's tick.
pub fn card(shown: &Shown<'_>, player: PlayerId) -> PlayerFacts {
    let tick = shown.tick();
    let (state, roster) = (shown.state, &shown.story.roster);
    let team = roster.team_of(player);
    let died = roster.life(player).and_then(|life| life.until).filter(|until| *until <= tick);
    let living = state.mirror().players.get(&player);
    let last_known = || {
        let ends =
            move |one: &Happening| matches!(one.what, What::Gone { player: gone, .. } if gone == player);
        shown.story.chronicle.backwards(tick, LAST_BUDGET, ends).find_map(|noted| {
            match &noted.happening.what {
                What::Gone { last, .. } => Some(last.as_ref()),
                _ => None,
            }
        })
    };
    let known = living.or_else(|| died.and_then(|_| last_known()));
    let words = shown.story.chronicle.last_words(player, tick).and_then(|happening| match &happening.what {
        What::Broadcast(_, text) => Some((happening.tick, words::quoted(text))),
        _ => None,
    });
    PlayerFacts {
        player,
        team,
        team_name: team
            .map_or_else(|| "no team that is known".to_owned(), |team| roster.name(team).to_owned()),
        at: known.map(|known| known.at),
        facing: known.map(|known| known.orientation),
        level: known.map(|known| known.level),
        hands: known.map(|known| known.inventory).unwrap_or_default(),
        died,
        alive: living.is_some(),
        needs: Needs::of_player(state.mirror(), player),
        time_to_live: state.time_to_live(player),
        doing: doing(shown, player, tick),
        deeds: deeds(shown, player, tick),
        words,
        notes: notes(shown, player, tick),
    }
}

fn doing(shown: &Shown<'_>, player: PlayerId, tick: Tick) -> Option<Occupation> {
    let progress = |began: Tick, lasts: Tick| {
        let done = tick.saturating_sub(began).min(lasts);
        (done as f32 / lasts as f32, lasts - done)
    };
    let mut running = shown.state.incantations().iter();
    if let Some(incantation) = running.find(|incantation| incantation.players.contains(&player)) {
        let here = shown.state.mirror().players.get(&player).is_none_or(|known| known.at == incantation.at);
        // A player that was pushed away has no part in it any more, but can't act before the incantation is over.
        let says = if here {
            format!("Incantation for {}", words::next(incantation.level))
        } else {
            "Frozen: pushed off its tile".to_owned()
        };
        return Some((says, incantation.began.map(|began| progress(began, INCANTATION_TICKS))));
    }
    let since = shown.state.track(player).and_then(|track| track.laying_since)?;
    Some(("Lays an egg".to_owned(), Some(progress(since, FORK_TICKS))))
}

/// What its bot noted last, the newest first.
pub fn notes(shown: &Shown<'_>, player: PlayerId, tick: Tick) -> Vec<Deed> {
    let says = |placed: &PlacedNote| Deed { tick: placed.tick, says: placed.what.to_string() };
    shown.notes.latest(&[player.0], tick).into_iter().map(says).collect()
}

/// What it did lately: steps and happenings together, the newest first.
fn deeds(shown: &Shown<'_>, player: PlayerId, tick: Tick) -> Vec<Deed> {
    let recent = shown.state.recent.iter().rev().take(BUDGET);
    let happenings = recent
        .filter(|happening| happening.tick <= tick && happening.what.concerns(player))
        .take(DEEDS)
        .map(|happening| Deed { tick: happening.tick, says: deed(&happening.what, player) });
    let mut deeds: Vec<Deed> = happenings.collect();
    if let Some(track) = shown.state.track(player) {
        let steps = track.steps.iter().rev().filter(|step| step.tick <= tick).take(DEEDS);
        let says = |step: &TrackStep| match step.movement {
            Movement::Walked => format!("goes {} to {}", compass(step.facing), place(step.to)),
            Movement::Turned => format!("turns {}", compass(step.facing)),
            Movement::Pushed => format!("is pushed to {}", place(step.to)),
            Movement::Jumped => format!("is at {} now", place(step.to)),
        };
        deeds.extend(steps.map(|step| Deed { tick: step.tick, says: says(step) }));
    }
    deeds.sort_by_key(|deed| Reverse(deed.tick));
    deeds.truncate(DEEDS);
    deeds
}

fn deed(what: &What, player: PlayerId) -> String {
    match what {
        What::Joined(_) => "joins".to_owned(),
        What::Gone { .. } => "dies".to_owned(),
        What::Level { to, .. } => format!("rises to level {to}"),
        What::IncantationBegan { level, players } => {
            let role = if players.first() == Some(&player) { "begins" } else { "takes part in" };
            format!("{role} an incantation for {}", words::next(*level))
        }
        What::IncantationEnded { success: true, .. } => "its incantation succeeds".to_owned(),
        What::IncantationEnded { success: false, .. } => "its incantation fails".to_owned(),
        What::Broadcast(_, text) => format!("says {}", words::quoted(text)),
        What::Ejected { player: ejector, victims, .. } if *ejector == player => {
            format!("pushes {} away", kit::count(victims.len() as u64, "player", "players"))
        }
        What::Ejected { player: ejector, .. } => format!("is pushed away by {ejector}"),
        What::Laying(_) => "begins to lay an egg".to_owned(),
        What::EggLaid(egg, _) => format!("laid egg {egg}"),
        What::Took(_, resource) => format!("takes {resource}"),
        What::Dropped(_, resource) => format!("puts {resource} down"),
        _ => String::new(),
    }
}

/// North, east, south or west.
pub fn compass(facing: Orientation) -> &'static str {
    match facing {
        Orientation::North => "north",
        Orientation::East => "east",
        Orientation::South => "south",
        Orientation::West => "west",
    }
}

/// How and when a life ended, by the food that was left.
pub fn how_it_ended(tick: Tick, food: u32) -> String {
    let tick = number(tick);
    if food == 0 { format!("Starved at tick {tick}") } else { format!("Left at tick {tick}, with food") }
}

/// Ticks to live, in words.
pub fn lives(ttl: TimeToLive) -> String {
    let at_least = if ttl.exact { "" } else { "≥ " };
    format!("{at_least}{} ticks", number(ttl.ticks))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::panels::testing::ToldMatch;

    const LINES: [&str; 12] = [
        "0 msz 9 9",
        "0 tna red",
        "0 ppo #9 0 0 1",
        "5 pnw #0 1 1 1 1 red",
        "5 pin #0 1 1 9 0 0 0 0 0 0",
        "12 ppo #0 1 0 1",
        "19 ppo #0 1 0 2",
        "26 pgt #0 1",
        "27 pbc #0 ho there",
        "40 pfk #0",
        "82 enw #0 #0 1 0",
        "100 pic 1 0 1 #0",
    ];

    #[test]
    fn a_card_tells_what_was_done_and_said() {
        ToldMatch::told(&LINES).show(60.0, |shown| {
            let card = card(shown, PlayerId(0));
            let says: Vec<&str> = card.deeds.iter().map(|deed| deed.says.as_str()).collect();
            let wanted = [
                "begins to lay an egg",
                "says “ho there”",
                "takes linemate",
                "turns east",
                "goes north to 1,\u{a0}0",
                "joins",
            ];
            assert_eq!(says, wanted);
            assert_eq!(card.words, Some((27, "“ho there”".to_owned())));
            let (says, progress) = card.doing.unwrap();
            assert_eq!(says, "Lays an egg");
            assert!(matches!(progress, Some((share, 22)) if (share - 20.0 / 42.0).abs() < 1e-3));
            assert_eq!(card.time_to_live.map(lives).as_deref(), Some("1\u{2009}205 ticks"));
        });
    }

    #[test]
    fn a_card_tells_what_its_bot_had_noted_by_then() {
        let mut scene = ToldMatch::told(&LINES);
        let noted = |lines: &str| zappy_protocol::record::notes::Notes::written(lines.as_bytes()).notes;
        scene.notes.add(0, (19, 0), &noted("2 looking for food\n2 tile 1 -2 food\n"));
        scene.notes.add(0, (90, 0), &noted("9 later"));
        scene.notes.add(1, (19, 0), &noted("1 another's"));
        scene.show(60.0, |shown| {
            let says: Vec<_> =
                card(shown, PlayerId(0)).notes.into_iter().map(|note| (note.tick, note.says)).collect();
            let wanted = [(19, "looking for food".to_owned()), (19, "tile 1 -2 food".to_owned())];
            assert_eq!(says, wanted);
        });
    }

    #[test]
    fn an_incantation_shows_its_progress() {
        ToldMatch::told(&LINES).show(250.0, |shown| {
            let card = card(shown, PlayerId(0));
            assert_eq!(card.doing, Some(("Incantation for level 2".to_owned(), Some((0.5, 150)))));
        });
    }

    #[test]
    fn who_was_pushed_off_an_incantation_is_said_to_be() {
        let mut lines = LINES.to_vec();
        lines.push("150 ppo #0 2 0 2");
        ToldMatch::told(&lines).show(250.0, |shown| {
            let card = card(shown, PlayerId(0));
            assert_eq!(card.doing, Some(("Frozen: pushed off its tile".to_owned(), Some((0.5, 150)))));
        });
    }

    #[test]
    fn how_somebody_died_is_told() {
        assert_eq!(how_it_ended(12_345, 0), "Starved at tick 12\u{2009}345");
        assert_eq!(how_it_ended(7, 3), "Left at tick 7, with food");
    }

    #[test]
    fn the_dead_are_told_of_as_they_last_were() {
        let mut lines = LINES.to_vec();
        lines.push("130 pdi #0");
        ToldMatch::told(&lines).show(200.0, |shown| {
            let card = card(shown, PlayerId(0));
            assert!(!card.alive);
            assert_eq!(
                (card.died, card.level, card.at),
                (Some(130), Level::new(1), Some(Position { x: 1, y: 0 }))
            );
            assert_eq!((card.needs, card.time_to_live), (None, None));
        });
    }

    #[test]
    fn nobody_knows_a_stranger() {
        ToldMatch::told(&LINES).show(60.0, |shown| {
            let card = card(shown, PlayerId(77));
            assert!(!card.alive && card.at.is_none() && card.deeds.is_empty() && card.team.is_none());
        });
    }
}
