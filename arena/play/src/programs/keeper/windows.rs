//! Windows: a job ends all that was started when the keeper or the player ends, so the keeper only waits.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, ExitStatus};

use crate::Error;
use crate::programs::contain::Orphans;
use crate::programs::signals::Signals;

/// Runs this program again, with `arguments`. A console's Ctrl-C reaches both: the player ends in order, and the keeper after
/// it. What is typed isn't handed on.
pub fn keep(program: &Path, arguments: &[OsString], _typed: bool) -> Result<ExitStatus, Error> {
    let _orphans = Orphans::adopt().map_err(|error| Error::System("can't hold programs in a job", error))?;
    let _signals = Signals::install()?;
    let mut player = Command::new(program)
        .args(arguments)
        .spawn()
        .map_err(|error| Error::Spawn("the match".into(), error))?;
    player.wait().map_err(|error| Error::System("can't wait for the match", error))
}
