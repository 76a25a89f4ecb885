//! The check of a bot before it enters: `zappy_arena check` on a copy of its files, with around it what is around bots in matches.
//!
//! What came of it is kept by the version's id, so that no version is checked twice. A bot that deceives its check gains
//! nothing but a place in the field. Tested in `tests/league/`.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use zappy_protocol::TeamName;

use super::intake::REPORT;
use super::round::Version;
use crate::check::GAMES;
use crate::os::{self, Pid, pid_of};
use crate::play::setup::Entry;
use crate::play::world::World;
use crate::programs::contain::{Orphans, processes};
use crate::programs::limits::Limits;
use crate::programs::process::Means;
use crate::programs::sandbox::Containment;
use crate::programs::signals::Signals;
use crate::tournament::around::Around;
use crate::tournament::copies::copy;
use crate::tournament::identity::Id;
use crate::tournament::place::{read_json, write_whole};
use crate::{Error, tournament};

/// The folder of what came of checks.
const CHECKED: &str = "checked";
/// What the name of a folder begins with in which a bot is checked.
pub const SCRATCH: &str = ".check-";
/// A check and what is around it.
const TRIAL_LIMIT: Duration = Duration::from_secs(300);
/// Between two looks at what the bot uses.
const LOOK: Duration = Duration::from_millis(250);
/// The arena's own processes in a check.
const OWN: usize = 8;
/// What is kept of the report, in bytes.
const REPORT_BYTES: u64 = 256 << 10;
/// The longest file of a verdict.
const LONGEST: u64 = 1 << 20;
/// What check says of a bot that isn't good.
const REFUSED: i32 = 3;

/// Which situations a bot must pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Checks {
    /// All that there are for the game.
    All,
    /// These.
    Only(Vec<String>),
    /// None.
    None,
}

/// What came of a check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Verdict {
    /// The format's version.
    pub version: u32,
    /// Which bot.
    pub id: Id,
    /// Why it doesn't enter; none: it does.
    pub why: Option<String>,
}

/// What a check ended with.
#[derive(Debug)]
pub enum Trial {
    /// A verdict, and what to tell the author.
    Over(Verdict, String),
    /// It could not be made; why.
    Failed(String),
    /// The operator ended it.
    Interrupted,
}

/// Checks bots.
#[derive(Debug)]
pub struct Trials<'a> {
    /// The league's folder.
    pub league: &'a Path,
    /// Which situations a bot must pass.
    pub checks: &'a Checks,
    /// What is played.
    pub world: &'a World,
    /// This program.
    pub program: &'a Path,
    /// What is around the bots.
    pub containment: Containment,
}

