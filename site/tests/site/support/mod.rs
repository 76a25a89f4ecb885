//! A site in this process, a stand-in for a match's server, and spectators, all on this machine.
//!
//! Every wait has a deadline; what was started ends when it goes out of scope.

pub mod records;

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use tempfile::TempDir;
use tokio::runtime::Runtime;
use tokio::sync::oneshot;
use tokio_tungstenite::tungstenite::client::{IntoClientRequest, client};
use tokio_tungstenite::tungstenite::{Message, WebSocket};
use zappy_play::folder::Folder;
use zappy_play::signature::{self, Key, Kind};
use zappy_site::{CONNECTIONS, PER_ADDRESS, Setup, open};

/// How long anything may take on a busy machine.
pub const DEADLINE: Duration = Duration::from_secs(60);

/// The viewer that these sites send.
pub const VIEWER: &str = "window.ZappyViewer = { start() {} };\n";

/// A site and its folder.
pub struct Stage {
    pub folder: TempDir,
    pub address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    ended: Receiver<()>,
    _runtime: Runtime,
}

/// An answer.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        let line = self.head.lines().find(|line| line.to_lowercase().starts_with(&format!("{name}:")))?;
        Some(line.split_once(':')?.1.trim())
    }

    pub fn text(&self) -> String {
        if self.header("content-encoding") != Some("gzip") {
            return String::from_utf8(self.body.clone()).unwrap();
        }
        let mut text = String::new();
        flate2::read::GzDecoder::new(&self.body[..]).read_to_string(&mut text).unwrap();
        text
    }
}

impl Stage {
    pub fn new() -> Stage {
        Stage::with(CONNECTIONS)
    }

    pub fn with(connections: usize) -> Stage {
        Stage::start(tempfile::tempdir().unwrap(), |setup| setup.connections = connections)
    }

    /// A site of that folder, set up otherwise.
    pub fn start(folder: TempDir, change: impl FnOnce(&mut Setup)) -> Stage {
        let viewer = folder.path().join("viewer.js");
        std::fs::write(&viewer, VIEWER).unwrap();
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let mut setup = Setup {
            folder: folder.path().to_owned(),
            trusted: Vec::new(),
            grades: false,
            key: Some(Key::own().unwrap()),
            listen: "127.0.0.1:0".parse().unwrap(),
            viewer,
            names: Vec::new(),
            connections: CONNECTIONS,
            per_address: PER_ADDRESS,
            games: zappy_server::games::GAMES,
        };
        change(&mut setup);
        let site = runtime.block_on(open(setup)).unwrap();
        let address = site.address().unwrap();
        let (stop, stopped) = oneshot::channel::<()>();
        let (end, ended) = channel();
        runtime.spawn(async move {
            site.run(async { drop(stopped.await) }).await;
            let _ = end.send(());
        });
        Stage { folder, address, stop: Some(stop), ended, _runtime: runtime }
    }

    /// Writes a file below the folder.
    pub fn lay(&self, at: &str, content: impl AsRef<[u8]>) {
        lay(self.folder.path(), at, content);
    }

    /// Signs a folder as the arena does.
    pub fn sign(&self, at: &str, kind: Kind, names: &[&str]) {
        signature::sign(&self.folder.path().join(at), kind, names);
    }

    /// Writes the only file of a match, and signs it.
    pub fn lay_match(&self, at: &str, content: impl AsRef<[u8]>) {
        self.lay(at, content);
        let (folder, name) = at.rsplit_once('/').unwrap();
        self.sign(folder, Kind::Match, &[name]);
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect_timeout(&self.address, DEADLINE).unwrap();
        stream.set_read_timeout(Some(DEADLINE)).unwrap();
        stream.set_write_timeout(Some(DEADLINE)).unwrap();
        stream
    }

