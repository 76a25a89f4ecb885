//! A player without input and output: lines in, actions out.
//!
//! Knows the handshake, which answer belongs to which command, and when the player is frozen by an incantation; what
//! to do is decided by a `level::Strategy`. What it does depends on the lines it has read and on nothing else. Takes
//! any bytes. Tested in this module and, against the real rules, in `tests/`.

use std::collections::VecDeque;

use zappy_protocol::TeamName;
use zappy_protocol::player::{Command, CommandKind, Response};

use crate::level::{Birth, Newborn, Strategy, Style};

/// What a player wants done, in this order.
#[derive(Debug, Clone)]
pub enum Action {
    /// Send this line; its end is not part of it.
    Send(Vec<u8>),
    /// Open another connection to the same server for an agent made from this, and read `WELCOME` there
    /// before anything else is sent here.
    Connect(Box<Setup>),
}

/// How it ended for a player.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The server doesn't know the team, or has no slot left.
    Refused,
    /// The player starved.
    Dead,
}

/// What makes a player.
#[derive(Debug, Clone)]
pub struct Setup {
    /// Its team.
    pub team: TeamName,
    /// Where its chance comes from.
    pub seed: u64,
    /// Whether all players of the team were given that seed, and nobody else: then it seals what they say.
    pub sealed: bool,
    /// How it plays; its children play alike.
    pub style: Style,
    /// What its parent handed to it; nothing for a player that was there from the start.
    pub birth: Option<Birth>,
}

/// A player without input and output.
#[derive(Debug)]
pub struct Agent {
    phase: Phase,
    actions: VecDeque<Action>,
}

#[derive(Debug)]
enum Phase {
    Greeting(Setup),
    Login(Setup),
    Size(Setup, u32),
    Playing(Box<Player>),
    Over(End),
}

impl Agent {
    /// A player that hasn't read anything yet.
    #[must_use]
    pub fn new(setup: Setup) -> Agent {
        Agent { phase: Phase::Greeting(setup), actions: VecDeque::new() }
    }

    /// A line was read, without its end.
    pub fn handle_line(&mut self, line: &[u8]) {
        let Ok(response) = Response::parse(line) else { return };
        self.handle(&response);
    }

    /// A line was read that was too long to be kept.
    pub fn handle_overflow(&mut self) {
        if let Phase::Playing(player) = &mut self.phase {
            // Only a view can be that long; a view of nothing takes its place.
            player.handle(&Response::Look(Vec::new()), &mut self.actions);
        }
    }

    /// The next thing to do.
    pub fn poll_action(&mut self) -> Option<Action> {
        self.actions.pop_front()
    }

    /// How it ended, if it did.
    #[must_use]
    pub fn end(&self) -> Option<End> {
        if let Phase::Over(end) = self.phase { Some(end) } else { None }
    }

    /// The player's level, once it plays.
    #[must_use]
    pub fn level(&self) -> Option<u8> {
        if let Phase::Playing(player) = &self.phase { Some(player.mind.level().get()) } else { None }
    }

    fn handle(&mut self, response: &Response) {
        let phase = std::mem::replace(&mut self.phase, Phase::Over(End::Refused));
        self.phase = match (phase, response) {
            (Phase::Greeting(setup), Response::Welcome) => {
                self.actions.push_back(Action::Send(setup.team.as_str().as_bytes().to_vec()));
                Phase::Login(setup)
            }
            (Phase::Login(_), Response::Ko) => Phase::Over(End::Refused),
            (Phase::Login(setup), Response::Slots(slots)) => Phase::Size(setup, *slots),
            (Phase::Size(mut origin, slots), Response::MapSize(size)) => {
                let birth = origin.birth.take();
                let (team, seed, sealed) = (&origin.team, origin.seed, origin.sealed);
                let newborn = Newborn { team, seed, sealed, slots, size: *size };
                let mind = origin.style.player(&newborn, birth);
                let mut player = Player {
                    origin,
                    mind,
                    pending: VecDeque::new(),
                    frozen: false,
                    unborn: None,
                    pausing: false,
                };
                player.go_on(&mut self.actions);
                Phase::Playing(Box::new(player))
            }
            (Phase::Playing(_), Response::Dead) => Phase::Over(End::Dead),
            (Phase::Playing(mut player), response) => {
                player.handle(response, &mut self.actions);
                Phase::Playing(player)
            }
            (phase, _) => phase,
        };
    }
}

