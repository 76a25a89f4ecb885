//! What the spectator of Zappy does, and what that changes.
//!
//! Events become actions, actions change the view, and every frame shows the match at the view's tick. Plain
//! Rust without a window. Tested in this module and in `tests/app.rs`.

use zappy_protocol::commentary::Remark;
use zappy_protocol::record::dialogue::{Speech, Spoken};
use zappy_protocol::zappy::story::{TeamIndex, What};
use zappy_protocol::zappy::{EggId, PlayerId};
use zappy_protocol::{MapSize, Position, TeamName, Tick};

use crate::draw::{self, on_tile};
use crate::panels::{self, scoreboard};
use crate::timeline::chronicle::{ChronicleEntry, Chronicler, Overview};
use crate::timeline::moments::{self, MomentKind};
use crate::timeline::refusal;
use crate::timeline::state::ZappyState;
use crate::view::{
    self, Choice, Panel, Selection, Shown, View, ZappyChoice, ZappyMap, ZappyView, inspected_player,
    selected_player, winner,
};
use crate::{keymap, scene};
use zappy_observer::app::action::Direction;
use zappy_observer::app::keymap::Binding;
use zappy_observer::app::link::position;
use zappy_observer::app::session;
use zappy_observer::camera::Camera;
use zappy_observer::director::{self, Cue};
use zappy_observer::ink::{Point, Rect};
use zappy_observer::map_screen::panels::Panels;
use zappy_observer::map_screen::{Destination, MapGame, MapScreen};
use zappy_observer::panels::feed::moved;
use zappy_observer::sound::SoundCue;
use zappy_observer::timeline::dialogue::SpeakerSeats;

/// Seconds before a moment at which its replay begins: as long as an incantation, and a little more.
const REPLAY_LEAD: f64 = 4.0;

/// The match of Zappy that is watched.
pub type Session = session::Session<Chronicler>;

/// The screen of Zappy, apart from its window.
pub type App = MapScreen<ZappyMap>;

impl MapGame for ZappyMap {
    type History = Chronicler;
    type Selection = Selection;
    type Own = ZappyChoice;
    type Team = TeamIndex;
    type View = ZappyView;

    const PANELS: Panels<ZappyMap> = panels::PANELS;

    fn bindings() -> Vec<Binding<Choice>> {
        keymap::bindings()
    }

    fn teams(overview: &Overview) -> &[TeamName] {
        overview.roster.teams()
    }

    fn number(TeamIndex(team): TeamIndex) -> usize {
        team
    }

    fn size(known: &ZappyState) -> Option<MapSize> {
        known.mirror().size
    }

    fn place(known: &ZappyState, selection: Selection) -> Option<Position> {
        let mirror = known.mirror();
        match selection {
            Selection::Player(player) => mirror.players.get(&player).map(|known| known.at),
            Selection::Egg(egg) => mirror.eggs.get(&egg).map(|known| known.at),
            Selection::Tile(at) => mirror.size.filter(|size| size.contains(at)).map(|_| at),
        }
    }

    fn tile(at: Position) -> Selection {
        Selection::Tile(at)
    }

    /// Reads `player:N`, `egg:N` or `tile:X,Y`.
    fn selection(text: &str) -> Option<Selection> {
        let (what, which) = text.split_once(':')?;
        let id = || which.strip_prefix('#').unwrap_or(which).parse().ok();
        match what {
            "player" => id().map(PlayerId).map(Selection::Player),
            "egg" => id().map(EggId).map(Selection::Egg),
            "tile" => position(which).map(Selection::Tile),
            _ => None,
        }
    }

    fn named(selection: Selection) -> String {
        match selection {
            Selection::Player(player) => format!("player:{}", player.0),
            Selection::Egg(egg) => format!("egg:{}", egg.0),
            Selection::Tile(at) => format!("tile:{},{}", at.x, at.y),
        }
    }

    fn next(app: &App, direction: Direction) -> Option<Selection> {
        let selected = selected_player(&app.view);
        let players = app.watch.session.fold().mirror().players.keys().copied();
        direction.around(players, selected.as_ref()).map(Selection::Player)
    }

    fn pick(app: &App, at: Point) -> Vec<Selection> {
        draw::pick(app.layout.scenery(), &app.shown(), at)
    }

