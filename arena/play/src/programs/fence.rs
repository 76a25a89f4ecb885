//! Landlock around other people's programs, where bubblewrap is missing: the kernel holds a program and all that it starts
//! to the files it needs and to the server's port. It takes no privilege.
//!
//! What is not named can't be read, not even by root; outside of its folder nothing can be written; newer kernels also
//! forbid connections to other ports (since Linux 6.7) and signals to processes outside (since 6.12). Datagrams and other
//! ways around that are refused by a filter of system calls. Root's programs lose all privileges but the one to read others'
//! files. Processes and their command lines stay in sight. Tested in this module and in
//! `arena/cli/tests/tournament/sandbox.rs` and `arena/cli/tests/tournament/walls.rs`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::programs::room::{MayReach, Room, follow};

/// What a program may do.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub struct Fence {
    /// Files and folders that it may read, besides those of the system
    #[arg(long)]
    pub read: Vec<PathBuf>,
    /// Folders that it may write into
    #[arg(long)]
    pub write: Vec<PathBuf>,
    /// The only port that it may connect to
    #[arg(long)]
    pub connect: Option<u16>,
}

impl Fence {
    /// What Landlock lets a program do in that room. Of a folder with a hidden one in it, the program may read only the
    /// files that it needs.
    pub fn of(room: &Room<'_>) -> Fence {
        let files = room.needed.iter().map(|needed| follow(needed).0).filter(|real| real.is_file());
        let mut read: Vec<PathBuf> = files.chain(room.open()).filter(|path| !room.hides(path)).collect();
        read.extend(room.folder.map(Path::to_path_buf));
        read.sort();
        read.dedup();
        Fence { read, write: room.folder.map(Path::to_path_buf).into_iter().collect(), connect: None }
    }

    /// The words of the command line before the program's own; [`complete`] adds the last of them.
    pub fn around(&self, launcher: &Path) -> Vec<OsString> {
        let mut words: Vec<OsString> = vec![launcher.into(), "fence".into()];
        for (flag, paths) in [("--read", &self.read), ("--write", &self.write)] {
            words.extend(paths.iter().flat_map(|path| [flag.into(), path.into()]));
        }
        words.extend(self.connect.iter().flat_map(|port| ["--connect".into(), port.to_string().into()]));
        words
    }
}

/// Ends the words before a program's own on the command line with what it may connect to.
pub fn complete(words: &mut Vec<OsString>, reach: &MayReach<'_>) {
    if let MayReach::Server { port, .. } = reach {
        words.extend(["--connect".into(), port.to_string().into()]);
    }
    words.push("--".into());
}

pub use kernel::find;

#[cfg(not(target_os = "linux"))]
mod kernel {
    use super::Fence;

    pub fn find() -> Result<String, String> {
        Err("Landlock is part of Linux alone".to_owned())
    }

    impl Fence {
        /// Fails: no process can be held to a fence here.
        pub fn impose(&self) -> Result<(), String> {
            find().map(drop)
        }
    }
}

#[cfg(target_os = "linux")]
mod kernel {
    use landlock::{
        ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, NetPort, Ruleset, RulesetAttr,
        RulesetCreatedAttr, RulesetError, RulesetStatus, Scope, path_beneath_rules,
    };

    use rustix::thread::{
        CapabilitySet, CapabilitySets, capabilities, remove_capability_from_bounding_set, set_capabilities,
    };

    use std::os::unix::fs::MetadataExt;
    use std::path::{Path, PathBuf};
    use std::{fs, io};

    use super::Fence;
    use crate::programs::filter;
    use crate::programs::room::{SECRETS, SETTINGS, SYSTEM};

    /// Files and folders that the kernel makes and every program may read.
    const KERNEL: [&str; 5] = ["/proc", "/dev/null", "/dev/zero", "/dev/urandom", "/dev/random"];
    /// Devices that every program may write into.
    const SINKS: [&str; 3] = ["/dev/null", "/dev/zero", "/dev/full"];
    /// The rights by which all users may read a file, and by which they may list and enter a folder.
    const READ: u32 = 0o004;
    const LIST_AND_ENTER: u32 = 0o005;
    /// The newest version of Landlock that is used, if the kernel has it.
    const NEWEST: ABI = ABI::V6;

