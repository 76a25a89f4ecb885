//! Ladders from the outside: bots that come by themselves, hosts that are killed, and strangers that do harm.

#[path = "../support/programs.rs"]
mod programs;
#[path = "../support/mod.rs"]
mod support;

mod damage;
mod guide;
mod hostile;
mod returns;
mod season;
mod stage;
