//! Films: frames and their sound, handed to `ffmpeg` where it is installed.
//!
//! A film's file is there whole or not at all: it is written under another name first. Tested in this module with
//! programs that stand in for `ffmpeg`.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, BufWriter, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use tempfile::NamedTempFile;

use crate::shot::FRAMES_PER_SECOND;
use crate::sound::{SoundCue, write_wav};

/// The most bytes of `ffmpeg`'s messages that are shown.
const MESSAGE_BYTES: u64 = 400;

/// Why there is no film.
#[derive(Debug, thiserror::Error)]
pub enum NoFilm {
    /// A file that is neither kind of film.
    #[error("--film {0}: give a file that ends in .mp4 or .gif; --frames DIR saves pictures")]
    Kind(PathBuf),
    /// The program that makes films is missing.
    #[error(
        "--film needs ffmpeg, which is not installed (Debian: apt-get install ffmpeg); --frames DIR saves pictures without it"
    )]
    NoFfmpeg,
    /// The program that makes films has failed.
    #[error("ffmpeg could not make {0}: {1}")]
    Failed(PathBuf, String),
    /// The file can't be written.
    #[error("cannot write the film {0}: {1}; check that the directory exists and can be written to")]
    Write(PathBuf, io::Error),
}

/// The kind of film that a file's name asks for: `mp4` or `gif`.
///
/// # Errors
/// When the name ends in neither.
pub fn kind(path: &Path) -> Result<&'static str, NoFilm> {
    match path.extension().and_then(OsStr::to_str).map(str::to_ascii_lowercase).as_deref() {
        Some("mp4") => Ok("mp4"),
        Some("gif") => Ok("gif"),
        _ => Err(NoFilm::Kind(path.to_path_buf())),
    }
}

/// A builder of temporary files that every user may read, as is usual for files that programs make.
#[cfg(unix)]
pub fn part<'a, 'b>() -> tempfile::Builder<'a, 'b> {
    use std::os::unix::fs::PermissionsExt as _;
    let mut builder = tempfile::Builder::new();
    builder.permissions(std::fs::Permissions::from_mode(0o644));
    builder
}

/// A builder of temporary files; they get the rights of their folder.
#[cfg(not(unix))]
pub fn part<'a, 'b>() -> tempfile::Builder<'a, 'b> {
    tempfile::Builder::new()
}

/// A WAV file of the sounds of each frame; `None` if this kind of film has no sound, or no frame is given.
fn wav(kind: &str, sounds: &[Vec<SoundCue>]) -> io::Result<Option<NamedTempFile>> {
    if kind != "mp4" || sounds.is_empty() {
        return Ok(None);
    }
    let mut file = NamedTempFile::new()?;
    write_wav(BufWriter::new(&mut file), sounds, FRAMES_PER_SECOND)?;
    Ok(Some(file))
}

/// A film that is being made.
#[derive(Debug)]
pub struct Film {
    path: PathBuf,
    /// The unfinished file, in the same folder as `path`.
    part: NamedTempFile,
    /// The sound, which `ffmpeg` reads while it makes the film.
    _sound: Option<NamedTempFile>,
    ffmpeg: Child,
    /// What `ffmpeg` prints on stderr.
    messages: File,
}

impl Drop for Film {
    fn drop(&mut self) {
        // Fails, without harm, if the process was already waited for.
        let _ = self.ffmpeg.kill();
        let _ = self.ffmpeg.wait();
    }
}

impl Film {
    /// Begins a film of `width` x `height` px in the file `path`, made by `program`, which is `ffmpeg`. `sounds` has
    /// the sounds of each frame; an empty list makes a silent film.
    ///
    /// # Errors
    /// When the file's name is of no kind of film, its folder can't be written to, or the program can't be started.
    pub fn begin(
        path: &Path,
        (width, height): (u32, u32),
        sounds: &[Vec<SoundCue>],
        program: &OsStr,
    ) -> Result<Film, NoFilm> {
        let kind = kind(path)?;
        let write = |error| NoFilm::Write(path.to_path_buf(), error);
        let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let part = part().prefix(".zappy-").suffix(&format!(".{kind}")).tempfile_in(folder).map_err(write)?;
        let messages = tempfile::tempfile().map_err(write)?;
        let colours: &[&str] = match kind {
            // yuv420p has one colour for each 2 x 2 pixels, so both sides must be even.
            "mp4" => {
                &["-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-pix_fmt", "yuv420p", "-movflags", "+faststart"]
            }
            _ => &["-vf", "split[a][b];[a]palettegen=stats_mode=single[p];[b][p]paletteuse=new=1"],
        };
        let sound = wav(kind, sounds).map_err(write)?;
        let (size, rate) = (format!("{width}x{height}"), FRAMES_PER_SECOND.to_string());
        let mut command = Command::new(program);
        command.args(["-y", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgba", "-s", &size]);
        command.args(["-r", &rate, "-i", "-"]);
        if let Some(sound) = &sound {
            command.arg("-i").arg(sound.path()).args(["-c:a", "aac", "-b:a", "96k"]);
        }
        command.args(colours).args(["-f", kind]).arg(part.path());
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(messages.try_clone().map_err(write)?);
        let ffmpeg = command.spawn().map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => NoFilm::NoFfmpeg,
            _ => NoFilm::Failed(path.to_path_buf(), error.to_string()),
        })?;
        Ok(Film { path: path.to_path_buf(), part, _sound: sound, ffmpeg, messages })
    }

