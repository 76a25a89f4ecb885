//! What a player of Zappy sends in answer to the server's lines.

use super::*;
use crate::zappy::level::Style;
use clap::ValueEnum as _;
use proptest::prelude::*;
use zappy_protocol::TeamName;

fn agent() -> Player {
    let team = TeamName::parse(b"red").unwrap();
    Player::new(Setup { team, seed: 1, sealed: true, style: Style::Expert, birth: None })
}

fn sent(agent: &mut Player) -> Vec<String> {
    let mut lines = Vec::new();
    while let Some(action) = agent.poll_action() {
        lines.push(match action {
            Action::Send(line) => String::from_utf8(line).unwrap(),
            Action::Connect(_) => "<connect>".into(),
        });
    }
    lines
}

/// Gives the player these lines; returns what it sends.
fn feed(agent: &mut Player, lines: &[&str]) -> Vec<String> {
    lines.iter().for_each(|line| agent.handle_line(Decoded::Line(line.as_bytes())));
    sent(agent)
}

/// A team's first player, after its first look; the team has no free slot.
fn founder() -> Player {
    let mut agent = agent();
    assert_eq!(feed(&mut agent, &["WELCOME"]), ["red"]);
    assert_eq!(feed(&mut agent, &["0", "10 10"]), ["Inventory", "Look"]);
    let food = "[ food 9, linemate 0, deraumere 0, sibur 0, mendiane 0, phiras 0, thystame 0 ]";
    assert!(feed(&mut agent, &[food]).is_empty());
    assert_eq!(feed(&mut agent, &["[ player linemate,,, ]"]), ["Connect_nbr"]);
    agent
}

#[test]
fn a_refusal_ends_it() {
    let mut lost = agent();
    feed(&mut lost, &["WELCOME", "0", "24 24", "game conquest version 2 factions red,blue"]);
    assert_eq!(lost.state(), AgentState::Refused);
    assert_eq!(lost.words(), "team \"red\": it plays conquest, not zappy; add --game conquest");
    let mut agent = agent();
    feed(&mut agent, &["WELCOME", "ko"]);
    let words = "team \"red\": it doesn't know the team or has no place left; check -n, which is NAME:TOKEN on a ladder";
    assert_eq!((agent.state(), agent.words()), (AgentState::Refused, words.into()));
    assert!(feed(&mut agent, &["ok", "WELCOME", "3"]).is_empty());
}

#[test]
fn an_egg_is_connected_before_anything_else_is_sent() {
    let mut agent = founder();
    assert_eq!(feed(&mut agent, &["0"]), ["Fork"]);
    let lines = feed(&mut agent, &["ok"]);
    assert_eq!(lines[0], "<connect>");
    assert_eq!(lines.len(), 2);
}

#[test]
fn messages_between_a_command_and_its_answer_change_nothing() {
    let mut agent = founder();
    assert!(feed(&mut agent, &["message 3, hello there", "message 0, ", "nonsense"]).is_empty());
    assert_eq!(feed(&mut agent, &["0"]).len(), 1);
}

#[test]
fn a_player_pushed_from_the_nest_walks_back() {
    let mut agent = founder();
    assert!(feed(&mut agent, &["eject: 5"]).is_empty());
    assert_eq!(feed(&mut agent, &["0"]), ["Right", "Right", "Forward"]);
}

#[test]
fn being_frozen_unasked_waits_for_the_end() {
    let mut agent = founder();
    assert!(feed(&mut agent, &["Elevation underway"]).is_empty());
    assert!(feed(&mut agent, &["Current level: 2"]).is_empty(), "the command sent before still waits");
    assert_eq!((agent.state(), agent.words()), (AgentState::Playing, "level 2".into()));
    assert_eq!(feed(&mut agent, &["0"]).len(), 1);
    assert!(feed(&mut agent, &["Elevation underway", "ko"]).is_empty(), "that was the incantation's");
    assert_eq!(feed(&mut agent, &["ok"]), ["<connect>", "Fork"]);
}

#[test]
fn refused_words_are_told_once_and_not_said_again() {
    let team = TeamName::parse(b"red").unwrap();
    let style = Style::Hard;
    let mut agent = Player::new(Setup { team, seed: 1, sealed: true, style, birth: None });
    let food = "[ food 9, linemate 0, deraumere 0, sibur 0, mendiane 0, phiras 0, thystame 0 ]";
    let mut out = feed(&mut agent, &["WELCOME", "0", "10 10"]);
    let (mut told, mut said) = (Vec::new(), 0);
    for _ in 0..400 {
        for line in std::mem::take(&mut out) {
            let word = line.split(' ').next().unwrap();
            said += usize::from(word == "Broadcast");
            let answer = match word {
                "red" => continue,
                "Look" => "[ player,,, ]",
                "Inventory" => food,
                "Connect_nbr" => "0",
                "Broadcast" => "ko",
                word => {
                    assert_ne!(word, "Fork", "it can't know that it is alone");
                    "ok"
                }
            };
            out.extend(feed(&mut agent, &[answer]));
        }
        told.push(agent.words());
    }
    told.dedup();
    let refused = "level 1, the server answers ko to its broadcasts: it plays on without words";
    assert_eq!(told, ["level 1", refused]);
    assert_eq!(said, 2);
}

#[test]
fn death_ends_it_at_any_time() {
    let mut agent = founder();
    assert!(feed(&mut agent, &["dead", "ok"]).is_empty());
    assert_eq!((agent.state(), agent.words()), (AgentState::Out, "starved at level 1".into()));
}

proptest! {
    #[test]
    fn whatever_the_server_sends_no_more_waits_than_it_queues(
        picks in proptest::collection::vec(0usize..16, 0..400),
        style in proptest::sample::select(Style::value_variants()),
    ) {
        let lines = [
            "ok", "ko", "[ player,,, ]", "[ player food food linemate, food,, sibur ]", "0", "3",
            "[ food 9, linemate 0, deraumere 0, sibur 0, mendiane 0, phiras 0, thystame 0 ]",
            "Elevation underway", "Current level: 2", "message 3, x", "eject: 7", "WELCOME", "10 10",
            "[ food 1, linemate 4, deraumere 0, sibur 2, mendiane 0, phiras 0, thystame 0 ]",
            "Current level: 8", "\u{fffd}",
        ];
        let team = TeamName::parse(b"red").unwrap();
        let mut agent = Player::new(Setup { team, seed: 1, sealed: true, style, birth: None });
        feed(&mut agent, &["WELCOME", "0", "10 10"]);
        for pick in picks {
            agent.handle_line(Decoded::Line(lines[pick].as_bytes()));
            sent(&mut agent);
            if let Phase::Playing(life) = &agent.phase {
                prop_assert!(life.pending.len() <= 10);
                prop_assert!(life.frozen || !life.pending.is_empty());
            }
        }
    }
}
