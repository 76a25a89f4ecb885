//! Live matches over real sockets on loopback: everything that can go wrong, and other servers' streams.

mod again;
mod failures;
mod fake;
mod feed;
mod streams;
