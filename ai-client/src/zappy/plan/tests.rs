//! The plan with made-up answers: what is decided, and in which order.

use super::*;
use crate::chance::Chance;
use crate::zappy::memory::Spot;
use zappy_protocol::TeamName;
use zappy_protocol::zappy::Inventory;
use zappy_protocol::zappy::player::Sight;

fn seal() -> Seal {
    Seal::new(&TeamName::parse(b"red").unwrap(), 1, true)
}

fn mind(role: Role) -> Mind {
    let team = Team::new(seal(), 5);
    let birth = ExpertBirth {
        role,
        to_lay: VecDeque::new(),
        at_home: true,
        barren: true,
        strict: false,
        chance: 1,
        team,
        family: Family::default(),
    };
    Mind::new(birth, MapSize::new(10, 10).unwrap())
}

/// A view of level 1: the players and resources on the own tile, and the resources on the tile ahead.
fn view(players: u32, here: [u32; 7], ahead: [u32; 7]) -> Response {
    let sight = |players, amounts| Sight { players, resources: Inventory::new(amounts), eggs: 0 };
    let none = sight(0, [0; 7]);
    Response::Look(vec![sight(players, here), none, sight(0, ahead), none])
}

/// Lets it decide and answers its commands: looks with that view, inventories with that much food, all others with
/// `ok`. Returns the commands in one line.
fn step(mind: &mut Mind, view: &Response, food: u32) -> String {
    let commands = mind.decide();
    let mut text = Vec::new();
    for command in &commands {
        let answer = match command {
            Command::Look => view.clone(),
            Command::Inventory => Response::Inventory(Inventory::new([food, 0, 0, 0, 0, 0, 0])),
            _ => Response::Ok,
        };
        mind.answered(command, &answer);
        text.push(if let Command::Broadcast(_) = command { "Broadcast".into() } else { print(command) });
    }
    text.join(", ")
}

fn print(command: &Command) -> String {
    let mut line = Vec::new();
    command.write(&mut line);
    String::from_utf8(line).unwrap()
}

fn hear(mind: &mut Mind, direction: u8, from: &mut Team, kind: Saying, level: u8) {
    let Command::Broadcast(text) = from.say(kind, Level::new(level).unwrap()) else { panic!() };
    mind.heard(direction, &text);
}

#[test]
fn a_gatherer_leaves_food_at_home_and_brings_stones() {
    let mut mind = mind(Role::Gatherer);
    let stones = view(2, [0; 7], [0, 1, 1, 1, 0, 0, 0]);
    assert_eq!(step(&mut mind, &stones, 9), "Set food, Set food, Set food, Set food");
    assert_eq!(step(&mut mind, &stones, 5), "Look");
    assert_eq!(
        step(&mut mind, &stones, 5),
        "Forward, Take sibur, Take deraumere, Take linemate",
        "what it saw"
    );
}

#[test]
fn a_gatherer_that_was_laid_with_the_core_makes_room_for_the_first_incantation() {
    let mut mind = mind(Role::Gatherer);
    mind.barren = false;
    let nothing = view(8, [0; 7], [0; 7]);
    assert_eq!(step(&mut mind, &nothing, 9), "Forward, Look");
    assert!(step(&mut mind, &nothing, 9).ends_with("Forward, Look"));
}

#[test]
fn a_hungry_player_eats_before_it_is_ready() {
    let mut mind = mind(Role::Core);
    let larder = view(1, [5, 0, 0, 0, 0, 0, 0], [0; 7]);
    mind.answered(&Command::Inventory, &Response::Inventory(Inventory::new([2, 0, 0, 0, 0, 0, 0])));
    assert_eq!(step(&mut mind, &larder, 2), "Look");
    assert_eq!(step(&mut mind, &larder, 2), "Take food, Take food, Look");
    assert_eq!(step(&mut mind, &larder, 4), "Broadcast");
}

#[test]
fn a_player_that_starves_at_an_empty_nest_leaves_it() {
    let mut mind = mind(Role::Core);
    let nothing = view(1, [0; 7], [0; 7]);
    mind.answered(&Command::Inventory, &Response::Inventory(Inventory::new([1, 0, 0, 0, 0, 0, 0])));
    assert_eq!(step(&mut mind, &nothing, 1), "Look");
    assert!(step(&mut mind, &nothing, 1).ends_with("Forward, Look"));
}

