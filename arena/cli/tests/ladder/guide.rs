//! What `docs/ladder.md` tells a newcomer to type comes to a rating on a page, word by word; only ports and hosts are this machine's,
//! and the match is short.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use crate::support::{ARENA, Bench, Running, binary, interpreter, run, wait_for};

/// The page at that address of the site.
fn page(port: u16, address: &str) -> String {
    let mut site = TcpStream::connect(("127.0.0.1", port)).unwrap();
    write!(site, "GET {address} HTTP/1.0\r\nHost: localhost:{port}\r\n\r\n").unwrap();
    let mut page = String::new();
    site.read_to_string(&mut page).unwrap();
    page
}

#[test]
fn a_newcomer_comes_from_nothing_to_a_rating_on_a_page() {
    let Some(python) = interpreter() else {
        return eprintln!("there is no python3, so the guide isn't followed");
    };
    let (bench, root) = (Bench::new(), Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."));
    let root = fs::canonicalize(root).unwrap();
    let clone = bench.path("clone");
    fs::create_dir(&clone).unwrap();
    symlink(root.join("ai-client"), clone.join("ai-client")).unwrap();
    let guide = fs::read_to_string(root.join("docs/ladder.md")).unwrap();
    let block = guide.split("```sh\n").nth(1).unwrap().split("```").next().unwrap();
    let free = || TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port().to_string();
    let (port, site) = (free(), free());
    let (mut tokens, mut running) = (BTreeMap::<String, String>::new(), Vec::new());
    for line in block.lines() {
        let typed = line.split(" #").next().unwrap().replace("arena.example.org", "127.0.0.1");
        let mut typed = typed.replace("4242", &port);
        for (name, login) in &tokens {
            typed = typed.replace(&format!("{name}:TOKEN"), login);
        }
        let words = shlex::split(&typed).unwrap();
        let program = match &*words[0] {
            "./zappy_arena" => Path::new(ARENA).to_path_buf(),
            "./zappy_ai" => binary("zappy-ai", "zappy_ai"),
            "./zappy_site" => binary("zappy-site", "zappy_site"),
            other => {
                assert_eq!(other, "python3");
                shlex::split(python).unwrap().remove(0).into()
            }
        };
        let mut command = Command::new(program);
        command.args(&words[1..]).current_dir(&clone);
        if words.contains(&"--add".to_owned()) {
            let added = run(&mut command);
            let login = added.stdout.trim().to_owned();
            tokens.insert(login.split(':').next().unwrap().to_owned(), login);
            continue;
        }
        match &*words[0] {
            "./zappy_arena" => {
                command.args(["--merge-every", "1", "--max-ticks", "300", "--bind", "127.0.0.1"])
            }
            "./zappy_site" => command.args(["--listen", &format!("127.0.0.1:{site}")]),
            _ => &mut command,
        };
        running.push(Running::start(&mut command));
        // A newcomer types slowly; the host and the site have begun by then.
        let begins = if words[0] == "./zappy_site" { &site } else { &port };
        wait_for("the port", || TcpStream::connect(("127.0.0.1", begins.parse().unwrap())).ok());
    }
    assert_eq!((tokens.len(), running.len()), (2, 4));
    let site: u16 = site.parse().unwrap();
    wait_for("the ladder on the site", || page(site, "/").contains("href=\"/folder\"").then_some(()));
    wait_for("the ratings", || {
        let told = page(site, "/folder");
        (told.contains("ada") && told.contains("bob") && told.matches(" ±").count() >= 2).then_some(())
    });
}
