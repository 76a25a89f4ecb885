//! What holds teams to their limits, and as which user they run, where the machine can do it; elsewhere a line says so.
//!
//! Where the kernel holds, a test waits for no look of the guard; where the guard does, what is too much stays until it has
//! looked.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use rustix::process::geteuid;
use serde_json::Value;
use zappy_play::programs::{fence, limits};

use super::sandbox::works;
use super::stage::Stage;
use crate::support::{ARENA, Running, client, names};

/// Of each match: what a bot printed first, and what `result.json` says of its team.
fn told(stage: &Stage, out: &str, bot: &str) -> Vec<(String, Value)> {
    let matches = stage.out(out).join("matches");
    let of_match = |id: String| {
        let said = fs::read_to_string(matches.join(&id).join(format!("logs/{bot}-1.log"))).unwrap();
        let result = fs::read(matches.join(&id).join("result.json")).unwrap();
        let result: Value = serde_json::from_slice(&result).unwrap();
        let mut teams = result["arena"]["teams"].as_array().unwrap().iter();
        (said, teams.find(|team| team["team"] == bot).cloned().unwrap())
    };
    names(&matches).into_iter().map(of_match).collect()
}

#[test]
fn a_folder_in_memory_takes_its_size_and_no_more_also_without_a_name() {
    if !works() {
        return;
    }
    let mut stage = Stage::new();
    stage.player("ada");
    // Two of three files fit. No file is longer than the kernel allows each process.
    let write = "for fd in 4 5 6; do\neval \"exec $fd>lost\"; rm lost\n\
        head -c 4194304 /dev/zero >&$fd 2>/dev/null && echo fits || echo full\ndone";
    stage.script("bob", &format!("{write}\nexec {} \"$@\"", client()), "limits = { disk_mib = 8 }\n");
    stage.planned("night", &["--seeds", "1"]);
    let finished = stage.run("night", &["--sandbox", "bwrap", "--strict"]);
    assert_eq!(finished.code(), 0, "{} {}", finished.stdout, finished.stderr);
    for (said, team) in told(&stage, "night", "bob") {
        assert!(said.starts_with("fits\nfits\nfull\n"), "{said}");
        assert_eq!((&team["held_by"]["disk"], &team["limit_broken"]), (&"tmpfs".into(), &Value::Null));
    }
    stage.assert_tidy("night");
    assert_eq!(names(&stage.out("bob")), ["bot"]);
}

#[test]
fn programs_of_a_team_share_their_folder_in_memory() {
    if !works() {
        return;
    }
    let mut stage = Stage::new();
    stage.player("ada");
    let meet =
        "if mkdir first 2>/dev/null; then until [ -e second ]; do sleep 0.02; done; else : >second; fi";
    stage.script("bob", &format!("{meet}\necho met\nexec {} \"$@\"", client()), "");
    stage.planned("night", &["--seeds", "1", "--clients", "2"]);
    let finished = stage.run("night", &["--sandbox", "bwrap", "--strict"]);
    assert_eq!(finished.code(), 0, "{} {}", finished.stdout, finished.stderr);
    for (said, team) in told(&stage, "night", "bob") {
        assert_eq!((&said[..4], &team["held_by"]["disk"]), ("met\n", &"tmpfs".into()));
    }
}

#[test]
fn what_lies_in_the_memory_of_a_sandbox_is_memory_of_the_team() {
    if !works() {
        return;
    }
    let mut stage = Stage::new();
    stage.player("ada");
    let body = "head -c 80000000 /dev/zero >/tmp/one\nhead -c 80000000 /dev/zero >/tmp/two\nexec sleep 600";
    stage.script("bob", body, "limits = { team_memory_mib = 100, disk_mib = 200 }\n");
    stage.planned("night", &["--seeds", "1"]);
    let finished = stage.run("night", &["--sandbox", "bwrap", "--strict"]);
    assert_eq!(finished.code(), 3, "{} {}", finished.stdout, finished.stderr);
    for (_, team) in told(&stage, "night", "bob") {
        assert_eq!(team["limit_broken"], "more than 100 MiB of memory in all its processes");
    }
}

