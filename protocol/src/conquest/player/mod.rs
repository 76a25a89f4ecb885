//! The players' dialect: what a program that plays sends and reads.
//!
//! Parsing takes any bytes and never panics; printing gives the exact bytes of the wire without the line's end.
//! `parse(print(x)) == x` holds for every value. Tested in each module and in `tests/conquest.rs`.

mod order;
mod server;

pub use order::{Actor, BadLine, BaseOrder, CityOrder, Order, PlayerLine, UnitOrder, UnitOrderKind};
pub use server::{BadServerLine, Ranked, ServerLine};
