//! The world of conquest as ink: land and borders, what stands on tiles, units, and what happens to them.
//!
//! Must never keep anything between frames: the same [`Shown`] gives the same vertices. Tested in `tests/conquest/`.

use zappy_protocol::Position;
use zappy_protocol::conquest::{FactionId, Terrain, Tile};

use super::effects;
use super::pieces::{self, radius};
use super::scene::{ConquestScene, Piece};
use super::view::{Selection, Shown};
use zappy_observer::camera::{VisibleTiles, wrapped};
use zappy_observer::ink::{Anchor, Canvas, Color, Face, Point, Rect, Style};
use zappy_observer::panels::gold;
use zappy_observer::panels::marks::shape;
use zappy_observer::small_map::SmallMap;
use zappy_observer::theme::{ACCENT, GOLD, GRID, GROUND, NIGHT, TEXT, TeamLook, size};
use zappy_observer::timeline::notes::WORDS;
use zappy_observer::torus::{Land, TorusView, bright, middle, smooth};

/// Tiles drawn one by one at most; of more, one is drawn in place of several.
const TILE_LIMIT: i64 = 24_000;
/// Points per tile from which on the features of tiles are seen, and from which on they are opaque.
const FEATURE_SCALE: (f32, f32) = (11.0, 15.0);
/// Points per tile from which on each tile shows its owner's whole pattern; on a smaller scale it is one stitch of it.
const HATCH_SCALE: f32 = 16.0;
/// Patterns of factions' land: four rows of four stitches, a bit each, no two patterns alike however they are shifted.
const PATTERNS: [u16; 12] =
    [0x0000, 0x1248, 0xf0f0, 0xaaaa, 0xcc33, 0x8020, 0x8421, 0xa5a5, 0xcccc, 0xff00, 0xf888, 0x4e40];
/// How dark a stitch is, 0 to 1.
const DARKNESS: f32 = 0.38;
/// Half the height of a faction's name, in points, and how many distances from its base are tried for it.
const NAME_HALF: f32 = 7.0;
const NAME_STEPS: u8 = 8;
/// Cells of the small map along one side at most.
const CELLS: u16 = 80;
const FOREST: Color = Color::hex(0x17_2b_22);

/// Draws the world, which repeats until `place` is full, and nothing beside `place`.
pub fn world(canvas: &mut Canvas, place: Rect, shown: &Shown<'_>) {
    canvas.clipped(place, |canvas| {
        canvas.rect(place, NIGHT);
        let Some(map) = shown.state.mirror.size.filter(|_| !place.is_empty()) else { return };
        let scene = ConquestScene::of(shown);
        let things = scene.pieces.len() + scene.effects.len();
        let torus = TorusView::new(place, shown.view.camera, map, things);
        let seen = torus.camera.visible(place, map);
        draw_ground(canvas, &torus, &seen, shown);
        torus.seam(canvas, &seen);
        let opacity = smooth(FEATURE_SCALE.0, FEATURE_SCALE.1, torus.camera.scale);
        canvas.faded(opacity, |canvas| draw_features(canvas, &torus, &seen, shown));
        draw_bases(canvas, &torus, shown);
        if let Some(Selection::City(city)) = shown.view.selection {
            // The tiles assigned to the city, each joined to it by a line, below the units.
            let scale = torus.camera.scale;
            for (&at, _) in shown.state.mirror.assigned.iter().filter(|(_, of)| **of == city) {
                let (dx, dy) = torus.map.delta(city, at);
                for home in torus.seen(middle(city), scale * 4.0) {
                    let centre = home + Point::new(dx as f32 * scale, dy as f32 * scale);
                    canvas.line(home, centre, (scale * 0.05).max(1.0), ACCENT.alpha(0.5));
                    canvas.outline(torus.tile_rect(centre, 0.94), scale * 0.08, 1.5, ACCENT.alpha(0.8));
                }
            }
        }
        effects::under(canvas, &torus, &scene, shown);
        for piece in &scene.pieces {
            let (look, unit) = (shown.look(Some(piece.unit.faction)), piece.unit);
            let r = radius(torus.camera.scale) * if piece.falls { 0.6 + 0.4 * piece.opacity } else { 1.0 };
            let health = (!piece.falls).then_some(unit.health);
            for at in torus.seen(piece.point, r * 2.5) {
                let draw =
                    |canvas: &mut Canvas| pieces::unit(canvas, at, r, look, (unit.kind, health, unit.stance));
                canvas.faded(piece.opacity, draw);
            }
        }
        let r = base_radius(torus.camera.scale);
        for_each_home(&torus, shown, |at, _, look| pieces::flag(canvas, at, r, look));
        effects::over(canvas, &torus, &scene, shown);
        // The middle and the radius of each unit in sight, in points.
        let r = radius(torus.camera.scale);
        let circles = |piece: &Piece| torus.seen(piece.point, r).map(move |at| (at, r));
        let figures: Vec<(Point, f32)> = scene.pieces.iter().flat_map(circles).collect();
        let mut names = draw_names(canvas, &torus, shown, &figures);
        torus.shade(canvas);
        let free = if shown.view.free.is_empty() { place } else { shown.view.free.intersect(place) };
        effects::draw_fights(canvas, &torus, &scene, (shown, free), &mut names);
        draw_victory(canvas, (&torus, &seen), &scene, (shown, free));
        draw_selection(canvas, &torus, &scene, shown);
        draw_notes(canvas, &torus, shown);
        torus.labels(canvas, free, &figures);
    });
}

