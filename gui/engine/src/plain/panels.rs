//! Everything around the grid, as ink: what is played, the teams by their scores, the lines, how the match ended.
//!
//! Must never keep anything between frames. Tested in `gui/app/tests/plain/`.

use std::cmp::Reverse;

use zappy_protocol::Tick;

use super::board::Team;
use super::{Choice, PlainMap, Shown, world};
use crate::app::action::Panel;
use crate::ink::{Color, Point, Rect, Style};
use crate::map_screen::MapGame as _;
use crate::map_screen::panels::Panels;
use crate::panels::closing::{self, ClosingTable, MatchEnd};
use crate::panels::feed::{self, FeedItem, Narrowing};
use crate::panels::help;
use crate::panels::kit::{self, number, signed};
use crate::panels::marks::emblem;
use crate::panels::now::{self, Now};
use crate::panels::race::Racer;
use crate::panels::ranks::{self, Rows};
use crate::panels::transport::{self, Marks, Strip};
use crate::theme::{self, gap, size};

type Ui<'a> = kit::Ui<'a, Choice>;

const ABOUT: &str = "A game that has no screen of its own: you see its name, its turn, its teams with their scores, its \
                     grid if it has one, and the lines that it publishes.";
/// Heights of a team's row, from the roomiest to the tightest, in points.
const ROWS: Rows = Rows(&[34.0, 28.0, 22.0, 18.0]);
/// Points of the timeline that share their marks.
const BUCKET: f32 = 3.0;
/// Height of what is said of a cell, in points.
const INSPECTOR: f32 = 76.0;

pub const PANELS: Panels<PlainMap> = Panels {
    about: |_| ABOUT,
    world: world::world,
    minimap: world::minimap,
    // Without a grid the world's place is free for the lines, if they have no place of their own.
    over: |ui, layout, shown| {
        if shown.state.grid.is_none() && layout.feed.is_empty() && shown.view.shows(Panel::Feed) {
            feed(ui, layout.world, shown);
        }
    },
    headline,
    unit: "",
    scoreboard,
    rows: ROWS,
    feed,
    inspector,
    inspector_height: |_| INSPECTOR,
    charts: |_, _, _| {},
    dialogue: |_, _, _| {},
    transport: |ui, rect, shown| transport::draw(ui, rect, &shown.bar(&number), &Turns(shown)),
    race,
    steps: &[],
    help: |ui, rect, window| {
        let mut blocks = help::keys(&PlainMap::bindings());
        blocks.push(help::mouse(None));
        help::draw(ui, rect, window, &blocks, Choice::Toggle(Panel::Help).into());
    },
    closing,
};

/// The first of the winners.
fn winner(shown: &Shown<'_>) -> Option<usize> {
    let first = shown.story.close.as_ref()?.winners.first()?;
    shown.story.teams.iter().position(|team| team.as_str() == first)
}

/// What is played and which turn it is; after the end, how it ended.
fn headline(shown: &Shown<'_>) -> Now<usize> {
    let over = shown.is_over();
    let game = shown.state.game.as_ref().or(shown.view.own.game.as_ref());
    let (name, version) = game
        .map_or_else(Default::default, |(name, version)| (name.clone(), format!("rules version {version}")));
    let (team, news, also) = match shown.story.close.as_ref().filter(|_| over) {
        Some(close) => {
            let winners = close.winners.join(", ");
            let winners = if winners.is_empty() { "no team has won" } else { &winners };
            let reason = close.reason.as_ref().map(|reason| format!(" ({reason})")).unwrap_or_default();
            (winner(shown), format!("Over: {winners}{reason}"), format!("{name}, {version}"))
        }
        None => (None, name, version),
    };
    let tick = match shown.state.turn {
        Some(turn) => format!("Turn {}", number(turn)),
        None => format!("Tick {}", number(shown.tick())),
    };
    let state = now::state(shown.origin, &shown.time, over);
    Now::of(shown.origin, (state, !shown.time.playing), tick, (team, news), also)
}

/// Each team's score as a part of the best one.
fn race(shown: &Shown<'_>) -> Vec<Racer> {
    let board = shown.state;
    let most = board.teams.iter().filter_map(|team| team.score).max().unwrap_or(0).max(1);
    let racer = |(number, team): (usize, &Team)| Racer {
        name: team.name.to_string(),
        look: shown.look(Some(number)),
        way: vec![team.score.unwrap_or(0).max(0) as f32 / most as f32],
        says: vec![team.score.map_or("–".to_owned(), signed)],
        base: None,
        leads: board.leads(team),
        danger: None,
        pulse: 0.0,
        out: false,
    };
    board.teams.iter().enumerate().map(racer).collect()
}

