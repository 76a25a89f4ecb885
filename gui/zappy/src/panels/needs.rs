//! What an incantation still lacks: stones on the ground, and players of the same level on the tile; of one that runs,
//! participants that still stand there.
//!
//! Says what is needed, never what will happen: the players there may walk away. Tested in this module.

use zappy_protocol::Position;
use zappy_protocol::zappy::constants::elevation;
use zappy_protocol::zappy::mirror::{Mirror, MirrorIncantation};
use zappy_protocol::zappy::{Inventory, Level, PlayerId, Resource};

use crate::timeline::attempt::present;
use zappy_observer::panels::kit::{count, place};

/// One kind of stone that an incantation asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stone {
    pub resource: Resource,
    /// How many must lie on the tile.
    pub needed: u32,
    /// How many lie on the tile.
    pub here: u32,
    /// How many the player carries.
    pub hand: u32,
}

/// What the incantation for the next level asks for, and what of it is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Needs {
    /// The level it leads to.
    pub to: Level,
    /// The stones it asks for.
    pub stones: Vec<Stone>,
    /// How many players of the level must stand there.
    pub players: usize,
    /// How many of them are there, whatever their team: the participants of a running incantation, or players in none.
    pub players_here: usize,
    /// Where the incantation is held that the player takes part in, if it does.
    pub under_way: Option<Position>,
}

impl Needs {
    /// What the incantation needs that a player takes part in, or could hold on its tile; `None` at the highest level
    /// or for unknown players.
    pub fn of_player(mirror: &Mirror, player: PlayerId) -> Option<Needs> {
        let known = mirror.players.get(&player)?;
        let mine = mirror.incantations.iter().find(|incantation| incantation.players.contains(&player));
        Needs::count(mirror, (mine.map_or(known.at, |mine| mine.at), known.level), &known.inventory, mine)
    }

    /// What an incantation of players of that level on that tile needs; `hand` is what the player carries.
    pub fn at(mirror: &Mirror, at: Position, level: Level, hand: &Inventory) -> Option<Needs> {
        Needs::count(mirror, (at, level), hand, None)
    }

    /// Counts what is needed and what is there; a player in an incantation is no partner for another one.
    fn count(
        mirror: &Mirror,
        (at, level): (Position, Level),
        hand: &Inventory,
        mine: Option<&MirrorIncantation>,
    ) -> Option<Needs> {
        let (row, to) = (elevation(level)?, level.next()?);
        let ground = mirror.tile(at).copied().unwrap_or_default();
        let wanted = row.stones.iter().filter(|(_, needed)| *needed > 0);
        let stone = |(resource, needed)| Stone {
            resource,
            needed,
            here: ground.get(resource),
            hand: hand.get(resource),
        };
        let all = &mirror.incantations;
        let busy = |player: &PlayerId| all.iter().any(|incantation| incantation.players.contains(player));
        let partners = || mirror.players.iter().filter(|(id, p)| p.at == at && p.level == level && !busy(id));
        let players_here = mine.map_or_else(|| partners().count(), |mine| present(mirror, mine));
        let (stones, under_way) = (wanted.map(stone).collect(), mine.map(|mine| mine.at));
        Some(Needs { to, stones, players: row.players, players_here, under_way })
    }

    /// Whether an incantation can begin now.
    pub fn met(&self) -> bool {
        self.players_here >= self.players && self.stones.iter().all(|stone| stone.here >= stone.needed)
    }

    /// What is missing, in a sentence.
    pub fn sentence(&self) -> String {
        if let Some(at) = self.under_way.filter(|_| self.met()) {
            return format!("All is there for level {}, at {}", self.to, place(at));
        }
        if self.met() {
            return format!("All is here: an incantation for level {} can begin", self.to);
        }
        let missing = self.stones.iter().filter(|stone| stone.here < stone.needed);
        let mut parts: Vec<String> = missing.map(Stone::missing).collect();
        let lacking = self.players.saturating_sub(self.players_here) as u64;
        if lacking > 0 {
            let level = self.to.get() - 1;
            parts.push(format!("{} of level {level}", count(lacking, "player", "players")));
        }
        match self.under_way {
            Some(at) => format!("Its incantation at {} lacks {}", place(at), parts.join(", ")),
            None => format!("The tile lacks {}", parts.join(", ")),
        }
    }
}

impl Stone {
    /// `1 sibur`, and whether it is in hand.
    fn missing(&self) -> String {
        let lacking = self.needed - self.here.min(self.needed);
        match self.hand.min(lacking) {
            0 => format!("{lacking} {}", self.resource),
            hand if hand == lacking => format!("{lacking} {} (in hand)", self.resource),
            hand => format!("{lacking} {} ({hand} in hand)", self.resource),
        }
    }
}

/// The level of the highest incantation that could begin on a tile now.
pub fn incantation_that_could_begin(mirror: &Mirror, at: Position) -> Option<Needs> {
    let none = Inventory::default();
    Level::all().rev().filter_map(|level| Needs::at(mirror, at, level, &none)).find(Needs::met)
}

