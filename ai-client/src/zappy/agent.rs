//! A player of Zappy without input and output.
//!
//! Knows the handshake, which answer belongs to which command, and when the player is frozen by an incantation; a
//! `Strategy` decides what to do. What the player does depends on the lines it has read and on nothing else. Takes
//! any bytes. Tested in this module and, against the real rules, in `tests/`.

use std::collections::VecDeque;

use zappy_protocol::Tick;
use zappy_protocol::line::Decoded;
use zappy_protocol::text::shown;
use zappy_protocol::zappy::constants::FOOD_TICKS;
use zappy_protocol::zappy::player::{Command, CommandKind, Response};
use zappy_protocol::zappy::{Level, Resource};

use crate::agent::{Action, Agent, AgentState, refusal, without_token};
use crate::zappy::strategy::{Birth, Strategy};

pub use crate::zappy::level::Setup;

/// After this many broadcasts in a row that were answered with `ko` a player concludes that the server
/// passes none on.
const REFUSALS: u32 = 2;
/// More units of food than any player carries: an inventory above this counts food in ticks.
const MOST_UNITS: u32 = 100;

/// A player of Zappy, from before its handshake to its end.
#[derive(Debug)]
pub struct Player {
    phase: Phase,
    actions: VecDeque<Action<Box<Setup>>>,
}

#[derive(Debug)]
enum Phase {
    Greeting(Setup),
    Login(Setup),
    Size(Setup, u32),
    Playing(Box<Life>),
    /// The server has no place for it, for this reason.
    Refused(String),
    /// The player starved at that level.
    Starved(Level),
}

impl Agent for Player {
    fn handle_line(&mut self, line: Decoded<'_>) {
        match line {
            Decoded::Line(line) => {
                // Another game's server names its game behind the size of the map; no line of Zappy's begins so.
                let other =
                    line.strip_prefix(b"game ").and_then(|rest| rest.split(|&byte| byte == b' ').next());
                if let (Phase::Playing(life), Some(game)) = (&self.phase, other) {
                    let (team, game) = (without_token(life.origin.team.as_str()), shown(game));
                    self.phase = Phase::Refused(format!(
                        "team {team:?}: it plays {game}, not zappy; add --game {game}"
                    ));
                }
                if let Ok(response) = Response::parse(line) {
                    self.handle(&response);
                }
            }
            // Only a view can be that long; a view of nothing takes its place.
            Decoded::Overflow => {
                if let Phase::Playing(life) = &mut self.phase {
                    life.handle(&Response::Look(Vec::new()), &mut self.actions);
                }
            }
        }
    }

    fn poll_action(&mut self) -> Option<Action> {
        Some(match self.next_action()? {
            Action::Send(line) => Action::Send(line),
            Action::Connect(setup) => Action::Connect(Box::new(Player::new(*setup))),
        })
    }

    fn state(&self) -> AgentState {
        match &self.phase {
            Phase::Greeting(_) | Phase::Login(_) | Phase::Size(..) => AgentState::Entering,
            Phase::Playing(_) => AgentState::Playing,
            Phase::Refused(_) => AgentState::Refused,
            Phase::Starved(_) => AgentState::Out,
        }
    }

    fn words(&self) -> String {
        match &self.phase {
            Phase::Greeting(_) | Phase::Login(_) | Phase::Size(..) => String::new(),
            Phase::Playing(life) => life.words(),
            Phase::Refused(why) => why.clone(),
            Phase::Starved(level) => format!("starved at level {level}"),
        }
    }
}

impl Player {
    /// A player that hasn't read anything yet.
    #[must_use]
    pub fn new(setup: Setup) -> Player {
        Player { phase: Phase::Greeting(setup), actions: VecDeque::new() }
    }

    /// As `poll_action`, but `Connect` has the set-up from which a child is made.
    pub fn next_action(&mut self) -> Option<Action<Box<Setup>>> {
        self.actions.pop_front()
    }

