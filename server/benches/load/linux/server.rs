//! What all these measurements share: the real server as a child, a place on a processor for each program, and rows of the
//! table.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::net::SocketAddr;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::time::Duration;

use anyhow::{Context, Result};
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use zappy_server::net::LatenessHistogram;

/// The processor of the server, and that of the program that plays the clients.
pub const SERVER: &str = "0";
const GENERATOR: &str = "1";
/// Bytes of a server's log that are looked at.
const LOG_LIMIT: u64 = 1 << 20;
/// The environment variable that names another server to be measured.
const PROGRAM: &str = "ZAPPY_SERVER";
/// How long each step that is not measured may take.
pub const PATIENCE: Duration = Duration::from_secs(30);
/// Connections to a server besides those of its players.
const OTHER_CONNECTIONS: u32 = 200;
/// Descriptors of a bench besides those of its connections.
const OTHER_DESCRIPTORS: u64 = 100;

/// The match that a server is to play.
#[derive(Debug, Clone, Copy)]
pub struct World {
    pub clients: u32,
    pub teams: u32,
    pub side: u32,
    pub freq: u32,
    pub lockstep: bool,
}

/// A program that serves, as a child, which is ended with this value.
pub struct Server {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    /// What it logs.
    stderr: File,
    pub address: SocketAddr,
}

impl Server {
    /// How the real server is started on the first processor, for a match of that game.
    pub fn command(game: &str, side: u32, teams: &[String]) -> Command {
        let program =
            std::env::var(PROGRAM).unwrap_or_else(|_| env!("CARGO_BIN_EXE_zappy_server").to_owned());
        let mut command = on_processor(SERVER, &program);
        let side = side.to_string();
        command.args([
            "--bind",
            "127.0.0.1",
            "-p",
            "0",
            "--seed",
            "1",
            "--game",
            game,
            "-x",
            &side,
            "-y",
            &side,
        ]);
        command.arg("-n").args(teams);
        command
    }

    /// The real server, for a match of Zappy without hunger.
    pub fn start(world: &World) -> Result<Server> {
        let teams: Vec<String> = (0..world.teams).map(|team| format!("t{team}")).collect();
        let mut command = Server::command("zappy", world.side, &teams);
        let slots = world.clients.div_ceil(world.teams).max(1).to_string();
        command.args(["-f", &world.freq.to_string(), "-c", &slots]);
        command.args(["--max-connections", &(world.clients + OTHER_CONNECTIONS).to_string()]);
        if world.lockstep {
            // The generator stops between two turns, and no player is to be late for that.
            command.args(["--clock", "lockstep", "--think-time", "600000"]);
            command.args(["--wait-players", &world.clients.to_string()]);
        }
        let mut server = Server::of(command)?;
        server.tell("/noFood true")?;
        Ok(server)
    }

    /// A program whose first line on stdout tells where it listens.
    pub fn of(mut command: Command) -> Result<Server> {
        let stderr = tempfile::tempfile()?;
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(stderr.try_clone()?);
        let mut child = command.spawn()?;
        let mut stdout = BufReader::new(child.stdout.take().context("no stdout")?);
        let mut line = String::new();
        stdout.read_line(&mut line)?;
        let address = line.trim_end().strip_prefix("listening on ").context("no address")?.parse()?;
        let stdin = child.stdin.take().context("no stdin")?;
        Ok(Server { child, stdin, stdout, stderr, address })
    }

    /// Seconds of processor time used so far, to the nanosecond; NaN where the kernel doesn't tell.
    pub fn processor_seconds(&self) -> Result<f64> {
        let stat = std::fs::read_to_string(format!("/proc/{}/schedstat", self.child.id()));
        let Ok(stat) = stat else { return Ok(f64::NAN) };
        Ok(stat.split(' ').next().context("no value")?.parse::<f64>()? / 1e9)
    }

    /// A number of `/proc/PID/status`: kilobytes of memory (`VmRSS`), or how often it slept (`voluntary_ctxt_switches`).
    pub fn status(&self, name: &str) -> Result<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find(|line| line.starts_with(name)).context("no such value")?;
        Ok(line.split_whitespace().nth(1).context("no value")?.parse()?)
    }

    /// Descriptors that it has open.
    pub fn descriptors(&self) -> Result<usize> {
        Ok(std::fs::read_dir(format!("/proc/{}/fd", self.child.id()))?.count())
    }

    /// Whether it hasn't ended.
    pub fn runs(&mut self) -> Result<bool> {
        Ok(self.child.try_wait()?.is_none())
    }

    /// What it has logged so far.
    pub fn log(&mut self) -> Result<String> {
        let mut log = Vec::new();
        self.stderr.seek(SeekFrom::Start(0))?;
        Read::by_ref(&mut self.stderr).take(LOG_LIMIT).read_to_end(&mut log)?;
        Ok(String::from_utf8_lossy(&log).into_owned())
    }

    /// Gives it a line from its operator.
    pub fn tell(&mut self, line: &str) -> Result<()> {
        Ok(writeln!(self.stdin, "{line}")?)
    }

    /// Ends the match, if it hasn't ended; gives how the server ended and what it logged.
    pub fn end(mut self) -> Result<(ExitStatus, String)> {
        // A server that has ended doesn't read.
        let _ = self.tell("/quit");
        let status = self.child.wait()?;
        Ok((status, self.log()?))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = self.stdout.buffer();
    }
}

/// Whether a program can be kept on that processor.
fn has_processor(processor: &str) -> bool {
    let mut tried = Command::new("taskset");
    tried.args(["-c", processor, "true"]).stdout(Stdio::null()).stderr(Stdio::null());
    tried.status().is_ok_and(|status| status.success())
}

/// A command that runs on that processor alone, if that can be had.
pub fn on_processor(processor: &str, program: &str) -> Command {
    if !has_processor(processor) {
        return Command::new(program);
    }
    let mut command = Command::new("taskset");
    command.args(["-c", processor, program]);
    command
}

/// Keeps this process off the server's processor and lets it open so many connections.
pub fn stand_apart(connections: u32) -> Result<()> {
    let me = std::process::id().to_string();
    let pinned = Command::new("taskset").args(["-p", "-c", GENERATOR, &me]).output();
    if !pinned.is_ok_and(|done| done.status.success()) {
        println!("the generator is NOT pinned apart from the server: that needs taskset and two processors");
    }
    let (_, hard) = getrlimit(Resource::RLIMIT_NOFILE)?;
    setrlimit(Resource::RLIMIT_NOFILE, hard.min(u64::from(connections) + OTHER_DESCRIPTORS), hard)?;
    Ok(())
}

/// Prints delays as a row of the table, in microseconds.
pub fn row(what: &str, late: &LatenessHistogram, note: &str) {
    let micros = |time: Duration| format!("{:.0}", time.as_secs_f64() * 1e6);
    let at = |percent| micros(late.percentile(percent));
    println!(
        "{what:<52} {:>8} {:>8} {:>8} {:>8} us  {note}",
        at(50.0),
        at(99.0),
        at(99.9),
        micros(late.worst())
    );
}
