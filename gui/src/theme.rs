//! One visual language: colours, sizes, and how teams look.
//!
//! Team colours are told apart by people that see red and green alike, and every team has a shape beside its
//! colour. Text on panels keeps a contrast of 4.5 at the least. Tested in this module.

use zappy_protocol::TeamName;

use crate::ink::Color;

/// What lies behind the world.
pub const NIGHT: Color = Color::hex(0x0c_10_18);
/// The ground as panels and the small maps have it.
pub const GROUND: Color = Color::hex(0x17_1e_2b);
/// What land is made of: slate, moss, earth. Pieces are at least five times as bright.
pub const TERRAIN: [Color; 3] = [Color::hex(0x22_2f_43), Color::hex(0x24_3a_33), Color::hex(0x3b_33_30)];
/// Victory, and what only the highest level wears.
pub const GOLD: Color = Color::hex(0xff_d7_5e);
/// What has no colour any more.
pub const ASH: Color = Color::hex(0x5c_63_6e);
/// The lines between tiles.
pub const GRID: Color = Color::hex(0x26_30_41);
/// Where the map's drawing begins anew: the torus has no edge, people like to know all the same.
pub const SEAM: Color = Color::hex(0x4a_5a_75);
/// A panel.
pub const PANEL: Color = Color::hex(0x12_18_23);
/// A raised part of a panel, and what the mouse is over.
pub const PANEL_RAISED: Color = Color::hex(0x20_29_3a);
/// The line around a panel and between its parts.
pub const PANEL_LINE: Color = Color::hex(0x2e_3a_4f);
/// Text.
pub const TEXT: Color = Color::hex(0xee_f2_f8);
/// Text of less weight.
pub const TEXT_SOFT: Color = Color::hex(0xa9_b6_c9);
/// Labels and units; the faintest that may carry a word.
pub const TEXT_FAINT: Color = Color::hex(0x86_94_aa);
/// What can be done, what is selected, what is now.
pub const ACCENT: Color = Color::hex(0xff_c8_57);
/// Success.
pub const GOOD: Color = Color::hex(0x62_d9_8b);
/// Danger, failure, refusal.
pub const BAD: Color = Color::hex(0xff_7a_70);

/// Sizes of text, in points: few, so that the page is calm.
pub mod size {
    /// Units and marks.
    pub const SMALL: f32 = 11.0;
    /// Everything.
    pub const BODY: f32 = 13.0;
    /// A panel's heading, a name.
    pub const LARGE: f32 = 16.0;
    /// A number to be seen from afar.
    pub const HUGE: f32 = 26.0;
    /// The start and the closing screen.
    pub const TITLE: f32 = 40.0;
}

/// Distances, in points.
pub mod gap {
    /// Between things that belong together.
    pub const SMALL: f32 = 4.0;
    /// Between a panel's parts.
    pub const BODY: f32 = 8.0;
    /// Around a panel's contents, and between panels.
    pub const LARGE: f32 = 12.0;
    /// The corners of panels.
    pub const RADIUS: f32 = 8.0;
}

/// The outline of a team's players and of its mark in panels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Shape {
    /// A disc.
    Circle,
    /// A square with round corners.
    Square,
    /// A triangle that points ahead.
    Triangle,
    /// A square on its corner.
    Diamond,
    /// Five sides.
    Pentagon,
    /// Six sides.
    Hexagon,
    /// Eight sides.
    Octagon,
    /// Five points.
    Star,
}

impl Shape {
    /// All of them, those first that differ most.
    pub const ALL: [Shape; 8] = [
        Shape::Circle,
        Shape::Square,
        Shape::Triangle,
        Shape::Diamond,
        Shape::Hexagon,
        Shape::Star,
        Shape::Pentagon,
        Shape::Octagon,
    ];
}

/// How a team looks everywhere.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TeamLook {
    /// Its colour: of shapes, and of its name on panels.
    pub color: Color,
    /// Its shape.
    pub shape: Shape,
}

