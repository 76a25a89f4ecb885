//! What a match sounds like: a dozen sounds, computed from tones when they are first played, and how they are mixed.
//!
//! A sound is a list of tones, so it needs no file. Which sounds a match has, and when, depends on the record alone,
//! like a picture; the window, a page or a film plays them. Must never know a game or a device. Tested in this module.

use std::collections::HashMap;
use std::f32::consts::TAU;
use std::io::{self, Write};
use std::rc::Rc;

use zappy_protocol::{MapSize, Position, Tick};

/// Samples per second of each of the two channels.
pub const RATE: u32 = 22_050;
/// The most sounds that are played at once; a further one takes the place of the oldest.
const MAX_VOICES: usize = 12;
/// Samples within which the same sound isn't begun again: many events of one moment are one sound.
const REPEAT_PAUSE: usize = RATE as usize / 12;
/// The pan of a sound at the map's edge: at 1 it would be heard on one side only.
const MAX_PAN: f32 = 0.7;
/// How loud one sound is, so that several at once still fit.
const LOUDNESS: f32 = 0.35;
/// The frequency of the note A below the middle C, in Hz.
const A_HERTZ: f32 = 220.0;
/// The steps of a countdown that [`Sound::Chant`] counts.
pub const CHANT_STEPS: u8 = 10;

/// The sounds, named by the events that they stand for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Sound {
    /// A countdown goes on: its step, from 0 to [`CHANT_STEPS`] − 1; each is higher than the one before.
    Chant(u8),
    /// Something rose to this level; the higher the level, the higher the chord.
    Chord(u8),
    /// Something that was begun fails.
    Shatter,
    /// Something is pushed to another tile.
    Push,
    Death,
    Lead,
    Battle,
    Siege,
    /// A base or a team falls.
    Fall,
    /// A side has held what wins for this many turns.
    Hold(u8),
    Unpaid,
    /// The match is won.
    Fanfare,
}

/// A sound and when it begins.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SoundCue {
    pub tick: Tick,
    pub sound: Sound,
    /// From −1, left, to 1, right.
    pub pan: f32,
}

impl SoundCue {
    /// A sound on a tile of the map, which is heard from that tile's side, or from the middle without a tile or a map.
    pub fn at(tick: Tick, sound: Sound, at: Option<Position>, size: Option<MapSize>) -> SoundCue {
        let side = at.zip(size).map_or(0.0, |(at, size)| {
            let middle = f32::from(size.width()) / 2.0;
            (f32::from(at.x) + 0.5 - middle) / middle
        });
        SoundCue { tick, sound, pan: side.clamp(-1.0, 1.0) * MAX_PAN }
    }
}

/// The shape of a tone's wave.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Wave {
    Sine,
    /// With overtones, as brass has them.
    Brass,
    Noise,
}

/// A part of a sound, which swells quickly and fades.
#[derive(Debug, Clone, Copy)]
struct Tone {
    wave: Wave,
    /// Its frequency in Hz at its beginning and at its end.
    hertz: (f32, f32),
    /// When it begins, in seconds from the sound's beginning.
    from: f32,
    /// How long it lasts, in seconds.
    length: f32,
    /// How loud it is compared with the other tones, from 0 to 1.
    loudness: f32,
}

/// The frequency in Hz of the note so many semitones above [`A_HERTZ`].
fn note(semitones: i32) -> f32 {
    A_HERTZ * 2_f32.powf(semitones as f32 / 12.0)
}

const fn tone(wave: Wave, hertz: (f32, f32), from: f32, length: f32, loudness: f32) -> Tone {
    Tone { wave, hertz, from, length, loudness }
}

/// Several notes, in semitones: the first begins at `from`, each further one `apart` seconds later (0: all together).
fn row(wave: Wave, notes: &[i32], (from, apart): (f32, f32), length: f32, loudness: f32) -> Vec<Tone> {
    let place = |(at, semitones): (usize, &i32)| {
        let hertz = note(*semitones);
        tone(wave, (hertz, hertz), from + at as f32 * apart, length, loudness)
    };
    notes.iter().enumerate().map(place).collect()
}

