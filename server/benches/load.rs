//! How late a loaded server answers, and what an idle one costs.
//!
//! Starts the real server, joins many clients from one thread, each of which keeps one command running, and prints
//! how late the answers came. The server's ticks are found beforehand with a single client; an answer is due
//! at the tick in which its command was sent plus the command's cost. The time that this process itself needs to send
//! and to read counts as lateness too. `cargo bench -p zappy-server --bench load -- --help` shows the flags.

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::SocketAddr;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use mio::net::TcpStream;
use mio::{Events, Interest, Poll, Token};
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use zappy_protocol::line::{Decoded, LineDecoder};
use zappy_server::net::LatenessHistogram;

const HELP: &str =
    "flags: --clients N --teams N --size N --freq F --seconds S --broadcasts PER-THOUSAND --smoke
clients is the number of all of them. Without --smoke the idle cost of 100 silent players is measured too.";
/// The system's unit of processor time, per second.
const PROCESSOR_TICKS: f64 = 100.0;
/// Answers from which the server's ticks are found.
const WARM_UP: usize = 30;
/// How long each step that is not measured may take.
const PATIENCE: Duration = Duration::from_secs(30);

#[derive(Debug, Clone)]
struct Plan {
    clients: u32,
    teams: u32,
    size: u32,
    freq: u32,
    seconds: f64,
    broadcasts: u64,
    idle: bool,
}

impl Plan {
    fn parse() -> Result<Plan> {
        let (clients, teams, size, freq) = (1_000, 20, 100, 100);
        let full = Plan { clients, teams, size, freq, seconds: 10.0, broadcasts: 0, idle: true };
        let smoke = Plan { clients: 20, teams: 2, size: 10, freq: 500, seconds: 0.5, idle: false, ..full };
        let arguments: Vec<String> = std::env::args().skip(1).collect();
        // `cargo bench` says so; `cargo test` doesn't.
        let benched = arguments.iter().any(|argument| argument == "--bench");
        let mut plan = if benched { full } else { smoke.clone() };
        let mut words = arguments.iter().filter(|argument| *argument != "--bench");
        while let Some(flag) = words.next() {
            if flag == "--smoke" {
                plan = smoke.clone();
                continue;
            }
            let value = words.next().context(HELP)?;
            match flag.as_str() {
                "--clients" => plan.clients = value.parse()?,
                "--teams" => plan.teams = value.parse()?,
                "--size" => plan.size = value.parse()?,
                "--freq" => plan.freq = value.parse()?,
                "--seconds" => plan.seconds = value.parse()?,
                "--broadcasts" => plan.broadcasts = value.parse()?,
                _ => bail!(HELP),
            }
        }
        ensure!(plan.teams > 0 && plan.clients % plan.teams == 0, "--clients is no multiple of --teams");
        Ok(plan)
    }
}

/// The real binary as a child, which is ended with this value.
struct Server {
    child: Child,
    stdin: ChildStdin,
    address: SocketAddr,
}

impl Server {
    fn start(plan: &Plan) -> Result<Server> {
        let mut command = Command::new(env!("CARGO_BIN_EXE_zappy_server"));
        let (size, freq) = (plan.size.to_string(), plan.freq.to_string());
        // One more for the client that finds the ticks.
        let slots = (plan.clients / plan.teams + 1).to_string();
        command.args(["--bind", "127.0.0.1", "-p", "0", "--seed", "1", "-x", &size, "-y", &size]);
        command.args(["-f", &freq, "-c", &slots, "-n"]).args((0..plan.teams).map(|team| format!("t{team}")));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn()?;
        let mut line = String::new();
        BufReader::new(child.stdout.take().context("no stdout")?).read_line(&mut line)?;
        let address = line.trim_end().strip_prefix("listening on ").context("no address")?.parse()?;
        let stdin = child.stdin.take().context("no stdin")?;
        Ok(Server { child, stdin, address })
    }

    /// Seconds of processor time used so far.
    fn processor_seconds(&self) -> Result<f64> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id()))?;
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or("").split_whitespace().collect();
        let ticks = fields[11].parse::<f64>()? + fields[12].parse::<f64>()?;
        Ok(ticks / PROCESSOR_TICKS)
    }

    /// Ends the match; gives what the server itself logs of its lateness.
    fn own_words(mut self) -> Result<String> {
        writeln!(self.stdin, "/quit")?;
        let log = BufReader::new(self.child.stderr.take().context("no stderr")?).lines();
        let said = log
            .map_while(Result::ok)
            .filter_map(|line| line.split_once("] ").map(|(_, words)| words.to_owned()));
        said.filter(|words| words.contains("ran late")).last().context("the server did not end in order")
    }

    /// How often it went to sleep, and kilobytes of memory.
    fn sleeps_and_memory(&self) -> Result<(u64, u64)> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let value = |name: &str| {
            let line = status.lines().find(|line| line.starts_with(name)).context("no such value")?;
            Ok::<u64, anyhow::Error>(line.split_whitespace().nth(1).context("no value")?.parse()?)
        };
        Ok((value("voluntary_ctxt_switches")?, value("VmRSS")?))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// One client with one command running.
