//! The report of a check, for people and for programs.
//!
//! Tested in `arena/cli/tests/check.rs`.

use std::fmt::Write as _;

use serde_json::{Value, json};
use zappy_protocol::text::many;

use super::seen::Fault;
use super::{Finding, Judgement, NOT_TRIED};

/// Columns of a situation's name.
const NAME_COLUMNS: usize = 18;

/// The most mistakes that are shown in full at the end; further ones are only named.
const MOST_SHOWN: usize = 3;

/// A mistake for which situations were failed.
struct Reason<'a> {
    /// The situation that explains the mistake best.
    finding: &'a Finding,
    fault: &'a Fault,
    /// The other situations that were failed because of it.
    follow: Vec<&'a Finding>,
}

#[derive(Debug)]
pub struct CheckReport {
    pub command: String,
    /// The flags for the game and its options with which the bot was checked, each with a blank before it.
    pub flags: String,
    pub game: &'static str,
    pub findings: Vec<Finding>,
    /// Whether the operator interrupted the check.
    pub interrupted: bool,
}

impl Finding {
    pub fn passed(&self) -> bool {
        matches!(self.verdict, Judgement::Passed(_))
    }

    /// One line, and the notes below it. What to mend is said at the end of the report, when it is known which mistakes
    /// follow from others.
    pub fn render(&self, verbose: bool) -> String {
        let Finding { situation, verdict, seconds, start } = self;
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
                let doubt = if words.starts_with(NOT_TRIED) { "" } else { "couldn't be judged: " };
                ("untold", format!("{doubt}{words}"), shown)
            }
            Judgement::Failed(_) => ("FAILED", situation.purpose.to_owned(), Vec::new()),
        };
        let mut out = format!("{mark}  {:<NAME_COLUMNS$}  {words}", situation.name);
        if verbose && *seconds >= 0.05 {
            let _ = write!(out, "  ({seconds:.1} s, {start:.1} s of it to start)");
        }
        out.push('\n');
        below.iter().for_each(|line| out.extend([line, "\n"]));
        out
    }

    fn json(&self) -> Value {
        let Finding { situation, verdict, seconds, start } = self;
        let mut value = json!({
            "name": situation.name,
            "purpose": situation.purpose,
            "manual": situation.manual,
            "section": situation.section,
            "seconds": (seconds * 1000.0).round() / 1000.0,
            "start_seconds": (start * 1000.0).round() / 1000.0,
        });
        match verdict {
            Judgement::Passed(notes) => {
                value["verdict"] = json!("passed");
                value["notes"] = json!(notes);
            }
            Judgement::Failed(fault) => {
                value["verdict"] = json!("failed");
                value["words"] = json!(fault.words);
                value["advice"] = json!(situation.advice(fault));
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

/// The text of findings, one after the other; of several in a row that can't be judged for the same reason only the
/// first is written out.
#[derive(Debug, Default)]
pub struct FindingsText {
    /// Why the last findings couldn't be judged, and how many of them were not written out.
    untold: Option<(String, usize)>,
}

impl FindingsText {
    /// The text for a finding that has just come.
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

    /// The text for findings that were not written out yet, when none follows.
    pub fn rest(&mut self) -> String {
        match self.untold.take() {
            Some((_, more @ 1..)) => {
                format!("untold  {:<NAME_COLUMNS$}  for the same reason\n", format!("{more} more"))
            }
            _ => String::new(),
        }
    }
}

impl CheckReport {
    pub fn passed(&self) -> usize {
        self.findings.iter().filter(|finding| finding.passed()).count()
    }

    pub fn is_good(&self) -> bool {
        self.passed() == self.findings.len()
    }

    /// The mistakes for which situations were failed, in the order in which they are best mended.
    fn reasons(&self) -> Vec<Reason<'_>> {
        let mut failed = Vec::new();
        for finding in &self.findings {
            if let Judgement::Failed(fault) = &finding.verdict {
                failed.push((finding, fault));
            }
        }
        failed.sort_by_key(|(finding, fault)| finding.situation.rank(fault));
        let mut reasons: Vec<Reason<'_>> = Vec::new();
        for (finding, fault) in failed {
            let is_root = |reason: &&mut Reason<'_>| {
                finding.situation.follows(fault, (reason.finding.situation, reason.fault))
            };
            match reasons.iter_mut().find(is_root) {
                Some(reason) => {
                    let root = reason.finding.situation;
                    let mend = root.mend_of(reason.fault);
                    if root.mend != mend && finding.situation.mend == mend {
                        // This situation is about that very mistake, so it explains the mistake best.
                        reason.follow.push(std::mem::replace(&mut reason.finding, finding));
                        reason.fault = fault;
                    } else {
                        reason.follow.push(finding);
                    }
                }
                None => reasons.push(Reason { finding, fault, follow: Vec::new() }),
            }
        }
        reasons
    }

    /// How to try the situation again that is to be mended first, and what was seen in it; `None` if none was failed.
    pub fn first(&self) -> Option<String> {
        let reasons = self.reasons();
        let first = reasons.first()?;
        let mut out = self.retry_line(first);
        first.write(1, &mut out);
        Some(out)
    }

    /// The command that tries a situation again.
    fn retry_line(&self, reason: &Reason<'_>) -> String {
        let command = shlex::try_quote(&self.command).unwrap_or_default();
        let name = reason.finding.situation.name;
        format!("Try again:  zappy_arena check {command}{} --only {name}\n", self.flags)
    }

    /// The last lines: three that say how the bot did and what to do, then what was seen.
    pub fn summary(&self) -> String {
        let (passed, all, reasons) = (self.passed(), self.findings.len(), self.reasons());
        let mut out = format!("\n{passed} of {} passed", many(all as u64, "situation"));
        let failed: usize = reasons.iter().map(|reason| 1 + reason.follow.len()).sum();
        match reasons.len() {
            0 => {}
            1 if failed == 1 => out.push_str(", 1 failed"),
            1 => {
                let _ = write!(out, ", {failed} failed for one reason");
            }
            n => {
                let _ = write!(out, ", {failed} failed for {n} reasons");
            }
        }
        if all > passed + failed {
            let until = match reasons.len() {
                0 => "",
                1 => " before that is mended",
                _ => " before these are mended",
            };
            let _ = write!(out, ", {} couldn't be judged{until}", all - passed - failed);
        }
        out.push_str(".\n");
        let Some(first) = reasons.first() else { return out };
        let (name, mend) = (first.finding.situation.name, first.finding.situation.advice(first.fault));
        let _ = writeln!(out, "Mend first: {name}: {mend}.");
        out += &self.retry_line(first);
        for (i, reason) in reasons.iter().enumerate().take(MOST_SHOWN) {
            reason.write(i + 1, &mut out);
        }
        let rest: Vec<&str> =
            reasons.iter().skip(MOST_SHOWN).map(|reason| reason.finding.situation.name).collect();
        if !rest.is_empty() {
            let _ = writeln!(out, "\nThen look again: {}", rest.join(", "));
        }
        out
    }

    pub fn json(&self) -> Value {
        let reasons = self.reasons();
        let json = |finding: &Finding| {
            let mut value = finding.json();
            let root =
                reasons.iter().find(|reason| reason.follow.iter().any(|one| std::ptr::eq(*one, finding)));
            if let Some(root) = root {
                value["follows"] = json!(root.finding.situation.name);
            }
            value
        };
        let findings: Vec<Value> = self.findings.iter().map(json).collect();
        json!({
            "bot": self.command,
            "game": self.game,
            "passed": self.passed(),
            "situations": self.findings.len(),
            "mend_first": reasons.iter().map(|reason| reason.finding.situation.name).collect::<Vec<_>>(),
            "findings": findings,
        })
    }
}

impl Reason<'_> {
    /// Appends the mistake, the last lines before it, and the situations that were failed for the same reason.
    fn write(&self, number: usize, out: &mut String) {
        let Reason { finding: Finding { situation, .. }, fault, follow } = self;
        let _ = writeln!(out, "\n{number}. {}: {}", situation.name, situation.purpose);
        let _ = writeln!(out, "   {}", fault.words);
        fault.transcript.iter().for_each(|line| out.extend(["     |", line, "\n"]));
        if number > 1 {
            let _ = writeln!(out, "   mend: {}", situation.advice(fault));
        }
        let _ = writeln!(out, "   read: {}, {}", situation.manual, situation.section);
        if !follow.is_empty() {
            let names: Vec<&str> = follow.iter().map(|finding| finding.situation.name).collect();
            let _ = writeln!(out, "   likely for the same reason: {}", names.join(", "));
        }
    }
}
