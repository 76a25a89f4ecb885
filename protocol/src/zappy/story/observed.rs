//! The match as an observer knows it: the mirror, and what each message adds to it.
//!
//! A fold over messages with their ticks. Beyond the mirror it remembers nothing older than [`LOOKBACK`], so a fold
//! that began at a snapshot that much earlier equals a fold that began with the match. Holds a bounded world, whatever
//! messages come, and never panics. Tested in this module.

use crate::text::shown;
use crate::types::{MapSize, Position, TeamName, Tick};
use crate::zappy::constants::INCANTATION_TICKS;
use crate::zappy::mirror::{Mirror, MirrorIncantation, Misfit};
use crate::zappy::observer::Message;
use crate::zappy::{PlayerId, Resource};

use super::happening::{Fate, Happening, What};

/// Ticks for which the beginning of an incantation is remembered: as long as one lasts.
pub const LOOKBACK: Tick = INCANTATION_TICKS;
/// For how many ticks after its `msz` a snapshot may still be on its way; no message of the dialect ends a snapshot.
const SNAPSHOT_TICKS: Tick = 50;
/// The most tiles of a map: four times what our server offers. A program may hold several worlds, each with all its
/// tiles.
const MOST_TILES: u32 = 1_000_000;
/// The most living players: a picture looks at all of them.
const MOST_PLAYERS: usize = 20_000;
/// The most eggs on the map.
const MOST_EGGS: usize = 100_000;
/// The most teams: the team of a player is looked for among all of them.
const MOST_TEAMS: usize = 1_000;
/// The most incantations under way, and players in one: a new incantation is compared with all others.
const MOST_INCANTATIONS: usize = 1_000;

/// What became of a message.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Applied {
    /// What happened by this message, if it says anything new.
    pub happening: Option<Happening>,
    /// The contradiction to earlier messages, if there is one.
    pub misfit: Option<Misfit>,
}

/// The match as an observer knows it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Observed {
    tick: Tick,
    mirror: Mirror,
    /// The tick at which a snapshot began that may still be on its way.
    snapshot_since: Option<Tick>,
}

impl Observed {
    pub fn new() -> Observed {
        Observed::default()
    }

