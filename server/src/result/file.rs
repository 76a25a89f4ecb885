//! The file of a result: written beside its place, by one server, and put there when it is whole.
//!
//! Never decides what a result says. Tested in `tests/resume/` and `tests/sockets.rs`.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::MatchResult;
use crate::files;

/// A file that will hold the result. It is opened before the match, so that a bad path is an error before the match
/// and not after it.
#[derive(Debug)]
pub struct ResultFile {
    file: File,
    /// The path that is written, and the path to which it is renamed then. `None` if the path names a device or a
    /// pipe, which is written itself.
    moves: Option<(PathBuf, PathBuf)>,
}

impl Drop for ResultFile {
    fn drop(&mut self) {
        if let Some((temporary, _)) = &self.moves {
            // After a success it is gone already.
            let _ = std::fs::remove_file(temporary);
        }
    }
}

impl ResultFile {
    /// The temporary file beside that path.
    pub fn partial(path: &Path) -> PathBuf {
        let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(".partial");
        path.with_file_name(name)
    }

    /// Opens a temporary file beside the path, as the one server that writes it; a device or a pipe is opened itself.
    ///
    /// # Errors
    /// When it can't be written, or another server writes it.
    pub fn create(path: &Path) -> io::Result<ResultFile> {
        // What a link points to is replaced, not the link.
        let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        if path.is_dir() {
            return Err(io::Error::other("it is a folder; name a file"));
        }
        if path.exists() && !path.is_file() {
            return Ok(ResultFile { file: File::options().write(true).open(path)?, moves: None });
        }
        path.file_name().ok_or_else(|| io::Error::other("it is no file name"))?;
        let temporary = ResultFile::partial(&path);
        let file = files::open_to_write(&temporary)?;
        file.set_len(0)?;
        Ok(ResultFile { file, moves: Some((temporary, path)) })
    }

    /// Writes the result and renames the temporary file to its path.
    ///
    /// # Errors
    /// When it can't be written; then the path holds no half result.
    pub fn write(mut self, result: &MatchResult) -> io::Result<()> {
        let mut text = serde_json::to_vec_pretty(result)?;
        text.push(b'\n');
        self.file.write_all(&text)?;
        match &self.moves {
            None => self.file.flush(),
            Some((temporary, path)) => files::put(&self.file, temporary, path),
        }
    }
}
