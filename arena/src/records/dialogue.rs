//! What one player and the server said to each other, each answer with its command and each refusal with its
//! reason.
//!
//! A fold over the record's lines. Holds the commands that wait for an answer, and one line, because its reason
//! comes after it. Answers keep the order of the commands; what comes unasked is told apart as `protocol.md` says.
//! Tested in this module and in `tests/records/`.

use std::collections::VecDeque;
use std::fmt::Write as _;

use zappy_protocol::Tick;
use zappy_protocol::record::{BadRecord, Entry, Header, RecordLine, Seat};
use zappy_protocol::zappy::PlayerId;
use zappy_protocol::zappy::observer::Message;
use zappy_protocol::zappy::player::CommandKind;

use super::happening::{Fate, MATCH_OVER};
use super::source::shown;
use super::tally::Tally;
use super::words::{ended, many, name, thousands};

/// Commands that may wait for an answer: ten and the running one, in all that a server records.
const MOST_WAITING: usize = 64;
/// Lines with which a server answers who is let in: the slots left and the map.
const WELCOME_LINES: u8 = 2;
/// Ticks without a word that are worth a line: longer than an incantation.
const SILENCE: Tick = 400;
/// Stands for the words of such a line, which aren't kept.
const TOO_LONG: &str = "a line that was too long";
/// Columns of an answer before the command it answers.
const ANSWER_COLUMNS: usize = 24;
/// Players of a team that are named to who asks for one that never was.
const NAMED: usize = 100;

/// What a line of the dialogue is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speech {
    /// The player said it.
    In,
    /// The line with which it came in.
    Joined,
    /// It sent a line that was too long.
    TooLong,
    /// It sends nothing more.
    Ended,
    /// Its connection is gone.
    Gone,
    /// The server ended it.
    Expelled,
    /// The server said it.
    Out,
    /// The server closed the connection.
    Closed,
}

impl Speech {
    const fn mark(self) -> char {
        match self {
            Speech::In => '<',
            Speech::Joined => '+',
            Speech::TooLong => '~',
            Speech::Ended => '.',
            Speech::Gone => '-',
            Speech::Expelled => '!',
            Speech::Out => '>',
            Speech::Closed => 'x',
        }
    }

    /// The word for it in JSON.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Speech::In => "in",
            Speech::Joined => "joined",
            Speech::TooLong => "too_long",
            Speech::Ended => "ended",
            Speech::Gone => "gone",
            Speech::Expelled => "expelled",
            Speech::Out => "out",
            Speech::Closed => "closed",
        }
    }
}

/// One line of the dialogue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spoken {
    /// When, in ticks.
    pub tick: Tick,
    /// Who, or what happened.
    pub speech: Speech,
    /// The words.
    pub text: String,
    /// Which command it answers, and when that was sent.
    pub answers: Option<(String, Tick)>,
    /// Whether it is about another player's incantation.
    pub of_others: bool,
    /// Why it was refused or not even taken, or why the connection was closed.
    pub why: Option<String>,
}

/// The dialogue of one player.
#[derive(Debug)]
pub struct Dialogue {
    /// Who joined, whom nobody else is about.
    pub tally: Tally,
    player: PlayerId,
    /// Whether answers are among the lines.
    full: bool,
    tick: Tick,
    welcome: u8,
    /// Commands that wait for their answers.
    commands: VecDeque<(String, Tick)>,
    /// Whether an incantation is under way, and whether it is the player's own.
    rite: Option<bool>,
    last: Option<Spoken>,
    why_ended: Option<String>,
    told: Option<Tick>,
}

impl Dialogue {
    /// Nothing was said yet.
    #[must_use]
    pub fn new(header: &Header, player: u32, full: bool) -> Dialogue {
        Dialogue {
            tally: Tally::new(header.teams.iter().map(ToString::to_string)),
            player: PlayerId(player),
            full,
            tick: 0,
            welcome: 0,
            commands: VecDeque::new(),
            rite: None,
            last: None,
            why_ended: None,
            told: None,
        }
    }

    /// Takes a line of the record in; the line of the dialogue before it comes back when it is whole.
    ///
    /// # Errors
    /// When it is no line of a record.
    pub fn take(&mut self, line: &[u8]) -> Result<Option<Spoken>, BadRecord> {
        if self.is_elsewhere(line) {
            return Ok(None);
        }
        let RecordLine::Event(tick, entry) = RecordLine::parse(line)? else { return Ok(None) };
        self.tick = tick;
        Ok(self.hear(entry).and_then(|spoken| self.last.replace(spoken)))
    }

