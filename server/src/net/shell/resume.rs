//! A match that goes on from a record: its players wait, without a connection, for a client that takes over.
//!
//! Time stands still until each player has a client, or until the time for waiting is over. The game gets no input of
//! all this: as far as it can see, the clients were only slow. Tested in `tests/rules/resume.rs`, `tests/resume/` and
//! `tests/sockets.rs`.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use zappy_game::SeatId;

/// The console line with which the match goes on without the missing clients. It isn't handed to the game, since in
/// records this line marks where a match was resumed.
pub(super) const RESUME_LINE: &[u8] = b"/resume";

/// A player of a resumed match for which no client came.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MissingClient {
    pub player: u32,
    pub team: String,
}

/// The players of a resumed match that wait for a client.
#[derive(Debug, Default)]
pub(super) struct Orphans {
    /// Their seats, with their groups and what is said of them if no client comes.
    pub(super) waiting: BTreeMap<SeatId, (u32, MissingClient)>,
    /// Ticks per second once all clients are there; `None`: time stands still then, too.
    pub(super) rate: Option<NonZeroU32>,
    /// How long the match waits after the first client came; `None`: as long as it takes.
    pub(super) patience: Option<Duration>,
    /// When the wait ends; `None` before the first client came.
    pub(super) until: Option<Duration>,
    /// The players that were ended because no client came for them.
    pub(super) missing: Vec<MissingClient>,
    /// Whether the game has ended a player without a client in the step of which the outputs are being carried out.
    pub(super) ended: bool,
}

impl Orphans {
    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// When the wait ends, if it has an end.
    pub(super) fn due(&self) -> Option<Duration> {
        self.until.filter(|_| !self.is_empty())
    }
}
