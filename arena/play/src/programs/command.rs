//! How a bot's command is read: split as a shell would, its placeholders filled in, its program found.
//!
//! Never runs anything, and never hands anything to a shell. Tested in this module.

use std::ffi::OsString;
use std::io::Read;
use std::path::{Path, PathBuf};

use zappy_protocol::TeamName;
use zappy_server::files;

use crate::Error;
use crate::os::{may_run, spellings};

const PLACEHOLDERS: [&str; 4] = ["{host}", "{port}", "{team}", "{seed}"];
/// The word that stands in the place of a command where people start the program themselves.
pub const ATTACH: &str = "@attach";
/// The kernel reads only this many bytes of a script's first line.
const FIRST_LINE: u64 = 256;
/// Endings of scripts, which an interpreter in PATH runs.
const SCRIPTS: [&str; 13] =
    ["py", "js", "mjs", "cjs", "ts", "rb", "pl", "lua", "php", "sh", "bash", "jar", "exs"];
/// The quotes and dashes of word processors, each group before the plain one that is meant.
const TYPESET: [(&[char], &str); 4] = [
    (&['\u{201c}', '\u{201d}', '\u{201e}'], "\""),
    (&['\u{2018}', '\u{2019}', '\u{201a}'], "'"),
    (&['\u{2010}', '\u{2011}', '\u{2013}', '\u{2212}'], "-"),
    (&['\u{2014}'], "--"),
];
/// Words between which shells run several programs.
const BETWEEN: [&str; 5] = ["|", "||", "&&", "&", ";"];
/// The characters that end a line, those of Windows among them.
const LINE_END: [char; 2] = ['\r', '\n'];
/// The first this many of the placeholders tell a program where to connect, and as which team.
const WHERE: usize = 3;

/// The values of the placeholders.
#[derive(Debug, Clone, Copy)]
pub struct Values<'a> {
    pub host: &'a str,
    pub port: u16,
    /// The team; an observer has none.
    pub team: Option<&'a TeamName>,
    /// The seed of the program's own random numbers.
    pub seed: u64,
}

/// A command in which the placeholders aren't filled in yet.
#[derive(Debug, Clone)]
pub struct Template {
    /// The command as it was written.
    text: String,
    words: Vec<String>,
    program: PathBuf,
}

impl Template {
    /// Splits the command and finds its program.
    ///
    /// # Errors
    /// When a quote stays open or there is no such program.
    pub fn parse(whose: &str, text: &str) -> Result<Template, Error> {
        Template::parse_in(whose, text, Path::new(""))
    }

    /// The same for a command that runs in that folder: a relative path to its program starts there.
    ///
    /// # Errors
    /// When a quote stays open or there is no such program.
    pub fn parse_in(whose: &str, text: &str, folder: &Path) -> Result<Template, Error> {
        let words = split(whose, text)?;
        if words[0] == ATTACH || words[0].starts_with(&format!("{ATTACH}:")) {
            return Err(Error::Attached(whose.into()));
        }
        // A word with blanks may be a script for another program, in which anything may stand.
        let unknown = words.iter().filter(|word| !word.contains(char::is_whitespace)).find_map(|word| {
            let begins = word.match_indices('{').map(|(at, _)| at).filter(|at| !word[..*at].ends_with('$'));
            let mut parts = begins.filter_map(|at| Some(&word[at..=at + word[at..].find('}')?]));
            parts.find(|part| {
                let name = &part[1..part.len() - 1];
                let is_name = name.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'_');
                is_name && !name.is_empty() && !PLACEHOLDERS.contains(part)
            })
        });
        if let Some(found) = unknown {
            return Err(Error::NoPlaceholder(whose.into(), found.to_owned()));
        }
        let program = find(whose, &words[0], folder)?;
        Ok(Template { text: text.trim_end_matches(LINE_END).into(), words, program })
    }

    /// The same template, or an error if its script is missing. A program from PATH counts as an interpreter; its script is the
    /// first argument that is no option, if that has a script's ending.
    pub fn with_script(self, whose: &str, folder: &Path) -> Result<Template, Error> {
        let script = self.words.iter().skip(1).find(|word| !word.starts_with('-'));
        let is_script = |word: &&String| {
            let ending = Path::new(word).extension().and_then(|ending| ending.to_str());
            !word.contains(['{', ' ']) && ending.is_some_and(|ending| SCRIPTS.contains(&ending))
        };
        let runs_others = !self.words[0].contains('/') || is_on_path(&self.program);
        match script.filter(|_| runs_others).filter(is_script).filter(|script| !folder.join(script).exists())
        {
            None => Ok(self),
            Some(script) => {
                // An empty path, which stands for the working directory, can't be made absolute.
                let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
                let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf());
                Err(Error::NoScript(whose.into(), script.clone(), folder))
            }
        }
    }

    /// The template that stands for a program that people start themselves.
    pub fn attached(text: &str) -> Template {
        Template { text: text.into(), words: vec![text.into()], program: PathBuf::new() }
    }

    /// The template of a command that names its program by a path from that folder, without looking whether it is there; `None`
    /// if the command can't be split or names its program without a path.
    pub fn unfound(text: &str, folder: &Path) -> Option<Template> {
        let words = split("", text).ok().filter(|words| words[0].contains('/'))?;
        Some(Template { text: text.into(), program: folder.join(&words[0]), words })
    }

    /// The same template, shown to people as this text.
    #[must_use]
    pub fn written(self, text: &str) -> Template {
        Template { text: text.into(), ..self }
    }

    /// The program, as an absolute path.
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// The command as it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The program and its arguments. Without a placeholder for host, port or team the subject's flags are
    /// appended.
    pub fn fill(&self, values: Values<'_>) -> (PathBuf, Vec<OsString>) {
        (self.program.clone(), fill(&self.words, values).into_iter().map(OsString::from).collect())
    }
}