    /// What Landlock can hold a program to on this kernel: `files`, and perhaps `connections` and `signals`.
    ///
    /// # Errors
    /// In words, why there is no Landlock.
    pub fn find() -> Result<String, String> {
        let strict = || Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
        let files = strict().handle_access(AccessFs::from_all(ABI::V1)).and_then(Ruleset::create);
        files.map_err(|error| format!("this kernel has no Landlock: {error}"))?;
        let mut words = "files".to_owned();
        if strict().handle_access(AccessNet::from_all(ABI::V4)).and_then(Ruleset::create).is_ok() {
            words += ", connections";
        }
        if strict().scope(Scope::from_all(ABI::V6)).and_then(Ruleset::create).is_ok() {
            words += ", signals";
        }
        Ok(words)
    }

    /// From now on this process and its children have no capability but that to read files of others, if they have it: a bot's
    /// files may lie in a folder of another user, and the fence bounds what can be read. The process must already be unable
    /// to gain privileges.
    fn disarm() -> io::Result<()> {
        let kept = CapabilitySet::DAC_READ_SEARCH;
        let own = capabilities(None)?;
        if own.permitted.is_empty() {
            return Ok(());
        }
        for bit in 0..u64::BITS {
            let one = CapabilitySet::from_bits_retain(1 << bit);
            // The kernel has fewer than 64 capabilities. If it refuses this, the process still can't get one that isn't
            // permitted now.
            if one != kept {
                let _ = remove_capability_from_bounding_set(one);
            }
        }
        let left = own.permitted & kept;
        Ok(set_capabilities(None, CapabilitySets { effective: left, permitted: left, inheritable: left })?)
    }

    /// Adds to `open` what any user may read in a folder, without the system's secrets: the folder itself if any user
    /// may read all of it; otherwise each file, since a program of root's could read the rest. Gives whether any user
    /// may read all.
    fn open_to_all(folder: &Path, open: &mut Vec<PathBuf>) -> bool {
        let (first, mut whole) = (open.len(), true);
        for path in fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
            let is_secret = SECRETS.iter().any(|secret| path == Path::new(secret));
            // What a link leads to may be gone.
            let Ok(meta) = fs::metadata(&path) else { continue };
            let rights = if meta.is_dir() { LIST_AND_ENTER } else { READ };
            if is_secret || meta.mode() & rights != rights {
                whole = false;
            } else if meta.is_dir() && !path.is_symlink() {
                whole &= open_to_all(&path, open);
            } else {
                open.push(path);
            }
        }
        if whole {
            open.truncate(first);
            open.push(folder.to_path_buf());
        }
        whole
    }

    impl Fence {
        /// From now on this process and its children are held to this fence.
        ///
        /// # Errors
        /// In words, what the kernel lacks or refuses.
        pub fn impose(&self) -> Result<(), String> {
            let restrict = || -> Result<RulesetStatus, RulesetError> {
                let (reading, all) = (AccessFs::from_read(NEWEST), AccessFs::from_all(NEWEST));
                let mut settings = Vec::new();
                open_to_all(Path::new(SETTINGS), &mut settings);
                let system = SYSTEM.iter().chain(&KERNEL).map(PathBuf::from);
                let read = system.chain(settings).chain(self.read.iter().cloned());
                let mut rules = Ruleset::default()
                    .handle_access(all)?
                    .handle_access(AccessNet::from_all(NEWEST))?
                    .scope(Scope::from_all(NEWEST))?
                    .create()?
                    .add_rules(path_beneath_rules(read, reading))?
                    .add_rules(path_beneath_rules(SINKS, all))?
                    .add_rules(path_beneath_rules(&self.write, all))?;
                if let Some(port) = self.connect {
                    rules = rules.add_rule(NetPort::new(port, AccessNet::ConnectTcp))?;
                }
                Ok(rules.restrict_self()?.ruleset)
            };
            let status = restrict().map_err(|error| error.to_string())?;
            if status == RulesetStatus::NotEnforced {
                return Err("this kernel has no Landlock".to_owned());
            }
            disarm().map_err(|error| format!("capabilities can't be given up: {error}"))?;
            filter::impose(false)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_stands_before_the_program() {
        let fence = Fence { read: vec!["/a".into()], write: vec!["/b c".into()], connect: Some(7) };
        let words = fence.around(Path::new("/arena"));
        assert_eq!(words, ["/arena", "fence", "--read", "/a", "--write", "/b c", "--connect", "7"]);
    }
}
