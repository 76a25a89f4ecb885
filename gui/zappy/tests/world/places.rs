//! Where players are between tiles: without jumps, by the shortest way, at any tick the same.

use proptest::prelude::*;
use zappy_observer::camera::shortest;
use zappy_protocol::MapSize;
use zappy_protocol::zappy::PlayerId;
use zappy_screen_zappy::scene::{SEATS, effects, place_of};

use crate::script::{MATCH, Told};

#[test]
fn a_step_across_the_seam_is_one_tile_long() {
    for quarter in 0..=4 {
        let tick = 290.0 + 7.0 * f64::from(quarter) / 4.0;
        let told = Told::until(MATCH, tick as u64);
        let (x, y) = place_of(&told.shown(tick), PlayerId(0)).unwrap().point;
        assert!((x - (-0.5 + f64::from(quarter) / 4.0)).abs() < 1e-9, "{tick}: {x}");
        assert!((y - 3.5).abs() < 1e-9);
    }
}

#[test]
fn who_is_pushed_slides_and_who_jumps_fades() {
    let told = Told::until(MATCH, 294);
    let pushed = place_of(&told.shown(294.0), PlayerId(2)).unwrap();
    assert!(pushed.jolt > 0.5 && pushed.point.0 > 3.5 && pushed.point.0 < 4.5, "{pushed:?}");
    let told = Told::until(MATCH, 302);
    let jumped = place_of(&told.shown(302.0), PlayerId(5)).unwrap();
    assert!(jumped.ghost.is_some_and(|(at, left)| at == (5.5, 5.5) && left > 0.5), "{jumped:?}");
    assert_eq!(jumped.point, (1.5, 1.5));
}

#[test]
fn many_on_a_tile_stand_apart_and_the_rest_lies_on_a_stack() {
    let mut script = "0 msz 5 5\n0 ppo #99 0 0 1\n".to_owned();
    for player in 0..9 {
        script += &format!("1 pnw #{player} 2 2 1 1 red\n");
    }
    let told = Told::until(&script, 50);
    let places: Vec<_> = (0..9).map(|n| place_of(&told.shown(50.0), PlayerId(n)).unwrap()).collect();
    assert_eq!(places.iter().filter(|place| place.stacked).count(), 9 - SEATS);
    for one in 0..SEATS {
        for other in 0..one {
            let (a, b) = (places[one].point, places[other].point);
            assert!((a.0 - b.0).hypot(a.1 - b.1) > 0.25, "{one} {other}");
        }
    }
}

#[test]
fn effects_last_longer_while_time_runs_fast() {
    let mut told = Told::until(MATCH, 300);
    let slow = effects(&told.shown(300.0)).count();
    told.pace = 1000.0;
    let fast = effects(&told.shown(300.0)).count();
    assert!(slow >= 8 && fast > slow, "{slow} {fast}");
    let ages = effects(&told.shown(300.0)).map(|effect| effect.age).collect::<Vec<_>>();
    assert!(ages.iter().all(|age| (0.0..1.0).contains(age)), "{ages:?}");
}

/// Walks of three players on a narrow torus: ticks between deeds, and which deed.
fn walks() -> impl Strategy<Value = Vec<(u64, u32, u8)>> {
    prop::collection::vec((1u64..9, 0u32..3, 0u8..5), 1..60)
}

/// The same as lines of the dialect.
fn told_by(walks: &[(u64, u32, u8)], map: MapSize) -> (String, u64) {
    let mut script = format!("0 msz {map}\n0 ppo #99 0 0 1\n");
    let mut players = [(1i32, 1i32, 0i32), (1, 1, 1), (2, 1, 2)];
    for (player, (x, y, facing)) in players.iter().enumerate() {
        script += &format!("1 pnw #{player} {x} {y} {} 1 red\n", facing + 1);
    }
    let mut tick = 20;
    for &(wait, player, deed) in walks {
        tick += wait;
        let (x, y, facing) = &mut players[player as usize];
        match deed {
            0 => *facing = (*facing + 1) % 4,
            1 => *facing = (*facing + 3) % 4,
            _ => {
                let (dx, dy) = [(0, -1), (1, 0), (0, 1), (-1, 0)][*facing as usize];
                *x = (*x + dx).rem_euclid(i32::from(map.width()));
                *y = (*y + dy).rem_euclid(i32::from(map.height()));
            }
        }
        script += &format!("{tick} ppo #{player} {x} {y} {}\n", *facing + 1);
    }
    (script, tick)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn nobody_jumps_who_walks(walks in walks()) {
        let map = MapSize::new(5, 4).unwrap();
        let (script, end) = told_by(&walks, map);
        let step = 0.25;
        // The fastest is a player that catches up a burst of steps, while others make room.
        let limit = 0.7 * step + 0.5 * step;
        let mut last: [Option<(f64, f64)>; 3] = [None; 3];
        let mut tick = 20.0;
        while tick < end as f64 + 12.0 {
            let told = Told::until(&script, tick as u64);
            for (player, last) in (0u32..).zip(&mut last) {
                let place = place_of(&told.shown(tick), PlayerId(player)).unwrap();
                if let Some(last) = *last {
                    let (dx, dy) = shortest(map, last, place.point);
                    prop_assert!(dx.hypot(dy) <= limit, "#{player} at {tick}: {last:?} {:?}", place.point);
                }
                *last = Some(place.point);
            }
            tick += step;
        }
    }
}