/// The words of a command, at least one. A line end behind the last word is dropped.
///
/// # Errors
/// When a quote stays open or there is no word.
pub fn split(whose: &str, text: &str) -> Result<Vec<String>, Error> {
    let Some(words) = shlex::split(text.trim_end_matches(LINE_END)) else {
        return Err(Error::BadQuote(whose.into(), text.into()));
    };
    if words.is_empty() {
        return Err(Error::EmptyCommand(whose.into()));
    }
    // With its backslashes kept, a word outside of quotes is the same as between two blanks.
    let unquoted = shlex::split(&text.replace('\\', r"\\")).unwrap_or_default();
    let mut bare = text.split_whitespace().filter(|word| unquoted.iter().any(|whole| whole == word));
    match bare.find_map(mistake_in) {
        Some(what) => Err(Error::Flag(format!("{whose}: {what}"))),
        None => Ok(words),
    }
}

/// What is wrong with a word from a word processor, or one for a shell or Windows, with the remedy; `None` for other words.
fn mistake_in(word: &str) -> Option<String> {
    let [double, single, dash, long_dash] = TYPESET.map(|(typeset, _)| typeset);
    if word.starts_with([dash, long_dash].concat().as_slice())
        || word.contains([double, single].concat().as_slice())
    {
        let plain =
            TYPESET.iter().fold(word.to_owned(), |word, (typeset, plain)| word.replace(*typeset, plain));
        return Some(format!(
            "{word} has the quotes or dashes of a word processor; write {plain}, in a plain text editor"
        ));
    }
    let opens = word.trim_start_matches(|c: char| c.is_ascii_digit() || c == '&');
    let redirects = opens.starts_with('>') || opens.starts_with('<') && !opens.ends_with('>');
    if BETWEEN.contains(&word) || redirects {
        return Some(format!(
            "{word} is for a shell, and no shell reads the command; leave it out (the output is kept anyway), or put all of it \
             into a run.sh"
        ));
    }
    let of_windows =
        word.split('\\').skip(1).any(|part| part.starts_with(|c: char| c == '.' || c.is_alphanumeric()));
    of_windows.then(|| format!("{word} has the \\ of paths in Windows; write {}", word.replace('\\', "/")))
}

/// The arguments in a command's words, filled in. Without a placeholder for host, port or team the subject's
/// flags are appended.
pub fn fill(words: &[String], values: Values<'_>) -> Vec<String> {
    let Values { host, port, team, seed } = values;
    let (port, seed) = (port.to_string(), seed.to_string());
    let name = team.map_or(zappy_protocol::OBSERVER_NAME, TeamName::as_str);
    let values = [host, &port, name, &seed];
    let mut arguments: Vec<String> = words.iter().skip(1).map(|word| replace(word, values)).collect();
    if !PLACEHOLDERS[..WHERE].iter().any(|name| words.iter().any(|word| word.contains(name))) {
        arguments.extend(["-p", &port].map(String::from));
        arguments.extend(team.into_iter().flat_map(|team| ["-n".to_owned(), team.to_string()]));
        arguments.extend(["-h", host].map(String::from));
    }
    arguments
}

