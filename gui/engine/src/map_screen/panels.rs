//! The panels of a match on a torus: which of them there are, where they stand, and how they are drawn one above the other.
//!
//! A game hands in what draws each of them. Must never keep anything between frames. Tested with the games' screens.

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

pub struct Panels<G: MapGame> {
    /// What the game is, for the start screen.
    pub about: fn(&Origin) -> &'static str,
    /// The world, and the whole map, small; with where the world is drawn.
    pub world: fn(&mut Canvas, Rect, &MapShown<'_, G>),
    pub minimap: fn(&mut Canvas, Rect, &MapShown<'_, G>, Rect),
    /// What lies over the world, such as cards.
    pub over: fn(&mut Ui<'_, ChoiceOf<G>>, &Layout, &MapShown<'_, G>),
    /// What is happening, and what time is counted in.
    pub headline: fn(&MapShown<'_, G>) -> Now<G::Team>,
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
    /// What leads to victory, for the first seconds.
    pub steps: [OpeningStep; 3],
    /// Over all of the window.
    pub help: fn(&mut Ui<'_, ChoiceOf<G>>, Rect, Rect),
    /// How it ended, with what lies behind it.
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
        still: shown.time.still,
        status: shown.status(),
        scoreboard: shows(Panel::Scoreboard).then_some(&board),
        feed: shows(Panel::Feed),
        charts: shows(Panel::Charts),
        dialogue: shows(Panel::Dialogue),
        inspector: G::inspected(shown.view).map(|_| (panels.inspector_height)(shown)),
        minimap: G::size(shown.state).filter(|_| shows(Panel::Minimap)),
    };
    layout::layout(width, height, &wants)
}

/// Draws all panels that have a place. Gives what can be clicked, dragged and scrolled.
pub fn draw<G: MapGame>(canvas: &mut Canvas, layout: &Layout, shown: &MapShown<'_, G>) -> Hits<ChoiceOf<G>> {
    let panels = G::PANELS;
    let beside = |ui: &mut Ui<'_, ChoiceOf<G>>| {
        if !layout.minimap.is_empty() {
            kit::panel(ui.canvas, ui.hits, layout.minimap);
            (panels.minimap)(ui.canvas, layout.minimap_picture(), shown, layout.world);
        }
        if !shown.view.bare {
            (panels.over)(ui, layout, shown);
            if shown.view.film.is_none() && !is_nothing_to_show(shown) {
                kit::director(ui, layout.world, shown.director, shown.muted);
            }
        }
        let (bare, film) = (shown.view.bare, shown.view.film.is_some());
        let said = if bare && !film && !is_nothing_to_show(shown) {
            let now = (panels.headline)(shown);
            Some((now.news, now.team))
        } else {
            shown.subtitle().map(|said| (said.says.clone(), said.team))
        };
        if let Some((says, team)) = said.filter(|_| layout.closing.is_empty()) {
            now::subtitle(ui.canvas, (layout.world, bare && film), &says, shown.look(team));
        }
        let standing: [(Rect, DrawPanel<G>); 10] = [
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
        ];
        for (rect, draw) in standing.into_iter().filter(|(rect, _)| !rect.is_empty()) {
            draw(ui, rect, shown);
        }
    };
    let closing = |ui: &mut Ui<'_, ChoiceOf<G>>| {
        (panels.closing)(ui, layout.closing, layout.behind_closing(), shown);
    };
    let help = |ui: &mut Ui<'_, ChoiceOf<G>>| (panels.help)(ui, layout.help, layout.window);
    panels::draw(canvas, layout, shown.view.pointer.at, beside, (closing, help))
}
