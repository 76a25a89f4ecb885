//! Which colour each team has, wherever a match is shown.
//!
//! Tested here and in `gui/engine/src/theme.rs`, which gives each colour a shape as well.

use crate::types::TeamName;

/// Colours of teams, as red, green and blue, and for each the words in a team's name that choose it. The observer
/// has eight shapes, so teams that are a multiple of eight places apart have the same shape: their colours differ for
/// every common kind of colour vision and in greyscale. So do the first eight, which follow the palette of Okabe and Ito.
pub const TEAM_COLORS: [(u32, &[&str]); 24] = [
    (0xff_8a_4c, &["red", "vermilion", "rouge", "fire"]),
    (0x5a_a9_ff, &["blue", "bleu", "water"]),
    (0x35_d0_a0, &["green", "vert", "teal"]),
    (0xf5_e0_5b, &["yellow", "jaune", "gold"]),
    (0xe2_8f_cf, &["pink", "rose"]),
    (0x9f_e3_ff, &["cyan", "sky", "ice"]),
    (0xe8_a9_2c, &["orange", "amber"]),
    (0xe6_e9_ef, &["white", "blanc", "grey", "gray", "silver"]),
    (0xa8_d6_cc, &["celadon", "mist"]),
    (0xd7_ca_a6, &["beige", "sand"]),
    (0xbb_88_1a, &["brown", "bronze", "marron"]),
    (0xaa_8b_74, &["taupe", "earth"]),
    (0xbe_d9_55, &["olive"]),
    (0x73_8d_e2, &["indigo", "navy"]),
    (0x6c_fe_b9, &["mint", "menthe"]),
    (0x6d_d4_56, &["grass", "leaf"]),
    (0xf7_f9_41, &["lemon", "citron"]),
    (0xe5_f9_ad, &["cream"]),
    (0xac_f9_3f, &["lime"]),
    (0xb0_b5_d8, &["purple", "violet", "lavender"]),
    (0xbb_ff_f0, &["aqua"]),
    (0xe0_a5_ad, &["salmon"]),
    (0xa0_89_a6, &["mauve", "plum"]),
    (0xee_56_c5, &["magenta", "fuchsia"]),
];

/// For each team the place of its colour in [`TEAM_COLORS`]. The first team with a colour in its name gets that
/// colour, all others the free ones in order; with more than twenty-four teams places go on beyond the table, and its colours come
/// again.
pub fn places(teams: &[TeamName]) -> Vec<usize> {
    let mut taken = [false; TEAM_COLORS.len()];
    let mut claim = |team: &TeamName| {
        let name = team.as_str().to_lowercase();
        let is_named = |(_, words): &(u32, &[&str])| words.iter().any(|word| name.contains(word));
        let place = TEAM_COLORS.iter().position(is_named)?;
        (!std::mem::replace(&mut taken[place], true)).then_some(place)
    };
    let claims: Vec<Option<usize>> = teams.iter().map(&mut claim).collect();
    let mut free = (0..).filter(|&place| taken.get(place).is_none_or(|taken| !taken));
    claims.into_iter().map(|claim| claim.or_else(|| free.next()).unwrap_or(0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_team_called_by_a_colour_gets_it() {
        let teams = ["green", "snakes", "Red Dragons", "blue", "blue2"];
        let teams: Vec<TeamName> =
            teams.iter().map(|name| TeamName::parse(name.as_bytes()).unwrap()).collect();
        assert_eq!(places(&teams), [2, 3, 0, 1, 4]);
    }
}