fn noise(length: f32, loudness: f32) -> Vec<Tone> {
    vec![tone(Wave::Noise, (0.0, 0.0), 0.0, length, loudness)]
}

/// The tones of which a sound is made.
fn tones(sound: Sound) -> Vec<Tone> {
    use Wave::{Brass, Sine};
    /// The steps of a scale of five notes, which sounds well in any order.
    const SCALE: [i32; 5] = [0, 2, 4, 7, 9];
    match sound {
        Sound::Chant(step) => {
            let root = SCALE[usize::from(step) % 5] + 12 * i32::from(step / 5) - 12;
            row(Brass, &[root, root + 7], (0.0, 0.0), 0.45, 0.35)
        }
        Sound::Chord(level) => {
            let root = 2 * i32::from(level.min(12));
            row(Brass, &[root, root + 4, root + 7, root + 12], (0.0, 0.07), 0.7, 0.4)
        }
        Sound::Shatter => {
            let pieces = row(Sine, &[41, 36, 43, 34, 38, 31], (0.0, 0.05), 0.3, 0.25);
            [pieces, noise(0.35, 0.5)].concat()
        }
        Sound::Push => [vec![tone(Sine, (190.0, 55.0), 0.0, 0.22, 1.0)], noise(0.06, 0.4)].concat(),
        Sound::Death => vec![
            tone(Brass, (note(3), note(-2)), 0.0, 0.3, 0.5),
            tone(Brass, (note(-2), note(-9)), 0.25, 0.55, 0.5),
        ],
        Sound::Lead => row(Sine, &[19, 24], (0.0, 0.11), 0.3, 0.5),
        Sound::Battle => {
            let blades = row(Sine, &[15, 33, 44], (0.0, 0.0), 0.35, 0.25);
            [blades, noise(0.08, 0.6)].concat()
        }
        Sound::Siege => row(Brass, &[-2, -3, -2, -3], (0.0, 0.16), 0.2, 0.5),
        Sound::Fall => {
            let chord = row(Brass, &[-5, -2, 2], (0.0, 0.0), 1.2, 0.3);
            [chord, vec![tone(Sine, (90.0, 30.0), 0.0, 0.9, 1.0)], noise(0.7, 0.4)].concat()
        }
        Sound::Hold(turns) => {
            let root = 2 * i32::from(turns.min(12));
            row(Brass, &[root, root + 5], (0.0, 0.14), 0.4, 0.4)
        }
        Sound::Unpaid => row(Sine, &[29, 24], (0.0, 0.08), 0.2, 0.4),
        Sound::Fanfare => {
            let call = row(Brass, &[3, 3, 3, 7, 10], (0.0, 0.16), 0.3, 0.4);
            [call, row(Brass, &[3, 7, 10, 15], (0.8, 0.0), 1.4, 0.35)].concat()
        }
    }
}

/// The samples of a sound, one channel, from −1 to 1; the same each time.
pub fn samples(sound: Sound) -> Vec<f32> {
    let tones = tones(sound);
    let length = tones.iter().map(|tone| tone.from + tone.length).fold(0.0, f32::max);
    let mut all = vec![0.0; (length * RATE as f32) as usize];
    for tone in tones {
        let (first, count) = ((tone.from * RATE as f32) as usize, (tone.length * RATE as f32) as usize);
        let (mut turn, mut noise) = (0.0_f32, 0x2545_u32);
        for (n, sample) in all.iter_mut().skip(first).take(count).enumerate() {
            let passed = n as f32 / count as f32;
            turn = (turn + (tone.hertz.0 + (tone.hertz.1 - tone.hertz.0) * passed) / RATE as f32).fract();
            noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let wave = match tone.wave {
                Wave::Sine => (TAU * turn).sin(),
                Wave::Brass => {
                    let overtone = |(part, over): (f32, u8)| part * (TAU * turn * f32::from(over)).sin();
                    [0.6, 0.25, 0.12, 0.06].into_iter().zip(1..).map(overtone).sum()
                }
                Wave::Noise => (noise >> 8) as f32 / (1 << 23) as f32 - 1.0,
            };
            let swells = (n as f32 / (0.008 * RATE as f32)).min(1.0);
            *sample += wave * tone.loudness * swells * (-4.0 * passed).exp() * (1.0 - passed);
        }
    }
    // Where tones add up to more than 1, the whole sound is made softer.
    let peak = all.iter().fold(1.0_f32, |peak, sample| peak.max(sample.abs()));
    all.iter_mut().for_each(|sample| *sample /= peak);
    all
}

