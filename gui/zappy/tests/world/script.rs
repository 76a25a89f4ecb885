//! Matches told by lines of `tick message`, and what of them is shown.

use zappy_observer::app::origin::Origin;
use zappy_observer::app::playback::Playback;
use zappy_observer::director::ViewPace;
use zappy_observer::theme::TeamLook;
use zappy_observer::timeline::fold::Fold as _;
use zappy_observer::timeline::fold::Oddities;
use zappy_observer::timeline::notes::Notebook;
use zappy_protocol::zappy::mirror::Mirror;
use zappy_protocol::zappy::observer::Message;
use zappy_screen_zappy::timeline::chronicle::Overview;
use zappy_screen_zappy::timeline::state::ZappyState;
use zappy_screen_zappy::view::{Shown, View};

fn lines(script: &str) -> impl Iterator<Item = (u64, Message)> + '_ {
    script.lines().map(str::trim).filter(|line| !line.is_empty()).map(|line| {
        let (at, message) = line.split_once(' ').expect("a tick and a message");
        (at.parse().unwrap(), Message::parse(message.as_bytes()).unwrap())
    })
}

/// What an observer that comes now would be told.
fn snapshot(mirror: &Mirror) -> Vec<Message> {
    let size = mirror.size.expect("a map");
    let mut told = vec![Message::MapSize(size), Message::Rate(mirror.rate)];
    told.extend(mirror.teams.iter().cloned().map(Message::Team));
    for at in size.tiles() {
        told.push(Message::Tile { at, resources: *mirror.tile(at).unwrap() });
    }
    for (&player, known) in &mirror.players {
        let (at, orientation, level, team) = (known.at, known.orientation, known.level, known.team.clone());
        told.push(Message::PlayerJoined { player, at, orientation, level, team });
        told.push(Message::PlayerInventory { player, at, inventory: known.inventory });
    }
    told.extend(mirror.eggs.iter().map(|(&egg, known)| Message::EggLaid { egg, layer: None, at: known.at }));
    for incantation in &mirror.incantations {
        let (at, level, players) = (incantation.at, incantation.level, incantation.players.clone());
        told.push(Message::IncantationBegan { at, level, players });
    }
    told
}

/// Everything that can be shown of a match.
pub struct Told {
    pub state: ZappyState,
    pub looks: Vec<TeamLook>,
    pub view: View,
    pub pace: f64,
    /// Whether motion is reduced.
    pub calm: bool,
    pub overview: Overview,
    origin: Origin,
    oddities: Oddities,
    pub notes: Notebook,
}

impl Told {
    pub fn nothing() -> Told {
        Told {
            state: ZappyState::default(),
            looks: Vec::new(),
            view: View::default(),
            pace: 0.0,
            calm: false,
            overview: Overview::default(),
            origin: Origin::Nothing,
            oddities: Oddities::default(),
            notes: Notebook::default(),
        }
    }

    /// What the script tells up to the tick.
    pub fn until(script: &str, tick: u64) -> Told {
        let mut told = Told::nothing();
        for (at, message) in lines(script).filter(|(at, _)| *at <= tick) {
            told.state.apply(at, &message);
            told.overview.roster.apply(at, &message);
        }
        told.state.advance(tick);
        told.looks = TeamLook::of_all(told.overview.roster.teams());
        told
    }

    /// The same moment, reached from a snapshot of the tick `from` instead of from the start.
    pub fn sought(script: &str, from: u64, tick: u64) -> Told {
        let snapshot = snapshot(Told::until(script, from).state.mirror());
        let mut told = Told::until(script, tick);
        told.state = ZappyState::restored(from, &snapshot);
        for (at, message) in lines(script).filter(|(at, _)| (from + 1..=tick).contains(at)) {
            told.state.apply(at, &message);
        }
        told.state.advance(tick);
        told
    }

    pub fn shown(&self, tick: f64) -> Shown<'_> {
        Shown {
            director: false,
            muted: false,
            time: Playback { tick, pace: self.pace, ..Playback::default() },
            state: &self.state,
            story: &self.overview,
            looks: &self.looks,
            view: &self.view,
            origin: &self.origin,
            oddities: &self.oddities,
            range: (0, self.state.tick()),
            waited: None,
            dialogue: &[],
            notes: &self.notes,
            notice: None,
            pace: ViewPace { rate: self.pace, foresees: true, whole_between: false, calm: self.calm },
            led: None,
        }
    }
}

/// A bit of everything on a small torus.
pub const MATCH: &str = "
    0 msz 10 8
    0 sgt 100
    0 bct 3 3 4 1 2 0 1 7 120
    0 bct 9 7 1 0 0 3 0 0 0
    0 tna red
    0 tna blue
    0 enw #90 #-1 6 6
    0 ppo #99 0 0 1
    1 pnw #0 9 3 2 1 red
    1 pin #0 9 3 1 0 0 0 0 0 0
    1 pnw #1 3 3 2 2 red
    1 pnw #2 3 3 2 2 blue
    1 pnw #3 5 5 1 8 blue
    1 pnw #4 5 6 3 1 red
    1 pic 3 3 2 #1 #2
    270 enw #1 #3 5 5
    272 enw #2 #4 6 6
    275 pic 5 6 1 #4
    280 pbc #3 come here, everybody, and bring all the stones that you have
    285 pfk #4
    287 pdi #4
    290 ppo #0 0 3 2
    291 pgt #3 0
    292 pdr #3 2
    293 ppo #2 4 3 2
    293 pex #1
    294 plv #3 7
    294 pie 5 6 0
    295 ebo #1
    296 edi #2
    296 pnw #5 5 5 1 1 blue
    300 pie 3 3 1
    300 plv #1 3
    300 ppo #5 1 1 1";
