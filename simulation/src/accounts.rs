//! What the record of a session says of its players: what came from their clients, and what these were sent.
//!
//! Used by `oracle`; the sessions in `tests` go through it.

use super::guest::PLAYED;
use std::collections::BTreeMap;

use zappy_protocol::record::{Entry, RecordLevel, RecordLine, Seat};

use zappy_server::record::{expand, parse, verify};

/// The end of a record's head.
const BEGIN: &[u8] = b"\nbegin\n";

/// What a record says of a player.
#[derive(Debug, Default)]
pub(super) struct Account {
    /// What came from its client, with an entry for each line that was dropped.
    pub(super) received: Vec<Entry>,
    /// What its client was sent.
    pub(super) sent: Vec<u8>,
}

/// What a record says of the players, by their seats.
pub(super) type Accounts = BTreeMap<Seat, Account>;

/// Where the head of a record ends; `None` if it isn't whole.
pub(super) fn head_end(record: &[u8]) -> Option<usize> {
    record.windows(BEGIN.len()).position(|window| window == BEGIN).map(|at| at + BEGIN.len())
}

/// What a record says of the players, as far as it goes. It is read from the full record, which has to verify, too.
pub(super) fn read_accounts(record: &[u8]) -> Accounts {
    let mut full = Vec::new();
    expand(record, &PLAYED, RecordLevel::Full, &mut full).unwrap_or_else(|error| panic!("expanded: {error}"));
    verify(&full, &PLAYED).unwrap_or_else(|error| panic!("the expanded record: {error}"));
    let (_, lines) = parse(&full).unwrap_or_else(|error| panic!("{error}"));
    let mut accounts = Accounts::new();
    for (_, line) in lines {
        let RecordLine::Event(_, entry) = line else { continue };
        match entry {
            Entry::Sent(seat, text) => note_sent(&mut accounts, seat, &text),
            Entry::SentTo(seats, text) => {
                seats.into_iter().for_each(|seat| note_sent(&mut accounts, seat, &text));
            }
            Entry::Dropped(seat, count) => {
                let lines = std::iter::repeat_n(Entry::Dropped(seat, 1), count as usize);
                accounts.entry(seat).or_default().received.extend(lines);
            }
            Entry::Admitted(seat, _)
            | Entry::Received(seat, _)
            | Entry::Overflow(seat)
            | Entry::Ended(seat) => accounts.entry(seat).or_default().received.push(entry),
            _ => {}
        }
    }
    accounts
}

fn note_sent(accounts: &mut Accounts, seat: Seat, text: &[u8]) {
    let sent = &mut accounts.entry(seat).or_default().sent;
    sent.extend_from_slice(text);
    sent.push(b'\n');
}
