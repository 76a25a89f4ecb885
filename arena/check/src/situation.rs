//! A situation that a bot is checked in, and how the faults of its scene become a verdict.
//!
//! Knows no game: each game has a list of situations among its data, which `data` reads. Tested in this module and in
//! `arena/cli/tests/check.rs`.

use serde::Deserialize;

use super::data::kinds;
use super::scene::Role;
use super::seen::{Cause, Fault, FaultKind as K, Phrase, Seen, gist, leaked};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Situation {
    #[serde(deserialize_with = "leaked")]
    pub name: Phrase,
    /// What a bot has to do in the situation.
    #[serde(deserialize_with = "leaked")]
    pub purpose: Phrase,
    /// The place of its scene in the list of the game's scenes.
    #[serde(skip)]
    pub scene: usize,
    /// The part that its scene plays in a check.
    #[serde(skip)]
    pub role: Role,
    /// The mistakes that count, the most telling first.
    #[serde(deserialize_with = "kinds")]
    pub mistakes: Vec<K>,
    /// What the mistakes may come from, the most likely first; empty if that may be anything.
    #[serde(default)]
    pub causes: Vec<Cause>,
    /// What a student may do about the mistakes: a sentence or two.
    #[serde(default, deserialize_with = "leaked")]
    pub mend: Phrase,
    /// The name of a remedy of the game, which stands for `causes` and `mend`.
    pub remedy: Option<String>,
    /// The note if what the scene is about never happened.
    #[serde(default, deserialize_with = "leaked")]
    pub missed: Phrase,
    /// The document that explains the situation.
    #[serde(skip)]
    pub manual: Phrase,
    /// The title of the section in that document.
    #[serde(deserialize_with = "leaked")]
    pub section: Phrase,
}

/// The verdict on a situation.
#[derive(Debug)]
pub enum Judgement {
    /// No mistake was seen; with notes.
    Passed(Vec<String>),
    Failed(Fault),
    /// Something else went wrong first, so that nothing is known: the reason, and the last lines of the transcript.
    Untold(String, Vec<String>),
}

/// The reason why nothing is known if the only mistake is one that the ordinary match had shown already.
const KNOWN_MISTAKE: &str = "the same went wrong in the ordinary match";

impl Situation {
    /// The rank of a fault: faults of a low rank are mended first, since others may follow from them, as a bot that
    /// misreads lines starves as well. A crash comes first, since its place is known. Among equal ranks a situation
    /// with one possible cause comes before one with several.
    pub fn rank(&self, fault: &Fault) -> (usize, usize) {
        let vague = self.causes_of(fault).len().abs_diff(1);
        let rank = match fault.kind {
            K::Starved => 4,
            _ if fault.remedy.is_some_and(|remedy| remedy.sure) => 1,
            _ if fault.crash.is_some() => 0,
            K::Stalled | K::Slow if self.role == Role::Ordinary => 4,
            _ => vague + 1,
        };
        (rank, vague)
    }

