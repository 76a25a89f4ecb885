//! A player of Zappy without input and output.
//!
//! Knows the handshake, which answer belongs to which command, and when the player is frozen by an incantation; a
//! `Strategy` decides what to do. What the player does depends on its set-up and the lines it has read, and on nothing
//! else. Takes any bytes. Tested in this module and, against the real rules, in `tests/`.

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

/// After this many broadcasts in a row that were answered with `ko` a player concludes that the server passes none on.
const REFUSALS: u32 = 2;
/// More units of food than any player carries: an inventory above this counts food in ticks.
const MOST_UNITS: u32 = 100;

/// A player of Zappy, from before its handshake to its end.
#[derive(Debug)]
pub struct Player {
    phase: Phase,
    actions: VecDeque<Action<Box<Setup>>>,
}

/// How far the player has come: what the next line should be, or how it ended.
#[derive(Debug)]
enum Phase {
    Greeting(Setup),
    Login(Setup),
    /// The map's size is awaited; the number says how many slots were left.
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
                // Another game's server sends `game NAME` after the size of the map; no line of Zappy's begins with
                // `game`.
                let other_game =
                    line.strip_prefix(b"game ").and_then(|rest| rest.split(|&byte| byte == b' ').next());
                if let (Phase::Playing(life), Some(game)) = (&self.phase, other_game) {
                    let (team, game) = (without_token(life.origin.team.as_str()), shown(game));
                    self.phase = Phase::Refused(format!(
                        "team {team:?}: it plays {game}, not zappy; add --game {game}"
                    ));
                }
                if let Ok(response) = Response::parse(line) {
                    self.handle(&response);
                }
            }
            // Only the answer to a look can be that long; an empty one takes its place.
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

    /// Like `poll_action`, but `Connect` holds the set-up from which the child's player is made.
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
                    strategy: setup.strategy(slots, *size),
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
    /// Its set-up without its birth, from which the set-ups of its children are made.
    origin: Setup,
    strategy: Box<dyn Strategy>,
    level: Level,
    /// The commands that were sent and aren't answered yet.
    pending: VecDeque<Command>,
    /// Whether it takes part in an incantation.
    frozen: bool,
    /// Whether the server plays by the strict rules, which count food in ticks.
    strict: bool,
    /// Whether the command that waits for an answer was sent only to wait for the end of an incantation in which the
    /// player may still act.
    passing: bool,
    /// The pauses (questions that cost no ticks) to make before the next child is connected, and the child.
    unborn: Option<(u32, Birth)>,
    /// Whether the command that waits for an answer was sent only so that others connect first.
    pausing: bool,
    /// Broadcasts that were answered with `ko` since the last one that wasn't.
    refusals: u32,
    /// The level at which it concluded that the server passes on none of its broadcasts; `None` if it hasn't.
    silenced: Option<Level>,
}

