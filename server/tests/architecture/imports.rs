//! Which file of a crate names which, read from the `use` lines and the paths in the code.
//!
//! Reads text and compiles nothing: it sees `use` trees, `crate::`, `super::` and paths that begin with a module
//! declared in the same file. Tests inside files don't count. A module may name what stands in the modules that
//! it is a part of, since a type and its `impl` blocks may stand in a file and its folder.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A module by the names that lead to it from the crate's root.
pub type Module = Vec<String>;

/// The modules of a crate and the modules that each of them names.
pub struct Imports {
    /// For each module those that it names, itself and its ancestors left out.
    pub named: BTreeMap<Module, BTreeSet<Module>>,
}

/// The code without comments, the contents of strings, and the tests at the end.
fn code(text: &str) -> String {
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let lines = text.lines().map(|line| line.split("//").next().unwrap_or_default());
    let mut out = String::new();
    for line in lines {
        for (part, inside) in line.split('"').zip([false, true].into_iter().cycle()) {
            if !inside {
                out.push_str(part);
            }
        }
        out.push('\n');
    }
    out
}

/// The module that a file holds.
fn module_of(source: &Path, file: &Path) -> Module {
    let path = file.strip_prefix(source).unwrap().with_extension("");
    let names = path.iter().map(|name| name.to_string_lossy().into_owned());
    let mut module: Module = names.collect();
    if module.last().is_some_and(|last| ["mod", "lib", "main"].contains(&last.as_str())) {
        module.pop();
    }
    module
}

/// The words of a text, each with the place behind it; `::` counts as a word.
fn words(text: &str) -> Vec<(&str, usize)> {
    let mut found = Vec::new();
    let (mut at, bytes) = (0, text.as_bytes());
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    while at < bytes.len() {
        let start = at;
        if is_word(bytes[at]) {
            while at < bytes.len() && is_word(bytes[at]) {
                at += 1;
            }
        } else if bytes[at..].starts_with(b"::") {
            at += 2;
        } else {
            at += text[at..].chars().next().map_or(1, char::len_utf8);
        }
        if !text[start..at].trim().is_empty() {
            found.push((&text[start..at], at));
        }
    }
    found
}

/// The paths that a `use` tree names; gives the place of the word behind it.
fn tree(words: &[(&str, usize)], mut at: usize, base: &Module, out: &mut Vec<Module>) -> usize {
    let mut path = base.clone();
    while let Some((word, _)) = words.get(at) {
        match *word {
            "::" => at += 1,
            "{" => {
                at += 1;
                while words.get(at).is_some_and(|(word, _)| *word != "}") {
                    at = if words[at].0 == "," { at + 1 } else { tree(words, at, &path, out) };
                }
                return at + 1;
            }
            "," | "}" | ";" => break,
            "as" => {
                at += 2;
                break;
            }
            word => {
                path.push(word.to_owned());
                at += 1;
            }
        }
    }
    out.push(path);
    at
}

/// All paths that a file's code names, as written.
fn paths(code: &str) -> Vec<Module> {
    let words = words(code);
    let (mut found, mut at) = (Vec::new(), 0);
    while at < words.len() {
        // `use<…>` in a type imports nothing.
        if words[at].0 == "use" && words.get(at + 1).is_some_and(|(next, _)| *next != "<") {
            at = tree(&words, at + 1, &Module::new(), &mut found);
        } else if words.get(at + 1).is_some_and(|(next, _)| *next == "::") {
            let mut path = vec![words[at].0.to_owned()];
            while words.get(at + 1).is_some_and(|(next, _)| *next == "::") && at + 2 < words.len() {
                path.push(words[at + 2].0.to_owned());
                at += 2;
            }
            found.push(path);
            at += 1;
        } else {
            at += 1;
        }
    }
    found
}

