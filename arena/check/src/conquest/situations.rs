//! The situations of conquest: which scene shows what, which mistakes count there, and what helps.
//!
//! Data only. Tested in `check` and in `arena/cli/tests/check.rs`.

use super::scene;
use crate::scene::Scene;
use crate::seen::Cause as C;
use crate::seen::FaultKind::{self, self as K};
use crate::situation::{ENTERS, LEAVES, STAYS, Situation, TURNED_AWAY};

/// The mistakes that count where a bot has to stay and say `Done` in each phase.
const GOES_ON: &[FaultKind] = &[K::Gone, K::NoLogin, K::Name, K::Repeats, K::Stalled, K::Invalid];
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

const CONNECTING: &str = "3. Connecting";
const TURNS: &str = "4. Turns and phases";
const SNAPSHOT: &str = "5. The snapshot";
const ORDERS: &str = "6. Orders and answers";
const MAP: &str = "7. The map";
const UNITS: &str = "8. Units";
const RESOLUTION: &str = "10. The resolution";
const DEFEAT: &str = "11. Defeat, score and places";
const CITIES: &str = "12. Cities";
const DRAFT: &str = "13. Placement by draft";
const LOCKSTEP: &str = "15. The lockstep clock";
const NOTES: &str = "21. Notes for writers of clients";

const fn of(
    name: &'static str,
    purpose: &'static str,
    scene: &'static dyn Scene,
    kinds: &'static [FaultKind],
    section: &'static str,
) -> Situation {
    Situation {
        name,
        purpose,
        scene,
        kinds,
        section: ("conquest.md", section),
        mend: "",
        missed: "",
        causes: &[],
    }
}

