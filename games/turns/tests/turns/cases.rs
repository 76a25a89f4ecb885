//! The turn order on recorded cases: `cases.json`, as they are.
//!
//! A case says what a match is made of, what is done to it, and what is to be seen after each step; a *phase* there is
//! an act here. More cases of the format can be put into the file.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use zappy_turns::order::{
    Act, ActiveSet, Acts, End, Event, Members, OrderRules, Player, Players, Policy, Refused, Succession,
    TurnOrder, Turns,
};

fn player(value: &Value) -> Player {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    text.parse().unwrap_or_else(|_| panic!("no player: {value}"))
}

fn players(value: &Value) -> Vec<Player> {
    value.as_array().unwrap_or_else(|| panic!("no list of players: {value}")).iter().map(player).collect()
}

/// Whether a field of the game's state counts as set.
fn is_set(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(is) => *is,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(_) | Value::Object(_) => true,
    }
}

fn policy(value: &Value) -> Policy {
    match value {
        Value::Null => Policy::default(),
        Value::String(name) => Policy::all(match name.as_str() {
            "DEFAULT" => Succession::Default,
            "RESET" => Succession::Reset,
            "CONTINUE" => Succession::Continue,
            "ONCE" => Succession::Once,
            _ => panic!("no such order: {name}"),
        }),
        own => match (own.get("custom"), own.get("custom_from"), own.get("play_order")) {
            (Some(list), ..) => Policy::listed(players(list), Succession::Reset),
            (_, Some(field), _) => Policy {
                players: Players::Field(field.as_str().unwrap().to_owned()),
                step: Succession::Reset,
            },
            (.., Some(list)) => Policy::listed(players(list), Succession::Own),
            _ => Policy::all(Succession::Own),
        },
    }
}

fn turns(value: &Value) -> Turns {
    let number = |key: &str| value[key].as_u64().unwrap_or(0) as u32;
    let active = value["active"].as_str().map(|name| match name {
        "ALL" => ActiveSet::of(Members::All),
        "ALL_ONCE" => ActiveSet::once(Members::All),
        "OTHERS" => ActiveSet::of(Members::Others),
        "OTHERS_ONCE" => ActiveSet::once(Members::Others),
        _ => panic!("no such active set: {name}"),
    });
    Turns { policy: policy(&value["order"]), min: number("min"), max: number("max"), active }
}

/// A case's match: what it is made of, and the game's state.
struct Table<'a> {
    game: &'a Value,
    state: Map<String, Value>,
}

impl<'a> Table<'a> {
    fn new(case: &'a Value) -> Table<'a> {
        Table { game: &case["game"], state: case["g"].as_object().cloned().unwrap_or_default() }
    }

    fn acts(&self) -> Acts {
        let game = self.game;
        let empty = Map::new();
        let phases = game["phases"].as_object().unwrap_or(&empty);
        let mut acts = Acts { turns: turns(&game["turn"]), ..Acts::default() };
        for (name, phase) in phases {
            if phase["start"] == json!(true) {
                acts.start = Some(name.clone());
            }
            let next = phase["next"].as_str().map(str::to_owned);
            acts.acts.insert(name.clone(), Act { next, turns: phase.get("turn").map(turns) });
        }
        acts
    }

    /// What a condition says: `None` if it doesn't hold; what comes along.
    fn holds(&self, condition: &Value, order: &TurnOrder) -> Option<Value> {
        match condition {
            Value::Bool(true) => Some(json!(true)),
            Value::Object(object) => {
                let mut found = json!(true);
                if let Some(field) = object.get("g") {
                    found = self.state.get(field.as_str().unwrap()).filter(|value| is_set(value))?.clone();
                }
                if object.get("active").is_some_and(|word| word == "none") && order.active.as_ref().is_some()
                {
                    return None;
                }
                if let Some(next) = object.get("next") {
                    found = json!({ "next": next });
                }
                Some(object.get("value").cloned().unwrap_or(found))
            }
            _ => None,
        }
    }

    fn turn(&self, order: &TurnOrder) -> &Value {
        let own = order.act.as_deref().map_or(&Value::Null, |act| &self.game["phases"][act]["turn"]);
        if own.is_null() { &self.game["turn"] } else { own }
    }
}

impl OrderRules for Table<'_> {
    fn field(&self, name: &str) -> Option<Vec<Player>> {
        self.state.get(name).filter(|value| value.is_array()).map(players)
    }

    fn first(&self, order: &TurnOrder) -> usize {
        match &self.turn(order)["order"]["first"] {
            Value::String(word) if word == "pos" => order.pos,
            index => index.as_u64().map_or(0, |index| index as usize),
        }
    }

    fn next(&self, order: &TurnOrder) -> Option<usize> {
        match &self.turn(order)["order"]["next"] {
            Value::Null => None,
            Value::String(word) if word == "none" => None,
            Value::String(word) if word == "inc" => Some(order.index(1)),
            Value::String(word) if word == "pos" => Some(order.pos),
            Value::Object(object) => Some(order.index(object["add"].as_i64().unwrap())),
            index => Some(index.as_u64().unwrap() as usize),
        }
    }

    fn match_ends(&self, order: &TurnOrder) -> Option<String> {
        self.holds(&self.game["end_if"], order).map(|value| value.to_string())
    }

    fn act_ends(&self, order: &TurnOrder, act: &str) -> Option<End<String>> {
        let found = self.holds(&self.game["phases"][act]["end_if"], order)?;
        Some(End { next: found["next"].as_str().map(str::to_owned) })
    }