fn scoreboard(ui: &mut Ui<'_>, rect: Rect, shown: &Shown<'_>) {
    let (_, rest) = ranks::draw_head(ui, rect, "Teams", &["by score".to_owned()]);
    let mut teams: Vec<(usize, &Team)> = shown.state.teams.iter().enumerate().collect();
    teams.sort_by_key(|(_, team)| Reverse(team.score));
    let rows = (&teams[..], ("more team", "more teams"));
    ranks::draw(ui, (rect, rest), (ROWS, shown.view.board_at), rows, |ui, row, (number, team)| {
        let look = shown.look(Some(*number));
        emblem(ui.canvas, Point::new(row.x + 8.0, row.centre().y), 7.0, look);
        let text = row.cut_left(24.0).1;
        let score = team.score.map(signed).unwrap_or_default();
        let drawn = kit::line_right(ui.canvas, text, &score, Style::strong(size::LARGE, theme::TEXT));
        let name = text.cut_right(drawn.w + gap::BODY).1;
        kit::line(ui.canvas, name, team.name.as_str(), Style::strong(size::LARGE, look.color));
    });
}

/// The published lines, the newest first.
fn feed(ui: &mut Ui<'_>, rect: Rect, shown: &Shown<'_>) {
    let item = |(tick, line): &(Tick, Box<str>)| FeedItem {
        when: number(*tick),
        look: None,
        words: line.to_string(),
        ink: theme::TEXT,
        limit: 4,
        action: Choice::Visit(*tick, None).into(),
    };
    let narrowing = Narrowing { chips: Vec::new(), switches: &[], columns: 1 };
    let until = shown.tick();
    feed::draw(ui, rect, narrowing, shown.view.feed_at, &|| Box::new(shown.story.until(until).map(item)));
}

/// What the selected cell shows.
fn inspector(ui: &mut Ui<'_>, rect: Rect, shown: &Shown<'_>) {
    let Some(at) = shown.view.selection else { return };
    let inner = kit::panel(ui.canvas, ui.hits, rect);
    let rest = kit::heading(ui.canvas, inner, &format!("Cell {}", kit::place(at)));
    let says = match shown.state.grid.as_ref().and_then(|grid| grid.cells.get(&at)) {
        Some((sign, Some(team))) => format!("{sign} of {team}"),
        Some((sign, None)) => sign.to_string(),
        None => "shows nothing".to_owned(),
    };
    kit::paragraph(ui.canvas, rest, 1, &says, Style::regular(size::BODY, theme::TEXT));
}

fn closing(ui: &mut Ui<'_>, rect: Rect, behind: Rect, shown: &Shown<'_>) {
    let Some(close) = &shown.story.close else { return };
    let mut teams: Vec<(usize, &Team)> = shown.state.teams.iter().enumerate().collect();
    teams.sort_by_key(|(number, team)| (winner(shown) != Some(*number), Reverse(team.score)));
    let row = |(number, team): (usize, &Team)| {
        let score = team.score.map(signed).unwrap_or_default();
        (shown.look(Some(number)), team.name.to_string(), vec![score])
    };
    let columns = vec![("score", "The score in the end")];
    let end = MatchEnd {
        winners: &close.winners.iter().map(String::as_str).collect::<Vec<_>>(),
        look: shown.look(winner(shown)),
        why: close.reason.as_slice(),
        moments: &[],
        table: &ClosingTable { columns, rows: teams.into_iter().map(row).collect() },
    };
    closing::draw(ui, rect, behind, &end);
}

/// The marks of turns on the timeline.
struct Turns<'a>(&'a Shown<'a>);

impl Marks<Choice> for Turns<'_> {
    fn draw(&self, ui: &mut Ui<'_>, strip: &Strip) {
        let lines = self.0.story;
        let mut until = f32::NEG_INFINITY;
        for (tick, _) in &lines.turns {
            let x = strip.x(*tick);
            // Where turns stand close, one mark is enough.
            if x >= until {
                until = x + BUCKET;
                let place = Rect::new(x.min(strip.rect.right() - 2.0), strip.base.y - 7.0, 2.0, 5.0);
                ui.canvas.rect(place, theme::TEXT_FAINT);
            }
        }
        let ink: fn(u32) -> Color = |_| theme::TEXT_SOFT;
        transport::draw_notes(ui, strip, self.0.notes, ink);
        if let Some(close) = &lines.close {
            transport::draw_end(ui, strip, strip.x(close.tick));
        }
    }

    fn hover(&self, strip: &Strip, tick: Tick) -> String {
        let turns = &self.0.story.turns;
        let after = turns.partition_point(|(begun, _)| *begun <= tick);
        let turn = after.checked_sub(1).map(|index| format!(", turn {}", number(turns[index].1)));
        let says = format!("Tick {}{}", number(tick), turn.unwrap_or_default());
        transport::with_notes(says, strip, self.0.notes, tick)
    }
}
