//! Rule sets: the questions in which servers of Zappy differ, and how each rule set answers them.
//!
//! A rule set is one value. The rules ask it by the question's name and never by the set's name, so a new set is one value
//! here, and its name where sets are listed. The answers are tested by the transcripts `official_*` and `strict*`; the
//! simulator plays all sets.

use zappy_protocol::zappy::constants::{self, Elevation};
use zappy_protocol::zappy::geometry::{sound_direction, sound_direction_by_thirds};
use zappy_protocol::zappy::player::{BadCommand, Command, CommandKind, ListStyle};
use zappy_protocol::zappy::{Level, Orientation, Resource};
use zappy_protocol::{MapSize, Position, Text};

use zappy_game::config::MAX_FREQUENCY;

/// One set of rules: an answer to each question in which sets differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RuleSet {
    /// Its name on the command line and in records.
    name: &'static str,
    /// Does an incantation gather only players that aren't executing a command?
    pub(super) gathers_idle_only: bool,
    /// Does an incantation hold the initiator alone? Otherwise all participants.
    pub(super) holds_initiator_only: bool,
    /// Does an incantation fail for all if a participant moved away, even if it came back, or disconnected or died?
    pub(super) disturbed_fails: bool,
    /// Do observers read of the end of an incantation before they read of the new levels?
    pub(super) end_before_levels: bool,
    /// Do observers read the new places of the players that an `Eject` pushes last, after everything else of it?
    pub(super) victims_last: bool,
    /// Does `Inventory` count food in ticks? Otherwise in units.
    pub(super) food_in_ticks: bool,
    /// How are the answers to `Look` and `Inventory` spelled?
    pub(super) list_style: ListStyle,
    /// Does a `\r` before a line's end belong to the line?
    pub(super) keeps_returns: bool,
    /// Does `Broadcast` take only a single word without quotes or a single quoted text?
    one_text_only: bool,
    /// Which commands are refused at once if they have an argument that they don't take? Others are refused after their time.
    refused_at_once: &'static [CommandKind],
    /// Does the running command count among the ten that a player may have?
    pub(super) running_counts: bool,
    /// Under the real clock: are lines of one packet that take time begun one at a tick? Otherwise as soon as they come.
    pub(super) one_line_per_tick: bool,
    /// Is a line that takes no time answered ahead of the commands that wait or run, unless an incantation holds the player?
    pub(super) answers_at_once: bool,
    /// Is the egg that hatches drawn by lot? Otherwise it is the one with the lowest number.
    pub(super) draws_eggs: bool,
    /// Do the last-named team's eggs have the lowest numbers, and does its name come first in dumps?
    pub(super) last_named_first: bool,
    /// Does the team that was named last win every tie? Otherwise the initiator's, or the larger one, or a lot decides.
    pub(super) last_named_wins: bool,
    /// Does a player leave as soon as its client sends nothing more, whatever it had asked for?
    pub(super) leaves_at_once: bool,
    /// Does a sound come straight if the smaller distance is under a third of the larger? Otherwise from the nearest of eight
    /// equal angles.
    sound_by_thirds: bool,
    /// Do eggs survive an `Eject` unless `Look` shows eggs?
    pub(super) hidden_eggs_survive: bool,
    /// Does an `Eject` that moved no player succeed? Where `Look` shows eggs, only if it broke one.
    pub(super) empty_eject_succeeds: bool,
    /// Does the newest player come first: under `Eject`, in dumps and at hunger?
    pub(super) newest_first: bool,
    /// Does the incantation that leads to level 3 need no sibur?
    spares_sibur: bool,
    /// Is the initiator named first among an incantation's participants? Otherwise all are named by number.
    pub(super) initiator_first: bool,
    /// Does what is running keep its seconds when the frequency changes? Otherwise it keeps its ticks.
    pub(super) keeps_seconds: bool,
    /// The greatest frequency that observers may set, in ticks per second.
    pub(super) most_requested_rate: u32,
    /// Do observers read of a frequency that the console sets?
    pub(super) publishes_console_rate: bool,
    /// Does a new unit of a resource go to a tile without that resource? Otherwise to any tile.
    pub(super) fills_bare_tiles: bool,
    /// Do observers read what a refill brings?
    pub(super) publishes_refill: bool,
    /// Does `/noRefill false` begin a new period of refills?
    pub(super) refill_begins_anew: bool,
    /// Does a dump have the running incantations?
    pub(super) dumps_incantations: bool,
    /// Is `12x` in an observer's request read as 12? Otherwise it is refused.
    pub(super) leading_digits: bool,
    /// Does an observer that sends nothing more go on watching?
    pub(super) half_closed_observers_stay: bool,
    /// Does the match's time begin when the first player joins?
    pub(super) time_begins_with_players: bool,
    /// Does the single highest living player decide the match when its time is over?
    pub(super) highest_player_decides: bool,
}