impl Trials<'_> {
    fn file(&self, id: Id) -> PathBuf {
        self.league.join(CHECKED).join(format!("{id}.json"))
    }

    /// What came of the check of that version, if it was checked.
    ///
    /// # Errors
    /// The file can't be read for what it is.
    pub fn known(&self, id: Id) -> Result<Option<Verdict>, tournament::Error> {
        let file = self.file(id);
        if !file.exists() { Ok(None) } else { read_json(&file, LONGEST).map(Some) }
    }

    /// Keeps what came of it.
    ///
    /// # Errors
    /// When it can't be written.
    pub fn keep(&self, verdict: &Verdict) -> Result<(), tournament::Error> {
        let folder = self.league.join(CHECKED);
        fs::create_dir_all(&folder).map_err(|error| tournament::Error::File(folder.clone(), error))?;
        let text = serde_json::json!(verdict).to_string() + "\n";
        write_whole(&self.file(verdict.id), &folder.join(".verdict.new"), text.as_bytes())
    }

    /// Whether bots of this league are checked at all.
    #[must_use]
    pub fn are_made(&self) -> bool {
        *self.checks != Checks::None && GAMES.iter().any(|game| game.name == self.world.spec.game.name)
    }

    /// Checks a version whose files lie in that folder, which stays as it is.
    ///
    /// # Errors
    /// When the arena failed.
    pub fn run(&self, version: &Version, files: &Path, signals: &mut Signals) -> Result<Trial, Error> {
        let passed = |text: &str| Trial::Over(self.verdict(version, None), text.to_owned());
        if !self.are_made() {
            return Ok(passed("This bot is in the league; its bots aren't checked.\n"));
        }
        let scratch = tempfile::Builder::new().prefix(SCRATCH).tempdir_in(self.league);
        let scratch = scratch.map_err(|error| Error::System("can't make a folder for a check", error))?;
        let (works_in, said) = (scratch.path().join("bot"), scratch.path().join("report"));
        copy(files, &works_in).map_err(|error| Error::File(works_in.clone(), error))?;
        let orphans = Orphans::adopt().map_err(|error| Error::System("can't adopt orphans", error))?;
        // What is around it ends with it.
        let words = match self.words(version, &works_in) {
            Ok(words) => words,
            Err(tournament::Error::Hidden { path, .. }) => {
                let why = format!(
                    "the sandbox hides {} from it; put into the bot's folder what it needs",
                    path.display()
                );
                return Ok(Trial::Over(self.verdict(version, Some(why.clone())), format!("{why}\n")));
            }
            Err(error) => return Ok(Trial::Failed(error.to_string())),
        };
        let (words, _means) = words;
        let out = File::create(&said).map_err(|error| Error::File(said.clone(), error))?;
        let both = out.try_clone().map_err(|error| Error::File(said.clone(), error))?;
        let mut child = Command::new(&words[0])
            .args(&words[1..])
            .current_dir(&works_in)
            .stdin(Stdio::null())
            .stdout(out)
            .stderr(both)
            .spawn()
            .map_err(|error| Error::Spawn(format!("the check of {}", version.label()), error))?;
        let ended = watch(&mut child, signals);
        let _ = child.kill();
        let _ = child.wait();
        orphans.sweep(&[].into());
        let mut report = Vec::new();
        let read = File::open(&said).and_then(|file| file.take(REPORT_BYTES).read_to_end(&mut report));
        read.map_err(|error| Error::File(said, error))?;
        let report = String::from_utf8_lossy(&report).into_owned();
        Ok(match ended {
            Watched::Stopped => Trial::Interrupted,
            Watched::Late => {
                let why = format!("its check took more than {} s", TRIAL_LIMIT.as_secs());
                Trial::Over(self.verdict(version, Some(why.clone())), format!("{report}\n{why}\n"))
            }
            Watched::Greedy(what) => {
                let why = format!("in its check it used {what}");
                Trial::Over(self.verdict(version, Some(why.clone())), format!("{report}\n{why}\n"))
            }
            Watched::Ended(status) => match status.code() {
                Some(0) => passed(&format!("This bot is in the league: it passed its check.\n\n{report}")),
                Some(REFUSED) => {
                    let told = report.lines().find(|line| line.contains(" situations passed"));
                    let told = told.unwrap_or("it failed its check.").trim_end_matches('.');
                    let why = format!("{told}; see {REPORT} in its folder");
                    let text = format!("This bot is not in the league: it failed its check.\n\n{report}");
                    Trial::Over(self.verdict(version, Some(why)), text)
                }
                _ => {
                    let last = report.lines().rfind(|line| !line.is_empty()).unwrap_or_default();
                    Trial::Failed(format!("{status}: {last}"))
                }
            },
        })
    }

    fn verdict(&self, version: &Version, why: Option<String>) -> Verdict {
        Verdict { version: 1, id: version.id, why }
    }

    /// The check as it is started in that folder, and what must live as long as it does.
    fn words(
        &self,
        version: &Version,
        works_in: &Path,
    ) -> Result<(Vec<std::ffi::OsString>, Means), tournament::Error> {
        let bot = version.bot(self.league);
        let lost = |why: String| tournament::Error::Lost(version.label(), why);
        let team =
            TeamName::parse(version.label().as_bytes()).ok_or_else(|| lost("no team's name".to_owned()))?;
        let means = Means {
            folder: Some(works_in.to_path_buf()),
            limits: Limits::default().or_default(1),
            ..Means::default()
        };
        let command = bot.template(Some(works_in)).map_err(lost)?;
        let mut entry = Entry { team, command, procs: Some(1), attached: None, means };
        let around = Around {
            containment: self.containment,
            launcher: self.program,
            hidden: &[self.league.to_path_buf()],
            delegated: None,
            level: log::Level::Debug,
        };
        around.put(&version.label(), 0, 1, &mut entry)?;
        let mut words = around.way_in(&entry.means);
        if self.containment != Containment::None {
            words.push("--".into());
        }
        words.extend([self.program.into(), "check".into(), version.command.clone().into()]);
        let spec = &self.world.spec;
        words.extend(["--game", spec.game.name].map(Into::into));
        if spec.game.options.iter().any(|option| option.key == "rules") {
            words.extend(["--rules", spec.options.get("rules")].map(Into::into));
        }
        if let Checks::Only(names) = self.checks {
            words.extend(names.iter().flat_map(|name| ["--only".into(), name.into()]));
        }
        Ok((words, entry.means))
    }
}

