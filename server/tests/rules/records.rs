//! Records of real matches: they verify, every changed byte is caught, and a reader can begin at a keyframe.

use crate::support;

use std::io::{self, Write};

use zappy_game::{Game, Input, MatchSpec, SeatId};
use zappy_game_zappy::Zappy;
use zappy_protocol::record::{CHECK_LINE_BYTES, Entry, Header, RecordLevel, RecordLine};
use zappy_protocol::zappy::mirror::Mirror;
use zappy_protocol::zappy::observer::Message;
use zappy_protocol::{MapSize, TeamName, Tick};
use zappy_server::games::GAMES;
use zappy_server::record::{BadMatch, Growing, Recorder, expand, header, read_file, verify};

fn spec(side: u16, max_ticks: Tick) -> MatchSpec {
    let mut spec = support::default_match().with([("clients", "3")]).unwrap();
    spec.config.map = MapSize::new(side, side).unwrap();
    spec.config.teams = ["red", "blue"].map(|name| TeamName::parse(name.as_bytes()).unwrap()).to_vec();
    spec.config.max_ticks = Some(max_ticks);
    spec
}

pub fn hand_in(game: &mut impl Game, now: Tick, seat: u32, input: Input<'_>) {
    support::advance(game, now);
    game.handle_input(now, SeatId(seat), input);
    while game.poll_output().is_some() {}
}

/// Six players wander and pick up what they find until time is over.
fn play<W: Write>(spec: &MatchSpec, level: RecordLevel, file: W) -> (Zappy, io::Result<W>) {
    play_recorded(spec, &header(spec, level), file)
}

fn play_recorded<W: Write>(spec: &MatchSpec, header: &Header, file: W) -> (Zappy, io::Result<W>) {
    let mut game = Recorder::new(Zappy::of(spec), file, header);
    hand_in(&mut game, 0, SeatId::CONSOLE.0, Input::Line(b"/noFood true"));
    for seat in 0..6 {
        hand_in(&mut game, 0, seat, Input::Open);
        hand_in(&mut game, 0, seat, Input::Line(if seat % 2 == 0 { b"red" } else { b"blue" }));
    }
    hand_in(&mut game, 0, 99, Input::Open);
    hand_in(&mut game, 0, 99, Input::Line(b"GRAPHIC"));
    let commands = [
        "Forward",
        "Take food",
        "Look",
        "Forward",
        "Take linemate",
        "Right",
        "Broadcast \\ a\u{1} b",
        "junk",
    ];
    let last = spec.config.max_ticks.unwrap();
    for (round, now) in (0..last).step_by(7).enumerate() {
        for seat in 0..6u32 {
            let command = commands[(round + seat as usize * 3) % commands.len()];
            hand_in(&mut game, now, seat, Input::Line(command.as_bytes()));
        }
        if round % 50 == 0 {
            for line in ["/setLevel 0 1", "/tp 0 0 0", "/incantate 1 0 0"] {
                hand_in(&mut game, now, SeatId::CONSOLE.0, Input::Line(line.as_bytes()));
            }
        }
        if round == 40 {
            hand_in(&mut game, now, 99, Input::Line(b"sst 250"));
        }
    }
    support::advance(&mut game, last);
    game.finish()
}

pub fn record(level: RecordLevel) -> Vec<u8> {
    play(&spec(6, 400), level, Vec::new()).1.unwrap()
}

#[test]
fn both_levels_verify() {
    for level in [RecordLevel::Inputs, RecordLevel::Full] {
        let bytes = record(level);
        let verified = verify(&bytes, GAMES).unwrap_or_else(|error| panic!("{level:?}: {error}"));
        assert!(verified.complete && verified.ticks == 400 && verified.inputs > 300, "{verified:?}");
    }
    assert!(record(RecordLevel::Inputs).len() * 3 < record(RecordLevel::Full).len());
}

#[test]
fn a_record_of_inputs_expands_to_the_full_one_and_back() {
    let spec = spec(12, 30_000);
    let [inputs, full] =
        [RecordLevel::Inputs, RecordLevel::Full].map(|level| play(&spec, level, Vec::new()).1.unwrap());
    assert!(full.windows(3).any(|part| part == b" k\n"), "no keyframe in {} bytes", full.len());
    for (given, level, expected) in [
        (&inputs, RecordLevel::Full, &full),
        (&full, RecordLevel::Inputs, &inputs),
        (&full, RecordLevel::Full, &full),
    ] {
        let mut out = Vec::new();
        let verified =
            expand(given, GAMES, level, &mut out).unwrap_or_else(|error| panic!("{level:?}: {error}"));
        assert!(verified.complete && verified.ticks == 30_000, "{verified:?}");
        assert!(out == *expected, "another record of {level:?}");
    }
}

