//! What text does at its edges: widths, anchors, cutting, wrapping.

use super::*;
use crate::ink::Vertex;

fn canvas(scale: f32) -> Canvas {
    let mut canvas = Canvas::new();
    canvas.begin(800.0, 600.0, scale);
    canvas.watch_text(true);
    canvas
}

const FACES: [Face; 3] = [Face::Regular, Face::Strong, Face::Mono];
const SAMPLE: &str = "Elevation underway: level 7 → 8, «équipe» №4 — 100 %";

#[test]
fn widths_add_up() {
    for scale in [1.0, 1.25, 2.0] {
        let canvas = canvas(scale);
        for face in FACES {
            for cut in SAMPLE.char_indices().map(|(at, _)| at) {
                let (left, right) = SAMPLE.split_at(cut);
                let whole = canvas.measure(SAMPLE, face, 13.0);
                let parts = canvas.measure(left, face, 13.0) + canvas.measure(right, face, 13.0);
                assert!((whole - parts).abs() < 0.01, "{face:?} {cut}");
            }
        }
        assert_eq!(canvas.measure("iii", Face::Mono, 13.0), canvas.measure("WWW", Face::Mono, 13.0));
        assert!(canvas.measure("iii", Face::Regular, 13.0) < canvas.measure("WWW", Face::Regular, 13.0));
    }
}

#[test]
fn shortened_text_fits_and_keeps_as_much_as_it_can() {
    let canvas = canvas(1.0);
    for face in FACES {
        let whole = canvas.measure(SAMPLE, face, 14.0);
        assert!(matches!(canvas.ellipsis(SAMPLE, face, 14.0, whole + 0.01), Cow::Borrowed(_)));
        let mut last = 0;
        for step in 0..60_u8 {
            let width = whole * f32::from(step) / 60.0;
            let short = canvas.ellipsis(SAMPLE, face, 14.0, width);
            assert!(canvas.measure(&short, face, 14.0) <= width + 0.01, "{short:?} in {width}");
            assert!(short.is_empty() || short.ends_with('…'));
            assert!(short.len() >= last || short.chars().count() + 2 > last);
            last = short.chars().count();
        }
        assert!(last > SAMPLE.chars().count() - 5, "{last}");
    }
}

#[test]
fn wrapped_lines_fit_and_lose_nothing() {
    let canvas = canvas(1.0);
    let text = "a rather longwordthatdoesnotfitanywhereatall and\n\nsome more, with  two spaces";
    for width in [30.0, 60.0, 120.0, 300.0, 5000.0] {
        let lines = canvas.wrap(text, Face::Regular, 13.0, width);
        assert!(lines.iter().all(|line| canvas.measure(line, Face::Regular, 13.0) <= width + 0.01));
        let letters = |text: &str| text.chars().filter(|letter| !letter.is_whitespace()).collect::<String>();
        assert_eq!(letters(&lines.concat()), letters(text));
    }
    assert_eq!(canvas.wrap("one two", Face::Regular, 13.0, 5000.0), ["one two"]);
    assert_eq!(canvas.wrap("", Face::Regular, 13.0, 50.0), [""]);
    assert_eq!(canvas.wrap("ab", Face::Regular, 13.0, -1.0), ["a", "b"]);
    assert_eq!(canvas.wrap(&"x\n".repeat(5000), Face::Regular, 13.0, 50.0).len(), MAX_WRAPPED_LINES);
}

#[test]
fn what_cannot_be_shown_is_replaced_visibly() {
    for face in FACES {
        // What no typeface has is a tag of ten letters.
        let seen = [
            ('\u{7}', 1),
            ('\t', 1),
            ('\n', 1),
            ('\u{202e}', 1),
            ('\u{feff}', 1),
            ('\u{1f980}', 10),
            ('世', 10),
        ];
        for (letter, glyphs) in seen {
            let mut canvas = canvas(1.0);
            canvas.text(
                Point::new(50.0, 50.0),
                Anchor::TopLeft,
                &letter.to_string(),
                Style::new(face, 20.0, Color::WHITE),
            );
            assert_eq!(canvas.vertices().len(), 4 * glyphs, "{face:?} {letter:?}");
        }
    }
}