/// How a check came to its end.
enum Watched {
    Ended(ExitStatus),
    Late,
    Greedy(String),
    Stopped,
}

fn watch(child: &mut Child, signals: &mut Signals) -> Watched {
    let (deadline, pid) = (Instant::now() + TRIAL_LIMIT, pid_of(child));
    let most = Limits::DEFAULT.processes.map_or(usize::MAX, |most| most as usize) + OWN;
    let mib = Limits::DEFAULT.team_memory_mib.unwrap_or(u64::MAX >> 20);
    loop {
        if let Ok(Some(status)) = child.try_wait() {
            return Watched::Ended(status);
        }
        if signals.stops() > 0 {
            return Watched::Stopped;
        }
        if Instant::now() > deadline {
            return Watched::Late;
        }
        let (count, bytes) = below(pid);
        if count > most {
            return Watched::Greedy(format!("more than {} processes", most - OWN));
        }
        if bytes > mib << 20 {
            return Watched::Greedy(format!("more than {mib} MiB of memory"));
        }
        let _ = os::wait(&signals.pollables(), LOOK);
        signals.child_ended();
    }
}

/// How many processes there are below that one, and the memory that they hold, in bytes.
fn below(root: Pid) -> (usize, u64) {
    let mut children: HashMap<i32, Vec<(i32, u64)>> = HashMap::new();
    for seen in processes() {
        let bytes = seen.pages.saturating_mul(os::page_size() as u64);
        children.entry(seen.parent).or_default().push((seen.pid.as_raw_pid(), bytes));
    }
    let (mut count, mut bytes, mut open) = (0, 0, vec![root.as_raw_pid()]);
    while let Some(pid) = open.pop() {
        for (child, held) in children.remove(&pid).unwrap_or_default() {
            count += 1;
            bytes += held;
            open.push(child);
        }
    }
    (count, bytes)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn what_processes_below_one_use_is_counted() {
        use std::os::unix::process::CommandExt;
        let script = ["-c", "sleep 600 & sleep 600 & wait"];
        let mut child = Command::new("sh").args(script).process_group(0).spawn().unwrap();
        let pid = pid_of(&child);
        let deadline = Instant::now() + Duration::from_secs(60);
        while below(pid).0 < 2 && Instant::now() < deadline {
            std::thread::yield_now();
        }
        let (count, bytes) = below(pid);
        rustix::process::kill_process_group(pid, rustix::process::Signal::KILL).unwrap();
        child.wait().unwrap();
        assert_eq!(count, 2);
        assert!(bytes > 0);
    }
}
