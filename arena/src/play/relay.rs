//! The arena's end of the relays: a socket for each contained team, and behind each of its connections one to the server.
//!
//! What comes in over a team's socket is that team's, by construction: no other program can reach it. A thread for each
//! carries the bytes. Never looks at what they say. Tested in `tests/tournament/sandbox.rs` and
//! `tests/tournament/names.rs`.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, ErrorKind, PipeReader, PipeWriter};
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4, TcpStream};
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};

use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketFlags, SocketType, bind, connect, getsockname, socket_with};

use crate::programs::pump::Pump;

/// What the threads and the arena share.
#[derive(Debug)]
struct Shared {
    /// Whose a connection to the server is, by its own address; at most one for each port.
    teams: Mutex<HashMap<SocketAddr, usize>>,
    /// The teams that wanted more connections than they may have.
    crowded: Vec<AtomicBool>,
}

/// The relays of a match.
#[derive(Debug)]
pub struct Relays {
    shared: Arc<Shared>,
    folder: PathBuf,
    /// Closed, it ends the threads.
    stop: Option<PipeWriter>,
    threads: Vec<JoinHandle<()>>,
}

/// One team's.
struct Relay {
    team: usize,
    listener: UnixListener,
    server: SocketAddr,
    /// Connections that it may have at one time.
    most: usize,
    shared: Arc<Shared>,
}

fn path(folder: &Path, team: usize) -> PathBuf {
    folder.join(format!("team-{team}"))
}

impl Relays {
    /// Opens a socket in that folder for each team of which it is said how many connections it may have.
    ///
    /// # Errors
    /// The system has no socket or no thread left.
    pub fn open(folder: &Path, server: SocketAddr, teams: &[Option<usize>]) -> io::Result<Relays> {
        // The way to a socket may be longer than the kernel takes; that through a descriptor is short.
        let opened = File::open(folder)?;
        let short = PathBuf::from(format!("/proc/self/fd/{}", opened.as_raw_fd()));
        let crowded = teams.iter().map(|_| AtomicBool::new(false)).collect();
        let shared = Arc::new(Shared { teams: Mutex::default(), crowded });
        let (stopped, stop) = io::pipe()?;
        let mut relays =
            Relays { shared, folder: folder.to_path_buf(), stop: Some(stop), threads: Vec::new() };
        for (team, most) in teams.iter().enumerate().filter_map(|(team, most)| Some((team, (*most)?))) {
            let socket = path(&short, team);
            // A match that begins again finds that of its first try.
            match fs::remove_file(&socket) {
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
                _ => {}
            }
            let listener = UnixListener::bind(socket)?;
            listener.set_nonblocking(true)?;
            let (shared, stopped) = (Arc::clone(&relays.shared), stopped.try_clone()?);
            let relay = Relay { team, listener, server, most, shared };
            let thread = Builder::new().name(format!("relay {team}")).spawn(move || relay.carry(&stopped))?;
            relays.threads.push(thread);
        }
        Ok(relays)
    }

    /// A team's socket.
    #[must_use]
    pub fn socket(&self, team: usize) -> PathBuf {
        path(&self.folder, team)
    }

    /// The team whose connection has this address at its own end.
    #[must_use]
    pub fn team_of(&self, peer: &SocketAddr) -> Option<usize> {
        self.shared.teams.lock().unwrap_or_else(PoisonError::into_inner).get(peer).copied()
    }

    /// Whether a team wanted more connections than it may have.
    #[must_use]
    pub fn is_crowded(&self, team: usize) -> bool {
        self.shared.crowded.get(team).is_some_and(|crowded| crowded.load(Ordering::Relaxed))
    }
}

impl Drop for Relays {
    fn drop(&mut self) {
        self.stop = None;
        for thread in self.threads.drain(..) {
            // One that panicked has said so.
            let _ = thread.join();
        }
    }
}

impl Relay {
    /// Carries until it is stopped.
    fn carry(&self, stopped: &PipeReader) {
        let mut pump: Pump<UnixStream, TcpStream> = Pump::default();
        loop {
            match pump.wait(&[self.listener.as_fd(), stopped.as_fd()], None) {
                Ok(ready) if ready[1] => return,
                Ok(ready) if ready[0] => self.accept(&mut pump),
                Ok(_) => {}
                Err(error) => return log::error!("connections aren't carried any more: {error}"),
            }
        }
    }

    /// A connection that is one too many, or that the server doesn't take, is closed.
    fn accept(&self, pump: &mut Pump<UnixStream, TcpStream>) {
        while let Ok((stream, _)) = self.listener.accept() {
            if pump.count() >= self.most {
                self.shared.crowded[self.team].store(true, Ordering::Relaxed);
                continue;
            }
            match stream.set_nonblocking(true).and_then(|()| self.connect()) {
                Ok(other) => pump.add(stream, other),
                Err(error) => log::debug!("the server doesn't take a connection: {error}"),
            }
        }
    }

    /// Notes whose it is before the server can ask.
    fn connect(&self) -> io::Result<TcpStream> {
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        let socket = socket_with(AddressFamily::INET, SocketType::STREAM, flags, None)?;
        bind(&socket, &SocketAddrV4::new(Ipv4Addr::LOCALHOST, 0))?;
        let own = SocketAddr::try_from(getsockname(&socket)?)?;
        self.shared.teams.lock().unwrap_or_else(PoisonError::into_inner).insert(own, self.team);
        match connect(&socket, &self.server) {
            Ok(()) | Err(Errno::INPROGRESS) => {}
            Err(error) => return Err(error.into()),
        }
        let stream = TcpStream::from(socket);
        stream.set_nodelay(true)?;
        Ok(stream)
    }
}
