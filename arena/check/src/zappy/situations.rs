//! The situations of Zappy: which scene shows what, which mistakes count there, what helps, and where to read on.
//!
//! Data only. Tested in `check::situation` and in `arena/cli/tests/check.rs`.

use super::blame::{BESIDE, QUEUE, SPELLING};
use super::scene;
use crate::scene::Scene;
use crate::seen::Cause as C;
use crate::seen::FaultKind::{self, self as K};
use crate::situation::{ENTERS, GOES_ON, LEAVES, STAYS, Situation, TURNED_AWAY};

const REFUSED: &[FaultKind] = &[K::Repeats, K::Gone, K::NoLogin, K::Stalled, K::Dropped, K::Invalid];
const EATS: &[FaultKind] = &[K::Starved, K::Gone, K::NoLogin, K::Stalled];
const AIMS: &[FaultKind] = &[K::Misses, K::Gone, K::NoLogin, K::Stalled];
const COMES: &[FaultKind] = &[K::Overruns, K::Gone, K::NoLogin, K::Stalled];
const COUNTS: &[FaultKind] = &[K::Misreads, K::Gone, K::NoLogin, K::Stalled];
const HATCHES: &[FaultKind] = &[K::Unhatched, K::Gone, K::NoLogin, K::Stalled];

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
    scene: &'static dyn Scene,
    kinds: &'static [FaultKind],
    section: &'static str,
) -> Situation {
    Situation {
        name,
        purpose,
        scene,
        kinds,
        section: ("protocol.md", section),
        mend: "",
        missed: "",
        causes: &[],
    }
}

