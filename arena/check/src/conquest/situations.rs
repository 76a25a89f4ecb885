//! The situations of conquest: which scene shows what, which mistakes count there, and what helps.
//!
//! Data only. Tested in `check` and in `arena/cli/tests/check.rs`.

use super::scene;
use crate::common;
use crate::seen::Cause as C;
use crate::seen::FaultKind::{self, self as K};
use crate::situation::{ENTERS, GOES_ON, LEAVES, STAYS, Section, Situation, of};

/// The mistakes that count where the bot has to name the right turn.
const COUNTS: &[FaultKind] = &[K::Stale, K::Gone, K::NoLogin, K::Repeats, K::Stalled];
/// The mistakes that count where the bot has to wait for its phase.
const TAKES_TURNS: &[FaultKind] = &[K::Impatient, K::Gone, K::NoLogin, K::Repeats, K::Stalled];
/// The mistakes that count where a unit isn't the bot's own any more.
const FORGETS: &[FaultKind] = &[K::Foreign, K::Gone, K::NoLogin, K::Repeats, K::Stalled];
/// The mistakes that count where the bot plays by the real clock.
const KEEPS_TIME: &[FaultKind] = &[K::Gone, K::NoLogin, K::Name, K::Stalled, K::Late];
/// The mistakes that count where the bot is beaten.
const IS_BEATEN: &[FaultKind] = &[K::Ghost, K::Lingers, K::Broken, K::Gone, K::NoLogin, K::Stalled];

const CONNECTING: Section = ("conquest.md", "3. Connecting");
const TURNS: Section = ("conquest.md", "4. Turns and phases");
const SNAPSHOT: Section = ("conquest.md", "5. The snapshot");
const ORDERS: Section = ("conquest.md", "6. Orders and answers");
const MAP: Section = ("conquest.md", "7. The map");
const UNITS: Section = ("conquest.md", "8. Units");
const RESOLUTION: Section = ("conquest.md", "10. The resolution");
const DEFEAT: Section = ("conquest.md", "11. Defeat, score and places");
const CITIES: Section = ("conquest.md", "12. Cities");
const DRAFT: Section = ("conquest.md", "13. Placement by draft");
const LOCKSTEP: Section = ("conquest.md", "15. The lockstep clock");
const NOTES: Section = ("conquest.md", "21. Notes for writers of clients");

