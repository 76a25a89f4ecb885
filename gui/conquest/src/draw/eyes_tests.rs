//! The land of twelve factions, as the three kinds of colour-blind eyes see it.

use super::{DARKNESS, GROUND, NIGHT, has_stitch};
use zappy_observer::ink::Color;
use zappy_observer::theme::{TEAM_COLORS, TERRAIN};
use zappy_protocol::conquest::FactionId;

/// How an eye that lacks one kind of cones sees red, green and blue light, as matrices by Machado, Oliveira and
/// Fernandes, 2009: protanopia, deuteranopia, tritanopia.
const EYES: [[[f64; 3]; 3]; 3] = [
    [
        [0.152_286, 1.052_583, -0.204_868],
        [0.114_503, 0.786_281, 0.099_216],
        [-0.003_882, -0.048_116, 1.051_998],
    ],
    [[0.367_322, 0.860_646, -0.227_968], [0.280_085, 0.672_501, 0.047_413], [-0.011_82, 0.042_94, 0.968_881]],
    [
        [1.255_528, -0.076_749, -0.178_779],
        [-0.078_411, 0.930_809, 0.147_602],
        [0.004_733, 0.691_367, 0.303_9],
    ],
];
/// The least distance by CIEDE2000 at which two colours differ at a glance, and that of a stitch from its ground.
const LAND_DISTANCE: f64 = 12.0;
const STITCH_DISTANCE: f64 = 6.0;

/// A matrix, as rows, times a vector.
fn multiply(rows: [[f64; 3]; 3], vector: [f64; 3]) -> [f64; 3] {
    rows.map(|row| row.iter().zip(vector).map(|(one, other)| one * other).sum())
}

/// The coordinates in CIELAB, by daylight, of a colour as an eye sees it.
fn lab(color: Color, eye: [[f64; 3]; 3]) -> [f64; 3] {
    let light = |channel: u8| {
        let value = f64::from(channel) / 255.0;
        if value <= 0.040_45 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    };
    let [red, green, blue, _] = color.0;
    let light = multiply(eye, [red, green, blue].map(light)).map(|share| share.clamp(0.0, 1.0));
    let xyz = [
        [0.433_891, 0.376_210, 0.189_899],
        [0.212_673, 0.715_152, 0.072_175],
        [0.017_757, 0.109_470, 0.872_773],
    ];
    let [x, y, z] = multiply(xyz, light)
        .map(|t| if t > 216.0 / 24_389.0 { t.cbrt() } else { (24_389.0 / 27.0 * t + 16.0) / 116.0 });
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}

/// The distance of two colours by CIEDE2000.
fn distance([l1, a1, b1]: [f64; 3], [l2, a2, b2]: [f64; 3]) -> f64 {
    let seventh = |c: f64| (c.powi(7) / (c.powi(7) + 25.0_f64.powi(7))).sqrt();
    let stretch = 1.5 - 0.5 * seventh((a1.hypot(b1) + a2.hypot(b2)) / 2.0);
    let (a1, a2) = (a1 * stretch, a2 * stretch);
    let (c1, c2) = (a1.hypot(b1), a2.hypot(b2));
    let (h1, h2) = (b1.atan2(a1).to_degrees().rem_euclid(360.0), b2.atan2(a2).to_degrees().rem_euclid(360.0));
    let turn = if c1 * c2 == 0.0 { 0.0 } else { (h2 - h1 + 180.0).rem_euclid(360.0) - 180.0 };
    let (lm, cm, hm) = ((l1 + l2) / 2.0, (c1 + c2) / 2.0, h1 + turn / 2.0);
    let hue = 2.0 * (c1 * c2).sqrt() * (turn / 2.0).to_radians().sin();
    let wave = |times: f64, by: f64| (times * hm + by).to_radians().cos();
    let t = 1.0 - 0.17 * wave(1.0, -30.0) + 0.24 * wave(2.0, 0.0) + 0.32 * wave(3.0, 6.0)
        - 0.2 * wave(4.0, -63.0);
    let (sc, sh) = (1.0 + 0.045 * cm, 1.0 + 0.015 * cm * t);
    let sl = 1.0 + 0.015 * (lm - 50.0).powi(2) / (20.0 + (lm - 50.0).powi(2)).sqrt();
    let rotation = 60.0 * (-((hm.rem_euclid(360.0) - 275.0) / 25.0).powi(2)).exp();
    let (dl, dc, dh) = ((l2 - l1) / sl, (c2 - c1) / sc, hue / sh);
    (dl * dl + dc * dc + dh * dh - rotation.to_radians().sin() * 2.0 * seventh(cm) * dc * dh).sqrt()
}

#[test]
fn the_distance_is_that_of_the_standard() {
    // Pairs of the table of Sharma, Wu and Dalal, 2005.
    for (one, other, right) in [
        ([50.0, 2.6772, -79.7751], [50.0, 0.0, -82.7485], 2.0425),
        ([50.0, -1.0, 2.0], [50.0, 0.0, 0.0], 2.3669),
        ([50.0, 2.5, 0.0], [73.0, 25.0, -18.0], 27.1492),
        ([22.7233, 20.0904, -46.6940], [23.0331, 14.9730, -42.5619], 2.0373),
    ] {
        assert!((distance(one, other) - right).abs() < 1e-3, "{one:?}: {}", distance(one, other));
    }
}

/// The sixteen stitches of a faction's pattern, row by row, shifted by so many columns and rows.
fn stitches(faction: u8, shift: (i64, i64)) -> Vec<bool> {
    (0..16).map(|nth: i64| has_stitch(FactionId(faction), nth % 4 + shift.0, nth / 4 + shift.1)).collect()
}

#[test]
fn the_land_of_two_of_twelve_factions_differs_for_every_eye_by_colour_or_by_pattern() {
    let shifts = || (0..16).map(|nth| (nth % 4, nth / 4));
    // Soil and strength of the owner's tint: the world from near, the small map, the world from afar.
    for (soil, strength) in
        TERRAIN.map(|soil| (soil, 0.3)).into_iter().chain([(GROUND, 0.5), (TERRAIN[0], 0.45)])
    {
        let land = |of: u8| soil.mix(TEAM_COLORS[usize::from(of)], strength);
        let least = |one: Color, other: Color| {
            EYES.map(|eye| distance(lab(one, eye), lab(other, eye))).into_iter().fold(f64::MAX, f64::min)
        };
        for one in 0..12 {
            let seen = least(land(one), land(one).mix(NIGHT, DARKNESS));
            assert!(seen > STITCH_DISTANCE, "a stitch of {one} is {seen} from its ground");
            for other in 0..one {
                let differ = shifts().all(|by| stitches(one, (0, 0)) != stitches(other, by));
                assert!(least(land(one), land(other)) >= LAND_DISTANCE || differ, "{one} and {other}");
                assert!(differ, "{one} and {other} have one pattern");
            }
        }
    }
}
