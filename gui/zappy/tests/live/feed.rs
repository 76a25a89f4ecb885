//! The feed without sockets: ticks, dumps, and what a second connection means. All moments are made up.

use std::time::{Duration, Instant};

use zappy_observer::source::live::NewsBatch;
use zappy_observer::timeline::archive::Archive as _;
use zappy_observer::timeline::fold::History as _;
use zappy_protocol::zappy::{PlayerId, Resource};
use zappy_screen_zappy::timeline::{ZappyFeed, ZappyPlayhead};

/// A feed with its own time.
struct Told {
    feed: ZappyFeed,
    now: Instant,
}

impl Told {
    fn new() -> Told {
        let now = Instant::now();
        Told { feed: ZappyFeed::new(now), now }
    }

    fn after(&mut self, milliseconds: u64, lines: &str) {
        self.now += Duration::from_millis(milliseconds);
        self.feed.take(&NewsBatch::new(self.now, lines.replace(", ", "\n").into_bytes()));
    }

    fn connect(&mut self, milliseconds: u64, lines: &str) {
        self.now += Duration::from_millis(milliseconds);
        self.feed.begin(self.now);
        self.after(0, lines);
    }

    fn lose(&mut self) {
        self.feed.lose(self.now);
    }

    fn alive(&self) -> Vec<u32> {
        self.feed.history.state.mirror().players.keys().map(|player| player.0).collect()
    }
}

const WORLD: &str = "msz 5 5, sgt 100, tna red, tna blue, pnw #0 1 1 1 1 red, pnw #1 2 2 1 1 blue";

#[test]
fn a_dump_happens_at_one_tick_however_long_it_takes() {
    let mut told = Told::new();
    told.connect(700, "msz 5 5, sgt 100, tna red");
    told.after(90, "bct 0 0 1 1 1 1 1 1 1");
    told.after(90, "pnw #0 1 1 1 1 red");
    assert!(told.feed.is_in_dump());
    assert_eq!(told.feed.last_tick(), 0);
    told.after(50, "ppo #0 1 2 1");
    assert!(!told.feed.is_in_dump());
    told.after(70, "ppo #0 1 3 1");
    assert_eq!(told.feed.last_tick(), 7);
    assert!(told.feed.history.state.recent.is_empty(), "nobody joined");
}

#[test]
fn a_quiet_match_begins_when_the_dump_is_over() {
    let mut told = Told::new();
    told.connect(0, WORLD);
    told.feed.tend(told.now + Duration::from_millis(99));
    assert!(told.feed.is_in_dump());
    told.feed.tend(told.now + Duration::from_millis(1_000));
    assert!(!told.feed.is_in_dump());
    assert_eq!(told.feed.last_tick(), 100);
}

#[test]
fn who_leads_is_known_when_the_dump_is_over() {
    let mut told = Told::new();
    told.connect(0, WORLD);
    told.after(0, "pnw #2 3 3 1 4 blue");
    told.feed.tend(told.now + Duration::from_millis(200));
    let (roster, chronicle) = (&told.feed.history.overview.roster, &told.feed.history.overview.chronicle);
    let leader = chronicle.lead(0).and_then(|lead| lead.team);
    assert_eq!(leader.map(|team| roster.name(team)), Some("blue"));
}

#[test]
fn a_map_that_is_too_large_is_counted_and_left_out() {
    let mut told = Told::new();
    told.connect(0, "msz 10000 10000, sgt 100");
    assert_eq!(told.feed.counts.misfits, 1);
    assert!(told.feed.counts.last_misfit.as_ref().is_some_and(|why| why.contains("10000 by 10000")));
    assert_eq!(told.feed.history.state.mirror().size, None);
}

#[test]
fn a_stream_that_never_rests_is_no_dump_for_ever() {
    let mut told = Told::new();
    told.connect(0, WORLD);
    for _ in 0..80 {
        told.after(50, "bct 0 0 1 1 1 1 1 1 1");
    }
    assert!(!told.feed.is_in_dump() && told.feed.last_tick() > 50);
}

