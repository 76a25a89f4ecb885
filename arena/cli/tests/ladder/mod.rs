//! Ladders from the outside: bots that come by themselves, hosts that are killed, and strangers that do harm.

mod damage;
mod guide;
mod hostile;
mod returns;
mod season;
mod stage;
