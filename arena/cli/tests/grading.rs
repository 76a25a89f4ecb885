//! What `docs/grading.md` tells graders to type does what it says there, in a folder as a clone is: each command of its
//! blocks is run in their order, with smaller matches and without a sandbox.
//!
//! Left out are those for clusters and for other machines. Where there is no Python, or no make, a line says so, unless
//! `ZAPPY_PYTHON=required`.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::support::{ARENA, Bench, Finished, Running, binary, names, python, quoted, server};
use serde_json::Value;
use zappy_play::programs::limits::Limits;
use zappy_tournament::outcome::BotEnd;

/// Three grades and two small tournaments; a busy machine takes longer.
const WHOLE: Duration = Duration::from_secs(500);

fn root() -> PathBuf {
    fs::canonicalize(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")).unwrap()
}

fn guide() -> String {
    fs::read_to_string(root().join("docs/grading.md")).unwrap()
}

/// The blocks of that kind, in their order.
fn blocks<'a>(guide: &'a str, kind: &'a str) -> impl Iterator<Item = &'a str> {
    let opening = format!("```{kind}\n");
    let mut rest = guide;
    std::iter::from_fn(move || {
        let block = &rest[rest.find(&opening)? + opening.len()..];
        let end = block.find("```")?;
        rest = &block[end + 3..];
        Some(&block[..end])
    })
}

/// A folder with all that a clone has after `make`, whose matches are small.
fn clone(bench: &Bench) -> PathBuf {
    let clone = bench.path("clone");
    fs::create_dir(&clone).unwrap();
    for name in ["ai-client", "arena", "docs", "Makefile", "dev.mk"] {
        symlink(root().join(name), clone.join(name)).unwrap();
    }
    for (name, program) in [("zappy_server", server()), ("zappy_ai", binary("zappy-ai", "zappy_ai"))] {
        fs::copy(program, clone.join(name)).unwrap();
    }
    // One seed for as many as are asked for, and few ticks.
    let arena = format!(
        "seeds=none
for word; do
    shift
    [ \"$before\" = --seeds ] && word=1 seeds=some
    set -- \"$@\" \"$word\"
    before=$word
done
small='--width 10 --height 10 --clients 2 --max-ticks 150'
case \"$1 $2 $seeds\" in
'tournament plan '*) set -- \"$@\" $small ;;
'tournament run '*) set -- \"$@\" --sandbox none ;;
grade*none) set -- \"$@\" $small --sandbox none --check login --seeds 1 ;;
grade*) set -- \"$@\" $small --sandbox none --check login ;;
match*) set -- \"$@\" --max-ticks 150 ;;
check*) set -- \"$@\" --only login ;;
esac
exec {} \"$@\"
",
        quoted(Path::new(ARENA))
    );
    let script = bench.script("clone/zappy_arena", &arena);
    assert!(script.is_file());
    // The observer opens no window here, but its file is to be there.
    bench.script("clone/zappy_gui", "[ \"$1\" = --replay ] && [ -s \"$2\" ]\n");
    clone
}

/// Runs commands as a grader's shell does; `make` builds nothing, since all is built.
fn shell(clone: &Path, commands: &str) -> Finished {
    let built = "zappy_server zappy_ai zappy_arena zappy_gui";
    let old: String = built.split(' ').map(|name| format!(" -o {name}")).collect();
    let make =
        format!("make() {{ [ $# = 0 ] || command make{old} CARGO=true BIN=\"$PWD\" \"$@\"; }}\nset -e\n");
    let mut command = Command::new("bash");
    command.args(["-c", &(make + commands)]).current_dir(clone);
    Running::start(&mut command).finish_within(WHOLE)
}

