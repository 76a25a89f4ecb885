//! The incantation: which players take part, which are frozen, what is checked at its end, and which rise.
//!
//! Tested by the transcripts `incantation_*`, `suspension*`, `leaving_*`, `strict*` and `win*`.

use zappy_protocol::Position;
use zappy_protocol::zappy::constants::{Elevation, INCANTATION_TICKS, WINNING_PLAYERS};
use zappy_protocol::zappy::observer::Message;
use zappy_protocol::zappy::player::Response;
use zappy_protocol::zappy::{Inventory, Level, PlayerId};

use super::event::Event;
use super::schedule::Due;
use super::world::{Incantation, Purpose, World};

impl World {
    /// Whether the player is the initiator of a running incantation.
    pub(super) fn initiates(&self, id: PlayerId) -> bool {
        let running = self.player(id).incantation.and_then(|number| self.incantations.get(&number));
        running.is_some_and(|incantation| incantation.initiator == Some(id))
    }

    /// Begins an incantation for the players of that level on a tile, or gives the reason why it can't begin.
    /// `initiator`: `None` if the console asks for it, which needs no stones.
    pub(super) fn begin_incantation(
        &mut self,
        at: Position,
        level: Level,
        initiator: Option<PlayerId>,
    ) -> Result<(), String> {
        let needs = self.rules().elevation(level).ok_or("nobody rises above level 8")?;
        if initiator.is_some_and(|player| self.player(player).incantation.is_some()) {
            return Err("it takes part in another incantation".to_owned());
        }
        // The players that would take part, by number; if the rules say so, the initiator first.
        let joins = |&id: &PlayerId| {
            let player = self.player(id);
            let busy = self.rules().gathers_idle_only && player.agenda().running.is_some();
            let free = player.counts() && player.incantation.is_none() && !busy;
            Some(id) == initiator || player.level == level && free
        };
        let mut players: Vec<PlayerId> = self.map.tile(at).players.iter().copied().filter(joins).collect();
        if self.rules().initiator_first {
            players.sort_by_key(|&id| Some(id) != initiator);
        }
        check_needs(&needs, level, players.len(), initiator.map(|_| &self.map.tile(at).resources))?;
        let number = self.next_incantation;
        self.next_incantation += 1;
        for &player in &players {
            self.player_mut(player).incantation = Some(number);
            if !self.rules().holds_initiator_only || Some(player) == initiator {
                self.freeze(player);
            }
        }
        for &player in &players {
            self.respond(player, Response::ElevationUnderway);
        }
        let began = Message::IncantationBegan { at, level, players: players.clone() };
        self.emit(Event::Incantation(number, began));
        let incantation = Incantation { at, level, initiator, players, moved: Vec::new() };
        self.incantations.insert(number, incantation);
        self.schedule.push(self.now + INCANTATION_TICKS, Due::Incantation(number), number.into(), 0);
        Ok(())
    }

    /// Ends an incantation when its time is up.
    pub(super) fn end_incantation(&mut self, number: u32) {
        let Some(incantation) = self.incantations.remove(&number) else { return };
        let outcome = self.judge(&incantation);
        let living: Vec<PlayerId> =
            incantation.players.iter().copied().filter(|id| self.living.contains(id)).collect();
        let success = outcome.is_ok();
        // The stones are used up, unless the console began it.
        if success
            && let Some(needs) =
                self.rules().elevation(incantation.level).filter(|_| incantation.initiator.is_some())
        {
            for (resource, units) in needs.stones.iter() {
                let lying = self.map.tile(incantation.at).resources.get(resource);
                self.map.set_units(incantation.at, resource, lying.saturating_sub(units));
            }
        }
        if self.rules().end_before_levels {
            self.emit_end(number, &incantation, success);
        }
        match &outcome {
            Ok(risen) => self.raise(&incantation, &living, risen),
            Err(why) => living.iter().for_each(|&player| self.refuse(player, why.clone())),
        }
        if !self.rules().end_before_levels {
            self.emit_end(number, &incantation, success);
        }
        for &player in &living {
            self.player_mut(player).incantation = None;
            if self.player(player).frozen {
                self.thaw(player);
            }
        }
        if let Ok(risen) = outcome {
            self.look_for_winner(&risen, incantation.initiator);
        }
    }

