//! What of the arena's environment other people's programs get: what finds programs and their libraries, the language, the time
//! zone, the terminal and what the grader names besides. Everything else may be a secret, such as a service's token. And the
//! variables that the arena sets for bots, with the seed of each team.
//!
//! Tested in this module and in `arena/cli/tests/tournament/environment.rs`.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::Path;

use clap::Args;
use sha2::{Digest as _, Sha256};

use crate::Error;

/// The variable that names a user's home; each program gets a home of its own.
pub const HOME: &str = "HOME";
/// The environment variable in which bots find which game is played.
pub const GAME_VARIABLE: &str = "ZAPPY_GAME";
/// The environment variable in which bots find their seed.
pub const SEED_VARIABLE: &str = "ZAPPY_SEED";
/// Variables that say where programs lie, and those of the language, the time zone and the terminal.
const PLAIN: &str = "PATH LANG LANGUAGE TZ TERM";
/// How the names of variables for parts of the language begin, such as numbers or dates.
const LANGUAGE: &str = "LC_";
/// Variables that say where languages keep their tools, and which version of them is meant: compilers and interpreters that a
/// version manager has installed find their files by these.
const TOOLS: &str = "CARGO_HOME DOTNET_ROOT GOROOT JAVA_HOME PYENV_ROOT PYENV_VERSION PYTHONUSERBASE RBENV_ROOT \
                     RBENV_VERSION RUSTUP_HOME RUSTUP_TOOLCHAIN";
/// Variables that default to a folder in the user's home. A program has a home of its own, so they are set to that folder.
const AT_HOME: [(&str, &str); 4] = [
    ("PYENV_ROOT", ".pyenv"),
    ("PYTHONUSERBASE", ".local"),
    ("RBENV_ROOT", ".rbenv"),
    ("RUSTUP_HOME", ".rustup"),
];
/// What programs of Windows can't do without: where the system, its programs and their settings lie, and the machine's kind.
const WINDOWS: &str = "ALLUSERSPROFILE APPDATA COMMONPROGRAMFILES COMSPEC HOMEDRIVE HOMEPATH LOCALAPPDATA \
                       NUMBER_OF_PROCESSORS OS PATHEXT PROCESSOR_ARCHITECTURE PROGRAMDATA PROGRAMFILES \
                       PROGRAMFILES(X86) SYSTEMDRIVE SYSTEMROOT TEMP TMP USERPROFILE WINDIR";

/// What the grader gives programs besides.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub struct Added {
    /// A variable that bots and builds get: NAME as it is set here, or NAME=VALUE; may be given several times. Of the others
    /// they get PATH, LANG, LC_*, TZ, TERM and where languages have their tools (JAVA_HOME, CARGO_HOME, PYENV_ROOT and the like)
    #[arg(long = "env", value_name = "NAME[=VALUE]")]
    added: Vec<String>,
}

impl Added {
    /// The variables that are added, as names with their values.
    ///
    /// # Errors
    /// There is no such variable here, or it can't be passed on.
    pub fn values(&self) -> Result<Vec<(String, String)>, Error> {
        self.added.iter().map(|word| value(word, |name| env::var_os(name))).collect()
    }

    /// The flags that say the same to another process of this program that has the same environment.
    pub fn arguments(&self) -> impl Iterator<Item = &OsStr> {
        self.added.iter().flat_map(|word| ["--env".as_ref(), word.as_ref()])
    }
}

/// The name and the value that a word of `--env` gives; `here` looks a variable up in the arena's environment.
fn value(word: &str, here: impl Fn(&str) -> Option<OsString>) -> Result<(String, String), Error> {
    let refused = |why: &str| Error::Flag(format!("--env {word}: {why}"));
    let (name, value) = match word.split_once('=') {
        Some((name, value)) => (name, value.to_owned()),
        None => {
            let value = here(word).ok_or_else(|| refused("it isn't set here; set it, or give NAME=VALUE"))?;
            (word, value.into_string().map_err(|_| refused("its value isn't UTF-8; give another one"))?)
        }
    };
    if name.is_empty() || name.contains('\0') || value.contains('\0') {
        return Err(refused("it takes the name of a variable, or NAME=VALUE"));
    }
    Ok((name.to_owned(), value))
}

