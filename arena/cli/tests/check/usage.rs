//! What `check` is given: commands, folders and flags, wrong ones with their remedy.

use std::process::Command;

use super::support::{ARENA, Bench, client, run};

#[test]
fn wrong_usage_is_refused_with_its_remedy() {
    let refused = |arguments: &[&str], words: &str| {
        let finished = run(Command::new(ARENA).arg("check").args(arguments));
        assert_eq!(finished.code(), 2, "{}", finished.stderr);
        assert!(finished.error().contains(words), "{}", finished.stderr);
    };
    refused(&[], "BOT");
    refused(
        &["sh -c true", "--only", "moon"],
        "no situation \"moon\"; zappy_arena check --game zappy --list names them",
    );
    // Without quotes, too.
    refused(&["perl", "no_such_bot.pl"], "there is no script \"no_such_bot.pl\"");
    refused(&["./bot", "--olny", "login"], "did you mean --only?");
    refused(&["./no_such_bot"], "there is no program \"./no_such_bot\"");
    refused(&["sh -c 'true"], "a quote in");
    let quotes =
        "put a command of several words between quotes, as in 'python3 bot.py -p {port} -n {team} -h {host}'";
    refused(&["python3", "bot.py", "-p", "{port}", "-n", "{team}"], quotes);
    refused(&["python3", "bot.py", "-h", "{host}"], quotes);
    refused(&["python3", "-u", "bot.py"], quotes);
    refused(&["sh bot.sh >log"], "BOT: >log is for a shell, and no shell reads the command");
    refused(&["sh -c true", "--game", "chess"], "bots are checked for zappy, conquest, not for \"chess\"");
    refused(
        &["sh -c true", "--game", "conquest", "--rules", "strict"],
        "rules is \"strict\", the rule sets are classic and arena",
    );
}

#[test]
fn a_folder_is_checked_as_it_would_be_handed_in() {
    let bench = Bench::new();
    let folder = bench.path("mine");
    let checked = |given: &str| {
        let mut command = Command::new(ARENA);
        run(command.current_dir(bench.folder.path()).args(["check", given, "--only", "login"]))
    };
    std::fs::create_dir(&folder).unwrap();
    let refused = checked("mine");
    assert!(
        refused.error().ends_with("/mine: the folder is empty; hand in all files of the bot"),
        "{}",
        refused.stderr
    );
    std::fs::write(folder.join("Makefile"), "zappy_ai:\n").unwrap();
    assert!(checked("mine").error().ends_with("if it isn't built yet, run make there first"));
    bench.script("mine/zappy_ai", &format!("exec {} \"$@\"\n", client()));
    let passed = checked("mine");
    assert_eq!(passed.code(), 0, "{}{}", passed.stdout, passed.stderr);
    bench.script("bot.sh", "true");
    assert!(
        checked("bot.sh").error().ends_with("is a file and no program in PATH; write ./bot.sh, or sh bot.sh")
    );
}