    fn hear(&mut self, entry: Entry) -> Option<Spoken> {
        match entry {
            Entry::Admitted(seat, name) => {
                self.join(seat, &name);
                self.is_ours(seat).then(|| self.plain(Speech::Joined, &name))
            }
            Entry::Published(text) => {
                if let Ok(Message::PlayerLevel { player, level }) = Message::parse(&text) {
                    self.tally.rise(player, level.get());
                }
                None
            }
            Entry::Received(seat, text) if self.is_ours(seat) => {
                self.ask(shown(&text));
                Some(self.plain(Speech::In, &text))
            }
            Entry::Overflow(seat) if self.is_ours(seat) => {
                self.ask(TOO_LONG.to_owned());
                Some(self.plain(Speech::TooLong, TOO_LONG.as_bytes()))
            }
            Entry::Sent(seat, text) if self.is_ours(seat) => {
                let (answers, of_others) = self.answer(&text);
                Some(Spoken { answers, of_others, ..self.plain(Speech::Out, &text) })
            }
            Entry::Why(seat, why) if self.is_ours(seat) => {
                self.explain(why);
                None
            }
            Entry::Ended(seat) if self.is_ours(seat) => {
                Some(self.plain(Speech::Ended, b"its client sends nothing more"))
            }
            Entry::Gone(seat) if self.is_ours(seat) => {
                self.tally.end(self.tick, self.player, Fate::Left);
                Some(self.plain(Speech::Gone, b"its connection is gone"))
            }
            Entry::Expelled(seat, why) if self.is_ours(seat) => {
                self.tally.end(self.tick, self.player, Fate::Expelled);
                Some(Spoken { why: Some(why), ..self.plain(Speech::Expelled, b"the server ends it") })
            }
            Entry::Closed(seat, why) if self.is_ours(seat) => {
                if why != MATCH_OVER {
                    self.tally.end(self.tick, self.player, Fate::of_reason(&why));
                }
                self.why_ended = Some(why.clone());
                Some(Spoken {
                    why: Some(why),
                    ..self.plain(Speech::Closed, b"the server closes the connection")
                })
            }
            _ => None,
        }
    }

    fn is_ours(&self, seat: Seat) -> bool {
        seat == Seat::Number(self.player.0)
    }

    fn plain(&self, speech: Speech, text: &[u8]) -> Spoken {
        Spoken { tick: self.tick, speech, text: shown(text), answers: None, of_others: false, why: None }
    }

    /// The last line, when there is no more.
    pub fn finish(&mut self) -> Option<Spoken> {
        self.last.take()
    }

    /// Most lines are somebody else's; those needn't be read.
    fn is_elsewhere(&self, line: &[u8]) -> bool {
        let mut words = line.splitn(4, |&byte| byte == b' ');
        let (tick, mark, whose) = (words.next().unwrap_or_default(), words.next(), words.next());
        if tick.is_empty() || !tick.iter().all(u8::is_ascii_digit) {
            return tick == b"=";
        }
        match (mark, whose) {
            (Some(b"*"), Some(name)) => name != b"plv",
            (Some(b"<" | b">" | b"?" | b"x" | b"." | b"-" | b"~"), Some(whose)) => {
                !std::str::from_utf8(whose).is_ok_and(|whose| whose.parse() == Ok(self.player.0))
            }
            _ => false,
        }
    }

    fn join(&mut self, seat: Seat, name: &[u8]) {
        let Seat::Number(number) = seat else { return };
        let team = self.tally.index(String::from_utf8_lossy(name).trim()).unwrap_or(0);
        self.tally.join(self.tick, PlayerId(number), team, 1);
        if number == self.player.0 {
            self.welcome = WELCOME_LINES;
        }
    }

    fn ask(&mut self, command: String) {
        self.tally.line(self.player);
        if self.full && self.commands.len() < MOST_WAITING {
            self.commands.push_back((command, self.tick));
        }
    }