#[test]
fn the_same_match_goes_on_after_a_loss_without_the_dead() {
    let mut told = Told::new();
    told.connect(0, WORLD);
    told.after(1_000, "pnw #2 0 0 1 1 red");
    told.lose();
    told.connect(5_000, "msz 5 5, sgt 100, tna red, tna blue, pnw #1 2 2 1 2 blue, pnw #3 0 0 1 1 red");
    told.after(200, "ppo #1 2 3 1");
    assert_eq!((told.feed.matches, told.alive()), (1, vec![1, 3]));
    let life = |player| told.feed.history.overview.roster.life(PlayerId(player)).unwrap().until;
    assert!(life(0).is_some() && life(2).is_some() && life(1).is_none());
    // Time stood still meanwhile, and the past is still there.
    let last = told.feed.last_tick();
    assert!((100..130).contains(&last), "{last}");
    let mut playhead = ZappyPlayhead::new();
    for (tick, players) in [(last, 2), (50, 2), (99, 2)] {
        playhead.go_to(&mut told.feed.spool, tick).unwrap();
        assert_eq!(playhead.fold().mirror().players.len(), players, "at tick {tick}");
    }
}

#[test]
fn a_loss_amid_the_dump_after_a_loss_forgets_nothing() {
    let mut told = Told::new();
    told.connect(0, WORLD);
    told.after(1_000, "pnw #2 0 0 1 1 red");
    told.lose();
    told.connect(1_000, "msz 5 5, sgt 100, tna red");
    told.lose();
    told.connect(1_000, WORLD);
    told.after(200, "ppo #1 2 3 1");
    assert_eq!((told.feed.matches, told.alive()), (1, vec![0, 1]));
    assert!(told.feed.last_tick() >= 100);
}

#[test]
fn another_match_takes_nothing_over() {
    for other in [
        "msz 9 9, sgt 100, tna red, tna blue, pnw #0 1 1 1 1 red",
        "msz 5 5, sgt 100, tna red, tna green, pnw #0 1 1 1 1 red",
        "msz 5 5, sgt 100, tna red, tna blue, pnw #0 1 1 1 1 blue",
    ] {
        let mut told = Told::new();
        told.connect(0, WORLD);
        told.after(1_000, "pdi #1");
        told.lose();
        told.connect(1_000, other);
        told.after(200, "ppo #0 2 2 1");
        assert_eq!((told.feed.matches, told.alive()), (2, vec![0]), "{other}");
        assert!(told.feed.history.overview.roster.life(PlayerId(1)).is_none());
        let (mut playhead, last) = (ZappyPlayhead::new(), told.feed.last_tick());
        playhead.go_to(&mut told.feed.spool, last).unwrap();
        assert_eq!(playhead.fold().mirror(), told.feed.history.state.mirror());
    }
}

#[test]
fn a_dead_player_who_is_back_makes_it_another_match() {
    let mut told = Told::new();
    told.connect(0, WORLD);
    told.after(1_000, "pdi #1");
    told.lose();
    told.connect(1_000, WORLD);
    told.after(500, "");
    told.feed.tend(told.now);
    assert_eq!(told.feed.matches, 2);
}

#[test]
fn after_the_win_time_stands_still() {
    let mut told = Told::new();
    told.connect(0, WORLD);
    told.after(1_000, "seg red");
    let last = told.feed.last_tick();
    told.feed.tend(told.now + Duration::from_secs(60));
    assert_eq!(told.feed.last_tick(), last);
}

