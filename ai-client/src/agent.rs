//! A bot without input and output, whatever game it plays: lines in, actions out, and how it stands.
//!
//! `client` joins one agent to a socket; the arena joins many to queues in one process. Neither knows what is played.
//! What an agent does depends on its seed and the lines that it has read, and on nothing else; it takes any bytes. The
//! module of each game implements `Agent`, and tests it there.

use std::fmt::Debug;

use zappy_protocol::line::Decoded;

/// A team's name as it may be shown: without the `:TOKEN` that stands behind it on a ladder.
#[must_use]
pub fn without_token(team: &str) -> &str {
    team.split(':').next().unwrap_or_default()
}

/// What may be wrong with a name that was refused, in words; `what` is the game's word for a team.
#[must_use]
pub fn refusal(what: &str, team: &str) -> String {
    let name = without_token(team);
    let why = if name == team {
        format!("it doesn't know the {what} or has no place left; check -n, which is NAME:TOKEN on a ladder")
    } else {
        "its token is wrong, its name was removed, too many of its connections wait, or no opponent came"
            .to_owned()
    };
    format!("{what} {name:?}: {why}")
}

/// What an agent wants done. `Child` is an agent, or what a game makes one from.
#[derive(Debug, Clone)]
pub enum Action<Child = Box<dyn Agent>> {
    /// Send this line; its end is not part of it.
    Send(Vec<u8>),
    /// Open another connection to the same server for the child, and let the child read the server's first line before
    /// anything more is sent on the connection of its parent.
    Connect(Child),
}

/// How far an agent has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AgentState {
    /// The server hasn't let it in yet.
    Entering,
    Playing,
    /// The server didn't let it in.
    Refused,
    /// Its part in the match is over.
    Out,
}

/// A bot without input and output.
///
/// Its owner hands over all lines that came in one read, then carries out its actions in their order, and only then
/// asks for its state.
pub trait Agent: Debug + Send {
    fn handle_line(&mut self, line: Decoded<'_>);

    /// The next action; `None` until it has handled more lines.
    fn poll_action(&mut self) -> Option<Action>;

    fn state(&self) -> AgentState;

    /// The state in words for people: how far it has come, such as "level 3"; what the server refused, and why; or how
    /// its part ended, such as "starved at level 3".
    fn words(&self) -> String;
}
