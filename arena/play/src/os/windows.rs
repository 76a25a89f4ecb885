//! The names of `os` on Windows.

use std::fs::{self, File, Metadata, Permissions};
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::io::{self, ErrorKind, PipeReader, PipeWriter, Read, Stdin};
use std::num::NonZeroI32;
use std::os::windows::fs::MetadataExt;
use std::os::windows::io::{AsSocket, BorrowedSocket};
use std::os::windows::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread::Builder;
use std::time::Duration;

/// Bytes that are read from a pipe at once.
const CHUNK: usize = 64 << 10;
/// Chunks that wait to be taken.
const CHUNKS: usize = 4;
/// How long the last words of a program that has ended may be on their way.
const LAST_WORDS: Duration = Duration::from_millis(100);
/// A group of its own, to which Ctrl-C doesn't come.
const NEW_PROCESS_GROUP: u32 = 0x200;

/// The number of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pid(NonZeroI32);

impl Pid {
    /// `None` for a number that no process has.
    pub fn from_raw(number: i32) -> Option<Pid> {
        NonZeroI32::new(number).filter(|number| number.get() > 0).map(Pid)
    }

    pub fn as_raw_pid(self) -> i32 {
        self.0.get()
    }

    pub fn from_child(child: &Child) -> Pid {
        Pid::of(child.id())
    }

    fn of(number: u32) -> Pid {
        // The system gives small numbers; one that doesn't fit names no process.
        Pid(i32::try_from(number).ok().and_then(NonZeroI32::new).unwrap_or(NonZeroI32::MAX))
    }
}

impl std::fmt::Display for Pid {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// A signal as Unix has it. Here a process can only be ended by force, and only by the process that started it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Signal(i32);

impl Signal {
    pub const HUP: Signal = Signal(1);
    /// Ctrl-C.
    pub const INT: Signal = Signal(2);
    pub const KILL: Signal = Signal(9);
    pub const TERM: Signal = Signal(15);
    /// Too much time on a processor.
    pub const XCPU: Signal = Signal(24);
    /// Too large a file.
    pub const XFSZ: Signal = Signal(25);

    pub fn as_raw(self) -> i32 {
        self.0
    }
}

pub fn getpid() -> Pid {
    Pid::of(std::process::id())
}

/// The number of the process that started this one isn't told.
pub fn getppid() -> Option<Pid> {
    None
}

/// The bytes of a page of memory.
pub fn page_size() -> usize {
    4096
}

/// Something that can be waited for.
pub type Source<'a> = BorrowedSocket<'a>;

/// The descriptor by which a thing is polled.
pub fn source(of: &impl AsSocket) -> Source<'_> {
    of.as_socket()
}

/// The system acknowledges when it likes.
pub fn acknowledge(_stream: &std::net::TcpStream) {}

/// What is typed can't be waited for.
pub fn typed(_stdin: &Stdin) -> Option<Source<'_>> {
    None
}

/// Always `None`: a match that waits for people needs the server's door.
pub fn read_typed(_chunk: &mut [u8]) -> io::Result<Option<usize>> {
    Ok(None)
}

/// The reading end of a pipe. A thread waits for it, so that nothing else has to.
#[derive(Debug)]
pub struct Pipe {
    chunks: Receiver<Vec<u8>>,
    /// Bytes of the last chunk that aren't read yet.
    rest: Vec<u8>,
    /// How long a chunk is waited for.
    patience: Duration,
}

impl Pipe {
    /// # Errors
    /// When there is no thread left.
    pub fn new(mut pipe: PipeReader) -> io::Result<Pipe> {
        let (sender, chunks) = sync_channel(CHUNKS);
        let read = move || {
            loop {
                let mut chunk = vec![0; CHUNK];
                match pipe.read(&mut chunk) {
                    Ok(count @ 1..) => {
                        chunk.truncate(count);
                        if sender.send(chunk).is_err() {
                            return;
                        }
                    }
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    Ok(_) | Err(_) => return,
                }
            }
        };
        Builder::new().name("pipe".to_owned()).spawn(read)?;
        Ok(Pipe { chunks, rest: Vec::new(), patience: Duration::ZERO })
    }

    /// It can't be waited for.
    pub fn source(&self) -> Option<Source<'_>> {
        None
    }

    /// The program at the other end has ended: what it said last may still be with the thread.
    pub fn expect_end(&mut self) {
        self.patience = LAST_WORDS;
    }
}

impl Read for Pipe {
    fn read(&mut self, chunk: &mut [u8]) -> io::Result<usize> {
        if self.rest.is_empty() {
            match self.chunks.recv_timeout(self.patience) {
                Ok(chunk) => self.rest = chunk,
                Err(RecvTimeoutError::Timeout) => {
                    // A program that it had started may hold the pipe for as long as it likes.
                    self.patience = Duration::ZERO;
                    return Err(ErrorKind::WouldBlock.into());
                }
                Err(RecvTimeoutError::Disconnected) => return Ok(0),
            }
        }
        let count = self.rest.len().min(chunk.len());
        chunk[..count].copy_from_slice(&self.rest[..count]);
        self.rest.drain(..count);
        Ok(count)
    }
}

