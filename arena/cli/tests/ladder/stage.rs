//! A ladder in a folder of its own, its host, and clients that know nothing of ladders.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::support::{ARENA, Bench, DEADLINE, Running, run, wait_for};

pub struct Stage {
    pub bench: Bench,
    /// What each bot says as its team's name.
    pub logins: BTreeMap<String, String>,
}

impl Stage {
    /// A ladder of these bots.
    pub fn new(names: &[&str]) -> Stage {
        Stage::with(names, &[])
    }

    /// A ladder of these bots, which are added with these flags.
    pub fn with(names: &[&str], flags: &[&str]) -> Stage {
        let bench = Bench::new();
        let mut logins = BTreeMap::new();
        for name in names {
            let mut command = Command::new(ARENA);
            command.arg("ladder").arg("--folder").arg(bench.path("season"));
            let added = run(command.args(["--add", name]).args(flags));
            assert_eq!(added.code(), 0, "{}", added.stderr);
            logins.insert((*name).to_owned(), added.stdout.trim().to_owned());
        }
        Stage { bench, logins }
    }

    pub fn folder(&self) -> PathBuf {
        self.bench.path("season")
    }

    pub fn token(&self, name: &str) -> &str {
        &self.logins[name][name.len() + 1..]
    }

    pub fn command(&self, folder: &Path, flags: &[&str]) -> Command {
        let mut command = Command::new(ARENA);
        command.arg("ladder").arg("--folder").arg(folder).args(flags);
        command
    }

    /// A host of short matches on a small map, and its port.
    pub fn host(&self, folder: &Path, flags: &[&str]) -> (Running, u16) {
        let mut command =
            self.command(folder, &["--bind", "127.0.0.1", "--merge-every", "1", "--clients", "1"]);
        command.args(["--width", "10", "--height", "10", "--think-time", "60000", "--free", "60000"]);
        if !flags.contains(&"--max-ticks") {
            command.args(["--max-ticks", "300"]);
        }
        let host = Running::start(command.args(flags));
        let port = wait_for("the host", || port_of(&host.said()));
        (host, port)
    }

    /// A host under a limit that this piece of shell sets, and its port.
    pub fn limited_host(&self, limit: &str, flags: &[&str]) -> (Running, u16) {
        let mut command = Command::new("sh");
        command.args(["-c", &format!("{limit}; exec \"$0\" \"$@\""), ARENA, "ladder", "--folder"]);
        command.arg(self.folder()).args(["--bind", "127.0.0.1", "--port", "0", "--gather", "0"]);
        let host = Running::start(command.args(["--clients", "1", "--think-time", "60000"]).args(flags));
        let port = wait_for("the host", || port_of(&host.said()));
        (host, port)
    }

    /// A folder for another host of the same names.
    pub fn beside(&self, name: &str) -> PathBuf {
        let folder = self.bench.path(name);
        fs::create_dir(&folder).unwrap();
        fs::copy(self.folder().join("names.json"), folder.join("names.json")).unwrap();
        folder
    }

    /// Bots of these names that come again until the host is gone.
    pub fn play(&self, names: &[&str], port: u16) -> Vec<JoinHandle<()>> {
        let bots = names.iter().zip(0..).map(|(name, number)| {
            let login = self.logins[*name].clone();
            std::thread::spawn(move || {
                while TcpStream::connect(("127.0.0.1", port)).is_ok() {
                    let _ = bot(port, &login, number).join();
                }
            })
        });
        bots.collect()
    }

    /// The results in a folder, by their names.
    pub fn results(folder: &Path) -> BTreeMap<String, Vec<u8>> {
        let files = fs::read_dir(folder.join("results")).into_iter().flatten().flatten();
        let whole = files.filter(|file| !file.file_name().to_string_lossy().starts_with('.'));
        whole.map(|file| (file.file_name().into_string().unwrap(), fs::read(file.path()).unwrap())).collect()
    }

    /// The record of the only match in a folder.
    pub fn record(folder: &Path) -> Vec<u8> {
        fs::read(Stage::only(folder).join("match.zrec")).unwrap()
    }