#[test]
fn a_growing_record_of_inputs_gives_what_the_full_one_has_more_with_each_piece() {
    let [inputs, full] = [RecordLevel::Inputs, RecordLevel::Full].map(record);
    let (mut growing, mut at) = Growing::begin(&inputs, GAMES).unwrap();
    let mut given = Vec::new();
    while at < inputs.len() {
        let rest = &inputs[at..];
        let lines = rest.split_inclusive(|&byte| byte == b'\n').take(7);
        let piece = &rest[..lines.map(<[u8]>::len).sum()];
        at += piece.len();
        given.extend(growing.take(piece).unwrap());
    }
    assert!(given == full, "{} bytes instead of {}", given.len(), full.len());
    assert!(Growing::begin(&inputs[..20], GAMES).is_err());
}

/// The largest piece that was written at once, and all of it.
#[derive(Default)]
struct Pieces {
    largest: usize,
    bytes: Vec<u8>,
}

impl Write for Pieces {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.largest = self.largest.max(bytes.len());
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// All players of a crowd send these lines at one tick; the match ends some ticks later.
fn crowd(size: u32, level: RecordLevel, lines: &[&[u8]]) -> Pieces {
    let spec = spec(6, 50).with([("clients", size.div_ceil(2).to_string().as_str())]).unwrap();
    let mut game = Recorder::new(Zappy::of(&spec), Pieces::default(), &header(&spec, level));
    for seat in 0..size {
        hand_in(&mut game, 0, seat, Input::Open);
        hand_in(&mut game, 0, seat, Input::Line(if seat % 2 == 0 { b"red" } else { b"blue" }));
    }
    for line in lines {
        (0..size).for_each(|seat| hand_in(&mut game, 9, seat, Input::Line(line)));
    }
    support::advance(&mut game, 50);
    game.finish().1.unwrap()
}

#[test]
fn a_broadcast_is_stored_for_all_its_listeners_at_once_and_written_in_pieces() {
    let said = [b"Broadcast ", &[b'z'; 2_000][..]].concat();
    let [inputs, full] = [RecordLevel::Inputs, RecordLevel::Full].map(|level| crowd(200, level, &[&said]));
    // 200 players hear 200 words of 2 kB: 80 MB, if each had its own.
    assert!(full.bytes.len() < 5_000_000, "{} bytes", full.bytes.len());
    assert!(full.largest < 256 * 1024, "{} bytes at once", full.largest);
    let mut expanded = Pieces::default();
    expand(&inputs.bytes, GAMES, RecordLevel::Full, &mut expanded).unwrap();
    assert!(expanded.bytes == full.bytes && expanded.largest < 256 * 1024, "{}", expanded.largest);
    assert!(verify(&full.bytes, GAMES).unwrap().complete);
    let lines = full.bytes.split(|&byte| byte == b'\n').filter_map(|line| RecordLine::parse(line).ok());
    let heard = lines.filter_map(|line| match line {
        RecordLine::Event(_, Entry::Sent(_, text)) if text.starts_with(b"message") => Some(1),
        RecordLine::Event(_, Entry::SentTo(seats, text)) if text.starts_with(b"message") => Some(seats.len()),
        _ => None,
    });
    assert_eq!(heard.sum::<usize>(), 200 * 199);
}

#[test]
fn dropped_lines_are_counted_and_still_verify() {
    let said = [b"Broadcast ", &[b'z'; 4_000][..]].concat();
    let lines = vec![&said[..]; 3_000];
    let [inputs, full] = [RecordLevel::Inputs, RecordLevel::Full].map(|level| crowd(2, level, &lines).bytes);
    assert!(inputs.len() < 100_000, "{} bytes of {} that came in", inputs.len(), 2 * 3_000 * said.len());
    let text = String::from_utf8(inputs.clone()).unwrap();
    assert!(text.contains("\n9 # 0 1000\n9 # 0 1000\n9 # 0 989\n9 # 1 1000\n"), "{text}");
    assert!(verify(&inputs, GAMES).unwrap().complete && verify(&full, GAMES).unwrap().complete);
    let mut expanded = Vec::new();
    expand(&inputs, GAMES, RecordLevel::Full, &mut expanded).unwrap();
    assert_eq!(expanded, full);
    // Lines that were taken can't be passed off as dropped ones, nor the other way round.
    for (from, to) in [("9 # 1 989\n", "9 # 1 990\n"), ("9 # 1 989\n", "9 < 1 Look\n")] {
        let changed = text.replacen(from, to, 1);
        assert!(verify(&changed.into_bytes()[..], GAMES).is_err());
    }
    let taken = text.replacen("0 + 1 blue\n", "0 + 1 blue\n1 # 1 3\n", 1);
    let cut = &taken[..taken.len() - CHECK_LINE_BYTES];
    assert!(matches!(verify(cut.as_bytes(), GAMES), Err(BadMatch::Differs { .. })));
}

#[test]
fn of_a_long_line_that_is_no_command_only_the_beginning_is_kept() {
    let junk = [b'\xff'; 4_000];
    let text = String::from_utf8(crowd(2, RecordLevel::Inputs, &[&junk[..]; 100]).bytes).unwrap();
    assert!(text.len() < 80_000 && text.contains("\\xff... (4000 bytes)\n"), "{} bytes", text.len());
    assert!(verify(text.as_bytes(), GAMES).unwrap().complete);
}

#[test]
fn nothing_is_due_while_no_food_is_lost() {
    let mut spec = spec(6, 1);
    spec.config.max_ticks = None;
    let mut game = Zappy::of(&spec);
    hand_in(&mut game, 0, SeatId::CONSOLE.0, Input::Line(b"/noFood true"));
    hand_in(&mut game, 3, 0, Input::Open);
    hand_in(&mut game, 3, 0, Input::Line(b"red"));
    // Else a week of it would be some hundred thousand steps, and a record of some bytes could ask for them.
    support::advance(&mut game, 999_999);
    assert_eq!(game.poll_timeout(), Some(zappy_game::config::LAST_TICK));
    hand_in(&mut game, 999_999, SeatId::CONSOLE.0, Input::Line(b"/noFood false"));
    // 126 ticks after 3, again and again.
    assert_eq!(game.poll_timeout(), Some(3 + 126 * 7_937));
}

#[test]
fn of_an_endless_line_little_is_read() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let begin = b"zrec 3\n";
    file.as_file().write_all(begin).unwrap();
    // A gibibyte that takes no room on the disk.
    file.as_file().set_len(1 << 30).unwrap();
    let refused = read_file(file.path()).unwrap_err().to_string();
    assert!(refused.contains("it holds a line of more than 16777216 bytes"), "{refused}");
    // What is no record isn't read on; what it is, another says.
    std::fs::write(file.path(), vec![b'x'; 20 << 20]).unwrap();
    assert!(read_file(file.path()).unwrap().len() < 5 << 20);
}