struct Client {
    stream: TcpStream,
    decoder: LineDecoder,
    team: u32,
    greeted: u8,
    /// When the running command's answer is due.
    due: Option<Duration>,
    draws: u64,
}

/// The handshake's lines: the greeting, the free slots, the size of the map.
const GREETINGS: u8 = 3;

impl Client {
    fn connect(poll: &Poll, address: SocketAddr, number: u32, team: u32) -> Result<Client> {
        let mut stream = TcpStream::connect(address)?;
        let token = Token(number as usize);
        poll.registry().register(&mut stream, token, Interest::READABLE | Interest::WRITABLE)?;
        let draws = u64::from(number) + 1;
        Ok(Client { stream, decoder: LineDecoder::new(1 << 20), team, greeted: 0, due: None, draws })
    }

    fn draw(&mut self) -> u64 {
        self.draws =
            self.draws.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.draws >> 33
    }

    /// The next command and its cost.
    fn command(&mut self, broadcasts: u64) -> (&'static str, u32) {
        if self.draw() % 1_000 < broadcasts {
            return ("Broadcast here is some text of usual length\n", 7);
        }
        match self.draw() % 20 {
            0..8 => ("Forward\n", 7),
            8..11 => ("Right\n", 7),
            11..15 => ("Look\n", 7),
            15..18 => ("Take food\n", 7),
            _ => ("Inventory\n", 1),
        }
    }
}

/// Where the server's ticks lie in this process's time.
#[derive(Debug, Clone, Copy)]
struct Ticks {
    phase: f64,
    freq: f64,
}

impl Ticks {
    /// When a command of that cost is answered that is sent at `at`.
    fn due(self, at: Duration, cost: u32) -> Duration {
        let tick = ((at.as_secs_f64() - self.phase) * self.freq).floor() + f64::from(cost);
        Duration::from_secs_f64(self.phase + tick / self.freq)
    }

    /// From answers that came soon after the ticks at which they were due.
    fn find(answers: &[Duration], freq: f64) -> Ticks {
        let first = answers[0].as_secs_f64();
        let early = answers.iter().map(|at| {
            let ticks = (at.as_secs_f64() - first) * freq;
            (ticks - ticks.round()) / freq
        });
        Ticks { phase: first + early.fold(0.0, f64::min), freq }
    }
}

struct Load {
    plan: Plan,
    poll: Poll,
    start: Instant,
    ticks: Option<Ticks>,
    lateness: LatenessHistogram,
    heard: u64,
    arrivals: Vec<Duration>,
    running: bool,
}

impl Load {
    fn new(plan: &Plan) -> Result<Load> {
        Ok(Load {
            plan: plan.clone(),
            poll: Poll::new()?,
            start: Instant::now(),
            ticks: None,
            lateness: LatenessHistogram::default(),
            heard: 0,
            arrivals: Vec::new(),
            running: true,
        })
    }

    /// Serves the clients until `done` says so.
    fn serve(
        &mut self,
        clients: &mut [Client],
        mut done: impl FnMut(&Load, &[Client]) -> bool,
    ) -> Result<()> {
        let mut events = Events::with_capacity(1_024);
        while !done(self, clients) {
            self.poll.poll(&mut events, Some(Duration::from_millis(50)))?;
            for event in &events {
                self.read(&mut clients[event.token().0])?;
            }
        }
        Ok(())
    }

    fn read(&mut self, client: &mut Client) -> Result<()> {
        let mut chunk = [0; 16 << 10];
        loop {
            match client.stream.read(&mut chunk) {
                Ok(0) => bail!("the server closed a connection"),
                Ok(count) => client.decoder.push(&chunk[..count]),
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::NotConnected) => {
                    break;
                }
                Err(error) => return Err(error.into()),
            }
            while let Some(line) = client.decoder.next_line() {
                let Decoded::Line(line) = line else { bail!("an endless line") };
                if line.starts_with(b"message ") || line.starts_with(b"eject: ") {
                    self.heard += 1;
                    continue;
                }
                ensure!(line != b"dead", "a player starved");
                self.answered(client)?;
            }
        }
        Ok(())
    }

    fn answered(&mut self, client: &mut Client) -> Result<()> {
        let now = self.start.elapsed();
        if client.greeted < GREETINGS {
            client.greeted += 1;
            match client.greeted {
                1 => writeln!(client.stream, "t{}", client.team)?,
                GREETINGS if self.running => self.command(client)?,
                _ => {}
            }
            return Ok(());
        }
        if self.ticks.is_none() {
            self.arrivals.push(now);
        }
        if let Some(due) = client.due.take() {
            self.lateness.add(now.saturating_sub(due));
        }
        if self.running { self.command(client) } else { Ok(()) }
    }

    fn command(&mut self, client: &mut Client) -> Result<()> {
        let (text, cost) = match self.ticks {
            Some(_) => client.command(self.plan.broadcasts),
            None => ("Inventory\n", 1),
        };
        client.due = self.ticks.map(|ticks| ticks.due(self.start.elapsed(), cost));
        client.stream.write_all(text.as_bytes())?;
        Ok(())
    }
}

