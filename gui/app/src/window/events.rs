//! macroquad's events as the observer's. Must keep their order.

use macroquad::{
    input::{
        simulate_mouse_with_touch,
        utils::{register_input_subscriber, repeat_all_miniquad_input},
    },
    miniquad::{EventHandler, KeyCode, KeyMods, MouseButton, TouchPhase, window::screen_size},
};

use zappy_observer::{
    ink::Point,
    input::{Button, InputEvent, Keycap, Mods},
    screen::Screen,
};

/// Events between two frames at most; a hand makes a few, and what floods is dropped.
const MAX_EVENTS: usize = 10_000;

/// Units of the wheel that make a notch: a browser tells px.
const NOTCH: f32 = if cfg!(target_arch = "wasm32") { 100.0 } else { 1.0 };

/// Gathers what happened since the last frame.
pub(super) struct Events {
    subscriber: usize,
    gathered: Gathered,
    /// The size of the window in physical px.
    pub(super) size: (f32, f32),
}

#[derive(Default)]
struct Gathered {
    events: Vec<InputEvent>,
    at: Point,
    dpi: f32,
    /// The fingers on the screen that count, at most two, and where they are.
    fingers: Vec<(u64, Point)>,
}

impl Events {
    pub(super) fn new() -> Self {
        // Fingers are told apart here: two of them are no mouse.
        simulate_mouse_with_touch(false);
        Self { subscriber: register_input_subscriber(), gathered: Gathered::default(), size: screen_size() }
    }

    /// Tells a screen what happened since the last call, in order; whether anything did, or the window has another size.
    /// `dpi` is physical px per logical px.
    pub(super) fn tell(&mut self, dpi: f32, screen: &mut dyn Screen) -> bool {
        self.gathered.dpi = dpi;
        repeat_all_miniquad_input(&mut self.gathered, self.subscriber);
        let dropped = macroquad::input::get_dropped_files().into_iter().filter_map(|file| file.path);
        self.gathered.events.extend(dropped.map(InputEvent::Dropped));
        let happened = !self.gathered.events.is_empty();
        self.gathered.events.drain(..).for_each(|event| screen.event(event));
        let size = screen_size();
        happened | (std::mem::replace(&mut self.size, size) != size)
    }
}

impl Gathered {
    fn push(&mut self, event: InputEvent) {
        if self.events.len() < MAX_EVENTS {
            self.events.push(event);
        }
    }

    fn point(&mut self, x: f32, y: f32) -> Point {
        self.at = Point::new(x, y) / self.dpi;
        self.at
    }
}

impl EventHandler for Gathered {
    fn update(&mut self) {}

    fn draw(&mut self) {}

    fn mouse_motion_event(&mut self, x: f32, y: f32) {
        let at = self.point(x, y);
        self.push(InputEvent::Moved(at));
    }

    fn mouse_wheel_event(&mut self, _x: f32, y: f32) {
        self.push(InputEvent::Wheel(y / NOTCH, self.at));
    }

    fn mouse_button_down_event(&mut self, button: MouseButton, x: f32, y: f32) {
        let at = self.point(x, y);
        if let Some(button) = button_of(button) {
            self.push(InputEvent::Pressed(button, at));
        }
    }

    fn mouse_button_up_event(&mut self, button: MouseButton, x: f32, y: f32) {
        let at = self.point(x, y);
        if let Some(button) = button_of(button) {
            self.push(InputEvent::Released(button, at));
        }
    }

    /// One finger is the left button of a mouse; two move and pinch the world between them.
    fn touch_event(&mut self, phase: TouchPhase, id: u64, x: f32, y: f32) {
        let at = self.point(x, y);
        let before = between(&self.fingers);
        let known = self.fingers.iter().position(|(finger, _)| *finger == id);
        match (phase, known) {
            (TouchPhase::Started, None) if self.fingers.len() < 2 => {
                self.fingers.push((id, at));
                match between(&self.fingers) {
                    Some((middle, _)) => {
                        self.push(InputEvent::Pinched { by: Point::ZERO, factor: 1.0, at: middle });
                    }
                    None => {
                        self.push(InputEvent::Touched);
                        self.push(InputEvent::Moved(at));
                        self.push(InputEvent::Pressed(Button::Left, at));
                    }
                }
            }
            (TouchPhase::Moved, Some(finger)) => {
                self.fingers[finger].1 = at;
                match (before, between(&self.fingers)) {
                    (Some((from, apart)), Some((to, now))) => {
                        let factor = now.max(1.0) / apart.max(1.0);
                        self.push(InputEvent::Pinched { by: to - from, factor, at: to });
                    }
                    _ => self.push(InputEvent::Moved(at)),
                }
            }
            (TouchPhase::Ended | TouchPhase::Cancelled, Some(finger)) => {
                self.fingers.remove(finger);
                if self.fingers.is_empty() {
                    self.push(InputEvent::Released(Button::Left, at));
                    // A finger that is gone points at nothing.
                    self.push(InputEvent::Left);
                }
            }
            _ => {}
        }
    }

    fn key_down_event(&mut self, code: KeyCode, mods: KeyMods, _repeat: bool) {
        let mods = Mods { shift: mods.shift, ctrl: mods.ctrl || mods.logo, alt: mods.alt };
        if let Some(key) = key_of(code, mods.shift) {
            self.push(InputEvent::Key { key, mods });
        }
    }