/// Fills in the placeholders in one pass from left to right, so that a team called `{port}` keeps its name.
fn replace(word: &str, values: [&str; PLACEHOLDERS.len()]) -> String {
    let mut out = String::with_capacity(word.len());
    let mut rest = word;
    while let Some(c) = rest.chars().next() {
        let hit = PLACEHOLDERS.iter().zip(values).find(|(name, _)| rest.starts_with(**name));
        if let Some((name, value)) = hit {
            out.push_str(value);
            rest = &rest[name.len()..];
        } else {
            out.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    out
}

/// The path of a command's program, in that folder or in PATH. It is looked up before anything starts, so that a typing error
/// costs no match.
fn find(whose: &str, name: &str, folder: &Path) -> Result<PathBuf, Error> {
    let named: Vec<PathBuf> = if name.contains(std::path::is_separator) {
        vec![folder.join(name)]
    } else {
        let path = std::env::var_os("PATH").unwrap_or_default();
        std::env::split_paths(&path).map(|folder| folder.join(name)).collect()
    };
    let candidates: Vec<PathBuf> = named.into_iter().flat_map(spellings).collect();
    if let Some(good) = candidates.iter().find(|path| is_program(path)) {
        // A path that still holds a `/` is never looked up in PATH again.
        return Ok(std::path::absolute(good).unwrap_or_else(|_| good.clone()));
    }
    let (whose, program) = (whose.to_string(), name.to_string());
    if !name.contains(std::path::is_separator) && folder.join(name).is_file() {
        let runs = [(".py", "python3"), (".js", "node"), (".sh", "sh")].iter();
        let runs = runs.filter(|(end, _)| name.ends_with(end)).map(|(_, runs)| format!(", or {runs} {name}"));
        let words = "is a file and no program in PATH; write";
        return Err(Error::Flag(format!(
            "{whose}: {program:?} {words} ./{name}{}",
            runs.collect::<String>()
        )));
    }
    if candidates.iter().any(|path| path.is_file()) {
        return Err(Error::NotExecutable(whose, program));
    }
    Err(Error::NoProgram(whose, program))
}

/// The programs that run this one, if it is a script: `#!/usr/bin/env python3` in its first line names two. A program that
/// isn't there is left out.
pub fn interpreters(program: &Path) -> Vec<PathBuf> {
    let first = first_line(program);
    let Some(line) = first.as_ref().and_then(|line| line.strip_prefix("#!")) else { return Vec::new() };
    let mut words = line.split_ascii_whitespace();
    let interpreter = words.next().map(PathBuf::from);
    let by_name = interpreter.as_ref().filter(|path| path.ends_with("env"));
    let named = by_name.and_then(|_| words.find(|word| !word.starts_with('-') && !word.contains('=')));
    let named = named.and_then(|name| find("", name, Path::new("")).ok());
    interpreter.filter(|path| is_program(path)).into_iter().chain(named).collect()
}

/// The first line of a file, as far as the kernel reads it.
pub fn first_line(script: &Path) -> Option<String> {
    let mut head = Vec::new();
    files::open(script).and_then(|file| file.take(FIRST_LINE).read_to_end(&mut head)).ok()?;
    head.split(|&byte| byte == b'\n').next().map(|line| String::from_utf8_lossy(line).into_owned())
}

/// Whether that file lies in a folder of this user's PATH.
pub fn is_on_path(file: &Path) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| file.parent() == Some(&folder))
}

