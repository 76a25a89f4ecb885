//! The table of limits in `ARCHITECTURE.md` says what the constants in the sources say.
//!
//! Below a heading that names folders, each row names its constants and then their values in the same order. A
//! constant is `file::NAME`, or `Type::NAME` where it belongs to a type; a field of a file's default `Limits` counts as
//! a constant too. Reads the sources as text and compiles nothing.

use std::path::Path;

use super::{root, sources};

/// Folders in which every constant that is called a limit must be in the table.
const WHOLE: [&str; 6] = ["protocol", "games/game", "games/turns", "games/zappy", "games/conquest", "server"];

/// A number as written: a time in milliseconds, or a count; bytes are counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Amount {
    Microseconds(u128),
    Count(u128),
}

/// A constant, or a field of a default `Limits`.
struct Definition {
    /// The file without its ending, or the folder of a `mod.rs` or `lib.rs`.
    file: String,
    /// The type to which it belongs.
    owner: String,
    name: String,
    expression: String,
}

/// All definitions below a crate's source folder, tests aside.
fn definitions(folder: &str) -> Vec<Definition> {
    let source = root().join(folder).join("src");
    let mut found = Vec::new();
    for path in sources(&source) {
        let is_test = |part: &std::ffi::OsStr| part.to_string_lossy().contains("test");
        if path.strip_prefix(&source).unwrap().iter().any(is_test) {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        let stem = |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        // A seam to the operating system has a body for each, and one name.
        let bodies = ["mod", "unix", "linux", "windows", "elsewhere"];
        let file = match &*stem(&path) {
            "lib" => stem(Path::new(folder)),
            body if bodies.contains(&body) => stem(path.parent().unwrap()),
            file => file.to_owned(),
        };
        found.extend(definitions_in(&file, text));
    }
    found
}

fn definitions_in(file: &str, text: &str) -> Vec<Definition> {
    let mut found = Vec::new();
    let define = |owner: &str, name: &str, expression: &str| Definition {
        file: file.to_owned(),
        owner: owner.to_owned(),
        name: name.to_owned(),
        expression: expression.split_whitespace().collect::<Vec<_>>().join(" "),
    };
    for (at, _) in text.match_indices("const ") {
        let before = text[..at].rsplit('\n').next().unwrap_or_default().trim_start();
        let declared = text[at..].trim_start_matches("const ").split_once('=');
        let Some((head, rest)) = declared.filter(|_| before.is_empty() || before.starts_with("pub")) else {
            continue;
        };
        let (name, expression) = (head.split(": ").next(), rest.split(';').next());
        // A function that is `const` has no name of this form.
        let Some((name, expression)) = name.filter(|name| !name.contains(' ')).zip(expression) else {
            continue;
        };
        let block = text[..at].rsplit_once("\nimpl ").map(|(_, block)| block);
        let block = block.filter(|block| !block.contains("\n}\n")).unwrap_or_default();
        found.push(define(block.split([' ', '<']).next().unwrap_or_default(), name, expression));
    }
    // `Limits { … }` behind `-> Limits` or `: Limits =` holds the defaults.
    let defaults = ["fn default() -> Limits {", "const DEFAULT: Limits ="];
    for behind in defaults.iter().flat_map(|start| text.split(start).skip(1)) {
        let literal = behind.split_once("Limits {").and_then(|(_, rest)| rest.split_once('}'));
        let fields = literal.map_or("", |(fields, _)| fields).split(',');
        let fields = fields.filter_map(|field| field.trim().split_once(": "));
        found.extend(fields.map(|(name, expression)| define("Limits", name, expression)));
    }
    found
}

/// The definition to which a table's name leads.
fn find<'a>(known: &'a [Definition], name: &str) -> Result<&'a Definition, String> {
    let (place, name) = name.split_once("::").ok_or_else(|| format!("{name} has no file before its name"))?;
    let fits = |one: &&Definition| one.name == name && (one.file == place || one.owner == place);
    match known.iter().filter(fits).collect::<Vec<_>>()[..] {
        [one] => Ok(one),
        [] => Err(format!("there is no {place}::{name}")),
        _ => Err(format!("there are several {place}::{name}")),
    }
}

/// The value of an expression of whole numbers, times and other constants.
struct Reader<'a> {
    known: &'a [Definition],
    file: &'a str,
    rest: &'a str,
}

