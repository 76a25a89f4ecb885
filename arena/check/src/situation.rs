//! A situation that a bot is checked in, and how the faults of its scene become a verdict.
//!
//! Knows no game: each has a list of situations among its data, which `data` reads. Tested in this module and in `arena/cli/tests/check.rs`.

use super::scene::{Role, Scene};
use super::seen::{Cause, Fault, FaultKind, Seen};

/// A document, and the title of a section as it stands there.
pub type Section = (&'static str, &'static str);

#[derive(Debug, Clone, Copy)]
pub struct Situation {
    pub name: &'static str,
    /// What a bot has to do in it.
    pub purpose: &'static str,
    pub scene: &'static Scene,
    /// The mistakes that count, the ones that say most first.
    pub kinds: &'static [FaultKind],
    pub section: Section,
    /// What a student may do about it: a sentence or two.
    pub mend: &'static str,
    /// The note if the thing that the scene is about never happened.
    pub missed: &'static str,
    /// What its mistakes come from, what says most first; none if that may be anything.
    pub causes: &'static [Cause],
}

/// The verdict on a situation.
#[derive(Debug)]
pub enum Judgement {
    /// No mistake was seen; with notes.
    Passed(Vec<String>),
    Failed(Fault),
    /// Something else went wrong first, so that nothing is known: the reason, and the last lines before it.
    Untold(String, Vec<String>),
}

use FaultKind as K;

/// The reason if the only mistake is one that the ordinary match had shown already.
const AS_EVER: &str = "the same went wrong in the ordinary match";

impl Situation {
    /// The rank of a fault: those with a low one are mended first, since others may follow from them, as a bot that misreads lines
    /// starves as well. A crash comes first, since its place is known. Among equal ranks a situation with one
    /// possible cause comes before one with several.
    pub fn lateness(&self, fault: &Fault) -> (usize, usize) {
        let stops = self.is_ordinary() && matches!(fault.kind, K::Stalled | K::Slow);
        let vague = self.causes_of(fault).len().abs_diff(1);
        let rank = if fault.kind == K::Starved {
            4
        } else if fault.remedy.is_some_and(|remedy| remedy.sure) {
            1
        } else if fault.crash.is_some() {
            0
        } else if stops {
            4
        } else {
            vague + 1
        };
        (rank, vague)
    }

    /// What that fault may come from, what says most first.
    pub fn causes_of(&self, fault: &Fault) -> Vec<Cause> {
        let mut causes = self.causes.to_vec();
        match fault.remedy {
            Some(remedy) if remedy.sure => return vec![remedy.cause],
            Some(remedy) if causes.is_empty() => causes.push(remedy.cause),
            _ => {}
        }
        // An answer that was lost among others' lines keeps a bot silent; one that was mistaken doesn't.
        if fault.kind == K::Stalled && causes == [Cause::Message] {
            causes.insert(0, Cause::Framing);
        }
        causes
    }

    /// What to do about that fault, with the place at which the program crashed.
    pub fn advice(&self, fault: &Fault) -> String {
        let mend = self.mend_of(fault);
        fault.crash.as_ref().map_or_else(|| mend.to_owned(), |crash| format!("it crashed, {crash}; {mend}"))
    }

