//! Running matches as spectators see them.

use zappy_play::signature::Kind;

use super::support::{Match, Stage, Watcher, until};

const OPENING: &str =
    "msz 2 1\nsgt 100\nbct 0 0 1 0 0 0 0 0 0\nbct 1 0 0 0 0 0 0 0 0\ntna red\npnw #1 0 0 1 1 red\n";

/// A match that runs in that folder, and a spectator of it who knows how it opened.
fn watched(stage: &Stage, folder: &str, address: &str) -> (Match, Watcher) {
    let mut game = Match::begin(&stage.folder.path().join(folder));
    let mut watcher = stage.watch(address).unwrap();
    game.greet();
    game.say(OPENING);
    watcher.until("pnw #1");
    (game, watcher)
}

#[test]
fn many_watch_over_one_connection_until_the_match_is_over() {
    let stage = Stage::new();
    let mut game = Match::begin(&stage.folder.path().join("final"));
    let mut watchers: Vec<_> = (0..20).map(|_| stage.watch("/live/final").unwrap()).collect();
    game.greet();
    game.say(OPENING);
    for watcher in &mut watchers {
        let first = watcher.next().unwrap();
        assert!(first.starts_with("WELCOME\nmsz 2 1\nsgt 100\n"), "{first}");
        assert!(first.contains("pnw #1") || watcher.until("pnw #1").contains("pnw #1"));
    }
    // A late one is told how it stands, and nothing of what is over.
    game.say("pdi #1\npnw #2 1 0 2 3 red\n");
    watchers[0].until("pnw #2");
    let mut late = stage.watch("/live/final").unwrap();
    let told = late.until("pnw #2");
    assert!(told.starts_with("WELCOME\n"), "{told}");
    watchers.push(late);
    let overview = stage.get("/").text();
    assert!(overview.contains("/watch/final\"") && overview.contains("21 spectators"), "{overview}");
    game.say("seg red\n");
    game.end();
    for watcher in &mut watchers {
        assert!(watcher.until("seg red").ends_with("seg red\n"));
        assert_eq!(watcher.end(), (1000, "the match is over".to_owned()));
    }
    assert!(!game.has_another(), "one connection for all");
    assert_eq!(stage.watch("/live/final").err(), Some(404), "nothing runs there any more");
}

#[test]
fn a_server_that_goes_without_a_word_is_told_from_the_end_of_a_match() {
    let stage = Stage::new();
    let (mut game, mut watcher) = watched(&stage, "final", "/live/final");
    game.end();
    assert_eq!(watcher.end(), (1001, "the match's server is gone".to_owned()));
}

#[test]
fn a_match_of_a_tournament_is_watched_where_it_will_lie() {
    let stage = Stage::new();
    stage.lay("night/plan.jsonl", "");
    stage.lay("night/bots.json", "{}");
    stage.sign("night", Kind::Tournament, &["bots.json"]);
    let hidden = "night/matches/.0123456789abcdef.tmp/match";
    let _watched = watched(&stage, hidden, "/live/night/matches/0123456789abcdef");
    assert!(stage.get("/").text().contains("/watch/night/matches/0123456789abcdef"));
    assert_eq!(stage.get("/watch/night/matches/0123456789abcdef").status, 200);
    for hidden in ["/live/night/matches/.0123456789abcdef.tmp/match", "/live/night", "/live/none"] {
        assert_eq!(stage.watch(hidden).err(), Some(404), "{hidden}");
    }
}

#[test]
fn a_spectator_that_does_not_read_costs_the_others_nothing_and_is_caught_up() {
    let stage = Stage::new();
    let mut game = Match::begin(&stage.folder.path().join("final"));
    let (mut quick, mut slow) = (stage.watch("/live/final").unwrap(), stage.watch("/live/final").unwrap());
    game.greet();
    game.say(OPENING);
    quick.until("pnw #1");
    slow.until("pnw #1");
    // More than the ring, the site's buffers and the system's together hold. The quick one keeps up: it reads all of it.
    let line = format!("smg {}\n", "x".repeat(8000));
    for round in 0..40 {
        game.say(&(line.repeat(128) + &format!("smg round {round}\n")));
        quick.until(&format!("smg round {round}\n"));
    }
    game.say("pdi #1\npnw #2 1 0 2 3 red\n");
    quick.until("pnw #2");
    // What the slow one missed is left out, and a snapshot says how it stands.
    let mut welcomed = false;
    let mut bytes = 0;
    loop {
        let text = slow.next().unwrap();
        welcomed |= text.starts_with("WELCOME\n");
        bytes += text.len();
        if text.contains("pnw #2") {
            assert!(welcomed, "a snapshot, after {bytes} bytes");
            break;
        }
    }
    assert!(bytes < 40 << 20, "{bytes} bytes");
}

#[test]
fn a_match_whose_folder_goes_is_watched_to_its_end_and_found_no_more() {
    let stage = Stage::new();
    let (mut game, mut watcher) = watched(&stage, "final", "/live/final");
    std::fs::remove_dir_all(stage.folder.path().join("final")).unwrap();
    assert_eq!(stage.watch("/live/final").err(), Some(404));
    assert_eq!(stage.get("/watch/final").status, 404);
    game.say("smg still here\nseg red\n");
    watcher.until("seg red");
    game.end();
    assert_eq!(watcher.end(), (1000, "the match is over".to_owned()));
}

#[test]
fn what_the_official_rules_leave_untold_is_asked_for_and_told_once() {
    let stage = Stage::new();
    let (mut game, mut watcher) = watched(&stage, "final", "/live/final");
    let head = "zrec 3\ngame zappy 3\nseed 3\nmap 2 1\nfrequency 100\nmax-frequency 100000\nauto-start on\nmax-ticks 4000\nclock real\n\
                level full\nteam red\noption rules official\noption clients 3\noption display-eggs off\nbegin\n";
    stage.lay("final/match.zrec", head);
    game.hears("mct\n");
    game.say("bct 0 0 1 0 0 0 0 0 0\nbct 1 0 5 0 0 0 0 0 0\n");
    assert_eq!(watcher.until("bct 1 0 5"), "bct 1 0 5 0 0 0 0 0 0\n", "the other tile is as it was");
    game.hears("mct\n");
}

#[test]
fn a_match_is_left_alone_when_its_last_spectator_has_gone() {
    let stage = Stage::new();
    let (mut game, watcher) = watched(&stage, "final", "/live/final");
    drop(watcher);
    // The server sees the end of the connection.
    until("the site leaves", || game.is_left());
    let mut again = stage.watch("/live/final").unwrap();
    game.greet();
    game.say(OPENING);
    again.until("pnw #1");
}

#[test]
fn spectators_are_told_when_the_site_stops() {
    let mut stage = Stage::new();
    let (_game, mut watcher) = watched(&stage, "final", "/live/final");
    let watching = std::thread::spawn(move || watcher.end());
    stage.stop();
    assert_eq!(watching.join().unwrap(), (1001, "the site stops".to_owned()));
}
