//! What a player saw, drawn as a map of text: its last answer to `Look` by a tick, as the cone before it.
//!
//! A fold over the record's lines up to that tick. Where the player stood is known from the messages to observers.
//! Tested in this module and in `arena/cli/tests/debugging.rs`.

use std::fmt::Write as _;

use zappy_protocol::Tick;
use zappy_protocol::record::dialogue::is_of;
use zappy_protocol::record::{Entry, RecordLine};
use zappy_protocol::text::thousands;
use zappy_protocol::zappy::geometry::vision_offset;
use zappy_protocol::zappy::mirror::{Mirror, MirrorPlayer};
use zappy_protocol::zappy::observer::Message;
use zappy_protocol::zappy::player::{CommandKind, Response, Sight};
use zappy_protocol::zappy::{Orientation, PlayerId, Resource};

use super::dialogue::{Answer, Dialogue};
use crate::files::Error;
use crate::players::check_joined;
use crate::source::Source;

/// Columns that a row's distance takes before its tiles.
const LABEL_COLUMNS: usize = 5;

const LEGEND: &str = "
P player, e egg, f food, l linemate, d deraumere, s sibur, m mendiane, p phiras, t thystame;
a number says how many, . nothing; +N is N rows ahead, and the last row is the player's own tile
";

/// An answer to a player's `Look`, and where the player stood.
#[derive(Debug, Clone)]
struct LookAnswer {
    /// The tick of the answer.
    answered: Tick,
    /// The tick at which `Look` was sent, once that is known.
    asked: Option<Tick>,
    tiles: Vec<Sight>,
    /// The player as observers knew it at the tick of the answer.
    player: Option<MirrorPlayer>,
}

/// Draws what a player saw last up to tick `at`.
///
/// # Errors
/// The record can't be read, or there was no such player, or the player hadn't seen anything.
pub fn draw(source: &Source, player: u32, at: Tick) -> Result<String, Error> {
    let mut dialogue = Dialogue::new(&source.header, player, source.is_full());
    let (mut mirror, mut begun) = (Mirror::new(), false);
    // `last` may be an answer to `Look`; once the dialogue's next line has shown that it is one, it becomes `seen`.
    let (mut last, mut seen) = (None, None);
    source.read(&mut |_, text| {
        // `show --player` reports lines that make no sense.
        let answer = dialogue.take(text).unwrap_or_default();
        take_answer(answer, &mut last, &mut seen);
        match RecordLine::parse(text) {
            Ok(RecordLine::Event(tick, _) | RecordLine::Keyframe(tick)) if tick > at => return false,
            Ok(RecordLine::Event(_, Entry::Published(line) | Entry::Withheld(line))) => {
                begun = true;
                apply(&mut mirror, &line);
            }
            Ok(RecordLine::Snapshot(line)) if !begun => apply(&mut mirror, &line),
            Ok(RecordLine::Event(tick, Entry::Sent(_, line) | Entry::SentTo(_, line)))
                if is_of(text, player) =>
            {
                if let Ok(Response::Look(tiles)) = Response::parse(&line) {
                    let player = mirror.players.get(&PlayerId(player)).cloned();
                    last = Some(LookAnswer { answered: tick, asked: None, tiles, player });
                }
            }
            _ => {}
        }
        true
    })?;
    take_answer(dialogue.last.take(), &mut last, &mut seen);
    if dialogue.head().is_none() {
        check_joined(source, &[player])?;
    }
    let nothing = || Error::Words(format!("#{player} had read no answer to Look by tick {}", thousands(at)));
    Ok(picture(player, &seen.ok_or_else(nothing)?))
}

/// Takes a message into the mirror; a message that contradicts earlier ones is passed over.
fn apply(mirror: &mut Mirror, line: &[u8]) {
    if let Ok(message) = Message::parse(line) {
        let _ = mirror.apply(&message);
    }
}

/// Makes `last` the answer `seen` if `answer`, a line of the dialogue, says that it answers `Look`.
fn take_answer(answer: Option<Answer>, last: &mut Option<LookAnswer>, seen: &mut Option<LookAnswer>) {
    let Some(Answer { spoken, answers: Some((command, asked)), .. }) = answer else { return };
    if command.trim() == CommandKind::Look.name()
        && let Some(found) = last.take_if(|last| last.answered == spoken.tick)
    {
        *seen = Some(LookAnswer { asked: Some(asked), ..found });
    }
}

fn picture(player: u32, seen: &LookAnswer) -> String {
    let of = seen.player.as_ref().map(|player| {
        let facing = match player.orientation {
            Orientation::North => "north",
            Orientation::East => "east",
            Orientation::South => "south",
            Orientation::West => "west",
        };
        let (x, y) = (player.at.x, player.at.y);
        format!(" of {}, level {}, stood at {x} {y} and faced {facing}", player.team, player.level)
    });
    let asked = seen.asked.map(|asked| format!("asked at tick {}, ", thousands(asked))).unwrap_or_default();
    let mut text = format!(
        "#{player}{}\n{asked}answered at tick {}\n\n",
        of.unwrap_or_default(),
        thousands(seen.answered)
    );
    text.push_str(&cone(&seen.tiles));
    text + LEGEND
}

/// The tiles with the farthest row first, each in its column.
fn cone(tiles: &[Sight]) -> String {
    let letter = |resource: Resource| resource.name().chars().next().unwrap_or('?');
    let word = |tile: &Sight| {
        let things = tile.resources.iter().map(|(resource, count)| (letter(resource), count));
        let all = [('P', tile.players), ('e', tile.eggs)].into_iter().chain(things);
        let words: String = all
            .filter(|(_, count)| *count > 0)
            .map(|(letter, count)| if count > 1 { format!("{letter}{count}") } else { letter.to_string() })
            .collect();
        if words.is_empty() { ".".to_owned() } else { words }
    };
    let words: Vec<String> = tiles.iter().map(word).collect();
    let width = words.iter().map(String::len).max().unwrap_or(1);
    let rows = tiles.len().isqrt();
    let mut text = String::new();
    for row in (0..rows).rev() {
        let mut line = format!("{:<LABEL_COLUMNS$}", format!("+{row}"));
        line.push_str(&" ".repeat((rows - 1 - row) * (width + 2)));
        for tile in row * row..(row + 1) * (row + 1) {
            debug_assert_eq!(vision_offset(tile).0, i32::try_from(row).unwrap_or(0));
            let word = words.get(tile).map_or("", String::as_str);
            // Writing to a string cannot fail.
            let _ = write!(line, "{word:^width$}  ");
        }
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_tile_stands_where_it_lies() {
        let look = b"[ player, food food, , linemate sibur, , , player player egg, , thystame ]";
        let Ok(Response::Look(tiles)) = Response::parse(look) else { panic!("a look") };
        assert_eq!(
            cone(&tiles),
            "+2    .    .   P2e   .    t\n\
             +1        f2    .   ls\n\
             +0              P\n"
        );
    }
}
