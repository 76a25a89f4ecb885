//! A site's settings, as the flags of `zappy_site`.

use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use clap::Args;
use zappy_play::signature::{Key, Kind};

use crate::root::{Root, Trust};
use crate::trust::{is_record, kind_by_names};
use zappy_server::games::GameTable;

/// Connections at the same time, unless another number is asked for.
pub const CONNECTIONS: usize = 2_048;
/// Connections of one address, this machine's own apart: a proxy on this machine connects for all spectators.
pub const PER_ADDRESS: usize = 64;
/// The most connections that may be asked for.
const MOST_CONNECTIONS: usize = 65_536;

/// A site's settings.
#[derive(Debug, Args)]
pub struct Setup {
    /// The folder to show: a match's, or one that holds matches and tournaments; or a record
    #[arg(long, value_name = "DIR", default_value = "matches")]
    pub folder: PathBuf,
    /// Show this, too, though the arena of this user hasn't signed it: a match, series, tournament, league, report or
    /// record in the folder; may be repeated
    #[arg(long = "trust", value_name = "PATH")]
    pub trusted: Vec<PathBuf>,
    /// Also show grades: the table of a class, and each student's matches and page
    #[arg(long)]
    pub grades: bool,
    // The key of the arena's user, if there is one.
    #[arg(skip)]
    pub key: Option<Key>,
    /// Where to listen; only programs on this machine reach an address that begins with 127
    #[arg(long, value_name = "IP:PORT", default_value = "127.0.0.1:8080")]
    pub listen: SocketAddr,
    /// A name under which browsers reach the site, such as that of a proxy; may be repeated [default: localhost; any
    /// name if it listens for other machines]
    #[arg(long = "name", value_name = "HOST")]
    pub names: Vec<String>,
    /// The viewer that make web made [default: zappy_web/viewer.js beside this program]
    #[arg(long, value_name = "FILE", hide_default_value = true, 
          default_value_os_t = std::env::current_exe().unwrap_or_default().with_file_name("zappy_web").join("viewer.js"))]
    pub viewer: PathBuf,
    /// Connections at the same time, spectators included
    #[arg(long = "max-connections", value_name = "N", default_value_t = CONNECTIONS, value_parser = connection_count)]
    pub connections: usize,
    /// Connections of one address at the same time; this machine's own aren't limited
    #[arg(long = "max-per-address", value_name = "N", default_value_t = PER_ADDRESS, value_parser = connection_count)]
    pub per_address: usize,
    // The games that this build can replay from records.
    #[arg(skip)]
    pub games: GameTable,
}

fn connection_count(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|number| (1..=MOST_CONNECTIONS).contains(number));
    number.ok_or_else(|| format!("give a number from 1 to {MOST_CONNECTIONS}"))
}

impl Setup {
    /// The folder to serve and what of it is shown. A match, series or record that `--folder` names is trusted by that.
    /// The folder of a record is the one that holds it.
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
