//! How far each faction is on its way to the goal: by its land where that wins, and what its base still withstands.
//!
//! Tested in `tests/conquest/`.

use zappy_protocol::conquest::FactionId;
use zappy_protocol::conquest::constants::{DOMINION_TURNS, SIEGE_STRENGTH};
use zappy_protocol::conquest::mirror::MirrorFaction;

use super::super::state::{IncidentKind, TURN};
use super::super::story::{crowned, threatened};
use super::super::view::Shown;
use zappy_observer::panels::kit::signed;
use zappy_observer::panels::race::{Racer, pulse};

/// Hundredths of the map that have to change hands within a turn for a bar to pulse.
const MUCH: usize = 1;

/// The factions in the race, by their numbers.
pub fn race(shown: &Shown<'_>) -> Vec<Racer> {
    let mirror = &shown.state.mirror;
    let first = crowned(mirror);
    let racer = |(number, known): (u8, &MirrorFaction)| {
        let (faction, has) = (FactionId(number), &known.holdings);
        let hundredths = (has.land as f32 / mirror.tiles.len().max(1) as f32 * 100.0).floor();
        let says = match &mirror.dominion {
            _ if !known.alive => vec!["beaten".to_owned(), "out".to_owned()],
            Some(dominion) => {
                let held = dominion.held.iter().find(|(name, _)| *name == known.name);
                let wins = match held {
                    Some((_, turns)) => format!("{turns} of {DOMINION_TURNS} turns held"),
                    None => format!("{} % wins", dominion.need),
                };
                vec![format!("{hundredths} % land, {wins}"), format!("{hundredths} %")]
            }
            None => vec![format!("{} points, {hundredths} % land", signed(has.score)), signed(has.score)],
        };
        let base = has.base.filter(|_| known.alive && mirror.dominion.is_some());
        Racer {
            name: known.name.as_str().to_owned(),
            look: shown.look(Some(faction)),
            way: vec![mirror.way(faction) as f32 / 1_000.0],
            says,
            base: base.map(|at| (mirror.strength(at), SIEGE_STRENGTH)),
            leads: first == Some(faction),
            danger: threatened(mirror, faction).then_some("base in danger"),
            pulse: changed(shown, faction),
            out: !known.alive,
        }
    };
    (0..).zip(&mirror.factions).map(racer).collect()
}

/// How fresh the last large change of a faction's land, or any of its base's strength, is: from 1 to 0.
fn changed(shown: &Shown<'_>, faction: FactionId) -> f32 {
    let tick = shown.tick();
    let lately = shown.state.recent.iter().rev().take_while(|one| one.tick + TURN >= tick);
    let (mut land, mut last) = (0, None);
    for one in lately {
        match &one.what {
            IncidentKind::Land(before, now) if now.owner == Some(faction) || *before == Some(faction) => {
                // A base counts as the whole map, so that it always pulses.
                land += if now.flags.base { shown.state.mirror.tiles.len() } else { 1 };
                last = last.max(Some(one.tick));
            }
            IncidentKind::Siege(of, _) if *of == Some(faction) => {
                return pulse(shown.since(one.tick), shown.pace.rate);
            }
            _ => {}
        }
    }
    let much = land * 100 >= MUCH * shown.state.mirror.tiles.len().max(1);
    last.filter(|_| much).map_or(0.0, |last| pulse(shown.since(last), shown.pace.rate))
}