/// All of them, in the order in which they are tried.
pub static ALL: &[Situation] = &[
    of("login", "waits for WELCOME, names its team, reads both numbers", &scene::LOGIN, ENTERS, CONNECTING).about(&[C::Login])
        .mend(
            "read WELCOME first, then send the team's name and \\n, then read two lines: a \
             number, and the map's size",
        ),
    of("match", "plays an ordinary match of 2,000 ticks", &scene::PLAIN, STAYS, NOTES).mend(
        "look at its last commands and at its standard error: it ought to go on until `dead` \
             or the end",
    ),
    of("commands", "sends commands as they are spelled", &scene::PLAIN, &[K::Invalid, K::Name], COMMANDS).about(&[SPELLING.0])
        .mend(SPELLING.1),
    of("line-ends", "ends each line with \\n alone", &scene::PLAIN, &[K::LineEnd], DIALECT)
        .mend("end each line with \\n, and with nothing else"),
    of("ten-waiting", "never has more waiting than can wait", &scene::PLAIN, &[K::Dropped], TIME).about(&[QUEUE.0])
        .mend(QUEUE.1),
    of("flood", "lets time pass", &scene::PLAIN, &[K::Flood], LIMITS).mend(
        "what takes no time tells nothing new until time has passed: do something that takes \
             some",
    ),
    of("in-time", "decides within a second", &scene::PLAIN, &[K::Slow], LOCKSTEP)
        .mend("decide within a second; who waits for something that isn't sent waits for ever"),
    of("output", "writes little on its standard output", &scene::PLAIN, &[K::Output], NOTES)
        .mend("write less; it isn't read while you play"),
    of("food", "lives through 2,000 ticks on an ordinary map", &scene::PLAIN, &[K::Starved], FOOD).about(&[C::Food]).mend(
        "look at `Inventory` now and then, and take food before anything else when there is \
             little",
    ),
    of("last-slot", "sees that 0 slots left is a success", &scene::LAST, GOES_ON, CONNECTING)
        .mend("the first number after the name is what is left after you; only `ko` is a refusal"),
    of("slow-lines", "reads lines that come byte by byte", &scene::SLOW, GOES_ON, CONNECTING).about(&[C::Framing]).mend(
        "a read may end in the middle of a line: keep what has come, and take a line only \
             once its \\n is there",
    ),
    of("split-lines", "reads lines that come in two packets", &scene::SPLIT, GOES_ON, CONNECTING).about(&[C::Framing]).mend(
        "a read may end in the middle of a line: keep what has come, and take a line only \
             once its \\n is there",
    ),
    of("line-by-line", "reads lines that come one by one", &scene::APARTNESS, GOES_ON, CONNECTING).about(&[C::Framing]).mend(
        "a read may bring one line alone, also of the two that follow the team's name: read \
             on until the next \\n is there",
    ),
    of("one-packet", "reads several lines that come in one packet", &scene::TOGETHER, GOES_ON, CONNECTING).about(&[C::Framing, C::Message])
        .mend("a read may bring several lines: take them one by one, and keep the rest"),
    of("messages", "tells a message from an answer, whatever it says", &scene::SHOUTS, GOES_ON, NOTES).about(&[C::Message])
        .unless("it sent too few commands for anybody to shout between")
        .mend(
            "`message` may come at any time: look at the line's first word before you take it for \
             an answer",
        ),
    of("burst", "reads 60 messages that come in one packet", &scene::BURSTS, GOES_ON, NOTES).about(&[C::Framing, C::Message])
        .unless("it sent too few commands for anybody to shout between")
        .mend("a read may bring very many lines, and end in the middle of one: forget none of them"),
    of("long-message", "reads a message of 4,000 bytes", &scene::LONG, GOES_ON, SOUND).about(&[C::Message])
        .unless("it didn't play for long enough to hear one")
        .mend("a line may have 4,096 bytes and more: let the buffer grow"),
    of("bytes", "reads a message that isn't UTF-8", &scene::BYTES, GOES_ON, SOUND).about(&[C::Message])
        .unless("it didn't play for long enough to hear one")
        .mend("what others say may be any bytes: read bytes, and decode them so that it can't fail"),
    of("late-answer", "waits for an answer that takes seconds, and asks once", &scene::LATE, GOES_ON, TIME)
        .unless("it sent too few commands for one to be late")
        .mend(
            "the frequency isn't told: wait for an answer as long as it takes, and don't ask \
             twice",
        ),
    of("idle", "doesn't burn the processor while it waits", &scene::LATE, &[K::Burns], NOTES)
        .unless("it sent too few commands for one to be late")
        .mend(
            "wait in a read that blocks, or in `select` or `poll` without a limit of 0: a loop that asks again and again \
             takes the processor from all who play",
        ),
    of("refused", "gives up what another player was quicker to take", &scene::REFUSED, REFUSED, COMMANDS).about(&[C::Refusal])
        .unless("it never tried to take anything")
        .mend("`Look` tells what was there; after a `ko`, look again and decide anew"),
    of("ejected", "tells a push from an answer", &scene::PUSHES, GOES_ON, COMMANDS).about(&[C::Push])
        .unless("no player could push it; it didn't stay long enough")
        .mend("`eject: K` may come at any time and answers nothing; you stand on another tile now"),
    of("frozen", "waits out another player's incantation that fails", &scene::FREEZES, GOES_ON, INCANTATION).about(&[C::Incantation])
        .unless("it sent too few commands to be taken along")
        .mend(
            "after an `Elevation underway` that you didn't ask for, `Current level` or `ko` ends \
             it; neither answers you",
        ),
    of("raised", "takes `Current level` that it didn't ask for", &scene::RAISES, GOES_ON, INCANTATION).about(&[C::Incantation])
        .unless("it sent too few commands to be taken along")
        .mend(
            "a `Current level` may come that you didn't ask for: take the level, and go on \
             waiting for your answer",
        ),
    of("failed-incantation", "goes on when its own incantation fails", &scene::THEFT, GOES_ON, INCANTATION).about(&[C::Incantation])
        .unless("it never began an incantation, so none could fail")
        .mend("after `Elevation underway` comes `Current level`, or `ko`: be ready for both"),
    of("hungry", "eats before it starves when food lies around", &scene::HUNGRY, EATS, FOOD).about(&[C::Food]).mend(
        "look at `Inventory` now and then, and take food before anything else when there is \
             little",
    ),
    of("rivals", "lives through 4,000 ticks where others are often quicker", &scene::RIVALS, EATS, FOOD)
        .about(&[C::Food])
        .mend(
            "a `Take food` that is answered by `ko` brought nothing, and every 126 ticks a unit is eaten: go by `Inventory`, not \
             by a count of your own",
        ),
    of("aim", "takes where it saw something, beside its line of sight", &scene::BAIT, AIMS, VISION)
        .about(&[C::Sight])
        .unless("it never looked around")
        .mend(BESIDE.1),
    of("aim-far", "takes where it saw something, two and three rows ahead", &scene::FAR_BAIT, AIMS, VISION)
        .about(&[C::Sight])
        .unless("it wasn't raised to level 3, or never looked around there")
        .mend(
            "tile d*d + i of a `Look` lies d rows ahead, and i - d to the right: so 4 to 8 are the row two ahead, from left to \
             right, with 6 in its middle, and 9 to 15 the next one, with 12 in its middle",
        ),
    of("sound", "stops where a sound comes from, if it follows it", &scene::CALLED, COMES, SOUND)
        .about(&[C::Sound])
        .mend(
            "K 0 is your own tile: stay there; and take one step for each `message`, since after a step or a turn its K isn't \
             true any more",
        ),
    of("two-digits", "reads an Inventory with more than 9 of something", &scene::BAG, COUNTS, COMMANDS)
        .about(&[C::Numbers])
        .unless("it asked too seldom for its Inventory for anything to be known")
        .mend("a number in `Inventory` has as many digits as it takes: read up to the comma, so that `food 12` is twelve"),
    of("one-tile", "plays on a map of one tile, in company", &scene::TINY, GOES_ON, MAP)
        .mend("maps may be as small as one tile: what you see ahead may be yourself"),
    of("empty-tiles", "reads a Look without anything in it", &scene::EMPTY, GOES_ON, VISION)
        .unless("it never looked around")
        .mend("tiles may be empty: split at the commas, not at the words"),
    of("long-look", "reads a Look of more than 4,096 bytes", &scene::CROWDED, GOES_ON, VISION)
        .unless("it never looked around")
        .mend("a line may have many thousand bytes: let the buffer grow"),
    of("eggs-in-sight", "reads a Look with eggs in it", &scene::EGGS, GOES_ON, VISION)
        .unless("it never looked around")
        .mend("some servers show eggs: take what you don't know on a tile for nothing"),
    of("egg", "has a client for each egg it lays", &scene::NURSERY, HATCHES, EGG)
        .unless("it never laid an egg")
        .mend(
            "after the `ok` of a `Fork`, open another connection with the same team; its client \
             hatches from the egg",
        ),
    of("full-team", "sees that its team is full", &scene::FULL, TURNED_AWAY, CONNECTING).about(&[C::Login])
        .mend("`ko` after the name: end, or try again after a while"),
    of("dead", "leaves when it is dead", &scene::DEATH, LEAVES, FOOD).about(&[C::End])
        .unless("it sent too few commands to be killed")
        .mend("after `dead` nothing more comes, and then a read of no bytes, which is the end of the connection: close it and \
             end"),
    of("closing", "leaves when the server closes", &scene::CLOSING, LEAVES, END).about(&[C::End])
        .unless("it sent too few commands for that")
        .mend("a read of no bytes is the end of the connection: close it and end"),
    of("cut-off", "leaves when the connection ends in the middle of a line", &scene::CUT, LEAVES, END).about(&[C::End])
        .unless("it sent too few commands for that")
        .mend(
            "a read of no bytes is the end of the connection, also when half a line has come \
             before",
        ),
    of("same-twice", "does the same with the same seed and the same lines", &scene::AGAIN, STAYS, LOCKSTEP)
        .mend("look at its last commands and at its standard error"),
];
