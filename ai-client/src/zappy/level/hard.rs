//! `hard`: a team that gathers everything first, meets once, and rises all the way.
//!
//! Each player says from time to time what it carries, so each knows what the team still lacks. When the team lacks
//! nothing and is fed, the player with the lowest token calls; the others find it by ear, put their stones down and
//! rise together. Eggs replace missing players. Tested in `tests` beside this and in `tests/levels.rs`.

#[cfg(test)]
mod tests;

use zappy_protocol::zappy::constants::WINNING_PLAYERS;
use zappy_protocol::zappy::player::{Command, Response};
use zappy_protocol::zappy::{Inventory, Level, Resource};
use zappy_protocol::{MapSize, TeamName, Text, Tick};

use super::body::Body;
use super::crew::{Crew, next_incantation, outlook};
use super::talk::{Shout, ShoutKind, Talk};
use super::voice::Voice;
use crate::zappy::plan::BATCH;
use crate::zappy::strategy::{Birth, Strategy};
use crate::zappy::team::newborns_needed;

/// Food below which it looks for nothing else, and up to which it eats then.
const HUNGRY: u32 = 4;
const SATED: u32 = 12;
/// Food that it gathers for the whole way up; the caller regards a player with this much as fed.
const PROVISIONS: u32 = 26;
const FED: u32 = 20;
/// Ticks between two shouts about what it carries, and between two calls.
const WORD: Tick = 180;
const CALL: Tick = 35;
/// Ticks after which the team rises as far as the stones lead.
const IMPATIENCE: Tick = 3_000;
/// Ticks for which a meeting waits for missing players, and after which its caller gives it up.
const WAIT: Tick = 800;
const GIVE_UP: Tick = 1_500;
/// Ticks of silence after which the caller is taken to have given up.
const SILENCE: Tick = 250;
/// Ticks for which the team has to be too small before more are laid, and eggs a player lays at most.
const SHORT: Tick = 350;
const EGGS: u32 = 24;
/// Ticks without a stone more and without a rise after which it lays no more.
const STANDSTILL: Tick = 1_500;
/// Ticks between two attempts at the same incantation, and for which it relies on its last look.
const RETRY: Tick = 3;
const FRESH: Tick = 20;

/// A meeting, as one of its players sees it.
#[derive(Debug)]
struct Meeting {
    caller: u32,
    voice: Voice,
    /// When it began, or when this player rose last.
    since: Tick,
    /// When this player last called, or said that it has come.
    said: Option<Tick>,
    tried: Option<Tick>,
}

/// A player of such a team.
#[derive(Debug)]
pub struct Hard {
    body: Body,
    talk: Talk,
    crew: Crew,
    meeting: Option<Meeting>,
    /// When it last said what it carries.
    said: Option<Tick>,
    /// The tick since which it gathers.
    gathers: Tick,
    short_since: Option<Tick>,
    eggs: u32,
    to_lay: usize,
    /// It was born to a mate, and hasn't heard any mate yet: a team that can't hear itself doesn't grow on.
    deaf: bool,
    /// The server refuses words, so it can't know whether its team is complete.
    silenced: bool,
    /// The fewest stones that the team lacked as far as it knows, and when that or its level last changed.
    lacked: u32,
    progressed: Tick,
    births: Vec<Birth>,
}

impl Hard {
    pub fn new(team: &TeamName, size: MapSize, chance: u64, born: bool) -> Hard {
        Hard {
            body: Body::new(size, chance),
            talk: Talk::new(team),
            crew: Crew::default(),
            meeting: None,
            said: None,
            gathers: 0,
            short_since: None,
            eggs: 0,
            to_lay: 0,
            deaf: born,
            silenced: false,
            lacked: u32::MAX,
            progressed: 0,
            births: Vec::new(),
        }
    }

    fn now(&self) -> Tick {
        self.body.now()
    }

    /// Whether it has the lowest token.
    fn leads(&self) -> bool {
        self.crew.first(self.now()).is_none_or(|first| self.talk.token < first)
    }

    /// The levels of all living players of the team, its own among them.
    fn levels(&self) -> Vec<Level> {
        let mut levels = self.crew.levels(self.now());
        levels.push(self.body.memory.level);
        levels
    }

    /// How many incantations the team can hold with what it carries, and what it lacks for the others.
    fn outlook(&self) -> (usize, Inventory) {
        let mut all = self.crew.carries(self.now());
        self.body.memory.carried().iter().for_each(|(resource, units)| all.add(resource, units));
        outlook(&self.levels(), &all)
    }

