//! What a player knows of its team: which mates live, their levels, which of them stand at the nest, and who leads.
//!
//! It learns all of it from the game's own broadcasts. A word of the team carries marks and a counter of its speaker,
//! so that noise, strangers' words and repetitions are passed over. When the whole team was given a seed, no stranger
//! can forge a word. Without one a stranger that knows the team's name can: then the players of a founder's family
//! believe each other alone. Never decides what to do. Tested in this module.

mod ladder;
mod seal;
mod word;

use std::collections::BTreeMap;

use zappy_protocol::zappy::Level;
use zappy_protocol::zappy::player::Command;
use zappy_protocol::{Text, Tick};

pub use ladder::newborns_needed;
use seal::Speaker;
pub use seal::{Seal, name};
pub use word::{Saying, Word};

/// Mates remembered at most.
const MATES_LIMIT: usize = 256;
/// A mate that said nothing for so long is taken for dead.
const SILENCE_LIMIT: Tick = 900;
/// Ticks after the end of an incantation in which words may still arrive that were sent before it.
const LATE: Tick = 14;
/// Ticks for which pushes are remembered.
const DISTURBED: Tick = 2_000;
/// How often a line of players founds a nest anew with a plan of its own.
const FOUNDINGS: u32 = 2;
/// Words that a player says before it founds a nest itself: mates hear them, or the server refuses them.
const CALLS: u64 = 2;
/// Ticks within which words tell of the same situation.
const RECENT: Tick = 250;

/// A claim to lead: the lower one wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Claim {
    rank: u8,
    token: u32,
}

/// What is known of a mate.
#[derive(Debug, Clone)]
struct Mate {
    counter: u64,
    heard: Tick,
    level: Level,
    /// It said that it is at the nest and ready, and was heard on this player's tile.
    ready: bool,
    /// It belongs to the core.
    core: bool,
}

/// What a word of the team meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Heard {
    /// It came from home: the leader's voice.
    pub from_home: bool,
    /// It came from a nest, which may not be the player's own.
    pub may_be_home: bool,
    /// The leader leaves the nest for another tile.
    pub moves: bool,
    /// The speaker is about to come home.
    pub knocks: bool,
}

/// What a player knows of its team.
#[derive(Debug, Clone)]
pub struct Team {
    seal: Seal,
    /// It believes only kin.
    closed: bool,
    token: u32,
    counter: u64,
    mates: BTreeMap<u32, Mate>,
    leader: Option<Claim>,
    leader_heard: Tick,
    /// When the leader last said that it waits for the first incantation.
    first_incantation_waits: Option<Tick>,
    /// When one of the core last said that it was pushed.
    disturbed: Option<Tick>,
    /// The server refuses words.
    silenced: bool,
    /// It or a parent has heard a word of the team.
    hears: bool,
    /// The team's age at its birth, and when the team began anew.
    age: Tick,
    begun: Tick,
    /// When a player of the team was last known to rise, and for how long none had at birth.
    rose: Tick,
    stood_still: Tick,
    /// How often its line founded a nest anew.
    foundings: u32,
}

impl Team {
    /// The team with that seal; `token` is what this player calls itself.
    pub fn new(seal: Seal, token: u32) -> Team {
        Team {
            closed: seal.is_shared(),
            seal,
            token,
            counter: 0,
            mates: BTreeMap::new(),
            leader: None,
            leader_heard: 0,
            first_incantation_waits: None,
            disturbed: None,
            silenced: false,
            hears: false,
            age: 0,
            begun: 0,
            rose: 0,
            stood_still: 0,
            foundings: 0,
        }
    }

    /// What a child is told of the team at birth; it calls itself `token`.
    pub fn for_child(&self, now: Tick, token: u32, level: Level) -> Team {
        let mut team = self.clone();
        (team.rose, team.stood_still) = (0, self.standstill(now));
        (team.age, team.begun) = (self.age(now), 0);
        team.token = token;
        team.counter = 0;
        team.leader_heard = 0;
        team.first_incantation_waits = None;
        team.disturbed = team.disturbed.map(|_| 0);
        team.mates
            .insert(self.token, Mate { counter: self.counter, heard: 0, level, ready: false, core: false });
        team.mates.values_mut().for_each(|mate| mate.heard = 0);
        team
    }

