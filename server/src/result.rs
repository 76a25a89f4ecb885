//! The result of a match as a JSON file: what was played, how it ended, who did what.
//!
//! The field names are a contract for whoever reads results; fields are added, never renamed. The file is
//! written whole or not at all. Tested in this module and by the socket tests.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use zappy_protocol::constants::RULES_VERSION;
use zappy_protocol::record::FORMAT_VERSION;

use crate::config::{Clock, GameConfig, MAX_FREQUENCY};
use crate::net::Report as LockstepReport;
use crate::zappy::report::Report;

/// Everything a result says.
#[derive(Debug, Serialize)]
pub struct MatchResult {
    /// The server's version.
    pub server_version: &'static str,
    /// The version of the rules.
    pub rules_version: u32,
    /// The version of the record format.
    pub record_version: u32,
    /// Where all chance came from.
    pub seed: u64,
    /// What was played with.
    pub configuration: Configuration,
    /// How it went.
    #[serde(flatten)]
    pub report: Report,
    /// Whether the same programs play the same match again, given the same seed: in lockstep, if nobody was late
    /// and nothing came in at a time of its own.
    pub reproducible: bool,
    /// Why it isn't, in words; empty if it is.
    pub not_reproducible: Vec<String>,
    /// Who was late, and the limits; none under the real clock.
    pub lockstep: Option<Lockstep>,
    /// How punctual the server was.
    pub lateness: Lateness,
    /// Whether the record is whole; none if none was asked for.
    pub record_complete: Option<bool>,
}

/// The configuration of a match, as results tell it.
#[derive(Debug, Serialize)]
pub struct Configuration {
    /// The rule set's name.
    pub rules: &'static str,
    /// Tiles from west to east.
    pub width: u16,
    /// Tiles from north to south.
    pub height: u16,
    /// Slots per team at the start.
    pub clients: u32,
    /// Ticks per second at the start.
    pub frequency: u32,
    /// The greatest frequency that may be asked for.
    pub max_frequency: u32,
    /// Whether clients were let in without `/start`.
    pub auto_start: bool,
    /// Whether `Look` shows eggs.
    pub display_eggs: bool,
    /// The tick at which the match ends by itself.
    pub max_ticks: Option<u64>,
    /// Which clock the match ran by.
    pub clock: &'static str,
    /// The teams in their order.
    pub teams: Vec<String>,
}

/// What the lockstep clock has to tell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Lockstep {
    /// How long a seat was waited for, in milliseconds.
    pub think_time_ms: u64,
    /// Players that were waited for before the first tick.
    pub wait_players: usize,
    /// A seat that was late more often was ended.
    pub max_late: u32,
    /// How often anybody was late.
    pub late: u32,
    /// Who was, in the order of joining.
    pub late_players: Vec<LatePlayer>,
    /// Teams that the others waited for, if it was for long.
    pub kept_waiting: Vec<KeptWaiting>,
    /// Connections that did not say in time who they are.
    pub silent_connections: u32,
    /// How often several connections of one team came in together after the beginning. If they don't play the
    /// same, it is left to chance which of them gets which egg, and nobody can tell from here.
    pub joint_admissions: u32,
}

/// The shortest wait that is told, in seconds: what is less is noise, and would make two results differ.
const LONG_WAIT: u64 = 10;

/// A team that the others waited for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct KeptWaiting {
    /// Its name.
    pub team: String,
    /// For how many seconds in all.
    pub seconds: u64,
}

/// A player whose client was late.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LatePlayer {
    /// Its number.
    pub player: u32,
    /// Its team.
    pub team: String,
    /// How often it was late.
    pub late: u32,
    /// Whether it was ended for it.
    pub expelled: bool,
}

impl Lockstep {
    /// What a report of the shell's comes to.
    #[must_use]
    pub fn new(report: &LockstepReport) -> Lockstep {
        let late_players: Vec<LatePlayer> = report
            .late
            .iter()
            .map(|seat| LatePlayer {
                player: seat.number,
                team: seat.name.clone(),
                late: seat.late,
                expelled: seat.expelled,
            })
            .collect();
        let kept_waiting = report.kept_waiting.values();
        let kept_waiting =
            kept_waiting.map(|kept| KeptWaiting { team: kept.name.clone(), seconds: kept.time.as_secs() });
        Lockstep {
            think_time_ms: u64::try_from(report.settings.think_time.as_millis()).unwrap_or(u64::MAX),
            wait_players: report.settings.wait_players,
            max_late: report.settings.max_late,
            late: late_players.iter().map(|player| player.late).sum(),
            late_players,
            kept_waiting: kept_waiting.filter(|kept| kept.seconds >= LONG_WAIT).collect(),
            silent_connections: report.silent,
            joint_admissions: report.joint,
        }
    }
}

/// How late due ticks were run, in microseconds of the real clock.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Lateness {
    /// Ticks at which something was due.
    pub ticks: u64,
    /// Half of them were at most so late.
    pub p50_us: u64,
    /// Ninety-nine of a hundred were at most so late.
    pub p99_us: u64,
    /// The latest one.
    pub max_us: u64,
}

