//! The options of a match as the command line, records and results have them: text in, plain values out.
//!
//! Checks each option by itself; [`Settings::read`] checks what goes together. Tested in `spec`.

use zappy_protocol::TeamName;
use zappy_protocol::conquest::constants::{DEFAULT_TURN_TIME, DEFAULT_TURNS, TICKS_PER_SECOND};
use zappy_protocol::conquest::{Edition, FactionId, GameOptions, Mode, Placement};

use super::map::Purpose;
use super::scenarios::{DRAWN, SCENARIOS, Scenario};
use zappy_game::chance::Chance;
use zappy_game::config::{BadConfig, Clock, MatchConfig};
use zappy_game::{Form, OptionSpec, Options, SCENARIO};
use zappy_turns::engine::{Phases, Player, Players, Policy, Setting, Succession};

/// The most turns that can be asked for.
pub(super) const MAX_TURNS: u32 = 100_000;
/// The longest time of a phase, in milliseconds: a week, for a game by mail.
pub(super) const MAX_TURN_TIME: u32 = 604_800_000;

/// The value in its own spelling; if there is none, `expected` as the error.
fn spelled(understood: Option<impl ToString>, expected: &str) -> Result<String, String> {
    understood.map(|value| value.to_string()).ok_or_else(|| expected.to_owned())
}

/// The options in the order in which records keep them.
pub(super) const OPTIONS: &[OptionSpec] = &[
    OptionSpec {
        key: "cities",
        help: "Whether bases are cities with terrain, buildings and recruits: on or off",
        ..OptionSpec::SWITCH
    },
    OptionSpec {
        key: "rules",
        value_name: "RULES",
        help: "Which rules are played: arena, with siege, loyalty, desertion and dominion; classic, without",
        default: "arena",
        read: |text| spelled(Edition::parse(text.as_bytes()), "the rule sets are classic and arena"),
        ..OptionSpec::VALUE
    },
    OptionSpec {
        key: "mode",
        value_name: "MODE",
        help: "Which factions act in one phase: concurrent, all; players, one; alliances, allies",
        default: "concurrent",
        read: |text| spelled(Mode::parse(text.as_bytes()), "the modes are concurrent, players and alliances"),
        ..OptionSpec::VALUE
    },
    OptionSpec {
        key: "order",
        value_name: "POLICY",
        help: "The order of the phases in mode players: default, reset, continue, once, custom:NAME,..., \
               custom_from:score, custom_from:land, or drawn (by lot, taking turns in going first)",
        default: "default",
        read: |text| {
            let orders = "the orders are default, reset, continue, once, custom:NAME,..., custom_from:score, \
                          custom_from:land and drawn";
            // Whether the factions in a list are the match's isn't known yet.
            let is_order = match text.split_once(':') {
                None => ["default", "reset", "continue", "once", BY_LOT].contains(&text),
                Some(("custom", names)) => !names.is_empty(),
                Some(("custom_from", field)) => ["score", "land"].contains(&field),
                Some(_) => false,
            };
            spelled(is_order.then_some(text), orders)
        },
        ..OptionSpec::VALUE
    },
    OptionSpec {
        key: "alliance",
        form: Form::List,
        value_name: "NAMES",
        help: "Factions that win together, as in red,blue; may be given several times",
        default: "-",
        read: |text| {
            let good = text == "-" || text.split(';').all(|one| one.split(',').all(|name| !name.is_empty()));
            spelled(good.then_some(text), "name the allies, as in red,blue")
        },
        ..OptionSpec::VALUE
    },
    OptionSpec {
        key: "turns",
        value_name: "TURNS",
        help: "The last turn, 1 to 100000",
        default: "400",
        read: |text| OptionSpec::number(text, 1, MAX_TURNS),
        ..OptionSpec::VALUE
    },
    OptionSpec {
        key: "turn-time",
        value_name: "MS",
        help: "Milliseconds of a phase, up to a week, 604800000; 0 for no limit; in lockstep only told",
        default: "1000",
        read: |text| OptionSpec::number(text, 0, MAX_TURN_TIME),
        ..OptionSpec::VALUE
    },
    OptionSpec {
        key: "fixed-length",
        help: "Whether a phase lasts its time even if everybody is done: on or off",
        ..OptionSpec::SWITCH
    },
    OptionSpec {
        key: "wait-for-absent",
        help: "Whether a phase waits for factions that are gone: on or off",
        ..OptionSpec::SWITCH
    },
    OptionSpec {
        key: "placement",
        value_name: "PLACEMENT",
        help: "How factions come to their starts: random, by lot; draft, by choice",
        default: "random",
        read: |text| spelled(Placement::parse(text.as_bytes()), "the placements are random and draft"),
        ..OptionSpec::VALUE
    },
    OptionSpec {
        key: SCENARIO,
        value_name: "MAP",
        help: "A map that comes with the game: straits (1 or 2 factions), ring, islands, centre (1 to 4), uneven (1 or 2); \
               drawn: one of any size, from the seed",
        default: DRAWN,
        read: scenario,
        ..OptionSpec::VALUE
    },
];