    /// Which command a line from the server answers, and whether it is about another's incantation.
    fn answer(&mut self, text: &[u8]) -> (Option<(String, Tick)>, bool) {
        if self.welcome > 0 {
            self.welcome -= 1;
            return (None, false);
        }
        if text.starts_with(b"message ") || text.starts_with(b"eject: ") || text == b"dead" {
            return (None, false);
        }
        if text == b"Elevation underway" {
            let incantation = CommandKind::Incantation.name();
            let first = self.commands.front().filter(|(command, _)| command.trim() == incantation);
            let own = first.filter(|_| self.rite.is_none()).cloned();
            self.rite = Some(own.is_some());
            let of_others = own.is_none();
            return (own, of_others);
        }
        // Who is in an incantation gets no other answers.
        match self.rite.take() {
            Some(false) => (None, true),
            Some(true) | None => (self.commands.pop_front(), false),
        }
    }

    /// A reason joins the line it explains.
    fn explain(&mut self, why: String) {
        if let Some(last) = &mut self.last {
            match last.speech {
                Speech::In | Speech::TooLong => {
                    self.commands.pop_back();
                    self.tally.drop_line(self.player);
                }
                _ => self.tally.refuse(self.player, &why),
            }
            last.why.get_or_insert(why);
        }
    }

    /// Whose dialogue it is, and how the player ended; nothing if it never joined.
    #[must_use]
    pub fn head(&self) -> Option<String> {
        let known = self.tally.players.get(&self.player)?;
        let (team, joined) = (name(&self.tally, known.team), thousands(known.joined));
        let lines = many(known.lines, "line");
        let end = known.ended.map_or("alive at the end".to_owned(), |(tick, fate)| {
            format!("{} at tick {}", ended(fate, self.why_ended.as_deref()), thousands(tick))
        });
        let (level, said) = if self.full {
            let (refused, dropped) = (many(known.refused, "refusal"), many(known.dropped, "line"));
            (format!("level {} at last, ", known.level), format!("{refused}, {dropped} dropped"))
        } else {
            (String::new(), "the answers are not in the file".to_owned())
        };
        Some(format!(
            "player    {} of {team}, joined at tick {joined}, {level}{end}\ndialogue  {lines} from it, {said}\n",
            self.player,
        ))
    }

    /// How it ended, in one word.
    #[must_use]
    pub fn fate(&self) -> &'static str {
        let ended = self.tally.players.get(&self.player).and_then(|known| known.ended);
        ended.map_or("alive", |(_, fate)| fate.word())
    }

    /// Who else it could have been, by team.
    #[must_use]
    pub fn others(&self) -> String {
        let teams = (0..self.tally.teams.len()).filter_map(|team| {
            let mut members = self.tally.players.iter().filter(|(_, known)| known.team == team);
            let named: Vec<String> =
                members.by_ref().take(NAMED).map(|(player, _)| player.to_string()).collect();
            let rest = members.count();
            let rest = if rest > 0 { format!(" and {rest} more") } else { String::new() };
            (!named.is_empty()).then(|| format!("{} had {}{rest}", name(&self.tally, team), named.join(" ")))
        });
        let teams: Vec<String> = teams.collect();
        if teams.is_empty() { "nobody ever joined".to_owned() } else { teams.join("; ") }
    }

    /// Commands that never got an answer.
    #[must_use]
    pub fn unanswered(&self) -> Option<String> {
        let commands: Vec<String> =
            self.commands.iter().map(|(text, tick)| format!("{text} ({})", thousands(*tick))).collect();
        (!commands.is_empty()).then(|| format!("never answered: {}", commands.join(", ")))
    }

    /// A line of it as text.
    pub fn write(&mut self, spoken: &Spoken, out: &mut String) {
        // Writing to a string cannot fail.
        let gap = spoken.tick.saturating_sub(self.told.unwrap_or(spoken.tick));
        if gap > SILENCE {
            let _ = writeln!(out, "{:>11} {:>6}  ({} without a word)", "", "", many(gap, "tick"));
        }
        let tick = thousands(spoken.tick);
        self.told = Some(spoken.tick);
        let after =
            spoken.answers.as_ref().map(|(_, asked)| format!("+{}", spoken.tick.saturating_sub(*asked)));
        let lists = spoken.text.starts_with('[');
        let of = match &spoken.answers {
            Some((command, _)) if !lists => command.as_str(),
            None if spoken.of_others => "(another player's incantation)",
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