    /// What the snapshot of a tick describes. Messages in it that contradict others are ignored.
    pub fn restored<'a>(tick: Tick, snapshot: impl IntoIterator<Item = &'a Message>) -> Observed {
        let mut observed = Observed { tick, ..Observed::default() };
        snapshot.into_iter().for_each(|message| observed.restore(message));
        observed
    }

    /// Takes a line of a snapshot in, as what was true before: nothing of it happened just now.
    pub fn restore(&mut self, message: &Message) {
        if !self.holds(message) {
            return;
        }
        let _ = self.mirror.apply(message);
        self.forget_what_snapshots_lack(message);
    }

    /// The tick that was reached.
    pub fn tick(&self) -> Tick {
        self.tick
    }

    /// The world. It says neither which player laid an egg nor which player is laying one, because not every snapshot
    /// says so.
    pub fn mirror(&self) -> &Mirror {
        &self.mirror
    }

    /// Whether a snapshot may be on its way: its messages are about what happened earlier.
    pub fn in_snapshot(&self) -> bool {
        self.snapshot_since.is_some()
    }

    /// Whether the world stays within its limits if it takes the message; every real match does.
    pub fn holds(&self, message: &Message) -> bool {
        let mirror = &self.mirror;
        match message {
            Message::MapSize(size) => MapSize::area(*size) <= MOST_TILES,
            Message::PlayerJoined { player, team, .. } => {
                (mirror.players.len() < MOST_PLAYERS || mirror.players.contains_key(player))
                    && (mirror.teams.len() < MOST_TEAMS || mirror.teams.contains(team))
            }
            Message::EggLaid { egg, .. } => mirror.eggs.len() < MOST_EGGS || mirror.eggs.contains_key(egg),
            Message::Team(team) => mirror.teams.len() < MOST_TEAMS || mirror.teams.contains(team),
            Message::IncantationBegan { players, .. } => {
                mirror.incantations.len() < MOST_INCANTATIONS && players.len() <= MOST_INCANTATIONS
            }
            _ => true,
        }
    }

    /// Lets time pass up to a tick, without a message.
    pub fn advance(&mut self, tick: Tick) {
        if tick <= self.tick {
            return;
        }
        self.tick = tick;
        let oldest = tick.saturating_sub(LOOKBACK);
        for running in &mut self.mirror.incantations {
            running.began = running.began.filter(|&began| began >= oldest);
        }
        self.snapshot_since = self.snapshot_since.filter(|since| tick <= since + SNAPSHOT_TICKS);
    }

    /// Takes one message of that tick in; a message beyond the world's limits is left out. `pushed` are the players
    /// that were moved, if the message is about a push: the dialect doesn't say.
    pub fn apply(&mut self, tick: Tick, message: &Message, pushed: &[PlayerId]) -> Applied {
        self.advance(tick);
        if !self.holds(message) {
            return Applied::default();
        }
        // Players that stand in a snapshot didn't just join.
        match message {
            Message::MapSize(_) => self.snapshot_since = Some(self.tick),
            Message::Tile { .. }
            | Message::Rate(_)
            | Message::Team(_)
            | Message::PlayerJoined { .. }
            | Message::PlayerInventory { .. }
            | Message::PlayerLevel { .. }
            | Message::EggLaid { .. }
            | Message::IncantationBegan { .. } => {}
            _ => self.snapshot_since = None,
        }
        let news = self.news_of(message, pushed);
        // An incantation begins now, unless its message is a part of a snapshot.
        let now = (!self.in_snapshot()).then_some(self.tick);
        let began = match message {
            Message::IncantationBegan { at, players, .. } => {
                Some(self.same_incantation(*at, players).map_or(now, |same| same.began))
            }
            _ => None,
        };
        let misfit = self.mirror.apply(message).err();
        if let (Some(began), Some(running)) = (began, self.mirror.incantations.last_mut()) {
            running.began = began;
        }
        self.forget_what_snapshots_lack(message);
        Applied { happening: news.map(|(at, what)| Happening { tick: self.tick, at, what }), misfit }
    }

    /// Forgets which player laid an egg, and that a player is laying: a snapshot may lack both, and a fold
    /// that began at a snapshot must equal a fold that began earlier.
    fn forget_what_snapshots_lack(&mut self, message: &Message) {
        match message {
            Message::EggLaid { egg, .. } => {
                if let Some(egg) = self.mirror.eggs.get_mut(egg) {
                    egg.layer = None;
                }
            }
            Message::Laying(player) => {
                if let Some(player) = self.mirror.players.get_mut(player) {
                    player.laying = false;
                }
            }
            _ => {}
        }
    }

    /// What the message says beyond what the mirror knows before it is applied, and where.
    fn news_of(&self, message: &Message, pushed: &[PlayerId]) -> Option<(Option<Position>, What)> {
        let place = |player: &PlayerId| self.mirror.players.get(player).map(|known| known.at);
        let place_of_egg = |egg| self.mirror.eggs.get(egg).map(|known| known.at);
        Some(match message {
            Message::PlayerJoined { player, at, .. } => {
                if self.in_snapshot() || self.mirror.players.contains_key(player) {
                    return None;
                }
                (Some(*at), What::Joined(*player))
            }
            Message::PlayerLevel { player, level } => {
                let known = self.mirror.players.get(player)?;
                if self.in_snapshot() || known.level == *level {
                    return None;
                }
                (Some(known.at), What::Level { player: *player, from: known.level, to: *level })
            }
            Message::Died(player) => {
                let last = Box::new(self.mirror.players.get(player)?.clone());
                let fate = (last.inventory.get(Resource::Food) == 0).then_some(Fate::Starved);
                (Some(last.at), What::Gone { player: *player, last, fate, why: None })
            }
            Message::IncantationBegan { at, level, players } => {
                if self.in_snapshot() || self.same_incantation(*at, players).is_some() {
                    return None;
                }
                (Some(*at), What::IncantationBegan { level: *level, players: players.clone() })
            }
            Message::IncantationEnded { at, success } => {
                let oldest = self.mirror.incantations.iter().find(|running| running.at == *at);
                let level = oldest.map(|known| known.level);
                let players = oldest.map(|known| known.players.clone()).unwrap_or_default();
                // The tick of the beginning stays unknown: a fold that began at a snapshot doesn't know it, and must
                // equal a fold that began earlier.
                let (began, success, why, first_of) = (None, *success, None, Vec::new());
                (Some(*at), What::IncantationEnded { level, players, began, success, why, first_of })
            }
            Message::Ejected(player) => {
                let at = place(player);
                let mut victims = pushed.to_vec();
                if victims.is_empty() {
                    // Some servers send the victims' new places only afterwards: in the mirror they still stand there.
                    let others = self
                        .mirror
                        .players
                        .iter()
                        .filter(|(id, known)| *id != player && Some(known.at) == at);
                    victims.extend(others.map(|(id, _)| *id));
                }
                let mut on_tile = self.mirror.incantations.iter().filter(|running| Some(running.at) == at);
                let out_of_incantation =
                    on_tile.any(|running| running.players.iter().any(|p| victims.contains(p)));
                (at, What::Ejected { player: *player, victims, out_of_incantation })
            }
            Message::EggLaid { egg, layer, at } => {
                if self.in_snapshot() || self.mirror.eggs.contains_key(egg) {
                    return None;
                }
                (Some(*at), What::EggLaid(*egg, *layer))
            }
            Message::Broadcast { player, text } => (place(player), What::Broadcast(*player, text.clone())),
            Message::Laying(player) => (place(player), What::Laying(*player)),
            Message::Took { player, resource } => (place(player), What::Took(*player, *resource)),
            Message::Dropped { player, resource } => (place(player), What::Dropped(*player, *resource)),
            Message::EggHatched(egg) => (place_of_egg(egg), What::EggHatched(*egg)),
            Message::EggDestroyed(egg) => (place_of_egg(egg), What::EggDestroyed(*egg)),
            Message::Rate(rate) if *rate == self.mirror.rate || self.mirror.rate == 0 => return None,
            Message::Rate(rate) => (None, What::Rate(*rate)),
            Message::Won(team) => (None, self.end_won_by(team)),
            Message::Server(text) => (None, What::ServerMessage(text.clone())),
            _ => return None,
        })
    }

    /// How the match ends with that winner: when no team has won, some servers name one that is no team of the match.
    fn end_won_by(&self, winner: &TeamName) -> What {
        let Mirror { teams, players, .. } = &self.mirror;
        let mut known = teams.iter().chain(players.values().map(|player| &player.team)).peekable();
        if known.peek().is_none() || known.any(|team| team == winner) {
            return What::Won(winner.clone());
        }
        What::Ended(
            format!("the server names “{}”, which is no team", shown(winner.as_str().as_bytes())),
            None,
        )
    }

    /// The running incantation that a message names again: the one on that tile with the same initiator.
    fn same_incantation(&self, at: Position, players: &[PlayerId]) -> Option<&MirrorIncantation> {
        let mut running = self.mirror.incantations.iter();
        running.find(|running| running.at == at && running.players.first() == players.first())
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;
    use crate::zappy::Level;

    /// What is known after these lines, and how many of them were beyond the limits.
    fn observed_after(lines: &str) -> (Observed, usize) {
        let mut observed = Observed::new();
        let mut beyond = 0;
        for line in lines.lines() {
            let message = Message::parse(line.as_bytes()).unwrap();
            beyond += usize::from(!observed.holds(&message));
            observed.apply(0, &message, &[]);
        }
        (observed, beyond)
    }

    #[test]
    fn a_map_beyond_all_bounds_takes_no_memory() {
        let (observed, beyond) = observed_after("msz 10000 10000\nmsz 500 500");
        assert_eq!((beyond, observed.mirror().tiles.len()), (1, 250_000));
        let huge = Message::parse(b"msz 10000 10000").unwrap();
        assert_eq!(Observed::restored(0, [&huge]).mirror().size, None);
    }

    #[test]
    fn incantations_and_teams_without_end_are_left_out() {
        let mut lines = "msz 5 5\n".to_owned();
        for number in 0..MOST_INCANTATIONS + 7 {
            writeln!(lines, "pic 1 1 1 #{number}\ntna t{number}").unwrap();
        }
        let (observed, beyond) = observed_after(&lines);
        let kept = (observed.mirror().incantations.len(), observed.mirror().teams.len(), beyond);
        assert_eq!(kept, (MOST_INCANTATIONS, MOST_TEAMS, 14));
        assert!(observed.holds(&Message::parse(b"tna t3").unwrap()));
    }

    #[test]
    fn known_players_may_go_on_when_there_are_too_many() {
        let mut lines = "msz 5 5\n".to_owned();
        for number in 0..=MOST_PLAYERS {
            writeln!(lines, "pnw #{number} 1 1 1 1 red").unwrap();
        }
        let (observed, beyond) =
            observed_after(&(lines + "pnw #0 2 2 1 1 red\npdi #0\npnw #90000 1 1 1 1 red"));
        assert_eq!((observed.mirror().players.len(), beyond), (MOST_PLAYERS, 1));
    }

    #[test]
    fn a_push_out_of_an_incantation_is_known_as_one() {
        let (mut observed, _) = observed_after(
            "msz 5 5\nsmg go\npnw #0 1 1 1 1 red\npnw #1 1 1 1 1 red\npic 1 1 1 #1\nppo #1 1 0 1",
        );
        let push = Message::parse(b"pex #0").unwrap();
        let out = |applied: Applied| match applied.happening.unwrap().what {
            What::Ejected { victims, out_of_incantation, .. } => (victims.len(), out_of_incantation),
            other => panic!("{other:?}"),
        };
        assert_eq!(out(observed.apply(1, &push, &[PlayerId(1)])), (1, true));
        assert_eq!(out(observed.apply(1, &push, &[])), (0, false));
    }

    #[test]
    fn an_incantation_ends_with_its_players_and_its_beginning() {
        let (mut observed, _) = observed_after("msz 5 5\nsmg go\npic 1 1 1 #0 #2");
        let end = Message::parse(b"pie 1 1 0").unwrap();
        let ended = |applied: Applied| match applied.happening.unwrap().what {
            What::IncantationEnded { level, players, success, .. } => (level, players, success),
            other => panic!("{other:?}"),
        };
        let players = vec![PlayerId(0), PlayerId(2)];
        assert_eq!(observed.mirror().incantations[0].began, Some(0));
        assert_eq!(ended(observed.apply(300, &end, &[])), (Some(Level::MIN), players, false));
        assert_eq!(ended(observed.apply(300, &end, &[])), (None, Vec::new(), false));
    }
}
