//! How resources look: each has a colour beside its shape. Tested in this module.

use zappy_protocol::zappy::Resource;

use zappy_observer::ink::Color;

/// A resource's colour; its shape is `draw`'s business, one per resource.
pub const fn resource_color(resource: Resource) -> Color {
    match resource {
        Resource::Food => Color::hex(0x6e_96_48),
        Resource::Linemate => Color::hex(0x84_8e_9c),
        Resource::Deraumere => Color::hex(0x5c_7f_bd),
        Resource::Sibur => Color::hex(0x98_87_45),
        Resource::Mendiane => Color::hex(0x8c_74_b8),
        Resource::Phiras => Color::hex(0xad_71_4c),
        Resource::Thystame => Color::hex(0xb8_66_88),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use zappy_observer::theme::{NIGHT, PANEL, PANEL_RAISED, TEAM_COLORS};

    #[test]
    fn every_resource_is_seen_on_every_panel() {
        for ground in [PANEL, PANEL_RAISED, NIGHT] {
            for resource in Resource::ALL {
                assert!(resource_color(resource).contrast(ground) >= 3.0, "{resource}");
            }
        }
    }

    #[test]
    fn resources_are_duller_than_players() {
        let faintest = TEAM_COLORS.iter().map(|color| color.luminance()).fold(f32::MAX, f32::min);
        for resource in Resource::ALL {
            let [red, green, blue, _] = resource_color(resource).0;
            let strong = red.max(green).max(blue) - red.min(green).min(blue);
            assert!(resource_color(resource).luminance() < faintest && strong < 110, "{resource}");
        }
    }
}
