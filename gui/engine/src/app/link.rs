//! A moment in the address of a page: `#tick=1443&player=44`.
//!
//! People write such links by hand, too: parts that aren't understood are left out. Tested in this module.

use zappy_protocol::Position;

use super::watching::Chosen;

/// The bytes that are read of a longer link.
const LINK_BYTES: usize = 4_096;

/// The choices in the part of an address behind its `#`; `selectable` are the words for what can be selected. If no
/// moment, zoom, selection or tile is named, the director leads.
pub fn chosen(fragment: &str, selectable: &[&str]) -> Chosen {
    let mut chosen = Chosen::default();
    let mut lengths = (0..=LINK_BYTES.min(fragment.len())).rev();
    let length = lengths.find(|length| fragment.is_char_boundary(*length)).unwrap_or(0);
    let text = &fragment[..length];
    for (word, value) in text.trim_start_matches('#').split('&').filter_map(|part| part.split_once('=')) {
        let value = value.replace("%2C", ",").replace("%2c", ",");
        match word {
            "tick" => chosen.at_tick = value.parse().ok(),
            "zoom" => chosen.zoom = value.parse().ok().filter(|zoom| (0.1..=100.0).contains(zoom)),
            "at" => chosen.look_at = position(&value),
            "scale" => chosen.scale = value.parse().ok().filter(|scale| (0.5..=4.0).contains(scale)),
            "show" => chosen.show = value.split(',').map(str::to_owned).collect(),
            "director" => chosen.director = value == "1",
            word if selectable.contains(&word) => chosen.select = Some(format!("{word}:{value}")),
            _ => {}
        }
    }
    let names_a_view = chosen.at_tick.is_some() || chosen.zoom.is_some() || chosen.select.is_some();
    chosen.director |= !names_a_view && chosen.look_at.is_none();
    chosen.opening = chosen.director && chosen.at_tick.is_none();
    chosen
}

/// Reads a tile such as `3,7`.
pub fn position(text: &str) -> Option<Position> {
    let (x, y) = text.split_once(',')?;
    Some(Position { x: x.parse().ok()?, y: y.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(fragment: &str) -> Chosen {
        super::chosen(fragment, &["player", "tile"])
    }

    #[test]
    fn a_moment_and_a_selection_are_read_and_nonsense_is_left_out() {
        let wanted =
            Chosen { at_tick: Some(1_443), select: Some("player:44".to_owned()), ..Chosen::default() };
        assert_eq!(chosen("#tick=1443&player=44"), wanted);
        assert_eq!(chosen("tick=1443&player=44&shoes=red&tick"), wanted);
        let place = chosen("tile=3%2C7&zoom=2.5&at=1,2&show=charts,help");
        assert_eq!((place.select.as_deref(), place.zoom), (Some("tile:3,7"), Some(2.5)));
        assert_eq!((place.look_at, place.show.len()), (Some(Position { x: 1, y: 2 }), 2));
        let long = format!("tick=7&{}é&zoom=2", "x".repeat(LINK_BYTES - 8));
        assert_eq!((chosen(&long).at_tick, chosen(&long).zoom), (Some(7), None), "the limit lies within é");
        for nonsense in ["", "#", "#tick=-3&zoom=0&at=1", "#tick=1e9", "#é=ü"] {
            assert_eq!(
                chosen(nonsense),
                Chosen { director: true, opening: true, ..Chosen::default() },
                "{nonsense}"
            );
        }
    }
}
