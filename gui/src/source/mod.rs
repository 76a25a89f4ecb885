//! Where lines come from.
