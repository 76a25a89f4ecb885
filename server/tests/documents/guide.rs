//! The guide for a game of one's own quotes the worked example, line by line as it stands there.

use crate::texts::root;

#[test]
fn what_the_guide_quotes_stands_in_the_worked_example() {
    let guide = std::fs::read_to_string(root().join("docs/adding-a-game.md")).unwrap();
    let blocks: Vec<&str> =
        guide.split("```rust\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert!(blocks.len() > 4, "only {} quotes are left", blocks.len());
    for block in blocks {
        let mut quoted = block.lines().map(str::trim).filter(|line| !line.is_empty());
        let file = quoted.next().and_then(|line| line.strip_prefix("// ")).expect("a quote names its file");
        let text =
            std::fs::read_to_string(root().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
        let mut lines = text.lines().map(str::trim);
        for line in quoted {
            assert!(lines.any(|there| there == line), "{file} has no {line:?} there");
        }
    }
}
