//! A game without rules that only notes what the engine asks of it, and an engine with it at a tick.

use std::collections::{BTreeMap, BTreeSet};

use zappy_turns::engine::{
    Ending, Phase, Phases, Player, Policy, Setting, Succession, TurnEngine, TurnRules,
};
use zappy_turns::order::{OrderRules, TurnOrder};

/// A game without rules: factions die when a test says so.
#[derive(Debug, Clone, Default)]
pub struct Notes {
    /// What the engine asked.
    pub log: Vec<String>,
    pub dead: BTreeSet<Player>,
    /// The factions that lose their last thing in that phase of that turn.
    pub doom: BTreeMap<(u32, u32), Vec<Player>>,
    /// Those that have lost it and are still there.
    pub lost: BTreeSet<Player>,
    pub holding: bool,
    pub held: Vec<String>,
    /// What observers were sent.
    pub seen: Vec<String>,
    /// How much observers had read when each thing of an end_phase was asked.
    pub read: Vec<usize>,
    /// Players by a field, for the order.
    pub field: Vec<Player>,
    /// The index that begins and the one that follows, where the game says it.
    pub own: (usize, Option<usize>),
    /// Whether two players win together.
    pub allies: Vec<Vec<Player>>,
    /// The players that the game names to act next, out of order, by the number of players that have acted before.
    pub named: BTreeMap<u64, Player>,
    pub endings: Vec<Ending>,
}

impl Notes {
    fn tell(&mut self, what: String) {
        if self.holding { self.held.push(what) } else { self.seen.push(what) }
    }

    pub fn logged(&self, start: &str) -> Vec<&str> {
        self.log.iter().map(String::as_str).filter(|line| line.starts_with(start)).collect()
    }
}

impl OrderRules for Notes {
    fn field(&self, name: &str) -> Option<Vec<Player>> {
        assert_eq!(name, "score");
        Some(self.field.clone())
    }

    fn first(&self, _order: &TurnOrder) -> usize {
        self.own.0
    }

    fn next(&self, _order: &TurnOrder) -> Option<usize> {
        self.own.1
    }

    fn next_player(&self, order: &TurnOrder) -> Option<Player> {
        self.named.get(&order.turn).copied()
    }
}

impl TurnRules for Notes {
    fn alive(&self, faction: Player) -> bool {
        !self.dead.contains(&faction)
    }

    fn order_rules(&self) -> &dyn OrderRules {
        self
    }

    fn allied(&self, one: Player, other: Player) -> bool {
        one == other || self.allies.iter().any(|group| group.contains(&one) && group.contains(&other))
    }

    fn hold(&mut self) {
        self.holding = true;
    }

    fn release(&mut self) {
        self.holding = false;
        self.seen.append(&mut self.held);
    }

    fn begin_turn(&mut self, turn: u32, order: &[Player]) {
        self.log.push(format!("begin_turn {turn} {order:?}"));
    }

    fn begin_phase(&mut self, phase: &Phase) {
        self.log.push(format!("begin_phase {} {:?}", phase.number, phase.players));
        self.tell(format!("begin {}", phase.number));
    }

    fn send_snapshots(&mut self, _phase: &Phase) {
        self.log.push("snapshots".to_owned());
    }

    fn penalise(&mut self, _phase: &Phase, faction: Player) {
        self.log.push(format!("late {faction}"));
        self.tell(format!("late {faction}"));
        self.read.push(self.seen.len());
    }

    fn resolve(&mut self, phase: &Phase) {
        for &faction in &phase.players {
            assert!(self.alive(faction) || !self.lost.contains(&faction), "it is gone already");
            self.tell(format!("resolve {faction}"));
        }
        self.log.push(format!("end_phase {} {:?}", phase.number, phase.players));
        self.read.push(self.seen.len());
        self.lost.extend(self.doom.remove(&(phase.turn, phase.number)).unwrap_or_default());
    }

    fn remove_beaten(&mut self) {
        for faction in std::mem::take(&mut self.lost) {
            self.dead.insert(faction);
            self.tell(format!("dead {faction}"));
        }
        self.read.push(self.seen.len());
    }

    fn end_turn(&mut self, turn: u32) {
        assert!(self.lost.is_empty());
        self.log.push(format!("end_turn {turn}"));
    }

    fn announce_last_turn(&mut self, turn: u32) {
        self.log.push(format!("last {turn}"));
    }

    fn finish(&mut self, ending: Ending) {
        self.log.push(format!("over {ending:?}"));
        self.endings.push(ending);
    }
}

/// An engine and its game at a tick.
pub struct Table {
    pub engine: TurnEngine,
    pub game: Notes,
    pub now: u64,
}

impl Table {
    /// A match that has begun, all factions connected.
    pub fn begin(setting: Setting) -> Table {
        Table::with(setting, Notes::default())
    }

    pub fn with(setting: Setting, game: Notes) -> Table {
        let factions = setting.players;
        let mut table = Table { engine: TurnEngine::new(setting), game, now: 0 };
        table.engine.connected.extend(0..factions);
        table.engine.start(&mut table.game);
        table
    }

    pub fn look(&mut self, at: u64) {
        self.now = at;
        self.engine.now = at;
        self.engine.look(&mut self.game);
    }

    /// Runs what is due now.
    pub fn settle(&mut self) {
        while self.engine.due(&self.game).is_some_and(|due| due <= self.now) {
            self.look(self.now);
        }
    }

    pub fn done(&mut self, faction: Player) {
        let turn = self.engine.phase().unwrap().turn;
        self.engine.done(faction, turn).unwrap();
        self.settle();
    }

    /// All factions that are waited for are done, for so many phases.
    pub fn pass(&mut self, phases: usize) {
        for _ in 0..phases {
            let owing: Vec<Player> = self.engine.owing(&self.game).collect();
            owing.into_iter().for_each(|faction| self.done(faction));
        }
    }

    pub fn phase(&self) -> (u32, u32, Vec<Player>) {
        let Phase { turn, number, players } = self.engine.phase().unwrap().clone();
        (turn, number, players)
    }
}

pub fn setting(players: usize, phases: Phases) -> Setting {
    Setting { phases, seed: 7, ..Setting::new(players) }
}

/// One player after the other, each turn behind the one that was last.
pub fn each() -> Phases {
    Phases::Each(Policy::default())
}

/// These groups one after the other, the players that are in none of them by themselves.
pub fn groups(players: usize, allies: &[Vec<Player>], order: &[Player], step: Succession) -> Phases {
    let alone = (0..players).filter(|player| !allies.iter().any(|group| group.contains(player)));
    let groups = allies.iter().cloned().chain(alone.map(|player| vec![player])).collect();
    Phases::Groups(groups, Policy::listed(order.to_vec(), step))
}