    /// What this player calls itself.
    pub fn token(&self) -> u32 {
        self.token
    }

    /// From now on it calls itself `token`.
    pub fn call_oneself(&mut self, token: u32) {
        if self.leads() {
            self.leader = self.leader.map(|claim| Claim { token, ..claim });
        }
        self.token = token;
    }

    /// Whether this player leads.
    pub fn leads(&self) -> bool {
        self.leader.is_some_and(|claim| claim.token == self.token)
    }

    /// Ticks since a leader was heard, and whether there ever was one.
    pub fn leader_silence(&self, now: Tick) -> (Tick, bool) {
        (now.saturating_sub(self.leader_heard), self.leader.is_some() || self.leader_heard > 0)
    }

    /// The leader's level, if another player leads and has said it.
    pub fn leader_level(&self) -> Option<Level> {
        self.leader.and_then(|claim| self.mates.get(&claim.token)).map(|mate| mate.level)
    }

    /// Takes the lead. A founder has rank 0; a player that replaces a silent leader has rank 1.
    pub fn take_lead(&mut self, rank: u8) {
        if rank == 0 {
            self.close();
        }
        self.leader = Some(Claim { rank, token: self.token });
    }

    /// The server refuses words.
    pub fn silence(&mut self) {
        self.silenced = true;
    }

    /// Whether the server refuses words.
    pub fn is_silenced(&self) -> bool {
        self.silenced
    }

    /// Whether words tell nothing of the team: the server refuses them, or none was heard in so long a time.
    pub fn is_wordless(&self, now: Tick, patience: Tick) -> bool {
        self.silenced || !self.hears && now >= patience
    }

    /// Whether words can tell it of a leader: it was told of none, or has heard one or a parent has.
    pub fn can_miss_a_leader(&self) -> bool {
        !self.silenced && (self.hears || self.leader.is_none())
    }

    /// Whether it leads in place of a leader that was silent.
    pub fn replaces(&self) -> bool {
        self.leads() && self.leader.is_some_and(|claim| claim.rank > 0)
    }

    /// Whether it replaces a leader and hasn't called yet.
    pub fn must_call(&self) -> bool {
        self.replaces() && self.counter < CALLS && !self.silenced
    }

    /// Ticks since a player of the team was known to rise, or strangers were known to disturb the core.
    pub fn standstill(&self, now: Tick) -> Tick {
        let still = now.saturating_sub(self.rose) + self.stood_still;
        self.disturbed.map_or(still, |at| still.min(now.saturating_sub(at)))
    }

    /// Ticks since its line founded the nest, or since the start as far as it knows.
    pub fn age(&self, now: Tick) -> Tick {
        self.age + now.saturating_sub(self.begun)
    }

    /// Another nest is founded: its plan begins anew, unless that happened too often.
    pub fn found_anew(&mut self, now: Tick) {
        (self.age, self.begun) = (0, now);
        if self.foundings < FOUNDINGS {
            self.foundings += 1;
            self.progressed(now);
        }
    }

    fn progressed(&mut self, now: Tick) {
        (self.rose, self.stood_still) = (now, 0);
    }

    /// From now on it believes only kin, and forgets what others made it believe. The founder's family does so: it
    /// needs no others. A player that replaced a silent leader doesn't, since it may have to yield to others.
    fn close(&mut self) {
        if !std::mem::replace(&mut self.closed, true) {
            self.mates.clear();
            self.leader = None;
            self.first_incantation_waits = None;
        }
    }