impl Reader<'_> {
    fn value(known: &[Definition], definition: &Definition) -> Option<Amount> {
        let mut reader = Reader { known, file: &definition.file, rest: &definition.expression };
        let value = reader.shifted()?;
        if !reader.rest.trim().is_empty() {
            return None;
        }
        Some(match (value, definition.name.rsplit_once('_')) {
            (Amount::Count(count), Some((_, "mib"))) => Amount::Count(count << 20),
            (Amount::Count(count), Some((_, "kib"))) => Amount::Count(count << 10),
            (Amount::Count(count), Some((_, "seconds"))) => Amount::Microseconds(count * 1_000_000),
            (value, _) => value,
        })
    }

    fn take(&mut self, sign: &str) -> bool {
        let rest = self.rest.trim_start().strip_prefix(sign);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn shifted(&mut self) -> Option<Amount> {
        let mut value = self.sum()?;
        while self.take("<<") {
            value = both(value, self.sum()?, |a, b| a << b);
        }
        Some(value)
    }

    fn sum(&mut self) -> Option<Amount> {
        let mut value = self.product()?;
        while self.take("+") {
            value = both(value, self.product()?, |a, b| a + b);
        }
        Some(value)
    }

    fn product(&mut self) -> Option<Amount> {
        let mut value = self.one()?;
        loop {
            value = if self.take("*") {
                both(value, self.one()?, |a, b| a * b)
            } else if self.take("/") {
                both(value, self.one()?, |a, b| a / b)
            } else {
                return Some(value);
            }
        }
    }

    fn word(&mut self) -> &str {
        self.rest = self.rest.trim_start();
        let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
        let (word, rest) = self.rest.split_at(self.rest.find(|c| !is_word(c)).unwrap_or(self.rest.len()));
        self.rest = rest;
        word
    }

    fn one(&mut self) -> Option<Amount> {
        if self.take("(") {
            let inside = self.shifted();
            return inside.filter(|_| self.take(")"));
        }
        let word = self.word().to_owned();
        let value = if word.starts_with(|c: char| c.is_ascii_digit()) {
            Amount::Count(word.replace('_', "").parse().ok()?)
        } else if self.take("(") {
            let inside = self.shifted().filter(|_| self.take(")"))?;
            match (word.rsplit("::").next()?, inside) {
                ("from_secs", Amount::Count(count)) => Amount::Microseconds(count * 1_000_000),
                ("from_millis", Amount::Count(count)) => Amount::Microseconds(count * 1000),
                ("from_micros", Amount::Count(count)) => Amount::Microseconds(count),
                ("Some", inside) => inside,
                _ => return None,
            }
        } else {
            self.constant(word.rsplit("::").next()?)?
        };
        if self.take("as ") {
            self.word();
        }
        Some(value)
    }

    /// Another constant, or the length of one that is an array: of the same file if it has one.
    fn constant(&mut self, name: &str) -> Option<Amount> {
        let all = || self.known.iter().filter(|one| one.name == name);
        let found = all().find(|one| one.file == self.file).or_else(|| all().next())?;
        if self.take(".len()") {
            return Some(Amount::Count(found.expression.matches("\", \"").count() as u128 + 1));
        }
        Reader::value(self.known, found)
    }
}

fn both(one: Amount, other: Amount, join: fn(u128, u128) -> u128) -> Amount {
    match (one, other) {
        (Amount::Count(one), Amount::Count(other)) => Amount::Count(join(one, other)),
        (
            Amount::Microseconds(one) | Amount::Count(one),
            Amount::Microseconds(other) | Amount::Count(other),
        ) => Amount::Microseconds(join(one, other)),
    }
}

/// The numbers of a cell, in their order; what stands in brackets or as code is left out.
fn amounts(cell: &str) -> Vec<Amount> {
    let mut plain = String::new();
    let (mut code, mut brackets) = (false, 0_u32);
    for sign in cell.chars() {
        match sign {
            '`' => code = !code,
            '(' => brackets += 1,
            ')' => brackets = brackets.saturating_sub(1),
            _ if !code && brackets == 0 => plain.push(sign),
            _ => {}
        }
    }
    let words: Vec<&str> = plain.split_whitespace().map(|word| word.trim_end_matches([',', ';'])).collect();
    let units = words.iter().skip(1).chain([&""]);
    let amount = |(word, unit): (&&str, &&str)| {
        let number: u128 = word.replace(',', "").parse().ok()?;
        Some(match *unit {
            "KiB" => Amount::Count(number << 10),
            "MiB" => Amount::Count(number << 20),
            "GiB" => Amount::Count(number << 30),
            "us" => Amount::Microseconds(number),
            "ms" => Amount::Microseconds(number * 1000),
            "s" => Amount::Microseconds(number * 1_000_000),
            "h" => Amount::Microseconds(number * 3_600_000_000),
            _ => Amount::Count(number),
        })
    };
    words.iter().zip(units).filter_map(amount).collect()
}

