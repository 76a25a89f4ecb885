//! Limits on what other people's programs may use.
//!
//! The launcher imposes the kernel's limits on itself before it becomes the program, and every process that the
//! program starts inherits them; they hold for each process by itself. `guard` holds a team to what it may use together. Tested in
//! this module and in `arena/cli/tests/tournament/`.

use std::ffi::OsString;
use std::io;

use clap::Args;
#[cfg(unix)]
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde::{Deserialize, Serialize};

use crate::programs::logfile::BOT_LOG_LIMIT;

/// Where no limit is given, a team may have at least this many processes, and open files, for each program that is started.
const LEAST_PER_PROGRAM: u32 = 4;

/// The kernel's limit on processes and threads together, for each process that the team may have. It is twice the guard's, so
/// that the guard, which can say which limit was broken, usually comes first.
pub const TASKS: u64 = 32;

/// The variable from which a JVM reads flags; those on its command line win. Without them it reserves a quarter of the
/// machine's memory and 1.2 GiB beside it, which is more than a process may have on a large machine.
const JVM: &str = "JAVA_TOOL_OPTIONS";

/// What a bot's programs may use. Unset: no limit; tournaments fill in the defaults ([`Limits::or_default`]).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Args, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Address space of each process, in MiB
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_mib: Option<u64>,
    /// Processes of a team at one time
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processes: Option<u32>,
    /// Seconds of a processor for each process
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_seconds: Option<u64>,
    /// What is kept of each process's output, in KiB
    #[arg(skip)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log_kib: Option<u64>,
    /// What a team writes into its working folder, and the longest file of each process, in MiB
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disk_mib: Option<u64>,
    /// Files and connections that each process has open at one time, and connections that a team has
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files: Option<u32>,
    /// Memory that all processes of a team hold at one time, in MiB
    #[arg(skip)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team_memory_mib: Option<u64>,
}

impl Limits {
    /// What holds in a tournament that gives no limits: far more than a bot needs that plays by the rules,
    /// and far less than would harm the machine. Runtimes that reserve address space they never use fit in.
    pub const DEFAULT: Limits = Limits {
        memory_mib: Some(4096),
        processes: Some(64),
        cpu_seconds: Some(600),
        log_kib: Some(BOT_LOG_LIMIT / 1024),
        disk_mib: Some(256),
        files: Some(512),
        team_memory_mib: Some(4096),
    };

    /// These limits; each that is unset is taken from the other ones.
    #[must_use]
    pub fn or(self, others: Limits) -> Limits {
        Limits {
            memory_mib: self.memory_mib.or(others.memory_mib),
            processes: self.processes.or(others.processes),
            cpu_seconds: self.cpu_seconds.or(others.cpu_seconds),
            log_kib: self.log_kib.or(others.log_kib),
            disk_mib: self.disk_mib.or(others.disk_mib),
            files: self.files.or(others.files),
            team_memory_mib: self.team_memory_mib.or(others.team_memory_mib),
        }
    }

    /// These limits; each that is unset is the default for a bot of which this many programs are started.
    #[must_use]
    pub fn or_default(self, programs: u32) -> Limits {
        let least = programs.saturating_mul(LEAST_PER_PROGRAM);
        let processes = Limits::DEFAULT.processes.map(|most| most.max(least));
        let files = Limits::DEFAULT.files.map(|most| most.max(least));
        self.or(Limits { processes, files, ..Limits::DEFAULT })
    }

    /// The longest log of a process, in bytes.
    pub fn log_bytes(self) -> u64 {
        self.log_kib.map_or(BOT_LOG_LIMIT, |kib| kib.saturating_mul(1024))
    }

    /// A variable, as name and value, for JVMs, which would reserve more address space than a process may have: it says
    /// how much memory the machine has. `None` without a limit of memory.
    pub fn environment(self) -> Option<(String, String)> {
        // The JVM takes a quarter of `MaxRAM` as its heap.
        let flags = |mib: u64| {
            format!(
                "-XX:MaxRAM={}m -XX:CompressedClassSpaceSize=64m -XX:ReservedCodeCacheSize=64m",
                mib.div_ceil(2)
            )
        };
        self.memory_mib.map(|mib| (JVM.to_owned(), flags(mib)))
    }

    /// Holds this process and its children to these limits. `alone`: the process's user runs only processes of this
    /// team, so the kernel may limit their number as well.
    ///
    /// # Errors
    /// When the kernel refuses, for instance to raise a limit.
    #[cfg(unix)]
    pub fn impose(self, alone: bool) -> io::Result<()> {
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
            // A lower limit that holds already stays.
            let most = getrlimit(Resource::Nofile).maximum.map_or(files, |most| most.min(files));
            setrlimit(Resource::Nofile, limit(most, most))?;
        }
        if let Some(processes) = self.processes.map(u64::from).filter(|_| alone) {
            let tasks = processes.saturating_mul(TASKS);
            setrlimit(Resource::Nproc, limit(tasks, tasks))?;
        }
        Ok(())
    }

    /// Fails if a limit is asked for that only the kernel could keep.
    #[cfg(windows)]
    pub fn impose(self, _alone: bool) -> io::Result<()> {
        let Limits { memory_mib, cpu_seconds, disk_mib, files, .. } = self;
        if memory_mib.or(cpu_seconds).or(disk_mib).or(files.map(u64::from)).is_some() {
            return Err(io::Error::new(io::ErrorKind::Unsupported, "only Linux holds bots to limits"));
        }
        Ok(())
    }

    /// The flags for the launcher, without those for what the launcher doesn't impose.
    pub fn arguments(self) -> Vec<OsString> {
        let flags = [
            ("--memory-mib", self.memory_mib),
            ("--processes", self.processes.map(u64::from)),
            ("--cpu-seconds", self.cpu_seconds),
            ("--disk-mib", self.disk_mib),
            ("--files", self.files.map(u64::from)),
        ];
        let given = flags.into_iter().filter_map(|(flag, value)| Some((flag, value?)));
        given.flat_map(|(flag, value)| [flag.into(), value.to_string().into()]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_jvm_takes_a_quarter_of_half_of_what_it_may_use() {
        assert_eq!(Limits::default().environment(), None);
        let (name, flags) = Limits::DEFAULT.environment().unwrap();
        assert_eq!(name, "JAVA_TOOL_OPTIONS");
        assert!(flags.starts_with("-XX:MaxRAM=2048m "), "{flags}");
        let odd = Limits { memory_mib: Some(1), ..Limits::default() };
        assert!(odd.environment().unwrap().1.starts_with("-XX:MaxRAM=1m "));
    }
}
