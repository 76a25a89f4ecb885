//! What the chronicle keeps of a match: who leads, firsts, counts, and the feed backwards.

use zappy_observer::timeline::fold::History as _;
use zappy_protocol::TeamName;
use zappy_protocol::zappy::PlayerId;
use zappy_protocol::zappy::observer::Message;
use zappy_protocol::zappy::story::{TeamIndex, What};
use zappy_screen_zappy::timeline::chronicle::Chronicler;
use zappy_screen_zappy::view::Topic;

fn told(script: &str) -> Chronicler {
    let mut chronicler = Chronicler::default();
    for line in script.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (tick, message) = line.split_once(' ').expect("a tick and a message");
        let message = Message::parse(message.as_bytes()).unwrap();
        let _ = chronicler.take(tick.parse().unwrap(), &message);
    }
    chronicler
}

const MATCH: &str = "
    0 msz 10 10
    0 tna red
    0 tna blue
    0 ppo #99 0 0 1
    1 pnw #0 1 1 1 1 red
    1 pnw #1 2 2 1 1 blue
    50 pgt #0 0
    60 pgt #1 1
    300 plv #0 2
    300 pie 1 1 1
    400 plv #1 2
    500 pbc #1 over here
    600 pnw #2 3 3 1 1 blue
    700 pdi #2
    900 plv #1 3
    950 seg blue";

#[test]
fn the_lead_changes_hands_at_the_tick_at_which_it_does() {
    let chronicle = told(MATCH).overview.chronicle;
    let leader = |tick| chronicle.lead(tick).map(|lead| (lead.since, lead.team.map(|team| team.0)));
    assert_eq!(leader(0), None);
    assert_eq!(leader(1), Some((1, None)), "both have one player at level 1");
    assert_eq!(leader(350), Some((300, Some(0))));
    assert_eq!(leader(450), Some((400, None)));
    assert_eq!(leader(650), Some((600, Some(1))));
    assert_eq!(leader(2000), Some((900, Some(1))));
}

#[test]
fn counts_and_firsts_are_kept_per_team() {
    let chronicler = told(MATCH);
    let [red, blue] = &chronicler.overview.chronicle.deeds[..] else { panic!("two teams") };
    assert_eq!((red.joined, red.meals, red.stones, red.first_at[1]), (1, 1, 0, Some(300)));
    assert_eq!((blue.joined, blue.died, blue.broadcasts, blue.first_at[2]), (2, 1, 1, Some(900)));
    assert_eq!(chronicler.overview.roster.name(TeamIndex(1)), "blue");
    let ending = chronicler.overview.chronicle.finish.as_ref().unwrap();
    assert_eq!((ending.tick, ending.winner.as_ref().map(TeamName::as_str)), (950, Some("blue")));
}

#[test]
fn the_feed_is_read_backwards_from_any_tick_and_filtered() {
    let chronicle = told(MATCH).overview.chronicle;
    let kinds = |until, wanted: Option<Topic>| -> Vec<u64> {
        let passes = move |kind: Topic| wanted.is_none_or(|wanted| wanted == kind);
        chronicle
            .backwards(until, 100, move |happening| passes(Topic::of(&happening.what)))
            .map(|noted| noted.happening.tick)
            .collect()
    };
    assert_eq!(kinds(700, None), [700, 600, 500, 400, 300, 300, 60, 50, 1, 1]);
    assert_eq!(kinds(699, Some(Topic::Lives)), [600, 1, 1]);
    assert_eq!(kinds(9999, Some(Topic::Server)), [950]);
    let of_one = chronicle.backwards(9999, 100, |happening| happening.what.concerns(PlayerId(1)));
    assert_eq!(of_one.count(), 5);
    assert_eq!(chronicle.backwards(9999, 3, |_| true).count(), 3, "a budget is a budget");
}

#[test]
fn last_words_are_those_said_up_to_the_moment_shown() {
    let chronicle = told(&format!("{MATCH}\n")).overview.chronicle;
    assert!(chronicle.last_words(PlayerId(1), 499).is_none());
    let said = chronicle.last_words(PlayerId(1), 500).unwrap();
    assert!(matches!(&said.what, What::Broadcast(_, text) if text.as_bytes() == b"over here"));
}

#[test]
fn a_flood_of_words_pushes_out_words_and_nothing_else() {
    let mut chronicler = told(MATCH);
    let shout = Message::parse(b"pbc #0 again").unwrap();
    for tick in 0..60_000 {
        chronicler.take(1000 + tick, &shout).unwrap();
    }
    assert_eq!(chronicler.overview.chronicle.words.len(), 50_000);
    let first = chronicler.overview.chronicle.backwards(1, 100_000, |_| true).last().unwrap();
    assert_eq!(first.happening.what, What::Joined(PlayerId(0)));
}
