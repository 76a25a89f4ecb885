//! Waiting bots are paired, wrong logins are answered late, and the lobby stays consistent after any events in any
//! order.

use std::net::Ipv4Addr;

use super::*;

/// The id of the bot with a small number.
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
        gather_time: seconds(2),
        wait_time: seconds(600),
        login_time: seconds(10),
        most_waiting: 100,
        most_unnamed: 100,
        seed: 1,
    }
}

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn drain(lobby: &mut LadderLobby) -> Vec<Errand> {
    std::iter::from_fn(|| lobby.next_errand()).collect()
}

/// The connections that are sent away; there is no other errand.
fn dismissed(lobby: &mut LadderLobby) -> Vec<u64> {
    let caller =
        |errand| if let Errand::Dismiss(Caller(caller), ..) = errand { caller } else { panic!("{errand:?}") };
    drain(lobby).into_iter().map(caller).collect()
}

/// A connection comes and logs in for that bot.
fn enter(lobby: &mut LadderLobby, at: Duration, caller: u64, bot: usize) {
    lobby.arrive(at, Caller(caller), HOME, usize::MAX);
    lobby.log_in(at, Caller(caller), LoginKind::Plays(bot_of(bot)), |_, _| false);
}

/// The number and the bots of each match that begins.
fn begun(errands: &[Errand]) -> Vec<(u64, Vec<usize>)> {
    let bots = |errand: &Errand| match errand {
        Errand::Begin(number, bots, _, _) => {
            let mut bots: Vec<usize> = bots.iter().map(|bot| number_of(*bot)).collect();
            bots.sort_unstable();
            Some((number.0, bots))
        }
        _ => None,
    };
    errands.iter().filter_map(bots).collect()
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
    let errands = drain(&mut lobby);
    assert_eq!(begun(&errands), [(1, vec![0, 1])]);
    let joined = |caller, bot| errands.contains(&Errand::Join(Caller(caller), MatchNumber(1), bot_of(bot)));
    // There is room for two, so the third one waits for the next match.
    assert!(joined(1, 0) && joined(2, 1) && joined(3, 0) && errands.len() == 4, "{errands:?}");
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
    let mut lobby =
        LadderLobby::new(Rules { at_once: 2, slots: 1, gather_time: seconds(0), ..rules() }, None);
    for (caller, bot) in [(1, 0), (2, 1), (3, 0), (4, 2)] {
        enter(&mut lobby, seconds(0), caller, bot);
    }
    assert_eq!(begun(&drain(&mut lobby)), [(1, vec![0, 1]), (2, vec![0, 2])]);
    lobby.arrive(seconds(1), Caller(5), HOME, usize::MAX);
    lobby.log_in(seconds(1), Caller(5), LoginKind::Plays(bot_of(0)), |_, _| true);
    assert_eq!(drain(&mut lobby), [Errand::Join(Caller(5), MatchNumber(1), bot_of(0))]);
    lobby.arrive(seconds(1), Caller(6), HOME, usize::MAX);
    lobby.log_in(seconds(1), Caller(6), LoginKind::Watches(bot_of(2)), |_, _| true);
    assert_eq!(drain(&mut lobby), [Errand::Watch(Caller(6), MatchNumber(2))]);
    // A third match at once isn't allowed.
    enter(&mut lobby, seconds(2), 7, 0);
    enter(&mut lobby, seconds(2), 8, 3);
    assert_eq!(drain(&mut lobby), []);
}