/// A player whose handshake is over.
#[derive(Debug)]
struct Player {
    /// What its children are made from, too, but for their births.
    origin: Setup,
    mind: Box<dyn Strategy>,
    /// What was sent and isn't answered yet.
    pending: VecDeque<Command>,
    /// Takes part in an incantation.
    frozen: bool,
    /// A child that is to be connected after so many pauses.
    unborn: Option<(u32, Birth)>,
    /// What waits for an answer was sent only to let a moment pass.
    pausing: bool,
}

impl Player {
    fn handle(&mut self, response: &Response, actions: &mut VecDeque<Action>) {
        match response {
            Response::Message { direction, text } => self.mind.heard(*direction, text),
            Response::Eject(from) => self.mind.pushed(*from),
            Response::ElevationUnderway => self.freeze(actions),
            Response::CurrentLevel(level) => {
                self.frozen = false;
                self.mind.incantation_over(Some(*level));
            }
            Response::Ko if self.frozen => {
                self.frozen = false;
                self.mind.incantation_over(None);
            }
            Response::Ok | Response::Ko | Response::Look(_) | Response::Inventory(_) | Response::Slots(_) => {
                self.frozen = false;
                self.answer(response);
            }
            Response::Welcome | Response::MapSize(_) | Response::Dead => return,
        }
        self.go_on(actions);
    }

    /// Servers differ in whether a failed incantation is told to all who took part. The answer to a command
    /// that waits meanwhile tells it in any case.
    fn freeze(&mut self, actions: &mut VecDeque<Action>) {
        self.frozen = true;
        if self.pending.is_empty() {
            self.send(Command::Inventory, actions);
        }
    }

    fn answer(&mut self, response: &Response) {
        match response {
            Response::Look(_) => self.settle(CommandKind::Look, response),
            Response::Inventory(_) => self.settle(CommandKind::Inventory, response),
            Response::Slots(_) => self.settle(CommandKind::ConnectNbr, response),
            _ => match self.pending.front().map(Command::kind) {
                // An incantation is over when what was sent behind it is answered: whether somebody else's
                // came between can't be told from the lines.
                Some(kind) if kind != CommandKind::Incantation && !has_own_answer(kind) => {
                    self.settle(kind, response);
                }
                _ => {}
            },
        }
    }

    /// The first command of that kind is answered; what was sent before it no longer will be.
    fn settle(&mut self, kind: CommandKind, response: &Response) {
        let Some(at) = self.pending.iter().position(|command| command.kind() == kind) else { return };
        let command = self.pending.drain(..=at).next_back();
        let paused = kind == CommandKind::ConnectNbr && std::mem::take(&mut self.pausing);
        if let Some(command) = command.filter(|_| !paused) {
            self.mind.answered(&command, response);
        }
    }

    /// Decides anew when everything is answered.
    fn go_on(&mut self, actions: &mut VecDeque<Action>) {
        if self.frozen || !self.pending.is_empty() || self.connect(actions) {
            return;
        }
        for command in self.mind.decide() {
            self.send(command, actions);
        }
    }

