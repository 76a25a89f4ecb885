//! A session shows the sample record and a live match through one face.

use std::io::{BufRead, BufReader, Lines, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use zappy_observer::app::origin::Origin;
use zappy_observer::app::session::{Conversation, NewLive};
use zappy_observer::app::watching::Watching;
use zappy_observer::map_screen::MapGame as _;
use zappy_observer::screen::Next;
use zappy_observer::source::socket::{FromPage, Socket};
use zappy_observer::timeline::archive::Archive;
use zappy_observer::timeline::dialogue::SpeakerSeats;
use zappy_observer::timeline::fold::Fold as _;
use zappy_observer::timeline::playhead::Arrival;
use zappy_observer::timeline::record_file::WatchedRecord;
use zappy_protocol::record::dialogue::{Speech, Spoken};
use zappy_protocol::zappy::{PlayerId, Resource};
use zappy_screen_zappy::app::Session;
use zappy_screen_zappy::timeline::ZappyPlayhead;
use zappy_screen_zappy::view::{ZappyMap, ZappyView};

/// Nothing here takes nearly as long.
const DEADLINE: Duration = Duration::from_secs(20);

fn sample() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../assets/sample.zrec")
}

#[test]
fn the_sample_record_is_shown_at_any_tick_with_its_story() {
    let mut session = Session::record(&sample()).unwrap();
    session.read_all();
    let (first, last) = session.range();
    assert_eq!(first, 0);
    let ending = session.overview().chronicle.finish.clone().expect("the sample has an end");
    assert_eq!(ending.tick, last);
    assert_eq!(ending.winner.as_ref().map(ToString::to_string).as_deref(), Some("blue"));
    for tick in [last, 0, last / 2, last + 10_000] {
        while {
            session.show(tick);
            !session.arrived
        } {}
        assert_eq!(session.fold().tick(), tick);
    }
    assert_eq!(session.overview().roster.teams().len(), 3);
    assert_eq!(session.oddities().total(), 0);
    let Origin::Record { name, read, trouble } = &session.origin else { panic!("a record") };
    assert_eq!((name.as_str(), *read, trouble.as_deref()), ("sample.zrec", 1.0, None));
}

#[test]
fn a_players_dialogue_ends_at_the_tick_shown_and_gives_reasons() {
    let mut session = Session::record(&sample()).unwrap();
    let (tick, player, mut conversation) = (1_500, || Some(SpeakerSeats::at(2)), Conversation::default());
    while !conversation.show(&mut session, player(), tick, |_| true) {}
    let spoken = conversation.spoken();
    assert!(!spoken.is_empty() && spoken.iter().all(|line| line.tick <= tick));
    assert!(spoken.windows(2).all(|pair| pair[0].tick <= pair[1].tick));
    assert!(spoken.iter().any(|line| line.why.is_some()), "nothing was refused in all that time");
    let all = spoken.len();
    let others = spoken.iter().filter(|line| line.text.starts_with("message ")).count();
    assert!(others > 0);
    let quiet = ZappyView { heard: false, ..ZappyView::default() };
    assert!(conversation.show(&mut session, player(), tick, |line| ZappyMap::wants(&quiet, line)));
    assert_eq!(conversation.spoken().len(), all - others);
    assert!(conversation.show(&mut session, None, tick, |_| true));
    assert!(conversation.spoken().is_empty());
}

/// The connection of an observer that has said what it is, and its next lines.
fn greeted(listener: &TcpListener) -> (TcpStream, Lines<BufReader<TcpStream>>) {
    let (mut stream, _) = listener.accept().unwrap();
    stream.set_read_timeout(Some(DEADLINE)).unwrap();
    let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
    stream.write_all(b"WELCOME\n").unwrap();
    assert_eq!(lines.next().unwrap().unwrap(), "GRAPHIC");
    (stream, lines)
}

#[test]
fn a_live_match_is_shown_as_it_comes_and_can_be_asked_for_its_rate() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = std::thread::spawn(move || {
        let (mut stream, mut lines) = greeted(&listener);
        stream
            .write_all(b"msz 4 4\nsgt 100\ntna red\npnw #0 1 1 1 1 red\npin #0 1 1 9 0 0 0 0 0 0\n")
            .unwrap();
        let asked = lines.next().unwrap().unwrap();
        stream.write_all(b"sgt 250\npbc #0 hello\nwhat is this\n").unwrap();
        // Open until the other side has seen enough.
        (asked, lines.next().is_none())
    });
    let mut session = Session::live("127.0.0.1", port).unwrap();
    wait_for(&mut session, |session| {
        session.overview().chronicle.until > 0 || session.overview().roster.teams().len() == 1
    });
    assert!(session.is_live());
    session.ask_rate(250);
    wait_for(&mut session, |session| session.oddities().unknown == 1);
    let Origin::Live { connected, rate, asked, .. } = &session.origin else { panic!("live") };
    assert_eq!((*connected, *rate, *asked), (true, 250, None));
    assert!(session.overview().chronicle.last_words(PlayerId(0), u64::MAX).is_some());
    wait_for(&mut session, |session| {
        let now = session.now();
        session.show(now.max(0.0) as u64);
        session.fold().mirror().players.len() == 1
    });
    drop(session);
    assert_eq!(server.join().unwrap(), ("sst 250".to_owned(), true));
}

