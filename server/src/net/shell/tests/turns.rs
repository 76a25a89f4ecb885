//! The tests' tiny game with an order of its own, over a network in memory.

use zappy_game::Game;
use zappy_game::config::MatchConfig;
use zappy_protocol::{MapSize, TeamName};
use zappy_turns::engine::{Phases, Policy, Setting, Succession};
use zappy_turns::play::TurnMatch;

use super::*;

#[allow(dead_code, reason = "this test uses a part of it")]
#[path = "../../../../tests/tiny/game.rs"]
mod tiny;

#[test]
fn a_game_with_an_order_of_its_own_is_played_to_its_end() {
    let teams = ["red", "blue", "green"].map(|name| TeamName::parse(name.as_bytes()).unwrap());
    let config = MatchConfig::new(MapSize::new(10, 10).unwrap(), teams.to_vec());
    let phases = Phases::Each(Policy::all(Succession::Own));
    let game = TurnMatch::new(
        &config,
        Setting { phases, ..Setting::new(teams.len()) },
        tiny::Tiny::new(&config, 3, 2),
    );
    let mut game: Box<dyn Game> = Box::new(game);
    let mut net = Net::new(&mut game, &Setup::default());
    let names = ["GRAPHIC\n", "red\n", "blue\n", "green\n"];
    let [observer, red, blue, green] = names.map(|name| {
        let client = net.connect();
        net.send(&client, name.as_bytes());
        net.settle();
        client
    });
    // Green begins as the last team, then it goes down the teams. Green has won the first turn and begins the second one; its 99
    // hands on to red, the first of those without a point, and down from red it is green's turn again.
    for (client, number) in [(&green, 50), (&blue, 3), (&red, 4), (&green, 99), (&red, 5), (&green, 98)] {
        net.send(&blue, b"x\n");
        net.send(client, format!("{number}\n").as_bytes());
        net.settle();
        assert!(client.text().ends_with("ok\n"), "{number}: {:?}", client.text());
    }
    let seen = observer.text();
    let lines = |start: &str| seen.lines().filter(|line| line.starts_with(start)).collect::<Vec<_>>();
    let phases = ["trn 1 green", "trn 1 blue", "trn 1 red", "trn 2 green", "trn 2 red", "trn 2 green"];
    assert_eq!((lines("trn"), lines("seg")), (phases.to_vec(), vec!["seg green"]));
    assert_eq!(lines("sco").last(), Some(&"sco green 2"));
    assert_eq!(blue.text().lines().filter(|line| *line == "ok").count(), 1, "{}", blue.text());
}
