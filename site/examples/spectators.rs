//! Many spectators of one match: how late each line reaches them, what the site takes for it, and what it costs the match.
//!
//! Connects one observer to the match's own server and compares: a line's delay is the time from its arrival there to its
//! arrival at a spectator. Give `--direct` with the server's address, which the arena's log tells; without it the first spectator
//! that has a line stands in. `--pid` adds the processor time and memory of the site's process, on Linux.

use std::collections::HashMap;
use std::io::{self, BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use clap::Parser;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::client_with_config;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;

#[derive(Debug, Parser)]
struct Flags {
    /// Where the site listens
    #[arg(long, default_value = "127.0.0.1:8080")]
    site: SocketAddr,
    /// The match, as its address names it behind /live/
    #[arg(long = "match")]
    name: String,
    /// Spectators
    #[arg(long, default_value_t = 500)]
    count: usize,
    /// How long they watch
    #[arg(long, default_value_t = 20)]
    seconds: u64,
    /// The match's server, for an observer that watches it directly
    #[arg(long)]
    direct: Option<SocketAddr>,
    /// The site's process
    #[arg(long)]
    pid: Option<u32>,
}

/// When a line first came; none once it came a second time, since then it can't be told which is which.
type Seen = Mutex<HashMap<Box<str>, Option<Instant>>>;

fn first_seen(seen: &Seen, line: &str, now: Instant) {
    let mut seen = seen.lock().unwrap();
    match seen.get_mut(line) {
        Some(known) => *known = None,
        None => drop(seen.insert(line.into(), Some(now))),
    }
}

/// Processor time in seconds and resident memory in MiB.
fn usage(pid: u32) -> Option<(f64, f64)> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks: f64 = fields.get(11)?.parse::<f64>().ok()? + fields.get(12)?.parse::<f64>().ok()?;
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: f64 = resident.split_whitespace().next()?.parse().ok()?;
    Some((ticks / 100.0, kib / 1024.0))
}

/// Reads the match's server as an observer does.
fn observe(server: SocketAddr, seen: &Seen) -> io::Result<()> {
    let mut stream = TcpStream::connect(server)?;
    stream.write_all(b"GRAPHIC\n")?;
    for line in BufReader::new(stream).lines() {
        first_seen(seen, &line?, Instant::now());
    }
    Ok(())
}

#[derive(Default)]
struct Shared {
    seen: Seen,
    delays: Mutex<Vec<Duration>>,
    bytes: AtomicUsize,
    messages: AtomicUsize,
    joined: AtomicUsize,
    caught_up: AtomicUsize,
}

/// Watches until the site closes.
fn watch(flags: &Flags, shared: &Shared) -> Result<(), Box<dyn std::error::Error>> {
    let stream = TcpStream::connect(flags.site)?;
    let config = WebSocketConfig::default().read_buffer_size(16 << 10);
    let url = format!("ws://{}/live/{}", flags.site, flags.name);
    let (mut socket, _) = client_with_config(url, stream, Some(config)).map_err(|error| error.to_string())?;
    shared.joined.fetch_add(1, Ordering::Relaxed);
    let mut is_first = true;
    loop {
        let Message::Text(text) = socket.read()? else { continue };
        let now = Instant::now();
        shared.bytes.fetch_add(text.len(), Ordering::Relaxed);
        shared.messages.fetch_add(1, Ordering::Relaxed);
        if text.starts_with("WELCOME\n") {
            shared.caught_up.fetch_add(usize::from(!std::mem::take(&mut is_first)), Ordering::Relaxed);
            continue;
        }
        let Some(line) = text.lines().last() else { continue };
        let mut seen = shared.seen.lock().unwrap();
        if flags.direct.is_none() {
            seen.entry(line.into()).or_insert(Some(now));
        }
        let came = seen.get(line).copied().flatten();
        drop(seen);
        if let Some(came) = came {
            shared.delays.lock().unwrap().push(now.saturating_duration_since(came));
        }
    }
}

fn main() {
    let flags = Flags::parse();
    let shared = Arc::new(Shared::default());
    if let Some(server) = flags.direct {
        let shared = Arc::clone(&shared);
        thread::spawn(move || observe(server, &shared.seen));
    }
    let before = flags.pid.and_then(usage);
    let flags = Arc::new(flags);
    for _ in 0..flags.count {
        let (flags, shared) = (Arc::clone(&flags), Arc::clone(&shared));
        let started =
            thread::Builder::new().stack_size(256 << 10).spawn(move || drop(watch(&flags, &shared)));
        started.expect("a thread for each spectator");
    }
    let begun = Instant::now();
    thread::sleep(Duration::from_secs(flags.seconds));
    let seconds = begun.elapsed().as_secs_f64();
    let after = flags.pid.and_then(usage);
    let count = |number: &AtomicUsize| number.load(Ordering::Relaxed);
    println!("{} of {} spectators watched for {seconds:.1} s", count(&shared.joined), flags.count);
    let (messages, mib) = (count(&shared.messages), count(&shared.bytes) as f64 / f64::from(1 << 20));
    println!(
        "{messages} messages, {mib:.1} MiB; {} times one was caught up by a snapshot",
        count(&shared.caught_up)
    );
    let mut delays = std::mem::take(&mut *shared.delays.lock().unwrap());
    delays.sort();
    let at = |share: f64| {
        delays.get(((delays.len().max(1) - 1) as f64 * share) as usize).copied().unwrap_or_default()
    };
    let told = [("median", 0.5), ("90 %", 0.9), ("99 %", 0.99), ("most", 1.0)];
    let told = told.map(|(name, share)| format!("{name} {:.1} ms", at(share).as_secs_f64() * 1000.0));
    println!("delay of {} lines: {}", delays.len(), told.join(", "));
    if let (Some((cpu, memory)), Some((cpu_then, memory_then))) = (before, after) {
        let share = (cpu_then - cpu) / seconds * 100.0;
        println!("the site: {share:.1} % of a core, {memory_then:.1} MiB of memory ({memory:.1} MiB before)");
    }
}
