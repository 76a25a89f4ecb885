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
use super::talk::{ShoutKind, Talk};
use super::voice::Voice;
use crate::zappy::plan::BATCH;
use crate::zappy::strategy::{Birth, Strategy};
use crate::zappy::team::newborns_needed;

/// Units of food below which a player looks for nothing else.
const HUNGRY: u32 = 4;
/// Units of food up to which a hungry player eats.
const SATED: u32 = 12;
/// Units of food that a player gathers for the whole way up.
const PROVISIONS: u32 = 26;
/// Units of food with which a player counts as fed.
const FED: u32 = 20;
/// Ticks between two shouts about what a player carries.
const REPORT_EVERY: Tick = 180;
/// Ticks between two calls while a mate is missing.
const CALL_EVERY: Tick = 35;
/// Ticks of gathering after which the team rises as far as its stones lead.
const IMPATIENCE: Tick = 3_000;
/// Ticks for which a meeting waits for missing players.
const WAIT: Tick = 800;
/// Ticks without a rise after which a caller gives its meeting up.
const GIVE_UP: Tick = 1_500;
/// Ticks of silence after which the caller is taken to have given up.
const SILENCE: Tick = 250;
/// Ticks for which the team has to be too small before more players are laid.
const SHORT_HANDED_TIME: Tick = 350;
/// Eggs that one player lays at most.
const EGGS_LIMIT: u32 = 24;
/// Ticks without another stone and without a rise after which a player lays no more.
const STANDSTILL: Tick = 1_500;
/// Ticks between two attempts at the same incantation.
const RETRY_AFTER: Tick = 3;
/// Ticks for which a player at a meeting relies on its last look.
const FRESH_FOR: Tick = 20;

/// A meeting, as one of its players sees it.
#[derive(Debug)]
struct Meeting {
    /// The token of the player that calls, maybe its own.
    caller: u32,
    voice: Voice,
    /// When it began, or when this player rose last.
    since: Tick,
    /// When this player last called, or said that it has come.
    said: Option<Tick>,
    /// When this player last tried to begin an incantation.
    tried: Option<Tick>,
}

/// A player of level `hard`.
#[derive(Debug)]
pub struct Hard {
    body: Body,
    talk: Talk,
    crew: Crew,
    meeting: Option<Meeting>,
    /// When it last said what it carries.
    reported: Option<Tick>,
    /// The tick since which it gathers.
    gathers_since: Tick,
    /// Since when the team is known to be too small.
    short_since: Option<Tick>,
    /// How many eggs it has laid.
    eggs: u32,
    /// How many eggs it still has to lay.
    to_lay: usize,
    /// Whether it came from a mate's egg and hasn't heard any mate yet. Then it lays none: a team that can't hear
    /// itself would grow on without end.
    deaf: bool,
    /// Whether the server refuses its shouts, so that it can't know whether its team is complete.
    silenced: bool,
    /// The fewest stones that the team has lacked, as far as it knows.
    lacked: u32,
    /// When the team lacked fewer stones than ever, or this player rose.
    progressed_at: Tick,
    births: Vec<Birth>,
}

impl Hard {
    pub fn new(team: &TeamName, size: MapSize, chance: u64, born: bool) -> Hard {
        Hard {
            body: Body::new(size, chance),
            talk: Talk::new(team),
            crew: Crew::default(),
            meeting: None,
            reported: None,
            gathers_since: 0,
            short_since: None,
            eggs: 0,
            to_lay: 0,
            deaf: born,
            silenced: false,
            lacked: u32::MAX,
            progressed_at: 0,
            births: Vec::new(),
        }
    }

    fn now(&self) -> Tick {
        self.body.now()
    }

    /// Whether it has the lowest token.
    fn leads(&self) -> bool {
        self.crew.lowest_token(self.now()).is_none_or(|lowest| self.talk.token < lowest)
    }

