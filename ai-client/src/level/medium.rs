//! `medium`: loners that gather alone and meet by ear: a first team, as students write it.
//!
//! Each eats well, rises once alone, then gathers the stones of its next rite, calls, and rises with who comes, up
//! to level 4. Never lays. Tested in this module and in `tests/levels.rs`.

use zappy_protocol::player::{Command, Response};
use zappy_protocol::{Level, MapSize, TeamName, Text};

use super::Strategy;
use super::body::Body;
use super::meeting::Meeting;
use super::talk::Talk;

/// Food below which nothing else is looked for, up to which it eats then, and up to which it eats by the way.
const HUNGRY: u32 = 5;
const SATED: u32 = 10;
const PROVISIONS: u32 = 18;
/// The level it is content with.
const TOP: u8 = 4;

/// A loner that meets others.
#[derive(Debug)]
pub struct Medium {
    body: Body,
    talk: Talk,
    meeting: Meeting,
    hungry: bool,
}

impl Medium {
    /// A newborn.
    pub fn new(team: &TeamName, size: MapSize, chance: u64) -> Medium {
        let (body, talk) = (Body::new(size, chance), Talk::new(team));
        Medium { body, talk, meeting: Meeting::default(), hungry: false }
    }
}

impl Strategy for Medium {
    fn decide(&mut self) -> Vec<Command> {
        let top = Level::new(TOP).unwrap_or(Level::MAX);
        if self.talk.token() == 0 {
            return vec![Command::Look];
        }
        if let Some(count) = self.body.count() {
            return count;
        }
        let food = self.body.memory.food();
        self.hungry = food < HUNGRY || self.hungry && food < SATED;
        if self.hungry {
            self.meeting.over();
            return self.body.find_food(SATED);
        }
        if let Some(rite) = self.body.rise_alone() {
            return rite;
        }
        if let Some(commands) = self.meeting.attend(&self.body, &mut self.talk, top) {
            return commands;
        }
        let mut wanted = self.body.lacking(PROVISIONS);
        if self.body.memory.level >= top {
            wanted.subtract(&self.body.toll());
        }
        self.body.gather(&wanted)
    }

    fn answered(&mut self, command: &Command, response: &Response) {
        self.body.answered(command, response);
        if let Response::Look(sights) = response {
            self.talk.call_oneself(&mut self.body, sights);
        }
    }

    fn heard(&mut self, direction: u8, text: &Text) {
        if let Some(word) = self.talk.hear(text) {
            self.meeting.heard(&self.body, self.talk.token(), direction, &word);
        }
    }

    fn pushed(&mut self, from: u8) {
        self.body.memory.pushed(from);
        self.meeting.pushed();
    }

    fn incantation_over(&mut self, level: Option<Level>) {
        self.body.incantation_over(level);
        self.meeting.over();
    }

    fn level(&self) -> Level {
        self.body.memory.level
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use zappy_protocol::Inventory;
    use zappy_protocol::player::Sight;

    fn medium(chance: u64, level: u8, carries: [u32; 7]) -> Medium {
        let team = TeamName::parse(b"red").unwrap();
        let mut medium = Medium::new(&team, MapSize::new(10, 10).unwrap(), chance);
        medium.body.memory.level = Level::new(level).unwrap();
        answer(&mut medium, &Command::Look, 1);
        medium.answered(&Command::Inventory, &Response::Inventory(Inventory::new(carries)));
        medium
    }

    fn answer(medium: &mut Medium, command: &Command, players: u32) {
        let response = match command {
            Command::Look => Response::Look(vec![Sight { players, ..Sight::default() }]),
            Command::Inventory => Response::Inventory(medium.body.memory.carried()),
            _ => Response::Ok,
        };
        medium.answered(command, &response);
    }

    /// What it does, and what it says.
    fn step(medium: &mut Medium, players: u32) -> (Vec<Command>, Option<Text>) {
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
        assert_eq!(step(&mut caller, 2).0, [Command::Look], "it sees that somebody came");
        let (rite, _) = step(&mut caller, 2);
        assert_eq!(rite.len(), 5, "{rite:?}");
        assert_eq!(rite[3], Command::Incantation);
    }

    #[test]
    fn strangers_and_others_of_another_level_are_not_followed() {
        let mut caller = medium(1, 3, [12, 2, 0, 1, 0, 2, 0]);
        let mut guest = medium(2, 2, [12, 0, 0, 0, 0, 0, 0]);
        step(&mut caller, 1);
        let call = step(&mut caller, 1).1.unwrap();
        guest.heard(1, &call);
        guest.heard(1, &Text::new(b"come here"));
        assert!(!guest.meeting.is_on());
    }

    #[test]
    fn who_is_hungry_eats_first() {
        let mut caller = medium(1, 2, [4, 1, 1, 1, 0, 0, 0]);
        assert!(step(&mut caller, 1).1.is_none() && !caller.meeting.is_on());
    }

    #[test]
    fn nobody_comes_so_it_gives_up_and_goes_on() {
        let mut caller = medium(1, 2, [12, 1, 1, 1, 0, 0, 0]);
        let calls = (0..100).filter(|_| step(&mut caller, 1).1.is_some()).count();
        assert!((5..=30).contains(&calls), "{calls} calls in a hundred decisions");
        assert!(caller.body.memory.here != crate::memory::Spot::default());
    }
}
