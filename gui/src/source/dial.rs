//! From a host's name to a connection.
//!
//! Neither finding the address nor connecting can be interrupted; both end by themselves. Tested through `live`.

use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::time::Duration;

use super::trouble::Trouble;

/// How long one address is waited for.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Addresses of one host that are tried: both families, and a spare each.
const MAX_ADDRESSES: usize = 4;

/// The addresses of a host.
pub(super) fn resolve(host: &str, port: u16) -> Result<Vec<SocketAddr>, Trouble> {
    let unknown = || Trouble::UnknownHost(host.to_owned());
    let found: Vec<SocketAddr> =
        (host, port).to_socket_addrs().map_err(|_| unknown())?.take(MAX_ADDRESSES).collect();
    if found.is_empty() { Err(unknown()) } else { Ok(found) }
}

/// A connection to the first address that takes one.
pub(super) fn connect(at: &str, addresses: &[SocketAddr]) -> Result<TcpStream, Trouble> {
    let mut trouble = Trouble::Unreachable(at.to_owned());
    for address in addresses {
        match TcpStream::connect_timeout(address, CONNECT_TIMEOUT) {
            Ok(stream) => return Ok(stream),
            Err(error) => trouble = Trouble::connecting(at, &error),
        }
    }
    Err(trouble)
}
