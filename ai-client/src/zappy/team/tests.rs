//! A team's words between a few players.

use super::*;
use zappy_protocol::TeamName;

fn sealed(name: &str, seed: u64, shared: bool, token: u32) -> Team {
    Team::new(Seal::new(&TeamName::parse(name.as_bytes()).unwrap(), seed, shared), token)
}

fn team(token: u32) -> Team {
    sealed("red", 1, true, token)
}

fn text(command: Command) -> Text {
    match command {
        Command::Broadcast(text) => text,
        other => panic!("not a broadcast: {other:?}"),
    }
}

#[test]
fn a_mate_on_the_same_tile_is_ready_until_it_leaves() {
    let (mut a, mut b) = (team(1), team(2));
    assert!(a.hear(10, 0, &text(b.say(Saying::Here, Level::MIN))).is_some());
    assert_eq!(a.ready_mates(10, Level::MIN), [2]);
    assert!(a.hear(20, 3, &text(b.say(Saying::Away, Level::MIN))).is_some());
    assert!(a.ready_mates(20, Level::MIN).is_empty());
    assert_eq!(a.levels(20).len(), 1);
    assert!(a.levels(20 + SILENCE_LIMIT + 1).is_empty());
}

#[test]
fn repetitions_and_strangers_are_passed_over() {
    let (mut a, mut b) = (team(1), team(2));
    let first = text(b.say(Saying::Here, Level::MIN));
    let away = text(b.say(Saying::Away, Level::MIN));
    a.hear(1, 0, &first);
    a.hear(2, 0, &away);
    assert_eq!(a.hear(3, 0, &first), None, "a copy of an old word");
    assert!(a.ready_mates(3, Level::MIN).is_empty());
    let mut blue = sealed("blue", 1, true, 9);
    assert_eq!(a.hear(4, 0, &text(blue.say(Saying::Here, Level::MIN))), None);
    let own = text(a.say(Saying::Here, Level::MIN));
    assert_eq!(a.hear(5, 2, &own), None, "an echo");
}

#[test]
fn a_child_knows_which_words_are_old() {
    let (mut a, mut b) = (team(1), team(2));
    let old = text(b.say(Saying::Here, Level::MIN));
    a.hear(1, 0, &old);
    let mut child = a.for_child(1, 3, Level::MIN);
    assert_eq!(child.hear(0, 0, &old), None);
    let own = text(a.say(Saying::Here, Level::MIN));
    assert!(child.hear(0, 0, &own).is_some());
}

#[test]
fn the_better_claim_leads_and_silence_makes_room() {
    let (mut a, mut b, mut c) = (team(1), team(2), team(3));
    b.take_lead(1);
    c.take_lead(0);
    assert!(a.hear(1, 4, &text(b.say(Saying::Here, Level::MIN))).unwrap().from_home);
    assert!(a.hear(2, 4, &text(c.say(Saying::Here, Level::MIN))).unwrap().from_home);
    let heard = a.hear(3, 4, &text(b.say(Saying::Here, Level::MIN))).unwrap();
    assert_eq!(heard, Heard { may_be_home: true, ..Heard::default() });
    let late = 3 + SILENCE_LIMIT + 1;
    assert!(a.hear(late, 4, &text(b.say(Saying::Here, Level::MIN))).unwrap().from_home);
    assert!(b.hear(1, 0, &text(c.say(Saying::Here, Level::MIN))).unwrap().from_home);
    assert!(!b.leads() && c.leads());
}

#[test]
fn a_founders_family_believes_only_itself() {
    let mut founder = sealed("red", 1, false, 5);
    let (mut stranger, mut orphan) = (sealed("red", 2, false, 1), sealed("red", 3, false, 4));
    stranger.take_lead(0);
    let lie = text(stranger.say(Saying::Here, Level::MAX));
    founder.hear(1, 0, &lie);
    founder.take_lead(0);
    assert!(founder.levels(1).is_empty(), "what was heard before is forgotten");
    let lie = text(stranger.say(Saying::Here, Level::MAX));
    assert_eq!(founder.hear(2, 0, &lie), None);
    let mut child = founder.for_child(2, 6, Level::MIN);
    assert_eq!(child.hear(0, 0, &lie), None);
    assert!(child.hear(0, 0, &text(founder.say(Saying::Here, Level::MIN))).unwrap().from_home);
    assert!(founder.hear(3, 0, &text(child.say(Saying::Here, Level::MIN))).is_some());
    assert!(orphan.hear(1, 3, &text(founder.say(Saying::Here, Level::MIN))).unwrap().from_home);
    assert!(orphan.hear(2, 3, &lie).unwrap().from_home, "an orphan can't tell");
}

#[test]
fn a_player_that_hears_its_own_founder_no_longer_believes_others() {
    let (mut founder, mut mate) = (sealed("red", 1, false, 5), sealed("red", 1, false, 4));
    let mut stranger = sealed("red", 2, false, 1);
    founder.take_lead(0);
    stranger.take_lead(0);
    assert!(mate.hear(1, 3, &text(stranger.say(Saying::Here, Level::MAX))).unwrap().from_home);
    assert!(mate.hear(2, 4, &text(founder.say(Saying::Here, Level::MIN))).unwrap().from_home);
    assert_eq!(mate.levels(2), [Level::MIN]);
    assert_eq!(mate.hear(3, 3, &text(stranger.say(Saying::Here, Level::MAX))), None);
}

#[test]
fn a_player_that_replaced_a_leader_yields_to_others() {
    let (mut a, mut b) = (sealed("red", 1, false, 5), sealed("red", 2, false, 4));
    a.take_lead(1);
    b.take_lead(1);
    assert!(a.hear(1, 3, &text(b.say(Saying::Here, Level::MIN))).unwrap().from_home);
    assert!(!a.leads());
}

#[test]
fn the_memory_of_mates_is_bounded() {
    let mut a = team(1);
    for token in 2..2_000 {
        a.hear(Tick::from(token), 0, &text(team(token).say(Saying::Here, Level::MIN)));
    }
    assert_eq!(a.mates.len(), MATES_LIMIT);
}

fn check_need(levels: &[u8], expected: usize) {
    let levels: Vec<Level> = levels.iter().map(|&l| Level::new(l).unwrap()).collect();
    assert_eq!(newborns_needed(&levels), expected, "{levels:?}");
}

#[test]
fn it_takes_six_or_as_many_as_are_missing() {
    check_need(&[], 6);
    check_need(&[1], 5);
    check_need(&[1; 6], 0);
    check_need(&[8; 6], 0);
    check_need(&[5; 7], 0);
}

#[test]
fn a_player_left_at_a_level_waits_for_others() {
    check_need(&[5; 5], 4);
    check_need(&[4; 5], 2);
    check_need(&[7; 5], 6);
    check_need(&[6, 6, 6, 6, 6, 5, 1], 3);
    check_need(&[3, 3, 2, 2, 1, 1], 0);
}

#[test]
fn a_lone_latecomer_does_not_help() {
    check_need(&[4, 4, 4, 4, 4, 2], 1);
    check_need(&[4, 4, 4, 4, 4, 4, 2], 0);
}
