//! `parse(print(x)) == x` for every value of both dialects, and parsers that take any bytes.

use proptest::collection::vec;
use proptest::prelude::*;
use zappy_protocol::zappy::observer::{Message, Request};
use zappy_protocol::zappy::player::{Command, Response, Sight};
use zappy_protocol::zappy::{EggId, Inventory, Level, Orientation, PlayerId, Resource};
use zappy_protocol::{MapSize, Position, TeamName, Text};

fn text() -> impl Strategy<Value = Text> {
    vec(any::<u8>(), 0..40).prop_map(|bytes| Text::new(&bytes))
}

fn spoken() -> impl Strategy<Value = Text> {
    text().prop_filter("a broadcast says something", |text| !text.is_empty())
}

fn resource() -> impl Strategy<Value = Resource> {
    (0..Resource::COUNT).prop_map(|i| Resource::ALL[i])
}

fn inventory() -> impl Strategy<Value = Inventory> {
    any::<[u32; 7]>().prop_map(Inventory::new)
}

fn sight() -> impl Strategy<Value = Sight> {
    (0u32..4, proptest::array::uniform7(0u32..4), 0u32..3).prop_map(|(players, resources, eggs)| Sight {
        players,
        resources: Inventory::new(resources),
        eggs,
    })
}

fn level() -> impl Strategy<Value = Level> {
    (1u8..=8).prop_map(|n| Level::new(n).unwrap())
}

fn orientation() -> impl Strategy<Value = Orientation> {
    (1u8..=4).prop_map(|n| Orientation::from_number(n).unwrap())
}

fn size() -> impl Strategy<Value = MapSize> {
    (1..=MapSize::LIMIT, 1..=MapSize::LIMIT).prop_map(|(w, h)| MapSize::new(w, h).unwrap())
}

fn at() -> impl Strategy<Value = Position> {
    any::<(u16, u16)>().prop_map(|(x, y)| Position { x, y })
}

fn team() -> impl Strategy<Value = TeamName> {
    "[a-zA-Z0-9é_-]{1,20}".prop_map(|name| TeamName::parse(name.as_bytes()).unwrap())
}

fn player() -> impl Strategy<Value = PlayerId> {
    any::<u32>().prop_map(PlayerId)
}

fn egg() -> impl Strategy<Value = EggId> {
    any::<u32>().prop_map(EggId)
}

fn command() -> impl Strategy<Value = Command> {
    prop_oneof![
        Just(Command::Forward),
        Just(Command::Right),
        Just(Command::Left),
        Just(Command::Look),
        Just(Command::Inventory),
        spoken().prop_map(Command::Broadcast),
        Just(Command::ConnectNbr),
        Just(Command::Fork),
        Just(Command::Eject),
        resource().prop_map(Command::Take),
        resource().prop_map(Command::Set),
        Just(Command::Incantation),
    ]
}

fn response() -> impl Strategy<Value = Response> {
    prop_oneof![
        Just(Response::Welcome),
        any::<u32>().prop_map(Response::Slots),
        size().prop_map(Response::MapSize),
        Just(Response::Ok),
        Just(Response::Ko),
        Just(Response::Dead),
        vec(sight(), 1..30).prop_map(Response::Look),
        inventory().prop_map(Response::Inventory),
        (0u8..=8, text()).prop_map(|(direction, text)| Response::Message { direction, text }),
        (1u8..=8).prop_map(Response::Eject),
        Just(Response::ElevationUnderway),
        level().prop_map(Response::CurrentLevel),
    ]
}

fn request() -> impl Strategy<Value = Request> {
    prop_oneof![
        Just(Request::MapSize),
        any::<(u32, u32)>().prop_map(|(x, y)| Request::Tile { x, y }),
        Just(Request::AllTiles),
        Just(Request::Teams),
        player().prop_map(Request::PlayerPosition),
        player().prop_map(Request::PlayerLevel),
        player().prop_map(Request::PlayerInventory),
        Just(Request::Rate),
        any::<u32>().prop_map(Request::SetRate),
    ]
}

