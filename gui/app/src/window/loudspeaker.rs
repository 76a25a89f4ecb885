//! What is heard in the window, by a program that plays samples: the first of those below that is there and works.
//!
//! A thread mixes and writes, a little ahead of time. A frame hands it cues and never waits: what its queue can't take isn't
//! heard. Without such a program, or when each has ended, a line says so and all is silent. Tested in this module, and with the
//! window in `tests/pictures.rs`.

use std::ffi::OsStr;
use std::io::{self, Write as _};
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use zappy_observer::screen::ScreenState;
use zappy_observer::sound::{Mixer, RATE, SoundCue};

/// Programs that play samples of 16 bits from their input, with the arguments that describe those. By its age `pw-play` wants
/// or refuses `--raw`.
const PLAYERS: [(&str, &str); 4] = [
    ("paplay", "--raw --rate=22050 --channels=2 --format=s16le --latency-msec=150"),
    ("pw-play", "--raw --rate=22050 --channels=2 --format=s16 --latency=150ms -"),
    ("pw-play", "--rate=22050 --channels=2 --format=s16 --latency=150ms -"),
    ("aplay", "-q -t raw -f S16_LE -r 22050 -c 2 --buffer-time=150000 -"),
];
/// Cues that may wait for the thread.
const QUEUE: usize = 64;
/// Samples that are mixed and written at once: a fiftieth of a second.
const PIECE: u32 = RATE / 50;
/// How far samples are written ahead of the time at which they are heard.
const AHEAD: Duration = Duration::from_millis(200);
/// Silent pieces after which the program is let go, until there is something to be heard again: three seconds.
const LET_GO: u32 = 150;

/// Lets a screen be heard through a program.
#[derive(Debug)]
pub struct Loudspeaker {
    /// A cue; `None` ends what is heard.
    cues: SyncSender<Option<SoundCue>>,
    muted: bool,
}

impl Loudspeaker {
    /// A speaker that is silent; its program is started with the first cue.
    pub fn new() -> Loudspeaker {
        let (cues, heard) = sync_channel(QUEUE);
        let thread = thread::Builder::new().name("sound".to_owned());
        if let Err(error) = thread.spawn(move || play(&PLAYERS, &heard)) {
            log::warn!("no sound: {error}");
        }
        Loudspeaker { cues, muted: false }
    }

    /// Takes what is heard from this frame on.
    pub fn hear(&mut self, state: &mut ScreenState) {
        let hush = state.muted && !self.muted;
        self.muted = state.muted;
        for cue in hush.then_some(None).into_iter().chain(state.sounds.drain(..).map(Some)) {
            // Full or without a thread: a sound is not worth waiting for.
            let _ = self.cues.try_send(cue);
        }
    }
}

/// Plays what comes, by one program after the other, until none is left or no more can come.
fn play(players: &[(impl AsRef<OsStr>, &str)], cues: &Receiver<Option<SoundCue>>) {
    let mut mixer = Mixer::default();
    for (program, arguments) in players {
        let program = program.as_ref();
        loop {
            if mixer.is_silent() {
                let Ok(cue) = cues.recv() else { return };
                take(&mut mixer, cue);
                continue;
            }
            let mut command = Command::new(program);
            if let Err(error) = stream(command.args(arguments.split(' ')), cues, &mut mixer) {
                log::debug!("{}: {error}", program.display());
                break;
            }
        }
    }
    log::warn!(
        "no sound: it takes a working paplay, pw-play or aplay (Debian: apt-get install pulseaudio-utils)"
    );
}

fn take(mixer: &mut Mixer, cue: Option<SoundCue>) {
    match cue {
        Some(cue) => mixer.start(cue.sound, cue.pan),
        None => mixer.hush(),
    }
}

