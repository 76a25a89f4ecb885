//! Where the cards of incantations stand: over the world's lower edge, in the middle.
//!
//! Of two incantations one that the window's view of the world doesn't show has a small picture above its card. A pure
//! function of layout and moment; never draws. Tested in this module.

use crate::scene::card::{Card, cards};
use crate::scene::rite;
use crate::view::Shown;
use zappy_observer::camera::Camera;
use zappy_observer::ink::Rect;
use zappy_observer::panels::layout::Layout;
use zappy_observer::theme::gap;
use zappy_observer::torus::{TorusView, middle};

/// The greatest width of a card, and its height, in points.
const CARD_SIZE: (f32, f32) = (400.0, 84.0);
/// The least width of a card that stands alone, and of two side by side, in points.
const MIN_WIDTH: [f32; 2] = [200.0, 250.0];
/// Height of a picture above a card, in points: at least, and at most.
const INSET_HEIGHT: (f32, f32) = (92.0, 168.0);
/// The share of the world's height that a picture takes.
const INSET_SHARE: f32 = 0.3;
/// The width of a picture, in its heights.
const INSET_ASPECT: f32 = 1.5;
/// An incantation counts as hidden if less than this share of its circle is seen.
const MIN_SEEN: f32 = 0.75;

/// Where the cards are, and the picture above one of them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CardPlaces {
    /// A place for each card, in their order; empty without room.
    pub cards: Vec<Rect>,
    /// The picture of the incantation that the world doesn't show: the number of its card, its place, and its camera.
    pub inset: Option<(usize, Rect, Camera)>,
}

impl CardPlaces {
    /// The rectangles of the cards and of the picture.
    pub fn covers(&self) -> impl Iterator<Item = Rect> {
        self.cards.iter().copied().chain(self.inset.map(|(_, rect, _)| rect))
    }
}

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
    let wide = ((world.w - between) / count as f32).min(CARD_SIZE.0);
    if wide < MIN_WIDTH[usize::from(count > 1)] || CARD_SIZE.1 > world.h * 0.5 {
        return Vec::new();
    }
    let left = world.x + (world.w - wide * count as f32 - between) / 2.0;
    let place = |number: usize| left + (wide + gap::LARGE) * number as f32;
    (0..count).map(|number| Rect::new(place(number), bottom - CARD_SIZE.1, wide, CARD_SIZE.1)).collect()
}

/// The circle of an incantation in the world, as the rectangle around it.
fn circle(layout: &Layout, shown: &Shown<'_>, card: &Card) -> Option<Rect> {
    let map = shown.state.mirror().size.filter(|map| map.contains(card.at))?;
    let torus = TorusView::new(layout.scenery(), shown.view.camera, map, 0);
    let r = torus.tiles(rite::reach(card.participants, card.level));
    Some(Rect::around(torus.once(middle(card.at)), 2.0 * r, 2.0 * r))
}

fn area(rect: Rect) -> f32 {
    if rect.is_empty() { 0.0 } else { rect.w * rect.h }
}

/// The cards of the moment and where they stand; without room for two, only the one that decides more.
pub fn standing(layout: &Layout, shown: &Shown<'_>) -> (Vec<Card>, CardPlaces) {
    let mut all = cards(shown);
    let mut found = places(layout, all.len());
    if found.is_empty() && all.len() > 1 {
        all.sort_by_key(|card| card.weight(true));
        all.truncate(1);
        found = places(layout, 1);
    }
    let circles: Vec<Option<Rect>> = all.iter().map(|card| circle(layout, shown, card)).collect();
    let inset =
        inset(layout, &circles, &found).zip(shown.state.mirror().size).map(|((number, rect), map)| {
            let card = &all[number];
            let r = rite::reach(card.participants, card.level) as f32;
            let (x, y) = middle(card.at);
            // The camera looks a little above the tile, to show its column of light as well.
            let camera = Camera { x, y: y - 0.25, scale: rect.h / (2.0 * r + 1.3) };
            (number, rect, camera.sane(map))
        });
    (all, CardPlaces { cards: found, inset })
}