/// Eight hues that stay apart for all common kinds of colour vision, after Okabe and Ito, raised for a dark
/// ground; each with words a team may be called by.
pub(crate) const TEAM_COLORS: [(Color, &[&str]); 8] = [
    (Color::hex(0xff_8a_4c), &["red", "vermilion", "rouge", "fire"]),
    (Color::hex(0x5a_a9_ff), &["blue", "bleu", "water"]),
    (Color::hex(0x35_d0_a0), &["green", "vert", "teal"]),
    (Color::hex(0xf5_e0_5b), &["yellow", "jaune", "gold"]),
    (Color::hex(0xe2_8f_cf), &["pink", "purple", "rose", "violet", "magenta"]),
    (Color::hex(0x9f_e3_ff), &["cyan", "sky", "ice"]),
    (Color::hex(0xe8_a9_2c), &["orange", "amber"]),
    (Color::hex(0xe6_e9_ef), &["white", "blanc", "grey", "gray", "silver"]),
];

impl TeamLook {
    /// The look of what belongs to no known team.
    pub const NOBODY: TeamLook = TeamLook { color: Color::hex(0x9a_a7_ba), shape: Shape::Circle };

    /// How these teams look. A team that is called by a colour gets it, the others what is left; with more than
    /// eight teams colours come again with other shapes.
    pub fn of_all(teams: &[TeamName]) -> Vec<TeamLook> {
        let called = |team: &TeamName| {
            let name = team.as_str().to_lowercase();
            TEAM_COLORS.iter().position(|(_, words)| words.iter().any(|word| name.contains(word)))
        };
        let mut taken = [false; TEAM_COLORS.len()];
        let mut colors: Vec<Option<usize>> = teams
            .iter()
            .map(|team| called(team).filter(|&color| !std::mem::replace(&mut taken[color], true)))
            .collect();
        let mut free = (0..taken.len()).filter(|&color| !taken[color]).collect::<Vec<_>>().into_iter();
        for (place, color) in colors.iter_mut().enumerate() {
            *color = color.or_else(|| free.next()).or(Some(place % TEAM_COLORS.len()));
        }
        let look = |(place, color): (usize, Option<usize>)| TeamLook {
            color: TEAM_COLORS[color.unwrap_or(0)].0,
            shape: Shape::ALL[(place + place / Shape::ALL.len()) % Shape::ALL.len()],
        };
        colors.into_iter().enumerate().map(look).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> Vec<TeamName> {
        names.iter().map(|name| TeamName::parse(name.as_bytes()).unwrap()).collect()
    }

    #[test]
    fn every_text_is_readable_on_every_panel() {
        for ground in [PANEL, PANEL_RAISED, NIGHT] {
            for text in [TEXT, TEXT_SOFT, TEXT_FAINT, ACCENT, GOOD, BAD] {
                assert!(text.contrast(ground) >= 4.5, "{text:?} on {ground:?}: {}", text.contrast(ground));
            }
            for (color, _) in TEAM_COLORS {
                assert!(color.contrast(ground) >= 4.5, "{color:?} on {ground:?}");
            }
        }
    }

    #[test]
    fn a_team_called_by_a_colour_gets_it() {
        let looks = TeamLook::of_all(&names(&["green", "snakes", "Red Dragons", "blue", "blue2"]));
        let colors: Vec<Color> = looks.iter().map(|look| look.color).collect();
        assert_eq!((colors[0], colors[2], colors[3]), (TEAM_COLORS[2].0, TEAM_COLORS[0].0, TEAM_COLORS[1].0));
        assert!((0..5).all(|one| (0..one).all(|other| colors[one] != colors[other])), "{colors:?}");
    }

    #[test]
    fn looks_of_two_dozen_teams_all_differ() {
        let many: Vec<String> = (0..24).map(|n| format!("t{n}")).collect();
        let looks = TeamLook::of_all(&names(&many.iter().map(String::as_str).collect::<Vec<_>>()));
        for one in 0..looks.len() {
            assert!((0..one).all(|other| looks[one] != looks[other]), "{one}");
        }
    }
}
