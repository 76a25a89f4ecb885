//! What the inspector says of a player, before it is drawn.
//!
//! Must never say more than is known at the tick shown. Tested in this module.

use std::cmp::Reverse;

use zappy_protocol::Tick;
use zappy_protocol::zappy::constants::{FORK_TICKS, INCANTATION_TICKS};
use zappy_protocol::zappy::mirror::MirrorPlayer;
use zappy_protocol::zappy::story::{Happening, What};
use zappy_protocol::zappy::{Orientation, PlayerId};

use crate::panels::words;
use crate::timeline::state::TimeToLive;
use crate::timeline::track::{Movement, TrackStep};
use crate::view::Shown;
use zappy_observer::panels::kit::{self, number, place};

/// Actions that are listed at most.
const DEEDS: usize = 20;
/// Happenings that are searched for a player's last actions: what a stage remembers at most.
const BUDGET: usize = 8_192;
/// Entries of the chronicle that are searched for how a player died.
const LAST_BUDGET: usize = 20_000;

/// What a player does at the moment, as far as one can see: in words, and the share that is done with the ticks to go, if its
/// beginning was seen.
pub type Occupation = (String, Option<(f32, Tick)>);

/// When a player died or left, if it has by the tick shown.
pub fn died(shown: &Shown<'_>, player: PlayerId) -> Option<Tick> {
    shown.story.roster.life(player)?.until.filter(|until| *until <= shown.tick())
}

/// A player as it is at the tick shown; one that is gone as it was last.
pub fn known<'a>(shown: &Shown<'a>, player: PlayerId) -> Option<&'a MirrorPlayer> {
    let last = || {
        died(shown, player)?;
        let ends =
            move |one: &Happening| matches!(one.what, What::Gone { player: gone, .. } if gone == player);
        let mut ended = shown.story.chronicle.backwards(shown.tick(), LAST_BUDGET, ends);
        ended.find_map(|noted| match &noted.happening.what {
            What::Gone { last, .. } => Some(last.as_ref()),
            _ => None,
        })
    };
    shown.state.mirror().players.get(&player).or_else(last)
}

/// What a player said last, and when.
pub fn last_words(shown: &Shown<'_>, player: PlayerId) -> Option<(Tick, String)> {
    let happening = shown.story.chronicle.last_words(player, shown.tick())?;
    let What::Broadcast(_, text) = &happening.what else { return None };
    Some((happening.tick, words::quoted(text)))
}

