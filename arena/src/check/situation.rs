//! The situations a bot is checked in: which scene shows what, which mistakes count there, and where to read on.
//!
//! Data, and how a scene's faults become a verdict. Tested in this module and in `tests/check.rs`.

use super::scene::{self, Scene};
use super::seen::{Fault, FaultKind, Seen};

/// A situation.
#[derive(Debug, Clone, Copy)]
pub struct Situation {
    /// How it is called.
    pub name: &'static str,
    /// What a bot has to do in it.
    pub purpose: &'static str,
    /// Where it is seen.
    pub scene: Scene,
    /// The mistakes that count, the ones that say most first.
    pub kinds: &'static [FaultKind],
    /// The section of `protocol.md` that explains it, as its title stands there.
    pub section: &'static str,
    /// What to say when there was no occasion.
    pub missed: &'static str,
}

/// What came of a situation.
#[derive(Debug)]
pub enum Judgement {
    /// All was well; there may be something worth knowing.
    Passed(Vec<String>),
    /// It wasn't.
    Failed(Fault),
    /// It can't be told, because something else went wrong first: that, and the last lines before it.
    Untold(String, Vec<String>),
}

use FaultKind as K;

/// What is said if only a mistake occurred that the ordinary match had shown already.
const AS_EVER: &str = "the same went wrong in the ordinary match";

/// The mistakes that count where a bot has to stay and go on.
const GOES_ON: &[FaultKind] =
    &[K::Gone, K::Confused, K::NoLogin, K::Name, K::Stalled, K::Dropped, K::Invalid];
const REFUSED: &[FaultKind] = &[K::Repeats, K::Gone, K::NoLogin, K::Stalled, K::Dropped, K::Invalid];
const LEAVES: &[FaultKind] = &[K::Lingers, K::Broken, K::Gone, K::NoLogin, K::Stalled];

const CONNECTING: &str = "3. Connecting";
const TIME: &str = "4. Time and order";
const DIALECT: &str = "5. The players' dialect";
const COMMANDS: &str = "6. The commands";
const MAP: &str = "7. The map";
const VISION: &str = "8. Vision";
const SOUND: &str = "9. Sound";
const FOOD: &str = "10. Food and death";
const EGG: &str = "11. The life of an egg";
const INCANTATION: &str = "12. The incantation";
const END: &str = "13. The end of a match";
const LIMITS: &str = "15. Bad input and limits";
const LOCKSTEP: &str = "18. The lockstep clock";
const NOTES: &str = "19. Notes for writers of clients";

const fn of(
    name: &'static str,
    purpose: &'static str,
    scene: Scene,
    kinds: &'static [FaultKind],
    section: &'static str,
) -> Situation {
    Situation { name, purpose, scene, kinds, section, missed: "" }
}

impl Situation {
    /// Whether a fault is to be mended after others, which may be its cause: a bot that misreads lines starves as well.
    pub fn comes_later(&self, fault: &Fault) -> bool {
        let stops = self.scene == scene::PLAIN && matches!(fault.kind, K::Stalled | K::Slow);
        stops || fault.kind == K::Starved
    }

    const fn unless(self, missed: &'static str) -> Situation {
        Situation { missed, ..self }
    }

    /// What is to be said of what was seen. `known` are the mistakes that the ordinary match showed.
    pub fn judge(&self, seen: &Seen, known: &[FaultKind]) -> Judgement {
        let find = |kind: &FaultKind| seen.faults.iter().find(|fault| fault.kind == *kind);
        let fault = self.kinds.iter().find_map(find);
        match fault {
            Some(fault) if self.scene == scene::PLAIN || !known.contains(&fault.kind) => {
                return Judgement::Failed(fault.clone());
            }
            Some(_) => return Judgement::Untold(AS_EVER.into(), Vec::new()),
            None => {}
        }
        let ends_it = |fault: &&Fault| {
            matches!(fault.kind, K::Gone | K::Stalled | K::NoLogin | K::Flood)
                && !self.kinds.contains(&fault.kind)
        };
        // In the ordinary match most mistakes that count show in its first moments; the other ones need all
        // of it.
        let needs_all = |kind: &FaultKind| matches!(kind, K::Starved | K::Slow);
        let needs_all = self.scene != scene::PLAIN || self.kinds.iter().any(needs_all);
        let shut_out = seen.has(K::NoLogin);
        if let Some(fault) = seen.faults.iter().find(ends_it).filter(|_| needs_all || shut_out) {
            if self.scene != scene::PLAIN && known.contains(&fault.kind) {
                return Judgement::Untold(AS_EVER.into(), Vec::new());
            }
            return Judgement::Untold(fault.words.clone(), fault.transcript.clone());
        }
        let mut notes = seen.notes.clone();
        if seen.met == 0 && !self.missed.is_empty() {
            notes.insert(0, self.missed.to_owned());
        }
        Judgement::Passed(notes)
    }
}

