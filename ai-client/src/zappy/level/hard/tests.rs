//! A player of `hard` that is made to hear its mates' shouts.

use super::*;
use zappy_protocol::zappy::player::Sight;

fn hard(chance: u64) -> Hard {
    let team = TeamName::parse(b"red").unwrap();
    let mut hard = Hard::new(&team, MapSize::new(10, 10).unwrap(), chance, false);
    look(&mut hard, 1, [0; 7]);
    hard
}

fn look(hard: &mut Hard, players: u32, amounts: [u32; 7]) {
    let here = Sight { players, resources: Inventory::new(amounts), eggs: 0 };
    hard.answered(&Command::Look, &Response::Look(vec![here, Sight::default(), Sight::default()]));
}

fn carry(hard: &mut Hard, amounts: [u32; 7]) {
    hard.answered(&Command::Inventory, &Response::Inventory(Inventory::new(amounts)));
}

fn shout(hard: &mut Hard, kind: ShoutKind) -> Text {
    match hard.talk.say(kind, &hard.body) {
        Command::Broadcast(text) => text,
        other => panic!("{other:?}"),
    }
}

/// A team of six, lowest token first, that has all stones and that much food each; all have said what they carry.
fn team(food: u32) -> Vec<Hard> {
    let mut team: Vec<Hard> = (1..7).map(hard).collect();
    team.sort_by_key(|hard| hard.talk.token);
    for (i, hard) in team.iter_mut().enumerate() {
        let all = [food, 9, 8, 10, 5, 6, 1];
        carry(hard, if i == 0 { all } else { [food, 0, 0, 0, 0, 0, 0] });
    }
    shout_all(&mut team, ShoutKind::Have, 3);
    team
}

/// Each player shouts, and all others hear it from that direction.
fn shout_all(team: &mut [Hard], kind: ShoutKind, direction: u8) {
    let shouts: Vec<Text> = team.iter_mut().map(|hard| shout(hard, kind)).collect();
    for (i, hard) in team.iter_mut().enumerate() {
        shouts
            .iter()
            .enumerate()
            .filter(|(j, _)| *j != i)
            .for_each(|(_, shout)| hard.heard(direction, shout));
    }
}

fn speaks(commands: &[Command]) -> bool {
    commands.iter().any(|command| matches!(command, Command::Broadcast(_)))
}

#[test]
fn the_lowest_token_calls_when_nothing_lacks_and_all_are_fed() {
    let mut team = team(FED);
    let commands = team[0].decide();
    assert!(speaks(&commands) && commands.contains(&Command::Set(Resource::Linemate)), "{commands:?}");
    assert!(team[0].meeting.is_some());
    team[1].decide();
    assert!(team[1].meeting.is_none());
}

#[test]
fn a_hungry_player_is_waited_for() {
    let mut team = team(FED - 1);
    team[0].decide();
    assert!(team[0].meeting.is_none());
}

#[test]
fn the_others_come_put_down_what_they_carry_and_wait_in_short_steps() {
    let mut team = team(FED);
    carry(&mut team[3], [FED, 0, 0, 0, 0, 1, 0]);
    let call = shout(&mut team[0], ShoutKind::Call);
    team[3].heard(1, &call);
    assert_eq!(team[3].decide()[0], Command::Forward);
    let call = shout(&mut team[0], ShoutKind::Call);
    team[3].heard(0, &call);
    let commands = team[3].decide();
    assert!(speaks(&commands[..1]) && commands[1] == Command::Set(Resource::Phiras), "{commands:?}");
    team[3].answered(&commands[1], &Response::Ok);
    assert_eq!(team[3].decide(), [Command::Look], "the rest isn't there");
    shout_all(&mut team, ShoutKind::Here, 0);
    look(&mut team[3], 6, [0, 9, 8, 10, 5, 6, 1]);
    assert_eq!(team[3].decide(), [Command::Inventory]);
}

#[test]
fn the_first_begins_when_all_have_come() {
    let mut team = team(FED);
    let said = team[0].decide();
    said.iter().for_each(|command| team[0].answered(command, &Response::Ok));
    carry(&mut team[0], [FED, 0, 0, 0, 0, 0, 0]);
    look(&mut team[0], 5, [0, 9, 8, 10, 5, 6, 1]);
    assert!(!team[0].decide().contains(&Command::Incantation), "no mate has said that it came");
    shout_all(&mut team, ShoutKind::Here, 0);
    look(&mut team[0], 6, [0, 9, 8, 10, 5, 6, 1]);
    assert_eq!(team[0].decide(), [Command::Incantation, Command::Inventory]);
    team[0].incantation_over(Level::new(2));
    assert!(team[0].levels().iter().all(|level| level.get() == 2), "all rose with it");
}

#[test]
fn missing_players_are_laid_after_the_free_slots_are_filled() {
    let mut founder = hard(1);
    for _ in 0..SHORT_HANDED_TIME / 7 + 2 {
        look(&mut founder, 1, [0; 7]);
        carry(&mut founder, [9, 0, 0, 0, 0, 0, 0]);
        if founder.decide() == [Command::ConnectNbr] {
            break;
        }
    }
    founder.answered(&Command::ConnectNbr, &Response::Slots(2));
    assert_eq!((founder.births.len(), founder.to_lay), (2, 3));
    for _ in 0..3 {
        assert_eq!(founder.complete_team(), Some(vec![Command::Fork]));
        founder.answered(&Command::Fork, &Response::Ok);
    }
    assert_eq!((founder.births.len(), founder.complete_team()), (5, None));
}

#[test]
fn the_hungry_leave_and_say_so() {
    let mut team = team(FED);
    let call = shout(&mut team[0], ShoutKind::Call);
    team[1].heard(0, &call);
    assert!(speaks(&team[1].decide()));
    carry(&mut team[1], [HUNGRY - 1, 0, 0, 0, 0, 0, 0]);
    assert!(speaks(&team[1].decide()), "it says that it goes");
    assert!(!speaks(&team[1].decide()));
}
