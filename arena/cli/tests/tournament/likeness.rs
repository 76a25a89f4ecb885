//! A bot that is another one under another name has no point: by its files, by what it runs in its matches, or by how it plays.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use super::grade::{grade, json};
use super::stage::Stage;
use crate::support::{client, interpreter};

/// Packs a program.
const PACK: &str =
    "import sys, zlib; open(sys.argv[2], 'wb').write(zlib.compress(open(sys.argv[1], 'rb').read(), 1))";

/// A match in which enough is said to tell players apart.
const LONG: [&str; 10] =
    ["--first", "1", "--pass", "0", "--seeds", "1", "--clients", "2", "--max-ticks", "700"];

#[test]
fn our_client_with_a_byte_more_has_no_point_unless_that_is_accepted() {
    let mut stage = Stage::new();
    stage.player_of("twin", "easy");
    let against = stage.out("bots.toml").display().to_string();
    fs::create_dir(stage.out("mine")).unwrap();
    let program = stage.out("mine/bot");
    fs::copy(client().trim_matches('\''), &program).unwrap();
    let mut bytes = fs::read(&program).unwrap();
    bytes.push(b'x');
    // As another program writes it: see `Bench::script`.
    fs::write(stage.out("bytes"), bytes).unwrap();
    let copied = Command::new("cp").arg(stage.out("bytes")).arg(&program).status().unwrap();
    assert!(copied.success());
    let folder = stage.out("mine").display().to_string();
    let flags = ["--against", &against, "--folder", &folder, "--seeds", "1"];
    let finished = grade(&stage, "./bot --level expert", "g", &flags);
    assert_eq!(finished.code(), 0, "{}", finished.stderr);
    let graded = json(&stage, "g");
    assert_eq!((&graded["points"], &graded["looks_like"]), (&json!(0), &json!("zappy_ai")), "{graded:#}");
    assert_eq!(graded["opponents"][0]["verdict"], "no, looks like another");
    let words = "looks like zappy_ai: it is that program";
    assert!(finished.stdout.contains(words), "{}", finished.stdout);
    let page = fs::read_to_string(stage.out("g/merged/index.html")).unwrap();
    assert!(page.contains("Looks like zappy_ai") && !page.contains("--accept"), "{page}");
    let accepted =
        grade(&stage, "./bot --level expert", "g", &[&flags[..], &["--accept-lookalikes"]].concat());
    assert_eq!(accepted.code(), 0, "{}", accepted.stderr);
    let graded = json(&stage, "g");
    assert_eq!((&graded["looks_like"], &graded["likeness_accepted"]), (&json!("zappy_ai"), &json!(true)));
    assert_ne!(graded["opponents"][0]["verdict"], "no, looks like another");
}

/// Grades what lies in the folder of that name, which is started so, against `bots.toml`; gives what it looks like.
fn looks_like(stage: &Stage, name: &str, command: &str) -> Value {
    let [against, folder] = ["bots.toml", name].map(|name| stage.out(name).display().to_string());
    let flags = [&["--against", &against, "--folder", &folder][..], &LONG].concat();
    let finished = grade(stage, command, &format!("g-{name}"), &flags);
    assert_eq!(finished.code(), 0, "{}", finished.stderr);
    let graded = json(stage, &format!("g-{name}"));
    assert_eq!(graded["points"] == 0, graded["looks_like"] != Value::Null, "{graded:#}");
    graded["looks_like"].clone()
}

#[test]
fn a_bot_that_plays_as_an_opponent_or_a_level_of_our_client_does_in_every_seat_is_named() {
    let mut stage = Stage::new();
    stage.player_of("easy", "easy");
    stage.player_of("house", "hard");
    for (name, level, like) in [("copy", "hard", "house"), ("level", "medium", "zappy_ai --level medium")] {
        fs::create_dir(stage.out(name)).unwrap();
        stage
            .bench
            .script(&format!("{name}/run"), &format!("# my own\nexec {} --level {level} \"$@\"\n", client()));
        assert_eq!(looks_like(&stage, name, "./run"), like);
    }
}

