//! The rules seen from outside: transcripts, and the records of matches.

mod observers;
mod records;
mod resume;
mod support;
mod transcripts;