/// Connects all clients and waits until every one is let in.
fn join(load: &mut Load, server: &Server, plan: &Plan) -> Result<Vec<Client>> {
    let mut clients = Vec::new();
    for number in 0..plan.clients {
        clients.push(Client::connect(&load.poll, server.address, number, number % plan.teams)?);
    }
    let joining = load.start.elapsed() + PATIENCE;
    let joined = |clients: &[Client]| clients.iter().all(|client| client.greeted == GREETINGS);
    load.serve(&mut clients, |load, clients| joined(clients) || load.start.elapsed() > joining)?;
    ensure!(joined(&clients), "not all clients were let in");
    Ok(clients)
}

/// Measures how late answers come under load.
fn load(plan: &Plan) -> Result<()> {
    let mut server = Server::start(plan)?;
    writeln!(server.stdin, "/noFood true")?;
    let mut load = Load::new(plan)?;
    let mut scout = vec![Client::connect(&load.poll, server.address, 0, 0)?];
    load.serve(&mut scout, |load, _| load.arrivals.len() >= WARM_UP || load.start.elapsed() > PATIENCE)?;
    ensure!(load.arrivals.len() >= WARM_UP, "the server does not answer");
    load.ticks = Some(Ticks::find(&load.arrivals, plan.freq.into()));
    drop(scout);
    let mut clients = join(&mut load, &server, plan)?;
    (load.lateness, load.heard) = (LatenessHistogram::default(), 0);
    let (began, used) = (load.start.elapsed(), server.processor_seconds()?);
    let end = began + Duration::from_secs_f64(plan.seconds);
    load.serve(&mut clients, |load, _| load.start.elapsed() >= end)?;
    let elapsed = (load.start.elapsed() - began).as_secs_f64();
    let share = (server.processor_seconds()? - used) / elapsed * 100.0;
    let (late, size) = (&load.lateness, plan.size);
    println!(
        "{} clients in {} teams on {size}x{size} tiles at {} ticks/s, {elapsed:.1} s",
        plan.clients, plan.teams, plan.freq
    );
    println!(
        "{} answers ({:.0}/s), {} broadcasts heard, server {share:.1} % of a core, {} KiB",
        late.total(),
        late.total() as f64 / elapsed,
        load.heard,
        server.sleeps_and_memory()?.1
    );
    println!(
        "late: p50 {:?}  p90 {:?}  p99 {:?}  p99.9 {:?}  max {:?}",
        late.percentile(50.0),
        late.percentile(90.0),
        late.percentile(99.0),
        late.percentile(99.9),
        late.worst()
    );
    ensure!(late.total() > 0, "no answer came");
    drop(clients);
    println!("the server itself: {}", server.own_words()?);
    Ok(())
}

/// Measures the cost of a hundred silent players.
fn idle(plan: &Plan) -> Result<()> {
    let plan = Plan { clients: 100, teams: 10, size: 20, freq: 100, ..plan.clone() };
    let server = Server::start(&plan)?;
    let mut load = Load::new(&plan)?;
    load.running = false;
    let mut clients = join(&mut load, &server, &plan)?;
    let (used, slept) = (server.processor_seconds()?, server.sleeps_and_memory()?.0);
    let began = load.start.elapsed();
    let end = began + Duration::from_secs(5);
    load.serve(&mut clients, |load, _| load.start.elapsed() >= end)?;
    println!(
        "idle: 100 silent players for {:.1} s: {:.2} s of processor time, {} times awake",
        (load.start.elapsed() - began).as_secs_f64(),
        server.processor_seconds()? - used,
        server.sleeps_and_memory()?.0 - slept
    );
    Ok(())
}

fn main() -> Result<()> {
    let plan = Plan::parse()?;
    let (_, hard) = getrlimit(Resource::RLIMIT_NOFILE)?;
    setrlimit(Resource::RLIMIT_NOFILE, hard.min(u64::from(plan.clients) + 100), hard)?;
    load(&plan)?;
    if plan.idle { idle(&plan) } else { Ok(()) }
}
