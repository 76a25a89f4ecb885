//! The measurements, and the flags that choose among them.

mod echo;
mod growth;
mod lateness;
mod server;
mod soak;

use std::path::PathBuf;

use anyhow::Result;
use clap::{Parser, Subcommand};
use echo::{LOCKSTEP, PIPELINED};

/// Measure the server that is built with this, or the one that the environment variable ZAPPY_SERVER names
#[derive(Debug, Parser)]
struct Flags {
    #[command(subcommand)]
    what: Option<What>,
    /// Measure what is named, as `cargo bench` says; by itself all, at full size
    #[arg(long = "bench", global = true)]
    _bench: bool,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Compare with a bare echo
    Throughput {
        #[arg(long, value_delimiter = ',', default_values_t = [400, 1_000])]
        clients: Vec<u32>,
        /// Turns of each
        #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..))]
        rounds: u16,
        /// Lines of a turn
        #[arg(long, default_value_t = 400_000)]
        lines: usize,
    },
    /// Compare rounds in lockstep with a bare echo that waits for all
    Lockstep {
        #[arg(long, value_delimiter = ',', default_values_t = [2, 12, 100])]
        clients: Vec<u32>,
        /// Turns of each
        #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..))]
        rounds: u16,
        /// Lines of a turn
        #[arg(long, default_value_t = 40_000)]
        lines: usize,
    },
    /// Measure from the tick at which an answer is due until it is there
    Lateness {
        #[arg(long, value_delimiter = ',', default_values_t = [10, 100, 1_000, 5_000])]
        clients: Vec<u32>,
        /// Ticks per second
        #[arg(long, value_delimiter = ',', default_values_t = [100, 1_000, 10_000])]
        freq: Vec<u32>,
        #[arg(long, default_value_t = 3.0)]
        seconds: f64,
        /// Of a thousand commands, how many are broadcasts
        #[arg(long, default_value_t = 0)]
        broadcasts: u64,
    },
    /// Measure how costs grow, and what idle connections hold
    Growth {
        #[arg(long, default_value_t = 2.0)]
        seconds: f64,
        /// Divide all counts
        #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10))]
        part: u32,
    },
    /// Keep both games busy with connections that come and go
    Soak {
        #[arg(long, default_value_t = 60.0)]
        minutes: f64,
        /// Minutes between two lines
        #[arg(long, default_value_t = 1.0)]
        every: f64,
        /// Ticks per second
        #[arg(long, default_value_t = 1_000)]
        freq: u32,
        /// Draw the curves into this file, an SVG
        #[arg(long)]
        picture: Option<PathBuf>,
    },
    /// Be the bare echo
    #[command(hide = true)]
    Echo {
        #[arg(long)]
        lockstep: bool,
    },
}

impl What {
    fn measure(self) -> Result<()> {
        match self {
            What::Echo { lockstep } => echo::serve(if lockstep { LOCKSTEP } else { PIPELINED }),
            What::Throughput { clients, rounds, lines } => {
                clients.into_iter().try_for_each(|many| echo::compare(PIPELINED, many, rounds.into(), lines))
            }
            What::Lockstep { clients, rounds, lines } => {
                clients.into_iter().try_for_each(|many| echo::compare(LOCKSTEP, many, rounds.into(), lines))
            }
            What::Lateness { clients, freq, seconds, broadcasts } => {
                let all = freq.iter().flat_map(|&freq| clients.iter().map(move |&many| (many, freq)));
                all.into_iter().try_for_each(|(many, freq)| lateness::print(many, freq, seconds, broadcasts))
            }
            What::Growth { seconds, part } => growth::print(seconds, part),
            What::Soak { minutes, every, freq, picture } => {
                soak::run(minutes, every, freq, picture.as_deref())
            }
        }
    }
}

/// Measures what the flags say.
pub fn main() -> Result<()> {
    let all = if std::env::args().any(|argument| argument == "--bench") {
        let named = |name| Flags::parse_from(["load", name]).what;
        Flags::parse().what.map_or_else(
            || ["throughput", "lockstep", "lateness", "growth"].into_iter().filter_map(named).collect(),
            |what| vec![what],
        )
    } else {
        // The other arguments are those of `cargo test`.
        vec![
            What::Throughput { clients: vec![8], rounds: 1, lines: 800 },
            What::Lockstep { clients: vec![2], rounds: 1, lines: 200 },
            What::Lateness { clients: vec![10], freq: vec![500], seconds: 0.5, broadcasts: 100 },
            What::Growth { seconds: 0.1, part: 10 },
            What::Soak { minutes: 0.02, every: 0.01, freq: 1_000, picture: None },
        ]
    };
    all.into_iter().try_for_each(What::measure)
}
