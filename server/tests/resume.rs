//! Servers that are killed, and matches that go on: the real binary, both games and both clocks.

#[allow(dead_code, reason = "this test uses a part of it")]
mod process;

use std::path::Path;
use std::process::{Command, Stdio};

use process::{BINARY, Client, Server};
use zappy_server::games::GAMES;
use zappy_server::record::verify;

/// How a client of a game plays.
struct Player {
    /// What it reads when it is let in, `WELCOME` and its team's name left aside.
    welcome: usize,
    /// What it sends first.
    begins: &'static str,
    /// What it sends each time, once it was sent a line that begins with `asked`.
    says: fn(&str) -> Option<String>,
    /// What it reads, sooner or later, while it plays.
    reads: &'static str,
}

const ZAPPY: Player =
    Player { welcome: 2, begins: "Inventory\n", says: |_| Some("Inventory\n".to_owned()), reads: "[ food" };
const CONQUEST: Player = Player {
    welcome: 3,
    begins: "",
    says: |line| line.strip_prefix("go ").map(|turn| format!("Done {turn}\n")),
    reads: "go ",
};

impl Player {
    fn join(&self, server: &Server, team: &str) -> Client {
        let mut client = server.connect();
        self.log_in(&mut client, team);
        client
    }

    fn log_in(&self, client: &mut Client, team: &str) {
        client.expect("WELCOME");
        client.send(&format!("{team}\n"));
        for _ in 0..self.welcome {
            assert_ne!(client.line(), "ko");
        }
    }

    /// Two clients come in, and play until each has read so many lines that show that it plays.
    fn play_both(&self, server: &Server, times: usize) -> Vec<Client> {
        std::thread::scope(|scope| {
            let both = ["red", "blue"].map(|team| {
                let mut client = server.connect();
                scope.spawn(move || {
                    self.log_in(&mut client, team);
                    client.send(self.begins);
                    self.play(&mut client, times);
                    client
                })
            });
            both.into_iter().map(|plays| plays.join().unwrap()).collect()
        })
    }

    /// Plays until so many lines that show that it plays were read.
    fn play(&self, client: &mut Client, times: usize) {
        let mut read = 0;
        while read < times {
            let line = client.line();
            read += usize::from(line.starts_with(self.reads));
            if let Some(words) = (self.says)(&line) {
                client.send(&words);
            }
        }
    }
}

fn server(flags: &str, record: &Path) -> Server {
    let mut command = Command::new(BINARY);
    command.args(["-p", "0", "--bind", "127.0.0.1"]).args(flags.split_whitespace());
    Server::spawn(command.arg(record).stdin(Stdio::piped()))
}

/// Kills a server after so many lines of two players, and goes on with its match.
fn kill_and_go_on(flags: &str, player: &Player, times: usize) {
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("match.zrec");
    let killed = server(&format!("{flags} --record-delay 0 --record"), &record);
    let clients = player.play_both(&killed, times);
    drop((killed, clients));
    let before = verify(&std::fs::read(&record).unwrap(), GAMES).unwrap();
    assert!(!before.complete, "{before:?}");

    let mut resumed = server("--resume", &record);
    resumed.expect_log("players wait for their clients");
    let clients = player.play_both(&resumed, 3);
    resumed.console("/quit");
    drop(clients);
    let (status, log) = resumed.ended();
    assert!(status.success(), "{log:#?}");
    let after = verify(&std::fs::read(&record).unwrap(), GAMES).unwrap();
    assert!(after.complete && after.ticks >= before.ticks && after.inputs > before.inputs, "{after:?}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "something is left over");
}

#[test]
fn a_killed_match_of_zappy_goes_on() {
    for times in [1, 2, 7, 30] {
        kill_and_go_on("-n red blue -c 1 -f 1000", &ZAPPY, times);
        kill_and_go_on("-n red blue -c 1 --clock lockstep", &ZAPPY, times);
    }
}

#[test]
fn a_killed_match_of_conquest_goes_on() {
    for times in [1, 2, 5] {
        kill_and_go_on("--game conquest -x 12 -y 10 -n red blue", &CONQUEST, times);
        kill_and_go_on("--game conquest -x 12 -y 10 -n red blue --clock lockstep", &CONQUEST, times);
    }
}

/// A record whose players were left alone, and the folder that holds it.
fn left_alone(flags: &str) -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("match.zrec");
    let killed = server(&format!("{flags} --record-delay 0 --record"), &record);
    let mut clients: Vec<Client> = ["red", "blue", "red"].map(|team| ZAPPY.join(&killed, team)).into();
    for client in &mut clients {
        client.send("Inventory\n");
        client.skip_to("[ food");
    }
    drop(killed);
    (folder, record)
}

#[test]
fn time_stands_still_until_all_are_back_and_the_first_orphan_is_taken_over_first() {
    let (_folder, record) = left_alone("-n red blue -c 2 -f 100000");
    let mut resumed = server("--resume", &record);
    let mut observer = resumed.connect();
    observer.expect("WELCOME");
    observer.send("GRAPHIC\n");
    observer.skip_to("pnw #0");
    let mut red = ZAPPY.join(&resumed, "red");
    resumed.expect_log("takes over player #0 of red");
    let mut stranger = resumed.connect();
    stranger.expect("WELCOME");
    stranger.send("green\n");
    stranger.expect("ko");
    let _blue = ZAPPY.join(&resumed, "blue");
    resumed.expect_log("takes over player #1 of blue");
    red.send("Connect_nbr\n");
    red.expect("0");
    // A hundred thousand ticks a second, and no player has starved: one of them is still waited for.
    observer.send("pin #2\n");
    observer.skip_to("pin #2");
    resumed.console("/resume");
    resumed.expect_log("time runs again");
    observer.skip_to("pdi #2");
    observer.skip_to("pdi #0");
    resumed.console("/quit");
    assert!(resumed.ended().0.success());
    assert!(verify(&std::fs::read(&record).unwrap(), GAMES).unwrap().complete);
}

#[test]
fn wrong_flags_and_records_are_refused_and_stay_as_they_are() {
    let (_folder, record) = left_alone("-n red blue -c 2 -f 100");
    let before = std::fs::read(&record).unwrap();
    let path = record.display().to_string();
    for (flags, words) in [
        (
            format!("--resume {path} -n red"),
            "-n can't be given with --resume: the record tells what is played",
        ),
        (format!("--resume {path} -x 12"), "-x can't be given with --resume"),
        (format!("--resume {path} -c 3"), "-c can't be given with --resume"),
        (format!("--resume {path} --record other"), "--record can't be given with --resume"),
        (format!("--resume {path} --pace 5"), "--pace belongs to the lockstep clock"),
        ("--resume /nowhere.zrec".to_owned(), "--resume /nowhere.zrec: there is no such file"),
    ] {
        let output = Command::new(BINARY).args(flags.split(' ')).stdin(Stdio::null()).output().unwrap();
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(84) && text.contains(words), "{flags}: {text}");
        assert_eq!(std::fs::read(&record).unwrap(), before, "{flags}");
    }
}
