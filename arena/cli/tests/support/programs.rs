//! Builds the starters for tests that play them: one for each language that this machine can compile or run.
//!
//! Where a language's tools are missing, a line says so and its bot is left out, unless `ZAPPY_STARTERS` names the
//! language: a list with blanks.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::support::{interpreter, quoted};

/// A language and the programs without which its bot can't be played.
pub struct Starter {
    pub language: &'static str,
    tools: &'static [&'static str],
    /// Builds the program of that name into a folder and gives the command.
    build: fn(&Path, &Path, &str) -> String,
}

pub const STARTERS: &[Starter] = &[
    Starter {
        language: "python",
        tools: &["python3"],
        build: |source, _, name| {
            format!("{} -B {}", interpreter().unwrap(), quoted(&source.join(name).with_extension("py")))
        },
    },
    Starter {
        language: "c",
        tools: &["cc"],
        build: |source, folder, name| {
            let mut command = Command::new("cc");
            command.args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-O2", "-o"]);
            built(command.arg(folder.join(name)).arg(source.join(name).with_extension("c")));
            quoted(&folder.join(name))
        },
    },
    Starter {
        language: "javascript",
        tools: &["node"],
        build: |source, _, name| format!("node {}", quoted(&source.join(name).with_extension("js"))),
    },
    Starter {
        language: "java",
        tools: &["javac", "java"],
        build: |source, folder, name| {
            let class = format!("{}{}", name[..1].to_uppercase(), &name[1..]);
            built(
                Command::new("javac")
                    .args(["-Xlint:all", "-Werror", "-d"])
                    .arg(folder)
                    .arg(source.join(&class).with_extension("java")),
            );
            format!("java -cp {} {class}", quoted(folder))
        },
    },
    Starter {
        language: "rust",
        tools: &[],
        build: |source, folder, name| {
            let mut command = Command::new(env!("CARGO"));
            command.args(["build", "-q", "--release", "--locked", "--offline", "--manifest-path"]);
            built(command.arg(source.join("Cargo.toml")).arg("--target-dir").arg(folder));
            quoted(&folder.join("release").join(name))
        },
    },
];

fn built(command: &mut Command) {
    let output = command.stdin(Stdio::null()).output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
}

pub fn is_there(tool: &str) -> bool {
    let mut command = Command::new(tool);
    command.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// What cargo keeps for tests to write into.
pub fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("starters").join(name);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// All programs of that name that can be played here: languages and commands.
pub fn build(name: &str) -> Vec<(&'static str, String)> {
    let required = std::env::var("ZAPPY_STARTERS").unwrap_or_default();
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ai-client/starters");
    let mut found = Vec::new();
    for Starter { language, tools, build } in STARTERS {
        if let Some(tool) = tools.iter().find(|tool| !is_there(tool)) {
            let needed = required.split_whitespace().any(|name| name == *language);
            assert!(!needed, "ZAPPY_STARTERS={required}, but there is no {tool}");
            eprintln!("there is no {tool}, so the starter in {language} is not played");
            continue;
        }
        found.push((*language, build(&sources.join(language), &folder(language), name)));
    }
    found
}
