//! Matches that go on from a record that was cut off, without sockets.

use std::io::{self, ErrorKind, Write};

use zappy_game::config::Observers;
use zappy_game::{Game, Input, SeatId};
use zappy_protocol::record::RecordLevel;
use zappy_server::games::GAMES;
use zappy_server::record::{BadMatch, Resumed, resume, verify};

use crate::records::{hand_in, record};
use crate::support;

fn resumed(bytes: &[u8]) -> Result<Resumed<Vec<u8>>, BadMatch> {
    resume(bytes, GAMES, Observers::Control, Vec::new())
}

/// Places at which a record may have been cut, all over it.
fn cuts(bytes: &[u8], from: usize) -> impl Iterator<Item = usize> + '_ {
    (0..100).map(move |i| from + (bytes.len() - from) * i / 100 + i % 7)
}

/// Where the header's lines end.
fn head(bytes: &[u8]) -> usize {
    bytes.windows(7).position(|window| window == b"\nbegin\n").unwrap() + 7
}

#[test]
fn a_record_cut_at_any_byte_is_gone_on_with_as_one() {
    let whole = record(RecordLevel::Inputs);
    let end = whole.windows(5).rposition(|window| window == b" end ").unwrap();
    let end = whole[..end].iter().rposition(|&byte| byte == b'\n').unwrap() + 1;
    for cut in cuts(&whole[..end], head(&whole)) {
        let Resumed { recorder: mut game, stand, .. } = resumed(&whole[..cut]).unwrap();
        assert!(stand.gate && stand.rate.is_some(), "{stand:?}");
        let digest = game.digest();
        // What is played after that differs from what was lost.
        let now = stand.tick + 3;
        support::advance(&mut game, now);
        for (seat, player) in (0..).zip(&stand.players).filter(|(_, player)| player.open) {
            assert!(player.name == b"red" || player.name == b"blue");
            hand_in(&mut game, now, seat, Input::Line(b"Inventory"));
            if seat % 2 == 1 {
                hand_in(&mut game, now + 5, seat, Input::Closed);
            }
        }
        hand_in(&mut game, now + 9, SeatId::CONSOLE.0, Input::Line(b"/quit"));
        assert_ne!(game.digest(), digest);
        let again = game.finish().1.unwrap();
        let kept = whole[..cut].iter().rposition(|&byte| byte == b'\n').unwrap() + 1;
        assert!(again.starts_with(&whole[..kept]), "cut at {cut}: what was there has changed");
        let verified = verify(&again, GAMES).unwrap_or_else(|error| panic!("cut at {cut}: {error}"));
        assert!(verified.complete && verified.ticks == (now + 9).min(400), "cut at {cut}: {verified:?}");
    }
}

#[test]
fn who_is_gone_is_not_waited_for() {
    let whole = record(RecordLevel::Inputs);
    let mut text = whole[..head(&whole)].to_vec();
    text.extend_from_slice(b"0 + 0 red\n0 + 1 blue\n5 < 0 Forward\n9 - 0\n9 < 1 Look\n12 < 1 Forw");
    let error = resumed(&text).err().map(|error| error.to_string());
    assert_eq!(error, None);
    let stand = resumed(&text).unwrap().stand;
    let open: Vec<bool> = stand.players.iter().map(|player| player.open).collect();
    assert_eq!((stand.tick, open), (9, vec![false, true]));
}

#[test]
fn a_player_that_had_sent_its_last_line_is_taken_over_by_no_client_and_still_answered() {
    let whole = record(RecordLevel::Inputs);
    let mut text = whole[..head(&whole)].to_vec();
    text.extend_from_slice(b"0 + 0 red\n0 + 1 blue\n5 < 0 Look\n6 . 0\n6 < 1 Look\n");
    let Resumed { recorder: mut game, stand, .. } = resumed(&text).unwrap();
    let open: Vec<bool> = stand.players.iter().map(|player| player.open).collect();
    assert_eq!(open, [false, true]);
    support::advance(&mut game, 40);
    hand_in(&mut game, 40, SeatId::CONSOLE.0, Input::Line(b"/quit"));
    let verified = verify(&game.finish().1.unwrap(), GAMES).unwrap();
    assert!(verified.complete && (verified.inputs, verified.resumed) == (7, 1), "{verified:?}");
}

