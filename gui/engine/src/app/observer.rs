//! The observer, whatever it shows: one screen at a time, of the game that the record or the server names.
//!
//! Knows games by the [`GameScreens`] that the program hands in, and names none. Plain Rust without a window. Tested in
//! `gui/app/tests/observer.rs`.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use zappy_protocol::Tick;

use super::link;
use super::session::NewLive;
use super::watching::ANOTHER_MATCH;
pub use super::watching::Chosen;
use crate::ink::Canvas;
use crate::input::InputEvent;
use crate::led::LedTime;
use crate::screen::{Next, Screen, ScreenState, ScreenWish};
use crate::sound::SoundCue;
use crate::timeline::record_file::{OpenError, WatchedRecord};

/// The port that a server listens on by default.
pub const USUAL_PORT: u16 = 4242;

/// Functions that make the screens of the games.
#[derive(Debug, Clone, Copy)]
pub struct GameScreens {
    /// The screen for a record, of the game that its header names.
    pub record: fn(WatchedRecord) -> Box<dyn GameScreen>,
    /// The screen for a live match, of the game that its server names, or of the default game if it names none.
    pub live: fn(NewLive) -> Box<dyn GameScreen>,
    /// The screen without a match.
    pub nothing: fn() -> Box<dyn GameScreen>,
    /// The words for what can be selected on any of these screens.
    pub selectable: &'static [&'static str],
}

/// The screen of a game.
pub trait GameScreen: Screen {
    /// The connection, if its server now plays another game than this screen's.
    fn take_other_game(&mut self) -> Option<NewLive>;
    /// Waits until a record is read to its end, so that every picture of it is the same.
    fn read_all(&mut self);
    /// The last tick that can be shown, the time after the end included.
    fn last_tick(&self) -> Tick;
    /// Takes over what was chosen before the first picture.
    fn choose(&mut self, chosen: &Chosen);
    /// Points the camera at the choices again, as for the first picture.
    fn frame_anew(&mut self);
    /// The record's own pace, slow where the match is decided; `None` for a live match, and until the record is read.
    fn led(&self) -> Option<&LedTime>;
    /// The sounds after the first of these ticks, up to and at the second.
    fn sounds(&self, ticks: (Tick, Tick)) -> Vec<SoundCue>;
    /// Paints the match at this tick, with what was chosen. A tick after the end paints the last one; a negative one
    /// paints the title, that many seconds before the match begins.
    fn paint_at(&mut self, tick: f64, canvas: &mut Canvas);
}

/// Shows one match at a time, on the screen of its game.
pub struct Observer {
    games: GameScreens,
    screen: Box<dyn GameScreen>,
    /// The record that comes with the program, as bytes.
    sample: &'static [u8],
    /// The folder of the bots' notes for the record that is opened next; `None`: the one beside the record.
    pub notes: Option<PathBuf>,
    /// The address of the page around the observer; `None` on the desktop.
    page: Option<String>,
    /// Whether the spectator wants to choose a record among the machine's files.
    pub choosing: bool,
}

impl Observer {
    /// An observer that shows nothing yet. `sample` holds the bytes of the record that comes with the program.
    pub fn new(games: GameScreens, sample: &'static [u8]) -> Observer {
        Observer { games, screen: (games.nothing)(), sample, notes: None, page: None, choosing: false }
    }

    /// Shows the record in this file.
    ///
    /// # Errors
    /// Says what the file is instead, and the remedy; the match that was shown before stays.
    pub fn open(&mut self, path: &Path) -> Result<(), OpenError> {
        let mut file = WatchedRecord::open(path)?;
        if let Some(notes) = self.notes.take() {
            file.notes = notes;
        }
        self.show((self.games.record)(file), true);
        Ok(())
    }

    /// Shows the record that these bytes are.
    ///
    /// # Errors
    /// As [`Observer::open`].
    pub fn open_in_memory(
        &mut self,
        name: &str,
        bytes: impl Into<Cow<'static, [u8]>>,
    ) -> Result<(), OpenError> {
        let file = WatchedRecord::in_memory(name, bytes)?;
        self.show((self.games.record)(file), true);
        Ok(())
    }

    /// Watches a server: connects in the background, and again whenever the connection is lost.
    ///
    /// # Errors
    /// When the system can't start a thread.
    pub fn connect(&mut self, host: &str, port: u16) -> std::io::Result<()> {
        self.watch(NewLive::connect(host, port)?);
        Ok(())
    }

    /// Watches the match on this connection.
    pub fn watch(&mut self, live: NewLive) {
        self.show((self.games.live)(live), false);
    }

    /// Goes to the moment, place and selection in a link, which is the part of an address behind its `#`.
    /// `just_opened`: the match was opened for this link, so that its first picture is still to come.
    pub fn follow(&mut self, fragment: &str, just_opened: bool) {
        self.screen.state().director = false;
        self.screen.choose(&link::chosen(fragment, self.games.selectable));
        if !just_opened {
            self.screen.frame_anew();
        }
    }

    /// Sets the address of the page around the observer, with which links to a moment begin.
    pub fn set_page(&mut self, address: String) {
        self.page = Some(address);
        self.screen.state().page.clone_from(&self.page);
    }

    /// The screen of the game that is shown.
    pub fn screen(&self) -> &dyn GameScreen {
        &*self.screen
    }

    /// The screen of the game that is shown, to be changed.
    pub fn screen_mut(&mut self) -> &mut dyn GameScreen {
        &mut *self.screen
    }

    /// Replaces the screen. Of the spectator's choices only the size of the text, silence, reduced motion and the
    /// director stay; the director leads in every record.
    fn show(&mut self, screen: Box<dyn GameScreen>, is_record: bool) {
        let state = self.screen.state();
        let (scale, director) = (Some(state.ui_scale), state.director || is_record);
        let (muted, calm) = (state.muted, state.calm);
        self.screen = screen;
        (self.screen.state().muted, self.screen.state().calm) = (muted, calm);
        self.screen.choose(&Chosen { scale, director, opening: is_record, ..Chosen::default() });
        self.screen.state().page.clone_from(&self.page);
    }
}

impl Screen for Observer {
    fn event(&mut self, event: InputEvent) {
        self.screen.event(event);
    }

    fn frame(&mut self, seconds: f32, width: f32, height: f32, dpi: f32, canvas: &mut Canvas) -> Next {
        while let Some(wish) = self.screen.state().wish.take() {
            let trouble = match wish {
                ScreenWish::Open(path) => self.open(&path).err().map(|error| error.to_string()),
                ScreenWish::Sample => {
                    self.open_in_memory("sample.zrec", self.sample).err().map(|error| error.to_string())
                }
                ScreenWish::Choose => {
                    self.choosing = true;
                    None
                }
                ScreenWish::ConnectHere => {
                    let tried = self.connect("localhost", USUAL_PORT);
                    tried.err().map(|error| format!("can't start to connect: {error}"))
                }
            };
            if let Some(why) = trouble {
                self.screen.state().say(&why);
            }
        }
        let next = self.screen.frame(seconds, width, height, dpi, canvas);
        match self.screen.take_other_game() {
            Some(live) => {
                let had_match = self.screen.last_tick() > 0;
                self.watch(live);
                if had_match {
                    self.screen.state().say(ANOTHER_MATCH);
                }
                Next::Again
            }
            None => next,
        }
    }

    fn state(&mut self) -> &mut ScreenState {
        self.screen.state()
    }
}
