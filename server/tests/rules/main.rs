//! The rules seen from outside: transcripts, and the records of matches.

mod observers;
mod records;
mod support;
mod transcripts;
