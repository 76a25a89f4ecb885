//! Text that can be read: words that no typeface can draw, or in which letters change with their neighbours, become
//! tags such as `‹kosumare›`.
//!
//! A tag is made of the word alone, so the same name has the same tag everywhere, and two names hardly ever share one: there
//! are forty million tags. Must never change what can be drawn as it is. Tested in this module.

use std::borrow::Cow;

use super::font::{self, Face};

/// The characters before and behind a tag's syllables.
const TAG_EDGES: (char, char) = ('‹', '›');
/// A syllable is one of these and a vowel.
const CONSONANTS: &[u8; 16] = b"bdfghjklmnprstvz";
const VOWELS: &[u8; 5] = b"aeiou";
/// Syllables of a tag.
const SYLLABLES: usize = 4;
/// The sign in place of a character that would steer the text.
const REPLACEMENT: char = '\u{fffd}';

/// The text as it is drawn: words that can't be drawn are tags in it.
pub(super) fn legible(text: &str, face: Face) -> Cow<'_, str> {
    // Control characters are drawn as a visible character; those that join letters belong to their word.
    let steers = |letter: char| {
        font::is_control(letter) && !matches!(letter, '\u{200c}' | '\u{200d}') || letter == REPLACEMENT
    };
    let plain = |letter: char| font::is_bundled(face, letter) || steers(letter);
    if text.is_ascii() || text.chars().all(plain) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let end = |is: &dyn Fn(char) -> bool| rest.find(|letter| !is(letter)).unwrap_or(rest.len());
        let (as_it_is, after) = rest.split_at(end(&plain));
        out.push_str(as_it_is);
        let word;
        (word, rest) = after.split_at(after.find(plain).unwrap_or(after.len()));
        let is_variation_selector = |letter: char| matches!(letter, '\u{fe00}'..='\u{fe0f}');
        let letters = || word.chars().filter(|&letter| !is_variation_selector(letter));
        if letters().all(|letter| !is_shaped(letter) && font::is_known(face, letter)) {
            out.extend(letters());
            continue;
        }
        // The word's tag: syllables that can be pronounced, made of its hash. FNV-1a takes few lines and is the same on
        // every machine.
        let hash = word.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        let mut left = hash ^ (hash >> 29);
        let mut next_letter = |letters: &[u8]| {
            let count = letters.len() as u64;
            let index = (left % count) as usize;
            left /= count;
            char::from(letters[index])
        };
        out.push(TAG_EDGES.0);
        for _ in 0..SYLLABLES {
            out.push(next_letter(CONSONANTS));
            out.push(next_letter(VOWELS));
        }
        out.push(TAG_EDGES.1);
    }
    if out == text { Cow::Borrowed(text) } else { Cow::Owned(out) }
}

/// Whether a letter's form or place depends on its neighbours, or the script runs from the right: the scripts of the Near
/// East, of India and South East Asia, Mongolian, single Korean letters (not syllables), and marks that join or modify
/// pictures.
fn is_shaped(letter: char) -> bool {
    matches!(
        u32::from(letter),
        0x0300..=0x036f
            | 0x0590..=0x08ff
            | 0x0900..=0x109f
            | 0x1100..=0x11ff
            | 0x1700..=0x18af
            | 0x1900..=0x1cff
            | 0x200c..=0x200d
            | 0xa800..=0xabff
            | 0xd7b0..=0xd7ff
            | 0xfb1d..=0xfdff
            | 0xfe20..=0xfe2f
            | 0xfe70..=0xfefc
            | 0x1_0800..=0x1_0fff
            | 0x1_1000..=0x1_1fff
            | 0x1_e800..=0x1_efff
            | 0x1_f1e6..=0x1_f1ff
            | 0x1_f3fb..=0x1_f3ff
            | 0xe_0020..=0xe_007f
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> String {
        legible(text, Face::Regular).into_owned()
    }

    fn is_tag(text: &str) -> bool {
        text.chars().count() == 2 * SYLLABLES + 2
            && text.starts_with(TAG_EDGES.0)
            && text.ends_with(TAG_EDGES.1)
            && text.chars().filter(char::is_ascii_lowercase).count() == 2 * SYLLABLES
    }

    #[test]
    fn what_can_be_drawn_stays_as_it_is() {
        for text in ["", "wolves", "équipe №4 → «8»", "Жуки", "Ομάδα", "a\u{202e}b", "12\u{2009}345 · “x…”"]
        {
            assert!(matches!(legible(text, Face::Regular), Cow::Borrowed(_)), "{text}");
        }
    }

    #[test]
    fn names_in_other_scripts_are_distinct_tags() {
        let names = [
            "狼",
            "红队",
            "蓝队",
            "日本語",
            "にほん",
            "한국어",
            "فريق",
            "الذئاب",
            "צוות",
            "टीम",
            "ทีม",
            "🐺",
            "🐺🐺",
            "👩‍💻",
            "🇫🇷",
            "🇩🇪",
            "❤️‍🔥",
            "თბილისი",
            "հայ",
            "ⵣⴰⵎ",
            "𓀀",
            "དཔེ",
        ];
        let tags: Vec<String> = names.iter().map(|name| read(name)).collect();
        for (place, tag) in tags.iter().enumerate() {
            assert!(is_tag(tag) || tag == names[place], "{}: {tag}", names[place]);
            assert!(!tags[..place].contains(tag), "{tag} for {} and another", names[place]);
            assert_eq!(read(tag), *tag, "a tag stays as it is");
            assert!(!legible(tag, Face::Mono).contains('?') && legible(tag, Face::Strong) == *tag);
        }
        assert!(tags.iter().filter(|tag| is_tag(tag)).count() > 18, "{tags:?}");
    }

    #[test]
    fn only_the_word_that_can_not_be_drawn_becomes_a_tag() {
        let text = read("team 狼 2 says “مرحبا”");
        let parts: Vec<&str> = text.split(' ').collect();
        assert_eq!((parts[0], parts[2], parts[3]), ("team", "2", "says"), "{text}");
        assert!(is_tag(parts[1]) && parts[4].starts_with("“‹") && parts[4].ends_with("›”"), "{text}");
        assert_eq!(read("狼"), parts[1], "the same word, the same tag");
    }

    #[test]
    fn scripts_that_need_shaping_are_tags_whatever_typefaces_there_are() {
        for letter in "عשךकทခខᠮ\u{200d}\u{1f3fd}🇫".chars() {
            assert!(is_shaped(letter), "{letter:?}");
        }
        for letter in "aéЖΩ日あ한⚔🐺→ⵣ".chars() {
            assert!(!is_shaped(letter), "{letter:?}");
        }
    }

    #[test]
    fn marks_that_choose_a_picture_are_not_seen() {
        assert_eq!(read("a\u{fe0f}b"), "ab");
    }
}