    /// The folder of the only match in a folder, which may still be played.
    pub fn only(folder: &Path) -> PathBuf {
        let entries = fs::read_dir(folder.join("matches")).into_iter().flatten();
        let matches: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
        assert_eq!(matches.len(), 1, "{matches:?}");
        matches[0].clone()
    }

    /// Fails if a token stands in a file below that folder, or in this text.
    pub fn assert_no_token(&self, folder: &Path, said: &str) {
        let mut folders = vec![folder.to_path_buf()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                    continue;
                }
                let text = fs::read(&path).unwrap();
                for name in self.logins.keys() {
                    let token = self.token(name).as_bytes();
                    let stands = text.windows(token.len()).any(|part| part == token);
                    assert!(!stands, "{} has {name}'s token", path.display());
                }
            }
        }
        assert!(self.logins.keys().all(|name| !said.contains(self.token(name))), "{said}");
    }
}

/// The port that a host has told.
pub fn port_of(said: &str) -> Option<u16> {
    let (_, rest) = said.split_once("listening on 127.0.0.1:")?;
    rest.lines().next()?.parse().ok()
}

/// A connection to the host that has read its greeting.
pub fn knock(port: u16) -> BufReader<TcpStream> {
    greeted(TcpStream::connect(("127.0.0.1", port)).unwrap())
}

/// The same connection, once it has read its greeting.
pub fn greeted(stream: TcpStream) -> BufReader<TcpStream> {
    stream.set_read_timeout(Some(DEADLINE)).unwrap();
    let mut stream = BufReader::new(stream);
    assert_eq!(line(&mut stream), "WELCOME");
    stream
}

/// The next line; empty at the end.
pub fn line(stream: &mut BufReader<TcpStream>) -> String {
    let mut line = String::new();
    let _ = stream.read_line(&mut line);
    line.trim_end().to_owned()
}

pub fn say(stream: &BufReader<TcpStream>, text: &str) {
    let _ = stream.get_ref().write_all(format!("{text}\n").as_bytes());
}

/// A bot of one connection: what it does depends on what it reads alone, and on that number. It says its token, too. Gives
/// what it read.
pub fn bot(port: u16, login: &str, number: usize) -> JoinHandle<Vec<String>> {
    let login = login.to_owned();
    std::thread::spawn(move || {
        let mut stream = knock(port);
        say(&stream, &login);
        let commands = [
            "Forward",
            "Right",
            "Look",
            "Take food",
            "Inventory",
            &format!("Broadcast {login} is here"),
            "oops",
        ];
        let (mut said, mut heard) = (number, Vec::new());
        loop {
            let read = line(&mut stream);
            if read.is_empty() {
                return heard;
            }
            let asked = !heard.is_empty() && !read.starts_with("message ") && read != "dead";
            said = (said * 31 + read.len() + 1) % 1_000_003;
            heard.push(read);
            if asked {
                say(&stream, commands[said % commands.len()]);
            }
        }
    })
}

/// Waits until the connection is closed.
pub fn closed(stream: &mut BufReader<TcpStream>) {
    stream.get_ref().set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let mut rest = Vec::new();
    let _ = stream.read_to_end(&mut rest);
}

/// A port beside the host's that hands everything on so much later, in both directions.
pub fn delayed(port: u16, delay: Duration) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let beside = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let Ok(server) = TcpStream::connect(("127.0.0.1", port)) else { return };
            for (from, to) in [(&client, &server), (&server, &client)] {
                let (mut from, mut to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
                let (late, due) = std::sync::mpsc::channel::<(Instant, Vec<u8>)>();
                std::thread::spawn(move || {
                    for (at, bytes) in due {
                        std::thread::sleep(at.saturating_duration_since(Instant::now()));
                        let _ = to.write_all(&bytes);
                    }
                    let _ = to.shutdown(Shutdown::Write);
                });
                std::thread::spawn(move || {
                    let mut bytes = vec![0; 64 << 10];
                    while let Ok(count @ 1..) = from.read(&mut bytes) {
                        if late.send((Instant::now() + delay, bytes[..count].to_vec())).is_err() {
                            return;
                        }
                    }
                });
            }
        }
    });
    beside
}