#[test]
fn a_player_eats_ahead_while_too_few_are_there_to_rise_after_a_push() {
    let first_step = |ready: u32, why| {
        let mut mind = mind(Role::Core);
        mind.memory.level = Level::new(2).unwrap();
        mind.answered(&Command::Inventory, &Response::Inventory(Inventory::new([4, 0, 0, 0, 0, 0, 0])));
        let nothing = view(6, [0; 7], [0; 7]);
        mind.answered(&Command::Look, &nothing);
        hear(&mut mind, 1, &mut Team::new(seal(), 9), why, 2);
        (10..10 + ready).for_each(|token| hear(&mut mind, 0, &mut Team::new(seal(), token), Saying::Here, 2));
        step(&mut mind, &nothing, 4)
    };
    assert_eq!(first_step(5, Saying::Pushed), "Broadcast", "it is ready");
    assert!(first_step(4, Saying::Pushed).ends_with("Forward, Look"));
    assert_eq!(first_step(4, Saying::Away), "Broadcast", "the other will soon be back");
}

#[test]
fn a_hungry_gatherer_takes_from_a_hoard_of_strangers() {
    let ahead = |food: u32| {
        let mut mind = mind(Role::Gatherer);
        mind.answered(&Command::Forward, &Response::Ok);
        mind.answered(&Command::Inventory, &Response::Inventory(Inventory::new([3, 0, 0, 0, 0, 0, 0])));
        let crowd = Sight { players: 9, resources: Inventory::new([food, 0, 0, 0, 0, 0, 0]), eggs: 0 };
        let row = vec![Sight::default(), Sight::default(), crowd, Sight::default()];
        mind.answered(&Command::Look, &Response::Look(row));
        let there = view(10, [food, 0, 0, 0, 0, 0, 0], [0; 7]);
        (step(&mut mind, &there, 3), step(&mut mind, &there, 3))
    };
    let takes = "Take food, Take food, Take food, Take food".to_owned();
    assert_eq!(ahead(40), ("Forward, Look".into(), takes.clone()));
    assert_ne!(ahead(20).1, takes, "a few units are the larder of a team");
}

#[test]
fn a_gatherer_that_is_not_sure_of_home_keeps_away_from_a_crowd_with_much_food() {
    let takes = |sure| {
        let mut mind = mind(Role::Gatherer);
        mind.memory.home.confirm(Spot { x: 5, y: 5 });
        (mind.trip.born_at_nest, mind.trip.heard_leader_here) = (false, sure);
        let crowd = view(9, [40, 5, 0, 0, 0, 0, 0], [0; 7]);
        mind.answered(&Command::Inventory, &Response::Inventory(Inventory::new([3, 0, 0, 0, 0, 0, 0])));
        mind.answered(&Command::Look, &crowd);
        step(&mut mind, &crowd, 3).contains("Take")
    };
    assert_eq!((takes(false), takes(true)), (false, true));
}

#[test]
fn a_new_leader_keeps_the_nest_where_it_is() {
    let mut mind = mind(Role::Core);
    mind.replace_leader();
    let linemate_ahead = view(5, [0; 7], [0, 1, 0, 0, 0, 0, 0]);
    mind.answered(&Command::Look, &linemate_ahead);
    let said: Vec<String> = (0..8).map(|_| step(&mut mind, &linemate_ahead, 9)).collect();
    assert!(said.iter().all(|commands| !commands.contains("Forward")), "{said:?}");
}

#[test]
fn a_player_that_sees_too_few_mates_at_the_nest_calls_the_roll_once() {
    let rolls = |players| {
        let mut mind = mind(Role::Core);
        mind.memory.level = Level::new(6).unwrap();
        let nest = view(players, [9, 0, 0, 0, 0, 0, 0], [0; 7]);
        (10..15).for_each(|token| hear(&mut mind, 0, &mut Team::new(seal(), token), Saying::Here, 6));
        let words = (0..20).map(|_| step(&mut mind, &nest, 9)).filter(|commands| commands == "Broadcast");
        words.count()
    };
    assert_eq!((rolls(6), rolls(5)), (1, 2), "it is ready, and asks if the others are");
}

