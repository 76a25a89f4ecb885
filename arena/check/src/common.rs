//! What any game asks of a bot: framing, the end of lines, a seat that is taken, the ends of a connection, the same twice.
//!
//! Data only; a game adds the scene in which it asks, and the section that explains it. Tested in
//! `arena/cli/tests/check.rs`.

use super::seen::Cause as C;
use super::seen::FaultKind as K;
use super::situation::{Demand, GOES_ON, LEAVES, STAYS, TURNED_AWAY, of};

pub const LINE_ENDS: Demand = of("line-ends", "ends each line with \\n alone", &[K::LineEnd])
    .mend("end each line with \\n, and with nothing else");
pub const OUTPUT: Demand = of("output", "writes little on its standard output", &[K::Output])
    .mend("write less; it isn't read while you play");
pub const SLOW_LINES: Demand = of("slow-lines", "reads lines that come byte by byte", GOES_ON).about(&[C::Framing]).mend(
    "a read may end in the middle of a line: keep what has come, and take a line only once its \\n is there",
);
pub const SPLIT_LINES: Demand = SLOW_LINES.called("split-lines", "reads lines that come in two packets");
pub const IDLE: Demand = of("idle", "doesn't burn the processor while it waits", &[K::Burns])
    .unless("it sent too little for it to have to wait")
    .mend(
        "wait in a read that blocks, or in `select` or `poll` without a limit of 0: a loop that asks again and again takes \
         the processor from all who play",
    );
pub const TAKEN: Demand = of("taken", "sees that its seat is taken", TURNED_AWAY)
    .about(&[C::Login])
    .mend("`ko` after the name: end, or try again after a while");
pub const CLOSING: Demand = of("closing", "leaves when the server closes", LEAVES)
    .about(&[C::End])
    .unless("it didn't play for long enough for that")
    .mend("a read of no bytes is the end of the connection: close it and end");
pub const CUT_OFF: Demand = CLOSING
    .called("cut-off", "leaves when the connection ends in the middle of a line")
    .mend("a read of no bytes is the end of the connection, also when half a line has come before");
pub const SAME_TWICE: Demand = of("same-twice", "does the same with the same seed and the same lines", STAYS)
    .mend("look at its last lines and at its standard error");
