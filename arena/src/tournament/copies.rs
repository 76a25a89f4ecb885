//! A copy of a bot's files for one match: what its programs write there is seen by no other match, and changes
//! no bot.
//!
//! Takes exactly the files that make up its id. Links stay links. Tested in this module.

use std::fs;
use std::io;
use std::path::Path;

use super::identity::files;
use crate::os;

/// Copies all files below `from`.
///
/// # Errors
/// When something can't be read or written, or is too much.
pub fn copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for file in files(from)? {
        let copied = to.join(file.strip_prefix(from).unwrap_or(&file));
        if let Some(parent) = copied.parent() {
            fs::create_dir_all(parent)?;
        }
        let done = if file.is_symlink() {
            os::link(&fs::read_link(&file)?, &copied)
        } else {
            fs::copy(&file, &copied).map(|_| ())
        };
        done.map_err(|error| io::Error::other(format!("{}: {error}", file.display())))?;
    }
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::tournament::identity::Identity;

    #[test]
    fn a_copy_is_the_same_bot() {
        let [one, other] = [(), ()].map(|()| tempfile::tempdir().unwrap());
        let from = one.path();
        fs::create_dir_all(from.join("a/b")).unwrap();
        fs::write(from.join("a/b/c"), "content").unwrap();
        std::os::unix::fs::symlink("a/b/c", from.join("link")).unwrap();
        copy(from, &other.path().join("to")).unwrap();
        let id = |root: &Path| {
            let mut identity = Identity::default();
            identity.add_files(root).unwrap();
            identity.id()
        };
        assert_eq!(id(&other.path().join("to")), id(from));
        assert_eq!(fs::read(other.path().join("to/link")).unwrap(), b"content");
    }
}
