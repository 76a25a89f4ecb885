//! What a player knows of its team: which mates live, their levels, which of them stand at the nest, and who leads.
//!
//! It learns all of it from the game's own broadcasts. A word of the team carries marks and a counter of its speaker,
//! so that noise, strangers' words and repetitions are passed over. When the whole team was given a seed, no stranger
//! can forge a word. Without one a stranger that knows the team's name can: then the players of a founder's family
//! believe only the words of that family. `ai-client/README.md` explains core, nest and guards. Never decides what to
//! do. Tested in this module.

mod seal;
mod word;

use std::collections::BTreeMap;

use zappy_protocol::zappy::Level;
use zappy_protocol::zappy::constants::{ELEVATIONS, WINNING_PLAYERS};
use zappy_protocol::zappy::player::Command;
use zappy_protocol::{Text, Tick};

use seal::Speaker;
pub use seal::{Seal, token_of};
pub use word::{Saying, Word};

/// Mates remembered at most; beyond that the mate that was silent for longest is forgotten.
const MATES_LIMIT: usize = 256;
/// Ticks of silence after which a mate is taken for dead.
const SILENCE_LIMIT: Tick = 900;
/// Ticks after the end of an incantation in which words may still arrive that were sent before that end.
const LATE_WORDS: Tick = 14;
/// Ticks for which a push off the nest is remembered.
const DISTURBANCE_MEMORY: Tick = 2_000;
/// How many times founding a nest anew resets the time without progress, for a player and its ancestors together.
const MOST_FOUNDINGS: u32 = 2;
/// Ticks in which the mates that live answer a call of the roll.
const ROLL_CALL_TIME: Tick = 28;
/// A word that is older than this, in ticks, says nothing about the present.
const RECENT: Tick = 250;

/// A claim to lead: of two, the one with the lower rank wins, then the one with the lower token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Claim {
    rank: u8,
    token: u32,
}

/// What is known of a mate.
#[derive(Debug, Clone)]
pub struct Mate {
    /// The number of its last word.
    counter: u64,
    /// When that word was heard.
    heard: Tick,
    pub level: Level,
    /// Whether it said that it is at the nest and ready, and was heard on this player's tile.
    ready: bool,
    /// Whether it belongs to the core.
    core: bool,
    /// Whether it has said that it is away.
    pub away: bool,
    /// When the roll was called that it hasn't answered; `None` if it owes no answer.
    called: Option<Tick>,
}

impl Mate {
    /// Whether it let [`ROLL_CALL_TIME`] pass without answering a call of the roll.
    pub fn is_gone(&self, now: Tick) -> bool {
        self.called.is_some_and(|at| now.saturating_sub(at) > ROLL_CALL_TIME)
    }
}

/// What follows from a word of the team for the player that heard it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Heard {
    /// The word came from the leader that this player follows.
    pub from_home: bool,
    /// The word came from a nest, maybe not the player's own.
    pub may_be_home: bool,
    /// The leader leaves the nest for another tile.
    pub moves: bool,
    /// What is said, if it concerns guards alone, and the speaker's token.
    pub guards: Option<(Saying, u32)>,
    /// The level of the players that the speaker asks to say whether they are ready.
    pub calls_roll: Option<Level>,
}

/// What a player knows of its team.
#[derive(Debug, Clone, Default)]
pub struct Team {
    seal: Seal,
    /// Whether it believes only the words of its founder's family.
    believes_only_kin: bool,
    /// The number by which this player names itself; 0 before it has looked around.
    pub token: u32,
    /// How many words this player has said.
    pub counter: u64,
    pub(super) mates: BTreeMap<u32, Mate>,
    pub(super) leader: Option<Claim>,
    /// When a leader or one of the core was last heard, or the core was last seen at the nest.
    pub core_noticed: Tick,
    /// When the leader itself last spoke, or the core rose.
    leader_spoke: Tick,
    /// How many players said that they came in at the start.
    pub starters: usize,
    /// When the leader last said that it waits for the first incantation; `None` if that is over.
    first_incantation_awaited: Option<Tick>,
    /// When one of the core last said that it was pushed.
    disturbed_at: Option<Tick>,
    /// Whether the server refuses this player's broadcasts.
    pub silenced: bool,
    /// Whether this player or one of its ancestors has heard a word of the team.
    has_heard: bool,
    /// The team's age when this player was born, or when its nest was founded anew.
    initial_age: Tick,
    /// The player's tick at which the team had that age.
    initial_tick: Tick,
    /// When a player of the team was last known to rise to a level.
    last_rise: Tick,
    /// For how many ticks no player of the team had risen when this player was born.
    initial_standstill: Tick,
    /// How often this player and its ancestors founded a nest anew.
    foundings: u32,
}

