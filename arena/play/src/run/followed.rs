//! What the players that the operator follows and the server say to each other, from the record while it is written.
//!
//! Until the match is over the record holds inputs alone, so its new lines are played to get the server's answers.
//! Tested in `arena/cli/tests/debugging.rs`.

use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use zappy_protocol::record::dialogue::{Spoken, is_of};
use zappy_protocol::record::{RecordLine, whole_lines};
use zappy_server::files;
use zappy_server::games::GameTable;
use zappy_server::record::{Growing, MAX_RECORD_BYTES};

use crate::setup::PlayerName;

pub(super) struct Followed {
    player: PlayerName,
    /// The match as far as its record was played, and how many bytes of the record that were.
    played: Option<(Growing, u64)>,
}

impl Followed {
    pub(super) fn new(player: PlayerName) -> Followed {
        Followed { player, played: None }
    }

    pub(super) fn player(&self) -> &PlayerName {
        &self.player
    }

    /// What these players and the server have said to each other since the last call, as lines for people.
    pub(super) fn news(
        &mut self,
        record: &Path,
        games: GameTable,
        players: &[u32],
    ) -> Result<Vec<String>, String> {
        let taken = self.played.as_ref().map_or(0, |(_, taken)| *taken);
        let mut added = Vec::new();
        files::open(record)
            .and_then(|mut file| file.seek(SeekFrom::Start(taken)).map(|_| file))
            .and_then(|file| file.take(MAX_RECORD_BYTES).read_to_end(&mut added))
            .map_err(|error| error.to_string())?;
        let mut lines = &added[..added.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1)];
        let (mut growing, taken) = match self.played.take() {
            Some(played) => played,
            None => {
                let (growing, head) = Growing::begin(lines, games).map_err(|error| error.to_string())?;
                lines = &lines[head..];
                (growing, head as u64)
            }
        };
        // What a full record, with the server's answers, would have got since the last call.
        let full = growing.take(lines).map_err(|error| error.to_string());
        self.played = Some((growing, taken + lines.len() as u64));
        let mut news = Vec::new();
        for line in whole_lines(&full?) {
            for &player in players.iter().filter(|player| is_of(line, **player)) {
                let Ok(RecordLine::Event(tick, entry)) = RecordLine::parse(line) else { continue };
                let Some(Spoken { speech, text, why, .. }) = Spoken::of(tick, entry, player) else {
                    continue;
                };
                let of = if players.len() > 1 { format!("#{player} ") } else { String::new() };
                let why = why.map(|why| format!(": {why}")).unwrap_or_default();
                news.push(format!("{tick:>9} {}  {of}{text}{why}", speech.mark()));
            }
        }
        Ok(news)
    }
}
