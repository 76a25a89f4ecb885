//! Where the cards of incantations stand: where they cover least of what they tell about.
//!
//! One that the world doesn't show has a small picture of its own at its card. A pure function of layout and moment; never
//! draws. Tested in this module.

use crate::app::shown::Shown;
use crate::scene::card::{Card, cards};
use crate::scene::rite;
use zappy_observer::camera::Camera;
use zappy_observer::ink::Rect;
use zappy_observer::panels::kit;
use zappy_observer::panels::layout::Layout;
use zappy_observer::theme::gap;
use zappy_observer::torus::{Torus, middle};

/// Size of a card at its best, and the least width of use, in points.
const SIZE: (f32, f32) = (400.0, 84.0);
const LEAST_WIDTH: f32 = 250.0;
/// Height of the words below an incantation in the world, in points.
const WORDS: f32 = 30.0;
/// How much words count beside circles where cards look for their place.
const WORDS_WEIGHT: f32 = 0.2;
/// The share of a card's own size that it must cover less elsewhere before it leaves its usual place.
const STAYS: f32 = 0.03;
/// Height of a picture in the picture, in points: at least, and at most.
const INSET: (f32, f32) = (92.0, 168.0);
/// The share of the world's height that it takes.
const INSET_SHARE: f32 = 0.3;
/// How much wider than high it is: at best, and at the least.
const INSET_WIDE: [f32; 2] = [1.5, 1.05];
/// The share of an incantation's circle that is seen at the least, or it counts as hidden.
const SEEN: f32 = 0.75;

/// Where the cards are, and a picture in the picture.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Stand {
    /// The cards, in the order in which they are told; empty without room.
    pub cards: Vec<Rect>,
    /// The picture of the incantation that the world doesn't show: the number of its card, where, and its camera.
    pub inset: Option<(usize, Rect, Camera)>,
    /// How much of what they tell about the cards hide, in square points, what decides counted several times.
    hides: f32,
}

impl Stand {
    /// Everything that lies over the world.
    pub fn covers(&self) -> impl Iterator<Item = Rect> {
        self.cards.iter().copied().chain(self.inset.map(|(_, rect, _)| rect))
    }
}

/// The part of the world that stays free while a card lies over it.
pub fn free(layout: &Layout) -> Rect {
    let card = places(layout, 1, (false, 0.5));
    let free =
        Rect { h: card.first().map_or(layout.world.h, |card| card.y - layout.world.y), ..layout.world };
    if free.is_empty() { layout.world } else { free }
}

/// Cards side by side or one above the other, over the upper or the lower edge of the world; `across` is how far to the right
/// they stand, 0 to 1.
fn places(layout: &Layout, count: usize, (top, across): (bool, f32)) -> Vec<Rect> {
    let world = layout.world.inset_xy(gap::LARGE, 0.0);
    let bottom = if layout.status.is_empty() { world.bottom() } else { world.bottom().min(layout.status.y) }
        - gap::LARGE;
    let beside = count > 1 && world.w >= 2.0 * LEAST_WIDTH + gap::LARGE;
    let (columns, rows) = if beside { (count, 1) } else { (1, count) };
    let wide = ((world.w - gap::LARGE * (columns as f32 - 1.0)) / columns as f32).min(SIZE.0);
    let high = SIZE.1 * rows as f32 + gap::BODY * (rows as f32 - 1.0);
    if wide < LEAST_WIDTH * 0.8 || high > world.h * 0.5 {
        return Vec::new();
    }
    let all = wide * columns as f32 + gap::LARGE * (columns as f32 - 1.0);
    let left = world.x + (world.w - all) * across;
    // The upper right corner is the director's.
    let first = if top { world.y + kit::BUTTON + gap::LARGE } else { bottom - high };
    let place = |number: usize| {
        let (column, row) = if beside { (number, 0) } else { (0, number) };
        let y = first + (SIZE.1 + gap::BODY) * row as f32;
        Rect::new(left + (wide + gap::LARGE) * column as f32, y, wide, SIZE.1)
    };
    (0..count).map(place).collect()
}

