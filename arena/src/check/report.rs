//! What came of a check, for people and for programs.
//!
//! Tested in `tests/check.rs`.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::seen::Fault;
use super::{Finding, Judgement};

/// Columns of a situation's name.
const NAME: usize = 18;

/// What came of a check.
#[derive(Debug)]
pub struct CheckReport {
    /// The bot's command.
    pub command: String,
    /// The game's name.
    pub game: &'static str,
    /// What came of each situation.
    pub findings: Vec<Finding>,
    /// Whether the operator ended it.
    pub interrupted: bool,
}

impl Finding {
    /// Whether all was well.
    #[must_use]
    pub fn passed(&self) -> bool {
        matches!(self.verdict, Judgement::Passed(_))
    }

    /// It in a line, and what there is to say below it.
    #[must_use]
    pub fn render(&self, verbose: bool) -> String {
        let Finding { situation, verdict, seconds } = self;
        let lines = |transcript: &[String]| -> Vec<String> {
            transcript.iter().map(|line| format!("          |{line}")).collect()
        };
        let (mark, words, below) = match verdict {
            Judgement::Passed(notes) => {
                let notes = notes.iter().map(|note| format!("        note: {note}"));
                ("passed", situation.purpose.to_owned(), notes.collect())
            }
            Judgement::Untold(words, transcript) => {
                let shown = if verbose { lines(transcript) } else { Vec::new() };
                ("untold", format!("couldn't be judged: {words}"), shown)
            }
            Judgement::Failed(fault) => {
                let mut below = vec![format!("        {}", fault.words)];
                below.extend(lines(&fault.transcript));
                below.push(format!("        mend: {}", situation.mend));
                let (manual, section) = situation.section;
                below.push(format!("        read: {manual}, {section}"));
                ("FAILED", situation.purpose.to_owned(), below)
            }
        };
        let mut out = format!("{mark}  {:<NAME$}  {words}", situation.name);
        if verbose && *seconds >= 0.05 {
            let _ = write!(out, "  ({seconds:.1} s)");
        }
        out.push('\n');
        below.iter().for_each(|line| out.extend([line, "\n"]));
        out
    }

    fn json(&self) -> Value {
        let Finding { situation, verdict, seconds } = self;
        let mut value = json!({
            "name": situation.name,
            "purpose": situation.purpose,
            "manual": situation.section.0,
            "section": situation.section.1,
            "seconds": (seconds * 1000.0).round() / 1000.0,
        });
        match verdict {
            Judgement::Passed(notes) => {
                value["verdict"] = json!("passed");
                value["notes"] = json!(notes);
            }
            Judgement::Failed(fault) => {
                value["verdict"] = json!("failed");
                value["words"] = json!(fault.words);
                value["advice"] = json!(situation.mend);
                value["transcript"] = json!(fault.transcript);
            }
            Judgement::Untold(words, transcript) => {
                value["verdict"] = json!("untold");
                value["words"] = json!(words);
                value["transcript"] = json!(transcript);
            }
        }
        value
    }
}

/// Tells findings as they come; what can't be judged for one reason is said once.
#[derive(Debug, Default)]
pub struct Telling {
    /// Why the last ones couldn't be judged, and how many more than the first.
    untold: Option<(String, usize)>,
}

impl Telling {
    /// What is to be said when this has come.
    #[must_use]
    pub fn take(&mut self, finding: &Finding, verbose: bool) -> String {
        if let (Judgement::Untold(words, _), Some((last, more))) = (&finding.verdict, &mut self.untold)
            && words == last
        {
            *more += 1;
            return String::new();
        }
        let rest = self.rest();
        if let Judgement::Untold(words, _) = &finding.verdict {
            self.untold = Some((words.clone(), 0));
        }
        rest + &finding.render(verbose)
    }

    /// What is to be said when nothing more comes.
    #[must_use]
    pub fn rest(&mut self) -> String {
        match self.untold.take() {
            Some((_, more @ 1..)) => {
                format!("untold  {:<NAME$}  for the same reason\n", format!("{more} more"))
            }
            _ => String::new(),
        }
    }
}

impl CheckReport {
    /// Situations that were passed.
    #[must_use]
    pub fn passed(&self) -> usize {
        self.findings.iter().filter(|finding| finding.passed()).count()
    }

    /// Whether all were.
    #[must_use]
    pub fn is_good(&self) -> bool {
        self.passed() == self.findings.len()
    }

    /// What failed, in the order in which it is best mended.
    fn failed(&self) -> Vec<(&Finding, &Fault)> {
        let mut failed = Vec::new();
        for finding in &self.findings {
            if let Judgement::Failed(fault) = &finding.verdict {
                failed.push((finding, fault));
            }
        }
        failed.sort_by_key(|(finding, fault)| finding.situation.comes_later(fault));
        failed
    }

    /// The last lines: how many were passed, and what to mend first.
    #[must_use]
    pub fn summary(&self) -> String {
        let (passed, all, failed) = (self.passed(), self.findings.len(), self.failed());
        let mut out = format!("\n{passed} of {all} situations passed");
        let untold = all - passed - failed.len();
        if !failed.is_empty() {
            let _ = write!(out, ", {} failed", failed.len());
        }
        if untold > 0 {
            let _ = write!(out, ", {untold} couldn't be judged before others are mended");
        }
        out.push_str(".\n");
        if let Some(((finding, fault), rest)) = failed.split_first() {
            let name = finding.situation.name;
            let _ = writeln!(out, "Mend first: {name}: {}", fault.words);
            if !rest.is_empty() {
                let names: Vec<&str> = rest.iter().map(|(finding, _)| finding.situation.name).collect();
                let _ = writeln!(out, "Then look again: {}", names.join(", "));
            }
            let _ = writeln!(out, "Only this one again: --only {name}");
        }
        out
    }

    /// All of it for a program.
    #[must_use]
    pub fn json(&self) -> Value {
        let findings: Vec<Value> = self.findings.iter().map(Finding::json).collect();
        json!({
            "bot": self.command,
            "game": self.game,
            "passed": self.passed(),
            "situations": self.findings.len(),
            "mend_first": self.failed().iter().map(|(finding, _)| finding.situation.name).collect::<Vec<_>>(),
            "findings": findings,
        })
    }
}
