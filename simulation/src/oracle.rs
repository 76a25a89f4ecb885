//! What the record of a session says of each player, held against what its client has said and read.
//!
//! The planted mistakes in `server/tests/mutants` show what it finds.

use std::collections::VecDeque;

use zappy_protocol::line::{Decoded, LineDecoder};
use zappy_protocol::record::{Entry, Seat};
use zappy_protocol::text::trim;

use super::accounts::{Account, Accounts, head_end, read_accounts};
use super::client::Client;
use super::fuzz::record::check_derived;
use super::guest::PLAYED;
use super::session::Session;
use zappy_server::record::verify;

/// The longest line that records keep whole in any case, in bytes.
const WHOLE_LINE_BYTES: usize = 120;
/// The longest record that is expanded, resumed and changed for checks, in bytes: longer ones take too long.
const TAKEN_APART_BYTES: usize = 1 << 20;
/// Lines by which Zappy greets a player: the slots that are left, and the map's size.
const GREETING_LINES: usize = 2;

/// Panics unless the record verifies, tells the truth, and is whole if and only if the match came to its end.
pub(super) fn assert_record_is_true(session: &Session, finished: bool) {
    let file = session.disk.0.borrow();
    if !file.failed {
        let verified = verify(&file.bytes, &PLAYED).unwrap_or_else(|error| panic!("the record: {error}"));
        assert_eq!(verified.complete, finished, "is the record whole?");
        if file.bytes.len() <= TAKEN_APART_BYTES {
            check_derived(&file.bytes, finished);
        }
        return assert_clients_agree(session, &read_accounts(&file.bytes), finished);
    }
    // A record that the disk didn't take whole never counts as whole, and what there is of it is true.
    assert!(file.bytes.is_empty() || file.bytes.ends_with(b"\n"), "the record ends amid a line");
    if head_end(&file.bytes).is_some() {
        let verified = verify(&file.bytes, &PLAYED);
        let verified = verified.unwrap_or_else(|error| panic!("the record of a full disk: {error}"));
        assert!(!verified.complete, "a record is whole that could not be written");
        assert_clients_agree(session, &read_accounts(&file.bytes), false);
    }
}

/// Panics unless the clients of this life of the server have said and read what its record says. `whole`: nothing of
/// the record was lost.
pub(super) fn assert_clients_agree(session: &Session, accounts: &Accounts, whole: bool) {
    let (nothing, plan) = (Account::default(), &session.plan);
    let returns = plan.spec.options.get("rules") == "official";
    let overtakes = returns && plan.setup.lockstep.is_none();
    for client in &session.clients {
        let Some(seat) = client.number.map(Seat::Number) else { continue };
        let account = accounts.get(&seat).unwrap_or(&nothing);
        // A client that took a player over has no part in what was before, of which more may be lost this time.
        let before = session.before.get(&seat);
        let (received, sent) = before.map_or((0, 0), |before| (before.received.len(), before.sent.len()));
        let received = account.received.get(received..).unwrap_or_default();
        let sent = account.sent.get(sent..).unwrap_or_default();
        let greeting = before.map(|_| if plan.is_zappy() { GREETING_LINES } else { usize::MAX });
        let Some(refused) = assert_sent(client, sent, greeting, whole) else { continue };
        let mut decoder = LineDecoder::new(plan.setup.limits.line);
        if returns {
            decoder.keep_returns();
        }
        decoder.push(&client.said);
        // The lines that the client has said; `None` for one that is too long.
        let mut said = VecDeque::new();
        while let Some(line) = decoder.next_line() {
            said.push_back(match line {
                Decoded::Line(line) => Some(line.to_vec()),
                Decoded::Overflow => None,
            });
        }
        said.drain(..refused.min(said.len()));
        if before.is_some() {
            let name = said.pop_front().flatten();
            let name = name.unwrap_or_else(|| panic!("{} took over without a word", client.peer));
            assert_own_name(client, &name);
        }
        assert_received(client, received, said, overtakes);
    }
}