    fn key_moment(app: &App, direction: Direction) -> Option<Destination> {
        let entries = &app.watch.session.overview().chronicle.entries;
        // The happenings that the timeline marks.
        let is_key = |noted: &&ChronicleEntry| {
            matches!(noted.happening.what, What::IncantationEnded { .. } | What::Gone { .. } | What::Won(_))
        };
        let key = entries.iter().filter(is_key);
        let found = direction.from(app.watch.time.whole_tick(), key, |noted| noted.happening.tick);
        found.map(|noted| (noted.happening.tick, noted.happening.at))
    }

    fn entry(app: &App, number: usize) -> Option<Destination> {
        panels::feed::entry(&app.shown(), number)
    }

    fn lead(app: &App) -> Tick {
        (REPLAY_LEAD * app.watch.reach().rate) as Tick
    }

    fn speaker(app: &App) -> Option<SpeakerSeats> {
        inspected_player(&app.view).map(|player| SpeakerSeats::at(player.0))
    }

    fn cues(shown: &Shown<'_>) -> Vec<Cue> {
        let moments = shown.story.chronicle.moments.iter().enumerate();
        moments.map(|(number, moment)| moment.cue(number)).collect()
    }

    fn sounds(overview: &Overview, size: Option<MapSize>, ticks: (Tick, Tick)) -> Vec<SoundCue> {
        moments::sounds(&overview.chronicle.moments, size, ticks)
    }

    fn remarks(overview: &Overview) -> &[Remark<TeamIndex>] {
        overview.chronicle.commentary.remarks.all()
    }

    fn highlights(overview: &Overview) -> Vec<Tick> {
        moments::highlights(&overview.chronicle.moments).iter().map(|moment| moment.tick()).collect()
    }

    fn perform(app: &mut App, choice: ZappyChoice) {
        match choice {
            ZappyChoice::Refusal(direction) => go_to_refusal(app, direction),
            ZappyChoice::SelectNextHere => {
                let tile = app.place_of(app.view.selection);
                let found = tile.map(|at| on_tile(app.watch.session.fold(), at)).unwrap_or_default();
                app.select_of(&found);
            }
            ZappyChoice::TogglePin => {
                let pinned = app.view.own.pinned.take();
                app.view.own.pinned = if pinned.is_some() { None } else { app.view.selection };
            }
            ZappyChoice::ToggleUnspoiled => app.view.own.unspoiled = !app.view.own.unspoiled,
            ZappyChoice::ToggleCone => app.view.own.cone = !app.view.own.cone,
            ZappyChoice::ToggleTrail => app.view.own.trail = !app.view.own.trail,
            ZappyChoice::ToggleWords => app.view.own.words = !app.view.own.words,
            ZappyChoice::ToggleHeard => {
                (app.view.own.heard, app.view.dialogue_at) = (!app.view.own.heard, 0);
            }
            ZappyChoice::ToggleTopic(topic) => app.view.filter(|own| {
                if !own.filter.topics.remove(&topic) {
                    own.filter.topics.insert(topic);
                }
            }),
            ZappyChoice::FilterTeam(team) => app.view.filter(|own| own.filter.team = team),
            ZappyChoice::CycleTeam => {
                let teams = app.watch.session.overview().roster.teams().len();
                let next = app.view.own.filter.team.map_or(0, |team| team.0 + 1);
                let next = Some(TeamIndex(next)).filter(|team| team.0 < teams);
                app.view.filter(|own| own.filter.team = next);
                // Scrolls the scoreboard to the team's row.
                let ranked = scoreboard::ranked(&app.shown());
                app.view.board_at = ranked.iter().position(|(team, _)| Some(*team) == next).unwrap_or(0);
            }
            ZappyChoice::FilterSelected => {
                let selected = selected_player(&app.view);
                app.view.filter(|own| {
                    let same = own.filter.player == selected;
                    own.filter.player = selected.filter(|_| !same);
                });
            }
            ZappyChoice::ScrollTile(lines) => {
                let at = app.place_of(view::inspected(&app.view));
                let last = at.map_or(0, |at| on_tile(app.watch.session.fold(), at).len());
                let tile_list_at = &mut app.view.own.tile_list_at;
                *tile_list_at = moved(Some((*tile_list_at).min(last)), lines).unwrap_or(0).min(last);
            }
        }
    }

