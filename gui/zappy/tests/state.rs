//! What a stage makes of messages: steps and how each moved the player, meals, incantations, dumps.

use zappy_observer::timeline::fold::Fold as _;
use zappy_protocol::Tick;
use zappy_protocol::zappy::PlayerId;
use zappy_protocol::zappy::observer::Message;
use zappy_protocol::zappy::story::What;
use zappy_screen_zappy::timeline::state::{LOOKBACK, TimeToLive, ZappyState};
use zappy_screen_zappy::timeline::track::Movement;

/// Lines of `tick message`, applied to an empty stage.
fn told(script: &str) -> ZappyState {
    let mut state = ZappyState::default();
    for line in script.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (tick, message) = line.split_once(' ').expect("a tick and a message");
        state.apply(tick.parse().unwrap(), &Message::parse(message.as_bytes()).unwrap());
    }
    state
}

fn movements(state: &ZappyState, player: u32) -> Vec<Movement> {
    state.track(PlayerId(player)).map_or(Vec::new(), |t| t.steps.iter().map(|step| step.movement).collect())
}

/// What happened after the world was set up, without the players' arrival.
fn happened(state: &ZappyState) -> Vec<What> {
    let all = state.recent.iter().map(|happening| happening.what.clone());
    all.filter(|what| !matches!(what, What::Joined(_))).collect()
}

const WORLD: &str = "
    0 msz 10 10
    0 tna red
    0 tna blue
    0 ppo #99 0 0 1
    1 pnw #0 9 5 2 1 red
    1 pin #0 9 5 9 0 0 0 0 0 0
    1 pnw #1 9 5 1 1 blue
    1 pin #1 9 5 9 0 0 0 0 0 0";

#[test]
fn a_walk_a_turn_a_push_and_a_jump_are_told_apart() {
    let state = told(&format!(
        "{WORLD}
         8 ppo #1 9 5 2
         15 ppo #1 0 5 2
         22 ppo #1 9 5 2
         29 ppo #1 0 5 2
         29 pex #0
         36 ppo #1 4 4 2"
    ));
    assert_eq!(
        movements(&state, 1),
        [Movement::Turned, Movement::Walked, Movement::Pushed, Movement::Pushed, Movement::Jumped]
    );
    let pushed = What::Ejected { player: PlayerId(0), victims: vec![PlayerId(1)], out_of_incantation: false };
    assert_eq!(happened(&state), [pushed]);
}

#[test]
fn a_push_ahead_looks_like_a_walk_until_its_ejector_is_told() {
    let ahead = format!("{WORLD}\n8 ppo #1 9 5 2\n15 ppo #1 0 5 2");
    assert_eq!(movements(&told(&ahead), 1).last(), Some(&Movement::Walked));
    assert_eq!(movements(&told(&format!("{ahead}\n15 pex #0")), 1).last(), Some(&Movement::Pushed));
    assert_eq!(movements(&told(&format!("{ahead}\n16 pex #0")), 1).last(), Some(&Movement::Walked));
}

#[test]
fn time_to_live_counts_from_the_last_meal_and_not_from_what_was_put_down() {
    let left = |script: &str, now: Tick| {
        let mut state = told(script);
        state.advance(now);
        state.time_to_live(PlayerId(0)).unwrap()
    };
    assert_eq!(left(WORLD, 1), TimeToLive { ticks: 1260, exact: true });
    assert_eq!(left(WORLD, 101), TimeToLive { ticks: 1160, exact: true });
    let hungry = format!("{WORLD}\n127 pin #0 9 5 8 0 0 0 0 0 0");
    assert_eq!(left(&hungry, 130), TimeToLive { ticks: 8 * 126 + 123, exact: true });
    let gave = format!("{WORLD}\n50 pdr #0 0\n50 pin #0 9 5 8 0 0 0 0 0 0");
    assert_eq!(left(&gave, 51), TimeToLive { ticks: 8 * 126 + 76, exact: true });
}

#[test]
fn who_stands_in_a_dump_did_not_just_join() {
    let dump = "
        0 msz 10 10
        0 sgt 100
        0 tna red
        2 pnw #0 1 1 1 3 red
        2 pin #0 1 1 4 0 0 0 0 0 0
        2 plv #0 3
        2 enw #0 #-1 2 2
        2 pic 1 1 3 #0";
    let mut state = told(dump);
    assert_eq!(state.recent.len(), 0);
    assert_eq!(state.time_to_live(PlayerId(0)), Some(TimeToLive { ticks: 4 * 126, exact: false }));
    assert_eq!(state.incantations()[0].began, None, "nobody said when it began");
    let joined = Message::parse(b"pnw #1 1 1 1 1 red").unwrap();
    assert!(state.observe(90, &joined).is_some_and(|told| told.happening.is_some()));
}

#[test]
fn an_incantation_is_told_with_those_who_took_part_and_its_beginning() {
    let state =
        told(&format!("{WORLD}\n10 pic 9 5 1 #0 #1\n60 pic 9 5 1 #0 #1\n310 plv #0 2\n310 pie 9 5 1"));
    let ended = state.recent.back().unwrap().what.clone();
    let What::IncantationEnded { players, success, .. } = ended else { panic!("{ended:?}") };
    assert_eq!((players, success), (vec![PlayerId(0), PlayerId(1)], true));
    assert!(state.incantations().is_empty());
    assert_eq!(
        happened(&state).iter().filter(|what| matches!(what, What::IncantationBegan { .. })).count(),
        1
    );
}

#[test]
fn nothing_but_the_mirror_outlives_the_time_it_remembers() {
    let mut state = told(&format!("{WORLD}\n8 ppo #1 9 5 2\n9 pbc #0 hello\n10 pfk #0"));
    state.advance(11 + LOOKBACK);
    assert_eq!((state.recent.len(), state.track(PlayerId(0)), state.track(PlayerId(1))), (0, None, None));
    assert_eq!(state.mirror().players.len(), 2);
}

#[test]
fn a_fall_in_level_is_told_and_a_level_told_again_is_not() {
    let state = told(&format!("{WORLD}\n8 plv #0 1\n9 plv #0 3\n10 plv #0 2"));
    let levels: Vec<(u8, u8)> = happened(&state)
        .iter()
        .map(|what| match what {
            What::Level { from, to, .. } => (from.get(), to.get()),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(levels, [(1, 3), (3, 2)]);
}
