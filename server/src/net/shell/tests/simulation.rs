//! Random sessions over a network in memory: joins, junk, bursts, half-closes, lag, changes of rate.
//!
//! The game itself panics when time goes back, a due tick is missed or it isn't drained.

use proptest::prelude::*;

use super::{SNAPSHOT, check_observer, small};
use crate::net::shell::tests::scripted::ScriptedGame;
use crate::net::testing::{Client, Net};

#[derive(Debug, Clone)]
enum Step {
    Connect,
    Send(usize, usize),
    Junk(usize, Vec<u8>),
    End(usize),
    Reset(usize),
    Room(usize, usize),
    Turn(u64),
    Rate(u32),
}

const WORDS: [&str; 11] = [
    "join\n",
    "watch\n",
    "in 3 x\n",
    "in 0 y\n",
    "pub 20\n",
    "many 3\n",
    "say a\nsay b\nsa",
    "y c\n",
    "bye\n",
    "\n",
    "pub 200\n",
];

fn step() -> impl Strategy<Value = Step> {
    let client = 0usize..8;
    let rooms = prop_oneof![Just(0), 1usize..500, Just(usize::MAX)];
    let junk = proptest::collection::vec(any::<u8>(), 0..300);
    prop_oneof![
        2 => Just(Step::Connect),
        8 => (client.clone(), 0..WORDS.len()).prop_map(|(client, word)| Step::Send(client, word)),
        1 => (client.clone(), junk).prop_map(|(client, bytes)| Step::Junk(client, bytes)),
        1 => client.clone().prop_map(Step::End),
        1 => client.clone().prop_map(Step::Reset),
        4 => (client, rooms).prop_map(|(client, room)| Step::Room(client, room)),
        8 => (0u64..300).prop_map(Step::Turn),
        1 => (0u32..2_000).prop_map(Step::Rate),
    ]
}

fn play(net: &mut Net<'_, ScriptedGame>, clients: &mut Vec<Client>, step: Step) {
    let pick = |index: usize| clients.get(index % clients.len().max(1));
    match step {
        Step::Connect if clients.len() < 40 => clients.push(net.connect()),
        Step::Connect => {}
        Step::Turn(millis) => net.turn(millis),
        Step::Rate(rate) => net.shell.console_line(format!("rate {rate}").as_bytes()),
        Step::Send(index, word) => pick(index).into_iter().for_each(|c| net.send(c, WORDS[word].as_bytes())),
        Step::Junk(index, bytes) => pick(index).into_iter().for_each(|client| net.send(client, &bytes)),
        Step::End(index) => pick(index).into_iter().for_each(|client| net.end(client)),
        Step::Reset(index) => pick(index).into_iter().for_each(|client| net.reset(client)),
        Step::Room(index, room) => pick(index).into_iter().for_each(|client| net.set_room(client, room)),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn random_sessions_keep_every_promise(steps in proptest::collection::vec(step(), 1..150)) {
        let mut game = ScriptedGame::new(100);
        let setup = small();
        let mut net = Net::new(&mut game, &setup);
        let mut clients = Vec::new();
        for step in steps {
            play(&mut net, &mut clients, step);
            for connection in net.shell.peers.connections.values() {
                let most = 2 * SNAPSHOT + setup.limits.player_outbox + setup.limits.observer_outbox;
                prop_assert!(connection.outbox.weight() <= most);
            }
            let live = clients.iter().filter(|client| !client.wire.borrow().dropped).count();
            prop_assert_eq!(live, net.shell.peers.connections.len());
        }
        net.settle();
        for client in &clients {
            if !client.wire.borrow().dropped {
                net.set_room(client, usize::MAX);
            }
        }
        net.settle();
        for connection in net.shell.peers.connections.values() {
            prop_assert!(connection.outbox.is_empty() && connection.lag.is_none());
        }
        let published = net.shell.audience.lines;
        for client in &clients {
            let text = client.text();
            if text.contains("snapshot") {
                check_observer(&text);
            }
        }
        drop(net);
        prop_assert_eq!(published, game.published);
        // A client that broke off before its turn never had a seat.
        prop_assert!(game.seats as usize <= clients.len());
    }
}