impl RuleSet {
    /// The default: as the subject, the text of the assignment, says.
    pub const SUBJECT: RuleSet = RuleSet {
        name: "subject",
        gathers_idle_only: false,
        holds_initiator_only: false,
        disturbed_fails: false,
        end_before_levels: false,
        victims_last: false,
        food_in_ticks: false,
        list_style: ListStyle::Padded,
        keeps_returns: false,
        one_text_only: false,
        refused_at_once: &[],
        running_counts: false,
        one_line_per_tick: false,
        answers_at_once: false,
        draws_eggs: true,
        last_named_first: false,
        last_named_wins: false,
        leaves_at_once: false,
        sound_by_thirds: false,
        hidden_eggs_survive: false,
        empty_eject_succeeds: false,
        newest_first: false,
        spares_sibur: false,
        initiator_first: true,
        keeps_seconds: false,
        most_requested_rate: MAX_FREQUENCY,
        publishes_console_rate: true,
        fills_bare_tiles: true,
        publishes_refill: true,
        refill_begins_anew: false,
        dumps_incantations: true,
        leading_digits: false,
        half_closed_observers_stay: true,
        time_begins_with_players: false,
        highest_player_decides: false,
    };

    /// Incantations gather only idle players, hold only the initiator, and fail if a participant moves, leaves or dies. Food is
    /// counted in ticks. Lists are spelled without padding, and observers read of incantations and pushes in another order.
    pub const STRICT: RuleSet = RuleSet {
        name: "strict",
        gathers_idle_only: true,
        holds_initiator_only: true,
        disturbed_fails: true,
        end_before_levels: true,
        victims_last: true,
        food_in_ticks: true,
        list_style: ListStyle::Joined,
        ..RuleSet::SUBJECT
    };

    /// As the official server 3.0.1 plays.
    pub const OFFICIAL: RuleSet = RuleSet {
        name: "official",
        keeps_returns: true,
        one_text_only: true,
        refused_at_once: &[CommandKind::Fork, CommandKind::Incantation],
        running_counts: true,
        one_line_per_tick: true,
        answers_at_once: true,
        draws_eggs: false,
        last_named_first: true,
        last_named_wins: true,
        leaves_at_once: true,
        sound_by_thirds: true,
        hidden_eggs_survive: true,
        empty_eject_succeeds: true,
        newest_first: true,
        spares_sibur: true,
        initiator_first: false,
        keeps_seconds: true,
        most_requested_rate: 10_000,
        publishes_console_rate: false,
        fills_bare_tiles: false,
        publishes_refill: false,
        refill_begins_anew: true,
        dumps_incantations: false,
        leading_digits: true,
        half_closed_observers_stay: false,
        time_begins_with_players: true,
        highest_player_decides: true,
        ..RuleSet::SUBJECT
    };

    /// These rules with the official server's answers where they change what a client has to expect most: eggs,
    /// resources, sounds and the queue. For trying clients; no command line and no record can name it.
    #[must_use]
    pub const fn with_official_habits(self) -> RuleSet {
        RuleSet {
            name: "mixed",
            draws_eggs: RuleSet::OFFICIAL.draws_eggs,
            fills_bare_tiles: RuleSet::OFFICIAL.fills_bare_tiles,
            sound_by_thirds: RuleSet::OFFICIAL.sound_by_thirds,
            running_counts: RuleSet::OFFICIAL.running_counts,
            ..self
        }
    }

