//! Tournaments summed up, through the real binary and the library, on folders that are made up here.

mod forfeits;
mod junit;
mod order;
mod page;
mod refusals;
mod standings;
mod synthetic;
mod watch;
