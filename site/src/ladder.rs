//! How a ladder stands, as a part of its page: the table, which bots wait, and what is played.
//!
//! A function of the ladder's own files. Tested in this module.

use std::time::{Duration, UNIX_EPOCH};

use maud::{Markup, html};
use zappy_tournament::ladder::{LadderStandings, LobbyState, interrupted, table_of};

use crate::frame::{ago, words};

/// The most that is listed of each kind.
const MOST: usize = 50;

#[must_use]
pub fn told(standings: &LadderStandings, lobby: &LobbyState) -> Markup {
    let came = |second: u64| UNIX_EPOCH.checked_add(Duration::from_secs(second)).map(ago).unwrap_or_default();
    html! {
        (table_of(standings, &|_| "#played".to_owned()))
        @if !lobby.waiting.is_empty() {
            h2 { "Waiting" }
            ul { @for (name, second) in lobby.waiting.iter().take(MOST) {
                li { b { (words(name)) } ", came " (came(*second)) }
            } }
        }
        @if !lobby.playing.is_empty() {
            h2 { "Playing" }
            ul { @for (_, bots) in lobby.playing.iter().take(MOST) { li { (words(&bots.join(" vs "))) } } }
        }
        (interrupted(standings))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lobby_is_told_with_words_that_stay_words() {
        let (table, interrupted) = (Vec::new(), Vec::new());
        let standings =
            LadderStandings { version: 1, game: "zappy".to_owned(), scored: 0, table, interrupted };
        let lobby = LobbyState {
            waiting: vec![("<b>ada".to_owned(), u64::MAX)],
            playing: vec![("0123456789abcdef".to_owned(), vec!["bob".to_owned(), "eve".to_owned()])],
        };
        let text = told(&standings, &lobby).into_string();
        assert!(text.contains("&lt;b&gt;ada") && text.contains("bob vs eve"), "{text}");
    }
}