    fn inspected(view: &View) -> Option<Selection> {
        view::inspected(view)
    }

    fn moves(selection: Selection) -> bool {
        matches!(selection, Selection::Player(_))
    }

    fn target(app: &App) -> Option<(f64, f64)> {
        Some(scene::place_of(&app.shown(), selected_player(&app.view)?)?.point)
    }

    fn takes_camera(choice: ZappyChoice) -> bool {
        choice == ZappyChoice::SelectNextHere
    }

    fn wants(view: &ZappyView, line: &Spoken) -> bool {
        // Other players' broadcasts come to the speaker as lines that begin with `message`.
        view.heard || line.speech != Speech::Out || !line.text.starts_with("message ")
    }

    fn foresees(view: &ZappyView) -> bool {
        !view.unspoiled
    }

    /// Shows the whole map, turned so that incantations that may win, and later the winners, aren't at its edge.
    fn whole(app: &App, size: MapSize) -> Camera {
        let (mut camera, shown) = (Camera::default(), app.shown());
        camera.fit(app.layout.world, size);
        let moments = shown.story.chronicle.moments.iter();
        let wins = moments.filter(|moment| matches!(moment.kind, MomentKind::Begins(_, true)));
        let wins = wins.filter_map(|moment| Some((shown.spent(moment.tick() as f64), moment.at?)));
        let end = scene::winners(&shown).zip(winner(&shown));
        let end = end.map(|(at, (_, since))| (shown.spent(shown.time.tick - since), at));
        (camera.x, camera.y) =
            director::whole_map_middle(size, wins.chain(end), app.pace(false), shown.spent(shown.time.tick));
        camera.sane(size)
    }

    fn free(app: &App) -> Rect {
        if app.view.bare { app.layout.world } else { panels::free(&app.layout) }
    }

    fn show(view: &mut ZappyView, word: &str) {
        view.unspoiled |= word == "unspoiled";
    }

    fn reselected(view: &mut ZappyView) {
        view.tile_list_at = 0;
    }

    fn let_go(view: &mut ZappyView) {
        view.pinned = None;
    }

    fn arranged(app: &mut App) {
        app.view.own.covered = panels::covered(&app.layout, &app.shown());
    }
}

/// Goes to the next or previous tick at which the inspected player was refused something, which only records know.
fn go_to_refusal(app: &mut App, direction: Direction) {
    let Some(player) = inspected_player(&app.view) else {
        app.watch.screen.say("select a player first");
        return;
    };
    let tick = app.watch.time.whole_tick();
    let session = &mut app.watch.session;
    let found = session.record_archive().map(|archive| match direction {
        Direction::Next => refusal::next(archive, player, tick),
        Direction::Previous => refusal::previous(archive, player, tick),
    });
    let found = found.unwrap_or(Ok(None)).unwrap_or_else(|error| {
        session.complain(format!("can't look for refusals: {error}"));
        None
    });
    match found {
        Some(tick) => {
            app.watch.stop_at(tick);
            app.view.panels.insert(Panel::Dialogue);
            (app.view.dialogue_at, app.view.bare) = (0, false);
        }
        None if app.watch.session.is_live() => {
            app.watch.screen.say("a server tells no observer of refusals; the record does");
        }
        None => app.watch.screen.say(&format!("no refusal of {player} in that direction")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_selected_is_named_by_kind_and_number() {
        assert_eq!(ZappyMap::selection("player:#3"), Some(Selection::Player(PlayerId(3))));
        assert_eq!(ZappyMap::selection("egg:12"), Some(Selection::Egg(EggId(12))));
        assert_eq!(ZappyMap::selection("tile:3,7"), Some(Selection::Tile(Position { x: 3, y: 7 })));
        for wrong in ["3", "player:", "player:x", "tile:3", "team:1"] {
            assert!(ZappyMap::selection(wrong).is_none(), "{wrong}");
        }
    }

    #[test]
    fn what_is_selected_is_named_as_it_is_read() {
        for one in [
            Selection::Player(PlayerId(7)),
            Selection::Egg(EggId(3)),
            Selection::Tile(Position { x: 3, y: 9 }),
        ] {
            assert_eq!(ZappyMap::selection(&ZappyMap::named(one)), Some(one));
        }
    }
}
