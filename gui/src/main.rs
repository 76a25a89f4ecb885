//! The observer.

fn main() {}
