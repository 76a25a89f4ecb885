//! x
use crate::check::situation::Situation;
pub static ALL: &[Situation] = &[];
