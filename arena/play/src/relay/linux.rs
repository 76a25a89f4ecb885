//! Linux: threads carry the bytes between a socket that a sandbox sees and the server.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, ErrorKind, PipeReader, PipeWriter, Write};
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4, TcpStream};
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::sockopt::socket_peercred;
use rustix::net::{AddressFamily, SocketFlags, SocketType, bind, connect, getsockname, socket_with};

use super::{Carried, MOST_CONNECTIONS, Relayed};
use crate::programs::pump::Pump;

/// How long a line for the server may take to be written: the server may read it only when it asks.
const SAY_LIMIT: Duration = Duration::from_secs(1);

/// Sends lines to the server at its door, each line whole.
#[derive(Debug, Clone)]
pub struct Voice(Arc<Mutex<UnixStream>>);

impl Voice {
    pub fn new(stream: UnixStream) -> Voice {
        Voice(Arc::new(Mutex::new(stream)))
    }

    /// Sends these lines, and waits up to a second if there is no room for them.
    pub fn say(&self, lines: &str) -> io::Result<()> {
        let mut stream = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut rest = lines.as_bytes();
        while !rest.is_empty() {
            match stream.write(rest) {
                Ok(count) => rest = &rest[count..],
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    let limit = Timespec::try_from(SAY_LIMIT).ok();
                    match poll(&mut [PollFd::new(&*stream, PollFlags::OUT)], limit.as_ref()) {
                        Ok(0) => return Err(error),
                        Ok(_) | Err(Errno::INTR) => {}
                        Err(error) => return Err(error.into()),
                    }
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

/// What the threads and the arena share.
#[derive(Debug)]
struct Shared {
    /// The team of a connection to the server, by its own address; at most one for each port.
    connections: Mutex<HashMap<SocketAddr, Relayed>>,
    /// The teams that wanted more connections than they may have at one time.
    crowded: Vec<AtomicBool>,
    /// The connections that each team has opened.
    opened: Vec<AtomicU32>,
    voice: Option<Voice>,
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

struct Relay {
    team: usize,
    listener: UnixListener,
    server: SocketAddr,
    carried: Carried,
    shared: Arc<Shared>,
}

fn path(folder: &Path, team: usize) -> PathBuf {
    folder.join(format!("team-{team}"))
}

impl Relays {
    /// Opens a socket in that folder for each team that is to have one; `voice` speaks at the server's door.
    ///
    /// # Errors
    /// The system has no socket or no thread left.
    pub fn open(
        folder: &Path,
        server: SocketAddr,
        teams: &[Option<Carried>],
        voice: Option<Voice>,
    ) -> io::Result<Relays> {
        // A socket's path may be longer than the kernel takes; through a descriptor of its folder it is short.
        let opened = File::open(folder)?;
        let short = PathBuf::from(format!("/proc/self/fd/{}", opened.as_raw_fd()));
        let crowded = teams.iter().map(|_| AtomicBool::new(false)).collect();
        let opened_by = teams.iter().map(|_| AtomicU32::new(0)).collect();
        let shared = Arc::new(Shared { connections: Mutex::default(), crowded, opened: opened_by, voice });
        let (stopped, stop) = io::pipe()?;
        let mut relays =
            Relays { shared, folder: folder.to_path_buf(), stop: Some(stop), threads: Vec::new() };
        let carried = teams.iter().enumerate().filter_map(|(team, carried)| Some((team, carried.clone()?)));
        for (team, carried) in carried {
            let socket = path(&short, team);
            let listener = UnixListener::bind(socket)?;
            listener.set_nonblocking(true)?;
            let (shared, stopped) = (Arc::clone(&relays.shared), stopped.try_clone()?);
            let relay = Relay { team, listener, server, carried, shared };
            let thread = Builder::new().name(format!("relay {team}")).spawn(move || relay.carry(&stopped))?;
            relays.threads.push(thread);
        }
        Ok(relays)
    }

    pub fn socket(&self, team: usize) -> PathBuf {
        path(&self.folder, team)
    }

    /// The connection from this address; `None` if it came through no relay.
    pub fn connection(&self, peer: &SocketAddr) -> Option<Relayed> {
        self.shared.connections.lock().unwrap_or_else(PoisonError::into_inner).get(peer).copied()
    }

    /// The connections that a team has opened.
    pub fn opened(&self, team: usize) -> u32 {
        self.shared.opened[team].load(Ordering::Relaxed)
    }

    /// Whether a team wanted more connections than it may have at one time.
    pub fn is_crowded(&self, team: usize) -> bool {
        self.shared.crowded[team].load(Ordering::Relaxed)
    }
}

impl Drop for Relays {
    fn drop(&mut self) {
        self.stop = None;
        for thread in self.threads.drain(..) {
            // A thread that panicked has printed that.
            let _ = thread.join();
        }
    }
}

impl Relay {
    /// Carries the team's connections until `stopped` can be read.
    fn carry(&self, stopped: &PipeReader) {
        let mut pump = Pump::default();
        loop {
            match pump.wait(&[self.listener.as_fd(), stopped.as_fd()], None) {
                Ok(ready) if ready[1] => return,
                Ok(ready) if ready[0] => self.accept(&mut pump),
                Ok(_) => {}
                Err(error) => return log::error!("connections aren't carried any more: {error}"),
            }
        }
    }

    /// Takes in what waits. A connection that is one too many, or that the server doesn't take, is closed.
    fn accept(&self, pump: &mut Pump) {
        while let Ok((stream, _)) = self.listener.accept() {
            if let Some(most) = self.carried.most {
                let opened = self.shared.opened[self.team].fetch_add(1, Ordering::Relaxed);
                let crowded = pump.count() >= most as usize;
                self.shared.crowded[self.team].fetch_or(crowded, Ordering::Relaxed);
                if crowded || opened >= MOST_CONNECTIONS {
                    continue;
                }
            }
            match stream.set_nonblocking(true).and_then(|()| self.connect(&stream)) {
                Ok(other) => pump.add(stream, other),
                Err(error) => log::debug!("the server doesn't take a connection: {error}"),
            }
        }
    }

    /// Opens the connection to the server, and notes its team before the server can ask.
    fn connect(&self, from: &UnixStream) -> io::Result<TcpStream> {
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        let socket = socket_with(AddressFamily::INET, SocketType::STREAM, flags, None)?;
        bind(&socket, &SocketAddrV4::new(Ipv4Addr::LOCALHOST, 0))?;
        let own = SocketAddr::try_from(getsockname(&socket)?)?;
        // The relay is this process's child, seen from outside of its sandbox.
        let relay = socket_peercred(from).ok().map(|peer| peer.pid);
        {
            let mut connections = self.shared.connections.lock().unwrap_or_else(PoisonError::into_inner);
            let arrival = connections.len() as u64;
            connections.insert(own, Relayed { team: self.team, arrival, relay });
        }
        if let Some(voice) = &self.shared.voice {
            // Where this fails the server asks.
            let _ = voice.say(&format!("carried {own} {}\n", self.carried.name));
        }
        match connect(&socket, &self.server) {
            Ok(()) | Err(Errno::INPROGRESS) => {}
            Err(error) => return Err(error.into()),
        }
        let stream = TcpStream::from(socket);
        stream.set_nodelay(true)?;
        Ok(stream)
    }
}
