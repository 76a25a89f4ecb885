//! Unix: a pipe is opened without waiting for its other end.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use nix::errno::Errno;
use nix::fcntl::OFlag;

/// Opens what lies there, if it is a file or not.
///
/// # Errors
/// The system's.
pub fn open(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    options.custom_flags(OFlag::O_NONBLOCK.bits()).open(path)
}

/// Whether an error means that there is a pipe which no program reads.
pub fn is_pipe(error: &io::Error) -> bool {
    error.raw_os_error() == Some(Errno::ENXIO as i32)
}

/// What is no file, in this folder.
#[cfg(test)]
pub fn no_files(folder: &Path) -> Vec<std::path::PathBuf> {
    let pipe = folder.join("pipe");
    nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
    vec![pipe, "/dev/zero".into(), folder.into()]
}
