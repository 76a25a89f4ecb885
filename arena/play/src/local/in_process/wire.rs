//! Connections within one process: two queues of bytes, and whether each side has left.
//!
//! The server's shell has one end, a player the other. No call blocks and no byte is lost. The queues hold what is said
//! within one turn, since both ends take all that is there. Tested through `in_process`.

use std::cell::RefCell;
use std::io::{self, ErrorKind, Read, Write};
use std::rc::Rc;

use zappy_server::net::Stream;

/// The queue of the players that have something to read, each once.
#[derive(Debug, Default)]
pub struct Bell {
    rung: Vec<usize>,
    is_rung: Vec<bool>,
}

impl Bell {
    pub fn ring(&mut self, player: usize) {
        if self.is_rung.len() <= player {
            self.is_rung.resize(player + 1, false);
        }
        if !std::mem::replace(&mut self.is_rung[player], true) {
            self.rung.push(player);
        }
    }

    /// The players that are to look now, in the order in which they were rung.
    pub fn take(&mut self) -> Vec<usize> {
        let rung = std::mem::take(&mut self.rung);
        rung.iter().for_each(|&player| self.is_rung[player] = false);
        rung
    }
}

/// Both directions of one connection.
#[derive(Debug, Default)]
pub struct Pipe {
    /// Bytes to the server, which has read the first `read` of them.
    pub up: Vec<u8>,
    read: usize,
    /// Bytes to the player, which takes all of them at its turn.
    pub down: Vec<u8>,
    /// Whether the server writes nothing more.
    pub ended: bool,
    /// Whether the player has left.
    pub left: bool,
}

/// A pipe that both ends hold.
pub type Wire = Rc<RefCell<Pipe>>;

#[derive(Debug)]
pub struct ServerEnd {
    pub wire: Wire,
    /// The player at its other end.
    pub player: usize,
    /// Rung when there is something to read for that player.
    pub bell: Rc<RefCell<Bell>>,
}

impl Read for ServerEnd {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut pipe = self.wire.borrow_mut();
        let waiting = &pipe.up[pipe.read..];
        if waiting.is_empty() && !pipe.left {
            return Err(ErrorKind::WouldBlock.into());
        }
        let count = waiting.len().min(buffer.len());
        buffer[..count].copy_from_slice(&waiting[..count]);
        pipe.read += count;
        if pipe.read == pipe.up.len() {
            pipe.up.clear();
            pipe.read = 0;
        }
        Ok(count)
    }
}

impl Write for ServerEnd {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut pipe = self.wire.borrow_mut();
        if pipe.left {
            return Err(ErrorKind::BrokenPipe.into());
        }
        pipe.down.extend_from_slice(bytes);
        self.bell.borrow_mut().ring(self.player);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Stream for ServerEnd {
    fn shutdown_write(&mut self) -> io::Result<()> {
        self.wire.borrow_mut().ended = true;
        self.bell.borrow_mut().ring(self.player);
        Ok(())
    }
}

/// A connection that the shell has dropped has ended for its player too.
impl Drop for ServerEnd {
    fn drop(&mut self) {
        self.wire.borrow_mut().ended = true;
        self.bell.borrow_mut().ring(self.player);
    }
}
