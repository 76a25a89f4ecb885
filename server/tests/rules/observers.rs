//! What observers read under the official rules: observers leave no trace in a record, so no transcript shows it.

use zappy_game::{Game, Input, Line, Output, SeatId};
use zappy_game_zappy::{RuleSet, Zappy};
use zappy_protocol::TeamName;

use crate::support;

const OBSERVER: SeatId = SeatId(90);

/// Two teams with two players, two of them in an incantation, and an observer.
fn game(rules: RuleSet) -> Zappy {
    let mut spec = support::default_match().with([("rules", rules.name()), ("clients", "2")]).unwrap();
    spec.config.teams = ["red", "blue"].map(|name| TeamName::parse(name.as_bytes()).unwrap()).to_vec();
    let mut game = Zappy::of(&spec);
    for (seat, team) in [(0, "red"), (1, "blue"), (2, "red")] {
        game.handle_input(0, SeatId(seat), Input::Open);
        game.handle_input(0, SeatId(seat), Input::Line(team.as_bytes()));
    }
    for line in ["/setTile linemate 9 4 4", "/tp 2 4 4"] {
        game.handle_input(0, SeatId::CONSOLE, Input::Line(line.as_bytes()));
    }
    game.handle_input(0, SeatId(2), Input::Line(b"Incantation"));
    game.handle_input(0, OBSERVER, Input::Open);
    game.handle_input(0, OBSERVER, Input::Line(b"GRAPHIC"));
    while game.poll_output().is_some() {}
    game
}

/// The first line that answers the observer.
fn asked(game: &mut Zappy, request: &str) -> String {
    game.handle_input(0, OBSERVER, Input::Line(request.as_bytes()));
    let mut answers = Vec::new();
    while let Some(output) = game.poll_output() {
        match output {
            Output::Send(OBSERVER, line) | Output::Publish(line) => answers.push(line),
            _ => {}
        }
    }
    String::from_utf8(answers.first().map_or(&b""[..], Line::text).to_vec()).unwrap()
}

#[test]
fn leading_digits_count_and_none_is_zero() {
    let mut official = game(RuleSet::OFFICIAL);
    let mut told = |request: &str| asked(&mut official, request);
    for (request, answer) in [
        ("bct a b", "bct 0 0 "),
        ("bct 1.5 2", "bct 1 2 "),
        ("bct 10 0", "sbp"),
        ("bct 1", "sbp"),
        ("plv #", "plv #0 1"),
        ("plv 2x", "plv #2 1"),
        ("plv #7", "sbp"),
        ("bct -1 0", "sbp"),
        ("bct 0 -1", "sbp"),
        ("bct +1 0", "bct 1 0 "),
        // A lone sign has no digits either.
        ("bct - 0", "bct 0 0 "),
        ("bct + -x", "bct 0 0 "),
        ("plv #-", "plv #0 1"),
        ("sst +", "sbp"),
        ("ppo -1", "sbp"),
        ("pin #-1", "sbp"),
        ("sst +1", "sgt 1"),
        ("sst -1", "sbp"),
        ("sst 1.5", "sbp"),
        ("sst 10001", "sbp"),
        ("sst 10000", "sgt 10000"),
        ("what", "suc"),
    ] {
        assert!(told(request).starts_with(answer), "{request}: {}", told(request));
    }
    let mut subject = game(RuleSet::SUBJECT);
    assert_eq!(asked(&mut subject, "bct a b"), "sbp");
    assert_eq!(asked(&mut subject, "bct - 0"), "sbp");
    assert_eq!(asked(&mut subject, "sst 10001"), "sgt 10001");
}

#[test]
fn a_dump_begins_with_the_newest_and_leaves_incantations_to_the_record() {
    let kinds = |lines: &[Line]| {
        let texts = lines.iter().flat_map(Line::lines).map(String::from_utf8_lossy);
        let wanted = |text: &str| ["tna", "pnw", "pic"].contains(&&text[..3]);
        let first = |text: &str| text.splitn(3, ' ').take(2).collect::<Vec<_>>().join(" ");
        texts.filter(|text| wanted(text)).map(|text| first(&text)).collect::<Vec<_>>().join(", ")
    };
    for (rules, dump, withheld) in [
        (RuleSet::SUBJECT, "tna red, tna blue, pnw #0, pnw #1, pnw #2, pic 4", ""),
        (RuleSet::OFFICIAL, "tna blue, tna red, pnw #2, pnw #1, pnw #0", "pic 4"),
    ] {
        let game = game(rules);
        let (mut told, mut kept) = (Vec::new(), Vec::new());
        game.snapshot(None, &mut told);
        game.withheld(&mut kept);
        assert_eq!((kinds(&told).as_str(), kinds(&kept).as_str()), (dump, withheld));
    }
}

#[test]
fn a_half_closed_observer_is_closed() {
    for (rules, closed) in [(RuleSet::SUBJECT, false), (RuleSet::OFFICIAL, true)] {
        let mut game = game(rules);
        game.handle_input(0, OBSERVER, Input::End);
        let outputs: Vec<Output> = std::iter::from_fn(|| game.poll_output()).collect();
        let found = outputs.iter().any(|output| matches!(output, Output::Close(OBSERVER, _)));
        assert_eq!(found, closed, "{outputs:?}");
    }
}
