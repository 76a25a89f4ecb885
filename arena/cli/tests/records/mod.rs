//! What people do with records, through the real binary, on records of matches that are played here.

mod conquest;
mod matches;
mod pages;
mod proofs;
mod stories;