#[test]
fn the_faces_have_what_the_panels_write() {
    let replaced = |face| font::advance(face, '\u{1f980}').glyph;
    for face in FACES {
        for letter in ('!'..='~').chain("…—–·×±→←↑↓«»éèàçüößñ".chars()) {
            assert_ne!(font::advance(face, letter).glyph, replaced(face), "{face:?} {letter:?}");
        }
    }
}

#[test]
fn anchors_place_the_box() {
    let mut canvas = canvas(1.0);
    let at = Point::new(300.0, 200.0);
    let style = Style::regular(20.0, Color::WHITE);
    let mut place = |anchor| canvas.text(at, anchor, "Zappy", style);
    assert_eq!(place(Anchor::TopLeft).origin(), at);
    assert!(place(Anchor::Centre).centre().distance(at) < 1e-3);
    let low = place(Anchor::BottomRight);
    assert!((low.right() - at.x).abs() < 1e-3 && (low.bottom() - at.y).abs() < 1e-3);
    assert!((place(Anchor::Baseline).y - (at.y - 20.5)).abs() < 1e-3);
}

#[test]
fn ink_stays_in_the_line_box() {
    for scale in [1.0, 1.5, 2.0] {
        for size in [9.0, 12.0, 13.0, 17.0, 40.0] {
            let mut canvas = canvas(scale);
            let rect = canvas.text(
                Point::new(20.0, 20.0),
                Anchor::TopLeft,
                "Hgjpq|ÄÇ",
                Style::regular(size, Color::WHITE),
            );
            let px = canvas.to_px(rect).inset(-1.5);
            for Vertex { position: [x, y], .. } in canvas.vertices() {
                assert!(px.contains(Point::new(*x, *y)), "{x} {y} {px:?}");
            }
        }
    }
}

#[test]
fn glyphs_stand_on_whole_px() {
    let mut canvas = canvas(1.25);
    canvas.text(Point::new(20.37, 20.71), Anchor::TopLeft, SAMPLE, Style::mono(13.0, Color::WHITE));
    let whole = |value: f32| (value - value.round()).abs() < 1e-3;
    assert!(canvas.vertices().iter().all(|vertex| vertex.position.into_iter().chain(vertex.uv).all(whole)));
}

#[test]
fn runs_are_noted_with_what_the_clip_leaves() {
    let mut canvas = canvas(2.0);
    let style = Style::regular(20.0, Color::WHITE);
    let half = Rect::new(0.0, 0.0, 400.0, 23.0);
    canvas.clipped(half, |canvas| canvas.text(Point::new(10.0, 10.0), Anchor::TopLeft, "cut…", style));
    let [run] = canvas.runs() else { panic!("{:?}", canvas.runs()) };
    assert_eq!((run.text.as_str(), run.truncated), ("cut…", true));
    assert_eq!(run.rect.h, 26.0);
    assert_eq!(run.visible.h, 13.0);
    canvas.begin(10.0, 10.0, 1.0);
    assert!(canvas.runs().is_empty());
}

#[test]
fn drawing_again_needs_no_new_texels() {
    let mut canvas = canvas(1.0);
    let style = Style::strong(15.0, Color::WHITE);
    canvas.text(Point::new(10.0, 10.0), Anchor::TopLeft, SAMPLE, style);
    canvas.atlas.uploaded();
    canvas.text(Point::new(10.0, 90.0), Anchor::TopLeft, SAMPLE, style);
    assert!(canvas.atlas.dirty.is_empty());
}

#[test]
fn endless_text_is_bounded() {
    let mut canvas = canvas(1.0);
    let text = "x".repeat(1_000_000);
    canvas.text(Point::new(10.0, 10.0), Anchor::TopLeft, &text, Style::regular(1.0, Color::WHITE));
    assert!(canvas.vertices().len() <= MAX_RUN_CHARS * 4);
    assert!(canvas.ellipsis(&text, Face::Regular, 13.0, 1e9).chars().count() <= MAX_RUN_CHARS + 1);
    for size in [0.0, -5.0, f32::NAN, 1e9] {
        canvas.text(Point::new(10.0, 10.0), Anchor::TopLeft, "size", Style::regular(size, Color::WHITE));
    }
}
