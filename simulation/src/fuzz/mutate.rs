//! Makes an input from others: lines are taken out, doubled and exchanged, words replaced, bytes changed.
//!
//! A function of its arguments: the same seed makes the same input. Knows no format but lines and words. Tested in this
//! module.

use zappy_game::chance::Chance;

/// Numbers at the edges of what types and rules hold.
const NUMBERS: &str =
    "0|1|-1|2|7|9|10|126|255|256|1000|65535|65536|4294967295|4294967296|18446744073709551615";
/// The most changes to one input.
const MAX_CHANGES: u32 = 4;

/// An input made from this one, with words of the target's, between which bars stand, and with lines of another input if there
/// is one.
pub fn mutate(words: &str, input: &[u8], other: &[u8], seed: u64) -> Vec<u8> {
    let mut chance = Chance::new(seed, 0, 0, 0);
    let mut made = input.to_vec();
    for _ in 0..=chance.below(MAX_CHANGES) {
        change(words, &mut made, other, &mut chance);
    }
    made
}

/// A place in something of that length, its end included.
fn place(chance: &mut Chance, length: usize) -> usize {
    chance.index(length + 1).unwrap_or_default()
}

fn change(words: &str, made: &mut Vec<u8>, other: &[u8], chance: &mut Chance) {
    let (line, word) = (line_at(made, place(chance, made.len())), word_at(made, place(chance, made.len())));
    match chance.below(9) {
        0 => drop(made.drain(line)),
        1 => {
            let copy = made[line].to_vec();
            let to = line_at(made, place(chance, made.len())).start;
            drop(made.splice(to..to, copy));
        }
        2 if !other.is_empty() => {
            let from = line_at(other, place(chance, other.len() - 1));
            drop(made.splice(line.start..line.start, other[from].iter().copied()));
        }
        3 | 4 if !words.is_empty() => {
            drop(made.splice(word, pick(words, chance)));
        }
        5 => {
            drop(made.splice(word, pick(NUMBERS, chance)));
        }
        6 => made.truncate(place(chance, made.len())),
        7 => {
            let bytes: Vec<u8> = (0..=chance.below(6)).map(|_| chance.below(256) as u8).collect();
            let to = place(chance, made.len());
            drop(made.splice(to..to, bytes));
        }
        _ => {
            if let Some(at) = chance.index(made.len()) {
                made[at] ^= 1 << chance.below(8);
            }
        }
    }
}

/// One of the words between bars.
fn pick<'a>(words: &'a str, chance: &mut Chance) -> impl Iterator<Item = u8> + use<'a> {
    let place = chance.index(words.split('|').count()).unwrap_or_default();
    words.split('|').nth(place).unwrap_or_default().bytes()
}

/// The line around a place, its end included.
fn line_at(bytes: &[u8], at: usize) -> std::ops::Range<usize> {
    let start = bytes[..at].iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
    let end = bytes[at..].iter().position(|&byte| byte == b'\n').map_or(bytes.len(), |end| at + end + 1);
    start..end
}

/// The word around a place: what lies between two bytes that are neither letters nor digits.
fn word_at(bytes: &[u8], at: usize) -> std::ops::Range<usize> {
    let is_between_words = |byte: &u8| !byte.is_ascii_alphanumeric();
    let start = bytes[..at].iter().rposition(is_between_words).map_or(0, |end| end + 1);
    let end = bytes[at..].iter().position(is_between_words).map_or(bytes.len(), |end| at + end);
    start..end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_words_are_found_around_any_place() {
        let text = b"ab, cd\nef";
        assert_eq!([0, 3, 6, 7, 9].map(|at| line_at(text, at)), [0..7, 0..7, 0..7, 7..9, 7..9]);
        assert_eq!([0, 2, 3, 5, 9].map(|at| word_at(text, at)), [0..2, 0..2, 3..3, 4..6, 7..9]);
    }

    #[test]
    fn a_seed_makes_one_input_and_another_seed_others() {
        let made = |seed| mutate("word", b"one two\nthree\n", b"four\n", seed);
        let all: std::collections::BTreeSet<Vec<u8>> = (0..200).map(made).collect();
        assert!(all.len() > 100 && (0..200).all(|seed| made(seed) == made(seed)));
        assert!(all.iter().any(|made| made.windows(4).any(|part| part == b"four")));
    }

    #[test]
    fn nothing_is_an_input_too() {
        assert!((0..200).any(|seed| !mutate("word", b"", b"", seed).is_empty()));
    }
}