#[test]
fn a_server_that_leaves_it_untold_where_resources_grow_is_asked_again_and_again() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = std::thread::spawn(move || {
        let (mut stream, mut lines) = greeted(&listener);
        // What lies there is taken, and then what was never told to lie there.
        let dump =
            "msz 2 1\nsgt 100\nbct 0 0 1 0 0 0 0 0 0\nbct 1 0 0 0 0 0 0 0 0\ntna red\npnw #0 0 0 1 1 red\n";
        let took = "pgt #0 0\npin #0 0 0 9 0 0 0 0 0 0\nbct 0 0 0 0 0 0 0 0 0\n";
        stream.write_all([dump, took, took].concat().as_bytes()).unwrap();
        assert_eq!(lines.next().unwrap().unwrap(), "mct");
        stream.write_all(b"bct 0 0 0 0 0 0 0 0 0\nbct 1 0 7 0 0 0 0 0 0\n").unwrap();
        assert_eq!(lines.next().unwrap().unwrap(), "mct");
        // After the end nothing is asked.
        stream.write_all(b"seg red\n").unwrap();
        lines.next().is_none()
    });
    let mut session = Session::live("127.0.0.1", port).unwrap();
    wait_for(&mut session, |session| session.overview().chronicle.finish.is_some());
    let end = session.overview().chronicle.finish.as_ref().unwrap().tick;
    while {
        session.show(end);
        !session.arrived
    } {}
    assert_eq!(session.fold().mirror().on_ground(Resource::Food), 7);
    session.update(Instant::now() + DEADLINE);
    drop(session);
    assert!(server.join().unwrap());
}

fn wait_for(session: &mut Session, mut done: impl FnMut(&mut Session) -> bool) {
    let deadline = Instant::now() + DEADLINE;
    loop {
        session.update(Instant::now());
        if done(session) {
            return;
        }
        assert!(Instant::now() < deadline, "waited in vain: {:?}", &session.origin);
        std::thread::yield_now();
    }
}

#[test]
fn lines_are_stamped_by_when_they_were_read_however_many_wait_for_a_frame() {
    let start = Instant::now();
    let at = |milliseconds: u64| start + Duration::from_millis(milliseconds);
    let (live, mut socket) = Socket::of("hall/match", start);
    assert!(socket.wants_connection(start));
    socket.hear(FromPage::Opened, start);
    let dump = b"WELCOME\nmsz 5 5\nsgt 1000\ntna red\npnw #0 1 1 1 1 red\nbct 0 0 0 0 0 0 0 0 0\n";
    socket.hear(FromPage::Lines(dump), start);
    let mut session = Session::watch(NewLive::of(live));
    session.update(at(500));
    for n in 0..300 {
        socket.hear(FromPage::Lines(b"pbc #0 hi\n"), at(1_000 + n));
    }
    session.update(at(1_400));
    session.update(at(1_500));
    let ticks: Vec<_> = session.overview().chronicle.words.iter().map(|noted| noted.happening.tick).collect();
    assert_eq!(ticks.len(), 300);
    assert!(ticks.windows(2).all(|pair| pair[1] - pair[0] == 1), "{ticks:?}");
}