fn is_there(tool: &str) -> bool {
    let mut command = Command::new(tool);
    command.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

#[test]
fn the_guide_can_be_followed_word_by_word() {
    if python("bots", "slow.py").is_none() || !is_there("make") || !is_there("bash") {
        eprintln!("there is no make, bash or python3, so the guide isn't followed");
        return;
    }
    let (bench, guide) = (Bench::new(), guide());
    let clone = clone(&bench);
    let opponents: Vec<&str> = blocks(&guide, "toml").collect();
    assert_eq!(opponents.len(), 1, "the guide has one file, opponents.toml");
    fs::write(clone.join("opponents.toml"), opponents[0]).unwrap();
    let mut followed = 0;
    for block in blocks(&guide, "sh") {
        if ["/shared/", "cluster"].iter().any(|elsewhere| block.contains(elsewhere)) {
            continue;
        }
        let id = clone.join("night/matches").exists().then(|| names(&clone.join("night/matches")));
        let id = id.and_then(|all| all.into_iter().find(|id| is_with(&clone, id, "ada"))).unwrap_or_default();
        let block = block.replace("matches/ID", &format!("matches/{id}"));
        let finished = shell(&clone, &block);
        assert_eq!(finished.code(), 0, "{block}\n{}\n{}", finished.stdout, finished.stderr);
        followed += 1;
    }
    assert!(followed >= 7, "{followed} blocks");

    // What it says is there is there.
    let grade = |name: &str| -> Value {
        let path = clone.join("grades").join(name).join("grade.json");
        serde_json::from_slice(&fs::read(&path).unwrap_or_else(|_| panic!("{}", path.display()))).unwrap()
    };
    let class: Value =
        serde_json::from_slice(&fs::read(clone.join("grades/class/class.json")).unwrap()).unwrap();
    let students = class["students"].as_array().unwrap();
    assert_eq!(students.len(), 2, "{class:#}");
    let bob: Value =
        serde_json::from_slice(&fs::read(clone.join("grades/bob/student.json")).unwrap()).unwrap();
    for graded in students.iter().chain([&grade("one"), &bob]) {
        let names: Vec<Value> =
            graded["opponents"].as_array().unwrap().iter().map(|one| one["name"].clone()).collect();
        assert_eq!(names, ["easy", "hard", "starter"], "{graded:#}");
        assert_eq!(graded["faults"].to_string(), "{}", "{graded:#}");
    }
    let results = fs::read_to_string(clone.join("results.json")).unwrap();
    assert!(results.contains("\"max_score\": 1.0"), "{results}");
    for file in
        ["night/merged/index.html", "late/results", "full.zrec", "ada.json", "grades/one/merged/index.html"]
    {
        assert!(clone.join(file).exists(), "{file}");
    }
}

/// Whether a team of that name played the match.
fn is_with(clone: &Path, id: &str, team: &str) -> bool {
    let result =
        fs::read_to_string(clone.join("night/results").join(format!("{id}.json"))).unwrap_or_default();
    result.contains(&format!("\"team\":\"{team}\""))
}

#[test]
fn what_the_guide_hands_out_are_the_defaults() {
    let guide = guide();
    let Limits { memory_mib, team_memory_mib, processes, cpu_seconds, disk_mib, .. } = Limits::DEFAULT;
    let [memory, team, cpu, disk] = [memory_mib, team_memory_mib, cpu_seconds, disk_mib].map(Option::unwrap);
    let words = guide.replace("\n> ", " ").replace('\n', " ");
    let limits = format!(
        "Each process of your bot may use {memory} MiB of address space and {cpu} seconds of processor time; all of them together \
         {team} MiB of memory, {} processes at one time, and {disk} MiB of disk in the folder",
        processes.unwrap()
    );
    assert!(words.contains(&limits), "the guide doesn't say: {limits}");
    let file = blocks(&guide, "toml").next().unwrap();
    for (key, value) in [
        ("memory_mib", memory),
        ("team_memory_mib", team),
        ("processes", processes.unwrap().into()),
        ("cpu_seconds", cpu),
        ("disk_mib", disk),
    ] {
        let line = format!("{key} = {value} ");
        assert!(file.lines().any(|told| told.starts_with(&line)), "{line}");
    }
    for end in BotEnd::ALL.map(BotEnd::word) {
        assert!(guide.contains(&format!("`{end}`")), "the guide doesn't name {end}");
    }
}
