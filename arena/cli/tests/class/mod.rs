//! A class in one command, through the real binary: thirty submissions with bad ones of each kind among them, killed and
//! resumed; names that are hostile; one submission alone as services for autograding have it graded.

mod action;
mod alone;
mod equal;
mod gradebook;
mod kinds;
mod names;
mod proof;
mod rights;
mod room;
mod slow;
mod thirty;
