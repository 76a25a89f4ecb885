//! A server that does what a test tells it, and the waiting for what must come of it.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use zappy_observer::source::live::{ConnectionWaits, Live, SourceNews, SourceState};

/// After so long a test has failed.
const DEADLINE: Duration = Duration::from_secs(60);

/// A server whose connections are handled one after the other, by one script each.
pub struct Fake {
    pub address: SocketAddr,
    thread: Option<JoinHandle<()>>,
}

type Script = Box<dyn FnOnce(Peer) + Send>;

/// The server's end of a connection.
pub struct Peer {
    pub stream: TcpStream,
    lines: BufReader<TcpStream>,
}

impl Peer {
    pub fn say(&mut self, text: &str) {
        // The observer may have left already.
        let _ = self.stream.write_all(text.as_bytes());
    }

    /// The next line the observer says; nothing once it has left.
    pub fn hear(&mut self) -> String {
        let mut line = String::new();
        let _ = self.lines.read_line(&mut line);
        line.trim_end().to_owned()
    }

    /// Lets it watch.
    pub fn greet(&mut self) {
        self.say("WELCOME\n");
        assert_eq!(self.hear(), "GRAPHIC");
    }
}

impl Fake {
    pub fn new(scripts: Vec<Script>) -> Fake {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let thread = std::thread::spawn(move || {
            for script in scripts {
                let (stream, _) = listener.accept().unwrap();
                stream.set_read_timeout(Some(DEADLINE)).unwrap();
                let lines = BufReader::new(stream.try_clone().unwrap());
                script(Peer { stream, lines });
            }
        });
        Fake { address, thread: Some(thread) }
    }

    pub fn one(script: impl FnOnce(Peer) + Send + 'static) -> Fake {
        Fake::new(vec![Box::new(script)])
    }

    pub fn watch(&self) -> Live {
        watch(self.address.port())
    }

    /// Waits for the scripts' end, and fails if one of them did.
    pub fn end(mut self) {
        self.thread.take().unwrap().join().unwrap();
    }
}

/// Watches a port of this machine; comes back at once, and waits for words as long as a slow machine needs.
pub fn watch(port: u16) -> Live {
    watch_with(port, DEADLINE)
}

/// The same, waiting that long for the server's first words.
pub fn watch_with(port: u16, greeting: Duration) -> Live {
    let patience =
        ConnectionWaits { greeting, pause: Duration::from_millis(10), ..ConnectionWaits::default() };
    Live::with("127.0.0.1", port, patience).unwrap()
}

/// Takes news until one passes.
pub fn wait<T>(live: &mut Live, mut passes: impl FnMut(&SourceNews) -> Option<T>) -> T {
    let until = Instant::now() + DEADLINE;
    loop {
        let left = until.saturating_duration_since(Instant::now());
        let news = live.next_within(left).unwrap_or_else(|| panic!("nothing came; {:?}", &live.state));
        if let Some(found) = passes(&news) {
            return found;
        }
    }
}

/// Why there is no connection, in words.
pub fn trouble(live: &mut Live) -> String {
    wait(live, |news| match news {
        SourceNews::State(SourceState::Lost { why, .. }) => Some(why.to_string()),
        _ => None,
    })
}

/// The next lines.
pub fn lines(live: &mut Live) -> Vec<String> {
    wait(live, |news| match news {
        SourceNews::Lines(batch) => {
            Some(batch.lines().map(|line| String::from_utf8_lossy(line).into_owned()).collect())
        }
        _ => None,
    })
}
