//! The situations of Zappy: which scene shows what, which mistakes count there, what helps, and where to read on.
//!
//! Data only. Tested in `check::situation` and in `arena/cli/tests/check.rs`.

use super::blame::{BESIDE, QUEUE, SPELLING};
use super::scene;
use crate::common;
use crate::seen::Cause as C;
use crate::seen::FaultKind::{self, self as K};
use crate::situation::{ENTERS, GOES_ON, LEAVES, STAYS, Section, Situation, of};

const REFUSED: &[FaultKind] = &[K::Repeats, K::Gone, K::NoLogin, K::Stalled, K::Dropped, K::Invalid];
const EATS: &[FaultKind] = &[K::Starved, K::Gone, K::NoLogin, K::Stalled];
const AIMS: &[FaultKind] = &[K::Misses, K::Gone, K::NoLogin, K::Stalled];
const COMES: &[FaultKind] = &[K::Overruns, K::Gone, K::NoLogin, K::Stalled];
const COUNTS: &[FaultKind] = &[K::Misreads, K::Gone, K::NoLogin, K::Stalled];
const HATCHES: &[FaultKind] = &[K::Unhatched, K::Gone, K::NoLogin, K::Stalled];

const CONNECTING: Section = ("protocol.md", "3. Connecting");
const TIME: Section = ("protocol.md", "4. Time and order");
const DIALECT: Section = ("protocol.md", "5. The players' dialect");
const COMMANDS: Section = ("protocol.md", "6. The commands");
const MAP: Section = ("protocol.md", "7. The map");
const VISION: Section = ("protocol.md", "8. Vision");
const SOUND: Section = ("protocol.md", "9. Sound");
const FOOD: Section = ("protocol.md", "10. Food and death");
const EGG: Section = ("protocol.md", "11. The life of an egg");
const INCANTATION: Section = ("protocol.md", "12. The incantation");
const END: Section = ("protocol.md", "13. The end of a match");
const LIMITS: Section = ("protocol.md", "15. Bad input and limits");
const LOCKSTEP: Section = ("protocol.md", "18. The lockstep clock");
const NOTES: Section = ("protocol.md", "19. Notes for writers of clients");