#[test]
fn half_a_record_expands_to_half_a_record() {
    let (inputs, full) = (record(RecordLevel::Inputs), record(RecordLevel::Full));
    for at in [inputs.len() / 3, inputs.len() / 2, inputs.len() - CHECK_LINE_BYTES] {
        let mut out = Vec::new();
        assert!(!expand(&inputs[..at], GAMES, RecordLevel::Full, &mut out).unwrap().complete);
        assert!(out.len() > at && full.starts_with(&out), "cut at {at}");
    }
}

#[test]
fn what_does_not_verify_does_not_expand() {
    let bytes = record(RecordLevel::Inputs);
    let digest = String::from_utf8(bytes.clone()).unwrap();
    let digest = digest.lines().find(|line| line.starts_with("digest ")).unwrap();
    let lie = forged(&bytes, digest, "digest 0123456789abcdef");
    let refused = expand(&lie, GAMES, RecordLevel::Full, Vec::new());
    assert!(matches!(refused, Err(BadMatch::Differs { .. })), "{refused:?}");
    let refused = expand(&bytes, GAMES, RecordLevel::Full, Full(20_000));
    assert!(matches!(refused, Err(BadMatch::Write(_))), "{refused:?}");
}

#[test]
fn an_observer_leaves_no_trace_but_what_it_changed() {
    let text = String::from_utf8(record(RecordLevel::Full)).unwrap();
    assert!(!text.contains("GRAPHIC"));
    assert!(text.contains(" < c sst 250\n"));
}

