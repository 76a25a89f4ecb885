//! What happened in a match: a fold over the lines of its record.
//!
//! Holds the world as far as the story needs it, one tick's happenings (so that reasons which come after what they
//! explain find it), and the tally. Takes any lines; what doesn't fit is passed over. Bounded whatever stands in a
//! file. Tested in `tests/records/`.

use std::collections::{BTreeMap, BTreeSet};

use zappy_protocol::record::{Entry, Header, RecordLine, Seat};
use zappy_protocol::zappy::mirror::Mirror;
use zappy_protocol::zappy::observer::Message;
use zappy_protocol::zappy::{EggId, PlayerId};
use zappy_protocol::{Position, Tick};

use super::happening::{Fate, Happening, Rite, What};
use super::source::shown;
use super::tally::{Tally, Team};

/// Happenings of one tick that wait for their reasons at most.
const MOST_WAITING: usize = 10_000;
/// Eggs that lie there, incantations under way, and players in one, at most: far beyond every real match.
const MOST_EGGS: usize = 100_000;
const MOST_RITES: usize = 1_000;
/// What the rules say of a line they don't take, as the beginning of its reason.
const DROPPED: &str = "dropped:";

/// The fold.
#[derive(Debug)]
pub struct Story {
    /// What everybody did in all.
    pub tally: Tally,
    mirror: Mirror,
    /// Whether messages to observers are among the lines.
    full: bool,
    begun: bool,
    tick: Tick,
    waiting: Vec<Happening>,
    ready: Vec<Happening>,
    /// When incantations began, by their initiator.
    rites: BTreeMap<PlayerId, Tick>,
    /// This tick's reasons, and who lost its connection.
    whys: BTreeMap<PlayerId, String>,
    left: BTreeSet<PlayerId>,
    /// Who was told of having been pushed since the last push.
    pushed: Vec<PlayerId>,
    lead: Option<usize>,
    /// Whether the levels changed since the lead was looked at.
    moved: bool,
}

impl Story {
    /// Nothing has happened yet.
    #[must_use]
    pub fn new(header: &Header, full: bool) -> Story {
        Story {
            tally: Tally::new(header.teams.iter().map(ToString::to_string)),
            mirror: Mirror::new(),
            full,
            begun: false,
            tick: 0,
            waiting: Vec::new(),
            ready: Vec::new(),
            rites: BTreeMap::new(),
            whys: BTreeMap::new(),
            left: BTreeSet::new(),
            pushed: Vec::new(),
            lead: None,
            moved: false,
        }
    }

    /// The last tick that was told of.
    #[must_use]
    pub const fn tick(&self) -> Tick {
        self.tick
    }

    /// Who takes part in incantations under way: the initiator first, and the level they are for.
    pub fn under_way(&self) -> impl Iterator<Item = (u8, &[PlayerId])> {
        self.mirror.incantations.iter().map(|known| (known.level.get() + 1, &known.players[..]))
    }

    /// Takes a line in; what is ready to be told then comes back.
    pub fn take(&mut self, line: RecordLine) -> Vec<Happening> {
        match line {
            RecordLine::Event(tick, entry) => {
                self.begun = true;
                self.advance(tick);
                self.take_entry(entry);
            }
            RecordLine::Snapshot(text) if !self.begun => {
                if let Ok(message @ (Message::EggLaid { .. } | Message::Team(_))) = Message::parse(&text) {
                    self.reflect(&message);
                }
            }
            RecordLine::Keyframe(tick) => self.advance(tick),
            RecordLine::End(tick, reason, winners) => {
                self.advance(tick);
                self.note(What::End { reason, winner: winners.first().map(ToString::to_string) });
            }
            _ => {}
        }
        std::mem::take(&mut self.ready)
    }

    /// There is no more.
    pub fn finish(&mut self) -> Vec<Happening> {
        self.settle();
        std::mem::take(&mut self.ready)
    }

    fn note(&mut self, what: What) {
        if self.waiting.len() >= MOST_WAITING {
            self.ready.append(&mut self.waiting);
        }
        self.waiting.push(Happening { tick: self.tick, what });
    }

    fn advance(&mut self, tick: Tick) {
        if tick > self.tick {
            self.settle();
            self.tick = tick;
        }
    }

    /// A tick is over: what it held can be told.
    fn settle(&mut self) {
        self.look_who_leads();
        self.whys.clear();
        self.left.clear();
        self.pushed.clear();
        self.ready.append(&mut self.waiting);
    }

    /// Within a tick only what stands at its end counts; the end of the match stays the last word.
    fn look_who_leads(&mut self) {
        if !std::mem::take(&mut self.moved) {
            return;
        }
        let team = self.tally.leader();
        if team == self.lead {
            return;
        }
        self.lead = team;
        let shown = team.or_else(|| (0..self.tally.teams.len()).max_by_key(|&i| self.tally.teams[i].rank()));
        let levels = shown.map(|team| self.tally.teams[team].levels).unwrap_or_default();
        let end = matches!(self.waiting.last(), Some(Happening { what: What::End { .. }, .. }));
        let at = self.waiting.len() - usize::from(end);
        self.waiting.insert(at, Happening { tick: self.tick, what: What::Lead { team, levels } });
    }

