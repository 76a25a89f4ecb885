//! The interface between a screen and the window that shows it. Must never name a window library.

use std::path::PathBuf;
use std::time::Duration;

use crate::{ink::Canvas, input::InputEvent, instant::Instant, sound::SoundCue};

/// When the next frame is wanted. An event always brings a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// At once.
    Again,
    /// After this time, or at an event.
    After(Duration),
    WhenSomethingHappens,
    /// Never: the window is to be closed.
    Quit,
}

/// Something that fills a window.
pub trait Screen {
    /// Takes in an event. All events since the last frame are handed over, in order, before the next frame.
    fn event(&mut self, event: InputEvent);

    /// Draws a frame. `width` and `height` are logical px, `dpi` physical px per logical px, `seconds` (wall time) since
    /// the last frame. The screen calls [`Canvas::begin`] itself, with physical px and its own scale.
    fn frame(&mut self, seconds: f32, width: f32, height: f32, dpi: f32, canvas: &mut Canvas) -> Next;

    /// The requests to the program around the screen, to be read after each frame, and what that program sets.
    fn state(&mut self) -> &mut ScreenState;
}

/// A request for another match, which the program around the screen opens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScreenWish {
    /// The record in this file.
    Open(PathBuf),
    /// The record that comes with the program.
    Sample,
    /// A record that the spectator chooses among the machine's files.
    Choose,
    /// The match on this machine's usual port.
    ConnectHere,
}

/// The part of a screen that is independent of the match: settings, and requests to the program around the screen.
#[derive(Debug)]
pub struct ScreenState {
    /// The factor on the size of text and panels that the spectator has chosen.
    pub ui_scale: f32,
    /// Whether the director leads the camera, to the moments that matter.
    pub director: bool,
    /// The notice on the screen, and since when it is there.
    pub said: Option<(String, Instant)>,
    /// The sounds of the ticks that the last update passed.
    pub sounds: Vec<SoundCue>,
    /// Whether the sound is off.
    pub muted: bool,
    /// Whether motion is reduced: nothing shakes, and the camera neither sweeps nor flies.
    pub calm: bool,
    /// A request for another match.
    pub wish: Option<ScreenWish>,
    /// The file in which the next frame is to be saved as a picture.
    pub wants_picture: Option<PathBuf>,
    /// Text for the clipboard.
    pub copied: Option<String>,
    /// The address of the page around the screen, without a moment in it; `None` on the desktop.
    pub page: Option<String>,
    /// The picture as text.
    pub telling: ScreenText,
}

/// The picture as text for spectators who can't see it: the headline and the standing, whenever the headline changes.
#[derive(Debug, Default)]
pub struct ScreenText {
    /// Whether the program around the screen wants the text.
    pub on: bool,
    /// The text to be spoken next.
    pub text: Option<String>,
    headline: String,
    /// When the headline was last looked at.
    looked: Option<Instant>,
}

impl ScreenText {
    /// The least time between two looks at the headline, as each headline is shown for longer.
    const PAUSE: Duration = Duration::from_secs(1);

    /// Whether the headline is to be looked at.
    pub fn is_due(&self, now: Instant) -> bool {
        self.on && self.looked.is_none_or(|looked| now.duration_since(looked) >= ScreenText::PAUSE)
    }

    /// Makes the text of headline and standing, unless the headline is the same as before.
    pub fn tell(&mut self, now: Instant, headline: String, standing: &str) {
        self.looked = Some(now);
        if headline != self.headline {
            self.text = Some(format!("{headline}. {standing}."));
            self.headline = headline;
        }
    }
}

impl Default for ScreenState {
    fn default() -> ScreenState {
        ScreenState {
            ui_scale: 1.0,
            director: false,
            said: None,
            sounds: Vec::new(),
            muted: false,
            calm: false,
            wish: None,
            wants_picture: None,
            copied: None,
            page: None,
            telling: ScreenText::default(),
        }
    }
}

impl ScreenState {
    /// Shows a notice for a few seconds.
    pub fn say(&mut self, what: &str) {
        let mut letters = what.chars();
        // A notice begins with a capital, unless its first word is the name of a file.
        let is_word = what.split(' ').next().is_some_and(|word| !word.contains(['.', '/', '\\']));
        let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
        let words = if is_word { first + letters.as_str() } else { what.to_owned() };
        self.said = Some((words, Instant::now()));
    }

    /// The notice on the screen.
    pub fn notice(&self) -> Option<&str> {
        self.said.as_ref().map(|(what, _)| what.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_headline_is_told_once_and_looked_at_once_in_a_second() {
        let now = Instant::now();
        let mut telling = ScreenText::default();
        assert!(!telling.is_due(now), "nothing is spoken unless that is wanted");
        telling.on = true;
        assert!(telling.is_due(now));
        telling.tell(now, "Red leads".to_owned(), "red: 43 %");
        assert_eq!(telling.text.take().as_deref(), Some("Red leads. red: 43 %."));
        let later = now.checked_add(ScreenText::PAUSE).unwrap();
        assert!(!telling.is_due(now) && telling.is_due(later));
        telling.tell(later, "Red leads".to_owned(), "red: 44 %");
        assert_eq!(telling.text, None);
    }
}
