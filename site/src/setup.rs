//! What a site is started with.

use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use zappy_play::signature::{Key, Kind};

use crate::root::{Root, Trust};
use crate::summary::Games;
use crate::trust::{is_record, kind_by_names};

/// Connections in all.
pub const CONNECTIONS: usize = 2_048;
/// Connections of one address, this machine's own apart: a proxy here speaks for all spectators.
pub const PER_ADDRESS: usize = 64;

/// What a site is started with.
#[derive(Debug)]
pub struct Setup {
    /// The folder that it shows, or the record.
    pub folder: PathBuf,
    /// Outputs of the arena, and records, that are shown though they aren't signed.
    pub trusted: Vec<PathBuf>,
    pub grades: bool,
    /// The key of the arena's user, if there is one.
    pub key: Option<Key>,
    pub listen: SocketAddr,
    /// The viewer that `make web` leaves.
    pub viewer: PathBuf,
    /// Names under which it is known, beside this machine's own.
    pub names: Vec<String>,
    pub connections: usize,
    pub per_address: usize,
    /// The games that this build can replay from records.
    pub games: Games,
}

impl Setup {
    /// The folder of a site and what is shown of it; a match, a series or a record that is itself what is to be shown was
    /// named by that.
    ///
    /// # Errors
    /// In words that name the flag: there is no such folder, or nothing of the arena's where the operator says so.
    pub fn trust(&self) -> Result<(PathBuf, Trust), String> {
        let asked = self.folder.display();
        let failed = |error| format!("--folder {asked}: {error}");
        let mut folder = fs::canonicalize(&self.folder).map_err(failed)?;
        let mut named = Vec::new();
        if is_record(&folder) && folder.is_file() {
            named.extend(folder.file_name().map(PathBuf::from));
            folder.pop();
        }
        let plain = Root::open(&folder, Trust::default()).map_err(failed)?;
        let kind = |at: &Path| plain.list(at).ok().and_then(|entries| kind_by_names(&entries));
        if matches!(kind(Path::new("")), Some(Kind::Match | Kind::Series)) {
            named.push(PathBuf::new());
        }
        for path in &self.trusted {
            let asked = format!("--trust {}", path.display());
            let real = fs::canonicalize(path).map_err(|error| format!("{asked}: {error}"))?;
            let at = real.strip_prefix(&folder).map_err(|_| {
                format!("{asked}: it doesn't lie in {}, which --folder shows", folder.display())
            })?;
            if kind(at).is_none() && !(is_record(at) && plain.has_file(at)) {
                let what = "it is no match, series, tournament, league, report, grade or record of the arena";
                return Err(format!("{asked}: {what}; name one by itself"));
            }
            named.push(at.to_owned());
        }
        Ok((folder, Trust { key: self.key.clone(), named, grades: self.grades }))
    }
}
