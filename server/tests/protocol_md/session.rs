//! Sessions: what connections send and read, played against the rules through the seam.
//!
//! After header lines as in a transcript come the lines of the play. `C: …` sends a line, `P: …` a packet in
//! which `\n` and `\r` stand for these bytes, `K: …` is a line on the console, `(n ticks)` lets time pass,
//! `(2 connects)` opens connection 2, whose lines begin with `C2:`, `P2:` and `S2:`. The first connection is
//! there from the start. `S: …` is what the server sends, `S: (closes)` that it closes. A header line
//! `hide tile unit` leaves out what the server sends that begins with one of these words (`login`: the lines
//! of the login); `(2 leaves)` closes connection 2; `answers on` shows what the
//! console is answered, as `A: …`.

use std::fmt::Write as _;

use zappy_game::{Game, Input, Line, Output, SeatId};
use zappy_protocol::Tick;
use zappy_protocol::line::{Decoded, LineDecoder};
use zappy_protocol::record::escaped;

use super::support;

/// A limit that no example reaches; the shell limits lines.
const LINE_LIMIT: usize = 4096;

struct Session {
    game: Box<dyn Game>,
    now: Tick,
    /// First words of lines that are left out.
    hidden: Vec<String>,
    /// Whether the console's answers are shown.
    answers: bool,
    /// Each connection's label and the bytes that came from it.
    connections: Vec<(String, LineDecoder)>,
    watching: Vec<SeatId>,
    out: String,
}

/// Plays the inputs of a session and gives the whole session as it should read.
pub fn replay(text: &str) -> String {
    let mut spec = support::default_match();
    let is_header = |line: &&str| line.starts_with(|first: char| first.is_ascii_lowercase());
    let head: Vec<&str> = text.lines().take_while(is_header).collect();
    let (hides, settings): (Vec<&str>, Vec<&str>) = head.iter().partition(|line| line.starts_with("hide "));
    let (answers, settings): (Vec<&str>, Vec<&str>) =
        settings.into_iter().partition(|line| *line == "answers on");
    settings.iter().for_each(|line| support::configure(&mut spec, line));
    let width = spec.config.map.width().to_string();
    let hidden = hides.iter().flat_map(|line| line.split(' ').skip(1)).flat_map(|word| match word {
        "login" => vec!["WELCOME".to_owned(), "0".to_owned(), width.clone(), "game".to_owned()],
        word => vec![word.to_owned()],
    });
    let hidden = hidden.collect();
    let mut session = Session {
        game: spec.begin().expect("a session's match can be played"),
        now: 0,
        hidden,
        answers: !answers.is_empty(),
        connections: Vec::new(),
        watching: Vec::new(),
        out: head.iter().map(|line| format!("{line}\n")).collect(),
    };
    session.connect("");
    for line in text.lines().skip(head.len()) {
        session.play(line);
    }
    session.out
}

impl Session {
    fn play(&mut self, line: &str) {
        if line.starts_with(['S', 'A']) && line.contains(": ") {
            return;
        }
        let _ = writeln!(self.out, "{line}");
        if line.starts_with('#') || line.is_empty() {
            return;
        }
        if let Some(inside) = line.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
            return self.happen(inside);
        }
        let (side, what) = line.split_once(':').unwrap_or_else(|| panic!("no line of a session: {line:?}"));
        let what = what.strip_prefix(' ').unwrap_or(what);
        match side.split_at(1) {
            ("K", _) => self.hand_in(SeatId::CONSOLE, Input::Line(what.as_bytes())),
            ("C", label) => self.receive(label, format!("{what}\n").as_bytes()),
            ("P", label) => {
                self.receive(label, what.replace("\\n", "\n").replace("\\r", "\r").as_bytes());
            }
            _ => panic!("no line of a session: {line:?}"),
        }
    }

    fn happen(&mut self, what: &str) {
        match what.split_once(' ') {
            Some((label, "connects")) => self.connect(label),
            Some(("1", "leaves")) => self.hand_in(self.seat(""), Input::Closed),
            Some((label, "leaves")) => self.hand_in(self.seat(label), Input::Closed),
            Some((ticks, "ticks" | "tick")) => {
                let ticks: Tick = ticks.parse().unwrap_or_else(|_| panic!("no number of ticks: {what:?}"));
                self.wait(self.now + ticks);
            }
            _ => panic!("nothing that happens in a session: {what:?}"),
        }
    }

    fn connect(&mut self, label: &str) {
        self.connections.push((label.to_owned(), LineDecoder::new(LINE_LIMIT)));
        self.hand_in(self.seat(label), Input::Open);
    }

    fn seat(&self, label: &str) -> SeatId {
        let place = self.connections.iter().position(|(known, _)| known == label);
        SeatId(u32::try_from(place.unwrap_or_else(|| panic!("{label:?} never connected"))).unwrap())
    }

    fn receive(&mut self, label: &str, bytes: &[u8]) {
        let seat = self.seat(label);
        let decoder = &mut self.connections[seat.0 as usize].1;
        decoder.push(bytes);
        let mut lines = Vec::new();
        while let Some(decoded) = decoder.next_line() {
            let Decoded::Line(line) = decoded else { panic!("a line of an example is too long") };
            lines.push(line.to_vec());
        }
        lines.iter().for_each(|line| self.hand_in(seat, Input::Line(line)));
    }

    fn hand_in(&mut self, seat: SeatId, input: Input<'_>) {
        self.game.handle_input(self.now, seat, input);
        self.drain();
        self.wait(self.now);
    }

    fn wait(&mut self, until: Tick) {
        while let Some(due) = self.game.poll_timeout().filter(|&due| due <= until) {
            self.game.handle_timeout(due);
            self.drain();
        }
        self.now = until;
    }

    fn drain(&mut self) {
        let before = self.watching.len();
        self.carry_out();
        // As the shell does: a new observer is brought up to date after the step.
        let new: Vec<SeatId> = self.watching.iter().skip(before).copied().collect();
        for seat in new {
            let mut lines = Vec::new();
            self.game.snapshot(None, &mut lines);
            lines.iter().flat_map(Line::lines).for_each(|line| self.print(seat, &escaped(line)));
        }
    }

    fn carry_out(&mut self) {
        while let Some(output) = self.game.poll_output() {
            match output {
                Output::Send(seat, line) => line.lines().for_each(|line| self.print(seat, &escaped(line))),
                Output::Subscribe(seat) => self.watching.push(seat),
                Output::Publish(line) => {
                    for seat in self.watching.clone() {
                        self.print(seat, &escaped(line.text()));
                    }
                }
                Output::Close(seat, _) => self.print(seat, "(closes)"),
                // The game closes its players; the shell closes the observers.
                Output::Finished(_) => {
                    for seat in self.watching.clone() {
                        self.print(seat, "(closes)");
                    }
                }
                _ => {}
            }
        }
    }

    fn print(&mut self, seat: SeatId, what: &str) {
        if seat == SeatId::CONSOLE && self.answers {
            let _ = writeln!(self.out, "A: {what}");
        }
        let first = what.split(' ').next().unwrap_or_default();
        if self.hidden.iter().any(|word| word == first) {
            return;
        }
        if let Some((label, _)) = self.connections.get(seat.0 as usize) {
            let _ = writeln!(self.out, "S{label}: {what}");
        }
    }
}
