//! A window that stays open while one match after the other is played.

use std::sync::mpsc::channel;
use std::time::{Duration, Instant};
use zappy_screen_zappy::view::{Choice, Panel, Selection, ZappyChoice};

use zappy_protocol::zappy::PlayerId;
use zappy_screen_zappy::app::{App, Session};

use crate::fake::Fake;

/// After so long a test has failed.
const DEADLINE: Duration = Duration::from_secs(60);

fn update_until(app: &mut App, reached: impl Fn(&App) -> bool) {
    let until = Instant::now() + DEADLINE;
    while !reached(app) {
        assert!(Instant::now() < until, "{:?}", app.watch.session.origin);
        app.update(0.0, Instant::now());
        std::thread::yield_now();
    }
}

fn width(app: &App) -> u16 {
    app.watch.session.fold().mirror().size.map_or(0, zappy_protocol::MapSize::width)
}

#[test]
fn nothing_chosen_in_one_match_holds_in_the_next() {
    let (seen, go_on) = channel::<()>();
    let (done, end) = channel::<()>();
    let fake = Fake::new(vec![
        Box::new(move |mut peer| {
            peer.greet();
            peer.say("msz 5 5\nsgt 100\ntna red\npnw #0 1 1 1 1 red\nppo #0 1 2 1\n");
            let _ = go_on.recv_timeout(DEADLINE);
        }),
        Box::new(move |mut peer| {
            peer.greet();
            peer.say("msz 9 9\nsgt 100\ntna blue\npnw #0 1 1 1 1 blue\nppo #0 1 2 1\n");
            let _ = end.recv_timeout(DEADLINE);
        }),
    ]);
    let session = Session::live("127.0.0.1", fake.address.port()).unwrap();
    let mut app = App::new(session);
    update_until(&mut app, |app| width(app) == 5);
    let red = app.shown().looks[0].color;
    app.act(Choice::Select(Selection::Player(PlayerId(0))));
    app.act(Choice::Own(ZappyChoice::TogglePin));
    app.view.panels.insert(Panel::Closing);
    seen.send(()).unwrap();
    update_until(&mut app, |app| width(app) == 9 && app.view.selection.is_none());
    assert_eq!((app.view.own.pinned, app.view.panels.contains(&Panel::Closing)), (None, false));
    assert!(app.shown().looks[0].color != red, "a blue team in red");
    assert!(app.shown().notice.is_some_and(|notice| notice.contains("only its record is left")));
    done.send(()).unwrap();
    drop(app);
    fake.end();
}