    /// What a request is answered with, headers given.
    pub fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)]) -> Answer {
        let mut request = format!("{method} {path} HTTP/1.1\r\nconnection: close\r\n");
        if !headers.iter().any(|(name, _)| *name == "host") {
            request += "host: localhost\r\n";
        }
        headers.iter().for_each(|(name, value)| request += &format!("{name}: {value}\r\n"));
        let mut stream = self.connect();
        stream.write_all((request + "\r\n").as_bytes()).unwrap();
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).unwrap();
        let end = bytes.windows(4).position(|part| part == b"\r\n\r\n").expect("a whole head");
        let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        let answer = Answer { status, head, body: bytes[end + 4..].to_vec() };
        let length: Option<usize> = answer.header("content-length").map(|length| length.parse().unwrap());
        if method != "HEAD" {
            assert!(length.is_none_or(|length| length == answer.body.len()), "{path}: a body cut short");
        }
        answer
    }

    /// What a browser is answered with.
    pub fn get(&self, path: &str) -> Answer {
        self.ask("GET", path, &[("accept-encoding", "gzip, deflate")])
    }

    /// Watches a match; the error is the answer's status.
    pub fn watch(&self, path: &str) -> Result<Watcher, u16> {
        let request = format!("ws://localhost:{}{path}", self.address.port()).into_client_request().unwrap();
        match client(request, self.connect()) {
            Ok((socket, _)) => Ok(Watcher(socket)),
            Err(error) => match error {
                tokio_tungstenite::tungstenite::HandshakeError::Failure(
                    tokio_tungstenite::tungstenite::Error::Http(answer),
                ) => Err(answer.status().as_u16()),
                error => panic!("{error}"),
            },
        }
    }

    /// Tells the site to stop, and waits until it has.
    pub fn stop(&mut self) {
        drop(self.stop.take());
        self.ended.recv_timeout(DEADLINE).expect("the site ends");
    }
}

/// Writes a file below a folder.
pub fn lay(folder: &Path, at: &str, content: impl AsRef<[u8]>) {
    let path = folder.join(at);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, content).unwrap();
}

/// A spectator.
pub struct Watcher(pub WebSocket<TcpStream>);

impl Watcher {
    /// The next text; or how the site closed.
    pub fn next(&mut self) -> Result<String, (u16, String)> {
        loop {
            match self.0.read() {
                Ok(Message::Text(text)) => return Ok(text.to_string()),
                Ok(Message::Close(Some(frame))) => return Err((frame.code.into(), frame.reason.to_string())),
                Ok(_) => {}
                Err(error) => return Err((0, error.to_string())),
            }
        }
    }

    /// All lines until one that has this text.
    pub fn until(&mut self, text: &str) -> String {
        let mut all = String::new();
        while !all.contains(text) {
            all += &self.next().unwrap_or_else(|end| panic!("{end:?} before {text:?} in {all:?}"));
        }
        all
    }

    /// Reads to the end.
    pub fn end(&mut self) -> (u16, String) {
        loop {
            if let Err(end) = self.next() {
                return end;
            }
        }
    }
}

/// A match that runs in a folder, played by no one: what its server says is told by the test.
pub struct Match {
    pub folder: Folder,
    listener: TcpListener,
    observer: Option<TcpStream>,
}

impl Match {
    pub fn begin(at: &Path) -> Match {
        let folder = Folder::prepare(at, false).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        folder.announce(listener.local_addr().unwrap());
        Match { folder, listener, observer: None }
    }

    /// Waits for the site to come, and greets it.
    pub fn greet(&mut self) {
        let (mut observer, _) = self.listener.accept().unwrap();
        observer.set_read_timeout(Some(DEADLINE)).unwrap();
        observer.set_write_timeout(Some(DEADLINE)).unwrap();
        let mut said = [0; 8];
        observer.read_exact(&mut said).unwrap();
        assert_eq!(&said, b"GRAPHIC\n");
        observer.write_all(b"WELCOME\n").unwrap();
        self.observer = Some(observer);
    }

    pub fn say(&mut self, lines: &str) {
        self.observer.as_mut().unwrap().write_all(lines.as_bytes()).unwrap();
    }

    /// Waits until the site has said this.
    pub fn hears(&mut self, words: &str) {
        let mut said = vec![0; words.len()];
        self.observer.as_mut().unwrap().read_exact(&mut said).unwrap();
        assert_eq!(String::from_utf8_lossy(&said), words);
    }

    /// Whether another connection has come.
    pub fn has_another(&self) -> bool {
        self.listener.set_nonblocking(true).unwrap();
        !matches!(self.listener.accept(), Err(error) if error.kind() == ErrorKind::WouldBlock)
    }

    /// Whether the site has ended its connection.
    pub fn is_left(&mut self) -> bool {
        let observer = self.observer.as_mut().unwrap();
        observer.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
        matches!(observer.read(&mut [0; 64]), Ok(0))
    }

    /// Whether the site has said nothing since its greeting.
    pub fn heard_nothing(&mut self) -> bool {
        let observer = self.observer.as_mut().unwrap();
        observer.set_nonblocking(true).unwrap();
        let heard = observer.read(&mut [0; 64]);
        observer.set_nonblocking(false).unwrap();
        heard.is_err_and(|error| error.kind() == ErrorKind::WouldBlock)
    }

    /// The server's end.
    pub fn end(&mut self) {
        self.folder.retract();
        self.observer = None;
    }
}

/// Waits for something.
pub fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < DEADLINE, "{what}");
        std::thread::yield_now();
    }
}
