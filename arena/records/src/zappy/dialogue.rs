//! What one player and the server said to each other, each answer with its command and each refusal with its
//! reason.
//!
//! A fold over the record's lines. Holds the commands that wait for an answer, and one line, because its reason comes
//! after it. Answers keep the order of the commands; lines that answer nothing are recognised as `protocol.md` says.
//! Tested in `arena/cli/tests/records/`.

use std::collections::VecDeque;
use std::fmt::Write as _;

use zappy_protocol::record::dialogue::{Speech, Spoken, is_of};
use zappy_protocol::record::{BadRecord, Entry, Glance, Header, RecordLine};
use zappy_protocol::text::{many, shown, thousands};
use zappy_protocol::zappy::PlayerId;
use zappy_protocol::zappy::observer::Message;
use zappy_protocol::zappy::player::CommandKind;
use zappy_protocol::zappy::story::{Fate, ended, name};
use zappy_protocol::{TeamName, Tick};

use super::tally::{RecordTally, joined};

/// The reason with which a match's end closes every connection: no player's fate.
const MATCH_OVER: &str = "the match is over";
/// The most commands that are kept until their answers come; a server lets no more than eleven wait.
const MOST_WAITING: usize = 64;
/// Lines with which a server answers a player that is let in: the slots left and the map.
const WELCOME_LINES: u8 = 2;
/// The most ticks between two lines before a line says that there was silence: longer than an incantation.
const SILENCE_TICKS: Tick = 400;
/// Columns of an answer before the command it answers.
const ANSWER_COLUMNS: usize = 24;

/// One line of the dialogue, and what it answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    pub spoken: Spoken,
    /// The command that it answers, and the tick at which that command was sent.
    pub answers: Option<(String, Tick)>,
    /// Whether it is about another player's incantation.
    pub of_others: bool,
}

/// The dialogue of one player.
#[derive(Debug)]
pub struct Dialogue {
    /// What came from the player, and how it fared.
    pub tally: RecordTally,
    player: PlayerId,
    /// Whether answers are among the lines.
    full: bool,
    /// How many of the [`WELCOME_LINES`] are still to come.
    welcome: u8,
    /// Commands that wait for their answers, the oldest first, with the ticks at which they were sent.
    commands: VecDeque<(String, Tick)>,
    /// How many more commands wait behind those, which are not kept.
    unkept: u64,
    /// Whether the incantation that is under way is the player's own; `None` if none is.
    incantation: Option<bool>,
    /// The line that waits for its reason.
    pub last: Option<Answer>,
    why_ended: Option<String>,
    /// The tick of the line that was written last.
    last_written: Option<Tick>,
}

impl Dialogue {
    pub fn new(header: &Header, player: u32, full: bool) -> Dialogue {
        Dialogue {
            tally: RecordTally::new(header),
            player: PlayerId(player),
            full,
            welcome: 0,
            commands: VecDeque::new(),
            unkept: 0,
            incantation: None,
            last: None,
            why_ended: None,
            last_written: None,
        }
    }

