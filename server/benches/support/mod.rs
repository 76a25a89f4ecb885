//! The arguments with which `cargo test` runs every test program, for programs without its harness, which are one test each.
//!
//! Tested in `tests/documents/benches.rs`.

/// Whether the test of that name isn't to run, since `cargo test` asks for a list or for other tests. Prints what it asks for.
pub fn leaves_out(test: &str) -> bool {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (runs, listed) = asked(test, &arguments);
    if let Some(line) = listed {
        println!("{line}");
    }
    !runs
}

/// Whether these arguments have the test run, and what they have it print.
pub fn asked(test: &str, arguments: &[String]) -> (bool, Option<String>) {
    if arguments.iter().any(|argument| argument == "--bench") {
        return (true, None);
    }
    let given = |flag: &str| arguments.iter().any(|argument| argument == flag);
    let named = |word: &str| if given("--exact") { word == test } else { test.contains(word) };
    let (mut wanted, mut left_out) = (Vec::new(), given("--ignored"));
    let mut words = arguments.iter().map(String::as_str);
    while let Some(word) = words.next() {
        match word {
            "--skip" => left_out |= words.next().is_some_and(named),
            "--format" | "--test-threads" | "--color" | "--logfile" | "--shuffle-seed" | "-Z" => {
                words.next();
            }
            flag if flag.starts_with('-') => {}
            filter => wanted.push(named(filter)),
        }
    }
    let runs = !left_out && (wanted.is_empty() || wanted.contains(&true));
    let listed = (given("--list") && runs).then(|| format!("{test}: test"));
    (runs && !given("--list"), listed)
}