#[test]
fn a_wrong_login_is_answered_late_and_the_third_one_closes() {
    let mut lobby = LadderLobby::new(rules(), None);
    lobby.arrive(seconds(0), Caller(1), HOME, usize::MAX);
    for round in 0..3 {
        let said = if round == 1 { LoginKind::Watches(bot_of(0)) } else { LoginKind::Wrong };
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
    assert_eq!((lobby.callers.len(), lobby.next_deadline()), (0, None));
}

#[test]
fn those_that_say_nothing_make_room_and_those_that_wait_too_long_are_sent_away() {
    let mut lobby = LadderLobby::new(Rules { most_waiting: 3, ..rules() }, None);
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
    for caller in 10..200 {
        enter(&mut LadderLobby::new(rules(), None), seconds(0), caller, 0);
    }
    let mut crowd = LadderLobby::new(rules(), None);
    (0..=MOST_OF_BOT as u64).for_each(|caller| enter(&mut crowd, seconds(0), caller, 0));
    assert_eq!(dismissed(&mut crowd), [MOST_OF_BOT as u64]);
}

#[test]
fn one_address_has_only_so_many_connections_without_a_name_and_the_system_has_room_for_others() {
    let mut lobby = LadderLobby::new(Rules { most_unnamed: 2, ..rules() }, None);
    let other = IpAddr::V4(Ipv4Addr::BROADCAST);
    lobby.arrive(seconds(0), Caller(1), other, usize::MAX);
    for caller in 2..6 {
        let why = lobby.arrive(seconds(1), Caller(caller), HOME, usize::MAX);
        assert_eq!(why.is_some_and(|why| why.contains("address")), caller > 3, "{why:?}");
    }
    assert_eq!(drain(&mut lobby), [Errand::Drop(Caller(2)), Errand::Drop(Caller(3))]);
    // Without room for one more the oldest without a name is closed, and those with a name stay.
    lobby.log_in(seconds(1), Caller(4), LoginKind::Plays(bot_of(0)), |_, _| false);
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
    let mut lobby = LadderLobby::new(Rules { gather_time: seconds(0), ..rules() }, None);
    enter(&mut lobby, seconds(0), 1, 0);
    enter(&mut lobby, seconds(0), 2, 1);
    let first = drain(&mut lobby);
    lobby.end(seconds(1), MatchNumber(1));
    // The third bot counts while it gathers its connections.
    lobby.rules.gather_time = seconds(2);
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
    let seats = |errands: &[Errand]| match &errands[0] {
        Errand::Begin(_, bots, None, _) => bots.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!(seats(&third), seats(&first).into_iter().rev().collect::<Vec<_>>());
}

#[test]
fn opponents_with_near_and_certain_ratings_are_met_first() {
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
    let mut lobby = LadderLobby::new(Rules { gather_time: seconds(0), ..rules() }, Some(list));
    (0..3).for_each(|bot| enter(&mut lobby, seconds(0), bot as u64, bot));
    let errands = drain(&mut lobby);
    // Bot 0 and bot 1 are there before bot 2 comes.
    assert_eq!(errands[0], Errand::Begin(MatchNumber(1), vec![bot_of(1), bot_of(0)], Some(7), 2));
    assert_eq!((begun(&errands).len(), lobby.fixtures.as_ref().map(Vec::len)), (1, Some(2)));

    let mut four = LadderLobby::new(Rules { teams: 4, ..rules() }, None);
    (0..5).for_each(|bot| enter(&mut four, seconds(0), bot as u64, bot));
    four.advance(seconds(2));
    assert_eq!(begun(&drain(&mut four))[0].1.len(), 4);
}

/// Any events in any order: no connection is handed out twice or kept by two, no bot plays more than it may, and each match has
/// as many different bots as there are seats.
#[test]
fn after_any_events_the_lobby_is_consistent() {
    for seed in 0..300 {
        let mut chance = Chance::new(seed, 1, 0, 0);
        let at_once = 1 + chance.below(2) as usize;
        let rules = Rules { teams: 2 + (seed % 2) as usize, at_once, most_waiting: 12, seed, ..rules() };
        let (mut lobby, mut at, mut waiting) =
            (LadderLobby::new(rules.clone(), None), Duration::ZERO, BTreeSet::new());
        let (mut next, mut running) = (0, BTreeMap::<MatchNumber, Vec<Id>>::new());
        for step in 0..400 {
            let callers: Vec<Caller> = waiting.iter().copied().collect();
            let any = |chance: &mut Chance| chance.index(callers.len()).map(|place| callers[place]);
            match chance.below(8) {
                0 | 1 => {
                    next += 1;
                    waiting.insert(Caller(next));
                    lobby.arrive(at, Caller(next), HOME, usize::MAX);
                }
                2..=4 => {
                    let bot = bot_of(chance.below(5) as usize);
                    let said = [
                        LoginKind::Plays(bot),
                        LoginKind::Plays(bot),
                        LoginKind::Watches(bot),
                        LoginKind::Wrong,
                    ];
                    let said = said[chance.below(4) as usize];
                    let room = chance.below(4) == 0;
                    if let Some(caller) = any(&mut chance) {
                        lobby.log_in(at, caller, said, |_, _| room);
                    }
                }
                5 => {
                    if let Some(caller) = any(&mut chance).filter(|_| chance.below(3) == 0) {
                        waiting.remove(&caller);
                        lobby.leave(caller);
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
            for errand in drain(&mut lobby) {
                let (gone, bots) = match errand {
                    Errand::Refuse(caller) => {
                        assert!(waiting.contains(&caller), "seed {seed}, step {step}");
                        continue;
                    }
                    Errand::Begin(number, bots, _, _) => {
                        let different: BTreeSet<Id> = bots.iter().copied().collect();
                        assert_eq!(different.len(), rules.teams, "seed {seed}, step {step}");
                        running.insert(number, bots);
                        continue;
                    }
                    Errand::Dismiss(caller, ..) | Errand::Drop(caller) => (caller, None),
                    Errand::Watch(caller, number) => (caller, running.get(&number).map(|_| bot_of(0))),
                    Errand::Join(caller, number, bot) => {
                        (caller, running[&number].contains(&bot).then_some(bot))
                    }
                };
                assert!(waiting.remove(&gone), "seed {seed}, step {step}: {errand:?}");
                assert!(bots.is_some() || matches!(errand, Errand::Dismiss(..) | Errand::Drop(_)));
            }
            assert_eq!(lobby.callers.len(), waiting.len(), "seed {seed}, step {step}");
            for bot in 0..5 {
                let plays = running.values().filter(|bots| bots.contains(&bot_of(bot))).count();
                assert!(plays <= at_once, "seed {seed}, step {step}");
            }
            assert!(waiting.len() <= rules.most_waiting);
        }
    }
}

#[test]
fn a_match_that_goes_on_takes_the_connections_of_its_bots_and_a_void_one_is_played_again() {
    let mut lobby = LadderLobby::new(Rules { gather_time: seconds(0), ..rules() }, Some(Vec::new()));
    let fixture = Fixture { bots: vec![bot_of(0), bot_of(1)], seed: 7 };
    let number = lobby.add_match(&fixture.bots);
    lobby.arrive(seconds(0), Caller(1), HOME, usize::MAX);
    lobby.log_in(seconds(0), Caller(1), LoginKind::Plays(bot_of(0)), |_, _| true);
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
    for (at, caller) in [(11, 5), (12, 6)] {
        enter(&mut lobby, seconds(at), caller, 2);
        lobby.advance(seconds(at + 1));
        assert_eq!(begun(&drain(&mut lobby)), [], "a third bot gathers");
        lobby.leave(Caller(caller));
    }
    enter(&mut lobby, seconds(14), 7, 2);
    assert_eq!(begun(&drain(&mut lobby)), [(2, vec![0, 1])]);
}
