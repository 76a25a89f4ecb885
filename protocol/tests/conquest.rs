//! `parse(print(x)) == x` for every value of both of conquest's dialects, and parsers that take any bytes.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use zappy_protocol::conquest::observer::{Appearance, Message, Request};
use zappy_protocol::conquest::player::{
    Actor, BaseOrder, CityOrder, Order, PlayerLine, Ranked, ServerLine, UnitOrder,
};
use zappy_protocol::conquest::{
    Building, Cause, Dominion, Edition, FactionId, Flags, GameOptions, Holdings, Mode, Placement, Slot,
    Stance, Terrain, Tile, Unit, UnitId, UnitType,
};
use zappy_protocol::{MapSize, Position, TeamName, Text};

fn one_of<T: Copy + std::fmt::Debug + 'static>(all: &'static [T]) -> impl Strategy<Value = T> {
    proptest::sample::select(all)
}

fn kind() -> impl Strategy<Value = UnitType> {
    one_of(&UnitType::ALL)
}

fn building() -> impl Strategy<Value = Building> {
    one_of(&Building::ALL)
}

fn at() -> impl Strategy<Value = Position> {
    any::<(u16, u16)>().prop_map(|(x, y)| Position { x, y })
}

fn size() -> impl Strategy<Value = MapSize> {
    (1..=MapSize::LIMIT, 1..=MapSize::LIMIT).prop_map(|(w, h)| MapSize::new(w, h).unwrap())
}

fn unit_id() -> impl Strategy<Value = UnitId> {
    any::<u32>().prop_map(UnitId)
}

fn faction() -> impl Strategy<Value = FactionId> {
    any::<u8>().prop_map(FactionId)
}

fn name() -> impl Strategy<Value = TeamName> {
    "[a-zA-Z0-9é_]{1,20}".prop_map(|name| TeamName::parse(name.as_bytes()).unwrap())
}

fn stance() -> impl Strategy<Value = Stance> {
    let shields = any::<(bool, bool)>().prop_map(|(defended, enlightened)| Stance {
        defended,
        enlightened,
        converted: false,
    });
    prop_oneof![4 => shields, 1 => Just(Stance { converted: true, ..Stance::default() })]
}

/// A reason is never empty.
fn text() -> impl Strategy<Value = Text> {
    vec(any::<u8>(), 1..40)
        .prop_map(|bytes| Text::new(&bytes))
        .prop_filter("says something", |t| !t.is_empty())
}

fn outcome() -> impl Strategy<Value = Result<(), Text>> {
    option::of(text()).prop_map(|why| why.map_or(Ok(()), Err))
}

fn tile() -> impl Strategy<Value = Tile> {
    let flags =
        any::<[bool; 4]>().prop_map(|[base, resource, fort, bomb]| Flags { base, resource, fort, bomb });
    (option::of(faction()), one_of(&Terrain::ALL), flags, option::of(building()))
        .prop_map(|(owner, terrain, flags, building)| Tile { owner, terrain, flags, building })
}

fn unit() -> impl Strategy<Value = Unit> {
    (faction(), kind(), at(), any::<u32>(), stance()).prop_map(|(faction, kind, at, health, stance)| Unit {
        faction,
        kind,
        at,
        health,
        stance,
    })
}

fn holdings() -> impl Strategy<Value = Holdings> {
    let slot = (kind(), any::<u32>()).prop_map(|(kind, left)| Slot { kind, left });
    (any::<[u64; 4]>(), any::<[u32; 5]>(), any::<i64>(), option::of(at()), option::of(slot)).prop_map(
        |([gold, food, wood, upkeep], [bombs, land, population, cap, kills], score, base, slot)| Holdings {
            gold,
            food,
            wood,
            bombs,
            land,
            population,
            cap,
            kills,
            score,
            upkeep,
            base,
            slot,
        },
    )
}

fn options() -> impl Strategy<Value = GameOptions> {
    let names = (2usize..6).prop_map(|count| {
        (0..count).map(|i| TeamName::parse(format!("team{i}").as_bytes()).unwrap()).collect()
    });
    (
        names,
        any::<bool>(),
        one_of(&Mode::ALL),
        any::<[u32; 2]>(),
        one_of(&Placement::ALL),
        (0usize..3, one_of(&Edition::ALL)),
    )
        .prop_map(
            |(factions, cities, mode, [turns, time], placement, (pairs, rules)): (
                Vec<TeamName>,
                _,
                _,
                _,
                _,
                _,
            )| {
                let ids: Vec<FactionId> =
                    (0..factions.len()).map(|i| FactionId(i.try_into().unwrap())).collect();
                let alliances = ids.chunks_exact(2).take(pairs).map(<[FactionId]>::to_vec).collect();
                GameOptions { factions, cities, rules, mode, turns, time, placement, alliances }
            },
        )
}