impl Team {
    /// The team with that seal; `token` is the number by which this player names itself.
    pub fn new(seal: Seal, token: u32) -> Team {
        Team { believes_only_kin: seal.shared, seal, token, ..Team::default() }
    }

    /// What a child knows of the team at birth; `token` is the number by which it names itself.
    pub fn for_child(&self, now: Tick, token: u32, level: Level) -> Team {
        let mut team = self.clone();
        (team.last_rise, team.initial_standstill) = (0, self.standstill(now));
        (team.initial_age, team.initial_tick) = (self.age(now), 0);
        (team.token, team.counter) = (token, 0);
        (team.core_noticed, team.leader_spoke) = (0, 0);
        team.first_incantation_awaited = None;
        team.disturbed_at = team.disturbed_at.map(|_| 0);
        let (counter, called) = (self.counter, None);
        let parent = Mate { counter, heard: 0, level, ready: false, core: false, away: false, called };
        team.mates.insert(self.token, parent);
        for mate in team.mates.values_mut() {
            (mate.heard, mate.called) = (0, mate.called.map(|_| 0));
        }
        team
    }

    /// Names the player by another number from now on.
    pub fn set_token(&mut self, token: u32) {
        if self.leads() {
            self.leader = self.leader.map(|claim| Claim { token, ..claim });
        }
        self.token = token;
    }

    pub fn leads(&self) -> bool {
        self.leader.is_some_and(|claim| claim.token == self.token)
    }

    /// Ticks since the leader itself spoke or the core rose.
    pub fn leader_silence(&self, now: Tick) -> Tick {
        now.saturating_sub(self.leader_spoke)
    }

    /// What is known of the leader, if another player leads.
    pub fn leader(&self) -> Option<&Mate> {
        self.mates.get(&self.leader?.token)
    }

    /// Whether the leader didn't answer when the roll was called.
    pub fn leader_is_gone(&self, now: Tick) -> bool {
        self.leader().is_some_and(|mate| mate.is_gone(now))
    }

    /// Takes the lead. A founder has rank 0; a player that replaces a silent leader has rank 1.
    pub fn take_lead(&mut self, rank: u8) {
        if rank == 0 {
            self.believe_only_kin();
        }
        self.leader = Some(Claim { rank, token: self.token });
    }

    /// Whether this player learns nothing of the team from broadcasts: the server refuses them, or none was heard up to
    /// the tick `deadline`.
    pub fn is_wordless(&self, now: Tick, deadline: Tick) -> bool {
        self.silenced || !self.has_heard && now >= deadline
    }

    /// Whether it leads in place of a leader that was silent.
    pub fn replaces_leader(&self) -> bool {
        self.leads() && self.leader.is_some_and(|claim| claim.rank > 0)
    }

    /// Ticks since a player of the team was known to rise, or strangers were known to disturb the core.
    pub fn standstill(&self, now: Tick) -> Tick {
        let standstill = now.saturating_sub(self.last_rise) + self.initial_standstill;
        self.disturbed_at.map_or(standstill, |at| standstill.min(now.saturating_sub(at)))
    }

    /// Ticks since its family founded the nest, or since the first ancestor that it knows of came in.
    pub fn age(&self, now: Tick) -> Tick {
        self.initial_age + now.saturating_sub(self.initial_tick)
    }

    /// Another nest is founded: the team's age begins anew, and so does the time without progress the first
    /// [`MOST_FOUNDINGS`] times.
    pub fn found_anew(&mut self, now: Tick) {
        (self.initial_age, self.initial_tick) = (0, now);
        if self.foundings < MOST_FOUNDINGS {
            self.foundings += 1;
            self.progressed(now);
        }
    }

    /// A player of the team rose: the time without progress begins anew.
    fn progressed(&mut self, now: Tick) {
        (self.last_rise, self.initial_standstill) = (now, 0);
    }