    /// Connects a child when its turn has come; true if there is still one to wait for.
    ///
    /// Which of two connections that are opened at one moment gets which egg is a matter of time and luck. So
    /// those of one player follow each other, and parents whose eggs are laid at the same tick take turns: a
    /// question that costs no ticks lets the others go first.
    fn connect(&mut self, actions: &mut VecDeque<Action>) -> bool {
        let next = |mind: &mut dyn Strategy| mind.next_birth().map(|birth| (birth.turn(), birth));
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

    fn send(&mut self, command: Command, actions: &mut VecDeque<Action>) {
        let mut line = Vec::new();
        command.write(&mut line);
        self.pending.push_back(command);
        actions.push_back(Action::Send(line));
    }
}

/// Whether that command is answered neither by `ok` nor by `ko`.
fn has_own_answer(kind: CommandKind) -> bool {
    matches!(kind, CommandKind::Look | CommandKind::Inventory | CommandKind::ConnectNbr)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::ValueEnum as _;
    use proptest::prelude::*;

    fn agent() -> Agent {
        let team = TeamName::parse(b"red").unwrap();
        Agent::new(Setup { team, seed: 1, sealed: true, style: Style::Expert, birth: None })
    }

    fn sent(agent: &mut Agent) -> Vec<String> {
        let mut lines = Vec::new();
        while let Some(action) = agent.poll_action() {
            lines.push(match action {
                Action::Send(line) => String::from_utf8(line).unwrap(),
                Action::Connect(_) => "<connect>".into(),
            });
        }
        lines
    }

    /// Feeds lines and says what came out.
    fn say(agent: &mut Agent, lines: &[&str]) -> Vec<String> {
        lines.iter().for_each(|line| agent.handle_line(line.as_bytes()));
        sent(agent)
    }

    /// A founder whose team is complete and that has looked around.
    fn founder() -> Agent {
        let mut agent = agent();
        assert_eq!(say(&mut agent, &["WELCOME"]), ["red"]);
        assert_eq!(say(&mut agent, &["0", "10 10"]), ["Inventory", "Look"]);
        let food = "[ food 9, linemate 0, deraumere 0, sibur 0, mendiane 0, phiras 0, thystame 0 ]";
        assert!(say(&mut agent, &[food]).is_empty());
        assert_eq!(say(&mut agent, &["[ player linemate,,, ]"]), ["Connect_nbr"]);
        agent
    }

    #[test]
    fn a_refusal_ends_it() {
        let mut agent = agent();
        say(&mut agent, &["WELCOME", "ko"]);
        assert_eq!(agent.end(), Some(End::Refused));
        assert!(say(&mut agent, &["ok", "WELCOME", "3"]).is_empty());
    }

    #[test]
    fn an_egg_is_connected_before_anything_else_is_sent() {
        let mut agent = founder();
        assert_eq!(say(&mut agent, &["0"]), ["Fork"]);
        let lines = say(&mut agent, &["ok"]);
        assert_eq!(lines[0], "<connect>");
        assert_eq!(lines.len(), 2);
    }

    #[test]
    fn messages_between_a_command_and_its_answer_change_nothing() {
        let mut agent = founder();
        assert!(say(&mut agent, &["message 3, hello there", "message 0, ", "nonsense"]).is_empty());
        assert_eq!(say(&mut agent, &["0"]).len(), 1);
    }

    #[test]
    fn who_was_pushed_from_the_nest_walks_back() {
        let mut agent = founder();
        assert!(say(&mut agent, &["eject: 5"]).is_empty());
        assert_eq!(say(&mut agent, &["0"]), ["Right", "Right", "Forward"]);
    }

    #[test]
    fn being_frozen_unasked_waits_for_the_end() {
        let mut agent = founder();
        assert!(say(&mut agent, &["Elevation underway"]).is_empty());
        assert!(say(&mut agent, &["Current level: 2"]).is_empty(), "the command sent before still waits");
        assert_eq!(agent.level(), Some(2));
        assert_eq!(say(&mut agent, &["0"]).len(), 1);
        assert!(say(&mut agent, &["Elevation underway", "ko"]).is_empty(), "that was the incantation's");
        assert_eq!(say(&mut agent, &["ok"]), ["<connect>", "Fork"]);
    }

    #[test]
    fn death_ends_it_at_any_time() {
        let mut agent = founder();
        assert!(say(&mut agent, &["dead", "ok"]).is_empty());
        assert_eq!(agent.end(), Some(End::Dead));
    }

    proptest! {
        #[test]
        fn whatever_the_server_sends_no_more_waits_than_it_queues(
            picks in proptest::collection::vec(0usize..16, 0..400),
            style in proptest::sample::select(Style::value_variants()),
        ) {
            let lines = [
                "ok", "ko", "[ player,,, ]", "[ player food food linemate, food,, sibur ]", "0", "3",
                "[ food 9, linemate 0, deraumere 0, sibur 0, mendiane 0, phiras 0, thystame 0 ]",
                "Elevation underway", "Current level: 2", "message 3, x", "eject: 7", "WELCOME", "10 10",
                "[ food 1, linemate 4, deraumere 0, sibur 2, mendiane 0, phiras 0, thystame 0 ]",
                "Current level: 8", "\u{fffd}",
            ];
            let team = TeamName::parse(b"red").unwrap();
            let mut agent = Agent::new(Setup { team, seed: 1, sealed: true, style, birth: None });
            say(&mut agent, &["WELCOME", "0", "10 10"]);
            for pick in picks {
                agent.handle_line(lines[pick].as_bytes());
                sent(&mut agent);
                if let Phase::Playing(player) = &agent.phase {
                    prop_assert!(player.pending.len() <= 10);
                    prop_assert!(player.frozen || !player.pending.is_empty());
                }
            }
        }
    }
}
