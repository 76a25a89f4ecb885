//! What players that the operator follows and the server say to each other, out of the record while it is written.
//!
//! The record holds the inputs alone until the match is over, so what is new in it is played on for the answers. Tested in
//! `arena/cli/tests/debugging.rs`.

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
    /// The match as far as it was played on, and how many bytes of the record that took.
    played: Option<(Growing, u64)>,
}

impl Followed {
    pub(super) fn new(player: PlayerName) -> Followed {
        Followed { player, played: None }
    }

    pub(super) fn player(&self) -> &PlayerName {
        &self.player
    }

    /// The lines of these players since the last call.
    pub(super) fn news(
        &mut self,
        record: &Path,
        games: GameTable,
        players: &[u32],
    ) -> Result<Vec<String>, String> {
        let full = self.play_on(record, games)?;
        let mut told = Vec::new();
        for line in whole_lines(&full) {
            for &player in players.iter().filter(|player| is_of(line, **player)) {
                let Ok(RecordLine::Event(tick, entry)) = RecordLine::parse(line) else { continue };
                let Some(Spoken { speech, text, why, .. }) = Spoken::of(tick, entry, player) else {
                    continue;
                };
                let of = if players.len() > 1 { format!("#{player} ") } else { String::new() };
                let why = why.map(|why| format!(": {why}")).unwrap_or_default();
                told.push(format!("{tick:>9} {}  {of}{text}{why}", speech.mark()));
            }
        }
        Ok(told)
    }

    /// What the full record has more since the last call.
    fn play_on(&mut self, record: &Path, games: GameTable) -> Result<Vec<u8>, String> {
        let at = self.played.as_ref().map_or(0, |(_, at)| *at);
        let mut added = Vec::new();
        files::open(record)
            .and_then(|mut file| file.seek(SeekFrom::Start(at)).map(|_| file))
            .and_then(|file| file.take(MAX_RECORD_BYTES).read_to_end(&mut added))
            .map_err(|error| error.to_string())?;
        let mut lines = &added[..added.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1)];
        let (mut growing, at) = match self.played.take() {
            Some(played) => played,
            None => {
                let (growing, head) = Growing::begin(lines, games).map_err(|error| error.to_string())?;
                lines = &lines[head..];
                (growing, head as u64)
            }
        };
        let full = growing.take(lines).map_err(|error| error.to_string());
        self.played = Some((growing, at + lines.len() as u64));
        full
    }
}
