//! No circle within a crate: neither between files nor between folders, by paths or by calls through `self`.
//!
//! A file may name what stands in the modules that it is a part of. A method that a file calls through `self` leads to
//! the file with that method, if a single other one has it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::texts::{crates, texts};

/// A module by the names that lead to it from the crate's root.
type Module = Vec<String>;

/// A source file that isn't a test.
pub struct Source {
    /// From the project's root.
    pub path: String,
    krate: String,
    module: Module,
    /// All of it but the tests at its end.
    pub text: String,
    /// Without comments and what stands in strings.
    pub code: String,
    pub paths: Vec<Module>,
}

/// The code without comments and the contents of strings.
fn code(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines().map(|line| line.split("//").next().unwrap_or_default()) {
        line.split('"').step_by(2).for_each(|part| out.push_str(part));
        out.push('\n');
    }
    out
}

/// The paths that a tree of imports stands for.
fn spelled_out(tree: &str, before: &str, out: &mut Vec<Module>) {
    let mut depth = 0;
    let parts = tree.split(|c: char| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        c == ',' && depth == 0
    });
    for part in parts.map(str::trim).filter(|part| !part.is_empty()) {
        if let Some((path, inner)) = part.split_once('{') {
            spelled_out(inner.strip_suffix('}').unwrap_or(inner), &format!("{before}{path}"), out);
        } else {
            let path = format!("{before}{}", part.split(" as ").next().unwrap_or_default());
            out.push(path.split("::").map(str::to_owned).collect());
        }
    }
}

/// The paths in the code, as written; trees of imports are spelled out.
fn paths(code: &str) -> Vec<Module> {
    let (mut found, mut rest) = (Vec::new(), String::new());
    for statement in code.split(';') {
        match statement.split_once("use ") {
            Some((before, tree)) if !before.ends_with(|c: char| c.is_alphanumeric() || c == '_') => {
                rest.push_str(before);
                spelled_out(tree, "", &mut found);
            }
            _ => rest.extend([statement, ";"]),
        }
    }
    let words = rest.split(|c: char| !(c.is_alphanumeric() || "_:".contains(c)));
    found.extend(
        words.filter(|word| word.contains("::")).map(|word| word.split("::").map(str::to_owned).collect()),
    );
    found
}

/// The methods that a file has, and those that it calls through `self`, each with its type.
fn methods(code: &str) -> [BTreeSet<(String, String)>; 2] {
    let mut found = [BTreeSet::new(), BTreeSet::new()];
    for block in format!("\n{code}").split("\nimpl").skip(1) {
        let (head, body) =
            block.split("\n}").next().and_then(|block| block.split_once('{')).unwrap_or_default();
        let of =
            head.trim().rsplit(" for ").next().and_then(|head| head.rsplit("> ").next()).unwrap_or_default();
        let owner = of.split('<').next().and_then(|of| of.rsplit([':', ' ']).next()).unwrap_or_default();
        for (there, mark) in found.iter_mut().zip(["fn ", "self."]) {
            for rest in body.split(mark).skip(1) {
                let length = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
                if rest[length..].starts_with(['(', '<']) {
                    there.insert((owner.to_owned(), rest[..length].to_owned()));
                }
            }
        }
    }
    found
}

/// The sources of all crates.
pub struct Sources(Vec<Source>);

impl Sources {
    pub fn read() -> Sources {
        let mut all = Vec::new();
        for krate in crates() {
            let files = texts(&Path::new(&krate).join("src"), &[".rs"]);
            for (path, text) in files.into_iter().filter(|(path, _)| !path.contains("test")) {
                let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default().to_owned();
                let inner = path[krate.len() + 5..].trim_end_matches(".rs");
                let mut module: Module = inner.split('/').map(str::to_owned).collect();
                module.pop_if(|last| ["mod", "lib", "main"].contains(&last.as_str()));
                let code = code(&text);
                let paths = paths(&code);
                all.push(Source { path, krate: krate.clone(), module, text, code, paths });
            }
        }
        Sources(all)
    }

    pub fn files(&self) -> impl Iterator<Item = &Source> {
        self.0.iter()
    }

