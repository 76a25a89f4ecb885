//! What the spectator of conquest has chosen to see, and what may be shown.
//!
//! Plain state; the screen changes it, panels and drawing read it.

use std::collections::BTreeSet;

use zappy_protocol::conquest::mirror::Mirror;
use zappy_protocol::conquest::{FactionId, UnitId};
use zappy_protocol::record::dialogue::Spoken;
use zappy_protocol::{Position, Tick};

use super::stage::{Stage, TURN};
use super::story::Overview;
use super::topic::Topic;
pub use zappy_observer::app::action::Panel;
use zappy_observer::app::action::{Action, Direction};
use zappy_observer::app::origin::{Oddities, Origin};
use zappy_observer::app::playback::Playback;
use zappy_observer::camera::Camera;
use zappy_observer::ink::{Point, Rect};
use zappy_observer::match_screen::Pointer;
use zappy_observer::panels::status::Status;
use zappy_observer::theme::TeamLook;
use zappy_observer::timeline::notes::Notebook;

/// What can be selected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Selection {
    /// A unit.
    Unit(UnitId),
    /// A city, by its tile.
    City(Position),
    /// A tile.
    Tile(Position),
    /// A faction.
    Faction(FactionId),
}

impl Selection {
    /// The faction that it is, or belongs to.
    pub fn faction(self, mirror: &Mirror) -> Option<FactionId> {
        match self {
            Selection::Unit(unit) => mirror.units.get(&unit).map(|known| known.faction),
            Selection::City(at) | Selection::Tile(at) => mirror.tile(at)?.owner,
            Selection::Faction(faction) => Some(faction),
        }
    }

    /// Where it is; `None` of what isn't there.
    pub fn place(self, mirror: &Mirror) -> Option<Position> {
        match self {
            Selection::Unit(unit) => mirror.units.get(&unit).map(|known| known.at),
            Selection::City(at) | Selection::Tile(at) => mirror.tile(at).map(|_| at),
            Selection::Faction(faction) => mirror.factions.get(faction.index())?.holdings.base,
        }
    }
}

/// Something to do that this screen alone offers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Choice {
    /// To the beginning of the next turn, or of the one before; stops.
    Turn(Direction),
    /// So many turns ahead, or back; stops.
    Turns(i64),
    /// To the next moment that matters, or to the one before.
    KeyMoment(Direction),
    /// Select this.
    Select(Selection),
    /// Select what is at this place of the window; again: the next one there.
    SelectAt(Point),
    /// To the next moment at which an order of the selected faction was lost, or to the one before.
    Lost(Direction),
    /// Move through the dialogue by so many lines; positive is older.
    DialogueMove(i32),
    /// The next unit, or the one before.
    SelectUnit(Direction),
    /// Move the selected tile by so many tiles east and south.
    MoveCursor(i32, i32),
    /// Nothing is selected; closes what lies over the world first.
    Escape,
    /// Let the director lead the camera, or not.
    ToggleDirector,
    /// Zoom by a factor about a place of the window, or about its middle.
    Zoom(f32, Option<Point>),
    /// Move the view by so many points.
    Pan(Point),
    /// Show what bots noted on tiles, or not.
    ToggleNotes,
    /// The whole map.
    Fit,
    /// Copy what opens this moment and this selection.
    Share,
    /// Show or hide a panel.
    Toggle(Panel),
    /// All panels off, or on again.
    ToggleAll,
    /// Let events of a topic through the feed's filter, or not.
    ToggleTopic(Topic),
    /// The next faction in the filter, then all.
    CycleFaction,
    /// Move through the scoreboard by so many rows; positive is towards the last ranks.
    BoardMove(i32),
    /// Move through the feed by so many entries; positive is older.
    FeedMove(i32),
    /// Go to the place and the moment of the feed's current entry.
    FeedOpen,
    /// Go to this moment, and to this place if there is one.
    Visit(Tick, Option<Position>),
    /// Show this moment again at a fitting speed, from a turn before it, led by the director.
    Replay(Tick),
}

impl Choice {
    /// Whether the spectator takes the camera, so that the director lets go of it.
    pub fn takes_camera(&self) -> bool {
        matches!(
            self,
            Choice::KeyMoment(_)
                | Choice::Select(_)
                | Choice::SelectAt(_)
                | Choice::SelectUnit(_)
                | Choice::MoveCursor(..)
                | Choice::Zoom(..)
                | Choice::Pan(_)
                | Choice::Fit
                | Choice::FeedOpen
                | Choice::Visit(..)
        )
    }
}

impl From<Choice> for Action<Choice> {
    fn from(choice: Choice) -> Action<Choice> {
        Action::Choice(choice)
    }
}