    /// Adds a frame: red, green, blue and alpha of each pixel, row by row from the top.
    ///
    /// # Errors
    /// When `ffmpeg` takes no more.
    pub fn add(&mut self, pixels: &[u8]) -> Result<(), NoFilm> {
        let written = self.ffmpeg.stdin.as_mut().map_or(Ok(()), |pipe| pipe.write_all(pixels));
        written.map_err(|error| self.failed(&error.to_string()))
    }

    /// Waits until the film is whole, and puts it in its place.
    ///
    /// # Errors
    /// When `ffmpeg` failed, or the file can't be renamed.
    pub fn finish(mut self) -> Result<(), NoFilm> {
        drop(self.ffmpeg.stdin.take());
        match self.ffmpeg.wait() {
            Ok(status) if status.success() => {}
            Ok(status) => return Err(self.failed(&status.to_string())),
            Err(error) => return Err(self.failed(&error.to_string())),
        }
        let write = |error| NoFilm::Write(self.path.clone(), error);
        std::fs::rename(self.part.path(), &self.path).map_err(write)
    }

    /// The error, in the words of `ffmpeg` if it printed any.
    fn failed(&mut self, otherwise: &str) -> NoFilm {
        let (mut bytes, file) = (Vec::new(), &mut self.messages);
        let _ = self.ffmpeg.kill();
        let _ = self.ffmpeg.wait();
        let read =
            file.seek(SeekFrom::Start(0)).and_then(|_| file.take(MESSAGE_BYTES).read_to_end(&mut bytes));
        let message =
            read.map(|_| zappy_protocol::text::shown(String::from_utf8_lossy(&bytes).trim().as_bytes()));
        let message = message.ok().filter(|message| !message.is_empty());
        NoFilm::Failed(self.path.clone(), message.unwrap_or_else(|| otherwise.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(unix)]
    use std::time::{Duration, Instant};

    /// A program that stands in for `ffmpeg`, in a folder of its own.
    #[cfg(unix)]
    fn stand_in(folder: &Path, script: &str) -> PathBuf {
        let path = folder.join("ffmpeg");
        std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    /// Begins a film. Tries again while the program is "busy": its file, just written, may still be open in a process
    /// that another test is starting.
    #[cfg(unix)]
    fn begin(path: &Path, program: &Path, sounds: &[Vec<SoundCue>]) -> Film {
        let begun = Instant::now();
        loop {
            match Film::begin(path, (2, 1), sounds, program.as_os_str()) {
                Err(NoFilm::Failed(_, why))
                    if why.contains("busy") && begun.elapsed() < Duration::from_secs(10) => {}
                film => return film.unwrap(),
            }
        }
    }

    #[cfg(unix)]
    #[test]
    fn all_frames_reach_ffmpeg_and_the_film_is_there_when_it_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let program = stand_in(folder.path(), "for last; do :; done; cat > \"$last\"");
        let path = folder.path().join("film.MP4");
        let mut film = begin(&path, &program, &[]);
        film.add(&[1; 8]).unwrap();
        film.add(&[2; 8]).unwrap();
        assert!(!path.exists());
        film.finish().unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), [[1_u8; 8], [2; 8]].concat());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2, "nothing else is left");
    }

    #[cfg(unix)]
    #[test]
    fn what_is_heard_reaches_ffmpeg_as_a_file_that_is_gone_afterwards_and_a_gif_has_none() {
        let folder = tempfile::tempdir().unwrap();
        let script =
            "cat > /dev/null; for last; do :; done; echo \"$@\" > \"$last\"; cp \"${15}\" \"$0.wav\"";
        let program = stand_in(folder.path(), script);
        let cue = SoundCue { tick: 1, sound: crate::sound::Sound::Push, pan: 0.0 };
        let sounds = [vec![], vec![cue], vec![]];
        let path = folder.path().join("film.mp4");
        begin(&path, &program, &sounds).finish().unwrap();
        let arguments = std::fs::read_to_string(&path).unwrap();
        let words: Vec<&str> = arguments.split(' ').collect();
        assert_eq!(words[11..14], ["-i", "-", "-i"], "{arguments}");
        assert!(!Path::new(words[14]).exists(), "{arguments}");
        let (mut file, heard) = (Vec::new(), std::fs::read(folder.path().join("ffmpeg.wav")).unwrap());
        write_wav(&mut file, &sounds, FRAMES_PER_SECOND).unwrap();
        assert_eq!(heard, file);
        assert!(wav("gif", &sounds).unwrap().is_none() && wav("mp4", &[]).unwrap().is_none());
    }

    #[cfg(unix)]
    #[test]
    fn what_ffmpeg_complains_about_is_in_the_error() {
        let folder = tempfile::tempdir().unwrap();
        let program = stand_in(folder.path(), "cat > /dev/null; echo no codec here >&2; exit 3");
        let mut film = begin(&folder.path().join("film.gif"), &program, &[]);
        film.add(&[0; 8]).unwrap();
        let error = film.finish().unwrap_err().to_string();
        assert!(error.contains("no codec here") && error.contains("film.gif"), "{error}");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_is_missing_or_wrong_is_said_before_anything_is_made() {
        let folder = tempfile::tempdir().unwrap();
        let none = folder.path().join("no-ffmpeg");
        let missing = Film::begin(&folder.path().join("a.mp4"), (2, 2), &[], none.as_os_str()).unwrap_err();
        assert!(matches!(missing, NoFilm::NoFfmpeg) && missing.to_string().contains("--frames"));
        for wrong in ["film", "film.avi", ".mp4/x"] {
            assert!(matches!(kind(Path::new(wrong)), Err(NoFilm::Kind(_))), "{wrong}");
        }
        let nowhere = folder.path().join("nowhere/a.gif");
        assert!(matches!(Film::begin(&nowhere, (2, 2), &[], none.as_os_str()), Err(NoFilm::Write(..))));
    }
}