    /// The command that says something to the team.
    pub fn say(&mut self, kind: Saying, level: Level) -> Command {
        self.counter += 1;
        let kind = match (kind, self.leader) {
            (Saying::Here, Some(claim)) if claim.token == self.token => Saying::Lead { rank: claim.rank },
            (kind, _) => kind,
        };
        let word = Word { token: self.token, counter: self.counter, kind, level };
        Command::Broadcast(word.write(&self.seal))
    }

    /// A player broadcast a text. `None` if it isn't a new word of the team.
    pub fn hear(&mut self, now: Tick, direction: u8, text: &Text) -> Option<Heard> {
        let (word, speaker) = Word::read(&self.seal, text.as_bytes())?;
        if word.token == self.token || self.closed && speaker != Speaker::Kin {
            return None;
        }
        if speaker == Speaker::Kin && word.kind == (Saying::Lead { rank: 0 }) {
            self.close();
        }
        if self.mates.get(&word.token).is_some_and(|mate| mate.counter >= word.counter) {
            return None;
        }
        if word.kind == Saying::Lure {
            return None;
        }
        self.hears = true;
        if word.kind == Saying::Knock {
            if let Some(mate) = self.mates.get_mut(&word.token) {
                mate.counter = word.counter;
            }
            return Some(Heard { from_home: false, may_be_home: false, moves: false, knocks: true });
        }
        if self.mates.get(&word.token).is_some_and(|mate| mate.level < word.level) {
            self.progressed(now);
        }
        self.make_room(word.token);
        let at_nest = !matches!(word.kind, Saying::Away | Saying::Pushed | Saying::Move);
        let ready = at_nest && word.kind != Saying::Home;
        // A word that was sent before the incantation arrives late: the mate has risen since.
        let risen = self.mates.get(&word.token).filter(|mate| ready && now - mate.heard.min(now) <= LATE);
        let mate = Mate {
            counter: word.counter,
            heard: now,
            level: risen.map_or(word.level, |mate| mate.level.max(word.level)),
            ready: ready && direction == 0,
            core: word.kind != Saying::Home,
        };
        self.mates.insert(word.token, mate);
        if word.kind == Saying::Pushed {
            self.disturbed = Some(now);
        }
        let Saying::Lead { rank } = word.kind else {
            // A gatherer that comes and goes knows no more of the core than this player does.
            if word.kind != Saying::Home || self.leader_heard == 0 {
                self.leader_heard = now;
            }
            let moves =
                word.kind == Saying::Move && self.leader.is_some_and(|claim| claim.token == word.token);
            return Some(Heard { from_home: false, may_be_home: at_nest, moves, knocks: false });
        };
        self.first_incantation_waits = (word.level == Level::MIN).then_some(now);
        Some(self.follow(now, Claim { rank, token: word.token }))
    }

    /// Whether the core waits for its first incantation, as far as this player has heard: the leader speaks
    /// meanwhile.
    pub fn first_incantation_waits(&self, now: Tick) -> bool {
        self.first_incantation_waits.is_some_and(|at| now.saturating_sub(at) <= RECENT)
    }

    /// Whether strangers drove the core apart a while ago.
    pub fn is_disturbed(&self, now: Tick) -> bool {
        self.disturbed.is_some_and(|at| now.saturating_sub(at) <= DISTURBED)
    }

    fn follow(&mut self, now: Tick, claim: Claim) -> Heard {
        let silent = !self.leads() && now.saturating_sub(self.leader_heard) > SILENCE_LIMIT;
        let better = self.leader.is_none_or(|leader| silent || claim <= leader);
        if better {
            self.leader = Some(claim);
            self.leader_heard = now;
        }
        Heard { from_home: better, may_be_home: true, moves: false, knocks: false }
    }

    fn make_room(&mut self, token: u32) {
        if self.mates.len() >= MATES_LIMIT && !self.mates.contains_key(&token) {
            let oldest = self.mates.iter().min_by_key(|(_, mate)| mate.heard).map(|(token, _)| *token);
            oldest.and_then(|token| self.mates.remove(&token));
        }
    }