    /// From now on this player believes only its family, and forgets what others said. The founder's family does so,
    /// since it needs no others; a player that replaced a silent leader doesn't, since it may have to yield to others.
    fn believe_only_kin(&mut self) {
        if !std::mem::replace(&mut self.believes_only_kin, true) {
            self.mates.clear();
            self.leader = None;
            self.first_incantation_awaited = None;
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

    /// A broadcast was heard from that direction, 0 if from this player's tile. `None` if it isn't a new word of the
    /// team.
    pub fn hear(&mut self, now: Tick, direction: u8, text: &Text) -> Option<Heard> {
        let (word, speaker) = Word::read(&self.seal, text.as_bytes())?;
        if word.token == self.token || self.believes_only_kin && speaker != Speaker::Kin {
            return None;
        }
        if speaker == Speaker::Kin && word.kind == (Saying::Lead { rank: 0 }) {
            self.believe_only_kin();
        }
        let is_old = self.mates.get(&word.token).is_some_and(|mate| mate.counter >= word.counter);
        if is_old || word.kind == Saying::Lure {
            return None;
        }
        self.has_heard = true;
        if matches!(word.kind, Saying::Knock | Saying::Post | Saying::Posts) {
            if let Some(mate) = self.mates.get_mut(&word.token) {
                mate.counter = word.counter;
            }
            return Some(Heard { guards: Some((word.kind, word.token)), ..Heard::default() });
        }
        if word.kind == Saying::Start {
            self.starters += 1;
            return Some(Heard::default());
        }
        let risen = self.mates.get(&word.token).filter(|mate| mate.level < word.level);
        if let Some((was_ready, level)) = risen.map(|mate| (mate.ready, mate.level)) {
            if was_ready {
                self.rose_together(now, level, word.level);
            }
            self.progressed(now);
        }
        if word.kind == Saying::Roll {
            self.call_roll(now, word.level);
        }
        if self.mates.len() >= MATES_LIMIT && !self.mates.contains_key(&word.token) {
            let oldest = self.mates.iter().min_by_key(|(_, mate)| mate.heard).map(|(token, _)| *token);
            oldest.and_then(|token| self.mates.remove(&token));
        }
        let at_nest = !matches!(word.kind, Saying::Away | Saying::Pushed | Saying::Move);
        let ready = at_nest && word.kind != Saying::Home;
        // The word may have been sent before the incantation ended: the mate has risen since.
        let known =
            self.mates.get(&word.token).filter(|mate| ready && now - mate.heard.min(now) <= LATE_WORDS);
        let mate = Mate {
            counter: word.counter,
            heard: now,
            level: known.map_or(word.level, |mate| mate.level.max(word.level)),
            ready: ready && direction == 0,
            core: word.kind != Saying::Home,
            away: matches!(word.kind, Saying::Away | Saying::Pushed),
            called: None,
        };
        if self.leader.is_some_and(|claim| claim.token == word.token) {
            self.leader_spoke = now;
        }
        self.mates.insert(word.token, mate);
        if word.kind == Saying::Pushed {
            self.disturbed_at = Some(now);
        }
        let Saying::Lead { rank } = word.kind else {
            // `Home` is a gatherer's word, which is no sign that the core lives.
            if word.kind != Saying::Home || self.core_noticed == 0 {
                self.core_noticed = now;
            }
            let moves =
                word.kind == Saying::Move && self.leader.is_some_and(|claim| claim.token == word.token);
            let calls_roll = (word.kind == Saying::Roll).then_some(word.level);
            return Some(Heard { may_be_home: at_nest, moves, calls_roll, ..Heard::default() });
        };
        self.first_incantation_awaited = (word.level == Level::MIN).then_some(now);
        Some(self.follow(now, Claim { rank, token: word.token }))
    }

    /// Whether the core waits for its first incantation, as far as this player has heard: the leader repeats it while
    /// it waits.
    pub fn awaits_first_incantation(&self, now: Tick) -> bool {
        self.first_incantation_awaited.is_some_and(|at| now.saturating_sub(at) <= RECENT)
    }

    /// Whether strangers drove the core apart a while ago.
    pub fn is_disturbed(&self, now: Tick) -> bool {
        self.disturbed_at.is_some_and(|at| now.saturating_sub(at) <= DISTURBANCE_MEMORY)
    }

    /// Follows the leader with this claim, unless the known leader has a better claim and isn't silent.
    fn follow(&mut self, now: Tick, claim: Claim) -> Heard {
        let silent = !self.leads()
            && (self.leader_is_gone(now) || now.saturating_sub(self.core_noticed) > SILENCE_LIMIT);
        let is_followed = self.leader.is_none_or(|leader| silent || claim <= leader);
        if is_followed {
            self.leader = Some(claim);
            (self.core_noticed, self.leader_spoke) = (now, now);
        }
        Heard { from_home: is_followed, may_be_home: true, ..Heard::default() }
    }

    /// The mates of the core that live, with their tokens, the lowest first.
    pub fn living(&self, now: Tick) -> impl Iterator<Item = (u32, &Mate)> {
        let lives = move |mate: &Mate| {
            mate.core && !mate.is_gone(now) && now.saturating_sub(mate.heard) <= SILENCE_LIMIT
        };
        self.mates.iter().filter(move |(_, mate)| lives(mate)).map(|(token, mate)| (*token, mate))
    }

    /// The levels of the living mates of the core.
    pub fn levels(&self, now: Tick) -> Vec<Level> {
        self.living(now).map(|(_, mate)| mate.level).collect()
    }

    /// The lowest level at the nest, by the latest words from there.
    pub fn lowest_level(&self) -> Level {
        let core = || self.mates.values().filter(|mate| mate.core);
        let last = core().map(|mate| mate.heard).max().unwrap_or(0);
        let recent = core().filter(|mate| last - mate.heard <= RECENT);
        recent.map(|mate| mate.level).min().unwrap_or(Level::MIN)
    }

    /// The tokens of the mates of that level that are ready on this player's tile, the lowest first.
    pub fn ready_mates(&self, now: Tick, level: Level) -> Vec<u32> {
        let is_ready = |mate: &Mate| mate.ready && mate.level == level;
        self.living(now).filter(|(_, mate)| is_ready(mate)).map(|(token, _)| token).collect()
    }

    /// The player rose, and with it the mates that were ready on its tile.
    pub fn rose(&mut self, now: Tick, from: Level, to: Level) {
        self.rose_together(now, from, to);
        (self.core_noticed, self.leader_spoke) = (now, now);
        self.progressed(now);
    }

    /// One mate that was ready on this player's tile rose, so all that were ready there on that level did.
    fn rose_together(&mut self, now: Tick, from: Level, to: Level) {
        for mate in self.mates.values_mut().filter(|mate| mate.ready && mate.level == from) {
            mate.level = to;
            mate.heard = now;
        }
    }

    /// Calls the roll: mates of that level that are thought to be ready, and the leader unless it is away, count as
    /// gone unless they speak again within [`ROLL_CALL_TIME`].
    pub fn call_roll(&mut self, now: Tick, level: Level) {
        let leader = self.leader.map(|claim| claim.token);
        for (token, mate) in &mut self.mates {
            if mate.ready && mate.level == level || leader == Some(*token) && !mate.away {
                mate.ready = false;
                mate.called.get_or_insert(now);
            }
        }
    }

    /// The player was moved, or no longer knows where the nest is: no mate counts as ready on its tile any more.
    pub fn lost_sight(&mut self) {
        self.mates.values_mut().for_each(|mate| mate.ready = false);
    }
}

/// How many newborns it takes beside players of these levels so that enough of them can reach the highest level. The
/// players of the lowest level rise first; on each level that they reach they go on together with the players there. A
/// group too small for its next incantation stays behind.
pub fn newborns_needed(levels: &[Level]) -> usize {
    let at = |level: usize| levels.iter().filter(|l| usize::from(l.get()) == level).count();
    let can_win = |newborns: &usize| {
        let mut group = *newborns;
        for (i, elevation) in ELEVATIONS.iter().enumerate() {
            group += at(i + 1);
            if group < elevation.players {
                group = 0;
            }
        }
        group + at(usize::from(Level::MAX.get())) >= WINNING_PLAYERS
    };
    (0..WINNING_PLAYERS).find(can_win).unwrap_or(WINNING_PLAYERS)
}

#[cfg(test)]
mod tests;
