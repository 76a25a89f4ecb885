//! What came of a check, for people and for programs.
//!
//! Tested in `tests/check.rs`.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::{Finding, Verdict};

/// Columns of a situation's name.
const NAME: usize = 18;

/// What came of a check.
#[derive(Debug)]
pub struct Report {
    /// The bot's command.
    pub command: String,
    /// What came of each situation.
    pub findings: Vec<Finding>,
    /// Whether somebody asked to stop.
    pub interrupted: bool,
}

impl Finding {
    /// Whether all was well.
    #[must_use]
    pub fn passed(&self) -> bool {
        matches!(self.verdict, Verdict::Passed(_))
    }

    /// It in a line, and what there is to say below it.
    #[must_use]
    pub fn render(&self, verbose: bool) -> String {
        let situation = self.situation;
        let mark = match self.verdict {
            Verdict::Passed(_) => "passed",
            Verdict::Failed(_) => "FAILED",
            Verdict::Untold(_) => "untold",
        };
        let mut out = format!("{mark}  {:<NAME$}  {}", situation.name, situation.purpose);
        if verbose && self.seconds >= 0.05 {
            let _ = write!(out, "  ({:.1} s)", self.seconds);
        }
        out.push('\n');
        match &self.verdict {
            Verdict::Passed(notes) => {
                for note in notes {
                    let _ = writeln!(out, "        note: {note}");
                }
            }
            Verdict::Untold(words) => {
                let _ = writeln!(out, "        couldn't be judged: {words}");
            }
            Verdict::Failed(fault) => {
                let _ = writeln!(out, "        {}", fault.words);
                for line in &fault.transcript {
                    let _ = writeln!(out, "          |{line}");
                }
                let _ = writeln!(out, "        read: protocol.md, {}", situation.section);
            }
        }
        out
    }

    fn json(&self) -> Value {
        let Finding { situation, verdict, seconds } = self;
        let mut value = json!({
            "name": situation.name,
            "purpose": situation.purpose,
            "section": situation.section,
            "seconds": (seconds * 1000.0).round() / 1000.0,
        });
        match verdict {
            Verdict::Passed(notes) => {
                value["verdict"] = json!("passed");
                value["notes"] = json!(notes);
            }
            Verdict::Failed(fault) => {
                value["verdict"] = json!("failed");
                value["words"] = json!(fault.words);
                value["transcript"] = json!(fault.transcript);
            }
            Verdict::Untold(words) => {
                value["verdict"] = json!("untold");
                value["words"] = json!(words);
            }
        }
        value
    }
}

impl Report {
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

    /// The last line.
    #[must_use]
    pub fn summary(&self) -> String {
        format!("{} of {} situations passed\n", self.passed(), self.findings.len())
    }

    /// All of it for a program.
    #[must_use]
    pub fn json(&self) -> Value {
        let findings: Vec<Value> = self.findings.iter().map(Finding::json).collect();
        json!({
            "bot": self.command,
            "passed": self.passed(),
            "situations": self.findings.len(),
            "findings": findings,
        })
    }
}
