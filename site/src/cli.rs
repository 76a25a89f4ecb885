//! `zappy_site`'s flags, and the program from its start to its exit.
//!
//! Says where it listens on standard output, and what goes wrong on standard error, with the flag and the remedy. Tested in
//! `tests/site/process.rs`.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use tokio::signal::unix::{SignalKind, signal};

use zappy_play::signature::Key;
use zappy_server::net::raise_descriptor_limit;

use crate::setup::Setup;
use zappy_server::games::GameTable;

const AFTER_HELP: &str = "\
What it shows, and nothing else: matches that run (live), records of matches that are over, and the reports of
tournaments as `zappy_arena tournament merge` wrote them, all as far as the arena of this user has signed them, or
--trust names them. Logs, notes, seeds, plans, bots, grades (but with --grades) and everything whose name begins
with a dot stay unseen; links are not followed. It reads, and writes nothing there.

Examples:
  zappy_site --folder matches
  zappy_site --folder /srv/arena --listen 0.0.0.0:80
  zappy_site --folder old --trust old/night             what no arena of this user has signed
  zappy_site --folder matches --name arena.example      behind a proxy on this machine that speaks https

It ends at Ctrl-C or SIGTERM. Exit codes: 0 it was told to end   1 it can't start   2 wrong usage";

/// Shows in browsers what is played and was played: live, as replays, and as reports.
#[derive(Debug, Parser)]
#[command(name = "zappy_site", version, after_help = AFTER_HELP, max_term_width = 100)]
struct Flags {
    #[command(flatten)]
    setup: Setup,
    /// The key with which the arena signs, if another user's plays [default: zappy-arena/key in this user's data
    /// folder]
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
}

/// File descriptors that the site needs beside those of connections.
const SPARE_FILES: usize = 256;
/// The site's nice value: matches on the same machine get more of the processor.
const NICE: i32 = 5;
/// Threads that answer requests; those that compress are others.
const THREADS: usize = 2;

/// Runs the site with these games until a signal ends it.
#[must_use]
pub fn run(games: GameTable) -> ExitCode {
    let flags = Flags::parse();
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("warn")).init();
    match serve(flags, games) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "zappy_site: {error}");
            ExitCode::FAILURE
        }
    }
}

fn serve(Flags { setup, key }: Flags, games: GameTable) -> Result<(), String> {
    let _ = rustix::process::nice(NICE);
    // Each connection is a descriptor, and the usual limit is lower than what the system allows.
    let wanted = setup.connections + SPARE_FILES;
    if raise_descriptor_limit(wanted) < wanted {
        log::warn!(
            "fewer than {} connections fit into the system's limit of open files (ulimit -n)",
            setup.connections
        );
    }
    if !setup.viewer.is_file() {
        log::warn!(
            "there is no viewer at {}: pages show no match; make web makes zappy_web, to be copied there",
            setup.viewer.display()
        );
    }
    let setup = Setup { key: own_key(key.as_deref())?, games, ..setup };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(THREADS)
        .enable_all()
        .build()
        .map_err(|error| format!("the system gives no threads: {error}"))?;
    runtime.block_on(async {
        let stopping = [SignalKind::interrupt(), SignalKind::terminate()].map(signal);
        let [Ok(mut interrupt), Ok(mut terminate)] = stopping else {
            return Err("the system lets no signal be heard".to_owned());
        };
        let site = crate::open(setup).await?;
        let address = site.address().map_err(|error| error.to_string())?;
        let _ = writeln!(std::io::stdout(), "listening on http://{address}/");
        site.run(async {
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
            }
        })
        .await;
        Ok(())
    })?;
    // A record that is being compressed isn't waited for.
    runtime.shutdown_background();
    Ok(())
}

/// The key with which the arena signs: that in the file `named`, or this user's own, which is made if there is none
/// yet, since the arena's first match may come later. `None` if this user can't have a key.
///
/// # Errors
/// The file can't be read as a key.
fn own_key(named: Option<&Path>) -> Result<Option<Key>, String> {
    match named {
        Some(path) => Key::read(path).map(Some).map_err(|error| format!("--key {}: {error}", path.display())),
        None => Ok(Key::own()
            .inspect_err(|error| {
                log::warn!("only what --trust names is shown, since there is no key: {error}");
            })
            .ok()),
    }
}
