//! What waits is paired, what is wrong is answered late, and whatever comes in whatever order, the lobby stays sound.

use std::net::Ipv4Addr;

use super::*;

/// A bot by a small number.
fn bot_of(number: usize) -> Id {
    Id::parse(&format!("{number:016x}")).unwrap()
}

fn number_of(bot: Id) -> usize {
    usize::from_str_radix(&bot.to_string(), 16).unwrap()
}

const HOME: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

fn rules() -> Rules {
    Rules {
        teams: 2,
        slots: 2,
        at_once: 1,
        gather: seconds(2),
        wait: seconds(600),
        login: seconds(10),
        most: 100,
        unnamed: 100,
        seed: 1,
    }
}

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn drain(lobby: &mut LadderLobby) -> Vec<Errand> {
    std::iter::from_fn(|| lobby.next_errand()).collect()
}

/// Those that are sent away; nothing else is to be done.
fn dismissed(lobby: &mut LadderLobby) -> Vec<u64> {
    let guest =
        |action| if let Errand::Dismiss(Caller(guest), ..) = action { guest } else { panic!("{action:?}") };
    drain(lobby).into_iter().map(guest).collect()
}

/// A connection of that bot comes and says its name.
fn enter(lobby: &mut LadderLobby, at: Duration, guest: u64, bot: usize) {
    lobby.arrive(at, Caller(guest), HOME, usize::MAX);
    lobby.log_in(at, Caller(guest), Said::Plays(bot_of(bot)), |_, _| false);
}

/// The bots of the matches that begin.
fn begun(actions: &[Errand]) -> Vec<(u64, Vec<usize>)> {
    let bots = |action: &Errand| match action {
        Errand::Begin(number, bots, _, _) => {
            let mut bots: Vec<usize> = bots.iter().map(|bot| number_of(*bot)).collect();
            bots.sort_unstable();
            Some((number.0, bots))
        }
        _ => None,
    };
    actions.iter().filter_map(bots).collect()
}

#[test]
fn two_bots_meet_when_each_has_gathered_its_connections() {
    let mut lobby = LadderLobby::new(rules(), None);
    enter(&mut lobby, seconds(0), 1, 0);
    enter(&mut lobby, seconds(0), 2, 1);
    enter(&mut lobby, seconds(1), 3, 0);
    enter(&mut lobby, seconds(1), 4, 0);
    lobby.advance(seconds(1));
    assert_eq!(drain(&mut lobby), []);
    assert_eq!(lobby.next_deadline(), Some(seconds(2)));
    lobby.advance(seconds(2));
    let actions = drain(&mut lobby);
    assert_eq!(begun(&actions), [(1, vec![0, 1])]);
    let joined = |guest, bot| actions.contains(&Errand::Join(Caller(guest), MatchNumber(1), bot_of(bot)));
    // There is room for two, so the third one waits for the next match.
    assert!(joined(1, 0) && joined(2, 1) && joined(3, 0) && actions.len() == 4, "{actions:?}");
    assert_eq!(lobby.waiting(), [(bot_of(0), seconds(0))]);
    enter(&mut lobby, seconds(50), 5, 1);
    lobby.end(seconds(60), MatchNumber(1));
    lobby.advance(seconds(61));
    assert_eq!(drain(&mut lobby), []);
    lobby.advance(seconds(62));
    assert_eq!(begun(&drain(&mut lobby)), [(2, vec![0, 1])]);
}

#[test]
fn a_connection_joins_the_oldest_match_of_its_bot_that_has_room() {
    let mut lobby = LadderLobby::new(Rules { at_once: 2, slots: 1, gather: seconds(0), ..rules() }, None);
    for (guest, bot) in [(1, 0), (2, 1), (3, 0), (4, 2)] {
        enter(&mut lobby, seconds(0), guest, bot);
    }
    assert_eq!(begun(&drain(&mut lobby)), [(1, vec![0, 1]), (2, vec![0, 2])]);
    lobby.arrive(seconds(1), Caller(5), HOME, usize::MAX);
    lobby.log_in(seconds(1), Caller(5), Said::Plays(bot_of(0)), |_, _| true);
    assert_eq!(drain(&mut lobby), [Errand::Join(Caller(5), MatchNumber(1), bot_of(0))]);
    lobby.arrive(seconds(1), Caller(6), HOME, usize::MAX);
    lobby.log_in(seconds(1), Caller(6), Said::Watches(bot_of(2)), |_, _| true);
    assert_eq!(drain(&mut lobby), [Errand::Watch(Caller(6), MatchNumber(2))]);
    // A third match at once isn't its.
    enter(&mut lobby, seconds(2), 7, 0);
    enter(&mut lobby, seconds(2), 8, 3);
    assert_eq!(drain(&mut lobby), []);
}

