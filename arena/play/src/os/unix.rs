//! The names of `os` on Unix.

use std::fs::{self, DirBuilder, File, Metadata, Permissions};
use std::io::{self, PipeReader, PipeWriter, Read, Stdin};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt, fchown, lchown};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command};
use std::time::Duration;

use rustix::fs::{Access, CWD, Mode, OFlags, RenameFlags, access, renameat_with, statvfs};
use rustix::io::{Errno, ioctl_fionbio};
pub use rustix::param::page_size;
pub use rustix::process::{Pid, Signal, getpid, getppid};
use rustix::process::{WaitId, WaitIdOptions, kill_process_group, waitid};
use rustix::termios::tcgetwinsize;

/// The rights of a folder that is its user's alone.
const PRIVATE: u32 = 0o700;

/// Something that can be waited for.
pub type Source<'a> = BorrowedFd<'a>;

/// The descriptor by which a thing is polled.
pub fn source(of: &impl AsFd) -> Source<'_> {
    of.as_fd()
}

/// Acknowledges at once what has come, where the system lets a program say so: until then a sender that gathers small
/// packets keeps its next lines back.
pub fn acknowledge(stream: &std::net::TcpStream) {
    #[cfg(target_os = "linux")]
    let _ = rustix::net::sockopt::set_tcp_quickack(stream, true);
    #[cfg(not(target_os = "linux"))]
    let _ = stream;
}

/// The source by which standard input is polled.
pub fn typed(stdin: &Stdin) -> Option<Source<'_>> {
    Some(stdin.as_fd())
}

/// Takes what was typed, without waiting: how many bytes; `None` if nothing was. Unbuffered, since only what the system
/// holds is waited for.
pub fn read_typed(chunk: &mut [u8]) -> io::Result<Option<usize>> {
    let stdin = io::stdin();
    let ready = super::wait(&[stdin.as_fd()], Duration::ZERO).is_ok_and(|ready| ready[0]);
    if ready { Ok(Some(rustix::io::read(&stdin, chunk)?)) } else { Ok(None) }
}

/// The reading end of a pipe, which never waits.
#[derive(Debug)]
pub struct Pipe(PipeReader);

impl Pipe {
    /// # Errors
    /// When it can't be read without waiting.
    pub fn new(pipe: PipeReader) -> io::Result<Pipe> {
        ioctl_fionbio(&pipe, true)?;
        Ok(Pipe(pipe))
    }

    /// The source by which it is polled.
    pub fn source(&self) -> Option<Source<'_>> {
        Some(self.0.as_fd())
    }

    /// All that a program printed can be read as soon as it has ended.
    pub fn expect_end(&mut self) {}
}

impl Read for Pipe {
    fn read(&mut self, chunk: &mut [u8]) -> io::Result<usize> {
        self.0.read(chunk)
    }
}

/// Sends a process a signal.
pub fn kill_process(pid: Pid, signal: Signal) -> io::Result<()> {
    Ok(rustix::process::kill_process(pid, signal)?)
}

/// Whether this process is root's.
pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Keeps a terminal's Ctrl-C from a program: it gets a group of its own.
pub fn set_apart(command: &mut Command) -> &mut Command {
    command.process_group(0)
}

/// The file names under which a program of that name may lie.
pub fn spellings(path: std::path::PathBuf) -> Vec<std::path::PathBuf> {
    vec![path]
}

/// Whether this user may run that file.
pub fn may_run(path: &Path) -> bool {
    access(path, Access::EXEC_OK).is_ok()
}

/// Whether this user may read that file.
pub fn may_read(path: &Path) -> bool {
    access(path, Access::READ_OK).is_ok()
}

/// Whether the rights of a file, and of the folder that it lies in, let any user read it.
pub fn is_open(path: &Path) -> bool {
    let has = |path: &Path, rights| fs::metadata(path).is_ok_and(|meta| meta.mode() & rights == rights);
    has(path, 0o004) && path.parent().is_none_or(|folder| has(folder, 0o001))
}

/// Whether any user may run a file.
pub fn is_executable(meta: &Metadata) -> bool {
    meta.permissions().mode() & 0o111 != 0
}

/// Whether a file's user alone may read and write it.
pub fn is_private(meta: &Metadata) -> bool {
    meta.permissions().mode() & 0o077 == 0
}

/// The rights of a new file or folder, from which the system takes what the user wants it to.
pub fn rights(mode: u32) -> Option<Permissions> {
    Some(Permissions::from_mode(mode))
}

/// Makes a folder that no other user can enter, and those above it that aren't there. A folder that is there stays as
/// it is, since people may have put other things into it.
pub fn new_folder(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    if let Some(above) = path.parent() {
        fs::create_dir_all(above)?;
    }
    match DirBuilder::new().mode(PRIVATE).create(path) {
        // Another process has just made it.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => Ok(()),
        done => done,
    }
}