fn player_message() -> impl Strategy<Value = Message> {
    prop_oneof![
        (player(), at(), orientation(), level(), team()).prop_map(
            |(player, at, orientation, level, team)| Message::PlayerJoined {
                player,
                at,
                orientation,
                level,
                team
            }
        ),
        (player(), at(), orientation()).prop_map(|(player, at, orientation)| Message::PlayerPosition {
            player,
            at,
            orientation
        }),
        (player(), level()).prop_map(|(player, level)| Message::PlayerLevel { player, level }),
        (player(), at(), inventory()).prop_map(|(player, at, inventory)| Message::PlayerInventory {
            player,
            at,
            inventory
        }),
        player().prop_map(Message::Ejected),
        (player(), text()).prop_map(|(player, text)| Message::Broadcast { player, text }),
        player().prop_map(Message::Laying),
        (player(), resource()).prop_map(|(player, resource)| Message::Dropped { player, resource }),
        (player(), resource()).prop_map(|(player, resource)| Message::Took { player, resource }),
        player().prop_map(Message::Died),
    ]
}

fn world_message() -> impl Strategy<Value = Message> {
    prop_oneof![
        size().prop_map(Message::MapSize),
        (at(), inventory()).prop_map(|(at, resources)| Message::Tile { at, resources }),
        team().prop_map(Message::Team),
        (at(), level(), vec(player(), 1..8)).prop_map(|(at, level, players)| Message::IncantationBegan {
            at,
            level,
            players
        }),
        (at(), any::<bool>()).prop_map(|(at, success)| Message::IncantationEnded { at, success }),
        (egg(), proptest::option::of(player()), at()).prop_map(|(egg, layer, at)| Message::EggLaid {
            egg,
            layer,
            at
        }),
        egg().prop_map(Message::EggHatching),
        egg().prop_map(Message::EggHatched),
        egg().prop_map(Message::EggDestroyed),
        any::<u32>().prop_map(Message::Rate),
        team().prop_map(Message::Won),
        text().prop_map(Message::Server),
        Just(Message::UnknownRequest),
        Just(Message::BadParameter),
    ]
}

fn printed(write: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut out = Vec::new();
    write(&mut out);
    assert!(!out.contains(&b'\n'), "a line's end inside a line");
    out
}

proptest! {
    #[test]
    fn commands(x in command()) {
        prop_assert_eq!(Command::parse(&printed(|out| x.write(out))), Ok(x));
    }

    #[test]
    fn responses(x in response()) {
        prop_assert_eq!(Response::parse(&printed(|out| x.write(out))), Ok(x));
    }

    #[test]
    fn requests(x in request()) {
        prop_assert_eq!(Request::parse(&printed(|out| x.write(out))), Ok(x));
    }

    #[test]
    fn messages(x in prop_oneof![player_message(), world_message()]) {
        prop_assert_eq!(Message::parse(&printed(|out| x.write(out))), Ok(x));
    }

    #[test]
    fn any_bytes_are_taken(bytes in vec(any::<u8>(), 0..60)) {
        let _ = Command::parse(&bytes);
        let _ = Response::parse(&bytes);
        let _ = Request::parse(&bytes);
        let _ = Message::parse(&bytes);
    }

    /// Bytes near the grammar reach deeper than random ones.
    #[test]
    fn spoilt_lines_are_taken(x in prop_oneof![player_message(), world_message()], at in any::<usize>(), byte in any::<u8>()) {
        let mut line = printed(|out| x.write(out));
        let at = at % line.len();
        line[at] = byte;
        if let Ok(other) = Message::parse(&line) {
            prop_assert_eq!(Message::parse(&printed(|out| other.write(out))), Ok(other));
        }
    }
}
