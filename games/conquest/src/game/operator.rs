//! The operator's lines: those that steer the match are carried out here, the others by the world in `World::operate`.
//!
//! Each line acts at once, also in mid-phase, and is answered. Tested by the sessions in `conquest.md` and in
//! `tests/conquest.rs`.

use zappy_protocol::conquest::Mode;
use zappy_protocol::conquest::player::BadLine;

use super::super::console::HELP;
use super::super::options::{MAX_TURN_TIME, ticks};
use super::Conquest;
use zappy_game::lobby::{ConsoleAnswer, surplus};
use zappy_turns::engine::{Ending, Phases};

/// The lines that are carried out here, for a list of all commands.
const STEERING: &str = "\
/help                      this list
/mode concurrent|players|alliances  which factions act in one phase, from the next turn on
/turn-time MS              milliseconds of a phase from the next turn on, up to 604800000; 0 for no limit
/pause                     stop time; orders are taken, but no phase ends until /start
/start                     let time run again; before the match, let clients in, or begin without those that lack
/quit                      end the match in order";

impl Conquest {
    /// A line of the operator's; `None` if it was too long.
    pub(super) fn handle_console(&mut self, line: Option<&[u8]>) {
        let Some(line) = line else {
            return self.led.rules.seats.lobby.answer_console(Err(BadLine::TooLong.to_string()));
        };
        let line = String::from_utf8_lossy(line);
        if line.trim().is_empty() {
            return;
        }
        let answer = self.obey(line.trim());
        self.led.rules.seats.lobby.answer_console(answer);
    }

    fn obey(&mut self, line: &str) -> ConsoleAnswer {
        let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        let takes_no_words = ["/help", "/pause", "/start", "/quit", "/state"].contains(&name);
        if takes_no_words && !rest.is_empty() {
            return Err(surplus(name, rest));
        }
        match name {
            "/help" => Ok(format!("{STEERING}\n{HELP}")),
            "/quit" => {
                self.led.stop(Ending::Stopped);
                Ok("the match ends".to_owned())
            }
            "/pause" => self.pause(),
            "/start" => self.start(),
            "/mode" => {
                let mode = Mode::parse(rest.as_bytes());
                let mode = mode.ok_or("expected /mode concurrent|players|alliances")?;
                self.led.engine.coming = self.grouping.phases(mode);
                Ok(format!("mode {mode} from the next turn on"))
            }
            "/turn-time" => {
                if self.led.engine.setting.lockstep {
                    let why = "in lockstep a phase ends when every faction is done; there is no time to set";
                    return Err(why.to_owned());
                }
                let time = rest.parse().ok().filter(|&time| time <= MAX_TURN_TIME);
                let time = time.ok_or_else(|| format!("expected /turn-time MS, 0 to {MAX_TURN_TIME}"))?;
                self.led.engine.coming_time = ticks(time);
                Ok(match time {
                    0 => "no limit of time from the next turn on".to_owned(),
                    _ => format!("{time} milliseconds a phase from the next turn on"),
                })
            }
            "/state" => Ok(format!("{}\n/mode {}", self.led.rules.world.state().join("\n"), self.mode())),
            _ => {
                let obeyed = self.led.rules.world.operate(line);
                let answer =
                    obeyed.unwrap_or_else(|| Err(format!("no such command: {name}; /help lists them")))?;
                self.follow_turn();
                Ok(answer)
            }
        }
    }

    /// Makes the engine's turn that of the world, which the operator may have changed. Turns are counted from 1, and a
    /// placement stays turn 0.
    fn follow_turn(&mut self) {
        let turn = self.led.rules.world.turn();
        let phase = self.led.engine.phase().map(|phase| phase.turn);
        if phase == Some(turn) {
            return;
        }
        self.led.engine.set_turn(turn.max(1));
        if let Some(phase) = phase {
            self.led.rules.world.set_turn(if phase == 0 { 0 } else { turn.max(1) });
        }
        let Some(phase) = self.led.engine.phase() else { return };
        self.led.rules.publish_phase(phase);
        if phase.is_opening() {
            return;
        }
        // `Done` has to name the new number, so each faction that isn't done reads it.
        for &faction in phase.players.iter().filter(|&&faction| !self.led.engine.is_done(faction)) {
            if let Some(faction) = self.led.rules.id(faction) {
                self.led.rules.send_snapshot(faction, phase);
            }
        }
    }

    fn pause(&mut self) -> ConsoleAnswer {
        if self.led.rules.seats.lobby.paused_started().0 {
            return Err("time stands still already; /start lets it run again".to_owned());
        }
        if !self.led.engine.has_begun() {
            return Err("the match has not begun; /start begins it".to_owned());
        }
        self.led.engine.paused = true;
        self.led.rules.seats.lobby.steer("/pause", "");
        Ok("time stands still; /start lets it run again".to_owned())
    }

    fn start(&mut self) -> ConsoleAnswer {
        let (paused, open) = self.led.rules.seats.lobby.paused_started();
        if paused {
            self.led.engine.paused = false;
            self.led.rules.seats.lobby.steer("/pause", "");
            return Ok("time runs".to_owned());
        }
        if !open {
            self.led.rules.seats.lobby.steer("/start", "");
            return Ok(
                "clients are let in; the match begins when all factions are there, or at /start".to_owned()
            );
        }
        if self.led.engine.has_begun() {
            return Err("the match has begun already".to_owned());
        }
        self.led.begin();
        Ok("the match begins".to_owned())
    }

    /// The mode from the next turn on.
    pub(super) fn mode(&self) -> Mode {
        match self.led.engine.coming {
            Phases::Together => Mode::Concurrent,
            Phases::Each(_) => Mode::Players,
            Phases::Groups(..) => Mode::Alliances,
        }
    }
}