/// After the end: the world turns dark but for the winners' land, and their units and bases glow in gold.
fn draw_victory(
    canvas: &mut Canvas,
    (torus, seen): (&TorusView, &VisibleTiles),
    scene: &ConquestScene<'_>,
    (shown, free): (&Shown<'_>, Rect),
) {
    let finish = shown.story.finish.as_ref().filter(|finish| shown.is_over() && !finish.winners.is_empty());
    let Some(finish) = finish else { return };
    // A tick of conquest is a millisecond, and one of `gold` a hundredth of a second.
    let since = ((shown.time.tick - finish.tick as f64) / 10.0) as f32;
    let opacity = gold::unfolded(since);
    canvas.rect(torus.place, NIGHT.alpha(gold::DARK * opacity));
    // The winners' land stays as it was.
    for ((x, y), at) in seen.tiles(torus.map).filter(|_| seen.count() <= TILE_LIMIT) {
        let tile = shown.state.mirror.tile(at);
        if let Some(tile) =
            tile.filter(|tile| tile.owner.is_some_and(|owner| finish.winners.contains(&owner)))
        {
            let centre = torus.camera.to_window(torus.place, (x as f64 + 0.5, y as f64 + 0.5));
            canvas.rect(torus.tile_rect(centre, 1.0), tint(shown, tile, GROUND, 0.55).alpha(0.75 * opacity));
        }
    }
    gold::frame(canvas, torus.place, opacity);
    let (r, scale) = (radius(torus.camera.scale), torus.camera.scale);
    for winner in &finish.winners {
        let look = shown.look(Some(*winner));
        for piece in scene.pieces.iter().filter(|piece| piece.unit.faction == *winner && !piece.falls) {
            let (at, unit) = (torus.once(piece.point), piece.unit);
            canvas.glow(at, (r * 2.4).max(8.0), GOLD.alpha(0.45 * opacity));
            pieces::unit(canvas, at, r, look, (unit.kind, Some(unit.health), unit.stance));
        }
        let base = shown.state.mirror.factions.get(winner.index()).and_then(|known| known.holdings.base);
        if let Some(at) = base.filter(|at| torus.map.contains(*at)).map(|at| torus.once(middle(at))) {
            canvas.glow(at, torus.tiles(2.4), GOLD.alpha(0.6 * opacity));
            pieces::base(canvas, at, base_radius(scale), Some(look));
            pieces::flag(canvas, at, base_radius(scale), look);
        }
    }
    gold::confetti(canvas, torus.place, (since, opacity));
    let names = shown.story.names_of(&finish.winners);
    gold::words(canvas, (free, &[], None), &names, shown.look(finish.winners.first().copied()));
}

/// What bots noted on tiles: those of the selected faction, or of all factions if none is selected.
fn draw_notes(canvas: &mut Canvas, torus: &TorusView, shown: &Shown<'_>) {
    if !shown.view.notes {
        return;
    }
    let chosen = shown.view.selection.and_then(|chosen| chosen.faction(&shown.state.mirror));
    let mut words_left = WORDS;
    for seat in shown.notes.players() {
        let faction = shown.story.at_seat(seat);
        if chosen.is_some() && faction != chosen {
            continue;
        }
        for ((x, y), word) in shown.notes.tiles(seat, shown.tick()).into_iter().take(words_left) {
            words_left -= 1;
            let at = wrapped(torus.map, x.into(), y.into());
            torus.word(canvas, at, word, bright(shown.look(faction).color));
        }
    }
}

/// Whether an owner's pattern has a stitch at that column and row: by it colour-blind eyes distinguish twelve factions.
fn has_stitch(owner: FactionId, x: i64, y: i64) -> bool {
    let pattern = PATTERNS[owner.index() % PATTERNS.len()];
    let bit = y.rem_euclid(4) * 4 + x.rem_euclid(4);
    pattern >> (15 - bit) & 1 == 1
}

/// The colour of a tile's ground, its forest or that soil, tinted by its owner's colour with a strength of 0 to 1.
fn tint(shown: &Shown<'_>, tile: &Tile, soil: Color, strength: f32) -> Color {
    let ground = if tile.terrain == Terrain::Forest { FOREST } else { soil };
    tile.owner.map_or(ground, |owner| ground.mix(shown.look(Some(owner)).color, strength))
}

/// Tiles with the borders between owners; of too many tiles, one is drawn in place of `step` by `step`.
fn draw_ground(canvas: &mut Canvas, torus: &TorusView, seen: &VisibleTiles, shown: &Shown<'_>) {
    let (scale, map) = (torus.camera.scale, torus.map);
    let mut step = 1;
    while seen.count() / (step * step) > TILE_LIMIT {
        step += 1;
    }
    let far = smooth(14.0, 8.0_f32.min(scale), 14.0 - scale.min(14.0));
    let gap = if scale < HATCH_SCALE { 0.0 } else { (scale * 0.03).max(canvas.hairline()) };
    let land = (step == 1).then(|| Land::of(map, seen));
    let columns = || (seen.x.start..seen.x.end).step_by(usize::try_from(step).unwrap_or(1));
    for y in (seen.y.start..seen.y.end).step_by(usize::try_from(step).unwrap_or(1)) {
        for x in columns() {
            let Some(tile) = shown.state.mirror.tile(wrapped(map, x, y)) else { continue };
            let from = torus.camera.to_window(torus.place, (x as f64, y as f64));
            let side = scale * step as f32;
            let rect = Rect::new(from.x, from.y, side - gap, side - gap);
            let rect = if gap > 0.0 { rect } else { canvas.snap(rect) };
            let corners = land.as_ref().map_or([GROUND; 4], |land| land.tile((x, y)));
            // From afar a tile is one stitch of its owner's pattern; from near `draw_owner` adds the whole pattern.
            let stitch = scale < HATCH_SCALE
                && tile.owner.is_some_and(|owner| has_stitch(owner, x.div_euclid(step), y.div_euclid(step)));
            let ground = corners.map(|soil| tint(shown, tile, soil, 0.3 + 0.15 * far));
            canvas.blend(rect, if stitch { ground.map(|soil| soil.mix(NIGHT, DARKNESS)) } else { ground });
            if let Some(owner) = tile.owner.filter(|_| step == 1) {
                draw_owner(canvas, (torus, shown), (x, y), rect, owner);
            }
        }
    }
}

/// An owner's hatching, and its border towards other land.
fn draw_owner(
    canvas: &mut Canvas,
    (torus, shown): (&TorusView, &Shown<'_>),
    (x, y): (i64, i64),
    rect: Rect,
    owner: FactionId,
) {
    let (scale, color) = (torus.camera.scale, shown.look(Some(owner)).color);
    if scale >= HATCH_SCALE {
        let side = rect.w / 4.0;
        for (row, column) in (0..4).flat_map(|row| (0..4).map(move |column| (row, column))) {
            if has_stitch(owner, column, row) {
                let at = Point::new(rect.x + side * column as f32, rect.y + side * row as f32);
                canvas.rect(Rect::new(at.x, at.y, side, side), NIGHT.alpha(DARKNESS));
            }
        }
    }
    if scale < 5.0 {
        return;
    }
    let width = (scale * 0.075).clamp(1.2, 6.0);
    let sides = [
        (0, -1, Rect::new(rect.x, rect.y, rect.w, width)),
        (0, 1, Rect::new(rect.x, rect.bottom() - width, rect.w, width)),
        (-1, 0, Rect::new(rect.x, rect.y, width, rect.h)),
        (1, 0, Rect::new(rect.right() - width, rect.y, width, rect.h)),
    ];
    for (dx, dy, edge) in sides {
        let beside = shown.state.mirror.tile(wrapped(torus.map, x + dx, y + dy)).and_then(|tile| tile.owner);
        if beside != Some(owner) {
            canvas.rect(edge, bright(color));
        }
    }
}

/// What stands and lies on the tiles; each kind has a corner of its own, by which it is recognised as well.
fn draw_features(canvas: &mut Canvas, torus: &TorusView, seen: &VisibleTiles, shown: &Shown<'_>) {
    let (scale, map) = (torus.camera.scale, torus.map);
    if scale < FEATURE_SCALE.0 || seen.count() > TILE_LIMIT {
        return;
    }
    for ((x, y), at) in seen.tiles(map) {
        let Some(tile) = shown.state.mirror.tile(at) else { continue };
        let centre = torus.camera.to_window(torus.place, (x as f64 + 0.5, y as f64 + 0.5));
        let corner = |x: f32, y: f32| centre + Point::new(x * scale, y * scale);
        let r = scale * 0.13;
        if scale >= HATCH_SCALE {
            canvas.outline(torus.tile_rect(centre, 1.0), 0.0, canvas.hairline(), GRID.alpha(0.5));
        }
        if tile.terrain == Terrain::Forest {
            pieces::forest(canvas, corner(0.33, -0.33), r);
        }
        if tile.flags.resource {
            pieces::resource(canvas, corner(-0.33, -0.33), r);
        }
        if tile.flags.fort {
            pieces::fort(canvas, centre, scale * 0.41, shown.look(tile.owner).color);
        }
        if let Some(building) = tile.building {
            pieces::building(canvas, corner(0.33, 0.31), r, building);
        }
        if let Some(owner) = shown.state.mirror.bombs.get(&at) {
            pieces::bomb(canvas, corner(-0.34, 0.32), r * 0.85, shown.look(Some(*owner)));
        }
    }
}

/// A base's radius in points: more than a unit's, so that it is seen around the unit that stands on it.
fn base_radius(scale: f32) -> f32 {
    (scale * 0.48).max(5.5)
}

fn draw_bases(canvas: &mut Canvas, torus: &TorusView, shown: &Shown<'_>) {
    let mirror = &shown.state.mirror;
    let r = base_radius(torus.camera.scale);
    let tiles = mirror.tiles.iter().enumerate().filter(|(_, tile)| tile.flags.base);
    for (index, tile) in tiles {
        let at = torus.map.position(index);
        let of = tile.owner.and_then(|owner| mirror.factions.get(owner.index()));
        let home = of.filter(|faction| faction.alive && faction.holdings.base == Some(at));
        let slot = home.and_then(|faction| faction.holdings.slot);
        for centre in torus.seen(middle(at), r * 2.5) {
            pieces::base(canvas, centre, r, tile.owner.map(|owner| shown.look(Some(owner))));
            if let Some(slot) = slot.filter(|_| r > 9.0) {
                // The gate shows the type of the unit that is being built.
                pieces::sign(canvas, centre + Point::new(0.0, r * 0.35), r * 0.4, slot.kind, TEXT);
            }
        }
    }
}

/// Calls `draw` for each base that a living faction lives by, wherever it is seen in the window: with its middle there,
/// the faction's name and its look.
fn for_each_home(torus: &TorusView, shown: &Shown<'_>, mut draw: impl FnMut(Point, &str, TeamLook)) {
    for (number, faction) in (0..).zip(&shown.state.mirror.factions) {
        let base = faction.holdings.base.filter(|at| faction.alive && torus.map.contains(*at));
        let Some(at) = base else { continue };
        for centre in torus.seen(middle(at), base_radius(torus.camera.scale) * 8.0) {
            draw(centre, faction.name.as_str(), shown.look(Some(FactionId(number))));
        }
    }
}

/// The factions' names beside their bases, where no unit and no other name stands. Returns the rectangles of the names.
fn draw_names(
    canvas: &mut Canvas,
    torus: &TorusView,
    shown: &Shown<'_>,
    figures: &[(Point, f32)],
) -> Vec<Rect> {
    let (r, lit, mut taken) = (base_radius(torus.camera.scale), torus.lit(), Vec::<Rect>::new());
    for_each_home(torus, shown, |centre, words, look| {
        // Repeats of the world have no labels.
        if !lit.contains(centre) {
            return;
        }
        let wide = canvas.measure(words, Face::Strong, size::SMALL) + 8.0;
        let places = (0..NAME_STEPS).flat_map(|step| {
            let (down, aside) = (r * 1.05 + NAME_HALF, r * 1.7 + wide / 2.0);
            let by = f32::from(step) * NAME_HALF;
            // Above the base and left of its flag, below the base, left of it, right of it.
            [(r * 0.55 - wide / 2.0, -down - by), (0.0, down + by), (-aside - by, 0.0), (aside + by, 0.0)]
        });
        let plates = places.map(|(x, y)| Rect::around(centre + Point::new(x, y), wide, 2.0 * NAME_HALF));
        let free = |plate: &Rect| {
            !figures.iter().any(|&(at, r)| plate.nearest(at).distance(at) < r)
                && !taken.iter().any(|other| other.overlaps(*plate))
        };
        let mut plates = plates.peekable();
        let Some(usual) = plates.peek().copied() else { return };
        let plate = plates.find(free).unwrap_or(usual);
        taken.push(plate);
        canvas.round_rect(plate, 4.0, NIGHT.alpha(0.78));
        canvas.text(plate.centre(), Anchor::Centre, words, Style::strong(size::SMALL, bright(look.color)));
    });
    taken
}

/// The selection, and the tile under the mouse.
fn draw_selection(canvas: &mut Canvas, torus: &TorusView, scene: &ConquestScene<'_>, shown: &Shown<'_>) {
    torus.hover(canvas, shown.view.pointer.at);
    match shown.view.selection {
        Some(Selection::Unit(unit)) => {
            let Some(piece) = scene.pieces.iter().find(|piece| piece.id == unit) else { return };
            torus.selected(canvas, piece.point, (radius(torus.camera.scale) * 1.7).max(9.0));
        }
        Some(selection) => {
            let at = selection.place(&shown.state.mirror).filter(|&at| torus.map.contains(at));
            if let Some(at) = at {
                torus.frame(canvas, at, ACCENT, 2.0);
            }
        }
        None => {}
    }
}

/// What is at a place of the window, the topmost first: a unit, a city, then the tile.
pub fn pick(place: Rect, shown: &Shown<'_>, point: Point) -> Vec<Selection> {
    let mirror = &shown.state.mirror;
    let Some(map) = mirror.size.filter(|_| place.contains(point)) else { return Vec::new() };
    let at = shown.view.camera.sane(map).tile_at(place, point, map);
    let unit = mirror.units.iter().find(|(_, unit)| unit.at == at).map(|(id, _)| Selection::Unit(*id));
    let city = mirror.cities.contains_key(&at).then_some(Selection::City(at));
    unit.into_iter().chain(city).chain([Selection::Tile(at)]).collect()
}

/// Draws the whole map into `place`, with a frame around the part that is seen in `world`, the rectangle of the world.
pub fn minimap(canvas: &mut Canvas, place: Rect, shown: &Shown<'_>, world: Rect) {
    let mirror = &shown.state.mirror;
    let Some(map) = mirror.size else { return };
    let cell = |columns: (u16, u16), rows: (u16, u16)| {
        let Some(tile) = mirror.tile(Position { x: columns.0, y: rows.0 }) else { return GROUND };
        let cell_number = |(from, to): (u16, u16)| i64::from(from / (to - from).max(1));
        let stitch = |owner| has_stitch(owner, cell_number(columns), cell_number(rows));
        let ground = tint(shown, tile, GROUND, 0.5);
        if tile.owner.is_some_and(stitch) { ground.mix(NIGHT, DARKNESS) } else { ground }
    };
    let things = |canvas: &mut Canvas, small: &SmallMap| {
        let r = (small.scale * 0.4).clamp(2.0, 3.8);
        for unit in mirror.units.values() {
            let (at, look) = (small.at(middle(unit.at)), shown.look(Some(unit.faction)));
            canvas.circle(at, r + 0.9, NIGHT.alpha(0.85));
            shape(canvas, at, r, look.shape, 0.0, bright(look.color));
        }
        for (number, faction) in (0..).zip(&mirror.factions) {
            let Some(base) = faction.holdings.base.filter(|_| faction.alive) else { continue };
            let (at, look) = (small.at(middle(base)), shown.look(Some(FactionId(number))));
            shape(canvas, at, 6.0, look.shape, 0.0, NIGHT);
            shape(canvas, at, 4.6, look.shape, 0.0, look.color);
        }
        if let Some(at) = shown.view.selection.and_then(|chosen| chosen.place(mirror)) {
            canvas.ring(small.at(middle(at)), r + 3.0, 1.5, ACCENT);
        }
    };
    let camera = (shown.view.camera, world);
    SmallMap::draw(canvas, (place, map), (CELLS, cell), camera, (things, |_: &mut Canvas, _: &SmallMap| {}));
}

#[cfg(test)]
mod eyes_tests;
