//! `action.yml`: its inputs and outputs are the ones that its steps use, its flags are the arena's, and the step that grades does
//! so. GitHub's own part, filling inputs into the environment, is done here by hand.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::room::{Room, WHOLE, json};
use crate::support::{ARENA, Running};

fn action() -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../action.yml")).unwrap()
}

/// The lines that are indented more than a line that ends so, without that.
fn below<'a>(text: &'a str, heading: &str) -> Vec<&'a str> {
    let depth = |line: &str| line.len() - line.trim_start().len();
    let mut lines = text.lines().skip_while(|line| line.trim() != heading);
    let Some(first) = lines.next() else { return Vec::new() };
    lines.take_while(|line| line.trim().is_empty() || depth(line) > depth(first)).collect()
}

/// The names that stand two blanks deep below a heading.
fn names(text: &str, heading: &str) -> Vec<String> {
    let all = below(text, heading).into_iter().filter(|line| !line.starts_with("   "));
    all.filter_map(|line| line.trim().strip_suffix(':').map(str::to_owned)).collect()
}

/// The names behind a prefix in the text.
fn used(text: &str, prefix: &str) -> Vec<String> {
    let rest = text.split(prefix).skip(1);
    rest.map(|rest| rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()).collect()
}

/// The step that grades, its variables and its shell.
fn step() -> (Vec<(String, String)>, String) {
    let text = action();
    let (_, step) = text.split_once("    - name: Grade the bot\n").unwrap();
    let pair =
        |line: &str| line.trim().split_once(": ").map(|(key, value)| (key.to_owned(), value.to_owned()));
    (below(step, "env:").into_iter().filter_map(pair).collect(), below(step, "run: |").join("\n"))
}

#[test]
fn what_it_declares_is_what_it_uses() {
    let text = action();
    let sorted = |mut names: Vec<String>| {
        names.sort();
        names.dedup();
        names
    };
    let inputs = sorted(names(&text, "inputs:"));
    assert!(inputs.len() > 8, "{inputs:?}");
    assert_eq!(sorted(used(&text, "{{ inputs.")), inputs);
    let outputs = sorted(names(&text, "outputs:"));
    assert_eq!(sorted(used(&text, "steps.grade.outputs.")), outputs);
    let (variables, shell) = step();
    for output in outputs {
        assert!(shell.contains(&format!("echo \"{output}=")), "{output} is never given");
    }
    for (variable, _) in &variables {
        assert!(shell.contains(&format!("${variable}")), "{variable} is never used");
    }
    // What people fill in never gets into the text of a script.
    assert!(!shell.contains("${{"), "{shell}");
    let help = Command::new(ARENA).args(["grade", "--help"]).output().unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    let flags: Vec<String> = used(&shell, " --").into_iter().filter(|flag| !flag.is_empty()).collect();
    assert!(flags.len() >= 10, "{flags:?}");
    for flag in flags {
        assert!(
            help.contains(&format!("--{flag} ")) || help.contains(&format!("--{flag}\n")),
            "there is no --{flag}"
        );
    }
    let built = used(&text, "--bin ");
    assert_eq!(built, ["zappy_server", "zappy_ai", "zappy_arena"]);
}

#[test]
fn its_step_grades() {
    if Command::new("bash").arg("--version").output().is_err() {
        eprintln!("there is no bash, so the step isn't run");
        return;
    }
    let room = Room::new();
    room.player("ada", "expert");
    let (variables, shell) = step();
    let text = action();
    let given = room.out("github");
    let run = |require: &str| {
        fs::write(&given, "").unwrap();
        let mut command = Command::new("bash");
        command.args(["--noprofile", "--norc", "-eo", "pipefail", "-c", &shell]).env("GITHUB_OUTPUT", &given);
        for (name, value) in &variables {
            let value = match value.as_str() {
                "${{ github.action_path }}/target/release" => {
                    Path::new(ARENA).parent().unwrap().display().to_string()
                }
                "${{ runner.temp }}/zappy-grade" => room.out("grade").display().to_string(),
                "${{ inputs.folder }}" => room.out("submissions/ada").display().to_string(),
                "${{ inputs.against }}" => room.out("levels.toml").display().to_string(),
                "${{ inputs.seeds }}" => "1".to_owned(),
                "${{ inputs.check }}" | "${{ inputs.sandbox }}" => "none".to_owned(),
                "${{ inputs.require }}" => require.to_owned(),
                "${{ inputs.flags }}" => {
                    "--width 10 --height 10 --clients 1 --max-ticks 150 --think-time 60000 --first 1"
                        .to_owned()
                }
                other => {
                    let input = used(other, "inputs.").remove(0);
                    let lines = below(&text, &format!("{input}:"));
                    let default =
                        lines.iter().find_map(|line| line.trim().strip_prefix("default: ")).unwrap();
                    default.trim_matches('\'').to_owned()
                }
            };
            command.env(name, value);
        }
        Running::start(&mut command).finish_within(WHOLE)
    };
    let finished = run("0");
    assert_eq!(finished.code(), 0, "{}{}", finished.stdout, finished.stderr);
    let student = json(&room.out("grade/student.json"));
    let told = fs::read_to_string(&given).unwrap();
    let value = |name: &str| {
        let line = told.lines().find_map(|line| line.strip_prefix(&format!("{name}=")));
        line.unwrap_or_else(|| panic!("no {name} in {told}")).to_owned()
    };
    assert_eq!((value("points"), value("of")), (student["points"].to_string(), "1".to_owned()));
    assert_eq!(value("folder"), room.out("grade").display().to_string());
    let mut decode = Command::new("bash");
    decode.args(["-c", "printf %s \"$0\" | base64 -d", &value("result")]);
    let decoded = decode.output().unwrap().stdout;
    assert_eq!(decoded, fs::read(room.out("grade/classroom.json")).unwrap());
    let failed = run("2");
    assert_eq!(failed.code(), 1, "{}", failed.stderr);
    assert!(failed.stderr.contains("of 1, required: 2"), "{}", failed.stderr);
}