#[test]
fn a_wrong_login_is_answered_late_and_the_third_one_closes() {
    let mut lobby = LadderLobby::new(rules(), None);
    lobby.arrive(seconds(0), Caller(1), HOME, usize::MAX);
    for round in 0..3 {
        let said = if round == 1 { Said::Watches(bot_of(0)) } else { Said::Wrong };
        assert!(lobby.may_log_in(Caller(1)));
        lobby.log_in(seconds(round), Caller(1), said, |_, _| true);
        assert!(!lobby.may_log_in(Caller(1)));
        assert_eq!(drain(&mut lobby), []);
        lobby.advance(seconds(round + 1));
        let wanted = match round {
            2 => Errand::Dismiss(Caller(1), None, "too many wrong logins"),
            _ => Errand::Refuse(Caller(1)),
        };
        assert_eq!(drain(&mut lobby), [wanted]);
    }
    assert_eq!((lobby.visitors.len(), lobby.next_deadline()), (0, None));
}

#[test]
fn those_that_say_nothing_make_room_and_those_that_wait_too_long_are_sent_away() {
    let mut lobby = LadderLobby::new(Rules { most: 3, ..rules() }, None);
    enter(&mut lobby, seconds(0), 1, 0);
    lobby.arrive(seconds(1), Caller(2), HOME, usize::MAX);
    enter(&mut lobby, seconds(2), 3, 0);
    enter(&mut lobby, seconds(3), 4, 0);
    assert_eq!(drain(&mut lobby), [Errand::Drop(Caller(2))]);
    lobby.arrive(seconds(3), Caller(5), HOME, usize::MAX);
    assert_eq!(dismissed(&mut lobby), [5]);
    lobby.leave(Caller(4));
    lobby.arrive(seconds(4), Caller(6), HOME, usize::MAX);
    lobby.advance(seconds(14));
    assert_eq!(drain(&mut lobby), [Errand::Drop(Caller(6))]);
    lobby.advance(seconds(600));
    assert_eq!(dismissed(&mut lobby), [1]);
    lobby.remove(bot_of(0));
    assert_eq!(dismissed(&mut lobby), [3]);
    for guest in 10..200 {
        enter(&mut LadderLobby::new(rules(), None), seconds(0), guest, 0);
    }
    let mut crowd = LadderLobby::new(rules(), None);
    (0..=MOST_OF_NAME as u64).for_each(|guest| enter(&mut crowd, seconds(0), guest, 0));
    assert_eq!(dismissed(&mut crowd), [MOST_OF_NAME as u64]);
}

#[test]
fn one_address_has_only_so_many_connections_without_a_name_and_the_system_has_room_for_others() {
    let mut lobby = LadderLobby::new(Rules { unnamed: 2, ..rules() }, None);
    let other = IpAddr::V4(Ipv4Addr::BROADCAST);
    lobby.arrive(seconds(0), Caller(1), other, usize::MAX);
    for guest in 2..6 {
        let why = lobby.arrive(seconds(1), Caller(guest), HOME, usize::MAX);
        assert_eq!(why.is_some_and(|why| why.contains("address")), guest > 3, "{why:?}");
    }
    assert_eq!(drain(&mut lobby), [Errand::Drop(Caller(2)), Errand::Drop(Caller(3))]);
    // Without room for one more the oldest of all goes, and those with a name stay.
    lobby.log_in(seconds(1), Caller(4), Said::Plays(bot_of(0)), |_, _| false);
    for gone in [1, 5] {
        assert!(lobby.arrive(seconds(1), Caller(5 + gone), HOME, 3).is_some());
        assert_eq!(drain(&mut lobby), [Errand::Drop(Caller(gone))]);
    }
    lobby.leave(Caller(6));
    lobby.leave(Caller(10));
    assert!(lobby.arrive(seconds(2), Caller(11), HOME, 1).is_some_and(|why| why.contains("ulimit -n")));
    assert_eq!((dismissed(&mut lobby), lobby.unnamed.len()), (vec![11], 0));
}

