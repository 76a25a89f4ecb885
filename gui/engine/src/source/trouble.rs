//! Why a live match can't be shown, in plain words with the remedy.
//!
//! Tested through `live`, in `gui/zappy/tests/live/`.

use zappy_protocol::record::escaped;

/// The most bytes that are shown of what an unknown program sent.
const SHOWN_BYTES: usize = 60;

/// Why a live match can't be shown. A text is the host and port, if nothing else is said.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SourceTrouble {
    /// This host's name has no address.
    #[error("no host is called {0:?}; check the name (-h)")]
    UnknownHost(String),
    /// No program listens on the port.
    #[error("nothing listens on {0}; is the server running? (make server) is it that port? (-p)")]
    NothingListens(String),
    /// There is no way to the host.
    #[error("{0} can't be reached; check the network and the host (-h)")]
    Unreachable(String),
    /// The host doesn't answer the request for a connection.
    #[error("{0} doesn't answer; check the host (-h), the port (-p) and firewalls between")]
    TimedOut(String),
    /// The program there sends something else than a Zappy server would.
    #[error("{at} is no Zappy server: it says \"{said}\" instead of WELCOME; check the port (-p)")]
    NoZappy {
        at: String,
        /// Its first bytes, escaped and cut.
        said: String,
    },
    /// The server says `WELCOME`, and then begins a line that it doesn't end.
    #[error("{at} begins a line behind its WELCOME and never ends it: \"{said}\"; each message is a line")]
    Unended {
        at: String,
        /// The part of the line that came, escaped and cut.
        said: String,
    },
    /// The program there takes the connection and sends nothing.
    #[error("{0} says nothing; it is no Zappy server, or it waits for /start on its console")]
    Silent(String),
    #[error("{0} refuses observers: it answers GRAPHIC with ko")]
    Refused(String),
    /// The program there closes the connection before it has sent a line.
    #[error("{0} closes at once; perhaps it is full or not started yet, or no Zappy server")]
    ClosedAtOnce(String),
    /// The connection ended before the match did.
    #[error("{0} closed the connection; did the server stop?")]
    Closed(String),
    /// Any other error of the system.
    #[error("{at}: {error}")]
    Other { at: String, error: String },
}

/// Bytes of unknown origin as a text for people: escaped, and cut after [`SHOWN_BYTES`].
pub(super) fn cut(bytes: &[u8]) -> String {
    let mut text = escaped(&bytes[..bytes.len().min(SHOWN_BYTES)]);
    if bytes.len() > SHOWN_BYTES {
        text.push('…');
    }
    text
}
