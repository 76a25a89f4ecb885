//! The panels of a match on a torus: which panels there are, where they are, and which is drawn over which.
//!
//! A game hands in a function that draws each panel. Must never keep anything between frames. Tested with the games'
//! screens.

use super::opening::OpeningStep;
use super::shown::MapShown;
use super::{ChoiceOf, MapGame};
use crate::app::action::{Choice, Panel};
use crate::app::origin::Origin;
use crate::ink::{Canvas, Rect};
use crate::panels::closing;
use crate::panels::kit::{self, Ui};
use crate::panels::layout::{self, Layout, Wants};
use crate::panels::now::{self, Now};
use crate::panels::race::{self, Racer};
use crate::panels::ranks::Rows;
use crate::panels::start::{self, Start};
use crate::panels::{self, Hits, status};

/// Draws one panel in its place.
pub type DrawPanel<G> = fn(&mut Ui<'_, ChoiceOf<G>>, Rect, &MapShown<'_, G>);

/// What a game hands in to draw its panels.
pub struct Panels<G: MapGame> {
    /// What the game is, in words for the start screen.
    pub about: fn(&Origin) -> &'static str,
    /// Draws the world in a rectangle.
    pub world: fn(&mut Canvas, Rect, &MapShown<'_, G>),
    /// Draws the whole map, small, in the first rectangle; the second one is that of the world.
    pub minimap: fn(&mut Canvas, Rect, &MapShown<'_, G>, Rect),
    /// Draws what lies over the world, such as cards.
    pub over: fn(&mut Ui<'_, ChoiceOf<G>>, &Layout, &MapShown<'_, G>),
    pub headline: fn(&MapShown<'_, G>) -> Now<G::Team>,
    /// The word for the unit that time is counted in.
    pub unit: &'static str,
    pub scoreboard: DrawPanel<G>,
    /// Heights of the scoreboard's rows.
    pub rows: Rows,
    pub feed: DrawPanel<G>,
    pub inspector: DrawPanel<G>,
    /// The height that the inspector would like, in points.
    pub inspector_height: fn(&MapShown<'_, G>) -> f32,
    pub charts: DrawPanel<G>,
    pub dialogue: DrawPanel<G>,
    pub transport: DrawPanel<G>,
    /// How far each team is on its way to the goal.
    pub race: fn(&MapShown<'_, G>) -> Vec<Racer>,
    /// What leads to victory, for the first seconds, in three steps; nothing where that isn't known.
    pub steps: &'static [OpeningStep],
    /// Over all of the window.
    pub help: fn(&mut Ui<'_, ChoiceOf<G>>, Rect, Rect),
    /// Draws the closing screen in the first rectangle; the second one is the part of the window that it darkens.
    pub closing: fn(&mut Ui<'_, ChoiceOf<G>>, Rect, Rect, &MapShown<'_, G>),
}

/// Whether there is no match to show yet.
fn is_nothing_to_show<G: MapGame>(shown: &MapShown<'_, G>) -> bool {
    *shown.origin == Origin::Nothing || G::size(shown.state).is_none()
}

/// Where every panel is in a window of that size, in points.
pub fn layout<G: MapGame>(width: f32, height: f32, shown: &MapShown<'_, G>) -> Layout {
    let shows = |panel| shown.view.shows(panel);
    let (panels, teams) = (G::PANELS, G::teams(shown.story).len());
    let board = |room: f32| panels.rows.height(teams, room);
    let wants = Wants {
        nothing: is_nothing_to_show(shown),
        help: shows(Panel::Help),
        closing: (shows(Panel::Closing) && shown.is_over())
            .then(|| closing::size(G::highlights(shown.story).len(), teams)),
        racers: teams,
        film: shown.view.film.is_some(),
        status: shown.status(),
        scoreboard: shows(Panel::Scoreboard).then_some(&board),
        feed: shows(Panel::Feed),
        charts: shows(Panel::Charts),
        dialogue: shows(Panel::Dialogue),
        inspector: G::inspected(shown.view).map(|_| (panels.inspector_height)(shown)),
        // A map of one tile has no parts.
        minimap: G::size(shown.state).filter(|size| shows(Panel::Minimap) && size.area() > 1),
    };
    layout::layout(width, height, &wants)
}

/// Draws all panels that have a place: first those that stand beside one another, then the closing screen, the help,
/// and a tooltip. Returns what can be clicked, dragged and scrolled; panels below an overlay are out of the mouse's
/// reach.
pub fn draw<G: MapGame>(canvas: &mut Canvas, layout: &Layout, shown: &MapShown<'_, G>) -> Hits<ChoiceOf<G>> {
    let (closing, help) = (!layout.closing.is_empty(), !layout.help.is_empty());
    let (mut hits, mouse) = (Hits::default(), shown.view.pointer.at);
    (hits.still, hits.touched) = (shown.time.still, shown.view.pointer.touched);
    let mut ui = Ui { canvas, hits: &mut hits, mouse: mouse.filter(|_| !help && !closing) };
    if !layout.minimap.is_empty() {
        kit::panel(ui.canvas, ui.hits, layout.minimap);
        (G::PANELS.minimap)(ui.canvas, layout.minimap_picture(), shown, layout.world);
    }
    let (bare, film, nothing) = (shown.view.bare, shown.view.film.is_some(), is_nothing_to_show(shown));
    if !bare {
        (G::PANELS.over)(&mut ui, layout, shown);
        if !film && !nothing {
            kit::director(&mut ui, layout.world, shown.director, shown.muted);
        }
    }
    let subtitle = if bare && !film && !nothing {
        let now = (G::PANELS.headline)(shown);
        Some((now.news, now.team))
    } else {
        shown.subtitle().map(|remark| (remark.says.clone(), remark.team))
    };
    if let Some((says, team)) = subtitle.filter(|_| !closing) {
        now::subtitle(ui.canvas, (layout.world, bare && film), &says, shown.look(team));
    }
    for (rect, draw) in standing(layout).into_iter().filter(|(rect, _)| !rect.is_empty()) {
        draw(&mut ui, rect, shown);
    }
    if closing {
        ui.mouse = mouse.filter(|_| !help);
        (G::PANELS.closing)(&mut ui, layout.closing, layout.behind_closing(), shown);
    }
    ui.mouse = mouse;
    if help {
        (G::PANELS.help)(&mut ui, layout.help, layout.window);
    }
    panels::hint(&mut ui);
    hits
}

/// The panels that stand beside one another, each with its place (empty if it isn't shown) and the function that draws
/// it.
pub fn standing<G: MapGame>(layout: &Layout) -> [(Rect, DrawPanel<G>); 10] {
    let panels = G::PANELS;
    [
        (layout.race, |ui, rect, shown| {
            race::draw(ui, rect, ui.canvas.area().h, &(G::PANELS.race)(shown));
        }),
        (layout.scoreboard, panels.scoreboard),
        (layout.feed, panels.feed),
        (layout.inspector, panels.inspector),
        (layout.charts, panels.charts),
        (layout.dialogue, panels.dialogue),
        (layout.transport, panels.transport),
        (layout.now, |ui, rect, shown| {
            let now = (G::PANELS.headline)(shown);
            let look = now.team.map(|team| shown.look(Some(team)));
            now::draw(ui, rect, &now, (look, shown.origin, G::PANELS.unit));
        }),
        (layout.status, |ui, rect, shown| status::draw(ui, rect, shown.status())),
        (layout.start, |ui, rect, shown| {
            let (origin, status) = (shown.origin, shown.status());
            let (about, help) = ((G::PANELS.about)(origin), Choice::Toggle(Panel::Help).into());
            start::draw(ui, rect, &Start { about, origin, status, help });
        }),
    ]
}
