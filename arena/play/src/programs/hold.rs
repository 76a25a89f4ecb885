//! A folder in memory of a size that the kernel keeps, in the place of a team's folder on disk.
//!
//! Bubblewrap mounts it where only the team's programs, which enter these mounts before their own sandbox, and the arena
//! see it. A process of the arena's, the keeper, keeps the mounts until [`Hold`] is dropped. Files without a name take room of
//! it, too. Decides nothing about its size. Tested in this module and in `arena/cli/tests/tournament/limits.rs`.

use std::fs;
use std::io::{self, ErrorKind, Read};
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use crate::os::{Pid, page_size, wait};
use crate::programs::bubblewrap::{Sandbox, TRIAL_LIMIT, end_within};
use crate::programs::environment;

/// The keeper prints its process number, and lives until its input ends.
// On some systems `cat` ends when no process is left that reads its output.
const KEEP: &str = "echo $$; exec cat >/dev/null";
/// How long the keeper may take to end.
const END_LIMIT: Duration = Duration::from_secs(2);
/// Bytes of a process's number with the end of its line.
const LONGEST_NUMBER: usize = 12;

/// A folder in memory; it goes when this is dropped.
#[derive(Debug)]
pub struct Hold {
    bubblewrap: Child,
    /// The process inside, which keeps the mounts alive.
    keeper: Pid,
    /// The folder on disk over which it is mounted.
    folder: PathBuf,
}

impl Hold {
    /// Mounts it over that folder, in sight of those programs alone that enter the keeper's mounts.
    pub fn open(sandbox: &Sandbox, folder: &Path, bytes: u64) -> Result<Hold, String> {
        let mut bubblewrap = Command::new(sandbox.path())
            .args(["--die-with-parent", "--dev-bind", "/", "/", "--size", &bytes.to_string(), "--tmpfs"])
            .arg(folder)
            .args(["--", "sh", "-c", KEEP])
            .env_clear()
            .envs(environment::passed())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .map_err(|error| error.to_string())?;
        let number = bubblewrap.stdout.take().map_or(Ok(None), number);
        match number {
            Ok(Some(keeper)) => Ok(Hold { bubblewrap, keeper, folder: folder.to_path_buf() }),
            other => {
                end(&mut bubblewrap);
                let why = other.err().map_or_else(|| "it says nothing".to_owned(), |error| error.to_string());
                Err(format!("{} holds no folder in memory here: {why}", sandbox.path().display()))
            }
        }
    }

    /// The process that keeps the mounts: programs enter them through it.
    pub fn keeper(&self) -> Pid {
        self.keeper
    }

    /// Bubblewrap's process and the keeper, which are no team's.
    pub fn processes(&self) -> [Pid; 2] {
        [Pid::from_child(&self.bubblewrap), self.keeper]
    }

    /// The folder as the arena sees it.
    pub fn from_outside(&self) -> PathBuf {
        let root = PathBuf::from(format!("/proc/{}/root", self.keeper));
        root.join(self.folder.strip_prefix("/").unwrap_or(&self.folder))
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        end(&mut self.bubblewrap);
    }
}

/// The bytes that the files of that folder would take in memory; links aren't followed.
pub fn size_in_memory(folder: &Path) -> io::Result<u64> {
    let page = page_size() as u64;
    let mut bytes = 0;
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let meta = entry.metadata()?;
            if meta.is_dir() {
                folders.push(entry.path());
            } else {
                bytes += meta.len().next_multiple_of(page);
            }
        }
    }
    Ok(bytes)
}

/// The keeper's process number, if it comes within the limit of time.
fn number(mut out: ChildStdout) -> io::Result<Option<Pid>> {
    let deadline = Instant::now() + TRIAL_LIMIT;
    let mut said = Vec::new();
    while !said.contains(&b'\n') && said.len() < LONGEST_NUMBER {
        match wait(&[out.as_fd()], deadline.saturating_duration_since(Instant::now())) {
            Ok(ready) if !ready[0] => return Err(ErrorKind::TimedOut.into()),
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            waited => waited?,
        };
        let mut bytes = [0; LONGEST_NUMBER];
        match out.read(&mut bytes)? {
            0 => break,
            count => said.extend(&bytes[..count]),
        }
    }
    let text = String::from_utf8_lossy(&said);
    Ok(text.trim().parse().ok().and_then(Pid::from_raw))
}

fn end(bubblewrap: &mut Child) {
    // The keeper ends with its input, and bubblewrap after it.
    drop(bubblewrap.stdin.take());
    let _ = end_within(bubblewrap, END_LIMIT);
    // It may have ended by itself by now.
    let _ = bubblewrap.kill();
    let _ = bubblewrap.wait();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::weight::filled;

    #[test]
    fn files_take_whole_pages() {
        let folder = tempfile::tempdir().unwrap();
        let page = page_size() as u64;
        assert_eq!(size_in_memory(folder.path()).unwrap(), 0);
        fs::create_dir(folder.path().join("below")).unwrap();
        fs::write(folder.path().join("below/one"), "x").unwrap();
        fs::write(folder.path().join("two"), vec![b'x'; page as usize + 1]).unwrap();
        assert_eq!(size_in_memory(folder.path()).unwrap(), 3 * page);
    }

    #[test]
    fn it_is_seen_from_outside_alone_by_its_way_and_goes_with_its_keeper() {
        let folder = tempfile::tempdir().unwrap();
        let opened = Sandbox::find().and_then(|sandbox| Hold::open(&sandbox, folder.path(), 1 << 20));
        let hold = match opened {
            Ok(hold) => hold,
            Err(why) => return eprintln!("{why}, so it is not tested"),
        };
        fs::write(hold.from_outside().join("file"), vec![b'x'; 1 << 19]).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        assert_eq!(filled(&hold.from_outside()).unwrap().bytes, 1 << 19);
        let too_much = fs::write(hold.from_outside().join("more"), vec![b'x'; 1 << 20]).unwrap_err();
        assert_eq!(too_much.kind(), ErrorKind::StorageFull);
        let outside = hold.from_outside();
        drop(hold);
        assert!(!outside.join("file").exists());
    }

    #[test]
    fn what_keeps_nothing_is_an_error_in_words() {
        let none = Sandbox::at("true");
        let why = Hold::open(&none, Path::new("/tmp"), 1 << 20).unwrap_err();
        assert!(why.ends_with("holds no folder in memory here: it says nothing"), "{why}");
    }
}