/// The texts that stand as code.
fn codes(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

/// What is wrong with the table.
fn check(table: &str) -> Vec<String> {
    let (mut wrong, mut named, mut known) = (Vec::new(), Vec::new(), Vec::new());
    for line in table.lines() {
        if line.starts_with("### ") {
            known = codes(line).into_iter().flat_map(definitions).collect();
        }
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let [_, limit, constants, values, _, _, _] = cells[..] else { continue };
        if limit == "limit" || limit.starts_with('-') {
            continue;
        }
        let (constants, said) = (codes(constants), amounts(values));
        named.extend(constants.iter().copied());
        if constants.len() != said.len() || constants.is_empty() {
            wrong.push(format!("{limit}: {} constants and {} values", constants.len(), said.len()));
        }
        for (constant, said) in constants.into_iter().zip(said) {
            match find(&known, constant).map(|found| (found, Reader::value(&known, found))) {
                Err(error) => wrong.push(format!("{limit}: {error}")),
                Ok((found, None)) => {
                    wrong.push(format!("{limit}: can't read {constant} = {}", found.expression));
                }
                // Some constants count seconds.
                Ok((_, Some(Amount::Count(count)))) if said == Amount::Microseconds(count * 1_000_000) => {}
                Ok((found, Some(value))) if value != said => {
                    wrong.push(format!(
                        "{limit}: {constant} is {}, the table says {values}",
                        found.expression
                    ));
                }
                Ok(_) => {}
            }
        }
    }
    for one in WHOLE.into_iter().flat_map(definitions) {
        let called = one.owner == "Limits" || one.name.starts_with("MAX_") || one.name.ends_with("LIMIT");
        let names = [&one.file, &one.owner].map(|place| format!("{place}::{}", one.name));
        if called && !names.iter().any(|name| named.contains(&name.as_str())) {
            wrong.push(format!("{} is not in the table", names[0]));
        }
    }
    wrong
}

/// The chapter of `ARCHITECTURE.md`.
fn chapter() -> String {
    let text = std::fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let (_, behind) = text.split_once("\n## Limits\n").expect("a chapter about limits");
    behind.split("\n## ").next().unwrap_or_default().to_owned()
}

#[test]
fn the_table_of_limits_says_what_the_constants_say() {
    let wrong = check(&chapter());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_wrong_row_is_named() {
    let (chapter, row) = (chapter(), "| a map's side | `config::MAX_SIDE` | 500 |");
    assert!(chapter.contains(row), "the row that this test changes is gone");
    let said = |other: &str| check(&chapter.replace(row, other)).join("\n");
    let wrong = said("| a map's side | `config::MAX_SIDE` | 501 |");
    assert_eq!(wrong, "a map's side: config::MAX_SIDE is 500, the table says 501");
    let wrong = said("| a map's side | `config::MAX_SIDES` | 500 |");
    assert_eq!(wrong, "a map's side: there is no config::MAX_SIDES\nconfig::MAX_SIDE is not in the table");
    assert_eq!(said("| a map's side | `config::MAX_SIDE` | |"), "a map's side: 1 constants and 0 values");
}

#[test]
fn expressions_and_cells_are_read() {
    let text = "const A: u64 = 2 * (1 + 3) << 10;\n/// B.\npub(super) const B: Duration =\n    Duration::from_secs(A / 4096);\n\
                impl C {\n    pub const D: usize = NAMES.len();\n}\nconst NAMES: [&str; 3] = [\"a\", \"b\", \"c\"];\n\
                impl Default for Limits {\n    fn default() -> Limits {\n        Limits { e_mib: Some(3), f: A as usize }\n    }\n}\n";
    let known = definitions_in("x", text);
    let value = |name| find(&known, name).ok().and_then(|found| Reader::value(&known, found));
    assert_eq!(value("x::A"), Some(Amount::Count(8192)));
    assert_eq!(value("x::B"), Some(Amount::Microseconds(2_000_000)));
    assert_eq!(value("C::D"), Some(Amount::Count(3)));
    assert_eq!(value("x::e_mib"), Some(Amount::Count(3 << 20)));
    assert_eq!(value("x::f"), Some(Amount::Count(8192)));
    let cell = "4 KiB or 1,000 ticks (`--flag 7`, 8 at most); 250 ms, 24 h";
    let [kib, ticks] = [Amount::Count(4096), Amount::Count(1000)];
    assert_eq!(
        amounts(cell),
        [kib, ticks, Amount::Microseconds(250_000), Amount::Microseconds(86_400_000_000)]
    );
}
