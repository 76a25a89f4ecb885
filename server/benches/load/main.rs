//! What the real server stands, behind sockets: lines per second beside a bare echo, and how late answers come.
//!
//! Starts the server as a child and plays its clients from one thread, on another processor. `cargo bench -p zappy-server
//! --bench load -- --help` shows the flags; without any it measures all that `make bench` prints. Run by `cargo test` it plays
//! tiny sizes, so that it does not rot.

#[cfg(target_os = "linux")]
mod linux;
#[path = "../support/mod.rs"]
mod support;

/// The server's memory and processor time stand in `/proc`, and only Linux stamps what arrives.
fn main() -> anyhow::Result<()> {
    if support::leaves_out("load") {
        return Ok(());
    }
    #[cfg(target_os = "linux")]
    return linux::main();
    #[cfg(not(target_os = "linux"))]
    {
        println!("the server's load is measured on Linux alone");
        Ok(())
    }
}