/// All of them, in the order in which they are tried.
pub static ALL: &[Situation] = &[
    of("login", "waits for WELCOME, names its faction, reads three lines", &scene::LOGIN, ENTERS, CONNECTING).about(&[C::Login])
        .mend(
            "read WELCOME first, then send the faction's name and \\n, then read the slots, the \
             size and the options",
        ),
    of("match", "plays an ordinary match of 20 turns", &scene::PLAIN, STAYS, NOTES).mend(
        "read up to `go N`, send the orders and `Done N`, and go on so until `over`; look at \
             its standard error",
    ),
    of("orders", "sends orders as they are spelled", &scene::PLAIN, &[K::Invalid, K::Name], ORDERS)
        .mend("spell each order as the table has it, capitals too, with as many words as it takes"),
    of("own-units", "orders its own units alone", &scene::PLAIN, &[K::Foreign], SNAPSHOT).mend(
        "the second number of a `unit` line is its faction: order only those with your \
             number, `you`",
    ),
    of("what-units-can", "orders what a unit of that type can do", &scene::PLAIN, &[K::Unable], UNITS)
        .mend("look up in the table what a unit of that type can do"),
    of("line-ends", "ends each line with \\n alone", &scene::PLAIN, &[K::LineEnd], CONNECTING)
        .mend("end each line with \\n, and with nothing else"),
    of("budget", "keeps within the budget of lines", &scene::PLAIN, &[K::Flood], ORDERS).mend(
        "one order per unit and one for the base are enough: 40 lines in a phase, and 10 for \
             each unit",
    ),
    of("done-once", "says Done behind all its orders", &scene::PLAIN, &[K::AfterDone], ORDERS)
        .mend("`Done N` is the last line of a phase; send nothing more until the next `go`"),
    of("right-turn", "says Done with the number behind go", &scene::PLAIN, &[K::Stale], ORDERS)
        .mend("send the number that stood behind `go`, in the phase that it opens"),
    of("in-time", "is done within a second", &scene::PLAIN, &[K::Slow], LOCKSTEP).mend(
        "say `Done` within the phase's time; who waits for something that isn't sent waits \
             for ever",
    ),
    of("output", "writes little on its standard output", &scene::PLAIN, &[K::Output], NOTES)
        .mend("write less; it isn't read while you play"),
    of(
        "real-clock",
        "plays by the real clock, where phases last their time",
        &scene::REAL,
        KEEPS_TIME,
        TURNS,
    )
    .mend(
        "after `Done` nothing comes until all are done or the time is over: wait for the next \
             `turn` without a limit",
    ),
    of("slow-lines", "reads lines that come byte by byte", &scene::SLOW, GOES_ON, CONNECTING).about(&[C::Framing]).mend(
        "a read may end in the middle of a line: keep what has come, and take a line only \
             once its \\n is there",
    ),
    of("split-lines", "reads lines that come in two packets", &scene::SPLIT, GOES_ON, CONNECTING).about(&[C::Framing]).mend(
        "a read may end in the middle of a line: keep what has come, and take a line only \
             once its \\n is there",
    ),
    of("line-by-line", "reads a snapshot whose lines come one by one", &scene::APARTNESS, GOES_ON, SNAPSHOT).about(&[C::Framing])
        .mend("a snapshot is complete at `go N`, not when a read ends: read line by line until then"),
    of("late", "goes on when its time was over", &scene::LATE, GOES_ON, TURNS)
        .unless("it didn't play for long enough to be late")
        .mend(
            "after `ko turn N is running` answer the `go N` that comes next or has come already; \
             two snapshots may wait at once",
        ),
    of("stale-done", "takes the turn's number from go", &scene::LATER, COUNTS, ORDERS).mend(
        "a match may begin at any turn, and phases may pass while you are away: take the \
             number behind `go`",
    ),
    of("one-by-one", "waits while another faction acts", &scene::PLAYERS, TAKES_TURNS, TURNS)
        .unless("it didn't play for long enough to wait for others")
        .mend(
            "in mode players others act before you: send nothing until `go`, however long it \
             takes",
        ),
    of("idle", "doesn't burn the processor while it waits", &scene::PLAYERS, &[K::Burns], NOTES)
        .unless("it didn't play for long enough to wait for others")
        .mend(
            "wait in a read that blocks, or in `select` or `poll` without a limit of 0: a loop that asks again and again \
             takes the processor from all who play",
        ),
    of("unit-gone", "goes on when a unit is gone that it orders", &scene::VANISHING, GOES_ON, RESOLUTION)
        .unless("it had no unit that could vanish")
        .mend(
            "a `ko` costs nothing: read one answer for each line, and look up your units in the \
             next snapshot",
        ),
    of("changed-sides", "orders no unit that has changed sides", &scene::CONVERTED, FORGETS, UNITS)
        .unless("it had no unit that could change sides")
        .mend(
            "a unit keeps its number when it changes sides: begin a new table of units with each \
             `turn`",
        ),
    of("many-units", "reads a long snapshot and orders 60 units", &scene::ARMY, GOES_ON, SNAPSHOT).mend(
        "a snapshot may have many thousand bytes, and `go N` may be far away: read on until \
             then",
    ),
    of("poor", "goes on without units and gold, with a score below 0", &scene::POOR, GOES_ON, SNAPSHOT)
        .mend("a score may be negative, and there may be no `unit` line at all: be ready for both"),
    of(
        "every-type",
        "reads units of every type and state, forts and a busy slot",
        &scene::MIXED,
        GOES_ON,
        UNITS,
    )
    .mend(
        "states are `-`, `d`, `e` or `de`, and a slot may have 0 turns left: read the words \
             as the table has them",
    ),
    of("corner", "knows that the edges are joined, and which side is which", &scene::CORNER, GOES_ON, MAP)
        .mend(
            "the line after the slots is width, then height; x is taken modulo the width, y \
             modulo the height",
        ),
    of("cities", "plays a match with cities", &scene::CITIES, GOES_ON, CITIES).mend(
        "with cities there are `city` lines, forests, buildings and wood: pass over what you \
             don't use",
    ),
    of("draft", "chooses its start", &scene::DRAFT, GOES_ON, DRAFT).mend(
        "turn 0 has `start K X Y` lines and no snapshot: answer `go 0` with `Place K` and \
             `Done 0`",
    ),
    of("taken", "sees that its seat is taken", &scene::FULL, TURNED_AWAY, CONNECTING).about(&[C::Login])
        .mend("`ko` after the name: end, or try again after a while"),
    of(
        "beaten",
        "orders nothing more when it is beaten, and leaves at the end",
        &scene::DEFEAT,
        IS_BEATEN,
        DEFEAT,
    ).about(&[C::End])
    .unless("it didn't play for long enough to be beaten")
    .mend(
        "after `dead` no `go` comes any more: end, or read on until `over` and the end of the \
             connection",
    ),
    of("over", "leaves when the match is over", &scene::ENDING, LEAVES, DEFEAT).about(&[C::End])
        .unless("it didn't play to the last turn")
        .mend(
            "`over` is the last line; then a read of no bytes is the end of the connection: close \
             it and end",
        ),
    of("lost", "leaves when the connection ends without a word", &scene::LOST, LEAVES, CONNECTING).about(&[C::End])
        .unless("it didn't play for long enough for that")
        .mend("a read of no bytes is the end of the connection: close it and end"),
    of("cut-off", "leaves when the connection ends in the middle of a line", &scene::CUT, LEAVES, CONNECTING).about(&[C::End])
        .unless("it didn't play for long enough for that")
        .mend(
            "a read of no bytes is the end of the connection, also when half a line has come \
             before",
        ),
    of("same-twice", "does the same with the same seed and the same lines", &scene::AGAIN, STAYS, LOCKSTEP)
        .mend("look at its last lines and at its standard error"),
];
