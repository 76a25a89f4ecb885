//! The grammars of `protocol.md` and `docs/record-format.md` are read, and every line of the examples must fit.
//!
//! Reads as much of ABNF as the document uses; strings are compared byte by byte.

use std::collections::{BTreeMap, BTreeSet};

use zappy_protocol::record::unescaped;

use super::{blocks, read};

#[derive(Debug, Clone)]
enum Element {
    Choice(Vec<Element>),
    Sequence(Vec<Element>),
    /// At least and at most so often.
    Repeat(usize, usize, Box<Element>),
    Bytes(Vec<u8>),
    Range(u8, u8),
    Rule(String),
}

/// The rules by name.
struct Grammar(BTreeMap<String, Element>);

impl Grammar {
    /// The rules of the blocks in these places among all grammars of the document.
    fn of(document: &str, places: &[usize]) -> Grammar {
        let text = read(document);
        let all: Vec<String> =
            blocks(&text).into_iter().filter(|b| b.tag == "abnf").map(|b| b.body).collect();
        let core = "SP = %x20\nHTAB = %x09\nLF = %x0A\nDIGIT = %x30-39\n".to_owned();
        let source: String = places.iter().map(|&place| all[place].as_str()).chain([&*core]).collect();
        let mut rules: Vec<String> = Vec::new();
        for line in source.lines().map(|line| line.split(" ;").next().unwrap_or(line)) {
            match rules.last_mut() {
                Some(rule) if line.starts_with(' ') => *rule += line,
                _ => rules.push(line.to_owned()),
            }
        }
        let read = |rule: &String| {
            let (name, definition) = rule.split_once('=').unwrap_or_else(|| panic!("no rule: {rule:?}"));
            let mut reader = Reader(definition);
            let element = reader.choice();
            assert_eq!(reader.0, "", "what follows in {rule:?}");
            (name.trim().to_owned(), element)
        };
        let grammar = Grammar(rules.iter().filter(|rule| !rule.trim().is_empty()).map(read).collect());
        grammar.0.values().for_each(|element| grammar.check(element));
        grammar
    }

    /// Every rule that is used is defined.
    fn check(&self, element: &Element) {
        match element {
            Element::Choice(all) | Element::Sequence(all) => all.iter().for_each(|one| self.check(one)),
            Element::Repeat(_, _, one) => self.check(one),
            Element::Rule(name) => assert!(self.0.contains_key(name), "no rule {name:?}"),
            Element::Bytes(_) | Element::Range(..) => {}
        }
    }

    fn fits(&self, rule: &str, bytes: &[u8]) -> bool {
        self.ends(&self.0[rule], bytes, 0).contains(&bytes.len())
    }

    /// Where an element that begins at `at` may end.
    fn ends(&self, element: &Element, bytes: &[u8], at: usize) -> BTreeSet<usize> {
        match element {
            Element::Choice(all) => all.iter().flat_map(|one| self.ends(one, bytes, at)).collect(),
            Element::Sequence(all) => all.iter().fold(BTreeSet::from([at]), |from, one| {
                from.into_iter().flat_map(|at| self.ends(one, bytes, at)).collect()
            }),
            Element::Repeat(least, most, one) => {
                let mut last = BTreeSet::from([at]);
                let mut found = if *least == 0 { last.clone() } else { BTreeSet::new() };
                for count in 1..=*most {
                    last = last.into_iter().flat_map(|at| self.ends(one, bytes, at)).collect();
                    if last.is_empty() || (count > *least && last.is_subset(&found)) {
                        break;
                    }
                    if count >= *least {
                        found.extend(&last);
                    }
                }
                found
            }
            Element::Bytes(text) => {
                bytes[at..].starts_with(text).then_some(at + text.len()).into_iter().collect()
            }
            Element::Range(least, most) => {
                let fits = bytes.get(at).is_some_and(|byte| (*least..=*most).contains(byte));
                fits.then_some(at + 1).into_iter().collect()
            }
            Element::Rule(name) => self.ends(&self.0[name], bytes, at),
        }
    }
}

/// What is left of a rule's definition.
struct Reader<'a>(&'a str);

