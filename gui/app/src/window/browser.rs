//! A page in a browser around the observer: what the page tells comes in, what the observer wants goes out.
//!
//! Both go through the one door that miniquad has for files: the page answers names that begin with `page:` itself.
//! `page:next` is answered with the next [`Mail`] as soon as there is any; each other name is a wish of the observer's.
//! The page's side is `gui/web/glue.js`. Nothing here blocks or sleeps: between two frames the page has its time.
//! Compiled everywhere, so that it is checked everywhere; tested in this module and, in a browser, with the
//! arena's pages.

use std::cell::RefCell;
use std::collections::HashSet;
use std::rc::Rc;
use std::time::Duration;

use macroquad::miniquad::conf::{Conf as WindowConf, Platform};
use macroquad::miniquad::{date, fs, window};
use macroquad::window::next_frame;

use super::{Easel, brush::Brush, configuration};
use zappy_observer::app::observer::{GameScreens, Observer};
use zappy_observer::app::session::NewLive;
use zappy_observer::instant::Instant;
use zappy_observer::screen::Screen as _;
use zappy_observer::sound::{RATE, Sound, SoundCue, samples};
use zappy_observer::source::socket::{FromPage, Socket};

/// Something that the page sends: a line of words, and bytes behind it.
#[derive(Debug, PartialEq)]
enum Mail<'a> {
    /// The page's address without a moment.
    Page(&'a str),
    /// The moment in the page's address.
    Moment(&'a str),
    /// A record of that name.
    Record(&'a str, &'a [u8]),
    /// A match is to be watched live there.
    Live(&'a str),
    /// What happened to the socket of that match.
    Socket(FromPage<'a>),
    /// Whole lines of that match: how long ago they came, in milliseconds, and what came then.
    Lines(Vec<(Duration, &'a [u8])>),
    /// Physical px for each px of the page: it changes with the page's zoom, and on another screen.
    Density(f32),
    /// Whether the browser's user wants reduced motion.
    Calm(bool),
    /// What went wrong in the page.
    Trouble(&'a str),
}

/// The letter of a sample that is 0, and how far from it those of −1 and 1 are.
const SAMPLE_ZERO: u16 = 0x900;
const SAMPLE_RANGE: f32 = 2047.0;
/// The densities that there are.
const DENSITIES: std::ops::RangeInclusive<f32> = 0.1..=16.0;

impl Mail<'_> {
    /// `None` if the page says something that it must not say.
    fn parse(bytes: &[u8]) -> Option<Mail<'_>> {
        let end = bytes.iter().position(|&byte| byte == b'\n')?;
        let (line, rest) = (std::str::from_utf8(&bytes[..end]).ok()?, &bytes[end + 1..]);
        let (word, words) = line.split_once(' ').unwrap_or((line, ""));
        Some(match word {
            "page" => Mail::Page(words),
            "moment" => Mail::Moment(words),
            "record" => Mail::Record(words, rest),
            "live" => Mail::Live(words),
            "opened" => Mail::Socket(FromPage::Opened),
            "lines" => Mail::Lines(lines(words, rest)?),
            "closed" => {
                let (code, reason) = words.split_once(' ').unwrap_or((words, ""));
                Mail::Socket(FromPage::Closed(code.parse().ok()?, reason))
            }
            "density" => Mail::Density(words.parse().ok().filter(|told| DENSITIES.contains(told))?),
            "calm" => Mail::Calm(words.parse().ok()?),
            "trouble" => Mail::Trouble(words),
            _ => return None,
        })
    }
}

/// The bytes of each moment, by words that tell for each how many milliseconds ago it was and how many bytes came.
fn lines<'a>(words: &str, mut bytes: &'a [u8]) -> Option<Vec<(Duration, &'a [u8])>> {
    let numbers: Vec<u32> = words.split(' ').map(|word| word.parse().ok()).collect::<Option<_>>()?;
    let mut moments = Vec::new();
    for pair in numbers.chunks(2) {
        let &[age, count] = pair else { return None };
        let (came, rest) = bytes.split_at_checked(count as usize)?;
        moments.push((Duration::from_millis(age.into()), came));
        bytes = rest;
    }
    bytes.is_empty().then_some(moments)
}

/// The bytes that came and were not read, and whether more are asked for.
#[derive(Debug, Default)]
struct Post {
    came: RefCell<Option<Vec<u8>>>,
    asked: RefCell<bool>,
}

/// Fills the page. Returns at once: the page calls for each frame.
pub fn run(games: GameScreens) {
    let window = WindowConf {
        window_title: "Zappy Arena".to_owned(),
        platform: Platform { blocking_event_loop: true, ..Platform::default() },
        ..WindowConf::default()
    };
    macroquad::Window::from_config(configuration(window), async move {
        match Brush::new() {
            Ok(brush) => Page::new(brush, games).live().await,
            Err(failure) => want(&format!("trouble {failure}")),
        }
    });
}

/// What is sent to the page for a sound: its name, its side, and samples if it is new, each a letter from U+0101 to U+10FF, and how
/// many of them are a second.
fn sound_words(cue: SoundCue, new: bool) -> String {
    let letter = |sample: &f32| char::from_u32((f32::from(SAMPLE_ZERO) + sample * SAMPLE_RANGE) as u32);
    let samples: String =
        if new { samples(cue.sound).iter().filter_map(letter).collect() } else { String::new() };
    format!("sound {:?} {} {RATE} {samples}", cue.sound, cue.pan)
}

/// Lets the page do something.
fn want(what: &str) {
    // The page takes names alone, and a name has no nul.
    fs::load_file(&format!("page:{}", what.replace('\0', " ")), |_| {});
}

fn tell_time() -> Instant {
    #[cfg(target_arch = "wasm32")]
    zappy_observer::instant::it_is(date::now());
    #[cfg(not(target_arch = "wasm32"))]
    let _ = date::now();
    Instant::now()
}

/// The page's state between frames.
struct Page {
    easel: Easel,
    observer: Observer,
    post: Rc<Post>,
    socket: Option<Socket>,
    /// The sounds of which the page has the samples, and whether it is silent.
    sent: HashSet<Sound>,
    muted: bool,
    /// The moment in the page's address.
    moment: String,
    /// Physical px for each px of the page.
    density: f32,
}

impl Page {
    fn new(brush: Brush, games: GameScreens) -> Page {
        tell_time();
        let mut observer = Observer::new(games, b"");
        observer.state().telling.on = true;
        Page {
            easel: Easel::new(brush),
            observer,
            post: Rc::default(),
            socket: None,
            sent: HashSet::new(),
            muted: false,
            moment: String::new(),
            density: window::dpi_scale().max(*DENSITIES.start()),
        }
    }

    async fn live(mut self) {
        loop {
            self.turn();
            next_frame().await;
        }
    }

    /// One turn of the loop, which must draw something: macroquad shows it.
    fn turn(&mut self) {
        let now = tell_time();
        let happened = self.read(now) | self.easel.events.tell(self.density, &mut self.observer);
        if self.socket.take_if(|socket| !socket.is_wanted()).is_some() {
            want("leave");
        }
        let connects = self.socket.as_mut().is_some_and(|socket| socket.wants_connection(now));
        if connects {
            want("connect");
        }
        if happened || connects || self.easel.is_due(now) {
            self.frame(now);
        }
        self.easel.brush.draw(&mut self.easel.canvas, None);
        if self.easel.due.is_some() {
            window::schedule_update();
        }
    }

    /// Reads what the page sent, and asks for more; whether there was anything.
    fn read(&mut self, now: Instant) -> bool {
        let came = self.post.came.take();
        if let Some(mail) = came.as_deref().and_then(Mail::parse) {
            self.take(&mail, now);
        }
        if !self.post.asked.replace(true) {
            let post = Rc::clone(&self.post);
            fs::load_file("page:next", move |answer| {
                post.asked.replace(false);
                post.came.replace(answer.ok());
                window::schedule_update();
            });
        }
        came.is_some()
    }

    fn take(&mut self, mail: &Mail<'_>, now: Instant) {
        match *mail {
            Mail::Page(address) => self.observer.set_page(address.to_owned()),
            Mail::Moment(moment) => {
                moment.clone_into(&mut self.moment);
                self.observer.follow(&self.moment, false);
            }
            Mail::Record(name, bytes) => match self.observer.open_in_memory(name, bytes.to_vec()) {
                Ok(()) => {
                    if self.socket.take().is_some() {
                        want("leave");
                    }
                    want(&format!("title {name}"));
                    self.observer.follow(&self.moment, true);
                }
                Err(why) => self.say(&why.to_string()),
            },
            Mail::Live(place) => {
                let (live, socket) = Socket::of(place, now);
                self.socket = Some(socket);
                self.observer.watch(NewLive::of(live));
                self.observer.follow(&self.moment, true);
            }
            Mail::Socket(told) => {
                if let Some(socket) = &mut self.socket {
                    socket.hear(told, now);
                }
            }
            Mail::Lines(ref moments) => {
                for (age, lines) in moments {
                    if let Some(socket) = &mut self.socket {
                        socket.hear(FromPage::Lines(lines), now.checked_sub(*age).unwrap_or(now));
                    }
                }
            }
            Mail::Density(density) => self.density = density,
            Mail::Calm(calm) => self.observer.state().calm = calm,
            Mail::Trouble(what) => self.say(what),
        }
    }

    fn say(&mut self, what: &str) {
        self.observer.screen_mut().state().say(what);
    }

    /// Lets the page play what is heard from this frame on.
    fn sound(&mut self) {
        let state = self.observer.state();
        if std::mem::replace(&mut self.muted, state.muted) != state.muted {
            want(&format!("mute {}", u8::from(state.muted)));
        }
        for cue in std::mem::take(&mut state.sounds) {
            let new = self.sent.insert(cue.sound);
            want(&sound_words(cue, new));
        }
    }

    fn frame(&mut self, now: Instant) {
        self.easel.frame(&mut self.observer, self.density);
        if let Some(text) = self.observer.state().copied.take() {
            want(&format!("copy {text}"));
        }
        if let Some(text) = self.observer.state().telling.text.take() {
            want(&format!("tell {text}"));
        }
        self.sound();
        if std::mem::take(&mut self.observer.choosing) {
            want("choose");
        }
        if let Some(path) = self.observer.state().wants_picture.take() {
            // The page takes it when this frame is drawn.
            want(&format!("picture {}", path.display()));
            self.observer.state().say(&format!("saved {}", path.display()));
            self.easel.due = Some(now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn came<'a>(moments: &[(u64, &'a [u8])]) -> Mail<'a> {
        Mail::Lines(moments.iter().map(|(age, lines)| (Duration::from_millis(*age), *lines)).collect())
    }

    #[test]
    fn a_sound_is_told_as_letters_that_can_be_read_back() {
        let cue = SoundCue { tick: 3, sound: Sound::Chant(4), pan: -0.5 };
        assert_eq!(sound_words(cue, false), "sound Chant(4) -0.5 22050 ");
        let words = sound_words(cue, true);
        let letters = words.split(' ').nth(4).unwrap();
        let read: Vec<f32> =
            letters.chars().map(|letter| (letter as u32 as f32 - 2_304.0) / 2_047.0).collect();
        let made = samples(cue.sound);
        assert!(
            read.len() == made.len() && read.iter().zip(&made).all(|(one, other)| (one - other).abs() < 1e-3)
        );
    }

    #[test]
    fn mail_is_a_line_of_words_and_bytes() {
        for (bytes, mail) in [
            (&b"page https://x/y\n"[..], Mail::Page("https://x/y")),
            (b"moment #tick=3\n", Mail::Moment("#tick=3")),
            (b"record my match.zrec\nzrec 1\n", Mail::Record("my match.zrec", b"zrec 1\n")),
            (b"live ws://x\n", Mail::Live("ws://x")),
            (b"opened\n", Mail::Socket(FromPage::Opened)),
            (b"lines 16 8 3 6\nmsz 3 3\nseg x\n", came(&[(16, b"msz 3 3\n"), (3, b"seg x\n")])),
            (b"closed 1001 going away\n", Mail::Socket(FromPage::Closed(1001, "going away"))),
            (b"closed 1006\n", Mail::Socket(FromPage::Closed(1006, ""))),
            (b"density 1.5\n", Mail::Density(1.5)),
            (b"calm true\n", Mail::Calm(true)),
            (b"calm false\n", Mail::Calm(false)),
            (b"trouble no such file\n", Mail::Trouble("no such file")),
        ] {
            assert_eq!(Mail::parse(bytes), Some(mail));
        }
        for bad in [
            &b"page"[..],
            b"closed x\n",
            b"shoes\n",
            b"page \xff\n",
            b"calm 1\n",
            b"density NaN\n",
            b"density 0\n",
            b"lines 1\nx\n",
            b"lines 1 3\nx\n",
            b"lines 1 1\nx\n",
            b"lines -1 2\nx\n",
            b"",
        ] {
            assert_eq!(Mail::parse(bad), None);
        }
    }
}