    /// A hungry player leaves even a meeting.
    fn eat(&mut self) -> Option<Vec<Command>> {
        self.body.must_eat(HUNGRY, SATED).then_some(())?;
        if self.meeting.as_ref().is_some_and(|meeting| meeting.caller == self.talk.token) {
            self.dissolve();
        }
        if self.meeting.as_mut().is_some_and(|meeting| meeting.said.take().is_some()) {
            self.crew.parted();
            return Some(vec![self.talk.say(ShoutKind::Have, &self.body)]);
        }
        Some(self.body.find_food(SATED))
    }

    /// The player with the lowest token takes care that the team is complete.
    fn fill_up(&mut self) -> Option<Vec<Command>> {
        let (now, needed) = (self.now(), newborns_needed(&self.levels()));
        let (_, mut lacking) = self.outlook();
        lacking.set(Resource::Food, 0);
        let lacked = lacking.amounts().iter().sum();
        if lacked < self.lacked {
            (self.lacked, self.progressed) = (lacked, now);
        }
        if needed == 0 || !self.leads() || self.deaf || self.silenced || self.stands_still() {
            self.short_since = None;
            self.to_lay = 0;
            return None;
        }
        if self.to_lay > 0 {
            return Some(vec![Command::Fork]);
        }
        let short = now - *self.short_since.get_or_insert(now) >= SHORT;
        (short && self.eggs < EGGS).then(|| vec![Command::ConnectNbr])
    }

    fn stands_still(&self) -> bool {
        self.now() - self.progressed >= STANDSTILL
    }

    /// Fills the free slots, and lays eggs if they are too few.
    fn fill(&mut self, free: u32) {
        let needed = newborns_needed(&self.levels());
        let free = (free as usize).min(WINNING_PLAYERS).min(needed);
        (0..free).for_each(|_| self.bear());
        self.to_lay = needed - free;
        self.short_since = Some(self.now());
    }

    fn bear(&mut self) {
        self.births.push(Birth::Plain(self.body.chance.word()));
    }

    /// Says what it carries, so that others know what lacks.
    fn report(&mut self) -> Option<Vec<Command>> {
        let due = self.said.is_none_or(|at| self.now() - at >= WORD);
        due.then(|| {
            self.said = Some(self.now());
            vec![self.talk.say(ShoutKind::Have, &self.body)]
        })
    }

    /// Ends its part in a meeting.
    fn dissolve(&mut self) {
        self.meeting = None;
        self.crew.parted();
        // By the next shout the mates know that it has left.
        self.said = None;
        self.gathers = self.now();
    }

    fn attend(&mut self) -> Option<Vec<Command>> {
        let own = self.talk.token;
        let now = self.now();
        let meeting = self.meeting.as_mut()?;
        let over = if meeting.caller == own {
            now - meeting.since > GIVE_UP
        } else {
            meeting.voice.silence(&self.body.memory) > SILENCE
        };
        if over {
            self.dissolve();
            return None;
        }
        if !meeting.voice.is_here(&self.body.memory) {
            return Some(self.body.approach(meeting.voice.way(&self.body.memory).unwrap_or_default()));
        }
        // The caller calls, more often while a mate is missing; the others say once that they have come.
        let calls = meeting.caller == own;
        let interval = if self.crew.is_apart(now) { CALL } else { SILENCE / 2 };
        let mut commands = Vec::new();
        if meeting.said.is_none_or(|at| calls && now - at >= interval) {
            meeting.said = Some(now);
            commands.push(self.talk.say(if calls { ShoutKind::Call } else { ShoutKind::Here }, &self.body));
        }
        commands.extend(self.body.put_down(&self.body.memory.inventory));
        if commands.is_empty() {
            commands.extend(self.begin().unwrap_or_default());
        }
        commands.truncate(BATCH - 1);
        if commands.last() != Some(&Command::Inventory) {
            commands.push(Command::Look);
        }
        Some(commands)
    }

    /// Begins the next incantation when it is this player's turn and everything is there. A player that only waits
    /// for it does so with the shortest commands: under the strict rules an incantation takes only players along that
    /// are between two commands.
    fn begin(&mut self) -> Option<Vec<Command>> {
        let (now, own) = (self.now(), self.talk.token);
        let seen = self.body.memory.seen(self.body.memory.here)?;
        let mates = self.crew.here(now);
        let mut levels: Vec<Level> = mates.iter().map(|(_, level)| *level).collect();
        levels.push(self.body.memory.level);
        let (level, row) = next_incantation(&levels)?;
        let mine = level == self.body.memory.level;
        let first = mine && mates.iter().all(|&(token, its)| its != level || own < token);
        let players = seen.sight.players as usize;
        let complete = seen.sight.resources.covers(&row.stones) && players >= row.players;
        let all = !self.crew.is_apart(now) || !first && players >= self.levels().len();
        let meeting = self.meeting.as_mut()?;
        let waited = all || now - meeting.since >= WAIT;
        (now - seen.at <= FRESH && complete && waited).then_some(())?;
        if !first || meeting.tried.is_some_and(|at| now - at < RETRY) {
            return Some(vec![Command::Inventory]);
        }
        meeting.tried = Some(now);
        Some(vec![Command::Incantation, Command::Inventory])
    }

