//! Whole sessions under simulation: the loop as it is in production, over a network and a clock in memory.
//!
//! A session is a [`script::Script`]: drawn from a seed, or read from bytes. It plays any of the games under either clock, and
//! panics when anything is wrong; what is checked stands in `docs/simulation.md`. [`play`] and [`play_bytes`] are the
//! way in, also for programs that search for inputs. Never waits, and reads no clock. Tested in `tests`.
//! [`fuzz`] has what must hold for any input of one part, as a function per target.

mod accounts;
mod answers;
mod client;
pub mod fuzz;
mod guest;
mod lines;
mod observer_view;
mod oracle;
mod plan;
mod script;
mod session;

use zappy_protocol::record::{Fingerprint, RecordLevel};

use accounts::{Accounts, head_end, read_accounts};
use guest::WATCHED;
use plan::Plan;
use script::Script;
use session::{Death, Disk, Life, Session};
use zappy_server::net::testing::Net;
use zappy_server::record::{BadMatch, RecordFile, Recorder, Resumed, header, resume};

/// Plays the session of a seed. Gives a fingerprint of all that was recorded and read: the same for the same seed.
///
/// # Panics
/// Something is wrong with the server.
pub fn play(seed: u64) -> u64 {
    play_script(&Script::of_seed(seed))
}

/// Plays the session that bytes stand for: eight of a seed, by which game, clock, rules and limits are drawn, then seven for
/// each step. Any bytes will do; those of a known script give good first inputs: [`bytes_of`].
///
/// # Panics
/// Something is wrong with the server.
pub fn play_bytes(bytes: &[u8]) -> u64 {
    play_script(&Script::of_bytes(bytes))
}

/// The bytes that stand for the session of a seed, as [`play_bytes`] reads them.
pub fn bytes_of(seed: u64) -> Vec<u8> {
    Script::of_seed(seed).bytes()
}

fn play_script(script: &Script) -> u64 {
    let mut session = Session::new(script);
    let Plan { spec, setup, level, record_delay, .. } = &session.plan;
    let (mut setup, level, delay, observers) = (setup.clone(), *level, *record_delay, spec.config.observers);
    let game = spec.begin().unwrap_or_else(|error| panic!("{error}"));
    let auto_start = spec.config.auto_start;
    let mut recorder =
        Recorder::new(game, RecordFile::new(session.disk.clone()), &header(spec, level)).with_delay(delay);
    let (mut steps, mut lives, mut finished) = (script.steps.iter(), 1, true);
    loop {
        let net = Net::open(&mut recorder, &setup).unwrap_or_else(|error| panic!("{error}"));
        let gate = setup.stand.as_ref().map_or(auto_start, |stand| stand.gate);
        let death = Life::new(&mut session, net, gate).run(&mut steps);
        let served = session.clients.iter().filter(|client| client.is_served()).count();
        assert_eq!(served, 0, "a connection outlives the server");
        let Death::Killed(lost) = death else { break };
        // A killed server may lose what it wrote last, but not the head of the record.
        let mut kept = session.disk.0.borrow().bytes.clone();
        let head = head_end(&kept).unwrap_or(kept.len());
        kept.truncate((kept.len() - lost % (kept.len() + 1)).max(head));
        let before = head_end(&kept).map_or(Accounts::new(), |_| read_accounts(&kept));
        oracle::assert_clients_agree(&session, &before, false);
        let disk = Disk::default();
        let resumed = resume(&kept, &WATCHED, observers, RecordFile::new(disk.clone()));
        let Resumed { recorder: game, stand, .. } = match resumed {
            Ok(resumed) => resumed,
            Err(BadMatch::Ended { .. }) => break,
            Err(BadMatch::Head(_)) if head_end(&kept).is_none() => {
                finished = false;
                break;
            }
            Err(error) => panic!("the server can't go on from its record: {error}"),
        };
        recorder = game.with_delay(delay);
        let goes_on = disk.0.borrow().bytes.starts_with(settled_lines(&kept));
        assert!(goes_on || level == RecordLevel::Full && lives == 1, "what was recorded before has changed");
        (session.disk, session.before) = (disk, before);
        session.clients.clear();
        (setup.stand, lives) = (Some(stand), lives + 1);
        setup.opening.clear();
        if recorder.is_finished() {
            break;
        }
    }
    let written = recorder.finish().1;
    assert_eq!(
        written.is_err(),
        session.disk.0.borrow().failed,
        "does the recorder know that its file is whole?"
    );
    oracle::assert_record_is_true(&session, finished);
    let mut print = Fingerprint::default();
    print.update(&session.disk.0.borrow().bytes);
    session.clients.iter().for_each(|client| print.update(&client.wire.borrow().to_client));
    print.value()
}

/// The whole lines of a record, but for the last ones if they count dropped lines: the resumed server may drop more at
/// that tick, and counts them together.
fn settled_lines(record: &[u8]) -> &[u8] {
    let counts = |line: &[u8]| line.split(|&byte| byte == b' ').nth(1) == Some(b"#");
    let end = |bytes: &[u8]| bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
    let mut settled = &record[..end(record)];
    while let Some((_, rest)) = settled.split_last() {
        let line = end(rest);
        if !counts(&rest[line..]) {
            break;
        }
        settled = &settled[..line];
    }
    settled
}

#[cfg(test)]
mod tests;