    /// The levels of all living players of the team, its own among them.
    fn levels(&self) -> Vec<Level> {
        let mut levels = self.crew.levels(self.now());
        levels.push(self.body.memory.level);
        levels
    }

    /// How many incantations the team can hold with what it carries, and what it lacks for the others.
    fn outlook(&self) -> (usize, Inventory) {
        let mut all = self.crew.carried(self.now());
        self.body.memory.carried().iter().for_each(|(resource, units)| all.add(resource, units));
        outlook(&self.levels(), &all)
    }

    /// The player with the lowest token asks for free slots and lays eggs when the team is too small.
    fn complete_team(&mut self) -> Option<Vec<Command>> {
        let (now, needed) = (self.now(), newborns_needed(&self.levels()));
        let (_, mut lacking) = self.outlook();
        lacking.set(Resource::Food, 0);
        let lacked = lacking.amounts().iter().sum();
        if lacked < self.lacked {
            (self.lacked, self.progressed_at) = (lacked, now);
        }
        if needed == 0 || !self.leads() || self.deaf || self.silenced || self.stands_still() {
            self.short_since = None;
            self.to_lay = 0;
            return None;
        }
        if self.to_lay > 0 {
            return Some(vec![Command::Fork]);
        }
        let is_short = now - *self.short_since.get_or_insert(now) >= SHORT_HANDED_TIME;
        (is_short && self.eggs < EGGS_LIMIT).then(|| vec![Command::ConnectNbr])
    }

    fn stands_still(&self) -> bool {
        self.now() - self.progressed_at >= STANDSTILL
    }

    /// Plans to connect a child.
    fn add_birth(&mut self) {
        self.births.push(Birth::Plain(self.body.chance.next_u64()));
    }

    /// Says from time to time what it carries, so that its mates know what the team lacks.
    fn report(&mut self) -> Option<Vec<Command>> {
        let due = self.reported.is_none_or(|at| self.now() - at >= REPORT_EVERY);
        due.then(|| {
            self.reported = Some(self.now());
            vec![self.talk.say(ShoutKind::Have, &self.body)]
        })
    }

    /// Ends its part in a meeting.
    fn dissolve(&mut self) {
        self.meeting = None;
        self.crew.parted();
        // By the next shout the mates know that it has left.
        self.reported = None;
        self.gathers_since = self.now();
    }