    /// A mate calls: goes there, unless a mate with a lower token calls as well.
    fn called(&mut self, direction: u8, shout: &Shout) {
        let memory = &self.body.memory;
        match &mut self.meeting {
            Some(meeting) if meeting.caller == shout.token => meeting.voice.heard(memory, direction),
            Some(meeting) if meeting.caller < shout.token => {}
            _ => {
                let mut voice = Voice::anywhere(memory);
                voice.heard(memory, direction);
                let since = memory.clock;
                let caller = shout.token;
                self.meeting = Some(Meeting { caller, voice, since, said: None, tried: None });
            }
        }
    }

    /// What it wants to pick up: what the team lacks, and food.
    fn wanted(&self) -> Inventory {
        let (_, mut wanted) = self.outlook();
        wanted.set(Resource::Food, PROVISIONS.saturating_sub(self.body.memory.food()));
        wanted
    }
}

impl Strategy for Hard {
    fn decide(&mut self) -> Vec<Command> {
        if self.talk.token == 0 {
            return vec![Command::Look];
        }
        if let Some(count) = self.body.count() {
            return count;
        }
        if let Some(commands) = self.eat() {
            return commands;
        }
        // Calls the others when it is time.
        if self.meeting.is_none() && self.leads() && next_incantation(&self.levels()).is_some() {
            let (now, food) = (self.now(), self.body.memory.food());
            let (incantations, lacking) = self.outlook();
            let least = self.crew.least_food(now).unwrap_or(food).min(food);
            let complete = lacking == Inventory::default() && least >= FED;
            let impatient = now - self.gathers >= IMPATIENCE && incantations > 0 && least >= FED / 2;
            if complete || impatient {
                let (voice, caller) = (Voice::own(&self.body.memory), self.talk.token);
                self.meeting = Some(Meeting { caller, voice, since: now, said: None, tried: None });
                self.crew.parted();
            }
        }
        let steps = [Hard::attend, Hard::report, Hard::fill_up];
        let commands = steps.iter().find_map(|step| step(self));
        commands.unwrap_or_else(|| {
            let wanted = self.wanted();
            self.body.gather(&wanted)
        })
    }

    fn answered(&mut self, command: &Command, response: &Response) {
        self.body.answered(command, response);
        match (command, response) {
            (_, Response::Look(sights)) => self.talk.draw_token(&mut self.body, sights),
            (Command::ConnectNbr, Response::Slots(free)) => self.fill(*free),
            (Command::Fork, Response::Ok) => {
                self.eggs += 1;
                self.to_lay = self.to_lay.saturating_sub(1);
                self.bear();
            }
            _ => {}
        }
    }

    fn heard(&mut self, direction: u8, text: &Text) {
        let Some(shout) = self.talk.hear(text) else { return };
        self.deaf = false;
        let now = self.now();
        self.crew.heard(now, direction, &shout);
        let called_off = |meeting: &Meeting| shout.kind == ShoutKind::Have && meeting.caller == shout.token;
        if shout.kind == ShoutKind::Call {
            self.called(direction, &shout);
        } else if self.meeting.as_ref().is_some_and(called_off) {
            self.dissolve();
        }
    }

    fn pushed(&mut self, from: u8) {
        self.body.memory.pushed(from);
        self.crew.parted();
        if let Some(meeting) = &mut self.meeting {
            meeting.said = None;
        }
    }

    fn incantation_over(&mut self, level: Option<Level>) {
        let before = self.body.memory.level;
        self.body.memory.incantation_over(level);
        if level.is_some() {
            self.crew.rose(self.body.memory.clock, before);
            self.progressed = self.body.memory.clock;
        }
        if let Some(meeting) = &mut self.meeting {
            meeting.since = if level.is_some() { self.body.memory.clock } else { meeting.since };
            meeting.tried = None;
            meeting.voice.excuse(&self.body.memory);
        }
    }

    fn next_birth(&mut self) -> Option<Birth> {
        self.births.pop()
    }

    fn silenced(&mut self) {
        self.silenced = true;
    }

    fn note(&self) -> Option<&'static str> {
        let short = self.leads() && newborns_needed(&self.levels()) > 0;
        let stops = short && self.stands_still() && !self.silenced;
        stops.then_some("it lays no more eggs: no stone more and no rise for 1500 ticks")
    }
}
