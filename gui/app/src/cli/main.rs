//! `zappy_gui`: reads the command line and opens the window, or makes pictures without one.

mod flags;

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context as _;
use log::LevelFilter;
use zappy_gui::games::GAMES;
use zappy_gui::window;
use zappy_observer::app::observer::{Chosen, Observer};
use zappy_observer::film::{self, Film};
use zappy_observer::shot::{self, FRAMES_PER_SECOND};

use flags::ViewerOptions;

/// A record that can be watched without playing a match first.
const SAMPLE: &[u8] = include_bytes!("../../../assets/sample.zrec");

/// Ticks between two pictures if neither `--every` nor the record's own pace ([`zappy_observer::led`]) says otherwise.
const PICTURE_INTERVAL: f64 = 4.0;

fn main() -> ExitCode {
    let options = match flags::parse(std::env::args_os()) {
        Ok(options) => options,
        Err(exit) => {
            if exit.code == 0 {
                return say(std::io::stdout(), &exit.text).map_or(ExitCode::FAILURE, |()| ExitCode::SUCCESS);
            }
            // If stderr can't be written to, the exit code still shows the fault.
            let _ = say(std::io::stderr(), &exit.text);
            return ExitCode::from(exit.code);
        }
    };
    let level = [LevelFilter::Info, LevelFilter::Debug, LevelFilter::Trace];
    let level = level[usize::from(options.verbose).min(level.len() - 1)];
    env_logger::Builder::new().filter_level(level).parse_default_env().init();
    match run(&options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = say(std::io::stderr(), &format!("zappy_gui: {error:#}\n"));
            ExitCode::FAILURE
        }
    }
}

/// Writes this text. A reader that has closed its end of the pipe is no error; a full disk is one.
fn say(mut to: impl Write, text: &str) -> std::io::Result<()> {
    match to.write_all(text.as_bytes()).and_then(|()| to.flush()) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        said => said,
    }
}

fn run(options: &ViewerOptions) -> anyhow::Result<()> {
    window::use_system_typefaces();
    let mut observer = Observer::new(GAMES, SAMPLE);
    if let Some(folder) = &options.notes {
        anyhow::ensure!(folder.is_dir(), "--notes {}: there is no such folder", folder.display());
        observer.notes = Some(folder.clone());
    }
    match (&options.replay, options.port) {
        (Some(path), _) => observer.open(path).context("nothing to show")?,
        (None, Some(port)) => observer.connect(&options.host, port).context("can't start to connect")?,
        (None, None) => {}
    }
    if let Some(path) = &options.film {
        film::kind(path)?;
    }
    let state = observer.screen_mut().state();
    (state.muted, state.calm, state.telling.on) = (options.mute, options.reduced_motion, options.tell);
    let view_given = options.zoom.is_some() || options.look_at.is_some();
    let saves_pictures = options.screenshot.is_some() || options.frames.is_some();
    let watched_from_start = options.replay.is_some()
        && !(view_given || saves_pictures || options.at_tick.is_some() || options.select.is_some());
    observer.screen_mut().choose(&Chosen {
        zoom: options.zoom,
        look_at: options.look_at,
        select: options.select.clone(),
        show: options.show.clone(),
        scale: options.scale,
        at_tick: options.at_tick,
        director: options.director || watched_from_start || (options.film.is_some() && !view_given),
        opening: watched_from_start,
        true_time: options.every.is_some() || options.screenshot.is_some(),
        film: options
            .film
            .is_some()
            .then_some(options.every.unwrap_or(PICTURE_INTERVAL) * f64::from(FRAMES_PER_SECOND)),
    });
    if saves_pictures || options.film.is_some() {
        observer.screen_mut().read_all();
    }
    let end = observer.screen().last_tick();
    if let Some(path) = &options.screenshot {
        let tick = options.at_tick.unwrap_or(end) as f64;
        return save_pictures(observer, options, vec![(tick, path.clone())].into_iter());
    }
    if let Some(folder) = &options.frames {
        std::fs::create_dir_all(folder)
            .with_context(|| format!("can't make the folder {}", folder.display()))?;
        let moments = moments(&observer, options)?;
        return save_pictures(observer, options, shot::frames(folder.clone(), moments));
    }
    if let Some(path) = &options.film {
        let moments = moments(&observer, options)?.collect();
        return make_film(observer, options, path, moments);
    }
    let (title, size) = (title(options), options.size);
    window::run(&title, size, Box::new(move || Box::new(observer))).context("no window")
}

