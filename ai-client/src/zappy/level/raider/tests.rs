//! What a raider does in each job.

use super::*;
use zappy_protocol::zappy::Inventory;

fn raider(job: Job) -> Raider {
    Raider::new(MapSize::new(20, 20).unwrap(), 1, job, true)
}

fn view(tiles: [(u32, [u32; 7]); 4]) -> Response {
    let sight = |(players, amounts)| Sight { players, resources: Inventory::new(amounts), eggs: 0 };
    Response::Look(tiles.map(sight).into())
}

fn only_players(players: [u32; 4]) -> Response {
    view(players.map(|players| (players, [0; 7])))
}

/// Lets it decide and answers its commands: looks with that view, all others with `ok`. The view counts in its next
/// step.
fn step(raider: &mut Raider, seen: &Response) -> Vec<Command> {
    let commands = raider.decide();
    for command in &commands {
        let response = if *command == Command::Look { seen } else { &Response::Ok };
        raider.answered(command, response);
    }
    commands
}

fn births(raider: &mut Raider) -> Vec<Job> {
    let job = |birth| match birth {
        Birth::Raider(job, _) => job,
        other => panic!("{other:?}"),
    };
    std::iter::from_fn(|| raider.next_birth()).map(job).collect()
}

#[test]
fn the_last_one_that_comes_leads_and_lays_six() {
    let mut leader = raider(Job::Spare(0));
    for _ in 0..6 {
        assert_eq!(step(&mut leader, &only_players([1; 4])), [Command::Fork]);
    }
    let six = [Job::Core, Job::Core, Job::Factory, Job::Shy, Job::Gatherer, Job::Gatherer];
    assert_eq!(births(&mut leader), six);
}

#[test]
fn one_that_is_not_the_last_drops_its_food_and_rests() {
    let mut spare = raider(Job::Spare(2));
    while spare.body.now() < START_WAIT {
        assert_eq!(step(&mut spare, &only_players([1; 4])), [Command::Look]);
    }
    assert_eq!(spare.decide(), [Command::ConnectNbr]);
    // Fewer slots are left than when it came in, so another player came later.
    spare.answered(&Command::ConnectNbr, &Response::Slots(1));
    assert!(step(&mut spare, &only_players([1; 4])).iter().all(|c| *c == Command::Set(Resource::Food)));
    assert!(step(&mut spare, &only_players([1; 4])).len() <= BATCH && spare.rests());
}

#[test]
fn a_new_player_of_the_core_lays_more_where_few_stand() {
    let lays = |players| {
        let mut core = raider(Job::Core);
        (0..8).for_each(|_| _ = step(&mut core, &only_players([players, 0, 0, 0])));
        births(&mut core)
    };
    let always = [Job::Shy, Job::Gatherer, Job::Gatherer, Job::Gatherer];
    assert_eq!(lays(2), [&[Job::Core, Job::Factory], &always[..]].concat());
    assert_eq!(lays(4), [&[Job::Core], &always[..]].concat());
    assert_eq!(lays(5), always);
}

#[test]
fn a_gatherer_lays_a_pusher_beside_a_crowd_and_goes_home() {
    let mut gatherer = raider(Job::Gatherer);
    let crowd = only_players([1, 6, 0, 0]);
    assert_eq!(step(&mut gatherer, &crowd), [Command::Forward, Command::Forward, Command::Look]);
    assert_eq!(step(&mut gatherer, &crowd), [Command::Forward, Command::Fork]);
    assert_eq!(births(&mut gatherer), [Job::Pusher]);
    assert_eq!(step(&mut gatherer, &crowd)[..2], [Command::Right, Command::Right]);
}

#[test]
fn a_pusher_marches_straight_through_a_crowd() {
    let mut pusher = raider(Job::Pusher);
    assert_eq!(step(&mut pusher, &only_players([1, 9, 3, 9])), [Command::Look]);
    assert_eq!(step(&mut pusher, &only_players([1, 0, 4, 0])), [Command::Right, Command::Look]);
    pusher.heard(3, &Text::new(b"hello"));
    let mut commands = Vec::new();
    for _ in 0..4 {
        commands.extend(step(&mut pusher, &only_players([0; 4])));
        pusher.heard(3, &Text::new(b"hello"));
    }
    assert_eq!(commands.remove(0), Command::Broadcast(Text::new(b"hello")));
    let march = [Command::Forward, Command::Eject];
    assert_eq!(commands, march.iter().cycle().take(6).cloned().collect::<Vec<_>>(), "each text once");
}

#[test]
fn a_word_during_a_look_ends_a_credulous_pusher() {
    for (credulous, rests) in [(true, true), (false, false)] {
        let mut pusher = Raider::new(MapSize::new(20, 20).unwrap(), 1, Job::Pusher, credulous);
        assert_eq!(pusher.decide(), [Command::Look]);
        pusher.heard(0, &Text::new(b"hello"));
        pusher.answered(&Command::Look, &only_players([1, 0, 0, 0]));
        assert_eq!(pusher.rests(), rests);
    }
}