#[cfg(test)]
mod tests {
    use zappy_protocol::zappy::constants::ELEVATIONS;
    use zappy_protocol::zappy::observer::Message;

    use super::*;

    fn mirror(lines: &[String]) -> Mirror {
        let mut mirror = Mirror::new();
        for line in ["msz 5 5", "tna red", "tna blue"].map(str::to_owned).iter().chain(lines) {
            mirror.apply(&Message::parse(line.as_bytes()).unwrap()).unwrap();
        }
        mirror
    }

    fn lines(lines: &[&str]) -> Mirror {
        mirror(&lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn every_level_lacks_the_whole_table_on_an_empty_tile() {
        for level in 1..8_u8 {
            let mirror = mirror(&[format!("pnw #0 1 1 1 {level} red")]);
            let needs = Needs::of_player(&mirror, PlayerId(0)).unwrap();
            let row = &ELEVATIONS[usize::from(level) - 1];
            assert_eq!((needs.to.get(), needs.players, needs.players_here), (level + 1, row.players, 1));
            let asked: u32 = needs.stones.iter().map(|stone| stone.needed).sum();
            assert_eq!(asked, row.stones.amounts().iter().sum::<u32>());
            assert!(!needs.met() && needs.stones.iter().all(|stone| stone.here == 0 && stone.needed > 0));
        }
        assert_eq!(Needs::of_player(&lines(&["pnw #0 1 1 1 8 red"]), PlayerId(0)), None);
        assert_eq!(Needs::of_player(&lines(&[]), PlayerId(0)), None);
    }

    #[test]
    fn partners_have_the_same_level_and_tile_but_any_team() {
        let mirror = lines(&[
            "pnw #0 1 1 1 2 red",
            "pnw #1 1 1 1 3 red",
            "pnw #2 1 2 1 2 red",
            "bct 1 1 0 1 1 1 0 0 0",
        ]);
        let needs = Needs::of_player(&mirror, PlayerId(0)).unwrap();
        assert_eq!(needs.players_here, 1);
        assert_eq!(needs.sentence(), "The tile lacks 1 player of level 2");
        let mut mirror = mirror;
        mirror.apply(&Message::parse(b"pnw #3 1 1 1 2 blue").unwrap()).unwrap();
        let needs = Needs::of_player(&mirror, PlayerId(0)).unwrap();
        assert!(needs.met());
        assert_eq!(needs.sentence(), "All is here: an incantation for level 3 can begin");
        assert_eq!(incantation_that_could_begin(&mirror, Position { x: 1, y: 1 }).unwrap().to.get(), 3);
    }

    #[test]
    fn who_is_in_an_incantation_already_is_no_partner() {
        let mirror =
            lines(&["pnw #0 1 1 1 2 red", "pnw #1 1 1 1 2 red", "pnw #2 1 1 1 2 red", "pic 1 1 2 #1 #2"]);
        assert_eq!(Needs::of_player(&mirror, PlayerId(0)).unwrap().players_here, 1);
        let within = Needs::of_player(&mirror, PlayerId(1)).unwrap();
        // The third stands beside them, but has no part in it.
        assert!(within.under_way.is_some() && within.players_here == 2, "{within:?}");
    }

    #[test]
    fn a_player_that_was_pushed_off_reads_what_its_incantation_lacks_there() {
        let mut mirror =
            lines(&["pnw #0 1 1 1 2 red", "pnw #1 1 1 1 2 red", "bct 1 1 0 1 1 1 0 0 0", "pic 1 1 2 #0 #1"]);
        assert_eq!(
            Needs::of_player(&mirror, PlayerId(0)).unwrap().sentence(),
            "All is there for level 3, at 1,\u{a0}1"
        );
        for pushed in ["ppo #0 2 1 1", "ppo #1 2 1 1"] {
            mirror.apply(&Message::parse(pushed.as_bytes()).unwrap()).unwrap();
        }
        let needs = Needs::of_player(&mirror, PlayerId(0)).unwrap();
        assert_eq!((needs.players_here, needs.players), (0, 2));
        assert_eq!(needs.sentence(), "Its incantation at 1,\u{a0}1 lacks 2 players of level 2");
    }

    #[test]
    fn stones_count_on_the_ground_and_are_told_of_in_hand() {
        let mirror = lines(&[
            "pnw #0 1 1 1 3 red",
            "pnw #1 1 1 1 3 red",
            "bct 1 1 0 1 0 1 0 0 0",
            "pin #0 1 1 5 1 0 0 0 1 0",
        ]);
        let needs = Needs::of_player(&mirror, PlayerId(0)).unwrap();
        assert_eq!(needs.sentence(), "The tile lacks 1 linemate (in hand), 2 phiras (1 in hand)");
        let sibur = needs.stones.iter().find(|stone| stone.resource == Resource::Sibur).unwrap();
        assert_eq!((sibur.needed, sibur.here, sibur.hand), (1, 1, 0));
    }
}