#[test]
fn the_same_two_do_not_meet_again_while_others_wait_and_they_change_seats() {
    let mut lobby = LadderLobby::new(Rules { gather: seconds(0), ..rules() }, None);
    enter(&mut lobby, seconds(0), 1, 0);
    enter(&mut lobby, seconds(0), 2, 1);
    let first = drain(&mut lobby);
    lobby.end(seconds(1), MatchNumber(1));
    // One that gathers counts as one that waits.
    lobby.rules.gather = seconds(2);
    enter(&mut lobby, seconds(5), 3, 0);
    enter(&mut lobby, seconds(5), 4, 1);
    enter(&mut lobby, seconds(6), 5, 2);
    lobby.advance(seconds(7));
    assert_eq!(drain(&mut lobby), []);
    lobby.advance(seconds(8));
    assert_eq!(begun(&drain(&mut lobby)), [(2, vec![0, 2])]);
    lobby.leave(Caller(4));
    lobby.end(seconds(9), MatchNumber(2));
    enter(&mut lobby, seconds(10), 6, 0);
    enter(&mut lobby, seconds(10), 7, 1);
    lobby.advance(seconds(12));
    let third = drain(&mut lobby);
    let seats = |actions: &[Errand]| match &actions[0] {
        Errand::Begin(_, bots, None, _) => bots.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!(seats(&third), seats(&first).into_iter().rev().collect::<Vec<_>>());
}

#[test]
fn equals_of_which_much_is_known_are_met_first() {
    let mut lobby = LadderLobby::new(rules(), None);
    for (bot, value) in [(0, 1500.0), (1, 2300.0), (2, 1520.0), (3, 900.0)] {
        lobby.rate(bot_of(bot), Rating { value, margin: 50.0 });
        enter(&mut lobby, seconds(0), bot as u64, bot);
    }
    lobby.advance(seconds(2));
    assert_eq!(begun(&drain(&mut lobby)), [(1, vec![0, 2]), (2, vec![1, 3])]);
}

#[test]
fn a_list_is_played_as_it_stands_and_four_can_meet() {
    let fixture = |one, other| Fixture { bots: vec![bot_of(one), bot_of(other)], seed: 7 };
    let list = vec![fixture(2, 0), fixture(1, 0), fixture(0, 1)];
    let mut lobby = LadderLobby::new(Rules { gather: seconds(0), ..rules() }, Some(list));
    (0..3).for_each(|bot| enter(&mut lobby, seconds(0), bot as u64, bot));
    let actions = drain(&mut lobby);
    // The first two are there before the third one comes.
    assert_eq!(actions[0], Errand::Begin(MatchNumber(1), vec![bot_of(1), bot_of(0)], Some(7), 2));
    assert_eq!((begun(&actions).len(), lobby.fixtures.as_ref().map(Vec::len)), (1, Some(2)));

    let mut four = LadderLobby::new(Rules { teams: 4, ..rules() }, None);
    (0..5).for_each(|bot| enter(&mut four, seconds(0), bot as u64, bot));
    four.advance(seconds(2));
    assert_eq!(begun(&drain(&mut four))[0].1.len(), 4);
}

/// Any events in any order: no connection is handed out twice or kept by two, no bot plays more than it may, and each match has
/// as many different bots as there are seats.
#[test]
fn whatever_comes_the_lobby_stays_sound() {
    for seed in 0..300 {
        let mut chance = Chance::new(seed, 1, 0, 0);
        let at_once = 1 + chance.below(2) as usize;
        let rules = Rules { teams: 2 + (seed % 2) as usize, at_once, most: 12, seed, ..rules() };
        let (mut lobby, mut at, mut there) =
            (LadderLobby::new(rules.clone(), None), Duration::ZERO, BTreeSet::new());
        let (mut next, mut running) = (0, BTreeMap::<MatchNumber, Vec<Id>>::new());
        for step in 0..400 {
            let guests: Vec<Caller> = there.iter().copied().collect();
            let some = |chance: &mut Chance| chance.index(guests.len()).map(|place| guests[place]);
            match chance.below(8) {
                0 | 1 => {
                    next += 1;
                    there.insert(Caller(next));
                    lobby.arrive(at, Caller(next), HOME, usize::MAX);
                }
                2..=4 => {
                    let bot = bot_of(chance.below(5) as usize);
                    let said = [Said::Plays(bot), Said::Plays(bot), Said::Watches(bot), Said::Wrong];
                    let said = said[chance.below(4) as usize];
                    let room = chance.below(4) == 0;
                    if let Some(guest) = some(&mut chance) {
                        lobby.log_in(at, guest, said, |_, _| room);
                    }
                }
                5 => {
                    if let Some(guest) = some(&mut chance).filter(|_| chance.below(3) == 0) {
                        there.remove(&guest);
                        lobby.leave(guest);
                    }
                }
                6 => {
                    if let Some(number) = running.keys().next().copied() {
                        running.remove(&number);
                        lobby.end(at, number);
                    }
                }
                _ => {
                    at += Duration::from_millis(chance.below(5_000).into());
                    lobby.advance(at);
                }
            }
            for action in drain(&mut lobby) {
                let (gone, bots) = match action {
                    Errand::Refuse(guest) => {
                        assert!(there.contains(&guest), "seed {seed}, step {step}");
                        continue;
                    }
                    Errand::Begin(number, bots, _, _) => {
                        let different: BTreeSet<Id> = bots.iter().copied().collect();
                        assert_eq!(different.len(), rules.teams, "seed {seed}, step {step}");
                        running.insert(number, bots);
                        continue;
                    }
                    Errand::Dismiss(guest, ..) | Errand::Drop(guest) => (guest, None),
                    Errand::Watch(guest, number) => (guest, running.get(&number).map(|_| bot_of(0))),
                    Errand::Join(guest, number, bot) => {
                        (guest, running[&number].contains(&bot).then_some(bot))
                    }
                };
                assert!(there.remove(&gone), "seed {seed}, step {step}: {action:?}");
                assert!(bots.is_some() || matches!(action, Errand::Dismiss(..) | Errand::Drop(_)));
            }
            assert_eq!(lobby.visitors.len(), there.len(), "seed {seed}, step {step}");
            for bot in 0..5 {
                let plays = running.values().filter(|bots| bots.contains(&bot_of(bot))).count();
                assert!(plays <= at_once, "seed {seed}, step {step}");
            }
            assert!(there.len() <= rules.most);
        }
    }
}

#[test]
fn a_match_that_goes_on_takes_the_connections_of_its_bots_and_a_void_one_is_played_again() {
    let mut lobby = LadderLobby::new(Rules { gather: seconds(0), ..rules() }, Some(Vec::new()));
    let fixture = Fixture { bots: vec![bot_of(0), bot_of(1)], seed: 7 };
    let number = lobby.go_on(&fixture.bots);
    lobby.arrive(seconds(0), Caller(1), HOME, usize::MAX);
    lobby.log_in(seconds(0), Caller(1), Said::Plays(bot_of(0)), |_, _| true);
    assert_eq!(drain(&mut lobby), [Errand::Join(Caller(1), number, bot_of(0))]);
    lobby.put_back(fixture);
    assert_eq!(lobby.fixtures.as_ref().map(Vec::len), Some(1));
    lobby.end(seconds(1), number);
    enter(&mut lobby, seconds(2), 2, 0);
    enter(&mut lobby, seconds(2), 3, 1);
    assert_eq!(begun(&drain(&mut lobby)), [(number.0 + 1, vec![0, 1])]);
}

#[test]
fn a_bot_that_leaves_before_it_can_be_paired_keeps_two_others_apart_for_a_while_only() {
    let mut lobby = LadderLobby::new(rules(), None);
    enter(&mut lobby, seconds(0), 1, 0);
    enter(&mut lobby, seconds(0), 2, 1);
    lobby.advance(seconds(2));
    assert_eq!(begun(&drain(&mut lobby)), [(1, vec![0, 1])]);
    lobby.end(seconds(10), MatchNumber(1));
    enter(&mut lobby, seconds(10), 3, 0);
    enter(&mut lobby, seconds(10), 4, 1);
    for (at, guest) in [(11, 5), (12, 6)] {
        enter(&mut lobby, seconds(at), guest, 2);
        lobby.advance(seconds(at + 1));
        assert_eq!(begun(&drain(&mut lobby)), [], "a third bot gathers");
        lobby.leave(Caller(guest));
    }
    enter(&mut lobby, seconds(14), 7, 2);
    assert_eq!(begun(&drain(&mut lobby)), [(2, vec![0, 1])]);
}