/// Whether this file can be run.
pub fn is_program(path: &Path) -> bool {
    path.is_file() && may_run(path)
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;

    fn team() -> TeamName {
        TeamName::parse(b"red").unwrap()
    }

    fn filled(text: &str) -> Vec<OsString> {
        let team = team();
        let values = Values { host: "127.0.0.1", port: 4242, team: Some(&team), seed: 7 };
        Template::parse("--bot red", text).unwrap().fill(values).1
    }

    #[test]
    fn placeholders_are_filled_in() {
        assert_eq!(filled("true --at={host}:{port} '{team} x'"), ["--at=127.0.0.1:4242", "red x"]);
    }

    #[test]
    fn without_placeholders_the_subjects_flags_are_appended() {
        assert_eq!(filled("true -v"), ["-v", "-p", "4242", "-n", "red", "-h", "127.0.0.1"]);
        let values = Values { host: "127.0.0.1", port: 4242, team: None, seed: 0 };
        let observer = Template::parse("--observer", "true").unwrap().fill(values).1;
        assert_eq!(observer, ["-p", "4242", "-h", "127.0.0.1"]);
    }

    #[test]
    fn the_line_end_of_a_file_of_windows_is_no_part_of_a_command() {
        for text in ["true {port} -h {host}\r", "true {port} -h {host}\r\n"] {
            assert_eq!(filled(text), ["4242", "-h", "127.0.0.1"], "{text:?}");
        }
        assert_eq!(filled("true\r"), ["-p", "4242", "-n", "red", "-h", "127.0.0.1"]);
        assert_eq!(Template::parse("--bot red", "true {port}\r").unwrap().text(), "true {port}");
    }

    #[test]
    fn one_placeholder_is_enough() {
        assert_eq!(filled("true {port}"), ["4242"]);
    }

    #[test]
    fn values_are_not_filled_in_again() {
        assert_eq!(replace("{team}{port}", ["h", "1", "{port}", "7"]), "{port}1");
    }

    #[test]
    fn words_are_split_as_a_shell_does_and_nothing_else_is_done() {
        assert_eq!(filled(r#"true 'a b' "c d" $HOME *  {port}"#), ["a b", "c d", "$HOME", "*", "4242"]);
    }

    #[test]
    fn a_placeholder_that_is_not_known_and_a_script_that_is_not_there_are_refused() {
        let error = |text| Template::parse("--bot red", text).unwrap_err().to_string();
        let words = "is no placeholder; there are {host}, {port}, {team} and {seed}";
        for (text, found) in
            [("true -p {prt}", "{prt}"), ("true --at={host}:{Port}", "{Port}"), ("true {name}", "{name}")]
        {
            assert_eq!(error(text), format!("--bot red: {found:?} {words}"));
        }
        for text in
            ["awk '{ print }' {port}", "sh -c 'exec ./bot ${PORT} {port} {x}'", "true {} {0} {a,b} {seed}"]
        {
            assert!(Template::parse("--bot red", text).is_ok(), "{text}");
        }
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("there.py"), "").unwrap();
        let parse =
            |text| Template::parse_in("bot ada", text, folder.path())?.with_script("bot ada", folder.path());
        let refused = parse("env -i bto.py {port}").unwrap_err().to_string();
        assert!(refused.starts_with("bot ada: there is no script \"bto.py\" in /"), "{refused}");
        let here = Template::parse("BOT", "env bto.py").unwrap().with_script("BOT", Path::new(""));
        let words =
            format!("there is no script \"bto.py\" in {};", std::env::current_dir().unwrap().display());
        assert!(here.unwrap_err().to_string().contains(&words));
        // Other arguments may name what the program is to write.
        for text in [
            "env there.py more.py",
            "env -u there.py",
            "env A=1 none.py",
            "/bin/sh {team}.py",
            "env 'a b.py'",
        ] {
            assert!(parse(text).is_ok(), "{text}");
        }
    }

    #[test]
    fn words_for_a_shell_for_windows_and_of_word_processors_are_named_unless_they_are_quoted() {
        let refused = |text| split("x", text).err().map(|error| error.to_string()).unwrap_or_default();
        for (text, words) in [
            ("true 2>/dev/null", "x: 2>/dev/null is for a shell"),
            ("true &>> log", "x: &>> is for a shell"),
            ("true <in", "x: <in is for a shell"),
            ("cd a && true", "x: && is for a shell"),
            (r"a\b.py", r"x: a\b.py has the \ of paths in Windows; write a/b.py"),
            ("true —level 1", "x: —level has the quotes or dashes of a word processor; write --level,"),
            ("true ‘a b’", "x: ‘a has the quotes or dashes of a word processor; write 'a,"),
        ] {
            assert!(refused(text).starts_with(words), "{text}: {}", refused(text));
        }
        for text in [
            r"sh -c 'printf \n 2>/dev/null && exec ./a'",
            r#"true "a\b" "– “x” > y" \> a\ b <port> -a-b é–é"#,
        ] {
            assert_eq!(refused(text), "", "{text}");
        }
    }

    #[test]
    fn what_runs_a_script_stands_in_its_first_line() {
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("script");
        let found = |text: &str| {
            std::fs::write(&script, text).unwrap();
            interpreters(&script)
        };
        let env = is_program(Path::new("/usr/bin/env")).then(|| PathBuf::from("/usr/bin/env"));
        let sh = find("", "sh", Path::new("")).unwrap();
        assert_eq!(found("#!/bin/sh -e\n"), [Path::new("/bin/sh")]);
        assert_eq!(found("#! /bin/sh"), [Path::new("/bin/sh")]);
        assert_eq!(found("#!/usr/bin/env -S A=1 sh -e\n"), env.into_iter().chain([sh]).collect::<Vec<_>>());
        for none in ["", "echo", "#!", "#!/no/such/interpreter\n", "#!no-such-path\n"] {
            assert!(found(none).is_empty(), "{none}");
        }
        assert!(interpreters(folder.path()).is_empty());
    }

    #[test]
    fn what_cannot_be_run_is_named() {
        let error = |text| Template::parse("--bot red", text).unwrap_err().to_string();
        assert!(error("true 'x").starts_with("--bot red: a quote in"));
        assert!(error("  ").starts_with("--bot red: the command is empty"));
        assert!(error("no-such-program-anywhere").starts_with("--bot red: there is no program"));
        assert!(error("/etc/passwd").starts_with("--bot red: \"/etc/passwd\" is not executable"));
    }
}