/// The number of the card of the incantation that the world doesn't show, and the rectangle of its picture, above the
/// outer end of the card; `None` unless there are two, or if the picture would hide the other one.
fn inset(layout: &Layout, circles: &[Option<Rect>], cards: &[Rect]) -> Option<(usize, Rect)> {
    let (&[one, other], &[left, right]) = (circles, cards) else { return None };
    let clear = |rect: Rect| {
        let hidden: f32 = cards.iter().map(|card| area(card.intersect(rect))).sum();
        area(rect.intersect(layout.world)) - hidden >= area(rect) * MIN_SEEN
    };
    let seen = [one, other].map(|circle| circle.is_some_and(clear));
    let number = seen.iter().position(|seen| !seen)?;
    let high = (layout.world.h * INSET_SHARE).min(INSET_HEIGHT.1);
    if high < INSET_HEIGHT.0 {
        return None;
    }
    let wide = (high * INSET_ASPECT).min(left.w);
    let x = if number == 0 { left.x } else { right.right() - wide };
    let rect = Rect::new(x, left.y - gap::SMALL - high, wide, high);
    let other = [one, other][1 - number].filter(|_| seen[1 - number]);
    let hides =
        other.is_some_and(|circle| rect.nearest(circle.centre()).distance(circle.centre()) < circle.w / 2.0);
    (layout.world.encloses(rect, 0.0) && !hides).then_some((number, rect))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::panels::testing::ScriptedMatch;

    /// Two incantations, both running at tick 50: red's at 1 1, blue's at 12 12.
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

    /// The layout, the places of the cards of [`TWO`], and the circles of their incantations, as that camera has them.
    fn placed(camera: Camera) -> (Layout, CardPlaces, Vec<Rect>) {
        let mut scene = ScriptedMatch::of(&TWO);
        scene.view.camera = camera;
        scene.show(50.0, |shown| {
            let layout = zappy_observer::map_screen::panels::layout(1280.0, 720.0, shown);
            let (cards, stand) = standing(&layout, shown);
            let circles = cards.iter().filter_map(|card| circle(&layout, shown, card)).collect();
            (layout, stand, circles)
        })
    }

    #[test]
    fn cards_stand_in_the_middle_of_the_lower_edge_and_in_a_narrow_window_the_one_that_decides_more() {
        for (width, levels) in [(1280.0, vec![4, 3]), (480.0, vec![4])] {
            ScriptedMatch::of(&TWO).show(50.0, |shown| {
                let layout = zappy_observer::map_screen::panels::layout(width, 720.0, shown);
                let (of_incantations, stand) = standing(&layout, shown);
                assert_eq!(of_incantations.iter().map(|card| card.level.get()).collect::<Vec<_>>(), levels);
                let (cards, world) = (stand.cards, layout.world);
                assert!(cards.iter().all(|card| world.encloses(*card, 0.5)), "{cards:?} in {world:?}");
                assert!(cards.windows(2).all(|pair| pair[0].right() < pair[1].x), "{cards:?}");
                let (first, last) = (cards[0], cards[cards.len() - 1]);
                let middle = (first.x + last.right()) / 2.0;
                assert!((middle - world.centre().x).abs() < 1.0, "{cards:?} in {world:?}");
            });
        }
    }

    #[test]
    fn an_incantation_that_the_world_does_not_show_has_a_picture_above_its_card() {
        let whole = placed(Camera { x: 7.0, y: 7.0, scale: 22.0 }).1;
        assert_eq!(whole.inset, None, "both are seen");
        for (near, unseen, at) in [((1.5, 1.5), 1, (12.5, 12.5)), ((12.5, 12.5), 0, (1.5, 1.5))] {
            let (layout, stand, circles) = placed(Camera { x: near.0, y: near.1, scale: 70.0 });
            let (number, rect, camera) = stand.inset.expect("a picture in the picture");
            assert_eq!(number, unseen);
            let middle = camera.to_window(rect, at);
            assert!(rect.inset(rect.h * 0.3).contains(middle), "it is in the middle of it: {middle:?}");
            let (card, other) = (stand.cards[number], circles[1 - number]);
            assert!(rect.x >= card.x - 0.5 && rect.right() <= card.right() + 0.5, "at its card");
            assert!(!rect.overlaps(card) && !rect.overlaps(stand.cards[1 - number]));
            assert!(rect.nearest(other.centre()).distance(other.centre()) >= other.w / 2.0);
            assert!(layout.world.encloses(rect, 0.5));
        }
    }
}