    fn living(&self, now: Tick) -> impl Iterator<Item = (u32, &Mate)> {
        let lives = move |mate: &Mate| mate.core && now.saturating_sub(mate.heard) <= SILENCE_LIMIT;
        self.mates.iter().filter(move |(_, mate)| lives(mate)).map(|(token, mate)| (*token, mate))
    }

    /// The levels of the living mates of the core.
    pub fn levels(&self, now: Tick) -> Vec<Level> {
        self.living(now).map(|(_, mate)| mate.level).collect()
    }

    /// The lowest level at the nest, as the latest words from there tell it.
    pub fn lowest_level(&self) -> Level {
        let core = || self.mates.values().filter(|mate| mate.core);
        let last = core().map(|mate| mate.heard).max().unwrap_or(0);
        let recent = core().filter(|mate| last - mate.heard <= RECENT);
        recent.map(|mate| mate.level).min().unwrap_or(Level::MIN)
    }

    /// The mates of that level that are ready on this player's tile, lowest token first.
    pub fn ready(&self, now: Tick, level: Level) -> Vec<u32> {
        let ready = |mate: &Mate| mate.ready && mate.level == level;
        self.living(now).filter(|(_, mate)| ready(mate)).map(|(token, _)| token).collect()
    }

    /// The player rose, and with it the mates that were ready on its tile.
    pub fn rose(&mut self, now: Tick, from: Level, to: Level) {
        for mate in self.mates.values_mut().filter(|mate| mate.ready && mate.level == from) {
            mate.level = to;
            mate.heard = now;
        }
        self.leader_heard = now;
        self.progressed(now);
    }