fn scenario(text: &str) -> Result<String, String> {
    if text == DRAWN || Scenario::find(text).is_some() {
        return Ok(text.to_owned());
    }
    let names: Vec<&str> = SCENARIOS.iter().map(|(name, _)| *name).collect();
    Err(format!("the maps are {} and {DRAWN}", names.join(", ")))
}

/// The order that is drawn by lot.
const BY_LOT: &str = "drawn";

/// What a match is played with.
#[derive(Debug, Clone)]
pub(super) struct Settings {
    /// The options that clients are sent.
    pub(super) game: GameOptions,
    /// The engine's setting, still without the order of a draft.
    pub(super) setting: Setting,
    pub(super) grouping: Grouping,
}

/// Which factions act in one phase in each mode, and in which order.
#[derive(Debug, Clone)]
pub(super) struct Grouping {
    /// The alliances in the order of their first members, factions without allies among them.
    alliances: Vec<Vec<Player>>,
    /// The order of the factions in mode players.
    policy: Policy,
    /// An order by lot, for modes players and alliances: each turn begins with the group that acted last in the turn
    /// before. Empty without such an order; then the policy's counts.
    drawn_order: Vec<Player>,
}

impl Grouping {
    /// The phases of a turn in that mode.
    pub(super) fn phases(&self, mode: Mode) -> Phases {
        let step = if self.drawn_order.is_empty() { Succession::Reset } else { Succession::Continue };
        match mode {
            Mode::Concurrent => Phases::Together,
            Mode::Players if self.drawn_order.is_empty() => Phases::Each(self.policy.clone()),
            Mode::Players => Phases::Each(Policy::listed(self.drawn_order.clone(), step)),
            Mode::Alliances => {
                let mut firsts: Vec<Player> = self.alliances.iter().map(|group| group[0]).collect();
                firsts.sort_by_key(|first| self.drawn_order.iter().position(|faction| faction == first));
                Phases::Groups(self.alliances.clone(), Policy::listed(firsts, step))
            }
        }
    }
}