    /// The players that rise, or why the incantation fails.
    fn judge(&self, incantation: &Incantation) -> Result<Vec<PlayerId>, String> {
        let Incantation { at, level, initiator, players, moved } = incantation;
        let is_present = |id: &PlayerId| {
            let player = self.player(*id);
            player.counts() && player.at == *at && player.level == *level
        };
        let present: Vec<PlayerId> = players.iter().copied().filter(is_present).collect();
        if self.rules().disturbed_fails && (present.len() < players.len() || !moved.is_empty()) {
            return Err("a participant left, died or was on another tile during the incantation".to_owned());
        }
        let needs = self.rules().elevation(*level).ok_or("nobody rises above level 8")?;
        let ground = self.map.tile(*at).resources;
        check_needs(&needs, *level, present.len(), initiator.map(|_| &ground))?;
        Ok(present)
    }

    /// Emits that the incantation has ended, and what is left on its tile if it used up stones.
    fn emit_end(&mut self, number: u32, incantation: &Incantation, success: bool) {
        let at = incantation.at;
        self.emit(Event::Incantation(number, Message::IncantationEnded { at, success }));
        if success && incantation.initiator.is_some() {
            self.emit_tile(at);
        }
    }

    /// Raises the participants in `risen` by a level. `living`: all that live; the others of them are refused.
    fn raise(&mut self, incantation: &Incantation, living: &[PlayerId], risen: &[PlayerId]) {
        let Some(next) = incantation.level.next() else { return };
        for &id in living {
            if risen.contains(&id) {
                self.player_mut(id).level = next;
                self.note_level(self.player(id).team, next);
                self.respond(id, Response::CurrentLevel(next));
                self.publish(Message::PlayerLevel { player: id, level: next });
            } else {
                let leaves = self.player(id).leaving;
                let why = if leaves { "its client had left" } else { "it was no longer on the tile" };
                self.refuse(id, format!("{why} when the incantation ended"));
            }
        }
    }

    /// Ends the match if the players that just rose complete a team at the highest level.
    pub(super) fn look_for_winner(&mut self, risen: &[PlayerId], initiator: Option<PlayerId>) {
        let mut counts = vec![0usize; self.teams.len()];
        for &id in &self.living {
            if self.player(id).counts() && self.player(id).level == Level::MAX {
                counts[self.player(id).team] += 1;
            }
        }
        let rose = |team: usize| risen.iter().any(|&id| self.player(id).team == team);
        let mut winners: Vec<usize> =
            (0..self.teams.len()).filter(|&team| counts[team] >= WINNING_PLAYERS && rose(team)).collect();
        let preferred = if self.rules().last_named_wins {
            winners.last().copied()
        } else {
            initiator.map(|id| self.player(id).team).filter(|team| winners.contains(team))
        };
        if let Some(team) = preferred {
            return self.finish_won(team, false);
        }
        let most = winners.iter().map(|&team| counts[team]).max();
        winners.retain(|&team| Some(counts[team]) == most);
        if winners.is_empty() {
            return;
        }
        let drawn = self.chance(Purpose::Lot).index(winners.len()).unwrap_or(0);
        self.finish_won(winners[drawn], winners.len() > 1);
    }
}

/// The reason if there are too few players, or too few stones. `ground`: what lies there; `None` if that doesn't matter.
fn check_needs(
    needs: &Elevation,
    level: Level,
    players: usize,
    ground: Option<&Inventory>,
) -> Result<(), String> {
    if players < needs.players {
        return Err(format!(
            "an incantation at level {level} needs {} of that level on the tile who take part in no other; there: {players}",
            needs.players
        ));
    }
    let Some(ground) = ground else { return Ok(()) };
    let lacking: Vec<String> = needs
        .stones
        .iter()
        .filter(|&(stone, units)| ground.get(stone) < units)
        .map(|(stone, units)| format!("{} {stone}", units - ground.get(stone)))
        .collect();
    if lacking.is_empty() {
        return Ok(());
    }
    Err(format!("an incantation at level {level} lacks {} on the tile", lacking.join(", ")))
}