impl Reader<'_> {
    fn take(&mut self, text: &str) -> bool {
        self.0 = self.0.trim_start();
        let rest = self.0.strip_prefix(text);
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }

    fn take_while(&mut self, fits: fn(char) -> bool) -> &str {
        let (taken, rest) = self.0.split_at(self.0.find(|c| !fits(c)).unwrap_or(self.0.len()));
        self.0 = rest;
        taken
    }

    fn choice(&mut self) -> Element {
        let mut all = vec![self.sequence()];
        while self.take("/") {
            all.push(self.sequence());
        }
        Element::Choice(all)
    }

    fn sequence(&mut self) -> Element {
        let mut all = Vec::new();
        while !self.0.trim_start().starts_with(['/', ')', ']']) && !self.0.trim_start().is_empty() {
            all.push(self.repeat());
        }
        self.0 = self.0.trim_start();
        Element::Sequence(all)
    }

    fn repeat(&mut self) -> Element {
        self.0 = self.0.trim_start();
        let least: Option<usize> = self.take_while(|c| c.is_ascii_digit()).parse().ok();
        let (least, most) = if self.take("*") {
            let most = self.take_while(|c| c.is_ascii_digit()).parse().unwrap_or(usize::MAX);
            (least.unwrap_or(0), most)
        } else {
            (least.unwrap_or(1), least.unwrap_or(1))
        };
        Element::Repeat(least, most, Box::new(self.one()))
    }

    fn one(&mut self) -> Element {
        if self.take("(") {
            let inside = self.choice();
            assert!(self.take(")"), "a ) before {:?}", self.0);
            return inside;
        }
        if self.take("[") {
            let inside = self.choice();
            assert!(self.take("]"), "a ] before {:?}", self.0);
            return Element::Repeat(0, 1, Box::new(inside));
        }
        if self.take("%x") {
            let least = self.hexadecimal();
            return Element::Range(least, if self.take("-") { self.hexadecimal() } else { least });
        }
        if self.take("%s\"") || self.take("\"") {
            let text = self.take_while(|c| c != '"').as_bytes().to_vec();
            assert!(self.take("\""), "the end of a string");
            return Element::Bytes(text);
        }
        let name = self.take_while(|c| c.is_ascii_alphanumeric() || c == '-').to_owned();
        assert!(!name.is_empty(), "an element before {:?}", self.0);
        Element::Rule(name)
    }

    fn hexadecimal(&mut self) -> u8 {
        u8::from_str_radix(self.take_while(|c| c.is_ascii_hexdigit()), 16).unwrap()
    }
}

/// The lines of the examples by their kind.
#[derive(Default)]
struct Lines {
    logins: Vec<String>,
    commands: Vec<String>,
    responses: Vec<String>,
    requests: Vec<String>,
    messages: Vec<String>,
}

impl Lines {
    fn all() -> Lines {
        let text = ["protocol.md", "docs/console.md", "docs/record-format.md"].map(read).concat();
        let mut lines = Lines::default();
        for block in blocks(&text) {
            match block.tag {
                "transcript" | "record" => block.body.lines().for_each(|line| lines.add_recorded(line)),
                "session" => lines.add_session(&block.body),
                _ => {}
            }
        }
        lines
    }

    fn add_recorded(&mut self, line: &str) {
        let words: Vec<&str> = line.splitn(4, ' ').collect();
        match words[..] {
            [_, "+", _, rest] => self.logins.push(rest.to_owned()),
            [_, "<", seat, rest] if seat != "c" => self.commands.push(rest.to_owned()),
            [_, ">", _, rest] => self.responses.push(rest.to_owned()),
            [_, "*", ..] => self.messages.push(line.splitn(3, ' ').nth(2).unwrap().to_owned()),
            ["=", ..] => self.messages.push(line[2..].to_owned()),
            _ => {}
        }
    }

    fn add_session(&mut self, body: &str) {
        let mut watching = BTreeSet::new();
        for (side, line) in body.lines().filter_map(|line| line.split_once(": ")) {
            match side.split_at(1) {
                _ if line == "(closes)" => {}
                ("C", label) if line == "GRAPHIC" => _ = watching.insert(label),
                ("C", label) if watching.contains(label) => self.requests.push(line.to_owned()),
                ("S", label) if watching.contains(label) => self.messages.push(line.to_owned()),
                ("C", _) if line.starts_with(char::is_uppercase) => self.commands.push(line.to_owned()),
                ("C", _) => self.logins.push(line.to_owned()),
                ("S", _) => self.responses.push(line.to_owned()),
                _ => {}
            }
        }
    }
}

/// The lines that do not fit a rule.
fn misfits<'a>(grammar: &Grammar, rule: &str, lines: &'a [String]) -> BTreeSet<&'a str> {
    let bytes = |line: &str| [&unescaped(line.as_bytes()).unwrap()[..], b"\n"].concat();
    lines.iter().map(String::as_str).filter(|line| !grammar.fits(rule, &bytes(line))).collect()
}

#[test]
fn every_line_of_the_examples_fits_its_grammar() {
    let lines = Lines::all();
    assert!(lines.responses.len() > 100 && lines.messages.len() > 200);
    let players = Grammar::of("protocol.md", &[0, 1]);
    assert_eq!(misfits(&players, "login-line", &lines.logins), BTreeSet::new());
    assert_eq!(misfits(&players, "output-line", &lines.responses), BTreeSet::new());
    let bad = ["", "  Take   food   food", "Broadcast", "Forward 3", "Take player", "forward"];
    assert_eq!(misfits(&players, "command-line", &lines.commands), BTreeSet::from(bad));
    let bad = ["MSZ", "hello", "msz 1"];
    assert_eq!(
        misfits(&Grammar::of("protocol.md", &[2]), "request-line", &lines.requests),
        BTreeSet::from(bad)
    );
    assert_eq!(misfits(&Grammar::of("protocol.md", &[3]), "message-line", &lines.messages), BTreeSet::new());
}

#[test]
fn the_record_fits_its_grammar() {
    let text = read("docs/record-format.md");
    let record = blocks(&text).into_iter().find(|block| block.tag == "record").unwrap().body;
    let grammar = Grammar::of("docs/record-format.md", &[0]);
    assert!(grammar.fits("record", record.as_bytes()));
    assert!(!grammar.fits("record", record.replace("\nbegin\n", "\n").as_bytes()));
}