fn dominion() -> impl Strategy<Value = Dominion> {
    (any::<u32>(), vec((name(), any::<u32>()), 0..3)).prop_map(|(need, held)| Dominion { need, held })
}

fn order() -> impl Strategy<Value = Order> {
    let unit = prop_oneof![
        at().prop_map(UnitOrder::Travel),
        unit_id().prop_map(UnitOrder::Attack),
        unit_id().prop_map(UnitOrder::Heal),
        unit_id().prop_map(UnitOrder::Convert),
        building().prop_map(UnitOrder::Build),
        one_of(&[
            UnitOrder::Conquer,
            UnitOrder::Neutralize,
            UnitOrder::Gold,
            UnitOrder::Defend,
            UnitOrder::Fortify,
            UnitOrder::Pray,
            UnitOrder::Deploy,
            UnitOrder::Clear,
            UnitOrder::Retire,
            UnitOrder::Idle,
        ]),
    ];
    let base = prop_oneof![
        kind().prop_map(BaseOrder::Build),
        at().prop_map(BaseOrder::Move),
        one_of(&[BaseOrder::Income, BaseOrder::Continue, BaseOrder::Bomb, BaseOrder::Idle]),
    ];
    let city = prop_oneof![
        at().prop_map(CityOrder::Assign),
        at().prop_map(CityOrder::Unassign),
        kind().prop_map(CityOrder::Recruit),
    ];
    prop_oneof![
        base.prop_map(Order::Base),
        (unit_id(), unit).prop_map(|(id, order)| Order::Unit(id, order)),
        (at(), city).prop_map(|(at, order)| Order::City(at, order)),
    ]
}

fn player_line() -> impl Strategy<Value = PlayerLine> {
    prop_oneof![
        4 => order().prop_map(PlayerLine::Order),
        1 => any::<u32>().prop_map(PlayerLine::Done),
        1 => any::<u32>().prop_map(PlayerLine::Place),
    ]
}

fn server_line() -> impl Strategy<Value = ServerLine> {
    let actor = prop_oneof![Just(Actor::Base), at().prop_map(Actor::City), unit_id().prop_map(Actor::Unit),];
    let ranked =
        (any::<u32>(), name(), any::<i64>()).prop_map(|(rank, name, score)| Ranked { rank, name, score });
    prop_oneof![
        one_of(&[(); 1]).prop_map(|()| ServerLine::Welcome),
        any::<u32>().prop_map(ServerLine::Slots),
        size().prop_map(ServerLine::MapSize),
        (any::<u32>(), faction(), options()).prop_map(|(version, you, options)| ServerLine::Game {
            version,
            you,
            options
        }),
        any::<u32>().prop_map(ServerLine::Turn),
        vec(name(), 1..4).prop_map(ServerLine::Order),
        dominion().prop_map(ServerLine::Dominion),
        (at(), any::<u32>()).prop_map(|(at, left)| ServerLine::Siege { at, left }),
        (faction(), name(), any::<bool>(), holdings())
            .prop_map(|(faction, name, alive, holdings)| ServerLine::Own { faction, name, alive, holdings }),
        (faction(), name(), any::<bool>(), any::<[u32; 2]>(), any::<i64>()).prop_map(
            |(faction, name, alive, [land, population], score)| ServerLine::Other {
                faction,
                name,
                alive,
                land,
                population,
                score
            }
        ),
        (actor, outcome()).prop_map(|(actor, outcome)| ServerLine::Did { actor, outcome }),
        (unit_id(), unit()).prop_map(|(id, unit)| ServerLine::Unit { id, unit }),
        (at(), tile()).prop_map(|(at, tile)| ServerLine::Tile { at, tile }),
        (at(), any::<[u32; 3]>(), vec(at(), 0..4)).prop_map(|(at, [citizens, workers, merchants], tiles)| {
            ServerLine::City { at, citizens, workers, merchants, tiles }
        }),
        (at(), kind(), option::of(at()), any::<bool>())
            .prop_map(|(at, kind, city, ready)| ServerLine::Camp { at, kind, city, ready }),
        (any::<u32>(), at()).prop_map(|(number, at)| ServerLine::Start { number, at }),
        any::<u32>().prop_map(ServerLine::Go),
        Just(ServerLine::Ok),
        text().prop_map(ServerLine::Maybe),
        text().prop_map(ServerLine::Ko),
        Just(ServerLine::Ko(Text::default())),
        Just(ServerLine::Dead),
        vec(ranked, 1..4).prop_map(ServerLine::Over),
    ]
}

fn request() -> impl Strategy<Value = Request> {
    one_of(&[Request::MapSize, Request::AllTiles, Request::Factions, Request::Rate])
}