#[test]
fn our_client_is_named_however_it_is_packed_and_a_starter_is_not() {
    let Some(interpreter) = interpreter() else {
        return eprintln!("there is no python3, so nothing is packed with it");
    };
    let mut stage = Stage::new();
    stage.player_of("easy", "easy");
    let unpack = "import os, sys, tempfile, zlib\n\
        file, path = tempfile.mkstemp(dir='.')\n\
        os.write(file, zlib.decompress(open('data', 'rb').read())); os.close(file); os.chmod(path, 0o755)\n\
        os.execv(path, [path, '--level', 'expert'] + sys.argv[1:])\n";
    let beside = "import os, sys\nos.chmod('data', 0o755); os.execv('./data', ['data', '--level', 'hard'] + sys.argv[1:])\n";
    let starter = fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ai-client/starters/python/bot.py"),
    );
    let program = client().trim_matches('\'').to_owned();
    for (name, bot, like) in [
        ("packed", unpack, json!("zappy_ai --level expert")),
        ("beside", beside, json!("zappy_ai")),
        ("starter", &starter.unwrap(), Value::Null),
    ] {
        fs::create_dir(stage.out(name)).unwrap();
        fs::write(stage.out(name).join("bot.py"), bot).unwrap();
        let data = stage.out(name).join("data");
        match name {
            "packed" => {
                let python = Command::new("python3").args(["-c", PACK, &program]).arg(data).status();
                assert!(python.unwrap().success());
            }
            "beside" => fs::write(data, [&fs::read(&program).unwrap()[..], b"more"].concat()).unwrap(),
            _ => {}
        }
        let command = format!("{interpreter} bot.py -p {{port}} -n {{team}} -h {{host}}");
        assert_eq!(looks_like(&stage, name, &command), like, "{name}");
    }
}

/// Unpacks our client into its folder, under another name and with a byte more.
const UNPACK: &str = "import os, sys, tempfile, zlib
def unpacked():
    file, path = tempfile.mkstemp(dir='.')
    os.write(file, zlib.decompress(open('data', 'rb').read()) + b'x')
    os.close(file)
    os.chmod(path, 0o755)
    return path
";
/// Becomes it, with chance of its own.
const OWN_SEED: &str = "os.environ['ZAPPY_SEED'] = '99'
path = unpacked()
os.execv(path, ['bot', '--level', 'expert', '--seed', '99'] + sys.argv[1:])
";
/// The same from a file that has no name.
const NAMELESS: &str = "file = os.memfd_create('bot', 0)
os.write(file, open(unpacked(), 'rb').read())
os.environ['ZAPPY_SEED'] = '99'
os.execv(f'/proc/self/fd/{file}', ['bot', '--level', 'expert', '--seed', '99'] + sys.argv[1:])
";
/// Carries its lines, and removes its file when it runs.
const RELAY: &str = "import socket, subprocess, threading
port, host = int(sys.argv[sys.argv.index('-p') + 1]), sys.argv[sys.argv.index('-h') + 1]
team = sys.argv[sys.argv.index('-n') + 1]
listener = socket.create_server(('127.0.0.1', 0))
path = unpacked()
flags = ['--level', 'expert', '--seed', '99', '-p', str(listener.getsockname()[1]), '-n', team, '-h', '127.0.0.1']
child = subprocess.Popen([path] + flags)
os.remove(path)
def carry(one, other):
    try:
        while data := one.recv(4096):
            other.sendall(data)
        other.shutdown(socket.SHUT_WR)
    except OSError:
        pass
def accept():
    while True:
        one = listener.accept()[0]
        other = socket.create_connection((host, port))
        for pair in (one, other), (other, one):
            threading.Thread(target=carry, args=pair, daemon=True).start()
threading.Thread(target=accept, daemon=True).start()
child.wait()
";

#[test]
fn our_client_is_named_when_it_runs_however_it_was_packed_and_whatever_its_seed() {
    let Some(interpreter) = interpreter() else {
        return eprintln!("there is no python3, so nothing is packed with it");
    };
    let mut stage = Stage::new();
    stage.player_of("easy", "easy");
    for (name, run) in [("own-seed", OWN_SEED), ("nameless", NAMELESS), ("relayed", RELAY)] {
        fs::create_dir(stage.out(name)).unwrap();
        fs::write(stage.out(name).join("bot.py"), UNPACK.to_owned() + run).unwrap();
        let mut python = Command::new("python3");
        python.args(["-c", PACK, client().trim_matches('\'')]);
        assert!(python.arg(stage.out(name).join("data")).status().unwrap().success());
        let command = format!("{interpreter} bot.py -p {{port}} -n {{team}} -h {{host}}");
        assert_eq!(looks_like(&stage, name, &command), json!("zappy_ai"), "{name}");
    }
}
