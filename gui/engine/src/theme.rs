//! Colours, sizes, and how teams look, the same everywhere.
//!
//! People who see red and green alike can distinguish the teams' colours, and every team has a shape as well as a
//! colour. Text on panels has a contrast of at least 4.5 (WCAG 2). Tested in this module.

use zappy_protocol::{TeamName, palette};

use crate::ink::Color;

/// The background behind the world, and dark ink.
pub const NIGHT: Color = Color::hex(0x0c_10_18);
/// The ground of small maps.
pub const GROUND: Color = Color::hex(0x17_1e_2b);
/// The tints of land: slate, moss, earth. Pieces on it are at least five times as bright.
pub const TERRAIN: [Color; 3] = [Color::hex(0x22_2f_43), Color::hex(0x24_3a_33), Color::hex(0x3b_33_30)];
/// Victory, and marks of the highest level.
pub const GOLD: Color = Color::hex(0xff_d7_5e);
/// The colour towards which things fade, such as a player that has died.
pub const ASH: Color = Color::hex(0x5c_63_6e);
pub const GRID: Color = Color::hex(0x26_30_41);
/// The line at which the drawing of the torus begins anew.
pub const SEAM: Color = Color::hex(0x4a_5a_75);
pub const PANEL: Color = Color::hex(0x12_18_23);
/// A raised part of a panel, and what the mouse is over.
pub const PANEL_RAISED: Color = Color::hex(0x20_29_3a);
/// The line around a panel and between its parts.
pub const PANEL_LINE: Color = Color::hex(0x2e_3a_4f);
pub const TEXT: Color = Color::hex(0xee_f2_f8);
pub const TEXT_SOFT: Color = Color::hex(0xa9_b6_c9);
/// Labels and units; the faintest that may carry a word.
pub const TEXT_FAINT: Color = Color::hex(0x86_94_aa);
/// What can be done, what is selected, what is now.
pub const ACCENT: Color = Color::hex(0xff_c8_57);
pub const GOOD: Color = Color::hex(0x62_d9_8b);
pub const BAD: Color = Color::hex(0xff_7a_70);

/// Sizes of text, in points: only a few, so that a picture looks calm.
pub mod size {
    pub const SMALL: f32 = 11.0;
    pub const BODY: f32 = 13.0;
    /// Headlines and names.
    pub const LARGE: f32 = 16.0;
    /// Large names and numbers.
    pub const HUGE: f32 = 26.0;
    /// The titles of the start screen and the closing screen.
    pub const TITLE: f32 = 40.0;
}

/// Distances, in points.
pub mod gap {
    /// Between things that belong together.
    pub const SMALL: f32 = 4.0;
    /// Between things within a panel.
    pub const BODY: f32 = 8.0;
    /// Around a panel's contents, and between panels.
    pub const LARGE: f32 = 12.0;
    /// The radius of a panel's corners.
    pub const RADIUS: f32 = 8.0;
}

/// The outline of a team's players and of its mark in panels. There are only a few, so that they can be distinguished
/// at the size of a dot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TeamShape {
    Circle,
    /// A square with round corners.
    Square,
    /// A triangle that points ahead.
    Triangle,
    /// A square on its corner.
    Diamond,
    Star,
    /// Two bars across each other.
    Cross,
    /// Higher than wide, with round ends.
    Pill,
    /// A star with four points.
    Spark,
}

impl TeamShape {
    /// All shapes, those that differ most first.
    pub const ALL: [TeamShape; 8] = {
        use TeamShape::{Circle, Cross, Diamond, Pill, Spark, Square, Star, Triangle};
        [Circle, Square, Triangle, Diamond, Star, Cross, Pill, Spark]
    };
}

/// How a team looks everywhere.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TeamLook {
    /// Its colour: of shapes, and of its name on panels.
    pub color: Color,
    pub shape: TeamShape,
}

/// The colours of teams. The shapes, repeated as often as needed, go with the colours in their order.
pub const TEAM_COLORS: [Color; COLOR_COUNT] = {
    let mut colors = [Color::hex(0); COLOR_COUNT];
    let mut index = 0;
    while index < COLOR_COUNT {
        colors[index] = Color::hex(palette::TEAM_COLORS[index].0);
        index += 1;
    }
    colors
};
const COLOR_COUNT: usize = palette::TEAM_COLORS.len();

impl TeamLook {
    /// The look of what belongs to no known team.
    pub const NEUTRAL: TeamLook = TeamLook { color: Color::hex(0x9a_a7_ba), shape: TeamShape::Circle };

