//! x
pub use situations::ALL;
mod situations;