/// Whether programs get the variable of this name from the arena's environment.
fn is_passed(name: &str) -> bool {
    let known = |all: &str| {
        all.split(' ').any(|known| known == name || cfg!(windows) && known.eq_ignore_ascii_case(name))
    };
    known(PLAIN) || known(TOOLS) || name.starts_with(LANGUAGE) || cfg!(windows) && known(WINDOWS)
}

/// The variables that all programs get from the arena's environment.
pub fn passed() -> impl Iterator<Item = (OsString, OsString)> {
    let home = env::var_os(HOME);
    let at_home = AT_HOME.into_iter().filter_map(move |(name, folder)| {
        let folder = Path::new(home.as_ref()?).join(folder);
        folder.is_dir().then(|| (name.into(), folder.into_os_string()))
    });
    let here = env::vars_os().filter(|(name, _)| name.to_str().is_some_and(is_passed));
    // Of two values of one variable the last one holds.
    at_home.chain(here)
}

/// The beginning of what is hashed, which keeps it apart from other uses of the match's seed.
const PURPOSE: &[u8] = b"zappy_arena bot seed ";

/// The seed of a team's bots: below 2^53, so that any language can hold it as a number.
///
/// All processes of a team get the same seed, so that it doesn't matter which of them gets which player. The seed
/// depends on the team's index, never on its name. A team may use it as a secret key for its messages: nothing about
/// other teams' seeds can be computed from it, as long as the match's seed can't be guessed.
pub fn bot_seed(match_seed: u64, team_index: usize) -> u64 {
    let hash = Sha256::new().chain_update(PURPOSE).chain_update(match_seed.to_le_bytes());
    let hash = hash.chain_update((team_index as u64).to_le_bytes()).finalize();
    hash.iter().take(8).fold(0, |seed, &byte| seed << 8 | u64::from(byte)) >> 11
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_is_given_by_its_name_or_with_its_value() {
        let here = |name: &str| (name == "KEY").then(|| OsString::from("a=b"));
        let given = |word| value(word, here).map_err(|error| error.to_string());
        let pair = |name: &str, value: &str| Ok((name.to_owned(), value.to_owned()));
        assert_eq!(given("KEY"), pair("KEY", "a=b"));
        assert_eq!(given("KEY=x=y"), pair("KEY", "x=y"));
        assert_eq!(given("OTHER="), pair("OTHER", ""));
        assert_eq!(given("OTHER").unwrap_err(), "--env OTHER: it isn't set here; set it, or give NAME=VALUE");
        assert!(given("=x").unwrap_err().contains("takes the name of a variable"));
    }

    #[test]
    fn what_may_be_a_secret_is_not_passed() {
        for name in ["PATH", "LANG", "LC_ALL", "LC_TIME", "TZ", "TERM", "JAVA_HOME", "RUSTUP_HOME"] {
            assert!(is_passed(name), "{name}");
        }
        for name in ["GITHUB_TOKEN", "HOME", "SSH_AUTH_SOCK", "LCX", "PATHS", "AWS_SECRET_ACCESS_KEY", ""] {
            assert!(!is_passed(name), "{name}");
        }
        assert_eq!(is_passed("SystemRoot"), cfg!(windows));
    }

    #[test]
    fn teams_and_matches_get_seeds_of_their_own_that_never_change() {
        let mut seeds: Vec<u64> =
            (0..20).flat_map(|seed| (0..10).map(move |team| bot_seed(seed, team))).collect();
        assert!(seeds.iter().all(|&seed| seed < 1 << 53));
        seeds.sort_unstable();
        seeds.dedup();
        assert_eq!(seeds.len(), 200);
        assert_eq!(bot_seed(42, 1), 8_045_916_886_964_806);
    }
}