    /// What to do about that fault.
    pub fn mend_of(&self, fault: &Fault) -> &'static str {
        let better = fault.remedy.filter(|remedy| remedy.sure || self.causes.is_empty());
        better.map_or(self.mend, |remedy| remedy.mend)
    }

    /// Whether this fault follows from another one, which is to be mended before it.
    pub fn follows(&self, fault: &Fault, (first, root): (&Situation, &Fault)) -> bool {
        let (causes, roots) = (self.causes_of(fault), first.causes_of(root));
        let same_cause = roots.first().is_some_and(|cause| {
            causes.first() == Some(cause) || (causes.contains(cause) && root.kind != K::Stalled)
        });
        let same_words = fault.gist() == root.gist();
        let vague = fault.kind == K::Stalled || causes.is_empty() || roots.is_empty();
        // A bot whose commands are refused or dropped, or that goes to wrong tiles, gets no food.
        let unfed = match root.kind {
            K::Invalid | K::Misses => true,
            K::Dropped => root.remedy.is_some_and(|remedy| remedy.sure),
            _ => false,
        };
        let unfed = unfed && fault.kind == K::Starved;
        same_cause || (same_words && vague) || unfed
    }

    fn is_ordinary(&self) -> bool {
        self.scene.settings.role == Role::Ordinary
    }

    /// The verdict on what was seen. `known` are the mistakes that the ordinary match showed.
    pub fn judge(&self, seen: &Seen, known: &[FaultKind]) -> Judgement {
        if let Some(words) = &seen.starved {
            return Judgement::Untold(words.clone(), Vec::new());
        }
        // What the ordinary match showed is told there.
        let is_new = |fault: &&Fault| self.is_ordinary() || !known.contains(&fault.kind);
        // Where it was let in and has spoken, logging in isn't what went wrong.
        let past_login = [K::Early, K::Name, K::NoLogin, K::LineEnd].iter().all(|kind| !seen.has(*kind));
        let is_in = self.scene.settings.role == Role::Login && seen.spoke && past_login;
        if is_in
            && let Some(fault) = seen.faults.iter().find(|fault| matches!(fault.kind, K::Gone | K::Stalled))
        {
            return Judgement::Passed(vec![format!("it was let in, but later {}", fault.words)]);
        }
        // After a command that was dropped all answers are matched wrongly.
        if !self.is_ordinary() && known.contains(&K::Dropped) && seen.has(K::Dropped) && !seen.has(K::NoLogin)
        {
            return Judgement::Untold(AS_EVER.into(), Vec::new());
        }
        let find = |kind: &FaultKind| seen.faults.iter().filter(is_new).find(|fault| fault.kind == *kind);
        if let Some(fault) = self.kinds.iter().find_map(find) {
            return Judgement::Failed(fault.clone());
        }
        let shown_before =
            |kind: &&FaultKind| seen.has(**kind) && (!kind.is_slip() || **kind == self.kinds[0]);
        if self.kinds.iter().any(|kind| shown_before(&kind)) {
            return Judgement::Untold(AS_EVER.into(), Vec::new());
        }
        let ends_it =
            |fault: &&Fault| matches!(fault.kind, K::Gone | K::Stalled | K::NoLogin | K::Flood | K::Repeats);
        // In the ordinary match most mistakes that count show in its first moments; the other ones need all
        // of it.
        let needs_all = |kind: &FaultKind| matches!(kind, K::Starved | K::Slow);
        let needs_all = !self.is_ordinary() || self.kinds.iter().any(needs_all);
        let shut_out = seen.has(K::NoLogin);
        if let Some(fault) = seen.faults.iter().find(ends_it).filter(|_| needs_all || shut_out) {
            if !self.is_ordinary() && known.contains(&fault.kind) {
                return Judgement::Untold(AS_EVER.into(), Vec::new());
            }
            return Judgement::Untold(fault.words.clone(), fault.transcript.clone());
        }
        let mut notes = seen.notes.clone();
        let elsewhere =
            seen.elsewhere.iter().filter(|(kind, _)| self.is_ordinary() && self.kinds.contains(kind));
        notes.extend(elsewhere.map(|(_, words)| words.clone()));
        if seen.met == 0 && !self.missed.is_empty() {
            notes.insert(0, self.missed.to_owned());
        }
        Judgement::Passed(notes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_ordinary_match_showed_is_said_once() {
        let mut seen = Seen::new(std::time::Instant::now());
        seen.fault(FaultKind::Stalled, "it waits".into());
        let games = super::super::GAMES.iter().flat_map(|game| game.situations);
        for slow in games.filter(|situation| situation.name == "slow-lines") {
            assert!(matches!(slow.judge(&seen, &[]), Judgement::Failed(_)));
            assert!(matches!(slow.judge(&seen, &[FaultKind::Stalled]), Judgement::Untold(..)));
        }
    }

    /// A fault of that kind in the situation of that name, of the first game.
    fn fault(name: &str, kind: FaultKind, words: &str) -> (&'static Situation, Fault) {
        let situation =
            super::super::GAMES[0].situations.iter().find(|situation| situation.name == name).unwrap();
        let mut seen = Seen::new(std::time::Instant::now());
        seen.fault(kind, words.into());
        (situation, seen.faults.remove(0))
    }

    #[test]
    fn what_follows_from_another_mistake_is_told_from_what_does_not() {
        let follows = |one: (&Situation, Fault), root: (&'static Situation, Fault)| {
            one.0.follows(&one.1, (root.0, &root.1))
        };
        let messages = || fault("messages", FaultKind::Confused, "it mixes them up");
        assert!(follows(fault("burst", FaultKind::Gone, "it ended"), messages()));
        assert!(!follows(fault("ejected", FaultKind::Gone, "it ended"), messages()));
        let silent = |name| fault(name, FaultKind::Stalled, "it waits since 3 s");
        assert!(follows(silent("messages"), silent("one-packet")), "an answer was lost, not mistaken");
        let later = fault("ejected", FaultKind::Stalled, "it waits since 14 s");
        assert!(follows(later, silent("refused")), "the same words but for the numbers");
        let starved = fault("food", FaultKind::Starved, "it starved");
        let aim = fault("aim", FaultKind::Misses, "it took beside it");
        let bad = fault("commands", FaultKind::Invalid, "it sent \"look\"");
        assert!(follows(starved.clone(), bad), "what is no command brings no food");
        assert!(starved.0.lateness(&starved.1) > aim.0.lateness(&aim.1) && follows(starved, aim));
    }

    #[test]
    fn a_slip_leaves_the_rest_to_be_judged_and_a_busy_machine_nothing() {
        let mut seen = Seen::new(std::time::Instant::now());
        seen.fault(FaultKind::Invalid, "it spells badly".into());
        for slow in super::super::GAMES.iter().map(|game| &game.situations[0]) {
            assert!(matches!(slow.judge(&seen, &[FaultKind::Invalid]), Judgement::Passed(_)));
        }
        seen.starved = Some("the machine was too busy".into());
        seen.fault(FaultKind::NoLogin, "it never connected".into());
        for slow in super::super::GAMES.iter().map(|game| &game.situations[0]) {
            assert!(matches!(slow.judge(&seen, &[]), Judgement::Untold(words, _) if words.contains("busy")));
        }
    }
}
