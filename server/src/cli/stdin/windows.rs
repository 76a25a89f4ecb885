//! Windows: each byte is read by a thread of its own. A thread that went on reading would take what is for the console.
//!
//! Tried by `arena/windows/smoke.sh`.

use std::io::{self, ErrorKind, Read};
use std::sync::mpsc::sync_channel;
use std::thread::Builder;
use std::time::Duration;

/// The next byte; `None` if stdin has ended.
///
/// # Errors
/// [`ErrorKind::TimedOut`] if nothing comes within `limit`, and the system's.
pub fn next_byte(limit: Duration) -> io::Result<Option<u8>> {
    let (sender, receiver) = sync_channel(1);
    let read = move || {
        let mut byte = [0];
        let read = io::stdin().read(&mut byte).map(|count| (count == 1).then_some(byte[0]));
        let _ = sender.send(read);
    };
    Builder::new().name("stdin".to_owned()).spawn(read)?;
    receiver.recv_timeout(limit).map_err(|_| ErrorKind::TimedOut)?
}
