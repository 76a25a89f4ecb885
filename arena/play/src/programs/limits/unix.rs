//! Unix: the kernel's limits of a process, which its children inherit.

use std::io;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::{Limits, TASKS};

impl Limits {
    /// From now on this process and its children are held to them.
    ///
    /// # Errors
    /// When the kernel refuses, for instance to raise a limit.
    pub fn impose(self) -> io::Result<()> {
        let limit = |soft, hard| Rlimit { current: Some(soft), maximum: Some(hard) };
        if let Some(mib) = self.memory_mib {
            let bytes = mib.saturating_mul(1 << 20);
            setrlimit(Resource::As, limit(bytes, bytes))?;
        }
        if let Some(seconds) = self.cpu_seconds {
            // At the first limit the kernel sends SIGXCPU, a second later SIGKILL.
            setrlimit(Resource::Cpu, limit(seconds, seconds.saturating_add(1)))?;
        }
        if let Some(mib) = self.disk_mib {
            let bytes = mib.saturating_mul(1 << 20);
            setrlimit(Resource::Fsize, limit(bytes, bytes))?;
            // A crash writes no image of the memory.
            setrlimit(Resource::Core, limit(0, 0))?;
        }
        if let Some(files) = self.files.map(u64::from) {
            // A lower limit that holds already is left as it is.
            let most = getrlimit(Resource::Nofile).maximum.map_or(files, |most| most.min(files));
            setrlimit(Resource::Nofile, limit(most, most))?;
        }
        Ok(())
    }

    /// From now on no more processes and threads of this process's user, which is counted for one team alone, can be started by it
    /// and its children.
    pub fn impose_on_user(self) -> io::Result<()> {
        let Some(processes) = self.processes else { return Ok(()) };
        let tasks = Some(u64::from(processes).saturating_mul(TASKS));
        Ok(setrlimit(Resource::Nproc, Rlimit { current: tasks, maximum: tasks })?)
    }
}
