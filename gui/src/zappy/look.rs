//! How resources look: each has a colour beside its shape. Tested in this module.

use zappy_protocol::zappy::Resource;

use crate::ink::Color;

/// A resource's colour; its shape is `draw`'s business, one per resource.
pub const fn resource_color(resource: Resource) -> Color {
    match resource {
        Resource::Food => Color::hex(0x8b_d4_50),
        Resource::Linemate => Color::hex(0xd5_dc_e6),
        Resource::Deraumere => Color::hex(0x6c_9c_ff),
        Resource::Sibur => Color::hex(0xf2_cf_4f),
        Resource::Mendiane => Color::hex(0xb9_8c_ff),
        Resource::Phiras => Color::hex(0xff_95_57),
        Resource::Thystame => Color::hex(0xff_6f_a8),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::theme::{NIGHT, PANEL, PANEL_RAISED};

    #[test]
    fn every_resource_is_seen_on_every_panel() {
        for ground in [PANEL, PANEL_RAISED, NIGHT] {
            for resource in Resource::ALL {
                assert!(resource_color(resource).contrast(ground) >= 3.0, "{resource}");
            }
        }
    }
}