    /// How these teams look, by their places in the palette; with more teams than colours a colour comes again with
    /// another shape.
    pub fn of_all(teams: &[TeamName]) -> Vec<TeamLook> {
        let look = |place: usize| TeamLook {
            color: TEAM_COLORS[place % COLOR_COUNT],
            shape: TeamShape::ALL[(place + place / COLOR_COUNT) % TeamShape::ALL.len()],
        };
        palette::places(teams).into_iter().map(look).collect()
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
            for color in TEAM_COLORS {
                assert!(color.contrast(ground) >= 4.5, "{color:?} on {ground:?}");
            }
        }
    }

    #[test]
    fn looks_of_many_teams_all_differ() {
        let many: Vec<String> = (0..190).map(|n| format!("t{n}")).collect();
        let looks = TeamLook::of_all(&names(&many.iter().map(String::as_str).collect::<Vec<_>>()));
        for one in 0..looks.len() {
            assert!((0..one).all(|other| looks[one] != looks[other]), "{one}");
        }
    }

    /// How eyes see red, green and blue light, as matrices: the common kind, the three deficiencies in full (after
    /// Machado, Oliveira and Fernandes, 2009), and an eye that sees only how bright things are.
    const EYES: [[[f32; 3]; 3]; 5] = [
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        [
            [0.152_286, 1.052_583, -0.204_868],
            [0.114_503, 0.786_281, 0.099_216],
            [-0.003_882, -0.048_116, 1.051_998],
        ],
        [
            [0.367_322, 0.860_646, -0.227_968],
            [0.280_085, 0.672_501, 0.047_413],
            [-0.011_82, 0.042_94, 0.968_881],
        ],
        [
            [1.255_528, -0.076_749, -0.178_779],
            [-0.078_411, 0.930_809, 0.147_602],
            [0.004_733, 0.691_367, 0.303_9],
        ],
        [[0.212_6, 0.715_2, 0.072_2]; 3],
    ];

    fn times(rows: [[f32; 3]; 3], by: [f32; 3]) -> [f32; 3] {
        rows.map(|row| row.iter().zip(by).map(|(one, other)| one * other).sum())
    }

    /// Where an eye sees a colour in the space Oklab, in which distances are about as large as they look.
    fn seen(color: Color, eye: [[f32; 3]; 3]) -> [f32; 3] {
        let light = |channel: u8| {
            let value = f32::from(channel) / 255.0;
            if value <= 0.040_45 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        let [red, green, blue, _] = color.0;
        let light = times(eye, [red, green, blue].map(light)).map(|share| share.clamp(0.0, 1.0));
        let cones = [
            [0.412_221_47, 0.536_332_5, 0.051_445_99],
            [0.211_903_5, 0.680_699_5, 0.107_396_96],
            [0.088_302_46, 0.281_718_85, 0.629_978_7],
        ];
        let lab = [
            [0.210_454_26, 0.793_617_8, -0.004_072_047],
            [1.977_998_5, -2.428_592_2, 0.450_593_7],
            [0.025_904_037, 0.782_771_77, -0.808_675_77],
        ];
        times(lab, times(cones, light).map(f32::cbrt))
    }

    fn apart(one: Color, other: Color, eye: [[f32; 3]; 3]) -> f32 {
        let (one, other) = (seen(one, eye), seen(other, eye));
        one.iter().zip(other).map(|(one, other)| (one - other).powi(2)).sum::<f32>().sqrt()
    }

    #[test]
    fn two_teams_never_look_alike_to_any_eye() {
        let many: Vec<String> = (0..24).map(|n| format!("t{n}")).collect();
        let looks = TeamLook::of_all(&names(&many.iter().map(String::as_str).collect::<Vec<_>>()));
        for (number, one) in looks.iter().enumerate() {
            for other in &looks[..number] {
                let usual = apart(one.color, other.color, EYES[0]);
                assert!(usual > 0.06, "{one:?} {other:?}: {usual}");
                // Where shapes are the same, colours are far apart: black and white are at a distance of 1.
                let least =
                    EYES.map(|eye| apart(one.color, other.color, eye)).into_iter().fold(1.0, f32::min);
                assert!(one.shape != other.shape || least > 0.11, "{one:?} {other:?}: {least}");
            }
        }
        assert!((apart(Color::BLACK, Color::WHITE, EYES[2]) - 1.0).abs() < 0.01);
        let (red, green) = (Color::hex(0xc0_30_30), Color::hex(0x6a_70_20));
        assert!(
            apart(red, green, EYES[2]) < 0.5 * apart(red, green, EYES[0]),
            "the test knows what this eye can't distinguish"
        );
    }
}