impl Configuration {
    /// What a result tells of a configuration.
    #[must_use]
    pub fn new(config: &GameConfig) -> Configuration {
        Configuration {
            rules: config.rules.name(),
            width: config.size.width(),
            height: config.size.height(),
            clients: config.slots,
            frequency: config.frequency.get(),
            max_frequency: MAX_FREQUENCY,
            auto_start: config.auto_start,
            display_eggs: config.display_eggs,
            max_ticks: config.max_ticks,
            clock: config.clock.name(),
            teams: config.teams.iter().map(ToString::to_string).collect(),
        }
    }
}

impl MatchResult {
    /// The result of a match.
    #[must_use]
    pub fn new(
        config: &GameConfig,
        report: Report,
        lockstep: Option<&LockstepReport>,
        lateness: Lateness,
        record_complete: Option<bool>,
    ) -> MatchResult {
        let not_reproducible = match lockstep {
            Some(report) => report.causes(),
            None => vec![format!("it was played by the {} clock", Clock::Real.name())],
        };
        MatchResult {
            server_version: env!("CARGO_PKG_VERSION"),
            rules_version: RULES_VERSION,
            record_version: FORMAT_VERSION,
            seed: config.seed,
            configuration: Configuration::new(config),
            report,
            reproducible: not_reproducible.is_empty(),
            not_reproducible,
            lockstep: lockstep.map(Lockstep::new),
            lateness,
            record_complete,
        }
    }
}

/// A file that will hold the result. It is opened before the match, so that a bad path costs nobody a match.
#[derive(Debug)]
pub struct ResultFile {
    file: File,
    /// Where it is written, and where it is put then; none if it is written in its place, because what stands
    /// there is no regular file.
    moves: Option<(PathBuf, PathBuf)>,
}

impl Drop for ResultFile {
    fn drop(&mut self) {
        if let Some((temporary, _)) = &self.moves {
            // After a success it is gone already.
            let _ = std::fs::remove_file(temporary);
        }
    }
}

impl ResultFile {
    /// Opens a file beside the one that will be written; a device or a pipe is opened itself.
    ///
    /// # Errors
    /// When it can't be written.
    pub fn create(path: &Path) -> io::Result<ResultFile> {
        // What a link points to is replaced, not the link.
        let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        if path.is_dir() {
            return Err(io::Error::other("it is a folder; name a file"));
        }
        if path.exists() && !path.is_file() {
            return Ok(ResultFile { file: File::options().write(true).open(path)?, moves: None });
        }
        let mut name = path.file_name().ok_or_else(|| io::Error::other("it is no file name"))?.to_owned();
        name.push(".partial");
        let temporary = path.with_file_name(name);
        Ok(ResultFile { file: File::create(&temporary)?, moves: Some((temporary, path)) })
    }

    /// Writes the result and puts it in its place at once.
    ///
    /// # Errors
    /// When it can't be written; then nothing stands at its place.
    pub fn write(mut self, result: &MatchResult) -> io::Result<()> {
        let mut text = serde_json::to_vec_pretty(result)?;
        text.push(b'\n');
        self.file.write_all(&text)?;
        match &self.moves {
            None => self.file.flush(),
            Some((temporary, path)) => {
                self.file.sync_all()?;
                std::fs::rename(temporary, path)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Game, Input, SeatId};
    use crate::zappy::Zappy;
    use zappy_protocol::{MapSize, TeamName};

    #[test]
    fn a_result_says_who_did_what() {
        let teams = vec![TeamName::parse(b"red").unwrap()];
        let config = GameConfig { seed: 7, ..GameConfig::new(MapSize::new(5, 4).unwrap(), teams) };
        let mut game = Zappy::new(&config);
        let lines: [&[u8]; 6] = [b"red", b"Forward", b"Forward", b"oops", b"Take gold", b"Look"];
        game.handle_input(0, SeatId(0), Input::Open);
        lines.iter().for_each(|line| game.handle_input(10, SeatId(0), Input::Line(line)));
        for tick in [17, 24, 31, 38, 136, 262] {
            game.handle_timeout(tick);
        }
        let result = MatchResult::new(&config, game.report(), None, Lateness::default(), None);
        let json: serde_json::Value = serde_json::from_slice(&serde_json::to_vec(&result).unwrap()).unwrap();
        assert_eq!(
            (&json["seed"], &json["configuration"]["width"], &json["ticks"]),
            (&7.into(), &5.into(), &262.into())
        );
        let player = &json["teams"][0]["players"][0];
        assert_eq!(player["commands"], serde_json::json!({"Forward": 2, "Look": 1, "Take": 1}));
        assert_eq!(
            (&player["unknown"], &player["refused"], &player["food"]),
            (&1.into(), &2.into(), &7.into())
        );
        assert_eq!(player["longest_silence"], 262 - 38);
        assert_eq!(json["winner"], serde_json::Value::Null);
    }
}