/// The circle of an incantation in the world, as the rectangle around it.
fn circle(layout: &Layout, shown: &Shown<'_>, card: &Card) -> Option<Rect> {
    let map = shown.stage.mirror().size.filter(|map| map.contains(card.at))?;
    let torus = Torus::new(layout.scenery(), shown.view.camera, map, 0);
    let r = torus.tiles(rite::reach(card.participants, card.level));
    Some(Rect::around(torus.once(middle(card.at)), 2.0 * r, 2.0 * r))
}

fn area(rect: Rect) -> f32 {
    if rect.is_empty() { 0.0 } else { rect.w * rect.h }
}

/// The cards of the moment and where they stand. Of two above one another the one that decides more stands alone where both
/// would hide what they tell about.
pub fn standing(layout: &Layout, shown: &Shown<'_>) -> (Vec<Card>, Stand) {
    let all = cards(shown);
    let both = stand(layout, shown, &all);
    let stacked = both.cards.windows(2).any(|pair| pair[0].y != pair[1].y);
    if let Some(first) = all.iter().filter(|_| stacked).min_by_key(|card| card.weight(true)) {
        let first = vec![first.clone()];
        let alone = stand(layout, shown, &first);
        if alone.hides < both.hides / 2.0 {
            return (first, alone);
        }
    }
    (all, both)
}

/// Where these cards stand: over the world's lower edge in the middle, unless they cover less of what they tell about
/// elsewhere.
fn stand(layout: &Layout, shown: &Shown<'_>, cards: &[Card]) -> Stand {
    let circles: Vec<Option<Rect>> = cards.iter().map(|card| circle(layout, shown, card)).collect();
    // What decides must be seen before anything else, faces before words.
    let weight = |card: &Card| match card {
        Card { wins: true, .. } => 8.0,
        Card { left: Some(_), .. } => 2.0,
        _ => 1.0,
    };
    let told = cards.iter().zip(&circles).filter_map(|(card, circle)| Some(((*circle)?, weight(card))));
    let told: Vec<(Rect, f32)> = told.collect();
    let covered = |(number, places): &(usize, Vec<Rect>)| -> f32 {
        let of = |place: &Rect, (circle, weight): &(Rect, f32)| {
            let words = Rect { y: circle.bottom(), h: WORDS, ..*circle };
            weight * (area(circle.intersect(*place)) + WORDS_WEIGHT * area(words.intersect(*place)))
        };
        let all = places.iter().flat_map(|place| told.iter().map(move |told| of(place, told))).sum::<f32>();
        // Where it makes little difference they stay in their usual place.
        all + if *number > 0 { STAYS * places.iter().copied().map(area).sum::<f32>() } else { 0.0 }
    };
    let ways = [(false, 0.5), (false, 0.0), (false, 1.0), (true, 0.5), (true, 0.0), (true, 1.0)];
    let stands = (0..).zip(ways.map(|way| places(layout, cards.len(), way)));
    let stands = stands.map(|stand| (covered(&stand), stand));
    let Some((hides, (number, places))) = stands.min_by(|one, other| one.0.total_cmp(&other.0)) else {
        return Stand::default();
    };
    let top = ways[number].0;
    let inset =
        inset(layout, &circles, &places, top).zip(shown.stage.mirror().size).and_then(|(found, map)| {
            let ((number, rect), card) = (found, cards.get(found.0)?);
            let r = rite::reach(card.participants, card.level) as f32;
            let (x, y) = middle(card.at);
            // A little above the middle: the light stands there.
            let camera = Camera { x, y: y - 0.25, scale: rect.h / (2.0 * r + 1.3) };
            Some((number, rect, camera.sane(map)))
        });
    Stand { cards: places, inset, hides }
}

