//! Every shape and text size, to be looked at: `cargo run -p zappy-gui --example ink -- [--screenshot OUT.png]`.

use std::{cell::Cell, path::PathBuf, process::ExitCode};

use clap::Parser;
use zappy_gui::window::{self, WindowFailure};
use zappy_observer::{
    ink::{Anchor, Canvas, Color, Face, Point, Rect, Style},
    input::{InputEvent, Keycap},
    screen::{Next, Screen, ScreenState},
};

const NIGHT: Color = Color::hex(0x11151c);
const PANEL: Color = Color::hex(0x1b212b);
const INK: Color = Color::hex(0xe6e9ef);
const FAINT: Color = Color::hex(0x8b94a5);
const HUES: [Color; 6] = [
    Color::hex(0x4cc2ff),
    Color::hex(0xffb454),
    Color::hex(0x7fd962),
    Color::hex(0xf26d78),
    Color::hex(0xd2a6ff),
    Color::hex(0xffee99),
];

/// Shows every shape and text size.
#[derive(Parser)]
struct ViewerOptions {
    /// Write a picture instead of opening a window.
    #[arg(long)]
    screenshot: Option<PathBuf>,
    /// Physical px to the point.
    #[arg(long, default_value_t = 1.0)]
    scale: f32,
}

fn main() -> ExitCode {
    match show(ViewerOptions::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("ink: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn show(options: ViewerOptions) -> Result<(), WindowFailure> {
    let scale = options.scale;
    let Some(path) = options.screenshot else {
        return window::run("Ink", (960, 640), Box::new(move || Box::new(Demo { scale, ..Demo::default() })));
    };
    let path = Cell::new(Some(path));
    let size = |points: f32| (points * scale) as u32;
    let paint = move |canvas: &mut Canvas| {
        let path = path.take()?;
        draw(canvas, "a picture");
        Some(path)
    };
    window::pictures(size(960.0), size(640.0), scale, Box::new(paint)).map(drop)
}

#[derive(Default)]
struct Demo {
    scale: f32,
    last: String,
    moving: bool,
    quit: bool,
    frames: u64,
    state: ScreenState,
}

impl Screen for Demo {
    fn event(&mut self, event: InputEvent) {
        if let InputEvent::Key { key, .. } = event {
            self.quit |= key == Keycap::Escape;
            self.moving ^= key == Keycap::Space;
        }
        self.last = format!("{event:?}");
    }

    fn frame(&mut self, _seconds: f32, width: f32, height: f32, dpi: f32, canvas: &mut Canvas) -> Next {
        self.frames += 1;
        canvas.begin(width * dpi, height * dpi, dpi * self.scale);
        draw(canvas, &format!("frame {}, last event {}", self.frames, self.last));
        match (self.quit, self.moving) {
            (true, _) => Next::Quit,
            (_, true) => Next::Again,
            _ => Next::WhenSomethingHappens,
        }
    }

    fn state(&mut self) -> &mut ScreenState {
        &mut self.state
    }
}

fn draw(canvas: &mut Canvas, caption: &str) {
    canvas.rect(canvas.area(), NIGHT);
    let (status, area) = canvas.area().cut_bottom(26.0);
    let caption = canvas.ellipsis(caption, Face::Mono, 12.0, status.w - 24.0).into_owned();
    canvas.text(Point::new(12.0, status.centre().y), Anchor::Left, &caption, Style::mono(12.0, FAINT));
    let (left, right) = area.cut_left(480.0);
    let mut left = left.inset(12.0);
    for draw in [boxes, rounds, corners] {
        let (place, below) = left.cut_top(130.0);
        draw(canvas, place);
        left = below;
    }
    lines(canvas, left);
    let (above, below) = right.inset(12.0).cut_top(330.0);
    sizes(canvas, above);
    paragraphs(canvas, below);
}

fn cells(area: Rect, count: usize) -> impl Iterator<Item = (Rect, Color)> {
    let width = area.w / count as f32;
    let cell = move |at| Rect::new(area.x + width * at as f32, area.y, width, area.h).inset(12.0);
    (0..count).map(move |at| (cell(at), HUES[at % HUES.len()]))
}

fn boxes(canvas: &mut Canvas, area: Rect) {
    for (at, (cell, hue)) in cells(area, 6).enumerate() {
        match at {
            0 => canvas.rect(cell, hue),
            1 => canvas.round_rect(cell, 10.0, hue),
            2 => canvas.outline(cell, 10.0, 2.0, hue),
            3 => {
                canvas.shadow(cell.moved(Point::new(0.0, 4.0)), 10.0, 12.0, Color::BLACK);
                canvas.round_rect(cell, 10.0, PANEL);
                canvas.outline(cell, 10.0, canvas.hairline(), FAINT);
            }
            4 => canvas.gradient(cell, hue, hue.alpha(0.0)),
            _ => canvas.clipped(cell.inset(8.0), |canvas| {
                canvas.rect(cell, PANEL);
                canvas.circle(cell.origin(), 50.0, hue);
                canvas.text(cell.centre(), Anchor::Centre, "clipped text", Style::regular(14.0, INK));
            }),
        }
    }
}

fn rounds(canvas: &mut Canvas, area: Rect) {
    for (at, (cell, hue)) in cells(area, 6).enumerate() {
        let (centre, r) = (cell.centre(), cell.w / 2.0);
        match at {
            0 => canvas.circle(centre, r, hue),
            1 => canvas.ring(centre, r - 2.0, 4.0, hue),
            2 => {
                canvas.ring(centre, r - 3.0, 6.0, PANEL);
                canvas.arc(centre, r - 3.0, 6.0, 0.0, 0.7, hue);
            }
            3 => canvas.arc(centre, r - 3.0, 2.0, -0.1, 0.1, hue),
            4 => canvas.glow(centre, r * 1.4, hue),
            _ => canvas.faded(0.4, |canvas| {
                canvas.circle(centre - Point::new(8.0, 0.0), r - 8.0, hue);
                canvas.circle(centre + Point::new(8.0, 0.0), r - 8.0, hue);
            }),
        }
    }
}

fn corners(canvas: &mut Canvas, area: Rect) {
    for (at, (cell, hue)) in cells(area, 6).enumerate() {
        let (centre, r) = (cell.centre(), cell.w / 2.0);
        match at {
            0 => canvas.polygon(centre, r, 3, 0.0, 4.0, hue),
            1 => canvas.polygon(centre, r, 6, 0.05, 0.0, hue),
            2 => canvas.regular(centre, r, (5, 0.0, 3.0, 2.0), hue),
            3 => canvas.star(centre, r, 5, 0.45, 0.0, hue),
            4 => canvas.star(centre, r, 8, 0.7, 0.02, hue),
            _ => {
                let corner = |turn| centre + Point::from_turn(turn) * r;
                canvas.triangle(corner(0.1), corner(0.55), corner(0.7), hue);
                canvas.triangle(corner(0.3), corner(0.5), corner(0.2), hue.alpha(0.5));
            }
        }
    }
}

fn lines(canvas: &mut Canvas, area: Rect) {
    let (fan, area) = area.cut_left(200.0);
    for (at, width) in [0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 5.0, 8.0].into_iter().enumerate() {
        let from = fan.origin() + Point::new(12.0, 20.0);
        let turn = 0.25 + at as f32 * 0.035;
        canvas.line(from + Point::from_turn(turn) * 20.0, from + Point::from_turn(turn) * 170.0, width, INK);
    }
    let place = |at: u8, height: f32| {
        let wave = (f32::from(at) * 0.6).sin() * height + (f32::from(at) * 1.9).cos() * height * 0.4;
        Point::new(area.x + 10.0 + f32::from(at) * 8.0, area.y + 60.0 - wave)
    };
    let curve: Vec<Point> = (0..30).map(|at| place(at, 30.0)).collect();
    canvas.polyline(&curve, 8.0, HUES[0].alpha(0.4));
    canvas.polyline(&curve, 1.5, HUES[0]);
    let zigzag: Vec<Point> = (0..9)
        .map(|at| Point::new(area.x + 16.0 + at as f32 * 28.0, area.y + 130.0 + (at % 2) as f32 * 40.0))
        .collect();
    canvas.polyline(&zigzag, 12.0, HUES[1].alpha(0.5));
}

fn sizes(canvas: &mut Canvas, area: Rect) {
    let mut at = area.origin();
    for size in [9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 16.0, 20.0, 28.0, 44.0] {
        let style = Style::regular(size, INK);
        let drawn =
            canvas.text(at, Anchor::TopLeft, &format!("{size} pt: Elevation 7→8, Hamburgefonstiv"), style);
        at.y = drawn.bottom() + 4.0;
    }
    canvas.text(at, Anchor::TopLeft, "Strong: Team «Alpha» №1", Style::strong(18.0, HUES[1]));
    at.y += 30.0;
    canvas.text(at, Anchor::TopLeft, "mono: msz 10 10 | pnw #1 3 4 1 1 alpha", Style::mono(13.0, HUES[2]));
}

fn paragraphs(canvas: &mut Canvas, area: Rect) {
    let (left, area) = area.cut_left(area.w / 2.0);
    let dark_on_light = left.inset(6.0);
    canvas.round_rect(dark_on_light, 6.0, INK);
    let words = "Dark on light: the sound of a broadcast comes from one of eight directions, and from nowhere within \
                 one's own tile. Averyverylongwordthatdoesnotfitintothisboxatall, \u{7} \u{1f980}.";
    paragraph(canvas, dark_on_light.inset(12.0), words, NIGHT);
    let light_on_dark = area.inset(6.0);
    canvas.round_rect(light_on_dark, 6.0, PANEL);
    paragraph(canvas, light_on_dark.inset(12.0), &words.replace("Dark on light", "Light on dark"), INK);
}

fn paragraph(canvas: &mut Canvas, area: Rect, text: &str, color: Color) {
    let height = canvas.line_height(13.0);
    for (at, line) in canvas.wrap(text, Face::Regular, 13.0, area.w).into_iter().enumerate() {
        let place = area.origin() + Point::new(0.0, at as f32 * height);
        canvas.text(place, Anchor::TopLeft, &line, Style::regular(13.0, color));
    }
    let short = canvas.ellipsis(text, Face::Strong, 13.0, area.w).into_owned();
    canvas.text(Point::new(area.x, area.bottom()), Anchor::BottomLeft, &short, Style::strong(13.0, color));
}
