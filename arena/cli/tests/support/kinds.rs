//! Folders as authors hand them in: each kind that says how its bot is built and started, and those that don't.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use super::client;

/// Flags of small matches in which no machine makes an honest program late.
pub const SMALL: &str = "--width 10 --height 10 --clients 1 --max-ticks 150 --think-time 60000 --seeds 1";

/// A folder, and what is to become of it.
pub struct Kind {
    pub name: &'static str,
    pub files: Vec<(&'static str, String)>,
    /// What said how it is started; or how far it comes, and words of why it comes no further.
    pub becomes: Result<&'static str, (&'static str, &'static str)>,
}

/// Writes files into a folder that is made; those that begin with `#!` can be run.
pub fn write(folder: &Path, files: &[(impl AsRef<str>, impl AsRef<str>)]) {
    fs::create_dir_all(folder).unwrap();
    for (name, text) in files {
        let (path, text) = (folder.join(name.as_ref()), text.as_ref());
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        let mode = if text.starts_with("#!") { 0o755 } else { 0o644 };
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }
}

fn is_there(tool: &str) -> bool {
    let there = Command::new(tool).arg("--version").output().is_ok();
    if !there {
        eprintln!("there is no {tool}, so no bot needs it");
    }
    there
}

/// A folder that isn't taken, its files, and what is said of it.
type Refused = (&'static str, &'static [(&'static str, &'static str)], &'static str);

/// Folders whose bot lies one folder too deep.
fn too_deep() -> [Refused; 2] {
    let one = &[("README.md", ""), ("proj/bot.py", ""), ("docs/notes", ""), (".git/bot.py", "")];
    let words = "it is one folder too deep: nothing says here how it is started, but its folder \"proj\" has a bot.py";
    let two = &[("one/bot.py", ""), ("two/bot.py", "")];
    [("one-too-deep", one, words), ("two-too-deep", two, "nothing says how it is started")]
}

/// The line in the file `COMMAND` that starts a bot.
const LINE: &str = "sh a.sh -p {port} -n {team} -h {host}\r\n";

/// All kinds; every good one is our client. A build notes that it was made in the file `builds`.
pub fn kinds(builds: &Path) -> Vec<Kind> {
    let play = format!("exec {} --level easy \"$@\"\n", client());
    let script = |name: &str| format!("#!/bin/sh\n# {name}\n{play}");
    let notes = format!("echo built >>'{}'", builds.display());
    let good = |name, files: &[(&'static str, String)], source| Kind {
        name,
        files: files.to_vec(),
        becomes: Ok(source),
    };
    let bad = |name, files: &[(&'static str, &str)], state, why| Kind {
        name,
        files: files.iter().map(|(name, text)| (*name, (*text).to_owned())).collect(),
        becomes: Err((state, why)),
    };
    let built = "command = \"./made -p {port} -n {team} -h {host}\"\nbuild = \"sh build.sh\"\n";
    let make = |made: &str| format!("{made}: source\n\t@{notes}\n\tcp source {made}\n");
    let mut kinds = Vec::from(too_deep().map(|(name, files, why)| bad(name, files, "no_command", why)));
    kinds.extend([
        good(
            "toml",
            &[
                ("bot.toml", "command = \"sh a.sh -p {port} -n {team} -h {host}\"\nprocesses = 1\n".into()),
                ("a.sh", script("toml")),
                ("run.sh", "exit 1\n".into()),
            ],
            "bot.toml",
        ),
        good(
            "toml-built",
            &[
                ("bot.toml", built.into()),
                ("source", script("toml-built")),
                ("build.sh", format!("{notes}\ncp source made\n")),
            ],
            "bot.toml",
        ),
        good("command", &[("COMMAND", format!("\n{LINE}")), ("a.sh", script("command"))], "COMMAND"),
        good("of-notepad", &[("COMMAND.txt", LINE.into()), ("a.sh", script("of-notepad"))], "COMMAND.txt"),
        good("marked", &[("COMMAND", format!("\u{feff}{LINE}")), ("a.sh", script("marked"))], "COMMAND"),
        good("of-windows", &[("run.sh", script("of-windows").replace('\n', "\r\n"))], "run.sh"),
        good("too-deep", &[("handed in/run.sh", script("too-deep")), (".DS_Store", String::new())], "run.sh"),
        good("script", &[("run.sh", script("script"))], "run.sh"),
        good("script-of-sh", &[("run.sh", format!("# script-of-sh\n{play}"))], "run.sh"),
        good("program", &[("zappy_ai", script("program"))], "zappy_ai"),
        good("starter", &[("bot", script("starter"))], "bot"),
        bad("nothing", &[("readme", "")], "no_command", "nothing says how it is started"),
        bad(
            "typo",
            &[("bot.toml", "\ncomand = \"x\"\n")],
            "no_command",
            "its bot.toml, line 2: there is no key \"comand\"",
        ),
        bad(
            "greedy",
            &[("bot.toml", "command = \"true\"\nlimits = {}\n")],
            "no_command",
            "line 2: there is no key \"limits\"",
        ),
        bad("nosy", &[("COMMAND", "cat /etc/passwd\n")], "no_command", "its command names \"/etc/passwd\""),
        bad("lost", &[("COMMAND", "./nowhere\n")], "cant_start", "there is no program \"./nowhere\""),
        bad("no-script", &[("COMMAND", "sh a.sh\n")], "cant_start", "there is no script \"a.sh\""),
        bad(
            "not-built",
            &[("bot.toml", built), ("build.sh", "echo line 3: error\nexit 3\n")],
            "not_built",
            "sh build.sh: it ended with exit code 3",
        ),
        bad(
            "made-nothing",
            &[("bot.toml", built), ("build.sh", "true\n")],
            "cant_start",
            "there is no program \"./made\"",
        ),
    ]);
    if is_there("python3") {
        let python = |name: &str| {
            let words = shlex::split(&client()).unwrap();
            format!("# {name}\nimport os, sys\nos.execv({:?}, {words:?} + sys.argv[1:])\n", words[0])
        };
        kinds.push(good("python", &[("bot.py", python("python"))], "bot.py"));
        let both = [("bot.py", "raise SystemExit(1)\n".into()), ("zappy.py", python("of-game"))];
        kinds.push(good("of-game", &both, "zappy.py"));
    }
    if is_there("make") {
        let source = |name| ("source", script(name));
        kinds.push(good("make", &[("Makefile", make("zappy_ai")), source("make")], "Makefile"));
        kinds.push(good("make-bot", &[("GNUmakefile", make("bot")), source("make-bot")], "GNUmakefile"));
        let command = ("COMMAND", "./own -p {port} -n {team} -h {host}".to_owned());
        let files = [("makefile", make("own")), source("make-command"), command];
        kinds.push(good("make-command", &files, "COMMAND, built by makefile"));
        kinds.push(bad("make-nothing", &[("Makefile", "all:\n")], "no_command", "make left no zappy_ai"));
    }
    kinds
}
