//! What the arena prints for people to start a program with, read back.

/// What the arena says to a program that people start.
pub struct Call {
    pub arguments: Vec<String>,
    pub variables: Vec<(String, String)>,
}

/// What it said for that team, once it has.
pub fn call(stderr: &str, team: &str) -> Option<Call> {
    let told = stderr.split("waiting for ").skip(1).find(|told| told.contains(&format!(" of {team};")))?;
    let mut lines = told.lines().skip(1).filter(|line| line.starts_with("  "));
    let arguments = shlex::split(lines.next()?)?;
    let pairs = shlex::split(lines.next()?)?;
    let variables = pairs
        .iter()
        .filter_map(|pair| pair.split_once('='))
        .map(|(name, value)| (name.to_owned(), value.to_owned()));
    Some(Call { arguments, variables: variables.collect() })
}