/// A picture in the picture: of two incantations the one that the world doesn't show, above its card or below it, as long as
/// it hides nothing of the other one.
fn inset(layout: &Layout, circles: &[Option<Rect>], cards: &[Rect], top: bool) -> Option<(usize, Rect)> {
    let &[one, other] = circles else { return None };
    let clear = |rect: Rect| {
        let hidden: f32 = cards.iter().map(|card| area(card.intersect(rect))).sum();
        area(rect.intersect(layout.world)) - hidden >= area(rect) * SEEN
    };
    let seen = [one, other].map(|circle| circle.is_some_and(clear));
    let number = seen.iter().position(|seen| !seen)?;
    let (card, stacked) = (cards.get(number)?, cards.first()?.y != cards.last()?.y);
    if stacked {
        return None;
    }
    let highest = (layout.world.h * INSET_SHARE).min(INSET.1);
    let sizes =
        [highest, highest * 0.75, INSET.0].into_iter().filter(|high| (INSET.0..=highest).contains(high));
    let sizes = sizes.flat_map(|high| INSET_WIDE.map(|share| ((high * share).min(card.w), high)));
    let rects = sizes.map(|(wide, high)| {
        // At the outer end, away from the middle.
        let x = if card.centre().x < layout.world.centre().x { card.x } else { card.right() - wide };
        let y = if top { card.bottom() + gap::SMALL } else { card.y - gap::SMALL - high };
        Rect::new(x, y, wide, high)
    });
    let hides = |rect: &Rect| {
        let mut shown = circles.iter().flatten().zip(seen).filter(|(_, seen)| *seen);
        shown.any(|(circle, _)| rect.nearest(circle.centre()).distance(circle.centre()) < circle.w / 2.0)
    };
    let mut fitting = rects.filter(|rect| layout.world.encloses(*rect, 0.0) && !hides(rect));
    fitting.next().map(|rect| (number, rect))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::panels::testing::Scene;

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

    /// How the cards of [`TWO`] stand while the camera looks there.
    fn stands(camera: Camera) -> (Layout, Stand, Vec<Rect>) {
        let mut scene = Scene::told(&TWO);
        scene.view.camera = camera;
        scene.show(50.0, |shown| {
            let layout = crate::panels::layout(1280.0, 720.0, shown);
            let cards = cards(shown);
            let circles = cards.iter().filter_map(|card| circle(&layout, shown, card)).collect();
            let stand = stand(&layout, shown, &cards);
            (layout, stand, circles)
        })
    }

    #[test]
    fn cards_stand_where_they_hide_nothing_of_what_they_tell() {
        // The whole map, one circle after the other at each of its edges.
        for (x, y) in [(7.0, 7.0), (1.5, 14.0), (1.5, 9.0), (5.0, 3.0), (6.0, 17.0)] {
            let (layout, stand, circles) = stands(Camera { x, y, scale: 24.0 });
            assert_eq!(stand.cards.len(), 2);
            for card in &stand.cards {
                assert!(layout.world.encloses(*card, 0.5), "{card:?}");
                assert!(
                    circles.iter().all(|circle| !circle.overlaps(*card)),
                    "{x} {y}: {card:?} {circles:?}"
                );
            }
        }
    }

    #[test]
    fn in_a_narrow_window_the_card_that_decides_more_stands_alone_before_both_hide_it() {
        let narrow = |y: f64| {
            let mut scene = Scene::told(&TWO);
            scene.view.camera = Camera { x: 1.5, y, scale: 40.0 };
            scene.show(50.0, |shown| {
                let layout = crate::panels::layout(480.0, 640.0, shown);
                let (cards, stand) = standing(&layout, shown);
                assert_eq!(cards.len(), stand.cards.len());
                let hidden = stand.cards.iter().zip(&cards).any(|(place, _)| {
                    cards.iter().filter_map(|card| circle(&layout, shown, card)).any(|c| c.overlaps(*place))
                });
                (cards.iter().map(|card| card.level.get()).collect::<Vec<_>>(), hidden)
            })
        };
        let found: Vec<_> = (0..12).map(|step| narrow(f64::from(step) * 0.6 - 3.0)).collect();
        assert!(found.contains(&(vec![4, 3], false)) && found.contains(&(vec![4], false)), "{found:?}");
    }

    #[test]
    fn an_incantation_that_the_world_does_not_show_has_a_picture_above_its_card() {
        let whole = stands(Camera { x: 7.0, y: 7.0, scale: 22.0 }).1;
        assert_eq!(whole.inset, None, "both are seen");
        for (near, unseen, at) in [((1.5, 1.5), 1, (12.5, 12.5)), ((12.5, 12.5), 0, (1.5, 1.5))] {
            let (layout, stand, circles) = stands(Camera { x: near.0, y: near.1, scale: 70.0 });
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