impl Life {
    fn handle(&mut self, response: &Response, actions: &mut VecDeque<Action<Box<Setup>>>) {
        if let Response::Inventory(inventory) = response {
            let food = inventory.get(Resource::Food);
            self.strict |= food > MOST_UNITS && Tick::from(food).is_multiple_of(FOOD_TICKS);
        }
        match response {
            Response::Message { direction, text } => self.strategy.heard(*direction, text),
            Response::Eject(from) => self.strategy.pushed(*from),
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
                self.strategy.incantation_over(Some(*level));
            }
            // If the incantation doesn't hold the player, a `ko` may answer a command sent before it began.
            Response::Ko
                if self.frozen
                    && !(self.acts_meanwhile()
                        && self.pending.front().is_some_and(|sent| !is_question(sent.kind()))) =>
            {
                self.frozen = false;
                self.strategy.incantation_over(None);
            }
            // The last `Inventory` that was sent to wait is answered when the incantation ends. The strategy has
            // counted the ticks already, so it doesn't get this answer.
            Response::Inventory(_) if self.passing && !self.frozen => {
                self.passing = false;
                self.pending.pop_front();
            }
            Response::Ok | Response::Ko | Response::Look(_) | Response::Inventory(_) | Response::Slots(_) => {
                self.frozen &= self.acts_meanwhile();
                // While the player takes part in another player's incantation, which fails if a participant leaves its
                // tile, it only asks for its inventory until that is over; the strategy knows how long it lasts.
                let question = question_of(response);
                if self.frozen && question.is_some() && self.pending.front().map(Command::kind) == question {
                    self.pending.pop_front();
                } else {
                    self.answer(response);
                }
                if self.frozen && self.pending.is_empty() {
                    self.passing = true;
                    self.send(Command::Inventory, actions);
                }
            }
            Response::Welcome | Response::MapSize(_) | Response::Dead => return,
        }
        self.go_on(actions);
    }

    /// Whether it takes part in an incantation that doesn't hold it: under the strict rules one holds only its
    /// initiator.
    fn acts_meanwhile(&self) -> bool {
        self.strict && self.pending.front() != Some(&Command::Incantation)
    }

    /// Its level, whether its broadcasts were refused at this level, and the strategy's note.
    fn words(&self) -> String {
        let level = self.level;
        let refused = ", the server answers ko to its broadcasts: it plays on without words";
        let refused = if self.silenced == Some(level) { refused } else { "" };
        let note = self.strategy.note().map(|note| format!(", {note}")).unwrap_or_default();
        format!("level {level}{refused}{note}")
    }

    /// Finds the command that a response answers, and tells the strategy.
    fn answer(&mut self, response: &Response) {
        // A response to an incantation doesn't say which one it is about, so the player's own counts as over only when
        // the command sent after it is answered.
        let is_answered = |kind: &CommandKind| *kind != CommandKind::Incantation && !is_question(*kind);
        let first = || self.pending.front().map(Command::kind).filter(is_answered);
        let Some(kind) = question_of(response).or_else(first) else { return };
        // The first command of that kind is answered; commands sent before it won't be any more.
        let Some(at) = self.pending.iter().position(|command| command.kind() == kind) else { return };
        let command = self.pending.drain(..=at).next_back();
        if kind == CommandKind::Broadcast && self.silenced.is_none() {
            self.refusals = if *response == Response::Ko { self.refusals + 1 } else { 0 };
            if self.refusals == REFUSALS {
                self.silenced = Some(self.level);
                self.strategy.silenced();
            }
        }
        let paused = kind == CommandKind::ConnectNbr && std::mem::take(&mut self.pausing);
        if let Some(command) = command.filter(|_| !paused) {
            self.strategy.answered(&command, response);
        }
    }

    /// Once all commands are answered, connects children, then sends what the strategy decides.
    fn go_on(&mut self, actions: &mut VecDeque<Action<Box<Setup>>>) {
        if self.frozen || !self.pending.is_empty() || self.connect(actions) || self.strategy.rests() {
            return;
        }
        let mut commands = self.strategy.decide();
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
        let next = |strategy: &mut dyn Strategy| {
            let birth = strategy.next_birth()?;
            // Children from eggs of the same tick come in one by one.
            let turn = if let Birth::Expert(birth) = &birth { birth.family.turn } else { 0 };
            Some((turn, birth))
        };
        let Some((turn, birth)) = self.unborn.take().or_else(|| next(&mut *self.strategy)) else {
            return false;
        };
        if turn > 0 {
            self.unborn = Some((turn - 1, birth));
        } else {
            let setup = Setup { birth: Some(birth), ..self.origin.clone() };
            actions.push_back(Action::Connect(Box::new(setup)));
            self.unborn = next(&mut *self.strategy);
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

/// The question that a response with its own form answers; `None` for `ok`, `ko` and the like.
fn question_of(response: &Response) -> Option<CommandKind> {
    match response {
        Response::Look(_) => Some(CommandKind::Look),
        Response::Inventory(_) => Some(CommandKind::Inventory),
        Response::Slots(_) => Some(CommandKind::ConnectNbr),
        _ => None,
    }
}

/// Whether a command is a question, the answer to which has a form of its own.
fn is_question(kind: CommandKind) -> bool {
    matches!(kind, CommandKind::Look | CommandKind::Inventory | CommandKind::ConnectNbr)
}

#[cfg(test)]
mod tests;