#[test]
fn files_without_content_in_the_memory_of_a_sandbox_are_counted() {
    if !works() {
        return;
    }
    let mut stage = Stage::new();
    stage.player("ada");
    // In both of the folders together there are too many.
    let body =
        "i=0\nwhile [ $i -lt 60000 ]; do i=$((i + 1)); : >/tmp/$i; : >/dev/shm/$i; done\nexec sleep 600";
    stage.script("bob", body, "");
    stage.planned("night", &["--seeds", "1"]);
    let finished = stage.run("night", &["--sandbox", "bwrap", "--strict"]);
    assert_eq!(finished.code(), 3, "{} {}", finished.stdout, finished.stderr);
    for (_, team) in told(&stage, "night", "bob") {
        assert_eq!(team["limit_broken"], "more than 100000 files and folders");
    }
}

/// Plays bots that say as which user they run, and how many processes and threads that may have; gives what each said, and the
/// user in the result.
fn users(sandbox: &str) -> Vec<(u32, String, Option<u64>)> {
    let mut stage = Stage::new();
    let body = format!(
        "echo $(id -u) $(awk '/Max processes/ {{ print $3 }}' /proc/self/limits) >/dev/stdout\nunshare --user true 2>/dev/null && echo made a user\nexec {} \"$@\"",
        client()
    );
    stage.script("ada", &body, "");
    stage.script("bob", &format!("{body} # bob"), "");
    fs::set_permissions(stage.bench.folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    stage.planned("night", &["--seeds", "1"]);
    let finished = stage.run("night", &["--sandbox", sandbox, "--strict"]);
    assert_eq!(finished.code(), 0, "{} {}", finished.stdout, finished.stderr);
    let mut users = Vec::new();
    for (said, team) in ["ada", "bob"].into_iter().flat_map(|bot| told(&stage, "night", bot)) {
        assert!(!said.contains("made a user"), "{said}");
        let (user, tasks) = said.lines().next().unwrap().split_once(' ').unwrap();
        users.push((user.parse().unwrap(), tasks.to_owned(), team["user"].as_u64()));
    }
    // The match itself is the same as whichever user.
    stage.planned("calm", &["--seeds", "1"]);
    assert_eq!(stage.run("calm", &["--sandbox", "none"]).code(), 0);
    assert_eq!(stage.results("night"), stage.results("calm"));
    users
}

/// Whether this kernel counts what a user runs by namespaces.
fn counts_by_namespace() -> bool {
    let release = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap();
    let mut numbers = release.split(['.', '-']).map(|number| number.trim().parse::<u32>().unwrap_or(0));
    (numbers.next(), numbers.next()) >= (Some(5), Some(14))
}

fn check_users(sandbox: &str) {
    let users = users(sandbox);
    let ours = geteuid();
    let own = ours.is_root();
    let tasks = (64 * limits::TASKS).to_string();
    // A user who isn't root is counted in bubblewrap's own namespace, by kernels that can.
    let apart = sandbox == "bwrap" && !ours.is_root() && counts_by_namespace();
    for (said, most, told) in &users {
        assert_eq!(*most == tasks, own || apart, "{users:?}");
        let wanted = told.map_or(ours.as_raw(), |user| u32::try_from(user).unwrap());
        assert_eq!((*said, told.is_some()), (wanted, own), "{sandbox}: {users:?}");
    }
    let mut different: Vec<u32> = users.iter().map(|(said, ..)| *said).collect();
    different.sort_unstable();
    different.dedup();
    assert_eq!(different.len(), if own { users.len() } else { 1 }, "{users:?}");
}

#[test]
fn as_root_each_team_has_a_user_of_its_own_in_bubblewrap() {
    if works() {
        check_users("bwrap");
    }
}

#[test]
fn as_root_each_team_has_a_user_of_its_own_in_landlock() {
    match fence::find() {
        Ok(_) => check_users("landlock"),
        Err(why) => eprintln!("{why}, so it is not tested"),
    }
}

#[test]
fn as_root_a_bot_that_no_other_user_may_read_is_not_played_and_the_remedy_is_told() {
    if !geteuid().is_root() || !works() {
        return eprintln!("only root's arena has other users to give");
    }
    let mut stage = Stage::new();
    stage.player("ada");
    let script = stage.bench.script("own", &format!("id -u\nexec {} \"$@\"\n", client()));
    fs::set_permissions(&script, fs::Permissions::from_mode(0o700)).unwrap();
    stage.add("bob", &crate::support::quoted(&script), "");
    stage.planned("night", &["--seeds", "1"]);
    let finished = stage.run("night", &["--sandbox", "bwrap", "--strict"]);
    assert_eq!((finished.code(), stage.played("night")), (1, 0), "{} {}", finished.stdout, finished.stderr);
    let failed = stage.status("night")["failed"].to_string();
    let why = format!("the sandbox hides {} from that user; make it readable for all", script.display());
    assert!(failed.contains(&why), "{failed}");
}

#[test]
fn also_below_a_folder_that_no_other_user_may_pass_each_team_has_a_user_of_its_own() {
    if !geteuid().is_root() || !super::sandbox::has_landlock() {
        return eprintln!("only root's arena has other users to give");
    }
    let mut stage = Stage::new();
    for name in ["ada", "bob"] {
        stage.script(name, &format!("id -u\nexec {} \"$@\" # {name}", client()), "");
    }
    fs::set_permissions(stage.bench.folder.path(), fs::Permissions::from_mode(0o700)).unwrap();
    stage.planned("night", &["--seeds", "1"]);
    let finished = stage.run("night", &["--sandbox", "landlock", "--strict"]);
    assert_eq!(finished.code(), 0, "{} {}", finished.stdout, finished.stderr);
    for (said, team) in told(&stage, "night", "bob") {
        let user = team["user"].as_u64().unwrap();
        assert!(user != 0 && said.starts_with(&format!("{user}\n")), "{said} {team}");
    }
}

#[test]
fn at_the_start_it_is_told_what_is_missing_here() {
    let mut stage = Stage::new();
    ["ada", "bob"].into_iter().for_each(|name| stage.player(name));
    stage.planned("night", &["--seeds", "1"]);
    fs::set_permissions(stage.out("night"), fs::Permissions::from_mode(0o755)).unwrap();
    let finished = stage.run("night", &["--sandbox", "none"]);
    let told: Vec<&str> = finished.stderr.lines().filter(|line| line.contains("missing here: ")).collect();
    let [told] = told[..] else { panic!("{}", finished.stderr) };
    let whose = if geteuid().is_root() {
        "may do everything, since the arena is root's"
    } else {
        "may do what you may"
    };
    assert!(told.contains(whose) && told.contains("chmod 700"), "{told}");
    assert!(!told.contains("a user of its own"), "{told}");
}

#[test]
fn without_bubblewrap_nothing_is_played_in_it() {
    let mut stage = Stage::new();
    stage.player("ada");
    stage.script("bob", "exit 1", "");
    stage.planned("night", &["--seeds", "1"]);
    let mut command = Command::new(ARENA);
    command.args(["tournament", "run", "--sandbox", "bwrap"]).arg(stage.out("night"));
    let finished = Running::start(command.env("PATH", stage.out("nothing"))).finish();
    assert_eq!((finished.code(), stage.played("night"), stage.starts()), (2, 0, 0), "{}", finished.stderr);
    let remedy = "--sandbox: bwrap is not installed; install bubblewrap, or say --sandbox none";
    assert!(finished.error().starts_with(remedy), "{}", finished.stderr);
}

#[test]
fn what_gives_marks_asks_for_containment_unless_it_is_told_otherwise() {
    for command in [&["tournament", "run"][..], &["grade"], &["compare"]] {
        let help = Running::start(Command::new(ARENA).args(command).arg("--help")).finish();
        let (_, sandbox) = help.stdout.split_once("--sandbox <").unwrap();
        let (_, default) = sandbox.split_once("[default: ").unwrap();
        assert!(default.starts_with("auto]"), "{command:?}: {sandbox}");
    }
}
