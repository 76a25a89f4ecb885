//! The dialogue of a program: complete, in order, with reasons, from wherever one begins.

use zappy_observer::timeline::archive::Archive;
use zappy_observer::timeline::dialogue::{DialogueReader, MAX_LINES, SpeakerSeats};
use zappy_protocol::Tick;
use zappy_protocol::record::dialogue::{Speech, Spoken};
use zappy_protocol::record::{Entry, RecordLine, Seat};

use crate::support::{Dice, Match, opened, record};

/// What a seat's dialogue must be, found in the plainest way: tick, words and reason of each line.
fn plain(bytes: &[u8], player: u32, until: Tick) -> Vec<(Tick, String, Option<String>)> {
    let mut all: Vec<(Tick, String, Option<String>)> = Vec::new();
    for line in bytes.split(|&byte| byte == b'\n') {
        let Ok(RecordLine::Event(tick, entry)) = RecordLine::parse(line) else { continue };
        let (seat, text, why) = match entry {
            Entry::Admitted(seat, text) | Entry::Received(seat, text) | Entry::Sent(seat, text) => {
                (seat, String::from_utf8_lossy(&text).into_owned(), None)
            }
            Entry::SentTo(seats, text) if seats.contains(&Seat::Number(player)) => {
                (Seat::Number(player), String::from_utf8_lossy(&text).into_owned(), None)
            }
            Entry::Why(seat, why) if seat == Seat::Number(player) && tick <= until => {
                all.last_mut().unwrap().2 = Some(why);
                continue;
            }
            Entry::Closed(seat, why) => (seat, String::new(), Some(why)),
            Entry::Ended(seat)
            | Entry::Gone(seat)
            | Entry::Overflow(seat)
            | Entry::Dropped(seat, _)
            | Entry::Expelled(seat, _) => (seat, String::new(), None),
            _ => continue,
        };
        if seat == Seat::Number(player) && tick <= until {
            all.push((tick, text, why));
        }
    }
    all.split_off(all.len().saturating_sub(MAX_LINES))
}

fn shown(
    dialogue: &mut DialogueReader,
    archive: &mut dyn Archive,
    tick: Tick,
) -> Vec<(Tick, String, Option<String>)> {
    for _ in 0..1_000 {
        dialogue.show(archive, tick).unwrap();
        if dialogue.complete {
            let words = |line: &Spoken| matches!(line.speech, Speech::Joined | Speech::In | Speech::Out);
            let said = |line: &Spoken| if words(line) { line.text.clone() } else { String::new() };
            let line = |line: &Spoken| (line.tick, said(line), line.why.clone());
            return dialogue.lines().map(line).collect();
        }
    }
    panic!("it never ends");
}

#[test]
fn from_wherever_one_looks_it_is_the_same_dialogue() {
    let bytes = record(&Match::small(2));
    let mut archive = opened(&bytes);
    let mut dice = Dice(5);
    for player in [0, 7, 30, 9_999] {
        let mut dialogue = DialogueReader::new(SpeakerSeats::at(player));
        let mut tick: Tick = 0;
        for _ in 0..40 {
            tick = match dice.below(4) {
                0 => tick + dice.below(30),
                1 => tick.saturating_sub(dice.below(30)),
                2 => dice.below(9_100),
                _ => tick + dice.below(1_000),
            };
            let (found, expected) = (shown(&mut dialogue, &mut archive, tick), plain(&bytes, player, tick));
            assert_eq!(found.len(), expected.len(), "player {player} at {tick}");
            assert_eq!(found, expected, "player {player} at {tick}");
        }
    }
}

#[test]
fn lines_are_found_however_far_they_lie_back() {
    let bytes = record(&Match { ticks: 4_000, seats: 400, ..Match::small(9) });
    // Several times what is read at once.
    assert!(bytes.len() > 5 << 20, "{} bytes", bytes.len());
    let mut archive = opened(&bytes);
    let mut quiet = 0;
    for player in [0, 3, 200, 390] {
        let mut dialogue = DialogueReader::new(SpeakerSeats::at(player));
        for tick in [3_990, 2_000, 3_000, 3_500] {
            let (found, expected) = (shown(&mut dialogue, &mut archive, tick), plain(&bytes, player, tick));
            assert!(found == expected, "player {player} at {tick}: {} of {}", found.len(), expected.len());
            quiet += usize::from(expected.last().is_some_and(|last| tick - last.0 > 1_000));
        }
    }
    assert!(quiet > 0, "no player was silent for long");
}

#[test]
fn a_refusal_has_its_reason() {
    let bytes = record(&Match::small(2));
    let mut archive = opened(&bytes);
    let mut dialogue = DialogueReader::new(SpeakerSeats::at(1));
    shown(&mut dialogue, &mut archive, 9_000);
    let refusals: Vec<&Spoken> =
        dialogue.lines().filter(|line| line.speech == Speech::Out && line.text == "ko").collect();
    assert!(refusals.len() > 3);
    assert!(refusals.iter().all(|line| line.why.is_some()), "{refusals:?}");
    assert!(dialogue.lines().all(|line| line.speech != Speech::Reason));
}