    fn handle(&mut self, response: &Response) {
        let phase = std::mem::replace(&mut self.phase, Phase::Starved(Level::MIN));
        self.phase = match (phase, response) {
            (Phase::Greeting(setup), Response::Welcome) => {
                self.actions.push_back(Action::Send(setup.team.as_str().as_bytes().to_vec()));
                Phase::Login(setup)
            }
            (Phase::Login(setup), Response::Ko) => Phase::Refused(refusal("team", setup.team.as_str())),
            (Phase::Login(setup), Response::Slots(slots)) => Phase::Size(setup, *slots),
            (Phase::Size(setup, slots), Response::MapSize(size)) => {
                let mut life = Life {
                    mind: setup.strategy(slots, *size),
                    strict: matches!(&setup.birth, Some(Birth::Expert(birth)) if birth.strict),
                    origin: Setup { birth: None, ..setup },
                    level: Level::MIN,
                    pending: VecDeque::new(),
                    frozen: false,
                    passing: false,
                    unborn: None,
                    pausing: false,
                    refusals: 0,
                    silenced: None,
                };
                life.go_on(&mut self.actions);
                Phase::Playing(Box::new(life))
            }
            (Phase::Playing(life), Response::Dead) => Phase::Starved(life.level),
            (Phase::Playing(mut life), response) => {
                life.handle(response, &mut self.actions);
                Phase::Playing(life)
            }
            (phase, _) => phase,
        };
    }
}

/// A player after its handshake.
#[derive(Debug)]
struct Life {
    /// Its set-up without its birth, from which its children's are made.
    origin: Setup,
    mind: Box<dyn Strategy>,
    level: Level,
    /// What was sent and isn't answered yet.
    pending: VecDeque<Command>,
    /// Whether it takes part in an incantation.
    frozen: bool,
    /// Whether the server plays by the strict rules, which count food in ticks.
    strict: bool,
    /// Whether the command that waits for an answer was sent only to wait for the end of an incantation in which the player may
    /// still act.
    passing: bool,
    /// A child to connect, and the pauses that come before it.
    unborn: Option<(u32, Birth)>,
    /// Whether the command that waits for an answer was sent only so that others connect first.
    pausing: bool,
    /// Broadcasts that were answered with `ko` since the last one that wasn't.
    refusals: u32,
    /// The level at which it found that the server passes none of its words.
    silenced: Option<Level>,
}

impl Life {
    fn handle(&mut self, response: &Response, actions: &mut VecDeque<Action<Box<Setup>>>) {
        if let Response::Inventory(inventory) = response {
            let food = inventory.get(Resource::Food);
            self.strict |= food > MOST_UNITS && Tick::from(food).is_multiple_of(FOOD_TICKS);
        }
        match response {
            Response::Message { direction, text } => self.mind.heard(*direction, text),
            Response::Eject(from) => self.mind.pushed(*from),
            Response::ElevationUnderway => {
                self.frozen = true;
                // Not every server sends `ko` to all participants of a failed incantation. The answer
                // to a command that is sent meanwhile always shows that the incantation is over.
                if self.pending.is_empty() {
                    self.passing = self.strict;
                    self.send(Command::Inventory, actions);
                }
            }
            Response::CurrentLevel(level) => {
                self.frozen = false;
                self.level = *level;
                self.mind.incantation_over(Some(*level));
            }
            // If the incantation doesn't hold the player, a `ko` may answer a command sent before it began.
            Response::Ko
                if self.frozen
                    && !(self.acts_meanwhile()
                        && self.pending.front().is_some_and(|sent| !asks(sent.kind()))) =>
            {
                self.frozen = false;
                self.mind.incantation_over(None);
            }
            // The last `Inventory` that was sent to wait is answered when the incantation ends. The mind has counted those
            // ticks, so it isn't told.
            Response::Inventory(_) if self.passing && !self.frozen => {
                self.passing = false;
                self.pending.pop_front();
            }
            Response::Ok | Response::Ko | Response::Look(_) | Response::Inventory(_) | Response::Slots(_) => {
                self.frozen &= self.acts_meanwhile();
                if self.frozen {
                    self.let_time_pass(response, actions);
                } else {
                    self.answer(response);
                }
            }
            Response::Welcome | Response::MapSize(_) | Response::Dead => return,
        }
        self.go_on(actions);
    }

    /// Whether it takes part in an incantation that doesn't hold it: under the strict rules one holds only its initiator.
    fn acts_meanwhile(&self) -> bool {
        self.strict && self.pending.front() != Some(&Command::Incantation)
    }

    /// An answer came while the player takes part in the incantation of another one. It fails if a participant leaves its tile,
    /// so the player only asks for its inventory until it is over; the mind knows that it lasts.
    fn let_time_pass(&mut self, response: &Response, actions: &mut VecDeque<Action<Box<Setup>>>) {
        let asked = asked(response);
        if asked.is_some() && self.pending.front().map(Command::kind) == asked {
            self.pending.pop_front();
        } else {
            self.answer(response);
        }
        if self.pending.is_empty() {
            self.passing = true;
            self.send(Command::Inventory, actions);
        }
    }

