//! The plain screen as ink: what is played, which team leads, and the latest lines, above the bar of time.
//!
//! Draws what it is handed and keeps nothing. Every window is taken, also one without room. Tested in `gui/app/tests/plain/`.

use zappy_protocol::Tick;
use zappy_protocol::published::Grid;

use super::board::{Board, Lines, Team};
use super::{App, Choice, bindings};
use crate::app::action::Direction;
use crate::app::origin::Origin;
use crate::ink::{Canvas, Color, Point, Rect, Style};
use crate::panels::kit::{self, number, signed};
use crate::panels::layout::{MARGIN, above, centred, status_place, transport_place, window};
use crate::panels::start::{self, Start};
use crate::panels::status::{self, Status};
use crate::panels::transport::{self, Bar, Marks, Strip};
use crate::panels::{self, Hits, help, marks};
use crate::theme::{self, TeamLook, gap, size};

type Ui<'a> = kit::Ui<'a, Choice>;

/// What this is, for the start screen.
const ABOUT: &str = "A game that has no screen of its own: you see its name, its turn, its teams with their scores, its \
                     grid if it has one, and the lines that it publishes.";
/// The size that the keys would like, in points.
const HELP: (f32, f32) = (900.0, 330.0);
/// From this width on teams and lines stand side by side.
const BESIDE_FROM: f32 = 640.0;
/// Height of the heading with the game's name and the turn.
const HEAD: f32 = 64.0;
/// Height of a team's row.
const ROW: f32 = 34.0;
/// Height of the line that counts the teams without a row.
const MORE: f32 = 20.0;
/// Width of the column of ticks.
const TICKS: f32 = 52.0;
/// From this side on a cell of the grid shows its sign.
const SIGN_FROM: f32 = 9.0;
/// Points of the timeline that share their marks.
const BUCKET: f32 = 3.0;

/// Draws everything; gives what can be clicked.
pub fn draw(canvas: &mut Canvas, app: &App) -> Hits<Choice> {
    let mut hits = Hits::default();
    hits.still = app.watch.time.still;
    let all = window(canvas.area().w, canvas.area().h);
    canvas.rect(all, theme::NIGHT);
    let mut ui = Ui { canvas, hits: &mut hits, mouse: app.pointer.at.filter(|_| !app.help) };
    let session = &app.watch.session;
    let (origin, oddities) = (&session.origin, session.oddities());
    let status = Status { notice: app.watch.screen.notice(), oddities, bare: false };
    let transport = transport_place(all, false);
    if is_nothing_to_show(session.fold(), session.overview(), origin) {
        let place = centred(all, start::SIZE);
        start::draw(&mut ui, place, &Start { about: ABOUT, origin, status, help: Choice::Help.into() });
    } else {
        draw_match(&mut ui, above(all, transport).inset(MARGIN), app);
        if !transport.is_empty() {
            let bar = Bar {
                time: &app.watch.time,
                led: None,
                range: session.range(),
                last: Some(session.range().1),
                origin,
                ended: session.overview().close.is_some(),
                next: Choice::Turn(Direction::Next).into(),
                name: &number,
                step: transport::TICK,
                asks: true,
                hidden: None,
            };
            transport::draw(&mut ui, transport, &bar, &Turns(session.overview()));
        }
    }
    let place = status_place(all, transport, status);
    if !place.is_empty() {
        status::draw(&mut ui, place, status);
    }
    ui.mouse = app.pointer.at;
    if app.help {
        help::draw(&mut ui, centred(all, HELP), all, &help::keys(&bindings()), Choice::Help.into());
    }
    panels::hint(&mut ui);
    hits
}

fn is_nothing_to_show(board: &Board, lines: &Lines, origin: &Origin) -> bool {
    match origin {
        Origin::Nothing => true,
        Origin::Live { .. } => lines.lines.is_empty() && board.teams.is_empty(),
        Origin::Record { .. } => false,
    }
}

