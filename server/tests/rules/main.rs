//! The rules seen from outside: transcripts, and the records of matches.

mod records;
mod support;
mod transcripts;
