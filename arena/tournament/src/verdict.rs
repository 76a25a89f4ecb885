//! What a result means: which team beat which, whether the match counts, the words for its end, and whether the result is
//! consistent.
//!
//! Reads and writes no files. Tested in `arena/cli/tests/merge/`.

use zappy_game::{Column, GameSpec};

use super::identity::Id;
use super::outcome::{BotEnd, Cause, Intervention, Outcome, Seat};
use super::plan::Planned;

/// The version of the result format that this program reads.
const VERSION: u32 = 1;

impl Intervention {
    /// The word for it in `result.json`, and the words that people read.
    const fn texts(self) -> [&'static str; 2] {
        match self {
            Intervention::OutOfTime => ["out_of_time", "cut off by the clock on the wall"],
            Intervention::Stalled => ["stalled", "cut off, because a team kept the others waiting"],
            Intervention::Foul => [
                "foul",
                "lost by a team that came as another one or as an observer, or told the server or the arena to stop",
            ],
            Intervention::Unproved => ["unproved", "not proved: its record isn't whole, or doesn't verify"],
        }
    }
}

impl Cause {
    /// The word for it in `result.json`.
    pub fn word(&self) -> &str {
        match self {
            Cause::Arena(intervention) => intervention.texts()[0],
            Cause::Game(reason) => reason,
        }
    }

    /// Whether a match with this cause counts in rankings.
    pub fn counts(&self) -> bool {
        !matches!(self, Cause::Arena(Intervention::OutOfTime | Intervention::Unproved))
    }

    /// Whether the match was ended by a team's fault, so that neither its score nor a lot tells anything about the teams.
    fn is_fault(&self) -> bool {
        matches!(self, Cause::Arena(Intervention::Stalled | Intervention::Foul))
    }
}

impl BotEnd {
    /// All ends, the good one first.
    pub const ALL: [BotEnd; 8] = [
        BotEnd::Played,
        BotEnd::FailedToStart,
        BotEnd::Crashed,
        BotEnd::Late,
        BotEnd::ProtocolViolation,
        BotEnd::KilledByLimit,
        BotEnd::NeverJoined,
        BotEnd::Unresponsive,
    ];

    /// The word for it in files, the words for people, and advice for the bot's author; `{manual}` stands for the manual with
    /// the game's commands.
    const fn texts(self) -> [&'static str; 3] {
        match self {
            BotEnd::Played => ["played", "played to the end", "Nothing went wrong."],
            BotEnd::FailedToStart => [
                "failed_to_start",
                "could not be started",
                "The command itself failed. Start it by hand from its folder, just as it is given; a missing \
                 interpreter, library or executable bit is the usual cause.",
            ],
            BotEnd::Crashed => [
                "crashed",
                "broke off during the match",
                "A program of the team ended badly while its match went on, and players were lost with it. The last \
                 lines of its log mostly name the error and the line of code.",
            ],
            BotEnd::Late => [
                "late",
                "was late too often",
                "It let others wait for longer than the think time, too often. Look for loops over everything seen, \
                 for reads that block, and for output that isn't flushed.",
            ],
            BotEnd::ProtocolViolation => [
                "protocol_violation",
                "broke the protocol",
                "Either more of the lines it sent were no command than were one: the match's record holds them, and at \
                 which tick they came; {manual} names the commands. Or it logged in under a name that isn't its own: \
                 say the one that is given on the command line, and never GRAPHIC. Or it sent signals to programs that aren't \
                 its own: end those alone that it has started.",
            ],
            BotEnd::KilledByLimit => [
                "killed_by_limit",
                "used more than its limits allow",
                "A process of it used more than it may. Look for loops that wait without sleeping, and for what is \
                 worked out anew each time.",
            ],
            BotEnd::NeverJoined => [
                "never_joined",
                "ran, but never joined",
                "Its programs ran, but none of them got a player. If they ended by themselves, what they said last tells why. \
                 Else check that host, port and team name are those given on the command line, and that it answers \
                 WELCOME with the team's name.",
            ],
            BotEnd::Unresponsive => [
                "unresponsive",
                "fell silent long before its end",
                "None of its players sent anything in the whole match, or for a thousand ticks or more before the last of \
                 them, or the match, ended. Look at the last lines of its dialogue and of its log: mostly it waits for an answer that has come \
                 already, or for one of another kind.",
            ],
        }
    }

    /// Whether no player of the bot joined.
    pub const fn is_absent(self) -> bool {
        matches!(self, BotEnd::FailedToStart | BotEnd::NeverJoined)
    }

    /// The word for it in files.
    pub const fn word(self) -> &'static str {
        self.texts()[0]
    }

    /// What the bot did, in words for people.
    pub const fn words(self) -> &'static str {
        self.texts()[1]
    }

    /// Where the bot's author should look; `manual` names the game's commands.
    pub fn advice(self, manual: &str) -> String {
        self.texts()[2].replace("{manual}", manual)
    }
}