#[test]
fn no_tick_passes_after_the_end_whatever_still_comes() {
    for end in ["seg red", "seg nobody", "smg the match ended without a winner: extinction"] {
        let mut told = Told::new();
        told.connect(0, WORLD);
        told.after(0, "ppo #0 1 2 1");
        told.after(1_000, end);
        assert_eq!(told.feed.last_tick(), 100, "{end}");
        told.after(1_000, "ppo #0 1 3 1, sgt 50");
        told.feed.tend(told.now + Duration::from_millis(5_000));
        let head = told.feed.clock.live_head(told.now + Duration::from_millis(9_000));
        assert_eq!((told.feed.last_tick(), head), (100, 100.0), "{end}");
        let finish = told.feed.history.overview.chronicle.finish.clone().unwrap();
        assert_eq!((finish.tick, finish.winner.is_some()), (100, end == "seg red"), "{end}");
        assert_eq!(told.feed.history.overview.roster.teams().len(), 2, "nobody is no team");
    }
}

#[test]
fn a_map_that_can_not_be_is_told_in_words() {
    let mut told = Told::new();
    told.connect(0, "msz 0 -3");
    let why = "the server tells a map of 0 by -3 tiles, which can’t be shown";
    assert_eq!(told.feed.counts.last_bad.as_deref(), Some(why));
    told.after(0, "msz 10000 10000");
    let why = "the server tells a map of 10000 by 10000 tiles, which can’t be shown";
    assert_eq!(told.feed.counts.last_misfit.as_deref(), Some(why));
    told.after(0, "msz");
    let why = "the server tells no size of the map behind msz";
    assert_eq!(told.feed.counts.last_bad.as_deref(), Some(why));
    let endless = format!("msz {}", "9".repeat(500));
    told.after(0, &endless);
    assert!(told.feed.counts.last_bad.as_ref().is_some_and(|why| why.len() < 120));
}

#[test]
fn a_server_that_was_started_again_plays_another_match_though_no_player_joined_yet() {
    let mut told = Told::new();
    told.connect(0, &format!("{WORLD}, enw #4 #-1 3 3"));
    told.after(500, "ppo #0 1 2 1");
    told.lose();
    told.connect(500, "msz 5 5, sgt 100, tna red, tna blue, enw #0 #-1 1 1, enw #1 #-1 2 2");
    told.feed.tend(told.now + Duration::from_millis(500));
    assert_eq!(told.feed.matches, 2);
    let mut told = Told::new();
    told.connect(0, &format!("{WORLD}, enw #4 #-1 3 3"));
    told.lose();
    told.connect(500, "msz 5 5, sgt 100, tna red, tna blue, enw #4 #-1 3 3, enw #5 #-1 2 2");
    told.feed.tend(told.now + Duration::from_millis(500));
    assert_eq!(told.feed.matches, 1, "all players died meanwhile, and their eggs lie there");
}

#[test]
fn a_server_is_asked_for_what_grew_only_if_something_is_taken_that_lay_nowhere() {
    let mut told = Told::new();
    told.connect(0, "msz 2 1, sgt 100, bct 0 0 2 0 0 0 0 0 0, tna red, pnw #0 0 0 1 1 red");
    let asked = |told: &Told| told.feed.history.question();
    told.after(500, "pgt #0 0, bct 0 0 1 0 0 0 0 0 0, pgt #0 0, bct 0 0 0 0 0 0 0 0 0");
    // Told where they grow, or put down.
    told.after(
        500,
        "bct 0 0 0 1 0 0 0 0 0, pgt #0 1, bct 0 0 0 0 0 0 0 0 0, pdr #0 1, bct 0 0 0 1 0 0 0 0 0, pgt #0 1",
    );
    assert_eq!(asked(&told), None);
    told.after(500, "bct 0 0 0 0 0 0 0 0 0, pgt #0 0");
    assert_eq!(asked(&told), Some(&b"mct\n"[..]));
    // What is known leaves no trace in the past.
    let bytes = told.feed.spool.end();
    told.after(0, "bct 0 0 0 0 0 0 0 0 0");
    assert_eq!(told.feed.spool.end(), bytes);
    told.after(0, "bct 0 0 3 0 0 0 0 0 0");
    assert!(
        told.feed.spool.end() > bytes && told.feed.history.state.mirror().tiles[0].get(Resource::Food) == 3
    );
    told.after(500, "seg red");
    assert_eq!(asked(&told), None);
}
