//! The arena with the tests' own game in its table; otherwise the same program. With `bot` as its first argument it is
//! a bot for that game.
//!
//! The tests build it and play that game through everything.

#[path = "../tests/tiny/caller.rs"]
mod caller;
#[path = "../../../server/tests/tiny/game.rs"]
mod tiny;

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::process::ExitCode;

use caller::Caller;
use zappy_ai::agent::{Action, Agent};
use zappy_game::GameSpec;
use zappy_play::local::zappy;
use zappy_play::watch::Unknown;
use zappy_play::world::{Call, Games, Guest};
use zappy_protocol::line::Decoded;

/// The server's own table, and the tests' game.
static GAMES: &[GameSpec] = &[zappy_game_zappy::SPEC, tiny::SPEC];

static GUESTS: &[&Guest] = &[&zappy::GUEST, &TINY];

/// What the arena has for the tiny game: `tiny_bot NUMBER` plays it in this process.
static TINY: Guest = Guest {
    game: "tiny",
    options: &[],
    program: "tiny_bot",
    levels: &[],
    crew,
    follow: |_| Box::new(Unknown),
};

fn crew(call: &Call<'_>) -> Result<Vec<Box<dyn Agent>>, String> {
    let number = match call.words.get(1) {
        Some(word) => word.parse().map_err(|_| format!("{word:?} is no number"))?,
        // So that chance decides between equal commands.
        None => (call.seed % 100) as u32,
    };
    Ok((0..call.starts)
        .map(|_| Box::new(Caller::new(call.team.as_str(), number)) as Box<dyn Agent>)
        .collect())
}

/// Plays over a socket: `bot NUMBER -p PORT -n TEAM -h HOST`.
fn bot(words: &[String]) -> std::io::Result<()> {
    let [number, _, port, _, team, _, host] = words else {
        return Err(std::io::Error::other("bot NUMBER -p PORT -n TEAM -h HOST"));
    };
    let mut stream = TcpStream::connect(format!("{host}:{port}"))?;
    let mut caller = Caller::new(team, number.parse().map_err(std::io::Error::other)?);
    for line in BufReader::new(stream.try_clone()?).split(b'\n') {
        caller.handle_line(Decoded::Line(&line?));
        while let Some(Action::Send(line)) = caller.poll_action() {
            stream.write_all(&[&line[..], b"\n"].concat())?;
        }
    }
    Ok(())
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.split_first() {
        Some((first, rest)) if first == "bot" => match bot(rest) {
            // A server that has ended needs no more words.
            Ok(()) | Err(_) if rest.len() == 7 => ExitCode::SUCCESS,
            _ => ExitCode::FAILURE,
        },
        _ => zappy_arena::run(Games { specs: GAMES, guests: GUESTS }, &[]),
    }
}