impl Imports {
    /// Reads the files of one crate.
    pub fn read(source: &Path, files: &[std::path::PathBuf]) -> Imports {
        let mut texts: BTreeMap<Module, String> = BTreeMap::new();
        let mut tests: Vec<Module> = Vec::new();
        for file in files {
            let text = std::fs::read_to_string(file).unwrap();
            let module = module_of(source, file);
            for line in text.split("#[cfg(test)]\n").skip(1) {
                let declared = line.lines().next().and_then(|line| line.strip_suffix(';'));
                if let Some(name) = declared.and_then(|line| line.split("mod ").nth(1)) {
                    tests.push([&module[..], &[name.to_owned()]].concat());
                }
            }
            *texts.entry(module).or_default() += &code(&text);
        }
        texts.retain(|module, _| !tests.iter().any(|test| module.starts_with(test)));
        let mut named: BTreeMap<Module, BTreeSet<Module>> = BTreeMap::new();
        for (module, text) in &texts {
            let resolved = paths(text).into_iter().filter_map(|path| resolve(module, &path, &texts));
            let others = resolved.filter(|other| !module.starts_with(other));
            named.insert(module.clone(), others.collect());
        }
        Imports { named }
    }

    /// Modules that name each other in a circle, however long; the shortest circle first.
    pub fn circles(&self) -> Vec<Vec<String>> {
        circles(&self.named)
    }

    /// The same between the folders, or files, that lie in the crate's source folder.
    pub fn room_circles(&self) -> Vec<Vec<String>> {
        let room = |module: &Module| module[..module.len().min(1)].to_vec();
        let mut rooms: BTreeMap<Module, BTreeSet<Module>> = BTreeMap::new();
        for (module, others) in self.named.iter().filter(|(module, _)| !module.is_empty()) {
            let others = others.iter().map(room).filter(|other| *other != room(module));
            rooms.entry(room(module)).or_default().extend(others);
        }
        circles(&rooms)
    }
}

/// The module of this crate that a path leads to, if it leads to one.
fn resolve(module: &Module, path: &[String], known: &BTreeMap<Module, String>) -> Option<Module> {
    let mut base = module.clone();
    let mut rest = path;
    match path.first()?.as_str() {
        "crate" => (base, rest) = (Module::new(), &path[1..]),
        "self" => rest = &path[1..],
        "super" => {
            while rest.first().is_some_and(|word| word == "super") {
                base.pop();
                rest = &rest[1..];
            }
        }
        first => {
            let child = [&base[..], &[first.to_owned()]].concat();
            known.get(&child)?;
        }
    }
    for word in rest {
        base.push(word.clone());
        if !known.contains_key(&base) {
            base.pop();
            break;
        }
    }
    known.contains_key(&base).then_some(base)
}

/// Groups of nodes that reach each other, as text.
fn circles(graph: &BTreeMap<Module, BTreeSet<Module>>) -> Vec<Vec<String>> {
    let reach = |from: &Module| {
        let (mut seen, mut todo) = (BTreeSet::new(), vec![from.clone()]);
        while let Some(next) = todo.pop() {
            for other in graph.get(&next).into_iter().flatten() {
                if seen.insert(other.clone()) {
                    todo.push(other.clone());
                }
            }
        }
        seen
    };
    let reached: BTreeMap<&Module, BTreeSet<Module>> = graph.keys().map(|node| (node, reach(node))).collect();
    let mut found: Vec<Vec<String>> = Vec::new();
    for (node, others) in &reached {
        let group: Vec<String> = others
            .iter()
            .filter(|other| reached.get(other).is_some_and(|back| back.contains(*node)))
            .map(|other| other.join("::"))
            .collect();
        if !group.is_empty() && !found.contains(&group) {
            found.push(group);
        }
    }
    found.sort_by_key(Vec::len);
    found
}

#[test]
fn imports_are_found() {
    let text =
        "use crate::a::{self, b::C, d};\nuse super::e as f;\nfn x() { crate::g::h(); y::z() } // crate::no\n";
    let found: Vec<String> = paths(&code(text)).iter().map(|path| path.join("::")).collect();
    assert_eq!(found, ["crate::a::self", "crate::a::b::C", "crate::a::d", "super::e", "crate::g::h", "y::z"]);
    let module = |path: &str| path.split("::").map(str::to_owned).collect::<Module>();
    let graph = [("a", "b"), ("b", "c"), ("c", "a"), ("d", "a")];
    let graph = graph.map(|(from, to)| (module(from), BTreeSet::from([module(to)])));
    assert_eq!(circles(&BTreeMap::from(graph)), [["a", "b", "c"]]);
}
