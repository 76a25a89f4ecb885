//! `watch.html`: one page on which every match of a tournament is watched, with one viewer for all of them.
//!
//! Works from disk: viewer and records are scripts. A record stands beside its match, made from it once. Tested in
//! `arena/cli/tests/merge/`, and in a browser in `arena/cli/tests/browser/`.

use zappy_records::viewer_page::STYLE;

pub const PAGE: &str = "watch.html";
pub const VIEWER: &str = "viewer.js";
/// The record as a script, in the folder of its match.
pub const SCRIPT: &str = "replay.js";

/// The page; `matches` is how it names the folder of the matches.
pub fn page(matches: &str) -> String {
    let matches = serde_json::json!(matches).to_string().replace('<', "\\u003c");
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
         content=\"width=device-width, initial-scale=1\">\n<meta http-equiv=\"Content-Security-Policy\" \
         content=\"connect-src 'none'\">\n<title>Zappy Arena</title>\n<style>{STYLE}</style>\n</head>\n<body>\n\
         <canvas></canvas>\n<script src=\"{VIEWER}\"></script>\n<script>\n\
         const matches = {matches}, script = \"{SCRIPT}\";\n{}</script>\n</body>\n</html>\n",
        include_str!("watch.js")
    )
}
