//! `medium`: loners that gather alone and meet by ear: a first team, as students write it.
//!
//! Each player eats well, rises once alone, then gathers the stones of its next incantation, calls, and rises with
//! the mates that come, up to level 4. Never lays. Tested in this module and in `tests/levels.rs`.

use zappy_protocol::zappy::Level;
use zappy_protocol::zappy::player::Command;

use super::loner::{LonerState, Temper};

/// Units of food below which it looks for nothing else.
const HUNGRY: u32 = 5;
/// Units of food up to which a hungry player eats.
const SATED: u32 = 10;
/// Units of food up to which it picks food up while it gathers stones.
const PROVISIONS: u32 = 18;
/// The level at which it stops rising.
const TOP_LEVEL: u8 = 4;

/// The temper of a loner that lives in peace.
#[derive(Debug)]
pub struct Medium;

impl Temper for Medium {
    fn decide(&mut self, own: &mut LonerState) -> Vec<Command> {
        let top = Level::new(TOP_LEVEL).unwrap_or(Level::MAX);
        if own.must_eat(HUNGRY, SATED) {
            return own.body.find_food(SATED);
        }
        let meeting = own.body.rise_alone().or_else(|| own.attend(top));
        meeting.unwrap_or_else(|| {
            let mut wanted = own.body.lacking(PROVISIONS);
            if own.body.memory.level >= top {
                wanted.subtract(&own.body.stones_to_rise());
            }
            own.body.gather(&wanted)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::loner::Loner;
    use super::*;
    use crate::zappy::strategy::Strategy as _;
    use zappy_protocol::zappy::Inventory;
    use zappy_protocol::zappy::player::{Response, Sight};
    use zappy_protocol::{MapSize, TeamName, Text};

    fn medium(chance: u64, level: u8, carries: [u32; 7]) -> Loner<Medium> {
        let team = TeamName::parse(b"red").unwrap();
        let mut medium = Loner::new(&team, MapSize::new(10, 10).unwrap(), chance, Medium);
        medium.own.body.memory.level = Level::new(level).unwrap();
        answer(&mut medium, &Command::Look, 1);
        medium.answered(&Command::Inventory, &Response::Inventory(Inventory::new(carries)));
        medium
    }

    fn answer(medium: &mut Loner<Medium>, command: &Command, players: u32) {
        let response = match command {
            Command::Look => Response::Look(vec![Sight { players, ..Sight::default() }]),
            Command::Inventory => Response::Inventory(medium.own.body.memory.carried()),
            _ => Response::Ok,
        };
        medium.answered(command, &response);
    }

    /// Lets it decide and answers its commands; returns the commands but the broadcast, and the broadcast's text.
    fn step(medium: &mut Loner<Medium>, players: u32) -> (Vec<Command>, Option<Text>) {
        let (mut done, mut said) = (medium.decide(), None);
        done.iter().for_each(|command| answer(medium, command, players));
        done.retain(|command| match command {
            Command::Broadcast(text) => {
                said = Some(text.clone());
                false
            }
            _ => true,
        });
        (done, said)
    }

    #[test]
    fn two_meet_by_ear_and_rise() {
        let mut caller = medium(1, 2, [12, 1, 1, 1, 0, 0, 0]);
        let mut guest = medium(2, 2, [12, 0, 0, 0, 0, 0, 0]);
        assert_eq!(step(&mut caller, 1).0, [Command::Look]);
        let (_, call) = step(&mut caller, 1);
        guest.heard(1, &call.unwrap());
        let (walked, said) = step(&mut guest, 1);
        assert!(walked[0] == Command::Forward && said.is_none(), "{walked:?}");
        let call = std::iter::from_fn(|| Some(step(&mut caller, 1).1)).take(9).flatten().next();
        guest.heard(0, &call.expect("it calls again"));
        let (_, here) = step(&mut guest, 2);
        caller.heard(0, &here.expect("it says that it came"));
        assert_eq!(step(&mut caller, 2).0, [Command::Look], "it sees that a mate came");
        let (incantation, _) = step(&mut caller, 2);
        assert_eq!(incantation.len(), 5, "{incantation:?}");
        assert_eq!(incantation[3], Command::Incantation);
    }

    #[test]
    fn strangers_and_others_of_another_level_are_not_followed() {
        let mut caller = medium(1, 3, [12, 2, 0, 1, 0, 2, 0]);
        let mut guest = medium(2, 2, [12, 0, 0, 0, 0, 0, 0]);
        step(&mut caller, 1);
        let call = step(&mut caller, 1).1.unwrap();
        guest.heard(1, &call);
        guest.heard(1, &Text::new(b"come here"));
        assert!(!guest.own.meeting.is_on());
    }

    #[test]
    fn a_hungry_player_eats_first() {
        let mut caller = medium(1, 2, [4, 1, 1, 1, 0, 0, 0]);
        assert!(step(&mut caller, 1).1.is_none() && !caller.own.meeting.is_on());
    }

    #[test]
    fn without_guests_it_gives_up_and_goes_on() {
        let mut caller = medium(1, 2, [12, 1, 1, 1, 0, 0, 0]);
        let calls = (0..100).filter(|_| step(&mut caller, 1).1.is_some()).count();
        assert!((5..=30).contains(&calls), "{calls} calls in a hundred decisions");
        assert!(caller.own.body.memory.here != crate::zappy::memory::Spot::default());
    }
}