/// All of them, in the order in which they are tried.
pub static ALL: &[Situation] = &[
    of("login", "waits for WELCOME, names its team, reads both numbers", ENTERS)
        .about(&[C::Login])
        .mend(
            "read WELCOME first, then send the team's name and \\n, then read two lines: a number, and the map's size",
        )
        .at(&scene::LOGIN, CONNECTING),
    of("match", "plays an ordinary match of 2,000 ticks", STAYS)
        .mend("look at its last commands and at its standard error: it ought to go on until `dead` or the end")
        .at(&scene::PLAIN, NOTES),
    of("commands", "sends commands as they are spelled", &[K::Invalid, K::Name])
        .about(&[SPELLING.cause])
        .mend(SPELLING.mend)
        .at(&scene::PLAIN, COMMANDS),
    common::LINE_ENDS.at(&scene::PLAIN, DIALECT),
    of("ten-waiting", "never has more waiting than can wait", &[K::Dropped])
        .about(&[QUEUE.cause])
        .mend(QUEUE.mend)
        .at(&scene::PLAIN, TIME),
    of("flood", "lets time pass", &[K::Flood])
        .mend("what takes no time tells nothing new until time has passed: do something that takes some")
        .at(&scene::PLAIN, LIMITS),
    of("in-time", "decides within a second", &[K::Slow])
        .mend("decide within a second; who waits for something that isn't sent waits for ever")
        .at(&scene::PLAIN, LOCKSTEP),
    common::OUTPUT.at(&scene::PLAIN, NOTES),
    of("food", "lives through 2,000 ticks on an ordinary map", &[K::Starved])
        .about(&[C::Food])
        .mend("look at `Inventory` now and then, and take food before anything else when there is little")
        .at(&scene::PLAIN, FOOD),
    of("last-slot", "sees that 0 slots left is a success", GOES_ON)
        .mend("the first number after the name is what is left after you; only `ko` is a refusal")
        .at(&scene::LAST, CONNECTING),
    common::SLOW_LINES.at(&scene::SLOW, CONNECTING),
    common::SPLIT_LINES.at(&scene::SPLIT, CONNECTING),
    of("line-by-line", "reads lines that come one by one", GOES_ON)
        .about(&[C::Framing])
        .mend(
            "a read may bring one line alone, also of the two that follow the team's name: read on until the next \\n \
             is there",
        )
        .at(&scene::APARTNESS, CONNECTING),
    of("one-packet", "reads several lines that come in one packet", GOES_ON)
        .about(&[C::Framing, C::Message])
        .mend("a read may bring several lines: take them one by one, and keep the rest")
        .at(&scene::TOGETHER, CONNECTING),
    of("messages", "tells a message from an answer, whatever it says", GOES_ON)
        .about(&[C::Message])
        .unless("it sent too few commands for anybody to shout between")
        .mend("`message` may come at any time: look at the line's first word before you take it for an answer")
        .at(&scene::SHOUTS, NOTES),
    of("burst", "reads 60 messages that come in one packet", GOES_ON)
        .about(&[C::Framing, C::Message])
        .unless("it sent too few commands for anybody to shout between")
        .mend("a read may bring very many lines, and end in the middle of one: forget none of them")
        .at(&scene::BURSTS, NOTES),
    of("long-message", "reads a message of 4,000 bytes", GOES_ON)
        .about(&[C::Message])
        .unless("it didn't play for long enough to hear one")
        .mend("a line may have 4,096 bytes and more: let the buffer grow")
        .at(&scene::LONG, SOUND),
    of("bytes", "reads a message that isn't UTF-8", GOES_ON)
        .about(&[C::Message])
        .unless("it didn't play for long enough to hear one")
        .mend("what others say may be any bytes: read bytes, and decode them so that it can't fail")
        .at(&scene::BYTES, SOUND),
    of("late-answer", "waits for an answer that takes seconds, and asks once", GOES_ON)
        .unless("it sent too few commands for one to be late")
        .mend("the frequency isn't told: wait for an answer as long as it takes, and don't ask twice")
        .at(&scene::LATE, TIME),
    common::IDLE.at(&scene::LATE, NOTES),
    of("refused", "gives up what another player was quicker to take", REFUSED)
        .about(&[C::Refusal])
        .unless("it never tried to take anything")
        .mend("`Look` tells what was there; after a `ko`, look again and decide anew")
        .at(&scene::REFUSED, COMMANDS),
    of("ejected", "tells a push from an answer", GOES_ON)
        .about(&[C::Push])
        .unless("no player could push it; it didn't stay long enough")
        .mend("`eject: K` may come at any time and answers nothing; you stand on another tile now")
        .at(&scene::PUSHES, COMMANDS),
    of("frozen", "waits out another player's incantation that fails", GOES_ON)
        .about(&[C::Incantation])
        .unless("it sent too few commands to be taken along")
        .mend(
            "after an `Elevation underway` that you didn't ask for, `Current level` or `ko` ends it; neither answers \
             you",
        )
        .at(&scene::FREEZES, INCANTATION),
    of("raised", "takes `Current level` that it didn't ask for", GOES_ON)
        .about(&[C::Incantation])
        .unless("it sent too few commands to be taken along")
        .mend("a `Current level` may come that you didn't ask for: take the level, and go on waiting for your answer")
        .at(&scene::RAISES, INCANTATION),
    of("failed-incantation", "goes on when its own incantation fails", GOES_ON)
        .about(&[C::Incantation])
        .unless("it never began an incantation, so none could fail")
        .mend("after `Elevation underway` comes `Current level`, or `ko`: be ready for both")
        .at(&scene::THEFT, INCANTATION),
    of("hungry", "eats before it starves when food lies around", EATS)
        .about(&[C::Food])
        .mend("look at `Inventory` now and then, and take food before anything else when there is little")
        .at(&scene::HUNGRY, FOOD),
    of("rivals", "lives through 4,000 ticks where others are often quicker", EATS)
        .about(&[C::Food])
        .mend(
            "a `Take food` that is answered by `ko` brought nothing, and every 126 ticks a unit is eaten: go by \
             `Inventory`, not by a count of your own",
        )
        .at(&scene::RIVALS, FOOD),
    of("aim", "takes where it saw something, beside its line of sight", AIMS)
        .about(&[C::Sight])
        .unless("it never looked around")
        .mend(BESIDE.mend)
        .at(&scene::BAIT, VISION),
    of("aim-far", "takes where it saw something, two and three rows ahead", AIMS)
        .about(&[C::Sight])
        .unless("it wasn't raised to level 3, or never looked around there")
        .mend(
            "tile d*d + i of a `Look` lies d rows ahead, and i - d to the right: so 4 to 8 are the row two ahead, \
             from left to right, with 6 in its middle, and 9 to 15 the next one, with 12 in its middle",
        )
        .at(&scene::FAR_BAIT, VISION),
    of("sound", "stops where a sound comes from, if it follows it", COMES)
        .about(&[C::Sound])
        .mend(
            "K 0 is your own tile: stay there; and take one step for each `message`, since after a step or a turn its \
             K isn't true any more",
        )
        .at(&scene::CALLED, SOUND),
    of("two-digits", "reads an Inventory with more than 9 of something", COUNTS)
        .about(&[C::Numbers])
        .unless("it asked too seldom for its Inventory for anything to be known")
        .mend(
            "a number in `Inventory` has as many digits as it takes: read up to the comma, so that `food 12` is \
             twelve",
        )
        .at(&scene::BAG, COMMANDS),
    of("one-tile", "plays on a map of one tile, in company", GOES_ON)
        .mend("maps may be as small as one tile: what you see ahead may be yourself")
        .at(&scene::TINY, MAP),
    of("empty-tiles", "reads a Look without anything in it", GOES_ON)
        .unless("it never looked around")
        .mend("tiles may be empty: split at the commas, not at the words")
        .at(&scene::EMPTY, VISION),
    of("long-look", "reads a Look of more than 4,096 bytes", GOES_ON)
        .unless("it never looked around")
        .mend("a line may have many thousand bytes: let the buffer grow")
        .at(&scene::CROWDED, VISION),
    of("eggs-in-sight", "reads a Look with eggs in it", GOES_ON)
        .unless("it never looked around")
        .mend("some servers show eggs: take what you don't know on a tile for nothing")
        .at(&scene::EGGS, VISION),
    of("egg", "has a client for each egg it lays", HATCHES)
        .unless("it never laid an egg")
        .mend(
            "after the `ok` of a `Fork`, open another connection with the same team; its client hatches from the egg",
        )
        .at(&scene::NURSERY, EGG),
    common::TAKEN.called("full-team", "sees that its team is full").at(&scene::FULL, CONNECTING),
    of("dead", "leaves when it is dead", LEAVES)
        .about(&[C::End])
        .unless("it sent too few commands to be killed")
        .mend(
            "after `dead` nothing more comes, and then a read of no bytes, which is the end of the connection: close \
             it and end",
        )
        .at(&scene::DEATH, FOOD),
    common::CLOSING.at(&scene::CLOSING, END),
    common::CUT_OFF.at(&scene::CUT, END),
    common::SAME_TWICE.at(&scene::AGAIN, LOCKSTEP),
];