/// Lets this program play until all has been silent for a while.
fn stream(command: &mut Command, cues: &Receiver<Option<SoundCue>>, mixer: &mut Mixer) -> io::Result<()> {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    let (began, mut written, mut silent) = (Instant::now(), Duration::ZERO, 0);
    let mut written_all = Ok(());
    while let Some(pipe) = child.stdin.as_mut().filter(|_| silent < LET_GO && written_all.is_ok()) {
        cues.try_iter().for_each(|cue| take(mixer, cue));
        silent = if mixer.is_silent() { silent + 1 } else { 0 };
        written_all = pipe.write_all(&mixer.mix(PIECE as usize));
        written += Duration::from_secs(1) * PIECE / RATE;
        thread::sleep(written.saturating_sub(began.elapsed() + AHEAD));
    }
    if written_all.is_err() {
        // It may have closed its input and live on.
        let _ = child.kill();
    }
    // Closes its input first.
    let status = child.wait()?;
    written_all?;
    if status.success() { Ok(()) } else { Err(io::Error::other(status.to_string())) }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;
    use zappy_observer::sound::Sound;

    const DEADLINE: Duration = Duration::from_secs(20);

    fn wait_for(path: &Path, enough: impl Fn(&[u8]) -> bool) -> Vec<u8> {
        let begun = Instant::now();
        loop {
            let found = std::fs::read(path).unwrap_or_default();
            if enough(&found) {
                return found;
            }
            assert!(begun.elapsed() < DEADLINE, "{} bytes", found.len());
            thread::sleep(Duration::from_millis(5));
        }
    }

    #[test]
    fn the_first_program_that_works_plays_what_is_heard() {
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("plays");
        std::fs::write(&script, "echo \"$@\" > \"$0.told\"; exec cat > \"$0.heard\"").unwrap();
        let (speaker, heard) = sync_channel(QUEUE);
        let thread = thread::spawn(move || {
            let plays = format!("{} --raw -", script.display());
            play(&[("/no/such/program", "x"), ("false", "x"), ("sh", &plays)], &heard);
        });
        let cue = SoundCue { tick: 1, sound: Sound::Fanfare, pan: 0.0 };
        speaker.send(Some(cue)).unwrap();
        let loud = |found: &[u8]| found.iter().filter(|byte| **byte != 0).count() > 10_000;
        wait_for(&folder.path().join("plays.heard"), loud);
        assert_eq!(std::fs::read_to_string(folder.path().join("plays.told")).unwrap(), "--raw -\n");
        // It ends when nothing more can come, after what it was told.
        drop(speaker);
        thread.join().unwrap();
    }

    #[test]
    fn without_a_program_that_works_cues_wait_for_nobody() {
        let (cues, heard) = sync_channel(QUEUE);
        let mut speaker = Loudspeaker { cues, muted: false };
        let cue = SoundCue { tick: 1, sound: Sound::Push, pan: 0.5 };
        let mut state = ScreenState { sounds: vec![cue; 3 * QUEUE], ..ScreenState::default() };
        speaker.hear(&mut state);
        assert!(state.sounds.is_empty());
        play(&[("/no/such/program", "x")], &heard);
        drop(heard);
        state.sounds = vec![cue];
        speaker.hear(&mut state);
    }

    #[test]
    fn what_is_heard_ends_as_soon_as_it_is_muted() {
        let (cues, heard) = sync_channel(QUEUE);
        let mut speaker = Loudspeaker { cues, muted: false };
        let mut mixer = Mixer::default();
        let cue = SoundCue { tick: 1, sound: Sound::Push, pan: 0.5 };
        let mut state = ScreenState { sounds: vec![cue], ..ScreenState::default() };
        speaker.hear(&mut state);
        heard.try_iter().for_each(|cue| take(&mut mixer, cue));
        assert!(!mixer.is_silent());
        state.muted = true;
        speaker.hear(&mut state);
        heard.try_iter().for_each(|cue| take(&mut mixer, cue));
        assert!(mixer.is_silent());
    }
}