    /// Its level; if its broadcasts were refused at this level, that; and the strategy's note.
    fn words(&self) -> String {
        let level = self.level;
        let refused = ", the server answers ko to its broadcasts: it plays on without words";
        let refused = if self.silenced == Some(level) { refused } else { "" };
        let note = self.mind.note().map(|note| format!(", {note}")).unwrap_or_default();
        format!("level {level}{refused}{note}")
    }

    fn answer(&mut self, response: &Response) {
        // Only the answer to the command sent after an incantation shows that the player's own incantation is over: no line
        // says which incantation it is about.
        let waits = |kind: &CommandKind| *kind != CommandKind::Incantation && !asks(*kind);
        let first = || self.pending.front().map(Command::kind).filter(waits);
        if let Some(kind) = asked(response).or_else(first) {
            self.settle(kind, response);
        }
    }

    /// The first command of that kind is answered; commands sent before it no longer will be.
    fn settle(&mut self, kind: CommandKind, response: &Response) {
        let Some(at) = self.pending.iter().position(|command| command.kind() == kind) else { return };
        let command = self.pending.drain(..=at).next_back();
        if kind == CommandKind::Broadcast && self.silenced.is_none() {
            self.refusals = if *response == Response::Ko { self.refusals + 1 } else { 0 };
            if self.refusals == REFUSALS {
                self.silenced = Some(self.level);
                self.mind.silenced();
            }
        }
        let paused = kind == CommandKind::ConnectNbr && std::mem::take(&mut self.pausing);
        if let Some(command) = command.filter(|_| !paused) {
            self.mind.answered(&command, response);
        }
    }

    /// Decides anew when everything is answered.
    fn go_on(&mut self, actions: &mut VecDeque<Action<Box<Setup>>>) {
        if self.frozen || !self.pending.is_empty() || self.connect(actions) || self.mind.rests() {
            return;
        }
        let mut commands = self.mind.decide();
        if self.silenced.is_some() {
            commands.retain(|command| command.kind() != CommandKind::Broadcast);
        }
        if commands.is_empty() {
            commands.push(Command::Look);
        }
        for command in commands {
            self.send(command, actions);
        }
    }

    /// Connects a child when its turn has come; true if another child is still to be connected.
    ///
    /// When two connections are opened at the same moment, luck decides which of them gets which egg. So a player opens
    /// its connections one after the other, and parents that laid their eggs at the same tick take turns: a question
    /// that costs no ticks lets the others go first.
    fn connect(&mut self, actions: &mut VecDeque<Action<Box<Setup>>>) -> bool {
        let next = |mind: &mut dyn Strategy| {
            let birth = mind.next_birth()?;
            // Children from eggs of the same tick come in one by one.
            let turn = if let Birth::Expert(birth) = &birth { birth.family.turn } else { 0 };
            Some((turn, birth))
        };
        let Some((turn, birth)) = self.unborn.take().or_else(|| next(&mut *self.mind)) else { return false };
        if turn > 0 {
            self.unborn = Some((turn - 1, birth));
        } else {
            let setup = Setup { birth: Some(birth), ..self.origin.clone() };
            actions.push_back(Action::Connect(Box::new(setup)));
            self.unborn = next(&mut *self.mind);
        }
        if self.unborn.is_none() {
            return false;
        }
        self.pausing = true;
        self.send(Command::ConnectNbr, actions);
        true
    }

    fn send(&mut self, command: Command, actions: &mut VecDeque<Action<Box<Setup>>>) {
        let mut line = Vec::new();
        command.write(&mut line);
        self.pending.push_back(command);
        actions.push_back(Action::Send(line));
    }
}

/// The only kind of command that this response answers, if there is just one.
fn asked(response: &Response) -> Option<CommandKind> {
    match response {
        Response::Look(_) => Some(CommandKind::Look),
        Response::Inventory(_) => Some(CommandKind::Inventory),
        Response::Slots(_) => Some(CommandKind::ConnectNbr),
        _ => None,
    }
}

/// Whether a command is a question, which has an answer of its own.
fn asks(kind: CommandKind) -> bool {
    matches!(kind, CommandKind::Look | CommandKind::Inventory | CommandKind::ConnectNbr)
}

#[cfg(test)]
mod tests;