    fn turn_ends(&self, order: &TurnOrder) -> Option<End<Player>> {
        let found = self.holds(&self.turn(order)["end_if"], order)?;
        Some(End { next: found.get("next").map(player) })
    }
}

/// The events of a move, and whether it counts; changes the game's state.
fn act_of(table: &mut Table<'_>, name: &str) -> (Vec<Event>, bool) {
    let described = &table.game["moves"][name];
    let counted = described["no_limit"] != json!(true);
    let actions = described.as_array().or_else(|| described["do"].as_array()).cloned().unwrap_or_default();
    let mut events = Vec::new();
    for action in actions {
        if let Some(fields) = action["set"].as_object() {
            table.state.extend(fields.clone());
        }
        if let Some(event) = action["event"].as_str() {
            events.push(event_of(event, &action["args"][0]));
        }
    }
    (events, counted)
}

fn event_of(name: &str, argument: &Value) -> Event {
    match name {
        "endTurn" | "end_turn" => Event::EndTurn(argument.get("next").map(player)),
        "pass" => Event::Pass(argument["remove"] == json!(true)),
        "endPhase" | "end_phase" => match argument["next"].as_str() {
            Some(next) => Event::SetAct(next.to_owned()),
            None => Event::EndAct,
        },
        "setPhase" | "set_phase" => Event::SetAct(argument.as_str().unwrap().to_owned()),
        "setActivePlayers" | "set_active" => Event::SetActive(match argument {
            Value::Array(_) => ActiveSet::of(Members::List(players(argument))),
            Value::Object(object) => {
                let (key, members) = match object.get("all") {
                    Some(_) => ("all", Members::All),
                    None => ("others", Members::Others),
                };
                let mut set = ActiveSet::of(members);
                set.member.word = object.get(key).and_then(Value::as_str).map(str::to_owned);
                set
            }
            _ => panic!("no active set: {argument}"),
        }),
        "endGame" | "end_game" => {
            Event::EndMatch(if argument.is_null() { "true".to_owned() } else { argument.to_string() })
        }
        _ => panic!("no such event: {name}"),
    }
}

/// What a step shows, in the words of the cases.
fn seen(order: &TurnOrder, key: &str) -> Value {
    let name = |player: Player| player.to_string();
    let members = |number: fn(&zappy_turns::order::Active) -> u32| {
        let active = order.active.as_ref().into_iter().flatten();
        let limits = active.map(|(player, member)| (name(*player), number(member)));
        let limits: BTreeMap<_, _> = limits.filter(|(_, limit)| *limit > 0).collect();
        if limits.is_empty() { Value::Null } else { json!(limits) }
    };
    match key {
        "turn" => json!(order.turn),
        "phase" => json!(order.act.as_deref()),
        "order" => order.play_order.iter().map(|&player| name(player)).collect(),
        "pos" => json!(order.pos),
        "current" => json!(order.current().map(name)),
        "moves" => json!(order.moves),
        "active" => json!(order.active.as_ref().map(|active| {
            active
                .iter()
                .map(|(player, member)| (name(*player), member.word.clone()))
                .collect::<BTreeMap<_, _>>()
        })),
        "num" => {
            json!(
                order
                    .counts
                    .iter()
                    .map(|(player, count)| (name(*player), *count))
                    .collect::<BTreeMap<_, _>>()
            )
        }
        "min" => members(|member| member.min),
        "max" => members(|member| member.max),
        "over" => order.over.as_deref().map_or(Value::Null, |word| serde_json::from_str(word).unwrap()),
        _ => panic!("nothing that can be seen: {key}"),
    }
}

fn step(
    table: &mut Table<'_>,
    order: &mut Option<TurnOrder>,
    step: &Value,
    count: usize,
) -> Result<(), Refused> {
    let what = step["do"].as_str().unwrap();
    let Some(order) = order else {
        assert_eq!(what, "init");
        *order = Some(TurnOrder::begin(count, table.acts(), table)?);
        return Ok(());
    };
    let by = step.get("by").map(player).or(order.current()).unwrap();
    if what != "move" {
        return order.raise(table, by, &event_of(what, &step["arg"]));
    }
    let before = table.state.clone();
    let (events, counted) = act_of(table, step["move"].as_str().unwrap());
    let done = order.play(table, by, counted, &events);
    if done.is_err() {
        table.state = before;
    }
    done
}

/// What is wrong with a case.
fn run(case: &Value) -> Vec<String> {
    let (mut table, mut order, mut wrong) = (Table::new(case), None, Vec::new());
    for (number, one) in case["steps"].as_array().unwrap().iter().enumerate() {
        let mut complain = |what: String| wrong.push(format!("{} step {number}: {what}", case["id"]));
        let before: Option<TurnOrder> = order.clone();
        let refused = step(&mut table, &mut order, one, case["players"].as_u64().unwrap() as usize).is_err();
        if refused != (one["refused"] == json!(true)) {
            complain(format!("refused: {refused}"));
        }
        if refused && before != order {
            complain("it was refused and changed something".to_owned());
        }
        let order = order.as_ref().unwrap();
        for (key, expected) in one["expect"].as_object().into_iter().flatten() {
            let found = seen(order, key);
            if found != *expected {
                complain(format!("{key} is {found}, expected {expected}"));
            }
        }
    }
    wrong
}

#[test]
fn every_recorded_case_runs_as_it_was_recorded() {
    let cases: Vec<Value> = serde_json::from_str(include_str!("cases.json")).unwrap();
    assert!(cases.len() >= 43, "{} cases", cases.len());
    let wrong: Vec<String> = cases.iter().flat_map(run).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