fn message() -> impl Strategy<Value = Message> {
    let appearance = (name(), kind(), at(), any::<u32>(), stance())
        .prop_map(|(faction, kind, at, health, stance)| Appearance { faction, kind, at, health, stance });
    let actor = prop_oneof![Just(Actor::Base), Just(Actor::City(())), unit_id().prop_map(Actor::Unit)];
    let of_units = prop_oneof![
        (unit_id(), appearance).prop_map(|(unit, what)| Message::Appeared { unit, what }),
        (unit_id(), at()).prop_map(|(unit, at)| Message::Moved { unit, at }),
        (unit_id(), any::<u32>(), stance()).prop_map(|(unit, health, stance)| Message::Health {
            unit,
            health,
            stance
        }),
        (unit_id(), unit_id()).prop_map(|(unit, target)| Message::Attacked { unit, target }),
        (unit_id(), unit_id()).prop_map(|(unit, target)| Message::Healed { unit, target }),
        (unit_id(), name()).prop_map(|(unit, faction)| Message::Converted { unit, faction }),
        (unit_id(), one_of(&Cause::ALL)).prop_map(|(unit, cause)| Message::Gone { unit, cause }),
        (name(), actor, outcome()).prop_map(|(faction, actor, outcome)| Message::Ordered {
            faction,
            actor,
            outcome
        }),
    ];
    let of_factions =
        prop_oneof![
            (any::<u32>(), options()).prop_map(|(version, options)| Message::Game { version, options }),
            name().prop_map(Message::Faction),
            (any::<[u32; 2]>(), vec(name(), 0..4))
                .prop_map(|([turn, phase], factions)| Message::PhaseBegan { turn, phase, factions }),
            any::<u32>().prop_map(Message::TurnEnded),
            (name(), faction(), holdings()).prop_map(|(name, faction, holdings)| Message::Holdings {
                name,
                faction,
                holdings
            }),
            name().prop_map(Message::Late),
            name().prop_map(Message::Unpaid),
            name().prop_map(Message::Beaten),
            dominion().prop_map(Message::Dominion),
            option::of(name()).prop_map(Message::Won),
        ];
    let of_tiles = prop_oneof![
        size().prop_map(Message::MapSize),
        any::<u32>().prop_map(Message::Rate),
        (at(), tile()).prop_map(|(at, tile)| Message::Tile { at, tile }),
        (at(), option::of(name())).prop_map(|(at, owner)| Message::Bomb { at, owner }),
        (at(), option::of(at())).prop_map(|(at, city)| Message::Assigned { at, city }),
        (at(), any::<[u32; 3]>()).prop_map(|(at, [citizens, workers, merchants])| Message::City {
            at,
            citizens,
            workers,
            merchants
        }),
        (at(), any::<bool>()).prop_map(|(at, ready)| Message::Camp { at, ready }),
        (at(), any::<u32>()).prop_map(|(at, left)| Message::Siege { at, left }),
        text().prop_map(Message::Server),
        Just(Message::UnknownRequest),
        Just(Message::BadParameter),
    ];
    prop_oneof![of_units, of_factions, of_tiles]
}

fn printed(write: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut out = Vec::new();
    write(&mut out);
    assert!(!out.contains(&b'\n'), "a line's end inside a line");
    out
}

proptest! {
    #[test]
    fn player_lines(x in player_line()) {
        prop_assert_eq!(PlayerLine::parse(&printed(|out| x.write(out))), Ok(x));
    }

    #[test]
    fn server_lines(x in server_line()) {
        prop_assert_eq!(ServerLine::parse(&printed(|out| x.write(out))), Ok(x));
    }

    #[test]
    fn requests(x in request()) {
        prop_assert_eq!(Request::parse(&printed(|out| x.write(out))), Ok(x));
    }

    #[test]
    fn messages(x in message()) {
        prop_assert_eq!(Message::parse(&printed(|out| x.write(out))), Ok(x));
    }

    #[test]
    fn any_bytes_are_taken(bytes in vec(any::<u8>(), 0..60)) {
        let _ = PlayerLine::parse(&bytes);
        let _ = ServerLine::parse(&bytes);
        let _ = Request::parse(&bytes);
        let _ = Message::parse(&bytes);
    }

    /// Bytes near the grammar reach deeper than random ones.
    #[test]
    fn spoilt_lines_are_taken(
        x in message(), y in server_line(), z in player_line(), at in any::<usize>(), byte in any::<u8>()
    ) {
        let spoil = |mut line: Vec<u8>| {
            let at = at % line.len();
            line[at] = byte;
            line
        };
        if let Ok(other) = Message::parse(&spoil(printed(|out| x.write(out)))) {
            prop_assert_eq!(Message::parse(&printed(|out| other.write(out))), Ok(other));
        }
        if let Ok(other) = ServerLine::parse(&spoil(printed(|out| y.write(out)))) {
            prop_assert_eq!(ServerLine::parse(&printed(|out| other.write(out))), Ok(other));
        }
        if let Ok(other) = PlayerLine::parse(&spoil(printed(|out| z.write(out)))) {
            prop_assert_eq!(PlayerLine::parse(&printed(|out| other.write(out))), Ok(other));
        }
    }
}
