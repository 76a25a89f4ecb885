//! Incantations from their beginning to their end: what one still lacks, whether it may win, and how it ended.
//!
//! Says what stands on the map at that moment, never what will happen. Tested in this module.

use zappy_protocol::Tick;
use zappy_protocol::zappy::constants::elevation;
use zappy_protocol::zappy::mirror::MirrorIncantation;
use zappy_protocol::zappy::story::What;
pub use zappy_protocol::zappy::story::{Stake, needed, present};
use zappy_protocol::zappy::{PlayerId, Resource};

use super::state::ZappyState;

/// Why an incantation fails if nothing changes until its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flaw {
    /// A participant was pushed off its tile, by this player, and too few are left.
    Pushed { player: PlayerId, by: PlayerId },
    /// A participant has died or left, and too few are left.
    Gone(PlayerId),
    /// So many participants are missing on its tile, for another reason.
    Players(usize),
    /// So many stones of a kind are missing on its tile, since some were taken or another incantation used them up.
    Stones(Resource, u32),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttemptOutcome {
    Risen,
    /// It failed, for this reason as far as it was seen.
    Failed(Option<Flaw>),
}

/// An incantation that has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    /// As it ran, with the tick at which it began if that was seen.
    pub running: MirrorIncantation,
    /// Participants that were on its tile in the end.
    pub present: usize,
    /// When it ended, in ticks.
    pub ended: Tick,
    pub outcome: AttemptOutcome,
    /// What was at stake when it ended; `None` without a known team.
    pub stake: Option<Stake>,
}

/// Why an incantation fails if nothing changes; `None` while nothing is missing, and if the reason isn't known: no
/// server gives it, and other servers may need, and remove, other stones than the table has.
pub fn flaw(state: &ZappyState, running: &MirrorIncantation) -> Option<Flaw> {
    let (mirror, row) = (state.mirror(), elevation(running.level)?);
    let on_tile = present(mirror, running);
    // An incantation that began with fewer players than the table needs goes by other rules.
    if on_tile < row.players.min(running.players.len()) {
        // The first participant that isn't on the tile, and of which it was seen why.
        let away = |id: &&PlayerId| mirror.players.get(id).is_none_or(|known| known.at != running.at);
        let absence = running.players.iter().filter(away).find_map(|&player| {
            if !mirror.players.contains_key(&player) {
                return Some(Flaw::Gone(player));
            }
            state.recent.iter().rev().find_map(|happening| match &happening.what {
                What::Ejected { player: by, victims, .. }
                    if happening.at == Some(running.at) && victims.contains(&player) =>
                {
                    Some(Flaw::Pushed { player, by: *by })
                }
                _ => None,
            })
        });
        return Some(absence.unwrap_or(Flaw::Players(row.players - on_tile)));
    }
    let was_removed = |(stone, _): &(Resource, u32)| {
        // Players were seen to remove such stones from that tile shortly before.
        let removes = |what: &What| match what {
            What::Took(_, resource) => resource == stone,
            What::IncantationEnded { success, .. } => *success,
            _ => false,
        };
        let mut lately = state.recent.iter().filter(|happening| happening.at == Some(running.at));
        lately.any(|happening| removes(&happening.what))
    };
    let (stone, missing) = mirror.tile(running.at)?.short_of(&row.stones).find(was_removed)?;
    Some(Flaw::Stones(stone, missing))
}

#[cfg(test)]
mod tests {
    use super::*;
    use zappy_observer::timeline::fold::Fold as _;
    use zappy_protocol::zappy::observer::Message;

    /// The flaw of the only incantation after these lines.
    fn found(lines: &[&str]) -> Option<Flaw> {
        let mut state = ZappyState::default();
        let opening = [
            "msz 9 9",
            "tna red",
            "tna blue",
            "smg go",
            "bct 1 1 0 1 1 1 0 0 0",
            "pnw #0 1 1 1 2 red",
            "pnw #1 1 1 1 2 red",
            "pnw #2 1 1 2 1 blue",
            "pic 1 1 2 #0 #1",
        ];
        for line in opening.iter().chain(lines) {
            state.apply(5, &Message::parse(line.as_bytes()).unwrap());
        }
        flaw(&state, &state.incantations()[0])
    }

    #[test]
    fn what_an_incantation_lacks_is_seen_from_the_moment_it_does() {
        assert_eq!(found(&[]), None);
        let gone = "bct 1 1 0 1 1 0 0 0 0";
        assert_eq!(found(&["ppo #2 2 1 2", "pgt #2 3", gone]), None, "it was taken elsewhere");
        assert_eq!(found(&["pgt #2 3", gone]), Some(Flaw::Stones(Resource::Sibur, 1)));
        // Another server may have removed it for a reason of its own.
        assert_eq!(found(&[gone]), None);
        let pushed = ["ppo #0 2 1 1", "ppo #1 2 1 1", "pex #2"];
        assert_eq!(found(&pushed), Some(Flaw::Pushed { player: PlayerId(0), by: PlayerId(2) }));
        assert_eq!(found(&["pdi #1"]), Some(Flaw::Gone(PlayerId(1))));
        assert_eq!(found(&["ppo #1 5 5 1"]), Some(Flaw::Players(1)));
    }
}