    /// All rule sets, the default one first.
    pub const ALL: [RuleSet; 3] = [RuleSet::SUBJECT, RuleSet::STRICT, RuleSet::OFFICIAL];

    /// An older name of the default rule set, which is still understood.
    pub const FIRST_NAME: &str = "reference";

    /// Its name on the command line and in records.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Does an incantation gather only players that aren't executing a command?
    pub const fn gathers_idle_only(&self) -> bool {
        self.gathers_idle_only
    }

    /// The rule set of that name.
    pub fn parse(name: &str) -> Option<RuleSet> {
        let name = if name == RuleSet::FIRST_NAME { RuleSet::SUBJECT.name } else { name };
        RuleSet::ALL.into_iter().find(|rules| rules.name == name)
    }

    /// The command on a line.
    ///
    /// # Errors
    /// Why the line is no command under these rules.
    pub fn command(&self, line: &[u8]) -> Result<Command, BadCommand> {
        match Command::parse(line) {
            Ok(Command::Broadcast(text)) if !self.passes(&text) => Err(BadCommand::SeveralWords),
            parsed => parsed,
        }
    }

    /// Does this text of a `Broadcast` pass?
    fn passes(&self, text: &Text) -> bool {
        let word = |bytes: &[u8]| !bytes.iter().any(|byte| b" \t\"".contains(byte));
        let quoted = |bytes: &[u8]| match bytes {
            [b'"', inner @ .., b'"'] => !inner.contains(&b'"'),
            _ => false,
        };
        !self.one_text_only || word(text.as_bytes()) || quoted(text.as_bytes())
    }

    /// Is the line answered without taking time, whatever the world looks like?
    pub(super) fn takes_no_time(&self, command: &Result<Command, BadCommand>) -> bool {
        match command {
            Err(BadCommand::Arguments(kind)) if self.refused_at_once.contains(kind) => true,
            Ok(command) => command.kind().cost() == 0,
            Err(bad) => bad.kind().is_none_or(|kind| kind.cost() == 0),
        }
    }

    /// From which direction does a listener hear a sound, 0 to 8?
    pub(super) fn direction(
        &self,
        map: MapSize,
        listener: Position,
        emitter: Position,
        facing: Orientation,
    ) -> u8 {
        if self.sound_by_thirds {
            sound_direction_by_thirds(map.delta_within(listener, emitter), facing)
        } else {
            sound_direction(map.delta(listener, emitter), facing)
        }
    }

    /// What does it take to rise from `level`? `None` at the highest level.
    pub fn elevation(&self, level: Level) -> Option<Elevation> {
        let mut needs = *constants::elevation(level)?;
        if self.spares_sibur && level.get() == 2 {
            needs.stones.set(Resource::Sibur, 0);
        }
        Some(needs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rule_sets_are_found_by_their_names() {
        for rules in RuleSet::ALL {
            assert_eq!(RuleSet::parse(rules.name()), Some(rules));
        }
        assert_eq!(RuleSet::parse("reference"), Some(RuleSet::SUBJECT));
        assert_eq!(RuleSet::parse("Official"), None);
        assert_eq!(RuleSet::parse(RuleSet::STRICT.with_official_habits().name()), None);
    }

    #[test]
    fn the_official_server_takes_one_word_or_one_quoted_text() {
        let passes = |text: &str| RuleSet::OFFICIAL.passes(&Text::new(text.as_bytes()));
        for text in ["hello", "\"a b\"", "\"\"", "it's", "\"a\" ", "come,here"] {
            assert!(passes(text), "{text}");
        }
        let quotes = ["{\"k\":1}", "[\"a\",\"b\"]", "it\"s", "\"a", "a\"", "\"a\"b", "\"\"\""];
        for text in ["a b", "\"a b\" c", "a \"b\"", "\"a b", "a\tb", "\"a\" \"b\""].into_iter().chain(quotes)
        {
            assert!(!passes(text), "{text}");
            assert!(RuleSet::SUBJECT.passes(&Text::new(text.as_bytes())), "{text}");
        }
    }
}