/// As [`new_folder`], for a folder that is the arena's alone: other users are kept out of one that is there, too.
pub fn close_folder(path: &Path) -> io::Result<()> {
    new_folder(path)?;
    if is_closed(path)? { Ok(()) } else { fs::set_permissions(path, Permissions::from_mode(PRIVATE)) }
}

/// Whether no other user can enter a folder.
pub fn is_closed(path: &Path) -> io::Result<bool> {
    Ok(fs::metadata(path)?.permissions().mode() & 0o7777 & !PRIVATE == 0)
}

/// Gives a file or folder to a user, whatever a link there leads to.
pub fn give(path: &Path, user: u32) -> io::Result<()> {
    lchown(path, Some(user), Some(user))
}

/// Makes a link at `place` that names `target`.
pub fn link(target: &Path, place: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(target, place)
}

/// What a file system tells of a file without reading it, beside its length: it changes when the file does.
pub fn stamp(meta: &Metadata) -> Vec<u8> {
    let times = [meta.mtime(), meta.mtime_nsec(), meta.ctime(), meta.ctime_nsec()];
    let mut stamp: Vec<u8> = times.iter().flat_map(|time| time.to_le_bytes()).collect();
    stamp.extend(meta.ino().to_le_bytes());
    stamp
}

/// The number by which its file system knows a file or folder (its inode).
pub fn number(meta: &Metadata) -> u64 {
    meta.ino()
}

/// Whether both are one and the same file.
pub fn is_same(one: &Metadata, other: &Metadata) -> bool {
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

/// The bytes that a file or folder takes of the disk.
pub fn on_disk(meta: &Metadata) -> u64 {
    meta.blocks() * 512
}

/// The bytes that are free where that folder lies; the greatest number if the system doesn't tell.
pub fn free_bytes(folder: &Path) -> u64 {
    statvfs(folder).map_or(u64::MAX, |there| there.f_bavail.saturating_mul(there.f_frsize))
}

/// What is locked for a folder: the folder itself.
pub fn lock_file(folder: &Path) -> io::Result<File> {
    File::open(folder)
}

/// Exchanges two folders, at one moment where the file system can; the old one's content is gone or in the new one's place.
pub fn exchange(new: &Path, old: &Path) -> io::Result<()> {
    match renameat_with(CWD, new, CWD, old, RenameFlags::EXCHANGE) {
        // Some shared file systems can't; then there is a moment in which neither is there.
        Err(Errno::INVAL | Errno::NOSYS) => {
            fs::remove_dir_all(old)?;
            fs::rename(new, old)
        }
        done => Ok(done?),
    }
}

/// Opens a file that another program may have put there; `None` if there is none. Neither follows a link nor waits.
///
/// # Errors
/// [`io::ErrorKind::InvalidInput`] if it is no file, and the system's.
pub fn open_plain(path: &Path) -> io::Result<Option<File>> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = match rustix::fs::open(path, flags, Mode::empty()) {
        Ok(file) => File::from(file),
        Err(Errno::NOENT) => return Ok(None),
        Err(Errno::LOOP | Errno::NXIO) => return Err(io::ErrorKind::InvalidInput.into()),
        Err(error) => return Err(error.into()),
    };
    if file.metadata()?.is_file() { Ok(Some(file)) } else { Err(io::ErrorKind::InvalidInput.into()) }
}

/// The columns of the terminal that standard error is; `None` if it is none.
pub fn columns() -> Option<usize> {
    tcgetwinsize(io::stderr()).ok().map(|size| size.ws_col.into())
}

/// Gives pipes to a user.
pub fn hand_over(outputs: &[&PipeWriter], user: u32) -> io::Result<()> {
    outputs.iter().try_for_each(|output| fchown(output, Some(user), Some(user)))
}

/// The exit code of a child that has ended, or the signal that ended it. It isn't reaped.
pub fn end_of(_child: &mut Child, pid: Pid) -> io::Result<Option<(Option<i32>, Option<i32>)>> {
    let how = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    match waitid(WaitId::Pid(pid), how) {
        Ok(Some(status)) => {
            Ok(Some((status.exit_status().filter(|_| status.exited()), status.terminating_signal())))
        }
        Ok(None) | Err(Errno::INTR) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Sends a signal to a child's whole group, and to itself in case it changed its group.
pub fn send(_child: &mut Child, pid: Pid, signal: Signal, _leash: &mut Option<PipeWriter>) {
    let _ = kill_process_group(pid, signal);
    let _ = kill_process(pid, signal);
}