/// A leader that is ready and knows four ready mates, and a fifth that isn't.
fn leader_with_mates() -> (Mind, Vec<Team>) {
    let mut mind = mind(Role::Core);
    mind.found_nest(0);
    mind.to_lay.clear();
    let nest = view(6, [0, 1, 0, 0, 0, 0, 0], [0; 7]);
    let stone = view(1, [0, 1, 0, 0, 0, 0, 0], [0; 7]);
    assert_eq!(step(&mut mind, &stone, 9), "Look", "is the stone here?");
    assert_eq!(step(&mut mind, &nest, 9), "Connect_nbr", "are slots free?");
    mind.answered(&Command::ConnectNbr, &Response::Slots(0));
    assert_eq!(step(&mut mind, &nest, 9), "Look");
    let mut mates: Vec<Team> = (10..15).map(|token| Team::new(seal(), token)).collect();
    mates[..4].iter_mut().for_each(|mate| hear(&mut mind, 0, mate, Saying::Here, 1));
    (mind, mates)
}

#[test]
fn an_incantation_begins_when_six_are_ready_and_not_before() {
    let (mut mind, mut mates) = leader_with_mates();
    let nest = view(6, [0, 1, 0, 0, 0, 0, 0], [0; 7]);
    assert_eq!(step(&mut mind, &nest, 9), "Connect_nbr", "a pause");
    hear(&mut mind, 2, &mut mates[4], Saying::Here, 1);
    assert_ne!(step(&mut mind, &nest, 9), "Incantation, Connect_nbr", "the sixth isn't on this tile");
    hear(&mut mind, 0, &mut mates[4], Saying::Here, 1);
    assert_eq!(step(&mut mind, &nest, 9), "Connect_nbr", "a pause");
    assert_eq!(step(&mut mind, &nest, 9), "Incantation, Connect_nbr");
}

#[test]
fn players_that_rose_together_go_on_without_a_word_until_one_is_missing() {
    let (mut mind, mut mates) = leader_with_mates();
    let nest = view(6, [9, 1, 0, 0, 0, 0, 0], [0; 7]);
    hear(&mut mind, 0, &mut mates[4], Saying::Here, 1);
    mind.incantation_over(Level::new(2));
    assert_eq!(step(&mut mind, &nest, 9), "Take food, Take food");
    assert_eq!(step(&mut mind, &nest, 9), "Connect_nbr", "a pause");
    assert_eq!(step(&mut mind, &nest, 9), "Incantation, Connect_nbr");
    mind.incantation_over(Level::new(3));
    hear(&mut mind, 0, &mut mates[4], Saying::Away, 3);
    assert_eq!(step(&mut mind, &nest, 9), "Take food, Take food");
    assert_eq!(step(&mut mind, &nest, 9), "Connect_nbr", "a pause");
    assert_eq!(step(&mut mind, &nest, 9), "Inventory", "it waits");
}

#[test]
fn a_pushed_player_says_so_at_once() {
    let mut mind = mind(Role::Core);
    let nothing = view(6, [0; 7], [0; 7]);
    assert_eq!(step(&mut mind, &nothing, 9), "Broadcast", "it is here");
    mind.pushed(1);
    assert_eq!(step(&mut mind, &nothing, 9), "Broadcast", "it is away");
    assert_eq!(step(&mut mind, &nothing, 9), "Forward");
}

#[test]
fn by_the_strict_rules_a_waiting_player_is_idle_at_every_tick() {
    let mut mind = mind(Role::Core);
    let food = Inventory::new([1134, 0, 0, 0, 0, 0, 0]);
    mind.answered(&Command::Inventory, &Response::Inventory(food));
    let nest = view(6, [9, 0, 0, 0, 0, 0, 0], [0; 7]);
    assert_eq!(step(&mut mind, &nest, 1134), "Broadcast");
    for _ in 0..3 {
        for _ in 0..3 {
            assert_eq!(step(&mut mind, &nest, 1134), "Connect_nbr");
        }
        assert_eq!(step(&mut mind, &nest, 1134), "Inventory");
    }
}