#[test]
fn any_changed_byte_is_caught() {
    let bytes = record(RecordLevel::Full);
    for at in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        assert!(
            !verify(&changed, GAMES).is_ok_and(|verified| verified.complete),
            "byte {at} of {}",
            bytes.len()
        );
    }
}

/// Replaces a line and repairs the fingerprint, as a forger would.
fn forged(bytes: &[u8], from: &str, to: &str) -> Vec<u8> {
    let text = String::from_utf8(bytes.to_vec()).unwrap();
    assert!(text.contains(from), "no {from:?}");
    let text = text.replacen(from, to, 1);
    let body = &text[..text.len() - CHECK_LINE_BYTES];
    let place = body.rfind("\n400 end").unwrap() + 1;
    let mut fingerprint = zappy_protocol::record::Fingerprint::default();
    fingerprint.update(body.as_bytes());
    format!("{body}{}\n", RecordLine::Check(fingerprint.value(), place as u64).print()).into_bytes()
}

#[test]
fn a_forged_record_is_told_by_its_first_difference() {
    let bytes = record(RecordLevel::Full);
    let text = String::from_utf8(bytes.clone()).unwrap();
    let answer = text.lines().find(|line| line.starts_with("7 > ")).unwrap();
    let BadMatch::Differs { line, recorded, replayed } =
        verify(&forged(&bytes, answer, "7 > 0 forged"), GAMES).unwrap_err()
    else {
        panic!("another error");
    };
    assert_eq!((recorded.as_str(), replayed.as_str()), ("7 > 0 forged", answer));
    assert_eq!(text.lines().nth(line - 1), Some(answer));
    assert!(matches!(verify(&forged(&bytes, "seed 1\n", "seed 2\n"), GAMES), Err(BadMatch::Differs { .. })));
}

#[test]
fn another_version_is_refused_with_a_clear_word() {
    let bytes = record(RecordLevel::Inputs);
    let error = verify(&forged(&bytes, "game zappy 3", "game zappy 99"), GAMES).unwrap_err().to_string();
    assert!(error.contains("rules version 99") && error.contains("this server plays version 3"), "{error}");
    let error = verify(b"hello\nworld\n", GAMES).unwrap_err().to_string();
    assert!(error.contains("no record of format 1"), "{error}");
}

#[test]
fn a_record_that_was_cut_off_verifies_up_to_its_last_whole_line() {
    let bytes = record(RecordLevel::Full);
    let begin = bytes.windows(6).position(|w| w == b"begin\n").unwrap() + 6;
    for at in (begin..bytes.len()).step_by(97).chain([bytes.len() - 1]) {
        let verified = verify(&bytes[..at], GAMES).unwrap_or_else(|error| panic!("cut at {at}: {error}"));
        assert!(!verified.complete);
    }
}

#[test]
fn rubbish_never_panics() {
    let bytes = record(RecordLevel::Full);
    let lines: Vec<&[u8]> = bytes.split_inclusive(|&b| b == b'\n').collect();
    for gap in 0..lines.len() {
        let without: Vec<u8> =
            lines.iter().enumerate().filter(|(i, _)| *i != gap).flat_map(|(_, l)| l.to_vec()).collect();
        assert!(!verify(&without, GAMES).is_ok_and(|verified| verified.complete));
    }
}

#[test]
fn a_record_that_carries_the_first_name_of_the_rules_verifies() {
    let spec = spec(6, 400);
    let mut first = header(&spec, RecordLevel::Full);
    assert_eq!(first.options[0], ("rules".to_owned(), "subject".to_owned()));
    first.options[0].1 = "reference".to_owned();
    let full = play_recorded(&spec, &first, Vec::new()).1.unwrap();
    assert!(verify(&full, GAMES).unwrap().complete);
    let (mut inputs, mut again) = (Vec::new(), Vec::new());
    expand(&full, GAMES, RecordLevel::Inputs, &mut inputs).unwrap();
    expand(&inputs, GAMES, RecordLevel::Full, &mut again).unwrap();
    assert_eq!(again, full);
}