#[test]
fn what_a_player_noted_stands_between_the_lines_of_its_dialogue() {
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("match.zrec");
    std::fs::copy(sample(), &record).unwrap();
    std::fs::create_dir(folder.path().join("notes")).unwrap();
    let notes = "# player 2\n# team red\n3/5 read five lines\n9/9 tile 0 -1 food\n";
    std::fs::write(folder.path().join("notes/red-1.txt"), notes).unwrap();
    let mut session = Session::record(&record).unwrap();
    session.read_all();
    let mut conversation = Conversation::default();
    let mut shown = |tick, heard: bool| {
        let wanted = move |line: &Spoken| ZappyMap::wants(&ZappyView { heard, ..ZappyView::default() }, line);
        while !conversation.show(&mut session, Some(SpeakerSeats::at(2)), tick, wanted) {}
        conversation.spoken().to_vec()
    };
    let all = shown(300, true);
    let noted: Vec<_> = all.iter().filter(|line| line.speech == Speech::Noted).collect();
    let words: Vec<&str> = noted.iter().map(|line| line.text.as_str()).collect();
    assert_eq!(words, ["read five lines", "tile 0 -1 food"]);
    let place = all.iter().position(|line| line.text == "read five lines").unwrap();
    let read = all[..place].iter().filter(|line| line.speech == Speech::Out).count();
    assert_eq!((read, all[place].tick), (5, all[place - 1].tick), "{:?}", &all[..place + 2]);
    assert!(all.windows(2).all(|pair| pair[0].tick <= pair[1].tick));
    let before = shown(noted[1].tick - 1, false);
    assert!(before.iter().all(|line| line.text != "tile 0 -1 food"), "it isn't told before it was noted");
}

#[test]
fn what_is_no_record_is_refused_with_a_remedy() {
    let error = Session::record(Path::new(env!("CARGO_MANIFEST_DIR"))).unwrap_err().to_string();
    assert!(error.contains("give the path of a record"), "{error}");
    let error = Session::record(&Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml")).unwrap_err();
    assert!(error.to_string().contains("is no record"), "{error}");
}

#[test]
fn what_kept_a_match_from_being_opened_is_said_until_one_is() {
    let mut watching = Watching::new(Session::nothing());
    watching.screen.say("can't open it");
    let late = Instant::now() + Duration::from_secs(3_600);
    watching.take_news(late);
    assert_eq!(watching.screen.notice(), Some("Can't open it"));
    assert!(matches!(watching.next(false), Next::WhenSomethingHappens));
    watching.session = Session::record(&sample()).unwrap();
    watching.take_news(late);
    assert_eq!(watching.screen.notice(), None);
}

#[test]
fn seeking_anywhere_in_the_sample_equals_playing_up_to_there() {
    let mut played = (WatchedRecord::open(&sample()).unwrap(), ZappyPlayhead::new());
    let last = played.0.last_tick();
    for tick in 0..=last {
        assert_eq!(played.1.go_to(&mut played.0, tick).unwrap(), Arrival::There);
        if tick % 29 == 0 || tick == last {
            let mut sought = ZappyPlayhead::new();
            while sought.go_to(&mut played.0, tick).unwrap() == Arrival::OnTheWay {}
            assert!(played.1.fold() == sought.fold(), "tick {tick}");
        }
    }
}

#[test]
fn a_record_that_is_still_written_grows_on_the_window() {
    let whole = std::fs::read(sample()).unwrap();
    let half = whole[..whole.len() / 2].iter().rposition(|&byte| byte == b'\n').unwrap() + 1;
    // Everything but the last line, which is written in one go with the index.
    let nearly = whole[..whole.len() - 1].iter().rposition(|&byte| byte == b'\n').unwrap() + 1;
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(&whole[..half]).unwrap();
    let mut session = Session::record(file.path()).unwrap();
    wait_for(&mut session, |session| session.overview().chronicle.until > 500);
    let before = session.range().1;
    let Origin::Record { trouble, .. } = &session.origin else { panic!("a record") };
    assert_eq!(trouble.as_deref(), Some("still being written"));
    file.write_all(&whole[half..nearly]).unwrap();
    wait_for(&mut session, |session| session.range().1 > before);
    wait_for(&mut session, |session| session.overview().chronicle.finish.is_some());
    file.write_all(&whole[nearly..]).unwrap();
    wait_for(&mut session, |session| !session.is_waiting());
    let Origin::Record { read, trouble, .. } = &session.origin else { panic!("a record") };
    assert_eq!((*read, trouble.as_deref()), (1.0, None));
    assert_eq!(session.overview().chronicle.finish.as_ref().unwrap().tick, session.range().1);
}

#[test]
fn a_changed_record_is_not_called_one_that_is_written() {
    let whole = String::from_utf8(std::fs::read(sample()).unwrap()).unwrap();
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(whole.replacen("\n= msz ", "\n= msz  ", 1).as_bytes()).unwrap();
    let mut session = Session::record(file.path()).unwrap();
    session.read_all();
    let Origin::Record { trouble, .. } = &session.origin else { panic!("a record") };
    assert!(trouble.as_deref().is_some_and(|why| why.starts_with("this record was changed")), "{trouble:?}");
    assert!(session.overview().chronicle.finish.is_some() && session.range().1 > 1_000);
}