    fn window_minimized_event(&mut self) {
        self.push(InputEvent::Left);
    }
}

/// The middle between two fingers, and how far they are apart.
fn between(fingers: &[(u64, Point)]) -> Option<(Point, f32)> {
    let [(_, one), (_, other)] = fingers else { return None };
    Some(((*one + *other) / 2.0, one.distance(*other)))
}

fn button_of(button: MouseButton) -> Option<Button> {
    match button {
        MouseButton::Left => Some(Button::Left),
        MouseButton::Middle => Some(Button::Middle),
        MouseButton::Right => Some(Button::Right),
        MouseButton::Unknown => None,
    }
}

/// Keys of the numeric pad count as those of the same name.
#[rustfmt::skip]
fn key_of(code: KeyCode, shift: bool) -> Option<Keycap> {
    use KeyCode as C;
    Some(match code {
        C::A => Keycap::A, C::B => Keycap::B, C::C => Keycap::C, C::D => Keycap::D, C::E => Keycap::E, C::F => Keycap::F, C::G => Keycap::G,
        C::H => Keycap::H, C::I => Keycap::I, C::J => Keycap::J, C::K => Keycap::K, C::L => Keycap::L, C::M => Keycap::M, C::N => Keycap::N,
        C::O => Keycap::O, C::P => Keycap::P, C::Q => Keycap::Q, C::R => Keycap::R, C::S => Keycap::S, C::T => Keycap::T, C::U => Keycap::U,
        C::V => Keycap::V, C::W => Keycap::W, C::X => Keycap::X, C::Y => Keycap::Y, C::Z => Keycap::Z,
        C::Key0 | C::Kp0 => Keycap::Digit0, C::Key1 | C::Kp1 => Keycap::Digit1, C::Key2 | C::Kp2 => Keycap::Digit2,
        C::Key3 | C::Kp3 => Keycap::Digit3, C::Key4 | C::Kp4 => Keycap::Digit4, C::Key5 | C::Kp5 => Keycap::Digit5,
        C::Key6 | C::Kp6 => Keycap::Digit6, C::Key7 | C::Kp7 => Keycap::Digit7, C::Key8 | C::Kp8 => Keycap::Digit8,
        C::Key9 | C::Kp9 => Keycap::Digit9,
        C::Left => Keycap::Left, C::Right => Keycap::Right, C::Up => Keycap::Up, C::Down => Keycap::Down,
        C::Space => Keycap::Space, C::Enter | C::KpEnter => Keycap::Enter, C::Escape => Keycap::Escape, C::Tab => Keycap::Tab,
        C::Backspace => Keycap::Backspace, C::Delete => Keycap::Delete, C::Insert => Keycap::Insert, C::Home => Keycap::Home,
        C::End => Keycap::End, C::PageUp => Keycap::PageUp, C::PageDown => Keycap::PageDown,
        C::F1 => Keycap::F1, C::F2 => Keycap::F2, C::F3 => Keycap::F3, C::F4 => Keycap::F4, C::F5 => Keycap::F5, C::F6 => Keycap::F6,
        C::F7 => Keycap::F7, C::F8 => Keycap::F8, C::F9 => Keycap::F9, C::F10 => Keycap::F10, C::F11 => Keycap::F11, C::F12 => Keycap::F12,
        C::Equal if shift => Keycap::Plus,
        C::KpAdd => Keycap::Plus, C::Minus | C::KpSubtract => Keycap::Minus, C::Equal | C::KpEqual => Keycap::Equal,
        C::Comma => Keycap::Comma, C::Period | C::KpDecimal => Keycap::Period, C::Slash | C::KpDivide => Keycap::Slash,
        C::Backslash => Keycap::Backslash, C::Semicolon => Keycap::Semicolon, C::Apostrophe => Keycap::Apostrophe,
        C::GraveAccent => Keycap::Grave, C::LeftBracket => Keycap::LeftBracket, C::RightBracket => Keycap::RightBracket,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_told_with_what_is_held_and_a_press_with_its_place() {
        let mut gathered = Gathered { dpi: 2.0, ..Gathered::default() };
        gathered.mouse_motion_event(20.0, 10.0);
        gathered.mouse_wheel_event(0.0, NOTCH);
        gathered.key_down_event(KeyCode::O, KeyMods { logo: true, ..KeyMods::default() }, false);
        gathered.mouse_button_down_event(MouseButton::Left, 4.0, 4.0);
        let at = Point::new(10.0, 5.0);
        let key = InputEvent::Key { key: Keycap::O, mods: Mods::CTRL };
        let pressed = InputEvent::Pressed(Button::Left, Point::new(2.0, 2.0));
        assert_eq!(gathered.events, [InputEvent::Moved(at), InputEvent::Wheel(1.0, at), key, pressed]);
    }

    #[test]
    fn a_flood_is_bounded() {
        let mut gathered = Gathered { dpi: 1.0, ..Gathered::default() };
        for _ in 0..2 * MAX_EVENTS {
            gathered.mouse_motion_event(1.0, 1.0);
        }
        assert_eq!(gathered.events.len(), MAX_EVENTS);
    }
}