fn draw_match(ui: &mut Ui<'_>, place: Rect, app: &App) {
    let (head, body) = place.cut_top(HEAD);
    draw_head(ui, head, app);
    let body = body.cut_top(MARGIN).1;
    let (teams, lines) = if body.w >= BESIDE_FROM {
        let (teams, rest) = body.cut_left((body.w * 0.42).round());
        (teams, rest.cut_left(MARGIN).1)
    } else {
        let rows = app.watch.session.fold().teams.len() as f32;
        let (teams, rest) = body.cut_top((rows * ROW + 60.0).min(body.h / 2.0));
        (teams, rest.cut_top(MARGIN).1)
    };
    let Some(grid) = &app.watch.session.fold().grid else {
        draw_teams(ui, teams, app);
        return draw_lines(ui, lines, app);
    };
    // Beside each other: the teams above the lines, and the grid; below each other the lines make room for the grid.
    if body.w >= BESIDE_FROM {
        let (above, below) = teams.cut_top((teams.h / 2.0).round());
        draw_teams(ui, above, app);
        draw_lines(ui, below.cut_top(MARGIN).1, app);
    } else {
        draw_teams(ui, teams, app);
    }
    draw_grid(ui, lines, app, grid);
}

/// The grid with its cells, each in its team's colour.
fn draw_grid(ui: &mut Ui<'_>, place: Rect, app: &App, grid: &Grid) {
    let inner = kit::panel(ui.canvas, ui.hits, place);
    let (width, height) = (f32::from(grid.size.width()), f32::from(grid.size.height()));
    let side = (inner.w / width).min(inner.h / height);
    let ground = Rect::around(inner.centre(), side * width, side * height);
    ui.canvas.rect(ground, theme::NIGHT);
    let teams = &app.watch.session.fold().teams;
    let looks = looks(teams);
    for (at, (sign, team)) in &grid.cells {
        let look = teams.iter().position(|one| Some(&one.name) == team.as_ref()).map(|team| looks[team]);
        let (x, y) = (ground.x + side * f32::from(at.x), ground.y + side * f32::from(at.y));
        let cell = Rect::new(x, y, side, side);
        if let Some(look) = look {
            ui.canvas.rect(cell, look.color.alpha(0.35));
        }
        let ink = look.map_or(theme::TEXT, |look| look.color);
        // Where a sign can't be read the colour says enough.
        if side >= SIGN_FROM {
            let style = Style::strong((side * 0.7).min(size::HUGE), ink);
            kit::line_centre(ui.canvas, cell, sign.encode_utf8(&mut [0; 4]), style);
        } else {
            ui.canvas.rect(cell, ink);
        }
    }
    ui.canvas.outline(ground, 0.0, ui.canvas.hairline(), theme::PANEL_LINE);
}

/// The game's name and the version of its rules; at the right the turn, and how the match ended.
fn draw_head(ui: &mut Ui<'_>, head: Rect, app: &App) {
    let inner = kit::panel(ui.canvas, ui.hits, head);
    let board = app.watch.session.fold();
    let (game, version) = app.game();
    let name = kit::line(ui.canvas, inner, game, Style::strong(size::HUGE, theme::TEXT));
    let (_, rest) = inner.cut_left(name.w + gap::LARGE);
    let version = version.map(|version| format!("rules version {version}")).unwrap_or_default();
    let drawn = kit::line(ui.canvas, rest, &version, Style::regular(size::BODY, theme::TEXT_FAINT));
    let (_, rest) = rest.cut_left(drawn.w + gap::LARGE);
    let close = app.watch.session.overview().close.as_ref();
    let over = close.filter(|close| close.tick <= app.watch.time.whole_tick());
    let (words, ink) = match (over, board.turn) {
        (Some(close), _) => {
            let winners = if close.winners.is_empty() { "no team has won" } else { &close.winners };
            let reason = close.reason.as_ref().map(|reason| format!(" ({reason})")).unwrap_or_default();
            (format!("Over: {winners}{reason}"), theme::ACCENT)
        }
        (None, Some(turn)) => (format!("Turn {}", number(turn)), theme::TEXT),
        (None, None) => (String::new(), theme::TEXT),
    };
    kit::line_right(ui.canvas, rest, &words, Style::strong(size::HUGE, ink));
}