/// A disk with room for so many bytes.
struct Disk(usize);

impl Write for Disk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = bytes.len().min(self.0);
        self.0 -= count;
        if count == 0 { Err(ErrorKind::StorageFull.into()) } else { Ok(count) }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_new_record_that_finds_no_room_is_an_error() {
    let whole = record(RecordLevel::Inputs);
    let cut = &whole[..whole.len() / 2];
    let again = resumed(cut).unwrap().recorder.finish().1.unwrap().len();
    for room in [0, 100, again / 2, again - 1] {
        let full = resume(cut, GAMES, Observers::Control, Disk(room)).err();
        assert!(matches!(full, Some(BadMatch::Write(_))), "{room} of {again} bytes: {full:?}");
    }
    assert!(resume(cut, GAMES, Observers::Control, Disk(again)).is_ok());
}

#[test]
fn a_match_that_had_ended_gets_its_footer_back() {
    for level in [RecordLevel::Inputs, RecordLevel::Full] {
        let (whole, inputs) = (record(level), record(RecordLevel::Inputs));
        let end = whole.windows(5).rposition(|window| window == b" end ").unwrap();
        for cut in (end + 20..whole.len()).step_by(7) {
            let Resumed { recorder: game, stand, .. } = resumed(&whole[..cut]).unwrap();
            assert!(game.is_finished() && stand.resumed.is_empty(), "{stand:?}");
            assert!(game.finish().1.unwrap() == inputs, "cut at {cut}");
        }
    }
}

#[test]
fn what_has_ended_or_makes_no_sense_is_refused_in_words() {
    let whole = record(RecordLevel::Inputs);
    let error = resumed(&whole).err().unwrap().to_string();
    assert!(error.ends_with("the match has ended; there is nothing to go on with"), "{error}");
    assert!(matches!(resumed(b"zrec 3\n").err(), Some(BadMatch::Head(_))));
    let mut junk = whole[..head(&whole)].to_vec();
    junk.extend_from_slice(b"nonsense\n");
    assert!(matches!(resumed(&junk).err(), Some(BadMatch::Line { .. })));
}

#[test]
fn lines_that_no_server_writes_are_refused_by_their_number() {
    let whole = record(RecordLevel::Inputs);
    let head = &whole[..head(&whole)];
    let first = head.iter().filter(|&&byte| byte == b'\n').count() + 1;
    for (lines, at, why) in [
        ("0 + 0 red\n0 + 0 red\n", 1, "a player is let in out of turn"),
        ("0 + 1 red\n", 0, "a player is let in out of turn"),
        ("0 + c red\n", 0, "a player is let in out of turn"),
        ("0 + 0 green\n", 0, "differs: the record says \"0 + 0 green\""),
        ("0 + 0 red\n3 < 1 Look\n", 1, "differs: the record says \"3 < 1 Look\""),
        ("0 + 0 red\n3 . 0\n3 . 0\n", 2, "differs: the record says \"3 . 0\""),
        ("0 + 0 red\n3 . 0\n3 < 0 Look\n", 2, "a line comes after the last"),
        ("0 + 0 red\n3 - 0\n4 - 0\n", 2, "differs: the record says \"4 - 0\""),
        ("0 + 0 red\n3 # 0 2\n", 1, "differs: the record says \"3 # 0 2\""),
    ] {
        let error = resumed(&[head, lines.as_bytes()].concat()).err().map(|error| error.to_string());
        let named = format!("line {}", first + at);
        assert!(
            error.as_ref().is_some_and(|e| e.starts_with(&named) && e.contains(why)),
            "{lines:?}: {error:?}"
        );
    }
}