    fn take_entry(&mut self, entry: Entry) {
        match entry {
            Entry::Admitted(Seat::Number(seat), name) if !self.full => {
                self.join_unseen(PlayerId(seat), &name);
            }
            Entry::Received(Seat::Number(seat), _) => self.tally.line(PlayerId(seat)),
            Entry::Received(Seat::Console, line) => self.note(What::Console { line: shown(&line) }),
            Entry::Overflow(Seat::Number(seat)) => {
                self.tally.line(PlayerId(seat));
                self.note(What::TooLong { player: PlayerId(seat) });
            }
            Entry::Ended(Seat::Number(seat)) if !self.full => self.end(PlayerId(seat), Fate::Left),
            Entry::Gone(Seat::Number(seat)) if self.full => self.lose(PlayerId(seat)),
            Entry::Gone(Seat::Number(seat)) => self.end(PlayerId(seat), Fate::Left),
            Entry::Expelled(Seat::Number(seat), why) if !self.full => {
                self.end(PlayerId(seat), Fate::Expelled);
                self.explain_end(PlayerId(seat), &why);
            }
            Entry::Sent(Seat::Number(seat), text) => self.overhear(PlayerId(seat), &text),
            Entry::Why(Seat::Number(seat), why) => self.refuse(PlayerId(seat), why),
            Entry::Closed(Seat::Number(seat), why) => self.explain_end(PlayerId(seat), &why),
            Entry::Published(text) => self.take_text(&text),
            _ => {}
        }
    }

    fn join_unseen(&mut self, player: PlayerId, name: &[u8]) {
        let team = self.tally.index(String::from_utf8_lossy(name).trim());
        let Some(team) = team.filter(|&team| self.tally.join(self.tick, player, team, 1)) else { return };
        self.note(What::Joined { player, team, at: None });
    }

    /// The message of its end comes next.
    fn lose(&mut self, player: PlayerId) {
        if self.tally.team_of(player).is_some() {
            self.left.insert(player);
        }
    }

    /// Only its victims are told of a push; the message of it comes after them.
    fn overhear(&mut self, player: PlayerId, text: &[u8]) {
        if text.starts_with(b"eject: ") && self.pushed.len() < MOST_RITES {
            self.pushed.push(player);
        }
    }

    fn refuse(&mut self, player: PlayerId, why: String) {
        if why.starts_with(DROPPED) {
            self.tally.drop_line(player);
            return self.note(What::Dropped { player, why });
        }
        self.tally.refuse(player, &why);
        if self.tally.team_of(player).is_some() {
            self.whys.insert(player, why.clone());
        }
        self.note(What::Refused { player, why });
    }

    /// The reason comes after the end.
    fn explain_end(&mut self, player: PlayerId, words: &str) {
        let known = Fate::of_reason(words);
        let mut ends = self.waiting.iter_mut().rev().map(|happening| &mut happening.what);
        let end = ends.find_map(|what| match what {
            What::Gone { player: gone, fate, why, .. } if *gone == player => Some((fate, why)),
            _ => None,
        });
        if let Some((fate, why)) = end {
            (*fate, *why) = (known, Some(words.to_owned()));
            self.tally.correct(player, known);
        }
    }

    fn end(&mut self, player: PlayerId, fate: Fate) {
        let Some((team, level)) = self.tally.end(self.tick, player, fate) else { return };
        self.moved = true;
        self.note(What::Gone { player, team, level, fate, why: None });
    }

    /// Most messages are about the ground and about what players carry, which the story never tells.
    fn take_text(&mut self, text: &[u8]) {
        if text.starts_with(b"bct ") || text.starts_with(b"pin ") {
            return;
        }
        let Ok(message) = Message::parse(text) else { return };
        self.tell(&message);
        self.reflect(&message);
    }

    /// The map's size is left out: the story needs no tiles, and a file might name any size.
    fn reflect(&mut self, message: &Message) {
        let fits = match message {
            Message::MapSize(_) => false,
            Message::PlayerJoined { player, .. } => self.tally.team_of(*player).is_some(),
            Message::EggLaid { .. } => self.mirror.eggs.len() < MOST_EGGS,
            Message::Team(_) => self.mirror.teams.len() < self.tally.teams.len(),
            Message::IncantationBegan { players, .. } => {
                self.mirror.incantations.len() < MOST_RITES && players.len() <= MOST_RITES
            }
            _ => true,
        };
        if fits {
            // What doesn't fit what was told before is passed over.
            let _ = self.mirror.apply(message);
        }
    }

