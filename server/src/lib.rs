//! The Zappy server as a library: the rules as a pure state machine, and the event loop that runs them.
//!
//! `zappy` and `conquest` are the rules of a game each and know no socket, clock or log; `turns` is a turn change for
//! any game in turns. `net` is the event loop and knows no rules. All know `game`, the seam between them; `chance` makes
//! every draw of a game. `record` writes what passes through the seam and plays it again; `result` says how a match
//! went.
//!
//! A match needs no socket. Here one player joins, walks a step, and is answered after seven ticks:
//!
//! ```
//! use zappy_protocol::{MapSize, TeamName};
//! use zappy_server::config::MatchConfig;
//! use zappy_server::game::{Game, Input, Output, SeatId};
//! use zappy_server::zappy::{Zappy, ZappyOptions};
//!
//! let teams = vec![TeamName::parse(b"red").unwrap()];
//! let config = MatchConfig { seed: 42, ..MatchConfig::new(MapSize::new(10, 10).unwrap(), teams) };
//! let mut game = Zappy::new(&config, ZappyOptions::default());
//! let seat = SeatId(0);
//! game.handle_input(0, seat, Input::Open);
//! game.handle_input(0, seat, Input::Line(b"red"));
//! game.handle_input(0, seat, Input::Line(b"Forward"));
//! assert_eq!(game.poll_timeout(), Some(7));
//! while game.poll_output().is_some() {}
//! game.handle_timeout(7);
//! let Some(Output::Send(to, line)) = game.poll_output() else { panic!("no answer") };
//! assert_eq!((to, line.text()), (seat, &b"ok"[..]));
//! ```

pub mod chance;
pub mod config;
pub mod conquest;
pub mod files;
pub mod game;
pub mod games;
pub mod lobby;
pub mod net;
pub mod record;
pub mod result;
#[cfg(any(test, feature = "simulation"))]
pub mod simulation;
pub mod turns;
pub mod zappy;
