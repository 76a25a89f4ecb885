//! Typefaces that the system has for Chinese, Japanese and Korean, for symbols and other alphabets: looked for by name in the
//! usual folders, among those that are free to use and well kept.
//!
//! Looks at a bounded number of places and reads a bounded number of bytes; finds nothing where there is nothing. Tested
//! in this module.

use std::env;
use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// Groups of typefaces, one of each is taken: the first that is found. Names of files without their ending, in small
/// letters and digits alone.
const WANTED: [&[&str]; 4] = [
    &["dejavusans", "notosansregular", "notosanswdthwght", "liberationsansregular"],
    &[
        "notosanscjkregular",
        "notosanscjkscregular",
        "notosanscjkjpregular",
        "notosanscjkvf",
        "sourcehansansregular",
        "sourcehansansscregular",
        "notosansscregular",
        "notosansscwght",
        "notosansjpregular",
        "notosansjpwght",
        "wqymicrohei",
        "wqyzenhei",
        "droidsansfallbackfull",
        "droidsansfallback",
    ],
    &["notosanssymbols2regular", "notosanssymbolsregular", "notosanssymbolswght", "notosansmathregular"],
    &["notoemojiregular", "notoemojiwght"],
];
/// Endings of files that hold typefaces as outlines.
const ENDINGS: [&str; 3] = ["ttf", "ttc", "otf"];
/// Folders within folders that are looked into.
const FOLDER_DEPTH: usize = 4;
/// Entries of folders that are looked at.
const FOLDER_ENTRIES: usize = 20_000;
/// Bytes of a typeface: the largest of those above have twenty million.
const TYPEFACE_BYTES: u64 = 40_000_000;

/// The typefaces of this system.
pub(super) fn search() -> Vec<Vec<u8>> {
    found(&roots()).into_iter().filter_map(|path| read(&path, TYPEFACE_BYTES)).collect()
}

/// Where typefaces lie, the user's own first.
fn roots() -> Vec<PathBuf> {
    let home = env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_absolute());
    let own = env::var_os("XDG_DATA_HOME").map(PathBuf::from).filter(|own| own.is_absolute());
    let own = own.or_else(|| home.as_ref().map(|home| home.join(".local/share")));
    let shared = ["/usr/local/share/fonts", "/usr/share/fonts", "/Library/Fonts"].map(PathBuf::from);
    let homes = [own.map(|own| own.join("fonts")), home.map(|home| home.join(".fonts"))];
    homes.into_iter().flatten().chain(shared).collect()
}

/// The best file of each group in these folders.
fn found(roots: &[PathBuf]) -> Vec<PathBuf> {
    let mut best: [Option<(usize, PathBuf)>; WANTED.len()] = Default::default();
    let mut folders: Vec<(PathBuf, usize)> =
        roots.iter().rev().map(|root| (root.clone(), FOLDER_DEPTH)).collect();
    let mut looked = 0;
    while let Some((folder, depth)) = folders.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
            looked += 1;
            if looked > FOLDER_ENTRIES {
                return best.into_iter().flatten().map(|(_, path)| path).collect();
            }
            let path = entry.path();
            // A link to a folder may lead in circles.
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                if depth > 0 {
                    folders.push((path, depth - 1));
                }
                continue;
            }
            let Some((group, rank)) = wanted(&path) else { continue };
            if best[group].as_ref().is_none_or(|(known, _)| rank < *known) {
                best[group] = Some((rank, path));
            }
        }
    }
    best.into_iter().flatten().map(|(_, path)| path).collect()
}

/// The group of a file, and its place in it.
fn wanted(path: &Path) -> Option<(usize, usize)> {
    let ending = path.extension()?.to_str()?.to_ascii_lowercase();
    let stem = path.file_stem()?.to_str()?.to_ascii_lowercase();
    let name: String = stem.chars().filter(char::is_ascii_alphanumeric).collect();
    let place = |names: &&[&str]| names.iter().position(|known| *known == name);
    let group = (0..).zip(&WANTED).find_map(|(group, names)| Some((group, place(names)?)))?;
    ENDINGS.contains(&ending.as_str()).then_some(group)
}

/// A file's bytes, if it has no more than so many.
fn read(path: &Path, limit: u64) -> Option<Vec<u8>> {
    let file = File::open(path).ok()?;
    let is_fit = file.metadata().is_ok_and(|data| data.is_file() && data.len() <= limit);
    let mut bytes = Vec::new();
    let count = file.take(limit.saturating_add(1)).read_to_end(&mut bytes).ok()?;
    (is_fit && count as u64 <= limit).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(folder: &Path, name: &str) -> PathBuf {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(&path, name).expect("written");
        path
    }

    #[test]
    fn the_best_of_each_group_is_found_in_any_folder_and_nothing_else() {
        let folder = tempfile::tempdir().expect("a folder");
        write(folder.path(), "a/DejaVuSans-Bold.ttf");
        write(folder.path(), "a/NotoSansCJK-Regular.txt");
        let zen = write(folder.path(), "b/wqy-zenhei.ttc");
        assert_eq!(found(&[folder.path().to_owned()]), [zen]);
        let deja = write(folder.path(), "b/c/DejaVuSans.ttf");
        let noto = write(folder.path(), "b/c/d/NotoSansCJK-Regular.ttc");
        write(folder.path(), "1/2/3/4/5/NotoEmoji-Regular.ttf");
        let roots = [folder.path().join("nowhere"), folder.path().to_owned()];
        assert_eq!(found(&roots), [deja, noto], "the emoji lie too deep");
    }

    #[test]
    fn a_typeface_beyond_the_limit_and_what_is_no_file_are_not_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = write(folder.path(), "DejaVuSans.ttf");
        assert_eq!(read(&path, 14).as_deref(), Some(&b"DejaVuSans.ttf"[..]));
        assert_eq!((read(&path, 13), read(folder.path(), 99)), (None, None));
        assert_eq!(read(&folder.path().join("nothing"), 99), None);
    }
}
