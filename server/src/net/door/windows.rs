//! Windows: stdin can't be a socket, so there is no door.
//!
//! There is nothing to test.

use std::io::{self, ErrorKind};
use std::net::TcpStream;

use mio::Token;

use crate::net::system::Wakes;

/// Each end of a socket that could be a door.
pub type Stream = TcpStream;

/// Windows has no door.
///
/// # Errors
/// Always.
pub fn open() -> io::Result<Stream> {
    Err(io::Error::new(
        ErrorKind::Unsupported,
        "it needs Linux or another Unix; start the server without --door",
    ))
}

/// Does nothing: on Windows the door never opens, so there is no stream to wait for.
///
/// # Errors
/// None.
pub fn join(_: &Stream, _: &Wakes, _: Token) -> io::Result<()> {
    Ok(())
}

pub fn maker(_: &Stream) -> Option<i32> {
    None
}

/// Both ends of a socket.
#[cfg(test)]
pub fn pair() -> (Stream, Stream) {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let own = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    (own, listener.accept().unwrap().0)
}
