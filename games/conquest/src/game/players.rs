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
use zappy_turns::seats::LineBudget;

impl Conquest {
    pub(super) fn handle_player(&mut self, index: usize, input: Input<'_>) {
        let Some(faction) = self.led.rules.id(index) else { return };
        match input {
            Input::Line(line) => {
                let parsed = PlayerLine::parse(line);
                self.shorten(faction, line, parsed);
                self.handle_line(faction, parsed);
            }
            Input::Overflow => self.handle_line(faction, Err(BadLine::TooLong)),
            Input::Open => {}
            Input::End | Input::Closed | Input::Expelled(_) => {
                self.leave(faction, matches!(input, Input::Expelled(_)));
            }
        }
    }

    fn leave(&mut self, faction: FactionId, expelled: bool) {
        let alive = self.led.rules.world.alive(faction);
        if self.led.rules.seats.leave(faction.index(), expelled, alive) {
            self.led.engine.connected.remove(&faction.index());
        }
    }

    /// Has records keep a long line shorter: an order in its plain form, junk by its beginning.
    fn shorten(&mut self, faction: FactionId, line: &[u8], parsed: Result<PlayerLine, BadLine>) {
        let Some(seat) = self.led.rules.seats.seat(faction.index()) else { return };
        self.led.rules.seats.lobby.shorten(seat, line, |short| match parsed {
            Ok(order) => {
                let mut plain = Vec::new();
                order.write(&mut plain);
                Some(plain)
            }
            Err(_) => (PlayerLine::parse(&short) == parsed).then_some(short),
        });
    }

    fn handle_line(&mut self, faction: FactionId, line: Result<PlayerLine, BadLine>) {
        if let Ok(PlayerLine::Done(turn)) = line {
            return self.done(faction, turn);
        }
        if self.led.engine.has_begun() && !self.spend_line(faction) {
            return;
        }
        let line = match line {
            Ok(line) => line,
            Err(error) => {
                self.led.rules.seats.conduct[faction.index()].unknown += 1;
                return self.send_ko(faction, &error);
            }
        };
        if let Some(why) = self.why_no_orders(faction) {
            return self.refuse(faction, why);
        }
        let placing = self.led.engine.phase().is_some_and(Phase::is_opening);
        match line {
            PlayerLine::Place(start) if placing => match self.led.rules.world.choose(faction, start) {
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
        match self.led.rules.seats.spend_line(faction.index()) {
            LineBudget::Within => true,
            LineBudget::Over => false,
            LineBudget::Spent(budget) => {
                let may_act = self.led.engine.may_act(faction.index());
                let hint = if may_act { "; Done is still taken" } else { "" };
                self.refuse(faction, &format!("over the budget of {budget} lines in a phase{hint}"));
                false
            }
        }
    }

    /// Why the faction may give no orders now; `None` if it may.
    fn why_no_orders(&self, faction: FactionId) -> Option<&'static str> {
        if !self.led.engine.has_begun() {
            Some("the match has not begun")
        } else if !self.led.rules.world.alive(faction) {
            Some("the faction is beaten")
        } else if !self.led.engine.may_act(faction.index()) {
            Some("it is not your phase")
        } else if self.led.engine.is_done(faction.index()) {
            Some("you are done already")
        } else {
            None
        }
    }

    fn order(&mut self, faction: FactionId, order: &Order) {
        match self.led.rules.world.submit(faction, order) {
            Answer::Ko(why) => self.refuse(faction, &why),
            answer => self.accept(faction, &answer.line()),
        }
    }

    fn done(&mut self, faction: FactionId, turn: u32) {
        match self.why_no_orders(faction).filter(|_| !self.led.engine.is_done(faction.index())) {
            Some(why) => self.refuse(faction, why),
            None => match self.led.engine.done(faction.index(), turn) {
                Ok(()) => self.accept(faction, &ServerLine::Ok),
                Err(why) => self.refuse(faction, &why),
            },
        }
    }

    fn accept(&mut self, faction: FactionId, answer: &ServerLine) {
        self.led.rules.seats.conduct[faction.index()].commands += 1;
        self.led.rules.send(faction, answer);
    }

    fn refuse(&mut self, faction: FactionId, why: &(impl Display + ?Sized)) {
        self.led.rules.seats.conduct[faction.index()].refused += 1;
        self.send_ko(faction, why);
    }

    fn send_ko(&mut self, faction: FactionId, why: &(impl Display + ?Sized)) {
        self.led.rules.send(faction, &ServerLine::Ko(Text::new(why.to_string().as_bytes())));
    }

    /// An observer's request; `None` if the line was too long.
    pub(super) fn handle_request(&mut self, seat: SeatId, line: Option<&[u8]>) {
        let rules = &mut self.led.rules;
        let mut answers: Vec<Line> = Vec::new();
        let mut answer = |message: Message| answers.push(message_line(&message));
        match line.map_or(Err(BadRequest::Unknown), Request::parse) {
            Ok(Request::MapSize) => answer(Message::MapSize(rules.world.size())),
            Ok(Request::Rate) => answer(Message::Rate(rules.seats.lobby.rate().get())),
            Ok(Request::Factions) => {
                let names = rules.world.options().factions.iter().cloned();
                names.for_each(|name| answer(Message::Faction(name)));
            }
            Ok(Request::AllTiles) => rules.tiles(&mut answers),
            Err(BadRequest::Unknown) => answer(Message::UnknownRequest),
            Err(BadRequest::Parameter) => answer(Message::BadParameter),
        }
        answers.into_iter().for_each(|line| rules.seats.lobby.push(Output::Send(seat, line)));
    }
}