    /// What it does for a meeting: comes, calls or says that it has come, puts its stones down, and begins.
    fn attend(&mut self) -> Option<Vec<Command>> {
        let own = self.talk.token;
        let now = self.now();
        let meeting = self.meeting.as_mut()?;
        let is_over = if meeting.caller == own {
            now - meeting.since > GIVE_UP
        } else {
            meeting.voice.silence(&self.body.memory) > SILENCE
        };
        if is_over {
            self.dissolve();
            return None;
        }
        if !meeting.voice.is_here(&self.body.memory) {
            return Some(
                self.body.approach(meeting.voice.way_to_speaker(&self.body.memory).unwrap_or_default()),
            );
        }
        // The caller calls, more often while a mate is missing; the others say once that they have come.
        let calls = meeting.caller == own;
        let interval = if self.crew.is_apart(now) { CALL_EVERY } else { SILENCE / 2 };
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

    /// Begins the next incantation when it is this player's turn, and players and stones are there. A player that only
    /// waits for the incantation does so with the shortest commands: under the strict rules an incantation takes only
    /// players along that are between two commands.
    fn begin(&mut self) -> Option<Vec<Command>> {
        let (now, own) = (self.now(), self.talk.token);
        let seen = self.body.memory.seen(self.body.memory.here)?;
        let mates = self.crew.mates_here(now);
        let mut levels: Vec<Level> = mates.iter().map(|(_, level)| *level).collect();
        levels.push(self.body.memory.level);
        let (level, row) = next_incantation(&levels)?;
        let is_own_level = level == self.body.memory.level;
        let is_first =
            is_own_level && mates.iter().all(|&(token, mates_level)| mates_level != level || own < token);
        let players = seen.sight.players as usize;
        let complete = seen.sight.resources.covers(&row.stones) && players >= row.players;
        let all_came = !self.crew.is_apart(now) || !is_first && players >= self.levels().len();
        let meeting = self.meeting.as_mut()?;
        let waited = all_came || now - meeting.since >= WAIT;
        (now - seen.at <= FRESH_FOR && complete && waited).then_some(())?;
        if !is_first || meeting.tried.is_some_and(|at| now - at < RETRY_AFTER) {
            return Some(vec![Command::Inventory]);
        }
        meeting.tried = Some(now);
        Some(vec![Command::Incantation, Command::Inventory])
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
        if let Some(inventory) = self.body.check_inventory() {
            return inventory;
        }
        if self.body.must_eat(HUNGRY, SATED) {
            // For food it leaves even a meeting, and says so.
            if self.meeting.as_ref().is_some_and(|meeting| meeting.caller == self.talk.token) {
                self.dissolve();
            }
            if self.meeting.as_mut().is_some_and(|meeting| meeting.said.take().is_some()) {
                self.crew.parted();
                return vec![self.talk.say(ShoutKind::Have, &self.body)];
            }
            return self.body.find_food(SATED);
        }
        // Calls a meeting when the team lacks nothing, or has gathered for long enough.
        if self.meeting.is_none() && self.leads() && next_incantation(&self.levels()).is_some() {
            let (now, food) = (self.now(), self.body.memory.food());
            let (incantations, lacking) = self.outlook();
            let least = self.crew.least_food(now).unwrap_or(food).min(food);
            let complete = lacking == Inventory::default() && least >= FED;
            let impatient = now - self.gathers_since >= IMPATIENCE && incantations > 0 && least >= FED / 2;
            if complete || impatient {
                let (voice, caller) = (Voice::own(&self.body.memory), self.talk.token);
                self.meeting = Some(Meeting { caller, voice, since: now, said: None, tried: None });
                self.crew.parted();
            }
        }
        let steps = [Hard::attend, Hard::report, Hard::complete_team];
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
            (Command::ConnectNbr, Response::Slots(free)) => {
                // Connects players to the free slots; if these are too few, plans to lay the others.
                let needed = newborns_needed(&self.levels());
                let free = (*free as usize).min(WINNING_PLAYERS).min(needed);
                (0..free).for_each(|_| self.add_birth());
                self.to_lay = needed - free;
                self.short_since = Some(self.now());
            }
            (Command::Fork, Response::Ok) => {
                self.eggs += 1;
                self.to_lay = self.to_lay.saturating_sub(1);
                self.add_birth();
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
            // Follows the mate's voice, unless a player with a lower token calls as well.
            let (memory, caller) = (&self.body.memory, shout.token);
            match &mut self.meeting {
                Some(meeting) if meeting.caller == caller => meeting.voice.heard(memory, direction),
                Some(meeting) if meeting.caller < caller => {}
                _ => {
                    let mut voice = Voice::anywhere(memory);
                    voice.heard(memory, direction);
                    self.meeting = Some(Meeting { caller, voice, since: now, said: None, tried: None });
                }
            }
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
            self.progressed_at = self.body.memory.clock;
        }
        if let Some(meeting) = &mut self.meeting {
            meeting.since = if level.is_some() { self.body.memory.clock } else { meeting.since };
            meeting.tried = None;
            // The speaker couldn't speak until now.
            meeting.voice.heard_at = self.body.memory.clock;
        }
    }

    fn next_birth(&mut self) -> Option<Birth> {
        self.births.pop()
    }

    fn silenced(&mut self) {
        self.silenced = true;
    }

    fn note(&self) -> Option<&'static str> {
        let is_short = self.leads() && newborns_needed(&self.levels()) > 0;
        let stops = is_short && self.stands_still() && !self.silenced;
        stops.then_some("it lays no more eggs: no stone more and no rise for 1500 ticks")
    }
}