    /// Takes a line of the record in. If it is a line of the dialogue, the line before it comes back, which is complete
    /// now.
    pub fn take(&mut self, line: &[u8]) -> Result<Option<Answer>, BadRecord> {
        match Glance::at(line) {
            Glance::Published(tick, text) if text.starts_with(b"plv ") => {
                if let Ok(message) = Message::parse(&text) {
                    self.tally.roster.apply(tick, &message);
                }
                return Ok(None);
            }
            Glance::Broken => {}
            Glance::Seat(_) if is_of(line, self.player.0) => {}
            _ => return Ok(None),
        }
        let RecordLine::Event(tick, entry) = RecordLine::parse(line)? else { return Ok(None) };
        if let Entry::Admitted(_, name) = &entry {
            let known = |team: &TeamName| self.tally.roster.team(team).is_some();
            let team = TeamName::parse(name.trim_ascii()).filter(known);
            let team = team.or_else(|| self.tally.roster.teams().first().cloned());
            if let Some(team) = team {
                self.tally.roster.apply(tick, &joined(self.player, team));
            }
        }
        let dropped = if let Entry::Dropped(_, count) = entry { count } else { 0 };
        let Some(spoken) = Spoken::of(tick, entry, self.player.0) else { return Ok(None) };
        if spoken.speech == Speech::Reason {
            self.explain(&spoken.text);
            return Ok(None);
        }
        let (mut answers, mut of_others) = (None, false);
        match spoken.speech {
            Speech::Joined => self.welcome = WELCOME_LINES,
            Speech::In | Speech::TooLong => self.note_command(&spoken),
            Speech::Out => (answers, of_others) = self.match_answer(&spoken.text),
            Speech::Gone => self.end(tick, Fate::Left),
            Speech::Expelled => self.end(tick, Fate::Disconnected),
            Speech::Closed => {
                let why = spoken.why.clone().unwrap_or_default();
                if why != MATCH_OVER {
                    self.end(tick, Fate::of_reason(&why));
                }
                self.why_ended = Some(why);
            }
            Speech::Dropped => {
                self.tally.add_lines(self.player, dropped);
                self.tally.drop_lines(self.player, dropped);
            }
            Speech::Ended | Speech::Reason | Speech::Noted => {}
        }
        Ok(self.last.replace(Answer { spoken, answers, of_others }))
    }

    /// Notes the end of a player, unless one is known already.
    fn end(&mut self, tick: Tick, fate: Fate) {
        if self.tally.roster.life(self.player).is_none_or(|life| life.until.is_none()) {
            self.tally.roster.apply(tick, &Message::Died(self.player));
            self.tally.note_fate(self.player, fate);
        }
    }

    fn note_command(&mut self, spoken: &Spoken) {
        self.tally.add_lines(self.player, 1);
        if self.full && self.commands.len() < MOST_WAITING && self.unkept == 0 {
            self.commands.push_back((spoken.text.clone(), spoken.tick));
        } else if self.full {
            self.unkept += 1;
        }
    }

    /// The command that a line from the server answers, with its tick, and whether the line is about another player's
    /// incantation.
    fn match_answer(&mut self, text: &str) -> (Option<(String, Tick)>, bool) {
        if self.welcome > 0 {
            self.welcome -= 1;
            return (None, false);
        }
        if text.starts_with("message ") || text.starts_with("eject: ") || text == "dead" {
            return (None, false);
        }
        if text == "Elevation underway" {
            let name = CommandKind::Incantation.name();
            let first = self.commands.front().filter(|(command, _)| command.trim() == name);
            let own = first.filter(|_| self.incantation.is_none()).cloned();
            self.incantation = Some(own.is_some());
            let of_others = own.is_none();
            return (own, of_others);
        }
        // A player in an incantation gets no other answers.
        match self.incantation.take() {
            Some(false) => (None, true),
            Some(true) | None => {
                let command = self.commands.pop_front();
                if command.is_none() {
                    self.unkept = self.unkept.saturating_sub(1);
                }
                (command, false)
            }
        }
    }

    /// Adds a reason to the line before it.
    fn explain(&mut self, why: &str) {
        let Some(last) = &mut self.last else { return };
        match last.spoken.speech {
            Speech::In | Speech::TooLong => {
                // The line that was dropped is the latest.
                match self.unkept.checked_sub(1) {
                    Some(fewer) => self.unkept = fewer,
                    None => drop(self.commands.pop_back()),
                }
                self.tally.drop_lines(self.player, 1);
            }
            Speech::Dropped => {}
            _ => self.tally.refuse(self.player, why),
        }
        last.spoken.explain(why);
    }