#[test]
fn of_two_founders_one_yields() {
    let size = MapSize::new(10, 10).unwrap();
    let mut mind = Mind::starter(seal(), 1, 0, size);
    assert_eq!(step(&mut mind, &view(1, [0; 7], [0; 7]), 9), "Inventory, Look");
    let mut other = Team::new(seal(), 1);
    other.take_lead(0);
    hear(&mut mind, 1, &mut other, Saying::Here, 1);
    assert!(!mind.team.leads());
    assert!(mind.role == Role::Gatherer && mind.to_lay.is_empty());
}

#[test]
fn the_work_of_laying_is_divided_and_no_child_is_lost() {
    let mut mind = mind(Role::Core);
    mind.to_lay = brood();
    let all = mind.to_lay.len();
    mind.answered(&Command::Fork, &Response::Ok);
    let Some(Birth::Expert(birth)) = mind.next_birth() else { panic!() };
    assert!(birth.at_home && birth.team.token != mind.team.token);
    assert_eq!(birth.to_lay.len() + mind.to_lay.len() + 1, all);
    assert!(birth.to_lay.len().abs_diff(mind.to_lay.len()) <= 1);
}

#[test]
fn a_leader_that_finds_others_at_its_nest_moves_it_or_lets_them_move() {
    let crowd = view(16, [0, 1, 0, 0, 0, 0, 0], [0; 7]);
    let first = |chance| {
        let (mut mind, _) = leader_with_mates();
        mind.chance = Chance::new(chance);
        mind.answered(&Command::Look, &crowd);
        step(&mut mind, &crowd, 9)
    };
    let (move_on, stay): (Vec<String>, Vec<String>) =
        (1..=20).map(first).partition(|commands| commands.starts_with("Broadcast, "));
    assert!(
        move_on.len() > 4 && move_on.iter().all(|commands| commands.ends_with("Forward, Look")),
        "{move_on:?}"
    );
    assert!(
        stay.len() > 4 && stay.iter().all(|commands| commands == "Connect_nbr"),
        "begins nothing: {stay:?}"
    );
}

#[test]
fn a_player_that_hears_that_the_nest_moves_comes_to_the_leaders_voice() {
    let mut leader = Team::new(seal(), 7);
    leader.take_lead(0);
    let mut mind = mind(Role::Core);
    let nest = view(16, [0, 1, 0, 0, 0, 0, 0], [0; 7]);
    hear(&mut mind, 0, &mut leader, Saying::Here, 1);
    assert_eq!(step(&mut mind, &nest, 9), "Broadcast", "it is here");
    hear(&mut mind, 0, &mut Team::new(seal(), 9), Saying::Move, 1);
    assert!(mind.memory.at_home(), "only the leader moves the nest");
    hear(&mut mind, 0, &mut leader, Saying::Move, 1);
    assert!(step(&mut mind, &nest, 9).contains("Forward"), "an incantation of others would hold it up here");
    hear(&mut mind, 0, &mut leader, Saying::Here, 1);
    assert!(mind.memory.at_home());
}

#[test]
fn gatherers_far_from_the_nest_lead_strangers_astray_while_the_core_is_pushed() {
    let mut mind = mind(Role::Gatherer);
    let nothing = view(1, [0; 7], [0; 7]);
    let food = Response::Inventory(Inventory::new([9, 0, 0, 0, 0, 0, 0]));
    let lures = |mind: &mut Mind| {
        let lure = |command: &Command| print(command).contains(":lure:");
        let said = (0..20).map(|_| {
            let commands = mind.decide();
            let answer = |command: &Command| match command {
                Command::Look => &nothing,
                Command::Inventory => &food,
                _ => &Response::Ok,
            };
            commands.iter().for_each(|command| mind.answered(command, answer(command)));
            commands.iter().filter(|command| lure(command)).count()
        });
        said.sum::<usize>()
    };
    assert_eq!(lures(&mut mind), 0, "nothing has happened");
    hear(&mut mind, 1, &mut Team::new(seal(), 10), Saying::Away, 2);
    assert_eq!(lures(&mut mind), 0, "a mate is hungry");
    hear(&mut mind, 1, &mut Team::new(seal(), 11), Saying::Pushed, 2);
    assert!(lures(&mut mind) > 0);
}