#[test]
fn a_record_of_the_first_rules_is_refused_by_name_and_its_inputs_are_kept_as_they_stand() {
    let full = include_bytes!("../records/format-1.zrec");
    let error = verify(full, GAMES).unwrap_err().to_string();
    assert!(error.contains("rules version 1") && error.contains("plays version 3"), "{error}");
    let mut inputs = Vec::new();
    let kept = expand(full, GAMES, RecordLevel::Inputs, &mut inputs).unwrap();
    let (head, lines) = zappy_server::record::parse(full).unwrap();
    let (kept_head, kept_lines) = zappy_server::record::parse(&inputs).unwrap();
    assert_eq!(kept_head, Header { level: RecordLevel::Inputs, ..head });
    let ins = |lines: Vec<(usize, RecordLine)>| {
        let input = |line: &RecordLine| matches!(line, RecordLine::Event(_, entry) if entry.is_input());
        lines.into_iter().map(|(_, line)| line).filter(input).collect::<Vec<_>>()
    };
    let wanted = ins(lines);
    assert!(kept.complete && kept.inputs == wanted.len() && !wanted.is_empty(), "{kept:?}");
    let ends =
        kept_lines.iter().filter(|(_, line)| matches!(line, RecordLine::End(..) | RecordLine::Check(..)));
    assert_eq!((ends.count(), ins(kept_lines)), (2, wanted));
    assert!(matches!(
        expand(&inputs, GAMES, RecordLevel::Full, Vec::new()),
        Err(BadMatch::RulesVersion { .. })
    ));
}

#[test]
fn a_reader_can_begin_at_any_keyframe() {
    for rules in ["subject", "official"] {
        begin_at_keyframes(rules);
    }
}

fn begin_at_keyframes(rules: &str) {
    let spec = spec(12, 40_000).with([("rules", rules)]).unwrap();
    let (game, bytes) = play(&spec, RecordLevel::Full, Vec::new());
    let (bytes, game) = (bytes.unwrap(), game.projection());
    let line_at = |at: usize| {
        let end = at + bytes[at..].iter().position(|&b| b == b'\n').unwrap();
        (RecordLine::parse(&bytes[at..end]).unwrap(), end + 1)
    };
    // The tail tells where the footer begins, the footer where the keyframes stand.
    let (RecordLine::Check(_, footer), _) = line_at(bytes.len() - CHECK_LINE_BYTES) else {
        panic!("the last line is no check line")
    };
    let mut at = usize::try_from(footer).unwrap();
    let mut keyframes = Vec::new();
    while at < bytes.len() {
        let (line, next) = line_at(at);
        if let RecordLine::Index(tick, offset) = line {
            keyframes.push((tick, offset as usize));
        }
        at = next;
    }
    assert!(keyframes.len() > 2, "only {} keyframes in {} bytes", keyframes.len(), bytes.len());
    for (tick, offset) in keyframes {
        let (line, mut next) = line_at(offset);
        assert_eq!(line, RecordLine::Keyframe(tick));
        let mut mirror = Mirror::new();
        while next < bytes.len() {
            let (line, after) = line_at(next);
            next = after;
            if let RecordLine::Snapshot(text)
            | RecordLine::WithheldSnapshot(text)
            | RecordLine::Event(_, Entry::Published(text) | Entry::Withheld(text)) = line
            {
                let told = mirror.apply(&Message::parse(&text).unwrap());
                assert!(told.is_ok(), "{told:?}");
            }
        }
        mirror.eggs.values_mut().for_each(|egg| egg.layer = None);
        assert_eq!(mirror, game, "from the keyframe of tick {tick}");
    }
}

/// A disk that is full after a while.
struct Full(usize);

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0 < bytes.len() {
            return Err(io::Error::other("no space left"));
        }
        self.0 -= bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_full_disk_costs_the_record_and_not_the_match() {
    let (game, written) = play(&spec(6, 4_000), RecordLevel::Full, Full(20_000));
    assert!(written.is_err());
    assert_eq!(game.verdict().unwrap().reason, "time");
}

#[test]
fn a_record_of_the_first_format_is_still_played_and_kept_as_it_is() {
    let spec = spec(6, 400);
    let first = Header { format: 1, ..header(&spec, RecordLevel::Full) };
    let full = play_recorded(&spec, &first, Vec::new()).1.unwrap();
    assert!(verify(&full, GAMES).unwrap().complete);
    let (mut inputs, mut again) = (Vec::new(), Vec::new());
    expand(&full, GAMES, RecordLevel::Inputs, &mut inputs).unwrap();
    assert!(inputs.starts_with(b"zrec 1\nrules-version 3\n"));
    expand(&inputs, GAMES, RecordLevel::Full, &mut again).unwrap();
    assert_eq!(again, full);
}
