//! What the arena does, through its real binary, in one program: most of these tests wait for matches that others play, so
//! that many run at once. Tests that schedule themselves or load the machine on purpose are programs of their own.

mod audience;
mod class;
mod compare;
mod containment;
mod debugging;
mod endings;
mod grading;
mod in_process;
mod ladder;
mod league;
mod merge;
mod real_server;
mod records;
mod refusals;
mod resume;
mod schema;
mod starters;
mod support;
mod tiny;
mod tournament;
