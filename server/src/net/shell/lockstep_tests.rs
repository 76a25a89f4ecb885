//! Rounds over a network in memory.