/// Always fails: here a process can't be signalled by its number.
pub fn kill_process(_pid: Pid, _signal: Signal) -> io::Result<()> {
    Err(ErrorKind::Unsupported.into())
}

/// Always false, since Windows has no root user.
pub fn is_root() -> bool {
    false
}

/// Keeps a console's Ctrl-C from a program: it gets a group of its own.
pub fn set_apart(command: &mut Command) -> &mut Command {
    command.creation_flags(NEW_PROCESS_GROUP)
}

/// The file names under which a program of that name may lie: its ending may be left out.
pub fn spellings(path: PathBuf) -> Vec<PathBuf> {
    let longer = ENDINGS.map(|ending| {
        let mut path = path.clone().into_os_string();
        path.push(".");
        path.push(ending);
        path.into()
    });
    [path.clone()].into_iter().chain(longer).collect()
}

/// Whether that file can be run: its name says so.
pub fn may_run(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ENDINGS.iter().any(|known| ending.eq_ignore_ascii_case(known)))
}

/// How the names of programs end.
const ENDINGS: [&str; 4] = ["exe", "com", "bat", "cmd"];

/// Whether this user may read that file.
pub fn may_read(path: &Path) -> bool {
    File::open(path).is_ok()
}

/// Always true: rights aren't looked at.
pub fn is_open(_path: &Path) -> bool {
    true
}

/// Always false: files have no right to be run.
pub fn is_executable(_meta: &Metadata) -> bool {
    false
}

/// Always true: a user's folders are closed to others by default.
pub fn is_private(_meta: &Metadata) -> bool {
    true
}

/// A new file has the rights of its folder.
pub fn rights(_mode: u32) -> Option<Permissions> {
    None
}

/// Makes a folder, and those above it that aren't there; it has the rights of its parent.
pub fn new_folder(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path)
}

/// As [`new_folder`].
pub fn close_folder(path: &Path) -> io::Result<()> {
    new_folder(path)
}

/// Always true: the rights to a folder aren't looked at.
pub fn is_closed(_path: &Path) -> io::Result<bool> {
    Ok(true)
}

/// Always fails: files keep their owner.
pub fn give(_path: &Path, _user: u32) -> io::Result<()> {
    Err(ErrorKind::Unsupported.into())
}

/// Makes a link to a file.
pub fn link(target: &Path, place: &Path) -> io::Result<()> {
    std::os::windows::fs::symlink_file(target, place)
}

/// What a file system tells of a file without reading it, beside its length: it changes when the file does.
pub fn stamp(meta: &Metadata) -> Vec<u8> {
    [meta.last_write_time(), meta.creation_time()].iter().flat_map(|time| time.to_le_bytes()).collect()
}

/// Always 0: files have no number here.
pub fn number(_meta: &Metadata) -> u64 {
    0
}

/// Always true: while a file is open, no other one takes its name.
pub fn is_same(_one: &Metadata, _other: &Metadata) -> bool {
    true
}

/// The bytes that a file takes of the disk, nearly.
pub fn on_disk(meta: &Metadata) -> u64 {
    if meta.is_file() { meta.len() } else { 0 }
}

/// The greatest number: the system isn't asked.
pub fn free_bytes(_folder: &Path) -> u64 {
    u64::MAX
}

/// What is locked for a folder: a folder itself can't be, so a file of the user's stands for it.
pub fn lock_file(folder: &Path) -> io::Result<File> {
    let whole = fs::canonicalize(folder)?;
    let hash = BuildHasherDefault::<DefaultHasher>::default().hash_one(&whole);
    File::create(std::env::temp_dir().join(format!("zappy-arena-{hash:016x}.lock")))
}

/// Puts a new folder in the place of an old one. There is a moment in which neither is there.
pub fn exchange(new: &Path, old: &Path) -> io::Result<()> {
    fs::remove_dir_all(old)?;
    fs::rename(new, old)
}

/// Opens a file that another program may have put there; `None` if there is none.
///
/// # Errors
/// [`ErrorKind::InvalidInput`] if it is no file, and the system's.
pub fn open_plain(path: &Path) -> io::Result<Option<File>> {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
        Ok(meta) if !meta.is_file() => return Err(ErrorKind::InvalidInput.into()),
        Ok(_) => {}
    }
    File::open(path).map(Some)
}

/// Always `None`: the console isn't asked.
pub fn columns() -> Option<usize> {
    None
}

/// Always fails: pipes belong to no user.
pub fn hand_over(_outputs: &[&PipeWriter], _user: u32) -> io::Result<()> {
    Err(ErrorKind::Unsupported.into())
}

/// The exit code of a child that has ended.
pub fn end_of(child: &mut Child, _pid: Pid) -> io::Result<Option<(Option<i32>, Option<i32>)>> {
    Ok(child.try_wait()?.map(|status| (status.code(), None)))
}

/// Closes the child's stdin if it is to end in order by that; otherwise ends it, and with it its job.
pub fn send(child: &mut Child, _pid: Pid, signal: Signal, leash: &mut Option<PipeWriter>) {
    if leash.take().is_some() && signal == Signal::TERM {
        return;
    }
    // It may have ended by itself.
    let _ = child.kill();
}