    /// What that fault may come from, the most likely first.
    pub fn causes_of(&self, fault: &Fault) -> Vec<Cause> {
        let mut causes = self.causes.clone();
        match fault.remedy {
            Some(remedy) if remedy.sure => return vec![remedy.cause],
            Some(remedy) if causes.is_empty() => causes.push(remedy.cause),
            _ => {}
        }
        // A bot falls silent when it loses an answer among other lines, not when it takes another line for an answer.
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
    pub fn mend_of(&self, fault: &Fault) -> Phrase {
        let better = fault.remedy.filter(|remedy| remedy.sure || self.causes.is_empty());
        better.map_or(self.mend, |remedy| remedy.mend)
    }

    /// Whether this fault follows from another one, which is to be mended before it.
    pub fn follows(&self, fault: &Fault, (first, root): (&Situation, &Fault)) -> bool {
        let (causes, roots) = (self.causes_of(fault), first.causes_of(root));
        let same_cause = roots.first().is_some_and(|cause| {
            causes.first() == Some(cause) || (causes.contains(cause) && root.kind != K::Stalled)
        });
        let same_words = fault.kind == root.kind && gist(&fault.words) == gist(&root.words);
        let vague = fault.kind == K::Stalled || causes.is_empty() || roots.is_empty();
        // A bot gets no food if its commands are refused or dropped, or if it goes to wrong tiles.
        let is_hungry = match root.kind {
            K::Invalid | K::Misses => true,
            K::Dropped => root.remedy.is_some_and(|remedy| remedy.sure),
            _ => false,
        };
        same_cause || (same_words && vague) || (is_hungry && fault.kind == K::Starved)
    }

    /// The verdict on what was seen. `known` are the mistakes that the ordinary match showed: no other situation fails
    /// for them.
    pub fn judge(&self, seen: &Seen, known: &[K]) -> Judgement {
        if let Some(words) = &seen.inconclusive {
            return Judgement::Untold(words.clone(), Vec::new());
        }
        let is_ordinary = self.role == Role::Ordinary;
        let is_known = |kind: K| !is_ordinary && known.contains(&kind);
        let known_already = || Judgement::Untold(KNOWN_MISTAKE.into(), Vec::new());
        let first_of = |kinds: &[K]| seen.faults.iter().find(|fault| kinds.contains(&fault.kind));
        // If the bot was let in and has spoken, logging in isn't what went wrong.
        let past_login = seen.spoke && first_of(&[K::Early, K::Name, K::NoLogin, K::LineEnd]).is_none();
        if self.role == Role::Login
            && past_login
            && let Some(fault) = first_of(&[K::Gone, K::Stalled])
        {
            return Judgement::Passed(vec![format!("it was let in, but later {}", fault.words)]);
        }
        // After a command that was dropped all answers are matched wrongly.
        if is_known(K::Dropped) && seen.has(K::Dropped) && !seen.has(K::NoLogin) {
            return known_already();
        }
        let mut new = self.mistakes.iter().filter(|kind| !is_known(**kind));
        if let Some(fault) = new.find_map(|kind| seen.fault_of(*kind)) {
            return Judgement::Failed(fault.clone());
        }
        let mut made = self.mistakes.iter().filter(|kind| seen.has(**kind));
        if made.any(|kind| !kind.is_slip() || *kind == self.mistakes[0]) {
            return known_already();
        }
        // Most mistakes that count in the ordinary match show in its first moments; starving and slowness need all of
        // it.
        let needs_all = !is_ordinary || [K::Starved, K::Slow].iter().any(|kind| self.mistakes.contains(kind));
        let ending = first_of(&[K::Gone, K::Stalled, K::NoLogin, K::Flood, K::Repeats]);
        if let Some(fault) = ending.filter(|_| needs_all || seen.has(K::NoLogin)) {
            if is_known(fault.kind) {
                return known_already();
            }
            return Judgement::Untold(fault.words.clone(), fault.transcript.clone());
        }
        let mut notes = seen.notes.clone();
        if seen.occurrences == 0 && !self.missed.is_empty() {
            notes.insert(0, self.missed.to_owned());
        }
        let elsewhere = seen.elsewhere.iter().filter(|(kind, _)| is_ordinary && self.mistakes.contains(kind));
        notes.extend(elsewhere.map(|(_, words)| words.clone()));
        Judgement::Passed(notes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_ordinary_match_showed_is_said_once() {
        let mut seen = Seen::default();
        seen.fault(K::Stalled, "it waits".into());
        let games = super::super::GAMES.iter().flat_map(|game| game.situations);
        for slow in games.filter(|situation| situation.name == "slow-lines") {
            assert!(matches!(slow.judge(&seen, &[]), Judgement::Failed(_)));
            assert!(matches!(slow.judge(&seen, &[K::Stalled]), Judgement::Untold(..)));
        }
    }

    /// A fault of that kind in the situation of that name, of the first game.
    fn fault(name: &str, kind: K, words: &str) -> (&'static Situation, Fault) {
        let situation =
            super::super::GAMES[0].situations.iter().find(|situation| situation.name == name).unwrap();
        let mut seen = Seen::default();
        seen.fault(kind, words.into());
        (situation, seen.faults.remove(0))
    }

    #[test]
    fn what_follows_from_another_mistake_is_told_from_what_does_not() {
        let follows = |one: (&Situation, Fault), root: (&'static Situation, Fault)| {
            one.0.follows(&one.1, (root.0, &root.1))
        };
        let messages = || fault("messages", K::Confused, "it mixes them up");
        assert!(follows(fault("burst", K::Gone, "it ended"), messages()));
        assert!(!follows(fault("ejected", K::Gone, "it ended"), messages()));
        let silent = |name| fault(name, K::Stalled, "it waits since 3 s");
        assert!(follows(silent("messages"), silent("one-packet")), "an answer was lost, not mistaken");
        let later = fault("ejected", K::Stalled, "it waits since 14 s");
        assert!(follows(later, silent("refused")), "the same words but for the numbers");
        let starved = fault("food", K::Starved, "it starved");
        let aim = fault("aim", K::Misses, "it took beside it");
        let bad = fault("commands", K::Invalid, "it sent \"look\"");
        assert!(follows(starved.clone(), bad), "what is no command brings no food");
        assert!(starved.0.rank(&starved.1) > aim.0.rank(&aim.1) && follows(starved, aim));
    }

    #[test]
    fn a_slip_leaves_the_rest_to_be_judged_and_a_busy_machine_nothing() {
        let mut seen = Seen::default();
        seen.fault(K::Invalid, "it spells badly".into());
        for slow in super::super::GAMES.iter().map(|game| &game.situations[0]) {
            assert!(matches!(slow.judge(&seen, &[K::Invalid]), Judgement::Passed(_)));
        }
        seen.inconclusive = Some("the machine was too busy".into());
        seen.fault(K::NoLogin, "it never connected".into());
        for slow in super::super::GAMES.iter().map(|game| &game.situations[0]) {
            assert!(matches!(slow.judge(&seen, &[]), Judgement::Untold(words, _) if words.contains("busy")));
        }
    }
}