impl Settings {
    /// Reads options that have been checked one by one.
    ///
    /// # Errors
    /// Names that don't go together with the factions.
    pub(super) fn read(config: &MatchConfig, options: &Options) -> Result<Settings, BadConfig> {
        let value = |key: &str, default: u32| options.get(key).parse().unwrap_or(default);
        let is_on = |key: &str| options.get(key) == "on";
        let mut game = GameOptions::new(config.teams.clone());
        game.cities = is_on("cities");
        game.mode = Mode::parse(options.get("mode").as_bytes()).unwrap_or(Mode::Concurrent);
        game.turns = value("turns", DEFAULT_TURNS);
        game.time = value("turn-time", DEFAULT_TURN_TIME);
        game.rules = Edition::parse(options.get("rules").as_bytes()).unwrap_or(Edition::Classic);
        game.placement = Placement::parse(options.get("placement").as_bytes()).unwrap_or(Placement::Random);
        game.alliances = alliances(&game, options.get("alliance"))?;
        let order = options.get("order");
        let policy = policy(&game, order)?;
        let mut drawn_order = Vec::new();
        if order == BY_LOT {
            drawn_order.extend(0..config.teams.len());
            Chance::new(config.seed, Purpose::PhaseOrder as u64, 0, 0).shuffle(&mut drawn_order);
        }
        let grouping = Grouping { alliances: groups(&game), policy, drawn_order };
        let setting = Setting {
            phases: grouping.phases(game.mode),
            seed: config.seed,
            turns: game.turns,
            turn_time: ticks(game.time),
            lockstep: config.clock == Clock::Lockstep,
            fixed_length: is_on("fixed-length"),
            wait_for_absent: is_on("wait-for-absent"),
            ..Setting::new(config.teams.len())
        };
        Ok(Settings { game, setting, grouping })
    }
}

/// The ticks of so many milliseconds.
pub(super) fn ticks(milliseconds: u32) -> u64 {
    u64::from(milliseconds) * u64::from(TICKS_PER_SECOND) / 1_000
}

/// The alliances in the order of their first members, factions without allies among them.
fn groups(game: &GameOptions) -> Vec<Vec<Player>> {
    let mut groups: Vec<Vec<Player>> =
        game.alliances.iter().map(|one| one.iter().map(|faction| faction.index()).collect()).collect();
    let alone = (0..game.factions.len()).filter(|faction| !groups.iter().any(|one| one.contains(faction)));
    let alone: Vec<Vec<Player>> = alone.map(|faction| vec![faction]).collect();
    groups.extend(alone);
    groups.sort();
    groups
}

/// The faction of that name; the error says which `flag` named it.
fn faction(game: &GameOptions, flag: &str, name: &str) -> Result<FactionId, BadConfig> {
    game.faction(name.as_bytes()).ok_or_else(|| {
        let names: Vec<&str> = game.factions.iter().map(TeamName::as_str).collect();
        let expected = format!("but there is no such faction; the factions are {}", names.join(", "));
        BadConfig::Together(format!("{flag} names {name:?}, {expected}"))
    })
}

fn alliances(game: &GameOptions, text: &str) -> Result<Vec<Vec<FactionId>>, BadConfig> {
    if text == "-" {
        return Ok(Vec::new());
    }
    let mut alliances = Vec::new();
    for names in text.split(';') {
        let members = names.split(',').map(|name| faction(game, "--alliance", name));
        let mut members = members.collect::<Result<Vec<FactionId>, BadConfig>>()?;
        members.sort_unstable();
        alliances.push(members);
    }
    alliances.sort();
    Ok(alliances)
}

/// The order of the phases that an order's text stands for.
fn policy(game: &GameOptions, text: &str) -> Result<Policy, BadConfig> {
    let names = match text.split_once(':') {
        Some(("custom", names)) => names,
        Some((_, field)) => {
            return Ok(Policy { players: Players::Field(field.to_owned()), step: Succession::Reset });
        }
        None => {
            return Ok(Policy::all(match text {
                "reset" => Succession::Reset,
                "continue" => Succession::Continue,
                "once" => Succession::Once,
                _ => Succession::Default,
            }));
        }
    };
    let listed = names.split(',').map(|name| faction(game, "--order", name).map(FactionId::index));
    let listed = listed.collect::<Result<Vec<Player>, BadConfig>>()?;
    let mut sorted = listed.clone();
    sorted.sort_unstable();
    if sorted != (0..game.factions.len()).collect::<Vec<_>>() {
        let words = "--order custom: names every faction once, as in custom:blue,red";
        return Err(BadConfig::Together(words.to_owned()));
    }
    Ok(Policy::listed(listed, Succession::Reset))
}
