//! A disk without room: the run stops at once and says so, and goes on when there is room again.

use std::process::{Command, Stdio};

use super::stage::{SMALL, Stage, WHOLE};
use crate::support::{ARENA, Running, names};

/// Runs a script in a namespace in which it may mount; `None` where the system doesn't let this user.
fn unshare(script: &str) -> Option<Command> {
    let flags = [&["-m"][..], &["-r", "-m"]];
    let may = |flags: &&&[&str]| {
        let mut trial = Command::new("unshare");
        trial.args(**flags).args(["sh", "-c", "mount -t tmpfs none /mnt"]);
        trial
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|end| end.success())
    };
    let flags = flags.iter().find(may)?;
    let mut command = Command::new("unshare");
    command.args(*flags).args(["sh", "-c", script, ARENA]);
    Some(command)
}

#[test]
fn a_full_disk_stops_the_run_at_once_and_no_bot_is_blamed() {
    let script = "
mount -t tmpfs -o size=4m none \"$1\" || exit 9
\"$0\" tournament plan --bots \"$2\" --out \"$1/night\" --seeds 3 $3 || exit 8
head -c 3500000 /dev/zero >\"$1/filler\"
\"$0\" tournament run \"$1/night\" --jobs 1 --sandbox none
echo \"ended with $?\"
ls \"$1/night\" \"$1/night/results\"
rm \"$1/filler\"
\"$0\" tournament run \"$1/night\" --jobs 1 --sandbox none
";
    let Some(mut command) = unshare(script) else {
        eprintln!("this user may mount nothing, so no disk is filled");
        return;
    };
    let mut stage = Stage::new();
    for name in ["ada", "bob"] {
        stage.player(name);
        std::fs::write(stage.out(name).join("book"), vec![b'x'; 400_000]).unwrap();
    }
    let small = stage.out("small");
    std::fs::create_dir(&small).unwrap();
    command.arg(&small).arg(stage.out("bots.toml")).arg(SMALL.join(" "));
    let finished = Running::start(&mut command).finish_within(WHOLE);
    assert_eq!(finished.code(), 0, "{}\n{}", finished.stdout, finished.stderr);
    let told =
        format!("zappy_arena: {}/night: no space is left there; free some and run it again", small.display());
    assert_eq!(finished.stderr.matches(&told).count(), 1, "{}", finished.stderr);
    assert!(!finished.stderr.contains("tries left"), "{}", finished.stderr);
    let (first, second) = finished.stdout.split_once("ended with 1\n").unwrap();
    // Neither is a bot blamed, nor a match called failed.
    let blamed = |text: &str| text.contains("misbehaved") || text.lines().any(|line| line == "failed");
    assert!(!blamed(first) && !blamed(second), "{}", finished.stdout);
    assert!(second.contains("6 matches planned: 6 played, 0 missing, 0 failed"), "{second}");
    assert_eq!(names(&small), [""; 0], "it was mounted for the script alone");
}