    /// Which module of a crate leads to which other one.
    fn edges(&self, krate: &str) -> BTreeSet<(Module, Module)> {
        let files: Vec<&Source> = self.files().filter(|file| file.krate == krate).collect();
        let known: BTreeSet<&Module> = files.iter().map(|file| &file.module).collect();
        let methods: Vec<_> = files.iter().map(|file| methods(&file.code)).collect();
        let mut edges = BTreeSet::new();
        for (file, [own, called]) in files.iter().zip(&methods) {
            let named = file.paths.iter().filter_map(|path| resolve(&file.module, path, &known));
            edges.extend(
                named
                    .filter(|other| !file.module.starts_with(other))
                    .map(|other| (file.module.clone(), other)),
            );
            for call in called.difference(own) {
                let mut with = files.iter().zip(&methods).filter(|(_, [own, _])| own.contains(call));
                if let (Some((other, _)), None) = (with.next(), with.next()) {
                    edges.insert((file.module.clone(), other.module.clone()));
                }
            }
        }
        edges
    }
}

/// The module of this crate that a path leads to, if it leads to one.
fn resolve(module: &Module, path: &[String], known: &BTreeSet<&Module>) -> Option<Module> {
    let (mut base, mut rest) = (module.clone(), path);
    match path.first()?.as_str() {
        "crate" => (base, rest) = (Module::new(), &path[1..]),
        "self" => rest = &path[1..],
        "super" => {
            while rest.first().is_some_and(|word| word == "super") {
                base.pop();
                rest = &rest[1..];
            }
        }
        first => _ = known.get(&[&base[..], &[first.to_owned()]].concat())?,
    }
    for word in rest {
        base.push(word.clone());
        if !known.contains(&base) {
            base.pop();
            break;
        }
    }
    known.contains(&base).then_some(base)
}

/// The circles at every level: between what lies in one folder, each taken with all that lies below it.
fn circles(edges: &BTreeSet<(Module, Module)>) -> BTreeSet<Vec<String>> {
    let mut levels: BTreeMap<Module, BTreeMap<Module, BTreeSet<Module>>> = BTreeMap::new();
    for (from, to) in edges {
        let shared = from.iter().zip(to).take_while(|(one, other)| one == other).count();
        let child = |module: &Module| module[..module.len().min(shared + 1)].to_vec();
        let level = levels.entry(from[..shared].to_vec()).or_default();
        level.entry(child(from)).or_default().insert(child(to));
    }
    let mut found = BTreeSet::new();
    for level in levels.values() {
        let reached = |from: &Module| {
            let (mut seen, mut todo) = (BTreeSet::new(), vec![from]);
            while let Some(next) = todo.pop() {
                todo.extend(
                    level.get(next).into_iter().flatten().filter(|other| seen.insert((*other).clone())),
                );
            }
            seen
        };
        for from in level.keys() {
            let back = |other: &&Module| reached(other).contains(from);
            let circle: Vec<String> =
                reached(from).iter().filter(back).map(|other| other.join("::")).collect();
            found.extend((!circle.is_empty()).then_some(circle));
        }
    }
    found
}

#[test]
fn no_files_and_no_folders_name_each_other_in_a_circle() {
    let sources = Sources::read();
    let mut found = Vec::new();
    for krate in crates() {
        let edges = sources.edges(&krate);
        found.extend(circles(&edges).into_iter().map(|circle| format!("{krate}: {}", circle.join(" "))));
    }
    assert!(found.is_empty(), "circles: {found:#?}");
}

#[test]
fn paths_calls_and_circles_are_found() {
    let text =
        "use crate::a::{self, b::C, d};\nuse super::e as f;\nfn x() { crate::g::h(); y::z() } // crate::no\n";
    let found: Vec<String> = paths(&code(text)).iter().map(|path| path.join("::")).collect();
    assert_eq!(found, ["crate::a::self", "crate::a::b::C", "crate::a::d", "super::e", "crate::g::h", "y::z"]);
    let [own, called] =
        methods("impl<G: Game<X>> Seam<Y> for Shell<'_, G> {\n    fn a(&self) { self.b(); self.c }\n}\n");
    let of = |name: &str| BTreeSet::from([("Shell".to_owned(), name.to_owned())]);
    assert_eq!((own, called), (of("a"), of("b")));
    let module = |path: &str| path.split("::").map(str::to_owned).collect::<Module>();
    let edges = |pairs: &[(&str, &str)]| pairs.iter().map(|(from, to)| (module(from), module(to))).collect();
    let pairs = [("a::x::i", "a::y"), ("a::y", "a::z::j"), ("a::z::k", "a::x::l"), ("a::x::i", "b")];
    let found = circles(&edges(&pairs));
    assert_eq!(found, BTreeSet::from([["a::x", "a::y", "a::z"].map(str::to_owned).to_vec()]));
    assert!(circles(&edges(&[("a::x", "a::y"), ("b", "a::x"), ("a::y", "c")])).is_empty());
}