/// Each team with its mark, its name, its score, and the score as a bar.
fn draw_teams(ui: &mut Ui<'_>, place: Rect, app: &App) {
    let inner = kit::panel(ui.canvas, ui.hits, place);
    let mut rest = kit::heading(ui.canvas, inner, "Teams");
    let teams = &app.watch.session.fold().teams;
    let most = teams.iter().filter_map(|team| team.score).max().unwrap_or(0).max(1);
    // A cast from a float saturates.
    let fit = |room: f32| (room / ROW).floor().max(1.0) as usize;
    let all = teams.len();
    let rows = if all > fit(rest.h) { fit(rest.h - MORE) } else { all };
    let hidden = all.saturating_sub(rows);
    let above = app.teams_at.min(hidden);
    if hidden > 0 {
        let line;
        (line, rest) = rest.cut_bottom(MORE);
        kit::others(ui, line, (above, rows, hidden - above), ("more team", "more teams"), Choice::Teams);
        ui.hits.scroll(place, |up| Choice::Teams(-up));
    }
    for (team, look) in teams.iter().zip(looks(teams)).skip(above).take(rows) {
        let row = rest.take_top(ROW);
        if row.h < ROW {
            return;
        }
        let (text, bar) = row.cut_top(22.0);
        marks::emblem(ui.canvas, Point::new(text.x + 8.0, text.centre().y), 7.0, look);
        let (_, text) = text.cut_left(24.0);
        let (text, score) = text.cut_left((text.w - 90.0).max(0.0));
        kit::line(ui.canvas, text, team.name.as_str(), Style::strong(size::LARGE, look.color));
        if let Some(value) = team.score {
            kit::line_right(ui.canvas, score, &signed(value), Style::strong(size::LARGE, theme::TEXT));
            let share = value.max(0) as f32 / most as f32;
            kit::bar(ui.canvas, Rect::new(bar.x, bar.y + 2.0, bar.w, 4.0), share, look.color);
        }
    }
}

fn looks(teams: &[Team]) -> Vec<TeamLook> {
    TeamLook::of_all(&teams.iter().map(|team| team.name.clone()).collect::<Vec<_>>())
}

/// The newest line at the top.
fn draw_lines(ui: &mut Ui<'_>, place: Rect, app: &App) {
    let inner = kit::panel(ui.canvas, ui.hits, place);
    ui.hits.scroll(place, |up| Choice::Lines(-up));
    let mut rest = kit::heading(ui.canvas, inner, "Latest lines");
    let step = ui.canvas.line_height(size::BODY);
    let tick = app.watch.time.whole_tick();
    for (at, line) in app.watch.session.overview().until(tick).skip(app.lines_at) {
        let row = rest.take_top(step);
        if row.h < step {
            return;
        }
        let (ticks, text) = row.cut_left(TICKS);
        let ticks = ticks.cut_right(gap::BODY).1;
        kit::line_right(ui.canvas, ticks, &number(*at), Style::regular(size::SMALL, theme::TEXT_FAINT));
        kit::line(ui.canvas, text, line, Style::mono(size::BODY, theme::TEXT));
    }
}

/// The marks of turns on the timeline.
struct Turns<'a>(&'a Lines);

impl Marks<Choice> for Turns<'_> {
    fn draw(&self, ui: &mut Ui<'_>, strip: &Strip) {
        let shown = |tick: Tick| (strip.span.0..=strip.span.1).contains(&tick);
        let mut mark = |x: f32, high: f32, color: Color| {
            let place = Rect::new(x.min(strip.rect.right() - 2.0), strip.base.y - 2.0 - high, 2.0, high);
            ui.canvas.rect(place, color);
        };
        let mut until = f32::NEG_INFINITY;
        for (tick, _) in self.0.turns.iter().filter(|(tick, _)| shown(*tick)) {
            let x = strip.x(*tick);
            // Where turns stand close, one mark is enough.
            if x >= until {
                until = x + BUCKET;
                mark(x, 5.0, theme::TEXT_FAINT);
            }
        }
        if let Some(close) = self.0.close.as_ref().filter(|close| shown(close.tick)) {
            mark(strip.x(close.tick), 12.0, theme::ACCENT);
        }
    }

    fn hover(&self, _strip: &Strip, tick: Tick) -> String {
        let after = self.0.turns.partition_point(|(begun, _)| *begun <= tick);
        let turn = after.checked_sub(1).map(|index| format!(", turn {}", number(self.0.turns[index].1)));
        format!("Tick {}{}", number(tick), turn.unwrap_or_default())
    }
}
