//! What one seat and the server said to each other: the lines of a record that are about it, for people.
//!
//! Takes any lines. Tested in this module and by the programs that show it.

use super::{Entry, Seat};
use crate::text::{many, shown};
use crate::types::{Tick, named};

named! { Speech, "What a line of the dialogue is.",
    /// A line that the seat sent.
    In = "in",
    /// The line with which the seat was admitted.
    Joined = "joined",
    /// The seat sent a line that was too long.
    TooLong = "too_long",
    /// The seat's client sends nothing more.
    Ended = "ended",
    /// Lines of the seat were dropped.
    Dropped = "dropped",
    /// The seat's connection is gone.
    Gone = "gone",
    /// The server ended the seat.
    Expelled = "expelled",
    /// A line that the seat was sent.
    Out = "out",
    /// The server closed the connection.
    Closed = "closed",
    /// A reason without the line that it explains.
    Reason = "reason",
    /// What the seat's program noted; it stands in no line of the record.
    Noted = "noted",
}

impl Speech {
    /// The record's mark for it.
    pub const fn mark(self) -> char {
        match self {
            Speech::In => '<',
            Speech::Joined => '+',
            Speech::TooLong => '~',
            Speech::Dropped => '#',
            Speech::Ended => '.',
            Speech::Gone => '-',
            Speech::Expelled => '!',
            Speech::Out => '>',
            Speech::Closed => 'x',
            Speech::Reason => '?',
            Speech::Noted => ':',
        }
    }
}

/// One line of the dialogue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spoken {
    pub tick: Tick,
    pub speech: Speech,
    pub text: String,
    /// Why the line was refused or dropped, or why the seat ended; `None` if the record gives no reason.
    pub why: Option<String>,
}

impl Spoken {
    /// What an entry says about a seat; `None` if it is about another seat or about none.
    pub fn of(tick: Tick, entry: Entry, seat: u32) -> Option<Spoken> {
        let (of, speech, text, why) = match entry {
            Entry::SentTo(seats, text) => {
                (*seats.iter().find(|&&of| of == Seat::Number(seat))?, Speech::Out, shown(&text), None)
            }
            Entry::Dropped(of, count) => (of, Speech::Dropped, many(count.into(), "line"), None),
            Entry::Admitted(of, text) => (of, Speech::Joined, shown(&text), None),
            Entry::Received(of, text) => (of, Speech::In, shown(&text), None),
            Entry::Sent(of, text) => (of, Speech::Out, shown(&text), None),
            Entry::Overflow(of) => (of, Speech::TooLong, "a line that was too long".to_owned(), None),
            Entry::Ended(of) => (of, Speech::Ended, "its client sends nothing more".to_owned(), None),
            Entry::Gone(of) => (of, Speech::Gone, "its connection is gone".to_owned(), None),
            Entry::Expelled(of, why) => (of, Speech::Expelled, "the server ends it".to_owned(), Some(why)),
            Entry::Closed(of, why) => {
                (of, Speech::Closed, "the server closes the connection".to_owned(), Some(why))
            }
            Entry::Why(of, why) => (of, Speech::Reason, why, None),
            Entry::Published(_) | Entry::Withheld(_) => return None,
        };
        (of == Seat::Number(seat)).then_some(Spoken { tick, speech, text, why })
    }

    /// Attaches the reason that follows this line in the record. `false` if this entry already has a reason,
    /// or is itself a reason without a line.
    pub fn explain(&mut self, why: &str) -> bool {
        let takes = self.why.is_none() && !matches!(self.speech, Speech::Reason | Speech::Noted);
        if takes {
            self.why = Some(why.to_owned());
        }
        takes
    }
}

/// Whether the line begins with a tick, a mark and a list of seats that names `seat`. This quick look spares parsing
/// the lines of other seats.
pub fn is_of(line: &[u8], seat: u32) -> bool {
    let mut words = line.splitn(4, |&byte| byte == b' ');
    let mut seats = words.nth(2).unwrap_or_default().split(|&byte| byte == b',');
    seats.any(|number| {
        let mut left = seat;
        let digits = number.iter().rev().all(|&digit| {
            let same = digit == b'0' + (left % 10) as u8;
            left /= 10;
            same
        });
        digits && left == 0 && !number.is_empty()
    })
}

#[cfg(test)]
mod tests {
    use super::super::RecordLine;
    use super::*;

    fn said(line: &str) -> Option<Spoken> {
        let Ok(RecordLine::Event(tick, entry)) = RecordLine::parse(line.as_bytes()) else { panic!("{line}") };
        let spoken = Spoken::of(tick, entry, 12);
        assert_eq!(is_of(line.as_bytes(), 12), spoken.is_some(), "{line}");
        spoken
    }

    #[test]
    fn lines_of_a_seat_are_told_from_all_others() {
        for other in [
            "3 < 1 Look",
            "3 < 112 Look",
            "3 < 2 Look",
            "3 > 1,112,2 x",
            "3 # 1 12",
            "3 < c /kill 12",
            "3 * pbc 12",
            "3 w sgt 12",
        ] {
            assert_eq!(said(other), None, "{other}");
        }
        for (line, mark) in [
            "< 12 Look",
            "> 12 ok",
            "> 3,12,120 hello",
            "# 12 5",
            "+ 12 red",
            "~ 12",
            ". 12",
            "- 12",
            "! 12 late",
            "x 12 over",
        ]
        .map(|line| (format!("7 {line}"), line.chars().next()))
        {
            let spoken = said(&line).unwrap();
            assert_eq!((spoken.tick, Some(spoken.speech.mark())), (7, mark));
        }
    }

    #[test]
    fn a_reason_joins_the_line_that_it_explains() {
        let mut refused = said("9 > 12 ko").unwrap();
        let mut reason = said("9 ? 12 no food lies here").unwrap();
        assert!(refused.explain(&reason.text) && !refused.explain("again") && !reason.explain("again"));
        assert_eq!(refused.why.as_deref(), Some("no food lies here"));
    }
}