/// A sound that is being played.
#[derive(Debug)]
struct Voice {
    sound: Sound,
    samples: Rc<[f32]>,
    /// How many of its samples were played.
    played: usize,
    /// How loud it is on the left and on the right.
    sides: [f32; 2],
}

/// Mixes the sounds that are played at the same time.
#[derive(Debug, Default)]
pub struct Mixer {
    /// The samples of the sounds that were played so far.
    known: HashMap<Sound, Rc<[f32]>>,
    /// The sounds that are being played, the oldest first.
    voices: Vec<Voice>,
}

impl Mixer {
    /// Begins a sound, `pan` from −1, left, to 1, right.
    pub fn start(&mut self, sound: Sound, pan: f32) {
        if self.voices.iter().any(|voice| voice.sound == sound && voice.played < REPEAT_PAUSE) {
            return;
        }
        if self.voices.len() == MAX_VOICES {
            self.voices.remove(0);
        }
        let samples = Rc::clone(self.known.entry(sound).or_insert_with(|| samples(sound).into()));
        let sides = [1.0 - pan.clamp(0.0, 1.0), 1.0 + pan.clamp(-1.0, 0.0)].map(|side| side * LOUDNESS);
        self.voices.push(Voice { sound, samples, played: 0, sides });
    }

    /// Stops all sounds that are playing.
    pub fn hush(&mut self) {
        self.voices.clear();
    }

    /// Whether no sound is playing.
    pub fn is_silent(&self) -> bool {
        self.voices.is_empty()
    }

    /// The next `count` samples of both channels, left first, 16 bits little-endian each.
    pub fn mix(&mut self, count: usize) -> Vec<u8> {
        let mut mixed = vec![[0.0_f32; 2]; count];
        for voice in &mut self.voices {
            let rest = &voice.samples[voice.played..];
            for (sum, sample) in mixed.iter_mut().zip(rest) {
                sum[0] += sample * voice.sides[0];
                sum[1] += sample * voice.sides[1];
            }
            voice.played += count.min(rest.len());
        }
        self.voices.retain(|voice| voice.played < voice.samples.len());
        let whole = |sample: f32| (sample.clamp(-1.0, 1.0) * f32::from(i16::MAX)) as i16;
        mixed.into_iter().flatten().flat_map(|sample| whole(sample).to_le_bytes()).collect()
    }
}

