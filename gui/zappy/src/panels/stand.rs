//! Where the cards of incantations stand: over the world's lower edge, in the middle.
//!
//! A pure function of layout and moment; never draws. Tested in this module.

use crate::scene::card::{Card, cards};
use crate::shown::Shown;
use zappy_observer::ink::Rect;
use zappy_observer::panels::layout::Layout;
use zappy_observer::theme::gap;

/// Size of a card at its best, in points.
const SIZE: (f32, f32) = (400.0, 84.0);
/// The least width of use, of a card that stands alone and of two side by side, in points.
const LEAST_WIDTH: [f32; 2] = [200.0, 250.0];

/// The part of the world that stays free while a card lies over it.
pub fn free(layout: &Layout) -> Rect {
    let card = places(layout, 1);
    let free =
        Rect { h: card.first().map_or(layout.world.h, |card| card.y - layout.world.y), ..layout.world };
    if free.is_empty() { layout.world } else { free }
}

/// Cards side by side; none where the world is too narrow for them.
fn places(layout: &Layout, count: usize) -> Vec<Rect> {
    let world = layout.world.inset_xy(gap::LARGE, 0.0);
    let bottom = if layout.status.is_empty() { world.bottom() } else { world.bottom().min(layout.status.y) }
        - gap::LARGE;
    let between = gap::LARGE * (count as f32 - 1.0);
    let wide = ((world.w - between) / count as f32).min(SIZE.0);
    if wide < LEAST_WIDTH[usize::from(count > 1)] || SIZE.1 > world.h * 0.5 {
        return Vec::new();
    }
    let left = world.x + (world.w - wide * count as f32 - between) / 2.0;
    let place = |number: usize| left + (wide + gap::LARGE) * number as f32;
    (0..count).map(|number| Rect::new(place(number), bottom - SIZE.1, wide, SIZE.1)).collect()
}

/// The cards of the moment with their places, in the order in which they are told; empty without room, and the one that
/// decides more alone where two have no room side by side.
pub fn standing(layout: &Layout, shown: &Shown<'_>) -> Vec<(Card, Rect)> {
    let mut all = cards(shown);
    let mut found = places(layout, all.len());
    if found.is_empty() && all.len() > 1 {
        all.sort_by_key(|card| card.weight(true));
        found = places(layout, 1);
    }
    all.into_iter().zip(found).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::panels::testing::ToldMatch;

    /// Two incantations: red's at 1 1 that may win nothing, blue's at 7 7, both seen at 50.
    const TWO: [&str; 8] = [
        "0 msz 20 20",
        "0 tna red",
        "0 tna blue",
        "0 smg go",
        "1 pnw #0 1 1 1 4 red",
        "1 pnw #1 12 12 1 3 blue",
        "10 pic 1 1 4 #0",
        "20 pic 12 12 3 #1",
    ];

    #[test]
    fn cards_stand_in_the_middle_of_the_lower_edge_and_in_a_narrow_window_the_one_that_decides_more() {
        for (width, levels) in [(1280.0, vec![4, 3]), (480.0, vec![4])] {
            ToldMatch::told(&TWO).show(50.0, |shown| {
                let layout = zappy_observer::map_screen::panels::layout(width, 720.0, shown);
                let (told, cards): (Vec<Card>, Vec<Rect>) = standing(&layout, shown).into_iter().unzip();
                assert_eq!(told.iter().map(|card| card.level.get()).collect::<Vec<_>>(), levels);
                let world = layout.world;
                assert!(cards.iter().all(|card| world.encloses(*card, 0.5)), "{cards:?} in {world:?}");
                assert!(cards.windows(2).all(|pair| pair[0].right() < pair[1].x), "{cards:?}");
                let (first, last) = (cards[0], cards[cards.len() - 1]);
                let middle = (first.x + last.right()) / 2.0;
                assert!((middle - world.centre().x).abs() < 1.0, "{cards:?} in {world:?}");
            });
        }
    }
}