    /// The player of the dialogue, and how it ended; `None` if it never joined.
    pub fn head(&self) -> Option<String> {
        let life = self.tally.roster.life(self.player)?;
        let (known, team) = (self.tally.player(self.player), name(&self.tally.roster, life.team));
        let (joined, lines) = (thousands(life.from), many(known.lines.lines, "line"));
        let end = life.until.map_or("alive at the end".to_owned(), |tick| {
            format!("{} at tick {}", ended(known.fate, self.why_ended.as_deref()), thousands(tick))
        });
        let (level, said) = if self.full {
            let (refused, dropped) =
                (many(known.lines.refused, "refusal"), many(known.lines.dropped, "line"));
            (format!("level {} at last, ", life.level), format!("{refused}, {dropped} dropped"))
        } else {
            (String::new(), "the answers are not in the file".to_owned())
        };
        Some(format!(
            "player    {} of {team}, joined at tick {joined}, {level}{end}\ndialogue  {lines} from it, {said}\n",
            self.player,
        ))
    }

    /// Commands that never got an answer.
    pub fn unanswered(&self) -> Option<String> {
        let commands: Vec<String> =
            self.commands.iter().map(|(text, tick)| format!("{text} ({})", thousands(*tick))).collect();
        (!commands.is_empty()).then(|| format!("never answered: {}", commands.join(", ")))
    }

    /// Appends a line of the dialogue as text.
    pub fn write(&mut self, line: &Answer, out: &mut String) {
        let Answer { spoken, answers, of_others } = line;
        // Writing to a string cannot fail.
        let gap = spoken.tick.saturating_sub(self.last_written.unwrap_or(spoken.tick));
        if gap > SILENCE_TICKS {
            let _ = writeln!(out, "{:>11} {:>6}  ({} without a word)", "", "", many(gap, "tick"));
        }
        let tick = thousands(spoken.tick);
        self.last_written = Some(spoken.tick);
        let after = answers.as_ref().map(|(_, asked)| format!("+{}", spoken.tick.saturating_sub(*asked)));
        let of = match answers {
            Some((command, _)) if !spoken.text.starts_with('[') => command.as_str(),
            None if *of_others => "(another player's incantation)",
            _ => "",
        };
        let text = format!("{:<ANSWER_COLUMNS$}  {of}", spoken.text);
        let (mark, after) = (spoken.speech.mark(), after.unwrap_or_default());
        let _ = writeln!(out, "{tick:>9} {mark} {after:>6}  {}", text.trim_end());
        if let Some(why) = &spoken.why {
            let _ = writeln!(out, "{tick:>9} ? {:>6}  {}", "", shown(why.as_bytes()));
        }
    }
}

#[cfg(test)]
mod tests {
    use zappy_protocol::MapSize;
    use zappy_protocol::record::RecordLevel;

    use super::*;

    #[test]
    fn commands_beyond_those_that_are_kept_take_no_answer_of_another() {
        let header = Header {
            format: 1,
            game: "zappy".to_owned(),
            rules_version: 1,
            seed: 1,
            map: MapSize::new(8, 8).unwrap(),
            frequency: 100,
            max_frequency: 100,
            auto_start: true,
            max_ticks: None,
            clock: "lockstep".to_owned(),
            level: RecordLevel::Full,
            teams: vec![TeamName::parse(b"red").unwrap()],
            options: Vec::new(),
        };
        let mut dialogue = Dialogue::new(&header, 0, true);
        let more = 3;
        let mut answers = Vec::new();
        let mut take = |line: String| answers.extend(dialogue.take(line.as_bytes()).unwrap());
        for tick in 1..=MOST_WAITING + more {
            take(format!("{tick} < 0 Take food"));
        }
        take("90 ? 0 dropped: too many wait".to_owned());
        for tick in 100..100 + MOST_WAITING + more {
            take(format!("{tick} > 0 ok"));
        }
        take("999 < 0 Look".to_owned());
        take("1000 > 0 ko".to_owned());
        answers.extend(dialogue.last.take());
        let asked = |answer: &Answer| answer.answers.as_ref().map(|(_, asked)| *asked);
        let of_server: Vec<_> =
            answers.iter().filter(|answer| answer.spoken.speech == Speech::Out).map(asked).collect();
        let kept = (1..=MOST_WAITING as Tick).map(Some);
        let expected: Vec<_> = kept.chain([None; 3]).chain([Some(999)]).collect();
        assert_eq!(of_server, expected);
    }
}