/// Writes a WAV file with the sounds that begin in each frame of a film.
///
/// # Errors
/// When the file can't be written.
pub fn write_wav(mut to: impl Write, frames: &[Vec<SoundCue>], frames_per_second: u32) -> io::Result<()> {
    let per_frame = (RATE / frames_per_second) as usize;
    // A WAV file has its length in 32 bits, enough for twelve hours; players read a longer file to its end all the
    // same.
    let bytes = u32::try_from(frames.len() * per_frame * 4).unwrap_or(u32::MAX - 36);
    to.write_all(b"RIFF")?;
    to.write_all(&(bytes + 36).to_le_bytes())?;
    to.write_all(b"WAVEfmt \x10\0\0\0\x01\0\x02\0")?;
    to.write_all(&RATE.to_le_bytes())?;
    to.write_all(&(RATE * 4).to_le_bytes())?;
    to.write_all(b"\x04\0\x10\0data")?;
    to.write_all(&bytes.to_le_bytes())?;
    let mut mixer = Mixer::default();
    for cues in frames {
        cues.iter().for_each(|cue| mixer.start(cue.sound, cue.pan));
        to.write_all(&mixer.mix(per_frame))?;
    }
    to.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Sound; 14] = [
        Sound::Chant(0),
        Sound::Chant(9),
        Sound::Chord(2),
        Sound::Chord(8),
        Sound::Shatter,
        Sound::Push,
        Sound::Death,
        Sound::Lead,
        Sound::Battle,
        Sound::Siege,
        Sound::Fall,
        Sound::Hold(1),
        Sound::Unpaid,
        Sound::Fanfare,
    ];

    /// The mean of the squares: how loud it is.
    fn power(samples: &[f32]) -> f32 {
        samples.iter().map(|sample| sample * sample).sum::<f32>() / samples.len() as f32
    }

    fn sides(mixed: &[u8]) -> [f32; 2] {
        let samples: Vec<f32> =
            mixed.chunks_exact(2).map(|two| f32::from(i16::from_le_bytes([two[0], two[1]]))).collect();
        [0, 1].map(|side| power(&samples.iter().copied().skip(side).step_by(2).collect::<Vec<_>>()))
    }

    #[test]
    fn each_sound_is_heard_is_short_ends_in_silence_and_is_unlike_the_others() {
        for (n, sound) in ALL.into_iter().enumerate() {
            let made = samples(sound);
            let seconds = made.len() as f32 / RATE as f32;
            assert!((0.1..2.5).contains(&seconds), "{sound:?}: {seconds} s");
            assert!(power(&made) > 1e-3, "{sound:?} can't be heard: {}", power(&made));
            assert!(made.iter().all(|sample| sample.abs() <= 1.0), "{sound:?} is cut off");
            assert!(made.last().unwrap().abs() < 0.01, "{sound:?} ends with a click");
            assert!(ALL[..n].iter().all(|other| samples(*other) != made), "{sound:?} is another one");
        }
        assert_eq!(samples(Sound::Shatter), samples(Sound::Shatter));
    }

    #[test]
    fn a_sound_comes_from_its_side_of_the_map() {
        let size = MapSize::new(20, 20);
        let pan = |x| SoundCue::at(1, Sound::Push, Some(Position { x, y: 3 }), size).pan;
        assert!(pan(0) < -0.6 && pan(19) > 0.6 && pan(0) >= -MAX_PAN && pan(10).abs() < 0.1);
        for (pan, louder) in [(pan(0), 0), (pan(19), 1)] {
            let mut mixer = Mixer::default();
            mixer.start(Sound::Push, pan);
            let heard = sides(&mixer.mix(2_000));
            assert!(heard[louder] > 4.0 * heard[1 - louder] && heard[1 - louder] > 0.0, "{heard:?}");
        }
    }

    #[test]
    fn what_is_mixed_fits_and_ends_and_is_no_louder_for_many_events_of_one_moment() {
        let mut mixer = Mixer::default();
        assert!(mixer.is_silent() && mixer.mix(10) == [0; 40]);
        (0..100).for_each(|_| mixer.start(Sound::Push, 0.0));
        let many = mixer.mix(2_000);
        let mut alone = Mixer::default();
        alone.start(Sound::Push, 0.0);
        assert_eq!(many, alone.mix(2_000));
        ALL.iter().for_each(|sound| mixer.start(*sound, 0.0));
        assert_eq!(mixer.voices.len(), MAX_VOICES);
        mixer.mix(3 * RATE as usize);
        assert!(mixer.is_silent());
    }

    #[test]
    fn a_film_of_three_frames_has_a_wav_as_long_as_they() {
        let mut file = Vec::new();
        let cue = SoundCue { tick: 9, sound: Sound::Fanfare, pan: 0.0 };
        write_wav(&mut file, &[vec![], vec![cue], vec![]], 25).unwrap();
        let frame = RATE as usize / 25 * 4;
        assert_eq!(file.len(), 44 + 3 * frame);
        assert_eq!(&file[..4], b"RIFF");
        assert_eq!(file[40..44], (3 * frame as u32).to_le_bytes());
        assert!(file[44..44 + frame].iter().all(|byte| *byte == 0), "nothing is heard before its frame");
        assert!(sides(&file[44 + frame..]).iter().all(|side| *side > 0.0));
    }
}