/// The moments, in ticks with fractions, of the pictures of `--film` or `--frames`.
fn moments(observer: &Observer, options: &ViewerOptions) -> anyhow::Result<Box<dyn Iterator<Item = f64>>> {
    let end = observer.screen().last_tick();
    let (from, to) = (options.from.min(end) as f64, options.to.unwrap_or(end).min(end) as f64);
    let led = observer.screen().led().filter(|_| options.every.is_none());
    let Some(led) = led else {
        anyhow::ensure!(!options.highlights, "--highlights: this record has no end; leave it out");
        return Ok(Box::new(shot::moments(&[(from, to)], options.every.unwrap_or(PICTURE_INTERVAL))));
    };
    let shots = if options.highlights { led.shots(end) } else { vec![(led.seconds(from), led.seconds(to))] };
    anyhow::ensure!(!shots.is_empty(), "--highlights: no moment of this record stands out; leave it out");
    if options.from > 0 || options.to.is_some() {
        let led = led.clone();
        let seconds = shot::moments(&shots, 1.0 / f64::from(FRAMES_PER_SECOND));
        return Ok(Box::new(seconds.map(move |seconds| led.tick(seconds))));
    }
    Ok(Box::new(shot::led(led, &shots, end).into_iter()))
}

fn make_film(
    mut observer: Observer,
    options: &ViewerOptions,
    path: &Path,
    moments: Vec<f64>,
) -> anyhow::Result<()> {
    let scale = shot::scale(options.size.0, options.size.1, options.scale);
    let screen = observer.screen();
    let led = screen.led().filter(|_| options.every.is_none());
    let mut sounds = shot::sounds(&moments, led, |ticks| screen.sounds(ticks));
    if options.mute {
        sounds.clear();
    } else if film::kind(path)? == "gif" {
        log::info!("a .gif has no sound; a .mp4 has");
    }
    let film = Film::begin(path, options.size, &sounds, "ffmpeg".as_ref())?;
    let mut moments = moments.into_iter();
    let painter = move |canvas: &mut zappy_observer::ink::Canvas| {
        moments.next().map(|tick| observer.screen_mut().paint_at(tick, canvas))
    };
    let count = window::film(options.size, scale, Box::new(painter), film).context("no film")?;
    log::info!("{count} frames in {}", path.display());
    Ok(())
}

/// Saves a picture of each moment, in ticks, in the file beside it.
fn save_pictures(
    mut observer: Observer,
    options: &ViewerOptions,
    mut moments: impl Iterator<Item = (f64, std::path::PathBuf)> + 'static,
) -> anyhow::Result<()> {
    let (width, height) = options.size;
    let scale = shot::scale(width, height, options.scale);
    let painter = move |canvas: &mut zappy_observer::ink::Canvas| {
        let (tick, path) = moments.next()?;
        observer.screen_mut().paint_at(tick, canvas);
        Some(path)
    };
    let count = window::pictures(width, height, scale, Box::new(painter)).context("no picture")?;
    log::info!("{}", zappy_protocol::text::many(count as u64, "picture"));
    Ok(())
}

fn title(options: &ViewerOptions) -> String {
    let what = match (&options.replay, options.port) {
        (Some(path), _) => {
            path.file_name().unwrap_or(Path::new("record").as_os_str()).to_string_lossy().into_owned()
        }
        (None, Some(port)) => format!("{}:{port}", options.host),
        (None, None) => return "Zappy".to_owned(),
    };
    format!("{what} – Zappy")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Error, ErrorKind, Result};

    /// A writer that always fails with this error.
    struct FailingWriter(ErrorKind);

    impl Write for FailingWriter {
        fn write(&mut self, _: &[u8]) -> Result<usize> {
            Err(Error::from(self.0))
        }

        fn flush(&mut self) -> Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_full_disk_is_an_error_and_a_reader_who_left_is_none() {
        assert!(say(FailingWriter(ErrorKind::StorageFull), "help").is_err());
        assert!(say(FailingWriter(ErrorKind::BrokenPipe), "help").is_ok());
        let mut written = Vec::new();
        say(&mut written, "help").unwrap();
        assert_eq!(written, b"help");
    }
}
