//! What a student may do about it: a sentence or two for each situation.
//!
//! Words only; that each situation has some is tested in this module.

/// What helps: a line for each situation, or for several.
const ADVICE: &str = "\
login: read WELCOME first, then send the team's name and \\n, then read two lines: a number, and the map's size
last-slot: the first number after the name is what is left after you; only `ko` is a refusal
match: look at its last commands and at its standard error: it ought to go on until `dead` or the end
commands: spell each command as the table has it, capitals too, with as many words as it takes
line-ends: end each line with \\n, and with nothing else
ten-waiting: count what you sent and what was answered, and never let more than ten be unanswered
flood: what takes no time tells nothing new until time has passed: do something that takes some
in-time: decide within a second; who waits for something that isn't sent waits for ever
output: write less; it isn't read while you play
food, hungry: look at `Inventory` now and then, and take food before anything else when there is little
slow-lines, split-lines: a read may end in the middle of a line: keep what has come, and take a line only once its \\n is there
one-packet: a read may bring several lines: take them one by one, and keep the rest
burst: a read may bring very many lines, and end in the middle of one: forget none of them
messages: `message` may come at any time: look at the line's first word before you take it for an answer
long-message: a line may have 4,096 bytes and more: let the buffer grow
bytes: what others say may be any bytes: read bytes, and decode them so that it can't fail
late-answer: the frequency isn't told: wait for an answer as long as it takes, and don't ask twice
refused: `Look` tells what was there; after a `ko`, look again and decide anew
ejected: `eject: K` may come at any time and answers nothing; you stand on another tile now
frozen: after an `Elevation underway` that you didn't ask for, `Current level` or `ko` ends it; neither answers you
raised: a `Current level` may come that you didn't ask for: take the level, and go on waiting for your answer
failed-incantation: after `Elevation underway` comes `Current level`, or `ko`: be ready for both
one-tile: maps may be as small as one tile: what you see ahead may be yourself
empty-tiles: tiles may be empty: split at the commas, not at the words
long-look: a line may have many thousand bytes: let the buffer grow
eggs-in-sight: some servers show eggs: take what you don't know on a tile for nothing
egg: after the `ok` of a `Fork`, open another connection with the same team; its client hatches from the egg
full-team: `ko` after the name: end, or try again after a while
dead: after `dead` nothing more comes: close the connection and end
closing: a read of no bytes is the end of the connection: close it and end
cut-off: a read of no bytes is the end of the connection, also when half a line has come before
same-twice: look at its last commands and at its standard error";

/// What helps in the situation of that name.
pub fn advice(situation: &str) -> &'static str {
    let of = |line: &'static str| {
        let (names, words) = line.split_once(": ")?;
        names.split(", ").any(|name| name == situation).then_some(words)
    };
    ADVICE.lines().find_map(of).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::ALL;
    use super::*;

    #[test]
    fn each_situation_has_some() {
        let without: Vec<&str> =
            ALL.iter().map(|situation| situation.name).filter(|name| advice(name).is_empty()).collect();
        assert!(without.is_empty(), "no advice for {without:?}");
        assert_eq!(advice("moon"), "");
    }
}