/// All of them, in the order in which they are tried.
pub const ALL: &[Situation] = &[
    of(
        "login",
        "waits for WELCOME, names its team, reads both numbers",
        scene::LOGIN,
        &[K::Early, K::Name, K::NoLogin, K::Gone, K::Stalled],
        CONNECTING,
    ),
    of("last-slot", "sees that 0 slots left is a success", scene::LAST, GOES_ON, CONNECTING),
    of(
        "match",
        "plays an ordinary match of 2,000 ticks",
        scene::PLAIN,
        &[K::Gone, K::NoLogin, K::Stalled],
        NOTES,
    ),
    of("commands", "sends commands as they are spelled", scene::PLAIN, &[K::Invalid, K::Name], COMMANDS),
    of("line-ends", "ends each line with \\n alone", scene::PLAIN, &[K::LineEnd], DIALECT),
    of("ten-waiting", "never has more waiting than can wait", scene::PLAIN, &[K::Dropped], TIME),
    of("flood", "lets time pass", scene::PLAIN, &[K::Flood], LIMITS),
    of("in-time", "decides within a second", scene::PLAIN, &[K::Slow], LOCKSTEP),
    of("output", "writes little on its standard output", scene::PLAIN, &[K::Output], NOTES),
    of("food", "lives through 2,000 ticks on an ordinary map", scene::PLAIN, &[K::Starved], FOOD),
    of("slow-lines", "reads lines that come byte by byte", scene::SLOW, GOES_ON, CONNECTING),
    of("split-lines", "reads lines that come in two packets", scene::SPLIT, GOES_ON, CONNECTING),
    of("one-packet", "reads several lines that come in one packet", scene::TOGETHER, GOES_ON, CONNECTING),
    of("messages", "tells a message from an answer, whatever it says", scene::SHOUTS, GOES_ON, NOTES)
        .unless("it sent too few commands for anybody to shout between"),
    of("burst", "reads 60 messages that come in one packet", scene::BURSTS, GOES_ON, NOTES)
        .unless("it sent too few commands for anybody to shout between"),
    of("long-message", "reads a message of 4,000 bytes", scene::LONG, GOES_ON, SOUND)
        .unless("it didn't play for long enough to hear one"),
    of("bytes", "reads a message that isn't UTF-8", scene::BYTES, GOES_ON, SOUND)
        .unless("it didn't play for long enough to hear one"),
    of("late-answer", "waits for an answer that takes seconds, and asks once", scene::LATE, GOES_ON, TIME)
        .unless("it sent too few commands for one to be late"),
    of("refused", "gives up what another player was quicker to take", scene::REFUSED, REFUSED, COMMANDS)
        .unless("it never tried to take anything"),
    of("ejected", "tells a push from an answer", scene::PUSHES, GOES_ON, COMMANDS)
        .unless("no player could push it; it didn't stay long enough"),
    of("frozen", "waits out another player's incantation that fails", scene::FREEZES, GOES_ON, INCANTATION)
        .unless("it sent too few commands to be taken along"),
    of("raised", "takes `Current level` that it didn't ask for", scene::RAISES, GOES_ON, INCANTATION)
        .unless("it sent too few commands to be taken along"),
    of("failed-incantation", "goes on when its own incantation fails", scene::THEFT, GOES_ON, INCANTATION)
        .unless("it never began an incantation, so none could fail"),
    of(
        "hungry",
        "eats before it starves when food lies around",
        scene::HUNGRY,
        &[K::Starved, K::Gone, K::NoLogin, K::Stalled],
        FOOD,
    ),
    of("one-tile", "plays on a map of one tile, in company", scene::TINY, GOES_ON, MAP),
    of("empty-tiles", "reads a Look without anything in it", scene::EMPTY, GOES_ON, VISION)
        .unless("it never looked around"),
    of("long-look", "reads a Look of more than 4,096 bytes", scene::CROWDED, GOES_ON, VISION)
        .unless("it never looked around"),
    of("eggs-in-sight", "reads a Look with eggs in it", scene::EGGS, GOES_ON, VISION)
        .unless("it never looked around"),
    of(
        "egg",
        "has a client for each egg it lays",
        scene::NURSERY,
        &[K::Unhatched, K::Gone, K::NoLogin, K::Stalled],
        EGG,
    )
    .unless("it never laid an egg"),
    of(
        "full-team",
        "sees that its team is full",
        scene::FULL,
        &[K::Name, K::Flood, K::Lingers, K::Broken, K::NoLogin],
        CONNECTING,
    ),
    of("dead", "leaves when it is dead", scene::DEATH, LEAVES, FOOD)
        .unless("it sent too few commands to be killed"),
    of("closing", "leaves when the server closes", scene::CLOSING, LEAVES, END)
        .unless("it sent too few commands for that"),
    of("cut-off", "leaves when the connection ends in the middle of a line", scene::CUT, LEAVES, END)
        .unless("it sent too few commands for that"),
    of(
        "same-twice",
        "does the same with the same seed and the same lines",
        scene::AGAIN,
        &[K::Gone, K::NoLogin, K::Stalled],
        LOCKSTEP,
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_has_a_name_of_its_own_and_a_section_that_is_there() {
        let protocol = include_str!("../../../protocol.md");
        for (i, situation) in ALL.iter().enumerate() {
            let heading = format!("\n## {}\n", situation.section);
            assert!(protocol.contains(&heading), "{}: no section {}", situation.name, situation.section);
            assert!(ALL[..i].iter().all(|other| other.name != situation.name), "{} twice", situation.name);
        }
    }

    #[test]
    fn what_the_ordinary_match_showed_is_said_once() {
        let mut seen = Seen::new(std::time::Instant::now());
        seen.fault(FaultKind::Stalled, "it waits".into());
        let slow = ALL.iter().find(|situation| situation.name == "slow-lines").unwrap();
        assert!(matches!(slow.judge(&seen, &[]), Judgement::Failed(_)));
        assert!(matches!(slow.judge(&seen, &[FaultKind::Stalled]), Judgement::Untold(..)));
    }
}
