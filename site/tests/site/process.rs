//! The program itself: its words, its exit codes, its end.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

fn site(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_zappy_site"));
    command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).stdin(Stdio::null());
    command
}

fn said(arguments: &[&str]) -> (Option<i32>, String) {
    let Output { status, stdout, stderr } = site(arguments).output().unwrap();
    (status.code(), String::from_utf8([stdout, stderr].concat()).unwrap())
}

/// Ends with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn mistakes_name_the_flag() {
    let (code, help) = said(&["--help"]);
    assert_eq!(code, Some(0));
    for flag in [
        "--folder",
        "--trust",
        "--grades",
        "--key",
        "--listen",
        "--name",
        "--viewer",
        "--max-connections",
        "--max-per-address",
    ] {
        assert!(help.contains(flag), "{flag}: {help}");
    }
    let (code, words) = said(&["--folder", "/nowhere/at/all", "--listen", "127.0.0.1:0"]);
    assert_eq!(code, Some(1));
    assert!(words.contains("zappy_site: --folder /nowhere/at/all: "), "{words}");
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    std::fs::write(at("notes.txt"), "no key").unwrap();
    std::fs::create_dir(at("in")).unwrap();
    for (flags, told) in [
        (["--trust", "/"], "--trust /: it doesn't lie in "),
        (["--trust", &at("in")], "it is no match, series, tournament"),
        (["--trust", &at("none")], "none: No such file"),
        (["--key", &at("notes.txt")], "notes.txt: others may read or write it; chmod 600"),
    ] {
        let (code, words) = said(&[&["--folder", &at(""), "--listen", "127.0.0.1:0"][..], &flags].concat());
        assert!(code == Some(1) && words.contains(told), "{flags:?}: {words}");
    }
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let (code, words) = said(&["--folder", ".", "--listen", &taken.local_addr().unwrap().to_string()]);
    assert_eq!(code, Some(1));
    assert!(words.contains("zappy_site: --listen 127.0.0.1:") && words.contains("another port"), "{words}");
    for usage in
        [["--listen", "here"], ["--max-connections", "0"], ["--max-per-address", "x"], ["--what", "x"]]
    {
        assert_eq!(said(&usage).0, Some(2), "{usage:?}");
    }
}

#[test]
fn it_ends_in_order_when_it_is_told_to() {
    for signal in [Signal::INT, Signal::TERM] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().to_str().unwrap();
        let mut running = Running(site(&["--folder", path, "--listen", "127.0.0.1:0"]).spawn().unwrap());
        let mut line = String::new();
        BufReader::new(running.0.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address =
            line.trim().strip_prefix("listening on http://").and_then(|line| line.strip_suffix('/'));
        let mut stream = TcpStream::connect(address.unwrap_or_else(|| panic!("{line}"))).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream.write_all(b"GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n").unwrap();
        let mut page = String::new();
        stream.read_to_string(&mut page).unwrap();
        assert!(page.starts_with("HTTP/1.1 200 OK"), "{page}");
        kill_process(Pid::from_child(&running.0), signal).unwrap();
        assert_eq!(running.0.wait().unwrap().code(), Some(0), "{signal:?}");
    }
}

#[test]
fn one_line_says_what_is_not_shown_and_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    for at in ["old", "older", "submissions/eve"] {
        std::fs::create_dir_all(folder.path().join(at)).unwrap();
        std::fs::write(folder.path().join(at).join("match.zrec"), "").unwrap();
    }
    let path = folder.path().to_str().unwrap();
    let mut running = Running(site(&["--folder", path, "--listen", "127.0.0.1:0"]).spawn().unwrap());
    let mut lines = BufReader::new(running.0.stderr.take().unwrap()).lines();
    let path = std::fs::canonicalize(path).unwrap();
    let path = path.display();
    let told = format!(
        "not shown, since the arena of this user hasn't signed it: {path}/old, {path}/older, {path}/submissions/eve; if you \
         trust it: --trust '{path}/old' --trust '{path}/older' --trust '{path}/submissions/eve'"
    );
    let line = lines.by_ref().map(Result::unwrap).find(|line| line.contains("not shown")).unwrap();
    assert!(line.contains(&told), "{line}");
}
