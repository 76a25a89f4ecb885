//! How the cost of an answer grows with players, tiles, teams and observers, each by itself, and what an idle connection holds.
//!
//! Cost is the server's processor time per answer, so a busy machine doesn't falsify it much. Memory is what the server has
//! more than with no connection, divided by the connections.

use anyhow::Result;

use super::lateness::measure;
use super::server::World;

const BASE: World = World { clients: 200, teams: 10, side: 100, freq: 100, lockstep: false };

fn axis(what: &str, sizes: &[(u32, World, u32)], seconds: f64) -> Result<()> {
    let mut before: Option<(u32, f64)> = None;
    for (many, world, observers) in sizes {
        let cost = measure(world, world.clients, *observers, seconds, 0)?.cost;
        let grown = before.map_or(String::new(), |(fewer, cheaper)| {
            let times = f64::from(*many) / f64::from(fewer.max(1));
            format!("{times:.0} times as many cost {:.2} times as much", cost / cheaper)
        });
        println!("{:<52} {cost:>8.2} us of processor per answer  {grown}", format!("{many} {what}"));
        before = Some((*many, cost));
    }
    Ok(())
}

/// Measures each for so many seconds, with counts divided by `part`.
pub fn print(seconds: f64, part: u32) -> Result<()> {
    let base = World { clients: BASE.clients / part, ..BASE };
    let players =
        [10, 100, 1_000, 4_000].map(|many| (many / part, World { clients: many / part, ..base }, 0));
    axis("players", &players, seconds)?;
    let tiles = [10, 100, 500].map(|side: u32| (side * side, World { side, ..base }, 0));
    axis("tiles", &tiles, seconds)?;
    axis("teams", &[1, 10, 100].map(|teams| (teams, World { teams, ..base }, 0)), seconds)?;
    axis("observers", &[0, 1, 10, 100].map(|many| (many / part, base, many / part)), seconds)?;
    let memory =
        |clients, observers| measure(&World { clients, ..base }, 0, observers, 0.2, 0).map(|m| m.memory);
    let (players, observers) = (2_000 / part, 100 / part);
    let none = memory(0, 0)?;
    let each = |kilobytes: u64, many: u32| kilobytes.saturating_sub(none) as f64 / f64::from(many.max(1));
    println!("{:<52} {:>8} KiB", "memory of the server alone", none);
    println!(
        "{:<52} {:>8.1} KiB each",
        format!("memory, {players} idle players"),
        each(memory(players, 0)?, players)
    );
    println!(
        "{:<52} {:>8.1} KiB each",
        format!("memory, {observers} idle observers"),
        each(memory(0, observers)?, observers)
    );
    Ok(())
}