    fn tell(&mut self, message: &Message) {
        match message {
            Message::PlayerJoined { player, at, level, team, .. } => {
                let Some(team) = self.tally.index(team.as_str()) else { return };
                if self.tally.join(self.tick, *player, team, level.get()) {
                    self.moved = true;
                    self.tally.first(self.tick, team, level.get());
                    self.note(What::Joined { player: *player, team, at: Some(*at) });
                }
            }
            Message::Died(player) => {
                let fate = if self.left.contains(player) { Fate::Left } else { Fate::Expelled };
                self.end(*player, fate);
            }
            Message::PlayerLevel { player, level } => self.rise(*player, level.get()),
            Message::IncantationBegan { at, level, players } => {
                let Some(first) = players.first() else { return };
                if self.rites.len() < MOST_RITES {
                    self.rites.insert(*first, self.tick);
                }
                let (team, players) = (self.tally.team_of(*first), players.clone());
                self.note(What::RiteBegan { team, at: *at, to: level.get() + 1, players });
            }
            Message::IncantationEnded { at, success } => self.end_rite(*at, *success),
            Message::Server(text) => self.note(What::Server { text: text.clone() }),
            _ => self.tell_deed(message),
        }
    }

    fn tell_deed(&mut self, message: &Message) {
        let layer = |egg: &EggId| self.mirror.eggs.get(egg).and_then(|egg| egg.layer);
        let what = match message {
            Message::Broadcast { player, text } => What::Said { player: *player, text: text.clone() },
            Message::Took { player, resource } => What::Took { player: *player, resource: *resource },
            Message::Dropped { player, resource } => What::Put { player: *player, resource: *resource },
            Message::Ejected(player) => {
                let victims = std::mem::take(&mut self.pushed);
                let at = self.mirror.players.get(player).map(|known| known.at);
                let mut rites = self.mirror.incantations.iter().filter(|rite| Some(rite.at) == at);
                let out_of_rite = rites.any(|rite| rite.players.iter().any(|p| victims.contains(p)));
                What::Pushed { player: *player, at, victims, out_of_rite }
            }
            Message::EggLaid { egg, layer, at } => What::EggLaid { egg: *egg, layer: *layer, at: *at },
            Message::EggHatched(egg) => What::EggHatched { egg: *egg, layer: layer(egg) },
            Message::EggDestroyed(egg) => What::EggLost { egg: *egg, layer: layer(egg) },
            _ => return,
        };
        self.count(&what);
        self.note(what);
    }

    fn count(&mut self, what: &What) {
        let (player, of): (_, fn(&mut Team) -> &mut u32) = match what {
            What::Said { player, .. } => (player, |team| &mut team.broadcasts),
            What::Pushed { player, .. } => (player, |team| &mut team.pushes),
            What::EggLaid { layer: Some(player), .. } => (player, |team| &mut team.eggs),
            _ => return,
        };
        if let Some(team) = self.tally.team_of(*player) {
            *of(&mut self.tally.teams[team]) += 1;
        }
    }

    fn rise(&mut self, player: PlayerId, to: u8) {
        let Some((team, from)) = self.tally.rise(player, to).filter(|&(_, from)| from != to) else { return };
        self.moved = true;
        self.note(What::Level { player, team, from, to });
        if self.tally.first(self.tick, team, to) {
            self.note(What::First { team, level: to, player, by_rite: false });
        }
    }

    /// Every participant who lives was told the reason.
    fn why_failed(&self, players: &[PlayerId]) -> Option<String> {
        let lives = |player: &PlayerId| self.mirror.players.contains_key(player);
        let told = players.iter().find_map(|player| self.whys.get(player).cloned());
        told.or_else(|| {
            let nobody = !players.is_empty() && !players.iter().any(lives);
            nobody.then(|| "nobody who took part lives any more".to_owned())
        })
    }

    /// Of several incantations on a tile the oldest ends first, as the mirror has it.
    fn end_rite(&mut self, at: Position, success: bool) {
        let known = self.mirror.incantations.iter().find(|known| known.at == at);
        let (to, players) =
            known.map_or((None, Vec::new()), |known| (Some(known.level.get() + 1), known.players.clone()));
        let began = players.first().and_then(|first| self.rites.remove(first));
        let team = players.first().and_then(|first| self.tally.team_of(*first));
        let why = if success { None } else { self.why_failed(&players) };
        if let Some(team) = team {
            let team = &mut self.tally.teams[team];
            *if success { &mut team.rites_won } else { &mut team.rites_failed } += 1;
        }
        let mut first_of = Vec::new();
        for happening in &mut self.waiting {
            if let What::First { team, level, player, by_rite } = &mut happening.what
                && Some(*level) == to
                && players.contains(player)
            {
                *by_rite = true;
                first_of.push(*team);
            }
        }
        self.note(What::RiteEnded(Box::new(Rite { team, at, to, players, began, success, why, first_of })));
    }
}