/// Whether `halves` half points from `matches` matches are enough: a share of at least `pass`. A `pass` of one half has
/// to be exceeded, since two equal bots get one half.
pub fn passes(halves: u64, matches: u64, pass: f64) -> bool {
    let share = halves as f64 / (2 * matches) as f64;
    matches > 0 && if pass == 0.5 { share > pass } else { share >= pass }
}

/// The share that passes, in words.
pub fn needed(pass: f64) -> String {
    if pass == 0.5 { "more than half".to_owned() } else { format!("{pass} or more") }
}

/// The result of one seat against another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PairResult {
    Win,
    /// The two are equal, or only a lot put one before the other, or no team has won.
    Draw,
    Loss,
}

impl PairResult {
    /// Compares the ranks of two seats. Comparisons, rankings and grades all decide by this rule what is a draw.
    ///
    /// It is a draw if they share a rank, or if no team has `won`. If rank 1 was drawn by lot, the first two ranks are
    /// even, and so are two seats that are `alike` in the columns that the game names for this.
    pub fn of(one: u64, other: u64, won: bool, by_lot: bool, alike: bool) -> PairResult {
        let lot = by_lot && (alike || one.max(other) <= 2);
        if one == other || !won || lot {
            return PairResult::Draw;
        }
        if one < other { PairResult::Win } else { PairResult::Loss }
    }

    /// Half points: 2, 1 or 0.
    pub const fn halves(self) -> u64 {
        match self {
            PairResult::Win => 2,
            PairResult::Draw => 1,
            PairResult::Loss => 0,
        }
    }
}

impl Outcome {
    /// How the match ended, in words for people. A match that no bot joined is ended by the arena, but the game takes
    /// that for an operator's stop, so its word isn't used.
    pub fn end<'a>(&'a self, game: &'a GameSpec) -> &'a str {
        let has_begun = self.ticks > 0 || !self.seats.iter().all(|seat| seat.end.is_absent());
        match &self.cause {
            cause if !has_begun && cause.counts() => "nobody joined",
            Cause::Arena(intervention) => intervention.texts()[1],
            Cause::Game(reason) => game.reason(reason),
        }
    }

    /// The result of seat `one` against seat `other`. If the match was ended by a team's fault, the ranks alone count:
    /// they say which team was at fault.
    pub fn compare(&self, one: usize, other: usize, game: &GameSpec) -> PairResult {
        let (a, b) = (&self.seats[one], &self.seats[other]);
        if self.cause.is_fault() {
            return PairResult::of(a.rank, b.rank, true, false, false);
        }
        let mut even_columns = game.columns.iter().filter(|column| column.even).map(Column::name).peekable();
        let alike = even_columns.peek().is_some()
            && even_columns.all(|name| a.details.get(&name) == b.details.get(&name));
        PairResult::of(a.rank, b.rank, self.winner.is_some(), self.by_lot, alike)
    }

    /// Whether only a lot put the first team before the second, so that they draw.
    pub fn is_drawn_by_lot(&self) -> bool {
        self.by_lot && !self.cause.is_fault()
    }

    /// Checks that this is the outcome of the planned match and is consistent.
    ///
    /// # Errors
    /// What is wrong, in words.
    pub fn check(&self, planned: &Planned) -> Result<(), String> {
        if self.version != VERSION {
            return Err(format!("it is of version {}, this program reads {VERSION}", self.version));
        }
        if self.id != planned.id {
            return Err(format!("it says it is the result of {}", self.id));
        }
        if planned.seed_sha256.is_some() && !self.seed.is_some_and(|seed| planned.is_of_seed(seed)) {
            return Err("it doesn't tell the seed of which the plan names the hash".to_owned());
        }
        if self.verified == Some(false) && self.cause.counts() {
            return Err("it counts, and says that its record doesn't prove it".to_owned());
        }
        let seats: Vec<Id> = self.seats.iter().map(|seat| seat.bot).collect();
        if seats != planned.seats {
            let list = |ids: &[Id]| ids.iter().map(Id::to_string).collect::<Vec<_>>().join(" ");
            return Err(format!("its seats are {}, planned were {}", list(&seats), list(&planned.seats)));
        }
        let count = seats.len();
        // A match that was cut off has no ranking: its ranks may be 0.
        let lowest = u64::from(self.cause.counts());
        let ranks = lowest..=count as u64;
        if let Some(seat) = self.seats.iter().find(|seat| !ranks.contains(&seat.rank)) {
            let Seat { bot, rank, .. } = seat;
            return Err(format!("the rank of {bot} is {rank}; the range is {lowest} to {count}"));
        }
        for &winner in self.winner.iter().chain(&self.winners) {
            if winner >= count {
                return Err(format!("seat {winner} has won; the last one is {}", count - 1));
            }
            if self.seats[winner].rank != 1 {
                return Err(format!("seat {winner} has won, but its rank is {}", self.seats[winner].rank));
            }
        }
        Ok(())
    }
}