pub fn doing(shown: &Shown<'_>, player: PlayerId) -> Option<Occupation> {
    let progress = |began: Tick, lasts: Tick| {
        let done = shown.tick().saturating_sub(began).min(lasts);
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

/// What a player did lately: steps and happenings together, the newest first.
pub fn deeds(shown: &Shown<'_>, player: PlayerId) -> Vec<(Tick, String)> {
    let tick = shown.tick();
    let recent = shown.state.recent.iter().rev().take(BUDGET);
    let own = recent.filter(|happening| happening.tick <= tick && happening.what.concerns(player));
    let happenings = own.take(DEEDS).map(|happening| (happening.tick, deed(&happening.what, player)));
    let mut deeds: Vec<_> = happenings.collect();
    if let Some(track) = shown.state.track(player) {
        let steps = track.steps.iter().rev().filter(|step| step.tick <= tick).take(DEEDS);
        let says = |step: &TrackStep| match step.movement {
            Movement::Walked => format!("goes {} to {}", compass(step.facing), place(step.to)),
            Movement::Turned => format!("turns {}", compass(step.facing)),
            Movement::Pushed => format!("is pushed to {}", place(step.to)),
            Movement::Jumped => format!("is at {} now", place(step.to)),
        };
        deeds.extend(steps.map(|step| (step.tick, says(step))));
    }
    deeds.sort_by_key(|(tick, _)| Reverse(*tick));
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

/// How and when a player's life ended, by the food that was left.
pub fn how_it_ended(tick: Tick, food: u32) -> String {
    let tick = number(tick);
    if food == 0 { format!("Starved at tick {tick}") } else { format!("Left at tick {tick}, with food") }
}

/// How long a player lives without another meal, in words.
pub fn lives(ttl: TimeToLive) -> String {
    let at_least = if ttl.exact { "" } else { "≥ " };
    format!("{at_least}{} ticks", number(ttl.ticks))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::panels::needs::Needs;
    use crate::panels::testing::ToldMatch;
    use zappy_protocol::Position;
    use zappy_protocol::zappy::Level;

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
            let says: Vec<String> = deeds(shown, PlayerId(0)).into_iter().map(|(_, says)| says).collect();
            let wanted = [
                "begins to lay an egg",
                "says “ho there”",
                "takes linemate",
                "turns east",
                "goes north to 1,\u{a0}0",
                "joins",
            ];
            assert_eq!(says, wanted);
            assert_eq!(last_words(shown, PlayerId(0)), Some((27, "“ho there”".to_owned())));
            let (says, progress) = doing(shown, PlayerId(0)).unwrap();
            assert_eq!(says, "Lays an egg");
            assert!(matches!(progress, Some((share, 22)) if (share - 20.0 / 42.0).abs() < 1e-3));
            let left = shown.state.time_to_live(PlayerId(0));
            assert_eq!(left.map(lives).as_deref(), Some("1\u{2009}205 ticks"));
        });
    }

    #[test]
    fn what_its_bot_had_noted_by_then_is_shown() {
        let mut scene = ToldMatch::told(&LINES);
        let noted = |lines: &str| zappy_protocol::record::notes::Notes::written(lines.as_bytes()).notes;
        scene.notes.add(0, (19, 0), &noted("2 looking for food\n2 tile 1 -2 food\n"));
        scene.notes.add(0, (90, 0), &noted("9 later"));
        scene.notes.add(1, (19, 0), &noted("1 another's"));
        scene.show(60.0, |shown| {
            let latest = shown.notes.latest(&[0], shown.tick());
            let says: Vec<_> = latest.iter().map(|note| (note.tick, note.what.to_string())).collect();
            let wanted = [(19, "looking for food".to_owned()), (19, "tile 1 -2 food".to_owned())];
            assert_eq!(says, wanted);
        });
    }

    #[test]
    fn an_incantation_shows_its_progress() {
        ToldMatch::told(&LINES).show(250.0, |shown| {
            assert_eq!(
                doing(shown, PlayerId(0)),
                Some(("Incantation for level 2".to_owned(), Some((0.5, 150))))
            );
        });
    }

    #[test]
    fn who_was_pushed_off_an_incantation_is_said_to_be() {
        let mut lines = LINES.to_vec();
        lines.push("150 ppo #0 2 0 2");
        ToldMatch::told(&lines).show(250.0, |shown| {
            assert_eq!(
                doing(shown, PlayerId(0)),
                Some(("Frozen: pushed off its tile".to_owned(), Some((0.5, 150))))
            );
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
            let mirror = shown.state.mirror();
            assert!(!mirror.players.contains_key(&PlayerId(0)));
            assert_eq!(died(shown, PlayerId(0)), Some(130));
            let last = known(shown, PlayerId(0)).unwrap();
            assert_eq!((Some(last.level), last.at), (Level::new(1), Position { x: 1, y: 0 }));
            let needs = Needs::of_player(mirror, PlayerId(0));
            assert_eq!((needs, shown.state.time_to_live(PlayerId(0))), (None, None));
        });
    }

    #[test]
    fn nobody_knows_a_stranger() {
        ToldMatch::told(&LINES).show(60.0, |shown| {
            assert!(known(shown, PlayerId(77)).is_none() && deeds(shown, PlayerId(77)).is_empty());
        });
    }
}