/// What a client has read is what the record says that it was sent, up to where its connection ended. Gives the number of
/// its lines that were refused before it was let in; `None`: it hasn't read whether it was. `greeting`: it took a player over, so
/// it reads that many lines first, and may lack lines that were sent to that player before.
fn assert_sent(client: &Client, sent: &[u8], greeting: Option<usize>, whole: bool) -> Option<usize> {
    let wire = client.wire.borrow();
    let Some(mut read) = wire.to_client.strip_prefix(b"WELCOME\n") else {
        assert!(b"WELCOME\n".starts_with(&wire.to_client), "it wasn't welcomed");
        return None;
    };
    let mut refused = 0;
    while let Some(rest) = read.strip_prefix(b"ko\n") {
        (read, refused) = (rest, refused + 1);
    }
    if b"ko\n".starts_with(read) {
        return (read.is_empty() && wire.server_ended && whole).then_some(refused);
    }
    let ended = wire.server_ended && whole;
    if let Some(lines) = greeting {
        let greeted = read.split_inclusive(|&byte| byte == b'\n').take(lines).map(<[u8]>::len).sum();
        let read = &read[greeted..];
        let mut starts = (0..=sent.len()).filter(|&at| at == 0 || sent[at - 1] == b'\n');
        let agrees = |at: usize| {
            first_difference(&sent[at..], read, whole).is_none() && (!ended || sent[at..].len() == read.len())
        };
        assert!(
            read.is_empty() || starts.any(agrees),
            "{} has read something else since it took over",
            client.peer
        );
        return Some(refused);
    }
    if let Some(at) = first_difference(sent, read, whole) {
        let [sent, read] = [sent, read].map(|text| {
            let from =
                text[..at.min(text.len())].iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
            text[from..(from + 80).min(text.len())].escape_ascii().to_string()
        });
        panic!("{} was sent {sent:?}, and read {read:?}", client.peer);
    }
    assert!(!ended || read.len() == sent.len(), "{} wasn't sent all", client.peer);
    Some(refused)
}

/// The place at which a client has read something else than the record says that it was sent. `whole`: the
/// record has all that was sent.
fn first_difference(sent: &[u8], read: &[u8], whole: bool) -> Option<usize> {
    let differs = sent.iter().zip(read).position(|(one, other)| one != other);
    differs.or((whole && read.len() > sent.len()).then_some(sent.len()))
}

/// Panics unless a client has said what its record says that came from it, from the line on by which it was let in.
/// `overtakes`: lines that take no time overtake others, and an end overtakes all.
fn assert_received(client: &Client, inputs: &[Entry], mut said: VecDeque<Option<Vec<u8>>>, overtakes: bool) {
    // A record keeps a line itself, or a long line without the blanks around it, or the beginning of that.
    let keeps = |kept: &[u8], line: &[u8]| {
        let begins = |beginning| kept.len() <= WHOLE_LINE_BYTES && trim(line).starts_with(beginning);
        kept == line
            || line.len() > WHOLE_LINE_BYTES
                && (kept == trim(line) || kept.get(..WHOLE_LINE_BYTES / 2).is_some_and(begins))
    };
    let mut take = |fits: &dyn Fn(&Option<Vec<u8>>) -> bool, entry: &Entry| {
        let place = if overtakes { said.iter().position(fits) } else { Some(0) };
        let own = place.and_then(|place| said.remove(place));
        assert!(own.as_ref().is_some_and(fits), "{} said {own:?}, not {entry:?}", client.peer);
    };
    let mut ended = false;
    for entry in inputs {
        match entry {
            Entry::Admitted(_, line) | Entry::Received(_, line) => {
                take(&|own| own.as_ref().is_some_and(|own| keeps(line, own)), entry);
            }
            Entry::Overflow(_) => take(&Option::is_none, entry),
            Entry::Dropped(_, count) if !overtakes => (0..*count).for_each(|_| take(&|_| true, entry)),
            Entry::Dropped(..) => {}
            _ => ended = true,
        }
        if let Entry::Admitted(_, name) = entry {
            assert_own_name(client, name);
        }
    }
    let (left, wire) = (said.len(), client.wire.borrow());
    // The server reads everything from a client that closed in order.
    let in_order = wire.ended && !wire.reset && !wire.broke_off && !overtakes;
    assert!(!ended || left == 0 || !in_order, "{left} lines of {} were lost", client.peer);
}

fn assert_own_name(client: &Client, name: &[u8]) {
    if let Some(held) = &client.held_to {
        assert_eq!(name.trim_ascii(), held, "it was let in by a name that isn't its own");
    }
}
