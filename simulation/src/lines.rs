//! What players, observers and operators of the games say, drawn from a number.
//!
//! Tested by the sessions in `tests`.

/// The teams' names; a match has the first of them.
pub(super) const TEAMS: [&str; 3] = ["red", "blue", "green"];
/// Requests of observers, some of them bad.
const REQUESTS: [&str; 12] = [
    "msz",
    "mct",
    "tna",
    "sgt",
    "bct 0 0",
    "ppo #0",
    "pin 1",
    "plv #99",
    "sst 50",
    "sst 0",
    "sst 20000",
    "bct 1.5 a",
];
const STONES: [&str; 6] = ["linemate", "deraumere", "sibur", "mendiane", "phiras", "thystame"];
const UNITS: [&str; 5] = ["pioneer", "worker", "fighter", "cleric", "sapper"];

/// Draws one number after another from a single one.
pub(super) struct Draws(u64);

impl Draws {
    pub(super) fn new(number: u32) -> Draws {
        Draws(u64::from(number) | 1 << 40)
    }

    /// A number below `bound`; 0 if that is 0.
    pub(super) fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (self.0 >> 33) % bound.max(1)
    }

    pub(super) fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len() as u64) as usize]
    }
}

/// What a player of Zappy says.
pub(super) fn zappy_command(draws: &mut Draws) -> String {
    match draws.below(32) {
        0..=5 => "Forward".to_owned(),
        6 => "Right".to_owned(),
        7 => "Left".to_owned(),
        8..=9 => "Look".to_owned(),
        10..=11 => "Inventory".to_owned(),
        12..=15 => "Take food".to_owned(),
        16 => format!("Take {}", draws.pick(&STONES)),
        17 => format!("Set {}", draws.pick(&["linemate", "food"])),
        18..=19 => format!("Broadcast word{}", draws.below(100)),
        20 => "Connect_nbr".to_owned(),
        21..=22 => "Fork".to_owned(),
        23..=24 => "Eject".to_owned(),
        25..=28 => "Incantation".to_owned(),
        29 => {
            draws.pick(&["Take gold", "Fork now", "Broadcast", "Forward\r", "", "Incantation x"]).to_owned()
        }
        30 => format!("Broadcast {}", "x".repeat(draws.below(150) as usize)),
        _ => "\u{0}\u{7f}junk \\".to_owned(),
    }
}

/// What a player of conquest says in that turn.
pub(super) fn conquest_order(draws: &mut Draws, turn: &str) -> String {
    let [a, b, c, d] = [12, 9, 12, 9].map(|side| draws.below(side + 1));
    let (unit, kind) = (draws.below(12), draws.pick(&UNITS));
    match draws.below(20) {
        0 => draws.pick(&["Base income", "Base continue", "Base bomb", "Base idle", ""]).to_owned(),
        1..=2 => format!("Base build {kind}"),
        3 => format!("Base move {a} {b}"),
        4 => format!("City {a} {b} assign {c} {d}"),
        5 => format!("City {a} {b} recruit {kind}"),
        6..=7 => format!("Unit {unit} travel {a} {b}"),
        8 => format!("Place {}", unit % 4),
        9 => "\u{0}\u{7f} junk #".to_owned(),
        10 => format!("Unit {unit} attack {a}"),
        11..=12 => {
            let order =
                draws.pick(&["conquer", "neutralize", "gold", "retire", "defend", "pray", "build house"]);
            format!("Unit {unit} {order}")
        }
        _ => format!("Done {turn}"),
    }
}

pub(super) fn request(draws: &mut Draws) -> String {
    draws.pick(&REQUESTS).to_owned()
}

/// What the operator of Zappy says, as lines. The most frequent ones bring players, stones and an egg together, so that
/// players rise and break the egg. The map's width and height are in tiles.
pub(super) fn zappy_console(draws: &mut Draws, (width, height): (u64, u64)) -> Vec<String> {
    let at = format!("{} {}", draws.below(width), draws.below(height));
    let (id, number) = (draws.below(10), draws.below(9));
    vec![match draws.below(20) {
        0..=4 => {
            let stones = STONES.map(|stone| format!("/setTile {stone} 3 {at}"));
            let players = (0..10).map(|id| format!("/tp {id} {at}"));
            return stones.into_iter().chain(players).chain([format!("/fork red {at}")]).collect();
        }
        5 => format!("/setLevel {id} {number}"),
        6..=7 => format!("/setInventory {id} food {number}"),
        8 => format!("/kill {id}"),
        9 => format!("/fork red {at}"),
        10 => format!("/setClientsNb {number}"),
        11 => format!("/incantate {number} {at}"),
        12 => format!("/broadcast \"what now\" {at}"),
        13 => format!("/setFreq {}", [1, 50, 100, 2000][number as usize % 4]),
        14 => format!("/noFood {}", number > 4),
        15 => format!("/noRefill {}", number > 4),
        16 => format!("/setTile food {number} {at}"),
        17 => draws.pick(&["/clients", "/map", "/help", "/nonsense", "/send_ais hello"]).to_owned(),
        _ => draws.pick(&["/pause", "/start", "/start", "/resume"]).to_owned(),
    }]
}

/// What the operator of conquest says.
pub(super) fn conquest_console(draws: &mut Draws) -> Vec<String> {
    let [a, b] = [12, 9].map(|side| draws.below(side));
    let (name, kind) = (draws.pick(&TEAMS), draws.pick(&UNITS));
    vec![match draws.below(15) {
        0 => format!("/tile {a} {b} owner {name} fort on"),
        1 => format!("/tile {a} {b} owner - base off"),
        2 => format!("/tile {a} {b} bomb {name} owner {name} base on"),
        3 => format!("/unit new {name} {kind} {a} {b}"),
        4 => format!("/unit {a} at {b} {b} health 2 state de"),
        5 => format!("/unit {a} gone"),
        6 => format!("/faction {name} gold 5000 score -7 base {a} {b}"),
        7 => format!("/faction {name} dead {}", draws.pick(&["3", "-"])),
        8..=9 => format!("/mode {}", draws.pick(&["players", "alliances", "concurrent"])),
        10 => draws.pick(&["/turn 3", "/turn 0", "/state", "/map", "/help", "/nonsense"]).to_owned(),
        11 => format!("/city {a} {b} citizens 5 assign {b} {a}"),
        12 if draws.below(8) == 0 => "/empty".to_owned(),
        _ => draws.pick(&["/pause", "/start", "/start", "/resume"]).to_owned(),
    }]
}
