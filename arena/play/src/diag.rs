//! Asks the kernel for a socket by its two addresses, and for the sockets that a process has open.
//!
//! The table of all connections in `/proc` tells the same, but it takes ten milliseconds to read on a large machine,
//! for each connection anew. Never changes a socket. Tested in this module and in `door`.

use std::fs;
use std::io;
use std::net::SocketAddr;
use std::path::Path;

use crate::os::Pid;

/// The other end of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Peer {
    /// The number of its socket, by which a process's descriptors name it.
    pub inode: u64,
    /// The user that the socket belongs to.
    pub user: u32,
    /// Bytes that have come and that its program hasn't read yet.
    pub unread: u32,
}

pub use kernel::ends;

/// The inodes of the sockets that a process has open; none if this user may not look at the process.
pub fn sockets(pid: Pid) -> impl Iterator<Item = u64> {
    let open = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
    open.filter_map(|entry| socket(&fs::read_link(entry.path()).ok()?))
}

/// The inode of the socket that a process's descriptor links to; `None` if it links to something else.
pub(crate) fn socket(descriptor: &Path) -> Option<u64> {
    descriptor.to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?.parse().ok()
}

#[cfg(not(target_os = "linux"))]
mod kernel {
    use super::{Peer, SocketAddr, io};

    pub fn ends(_server: SocketAddr, _peers: &[SocketAddr]) -> io::Result<Vec<Option<Peer>>> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

#[cfg(target_os = "linux")]
mod kernel {
    use netlink_packet_core::{NLM_F_REQUEST, NetlinkHeader, NetlinkMessage, NetlinkPayload};
    use netlink_packet_sock_diag::SockDiagMessage;
    use netlink_packet_sock_diag::constants::{AF_INET, AF_INET6, IPPROTO_TCP};
    use netlink_packet_sock_diag::inet::{ExtensionFlags, InetRequest, SocketId, StateFlags};
    use netlink_sys::protocols::NETLINK_SOCK_DIAG;

    use super::{Peer, SocketAddr, io};

    /// Longer than an answer about one socket, in bytes.
    const ANSWER: usize = 4096;
    /// Asks for any socket of the two addresses.
    const ANY_COOKIE: [u8; 8] = [0xff; 8];

    /// The ends of `peers` that are connected to `server`, in their order; `None` if closed.
    ///
    /// # Errors
    /// The system has no such way to ask, or doesn't let this user ask.
    pub fn ends(server: SocketAddr, peers: &[SocketAddr]) -> io::Result<Vec<Option<Peer>>> {
        let mut kernel = netlink_sys::Socket::new(NETLINK_SOCK_DIAG)?;
        kernel.bind_auto()?;
        kernel.connect(&netlink_sys::SocketAddr::new(0, 0))?;
        // The kernel answers while the question is sent, so this doesn't wait.
        kernel.set_non_blocking(true)?;
        peers.iter().map(|peer| end(&kernel, *peer, server)).collect()
    }

    fn end(kernel: &netlink_sys::Socket, own: SocketAddr, other: SocketAddr) -> io::Result<Option<Peer>> {
        let question = question(own, other);
        let mut bytes = vec![0; question.buffer_len()];
        question.serialize(&mut bytes);
        kernel.send(&bytes, 0)?;
        let mut answer = Vec::with_capacity(ANSWER);
        kernel.recv(&mut answer, 0)?;
        let answer = NetlinkMessage::<SockDiagMessage>::deserialize(&answer).map_err(io::Error::other)?;
        match answer.payload {
            NetlinkPayload::InnerMessage(SockDiagMessage::InetResponse(found)) => {
                let header = &found.header;
                let end = Peer { inode: header.inode.into(), user: header.uid, unread: header.recv_queue };
                let id = &header.socket_id;
                // A program that listens at that port is found as well, and one that has ended has no inode.
                let same = (id.source_port, id.destination_port) == (own.port(), other.port());
                Ok(Some(end).filter(|end| same && end.inode != 0))
            }
            NetlinkPayload::Error(error) => {
                let error = error.to_io();
                if error.kind() == io::ErrorKind::NotFound { Ok(None) } else { Err(error) }
            }
            _ => Err(io::ErrorKind::InvalidData.into()),
        }
    }

    fn question(own: SocketAddr, other: SocketAddr) -> NetlinkMessage<SockDiagMessage> {
        let (family, any) = match own {
            SocketAddr::V4(_) => (AF_INET, SocketId::new_v4()),
            SocketAddr::V6(_) => (AF_INET6, SocketId::new_v6()),
        };
        let socket_id = SocketId {
            source_port: own.port(),
            destination_port: other.port(),
            source_address: own.ip(),
            destination_address: other.ip(),
            cookie: ANY_COOKIE,
            ..any
        };
        let mut header = NetlinkHeader::default();
        header.flags = NLM_F_REQUEST;
        let request = InetRequest {
            family,
            protocol: IPPROTO_TCP,
            extensions: ExtensionFlags::empty(),
            states: StateFlags::all(),
            socket_id,
        };
        let mut question = NetlinkMessage::new(header, SockDiagMessage::InetRequest(request).into());
        question.finalize();
        question
    }
}

#[cfg(target_os = "linux")]
#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::net::{TcpListener, TcpStream};

    use super::*;

    #[test]
    fn the_end_of_a_connection_is_told_and_a_port_that_listens_is_none() {
        for address in ["127.0.0.1:0", "[::1]:0"] {
            let Ok(listener) = TcpListener::bind(address) else { continue };
            let server = listener.local_addr().unwrap();
            let client = TcpStream::connect(server).unwrap();
            let (own, closed) = (client.local_addr().unwrap(), SocketAddr::new(server.ip(), 9));
            // Where the kernel can't be asked the table is read instead.
            let Ok(found) = ends(server, &[own, closed, server]) else { continue };
            assert!(found[0].is_some_and(|end| end.inode > 0 && end.unread == 0), "{found:?}");
            assert_eq!(found[1..], [None, None]);
            let (mut writer, _) = listener.accept().unwrap();
            writer.write_all(b"ok\n").unwrap();
            // Once a byte has come, all three have.
            client.peek(&mut [0]).unwrap();
            let found = ends(server, &[own]).unwrap();
            assert_eq!(found[0].map(|end| end.unread), Some(3), "{found:?}");
        }
    }
}
