//! What comes from factions and observers: orders, `Done`, `Place`, requests, and the end of a connection.
//!
//! Every line that counts is answered at once. Tested by the sessions in `conquest.md` and in `tests/conquest.rs`.

use std::fmt::Display;

use zappy_protocol::Text;
use zappy_protocol::conquest::FactionId;
use zappy_protocol::conquest::observer::{BadRequest, Message, Request};
use zappy_protocol::conquest::player::{BadLine, Order, PlayerLine, ServerLine};

use super::super::refusal::Answer;
use super::Conquest;
use super::field::message_line;
use zappy_game::{Input, Line, Output, SeatId};
use zappy_turns::engine::Phase;

impl Conquest {
    pub(super) fn player(&mut self, faction: FactionId, input: Input<'_>) {
        match input {
            Input::Line(line) => {
                let parsed = PlayerLine::parse(line);
                self.shorten(faction, line, parsed);
                self.line(faction, parsed);
            }
            Input::Overflow => self.line(faction, Err(BadLine::TooLong)),
            Input::Open => {}
            Input::End | Input::Closed | Input::Expelled(_) => {
                self.leave(faction, matches!(input, Input::Expelled(_)));
            }
        }
    }

    fn leave(&mut self, faction: FactionId, expelled: bool) {
        let Some(seat) = self.field.seats[faction.index()].take() else { return };
        self.engine.set_connected(faction.index(), false);
        let alive = self.field.world.alive(faction);
        let conduct = &mut self.field.conduct[faction.index()];
        conduct.expelled += u64::from(expelled);
        conduct.left += u64::from(!expelled && alive);
        self.field.lobby.close(seat, "its client left");
    }

    /// Has records keep a long line shorter: an order in its plain form, junk by its beginning.
    fn shorten(&mut self, faction: FactionId, line: &[u8], parsed: Result<PlayerLine, BadLine>) {
        let Some(seat) = self.field.seats[faction.index()] else { return };
        self.field.lobby.shorten(seat, line, |short| match parsed {
            Ok(order) => {
                let mut plain = Vec::new();
                order.write(&mut plain);
                Some(plain)
            }
            Err(_) => (PlayerLine::parse(&short) == parsed).then_some(short),
        });
    }

    fn line(&mut self, faction: FactionId, line: Result<PlayerLine, BadLine>) {
        let index = faction.index();
        if let Ok(PlayerLine::Done(turn)) = line {
            return self.done(faction, turn);
        }
        if self.engine.has_begun() && !self.spend_line(faction) {
            return;
        }
        let line = match line {
            Ok(line) => line,
            Err(error) => {
                self.field.conduct[index].unknown += 1;
                return self.field.send(faction, &ServerLine::Ko(Text::new(error.to_string().as_bytes())));
            }
        };
        if let Some(why) = self.closed_to(faction) {
            return self.refuse(faction, why);
        }
        let placing = self.engine.phase().is_some_and(Phase::is_placement);
        match line {
            PlayerLine::Place(start) if placing => match self.field.world.choose(faction, start) {
                Ok(()) => self.accept(faction, &ServerLine::Ok),
                Err(words) => self.refuse(faction, &words),
            },
            PlayerLine::Place(_) => self.refuse(faction, &"starts are chosen before the first turn only"),
            PlayerLine::Order(_) if placing => self.refuse(faction, &"choose a start: Place K, then Done 0"),
            PlayerLine::Order(order) => self.order(faction, &order),
            PlayerLine::Done(turn) => self.done(faction, turn),
        }
    }

    /// Counts a line against the faction's budget in the running phase, which may be another faction's; false if the line
    /// is beyond it.
    fn spend_line(&mut self, faction: FactionId) -> bool {
        let index = faction.index();
        let (budget, sent) = (self.field.budgets[index], &mut self.field.lines[index]);
        *sent = sent.saturating_add(1);
        if *sent == budget + 1 {
            let rest = if self.engine.may_act(index) { "; Done is still taken" } else { "" };
            self.refuse(faction, &format!("over the budget of {budget} lines in a phase{rest}"));
            return false;
        }
        let beyond = *sent > budget;
        if beyond {
            self.field.conduct[index].dropped += 1;
            if let Some(seat) = self.field.seats[index] {
                // Records count such lines, so that a flood doesn't fill the disk.
                self.field.lobby.push(Output::Instead(seat, None));
            }
        }
        !beyond
    }

    /// Why no order of the faction is taken now, if none is.
    fn closed_to(&self, faction: FactionId) -> Option<&'static str> {
        if !self.engine.has_begun() {
            Some("the match has not begun")
        } else if !self.field.world.alive(faction) {
            Some("the faction is beaten")
        } else if !self.engine.may_act(faction.index()) {
            Some("it is not your phase")
        } else if self.engine.is_done(faction.index()) {
            Some("you are done already")
        } else {
            None
        }
    }

    fn order(&mut self, faction: FactionId, order: &Order) {
        match self.field.world.submit(faction, order) {
            Answer::Ko(why) => self.refuse(faction, &why),
            answer => self.accept(faction, &answer.line()),
        }
    }

    fn done(&mut self, faction: FactionId, turn: u32) {
        match self.closed_to(faction).filter(|_| !self.engine.is_done(faction.index())) {
            Some(why) => self.refuse(faction, why),
            None => match self.engine.done(faction.index(), turn) {
                Ok(()) => self.accept(faction, &ServerLine::Ok),
                Err(why) => self.refuse(faction, &why),
            },
        }
    }

    fn accept(&mut self, faction: FactionId, answer: &ServerLine) {
        self.field.conduct[faction.index()].commands += 1;
        self.field.send(faction, answer);
    }

    fn refuse(&mut self, faction: FactionId, why: &(impl Display + ?Sized)) {
        self.field.conduct[faction.index()].refused += 1;
        self.field.send(faction, &ServerLine::Ko(Text::new(why.to_string().as_bytes())));
    }

    /// An observer's request; `None` if the line was too long.
    pub(super) fn request(&mut self, seat: SeatId, line: Option<&[u8]>) {
        let mut answers: Vec<Line> = Vec::new();
        let mut answer = |message: Message| answers.push(message_line(&message));
        match line.map_or(Err(BadRequest::Unknown), Request::parse) {
            Ok(Request::MapSize) => answer(Message::MapSize(self.field.world.size())),
            Ok(Request::Rate) => answer(Message::Rate(self.field.lobby.rate().get())),
            Ok(Request::Factions) => {
                self.field
                    .world
                    .options()
                    .factions
                    .iter()
                    .for_each(|name| answer(Message::Faction(name.clone())));
            }
            Ok(Request::AllTiles) => self.field.tiles(&mut answers),
            Err(BadRequest::Unknown) => answer(Message::UnknownRequest),
            Err(BadRequest::Parameter) => answer(Message::BadParameter),
        }
        answers.into_iter().for_each(|line| self.field.lobby.push(Output::Send(seat, line)));
    }
}