/// What the spectator has chosen.
#[derive(Debug)]
pub struct View {
    /// Which part of the torus, how large.
    pub camera: Camera,
    /// Where the camera was laid to show the whole map; there it stays whole when its place changes.
    pub laid: Option<Camera>,
    /// What is selected.
    pub selection: Option<Selection>,
    /// Panels that are shown.
    pub panels: BTreeSet<Panel>,
    /// Whether all panels are hidden for the moment.
    pub bare: bool,
    /// For a film, nothing of which can be clicked: the ticks in a second of it.
    pub film: Option<f64>,
    /// Whether what bots noted on tiles is shown in the world.
    pub notes: bool,
    /// Topics that the feed shows.
    pub topics: BTreeSet<Topic>,
    /// Whose events the feed shows; all if none.
    pub faction: Option<FactionId>,
    /// The feed's current entry, counted from the newest that passes; none: it follows the newest.
    pub feed_at: Option<usize>,
    /// Lines of the dialogue between its end and what is shown.
    pub dialogue_at: usize,
    /// The first row of the scoreboard that is shown, as far as there are more than fit.
    pub board_at: usize,
    /// The part of the window that no panel covers, in points; empty before the first frame.
    pub free: Rect,
    /// The mouse.
    pub pointer: Pointer,
}

impl Default for View {
    /// Everything but tiles and lost orders, which come by the hundred.
    fn default() -> View {
        View {
            camera: Camera::default(),
            laid: None,
            selection: None,
            panels: BTreeSet::from([Panel::Scoreboard, Panel::Feed, Panel::Minimap]),
            bare: false,
            film: None,
            notes: false,
            topics: BTreeSet::from([Topic::Fights, Topic::Works, Topic::Match]),
            faction: None,
            feed_at: None,
            dialogue_at: 0,
            board_at: 0,
            free: Rect::default(),
            pointer: Pointer::default(),
        }
    }
}

impl View {
    /// Whether a panel is to be drawn.
    pub fn shows(&self, panel: Panel) -> bool {
        self.panels.contains(&panel) && (!self.bare || matches!(panel, Panel::Help | Panel::Closing))
    }
}

/// What is to be shown: the match at the view's moment, and how the view came by it.
#[derive(Debug, Clone, Copy)]
pub struct Shown<'a> {
    /// The view's moment.
    pub time: Playback,
    /// What is known at that tick.
    pub stage: &'a Stage,
    /// What is told of the whole match.
    pub story: &'a Overview,
    /// How each faction looks.
    pub looks: &'a [TeamLook],
    /// What the spectator has chosen.
    pub view: &'a View,
    /// Where it comes from.
    pub origin: &'a Origin,
    /// What couldn't be understood.
    pub oddities: &'a Oddities,
    /// What the selected faction and the server said to each other up to the moment shown, the oldest first.
    pub dialogue: &'a [Spoken],
    /// What bots noted for their authors.
    pub notes: &'a Notebook,
    /// Milliseconds since the newest phase began; only live.
    pub waited: Option<f64>,
    /// The first and the last tick that can be shown.
    pub range: (Tick, Tick),
    /// Whether the director leads the camera.
    pub director: bool,
    /// A word about what was just done.
    pub notice: Option<&'a str>,
}

impl<'a> Shown<'a> {
    /// What may be said over the world's lower edge.
    pub fn status(&self) -> Status<'a> {
        Status { notice: self.notice, oddities: self.oddities, bare: self.view.bare }
    }

    /// How a faction looks; a neutral look for none.
    pub fn look(&self, faction: Option<FactionId>) -> TeamLook {
        let known = faction.and_then(|faction| self.looks.get(faction.index()));
        known.copied().unwrap_or(TeamLook::NOBODY)
    }

    /// The world.
    pub fn mirror(&self) -> &'a Mirror {
        &self.stage.mirror
    }

    /// The whole tick of the moment shown.
    pub fn tick(&self) -> Tick {
        self.time.whole_tick()
    }

    /// Whether the match has ended at the moment shown.
    pub fn is_over(&self) -> bool {
        self.story.finish.as_ref().is_some_and(|finish| self.tick() >= finish.tick)
    }

    /// Seconds until the running phase falls due; `None` without a limit, and of what is past.
    pub fn left(&self) -> Option<f64> {
        let time = self.mirror().options.as_ref().map(|options| options.time).filter(|time| *time > 0)?;
        let newest = self.story.phases.back().is_some_and(|phase| phase.tick <= self.tick());
        let waited = self.waited.filter(|_| newest && self.mirror().phase.is_some())?;
        Some(((f64::from(time) - waited) / 1_000.0).max(0.0))
    }

    /// Turns between the moment shown and the newest one, if now is followed.
    pub fn behind(&self) -> Tick {
        if self.waited.is_some() && self.time.at_now {
            self.range.1.saturating_sub(self.tick()) / TURN
        } else {
            0
        }
    }
}