/// All of them, in the order in which they are tried.
pub static ALL: &[Situation] = &[
    of("login", "waits for WELCOME, names its faction, reads three lines", ENTERS)
        .about(&[C::Login])
        .mend(
            "read WELCOME first, then send the faction's name and \\n, then read the slots, the size and the options",
        )
        .at(&scene::LOGIN, CONNECTING),
    of("match", "plays an ordinary match of 20 turns", STAYS)
        .mend(
            "read up to `go N`, send the orders and `Done N`, and go on so until `over`; look at its standard error",
        )
        .at(&scene::PLAIN, NOTES),
    of("orders", "sends orders as they are spelled", &[K::Invalid, K::Name])
        .mend("spell each order as the table has it, capitals too, with as many words as it takes")
        .at(&scene::PLAIN, ORDERS),
    of("own-units", "orders its own units alone", &[K::Foreign])
        .mend("the second number of a `unit` line is its faction: order only those with your number, `you`")
        .at(&scene::PLAIN, SNAPSHOT),
    of("what-units-can", "orders what a unit of that type can do", &[K::Unable])
        .mend("look up in the table what a unit of that type can do")
        .at(&scene::PLAIN, UNITS),
    common::LINE_ENDS.at(&scene::PLAIN, CONNECTING),
    of("budget", "keeps within the budget of lines", &[K::Flood])
        .mend("one order per unit and one for the base are enough: 40 lines in a phase, and 10 for each unit")
        .at(&scene::PLAIN, ORDERS),
    of("done-once", "says Done behind all its orders", &[K::AfterDone])
        .mend("`Done N` is the last line of a phase; send nothing more until the next `go`")
        .at(&scene::PLAIN, ORDERS),
    of("right-turn", "says Done with the number behind go", &[K::Stale])
        .mend("send the number that stood behind `go`, in the phase that it opens")
        .at(&scene::PLAIN, ORDERS),
    of("in-time", "is done within a second", &[K::Slow])
        .mend("say `Done` within the phase's time; who waits for something that isn't sent waits for ever")
        .at(&scene::PLAIN, LOCKSTEP),
    common::OUTPUT.at(&scene::PLAIN, NOTES),
    of("real-clock", "plays by the real clock, where phases last their time", KEEPS_TIME)
        .mend(
            "after `Done` nothing comes until all are done or the time is over: wait for the next `turn` without a \
             limit",
        )
        .at(&scene::REAL, TURNS),
    common::SLOW_LINES.at(&scene::SLOW, CONNECTING),
    common::SPLIT_LINES.at(&scene::SPLIT, CONNECTING),
    of("line-by-line", "reads a snapshot whose lines come one by one", GOES_ON)
        .about(&[C::Framing])
        .mend("a snapshot is complete at `go N`, not when a read ends: read line by line until then")
        .at(&scene::APARTNESS, SNAPSHOT),
    of("late", "goes on when its time was over", GOES_ON)
        .unless("it didn't play for long enough to be late")
        .mend(
            "after `ko turn N is running` answer the `go N` that comes next or has come already; two snapshots may \
             wait at once",
        )
        .at(&scene::LATE, TURNS),
    of("stale-done", "takes the turn's number from go", COUNTS)
        .mend("a match may begin at any turn, and phases may pass while you are away: take the number behind `go`")
        .at(&scene::LATER, ORDERS),
    of("one-by-one", "waits while another faction acts", TAKES_TURNS)
        .unless("it didn't play for long enough to wait for others")
        .mend("in mode players others act before you: send nothing until `go`, however long it takes")
        .at(&scene::PLAYERS, TURNS),
    common::IDLE.at(&scene::PLAYERS, NOTES),
    of("unit-gone", "goes on when a unit is gone that it orders", GOES_ON)
        .unless("it had no unit that could vanish")
        .mend("a `ko` costs nothing: read one answer for each line, and look up your units in the next snapshot")
        .at(&scene::VANISHING, RESOLUTION),
    of("changed-sides", "orders no unit that has changed sides", FORGETS)
        .unless("it had no unit that could change sides")
        .mend("a unit keeps its number when it changes sides: begin a new table of units with each `turn`")
        .at(&scene::CONVERTED, UNITS),
    of("many-units", "reads a long snapshot and orders 60 units", GOES_ON)
        .mend("a snapshot may have many thousand bytes, and `go N` may be far away: read on until then")
        .at(&scene::ARMY, SNAPSHOT),
    of("poor", "goes on without units and gold, with a score below 0", GOES_ON)
        .mend("a score may be negative, and there may be no `unit` line at all: be ready for both")
        .at(&scene::POOR, SNAPSHOT),
    of("every-type", "reads units of every type and state, forts and a busy slot", GOES_ON)
        .mend(
            "states are `-`, `d`, `e` or `de`, and a slot may have 0 turns left: read the words as the table has them",
        )
        .at(&scene::MIXED, UNITS),
    of("corner", "knows that the edges are joined, and which side is which", GOES_ON)
        .mend("the line after the slots is width, then height; x is taken modulo the width, y modulo the height")
        .at(&scene::CORNER, MAP),
    of("cities", "plays a match with cities", GOES_ON)
        .mend("with cities there are `city` lines, forests, buildings and wood: pass over what you don't use")
        .at(&scene::CITIES, CITIES),
    of("draft", "chooses its start", GOES_ON)
        .mend("turn 0 has `start K X Y` lines and no snapshot: answer `go 0` with `Place K` and `Done 0`")
        .at(&scene::DRAFT, DRAFT),
    common::TAKEN.at(&scene::FULL, CONNECTING),
    of("beaten", "orders nothing more when it is beaten, and leaves at the end", IS_BEATEN)
        .about(&[C::End])
        .unless("it didn't play for long enough to be beaten")
        .mend("after `dead` no `go` comes any more: end, or read on until `over` and the end of the connection")
        .at(&scene::DEFEAT, DEFEAT),
    of("over", "leaves when the match is over", LEAVES)
        .about(&[C::End])
        .unless("it didn't play to the last turn")
        .mend("`over` is the last line; then a read of no bytes is the end of the connection: close it and end")
        .at(&scene::ENDING, DEFEAT),
    common::CLOSING.called("lost", "leaves when the connection ends without a word").at(&scene::LOST, CONNECTING),
    common::CUT_OFF.at(&scene::CUT, CONNECTING),
    common::SAME_TWICE.at(&scene::AGAIN, LOCKSTEP),
];