    /// The player was moved or lost its way: no mate counts as ready on its tile any more.
    pub fn lost_sight(&mut self) {
        self.mates.values_mut().for_each(|mate| mate.ready = false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use zappy_protocol::TeamName;

    fn sealed(name: &str, seed: u64, shared: bool, token: u32) -> Team {
        Team::new(Seal::new(&TeamName::parse(name.as_bytes()).unwrap(), seed, shared), token)
    }

    fn team(token: u32) -> Team {
        sealed("red", 1, true, token)
    }

    fn text(command: Command) -> Text {
        match command {
            Command::Broadcast(text) => text,
            other => panic!("not a broadcast: {other:?}"),
        }
    }

    #[test]
    fn a_mate_on_the_same_tile_is_ready_until_it_leaves() {
        let (mut a, mut b) = (team(1), team(2));
        assert!(a.hear(10, 0, &text(b.say(Saying::Here, Level::MIN))).is_some());
        assert_eq!(a.ready(10, Level::MIN), [2]);
        assert!(a.hear(20, 3, &text(b.say(Saying::Away, Level::MIN))).is_some());
        assert!(a.ready(20, Level::MIN).is_empty());
        assert_eq!(a.levels(20).len(), 1);
        assert!(a.levels(20 + SILENCE_LIMIT + 1).is_empty());
    }

    #[test]
    fn repetitions_and_strangers_are_passed_over() {
        let (mut a, mut b) = (team(1), team(2));
        let first = text(b.say(Saying::Here, Level::MIN));
        let away = text(b.say(Saying::Away, Level::MIN));
        a.hear(1, 0, &first);
        a.hear(2, 0, &away);
        assert_eq!(a.hear(3, 0, &first), None, "a copy of an old word");
        assert!(a.ready(3, Level::MIN).is_empty());
        let mut blue = sealed("blue", 1, true, 9);
        assert_eq!(a.hear(4, 0, &text(blue.say(Saying::Here, Level::MIN))), None);
        let own = text(a.say(Saying::Here, Level::MIN));
        assert_eq!(a.hear(5, 2, &own), None, "an echo");
    }

    #[test]
    fn a_child_knows_which_words_are_old() {
        let (mut a, mut b) = (team(1), team(2));
        let old = text(b.say(Saying::Here, Level::MIN));
        a.hear(1, 0, &old);
        let mut child = a.for_child(1, 3, Level::MIN);
        assert_eq!(child.hear(0, 0, &old), None);
        let own = text(a.say(Saying::Here, Level::MIN));
        assert!(child.hear(0, 0, &own).is_some());
    }

    #[test]
    fn the_better_claim_leads_and_silence_makes_room() {
        let (mut a, mut b, mut c) = (team(1), team(2), team(3));
        b.take_lead(1);
        c.take_lead(0);
        assert!(a.hear(1, 4, &text(b.say(Saying::Here, Level::MIN))).unwrap().from_home);
        assert!(a.hear(2, 4, &text(c.say(Saying::Here, Level::MIN))).unwrap().from_home);
        let heard = a.hear(3, 4, &text(b.say(Saying::Here, Level::MIN))).unwrap();
        assert_eq!(heard, Heard { from_home: false, may_be_home: true, moves: false, knocks: false });
        let late = 3 + SILENCE_LIMIT + 1;
        assert!(a.hear(late, 4, &text(b.say(Saying::Here, Level::MIN))).unwrap().from_home);
        assert!(b.hear(1, 0, &text(c.say(Saying::Here, Level::MIN))).unwrap().from_home);
        assert!(!b.leads() && c.leads());
    }

    #[test]
    fn a_founders_family_believes_only_itself() {
        let mut founder = sealed("red", 1, false, 5);
        let (mut stranger, mut orphan) = (sealed("red", 2, false, 1), sealed("red", 3, false, 4));
        stranger.take_lead(0);
        let lie = text(stranger.say(Saying::Here, Level::MAX));
        founder.hear(1, 0, &lie);
        founder.take_lead(0);
        assert!(founder.levels(1).is_empty(), "what was heard before is forgotten");
        let lie = text(stranger.say(Saying::Here, Level::MAX));
        assert_eq!(founder.hear(2, 0, &lie), None);
        let mut child = founder.for_child(2, 6, Level::MIN);
        assert_eq!(child.hear(0, 0, &lie), None);
        assert!(child.hear(0, 0, &text(founder.say(Saying::Here, Level::MIN))).unwrap().from_home);
        assert!(founder.hear(3, 0, &text(child.say(Saying::Here, Level::MIN))).is_some());
        assert!(orphan.hear(1, 3, &text(founder.say(Saying::Here, Level::MIN))).unwrap().from_home);
        assert!(orphan.hear(2, 3, &lie).unwrap().from_home, "an orphan can't tell");
    }

    #[test]
    fn a_player_that_hears_its_own_founder_no_longer_believes_others() {
        let (mut founder, mut mate) = (sealed("red", 1, false, 5), sealed("red", 1, false, 4));
        let mut stranger = sealed("red", 2, false, 1);
        founder.take_lead(0);
        stranger.take_lead(0);
        assert!(mate.hear(1, 3, &text(stranger.say(Saying::Here, Level::MAX))).unwrap().from_home);
        assert!(mate.hear(2, 4, &text(founder.say(Saying::Here, Level::MIN))).unwrap().from_home);
        assert_eq!(mate.levels(2), [Level::MIN]);
        assert_eq!(mate.hear(3, 3, &text(stranger.say(Saying::Here, Level::MAX))), None);
    }

    #[test]
    fn a_player_that_replaced_a_leader_yields_to_others() {
        let (mut a, mut b) = (sealed("red", 1, false, 5), sealed("red", 2, false, 4));
        a.take_lead(1);
        b.take_lead(1);
        assert!(a.hear(1, 3, &text(b.say(Saying::Here, Level::MIN))).unwrap().from_home);
        assert!(!a.leads());
    }

    #[test]
    fn the_memory_of_mates_is_bounded() {
        let mut a = team(1);
        for token in 2..2_000 {
            a.hear(Tick::from(token), 0, &text(team(token).say(Saying::Here, Level::MIN)));
        }
        assert_eq!(a.mates.len(), MATES_LIMIT);
    }
}
