//! The real binary as a child, and clients that wait for lines with a deadline.

use std::io::{BufRead, BufReader, Cursor, ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
#[cfg(unix)]
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use zappy_server::result::MatchResult;

/// How long a test waits for anything.
pub const PATIENCE: Duration = Duration::from_secs(20);

pub const BINARY: &str = env!("CARGO_BIN_EXE_zappy_server");

/// A server that ends with its test.
pub struct Server {
    pub child: Child,
    pub stdin: Option<ChildStdin>,
    pub address: SocketAddr,
    stdout: Receiver<String>,
    stderr: Receiver<String>,
    log: Vec<String>,
}

fn lines_of(stream: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(stream).split(b'\n').map_while(Result::ok) {
            if sender.send(String::from_utf8_lossy(&line).into_owned()).is_err() {
                return;
            }
        }
    });
    receiver
}

impl Server {
    /// A server for the teams red and blue on a free port of loopback, its stdin a pipe.
    pub fn start(flags: &str) -> Server {
        let mut command = Command::new(BINARY);
        command.args("-p 0 --bind 127.0.0.1 -n red blue".split(' ')).args(flags.split_whitespace());
        Server::spawn(command.stdin(Stdio::piped()))
    }

    /// The same, its stdin this socket.
    #[cfg(unix)]
    pub fn start_with_door(flags: &str, door: OwnedFd) -> Server {
        let mut command = Command::new(BINARY);
        command.args("-p 0 --bind 127.0.0.1 --door -n red blue".split(' ')).args(flags.split_whitespace());
        Server::spawn(command.stdin(Stdio::from(door)))
    }

    /// The same, started by a shell line in which `"$@"` stands for the server and its flags.
    pub fn start_in_shell(line: &str, flags: &str) -> Server {
        let mut command = Command::new("sh");
        command.args(["-c", line, "sh", BINARY]);
        command.args("-p 0 --bind 127.0.0.1 -n red blue".split(' ')).args(flags.split_whitespace());
        Server::spawn(command.stdin(Stdio::null()))
    }

    /// The same as `start`, but its stdout is read up to the address only; gives the other end, too.
    pub fn start_unread() -> (Server, ChildStdout) {
        let mut command = Command::new(BINARY);
        command.args("-p 0 --bind 127.0.0.1 -n red blue".split(' ')).stdin(Stdio::piped());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut stdout = child.stdout.take().unwrap();
        let mut first = Vec::new();
        while first.last() != Some(&b'\n') {
            let mut byte = [0];
            stdout.read_exact(&mut byte).unwrap();
            first.push(byte[0]);
        }
        (Server::new(child, lines_of(Cursor::new(first))), stdout)
    }

    /// Runs this command, a server with its flags, and waits for its address.
    pub fn spawn(command: &mut Command) -> Server {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let stdout = lines_of(child.stdout.take().unwrap());
        Server::new(child, stdout)
    }

    fn new(mut child: Child, stdout: Receiver<String>) -> Server {
        let stderr = lines_of(child.stderr.take().unwrap());
        let first = stdout.recv_timeout(PATIENCE).unwrap_or_else(|_| {
            let _ = child.kill();
            panic!("no address: {:?}", stderr.iter().collect::<Vec<_>>())
        });
        let address = first.strip_prefix("listening on ").unwrap_or_else(|| panic!("{first}"));
        let address = address.parse().unwrap();
        let stdin = child.stdin.take();
        Server { child, stdin, address, stdout, stderr, log: Vec::new() }
    }

    pub fn connect(&self) -> Client {
        Client::new(TcpStream::connect(self.address).unwrap())
    }

    /// A client that has read `WELCOME` and said a name.
    pub fn enter(&self, name: &str) -> Client {
        let mut client = self.connect();
        client.expect("WELCOME");
        client.send(&format!("{name}\n"));
        client
    }

    /// A client that has read `WELCOME` and joined a team.
    pub fn join(&self, team: &str) -> Client {
        let mut client = self.enter(team);
        client.line();
        client.line();
        client
    }

    pub fn console(&mut self, line: &str) {
        writeln!(self.stdin.as_mut().unwrap(), "{line}").unwrap();
    }

    /// Waits for a line on stdout that holds `text`.
    pub fn expect_answer(&self, text: &str) {
        let end = Instant::now() + PATIENCE;
        while !self.stdout.recv_timeout(end.saturating_duration_since(Instant::now())).unwrap().contains(text)
        {
        }
    }

    /// Waits for a line of the log that holds `text`.
    pub fn expect_log(&mut self, text: &str) {
        let end = Instant::now() + PATIENCE;
        loop {
            match self.stderr.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok(line) => self.log.push(line),
                Err(error) => panic!("{text:?} is not in the log ({error}): {:#?}", self.log),
            }
            if self.log.last().unwrap().contains(text) {
                return;
            }
        }
    }

    /// Waits for a match's end, and gives its record and its result, which lie in that folder.
    pub fn record_and_result(self, folder: &Path) -> (Vec<u8>, MatchResult) {
        let (status, log) = self.ended();
        assert!(status.success(), "{log:#?}");
        let file = |name: &str| std::fs::read(folder.join(name)).unwrap();
        (file("match.zrec"), serde_json::from_slice(&file("result.json")).unwrap())
    }

    /// Waits for the end; gives how it ended and the whole log.
    pub fn ended(mut self) -> (ExitStatus, Vec<String>) {
        let end = Instant::now() + PATIENCE;
        loop {
            match self.stderr.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok(line) => self.log.push(line),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => panic!("it does not end: {:#?}", self.log),
            }
        }
        let status = self.child.wait().unwrap();
        (status, std::mem::take(&mut self.log))
    }

    /// Kilobytes of memory it holds.
    pub fn memory(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A connection.
pub struct Client {
    pub stream: TcpStream,
    reader: BufReader<TcpStream>,
}

impl Client {
    fn new(stream: TcpStream) -> Client {
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        stream.set_nodelay(true).unwrap();
        let reader = BufReader::new(stream.try_clone().unwrap());
        Client { stream, reader }
    }

    pub fn send(&mut self, text: &str) {
        self.stream.write_all(text.as_bytes()).unwrap();
    }

    /// The next line, if there is one before the end.
    pub fn next(&mut self) -> Option<String> {
        let mut line = Vec::new();
        match self.reader.read_until(b'\n', &mut line) {
            Ok(0) => None,
            Ok(_) => Some(String::from_utf8_lossy(line.strip_suffix(b"\n").unwrap()).into_owned()),
            Err(error) if error.kind() == ErrorKind::ConnectionReset => None,
            Err(error) => panic!("no line: {error}"),
        }
    }

    pub fn line(&mut self) -> String {
        self.next().expect("a line, but the connection has ended")
    }

    pub fn expect(&mut self, expected: &str) {
        assert_eq!(self.line(), expected);
    }

    /// Reads on until a line that begins so.
    pub fn skip_to(&mut self, start: &str) {
        while !self.line().starts_with(start) {}
    }

    /// What is left to read until the connection ends.
    pub fn rest(mut self) -> Vec<String> {
        std::iter::from_fn(|| self.next()).collect()
    }

    pub fn half_close(&self) {
        self.stream.shutdown(Shutdown::Write).unwrap();
    }
}
