//! Pictures of the sample record, rendered by the real program under a virtual display of its own and compared
//! with golden ones.
//!
//! Without Xvfb and a software OpenGL a line says that the pictures are not compared, and how to get both;
//! `ZAPPY_PICTURES=required` makes that a failure. `UPDATE_PICTURES=1` renders the golden ones anew.

#[path = "../../conquest/tests/conquest/played.rs"]
mod played;
#[path = "plain/tiny.rs"]
mod tiny;

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// The mean difference of a channel that other versions of Mesa may make, 0 to 255.
const MEAN_LIMIT: f64 = 1.5;
/// A pixel that differs by more than this in a channel is another one.
const PIXEL_LIMIT: u8 = 48;
/// The share of pixels that may be other ones.
const OTHER_LIMIT: f64 = 0.01;

/// The sample record, seen from this crate's folder.
const SAMPLE: &str = "../assets/sample.zrec";

const REMEDY: &str = "Debian: apt-get install xvfb libgl1 libgl1-mesa-dri libxi6 libxkbcommon0";

/// A virtual display that ends with its test.
struct Display {
    server: Child,
    name: String,
}

impl Drop for Display {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

impl Display {
    /// Starts one; it says its free number itself.
    fn start() -> Option<Display> {
        let mut server = Command::new("Xvfb")
            .args(["-displayfd", "1", "-screen", "0", "640x480x24", "-nolisten", "tcp"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        let mut number = String::new();
        let told = server.stdout.take().map(BufReader::new).map(|mut out| out.read_line(&mut number));
        let mut display = Display { server, name: String::new() };
        if !matches!(told, Some(Ok(1..))) {
            return None;
        }
        display.name = format!(":{}", number.trim());
        Some(display)
    }

    fn observe(&self, record: &Path, arguments: &[&str]) -> Output {
        self.observer(record, arguments).output().expect("the observer runs")
    }

    fn observer(&self, record: &Path, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_zappy_gui"));
        command.arg("--replay").arg(record).args(arguments).current_dir(env!("CARGO_MANIFEST_DIR"));
        command.env("DISPLAY", &self.name).env_remove("WAYLAND_DISPLAY").env_remove("XAUTHORITY");
        command.env("LIBGL_ALWAYS_SOFTWARE", "1");
        command
    }
}

/// A display on which the observer draws; else a line says that there is none.
fn display() -> Option<Display> {
    let found = Display::start().map(|display| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("probe.png");
        let output =
            display.observe(Path::new(SAMPLE), &["--screenshot", path.to_str().unwrap(), "--size", "64x64"]);
        (display, output)
    });
    let why = match found {
        Some((display, output)) if output.status.success() => return Some(display),
        Some((_, output)) => String::from_utf8_lossy(&output.stderr).trim().to_owned(),
        None => "there is no Xvfb".to_owned(),
    };
    assert!(std::env::var_os("ZAPPY_PICTURES").is_none_or(|v| v != "required"), "{why}; {REMEDY}");
    // Not captured by the test runner, so that it is read.
    let _ = writeln!(std::io::stderr(), "pictures are NOT compared: {why} ({REMEDY})");
    None
}

struct Picture {
    width: u32,
    height: u32,
    rgb: Vec<u8>,
}

fn load(path: &Path) -> Picture {
    let file = File::open(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut reader = png::Decoder::new(BufReader::new(file)).read_info().unwrap();
    let mut rgb = vec![0; reader.output_buffer_size()];
    let info = reader.next_frame(&mut rgb).unwrap();
    assert_eq!((info.color_type, info.bit_depth), (png::ColorType::Rgb, png::BitDepth::Eight));
    rgb.truncate(info.buffer_size());
    Picture { width: info.width, height: info.height, rgb }
}

/// The mean difference of a channel, and the share of pixels that are other ones.
fn difference(one: &Picture, other: &Picture) -> (f64, f64) {
    assert_eq!((one.width, one.height), (other.width, other.height));
    let pairs = || one.rgb.iter().zip(&other.rgb).map(|(a, b)| a.abs_diff(*b));
    let mean = pairs().map(f64::from).sum::<f64>() / one.rgb.len() as f64;
    let gaps: Vec<u8> = pairs().collect();
    let others = gaps.chunks_exact(3).filter(|pixel| pixel.iter().any(|&gap| gap > PIXEL_LIMIT)).count();
    (mean, others as f64 * 3.0 / one.rgb.len() as f64)
}

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(format!("{name}.png"))
}

#[test]
fn pictures_of_the_sample_look_as_they_should() {
    let Some(display) = display() else { return };
    let folder = tempfile::tempdir().unwrap();
    let mut wrong = Vec::new();
    // A game without a screen of its own is shown, too.
    let (sample, tiny) = (PathBuf::from(SAMPLE), folder.path().join("tiny.zrec"));
    fs::write(&tiny, tiny::record()).unwrap();
    let conquest = folder.path().join("conquest.zrec");
    fs::write(&conquest, played::record(&["red", "blue", "green"], (18, 12), 45, (3, played::THINKING)))
        .unwrap();
    for (name, record, arguments) in [
        ("early", &sample, "--at-tick 160 --size 960x540"),
        ("incantation", &sample, "--at-tick 3150 --size 960x540 --zoom 2 --look-at 13,2"),
        ("push", &sample, "--at-tick 1443 --size 960x540 --select player:44 --zoom 2.4"),
        ("help", &sample, "--at-tick 1500 --size 800x600 --show help"),
        ("win", &sample, "--at-tick 99999 --size 960x540 --show closing"),
        ("plain", &tiny, "--at-tick 25 --size 800x450"),
        ("conquest", &conquest, "--at-tick 12200 --size 960x540"),
        (
            "conquest-near",
            &conquest,
            "--at-tick 32460 --size 1280x720 --zoom 2 --look-at 4,4 --select tile:4,4",
        ),
        ("conquest-charts", &conquest, "--at-tick 16000 --size 1600x900 --show charts --select faction:1"),
        ("conquest-help", &conquest, "--at-tick 100 --size 960x600 --show help"),
        ("conquest-end", &conquest, "--at-tick 999999 --size 960x540 --show closing"),
    ] {
        let path = folder.path().join(format!("{name}.png"));
        let words: Vec<&str> =
            ["--screenshot", path.to_str().unwrap()].into_iter().chain(arguments.split(' ')).collect();
        let output = display.observe(record, &words);
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        if std::env::var_os("UPDATE_PICTURES").is_some() {
            fs::create_dir_all(golden(name).parent().unwrap()).unwrap();
            fs::copy(&path, golden(name)).unwrap();
            continue;
        }
        let (mean, others) = difference(&load(&path), &load(&golden(name)));
        if mean > MEAN_LIMIT || others > OTHER_LIMIT {
            wrong.push(format!("{name}: mean difference {mean:.2}, {:.2} % other pixels", others * 100.0));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}\nif they shall look so: UPDATE_PICTURES=1, and look at them");
}

#[test]
fn the_same_moment_gives_the_same_bytes_whatever_was_shown_before() {
    let Some(display) = display() else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let still = path("still.png");
    let size = ["--size", "400x300", "--select", "player:5"];
    let one = [&["--screenshot", still.to_str().unwrap(), "--at-tick", "1204"][..], &size].concat();
    assert!(display.observe(Path::new(SAMPLE), &one).status.success());
    let film = path("film");
    let many =
        [&["--frames", film.to_str().unwrap(), "--from", "1200", "--to", "1206", "--every", "2"][..], &size]
            .concat();
    assert!(display.observe(Path::new(SAMPLE), &many).status.success());
    let mut names: Vec<_> = fs::read_dir(&film).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["00000.png", "00001.png", "00002.png", "00003.png"]);
    assert_eq!(fs::read(&still).unwrap(), fs::read(film.join("00002.png")).unwrap());
    assert_ne!(fs::read(&still).unwrap(), fs::read(film.join("00003.png")).unwrap());
}

/// A folder for the search path, with a program of that name that is this script.
fn stand_in(name: &str, script: &str) -> (tempfile::TempDir, OsString) {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    let mut search = folder.path().as_os_str().to_owned();
    search.push(":/usr/bin:/bin");
    (folder, search)
}

/// Whether these samples of 16 bits are no silence.
fn is_heard(samples: &[u8]) -> bool {
    let loud = |two: &[u8]| i16::from_le_bytes([two[0], two[1]]).unsigned_abs() > 1_000;
    samples.chunks_exact(2).filter(|two| loud(two)).count() > 1_000
}

#[test]
fn the_window_is_heard_through_a_program_of_the_system() {
    let Some(display) = display() else { return };
    let (folder, search) = stand_in("paplay", "exec cat > \"$0.heard\"");
    // With a selection it opens at once.
    let mut window = display.observer(Path::new(SAMPLE), &["--select", "player:5", "--size", "320x240"]);
    let mut window = window.env("PATH", search).stderr(Stdio::null()).spawn().unwrap();
    let begun = Instant::now();
    let heard = loop {
        let heard = is_heard(&fs::read(folder.path().join("paplay.heard")).unwrap_or_default());
        if heard || begun.elapsed() > Duration::from_secs(60) {
            break heard;
        }
        thread::sleep(Duration::from_millis(5));
    };
    let _ = window.kill();
    let _ = window.wait();
    assert!(heard);
}

#[test]
fn a_film_has_the_sound_of_its_record_unless_it_is_muted() {
    let Some(display) = display() else { return };
    // Keeps what it would make a film of: the file of the sound is its second input.
    let script = "[ \"${14}\" != -i ] || cp \"${15}\" \"$0.wav\"; exec cat > /dev/null";
    let (folder, search) = stand_in("ffmpeg", script);
    let film = |name: &str, more: &[&str]| {
        let path = folder.path().join(name);
        let words =
            [&["--film", path.to_str().unwrap(), "--size", "64x64", "--from", "1100", "--to", "1240"], more];
        let mut command = display.observer(Path::new(SAMPLE), &words.concat());
        let made = command.env("PATH", &search).output().unwrap();
        let said = String::from_utf8_lossy(&made.stderr).into_owned();
        assert!(made.status.success(), "{said}");
        (fs::read(folder.path().join("ffmpeg.wav")).ok(), said)
    };
    let (silent, said) = film("film.gif", &[]);
    assert!(silent.is_none() && said.contains("a .gif has no sound"), "{said}");
    assert!(film("film.mp4", &["--mute"]).0.is_none());
    let (wav, said) = film("film.mp4", &[]);
    let wav = wav.expect("a file of the sound");
    let frames: usize = said.split(' ').filter_map(|word| word.parse().ok()).next().expect("how many frames");
    assert_eq!(wav.len(), 44 + frames * 22_050 / 25 * 4, "as long as the film: {said}");
    assert!(is_heard(&wav[44..]));
}

#[test]
fn a_film_that_ffmpeg_made_can_be_heard() {
    let Some(display) = display() else { return };
    if Command::new("ffmpeg").arg("-version").output().is_err() {
        let _ = writeln!(
            std::io::stderr(),
            "NO film is made: there is no ffmpeg (Debian: apt-get install ffmpeg)"
        );
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("film.mp4");
    let words = ["--film", path.to_str().unwrap(), "--size", "64x64", "--from", "1100", "--to", "1240"];
    let made = display.observe(Path::new(SAMPLE), &words);
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let mut read = Command::new("ffmpeg");
    read.arg("-i").arg(&path).args(["-vn", "-f", "s16le", "-"]);
    assert!(is_heard(&read.output().unwrap().stdout));
}

#[test]
fn two_pictures_that_differ_are_told_apart() {
    let plain = |value: u8| Picture { width: 2, height: 2, rgb: vec![value; 12] };
    let mut spot = plain(10);
    spot.rgb[3..6].fill(200);
    assert_eq!(difference(&plain(10), &plain(11)), (1.0, 0.0));
    let (mean, others) = difference(&plain(10), &spot);
    assert!(mean > MEAN_LIMIT && others == 0.25, "{mean} {others}");
}
