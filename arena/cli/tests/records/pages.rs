//! `show --html`: one page with the viewer and the whole record in it, also of a record of inputs; and what is refused.
//!
//! That the page shows the match is tested in `tests/browser/`.

use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::process::Command;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::read::GzDecoder;

use super::matches::{FULL, INPUTS, Shelf, played};
use crate::support::{Finished, arena_in, run, with_viewer};

fn page(arena: &Path, record: &Path, out: &Path) -> Finished {
    run(Command::new(arena).arg("show").arg(record).arg("--html").arg(out))
}

/// The record within a page.
fn within(page: &str) -> Vec<u8> {
    let (_, behind) = page.split_once("ZappyViewer.record(\"match.zrec\", \"").expect("there is a record");
    let packed = STANDARD.decode(behind.split_once('"').unwrap().0).unwrap();
    let mut record = Vec::new();
    GzDecoder::new(&packed[..]).read_to_end(&mut record).unwrap();
    record
}

#[test]
fn a_page_holds_the_viewer_and_the_whole_record() {
    let shelf = Shelf::new();
    let arena = with_viewer(&shelf.path("programs"), "const viewer = '</script>';\n");
    let full = played(1, FULL, 2_000);
    let out = shelf.path("match.html");
    for record in [full.clone(), played(1, INPUTS, 2_000)] {
        let path = shelf.put("match.zrec", &record);
        let done = page(&arena, &path, &out);
        assert_eq!((done.code(), done.stderr.as_str()), (0, ""));
        assert!(done.stdout.contains("match.html#tick=100"), "{}", done.stdout);
        let text = fs::read_to_string(&out).unwrap();
        assert_eq!(within(&text), full, "the page holds what can be watched");
        // The viewer ends no script, and nothing comes from elsewhere.
        assert!(text.contains("const viewer = '<\\/script>';") && text.contains("<title>red, blue "));
        assert_eq!((text.matches("</script>").count(), text.matches("<script>").count()), (2, 2));
        assert!(!text.contains("src=") && !text.contains("http://") && !text.contains("https://"));
    }
    let left = fs::read_dir(out.parent().unwrap()).unwrap().filter_map(Result::ok);
    let hidden = left.filter(|entry| entry.file_name().to_string_lossy().starts_with('.')).count();
    assert_eq!(hidden, 0, "nothing unfinished is left");
}

#[test]
fn without_a_viewer_or_at_a_strange_place_there_is_no_page() {
    let shelf = Shelf::new();
    let path = shelf.put("match.zrec", &played(1, FULL, 300));
    let bare = arena_in(&shelf.path("."));
    let done = page(&bare, &path, &shelf.path("match.html"));
    assert_eq!(done.code(), 2);
    assert!(
        done.error().contains("zappy_web/viewer.js") && done.error().contains("make web"),
        "{}",
        done.stderr
    );
    let arena = with_viewer(&shelf.path("programs"), "");
    let done = page(&arena, &path, &path);
    assert_eq!(done.code(), 2, "a record is never replaced");
    assert!(done.error().contains(".html"), "{}", done.stderr);
    let folder = shelf.path("folder.html");
    fs::create_dir(&folder).unwrap();
    assert_eq!(page(&arena, &path, &folder).code(), 2);
    let broken = shelf.put("broken.zrec", b"no record\n");
    let done = page(&arena, &broken, &shelf.path("broken.html"));
    assert_eq!(done.code(), 1);
    assert!(!shelf.path("broken.html").exists() && !shelf.path("match.html").exists());
    let done = page(&arena, &path, Path::new("/no/such/folder/match.html"));
    assert!(done.code() == 1 && done.error().contains("--html"), "{}", done.stderr);
}
